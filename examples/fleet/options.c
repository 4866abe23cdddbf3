/*
 * The command line: the ranges of the numbers, the defaults and the help text.
 *
 * Arguments come in pairs, a name and a value, which arguments.c reads one after the other.
 * Thread rule: any.
 */
#include "options.h"

#include "message.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define STEPS_DEFAULT 115
#define STEPS_MAX 100000
#define WORKERS_MAX 1024

static const char help_text[] =
    "usage: fleet [--steps N] [--seed N] [--workers N] [--out DIR]\n"
    "\n"
    "Three small fleets meet: ships with turrets and guns, each an entity. Prints the ships before and after, and\n"
    "draws them as fleet.svg (the map) and fleet_tree.svg (the trees of entities).\n"
    "\n"
    "  --steps N    steps of one second (0 to 100000, default 115)\n"
    "  --seed N     for another course of events; the same number gives the same one (default 3)\n"
    "  --workers N  threads, this one included (0 to 1024, default 0: the cores); the result is the same with any\n"
    "  --out DIR    where the two files go; it is made if it is not there (default .)\n"
    "  --help       prints this text\n"
    "\n"
    "Exit code: 0 done, 1 a file could not be written or memory ran out, 2 bad arguments.\n";

static bool parse_option(const char *name, const char *value, void *options_bytes) {
    fleet_options *options = options_bytes;
    if (strcmp(name, "--seed") == 0) {
        return arguments_read_number(name, value, UINT64_MAX, &options->seed);
    }
    if (strcmp(name, "--steps") == 0) {
        uint64_t steps = 0;
        bool is_good = arguments_read_number(name, value, STEPS_MAX, &steps);
        options->steps = (int)steps;
        return is_good;
    }
    if (strcmp(name, "--workers") == 0) {
        uint64_t workers = 0;
        bool is_good = arguments_read_number(name, value, WORKERS_MAX, &workers);
        options->workers = (uint32_t)workers;
        return is_good;
    }
    return arguments_read_path(name, value, &options->output_directory);
}

options_result options_parse(fleet_options *options, int argc, char **argv) {
    *options = (fleet_options){.steps = STEPS_DEFAULT, .seed = 3, .output_directory = "."};
    static const char *const names[] = {"--steps", "--seed", "--workers", "--out", NULL};
    const argument_rules rules = {help_text, names, parse_option};
    return arguments_read(&rules, options, argc, argv);
}
