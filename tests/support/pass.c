/*
 * Passes for the tests of worker pools; see pass.h.
 */
#include "pass.h"

#include "base/platform/platform.h"

/* Waits inside of a pass until a count has come to `expected`. */
static void wait_for_count(shoal_pool *pool, const _Atomic uint32_t *count, uint32_t expected) {
    for (;;) {
        uint32_t seen = pool_signal_seen(pool);
        if (atomic_load(count) >= expected) {
            return;
        }
        pool_wait(pool, seen);
    }
}

/* ---- jobs ---- */

static void job_work(pool_pass *pass, uint32_t slot) {
    job_pass *jobs = (job_pass *)pass;
    if (slot >= jobs->slot_count || atomic_exchange(&jobs->slot_taken[slot % PASS_SLOT_LIMIT], true)) {
        atomic_fetch_add(&jobs->faults, 1);
    }
    atomic_fetch_add(&jobs->helper_count, slot != 0 ? 1 : 0);
    for (;;) {
        uint32_t job = atomic_fetch_add(&jobs->next, 1);
        if (job >= jobs->job_count) {
            break;
        }
        atomic_fetch_add(&jobs->job_visits[job], 1);
        if (atomic_fetch_add(&jobs->done_count, 1) + 1 == jobs->job_count) {
            pool_signal(jobs->pool);
        }
    }
    if (slot == 0) {
        wait_for_count(jobs->pool, &jobs->done_count, jobs->job_count);
    }
    atomic_store(&jobs->slot_taken[slot % PASS_SLOT_LIMIT], false);
}

void job_pass_begin(job_pass *jobs, shoal_pool *pool, uint32_t job_count, uint32_t slot_count) {
    *jobs = (job_pass){.pass = {.work = job_work, .helper_limit = 1000}, .pool = pool};
    jobs->job_count = job_count;
    jobs->slot_count = slot_count;
}

void job_pass_check(job_pass *jobs) {
    for (uint32_t i = 0; i < jobs->job_count; i++) {
        jobs->faults += jobs->job_visits[i] != 1;
    }
    for (uint32_t i = 0; i < PASS_SLOT_LIMIT; i++) {
        jobs->faults += jobs->slot_taken[i];
    }
}

void job_pass_run(job_pass *jobs, shoal_pool *pool, uint32_t job_count, uint32_t slot_count) {
    job_pass_begin(jobs, pool, job_count, slot_count);
    pool_run(pool, &jobs->pass);
    job_pass_check(jobs);
}

/* ---- all at one time ---- */

static void met_work(pool_pass *pass, uint32_t slot) {
    met_pass *met = (met_pass *)pass;
    atomic_fetch_add(&met->slot_visits[slot % PASS_SLOT_LIMIT], 1);
    if (slot != 0) {
        atomic_fetch_add(&met->met_count, 1);
        pool_signal(met->pool);
    }
    if (slot != 0 && met->leaves) {
        return;
    }
    wait_for_count(met->pool, &met->met_count, met->helper_count);
    for (uint32_t i = 0; i < 50 && met->leaves; i++) {
        platform_yield();
    }
}

static void met_pass_begin(met_pass *met, shoal_pool *pool, uint32_t helper_count) {
    *met = (met_pass){.pass = {.work = met_work, .helper_limit = helper_count}, .pool = pool};
    met->helper_count = helper_count;
}

void met_pass_run(met_pass *met, shoal_pool *pool, uint32_t helper_count) {
    met_pass_begin(met, pool, helper_count);
    pool_run(pool, &met->pass);
}

void met_pass_linger(met_pass *met, shoal_pool *pool, uint32_t helper_count) {
    met_pass_begin(met, pool, helper_count);
    met->leaves = true;
    pool_run(pool, &met->pass);
}

/* ---- one after the other ---- */

static void chain_work(pool_pass *pass, uint32_t slot) {
    chain_pass *chain = (chain_pass *)pass;
    for (;;) {
        uint32_t job = atomic_fetch_add(&chain->next, 1);
        if (job >= chain->job_count) {
            break;
        }
        wait_for_count(chain->pool, &chain->done_count, job);
        if (atomic_fetch_add(&chain->done_count, 1) != job) {
            atomic_fetch_add(&chain->faults, 1);
        }
        pool_signal(chain->pool);
    }
    if (slot == 0) {
        wait_for_count(chain->pool, &chain->done_count, chain->job_count);
    }
}

void chain_pass_run(chain_pass *chain, shoal_pool *pool, uint32_t job_count) {
    *chain = (chain_pass){.pass = {.work = chain_work, .helper_limit = 1000}, .pool = pool};
    chain->job_count = job_count;
    pool_run(pool, &chain->pass);
}

/* ---- passes inside of passes ---- */

static void nested_work(pool_pass *pass, uint32_t slot) {
    nested_pass *nested = (nested_pass *)pass;
    while (atomic_fetch_add(&nested->next, 1) < nested->job_count) {
        if (nested->levels == 1) {
            atomic_fetch_add(&nested->leaf_count, 1);
        } else {
            nested_pass inner;
            nested_pass_run(&inner, nested->pool, nested->levels - 1, nested->job_count);
            atomic_fetch_add(&nested->leaf_count, inner.leaf_count);
        }
        if (atomic_fetch_add(&nested->done_count, 1) + 1 == nested->job_count) {
            pool_signal(nested->pool);
        }
    }
    if (slot == 0) {
        wait_for_count(nested->pool, &nested->done_count, nested->job_count);
    }
}

void nested_pass_run(nested_pass *nested, shoal_pool *pool, uint32_t levels, uint32_t job_count) {
    *nested = (nested_pass){.pass = {.work = nested_work, .helper_limit = 1000}, .pool = pool, .levels = levels};
    nested->job_count = job_count;
    pool_run(pool, &nested->pass);
}
