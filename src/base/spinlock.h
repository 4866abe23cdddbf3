/*
 * A lock for the few process-wide tables that are written rarely and briefly: the component registry, the world
 * tags and the regions of the default allocator. Statically initialised, so that the first use may come from any
 * thread.
 *
 * Memory order: acquire on lock, release on unlock.
 */
#ifndef SHOAL_BASE_SPINLOCK_H
#define SHOAL_BASE_SPINLOCK_H

#include <stdatomic.h>

#include "platform/platform.h"

typedef struct spinlock {
    atomic_flag held;
} spinlock;

#define SPINLOCK_INIT                                                                                                  \
    { ATOMIC_FLAG_INIT }

static inline void spinlock_lock(spinlock *lock) {
    while (atomic_flag_test_and_set_explicit(&lock->held, memory_order_acquire)) {
        platform_yield();
    }
}

static inline void spinlock_unlock(spinlock *lock) {
    atomic_flag_clear_explicit(&lock->held, memory_order_release);
}

#endif
