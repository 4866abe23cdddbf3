/*
 * The text of text.h.
 */
#include "text.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add_bytes(text_buffer *to, const char *bytes, size_t count) {
    if (to->length + count + 1 > to->capacity) {
        to->capacity = (to->length + count + 1) * 2 + 4096;
        to->text = realloc(to->text, to->capacity);
        assert_non_null(to->text);
    }
    memcpy(to->text + to->length, bytes, count);
    to->length += count;
    to->text[to->length] = '\0';
}

void text_add(text_buffer *to, const char *format, ...) {
    char piece[320];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof piece);
    text_add_bytes(to, piece, (size_t)length);
}

void text_free(text_buffer *t) {
    free(t->text);
    *t = (text_buffer){0};
}
