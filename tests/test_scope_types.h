/*
 * What the tests of shared worlds have in common: a component of each kind, and a world with rows of all of them, that
 * a test shares and unshares as a step does.
 */
#ifndef SHOAL_TESTS_TEST_SCOPE_TYPES_H
#define SHOAL_TESTS_TEST_SCOPE_TYPES_H

#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/test.h"

#include "change/command.h"
#include "storage/scope.h"

typedef struct Spot {
    int32_t x, y;
} Spot;

typedef struct Pace {
    int32_t value;
} Pace;

typedef struct Team {
    int32_t value;
} Team;

typedef struct Loose {
    int32_t value;
} Loose;

typedef struct Trail {
    char letter;
} Trail;

typedef struct Holds {
    int32_t value;
} Holds;

typedef struct Rules {
    int32_t value;
} Rules;

SHOAL_COMPONENT_DECLARE(Spot)
SHOAL_COMPONENT_DECLARE(Pace)
SHOAL_COMPONENT_DECLARE(Team)
SHOAL_COMPONENT_DECLARE(Loose)
SHOAL_COMPONENT_DECLARE(Trail)
SHOAL_COMPONENT_DECLARE(Rules)
SHOAL_TAG_DECLARE(Lamp)
SHOAL_RELATION_DECLARE(Holds)

enum { RIG_ROWS = 300 };

typedef struct rig {
    fixture f;
    shoal_entity
        rows[RIG_ROWS];       /* row i: Spot {i, 0}, Lamp (each third is off), Team, Trail, Loose; a child of row 0 */
    shoal_query *plain;       /* write Spot, without Pace */
    shoal_query *filtered;    /* read Spot, with Lamp */
    shoal_query *ordered;     /* read Spot, the largest x first */
    shoal_query *grouped;     /* read Spot, by Team */
    shoal_query *listed;      /* read Loose */
    shoal_query *upward;      /* read Spot, up Spot */
    shoal_commands *commands; /* "recorder" */
    world_scope scope;        /* of system "move" */
} rig;

/* The world alone; the same shared, in the scope; and its end. */
void rig_make(rig *r);
void rig_begin(rig *r);
void rig_end(rig *r);

void rig_share(rig *r);
void rig_unshare(rig *r);

#endif
