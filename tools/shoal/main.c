/*
 * The shoal program: finds the subcommand and runs it.
 *
 *     shoal layout ...     shoal --help     shoal --version     shoal layout --help
 *
 * To add a subcommand, add its row to `commands`; help, exit codes and the check that standard output took
 * everything come with it. Exit codes are in command.h.
 */
#include "command.h"
#include "layout_command.h"
#include "report.h"

#include <shoal/base.h>

#include <stdio.h>
#include <string.h>

static const command *const commands[] = {&layout_command};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void help_print(void) {
    printf("usage: shoal COMMAND [arguments]\n"
           "       shoal COMMAND --help\n"
           "\n"
           "Tools for the entity component system Shoal.\n"
           "\n"
           "commands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        printf("  %-8s  %s\n", commands[i]->name, commands[i]->summary);
    }
    printf("\n"
           "options:\n"
           "  --help     this text\n"
           "  --version  the version of the library\n"
           "\n"
           "exit codes: 0 done; 1 could not be done (does not fit, file not writable); 2 bad arguments\n");
}

static bool is_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static const command *command_find(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

/* Help is given wherever it is asked for, also beside arguments that are wrong. */
static int command_run(const command *found, int argument_count, char **arguments) {
    for (int i = 0; i < argument_count; i++) {
        if (is_help(arguments[i])) {
            fputs(found->help, stdout);
            return EXIT_DONE;
        }
    }
    return found->run(argument_count, arguments);
}

static int program_run(int argument_count, char **arguments) {
    if (argument_count == 0) {
        report_error(NULL, "no command given; see 'shoal --help'");
        return EXIT_BAD_ARGUMENTS;
    }
    const command *found = command_find(arguments[0]);
    if (found != NULL) {
        return command_run(found, argument_count - 1, arguments + 1);
    }
    bool is_version = strcmp(arguments[0], "--version") == 0;
    if (!is_version && !is_help(arguments[0])) {
        report_error(NULL, "%.300s: unknown %s; see 'shoal --help'", arguments[0],
                     arguments[0][0] == '-' ? "option" : "command");
        return EXIT_BAD_ARGUMENTS;
    }
    if (argument_count > 1) {
        report_error(NULL, "%.300s: %s takes no argument", arguments[1], arguments[0]);
        return EXIT_BAD_ARGUMENTS;
    }
    if (is_version) {
        printf("shoal %s\n", shoal_version());
    } else {
        help_print();
    }
    return EXIT_DONE;
}

int main(int argument_count, char **arguments) {
    int code = program_run(argument_count > 0 ? argument_count - 1 : 0, arguments + 1);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_DONE) {
        report_error(NULL, "cannot write to standard output");
        return EXIT_FAILED;
    }
    return code;
}
