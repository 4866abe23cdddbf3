/*
 * Copies of entities and of whole trees, many at once.
 *
 *     nodes    n0 n1 n2 ...             the entities of the tree, parents before their children; n0 is the root
 *     copies   n0' n1' n2' ... | n0" n1" n2" ... | ...     the handles to come: `count` copies of the tree
 *
 * A plan prepares all that can fail: archetypes, slots, room, the values of all rows (written behind the last row of
 * their archetypes, column by column: the copies of one node are one run there), copies of hooked loose values, names.
 * Nothing of that can be seen, and clone_release() takes it back. Then comes the commit, which cannot fail: slots are
 * taken, rows counted, loose components put in place copy by copy, so that `count` copies at once come out as `count`
 * calls would have made them; entity fields that lead into the tree are turned to the same copy; hooks are told last.
 * Thread rule: world.
 */
#ifndef SHOAL_CHANGE_CLONE_H
#define SHOAL_CHANGE_CLONE_H

#include <shoal/prefab.h>

#include "change.h"
#include "loose.h"

#define CLONE_OUTSIDE UINT32_MAX /* the number of an entity that is not in the tree */

/* One entity of the tree. */
typedef struct clone_node {
    shoal_entity source;
    shoal_archetype *target;      /* of its copies */
    const shoal_transition *edge; /* from its archetype to the target, or to one with the same columns; NULL: they are
                                     one */
    row_place from;               /* of the source, once all room has been made */
    uint64_t rows;                /* of this node's copies and those of the ones before with the same target, where no
                                     later one has it; else 0 */
    uint32_t before;              /* 1 + the number of the last node before it with the same target; 0: none */
    uint32_t parent;              /* the number of its parent; the root's is CLONE_OUTSIDE */
    uint32_t chunk, row;          /* where the run of its copies begins */
    uint32_t made;                /* columns of its copies that are written */
} clone_node;

/* Open addressing, at most two thirds full: from entities and archetypes to numbers of nodes. */
typedef struct clone_map_entry {
    uint64_t key; /* bits of a handle, or 1 + index of an archetype (handles have the highest bit set); 0: free */
    uint32_t number;
} clone_map_entry;

typedef struct clone_map {
    clone_map_entry *entries;
    size_t capacity; /* a power of two; 0: there is no map */
} clone_map;

/* A value that the caller gave for the copied roots. */
typedef struct clone_given {
    const component_type *type;
    void *value;         /* a copy as it is stored; NULL: none was given, or it is a shared one */
    char *chunk_copies;  /* of a chunk component: a copy for each chunk that the roots come into */
    shoal_entity target; /* of a relation */
} clone_given;

/* A sparse value or a link that the copies of one node get. */
typedef struct clone_item {
    const component_type *type;
    sparse_set *sparse; /* one of the two is NULL */
    relation_store *relation;
    uint32_t node;
    uint32_t target_node; /* of a relation: the node that it leads to */
    shoal_entity target;  /* where that is CLONE_OUTSIDE */
    const void *value;    /* what is copied; NULL: there is no data, or it is the default */
    char *staged;         /* a value for each copy, when making one can fail */
    bool is_copied;       /* else given or required */
    bool has_data;        /* for on_set */
} clone_item;

typedef struct clone_plan {
    shoal_world *world;
    const char *call;
    size_t count;     /* copies of the tree */
    bool is_tree;     /* descendants, names, and what leads from inside to inside */
    bool is_instance; /* without Prefab and without the root's parent */
    bool is_named;    /* names have been given */
    bool notifies;    /* some hook is to be told */
    clone_node *nodes;
    size_t node_count;
    size_t node_capacity;
    shoal_entity *copies;
    clone_map map;
    const shoal_value *values; /* for the copied roots */
    clone_given *given;        /* beside each */
    size_t value_count;
    size_t chunk_runs; /* chunks that the copied roots come into */
    clone_item *items;
    size_t item_count;
    size_t item_capacity;
    uint64_t cascade_links; /* to come, of relations that destroy their sources */

    clone_node few_nodes[1];
    clone_item few_items[2];
    shoal_entity few_copies[1];
    clone_map_entry few_entries[8];
} clone_plan;

/* The handle of the copy of a node in one copy of the tree. */
static ALWAYS_INLINE shoal_entity clone_copy_at(const clone_plan *plan, size_t copy, size_t node) {
    return plan->copies[copy * plan->node_count + node];
}

/* The entry of a key, or the free one where it belongs. */
static inline clone_map_entry *clone_map_at(const clone_map *map, uint64_t key) {
    size_t mask = map->capacity - 1;
    size_t at = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & mask;
    while (map->entries[at].key != key && map->entries[at].key != 0) {
        at = (at + 1) & mask;
    }
    return &map->entries[at];
}

/* The number of the node that an entity is, or CLONE_OUTSIDE. */
static inline uint32_t clone_node_of(const clone_plan *plan, shoal_entity entity) {
    if (plan->map.capacity == 0 || shoal_entity_is_null(entity)) {
        return CLONE_OUTSIDE;
    }
    const clone_map_entry *entry = clone_map_at(&plan->map, entity.bits);
    return entry->key != 0 ? entry->number : CLONE_OUTSIDE;
}

/* Makes room for one element more in an array that begins with a few in the plan itself. */
shoal_status clone_array_grow(clone_plan *plan, void **items, size_t *capacity, const void *few, size_t element_size);
void clone_array_release(clone_plan *plan, void *items, size_t capacity, const void *few, size_t element_size);

/* What a hook is told of, or shown. */
static ALWAYS_INLINE bool clone_is_told(const component_type *type, notify_kind kind, bool has_data) {
    return UNLIKELY(type->notifies) && (kind == NOTIFY_ADD || has_data);
}

/* Where the source of a node is now. */
static inline row_place clone_source_place(const clone_plan *plan, const clone_node *node) {
    return row_of(plan->world, index_find(&plan->world->index, node->source));
}

/* ---- clone_rows.c; errors are stored ---- */

/* Checks the caller's values and copies them; gives the copies back. */
shoal_status clone_given_stage(clone_plan *plan);
void clone_given_release(clone_plan *plan, bool end_chunk_copies);

/* Writes the values of all rows, which have been promised; no room is made from here on. Ends what has been written. */
shoal_status clone_rows_make(clone_plan *plan);
void clone_rows_unmake(clone_plan *plan);

/* Takes the slots, places and counts the rows, turns their entity fields. */
void clone_rows_commit(clone_plan *plan);

/* ---- clone_loose.c ---- */

/* Checks and reserves the loose components of all copies and stages their values. The error is stored. */
shoal_status clone_loose_prepare(clone_plan *plan);

/* Names the copies of named nodes below the root; these names are not found before the commit by anybody who has no
   handle to come. The error is stored. */
shoal_status clone_names_make(clone_plan *plan);
void clone_names_undo(clone_plan *plan);

/* Puts all loose components in place. The hooks are told by clone_loose_notify(). */
void clone_loose_commit(clone_plan *plan);
void clone_loose_notify(const clone_plan *plan, size_t copy, notify_kind kind);

/* Gives scratch memory and reservations back; staged values are ended unless they have been taken over. */
void clone_loose_release(clone_plan *plan, bool end_values);

#endif
