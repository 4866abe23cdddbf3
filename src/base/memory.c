/*
 * Counting and the default allocator; see memory.h.
 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "assert.h"
#include "compiler.h"
#include "pages.h"
#include "platform/platform.h"

/* From this size on a block is pages of its own: it goes back to the system when released, and its first bytes do
   not share a page with anything. */
#define PAGES_FROM_BYTES ((size_t)32 * 1024)

#define ARRAY_ALIGNMENT 16

static void *default_allocate(void *context, size_t byte_size, size_t alignment) {
    (void)context;
    if (byte_size >= PAGES_FROM_BYTES && alignment <= PLATFORM_PAGE_BYTES) {
        return pages_allocate(byte_size);
    }
    if (alignment <= _Alignof(max_align_t)) {
        return malloc(byte_size);
    }
    if (byte_size > SIZE_MAX - alignment) {
        return NULL;
    }
    return aligned_alloc(alignment, align_up(byte_size, alignment));
}

static void default_release(void *context, void *block, size_t byte_size, size_t alignment) {
    (void)context;
    if (byte_size >= PAGES_FROM_BYTES && alignment <= PLATFORM_PAGE_BYTES) {
        pages_release(block, byte_size);
    } else {
        free(block);
    }
}

shoal_allocator memory_default_allocator(void) {
    return (shoal_allocator){.allocate = default_allocate, .release = default_release, .context = NULL};
}

/* ---- several threads ---- */

static _Thread_local shoal_status thread_failure;

shoal_status *memory_thread_failure(void) {
    return &thread_failure;
}

/* Out of line, so that what one thread alone does stays short. */
static NOINLINE void guard_take(shoal_memory *memory) {
    spinlock_lock(&memory->guard);
}

static ALWAYS_INLINE void memory_lock(shoal_memory *memory) {
    if (UNLIKELY(memory->is_shared)) {
        guard_take(memory);
    }
}

static ALWAYS_INLINE void memory_unlock(shoal_memory *memory) {
    if (UNLIKELY(memory->is_shared)) {
        spinlock_unlock(&memory->guard);
    }
}

void memory_count_buffer(shoal_memory *memory, bool has_come, size_t byte_size) {
    memory_lock(memory);
    SHOAL_ASSERT(has_come || (memory->buffer_heap_count != 0 && memory->buffer_heap_bytes >= byte_size));
    memory->buffer_heap_count += has_come ? 1 : (uint64_t)-1;
    memory->buffer_heap_bytes += has_come ? byte_size : 0 - byte_size;
    memory_unlock(memory);
}

shoal_memory memory_counts(const shoal_memory *shared) {
    shoal_memory *memory = (shoal_memory *)(uintptr_t)shared; /* but for the guard, it is only read */
    memory_lock(memory);
    shoal_memory counts = {.limit = memory->limit,
                           .total = memory->total,
                           .peak = memory->peak,
                           .buffer_heap_count = memory->buffer_heap_count,
                           .buffer_heap_bytes = memory->buffer_heap_bytes};
    memcpy(counts.purposes, memory->purposes, sizeof counts.purposes);
    memory_unlock(memory);
    return counts;
}

/* ---- allocating ---- */

/* The block, or NULL and why there is none. */
static void *allocate_counted(shoal_memory *memory, shoal_purpose purpose, size_t byte_size, size_t alignment,
                              shoal_status *why) {
    *why = SHOAL_MEMORY_LIMIT;
    if (memory->limit != 0 && (byte_size > memory->limit || memory->total > memory->limit - byte_size)) {
        return NULL;
    }
    *why = SHOAL_OUT_OF_MEMORY;
    void *block = memory->allocator.allocate(memory->allocator.context, byte_size, alignment);
    if (block == NULL) {
        return NULL;
    }
    SHOAL_ASSERT(((uintptr_t)block & (alignment - 1)) == 0);
    memory->total += byte_size;
    memory->purposes[purpose] += byte_size;
    if (memory->total > memory->peak) {
        memory->peak = memory->total;
    }
    return block;
}

void *memory_allocate(shoal_memory *memory, shoal_purpose purpose, size_t byte_size, size_t alignment) {
    SHOAL_ASSERT(byte_size != 0 && bit_is_power(alignment));
    shoal_status why;
    memory_lock(memory);
    void *block = allocate_counted(memory, purpose, byte_size, alignment, &why);
    memory_unlock(memory);
    if (UNLIKELY(block == NULL)) {
        (void)memory_fail(memory, why);
    }
    return block;
}

void *memory_allocate_zero(shoal_memory *memory, shoal_purpose purpose, size_t byte_size, size_t alignment) {
    void *block = memory_allocate(memory, purpose, byte_size, alignment);
    if (block != NULL) {
        memset(block, 0, byte_size);
    }
    return block;
}

void memory_release(shoal_memory *memory, shoal_purpose purpose, void *block, size_t byte_size, size_t alignment) {
    if (block == NULL) {
        return;
    }
    memory_lock(memory);
    SHOAL_ASSERT(memory->purposes[purpose] >= byte_size && memory->total >= byte_size);
    memory->total -= byte_size;
    memory->purposes[purpose] -= byte_size;
    memory->allocator.release(memory->allocator.context, block, byte_size, alignment);
    memory_unlock(memory);
}

shoal_status memory_array_reserve(shoal_memory *memory, shoal_purpose purpose, memory_array *array, size_t needed,
                                  size_t element_size) {
    if (needed <= array->capacity) {
        return SHOAL_OK;
    }
    size_t capacity = array->capacity < 4 ? 4 : array->capacity;
    while (capacity < needed && capacity <= SIZE_MAX / 4) {
        capacity *= 2;
    }
    if (capacity < needed || capacity > SIZE_MAX / 2 / element_size) {
        return memory_fail(memory, SHOAL_OUT_OF_MEMORY);
    }
    void *items = memory_allocate(memory, purpose, capacity * element_size, ARRAY_ALIGNMENT);
    if (items == NULL) {
        return memory_failure(memory);
    }
    if (array->items != NULL) {
        memcpy(items, array->items, array->capacity * element_size);
        memory_release(memory, purpose, array->items, array->capacity * element_size, ARRAY_ALIGNMENT);
    }
    array->items = items;
    array->capacity = capacity;
    return SHOAL_OK;
}

void memory_array_release(shoal_memory *memory, shoal_purpose purpose, memory_array *array, size_t element_size) {
    memory_release(memory, purpose, array->items, array->capacity * element_size, ARRAY_ALIGNMENT);
    *array = (memory_array){0};
}
