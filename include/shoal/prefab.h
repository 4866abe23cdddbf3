/**
 * @file prefab.h
 * Copies of whole trees, and prefabs: trees that are kept out of queries and serve as patterns.
 *
 *     shoal_make_prefab(world, ship);
 *     shoal_entity fleet[100];
 *     shoal_instantiate(world, ship, &(shoal_instantiate_def){
 *         .count = 100, .values = SHOAL_VALUES(SHOAL_VALUE(Hull, 80)), .entities = fleet});
 *
 * A tree is an entity with all its descendants by ChildOf. Its copy has the same shape, order and names. Entity
 * fields and relations that lead from one entity of the tree to another lead to the copy of the other; those that lead
 * out of the tree stay as they are. Entity fields of shared values stay as they are as well, since another value would
 * be another group, and so do those of values that a caller gives. Chunk values are not copied: a copy has that of the
 * chunk in which it comes to lie.
 */
#ifndef SHOAL_PREFAB_H
#define SHOAL_PREFAB_H

#include <shoal/relation.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The tag of prefabs. Queries see entities that have it only where they name it. Thread: any. */
SHOAL_API extern shoal_component_slot shoal_slot_Prefab;

/** The tag of entities that were destroyed and still have cleanup components. Queries see them only where they name it;
    it cannot be added or removed. Thread: any. */
SHOAL_API extern shoal_component_slot shoal_slot_Dying;

/** Gives all entities of a tree the tag Prefab, all or none. Thread: world. */
SHOAL_API shoal_status shoal_make_prefab(shoal_world *world, shoal_entity root);

/** Copies a tree, as shoal_clone() copies one entity: the copy has the parent of the root, and the root's name is left
    out. Null on failure. Thread: world. */
SHOAL_API shoal_entity shoal_clone_tree(shoal_world *world, shoal_entity root);

/** How to instantiate; zero-initialised members mean none. */
typedef struct shoal_instantiate_def {
    size_t count;              /**< copies; 0 means 1 */
    const shoal_value *values; /**< components of the copied roots, added or replaced */
    size_t value_count;        /**< of `values` */
    shoal_entity parent;       /**< of the copied roots; null: none */
    shoal_entity *entities;    /**< out: `count` roots; may be NULL */
} shoal_instantiate_def;

/**
 * Copies a tree `def->count` times without the tag Prefab, all or none. It need not be a prefab. COMPONENT_DUPLICATE
 * when a component is given twice, or Prefab at all; COMPONENT_KIND when `count` is above 1 and a split relation leads
 * from one entity of the tree to another; ENTITY_LIMIT, and what shoal_spawn() can return. Thread: world.
 */
SHOAL_API shoal_status shoal_instantiate(shoal_world *world, shoal_entity root, const shoal_instantiate_def *def);

#ifdef __cplusplus
}
#endif

#endif
