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

/* ---- the light systems; see light.h ---- */

BENCH_NOINLINE void bench_pull(Force *restrict forces, const Home *restrict homes, const Position *restrict positions,
                               size_t count) {
    for (size_t i = 0; i < count; i++) {
        forces[i].x = (homes[i].x - positions[i].x) * (1.0f / 16);
        forces[i].y = (homes[i].y - positions[i].y) * (1.0f / 16);
        forces[i].z = (homes[i].z - positions[i].z) * (1.0f / 16);
    }
}

BENCH_NOINLINE void bench_drag(Force *restrict forces, const Velocity *restrict velocities, size_t count) {
    for (size_t i = 0; i < count; i++) {
        forces[i].x -= velocities[i].x * (1.0f / 8);
        forces[i].y -= velocities[i].y * (1.0f / 8);
        forces[i].z -= velocities[i].z * (1.0f / 8);
    }
}

BENCH_NOINLINE void bench_ease(Force *forces, size_t count) {
    for (size_t i = 0; i < count; i++) {
        forces[i].x -= forces[i].x * (1.0f / 4);
        forces[i].y -= forces[i].y * (1.0f / 4);
        forces[i].z -= forces[i].z * (1.0f / 4);
    }
}

BENCH_NOINLINE void bench_push(Velocity *restrict velocities, const Force *restrict forces, size_t count) {
    for (size_t i = 0; i < count; i++) {
        velocities[i].x += forces[i].x * BENCH_TIME_STEP;
        velocities[i].y += forces[i].y * BENCH_TIME_STEP;
        velocities[i].z += forces[i].z * BENCH_TIME_STEP;
    }
}

BENCH_NOINLINE void bench_damp(Velocity *velocities, size_t count) {
    for (size_t i = 0; i < count; i++) {
        velocities[i].x -= velocities[i].x * (1.0f / 64);
        velocities[i].y -= velocities[i].y * (1.0f / 64);
        velocities[i].z -= velocities[i].z * (1.0f / 64);
    }
}

static float inside(float value) {
    value = value < 4096.0f ? value : 4096.0f;
    return value > -4096.0f ? value : -4096.0f;
}

BENCH_NOINLINE void bench_keep(Position *positions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        positions[i].x = inside(positions[i].x);
        positions[i].y = inside(positions[i].y);
        positions[i].z = inside(positions[i].z);
    }
}

BENCH_NOINLINE void bench_drift(Home *restrict homes, const Position *restrict positions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        homes[i].x += (positions[i].x - homes[i].x) * (1.0f / 256);
        homes[i].y += (positions[i].y - homes[i].y) * (1.0f / 256);
        homes[i].z += (positions[i].z - homes[i].z) * (1.0f / 256);
    }
}
