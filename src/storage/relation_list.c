/*
 * One list of a relation store; see relation_list.h.
 *
 * Order keys start 2^32 apart, so that a source can be put between two others some 32 times before their block is
 * numbered anew, within the keys of its neighbours while these leave room, and the whole list when they do not. Links
 * have the same keys and get the new ones with it.
 *
 * While links are reserved (store->pending), a block that becomes empty stays with its list as a ready one: then the
 * room behind the last source never shrinks below what was reserved. Thread rule: world.
 */
#include "relation_parts.h"

#include <string.h>

#define ORDER_STEP_MIN UINT64_C(256)       /* below it a block is not numbered anew on its own */
#define MERGE_MAX (RELATION_BLOCK_MAX / 2) /* neighbours of so many sources become one block */
#define ENTITY_BYTES(count_) ((size_t)(count_) * sizeof(shoal_entity))
#define ORDER_BYTES(count_) ((size_t)(count_) * sizeof(uint64_t))

/* ---- blocks ---- */

static bool is_first_block(const relation_list *list, const shoal_entity *entities) {
    return (const void *)entities == (const void *)list->first;
}

static void block_give(relation_store *store, relation_list *list, shoal_entity *entities, uint32_t capacity) {
    if (!is_first_block(list, entities)) {
        relation_piece_give(store, relation_block_class(capacity), entities);
    }
}

/* Moves the only block into another one. */
static void list_rehouse(relation_store *store, relation_list *list, shoal_entity *entities, uint32_t capacity) {
    memcpy(entities, list->entities, ENTITY_BYTES(list->count));
    memcpy(relation_orders(entities, capacity), relation_orders(list->entities, list->capacity),
           ORDER_BYTES(list->count));
    block_give(store, list, list->entities, list->capacity);
    list->entities = entities;
    list->capacity = capacity;
}

/* The first directory; the only block is of the largest size. */
static void list_adopt_directory(relation_list *list, relation_block *blocks, uint32_t capacity) {
    uint64_t first = list->count != 0 ? relation_orders(list->entities, list->capacity)[0] : 0;
    blocks[0] = (relation_block){list->entities, first, list->count};
    list->blocks = blocks;
    list->block_capacity = capacity;
    list->block_count = list->count != 0;
    list->ready_count = 1;
}

static void list_replace_directory(relation_store *store, relation_list *list, relation_block *blocks,
                                   uint32_t capacity) {
    memcpy(blocks, list->blocks, list->ready_count * sizeof *blocks);
    relation_piece_give(store, relation_directory_class(list->block_capacity), list->blocks);
    list->blocks = blocks;
    list->block_capacity = capacity;
}

/* Back to one block without a directory. */
static void list_drop_directory(relation_store *store, relation_list *list) {
    relation_block only = list->blocks[0];
    for (uint32_t i = 1; i < list->ready_count; i++) {
        block_give(store, list, list->blocks[i].entities, RELATION_BLOCK_MAX);
    }
    relation_piece_give(store, relation_directory_class(list->block_capacity), list->blocks);
    list->entities = only.entities;
    list->blocks = NULL;
    list->block_count = list->ready_count = list->block_capacity = 0;
}

/* Keeps a block that has no source any more for links to come, or gives it back. */
static void block_drop(relation_store *store, relation_list *list, uint32_t block) {
    relation_block dropped = list->blocks[block];
    memmove(&list->blocks[block], &list->blocks[block + 1], (list->ready_count - block - 1) * sizeof dropped);
    list->block_count--;
    dropped.count = 0;
    list->blocks[list->ready_count - 1] = dropped;
    if (store->pending == 0 && list->ready_count > 1) {
        list->ready_count--;
        block_give(store, list, dropped.entities, RELATION_BLOCK_MAX);
    }
}

/* ---- making room ---- */

static shoal_status list_grow_block(relation_store *store, relation_list *list, uint32_t capacity) {
    if (list->capacity >= capacity) {
        return SHOAL_OK;
    }
    void *block = relation_piece_allocate(store, relation_block_class(capacity));
    if (block == NULL) {
        return memory_failure(store->memory);
    }
    list_rehouse(store, list, block, capacity);
    return SHOAL_OK;
}

static shoal_status list_grow_directory(relation_store *store, relation_list *list, uint32_t needed) {
    if (list->blocks != NULL && list->block_capacity >= needed) {
        return SHOAL_OK;
    }
    uint32_t capacity = needed <= RELATION_DIRECTORY_FIRST ? RELATION_DIRECTORY_FIRST : (uint32_t)bit_ceil(needed);
    void *blocks = relation_piece_allocate(store, relation_directory_class(capacity));
    if (blocks == NULL) {
        return memory_failure(store->memory);
    }
    if (list->blocks == NULL) {
        list_adopt_directory(list, blocks, capacity);
    } else {
        list_replace_directory(store, list, blocks, capacity);
    }
    return SHOAL_OK;
}

static uint32_t blocks_used(const relation_list *list) {
    return list->blocks == NULL ? list->count != 0 : list->block_count;
}

/* Blocks beside those with sources, so that `links` more can be put last. */
static uint32_t blocks_for(const relation_list *list, uint64_t links) {
    uint64_t room = 0;
    if (blocks_used(list) != 0) {
        room = RELATION_BLOCK_MAX - (list->blocks == NULL ? list->count : list->blocks[list->block_count - 1].count);
    }
    return links > room ? (uint32_t)((links - room + RELATION_BLOCK_MAX - 1) / RELATION_BLOCK_MAX) : 0;
}

/* A directory with `blocks` blocks ready behind those with sources. */
static shoal_status list_make_ready(relation_store *store, relation_list *list, uint32_t blocks) {
    shoal_status status = list->blocks == NULL ? list_grow_block(store, list, RELATION_BLOCK_MAX) : SHOAL_OK;
    uint32_t used = blocks_used(list);
    status = status != SHOAL_OK ? status : list_grow_directory(store, list, used + blocks);
    while (status == SHOAL_OK && list->ready_count < used + blocks) {
        void *block = relation_piece_allocate(store, RELATION_CLASS_BLOCK_MAX);
        if (block == NULL) {
            return memory_failure(store->memory);
        }
        list->blocks[list->ready_count++] = (relation_block){.entities = block};
    }
    return status;
}

shoal_status relation_list_reserve(relation_store *store, relation_list *list, uint32_t more) {
    uint64_t links = (uint64_t)relation_list_reserved(store, list) + more;
    uint64_t needed = links + list->count;
    if (needed > UINT32_MAX) {
        return memory_fail(store->memory, SHOAL_OUT_OF_MEMORY);
    }
    shoal_status status = SHOAL_OK;
    if (list->blocks == NULL && needed <= RELATION_BLOCK_MAX) {
        if (UNLIKELY(needed > list->capacity)) {
            status = list_grow_block(store, list, (uint32_t)bit_ceil(needed));
        }
    } else {
        status = list_make_ready(store, list, blocks_for(list, links));
    }
    if (LIKELY(status == SHOAL_OK)) {
        list->reserved = (uint32_t)links;
        list->reserved_round = store->round;
    }
    return status;
}

shoal_status relation_list_reserve_split(relation_store *store, relation_list *list) {
    if (list->blocks == NULL) {
        return SHOAL_OK;
    }
    return list_make_ready(store, list, blocks_for(list, relation_list_reserved(store, list)) + 1);
}

/* One block more out of the spare ones; the list is a new one, whose links were reserved as loose. */
static COLD void list_grow_spare(relation_store *store, relation_list *list) {
    if (list->blocks == NULL && list->capacity < RELATION_BLOCK_MAX) {
        uint32_t capacity = list->capacity * 2;
        list_rehouse(store, list, relation_piece_take(store, relation_block_class(capacity)), capacity);
        return;
    }
    if (list->blocks == NULL) {
        void *blocks = relation_piece_take(store, relation_directory_class(RELATION_DIRECTORY_FIRST));
        list_adopt_directory(list, blocks, RELATION_DIRECTORY_FIRST);
    } else if (list->ready_count == list->block_capacity) {
        uint32_t capacity = list->block_capacity * 2;
        list_replace_directory(store, list, relation_piece_take(store, relation_directory_class(capacity)), capacity);
    }
    void *block = relation_piece_take(store, RELATION_CLASS_BLOCK_MAX);
    list->blocks[list->ready_count++] = (relation_block){.entities = block};
}

/* ---- keys ---- */

static uint32_t orders_find(const uint64_t *orders, uint32_t count, uint64_t order) {
    uint32_t low = 0;
    while (count > 1) {
        uint32_t half = count / 2;
        low += orders[low + half] <= order ? half : 0;
        count -= half;
    }
    return low;
}

static uint32_t blocks_find(const relation_block *blocks, uint32_t count, uint64_t order) {
    uint32_t low = 0;
    while (count > 1) {
        uint32_t half = count / 2;
        low += blocks[low + half].first_order <= order ? half : 0;
        count -= half;
    }
    return low;
}

relation_place relation_list_place(const relation_list *list, uint64_t order) {
    if (LIKELY(list->blocks == NULL)) {
        return (relation_place){0, orders_find(relation_orders(list->entities, list->capacity), list->count, order)};
    }
    uint32_t block = blocks_find(list->blocks, list->block_count, order);
    relation_block found = list->blocks[block];
    return (relation_place){block,
                            orders_find(relation_orders(found.entities, RELATION_BLOCK_MAX), found.count, order)};
}

shoal_entity relation_list_at(const relation_list *list, relation_place place) {
    return list->blocks == NULL ? list->entities[place.index] : list->blocks[place.block].entities[place.index];
}

shoal_entity relation_list_last(const relation_list *list) {
    if (list->blocks == NULL) {
        return list->entities[list->count - 1];
    }
    relation_block last = list->blocks[list->block_count - 1];
    return last.entities[last.count - 1];
}

static uint64_t block_last_order(const relation_block *block) {
    return relation_orders(block->entities, RELATION_BLOCK_MAX)[block->count - 1];
}

/* Keys from `order` on, `step` apart, for the sources of a block and their links. */
static uint64_t block_number(relation_store *store, const relation_list *list, relation_block *block, uint64_t order,
                             uint64_t step) {
    uint64_t *orders = relation_orders(block->entities, list->capacity);
    block->first_order = order;
    for (uint32_t i = 0; i < block->count; i++, order += step) {
        orders[i] = order;
        relation_find(store, block->entities[i], list->target)->order = order;
    }
    return order;
}

static void list_number(relation_store *store, relation_list *list) {
    uint64_t order = RELATION_ORDER_STEP;
    if (list->blocks == NULL) {
        order =
            block_number(store, list, &(relation_block){list->entities, 0, list->count}, order, RELATION_ORDER_STEP);
    }
    for (uint32_t i = 0; i < list->block_count; i++) {
        order = block_number(store, list, &list->blocks[i], order, RELATION_ORDER_STEP);
    }
    list->next_order = order;
}

/* Numbers one block anew between its neighbours' keys; false when these are too close. */
static bool list_number_block(relation_store *store, relation_list *list, uint32_t block) {
    if (list->blocks == NULL || block + 1 >= list->block_count) {
        return false;
    }
    uint64_t low = block != 0 ? block_last_order(&list->blocks[block - 1]) : 0;
    uint64_t high = list->blocks[block + 1].first_order;
    uint64_t step = (high - low) / (list->blocks[block].count + 1u);
    if (step < ORDER_STEP_MIN) {
        return false;
    }
    (void)block_number(store, list, &list->blocks[block], low + step, step);
    return true;
}

/* ---- putting in ---- */

static void list_append_block(relation_store *store, relation_list *list, shoal_entity source, uint64_t order) {
    if (list->block_count == 0 || list->blocks[list->block_count - 1].count == RELATION_BLOCK_MAX) {
        if (list->block_count == list->ready_count) {
            list_grow_spare(store, list);
        }
        list->blocks[list->block_count++].first_order = order;
    }
    relation_block *last = &list->blocks[list->block_count - 1];
    last->entities[last->count] = source;
    relation_orders(last->entities, RELATION_BLOCK_MAX)[last->count++] = order;
}

uint64_t relation_list_append_slow(relation_store *store, relation_list *list, shoal_entity source) {
    if (list->next_order > UINT64_MAX - 2 * RELATION_ORDER_STEP) {
        list_number(store, list); /* after 2^32 sources have been put last */
    }
    if (list->blocks == NULL && list->count == list->capacity) {
        list_grow_spare(store, list);
    }
    if (list->blocks == NULL) {
        return relation_list_append(store, list, source);
    }
    uint64_t order = list->next_order;
    list_append_block(store, list, source, order);
    list->count++;
    list->next_order = order + RELATION_ORDER_STEP;
    return order;
}

static void block_insert(shoal_entity *entities, uint64_t *orders, uint32_t count, uint32_t index) {
    memmove(entities + index + 1, entities + index, ENTITY_BYTES(count - index));
    memmove(orders + index + 1, orders + index, ORDER_BYTES(count - index));
}

/* Moves the upper half of a full block into a ready one behind it. */
static void list_split(relation_list *list, uint32_t block) {
    relation_block upper = list->blocks[list->block_count];
    memmove(&list->blocks[block + 2], &list->blocks[block + 1],
            (list->block_count - block - 1) * sizeof(relation_block));
    relation_block *lower = &list->blocks[block];
    uint64_t *orders = relation_orders(lower->entities, RELATION_BLOCK_MAX);
    upper.count = lower->count / 2;
    lower->count -= upper.count;
    memcpy(upper.entities, lower->entities + lower->count, ENTITY_BYTES(upper.count));
    memcpy(relation_orders(upper.entities, RELATION_BLOCK_MAX), orders + lower->count, ORDER_BYTES(upper.count));
    upper.first_order = orders[lower->count];
    list->blocks[block + 1] = upper;
    list->block_count++;
}

/* The key before that at `place`; 0 before the first. */
static uint64_t order_before(const relation_list *list, relation_place place) {
    if (list->blocks == NULL) {
        return place.index != 0 ? relation_orders(list->entities, list->capacity)[place.index - 1] : 0;
    }
    if (place.index != 0) {
        return relation_orders(list->blocks[place.block].entities, RELATION_BLOCK_MAX)[place.index - 1];
    }
    return place.block != 0 ? block_last_order(&list->blocks[place.block - 1]) : 0;
}

/* A key between that of `before` and the one in front of it. */
static uint64_t list_middle_order(relation_store *store, relation_list *list, const relation_link *before) {
    relation_place place = relation_list_place(list, before->order);
    if (before->order - order_before(list, place) < 2 && !list_number_block(store, list, place.block)) {
        list_number(store, list);
    }
    uint64_t low = order_before(list, place);
    return low + (before->order - low) / 2;
}

uint64_t relation_list_insert(relation_store *store, relation_list *list, shoal_entity source, shoal_entity before) {
    const relation_link *link = relation_find(store, before, list->target);
    uint64_t order = list_middle_order(store, list, link);
    relation_place place = relation_list_place(list, link->order);
    list->count++;
    if (list->blocks == NULL) {
        uint64_t *orders = relation_orders(list->entities, list->capacity);
        block_insert(list->entities, orders, list->count - 1, place.index);
        list->entities[place.index] = source;
        orders[place.index] = order;
        return order;
    }
    if (list->blocks[place.block].count == RELATION_BLOCK_MAX) {
        list_split(list, place.block);
        place = relation_list_place(list, link->order);
    }
    relation_block *block = &list->blocks[place.block];
    uint64_t *orders = relation_orders(block->entities, RELATION_BLOCK_MAX);
    block_insert(block->entities, orders, block->count++, place.index);
    block->entities[place.index] = source;
    orders[place.index] = order;
    block->first_order = orders[0];
    return order;
}

/* ---- taking out ---- */

static void block_erase(shoal_entity *entities, uint64_t *orders, uint32_t count, uint32_t index) {
    memmove(entities + index, entities + index + 1, ENTITY_BYTES(count - index - 1));
    memmove(orders + index, orders + index + 1, ORDER_BYTES(count - index - 1));
}

/* Makes one block of `lower` and the one behind it, if they are small enough. */
static void list_merge(relation_store *store, relation_list *list, uint32_t lower) {
    if (lower + 1 >= list->block_count) {
        return;
    }
    relation_block *to = &list->blocks[lower];
    relation_block from = list->blocks[lower + 1];
    if (to->count + from.count > MERGE_MAX) {
        return;
    }
    memcpy(to->entities + to->count, from.entities, ENTITY_BYTES(from.count));
    memcpy(relation_orders(to->entities, RELATION_BLOCK_MAX) + to->count,
           relation_orders(from.entities, RELATION_BLOCK_MAX), ORDER_BYTES(from.count));
    to->count += from.count;
    block_drop(store, list, lower + 1);
}

static void list_erase_from_block(relation_store *store, relation_list *list, relation_place place) {
    relation_block *block = &list->blocks[place.block];
    uint64_t *orders = relation_orders(block->entities, RELATION_BLOCK_MAX);
    block_erase(block->entities, orders, block->count, place.index);
    block->count--;
    block->first_order = orders[0];
    if (block->count == 0) {
        block_drop(store, list, place.block);
        return;
    }
    list_merge(store, list, place.block);
    if (place.block != 0) {
        list_merge(store, list, place.block - 1);
    }
}

void relation_list_erase(relation_store *store, relation_list *list, uint64_t order) {
    relation_place place = relation_list_place(list, order);
    if (LIKELY(list->blocks == NULL)) {
        block_erase(list->entities, relation_orders(list->entities, list->capacity), list->count, place.index);
        list->count--;
        return;
    }
    list_erase_from_block(store, list, place);
    list->count--;
    if (list->block_count == 1 && list->count <= MERGE_MAX && store->pending == 0) {
        list_drop_directory(store, list);
    }
}

void relation_list_clear(relation_store *store, relation_list *list) {
    if (list->blocks != NULL) {
        list_drop_directory(store, list);
    }
    block_give(store, list, list->entities, list->capacity);
    list->entities = (shoal_entity *)(void *)list->first;
    list->capacity = RELATION_LIST_FIRST;
    list->count = 0;
    list->next_order = RELATION_ORDER_STEP;
}

/* ---- upkeep ---- */

void relation_list_trim(relation_store *store, relation_list *list) {
    while (list->blocks != NULL && list->ready_count > list->block_count && list->ready_count > 1) {
        block_give(store, list, list->blocks[--list->ready_count].entities, RELATION_BLOCK_MAX);
    }
    if (list->blocks != NULL && list->ready_count == 1) {
        list_drop_directory(store, list);
    }
    uint32_t capacity = list->count <= RELATION_LIST_FIRST ? RELATION_LIST_FIRST : (uint32_t)bit_ceil(list->count);
    if (list->blocks != NULL || capacity >= list->capacity) {
        return;
    }
    void *block = capacity == RELATION_LIST_FIRST ? (void *)list->first
                                                  : relation_piece_allocate(store, relation_block_class(capacity));
    if (block != NULL) {
        list_rehouse(store, list, block, capacity);
    }
}

static bool orders_rise(const uint64_t *orders, uint32_t count, uint64_t *last) {
    for (uint32_t i = 0; i < count; i++) {
        if (orders[i] <= *last) {
            return false;
        }
        *last = orders[i];
    }
    return true;
}

static const char *directory_fault(const relation_list *list) {
    uint64_t last = 0;
    uint64_t count = 0;
    if (list->block_count > list->ready_count || list->ready_count > list->block_capacity || list->ready_count == 0 ||
        list->capacity != RELATION_BLOCK_MAX) {
        return "has wrong block counts";
    }
    for (uint32_t i = 0; i < list->block_count; i++) {
        const relation_block *block = &list->blocks[i];
        const uint64_t *orders = relation_orders(block->entities, RELATION_BLOCK_MAX);
        if (block->count == 0 || block->count > RELATION_BLOCK_MAX || block->first_order != orders[0]) {
            return "has a block that is empty, too full or wrongly noted";
        }
        if (!orders_rise(orders, block->count, &last)) {
            return "has order keys that do not rise";
        }
        if (i != 0 && list->blocks[i - 1].count + block->count <= MERGE_MAX) {
            return "has two neighbours that should be one block";
        }
        count += block->count;
    }
    return count == list->count ? NULL : "does not count its sources";
}

const char *relation_list_fault(const relation_list *list) {
    if (list->blocks != NULL) {
        return directory_fault(list);
    }
    uint64_t last = 0;
    if (list->count > list->capacity || list->block_count != 0 || list->ready_count != 0) {
        return "has wrong counts";
    }
    if (is_first_block(list, list->entities) != (list->capacity == RELATION_LIST_FIRST)) {
        return "has a block of a wrong size";
    }
    return orders_rise(relation_orders(list->entities, list->capacity), list->count, &last) && last < list->next_order
               ? NULL
               : "has order keys that do not rise";
}
