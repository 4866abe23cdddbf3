/*
 * The world and who lives in it: an entity for each body of the catalogue, and clones of them.
 *
 * The queries are made once and belong to the world.
 * Thread rule: one thread at a time for each population.
 */
#ifndef BELT_POPULATION_H
#define BELT_POPULATION_H

#include "components.h"

typedef struct belt_population {
    shoal_world *world;
    double start; /* modified Julian date of the simulation's day 0 */
    const belt_catalogue *catalogue;
    shoal_component *class_tags; /* of the catalogue's classes, by index */
    shoal_query *moving;         /* everything: reads Motion and OrbitFrame, writes Position and Velocity */
    shoal_query *bodies;         /* bodies only: reads Name, Orbit and what the catalogue has, writes EarthDistance */
} belt_population;

/* Fills a world with the bodies of `catalogue`, which must live as long, and `clones` copies of each, all with the
   positions of day 0. On failure one line has said why, and there is nothing to free. */
bool population_create(belt_population *population, const belt_catalogue *catalogue, size_t clones);

/* Ends the world. */
void population_destroy(belt_population *population);

/* Moves everything to where it is `days` after the start. */
void population_step(const belt_population *population, double days);

/* Computes the EarthDistance of each body. Clones share their body's orbit and have none. */
void population_measure_distances(const belt_population *population);

/* The class of an entity, as an index into the catalogue's classes. */
size_t population_class_of(const belt_population *population, shoal_entity entity);

/* A query for reading `component` of the entities of one class, clones or not. NULL when memory runs out; the caller
   gives it back with shoal_query_destroy(). */
shoal_query *population_class_query(const belt_population *population, size_t class_index, shoal_component component,
                                    bool with_clones);

/* Says what the last failing call on the world (with NULL: of this thread) had to say. */
void population_report_error(const belt_population *population);

#endif
