/*
 * Workers: no deadlock with any number of them, loops inside of loops, steps inside of steps; overlap; one worker;
 * pools that stop; many worlds on one pool. Conformance I4, I7, I8, I9.
 *
 * A program that waits for ever is ended by the time limit of its test. Systems check by counters and statuses, since a
 * failed check of cmocka leaves its function and may do so on the thread of the test alone.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/steps.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static const uint32_t worker_counts[] = {0, 1, 2, 3, 8};
#define WORKER_CASES (sizeof worker_counts / sizeof worker_counts[0])

/* ---- helpers ---- */

static shoal_status check_thread(const shoal_run *run) {
    return pthread_equal(*(const pthread_t *)run->user, pthread_self()) && run->worker == 0 ? SHOAL_OK : SHOAL_CORRUPT;
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
    return status == SHOAL_OK && atomic_load(&sum.total) == 247500 ? SHOAL_OK : SHOAL_CORRUPT;
}

static void conf_I4_parallel_in_every_system(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    for (size_t w = 0; w < WORKER_CASES; w++) {
        steps s;
        steps_start_with(&s, worker_counts[w]);
        for (size_t i = 0; i < 6; i++) {
            STEPS_ADD(&s, names[i], .once = i % 2 == 0 ? parallel_once : parallel_nested);
        }
        STEPS_ADD(&s, "x", .once = parallel_nested, .exclusive = true);
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
            steps_start_with(&s, worker_counts[w]);
            STEPS_ADD(&s, "visit", .once = visit_all, .user = &r);
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
            STEPS_ADD(&inner[i], "count", .each = steps_count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
            STEPS_ADD(&inner[i], "nested", .once = parallel_nested);
            STEPS_ADD(&outer, names[i], .once = step_other, .user = inner[i].world);
        }
        steps_go(&outer, 10);
        for (size_t i = 0; i < 4; i++) {
            steps_check_health(inner[i].world, 10, 10000);
            steps_end(&inner[i]);
        }
        steps_end(&outer);
        assert_ok(shoal_pool_destroy(pool));
    }
    test_set_context("%s", "");
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
    steps_start_with(&s, 2);
    meeting m = {.patience = 0.5};
    STEPS_ADD(&s, "a", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .user = &m);
    STEPS_ADD(&s, "b", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_WRITE(Velocity)), .user = &m);
    assert_true(do_meet(&s, &m, 20));
    assert_true(steps_schedule(&s).shared_stages > 0);
    steps_end(&s);
}

static void conf_I7_systems_that_conflict_do_not(void **state) {
    (void)state;
    steps s;
    steps_start_with(&s, 2);
    meeting m = {.patience = 0.02};
    STEPS_ADD(&s, "a", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .user = &m);
    STEPS_ADD(&s, "b", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_READ(Position)), .user = &m);
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
    steps_start_with(&s, 2);
    meeting m = {.patience = 0.5};
    steps_spawn(s.world, 200000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    STEPS_ADD(&s, "each", .each = meet_each, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))}, .user = &m);
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

/* ---- I8: one worker, pools that stop ---- */

static shoal_status check_thread_view(const shoal_run *run, shoal_view *view) {
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    health[0].value++;
    return check_thread(run);
}

static void add_thread_checks(steps *s, pthread_t *self) {
    steps_spawn(s->world, 50000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    STEPS_ADD(s, "a", .once = check_thread, .user = self);
    STEPS_ADD(s, "b", .once = parallel_nested);
    STEPS_ADD(s, "c", .each = check_thread_view, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))}, .user = self);
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
    STEPS_ADD(&s, "x", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .user = &m);
    STEPS_ADD(&s, "y", .once = meet_once, .lookups = SHOAL_TERMS(SHOAL_WRITE(Velocity)), .user = &m);
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
    return status == SHOAL_POOL_BUSY || status == SHOAL_OK ? SHOAL_OK : SHOAL_CORRUPT;
}

/* Busy when it is at work; in no case does a worker wait for itself. */
static void test_stop_of_a_pool_in_a_system(void **state) {
    (void)state;
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = 2});
    steps s;
    steps_start(&s, &(shoal_schedule_def){.pool = pool});
    STEPS_ADD(&s, "stop", .once = stop_pool, .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .user = pool);
    STEPS_ADD(&s, "other", .once = parallel_once);
    STEPS_ADD(&s, "third", .once = parallel_once);
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
                                                      .each = steps_count_up,
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
    steps_start_with(&s, 4);
    enum { ROWS = 20000 };
    static shoal_entity targets[ROWS];
    steps_spawn(s.world, ROWS, targets, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    for (int i = 0; i < ROWS; i++) {
        assert_ok(SHOAL_SET(s.world, targets[i], Health, i));
        spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Link, .target = targets[(i * 7919) % ROWS])));
    }
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++) {
        STEPS_ADD(&s, names[i], .each = read_and_record, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Link))},
                  .lookups = SHOAL_TERMS(SHOAL_READ(Health), SHOAL_WITH(Link)), .commands = true);
    }
    steps_go(&s, 3);
    shoal_query *marked = make_query(s.world, SHOAL_TERMS(SHOAL_READ(Letter)));
    assert_count(shoal_query_count(marked), ROWS / 100);
    steps_end(&s);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_I4_parallel_in_every_system),
        cmocka_unit_test(conf_I4_parallel_refuses_null),
        cmocka_unit_test(test_parallel_visits_each_number_once),
        cmocka_unit_test(conf_I4_step_of_another_world),
        cmocka_unit_test(conf_I7_systems_that_do_not_conflict_overlap),
        cmocka_unit_test(conf_I7_systems_that_conflict_do_not),
        cmocka_unit_test(conf_I7_rows_of_one_system_are_shared),
        cmocka_unit_test(conf_I8_one_worker_crosses_no_thread),
        cmocka_unit_test(conf_I8_a_stopped_pool_is_serial),
        cmocka_unit_test(test_pool_in_use_is_busy),
        cmocka_unit_test(test_stop_of_a_pool_in_a_system),
        cmocka_unit_test(conf_I9_many_worlds_on_many_threads),
        cmocka_unit_test(conf_I9_reads_beside_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
