/*
 * The sources of one target, in order.
 *
 *     up to 512 sources    entities | s0 s1 s2 ... |  orders | k0 k1 k2 ... |      one block, the first four in the
 * list more                 blocks   | first key, count, entities -> 512 sources, 512 keys | ... |      a directory
 *
 * A block is one piece of memory: `capacity` sources, then as many order keys. Capacities are 4 (inside of the list),
 * 8, 16 ... 512; with a directory all are 512. Blocks behind block_count, up to ready_count, are empty and wait for
 * links that were reserved.
 *
 * Invariant "rising": order keys rise strictly through the list; the link of each source has its key, so that a source
 * is found by binary search. Invariant "full enough": no block of a directory is empty, and two neighbours have more
 * than 256 sources together. Thread rule: reading is "read", all else "world".
 */
#ifndef SHOAL_STORAGE_RELATION_LIST_H
#define SHOAL_STORAGE_RELATION_LIST_H

#include <shoal/id.h>

#include "../base/compiler.h"

#define RELATION_LIST_FIRST 4u                         /* sources that need no block of their own */
#define RELATION_BLOCK_MAX 512u                        /* sources of the largest block */
#define RELATION_DIRECTORY_FIRST 4u                    /* entries of the smallest directory */
#define RELATION_BLOCK_CLASSES 7                       /* capacities 8, 16 ... 512 */
#define RELATION_CLASSES (RELATION_BLOCK_CLASSES + 24) /* and directories of 4, 8 ... 2^27 entries */

/* One entry of a directory. */
typedef struct relation_block {
    shoal_entity *entities;
    uint64_t first_order; /* that of entities[0], kept here so that a search does not touch the blocks */
    uint32_t count;
} relation_block;

typedef struct relation_list {
    shoal_entity target;
    shoal_entity *entities; /* without a directory: the only block */
    uint64_t next_order;    /* the key that the next source gets which is put last: above all that are there */
    uint32_t count;         /* sources in all blocks */
    uint32_t capacity;      /* of each block */
    relation_block *blocks; /* the directory, or NULL */
    uint32_t block_count;   /* blocks that hold sources */
    uint32_t ready_count;   /* blocks that are there */
    uint32_t block_capacity;
    uint32_t reserved; /* links to come, if reserved_round is the store's round */
    uint64_t reserved_round;
    struct relation_list *next_empty; /* chained while it is empty, which only a reservation makes it */
    struct relation_list *previous_empty;
    uint64_t first[2 * RELATION_LIST_FIRST];
} relation_list;

/* The n-th run of sources; false when there is none. Runs are numbered from 0. */
static ALWAYS_INLINE bool relation_list_run(const relation_list *list, size_t n, const shoal_entity **entities,
                                            size_t *count) {
    if (LIKELY(list->blocks == NULL)) {
        *entities = list->entities;
        *count = list->count;
        return n == 0 && list->count != 0;
    }
    if (n >= list->block_count) {
        return false;
    }
    *entities = list->blocks[n].entities;
    *count = list->blocks[n].count;
    return true;
}

#endif
