/*
 * The layout functions: the figures of the published layout rule, the limits of their arguments, and random
 * chunks against a reference that knows nothing of the fast search: it places columns row count by row
 * count until the chunk is full. Cache lines are checked against a reference that marks the line of every
 * single byte. Random cases have a fixed seed, and a failure names its case.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <shoal/layout.h>

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 20
#define HUGE_CHUNK (SIZE_MAX - 63)
#define HIGHEST_POWER (SIZE_MAX / 2 + 1)

/* A small generator of numbers; the same on every platform. */
static uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t random_below(uint64_t *state, size_t bound) {
    return (size_t)(random_next(state) % bound);
}

static size_t align_up(size_t value, size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

/* The end of the last column with `rows` rows, by the rule; for small chunks only. */
static size_t reference_end(const shoal_layout_column *columns, size_t column_count, size_t rows) {
    size_t cursor = 64 + 8 * rows;
    for (size_t i = 0; i < column_count; i++) {
        if (columns[i].size != 0) {
            size_t alignment = columns[i].alignment > 64 ? columns[i].alignment : 64;
            cursor = align_up(cursor, alignment) + columns[i].size * rows;
        }
    }
    return cursor;
}

static size_t reference_capacity(size_t chunk_bytes, const shoal_layout_column *columns, size_t column_count) {
    size_t rows = 0;
    while (reference_end(columns, column_count, rows + 1) <= chunk_bytes) {
        rows++;
    }
    return rows;
}

static void seed_position_velocity(void **state) {
    (void)state;
    shoal_layout_column columns[] = {{.size = 12, .alignment = 4}, {.size = 12, .alignment = 4}};
    shoal_layout layout;
    assert_int_equal(shoal_layout_compute(4096, columns, 2, &layout), SHOAL_OK);
    assert_int_equal(layout.capacity, 122);
    assert_int_equal(layout.entity_offset, 64);
    assert_int_equal(layout.entity_end, 1040);
    assert_int_equal(columns[0].offset, 1088);
    assert_int_equal(columns[0].end, 2552);
    assert_int_equal(columns[1].offset, 2560);
    assert_int_equal(columns[1].end, 4024);
    assert_int_equal(layout.end, 4024);
    assert_int_equal(layout.unused_bytes, 64 + 48 + 8 + 72);
    assert_int_equal(reference_end(columns, 2, 123), 4100);
}

static void seed_position_velocity_health(void **state) {
    (void)state;
    shoal_layout_column columns[] = {{.size = 12}, {.size = 12}, {.size = 4}};
    shoal_layout layout;
    assert_int_equal(shoal_layout_compute(4096, columns, 3, &layout), SHOAL_OK);
    assert_int_equal(layout.capacity, 112);
    assert_int_equal(layout.entity_end, 960);
    assert_int_equal(columns[0].offset, 960);
    assert_int_equal(columns[1].offset, 2304);
    assert_int_equal(columns[2].offset, 3648);
    assert_int_equal(columns[2].end, 4096);
    assert_int_equal(layout.end, 4096);
    assert_int_equal(layout.unused_bytes, 64);
}

/* Two components of two floats in 16 KiB: at most 682 rows if nothing but rows were stored. */
static void seed_sixteen_kilobytes(void **state) {
    (void)state;
    shoal_layout_column columns[] = {{.size = 8, .alignment = 4}, {.size = 8, .alignment = 4}};
    shoal_layout layout;
    assert_int_equal(shoal_layout_compute(16384, columns, 2, &layout), SHOAL_OK);
    assert_int_equal(16384 / (8 + 8 + 8), 682);
    assert_int_equal(layout.capacity, 680);
    assert_int_equal(columns[0].offset, 5504);
    assert_int_equal(columns[1].offset, 10944);
    assert_int_equal(layout.end, 16384);
}

static void tags_take_no_room(void **state) {
    (void)state;
    shoal_layout_column columns[] = {
        {.size = 0, .alignment = 4096}, {.size = 12}, {.size = 0}, {.size = 12}, {.size = 0}};
    for (size_t i = 0; i < 5; i++) {
        columns[i].offset = columns[i].end = 99;
    }
    shoal_layout layout;
    assert_int_equal(shoal_layout_compute(4096, columns, 5, &layout), SHOAL_OK);
    assert_int_equal(layout.capacity, 122);
    for (size_t i = 0; i < 5; i += 2) {
        assert_int_equal(columns[i].offset, 0);
        assert_int_equal(columns[i].end, 0);
    }
    assert_int_equal(columns[1].offset, 1088);
    assert_int_equal(columns[3].offset, 2560);
    assert_int_equal(layout.end, 4024);
}

static void entities_alone(void **state) {
    (void)state;
    shoal_layout layout;
    assert_int_equal(shoal_layout_compute(4096, NULL, 0, &layout), SHOAL_OK);
    assert_int_equal(layout.capacity, 504);
    assert_int_equal(layout.end, 4096);
    assert_int_equal(layout.entity_end, 4096);
    assert_int_equal(layout.unused_bytes, 64);
    shoal_layout_column tag = {.size = 0};
    assert_int_equal(shoal_layout_compute(128, &tag, 1, &layout), SHOAL_OK);
    assert_int_equal(layout.capacity, 8);
}

static void conf_G1_columns_keep_alignment(void **state) {
    (void)state;
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        for (size_t chunk_bytes = 16384; chunk_bytes <= (size_t)1 << 20; chunk_bytes *= 2) {
            shoal_layout_column columns[] = {{.size = 3},
                                             {.size = alignment, .alignment = alignment},
                                             {.size = 5},
                                             {.size = 2 * alignment, .alignment = alignment}};
            shoal_layout layout;
            assert_int_equal(shoal_layout_compute(chunk_bytes, columns, 4, &layout),
                             reference_capacity(chunk_bytes, columns, 4) == 0 ? SHOAL_ROW_TOO_LARGE : SHOAL_OK);
            for (size_t i = 0; i < 4; i++) {
                assert_int_equal(columns[i].offset % 64, 0);
            }
            for (size_t row = 0; row < 3; row++) {
                assert_int_equal((columns[1].offset + row * columns[1].size) % alignment, 0);
                assert_int_equal((columns[3].offset + row * columns[3].size) % alignment, 0);
            }
        }
    }
}

static void one_row_at_the_edge(void **state) {
    (void)state;
    shoal_layout layout;
    shoal_layout_column column = {.size = 64};
    assert_int_equal(shoal_layout_compute(192, &column, 1, &layout), SHOAL_OK);
    assert_int_equal(layout.capacity, 1);
    assert_int_equal(column.offset, 128);
    assert_int_equal(layout.end, 192);
    column.size = 65;
    assert_int_equal(shoal_layout_compute(192, &column, 1, &layout), SHOAL_ROW_TOO_LARGE);
    column = (shoal_layout_column){.size = 1, .alignment = 256};
    assert_int_equal(shoal_layout_compute(256, &column, 1, &layout), SHOAL_ROW_TOO_LARGE);
    assert_int_equal(shoal_layout_compute(320, &column, 1, &layout), SHOAL_OK);
    assert_int_equal(column.offset, 256);
}

static void failure_writes_nothing(void **state) {
    (void)state;
    shoal_layout_column columns[] = {{.size = 12, .offset = 1, .end = 2}, {.size = 4096, .offset = 3, .end = 4}};
    shoal_layout_column columns_before[2];
    shoal_layout layout;
    shoal_layout layout_before;
    memset(&layout, 0x5a, sizeof layout);
    memcpy(&layout_before, &layout, sizeof layout);
    memcpy(columns_before, columns, sizeof columns);
    assert_int_equal(shoal_layout_compute(4096, columns, 2, &layout), SHOAL_ROW_TOO_LARGE);
    assert_int_equal(shoal_layout_compute(4097, columns, 2, &layout), SHOAL_INVALID_ARGUMENT);
    assert_memory_equal(&layout, &layout_before, sizeof layout);
    assert_memory_equal(columns, columns_before, sizeof columns);
}

static void invalid_arguments(void **state) {
    (void)state;
    shoal_layout layout;
    shoal_layout_column column = {.size = 12};
    assert_int_equal(shoal_layout_compute(4096, &column, 1, NULL), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(shoal_layout_compute(4096, NULL, 1, &layout), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(shoal_layout_compute(4095, &column, 1, &layout), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(shoal_layout_compute(SIZE_MAX, &column, 1, &layout), SHOAL_INVALID_ARGUMENT);
    static const size_t wrong_alignments[] = {3, 6, 48, 65, 4097, SIZE_MAX, SIZE_MAX - 1, HIGHEST_POWER + 1};
    for (size_t i = 0; i < sizeof wrong_alignments / sizeof wrong_alignments[0]; i++) {
        column.alignment = wrong_alignments[i];
        assert_int_equal(shoal_layout_compute(4096, &column, 1, &layout), SHOAL_INVALID_ARGUMENT);
    }
    column = (shoal_layout_column){.size = 0, .alignment = 3};
    assert_int_equal(shoal_layout_compute(4096, &column, 1, &layout), SHOAL_INVALID_ARGUMENT);
}

static void chunks_without_room(void **state) {
    (void)state;
    shoal_layout layout;
    assert_int_equal(shoal_layout_compute(0, NULL, 0, &layout), SHOAL_ROW_TOO_LARGE);
    assert_int_equal(shoal_layout_compute(64, NULL, 0, &layout), SHOAL_ROW_TOO_LARGE);
    assert_int_equal(shoal_layout_compute(128, NULL, 0, &layout), SHOAL_OK);
    assert_int_equal(layout.capacity, 8);
}

static void sizes_that_would_wrap(void **state) {
    (void)state;
    static const size_t sizes[] = {4096,         SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX - 64,
                                   SIZE_MAX - 8, SIZE_MAX - 7, SIZE_MAX};
    shoal_layout layout;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        shoal_layout_column one = {.size = sizes[i]};
        assert_int_equal(shoal_layout_compute(4096, &one, 1, &layout), SHOAL_ROW_TOO_LARGE);
        shoal_layout_column several[] = {{.size = sizes[i]}, {.size = sizes[i]}, {.size = SIZE_MAX - sizes[i]}};
        assert_int_equal(shoal_layout_compute(4096, several, 3, &layout), SHOAL_ROW_TOO_LARGE);
    }
    shoal_layout_column far = {.size = 1, .alignment = HIGHEST_POWER};
    assert_int_equal(shoal_layout_compute(4096, &far, 1, &layout), SHOAL_ROW_TOO_LARGE);
    shoal_layout_column wrapping[] = {{.size = 1, .alignment = HIGHEST_POWER}, {.size = 1, .alignment = HIGHEST_POWER}};
    assert_int_equal(shoal_layout_compute(HUGE_CHUNK, wrapping, 2, &layout), SHOAL_ROW_TOO_LARGE);
}

static void chunk_of_nearly_all_memory(void **state) {
    (void)state;
    shoal_layout layout;
    assert_int_equal(shoal_layout_compute(HUGE_CHUNK, NULL, 0, &layout), SHOAL_OK);
    assert_int_equal(layout.capacity, (HUGE_CHUNK - 64) / 8);
    shoal_layout_column largest = {.size = HUGE_CHUNK - 128};
    assert_int_equal(shoal_layout_compute(HUGE_CHUNK, &largest, 1, &layout), SHOAL_OK);
    assert_int_equal(layout.capacity, 1);
    assert_true(layout.end == HUGE_CHUNK);
    largest.size++;
    assert_int_equal(shoal_layout_compute(HUGE_CHUNK, &largest, 1, &layout), SHOAL_ROW_TOO_LARGE);
    shoal_layout_column far = {.size = 1, .alignment = HIGHEST_POWER};
    assert_int_equal(shoal_layout_compute(HUGE_CHUNK, &far, 1, &layout), SHOAL_OK);
    assert_true(far.offset == HIGHEST_POWER);
    assert_true(layout.end <= HUGE_CHUNK);
}

static void many_columns(void **state) {
    (void)state;
    const size_t count = 10000;
    const size_t chunk_bytes = (size_t)1 << 20;
    shoal_layout_column *columns = calloc(count, sizeof *columns);
    assert_non_null(columns);
    for (size_t i = 0; i < count; i++) {
        columns[i].size = i % 3;
    }
    shoal_layout layout;
    assert_int_equal(shoal_layout_compute(chunk_bytes, columns, count, &layout), SHOAL_OK);
    assert_int_equal(layout.capacity, reference_capacity(chunk_bytes, columns, count));
    assert_int_equal(layout.end, reference_end(columns, count, layout.capacity));
    free(columns);
}

static size_t random_columns(uint64_t *state, shoal_layout_column *columns) {
    size_t count = random_below(state, COLUMNS_MAX + 1);
    size_t largest = (size_t)1 << (1 + random_below(state, 9));
    size_t powers = 1 + random_below(state, 14);
    for (size_t i = 0; i < count; i++) {
        columns[i] = (shoal_layout_column){.size = random_below(state, largest)};
        if (random_below(state, 3) == 0) {
            columns[i].alignment = (size_t)1 << random_below(state, powers);
        }
    }
    return count;
}

/* Every offset, end and sum of one computed chunk. */
static void check_against_rule(size_t chunk_bytes, const shoal_layout_column *columns, size_t count,
                               const shoal_layout *layout) {
    size_t row_bytes = 8;
    size_t cursor = layout->entity_end;
    assert_int_equal(layout->entity_offset, 64);
    assert_int_equal(cursor, 64 + 8 * layout->capacity);
    for (size_t i = 0; i < count; i++) {
        if (columns[i].size == 0) {
            assert_int_equal(columns[i].offset | columns[i].end, 0);
            continue;
        }
        assert_int_equal(columns[i].offset, align_up(cursor, columns[i].alignment > 64 ? columns[i].alignment : 64));
        assert_int_equal(columns[i].end, columns[i].offset + columns[i].size * layout->capacity);
        cursor = columns[i].end;
        row_bytes += columns[i].size;
    }
    assert_int_equal(layout->end, cursor);
    assert_int_equal(layout->unused_bytes, chunk_bytes - layout->capacity * row_bytes);
}

static void random_chunks_match_reference(void **state) {
    (void)state;
    uint64_t seed = 20240611;
    size_t fitting = 0;
    for (size_t turn = 0; turn < 20000; turn++) {
        shoal_layout_column columns[COLUMNS_MAX];
        size_t count = random_columns(&seed, columns);
        size_t chunk_bytes = 64 * random_below(&seed, (size_t)1 << (2 + random_below(&seed, 9)));
        size_t expected = reference_capacity(chunk_bytes, columns, count);
        shoal_layout layout = {0};
        shoal_status status = shoal_layout_compute(chunk_bytes, columns, count, &layout);
        if (status != (expected == 0 ? SHOAL_ROW_TOO_LARGE : SHOAL_OK) || layout.capacity != expected) {
            fail_msg("case %zu: status %d, %zu rows, expected %zu", turn, (int)status, layout.capacity, expected);
        }
        if (status == SHOAL_OK) {
            check_against_rule(chunk_bytes, columns, count, &layout);
            fitting++;
        }
    }
    assert_in_range(fitting, 5000, 19000); /* Both outcomes must have been met often. */
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide_size;

/* The rule again, in numbers that cannot wrap here. */
static bool wide_fits(size_t chunk_bytes, const shoal_layout_column *columns, size_t count, wide_size rows) {
    wide_size cursor = 64 + 8 * rows;
    for (size_t i = 0; i < count && cursor <= chunk_bytes; i++) {
        if (columns[i].size != 0) {
            wide_size alignment = columns[i].alignment > 64 ? columns[i].alignment : 64;
            cursor = (cursor + alignment - 1) / alignment * alignment + rows * columns[i].size;
        }
    }
    return cursor <= chunk_bytes;
}

/* Numbers of any magnitude: a random count of random bits. */
static size_t random_magnitude(uint64_t *state) {
    uint64_t bits = random_next(state);
    return (size_t)(bits >> random_below(state, 64));
}

static void random_magnitudes_find_the_largest(void **state) {
    (void)state;
    uint64_t seed = 7;
    size_t fitting = 0;
    for (size_t turn = 0; turn < 50000; turn++) {
        shoal_layout_column columns[4];
        size_t count = random_below(&seed, 5);
        for (size_t i = 0; i < count; i++) {
            columns[i] = (shoal_layout_column){.size = random_magnitude(&seed),
                                               .alignment = (size_t)1 << random_below(&seed, 64)};
        }
        size_t chunk_bytes = random_magnitude(&seed) / 64 * 64;
        shoal_layout layout = {0};
        shoal_status status = shoal_layout_compute(chunk_bytes, columns, count, &layout);
        if (status != SHOAL_OK && status != SHOAL_ROW_TOO_LARGE) {
            fail_msg("case %zu: status %d", turn, (int)status);
        }
        fitting += status == SHOAL_OK;
        bool enough = status != SHOAL_OK || wide_fits(chunk_bytes, columns, count, layout.capacity);
        if (!enough || wide_fits(chunk_bytes, columns, count, (wide_size)layout.capacity + 1)) {
            fail_msg("case %zu: %zu rows is %s", turn, layout.capacity, enough ? "too few" : "too many");
        }
    }
    assert_in_range(fitting, 5000, 45000);
}
#endif

static shoal_layout_line_count lines_of(size_t entities, size_t record_bytes, size_t field_bytes) {
    shoal_layout_line_count lines = {0};
    assert_int_equal(shoal_layout_lines(entities, record_bytes, field_bytes, &lines), SHOAL_OK);
    return lines;
}

static void seed_lines_of_64_entities(void **state) {
    (void)state;
    shoal_layout_line_count lines = lines_of(64, 64, 24);
    assert_int_equal(lines.row_lines, 64);
    assert_int_equal(lines.row_line_bytes, 4096);
    assert_true(lines.row_used_percent == 37.5);
    assert_int_equal(lines.column_lines, 24);
    assert_int_equal(lines.column_line_bytes, 1536);
    assert_true(lines.column_used_percent == 100.0);
}

static void seed_lines_of_one_entity(void **state) {
    (void)state;
    shoal_layout_line_count lines = lines_of(1, 64, 24);
    assert_int_equal(lines.row_lines, 1);
    assert_int_equal(lines.row_line_bytes, 64);
    assert_true(lines.row_used_percent == 37.5);
    assert_int_equal(lines.column_lines, 2);
    assert_int_equal(lines.column_line_bytes, 128);
    assert_true(lines.column_used_percent == 18.75);
}

static void lines_of_no_entity(void **state) {
    (void)state;
    shoal_layout_line_count lines = lines_of(0, 64, 24);
    assert_int_equal(lines.row_lines, 0);
    assert_int_equal(lines.column_lines, 0);
    assert_true(lines.row_used_percent == 0.0);
    assert_true(lines.column_used_percent == 0.0);
}

static void lines_refuse(void **state) {
    (void)state;
    shoal_layout_line_count lines = {.row_lines = 77};
    assert_int_equal(shoal_layout_lines(64, 64, 24, NULL), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(shoal_layout_lines(64, 64, 0, &lines), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(shoal_layout_lines(64, 64, 23, &lines), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(shoal_layout_lines(64, 64, 66, &lines), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(shoal_layout_lines(64, 0, 2, &lines), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(shoal_layout_lines(SIZE_MAX, 64, 24, &lines), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(shoal_layout_lines(2, SIZE_MAX, 2, &lines), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(shoal_layout_lines(SIZE_MAX, SIZE_MAX, SIZE_MAX - 1, &lines), SHOAL_INVALID_ARGUMENT);
    assert_int_equal(lines.row_lines, 77);
}

/* The largest arrays that are accepted still count right. */
static void lines_of_largest_arrays(void **state) {
    (void)state;
    size_t half = SIZE_MAX / 2;
    assert_int_equal(lines_of(half / 64, 64, 24).row_lines, half / 64);
    assert_int_equal(lines_of(1, half, half - 1).row_lines, (half - 1 + 63) / 64);
    assert_int_equal(lines_of(half / 2, 2, 2).row_lines, (half / 2 * 2 + 63) / 64);
    assert_int_equal(lines_of(half / 128, 128, 66).row_lines, half / 128 * 2);
}

/* Marks the line of every wanted byte. */
static size_t reference_lines(size_t entities, size_t record_bytes, size_t field_bytes) {
    static unsigned char touched[40000];
    memset(touched, 0, sizeof touched);
    size_t count = 0;
    for (size_t i = 0; i < entities; i++) {
        for (size_t byte = i * record_bytes; byte < i * record_bytes + field_bytes; byte++) {
            assert_in_range(byte / 64, 0, sizeof touched - 1);
            count += touched[byte / 64] == 0;
            touched[byte / 64] = 1;
        }
    }
    return count;
}

static void random_lines_match_reference(void **state) {
    (void)state;
    uint64_t seed = 99;
    for (size_t turn = 0; turn < 3000; turn++) {
        size_t entities = 1 + random_below(&seed, 300);
        size_t record_bytes = 2 + random_below(&seed, (size_t)1 << (1 + random_below(&seed, 10)));
        size_t field_bytes = 2 * (1 + random_below(&seed, record_bytes / 2));
        shoal_layout_line_count lines = lines_of(entities, record_bytes, field_bytes);
        size_t rows = reference_lines(entities, record_bytes, field_bytes);
        size_t columns = 2 * reference_lines(entities, field_bytes / 2, field_bytes / 2);
        if (lines.row_lines != rows || lines.column_lines != columns) {
            fail_msg("case %zu: %zu of %zu, %zu wanted: %zu and %zu lines, expected %zu and %zu", turn, entities,
                     record_bytes, field_bytes, lines.row_lines, lines.column_lines, rows, columns);
        }
        assert_int_equal(lines.row_line_bytes, rows * 64);
        assert_int_equal(lines.column_line_bytes, columns * 64);
        assert_true(lines.row_used_percent > 0 && lines.row_used_percent <= 100);
        assert_true(lines.column_used_percent > 0 && lines.column_used_percent <= 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seed_position_velocity),
        cmocka_unit_test(seed_position_velocity_health),
        cmocka_unit_test(seed_sixteen_kilobytes),
        cmocka_unit_test(tags_take_no_room),
        cmocka_unit_test(entities_alone),
        cmocka_unit_test(conf_G1_columns_keep_alignment),
        cmocka_unit_test(one_row_at_the_edge),
        cmocka_unit_test(failure_writes_nothing),
        cmocka_unit_test(invalid_arguments),
        cmocka_unit_test(chunks_without_room),
        cmocka_unit_test(sizes_that_would_wrap),
        cmocka_unit_test(chunk_of_nearly_all_memory),
        cmocka_unit_test(many_columns),
        cmocka_unit_test(random_chunks_match_reference),
#ifdef __SIZEOF_INT128__
        cmocka_unit_test(random_magnitudes_find_the_largest),
#endif
        cmocka_unit_test(seed_lines_of_64_entities),
        cmocka_unit_test(seed_lines_of_one_entity),
        cmocka_unit_test(lines_of_no_entity),
        cmocka_unit_test(lines_refuse),
        cmocka_unit_test(lines_of_largest_arrays),
        cmocka_unit_test(random_lines_match_reference),
    };
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
