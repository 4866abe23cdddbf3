/*
 * Motion: every moving row's place on its orbit at a given day.
 *
 * It works on plain columns, as a view hands them out, and knows nothing of worlds and queries.
 * Thread rule: different rows may be stepped by different threads.
 */
#ifndef BELT_MOTION_H
#define BELT_MOTION_H

#include "components.h"

/* The columns of some rows. */
typedef struct motion_rows {
    const Motion *motion;
    const OrbitFrame *frame;
    Position *position;
    Velocity *velocity;
    size_t count;
} motion_rows;

/* Writes position and velocity `days` after the start of the simulation. */
void motion_step(const motion_rows *rows, double days);

#endif
