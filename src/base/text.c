/*
 * The output buffer, numbers and quoting of text.h.
 */
#include "text.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

/* "-1.7976931348623157e+308" with a decimal mark of several bytes, and to spare. */
#define NUMBER_BYTES 48

/* What a printed number consists of, but for the decimal mark. */
#define NUMBER_CHARACTERS "+-0123456789e"

/* ---- the buffer ---- */

void text_start(text_output *output, shoal_write_fn write, void *user) {
    output->write = write;
    output->user = user;
    output->taken = 0;
    output->used = 0;
    output->failed = false;
}

static void output_flush(text_output *output) {
    if (output->used == 0 || output->failed) {
        return;
    }
    size_t taken = output->write(output->user, output->bytes, output->used);
    output->failed = taken < output->used;
    output->taken += output->failed ? taken : output->used;
    output->used = 0;
}

shoal_status text_finish(text_output *output, error_record *error, const char *call) {
    output_flush(output);
    if (output->failed) {
        return error_detail(error, SHOAL_WRITE_FAILED, call, "the writer took %" PRIu64 " bytes", output->taken);
    }
    return SHOAL_OK;
}

shoal_status text_finish_reader(text_output *output, const shoal_world *world, const char *call) {
    return text_finish(output, error_thread_record_of(world), call);
}

void text_put(text_output *output, const char *text, size_t size) {
    while (size > 0 && !output->failed) {
        size_t room = TEXT_BUFFER_BYTES - output->used;
        size_t part = size < room ? size : room;
        memcpy(output->bytes + output->used, text, part);
        output->used += part;
        text += part;
        size -= part;
        if (output->used == TEXT_BUFFER_BYTES) {
            output_flush(output);
        }
    }
}

void text_put_string(text_output *output, const char *text) {
    text_put(output, text, strlen(text));
}

/* ---- numbers and handles ---- */

void text_put_u64(text_output *output, uint64_t value) {
    char digits[20];
    size_t start = sizeof digits;
    do {
        digits[--start] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    text_put(output, digits + start, sizeof digits - start);
}

void text_put_i64(text_output *output, int64_t value) {
    if (value < 0) {
        text_put(output, "-", 1);
    }
    text_put_u64(output, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Whatever bytes the locale has for a decimal mark become a point. */
static void put_with_point(text_output *output, const char *number) {
    size_t whole = strspn(number, NUMBER_CHARACTERS);
    text_put(output, number, whole);
    number += whole;
    if (*number != '\0') {
        text_put(output, ".", 1);
        text_put_string(output, number + strcspn(number, NUMBER_CHARACTERS));
    }
}

static bool put_if_not_finite(text_output *output, double value) {
    if (isnan(value)) {
        text_put_string(output, "nan");
    } else if (isinf(value)) {
        text_put_string(output, value < 0 ? "-inf" : "inf");
    }
    return !isfinite(value);
}

/* A number of FLT_DIG digits or fewer survives the way through a float, so fewer digits need not be tried, but for
   subnormal numbers, which have less precision. */
void text_put_f32(text_output *output, float value) {
    if (put_if_not_finite(output, (double)value)) {
        return;
    }
    char number[NUMBER_BYTES];
    int caller_errno = errno; /* strtof() sets it for subnormal numbers */
    int precision = fpclassify(value) == FP_SUBNORMAL ? 1 : FLT_DIG;
    do {
        (void)snprintf(number, sizeof number, "%.*g", precision, (double)value);
    } while (strtof(number, NULL) != value && precision++ < FLT_DECIMAL_DIG);
    errno = caller_errno;
    put_with_point(output, number);
}

void text_put_f64(text_output *output, double value) {
    if (put_if_not_finite(output, value)) {
        return;
    }
    char number[NUMBER_BYTES];
    int caller_errno = errno;
    int precision = fpclassify(value) == FP_SUBNORMAL ? 1 : DBL_DIG;
    do {
        (void)snprintf(number, sizeof number, "%.*g", precision, value);
    } while (strtod(number, NULL) != value && precision++ < DBL_DECIMAL_DIG);
    errno = caller_errno;
    put_with_point(output, number);
}

void text_put_entity(text_output *output, shoal_entity entity) {
    char text[SHOAL_ENTITY_TEXT_SIZE];
    text_put(output, text, shoal_entity_format(entity, text, sizeof text));
}

void text_put_hex(text_output *output, const char *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size && !output->failed; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        text_put(output, (const char[]){digits[byte >> 4], digits[byte & 15]}, 2);
    }
}

/* ---- tables ---- */

size_t text_digits(uint64_t value) {
    size_t count = 1;
    for (; value >= 10; value /= 10) {
        count++;
    }
    return count;
}

void text_put_spaces(text_output *output, size_t count) {
    static const char spaces[] = "                                                                ";
    while (count > 0 && !output->failed) {
        size_t part = count < sizeof spaces - 1 ? count : sizeof spaces - 1;
        text_put(output, spaces, part);
        count -= part;
    }
}

static void put_spaces(text_output *output, size_t used, size_t width) {
    text_put_spaces(output, used < width ? width - used : 0);
}

void text_put_left(text_output *output, const char *text, size_t width) {
    text_put_string(output, text);
    put_spaces(output, strlen(text), width);
}

void text_put_right(text_output *output, const char *text, size_t width) {
    put_spaces(output, strlen(text), width);
    text_put_string(output, text);
}

void text_put_right_u64(text_output *output, uint64_t value, size_t width) {
    put_spaces(output, text_digits(value), width);
    text_put_u64(output, value);
}

size_t text_decimal_size(uint64_t value, unsigned decimals) {
    size_t digits = text_digits(value);
    return (digits > decimals ? digits : decimals + 1) + 1;
}

void text_put_decimal(text_output *output, uint64_t value, unsigned decimals) {
    uint64_t whole = 1;
    for (unsigned i = 0; i < decimals; i++) {
        whole *= 10;
    }
    text_put_u64(output, value / whole);
    text_put(output, ".", 1);
    for (size_t i = text_digits(value % whole); i < decimals; i++) {
        text_put(output, "0", 1);
    }
    text_put_u64(output, value % whole);
}

/* ---- quoting ---- */

/* `quote` is what a quote is written as. */
static void put_escaped(text_output *output, char character, const char *quote) {
    static const char special[] = "\\\n\r\t";
    static const char letters[] = "\\nrt";
    unsigned char byte = (unsigned char)character;
    const char *found = byte != 0 ? strchr(special, character) : NULL;
    if (character == '"') {
        text_put(output, "\\", 1);
        text_put_string(output, quote);
    } else if (found != NULL) {
        text_put(output, (const char[]){'\\', letters[found - special]}, 2);
    } else if (byte < 0x20 || byte == 0x7F) {
        /* Octal: three digits at most, so that a digit may follow. */
        char digits[] = {'\\', (char)('0' + (byte >> 6)), (char)('0' + (byte >> 3 & 7)), (char)('0' + (byte & 7))};
        text_put(output, digits, sizeof digits);
    } else {
        text_put(output, &character, 1);
    }
}

static void put_literal(text_output *output, const char *text, size_t size, const char *quote) {
    text_put_string(output, quote);
    for (size_t i = 0; i < size && !output->failed; i++) {
        put_escaped(output, text[i], quote);
    }
    text_put_string(output, quote);
}

void text_put_quoted(text_output *output, const char *text, size_t size) {
    put_literal(output, text, size, "\"");
}

void text_put_quoted_doubled(text_output *output, const char *text, size_t size) {
    put_literal(output, text, size, "\"\"");
}

bool text_needs_quotes(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n') {
            return true;
        }
    }
    return false;
}

void text_put_doubled(text_output *output, const char *text, size_t size) {
    const char *quote;
    while (size > 0 && (quote = memchr(text, '"', size)) != NULL) {
        size_t part = (size_t)(quote - text) + 1;
        text_put(output, text, part);
        text_put(output, "\"", 1);
        text += part;
        size -= part;
    }
    text_put(output, text, size);
}

void text_put_json(text_output *output, const char *text) {
    text_put(output, "\"", 1);
    while (*text != '\0' && !output->failed) {
        size_t length;
        uint32_t code = utf8_decode((const unsigned char *)text, &length);
        if (length == 0) {
            text_put_string(output, "\\ufffd");
            length = 1;
        } else if (code < 0x20) {
            text_put_string(output, "\\u00");
            text_put_hex(output, text, 1);
        } else {
            text_put(output, "\\", code == '"' || code == '\\');
            text_put(output, text, length);
        }
        text += length;
    }
    text_put(output, "\"", 1);
}
