/*
 * Random numbers that are the same on every machine: xoshiro256** by David Blackman and Sebastiano Vigna (2018), its
 * state filled by splitmix64 from one number; both were put into the public domain by their authors
 * (https://prng.di.unimi.it/).
 *
 * Only integers, the four operations and the square root, which IEEE 754 rounds in one way: no function of the C
 * library whose last bit differs from one to the next.
 * Thread rule: one thread at a time for each dice.
 */
#ifndef BOUNCE_DICE_H
#define BOUNCE_DICE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bounce_dice {
    uint64_t state[4];
} bounce_dice;

static inline uint64_t dice_rotate(uint64_t bits, unsigned by) {
    return bits << by | bits >> (64 - by);
}

static inline void dice_seed(bounce_dice *dice, uint64_t seed) {
    for (size_t i = 0; i < 4; i++) {
        seed += UINT64_C(0x9E3779B97F4A7C15);
        uint64_t z = seed;
        z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
        dice->state[i] = z ^ z >> 31;
    }
}

static inline uint64_t dice_next(bounce_dice *dice) {
    uint64_t *s = dice->state;
    uint64_t result = dice_rotate(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = dice_rotate(s[3], 45);
    return result;
}

/* From 0 to below 1, a multiple of 2^-53. */
static inline double dice_unit(bounce_dice *dice) {
    return (double)(dice_next(dice) >> 11) * 0x1p-53;
}

/* From -1 to below 1. */
static inline double dice_signed(bounce_dice *dice) {
    return 2.0 * dice_unit(dice) - 1.0;
}

/* A direction, every one as likely: a point of the unit disc, brought to its rim. */
static inline void dice_direction(bounce_dice *dice, double *x, double *y) {
    double square = 0.0;
    do {
        *x = dice_signed(dice);
        *y = dice_signed(dice);
        square = *x * *x + *y * *y;
    } while (square > 1.0 || square < 1e-6);
    double length = sqrt(square);
    *x /= length;
    *y /= length;
}

#endif
