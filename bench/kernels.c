/*
 * The loops over columns that both subjects share; see kernels.h.
 *
 * They know nothing of worlds: columns come in as pointers, and `restrict` says that no two of them overlap.
 */
#include "kernels.h"

#include "support.h"

BENCH_NOINLINE void bench_move(Position *restrict positions, const Velocity *restrict velocities, size_t count) {
    for (size_t i = 0; i < count; i++) {
        positions[i].x += velocities[i].x * BENCH_TIME_STEP;
        positions[i].y += velocities[i].y * BENCH_TIME_STEP;
        positions[i].z += velocities[i].z * BENCH_TIME_STEP;
    }
}

BENCH_NOINLINE void bench_heal(Health *healths, size_t count) {
    for (size_t i = 0; i < count; i++) {
        healths[i].points++;
    }
}

BENCH_NOINLINE void bench_double(Charge *charges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        charges[i].value *= 2;
    }
}
