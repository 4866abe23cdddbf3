/*
 * Acyclic relations: cycles, depths, walks over a tree.
 *
 * A walk keeps nothing but the entity where it is: down by the first source, onward by the place that the order key of
 * the entity's link has in the list of its target, up by the target. So it needs neither recursion nor memory, at the
 * price of one binary search a step. Thread rule: shifting depths is "world", all else "read".
 */
#include "relation_parts.h"

/* ---- walks ---- */

static shoal_entity list_first(const relation_list *list) {
    return list->blocks == NULL ? list->entities[0] : list->blocks[0].entities[0];
}

/* The source behind a place, or null. */
static shoal_entity list_after(const relation_list *list, relation_place place) {
    uint32_t count = list->blocks == NULL ? list->count : list->blocks[place.block].count;
    if (place.index + 1 < count) {
        return relation_list_at(list, (relation_place){place.block, place.index + 1});
    }
    if (list->blocks != NULL && place.block + 1 < list->block_count) {
        return list->blocks[place.block + 1].entities[0];
    }
    return (shoal_entity){0};
}

/* The source in front of a place, or null. */
static shoal_entity list_before(const relation_list *list, relation_place place) {
    if (place.index != 0) {
        return relation_list_at(list, (relation_place){place.block, place.index - 1});
    }
    if (list->blocks != NULL && place.block != 0) {
        const relation_block *block = &list->blocks[place.block - 1];
        return block->entities[block->count - 1];
    }
    return (shoal_entity){0};
}

/* Goes to the next entity below `root` that is not below `*entity`. */
static bool tree_skip(const relation_store *store, shoal_entity root, shoal_entity *entity) {
    for (shoal_entity at = *entity; at.bits != root.bits;) {
        const relation_link *link = relation_find(store, at, (shoal_entity){0});
        if (link == NULL) {
            return false; /* not below the root */
        }
        const relation_list *list = relation_sources(store, link->target);
        shoal_entity next = list_after(list, relation_list_place(list, link->order));
        if (next.bits != 0) {
            *entity = next;
            return true;
        }
        at = link->target;
    }
    return false;
}

bool relation_tree_next(const relation_store *store, shoal_entity root, shoal_entity *entity) {
    const relation_list *below = relation_sources(store, *entity);
    if (below != NULL) {
        *entity = list_first(below);
        return true;
    }
    return tree_skip(store, root, entity);
}

shoal_entity relation_tree_last(const relation_store *store, shoal_entity root) {
    shoal_entity last = root;
    for (const relation_list *list = relation_sources(store, root); list != NULL;) {
        last = relation_list_last(list);
        list = relation_sources(store, last);
    }
    return last;
}

bool relation_tree_previous(const relation_store *store, shoal_entity root, shoal_entity *entity) {
    const relation_link *link = entity->bits != root.bits ? relation_find(store, *entity, (shoal_entity){0}) : NULL;
    if (link == NULL) {
        return false;
    }
    const relation_list *list = relation_sources(store, link->target);
    shoal_entity before = list_before(list, relation_list_place(list, link->order));
    *entity = before.bits != 0 ? relation_tree_last(store, before) : link->target;
    return entity->bits != root.bits;
}

/* ---- depths and cycles ---- */

/* Nothing is left to do on the way back up a chain of only sources, so the walk goes on from where that began. */
void relation_shift_depths(relation_store *store, shoal_entity root, uint32_t difference) {
    shoal_entity at = root;
    shoal_entity chain = root;
    while (difference != 0) {
        const relation_list *below = relation_sources(store, at);
        if (below != NULL) {
            at = list_first(below);
            chain = below->count == 1 ? chain : at;
        } else {
            if (!tree_skip(store, root, &chain)) {
                return;
            }
            at = chain;
        }
        relation_find(store, at, (shoal_entity){0})->depth += difference;
    }
}

/* Depths rise by one on the way down, so `source` can only be that many steps above `target`. */
shoal_status relation_check(const relation_store *store, shoal_entity source, shoal_entity target,
                            shoal_entity *cycle_at) {
    if (!store->is_acyclic) {
        return SHOAL_OK;
    }
    *cycle_at = source;
    if (source.bits == target.bits) {
        return SHOAL_RELATION_CYCLE;
    }
    if (relation_sources(store, source) == NULL) {
        return SHOAL_OK;
    }
    uint32_t source_depth = relation_depth(store, source);
    shoal_entity at = target;
    for (uint32_t depth = relation_depth(store, target); depth > source_depth; depth--) {
        *cycle_at = at;
        at = relation_target(store, at);
    }
    return at.bits == source.bits ? SHOAL_RELATION_CYCLE : SHOAL_OK;
}
