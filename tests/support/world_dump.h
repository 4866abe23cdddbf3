/*
 * The content of a world as text: a line for each entity by index, with its name, the payloads of its values, the bits
 * that are off, its targets and its sources in order; then the uniques. For tests that compare a world with itself
 * before a call, or with another world. World tags are left out, so that two worlds with the same history have the same
 * dump. Taking a dump allocates from the C heap only.
 */
#ifndef SHOAL_TESTS_WORLD_DUMP_H
#define SHOAL_TESTS_WORLD_DUMP_H

#include "text.h"

#include <shoal/query.h>

typedef text_buffer world_dump;

/* Appends all entities of a world. */
void world_dump_entities(world_dump *dump, shoal_world *world);

/* Appends the rows of a query in the order in which its views give them. */
void world_dump_rows(world_dump *dump, shoal_query *query);

/* A dump of a world's entities, and of a query's rows if `query` is not NULL. */
world_dump world_dump_take(shoal_world *world, shoal_query *query);

void world_dump_free(world_dump *dump);

/* Fails the test with the first line that differs; frees nothing. */
void world_dump_check(const world_dump *actual, const world_dump *expected, const char *file, int line);
#define assert_same_dump(actual, expected) world_dump_check((actual), (expected), __FILE__, __LINE__)

#endif
