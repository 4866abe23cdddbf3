/*
 * Passes for the tests of worker pools. Each counts what goes wrong in it instead of failing, since a check may fail
 * on the test's own thread only.
 *
 *   job_pass      jobs from a counter, each done once; slots are each one thread's own
 *   met_pass      the caller waits until so many helpers are in the pass at one time, or have been in it
 *   chain_pass    each job waits for the one before it
 *   nested_pass   each job runs a pass of jobs, so many levels deep
 */
#ifndef SHOAL_TESTS_PASS_H
#define SHOAL_TESTS_PASS_H

#include <stdatomic.h>

#include "schedule/pool.h"

#define PASS_JOB_LIMIT 256
#define PASS_SLOT_LIMIT 64

typedef struct job_pass {
    pool_pass pass; /* the first member, so that the pass is the structure */
    shoal_pool *pool;
    uint32_t job_count, slot_count;
    _Atomic uint32_t next, done_count, helper_count, faults;
    _Atomic uint32_t job_visits[PASS_JOB_LIMIT];
    _Atomic bool slot_taken[PASS_SLOT_LIMIT];
} job_pass;

void job_pass_begin(job_pass *jobs, shoal_pool *pool, uint32_t job_count, uint32_t slot_count);
/* After the pass: each job was done once, and nobody is in it. */
void job_pass_check(job_pass *jobs);
/* All three. */
void job_pass_run(job_pass *jobs, shoal_pool *pool, uint32_t job_count, uint32_t slot_count);

typedef struct met_pass {
    pool_pass pass;
    shoal_pool *pool;
    uint32_t helper_count;
    bool leaves; /* a helper does not wait for the others */
    _Atomic uint32_t met_count;
    _Atomic uint32_t slot_visits[PASS_SLOT_LIMIT];
} met_pass;

void met_pass_run(met_pass *met, shoal_pool *pool, uint32_t helper_count);
/* The helpers leave at once, and the caller stays for a while, in which more helpers might come. */
void met_pass_linger(met_pass *met, shoal_pool *pool, uint32_t helper_count);

typedef struct chain_pass {
    pool_pass pass;
    shoal_pool *pool;
    uint32_t job_count;
    _Atomic uint32_t next, done_count, faults;
} chain_pass;

void chain_pass_run(chain_pass *chain, shoal_pool *pool, uint32_t job_count);

typedef struct nested_pass {
    pool_pass pass;
    shoal_pool *pool;
    uint32_t levels, job_count;
    _Atomic uint32_t next, done_count, leaf_count;
} nested_pass;

void nested_pass_run(nested_pass *nested, shoal_pool *pool, uint32_t levels, uint32_t job_count);

#endif
