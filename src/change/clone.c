/*
 * Cloning, copies of trees, prefabs: the tree, its room, the public calls. See clone.h for the plan; rows are in
 * clone_rows.c, loose components and names in clone_loose.c.
 *
 * Promising rows may merge chunks and so move the sources: they are looked up once all room has been made.
 * Budget: about 30 ns for each copied entity of a tree with two small components, beside the links. Thread rule: world.
 */
#include "clone.h"

/* ---- arrays of the plan ---- */

shoal_status clone_array_grow(clone_plan *plan, void **items, size_t *capacity, const void *few, size_t element_size) {
    size_t grown_capacity = *capacity * 2 + 6;
    void *grown = memory_allocate(&plan->world->memory, SHOAL_PURPOSE_SCRATCH, grown_capacity * element_size, 16);
    if (grown == NULL) {
        return world_fail(plan->world, memory_failure(&plan->world->memory), plan->call);
    }
    memcpy(grown, *items, *capacity * element_size);
    clone_array_release(plan, *items, *capacity, few, element_size);
    *items = grown;
    *capacity = grown_capacity;
    return SHOAL_OK;
}

void clone_array_release(clone_plan *plan, void *items, size_t capacity, const void *few, size_t element_size) {
    if (items != few) {
        memory_release(&plan->world->memory, SHOAL_PURPOSE_SCRATCH, items, capacity * element_size, 16);
    }
}

/* ---- the tree ---- */

static shoal_status node_add(clone_plan *plan, shoal_entity source) {
    if (plan->node_count == plan->node_capacity) {
        void *nodes = plan->nodes;
        shoal_status status = clone_array_grow(plan, &nodes, &plan->node_capacity, plan->few_nodes, sizeof(clone_node));
        plan->nodes = nodes;
        if (status != SHOAL_OK) {
            return status;
        }
    }
    plan->nodes[plan->node_count++] = (clone_node){.source = source, .parent = CLONE_OUTSIDE};
    return SHOAL_OK;
}

static shoal_status map_make(clone_plan *plan) {
    size_t capacity = (size_t)bit_ceil(plan->node_count * 3); /* an entity and at most one archetype each */
    size_t few = sizeof plan->few_entries / sizeof plan->few_entries[0];
    clone_map_entry *entries = plan->few_entries;
    if (capacity > few) {
        entries = memory_allocate_zero(&plan->world->memory, SHOAL_PURPOSE_SCRATCH, capacity * sizeof *entries, 16);
    }
    if (entries == NULL) {
        return world_fail(plan->world, memory_failure(&plan->world->memory), plan->call);
    }
    plan->map = (clone_map){.entries = entries, .capacity = capacity > few ? capacity : few};
    return SHOAL_OK;
}

/* All nodes, the map, and who is whose parent. */
static shoal_status tree_collect(clone_plan *plan, shoal_entity root) {
    const relation_store *children = store_relation(plan->world, plan->world->child_of_id);
    shoal_status status = node_add(plan, root);
    shoal_entity at = root;
    while (status == SHOAL_OK && plan->is_tree && children != NULL && relation_tree_next(children, root, &at)) {
        status = node_add(plan, at);
    }
    if (status != SHOAL_OK || !plan->is_tree) {
        return status;
    }
    status = map_make(plan);
    for (size_t i = 0; status == SHOAL_OK && i < plan->node_count; i++) {
        clone_node *node = &plan->nodes[i];
        *clone_map_at(&plan->map, node->source.bits) =
            (clone_map_entry){.key = node->source.bits, .number = (uint32_t)i};
        node->parent = i != 0 ? clone_node_of(plan, relation_target(children, node->source)) : CLONE_OUTSIDE;
    }
    return status;
}

/* ---- archetypes and room ---- */

/* Where the copies of one node go: its archetype, without Prefab for an instance, with the values for the root. */
static shoal_status target_find(clone_plan *plan, clone_node *node) {
    shoal_archetype *source = clone_source_place(plan, node).archetype;
    const shoal_component prefab = {plan->world->prefab_id};
    transition_keys keys = {.remove = &prefab, .remove_count = plan->is_instance};
    if (node == plan->nodes) {
        keys.add = plan->values;
        keys.add_count = plan->value_count;
    }
    node->target = source;
    if (keys.add_count != 0 || (plan->is_instance && (source->hidden & ARCHETYPE_PREFAB))) {
        node->edge = transition_find(plan->world, source, &keys, plan->call);
        node->target = node->edge != NULL ? node->edge->target : NULL;
    }
    return node->target != NULL ? SHOAL_OK : world_error(plan->world)->status;
}

/* True when the caller gave the copied roots a component. */
static bool is_given(const clone_plan *plan, uint32_t id) {
    for (size_t i = 0; i < plan->value_count; i++) {
        if (plan->values[i].component.id == id) {
            return true;
        }
    }
    return false;
}

/* A copy with a split relation that leads into the tree has another target, and so another archetype, than its original
   and than any other copy. */
static shoal_status target_turn(clone_plan *plan, clone_node *node, const loose_store *loose) {
    uint32_t number = clone_node_of(plan, relation_target(loose->relation, node->source));
    if (number == CLONE_OUTSIDE || (node == plan->nodes && is_given(plan, loose->type->id))) {
        return SHOAL_OK;
    }
    if (plan->count > 1) {
        return error_detail(
            world_error(plan->world), SHOAL_COMPONENT_KIND, plan->call,
            "%s is split and leads from one entity of the tree to another, so each of the %zu copies has "
            "archetypes of its own; make one copy a call",
            loose->type->def.name, plan->count);
    }
    const shoal_transition *edge =
        loose_split_edge(plan->world, node->target, loose->type, clone_copy_at(plan, 0, number), plan->call);
    if (edge == NULL) {
        return world_error(plan->world)->status;
    }
    node->target = edge->target;
    node->edge = node->edge != NULL ? node->edge : edge;
    return SHOAL_OK;
}

static shoal_status targets_turn(clone_plan *plan, clone_node *node) {
    shoal_status status = SHOAL_OK;
    for (size_t k = 0; plan->is_tree && k < plan->world->loose_count && status == SHOAL_OK; k++) {
        const loose_store *loose = (const loose_store *)plan->world->loose.items + k;
        status = loose->type->def.split ? target_turn(plan, node, loose) : SHOAL_OK;
    }
    return status;
}

/* Chains the nodes that have one target, so that each target's rows are promised at once. */
static void targets_link(clone_plan *plan) {
    for (size_t i = 0; i < plan->node_count; i++) {
        clone_node *node = &plan->nodes[i];
        node->rows = node->target != NULL ? plan->count : 0;
        if (node->target == NULL || plan->map.capacity == 0) {
            continue;
        }
        uint64_t key = (uint64_t)node->target->index + 1;
        clone_map_entry *entry = clone_map_at(&plan->map, key);
        if (entry->key != 0) {
            clone_node *before = &plan->nodes[entry->number];
            node->before = entry->number + 1;
            node->rows += before->rows;
            before->rows = 0;
        }
        *entry = (clone_map_entry){.key = key, .number = (uint32_t)i};
    }
}

static shoal_status targets_find(clone_plan *plan) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; status == SHOAL_OK && i < plan->node_count; i++) {
        status = target_find(plan, &plan->nodes[i]);
        status = status == SHOAL_OK ? targets_turn(plan, &plan->nodes[i]) : status;
        plan->notifies = plan->notifies || (status == SHOAL_OK && plan->nodes[i].target->notifies);
    }
    if (status == SHOAL_OK) {
        targets_link(plan);
    }
    return status;
}

static shoal_status rows_promise(clone_plan *plan) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; status == SHOAL_OK && i < plan->node_count; i++) {
        const clone_node *node = &plan->nodes[i];
        status = node->rows != 0 ? archetype_promise(plan->world, node->target, node->rows) : SHOAL_OK;
    }
    return status == SHOAL_OK ? SHOAL_OK : world_fail(plan->world, status, plan->call);
}

/* Ends the promises; chunks without a row go. */
static void rows_settle(clone_plan *plan) {
    for (size_t i = 0; i < plan->node_count; i++) {
        if (plan->nodes[i].rows != 0) {
            archetype_settle(plan->world, plan->nodes[i].target);
        }
    }
}

static void targets_torture(clone_plan *plan) {
    for (size_t i = 0; UNLIKELY(plan->world->move_rows) && i < plan->node_count; i++) {
        if (plan->nodes[i].rows != 0) {
            change_torture(plan->world, plan->nodes[i].target);
        }
    }
}

/* The slots, and the handles that they will give. */
static shoal_status slots_prepare(clone_plan *plan) {
    shoal_world *world = plan->world;
    uint64_t room = world->index.slot_limit - world->index.live_count;
    if (plan->count > room / plan->node_count) {
        return world_fail(world, SHOAL_ENTITY_LIMIT, plan->call);
    }
    size_t total = plan->count * plan->node_count;
    bool is_ready = total == 1 && index_ready(&world->index); /* preparing counts the free slots of a page */
    shoal_status status = is_ready ? SHOAL_OK : index_prepare(&world->index, total);
    plan->copies = plan->few_copies;
    if (status == SHOAL_OK && total > 1) {
        plan->copies = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, total * sizeof(shoal_entity), 16);
        status = plan->copies != NULL ? SHOAL_OK : memory_failure(&world->memory);
    }
    if (status != SHOAL_OK) {
        return world_fail(world, status, plan->call);
    }
    if (total > 1) {
        index_peek_many(&world->index, total, plan->copies);
    } else {
        plan->copies[0] = index_peek(&world->index);
    }
    return SHOAL_OK;
}

/* ---- hooks ---- */

/* True when a component of a copy has a value that was copied or given. */
static bool value_is_set(const clone_plan *plan, const clone_node *node, const component_type *type) {
    bool is_set =
        archetype_find(node->from.archetype, type->id) != ARCHETYPE_NONE && type->def.storage != SHOAL_STORAGE_CHUNK;
    for (size_t i = 0; !is_set && node == plan->nodes && i < plan->value_count; i++) {
        is_set = plan->values[i].component.id == type->id && plan->values[i].data != NULL;
    }
    return is_set && type->def.size != 0;
}

static void row_notify(const clone_plan *plan, size_t copy, size_t number, notify_kind kind) {
    const clone_node *node = &plan->nodes[number];
    shoal_world *world = plan->world;
    shoal_entity entity = clone_copy_at(plan, copy, number);
    for (uint32_t i = 0; node->target->notifies && i < node->target->component_count; i++) {
        const component_type *type = component_type_at(node->target->ids[i]);
        if (type->in_archetype && clone_is_told(type, kind, value_is_set(plan, node, type))) {
            void *value = notify_value(row_of(world, index_find(&world->index, entity)), type);
            notify_call(world, type, kind, entity, (shoal_entity){0}, value);
        }
    }
}

/* For each copy of the tree: on_add of all its entities, then on_set. */
static void clone_notify(const clone_plan *plan) {
    for (size_t copy = 0; plan->notifies && copy < plan->count; copy++) {
        for (notify_kind kind = NOTIFY_ADD; kind <= NOTIFY_SET; kind++) {
            for (size_t i = 0; i < plan->node_count; i++) {
                row_notify(plan, copy, i, kind);
            }
            clone_loose_notify(plan, copy, kind);
        }
    }
}

/* ---- the call as a whole ---- */

static void plan_begin(clone_plan *plan) {
    plan->nodes = plan->few_nodes;
    plan->node_capacity = sizeof plan->few_nodes / sizeof plan->few_nodes[0];
    plan->items = plan->few_items;
    plan->item_capacity = sizeof plan->few_items / sizeof plan->few_items[0];
}

static void plan_release(clone_plan *plan) {
    shoal_memory *memory = &plan->world->memory;
    clone_array_release(plan, plan->items, plan->item_capacity, plan->few_items, sizeof(clone_item));
    if (plan->copies != NULL && plan->copies != plan->few_copies) {
        memory_release(memory, SHOAL_PURPOSE_SCRATCH, plan->copies,
                       plan->count * plan->node_count * sizeof(shoal_entity), 16);
    }
    if (plan->map.capacity != 0 && plan->map.entries != plan->few_entries) {
        memory_release(memory, SHOAL_PURPOSE_SCRATCH, plan->map.entries, plan->map.capacity * sizeof(clone_map_entry),
                       16);
    }
    clone_array_release(plan, plan->nodes, plan->node_capacity, plan->few_nodes, sizeof(clone_node));
}

static shoal_status clone_prepare(clone_plan *plan, shoal_entity root) {
    shoal_status status = tree_collect(plan, root);
    status = status == SHOAL_OK ? slots_prepare(plan) : status; /* targets may depend on the handles to come */
    status = status == SHOAL_OK ? targets_find(plan) : status;
    status = status == SHOAL_OK ? clone_given_stage(plan) : status;
    status = status == SHOAL_OK ? rows_promise(plan) : status;
    status = status == SHOAL_OK ? clone_rows_make(plan) : status;
    status = status == SHOAL_OK ? clone_loose_prepare(plan) : status;
    return status == SHOAL_OK ? clone_names_make(plan) : status;
}

static void clone_undo(clone_plan *plan) {
    clone_names_undo(plan);
    clone_rows_unmake(plan);
    rows_settle(plan);
    if (plan->count > 1 || plan->is_tree) {
        world_give_back(plan->world);
    }
}

/* Makes the copies, whose roots go to `roots`. */
static shoal_status clone_make(clone_plan *plan, shoal_entity root, shoal_entity *roots) {
    plan_begin(plan);
    transition_bound(plan->world);
    shoal_status status = clone_prepare(plan, root);
    if (status == SHOAL_OK) {
        clone_rows_commit(plan);
        rows_settle(plan);
        clone_loose_commit(plan);
        clone_notify(plan);
        for (size_t copy = 0; roots != NULL && copy < plan->count; copy++) {
            roots[copy] = clone_copy_at(plan, copy, 0);
        }
        targets_torture(plan);
    } else {
        clone_undo(plan);
    }
    clone_loose_release(plan, status != SHOAL_OK);
    clone_given_release(plan, status != SHOAL_OK);
    plan_release(plan);
    world_note_idle(plan->world);
    return status;
}

/* The checks that all calls make. */
static shoal_status clone_enter(shoal_world *world, shoal_entity root, const char *call) {
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    const index_record *record = index_find(&world->index, root);
    if (record == NULL) {
        return world_fail_entity(world, call, root);
    }
    bool is_dying = row_of(world, record).archetype->hidden & ARCHETYPE_DYING;
    return is_dying ? error_entity(world_error(world), SHOAL_ENTITY_DYING, call, root) : SHOAL_OK;
}

/* An entity that is nothing but bytes in a row, with room for another; null where there is more to it. */
static shoal_entity clone_plain(shoal_world *world, shoal_entity source) {
    row_place from = row_of(world, index_find(&world->index, source));
    shoal_archetype *archetype = from.archetype;
    if (archetype->careful || archetype->open == NULL || !index_ready(&world->index) || world->move_rows ||
        index_extra(&world->index, shoal_entity_index(source))) {
        return (shoal_entity){0};
    }
    for (uint32_t column = 0; column < archetype->column_count; column++) {
        copy_value(row_open_value(archetype, column), archetype_value(archetype, from.chunk, column, from.row),
                   archetype->columns[column].byte_size);
    }
    index_record *record;
    shoal_entity copy = index_take(&world->index, &record);
    row_commit(archetype, copy, record);
    return copy;
}

shoal_entity shoal_clone(shoal_world *world, shoal_entity source) {
    static const char call[] = "shoal_clone";
    shoal_entity copy = {0};
    if (clone_enter(world, source, call) != SHOAL_OK) {
        return copy;
    }
    copy = clone_plain(world, source);
    if (shoal_entity_is_null(copy)) {
        clone_plan plan = {.world = world, .call = call, .count = 1};
        (void)clone_make(&plan, source, &copy);
    }
    return copy;
}

shoal_entity shoal_clone_tree(shoal_world *world, shoal_entity root) {
    static const char call[] = "shoal_clone_tree";
    shoal_entity copy = {0};
    if (clone_enter(world, root, call) == SHOAL_OK) {
        clone_plan plan = {.world = world, .call = call, .count = 1, .is_tree = true};
        (void)clone_make(&plan, root, &copy);
    }
    return copy;
}

/* The parent is one value more, so that it is checked as any link, and named twice as any component. */
static shoal_status instantiate_below(clone_plan *plan, shoal_entity root, const shoal_instantiate_def *def) {
    shoal_memory *memory = &plan->world->memory;
    size_t bytes = (def->value_count + 1) * sizeof(shoal_value);
    shoal_value *values = memory_allocate(memory, SHOAL_PURPOSE_SCRATCH, bytes, 16);
    if (values == NULL) {
        return world_fail(plan->world, memory_failure(memory), plan->call);
    }
    if (def->value_count != 0) {
        memcpy(values, def->values, def->value_count * sizeof(shoal_value));
    }
    values[def->value_count] =
        (shoal_value){.component = {plan->world->child_of_id}, .data = &(shoal_link){.target = def->parent}};
    plan->values = values;
    plan->value_count = def->value_count + 1;
    shoal_status status = clone_make(plan, root, def->entities);
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, values, bytes, 16);
    return status;
}

shoal_status shoal_instantiate(shoal_world *world, shoal_entity root, const shoal_instantiate_def *def) {
    static const char call[] = "shoal_instantiate";
    shoal_status status = clone_enter(world, root, call);
    if (status != SHOAL_OK) {
        return status;
    }
    if (def == NULL || (def->values == NULL && def->value_count != 0)) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    clone_plan plan = {.world = world,
                       .call = call,
                       .count = def->count != 0 ? def->count : 1,
                       .is_tree = true,
                       .is_instance = true,
                       .values = def->values,
                       .value_count = def->value_count};
    return shoal_entity_is_null(def->parent) ? clone_make(&plan, root, def->entities)
                                             : instantiate_below(&plan, root, def);
}

/* ---- prefabs ---- */

/* The edges that add Prefab to those that do not have it, and room for their rows. */
static shoal_status prefab_prepare(clone_plan *plan, shoal_entity root) {
    const shoal_value prefab = {.component = {plan->world->prefab_id}};
    transition_keys keys = {.add = &prefab, .add_count = 1};
    shoal_status status = tree_collect(plan, root);
    for (size_t i = 0; i < plan->node_count && status == SHOAL_OK; i++) {
        clone_node *node = &plan->nodes[i];
        shoal_archetype *source = clone_source_place(plan, node).archetype;
        if (!(source->hidden & ARCHETYPE_PREFAB)) { /* else it is one already */
            node->edge = transition_find(plan->world, source, &keys, plan->call);
            node->target = node->edge != NULL ? node->edge->target : NULL;
            status = node->edge != NULL ? SHOAL_OK : world_error(plan->world)->status;
        }
    }
    if (status == SHOAL_OK) {
        targets_link(plan);
        status = rows_promise(plan);
    }
    return status;
}

static void prefab_commit(clone_plan *plan) {
    shoal_world *world = plan->world;
    for (size_t i = 0; i < plan->node_count; i++) {
        const clone_node *node = &plan->nodes[i];
        index_record *record = index_find(&world->index, node->source);
        if (node->edge != NULL) {
            row_move(world, row_of(world, record), node->edge, node->source, record);
        }
    }
    rows_settle(plan);
    for (size_t i = 0; UNLIKELY(world->move_rows) && i < plan->node_count; i++) {
        if (plan->nodes[i].edge != NULL) {
            change_torture(world, plan->nodes[i].edge->source);
        }
    }
    targets_torture(plan);
}

shoal_status shoal_make_prefab(shoal_world *world, shoal_entity root) {
    static const char call[] = "shoal_make_prefab";
    shoal_status status = clone_enter(world, root, call);
    if (status != SHOAL_OK) {
        return status;
    }
    clone_plan plan = {.world = world, .call = call, .count = 1, .is_tree = true};
    plan_begin(&plan);
    transition_bound(world);
    status = prefab_prepare(&plan, root);
    if (status == SHOAL_OK) {
        prefab_commit(&plan);
    } else {
        rows_settle(&plan);
        world_give_back(world);
    }
    plan_release(&plan);
    world_note_idle(world);
    return status;
}
