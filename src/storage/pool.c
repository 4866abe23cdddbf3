/*
 * Slabs and chunk pools; see pool.h.
 */
#include "pool.h"

#include <stdio.h>
#include <string.h>

#include "../base/assert.h"

#define SLAB_SMALLEST_BYTES ((size_t)4096)
#define SLAB_LARGEST_BYTES ((size_t)512 * 1024)
#define SLAB_SHARE 16 /* a new slab is this part of its pool */
#define STALE_BYTE 0xDD
#define TORTURE_FREE_CHUNKS 64 /* in torture, as many chunks lie idle before one is taken again */
#define CHUNK_ALIGNMENT_MAX ((size_t)4096)

uint32_t pool_for_bytes(size_t byte_size) {
    uint32_t pool = 0;
    while (pool + 1 < POOL_COUNT && pool_chunk_bytes(pool) < byte_size) {
        pool++;
    }
    return pool;
}

void pools_init(chunk_pools *pools, shoal_memory *memory) {
    *pools = (chunk_pools){.memory = memory};
}

static size_t slab_bytes(const shoal_slab *slab) {
    return slab->chunk_count * pool_chunk_bytes(slab->pool);
}

static void slab_release(chunk_pools *pools, shoal_slab *slab) {
    UNPOISON(slab->memory, slab_bytes(slab));
    memory_release(pools->memory, SHOAL_PURPOSE_CHUNK, slab->memory, slab_bytes(slab), CHUNK_ALIGNMENT_MAX);
    memory_release(pools->memory, SHOAL_PURPOSE_CHUNK, slab, sizeof *slab, 16);
}

void pools_deinit(chunk_pools *pools) {
    for (uint32_t i = 0; i < POOL_COUNT; i++) {
        for (shoal_slab *slab = pools->pools[i].slabs; slab != NULL;) {
            shoal_slab *next = slab->next;
            slab_release(pools, slab);
            slab = next;
        }
        pools->pools[i] = (chunk_pool){0};
    }
}

static void room_link(chunk_pool *pool, shoal_slab *slab) {
    slab->previous_room = NULL;
    slab->next_room = pool->with_room;
    if (pool->with_room != NULL) {
        pool->with_room->previous_room = slab;
    }
    pool->with_room = slab;
}

static void room_unlink(chunk_pool *pool, shoal_slab *slab) {
    if (slab->previous_room != NULL) {
        slab->previous_room->next_room = slab->next_room;
    } else {
        pool->with_room = slab->next_room;
    }
    if (slab->next_room != NULL) {
        slab->next_room->previous_room = slab->previous_room;
    }
}

static size_t next_slab_bytes(const chunk_pool *pool, size_t chunk_bytes) {
    size_t smallest = chunk_bytes > SLAB_SMALLEST_BYTES ? chunk_bytes : SLAB_SMALLEST_BYTES;
    size_t largest = chunk_bytes > SLAB_LARGEST_BYTES ? chunk_bytes : SLAB_LARGEST_BYTES;
    size_t share = (size_t)pool->chunk_count * chunk_bytes / SLAB_SHARE / smallest * smallest;
    share = share > largest ? largest : share;
    return share < smallest ? smallest : share;
}

static COLD shoal_slab *slab_make(chunk_pools *pools, uint32_t pool_number) {
    chunk_pool *pool = &pools->pools[pool_number];
    size_t chunk_bytes = pool_chunk_bytes(pool_number);
    size_t bytes = next_slab_bytes(pool, chunk_bytes);
    shoal_slab *slab = memory_allocate(pools->memory, SHOAL_PURPOSE_CHUNK, sizeof *slab, 16);
    char *memory =
        slab == NULL ? NULL : memory_allocate(pools->memory, SHOAL_PURPOSE_CHUNK, bytes, CHUNK_ALIGNMENT_MAX);
    if (memory == NULL) {
        shoal_status failure = memory_failure(pools->memory);
        memory_release(pools->memory, SHOAL_PURPOSE_CHUNK, slab, sizeof *slab, 16);
        (void)memory_fail(pools->memory, failure);
        return NULL;
    }
    uint32_t chunk_count = (uint32_t)(bytes / chunk_bytes);
    *slab = (struct shoal_slab){.memory = memory,
                                .chunk_count = chunk_count,
                                .free_count = chunk_count,
                                .pool = pool_number,
                                .next = pool->slabs};
    if (pool->slabs != NULL) {
        pool->slabs->previous = slab;
    }
    pool->slabs = slab;
    room_link(pool, slab);
    pool->chunk_count += chunk_count;
    pool->free_count += chunk_count;
    POISON(memory, bytes);
    return slab;
}

shoal_chunk *pool_take(chunk_pools *pools, uint32_t pool_number, struct shoal_archetype *archetype) {
    chunk_pool *pool = &pools->pools[pool_number];
    bool rest = pools->fill_given && pool->free_count < TORTURE_FREE_CHUNKS;
    shoal_slab *slab = pool->with_room == NULL || rest ? slab_make(pools, pool_number) : pool->with_room;
    if (slab == NULL) {
        return NULL;
    }
    shoal_chunk *taken = slab->free_list;
    if (taken == NULL) {
        taken = (shoal_chunk *)(void *)(slab->memory + slab->fresh * pool_chunk_bytes(pool_number));
        slab->fresh++;
        UNPOISON(taken, pool_chunk_bytes(pool_number));
    } else {
        UNPOISON(taken, pool_chunk_bytes(pool_number));
        slab->free_list = taken->next_free;
    }
    slab->free_count--;
    pool->free_count--;
    if (slab->free_count == 0) {
        room_unlink(pool, slab);
    }
    *taken = (shoal_chunk){.slab = slab, .archetype = archetype, .pool = pool_number};
    return taken;
}

void pool_give(chunk_pools *pools, shoal_chunk *given) {
    shoal_slab *slab = given->slab;
    chunk_pool *pool = &pools->pools[slab->pool];
    SHOAL_ASSERT(given->archetype != NULL);
    if (UNLIKELY(pools->fill_given)) {
        memset((char *)given + SHOAL_CHUNK_HEADER_BYTES, STALE_BYTE,
               pool_chunk_bytes(given->pool) - SHOAL_CHUNK_HEADER_BYTES);
    }
    given->archetype = NULL;
    shoal_chunk **link = &slab->free_list;
    while (UNLIKELY(pools->fill_given) && *link != NULL) {
        UNPOISON(*link, sizeof(shoal_chunk));
        link = &(*link)->next_free; /* torture: the one that was given back last is taken last */
    }
    given->next_free = *link;
    *link = given;
    slab->free_count++;
    pool->free_count++;
    if (slab->free_count == 1) {
        room_link(pool, slab);
    }
    POISON(given, pool_chunk_bytes(slab->pool));
}

/* Takes a slab without a taken chunk out of its pool and gives it back. */
static void slab_drop(chunk_pools *pools, shoal_slab *slab) {
    chunk_pool *pool = &pools->pools[slab->pool];
    room_unlink(pool, slab);
    if (slab->previous != NULL) {
        slab->previous->next = slab->next;
    } else {
        pool->slabs = slab->next;
    }
    if (slab->next != NULL) {
        slab->next->previous = slab->previous;
    }
    pool->chunk_count -= slab->chunk_count;
    pool->free_count -= slab->chunk_count;
    slab_release(pools, slab);
}

void pools_trim(chunk_pools *pools, bool (*keep_going)(void *user), void *user) {
    for (uint32_t i = 0; i < POOL_COUNT; i++) {
        for (shoal_slab *slab = pools->pools[i].with_room; slab != NULL && keep_going(user);) {
            shoal_slab *next = slab->next_room;
            if (slab->free_count == slab->chunk_count) {
                slab_drop(pools, slab);
            }
            slab = next;
        }
    }
}

size_t pools_free_bytes(const chunk_pools *pools) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < POOL_COUNT; i++) {
        bytes += (size_t)pools->pools[i].free_count * pool_chunk_bytes(i);
    }
    return bytes;
}

bool pools_validate(const chunk_pools *pools, char *reason, size_t reason_size) {
    for (uint32_t i = 0; i < POOL_COUNT; i++) {
        const chunk_pool *pool = &pools->pools[i];
        uint64_t chunks = 0, free = 0, room = 0, listed = 0;
        for (const shoal_slab *slab = pool->slabs; slab != NULL; slab = slab->next) {
            chunks += slab->chunk_count;
            free += slab->free_count;
            room += slab->free_count != 0;
        }
        for (const shoal_slab *slab = pool->with_room; slab != NULL; slab = slab->next_room) {
            listed += slab->free_count != 0;
        }
        if (chunks != pool->chunk_count || free != pool->free_count || room != listed) {
            (void)snprintf(reason, reason_size, "pool of %zu-byte chunks: counts or lists disagree",
                           pool_chunk_bytes(i));
            return false;
        }
    }
    return true;
}
