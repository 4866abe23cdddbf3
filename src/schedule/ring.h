/*
 * A worker's ring of runs: what it did last, for traces.
 *
 *     records   | label, tick, start, end, rows | ... capacity, a power of two | oldest is overwritten
 *
 * Only its worker writes; it is read between steps. About eight instructions a record.
 */
#ifndef SHOAL_SCHEDULE_RING_H
#define SHOAL_SCHEDULE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct run_record {
    uint64_t start, end; /* clock ticks */
    uint64_t tick;       /* of the world */
    uint32_t rows;
    uint32_t label; /* of the task: see labels.c */
} run_record;

typedef struct run_ring {
    run_record *records;
    uint64_t count; /* that were ever written */
    uint64_t mask;
} run_ring;

static inline run_record *ring_next(run_ring *ring) {
    return &ring->records[ring->count++ & ring->mask];
}

#endif
