/**
 * @file unique.h
 * Uniques: components of which a world has one value, and no entity: a clock, settings, a random generator.
 *
 *     typedef struct { float gravity; } Physics;
 *     SHOAL_COMPONENT(Physics, .storage = SHOAL_STORAGE_UNIQUE)
 *     shoal_unique_set(world, SHOAL_ID(Physics), &(Physics){9.81f});
 *
 * A query may name a unique: a term that needs it matches nothing while it is not there. Setting and removing one is
 * refused while a view is open only where that would change what the view matches: when it is not there yet, or goes.
 */
#ifndef SHOAL_UNIQUE_H
#define SHOAL_UNIQUE_H

#include <shoal/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sets the value; NULL sets the type's default. COMPONENT_INVALID, COMPONENT_KIND, OUT_OF_MEMORY, MEMORY_LIMIT,
    VALUE_REFUSED, HOOK_FAILED; WORLD_LOCKED when a view is open and the value is not there yet, and while
    systems run. Thread: world. */
SHOAL_API shoal_status shoal_unique_set(shoal_world *world, shoal_component component, const void *data);

/** The value, or NULL: NOT_FOUND, COMPONENT_INVALID, COMPONENT_KIND. Valid until it is removed. Thread: read. */
SHOAL_API const void *shoal_unique_get(const shoal_world *world, shoal_component component);

/** The same for writing; its tick becomes the world's. Thread: world. */
SHOAL_API void *shoal_unique_get_mut(shoal_world *world, shoal_component component);

/** True when it is there. Thread: read. */
SHOAL_API bool shoal_unique_has(const shoal_world *world, shoal_component component);

/** Removes the value; no error if it is not there. WORLD_LOCKED while a view is open. Thread: world. */
SHOAL_API shoal_status shoal_unique_remove(shoal_world *world, shoal_component component);

/** The world's tick when the value was last set or taken for writing; 0 when it is not there. Thread: read. */
SHOAL_API uint64_t shoal_unique_tick(const shoal_world *world, shoal_component component);

/** SHOAL_UNIQUE(world, Physics) is a const Physics *. */
#define SHOAL_UNIQUE(world, Type) ((const Type *)shoal_unique_get((world), SHOAL_ID(Type)))
/** SHOAL_UNIQUE_MUT(world, Physics) is a Physics *. */
#define SHOAL_UNIQUE_MUT(world, Type) ((Type *)shoal_unique_get_mut((world), SHOAL_ID(Type)))
/** SHOAL_UNIQUE_SET(world, Physics, 9.81f). */
#define SHOAL_UNIQUE_SET(world, Type, ...)                                                                             \
    shoal_unique_set((world), shoal_component_of_value(&shoal_slot_##Type), &(Type){__VA_ARGS__})

/** The world's tick: 1 in a new world. Thread: read. */
SHOAL_API uint64_t shoal_world_tick(const shoal_world *world);

/** Begins the next tick and returns it; 0 with WORLD_LOCKED while systems run. Thread: world. */
SHOAL_API uint64_t shoal_world_next_tick(shoal_world *world);

#ifdef __cplusplus
}
#endif

#endif
