/*
 * Recording commands; see command.h. Budget of recording an add with a small value: about 3 ns.
 */
#include "command.h"

#include <shoal/buffer.h>
#include <shoal/relation.h>

#include <stdatomic.h>
#include <stdio.h>

#include "../storage/buffer.h"

/* The epoch that was given out last; relaxed, since only its uniqueness matters. */
static _Atomic uint64_t last_epoch;

#define BLOCK_BYTES ((size_t)64 * 1024)
#define BLOCK_ALIGNMENT 64

/* ---- the arena ---- */

static size_t block_header_bytes(void) {
    return align_up(sizeof(command_block), BLOCK_ALIGNMENT);
}

/* Room for a value; it stays where it is until the buffer is emptied. */
static void *arena_allocate(shoal_commands *commands, size_t byte_size, size_t alignment) {
    command_block *block = commands->blocks;
    if (block != NULL) {
        uintptr_t base = (uintptr_t)block;
        size_t at = align_up(base + block->used, alignment) - base;
        if (at <= block->byte_size && byte_size <= block->byte_size - at) {
            block->used = at + byte_size;
            return (char *)block + at;
        }
    }
    size_t bytes = block_header_bytes() + byte_size + alignment;
    bytes = bytes < BLOCK_BYTES ? BLOCK_BYTES : align_up(bytes, BLOCK_ALIGNMENT);
    block = memory_allocate(&commands->world->memory, SHOAL_PURPOSE_COMMAND, bytes, BLOCK_ALIGNMENT);
    if (block == NULL) {
        return NULL;
    }
    *block = (command_block){.next = commands->blocks, .byte_size = bytes, .used = block_header_bytes()};
    commands->blocks = block;
    return arena_allocate(commands, byte_size, alignment);
}

/* Gives the blocks back, but for `keep` of the ordinary size, which are empty then. */
static void arena_release(shoal_commands *commands, size_t keep) {
    command_block *kept = NULL;
    for (command_block *block = commands->blocks; block != NULL;) {
        command_block *next = block->next;
        if (keep > 0 && block->byte_size == BLOCK_BYTES) {
            keep--;
            block->used = block_header_bytes();
            block->next = kept;
            kept = block;
        } else {
            memory_release(&commands->world->memory, SHOAL_PURPOSE_COMMAND, block, block->byte_size, BLOCK_ALIGNMENT);
        }
        block = next;
    }
    commands->blocks = kept;
}

void command_arena_empty(shoal_commands *commands) {
    arena_release(commands, 1);
}

uint64_t command_epoch_take(void) {
    return atomic_fetch_add_explicit(&last_epoch, 1, memory_order_relaxed) + 1;
}

/* ---- one command ---- */

void command_end_value(shoal_commands *commands, shoal_command *command) {
    if ((command->flags & (COMMAND_HAS_VALUE | COMMAND_HAS_DEFAULT)) && !(command->flags & COMMAND_CONSUMED)) {
        component_end(&commands->world->memory, component_type_at(command->component), command_data(command), 1);
        command->flags |= COMMAND_CONSUMED;
    }
}

/* Room for one more command; the caller fills it and then counts it. */
static ALWAYS_INLINE shoal_command *command_next(shoal_commands *commands) {
    if (UNLIKELY(commands->command_count == commands->commands.capacity)) {
        if (commands->command_count >= COMMAND_NONE - 1) {
            (void)memory_fail(&commands->world->memory, SHOAL_OUT_OF_MEMORY); /* commands are numbered with 32 bits */
            return NULL;
        }
        if (memory_array_reserve(&commands->world->memory, SHOAL_PURPOSE_COMMAND, &commands->commands,
                                 commands->command_count + 1, sizeof(shoal_command)) != SHOAL_OK) {
            return NULL;
        }
    }
    return command_at(commands, commands->command_count);
}

/* Entity fields of a value may hold placeholders of this buffer only. */
typedef struct placeholder_check {
    const shoal_commands *commands;
    bool is_shared; /* none at all: which archetype the entity goes to depends on the value */
    bool refused;
} placeholder_check;

static void placeholder_visit(void *user, shoal_entity *entity) {
    placeholder_check *check = user;
    if (shoal_entity_is_placeholder(*entity) &&
        (check->is_shared || !command_placeholder_is_valid(check->commands, *entity))) {
        check->refused = true;
    }
}

static bool placeholders_are_own(const shoal_commands *commands, const component_type *type, const void *data) {
    placeholder_check check = {.commands = commands, .is_shared = type->def.storage == SHOAL_STORAGE_SHARED};
    /* The visitor only reads. Of a buffer the caller has given a span. */
    bool is_span = type->def.storage == SHOAL_STORAGE_BUFFER;
    const char *items = is_span ? ((const shoal_span *)data)->items : data;
    size_t count = is_span ? ((const shoal_span *)data)->count : 1;
    for (size_t i = 0; i < count; i++) {
        component_visit_entities(type, (char *)(uintptr_t)items + i * type->def.size, placeholder_visit, &check);
    }
    return !check.refused;
}

void command_visit_entities(const component_type *type, void *value, void (*visit)(void *user, shoal_entity *entity),
                            void *user) {
    bool is_buffer = type->def.storage == SHOAL_STORAGE_BUFFER;
    char *items = is_buffer ? buffer_items(type, value) : value;
    size_t count = is_buffer ? ((const buffer_cell *)value)->count : 1;
    for (size_t i = 0; i < count; i++) {
        component_visit_entities(type, items + i * type->def.size, visit, user);
    }
}

/* A handle that can be a target: of this world, alive or not, or a placeholder of this buffer. */
static ALWAYS_INLINE bool target_is_possible(const shoal_commands *commands, shoal_entity entity) {
    if (LIKELY((uint32_t)(entity.bits >> 48) == commands->world->index.high >> 16)) {
        return true;
    }
    return command_placeholder_is_valid(commands, entity);
}

/* Copies a value into the arena; larger ones and those with hooks. */
COLD static shoal_status value_record_large(shoal_commands *commands, shoal_command *command,
                                            const component_type *type, const void *data) {
    shoal_memory *memory = &commands->world->memory;
    if (type->def.storage == SHOAL_STORAGE_BUFFER && data != NULL) {
        const shoal_span *span = data;
        if (span->count > UINT32_MAX / 2 || (span->count != 0 && span->items == NULL)) {
            return SHOAL_INVALID_ARGUMENT;
        }
    }
    void *value = arena_allocate(commands, type->value_size, type->value_alignment);
    if (value == NULL) {
        return memory_failure(memory);
    }
    bool made =
        data != NULL ? component_make_given(memory, type, value, data) : component_make_default(memory, type, value, 1);
    if (!made) {
        return component_failure(type, memory);
    }
    command->data.value = value;
    command->flags |= COMMAND_IN_ARENA;
    return SHOAL_OK;
}

/* A link: its target, and its data or the default that a hook makes. */
COLD static shoal_status link_record(shoal_commands *commands, shoal_command *command, const component_type *type,
                                     const shoal_link *link) {
    shoal_memory *memory = &commands->world->memory;
    const void *data = link != NULL ? link->data : NULL;
    shoal_entity target = link != NULL ? link->target : (shoal_entity){0};
    if (!target_is_possible(commands, target)) {
        return index_why(&commands->world->index, target);
    }
    if (type->def.split && shoal_entity_is_placeholder(target)) {
        return SHOAL_ENTITY_PLACEHOLDER; /* the archetype of a target is made before any entity */
    }
    if (type->def.size == 0 || (data == NULL && !component_default_can_fail(type))) {
        memcpy(command->data.payload, &target, sizeof target);
        return SHOAL_OK;
    }
    if (type->has_entities && data != NULL && !placeholders_are_own(commands, type, data)) {
        return SHOAL_ENTITY_PLACEHOLDER;
    }
    size_t offset = command_link_data_offset(type);
    size_t alignment = type->def.alignment > sizeof target ? type->def.alignment : sizeof target;
    char *value = arena_allocate(commands, offset + type->def.size, alignment);
    if (value == NULL) {
        return memory_failure(memory);
    }
    bool made = data != NULL ? component_make_copy(memory, type, value + offset, data, 1)
                             : component_make_default(memory, type, value + offset, 1);
    if (!made) {
        return SHOAL_HOOK_FAILED;
    }
    memcpy(value, &target, sizeof target);
    command->data.value = value;
    command->flags |= (uint8_t)(COMMAND_IN_ARENA | (data != NULL ? COMMAND_HAS_VALUE : COMMAND_HAS_DEFAULT));
    return SHOAL_OK;
}

/* Puts a component's value into a command: nothing for a tag; the default only where a hook makes it, or it is shared.
 */
static ALWAYS_INLINE shoal_status value_record(shoal_commands *commands, shoal_command *command,
                                               const component_type *type, const void *data) {
    if (UNLIKELY(type->is_special) && type->def.storage == SHOAL_STORAGE_RELATION) {
        return link_record(commands, command, type, data);
    }
    /* A shared default is needed to find the archetype, when nothing may fail any more. */
    bool needs_default = component_default_can_fail(type) || type->def.storage == SHOAL_STORAGE_SHARED;
    if (type->def.size == 0 || (data == NULL && !needs_default)) {
        return SHOAL_OK;
    }
    if (UNLIKELY(type->has_entities) && data != NULL && !placeholders_are_own(commands, type, data)) {
        return SHOAL_ENTITY_PLACEHOLDER;
    }
    command->flags |= data != NULL ? COMMAND_HAS_VALUE : COMMAND_HAS_DEFAULT;
    if (LIKELY(type->def.size <= COMMAND_PAYLOAD_BYTES) && LIKELY(!type->hooked) && data != NULL) {
        copy_value(command->data.payload, data, type->def.size);
        return SHOAL_OK;
    }
    return value_record_large(commands, command, type, data);
}

/* Why a value cannot be recorded. What is wrong with a link is nearly always its target. */
COLD static shoal_status record_failed(shoal_world *world, shoal_status status, shoal_entity entity, shoal_value value,
                                       const char *call) {
    const component_type *type = component_type_at(value.component.id);
    const shoal_link *link = type->def.storage == SHOAL_STORAGE_RELATION ? value.data : NULL;
    bool is_about_entity = status >= SHOAL_ENTITY_NULL && status <= SHOAL_ENTITY_PLACEHOLDER;
    if (type->def.storage != SHOAL_STORAGE_RELATION || !is_about_entity) {
        return world_fail_component(world, status, call, entity, value.component);
    }
    if (status == SHOAL_ENTITY_NULL) {
        return error_detail(world_error(world), status, call, "%s needs a target", type->def.name);
    }
    if (type->def.split && status == SHOAL_ENTITY_PLACEHOLDER) {
        return error_detail(world_error(world), status, call, "%s is split, so its target must be there already",
                            type->def.name);
    }
    return error_entity(world_error(world), status, call, link->target);
}

/* Writes a command whose buffer and entity have been checked. */
static ALWAYS_INLINE shoal_status command_write(shoal_commands *commands, uint8_t kind, shoal_entity entity,
                                                const component_type *type, const void *data, const char *call) {
    shoal_world *world = commands->world;
    shoal_command *added = command_next(commands);
    if (UNLIKELY(added == NULL)) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    added->entity = entity;
    added->kind = kind;
    added->flags = 0;
    added->component = 0;
    if (type != NULL) {
        added->component = (uint16_t)type->id;
        shoal_status status = value_record(commands, added, type, data);
        if (UNLIKELY(status != SHOAL_OK)) {
            return record_failed(world, status, entity, (shoal_value){{type->id}, data}, call);
        }
    }
    commands->command_count++;
    commands->record_count++;
    return SHOAL_OK;
}

/* Takes back the commands from `first` on. */
static void commands_take_back(shoal_commands *commands, size_t first) {
    for (size_t i = first; i < commands->command_count; i++) {
        if (command_at(commands, i)->flags & COMMAND_IN_ARENA) { /* others are bytes */
            command_end_value(commands, command_at(commands, i));
        }
    }
    commands->command_count = first;
    while (commands->internal_count > 0 &&
           ((const uint32_t *)commands->internals.items)[commands->internal_count - 1] >= first) {
        commands->internal_count--;
    }
}

/* Records a component that the next add requires, unless it is among those from `first` on already. */
static shoal_status require_one(shoal_commands *commands, shoal_entity entity, const component_type *type, size_t first,
                                const char *call) {
    for (size_t i = first; i < commands->command_count; i++) {
        if (command_at(commands, i)->component == type->id) {
            return SHOAL_OK;
        }
    }
    shoal_status status = memory_array_reserve(&commands->world->memory, SHOAL_PURPOSE_COMMAND, &commands->internals,
                                               commands->internal_count + 1, sizeof(uint32_t));
    if (status != SHOAL_OK) {
        return world_fail(commands->world, status, call);
    }
    uint32_t number = (uint32_t)commands->command_count;
    status = command_write(commands, COMMAND_REQUIRE, entity, type, NULL, call);
    if (status == SHOAL_OK) {
        commands->record_count--;
        ((uint32_t *)commands->internals.items)[commands->internal_count++] = number;
    }
    return status;
}

/* Records all that a component requires, which comes right before its add. */
static shoal_status required_record(shoal_commands *commands, shoal_entity entity, const component_type *added,
                                    const char *call) {
    size_t first = commands->command_count;
    const component_type *type = added;
    shoal_status status = SHOAL_OK;
    for (size_t at = first;; at++) {
        for (size_t i = 0; i < type->def.required_count && status == SHOAL_OK; i++) {
            shoal_component required = shoal_component_of(type->def.required[i]);
            if (required.id == 0) {
                status = world_fail_component(commands->world, SHOAL_COMPONENT_INVALID, call, entity, required);
            } else if (required.id != added->id) {
                status = require_one(commands, entity, component_type_at(required.id), first, call);
            }
        }
        if (status != SHOAL_OK || at == commands->command_count) {
            break;
        }
        type = component_type_at(command_at(commands, at)->component);
    }
    if (status != SHOAL_OK) {
        commands_take_back(commands, first);
    }
    return status;
}

/* A command on a component that needs care when the buffer is applied. */
COLD static shoal_status special_write(shoal_commands *commands, uint8_t kind, shoal_entity entity,
                                       const component_type *type, const void *data, const char *call) {
    shoal_world *world = commands->world;
    size_t first = commands->command_count;
    if (type->def.storage == SHOAL_STORAGE_UNIQUE || type->id == world->dying_id) {
        return world_fail_component(world, SHOAL_COMPONENT_KIND, call, entity, (shoal_component){type->id});
    }
    commands->is_special = true;
    shoal_status status = SHOAL_OK;
    if (kind == SHOAL_COMMAND_ADD && type->def.required_count != 0) {
        status = required_record(commands, entity, type, call);
    }
    status = status == SHOAL_OK ? command_write(commands, kind, entity, type, data, call) : status;
    if (status != SHOAL_OK) {
        commands_take_back(commands, first);
    }
    return status;
}

/* Why a buffer records nothing now. */
COLD static shoal_status record_refuse(const shoal_commands *commands, const char *call) {
    if (commands->refusal == SHOAL_ACCESS_UNDECLARED) {
        world_note_access(commands->world, (shoal_component){0}, true, call);
        return error_detail(world_error(commands->world), SHOAL_ACCESS_UNDECLARED, call,
                            "\"%s\" records commands; declare it with .commands = true", commands->name);
    }
    if (commands->refusal == SHOAL_WORLD_LOCKED && commands->is_recorder) {
        return error_detail(world_error(commands->world), SHOAL_WORLD_LOCKED, call,
                            "run->commands of \"%s\" takes commands from the function of its system alone",
                            commands->name);
    }
    if (commands->is_recorder && commands->refusal == SHOAL_WORLD_LOCKED) {
        return error_detail(world_error(commands->world), SHOAL_WORLD_LOCKED, call,
                            "\"%s\" records in calls of each and once alone: not in its condition, in bodies of "
                            "shoal_run_parallel() or later",
                            commands->name);
    }
    return commands->refusal == SHOAL_WORLD_LOCKED ? world_fail_locked(commands->world, call)
                                                   : world_fail(commands->world, commands->refusal, call);
}

static ALWAYS_INLINE shoal_status command_record(shoal_commands *commands, uint8_t kind, shoal_entity entity,
                                                 const shoal_value *value, const char *call) {
    if (UNLIKELY(commands == NULL)) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_world *world = commands->world;
    if (UNLIKELY(commands->refusal != SHOAL_OK)) {
        return record_refuse(commands, call);
    }
    if (UNLIKELY(!target_is_possible(commands, entity))) {
        return world_fail_entity(world, call, entity);
    }
    if (value == NULL) {
        return command_write(commands, kind, entity, NULL, NULL, call);
    }
    const component_type *type = component_type_find(value->component.id);
    if (UNLIKELY(type == NULL)) {
        return world_fail_component(world, SHOAL_COMPONENT_INVALID, call, entity, value->component);
    }
    if (UNLIKELY(type->is_special)) {
        return special_write(commands, kind, entity, type, value->data, call);
    }
    return command_write(commands, kind, entity, type, value->data, call);
}

/* ---- the public recorders ---- */

shoal_status shoal_commands_destroy_entity(shoal_commands *commands, shoal_entity entity) {
    return command_record(commands, SHOAL_COMMAND_DESTROY, entity, NULL, "shoal_commands_destroy_entity");
}

shoal_status shoal_commands_clear(shoal_commands *commands, shoal_entity entity) {
    return command_record(commands, SHOAL_COMMAND_CLEAR, entity, NULL, "shoal_commands_clear");
}

shoal_status shoal_commands_add(shoal_commands *commands, shoal_entity entity, shoal_component component,
                                const void *data) {
    shoal_value value = {.component = component, .data = data};
    return command_record(commands, SHOAL_COMMAND_ADD, entity, &value, "shoal_commands_add");
}

/* A command that names a component and brings no value: its ctor must not run. */
static shoal_status bare_record(shoal_commands *commands, uint8_t kind, shoal_entity entity, shoal_component component,
                                const char *call) {
    const component_type *type = component_type_find(component.id);
    if (commands != NULL && type == NULL) {
        return world_fail_component(commands->world, SHOAL_COMPONENT_INVALID, call, entity, component);
    }
    if (commands != NULL && (type->def.storage == SHOAL_STORAGE_UNIQUE || type->id == commands->world->dying_id)) {
        return world_fail_component(commands->world, SHOAL_COMPONENT_KIND, call, entity, component);
    }
    shoal_status status = command_record(commands, kind, entity, NULL, call);
    if (status == SHOAL_OK) {
        shoal_command *added = command_at(commands, commands->command_count - 1);
        added->component = (uint16_t)component.id;
        memset(&added->data, 0, sizeof added->data);
        commands->is_special = commands->is_special || kind != SHOAL_COMMAND_REMOVE || type->is_special;
    }
    return status;
}

shoal_status shoal_commands_remove(shoal_commands *commands, shoal_entity entity, shoal_component component) {
    return bare_record(commands, SHOAL_COMMAND_REMOVE, entity, component, "shoal_commands_remove");
}

shoal_status shoal_commands_enable(shoal_commands *commands, shoal_entity entity, shoal_component component) {
    return bare_record(commands, SHOAL_COMMAND_ENABLE, entity, component, "shoal_commands_enable");
}

shoal_status shoal_commands_disable(shoal_commands *commands, shoal_entity entity, shoal_component component) {
    return bare_record(commands, SHOAL_COMMAND_DISABLE, entity, component, "shoal_commands_disable");
}

/* That a component is a relation. */
static shoal_status relation_check_kind(shoal_commands *commands, shoal_entity source, shoal_component relation,
                                        const char *call) {
    const component_type *type = component_type_find(relation.id);
    if (commands == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    if (type == NULL || type->def.storage != SHOAL_STORAGE_RELATION) {
        return world_fail_component(commands->world, type == NULL ? SHOAL_COMPONENT_INVALID : SHOAL_COMPONENT_KIND,
                                    call, source, relation);
    }
    return SHOAL_OK;
}

shoal_status shoal_commands_relate(shoal_commands *commands, shoal_entity source, shoal_component relation,
                                   shoal_entity target, const void *data) {
    static const char call[] = "shoal_commands_relate";
    shoal_status status = relation_check_kind(commands, source, relation, call);
    shoal_value value = {.component = relation, .data = &(shoal_link){.target = target, .data = data}};
    return status == SHOAL_OK ? command_record(commands, SHOAL_COMMAND_ADD, source, &value, call) : status;
}

shoal_status shoal_commands_unrelate(shoal_commands *commands, shoal_entity source, shoal_component relation,
                                     shoal_entity target) {
    static const char call[] = "shoal_commands_unrelate";
    shoal_status status = relation_check_kind(commands, source, relation, call);
    if (status == SHOAL_OK && !shoal_entity_is_null(target) && !target_is_possible(commands, target)) {
        return world_fail_entity(commands->world, call, target);
    }
    status = status == SHOAL_OK ? bare_record(commands, SHOAL_COMMAND_UNRELATE, source, relation, call) : status;
    if (status == SHOAL_OK) {
        memcpy(command_at(commands, commands->command_count - 1)->data.payload, &target, sizeof target);
    }
    return status;
}

shoal_status shoal_commands_set(shoal_commands *commands, shoal_entity entity, shoal_component component,
                                const void *data) {
    static const char call[] = "shoal_commands_set";
    if (commands != NULL && data == NULL) {
        return world_fail_component(commands->world, SHOAL_INVALID_ARGUMENT, call, entity, component);
    }
    shoal_value value = {.component = component, .data = data};
    return command_record(commands, SHOAL_COMMAND_SET, entity, &value, call);
}

static bool is_named_before(const shoal_value *values, size_t i) {
    for (size_t k = 0; k < i; k++) {
        if (values[k].component.id == values[i].component.id) {
            return true;
        }
    }
    return false;
}

/* What can be known of a spawn's values now. Nothing of the world is touched, since a view may be open. */
static shoal_status spawn_check(shoal_commands *commands, const shoal_value *values, size_t count, const char *call) {
    shoal_world *world = commands->world;
    if (values == NULL && count != 0) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    for (size_t i = 0; i < count; i++) {
        shoal_status status = SHOAL_OK;
        if (component_type_find(values[i].component.id) == NULL) {
            status = SHOAL_COMPONENT_INVALID;
        } else if (is_named_before(values, i)) {
            status = SHOAL_COMPONENT_DUPLICATE;
        }
        if (status != SHOAL_OK) {
            return world_fail_component(world, status, call, (shoal_entity){0}, values[i].component);
        }
    }
    return SHOAL_OK;
}

shoal_entity shoal_commands_spawn(shoal_commands *commands, const shoal_value *values, size_t value_count) {
    static const char call[] = "shoal_commands_spawn";
    const shoal_entity none = {0};
    if (commands == NULL) {
        world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
        return none;
    }
    if (commands->refusal != SHOAL_OK) {
        (void)record_refuse(commands, call);
        return none;
    }
    if (spawn_check(commands, values, value_count, call) != SHOAL_OK) {
        return none;
    }
    shoal_world *world = commands->world;
    if (commands->base_spawn + commands->spawn_count > COMMAND_SPAWN_MASK) {
        error_detail(world_error(world), SHOAL_ENTITY_LIMIT, call, "%s: too many spawns in one buffer; apply it first",
                     commands->name);
        return none;
    }
    if (commands->epoch == 0) {
        commands->epoch = command_epoch_take();
    }
    if (memory_array_reserve(&world->memory, SHOAL_PURPOSE_COMMAND, &commands->spawns, commands->spawn_count + 1,
                             sizeof(command_spawn)) != SHOAL_OK) {
        world_fail(world, memory_failure(&world->memory), call);
        return none;
    }
    size_t first = commands->command_count;
    size_t records = commands->record_count;
    shoal_entity placeholder = {commands->epoch << COMMAND_EPOCH_SHIFT |
                                (commands->base_spawn + commands->spawn_count)};
    *command_spawn_at(commands, commands->spawn_count) = (command_spawn){
        .command_number = (uint32_t)first, .value_count = (uint32_t)value_count, .record = (uint32_t)records};
    commands->spawn_count++;
    shoal_status status = command_record(commands, SHOAL_COMMAND_SPAWN, placeholder, NULL, call);
    /* What the row has comes first, so that it is made once. */
    for (size_t i = 0; i < value_count * 2 && status == SHOAL_OK; i++) {
        const shoal_value *value = &values[i % value_count];
        if (component_type_at(value->component.id)->in_archetype != (i < value_count)) {
            continue;
        }
        size_t before = commands->command_count;
        status = command_record(commands, SHOAL_COMMAND_ADD, placeholder, value, call);
        for (size_t k = before; status == SHOAL_OK && k < commands->command_count; k++) {
            command_at(commands, k)->flags |= COMMAND_OF_SPAWN;
        }
    }
    command_spawn_at(commands, commands->spawn_count - 1)->value_count =
        (uint32_t)(commands->command_count - first - 1);
    if (status != SHOAL_OK) {
        commands_take_back(commands, first);
        commands->record_count = records;
        commands->spawn_count--;
        return none;
    }
    commands->record_count = records + 1;
    return placeholder;
}

/* ---- the buffer ---- */

void command_reset(shoal_commands *commands) {
    commands_take_back(commands, 0);
    commands->is_special = false;
    commands->first_valid = 0;
    command_arena_empty(commands);
    commands->record_count = 0;
    commands->base_spawn += commands->spawn_count;
    commands->spawn_count = 0;
    if (commands->base_spawn > COMMAND_SPAWN_MASK / 2) {
        commands->base_spawn = 0;
        commands->epoch = 0;
    }
}

static void heads_release(shoal_commands *commands) {
    shoal_memory *memory = &commands->world->memory;
    for (uint32_t page = 0; page < commands->head_page_count; page++) {
        memory_release(memory, SHOAL_PURPOSE_COMMAND, commands->head_pages[page], INDEX_PAGE_SLOTS * sizeof(uint32_t),
                       16);
    }
    memory_release(memory, SHOAL_PURPOSE_COMMAND, commands->head_pages, commands->head_page_count * sizeof(uint32_t *),
                   16);
    commands->head_pages = NULL;
    commands->head_page_count = 0;
}

/* Memory that a later apply makes anew when it needs it. */
static void scratch_release(shoal_commands *commands) {
    shoal_memory *memory = &commands->world->memory;
    heads_release(commands);
    memory_array_release(memory, SHOAL_PURPOSE_COMMAND, &commands->fold.entries, sizeof(fold_entry));
    memory_array_release(memory, SHOAL_PURPOSE_COMMAND, &commands->fold.values, sizeof(shoal_value));
    memory_array_release(memory, SHOAL_PURPOSE_COMMAND, &commands->fold.sources, sizeof(uint32_t));
    memory_array_release(memory, SHOAL_PURPOSE_COMMAND, &commands->fold.removed, sizeof(shoal_component));
    memory_array_release(memory, SHOAL_PURPOSE_COMMAND, &commands->targets, sizeof(shoal_archetype *));
    memory_array_release(memory, SHOAL_PURPOSE_COMMAND, &commands->bases, sizeof(shoal_archetype *));
    memory_array_release(memory, SHOAL_PURPOSE_COMMAND, &commands->planned, sizeof(uint32_t));
}

static void child_trim(world_child *child) {
    shoal_commands *commands = (shoal_commands *)child;
    scratch_release(commands);
    if (commands->command_count == 0 && !commands->is_lent) {
        arena_release(commands, 0);
        memory_array_release(&commands->world->memory, SHOAL_PURPOSE_COMMAND, &commands->commands,
                             sizeof(shoal_command));
        memory_array_release(&commands->world->memory, SHOAL_PURPOSE_COMMAND, &commands->spawns, sizeof(command_spawn));
        memory_array_release(&commands->world->memory, SHOAL_PURPOSE_COMMAND, &commands->internals, sizeof(uint32_t));
    }
}

static void child_end(world_child *child) {
    shoal_commands *commands = (shoal_commands *)child;
    shoal_memory *memory = &commands->world->memory;
    commands->is_lent = false; /* the merged buffer has gone before */
    command_reset(commands);
    child_trim(child);
    memory_array_release(memory, SHOAL_PURPOSE_COMMAND, &commands->resolved, sizeof(shoal_entity));
    memory_release(memory, SHOAL_PURPOSE_COMMAND, commands, sizeof *commands, 16);
}

shoal_commands *shoal_commands_create(shoal_world *world, const shoal_commands_def *def) {
    if (world == NULL) {
        world_fail(NULL, SHOAL_INVALID_ARGUMENT, "shoal_commands_create");
        return NULL;
    }
    if (world_is_shared(world)) {
        (void)world_fail_shared(world, "shoal_commands_create");
        return NULL;
    }
    shoal_commands *commands = memory_allocate_zero(&world->memory, SHOAL_PURPOSE_COMMAND, sizeof *commands, 16);
    if (commands == NULL) {
        world_fail(world, memory_failure(&world->memory), "shoal_commands_create");
        return NULL;
    }
    commands->world = world;
    commands->def = def != NULL ? *def : (shoal_commands_def){0};
    (void)snprintf(commands->name, sizeof commands->name, "%s",
                   commands->def.name != NULL ? commands->def.name : "commands");
    commands->child = (world_child){.end = child_end, .trim = child_trim};
    world_add_child(world, &commands->child);
    return commands;
}

void command_join(shoal_commands *commands) {
    commands->is_joint = true;
}

void command_refuse(shoal_commands *commands, shoal_status why) {
    commands->refusal = why;
}

/* Not in a callback while it is applied, nor while systems run, which record in buffers that are not theirs. */
static bool may_be_emptied(const shoal_commands *commands) {
    return commands != NULL && commands->refusal != SHOAL_WORLD_LOCKED && !commands->is_recorder &&
           !world_is_shared(commands->world);
}

void shoal_commands_destroy(shoal_commands *commands) {
    if (may_be_emptied(commands)) {
        world_remove_child(commands->world, &commands->child);
        child_end(&commands->child);
    }
}

size_t shoal_commands_count(const shoal_commands *commands) {
    return commands != NULL ? commands->record_count : 0;
}

void shoal_commands_discard(shoal_commands *commands) {
    if (may_be_emptied(commands)) {
        command_reset(commands);
    }
}

shoal_entity shoal_commands_resolve(const shoal_commands *commands, shoal_entity placeholder) {
    if (commands == NULL || shoal_entity_is_null(placeholder) ||
        placeholder.bits >> COMMAND_EPOCH_SHIFT != commands->resolved_epoch) {
        return (shoal_entity){0};
    }
    uint32_t number = (uint32_t)(placeholder.bits & COMMAND_SPAWN_MASK) - commands->resolved_base;
    return number < commands->resolved_count ? ((const shoal_entity *)commands->resolved.items)[number]
                                             : (shoal_entity){0};
}
