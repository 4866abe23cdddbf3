/*
 * How long a tick of the clock is; see clock.h.
 */
#include "clock.h"

#include <stdatomic.h>

#include "../base/spinlock.h"

#define CALIBRATION_NS 2000000u /* long enough for one part in a thousand */

static spinlock lock = SPINLOCK_INIT;
static uint64_t first_ticks; /* guard: lock */
static uint64_t first_ns;    /* guard: lock */

void clock_begin(void) {
    spinlock_lock(&lock);
    if (first_ns == 0) {
        first_ns = platform_clock_ns();
        first_ticks = clock_ticks();
    }
    spinlock_unlock(&lock);
}

double clock_ns_per_tick(void) {
    clock_begin();
    uint64_t ns = 0;
    uint64_t ticks = 0;
    do {
        ns = platform_clock_ns() - first_ns;
        ticks = clock_ticks() - first_ticks;
    } while (ns < CALIBRATION_NS);
    return ticks != 0 ? (double)ns / (double)ticks : 1.0;
}
