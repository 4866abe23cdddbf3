/*
 * Passes: how they are offered, how workers come in and leave; see pool_parts.h.
 *
 *     runner of the pass                        worker
 *     claim an entry         claims             wait for the offer to rise
 *     pass, open             state       ---->  come in: a place less, a helper more
 *     offer += 1             offer       ---->  work(pass, slot)
 *     work(pass, 0)                             leave: a helper less
 *     close                  state       <----
 *     wait for 0 helpers
 *     give the entry back    claims
 *
 * Budget of a pass with one awake helper: 0.7 us, four cache lines that change hands.
 */
#include "pool_parts.h"

#include "base/compiler.h"

static _Thread_local uint32_t thread_depth;

uint32_t *pool_depth(void) {
    return &thread_depth;
}

static uint64_t state_helpers(uint64_t state) {
    return state & ENTRY_HELPERS;
}

static uint32_t state_serial(uint64_t state) {
    return (uint32_t)(state >> ENTRY_SERIAL_SHIFT);
}

/* An entry of the caller's own, NULL when all are taken or the pool is stopped. Acquire: what its last user has
   written there is done with. */
static pool_entry *entry_claim(shoal_pool *pool) {
    uint32_t claims = atomic_load_explicit(&pool->claims, memory_order_relaxed);
    for (;;) {
        uint32_t unclaimed = ~claims & (((uint32_t)1 << POOL_ENTRY_COUNT) - 1);
        if ((claims & POOL_CLOSED) != 0 || unclaimed == 0) {
            return NULL;
        }
        uint32_t number = bit_lowest(unclaimed);
        if (atomic_compare_exchange_weak_explicit(&pool->claims, &claims, claims | (uint32_t)1 << number,
                                                  memory_order_acquire, memory_order_relaxed)) {
            return &pool->entries[number];
        }
    }
}

/* Release: the next one to claim the entry finds it unused. */
static void entry_give_back(shoal_pool *pool, const pool_entry *entry) {
    uint32_t bit = (uint32_t)1 << (entry - pool->entries);
    atomic_fetch_sub_explicit(&pool->claims, bit, memory_order_release);
}

/* Release: a worker that comes in sees the pass and all that the caller has written for it. */
static void entry_open(pool_entry *entry, pool_pass *pass, uint32_t place_count) {
    entry->pass = pass;
    entry->serial++;
    uint64_t state = (uint64_t)entry->serial << ENTRY_SERIAL_SHIFT | ENTRY_OPEN | place_count * ENTRY_PLACE;
    atomic_store_explicit(&entry->state, state, memory_order_release);
}

/* The pass that the caller is a helper of from now on, NULL when the entry has no place for it. Acquire: it sees what
   the runner of the pass has written. The exchange itself says that the entry is open, so it does not matter how old
   the state was that it began with. */
static pool_pass *entry_come_in(pool_entry *entry, uint32_t *left_serial) {
    uint64_t state = atomic_load_explicit(&entry->state, memory_order_relaxed);
    for (;;) {
        if ((state & ENTRY_OPEN) == 0 || (state & ENTRY_PLACES) == 0 || state_serial(state) == *left_serial) {
            return NULL;
        }
        if (atomic_compare_exchange_weak_explicit(&entry->state, &state, state - ENTRY_PLACE + ENTRY_HELPER,
                                                  memory_order_acquire, memory_order_relaxed)) {
            *left_serial = state_serial(state);
            return entry->pass;
        }
    }
}

/* Release: the runner of the pass sees what the helper has done. The entry may be another pass's right afterwards. */
static void entry_leave(shoal_pool *pool, pool_entry *entry) {
    uint64_t state = atomic_fetch_sub_explicit(&entry->state, ENTRY_HELPER, memory_order_release);
    if ((state & ENTRY_AWAITED) != 0 && state_helpers(state) == 1) {
        pool_signal(pool);
    }
}

/* Waits for the last helper. It looks for a while; then it says that it is about to park. A helper that leaves before
   that is seen in the answer, and one that leaves afterwards signals. Acquire: what helpers have done is seen. */
static void entry_await(shoal_pool *pool, pool_entry *entry) {
    pool_spin spin = {0};
    while (state_helpers(atomic_load_explicit(&entry->state, memory_order_acquire)) != 0) {
        if (spin_again(pool, &spin)) {
            continue;
        }
        uint32_t seen = pool_signal_seen(pool);
        uint64_t state = atomic_fetch_or_explicit(&entry->state, ENTRY_AWAITED, memory_order_acq_rel);
        if (state_helpers(state) != 0) {
            pool_wait(pool, seen);
        }
    }
}

/* Only the owner of the entry writes the counts, so they need no read-modify-write. */
static void count_one(_Atomic uint64_t *count) {
    uint64_t value = atomic_load_explicit(count, memory_order_relaxed);
    atomic_store_explicit(count, value + 1, memory_order_relaxed);
}

/* No worker comes in from here on. Acquire: what helpers that have left did is seen. */
static void entry_close(shoal_pool *pool, pool_entry *entry, uint32_t place_count) {
    uint64_t state = atomic_fetch_sub_explicit(&entry->state, ENTRY_OPEN, memory_order_acq_rel);
    if (state_helpers(state) != 0) {
        entry_await(pool, entry);
    }
    count_one(&entry->passes);
    if ((state & ENTRY_PLACES) != place_count * ENTRY_PLACE) {
        count_one(&entry->shared_passes);
    }
}

static void work_alone(pool_pass *pass) {
    thread_depth++;
    pass->work(pass, 0);
    thread_depth--;
}

static void run_shared(shoal_pool *pool, pool_entry *entry, pool_pass *pass, uint32_t place_count) {
    entry_open(entry, pass, place_count);
    event_tell(pool, &pool->offer, place_count);
    thread_depth++;
    if (pool->runner.start != NULL) {
        tasks_start(pool, place_count);
    }
    pass->work(pass, 0);
    thread_depth--;
    entry_close(pool, entry, place_count);
}

/* Release before, acquire after: helpers see what the caller has done, and the caller what helpers have. */
void pool_run(shoal_pool *pool, pool_pass *pass) {
    pool_entry *entry = pool != NULL ? entry_claim(pool) : NULL;
    if (entry == NULL) {
        work_alone(pass);
        return;
    }
    uint32_t place_count = pass->helper_limit < pool->helper_limit ? pass->helper_limit : pool->helper_limit;
    if (place_count == 0) {
        work_alone(pass);
    } else {
        run_shared(pool, entry, pass, place_count);
    }
    entry_give_back(pool, entry);
}

/* The claims tell which entries are worth a look; relaxed, since the state decides. A worker that waits for the offer
   has read it before, by acquire, so it does not miss the claim of a pass that was offered earlier. */
bool pool_help(shoal_pool *pool, uint32_t slot, uint32_t left[POOL_ENTRY_COUNT]) {
    uint32_t claims = atomic_load_explicit(&pool->claims, memory_order_relaxed) & ~POOL_CLOSED;
    for (; claims != 0; claims &= claims - 1) {
        uint32_t number = bit_lowest(claims);
        pool_entry *entry = &pool->entries[number];
        pool_pass *pass = entry_come_in(entry, &left[number]);
        if (pass != NULL) {
            thread_depth++;
            pass->work(pass, slot);
            thread_depth--;
            entry_leave(pool, entry);
            return true;
        }
    }
    return false;
}

/* Acquire of the offer also shows the end of the pool, which is told by it. */
void worker_run(void *data) {
    const pool_worker *worker = data;
    shoal_pool *pool = worker->pool;
    uint32_t left[POOL_ENTRY_COUNT] = {0};
    for (;;) {
        uint32_t seen = atomic_load_explicit(&pool->offer.count, memory_order_acquire);
        if (atomic_load_explicit(&pool->ending, memory_order_relaxed)) {
            return;
        }
        if (!pool_help(pool, worker->slot, left)) {
            event_wait(pool, &pool->offer, seen);
        }
    }
}
