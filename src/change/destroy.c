/*
 * Destroying: one entity, a list, all of a query. Thread rule: world.
 */
#include "../query/query.h"
#include "change.h"

#define AHEAD_COLUMNS 6 /* of wide rows only the first columns are worth fetching */

/* Fetches the lines of a row that is about to be overwritten. They would be waited for one after the other when the
   stores to them retire; fetched here, they come together. */
static ALWAYS_INLINE void fetch_place(row_place place) {
    const shoal_archetype *archetype = place.archetype;
    const uint32_t *offsets = archetype_layout(archetype, place.chunk);
    char *base = (char *)index_chunk_address(place.chunk);
    size_t column_count = archetype->column_count < AHEAD_COLUMNS ? archetype->column_count : AHEAD_COLUMNS;
    PREFETCH_WRITE(base + SHOAL_CHUNK_HEADER_BYTES + place.row * sizeof(shoal_entity));
    for (size_t c = 0; c < column_count; c++) {
        PREFETCH_WRITE(base + offsets[c] + (size_t)place.row * archetype->columns[c].byte_size);
    }
}

static ALWAYS_INLINE void destroy_found(shoal_world *world, shoal_entity entity, row_place place) {
    index_give(&world->index, shoal_entity_index(entity));
    if (LIKELY(!place.archetype->hooked)) {
        row_remove_plain(world, place);
    } else {
        row_remove(world, place);
    }
    change_torture(world, place.archetype);
}

shoal_status shoal_destroy(shoal_world *world, shoal_entity entity) {
    static const char call[] = "shoal_destroy";
    if (UNLIKELY(world == NULL)) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    index_fetch_word(&world->index, shoal_entity_index(entity)); /* beside the record's own miss */
    const index_record *record = index_find(&world->index, entity);
    if (UNLIKELY(record == NULL)) {
        return world_fail_entity(world, call, entity);
    }
    destroy_found(world, entity, row_of(world, record));
    world_note_retired(world);
    return SHOAL_OK;
}

/* How far ahead of the work lines are fetched: records, and nearer to it the rows that they name. */
#define AHEAD_RECORD 24
#define AHEAD_ROW 12

static ALWAYS_INLINE void fetch_record(const shoal_world *world, shoal_entity entity) {
    uint32_t slot = shoal_entity_index(entity);
    if (LIKELY((slot >> INDEX_PAGE_BITS) < world->index.page_count)) {
        PREFETCH_WRITE(index_at(&world->index, slot));
        index_fetch_word(&world->index, slot);
    }
}

static ALWAYS_INLINE void fetch_row(const shoal_world *world, shoal_entity entity) {
    const index_record *record = index_find(&world->index, entity);
    if (LIKELY(record != NULL)) {
        fetch_place(row_of(world, record));
    }
}

/* All alive, or the first that is not. */
static shoal_status destroy_check(shoal_world *world, const shoal_entity *entities, size_t count, const char *call) {
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD_RECORD < count) {
            fetch_record(world, entities[i + AHEAD_RECORD]);
        }
        if (UNLIKELY(index_find(&world->index, entities[i]) == NULL)) {
            return world_fail_entity(world, call, entities[i]);
        }
    }
    return SHOAL_OK;
}

shoal_status shoal_destroy_many(shoal_world *world, const shoal_entity *entities, size_t count) {
    static const char call[] = "shoal_destroy_many";
    if (world == NULL || (entities == NULL && count != 0)) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    shoal_status status = destroy_check(world, entities, count, call);
    if (status != SHOAL_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        if (LIKELY(i + AHEAD_RECORD < count)) {
            fetch_record(world, entities[i + AHEAD_RECORD]);
        }
        if (LIKELY(i + AHEAD_ROW < count)) {
            fetch_row(world, entities[i + AHEAD_ROW]);
        }
        const index_record *record = index_find(&world->index, entities[i]);
        if (LIKELY(record != NULL)) { /* else it was named twice */
            destroy_found(world, entities[i], row_of(world, record));
        }
    }
    world_note_retired(world);
    return SHOAL_OK;
}

shoal_status shoal_query_destroy_entities(shoal_query *query) {
    static const char call[] = "shoal_query_destroy_entities";
    if (query == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_world *world = query_of(query)->world;
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    for (size_t i = 0; i < query_of(query)->match_count; i++) {
        row_remove_all(world, query_match_at(query_of(query), i)->archetype);
    }
    world_note_retired(world);
    return SHOAL_OK;
}
