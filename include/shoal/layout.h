/**
 * @file layout.h
 * Where columns lie in a chunk. The function is pure; the storage engine uses it, and so can anyone.
 *
 *     | header 64 | entity column, 8 a row | column 0 | column 1 | ... |
 *
 * The entity column starts at byte 64. Each further column starts at the next multiple of 64, or of its own
 * alignment if that is larger; rows within a column are tight. The capacity is the largest number of rows
 * whose last column still ends inside of the chunk. A chunk's size is a multiple of 64, so vector loads may
 * read to the end of a column's last 64 bytes.
 *
 * Two kinds of columns are not values of rows: bits (one for each row, in words of 64, for the trait toggle) and a
 * single value for the whole chunk. The storage engine puts them behind the others, bits first.
 */
#ifndef SHOAL_LAYOUT_H
#define SHOAL_LAYOUT_H

#include <shoal/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes before the entity column. */
#define SHOAL_CHUNK_HEADER_BYTES 64
/** Bytes of one row of the entity column. */
#define SHOAL_ENTITY_BYTES 8
/** Every column starts at a multiple of this many bytes. */
#define SHOAL_COLUMN_ALIGNMENT 64

/** What a column holds. */
typedef enum shoal_layout_kind {
    SHOAL_LAYOUT_ROWS,  /**< `size` bytes for each row */
    SHOAL_LAYOUT_BITS,  /**< one bit for each row, in words of 8 bytes; size and alignment are not looked at */
    SHOAL_LAYOUT_SINGLE /**< `size` bytes once */
} shoal_layout_kind;

/** One column: the caller fills size and alignment, shoal_layout_compute() the rest. */
typedef struct shoal_layout_column {
    size_t size;            /**< in: bytes of one value; 0 for a tag, which takes no room */
    size_t alignment;       /**< in: bytes, a power of two; 0 means 1 */
    size_t offset;          /**< out: first byte of the column, from the start of the chunk; 0 for a tag */
    size_t end;             /**< out: first byte after its last value; 0 for a tag */
    shoal_layout_kind kind; /**< in: zero for an ordinary column */
} shoal_layout_column;

/** What shoal_layout_compute() finds for the whole chunk. */
typedef struct shoal_layout {
    size_t capacity;      /**< rows */
    size_t entity_offset; /**< first byte of the entity column: 64 */
    size_t entity_end;    /**< first byte after it */
    size_t end;           /**< first byte after the last column */
    size_t unused_bytes;  /**< header, gaps and tail: chunk size less capacity times the row's bytes; bits and single
                               values count as unused */
} shoal_layout;

/**
 * Places `column_count` columns in a chunk of `chunk_bytes` (a multiple of 64). Writes `columns` and `layout`
 * only on success. INVALID_ARGUMENT for a null pointer, a chunk size that is no multiple of 64 or an
 * alignment that is no power of two; ROW_TOO_LARGE when not even one row fits.
 * Thread: any.
 */
SHOAL_API shoal_status shoal_layout_compute(size_t chunk_bytes, shoal_layout_column *columns, size_t column_count,
                                            shoal_layout *layout);

/** Cache lines that a loop over some entities touches; see shoal_layout_lines(). */
typedef struct shoal_layout_line_count {
    size_t row_lines;           /**< as an array of structs */
    size_t row_line_bytes;      /**< row_lines times 64 */
    double row_used_percent;    /**< wanted bytes among them, per cent */
    size_t column_lines;        /**< as two columns of half the wanted bytes each */
    size_t column_line_bytes;   /**< column_lines times 64 */
    double column_used_percent; /**< wanted bytes among them, per cent */
} shoal_layout_line_count;

/**
 * Counts the 64-byte cache lines that a loop over `entities` rows touches when it needs the first
 * `field_bytes` of records of `record_bytes`: once in an array of structs, once in two columns of half the
 * bytes each (position and velocity), all starting on a line. INVALID_ARGUMENT when field_bytes is 0, odd or
 * larger than the record, or a count overflows. Thread: any.
 */
SHOAL_API shoal_status shoal_layout_lines(size_t entities, size_t record_bytes, size_t field_bytes,
                                          shoal_layout_line_count *lines);

#ifdef __cplusplus
}
#endif

#endif
