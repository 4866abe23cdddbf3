/*
 * Rows as CSV: heads, columns and their order, presence of tags, quoting, the lock, short writes, and a hundred
 * thousand rows of random bits that a strict reader of RFC 4180 gets back bit for bit.
 */
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "test_print.h"

#include <inttypes.h>
#include <math.h>

/* ---- types ---- */

typedef struct Sample {
    uint32_t number; /* which row of the expected ones */
    float f32;
    double f64;
    int64_t i64;
    uint64_t u64;
    shoal_entity target;
    bool flag;
    char text[15];
} Sample;

typedef struct Waypoint {
    float x;
    double y;
} Waypoint;

typedef struct Path {
    Waypoint points[3];
    int8_t level;
} Path;

typedef struct Note {
    char text[16];
} Note;

/* Longer than several buffers. */
typedef struct Story {
    char text[6000];
} Story;

SHOAL_COMPONENT(Sample,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Sample, number), SHOAL_FIELD(Sample, f32), SHOAL_FIELD(Sample, f64),
                                       SHOAL_FIELD(Sample, i64), SHOAL_FIELD(Sample, u64), SHOAL_FIELD(Sample, target),
                                       SHOAL_FIELD(Sample, flag), SHOAL_FIELD_CHARS(Sample, text)))
SHOAL_COMPONENT(Path, .fields = SHOAL_FIELDS(SHOAL_FIELD_NESTED_ARRAY(Path, points, SHOAL_FIELD(Waypoint, x),
                                                                      SHOAL_FIELD(Waypoint, y)),
                                             SHOAL_FIELD(Path, level)))
SHOAL_COMPONENT(Note, .fields = SHOAL_FIELDS(SHOAL_FIELD_CHARS(Note, text)))
SHOAL_COMPONENT(Story, .fields = SHOAL_FIELDS(SHOAL_FIELD_CHARS(Story, text)))

/* ---- helpers ---- */

static shoal_query *make_rows(shoal_world *world, const shoal_term *terms, size_t term_count) {
    return make_query_of(world, &(shoal_query_def){.terms = terms, .term_count = term_count, .name = "the rows"});
}

static void check_query(shoal_world *world, const shoal_term *terms, size_t term_count, const char *expected) {
    shoal_query *query = make_rows(world, terms, term_count);
    sink s = sink_of(emit_query, query);
    check_tagged(world, &s, expected, __FILE__, __LINE__);
    assert_ok(shoal_query_destroy(query));
}

static void check_archetype(shoal_world *world, const shoal_component *components, size_t count, const char *expected) {
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_csv_archetype(world, components, count, sink_write, &s));
    check_tagged(world, &s, expected, __FILE__, __LINE__);
}

/* ---- queries ---- */

static void test_columns_follow_the_terms(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 2, 3), SHOAL_VALUE(Health, 80)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Position, 0.1f, -0.0f, 1e6f), SHOAL_VALUE(Health, -1)));
    check_query(f.world, SHOAL_TERMS(SHOAL_READ(Health), SHOAL_WRITE(Position)),
                "entity,Health.value,Position.x,Position.y,Position.z\r\n"
                "0:0@,80,1,2,3\r\n"
                "1:0@,-1,0.1,-0,1e+06\r\n");
    fixture_end(&f);
}

static void test_without_terms(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    check_query(f.world, NULL, 0, "entity\r\n");
    spawn_one(f.world, NULL, 0);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 80)));
    check_query(f.world, NULL, 0, "entity\r\n0:0@\r\n1:0@\r\n");
    fixture_end(&f);
}

/* WITH and WITHOUT give no data; WITH gives a tag's presence, and so does ANY. */
static void test_presence(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 2, 3), SHOAL_DEFAULT(Frozen)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Position, 4, 5, 6), SHOAL_DEFAULT(Selected)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Position, 7, 8, 9), SHOAL_DEFAULT(Selected), SHOAL_DEFAULT(Frozen)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Position, 7, 8, 9)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 80), SHOAL_DEFAULT(Frozen)));
    check_query(f.world, SHOAL_TERMS(SHOAL_ANY(1, Frozen), SHOAL_WITH(Position), SHOAL_ANY(1, Selected)),
                "entity,Frozen,Selected\r\n"
                "0:0@,1,0\r\n"
                "1:0@,0,1\r\n"
                "2:0@,1,1\r\n");
    check_query(f.world, SHOAL_TERMS(SHOAL_WITHOUT(Health), SHOAL_WITH(Frozen), SHOAL_WITHOUT(Selected)),
                "entity,Frozen\r\n0:0@,1\r\n");
    fixture_end(&f);
}

static void test_optional_columns(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 2), SHOAL_VALUE(Position, 1, 2, 3)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 3), SHOAL_VALUE(Preset, 1, 2)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 4), SHOAL_VALUE(Letter, 9)));
    check_query(f.world, SHOAL_TERMS(SHOAL_OPTIONAL(Position), SHOAL_READ(Health), SHOAL_OPTIONAL_WRITE(Preset)),
                "entity,Position.x,Position.y,Position.z,Health.value,Preset\r\n"
                "0:0@,,,,1,\r\n"
                "1:0@,1,2,3,2,\r\n"
                "2:0@,,,,3,0100000002000000\r\n"
                "3:0@,,,,4,\r\n");
    check_query(f.world, SHOAL_TERMS(SHOAL_ANY(3, Letter), SHOAL_ANY_WRITE(3, Preset)),
                "entity,Letter.value,Preset\r\n"
                "2:0@,,0100000002000000\r\n"
                "3:0@,9,\r\n");
    fixture_end(&f);
}

static void test_nested_arrays(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Path, .points = {{1, 2}, {3, 4}, {5, 0.1}}, .level = -128)));
    check_query(f.world, SHOAL_TERMS(SHOAL_READ(Path)),
                "entity,Path.points[0].x,Path.points[0].y,Path.points[1].x,Path.points[1].y,Path.points[2].x,"
                "Path.points[2].y,Path.level\r\n"
                "0:0@,1,2,3,4,5,0.1,-128\r\n");
    fixture_end(&f);
}

static void test_quoting(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Note, "plain text; 'ok'")));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Note, "a,b")));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Note, "\"q\" and \"")));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Note, "line\nbreak")));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Note, "return\r")));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Note, "")));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Note, " \t\xC3\xBC\x01 ")));
    check_query(f.world, SHOAL_TERMS(SHOAL_READ(Note)),
                "entity,Note.text\r\n"
                "0:0@,plain text; 'ok'\r\n"
                "1:0@,\"a,b\"\r\n"
                "2:0@,\"\"\"q\"\" and \"\"\"\r\n"
                "3:0@,\"line\nbreak\"\r\n"
                "4:0@,\"return\r\"\r\n"
                "5:0@,\r\n"
                "6:0@, \t\xC3\xBC\x01 \r\n");
    fixture_end(&f);
}

/* Names may have commas and quotes: the head is quoted like a value. */
static void test_quoting_in_the_head(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component tag = shoal_component_register(&(shoal_component_def){.name = "so \"called\""});
    shoal_component odd = shoal_component_register(
        &(shoal_component_def){.name = "Odd,one",
                               .size = 4,
                               .fields = (const shoal_field[]){{"a,b", SHOAL_FIELD_U8, 0, 1, 2, NULL, 0},
                                                               {"\"", SHOAL_FIELD_U8, 2, 1, 1, NULL, 0},
                                                               {"c", SHOAL_FIELD_U8, 3, 1, 1, NULL, 0}},
                               .field_count = 3});
    const shoal_value values[] = {{tag, NULL}, {odd, "\1\2\3"}};
    spawn_one(f.world, values, 2);
    check_archetype(
        f.world, (const shoal_component[]){odd, tag}, 2,
        "entity,\"Odd,one.a,b[0]\",\"Odd,one.a,b[1]\",\"Odd,one.\"\"\",\"Odd,one.c\",\"so \"\"called\"\"\"\r\n"
        "0:0@,1,2,3,0,1\r\n");
    fixture_end(&f);
}

/* ---- archetypes ---- */

static void test_archetype_is_exact(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 3), SHOAL_DEFAULT(Frozen), SHOAL_VALUE(Letter, 9)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 2), SHOAL_DEFAULT(Frozen)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 4), SHOAL_DEFAULT(Selected)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    spawn_one(f.world, NULL, 0);
    check_archetype(f.world, SHOAL_COMPONENTS(SHOAL_ID(Letter), SHOAL_ID(Frozen), SHOAL_ID(Health)),
                    "entity,Letter.value,Frozen,Health.value\r\n0:0@,9,1,3\r\n");
    check_archetype(f.world, SHOAL_COMPONENTS(SHOAL_ID(Frozen), SHOAL_ID(Health)),
                    "entity,Frozen,Health.value\r\n1:0@,1,2\r\n");
    check_archetype(f.world, SHOAL_COMPONENTS(SHOAL_ID(Health)), "entity,Health.value\r\n3:0@,1\r\n");
    check_archetype(f.world, NULL, 0, "entity\r\n4:0@\r\n");
    fixture_end(&f);
}

static void test_archetype_that_is_not_there(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    check_archetype(f.world, SHOAL_COMPONENTS(SHOAL_ID(Frozen), SHOAL_ID(Health), SHOAL_ID(Wide)),
                    "entity,Frozen,Health.value,Wide\r\n");
    check_archetype(f.world, SHOAL_COMPONENTS(SHOAL_ID(Letter)), "entity,Letter.value\r\n");
    fixture_end(&f);
}

static void check_refused(shoal_world *world, const shoal_component *components, size_t count, shoal_status status,
                          const char *part) {
    sink s = sink_make(SIZE_MAX);
    assert_status(shoal_csv_archetype(world, components, count, sink_write, &s), status);
    assert_last_error(world, status);
    assert_message_has(world, "shoal_csv_archetype");
    assert_message_has(world, part);
    assert_count(s.call_count, 0);
    assert_null(shoal_world_lock_holder(world));
}

static void test_refusals(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component health = SHOAL_ID(Health), unknown = {UINT32_MAX}, none = {0};
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1), SHOAL_VALUE(Letter, 1)));
    check_refused(f.world, SHOAL_COMPONENTS(health, health), SHOAL_COMPONENT_DUPLICATE, "Health");
    check_refused(f.world, SHOAL_COMPONENTS(health, unknown), SHOAL_COMPONENT_INVALID, "4294967295");
    check_refused(f.world, SHOAL_COMPONENTS(none), SHOAL_COMPONENT_INVALID, "shoal_csv_archetype");
    check_refused(f.world, NULL, 1, SHOAL_INVALID_ARGUMENT, "");
    assert_status(shoal_csv_archetype(f.world, &health, 1, NULL, NULL), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_csv_archetype(NULL, &health, 1, sink_write, NULL), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_csv_query(NULL, sink_write, NULL), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_csv_query(f.everything, NULL, NULL), SHOAL_INVALID_ARGUMENT);
    assert_last_error(f.world, SHOAL_INVALID_ARGUMENT);
    assert_message_has(f.world, "shoal_csv_query");
    assert_null(shoal_world_lock_holder(f.world));
    fixture_end(&f);
}

/* ---- the lock, short writes, allocations ---- */

static void spawn_notes(shoal_world *world, size_t count) {
    for (size_t i = 0; i < count; i++) {
        Note note;
        snprintf(note.text, sizeof note.text, "\"%u\",", (unsigned)(i % 1000));
        spawn_one(world, SHOAL_VALUES({SHOAL_ID(Note), &note}));
    }
}

static void test_world_is_locked_meanwhile(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_notes(f.world, 300);
    shoal_query *query = make_rows(f.world, SHOAL_TERMS(SHOAL_READ(Note)));
    sink s = sink_make(SIZE_MAX);
    s.world = f.world;
    assert_ok(shoal_csv_query(query, sink_write, &s));
    assert_true(s.call_count > 1);
    assert_count(s.refused_count, s.call_count);
    assert_string_equal(s.holder, "the rows");
    sink_free(&s);
    s = sink_make(SIZE_MAX);
    s.world = f.world;
    assert_ok(shoal_csv_archetype(f.world, SHOAL_COMPONENTS(SHOAL_ID(Note)), sink_write, &s));
    assert_count(s.refused_count, s.call_count);
    assert_string_equal(s.holder, "shoal_csv_archetype");
    sink_free(&s);
    assert_null(shoal_world_lock_holder(f.world));
    assert_count(shoal_world_entity_count(f.world), 300);
    fixture_end(&f);
}

/* A view that was open before is the holder again afterwards. */
static void test_inside_of_a_view(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_notes(f.world, 2);
    shoal_query *query = make_rows(f.world, SHOAL_TERMS(SHOAL_READ(Note)));
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_csv_query(query, sink_write, &s));
    check_tagged(f.world, &s, "entity,Note.text\r\n0:0@,\"\"\"0\"\",\"\r\n1:0@,\"\"\"1\"\",\"\r\n", __FILE__, __LINE__);
    assert_string_equal(shoal_world_lock_holder(f.world), "everything");
    s = sink_make(5);
    assert_status(shoal_csv_query(query, sink_write, &s), SHOAL_WRITE_FAILED);
    sink_free(&s);
    assert_string_equal(shoal_world_lock_holder(f.world), "everything");
    shoal_view_end(&view);
    assert_null(shoal_world_lock_holder(f.world));
    fixture_end(&f);
}

static shoal_status emit_archetype(void *context, shoal_write_fn write, void *user) {
    return shoal_csv_archetype(context, SHOAL_COMPONENTS(SHOAL_ID(Note)), write, user);
}

static void test_short_writes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_notes(f.world, 300);
    shoal_query *query = make_rows(f.world, SHOAL_TERMS(SHOAL_READ(Note), SHOAL_OPTIONAL(Position)));
    check_short_writes(f.world, emit_query, query, "shoal_csv_query");
    check_short_writes(f.world, emit_archetype, f.world, "shoal_csv_archetype");
    fixture_end(&f);
}

static shoal_status emit_story(void *context, shoal_write_fn write, void *user) {
    return shoal_csv_archetype(context, SHOAL_COMPONENTS(SHOAL_ID(Story)), write, user);
}

static void test_short_writes_in_a_long_text(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    Story story;
    memset(story.text, 'x', sizeof story.text);
    spawn_one(f.world, SHOAL_VALUES({SHOAL_ID(Story), &story}));
    check_short_writes(f.world, emit_story, f.world, "shoal_csv_archetype");
    fixture_end(&f);
}

/* Also where the text just fills the buffer, the writer gets no call without a byte. */
static void test_every_length(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    Story story = {{0}};
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES({SHOAL_ID(Story), &story}));
    size_t empty_size = 0;
    for (size_t length = 0; length < sizeof story.text; length++) {
        sink s = sink_make(SIZE_MAX);
        assert_ok(emit_story(f.world, sink_write, &s));
        empty_size = length == 0 ? s.written.length : empty_size;
        assert_count(s.written.length, empty_size + length);
        assert_count(s.empty_call_count, 0);
        sink_free(&s);
        SHOAL_GET_MUT(f.world, entity, Story)->text[length] = 'x';
    }
    fixture_end(&f);
}

static void test_nothing_is_allocated(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_notes(f.world, 300);
    size_t allocation_count = f.fake.allocation_count;
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_csv_archetype(f.world, SHOAL_COMPONENTS(SHOAL_ID(Note)), sink_write, &s));
    assert_ok(shoal_csv_query(f.everything, sink_write, &s));
    assert_ok(shoal_print_entity(f.world, shoal_entity_make(f.world, 0, 0), sink_write, &s));
    assert_count(f.fake.allocation_count, allocation_count);
    sink_free(&s);
    fixture_end(&f);
}

/* ---- a hundred thousand rows, and back ---- */

#define ROW_COUNT 100000u

/* Where a strict reader of RFC 4180 is. */
typedef struct csv_reader {
    const char *place;
    const char *end;
} csv_reader;

/* Reads one field into `field` and what ends it: ',' or '\n' for CRLF. Fails the test where the text breaks a rule. */
static char read_field(csv_reader *reader, char *field, size_t size) {
    bool is_quoted = reader->place < reader->end && *reader->place == '"';
    size_t length = 0;
    reader->place += is_quoted;
    for (;; reader->place++) {
        assert_true(reader->place < reader->end && length + 1 < size);
        char c = *reader->place;
        if (is_quoted && c == '"') {
            if (reader->place + 1 == reader->end || reader->place[1] != '"') {
                reader->place++;
                break;
            }
            reader->place++;
        } else if (!is_quoted && (c == ',' || c == '\r')) {
            break;
        } else {
            assert_true(is_quoted || (c != '"' && c != '\n'));
        }
        field[length++] = c;
    }
    field[length] = '\0';
    assert_true(reader->place < reader->end);
    char ending = *reader->place++;
    if (ending == '\r') {
        assert_true(reader->place < reader->end && *reader->place++ == '\n');
        return '\n';
    }
    assert_int_equal(ending, ',');
    return ',';
}

static shoal_entity parse_entity(const char *text) {
    uint32_t index = 0, generation = 0, tag = 0;
    int length = 0;
    if (strcmp(text, "null") == 0) {
        return (shoal_entity){0};
    }
    if (sscanf(text, "placeholder %" SCNu32 "%n", &index, &length) == 1 && text[length] == '\0') {
        return (shoal_entity){index};
    }
    assert_int_equal(sscanf(text, "%" SCNu32 ":%" SCNu32 "@%" SCNu32 "%n", &index, &generation, &tag, &length), 3);
    assert_int_equal(text[length], '\0');
    return (shoal_entity){UINT64_C(1) << 63 | (uint64_t)tag << 48 | (uint64_t)generation << 32 | index};
}

/* Characters that quoting is about, and a few that it is not. */
static void random_text(rng *random, char *text, size_t size) {
    static const char alphabet[] = ",,\"\"\r\n \t;'ab\xC3\xA9";
    size_t length = rng_below(random, (uint32_t)size + 1);
    for (size_t i = 0; i < size; i++) {
        text[i] = i < length ? alphabet[rng_below(random, sizeof alphabet - 1)] : '\0';
    }
}

/* Any bits: also subnormal numbers, infinities and what is no number. */
static Sample random_sample(rng *random, uint32_t number) {
    Sample sample;
    memset(&sample, 0, sizeof sample);
    uint64_t bits64 = rng_next(random) & (rng_chance(random, 10) ? UINT64_C(0x800FFFFFFFFFFFFF) : UINT64_MAX);
    uint32_t bits32 = (uint32_t)rng_next(random) & (rng_chance(random, 10) ? 0x807FFFFFu : UINT32_MAX);
    sample.number = number;
    memcpy(&sample.f32, &bits32, sizeof bits32);
    memcpy(&sample.f64, &bits64, sizeof bits64);
    sample.i64 = (int64_t)(rng_next(random) >> rng_below(random, 64)) * (rng_chance(random, 50) ? 1 : -1);
    sample.u64 = rng_next(random) >> rng_below(random, 64);
    sample.target.bits = rng_next(random) | UINT64_C(1) << 63;
    if (rng_chance(random, 20)) {
        sample.target.bits = rng_below(random, 100); /* null or a placeholder */
    }
    sample.flag = rng_chance(random, 50);
    random_text(random, sample.text, sizeof sample.text);
    return sample;
}

static float parse_f32(const char *text) {
    char *end;
    float value = strtof(text, &end);
    assert_true(end != text && *end == '\0');
    return value;
}

static double parse_f64(const char *text) {
    char *end;
    double value = strtod(text, &end);
    assert_true(end != text && *end == '\0');
    return value;
}

/* Fields 1 to 8 of a row as a sample. Numbers that are none come back as one and the same. */
static Sample parse_sample(char fields[][64]) {
    Sample sample;
    memset(&sample, 0, sizeof sample);
    sample.number = (uint32_t)strtoul(fields[1], NULL, 10);
    sample.f32 = parse_f32(fields[2]);
    sample.f64 = parse_f64(fields[3]);
    sample.i64 = strtoll(fields[4], NULL, 10);
    sample.u64 = strtoull(fields[5], NULL, 10);
    sample.target = parse_entity(fields[6]);
    sample.flag = strcmp(fields[7], "true") == 0;
    assert_true(sample.flag || strcmp(fields[7], "false") == 0);
    size_t length = strlen(fields[8]);
    assert_true(length <= sizeof sample.text);
    memcpy(sample.text, fields[8], length);
    return sample;
}

static void check_same(Sample actual, Sample expected) {
    if (isnan(expected.f32)) {
        assert_true(isnan(actual.f32));
        actual.f32 = expected.f32;
    }
    if (isnan(expected.f64)) {
        assert_true(isnan(actual.f64));
        actual.f64 = expected.f64;
    }
    assert_memory_equal(&actual, &expected, sizeof expected);
}

/* Rows lie in four archetypes; the expected order is that of a view. */
static void spawn_samples(shoal_world *world, rng *random) {
    for (uint32_t i = 0; i < ROW_COUNT; i++) {
        const Sample sample = random_sample(random, i);
        const shoal_value values[] = {
            {SHOAL_ID(Sample), &sample}, SHOAL_DEFAULT(Frozen), SHOAL_VALUE(Health, (int32_t)i)};
        const shoal_value others[] = {values[0], values[2]};
        uint32_t choice = rng_below(random, 4);
        spawn_one(world, choice == 3 ? others : values, choice == 3 ? 2 : choice + 1);
    }
}

static void check_row(shoal_world *world, char fields[][64], shoal_entity entity, const Sample *sample) {
    assert_entity(parse_entity(fields[0]), entity);
    check_same(parse_sample(fields), *sample);
    const Health *health = SHOAL_GET(world, entity, Health);
    if (health != NULL) {
        assert_int_equal(strtol(fields[9], NULL, 10), health->value);
        assert_true(fields[9][0] != '\0');
    } else {
        assert_string_equal(fields[9], "");
    }
    assert_string_equal(fields[10], SHOAL_HAS(world, entity, Frozen) ? "1" : "0");
}

static void read_line(csv_reader *reader, char fields[][64], size_t field_count) {
    for (size_t i = 0; i < field_count; i++) {
        assert_int_equal(read_field(reader, fields[i], 64), i + 1 < field_count ? ',' : '\n');
    }
}

static void test_rows_read_back(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rng random = {43};
    spawn_samples(f.world, &random);
    /* The group is met by the sample alone, so that rows without the tag are there too. */
    shoal_query *query =
        make_rows(f.world, SHOAL_TERMS(SHOAL_ANY(1, Sample), SHOAL_OPTIONAL(Health), SHOAL_ANY(1, Frozen)));
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_csv_query(query, sink_write, &s));
    assert_at_most(s.call_count, s.written.length / 1024 + 1);
    csv_reader reader = {.place = s.written.text, .end = s.written.text + s.written.length};
    char fields[11][64];
    read_line(&reader, fields, 11);
    assert_string_equal(fields[8], "Sample.text");
    assert_string_equal(fields[10], "Frozen");
    size_t row_count = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        const Sample *samples = SHOAL_COLUMN(&view, Sample);
        for (size_t i = 0; i < view.count; i++, row_count++) {
            test_set_context("row %zu", row_count);
            read_line(&reader, fields, 11);
            check_row(f.world, fields, view.entities[i], &samples[i]);
        }
    }
    test_set_context("%s", "");
    assert_true(reader.place == reader.end);
    assert_count(row_count, ROW_COUNT);
    assert_count(shoal_query_archetype_count(query), 4);
    sink_free(&s);
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_follow_the_terms),
        cmocka_unit_test(test_without_terms),
        cmocka_unit_test(test_presence),
        cmocka_unit_test(test_optional_columns),
        cmocka_unit_test(test_nested_arrays),
        cmocka_unit_test(test_quoting),
        cmocka_unit_test(test_quoting_in_the_head),
        cmocka_unit_test(test_archetype_is_exact),
        cmocka_unit_test(test_archetype_that_is_not_there),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_world_is_locked_meanwhile),
        cmocka_unit_test(test_inside_of_a_view),
        cmocka_unit_test(test_short_writes),
        cmocka_unit_test(test_short_writes_in_a_long_text),
        cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_nothing_is_allocated),
        cmocka_unit_test(test_rows_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
