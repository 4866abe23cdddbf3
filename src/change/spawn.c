/*
 * Spawning one entity: at the lowest free slot, or at a chosen one.
 *
 * Budget of shoal_spawn() with plain components: one compare for each key, one copy for each value, a slot from the
 * current word of free bits, about 12 ns with two components in warm memory. Thread rule: world.
 */
#include "change.h"
#include "loose.h"

/* A spawn under way: all that it needs, before its slot is taken. */
typedef struct spawning {
    const shoal_transition *edge;
    const shoal_value *values;
    loose_plan loose;
    void **chunk_values; /* an entry for each added component, or NULL */
} spawning;

static void spawn_release_chunk_values(shoal_world *world, spawning *spawn, bool end_values) {
    for (size_t i = 0; spawn->chunk_values != NULL && i < spawn->edge->add_count; i++) {
        if (spawn->chunk_values[i] != NULL) {
            change_unstage(world, component_type_at(spawn->values[i].component.id), spawn->chunk_values[i], end_values);
        }
    }
    if (spawn->chunk_values != NULL) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, spawn->chunk_values,
                       spawn->edge->add_count * sizeof(void *), 16);
        spawn->chunk_values = NULL;
    }
}

/* Copies of chunk values that the caller gave; they replace those of the chunk when the row is there. */
static shoal_status spawn_stage_chunk_values(shoal_world *world, spawning *spawn, const char *call) {
    const shoal_transition *edge = spawn->edge;
    for (size_t i = 0; edge->target->more->chunk_type_count != 0 && i < edge->add_count; i++) {
        const component_type *type = component_type_at(spawn->values[i].component.id);
        if (type->def.storage != SHOAL_STORAGE_CHUNK || spawn->values[i].data == NULL) {
            continue;
        }
        if (spawn->chunk_values == NULL) {
            spawn->chunk_values =
                memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCRATCH, edge->add_count * sizeof(void *), 16);
        }
        shoal_status status = spawn->chunk_values == NULL
                                  ? world_fail(world, memory_failure(&world->memory), call)
                                  : change_stage(world, type, spawn->values[i].data, &spawn->chunk_values[i], call);
        if (status != SHOAL_OK) {
            spawn_release_chunk_values(world, spawn, true);
            change_unmake_values(world, edge, NULL, spawn->values,
                                 (size_t)edge->add_count + transition_implied_count(edge));
            return status;
        }
    }
    return SHOAL_OK;
}

/* Puts them in place. */
static void spawn_put_chunk_values(shoal_world *world, spawning *spawn, row_place place) {
    for (size_t i = 0; spawn->chunk_values != NULL && i < spawn->edge->add_count; i++) {
        if (spawn->chunk_values[i] != NULL) {
            const component_type *type = component_type_at(spawn->values[i].component.id);
            void *value = notify_value(place, type);
            component_end(&world->memory, type, value, 1);
            component_relocate(type, value, spawn->chunk_values[i], 1);
        }
    }
    spawn_release_chunk_values(world, spawn, false);
}

/* Everything of a spawn that can fail, for the entity that comes next. Afterwards the open row of the edge's target is
   written. `entity` is the handle that it will have. */
static shoal_status spawn_prepare(shoal_world *world, spawning *spawn, shoal_entity entity, const char *call) {
    const shoal_transition *edge = spawn->edge;
    shoal_archetype *target = edge->target;
    shoal_status status = SHOAL_OK;
    if (edge->has_loose) {
        status = loose_prepare(world, entity, edge, spawn->values, &spawn->loose, call);
    }
    status = status == SHOAL_OK ? change_reserve_row(world, target, call) : status;
    status = status == SHOAL_OK ? change_make_values(world, edge, NULL, spawn->values, call) : status;
    if (status == SHOAL_OK) {
        status = spawn_stage_chunk_values(world, spawn, call);
    }
    if (status != SHOAL_OK) {
        loose_release(world, &spawn->loose);
        archetype_settle(world, target);
    }
    return status;
}

/* The slow half of a spawn's preparation: a full chunk, no free slot in a page, values that need care. On success the
   open row of the edge's target is written, and a slot can be taken. */
COLD static shoal_status spawn_prepare_slow(shoal_world *world, spawning *spawn, const char *call) {
    const shoal_transition *edge = spawn->edge;
    if (edge->is_careful) {
        shoal_status refused = change_validate(world, spawn->values, edge->add_count, call);
        if (refused != SHOAL_OK) {
            return refused;
        }
    }
    shoal_status status = index_prepare(&world->index, 1);
    if (status != SHOAL_OK) {
        return world_fail(world, status, call);
    }
    if (edge->is_careful) {
        return spawn_prepare(world, spawn, index_peek(&world->index), call);
    }
    status = change_reserve_row(world, edge->target, call);
    if (status == SHOAL_OK) {
        change_write_plain(edge, edge->target->open, edge->target->open->count, spawn->values, edge->add_count);
    }
    return status;
}

/* Why a spawn cannot begin. */
COLD static shoal_entity spawn_refuse(shoal_world *world, const char *call) {
    if (world != NULL && world_is_locked(world)) {
        world_fail_locked(world, call);
    } else {
        world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    return (shoal_entity){0};
}

/* Takes the slot and commits the row that has been written. */
static ALWAYS_INLINE shoal_entity spawn_commit(shoal_world *world, shoal_archetype *target) {
    index_record *record;
    shoal_entity entity = index_take(&world->index, &record);
    row_commit(target, entity, record);
    return entity;
}

/* The rest of a spawn whose row has been committed: bits, loose components, hooks. */
static void spawn_finish(shoal_world *world, spawning *spawn, shoal_entity entity) {
    const shoal_transition *edge = spawn->edge;
    const index_record *record = index_find(&world->index, entity);
    if (edge->target->more->toggle_count != 0) {
        row_enable_all(edge->target, record);
    }
    spawn_put_chunk_values(world, spawn, row_of(world, record));
    loose_commit(world, entity, &spawn->loose);
    notify_edge_new(world, edge, entity, row_of(world, record));
    loose_notify(world, entity, &spawn->loose, NOTIFY_ADD);
    notify_edge_given(world, edge, spawn->values, entity, row_of(world, record));
    loose_notify(world, entity, &spawn->loose, NOTIFY_SET);
    loose_release(world, &spawn->loose);
}

/* Any spawn. */
static shoal_entity spawn_any(shoal_world *world, const shoal_value *values, size_t value_count, const char *call) {
    transition_keys keys = {.add = values, .add_count = value_count};
    transition_bound(world);
    spawning spawn = {.edge = transition_find(world, world->root, &keys, call), .values = values};
    shoal_entity entity = {0};
    if (spawn.edge != NULL && spawn_prepare_slow(world, &spawn, call) == SHOAL_OK) {
        entity = spawn_commit(world, spawn.edge->target);
        if (spawn.edge->is_careful) {
            spawn_finish(world, &spawn, entity);
        }
        change_torture(world, spawn.edge->target);
    }
    world_note_idle(world);
    return entity;
}

/* A spawn with plain components and one plain link, everything at hand: null when it is not. Budget: about 120
   instructions, 25 ns for a child without components. */
static NOINLINE shoal_entity spawn_linked(shoal_world *world, const shoal_transition *edge, const shoal_value *values,
                                          size_t value_count) {
    const shoal_entity none = {0};
    shoal_archetype *target = edge->target;
    const shoal_value *key = &values[edge->link_key - 1];
    const shoal_link *link = key->data;
    relation_store *store = store_relation(world, key->component.id);
    if (UNLIKELY(link == NULL) || UNLIKELY(store == NULL) || UNLIKELY(target->open == NULL) ||
        UNLIKELY(!index_ready(&world->index)) || UNLIKELY(world->names.count != 0) ||
        UNLIKELY(world->doomed.capacity <= world->cascade_links + 1)) {
        return none;
    }
    const index_record *record = index_find(&world->index, link->target);
    shoal_entity next = index_peek(&world->index);
    relation_list *list = relation_quick_list(store, next, link->target);
    if (UNLIKELY(record == NULL) || UNLIKELY(list == NULL) ||
        UNLIKELY(row_of(world, record).archetype->hidden & ARCHETYPE_DYING)) {
        return none;
    }
    shoal_entity linked_to = link->target;
    change_write_plain(edge, target->open, target->open->count, values, value_count);
    shoal_entity entity = spawn_commit(world, target);
    relation_quick_add(store, list, entity, linked_to);
    world->cascade_links += store->type->def.on_target_destroyed == SHOAL_TARGET_DESTROY;
    index_set_extra(&world->index, shoal_entity_index(entity));
    index_set_extra(&world->index, shoal_entity_index(linked_to));
    return entity;
}

shoal_entity shoal_spawn(shoal_world *world, const shoal_value *values, size_t value_count) {
    static const char call[] = "shoal_spawn";
    if (UNLIKELY(world == NULL) || world_is_locked(world) || UNLIKELY(values == NULL && value_count != 0)) {
        return spawn_refuse(world, call);
    }
    const shoal_transition *edge = world->root->recent;
    transition_keys keys = {.add = values, .add_count = value_count};
    if (UNLIKELY(edge == NULL) || UNLIKELY(!transition_is(edge, &keys)) || UNLIKELY(world->move_rows)) {
        return spawn_any(world, values, value_count, call);
    }
    if (UNLIKELY(!edge->is_plain) || UNLIKELY(edge->target->open == NULL) || UNLIKELY(!index_ready(&world->index))) {
        shoal_entity linked = {0};
        if (edge->link_key != 0) {
            linked = spawn_linked(world, edge, values, value_count);
        }
        return shoal_entity_is_null(linked) ? spawn_any(world, values, value_count, call) : linked;
    }
    shoal_archetype *target = edge->target;
    change_write_plain(edge, target->open, target->open->count, values, value_count);
    return spawn_commit(world, target);
}

/* ---- at a chosen handle ---- */

shoal_entity shoal_entity_make(const shoal_world *world, uint32_t index, uint16_t generation) {
    return world != NULL ? index_handle(&world->index, index, generation) : (shoal_entity){0};
}

static shoal_status chosen_check(shoal_world *world, shoal_entity chosen, const char *call) {
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    shoal_status status = index_why(&world->index, chosen);
    if (status != SHOAL_ENTITY_DEAD) { /* null, a placeholder or foreign */
        return world_fail_entity(world, call, chosen);
    }
    return SHOAL_OK;
}

shoal_status shoal_spawn_at(shoal_world *world, shoal_entity chosen, const shoal_value *values, size_t value_count) {
    static const char call[] = "shoal_spawn_at";
    if (world == NULL || (values == NULL && value_count != 0)) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_status status = chosen_check(world, chosen, call);
    if (status != SHOAL_OK) {
        return status;
    }
    transition_keys keys = {.add = values, .add_count = value_count};
    transition_bound(world);
    spawning spawn = {.edge = transition_find(world, world->root, &keys, call), .values = values};
    if (spawn.edge == NULL) {
        world_note_idle(world);
        return world_error(world)->status;
    }
    status = change_validate(world, values, value_count, call);
    if (status == SHOAL_OK) {
        status = index_prepare_chosen(&world->index, chosen);
        status = status == SHOAL_OK ? SHOAL_OK : error_entity(world_error(world), status, call, chosen);
    }
    status = status == SHOAL_OK ? spawn_prepare(world, &spawn, chosen, call) : status;
    if (status == SHOAL_OK) {
        row_commit(spawn.edge->target, chosen, index_take_chosen(&world->index, chosen));
        spawn_finish(world, &spawn, chosen);
        change_torture(world, spawn.edge->target);
    }
    world_note_idle(world);
    return status;
}

shoal_status shoal_reserve_range(shoal_world *world, uint32_t first_index, uint64_t count) {
    static const char call[] = "shoal_reserve_range";
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    shoal_status status = index_reserve_range(&world->index, first_index, count);
    return status == SHOAL_OK ? SHOAL_OK
                              : error_detail(world_error(world), status, call, "%llu slots from %u on",
                                             (unsigned long long)count, first_index);
}
