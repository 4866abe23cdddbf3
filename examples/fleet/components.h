/*
 * The component types of the program, at least one of each kind that the library knows.
 *
 *     table     Transform, WorldTransform, Hull, Engine, Turret, Gun, Shot, Item, Wreck
 *     toggle    Sleeping       a tag with an enable bit: falling asleep and waking moves no data
 *     shared    Faction        one value for all ships of a faction, which therefore share chunks
 *     chunk     Bounds         where the ships of one chunk, and so of one faction, are
 *     buffer    Waypoint       what is left of a ship's path: four points in the chunk, more on the heap
 *     sparse    Damaged        comes and goes too often to change the archetype each time
 *     unique    Clock, Dice, Reached, Score   one for the world
 *     cleanup   ShipLog        outlives its ship until the loss has been noted
 *     relation  ChildOf (built in), BuiltTo, AimsAt, and Holds, which has data
 *
 * Lengths are metres, angles radians, and one step of the clock is a second.
 */
#ifndef FLEET_COMPONENTS_H
#define FLEET_COMPONENTS_H

#include <shoal/shoal.h>

/* ---- places ---- */

/* Relative to the parent by ChildOf; of an entity without a parent, in the world. */
typedef struct Transform {
    float x, y, angle;
} Transform;

/* Computed from the Transform and the parent's WorldTransform; every Transform brings one with it. */
typedef struct WorldTransform {
    float x, y, angle;
} WorldTransform;

/* ---- ships ---- */

typedef struct Hull {
    float points, full; /* at 0 the ship sinks */
    float length, beam;
} Hull;

typedef struct Engine {
    float speed; /* metres a second */
    float turn;  /* radians a second */
} Engine;

typedef struct Waypoint {
    float x, y;
} Waypoint;

#define FACTION_NAME_BYTES 12

/* Shared values are compared as bytes, so what follows the end of the name must be zeros. */
typedef struct Faction {
    uint32_t colour; /* 0xRRGGBB */
    char name[FACTION_NAME_BYTES];
} Faction;

/* The smallest box round the ships of a chunk. */
typedef struct Bounds {
    float left, top, right, bottom;
} Bounds;

/* Smoke rises for that many more seconds, and the ship is slow. */
typedef struct Damaged {
    int seconds;
} Damaged;

#define SHIP_NAME_BYTES 24

/* All that remains of a ship when it is destroyed. */
typedef struct ShipLog {
    char name[SHIP_NAME_BYTES];
    Faction faction;
    float x, y;
    int second; /* of the last entry */
} ShipLog;

/* A loss that has been noted; an entity of its own. */
typedef struct Wreck {
    ShipLog log;
    int noted; /* the second in which it was */
} Wreck;

/* ---- turrets and guns, children and grandchildren of ships ---- */

typedef struct Turret {
    float radius; /* of the drum */
    float turn;   /* radians a second */
    float rest;   /* angle to the ship without a target */
    float range;
} Turret;

typedef struct Gun {
    float length;
    float damage;
    int reload; /* seconds between two shots */
    int wait;   /* seconds that are left of them */
} Gun;

/* An event, and an entity from the moment in which a gun fires to the end of that second. */
typedef struct Shot {
    shoal_entity target;
    float x, y;   /* where the target is */
    float damage; /* to its hull if it hits */
    float chance; /* 0 to 1 */
} Shot;

/* ---- holdings ---- */

/* A kind of thing: one entity for each kind, and ships hold numbers of it. */
typedef struct Item {
    float weight; /* kg apiece */
} Item;

/* From a ship to an Item; any number of targets. */
typedef struct Holds {
    int count;
} Holds;

/* ---- of the world ---- */

typedef struct Clock {
    int second;
} Clock;

typedef struct Dice {
    uint64_t state;
} Dice;

/* Points of paths that ships reached in this second. */
typedef struct Reached {
    int points;
} Reached;

/* What happened since the start. */
typedef struct Score {
    int shots, hits, woken, points_reached, sunk;
} Score;

SHOAL_COMPONENT_DECLARE(Transform)
SHOAL_COMPONENT_DECLARE(WorldTransform)
SHOAL_COMPONENT_DECLARE(Hull)
SHOAL_COMPONENT_DECLARE(Engine)
SHOAL_COMPONENT_DECLARE(Waypoint)
SHOAL_COMPONENT_DECLARE(Faction)
SHOAL_COMPONENT_DECLARE(Bounds)
SHOAL_COMPONENT_DECLARE(Damaged)
SHOAL_COMPONENT_DECLARE(ShipLog)
SHOAL_COMPONENT_DECLARE(Wreck)
SHOAL_COMPONENT_DECLARE(Turret)
SHOAL_COMPONENT_DECLARE(Gun)
SHOAL_COMPONENT_DECLARE(Shot)
SHOAL_COMPONENT_DECLARE(Item)
SHOAL_COMPONENT_DECLARE(Clock)
SHOAL_COMPONENT_DECLARE(Dice)
SHOAL_COMPONENT_DECLARE(Reached)
SHOAL_COMPONENT_DECLARE(Score)
SHOAL_TAG_DECLARE(Sleeping)
SHOAL_RELATION_DECLARE(Holds)
SHOAL_RELATION_DECLARE(BuiltTo) /* from a ship to the prefab that it is a copy of */
SHOAL_RELATION_DECLARE(AimsAt)  /* from a turret to a ship */

/* Registers all types, so that queries as text know their names. */
shoal_status components_register(void);

#endif
