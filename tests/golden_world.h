/*
 * The golden world: a scripted world of 60 systems with spawns, destroys, toggles, relations, trees, uniques and
 * reductions, whose hash is the same on any number of workers, fused or not, with any compiler and optimisation. The
 * arithmetic is + - * / and sqrt of doubles and integers modulo 2^64; chance comes from the index of an entity and the
 * tick. It needs no test library, so that `golden` can be built by itself.
 */
#ifndef SHOAL_TESTS_GOLDEN_WORLD_H
#define SHOAL_TESTS_GOLDEN_WORLD_H

#include <shoal/shoal.h>

#define GOLDEN_SYSTEMS 60
#define GOLDEN_STEPS 40

/* The hash that every run must come to; it changes when the script or what is hashed does. */
#define GOLDEN_HASH UINT64_C(0x76a93dadb10a4de0)

typedef struct golden_result {
    shoal_status status; /* not OK: nothing else holds */
    char message[256];   /* of a failure */
    uint64_t canonical;
    uint64_t layout; /* equal for runs of one program only */
    uint64_t entities;
    uint64_t births;        /* commands of the systems that spawn, so that a test can see that the script lives */
    uint64_t dropped;       /* of those, the ones that came too late */
    uint64_t jobs;          /* that their rows were cut into */
    uint64_t shared_stages; /* stages that several workers were offered */
    uint32_t systems;
    uint32_t fused;
} golden_result;

/* Makes the world, runs the script with these settings, ends the world. */
golden_result golden_run(const shoal_schedule_def *schedule);

#endif
