/*
 * Running a task: its rounds, and the rows of a job, strip by strip, each strip by each system of the chain.
 *
 *     job:    chunk 7, rows 512 ..       chunk 8            ...
 *     strips: | 512 .. 1023 | 1024 .. |  | 0 .. 511 | ...        each by: system a, system b, system c
 *
 * What a system sees of a strip is a view: the rows of a whole chunk as they lie, others by offsets of their own, runs
 * of rows where the query looks at single rows. Budget: a strip and system about 6 ns beside the function's own time, a
 * job about 40 ns. Thread rule: task_run_job() is any worker's; the others are of whoever starts or ends the task.
 */
#include <stdio.h>

#include "schedule.h"

#define SAMPLE_MASK 31u /* of the strips of a chain one in 32 is measured system by system */

/* ---- one call ---- */

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
}

/* A job that is being run. */
typedef struct job_walk {
    schedule_task *task;
    schedule_worker *worker;
    uint64_t place; /* of its failures: round, job */
    uint64_t tick;
} job_walk;

static ALWAYS_INLINE void call_each(const job_walk *walk, worker_system *own, shoal_system *system) {
    walk->worker->current = system;
    walk->worker->scope.name = system->name;
    own->commands->first_valid = own->commands->spawn_count;
    own->rows_given += own->view.count;
    shoal_status status = system->def.each(&own->run, &own->view);
    if (UNLIKELY(status != SHOAL_OK)) {
        system_failed(system, status, walk->place);
    }
}

/* ---- rows of one chunk ---- */

/* What is the same for every view of a system. */
static ALWAYS_INLINE void view_open(worker_system *own, const shoal_system *system, shoal_view_lock *lock) {
    shoal_view *view = &own->view;
    view->query_ = system->query;
    view->lock_ = lock;
    view->term_count_ = system->query->data_count;
}

/* The rows of a chunk from its first one on, as they lie. */
static ALWAYS_INLINE void view_put_front(worker_system *own, const query_match *match, const chunk_ref *ref,
                                         size_t count) {
    shoal_view *view = &own->view;
    view->count = count;
    view->entities = chunk_entities(ref);
    view->base_ = chunk_base(ref);
    view->offsets_ = ref->offsets;
    view->match_ = view->match_end_ = (const char *)match;
    view->rows_ = NULL;
}

/* The rows that the walk is at. */
static ALWAYS_INLINE void view_put_walk(worker_system *own) {
    shoal_view *view = &own->view;
    const shoal_view_rows *rows = &own->rows.head;
    view->count = rows->count;
    view->entities = rows->entities;
    view->base_ = rows->base;
    view->offsets_ = rows->offsets;
    view->match_ = view->match_end_ = rows->columns;
    view->rows_ = &own->rows.head;
}

/* Rows of which only some match. */
static void rows_filtered(const job_walk *walk, worker_system *own, shoal_system *system, const chunk_ref *ref,
                          const query_match *match, size_t first, size_t end) {
    if (system->def.masked) {
        query_rows_place_masked(&own->rows, match, ref, first, end);
        view_put_walk(own);
        call_each(walk, own, system);
        return;
    }
    query_rows_place(&own->rows, match, ref, first, end);
    while (query_rows_run(&own->rows)) {
        view_open(own, system, &walk->worker->spare_lock);
        view_put_walk(own);
        call_each(walk, own, system);
    }
}

/* Some rows of a chunk by one system. About 25 instructions. */
static ALWAYS_INLINE void rows_through(const job_walk *walk, worker_system *own, shoal_system *system,
                                       const query_match *match, const chunk_ref *ref, size_t first, size_t end) {
    const query_data *query = query_of_const(system->query);
    view_open(own, system, &walk->worker->spare_lock);
    if (UNLIKELY(query->is_row_wise) && query_match_filter(query, match) != QUERY_FILTER_NONE) {
        rows_filtered(walk, own, system, ref, match, first, end);
        return;
    }
    if (LIKELY(first == 0)) {
        view_put_front(own, match, ref, end);
    } else {
        query_rows_place(&own->rows, match, ref, first, end);
        view_put_walk(own);
    }
    call_each(walk, own, system);
}

/* The same in blocks, each with its own sums. `strip` is the number of the strip that the rows are in. */
static void blocks_through(const job_walk *walk, worker_system *own, shoal_system *system, const query_match *match,
                           const chunk_ref *ref, size_t first, size_t end, uint32_t strip) {
    size_t block = system->def.block_rows;
    size_t strip_rows = walk->task->strip_rows;
    for (size_t row = first; row < end;) {
        size_t next = (row / block + 1) * block;
        next = next < end ? next : end;
        if (own->sums != NULL) {
            reduce_block(system, strip * (strip_rows / block) + row % strip_rows / block, own->sums);
        }
        rows_through(walk, own, system, match, ref, row, next);
        row = next;
    }
}

static ALWAYS_INLINE void member_through(const job_walk *walk, uint32_t member, const task_span *span,
                                         const chunk_ref *ref, size_t first, size_t end, uint32_t strip) {
    shoal_system *system = walk->task->members[member];
    const query_match *match = span->matches[member];
    worker_system *own = walk->worker->systems[system->number];
    if (match == NULL) {
        return;
    }
    if (UNLIKELY(system->def.block_rows != 0)) {
        blocks_through(walk, own, system, match, ref, first, end, strip);
    } else {
        rows_through(walk, own, system, match, ref, first, end);
    }
}

/* ---- strips ---- */

/* A strip by all systems that run, measured one by one. */
static void strip_measure(const job_walk *walk, const task_span *span, const chunk_ref *ref, size_t first, size_t end,
                          uint32_t strip) {
    const schedule_task *task = walk->task;
    uint64_t before = clock_ticks();
    for (uint32_t i = 0; i < task->active_count; i++) {
        member_through(walk, task->active[i], span, ref, first, end, strip);
        uint64_t after = clock_ticks();
        walk->worker->systems[task->members[task->active[i]]->number]->sample_ticks += after - before;
        before = after;
    }
}

static void strip_through(const job_walk *walk, const task_span *span, const chunk_ref *ref, size_t first, size_t end,
                          uint32_t strip) {
    const schedule_task *task = walk->task;
    if (UNLIKELY(((strip + walk->tick) & SAMPLE_MASK) == 0) && task->active_count > 1) {
        strip_measure(walk, span, ref, first, end, strip);
        return;
    }
    for (uint32_t i = 0; i < task->active_count; i++) {
        member_through(walk, task->active[i], span, ref, first, end, strip);
    }
}

/* Rows of one chunk. Returns the number of the strip behind them. */
static uint32_t chunk_through(const job_walk *walk, const task_span *span, const chunk_ref *ref, size_t first,
                              size_t end, uint32_t strip) {
    size_t strip_rows = walk->task->strip_rows;
    if (strip_rows == 0) {
        strip_through(walk, span, ref, first, end, strip);
        return strip;
    }
    for (size_t row = first; row < end; strip++) {
        size_t next = (row / strip_rows + 1) * strip_rows;
        next = next < end ? next : end;
        strip_through(walk, span, ref, row, next, strip);
        row = next;
    }
    return strip;
}

static const task_span *span_of(const schedule_task *task, size_t number) {
    return (const task_span *)(const void *)((const char *)task->spans.items + number * task->span_bytes);
}

/* All rows from where a job begins to where it ends. */
static void spans_through(const job_walk *walk, const task_job *begin, const task_job *end) {
    uint32_t strip = begin->strip;
    uint32_t chunk = begin->chunk;
    size_t row = begin->row;
    for (uint32_t i = begin->span; i <= end->span && i < walk->task->span_count; i++) {
        const task_span *span = span_of(walk->task, i);
        uint32_t chunk_end = i == end->span ? end->chunk + (end->row != 0) : span->archetype->chunk_count;
        for (; chunk < chunk_end; chunk++) {
            const chunk_ref *ref = &span->archetype->chunks[chunk];
            bool is_last = i == end->span && chunk == end->chunk;
            strip = chunk_through(walk, span, ref, row, is_last ? end->row : ref->count, strip);
            row = 0;
        }
        chunk = 0;
    }
}

/* A query that orders, groups or goes by a list: its rows in that order. */
static void walk_through(const job_walk *walk, shoal_system *system) {
    worker_system *own = walk->worker->systems[system->number];
    shoal_view *view = &own->view;
    walk->worker->scope.own_query = system->query;
    shoal_status status = shoal_view_begin(view, system->query);
    walk->worker->scope.own_query = NULL;
    if (status != SHOAL_OK) {
        system_failed(system, status, walk->place);
        return;
    }
    if (own->sums != NULL) {
        reduce_block(system, 0, own->sums);
    }
    while (system->def.masked ? shoal_view_next_chunk(view) : shoal_view_next(view)) {
        call_each(walk, own, system);
    }
}

static void call_once(const job_walk *walk, shoal_system *system) {
    worker_system *own = walk->worker->systems[system->number];
    walk->worker->current = system;
    walk->worker->scope.name = system->name;
    own->commands->first_valid = own->commands->spawn_count;
    walk->worker->scope.own_query = system->query;
    shoal_status status = system->def.once(&own->run);
    walk->worker->scope.own_query = NULL;
    if (status != SHOAL_OK) {
        system_failed(system, status, walk->place);
    }
}

/* ---- a job ---- */

/* What a system's functions are told in this step. */
static ALWAYS_INLINE void run_fill(worker_system *own, const shoal_system *system) {
    const shoal_schedule *schedule = system->schedule;
    uint64_t dt_ns = system->def.period_ns != 0 ? system->def.period_ns : schedule->dt_ns;
    own->run.dt_ns = dt_ns;
    own->run.dt = (double)dt_ns * 1e-9;
    own->run.tick = schedule->world->tick;
    own->run.sums_ = (void *const *)own->sums;
    own->rows_given = 0;
    own->sample_ticks = 0;
}

static void job_begin(const job_walk *walk) {
    const schedule_task *task = walk->task;
    for (uint32_t i = 0; i < task->active_count; i++) {
        shoal_system *system = task->members[task->active[i]];
        worker_system *own = walk->worker->systems[system->number];
        run_fill(own, system);
        if (UNLIKELY(system->def.commands) && sync_job_begin(walk->worker, own) != SHOAL_OK) {
            system_failed(system, memory_failure(&system->schedule->world->memory), walk->place);
        }
    }
}

/* A function has returned with a view of its own open: what it held is let go. */
COLD static void views_left_open(const job_walk *walk) {
    shoal_world *world = walk->worker->schedule->world;
    world_lock *lock = world_is_shared(world) ? &walk->worker->scope.lock : &world->lock;
    shoal_system *system = walk->worker->current;
    error_detail(error_thread_record_of(world), SHOAL_WORLD_LOCKED, "shoal_world_step",
                 "a view of \"%s\" was left open", lock->holder != NULL ? lock->holder : "");
    system_failed(system, SHOAL_WORLD_LOCKED, walk->place);
    lock->count = 0;
    lock->holder = NULL;
}

static bool has_view_open(const job_walk *walk) {
    const shoal_world *world = walk->worker->schedule->world;
    return walk->worker->scope.lock.count != 0 || (!world_is_shared(world) && world->lock.count != 0);
}

static void job_end(const job_walk *walk, uint64_t ticks) {
    const schedule_task *task = walk->task;
    if (UNLIKELY(has_view_open(walk))) {
        views_left_open(walk);
    }
    for (uint32_t i = 0; i < task->active_count; i++) {
        shoal_system *system = task->members[task->active[i]];
        worker_system *own = walk->worker->systems[system->number];
        own->run.sums_ = NULL;
        if (UNLIKELY(system->def.commands)) {
            sync_job_end(walk->worker, system, own, system->place + (uint32_t)walk->place);
        }
        uint64_t sample = task->active_count > 1 ? own->sample_ticks : ticks;
        if (task->job_count > 1) {
            atomic_fetch_add_explicit(&system->run_rows, own->rows_given, memory_order_relaxed);
            atomic_fetch_add_explicit(&system->run_samples, sample, memory_order_relaxed);
        } else { /* nobody else adds */
            atomic_store_explicit(&system->run_rows, own->rows_given, memory_order_relaxed);
            atomic_store_explicit(&system->run_samples, sample, memory_order_relaxed);
        }
    }
}

void task_run_job(schedule_task *task, schedule_worker *worker, uint32_t job) {
    const task_job *jobs = task->jobs.items;
    job_walk walk = {.task = task,
                     .worker = worker,
                     .place = (uint64_t)task->round << 32 | job,
                     .tick = worker->schedule->world->tick};
    uint64_t start = task->is_measured ? clock_ticks() : worker->now;
    job_begin(&walk);
    if (!task->has_rows) {
        call_once(&walk, task->members[0]);
    } else if (task->has_walk) {
        walk_through(&walk, task->members[0]);
    } else {
        spans_through(&walk, &jobs[job], &jobs[job + 1]);
    }
    uint64_t end = task->is_measured ? clock_ticks() : start + task->last_ticks;
    job_end(&walk, end - start);
    worker->now = end;
    run_record *record = ring_next(&worker->ring);
    *record = (run_record){.start = start,
                           .end = end,
                           .tick = walk.tick,
                           .rows = (uint32_t)worker->systems[task->members[task->active[0]]->number]->rows_given,
                           .label = task->label};
    if (task->job_count > 1) {
        atomic_fetch_add_explicit(&task->ticks, end - start, memory_order_relaxed);
    } else {
        atomic_store_explicit(&task->ticks, end - start, memory_order_relaxed);
    }
}
