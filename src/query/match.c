/*
 * Matching: what an archetype says about the terms of a query, and the list of those that match; see query.h.
 */
#include <stdio.h>
#include <string.h>

#include "query.h"

/* ---- one archetype ---- */

/* Whether what a term names is there, going by the archetype alone. */
static query_verdict term_presence(const query_term *term, const shoal_archetype *archetype) {
    if (term->traverse != SHOAL_TRAVERSE_SELF || !term->type->in_set) {
        return QUERY_ROWS;
    }
    if (archetype_find(archetype, term->component.id) == ARCHETYPE_NONE) {
        return QUERY_NO;
    }
    if (term->shared_number != SHARED_NONE) {
        uint32_t number = archetype_shared_number(archetype, term->component.id);
        return archetype->more->shared[number].key == term->shared_number ? QUERY_YES : QUERY_NO;
    }
    if (!shoal_entity_is_null(term->target)) { /* of a split relation */
        uint32_t number = archetype_shared_number(archetype, term->component.id);
        return archetype->more->shared[number].key == term->target.bits ? QUERY_YES : QUERY_NO;
    }
    return term->type->def.toggle && term->state != SHOAL_STATE_EITHER ? QUERY_ROWS : QUERY_YES;
}

/* The verdict of the any group whose first term is `number`; YES for its later terms, which the first has answered. */
static query_verdict group_verdict(const query_data *query, size_t number, const shoal_archetype *archetype) {
    query_verdict verdict = QUERY_NO;
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        if (!access_is_any(term->access) || term->group != query->terms[number].group) {
            continue;
        }
        if (i < number) {
            return QUERY_YES;
        }
        query_verdict presence = term_presence(term, archetype);
        verdict = presence > verdict ? presence : verdict;
    }
    return verdict;
}

static query_verdict term_verdict(const query_data *query, size_t number, const shoal_archetype *archetype) {
    const query_term *term = &query->terms[number];
    if (access_is_any(term->access)) {
        return group_verdict(query, number, archetype);
    }
    bool is_without = term->access == SHOAL_ACCESS_WITHOUT;
    if ((!is_without && !access_is_required(term->access)) || term->type->def.storage == SHOAL_STORAGE_UNIQUE) {
        return QUERY_YES; /* optional, or for the gate */
    }
    query_verdict presence = term_presence(term, archetype);
    return !is_without ? presence : presence == QUERY_NO ? QUERY_YES : presence == QUERY_YES ? QUERY_NO : QUERY_ROWS;
}

query_verdict query_judge(const query_data *query, const shoal_archetype *archetype) {
    if ((archetype->signature & query->required) != query->required || (archetype->hidden & ~query->seen)) {
        return QUERY_NO;
    }
    query_verdict verdict = QUERY_YES;
    for (size_t i = 0; i < query->term_count && verdict != QUERY_NO; i++) {
        query_verdict one = term_verdict(query, i, archetype);
        verdict = one < verdict ? one : verdict;
    }
    return verdict;
}

/* How the rows of an archetype are told apart; of the two simple ways, by which column of bits. */
static unsigned filter_of(const query_data *query, const shoal_archetype *archetype, uint32_t *toggle) {
    unsigned filter = QUERY_FILTER_NONE;
    *toggle = 0;
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        if (term_verdict(query, i, archetype) != QUERY_ROWS) {
            continue;
        }
        bool is_simple = filter == QUERY_FILTER_NONE && !access_is_any(term->access) &&
                         term->traverse == SHOAL_TRAVERSE_SELF && term->type->def.toggle;
        if (!is_simple) {
            return QUERY_FILTER_ANY;
        }
        bool enabled = (term->state == SHOAL_STATE_ENABLED) == (term->access != SHOAL_ACCESS_WITHOUT);
        *toggle = archetype_toggle(archetype, term->component.id);
        filter = enabled ? QUERY_FILTER_ENABLED : QUERY_FILTER_DISABLED;
    }
    return filter;
}

/* ---- the cache ---- */

static shoal_status matches_reserve(query_data *query, size_t needed) {
    shoal_status status = memory_array_reserve(&query->world->memory, SHOAL_PURPOSE_QUERY, &query->matches, needed + 2,
                                               query->head.match_stride);
    query->head.matches = query->matches.items;
    return status;
}

/* The empty match behind the last one. */
static void matches_end(query_data *query) {
    query_match_at(query, query->match_count)->archetype = NULL;
}

static void matches_append(query_data *query, shoal_archetype *archetype) {
    query_match *match = query_match_at(query, query->match_count++);
    size_t data_count = query->head.data_count;
    uint32_t toggle = 0;
    query->head.match_bytes += query->head.match_stride;
    query->match_changes++;
    match->archetype = archetype;
    for (size_t i = 0; i < data_count; i++) {
        match->columns[i] = (uint16_t)archetype_find(archetype, (uint32_t)query->read_keys[i]);
    }
    if (query->is_row_wise) {
        match->columns[data_count] = (uint16_t)filter_of(query, archetype, &toggle);
        match->columns[data_count + 1] = (uint16_t)toggle;
    }
    matches_end(query);
}

static query_data *watcher_query(archetype_watcher *watcher) {
    return (query_data *)(void *)((char *)watcher - offsetof(query_data, watcher));
}

static shoal_status watch_prepare(archetype_watcher *watcher, const shoal_archetype *archetype) {
    query_data *query = watcher_query(watcher);
    return query_judge(query, archetype) != QUERY_NO ? matches_reserve(query, query->match_count + 1) : SHOAL_OK;
}

static void watch_commit(archetype_watcher *watcher, shoal_archetype *archetype) {
    query_data *query = watcher_query(watcher);
    if (query_judge(query, archetype) != QUERY_NO) {
        matches_append(query, archetype);
    }
}

/* The place of the only archetype that ends, found by its address: the others need not be looked at. */
static size_t place_of_only(const query_data *query, const shoal_archetype *only) {
    size_t place = 0;
    while (only != NULL && place < query->match_count && query_match_at(query, place)->archetype != only) {
        place++;
    }
    return place;
}

static void watch_forget(archetype_watcher *watcher, const shoal_archetype *only) {
    query_data *query = watcher_query(watcher);
    size_t kept = place_of_only(query, only);
    size_t end = query->match_count;
    if (only != NULL && kept < end) {
        query->match_changes += only->version + 1; /* its share of a stamp, which must only rise */
        memmove(query_match_at(query, kept), query_match_at(query, kept + 1),
                (end - kept - 1) * query->head.match_stride);
        kept = end - 1;
    }
    for (size_t i = 0; only == NULL && i < end; i++) {
        const query_match *match = query_match_at(query, i);
        if (match->archetype->is_ending) {
            query->match_changes += match->archetype->version + 1; /* as above */
            continue;
        }
        if (kept != i) {
            memcpy(query_match_at(query, kept), match, query->head.match_stride);
        }
        kept++;
    }
    query->match_count = kept;
    query->head.match_bytes = kept * query->head.match_stride;
    matches_end(query);
}

/* A listed match is what matches_append() would write now. */
static bool match_is_right(const query_data *query, const query_match *match, char *reason, size_t reason_size) {
    uint32_t toggle = 0;
    for (size_t i = 0; i < query->head.data_count; i++) {
        if (match->columns[i] != archetype_find(match->archetype, (uint32_t)query->read_keys[i])) {
            (void)snprintf(reason, reason_size, "query \"%s\": column of term %zu is wrong", query->head.name, i);
            return false;
        }
    }
    if (query_match_filter(query, match) != filter_of(query, match->archetype, &toggle) ||
        (query->is_row_wise && query_match_toggle(query, match) != toggle)) {
        (void)snprintf(reason, reason_size, "query \"%s\": the filter of archetype %u is wrong", query->head.name,
                       match->archetype->index);
        return false;
    }
    return true;
}

static bool watch_validate(archetype_watcher *watcher, char *reason, size_t reason_size) {
    const query_data *query = watcher_query(watcher);
    size_t number = 0;
    for (uint32_t age = 0; age < query->world->archetype_count; age++) {
        const shoal_archetype *archetype = query->world->by_age[age];
        bool listed = number < query->match_count && query_match_at(query, number)->archetype == archetype;
        if (listed != (query_judge(query, archetype) != QUERY_NO)) {
            (void)snprintf(reason, reason_size, "query \"%s\": archetype %u is %s but does%s match", query->head.name,
                           archetype->index, listed ? "listed" : "not listed", listed ? " not" : "");
            return false;
        }
        if (listed && !match_is_right(query, query_match_at(query, number), reason, reason_size)) {
            return false;
        }
        number += listed;
    }
    if (number != query->match_count || query->head.match_bytes != number * query->head.match_stride) {
        (void)snprintf(reason, reason_size, "query \"%s\" lists an archetype that is gone", query->head.name);
        return false;
    }
    return true;
}

void query_unwatch(query_data *query) {
    memory_array_release(&query->world->memory, SHOAL_PURPOSE_QUERY, &query->matches, query->head.match_stride);
}

static void watch_end(archetype_watcher *watcher) {
    query_free(watcher_query(watcher));
}

shoal_status query_watch(query_data *query) {
    shoal_world *world = query->world;
    shoal_status status = matches_reserve(query, 0);
    if (status != SHOAL_OK) {
        return status;
    }
    matches_end(query);
    for (uint32_t age = 0; age < world->archetype_count; age++) {
        if (query_judge(query, world->by_age[age]) == QUERY_NO) {
            continue;
        }
        status = matches_reserve(query, query->match_count + 1);
        if (status != SHOAL_OK) {
            return status;
        }
        matches_append(query, world->by_age[age]);
    }
    query->watcher = (archetype_watcher){.prepare = watch_prepare,
                                         .commit = watch_commit,
                                         .forget = watch_forget,
                                         .validate = watch_validate,
                                         .end = watch_end};
    world_add_watcher(world, &query->watcher);
    return SHOAL_OK;
}
