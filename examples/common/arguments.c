/*
 * Command lines of pairs, see arguments.h.
 */
#include "arguments.h"

#include "message.h"

#include <stdio.h>
#include <string.h>

static bool name_is_known(const argument_rules *rules, const char *name) {
    for (size_t i = 0; rules->names[i] != NULL; i++) {
        if (strcmp(name, rules->names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_pairs(const argument_rules *rules, void *options, int argc, char **argv) {
    for (int i = 1; i < argc; i += 2) {
        if (!name_is_known(rules, argv[i])) {
            message_error("unknown argument \"%s\"; try --help", argv[i]);
            return false;
        }
        if (i + 1 == argc) {
            message_error("%s wants a value; try --help", argv[i]);
            return false;
        }
        if (!rules->read(argv[i], argv[i + 1], options)) {
            return false;
        }
    }
    return true;
}

options_result arguments_read(const argument_rules *rules, void *options, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(rules->help_text, stdout);
            return OPTIONS_HELP;
        }
    }
    return read_pairs(rules, options, argc, argv) ? OPTIONS_RUN : OPTIONS_BAD;
}

bool arguments_read_path(const char *name, const char *value, const char **path) {
    if (*value == '\0') {
        message_error("%s wants a path, not an empty word", name);
        return false;
    }
    *path = value;
    return true;
}
