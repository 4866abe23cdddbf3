/*
 * The program's command line.
 *
 * Invariant of what options_parse() accepts: all numbers are finite and in the ranges of the help text, and the step
 * count is at most 1e9.
 * Thread rule: any.
 */
#ifndef BELT_OPTIONS_H
#define BELT_OPTIONS_H

#include "arguments.h"

#include <stddef.h>
#include <stdint.h>

typedef struct belt_options {
    const char *data_path;        /* the catalogue */
    const char *output_directory; /* where belt.png and belt.csv go; made if it is not there */
    size_t clones;                /* copies of each body */
    double days;                  /* simulated time */
    double step_hours;            /* time from step to step; the last one may be shorter */
    uint32_t workers;             /* threads; 0: as many as there are cores */
    uint32_t compare;             /* with how many workers to do it all again; 0: not */
} belt_options;

/* Reads the arguments into `options`, with defaults for those that are not there. */
options_result options_parse(belt_options *options, int argc, char **argv);

/* Steps that the simulated time takes. */
size_t options_step_count(const belt_options *options);

#endif
