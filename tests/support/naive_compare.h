/*
 * Compares a world with the reference world, through the public calls only. Each function fails the running test
 * at the first difference and prints it with the context line of test.h.
 */
#ifndef SHOAL_TESTS_NAIVE_COMPARE_H
#define SHOAL_TESTS_NAIVE_COMPARE_H

#include "naive_world.h"

/* Which entities live, which components they have, and every value; also that free slots' handles are dead. */
void compare_entities(const naive_world *naive, shoal_world *world);

/* The same values through batches: every kind of every slot, live or not, with both batch calls. */
void compare_batches(const naive_world *naive, shoal_world *world);

/* The rows, values and counts of a query that has these terms. */
void compare_query(const naive_world *naive, shoal_world *world, shoal_query *query, const shoal_term *terms,
                   size_t term_count);

/* The sums of the memory report and of the archetypes against each other and against the reference world. */
void compare_memory(const naive_world *naive, const shoal_world *world);

/* For both reference worlds. A slot is in the same state, and an entity comes next in the walk: true for an entity. */
bool compare_slot(const naive_slots *slots, shoal_world *world, size_t index, shoal_entity *walker);
/* The purposes of the memory report add up to its total, and it counts the entities. */
shoal_memory_report compare_report(const naive_slots *slots, const shoal_world *world);

/* A call's status is in the outcome that the reference world gave. */
void compare_outcome(const shoal_world *world, shoal_status actual, naive_outcome expected, const char *what);

#endif
