/*
 * The component types of the program. Each ball is an entity with all of the first group; the second group are
 * uniques, of which the world has one value each.
 *
 * Disc is shared: there are three kinds of balls, and all of one kind have one value and lie in chunks together.
 * Lengths are in radii of the smallest kind, times in seconds, masses in those of the smallest kind.
 */
#ifndef BOUNCE_COMPONENTS_H
#define BOUNCE_COMPONENTS_H

#include <shoal/shoal.h>

/* ---- balls ---- */

typedef struct Position {
    double x, y;
} Position;

typedef struct Velocity {
    double x, y;
} Velocity;

/* The kind of a ball. */
typedef struct Disc {
    double radius, mass;
} Disc;

/* With whom the ball would collide in this step. Both must say so of each other. */
typedef struct Partner {
    shoal_entity ball; /* null: nobody */
    double since;      /* how long ago their rims touched */
} Partner;

/* What a collision does to the ball: worked out from the state of all balls before it, applied afterwards. */
typedef struct Impulse {
    double x, y;
    double since; /* from when on it acts */
} Impulse;

/* ---- uniques ---- */

/* The walls: 0 to width, 0 to height. */
typedef struct Box {
    double width, height;
} Box;

/* Sums over all balls, of this step. */
typedef struct Totals {
    double energy;
    double momentum_x, momentum_y;
} Totals;

/* What the walls gave to the balls in this step. */
typedef struct WallKick {
    double x, y; /* momentum */
    uint64_t hits;
} WallKick;

/* Balls that had a collision in this step, two for each. */
typedef struct Hits {
    uint64_t balls;
} Hits;

/* How far two balls were into one another, before the collisions of this step. */
typedef struct Overlap {
    double deepest;
} Overlap;

/* The same since the beginning. */
typedef struct Ledger {
    double wall_x, wall_y;
    double deepest;
    uint64_t wall_hits;
    uint64_t collisions;
} Ledger;

SHOAL_COMPONENT_DECLARE(Position)
SHOAL_COMPONENT_DECLARE(Velocity)
SHOAL_COMPONENT_DECLARE(Disc)
SHOAL_COMPONENT_DECLARE(Partner)
SHOAL_COMPONENT_DECLARE(Impulse)
SHOAL_COMPONENT_DECLARE(Box)
SHOAL_COMPONENT_DECLARE(Totals)
SHOAL_COMPONENT_DECLARE(WallKick)
SHOAL_COMPONENT_DECLARE(Hits)
SHOAL_COMPONENT_DECLARE(Overlap)
SHOAL_COMPONENT_DECLARE(Ledger)

#endif
