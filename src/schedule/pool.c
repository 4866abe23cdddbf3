/*
 * The life of a worker pool, and what it says of itself. pool_pass.c has the passes, pool_event.c how threads wait,
 * pool_runner.c the tasks of a runner; pool_parts.h draws it.
 *
 *   create   allocate, start the threads, open        the pool is closed while threads start and end, so a world that
 *   stop     close, end the threads                   steps meanwhile works alone
 *   start    start the threads, open
 *   destroy  no users, close, end the threads or tasks, release
 *
 * The memory of a pool belongs to no world: it comes from the default allocator.
 */
#include "pool_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define SPIN_MICROSECONDS 50

/* Worked out by whoever asks first; two threads may do so at once and come to the same. Relaxed: nothing but the
   number is handed over. */
uint32_t shoal_core_count(void) {
    static _Atomic uint32_t known_count;
    uint32_t count = atomic_load_explicit(&known_count, memory_order_relaxed);
    if (count == 0) {
        count = platform_core_count();
        atomic_store_explicit(&known_count, count, memory_order_relaxed);
    }
    return count;
}

static uint32_t worker_count_of(const shoal_pool_def *def) {
    if (def->worker_count != 0) {
        return def->worker_count;
    }
    uint32_t count = shoal_core_count();
    return count < POOL_WORKER_LIMIT ? count : POOL_WORKER_LIMIT;
}

static shoal_status def_check(const shoal_pool_def *def) {
    error_record *record = error_thread_record();
    if (def->worker_count > POOL_WORKER_LIMIT) {
        return error_detail(record, SHOAL_INVALID_ARGUMENT, "shoal_pool_create", "%u workers, the limit is %d",
                            def->worker_count, POOL_WORKER_LIMIT);
    }
    if (def->runner.start == NULL && def->runner.wait != NULL) {
        return error_detail(record, SHOAL_INVALID_ARGUMENT, "shoal_pool_create", "the runner has no start function");
    }
    return SHOAL_OK;
}

/* Threads that lie beside each other in memory share nothing that changes while they run. */
static size_t pool_bytes(uint32_t helper_count, bool has_threads) {
    return sizeof(shoal_pool) + (has_threads ? helper_count * sizeof(pool_worker) : 0);
}

static void pool_release(shoal_pool *pool) {
    shoal_allocator allocator = memory_default_allocator();
    size_t byte_size = pool_bytes(pool->helper_limit, pool->workers != NULL);
    allocator.release(allocator.context, pool, byte_size, alignof(shoal_pool));
}

/* Tells the first `count` threads to end, and waits for them. The offer orders `ending` for them; the join orders all
   that they have done for the caller. */
static void threads_end(shoal_pool *pool, uint32_t count) {
    atomic_store_explicit(&pool->ending, true, memory_order_relaxed);
    event_tell(pool, &pool->offer, UINT32_MAX);
    for (uint32_t i = 0; i < count; i++) {
        platform_thread_join(&pool->workers[i].thread);
    }
}

/* All threads or none. */
static shoal_status threads_start(shoal_pool *pool, const char *call) {
    atomic_store_explicit(&pool->ending, false, memory_order_relaxed);
    uint32_t count = pool->workers != NULL ? pool->helper_limit : 0;
    for (uint32_t i = 0; i < count; i++) {
        pool_worker *worker = &pool->workers[i];
        worker->pool = pool;
        worker->slot = i + 1;
        worker->thread.run = worker_run;
        worker->thread.data = worker;
        (void)snprintf(worker->thread.name, sizeof worker->thread.name, "%s%u", pool->name, worker->slot % 10000);
        if (!platform_thread_start(&worker->thread)) {
            threads_end(pool, i);
            return error_detail(error_thread_record(), SHOAL_THREAD_FAILED, call, "thread %u of %u", i + 1, count);
        }
    }
    return SHOAL_OK;
}

static shoal_pool *pool_make(const shoal_pool_def *def) {
    uint32_t worker_count = worker_count_of(def);
    bool has_threads = def->runner.start == NULL;
    size_t byte_size = pool_bytes(worker_count - 1, has_threads);
    shoal_allocator allocator = memory_default_allocator();
    shoal_pool *pool = allocator.allocate(allocator.context, byte_size, alignof(shoal_pool));
    if (pool == NULL) {
        (void)error_set(error_thread_record(), SHOAL_OUT_OF_MEMORY, "shoal_pool_create");
        return NULL;
    }
    memset(pool, 0, byte_size);
    uint32_t spin_microseconds = def->spin_microseconds != 0 ? def->spin_microseconds : SPIN_MICROSECONDS;
    pool->helper_limit = worker_count - 1;
    pool->spin_ns = (uint64_t)spin_microseconds * 1000;
    pool->is_crowded = worker_count > platform_processor_count();
    pool->runner = def->runner;
    pool->workers = has_threads ? (pool_worker *)(pool + 1) : NULL;
    (void)snprintf(pool->name, sizeof pool->name, "%s", def->name != NULL ? def->name : "shoal");
    atomic_store_explicit(&pool->claims, POOL_CLOSED, memory_order_relaxed);
    atomic_store_explicit(&pool->tasks.slots[0], 1, memory_order_relaxed); /* slot 0 is the stepping thread's */
    return pool;
}

/* Closes a pool that is open and has no pass. Acquire: what the last passes did is done with. */
static bool pool_close(shoal_pool *pool) {
    uint32_t none = 0;
    return atomic_compare_exchange_strong_explicit(&pool->claims, &none, POOL_CLOSED, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* Release: passes find the threads started. */
static void pool_open(shoal_pool *pool) {
    atomic_store_explicit(&pool->claims, 0, memory_order_release);
}

static bool pool_is_closed(const shoal_pool *pool) {
    return (atomic_load_explicit(&pool->claims, memory_order_relaxed) & POOL_CLOSED) != 0;
}

static void pool_end_threads(shoal_pool *pool) {
    if (pool->workers != NULL) {
        threads_end(pool, pool->helper_limit);
    }
}

/* Acquire: what worlds have done with the pool before they left it is done with. */
bool pool_use(shoal_pool *pool) {
    uint32_t users = atomic_load_explicit(&pool->users, memory_order_relaxed);
    do {
        if ((users & POOL_CLOSED) != 0) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&pool->users, &users, users + 1, memory_order_acquire,
                                                    memory_order_relaxed));
    return true;
}

/* Release: shoal_pool_destroy() may release the pool right afterwards. */
void pool_unuse(shoal_pool *pool) {
    atomic_fetch_sub_explicit(&pool->users, 1, memory_order_release);
}

shoal_pool *shoal_pool_create(const shoal_pool_def *def) {
    const shoal_pool_def defaults = {0};
    def = def != NULL ? def : &defaults;
    if (def_check(def) != SHOAL_OK) {
        return NULL;
    }
    shoal_pool *pool = pool_make(def);
    if (pool == NULL) {
        return NULL;
    }
    if (threads_start(pool, "shoal_pool_create") != SHOAL_OK) {
        pool_release(pool);
        return NULL;
    }
    pool_open(pool);
    return pool;
}

/* Two gates: no user may come, then no pass. Where the second one is shut the first one opens again. */
shoal_status shoal_pool_destroy(shoal_pool *pool) {
    static const char call[] = "shoal_pool_destroy";
    if (pool == NULL) {
        return SHOAL_OK;
    }
    uint32_t users = 0;
    if (!atomic_compare_exchange_strong_explicit(&pool->users, &users, POOL_CLOSED, memory_order_acquire,
                                                 memory_order_relaxed)) {
        return error_detail(error_thread_record(), SHOAL_POOL_BUSY, call, "%u worlds use it", users & ~POOL_CLOSED);
    }
    if (!pool_is_closed(pool)) {
        if (!pool_close(pool)) {
            atomic_store_explicit(&pool->users, 0, memory_order_release);
            return error_detail(error_thread_record(), SHOAL_POOL_BUSY, call, "it is at work");
        }
        pool_end_threads(pool);
    }
    tasks_finish(pool);
    pool_release(pool);
    return SHOAL_OK;
}

shoal_status shoal_pool_stop(shoal_pool *pool) {
    static const char call[] = "shoal_pool_stop";
    if (pool == NULL) {
        return error_detail(error_thread_record(), SHOAL_INVALID_ARGUMENT, call, "pool is null");
    }
    if (pool_is_closed(pool)) {
        return SHOAL_OK;
    }
    if (!pool_close(pool)) {
        return error_detail(error_thread_record(), SHOAL_POOL_BUSY, call, "it is at work");
    }
    pool_end_threads(pool);
    return SHOAL_OK;
}

shoal_status shoal_pool_start(shoal_pool *pool) {
    static const char call[] = "shoal_pool_start";
    if (pool == NULL) {
        return error_detail(error_thread_record(), SHOAL_INVALID_ARGUMENT, call, "pool is null");
    }
    if (!pool_is_closed(pool)) {
        return SHOAL_OK;
    }
    shoal_status status = threads_start(pool, call);
    if (status == SHOAL_OK) {
        pool_open(pool);
    }
    return status;
}

uint32_t pool_capacity(const shoal_pool *pool) {
    return pool->helper_limit + 1;
}

uint32_t shoal_pool_worker_count(const shoal_pool *pool) {
    if (pool == NULL) {
        return 0;
    }
    return pool_is_closed(pool) ? 1 : pool->helper_limit + 1;
}

/* Relaxed: the counts need not be of one moment. */
shoal_status shoal_pool_stats_get(const shoal_pool *pool, shoal_pool_stats *stats) {
    static const char call[] = "shoal_pool_stats_get";
    if (pool == NULL || stats == NULL) {
        return error_detail(error_thread_record(), SHOAL_INVALID_ARGUMENT, call, "%s is null",
                            pool == NULL ? "pool" : "stats");
    }
    *stats = (shoal_pool_stats){
        .wakes = atomic_load_explicit(&pool->wakes, memory_order_relaxed),
        .tasks = atomic_load_explicit(&pool->started_tasks, memory_order_relaxed),
    };
    for (uint32_t i = 0; i < POOL_ENTRY_COUNT; i++) {
        stats->passes += atomic_load_explicit(&pool->entries[i].passes, memory_order_relaxed);
        stats->shared_passes += atomic_load_explicit(&pool->entries[i].shared_passes, memory_order_relaxed);
    }
    return SHOAL_OK;
}
