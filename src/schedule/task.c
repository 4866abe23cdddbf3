/*
 * Running a job: what its systems are told, its rows or its one call, what it came to.
 *
 * A lean run is that of a task which takes less than the clock could tell well, alone on its thread, of systems with
 * nothing beside their rows: no counts are made for each system, only one for the task, and its time is taken to be
 * that of the last run that was measured. What is not counted yet is added when somebody asks (system_stats_now()).
 *
 * Budget: a job about 100 ns, a lean run about 15. Thread rule: task_run_job() is any worker's.
 */
#include <stdio.h>

#include "job.h"

COLD void system_failed(shoal_system *system, shoal_status status, uint64_t place) {
    const error_record *record = error_thread_record();
    spinlock_lock(&system->failure_lock);
    if (system->failure == SHOAL_OK || place < system->failure_place) {
        system->failure = status;
        system->failure_place = place;
        system->failure_text[0] = '\0';
        if (record->status == status && record->world == system->schedule->world) {
            shoal_error why = shoal_last_error(system->schedule->world);
            (void)snprintf(system->failure_text, sizeof system->failure_text, ": %s", why.message);
        }
    }
    spinlock_unlock(&system->failure_lock);
    atomic_store_explicit(&system->task->has_failed, true, memory_order_relaxed);
}

static job_walk walk_of(schedule_task *task, schedule_worker *worker, uint32_t job) {
    const shoal_schedule *schedule = worker->schedule;
    uint64_t dt_ns = task->period_ns != 0 ? task->period_ns : schedule->dt_ns;
    return (job_walk){.task = task,
                      .worker = worker,
                      .lane = task->lanes[worker->slot],
                      .place = (uint64_t)task->round << 32 | job,
                      .tick = schedule->world->tick,
                      .dt_ns = dt_ns,
                      .dt = (double)dt_ns * 1e-9};
}

static worker_system *active_at(const job_walk *walk, uint32_t i) {
    return walk->lane[walk->task->active[i]];
}

/* A function has returned with a view of its own open: what it held is let go. */
COLD static void views_left_open(schedule_worker *worker, uint64_t place) {
    shoal_world *world = worker->schedule->world;
    world_lock *lock = world_is_shared(world) ? &worker->scope.lock : &world->lock;
    error_detail(error_thread_record_of(world), SHOAL_WORLD_LOCKED, "shoal_world_step",
                 "a view of \"%s\" was left open; end it with shoal_view_end()",
                 lock->holder != NULL ? lock->holder : "");
    system_failed(worker->current, SHOAL_WORLD_LOCKED, place);
    lock->count = 0;
    lock->holder = NULL;
}

void views_check(schedule_worker *worker, uint64_t place) {
    const shoal_world *world = worker->schedule->world;
    bool is_open = worker->scope.lock.count != 0 || (!world_is_shared(world) && world->lock.count != 0);
    if (UNLIKELY(is_open)) {
        views_left_open(worker, place);
    }
    if (UNLIKELY(worker->spare_lock.count != 0)) {
        worker->spare_lock.count = 0;
        error_detail(error_thread_record_of(world), SHOAL_INVALID_ARGUMENT, "shoal_view_next",
                     "each is given its rows; it must not step or end the view");
        system_failed(worker->current, SHOAL_INVALID_ARGUMENT, place);
    }
}

static void call_once(const job_walk *walk, worker_system *own) {
    job_call_begin(walk, own);
    walk->worker->scope.own_query = own->system->query;
    shoal_status status = own->system->def.once(&own->run);
    walk->worker->scope.own_query = NULL;
    if (status != SHOAL_OK) {
        system_failed(own->system, status, walk->place);
    }
}

static void job_begin(const job_walk *walk) {
    for (uint32_t i = 0; i < walk->task->active_count; i++) {
        worker_system *own = active_at(walk, i);
        own->run.sums_ = (void *const *)own->sums;
        own->rows_before = own->rows_total;
        own->sample_ticks = 0;
        if (UNLIKELY(own->records) && sync_job_begin(walk->worker, own) != SHOAL_OK) {
            system_failed(own->system, memory_failure(&walk->worker->schedule->world->memory), walk->place);
        }
    }
}

/* Adds to a count of the run; a job that is the only one begins it. */
static void count_add(_Atomic uint64_t *count, uint64_t more, bool is_only) {
    if (is_only) {
        atomic_store_explicit(count, more, memory_order_relaxed);
    } else {
        atomic_fetch_add_explicit(count, more, memory_order_relaxed);
    }
}

static void job_end(const job_walk *walk, uint64_t ticks) {
    const schedule_task *task = walk->task;
    bool is_only = task->job_count == 1;
    views_check(walk->worker, walk->place);
    for (uint32_t i = 0; i < task->active_count; i++) {
        worker_system *own = active_at(walk, i);
        shoal_system *system = own->system;
        own->run.sums_ = NULL;
        if (UNLIKELY(own->records)) {
            sync_job_end(walk->worker, system, own, system->place + (uint32_t)walk->place);
        }
        count_add(&system->run_rows, own->rows_total - own->rows_before, is_only);
        count_add(&system->run_samples, task->active_count > 1 ? own->sample_ticks : ticks, is_only);
        own->rows_counted += own->rows_total - own->rows_before;
    }
}

static void job_record(const job_walk *walk, uint64_t start, uint64_t end, uint64_t rows) {
    run_record *record = ring_next(walk->worker->ring);
    *record = (run_record){
        .start = start, .end = end, .tick = walk->tick, .rows = (uint32_t)rows, .label = walk->task->label};
    walk->worker->now = end;
}

void task_run_job(schedule_task *task, schedule_worker *worker, uint32_t job) {
    const task_job *jobs = task->jobs.items;
    job_walk walk = walk_of(task, worker, job);
    worker_system *first = active_at(&walk, 0);
    uint64_t start = clock_ticks();
    job_begin(&walk);
    if (!task->has_rows) {
        call_once(&walk, first);
    } else if (task->has_walk) {
        job_go_in_order(&walk, first);
    } else {
        job_go_through(&walk, &jobs[job], &jobs[job + 1]);
    }
    uint64_t end = clock_ticks();
    job_end(&walk, end - start);
    job_record(&walk, start, end, first->rows_total - first->rows_before);
    count_add(&task->ticks, end - start, task->job_count == 1);
}

void task_run_lean(schedule_task *task, schedule_worker *worker) {
    job_walk walk = walk_of(task, worker, 0);
    const task_job begin = {0};
    const task_job end = {.span = (uint32_t)task->span_count};
    const worker_system *first = active_at(&walk, 0);
    uint64_t rows = first->rows_total;
    task->is_measured = false;
    task->lean_runs++;
    job_go_through(&walk, &begin, &end);
    views_check(worker, walk.place);
    job_record(&walk, worker->now, worker->now + task->last_ticks, first->rows_total - rows);
}
