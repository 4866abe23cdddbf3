/*
 * Applying commands, in two steps: a plan that allocates all that is needed and changes nothing (command_plan.h), then
 * the commit here, which cannot fail. So memory that runs out leaves world and buffer as they were.
 *
 * The commit goes through the commands in their order. In a single plan each is its own change; otherwise a segment of
 * a chain is folded into one move at its last command, so that slots are taken and given back in the order of the
 * commands, and loose components are changed at their commands' own places (command_loose.c). Either way the world is
 * as if each command had been called on its own. Budget of an add, recorded and applied: 22 ns. Thread rule: world.
 */
#include "command_loose.h"
#include "command_plan.h"
#include "destroy.h"
#include "loose.h"

/* ---- dropped commands ---- */

/* Internal commands with numbers from `first` to `end` - 1. */
static uint32_t internals_between(const shoal_commands *commands, uint32_t first, uint32_t end) {
    uint32_t count = 0;
    for (size_t i = 0; i < commands->internal_count; i++) {
        uint32_t number = ((const uint32_t *)commands->internals.items)[i];
        count += number >= first && number < end;
    }
    return count;
}

/* A command's place as the caller counts: without the ADDs of the spawns before it. */
static size_t record_number(const shoal_commands *commands, uint32_t number) {
    uint32_t low = 0;
    uint32_t high = commands->spawn_count;
    while (low < high) { /* the first spawn behind the command */
        uint32_t middle = low + (high - low) / 2;
        if (command_spawn_at(commands, middle)->command_number <= number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return number - internals_between(commands, 0, number);
    }
    const command_spawn *spawn = command_spawn_at(commands, low - 1);
    uint32_t end = spawn->command_number + spawn->value_count + 1; /* the first command that is not the spawn's own */
    return number < end ? spawn->record : spawn->record + 1 + (number - end) - internals_between(commands, end, number);
}

static void log_dropped(shoal_commands *commands, const shoal_dropped_command *dropped) {
    static const char *const kinds[] = {"spawn", "destroy", "add",     "remove",  "set",
                                        "clear", "enable",  "disable", "unrelate"};
    const shoal_component_def *def = shoal_component_info(dropped->component);
    char text[SHOAL_ENTITY_TEXT_SIZE];
    (void)shoal_entity_format(dropped->entity, text, sizeof text);
    world_log(commands->world, SHOAL_LOG_WARNING, "%s: command %zu (%s%s%s, entity %s) was dropped: %s", commands->name,
              dropped->record, kinds[dropped->kind], def != NULL ? " " : "", def != NULL ? def->name : "", text,
              shoal_status_name(dropped->status));
}

COLD void command_dropped(shoal_commands *commands, uint32_t number, shoal_status status) {
    const shoal_command *command = command_at(commands, number);
    if (command->kind == COMMAND_REQUIRE || (command->flags & COMMAND_OF_SPAWN && status == SHOAL_ENTITY_DEAD)) {
        return; /* what it belongs to is told */
    }
    shoal_dropped_command dropped = {.kind = (shoal_command_kind)command->kind,
                                     .entity = command->entity,
                                     .component = {command->component},
                                     .record = record_number(commands, number),
                                     .status = status};
    uint32_t spawn;
    if (command_placeholder(commands, command->entity, &spawn) &&
        !shoal_entity_is_null(command_spawn_at(commands, spawn)->real)) {
        dropped.entity = command_spawn_at(commands, spawn)->real;
    }
    commands->result.dropped++;
    if (commands->def.log_dropped) {
        log_dropped(commands, &dropped);
    }
    if (commands->def.dropped != NULL) {
        const char *outer = world_lock_enter(commands->world, commands->name);
        commands->def.dropped(commands->def.user, &dropped);
        world_lock_leave(commands->world, outer);
    }
}

/* ---- values ---- */

static void patch_visit(void *user, shoal_entity *entity) {
    const shoal_commands *commands = user;
    uint32_t number;
    if (command_placeholder(commands, *entity, &number)) {
        *entity = command_spawn_at(commands, number)->real;
    }
}

/* Moves a command's value into raw memory; without a command, makes the default (no hook does, so it cannot fail). */
static ALWAYS_INLINE void value_deliver(shoal_commands *commands, shoal_command *command, const component_type *type,
                                        char *value) {
    if (UNLIKELY(command == NULL) || UNLIKELY(!(command->flags & (COMMAND_HAS_VALUE | COMMAND_HAS_DEFAULT)))) {
        (void)component_make_default(&commands->world->memory, type, value, 1);
        return;
    }
    void *data = command_value(command);
    if (UNLIKELY(type->has_entities)) {
        command_visit_entities(type, data, patch_visit, commands);
    }
    if (UNLIKELY(type->hooked)) {
        component_relocate(type, value, data, 1);
    } else {
        copy_value(value, data, type->value_size);
    }
    command->flags |= COMMAND_CONSUMED;
}

/* ---- the commit of single commands ---- */

static void commit_add(shoal_commands *commands, shoal_command *command, uint32_t number, index_record *record) {
    shoal_world *world = commands->world;
    row_place place = row_of(world, record);
    const shoal_transition *edge = command_single_edge(world, command, place.archetype);
    shoal_archetype *target = edge->target;
    uint32_t column = transition_columns(edge)[0];
    const component_type *type = component_type_at(command->component);
    if (UNLIKELY(type->def.validate != NULL) && command_value_is_refused(command)) {
        command_dropped(commands, number, SHOAL_VALUE_REFUSED);
        return;
    }
    if (LIKELY(target != place.archetype)) {
        if (column != ARCHETYPE_NONE) {
            value_deliver(commands, command, type, row_open_value(target, column));
        }
        row_move(world, place, edge, command->entity, record);
    } else if (column != ARCHETYPE_NONE && (command->flags & COMMAND_HAS_VALUE)) {
        char *old = archetype_value(target, place.chunk, column, place.row);
        component_end(&commands->world->memory, type, old, 1);
        value_deliver(commands, command, type, old);
    }
}

static void commit_set(shoal_commands *commands, shoal_command *command, uint32_t number, const index_record *record) {
    row_place place = row_of(commands->world, record);
    uint32_t column = archetype_find(place.archetype, command->component);
    const component_type *type = component_type_at(command->component);
    if (column >= place.archetype->column_count) {
        command_dropped(commands, number,
                        value_missing(place.archetype, column, (shoal_component){command->component}));
    } else if (command_value_is_refused(command)) {
        command_dropped(commands, number, SHOAL_VALUE_REFUSED);
    } else {
        char *old = archetype_value(place.archetype, place.chunk, column, place.row);
        component_end(&commands->world->memory, type, old, 1);
        value_deliver(commands, command, type, old);
    }
}

/* One add or remove along a plain edge, for which the plan has made room; true when it is done. */
static ALWAYS_INLINE bool commit_quick(shoal_world *world, shoal_command *command, index_record *record) {
    bool adds = command->kind == SHOAL_COMMAND_ADD;
    if (UNLIKELY(!adds) && command->kind != SHOAL_COMMAND_REMOVE) {
        return false;
    }
    row_place place = row_of(world, record);
    const shoal_transition *edge = transition_recent_single(place.archetype, command->component, adds);
    if (UNLIKELY(edge == NULL) || UNLIKELY(!edge->is_plain) ||
        UNLIKELY(component_type_at(command->component)->has_entities)) {
        return false;
    }
    if (adds && transition_columns(edge)[0] != ARCHETYPE_NONE) {
        const void *data = command->flags & COMMAND_HAS_VALUE ? command_value(command) : NULL;
        write_value(row_open_value(edge->target, transition_columns(edge)[0]), data,
                    edge->target->columns[transition_columns(edge)[0]].byte_size);
    }
    row_move_plain(world, place, edge, command->entity, record);
    return true;
}

static ALWAYS_INLINE void commit_single(shoal_commands *commands, uint32_t number) {
    shoal_world *world = commands->world;
    shoal_command *command = command_at(commands, number);
    index_record *record = index_find(&world->index, command->entity);
    if (UNLIKELY(record == NULL)) {
        command_dropped(commands, number, SHOAL_ENTITY_DEAD);
        return;
    }
    if (LIKELY(commit_quick(world, command, record))) {
        return; /* placing the entity has cleared the mark */
    }
    record->place &= ~INDEX_MARK;
    if (command->kind == SHOAL_COMMAND_ADD) {
        commit_add(commands, command, number, record);
    } else if (command->kind == SHOAL_COMMAND_SET) {
        commit_set(commands, command, number, record);
    } else if (command->kind == SHOAL_COMMAND_DESTROY) {
        row_remove(world, row_of(world, record));
        index_give(&world->index, shoal_entity_index(command->entity));
    } else {
        row_place place = row_of(world, record);
        const shoal_transition *edge = command_single_edge(world, command, place.archetype);
        if (edge->target != place.archetype) {
            row_move(world, place, edge, command->entity, record);
        }
    }
}

/* ---- the commit of chains ---- */

void *command_deliver(shoal_commands *commands, shoal_command *command) {
    const component_type *type = component_type_at(command->component);
    void *data = command_data(command);
    if (data != NULL) {
        if (type->has_entities) {
            command_visit_entities(type, data, patch_visit, commands);
        }
        command->flags |= COMMAND_CONSUMED;
    }
    return data;
}

shoal_entity command_resolved(const shoal_commands *commands, shoal_entity entity) {
    uint32_t number;
    return command_placeholder(commands, entity, &number) ? command_spawn_at(commands, number)->real : entity;
}

/* Delivers the values of a fold that have columns: new ones into the open row of the target, replaced ones in place. */
static void fold_deliver(shoal_commands *commands, const shoal_transition *edge, const row_place *place) {
    const command_fold *fold = &commands->fold;
    for (size_t i = 0; i < fold->value_count; i++) {
        uint32_t column = transition_columns(edge)[i];
        if (column == ARCHETYPE_NONE) {
            continue;
        }
        uint32_t component = ((const shoal_value *)fold->values.items)[i].component.id;
        uint32_t source = ((const uint32_t *)fold->sources.items)[i];
        const component_type *type = component_type_at(component);
        uint32_t old_column = place != NULL ? archetype_find(place->archetype, component) : ARCHETYPE_NONE;
        char *value = NULL;
        if (old_column == ARCHETYPE_NONE) {
            value = row_open_value(edge->target, column);
        } else {
            value = archetype_value(place->archetype, place->chunk, old_column, place->row);
            component_end(&commands->world->memory, type, value, 1);
        }
        value_deliver(commands, source != COMMAND_NONE ? command_at(commands, source) : NULL, type, value);
    }
}

/* The enable bit of a component: what was added again is enabled, whatever it was. */
static void fold_put_bit(row_place place, const fold_entry *entry) {
    uint32_t toggle = archetype_toggle(place.archetype, entry->component);
    bool was_renewed = entry->fresh && entry->bit == FOLD_BIT_STAYS;
    if (toggle != ARCHETYPE_NONE && (entry->bit != FOLD_BIT_STAYS || was_renewed)) {
        uint64_t *word = archetype_bits(place.archetype, place.chunk, toggle) + place.row / 64;
        uint64_t bit = UINT64_C(1) << (place.row % 64);
        *word = entry->bit == FOLD_BIT_CLEARED ? *word & ~bit : *word | bit;
    }
}

/* What follows when the row is there: chunk values, enable bits. */
static void fold_finish_row(shoal_commands *commands, shoal_entity entity) {
    shoal_world *world = commands->world;
    const command_fold *fold = &commands->fold;
    row_place place = row_of(world, index_find(&world->index, entity));
    for (size_t i = 0; i < fold->value_count && place.archetype->more->chunk_type_count != 0; i++) {
        uint32_t source = ((const uint32_t *)fold->sources.items)[i];
        const component_type *type = component_type_at(((const shoal_value *)fold->values.items)[i].component.id);
        bool is_given = source != COMMAND_NONE && (command_at(commands, source)->flags & COMMAND_HAS_VALUE);
        if (type->def.storage == SHOAL_STORAGE_CHUNK && is_given) { /* a default leaves the chunk's value */
            char *value = row_value(place, type);
            component_end(&world->memory, type, value, 1);
            value_deliver(commands, command_at(commands, source), type, value);
        }
    }
    for (size_t i = 0; i < fold->entry_count && place.archetype->more->toggle_count != 0; i++) {
        fold_put_bit(place, (const fold_entry *)fold->entries.items + i);
    }
}

/* Tells of components that a segment has removed and added again: the row stays, its value does not. */
static void fold_notify_renewed(shoal_commands *commands, notify_kind kind, const shoal_archetype *source,
                                shoal_entity entity) {
    shoal_world *world = commands->world;
    const command_fold *fold = &commands->fold;
    row_place place = row_of(world, index_find(&world->index, entity));
    for (size_t i = 0; i < fold->entry_count && source->notifies; i++) {
        const fold_entry *entry = (const fold_entry *)fold->entries.items + i;
        const component_type *type = component_type_at(entry->component);
        if (entry->present && entry->fresh && archetype_find(source, entry->component) != ARCHETYPE_NONE) {
            notify(world, type, kind, entity, (shoal_entity){0}, notify_value(place, type));
        }
    }
}

/* Tells of the values that a caller gave: shared defaults are none. */
static void fold_notify_given(shoal_commands *commands, const shoal_transition *edge, shoal_entity entity,
                              row_place place) {
    shoal_value *values = commands->fold.values.items;
    for (size_t i = 0; i < commands->fold.value_count; i++) {
        uint32_t source = ((const uint32_t *)commands->fold.sources.items)[i];
        if (source == COMMAND_NONE || !(command_at(commands, source)->flags & COMMAND_HAS_VALUE)) {
            values[i].data = NULL;
        }
    }
    notify_edge_given(commands->world, edge, values, entity, place);
}

/* Tells of what a segment has added and set; `edge` is NULL when it leaves the row as it is. */
static void fold_notify(shoal_commands *commands, const shoal_transition *edge, shoal_entity entity) {
    shoal_world *world = commands->world;
    row_place place = row_of(world, index_find(&world->index, entity));
    bool ends_joint = commands->is_joint && commands->fold.next == COMMAND_NONE;
    if (edge != NULL) {
        notify_edge_new(world, edge, entity, place);
        fold_notify_renewed(commands, NOTIFY_ADD, edge->source, entity);
    }
    if (ends_joint) {
        command_loose_joint_notify(commands, commands->fold.last, NOTIFY_ADD);
    }
    if (edge != NULL) {
        fold_notify_given(commands, edge, entity, place);
    }
    if (ends_joint) {
        command_loose_joint_notify(commands, commands->fold.last, NOTIFY_SET);
    }
}

/* Commands before the destroy `number` whose entity it takes with it: what they do does not matter any more, but those
   that would have failed are told. Returns the first one behind it. */
static uint32_t pending_flush(shoal_commands *commands, uint32_t head, uint32_t number, shoal_entity entity) {
    const index_record *record = index_find(&commands->world->index, entity);
    command_fold_part(commands, row_of(commands->world, record).archetype, head, number, command_dropped);
    while (head < number) {
        head = command_at(commands, head)->next;
    }
    return head;
}

/* The same for all that is doomed with an entity. */
static void doomed_flush(shoal_commands *commands, const destroy_plan *plan, uint32_t number) {
    for (size_t i = 0; i < plan->count && plan->count > 1; i++) {
        uint32_t *head = command_head_of(commands, plan->doomed[i]);
        bool is_pending = head != NULL && *head != 0 && *head - 1 < number;
        /* The slot may have had another entity, whose commands are of no interest any more. */
        if (is_pending && command_at(commands, *head - 1)->entity.bits == plan->doomed[i].bits) {
            uint32_t next = pending_flush(commands, *head - 1, number, plan->doomed[i]);
            *head = next == COMMAND_NONE ? 0 : next + 1;
        }
    }
    for (uint32_t i = 0; i < commands->spawn_count && plan->count > 1; i++) {
        command_spawn *spawn = command_spawn_at(commands, i);
        const index_record *record = index_find(&commands->world->index, spawn->real);
        bool has_row = record != NULL && !spawn->dead && spawn->head != spawn->command_number;
        if (has_row && (record->place & INDEX_MARK) && spawn->head < number) {
            spawn->head = pending_flush(commands, spawn->head, number, spawn->real);
        }
    }
}

/* The end of an entity whose row is as its commands have left it, by command `number`. */
static shoal_status commit_end(shoal_commands *commands, uint32_t number, shoal_entity entity) {
    shoal_world *world = commands->world;
    row_place place = row_of(world, index_find(&world->index, entity));
    if (destroy_is_simple(world, entity, place.archetype)) {
        row_remove(world, place);
        index_give(&world->index, shoal_entity_index(entity));
        return SHOAL_OK;
    }
    destroy_plan plan;
    shoal_status status = destroy_plan_make(world, &entity, 1, true, &plan, command_apply_call);
    if (status == SHOAL_OK) {
        doomed_flush(commands, &plan, number);
        destroy_commit(world, &plan);
    }
    return status;
}

/* Moves an entity to where the fold that was just made takes it. */
static void commit_fold(shoal_commands *commands, shoal_entity entity, index_record *record) {
    shoal_world *world = commands->world;
    row_place place = row_of(world, record);
    if (!command_fold_changes(&commands->fold)) {
        fold_finish_row(commands, entity);
        fold_notify(commands, NULL, entity);
        return;
    }
    const shoal_transition *edge = command_fold_edge(commands, place.archetype);
    notify_edge_removed(world, edge, entity, place);
    fold_notify_renewed(commands, NOTIFY_REMOVE, place.archetype, entity);
    fold_deliver(commands, edge, &place);
    if (edge->target != place.archetype) {
        row_move(world, place, edge, entity, record);
    }
    fold_finish_row(commands, entity);
    fold_notify(commands, edge, entity);
    if (UNLIKELY(edge->target->hidden & ARCHETYPE_DYING) && !edge->target->has_cleanup) {
        destroy_dead(world, entity); /* its last cleanup component is gone */
    }
}

/* A destroy that ends a segment: what came before it matters only where something of the entity can stay. */
static void commit_destroy(shoal_commands *commands, uint32_t number, shoal_entity entity, index_record *record) {
    if (command_may_outlive_destroy(commands)) {
        commit_fold(commands, entity, record);
    }
    shoal_status status =
        index_find(&commands->world->index, entity) != NULL ? commit_end(commands, number, entity) : SHOAL_OK;
    if (status != SHOAL_OK) {
        command_dropped(commands, number, status);
    }
}

/* A segment of an entity that is alive. The next one begins behind it. */
static void commit_alive(shoal_commands *commands, uint32_t number, shoal_entity entity, index_record *record) {
    row_place place = row_of(commands->world, record);
    uint32_t head = *command_head_of(commands, entity) - 1;
    (void)command_fold_chain(commands, place.archetype, head, command_dropped);
    *command_head_of(commands, entity) = commands->fold.next == COMMAND_NONE ? 0 : commands->fold.next + 1;
    if (commands->fold.destroyed) {
        commit_destroy(commands, number, entity, record);
    } else {
        commit_fold(commands, entity, record);
    }
}

/* Tells of a new entity when all that the spawn gave is there, also outside of its row. */
static void fold_notify_spawn(shoal_commands *commands, const shoal_transition *edge, const command_spawn *spawn) {
    shoal_world *world = commands->world;
    row_place place = row_of(world, index_find(&world->index, spawn->real));
    notify_edge_new(world, edge, spawn->real, place);
    command_loose_spawn_notify(commands, spawn, NOTIFY_ADD);
    fold_notify_given(commands, edge, spawn->real, place);
    command_loose_spawn_notify(commands, spawn, NOTIFY_SET);
}

/* The first segment of a spawn whose slot is taken: its row, or its end when nothing of it can stay. */
static void commit_first(shoal_commands *commands, uint32_t number, command_spawn *spawn) {
    shoal_world *world = commands->world;
    (void)command_fold_chain(commands, world->root, spawn->command_number, command_dropped);
    spawn->head = commands->fold.next;
    if (commands->fold.destroyed && !command_may_outlive_destroy(commands)) {
        spawn->dead = true;
        index_give(&world->index, shoal_entity_index(spawn->real));
        return;
    }
    const shoal_transition *edge = command_fold_edge(commands, world->root);
    fold_deliver(commands, edge, NULL);
    row_commit_enabled(edge->target, spawn->real, index_at(&world->index, shoal_entity_index(spawn->real)));
    fold_finish_row(commands, spawn->real);
    command_loose_spawn(commands, spawn);
    fold_notify_spawn(commands, edge, spawn);
    if (commands->fold.destroyed) {
        shoal_status status = commit_end(commands, number, spawn->real);
        if (status != SHOAL_OK) {
            command_dropped(commands, number, status);
        }
    }
}

/* A later segment of a spawn. */
static void commit_later(shoal_commands *commands, uint32_t number, command_spawn *spawn) {
    index_record *record = index_find(&commands->world->index, spawn->real);
    (void)command_fold_chain(commands, row_of(commands->world, record).archetype, spawn->head, command_dropped);
    spawn->head = commands->fold.next;
    if (commands->fold.destroyed) {
        commit_destroy(commands, number, spawn->real, record);
    } else {
        commit_fold(commands, spawn->real, record);
    }
}

/* What the call of a spawn would return at its turn: a value may be refused, and a relation to its target. */
static shoal_status spawn_check(shoal_commands *commands, const command_spawn *spawn, uint32_t spawn_number) {
    shoal_world *world = commands->world;
    if (command_spawn_is_refused(commands, spawn_number)) {
        return SHOAL_VALUE_REFUSED;
    }
    if (!index_ready(&world->index) && !index_seek(&world->index)) {
        return SHOAL_ENTITY_LIMIT;
    }
    shoal_status status = SHOAL_OK;
    for (uint32_t i = 1; i <= spawn->value_count && status == SHOAL_OK; i++) {
        shoal_command *command = command_at(commands, spawn->command_number + i);
        const component_type *type = component_type_at(command->component);
        if (type->def.storage == SHOAL_STORAGE_RELATION) {
            status = loose_check_link(world, type, index_peek(&world->index),
                                      command_resolved(commands, *command_target(command)), command_apply_call);
            bool is_lost = status == SHOAL_OK && type->def.split && spawn->is_lost;
            status = is_lost ? SHOAL_ENTITY_DEAD : status;
        }
    }
    return status;
}

/* Takes the slot of a spawn, unless the spawn is dropped. */
static void commit_spawn(shoal_commands *commands, uint32_t number, uint32_t spawn_number) {
    entity_index *index = &commands->world->index;
    command_spawn *spawn = command_spawn_at(commands, spawn_number);
    shoal_status status = spawn_check(commands, spawn, spawn_number);
    spawn->head = number;
    if (status != SHOAL_OK) {
        spawn->dead = true;
        command_dropped(commands, number, status);
        return;
    }
    index_record *record;
    spawn->real = index_take(index, &record);
}

/* True when the row of a spawn has been made, and it has not died since. */
static bool spawn_is_alive(const shoal_commands *commands, const command_spawn *spawn) {
    return !spawn->dead && index_find(&commands->world->index, spawn->real) != NULL;
}

/* The loose part of a clear. A name that would be taken among the roots keeps all of it, as a call would refuse it. */
static void commit_clear_loose(shoal_commands *commands, uint32_t number, shoal_entity entity) {
    shoal_world *world = commands->world;
    if (!index_extra(&world->index, shoal_entity_index(entity))) {
        return;
    }
    const component_type *child_of = component_type_at(world->child_of_id);
    shoal_status status =
        store_has(world, child_of, entity) ? loose_check_unlink(world, child_of, entity, command_apply_call) : SHOAL_OK;
    if (status != SHOAL_OK) {
        command_dropped(commands, number, status);
        command_at(commands, number)->kind = COMMAND_NOTHING;
    } else {
        loose_clear(world, entity);
    }
}

/* What a command does at its own place to an entity of archetype `base`, whose segment begins at `head`. */
static void commit_at_once(shoal_commands *commands, uint32_t number, shoal_entity entity, uint32_t head) {
    shoal_world *world = commands->world;
    const shoal_command *command = command_at(commands, number);
    if (command->kind == SHOAL_COMMAND_CLEAR) {
        commit_clear_loose(commands, number, entity);
    } else if (command->kind == COMMAND_REQUIRE && command_is_loose(command)) {
        command_fold_part(commands, row_of(world, index_find(&world->index, entity)).archetype, head, number + 1, NULL);
        command_loose_require(commands, number, entity);
    } else if (command_is_loose(command)) {
        command_loose_commit(commands, number, entity);
    }
}

static void commit_placeholder(shoal_commands *commands, uint32_t number, uint32_t spawn_number) {
    const shoal_command *command = command_at(commands, number);
    command_spawn *spawn = command_spawn_at(commands, spawn_number);
    bool is_first = spawn->head == spawn->command_number;
    if (command->kind == SHOAL_COMMAND_SPAWN) {
        commit_spawn(commands, number, spawn_number);
        is_first = true;
    } else if (spawn->dead || (!is_first && !spawn_is_alive(commands, spawn))) {
        spawn->dead = true;
        command_dropped(commands, number, SHOAL_ENTITY_DEAD);
    }
    if (!spawn->dead && !is_first) {
        commit_at_once(commands, number, spawn->real, spawn->head);
    }
    if (!spawn->dead && command_ends_segment(commands, number) && spawn->head != COMMAND_NONE) {
        if (is_first) {
            commit_first(commands, number, spawn);
        } else {
            commit_later(commands, number, spawn);
        }
    }
}

static void commit_chained(shoal_commands *commands, uint32_t number) {
    const shoal_command *command = command_at(commands, number);
    uint32_t spawn_number;
    if (command_placeholder(commands, command->entity, &spawn_number)) {
        commit_placeholder(commands, number, spawn_number);
        return;
    }
    index_record *record = index_find(&commands->world->index, command->entity);
    if (record == NULL || !(command->flags & COMMAND_LINKED)) {
        /* Not linked: the handle was dead at the start and was guessed right; it stays dead for this buffer. */
        command_dropped(commands, number, SHOAL_ENTITY_DEAD);
        return;
    }
    commit_at_once(commands, number, command->entity, *command_head_of(commands, command->entity) - 1);
    if (command_ends_segment(commands, number)) {
        commit_alive(commands, number, command->entity, index_find(&commands->world->index, command->entity));
    }
}

/* Keeps the handles that placeholders got, for shoal_commands_resolve(). */
static void resolved_keep(shoal_commands *commands) {
    commands->resolved_epoch = commands->epoch;
    commands->resolved_base = commands->base_spawn;
    commands->resolved_count = commands->spawn_count;
    for (uint32_t i = 0; i < commands->spawn_count; i++) {
        const command_spawn *spawn = command_spawn_at(commands, i);
        bool is_alive = spawn_is_alive(commands, spawn);
        ((shoal_entity *)commands->resolved.items)[i] = is_alive ? spawn->real : (shoal_entity){0};
    }
}

static void commit_all(shoal_commands *commands, bool distinct) {
    uint32_t edge_count = commands->world->transitions.count;
    commands->world->is_half_way = true;
    shoal_status refusal = commands->refusal;
    commands->refusal = SHOAL_WORLD_LOCKED; /* callbacks must not touch the buffer */
    for (uint32_t i = 0; i < commands->command_count; i++) {
        if (LIKELY(distinct)) {
            commit_single(commands, i);
        } else {
            commit_chained(commands, i);
        }
    }
    SHOAL_ASSERT(commands->world->transitions.count == edge_count); /* the plan has found them all */
    (void)edge_count;
    if (!distinct) {
        command_heads_clear(commands);
        command_loose_settle(commands);
    }
    command_targets_forget(commands);
    commands->world->is_half_way = false;
    commands->refusal = refusal;
    world_note_retired(commands->world);
    resolved_keep(commands);
    archetype_sweep_idle(commands->world);
    for (uint32_t age = 0; commands->world->move_rows && age < commands->world->archetype_count; age++) {
        row_shuffle_chunks(commands->world, commands->world->by_age[age]);
    }
}

shoal_status shoal_commands_apply(shoal_commands *commands, shoal_commands_result *result) {
    if (commands == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, command_apply_call);
    }
    shoal_world *world = commands->world;
    if (world_is_locked(world)) {
        return world_fail_locked(world, command_apply_call);
    }
    if (commands->is_recorder) {
        return error_detail(&world->error, SHOAL_WORLD_LOCKED, command_apply_call,
                            "run->commands of \"%s\" is applied at the next sync point", commands->name);
    }
    bool distinct;
    transition_bound(world);
    shoal_status status = command_plan_make(commands, &distinct);
    if (status != SHOAL_OK) {
        archetype_sweep_idle(world);
        world_give_back(world);
        return status;
    }
    commands->result = (shoal_commands_result){0};
    const error_record before = world->error; /* dropped commands are told, and are no error of the apply */
    commit_all(commands, distinct);
    world->error = before;
    commands->result.applied = commands->record_count - commands->result.dropped;
    if (result != NULL) {
        *result = commands->result;
    }
    command_reset(commands);
    return SHOAL_OK;
}
