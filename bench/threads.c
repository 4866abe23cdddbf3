/*
 * Two threads by hand; see threads.h.
 *
 * The caller's writes reach the helper by `started`, the helper's the caller by `done`; both are sequentially
 * consistent, since between `started` and `parked` each side writes one and then reads the other.
 */
#include "threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "support.h"

/* Looks at `started` before the helper parks: a pause takes some 40 cycles. */
#define LOOKS 65536u

/* Halves begin at a line of the cache in arrays of 4 bytes an element and more. */
#define CUT_ALIGNMENT 16u

struct bench_threads {
    _Alignas(64) _Atomic size_t started;
    _Alignas(64) _Atomic size_t done;
    _Alignas(64) bench_range_function work; /* NULL: the helper ends */
    void *data;
    size_t first;
    size_t end;
    _Alignas(64) _Atomic bool parked;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    pthread_t helper;
};

static void park(bench_threads *threads, size_t seen) {
    pthread_mutex_lock(&threads->lock);
    atomic_store(&threads->parked, true);
    while (atomic_load(&threads->started) == seen) {
        pthread_cond_wait(&threads->woken, &threads->lock);
    }
    atomic_store(&threads->parked, false);
    pthread_mutex_unlock(&threads->lock);
}

static void await_start(bench_threads *threads, size_t seen) {
    for (size_t looks = 0; atomic_load(&threads->started) == seen; looks++) {
        if (looks < LOOKS) {
            bench_pause();
        } else {
            park(threads, seen);
        }
    }
}

static void *helper_main(void *data) {
    bench_threads *threads = data;
    for (size_t seen = 0;; seen++) {
        await_start(threads, seen);
        if (threads->work == NULL) {
            return NULL;
        }
        threads->work(threads->data, threads->first, threads->end);
        atomic_fetch_add(&threads->done, 1);
    }
}

static void start(bench_threads *threads) {
    atomic_fetch_add(&threads->started, 1);
    if (atomic_load(&threads->parked)) {
        pthread_mutex_lock(&threads->lock);
        pthread_cond_signal(&threads->woken);
        pthread_mutex_unlock(&threads->lock);
    }
}

bench_threads *bench_threads_create(void) {
    bench_threads *threads = aligned_alloc(64, sizeof *threads);
    BENCH_CHECK(threads != NULL, "no memory for two threads");
    *threads = (bench_threads){0};
    BENCH_CHECK(pthread_mutex_init(&threads->lock, NULL) == 0, "no lock");
    BENCH_CHECK(pthread_cond_init(&threads->woken, NULL) == 0, "no condition");
    BENCH_CHECK(pthread_create(&threads->helper, NULL, helper_main, threads) == 0, "no thread");
    return threads;
}

void bench_threads_destroy(bench_threads *threads) {
    threads->work = NULL;
    start(threads);
    BENCH_CHECK(pthread_join(threads->helper, NULL) == 0, "the helper cannot be joined");
    pthread_cond_destroy(&threads->woken);
    pthread_mutex_destroy(&threads->lock);
    free(threads);
}

void bench_threads_run(bench_threads *threads, size_t count, bench_range_function work, void *data) {
    size_t cut = count / 2 / CUT_ALIGNMENT * CUT_ALIGNMENT;
    size_t awaited = atomic_load_explicit(&threads->started, memory_order_relaxed) + 1;
    threads->work = work;
    threads->data = data;
    threads->first = cut;
    threads->end = count;
    start(threads);
    work(data, 0, cut);
    while (atomic_load(&threads->done) != awaited) {
        bench_pause();
    }
}
