/**
 * @file relation.h
 * Relations: components that name a target entity, with or without data, found from both ends. They do not change the
 * archetype of an entity, unless they are split.
 *
 *     SHOAL_RELATION(Owner, .exclusive = true)
 *     typedef struct { int count; } Holds;
 *     SHOAL_RELATION_DATA(Holds)
 *
 *     shoal_relate(world, gun, SHOAL_ID(Owner), ship, NULL);
 *     shoal_relate(world, ship, SHOAL_ID(Holds), iron, &(Holds){12});
 *
 *     shoal_source_walk owned = shoal_sources(world, SHOAL_ID(Owner), ship);
 *     while (shoal_sources_next(&owned)) {
 *         for (size_t i = 0; i < owned.count; i++) { ... owned.entities[i] ... }
 *     }
 *
 * Where a call takes the value of a relation (spawn, add, set, commands), it takes a shoal_link, which
 * SHOAL_TO(Owner, ship) makes. shoal_add() with a relation is shoal_relate(), shoal_remove() takes all targets away,
 * shoal_has() says whether there is one.
 *
 * ChildOf is built in: exclusive, acyclic, its sources (the children) in order, destroyed with their parent. Every
 * acyclic relation keeps the depth of its sources: 0 for an entity without a target.
 *
 * A split relation (`.split = true`, exclusive or acyclic) puts the sources of each target into chunks of their own. A
 * query for one target goes by these chunks and looks at no row; a change of the target moves the row, and a target
 * costs an archetype for each set of components that its sources have. So it serves few targets with many sources each.
 * What it does not do: shoal_spawn_many() takes one target for all, a command cannot have a placeholder as target, and
 * a tree in which it leads from one entity to another is copied once a call.
 *
 * Every call can return INVALID_ARGUMENT, COMPONENT_INVALID, COMPONENT_KIND, and an ENTITY_ status for a bad source or
 * target. Those that change something are structural changes: WORLD_LOCKED, OUT_OF_MEMORY, MEMORY_LIMIT.
 */
#ifndef SHOAL_RELATION_H
#define SHOAL_RELATION_H

#include <shoal/entity.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The relation from a child to its parent. Thread: any. */
SHOAL_API extern shoal_component_slot shoal_slot_ChildOf;

/** A target, with data; read during the call only. */
typedef struct shoal_link {
    shoal_entity target; /**< must be alive, and not the source itself where the relation is acyclic */
    const void *data;    /**< the relation's size in bytes; NULL for its default; ignored without data */
} shoal_link;

/* clang-format off */

/** A relation given in place, for SHOAL_VALUES: SHOAL_TO(ChildOf, parent). */
#define SHOAL_TO(Type, target_)                                                                                        \
    { shoal_component_of_storage(&shoal_slot_##Type, SHOAL_STORAGE_RELATION), &(shoal_link){.target = (target_)} }
/** The same with data: SHOAL_TO_WITH(Holds, iron, 12). */
#define SHOAL_TO_WITH(Type, target_, ...)                                                                              \
    { shoal_component_of_storage(&shoal_slot_##Type, SHOAL_STORAGE_RELATION),                                          \
      &(shoal_link){.target = (target_), .data = &(Type){__VA_ARGS__}} }

/* clang-format on */

/**
 * Gives `source` the relation to `target`. If it has it already, non-null data replaces the data. An exclusive
 * relation to another target moves: the source becomes the last one of the new target. RELATION_CYCLE.
 * Thread: world.
 */
SHOAL_API shoal_status shoal_relate(shoal_world *world, shoal_entity source, shoal_component relation,
                                    shoal_entity target, const void *data);

/** Takes the relation to `target` away; a null target: to all. No error if it is not there. Thread: world. */
SHOAL_API shoal_status shoal_unrelate(shoal_world *world, shoal_entity source, shoal_component relation,
                                      shoal_entity target);

/** True when the source has the relation to `target`; a null target: to any. No error is recorded. Thread: read. */
SHOAL_API bool shoal_is_related(const shoal_world *world, shoal_entity source, shoal_component relation,
                                shoal_entity target);

/** The first target, of an exclusive relation the only one; null when there is none. No error is recorded for a
    missing relation. Thread: read. */
SHOAL_API shoal_entity shoal_target(const shoal_world *world, shoal_entity source, shoal_component relation);

/** The data of the relation to `target` (null: to the first one), or NULL: RELATION_MISSING, TERM_WITHOUT_DATA. Valid
    until the next structural change of the relation. Thread: read. */
SHOAL_API const void *shoal_relation_get(const shoal_world *world, shoal_entity source, shoal_component relation,
                                         shoal_entity target);

/** The same for writing. Thread: read, where no two threads write one value. */
SHOAL_API void *shoal_relation_get_mut(shoal_world *world, shoal_entity source, shoal_component relation,
                                       shoal_entity target);

/** A walk over the targets of a source, in the order in which they were given. */
typedef struct shoal_target_walk {
    shoal_entity target; /**< the current one */
    void *data;          /**< its data; NULL without */

    const void *store_; /* private */
    void *cell_;
} shoal_target_walk;

/** Begins a walk over the targets of `source`; of a bad handle there are none. The relation must not change
    meanwhile. Thread: read. */
SHOAL_API shoal_target_walk shoal_targets(const shoal_world *world, shoal_entity source, shoal_component relation);

/** Goes to the next target; false at the end. Thread: read. */
SHOAL_API bool shoal_targets_next(shoal_target_walk *walk);

/** A walk over the sources of a target, in order, a run at a time. */
typedef struct shoal_source_walk {
    const shoal_entity *entities; /**< `count` sources */
    size_t count;                 /**< of this run */

    const void *list_; /* private */
    size_t next_;
} shoal_source_walk;

/** Begins a walk over the sources of `target`; of a bad handle there are none. The relation must not change
    meanwhile. Thread: read. */
SHOAL_API shoal_source_walk shoal_sources(const shoal_world *world, shoal_component relation, shoal_entity target);

/** Goes to the next run; false at the end. Thread: read. */
SHOAL_API bool shoal_sources_next(shoal_source_walk *walk);

/** How many sources a target has. Thread: read. */
SHOAL_API size_t shoal_source_count(const shoal_world *world, shoal_component relation, shoal_entity target);

/* ---- trees ---- */

/** The depth of an entity in an acyclic relation: 0 without a target. 0 and COMPONENT_KIND for another relation.
    Thread: read. */
SHOAL_API uint32_t shoal_depth(const shoal_world *world, shoal_component relation, shoal_entity entity);

/** The parent by ChildOf, or null. Thread: read. */
SHOAL_API shoal_entity shoal_parent(const shoal_world *world, shoal_entity entity);

/** The children by ChildOf: shoal_sources() of ChildOf. Thread: read. */
SHOAL_API shoal_source_walk shoal_children(const shoal_world *world, shoal_entity parent);

/** Makes `child` the last child of `parent`; a null parent makes it a root. Thread: world. */
SHOAL_API shoal_status shoal_set_parent(shoal_world *world, shoal_entity child, shoal_entity parent);

/** Puts a source of an exclusive relation before another source of the same target; a null `before` puts it last.
    RELATION_MISSING when they do not have the same target. Thread: world. */
SHOAL_API shoal_status shoal_order_source(shoal_world *world, shoal_component relation, shoal_entity source,
                                          shoal_entity before);

/**
 * Walks the tree below `root` by an acyclic relation, parents before their children: start with `*entity` = `root`;
 * each call goes to the next descendant; false at the end. Thread: read.
 */
SHOAL_API bool shoal_tree_next(const shoal_world *world, shoal_component relation, shoal_entity root,
                               shoal_entity *entity);

/* ---- names ---- */

/** The longest name in bytes. */
#define SHOAL_NAME_BYTES 255

/**
 * Names an entity; NULL takes its name away. Names are UTF-8 without / and control characters, at most 255 bytes, and
 * no two children of one parent (or roots) have the same: NAME_INVALID, NAME_TAKEN. An entity that gets another parent
 * keeps its name, so that is refused with NAME_TAKEN, too. Thread: world.
 */
SHOAL_API shoal_status shoal_set_name(shoal_world *world, shoal_entity entity, const char *name);

/** The name, or NULL when it has none; valid until it is renamed or destroyed. Thread: read. */
SHOAL_API const char *shoal_name(const shoal_world *world, shoal_entity entity);

/** Finds an entity by its path below `from` (null: from the roots): "ship/turret/gun". Null when there is none:
    NOT_FOUND, which names the part that was not found, or NAME_INVALID. Thread: read. */
SHOAL_API shoal_entity shoal_lookup(const shoal_world *world, shoal_entity from, const char *path);

/** Writes the path of an entity from its root into `text`, which holds `size` bytes; the text is cut to fit and always
    terminated when size > 0. An entity without a name is shown by its handle. Returns the length of the whole path.
    Thread: read. */
SHOAL_API size_t shoal_path(const shoal_world *world, shoal_entity entity, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
