/*
 * A small generator of pseudo-random numbers for tests: the same seed gives the same sequence on every machine.
 * A Weyl sequence that is mixed twice; good enough to pick operations, and it can start from any seed, also 0.
 */
#ifndef SHOAL_TESTS_RNG_H
#define SHOAL_TESTS_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *random) {
    random->state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = random->state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

/* A number from 0 to limit - 1; limit is not 0. */
static inline uint32_t rng_below(rng *random, uint32_t limit) {
    return (uint32_t)(((rng_next(random) >> 32) * limit) >> 32);
}

static inline bool rng_chance(rng *random, uint32_t percent) {
    return rng_below(random, 100) < percent;
}

/* Puts `count` numbers into random order. */
static inline void rng_shuffle(rng *random, uint32_t *numbers, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t other = rng_below(random, (uint32_t)i);
        uint32_t kept = numbers[i - 1];
        numbers[i - 1] = numbers[other];
        numbers[other] = kept;
    }
}

#endif
