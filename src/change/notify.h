/*
 * Telling on_add, on_set and on_remove. The world is locked while a hook runs. Thread rule: world.
 */
#ifndef SHOAL_CHANGE_NOTIFY_H
#define SHOAL_CHANGE_NOTIFY_H

#include "../storage/row.h"
#include "../storage/store.h"

/* What has happened to a component. */
typedef enum notify_kind { NOTIFY_ADD, NOTIFY_SET, NOTIFY_REMOVE } notify_kind;

/* Tells the type's hook, if it has one. */
void notify_call(shoal_world *world, const component_type *type, notify_kind kind, shoal_entity entity,
                 shoal_entity target, void *value);

static ALWAYS_INLINE void notify(shoal_world *world, const component_type *type, notify_kind kind, shoal_entity entity,
                                 shoal_entity target, void *value) {
    if (UNLIKELY(type->notifies)) {
        notify_call(world, type, kind, entity, target, value);
    }
}

/* The value of a component of the archetype at an entity's place: of a row, a chunk or a group; NULL for a tag. */
static inline void *notify_value(row_place place, const component_type *type) {
    return row_value(place, type);
}

/* All components of the entity's archetype: on_add for each, then on_set for each that has a value. */
void notify_row_added(shoal_world *world, shoal_entity entity, row_place place);

/* All components of the entity's archetype: on_remove for each. */
void notify_row_removed(shoal_world *world, shoal_entity entity, row_place place);

/* Those that an edge takes away, while they are there. */
void notify_edge_removed(shoal_world *world, const shoal_transition *edge, shoal_entity entity, row_place place);

/* Those that an edge has added: on_add for what the source did not have, or on_set for each value that was given. Loose
   ones are left out. `values` are the edge's added keys. */
void notify_edge_new(shoal_world *world, const shoal_transition *edge, shoal_entity entity, row_place place);
void notify_edge_given(shoal_world *world, const shoal_transition *edge, const shoal_value *values, shoal_entity entity,
                       row_place place);

/* Loose components of an entity: on_remove for each; relations once for each target. */
void notify_loose_removed(shoal_world *world, shoal_entity entity);

#endif
