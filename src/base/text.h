/*
 * Text on its way to a writer callback: collected in a buffer, so that the callback is not called for every number.
 *
 *     text_put*() -> bytes[0 .. used) -> write(user, bytes, used) when full and at the end
 *
 * Invariant "at once": after a short write `failed` is set, nothing more is collected, and the callback is never
 * called again; what follows costs nothing, so callers look at `failed` in long loops only.
 *
 * Numbers read back to the same bits, have a point as decimal mark whatever the locale is, and leave errno alone.
 * The buffer is on the caller's stack: these calls allocate nothing. Thread rule: any; an output is one call's own.
 */
#ifndef SHOAL_BASE_TEXT_H
#define SHOAL_BASE_TEXT_H

#include "error.h"

/* Few calls of the writer, and still a stack frame that small stacks bear. */
#define TEXT_BUFFER_BYTES 2048

typedef struct text_output {
    shoal_write_fn write;
    void *user;
    uint64_t taken; /* bytes that the writer took */
    size_t used;
    bool failed;
    char bytes[TEXT_BUFFER_BYTES];
} text_output;

/* The bytes stay raw: `used` says which of them count. */
void text_start(text_output *output, shoal_write_fn write, void *user);

/* Hands the rest to the writer. WRITE_FAILED, stored in `error` for `call`, if any write was short. */
shoal_status text_finish(text_output *output, error_record *error, const char *call);

/* The same for a call that reads `world`, whose error is its thread's. */
shoal_status text_finish_reader(text_output *output, const shoal_world *world, const char *call);

void text_put(text_output *output, const char *text, size_t size);
void text_put_string(text_output *output, const char *text);

/* ---- numbers and handles ---- */

void text_put_u64(text_output *output, uint64_t value);
void text_put_i64(text_output *output, int64_t value);

/* The first of %.6g to %.9g (%.15g to %.17g) that reads back, so no digit is too many; `inf`, `-inf`, and `nan` for all
   that is no number. */
void text_put_f32(text_output *output, float value);
void text_put_f64(text_output *output, double value);

void text_put_entity(text_output *output, shoal_entity entity);

/* Two digits for each byte, in the order of memory. */
void text_put_hex(text_output *output, const char *bytes, size_t size);

/* ---- tables ---- */

size_t text_digits(uint64_t value);

void text_put_spaces(text_output *output, size_t count);

/* Padded with spaces to `width`: text to the right, a number to the left. */
void text_put_left(text_output *output, const char *text, size_t width);
void text_put_right(text_output *output, const char *text, size_t width);
void text_put_right_u64(text_output *output, uint64_t value, size_t width);

/* `value` thousandths (or other parts, of 1 to 9 decimals) as a number with a point; and how long that is. */
void text_put_decimal(text_output *output, uint64_t value, unsigned decimals);
size_t text_decimal_size(uint64_t value, unsigned decimals);

/* ---- quoting ---- */

/* As a C string literal; bytes outside of ASCII stand as they are. */
void text_put_quoted(text_output *output, const char *text, size_t size);

/* RFC 4180: true for text that must stand in quotes, and the text with each quote doubled. */
bool text_needs_quotes(const char *text, size_t size);
void text_put_doubled(text_output *output, const char *text, size_t size);

/* A C string literal inside of a field that stands in quotes. */
void text_put_quoted_doubled(text_output *output, const char *text, size_t size);

/* As a JSON string, in its quotes. Bytes that are not UTF-8 become U+FFFD each, so that the result is valid. */
void text_put_json(text_output *output, const char *text);

#endif
