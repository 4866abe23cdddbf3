/*
 * Scripts, see script.h.
 */
#include "script.h"

#include "test.h"

script_command *script_append(script *recorded, shoal_command_kind kind, shoal_entity target) {
    assert_true(recorded->count < SCRIPT_MAX);
    script_command *command = &recorded->commands[recorded->count++];
    *command = (script_command){.kind = kind, .target = target};
    return command;
}

/* The spawn that gave out a placeholder, or NULL. */
static const script_command *find_spawn(const script *recorded, shoal_entity placeholder) {
    for (size_t i = 0; i < recorded->count; i++) {
        const script_command *command = &recorded->commands[i];
        if (command->kind == SHOAL_COMMAND_SPAWN && shoal_entity_equal(command->target, placeholder)) {
            return command;
        }
    }
    return NULL;
}

/* A target or link as it is when its command's turn comes. */
static shoal_entity real_handle(const script *recorded, shoal_entity entity) {
    const script_command *spawn = shoal_entity_is_placeholder(entity) ? find_spawn(recorded, entity) : NULL;
    return spawn != NULL ? spawn->real : entity;
}

static naive_outcome run_command(const script *recorded, script_command *command, naive_world *naive) {
    naive_value values[VALUE_SET_MAX];
    for (size_t i = 0; i < command->value_count; i++) {
        values[i] = command->values[i];
        if (values[i].type == KIND_LINK) {
            values[i].payload = real_handle(recorded, (shoal_entity){values[i].payload}).bits;
        }
    }
    if (command->kind == SHOAL_COMMAND_SPAWN) {
        naive_outcome outcome = naive_spawn(naive, values, command->value_count, &command->real);
        command->shown = outcome == 0 ? command->real : command->target;
        return outcome;
    }
    shoal_entity target = real_handle(recorded, command->target);
    command->shown = shoal_entity_is_null(target) ? command->target : target;
    if (shoal_entity_is_null(target)) {
        return NAIVE_ANY_ERROR;
    }
    switch (command->kind) {
    case SHOAL_COMMAND_DESTROY:
        return naive_destroy(naive, target);
    case SHOAL_COMMAND_ADD:
        return naive_add(naive, target, values[0]);
    case SHOAL_COMMAND_REMOVE:
        return naive_remove(naive, target, values[0].type);
    case SHOAL_COMMAND_SET:
        return naive_set(naive, target, values[0]);
    default:
        return naive_clear(naive, target);
    }
}

naive_outcome script_apply(script *recorded, naive_world *naive) {
    naive_world before;
    naive_copy(&before, naive);
    for (size_t i = 0; i < recorded->count; i++) {
        recorded->commands[i].real = (shoal_entity){0};
    }
    for (size_t i = 0; i < recorded->count; i++) {
        script_command *command = &recorded->commands[i];
        command->outcome = run_command(recorded, command, naive);
        if (command->outcome == NAIVE_ERROR(SHOAL_ENTITY_LIMIT)) {
            naive_free(naive);
            *naive = before;
            return command->outcome;
        }
    }
    naive_free(&before);
    return 0;
}

size_t script_dropped(const script *recorded) {
    size_t dropped = 0;
    for (size_t i = 0; i < recorded->count; i++) {
        dropped += recorded->commands[i].outcome != 0;
    }
    return dropped;
}

shoal_entity script_resolve(const script *recorded, const naive_world *naive, shoal_entity placeholder) {
    const script_command *spawn = find_spawn(recorded, placeholder);
    bool lives = spawn != NULL && naive_find(naive, spawn->real) != NULL;
    return lives ? spawn->real : (shoal_entity){0};
}
