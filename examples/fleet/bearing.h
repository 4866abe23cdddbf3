/*
 * Angles: bearings and turning by at most so much. All angles are radians, from -pi to pi, clockwise as seen on the
 * map, whose y goes down. Thread rule: pure functions.
 */
#ifndef FLEET_BEARING_H
#define FLEET_BEARING_H

#include <math.h>

#define BEARING_PI 3.14159265f

/* The same direction as an angle from -pi to pi. */
static inline float bearing_wrap(float angle) {
    return remainderf(angle, 2.0f * BEARING_PI);
}

/* `angle`, turned towards `wanted` by at most `most`. */
static inline float bearing_turn(float angle, float wanted, float most) {
    float left = bearing_wrap(wanted - angle);
    return bearing_wrap(angle + fminf(fmaxf(left, -most), most));
}

#endif
