/*
 * The links of a relation store; see relation.h.
 *
 * Links live in blocks that never move. In an exclusive relation the link of dense number n is number n, so removing
 * fills the hole with the last link, as `forward` does with the number. Otherwise links are taken from a chain of free
 * ones, and a source has a chain of its own, which keeps the order in which its targets came.
 *
 * A link is added in this order: list, link, forward; and goes in the opposite one, so that at no point a list has a
 * source that `forward` does not know. Thread rule: world.
 */
#include "relation_parts.h"

#include <string.h>

#define PURPOSE SHOAL_PURPOSE_RELATION
#define LINK_BLOCK_BYTES 8192u /* of as many links as fit, at least one */
#define DIRECTORY_ALIGNMENT 16
#define FAR_SOURCES 64 /* a list so long is not searched for a source */

static const shoal_entity any_target;

/* ---- memory of links ---- */

static size_t link_alignment(const relation_store *store) {
    size_t alignment = store->type->def.size != 0 ? store->type->def.alignment : 1;
    return alignment > _Alignof(relation_link) ? alignment : _Alignof(relation_link);
}

static size_t link_block_bytes(const relation_store *store) {
    return (size_t)store->link_bytes << store->link_shift;
}

static uint64_t links_used(const relation_store *store) {
    return store->is_exclusive ? store->forward.count : store->link_count;
}

/* Room for `needed` pointers to link blocks. */
static shoal_status link_directory_grow(relation_store *store, uint32_t needed) {
    memory_array array = {store->link_blocks, store->link_block_capacity};
    shoal_status status = memory_array_reserve(store->memory, PURPOSE, &array, needed, sizeof(char *));
    store->link_blocks = array.items;
    store->link_block_capacity = (uint32_t)array.capacity;
    return status;
}

static shoal_status link_block_add(relation_store *store) {
    shoal_status status = link_directory_grow(store, store->link_block_count + 1);
    if (status != SHOAL_OK) {
        return status;
    }
    char *block = memory_allocate(store->memory, PURPOSE, link_block_bytes(store), link_alignment(store));
    if (block == NULL) {
        return memory_failure(store->memory);
    }
    store->link_blocks[store->link_block_count++] = block;
    return SHOAL_OK;
}

/* As many heads as `forward` has numbers. */
static shoal_status heads_grow(relation_store *store) {
    uint32_t capacity = store->forward.capacity;
    if (store->is_exclusive || capacity <= store->head_capacity) {
        return SHOAL_OK;
    }
    relation_head *heads = memory_allocate(store->memory, PURPOSE, capacity * sizeof *heads, DIRECTORY_ALIGNMENT);
    if (heads == NULL) {
        return memory_failure(store->memory);
    }
    if (store->heads != NULL) {
        memcpy(heads, store->heads, store->head_capacity * sizeof *heads);
        memory_release(store->memory, PURPOSE, store->heads, store->head_capacity * sizeof *heads, DIRECTORY_ALIGNMENT);
    }
    store->heads = heads;
    store->head_capacity = capacity;
    return SHOAL_OK;
}

static COLD shoal_status links_grow(relation_store *store, uint64_t needed) {
    if (needed + links_used(store) >= UINT32_MAX) { /* numbers are kept with one added */
        return memory_fail(store->memory, SHOAL_OUT_OF_MEMORY);
    }
    shoal_status status = sparse_reserve(&store->forward, (uint32_t)needed);
    status = status != SHOAL_OK ? status : heads_grow(store);
    uint64_t wanted = needed + links_used(store);
    while (status == SHOAL_OK && ((uint64_t)store->link_block_count << store->link_shift) < wanted) {
        status = link_block_add(store);
    }
    return status;
}

shoal_status relation_reserve_links(relation_store *store, uint32_t more) {
    uint64_t needed = store->pending + more;
    if (LIKELY(relation_links_ready(store, needed))) {
        return SHOAL_OK;
    }
    return links_grow(store, needed);
}

/* ---- reserving ---- */

static shoal_status list_reserve(relation_store *store, shoal_entity target, uint32_t count) {
    relation_list *list = relation_list_of(store, target);
    if (UNLIKELY(list == NULL)) {
        list = relation_list_open(store, target);
        if (list == NULL) {
            return memory_failure(store->memory);
        }
    }
    shoal_status status = relation_list_reserve(store, list, count);
    if (UNLIKELY(status != SHOAL_OK) && list->count == 0 && relation_list_reserved(store, list) == 0) {
        relation_list_wake(store, list);
        relation_list_close(store, list);
    }
    return status;
}

shoal_status relation_reserve_target(relation_store *store, shoal_entity target, uint32_t count) {
    shoal_status status = count != 0 ? relation_reserve_links(store, count) : SHOAL_OK;
    if (LIKELY(status == SHOAL_OK) && count != 0) {
        status = list_reserve(store, target, count);
        store->pending += status == SHOAL_OK ? count : 0;
    }
    return status;
}

shoal_status relation_reserve_source(relation_store *store, shoal_entity source) {
    return sparse_reserve_page(&store->forward, (uint32_t)source.bits);
}

shoal_status relation_reserve_slow(relation_store *store, shoal_entity source, shoal_entity target) {
    shoal_status status = sparse_reserve_page(&store->forward, (uint32_t)source.bits);
    return LIKELY(status == SHOAL_OK) ? relation_reserve_target(store, target, 1) : status;
}

/* A reserved link has come. */
static ALWAYS_INLINE void reservation_use(relation_store *store, relation_list *list) {
    store->pending -= store->pending != 0;
    if (list->reserved_round == store->round && list->reserved != 0) {
        list->reserved--;
    }
}

/* ---- data ---- */

static void data_put(const relation_store *store, relation_link *link, void *data) {
    const component_type *type = store->type;
    void *place = relation_link_data(store, link);
    if (place == NULL) {
        return;
    }
    if (data != NULL) {
        component_relocate(type, place, data, 1);
    } else if (type->def.default_value != NULL) {
        memcpy(place, type->def.default_value, type->def.size);
    } else {
        memset(place, 0, type->def.size);
    }
}

static ALWAYS_INLINE void data_end(const relation_store *store, relation_link *link) {
    if (store->type->def.dtor != NULL) {
        component_end(store->memory, store->type, relation_link_data(store, link), 1);
    }
}

static void link_move(const relation_store *store, relation_link *to, relation_link *from) {
    *to = *from;
    if (store->type->def.size != 0) {
        component_relocate(store->type, relation_link_data(store, to), relation_link_data(store, from), 1);
    }
}

/* ---- finding ---- */

/* True when a short list of sources has no such one. */
static bool list_lacks(const relation_list *list, shoal_entity source) {
    const shoal_entity *entities;
    size_t count;
    if (list == NULL) {
        return true;
    }
    if (list->count > FAR_SOURCES) {
        return false;
    }
    for (size_t run = 0; relation_list_run(list, run, &entities, &count); run++) {
        for (size_t i = 0; i < count; i++) {
            if (entities[i].bits == source.bits) {
                return false;
            }
        }
    }
    return true;
}

relation_link *relation_find_far(const relation_store *store, shoal_entity source, relation_link *link,
                                 shoal_entity target) {
    if (link == NULL || list_lacks(relation_sources(store, target), source)) {
        return NULL;
    }
    while (link != NULL && link->target.bits != target.bits) {
        link = relation_link_next(store, link);
    }
    return link;
}

/* ---- adding ---- */

static ALWAYS_INLINE relation_list *list_for_add(relation_store *store, shoal_entity target) {
    relation_list *list = relation_list_of(store, target);
    if (UNLIKELY(list == NULL)) {
        list = relation_list_take(store, target);
    }
    if (UNLIKELY(list->count == 0)) {
        relation_list_wake(store, list);
    }
    reservation_use(store, list);
    return list;
}

/* Puts `source` last at `target`, and the link to it in shape. */
static ALWAYS_INLINE void link_attach(relation_store *store, relation_link *link, shoal_entity source,
                                      shoal_entity target) {
    link->target = target;
    link->order = relation_list_append(store, list_for_add(store, target), source);
    link->depth = store->is_acyclic ? relation_depth(store, target) + 1 : 0;
}

static ALWAYS_INLINE void link_detach(relation_store *store, const relation_link *link) {
    relation_list *list = relation_list_of(store, link->target);
    relation_list_erase(store, list, link->order);
    if (UNLIKELY(list->count == 0)) {
        relation_list_close(store, list);
    }
}

/* Depths below a source whose own depth was `before`. */
static ALWAYS_INLINE void depths_follow(relation_store *store, shoal_entity source, uint32_t before, uint32_t after) {
    if (store->is_acyclic && UNLIKELY(relation_sources(store, source) != NULL)) {
        relation_shift_depths(store, source, after - before);
    }
}

static relation_link *link_replace_data(relation_store *store, relation_link *link, void *data) {
    reservation_use(store, relation_list_of(store, link->target));
    if (data != NULL && store->type->def.size != 0) {
        data_end(store, link);
        data_put(store, link, data);
        store->version++;
    }
    return link;
}

static relation_link *link_retarget(relation_store *store, shoal_entity source, relation_link *link,
                                    shoal_entity target, void *data) {
    uint32_t before = link->depth;
    link_detach(store, link);
    link_attach(store, link, source, target);
    data_end(store, link);
    data_put(store, link, data);
    depths_follow(store, source, before, link->depth);
    store->version++;
    return link;
}

/* The number of a link that is free. */
static uint32_t link_number_take(relation_store *store) {
    if (store->link_free == 0) {
        return store->link_end++;
    }
    uint32_t number = store->link_free - 1;
    store->link_free = relation_link_at(store, number)->next;
    return number;
}

/* A further link of a source that has some, or the first one (`number` is UINT32_MAX). */
static relation_link *link_add_chained(relation_store *store, shoal_entity source, uint32_t number,
                                       shoal_entity target) {
    uint32_t taken = link_number_take(store);
    relation_link *link = relation_link_at(store, taken);
    link->next = 0;
    link_attach(store, link, source, target);
    if (number == UINT32_MAX) {
        number = sparse_push(&store->forward, source);
        store->heads[number].first = taken + 1;
    } else {
        relation_link_at(store, store->heads[number].last - 1)->next = taken + 1;
    }
    store->heads[number].last = taken + 1;
    return link;
}

static ALWAYS_INLINE relation_link *link_add_only(relation_store *store, shoal_entity source, shoal_entity target) {
    relation_link *link = relation_link_at(store, store->forward.count);
    link->next = 0;
    link_attach(store, link, source, target);
    (void)sparse_push(&store->forward, source);
    depths_follow(store, source, 0, link->depth);
    return link;
}

relation_link *relation_add(relation_store *store, shoal_entity source, shoal_entity target, void *data) {
    uint32_t number = sparse_number(&store->forward, source);
    if (UNLIKELY(number != UINT32_MAX)) {
        relation_link *found = relation_find(store, source, target);
        if (found != NULL) {
            return link_replace_data(store, found, data);
        }
        if (store->is_exclusive) {
            return link_retarget(store, source, relation_link_at(store, number), target, data);
        }
    } else if (UNLIKELY(!sparse_ready(&store->forward, source))) {
        relation_source_page_take(store, source);
    }
    relation_link *link = LIKELY(store->is_exclusive) ? link_add_only(store, source, target)
                                                      : link_add_chained(store, source, number, target);
    data_put(store, link, data);
    store->link_count++;
    store->version++;
    return link;
}

/* ---- removing ---- */

static void remove_only(relation_store *store, shoal_entity source, uint32_t number) {
    relation_link *link = relation_link_at(store, number);
    uint32_t last = store->forward.count - 1;
    link_detach(store, link);
    depths_follow(store, source, link->depth, 0);
    data_end(store, link);
    if (number != last) {
        link_move(store, link, relation_link_at(store, last));
    }
    sparse_remove_raw(&store->forward, number);
}

/* Takes the link behind `before` (1 + number; 0: the first) out of the chain of a source. */
static void remove_chained(relation_store *store, uint32_t number, uint32_t before) {
    relation_head *head = &store->heads[number];
    uint32_t *at = before != 0 ? &relation_link_at(store, before - 1)->next : &head->first;
    uint32_t taken = *at;
    relation_link *link = relation_link_at(store, taken - 1);
    link_detach(store, link);
    data_end(store, link);
    *at = link->next;
    head->last = head->last == taken ? before : head->last;
    link->next = store->link_free;
    store->link_free = taken;
    if (head->first == 0) {
        *head = store->heads[store->forward.count - 1];
        sparse_remove_raw(&store->forward, number);
    }
}

static bool remove_chained_to(relation_store *store, uint32_t number, shoal_entity target) {
    uint32_t before = 0;
    uint32_t at = store->heads[number].first;
    while (target.bits != 0 && at != 0 && relation_link_at(store, at - 1)->target.bits != target.bits) {
        before = at;
        at = relation_link_at(store, at - 1)->next;
    }
    if (at != 0) {
        remove_chained(store, number, before);
    }
    return at != 0;
}

static bool remove_only_to(relation_store *store, uint32_t number, shoal_entity target) {
    if (target.bits != 0 && relation_link_at(store, number)->target.bits != target.bits) {
        return false;
    }
    remove_only(store, store->forward.entities[number], number);
    return true;
}

bool relation_remove(relation_store *store, shoal_entity source, shoal_entity target) {
    uint32_t number = sparse_number(&store->forward, source);
    if (number == UINT32_MAX) {
        return false;
    }
    bool removed =
        LIKELY(store->is_exclusive) ? remove_only_to(store, number, target) : remove_chained_to(store, number, target);
    store->link_count -= removed;
    store->version += removed;
    if (UNLIKELY(store->link_count == 0)) {
        store->link_end = store->link_free = 0; /* the next links come in the order of memory again */
    }
    return removed;
}

uint32_t relation_remove_source(relation_store *store, shoal_entity source) {
    uint32_t removed = 0;
    while (relation_remove(store, source, any_target)) {
        removed++;
    }
    return removed;
}

/* From the last one, since that moves no other. */
uint32_t relation_remove_target(relation_store *store, shoal_entity target) {
    const relation_list *list = relation_sources(store, target);
    uint32_t removed = list != NULL ? list->count : 0;
    for (uint32_t left = removed; left != 0; left--) {
        (void)relation_remove(store, relation_list_last(list), target);
    }
    return removed;
}

/* ---- order ---- */

shoal_status relation_order_before(relation_store *store, shoal_entity source, shoal_entity before) {
    SHOAL_ASSERT(store->is_exclusive);
    relation_link *link = relation_find(store, source, any_target);
    const relation_link *other = before.bits != 0 ? relation_find(store, before, any_target) : link;
    if (link == NULL || other == NULL || link->target.bits != other->target.bits) {
        return SHOAL_RELATION_MISSING;
    }
    if (source.bits == before.bits) {
        return SHOAL_OK;
    }
    relation_list *list = relation_list_of(store, link->target);
    shoal_status status = relation_list_reserve_split(store, list);
    if (status != SHOAL_OK) {
        return status;
    }
    relation_list_erase(store, list, link->order);
    link->order = before.bits != 0 ? relation_list_insert(store, list, source, before)
                                   : relation_list_append(store, list, source);
    store->version++;
    return SHOAL_OK;
}

/* ---- begin and end ---- */

void relation_init(relation_store *store, shoal_memory *memory, const component_type *type) {
    *store = (relation_store){.is_exclusive = type->def.exclusive || type->def.acyclic,
                              .is_acyclic = type->def.acyclic,
                              .type = type,
                              .memory = memory};
    size_t alignment = link_alignment(store);
    size_t offset = type->def.size != 0 ? align_up(sizeof(relation_link), type->def.alignment) : sizeof(relation_link);
    store->data_offset = (uint32_t)offset;
    store->link_bytes = (uint32_t)align_up(offset + type->def.size, alignment);
    while (((size_t)store->link_bytes << (store->link_shift + 1)) <= LINK_BLOCK_BYTES) {
        store->link_shift++;
    }
    sparse_init(&store->forward, memory, PURPOSE, type, (sparse_values){0});
    sparse_init(&store->spares.forward, memory, PURPOSE, type, (sparse_values){0});
}

static void end_all_data(relation_store *store) {
    for (uint32_t number = 0; store->type->def.dtor != NULL && number < store->forward.count; number++) {
        for (relation_link *link = relation_link_first(store, number); link != NULL;) {
            data_end(store, link);
            link = relation_link_next(store, link);
        }
    }
}

void relation_deinit(relation_store *store) {
    end_all_data(store);
    sparse_deinit(&store->forward);
    relation_lists_release(store);
    relation_spares_release(store);
    while (store->link_block_count != 0) {
        memory_release(store->memory, PURPOSE, store->link_blocks[--store->link_block_count], link_block_bytes(store),
                       link_alignment(store));
    }
    memory_array array = {store->link_blocks, store->link_block_capacity};
    memory_array_release(store->memory, PURPOSE, &array, sizeof(char *));
    memory_release(store->memory, PURPOSE, store->heads, store->head_capacity * sizeof *store->heads,
                   DIRECTORY_ALIGNMENT);
    relation_init(store, store->memory, store->type);
}

/* ---- trimming ---- */

/* A free link below `end`; there is one. */
static uint32_t link_number_below(relation_store *store, uint32_t end) {
    uint32_t number = link_number_take(store);
    while (number >= end) {
        number = link_number_take(store);
    }
    return number;
}

/* Moves every link of a source that is numbered from `end` on to a free one below. */
static void chain_lower(relation_store *store, uint32_t source_number, uint32_t end) {
    uint32_t *at = &store->heads[source_number].first;
    uint32_t last = 0;
    while (*at != 0) {
        relation_link *link = relation_link_at(store, *at - 1);
        if (*at > end) {
            uint32_t number = link_number_below(store, end);
            relation_link *moved = relation_link_at(store, number);
            link_move(store, moved, link);
            *at = number + 1;
            link = moved;
        }
        last = *at;
        at = &link->next;
    }
    store->heads[source_number].last = last;
}

static void links_lower(relation_store *store) {
    uint32_t end = (uint32_t)store->link_count;
    for (uint32_t number = 0; number < store->forward.count; number++) {
        chain_lower(store, number, end);
    }
    store->link_end = end;
    store->link_free = 0;
}

static void heads_trim(relation_store *store) {
    if (store->head_capacity <= store->forward.capacity) {
        return;
    }
    size_t bytes = store->forward.capacity * sizeof *store->heads;
    relation_head *heads = bytes != 0 ? memory_allocate(store->memory, PURPOSE, bytes, DIRECTORY_ALIGNMENT) : NULL;
    if (bytes != 0 && heads == NULL) {
        return;
    }
    if (heads != NULL) {
        memcpy(heads, store->heads, store->forward.count * sizeof *heads);
    }
    memory_release(store->memory, PURPOSE, store->heads, store->head_capacity * sizeof *heads, DIRECTORY_ALIGNMENT);
    store->heads = heads;
    store->head_capacity = store->forward.capacity;
}

void relation_trim(relation_store *store) {
    relation_spares_release(store);
    relation_lists_trim(store);
    if (!store->is_exclusive) {
        links_lower(store);
    }
    uint64_t used = links_used(store);
    while (store->link_block_count != 0 && ((uint64_t)(store->link_block_count - 1) << store->link_shift) >= used) {
        memory_release(store->memory, PURPOSE, store->link_blocks[--store->link_block_count], link_block_bytes(store),
                       link_alignment(store));
    }
    sparse_trim(&store->forward);
    heads_trim(store);
}
