/*
 * The component types of the program. A body of the catalogue has all of the first group, what the catalogue knows
 * of the second, and one tag for its class, which is made at run time; a clone has CloneOf instead of a name and a
 * distance. The last group are uniques, of which the world has one value each.
 *
 * What moves a body (OrbitFrame, Motion) is kept apart from what describes it (Orbit), so that a step reads only what
 * it needs. The fields of OrbitFrame and Motion follow from Orbit.
 */
#ifndef BELT_COMPONENTS_H
#define BELT_COMPONENTS_H

#include "catalogue.h"
#include "orbit.h"

#include <shoal/shoal.h>

/* ---- bodies and clones ---- */

typedef orbit_elements Orbit;
typedef orbit_frame OrbitFrame;

/* How the mean anomaly grows from the start of the simulation. */
typedef struct Motion {
    double mean_anomaly; /* radians */
    double mean_motion;  /* radians a day */
    double eccentricity; /* here too, since each step needs it */
} Motion;

typedef struct Position {
    double x, y, z; /* au, ecliptic */
} Position;

typedef struct Velocity {
    double x, y, z; /* au a day */
} Velocity;

/* ---- bodies only ---- */

typedef struct Name {
    char text[CATALOGUE_NAME_BYTES];
} Name;

/* How close the orbit comes to the Earth's, as it is computed here. */
typedef struct EarthDistance {
    double au;
} EarthDistance;

/* ---- where the catalogue has it ---- */

/* Absolute magnitude. */
typedef struct Magnitude {
    double h;
} Magnitude;

/* The same distance as the catalogue gives it. */
typedef struct CatalogueDistance {
    double au;
} CatalogueDistance;

/* ---- clones only ---- */

typedef struct CloneOf {
    shoal_entity body;
} CloneOf;

/* ---- uniques ---- */

/* Which day it is. Step 0 is that of day 0, in which everything gets its first place. */
typedef struct Calendar {
    double start; /* modified Julian date of day 0 */
    double step_hours;
    double last_day; /* that of the last step, which may be shorter */
    int64_t steps;   /* after step 0 */
    int64_t step;    /* the one of now; -1 before the first */
    double day;      /* since the start */
} Calendar;

/* Where the Earth is. */
typedef struct Earth {
    double x, y, z; /* au, ecliptic */
} Earth;

/* The body that is nearest to the Earth in this step. */
typedef struct Nearest {
    shoal_entity body;
    double au;
} Nearest;

/* The one that came nearest in any step so far. */
typedef struct Closest {
    shoal_entity body;
    double au;
    double day; /* since the start */
} Closest;

SHOAL_COMPONENT_DECLARE(Orbit)
SHOAL_COMPONENT_DECLARE(OrbitFrame)
SHOAL_COMPONENT_DECLARE(Motion)
SHOAL_COMPONENT_DECLARE(Position)
SHOAL_COMPONENT_DECLARE(Velocity)
SHOAL_COMPONENT_DECLARE(Name)
SHOAL_COMPONENT_DECLARE(EarthDistance)
SHOAL_COMPONENT_DECLARE(Magnitude)
SHOAL_COMPONENT_DECLARE(CatalogueDistance)
SHOAL_COMPONENT_DECLARE(CloneOf)
SHOAL_COMPONENT_DECLARE(Calendar)
SHOAL_COMPONENT_DECLARE(Earth)
SHOAL_COMPONENT_DECLARE(Nearest)
SHOAL_COMPONENT_DECLARE(Closest)

/* The tag of a class: a type that is made when the class is first seen. Null on failure. */
shoal_component class_tag(const char *code);

#endif
