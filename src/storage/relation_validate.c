/*
 * The invariants of a relation store, checked without an allocation.
 *
 * Each link is looked for in the list of its target, and there are as many entries in lists as links; since an entry
 * names its source, no two links can stand for one, so both ends agree. A depth that is one more than the target's
 * everywhere is right everywhere, and could not be where links went in a circle. Thread rule: read.
 */
#include "relation_parts.h"

#include <stdio.h>

typedef struct relation_check_up {
    const relation_store *store;
    char *reason;
    size_t reason_size;
} relation_check_up;

#define REFUSE(check_, ...) ((void)snprintf((check_)->reason, (check_)->reason_size, __VA_ARGS__), false)

static bool link_is_sound(const relation_check_up *check, shoal_entity source, const relation_link *link) {
    const relation_store *store = check->store;
    const relation_list *list = relation_sources(store, link->target);
    unsigned slot = shoal_entity_index(source);
    if (list == NULL) {
        return REFUSE(check, "relation: the target of slot %u has no list", slot);
    }
    relation_place place = relation_list_place(list, link->order);
    shoal_entity *entities = list->blocks == NULL ? list->entities : list->blocks[place.block].entities;
    if (entities[place.index].bits != source.bits ||
        relation_orders(entities, list->capacity)[place.index] != link->order) {
        return REFUSE(check, "relation: slot %u is not in the list of its target", slot);
    }
    uint32_t depth = store->is_acyclic ? relation_depth(store, link->target) + 1 : 0;
    return link->depth == depth ||
           REFUSE(check, "relation: slot %u has depth %u instead of %u", slot, link->depth, depth);
}

static bool source_is_sound(const relation_check_up *check, uint32_t number, uint64_t *link_count) {
    const relation_store *store = check->store;
    const relation_link *last = NULL;
    for (relation_link *link = relation_link_first(store, number); link != NULL;) {
        if (!link_is_sound(check, store->forward.entities[number], link)) {
            return false;
        }
        if (++*link_count > store->link_count) {
            return REFUSE(check, "relation: more links than the %llu counted", (unsigned long long)store->link_count);
        }
        last = link;
        link = relation_link_next(store, link);
    }
    return store->is_exclusive || relation_link_at(store, store->heads[number].last - 1) == last ||
           REFUSE(check, "relation: slot %u has a wrong last link",
                  shoal_entity_index(store->forward.entities[number]));
}

static bool links_are_sound(const relation_check_up *check) {
    const relation_store *store = check->store;
    uint64_t link_count = 0;
    for (uint32_t number = 0; number < store->forward.count; number++) {
        if (!source_is_sound(check, number, &link_count)) {
            return false;
        }
    }
    if (link_count != store->link_count) {
        return REFUSE(check, "relation: %llu links, but %llu are counted", (unsigned long long)link_count,
                      (unsigned long long)store->link_count);
    }
    uint64_t unused = 0;
    for (uint32_t free = store->link_free; free != 0 && unused <= store->link_end; unused++) {
        free = relation_link_at(store, free - 1)->next;
    }
    return store->is_exclusive || link_count + unused == store->link_end ||
           REFUSE(check, "relation: %llu free links beside %llu of %u", (unsigned long long)unused,
                  (unsigned long long)link_count, store->link_end);
}

static bool page_is_sound(const relation_check_up *check, uint32_t page, uint64_t *lists, uint64_t *sources) {
    for (uint32_t i = 0; i < RELATION_PAGE_SLOTS; i++) {
        const relation_list *list = check->store->pages[page][i];
        if (list == NULL) {
            continue;
        }
        const char *fault = relation_list_fault(list);
        if (fault == NULL && shoal_entity_index(list->target) != page * RELATION_PAGE_SLOTS + i) {
            fault = "is in the place of another";
        }
        if (fault == NULL && list->count == 0 && check->store->empty_lists == NULL) {
            fault = "is empty and nothing is reserved for it";
        }
        if (fault != NULL) {
            return REFUSE(check, "relation: the list of slot %u %s", page * RELATION_PAGE_SLOTS + i, fault);
        }
        ++*lists;
        *sources += list->count;
    }
    return true;
}

static bool lists_are_sound(const relation_check_up *check) {
    const relation_store *store = check->store;
    uint64_t lists = 0;
    uint64_t sources = 0;
    for (uint32_t page = 0; page < store->page_count; page++) {
        if (store->pages[page] != relation_empty_page && !page_is_sound(check, page, &lists, &sources)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < RELATION_PAGE_SLOTS; i++) {
        if (relation_empty_page[i] != NULL) {
            return REFUSE(check, "relation: the empty page was written");
        }
    }
    if (lists != store->list_count || sources != store->link_count) {
        return REFUSE(check, "relation: %llu lists with %llu sources, but %u with %llu are counted",
                      (unsigned long long)lists, (unsigned long long)sources, store->list_count,
                      (unsigned long long)store->link_count);
    }
    return true;
}

/* "kept": each list of the chain is empty and in its place, and they are the only empty ones. */
static bool empty_lists_are_sound(const relation_check_up *check) {
    const relation_store *store = check->store;
    uint32_t chained = 0;
    for (const relation_list *list = store->empty_lists; list != NULL; list = list->next_empty) {
        bool is_placed = relation_list_of(store, list->target) == list;
        if (list->count != 0 || !is_placed || ++chained > store->list_count) {
            return REFUSE(check, "relation: the chain of empty lists has one that does not belong there");
        }
    }
    uint32_t found = 0;
    for (uint32_t page = 0; page < store->page_count; page++) {
        for (uint32_t i = 0; store->pages[page] != relation_empty_page && i < RELATION_PAGE_SLOTS; i++) {
            const relation_list *list = store->pages[page][i];
            found += list != NULL && list->count == 0;
        }
    }
    return found == chained || REFUSE(check, "relation: %u lists are empty, %u of them chained", found, chained);
}

bool relation_validate(const relation_store *store, char *reason, size_t reason_size) {
    const relation_check_up check = {.store = store, .reason = reason, .reason_size = reason_size};
    return sparse_validate(&store->forward, reason, reason_size) && lists_are_sound(&check) &&
           links_are_sound(&check) && empty_lists_are_sound(&check);
}
