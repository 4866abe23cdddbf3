/*
 * Compares a world with the reference world of all kinds, through the public calls only. Each function fails the
 * running test at the first difference and prints it with the context line of test.h.
 */
#ifndef SHOAL_TESTS_FULL_COMPARE_H
#define SHOAL_TESTS_FULL_COMPARE_H

#include "full_world.h"

/* Which entities live and which are dying, what each has, every value, bit and name; relations from both ends, with
   orders and depths; uniques. */
void full_compare(const full_world *full, shoal_world *world);

/* What the hooks of types that tell have seen is what is there. */
void full_compare_events(const full_world *full);

/* The counts of the memory report. */
void full_compare_memory(const full_world *full, const shoal_world *world);

/* A query and what it is made of. */
typedef struct full_query {
    shoal_query *query;
    shoal_query *unsorted; /* the same terms without order and groups; NULL where it has none */
    shoal_term terms[4];
    size_t term_count;
    full_type order_by; /* FULL_COUNT: none */
    bool descending;
    full_type group_by; /* FULL_COUNT: none */
    bool groups_descending;
} full_query;

/* The rows, values and counts of a query, by runs and by chunks; its order against that of the unsorted one. */
void full_compare_query(const full_world *full, const full_query *query);

#endif
