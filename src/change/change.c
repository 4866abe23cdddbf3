/*
 * Changing one entity: add, remove, set, clear, several at once. One function does them all (change_found); the
 * public ones give it keys. Thread rule: world.
 */
#include "change.h"

/* ---- careful archetypes: values that can fail ---- */

/* Copies of values that replace ones the entity has, made before anything changes. */
typedef struct staged_values {
    void **blocks; /* an entry for each added component; NULL where nothing is replaced */
    size_t count;
} staged_values;

static void stage_release(shoal_world *world, staged_values *staged, const shoal_value *values, bool end_values) {
    for (size_t i = 0; staged->blocks != NULL && i < staged->count; i++) {
        if (staged->blocks[i] != NULL) {
            const component_type *type = component_type_at(values[i].component.id);
            if (end_values) {
                component_end(type, staged->blocks[i], 1);
            }
            memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, staged->blocks[i], type->def.size,
                           type->def.alignment);
        }
    }
    if (staged->blocks != NULL) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, staged->blocks, staged->count * sizeof(void *), 16);
    }
}

/* True for a value that replaces one that the entity has. */
static bool value_replaces(const shoal_archetype *source, const shoal_transition *edge, const shoal_value *values,
                           size_t i) {
    return values[i].data != NULL && edge->columns[i] != ARCHETYPE_NONE &&
           archetype_find(source, values[i].component.id) != ARCHETYPE_NONE;
}

static shoal_status stage_value(shoal_world *world, const shoal_value *value, void **block, const char *call) {
    const component_type *type = component_type_at(value->component.id);
    *block = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, type->def.size, type->def.alignment);
    if (*block == NULL) {
        return world_fail(world, world->memory.failure, call);
    }
    if (!component_make_copy(type, *block, value->data, 1)) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, *block, type->def.size, type->def.alignment);
        *block = NULL;
        return world_fail_component(world, SHOAL_HOOK_FAILED, call, (shoal_entity){0}, value->component);
    }
    return SHOAL_OK;
}

static shoal_status stage_replaced(shoal_world *world, const shoal_archetype *source, const shoal_transition *edge,
                                   const shoal_value *values, staged_values *staged, const char *call) {
    for (size_t i = 0; i < edge->add_count; i++) {
        if (!value_replaces(source, edge, values, i)) {
            continue;
        }
        if (staged->blocks == NULL) {
            staged->count = edge->add_count;
            staged->blocks =
                memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCRATCH, staged->count * sizeof(void *), 16);
        }
        shoal_status status = staged->blocks == NULL ? world_fail(world, world->memory.failure, call)
                                                     : stage_value(world, &values[i], &staged->blocks[i], call);
        if (status != SHOAL_OK) {
            stage_release(world, staged, values, true);
            return status;
        }
    }
    return SHOAL_OK;
}

/* Puts the staged copies in place of the old values, at the row where the entity is now. */
static void stage_apply(shoal_world *world, const index_record *record, const shoal_transition *edge,
                        const shoal_value *values, staged_values *staged) {
    row_place place = row_of(world, record);
    for (size_t i = 0; staged->blocks != NULL && i < staged->count; i++) {
        if (staged->blocks[i] != NULL) {
            const component_type *type = component_type_at(values[i].component.id);
            char *value = archetype_value(place.archetype, place.chunk, edge->columns[i], place.row);
            component_end(type, value, 1);
            component_relocate(type, value, staged->blocks[i], 1);
        }
    }
    stage_release(world, staged, values, false);
}

COLD static shoal_status change_careful(shoal_world *world, shoal_entity entity, index_record *record,
                                        const shoal_transition *edge, const shoal_value *values, const char *call) {
    shoal_archetype *source = row_of(world, record).archetype;
    shoal_archetype *target = edge->target;
    staged_values staged = {0};
    shoal_status status = change_validate(world, values, edge->add_count, call);
    status = status == SHOAL_OK ? stage_replaced(world, source, edge, values, &staged, call) : status;
    if (status != SHOAL_OK) {
        return status;
    }
    if (target != source) {
        status = change_reserve_row(world, target, call);
        status = status == SHOAL_OK ? change_make_values(world, edge, source, values, call) : status;
        if (status != SHOAL_OK) {
            archetype_settle(world, target);
            stage_release(world, &staged, values, true);
            return status;
        }
        row_move(world, row_of(world, record), edge, entity, record);
    }
    stage_apply(world, record, edge, values, &staged);
    return SHOAL_OK;
}

/* ---- plain archetypes ---- */

/* Replaces values of an entity where it is. */
static void replace_plain(const row_place place, const shoal_transition *edge, const shoal_value *values) {
    for (size_t i = 0; i < edge->add_count; i++) {
        uint32_t column = archetype_find(place.archetype, values[i].component.id);
        if (column < place.archetype->column_count && values[i].data != NULL) {
            void *value = archetype_value(place.archetype, place.chunk, column, place.row);
            if (value != values[i].data) {
                copy_value(value, values[i].data, place.archetype->columns[column].byte_size);
            }
        }
    }
}

/* Writes the added values before the move, so that they may point into the row itself: new components into the open row
   of the target first, then the replaced one in place, where the move finds it. */
static void write_added(row_place place, const shoal_transition *edge, const shoal_value *values) {
    const shoal_archetype *source = place.archetype;
    for (size_t i = 0; i < edge->add_count; i++) {
        uint32_t column = edge->columns[i];
        if (column != ARCHETYPE_NONE && archetype_find(source, values[i].component.id) == ARCHETYPE_NONE) {
            write_value(row_open_value(edge->target, column), values[i].data, edge->target->columns[column].byte_size);
        }
    }
    replace_plain(place, edge, values);
}

/* More than one value is replaced, so one may be given from another: they must be staged. */
static bool replaces_several(const shoal_archetype *source, const shoal_transition *edge, const shoal_value *values) {
    size_t count = 0;
    for (size_t i = 0; i < edge->add_count; i++) {
        count += value_replaces(source, edge, values, i);
    }
    return count > 1;
}

static shoal_status change_plain(shoal_world *world, shoal_entity entity, index_record *record,
                                 const shoal_transition *edge, const shoal_value *values, const char *call) {
    row_place place = row_of(world, record);
    if (edge->target == place.archetype) {
        replace_plain(place, edge, values);
        return SHOAL_OK;
    }
    shoal_status status = change_reserve_row(world, edge->target, call);
    if (status != SHOAL_OK) {
        return status;
    }
    /* Making room may have merged chunks, but never those of another archetype: `place` still holds. */
    write_added(place, edge, values);
    row_move(world, place, edge, entity, record);
    return SHOAL_OK;
}

/* Any change, any archetype. */
static shoal_status change_found(shoal_world *world, shoal_entity entity, index_record *record,
                                 const transition_keys *keys, const char *call) {
    shoal_archetype *source = row_of(world, record).archetype;
    transition_bound(world);
    const shoal_transition *edge = transition_find(world, source, keys, call);
    if (edge == NULL) {
        return world->error.status;
    }
    bool careful = source->careful || edge->target->careful || replaces_several(source, edge, keys->add);
    shoal_status status = careful ? change_careful(world, entity, record, edge, keys->add, call)
                                  : change_plain(world, entity, record, edge, keys->add, call);
    change_torture(world, source);
    change_torture(world, edge->target);
    return status;
}

/* One component added or removed, the edge at hand and plain, room in the target: true when it is done.
   Budget: about 200 instructions, 15 ns, beside two small components. */
static ALWAYS_INLINE bool change_quick(shoal_world *world, shoal_entity entity, index_record *record,
                                       shoal_component component, const void *data, uint16_t add_count) {
    row_place place = row_of(world, record);
    const shoal_transition *edge = transition_recent_single(place.archetype, component.id, add_count);
    if (UNLIKELY(edge == NULL) || UNLIKELY(!edge->is_plain) || UNLIKELY(edge->target->open == NULL) ||
        UNLIKELY(world->move_rows)) {
        return false;
    }
    if (add_count == 1 && edge->columns[0] != ARCHETYPE_NONE) {
        uint32_t column = edge->columns[0];
        write_value(row_open_value(edge->target, column), data, edge->target->columns[column].byte_size);
    }
    row_move_plain(world, place, edge, entity, record);
    return true;
}

/* ---- the public functions ---- */

/* The checks that all of them make: the world, its lock, the handle. */
static ALWAYS_INLINE shoal_status change_enter(shoal_world *world, shoal_entity entity, index_record **record,
                                               const char *call) {
    if (UNLIKELY(world == NULL)) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    *record = index_find(&world->index, entity);
    return LIKELY(*record != NULL) ? SHOAL_OK : world_fail_entity(world, call, entity);
}

shoal_status shoal_add(shoal_world *world, shoal_entity entity, shoal_component component, const void *data) {
    static const char call[] = "shoal_add";
    index_record *record;
    shoal_status status = change_enter(world, entity, &record, call);
    if (UNLIKELY(status != SHOAL_OK)) {
        return status;
    }
    if (LIKELY(change_quick(world, entity, record, component, data, 1))) {
        return SHOAL_OK;
    }
    shoal_value value = {.component = component, .data = data};
    transition_keys keys = {.add = &value, .add_count = 1};
    return change_found(world, entity, record, &keys, call);
}

shoal_status shoal_remove(shoal_world *world, shoal_entity entity, shoal_component component) {
    static const char call[] = "shoal_remove";
    index_record *record;
    shoal_status status = change_enter(world, entity, &record, call);
    if (UNLIKELY(status != SHOAL_OK)) {
        return status;
    }
    if (LIKELY(change_quick(world, entity, record, component, NULL, 0))) {
        return SHOAL_OK;
    }
    transition_keys keys = {.remove = &component, .remove_count = 1};
    return change_found(world, entity, record, &keys, call);
}

shoal_status shoal_change_entity(shoal_world *world, shoal_entity entity, const shoal_change *change) {
    static const char call[] = "shoal_change_entity";
    index_record *record;
    transition_keys keys;
    shoal_status status = change_enter(world, entity, &record, call);
    status = status == SHOAL_OK ? change_keys(world, change, &keys, call) : status;
    return status == SHOAL_OK ? change_found(world, entity, record, &keys, call) : status;
}

shoal_status shoal_clear(shoal_world *world, shoal_entity entity) {
    static const char call[] = "shoal_clear";
    index_record *record;
    shoal_status status = change_enter(world, entity, &record, call);
    if (status != SHOAL_OK) {
        return status;
    }
    const shoal_archetype *source = row_of(world, record).archetype;
    /* shoal_component is a struct of one uint32_t. */
    transition_keys keys = {.remove = (const shoal_component *)(const void *)source->ids,
                            .remove_count = source->component_count};
    return change_found(world, entity, record, &keys, call);
}

shoal_status shoal_set(shoal_world *world, shoal_entity entity, shoal_component component, const void *data) {
    static const char call[] = "shoal_set";
    if (UNLIKELY(world == NULL) || UNLIKELY(data == NULL)) {
        return world != NULL ? world_fail_component(world, SHOAL_INVALID_ARGUMENT, call, entity, component)
                             : world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    const index_record *record = index_find(&world->index, entity);
    if (UNLIKELY(record == NULL)) {
        return world_fail_entity(world, call, entity);
    }
    row_place place = row_of(world, record);
    uint32_t column = archetype_find(place.archetype, component.id);
    if (UNLIKELY(column >= place.archetype->column_count)) {
        return world_fail_component(world, value_missing(place.archetype, column, component), call, entity, component);
    }
    char *value = archetype_value(place.archetype, place.chunk, column, place.row);
    if (LIKELY(!place.archetype->careful)) {
        if (LIKELY(data != value)) {
            copy_value(value, data, place.archetype->columns[column].byte_size);
        }
        return SHOAL_OK;
    }
    shoal_value given = {.component = component, .data = data};
    shoal_status status = change_validate(world, &given, 1, call);
    return status == SHOAL_OK ? change_replace(world, &place.archetype->columns[column], value, data, call) : status;
}
