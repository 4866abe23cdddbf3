/*
 * The rows of a job, strip by strip, each strip by each system of the task.
 *
 *     job:    chunk 7, rows 1024 ..       chunk 8              ...
 *     strips: | 1024 .. 2047 | 2048 .. |  | 0 .. 1023 | ...        each by: system a, system b, system c
 *
 * What a system sees of a strip is a view: the rows of a whole chunk as they lie, others by offsets of their own, runs
 * of rows where the query looks at single rows. Budget: a strip and system about 35 instructions beside the function's
 * own. Thread rule: any worker.
 */
#include "job.h"

#define SAMPLE_MASK 31u /* of the strips of a chain one in 32 is measured system by system */

static ALWAYS_INLINE void call_each(const job_walk *walk, worker_system *own, shoal_view *view) {
    job_call_begin(walk, own);
    own->rows_total += view->count;
#if SHOAL_DEBUG >= 1
    const shoal_view before = *view; /* the function may do with it as it likes */
    watch_columns(walk->worker, own, &before, false);
#endif
    shoal_status status = own->each(&own->run, view);
#if SHOAL_DEBUG >= 1
    watch_columns(walk->worker, own, &before, true);
#endif
    if (UNLIKELY(status != SHOAL_OK)) {
        system_failed(own->system, status, walk->place);
    }
}

/* ---- rows of one chunk ---- */

/* What is the same for every view of a system; all of it each time, since the function may do with the view as it
   likes. */
static ALWAYS_INLINE void view_open(shoal_view *view, const worker_system *own, shoal_view_lock *lock) {
    view->query_ = own->query;
    view->read_keys_ = own->read_keys;
    view->write_keys_ = own->write_keys;
    view->term_count_ = own->term_count;
    view->chunk_ = view->chunk_end_ = NULL;
    view->lock_ = lock;
}

/* The rows of a chunk from its first one on, as they lie. */
static ALWAYS_INLINE void view_put_front(shoal_view *view, const query_match *match, const chunk_ref *ref,
                                         size_t count) {
    view->count = count;
    view->entities = chunk_entities(ref);
    view->base_ = chunk_base(ref);
    view->offsets_ = ref->offsets;
    view->match_ = view->match_end_ = (const char *)match;
    view->rows_ = NULL;
}

/* The rows that the walk is at. */
static ALWAYS_INLINE void view_put_walk(shoal_view *view, query_rows *rows) {
    view->count = rows->head.count;
    view->entities = rows->head.entities;
    view->base_ = rows->head.base;
    view->offsets_ = rows->head.offsets;
    view->match_ = view->match_end_ = rows->head.columns;
    view->rows_ = &rows->head;
}

/* Rows of which only some match. */
static void rows_filtered(const job_walk *walk, worker_system *own, const chunk_ref *ref, const query_match *match,
                          size_t first, size_t end) {
    shoal_view *view = &walk->worker->view;
    if (own->system->def.masked) {
        query_rows_place_masked(&own->rows, match, ref, first, end);
        view_put_walk(view, &own->rows);
        call_each(walk, own, view);
        return;
    }
    query_rows_place(&own->rows, match, ref, first, end);
    while (query_rows_run(&own->rows)) {
        view_open(view, own, &walk->worker->spare_lock);
        view_put_walk(view, &own->rows);
        call_each(walk, own, view);
    }
}

/* Some rows of a chunk by one system. */
static ALWAYS_INLINE void rows_through(const job_walk *walk, worker_system *own, const query_match *match,
                                       const chunk_ref *ref, size_t first, size_t end) {
    shoal_view *view = &walk->worker->view;
    view_open(view, own, &walk->worker->spare_lock);
    if (UNLIKELY(!own->is_plain) && query_match_filter(query_of_const(own->query), match) != QUERY_FILTER_NONE) {
        rows_filtered(walk, own, ref, match, first, end);
        return;
    }
    if (first == 0) {
        view_put_front(view, match, ref, end);
    } else {
        query_rows_place_part(&own->rows, match, ref, first, end);
        view_put_walk(view, &own->rows);
    }
    call_each(walk, own, view);
}

/* The same in blocks, each with its own sums. `strip` is the number of the strip that the rows are in. */
static NOINLINE void blocks_through(const job_walk *walk, worker_system *own, const query_match *match,
                                    const chunk_ref *ref, size_t first, size_t end, uint32_t strip) {
    shoal_system *system = own->system;
    size_t block = system->def.block_rows;
    size_t strip_rows = walk->task->strip_rows > block ? walk->task->strip_rows : block;
    for (size_t row = first; row < end;) {
        size_t next = (row / block + 1) * block;
        next = next < end ? next : end;
        if (own->sums != NULL) {
            reduce_block(system, strip * (strip_rows / block) + row % strip_rows / block, own->sums);
        }
        rows_through(walk, own, match, ref, row, next);
        row = next;
    }
}

static ALWAYS_INLINE void member_through(const job_walk *walk, uint32_t member, const task_span *span,
                                         const chunk_ref *ref, size_t first, size_t end, uint32_t strip) {
    const query_match *match = span->matches[member];
    worker_system *own = walk->lane[member];
    if (match == NULL) {
        return;
    }
    if (UNLIKELY(!own->is_plain) && own->system->def.block_rows != 0) {
        blocks_through(walk, own, match, ref, first, end, strip);
    } else {
        rows_through(walk, own, match, ref, first, end);
    }
}

/* ---- strips ---- */

/* A strip by all systems that run, measured one by one. */
static NOINLINE void strip_measure(const job_walk *walk, const task_span *span, const chunk_ref *ref, size_t first,
                                   size_t end, uint32_t strip) {
    const schedule_task *task = walk->task;
    uint64_t before = clock_ticks();
    for (uint32_t i = 0; i < task->active_count; i++) {
        member_through(walk, task->active[i], span, ref, first, end, strip);
        uint64_t after = clock_ticks();
        walk->lane[task->active[i]]->sample_ticks += after - before;
        before = after;
    }
}

static void strip_through(const job_walk *walk, const task_span *span, const chunk_ref *ref, size_t first, size_t end,
                          uint32_t strip) {
    const schedule_task *task = walk->task;
    if (UNLIKELY(((strip + walk->tick) & SAMPLE_MASK) == 0) && task->active_count > 1 && task->is_measured) {
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

void job_go_through(const job_walk *walk, const task_job *begin, const task_job *end) {
    const schedule_task *task = walk->task;
    uint32_t strip = begin->strip;
    uint32_t chunk = begin->chunk;
    size_t row = begin->row;
    for (uint32_t i = begin->span; i <= end->span && i < task->span_count; i++) {
        const task_span *span =
            (const task_span *)(const void *)((const char *)task->spans.items + i * task->span_bytes);
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

/* ---- in order ---- */

void job_go_in_order(const job_walk *walk, worker_system *own) {
    shoal_system *system = own->system;
    shoal_view view;
    walk->worker->scope.own_query = system->query;
    shoal_status status = shoal_view_begin(&view, system->query);
    walk->worker->scope.own_query = NULL;
    if (status != SHOAL_OK) {
        system_failed(system, status, walk->place);
        return;
    }
    if (own->sums != NULL) {
        reduce_block(system, 0, own->sums);
    }
    query_rows *rows = (query_rows *)view.rows_; /* such a query always has a walk */
    while (system->def.masked ? shoal_view_next_chunk(&view) : shoal_view_next(&view)) {
        shoal_view given = view; /* the function may do with it as it likes, and must not move the walk */
        given.lock_ = &walk->worker->spare_lock;
        rows->is_placed = true;
        call_each(walk, own, &given);
        rows->is_placed = false;
    }
}
