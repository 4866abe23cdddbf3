/*
 * What happens in one second, in this order:
 *
 *     clock        systems.c    the next second
 *     sail         sail.c       ships that are awake follow their paths; at the end of its path a ship falls asleep
 *     aim          gunnery.c    turrets choose the nearest enemy and turn towards it
 *     place        place.c      world transforms from local ones, parents first
 *     fire, hit    gunnery.c    guns fire; a hit damages, wakes those who hear it, and may sink a ship
 *     clear        gunnery.c    shots are gone
 *     repair       sail.c       smoke clears
 *     logs, losses losses.c     each ship writes its log; now and then somebody notes who is missing
 *     tally        systems.c    the score
 *
 * Each says what it reads and writes, and the chain "fleet" is their order. What would be a structural change is
 * recorded, and applied before the next one. In second 0 there are only clock, place and logs.
 * Thread rule: one thread at a time for each scene; a step uses the workers of its world.
 */
#ifndef FLEET_SYSTEMS_H
#define FLEET_SYSTEMS_H

#include "scene.h"

/* Adds a system to the chain, with the scene as its user. False on failure, for which the world has the error; so of
   the others. */
bool systems_add(fleet_scene *scene, const shoal_system_def *def);

/* One that does not run in second 0. */
bool systems_add_later(fleet_scene *scene, const shoal_system_def *def);

bool sail_add(fleet_scene *scene);
bool repair_add(fleet_scene *scene);
bool aim_add(fleet_scene *scene);
bool fire_add(fleet_scene *scene);
bool hit_add(fleet_scene *scene);
bool place_add(fleet_scene *scene);
bool logs_add(fleet_scene *scene);
bool losses_add(fleet_scene *scene);

/* Adds all of the above and goes through second 0, which gives everything its place. `workers`: 1 is the thread that
   steps alone, 0 as many as there are cores. */
shoal_status systems_prepare(fleet_scene *scene, uint32_t workers);

/* The next second. */
shoal_status systems_step(fleet_scene *scene);

/* Commands that systems have recorded so far, and how many of them were dropped. */
void systems_count_commands(const fleet_scene *scene, uint64_t *commands, uint64_t *dropped);

#endif
