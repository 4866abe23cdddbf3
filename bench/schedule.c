/*
 * What a step costs before the systems do any work: empty steps, a hundred systems over one entity, a small world.
 *
 *     progress_empty              a step of an empty world; plain: a tick that goes up, in a function
 *     progress_empty_configured   the same where the world has a schedule with settings and no systems
 *     dispatch_sys100             nanoseconds a system; plain: a call through a pointer; the systems are fused
 *     dispatch_sys100_unfused     the same without fusion
 *
 * The hundred systems all move the one entity, so in both subjects each waits for what the one before has stored.
 */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>

#include <shoal/schedule.h>

#include "components.h"
#include "kernels.h"
#include "support.h"

#define STEP_NS 15625000u

/* ---- empty steps ---- */

#define EMPTY_STEPS 100000u

typedef struct tick_count {
    uint64_t tick;
    uint64_t steps;
} tick_count;

static void *tick_setup(size_t n) {
    (void)n;
    return bench_allocate_zeroed(1, sizeof(tick_count));
}

BENCH_NOINLINE static int tick_step(tick_count *count) {
    count->tick++;
    return 0;
}

static bench_sample tick_run(void *state) {
    tick_count *count = state;
    int failures = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < EMPTY_STEPS; i++) {
        failures += tick_step(count);
    }
    uint64_t end = bench_now();
    count->steps += EMPTY_STEPS;
    BENCH_CHECK(failures == 0, "%d steps failed", failures);
    return bench_sample_of(end - start, EMPTY_STEPS);
}

static void tick_finish(void *state) {
    tick_count *count = state;
    BENCH_CHECK(count->tick == count->steps, "the tick is wrong");
    free(count);
}

typedef struct empty_world {
    shoal_world *world;
    uint64_t first_tick;
    uint64_t steps;
} empty_world;

static void *empty_setup(size_t n) {
    (void)n;
    empty_world *empty = bench_allocate_zeroed(1, sizeof *empty);
    empty->world = bench_world_create();
    empty->first_tick = shoal_world_tick(empty->world);
    return empty;
}

static void *configured_setup(size_t n) {
    empty_world *empty = empty_setup(n);
    const shoal_schedule_def settings = {.worker_count = 2, .dropped_policy = SHOAL_DROPPED_FAIL};
    BENCH_REQUIRE(empty->world, shoal_schedule_configure(empty->world, &settings) == SHOAL_OK);
    return empty;
}

static bench_sample empty_run(void *state) {
    empty_world *empty = state;
    size_t failures = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < EMPTY_STEPS; i++) {
        failures += shoal_world_step(empty->world, STEP_NS) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    empty->steps += EMPTY_STEPS;
    BENCH_REQUIRE(empty->world, failures == 0);
    return bench_sample_of(end - start, EMPTY_STEPS);
}

static void empty_finish(void *state) {
    empty_world *empty = state;
    uint64_t ticks = shoal_world_tick(empty->world) - empty->first_tick;
    BENCH_CHECK(ticks == empty->steps, "%llu ticks in %llu steps", (unsigned long long)ticks,
                (unsigned long long)empty->steps);
    bench_world_destroy(empty->world);
    free(empty);
}

/* ---- a hundred systems over one entity ---- */

/* All repeats together stay below the 2^24 moves up to which positions are exact. */
enum { DISPATCH_SYSTEMS = 100, DISPATCH_STEPS = 500 };

static void check_place(Position position, size_t moves) {
    float way = (float)moves * BENCH_TIME_STEP;
    BENCH_CHECK(position.x == way * BENCH_VELOCITY.x && position.y == way * BENCH_VELOCITY.y &&
                    position.z == way * BENCH_VELOCITY.z,
                "at %g after %zu moves", (double)position.x, moves);
}

typedef void (*move_function)(Position *restrict positions, const Velocity *restrict velocities, size_t count);

typedef struct array_dispatch {
    Position position;
    Velocity velocity;
    size_t moves;
    volatile move_function systems[DISPATCH_SYSTEMS];
} array_dispatch;

static void *array_dispatch_setup(size_t n) {
    array_dispatch *dispatch = bench_allocate_zeroed(1, sizeof *dispatch);
    BENCH_CHECK(n == DISPATCH_SYSTEMS, "n is %zu", n);
    dispatch->velocity = BENCH_VELOCITY;
    for (size_t i = 0; i < n; i++) {
        dispatch->systems[i] = bench_move;
    }
    return dispatch;
}

static bench_sample array_dispatch_run(void *state) {
    array_dispatch *dispatch = state;
    uint64_t start = bench_now();
    for (size_t step = 0; step < DISPATCH_STEPS; step++) {
        for (size_t i = 0; i < DISPATCH_SYSTEMS; i++) {
            dispatch->systems[i](&dispatch->position, &dispatch->velocity, 1);
        }
    }
    uint64_t end = bench_now();
    dispatch->moves += (size_t)DISPATCH_STEPS * DISPATCH_SYSTEMS;
    return bench_sample_of(end - start, (size_t)DISPATCH_STEPS * DISPATCH_SYSTEMS);
}

static void array_dispatch_finish(void *state) {
    array_dispatch *dispatch = state;
    check_place(dispatch->position, dispatch->moves);
    free(dispatch);
}

typedef struct world_dispatch {
    shoal_world *world;
    shoal_entity entity;
    size_t moves;
} world_dispatch;

static shoal_status move_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_move(SHOAL_COLUMN_MUT(view, Position), SHOAL_COLUMN(view, Velocity), view->count);
    return SHOAL_OK;
}

static void *world_dispatch_setup(size_t n, const shoal_schedule_def *settings) {
    world_dispatch *dispatch = bench_allocate_zeroed(1, sizeof *dispatch);
    dispatch->world = bench_world_create();
    dispatch->entity = bench_spawn(dispatch->world, 0);
    BENCH_REQUIRE(dispatch->world, shoal_schedule_configure(dispatch->world, settings) == SHOAL_OK);
    for (size_t i = 0; i < n; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "move%zu", i);
        const shoal_system_def def = {.name = name,
                                      .each = move_each,
                                      .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Velocity))}};
        BENCH_REQUIRE(dispatch->world, shoal_system_add(dispatch->world, &def) != NULL);
    }
    BENCH_REQUIRE(dispatch->world, shoal_schedule_build(dispatch->world) == SHOAL_OK);
    shoal_schedule_stats stats;
    BENCH_REQUIRE(NULL, shoal_schedule_stats_get(dispatch->world, &stats) == SHOAL_OK);
    size_t expected = settings->no_fusion ? 0 : n;
    BENCH_CHECK(stats.fused == expected, "%u of the systems are fused", stats.fused);
    return dispatch;
}

static void *dispatch_setup(size_t n) {
    return world_dispatch_setup(n, &(shoal_schedule_def){0});
}

static void *dispatch_unfused_setup(size_t n) {
    return world_dispatch_setup(n, &(shoal_schedule_def){.no_fusion = true});
}

static bench_sample world_dispatch_run(void *state) {
    world_dispatch *dispatch = state;
    size_t failures = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < DISPATCH_STEPS; i++) {
        failures += shoal_world_step(dispatch->world, STEP_NS) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(dispatch->world, failures == 0);
    dispatch->moves += (size_t)DISPATCH_STEPS * DISPATCH_SYSTEMS;
    return bench_sample_of(end - start, (size_t)DISPATCH_STEPS * DISPATCH_SYSTEMS);
}

static void world_dispatch_finish(void *state) {
    world_dispatch *dispatch = state;
    const Position *position = SHOAL_GET(dispatch->world, dispatch->entity, Position);
    BENCH_REQUIRE(dispatch->world, position != NULL);
    check_place(*position, dispatch->moves);
    bench_world_destroy(dispatch->world);
    free(dispatch);
}

/* ---- the table ---- */

static const bench_case cases[] = {
    {.name = "progress_empty",
     .n = 0,
     .plain = {.setup = tick_setup, .run = tick_run, .finish = tick_finish},
     .shoal = {.setup = empty_setup, .run = empty_run, .finish = empty_finish},
     .standing = true},
    {.name = "progress_empty_configured",
     .n = 0,
     .plain = {.setup = tick_setup, .run = tick_run, .finish = tick_finish},
     .shoal = {.setup = configured_setup, .run = empty_run, .finish = empty_finish},
     .standing = true},
    {.name = "dispatch_sys100",
     .n = DISPATCH_SYSTEMS,
     .plain = {.setup = array_dispatch_setup, .run = array_dispatch_run, .finish = array_dispatch_finish},
     .shoal = {.setup = dispatch_setup, .run = world_dispatch_run, .finish = world_dispatch_finish},
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 15},
    {.name = "dispatch_sys100_unfused",
     .n = DISPATCH_SYSTEMS,
     .plain = {.setup = array_dispatch_setup, .run = array_dispatch_run, .finish = array_dispatch_finish},
     .shoal = {.setup = dispatch_unfused_setup, .run = world_dispatch_run, .finish = world_dispatch_finish},
     .standing = true},
};

const bench_theme bench_schedule = BENCH_THEME(cases);
