/*
 * Two workers: one system over many rows, what a parallel pass costs by itself, commands recorded on both.
 *
 *     parallel_1t, parallel_2t   nanoseconds a row of a step with the one system "move"; plain: the loop, on one
 *                                thread and in halves on two (threads.h)
 *     parallel_overhead_2t       nanoseconds a pass of shoal_run_parallel() with two ranges of 16 rows, from inside of
 *                                an exclusive system, one pass right after the other. Who is first takes a range: the
 *                                caller may well do both before the helper has seen the offer
 *     parallel_handoff_2t        the same where each range waits until the other has begun, so that the helper takes
 *                                part in every pass, as it does in plain
 *     deferred_parallel, _1t     nanoseconds a command: a system adds a component to every entity, and the step
 *                                applies that; plain: records in an array, a half on each thread, then a sparse set
 *
 * What a step with two workers does with little work is no parallel pass at all: it runs on the caller, as in
 * dispatch_sys100.
 */
#include "case.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <shoal/schedule.h>

#include "components.h"
#include "kernels.h"
#include "plain_set.h"
#include "support.h"
#include "threads.h"

#define STEP_NS 15625000u

/* ---- one system over many rows ---- */

#define ROWS_OF_A_RUN 16000000u

static size_t passes_of_run(size_t n) {
    size_t passes = ROWS_OF_A_RUN / n;
    return passes > 0 ? passes : 1;
}

static size_t misplaced(const Position *positions, size_t count, size_t passes) {
    float way = (float)passes * BENCH_TIME_STEP;
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += positions[i].x != way * BENCH_VELOCITY.x || positions[i].y != way * BENCH_VELOCITY.y ||
                 positions[i].z != way * BENCH_VELOCITY.z;
    }
    return wrong;
}

typedef struct array_move {
    size_t n;
    size_t passes;
    Position *positions;
    Velocity *velocities;
    bench_threads *threads; /* NULL: the caller alone */
} array_move;

static void *array_setup(size_t n, bool two_threads) {
    array_move *move = bench_allocate_zeroed(1, sizeof *move);
    move->n = n;
    move->positions = bench_allocate_zeroed(n, sizeof *move->positions);
    move->velocities = bench_allocate(n, sizeof *move->velocities);
    for (size_t i = 0; i < n; i++) {
        move->velocities[i] = BENCH_VELOCITY;
    }
    move->threads = two_threads ? bench_threads_create() : NULL;
    return move;
}

static void *array_1t_setup(size_t n) {
    return array_setup(n, false);
}

static void *array_2t_setup(size_t n) {
    return array_setup(n, true);
}

static void move_range(void *data, size_t first, size_t end) {
    const array_move *move = data;
    bench_move(move->positions + first, move->velocities + first, end - first);
}

static uint64_t array_passes(array_move *move, size_t passes) {
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < passes; pass++) {
        if (move->threads != NULL) {
            bench_threads_run(move->threads, move->n, move_range, move);
        } else {
            move_range(move, 0, move->n);
        }
    }
    uint64_t end = bench_now();
    move->passes += passes;
    return end - start;
}

static bench_sample array_run(void *state) {
    array_move *move = state;
    size_t passes = passes_of_run(move->n);
    return bench_sample_of(array_passes(move, passes), passes * move->n);
}

static void array_finish(void *state) {
    array_move *move = state;
    size_t wrong = misplaced(move->positions, move->n, move->passes);
    BENCH_CHECK(wrong == 0, "%zu of %zu rows are wrong", wrong, move->n);
    if (move->threads != NULL) {
        bench_threads_destroy(move->threads);
    }
    free(move->positions);
    free(move->velocities);
    free(move);
}

typedef struct world_move {
    size_t n;
    size_t passes;
    shoal_world *world;
} world_move;

static shoal_status move_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_move(SHOAL_COLUMN_MUT(view, Position), SHOAL_COLUMN(view, Velocity), view->count);
    return SHOAL_OK;
}

static void *world_setup(size_t n, const shoal_schedule_def *settings) {
    world_move *move = bench_allocate_zeroed(1, sizeof *move);
    move->n = n;
    move->world = bench_world_create();
    for (size_t i = 0; i < n; i++) {
        bench_spawn(move->world, 0);
    }
    BENCH_REQUIRE(move->world, shoal_schedule_configure(move->world, settings) == SHOAL_OK);
    const shoal_system_def def = {.name = "move",
                                  .each = move_each,
                                  .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Velocity))}};
    BENCH_REQUIRE(move->world, shoal_system_add(move->world, &def) != NULL);
    return move;
}

static void *world_1t_setup(size_t n) {
    return world_setup(n, &(shoal_schedule_def){.alone = true});
}

static void *world_2t_setup(size_t n) {
    return world_setup(n, &(shoal_schedule_def){.worker_count = 2});
}

static bench_sample world_run(void *state) {
    world_move *move = state;
    size_t passes = passes_of_run(move->n);
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < passes; pass++) {
        BENCH_REQUIRE(move->world, shoal_world_step(move->world, STEP_NS) == SHOAL_OK);
    }
    uint64_t end = bench_now();
    move->passes += passes;
    return bench_sample_of(end - start, passes * move->n);
}

static void world_finish(void *state) {
    world_move *move = state;
    size_t rows = 0;
    size_t wrong = 0;
    shoal_query *query = bench_moving(move->world);
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next(&view)) {
        rows += view.count;
        wrong += misplaced(SHOAL_COLUMN(&view, Position), view.count, move->passes);
    }
    BENCH_CHECK(rows == move->n && wrong == 0, "%zu of %zu rows are wrong", wrong, rows);
    bench_world_destroy(move->world);
    free(move);
}

/* ---- a pass by itself ---- */

enum { OVERHEAD_PASSES = 2000, OVERHEAD_RANGES = 2, RANGE_ROWS = 16 };

static void *array_pass_setup(size_t n) {
    (void)n;
    return array_setup((size_t)OVERHEAD_RANGES * RANGE_ROWS, true);
}

static bench_sample array_pass_run(void *state) {
    return bench_sample_of(array_passes(state, OVERHEAD_PASSES), OVERHEAD_PASSES);
}

typedef struct world_pass {
    shoal_world *world;
    Position positions[OVERHEAD_RANGES * RANGE_ROWS];
    Velocity velocities[OVERHEAD_RANGES * RANGE_ROWS];
    size_t passes;
    uint64_t nanoseconds; /* of the newest run */
    bool hands_off;
    _Atomic size_t begun; /* ranges of all passes, where each waits for the other */
} world_pass;

static void pass_ranges(void *data, size_t first, size_t end) {
    world_pass *pass = data;
    size_t row = first * RANGE_ROWS;
    bench_move(pass->positions + row, pass->velocities + row, (end - first) * RANGE_ROWS);
}

/* `passes` is written by the caller before the pass, so both ranges find the same number. */
static void handoff_range(void *data, size_t first, size_t end) {
    world_pass *pass = data;
    atomic_fetch_add(&pass->begun, 1);
    while (atomic_load(&pass->begun) < (pass->passes + 1) * OVERHEAD_RANGES) {
        bench_pause();
    }
    pass_ranges(data, first, end);
}

static shoal_status passes_once(const shoal_run *run) {
    world_pass *pass = run->user;
    shoal_status status = SHOAL_OK;
    uint64_t start = bench_now();
    for (size_t i = 0; i < OVERHEAD_PASSES && status == SHOAL_OK; i++) {
        status = shoal_run_parallel(run, OVERHEAD_RANGES, 1, pass->hands_off ? handoff_range : pass_ranges, pass);
        pass->passes++;
    }
    pass->nanoseconds = bench_now() - start;
    return status;
}

static void *world_pass_setup(bool hands_off) {
    world_pass *pass = bench_allocate_zeroed(1, sizeof *pass);
    pass->hands_off = hands_off;
    pass->world = bench_world_create();
    for (size_t i = 0; i < (size_t)OVERHEAD_RANGES * RANGE_ROWS; i++) {
        pass->velocities[i] = BENCH_VELOCITY;
    }
    const shoal_schedule_def settings = {.worker_count = 2};
    BENCH_REQUIRE(pass->world, shoal_schedule_configure(pass->world, &settings) == SHOAL_OK);
    const shoal_system_def def = {.name = "passes", .once = passes_once, .user = pass, .exclusive = true};
    BENCH_REQUIRE(pass->world, shoal_system_add(pass->world, &def) != NULL);
    return pass;
}

static void *overhead_setup(size_t n) {
    (void)n;
    return world_pass_setup(false);
}

static void *handoff_setup(size_t n) {
    (void)n;
    return world_pass_setup(true);
}

static bench_sample world_pass_run(void *state) {
    world_pass *pass = state;
    BENCH_REQUIRE(pass->world, shoal_world_step(pass->world, STEP_NS) == SHOAL_OK);
    return bench_sample_of(pass->nanoseconds, OVERHEAD_PASSES);
}

static void world_pass_finish(void *state) {
    world_pass *pass = state;
    size_t rows = (size_t)OVERHEAD_RANGES * RANGE_ROWS;
    size_t wrong = misplaced(pass->positions, rows, pass->passes);
    BENCH_CHECK(wrong == 0, "%zu of %zu rows are wrong", wrong, rows);
    bench_world_destroy(pass->world);
    free(pass);
}

/* ---- commands from both workers ---- */

typedef struct health_record {
    uint32_t slot;
    Health health;
} health_record;

typedef struct array_commands {
    size_t n;
    plain_set set;
    health_record *records;
    bench_threads *threads;
} array_commands;

static void *array_commands_setup(size_t n, bool two_threads) {
    array_commands *commands = bench_allocate_zeroed(1, sizeof *commands);
    commands->n = n;
    commands->set = plain_set_create(n);
    commands->records = bench_allocate_zeroed(n, sizeof *commands->records);
    commands->threads = two_threads ? bench_threads_create() : NULL;
    return commands;
}

static void *array_commands_1t_setup(size_t n) {
    return array_commands_setup(n, false);
}

static void *array_commands_2t_setup(size_t n) {
    return array_commands_setup(n, true);
}

/* The fence keeps the loop from being moved into the one that applies. */
static void record_range(void *data, size_t first, size_t end) {
    array_commands *commands = data;
    for (size_t slot = first; slot < end; slot++) {
        commands->records[slot] = (health_record){(uint32_t)slot, {1}};
        atomic_signal_fence(memory_order_seq_cst);
    }
}

static bench_sample array_commands_run(void *state) {
    array_commands *commands = state;
    uint64_t start = bench_now();
    if (commands->threads != NULL) {
        bench_threads_run(commands->threads, commands->n, record_range, commands);
    } else {
        record_range(commands, 0, commands->n);
    }
    for (size_t i = 0; i < commands->n; i++) {
        plain_set_add(&commands->set, commands->records[i].slot, commands->records[i].health);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(commands->set.count == commands->n, "%u are in the set", commands->set.count);
    for (uint32_t slot = 0; slot < commands->n; slot++) {
        plain_set_remove(&commands->set, slot);
    }
    return bench_sample_of(end - start, commands->n);
}

static void array_commands_finish(void *state) {
    array_commands *commands = state;
    if (commands->threads != NULL) {
        bench_threads_destroy(commands->threads);
    }
    plain_set_free(&commands->set);
    free(commands->records);
    free(commands);
}

typedef struct world_commands {
    size_t n;
    shoal_world *world;
    shoal_entity *entities;
    shoal_query *healthy;
} world_commands;

static shoal_status bless_each(const shoal_run *run, shoal_view *view) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < view->count && status == SHOAL_OK; i++) {
        status = shoal_commands_add(run->commands, view->entities[i], SHOAL_ID(Health), &(Health){1});
    }
    return status;
}

static void *world_commands_setup(size_t n, const shoal_schedule_def *settings) {
    world_commands *commands = bench_allocate_zeroed(1, sizeof *commands);
    commands->n = n;
    commands->world = bench_world_create();
    commands->entities = bench_allocate(n, sizeof *commands->entities);
    for (size_t i = 0; i < n; i++) {
        commands->entities[i] = bench_spawn(commands->world, (float)i);
    }
    const shoal_query_def healthy = {.terms = SHOAL_TERMS(SHOAL_READ(Health))};
    commands->healthy = bench_query_of(commands->world, &healthy);
    BENCH_REQUIRE(commands->world, shoal_schedule_configure(commands->world, settings) == SHOAL_OK);
    const shoal_system_def def = {.name = "bless",
                                  .each = bless_each,
                                  .commands = true,
                                  .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position), SHOAL_WITHOUT(Health))}};
    BENCH_REQUIRE(commands->world, shoal_system_add(commands->world, &def) != NULL);
    return commands;
}

static void *world_commands_1t_setup(size_t n) {
    return world_commands_setup(n, &(shoal_schedule_def){.alone = true});
}

static void *world_commands_2t_setup(size_t n) {
    return world_commands_setup(n, &(shoal_schedule_def){.worker_count = 2});
}

/* Removing by handle brings the rows back into the order of the handles. */
static bench_sample world_commands_run(void *state) {
    world_commands *commands = state;
    uint64_t start = bench_now();
    BENCH_REQUIRE(commands->world, shoal_world_step(commands->world, STEP_NS) == SHOAL_OK);
    uint64_t end = bench_now();
    size_t count = (size_t)shoal_query_count(commands->healthy);
    BENCH_CHECK(count == commands->n, "%zu of %zu have it", count, commands->n);
    for (size_t i = 0; i < commands->n; i++) {
        const Health *health = SHOAL_GET(commands->world, commands->entities[i], Health);
        BENCH_CHECK(health != NULL && health->points == 1, "entity %zu has a wrong value", i);
        BENCH_REQUIRE(commands->world,
                      shoal_remove(commands->world, commands->entities[i], SHOAL_ID(Health)) == SHOAL_OK);
    }
    return bench_sample_of(end - start, commands->n);
}

static void world_commands_finish(void *state) {
    world_commands *commands = state;
    BENCH_CHECK(bench_sum_x(commands->world) == (double)commands->n * (double)(commands->n - 1) / 2,
                "positions have changed");
    bench_world_destroy(commands->world);
    free(commands->entities);
    free(commands);
}

/* ---- the table ---- */

#define ARRAY(setup_function)                                                                                          \
    { .setup = (setup_function), .run = array_run, .finish = array_finish }
#define WORLD(setup_function)                                                                                          \
    { .setup = (setup_function), .run = world_run, .finish = world_finish }
#define ARRAY_PASS                                                                                                     \
    { .setup = array_pass_setup, .run = array_pass_run, .finish = array_finish }
#define WORLD_PASS(setup_function)                                                                                     \
    { .setup = (setup_function), .run = world_pass_run, .finish = world_pass_finish }
#define ARRAY_COMMANDS(setup_function)                                                                                 \
    { .setup = (setup_function), .run = array_commands_run, .finish = array_commands_finish }
#define WORLD_COMMANDS(setup_function)                                                                                 \
    { .setup = (setup_function), .run = world_commands_run, .finish = world_commands_finish }

static const bench_case cases[] = {
    {.name = "parallel_1t",
     .n = 1000000,
     .plain = ARRAY(array_1t_setup),
     .shoal = WORLD(world_1t_setup),
     .standing = true},
    {.name = "parallel_2t",
     .n = 1000000,
     .plain = ARRAY(array_2t_setup),
     .shoal = WORLD(world_2t_setup),
     .standing = true},
    {.name = "parallel_1t",
     .n = 10000000,
     .plain = ARRAY(array_1t_setup),
     .shoal = WORLD(world_1t_setup),
     .standing = true},
    {.name = "parallel_2t",
     .n = 10000000,
     .plain = ARRAY(array_2t_setup),
     .shoal = WORLD(world_2t_setup),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 1.05},
    {.name = "parallel_overhead_2t",
     .n = 1,
     .plain = ARRAY_PASS,
     .shoal = WORLD_PASS(overhead_setup),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 700},
    {.name = "parallel_handoff_2t", .n = 1, .plain = ARRAY_PASS, .shoal = WORLD_PASS(handoff_setup), .standing = true},
    {.name = "deferred_parallel_1t",
     .n = 100000,
     .plain = ARRAY_COMMANDS(array_commands_1t_setup),
     .shoal = WORLD_COMMANDS(world_commands_1t_setup),
     .standing = true},
    {.name = "deferred_parallel",
     .n = 100000,
     .plain = ARRAY_COMMANDS(array_commands_2t_setup),
     .shoal = WORLD_COMMANDS(world_commands_2t_setup),
     .standing = true},
};

const bench_theme bench_parallel = BENCH_THEME(cases);
