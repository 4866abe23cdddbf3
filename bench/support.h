/*
 * What every benchmark case needs beside the library: a clock, checks that end the process, memory that is there,
 * one fixed random order, and the process's resident memory.
 *
 * The random order is the same in every run and for both subjects, so that both miss the cache alike.
 * Not thread-safe; each subject has a process of its own.
 */
#ifndef BENCH_SUPPORT_H
#define BENCH_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shoal/query.h>

#include "case.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_NOINLINE __attribute__((noinline))

/* Nanoseconds of a clock that never goes back. */
uint64_t bench_now(void);

/* How failures of this process are signed, for example "get_seq/1000000/shoal". The text must live on. */
void bench_set_label(const char *label);

/* Writes one line to the error stream and ends the process with status 3. */
void bench_fail(const char *function, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

#define BENCH_CHECK(condition, ...) ((condition) ? (void)0 : bench_fail(__func__, __VA_ARGS__))

/* Fails with the world's (with NULL: the thread's) last error unless `done`. */
void bench_require(const char *function, const shoal_world *world, bool done);

#define BENCH_REQUIRE(world, done) bench_require(__func__, (world), (done))

/* malloc and calloc that fail the check instead of returning NULL. */
void *bench_allocate(size_t count, size_t size);
void *bench_allocate_zeroed(size_t count, size_t size);

/* `count` numbers from 0 on in the one random order; free() it. */
uint32_t *bench_shuffled(size_t count);

/* What an operation took, of so many. */
bench_sample bench_sample_of(uint64_t nanoseconds, size_t operations);

/* For loops that look for what another thread does. */
void bench_pause(void);

/* A query that must be made. */
shoal_query *bench_query_of(shoal_world *world, const shoal_query_def *def);

/* Anonymous memory that this process has in RAM. */
double bench_resident_bytes(void);

#ifdef __cplusplus
}
#endif

#endif
