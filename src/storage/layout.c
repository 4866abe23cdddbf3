/*
 * Where columns lie in a chunk, and how many cache lines a loop touches. Pure functions: no state, no memory.
 *
 *     | header 64 | entity column | pad | column 0 | pad | column 1 | ... | tail |
 *
 * Invariant "inside": a cursor never passes chunk_bytes. Every step asks what is left before it adds, so no
 * sum or product can wrap, whatever sizes the caller gives.
 * Invariant "monotonic": more rows never end earlier, since aligning up keeps the order of two cursors. That
 * is what lets the capacity be found by bisection.
 * Depends on layout.h alone. Thread: any.
 */
#include <shoal/layout.h>

#define LINE_BYTES ((size_t)64)

/* Bytes of a column with that many rows. The caller has seen to it that a column of rows does not overflow. */
static size_t layout_bytes(const shoal_layout_column *column, size_t rows) {
    switch (column->kind) {
    case SHOAL_LAYOUT_BITS:
        return (rows + 63) / 64 * 8;
    case SHOAL_LAYOUT_SINGLE:
        return column->size;
    default:
        return column->size * rows;
    }
}

/* True when that many rows of the column are more than `room` bytes. */
static bool layout_exceeds(const shoal_layout_column *column, size_t rows, size_t room) {
    return column->kind == SHOAL_LAYOUT_ROWS ? column->size > room / rows : layout_bytes(column, rows) > room;
}

static bool layout_is_empty(const shoal_layout_column *column) {
    return column->size == 0 && column->kind != SHOAL_LAYOUT_BITS;
}

/* A column starts on a multiple of this. */
static size_t layout_alignment(const shoal_layout_column *column) {
    return column->alignment > SHOAL_COLUMN_ALIGNMENT ? column->alignment : SHOAL_COLUMN_ALIGNMENT;
}

static bool layout_columns_valid(const shoal_layout_column *columns, size_t column_count) {
    for (size_t i = 0; i < column_count; i++) {
        size_t alignment = columns[i].alignment;
        if ((alignment & (alignment - 1)) != 0 || (unsigned)columns[i].kind > SHOAL_LAYOUT_SINGLE) {
            return false;
        }
    }
    return true;
}

/*
 * Lays out `rows` rows, at least one, and returns the end of the last column, or 0 when it would lie outside
 * of the chunk. Offsets and ends go to `placed`, which may be `columns` itself, or null for a mere trial.
 */
static size_t layout_walk(size_t chunk_bytes, const shoal_layout_column *columns, size_t column_count, size_t rows,
                          shoal_layout_column *placed) {
    if (rows > (chunk_bytes - SHOAL_CHUNK_HEADER_BYTES) / SHOAL_ENTITY_BYTES) {
        return 0;
    }
    size_t cursor = SHOAL_CHUNK_HEADER_BYTES + rows * SHOAL_ENTITY_BYTES;
    for (size_t i = 0; i < column_count; i++) {
        bool is_empty = layout_is_empty(&columns[i]);
        size_t padding = (0 - cursor) & (layout_alignment(&columns[i]) - 1);
        if (!is_empty &&
            (padding > chunk_bytes - cursor || layout_exceeds(&columns[i], rows, chunk_bytes - cursor - padding))) {
            return 0;
        }
        size_t offset = is_empty ? 0 : cursor + padding;
        cursor = is_empty ? cursor : offset + layout_bytes(&columns[i], rows);
        if (placed != NULL) {
            placed[i].offset = offset;
            placed[i].end = is_empty ? 0 : cursor;
        }
    }
    return cursor;
}

/* Bytes of one row, or 0 when they alone are more than the chunk. */
static size_t layout_row_bytes(size_t chunk_bytes, const shoal_layout_column *columns, size_t column_count) {
    size_t row_bytes = SHOAL_ENTITY_BYTES;
    for (size_t i = 0; i < column_count; i++) {
        size_t size = columns[i].kind == SHOAL_LAYOUT_ROWS ? columns[i].size : 0;
        if (size > chunk_bytes - row_bytes) {
            return 0;
        }
        row_bytes += size;
    }
    return row_bytes;
}

/* The most that padding, bits and single values can take, or `room` when they may take all of it. */
static size_t layout_padding_most(size_t room, const shoal_layout_column *columns, size_t column_count) {
    size_t padding = 0;
    for (size_t i = 0; i < column_count; i++) {
        size_t most = layout_is_empty(&columns[i]) ? 0 : layout_alignment(&columns[i]) - 1;
        size_t fixed = columns[i].kind == SHOAL_LAYOUT_ROWS ? 0 : layout_bytes(&columns[i], room / SHOAL_ENTITY_BYTES);
        if (fixed > room || most + fixed > room - padding) {
            return room;
        }
        most += fixed;
        padding += most;
    }
    return padding;
}

/*
 * The largest number of rows that fits. With no padding at all it could not be more than `high`, with all the
 * padding there can be it is at least `low`; usual chunks leave three or four trials between the two.
 */
static size_t layout_capacity(size_t chunk_bytes, const shoal_layout_column *columns, size_t column_count,
                              size_t row_bytes) {
    size_t room = chunk_bytes - SHOAL_CHUNK_HEADER_BYTES;
    size_t low = (room - layout_padding_most(room, columns, column_count)) / row_bytes;
    size_t high = room / row_bytes;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (layout_walk(chunk_bytes, columns, column_count, middle, NULL) != 0) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

shoal_status shoal_layout_compute(size_t chunk_bytes, shoal_layout_column *columns, size_t column_count,
                                  shoal_layout *layout) {
    if (layout == NULL || (columns == NULL && column_count != 0) || chunk_bytes % LINE_BYTES != 0 ||
        !layout_columns_valid(columns, column_count)) {
        return SHOAL_INVALID_ARGUMENT;
    }
    if (chunk_bytes < SHOAL_CHUNK_HEADER_BYTES + SHOAL_ENTITY_BYTES) {
        return SHOAL_ROW_TOO_LARGE;
    }
    size_t row_bytes = layout_row_bytes(chunk_bytes, columns, column_count);
    size_t capacity = row_bytes == 0 ? 0 : layout_capacity(chunk_bytes, columns, column_count, row_bytes);
    if (capacity == 0) {
        return SHOAL_ROW_TOO_LARGE;
    }
    *layout = (shoal_layout){
        .capacity = capacity,
        .entity_offset = SHOAL_CHUNK_HEADER_BYTES,
        .entity_end = SHOAL_CHUNK_HEADER_BYTES + capacity * SHOAL_ENTITY_BYTES,
        .end = layout_walk(chunk_bytes, columns, column_count, capacity, columns),
        .unused_bytes = chunk_bytes - capacity * row_bytes,
    };
    return SHOAL_OK;
}

/* Lines from the one with byte `begin` to the one with byte `begin + byte_size - 1`. */
static size_t lines_touched(size_t begin, size_t byte_size) {
    return (begin + byte_size - 1) / LINE_BYTES - begin / LINE_BYTES + 1;
}

/*
 * Lines of the wanted bytes in an array of structs. Where the unwanted bytes between two records are fewer
 * than a line, no line is skipped. Otherwise no line serves two records, and the lines of record i depend on
 * where it starts within a line, which repeats after 64 records at the latest.
 */
static size_t lines_of_rows(size_t entities, size_t record_bytes, size_t field_bytes) {
    if (record_bytes - field_bytes < LINE_BYTES) {
        return lines_touched(0, (entities - 1) * record_bytes + field_bytes);
    }
    size_t period_lines = 0;
    size_t rest_lines = 0;
    for (size_t i = 0; i < LINE_BYTES; i++) {
        size_t lines = lines_touched(i * (record_bytes % LINE_BYTES), field_bytes);
        period_lines += lines;
        rest_lines += i < entities % LINE_BYTES ? lines : 0;
    }
    return entities / LINE_BYTES * period_lines + rest_lines;
}

static double lines_used_percent(size_t entities, size_t field_bytes, size_t lines) {
    return 100.0 * ((double)entities * (double)field_bytes) / ((double)lines * (double)LINE_BYTES);
}

shoal_status shoal_layout_lines(size_t entities, size_t record_bytes, size_t field_bytes,
                                shoal_layout_line_count *lines) {
    if (lines == NULL || field_bytes == 0 || field_bytes % 2 != 0 || field_bytes > record_bytes) {
        return SHOAL_INVALID_ARGUMENT;
    }
    /* Half of the address space bounds the array, so that whole lines of it and of the columns are countable. */
    if (entities > SIZE_MAX / 2 / record_bytes) {
        return SHOAL_INVALID_ARGUMENT;
    }
    if (entities == 0) {
        *lines = (shoal_layout_line_count){0};
        return SHOAL_OK;
    }
    size_t row_lines = lines_of_rows(entities, record_bytes, field_bytes);
    size_t column_lines = 2 * lines_touched(0, entities * (field_bytes / 2));
    *lines = (shoal_layout_line_count){
        .row_lines = row_lines,
        .row_line_bytes = row_lines * LINE_BYTES,
        .row_used_percent = lines_used_percent(entities, field_bytes, row_lines),
        .column_lines = column_lines,
        .column_line_bytes = column_lines * LINE_BYTES,
        .column_used_percent = lines_used_percent(entities, field_bytes, column_lines),
    };
    return SHOAL_OK;
}
