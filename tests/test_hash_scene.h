/*
 * A small world with something of every kind in it, for the tests of hashes: component types with and without field
 * tables, with gaps, text, handles and hooks, and entities that have them.
 */
#ifndef SHOAL_TESTS_TEST_HASH_SCENE_H
#define SHOAL_TESTS_TEST_HASH_SCENE_H

#include "support/components.h"
#include "support/fixture.h"

/* Three bytes lie between the fields. */
typedef struct Padded {
    uint8_t kind;
    uint32_t count;
} Padded;

typedef struct Label {
    char text[12];
} Label;

/* Handles and gaps, in arrays and nested. */
typedef struct Aim {
    shoal_entity at[2];
    Padded inner[2];
} Aim;

/* Without a field table. */
typedef struct Raw {
    unsigned char bytes[5];
} Raw;

typedef struct Number {
    uint32_t value;
} Number;

typedef Number Shield; /* toggle */
typedef Number Team;   /* shared */
typedef Number Zone;   /* chunk */
typedef Padded Stop;   /* buffer, two elements in the row */
typedef Number Scan;   /* sparse */
typedef Padded Fixed;  /* sparse, stable */
typedef Number Cargo;  /* relation, many targets, data */
typedef Number Clock;  /* unique */
typedef Label Motto;   /* unique */

SHOAL_COMPONENT_DECLARE(Padded)
SHOAL_COMPONENT_DECLARE(Label)
SHOAL_COMPONENT_DECLARE(Aim)
SHOAL_COMPONENT_DECLARE(Raw)
SHOAL_COMPONENT_DECLARE(Shield)
SHOAL_COMPONENT_DECLARE(Team)
SHOAL_COMPONENT_DECLARE(Zone)
SHOAL_COMPONENT_DECLARE(Stop)
SHOAL_COMPONENT_DECLARE(Scan)
SHOAL_COMPONENT_DECLARE(Fixed)
SHOAL_COMPONENT_DECLARE(Cargo)
SHOAL_COMPONENT_DECLARE(Clock)
SHOAL_COMPONENT_DECLARE(Motto)
SHOAL_TAG_DECLARE(Marked)
SHOAL_TAG_DECLARE(Awake)      /* toggle */
SHOAL_TAG_DECLARE(Remains)    /* cleanup */
SHOAL_TAG_DECLARE(Spotted)    /* sparse */
SHOAL_RELATION_DECLARE(Owner) /* split */
SHOAL_RELATION_DECLARE(Knows) /* many targets */

#define SCENE_SHIPS 5
#define SCENE_FREE 40u /* a slot that was used and is free */

typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_entity ships[SCENE_SHIPS]; /* the first has all of a row; 0 to 3 are alike but for what it has alone */
    shoal_entity port;               /* has nothing; parent, owner, target */
    shoal_entity dock;               /* the same */
    shoal_entity dying;
    shoal_entity prefab;
} scene;

/* Registers the types in the order of the table, or in the reverse one. */
void scene_register(bool is_reversed);

/* Makes the world; `def` as in fixture_start(). */
void scene_start(scene *s, const shoal_world_def *def);
void scene_end(scene *s);

#endif
