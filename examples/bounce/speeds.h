/*
 * The speeds of the balls beside what statistical mechanics says of them.
 *
 * Collisions spread the energy until each ball has, on the average, the same share kT of it, whatever its mass
 * (equipartition), and speeds go by the distribution of Maxwell and Boltzmann, which in two dimensions says that a
 * ball of mass m is faster than v with the probability exp(-m v^2 / 2kT). In other words energy / kT goes by exp(-e),
 * for all kinds alike, so all balls can be compared with one curve.
 * Thread rule: one thread at a time for each gas.
 */
#ifndef BOUNCE_SPEEDS_H
#define BOUNCE_SPEEDS_H

#include "gas.h"

#define SPEEDS_BINS 64

typedef struct bounce_speeds {
    double temperature; /* kT: energy for each ball */
    double bin_width;   /* of the histograms, as a speed */
    size_t count[GAS_KINDS];
    size_t bins[GAS_KINDS][SPEEDS_BINS]; /* balls by speed; beyond the last bin nobody is counted */
    double energy[GAS_KINDS];            /* for each ball of the kind */
    double distance;                     /* between the shares of balls below a speed, as they are and as they would be
                                            by Maxwell and Boltzmann, where they differ most: Kolmogorov and Smirnov */
} bounce_speeds;

/* Looks at all balls. The histograms reach from 0 to `top_speed`. OUT_OF_MEMORY. */
shoal_status speeds_measure(bounce_speeds *speeds, const bounce_gas *gas, double top_speed);

/* What so many balls drawn from the distribution itself stay below in 99 of 100 cases. */
double speeds_distance_by_chance(size_t balls);

/* Maxwell and Boltzmann's density at speed `v` for balls of `mass`. */
double speeds_density(double v, double mass, double temperature);

#endif
