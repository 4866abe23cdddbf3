/*
 * Clock, checks and memory for the benchmark cases; see support.h.
 *
 * bench_fail() uses _exit: the process is a fork of the benchmark program, and flushing the streams that it
 * inherited would print the parent's pending lines twice.
 */
#define _POSIX_C_SOURCE 200809L

#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BENCH_STATUS_WRONG 3

static const char *signature = "bench";

uint64_t bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void bench_set_label(const char *label) {
    signature = label;
}

void bench_fail(const char *function, const char *format, ...) {
    char reason[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    fprintf(stderr, "bench: %s: %s: %s\n", signature, function, reason);
    fflush(stderr);
    _exit(BENCH_STATUS_WRONG);
}

void bench_require(const char *function, const shoal_world *world, bool done) {
    if (!done) {
        bench_fail(function, "%s", shoal_last_error(world).message);
    }
}

void *bench_allocate(size_t count, size_t size) {
    void *memory = malloc(count * size);
    BENCH_CHECK(memory != NULL, "no memory for %zu values of %zu bytes", count, size);
    return memory;
}

void *bench_allocate_zeroed(size_t count, size_t size) {
    void *memory = calloc(count, size);
    BENCH_CHECK(memory != NULL, "no memory for %zu values of %zu bytes", count, size);
    return memory;
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

uint32_t *bench_shuffled(size_t count) {
    uint32_t *order = bench_allocate(count, sizeof *order);
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    uint64_t state = 0x9E3779B97F4A7C15u;
    for (size_t i = count - 1; i > 0; i--) {
        size_t other = (size_t)(next_random(&state) % (i + 1));
        uint32_t value = order[i];
        order[i] = order[other];
        order[other] = value;
    }
    return order;
}

bench_sample bench_sample_of(uint64_t nanoseconds, size_t operations) {
    return (bench_sample){.figure = (double)nanoseconds / (double)operations};
}

void bench_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

shoal_query *bench_query_of(shoal_world *world, const shoal_query_def *def) {
    shoal_query *query = shoal_query_create(world, def);
    BENCH_REQUIRE(world, query != NULL);
    return query;
}

double bench_resident_bytes(void) {
    FILE *status = fopen("/proc/self/status", "r");
    BENCH_CHECK(status != NULL, "cannot read /proc/self/status");
    char line[256];
    double kibibytes = 0;
    while (fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "RssAnon:", 8) == 0) {
            kibibytes = strtod(line + 8, NULL);
        }
    }
    fclose(status);
    return kibibytes * 1024;
}
