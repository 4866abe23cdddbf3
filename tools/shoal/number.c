/*
 * Numbers on the command line; see number.h.
 *
 * Digits are added up by hand, since strtoull takes signs and blanks and needs a terminated text. A value
 * that is both malformed and too large counts as malformed: the form is what its writer must mend first.
 */
#include "number.h"

#include <stdint.h>

number_result number_parse_count(const char *text, size_t length, size_t *value) {
    size_t sum = 0;
    number_result result = length == 0 ? NUMBER_MALFORMED : NUMBER_OK;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return NUMBER_MALFORMED;
        }
        size_t digit = (size_t)(text[i] - '0');
        if (sum > (SIZE_MAX - digit) / 10) {
            result = NUMBER_TOO_LARGE;
            sum = 0;
        }
        sum = sum * 10 + digit;
    }
    if (result == NUMBER_OK) {
        *value = sum;
    }
    return result;
}

/* The power of two that a suffix multiplies with; 0 when it is none. */
static unsigned suffix_shift(char letter) {
    switch (letter) {
    case 'K':
    case 'k':
        return 10;
    case 'M':
    case 'm':
        return 20;
    case 'G':
    case 'g':
        return 30;
    default:
        return 0;
    }
}

number_result number_parse_size(const char *text, size_t length, size_t *value) {
    unsigned shift = length == 0 ? 0 : suffix_shift(text[length - 1]);
    size_t count = 0;
    number_result result = number_parse_count(text, shift == 0 ? length : length - 1, &count);
    if (result != NUMBER_OK) {
        return result;
    }
    if (count > SIZE_MAX >> shift) {
        return NUMBER_TOO_LARGE;
    }
    *value = count << shift;
    return NUMBER_OK;
}
