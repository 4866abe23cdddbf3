/*
 * Two discs that have met: since when they touch, and the impulse that makes up for it.
 *
 * Discs move straight through a step, so at its end some lie over one another. For a pair that is still closing in,
 * the time since their rims touched follows from a quadratic equation; the collision is worked out for the positions
 * of that moment, so it is the collision of hard discs, and not one that depends on how deep they are in by now.
 *
 * Antisymmetry: what is found for (a, b) is for (b, a) the same with the other sign, bit for bit, since differences,
 * products and square roots are rounded alike for both signs. So each disc may work out its own half, and momentum is
 * kept. The impulse turns the part of the relative velocity along the line of centres round, which keeps the energy.
 * Thread rule: any; the functions are pure.
 */
#ifndef BOUNCE_CONTACT_H
#define BOUNCE_CONTACT_H

#include <stdbool.h>

typedef struct contact_body {
    double x, y;   /* centre */
    double vx, vy; /* velocity */
    double radius;
} contact_body;

typedef struct contact_vector {
    double x, y;
} contact_vector;

/* How far two discs are into one another: 0 or less when they do not touch. */
double contact_depth(const contact_body *a, const contact_body *b);

/* True for two discs that overlap and are closing in; `since` becomes the time since their rims touched. */
bool contact_find(const contact_body *a, const contact_body *b, double *since);

/* The impulse on `a` of a pair that contact_find() found, as of `since` ago, which may be less than it said.
   `reduced_mass` is that of the pair, contact_reduced_mass(). */
contact_vector contact_impulse(const contact_body *a, const contact_body *b, double since, double reduced_mass);

/* The mass by which two bodies resist a change of their relative velocity. */
static inline double contact_reduced_mass(double a, double b) {
    return a * b / (a + b);
}

#endif
