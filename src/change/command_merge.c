/*
 * Merging command buffers; see command_merge.h.
 */
#include "command_merge.h"

#include <stdatomic.h>

shoal_status command_merge_reserve(shoal_commands *into, command_mark more) {
    shoal_memory *memory = &into->world->memory;
    if (into->command_count + (uint64_t)more.command_count >= COMMAND_NONE) {
        return memory_fail(memory, SHOAL_OUT_OF_MEMORY); /* commands are numbered with 32 bits */
    }
    if (into->base_spawn + into->spawn_count + (uint64_t)more.spawn_count > COMMAND_SPAWN_MASK) {
        return SHOAL_ENTITY_LIMIT;
    }
    shoal_status status = memory_array_reserve(memory, SHOAL_PURPOSE_COMMAND, &into->commands,
                                               into->command_count + more.command_count, sizeof(shoal_command));
    status = status == SHOAL_OK
                 ? memory_array_reserve(memory, SHOAL_PURPOSE_COMMAND, &into->spawns,
                                        (size_t)into->spawn_count + more.spawn_count, sizeof(command_spawn))
                 : status;
    status = status == SHOAL_OK ? memory_array_reserve(memory, SHOAL_PURPOSE_COMMAND, &into->internals,
                                                       into->internal_count + more.internal_count, sizeof(uint32_t))
                                : status;
    if (status == SHOAL_OK && more.spawn_count != 0 && into->epoch == 0) {
        into->epoch = command_epoch_take();
    }
    return status;
}

/* A part on its way. */
typedef struct merge {
    shoal_commands *into;
    const shoal_commands *from;
    uint32_t spawn_first; /* of the part, in `from` */
} merge;

/* Turns a placeholder of the part into one of the merged buffer; other handles stay. */
static void translate(void *user, shoal_entity *entity) {
    const merge *part = user;
    uint32_t number;
    if (shoal_entity_is_placeholder(*entity) && command_placeholder(part->from, *entity, &number)) {
        uint64_t spawn = part->into->base_spawn + part->into->spawn_count + (uint64_t)(number - part->spawn_first);
        *entity = (shoal_entity){part->into->epoch << COMMAND_EPOCH_SHIFT | spawn};
    }
}

/* The handles inside of a command: its entity, the target of a relation, the entity fields of its value. */
static void command_translate(merge *part, shoal_command *command) {
    translate(part, &command->entity);
    if (command->component == 0) {
        return;
    }
    const component_type *type = component_type_at(command->component);
    bool is_link = type->def.storage == SHOAL_STORAGE_RELATION && command->kind != SHOAL_COMMAND_REMOVE;
    if (is_link) {
        shoal_entity target;
        memcpy(&target, command_value(command), sizeof target);
        translate(part, &target);
        memcpy(command_value(command), &target, sizeof target);
    }
    void *data = type->has_entities ? command_data(command) : NULL;
    if (data != NULL) {
        command_visit_entities(type, data, translate, part);
    }
}

void command_merge_part(shoal_commands *into, shoal_commands *from, command_mark first, command_mark end) {
    merge part = {.into = into, .from = from, .spawn_first = first.spawn_count};
    uint32_t shift = (uint32_t)into->command_count - first.command_count;
    uint32_t record_shift = (uint32_t)into->record_count - first.record_count;
    bool has_spawns = end.spawn_count != first.spawn_count;
    bool has_parts = has_spawns || from->is_special;
    memcpy(command_at(into, into->command_count), command_at(from, first.command_count),
           (end.command_count - first.command_count) * sizeof(shoal_command));
    for (uint32_t i = first.command_count; i < end.command_count && has_parts; i++) {
        command_translate(&part, command_at(into, i + shift));
    }
    for (uint32_t i = first.spawn_count; i < end.spawn_count; i++) {
        command_spawn *spawn = command_spawn_at(into, into->spawn_count + (i - first.spawn_count));
        *spawn = *command_spawn_at(from, i);
        spawn->command_number += shift;
        spawn->record += record_shift;
    }
    for (uint32_t i = first.internal_count; i < end.internal_count; i++) {
        ((uint32_t *)into->internals.items)[into->internal_count++] =
            ((const uint32_t *)from->internals.items)[i] + shift;
    }
    into->spawn_count += end.spawn_count - first.spawn_count;
    into->command_count += end.command_count - first.command_count;
    into->record_count += end.record_count - first.record_count;
    into->is_special = into->is_special || from->is_special;
}

void command_merge_taken(shoal_commands *from) {
    from->command_count = 0;
    from->record_count = 0;
    from->internal_count = 0;
    from->is_special = false;
    from->base_spawn += from->spawn_count;
    from->spawn_count = 0;
    from->first_valid = 0;
    from->is_lent = true;
    if (from->base_spawn > COMMAND_SPAWN_MASK / 2) {
        from->base_spawn = 0;
        from->epoch = 0;
    }
}

void command_merge_applied(shoal_commands *from) {
    command_arena_empty(from);
    from->is_lent = false;
}
