/*
 * Kepler's equation, M = E - e sin E: from the mean anomaly M, which grows evenly with time, to the eccentric
 * anomaly E, which says where on its ellipse a body is. Elliptic orbits only, 0 <= e < 1.
 *
 * Rows are solved in strips: one plain array for each quantity, so that the compiler can use vector instructions.
 * Thread rule: pure functions; a strip belongs to its caller.
 */
#ifndef BELT_KEPLER_H
#define BELT_KEPLER_H

#include <stddef.h>

#define KEPLER_PI 3.14159265358979323846

/* Rows of a strip: its eight arrays, 16 KiB, stay in the first-level cache beside the columns that feed them. */
#define KEPLER_STRIP_ROWS 256

typedef struct kepler_strip {
    double mean[KEPLER_STRIP_ROWS];         /* in: radians, any number; out: the same within -pi to pi */
    double eccentricity[KEPLER_STRIP_ROWS]; /* in */
    double anomaly[KEPLER_STRIP_ROWS];      /* out: E, radians */
    double sine[KEPLER_STRIP_ROWS];         /* out: sin E */
    double cosine[KEPLER_STRIP_ROWS];       /* out: cos E */
    double error[KEPLER_STRIP_ROWS];        /* out: E - e sin E - M, what is left after the last correction */
    double first[KEPLER_STRIP_ROWS];        /* private: the sizes of the two corrections */
    double second[KEPLER_STRIP_ROWS];
} kepler_strip;

/* Solves the first `count` rows; |error| is below 1e-13 afterwards. */
void kepler_solve_strip(kepler_strip *strip, size_t count);

/* Solves one row by a bracketed search that cannot fail; slow. Returns E for a mean anomaly within -pi to pi. */
double kepler_solve_one(double mean, double eccentricity);

#endif
