/*
 * Sparse components and relations in a change; see loose.h.
 */
#include "loose.h"

#include "change.h"

/* ---- single components ---- */

static const shoal_entity no_target = {0};

static void *sparse_data(const sparse_set *set, uint32_t number) {
    return set->type->def.size != 0 ? sparse_value(set, number) : NULL;
}

bool loose_put(shoal_world *world, sparse_set *set, shoal_entity entity, void *value) {
    const component_type *type = set->type;
    uint32_t number = sparse_number(set, entity);
    bool is_new = number == UINT32_MAX;
    if (is_new) {
        if (type->def.size != 0 && value != NULL) {
            component_relocate(type, sparse_next_value(set), value, 1);
        } else if (type->def.size != 0) {
            (void)component_make_default(&world->memory, type, sparse_next_value(set), 1);
        }
        (void)sparse_push(set, entity);
        index_set_extra(&world->index, shoal_entity_index(entity));
    } else if (value != NULL) {
        component_end(&world->memory, type, sparse_value(set, number), 1);
        component_relocate(type, sparse_value(set, number), value, 1);
    }
    return is_new;
}

void loose_notify_value(shoal_world *world, const sparse_set *set, shoal_entity entity, notify_kind kind) {
    uint32_t number = UNLIKELY(set->type->notifies) ? sparse_number(set, entity) : UINT32_MAX;
    if (number != UINT32_MAX && (kind != NOTIFY_SET || set->type->def.size != 0)) {
        notify_call(world, set->type, kind, entity, no_target, sparse_data(set, number));
    }
}

void loose_take(shoal_world *world, sparse_set *set, shoal_entity entity) {
    uint32_t number = sparse_number(set, entity);
    if (number != UINT32_MAX) {
        notify(world, set->type, NOTIFY_REMOVE, entity, no_target, sparse_data(set, number));
        sparse_remove_entity(set, entity, number);
    }
}

/* The links of a relation that destroys its sources are counted, so that a cascade always has room for its list. */
static void cascade_count(shoal_world *world, const relation_store *store, uint64_t before) {
    if (store->type->def.on_target_destroyed == SHOAL_TARGET_DESTROY) {
        world->cascade_links += store->link_count - before;
    }
}

shoal_status loose_reserve_cascade(shoal_world *world, const component_type *type, uint64_t more) {
    if (type->def.on_target_destroyed != SHOAL_TARGET_DESTROY) {
        return SHOAL_OK;
    }
    size_t needed = (size_t)(world->cascade_links + more + 1); /* and the one that is named */
    if (LIKELY(needed <= world->doomed.capacity)) {
        return SHOAL_OK;
    }
    /* The list is empty between destroys, so nothing is copied. */
    memory_array grown = {0};
    size_t capacity = needed < world->doomed.capacity * 2 ? world->doomed.capacity * 2 : needed;
    shoal_status status =
        memory_array_reserve(&world->memory, SHOAL_PURPOSE_RELATION, &grown, capacity, sizeof(shoal_entity));
    if (status == SHOAL_OK) {
        memory_array_release(&world->memory, SHOAL_PURPOSE_RELATION, &world->doomed, sizeof(shoal_entity));
        world->doomed = grown;
    }
    return status;
}

bool loose_link(shoal_world *world, relation_store *store, shoal_entity source, shoal_entity target, void *data) {
    const component_type *type = store->type;
    uint64_t before = store->link_count;
    bool is_new = relation_find(store, source, target) == NULL;
    relation_link *replaced =
        is_new && UNLIKELY(type->notifies) && store->is_exclusive ? relation_find(store, source, no_target) : NULL;
    if (replaced != NULL) {
        notify_call(world, type, NOTIFY_REMOVE, source, replaced->target, relation_link_data(store, replaced));
    }
    (void)relation_add(store, source, target, data);
    cascade_count(world, store, before);
    index_set_extra(&world->index, shoal_entity_index(source));
    index_set_extra(&world->index, shoal_entity_index(target));
    if (type->id == world->child_of_id && UNLIKELY(world->names.count != 0)) {
        name_move(&world->names, source, target);
    }
    return is_new;
}

void loose_notify_link(shoal_world *world, const relation_store *store, shoal_entity source, shoal_entity target,
                       notify_kind kind) {
    relation_link *link = UNLIKELY(store->type->notifies) ? relation_find(store, source, target) : NULL;
    if (link != NULL && (kind != NOTIFY_SET || store->type->def.size != 0)) {
        notify_call(world, store->type, kind, source, target, relation_link_data(store, link));
    }
}

static void unlink_one(shoal_world *world, relation_store *store, shoal_entity source, relation_link *link) {
    shoal_entity target = link->target;
    notify(world, store->type, NOTIFY_REMOVE, source, target, relation_link_data(store, link));
    (void)relation_remove(store, source, target);
}

void loose_unlink(shoal_world *world, relation_store *store, shoal_entity source, shoal_entity target) {
    uint64_t before = store->link_count;
    if (!shoal_entity_is_null(target) || !store->type->notifies) {
        relation_link *link = relation_find(store, source, target);
        if (link != NULL && !shoal_entity_is_null(target)) {
            unlink_one(world, store, source, link);
        } else if (link != NULL) {
            (void)relation_remove_source(store, source);
        }
    } else {
        for (relation_link *link; (link = relation_find(store, source, target)) != NULL;) {
            unlink_one(world, store, source, link);
        }
    }
    cascade_count(world, store, before);
    if (store->type->id == world->child_of_id && UNLIKELY(world->names.count != 0) && store->link_count != before) {
        name_move(&world->names, source, no_target);
    }
}

const shoal_transition *loose_split_edge(shoal_world *world, shoal_archetype *archetype, const component_type *type,
                                         shoal_entity target, const char *call) {
    bool adds = !shoal_entity_is_null(target);
    const shoal_component component = {type->id};
    const shoal_link link = {.target = target};
    const shoal_value value = {.component = component, .data = &link};
    /* A removal brings nothing, so its edge is that of shoal_remove(): planned here, it is found again. */
    transition_keys keys = {
        .add = &value, .add_count = adds, .remove = &component, .remove_count = !adds, .is_bare = adds};
    return transition_find(world, archetype, &keys, call);
}

void loose_split_move(shoal_world *world, const component_type *type, shoal_entity entity, shoal_entity target) {
    index_record *record = index_find(&world->index, entity);
    row_place place = row_of(world, record);
    const shoal_transition *edge = loose_split_edge(world, place.archetype, type, target, "");
    SHOAL_ASSERT(edge != NULL);
    if (edge->target != place.archetype) {
        SHOAL_ASSERT(edge->target->open != NULL);
        row_move(world, place, edge, entity, record);
    }
}

/* The rows of the sources of a target leave its archetypes. Those of sources that are doomed as well stay: they are
   about to end, or have another way to go. */
static void rows_release(shoal_world *world, const relation_store *store, const relation_list *list,
                         shoal_entity target) {
    const shoal_entity *sources = NULL;
    size_t count = 0;
    for (size_t run = 0; relation_list_run(list, run, &sources, &count); run++) {
        for (size_t i = 0; i < count; i++) {
            if (relation_find(store, sources[i], target)->next == 0) {
                loose_split_move(world, store->type, sources[i], no_target);
            }
        }
    }
}

/* All links that lead to an entity go; their sources stay. */
static void sources_release(shoal_world *world, relation_store *store, shoal_entity target) {
    uint64_t before = store->link_count;
    const relation_list *list = relation_sources(store, target);
    if (list == NULL) {
        return;
    }
    if (UNLIKELY(store->type->def.split)) {
        rows_release(world, store, list, target);
    }
    for (size_t run = 0; UNLIKELY(store->type->notifies); run++) {
        const shoal_entity *sources = NULL;
        size_t count = 0;
        if (!relation_list_run(list, run, &sources, &count)) {
            break;
        }
        for (size_t i = 0; i < count; i++) {
            relation_link *link = relation_find(store, sources[i], target);
            notify_call(world, store->type, NOTIFY_REMOVE, sources[i], target, relation_link_data(store, link));
        }
    }
    (void)relation_remove_target(store, target);
    cascade_count(world, store, before);
}

void loose_end(shoal_world *world, shoal_entity entity) {
    for (size_t i = 0; i < world->loose_count; i++) {
        const loose_store *loose = (const loose_store *)world->loose.items + i;
        if (loose->sparse != NULL) {
            uint32_t number = sparse_number(loose->sparse, entity);
            if (number != UINT32_MAX) {
                sparse_remove_entity(loose->sparse, entity, number);
            }
            continue;
        }
        uint64_t before = loose->relation->link_count;
        if (before != 0) {
            (void)relation_remove_source(loose->relation, entity);
            cascade_count(world, loose->relation, before);
            sources_release(world, loose->relation, entity);
        }
    }
    if (UNLIKELY(world->names.count != 0)) {
        name_remove(&world->names, entity);
    }
    index_clear_extra(&world->index, shoal_entity_index(entity));
}

void loose_clear(shoal_world *world, shoal_entity entity) {
    for (size_t i = 0; i < world->loose_count; i++) {
        const loose_store *loose = (const loose_store *)world->loose.items + i;
        if (loose->sparse != NULL) {
            loose_take(world, loose->sparse, entity);
        } else {
            loose_unlink(world, loose->relation, entity, no_target);
        }
    }
}

/* ---- checks ---- */

shoal_status loose_check_link(shoal_world *world, const component_type *type, shoal_entity source, shoal_entity target,
                              const char *call) {
    const index_record *record = index_find(&world->index, target);
    if (UNLIKELY(target.bits == 0)) {
        return error_detail(world_error(world), SHOAL_ENTITY_NULL, call, "%s needs a target", type->def.name);
    }
    if (UNLIKELY(record == NULL) && target.bits != source.bits) { /* a source that is being spawned has no row yet */
        return world_fail_entity(world, call, target);
    }
    if (record != NULL && UNLIKELY(row_of(world, record).archetype->hidden & ARCHETYPE_DYING)) {
        return error_entity(world_error(world), SHOAL_ENTITY_DYING, call, target);
    }
    const relation_store *store = store_relation(world, type->id);
    if (type->def.acyclic) {
        shoal_entity at = source;
        shoal_status status = target.bits == source.bits ? SHOAL_RELATION_CYCLE
                              : store != NULL            ? relation_check(store, source, target, &at)
                                                         : SHOAL_OK;
        if (UNLIKELY(status != SHOAL_OK)) {
            char texts[3][SHOAL_ENTITY_TEXT_SIZE];
            (void)shoal_entity_format(source, texts[0], sizeof texts[0]);
            (void)shoal_entity_format(target, texts[1], sizeof texts[1]);
            (void)shoal_entity_format(at, texts[2], sizeof texts[2]);
            return error_detail(world_error(world), status, call, "%s from %s to %s leads back to %s through %s",
                                type->def.name, texts[0], texts[1], texts[0], texts[2]);
        }
    }
    if (type->id == world->child_of_id && UNLIKELY(world->names.count != 0) &&
        name_can_move(&world->names, source, target) != SHOAL_OK) {
        return error_detail(world_error(world), SHOAL_NAME_TAKEN, call, "the new parent has a child called \"%.100s\"",
                            name_of(&world->names, source));
    }
    return SHOAL_OK;
}

shoal_status loose_check_unlink(shoal_world *world, const component_type *type, shoal_entity source, const char *call) {
    if (type->id != world->child_of_id || LIKELY(world->names.count == 0) ||
        name_can_move(&world->names, source, no_target) == SHOAL_OK) {
        return SHOAL_OK;
    }
    return error_detail(world_error(world), SHOAL_NAME_TAKEN, call, "there is a root called \"%.100s\"",
                        name_of(&world->names, source));
}

/* ---- preparing ---- */

static shoal_status plan_add(shoal_world *world, loose_plan *plan, loose_item item) {
    if (plan->items == NULL) {
        plan->items = plan->few;
        plan->capacity = sizeof plan->few / sizeof plan->few[0];
    }
    if (plan->count == plan->capacity) {
        size_t capacity = plan->capacity * 4;
        loose_item *items = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, capacity * sizeof(loose_item), 16);
        if (items == NULL) {
            return memory_failure(&world->memory);
        }
        memcpy(items, plan->items, plan->count * sizeof(loose_item));
        if (plan->items != plan->few) {
            memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, plan->items, plan->capacity * sizeof(loose_item), 16);
        }
        plan->items = items;
        plan->capacity = capacity;
    }
    plan->items[plan->count++] = item;
    return SHOAL_OK;
}

/* A copy of the given value, or of the default where a hook makes it, in scratch memory. */
static shoal_status item_stage(shoal_world *world, loose_item *item, const void *data, const char *call) {
    const component_type *type = item->type;
    if (type->def.size == 0 || (data == NULL && !component_default_can_fail(type))) {
        return SHOAL_OK;
    }
    void *staged = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, type->def.size, type->def.alignment);
    if (staged == NULL) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    bool made = data != NULL ? component_make_copy(&world->memory, type, staged, data, 1)
                             : component_make_default(&world->memory, type, staged, 1);
    if (!made) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, staged, type->def.size, type->def.alignment);
        return world_fail_component(world, SHOAL_HOOK_FAILED, call, (shoal_entity){0}, (shoal_component){type->id});
    }
    item->staged = staged;
    return SHOAL_OK;
}

static void item_unstage(shoal_world *world, loose_item *item) {
    if (item->staged != NULL) {
        component_end(&world->memory, item->type, item->staged, 1);
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, item->staged, item->type->def.size,
                       item->type->def.alignment);
        item->staged = NULL;
    }
}

static shoal_status sparse_prepare(shoal_world *world, shoal_entity entity, loose_item *item, const void *data,
                                   const char *call) {
    bool is_new = sparse_number(item->sparse, entity) == UINT32_MAX;
    /* The value may lie in the set itself, which room moves. */
    shoal_status status = is_new || data != NULL ? item_stage(world, item, data, call) : SHOAL_OK;
    if (status == SHOAL_OK && is_new) {
        status = sparse_reserve(item->sparse, 1);
        status = status == SHOAL_OK ? sparse_reserve_page(item->sparse, shoal_entity_index(entity)) : status;
        if (status != SHOAL_OK) {
            item_unstage(world, item);
            world_fail(world, status, call);
        }
    }
    return status;
}

static shoal_status link_prepare(shoal_world *world, shoal_entity entity, loose_item *item, const shoal_link *link,
                                 const loose_plan *plan, const char *call) {
    item->target = link != NULL ? link->target : (shoal_entity){0};
    shoal_status status = loose_check_link(world, item->type, entity, item->target, call);
    if (status != SHOAL_OK) {
        return status;
    }
    bool is_new = relation_find(item->relation, entity, item->target) == NULL;
    if (is_new) {
        status = relation_reserve(item->relation, entity, item->target);
        status = status == SHOAL_OK ? loose_reserve_cascade(world, item->type, plan->count + 1) : status;
        if (status != SHOAL_OK) {
            return world_fail(world, status, call);
        }
    }
    item->is_given = link->data != NULL;
    status = is_new || link->data != NULL ? item_stage(world, item, link->data, call) : SHOAL_OK;
    if (status != SHOAL_OK) {
        relation_settle(item->relation);
    }
    return status;
}

/* One added component. A relation without a link has a null target, which is an error. */
static shoal_status item_prepare(shoal_world *world, shoal_entity entity, const component_type *type, const void *data,
                                 loose_plan *plan, const char *call) {
    void *store = store_obtain(world, type);
    bool is_sparse = type->def.storage == SHOAL_STORAGE_SPARSE;
    if (store == NULL) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    loose_item item = {.type = type,
                       .sparse = is_sparse ? store : NULL,
                       .relation = is_sparse ? NULL : store,
                       .is_given = data != NULL};
    shoal_status status = is_sparse ? sparse_prepare(world, entity, &item, data, call)
                                    : link_prepare(world, entity, &item, data, plan, call);
    if (status == SHOAL_OK) {
        status = plan_add(world, plan, item);
        if (status != SHOAL_OK) {
            loose_plan single = {.items = &item, .count = 1, .capacity = 1};
            loose_release(world, &single);
            world_fail(world, status, call);
        }
    }
    return status;
}

shoal_status loose_prepare(shoal_world *world, shoal_entity entity, const shoal_transition *edge,
                           const shoal_value *values, loose_plan *plan, const char *call) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < edge->remove_count && status == SHOAL_OK; i++) {
        const component_type *type = component_type_at(edge->keys[edge->add_count + i]);
        if (!type->in_archetype && store_has(world, type, entity)) {
            bool is_sparse = type->def.storage == SHOAL_STORAGE_SPARSE;
            loose_item item = {.type = type,
                               .sparse = is_sparse ? store_sparse(world, type->id) : NULL,
                               .relation = is_sparse ? NULL : store_relation(world, type->id),
                               .removes = true};
            status = loose_check_unlink(world, type, entity, call);
            if (status == SHOAL_OK) {
                status = plan_add(world, plan, item);
                status = status == SHOAL_OK ? SHOAL_OK : world_fail(world, status, call);
            }
        }
    }
    for (size_t i = 0; i < edge->add_count && status == SHOAL_OK; i++) {
        const component_type *type = component_type_at(values[i].component.id);
        if (!type->in_archetype) {
            status = item_prepare(world, entity, type, values[i].data, plan, call);
        }
    }
    for (size_t i = 0; i < transition_implied_count(edge) && status == SHOAL_OK; i++) {
        const component_type *type = component_type_at(transition_implied(edge, i));
        if (!type->in_archetype && !store_has(world, type, entity)) {
            status = item_prepare(world, entity, type, NULL, plan, call);
        }
    }
    if (status != SHOAL_OK) {
        loose_release(world, plan);
    }
    return status;
}

void loose_release(shoal_world *world, loose_plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        loose_item *item = &plan->items[i];
        item_unstage(world, item);
        if (item->relation != NULL && !item->removes) {
            relation_settle(item->relation);
        }
    }
    if (plan->items != NULL && plan->items != plan->few && plan->capacity > 1) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, plan->items, plan->capacity * sizeof(loose_item), 16);
    }
    *plan = (loose_plan){0};
}

static void item_commit(shoal_world *world, shoal_entity entity, loose_item *item) {
    if (item->removes && item->sparse != NULL) {
        loose_take(world, item->sparse, entity);
    } else if (item->removes) {
        loose_unlink(world, item->relation, entity, item->target);
    } else if (item->sparse != NULL) {
        item->is_new = loose_put(world, item->sparse, entity, item->staged);
    } else {
        item->is_new = loose_link(world, item->relation, entity, item->target, item->staged);
    }
    if (item->staged != NULL) { /* its value has been taken over */
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, item->staged, item->type->def.size,
                       item->type->def.alignment);
        item->staged = NULL;
    }
}

void loose_commit(shoal_world *world, shoal_entity entity, loose_plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        item_commit(world, entity, &plan->items[i]);
    }
}

void loose_notify(shoal_world *world, shoal_entity entity, const loose_plan *plan, notify_kind kind) {
    for (size_t i = 0; i < plan->count; i++) {
        const loose_item *item = &plan->items[i];
        if (item->removes || !(kind == NOTIFY_ADD ? item->is_new : item->is_given)) {
            continue;
        }
        if (item->sparse != NULL) {
            loose_notify_value(world, item->sparse, entity, kind);
        } else {
            loose_notify_link(world, item->relation, entity, item->target, kind);
        }
    }
}
