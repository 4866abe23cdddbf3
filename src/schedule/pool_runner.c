/*
 * Pools whose threads are the caller's: for each pass the runner is asked for tasks. A task takes a slot, helps in one
 * pass, whichever has a place for it, and returns; one that comes late finds none and returns at once.
 *
 * Tasks that have been started and have not come yet count for the next pass too, so a runner never has more than a
 * pool's workers of them in its queue.
 */
#include "pool_parts.h"

#include <string.h>

#include "base/compiler.h"

/* A slot of the task's own, 0 when all are taken. Acquire: what the last task with this slot has done is seen. */
static uint32_t slot_take(shoal_pool *pool) {
    for (uint32_t word = 0; word <= pool->helper_limit / 64; word++) {
        uint64_t taken = atomic_load_explicit(&pool->tasks.slots[word], memory_order_relaxed);
        while (~taken != 0) {
            uint32_t slot = word * 64 + bit_lowest(~taken);
            if (slot > pool->helper_limit) {
                return 0;
            }
            uint64_t bit = (uint64_t)1 << slot % 64;
            if (atomic_compare_exchange_weak_explicit(&pool->tasks.slots[word], &taken, taken | bit,
                                                      memory_order_acquire, memory_order_relaxed)) {
                return slot;
            }
        }
    }
    return 0;
}

/* Release: the next task with this slot sees what this one has done. */
static void slot_give_back(shoal_pool *pool, uint32_t slot) {
    atomic_fetch_and_explicit(&pool->tasks.slots[slot / 64], ~((uint64_t)1 << slot % 64), memory_order_release);
}

/*
 * A runner may call a task on a thread that is inside of a pass already: at once from `start`, from `wait`, or from
 * what a system does. Such a task must not help: it might wait for work that is held by the frames below it, and they
 * go on when it has returned only.
 */
static void task_run(void *data) {
    shoal_pool *pool = data;
    atomic_fetch_sub_explicit(&pool->tasks.waiting, 1, memory_order_relaxed);
    uint32_t slot = *pool_depth() == 0 ? slot_take(pool) : 0;
    if (slot != 0) {
        uint32_t left[POOL_ENTRY_COUNT] = {0};
        (void)pool_help(pool, slot, left);
        slot_give_back(pool, slot);
    }
    atomic_fetch_sub_explicit(&pool->tasks.outstanding, 1, memory_order_release);
}

/* Relaxed: what the task must see is handed over by the entry that it comes into. Both counts rise first, since the
   task may be over before `start` returns. */
void tasks_start(shoal_pool *pool, uint32_t count) {
    pool_tasks *tasks = &pool->tasks;
    for (uint32_t i = 0; i < count && atomic_load_explicit(&tasks->waiting, memory_order_relaxed) < count; i++) {
        atomic_fetch_add_explicit(&tasks->outstanding, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&tasks->waiting, 1, memory_order_relaxed);
        if (!pool->runner.start(pool->runner.user, task_run, pool)) {
            atomic_fetch_sub_explicit(&tasks->waiting, 1, memory_order_relaxed);
            atomic_fetch_sub_explicit(&tasks->outstanding, 1, memory_order_relaxed);
            return;
        }
        atomic_fetch_add_explicit(&pool->started_tasks, 1, memory_order_relaxed);
    }
}

void tasks_yield(const shoal_pool *pool) {
    if (pool->runner.wait != NULL) {
        pool->runner.wait(pool->runner.user);
    } else {
        platform_yield();
    }
}

/* Acquire: no task touches the pool any more, and what they did is seen. */
void tasks_finish(shoal_pool *pool) {
    while (atomic_load_explicit(&pool->tasks.outstanding, memory_order_acquire) != 0) {
        tasks_yield(pool);
    }
}
