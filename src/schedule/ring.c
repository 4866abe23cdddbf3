/*
 * The rings of the workers; see ring.h. Thread rule: world.
 */
#include "ring.h"

#include <string.h>

#include "schedule.h"

#define RING_RECORDS 8192u

static size_t ring_bytes(uint64_t capacity) {
    return sizeof(run_ring) + (size_t)capacity * sizeof(run_record);
}

static run_ring **ring_place(const shoal_schedule *schedule, uint32_t slot) {
    return (run_ring **)schedule->rings.items + slot;
}

run_ring *ring_of(const shoal_schedule *schedule, uint32_t slot) {
    return *ring_place(schedule, slot);
}

static void ring_release(shoal_schedule *schedule, run_ring *ring) {
    if (ring != NULL) {
        memory_release(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, ring, ring_bytes(ring->mask + 1), 64);
    }
}

/* The newest records that there is room for go over. */
static void ring_copy(run_ring *to, const run_ring *from) {
    uint64_t kept = from->count - ring_first(from);
    kept = kept <= to->mask ? kept : to->mask + 1;
    for (uint64_t i = from->count - kept; i < from->count; i++) {
        *ring_next(to) = *ring_at(from, i);
    }
}

/* Puts a ring of that capacity into a place; an old one gives its records to it. */
static shoal_status ring_renew(shoal_schedule *schedule, run_ring **place, uint64_t capacity) {
    shoal_memory *memory = &schedule->world->memory;
    run_ring *ring = memory_allocate(memory, SHOAL_PURPOSE_SCHEDULE, ring_bytes(capacity), 64);
    if (ring == NULL) {
        return memory_failure(memory);
    }
    ring->count = 0;
    ring->mask = capacity - 1;
    if (*place != NULL) {
        ring_copy(ring, *place);
    }
    ring_release(schedule, *place);
    *place = ring;
    return SHOAL_OK;
}

shoal_status rings_fit(shoal_schedule *schedule) {
    uint32_t records = schedule->def.ring_records;
    uint64_t capacity = bit_ceil(records != 0 ? records : RING_RECORDS);
    shoal_status status = memory_array_reserve(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, &schedule->rings,
                                               schedule->worker_count, sizeof(run_ring *));
    while (schedule->ring_count > schedule->worker_count) {
        ring_release(schedule, *ring_place(schedule, --schedule->ring_count));
    }
    for (uint32_t slot = 0; slot < schedule->worker_count && status == SHOAL_OK; slot++) {
        run_ring **place = ring_place(schedule, slot);
        if (slot == schedule->ring_count) {
            *place = NULL;
        }
        if (slot == schedule->ring_count || (*place)->mask + 1 != capacity) {
            status = ring_renew(schedule, place, capacity);
        }
        schedule->ring_count += slot == schedule->ring_count && status == SHOAL_OK;
    }
    return status;
}

void rings_free(shoal_schedule *schedule) {
    while (schedule->ring_count != 0) {
        ring_release(schedule, *ring_place(schedule, --schedule->ring_count));
    }
    memory_array_release(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, &schedule->rings, sizeof(run_ring *));
}
