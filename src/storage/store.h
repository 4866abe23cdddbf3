/*
 * What a world keeps outside of archetypes, by component: sparse sets, relation stores, tables of shared values.
 *
 *     stores[component id] -> sparse_set | relation_store | shared_table, by the type's kind; NULL until first used
 *     loose[0 ... loose_count - 1] -> the sparse sets and relation stores, in the order of first use
 *
 * A store, once made, stays until the world ends, so its address is good. The extra bit of a slot (index.h) says that
 * its entity may have loose components or be a target, so that destroying an entity without any costs one test.
 * Thread rule: finding is "read", all else "world".
 */
#ifndef SHOAL_STORAGE_STORE_H
#define SHOAL_STORAGE_STORE_H

#include "relation.h"
#include "shared.h"
#include "sparse.h"
#include "world.h"

/* The store of a component, or NULL. */
static ALWAYS_INLINE void *store_at(const shoal_world *world, uint32_t id) {
    return id < world->store_capacity ? world->stores[id] : NULL;
}

static ALWAYS_INLINE sparse_set *store_sparse(const shoal_world *world, uint32_t id) {
    return store_at(world, id);
}

static ALWAYS_INLINE relation_store *store_relation(const shoal_world *world, uint32_t id) {
    return store_at(world, id);
}

static ALWAYS_INLINE shared_table *store_shared(const shoal_world *world, uint32_t id) {
    return store_at(world, id);
}

/* The store of a type, made if there is none: of a sparse, relation or shared type. NULL:
 * memory_failure(&world->memory). */
void *store_obtain(shoal_world *world, const component_type *type);

/* The number of a shared value (NULL: the default), found or made; warns at the world's threshold.
   OUT_OF_MEMORY, MEMORY_LIMIT, HOOK_FAILED. */
shoal_status store_shared_value(shoal_world *world, const component_type *type, const void *value, uint32_t *number);

/* The dense number or the link that a loose component of an entity has; false when it has none. */
static inline bool store_has(const shoal_world *world, const component_type *type, shoal_entity entity) {
    if (type->def.storage == SHOAL_STORAGE_SPARSE) {
        const sparse_set *set = store_sparse(world, type->id);
        return set != NULL && sparse_number(set, entity) != UINT32_MAX;
    }
    const relation_store *store = store_relation(world, type->id);
    return store != NULL && sparse_number(&store->forward, entity) != UINT32_MAX;
}

/* Whether a live entity has a component of any kind but unique. */
bool store_entity_has(const shoal_world *world, shoal_entity entity, const component_type *type);

/* Its value: of a row, chunk, group or sparse set; NULL when it has none, or none of these. */
void *store_entity_value(const shoal_world *world, shoal_entity entity, const component_type *type);

/* Gives scratch and unneeded memory of all stores back. */
void stores_trim(shoal_world *world);

/* Ends all values and gives all memory back. */
void stores_deinit(shoal_world *world);

/* Every store by itself, and that each of its entities is alive and has its extra bit. */
bool stores_validate(const shoal_world *world, char *reason, size_t reason_size);

#endif
