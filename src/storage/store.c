/*
 * The table of stores; see store.h. Thread rule: world.
 */
#include "store.h"

#include <stdio.h>
#include <string.h>

#include "row.h"

#define STORES_SMALLEST 16u

static size_t store_bytes(const component_type *type) {
    switch (type->def.storage) {
    case SHOAL_STORAGE_SPARSE:
        return sizeof(sparse_set);
    case SHOAL_STORAGE_RELATION:
        return sizeof(relation_store);
    default:
        return sizeof(shared_table);
    }
}

static shoal_purpose store_purpose(const component_type *type) {
    switch (type->def.storage) {
    case SHOAL_STORAGE_SPARSE:
        return SHOAL_PURPOSE_SPARSE;
    case SHOAL_STORAGE_RELATION:
        return SHOAL_PURPOSE_RELATION;
    default:
        return SHOAL_PURPOSE_SHARED;
    }
}

static bool table_reserve(shoal_world *world, uint32_t id) {
    if (id < world->store_capacity) {
        return true;
    }
    uint32_t capacity = world->store_capacity < STORES_SMALLEST ? STORES_SMALLEST : world->store_capacity * 2;
    capacity = capacity <= id ? id + 1 : capacity;
    void **stores =
        memory_allocate_zero(&world->memory, SHOAL_PURPOSE_WORLD, (size_t)capacity * 2 * sizeof(void *), 16);
    if (stores == NULL) {
        return false;
    }
    sparse_set **quick = (sparse_set **)(void *)(stores + capacity);
    if (world->store_capacity != 0) {
        memcpy(stores, world->stores, world->store_capacity * sizeof(void *));
        memcpy(quick, world->quick_sparse, world->store_capacity * sizeof(void *));
    }
    memory_release(&world->memory, SHOAL_PURPOSE_WORLD, world->stores,
                   (size_t)world->store_capacity * 2 * sizeof(void *), 16);
    world->stores = stores;
    world->quick_sparse = quick;
    world->store_capacity = capacity;
    return true;
}

/* True for a type whose values are bytes, and adding and removing which concerns nobody else. */
static bool type_is_quick(const component_type *type) {
    const shoal_component_def *def = &type->def;
    return !type->hooked && !type->notifies && def->validate == NULL && def->default_value == NULL &&
           def->required_count == 0;
}

static void store_init(shoal_world *world, const component_type *type, void *store) {
    bool is_sparse = type->def.storage == SHOAL_STORAGE_SPARSE;
    if (is_sparse) {
        sparse_init(store, &world->memory, SHOAL_PURPOSE_SPARSE, type,
                    (sparse_values){.bytes = type->def.size,
                                    .alignment = type->def.alignment,
                                    .hooked = type->hooked,
                                    .stable = type->def.stable});
        world->quick_sparse[type->id] = type_is_quick(type) ? store : NULL;
    } else if (type->def.storage == SHOAL_STORAGE_RELATION) {
        relation_init(store, &world->memory, type);
    } else {
        shared_init(store, &world->memory, type);
        return;
    }
    ((loose_store *)world->loose.items)[world->loose_count++] =
        (loose_store){.type = type, .sparse = is_sparse ? store : NULL, .relation = is_sparse ? NULL : store};
}

void *store_obtain(shoal_world *world, const component_type *type) {
    void *store = store_at(world, type->id);
    if (LIKELY(store != NULL)) {
        return store;
    }
    if (!table_reserve(world, type->id) ||
        memory_array_reserve(&world->memory, SHOAL_PURPOSE_WORLD, &world->loose, world->loose_count + 1,
                             sizeof(loose_store)) != SHOAL_OK) {
        return NULL;
    }
    store = memory_allocate_zero(&world->memory, store_purpose(type), store_bytes(type), 64);
    if (store != NULL) {
        store_init(world, type, store);
        world->stores[type->id] = store;
    }
    return store;
}

shoal_status store_shared_value(shoal_world *world, const component_type *type, const void *value, uint32_t *number) {
    shared_table *table = store_obtain(world, type);
    shoal_status status = table == NULL ? memory_failure(&world->memory) : shared_obtain(table, value, number);
    if (status == SHOAL_OK && UNLIKELY(table->count >= world->shared_value_warning) && !table->warned) {
        table->warned = true;
        world_log(world, SHOAL_LOG_WARNING,
                  "shared component %s has %u distinct values in this world; each splits archetypes and chunks. A "
                  "component that differs for nearly every entity is better a table component",
                  type->def.name, (unsigned)table->count);
    }
    return status;
}

bool store_entity_has(const shoal_world *world, shoal_entity entity, const component_type *type) {
    const index_record *record = index_find(&world->index, entity);
    if (record == NULL || type->def.storage == SHOAL_STORAGE_UNIQUE) {
        return false;
    }
    return type->in_archetype ? archetype_find(row_of(world, record).archetype, type->id) != ARCHETYPE_NONE
                              : store_has(world, type, entity);
}

void *store_entity_value(const shoal_world *world, shoal_entity entity, const component_type *type) {
    if (!store_entity_has(world, entity, type) || type->def.size == 0 || type->def.storage == SHOAL_STORAGE_RELATION) {
        return NULL;
    }
    if (type->def.storage == SHOAL_STORAGE_SPARSE) {
        const sparse_set *set = store_sparse(world, type->id);
        return sparse_value(set, sparse_number(set, entity));
    }
    return row_value(row_of(world, index_find(&world->index, entity)), type);
}

void stores_trim(shoal_world *world) {
    for (uint32_t id = 0; id < world->store_capacity; id++) {
        void *store = world->stores[id];
        if (store == NULL) {
            continue;
        }
        switch (component_type_at(id)->def.storage) {
        case SHOAL_STORAGE_SPARSE:
            sparse_trim(store);
            break;
        case SHOAL_STORAGE_RELATION:
            relation_trim(store);
            break;
        default:
            shared_trim(store);
            break;
        }
    }
}

void stores_deinit(shoal_world *world) {
    for (uint32_t id = 0; id < world->store_capacity; id++) {
        void *store = world->stores[id];
        if (store == NULL) {
            continue;
        }
        const component_type *type = component_type_at(id);
        switch (type->def.storage) {
        case SHOAL_STORAGE_SPARSE:
            sparse_end_values(store);
            sparse_deinit(store);
            break;
        case SHOAL_STORAGE_RELATION:
            relation_deinit(store);
            break;
        default:
            shared_deinit(store);
            break;
        }
        memory_release(&world->memory, store_purpose(type), store, store_bytes(type), 64);
    }
    memory_release(&world->memory, SHOAL_PURPOSE_WORLD, world->stores,
                   (size_t)world->store_capacity * 2 * sizeof(void *), 16);
    memory_array_release(&world->memory, SHOAL_PURPOSE_WORLD, &world->loose, sizeof(loose_store));
    world->stores = NULL;
    world->store_capacity = 0;
    world->loose_count = 0;
}

/* Each entity of a sparse set (of a relation: each source) is alive, and its slot has the extra bit. */
static bool members_are_alive(const shoal_world *world, const loose_store *loose, char *reason, size_t reason_size) {
    const sparse_set *set = loose->sparse != NULL ? loose->sparse : &loose->relation->forward;
    for (uint32_t i = 0; i < set->count; i++) {
        shoal_entity entity = set->entities[i];
        if (index_find(&world->index, entity) == NULL || !index_extra(&world->index, shoal_entity_index(entity))) {
            (void)snprintf(reason, reason_size, "%s: entity %u is not alive or its slot has no extra bit",
                           loose->type->def.name, shoal_entity_index(entity));
            return false;
        }
        for (relation_link *link = loose->relation != NULL ? relation_link_first(loose->relation, i) : NULL;
             link != NULL; link = relation_link_next(loose->relation, link)) {
            if (index_find(&world->index, link->target) == NULL ||
                !index_extra(&world->index, shoal_entity_index(link->target))) {
                (void)snprintf(reason, reason_size, "%s: target %u of entity %u is not alive or has no extra bit",
                               loose->type->def.name, shoal_entity_index(link->target), shoal_entity_index(entity));
                return false;
            }
        }
    }
    return true;
}

/* Each named entity is alive, has its extra bit, and its name is filed under its parent. */
static bool names_are_alive(const shoal_world *world, char *reason, size_t reason_size) {
    const relation_store *tree = store_relation(world, world->child_of_id);
    for (uint32_t i = 0; i < world->names.bucket_count; i++) {
        const name_entry *entry = world->names.buckets[i];
        if (entry == NULL) {
            continue;
        }
        shoal_entity parent = tree != NULL ? relation_target(tree, entry->entity) : (shoal_entity){0};
        if (index_find(&world->index, entry->entity) == NULL ||
            !index_extra(&world->index, shoal_entity_index(entry->entity)) || parent.bits != entry->parent.bits) {
            (void)snprintf(reason, reason_size,
                           "name \"%.100s\": entity %u is not alive, has no extra bit or another parent", entry->text,
                           shoal_entity_index(entry->entity));
            return false;
        }
    }
    return true;
}

/* The target that an archetype has for a split relation; 0 when it has none. */
static uint64_t archetype_target(const shoal_archetype *archetype, uint32_t id) {
    uint32_t number = archetype_shared_number(archetype, id);
    return number != ARCHETYPE_NONE ? archetype->more->shared[number].key : 0;
}

/* "split": each source is in an archetype of its target, and there are no other rows in such archetypes. */
static bool split_is_sound(const shoal_world *world, const loose_store *loose, char *reason, size_t reason_size) {
    const sparse_set *sources = &loose->relation->forward;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < sources->count; i++) {
        const index_record *record = index_find(&world->index, sources->entities[i]);
        const shoal_archetype *archetype = row_of(world, record).archetype;
        if (archetype_target(archetype, loose->type->id) != relation_link_first(loose->relation, i)->target.bits) {
            (void)snprintf(reason, reason_size, "%s: entity %u is in an archetype of another target",
                           loose->type->def.name, shoal_entity_index(sources->entities[i]));
            return false;
        }
    }
    for (uint32_t age = 0; age < world->archetype_count; age++) {
        rows += archetype_target(world->by_age[age], loose->type->id) != 0 ? world->by_age[age]->row_count : 0;
    }
    if (rows != sources->count) {
        (void)snprintf(reason, reason_size, "%s: %llu rows in archetypes of targets, but %u sources",
                       loose->type->def.name, (unsigned long long)rows, (unsigned)sources->count);
    }
    return rows == sources->count;
}

bool stores_validate(const shoal_world *world, char *reason, size_t reason_size) {
    for (size_t i = 0; i < world->loose_count; i++) {
        const loose_store *loose = (const loose_store *)world->loose.items + i;
        bool sound = loose->sparse != NULL ? sparse_validate(loose->sparse, reason, reason_size)
                                           : relation_validate(loose->relation, reason, reason_size);
        if (!sound || !members_are_alive(world, loose, reason, reason_size) ||
            (loose->type->def.split && !split_is_sound(world, loose, reason, reason_size))) {
            return false;
        }
    }
    for (uint32_t id = 0; id < world->store_capacity; id++) {
        if (world->stores[id] != NULL && component_type_at(id)->def.storage == SHOAL_STORAGE_SHARED &&
            !shared_validate(world->stores[id], reason, reason_size)) {
            return false;
        }
    }
    return names_are_alive(world, reason, reason_size);
}
