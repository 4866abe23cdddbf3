/*
 * Tokens and messages; see query_text_reader.h. A token is found anew from its first byte, so a reader keeps no state
 * but where it stands, and looking further ahead needs no undoing.
 */
#include "query_text_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much of the text a message shows before and behind the place, in bytes. */
#define SHOWN_BEFORE 24
#define SHOWN_BEHIND 32
/* No character of the language, so that it cannot be taken for a part of the text. */
#define PLACE_MARK '^'

#define DIGITS "0123456789"
#define WORD_START "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

/* ---- messages ---- */

/* The bytes of the printable UTF-8 character at `text`, or 0 when there is none within `left` bytes. */
static size_t printable_size(const char *text, size_t left) {
    unsigned char lead = (unsigned char)text[0];
    if (lead < 0x80) {
        return lead >= 0x20 && lead != 0x7F;
    }
    size_t size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    /* The second byte's limits keep out control characters, overlong forms, surrogates and what is above U+10FFFF. */
    unsigned char low = lead == 0xC2 || lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (size == 0 || size > left || (unsigned char)text[1] < low || (unsigned char)text[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if (((unsigned char)text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return size;
}

/* Copies text with a question mark for each byte that cannot be shown in one line, and a zero behind it. */
static void copy_printable(char *out, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        size_t step = printable_size(text + at, size - at);
        if (step == 0) {
            *out++ = '?';
            at++;
            continue;
        }
        memcpy(out, text + at, step);
        out += step;
        at += step;
    }
    *out = '\0';
}

static bool continues_character(char byte) {
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The bytes to show before and behind a place: cut neither inside of a character nor at a blank. */
static void choose_range(const text_reader *reader, size_t place, size_t *from, size_t *to) {
    const char *text = reader->text;
    *from = place > SHOWN_BEFORE ? place - SHOWN_BEFORE : 0;
    *to = reader->size - place > SHOWN_BEHIND ? place + SHOWN_BEHIND : reader->size;
    while (*from > 0 && *from < place && (continues_character(text[*from]) || text[*from] == ' ')) {
        ++*from;
    }
    while (*to<reader->size && * to> place && (continues_character(text[*to]) || text[*to - 1] == ' ')) {
        --*to;
    }
}

COLD bool reader_fail_with(text_reader *reader, shoal_status status, size_t place, const char *format, ...) {
    char what[144]; /* with the text around and the position less than a detail holds */
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    size_t from;
    size_t to;
    char before[SHOWN_BEFORE + 1];
    char behind[SHOWN_BEHIND + 1];
    choose_range(reader, place, &from, &to);
    copy_printable(before, reader->text + from, place - from);
    copy_printable(behind, reader->text + place, to - place);
    reader->status =
        error_detail(world_error(reader->world), status, reader->call, "%s at %zu: \"%s%s%c%s%s\"", what, place + 1,
                     from > 0 ? "... " : "", before, PLACE_MARK, behind, to < reader->size ? " ..." : "");
    return false;
}

COLD bool reader_fail_memory(text_reader *reader) {
    reader->status = error_set(world_error(reader->world), memory_failure(&reader->world->memory), reader->call);
    return false;
}

/* ---- tokens ---- */

static bool is_one_of(char byte, const char *set) {
    return byte != '\0' && strchr(set, byte) != NULL;
}

static size_t number_end(const char *text, size_t at) {
    at += text[at] == '-';
    at += strspn(text + at, DIGITS);
    if (text[at] == '.' && is_one_of(text[at + 1], DIGITS)) {
        at += 1 + strspn(text + at + 1, DIGITS);
    }
    if (is_one_of(text[at], "eE")) {
        size_t digits = at + 1 + is_one_of(text[at + 1], "+-");
        at = is_one_of(text[digits], DIGITS) ? digits + strspn(text + digits, DIGITS) : at;
    }
    return at;
}

static size_t string_end(const char *text, size_t at) {
    for (at++; text[at] != '\0' && text[at] != '"'; at++) {
        at += text[at] == '\\' && text[at + 1] != '\0';
    }
    return at + (text[at] == '"');
}

text_token reader_token_from(const char *text, size_t at) {
    at += strspn(text + at, " \t\r\n");
    if (text[at] == '\0') {
        return (text_token){.kind = TOKEN_END, .start = at, .end = at};
    }
    if (is_one_of(text[at], WORD_START)) {
        return (text_token){.kind = TOKEN_WORD, .start = at, .end = at + strspn(text + at, WORD_START DIGITS)};
    }
    if (is_one_of(text[at], DIGITS) || (text[at] == '-' && is_one_of(text[at + 1], DIGITS))) {
        return (text_token){.kind = TOKEN_NUMBER, .start = at, .end = number_end(text, at)};
    }
    if (text[at] == '"') {
        return (text_token){.kind = TOKEN_STRING, .start = at, .end = string_end(text, at)};
    }
    return (text_token){.kind = TOKEN_MARK, .start = at, .end = at + 1};
}

void reader_advance(text_reader *reader) {
    reader->now = reader_token_from(reader->text, reader->now.end);
}

bool reader_is_word(const text_reader *reader, text_token token, const char *word) {
    size_t size = token.end - token.start;
    return token.kind == TOKEN_WORD && strlen(word) == size && memcmp(reader->text + token.start, word, size) == 0;
}

bool reader_is_mark(const text_reader *reader, text_token token, char mark) {
    return token.kind == TOKEN_MARK && reader->text[token.start] == mark;
}

bool reader_at_word(const text_reader *reader, const char *word) {
    return reader_is_word(reader, reader->now, word);
}

bool reader_at_mark(const text_reader *reader, char mark) {
    return reader_is_mark(reader, reader->now, mark);
}

bool reader_take_word(text_reader *reader, const char *word) {
    bool is_there = reader_at_word(reader, word);
    if (is_there) {
        reader_advance(reader);
    }
    return is_there;
}

bool reader_take_mark(text_reader *reader, char mark) {
    bool is_there = reader_at_mark(reader, mark);
    if (is_there) {
        reader_advance(reader);
    }
    return is_there;
}

bool reader_expect_mark(text_reader *reader, char mark, const char *expected) {
    return reader_take_mark(reader, mark) || READER_FAIL(reader, "expected %s", expected);
}

/* ---- strings, names and numbers, into the scratch ---- */

bool reader_string(text_reader *reader) {
    const char *text = reader->text;
    size_t used = 0;
    for (size_t at = reader->now.start + 1; text[at] != '"'; at++) {
        if (text[at] == '\0') {
            return READER_FAIL(reader, "a quote that is never closed");
        }
        if (text[at] == '\\' && !is_one_of(text[++at], "\"\\")) {
            return READER_FAIL_AT(reader, at - 1, "expected \\\" or \\\\");
        }
        reader->scratch[used++] = text[at];
    }
    reader->scratch[used] = '\0';
    reader_advance(reader);
    return true;
}

bool reader_name(text_reader *reader, const char *what) {
    if (reader->now.kind == TOKEN_STRING) {
        return reader_string(reader);
    }
    if (reader->now.kind != TOKEN_WORD) {
        return READER_FAIL(reader, "expected %s", what);
    }
    size_t size = reader->now.end - reader->now.start;
    memcpy(reader->scratch, reader->text + reader->now.start, size);
    reader->scratch[size] = '\0';
    reader_advance(reader);
    return true;
}

/* The number at the token; false when it is not whole or larger than any integer. */
static bool whole_at(const text_reader *reader, uint64_t *magnitude, bool *is_negative) {
    const char *text = reader->text;
    size_t at = reader->now.start;
    *magnitude = 0;
    *is_negative = text[at] == '-';
    if (reader->now.kind != TOKEN_NUMBER) {
        return false;
    }
    for (at += *is_negative; at < reader->now.end; at++) {
        uint64_t digit = (uint64_t)text[at] - '0';
        if (!is_one_of(text[at], DIGITS) || *magnitude > (UINT64_MAX - digit) / 10) {
            return false;
        }
        *magnitude = *magnitude * 10 + digit;
    }
    return true;
}

bool reader_whole(text_reader *reader, whole_range range, uint64_t *number) {
    uint64_t magnitude;
    bool is_negative;
    if (!whole_at(reader, &magnitude, &is_negative) || magnitude > (is_negative ? range.below : range.limit)) {
        return READER_FAIL(reader, "expected %s from %s%" PRIu64 " to %" PRIu64, range.what,
                           range.below != 0 ? "-" : "", range.below, range.limit);
    }
    *number = is_negative ? 0 - magnitude : magnitude;
    reader_advance(reader);
    return true;
}

/* strtod() wants the decimal mark of the locale, whatever bytes that has. */
static void copy_real(const text_reader *reader, char *out) {
    char sample[READER_EXTRA_BYTES] = "";
    (void)snprintf(sample, sizeof sample, "%.1f", 1.5);
    size_t mark_size = strlen(sample) - 2;
    for (size_t at = reader->now.start; at < reader->now.end; at++) {
        if (reader->text[at] == '.') {
            memcpy(out, sample + 1, mark_size);
            out += mark_size;
        } else {
            *out++ = reader->text[at];
        }
    }
    *out = '\0';
}

/* Read as a float for a float: twice rounded would not be the nearest one. */
bool reader_real(text_reader *reader, bool is_float, double *number) {
    if (reader->now.kind != TOKEN_NUMBER) {
        return READER_FAIL(reader, "expected a number");
    }
    copy_real(reader, reader->scratch);
    int caller_errno = errno;
    *number = is_float ? (double)strtof(reader->scratch, NULL) : strtod(reader->scratch, NULL);
    errno = caller_errno;
    if (isinf(*number)) {
        return READER_FAIL(reader, "a number that is too large for %d bits", is_float ? 32 : 64);
    }
    reader_advance(reader);
    return true;
}
