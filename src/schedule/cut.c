/*
 * Cutting the rows of a task into jobs.
 *
 * A job is a run of rows of consecutive chunks of consecutive archetypes, so many small archetypes go into one job and
 * a large chunk into several. Jobs begin at multiples of cut_rows in a chunk, where a cache line of each written column
 * begins, so that no two jobs write to one line. How many rows: as many as take JOB_NS by what a row was measured to
 * cost, up to JOB_ROWS; more when there would be more than JOBS_PER_WORKER jobs for each worker, since beyond that
 * sharing gets no better and only their number costs. Thread rule: whoever starts the task.
 */
#include <string.h>

#include "schedule.h"

#define JOB_NS 16000.0
#define JOB_ROWS 4096u
#define FIRST_JOB_ROWS 256u /* of a first run: its rows may cost anything */
#define JOBS_PER_WORKER 32u

static task_span *span_at(const schedule_task *task, size_t number) {
    return (task_span *)(void *)((char *)task->spans.items + number * task->span_bytes);
}

/* ---- spans ---- */

shoal_status ages_refresh(shoal_schedule *schedule) {
    shoal_world *world = schedule->world;
    if (schedule->ages_stamp == world->archetype_changes + 1) {
        return SHOAL_OK;
    }
    shoal_status status = memory_array_reserve(&world->memory, SHOAL_PURPOSE_SCHEDULE, &schedule->ages,
                                               world->archetype_capacity, sizeof(uint32_t));
    for (uint32_t age = 0; age < world->archetype_count && status == SHOAL_OK; age++) {
        ((uint32_t *)schedule->ages.items)[world->by_age[age]->index] = age;
    }
    schedule->ages_stamp = status == SHOAL_OK ? world->archetype_changes + 1 : 0;
    return status;
}

/* The archetypes that a system matches, by age, merged into the spans that are there, which are by age as well. */
static shoal_status spans_take(schedule_task *task, shoal_schedule *schedule, uint32_t member) {
    shoal_memory *memory = &schedule->world->memory;
    const query_data *query = query_of_const(task->members[member]->query);
    size_t at = 0;
    for (size_t i = 0; i < query->match_count; i++) {
        const query_match *match = query_match_at(query, i);
        uint32_t age = age_of(schedule, match->archetype);
        while (at < task->span_count && age_of(schedule, span_at(task, at)->archetype) < age) {
            at++;
        }
        if (at == task->span_count || span_at(task, at)->archetype != match->archetype) {
            shoal_status status = memory_array_reserve(memory, SHOAL_PURPOSE_SCHEDULE, &task->spans,
                                                       task->span_count + 1, task->span_bytes);
            if (status != SHOAL_OK) {
                return status;
            }
            memmove(span_at(task, at + 1), span_at(task, at), (task->span_count - at) * task->span_bytes);
            memset(span_at(task, at), 0, task->span_bytes);
            task->span_count++;
            span_at(task, at)->archetype = match->archetype;
        }
        span_at(task, at++)->matches[member] = match;
    }
    return SHOAL_OK;
}

shoal_status task_refresh(schedule_task *task, shoal_schedule *schedule) {
    uint64_t stamp = schedule->world->archetype_changes + 1;
    if (LIKELY(task->span_stamp == stamp) || !task->has_rows || task->has_walk) {
        return SHOAL_OK;
    }
    task->span_count = 0;
    task->span_stamp = 0;
    shoal_status status = ages_refresh(schedule);
    for (uint32_t i = 0; i < task->member_count && status == SHOAL_OK; i++) {
        status = spans_take(task, schedule, i);
    }
    task->span_count = status == SHOAL_OK ? task->span_count : 0;
    task->span_stamp = status == SHOAL_OK ? stamp : 0;
    return status;
}

uint64_t task_count_rows(const schedule_task *task) {
    uint64_t count = 0;
    for (size_t i = 0; i < task->span_count; i++) {
        count += span_at(task, i)->archetype->row_count;
    }
    return count;
}

/* ---- jobs ---- */

/* Rows that a job should have. */
static uint64_t job_rows(const schedule_task *task, uint32_t workers) {
    double row_ns = task->row_ticks * task->members[0]->schedule->ns_per_tick;
    uint64_t rows = row_ns > 0 ? JOB_ROWS : FIRST_JOB_ROWS;
    if (row_ns > 0 && row_ns * (double)rows > JOB_NS) {
        rows = (uint64_t)(JOB_NS / row_ns) + 1;
    }
    uint64_t least = task->row_count / ((uint64_t)workers * JOBS_PER_WORKER) + 1;
    rows = rows > least ? rows : least;
    return (rows + task->cut_rows - 1) / task->cut_rows * task->cut_rows;
}

/* A cut under way. */
typedef struct cut {
    schedule_task *task;
    shoal_memory *memory;
    uint64_t job_rows;
    uint64_t taken; /* rows of the job that is being filled */
    uint32_t strip; /* strips before where the cut is */
} cut;

static shoal_status job_add(cut *under_way, task_job job) {
    schedule_task *task = under_way->task;
    shoal_status status = memory_array_reserve(under_way->memory, SHOAL_PURPOSE_SCHEDULE, &task->jobs,
                                               task->job_count + 2u, sizeof(task_job));
    if (status == SHOAL_OK) {
        job.strip = under_way->strip;
        ((task_job *)task->jobs.items)[task->job_count++] = job;
        under_way->taken = 0;
    }
    return status;
}

/* Jobs that begin in one chunk. */
static shoal_status chunk_cut(cut *under_way, uint32_t span, uint32_t chunk, uint32_t count) {
    const schedule_task *task = under_way->task;
    shoal_status status = SHOAL_OK;
    uint32_t row = 0;
    while (row < count && status == SHOAL_OK) {
        if (under_way->taken >= under_way->job_rows || task->job_count == 0) {
            status = job_add(under_way, (task_job){.span = span, .chunk = chunk, .row = row});
        }
        uint64_t left = under_way->job_rows - under_way->taken;
        uint32_t next = count;
        if (left < count - row && !task->whole_chunks) {
            uint64_t end = (row + left + task->cut_rows - 1) / task->cut_rows * task->cut_rows;
            next = end < count ? (uint32_t)end : count;
        }
        under_way->taken += next - row;
        if (task->strip_rows != 0) {
            uint32_t last = (next + task->strip_rows - 1) / task->strip_rows;
            under_way->strip += last - row / task->strip_rows;
        }
        row = next;
    }
    return status;
}

shoal_status task_cut(schedule_task *task, uint32_t workers) {
    cut under_way = {.task = task, .memory = &task->members[0]->schedule->world->memory, .job_rows = UINT64_MAX};
    task->job_count = 0;
    task->row_count = task_count_rows(task);
    if (workers > 1 && !task->is_serial) {
        under_way.job_rows = job_rows(task, workers);
    }
    shoal_status status = SHOAL_OK;
    for (uint32_t i = 0; i < task->span_count && status == SHOAL_OK; i++) {
        const shoal_archetype *archetype = span_at(task, i)->archetype;
        for (uint32_t chunk = 0; chunk < archetype->chunk_count && status == SHOAL_OK; chunk++) {
            status = chunk_cut(&under_way, i, chunk, archetype->chunks[chunk].count);
        }
    }
    task->strip_count = under_way.strip;
    if (status == SHOAL_OK && task->job_count != 0) {
        task_job *end = (task_job *)task->jobs.items + task->job_count;
        *end = (task_job){.span = (uint32_t)task->span_count, .strip = under_way.strip};
    }
    return status;
}
