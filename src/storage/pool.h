/*
 * Chunk memory: a pool for each power of two, carved out of slabs.
 *
 *     slab   | chunk | chunk | chunk | ... |      one block from the world's allocator
 *
 * A slab belongs to one pool and is cut into chunks of that pool's size; a chunk's address is a multiple of its
 * size, or of 4,096 if that is smaller. A pool's next slab is a sixteenth of what the pool has, at least one chunk
 * or 4 KiB and at most 512 KiB or one chunk, so that what lies idle stays small beside what is used.
 *
 *     chunk  | header 64 | entity column | columns ... |
 *
 * A chunk that is given back is free for the next taker at once; slabs that are free as a whole go back to the
 * system on trim. Thread rule: world.
 */
#ifndef SHOAL_STORAGE_POOL_H
#define SHOAL_STORAGE_POOL_H

#include <shoal/layout.h>

#include "../base/compiler.h"
#include "../base/memory.h"

#define POOL_FIRST_SHIFT 10 /* 1 KiB */
#define POOL_COUNT 22       /* up to 2 GiB, for rows larger than the largest ordinary chunk */

struct shoal_archetype;

typedef struct shoal_chunk {
    struct shoal_slab *slab;
    struct shoal_archetype *archetype; /* whose rows it holds; NULL while free */
    struct shoal_chunk *next_free;     /* while free */
    uint32_t pool;                     /* log2 of the size, less POOL_FIRST_SHIFT */
    char reserved[SHOAL_CHUNK_HEADER_BYTES - 3 * sizeof(void *) - sizeof(uint32_t)];
} shoal_chunk;

_Static_assert(sizeof(shoal_chunk) == SHOAL_CHUNK_HEADER_BYTES, "the chunk header is as large as the layout says");

typedef struct shoal_slab {
    struct shoal_slab *previous, *next;           /* all slabs of the pool */
    struct shoal_slab *previous_room, *next_room; /* those with a free chunk */
    char *memory;
    shoal_chunk *free_list; /* chunks that were given back */
    uint32_t fresh;         /* chunks from here on were never taken, and their memory never touched */
    uint32_t chunk_count;
    uint32_t free_count; /* fresh ones as well */
    uint32_t pool;
} shoal_slab;

typedef struct chunk_pool {
    shoal_slab *slabs;
    shoal_slab *with_room;
    uint64_t chunk_count; /* in all slabs */
    uint64_t free_count;
} chunk_pool;

typedef struct chunk_pools {
    shoal_memory *memory;
    bool fill_given; /* torture: fill what is given back, so that a stale pointer reads something that stands out */
    chunk_pool pools[POOL_COUNT];
} chunk_pools;

static inline size_t pool_chunk_bytes(uint32_t pool) {
    return (size_t)1 << (pool + POOL_FIRST_SHIFT);
}

/* The pool whose chunks are the smallest with at least `byte_size` bytes. */
uint32_t pool_for_bytes(size_t byte_size);

void pools_init(chunk_pools *pools, shoal_memory *memory);
void pools_deinit(chunk_pools *pools);

/* A chunk for `archetype` with its header set, or NULL (memory_failure(memory) says why). */
shoal_chunk *pool_take(chunk_pools *pools, uint32_t pool, struct shoal_archetype *archetype);

/* Gives a chunk back. */
void pool_give(chunk_pools *pools, shoal_chunk *given);

/* Gives slabs without a taken chunk back to the system; `keep_going` is asked after each. */
void pools_trim(chunk_pools *pools, bool (*keep_going)(void *user), void *user);

/* Bytes of free chunks. */
size_t pools_free_bytes(const chunk_pools *pools);

/* Counts and lists agree; false with a reason. */
bool pools_validate(const chunk_pools *pools, char *reason, size_t reason_size);

#endif
