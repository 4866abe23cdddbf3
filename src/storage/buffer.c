/*
 * Buffers, see buffer.h.
 *
 * Whatever can fail comes first: room is made beside the old elements, the new ones are made in it, and only then the
 * old ones move, which cannot fail. So nothing has to be taken back, but for one case: an insertion with enough room
 * opens the gap first, since an element of the buffer itself may be the one to insert, and closes it when the copy
 * fails. The capacity on the heap at least doubles; it halves, as often as it takes, when no more than a quarter is
 * used, so that a buffer that swings around one count does not allocate each time.
 *
 * Every block on the heap is counted by memory_count_buffer() from block_make() to
 * block_release(). Thread rule: one thread for each cell and for `memory`.
 */
#include "buffer.h"

#include <stdio.h>
#include <string.h>

#include "../base/assert.h"

#define CELL_HEAD_BYTES 16u
#define CELL_DEFAULT_BYTES 64u
#define CELL_ALIGNMENT 8u

/* Raw room for elements. */
typedef struct buffer_block {
    char *items;
    uint32_t capacity;
} buffer_block;

/* ---- layout ---- */

static uint64_t element_alignment(const shoal_component_def *def) {
    return def->alignment != 0 ? def->alignment : 1;
}

static uint64_t measure_offset(const shoal_component_def *def) {
    return align_up(CELL_HEAD_BYTES, (size_t)element_alignment(def));
}

uint32_t buffer_inline_default(const shoal_component_def *def) {
    uint64_t offset = measure_offset(def);
    if (offset + def->size > CELL_DEFAULT_BYTES) {
        return 1;
    }
    return (uint32_t)((CELL_DEFAULT_BYTES - offset) / def->size);
}

void buffer_measure(const shoal_component_def *def, uint32_t *inline_count, uint32_t *inline_offset,
                    uint32_t *value_size, uint32_t *value_alignment) {
    uint64_t alignment = element_alignment(def) > CELL_ALIGNMENT ? element_alignment(def) : CELL_ALIGNMENT;
    *inline_count = def->inline_count != 0 ? def->inline_count : buffer_inline_default(def);
    *inline_offset = (uint32_t)measure_offset(def);
    *value_alignment = (uint32_t)alignment;
    /* At most 2^12 + 2^32 * 2^30 bytes, so 64 bits are enough. */
    uint64_t bytes = *inline_offset + (uint64_t)*inline_count * def->size;
    bytes = (bytes + alignment - 1) & ~(alignment - 1);
    *value_size = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

/* ---- elements: what the hooks do, or plain bytes where there are none ---- */

/* Copies in raw memory, at least one; false when the hook failed, and nothing is made then. */
static bool elements_copy(const component_type *type, void *to, const void *from, size_t count) {
    const shoal_component_def *def = &type->def;
    if (def->copy != NULL) {
        return def->copy(to, from, count, def->user);
    }
    memcpy(to, from, count * def->size);
    return true;
}

static void elements_end(const component_type *type, void *items, size_t count) {
    if (type->def.dtor != NULL && count != 0) {
        type->def.dtor(items, count, type->def.user);
    }
}

/* Copies of one value, as elements_copy(). */
static bool elements_repeat(const component_type *type, char *to, const void *value, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!elements_copy(type, to + i * type->def.size, value, 1)) {
            elements_end(type, to, i);
            return false;
        }
    }
    return true;
}

/* Defaults, at least one, as elements_copy(). */
static bool elements_default(const component_type *type, void *to, size_t count) {
    const shoal_component_def *def = &type->def;
    if (def->ctor != NULL) {
        return def->ctor(to, count, def->user);
    }
    if (def->default_value != NULL) {
        return elements_repeat(type, to, def->default_value, count);
    }
    memset(to, 0, count * def->size);
    return true;
}

/* An element that a caller gave, or the default. */
static bool element_make(const component_type *type, void *to, const void *element) {
    return element != NULL ? elements_copy(type, to, element, 1) : elements_default(type, to, 1);
}

static bool element_is_valid(const component_type *type, const void *element) {
    return type->def.validate == NULL || type->def.validate(element, type->def.user);
}

/* Moves elements into raw memory elsewhere. */
static void elements_move(const component_type *type, void *to, void *from, size_t count) {
    const shoal_component_def *def = &type->def;
    if (count == 0) {
        return;
    }
    if (def->move != NULL) {
        def->move(to, from, count, def->user);
    } else {
        memcpy(to, from, count * def->size);
    }
}

/* Moves elements within a buffer, over raw memory at the side to which they go. A hook is not told that its source and
   its destination overlap, so it gets them one by one. */
static void elements_shift(const component_type *type, char *to, char *from, size_t count) {
    const shoal_component_def *def = &type->def;
    if (def->move == NULL) {
        memmove(to, from, count * def->size);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = (to < from ? i : count - 1 - i) * def->size;
        def->move(to + at, from + at, 1, def->user);
    }
}

/* ---- blocks on the heap ---- */

/* INVALID_ARGUMENT beyond the limit of a buffer, where every way to more elements comes by. */
static shoal_status block_make(shoal_memory *memory, const component_type *type, size_t capacity, buffer_block *block) {
    if (capacity > BUFFER_COUNT_MAX) {
        return SHOAL_INVALID_ARGUMENT;
    }
    if (capacity > SIZE_MAX / type->def.size) {
        return SHOAL_OUT_OF_MEMORY;
    }
    size_t bytes = capacity * type->def.size;
    block->items = memory_allocate(memory, SHOAL_PURPOSE_BUFFER, bytes, type->value_alignment);
    if (block->items == NULL) {
        return memory_failure(memory);
    }
    block->capacity = (uint32_t)capacity;
    memory_count_buffer(memory, true, bytes);
    return SHOAL_OK;
}

static void block_release(shoal_memory *memory, const component_type *type, buffer_block block) {
    if (block.items == NULL) {
        return;
    }
    size_t bytes = block.capacity * type->def.size;
    memory_release(memory, SHOAL_PURPOSE_BUFFER, block.items, bytes, type->value_alignment);
    memory_count_buffer(memory, false, bytes);
}

static size_t capacity_grown(size_t capacity, size_t needed) {
    size_t twice = capacity < BUFFER_COUNT_MAX / 2 ? capacity * 2 : BUFFER_COUNT_MAX;
    return twice > needed ? twice : needed;
}

/* ---- cells ---- */

static buffer_cell *cell_at(const component_type *type, const void *cells, size_t i) {
    return (buffer_cell *)(void *)((char *)(uintptr_t)cells + i * type->value_size);
}

/* Gives the heap back; the elements are gone or elsewhere. */
static void cell_release(shoal_memory *memory, const component_type *type, const buffer_cell *head) {
    block_release(memory, type, (buffer_block){.items = head->heap, .capacity = head->capacity});
}

/* Moves the elements into a block that is the cell's from then on, with a gap of one element before `at` (none when
   `at` is the count). */
static void cell_adopt(shoal_memory *memory, const component_type *type, buffer_cell *head, buffer_block block,
                       size_t at) {
    size_t size = type->def.size;
    char *items = buffer_items(type, head);
    elements_move(type, block.items, items, at);
    elements_move(type, block.items + (at + 1) * size, items + at * size, head->count - at);
    cell_release(memory, type, head);
    head->heap = block.items;
    head->capacity = block.capacity;
}

/* Brings elements that fit back into the cell. */
static void cell_return(shoal_memory *memory, const component_type *type, buffer_cell *head) {
    buffer_cell old = *head;
    head->heap = NULL;
    head->capacity = type->inline_count;
    elements_move(type, buffer_items(type, head), old.heap, old.count);
    cell_release(memory, type, &old);
}

/* Restores "home" when there may be fewer elements than before, and halves what is mostly empty. A smaller block that
   cannot be had is no error: the larger one stays. */
static void cell_settle(shoal_memory *memory, const component_type *type, buffer_cell *head) {
    if (head->heap == NULL) {
        return;
    }
    if (head->count <= type->inline_count) {
        cell_return(memory, type, head);
        return;
    }
    size_t capacity = head->capacity;
    while (head->count <= capacity / 4) {
        capacity /= 2;
    }
    buffer_block block = {0};
    if (capacity < head->capacity && block_make(memory, type, capacity, &block) == SHOAL_OK) {
        cell_adopt(memory, type, head, block, head->count);
    }
}

shoal_status buffer_check_span(const component_type *type, const shoal_span *span) {
    size_t count = span != NULL ? span->count : 0;
    if (count > BUFFER_COUNT_MAX || (count != 0 && span->items == NULL)) {
        return SHOAL_INVALID_ARGUMENT;
    }
    for (size_t i = 0; type->def.validate != NULL && i < count; i++) {
        if (!element_is_valid(type, (const char *)span->items + i * type->def.size)) {
            return SHOAL_VALUE_REFUSED;
        }
    }
    return SHOAL_OK;
}

bool buffer_make_span(shoal_memory *memory, const component_type *type, void *cell, const shoal_span *span,
                      shoal_status *why) {
    buffer_cell *head = cell;
    size_t count = span != NULL ? span->count : 0;
    buffer_block block = {.items = NULL, .capacity = type->inline_count};
    if (count > type->inline_count) {
        shoal_status status = block_make(memory, type, count, &block);
        if (status != SHOAL_OK) {
            *why = status;
            return false;
        }
    }
    *head = (buffer_cell){.heap = block.items, .count = (uint32_t)count, .capacity = block.capacity};
    if (count == 0 || elements_copy(type, buffer_items(type, head), span->items, count)) {
        return true;
    }
    block_release(memory, type, block);
    *why = SHOAL_HOOK_FAILED;
    return false;
}

bool buffer_make_copies(shoal_memory *memory, const component_type *type, void *cells, const void *source_cells,
                        size_t count, shoal_status *why) {
    for (size_t i = 0; i < count; i++) {
        const buffer_cell *source = cell_at(type, source_cells, i);
        shoal_span span = {.items = buffer_items(type, source), .count = source->count};
        if (!buffer_make_span(memory, type, cell_at(type, cells, i), &span, why)) {
            buffer_end(memory, type, cells, i);
            return false;
        }
    }
    return true;
}

void buffer_relocate(const component_type *type, void *cells, void *source_cells, size_t count) {
    if (type->def.move == NULL) {
        memcpy(cells, source_cells, count * type->value_size);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        buffer_cell *to = cell_at(type, cells, i);
        buffer_cell *from = cell_at(type, source_cells, i);
        *to = *from;
        if (to->heap == NULL) {
            elements_move(type, buffer_items(type, to), buffer_items(type, from), to->count);
        }
    }
}

void buffer_end(shoal_memory *memory, const component_type *type, void *cells, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const buffer_cell *head = cell_at(type, cells, i);
        elements_end(type, buffer_items(type, head), head->count);
        if (head->heap != NULL) {
            cell_release(memory, type, head);
        }
    }
}

bool buffer_validate(const component_type *type, const void *cell, char *reason, size_t reason_size) {
    const buffer_cell *head = cell;
    const char *fault = NULL;
    if ((head->heap != NULL) != (head->count > type->inline_count)) {
        fault = "the elements are at the wrong place";
    } else if (head->heap == NULL && head->capacity != type->inline_count) {
        fault = "the room in the cell is not that of the type";
    } else if (head->count > head->capacity || head->capacity > BUFFER_COUNT_MAX) {
        fault = "there are more elements than there can be";
    } else if (((uintptr_t)buffer_items(type, cell) & (type->def.alignment - 1)) != 0) {
        fault = "the elements are not aligned";
    }
    if (fault != NULL) {
        (void)snprintf(reason, reason_size, "buffer %.60s (count %u, capacity %u, %s, %u inline): %s", type->def.name,
                       (unsigned)head->count, (unsigned)head->capacity,
                       head->heap != NULL ? "on the heap" : "in the cell", (unsigned)type->inline_count, fault);
    }
    return fault == NULL;
}

/* ---- elements ---- */

/* With room: opens a gap, in which the new element is made. The one that is given may move with those behind `at`. */
static shoal_status insert_in_place(const component_type *type, buffer_cell *head, size_t at, const char *element) {
    size_t size = type->def.size;
    char *gap = (char *)buffer_items(type, head) + at * size;
    size_t after = head->count - at;
    elements_shift(type, gap + size, gap, after);
    if ((uintptr_t)element - (uintptr_t)gap < after * size) {
        element += size;
    }
    if (!element_make(type, gap, element)) {
        elements_shift(type, gap, gap + size, after);
        return SHOAL_HOOK_FAILED;
    }
    head->count++;
    return SHOAL_OK;
}

static shoal_status insert_grown(shoal_memory *memory, const component_type *type, buffer_cell *head, size_t at,
                                 const void *element) {
    buffer_block block = {0};
    shoal_status status = block_make(memory, type, capacity_grown(head->capacity, (size_t)head->count + 1), &block);
    if (status != SHOAL_OK) {
        return status;
    }
    if (!element_make(type, block.items + at * type->def.size, element)) {
        block_release(memory, type, block);
        return SHOAL_HOOK_FAILED;
    }
    cell_adopt(memory, type, head, block, at);
    head->count++;
    return SHOAL_OK;
}

shoal_status buffer_insert(shoal_memory *memory, const component_type *type, void *cell, size_t at,
                           const void *element) {
    buffer_cell *head = cell;
    if (at > head->count) {
        return SHOAL_INVALID_ARGUMENT;
    }
    if (element != NULL && !element_is_valid(type, element)) {
        return SHOAL_VALUE_REFUSED;
    }
    if (head->count < head->capacity) {
        return insert_in_place(type, head, at, element);
    }
    return insert_grown(memory, type, head, at, element);
}

shoal_status buffer_erase(shoal_memory *memory, const component_type *type, void *cell, size_t at) {
    buffer_cell *head = cell;
    if (at >= head->count) {
        return SHOAL_INVALID_ARGUMENT;
    }
    char *gap = (char *)buffer_items(type, cell) + at * type->def.size;
    elements_end(type, gap, 1);
    elements_shift(type, gap, gap + type->def.size, head->count - at - 1);
    head->count--;
    cell_settle(memory, type, head);
    return SHOAL_OK;
}

shoal_status buffer_erase_swap(shoal_memory *memory, const component_type *type, void *cell, size_t at) {
    buffer_cell *head = cell;
    if (at >= head->count) {
        return SHOAL_INVALID_ARGUMENT;
    }
    char *items = buffer_items(type, cell);
    char *hole = items + at * type->def.size;
    char *last = items + (head->count - 1) * type->def.size;
    elements_end(type, hole, 1);
    elements_move(type, hole, last, hole != last);
    head->count--;
    cell_settle(memory, type, head);
    return SHOAL_OK;
}

/* Makes the defaults behind the elements, where there is room or in a new block. */
static shoal_status resize_up(shoal_memory *memory, const component_type *type, buffer_cell *head, size_t count) {
    buffer_block block = {.items = buffer_items(type, head), .capacity = head->capacity};
    bool grows = count > head->capacity;
    if (grows) {
        shoal_status status = block_make(memory, type, capacity_grown(head->capacity, count), &block);
        if (status != SHOAL_OK) {
            return status;
        }
    }
    bool made = elements_default(type, block.items + head->count * type->def.size, count - head->count);
    if (grows && made) {
        cell_adopt(memory, type, head, block, head->count);
    } else if (grows) {
        block_release(memory, type, block);
    }
    head->count = made ? (uint32_t)count : head->count;
    return made ? SHOAL_OK : SHOAL_HOOK_FAILED;
}

shoal_status buffer_resize(shoal_memory *memory, const component_type *type, void *cell, size_t count) {
    buffer_cell *head = cell;
    if (count > BUFFER_COUNT_MAX) {
        return SHOAL_INVALID_ARGUMENT;
    }
    if (count > head->count) {
        return resize_up(memory, type, head, count);
    }
    elements_end(type, (char *)buffer_items(type, cell) + count * type->def.size, head->count - count);
    head->count = (uint32_t)count;
    cell_settle(memory, type, head);
    return SHOAL_OK;
}

/* The new elements are made beside the old ones, so that these stay when a hook fails. */
static shoal_status assign_beside(shoal_memory *memory, const component_type *type, buffer_cell *head,
                                  const shoal_span *span) {
    buffer_block block = {0};
    shoal_status status = block_make(memory, type, span->count, &block);
    if (status != SHOAL_OK) {
        return status;
    }
    if (!elements_copy(type, block.items, span->items, span->count)) {
        block_release(memory, type, block);
        return SHOAL_HOOK_FAILED;
    }
    buffer_end(memory, type, head, 1);
    *head = (buffer_cell){.heap = block.items, .count = block.capacity, .capacity = block.capacity};
    cell_settle(memory, type, head);
    return SHOAL_OK;
}

shoal_status buffer_assign(shoal_memory *memory, const component_type *type, void *cell, const shoal_span *span) {
    buffer_cell *head = cell;
    shoal_status status = buffer_check_span(type, span);
    if (status != SHOAL_OK) {
        return status;
    }
    if (span == NULL || span->count == 0) {
        return buffer_resize(memory, type, cell, 0);
    }
    if (type->def.copy != NULL || span->count > head->capacity) {
        return assign_beside(memory, type, head, span);
    }
    memmove(buffer_items(type, cell), span->items, span->count * type->def.size);
    head->count = (uint32_t)span->count;
    cell_settle(memory, type, head);
    return SHOAL_OK;
}
