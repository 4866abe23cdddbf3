/*
 * The command line: one function for each kind of value, with a range that is checked.
 *
 * Arguments come in pairs, a name and a value, which arguments.c reads one after the other.
 */
#include "options.h"

#include "message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BELT_DATA_FILE
#define BELT_DATA_FILE "examples/data/jpl-small-bodies.json"
#endif

#define HOURS_PER_DAY 24.0
/* Ten thousand years; the orbits of two bodies alone say little long before. */
#define DAYS_MAX 3652500.0
#define STEP_HOURS_MAX (DAYS_MAX * HOURS_PER_DAY)
#define STEPS_MAX 1e9
#define CLONES_MAX 1e6
#define WORKERS_MAX 1024.0

static const char help_text[] =
    "usage: belt [--data FILE] [--out DIR] [--clones K] [--days D] [--step H] [--workers N] [--compare N]\n"
    "\n"
    "Reads a catalogue of small bodies, moves them along their orbits round the Sun, computes how close each orbit\n"
    "comes to the Earth's, and writes belt.png and belt.csv.\n"
    "\n"
    "  --data FILE  the catalogue, JSON of the JPL Small-Body Database query service\n"
    "               (default " BELT_DATA_FILE ")\n"
    "  --out DIR    where the two files go; it is made if it is not there (default .)\n"
    "  --clones K   adds K copies of each body, spread along its orbit (0 to 1000000, default 0)\n"
    "  --days D     simulated time in days (0 to 3652500, default 3650)\n"
    "  --step H     time from step to step in hours; the last step may be shorter\n"
    "               (more than 0, up to 87660000, default 24)\n"
    "  --workers N  threads, this one included (0 to 1024, default 0: the cores); the result is the same with any\n"
    "  --compare N  does it all again with N workers, and shows that it comes to the same (0 to 1024, default 0: not)\n"
    "  --help       prints this text\n"
    "\n"
    "Exit code: 0 done, 1 a file could not be read or written or memory ran out, 2 bad arguments.\n";

/* The value of an option as a number from `low` to `high`. Only plain decimal numbers, so no "nan" or "0x10". */
static bool parse_number(const char *name, const char *text, double low, double high, double *number) {
    char *end = NULL;
    double value = strtod(text, &end);
    bool plain = *text != '\0' && *end == '\0' && strspn(text, "0123456789+-.eE") == strlen(text);
    if (!plain || !isfinite(value)) {
        message_error("%s wants a number, not \"%s\"", name, text);
        return false;
    }
    if (value < low || value > high) {
        message_error("%s is %s, but must be from %.10g to %.10g", name, text, low, high);
        return false;
    }
    *number = value;
    return true;
}

static bool parse_whole(const char *name, const char *text, double high, double *number) {
    if (!parse_number(name, text, 0.0, high, number)) {
        return false;
    }
    if (*number != floor(*number)) {
        message_error("%s wants a whole number, not \"%s\"", name, text);
        return false;
    }
    return true;
}

static bool parse_clones(const char *text, belt_options *options) {
    double number = 0.0;
    bool is_good = parse_whole("--clones", text, CLONES_MAX, &number);
    options->clones = is_good ? (size_t)number : 0;
    return is_good;
}

static bool parse_workers(const char *name, const char *text, uint32_t *workers) {
    double number = 0.0;
    bool is_good = parse_whole(name, text, WORKERS_MAX, &number);
    *workers = is_good ? (uint32_t)number : 0;
    return is_good;
}

static bool parse_step(const char *text, belt_options *options) {
    double number = 0.0;
    if (!parse_number("--step", text, 0.0, STEP_HOURS_MAX, &number)) {
        return false;
    }
    if (number == 0.0) {
        message_error("--step must be more than 0 hours");
        return false;
    }
    options->step_hours = number;
    return true;
}

static bool parse_option(const char *name, const char *value, void *options_bytes) {
    belt_options *options = options_bytes;
    if (strcmp(name, "--data") == 0) {
        return arguments_read_path(name, value, &options->data_path);
    }
    if (strcmp(name, "--out") == 0) {
        return arguments_read_path(name, value, &options->output_directory);
    }
    if (strcmp(name, "--clones") == 0) {
        return parse_clones(value, options);
    }
    if (strcmp(name, "--days") == 0) {
        return parse_number(name, value, 0.0, DAYS_MAX, &options->days);
    }
    if (strcmp(name, "--workers") == 0) {
        return parse_workers(name, value, &options->workers);
    }
    if (strcmp(name, "--compare") == 0) {
        return parse_workers(name, value, &options->compare);
    }
    return parse_step(value, options);
}

/* Rounded up; but a rounding error of the division must not add a step. */
static double step_count(const belt_options *options) {
    return ceil(options->days * HOURS_PER_DAY / options->step_hours * (1.0 - 1e-12));
}

options_result options_parse(belt_options *options, int argc, char **argv) {
    *options = (belt_options){
        .data_path = BELT_DATA_FILE, .output_directory = ".", .days = 3650.0, .step_hours = HOURS_PER_DAY};
    static const char *const names[] = {"--data", "--out",     "--clones",  "--days",
                                        "--step", "--workers", "--compare", NULL};
    const argument_rules rules = {help_text, names, parse_option};
    options_result result = arguments_read(&rules, options, argc, argv);
    if (result == OPTIONS_RUN && step_count(options) > STEPS_MAX) {
        message_error("%g days of %g hours a step are more than %.0f steps", options->days, options->step_hours,
                      STEPS_MAX);
        return OPTIONS_BAD;
    }
    return result;
}

size_t options_step_count(const belt_options *options) {
    return (size_t)step_count(options);
}
