/*
 * What happens in one second, in this order:
 *
 *     sail         sail.c      ships that are awake follow their paths; at the end of its path a ship falls asleep
 *     aim          gunnery.c   turrets choose the nearest enemy and turn towards it
 *     place        place.c     world transforms from local ones, parents first
 *     fire, hit    gunnery.c   guns fire; a hit damages, wakes those who hear it, and may sink a ship
 *     repair       sail.c      smoke clears
 *     logs, losses losses.c    each ship writes its log; now and then somebody notes who is missing
 *
 * A system goes through one query. What would be a structural change is recorded and applied after it.
 * Thread rule: one thread at a time for each scene.
 */
#ifndef FLEET_SYSTEMS_H
#define FLEET_SYSTEMS_H

#include "scene.h"

shoal_status sail_run(fleet_scene *scene);
shoal_status repair_run(fleet_scene *scene);
shoal_status aim_run(fleet_scene *scene);
shoal_status fire_run(fleet_scene *scene);
shoal_status hit_run(fleet_scene *scene);
shoal_status place_run(fleet_scene *scene);
shoal_status logs_run(fleet_scene *scene);
shoal_status losses_run(fleet_scene *scene);

/* Places and logs before the first second. */
shoal_status systems_prepare(fleet_scene *scene);

/* All of the above, for one second. */
shoal_status systems_step(fleet_scene *scene);

#endif
