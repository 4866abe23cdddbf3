/*
 * The contract between the benchmark cases (C, one file a theme) and the program that runs them (C++).
 *
 * A case is one operation at one number of entities, in two subjects: `plain`, the arrays that a programmer would
 * write by hand for exactly this, and `shoal`, the same work through the public headers. Both call the same kernels
 * and return their figure in the same unit, so that the ratio of the two is what Shoal costs.
 *
 * Each subject of a case lives in a process of its own (see worker.h): setup once, run for every repeat, finish at
 * the end. A run that finds a wrong result ends the process through BENCH_CHECK; no figure comes out of it.
 */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one run measured. */
typedef struct bench_sample {
    double figure;         /* nanoseconds or bytes for one operation */
    double resident_bytes; /* what the system counts for it, in the figure's unit; 0 where it was not asked */
} bench_sample;

typedef struct bench_subject {
    void *(*setup)(size_t n);         /* makes what all runs share */
    bench_sample (*run)(void *state); /* one repeat; measures only the operation itself */
    void (*finish)(void *state);      /* checks what is left and frees it */
} bench_subject;

typedef enum bench_unit { BENCH_NANOSECONDS, BENCH_BYTES } bench_unit;

typedef enum bench_budget_kind {
    BENCH_NO_BUDGET,
    BENCH_AT_MOST_RATIO, /* shoal's figure divided by plain's */
    BENCH_AT_MOST_FIGURE /* shoal's figure itself */
} bench_budget_kind;

typedef struct bench_case {
    const char *name;
    size_t n; /* entities */
    bench_subject plain;
    bench_subject shoal;
    bench_unit unit;
    bench_budget_kind budget_kind;
    double budget;
    bool standing; /* runs work on standing data: each is preceded by one that is not counted, because the other
                      subject has just had the caches */
    bool once;     /* the figure is exact, one repeat says all */
} bench_case;

typedef struct bench_theme {
    const bench_case *cases;
    size_t case_count;
} bench_theme;

extern const bench_theme bench_iterate;     /* iterate.c */
extern const bench_theme bench_lifecycle;   /* lifecycle.c */
extern const bench_theme bench_change;      /* change.c */
extern const bench_theme bench_access;      /* access.c */
extern const bench_theme bench_kinds;       /* kinds.c */
extern const bench_theme bench_sparse;      /* sparse.c */
extern const bench_theme bench_tree;        /* tree.c */
extern const bench_theme bench_costs;       /* costs.c */
extern const bench_theme bench_costs_links; /* costs_links.c */
extern const bench_theme bench_costs_order; /* costs_order.c */
extern const bench_theme bench_footprint;   /* footprint.c */
extern const bench_theme bench_hash;        /* hash.c; without cases where the library cannot hash */
extern const bench_theme bench_schedule;    /* schedule.c */
extern const bench_theme bench_parallel;    /* parallel.c */
extern const bench_theme bench_fused;       /* fused.c */
extern const bench_theme bench_small_world; /* small_world.c */

#define BENCH_THEME(cases)                                                                                             \
    { (cases), sizeof(cases) / sizeof((cases)[0]) }

#ifdef __cplusplus
}
#endif

#endif
