/*
 * The command line: arguments come in pairs, a name and a value.
 *
 * The first one that is wrong ends the reading with one line that names it, so that later ones are not blamed for what
 * an earlier one caused.
 * Thread rule: any.
 */
#include "options.h"

#include "message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_DEFAULT 115
#define STEPS_MAX 100000

static const char help_text[] =
    "usage: fleet [--steps N] [--seed N] [--out DIR]\n"
    "\n"
    "Three small fleets meet: ships with turrets and guns, each an entity. Prints the ships before and after, and\n"
    "draws them as fleet.svg (the map) and fleet_tree.svg (the trees of entities).\n"
    "\n"
    "  --steps N  steps of one second (0 to 100000, default 115)\n"
    "  --seed N   for another course of events; the same number gives the same one (default 3)\n"
    "  --out DIR  where the two files go; it is made if it is not there (default .)\n"
    "  --help     prints this text\n"
    "\n"
    "Exit code: 0 done, 1 a file could not be written or memory ran out, 2 bad arguments.\n";

static bool parse_number(const char *name, const char *text, uint64_t high, uint64_t *number) {
    if (*text == '\0' || strspn(text, "0123456789") != strlen(text)) {
        message_error("%s wants a whole number, not \"%s\"", name, text);
        return false;
    }
    errno = 0;
    uint64_t value = strtoull(text, NULL, 10);
    if (errno == ERANGE || value > high) {
        message_error("%s is %s, but must be from 0 to %" PRIu64, name, text, high);
        return false;
    }
    *number = value;
    return true;
}

static bool parse_option(const char *name, const char *value, fleet_options *options) {
    if (strcmp(name, "--seed") == 0) {
        return parse_number(name, value, UINT64_MAX, &options->seed);
    }
    if (strcmp(name, "--steps") == 0) {
        uint64_t steps = 0;
        bool is_good = parse_number(name, value, STEPS_MAX, &steps);
        options->steps = (int)steps;
        return is_good;
    }
    if (*value == '\0') {
        message_error("%s wants a path, not an empty word", name);
        return false;
    }
    options->output_directory = value;
    return true;
}

static bool option_is_known(const char *name) {
    return strcmp(name, "--steps") == 0 || strcmp(name, "--seed") == 0 || strcmp(name, "--out") == 0;
}

static bool parse_all(fleet_options *options, int argc, char **argv) {
    for (int i = 1; i < argc; i += 2) {
        if (!option_is_known(argv[i])) {
            message_error("unknown argument \"%s\"; try --help", argv[i]);
            return false;
        }
        if (i + 1 == argc) {
            message_error("%s wants a value; try --help", argv[i]);
            return false;
        }
        if (!parse_option(argv[i], argv[i + 1], options)) {
            return false;
        }
    }
    return true;
}

options_result options_parse(fleet_options *options, int argc, char **argv) {
    *options = (fleet_options){.steps = STEPS_DEFAULT, .seed = 3, .output_directory = "."};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help_text, stdout);
            return OPTIONS_HELP;
        }
    }
    return parse_all(options, argc, argv) ? OPTIONS_RUN : OPTIONS_BAD;
}
