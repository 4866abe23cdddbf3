/*
 * What the program prints: the catalogue, the run, and how close the orbits come to the Earth's.
 *
 * Times are those of the wall clock; everything else depends on the catalogue and the options alone.
 * Thread rule: one thread at a time for each population.
 */
#ifndef BELT_REPORT_H
#define BELT_REPORT_H

#include "population.h"

/* What a run took. */
typedef struct belt_run {
    size_t steps;
    double step_hours;
    double days; /* simulated */
    uint32_t workers;
    uint64_t hash;           /* of the world after the last step; 0: none */
    double step_seconds;     /* all steps together */
    double distance_seconds; /* all distances to the Earth's orbit together, as if by one worker */
} belt_run;

/* The catalogue's rows, with a line for each one that is unusable. */
bool report_catalogue(const belt_catalogue *catalogue, const char *path);

/* Counts, dates and speed. */
bool report_run(const belt_population *population, const belt_run *run);

/* The difference from the catalogue's distances, the nearest orbits as a table, and the body that came nearest. */
bool report_distances(const belt_population *population);

/* The systems of the run, by the time that they took. */
bool report_systems(const belt_population *population);

/* Two runs that differ in their workers alone. */
bool report_comparison(const belt_run *first, const belt_run *second);

/* Each of the above returns false after one line on the standard error stream when memory ran out, and the last one
   also when the runs came to different worlds. */

#endif
