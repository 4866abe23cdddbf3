/*
 * What every test file includes: cmocka with the headers that it needs before it, Shoal's public headers, and
 * checks that print both values by name.
 *
 * test_context is a line that random tests keep up to date (seed, round, step, operation); every check of this
 * file prints it when it fails, so that a failure can be run again. The checks may be used as statements only.
 */
#ifndef SHOAL_TESTS_TEST_H
#define SHOAL_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <shoal/shoal.h>

/* Printed by every failing check; set it with test_set_context(). */
extern char test_context[256];

void test_set_context(const char *format, ...);

void test_check_status(shoal_status actual, shoal_status expected, const char *text, const char *file, int line);
void test_check_entity(shoal_entity actual, shoal_entity expected, const char *text, const char *file, int line);
void test_check_count(uint64_t actual, uint64_t expected, const char *text, const char *file, int line);
void test_check_valid(shoal_world *world, const char *file, int line);
void test_check_error(const shoal_world *world, shoal_status expected, const char *file, int line);
void test_check_message(const shoal_world *world, const char *part, const char *file, int line);
void test_check_at_most(uint64_t actual, uint64_t limit, const char *text, const char *file, int line);

/* A call's status. */
#define assert_status(actual, expected) test_check_status((actual), (expected), #actual, __FILE__, __LINE__)
#define assert_ok(actual) test_check_status((actual), SHOAL_OK, #actual, __FILE__, __LINE__)
/* The same handle, bit for bit. */
#define assert_entity(actual, expected) test_check_entity((actual), (expected), #actual, __FILE__, __LINE__)
/* Two numbers, printed in decimal. */
#define assert_count(actual, expected)                                                                                 \
    test_check_count((uint64_t)(actual), (uint64_t)(expected), #actual, __FILE__, __LINE__)
#define assert_at_most(actual, limit)                                                                                  \
    test_check_at_most((uint64_t)(actual), (uint64_t)(limit), #actual, __FILE__, __LINE__)
/* shoal_world_validate() finds nothing. */
#define assert_valid(world) test_check_valid((world), __FILE__, __LINE__)
/* The last failure on a world has this status, and a message that names it in one line. */
#define assert_last_error(world, expected) test_check_error((world), (expected), __FILE__, __LINE__)
/* The message of the last failure contains this. */
#define assert_message_has(world, part) test_check_message((world), (part), __FILE__, __LINE__)

/* Where AddressSanitizer watches the program. */
#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif

/* The number in an environment variable, or `fallback`. */
uint64_t test_environment(const char *name, uint64_t fallback);

#endif
