/*
 * The systems of the belt, in the order of a step:
 *
 *     calendar    which day it is, and where the Earth is         Calendar, Earth
 *     distances   how close each orbit comes to the Earth's       EarthDistance; on day 0 alone, as orbits stay
 *     move        each entity's place on its orbit                row by row, fused with
 *     approach    the body that is nearest to the Earth           Nearest
 *     diary       the nearest one since day 0                     Closest
 *
 * A step is shared by all workers of the world. No row looks at another one, and of two bodies that are equally near
 * the one that comes first counts, so the result is the same on any number of workers.
 */
#ifndef BELT_SYSTEMS_H
#define BELT_SYSTEMS_H

#include <shoal/shoal.h>

/* Adds all of them to a world with the uniques Calendar, Earth and Closest. */
shoal_status systems_add(shoal_world *world);

#endif
