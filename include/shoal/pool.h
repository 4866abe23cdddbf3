/**
 * @file pool.h
 * Worker pools: the threads that share the work of a step. A world makes one of its own at its first step, as many
 * workers as there are physical cores, unless shoal_schedule_configure() says otherwise; one pool may serve several
 * worlds, also at once. The thread that steps a world is always one of the workers: a pool of n has n - 1 threads. With
 * one worker nothing ever crosses a thread.
 *
 * Idle workers look for work for a short while and then park, so a pool costs nothing while nothing is stepped.
 */
#ifndef SHOAL_POOL_H
#define SHOAL_POOL_H

#include <shoal/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A pool of workers. */
typedef struct shoal_pool shoal_pool;

/**
 * Threads of the caller's own, in place of the pool's: an engine's task system, say. `start` has `task(data)` called
 * once on any thread, soon or at once; false means that there is no thread for it now, and the pool goes on without. A
 * task never waits for another one, so it may come as late as it likes; it does come, though, before
 * shoal_pool_destroy() returns. `wait` is called again and again by a thread that has nothing to do until tasks that it
 * has started have returned: it may run other tasks of its system, and should not block for long; NULL yields.
 */
typedef struct shoal_runner {
    bool (*start)(void *user, void (*task)(void *data), void *data); /**< has a task called on another thread */
    void (*wait)(void *user);                                        /**< called while waiting; may be NULL */
    void *user;                                                      /**< handed to both; must outlive the pool */
} shoal_runner;

/** A pool's definition; zero-initialised members mean the default. */
typedef struct shoal_pool_def {
    const char *name;           /**< of its threads, for debuggers; copied, cut after 11 bytes; default "shoal" */
    uint32_t worker_count;      /**< the stepping thread included, up to 1,024; default: shoal_core_count() */
    uint32_t spin_microseconds; /**< how long an idle worker looks for work before it parks; default 50 */
    shoal_runner runner;        /**< default: threads of the pool's own */
} shoal_pool_def;

/** What a pool has done since it was made. */
typedef struct shoal_pool_stats {
    uint64_t passes;        /**< passes that were offered to the workers */
    uint64_t shared_passes; /**< those in which another thread than the caller took part */
    uint64_t wakes;         /**< times that parked workers were woken */
    uint64_t tasks;         /**< tasks that a runner was given */
} shoal_pool_stats;

/**
 * The physical cores that this process may use: by hwloc where the library was built with it, else by what the system
 * says of its processors; hardware threads of one core count once, and processors that the process may not run on do
 * not count. At least 1. Worked out once for the process. Thread: any.
 */
SHOAL_API uint32_t shoal_core_count(void);

/**
 * Makes a pool and starts its threads; NULL as definition means all defaults. NULL on failure, and
 * shoal_last_error(NULL) says why: INVALID_ARGUMENT, OUT_OF_MEMORY, THREAD_FAILED. The caller owns it. Thread: any.
 */
SHOAL_API shoal_pool *shoal_pool_create(const shoal_pool_def *def);

/** Ends the threads and the pool. NULL is fine. POOL_BUSY while a world is configured to use it or it is at work:
    nothing happens then. Thread: any, and one at a time for each pool. */
SHOAL_API shoal_status shoal_pool_destroy(shoal_pool *pool);

/** Ends the threads and keeps the pool: its worlds step on their callers alone until it starts again. POOL_BUSY while
    it is at work; inside of a step that is so only while a stage is shared, so it is no place for this. Waits for the
    threads. Thread: any, and one at a time for each pool. */
SHOAL_API shoal_status shoal_pool_stop(shoal_pool *pool);

/** Starts the threads of a pool that was stopped; fine when it runs. THREAD_FAILED, OUT_OF_MEMORY: it stays stopped
    then. Thread: any, and one at a time for each pool. */
SHOAL_API shoal_status shoal_pool_start(shoal_pool *pool);

/** Workers, the stepping thread included; 1 while the pool is stopped, 0 for NULL. Thread: any. */
SHOAL_API uint32_t shoal_pool_worker_count(const shoal_pool *pool);

/** Fills `stats`. INVALID_ARGUMENT for a null pointer. Thread: any. */
SHOAL_API shoal_status shoal_pool_stats_get(const shoal_pool *pool, shoal_pool_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
