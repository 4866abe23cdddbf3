/*
 * Sparse components, relations and names of copies; see clone.h.
 *
 * Items are made store by store and in each by node, and are put in place copy by copy. So the sources of a target
 * outside of the tree, and the values of a sparse set, come in the order that one call after the other would give, and
 * children in the order of the originals. A link is put after that of its parent, since nodes are in the order of the
 * tree, so depths are right at once. Thread rule: world.
 */
#include "clone.h"

/* ---- collecting ---- */

static shoal_status item_add(clone_plan *plan, clone_item item) {
    if (plan->item_count == plan->item_capacity) {
        void *items = plan->items;
        shoal_status status = clone_array_grow(plan, &items, &plan->item_capacity, plan->few_items, sizeof(clone_item));
        plan->items = items;
        if (status != SHOAL_OK) {
            return status;
        }
    }
    plan->notifies = plan->notifies || item.type->notifies;
    plan->items[plan->item_count++] = item;
    return SHOAL_OK;
}

/* What the caller gave for a type, or NULL. */
static const clone_given *given_find(const clone_plan *plan, const component_type *type) {
    for (size_t i = 0; i < plan->value_count; i++) {
        if (plan->given[i].type == type) {
            return &plan->given[i];
        }
    }
    return NULL;
}

/* The value of the source itself is found after the set has made room. */
static shoal_status sparse_collect(clone_plan *plan, sparse_set *set, uint32_t node) {
    if (sparse_number(set, plan->nodes[node].source) == UINT32_MAX) {
        return SHOAL_OK;
    }
    const clone_given *given = node == 0 ? given_find(plan, set->type) : NULL;
    bool replaced = given != NULL && given->value != NULL;
    return item_add(plan, (clone_item){.type = set->type,
                                       .sparse = set,
                                       .node = node,
                                       .value = replaced ? given->value : NULL,
                                       .is_copied = !replaced,
                                       .has_data = set->type->def.size != 0});
}

/* True for a link of the root that its copies do not get: an instance has another parent or none, and a given link
   takes the place of an exclusive one, or of one whose data it replaces. */
static bool link_is_dropped(const clone_plan *plan, const relation_store *store, const relation_link *link) {
    if (plan->is_instance && store->type->id == plan->world->child_of_id) {
        return true;
    }
    const clone_given *given = given_find(plan, store->type);
    if (given == NULL) {
        return false;
    }
    bool is_same = given->target.bits == link->target.bits && clone_node_of(plan, link->target) == CLONE_OUTSIDE;
    return is_same ? given->value != NULL : store->is_exclusive;
}

static shoal_status links_collect(clone_plan *plan, relation_store *store, uint32_t node) {
    uint32_t number = sparse_number(&store->forward, plan->nodes[node].source);
    shoal_status status = SHOAL_OK;
    for (relation_link *link = number != UINT32_MAX ? relation_link_first(store, number) : NULL;
         link != NULL && status == SHOAL_OK; link = relation_link_next(store, link)) {
        if (node == 0 && link_is_dropped(plan, store, link)) {
            continue;
        }
        status = item_add(plan, (clone_item){.type = store->type,
                                             .relation = store,
                                             .node = node,
                                             .target_node = clone_node_of(plan, link->target),
                                             .target = link->target,
                                             .value = relation_link_data(store, link),
                                             .is_copied = true,
                                             .has_data = store->type->def.size != 0});
    }
    return status;
}

/* A link of the copied roots that is no copy. */
static shoal_status link_collect_new(clone_plan *plan, relation_store *store, const clone_given *given) {
    shoal_entity target = given != NULL ? given->target : (shoal_entity){0};
    shoal_status status = loose_check_link(plan->world, store->type, plan->copies[0], target, plan->call);
    if (status != SHOAL_OK) {
        return status;
    }
    for (size_t i = 0; i < plan->item_count; i++) {
        const clone_item *item = &plan->items[i];
        bool is_there = item->relation == store && item->node == 0 && item->target_node == CLONE_OUTSIDE &&
                        item->target.bits == target.bits;
        if (is_there) {
            return SHOAL_OK; /* the copied one stays */
        }
    }
    const void *value = given != NULL ? given->value : NULL;
    return item_add(plan, (clone_item){.type = store->type,
                                       .relation = store,
                                       .target_node = CLONE_OUTSIDE,
                                       .target = target,
                                       .value = value,
                                       .has_data = value != NULL});
}

/* What the copied roots get of one type that the root does not have: given, or required by what was given. */
static shoal_status new_collect(clone_plan *plan, const loose_store *loose, const clone_given *given) {
    if (loose->relation != NULL) {
        return link_collect_new(plan, loose->relation, given);
    }
    if (sparse_number(loose->sparse, plan->nodes[0].source) != UINT32_MAX) {
        return SHOAL_OK;
    }
    const void *value = given != NULL ? given->value : NULL;
    return item_add(
        plan, (clone_item){.type = loose->type, .sparse = loose->sparse, .value = value, .has_data = value != NULL});
}

/* True for what the root does not have and the given values require. */
static bool is_required(const clone_plan *plan, const component_type *type) {
    const shoal_transition *edge = plan->nodes[0].edge;
    if (edge == NULL || !edge->has_loose || store_has(plan->world, type, plan->nodes[0].source)) {
        return false;
    }
    for (size_t i = 0; i < transition_implied_count(edge); i++) {
        if (transition_implied(edge, i) == type->id) {
            return true;
        }
    }
    return false;
}

static shoal_status items_collect(clone_plan *plan, const loose_store *loose) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < plan->node_count && status == SHOAL_OK; i++) {
        if (!index_extra(&plan->world->index, shoal_entity_index(plan->nodes[i].source))) {
            continue;
        }
        status = loose->sparse != NULL ? sparse_collect(plan, loose->sparse, (uint32_t)i)
                                       : links_collect(plan, loose->relation, (uint32_t)i);
    }
    const clone_given *given = given_find(plan, loose->type);
    if (status == SHOAL_OK && (given != NULL || is_required(plan, loose->type))) {
        status = new_collect(plan, loose, given);
    }
    return status;
}

/* ---- room ---- */

static shoal_status values_reserve(const clone_plan *plan, const loose_store *loose, size_t first) {
    uint64_t count = (uint64_t)(plan->item_count - first) * plan->count;
    shoal_status status = count < UINT32_MAX ? sparse_reserve(loose->sparse, (uint32_t)count) : SHOAL_OUT_OF_MEMORY;
    for (size_t i = first; i < plan->item_count; i++) {
        for (size_t copy = 0; copy < plan->count && status == SHOAL_OK; copy++) {
            shoal_entity entity = clone_copy_at(plan, copy, plan->items[i].node);
            status = sparse_reserve_page(loose->sparse, shoal_entity_index(entity));
        }
    }
    return status;
}

static shoal_entity item_target(const clone_plan *plan, const clone_item *item, size_t copy) {
    return item->target_node == CLONE_OUTSIDE ? item->target : clone_copy_at(plan, copy, item->target_node);
}

static shoal_status links_reserve(clone_plan *plan, const loose_store *loose, size_t first) {
    shoal_status status = SHOAL_OK;
    for (size_t i = first; i < plan->item_count; i++) {
        const clone_item *item = &plan->items[i];
        for (size_t copy = 0; copy < plan->count && status == SHOAL_OK; copy++) {
            status =
                relation_reserve(loose->relation, clone_copy_at(plan, copy, item->node), item_target(plan, item, copy));
        }
    }
    if (status == SHOAL_OK && loose->type->def.on_target_destroyed == SHOAL_TARGET_DESTROY) {
        plan->cascade_links += (uint64_t)(plan->item_count - first) * plan->count;
        status = loose_reserve_cascade(plan->world, loose->type, plan->cascade_links);
    }
    return status;
}

/* ---- values ---- */

/* A value for each copy, where a hook makes it. */
static shoal_status item_stage(clone_plan *plan, clone_item *item) {
    shoal_memory *memory = &plan->world->memory;
    const component_type *type = item->type;
    if (item->sparse != NULL && item->is_copied && type->def.size != 0) {
        item->value = sparse_value(item->sparse, sparse_number(item->sparse, plan->nodes[item->node].source));
    }
    bool can_fail = item->value != NULL ? type->hooked : component_default_can_fail(type);
    if (type->def.size == 0 || !can_fail) {
        return SHOAL_OK;
    }
    size_t bytes = plan->count * type->def.size;
    char *staged = memory_allocate(memory, SHOAL_PURPOSE_SCRATCH, bytes, type->def.alignment);
    if (staged == NULL) {
        return world_fail(plan->world, memory_failure(memory), plan->call);
    }
    bool made = item->value != NULL ? component_make_repeated(memory, type, staged, item->value, plan->count)
                                    : component_make_default(memory, type, staged, plan->count);
    if (!made) {
        memory_release(memory, SHOAL_PURPOSE_SCRATCH, staged, bytes, type->def.alignment);
        return world_fail_component(plan->world, SHOAL_HOOK_FAILED, plan->call, (shoal_entity){0},
                                    (shoal_component){type->id});
    }
    item->staged = staged;
    return SHOAL_OK;
}

static shoal_status store_prepare(clone_plan *plan, const loose_store *loose) {
    size_t first = plan->item_count;
    shoal_status status = items_collect(plan, loose);
    if (status != SHOAL_OK || plan->item_count == first) {
        return status;
    }
    status = loose->sparse != NULL ? values_reserve(plan, loose, first) : links_reserve(plan, loose, first);
    if (status != SHOAL_OK) {
        return world_fail(plan->world, status, plan->call);
    }
    for (size_t i = first; i < plan->item_count && status == SHOAL_OK; i++) {
        status = item_stage(plan, &plan->items[i]);
    }
    return status;
}

/* Makes the stores of loose components that the copied roots get. */
static shoal_status stores_make(clone_plan *plan) {
    const shoal_transition *edge = plan->nodes[0].edge;
    for (size_t i = 0; edge != NULL && i < (size_t)edge->add_count + transition_implied_count(edge); i++) {
        uint32_t id = i < edge->add_count ? edge->keys[i] : transition_implied(edge, i - edge->add_count);
        const component_type *type = component_type_at(id);
        if (!type->in_archetype && store_obtain(plan->world, type) == NULL) {
            return world_fail(plan->world, memory_failure(&plan->world->memory), plan->call);
        }
    }
    return SHOAL_OK;
}

shoal_status clone_loose_prepare(clone_plan *plan) {
    shoal_status status = stores_make(plan);
    for (size_t i = 0; i < plan->world->loose_count && status == SHOAL_OK; i++) {
        loose_store loose = ((const loose_store *)plan->world->loose.items)[i];
        status = store_prepare(plan, &loose);
    }
    return status;
}

/* ---- names ---- */

shoal_status clone_names_make(clone_plan *plan) {
    name_table *names = &plan->world->names;
    shoal_status status = SHOAL_OK;
    plan->is_named = plan->is_tree && names->count != 0;
    for (size_t i = 1; plan->is_named && i < plan->node_count; i++) {
        const clone_node *node = &plan->nodes[i];
        const char *text = name_of(names, node->source);
        for (size_t copy = 0; text != NULL && copy < plan->count && status == SHOAL_OK; copy++) {
            status = name_set(names, clone_copy_at(plan, copy, i), clone_copy_at(plan, copy, node->parent), text);
        }
    }
    return status == SHOAL_OK ? SHOAL_OK : world_fail(plan->world, status, plan->call);
}

void clone_names_undo(clone_plan *plan) {
    for (size_t i = 0; plan->is_named && i < plan->count * plan->node_count; i++) {
        name_remove(&plan->world->names, plan->copies[i]);
    }
}

/* ---- the commit ---- */

/* One copy while its entity fields are turned to it. */
typedef struct clone_turn {
    const clone_plan *plan;
    size_t copy;
} clone_turn;

static void turn_field(void *user, shoal_entity *field) {
    const clone_turn *turn = user;
    uint32_t number = clone_node_of(turn->plan, *field);
    if (number != CLONE_OUTSIDE) {
        *field = clone_copy_at(turn->plan, turn->copy, number);
    }
}

static void value_turn(const clone_plan *plan, const clone_item *item, size_t copy, void *value) {
    if (item->type->has_entities && item->is_copied && plan->is_tree) {
        component_visit_entities(item->type, value, turn_field, &(clone_turn){.plan = plan, .copy = copy});
    }
}

/* What a copy takes over: its own value, or bytes that are copied; NULL: there is none, or it is the default. */
static void *item_value(const clone_item *item, size_t copy) {
    return item->staged != NULL ? item->staged + copy * item->type->def.size : (void *)(uintptr_t)item->value;
}

static void sparse_put(const clone_plan *plan, const clone_item *item, size_t copy, shoal_entity entity) {
    void *place = sparse_next_value(item->sparse);
    void *value = item_value(item, copy);
    if (item->type->def.size != 0) {
        if (value != NULL) {
            component_relocate(item->type, place, value, 1);
        } else {
            (void)component_make_default(&plan->world->memory, item->type, place, 1); /* without a hook, see staged */
        }
        value_turn(plan, item, copy, place);
    }
    (void)sparse_push(item->sparse, entity);
}

static void link_put(const clone_plan *plan, const clone_item *item, size_t copy, shoal_entity entity) {
    shoal_world *world = plan->world;
    shoal_entity target = item_target(plan, item, copy);
    relation_link *link = relation_add(item->relation, entity, target, item_value(item, copy));
    world->cascade_links += item->type->def.on_target_destroyed == SHOAL_TARGET_DESTROY;
    index_set_extra(&world->index, shoal_entity_index(target));
    if (item->type->def.size != 0) {
        value_turn(plan, item, copy, relation_link_data(item->relation, link));
    }
}

void clone_loose_commit(clone_plan *plan) {
    for (size_t copy = 0; plan->item_count != 0 && copy < plan->count; copy++) {
        for (size_t i = 0; i < plan->item_count; i++) {
            const clone_item *item = &plan->items[i];
            shoal_entity entity = clone_copy_at(plan, copy, item->node);
            if (item->sparse != NULL) {
                sparse_put(plan, item, copy, entity);
            } else {
                link_put(plan, item, copy, entity);
            }
            index_set_extra(&plan->world->index, shoal_entity_index(entity));
        }
    }
}

void clone_loose_notify(const clone_plan *plan, size_t copy, notify_kind kind) {
    for (size_t i = 0; i < plan->item_count; i++) {
        const clone_item *item = &plan->items[i];
        if (!clone_is_told(item->type, kind, item->has_data)) {
            continue;
        }
        shoal_entity entity = clone_copy_at(plan, copy, item->node);
        shoal_entity target = {0};
        void *value = NULL;
        if (item->relation != NULL) {
            target = item_target(plan, item, copy);
            value = relation_link_data(item->relation, relation_find(item->relation, entity, target));
        } else if (item->type->def.size != 0) {
            value = sparse_value(item->sparse, sparse_number(item->sparse, entity));
        }
        notify_call(plan->world, item->type, kind, entity, target, value);
    }
}

void clone_loose_release(clone_plan *plan, bool end_values) {
    shoal_memory *memory = &plan->world->memory;
    for (size_t i = 0; i < plan->item_count; i++) {
        const clone_item *item = &plan->items[i];
        const component_type *type = item->type;
        if (item->staged != NULL && end_values) {
            component_end(memory, type, item->staged, plan->count);
        }
        if (item->staged != NULL) {
            memory_release(memory, SHOAL_PURPOSE_SCRATCH, item->staged, plan->count * type->def.size,
                           type->def.alignment);
        }
        if (item->relation != NULL && (i == 0 || plan->items[i - 1].relation != item->relation)) {
            relation_settle(item->relation);
        }
    }
}
