/*
 * Copies of single values, whose size is known only at run time but is nearly always one of a few.
 *
 * memcpy with a size in a register is a call with its own dispatch; for 4 to 64 bytes two overlapping moves do it
 * inline. Source and destination never overlap.
 */
#ifndef SHOAL_BASE_COPY_H
#define SHOAL_BASE_COPY_H

#include <string.h>

#include "compiler.h"

typedef struct copy_block16 {
    uint64_t low, high;
} copy_block16;

/* 16 to 64 bytes as 16-byte moves, the last two overlapping the first where the size is no multiple. */
static ALWAYS_INLINE void copy_middle(char *destination, const char *source, size_t byte_size) {
    copy_block16 first, last;
    memcpy(&first, source, 16);
    memcpy(&last, source + byte_size - 16, 16);
    if (byte_size > 32) {
        copy_block16 second, before_last;
        memcpy(&second, source + 16, 16);
        memcpy(&before_last, source + byte_size - 32, 16);
        memcpy(destination + 16, &second, 16);
        memcpy(destination + byte_size - 32, &before_last, 16);
    }
    memcpy(destination, &first, 16);
    memcpy(destination + byte_size - 16, &last, 16);
}

static ALWAYS_INLINE void copy_value(void *destination, const void *source, size_t byte_size) {
    char *to = destination;
    const char *from = source;
    if (byte_size >= 8 && byte_size <= 16) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + byte_size - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + byte_size - 8, &last, 8);
    } else if (byte_size == 4) {
        memcpy(to, from, 4);
    } else if (byte_size > 16 && byte_size <= 64) {
        copy_middle(to, from, byte_size);
    } else {
        memcpy(to, from, byte_size);
    }
}

#endif
