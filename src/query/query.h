/*
 * Queries: terms, and the archetypes that match them.
 *
 *     matches: | archetype, column of data term 0, 1, 2 ... | next match ... |   match_stride bytes each
 *
 * A query watches the world's archetypes: each is matched once, when it appears, and taken out when it is removed.
 * Chunks are not cached; a view reads those of now. Invariant "cached": matches lists exactly the archetypes that
 * match, by age. Thread rule: matching is "world", reading "read".
 */
#ifndef SHOAL_QUERY_QUERY_H
#define SHOAL_QUERY_QUERY_H

#include <shoal/query.h>

#include "../storage/world.h"

typedef struct query_match {
    shoal_archetype *archetype;
    uint16_t columns[]; /* of the data terms; SHOAL_NO_COLUMN where one is not there */
} query_match;

struct shoal_query {
    archetype_watcher watcher; /* first, so that a watcher is its query */
    shoal_world *world;
    char *matches;
    size_t match_count;
    size_t match_stride;
    size_t match_capacity;
    uint32_t *read_keys; /* of the data terms: the component id */
    uint32_t *write_keys; /* of the data terms: the component id, or 0 where it may only be read */
    size_t data_count;
    shoal_term *terms; /* as given; the block of read_keys, write_keys and name lies behind them */
    size_t term_count;
    uint64_t required; /* signature bits that a matching archetype has for certain */
    char *name;
    size_t block_bytes; /* of the allocation that starts with this struct */
};

static inline query_match *query_match_at(const shoal_query *query, size_t number) {
    return (query_match *)(void *)(query->matches + number * query->match_stride);
}

/* True when an archetype matches the terms. */
bool query_accepts(const shoal_query *query, const shoal_archetype *archetype);

/* True for a term that gives a view a column: the data terms. */
bool query_term_has_data(const shoal_term *term);

#endif
