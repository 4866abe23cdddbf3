/*
 * Four light systems over any number of rows; see sweep.h.
 */
#include "sweep.h"

#include <stdlib.h>

#include "light.h"
#include "support.h"

enum { SWEEP_SYSTEMS = 4 };

/* Rows that one run should touch at least, and steps that it makes at most. */
#define ROWS_OF_A_RUN 8000000u
#define MOST_STEPS 20000u

static size_t steps_of_run(size_t n) {
    size_t steps = ROWS_OF_A_RUN / n;
    steps = steps < MOST_STEPS ? steps : MOST_STEPS;
    return steps > 0 ? steps : 1;
}

typedef struct sweep_state {
    size_t n;
    light_arrays *arrays; /* one of the two is NULL */
    light_world *light;
} sweep_state;

static void *plain_setup(size_t n) {
    sweep_state *sweep = bench_allocate_zeroed(1, sizeof *sweep);
    sweep->n = n;
    sweep->arrays = light_arrays_create(n, SWEEP_SYSTEMS);
    return sweep;
}

static void *world_setup(size_t n, const shoal_schedule_def *settings) {
    sweep_state *sweep = bench_allocate_zeroed(1, sizeof *sweep);
    sweep->n = n;
    sweep->light = light_world_create(n, SWEEP_SYSTEMS, settings);
    return sweep;
}

static void *unfused_setup(size_t n) {
    return world_setup(n, &(shoal_schedule_def){.alone = true, .no_fusion = true});
}

static void *fused_setup(size_t n) {
    return world_setup(n, &(shoal_schedule_def){.alone = true});
}

static void *shared_setup(size_t n) {
    return world_setup(n, &(shoal_schedule_def){.worker_count = 2});
}

static bench_sample plain_run(void *state) {
    sweep_state *sweep = state;
    size_t steps = steps_of_run(sweep->n);
    uint64_t start = bench_now();
    for (size_t i = 0; i < steps; i++) {
        light_arrays_step(sweep->arrays, LIGHT_EACH, NULL);
    }
    return bench_sample_of(bench_now() - start, steps * sweep->n);
}

static bench_sample world_run(void *state) {
    sweep_state *sweep = state;
    size_t steps = steps_of_run(sweep->n);
    uint64_t start = bench_now();
    for (size_t i = 0; i < steps; i++) {
        light_world_step(sweep->light);
    }
    return bench_sample_of(bench_now() - start, steps * sweep->n);
}

static void plain_finish(void *state) {
    sweep_state *sweep = state;
    light_arrays_finish(sweep->arrays);
    free(sweep);
}

static void world_finish(void *state) {
    sweep_state *sweep = state;
    light_world_finish(sweep->light);
    free(sweep);
}

const bench_subject sweep_plain = {.setup = plain_setup, .run = plain_run, .finish = plain_finish};
const bench_subject sweep_unfused = {.setup = unfused_setup, .run = world_run, .finish = world_finish};
const bench_subject sweep_fused = {.setup = fused_setup, .run = world_run, .finish = world_finish};
const bench_subject sweep_shared = {.setup = shared_setup, .run = world_run, .finish = world_finish};
