/*
 * Copies of single values, whose size is known only at run time but is nearly always one of a few.
 *
 * memcpy with a size in a register is a call with its own dispatch, and a call in a hot loop makes the compiler keep
 * everything else in memory. So nothing here calls: 8 to 16 bytes are two overlapping moves, 17 to 64 two or four,
 * more are blocks of 64 and an overlapping rest. Source and destination never overlap.
 */
#ifndef SHOAL_BASE_COPY_H
#define SHOAL_BASE_COPY_H

#include <string.h>

#include "compiler.h"

typedef struct copy_block16 {
    uint64_t low, high;
} copy_block16;

static ALWAYS_INLINE void copy_16(char *destination, const char *source) {
    copy_block16 block;
    memcpy(&block, source, 16);
    memcpy(destination, &block, 16);
}

/* 16 to 64 bytes: 16-byte moves from both ends. */
static ALWAYS_INLINE void copy_middle(char *destination, const char *source, size_t byte_size) {
    copy_16(destination, source);
    if (byte_size > 32) {
        copy_16(destination + 16, source + 16);
        copy_16(destination + byte_size - 32, source + byte_size - 32);
    }
    copy_16(destination + byte_size - 16, source + byte_size - 16);
}

/* More than 64 bytes. */
static ALWAYS_INLINE void copy_large(char *destination, const char *source, size_t byte_size) {
    size_t done = 0;
    for (; done + 64 <= byte_size; done += 64) {
        copy_16(destination + done, source + done);
        copy_16(destination + done + 16, source + done + 16);
        copy_16(destination + done + 32, source + done + 32);
        copy_16(destination + done + 48, source + done + 48);
    }
    for (; done < byte_size; done += 16) {
        size_t at = byte_size - done < 16 ? byte_size - 16 : done;
        copy_16(destination + at, source + at);
    }
}

/* 1 to 7 bytes. */
static ALWAYS_INLINE void copy_small(char *destination, const char *source, size_t byte_size) {
    if (byte_size >= 4) {
        uint32_t first, last;
        memcpy(&first, source, 4);
        memcpy(&last, source + byte_size - 4, 4);
        memcpy(destination, &first, 4);
        memcpy(destination + byte_size - 4, &last, 4);
        return;
    }
    char first = source[0], middle = source[byte_size / 2], last = source[byte_size - 1];
    destination[0] = first;
    destination[byte_size / 2] = middle;
    destination[byte_size - 1] = last;
}

/* byte_size is not 0. */
static ALWAYS_INLINE void copy_value(void *destination, const void *source, size_t byte_size) {
    char *to = destination;
    const char *from = source;
    if (LIKELY(byte_size - 8 <= 8)) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + byte_size - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + byte_size - 8, &last, 8);
    } else if (byte_size < 8) {
        copy_small(to, from, byte_size);
    } else if (byte_size <= 64) {
        copy_middle(to, from, byte_size);
    } else {
        copy_large(to, from, byte_size);
    }
}

#endif
