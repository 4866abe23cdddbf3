/*
 * A world's memory: every allocation of a world goes through here, is counted by purpose and held against the
 * world's limit. Sizes are given on release, so nothing is stored beside the blocks.
 *
 * Invariant "counted": total is the sum of purposes, and both are what the allocator has handed out and not got
 * back. Thread rule: that of the world.
 */
#ifndef SHOAL_BASE_MEMORY_H
#define SHOAL_BASE_MEMORY_H

#include <shoal/base.h>

typedef struct shoal_memory {
    shoal_allocator allocator;
    size_t limit; /* 0: none */
    size_t total;
    size_t peak;
    size_t purposes[SHOAL_PURPOSE_COUNT];
    uint64_t buffer_heap_count; /* buffers on the heap; kept by storage/buffer.c */
    size_t buffer_heap_bytes;   /* of their elements, with room to grow */
    shoal_status failure;       /* why the last allocation failed */
} shoal_memory;

/* The system's allocator: pages for large blocks, the C library for small ones. */
shoal_allocator memory_default_allocator(void);

/* NULL on failure; memory->failure then says whether it was the limit or the allocator. byte_size is not 0. */
void *memory_allocate(shoal_memory *memory, shoal_purpose purpose, size_t byte_size, size_t alignment);
void *memory_allocate_zero(shoal_memory *memory, shoal_purpose purpose, size_t byte_size, size_t alignment);

/* NULL is fine. Size, purpose and alignment are those of the allocation. */
void memory_release(shoal_memory *memory, shoal_purpose purpose, void *block, size_t byte_size, size_t alignment);

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
