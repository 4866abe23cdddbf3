/*
 * The geometry of a collision, see contact.h.
 *
 * With d from a to b, v the velocity of b seen from a, and R the sum of the radii, the rims touched t ago where
 * |d - v t| = R, so  (v.v) t^2 - 2 (d.v) t + (d.d - R^2) = 0.  Of the two solutions the later one is the moment of
 * parting, which is still to come. For the earlier one the usual formula would subtract two numbers that are nearly
 * equal; the form used here divides by their sum instead.
 */
#include "contact.h"

#include <math.h>

double contact_depth(const contact_body *a, const contact_body *b) {
    double dx = b->x - a->x, dy = b->y - a->y;
    return a->radius + b->radius - sqrt(dx * dx + dy * dy);
}

bool contact_find(const contact_body *a, const contact_body *b, double *since) {
    double dx = b->x - a->x, dy = b->y - a->y, reach = a->radius + b->radius;
    double gap = dx * dx + dy * dy - reach * reach;
    if (gap >= 0.0) {
        return false;
    }
    double vx = b->vx - a->vx, vy = b->vy - a->vy;
    double closing = dx * vx + dy * vy;
    if (closing >= 0.0) {
        return false;
    }
    *since = gap / (closing - sqrt(closing * closing - (vx * vx + vy * vy) * gap));
    return true;
}

contact_vector contact_impulse(const contact_body *a, const contact_body *b, double since, double reduced_mass) {
    double vx = b->vx - a->vx, vy = b->vy - a->vy;
    double dx = b->x - a->x - vx * since, dy = b->y - a->y - vy * since;
    double strength = 2.0 * reduced_mass * (dx * vx + dy * vy) / (dx * dx + dy * dy);
    return (contact_vector){strength * dx, strength * dy};
}
