/*
 * The loops over columns. Both subjects of a case call the same function with the same kind of columns, so that a
 * difference between them is never a difference of the compiler's mood. kernels.c is built for this machine
 * (-O3 -march=native) and none of its functions is inlined.
 */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include "components.h"

/* Seconds; see components.h for why it is a power of two. */
#define BENCH_TIME_STEP (1.0f / 64.0f)

/* Position += Velocity * time step. */
void bench_move(Position *restrict positions, const Velocity *restrict velocities, size_t count);

/* points += 1. */
void bench_heal(Health *healths, size_t count);

/* value *= 2. */
void bench_double(Charge *charges, size_t count);

/* The light systems of light.h, but for bench_move(). */
void bench_pull(Force *restrict forces, const Home *restrict homes, const Position *restrict positions, size_t count);
void bench_drag(Force *restrict forces, const Velocity *restrict velocities, size_t count);
void bench_ease(Force *forces, size_t count);
void bench_push(Velocity *restrict velocities, const Force *restrict forces, size_t count);
void bench_damp(Velocity *velocities, size_t count);
void bench_keep(Position *positions, size_t count);
void bench_drift(Home *restrict homes, const Position *restrict positions, size_t count);

#endif
