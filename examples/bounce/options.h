/*
 * The program's command line.
 *
 * Invariant of what options_parse() accepts: the numbers are whole and in the ranges of the help text, `every` is not
 * 0, and the path, if there is one, is not empty.
 * Thread rule: any.
 */
#ifndef BOUNCE_OPTIONS_H
#define BOUNCE_OPTIONS_H

#include "arguments.h"
#include "gas.h"

typedef struct bounce_options {
    gas_def gas;
    size_t steps;
    size_t every;                 /* steps from frame to frame */
    const char *output_directory; /* where the pictures go; NULL: none are drawn */
} bounce_options;

/* Reads the arguments into `options`, with defaults for those that are not there. */
options_result options_parse(bounce_options *options, int argc, char **argv);

#endif
