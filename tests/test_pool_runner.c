/*
 * Worker pools whose threads are the caller's: runners that call tasks at once, late, on threads, or refuse. The tasks
 * of a runner here are counted, so each test sees that none is lost. An alarm ends the program if a wait never does.
 */
#include "support/pass.h"
#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define TASK_LIMIT 4096

typedef struct queued {
    void (*task)(void *data);
    void *data;
} queued;

/* A runner that keeps its tasks until run_queued(). */
typedef struct queue {
    pthread_mutex_t mutex;
    queued tasks[TASK_LIMIT];
    size_t count, most, refuse_from;
    size_t wait_count;
} queue;

static bool queue_start(void *user, void (*task)(void *data), void *data) {
    queue *q = user;
    (void)pthread_mutex_lock(&q->mutex);
    bool takes = q->count < TASK_LIMIT && q->count < q->refuse_from;
    if (takes) {
        q->tasks[q->count++] = (queued){task, data};
        q->most = q->count > q->most ? q->count : q->most;
    }
    (void)pthread_mutex_unlock(&q->mutex);
    return takes;
}

/* Runs the oldest task, if there is one. */
static bool run_queued(queue *q) {
    (void)pthread_mutex_lock(&q->mutex);
    queued first = {0};
    if (q->count > 0) {
        first = q->tasks[0];
        q->count--;
        for (size_t i = 0; i < q->count; i++) {
            q->tasks[i] = q->tasks[i + 1];
        }
    }
    (void)pthread_mutex_unlock(&q->mutex);
    if (first.task != NULL) {
        first.task(first.data);
    }
    return first.task != NULL;
}

static void queue_wait(void *user) {
    queue *q = user;
    q->wait_count++;
    (void)run_queued(q);
}

static shoal_pool *pool_of(uint32_t worker_count, shoal_runner runner) {
    shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = worker_count, .runner = runner});
    assert_non_null(pool);
    assert_count(shoal_pool_worker_count(pool), worker_count);
    return pool;
}

static shoal_pool_stats stats_of(const shoal_pool *pool) {
    shoal_pool_stats stats;
    assert_ok(shoal_pool_stats_get(pool, &stats));
    return stats;
}

/* ---- at once, on the thread that steps ---- */

static bool start_at_once(void *user, void (*task)(void *data), void *data) {
    (*(uint32_t *)user)++;
    task(data);
    return true;
}

/* A task on a thread that is inside of the pass must not help, so the caller does all. */
static void test_tasks_at_once(void **state) {
    (void)state;
    uint32_t task_count = 0;
    shoal_pool *pool = pool_of(4, (shoal_runner){.start = start_at_once, .user = &task_count});
    for (uint32_t round = 0; round < 100; round++) {
        job_pass jobs;
        job_pass_run(&jobs, pool, 50, 4);
        assert_count(jobs.faults, 0);
        assert_count(jobs.helper_count, 0);
        nested_pass nested;
        nested_pass_run(&nested, pool, 3, 4);
        assert_count(nested.leaf_count, 64);
    }
    assert_count(stats_of(pool).tasks, task_count);
    assert_true(task_count != 0);
    assert_count(stats_of(pool).shared_passes, 0);
    assert_ok(shoal_pool_destroy(pool));
}

/* ---- late ---- */

static void test_tasks_come_late(void **state) {
    (void)state;
    queue *q = calloc(1, sizeof *q);
    assert_non_null(q);
    q->refuse_from = TASK_LIMIT;
    assert_int_equal(pthread_mutex_init(&q->mutex, NULL), 0);
    shoal_pool *pool = pool_of(4, (shoal_runner){.start = queue_start, .wait = queue_wait, .user = q});
    for (uint32_t round = 0; round < 100; round++) {
        job_pass jobs;
        job_pass_run(&jobs, pool, 50, 4);
        assert_count(jobs.faults, 0);
        assert_count(jobs.helper_count, 0);
    }
    assert_count(q->most, 3); /* tasks that have not come count for the next pass */
    assert_count(q->count, 3);
    assert_true(run_queued(q)); /* finds nothing to help with, and returns */
    assert_count(stats_of(pool).tasks, 3);
    assert_ok(shoal_pool_destroy(pool)); /* runs the rest through wait */
    assert_count(q->count, 0);
    assert_count(q->wait_count, 2);
    assert_int_equal(pthread_mutex_destroy(&q->mutex), 0);
    free(q);
}

typedef struct late_pass {
    pool_pass pass;
    queue *q;
    shoal_pool *pool;
    _Atomic uint32_t helper_slot;
    bool thread_failed;
} late_pass;

static void *run_one(void *data) {
    (void)run_queued(data);
    return NULL;
}

/* The caller has a thread run the queued task while the pass is open, and waits for its help. */
static void late_work(pool_pass *pass, uint32_t slot) {
    late_pass *late = (late_pass *)pass;
    if (slot != 0) {
        atomic_store(&late->helper_slot, slot);
        pool_signal(late->pool);
        return;
    }
    pthread_t thread;
    late->thread_failed = pthread_create(&thread, NULL, run_one, late->q) != 0;
    while (!late->thread_failed) {
        uint32_t seen = pool_signal_seen(late->pool);
        if (atomic_load(&late->helper_slot) != 0) {
            late->thread_failed = pthread_join(thread, NULL) != 0;
            return;
        }
        pool_wait(late->pool, seen);
    }
}

/* The task that one pass has asked for helps in the next one, which gets none of its own. */
static void test_a_late_task_helps_another_pass(void **state) {
    (void)state;
    queue *q = calloc(1, sizeof *q);
    assert_non_null(q);
    assert_int_equal(pthread_mutex_init(&q->mutex, NULL), 0);
    shoal_pool *pool = pool_of(2, (shoal_runner){.start = queue_start, .user = q});
    for (uint32_t round = 0; round < 50; round++) {
        job_pass jobs;
        q->refuse_from = TASK_LIMIT;
        job_pass_run(&jobs, pool, 10, 2);
        assert_count(jobs.helper_count, 0);
        assert_count(q->count, 1);
        q->refuse_from = 0;
        late_pass late = {.pass = {.work = late_work, .helper_limit = 1}, .q = q, .pool = pool};
        pool_run(pool, &late.pass);
        assert_false(late.thread_failed);
        assert_count(late.helper_slot, 1);
        assert_count(q->count, 0);
    }
    assert_count(stats_of(pool).tasks, 50);
    assert_count(stats_of(pool).shared_passes, 50);
    assert_ok(shoal_pool_destroy(pool));
    assert_int_equal(pthread_mutex_destroy(&q->mutex), 0);
    free(q);
}

/* ---- on threads ---- */

/* A thread for each task, up to a limit; then it refuses. */
typedef struct starter {
    pthread_t threads[TASK_LIMIT];
    queued tasks[TASK_LIMIT];
    _Atomic uint32_t count; /* also counts what was refused */
    uint32_t limit;
} starter;

static void *starter_run(void *data) {
    const queued *one = data;
    one->task(one->data);
    return NULL;
}

static bool starter_start(void *user, void (*task)(void *data), void *data) {
    starter *s = user;
    uint32_t number = atomic_fetch_add(&s->count, 1);
    if (number >= s->limit) {
        return false;
    }
    s->tasks[number] = (queued){task, data};
    return pthread_create(&s->threads[number], NULL, starter_run, &s->tasks[number]) == 0;
}

static void starter_join(starter *s) {
    uint32_t count = s->count < s->limit ? s->count : s->limit;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(pthread_join(s->threads[i], NULL), 0);
    }
    free(s);
}

static starter *starter_of(uint32_t limit) {
    starter *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->limit = limit;
    return s;
}

static void test_tasks_on_threads(void **state) {
    (void)state;
    starter *s = starter_of(400);
    shoal_pool *pool = pool_of(4, (shoal_runner){.start = starter_start, .user = s});
    met_pass met;
    met_pass_run(&met, pool, 3);
    for (uint32_t slot = 0; slot < 4; slot++) {
        assert_count(met.slot_visits[slot], 1);
    }
    /* Ends with passes that are refused all tasks. */
    while (s->count < 500) {
        job_pass jobs;
        job_pass_run(&jobs, pool, 100, 4);
        assert_count(jobs.faults, 0);
        nested_pass nested;
        nested_pass_run(&nested, pool, 3, 3);
        assert_count(nested.leaf_count, 27);
    }
    assert_count(stats_of(pool).tasks, 400);
    assert_ok(shoal_pool_destroy(pool));
    starter_join(s);
}

/* Slots of more than one word, all of them at one time. */
static void test_many_tasks_meet(void **state) {
    (void)state;
    starter *s = starter_of(200);
    shoal_pool *pool = pool_of(131, (shoal_runner){.start = starter_start, .user = s});
    met_pass met;
    met_pass_run(&met, pool, 130);
    assert_count(met.met_count, 130);
    uint32_t visit_count = 0;
    for (uint32_t slot = 0; slot < PASS_SLOT_LIMIT; slot++) {
        assert_count(met.slot_visits[slot], slot < 3 ? 3 : 2); /* slots 0 to 130, 64 to a row */
        visit_count += met.slot_visits[slot];
    }
    assert_count(visit_count, 131);
    assert_ok(shoal_pool_destroy(pool));
    starter_join(s);
}

/* ---- refusals, stop, arguments ---- */

static void test_tasks_are_refused(void **state) {
    (void)state;
    starter *s = starter_of(0);
    shoal_pool *pool = pool_of(3, (shoal_runner){.start = starter_start, .user = s});
    for (uint32_t round = 0; round < 100; round++) {
        job_pass jobs;
        job_pass_run(&jobs, pool, 20, 3);
        assert_count(jobs.faults, 0);
        assert_count(jobs.helper_count, 0);
    }
    assert_count(s->count, 100); /* who refuses is asked once for each pass */
    assert_count(stats_of(pool).tasks, 0);
    assert_ok(shoal_pool_destroy(pool));
    starter_join(s);
}

static void conf_I8_a_stopped_runner_is_not_asked(void **state) {
    (void)state;
    starter *s = starter_of(10);
    shoal_pool *pool = pool_of(3, (shoal_runner){.start = starter_start, .user = s});
    assert_ok(shoal_pool_stop(pool));
    assert_count(shoal_pool_worker_count(pool), 1);
    job_pass jobs;
    job_pass_run(&jobs, pool, 20, 1);
    assert_count(jobs.faults, 0);
    assert_count(s->count, 0);
    assert_ok(shoal_pool_start(pool));
    met_pass met;
    met_pass_run(&met, pool, 2);
    assert_count(met.met_count, 2);
    assert_ok(shoal_pool_destroy(pool));
    starter_join(s);
}

static void test_a_runner_needs_a_start_function(void **state) {
    (void)state;
    assert_null(shoal_pool_create(&(shoal_pool_def){.worker_count = 2, .runner = {.wait = queue_wait}}));
    assert_last_error(NULL, SHOAL_INVALID_ARGUMENT);
    assert_message_has(NULL, "start");
}

int main(void) {
    (void)alarm(100);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks_at_once),
        cmocka_unit_test(test_tasks_come_late),
        cmocka_unit_test(test_a_late_task_helps_another_pass),
        cmocka_unit_test(test_tasks_on_threads),
        cmocka_unit_test(test_many_tasks_meet),
        cmocka_unit_test(test_tasks_are_refused),
        cmocka_unit_test(conf_I8_a_stopped_runner_is_not_asked),
        cmocka_unit_test(test_a_runner_needs_a_start_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
