/*
 * The world and who lives in it: an entity for each body of the catalogue, and clones of them.
 *
 * The queries are made once and belong to the world, as the systems do (systems.h).
 * Thread rule: one thread at a time for each population; a step uses the workers of its world.
 */
#ifndef BELT_POPULATION_H
#define BELT_POPULATION_H

#include "components.h"

typedef struct belt_population {
    shoal_world *world;
    double start; /* modified Julian date of the simulation's day 0 */
    const belt_catalogue *catalogue;
    shoal_component *class_tags; /* of the catalogue's classes, by index */
    shoal_query *moving;         /* everything: reads Position */
    shoal_query *bodies;         /* bodies only: reads Name, Orbit, EarthDistance and what the catalogue has */
} belt_population;

typedef struct population_def {
    size_t clones; /* copies of each body */
    double days;   /* simulated time, */
    size_t steps;  /* in so many steps */
    double step_hours;
    uint32_t workers; /* 1: all on the thread that steps; 0: as many as there are cores */
} population_def;

/* Fills a world with the bodies of `catalogue`, which must live as long, and their clones, and takes step 0, which
   gives them the positions of day 0 and the bodies their EarthDistance. On failure one line has said why, and there is
   nothing to free. */
bool population_create(belt_population *population, const belt_catalogue *catalogue, const population_def *def);

/* Ends the world. */
void population_destroy(belt_population *population);

/* The next step. False after one line on the standard error stream. */
bool population_step(const belt_population *population);

/* A hash of all that the world holds; 0 where the library was built without hashes. False after one line. */
bool population_hash(const belt_population *population, uint64_t *hash);

/* The class of an entity, as an index into the catalogue's classes. */
size_t population_class_of(const belt_population *population, shoal_entity entity);

/* A query for reading `component` of the entities of one class, clones or not. NULL when memory runs out; the caller
   gives it back with shoal_query_destroy(). */
shoal_query *population_class_query(const belt_population *population, size_t class_index, shoal_component component,
                                    bool with_clones);

/* Says what the last failing call on the world (with NULL: of this thread) had to say. */
void population_report_error(const belt_population *population);

#endif
