/*
 * What the chart of entities per second shows: a step of the first four light systems (light.h) over any number of
 * rows, as subjects whose figure is nanoseconds an entity for all four. They are run by charts.cc and belong to no
 * case.
 */
#ifndef BENCH_SWEEP_H
#define BENCH_SWEEP_H

#include "case.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const bench_subject sweep_plain;   /* four loops one after the other */
extern const bench_subject sweep_unfused; /* shoal on one thread without fusion */
extern const bench_subject sweep_fused;   /* shoal on one thread */
extern const bench_subject sweep_shared;  /* shoal with two workers */

#ifdef __cplusplus
}
#endif

#endif
