/*
 * The text of a query as tokens, with one token looked at: words, numbers, strings in quotes, single marks.
 *
 *     text:  write Po|sition, read "My Type"       now = { WORD, start, end }; what is behind follows from now.end
 *
 * Blanks may stand between any two tokens. What a name, a string or a number consists of is put into the scratch when
 * it is read, so it is valid until the next one.
 *
 * Invariant "first failure": a function that fails stores the error in the world, with the place and the text around
 * it, sets `status` and returns false; the caller passes that on and reads no further. Thread rule: "world"; a reader
 * is one call's own.
 */
#ifndef SHOAL_QUERY_QUERY_TEXT_READER_H
#define SHOAL_QUERY_QUERY_TEXT_READER_H

#include "../storage/world.h"
#include "query_text.h"

/* Scratch beyond the size of the text: a decimal mark of several bytes and the terminating zero. */
#define READER_EXTRA_BYTES 16

typedef enum token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_NUMBER,
    TOKEN_STRING, /* with its quotes; the last one may be missing */
    TOKEN_MARK    /* any other byte */
} token_kind;

typedef struct text_token {
    token_kind kind;
    size_t start; /* bytes from the beginning of the text */
    size_t end;
} text_token;

typedef struct text_reader {
    shoal_world *world;
    const char *text;
    size_t size; /* of the text */
    const char *call;
    char *scratch; /* size + READER_EXTRA_BYTES: the name, string or number that was read last */
    text_token now;
    shoal_status status;
    query_text *parsed; /* query_text.c: what is made */
    uint32_t group_count;
} text_reader;

/* Whole numbers from -below to limit; `what` says what they are. */
typedef struct whole_range {
    const char *what;
    uint64_t below;
    uint64_t limit;
} whole_range;

/* ---- failures: each returns false ---- */

bool reader_fail_with(text_reader *reader, shoal_status status, size_t place, const char *format, ...)
    PRINTF_LIKE(4, 5);
bool reader_fail_memory(text_reader *reader);

#define READER_FAIL_AT(reader, place, ...) reader_fail_with((reader), SHOAL_TEXT_INVALID, (place), __VA_ARGS__)
/* At the token. */
#define READER_FAIL(reader, ...) READER_FAIL_AT((reader), (reader)->now.start, __VA_ARGS__)

/* ---- tokens ---- */

/* The first token from a byte on. */
text_token reader_token_from(const char *text, size_t at);

/* Goes to the next token. */
void reader_advance(text_reader *reader);

bool reader_is_word(const text_reader *reader, text_token token, const char *word);
bool reader_is_mark(const text_reader *reader, text_token token, char mark);
bool reader_at_word(const text_reader *reader, const char *word);
bool reader_at_mark(const text_reader *reader, char mark);

/* True and one token further when it is this one. */
bool reader_take_word(text_reader *reader, const char *word);
bool reader_take_mark(text_reader *reader, char mark);
bool reader_expect_mark(text_reader *reader, char mark, const char *expected);

/* ---- what tokens say, into the scratch or a number; each goes on to the next token ---- */

/* The token is a string. */
bool reader_string(text_reader *reader);

/* A word or a string. */
bool reader_name(text_reader *reader, const char *what);

/* Negative numbers as two's complement. */
bool reader_whole(text_reader *reader, whole_range range, uint64_t *number);

/* The nearest float or double, whatever the locale is. */
bool reader_real(text_reader *reader, bool is_float, double *number);

#endif
