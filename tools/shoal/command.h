/*
 * What a subcommand of the program is. main.c holds the table of all of them: to add one, write its
 * run function and help text in files of its own and give them a line in that table.
 *
 * A run function gets the arguments after the subcommand's name and returns an exit code. It reports each
 * failure with exactly one line (report.h) and leaves --help and the check of standard output to main.c.
 */
#ifndef SHOAL_TOOL_COMMAND_H
#define SHOAL_TOOL_COMMAND_H

/* The program's exit codes, the same for every subcommand. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_BAD_ARGUMENTS = 2 };

typedef struct command {
    const char *name;
    const char *summary; /* One line for `shoal --help`. */
    const char *help;    /* All of `shoal NAME --help`. */
    int (*run)(int argument_count, char **arguments);
} command;

#endif
