/*
 * Worker pools as the schedule sees them. A pass is a piece of work that several threads take part in:
 *
 *     pool_run(pool, pass)    the caller's pass->work(pass, 0); other workers call pass->work(pass, slot) meanwhile
 *
 * `work` finds its share by itself, through atomic counters of the pass. With slot 0 it returns when the whole pass is
 * done; with another one when there will be nothing more for it. A worker may come at any time in between, or never, so
 * the caller must be able to do all by itself. pool_run() returns when no worker is in the pass any more.
 *
 * A thread that waits for others inside of `work` calls pool_wait() with the signal that it saw before it looked for
 * work in vain; whoever makes work, or ends what others wait for, calls pool_signal() afterwards. Waiting threads look
 * for a while (the pool's spin time), then park. A thread helps in no other pass while it waits, so a pass may run
 * inside of a pass, also of the same pool, and no cycle of waits can come up.
 *
 * Slots: 0 is the caller, whatever thread it is; the pool's threads (or the tasks of a runner) have 1 to worker_count -
 * 1, each one of its own for as long as it is in the pass.
 *
 * Budget: beginning and ending a pass of two workers that are awake, 0.7 us. Thread rule: any.
 */
#ifndef SHOAL_SCHEDULE_POOL_H
#define SHOAL_SCHEDULE_POOL_H

#include <shoal/pool.h>

typedef struct pool_pass {
    void (*work)(struct pool_pass *pass, uint32_t slot);
    uint32_t helper_limit; /* workers beside the caller that can be of use; the pool has no more than that come */
} pool_pass;

/* Works a pass off. A pool that is NULL, stopped or has one worker calls nobody. */
void pool_run(shoal_pool *pool, pool_pass *pass);

/* The signal of now: read it before looking for work. */
uint32_t pool_signal_seen(const shoal_pool *pool);

/* Waits until the signal is another one than `seen`. With a NULL pool it returns at once. */
void pool_wait(shoal_pool *pool, uint32_t seen);

/* There is work, or something has ended: wakes those that wait. With a NULL pool it does nothing. */
void pool_signal(shoal_pool *pool);

/* Its workers when it is not stopped. */
uint32_t pool_capacity(const shoal_pool *pool);

/* A world uses the pool, or no longer. pool_use() returns false for a pool that is being destroyed. */
bool pool_use(shoal_pool *pool);
void pool_unuse(shoal_pool *pool);

/* Tells the processor that this thread waits for another one: some 40 cycles. */
void pool_relax(void);

#endif
