/*
 * The layout function against its definition: the columns that it places lie one after the other, aligned and inside
 * of the chunk, and one row more would not fit. Sizes go up to the largest numbers there are.
 *
 * Input: the chunk's size, then pairs of size and alignment; one byte before each number says how large it may be.
 */
#include <shoal/layout.h>

#include <string.h>

#include "fuzz.h"

#define COLUMNS_MAX 40

/* Mostly small numbers, and now and then any. */
static size_t read_size(fuzz_input *input) {
    uint8_t form = fuzz_byte(input);
    uint64_t number = fuzz_number(input);
    return (size_t)(form < 250 ? number % ((uint64_t)1 << (form % 24)) : number);
}

/* Mostly powers of two. */
static size_t read_alignment(fuzz_input *input) {
    uint8_t form = fuzz_byte(input);
    return form < 250 ? (size_t)1 << (form % 13) : (size_t)fuzz_number(input);
}

static bool is_power_of_two(size_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

/* True when `rows` rows fit; stops at the first column that ends outside, so that no sum goes over. */
static bool fits(size_t chunk_bytes, const shoal_layout_column *columns, size_t count, size_t rows) {
    size_t end = SHOAL_CHUNK_HEADER_BYTES;
    if (chunk_bytes < end || rows > (chunk_bytes - end) / SHOAL_ENTITY_BYTES) {
        return false;
    }
    end += rows * SHOAL_ENTITY_BYTES;
    for (size_t i = 0; i < count; i++) {
        size_t alignment =
            columns[i].alignment > SHOAL_COLUMN_ALIGNMENT ? columns[i].alignment : SHOAL_COLUMN_ALIGNMENT;
        if (columns[i].size == 0) {
            continue;
        }
        size_t gap = (alignment - end % alignment) % alignment;
        if (gap > chunk_bytes - end || rows > (chunk_bytes - end - gap) / columns[i].size) {
            return false;
        }
        end += gap + rows * columns[i].size;
    }
    return true;
}

static void check_places(const shoal_layout_column *columns, size_t count, const shoal_layout *layout) {
    size_t end = SHOAL_CHUNK_HEADER_BYTES + layout->capacity * SHOAL_ENTITY_BYTES;
    FUZZ_CHECK(layout->entity_offset == SHOAL_CHUNK_HEADER_BYTES && layout->entity_end == end);
    for (size_t i = 0; i < count; i++) {
        const shoal_layout_column *column = &columns[i];
        if (column->size == 0) {
            FUZZ_CHECK(column->offset == 0 && column->end == 0);
            continue;
        }
        FUZZ_CHECK(column->offset >= end && column->offset % SHOAL_COLUMN_ALIGNMENT == 0);
        FUZZ_CHECK(column->alignment == 0 || column->offset % column->alignment == 0);
        FUZZ_CHECK(column->end - column->offset == layout->capacity * column->size);
        end = column->end;
    }
    FUZZ_CHECK(layout->end == end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = {data, size};
    shoal_layout_column columns[COLUMNS_MAX];
    shoal_layout_column before[COLUMNS_MAX];
    size_t chunk_bytes = read_size(&input) * SHOAL_COLUMN_ALIGNMENT;
    size_t count = 0;
    bool sound = true;
    while (input.size > 0 && count < COLUMNS_MAX) {
        size_t column_size = read_size(&input);
        size_t alignment = read_alignment(&input);
        sound = sound && (alignment == 0 || is_power_of_two(alignment));
        columns[count++] = (shoal_layout_column){.size = column_size, .alignment = alignment};
    }
    memcpy(before, columns, count * sizeof columns[0]);

    shoal_layout layout = {0};
    shoal_status status = shoal_layout_compute(chunk_bytes, columns, count, &layout);
    if (status == SHOAL_OK) {
        FUZZ_CHECK(sound && layout.capacity > 0 && layout.end <= chunk_bytes);
        check_places(columns, count, &layout);
        FUZZ_CHECK(fits(chunk_bytes, columns, count, layout.capacity));
        FUZZ_CHECK(!fits(chunk_bytes, columns, count, layout.capacity + 1));
    } else {
        FUZZ_CHECK(status == (sound ? SHOAL_ROW_TOO_LARGE : SHOAL_INVALID_ARGUMENT));
        FUZZ_CHECK(memcmp(before, columns, count * sizeof columns[0]) == 0 && layout.capacity == 0);
        FUZZ_CHECK(!sound || !fits(chunk_bytes, columns, count, 1));
    }
    return 0;
}
