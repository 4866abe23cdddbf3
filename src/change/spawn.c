/*
 * Spawning one entity: at the lowest free slot, at a chosen one, as a clone of another.
 *
 * Budget of shoal_spawn() with plain components: one compare for each key, one copy for each value, a slot from the
 * current word of free bits, about 12 ns with two components in warm memory. Thread rule: world.
 */
#include "change.h"

/* The slow half of a spawn's preparation: a full chunk, no free slot in a page, values that need care. On success the
   open row of the edge's target is written, and a slot can be taken. */
COLD static shoal_status spawn_prepare_slow(shoal_world *world, const shoal_transition *edge, const shoal_value *values,
                                            const char *call) {
    shoal_archetype *target = edge->target;
    if (target->careful) {
        shoal_status refused = change_validate(world, values, edge->add_count, call);
        if (refused != SHOAL_OK) {
            return refused;
        }
    }
    shoal_status status = index_prepare(&world->index, 1);
    if (status != SHOAL_OK) {
        return world_fail(world, status, call);
    }
    status = change_reserve_row(world, target, call);
    if (status != SHOAL_OK) {
        return status;
    }
    if (!target->careful) {
        change_write_plain(edge, target->open, target->open->count, values, edge->add_count);
        return SHOAL_OK;
    }
    status = change_make_values(world, edge, NULL, values, call);
    if (status != SHOAL_OK) {
        archetype_settle(world, target);
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

/* Any spawn. */
static shoal_entity spawn_any(shoal_world *world, const shoal_value *values, size_t value_count, const char *call) {
    transition_keys keys = {.add = values, .add_count = value_count};
    transition_bound(world);
    const shoal_transition *edge = transition_find(world, world->root, &keys, call);
    if (edge == NULL || spawn_prepare_slow(world, edge, values, call) != SHOAL_OK) {
        return (shoal_entity){0};
    }
    shoal_entity entity = spawn_commit(world, edge->target);
    change_torture(world, edge->target);
    return entity;
}

shoal_entity shoal_spawn(shoal_world *world, const shoal_value *values, size_t value_count) {
    static const char call[] = "shoal_spawn";
    if (UNLIKELY(world == NULL) || world_is_locked(world) || UNLIKELY(values == NULL && value_count != 0)) {
        return spawn_refuse(world, call);
    }
    const shoal_transition *edge = world->root->recent;
    transition_keys keys = {.add = values, .add_count = value_count};
    if (UNLIKELY(edge == NULL) || UNLIKELY(!transition_is(edge, &keys)) || UNLIKELY(!edge->is_plain) ||
        UNLIKELY(edge->target->open == NULL) || UNLIKELY(!index_ready(&world->index)) || UNLIKELY(world->move_rows)) {
        return spawn_any(world, values, value_count, call);
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
    const shoal_transition *edge = transition_find(world, world->root, &keys, call);
    if (edge == NULL) {
        return world->error.status;
    }
    shoal_archetype *target = edge->target;
    status = change_validate(world, values, value_count, call);
    if (status != SHOAL_OK) {
        return status;
    }
    status = index_prepare_chosen(&world->index, chosen);
    if (status != SHOAL_OK) {
        return error_entity(&world->error, status, call, chosen);
    }
    status = change_reserve_row(world, target, call);
    status = status == SHOAL_OK ? change_make_values(world, edge, NULL, values, call) : status;
    if (status != SHOAL_OK) {
        archetype_settle(world, target);
        return status;
    }
    row_commit(target, chosen, index_take_chosen(&world->index, chosen));
    change_torture(world, target);
    return SHOAL_OK;
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
                              : error_detail(&world->error, status, call, "%llu slots from %u on",
                                             (unsigned long long)count, first_index);
}

/* ---- a copy of another ---- */

/* Makes copies of all values of a row in the open row of the same archetype; none when a copy hook fails. */
static shoal_status clone_values(shoal_world *world, row_place from, const char *call) {
    shoal_archetype *archetype = from.archetype;
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        const component_type *type = archetype->columns[c].type;
        char *source = archetype_value(archetype, from.chunk, c, from.row);
        if (component_make_copy(type, row_open_value(archetype, c), source, 1)) {
            continue;
        }
        while (c-- > 0) {
            component_end(archetype->columns[c].type, row_open_value(archetype, c), 1);
        }
        return world_fail_component(world, SHOAL_HOOK_FAILED, call, (shoal_entity){0}, (shoal_component){type->id});
    }
    return SHOAL_OK;
}

shoal_entity shoal_clone(shoal_world *world, shoal_entity source) {
    static const char call[] = "shoal_clone";
    const shoal_entity none = {0};
    if (world == NULL || world_is_locked(world)) {
        return spawn_refuse(world, call);
    }
    const index_record *found = index_find(&world->index, source);
    if (found == NULL) {
        world_fail_entity(world, call, source);
        return none;
    }
    shoal_archetype *archetype = row_of(world, found).archetype;
    shoal_status status = index_prepare(&world->index, 1);
    if (status != SHOAL_OK) {
        world_fail(world, status, call);
        return none;
    }
    if (change_reserve_row(world, archetype, call) != SHOAL_OK) {
        return none;
    }
    /* Making room may have moved the source's row. */
    if (clone_values(world, row_of(world, found), call) != SHOAL_OK) {
        archetype_settle(world, archetype);
        return none;
    }
    index_record *record;
    shoal_entity entity = index_take(&world->index, &record);
    row_commit(archetype, entity, record);
    change_torture(world, archetype);
    return entity;
}
