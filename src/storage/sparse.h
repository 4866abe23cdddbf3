/*
 * Sparse sets: the values of one component type of one world, dense, found by slot.
 *
 *     pages[slot >> 11] -> 2,048 places -> place - 1 = number in the dense arrays; 0 = none
 *     entities   | e0 | e1 | e2 | ...        values   | v0 | v1 | v2 | ...
 *
 * Removing fills the hole with the last one, so the order is that of adding as long as nothing is removed. A stable set
 * keeps each value in a cell that never moves: cells are carved out of blocks, `cells` says where each dense number's
 * value is, free cells are chained. Pages that were never made all point to one page of zeros that is never written.
 *
 * Invariant "paired": entities[i] has place i + 1, and no other slot has it. Invariant "celled": in a stable set each
 * cell belongs to one dense number or to the chain of free ones. Thread rule: finding is "read", all else "world".
 */
#ifndef SHOAL_STORAGE_SPARSE_H
#define SHOAL_STORAGE_SPARSE_H

#include "../base/memory.h"
#include "component.h"

#define SPARSE_PAGE_BITS 11
#define SPARSE_PAGE_SLOTS 2048u

typedef struct sparse_set {
    uint32_t **pages; /* page_count entries; sparse_empty_page where there is none */
    uint32_t page_count;
    uint32_t count;
    shoal_entity *entities;      /* capacity entries */
    char *values;                /* capacity values of value_bytes; NULL without data and in a stable set */
    void **cells;                /* stable: where the value of each dense number is */
    void *free_cells;            /* stable: chained */
    struct sparse_block *blocks; /* stable: the newest first */
    uint64_t cell_count;         /* stable: in all blocks; those that no value has are free */
    uint32_t capacity;
    uint32_t value_bytes;
    uint32_t value_alignment;
    bool stable;
    bool hooked;                /* values need hooks to be moved and ended */
    const component_type *type; /* whose values; what the set asks for hooks */
    shoal_memory *memory;
    shoal_purpose purpose;
    uint64_t version; /* rises with each change of the dense order, and when values move */
} sparse_set;

extern uint32_t sparse_empty_page[SPARSE_PAGE_SLOTS];

/* What the values of a set are: `bytes` at `alignment`; when `hooked` they are values of the set's type, moved and
   ended by its hooks. Without data (zero-initialised) neither `hooked` nor `stable` means anything. */
typedef struct sparse_values {
    size_t bytes;
    size_t alignment; /* 0: 1 */
    bool hooked;
    bool stable;
} sparse_values;

/* An empty set; allocates nothing. */
void sparse_init(sparse_set *set, shoal_memory *memory, shoal_purpose purpose, const component_type *type,
                 sparse_values values);

/* Gives all memory back; values are not ended. The set is as sparse_init() made it, but for the version. */
void sparse_deinit(sparse_set *set);

/* The dense number of an entity, or UINT32_MAX. */
static ALWAYS_INLINE uint32_t sparse_number(const sparse_set *set, shoal_entity entity) {
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t page = slot >> SPARSE_PAGE_BITS;
    if (UNLIKELY(page >= set->page_count)) {
        return UINT32_MAX;
    }
    uint32_t number = set->pages[page][slot & (SPARSE_PAGE_SLOTS - 1)] - 1;
    return number != UINT32_MAX && LIKELY(set->entities[number].bits == entity.bits) ? number : UINT32_MAX;
}

/* The place of a dense number in `values`; NULL without data. As an integer, since C has no NULL + 0. */
static ALWAYS_INLINE void *sparse_dense_value(const sparse_set *set, uint32_t number) {
    return (void *)((uintptr_t)set->values + (size_t)number * set->value_bytes);
}

/* The value of a dense number; NULL where there is no data. */
static ALWAYS_INLINE void *sparse_value(const sparse_set *set, uint32_t number) {
    return UNLIKELY(set->stable) ? set->cells[number] : sparse_dense_value(set, number);
}

/* True when an entity of that slot can be added without an allocation. */
static ALWAYS_INLINE bool sparse_ready(const sparse_set *set, shoal_entity entity) {
    uint32_t page = (uint32_t)entity.bits >> SPARSE_PAGE_BITS;
    return LIKELY(set->count < set->capacity) && LIKELY(page < set->page_count) &&
           LIKELY(set->pages[page] != sparse_empty_page) && LIKELY(!set->stable || set->free_cells != NULL);
}

/* Room for `more` further values; with sparse_reserve_page() for their slots, as many adds cannot fail. Values may move
   unless the set is stable. OUT_OF_MEMORY, MEMORY_LIMIT; nothing changes then, not even the bytes in use. */
shoal_status sparse_reserve(sparse_set *set, uint32_t more);
shoal_status sparse_reserve_page(sparse_set *set, uint32_t slot);

/* The raw place of the value that the next sparse_push() makes, for writing it beforehand. sparse_ready() holds. */
static ALWAYS_INLINE void *sparse_next_value(const sparse_set *set) {
    return UNLIKELY(set->stable) ? set->free_cells : sparse_dense_value(set, set->count);
}

/* Gives the first free cell to a dense number; for sparse_push(). */
void sparse_take_cell(sparse_set *set, uint32_t number);

/* Adds an entity that is not there, whose value has been written at sparse_next_value() (a stable set's free cells are
   chained through memory beside their values, so that writing a value first does no harm). Cannot fail. */
static ALWAYS_INLINE uint32_t sparse_push(sparse_set *set, shoal_entity entity) {
    uint32_t number = set->count++;
    uint32_t slot = (uint32_t)entity.bits;
    set->entities[number] = entity;
    set->pages[slot >> SPARSE_PAGE_BITS][slot & (SPARSE_PAGE_SLOTS - 1)] = number + 1;
    set->version++;
    if (UNLIKELY(set->stable)) {
        sparse_take_cell(set, number);
    }
    return number;
}

/* Ends the value of a dense number and fills the hole. Cannot fail. Where the caller has the entity at hand,
   sparse_remove_entity() is 3 ns cheaper: the processor then knows the place's address before the number has come. */
void sparse_remove(sparse_set *set, uint32_t number);
void sparse_remove_entity(sparse_set *set, shoal_entity entity, uint32_t number);

/* The same when the value has been ended or moved out already, or needs no end. */
void sparse_remove_raw(sparse_set *set, uint32_t number);

/* Ends all values; the set is empty then. Memory stays until sparse_trim() or sparse_deinit(). */
void sparse_end_values(sparse_set *set);

/* Gives memory back that is not needed for what is there: all of it when nothing is. Values may move unless the set is
   stable; their order stays. Cannot fail: where a smaller array cannot be had, the larger one stays. */
void sparse_trim(sparse_set *set);

/* "paired", "celled", counts; false with a reason. Costs time in proportion to the pages and cells. */
bool sparse_validate(const sparse_set *set, char *reason, size_t reason_size);

#endif
