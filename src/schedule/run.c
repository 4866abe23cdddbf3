/*
 * What a system's function may ask of its run: work on other workers. The body runs under a scope that stands for the
 * calling system, on each worker that takes part. Thread rule: inside of a system.
 */
#include "schedule.h"

#define RANGES_PER_WORKER 8u

typedef struct body_pass {
    pool_pass pass; /* first, so that a pass is its body */
    const shoal_run *run;
    world_scope scope; /* to copy, on each worker */
    void (*body)(void *data, size_t first, size_t end);
    void *data;
    size_t count, grain, ranges;
    _Atomic size_t next; /* range; relaxed: who takes which does not matter */
    _Atomic size_t done; /* indices that are worked off; acquire and release */
} body_pass;

static void body_work(pool_pass *pool_part, uint32_t slot) {
    body_pass *pass = (body_pass *)pool_part;
    shoal_pool *pool = pass->run->system->schedule->pool;
    world_scope scope = pass->scope;
    world_scope_enter(&scope);
    size_t range;
    while ((range = atomic_fetch_add_explicit(&pass->next, 1, memory_order_relaxed)) < pass->ranges) {
        size_t first = range * pass->grain;
        size_t end = pass->count - first < pass->grain ? pass->count : first + pass->grain;
        pass->body(pass->data, first, end);
        if (atomic_fetch_add_explicit(&pass->done, end - first, memory_order_acq_rel) + (end - first) == pass->count) {
            pool_signal(pool);
        }
    }
    scope.lock.count = 0; /* of views that the body has left open; its system is told when it returns */
    world_scope_leave(&scope);
    while (slot == 0) {
        uint32_t seen = pool_signal_seen(pool);
        if (atomic_load_explicit(&pass->done, memory_order_acquire) == pass->count) {
            break;
        }
        pool_wait(pool, seen);
    }
}

/* What holds while bodies run: nothing is recorded, and the world is shared, which it is not in an exclusive system. */
static void outermost_run(const shoal_run *run, body_pass *pass) {
    shoal_world *world = run->system->schedule->world;
    shoal_status refusal = run->commands->refusal;
    bool was_shared = world_is_shared(world);
    command_refuse(run->commands, SHOAL_WORLD_LOCKED);
    if (!was_shared) {
        world_set_shared(world, true);
        world->lock.count++;
    }
    pool_run(run->system->schedule->pool, &pass->pass);
    if (!was_shared) {
        world->lock.count--;
        world_set_shared(world, false);
    }
    command_refuse(run->commands, refusal);
}

shoal_status shoal_run_parallel(const shoal_run *run, size_t count, size_t grain,
                                void (*body)(void *data, size_t first, size_t end), void *data) {
    if (run == NULL || body == NULL) {
        return error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, "shoal_run_parallel");
    }
    if (count == 0) {
        return SHOAL_OK;
    }
    shoal_schedule *schedule = run->system->schedule;
    shoal_world *world = schedule->world;
    size_t workers = schedule->pool != NULL ? shoal_pool_worker_count(schedule->pool) : 1;
    size_t parts = workers * RANGES_PER_WORKER;
    body_pass pass = {
        .run = run, .body = body, .data = data, .count = count, .grain = grain != 0 ? grain : (count - 1) / parts + 1};
    pass.ranges = (count - 1) / pass.grain + 1;
    pass.pass.work = body_work;
    pass.pass.helper_limit = (uint32_t)(pass.ranges < workers ? pass.ranges : workers) - 1;
    const world_scope *scope = world_scope_of(world);
    pass.scope = scope != NULL ? *scope : (world_scope){.world = world, .name = run->system->name};
    pass.scope.lock = (world_lock){0};
    pass.scope.is_body = true;
    if (scope != NULL && scope->is_body) { /* all is set, and other threads look at it */
        pool_run(schedule->pool, &pass.pass);
    } else {
        outermost_run(run, &pass);
    }
    return SHOAL_OK;
}
