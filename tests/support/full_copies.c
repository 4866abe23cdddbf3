/*
 * Clones, copies of trees and prefabs in the reference world of all kinds; see full_world.h.
 */
#include "full_world.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static const shoal_entity no_entity;

/* One copy of a tree under way: nodes[i] becomes copies[i]. */
typedef struct full_tree_copy {
    full_world *full;
    const full_copying *copying;
    shoal_entity *nodes;
    shoal_entity *copies;
    size_t count;
} full_tree_copy;

/* What a handle becomes in the copy of a tree. */
static shoal_entity turned(const full_tree_copy *copy, shoal_entity entity) {
    for (size_t i = 0; i < copy->count && copy->copying->is_tree; i++) {
        if (shoal_entity_equal(copy->nodes[i], entity)) {
            return copy->copies[i];
        }
    }
    return entity;
}

static void slot_turn(const full_tree_copy *copy, full_slot *slot) {
    for (full_type type = 0; type < FULL_ENTITY_COUNT; type++) {
        if (!full_is_handle(type) || (slot->mask & full_bit(type)) == 0) {
            continue;
        }
        slot->payload[type] = turned(copy, (shoal_entity){slot->payload[type]}).bits;
        full_items *items = full_is(type, SHOAL_STORAGE_BUFFER) ? full_items_of(slot, type) : NULL;
        for (size_t i = 0; items != NULL && i < items->count; i++) {
            items->payload[i] = turned(copy, (shoal_entity){items->payload[i]}).bits;
        }
    }
}

static void slot_copy(const full_tree_copy *copy, size_t node) {
    full_slot from = *full_slot_of(copy->full, copy->nodes[node]);
    full_slot *to = full_slot_of(copy->full, copy->copies[node]);
    to->mask = copy->copying->is_instance ? from.mask & ~full_bit(FULL_PREFAB) : from.mask;
    to->disabled = from.disabled;
    memcpy(to->payload, from.payload, sizeof to->payload);
    memcpy(to->items, from.items, sizeof to->items);
    if (copy->copying->is_tree && node != 0) {
        memcpy(to->name, from.name, sizeof to->name);
    }
    slot_turn(copy, to);
}

static void links_copy(const full_tree_copy *copy, full_type relation, size_t node) {
    full_world *full = copy->full;
    size_t before = full->link_count;
    for (size_t i = 0; i < before; i++) {
        full_link link = full->links[i];
        if (link.relation != relation || !shoal_entity_equal(link.source, copy->nodes[node]) ||
            (node == 0 && relation == FULL_CHILD_OF && copy->copying->is_instance)) {
            continue;
        }
        bool turns = copy->copying->is_tree && full_is_handle(relation);
        uint64_t payload = turns ? turned(copy, (shoal_entity){link.payload}).bits : link.payload;
        full_value value = {
            .type = relation, .has_data = true, .payload = payload, .target = turned(copy, link.target)};
        full_link_put(full, &value, copy->copies[node]);
    }
}

static void tree_copy(full_world *full, full_tree_copy *copy) {
    for (size_t i = 0; i < copy->count; i++) {
        copy->copies[i] = slots_next(&full->slots);
        slots_take(&full->slots, copy->copies[i]);
    }
    for (size_t i = 0; i < copy->count; i++) {
        slot_copy(copy, i);
    }
    for (full_type relation = FULL_OWNER; relation <= FULL_CHILD_OF; relation++) {
        for (size_t i = 0; i < copy->count; i++) {
            links_copy(copy, relation, i);
        }
    }
    full_give_all(full, copy->copies[0], copy->copying->values, copy->copying->value_count, 0);
}

/* The tag that an instance loses cannot be given to it. */
static naive_outcome copying_check(const full_world *full, const full_copying *copying) {
    naive_outcome errors = full_check(full, copying->root);
    const full_slot *slot = full_slot_of(full, copying->root);
    errors |= slot != NULL && slot->dying ? NAIVE_ERROR(SHOAL_ENTITY_DYING) : 0;
    errors |= full_check_values(full, slots_next(&full->slots), copying->values, copying->value_count);
    for (size_t i = 0; i < copying->value_count; i++) {
        errors |= copying->values[i].type == FULL_PREFAB ? NAIVE_ERROR(SHOAL_COMPONENT_DUPLICATE) : 0;
    }
    return errors;
}

/* A split relation inside of the tree has another archetype in each copy, so that they cannot be made at once. */
static bool splits_inside(const full_tree_copy *copy) {
    const full_copying *copying = copy->copying;
    bool splits = false;
    bool is_replaced = false; /* that of the root */
    for (size_t i = 0; i < copying->value_count; i++) {
        is_replaced = is_replaced || copying->values[i].type == FULL_FLAGSHIP;
    }
    for (size_t i = is_replaced ? 1 : 0; i < copy->count && copying->count > 1; i++) {
        shoal_entity target = full_target(copy->full, FULL_FLAGSHIP, copy->nodes[i]);
        for (size_t k = 0; k < copy->count; k++) {
            splits = splits || shoal_entity_equal(copy->nodes[k], target);
        }
    }
    return splits;
}

/* All copies, or none. */
static naive_outcome copies_make(full_world *full, full_tree_copy *copy, naive_outcome errors, shoal_entity *roots) {
    const full_copying *copying = copy->copying;
    copy->nodes[0] = copying->root;
    if (full_slot_of(full, copying->root) != NULL && copying->is_tree) {
        copy->count = full_tree(full, copying->root, copy->nodes, full->slots.count);
    }
    errors |= copy->count * copying->count > slots_left(&full->slots) ? NAIVE_ERROR(SHOAL_ENTITY_LIMIT) : 0;
    errors |= splits_inside(copy) ? NAIVE_ERROR(SHOAL_COMPONENT_KIND) : 0;
    for (size_t i = 0; i < copying->count; i++) {
        roots[i] = no_entity;
        if (errors == 0) {
            tree_copy(full, copy);
            roots[i] = copy->copies[0];
        }
    }
    return errors;
}

naive_outcome full_copy_entities(full_world *full, const full_copying *copying, shoal_entity *roots) {
    full_value values[FULL_VALUES_MAX] = {{0}};
    full_copying all = *copying;
    for (size_t i = 0; i < copying->value_count; i++) {
        values[i] = copying->values[i];
    }
    if (!shoal_entity_is_null(copying->parent)) {
        values[all.value_count++] = (full_value){.type = FULL_CHILD_OF, .target = copying->parent};
    }
    all.values = values;
    full_tree_copy copy = {.full = full,
                           .copying = &all,
                           .nodes = calloc(full->slots.count + 1, sizeof(shoal_entity)),
                           .copies = calloc(full->slots.count + 1, sizeof(shoal_entity)),
                           .count = 1};
    assert_true(copy.nodes != NULL && copy.copies != NULL);
    naive_outcome errors = copies_make(full, &copy, copying_check(full, &all), roots);
    free(copy.nodes);
    free(copy.copies);
    return errors;
}

naive_outcome full_make_prefab(full_world *full, shoal_entity root) {
    naive_outcome errors = full_check(full, root);
    const full_slot *slot = full_slot_of(full, root);
    errors |= slot != NULL && slot->dying ? NAIVE_ERROR(SHOAL_ENTITY_DYING) : 0;
    if (errors != 0) {
        return errors;
    }
    shoal_entity *nodes = calloc(full->slots.count, sizeof *nodes);
    assert_non_null(nodes);
    size_t count = full_tree(full, root, nodes, full->slots.count);
    for (size_t i = 0; i < count; i++) {
        full_slot_of(full, nodes[i])->mask |= full_bit(FULL_PREFAB);
    }
    free(nodes);
    return 0;
}
