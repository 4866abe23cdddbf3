/*
 * Queries: terms, and the archetypes that match them.
 *
 *     matches: | unused | archetype, column of data term 0, 1 ... | next match ... | unused |   match_stride bytes each
 *
 * The unused one in front is where a view stands before its first match; the one behind, whose archetype is NULL, is
 * what a view fetches ahead of its last.
 *
 * A query watches the world's archetypes: each is matched once, when it appears, and taken out when it is removed.
 * Chunks are not cached; a view reads those of now. Invariant "cached": matches lists exactly the archetypes that
 * match, by age. Thread rule: matching is "world", reading "read".
 */
#ifndef SHOAL_QUERY_QUERY_H
#define SHOAL_QUERY_QUERY_H

#include <shoal/query.h>

#include "../storage/world.h"

/* A query's public head (include/shoal/query.h) is what views read; this is all of it. */
typedef struct query_data {
    shoal_query head; /* first, so that a query is its data */
    archetype_watcher watcher;
    shoal_world *world;
    memory_array matches; /* capacity in matches, with the unused ones */
    size_t match_count;
    shoal_term *terms; /* as given; keys and name lie behind them in the block */
    size_t term_count;
    uint64_t required;   /* signature bits that a matching archetype has for certain */
    uint32_t *read_keys; /* the same as the head's, for writing */
    uint32_t *write_keys;
    size_t block_bytes; /* of the allocation that starts with this struct */
} query_data;

/* A match as the storage sees it; the same bytes as shoal_view_match. */
typedef struct query_match {
    shoal_archetype *archetype;
    uint16_t columns[]; /* of the data terms; SHOAL_NO_COLUMN where one is not there */
} query_match;

static inline query_data *query_of(shoal_query *query) {
    return (query_data *)query;
}

static inline const query_data *query_of_const(const shoal_query *query) {
    return (const query_data *)query;
}

static inline query_match *query_match_at(const query_data *query, size_t number) {
    return (query_match *)(void *)((char *)query->matches.items + (number + 1) * query->head.match_stride);
}

/* True when an archetype matches the terms. */
bool query_accepts(const query_data *query, const shoal_archetype *archetype);

/* True for a term that gives a view a column: the data terms. */
bool query_term_has_data(const shoal_term *term);

#endif
