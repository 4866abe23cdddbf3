/*
 * A text that grows: for dumps of worlds and what writers have written. Zero bytes are an empty one; `text` ends with
 * a zero as soon as something was added. The memory is that of the C heap, so that a text can be made while the world's
 * allocator fails.
 */
#ifndef SHOAL_TESTS_TEXT_H
#define SHOAL_TESTS_TEXT_H

#include <stddef.h>

typedef struct text_buffer {
    char *text; /* or NULL while empty */
    size_t length;
    size_t capacity;
} text_buffer;

/* Appends one piece, of at most 319 bytes. */
void text_add(text_buffer *to, const char *format, ...);

/* Appends bytes, zeros too. */
void text_add_bytes(text_buffer *to, const char *bytes, size_t count);

void text_free(text_buffer *t);

#endif
