/*
 * The reference world of all kinds: the slots of naive_slots.h, and one list of links for all relations. Like
 * naive_world.h it does what the headers of Shoal say in the most obvious way, and shares no code with Shoal; an
 * operation gives an outcome, and changes nothing when it fails.
 *
 * The links of all relations stand in the order in which they came. So the targets of a source, and the sources of a
 * target, are those links that name it, in that order; shoal_order_source() moves a link. Chunk values are not kept,
 * only that an entity has one. full_world.c has slots and components, full_links.c links, trees, names and destroying,
 * full_copies.c clones and prefabs, full_terms.c what queries match.
 */
#ifndef SHOAL_TESTS_FULL_WORLD_H
#define SHOAL_TESTS_FULL_WORLD_H

#include "full_types.h"
#include "naive_slots.h"

#include <shoal/query.h>

#define FULL_NAME_SIZE 8
#define FULL_VALUES_MAX 12
#define FULL_NONE SIZE_MAX

/* What an entity has; beside its slot. */
typedef struct full_slot {
    bool dying;
    full_mask mask;     /* what it has, without relations */
    full_mask disabled; /* toggles among them that are off */
    uint64_t payload[FULL_ENTITY_COUNT];
    full_items items[FULL_BUFFER_COUNT];
    char name[FULL_NAME_SIZE]; /* empty: none */
} full_slot;

typedef struct full_link {
    full_type relation;
    shoal_entity source;
    shoal_entity target;
    uint64_t payload;
} full_link;

typedef struct full_unique {
    bool is_there;
    uint64_t payload;
    uint64_t tick;
} full_unique;

typedef struct full_world {
    naive_slots slots;
    full_link *links;
    size_t link_count;
    size_t link_capacity;
    full_unique uniques[FULL_COUNT - FULL_CLOCK];
    uint64_t tick;
} full_world;

typedef struct full_change {
    const full_value *add;
    size_t add_count;
    const full_type *remove;
    size_t remove_count;
} full_change;

/* ---- the world and its slots ---- */

void full_init(full_world *full, const shoal_world *world, uint64_t entity_limit);
void full_free(full_world *full);
void full_copy(full_world *copy, const full_world *full);

/* What lies beside a slot below slots.count, and beside that of a live entity, or NULL. */
full_slot *full_slot_at(const full_world *full, size_t index);
full_slot *full_slot_of(const full_world *full, shoal_entity entity);
/* The handle that a slot has now, also when it is free. */
shoal_entity full_handle(const full_world *full, size_t index);
/* Why a handle cannot be used, or 0. */
naive_outcome full_check(const full_world *full, shoal_entity entity);

/* ---- components ---- */

bool full_has(const full_world *full, shoal_entity entity, full_type type);
bool full_is_on(const full_world *full, shoal_entity entity, full_type type);
full_items *full_items_of(full_slot *slot, full_type type);
/* What is wrong with giving `entity` (alive, or the next one) these values; `is_new`: it has no slot yet. */
naive_outcome full_check_values(const full_world *full, shoal_entity entity, const full_value *values, size_t count);
naive_outcome full_check_change(const full_world *full, shoal_entity entity, const full_change *change);
/* Gives what has been checked, with all that it requires and that `removed` does not name. */
void full_give_all(full_world *full, shoal_entity entity, const full_value *values, size_t count, full_mask removed);

naive_outcome full_spawn(full_world *full, const full_value *values, size_t count, shoal_entity *entity);
naive_outcome full_spawn_at(full_world *full, shoal_entity chosen, const full_value *values, size_t count);
naive_outcome full_apply_change(full_world *full, shoal_entity entity, const full_change *change);
naive_outcome full_add(full_world *full, shoal_entity entity, const full_value *value);
naive_outcome full_remove(full_world *full, shoal_entity entity, full_type type);
naive_outcome full_set(full_world *full, shoal_entity entity, const full_value *value);
naive_outcome full_clear(full_world *full, shoal_entity entity);
naive_outcome full_enable(full_world *full, shoal_entity entity, full_type type, bool on);

/* ---- full_links.c ---- */

/* The first link at or behind place `from` with this relation, source and target; null ones are any. FULL_NONE: none.
 */
size_t full_link_find(const full_world *full, size_t from, full_type relation, shoal_entity source,
                      shoal_entity target);
shoal_entity full_target(const full_world *full, full_type relation, shoal_entity source);
uint32_t full_depth(const full_world *full, full_type relation, shoal_entity entity);
naive_outcome full_check_link(const full_world *full, full_type relation, shoal_entity source, shoal_entity target);
naive_outcome full_check_unlink(const full_world *full, full_type relation, shoal_entity source);
/* Adds or replaces a link that has been checked. */
void full_link_put(full_world *full, const full_value *value, shoal_entity source);
/* Removes all links with this relation, source and target; null ones are any. */
void full_unlink(full_world *full, full_type relation, shoal_entity source, shoal_entity target);
/* Appends the entities of the tree below and with `root`, parents before their children; returns how many. */
size_t full_tree(const full_world *full, shoal_entity root, shoal_entity *nodes, size_t limit);

naive_outcome full_unrelate(full_world *full, shoal_entity source, full_type relation, shoal_entity target);
naive_outcome full_order(full_world *full, full_type relation, shoal_entity source, shoal_entity before);
naive_outcome full_set_name(full_world *full, shoal_entity entity, const char *name);
/* The child of a parent (null: the root) of that name, or null. */
shoal_entity full_named(const full_world *full, shoal_entity parent, const char *name);

naive_outcome full_destroy(full_world *full, const shoal_entity *entities, size_t count);
/* Ends a dying entity that has lost its last cleanup component. */
void full_end_if_done(full_world *full, shoal_entity entity);

/* ---- full_copies.c ---- */

/* A copy of an entity, or of its tree. */
typedef struct full_copying {
    shoal_entity root;
    bool is_tree;
    bool is_instance;
    size_t count;
    const full_value *values; /* for the copied roots */
    size_t value_count;
    shoal_entity parent; /* of an instance */
} full_copying;

/* Makes `count` copies; `roots` gets their handles. */
naive_outcome full_copy_entities(full_world *full, const full_copying *copying, shoal_entity *roots);
naive_outcome full_make_prefab(full_world *full, shoal_entity root);

/* ---- uniques ---- */

full_unique *full_unique_of(full_world *full, full_type type);

/* ---- full_terms.c ---- */

/* True when what the term names is there, whatever its access. */
bool full_term_holds(const full_world *full, const shoal_term *term, shoal_entity entity);
/* True when a live entity matches the terms, as query.h defines them. */
bool full_matches(const full_world *full, const shoal_term *terms, size_t term_count, shoal_entity entity);
/* The nearest ancestor that has the component of a term that looks up, or null. */
shoal_entity full_ancestor_with(const full_world *full, const shoal_term *term, shoal_entity entity);

#endif
