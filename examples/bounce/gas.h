/*
 * The gas: a world with a box full of balls of three kinds, and the systems that move them.
 *
 * Balls lie three tenths of the area thick, far enough apart at the beginning that none touch. They start with equal
 * speeds in random directions, or almost at rest but for a hot disc in the middle. From then on nothing comes in and
 * nothing goes out: the energy must stay what it was, and the momentum may change by what the walls give alone.
 * Thread rule: one thread at a time for each gas; a step uses the workers of its world.
 */
#ifndef BOUNCE_GAS_H
#define BOUNCE_GAS_H

#include "components.h"

#define GAS_KINDS 3

/* Of each kind radius and mass, which goes with the area; the smallest first. */
extern const Disc gas_kinds[GAS_KINDS];

/* Nanoseconds of a step. */
#define GAS_STEP_NS 50000000u

typedef enum gas_start {
    GAS_EQUAL, /* every ball has speed 1, in a random direction */
    GAS_BLAST  /* slow balls all around, fast ones in the middle */
} gas_start;

typedef struct gas_def {
    size_t balls;
    uint64_t seed;
    gas_start start;
    uint32_t workers; /* 1: all on the thread that steps; 0: as many as there are cores */
    bool no_fusion;
} gas_def;

/* What a gas must keep, and the sum of all momenta without their directions, to compare an error of momentum with. */
typedef struct gas_sums {
    double energy;
    double momentum_x, momentum_y;
    double mass;
} gas_sums;

typedef struct bounce_gas {
    shoal_world *world;
    shoal_query *balls; /* reads Position, Velocity and Disc */
    gas_sums first;     /* of the beginning */
    Box box;
} bounce_gas;

/* Makes the world, the balls and the systems. On failure the world has the message, if there is one, else this thread;
   gas_destroy() is called in both cases. */
shoal_status gas_create(bounce_gas *gas, const gas_def *def);

/* Ends the world, if there is one. */
void gas_destroy(bounce_gas *gas);

/* One step of GAS_STEP_NS. */
shoal_status gas_step(bounce_gas *gas);

/* Adds everything up, one ball after the other: beside what the systems keep in Totals, and not from it. */
gas_sums gas_measure(const bounce_gas *gas);

/* How far the energy is from that of the beginning, as a part of it. */
double gas_energy_drift(const bounce_gas *gas, const gas_sums *now);

/* How far the momentum is from that of the beginning and what the walls gave, as a part of what it would be if all
   balls flew one way. */
double gas_momentum_error(const bounce_gas *gas, const gas_sums *now);

/* Which of gas_kinds this is. */
size_t gas_kind_of(const Disc *disc);

#endif
