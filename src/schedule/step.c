/*
 * Steps, settings, and the life of a schedule. A world gets its schedule with its first system, phase or setting, and
 * its pool at its first step.
 *
 * During a step the world is locked, but for sync points and exclusive systems; while other systems run it is shared
 * (storage/scope.h), on one thread as on several. Thread rule: world.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ambiguity.h"
#include "labels.h"
#include "schedule.h"

#define RING_RECORDS_MAX ((uint32_t)1 << 24)

/* Tasks that take less are measured now and then only. */
#define CHEAP_NS 4000.0

static const char step_call[] = "shoal_world_step";

/* ---- the life of a schedule ---- */

static void pool_leave(shoal_schedule *schedule) {
    if (schedule->pool != NULL) {
        pool_unuse(schedule->pool);
        if (schedule->owns_pool) {
            (void)shoal_pool_destroy(schedule->pool);
        }
    }
    schedule->pool = NULL;
    schedule->owns_pool = false;
    schedule->has_pool = false;
}

static void child_end(world_child *child) {
    shoal_schedule *schedule = (shoal_schedule *)child;
    shoal_memory *memory = &schedule->world->memory;
    schedule->world_ends = true;
    schedule_unbuild(schedule);
    pool_leave(schedule);
    for (uint32_t i = 0; i < schedule->system_count; i++) {
        system_free_at_end(schedule->systems[i]);
    }
    memory_array systems = {.items = schedule->systems, .capacity = schedule->system_capacity};
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &systems, sizeof(shoal_system *));
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &schedule->pairs, sizeof(schedule_pair));
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &schedule->ages, sizeof(uint32_t));
    watch_free(schedule);
    sync_free(schedule);
    labels_free(schedule);
    rings_free(schedule);
    phases_free(schedule);
    schedule->world->schedule = NULL;
    memory_release(memory, SHOAL_PURPOSE_SCHEDULE, schedule, sizeof *schedule, 64);
}

shoal_schedule *schedule_obtain(shoal_world *world, const char *call) {
    if (world->schedule != NULL) {
        return world->schedule;
    }
    shoal_memory *memory = &world->memory;
    shoal_schedule *schedule = memory_allocate_zero(memory, SHOAL_PURPOSE_SCHEDULE, sizeof *schedule, 64);
    if (schedule == NULL) {
        world_fail(world, memory_failure(memory), call);
        return NULL;
    }
    schedule->world = world;
    schedule->child = (world_child){.end = child_end};
    shoal_status status = phases_init(schedule);
    if (status != SHOAL_OK) {
        phases_free(schedule);
        memory_release(memory, SHOAL_PURPOSE_SCHEDULE, schedule, sizeof *schedule, 64);
        world_fail(world, status, call);
        return NULL;
    }
    clock_begin();
    world_add_child(world, &schedule->child);
    world->schedule = schedule;
    return schedule;
}

shoal_status schedule_check_idle(shoal_world *world, const char *call) {
    if (world->is_stepping || world_is_locked(world)) {
        return world->is_stepping ? error_detail(world_error(world), SHOAL_WORLD_LOCKED, call, "a step is under way")
                                  : world_fail_locked(world, call);
    }
    return SHOAL_OK;
}

/* ---- settings ---- */

static shoal_status def_check(shoal_world *world, const shoal_schedule_def *def) {
    const char *fault = NULL;
    if (def->pool != NULL && (def->worker_count != 0 || def->alone)) {
        fault = "pool excludes worker_count and alone";
    } else if (def->alone && def->worker_count != 0) {
        fault = "alone excludes worker_count";
    } else if (def->worker_count > 1024) {
        fault = "worker_count is above 1,024";
    } else if ((unsigned)def->ambiguities > SHOAL_REPORT_ON) {
        fault = "ambiguities is no rule";
    } else if ((unsigned)def->dropped_policy > SHOAL_DROPPED_FAIL) {
        fault = "dropped_policy is none";
    } else if ((def->dropped != NULL) != (def->dropped_policy == SHOAL_DROPPED_CALL)) {
        fault = "dropped belongs to SHOAL_DROPPED_CALL";
    } else if (def->shuffle_conflicts && def->shuffle_seed == 0) {
        fault = "shuffle_conflicts without shuffle_seed";
    } else if (def->ring_records > RING_RECORDS_MAX) {
        fault = "ring_records is above 2^24";
    }
    return fault == NULL ? SHOAL_OK
                         : error_detail(&world->error, SHOAL_INVALID_ARGUMENT, "shoal_schedule_configure", "%s", fault);
}

shoal_status shoal_schedule_configure(shoal_world *world, const shoal_schedule_def *def) {
    static const char call[] = "shoal_schedule_configure";
    const shoal_schedule_def defaults = {0};
    def = def != NULL ? def : &defaults;
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_status status = schedule_check_idle(world, call);
    status = status == SHOAL_OK ? def_check(world, def) : status;
    if (status != SHOAL_OK) {
        return status;
    }
    shoal_schedule *schedule = schedule_obtain(world, call);
    if (schedule == NULL) {
        return world->error.status;
    }
    status = sync_settle(schedule, call);
    if (status != SHOAL_OK) {
        return status;
    }
    if (def->pool != NULL && !pool_use(def->pool)) {
        return world_fail(world, SHOAL_POOL_BUSY, call);
    }
    schedule_unbuild(schedule);
    pool_leave(schedule);
    schedule->def = *def;
    schedule->pool = def->pool;
    schedule->has_pool = def->pool != NULL || def->alone;
    return SHOAL_OK;
}

/* A pool of the world's own, where none was given. */
static shoal_status pool_make(shoal_schedule *schedule, const char *call) {
    if (schedule->has_pool || schedule->system_count == 0) {
        return SHOAL_OK;
    }
    uint32_t count = schedule->def.worker_count != 0 ? schedule->def.worker_count : shoal_core_count();
    if (count > 1) {
        shoal_pool *pool = shoal_pool_create(&(shoal_pool_def){.worker_count = count});
        if (pool == NULL) {
            shoal_error why = shoal_last_error(NULL);
            return error_detail(&schedule->world->error, why.status, call, "%s", why.message);
        }
        (void)pool_use(pool);
        schedule->pool = pool;
        schedule->owns_pool = true;
    }
    schedule->has_pool = true;
    return SHOAL_OK;
}

static shoal_status schedule_make_ready(shoal_schedule *schedule, const char *call) {
    shoal_status status = pool_make(schedule, call);
    uint64_t builds = schedule->stats.builds;
    status = status == SHOAL_OK ? schedule_build(schedule, call) : status;
    if (status == SHOAL_OK && builds != schedule->stats.builds) {
        schedule->ns_per_tick = clock_ns_per_tick();
        schedule->cheap_ticks = (uint64_t)(CHEAP_NS / schedule->ns_per_tick);
        ambiguities_log(schedule);
    }
    return status;
}

shoal_status schedule_build_for(shoal_world *world, const char *call) {
    shoal_status status = schedule_check_idle(world, call);
    shoal_schedule *schedule = status == SHOAL_OK ? schedule_obtain(world, call) : NULL;
    if (schedule == NULL) {
        return status != SHOAL_OK ? status : world->error.status;
    }
    return schedule_make_ready(schedule, call);
}

shoal_status shoal_schedule_build(shoal_world *world) {
    static const char call[] = "shoal_schedule_build";
    return world != NULL ? schedule_build_for(world, call) : world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
}

/* ---- a step ---- */

COLD void step_failed(shoal_schedule *schedule, shoal_status status, const char *format, ...) {
    spinlock_lock(&schedule->step_guard);
    if (schedule->step_status == SHOAL_OK) {
        schedule->step_status = status;
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(schedule->step_text, sizeof schedule->step_text, format, arguments);
        va_end(arguments);
    }
    spinlock_unlock(&schedule->step_guard);
}

/* The first system that has failed, in their order; all are well again for the next step. */
COLD static shoal_status failures_tell(shoal_schedule *schedule) {
    shoal_system *first = NULL;
    for (uint32_t i = 0; i < schedule->system_count; i++) {
        shoal_system *system = schedule->systems[i];
        bool is_first = system->failed_in_step && (first == NULL || system->line < first->line);
        first = is_first ? system : first;
    }
    shoal_status status = first->failure;
    error_detail(&schedule->world->error, status, step_call, "system \"%.80s\" failed%s", first->name,
                 first->failure_text);
    for (uint32_t i = 0; i < schedule->system_count; i++) {
        schedule->systems[i]->failed_in_step = false;
        schedule->systems[i]->failure = SHOAL_OK;
    }
    return status;
}

/* What the step returns: the first of the systems that failed, or else what went wrong around them. */
static shoal_status step_end(shoal_schedule *schedule) {
    if (UNLIKELY(atomic_load_explicit(&schedule->failed_count, memory_order_relaxed) != 0)) {
        return failures_tell(schedule);
    }
    if (UNLIKELY(schedule->step_status != SHOAL_OK)) {
        return error_detail(&schedule->world->error, schedule->step_status, step_call, "%s", schedule->step_text);
    }
    return SHOAL_OK;
}

static void stages_run(shoal_schedule *schedule) {
    shoal_world *world = schedule->world;
    for (uint32_t i = 0; i < schedule->stage_count; i++) {
        schedule_stage *stage = &schedule->stages[i];
        if (!stage->is_exclusive) {
            world->lock.holder = step_call;
            world->lock.count = 1;
            world_set_shared(world, true);
            stage_run(schedule, stage);
            world_set_shared(world, false);
            world->lock.holder = NULL;
            world->lock.count = 0;
        } else {
            stage_run(schedule, stage);
        }
        if (stage->syncs) {
            sync_apply(schedule);
        }
    }
}

shoal_status shoal_world_step(shoal_world *world, uint64_t dt_ns) {
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, step_call);
    }
    if (UNLIKELY(world->is_stepping) || world_is_locked(world)) {
        return schedule_check_idle(world, step_call);
    }
    shoal_schedule *schedule = world->schedule;
    if (UNLIKELY(schedule == NULL)) {
        world->tick++;
        return SHOAL_OK;
    }
    shoal_status status = schedule_make_ready(schedule, step_call);
    if (UNLIKELY(status != SHOAL_OK)) {
        return status;
    }
    world->tick++;
    world->is_stepping = true;
    schedule->dt_ns = dt_ns;
    schedule->step_status = SHOAL_OK;
    atomic_store_explicit(&schedule->failed_count, 0, memory_order_relaxed);
    stages_run(schedule);
    world->is_stepping = false;
    schedule->stats.steps++;
    return step_end(schedule);
}

shoal_status shoal_schedule_stats_get(const shoal_world *world, shoal_schedule_stats *stats) {
    if (world == NULL || stats == NULL) {
        return error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, "shoal_schedule_stats_get");
    }
    *stats = world->schedule != NULL ? world->schedule->stats : (shoal_schedule_stats){0};
    return SHOAL_OK;
}
