/*
 * Command lines of pairs, a name and a value: what the options of each program have in common.
 *
 * The first argument that is wrong ends the reading with one line that names it, so that later ones are not blamed for
 * what an earlier one caused.
 * Thread rule: any.
 */
#ifndef EXAMPLES_ARGUMENTS_H
#define EXAMPLES_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum options_result {
    OPTIONS_RUN,  /* go on */
    OPTIONS_HELP, /* the help text was asked for and printed */
    OPTIONS_BAD   /* one line said what is wrong */
} options_result;

typedef struct argument_rules {
    const char *help_text;    /* what --help prints */
    const char *const *names; /* of all options, ended by NULL */
    bool (*read)(const char *name, const char *value,
                 void *options); /* for a name of these; false: said what is wrong */
} argument_rules;

/* Reads all pairs into `options`, which holds the defaults. */
options_result arguments_read(const argument_rules *rules, void *options, int argc, char **argv);

/* The value of an option as a whole number from 0 to `high`; false: said what is wrong. */
bool arguments_read_number(const char *name, const char *value, uint64_t high, uint64_t *number);

/* The value of an option as a path, which must not be empty. */
bool arguments_read_path(const char *name, const char *value, const char **path);

#endif
