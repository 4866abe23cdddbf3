/*
 * Worker pools: every job of a pass is done once, slots, nested passes, several threads at once, parking, stop and
 * start, what is refused, threads that cannot be started, physical cores. Conformance I8, and I4 as far as passes go;
 * test_pool_runner.c has pools whose threads are the caller's.
 *
 * A worker that is never woken would make a test wait forever, so an alarm ends the program.
 */
#define _GNU_SOURCE /* sched_setaffinity, pthread_getname_np */

#include "support/pass.h"
#include "support/test.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/platform/platform.h"

/* ---- failures on demand: the linker puts these in front of the C library's (tests/CMakeLists.txt) ---- */

static _Atomic uint32_t threads_until_failure; /* 0: no thread fails */
static _Atomic bool memory_fails;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data);
void *__real_aligned_alloc(size_t alignment, size_t byte_size);
void *__wrap_aligned_alloc(size_t alignment, size_t byte_size);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data) {
    if (threads_until_failure != 0 && --threads_until_failure == 0) {
        return EAGAIN;
    }
    return __real_pthread_create(thread, attributes, run, data);
}

void *__wrap_aligned_alloc(size_t alignment, size_t byte_size) {
    return memory_fails ? NULL : __real_aligned_alloc(alignment, byte_size);
}

static shoal_pool *pool_of(uint32_t worker_count) {
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = worker_count});
    assert_non_null(pool);
    return pool;
}

static shoal_pool_stats stats_of(const shoal_pool *pool) {
    shoal_pool_stats stats;
    assert_ok(shoal_pool_stats_get(pool, &stats));
    return stats;
}

static const uint32_t worker_counts[] = {1, 2, 3, 8, 32};
#define WORKER_COUNTS (sizeof worker_counts / sizeof worker_counts[0])

/* ---- passes ---- */

static void test_every_job_is_done_once(void **state) {
    (void)state;
    for (size_t i = 0; i < WORKER_COUNTS; i++) {
        shoal_pool *pool = pool_of(worker_counts[i]);
        assert_count(shoal_pool_worker_count(pool), worker_counts[i]);
        for (uint32_t round = 0; round < 300; round++) {
            uint32_t job_count = round % 7 * 40;
            job_pass jobs;
            job_pass_run(&jobs, pool, job_count, worker_counts[i]);
            assert_count(jobs.faults, 0);
        }
        assert_count(stats_of(pool).passes, worker_counts[i] == 1 ? 0 : 300);
        assert_ok(shoal_pool_destroy(pool));
    }
}

static void test_no_more_helpers_than_of_use(void **state) {
    (void)state;
    shoal_pool *pool = pool_of(8);
    for (uint32_t round = 0; round < 400; round++) {
        met_pass met;
        met_pass_linger(&met, pool, round % 4);
        assert_count(met.met_count, round % 4);
    }
    assert_count(stats_of(pool).passes, 300);
    assert_count(stats_of(pool).shared_passes, 300);
    assert_ok(shoal_pool_destroy(pool));
}

/* A worker that has left a pass takes no other one's place in it. */
static void test_workers_do_not_come_back(void **state) {
    (void)state;
    shoal_pool *pool = pool_of(3);
    for (uint32_t round = 0; round < 400; round++) {
        met_pass met;
        met_pass_linger(&met, pool, 2);
        for (uint32_t slot = 0; slot < 3; slot++) {
            assert_count(met.slot_visits[slot], 1);
        }
    }
    assert_ok(shoal_pool_destroy(pool));
}

/* The caller waits until a helper has been there, so each of these passes needs one that wakes up. */
static void test_short_passes_lose_no_wake(void **state) {
    (void)state;
    const uint32_t spins[] = {1, 50};
    for (size_t i = 0; i < 2; i++) {
        shoal_pool *pool =
            shoal_pool_create(&(shoal_pool_def){.worker_count = 2 + (uint32_t)i, .spin_microseconds = spins[i]});
        assert_non_null(pool);
        for (uint32_t round = 0; round < 10000; round++) {
            met_pass met;
            met_pass_run(&met, pool, 1);
            assert_count(met.met_count, 1);
        }
        assert_count(stats_of(pool).shared_passes, 10000);
        assert_ok(shoal_pool_destroy(pool));
    }
}

/* All workers at one time in one pass: each has a slot of its own, and each is there. */
static void test_all_workers_meet(void **state) {
    (void)state;
    for (size_t i = 0; i < WORKER_COUNTS; i++) {
        shoal_pool *pool = pool_of(worker_counts[i]);
        for (uint32_t round = 0; round < 5; round++) {
            met_pass met;
            met_pass_run(&met, pool, worker_counts[i] - 1);
            assert_count(met.met_count, worker_counts[i] - 1);
            for (uint32_t slot = 0; slot < worker_counts[i]; slot++) {
                assert_count(met.slot_visits[slot], 1);
            }
        }
        assert_ok(shoal_pool_destroy(pool));
    }
}

static void test_parked_workers_wake(void **state) {
    (void)state;
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = 3, .spin_microseconds = 1});
    assert_non_null(pool);
    /* A sleep is no promise that they have parked, so it is done until they had. */
    while (stats_of(pool).wakes == 0) {
        (void)usleep(20000);
        met_pass met;
        met_pass_run(&met, pool, 2);
        assert_count(met.met_count, 2);
    }
    assert_ok(shoal_pool_destroy(pool));
}

static void conf_I4_nested_passes(void **state) {
    (void)state;
    for (size_t i = 0; i <= WORKER_COUNTS; i++) {
        shoal_pool *pool = i == WORKER_COUNTS ? NULL : pool_of(worker_counts[i]);
        for (uint32_t round = 0; round < 20; round++) {
            nested_pass nested;
            nested_pass_run(&nested, pool, 3, 6);
            assert_count(nested.leaf_count, 6 * 6 * 6);
        }
        assert_ok(shoal_pool_destroy(pool));
    }
}

/* Deeper than a pool has entries: what finds none runs alone, and all entries come back. */
static void conf_I4_more_passes_than_entries(void **state) {
    (void)state;
    shoal_pool *pool = pool_of(2);
    for (uint32_t round = 0; round < 50; round++) {
        nested_pass nested;
        nested_pass_run(&nested, pool, 40, 1);
        assert_count(nested.leaf_count, 1);
    }
    assert_ok(shoal_pool_stop(pool));
    assert_ok(shoal_pool_destroy(pool));
}

typedef struct caller {
    shoal_pool *pool;
    uint64_t faults;
} caller;

static void *caller_run(void *data) {
    caller *self = data;
    for (uint32_t round = 0; round < 300; round++) {
        job_pass jobs;
        job_pass_run(&jobs, self->pool, round % 5 * 20, 4);
        self->faults += jobs.faults;
        nested_pass nested;
        nested_pass_run(&nested, self->pool, 2, 3);
        self->faults += nested.leaf_count != 9;
    }
    return NULL;
}

static void conf_I4_several_threads_use_one_pool(void **state) {
    (void)state;
    enum { COUNT = 6 };
    shoal_pool *pool = pool_of(4);
    pthread_t threads[COUNT];
    caller callers[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        callers[i] = (caller){.pool = pool};
        assert_int_equal(pthread_create(&threads[i], NULL, caller_run, &callers[i]), 0);
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_count(callers[i].faults, 0);
    }
    assert_ok(shoal_pool_destroy(pool));
}

/* ---- waiting inside of a pass ---- */

static void test_waits_end(void **state) {
    (void)state;
    assert_count(pool_signal_seen(NULL), 0);
    pool_wait(NULL, 0);
    pool_signal(NULL);
    shoal_pool *pool = pool_of(2);
    uint32_t seen = pool_signal_seen(pool);
    pool_signal(pool);
    assert_true(pool_signal_seen(pool) != seen);
    pool_wait(pool, seen); /* returns, since the signal came before */
    assert_ok(shoal_pool_destroy(pool));
}

/* Each job waits until the one before it is done, by whichever worker. */
static void test_jobs_wait_for_each_other(void **state) {
    (void)state;
    const uint32_t counts[] = {2, 3, 16};
    for (size_t i = 0; i < 3; i++) {
        shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = counts[i], .spin_microseconds = 1});
        assert_non_null(pool);
        for (uint32_t round = 0; round < 50; round++) {
            chain_pass chain;
            chain_pass_run(&chain, pool, 64);
            assert_count(chain.done_count, 64);
            assert_count(chain.faults, 0);
        }
        assert_ok(shoal_pool_destroy(pool));
    }
}

/* ---- one worker, stop and start ---- */

typedef struct thread_pass {
    pool_pass pass;
    pthread_t caller;
    _Atomic uint32_t own_count;
    _Atomic uint32_t foreign_count;
} thread_pass;

static void thread_work(pool_pass *pass, uint32_t slot) {
    thread_pass *seen = (thread_pass *)pass;
    bool is_own = pthread_equal(pthread_self(), seen->caller) != 0 && slot == 0;
    atomic_fetch_add(is_own ? &seen->own_count : &seen->foreign_count, 1);
}

/* Runs many passes that any worker may join; all of them must have been worked by the caller alone. */
static void check_alone(shoal_pool *pool) {
    thread_pass seen = {.pass = {.work = thread_work, .helper_limit = 64}, .caller = pthread_self()};
    for (uint32_t i = 0; i < 2000; i++) {
        pool_run(pool, &seen.pass);
    }
    assert_count(seen.own_count, 2000);
    assert_count(seen.foreign_count, 0);
}

static void conf_I8_one_worker_crosses_no_thread(void **state) {
    (void)state;
    check_alone(NULL);
    shoal_pool *pool = pool_of(1);
    threads_until_failure = 1; /* it starts no thread either */
    assert_ok(shoal_pool_stop(pool));
    assert_ok(shoal_pool_start(pool));
    assert_count(threads_until_failure, 1);
    threads_until_failure = 0;
    check_alone(pool);
    assert_count(stats_of(pool).passes, 0);
    assert_ok(shoal_pool_destroy(pool));
}

static void conf_I8_stop_runs_alone_and_start_shares(void **state) {
    (void)state;
    shoal_pool *pool = pool_of(3);
    for (uint32_t round = 0; round < 20; round++) {
        met_pass met;
        met_pass_run(&met, pool, 2);
        assert_count(met.met_count, 2);
        assert_ok(shoal_pool_stop(pool));
        assert_ok(shoal_pool_stop(pool));
        assert_count(shoal_pool_worker_count(pool), 1);
        check_alone(pool);
        assert_ok(shoal_pool_start(pool));
        assert_ok(shoal_pool_start(pool));
        assert_count(shoal_pool_worker_count(pool), 3);
    }
    assert_ok(shoal_pool_stop(pool));
    assert_ok(shoal_pool_destroy(pool)); /* also when it is stopped */
}

/* ---- what is refused ---- */

typedef struct busy_pass {
    pool_pass pass;
    shoal_pool *pool;
    shoal_status stop, destroy;
} busy_pass;

static void busy_work(pool_pass *pass, uint32_t slot) {
    busy_pass *busy = (busy_pass *)pass;
    if (slot == 0) {
        busy->stop = shoal_pool_stop(busy->pool);
        busy->destroy = shoal_pool_destroy(busy->pool);
    }
}

static void conf_I8_a_pool_at_work_is_busy(void **state) {
    (void)state;
    for (uint32_t worker_count = 1; worker_count <= 2; worker_count++) {
        shoal_pool *pool = pool_of(worker_count);
        busy_pass busy = {.pass = {.work = busy_work, .helper_limit = 1}, .pool = pool};
        pool_run(pool, &busy.pass);
        assert_status(busy.stop, SHOAL_POOL_BUSY);
        assert_status(busy.destroy, SHOAL_POOL_BUSY);
        assert_last_error(NULL, SHOAL_POOL_BUSY);
        assert_message_has(NULL, "at work");
        assert_true(pool_use(pool)); /* the refusal has left nothing behind */
        pool_unuse(pool);
        assert_ok(shoal_pool_stop(pool));
        assert_ok(shoal_pool_destroy(pool));
    }
}

static void conf_I8_a_pool_in_use_is_busy(void **state) {
    (void)state;
    shoal_pool *pool = pool_of(2);
    assert_true(pool_use(pool));
    assert_true(pool_use(pool));
    assert_status(shoal_pool_destroy(pool), SHOAL_POOL_BUSY);
    assert_message_has(NULL, "2 worlds");
    assert_ok(shoal_pool_stop(pool)); /* users do not hinder that */
    assert_ok(shoal_pool_start(pool));
    pool_unuse(pool);
    assert_status(shoal_pool_destroy(pool), SHOAL_POOL_BUSY);
    met_pass met;
    met_pass_run(&met, pool, 1);
    assert_count(met.met_count, 1);
    pool_unuse(pool);
    assert_ok(shoal_pool_destroy(pool));
}

static void test_arguments(void **state) {
    (void)state;
    assert_null(shoal_pool_create(&(shoal_pool_def){.worker_count = 1025}));
    assert_last_error(NULL, SHOAL_INVALID_ARGUMENT);
    assert_message_has(NULL, "1025");
    shoal_pool_stats stats;
    assert_status(shoal_pool_stats_get(NULL, &stats), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_pool_stop(NULL), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_pool_start(NULL), SHOAL_INVALID_ARGUMENT);
    assert_ok(shoal_pool_destroy(NULL));
    assert_count(shoal_pool_worker_count(NULL), 0);
    shoal_pool *pool = shoal_pool_create(NULL);
    assert_non_null(pool);
    assert_count(shoal_pool_worker_count(pool), shoal_core_count());
    assert_status(shoal_pool_stats_get(pool, NULL), SHOAL_INVALID_ARGUMENT);
    assert_ok(shoal_pool_destroy(pool));
}

static void test_threads_that_do_not_start(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 7; n++) {
        threads_until_failure = n;
        assert_null(shoal_pool_create(&(shoal_pool_def){.worker_count = 8}));
        assert_count(threads_until_failure, 0);
        assert_last_error(NULL, SHOAL_THREAD_FAILED);
        assert_message_has(NULL, "of 7");
    }
    shoal_pool *pool = pool_of(8);
    assert_ok(shoal_pool_stop(pool));
    threads_until_failure = 3;
    assert_status(shoal_pool_start(pool), SHOAL_THREAD_FAILED);
    assert_count(shoal_pool_worker_count(pool), 1);
    check_alone(pool);
    assert_ok(shoal_pool_start(pool));
    met_pass met;
    met_pass_run(&met, pool, 7);
    assert_count(met.met_count, 7);
    assert_ok(shoal_pool_destroy(pool));
}

static void test_no_memory(void **state) {
    (void)state;
    memory_fails = true;
    assert_null(shoal_pool_create(NULL));
    memory_fails = false;
    assert_last_error(NULL, SHOAL_OUT_OF_MEMORY);
}

/* ---- the threads ---- */

typedef struct look_pass {
    pool_pass pass;
    shoal_pool *pool;
    char name[32];
    bool takes_signals;
    _Atomic bool is_done;
} look_pass;

static void look_work(pool_pass *pass, uint32_t slot) {
    look_pass *look = (look_pass *)pass;
    if (slot != 0) {
        sigset_t masked;
        (void)pthread_sigmask(SIG_SETMASK, NULL, &masked);
        look->takes_signals = sigismember(&masked, SIGINT) == 0 || sigismember(&masked, SIGALRM) == 0;
#ifdef __linux__
        (void)pthread_getname_np(pthread_self(), look->name, sizeof look->name);
#endif
        atomic_store(&look->is_done, true);
        pool_signal(look->pool);
        return;
    }
    for (uint32_t seen = pool_signal_seen(look->pool); !atomic_load(&look->is_done);
         seen = pool_signal_seen(look->pool)) {
        pool_wait(look->pool, seen);
    }
}

static void check_thread(const char *name, const char *expected) {
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.name = name, .worker_count = 2});
    assert_non_null(pool);
    look_pass look = {.pass = {.work = look_work, .helper_limit = 1}, .pool = pool};
    pool_run(pool, &look.pass);
    assert_false(look.takes_signals);
#ifdef __linux__
    assert_string_equal(look.name, expected);
#else
    (void)expected;
#endif
    assert_ok(shoal_pool_destroy(pool));
}

static void test_threads_have_names_and_take_no_signals(void **state) {
    (void)state;
    check_thread(NULL, "shoal1");
    check_thread("physics", "physics1");
    check_thread("a name that is too long", "a name that1");
}

static void test_errno_stays(void **state) {
    (void)state;
    errno = 77;
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = 3, .spin_microseconds = 1});
    for (uint32_t round = 0; round < 200; round++) {
        met_pass met;
        met_pass_run(&met, pool, 2);
    }
    shoal_status status = shoal_pool_destroy(pool);
    (void)platform_core_count();
    (void)platform_processor_count();
    assert_int_equal(errno, 77);
    assert_ok(status);
}

/* ---- cores ---- */

static void test_cores(void **state) {
    (void)state;
    uint32_t core_count = shoal_core_count();
    assert_true(core_count >= 1);
    assert_at_most(core_count, sysconf(_SC_NPROCESSORS_ONLN));
    assert_at_most(core_count, platform_processor_count());
    assert_count(shoal_core_count(), core_count);
    assert_count(platform_core_count(), core_count);
}

#ifdef __linux__
static void test_cores_that_are_ruled_out_do_not_count(void **state) {
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &before)) {
            CPU_ZERO(&one);
            CPU_SET(i, &one);
            assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
            uint32_t core_count = platform_core_count(), processor_count = platform_processor_count();
            assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
            assert_count(core_count, 1);
            assert_count(processor_count, 1);
        }
    }
}
#endif

int main(void) {
    (void)alarm(100);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_job_is_done_once),
        cmocka_unit_test(test_no_more_helpers_than_of_use),
        cmocka_unit_test(test_workers_do_not_come_back),
        cmocka_unit_test(test_short_passes_lose_no_wake),
        cmocka_unit_test(test_all_workers_meet),
        cmocka_unit_test(test_parked_workers_wake),
        cmocka_unit_test(conf_I4_nested_passes),
        cmocka_unit_test(conf_I4_more_passes_than_entries),
        cmocka_unit_test(conf_I4_several_threads_use_one_pool),
        cmocka_unit_test(test_waits_end),
        cmocka_unit_test(test_jobs_wait_for_each_other),
        cmocka_unit_test(conf_I8_one_worker_crosses_no_thread),
        cmocka_unit_test(conf_I8_stop_runs_alone_and_start_shares),
        cmocka_unit_test(conf_I8_a_pool_at_work_is_busy),
        cmocka_unit_test(conf_I8_a_pool_in_use_is_busy),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_threads_that_do_not_start),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_threads_have_names_and_take_no_signals),
        cmocka_unit_test(test_errno_stays),
        cmocka_unit_test(test_cores),
#ifdef __linux__
        cmocka_unit_test(test_cores_that_are_ruled_out_do_not_count),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
