/*
 * The patterns that ships are built to, the factions, and the ships with their paths and holdings.
 * Thread rule: one thread at a time for each scene.
 */
#ifndef FLEET_SHIPS_H
#define FLEET_SHIPS_H

#include "scene.h"

#define FACTION_COUNT 3

/* Fills an empty world. */
shoal_status ships_create(fleet_scene *scene);

#endif
