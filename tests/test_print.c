/*
 * Entities as text: every kind of field, numbers that read back, escapes, other locales, short writes. test_print_csv.c
 * has rows as CSV, test_print_memory.c the memory report.
 */
#define _DEFAULT_SOURCE

#include "test_print.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <unistd.h>

#include "base/text.h"

/* ---- types ---- */

typedef struct Everything {
    bool flag;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    shoal_entity target;
    char text[8];
} Everything;

typedef struct Point {
    float x, y;
} Point;

typedef struct Span {
    Point ends[2];
    uint8_t weights[3];
} Span;

typedef struct Path {
    Span spans[2];
    Point centre;
    Point opaque;
} Path;

typedef struct Blob {
    unsigned char bytes[5];
} Blob;

typedef struct Real {
    double value;
} Real;

typedef struct Single {
    float value;
} Single;

typedef struct Label {
    char text[16];
} Label;

#define POINT_FIELDS SHOAL_FIELD(Point, x), SHOAL_FIELD(Point, y)
#define SPAN_FIELDS SHOAL_FIELD_NESTED_ARRAY(Span, ends, POINT_FIELDS), SHOAL_FIELD_ARRAY(Span, weights)

SHOAL_COMPONENT(Everything, .fields = SHOAL_FIELDS(SHOAL_FIELD(Everything, flag), SHOAL_FIELD(Everything, i8),
                                                   SHOAL_FIELD(Everything, u8), SHOAL_FIELD(Everything, i16),
                                                   SHOAL_FIELD(Everything, u16), SHOAL_FIELD(Everything, i32),
                                                   SHOAL_FIELD(Everything, u32), SHOAL_FIELD(Everything, i64),
                                                   SHOAL_FIELD(Everything, u64), SHOAL_FIELD(Everything, f32),
                                                   SHOAL_FIELD(Everything, f64), SHOAL_FIELD(Everything, target),
                                                   SHOAL_FIELD_CHARS(Everything, text)))
/* A nested struct may come without its own table. */
SHOAL_COMPONENT(Path, .fields = SHOAL_FIELDS(SHOAL_FIELD_NESTED_ARRAY(Path, spans, SPAN_FIELDS),
                                             SHOAL_FIELD_NESTED(Path, centre, POINT_FIELDS),
                                             {"opaque", SHOAL_FIELD_STRUCT, offsetof(Path, opaque), sizeof(Point), 1,
                                              NULL, 0}))
SHOAL_COMPONENT(Blob)
SHOAL_COMPONENT(Real, .fields = SHOAL_FIELDS(SHOAL_FIELD(Real, value)))
SHOAL_COMPONENT(Single, .fields = SHOAL_FIELDS(SHOAL_FIELD(Single, value)))
SHOAL_COMPONENT(Label, .fields = SHOAL_FIELDS(SHOAL_FIELD_CHARS(Label, text)))

/* ---- helpers ---- */

/* The entity prints as its handle and these lines. */
static void check_print(const shoal_world *world, shoal_entity entity, const char *lines) {
    char handle[SHOAL_ENTITY_TEXT_SIZE];
    shoal_entity_format(entity, handle, sizeof handle);
    char expected[1024];
    snprintf(expected, sizeof expected, "entity %s\n%s", handle, lines);
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_print_entity(world, entity, sink_write, &s));
    assert_sink(&s, expected);
    sink_free(&s);
}

static void check_print_value(shoal_world *world, shoal_component component, const void *data, const char *lines) {
    const shoal_value value = {component, data};
    shoal_entity entity = shoal_spawn(world, &value, 1);
    assert_false(shoal_entity_is_null(entity));
    check_print(world, entity, lines);
    assert_ok(shoal_destroy(world, entity));
}

/* ---- entities ---- */

static void test_entity_with_tag(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    check_print(f.world, shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Frozen), SHOAL_VALUE(Position, 1.5f, -2, 0))),
                "  Position.x = 1.5\n"
                "  Position.y = -2\n"
                "  Position.z = 0\n"
                "  Frozen\n");
    check_print(f.world, shoal_spawn(f.world, NULL, 0), "");
    fixture_end(&f);
}

static void test_largest_values(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const Everything value = {.flag = true,
                              .i8 = INT8_MIN,
                              .u8 = UINT8_MAX,
                              .i16 = INT16_MIN,
                              .u16 = UINT16_MAX,
                              .i32 = INT32_MIN,
                              .u32 = UINT32_MAX,
                              .i64 = INT64_MIN,
                              .u64 = UINT64_MAX,
                              .f32 = -FLT_MAX,
                              .f64 = DBL_MAX,
                              .target = {UINT64_C(0x80057FFF00000003)},
                              .text = {'a', 'l', 'l', ' ', 'f', 'u', 'l', 'l'}};
    check_print_value(f.world, SHOAL_ID(Everything), &value,
                      "  Everything.flag = true\n"
                      "  Everything.i8 = -128\n"
                      "  Everything.u8 = 255\n"
                      "  Everything.i16 = -32768\n"
                      "  Everything.u16 = 65535\n"
                      "  Everything.i32 = -2147483648\n"
                      "  Everything.u32 = 4294967295\n"
                      "  Everything.i64 = -9223372036854775808\n"
                      "  Everything.u64 = 18446744073709551615\n"
                      "  Everything.f32 = -3.4028235e+38\n"
                      "  Everything.f64 = 1.7976931348623157e+308\n"
                      "  Everything.target = 3:32767@5\n"
                      "  Everything.text = \"all full\"\n");
    fixture_end(&f);
}

static void test_zero_values(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    check_print_value(f.world, SHOAL_ID(Everything), NULL,
                      "  Everything.flag = false\n"
                      "  Everything.i8 = 0\n"
                      "  Everything.u8 = 0\n"
                      "  Everything.i16 = 0\n"
                      "  Everything.u16 = 0\n"
                      "  Everything.i32 = 0\n"
                      "  Everything.u32 = 0\n"
                      "  Everything.i64 = 0\n"
                      "  Everything.u64 = 0\n"
                      "  Everything.f32 = 0\n"
                      "  Everything.f64 = 0\n"
                      "  Everything.target = null\n"
                      "  Everything.text = \"\"\n");
    fixture_end(&f);
}

static void test_nested_arrays(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const Path value = {.spans = {{{{1, 2}, {3, 4}}, {5, 6, 7}}, {{{-1, -2}, {-3, -4}}, {8, 9, 10}}},
                        .centre = {0.5f, 0.25f}};
    check_print_value(f.world, SHOAL_ID(Path), &value,
                      "  Path.spans[0].ends[0].x = 1\n"
                      "  Path.spans[0].ends[0].y = 2\n"
                      "  Path.spans[0].ends[1].x = 3\n"
                      "  Path.spans[0].ends[1].y = 4\n"
                      "  Path.spans[0].weights[0] = 5\n"
                      "  Path.spans[0].weights[1] = 6\n"
                      "  Path.spans[0].weights[2] = 7\n"
                      "  Path.spans[1].ends[0].x = -1\n"
                      "  Path.spans[1].ends[0].y = -2\n"
                      "  Path.spans[1].ends[1].x = -3\n"
                      "  Path.spans[1].ends[1].y = -4\n"
                      "  Path.spans[1].weights[0] = 8\n"
                      "  Path.spans[1].weights[1] = 9\n"
                      "  Path.spans[1].weights[2] = 10\n"
                      "  Path.centre.x = 0.5\n"
                      "  Path.centre.y = 0.25\n"
                      "  Path.opaque = 0000000000000000\n");
    fixture_end(&f);
}

static void test_bytes_without_fields(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    check_print_value(f.world, SHOAL_ID(Blob), &(Blob){{0x00, 0x0F, 0xF0, 0xAB, 0xFF}}, "  Blob = 000ff0abff\n");
    fixture_end(&f);
}

/* Fields at odd addresses, as in a packed struct: one byte, then a double, a handle and an i16. */
static void test_unaligned_fields(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component packed = shoal_component_register(
        &(shoal_component_def){.name = "PackedFields",
                               .size = 19,
                               .fields = (const shoal_field[]){{"real", SHOAL_FIELD_F64, 1, 8, 1, NULL, 0},
                                                               {"handle", SHOAL_FIELD_ENTITY, 9, 8, 1, NULL, 0},
                                                               {"half", SHOAL_FIELD_I16, 17, 2, 1, NULL, 0}},
                               .field_count = 3});
    assert_int_not_equal(packed.id, 0);
    const double real = -0.1;
    const shoal_entity handle = {7};
    const int16_t half = -300;
    unsigned char bytes[19] = {0};
    memcpy(bytes + 1, &real, sizeof real);
    memcpy(bytes + 9, &handle, sizeof handle);
    memcpy(bytes + 17, &half, sizeof half);
    check_print_value(f.world, packed, bytes,
                      "  PackedFields.real = -0.1\n"
                      "  PackedFields.handle = placeholder 7\n"
                      "  PackedFields.half = -300\n");
    fixture_end(&f);
}

/* A bool that holds another byte than 0 and 1 is still read without undefined behaviour. */
static void test_bool_of_any_byte(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    unsigned char bytes[sizeof(Everything)] = {0};
    bytes[offsetof(Everything, flag)] = 0x80;
    const shoal_value value = {SHOAL_ID(Everything), bytes};
    shoal_entity entity = shoal_spawn(f.world, &value, 1);
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_print_entity(f.world, entity, sink_write, &s));
    assert_non_null(strstr(s.written.text, "  Everything.flag = true\n"));
    sink_free(&s);
    fixture_end(&f);
}

static void test_escapes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component label = SHOAL_ID(Label);
    check_print_value(f.world, label, &(Label){"say \"no\"\\yes"}, "  Label.text = \"say \\\"no\\\"\\\\yes\"\n");
    check_print_value(f.world, label, &(Label){"a\nb\rc\td"}, "  Label.text = \"a\\nb\\rc\\td\"\n");
    check_print_value(f.world, label, &(Label){"\033[1m\0017\177"}, "  Label.text = \"\\033[1m\\0017\\177\"\n");
    check_print_value(f.world, label,
                      &(Label){"Gr\xC3\xBC\xC3\x9F"
                               "e"},
                      "  Label.text = \"Gr\xC3\xBC\xC3\x9F"
                      "e\"\n");
    check_print_value(f.world, label, &(Label){"cut\0here"}, "  Label.text = \"cut\"\n");
    check_print_value(f.world, label, &(Label){"exactly 16 bytes"}, "  Label.text = \"exactly 16 bytes\"\n");
    fixture_end(&f);
}

static void check_refused(const shoal_world *world, shoal_entity entity, shoal_status status) {
    sink s = sink_make(SIZE_MAX);
    assert_status(shoal_print_entity(world, entity, sink_write, &s), status);
    assert_last_error(world, status);
    assert_message_has(world, "shoal_print_entity");
    assert_count(s.call_count, 0);
}

static void test_bad_handles(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_world *other = shoal_world_create(NULL);
    shoal_entity dead = shoal_spawn(f.world, NULL, 0);
    assert_ok(shoal_destroy(f.world, dead));
    shoal_entity reused = shoal_spawn(f.world, NULL, 0);
    assert_count(shoal_entity_index(reused), shoal_entity_index(dead));
    check_refused(f.world, (shoal_entity){0}, SHOAL_ENTITY_NULL);
    check_refused(f.world, dead, SHOAL_ENTITY_DEAD);
    check_refused(f.world, shoal_spawn(other, NULL, 0), SHOAL_ENTITY_FOREIGN);
    check_refused(f.world, (shoal_entity){1}, SHOAL_ENTITY_PLACEHOLDER);
    check_refused(f.world, shoal_entity_make(f.world, UINT32_MAX, 0), SHOAL_ENTITY_DEAD);
    assert_ok(shoal_world_destroy(other));
    fixture_end(&f);
}

static void test_null_arguments(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = shoal_spawn(f.world, NULL, 0);
    assert_status(shoal_print_entity(NULL, entity, sink_write, NULL), SHOAL_INVALID_ARGUMENT);
    assert_last_error(NULL, SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_print_entity(f.world, entity, NULL, NULL), SHOAL_INVALID_ARGUMENT);
    assert_last_error(f.world, SHOAL_INVALID_ARGUMENT);
    fixture_end(&f);
}

static void test_file_writer(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 80)));
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_ok(shoal_print_entity(f.world, entity, shoal_write_file, file));
    rewind(file);
    char text[128] = {0};
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "  Health.value = 80\n"));
    assert_status(shoal_print_entity(f.world, entity, shoal_write_file, NULL), SHOAL_WRITE_FAILED);
    fixture_end(&f);
}

static void test_full_disk(void **state) {
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL) {
        print_message("/dev/full is not there\n");
        skip();
    }
    setvbuf(full, NULL, _IONBF, 0);
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 80)));
    assert_status(shoal_print_entity(f.world, entity, shoal_write_file, full), SHOAL_WRITE_FAILED);
    fclose(full);
    fixture_end(&f);
}

/* ---- numbers ---- */

static void number_text(float f32, double f64, bool is_f32, char *text, size_t size) {
    sink s = sink_make(SIZE_MAX);
    text_output output;
    text_start(&output, sink_write, &s);
    is_f32 ? text_put_f32(&output, f32) : text_put_f64(&output, f64);
    error_record error = {0};
    assert_ok(text_finish(&output, &error, "number_text"));
    snprintf(text, size, "%s", s.written.text);
    sink_free(&s);
}

static void check_f32(float value, const char *expected) {
    char text[64];
    number_text(value, 0, true, text, sizeof text);
    assert_string_equal(text, expected);
}

static void check_f64(double value, const char *expected) {
    char text[64];
    number_text(0, value, false, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_f32_texts(void **state) {
    (void)state;
    check_f32(0.0f, "0");
    check_f32(-0.0f, "-0");
    check_f32(0.1f, "0.1");
    check_f32(1.0f / 3.0f, "0.33333334");
    check_f32(16777216.0f, "16777216");
    check_f32(1e6f, "1e+06");
    check_f32(123456.0f, "123456");
    check_f32(FLT_MAX, "3.4028235e+38");
    check_f32(FLT_MIN, "1.1754944e-38");
    check_f32(FLT_TRUE_MIN, "1e-45");
    check_f32(-3 * FLT_TRUE_MIN, "-4e-45");
    check_f32(FLT_EPSILON, "1.1920929e-07");
    check_f32(8388609.0f, "8388609");
    check_f32(INFINITY, "inf");
    check_f32(-INFINITY, "-inf");
    check_f32(NAN, "nan");
    check_f32(copysignf(NAN, -1), "nan");
}

static void test_f64_texts(void **state) {
    (void)state;
    check_f64(0.0, "0");
    check_f64(-0.0, "-0");
    check_f64(0.1, "0.1");
    check_f64(0.1 + 0.2, "0.30000000000000004");
    check_f64(1.0 / 3.0, "0.3333333333333333");
    check_f64(9007199254740993.0, "9007199254740992");
    check_f64(123456789012345.0, "123456789012345");
    check_f64(1e15, "1e+15");
    check_f64(DBL_MAX, "1.7976931348623157e+308");
    check_f64(DBL_MIN, "2.2250738585072014e-308");
    check_f64(DBL_TRUE_MIN, "5e-324");
    check_f64(-DBL_TRUE_MIN * 2, "-1e-323");
    check_f64(INFINITY, "inf");
    check_f64(-INFINITY, "-inf");
    check_f64(copysign(NAN, -1), "nan");
}

/* The digits of a number without the zeros at its ends. */
static size_t digit_count(const char *text) {
    size_t count = 0;
    size_t zero_count = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text == '0') {
            zero_count++;
        } else if (*text > '0' && *text <= '9') {
            count += count != 0 ? zero_count + 1 : 1;
            zero_count = 0;
        }
    }
    return count;
}

/* A number of few digits that reads back would have been found: one digit less is another number. */
static void check_shortest_f32(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    char text[64], shorter[64];
    number_text(value, 0, true, text, sizeof text);
    float back = strtof(text, NULL);
    uint32_t back_bits;
    memcpy(&back_bits, &back, sizeof back_bits);
    assert_true(isnan(value) ? isnan(back) : back_bits == bits);
    for (int precision = 1; precision < 9 && isfinite(value); precision++) {
        snprintf(shorter, sizeof shorter, "%.*g", precision, (double)value);
        assert_true(strtof(shorter, NULL) != value || digit_count(shorter) >= digit_count(text));
    }
}

static void check_shortest_f64(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    char text[64], shorter[64];
    number_text(0, value, false, text, sizeof text);
    double back = strtod(text, NULL);
    uint64_t back_bits;
    memcpy(&back_bits, &back, sizeof back_bits);
    assert_true(isnan(value) ? isnan(back) : back_bits == bits);
    for (int precision = 1; precision < 17 && isfinite(value); precision++) {
        snprintf(shorter, sizeof shorter, "%.*g", precision, value);
        assert_true(strtod(shorter, NULL) != value || digit_count(shorter) >= digit_count(text));
    }
}

static void test_numbers_are_the_shortest(void **state) {
    (void)state;
    rng random = {41};
    for (int i = 0; i < 20000; i++) {
        bool is_subnormal = i % 4 == 0;
        uint32_t bits32 = (uint32_t)rng_next(&random) & (is_subnormal ? 0x807FFFFFu : UINT32_MAX);
        uint64_t bits64 = rng_next(&random) & (is_subnormal ? UINT64_C(0x800FFFFFFFFFFFFF) : UINT64_MAX);
        test_set_context("round %d, bits %08" PRIx32 " and %016" PRIx64, i, bits32, bits64);
        check_shortest_f32(bits32);
        check_shortest_f64(bits64);
    }
    test_set_context("%s", "");
}

/* strtod() sets errno for a subnormal number; no call of the library may. */
static void test_errno_stays(void **state) {
    (void)state;
    errno = EBADF;
    check_f64(DBL_TRUE_MIN, "5e-324");
    check_f32(FLT_TRUE_MIN, "1e-45");
    assert_int_equal(errno, EBADF);
    errno = 0;
}

/* ---- locales ---- */

/* Enters a locale for numbers, generated into `directory` where the system does not have it. */
static bool enter_locale(const char *name, const char *directory) {
    char full[64], command[256];
    snprintf(full, sizeof full, "%s.UTF-8", name);
    if (setlocale(LC_ALL, full) != NULL) {
        return true;
    }
    snprintf(command, sizeof command, "localedef -c -i %s -f UTF-8 %s/%s >%s/log 2>&1", name, directory, full,
             directory);
    (void)!system(command);
    setenv("LOCPATH", directory, 1);
    bool entered = setlocale(LC_ALL, full) != NULL;
    unsetenv("LOCPATH");
    return entered;
}

static void check_in_locale(void) {
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity =
        shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Real, -1234567.125), SHOAL_VALUE(Single, 1.1754944e-38f)));
    check_print(f.world, entity, "  Real.value = -1234567.125\n  Single.value = 1.1754944e-38\n");
    check_print_value(f.world, SHOAL_ID(Real), &(Real){0.1 + 0.2}, "  Real.value = 0.30000000000000004\n");
    check_print_value(f.world, SHOAL_ID(Real), &(Real){5e-324}, "  Real.value = 5e-324\n");
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_csv_archetype(f.world, SHOAL_COMPONENTS(SHOAL_ID(Single), SHOAL_ID(Real)), sink_write, &s));
    assert_non_null(strstr(s.written.text, ",1.1754944e-38,-1234567.125\r\n"));
    sink_free(&s);
    fixture_end(&f);
}

/* Where the locales of this run are made; empty without any. */
static char locale_directory[32];

/* Also after a failure: the next tests need points, and the directory must go. */
static int leave_locales(void **state) {
    (void)state;
    setlocale(LC_ALL, "C");
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", locale_directory);
    return locale_directory[0] != '\0' ? system(command) : 0;
}

/* A comma as in German, and the Pashto mark of two bytes. */
static void test_other_decimal_marks(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE", "ps_AF"};
    static const char *const marks[] = {",", "\xD9\xAB"};
    snprintf(locale_directory, sizeof locale_directory, "/tmp/shoal-locale-XXXXXX");
    assert_non_null(mkdtemp(locale_directory));
    size_t entered_count = 0;
    for (size_t i = 0; i < 2; i++) {
        if (enter_locale(names[i], locale_directory)) {
            entered_count++;
            test_set_context("locale %s", names[i]);
            assert_string_equal(localeconv()->decimal_point, marks[i]);
            check_in_locale();
        } else {
            print_message("the locale %s is not there and cannot be made\n", names[i]);
        }
        setlocale(LC_ALL, "C");
    }
    test_set_context("%s", "");
    if (entered_count == 0) {
        skip();
    }
}

/* ---- short writes ---- */

typedef struct print_subject {
    shoal_world *world;
    shoal_entity entity;
} print_subject;

static shoal_status emit_entity(void *context, shoal_write_fn write, void *user) {
    const print_subject *subject = context;
    return shoal_print_entity(subject->world, subject->entity, write, user);
}

/* Large has no field table: 4,800 digits, so that the buffer is handed on several times. */
static void test_entity_short_writes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    print_subject subject = {.world = f.world};
    subject.entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Label, "a \"b\""), SHOAL_VALUE(Position, 1, 2, 3),
                                                       SHOAL_DEFAULT(Large), SHOAL_DEFAULT(Frozen)));
    check_short_writes(f.world, emit_entity, &subject, "shoal_print_entity");
    sink s = sink_make(SIZE_MAX);
    assert_ok(emit_entity(&subject, sink_write, &s));
    assert_true(s.written.length > 4800);
    assert_at_most(s.call_count, s.written.length / 1024 + 1);
    sink_free(&s);
    fixture_end(&f);
}

/* ---- for other forms ---- */

static void test_json_strings(void **state) {
    (void)state;
    static const struct {
        const char *text, *json;
    } cases[] = {{"", "\"\""},
                 {"plain / \xC3\xA9", "\"plain / \xC3\xA9\""},
                 {"\"\\", "\"\\\"\\\\\""},
                 {"\n\x01\x1F\x7F", "\"\\u000a\\u0001\\u001f\x7F\""},
                 {"a\xFF\xC3(\xE2\x82", "\"a\\ufffd\\ufffd(\\ufffd\\ufffd\""},
                 {"\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sink s = sink_make(SIZE_MAX);
        text_output output;
        text_start(&output, sink_write, &s);
        text_put_json(&output, cases[i].text);
        assert_ok(text_finish_reader(&output, NULL, "test"));
        assert_sink(&s, cases[i].json);
        sink_free(&s);
    }
}

static void test_decimals(void **state) {
    (void)state;
    static const struct {
        uint64_t value;
        unsigned decimals;
        const char *text;
    } cases[] = {{0, 3, "0.000"},    {7, 3, "0.007"},      {999, 3, "0.999"},
                 {1000, 3, "1.000"}, {12345, 1, "1234.5"}, {UINT64_MAX, 9, "18446744073.709551615"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sink s = sink_make(SIZE_MAX);
        text_output output;
        text_start(&output, sink_write, &s);
        text_put_decimal(&output, cases[i].value, cases[i].decimals);
        assert_ok(text_finish_reader(&output, NULL, "test"));
        assert_sink(&s, cases[i].text);
        assert_count(text_decimal_size(cases[i].value, cases[i].decimals), strlen(cases[i].text));
        sink_free(&s);
    }
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entity_with_tag),
        cmocka_unit_test(test_json_strings),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_largest_values),
        cmocka_unit_test(test_zero_values),
        cmocka_unit_test(test_nested_arrays),
        cmocka_unit_test(test_bytes_without_fields),
        cmocka_unit_test(test_unaligned_fields),
        cmocka_unit_test(test_bool_of_any_byte),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_bad_handles),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_file_writer),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_f32_texts),
        cmocka_unit_test(test_f64_texts),
        cmocka_unit_test(test_numbers_are_the_shortest),
        cmocka_unit_test(test_errno_stays),
        cmocka_unit_test_teardown(test_other_decimal_marks, leave_locales),
        cmocka_unit_test(test_entity_short_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
