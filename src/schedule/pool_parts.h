/*
 * What a pool is made of; for the files pool*.c only.
 *
 *   claims   | closed 31 |      entries in use 15..0 |       closed: the pool is stopped
 *   entries  [0]  state, pass     a pass that is offered
 *            [1]  ...
 *   offer    rises with each pass that is offered     workers without a pass wait for it
 *   signal   rises with each pool_signal()            threads inside of passes wait for it
 *
 *   state of an entry   | serial 63..32 | open 31 | awaited 30 | places 29..15 | helpers 14..0 |
 *
 * A thread that runs a pass claims an entry, writes the pass into it and opens it. A worker comes in by one exchange
 * that takes a place and adds a helper, so it comes only while the entry is open; it leaves by taking the helper off.
 * The runner of the pass closes the entry when the work is done, waits for 0 helpers, and gives the entry back.
 *
 * Invariant "held": the pass of an entry changes only while its state is neither open nor has helpers, so a worker that
 * has come in may read it, whichever pass it was that it came for.
 *
 * Thread rule: any; each shared member says its memory order.
 */
#ifndef SHOAL_SCHEDULE_POOL_PARTS_H
#define SHOAL_SCHEDULE_POOL_PARTS_H

#include <stdalign.h>
#include <stdatomic.h>

#include "base/platform/platform.h"
#include "pool.h"

#define POOL_WORKER_LIMIT 1024
#define POOL_LINE_BYTES 64

/* Passes at one time; who finds no entry works alone. */
#define POOL_ENTRY_COUNT 16
#define POOL_CLOSED ((uint32_t)1 << 31)

#define ENTRY_HELPER ((uint64_t)1)
#define ENTRY_HELPERS ((uint64_t)0x7FFF)
#define ENTRY_PLACE_SHIFT 15
#define ENTRY_PLACE ((uint64_t)1 << ENTRY_PLACE_SHIFT)
#define ENTRY_PLACES ((uint64_t)0x7FFF << ENTRY_PLACE_SHIFT)
#define ENTRY_AWAITED ((uint64_t)1 << 30) /* the runner of the pass may be parked until the helpers have left */
#define ENTRY_OPEN ((uint64_t)1 << 31)
#define ENTRY_SERIAL_SHIFT 32 /* which pass of this entry; wraps */

typedef struct pool_entry {
    /* Opened by release; workers come in by acquire and leave by release; closed by acquire and release. */
    alignas(POOL_LINE_BYTES) _Atomic uint64_t state;
    pool_pass *pass; /* guarded by "held" */
    /* Of the thread that has claimed the entry; the counts are read by others, relaxed. */
    alignas(POOL_LINE_BYTES) uint32_t serial;
    _Atomic uint64_t passes;
    _Atomic uint64_t shared_passes;
} pool_entry;

/*
 * An event count: who finds nothing to do waits until it has risen above the count that it read before it looked.
 *
 *     waiting thread               telling thread
 *     parked += 1                  count += 1
 *     sleep if count == seen       wake if parked != 0
 *
 * All four are sequentially consistent, so there is one order of them. In it either `count += 1` stands before the
 * look at count, and the thread does not sleep; or the look, and so `parked += 1`, stands before `count += 1` and the
 * look at parked, and the teller wakes. Weaker orders would let both look first and miss each other. A count comes
 * back to a value that somebody still holds after 2^32 tells only.
 */
typedef struct pool_event {
    /* Rises by seq_cst (also a release of all that was written before); read by acquire, before parking by seq_cst. */
    alignas(POOL_LINE_BYTES) _Atomic uint32_t count;
    /* Threads asleep or about to be; seq_cst. On its own line, so that those who poll the count keep theirs. */
    alignas(POOL_LINE_BYTES) _Atomic uint32_t parked;
} pool_event;

/* A thread of the pool. Filled before it starts, then read only. */
typedef struct pool_worker {
    platform_thread thread;
    shoal_pool *pool;
    uint32_t slot;
} pool_worker;

/* The tasks of a runner. */
typedef struct pool_tasks {
    /* Started and not yet begun; relaxed, since it only keeps the runner's queue short. A task that begins just when a
       pass counts on it may miss that pass, as any worker may. */
    alignas(POOL_LINE_BYTES) _Atomic uint32_t waiting;
    /* Started and not yet returned. A task leaves by release as the last thing it does; destroy reads by acquire. */
    _Atomic uint32_t outstanding;
    /* A bit for each slot that a task has; taken by acquire, given back by release. */
    alignas(POOL_LINE_BYTES) _Atomic uint64_t slots[POOL_WORKER_LIMIT / 64];
} pool_tasks;

struct shoal_pool {
    /* Written before the pool is given out, read only afterwards. */
    alignas(POOL_LINE_BYTES) uint32_t helper_limit; /* workers beside the one that runs a pass */
    uint64_t spin_ns;
    bool is_crowded; /* more workers than processors: those that spin would keep others from working */
    shoal_runner runner;
    pool_worker *workers; /* NULL with a runner */
    char name[12];

    /* Entries are taken by acquire and given back by release; the pool is closed and opened likewise. */
    alignas(POOL_LINE_BYTES) _Atomic uint32_t claims;
    pool_event offer;
    pool_event signal;

    /* Rare. `users` counts worlds, and has POOL_CLOSED while the pool is destroyed; by acquire and release. `ending`
       is read after the offer, which orders it, and so relaxed. The rest are statistics, relaxed. */
    alignas(POOL_LINE_BYTES) _Atomic uint32_t users;
    _Atomic bool ending;
    _Atomic uint64_t wakes;
    _Atomic uint64_t started_tasks;

    pool_entry entries[POOL_ENTRY_COUNT];
    pool_tasks tasks;
};

/* How long a thread has looked; zero-initialised at first. */
typedef struct pool_spin {
    uint32_t round_count;
    uint64_t end_ns;
} pool_spin;

/* ---- pool_event.c ---- */

/* One round of looking is over; false when it is time to park. */
bool spin_again(const shoal_pool *pool, pool_spin *spin);

/* Raises the count; wakes up to `wake_limit` of those that are parked. */
void event_tell(shoal_pool *pool, pool_event *event, uint32_t wake_limit);

/* Waits until the count is not `seen`. With a runner it never parks: it lets the runner use the thread. */
void event_wait(shoal_pool *pool, pool_event *event, uint32_t seen);

/* ---- pool_pass.c ---- */

/* A thread of the pool. */
void worker_run(void *data);

/* The passes that this thread is inside of, of all pools. */
uint32_t *pool_depth(void);

/* Comes into a pass that has a place, works and leaves; false when there is none. `left` has, for each entry, the
   serial of the pass that this worker has left, which needs it no more. */
bool pool_help(shoal_pool *pool, uint32_t slot, uint32_t left[POOL_ENTRY_COUNT]);

/* ---- pool_runner.c ---- */

/* Asks the runner for up to `count` tasks, those that have not come yet included. */
void tasks_start(shoal_pool *pool, uint32_t count);

/* Lets the runner, or another thread, use this one. */
void tasks_yield(const shoal_pool *pool);

/* Waits until all tasks have returned. */
void tasks_finish(shoal_pool *pool);

#endif
