/*
 * The world, the queries that the program goes by, and what is in the world at the start.
 *
 * Queries are made once and end with the world.
 * Thread rule: one thread at a time for each scene.
 */
#ifndef FLEET_SCENE_H
#define FLEET_SCENE_H

#include "components.h"

#define MAP_WIDTH 1800.0f
#define MAP_HEIGHT 1200.0f

/* The queries that systems look others up with, and those of text and pictures; scene.c has their terms. The rows of a
   system are a query of its own. */
typedef struct fleet_queries {
    shoal_query *asleep;  /* ships that are not */
    shoal_query *ships;   /* all of them, faction by faction */
    shoal_query *weakest; /* all of them, the lowest hull first */
    shoal_query *lost;    /* destroyed ships of which the log is still there */
    shoal_query *wrecks;  /* losses that have been noted */
    shoal_query *turrets;
    shoal_query *guns;
    shoal_query *items;
    shoal_query *patterns; /* the prefabs of ships */
} fleet_queries;

typedef struct fleet_scene {
    shoal_world *world;
    shoal_entity shells; /* the item that guns use up */
    fleet_queries query;
} fleet_scene;

/* Makes the world with its queries and the ships in their first places. On failure the scene is to be destroyed all the
   same, after the world has been asked for the last error. */
shoal_status scene_create(fleet_scene *scene, uint64_t seed);

/* Ends the world. */
void scene_destroy(fleet_scene *scene);

/* The next number of the world's dice, at least 0 and below 1. */
float dice_roll(shoal_world *world);

#endif
