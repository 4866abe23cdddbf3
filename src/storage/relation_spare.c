/*
 * What a relation store keeps for links to come: lists, their pieces, pages; and the lists that a reservation made.
 *
 * Links with unknown ends are reserved by number. n links to t new targets need at most min(n, t) lists, and of each
 * class of pieces min(n / k, t), where k is the size from which on a list needs one; so many are kept. It stays enough
 * whatever is linked and unlinked, since pieces that lists let go come back here as long as links are pending.
 *
 * Invariant "kept": an empty list is in the chain of empty lists, and links are reserved for it. Thread rule: world.
 */
#include "relation_parts.h"

#define PURPOSE SHOAL_PURPOSE_RELATION
#define PIECE_ALIGNMENT 16
#define PAGE_BYTES (RELATION_PAGE_SLOTS * sizeof(relation_list *))
#define LISTS_KEPT 64u /* after settling, so that a list that comes and goes costs nothing */
#define PAGES_KEPT 16u

relation_list *relation_empty_page[RELATION_PAGE_SLOTS];

/* ---- chains of free memory ---- */

static void chain_push(void **chain, void *memory) {
    *(void **)memory = *chain;
    *chain = memory;
}

static void *chain_pop(void **chain) {
    void *memory = *chain;
    *chain = *(void **)memory;
    return memory;
}

/* ---- pieces ---- */

static size_t piece_bytes(uint32_t class_index) {
    if (class_index < RELATION_BLOCK_CLASSES) {
        return ((size_t)8 << class_index) * (sizeof(shoal_entity) + sizeof(uint64_t));
    }
    return ((size_t)RELATION_DIRECTORY_FIRST << (class_index - RELATION_BLOCK_CLASSES)) * sizeof(relation_block);
}

/* How many sources a list has at least when it needs a piece of the class. */
static uint64_t piece_links(uint32_t class_index) {
    if (class_index < RELATION_BLOCK_CLASSES) {
        return (UINT64_C(4) << class_index) + 1;
    }
    uint64_t entries = (uint64_t)RELATION_DIRECTORY_FIRST << (class_index - RELATION_BLOCK_CLASSES);
    return class_index == RELATION_BLOCK_CLASSES ? RELATION_BLOCK_MAX + 1 : entries / 2 * RELATION_BLOCK_MAX + 1;
}

static uint32_t pieces_wanted(const relation_loose *loose, uint32_t class_index) {
    uint64_t most = loose->link_count / piece_links(class_index);
    uint64_t wanted = most < loose->target_count ? most : loose->target_count;
    return (uint32_t)wanted + (class_index == RELATION_CLASS_BLOCK_MAX ? loose->link_count / RELATION_BLOCK_MAX : 0);
}

void *relation_piece_allocate(relation_store *store, uint32_t class_index) {
    return memory_allocate(store->memory, PURPOSE, piece_bytes(class_index), PIECE_ALIGNMENT);
}

void *relation_piece_take(relation_store *store, uint32_t class_index) {
    SHOAL_ASSERT(store->spares.piece_counts[class_index] != 0);
    store->spares.piece_counts[class_index]--;
    return chain_pop(&store->spares.pieces[class_index]);
}

static void piece_keep(relation_store *store, uint32_t class_index, void *piece) {
    store->spares.is_used = true;
    chain_push(&store->spares.pieces[class_index], piece);
    store->spares.piece_counts[class_index]++;
}

void relation_piece_give(relation_store *store, uint32_t class_index, void *piece) {
    if (store->pending != 0) {
        piece_keep(store, class_index, piece);
    } else {
        memory_release(store->memory, PURPOSE, piece, piece_bytes(class_index), PIECE_ALIGNMENT);
    }
}

static void pieces_shrink(relation_store *store, uint32_t class_index) {
    while (store->spares.piece_counts[class_index] != 0) {
        void *piece = relation_piece_take(store, class_index);
        memory_release(store->memory, PURPOSE, piece, piece_bytes(class_index), PIECE_ALIGNMENT);
    }
}

/* ---- lists ---- */

static void list_init(relation_list *list, shoal_entity target) {
    *list = (relation_list){.target = target, .capacity = RELATION_LIST_FIRST, .next_order = RELATION_ORDER_STEP};
    list->entities = (shoal_entity *)(void *)list->first;
}

static relation_list *list_allocate(relation_store *store) {
    return memory_allocate(store->memory, PURPOSE, sizeof(relation_list), PIECE_ALIGNMENT);
}

static void list_keep(relation_store *store, relation_list *list) {
    list->next_empty = store->spares.lists;
    store->spares.lists = list;
    store->spares.list_count++;
}

static relation_list *list_unkeep(relation_store *store) {
    relation_list *list = store->spares.lists;
    SHOAL_ASSERT(list != NULL);
    store->spares.lists = list->next_empty;
    store->spares.list_count--;
    return list;
}

static void lists_shrink(relation_store *store, uint32_t kept) {
    while (store->spares.list_count > kept) {
        memory_release(store->memory, PURPOSE, list_unkeep(store), sizeof(relation_list), PIECE_ALIGNMENT);
    }
}

static relation_list **list_slot(const relation_store *store, shoal_entity target) {
    uint32_t slot = (uint32_t)target.bits;
    return &store->pages[slot >> RELATION_PAGE_BITS][slot & (RELATION_PAGE_SLOTS - 1)];
}

static void list_sleep(relation_store *store, relation_list *list) {
    list->previous_empty = NULL;
    list->next_empty = store->empty_lists;
    if (store->empty_lists != NULL) {
        store->empty_lists->previous_empty = list;
    }
    store->empty_lists = list;
}

void relation_list_wake(relation_store *store, relation_list *list) {
    if (list->previous_empty != NULL) {
        list->previous_empty->next_empty = list->next_empty;
    } else {
        store->empty_lists = list->next_empty;
    }
    if (list->next_empty != NULL) {
        list->next_empty->previous_empty = list->previous_empty;
    }
}

/* Puts a list into its place, empty as it is. */
static relation_list *list_place(relation_store *store, relation_list *list, shoal_entity target) {
    list_init(list, target);
    *list_slot(store, target) = list;
    store->list_count++;
    list_sleep(store, list);
    return list;
}

static void list_put_away(relation_store *store, relation_list *list) {
    *list_slot(store, list->target) = NULL;
    store->list_count--;
    relation_list_clear(store, list);
    list_keep(store, list);
    if (store->pending == 0) {
        lists_shrink(store, LISTS_KEPT);
    }
}

void relation_list_close(relation_store *store, relation_list *list) {
    if (relation_list_reserved(store, list) != 0) {
        list_sleep(store, list);
    } else {
        list_put_away(store, list);
    }
}

/* ---- pages ---- */

static shoal_status directory_grow(relation_store *store, uint32_t needed) {
    if (needed <= store->page_count) {
        return SHOAL_OK;
    }
    uint32_t count = (uint32_t)bit_ceil(needed);
    relation_list ***pages = memory_allocate(store->memory, PURPOSE, count * sizeof *pages, PIECE_ALIGNMENT);
    if (pages == NULL) {
        return memory_failure(store->memory);
    }
    for (uint32_t i = 0; i < count; i++) {
        pages[i] = i < store->page_count ? store->pages[i] : relation_empty_page;
    }
    memory_release(store->memory, PURPOSE, store->pages, store->page_count * sizeof *pages, PIECE_ALIGNMENT);
    store->pages = pages;
    store->page_count = count;
    return SHOAL_OK;
}

static COLD shoal_status page_make(relation_store *store, uint32_t page) {
    shoal_status status = directory_grow(store, page + 1);
    if (status == SHOAL_OK && store->pages[page] == relation_empty_page) {
        relation_list **lists = memory_allocate_zero(store->memory, PURPOSE, PAGE_BYTES, PIECE_ALIGNMENT);
        status = lists != NULL ? SHOAL_OK : memory_failure(store->memory);
        store->pages[page] = lists != NULL ? lists : relation_empty_page;
    }
    return status;
}

static void page_take(relation_store *store, uint32_t page) {
    SHOAL_ASSERT(store->spares.page_count != 0);
    void *lists = chain_pop(&store->spares.pages);
    memset(lists, 0, sizeof(void *)); /* the link of the chain */
    store->pages[page] = lists;
    store->spares.page_count--;
}

void relation_source_page_take(relation_store *store, shoal_entity source) {
    uint32_t page = (uint32_t)source.bits >> SPARSE_PAGE_BITS;
    if (store->forward.pages[page] == sparse_empty_page) {
        SHOAL_ASSERT(store->spares.forward_count != 0);
        uint32_t spare = --store->spares.forward_count;
        store->forward.pages[page] = store->spares.forward.pages[spare];
        store->spares.forward.pages[spare] = sparse_empty_page;
    }
}

static void pages_shrink(relation_store *store, uint32_t kept) {
    for (; store->spares.page_count > kept; store->spares.page_count--) {
        void *page = chain_pop(&store->spares.pages);
        memory_release(store->memory, PURPOSE, page, PAGE_BYTES, PIECE_ALIGNMENT);
    }
    if (store->spares.forward_count > kept || kept == 0) { /* without pages it still has the table of them */
        sparse_deinit(&store->spares.forward);
        sparse_init(&store->spares.forward, store->memory, PURPOSE, store->type, (sparse_values){0});
        store->spares.forward_count = 0;
    }
}

/* ---- the list of a target ---- */

/* The list in the target's slot. An empty one that was kept for an entity that has died becomes that of the target. */
static relation_list *list_inherit(relation_store *store, shoal_entity target) {
    relation_list *list = *list_slot(store, target);
    if (list != NULL && list->target.bits != target.bits) {
        SHOAL_ASSERT(list->count == 0);
        list->target = target;
        list->reserved = 0;
    }
    return list;
}

relation_list *relation_list_open(relation_store *store, shoal_entity target) {
    uint32_t page = (uint32_t)target.bits >> RELATION_PAGE_BITS;
    if ((page >= store->page_count || store->pages[page] == relation_empty_page) &&
        page_make(store, page) != SHOAL_OK) {
        return NULL;
    }
    relation_list *list = list_inherit(store, target);
    if (list != NULL) {
        return list;
    }
    bool is_free = store->spares.list_count > store->loose.target_count;
    list = is_free ? list_unkeep(store) : list_allocate(store);
    return list != NULL ? list_place(store, list, target) : NULL;
}

relation_list *relation_list_take(relation_store *store, shoal_entity target) {
    uint32_t page = (uint32_t)target.bits >> RELATION_PAGE_BITS;
    SHOAL_ASSERT(page < store->page_count);
    if (store->pages[page] == relation_empty_page) {
        page_take(store, page);
    }
    relation_list *list = list_inherit(store, target);
    return list != NULL ? list : list_place(store, list_unkeep(store), target);
}

/* ---- loose links ---- */

/* How many of the first `count` pages are not there, up to `most`. */
static uint32_t reverse_absent(const relation_store *store, uint32_t count, uint32_t most) {
    uint32_t absent = 0;
    for (uint32_t i = 0; i < count && absent < most; i++) {
        absent += store->pages[i] == relation_empty_page;
    }
    return absent;
}

static uint32_t forward_absent(const relation_store *store, uint32_t count, uint32_t most) {
    uint32_t absent = 0;
    for (uint32_t i = 0; i < count && absent < most; i++) {
        absent += store->forward.pages[i] == sparse_empty_page;
    }
    return absent;
}

static shoal_status reserve_reverse_pages(relation_store *store, const relation_loose *loose, uint32_t page_count) {
    uint32_t most = loose->link_count < loose->target_count ? loose->link_count : loose->target_count;
    shoal_status status = most != 0 ? directory_grow(store, page_count) : SHOAL_OK;
    uint32_t wanted = status == SHOAL_OK && most != 0 ? reverse_absent(store, page_count, most) : 0;
    while (status == SHOAL_OK && store->spares.page_count < wanted) {
        void *page = memory_allocate_zero(store->memory, PURPOSE, PAGE_BYTES, PIECE_ALIGNMENT);
        if (page == NULL) {
            return memory_failure(store->memory);
        }
        chain_push(&store->spares.pages, page);
        store->spares.page_count++;
    }
    return status;
}

/* The set itself makes the directory, so its last page comes with it. */
static shoal_status reserve_forward_pages(relation_store *store, const relation_loose *loose, uint32_t page_count) {
    if (loose->source_count == 0) {
        return SHOAL_OK;
    }
    shoal_status status = SHOAL_OK;
    if (page_count > store->forward.page_count) {
        status = sparse_reserve_page(&store->forward, (page_count - 1) << SPARSE_PAGE_BITS);
    }
    uint32_t wanted = status == SHOAL_OK ? forward_absent(store, page_count, loose->source_count) : 0;
    while (status == SHOAL_OK && store->spares.forward_count < wanted) {
        status = sparse_reserve_page(&store->spares.forward, store->spares.forward_count << SPARSE_PAGE_BITS);
        store->spares.forward_count += status == SHOAL_OK;
    }
    return status;
}

static shoal_status reserve_lists(relation_store *store, const relation_loose *loose) {
    uint32_t wanted = loose->link_count < loose->target_count ? loose->link_count : loose->target_count;
    while (store->spares.list_count < wanted) {
        relation_list *list = list_allocate(store);
        if (list == NULL) {
            return memory_failure(store->memory);
        }
        list_keep(store, list);
    }
    return SHOAL_OK;
}

static shoal_status reserve_pieces(relation_store *store, const relation_loose *loose) {
    for (uint32_t i = 0; i < RELATION_CLASSES; i++) {
        for (uint32_t wanted = pieces_wanted(loose, i); store->spares.piece_counts[i] < wanted;) {
            void *piece = relation_piece_allocate(store, i);
            if (piece == NULL) {
                return memory_failure(store->memory);
            }
            piece_keep(store, i, piece);
        }
    }
    return SHOAL_OK;
}

/* What is kept for this round with the new ones; counts end at the number of entities that there can be. */
static relation_loose loose_sum(const relation_loose *a, const relation_loose *b) {
    uint64_t links = (uint64_t)a->link_count + b->link_count;
    uint64_t targets = (uint64_t)a->target_count + b->target_count;
    uint64_t sources = (uint64_t)a->source_count + b->source_count;
    return (relation_loose){.link_count = links < UINT32_MAX ? (uint32_t)links : UINT32_MAX,
                            .target_count = targets < UINT32_MAX ? (uint32_t)targets : UINT32_MAX,
                            .source_count = sources < UINT32_MAX ? (uint32_t)sources : UINT32_MAX,
                            .slot_end = a->slot_end > b->slot_end ? a->slot_end : b->slot_end};
}

shoal_status relation_reserve_loose(relation_store *store, const relation_loose *loose) {
    relation_loose sum = loose_sum(&store->loose, loose);
    uint32_t page_count = (uint32_t)((sum.slot_end + RELATION_PAGE_SLOTS - 1) >> RELATION_PAGE_BITS);
    shoal_status status = relation_reserve_links(store, loose->link_count);
    status = status != SHOAL_OK ? status : reserve_lists(store, &sum);
    status = status != SHOAL_OK ? status : reserve_pieces(store, &sum);
    status = status != SHOAL_OK ? status : reserve_reverse_pages(store, &sum, page_count);
    status = status != SHOAL_OK ? status : reserve_forward_pages(store, &sum, page_count);
    store->spares.is_used = true;
    if (status == SHOAL_OK) {
        store->loose = sum;
        store->pending += loose->link_count;
    }
    return status;
}

/* ---- forgetting ---- */

void relation_settle(relation_store *store) {
    store->round++;
    if (store->pending == 0 && store->empty_lists == NULL && !store->spares.is_used) {
        return;
    }
    store->pending = 0;
    store->spares.is_used = false;
    store->loose = (relation_loose){0};
    while (store->empty_lists != NULL) {
        relation_list *list = store->empty_lists;
        store->empty_lists = list->next_empty;
        list_put_away(store, list);
    }
    lists_shrink(store, LISTS_KEPT);
    pages_shrink(store, PAGES_KEPT);
    for (uint32_t i = 0; i < RELATION_CLASSES; i++) {
        pieces_shrink(store, i);
    }
}

void relation_spares_release(relation_store *store) {
    relation_settle(store);
    lists_shrink(store, 0);
    pages_shrink(store, 0);
}

static void directory_release(relation_store *store) {
    memory_release(store->memory, PURPOSE, store->pages, store->page_count * sizeof *store->pages, PIECE_ALIGNMENT);
    store->pages = NULL;
    store->page_count = 0;
}

/* True when no list is left in the page; `keep` says whether they are trimmed or go. */
static bool page_clear(relation_store *store, relation_list **lists, bool keep) {
    bool is_empty = true;
    for (uint32_t i = 0; i < RELATION_PAGE_SLOTS; i++) {
        if (lists[i] != NULL && keep) {
            relation_list_trim(store, lists[i]);
            is_empty = false;
        } else if (lists[i] != NULL) {
            relation_list_clear(store, lists[i]);
            memory_release(store->memory, PURPOSE, lists[i], sizeof(relation_list), PIECE_ALIGNMENT);
        }
    }
    return is_empty;
}

static void pages_clear(relation_store *store, bool keep) {
    bool is_empty = true;
    for (uint32_t i = 0; i < store->page_count; i++) {
        relation_list **lists = store->pages[i];
        if (lists != relation_empty_page && page_clear(store, lists, keep)) {
            memory_release(store->memory, PURPOSE, lists, PAGE_BYTES, PIECE_ALIGNMENT);
            store->pages[i] = relation_empty_page;
        }
        is_empty = is_empty && store->pages[i] == relation_empty_page;
    }
    if (is_empty) {
        directory_release(store);
    }
}

void relation_lists_trim(relation_store *store) {
    pages_clear(store, true);
}

void relation_lists_release(relation_store *store) {
    store->pending = 0;
    store->empty_lists = NULL; /* those are in the pages, too */
    pages_clear(store, false);
}
