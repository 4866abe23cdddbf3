/*
 * Hashes: FNV-1a for names, since it goes into files and is defined in three lines by its authors
 * (http://www.isthe.com/chongo/tech/comp/fnv/), and a multiply-and-fold mix for tables in memory.
 */
#ifndef SHOAL_BASE_HASH_H
#define SHOAL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 64-bit FNV-1a with its published offset basis and prime. */
static inline uint64_t hash_fnv1a(const char *text, size_t byte_size) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < byte_size; i++) {
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Folds one more value into a hash. The multiplier is 2^64 divided by the golden ratio, made odd. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 32);
}

#endif
