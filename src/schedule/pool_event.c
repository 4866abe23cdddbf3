/*
 * How threads of a pool wait: they look for a while, then park; see pool_parts.h for the event count.
 */
#include "pool_parts.h"

/* Rounds between two looks at the clock, which cost as much as a few rounds. */
#define ROUNDS_A_LOOK 16
/* Rounds of a thread that has no processor of its own for certain; each look is a yield. */
#define ROUNDS_CROWDED 64

void pool_relax(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#elif defined(__GNUC__) && defined(__arm__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

bool spin_again(const shoal_pool *pool, pool_spin *spin) {
    pool_relax();
    spin->round_count++;
    if (spin->round_count % ROUNDS_A_LOOK != 0) {
        return true;
    }
    if (pool->is_crowded) {
        platform_yield();
        return spin->round_count < ROUNDS_CROWDED;
    }
    uint64_t now = platform_clock_ns();
    if (spin->end_ns == 0) {
        spin->end_ns = now + pool->spin_ns;
    }
    return now < spin->end_ns;
}

void event_tell(shoal_pool *pool, pool_event *event, uint32_t wake_limit) {
    atomic_fetch_add_explicit(&event->count, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&event->parked, memory_order_seq_cst) != 0) {
        atomic_fetch_add_explicit(&pool->wakes, 1, memory_order_relaxed);
        platform_wake(&event->count, wake_limit);
    }
}

/* Acquire: what was written before the count rose is seen by the caller. */
static bool event_has_risen(const pool_event *event, uint32_t seen) {
    return atomic_load_explicit(&event->count, memory_order_acquire) != seen;
}

/* The system compares the count once more when the thread is about to sleep, so a tell in between is not missed; the
   look before that is the one of the event count's argument. */
static void event_park(pool_event *event, uint32_t seen) {
    atomic_fetch_add_explicit(&event->parked, 1, memory_order_seq_cst);
    while (atomic_load_explicit(&event->count, memory_order_seq_cst) == seen) {
        platform_wait(&event->count, seen);
    }
    atomic_fetch_sub_explicit(&event->parked, 1, memory_order_seq_cst);
}

void event_wait(shoal_pool *pool, pool_event *event, uint32_t seen) {
    pool_spin spin = {0};
    while (!event_has_risen(event, seen)) {
        if (spin_again(pool, &spin)) {
            continue;
        }
        if (pool->runner.start == NULL) {
            event_park(event, seen);
            return;
        }
        tasks_yield(pool);
    }
}

/* Acquire, so that looking for work afterwards cannot be done before. */
uint32_t pool_signal_seen(const shoal_pool *pool) {
    return pool == NULL ? 0 : atomic_load_explicit(&pool->signal.count, memory_order_acquire);
}

/* Acquire with respect to the pool_signal() that ended the wait. */
void pool_wait(shoal_pool *pool, uint32_t seen) {
    if (pool != NULL) {
        event_wait(pool, &pool->signal, seen);
    }
}

/* Release and more; see pool_event. */
void pool_signal(shoal_pool *pool) {
    if (pool != NULL) {
        event_tell(pool, &pool->signal, UINT32_MAX);
    }
}
