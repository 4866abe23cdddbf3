/*
 * Two threads by hand: the caller and one helper that share an array in halves, which is what a programmer writes
 * who has one loop to spread and no scheduler. It is the plain side of the cases with two workers.
 *
 *     caller              helper
 *     started += 1  --->  sees it
 *     first half          second half
 *     waits         <---  done += 1
 *
 * The helper looks for work without a pause for about a millisecond, longer than the pool of a world does, and parks
 * then: the process of a subject must not take a core from the other subject's. One caller.
 */
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_threads bench_threads;

/* Works on the elements from `first` to before `end`. */
typedef void (*bench_range_function)(void *data, size_t first, size_t end);

/* Starts the helper. */
bench_threads *bench_threads_create(void);

/* Ends it. */
void bench_threads_destroy(bench_threads *threads);

/* Calls `work` for 0 to `count`, in halves on the two threads; the cut is at a multiple of 16 elements. */
void bench_threads_run(bench_threads *threads, size_t count, bench_range_function work, void *data);

#ifdef __cplusplus
}
#endif

#endif
