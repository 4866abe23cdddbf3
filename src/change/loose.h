/*
 * The part of a change that lies outside of archetypes: sparse components and relations of one entity.
 *
 * loose_prepare() checks the change, makes room and stages values; after it loose_commit() cannot fail. In between
 * nothing that can be seen has changed, and loose_release() takes all of it back. Thread rule: world.
 */
#ifndef SHOAL_CHANGE_LOOSE_H
#define SHOAL_CHANGE_LOOSE_H

#include <shoal/relation.h>

#include "notify.h"

/* One loose component of the change. */
typedef struct loose_item {
    const component_type *type;
    sparse_set *sparse; /* one of the two is NULL; both when it removes from a store that was never made */
    relation_store *relation;
    shoal_entity target; /* of a relation that is added; of one that is removed: null means all */
    void *staged;        /* value or data, in scratch memory; NULL: none, or the default */
    bool removes;
    bool is_given; /* a caller gave the value */
    bool is_new;   /* after the commit: the entity did not have it */
} loose_item;

typedef struct loose_plan {
    loose_item few[4];
    loose_item *items;
    size_t count;
    size_t capacity;
} loose_plan;

/* Prepares the loose keys of an edge, and what it implies, for an entity that is alive or the next to be spawned. */
shoal_status loose_prepare(shoal_world *world, shoal_entity entity, const shoal_transition *edge,
                           const shoal_value *values, loose_plan *plan, const char *call);

/* Ends staged values that have not been taken over, and gives scratch memory back. */
void loose_release(shoal_world *world, loose_plan *plan);

/* Makes the change: removals, of which the hooks are told, then additions. `entity` has its slot. */
void loose_commit(shoal_world *world, shoal_entity entity, loose_plan *plan);

/* Tells the hooks of the additions: on_add of all that are new, or on_set of all that were given. */
void loose_notify(shoal_world *world, shoal_entity entity, const loose_plan *plan, notify_kind kind);

/* ---- the steps of single components, for what has been made room for ---- */

/* Checks that a relation to `target` can be: alive, not dying, no cycle, no name that is taken. */
shoal_status loose_check_link(shoal_world *world, const component_type *type, shoal_entity source, shoal_entity target,
                              const char *call);

/* Checks that a source may lose its link: of ChildOf it becomes a root then, where its name must be free. NAME_TAKEN.
 */
shoal_status loose_check_unlink(shoal_world *world, const component_type *type, shoal_entity source, const char *call);

/* Adds or replaces a link, with names, extra bits and cascades; `data` is taken over. Hooks are told of a link that it
   replaces, not of the new one: loose_notify_link() does that. True when the link is new. */
bool loose_link(shoal_world *world, relation_store *store, shoal_entity source, shoal_entity target, void *data);
void loose_notify_link(shoal_world *world, const relation_store *store, shoal_entity source, shoal_entity target,
                       notify_kind kind);

/* The edge that a row takes when its entity gets another target of a split relation (null: none any more); required
   components are left out. Made if there is none: NULL with the error stored. The one to a target is gone with it. */
const shoal_transition *loose_split_edge(shoal_world *world, shoal_archetype *archetype, const component_type *type,
                                         shoal_entity target, const char *call);

/* Takes the row of an entity along such an edge, which is there, as is its room; the links stay as they are. */
void loose_split_move(shoal_world *world, const component_type *type, shoal_entity entity, shoal_entity target);

/* Removes a link (null target: all of the source's) and tells the hooks. */
void loose_unlink(shoal_world *world, relation_store *store, shoal_entity source, shoal_entity target);

/* Adds or replaces a sparse value; `value` is taken over, NULL: the default, which needs no hook. True when it is new.
   Hooks are told by loose_notify_value(). */
bool loose_put(shoal_world *world, sparse_set *set, shoal_entity entity, void *value);
void loose_notify_value(shoal_world *world, const sparse_set *set, shoal_entity entity, notify_kind kind);

/* Removes a sparse value and tells the hook. */
void loose_take(shoal_world *world, sparse_set *set, shoal_entity entity);

/* Removes all that an entity has, and all links that lead to it; hooks of what the entity itself has are told before,
   by notify_loose_removed(); those of the sources here. */
void loose_end(shoal_world *world, shoal_entity entity);

/* Removes all that an entity has, with the hooks: for shoal_clear(). */
void loose_clear(shoal_world *world, shoal_entity entity);

/* ---- many new entities at once ---- */

/* One loose component of a bulk. */
typedef struct loose_column {
    loose_item item;   /* of the type; `staged`: a value for each entity when hooked, else one or none */
    const char *given; /* what the caller gave: one value or link for all, or one for each; NULL: defaults */
    bool is_shared;    /* one for all */
} loose_column;

typedef struct loose_bulk {
    shoal_entity *entities; /* the handles to come */
    size_t count;
    loose_column *columns;
    size_t column_count;
    size_t column_capacity;
} loose_bulk;

/* Bytes of one value as callers give it: of a buffer a span, of a relation a link. */
size_t loose_given_size(const component_type *type);

/* Prepares the loose keys of `count` entities to be spawned: the first `value_count` keys have one value for all. Slots
   have been prepared. */
shoal_status loose_bulk_prepare(shoal_world *world, const shoal_transition *edge, const shoal_value *keys,
                                size_t value_count, size_t count, loose_bulk *bulk, const char *call);

/* Makes the change; then tells the hooks, kind by kind; then releases the plan. */
void loose_bulk_commit(shoal_world *world, loose_bulk *bulk);
void loose_bulk_notify(shoal_world *world, const loose_bulk *bulk, notify_kind kind);
void loose_bulk_release(shoal_world *world, loose_bulk *bulk);

/* Checks a change of the same components for many entities, one after the other, for what its values alone do not show:
   entities that are dying, links that cannot be, names that would meet. The error is stored. */
shoal_status loose_check_all(shoal_world *world, const shoal_entity *entities, size_t count, const shoal_change *change,
                             const char *call);

/* Room in the world's list of a cascade for `more` links. */
shoal_status loose_reserve_cascade(shoal_world *world, const component_type *type, uint64_t more);

#endif
