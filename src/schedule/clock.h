/*
 * The clock that runs are measured by: the processor's cycle counter where it runs at a constant rate, since it costs
 * 10 ns where the system's clock costs 25; the system's clock elsewhere. Ticks are turned into nanoseconds when
 * somebody looks. Thread rule: any.
 */
#ifndef SHOAL_SCHEDULE_CLOCK_H
#define SHOAL_SCHEDULE_CLOCK_H

#include <stdint.h>

#include "../base/platform/platform.h"

static inline uint64_t clock_ticks(void) {
#if defined(__GNUC__) && defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return platform_clock_ns();
#endif
}

/* Nanoseconds of so many ticks. The rate is measured against the system's clock since the first call of
   clock_begin(); the longer ago, the better. */
double clock_ns_per_tick(void);
void clock_begin(void);

#endif
