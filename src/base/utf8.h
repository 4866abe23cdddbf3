/*
 * UTF-8, as far as names need it: one code point after the other, and what must not be in one line of text.
 *
 * Overlong forms, surrogates and what lies above U+10FFFF are not UTF-8. Thread rule: any.
 */
#ifndef SHOAL_BASE_UTF8_H
#define SHOAL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code point at `text`, and in `*length` its bytes; length 0 when the bytes are not UTF-8. Stops at the
   terminating zero. */
static inline uint32_t utf8_decode(const unsigned char *text, size_t *length) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : text[0] >> 3 == 30 ? 4 : 0;
    *length = 0;
    if (bytes <= 1) {
        *length = bytes;
        return text[0];
    }
    uint32_t code = text[0] & (0xFFu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3Fu);
    }
    if (code >= smallest[bytes] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF)) {
        *length = bytes;
    }
    return code;
}

/* True for what moves the cursor or the like instead of showing something: C0, delete, C1. */
static inline bool utf8_is_control(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

/* The longest name in bytes. */
#define UTF8_NAME_BYTES 255

/* What is wrong with a name and at which byte, or NULL: 1 to 255 bytes of UTF-8 without control characters, and without
   slashes unless `slashes` allows them. A name that passes fits into one line of a message. */
static inline const char *utf8_name_fault(const char *name, bool slashes, size_t *place) {
    *place = 0;
    if (name == NULL || name[0] == '\0') {
        return name == NULL ? "is null" : "is empty";
    }
    while (name[*place] != '\0') {
        size_t length;
        uint32_t code = utf8_decode((const unsigned char *)name + *place, &length);
        if (length == 0) {
            return "is not UTF-8";
        }
        if (utf8_is_control(code)) {
            return "has a control character";
        }
        if (code == '/' && !slashes) {
            return "has a /";
        }
        if (*place + length > UTF8_NAME_BYTES) {
            return "is longer than 255 bytes";
        }
        *place += length;
    }
    return NULL;
}

#endif
