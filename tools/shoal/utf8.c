/*
 * UTF-8 decoding and widths; see utf8.h.
 *
 * The width is an estimate by ranges: it takes no account of combining marks, and needs no locale, so that the
 * program prints the same bytes everywhere. A terminal that disagrees shows one row of a table shifted.
 */
#include "utf8.h"

typedef struct code_range {
    uint32_t first;
    uint32_t last;
} code_range;

/* Blocks of East Asian wide and full-width characters, and of pictographs. */
static const code_range wide_ranges[] = {
    {0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

/* Length of a sequence by its first byte; 0 for a byte that begins none. */
static size_t sequence_length(unsigned char lead) {
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xc2 || lead > 0xf4) {
        return 0;
    }
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

size_t utf8_decode(const char *text, size_t length, uint32_t *code_point) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t byte_count = length == 0 ? 0 : sequence_length((unsigned char)text[0]);
    if (byte_count == 0 || byte_count > length) {
        return 0;
    }
    uint32_t code = (unsigned char)text[0];
    code = byte_count == 1 ? code : code & (0x7fu >> byte_count);
    for (size_t i = 1; i < byte_count; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (byte & 0x3fu);
    }
    if (code < smallest[byte_count] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
        return 0;
    }
    *code_point = code;
    return byte_count;
}

static size_t code_point_width(uint32_t code_point) {
    for (size_t i = 0; i < sizeof wide_ranges / sizeof wide_ranges[0]; i++) {
        if (code_point >= wide_ranges[i].first && code_point <= wide_ranges[i].last) {
            return 2;
        }
    }
    return 1;
}

/* Walks over at most `width` cells; returns the bytes and adds up the cells. */
static size_t walk(const char *text, size_t length, size_t width, size_t *cells) {
    size_t position = 0;
    *cells = 0;
    while (position < length) {
        uint32_t code_point = 0;
        size_t byte_count = utf8_decode(text + position, length - position, &code_point);
        size_t next = *cells + code_point_width(code_point);
        if (byte_count == 0 || next > width) {
            break;
        }
        *cells = next;
        position += byte_count;
    }
    return position;
}

size_t utf8_width(const char *text, size_t length) {
    size_t cells = 0;
    walk(text, length, SIZE_MAX, &cells);
    return cells;
}

size_t utf8_fit(const char *text, size_t length, size_t width) {
    size_t cells = 0;
    return walk(text, length, width, &cells);
}
