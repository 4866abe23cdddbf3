/*
 * Changing one entity: add, remove, set, clear, several at once. One function does them all (change_found); the
 * public ones give it keys. Thread rule: world.
 */
#include "destroy.h"
#include "loose.h"

/* ---- changes that need care ---- */

/* Copies of values that replace ones the entity has, made before anything changes. */
typedef struct staged_values {
    void **blocks; /* an entry for each added component; NULL where nothing is replaced */
    size_t count;
} staged_values;

static void stage_release(shoal_world *world, staged_values *staged, const shoal_value *values, bool end_values) {
    for (size_t i = 0; staged->blocks != NULL && i < staged->count; i++) {
        if (staged->blocks[i] != NULL) {
            change_unstage(world, component_type_at(values[i].component.id), staged->blocks[i], end_values);
        }
    }
    if (staged->blocks != NULL) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, staged->blocks, staged->count * sizeof(void *), 16);
    }
}

/* True for a value that replaces one that the entity has, or that its chunk will have. */
static bool value_replaces(const shoal_archetype *source, const shoal_transition *edge, const shoal_value *values,
                           size_t i) {
    if (values[i].data == NULL) {
        return false;
    }
    if (transition_columns(edge)[i] != ARCHETYPE_NONE) {
        return archetype_find(source, values[i].component.id) != ARCHETYPE_NONE;
    }
    return component_type_at(values[i].component.id)->def.storage == SHOAL_STORAGE_CHUNK;
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
        shoal_status status = staged->blocks == NULL ? world_fail(world, memory_failure(&world->memory), call)
                                                     : change_stage(world, component_type_at(values[i].component.id),
                                                                    values[i].data, &staged->blocks[i], call);
        if (status != SHOAL_OK) {
            stage_release(world, staged, values, true);
            return status;
        }
    }
    return SHOAL_OK;
}

/* Puts the staged copies in place of the old values, at the row where the entity is now. */
static void stage_apply(shoal_world *world, const index_record *record, const shoal_value *values,
                        staged_values *staged) {
    row_place place = row_of(world, record);
    for (size_t i = 0; staged->blocks != NULL && i < staged->count; i++) {
        if (staged->blocks[i] != NULL) {
            const component_type *type = component_type_at(values[i].component.id);
            void *value = notify_value(place, type);
            component_end(&world->memory, type, value, 1);
            component_relocate(type, value, staged->blocks[i], 1);
        }
    }
    stage_release(world, staged, values, false);
}

/* Everything of a change that can fail. */
static shoal_status careful_prepare(shoal_world *world, shoal_entity entity, const shoal_transition *edge,
                                    const shoal_value *values, staged_values *staged, loose_plan *loose,
                                    const char *call) {
    const shoal_archetype *source = edge->source;
    shoal_status status = change_validate(world, values, edge->add_count, call);
    status = status == SHOAL_OK ? stage_replaced(world, source, edge, values, staged, call) : status;
    if (status != SHOAL_OK) {
        return status;
    }
    if (edge->has_loose) {
        status = loose_prepare(world, entity, edge, values, loose, call);
    }
    if (status == SHOAL_OK && edge->target != source) {
        status = change_reserve_row(world, edge->target, call);
        status = status == SHOAL_OK ? change_make_values(world, edge, source, values, call) : status;
        if (status != SHOAL_OK) {
            archetype_settle(world, edge->target);
            loose_release(world, loose);
        }
    }
    if (status != SHOAL_OK) {
        stage_release(world, staged, values, true);
    }
    return status;
}

COLD static shoal_status change_careful(shoal_world *world, shoal_entity entity, index_record *record,
                                        const shoal_transition *edge, const shoal_value *values, const char *call) {
    staged_values staged = {0};
    loose_plan loose = {0};
    if ((edge->source->hidden & ARCHETYPE_DYING) && edge->add_count != 0) {
        return error_entity(world_error(world), SHOAL_ENTITY_DYING, call, entity);
    }
    shoal_status status = careful_prepare(world, entity, edge, values, &staged, &loose, call);
    if (status != SHOAL_OK) {
        return status;
    }
    notify_edge_removed(world, edge, entity, row_of(world, record));
    if (edge->target != edge->source) {
        row_move(world, row_of(world, record), edge, entity, record);
    }
    stage_apply(world, record, values, &staged);
    loose_commit(world, entity, &loose);
    notify_edge_new(world, edge, entity, row_of(world, record));
    loose_notify(world, entity, &loose, NOTIFY_ADD);
    notify_edge_given(world, edge, values, entity, row_of(world, record));
    loose_notify(world, entity, &loose, NOTIFY_SET);
    loose_release(world, &loose);
    if (UNLIKELY(edge->target->hidden & ARCHETYPE_DYING) && !edge->target->has_cleanup) {
        destroy_dead(world, entity); /* the last cleanup component is gone */
    }
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
        uint32_t column = transition_columns(edge)[i];
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
        archetype_sweep_idle(world);
        return world_error(world)->status;
    }
    bool careful = edge->is_careful || replaces_several(source, edge, keys->add);
    shoal_status status = careful ? change_careful(world, entity, record, edge, keys->add, call)
                                  : change_plain(world, entity, record, edge, keys->add, call);
    change_torture(world, source);
    change_torture(world, edge->target);
    archetype_sweep_idle(world);
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
    if (add_count == 1 && transition_columns(edge)[0] != ARCHETYPE_NONE) {
        uint32_t column = transition_columns(edge)[0];
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

/* Any add and any removal. */
COLD static shoal_status add_any(shoal_world *world, shoal_entity entity, shoal_component component, const void *data) {
    static const char call[] = "shoal_add";
    index_record *record = NULL;
    shoal_status status = change_enter(world, entity, &record, call);
    shoal_value value = {.component = component, .data = data};
    transition_keys keys = {.add = &value, .add_count = 1};
    return status == SHOAL_OK ? change_found(world, entity, record, &keys, call) : status;
}

COLD static shoal_status remove_any(shoal_world *world, shoal_entity entity, shoal_component component) {
    static const char call[] = "shoal_remove";
    index_record *record = NULL;
    shoal_status status = change_enter(world, entity, &record, call);
    transition_keys keys = {.remove = &component, .remove_count = 1};
    return status == SHOAL_OK ? change_found(world, entity, record, &keys, call) : status;
}

/* A sparse component whose values are bytes and need no care, everything at hand; called last, so that neither this nor
   its caller saves registers for the slow way. Budget: about 50 instructions, 4 ns, in the cache. */
static NOINLINE shoal_status sparse_quick_add(shoal_world *world, shoal_entity entity, shoal_component component,
                                              const void *data, sparse_set *set) {
    const index_record *record = index_find(&world->index, entity);
    if (world_is_locked(world) || UNLIKELY(record == NULL) || UNLIKELY(!sparse_ready(set, entity)) ||
        (UNLIKELY(world->special_archetypes != 0) && (row_of(world, record).archetype->hidden & ARCHETYPE_DYING)) ||
        UNLIKELY(sparse_number(set, entity) != UINT32_MAX)) {
        return add_any(world, entity, component, data);
    }
    if (LIKELY(set->value_bytes != 0)) {
        write_value(sparse_next_value(set), data, set->value_bytes);
    }
    (void)sparse_push(set, entity);
    index_set_extra(&world->index, shoal_entity_index(entity));
    return SHOAL_OK;
}

static NOINLINE shoal_status sparse_quick_remove(shoal_world *world, shoal_entity entity, shoal_component component,
                                                 sparse_set *set) {
    uint32_t number = sparse_number(set, entity); /* one that is there is of an entity that is alive */
    bool is_sound = !world_is_locked(world) && (LIKELY(number != UINT32_MAX) || index_find(&world->index, entity));
    if (UNLIKELY(!is_sound)) {
        return remove_any(world, entity, component);
    }
    if (LIKELY(number != UINT32_MAX)) {
        sparse_remove_entity(set, entity, number);
    }
    return SHOAL_OK;
}

/* The set of a component that the two above are for; else NULL. */
static ALWAYS_INLINE sparse_set *quick_sparse_of(const shoal_world *world, shoal_component component) {
    return LIKELY(world != NULL) && component.id < world->store_capacity ? world->quick_sparse[component.id] : NULL;
}

shoal_status shoal_add(shoal_world *world, shoal_entity entity, shoal_component component, const void *data) {
    index_record *record;
    sparse_set *set = quick_sparse_of(world, component);
    if (set != NULL) {
        return sparse_quick_add(world, entity, component, data, set);
    }
    shoal_status status = change_enter(world, entity, &record, "shoal_add");
    if (UNLIKELY(status != SHOAL_OK)) {
        return status;
    }
    return LIKELY(change_quick(world, entity, record, component, data, 1)) ? SHOAL_OK
                                                                           : add_any(world, entity, component, data);
}

shoal_status shoal_remove(shoal_world *world, shoal_entity entity, shoal_component component) {
    index_record *record;
    sparse_set *set = quick_sparse_of(world, component);
    if (set != NULL) {
        return sparse_quick_remove(world, entity, component, set);
    }
    shoal_status status = change_enter(world, entity, &record, "shoal_remove");
    if (UNLIKELY(status != SHOAL_OK)) {
        return status;
    }
    return LIKELY(change_quick(world, entity, record, component, NULL, 0)) ? SHOAL_OK
                                                                           : remove_any(world, entity, component);
}

shoal_status shoal_change_entity(shoal_world *world, shoal_entity entity, const shoal_change *change) {
    static const char call[] = "shoal_change_entity";
    index_record *record;
    transition_keys keys = {0};
    shoal_status status = change_enter(world, entity, &record, call);
    status = status == SHOAL_OK ? change_keys(world, change, &keys, call) : status;
    return status == SHOAL_OK ? change_found(world, entity, record, &keys, call) : status;
}

/* Takes the cleanup components of a dying entity, which ends it. */
static shoal_status change_clear_dying(shoal_world *world, shoal_entity entity, index_record *record,
                                       const char *call) {
    const shoal_archetype *source = row_of(world, record).archetype;
    size_t bytes = source->component_count * sizeof(shoal_component);
    shoal_component *removed = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, bytes, 16);
    if (removed == NULL) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    size_t count = 0;
    for (uint32_t i = 0; i < source->component_count; i++) {
        if (source->ids[i] != world->dying_id) {
            removed[count++].id = source->ids[i];
        }
    }
    transition_keys keys = {.remove = removed, .remove_count = count};
    shoal_status status = change_found(world, entity, record, &keys, call);
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, removed, bytes, 16);
    return status;
}

shoal_status shoal_clear(shoal_world *world, shoal_entity entity) {
    static const char call[] = "shoal_clear";
    index_record *record;
    shoal_status status = change_enter(world, entity, &record, call);
    if (status != SHOAL_OK) {
        return status;
    }
    const shoal_archetype *source = row_of(world, record).archetype;
    if (source->hidden & ARCHETYPE_DYING) {
        return change_clear_dying(world, entity, record, call);
    }
    status = loose_check_unlink(world, component_type_at(world->child_of_id), entity, call);
    if (status != SHOAL_OK) {
        return status;
    }
    /* shoal_component is a struct of one uint32_t. */
    transition_keys keys = {.remove = (const shoal_component *)(const void *)source->ids,
                            .remove_count = source->component_count};
    status = change_found(world, entity, record, &keys, call);
    if (status == SHOAL_OK && index_extra(&world->index, shoal_entity_index(entity))) {
        loose_clear(world, entity);
    }
    return status;
}

/* ---- replacing one value ---- */

/* Replaces the data of a link that the entity has. */
static shoal_status set_link(shoal_world *world, shoal_entity entity, const component_type *type,
                             const shoal_link *link, const char *call) {
    const shoal_component component = {type->id};
    const relation_store *store = store_relation(world, type->id);
    relation_link *found =
        store != NULL && !shoal_entity_is_null(link->target) ? relation_find(store, entity, link->target) : NULL;
    if (found == NULL || type->def.size == 0 || link->data == NULL) {
        shoal_status status = found == NULL         ? SHOAL_RELATION_MISSING
                              : type->def.size == 0 ? SHOAL_TERM_WITHOUT_DATA
                                                    : SHOAL_INVALID_ARGUMENT;
        return world_fail_component(world, status, call, entity, component);
    }
    shoal_value given = {.component = component, .data = link};
    shoal_status status = change_validate(world, &given, 1, call);
    void *data = relation_link_data(store, found);
    status = status == SHOAL_OK ? change_replace(world, type, data, link->data, call) : status;
    if (status == SHOAL_OK) {
        notify(world, type, NOTIFY_SET, entity, link->target, data);
    }
    return status;
}

/* The value at an entity that shoal_set() replaces, with its type; NULL and why there is none. Shared values and
   relations are changed otherwise. */
static void *set_place(const shoal_world *world, shoal_entity entity, row_place place, const component_type *type,
                       shoal_status *why) {
    uint32_t number = archetype_find(place.archetype, type->id);
    *why = type->def.storage == SHOAL_STORAGE_UNIQUE ? SHOAL_COMPONENT_KIND : SHOAL_COMPONENT_MISSING;
    if (type->def.storage == SHOAL_STORAGE_SPARSE) {
        const sparse_set *set = store_sparse(world, type->id);
        uint32_t at = set != NULL ? sparse_number(set, entity) : UINT32_MAX;
        *why = at != UINT32_MAX ? SHOAL_TERM_WITHOUT_DATA : *why;
        return at != UINT32_MAX && type->def.size != 0 ? sparse_value(set, at) : NULL;
    }
    if (number == ARCHETYPE_NONE) {
        return NULL;
    }
    *why = SHOAL_TERM_WITHOUT_DATA;
    return notify_value(place, type);
}

/* Another shared value is another archetype, so this is a structural change. */
static shoal_status set_shared(shoal_world *world, shoal_entity entity, index_record *record, shoal_value value,
                               const char *call) {
    const transition_keys keys = {.add = &value, .add_count = 1};
    if (archetype_find(row_of(world, record).archetype, value.component.id) == ARCHETYPE_NONE) {
        return world_fail_component(world, SHOAL_COMPONENT_MISSING, call, entity, value.component);
    }
    return world_is_locked(world) ? world_fail_locked(world, call) : change_found(world, entity, record, &keys, call);
}

COLD static shoal_status set_any(shoal_world *world, shoal_entity entity, index_record *record,
                                 shoal_component component, const void *data, const char *call) {
    row_place place = row_of(world, record);
    const component_type *type = component_type_find(component.id);
    if (type == NULL) {
        return world_fail_component(world, SHOAL_COMPONENT_INVALID, call, entity, component);
    }
    shoal_storage storage = type->def.storage;
    if (storage == SHOAL_STORAGE_SHARED) {
        return set_shared(world, entity, record, (shoal_value){component, data}, call);
    }
    if (storage == SHOAL_STORAGE_RELATION) {
        return set_link(world, entity, type, data, call);
    }
    shoal_status why = SHOAL_OK;
    void *value = set_place(world, entity, place, type, &why);
    if (value == NULL) {
        return world_fail_component(world, why, call, entity, component);
    }
    shoal_value given = {.component = component, .data = data};
    shoal_status status = change_validate(world, &given, 1, call);
    status = status == SHOAL_OK ? change_replace(world, type, value, data, call) : status;
    if (status == SHOAL_OK) {
        notify(world, type, NOTIFY_SET, entity, (shoal_entity){0}, value);
    }
    return status;
}

shoal_status shoal_set(shoal_world *world, shoal_entity entity, shoal_component component, const void *data) {
    static const char call[] = "shoal_set";
    if (UNLIKELY(world == NULL) || UNLIKELY(data == NULL)) {
        return world != NULL ? world_fail_component(world, SHOAL_INVALID_ARGUMENT, call, entity, component)
                             : world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_shared(world)) {
        return world_fail_shared(world, call);
    }
    index_record *record = index_find(&world->index, entity);
    if (UNLIKELY(record == NULL)) {
        return world_fail_entity(world, call, entity);
    }
    row_place place = row_of(world, record);
    uint32_t column = archetype_find(place.archetype, component.id);
    if (UNLIKELY(column >= place.archetype->column_count) || UNLIKELY(place.archetype->careful)) {
        return set_any(world, entity, record, component, data, call);
    }
    char *value = archetype_value(place.archetype, place.chunk, column, place.row);
    if (LIKELY(data != value)) {
        copy_value(value, data, place.archetype->columns[column].byte_size);
    }
    return SHOAL_OK;
}
