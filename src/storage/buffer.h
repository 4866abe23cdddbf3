/*
 * The cell of a buffer, as it lies in a chunk's column: a growing array whose elements are in the cell as long as they
 * fit, and on the heap, all of them, when there are more.
 *
 *     | heap | count | capacity | gap | element 0 | element 1 | ... inline_count | gap |
 *       8      4       4 bytes          at type->inline_offset                      up to type->value_size
 *
 * Nothing in a cell points into it, so a cell moves as bytes when its elements do. Invariant "home": the elements are
 * on the heap exactly when there are more than inline_count; capacity is inline_count when they are not, and never
 * below count. The hooks of the type work on elements. A buffer's type has elements of at least one byte; `cell` is
 * always a buffer_cell with its elements, `type` the buffer's.
 *
 * A call that fails leaves the cell as it was. Thread rule: one thread for each cell and for `memory`; buffer_items()
 * is "read".
 */
#ifndef SHOAL_STORAGE_BUFFER_H
#define SHOAL_STORAGE_BUFFER_H

#include <shoal/buffer.h>

#include "../base/copy.h"
#include "../base/memory.h"
#include "component.h"

/* Elements of one buffer; one more is INVALID_ARGUMENT. */
#define BUFFER_COUNT_MAX ((uint32_t)1 << 31)

typedef struct buffer_cell {
    void *heap;        /* NULL: the elements are in the cell */
    uint32_t count;    /* elements that there are */
    uint32_t capacity; /* elements that there is room for, where they are */
} buffer_cell;

_Static_assert(sizeof(buffer_cell) <= 16, "the elements begin 16 bytes into the cell");

/* ---- layout ---- */

/* Elements in the cell where the definition does not say: those that make it at most 64 bytes, but at least one. */
uint32_t buffer_inline_default(const shoal_component_def *def);

/* The layout of a cell. A cell of 2^32 - 1 bytes or more gives a value_size of UINT32_MAX, which the caller refuses. */
void buffer_measure(const shoal_component_def *def, uint32_t *inline_count, uint32_t *inline_offset,
                    uint32_t *value_size, uint32_t *value_alignment);

/* The elements, tight. */
static ALWAYS_INLINE void *buffer_items(const component_type *type, const void *cell) {
    const buffer_cell *head = cell;
    return head->heap != NULL ? head->heap : (char *)(uintptr_t)cell + type->inline_offset;
}

/* ---- whole cells ---- */

/* Asks about elements that a caller gives: INVALID_ARGUMENT when they are missing or too many, VALUE_REFUSED. NULL is
   an empty span. */
shoal_status buffer_check_span(const component_type *type, const shoal_span *span);

/* Makes a raw cell hold copies of the elements, which have been checked; NULL makes it empty, which cannot fail. On
   failure the cell is raw again and `why` is set. */
bool buffer_make_span(shoal_memory *memory, const component_type *type, void *cell, const shoal_span *span,
                      shoal_status *why);

/* Makes `count` raw cells copies of others, with elements of their own; all or none, as above. */
bool buffer_make_copies(shoal_memory *memory, const component_type *type, void *cells, const void *source_cells,
                        size_t count, shoal_status *why);

/* Moves cells into raw memory; the source is raw then. Cannot fail. */
void buffer_relocate(const component_type *type, void *cells, void *source_cells, size_t count);

/* Ends the elements and gives the heap back; the cells are raw then. */
void buffer_end(shoal_memory *memory, const component_type *type, void *cells, size_t count);

/* "home" and the bounds of one cell; false with a reason. */
bool buffer_validate(const component_type *type, const void *cell, char *reason, size_t reason_size);

/* ---- elements; see shoal/buffer.h ---- */

shoal_status buffer_insert(shoal_memory *memory, const component_type *type, void *cell, size_t at,
                           const void *element);
shoal_status buffer_erase(shoal_memory *memory, const component_type *type, void *cell, size_t at);
shoal_status buffer_erase_swap(shoal_memory *memory, const component_type *type, void *cell, size_t at);
shoal_status buffer_resize(shoal_memory *memory, const component_type *type, void *cell, size_t count);
shoal_status buffer_assign(shoal_memory *memory, const component_type *type, void *cell, const shoal_span *span);

/* Hides from the compiler where a word comes from, so that it does not make one wide move of several. */
#if defined(__GNUC__)
#define BUFFER_OPAQUE(word) __asm__("" : "+r"(word))
#else
#define BUFFER_OPAQUE(word) ((void)(word))
#endif

static ALWAYS_INLINE void buffer_copy_word(char *to, const char *from) {
    uint32_t word;
    memcpy(&word, from, 4);
    BUFFER_OPAQUE(word);
    memcpy(to, &word, 4);
}

/* Copies an element to raw memory. What is pushed has often been written just before, field by field, and loads that
   are wider than those stores wait for them: 5.7 ns a push instead of 2.7. So small elements go in words of four bytes.
 */
static ALWAYS_INLINE void buffer_copy_element(char *to, const char *from, size_t size) {
    if (UNLIKELY(size % 4 != 0 || size > 16)) {
        copy_value(to, from, size);
        return;
    }
    buffer_copy_word(to, from);
    if (size >= 8) {
        buffer_copy_word(to + 4, from + 4);
    }
    if (size >= 12) {
        buffer_copy_word(to + 8, from + 8);
    }
    if (size == 16) {
        buffer_copy_word(to + 12, from + 12);
    }
}

/* Budget: 30 instructions, 3 ns, while there is room and the type has no hooks. The new place is raw, so an element of
   the buffer itself does not overlap it. The count is written first: the copy might alias it as far as a compiler
   knows. */
static ALWAYS_INLINE shoal_status buffer_push(shoal_memory *memory, const component_type *type, void *cell,
                                              const void *element) {
    buffer_cell *head = cell;
    size_t size = type->def.size;
    uint32_t count = head->count;
    if (LIKELY(count < head->capacity) && LIKELY(type->def.copy == NULL) && LIKELY(type->def.validate == NULL) &&
        LIKELY(element != NULL)) {
        char *place = (char *)buffer_items(type, cell) + count * size;
        head->count = count + 1;
        buffer_copy_element(place, element, size);
        return SHOAL_OK;
    }
    return buffer_insert(memory, type, cell, count, element);
}

#endif
