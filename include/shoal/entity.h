/**
 * @file entity.h
 * Structural changes, applied at once, and access to one entity's data.
 *
 *     shoal_entity e = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 2, 3), SHOAL_DEFAULT(Frozen)));
 *     shoal_add(world, e, SHOAL_ID(Health), &(Health){80});
 *     Position *position = SHOAL_GET_MUT(world, e, Position);
 *
 * A structural change first checks everything, then allocates all that it needs, then changes: a call that
 * fails leaves the world as it was. While a view is open or a callback runs it is refused with WORLD_LOCKED;
 * record it in a command buffer then. It makes every pointer into the rows of the archetypes that it touches
 * stale (docs/semantics.md has the table); handles stay.
 *
 * What a component's value is depends on its kind (shoal_component_def::storage): for a buffer it is a shoal_span, for
 * a relation a shoal_link, for all others `size` bytes. A shared value belongs to a group of entities and a chunk value
 * to all entities of a chunk: setting a shared one moves the entity to another group, so it is a structural change;
 * setting a chunk value changes that of the chunk in which the entity is. Uniques belong to no entity: COMPONENT_KIND.
 *
 * Every call here can return, beside what its comment names: INVALID_ARGUMENT for a null pointer; ENTITY_NULL,
 * ENTITY_DEAD, ENTITY_FOREIGN or ENTITY_PLACEHOLDER for a bad handle; COMPONENT_INVALID for a bad component.
 * Each structural change can also return OUT_OF_MEMORY, MEMORY_LIMIT, WORLD_LOCKED, ARCHETYPE_LIMIT,
 * ROW_TOO_LARGE, VALUE_REFUSED or HOOK_FAILED where a component has hooks, ENTITY_DYING for an entity that was
 * destroyed and still has cleanup components, and the statuses of relation.h where a component is a relation.
 */
#ifndef SHOAL_ENTITY_H
#define SHOAL_ENTITY_H

#include <shoal/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A component with a value for it: `data` is read during the call only. */
typedef struct shoal_value {
    shoal_component component; /**< whose value */
    const void *data;          /**< the component's size in bytes; NULL for its default; ignored for a tag */
} shoal_value;

/* clang-format off */

/** A value given in place: SHOAL_VALUE(Position, 1, 2, 3). Of a buffer: SHOAL_ITEMS; of a relation: SHOAL_TO. */
#define SHOAL_VALUE(Type, ...)                                                                                         \
    {                                                                                                                  \
        shoal_component_of_value(&shoal_slot_##Type), &(Type) {                                                        \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
/** A tag, or a component with its default value. */
#define SHOAL_DEFAULT(Type)                                                                                            \
    { SHOAL_ID(Type), NULL }

/* clang-format on */

/** The two arguments (array, count) that the calls below take. */
#define SHOAL_VALUES(...)                                                                                              \
    (const shoal_value[]){__VA_ARGS__}, sizeof((const shoal_value[]){__VA_ARGS__}) / sizeof(shoal_value)
/** The same for components without values. */
#define SHOAL_COMPONENTS(...)                                                                                          \
    (const shoal_component[]){__VA_ARGS__}, sizeof((const shoal_component[]){__VA_ARGS__}) / sizeof(shoal_component)

/* ---- spawn ---- */

/**
 * Makes an entity with these components; it takes the free slot with the lowest index. Returns null on failure:
 * COMPONENT_DUPLICATE, ENTITY_LIMIT, and the common ones. Thread: world.
 */
SHOAL_API shoal_entity shoal_spawn(shoal_world *world, const shoal_value *values, size_t value_count);

/**
 * The same at a chosen handle, for ids that come from elsewhere (a server, a file). The slot must be free, its
 * generation not above the handle's; the world tag must be this world's. SLOT_TAKEN, GENERATION_USED (also for a
 * retired slot), ENTITY_FOREIGN, ENTITY_LIMIT. Thread: world.
 */
SHOAL_API shoal_status shoal_spawn_at(shoal_world *world, shoal_entity chosen, const shoal_value *values,
                                      size_t value_count);

/** The handle that slot `index` of this world has at `generation`, for shoal_spawn_at(). Thread: read. */
SHOAL_API shoal_entity shoal_entity_make(const shoal_world *world, uint32_t index, uint16_t generation);

/**
 * Takes `count` slots from `first_index` on out of those that shoal_spawn() hands out; only shoal_spawn_at()
 * uses them from then on. SLOT_TAKEN when a live entity is in the range (nothing is reserved then), ENTITY_LIMIT
 * when the range ends beyond the world's limit. A call goes through all ranges that do not touch. Thread: world.
 */
SHOAL_API shoal_status shoal_reserve_range(shoal_world *world, uint32_t first_index, uint64_t count);

/**
 * Fills values of new rows in place: rows `first` to `first + count - 1` of the bulk, whose entities and columns
 * are given (a column for each of `columns` in the definition, NULL for tags). The world is locked meanwhile.
 */
typedef void (*shoal_fill_fn)(void *user, size_t first, size_t count, const shoal_entity *entities,
                              void *const *columns);

/** Many entities of one archetype; zero-initialised members mean none. */
typedef struct shoal_spawn_many_def {
    size_t count;               /**< entities to make */
    const shoal_value *values;  /**< components with one value for all */
    size_t value_count;         /**< of `values` */
    const shoal_value *columns; /**< components with `count` values each, tight; data NULL: default, for `fill` */
    size_t column_count;        /**< of `columns` */
    shoal_fill_fn fill;         /**< called for each run of rows after the columns are copied; may be NULL */
    void *user;                 /**< handed to `fill` */
    shoal_entity *entities;     /**< out: `count` handles; may be NULL */
} shoal_spawn_many_def;

/**
 * Makes `def->count` entities, all or none. The handles are those that as many calls of shoal_spawn() would have
 * given. Shared and chunk values, and the target of a split relation, go among `values`, one for all; among `columns`
 * they are COMPONENT_KIND. COMPONENT_DUPLICATE, ENTITY_LIMIT. Thread: world.
 */
SHOAL_API shoal_status shoal_spawn_many(shoal_world *world, const shoal_spawn_many_def *def);

/** Makes an entity with copies of all components of `source`, its relations too; sources that have a relation to it
   stay with it, and its name is not copied. Null on failure. Thread: world. */
SHOAL_API shoal_entity shoal_clone(shoal_world *world, shoal_entity source);

/* ---- destroy ---- */

/**
 * Destroys an entity; its handle is dead for ever. Relations that lead to it do what their types say: they go, or their
 * sources are destroyed as well (children of a parent), or they refuse it with TARGET_HELD, and nothing is destroyed
 * then. An entity with cleanup components stays, with these alone and the tag Dying, until the last of them is removed;
 * destroying it again changes nothing. Thread: world.
 */
SHOAL_API shoal_status shoal_destroy(shoal_world *world, shoal_entity entity);

/**
 * Destroys `count` entities, all or none: a bad handle anywhere leaves all of them alive. An entity may be named
 * more than once. Thread: world.
 */
SHOAL_API shoal_status shoal_destroy_many(shoal_world *world, const shoal_entity *entities, size_t count);

/* ---- change ---- */

/**
 * Gives the entity a component, and what that requires (see shoal_component_def::required). If it already has it, a
 * non-null `data` replaces the value and NULL leaves it as it is. Thread: world.
 */
SHOAL_API shoal_status shoal_add(shoal_world *world, shoal_entity entity, shoal_component component, const void *data);

/** Takes a component from the entity; it is no error if the entity does not have it. Of a relation all targets go.
    Removing the last cleanup component of a dying entity ends it. Thread: world. */
SHOAL_API shoal_status shoal_remove(shoal_world *world, shoal_entity entity, shoal_component component);

/**
 * Replaces the value of a component that the entity has; not a structural change, so it works while a view is
 * open, but for a shared value, which decides the entity's archetype (WORLD_LOCKED). WORLD_LOCKED while systems run.
 * COMPONENT_MISSING; TERM_WITHOUT_DATA for a tag. Thread: world.
 */
SHOAL_API shoal_status shoal_set(shoal_world *world, shoal_entity entity, shoal_component component, const void *data);

/** Takes all components from the entity, relations too; it stays alive. Relations that lead to it stay. Thread: world.
 */
SHOAL_API shoal_status shoal_clear(shoal_world *world, shoal_entity entity);

/** Several changes in one move. A component may be named once only (COMPONENT_DUPLICATE). */
typedef struct shoal_change {
    const shoal_value *add;        /**< as shoal_add() */
    size_t add_count;              /**< of `add` */
    const shoal_component *remove; /**< as shoal_remove() */
    size_t remove_count;           /**< of `remove` */
} shoal_change;

/** Makes all changes of `change` in one move, or none. COMPONENT_DUPLICATE. Thread: world. */
SHOAL_API shoal_status shoal_change_entity(shoal_world *world, shoal_entity entity, const shoal_change *change);

/** Typed forms, with the value in place: SHOAL_ADD(world, entity, Health, 80). Not for buffers and relations, whose
    values are a shoal_span and a shoal_link. */
#define SHOAL_ADD(world, entity, Type, ...)                                                                            \
    shoal_add((world), (entity), shoal_component_of_value(&shoal_slot_##Type), &(Type){__VA_ARGS__})
/** The same for shoal_set(). */
#define SHOAL_SET(world, entity, Type, ...)                                                                            \
    shoal_set((world), (entity), shoal_component_of_value(&shoal_slot_##Type), &(Type){__VA_ARGS__})

/* ---- enabling ---- */

/**
 * Sets the enable bit of a component with the trait `toggle`; a component that is added is enabled. Not a structural
 * change: the value stays, and it works while a view is open (a view that neither orders nor groups sees it from the
 * next 64 rows on, counted from the start of a chunk). COMPONENT_MISSING; COMPONENT_KIND for a type without the trait;
 * WORLD_LOCKED while systems run. Thread: world.
 */
SHOAL_API shoal_status shoal_enable(shoal_world *world, shoal_entity entity, shoal_component component);

/** Clears the enable bit. Thread: world. */
SHOAL_API shoal_status shoal_disable(shoal_world *world, shoal_entity entity, shoal_component component);

/** True when the entity has the component and it is enabled; one without the trait always is. Thread: read. */
SHOAL_API bool shoal_is_enabled(const shoal_world *world, shoal_entity entity, shoal_component component);

/* ---- access ---- */

/** True for an entity that was destroyed and still has cleanup components; shoal_is_alive() is true for it as well.
    Thread: read. */
SHOAL_API bool shoal_is_dying(const shoal_world *world, shoal_entity entity);

/** True for a live entity of this world; no error is recorded. Thread: read. */
SHOAL_API bool shoal_is_alive(const shoal_world *world, shoal_entity entity);

/** True when the entity is alive and has the component; no error is recorded. Thread: read. */
SHOAL_API bool shoal_has(const shoal_world *world, shoal_entity entity, shoal_component component);

/**
 * The entity's value, or NULL: COMPONENT_MISSING, TERM_WITHOUT_DATA for a tag, COMPONENT_KIND for a buffer, a relation
 * and a unique, which have calls of their own. Valid until the next structural change of the entity's archetype; of a
 * sparse component, until the next change of the type, or as long as the entity has it where the type is stable.
 * Thread: read (a failure is recorded for one thread only).
 */
SHOAL_API const void *shoal_get(const shoal_world *world, shoal_entity entity, shoal_component component);

/** The same for writing; COMPONENT_KIND for a shared value, which only shoal_set() changes. Thread: read, where no two
    threads write one value. */
SHOAL_API void *shoal_get_mut(shoal_world *world, shoal_entity entity, shoal_component component);

/**
 * Looks up one component of many entities, with prefetch: `data[i]` becomes the value of `entities[i]`, or NULL
 * where shoal_get() would fail. Returns how many are not NULL; no error is recorded for the others. An invalid
 * component or a null pointer gives 0 and INVALID_ARGUMENT or COMPONENT_INVALID. Validity as shoal_get().
 * Thread: read.
 */
SHOAL_API size_t shoal_get_many(const shoal_world *world, const shoal_entity *entities, size_t count,
                                shoal_component component, const void **data);

/** The same for writing. Thread: read, where no two threads write one value. */
SHOAL_API size_t shoal_get_many_mut(shoal_world *world, const shoal_entity *entities, size_t count,
                                    shoal_component component, void **data);

/** SHOAL_GET(world, entity, Position) is a const Position *. */
#define SHOAL_GET(world, entity, Type) ((const Type *)shoal_get((world), (entity), SHOAL_ID(Type)))
/** SHOAL_GET_MUT(world, entity, Position) is a Position *. */
#define SHOAL_GET_MUT(world, entity, Type) ((Type *)shoal_get_mut((world), (entity), SHOAL_ID(Type)))
/** shoal_has() by type. */
#define SHOAL_HAS(world, entity, Type) shoal_has((world), (entity), SHOAL_ID(Type))

/**
 * The components of an entity that make up its archetype, sorted as in shoal_archetype_info; valid until the entity
 * changes. NULL and a count of 0 for a bad handle. shoal_next_component() also gives sparse ones and relations.
 * Thread: read.
 */
SHOAL_API const shoal_component *shoal_components_of(const shoal_world *world, shoal_entity entity,
                                                     size_t *component_count);

/** Walks all components of an entity, of every kind: start with a null `*component`; false at the end. Thread: read. */
SHOAL_API bool shoal_next_component(const shoal_world *world, shoal_entity entity, shoal_component *component);

/**
 * Walks the live entities by index: start with a null `*entity`; false at the end. Thread: read.
 */
SHOAL_API bool shoal_next_entity(const shoal_world *world, shoal_entity *entity);

#ifdef __cplusplus
}
#endif

#endif
