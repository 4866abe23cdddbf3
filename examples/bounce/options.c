/*
 * The command line: the ranges of the numbers, the defaults and the help text.
 *
 * Arguments come in pairs, a name and a value, which arguments.c reads one after the other.
 * Thread rule: any.
 */
#include "options.h"

#include "message.h"

#include <inttypes.h>
#include <string.h>

#define BALLS_MOST 10000000
#define STEPS_MOST 10000000
#define WORKERS_MOST 1024
/* Frames of the film, unless --every says otherwise. */
#define FRAMES_DEFAULT 60

static const char help_text[] =
    "usage: bounce [--balls N] [--steps N] [--seed N] [--start equal|blast] [--workers N] [--fusion on|off]\n"
    "              [--every N] [--out DIR]\n"
    "\n"
    "A gas of hard discs in a box: elastic collisions, found with a spatial hash. Prints how well energy and momentum\n"
    "are kept, and how close the speeds come to the distribution of Maxwell and Boltzmann.\n"
    "\n"
    "  --balls N    balls of three kinds (1 to 10000000, default 100000)\n"
    "  --steps N    steps of 1/20 second (0 to 10000000, default 600)\n"
    "  --seed N     for another beginning; the same number gives the same one (default 1)\n"
    "  --start S    equal: every ball is equally fast (default); blast: a hot disc in the middle of a cold gas\n"
    "  --workers N  threads, this one included (0 to 1024, default 0: the cores); the result is the same with any\n"
    "  --fusion S   off: no systems are fused; the result is the same (default on)\n"
    "  --every N    steps from frame to frame (0 to 10000000, default 0: as many as make 60 frames)\n"
    "  --out DIR    writes frames as PNG, an animation, charts and bounce.html, which shows them; the directory is\n"
    "               made if it is not there (default: nothing is written)\n"
    "  --help       prints this text\n"
    "\n"
    "Exit code: 0 done, 1 a file could not be written or memory ran out, 2 bad arguments.\n";

static bool parse_size(const char *name, const char *text, uint64_t high, size_t *size) {
    uint64_t number = 0;
    bool is_good = arguments_read_number(name, text, high, &number);
    *size = (size_t)number;
    return is_good;
}

static bool parse_balls(const char *text, size_t *balls) {
    if (!parse_size("--balls", text, BALLS_MOST, balls)) {
        return false;
    }
    if (*balls == 0) {
        message_error("--balls must be at least 1");
        return false;
    }
    return true;
}

static bool parse_workers(const char *text, uint32_t *workers) {
    uint64_t number = 0;
    bool is_good = arguments_read_number("--workers", text, WORKERS_MOST, &number);
    *workers = (uint32_t)number;
    return is_good;
}

/* One of two words; `is_second` says which. */
static bool parse_word(const char *name, const char *text, const char *const words[2], bool *is_second) {
    if (strcmp(text, words[0]) != 0 && strcmp(text, words[1]) != 0) {
        message_error("%s wants %s or %s, not \"%s\"", name, words[0], words[1], text);
        return false;
    }
    *is_second = strcmp(text, words[1]) == 0;
    return true;
}

static bool parse_start(const char *text, gas_start *start) {
    static const char *const words[] = {"equal", "blast"};
    bool is_blast = false;
    bool is_good = parse_word("--start", text, words, &is_blast);
    *start = is_blast ? GAS_BLAST : GAS_EQUAL;
    return is_good;
}

static bool parse_option(const char *name, const char *value, void *options_bytes) {
    bounce_options *options = options_bytes;
    static const char *const switch_words[] = {"on", "off"};
    if (strcmp(name, "--balls") == 0) {
        return parse_balls(value, &options->gas.balls);
    }
    if (strcmp(name, "--steps") == 0) {
        return parse_size(name, value, STEPS_MOST, &options->steps);
    }
    if (strcmp(name, "--seed") == 0) {
        return arguments_read_number(name, value, UINT64_MAX, &options->gas.seed);
    }
    if (strcmp(name, "--start") == 0) {
        return parse_start(value, &options->gas.start);
    }
    if (strcmp(name, "--workers") == 0) {
        return parse_workers(value, &options->gas.workers);
    }
    if (strcmp(name, "--fusion") == 0) {
        return parse_word(name, value, switch_words, &options->gas.no_fusion);
    }
    if (strcmp(name, "--every") == 0) {
        return parse_size(name, value, STEPS_MOST, &options->every);
    }
    return arguments_read_path(name, value, &options->output_directory);
}

options_result options_parse(bounce_options *options, int argc, char **argv) {
    *options = (bounce_options){.gas = {.balls = 100000, .seed = 1}, .steps = 600};
    static const char *const names[] = {"--balls",  "--steps", "--seed", "--start", "--workers",
                                        "--fusion", "--every", "--out",  NULL};
    const argument_rules rules = {help_text, names, parse_option};
    options_result result = arguments_read(&rules, options, argc, argv);
    if (options->every == 0) {
        options->every = options->steps > FRAMES_DEFAULT ? options->steps / FRAMES_DEFAULT : 1;
    }
    return result;
}
