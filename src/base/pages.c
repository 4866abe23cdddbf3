/*
 * Regions of huge pages; see pages.h. Regions are found by address in a small hash table, and those with room are in a
 * list, the newest first.
 */
#include "pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "compiler.h"
#include "platform/platform.h"
#include "spinlock.h"

#define UNIT_BYTES ((size_t)32 * 1024)
#define UNIT_COUNT 64
#define ALL_FREE UINT64_MAX
#define BUCKET_COUNT 256

typedef struct page_region {
    struct page_region *next_in_bucket;
    struct page_region *previous, *next; /* regions with room */
    char *memory;
    uint64_t free_units; /* a bit a unit */
} page_region;

static spinlock lock = SPINLOCK_INIT;
static page_region *buckets[BUCKET_COUNT]; /* guard: lock */
static page_region *with_room;             /* guard: lock */
static size_t outstanding_bytes;           /* guard: lock; of all blocks */
static size_t spare_count;                 /* guard: lock; regions without a used unit */

static page_region **bucket_of(const void *block) {
    return &buckets[((uintptr_t)block / PLATFORM_HUGE_BYTES) % BUCKET_COUNT];
}

static void room_link(page_region *region) {
    region->previous = NULL;
    region->next = with_room;
    if (with_room != NULL) {
        with_room->previous = region;
    }
    with_room = region;
}

static void room_unlink(page_region *region) {
    if (region->previous != NULL) {
        region->previous->next = region->next;
    } else {
        with_room = region->next;
    }
    if (region->next != NULL) {
        region->next->previous = region->previous;
    }
}

static uint64_t run_mask(uint32_t first, uint32_t count) {
    return (count == UNIT_COUNT ? ALL_FREE : (UINT64_C(1) << count) - 1) << first;
}

/* The first run of `count` free units, or UNIT_COUNT. */
static uint32_t run_find(uint64_t free_units, uint32_t count) {
    for (uint32_t first = 0; first + count <= UNIT_COUNT; first++) {
        uint64_t mask = run_mask(first, count);
        if ((free_units & mask) == mask) {
            return first;
        }
    }
    return UNIT_COUNT;
}

static page_region *region_make(void) {
    page_region *region = malloc(sizeof *region);
    char *memory = region == NULL ? NULL : platform_pages_allocate_huge(PLATFORM_HUGE_BYTES);
    if (memory == NULL) {
        free(region);
        return NULL;
    }
    page_region **bucket = bucket_of(memory);
    *region = (page_region){.next_in_bucket = *bucket, .memory = memory, .free_units = ALL_FREE};
    *bucket = region;
    room_link(region);
    spare_count++;
    return region;
}

static page_region *region_of(const void *block) {
    uintptr_t base = (uintptr_t)block & ~(PLATFORM_HUGE_BYTES - 1);
    page_region *region = *bucket_of(block);
    while (region != NULL && (uintptr_t)region->memory != base) {
        region = region->next_in_bucket;
    }
    return region;
}

static void region_end(page_region *region) {
    page_region **link = bucket_of(region->memory);
    while (*link != region) {
        link = &(*link)->next_in_bucket;
    }
    *link = region->next_in_bucket;
    room_unlink(region);
    platform_pages_release(region->memory, PLATFORM_HUGE_BYTES);
    free(region);
}

/* Units out of a region with room, or out of a new one, if there may be one. */
static void *units_take(uint32_t count, bool makes_region) {
    page_region *region = with_room;
    while (region != NULL && run_find(region->free_units, count) == UNIT_COUNT) {
        region = region->next;
    }
    region = region == NULL && makes_region ? region_make() : region;
    if (region == NULL) {
        return NULL;
    }
    spare_count -= region->free_units == ALL_FREE;
    uint32_t first = run_find(region->free_units, count);
    region->free_units &= ~run_mask(first, count);
    if (region->free_units == 0) {
        room_unlink(region);
    }
    return region->memory + first * UNIT_BYTES;
}

static void units_give(page_region *region, const char *block, uint32_t count) {
    if (region->free_units == 0) {
        room_link(region);
    }
    region->free_units |= run_mask((uint32_t)((size_t)(block - region->memory) / UNIT_BYTES), count);
    if (region->free_units == ALL_FREE && spare_count == PAGES_SPARE_REGIONS) {
        region_end(region);
    } else {
        spare_count += region->free_units == ALL_FREE;
    }
}

static bool size_has_units(size_t byte_size) {
    return byte_size >= UNIT_BYTES && byte_size <= PLATFORM_HUGE_BYTES;
}

static uint32_t unit_count(size_t byte_size) {
    return (uint32_t)((byte_size + UNIT_BYTES - 1) / UNIT_BYTES);
}

void *pages_allocate(size_t byte_size) {
    if (byte_size > SIZE_MAX - 2 * PLATFORM_HUGE_BYTES) {
        return NULL;
    }
    spinlock_lock(&lock);
    void *block = NULL;
    if (size_has_units(byte_size)) {
        block = units_take(unit_count(byte_size), outstanding_bytes >= PAGES_SMALL_BYTES);
    }
    if (block == NULL) {
        block = platform_pages_allocate(align_up(byte_size, PLATFORM_PAGE_BYTES));
    }
    outstanding_bytes += block != NULL ? byte_size : 0;
    spinlock_unlock(&lock);
    return block;
}

void pages_release(void *block, size_t byte_size) {
    spinlock_lock(&lock);
    outstanding_bytes -= byte_size;
    page_region *region = size_has_units(byte_size) ? region_of(block) : NULL;
    if (region != NULL) {
        units_give(region, block, unit_count(byte_size));
    } else {
        platform_pages_release(block, align_up(byte_size, PLATFORM_PAGE_BYTES));
    }
    spinlock_unlock(&lock);
}
