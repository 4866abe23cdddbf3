/*
 * Going through special queries; see query.h for the three ways. A step is a pure function of the query and a cursor,
 * so a view needs no memory but its own.
 *
 * A step by archetypes is a whole chunk with at least one row that matches; the view takes runs out of it, or
 * SHOAL_ROWS single rows. Budget: about 40 instructions a chunk beside those of the filter; a chunk without a filter,
 * or with enable bits alone, costs nothing for each row. Thread rule: world.
 */
#include "query.h"

#include <string.h>

static const shoal_view_step step_end;

static uint64_t low_bits(size_t count) {
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* The matching rows of one word of a chunk. */
static uint64_t match_word(const query_data *query, const query_match *match, const chunk_ref *ref, size_t word) {
    uint64_t candidates = low_bits(ref->count - word * 64);
    unsigned filter = query_match_filter(query, match);
    if (filter == QUERY_FILTER_NONE) {
        return candidates;
    }
    if (filter == QUERY_FILTER_ANY) {
        return query_filter_word(query, match->archetype, ref, word, candidates);
    }
    uint64_t bits = archetype_bits(match->archetype, ref->bits, query_match_toggle(query, match))[word];
    return candidates & (filter == QUERY_FILTER_ENABLED ? bits : ~bits);
}

uint64_t shoal_query_word(const shoal_query *query, const char *match, const char *base, const uint32_t *offsets,
                          size_t count, size_t word) {
    const query_match *found = (const query_match *)(const void *)match;
    const shoal_chunk *chunk = (const shoal_chunk *)(const void *)base;
    chunk_ref ref = {.bits = (uintptr_t)base | (chunk->pool - found->archetype->first_pool),
                     .offsets = offsets,
                     .count = (uint32_t)count};
    return match_word(query_of_const(query), found, &ref, word);
}

static shoal_view_step step_of(const query_match *match, const chunk_ref *ref, size_t first, size_t count) {
    return (shoal_view_step){.count = count,
                             .first = first,
                             .entities = chunk_entities(ref) + first,
                             .base = chunk_base(ref),
                             .offsets = ref->offsets,
                             .match = (const char *)match};
}

/* ---- by archetypes ---- */

/* A whole chunk, with the words that say which rows match. */
static shoal_view_step step_chunk(const query_data *query, const query_match *match, const chunk_ref *ref) {
    shoal_view_step step = step_of(match, ref, 0, ref->count);
    unsigned filter = query_match_filter(query, match);
    step.is_filtered = filter != QUERY_FILTER_NONE;
    if (filter == QUERY_FILTER_ENABLED || filter == QUERY_FILTER_DISABLED) {
        step.words = archetype_bits(match->archetype, ref->bits, query_match_toggle(query, match));
        step.flip = filter == QUERY_FILTER_ENABLED ? 0 : ~UINT64_C(0);
    }
    return step;
}

/* True when some row of a chunk passes the filter of its match. */
static bool chunk_has_any(const query_data *query, const query_match *match, const chunk_ref *ref) {
    for (size_t word = 0; word * 64 < ref->count; word++) {
        if (match_word(query, match, ref, word) != 0) {
            return true;
        }
    }
    return false;
}

static shoal_view_step step_archetypes(const query_data *query, shoal_view_cursor cursor) {
    for (; cursor.match < query->match_count; cursor.match++, cursor.chunk = 0) {
        const query_match *match = query_match_at(query, cursor.match);
        for (; cursor.chunk < match->archetype->chunk_count; cursor.chunk++) {
            const chunk_ref *ref = &match->archetype->chunks[cursor.chunk];
            if (chunk_has_any(query, match, ref)) {
                shoal_view_step step = step_chunk(query, match, ref);
                step.cursor = (shoal_view_cursor){.match = cursor.match, .chunk = cursor.chunk + 1};
                return step;
            }
        }
    }
    return step_end;
}

/* ---- by a list ---- */

/* A run of the list; false when there is none of that number. */
static bool list_run(const query_data *query, size_t number, const shoal_entity **entities, size_t *count) {
    if (query->driver_list != NULL) {
        return relation_list_run(query->driver_list, number, entities, count);
    }
    if (query->driver == NULL || number > 0) {
        return false;
    }
    *entities = query->driver->entities;
    *count = query->driver->count;
    return true;
}

/* Where one entity of the list is, when it matches. */
static bool list_match(const query_data *query, shoal_entity entity, row_place *place, const query_match **match) {
    *place = row_of(query->world, index_find(&query->world->index, entity));
    if (*match == NULL || (*match)->archetype != place->archetype) {
        *match = NULL;
        for (size_t i = 0; i < query->match_count && *match == NULL; i++) {
            const query_match *listed = query_match_at(query, i);
            *match = listed->archetype == place->archetype ? listed : NULL;
        }
    }
    if (*match == NULL) {
        return false;
    }
    chunk_ref ref = {.bits = place->chunk, .count = place->row + 1};
    uint64_t candidate = UINT64_C(1) << (place->row % 64);
    unsigned filter = query_match_filter(query, *match);
    return filter == QUERY_FILTER_NONE ||
           query_filter_word(query, place->archetype, &ref, place->row / 64, candidate) != 0;
}

/* The entities of the list that match and lie in rows one after the other make one run. */
static shoal_view_step step_list(const query_data *query, shoal_view_cursor cursor) {
    const shoal_entity *entities = NULL;
    size_t count = 0;
    const query_match *match = NULL;
    shoal_view_step step = step_end;
    row_place begin = {0};
    for (; list_run(query, cursor.match, &entities, &count); cursor.match++, cursor.row = 0) {
        for (; cursor.row < count; cursor.row++) {
            row_place place;
            const query_match *last = match;
            bool matches = list_match(query, entities[cursor.row], &place, &match);
            bool extends =
                step.count != 0 && matches && place.chunk == begin.chunk && place.row == begin.row + step.count;
            if (step.count != 0 && !extends) {
                step.cursor = cursor;
                return step;
            }
            if (extends) {
                step.count++;
            } else if (matches) {
                begin = place;
                chunk_ref ref = {.bits = place.chunk, .offsets = archetype_layout(place.archetype, place.chunk)};
                step = step_of(match, &ref, place.row, 1);
            } else {
                match = last != NULL ? last : match;
            }
        }
    }
    step.cursor = cursor;
    return step;
}

/* The set of entities that a required term alone allows, and how many there are. */
static size_t driver_size(const query_data *query, const query_term *term, const sparse_set **set,
                          const relation_list **list) {
    bool is_relation = term->type->def.storage == SHOAL_STORAGE_RELATION;
    const relation_store *store = is_relation ? store_relation(query->world, term->component.id) : NULL;
    *list = store != NULL && !shoal_entity_is_null(term->target) ? relation_sources(store, term->target) : NULL;
    *set = !is_relation                                          ? store_sparse(query->world, term->component.id)
           : store != NULL && shoal_entity_is_null(term->target) ? &store->forward
                                                                 : NULL;
    return *list != NULL ? (*list)->count : *set != NULL ? (*set)->count : 0;
}

void query_choose_driver(query_data *query) {
    size_t smallest = SIZE_MAX;
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        bool may_drive = access_is_required(term->access) && !term->type->in_set &&
                         term->type->def.storage != SHOAL_STORAGE_UNIQUE && term->traverse == SHOAL_TRAVERSE_SELF;
        const sparse_set *set = NULL;
        const relation_list *list = NULL;
        size_t size = may_drive ? driver_size(query, term, &set, &list) : SIZE_MAX;
        if (may_drive && size < smallest) {
            smallest = size;
            query->driver = set;
            query->driver_list = list;
        }
    }
}

/* ---- all ways ---- */

shoal_view_step query_step_natural(const query_data *query, shoal_view_cursor cursor) {
    if (query->is_shut) {
        return step_end;
    }
    return query->goes_by_list ? step_list(query, cursor) : step_archetypes(query, cursor);
}

shoal_view_step shoal_query_step(const shoal_query *query, shoal_view_cursor cursor) {
    const query_data *data = query_of_const(query);
    if (!data->keeps_runs) {
        return query_step_natural(data, cursor);
    }
    if (cursor.match >= data->order.run_count || data->is_shut) {
        return step_end;
    }
    const query_run *run = (const query_run *)data->order.runs.items + cursor.match;
    const query_match *match = query_match_at(data, run->match);
    shoal_view_step step = step_of(match, &match->archetype->chunks[run->chunk], run->first, run->count);
    step.run = cursor.match;
    step.cursor.match = cursor.match + 1;
    return step;
}

shoal_status shoal_query_prepare(shoal_query *query) {
    query_data *data = query_of(query);
    if (query->open_views != 0) {
        return SHOAL_OK; /* what an open view goes by stays as it is */
    }
    data->is_shut = data->has_gate && !query_gate_is_open(data);
    if (data->goes_by_list) {
        data->driver = NULL;
        data->driver_list = NULL;
        query_choose_driver(data);
    }
    if (!data->keeps_runs || data->is_shut) {
        return SHOAL_OK;
    }
    shoal_status status = query_order_refresh(data);
    return status == SHOAL_OK ? SHOAL_OK : world_fail(data->world, status, "shoal_view_begin");
}

shoal_status query_collect(query_data *query, shoal_entity **entities, size_t *count) {
    shoal_world *world = query->world;
    *count = (size_t)shoal_query_count(&query->head);
    *entities = NULL;
    if (*count == 0) {
        return SHOAL_OK;
    }
    shoal_view view; /* begun first: that may need memory, too */
    shoal_status status = shoal_view_begin(&view, &query->head);
    if (status != SHOAL_OK) {
        return status;
    }
    *entities = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, *count * sizeof(shoal_entity), 16);
    if (*entities == NULL) {
        shoal_view_end(&view);
        return world->memory.failure;
    }
    size_t done = 0;
    while (shoal_view_next(&view)) {
        memcpy(*entities + done, view.entities, view.count * sizeof(shoal_entity));
        done += view.count;
    }
    SHOAL_ASSERT(done == *count);
    return SHOAL_OK;
}
