/*
 * The beginning and the end of a task's rounds: which systems run, their rows, what they came to. A system with a fixed
 * rate has as many rounds as periods have gone by; all others have one.
 *
 * Thread rule: whoever starts the task, or has run its last job.
 */
#include "schedule.h"

#define MEASURE_EVERY 16u
#define ROW_TICKS_WEIGHT 0.25 /* of the newest measurement in what a row is known to cost */

/* ---- who runs ---- */

/* Rounds by the clock. Time that is beyond the catch-up limit is dropped. */
static uint32_t rounds_of_period(shoal_system *system) {
    uint64_t period = system->def.period_ns;
    uint64_t dt_ns = system->schedule->dt_ns;
    uint64_t behind = dt_ns < UINT64_MAX - system->behind_ns ? system->behind_ns + dt_ns : UINT64_MAX;
    uint64_t rounds = behind / period;
    system->behind_ns = behind % period;
    if (rounds > system->def.catch_up) {
        uint64_t skipped = (rounds - system->def.catch_up) * period;
        uint64_t room = UINT64_MAX - system->stats.skipped_ns;
        system->stats.skipped_ns += skipped < room ? skipped : room;
        rounds = system->def.catch_up;
    }
    return (uint32_t)rounds;
}

static bool condition_holds(shoal_system *system, schedule_worker *worker) {
    worker_system *own = worker->systems[system->number];
    worker->current = system;
    worker->scope.name = system->name;
    own->run.dt_ns = system->def.period_ns != 0 ? system->def.period_ns : system->schedule->dt_ns;
    own->run.dt = (double)own->run.dt_ns * 1e-9;
    own->run.tick = system->schedule->world->tick;
    own->run.sums_ = NULL;
    worker->is_asking = true;
    bool holds = system->def.condition(&own->run); /* its recorder is closed */
    worker->is_asking = false;
    views_check(worker, 0);
    return holds;
}

/* Runs of a system in this step. Its rate goes on also while it is off; a step that its condition lets pass is gone. */
static ALWAYS_INLINE uint32_t system_rounds(shoal_system *system, schedule_worker *worker) {
    uint32_t rounds = 1;
    if (UNLIKELY(system->def.period_ns != 0)) {
        rounds = rounds_of_period(system);
    } else if (UNLIKELY(system->def.every > 1)) {
        rounds = system->due_steps == 0;
        system->due_steps = system->due_steps == 0 ? system->def.every - 1 : system->due_steps - 1;
    }
    if (UNLIKELY(!system->is_enabled) || rounds == 0) {
        return 0;
    }
    bool runs = system->def.condition == NULL || condition_holds(system, worker);
    if (runs && system->query != NULL && query_of(system->query)->has_gate) {
        runs = system->def.each == NULL || query_gate_is_open(query_of(system->query));
    }
    return runs ? rounds : 0;
}

/* Tells of a failure of the run that has ended, if any; an earlier one of the step stays for its message. */
static void failure_tell(const schedule_task *task, shoal_system *system) {
    bool has_failed = system->failure != SHOAL_OK && atomic_load_explicit(&task->has_failed, memory_order_relaxed);
    system->stats.last_status = has_failed ? system->failure : SHOAL_OK;
    if (UNLIKELY(has_failed)) {
        system->stats.failures++;
        if (!system->failed_in_step) {
            system->failed_in_step = true;
            atomic_fetch_add_explicit(&system->schedule->failed_count, 1, memory_order_relaxed);
        }
    }
}

bool task_begin(schedule_task *task, schedule_worker *worker) {
    task->round = 0;
    task->active_count = 0;
    for (uint32_t i = 0; i < task->member_count; i++) {
        shoal_system *system = task->members[i];
        system->rounds = system_rounds(system, worker);
        if (system->rounds != 0) {
            task->active[task->active_count++] = i;
        } else if (UNLIKELY(system->failure != SHOAL_OK)) { /* of its condition */
            failure_tell(task, system);
        }
    }
    if (task->active_count == 0) {
        atomic_store_explicit(&task->has_failed, false, memory_order_relaxed);
    }
    return task->active_count != 0;
}

/* ---- its jobs ---- */

/* Sums for all blocks of a round. */
static shoal_status sums_begin(schedule_task *task) {
    shoal_status status = SHOAL_OK;
    for (uint32_t i = 0; i < task->active_count && status == SHOAL_OK; i++) {
        shoal_system *system = task->members[task->active[i]];
        if (system->def.reduction_count != 0) {
            size_t blocks =
                task->has_walk ? 1 : (size_t)task->strip_count * (task->strip_rows / system->def.block_rows);
            status = reduce_begin(system, blocks);
        }
    }
    return status;
}

/* Cuts a task of rows. Alone it is one job of all rows, for which nothing has to be allocated or counted. */
static shoal_status rows_prepare(schedule_task *task, schedule_worker *worker, uint32_t workers) {
    shoal_status status = task_refresh(task, worker->schedule);
    if (status != SHOAL_OK) {
        return status;
    }
    if (task->has_sums || (workers > 1 && !task->is_serial)) {
        return task_cut(task, workers);
    }
    task->job_count = 1;
    task->strip_count = 0;
    status = memory_array_reserve(&worker->schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, &task->jobs, 2,
                                  sizeof(task_job));
    if (status == SHOAL_OK) {
        task_job *jobs = task->jobs.items;
        jobs[0] = (task_job){0};
        jobs[1] = (task_job){.span = (uint32_t)task->span_count};
    }
    return status;
}

bool task_prepare(schedule_task *task, schedule_worker *worker, uint32_t workers) {
    shoal_status status = SHOAL_OK;
    task->job_count = 1;
    if (task->has_rows && !task->has_walk) {
        status = rows_prepare(task, worker, workers);
    }
    status = status == SHOAL_OK && task->has_sums ? sums_begin(task) : status;
    if (status != SHOAL_OK) {
        for (uint32_t i = 0; i < task->active_count; i++) {
            system_failed(task->members[task->active[i]], status, (uint64_t)task->round << 32);
            task->members[task->active[i]]->has_sums = false; /* those of systems before it leave their uniques alone */
        }
        task->job_count = 0;
    }
    task->is_measured = true;
    if (task->job_count != 1) { /* each job adds to them */
        atomic_store_explicit(&task->ticks, 0, memory_order_relaxed);
        for (uint32_t i = 0; i < task->active_count; i++) {
            shoal_system *system = task->members[task->active[i]];
            atomic_store_explicit(&system->run_rows, 0, memory_order_relaxed);
            atomic_store_explicit(&system->run_samples, 0, memory_order_relaxed);
        }
    }
    return task->job_count != 0;
}

/* ---- what they came to ---- */

/* The parts of a chain's time, by the strips that were measured; alike where none was. */
static uint64_t system_share(const schedule_task *task, const shoal_system *system, uint64_t ticks, uint64_t samples) {
    if (task->active_count == 1) {
        return ticks;
    }
    if (samples == 0) {
        return ticks / task->active_count;
    }
    uint64_t own = atomic_load_explicit(&system->run_samples, memory_order_relaxed);
    return (uint64_t)((double)ticks * (double)own / (double)samples);
}

/* What lean runs came to, for one of the task's systems. */
static void lean_add(const schedule_task *task, const shoal_system *system, shoal_system_stats *stats) {
    if (task->lean_runs != 0) {
        const worker_system *own = system->schedule->workers[0].systems[system->number];
        stats->runs += task->lean_runs;
        stats->jobs += task->lean_runs;
        stats->rows += own->rows_total - own->rows_counted;
    }
}

void task_count_lean(schedule_task *task) {
    for (uint32_t i = 0; i < task->member_count && task->lean_runs != 0; i++) {
        shoal_system *system = task->members[i];
        worker_system *own = system->schedule->workers[0].systems[system->number];
        lean_add(task, system, &system->stats);
        system->ticks += task->lean_runs * system->last_ticks;
        own->rows_counted = own->rows_total;
    }
    task->lean_runs = 0;
}

shoal_system_stats system_stats_now(const shoal_system *system) {
    shoal_system_stats stats = system->stats;
    double ns_per_tick = system->schedule->ns_per_tick;
    uint64_t ticks = system->ticks;
    if (system->task != NULL) {
        lean_add(system->task, system, &stats);
        ticks += system->task->lean_runs * system->last_ticks;
    }
    stats.nanoseconds = (uint64_t)((double)ticks * ns_per_tick);
    stats.last_ns = (uint64_t)((double)system->last_ticks * ns_per_tick);
    return stats;
}

static void stats_add(const schedule_task *task, shoal_system *system, uint64_t ticks) {
    shoal_system_stats *stats = &system->stats;
    uint64_t rows = task->job_count != 0 ? atomic_load_explicit(&system->run_rows, memory_order_relaxed) : 0;
    bool is_first = task->round == 0;
    stats->runs++;
    stats->rows += rows;
    stats->jobs += task->job_count;
    stats->last_rows = is_first ? rows : stats->last_rows + rows;
    stats->last_jobs = is_first ? task->job_count : stats->last_jobs + task->job_count;
    system->ticks += ticks;
    system->last_ticks = is_first ? ticks : system->last_ticks + ticks;
}

/* What a row of the task costs now. */
static void cost_learn(schedule_task *task, uint64_t ticks) {
    task->last_ticks = ticks;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < task->active_count; i++) {
        uint64_t own = atomic_load_explicit(&task->members[task->active[i]]->run_rows, memory_order_relaxed);
        rows = own > rows ? own : rows;
    }
    if (rows != 0) {
        double cost = (double)ticks / (double)rows;
        task->row_ticks =
            task->row_ticks == 0 ? cost : task->row_ticks * (1 - ROW_TICKS_WEIGHT) + cost * ROW_TICKS_WEIGHT;
    }
}

bool task_may_run_lean(schedule_task *task, shoal_schedule *schedule) {
    return LIKELY(task->is_lean) && task->enable_stamp == schedule->enable_changes + 1 &&
           task->lean_runs + 1 < MEASURE_EVERY && task->last_ticks < schedule->cheap_ticks &&
           task_refresh(task, schedule) == SHOAL_OK;
}

void task_end_lean(schedule_task *task) {
    bool has_failed = atomic_load_explicit(&task->has_failed, memory_order_relaxed);
    for (uint32_t i = 0; UNLIKELY(has_failed) && i < task->active_count; i++) {
        failure_tell(task, task->members[task->active[i]]);
    }
    atomic_store_explicit(&task->has_failed, false, memory_order_relaxed);
}

bool task_end(schedule_task *task, schedule_worker *worker) {
    task_count_lean(task);
    bool has_all = task->active_count == task->member_count;
    task->enable_stamp = has_all ? worker->schedule->enable_changes + 1 : 0;
    uint64_t ticks = task->job_count != 0 ? atomic_load_explicit(&task->ticks, memory_order_relaxed) : 0;
    uint64_t samples = 0;
    for (uint32_t i = 0; i < task->active_count && task->active_count > 1; i++) {
        samples += atomic_load_explicit(&task->members[task->active[i]]->run_samples, memory_order_relaxed);
    }
    bool goes_on = false;
    for (uint32_t i = 0; i < task->active_count; i++) {
        shoal_system *system = task->members[task->active[i]];
        if (system->has_sums) {
            shoal_status status = reduce_end(system);
            if (status != SHOAL_OK) {
                system_failed(system, status, UINT64_MAX);
            }
        }
        stats_add(task, system, system_share(task, system, ticks, samples));
        failure_tell(task, system);
        system->place += task->job_count;
        goes_on |= task->round + 1 < system->rounds;
    }
    if (task->job_count != 0) {
        cost_learn(task, ticks);
    }
    atomic_store_explicit(&task->has_failed, false, memory_order_relaxed);
    task->round++;
    return goes_on;
}
