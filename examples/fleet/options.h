/*
 * The program's command line.
 *
 * Invariant of what options_parse() accepts: the numbers are whole and in the ranges of the help text, and the path is
 * not empty.
 * Thread rule: any.
 */
#ifndef FLEET_OPTIONS_H
#define FLEET_OPTIONS_H

#include "arguments.h"

#include <stdint.h>

typedef struct fleet_options {
    int steps;                    /* seconds that are simulated */
    uint64_t seed;                /* of the dice */
    uint32_t workers;             /* threads; 0: as many as there are cores */
    const char *output_directory; /* where the pictures go; made if it is not there */
} fleet_options;

/* Reads the arguments into `options`, with defaults for those that are not there. */
options_result options_parse(fleet_options *options, int argc, char **argv);

#endif
