/*
 * UTF-8 for the program: strict decoding, and the width of a text in character cells, which aligns tables
 * and fits labels in drawings. The texts have a length and no terminator.
 */
#ifndef SHOAL_TOOL_UTF8_H
#define SHOAL_TOOL_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the first code point of a text and returns its length in bytes, or 0 when the text is empty or its
 * first bytes are no UTF-8 (overlong forms, surrogates and cut sequences included).
 */
size_t utf8_decode(const char *text, size_t length, uint32_t *code_point);

/* Character cells of a valid text: two for East Asian wide characters and pictographs, one for all others. */
size_t utf8_width(const char *text, size_t length);

/* Bytes of the longest beginning of a valid text that is no wider than `width` cells. */
size_t utf8_fit(const char *text, size_t length, size_t width);

#endif
