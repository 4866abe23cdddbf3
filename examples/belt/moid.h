/*
 * The minimum distance between an orbit and the Earth's: how close the two ellipses come in space, wherever the bodies
 * themselves are. Catalogues call it MOID.
 *
 * It is found to about 1e-9 au. Catalogues differ by up to 0.002 au, since the Earth's orbit is not quite the same on
 * another day.
 * Thread rule: a pure function.
 */
#ifndef BELT_MOID_H
#define BELT_MOID_H

#include "orbit.h"

/* The minimum distance in au. The Earth's orbit: a = 1.00000011 au, e = 0.0167, longitude of perihelion 102.94
   degrees, in the ecliptic. */
double moid_to_earth(const orbit_elements *elements);

#endif
