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

void *memory_allocate(shoal_memory *memory, shoal_purpose purpose, size_t byte_size, size_t alignment) {
    SHOAL_ASSERT(byte_size != 0 && bit_is_power(alignment));
    if (memory->limit != 0 && (byte_size > memory->limit || memory->total > memory->limit - byte_size)) {
        memory->failure = SHOAL_MEMORY_LIMIT;
        return NULL;
    }
    void *block = memory->allocator.allocate(memory->allocator.context, byte_size, alignment);
    if (block == NULL) {
        memory->failure = SHOAL_OUT_OF_MEMORY;
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
    SHOAL_ASSERT(memory->purposes[purpose] >= byte_size && memory->total >= byte_size);
    memory->total -= byte_size;
    memory->purposes[purpose] -= byte_size;
    memory->allocator.release(memory->allocator.context, block, byte_size, alignment);
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
        return memory->failure = SHOAL_OUT_OF_MEMORY;
    }
    void *items = memory_allocate(memory, purpose, capacity * element_size, ARRAY_ALIGNMENT);
    if (items == NULL) {
        return memory->failure;
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
