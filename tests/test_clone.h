/*
 * What the tests of clones share: component types of every kind, a scene with all of them, and entities as text.
 *
 * The scene is a ship with turrets and a gun, below a fleet and beside a port. Links and entity fields lead from one
 * entity of the ship to another, out of the ship and into it. The Owned values of each tracker tell whether each copy
 * was made and ended once.
 */
#ifndef SHOAL_TESTS_TEST_CLONE_H
#define SHOAL_TESTS_TEST_CLONE_H

#include "support/components.h"
#include "support/fixture.h"
#include "support/text.h"

#define MOST_NODES 16

extern tracker crate_tracker;
extern tracker seal_tracker;
extern tracker oath_tracker;
extern tracker locker_tracker;

typedef struct Awake {
    int32_t value;
} Awake;

typedef struct Faction {
    int32_t id;
} Faction;

typedef struct Bounds {
    int32_t radius;
} Bounds;

typedef struct Waypoint {
    int32_t number;
    shoal_entity at;
} Waypoint;

typedef struct Mark {
    int32_t number;
    shoal_entity who;
} Mark;

typedef struct Holds {
    int32_t count;
    shoal_entity maker;
} Holds;

typedef struct Engine {
    int32_t power;
} Engine;

typedef struct Hull {
    int32_t points;
} Hull;

typedef Owned Crate;  /* elements of a buffer */
typedef Owned Seal;   /* sparse */
typedef Owned Oath;   /* data of a relation */
typedef Owned Locker; /* of a chunk */

SHOAL_COMPONENT_DECLARE(Awake)
SHOAL_COMPONENT_DECLARE(Faction)
SHOAL_COMPONENT_DECLARE(Bounds)
SHOAL_COMPONENT_DECLARE(Waypoint)
SHOAL_COMPONENT_DECLARE(Crate)
SHOAL_COMPONENT_DECLARE(Mark)
SHOAL_COMPONENT_DECLARE(Seal)
SHOAL_TAG_DECLARE(Burning)
SHOAL_RELATION_DECLARE(Owner)
SHOAL_RELATION_DECLARE(Likes)
SHOAL_COMPONENT_DECLARE(Holds)
SHOAL_COMPONENT_DECLARE(Oath)
SHOAL_COMPONENT_DECLARE(Locker)
SHOAL_COMPONENT_DECLARE(Engine)
SHOAL_COMPONENT_DECLARE(Hull)

/* ---- entities as text ---- */

/* A tree and its copy: handles of one are written as those of the other. */
typedef struct pairs {
    shoal_entity from[MOST_NODES];
    shoal_entity to[MOST_NODES];
    size_t count;
} pairs;

/* Both are equal; frees both. */
void text_check(text_buffer *actual, text_buffer *expected);

/* Appends all that an entity has, with the handles of `map` replaced; `skipped` leaves three components out. */
void entity_describe(text_buffer *to, const pairs *map, shoal_world *world, shoal_entity entity,
                     const shoal_component *skipped);

/* All entities, with names and depths, and the sources of each in their order. */
text_buffer world_describe(shoal_world *world);

/* ---- the scene ---- */

/* ship: turret (gun: barrel), turret, deck. The names are those of the members. */
typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_entity fleet; /* the parent of the ship */
    shoal_entity port;  /* outside of the tree */
    shoal_entity ship, turret, gun, barrel, second, deck;
    Owned own;       /* a value of the test's own */
    int64_t live[4]; /* of the trackers of this file, when the scene was made */
} scene;

/* Makes an entity; fails the test when it cannot. */
shoal_entity scene_spawn(shoal_world *world, const shoal_value *values, size_t count);

void scene_start(scene *s, const shoal_world_def *def);

/* Ends the world; nothing has leaked. */
void scene_end(scene *s);

#endif
