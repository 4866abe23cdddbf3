/*
 * The end of entities: what a destroy takes with it, what refuses it, what stays behind.
 *
 * A destroy has a plan and a commit. The plan lists the doomed: the entities that were named, and what relations with
 * the policy DESTROY lead to, breadth first; all of them carry INDEX_MARK. It asks the relations with the policy
 * REFUSE, and makes room for the rows of those that stay behind with cleanup components. The commit goes from the last
 * to the first, so that sources end before their targets, and cannot fail. Nothing here recurses. Thread rule: world.
 */
#ifndef SHOAL_CHANGE_DESTROY_H
#define SHOAL_CHANGE_DESTROY_H

#include "change.h"

/* The doomed of one destroy. */
typedef struct destroy_plan {
    shoal_entity *doomed;
    size_t count;
    size_t capacity; /* of the scratch memory when `is_scratch` */
    bool is_scratch; /* else it is the world's own list */
    bool promises;   /* rows have been promised, which the commit settles; those of a command buffer are its own */
    shoal_entity one[1];
} destroy_plan;

/* True when the end of an entity is nothing but the end of its row. */
static ALWAYS_INLINE bool destroy_is_simple(const shoal_world *world, shoal_entity entity,
                                            const shoal_archetype *archetype) {
    return LIKELY(archetype->ends_simply) && (LIKELY(world->loose_count == 0 && world->names.count == 0) ||
                                              LIKELY(!index_extra(&world->index, shoal_entity_index(entity))));
}

/* Plans the end of entities that are alive; TARGET_HELD, OUT_OF_MEMORY, MEMORY_LIMIT. Duplicates are fine. Of one
   entity with `is_promised` only TARGET_HELD. */
shoal_status destroy_plan_make(shoal_world *world, const shoal_entity *entities, size_t count, bool is_promised,
                               destroy_plan *plan, const char *call);

/* Carries the plan out and releases it. */
void destroy_commit(shoal_world *world, destroy_plan *plan);

/* The end of one entity without a plan: of a dying one that has lost its last cleanup component. */
void destroy_dead(shoal_world *world, shoal_entity entity);

/* The edge that an entity takes which stays behind with its cleanup components; made if there is none. NULL with the
   error stored. The archetype keeps it, so that a commit finds it. */
const shoal_transition *destroy_dying_edge(shoal_world *world, shoal_archetype *source, const char *call);

#endif
