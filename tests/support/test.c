/*
 * The checks of test.h. Each prints the expression, what it gave, what was expected and the context line, and
 * then fails the running test through cmocka.
 */
#include "test.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char test_context[256];

void test_set_context(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(test_context, sizeof test_context, format, arguments);
    va_end(arguments);
}

static void test_fail(const char *file, int line) {
    if (test_context[0] != '\0') {
        print_error("       at %s\n", test_context);
    }
    _fail(file, line);
}

void test_check_status(shoal_status actual, shoal_status expected, const char *text, const char *file, int line) {
    if (actual != expected) {
        print_error("%s\n       gave \"%s\", expected \"%s\"\n", text, shoal_status_name(actual),
                    shoal_status_name(expected));
        test_fail(file, line);
    }
}

void test_check_entity(shoal_entity actual, shoal_entity expected, const char *text, const char *file, int line) {
    if (!shoal_entity_equal(actual, expected)) {
        char actual_text[SHOAL_ENTITY_TEXT_SIZE];
        char expected_text[SHOAL_ENTITY_TEXT_SIZE];
        shoal_entity_format(actual, actual_text, sizeof actual_text);
        shoal_entity_format(expected, expected_text, sizeof expected_text);
        print_error("%s\n       gave %s, expected %s\n", text, actual_text, expected_text);
        test_fail(file, line);
    }
}

void test_check_count(uint64_t actual, uint64_t expected, const char *text, const char *file, int line) {
    if (actual != expected) {
        print_error("%s\n       gave %" PRIu64 ", expected %" PRIu64 "\n", text, actual, expected);
        test_fail(file, line);
    }
}

void test_check_at_most(uint64_t actual, uint64_t limit, const char *text, const char *file, int line) {
    if (actual > limit) {
        print_error("%s\n       gave %" PRIu64 ", expected at most %" PRIu64 "\n", text, actual, limit);
        test_fail(file, line);
    }
}

void test_check_valid(shoal_world *world, const char *file, int line) {
    shoal_status status = shoal_world_validate(world);
    if (status != SHOAL_OK) {
        print_error("shoal_world_validate\n       gave \"%s\": %s\n", shoal_status_name(status),
                    shoal_last_error(world).message);
        test_fail(file, line);
    }
}

void test_check_error(const shoal_world *world, shoal_status expected, const char *file, int line) {
    shoal_error error = shoal_last_error(world);
    if (error.message == NULL) {
        print_error("shoal_last_error gave a null message\n");
        test_fail(file, line);
        return;
    }
    if (error.status != expected) {
        print_error("shoal_last_error\n       gave \"%s\" (%s), expected \"%s\"\n", shoal_status_name(error.status),
                    error.message, shoal_status_name(expected));
        test_fail(file, line);
    }
    if (strstr(error.message, shoal_status_name(expected)) == NULL || strchr(error.message, '\n') != NULL) {
        print_error("the message \"%s\"\n       is no single line with \"%s\" in it\n", error.message,
                    shoal_status_name(expected));
        test_fail(file, line);
    }
}

void test_check_message(const shoal_world *world, const char *part, const char *file, int line) {
    const char *message = shoal_last_error(world).message;
    if (strstr(message, part) == NULL) {
        print_error("the message \"%s\"\n       does not have \"%s\" in it\n", message, part);
        test_fail(file, line);
    }
}

uint64_t test_environment(const char *name, uint64_t fallback) {
    const char *text = getenv(name);
    if (text == NULL || text[0] == '\0') {
        return fallback;
    }
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    return errno == 0 && *end == '\0' ? (uint64_t)value : fallback;
}
