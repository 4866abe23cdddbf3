/*
 * The memory report as text against the numbers that it is made of; the order, the cut and the alignment of the table
 * of archetypes; short writes; no memory for the sort.
 */
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "test_print.h"

#include <inttypes.h>
#include <math.h>

/* ---- helpers ---- */

/* The memory report; the world is locked while it is written. */
static char *memory_text(fixture *f, size_t max_archetypes) {
    sink s = sink_make(SIZE_MAX);
    s.world = f->world;
    assert_ok(shoal_print_memory(f->world, max_archetypes, sink_write, &s));
    assert_count(s.refused_count, s.call_count);
    assert_string_equal(s.holder, "shoal_print_memory");
    assert_null(shoal_world_lock_holder(f->world));
    return s.written.text;
}

/* The number in the line that starts with two spaces and `name`, after the line `section`. */
static uint64_t number_of(const char *text, const char *section, const char *name) {
    char start[80];
    snprintf(start, sizeof start, "\n%s\n", section);
    const char *place = strstr(text, start);
    assert_non_null(place);
    snprintf(start, sizeof start, "\n  %s  ", name);
    place = strstr(place, start);
    assert_non_null(place);
    place += strlen(start);
    place += strspn(place, " ");
    uint64_t number = strtoull(place, NULL, 10);
    assert_true(*place >= '0' && *place <= '9');
    return number;
}

static void spawn_some(shoal_world *world, size_t count, const shoal_value *values, size_t value_count) {
    for (size_t i = 0; i < count; i++) {
        assert_false(shoal_entity_is_null(shoal_spawn(world, values, value_count)));
    }
}

/* ---- numbers ---- */

static void test_memory_numbers(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.name = "sea \"one\"", .memory_limit = (size_t)64 << 20});
    spawn_some(f.world, 1000, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 2, 3), SHOAL_DEFAULT(Frozen)));
    spawn_some(f.world, 3, SHOAL_VALUES(SHOAL_VALUE(Health, 80)));
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f.world, &report));
    char *text = memory_text(&f, 0);
    assert_count(strncmp(text, "memory of world \"sea \\\"one\\\"\"\n", 29), 0);
    for (size_t i = 0; i < SHOAL_PURPOSE_COUNT; i++) {
        assert_count(number_of(text, "bytes by purpose", shoal_purpose_name((shoal_purpose)i)),
                     report.purpose_bytes[i]);
    }
    assert_count(number_of(text, "bytes by purpose", "total"), report.total_bytes);
    assert_count(number_of(text, "bytes by purpose", "peak"), report.peak_bytes);
    assert_count(number_of(text, "bytes by purpose", "limit"), report.limit_bytes);
    assert_count(number_of(text, "bytes of chunks", "all"), report.chunk_bytes);
    assert_count(number_of(text, "bytes of chunks", "live rows"), report.chunk_used_bytes);
    assert_count(number_of(text, "bytes of chunks", "headers, gaps, free rows"), report.chunk_unused_bytes);
    assert_count(number_of(text, "bytes of chunks", "chunks in the pools"), report.pool_free_bytes);
    assert_count(number_of(text, "counts", "entities"), 1003);
    assert_count(number_of(text, "counts", "slots"), report.slot_count);
    assert_count(number_of(text, "counts", "retired slots"), 0);
    assert_count(number_of(text, "counts", "archetypes"), report.archetype_count);
    assert_count(number_of(text, "counts", "chunks"), report.chunk_count);
    assert_count(number_of(text, "counts", "queries"), 1);
    free(text);
    fixture_end(&f);
}

/* ---- the table of archetypes ---- */

/* One line of the archetype table. */
typedef struct table_row {
    uint64_t numbers[5];
    char share[16];
    char components[200];
} table_row;

/* Reads the table; what follows it goes into `note`. */
static size_t read_table(const char *text, table_row *rows, size_t row_limit, char *note, size_t note_size) {
    const char *line = strstr(text, "\narchetypes, the worst used first\n");
    assert_non_null(line);
    line = strchr(strchr(line + 1, '\n') + 1, '\n') + 1; /* behind the titles */
    size_t count = 0;
    note[0] = '\0';
    for (; *line != '\0'; line = strchr(line, '\n') + 1) {
        table_row row;
        int matched =
            sscanf(line, " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %15s %199[^\n]", &row.numbers[0],
                   &row.numbers[1], &row.numbers[2], &row.numbers[3], &row.numbers[4], row.share, row.components);
        if (matched != 7) {
            snprintf(note, note_size, "%s", line);
            break;
        }
        assert_true(count < row_limit);
        rows[count++] = row;
    }
    return count;
}

/* The row of an archetype, found by its components. */
static const table_row *find_row(const table_row *rows, size_t count, const shoal_archetype_info *info) {
    char names[200] = "";
    for (size_t i = 0; i < info->component_count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? " + " : "",
                 shoal_component_info(info->components[i])->name);
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].components, info->component_count > 0 ? names : "no components") == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static void check_row(const table_row *row, const shoal_archetype_info *info) {
    assert_non_null(row);
    assert_count(row->numbers[0], info->chunk_count);
    assert_count(row->numbers[1], info->row_count);
    assert_count(row->numbers[2], info->row_capacity);
    assert_count(row->numbers[3], info->used_bytes);
    assert_count(row->numbers[4], info->unused_bytes);
    size_t byte_count = info->used_bytes + info->unused_bytes;
    if (byte_count == 0) {
        assert_string_equal(row->share, "-");
    } else {
        double share = 100.0 * (double)info->used_bytes / (double)byte_count;
        assert_true(fabs(strtod(row->share, NULL) - share) <= 0.1);
    }
}

static void test_memory_archetypes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_some(f.world, 1000, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 2, 3), SHOAL_DEFAULT(Velocity)));
    spawn_some(f.world, 1, SHOAL_VALUES(SHOAL_DEFAULT(Frozen), SHOAL_DEFAULT(Velocity), SHOAL_DEFAULT(Position)));
    spawn_some(f.world, 60, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    shoal_entity gone = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Letter, 1)));
    assert_ok(shoal_destroy(f.world, gone));
    char *text = memory_text(&f, 0);
    static const char *const order[] = {"Position + Velocity + Frozen", "Health", "Position + Velocity",
                                        "no components", "Letter"};
    table_row rows[5];
    char note[100];
    assert_count(read_table(text, rows, 5, note, sizeof note), 5);
    assert_string_equal(note, "");
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(rows[i].components, order[i]);
    }
    size_t archetype_count = 0;
    for (shoal_archetype_info info = {0}; shoal_archetype_next(f.world, &info); archetype_count++) {
        check_row(find_row(rows, 5, &info), &info);
    }
    assert_count(archetype_count, 5);
    free(text);
    fixture_end(&f);
}

/* Hundreds of archetypes with a row count of their own each: sorted by share, and cut after the worst. */
static void test_memory_worst_first(void **state) {
    (void)state;
    enum { archetype_count = 300 };
    fixture f;
    fixture_start(&f, NULL);
    rng random = {42};
    for (uint32_t i = 0; i < archetype_count; i++) {
        const shoal_value value = {numbered_component(i), NULL};
        spawn_some(f.world, 1 + rng_below(&random, 200), &value, 1);
    }
    table_row *rows = calloc(archetype_count + 1, sizeof *rows);
    assert_non_null(rows);
    char note[100];
    char *text = memory_text(&f, 0);
    assert_count(read_table(text, rows, archetype_count + 1, note, sizeof note), archetype_count + 1);
    for (size_t i = 1; i < archetype_count; i++) {
        double before = (double)rows[i - 1].numbers[3] / (double)(rows[i - 1].numbers[3] + rows[i - 1].numbers[4]);
        double after = (double)rows[i].numbers[3] / (double)(rows[i].numbers[3] + rows[i].numbers[4]);
        assert_true(before <= after);
    }
    free(text);
    table_row worst[8];
    text = memory_text(&f, 7);
    assert_count(read_table(text, worst, 8, note, sizeof note), 7);
    assert_string_equal(note, "  294 of 301 archetypes are left out\n");
    for (size_t i = 0; i < 7; i++) {
        assert_string_equal(worst[i].components, rows[i].components);
        assert_memory_equal(worst[i].numbers, rows[i].numbers, sizeof rows[i].numbers);
    }
    free(text);
    text = memory_text(&f, archetype_count + 1);
    assert_count(read_table(text, rows, archetype_count + 1, note, sizeof note), archetype_count + 1);
    assert_string_equal(note, "");
    free(text);
    free(rows);
    fixture_end(&f);
}

/* Every line of the table is as wide as the titles, but for the names at the end. */
static void test_memory_is_aligned(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_some(f.world, 30000, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 2, 3)));
    spawn_some(f.world, 2, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    char *text = memory_text(&f, 0);
    const char *titles = strstr(text, "worst used first\n") + strlen("worst used first\n");
    size_t start = (size_t)(strstr(titles, "components") - titles);
    static const char *const names[] = {"Position", "Health", "no components"};
    for (size_t i = 0; i < 3; i++) {
        const char *name = strstr(titles, names[i]);
        assert_non_null(name);
        const char *line = name;
        while (line[-1] != '\n') {
            line--;
        }
        assert_count(name - line, start);
    }
    free(text);
    fixture_end(&f);
}

static void test_memory_is_repeatable(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_some(f.world, 10, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 2, 3)));
    free(memory_text(&f, 0)); /* the peak includes the scratch of the sort from here on */
    char *first = memory_text(&f, 0);
    char *second = memory_text(&f, 0);
    assert_string_equal(first, second);
    assert_count(number_of(first, "bytes by purpose", "scratch"), 0);
    free(first);
    free(second);
    fixture_end(&f);
}

/* ---- failures ---- */

static void test_memory_short_writes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (uint32_t i = 0; i < 40; i++) {
        const shoal_value value = {numbered_component(i), NULL};
        assert_false(shoal_entity_is_null(shoal_spawn(f.world, &value, 1)));
    }
    free(memory_text(&f, 0)); /* the scratch of the first report counts in the peak of the second */
    check_short_writes(f.world, emit_memory, f.world, "shoal_print_memory");
    fixture_end(&f);
}

static void test_memory_null_arguments(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_status(shoal_print_memory(NULL, 0, sink_write, NULL), SHOAL_INVALID_ARGUMENT);
    assert_last_error(NULL, SHOAL_INVALID_ARGUMENT);
    assert_message_has(NULL, "shoal_print_memory");
    assert_status(shoal_print_memory(f.world, 0, NULL, NULL), SHOAL_INVALID_ARGUMENT);
    assert_message_has(f.world, "shoal_print_memory");
    fixture_end(&f);
}

static void test_memory_without_memory(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_some(f.world, 10, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 2, 3)));
    size_t total_bytes = fixture_total_bytes(&f);
    sink s = sink_make(SIZE_MAX);
    fake_allocator_arm(&f.fake, 1, false);
    assert_status(shoal_print_memory(f.world, 0, sink_write, &s), SHOAL_OUT_OF_MEMORY);
    assert_true(fake_allocator_disarm(&f.fake));
    assert_last_error(f.world, SHOAL_OUT_OF_MEMORY);
    assert_message_has(f.world, "shoal_print_memory");
    assert_count(s.call_count, 0);
    assert_null(shoal_world_lock_holder(f.world));
    assert_count(fixture_total_bytes(&f), total_bytes);
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_numbers),        cmocka_unit_test(test_memory_archetypes),
        cmocka_unit_test(test_memory_worst_first),    cmocka_unit_test(test_memory_is_aligned),
        cmocka_unit_test(test_memory_is_repeatable),  cmocka_unit_test(test_memory_short_writes),
        cmocka_unit_test(test_memory_null_arguments), cmocka_unit_test(test_memory_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
