/*
 * Numbers on the command line: plain decimal counts, and sizes in bytes that may end in K, M or G (powers of
 * 1,024). Nothing else is taken: no sign, no blank, no base, no fraction, and nothing that size_t cannot hold.
 * The text has a length, so that a part of an argument can be read in place.
 */
#ifndef SHOAL_TOOL_NUMBER_H
#define SHOAL_TOOL_NUMBER_H

#include <stddef.h>

typedef enum number_result { NUMBER_OK, NUMBER_MALFORMED, NUMBER_TOO_LARGE } number_result;

/* Reads a count such as 64. `value` is written only on success. */
number_result number_parse_count(const char *text, size_t length, size_t *value);

/* Reads a size such as 4096, 16K or 1M. `value` is written only on success. */
number_result number_parse_size(const char *text, size_t length, size_t *value);

#endif
