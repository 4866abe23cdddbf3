/*
 * A world on the checking allocator, for tests that need one world: fixture_start() makes it, fixture_end()
 * validates and destroys it and checks that nothing leaked. Its log lines are counted by level and the last one
 * is kept.
 */
#ifndef SHOAL_TESTS_FIXTURE_H
#define SHOAL_TESTS_FIXTURE_H

#include "fake_allocator.h"

#include <shoal/shoal.h>

typedef struct fixture {
    shoal_world *world;
    shoal_query *everything; /* has no terms; NULL in a world that was made without it */
    fake_allocator fake;
    size_t log_count[SHOAL_LOG_ERROR + 1];
    char last_log[256];
    int64_t owned_before; /* objects of the two owning types when the world was made */
    int64_t boxed_before;
} fixture;

/* Makes the world; `def` may be NULL, its allocator and log are replaced. */
void fixture_start(fixture *f, const shoal_world_def *def);
void fixture_end(fixture *f);

/* Bytes that the world holds now. */
size_t fixture_total_bytes(const fixture *f);

#endif
