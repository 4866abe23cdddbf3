/*
 * Memory: bytes that a world holds for what is in it, and what making and ending an empty world takes.
 *
 * Bytes are what was asked of the allocator and is held; beside them stands what the system says is resident, which
 * differs where memory was asked for and never touched, or was rounded up. Byte counts are exact, so one run is all.
 */
#include "case.h"

#include <stdlib.h>

#include "components.h"
#include "plain_world.h"
#include "support.h"

typedef struct footprint {
    size_t n;
} footprint;

static void *footprint_setup(size_t n) {
    footprint *print = bench_allocate_zeroed(1, sizeof *print);
    print->n = n;
    bench_resident_bytes(); /* the stream's buffer is not to be counted later */
    return print;
}

static void footprint_finish(void *state) {
    free(state);
}

static double held_bytes(const shoal_world *world) {
    shoal_memory_report report;
    BENCH_REQUIRE(world, shoal_world_memory(world, &report) == SHOAL_OK);
    size_t sum = 0;
    for (size_t purpose = 0; purpose < SHOAL_PURPOSE_COUNT; purpose++) {
        sum += report.purpose_bytes[purpose];
    }
    BENCH_CHECK(sum == report.total_bytes, "purposes sum up to %zu of %zu bytes", sum, report.total_bytes);
    return (double)report.total_bytes;
}

/* ---- bytes for an entity ---- */

static bench_sample per_entity_plain_run(void *state) {
    size_t n = ((footprint *)state)->n;
    double before = bench_resident_bytes();
    plain_world world = {0};
    for (size_t i = 0; i < n; i++) {
        plain_create(&world, (Position){(float)i, 0, 0}, BENCH_VELOCITY);
    }
    double resident = bench_resident_bytes() - before;
    double bytes = (double)(plain_bytes(&world) + sizeof world);
    double sum = plain_sum_x(&world);
    BENCH_CHECK(sum == (double)n * (double)(n - 1) / 2, "positions sum up to %.0f", sum);
    plain_free(&world);
    return (bench_sample){.figure = bytes / (double)n, .resident_bytes = resident / (double)n};
}

static bench_sample per_entity_shoal_run(void *state) {
    size_t n = ((footprint *)state)->n;
    double before = bench_resident_bytes();
    shoal_world *world = bench_world_create();
    for (size_t i = 0; i < n; i++) {
        bench_spawn(world, (float)i);
    }
    double resident = bench_resident_bytes() - before;
    double bytes = held_bytes(world);
    double sum = bench_sum_x(world);
    BENCH_CHECK(sum == (double)n * (double)(n - 1) / 2, "positions sum up to %.0f", sum);
    bench_world_destroy(world);
    return (bench_sample){.figure = bytes / (double)n, .resident_bytes = resident / (double)n};
}

/* ---- bytes for 1,024 archetypes with one entity each; plain: as many sets of arrays with one row each ---- */

static bench_sample archetypes_plain_run(void *state) {
    size_t n = ((footprint *)state)->n;
    double before = bench_resident_bytes();
    plain_world *worlds = bench_allocate_zeroed(n, sizeof *worlds);
    double bytes = (double)(n * sizeof *worlds);
    for (size_t i = 0; i < n; i++) {
        plain_create_all(&worlds[i], &(Position){(float)i, 0, 0}, &BENCH_VELOCITY, 1);
        bytes += (double)plain_bytes(&worlds[i]);
    }
    double resident = bench_resident_bytes() - before;
    for (size_t i = 0; i < n; i++) {
        BENCH_CHECK(worlds[i].positions[0].x == (float)i, "row %zu is wrong", i);
        plain_free(&worlds[i]);
    }
    free(worlds);
    return (bench_sample){.figure = bytes, .resident_bytes = resident};
}

static bench_sample archetypes_shoal_run(void *state) {
    size_t n = ((footprint *)state)->n;
    double before = bench_resident_bytes();
    shoal_world *world = bench_world_create();
    for (size_t i = 0; i < n; i++) {
        bench_spawn_tagged(world, (float)i, i);
    }
    double resident = bench_resident_bytes() - before;
    double bytes = held_bytes(world);
    shoal_query *query = bench_moving(world);
    BENCH_CHECK(shoal_query_archetype_count(query) == n, "not %zu archetypes", n);
    double sum = bench_sum_x(world);
    BENCH_CHECK(sum == (double)n * (double)(n - 1) / 2, "positions sum up to %.0f", sum);
    bench_world_destroy(world);
    return (bench_sample){.figure = bytes, .resident_bytes = resident};
}

/* ---- the empty world; plain: the structure and its first small arrays ---- */

static bench_sample empty_plain_run(void *state) {
    (void)state;
    plain_world world = {0};
    plain_create(&world, (Position){0}, BENCH_VELOCITY);
    plain_reset(&world);
    BENCH_CHECK(world.row_count == 0, "the world is not empty");
    double bytes = (double)(plain_bytes(&world) + sizeof world);
    plain_free(&world);
    return (bench_sample){.figure = bytes};
}

static bench_sample empty_shoal_run(void *state) {
    (void)state;
    shoal_world *world = bench_world_create();
    BENCH_CHECK(shoal_world_entity_count(world) == 0, "the world is not empty");
    double bytes = held_bytes(world);
    BENCH_CHECK(bytes > 0, "a world takes no memory");
    bench_world_destroy(world);
    return (bench_sample){.figure = bytes};
}

#define WORLDS_OF_A_RUN 200

static bench_sample create_destroy_plain_run(void *state) {
    (void)state;
    size_t made = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < WORLDS_OF_A_RUN; i++) {
        plain_world *world = bench_allocate_zeroed(1, sizeof *world);
        made += plain_create(world, (Position){0}, BENCH_VELOCITY) == 0;
        plain_free(world);
        free(world);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(made == WORLDS_OF_A_RUN, "%zu worlds were made", made);
    return (bench_sample){.figure = (double)(end - start) / WORLDS_OF_A_RUN};
}

static bench_sample create_destroy_shoal_run(void *state) {
    (void)state;
    size_t ended = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < WORLDS_OF_A_RUN; i++) {
        shoal_world *world = shoal_world_create(NULL);
        ended += world != NULL && shoal_world_destroy(world) == SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_CHECK(ended == WORLDS_OF_A_RUN, "%zu worlds were made and ended", ended);
    return (bench_sample){.figure = (double)(end - start) / WORLDS_OF_A_RUN};
}

/* ---- the table ---- */

#define FOOTPRINT(run_function)                                                                                        \
    { .setup = footprint_setup, .run = (run_function), .finish = footprint_finish }

static const bench_case cases[] = {
    {.name = "mem_per_entity",
     .n = 1000000,
     .plain = FOOTPRINT(per_entity_plain_run),
     .shoal = FOOTPRINT(per_entity_shoal_run),
     .unit = BENCH_BYTES,
     .once = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 49},
    {.name = "mem_1024arch",
     .n = BENCH_TAG_SETS,
     .plain = FOOTPRINT(archetypes_plain_run),
     .shoal = FOOTPRINT(archetypes_shoal_run),
     .unit = BENCH_BYTES,
     .once = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 1600000},
    {.name = "mem_empty_world",
     .n = 1,
     .plain = FOOTPRINT(empty_plain_run),
     .shoal = FOOTPRINT(empty_shoal_run),
     .unit = BENCH_BYTES,
     .once = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 65536},
    {.name = "world_create_destroy",
     .n = 1,
     .plain = FOOTPRINT(create_destroy_plain_run),
     .shoal = FOOTPRINT(create_destroy_shoal_run),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 20000},
};

const bench_theme bench_footprint = BENCH_THEME(cases);
