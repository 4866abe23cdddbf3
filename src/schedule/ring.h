/*
 * A worker's ring of runs: what it did last, for traces.
 *
 *     records   | label, tick, start, end, rows | ... capacity, a power of two | oldest is overwritten
 *
 * Only its worker writes; it is read between steps. About eight instructions a record. Rings belong to the schedule and
 * not to what is built, so that a trace also shows what was before a change.
 */
#ifndef SHOAL_SCHEDULE_RING_H
#define SHOAL_SCHEDULE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shoal/base.h>

struct shoal_schedule;

typedef struct run_record {
    uint64_t start, end; /* clock ticks */
    uint64_t tick;       /* of the world */
    uint32_t rows;       /* of a sync point: commands */
    uint32_t label;      /* of the task: see labels.c */
} run_record;

typedef struct run_ring {
    uint64_t count; /* that were ever written */
    uint64_t mask;
    run_record records[];
} run_ring;

static inline run_record *ring_next(run_ring *ring) {
    return &ring->records[ring->count++ & ring->mask];
}

/* The number of the oldest record that is still there; the newest is count - 1. */
static inline uint64_t ring_first(const run_ring *ring) {
    return ring->count > ring->mask ? ring->count - ring->mask - 1 : 0;
}

static inline const run_record *ring_at(const run_ring *ring, uint64_t number) {
    return &ring->records[number & ring->mask];
}

/* Makes the rings fit the workers and the settings; what they have stays, as far as there is room. */
shoal_status rings_fit(struct shoal_schedule *schedule);
void rings_free(struct shoal_schedule *schedule);

run_ring *ring_of(const struct shoal_schedule *schedule, uint32_t slot);

#endif
