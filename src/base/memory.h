/*
 * A world's memory: every allocation of a world goes through here, is counted by purpose and held against the
 * world's limit. Sizes are given on release, so nothing is stored beside the blocks.
 *
 * Invariant "counted": total is the sum of purposes, and both are what the allocator has handed out and not got
 * back. Thread rule: that of the world; while `is_shared`, several threads may call what is here at once: each call
 * takes the guard then, and each thread keeps its own reason of a failure.
 */
#ifndef SHOAL_BASE_MEMORY_H
#define SHOAL_BASE_MEMORY_H

#include <shoal/base.h>

#include "spinlock.h"

typedef struct shoal_memory {
    shoal_allocator allocator;
    size_t limit; /* 0: none */
    size_t total;
    size_t peak;
    size_t purposes[SHOAL_PURPOSE_COUNT];
    uint64_t buffer_heap_count; /* buffers on the heap; see memory_count_buffer() */
    size_t buffer_heap_bytes;   /* of their elements, with room to grow */
    shoal_status failure_;      /* see memory_failure() */
    bool is_shared;             /* several threads may allocate at once */
    spinlock guard;             /* while shared: of all above but the failure, and of the allocator */
} shoal_memory;

/* The system's allocator: pages for large blocks, the C library for small ones. */
shoal_allocator memory_default_allocator(void);

/* Why the last allocation failed; while shared, the last one of this thread. */
shoal_status *memory_thread_failure(void);

static inline shoal_status memory_failure(const shoal_memory *memory) {
    return memory->is_shared ? *memory_thread_failure() : memory->failure_;
}

/* Stores that reason and returns it. */
static inline shoal_status memory_fail(shoal_memory *memory, shoal_status why) {
    *(memory->is_shared ? memory_thread_failure() : &memory->failure_) = why;
    return why;
}

/* NULL on failure; memory_failure() then says whether it was the limit or the allocator. byte_size is not 0. */
void *memory_allocate(shoal_memory *memory, shoal_purpose purpose, size_t byte_size, size_t alignment);
void *memory_allocate_zero(shoal_memory *memory, shoal_purpose purpose, size_t byte_size, size_t alignment);

/* NULL is fine. Size, purpose and alignment are those of the allocation. */
void memory_release(shoal_memory *memory, shoal_purpose purpose, void *block, size_t byte_size, size_t alignment);

/* Counts a buffer that has come to the heap, with that many bytes, or one that has gone. */
void memory_count_buffer(shoal_memory *memory, bool has_come, size_t byte_size);

/* All counts as of one moment. */
shoal_memory memory_counts(const shoal_memory *shared);

/* A growing array: `items` holds `capacity` elements of `element_size`. */
typedef struct memory_array {
    void *items;
    size_t capacity;
} memory_array;

/* Makes room for `needed` elements, at least doubling; items may move. On failure nothing changes. */
shoal_status memory_array_reserve(shoal_memory *memory, shoal_purpose purpose, memory_array *array, size_t needed,
                                  size_t element_size);
void memory_array_release(shoal_memory *memory, shoal_purpose purpose, memory_array *array, size_t element_size);

#endif
