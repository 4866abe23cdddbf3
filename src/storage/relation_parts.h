/*
 * What the files of the relation store share: relation.c (links), relation_list.c (one list), relation_spare.c (what is
 * kept for links to come), relation_tree.c (depths). Nobody else includes this.
 *
 * A piece is a block or a directory of a list. Pieces come in classes, each twice as large as the one before:
 *
 *     class 0 ... 6    blocks of 8, 16 ... 512 sources
 *     class 7 ... 30   directories of 4, 8 ... entries
 *
 * Thread rule: world.
 */
#ifndef SHOAL_STORAGE_RELATION_PARTS_H
#define SHOAL_STORAGE_RELATION_PARTS_H

#include <string.h>

#include "../base/assert.h"
#include "relation.h"

#define RELATION_ORDER_STEP (UINT64_C(1) << 32)
#define RELATION_CLASS_BLOCK_MAX (RELATION_BLOCK_CLASSES - 1)

/* Where a source is in a list. */
typedef struct relation_place {
    uint32_t block;
    uint32_t index;
} relation_place;

/* The class of a block of `capacity` sources, a power of two from 8 to 512. */
static inline uint32_t relation_block_class(uint32_t capacity) {
    return bit_lowest(capacity) - 3;
}

/* The class of a directory of `capacity` entries, a power of two from 4 on. */
static inline uint32_t relation_directory_class(uint32_t capacity) {
    return bit_lowest(capacity) - 2 + RELATION_BLOCK_CLASSES;
}

/* The keys of a block. */
static ALWAYS_INLINE uint64_t *relation_orders(shoal_entity *entities, uint32_t capacity) {
    return (uint64_t *)(void *)(entities + capacity);
}

/* ---- relation_list.c ---- */

/* Makes room for `more` links beside those that are reserved; on failure nothing that can be seen changes. */
shoal_status relation_list_reserve(relation_store *store, relation_list *list, uint32_t more);

/* Makes sure that one block can be split. */
shoal_status relation_list_reserve_split(relation_store *store, relation_list *list);

/* Puts a source last, where there is room, or spare pieces for it; gives its key. */
uint64_t relation_list_append_slow(relation_store *store, relation_list *list, shoal_entity source);
static ALWAYS_INLINE uint64_t relation_list_append(relation_store *store, relation_list *list, shoal_entity source) {
    uint32_t count = list->count;
    uint64_t order = list->next_order;
    if (UNLIKELY(list->blocks != NULL) || UNLIKELY(count == list->capacity) ||
        UNLIKELY(order > UINT64_MAX - 2 * RELATION_ORDER_STEP)) {
        return relation_list_append_slow(store, list, source);
    }
    list->entities[count] = source;
    relation_orders(list->entities, list->capacity)[count] = order;
    list->count = count + 1;
    list->next_order = order + RELATION_ORDER_STEP;
    return order;
}

/* Puts a source before the one with that key, after relation_list_reserve_split(); gives its key. */
uint64_t relation_list_insert(relation_store *store, relation_list *list, shoal_entity source, shoal_entity before);

/* Takes the source with that key out. The list stays when it is empty. */
void relation_list_erase(relation_store *store, relation_list *list, uint64_t order);

/* Where the source with that key is. */
relation_place relation_list_place(const relation_list *list, uint64_t order);

/* The source at a place; the caller knows that there is one. */
shoal_entity relation_list_at(const relation_list *list, relation_place place);

/* The last source; the list has one. */
shoal_entity relation_list_last(const relation_list *list);

/* Gives all blocks back: the list is as when it was made. */
void relation_list_clear(relation_store *store, relation_list *list);

/* Gives blocks back that are not needed. */
void relation_list_trim(relation_store *store, relation_list *list);

/* "rising" and "full enough"; NULL, or what is wrong. */
const char *relation_list_fault(const relation_list *list);

/* ---- relation_spare.c ---- */

/* A piece of a class: fresh memory or NULL; one of the spare ones, of which there is one; and back. */
void *relation_piece_allocate(relation_store *store, uint32_t class_index);
void *relation_piece_take(relation_store *store, uint32_t class_index);
void relation_piece_give(relation_store *store, uint32_t class_index, void *piece);

/* The list of a target, made when there is none: NULL on failure; or out of the spare ones, which cannot fail. */
relation_list *relation_list_open(relation_store *store, shoal_entity target);
relation_list *relation_list_take(relation_store *store, shoal_entity target);

/* Puts an empty list away, unless links are reserved for it. */
void relation_list_close(relation_store *store, relation_list *list);

/* Takes a list out of the chain of empty ones; it gets a source. */
void relation_list_wake(relation_store *store, relation_list *list);

/* The page of a source's place, out of the spare ones. */
void relation_source_page_take(relation_store *store, shoal_entity source);

/* Forgets all reservations and gives all spare memory back. */
void relation_spares_release(relation_store *store);

/* Gives back what lists and pages do not need; or all of them. */
void relation_lists_trim(relation_store *store);
void relation_lists_release(relation_store *store);

/* ---- relation.c ---- */

/* Room for `more` links beside those that are pending: their numbers, not their lists and pages. */
shoal_status relation_reserve_links(relation_store *store, uint32_t more);

/* ---- relation_tree.c ---- */

/* Adds to the depth of every entity below `root`. */
void relation_shift_depths(relation_store *store, shoal_entity root, uint32_t difference);

#endif
