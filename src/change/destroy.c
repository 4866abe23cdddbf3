/*
 * Destroying: one entity, a list, all of a query. Thread rule: world.
 */
#include "../query/query.h"
#include "change.h"

static ALWAYS_INLINE void destroy_found(shoal_world *world, shoal_entity entity, const index_record *record) {
    row_place place = row_of(world, record);
    row_remove(world, place);
    index_give(&world->index, shoal_entity_index(entity));
    change_torture(world, place.archetype);
}

shoal_status shoal_destroy(shoal_world *world, shoal_entity entity) {
    static const char call[] = "shoal_destroy";
    if (UNLIKELY(world == NULL)) {
        return SHOAL_INVALID_ARGUMENT;
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    const index_record *record = index_find(&world->index, entity);
    if (UNLIKELY(record == NULL)) {
        return world_fail_entity(world, call, entity);
    }
    destroy_found(world, entity, record);
    return SHOAL_OK;
}

shoal_status shoal_destroy_many(shoal_world *world, const shoal_entity *entities, size_t count) {
    static const char call[] = "shoal_destroy_many";
    if (world == NULL || (entities == NULL && count != 0)) {
        return world != NULL ? world_fail(world, SHOAL_INVALID_ARGUMENT, call) : SHOAL_INVALID_ARGUMENT;
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    for (size_t i = 0; i < count; i++) {
        if (index_find(&world->index, entities[i]) == NULL) {
            return world_fail_entity(world, call, entities[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const index_record *record = index_find(&world->index, entities[i]);
        if (record != NULL) { /* else it was named twice */
            destroy_found(world, entities[i], record);
        }
    }
    return SHOAL_OK;
}

shoal_status shoal_query_destroy_entities(shoal_query *query) {
    if (query == NULL) {
        return SHOAL_INVALID_ARGUMENT;
    }
    shoal_world *world = query_of(query)->world;
    if (world_is_locked(world)) {
        return world_fail_locked(world, "shoal_query_destroy_entities");
    }
    for (size_t i = 0; i < query_of(query)->match_count; i++) {
        row_remove_all(world, query_match_at(query_of(query), i)->archetype);
    }
    return SHOAL_OK;
}
