/*
 * Systems on several threads: every row once, slices, jobs, overlap, one worker, pools that stop, several worlds on one
 * pool, steps inside of steps. Conformance I4, I6, I7, I8, I9, I10, G2, D5.
 *
 * A program that waits for ever is ended by the time limit of its test. Systems check by counters and statuses, since a
 * failed check of cmocka leaves its function and may do so on the thread of the test alone.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/rng.h"
#include "support/steps.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#define ADD(s, name_, ...) steps_add((s), &(shoal_system_def){.name = (name_), __VA_ARGS__})

static const uint32_t worker_counts[] = {0, 1, 2, 3, 8};
#define WORKER_CASES (sizeof worker_counts / sizeof worker_counts[0])

static void start_with(steps *s, uint32_t workers) {
    test_set_context("%u workers", workers);
    steps_start(s, &(shoal_schedule_def){.worker_count = workers, .alone = workers == 0});
}

/* ---- every row exactly once ---- */

static shoal_status count_up(const shoal_run *run, shoal_view *view) {
    (void)run;
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    for (size_t i = 0; i < view->count; i++) {
        health[i].value++;
    }
    return SHOAL_OK;
}

static void check_all_are(shoal_world *world, int32_t expected, uint64_t count) {
    shoal_query *query = make_query(world, SHOAL_TERMS(SHOAL_READ(Health)));
    uint64_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        const Health *health = SHOAL_COLUMN(&view, Health);
        for (size_t i = 0; i < view.count; i++) {
            assert_int_equal(health[i].value, expected);
        }
        rows += view.count;
    }
    assert_count(rows, count);
}

static void test_every_row_once(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 4095, 4096, 4097, 50000};
    for (size_t w = 0; w < WORKER_CASES; w++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            steps s;
            start_with(&s, worker_counts[w]);
            if (sizes[i] != 0) {
                steps_spawn(s.world, sizes[i], NULL, SHOAL_VALUES(SHOAL_VALUE(Health, 10)));
            }
            shoal_system *system =
                ADD(&s, "count", .each = count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
            steps_go(&s, 2);
            check_all_are(s.world, 12, sizes[i]);
            assert_count(steps_stats(system).rows, 2 * sizes[i]);
            steps_end(&s);
        }
    }
    test_set_context("%s", "");
}

/* Archetypes by the bits of a number, with sizes that the number draws. */
static uint64_t spawn_mixed(shoal_world *world, uint32_t archetypes, uint32_t largest) {
    rng random = {archetypes};
    uint64_t total = 0;
    for (uint32_t number = 0; number < archetypes; number++) {
        shoal_value values[16] = {{SHOAL_ID(Health), NULL}};
        size_t count = 1;
        for (uint32_t bit = 0; bit < 13; bit++) {
            if ((number >> bit & 1) != 0) {
                values[count++].component = numbered_tag(bit);
            }
        }
        uint32_t rows = largest > 1 ? rng_below(&random, largest) : 1;
        if (rows != 0) {
            steps_spawn(world, rows, NULL, values, count);
        }
        total += rows;
    }
    return total;
}

static void test_every_row_once_of_many_archetypes(void **state) {
    (void)state;
    for (size_t w = 0; w < WORKER_CASES; w++) {
        steps s;
        start_with(&s, worker_counts[w]);
        uint64_t rows = spawn_mixed(s.world, 200, 700);
        ADD(&s, "count", .each = count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
        ADD(&s, "again", .each = count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))}, .barrier = true);
        steps_go(&s, 2);
        check_all_are(s.world, 4, rows);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

static shoal_status count_up_masked(const shoal_run *run, shoal_view *view) {
    (void)run;
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    SHOAL_ROWS(view, i) {
        health[i].value++;
    }
    return SHOAL_OK;
}

SHOAL_TAG(Awake, .toggle = true)

static void test_rows_that_are_off_are_left_out(void **state) {
    (void)state;
    for (size_t masked = 0; masked < 2; masked++) {
        for (size_t w = 0; w < WORKER_CASES; w++) {
            steps s;
            start_with(&s, worker_counts[w]);
            enum { ROWS = 6000 };
            static shoal_entity entities[ROWS];
            steps_spawn(s.world, ROWS, entities, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Awake)));
            for (size_t i = 0; i < ROWS; i++) {
                turn(s.world, entities[i], SHOAL_ID(Awake), i % 3 != 0 && (i < 1000 || i > 3000));
            }
            ADD(&s, "count", .each = masked != 0 ? count_up_masked : count_up, .masked = masked != 0,
                .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health), SHOAL_WITH(Awake))});
            steps_go(&s, 2);
            for (size_t i = 0; i < ROWS; i++) {
                assert_health(s.world, entities[i], i % 3 != 0 && (i < 1000 || i > 3000) ? 2 : 0);
            }
            steps_end(&s);
        }
    }
    test_set_context("%s", "");
}

/* ---- slices ---- */

static shoal_status write_own_handle(const shoal_run *run, shoal_view *view) {
    uint32_t block = *(const uint32_t *)run->user;
    Link *link = SHOAL_COLUMN_MUT(view, Link);
    Letter *letter = SHOAL_COLUMN_MUT(view, Letter);
    if (block != 0 && view->count > block) {
        return SHOAL_CORRUPT;
    }
    for (size_t i = 0; i < view->count; i++) {
        link[i].target = view->entities[i];
        letter[i].value++;
    }
    return SHOAL_OK;
}

static void conf_G2_slices_begin_at_their_own_rows(void **state) {
    (void)state;
    static uint32_t blocks[] = {0, 1, 64, 1024};
    for (size_t b = 0; b < 4; b++) {
        for (size_t w = 0; w < WORKER_CASES; w++) {
            steps s;
            start_with(&s, worker_counts[w]);
            enum { ROWS = 20001 };
            static shoal_entity entities[ROWS];
            steps_spawn(s.world, ROWS, entities, SHOAL_VALUES(SHOAL_DEFAULT(Link), SHOAL_DEFAULT(Letter)));
            ADD(&s, "own", .each = write_own_handle, .block_rows = blocks[b], .user = &blocks[b],
                .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Link), SHOAL_WRITE(Letter))});
            steps_go(&s, 1);
            for (size_t i = 0; i < ROWS; i++) {
                assert_entity(SHOAL_GET(s.world, entities[i], Link)->target, entities[i]);
                assert_int_equal(SHOAL_GET(s.world, entities[i], Letter)->value, 1);
            }
            steps_end(&s);
        }
    }
    test_set_context("%s", "");
}

typedef struct serial_seen {
    pthread_t thread;
    size_t count;
    uint32_t last;
    bool wrong;
} serial_seen;

static shoal_status check_serial(const shoal_run *run, shoal_view *view) {
    serial_seen *seen = run->user;
    seen->wrong = seen->wrong || (seen->count != 0 && !pthread_equal(seen->thread, pthread_self()));
    seen->thread = pthread_self();
    for (size_t i = 0; i < view->count; i++) {
        uint32_t index = shoal_entity_index(view->entities[i]);
        seen->wrong = seen->wrong || (seen->count != 0 && index != seen->last + 1);
        seen->last = index;
        seen->count++;
    }
    return SHOAL_OK;
}

static void test_serial_goes_in_order_on_one_thread(void **state) {
    (void)state;
    steps s;
    start_with(&s, 4);
    steps_spawn(s.world, 30000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    for (size_t i = 0; i < 10; i++) {
        serial_seen seen = {0};
        shoal_system *system = ADD(&s, "serial", .each = check_serial, .serial = true, .user = &seen,
                                   .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))});
        steps_go(&s, 1);
        assert_count(seen.count, 30000);
        assert_false(seen.wrong);
        assert_ok(shoal_system_remove(system));
    }
    steps_end(&s);
}

static shoal_status check_thread(const shoal_run *run) {
    return pthread_equal(*(const pthread_t *)run->user, pthread_self()) && run->worker == 0 ? SHOAL_OK : SHOAL_CORRUPT;
}

static shoal_status check_thread_each(const shoal_run *run, shoal_view *view) {
    (void)view;
    return check_thread(run);
}

static void test_main_thread_rule(void **state) {
    (void)state;
    steps s;
    start_with(&s, 4);
    pthread_t self = pthread_self();
    steps_spawn(s.world, 30000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    ADD(&s, "once", .once = check_thread, .thread = SHOAL_THREAD_MAIN, .user = &self);
    ADD(&s, "each", .each = check_thread_each, .thread = SHOAL_THREAD_MAIN, .user = &self,
        .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))});
    ADD(&s, "exclusive", .once = check_thread, .exclusive = true, .user = &self);
    ADD(&s, "busy", .each = count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
    steps_go(&s, 30);
    steps_end(&s);
}

/* ---- I4: no deadlock ---- */

typedef struct sums {
    _Atomic uint64_t total;
    const shoal_run *run;
} sums;

static void add_range(void *data, size_t first, size_t end) {
    sums *sum = data;
    for (size_t i = first; i < end; i++) {
        atomic_fetch_add(&sum->total, i);
    }
}

static void add_nested(void *data, size_t first, size_t end) {
    sums *sum = data;
    for (size_t i = first; i < end; i++) {
        sums inner = {0};
        if (shoal_run_parallel(sum->run, 100, 7, add_range, &inner) == SHOAL_OK) {
            atomic_fetch_add(&sum->total, atomic_load(&inner.total));
        }
    }
}

static shoal_status parallel_once(const shoal_run *run) {
    static const size_t grains[] = {0, 1, 64, 100000};
    for (size_t i = 0; i < 4; i++) {
        sums sum = {0};
        shoal_status status = shoal_run_parallel(run, 1000, grains[i], add_range, &sum);
        if (status != SHOAL_OK || atomic_load(&sum.total) != 499500) {
            return SHOAL_CORRUPT;
        }
    }
    sums none = {0};
    if (shoal_run_parallel(run, 0, 0, add_range, &none) != SHOAL_OK || atomic_load(&none.total) != 0) {
        return SHOAL_CORRUPT;
    }
    return SHOAL_OK;
}

static shoal_status parallel_nested(const shoal_run *run) {
    sums sum = {.run = run};
    shoal_status status = shoal_run_parallel(run, 50, 1, add_nested, &sum);
    return status == SHOAL_OK && atomic_load(&sum.total) == 50 * 4950 ? SHOAL_OK : SHOAL_CORRUPT;
}

static void conf_I4_parallel_in_every_system(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    for (size_t w = 0; w < WORKER_CASES; w++) {
        steps s;
        start_with(&s, worker_counts[w]);
        for (size_t i = 0; i < 6; i++) {
            ADD(&s, names[i], .once = i % 2 == 0 ? parallel_once : parallel_nested);
        }
        ADD(&s, "x", .once = parallel_nested, .exclusive = true);
        steps_go(&s, 20);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

static void conf_I4_parallel_refuses_null(void **state) {
    (void)state;
    sums sum = {0};
    assert_status(shoal_run_parallel(NULL, 1, 1, add_range, &sum), SHOAL_INVALID_ARGUMENT);
}

typedef struct ranges {
    _Atomic uint32_t visits[10007];
    _Atomic uint32_t short_ones;
    size_t grain;
} ranges;

static void visit_range(void *data, size_t first, size_t end) {
    ranges *r = data;
    if (end <= first || (end - first < r->grain && end != 10007)) {
        atomic_fetch_add(&r->short_ones, 1);
    }
    for (size_t i = first; i < end; i++) {
        atomic_fetch_add(&r->visits[i], 1);
    }
}

static shoal_status visit_all(const shoal_run *run) {
    ranges *r = run->user;
    return shoal_run_parallel(run, 10007, r->grain, visit_range, r);
}

static void test_parallel_visits_each_number_once(void **state) {
    (void)state;
    static ranges r;
    for (size_t w = 0; w < WORKER_CASES; w++) {
        for (size_t grain = 0; grain <= 640; grain += 64) {
            memset(&r, 0, sizeof r);
            r.grain = grain;
            steps s;
            start_with(&s, worker_counts[w]);
            ADD(&s, "visit", .once = visit_all, .user = &r);
            steps_go(&s, 1);
            for (size_t i = 0; i < 10007; i++) {
                assert_count(atomic_load(&r.visits[i]), 1);
            }
            assert_count(atomic_load(&r.short_ones), 0);
            steps_end(&s);
        }
    }
    test_set_context("%s", "");
}

static shoal_status step_other(const shoal_run *run) {
    return shoal_world_step(run->user, 1000);
}

static void conf_I4_step_of_another_world(void **state) {
    (void)state;
    for (size_t w = 0; w < WORKER_CASES; w++) {
        uint32_t workers = worker_counts[w] != 0 ? worker_counts[w] : 1;
        test_set_context("%u workers", workers);
        shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = workers});
        assert_non_null(pool);
        steps outer;
        steps inner[4];
        steps_start(&outer, &(shoal_schedule_def){.pool = pool});
        static const char *const names[] = {"a", "b", "c", "d"};
        for (size_t i = 0; i < 4; i++) {
            steps_start(&inner[i], &(shoal_schedule_def){.pool = pool});
            steps_spawn(inner[i].world, 10000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
            ADD(&inner[i], "count", .each = count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
            ADD(&inner[i], "nested", .once = parallel_nested);
            ADD(&outer, names[i], .once = step_other, .user = inner[i].world);
        }
        steps_go(&outer, 10);
        for (size_t i = 0; i < 4; i++) {
            check_all_are(inner[i].world, 10, 10000);
            steps_end(&inner[i]);
        }
        steps_end(&outer);
        assert_ok(shoal_pool_destroy(pool));
    }
    test_set_context("%s", "");
}

/* ---- I6: jobs ---- */

static void conf_I6_few_jobs_for_many_small_archetypes(void **state) {
    (void)state;
    steps s;
    start_with(&s, 2);
    spawn_mixed(s.world, 5001, 1);
    steps_spawn(s.world, 20000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Velocity)));
    shoal_system *system = ADD(&s, "count", .each = count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
    steps_go(&s, 3);
    check_all_are(s.world, 3, 25001);
    assert_count(steps_stats(system).last_rows, 25001);
    assert_at_most(steps_stats(system).last_jobs, 2 * 32);
    assert_true(steps_stats(system).last_jobs >= 1);
    steps_end(&s);
}

/* ---- I7: overlap ---- */

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef struct meeting {
    _Atomic int arrived;
    _Atomic int met;
    double patience; /* seconds that one waits for the other */
} meeting;

/* Waits until the other one is there as well, or goes on after a while. */
static void wait_for_other(meeting *m) {
    atomic_fetch_add(&m->arrived, 1);
    double end = seconds_now() + m->patience;
    while (atomic_load(&m->arrived) < 2 && seconds_now() < end) {
        thrd_yield();
    }
    if (atomic_load(&m->arrived) >= 2) {
        atomic_fetch_add(&m->met, 1);
    }
}

static shoal_status meet_once(const shoal_run *run) {
    wait_for_other(run->user);
    return SHOAL_OK;
}

/* True when two systems were at work at one time in one of the steps. */
static bool do_meet(steps *s, meeting *m, size_t tries) {
    for (size_t i = 0; i < tries; i++) {
        atomic_store(&m->arrived, 0);
        atomic_store(&m->met, 0);
        steps_go(s, 1);
        if (atomic_load(&m->met) == 2) {
            return true;
        }
    }
    return false;
}

static void conf_I7_systems_that_do_not_conflict_overlap(void **state) {
    (void)state;
    steps s;
    start_with(&s, 2);
    meeting m = {.patience = 0.5};
    ADD(&s, "a", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .user = &m);
    ADD(&s, "b", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_WRITE(Velocity)), .user = &m);
    assert_true(do_meet(&s, &m, 20));
    assert_true(steps_schedule(&s).shared_stages > 0);
    steps_end(&s);
}

static void conf_I7_systems_that_conflict_do_not(void **state) {
    (void)state;
    steps s;
    start_with(&s, 2);
    meeting m = {.patience = 0.02};
    ADD(&s, "a", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .user = &m);
    ADD(&s, "b", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_READ(Position)), .user = &m);
    for (size_t i = 0; i < 10; i++) {
        atomic_store(&m.arrived, 0);
        atomic_store(&m.met, 0);
        steps_go(&s, 1);
        assert_int_equal(atomic_load(&m.met), 1); /* the second finds that the first has been there */
    }
    steps_end(&s);
}

static shoal_status meet_each(const shoal_run *run, shoal_view *view) {
    (void)view;
    meeting *m = run->user;
    if (atomic_load(&m->arrived) < 2) {
        wait_for_other(m);
    }
    return SHOAL_OK;
}

static void conf_I7_rows_of_one_system_are_shared(void **state) {
    (void)state;
    steps s;
    start_with(&s, 2);
    meeting m = {.patience = 0.5};
    steps_spawn(s.world, 200000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    ADD(&s, "each", .each = meet_each, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))}, .user = &m);
    bool met = false;
    for (size_t i = 0; i < 20 && !met; i++) {
        atomic_store(&m.arrived, 0);
        atomic_store(&m.met, 0);
        m.patience = 0.05;
        steps_go(&s, 1);
        met = atomic_load(&m.met) >= 2 && steps_schedule(&s).shared_stages > 0;
    }
    assert_true(met);
    steps_end(&s);
}

/* ---- D5: conflicts that come up later ---- */

static shoal_status times_three(const shoal_run *run, shoal_view *view) {
    (void)run;
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    for (size_t i = 0; i < view->count; i++) {
        health[i].value = (int32_t)((uint32_t)health[i].value * 3u);
    }
    return SHOAL_OK;
}

static void conf_D5_conflicts_of_new_archetypes_are_found(void **state) {
    (void)state;
    for (size_t w = 0; w < WORKER_CASES; w++) {
        steps s;
        start_with(&s, worker_counts[w]);
        ADD(&s, "plus", .each = count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health), SHOAL_WITH(Frozen))});
        ADD(&s, "times", .each = times_three,
            .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health), SHOAL_WITH(Selected))});
        steps_spawn(s.world, 20000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Frozen)));
        steps_spawn(s.world, 20000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Selected)));
        steps_go(&s, 2);
        enum { ROWS = 20000 };
        static shoal_entity both[ROWS];
        steps_spawn(s.world, ROWS, both,
                    SHOAL_VALUES(SHOAL_VALUE(Health, 1), SHOAL_DEFAULT(Frozen), SHOAL_DEFAULT(Selected)));
        steps_go(&s, 3);
        for (size_t i = 0; i < ROWS; i++) {
            assert_health(s.world, both[i], (((1 + 1) * 3 + 1) * 3 + 1) * 3);
        }
        steps_end(&s);
    }
    test_set_context("%s", "");
}

/* ---- I8: one worker, pools that stop ---- */

static shoal_status check_thread_view(const shoal_run *run, shoal_view *view) {
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    health[0].value++;
    return check_thread(run);
}

static void add_thread_checks(steps *s, pthread_t *self) {
    steps_spawn(s->world, 50000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    ADD(s, "a", .once = check_thread, .user = self);
    ADD(s, "b", .once = parallel_nested);
    ADD(s, "c", .each = check_thread_view, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))}, .user = self);
}

static void conf_I8_one_worker_crosses_no_thread(void **state) {
    (void)state;
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = 1});
    pthread_t self = pthread_self();
    steps s;
    steps_start(&s, &(shoal_schedule_def){.pool = pool});
    add_thread_checks(&s, &self);
    steps_go(&s, 10);
    shoal_pool_stats stats;
    assert_ok(shoal_pool_stats_get(pool, &stats));
    assert_count(stats.shared_passes, 0);
    assert_count(stats.wakes, 0);
    assert_count(steps_schedule(&s).shared_stages, 0);
    steps_end(&s);
    assert_ok(shoal_pool_destroy(pool));
}

static void conf_I8_a_stopped_pool_is_serial(void **state) {
    (void)state;
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = 3});
    pthread_t self = pthread_self();
    steps s;
    steps_start(&s, &(shoal_schedule_def){.pool = pool});
    assert_ok(shoal_pool_stop(pool));
    assert_count(shoal_pool_worker_count(pool), 1);
    add_thread_checks(&s, &self);
    steps_go(&s, 5);
    assert_ok(shoal_pool_start(pool));
    assert_count(shoal_pool_worker_count(pool), 3);
    assert_ok(shoal_system_remove(shoal_system_find(s.world, "a")));
    assert_ok(shoal_system_remove(shoal_system_find(s.world, "c")));
    meeting m = {.patience = 0.5};
    ADD(&s, "x", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .user = &m);
    ADD(&s, "y", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_WRITE(Velocity)), .user = &m);
    assert_true(do_meet(&s, &m, 20));
    steps_end(&s);
    assert_ok(shoal_pool_destroy(pool));
}

static void test_pool_in_use_is_busy(void **state) {
    (void)state;
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = 2});
    steps s;
    steps_start(&s, &(shoal_schedule_def){.pool = pool});
    steps_go(&s, 1);
    assert_status(shoal_pool_destroy(pool), SHOAL_POOL_BUSY);
    assert_ok(shoal_schedule_configure(s.world, &(shoal_schedule_def){.alone = true}));
    assert_ok(shoal_pool_destroy(pool));
    steps_go(&s, 1);
    steps_end(&s);
}

static shoal_status stop_pool(const shoal_run *run) {
    shoal_status status = shoal_pool_stop(run->user);
    return status == SHOAL_POOL_BUSY ? SHOAL_OK : SHOAL_CORRUPT;
}

static void test_pool_at_work_is_busy(void **state) {
    (void)state;
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = 2});
    steps s;
    steps_start(&s, &(shoal_schedule_def){.pool = pool});
    ADD(&s, "stop", .once = stop_pool, .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .user = pool);
    ADD(&s, "other", .once = parallel_once);
    ADD(&s, "third", .once = parallel_once);
    steps_go(&s, 3);
    steps_end(&s);
    assert_ok(shoal_pool_destroy(pool));
}

/* ---- I9: worlds on several threads ---- */

typedef struct own_world {
    shoal_pool *pool;
    uint32_t number;
    _Atomic int failures;
} own_world;

static void *step_own_world(void *data) {
    own_world *own = data;
    for (uint32_t round = 0; round < 5; round++) {
        char name[32];
        snprintf(name, sizeof name, "Own%u_%u", own->number, round);
        shoal_component component = shoal_component_register(&(shoal_component_def){.name = name, .size = 4});
        shoal_world *world = shoal_world_create(NULL);
        bool good = component.id != 0 && world != NULL;
        good = good && shoal_schedule_configure(world, &(shoal_schedule_def){.pool = own->pool}) == SHOAL_OK;
        good =
            good && shoal_spawn_many(world, &(shoal_spawn_many_def){
                                                .count = 5000,
                                                .values = (shoal_value[]){{SHOAL_ID(Health), NULL}, {component, NULL}},
                                                .value_count = 2}) == SHOAL_OK;
        good = good && shoal_system_add(
                           world, &(shoal_system_def){.name = "count",
                                                      .each = count_up,
                                                      .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))}}) != NULL;
        for (size_t i = 0; i < 10 && good; i++) {
            good = shoal_world_step(world, 1) == SHOAL_OK;
        }
        const Health *first = good ? SHOAL_GET(world, shoal_entity_make(world, 0, 0), Health) : NULL;
        good = good && first != NULL && first->value == 10 && shoal_world_validate(world) == SHOAL_OK;
        atomic_fetch_add(&own->failures, !good);
        shoal_world_destroy(world);
    }
    return NULL;
}

static void conf_I9_many_worlds_on_many_threads(void **state) {
    (void)state;
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = 4});
    own_world own[6] = {{0}};
    pthread_t threads[6];
    for (uint32_t i = 0; i < 6; i++) {
        own[i].pool = i % 3 != 0 ? pool : NULL;
        own[i].number = i;
        assert_int_equal(pthread_create(&threads[i], NULL, step_own_world, &own[i]), 0);
    }
    for (size_t i = 0; i < 6; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(atomic_load(&own[i].failures), 0);
    }
    assert_ok(shoal_pool_destroy(pool));
}

static shoal_status read_and_record(const shoal_run *run, shoal_view *view) {
    const Link *link = SHOAL_COLUMN(view, Link);
    for (size_t i = 0; i < view->count; i++) {
        const Health *health = SHOAL_GET(run->world, link[i].target, Health);
        if (health == NULL || !SHOAL_HAS(run->world, view->entities[i], Link)) {
            return SHOAL_CORRUPT;
        }
        if (health->value % 100 == 0) {
            shoal_status status = SHOAL_COMMANDS_ADD(run->commands, view->entities[i], Letter, 1);
            if (status != SHOAL_OK) {
                return status;
            }
        }
    }
    return SHOAL_OK;
}

static void conf_I9_reads_beside_recording(void **state) {
    (void)state;
    steps s;
    start_with(&s, 4);
    enum { ROWS = 20000 };
    static shoal_entity targets[ROWS];
    steps_spawn(s.world, ROWS, targets, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    for (int i = 0; i < ROWS; i++) {
        assert_ok(SHOAL_SET(s.world, targets[i], Health, i));
        spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Link, .target = targets[(i * 7919) % ROWS])));
    }
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++) {
        ADD(&s, names[i], .each = read_and_record, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Link))},
            .lookups = SHOAL_TERMS(SHOAL_READ(Health)), .commands = true);
    }
    steps_go(&s, 3);
    shoal_query *marked = make_query(s.world, SHOAL_TERMS(SHOAL_READ(Letter)));
    assert_count(shoal_query_count(marked), ROWS / 100);
    steps_end(&s);
}

/* ---- I10: many spawns ---- */

#if defined(UNDER_ASAN)
enum { SPAWNERS = 100, SPAWNS = 1000 };
#else
enum { SPAWNERS = 1000, SPAWNS = 1000 };
#endif

static shoal_status spawn_thousand(const shoal_run *run, shoal_view *view) {
    for (size_t i = 0; i < view->count * SPAWNS; i++) {
        if (shoal_entity_is_null(shoal_commands_spawn(run->commands, SHOAL_VALUES(SHOAL_VALUE(Gauge, 1))))) {
            return SHOAL_OUT_OF_MEMORY;
        }
    }
    return SHOAL_OK;
}

static void conf_I10_a_million_spawns_on_16_threads(void **state) {
    (void)state;
    steps s;
    start_with(&s, 16);
    for (size_t i = 0; i < SPAWNERS; i++) {
        spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    }
    ADD(&s, "spawn", .each = spawn_thousand, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))}, .commands = true,
        .block_rows = 1);
    steps_go(&s, 1);
    assert_count(shoal_world_entity_count(s.world), SPAWNERS + (uint64_t)SPAWNERS * SPAWNS);
    shoal_query *made = make_query(s.world, SHOAL_TERMS(SHOAL_READ(Gauge)));
    assert_count(shoal_query_count(made), (uint64_t)SPAWNERS * SPAWNS);
    assert_count(shoal_query_archetype_count(made), 1);
    steps_end(&s);
}

/* ---- random worlds and schedules ---- */

static void test_random_schedules_stay_valid(void **state) {
    (void)state;
    uint64_t seed = test_environment("SHOAL_SEED", 5);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t round = 0; round < test_environment("SHOAL_ROUNDS", 6); round++) {
        test_set_context("seed %llu, round %llu", (unsigned long long)seed, (unsigned long long)round);
        rng random = {seed * 7919 + round};
        steps s;
        steps_start(
            &s, &(shoal_schedule_def){.worker_count = 1 + rng_below(&random, 8), .no_fusion = rng_chance(&random, 30)});
        uint64_t rows = spawn_mixed(s.world, 1 + rng_below(&random, 300), 2 + rng_below(&random, 300));
        int32_t expected = 0;
        size_t systems = 1 + rng_below(&random, 8);
        for (size_t i = 0; i < systems; i++) {
            char name[16];
            snprintf(name, sizeof name, "s%zu", i);
            ADD(&s, name, .each = count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))},
                .serial = rng_chance(&random, 20), .barrier = rng_chance(&random, 20),
                .block_rows = rng_chance(&random, 30) ? 1u << rng_below(&random, 10) : 0);
        }
        for (size_t step = 0; step < 4; step++) {
            steps_go(&s, 1);
            expected += (int32_t)systems;
        }
        check_all_are(s.world, expected, rows);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_once),
        cmocka_unit_test(test_every_row_once_of_many_archetypes),
        cmocka_unit_test(test_rows_that_are_off_are_left_out),
        cmocka_unit_test(conf_G2_slices_begin_at_their_own_rows),
        cmocka_unit_test(test_serial_goes_in_order_on_one_thread),
        cmocka_unit_test(test_main_thread_rule),
        cmocka_unit_test(conf_I4_parallel_in_every_system),
        cmocka_unit_test(conf_I4_parallel_refuses_null),
        cmocka_unit_test(test_parallel_visits_each_number_once),
        cmocka_unit_test(conf_I4_step_of_another_world),
        cmocka_unit_test(conf_I6_few_jobs_for_many_small_archetypes),
        cmocka_unit_test(conf_I7_systems_that_do_not_conflict_overlap),
        cmocka_unit_test(conf_I7_systems_that_conflict_do_not),
        cmocka_unit_test(conf_I7_rows_of_one_system_are_shared),
        cmocka_unit_test(conf_D5_conflicts_of_new_archetypes_are_found),
        cmocka_unit_test(conf_I8_one_worker_crosses_no_thread),
        cmocka_unit_test(conf_I8_a_stopped_pool_is_serial),
        cmocka_unit_test(test_pool_in_use_is_busy),
        cmocka_unit_test(test_pool_at_work_is_busy),
        cmocka_unit_test(conf_I9_many_worlds_on_many_threads),
        cmocka_unit_test(conf_I9_reads_beside_recording),
        cmocka_unit_test(conf_I10_a_million_spawns_on_16_threads),
        cmocka_unit_test(test_random_schedules_stay_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
