/*
 * The definitions of the component types, with the fields that go into belt.csv. Each gets its id at first use.
 *
 * The types of bodies and clones are known when the program is compiled. The classes are not: a catalogue may have any,
 * so their tags are registered at run time, under the class's code. One file's classes get the same tags as another's
 * of the same codes.
 */
#include "components.h"

#include <stdio.h>

SHOAL_COMPONENT_DEFINE(Orbit, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Orbit, semi_major_axis), SHOAL_FIELD(Orbit, eccentricity),
                                              SHOAL_FIELD(Orbit, inclination), SHOAL_FIELD(Orbit, node),
                                              SHOAL_FIELD(Orbit, periapsis), SHOAL_FIELD(Orbit, mean_anomaly),
                                              SHOAL_FIELD(Orbit, epoch)))

SHOAL_COMPONENT_DEFINE(OrbitFrame, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD_ARRAY(OrbitFrame, towards),
                                              SHOAL_FIELD_ARRAY(OrbitFrame, along)))

SHOAL_COMPONENT_DEFINE(Motion, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Motion, mean_anomaly), SHOAL_FIELD(Motion, mean_motion),
                                              SHOAL_FIELD(Motion, eccentricity)))

SHOAL_COMPONENT_DEFINE(Position, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Position, x), SHOAL_FIELD(Position, y),
                                              SHOAL_FIELD(Position, z)))

SHOAL_COMPONENT_DEFINE(Velocity, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Velocity, x), SHOAL_FIELD(Velocity, y),
                                              SHOAL_FIELD(Velocity, z)))

SHOAL_COMPONENT_DEFINE(Name, .version = 1, .fields = SHOAL_FIELDS(SHOAL_FIELD_CHARS(Name, text)))

SHOAL_COMPONENT_DEFINE(EarthDistance, .version = 1, .fields = SHOAL_FIELDS(SHOAL_FIELD(EarthDistance, au)))

SHOAL_COMPONENT_DEFINE(Magnitude, .version = 1, .fields = SHOAL_FIELDS(SHOAL_FIELD(Magnitude, h)))

SHOAL_COMPONENT_DEFINE(CatalogueDistance, .version = 1, .fields = SHOAL_FIELDS(SHOAL_FIELD(CatalogueDistance, au)))

SHOAL_COMPONENT_DEFINE(CloneOf, .version = 1, .fields = SHOAL_FIELDS(SHOAL_FIELD(CloneOf, body)))

SHOAL_COMPONENT_DEFINE(Calendar, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Calendar, start), SHOAL_FIELD(Calendar, step_hours),
                                              SHOAL_FIELD(Calendar, last_day), SHOAL_FIELD(Calendar, steps),
                                              SHOAL_FIELD(Calendar, step), SHOAL_FIELD(Calendar, day)))

SHOAL_COMPONENT_DEFINE(Earth, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Earth, x), SHOAL_FIELD(Earth, y), SHOAL_FIELD(Earth, z)))

SHOAL_COMPONENT_DEFINE(Nearest, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Nearest, body), SHOAL_FIELD(Nearest, au)))

SHOAL_COMPONENT_DEFINE(Closest, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Closest, body), SHOAL_FIELD(Closest, au),
                                              SHOAL_FIELD(Closest, day)))

/* The prefix keeps a class out of the way of the types above, whatever a catalogue calls it. */
shoal_component class_tag(const char *code) {
    char name[8 + CATALOGUE_CLASS_BYTES];
    snprintf(name, sizeof name, "class.%s", code);
    return shoal_component_register(&(shoal_component_def){.name = name});
}
