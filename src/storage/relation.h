/*
 * The relation store: all links of one relation type in one world, found from both ends. It knows handles only.
 *
 *     forward: source -> dense number; exclusive: the number of its one link
 *                                      else: heads[number] -> the chain of its links, in the order in which they came
 *     links:   link_blocks[n >> link_shift] -> link | data, link_bytes each; a link never moves while others come
 *     reverse: pages[target slot >> 11] -> 2,048 lists -> the sources of the target, in order (relation_list.h)
 *
 * Invariant "both ends": a link of source s to target t, with order key k, stands for exactly one entry (s, k) in the
 * list of t. Invariant "depth": in an acyclic relation link.depth is one more than that of the target, and an entity
 * that is no source has depth 0.
 *
 * Reserve, then add: what a reserve call promises stays promised until the links have been added or relation_settle()
 * forgets it, whatever is added and removed meanwhile. Functions without a status cannot fail and allocate nothing.
 * Thread rule: finding is "read", all else "world".
 */
#ifndef SHOAL_STORAGE_RELATION_H
#define SHOAL_STORAGE_RELATION_H

#include "../base/memory.h"
#include "component.h"
#include "relation_list.h"
#include "sparse.h"

#define RELATION_PAGE_BITS 11
#define RELATION_PAGE_SLOTS 2048u

typedef struct relation_link {
    shoal_entity target;
    uint64_t order; /* the key of its source in the list of the target */
    uint32_t depth; /* acyclic: of the source */
    uint32_t next;  /* not exclusive: 1 + the number of the source's next link; 0: the last. A free link: the same of
                       the next free one. Exclusive: 0, or 1 while a destroy ends the source, see destroy.c */
} relation_link;

/* Where the links of one source are, when there may be several: 1 + number. */
typedef struct relation_head {
    uint32_t first;
    uint32_t last;
} relation_head;

/* Memory that is kept for links with ends that are not known yet; see relation_spare.c. */
typedef struct relation_spares {
    relation_list *lists; /* chained by next_empty */
    uint32_t list_count;
    uint32_t piece_counts[RELATION_CLASSES];
    void *pieces[RELATION_CLASSES]; /* blocks and directories, chained through their first word */
    void *pages;                    /* of `reverse`, chained through their first word */
    uint32_t page_count;
    uint32_t forward_count;
    bool is_used;       /* something came since the last settling */
    sparse_set forward; /* has no entities: its pages [0, forward_count) are the spare ones */
} relation_spares;

/* Links to come with ends that have no slot yet, such as entities that a command buffer spawns. */
typedef struct relation_loose {
    uint32_t link_count;   /* links to unknown targets; those to known ones: relation_reserve_target() */
    uint32_t target_count; /* how many unknown targets these have at most */
    uint32_t source_count; /* unknown sources, of links to whatever target */
    uint64_t slot_end;     /* every slot that comes is below */
} relation_loose;

typedef struct relation_store {
    sparse_set forward; /* without values */
    char **link_blocks;
    uint32_t link_block_count;
    uint32_t link_block_capacity;
    uint32_t link_shift; /* links of a block: 1 << link_shift */
    uint32_t link_bytes;
    uint32_t data_offset;
    uint32_t link_end;    /* not exclusive: links that were ever used; free ones below are chained */
    uint32_t link_free;   /* 1 + number of the first free link */
    relation_head *heads; /* not exclusive: head_capacity entries, by dense number */
    uint32_t head_capacity;
    uint32_t page_count;
    relation_list ***pages; /* page_count entries; relation_empty_page where there is none */
    uint32_t list_count;    /* lists that are in a page */
    bool is_exclusive;
    bool is_acyclic;
    uint64_t link_count;
    uint64_t pending;           /* links that were reserved and have not come yet */
    uint64_t round;             /* rises with each settling */
    relation_loose loose;       /* reserved in this round */
    relation_list *empty_lists; /* lists that a reservation keeps */
    relation_spares spares;
    const component_type *type;
    shoal_memory *memory;
    uint64_t version; /* rises with each change of a link, an order or a depth */
} relation_store;

extern relation_list *relation_empty_page[RELATION_PAGE_SLOTS];

/* An empty store; allocates nothing. The type is a relation. */
void relation_init(relation_store *store, shoal_memory *memory, const component_type *type);

/* Ends the data of all links and gives all memory back. */
void relation_deinit(relation_store *store);

/* ---- finding ---- */

/* The link of that number. */
static ALWAYS_INLINE relation_link *relation_link_at(const relation_store *store, uint32_t number) {
    uint32_t mask = (UINT32_C(1) << store->link_shift) - 1;
    char *block = store->link_blocks[number >> store->link_shift];
    return (relation_link *)(void *)(block + (size_t)(number & mask) * store->link_bytes);
}

/* The first link of a dense number of `forward`. */
static ALWAYS_INLINE relation_link *relation_link_first(const relation_store *store, uint32_t number) {
    return relation_link_at(store, LIKELY(store->is_exclusive) ? number : store->heads[number].first - 1);
}

/* The next link of the same source, in the order in which they were given, or NULL. */
static ALWAYS_INLINE relation_link *relation_link_next(const relation_store *store, const relation_link *link) {
    return store->is_exclusive || link->next == 0 ? NULL : relation_link_at(store, link->next - 1);
}

/* The data of a link; NULL when the relation has none. */
static ALWAYS_INLINE void *relation_link_data(const relation_store *store, relation_link *link) {
    return store->type->def.size != 0 ? (char *)link + store->data_offset : NULL;
}

/* The same from `link` on, of a source with many targets: whether there is one is often told sooner by the target. */
relation_link *relation_find_far(const relation_store *store, shoal_entity source, relation_link *link,
                                 shoal_entity target);

#define RELATION_NEAR_LINKS 8

/* The link of `source` to `target` (null: its first one), or NULL. Good until a link of the store goes. */
static ALWAYS_INLINE relation_link *relation_find(const relation_store *store, shoal_entity source,
                                                  shoal_entity target) {
    uint32_t number = sparse_number(&store->forward, source);
    if (number == UINT32_MAX) {
        return NULL;
    }
    relation_link *link = relation_link_first(store, number);
    unsigned steps = 0;
    while (target.bits != 0 && link != NULL && link->target.bits != target.bits) {
        link = relation_link_next(store, link);
        if (UNLIKELY(++steps == RELATION_NEAR_LINKS)) {
            return relation_find_far(store, source, link, target);
        }
    }
    return link;
}

/* The first target, or null. */
static ALWAYS_INLINE shoal_entity relation_target(const relation_store *store, shoal_entity source) {
    uint32_t number = sparse_number(&store->forward, source);
    return number != UINT32_MAX ? relation_link_first(store, number)->target : (shoal_entity){0};
}

/* The list of a target, also an empty one that a reservation keeps; NULL when there is none. */
static ALWAYS_INLINE relation_list *relation_list_of(const relation_store *store, shoal_entity target) {
    uint32_t slot = (uint32_t)target.bits;
    uint32_t page = slot >> RELATION_PAGE_BITS;
    if (UNLIKELY(page >= store->page_count)) {
        return NULL;
    }
    relation_list *list = store->pages[page][slot & (RELATION_PAGE_SLOTS - 1)];
    return list != NULL && LIKELY(list->target.bits == target.bits) ? list : NULL;
}

/* The sources of a target, at least one; NULL when it has none. Good until a link of the store changes. */
static ALWAYS_INLINE const relation_list *relation_sources(const relation_store *store, shoal_entity target) {
    const relation_list *list = relation_list_of(store, target);
    return list != NULL && LIKELY(list->count != 0) ? list : NULL;
}

/* ---- reserving: OUT_OF_MEMORY, MEMORY_LIMIT; nothing that can be seen changes ---- */

/* Links that are reserved for a list and have not come. */
static ALWAYS_INLINE uint32_t relation_list_reserved(const relation_store *store, const relation_list *list) {
    return list->reserved_round == store->round ? list->reserved : 0;
}

/* True when there is room for `needed` further links: their numbers, not their lists and pages. */
static ALWAYS_INLINE bool relation_links_ready(const relation_store *store, uint64_t needed) {
    uint64_t used = store->is_exclusive ? store->forward.count : store->link_count;
    return needed + store->forward.count <= store->forward.capacity &&
           needed + used <= (uint64_t)store->link_block_count << store->link_shift &&
           (store->is_exclusive || store->head_capacity >= store->forward.capacity);
}

/* One link of `source` to `target`. Budget: with adding it at most 15 ns, in warm memory. */
shoal_status relation_reserve_slow(relation_store *store, shoal_entity source, shoal_entity target);
static ALWAYS_INLINE shoal_status relation_reserve(relation_store *store, shoal_entity source, shoal_entity target) {
    uint32_t page = (uint32_t)source.bits >> SPARSE_PAGE_BITS;
    relation_list *list = relation_list_of(store, target);
    if (LIKELY(list != NULL) && LIKELY(page < store->forward.page_count) &&
        LIKELY(store->forward.pages[page] != sparse_empty_page) &&
        LIKELY(relation_links_ready(store, store->pending + 1))) {
        uint32_t reserved = relation_list_reserved(store, list) + 1;
        if (LIKELY(list->blocks == NULL) && LIKELY((uint64_t)list->count + reserved <= list->capacity)) {
            list->reserved = reserved;
            list->reserved_round = store->round;
            store->pending++;
            return SHOAL_OK;
        }
    }
    return relation_reserve_slow(store, source, target);
}

/* `count` links to `target`. Their sources need relation_reserve_source(), or must be counted as loose. */
shoal_status relation_reserve_target(relation_store *store, shoal_entity target, uint32_t count);

/* The place of a source, for links that were reserved by their target or as loose. */
shoal_status relation_reserve_source(relation_store *store, shoal_entity source);

/* Links with unknown ends. An unknown target has no sources yet. */
shoal_status relation_reserve_loose(relation_store *store, const relation_loose *loose);

/* Forgets all reservations and gives back most of what was kept for them. For after a batch, whether all of its links
   came or not; one link that came as reserved needs none. Costs nothing when there is nothing to forget. */
void relation_settle(relation_store *store);

/* ---- changing ---- */

/*
 * Links `source` to `target`; reserved, and checked by relation_check(). The data is taken over: `data` is raw memory
 * afterwards. NULL leaves the data of a link that is there as it is, and gives a new one the default, which must need
 * no hook then (component_default_can_fail()). The link of an exclusive relation leaves its old target, which ends its
 * old data, and comes last at the new one.
 */
relation_link *relation_add(relation_store *store, shoal_entity source, shoal_entity target, void *data);

/* The depth of an entity; 0 when it is no source. */
static ALWAYS_INLINE uint32_t relation_depth(const relation_store *store, shoal_entity entity) {
    uint32_t number = sparse_number(&store->forward, entity);
    return number != UINT32_MAX ? relation_link_first(store, number)->depth : 0;
}

/* Where the link of a new source to `target` can go without any look-up of what there may be: the list of the target,
   when the relation is exclusive and has no data, the list and all else has room, and nothing is reserved; NULL
   otherwise. */
static ALWAYS_INLINE relation_list *relation_quick_list(const relation_store *store, shoal_entity source,
                                                        shoal_entity target) {
    relation_list *list = relation_list_of(store, target);
    bool fits = LIKELY(list != NULL) && LIKELY(list->count != 0) && LIKELY(list->count < list->capacity) &&
                LIKELY(list->blocks == NULL) && LIKELY(list->next_order < UINT64_MAX / 2) &&
                LIKELY(store->pending == 0) && LIKELY(store->is_exclusive) &&
                LIKELY(sparse_ready(&store->forward, source)) &&
                LIKELY(store->forward.count < (uint64_t)store->link_block_count << store->link_shift);
    return fits ? list : NULL;
}

/* Links a source that has no links and no sources of its own, by that list. About 35 instructions. */
static ALWAYS_INLINE void relation_quick_add(relation_store *store, relation_list *list, shoal_entity source,
                                             shoal_entity target) {
    uint32_t count = list->count;
    uint64_t order = list->next_order;
    list->entities[count] = source;
    ((uint64_t *)(void *)(list->entities + list->capacity))[count] = order;
    list->count = count + 1;
    list->next_order = order + (UINT64_C(1) << 32);
    *relation_link_at(store, store->forward.count) = (relation_link){
        .target = target, .order = order, .depth = store->is_acyclic ? relation_depth(store, target) + 1 : 0};
    (void)sparse_push(&store->forward, source);
    store->link_count++;
    store->version++;
}

/* Takes one link away and ends its data; false when it was not there. */
bool relation_remove(relation_store *store, shoal_entity source, shoal_entity target);

/* Takes all links of a source away; gives their number. */
uint32_t relation_remove_source(relation_store *store, shoal_entity source);

/* Takes all links to a target away; gives their number. */
uint32_t relation_remove_target(relation_store *store, shoal_entity target);

/* Puts `source` before `before` in the list that both are in, or last when it is null; the relation is exclusive.
   RELATION_MISSING when they are not in one list; OUT_OF_MEMORY, MEMORY_LIMIT. */
shoal_status relation_order_before(relation_store *store, shoal_entity source, shoal_entity before);

/* ---- acyclic relations ---- */

/*
 * RELATION_CYCLE when a link of `source` to `target` would lead back to `source`; `*cycle_at` is then the source of
 * `source` through which it does, or `source` itself. Always OK for a relation that is not acyclic.
 */
shoal_status relation_check(const relation_store *store, shoal_entity source, shoal_entity target,
                            shoal_entity *cycle_at);

/*
 * Goes from `*entity`, which is `root` or below it, to the next entity below `root`, parents before their sources;
 * false at the end. To take a large tree apart, go by relation_tree_last() and relation_tree_previous(): then no depth
 * below changes.
 */
bool relation_tree_next(const relation_store *store, shoal_entity root, shoal_entity *entity);

/* The same backwards: the last entity below `root`, or `root` itself; and from each the one before, false when that is
   `root`. */
shoal_entity relation_tree_last(const relation_store *store, shoal_entity root);
bool relation_tree_previous(const relation_store *store, shoal_entity root, shoal_entity *entity);

/* ---- upkeep ---- */

/* Gives memory back that is not needed for what is there; links may move. Forgets reservations. */
void relation_trim(relation_store *store);

/* Checks every invariant, depths from scratch; false with a reason. Allocates nothing. */
bool relation_validate(const relation_store *store, char *reason, size_t reason_size);

#endif
