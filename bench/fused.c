/*
 * Fusion: eight light systems over the same rows (light.h), strip by strip and one after the other, on one thread and
 * on two. The figure is nanoseconds a row for all eight.
 *
 *     fused8, unfused8      shoal as it comes and with `no_fusion`; plain: eight loops one after the other
 *     fused8_strips         shoal as it comes; plain: strips by hand
 *     ..._2t                both on two threads
 *
 * The ratio of fused8 is therefore what fusion gains over the loops that a programmer would write first.
 */
#include "case.h"

#include <stdlib.h>

#include "light.h"
#include "support.h"

#define ROWS_OF_A_RUN 4000000u

static size_t steps_of_run(size_t n) {
    size_t steps = ROWS_OF_A_RUN / n;
    return steps > 0 ? steps : 1;
}

/* ---- plain ---- */

typedef struct array_steps {
    size_t n;
    light_arrays *arrays;
    bench_threads *threads; /* NULL: the caller alone */
    light_manner manner;
} array_steps;

static void *arrays_setup(size_t n, light_manner manner, bool two_threads) {
    array_steps *steps = bench_allocate_zeroed(1, sizeof *steps);
    steps->n = n;
    steps->manner = manner;
    steps->arrays = light_arrays_create(n, LIGHT_SYSTEMS);
    steps->threads = two_threads ? bench_threads_create() : NULL;
    return steps;
}

static void *each_setup(size_t n) {
    return arrays_setup(n, LIGHT_EACH, false);
}

static void *each_2t_setup(size_t n) {
    return arrays_setup(n, LIGHT_EACH, true);
}

static void *strips_setup(size_t n) {
    return arrays_setup(n, LIGHT_STRIPS, false);
}

static void *strips_2t_setup(size_t n) {
    return arrays_setup(n, LIGHT_STRIPS, true);
}

static bench_sample arrays_run(void *state) {
    array_steps *steps = state;
    size_t count = steps_of_run(steps->n);
    uint64_t start = bench_now();
    for (size_t i = 0; i < count; i++) {
        light_arrays_step(steps->arrays, steps->manner, steps->threads);
    }
    return bench_sample_of(bench_now() - start, count * steps->n);
}

static void arrays_finish(void *state) {
    array_steps *steps = state;
    light_arrays_finish(steps->arrays);
    if (steps->threads != NULL) {
        bench_threads_destroy(steps->threads);
    }
    free(steps);
}

/* ---- shoal ---- */

typedef struct world_steps {
    size_t n;
    light_world *light;
} world_steps;

static void *world_setup(size_t n, const shoal_schedule_def *settings) {
    world_steps *steps = bench_allocate_zeroed(1, sizeof *steps);
    steps->n = n;
    steps->light = light_world_create(n, LIGHT_SYSTEMS, settings);
    size_t fused = light_world_fused(steps->light);
    size_t expected = settings->no_fusion ? 0 : LIGHT_SYSTEMS;
    BENCH_CHECK(fused == expected, "%zu of the systems are fused instead of %zu", fused, expected);
    return steps;
}

static void *fused_setup(size_t n) {
    return world_setup(n, &(shoal_schedule_def){.alone = true});
}

static void *fused_2t_setup(size_t n) {
    return world_setup(n, &(shoal_schedule_def){.worker_count = 2});
}

static void *unfused_setup(size_t n) {
    return world_setup(n, &(shoal_schedule_def){.alone = true, .no_fusion = true});
}

static void *unfused_2t_setup(size_t n) {
    return world_setup(n, &(shoal_schedule_def){.worker_count = 2, .no_fusion = true});
}

static bench_sample world_run(void *state) {
    world_steps *steps = state;
    size_t count = steps_of_run(steps->n);
    uint64_t start = bench_now();
    for (size_t i = 0; i < count; i++) {
        light_world_step(steps->light);
    }
    return bench_sample_of(bench_now() - start, count * steps->n);
}

static void world_finish(void *state) {
    world_steps *steps = state;
    light_world_finish(steps->light);
    free(steps);
}

/* ---- the table ---- */

#define ARRAYS(setup_function)                                                                                         \
    { .setup = (setup_function), .run = arrays_run, .finish = arrays_finish }
#define WORLD(setup_function)                                                                                          \
    { .setup = (setup_function), .run = world_run, .finish = world_finish }
#define FUSED_CASE(name_, n_, plain_, shoal_)                                                                          \
    { .name = (name_), .n = (n_), .plain = ARRAYS(plain_), .shoal = WORLD(shoal_), .standing = true }

static const bench_case cases[] = {
    FUSED_CASE("fused8", 1000000, each_setup, fused_setup),
    {.name = "fused8",
     .n = 10000000,
     .plain = ARRAYS(each_setup),
     .shoal = WORLD(fused_setup),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 0.55},
    FUSED_CASE("unfused8", 1000000, each_setup, unfused_setup),
    FUSED_CASE("unfused8", 10000000, each_setup, unfused_setup),
    FUSED_CASE("fused8_strips", 10000000, strips_setup, fused_setup),
    FUSED_CASE("fused8_2t", 1000000, each_2t_setup, fused_2t_setup),
    FUSED_CASE("fused8_2t", 10000000, each_2t_setup, fused_2t_setup),
    FUSED_CASE("unfused8_2t", 1000000, each_2t_setup, unfused_2t_setup),
    FUSED_CASE("unfused8_2t", 10000000, each_2t_setup, unfused_2t_setup),
    FUSED_CASE("fused8_strips_2t", 10000000, strips_2t_setup, fused_2t_setup),
};

const bench_theme bench_fused = BENCH_THEME(cases);
