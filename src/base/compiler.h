/*
 * The few compiler features that the hot paths lean on, each with a fallback that only costs speed.
 *
 *   LIKELY, UNLIKELY   which way a branch goes nearly always
 *   COLD               a function that is off the hot path: kept out of line, so the hot one stays small
 *   NOINLINE           the same for a function that is called often enough to be made fast
 *   PREFETCH           fetch a line that is read (or written) soon
 *   bit_*              counts and scans of 64-bit words
 */
#ifndef SHOAL_BASE_COMPILER_H
#define SHOAL_BASE_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define COLD __attribute__((cold, noinline))
#define NOINLINE __attribute__((noinline))
#define PREFETCH(address) __builtin_prefetch((address), 0, 3)
#define PREFETCH_WRITE(address) __builtin_prefetch((address), 1, 3)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define PRINTF_LIKE(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define LIKELY(condition) (condition)
#define UNLIKELY(condition) (condition)
#define COLD
#define NOINLINE
#define PREFETCH(address) ((void)(address))
#define PREFETCH_WRITE(address) ((void)(address))
#define ALWAYS_INLINE inline
#define PRINTF_LIKE(format_index, first_index)
#endif

/* AddressSanitizer's manual poisoning; without it the calls vanish. */
#if defined(__SANITIZE_ADDRESS__)
#define SHOAL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHOAL_ASAN 1
#endif
#endif
#ifdef SHOAL_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(address, byte_size) ASAN_POISON_MEMORY_REGION((address), (byte_size))
#define UNPOISON(address, byte_size) ASAN_UNPOISON_MEMORY_REGION((address), (byte_size))
#else
#define POISON(address, byte_size) ((void)(address), (void)(byte_size))
#define UNPOISON(address, byte_size) ((void)(address), (void)(byte_size))
#endif

/* The number of zero bits below the lowest one; `word` must not be 0. */
static inline uint32_t bit_lowest(uint64_t word) {
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(word);
#else
    uint32_t count = 0;
    while ((word & 1u) == 0) {
        word >>= 1;
        count++;
    }
    return count;
#endif
}

/* The number of one bits. */
static inline uint32_t bit_count(uint64_t word) {
#if defined(__GNUC__)
    return (uint32_t)__builtin_popcountll(word);
#else
    uint32_t count = 0;
    for (; word != 0; word &= word - 1) {
        count++;
    }
    return count;
#endif
}

/* The smallest power of two that is not below `value`; 1 for 0. The caller keeps value <= 2^63. */
static inline uint64_t bit_ceil(uint64_t value) {
    uint64_t power = 1;
    while (power < value) {
        power <<= 1;
    }
    return power;
}

static inline bool bit_is_power(uint64_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

static inline size_t align_up(size_t value, size_t alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

#endif
