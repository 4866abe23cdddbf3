/*
 * Sparse sets; see sparse.h.
 *
 * The dense arrays (entities with values or cells) have one capacity and grow together by doubling. A block of a stable
 * set is
 *
 *     head | cell | cell | ...        cell = value, link, padding to the value's alignment
 *
 * The link stands behind the value, unaligned, so that a free cell's value can be written before the cell is taken, and
 * a small value costs eight bytes more, not a cell of sixteen. Invariant "marked": the link of a cell that a value has
 * leads to the cell itself, that of a free one to the next free one; so a walk over the blocks tells which are free.
 *
 * Whatever can fail allocates all that it needs, then changes. Thread rule: that of sparse.h.
 */
#include "sparse.h"

#include <stdio.h>
#include <string.h>

#include "../base/assert.h"
#include "../base/copy.h"

#define PAGE_BYTES (SPARSE_PAGE_SLOTS * sizeof(uint32_t))
#define PAGE_LIMIT (UINT32_C(1) << (32 - SPARSE_PAGE_BITS))
#define LINE_BYTES ((size_t)64)
#define FIRST_CAPACITY 8u
/* The largest block of cells, and the largest first array of values: a set that holds one large value is not eight
   times as large. */
#define BLOCK_BYTES ((size_t)64 * 1024)

typedef struct sparse_block {
    struct sparse_block *next;
    size_t byte_size;
    uint32_t cell_count;
} sparse_block;

/* What holds `capacity` values. */
typedef struct dense_arrays {
    shoal_entity *entities;
    char *values;
    void **cells;
    uint32_t capacity;
} dense_arrays;

uint32_t sparse_empty_page[SPARSE_PAGE_SLOTS];

/* ---- places ---- */

/* The place of an entity whose slot has a page. */
static ALWAYS_INLINE uint32_t *place_of(const sparse_set *set, shoal_entity entity) {
    uint32_t slot = (uint32_t)entity.bits;
    return &set->pages[slot >> SPARSE_PAGE_BITS][slot & (SPARSE_PAGE_SLOTS - 1)];
}

static void page_release(sparse_set *set, uint32_t page) {
    if (set->pages[page] != sparse_empty_page) {
        memory_release(set->memory, set->purpose, set->pages[page], PAGE_BYTES, LINE_BYTES);
        set->pages[page] = sparse_empty_page;
    }
}

/* A page table of another size; pages beyond it are empty. False when there is no memory for it. */
static bool page_table_resize(sparse_set *set, uint32_t page_count) {
    uint32_t **pages = memory_allocate(set->memory, set->purpose, page_count * sizeof *pages, LINE_BYTES);
    if (pages == NULL) {
        return false;
    }
    uint32_t kept = set->page_count < page_count ? set->page_count : page_count;
    if (kept > 0) {
        memcpy(pages, set->pages, kept * sizeof *pages);
    }
    for (uint32_t page = kept; page < page_count; page++) {
        pages[page] = sparse_empty_page;
    }
    memory_release(set->memory, set->purpose, set->pages, set->page_count * sizeof *pages, LINE_BYTES);
    set->pages = pages;
    set->page_count = page_count;
    return true;
}

/* A table that is twice as large, or as large as this page needs. */
static bool page_table_grow(sparse_set *set, uint32_t page) {
    uint32_t page_count = set->page_count <= PAGE_LIMIT / 2 ? set->page_count * 2 : PAGE_LIMIT;
    return page_table_resize(set, page < page_count ? page_count : page + 1);
}

/* Frees pages without a place, then a table of which less than a quarter is used. */
static void pages_trim(sparse_set *set) {
    uint32_t used = 0;
    for (uint32_t page = 0; page < set->page_count; page++) {
        if (set->pages[page] == sparse_empty_page) {
            continue;
        }
        if (memcmp(set->pages[page], sparse_empty_page, PAGE_BYTES) == 0) {
            page_release(set, page);
        } else {
            used = page + 1;
        }
    }
    if (used < set->page_count / 4) {
        (void)page_table_resize(set, used);
    }
}

static void pages_release(sparse_set *set) {
    for (uint32_t page = 0; page < set->page_count; page++) {
        page_release(set, page);
    }
    memory_release(set->memory, set->purpose, set->pages, set->page_count * sizeof *set->pages, LINE_BYTES);
    set->pages = NULL;
    set->page_count = 0;
}

/* ---- cells ---- */

static ALWAYS_INLINE void *cell_link(const sparse_set *set, const void *cell) {
    void *link;
    memcpy(&link, (const char *)cell + set->value_bytes, sizeof link);
    return link;
}

static ALWAYS_INLINE void cell_set_link(const sparse_set *set, void *cell, void *link) {
    memcpy((char *)cell + set->value_bytes, &link, sizeof link);
}

static ALWAYS_INLINE bool cell_is_taken(const sparse_set *set, const void *cell) {
    return cell_link(set, cell) == cell;
}

static ALWAYS_INLINE void cell_release(sparse_set *set, void *cell) {
    cell_set_link(set, cell, set->free_cells);
    set->free_cells = cell;
}

static size_t cell_bytes(const sparse_set *set) {
    return align_up(set->value_bytes + sizeof(void *), set->value_alignment);
}

static size_t block_head_bytes(const sparse_set *set) {
    return align_up(sizeof(sparse_block), set->value_alignment);
}

static size_t block_alignment(const sparse_set *set) {
    return set->value_alignment > _Alignof(sparse_block) ? set->value_alignment : _Alignof(sparse_block);
}

static char *block_cell(const sparse_set *set, const sparse_block *block, uint32_t number) {
    return (char *)(uintptr_t)block + block_head_bytes(set) + number * cell_bytes(set);
}

static uint32_t block_next_count(const sparse_set *set) {
    size_t wanted = set->blocks != NULL ? (size_t)set->blocks->cell_count * 2 : FIRST_CAPACITY;
    size_t most = (BLOCK_BYTES - block_head_bytes(set)) / cell_bytes(set);
    most = most > 0 ? most : 1;
    return (uint32_t)(wanted < most ? wanted : most);
}

/* Chains the free cells of a block in front of the others, the first one in front. */
static void block_chain(sparse_set *set, const sparse_block *block) {
    for (uint32_t number = block->cell_count; number > 0; number--) {
        char *cell = block_cell(set, block, number - 1);
        if (!cell_is_taken(set, cell)) {
            cell_release(set, cell);
        }
    }
}

static bool block_add(sparse_set *set) {
    uint32_t cell_count = block_next_count(set);
    size_t byte_size = block_head_bytes(set) + cell_count * cell_bytes(set);
    sparse_block *block = memory_allocate(set->memory, set->purpose, byte_size, block_alignment(set));
    if (block == NULL) {
        return false;
    }
    *block = (sparse_block){.next = set->blocks, .byte_size = byte_size, .cell_count = cell_count};
    for (uint32_t number = 0; number < cell_count; number++) {
        cell_set_link(set, block_cell(set, block, number), NULL);
    }
    block_chain(set, block);
    set->blocks = block;
    set->cell_count += cell_count;
    return true;
}

/* Takes the block that `link` leads to out of the list; its cells are not in the chain. */
static void block_drop(sparse_set *set, sparse_block **link) {
    sparse_block *block = *link;
    *link = block->next;
    set->cell_count -= block->cell_count;
    memory_release(set->memory, set->purpose, block, block->byte_size, block_alignment(set));
}

static bool block_is_free(const sparse_set *set, const sparse_block *block) {
    for (uint32_t number = 0; number < block->cell_count; number++) {
        if (cell_is_taken(set, block_cell(set, block, number))) {
            return false;
        }
    }
    return true;
}

/* Frees blocks without a value, and chains the free cells of the others anew. */
static void blocks_trim(sparse_set *set) {
    set->free_cells = NULL;
    for (sparse_block **link = &set->blocks; *link != NULL;) {
        if (block_is_free(set, *link)) {
            block_drop(set, link);
        } else {
            block_chain(set, *link);
            link = &(*link)->next;
        }
    }
}

/* Drops the blocks that came after `last`. */
static void blocks_undo(sparse_set *set, const sparse_block *last, void *free_cells) {
    while (set->blocks != last) {
        block_drop(set, &set->blocks);
    }
    set->free_cells = free_cells;
}

/* ---- the dense arrays ---- */

static size_t value_array_alignment(const sparse_set *set) {
    return set->value_alignment > LINE_BYTES ? set->value_alignment : LINE_BYTES;
}

/* NULL for no bytes and for more than there can be. */
static void *array_allocate(sparse_set *set, uint32_t capacity, size_t element_bytes, size_t alignment) {
    if (element_bytes == 0) {
        return NULL;
    }
    if (capacity > SIZE_MAX / element_bytes) {
        (void)memory_fail(set->memory, SHOAL_OUT_OF_MEMORY);
        return NULL;
    }
    return memory_allocate(set->memory, set->purpose, capacity * element_bytes, alignment);
}

static size_t dense_value_bytes(const sparse_set *set) {
    return set->stable ? 0 : set->value_bytes;
}

static size_t dense_cell_bytes(const sparse_set *set) {
    return set->stable ? sizeof(void *) : 0;
}

static void dense_release(sparse_set *set, const dense_arrays *arrays) {
    size_t capacity = arrays->capacity;
    memory_release(set->memory, set->purpose, arrays->entities, capacity * sizeof(shoal_entity), LINE_BYTES);
    memory_release(set->memory, set->purpose, arrays->values, capacity * dense_value_bytes(set),
                   value_array_alignment(set));
    memory_release(set->memory, set->purpose, arrays->cells, capacity * dense_cell_bytes(set), LINE_BYTES);
}

static bool dense_allocate(sparse_set *set, uint32_t capacity, dense_arrays *arrays) {
    *arrays = (dense_arrays){.capacity = capacity};
    arrays->entities = array_allocate(set, capacity, sizeof(shoal_entity), LINE_BYTES);
    if (arrays->entities == NULL) {
        return false;
    }
    arrays->values = array_allocate(set, capacity, dense_value_bytes(set), value_array_alignment(set));
    arrays->cells = array_allocate(set, capacity, dense_cell_bytes(set), LINE_BYTES);
    if ((dense_value_bytes(set) > 0 && arrays->values == NULL) ||
        (dense_cell_bytes(set) > 0 && arrays->cells == NULL)) {
        dense_release(set, arrays);
        return false;
    }
    return true;
}

/* Moves what is there into other arrays and releases the old ones. */
static void dense_adopt(sparse_set *set, const dense_arrays *arrays) {
    size_t count = set->count;
    if (count > 0) {
        memcpy(arrays->entities, set->entities, count * sizeof(shoal_entity));
        if (set->stable) {
            memcpy(arrays->cells, set->cells, count * sizeof(void *));
        } else if (set->hooked) {
            component_relocate(set->type, arrays->values, set->values, count);
        } else if (set->value_bytes > 0) {
            memcpy(arrays->values, set->values, count * set->value_bytes);
        }
    }
    dense_release(set, &(dense_arrays){set->entities, set->values, set->cells, set->capacity});
    set->entities = arrays->entities;
    set->values = arrays->values;
    set->cells = arrays->cells;
    set->capacity = arrays->capacity;
    set->version++; /* who keeps addresses of values must look again */
}

/* `capacity`, or the first one, doubled until it holds what is needed. */
static uint32_t dense_capacity(const sparse_set *set, uint32_t capacity, uint32_t needed) {
    uint64_t result = capacity;
    if (capacity == 0) {
        size_t most = dense_value_bytes(set) > 0 ? BLOCK_BYTES / dense_value_bytes(set) : FIRST_CAPACITY;
        result = most < FIRST_CAPACITY ? most : FIRST_CAPACITY;
        result = result > 0 ? result : 1;
    }
    while (result < needed) {
        result *= 2;
    }
    return result < UINT32_MAX ? (uint32_t)result : UINT32_MAX;
}

/* Smaller arrays when less than a quarter of them is used. */
static void dense_trim(sparse_set *set) {
    uint32_t capacity = dense_capacity(set, 0, set->count);
    dense_arrays arrays;
    if (set->count < set->capacity / 4 && capacity < set->capacity && dense_allocate(set, capacity, &arrays)) {
        dense_adopt(set, &arrays);
    }
}

static COLD shoal_status sparse_grow(sparse_set *set, uint32_t needed) {
    const sparse_block *last_block = set->blocks;
    void *free_cells = set->free_cells;
    dense_arrays arrays;
    bool enough = true;
    while (enough && set->stable && set->cell_count < needed) {
        enough = block_add(set);
    }
    if (enough && set->capacity < needed) {
        enough = dense_allocate(set, dense_capacity(set, set->capacity, needed), &arrays);
        if (enough) {
            dense_adopt(set, &arrays);
        }
    }
    if (!enough) {
        blocks_undo(set, last_block, free_cells);
        return memory_failure(set->memory);
    }
    return SHOAL_OK;
}

/* ---- checking ---- */

typedef struct sparse_check {
    const sparse_set *set;
    char *reason;
    size_t reason_size;
} sparse_check;

/* A bag of cells: how many, and a sum in which each one tells. */
typedef struct cell_bag {
    uint64_t count;
    uint64_t sum;
} cell_bag;

#define REFUSE(check_, ...) ((void)snprintf((check_)->reason, (check_)->reason_size, __VA_ARGS__), false)

static void bag_add(cell_bag *bag, const void *cell) {
    uint64_t mixed = (uint64_t)(uintptr_t)cell * UINT64_C(0x9E3779B97F4A7C15);
    bag->count++;
    bag->sum += (mixed ^ (mixed >> 29)) * UINT64_C(0xBF58476D1CE4E5B9);
}

static bool bag_equal(cell_bag a, cell_bag b) {
    return a.count == b.count && a.sum == b.sum;
}

/* "paired": each entity finds its own number, and there are no more places than entities. */
static bool places_are_paired(const sparse_check *check) {
    const sparse_set *set = check->set;
    for (uint32_t number = 0; number < set->count; number++) {
        if (sparse_number(set, set->entities[number]) != number) {
            return REFUSE(check, "sparse set: entity of slot %u is number %u, but its place says otherwise",
                          shoal_entity_index(set->entities[number]), number);
        }
    }
    uint64_t places = 0;
    for (uint32_t page = 0; page < set->page_count; page++) {
        for (uint32_t i = 0; set->pages[page] != sparse_empty_page && i < SPARSE_PAGE_SLOTS; i++) {
            places += set->pages[page][i] != 0;
        }
    }
    if (places != set->count) {
        return REFUSE(check, "sparse set: %llu places for %u entities", (unsigned long long)places, set->count);
    }
    if (memcmp(sparse_empty_page, sparse_empty_page + 1, PAGE_BYTES - sizeof(uint32_t)) != 0 ||
        sparse_empty_page[0] != 0) {
        return REFUSE(check, "sparse set: the empty page was written");
    }
    return true;
}

static bool arrays_are_sound(const sparse_check *check) {
    const sparse_set *set = check->set;
    bool some = set->capacity > 0;
    if (set->count > set->capacity || (set->entities != NULL) != some ||
        (set->values != NULL) != (some && dense_value_bytes(set) > 0) ||
        (set->cells != NULL) != (some && dense_cell_bytes(set) > 0)) {
        return REFUSE(check, "sparse set: %u values in arrays for %u that are not those of its kind", set->count,
                      set->capacity);
    }
    if (((uintptr_t)set->values & (value_array_alignment(set) - 1)) != 0) {
        return REFUSE(check, "sparse set: values are not aligned to %zu", value_array_alignment(set));
    }
    return true;
}

/* "celled": the cells that are marked as taken are those of the dense numbers, the others are the chain. */
static bool cells_are_sound(const sparse_check *check) {
    const sparse_set *set = check->set;
    cell_bag taken = {0}, unused = {0}, named = {0}, chained = {0};
    for (const sparse_block *block = set->blocks; block != NULL; block = block->next) {
        for (uint32_t number = 0; number < block->cell_count; number++) {
            const char *cell = block_cell(set, block, number);
            bag_add(cell_is_taken(set, cell) ? &taken : &unused, cell);
        }
    }
    for (uint32_t number = 0; set->stable && number < set->count; number++) {
        bag_add(&named, set->cells[number]);
    }
    for (const void *cell = set->free_cells; cell != NULL && chained.count <= unused.count;) {
        bag_add(&chained, cell);
        cell = cell_link(set, cell);
    }
    if (taken.count + unused.count != set->cell_count) {
        return REFUSE(check, "sparse set: blocks have %llu cells, but %llu are counted",
                      (unsigned long long)(taken.count + unused.count), (unsigned long long)set->cell_count);
    }
    if (!bag_equal(taken, named)) {
        return REFUSE(check, "sparse set: %llu cells are taken, but not those of the %u values",
                      (unsigned long long)taken.count, set->count);
    }
    return bag_equal(unused, chained) ||
           REFUSE(check, "sparse set: the chain is not the %llu cells that are free", (unsigned long long)unused.count);
}

/* ---- for the rest of the storage ---- */

void sparse_init(sparse_set *set, shoal_memory *memory, shoal_purpose purpose, const component_type *type,
                 sparse_values values) {
    size_t alignment = values.alignment != 0 ? values.alignment : 1;
    SHOAL_ASSERT(values.bytes <= UINT32_MAX && bit_is_power(alignment));
    SHOAL_ASSERT(!values.hooked || values.bytes == 0 || values.bytes == type->value_size);
    *set = (sparse_set){.memory = memory,
                        .purpose = purpose,
                        .type = type,
                        .value_bytes = (uint32_t)values.bytes,
                        .value_alignment = (uint32_t)alignment,
                        .hooked = values.hooked && values.bytes > 0,
                        .stable = values.stable && values.bytes > 0};
}

void sparse_deinit(sparse_set *set) {
    pages_release(set);
    blocks_undo(set, NULL, NULL);
    dense_release(set, &(dense_arrays){set->entities, set->values, set->cells, set->capacity});
    set->entities = NULL;
    set->values = NULL;
    set->cells = NULL;
    set->capacity = 0;
    set->count = 0;
}

shoal_status sparse_reserve(sparse_set *set, uint32_t more) {
    if (UNLIKELY(more > UINT32_MAX - set->count)) {
        return memory_fail(set->memory, SHOAL_OUT_OF_MEMORY);
    }
    uint32_t needed = set->count + more;
    if (LIKELY(needed <= set->capacity) && LIKELY(!set->stable || needed <= set->cell_count)) {
        return SHOAL_OK;
    }
    return sparse_grow(set, needed);
}

shoal_status sparse_reserve_page(sparse_set *set, uint32_t slot) {
    uint32_t page = slot >> SPARSE_PAGE_BITS;
    if (LIKELY(page < set->page_count) && LIKELY(set->pages[page] != sparse_empty_page)) {
        return SHOAL_OK;
    }
    uint32_t *places = memory_allocate_zero(set->memory, set->purpose, PAGE_BYTES, LINE_BYTES);
    if (places == NULL) {
        return memory_failure(set->memory);
    }
    if (page >= set->page_count && !page_table_grow(set, page)) {
        memory_release(set->memory, set->purpose, places, PAGE_BYTES, LINE_BYTES);
        return memory_failure(set->memory);
    }
    set->pages[page] = places;
    return SHOAL_OK;
}

void sparse_take_cell(sparse_set *set, uint32_t number) {
    void *cell = set->free_cells;
    set->free_cells = cell_link(set, cell);
    cell_set_link(set, cell, cell);
    set->cells[number] = cell;
}

/* Takes a number out of entities and places, and gives it to the last one; what number that had. Places are written
   before `entities[number]`: they are at addresses that are known early, while that number comes out of a load that has
   often missed, and later loads wait for the addresses of the stores before them. */
static ALWAYS_INLINE uint32_t number_take_out(sparse_set *set, shoal_entity entity, uint32_t number) {
    uint32_t last = --set->count;
    shoal_entity moved = set->entities[last];
    set->version++;
    *place_of(set, moved) = number + 1;
    *place_of(set, entity) = 0;
    set->entities[number] = moved;
    return last;
}

/* Values that are bytes in the dense array. A small one is copied onto itself when it is the last: no branch. */
static ALWAYS_INLINE void plain_remove(sparse_set *set, shoal_entity entity, uint32_t number) {
    uint32_t last = number_take_out(set, entity, number);
    if (set->value_bytes == sizeof(uint32_t)) {
        uint32_t value;
        memcpy(&value, set->values + (size_t)last * sizeof value, sizeof value);
        memcpy(set->values + (size_t)number * sizeof value, &value, sizeof value);
    } else if (set->value_bytes > 0 && number != last) {
        copy_value(sparse_dense_value(set, number), sparse_dense_value(set, last), set->value_bytes);
    }
}

/* Values with hooks or in cells; the value has been ended. Out of line, so that the plain path saves no registers. */
static COLD void special_remove(sparse_set *set, shoal_entity entity, uint32_t number) {
    uint32_t last = number_take_out(set, entity, number);
    if (set->stable) {
        cell_release(set, set->cells[number]);
        set->cells[number] = set->cells[last];
    } else if (number != last) {
        component_relocate(set->type, sparse_dense_value(set, number), sparse_dense_value(set, last), 1);
    }
}

static COLD void special_end_and_remove(sparse_set *set, shoal_entity entity, uint32_t number) {
    if (set->hooked) {
        component_end(set->memory, set->type, sparse_value(set, number), 1);
    }
    special_remove(set, entity, number);
}

/* Budget: with the push before it at most 10 ns for a 4-byte value in the cache. */
void sparse_remove_entity(sparse_set *set, shoal_entity entity, uint32_t number) {
    SHOAL_ASSERT(number < set->count && shoal_entity_equal(set->entities[number], entity));
    if (UNLIKELY(set->stable | set->hooked)) {
        special_end_and_remove(set, entity, number);
    } else {
        plain_remove(set, entity, number);
    }
}

void sparse_remove(sparse_set *set, uint32_t number) {
    SHOAL_ASSERT(number < set->count);
    sparse_remove_entity(set, set->entities[number], number);
}

void sparse_remove_raw(sparse_set *set, uint32_t number) {
    SHOAL_ASSERT(number < set->count);
    if (UNLIKELY(set->stable | set->hooked)) {
        special_remove(set, set->entities[number], number);
    } else {
        plain_remove(set, set->entities[number], number);
    }
}

void sparse_end_values(sparse_set *set) {
    if (set->hooked && !set->stable && set->count > 0) {
        component_end(set->memory, set->type, set->values, set->count);
    }
    for (uint32_t number = 0; number < set->count; number++) {
        *place_of(set, set->entities[number]) = 0;
        if (set->stable) {
            if (set->hooked) {
                component_end(set->memory, set->type, set->cells[number], 1);
            }
            cell_release(set, set->cells[number]);
        }
    }
    set->version += set->count > 0;
    set->count = 0;
}

void sparse_trim(sparse_set *set) {
    if (set->count == 0) {
        sparse_deinit(set);
        return;
    }
    pages_trim(set);
    blocks_trim(set);
    dense_trim(set);
}

bool sparse_validate(const sparse_set *set, char *reason, size_t reason_size) {
    const sparse_check check = {.set = set, .reason = reason, .reason_size = reason_size};
    return arrays_are_sound(&check) && places_are_paired(&check) && cells_are_sound(&check);
}
