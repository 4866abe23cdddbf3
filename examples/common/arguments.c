/*
 * Command lines of pairs, see arguments.h.
 */
#include "arguments.h"

#include "message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

bool arguments_read_number(const char *name, const char *value, uint64_t high, uint64_t *number) {
    if (*value == '\0' || strspn(value, "0123456789") != strlen(value)) {
        message_error("%s wants a whole number, not \"%s\"", name, value);
        return false;
    }
    errno = 0;
    uint64_t read = strtoull(value, NULL, 10);
    if (errno == ERANGE || read > high) {
        message_error("%s is %s, but must be from 0 to %" PRIu64, name, value, high);
        return false;
    }
    *number = read;
    return true;
}
