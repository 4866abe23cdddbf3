/*
 * Running a stage, alone or shared.
 *
 *     task:  WAITING -> READY -> CLAIMED -> RUNNING -> DONE
 *                  last edge   one worker   its jobs   last job
 *
 * Alone the tasks run in their order, each as one job. Shared, the stage is a pass of the pool: every worker takes
 * ready tasks, starts them and works on their jobs. The jobs of a task are dealt out to the workers as ranges, so that
 * the same worker comes to the same rows step after step; who has none left takes the last job of somebody else's
 * range. Who runs a task's last job ends it and opens the tasks that waited for it.
 *
 * A stage runs alone that took less than SHARE_NS in the last step: handing it out would cost more; also one whose
 * tasks wait for each other and have no rows to share. A stage that has never run is shared when it has many rows or
 * tasks that may be long.
 *
 * Memory order: a task's fields are written by whoever starts it and published by `state` (release, read with acquire)
 * and by its ranges; what jobs have done is published by `jobs_left` (acquire and release), and to later tasks by
 * `waits` (acquire and release).
 */
#include <string.h>

#include "schedule.h"

#define SHARE_NS 8000.0
#define SHARE_ROWS 5000u
#define GAIN_STEPS 16u /* steps after which it is worked out anew whether sharing gains anything */

typedef struct stage_pass {
    pool_pass pass; /* first, so that a pass is its stage */
    shoal_schedule *schedule;
    schedule_stage *stage;
    _Atomic uint32_t tasks_left; /* acquire and release */
    _Atomic uint32_t first_left; /* all tasks before it are done; relaxed: an older number costs a look at them */
} stage_pass;

/* ---- one task on one thread ---- */

static void task_run_alone(schedule_task *task, schedule_worker *worker) {
    if (task_may_run_lean(task, worker->schedule)) {
        task_run_lean(task, worker);
        task_end_lean(task);
        return;
    }
    if (!task_begin(task, worker)) {
        return;
    }
    do {
        if (task_prepare(task, worker, 1)) {
            for (uint32_t job = 0; job < task->job_count; job++) {
                task_run_job(task, worker, job);
            }
        }
    } while (task_end(task, worker));
}

static void stage_run_alone(shoal_schedule *schedule, schedule_stage *stage) {
    schedule_worker *worker = &schedule->workers[0];
    world_scope_enter(&worker->scope);
    worker->now = clock_ticks();
    uint64_t start = worker->now;
    for (uint32_t i = 0; i < stage->task_count; i++) {
        task_run_alone(&stage->tasks[i], worker);
    }
    stage->last_ticks = worker->now - start;
    world_scope_leave(&worker->scope);
}

/* ---- edges ---- */

/* True when two tasks have an archetype in common. */
static bool tasks_meet(const shoal_schedule *schedule, const schedule_task *a, const schedule_task *b) {
    const char *one = a->spans.items;
    const char *other = b->spans.items;
    size_t i = 0;
    size_t k = 0;
    while (i < a->span_count && k < b->span_count) {
        const shoal_archetype *left = ((const task_span *)(const void *)(one + i * a->span_bytes))->archetype;
        const shoal_archetype *right = ((const task_span *)(const void *)(other + k * b->span_bytes))->archetype;
        if (left == right) {
            return true;
        }
        bool is_older = age_of(schedule, left) < age_of(schedule, right);
        i += is_older;
        k += !is_older;
    }
    return false;
}

/* The links of a task, whose later tasks have theirs: edges that hold, and lead where no other one does. */
static void links_make(const shoal_schedule *schedule, schedule_stage *stage, schedule_task *task) {
    size_t words = (stage->task_count + 63) / 64;
    uint64_t *reach = stage->reach + task->number * words;
    memset(reach, 0, words * sizeof *reach);
    task->link_count = 0;
    for (uint32_t i = 0; i < task->edge_count; i++) { /* the nearest first: the others may follow from it */
        uint32_t to = task->edges[i].to;
        bool holds = !task->edges[i].may_vanish || tasks_meet(schedule, task, &stage->tasks[to]);
        if (!holds || ((reach[to / 64] >> (to % 64)) & 1)) {
            continue;
        }
        task->links[task->link_count++] = to;
        stage->tasks[to].wait_count++;
        reach[to / 64] |= UINT64_C(1) << (to % 64);
        for (size_t word = 0; word < words; word++) {
            reach[word] |= stage->reach[to * words + word];
        }
    }
}

/* Which edges hold now: some only for archetypes that both tasks match. */
static shoal_status links_refresh(shoal_schedule *schedule, schedule_stage *stage) {
    uint64_t stamp = schedule->world->archetype_changes + 1;
    if (LIKELY(stage->link_stamp == stamp)) {
        return SHOAL_OK;
    }
    for (uint32_t i = 0; i < stage->task_count; i++) {
        shoal_status status = task_refresh(&stage->tasks[i], schedule);
        if (status != SHOAL_OK) {
            return status;
        }
        stage->tasks[i].wait_count = 0;
    }
    for (uint32_t i = stage->task_count; i-- > 0;) {
        links_make(schedule, stage, &stage->tasks[i]);
    }
    stage->link_stamp = stamp;
    stage->gain_steps = 0;
    return SHOAL_OK;
}

/* ---- ranges ---- */

static uint64_t range_pack(uint32_t first, uint32_t end) {
    return (uint64_t)end << 32 | first;
}

/* Deals the jobs out in parts of about the same number, in order. */
static void ranges_deal(schedule_task *task, uint32_t workers) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < workers; i++) {
        uint32_t end = (uint32_t)((uint64_t)task->job_count * (i + 1) / workers);
        atomic_store_explicit(&task->ranges[i].bits, range_pack(first, end), memory_order_release);
        first = end;
    }
}

/* The first job of a worker's own range. */
static bool range_take(task_range *range, uint32_t *job) {
    uint64_t bits = atomic_load_explicit(&range->bits, memory_order_acquire);
    while ((uint32_t)bits < (uint32_t)(bits >> 32)) {
        if (atomic_compare_exchange_weak_explicit(&range->bits, &bits, bits + 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *job = (uint32_t)bits;
            return true;
        }
    }
    return false;
}

/* The last job of somebody else's range. One at a time: a worker has a few dozen jobs at most, so more would gain
   little and a thief's own range stays its owner's alone. */
static bool range_steal(task_range *range, uint32_t *job) {
    uint64_t bits = atomic_load_explicit(&range->bits, memory_order_acquire);
    while ((uint32_t)bits < (uint32_t)(bits >> 32)) {
        if (atomic_compare_exchange_weak_explicit(&range->bits, &bits, bits - (UINT64_C(1) << 32), memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *job = (uint32_t)(bits >> 32) - 1;
            return true;
        }
    }
    return false;
}

static bool job_take(schedule_task *task, uint32_t workers, uint32_t slot, uint32_t *job) {
    if (range_take(&task->ranges[slot], job)) {
        return true;
    }
    for (uint32_t i = 1; i < workers; i++) {
        uint32_t victim = slot + i < workers ? slot + i : slot + i - workers;
        if (range_steal(&task->ranges[victim], job)) {
            return true;
        }
    }
    return false;
}

/* ---- a task on several threads ---- */

static void task_finish(stage_pass *pass, schedule_task *task) {
    atomic_store_explicit(&task->state, TASK_DONE, memory_order_release);
    for (uint32_t i = 0; i < task->link_count; i++) {
        schedule_task *later = &pass->stage->tasks[task->links[i]];
        if (atomic_fetch_sub_explicit(&later->waits, 1, memory_order_acq_rel) == 1) {
            atomic_store_explicit(&later->state, TASK_READY, memory_order_release);
        }
    }
    (void)atomic_fetch_sub_explicit(&pass->tasks_left, 1, memory_order_acq_rel);
    pool_signal(pass->schedule->pool);
}

/*
 * Makes the jobs of a claimed task's next round, or finishes it.
 *
 * From the second round on others may be looking for jobs of it all the time, so one store must hand them out: all go
 * into the range of whoever starts the round, which nobody else writes, and the others take theirs from there. All
 * ranges are empty before, since every job of a round has been taken when it ends.
 */
static void task_start_round(stage_pass *pass, schedule_task *task, schedule_worker *worker) {
    shoal_schedule *schedule = pass->schedule;
    while (!task_prepare(task, worker, schedule->worker_count)) {
        if (!task_end(task, worker)) {
            task_finish(pass, task);
            return;
        }
    }
    uint32_t job_count = task->job_count; /* others may be in a later round as soon as the jobs are handed out */
    atomic_store_explicit(&task->jobs_left, job_count, memory_order_relaxed);
    if (job_count == 1 || task->is_main || task->round != 0) {
        atomic_store_explicit(&task->ranges[worker->slot].bits, range_pack(0, job_count), memory_order_release);
    } else {
        ranges_deal(task, schedule->worker_count);
    }
    atomic_store_explicit(&task->state, TASK_RUNNING, memory_order_release);
    if (job_count > 1 && !task->is_main) {
        pool_signal(schedule->pool);
    }
}

/* Claims a task that is ready and may run on this worker. */
static bool task_claim(schedule_task *task, uint32_t slot) {
    uint32_t ready = TASK_READY;
    return (!task->is_main || slot == 0) &&
           atomic_compare_exchange_strong_explicit(&task->state, &ready, TASK_CLAIMED, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

/* Works on a task as long as there are jobs of it. True when there was something to do. */
static bool task_work(stage_pass *pass, schedule_task *task, schedule_worker *worker) {
    uint32_t state = atomic_load_explicit(&task->state, memory_order_acquire);
    bool did = false;
    if (state == TASK_READY && task_claim(task, worker->slot)) {
        did = true;
        if (task_begin(task, worker)) {
            task_start_round(pass, task, worker);
        } else {
            task_finish(pass, task);
        }
        state = atomic_load_explicit(&task->state, memory_order_acquire);
    }
    if (state != TASK_RUNNING || (task->is_main && worker->slot != 0)) {
        return did;
    }
    uint32_t job;
    while (job_take(task, pass->schedule->worker_count, worker->slot, &job)) {
        did = true;
        task_run_job(task, worker, job);
        if (atomic_fetch_sub_explicit(&task->jobs_left, 1, memory_order_acq_rel) == 1) {
            if (task_end(task, worker)) {
                task_start_round(pass, task, worker);
            } else {
                task_finish(pass, task);
            }
        }
    }
    return did;
}

/* The first task that is not done. */
static uint32_t first_left(stage_pass *pass) {
    uint32_t first = atomic_load_explicit(&pass->first_left, memory_order_relaxed);
    uint32_t at = first;
    while (at < pass->stage->task_count &&
           atomic_load_explicit(&pass->stage->tasks[at].state, memory_order_relaxed) == TASK_DONE) {
        at++;
    }
    if (at != first) {
        atomic_store_explicit(&pass->first_left, at, memory_order_relaxed);
    }
    return at;
}

static void pass_work(pool_pass *pool_part, uint32_t slot) {
    stage_pass *pass = (stage_pass *)pool_part;
    schedule_worker *worker = &pass->schedule->workers[slot];
    world_scope_enter(&worker->scope);
    while (atomic_load_explicit(&pass->tasks_left, memory_order_acquire) != 0) {
        uint32_t seen = pool_signal_seen(pass->schedule->pool);
        bool did = false;
        for (uint32_t i = first_left(pass); i < pass->stage->task_count; i++) {
            did |= task_work(pass, &pass->stage->tasks[i], worker);
        }
        if (!did && atomic_load_explicit(&pass->tasks_left, memory_order_acquire) != 0) {
            pool_wait(pass->schedule->pool, seen);
        }
    }
    world_scope_leave(&worker->scope);
}

static void stage_run_shared(shoal_schedule *schedule, schedule_stage *stage) {
    stage_pass pass = {.pass = {.work = pass_work, .helper_limit = schedule->worker_count - 1},
                       .schedule = schedule,
                       .stage = stage,
                       .tasks_left = stage->task_count};
    for (uint32_t i = 0; i < stage->task_count; i++) {
        schedule_task *task = &stage->tasks[i];
        atomic_store_explicit(&task->waits, task->wait_count, memory_order_relaxed);
        atomic_store_explicit(&task->state, task->wait_count != 0 ? TASK_WAITING : TASK_READY, memory_order_relaxed);
    }
    schedule->stats.shared_stages++;
    pool_run(schedule->pool, &pass.pass);
    stage->last_ticks = 0;
    for (uint32_t i = 0; i < stage->task_count; i++) {
        stage->last_ticks += stage->tasks[i].active_count != 0 ? stage->tasks[i].last_ticks : 0;
    }
}

/* ---- which of the two ---- */

/* Whether the stage would be done so much earlier: its tasks take as long as they took last, those of many rows are
   shared by all workers, and each begins when those that it waits for have ended. */
static bool stage_gains(const shoal_schedule *schedule, schedule_stage *stage) {
    uint64_t least = (uint64_t)(SHARE_NS / schedule->ns_per_tick);
    uint64_t last = 0;
    uint64_t alone = 0; /* without what is between the tasks, as the other one */
    for (uint32_t i = 0; i < stage->task_count; i++) {
        stage->tasks[i].begin_ticks = 0;
    }
    for (uint32_t i = 0; i < stage->task_count; i++) {
        const schedule_task *task = &stage->tasks[i];
        uint64_t ticks = task->active_count != 0 ? task->last_ticks : 0; /* idle ones keep those of long ago */
        alone += ticks;
        bool is_split = task->has_rows && !task->is_serial && ticks >= least;
        uint64_t end = task->begin_ticks + (is_split ? ticks / schedule->worker_count : ticks);
        last = end > last ? end : last;
        for (uint32_t k = 0; k < task->link_count; k++) {
            schedule_task *later = &stage->tasks[task->links[k]];
            later->begin_ticks = later->begin_ticks < end ? end : later->begin_ticks;
        }
    }
    return last + least / 4 < alone;
}

static bool stage_is_worth_sharing(const shoal_schedule *schedule, schedule_stage *stage) {
    uint64_t entities = schedule->world->index.live_count;
    bool is_known = stage->last_ticks != UINT64_MAX && entities <= stage->last_entities * 2 + 64;
    stage->last_entities = entities;
    if (LIKELY(is_known)) {
        if ((double)stage->last_ticks * schedule->ns_per_tick < SHARE_NS) {
            return false;
        }
        if (stage->gain_steps == 0) {
            stage->gain_steps = GAIN_STEPS;
            stage->gains = stage_gains(schedule, stage);
        }
        stage->gain_steps--;
        return stage->gains;
    }
    uint64_t rows = 0;
    uint32_t whole_tasks = 0;
    for (uint32_t i = 0; i < stage->task_count; i++) {
        rows += task_count_rows(&stage->tasks[i]);
        whole_tasks += !stage->tasks[i].has_rows;
    }
    return rows >= SHARE_ROWS || (whole_tasks != 0 && stage->task_count > 1);
}

void stage_run(shoal_schedule *schedule, schedule_stage *stage) {
    bool may_share = schedule->worker_count > 1 && !stage->is_exclusive &&
                     shoal_pool_worker_count(schedule->pool) > 1 && links_refresh(schedule, stage) == SHOAL_OK;
    if (may_share && stage_is_worth_sharing(schedule, stage)) {
        stage_run_shared(schedule, stage);
    } else {
        stage_run_alone(schedule, stage);
    }
}
