/*
 * One component definition at a time: what the macros and the registry make of it, and what is refused, with which
 * words. test_component_registry.c has what concerns several definitions.
 *
 * Types stay for the life of the process, so each test uses names of its own.
 */
#include "test_component.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/component.h"

/* ---- the types ---- */

typedef struct Inner {
    float x, y;
    shoal_entity owner;
} Inner;

typedef struct Everything {
    bool flag;
    char letter;
    signed char i8;
    unsigned char u8;
    short i16;
    unsigned short u16;
    int i32;
    unsigned int u32;
    long i_long;
    unsigned long u_long;
    long long i64;
    unsigned long long u64;
    float f32;
    double f64;
    shoal_entity target;
    int16_t samples[5];
    shoal_entity friends[3];
    char title[12];
    Inner inner;
    Inner parts[2];
} Everything;

#define INNER_FIELDS SHOAL_FIELD(Inner, x), SHOAL_FIELD(Inner, y), SHOAL_FIELD(Inner, owner)

SHOAL_COMPONENT(
    Everything, .version = 3, .serialize = true, .sync = true,
    .fields = SHOAL_FIELDS(SHOAL_FIELD(Everything, flag), SHOAL_FIELD(Everything, letter), SHOAL_FIELD(Everything, i8),
                           SHOAL_FIELD(Everything, u8), SHOAL_FIELD(Everything, i16), SHOAL_FIELD(Everything, u16),
                           SHOAL_FIELD(Everything, i32), SHOAL_FIELD(Everything, u32), SHOAL_FIELD(Everything, i_long),
                           SHOAL_FIELD(Everything, u_long), SHOAL_FIELD(Everything, i64), SHOAL_FIELD(Everything, u64),
                           SHOAL_FIELD(Everything, f32), SHOAL_FIELD(Everything, f64), SHOAL_FIELD(Everything, target),
                           SHOAL_FIELD_ARRAY(Everything, samples), SHOAL_FIELD_ARRAY(Everything, friends),
                           SHOAL_FIELD_CHARS(Everything, title), SHOAL_FIELD_NESTED(Everything, inner, INNER_FIELDS),
                           SHOAL_FIELD_NESTED_ARRAY(Everything, parts, INNER_FIELDS)))

typedef struct Plain {
    int value;
} Plain;

SHOAL_COMPONENT(Plain)
SHOAL_TAG(Marked)

static bool hook_ctor(void *values, size_t count, void *user) {
    (void)values, (void)count, (void)user;
    return true;
}

static bool hook_copy(void *values, const void *source, size_t count, void *user) {
    (void)values, (void)source, (void)count, (void)user;
    return true;
}

static void hook_move(void *values, void *source, size_t count, void *user) {
    (void)values, (void)source, (void)count, (void)user;
}

static void hook_dtor(void *values, size_t count, void *user) {
    (void)values, (void)count, (void)user;
}

static bool hook_validate(const void *value, void *user) {
    (void)value, (void)user;
    return true;
}

/* ---- what is registered ---- */

static void test_type_of_a_struct(void **state) {
    (void)state;
    shoal_component component = SHOAL_ID(Plain);
    assert_true(component.id >= 1 && component.id <= shoal_component_count());
    assert_count(SHOAL_ID(Plain).id, component.id);
    const shoal_component_def *info = shoal_component_info(component);
    assert_string_equal(info->name, "Plain");
    assert_count(info->size, sizeof(Plain));
    assert_count(info->alignment, _Alignof(Plain));
    assert_count(info->version, 0);
    assert_null(info->fields);
    assert_count(info->field_count, 0);
    assert_false(component_type_find(component.id)->hooked);
    assert_false(component_type_find(component.id)->has_entities);
}

static void test_tag(void **state) {
    (void)state;
    shoal_component tag = SHOAL_ID(Marked);
    assert_int_not_equal(tag.id, 0);
    assert_int_not_equal(tag.id, SHOAL_ID(Plain).id);
    const shoal_component_def *info = shoal_component_info(tag);
    assert_string_equal(info->name, "Marked");
    assert_count(info->size, 0);
    assert_count(info->alignment, 1);
}

typedef struct expected_field {
    const char *name;
    shoal_field_kind kind;
    size_t offset, size, count, field_count;
} expected_field;

#define EXPECTED(member, kind, type, count, nested)                                                                    \
    { #member, kind, offsetof(Everything, member), sizeof(type), count, nested }

static const expected_field everything_fields[] = {
    EXPECTED(flag, SHOAL_FIELD_BOOL, bool, 1, 0),
    EXPECTED(letter, SHOAL_FIELD_I8, char, 1, 0),
    EXPECTED(i8, SHOAL_FIELD_I8, int8_t, 1, 0),
    EXPECTED(u8, SHOAL_FIELD_U8, uint8_t, 1, 0),
    EXPECTED(i16, SHOAL_FIELD_I16, int16_t, 1, 0),
    EXPECTED(u16, SHOAL_FIELD_U16, uint16_t, 1, 0),
    EXPECTED(i32, SHOAL_FIELD_I32, int32_t, 1, 0),
    EXPECTED(u32, SHOAL_FIELD_U32, uint32_t, 1, 0),
    EXPECTED(i_long, sizeof(long) == 4 ? SHOAL_FIELD_I32 : SHOAL_FIELD_I64, long, 1, 0),
    EXPECTED(u_long, sizeof(long) == 4 ? SHOAL_FIELD_U32 : SHOAL_FIELD_U64, long, 1, 0),
    EXPECTED(i64, SHOAL_FIELD_I64, int64_t, 1, 0),
    EXPECTED(u64, SHOAL_FIELD_U64, uint64_t, 1, 0),
    EXPECTED(f32, SHOAL_FIELD_F32, float, 1, 0),
    EXPECTED(f64, SHOAL_FIELD_F64, double, 1, 0),
    EXPECTED(target, SHOAL_FIELD_ENTITY, shoal_entity, 1, 0),
    EXPECTED(samples, SHOAL_FIELD_I16, int16_t, 5, 0),
    EXPECTED(friends, SHOAL_FIELD_ENTITY, shoal_entity, 3, 0),
    EXPECTED(title, SHOAL_FIELD_TEXT, char[12], 1, 0),
    EXPECTED(inner, SHOAL_FIELD_STRUCT, Inner, 1, 3),
    EXPECTED(parts, SHOAL_FIELD_STRUCT, Inner, 2, 3),
};

static void test_every_field_macro(void **state) {
    (void)state;
    const shoal_component_def *info = shoal_component_info(SHOAL_ID(Everything));
    assert_non_null(info);
    assert_count(info->version, 3);
    assert_true(info->serialize && info->sync);
    assert_count(info->field_count, sizeof everything_fields / sizeof everything_fields[0]);
    for (size_t i = 0; i < info->field_count; i++) {
        const expected_field *expected = &everything_fields[i];
        const shoal_field *field = &info->fields[i];
        test_set_context("field %s", expected->name);
        assert_string_equal(field->name, expected->name);
        assert_count(field->kind, expected->kind);
        assert_count(field->offset, expected->offset);
        assert_count(field->size, expected->size);
        assert_count(field->count, expected->count);
        assert_count(field->field_count, expected->field_count);
    }
    test_set_context("");
    const shoal_field *nested = info->fields[19].fields;
    assert_string_equal(nested[2].name, "owner");
    assert_count(nested[2].kind, SHOAL_FIELD_ENTITY);
    assert_count(nested[2].offset, offsetof(Inner, owner));
    assert_true(component_type_find(SHOAL_ID(Everything).id)->has_entities);
}

/* The caller's definition is overwritten before the registry's is read. */
static void test_registry_owns_copies(void **state) {
    (void)state;
    char text[24];
    shoal_field fields[2];
    shoal_field inner[1];
    unsigned char value[12];
    memcpy(text, "Owned\0first\0second\0deep", sizeof text);
    inner[0] = (shoal_field){.name = text + 19, .kind = SHOAL_FIELD_U8, .offset = 2, .size = 1};
    fields[0] = (shoal_field){.name = text + 6, .kind = SHOAL_FIELD_U32, .size = 4};
    fields[1] = (shoal_field){.name = text + 12,
                              .kind = SHOAL_FIELD_STRUCT,
                              .offset = 4,
                              .size = 4,
                              .count = 2,
                              .fields = inner,
                              .field_count = 1};
    memset(value, 0x5A, sizeof value);
    shoal_component component = must_register(&(shoal_component_def){
        .name = text, .size = 12, .alignment = 4, .default_value = value, .fields = fields, .field_count = 2});
    memset(text, 'x', sizeof text);
    memset(fields, 0xDD, sizeof fields);
    memset(inner, 0xDD, sizeof inner);
    memset(value, 0xDD, sizeof value);
    const shoal_component_def *info = shoal_component_info(component);
    assert_string_equal(info->name, "Owned");
    assert_string_equal(info->fields[0].name, "first");
    assert_count(info->fields[0].count, 1);
    assert_string_equal(info->fields[1].name, "second");
    assert_count(info->fields[1].count, 2);
    assert_string_equal(info->fields[1].fields[0].name, "deep");
    assert_count(info->fields[1].fields[0].offset, 2);
    for (size_t i = 0; i < 12; i++) {
        assert_count(((const unsigned char *)info->default_value)[i], 0x5A);
    }
}

static void test_default_value_is_aligned(void **state) {
    (void)state;
    static _Alignas(4096) unsigned char value[8192];
    for (size_t i = 0; i < sizeof value; i++) {
        value[i] = (unsigned char)(i * 7);
    }
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        char name[32];
        snprintf(name, sizeof name, "DefaultOf%zu", alignment);
        const shoal_field field = {.name = "first", .kind = SHOAL_FIELD_U8, .size = 1};
        shoal_component component = must_register(&(shoal_component_def){.name = name,
                                                                         .size = alignment * 2,
                                                                         .alignment = alignment,
                                                                         .default_value = value,
                                                                         .fields = &field,
                                                                         .field_count = 1});
        const shoal_component_def *info = shoal_component_info(component);
        assert_count((uintptr_t)info->default_value % alignment, 0);
        assert_memory_equal(info->default_value, value, alignment * 2);
        assert_string_equal(info->fields[0].name, "first");
    }
}

static void test_find_and_hash(void **state) {
    (void)state;
    assert_count(shoal_component_find("Plain").id, SHOAL_ID(Plain).id);
    assert_count(shoal_component_find("Plai").id, 0);
    assert_last_error(NULL, SHOAL_COMPONENT_INVALID);
    assert_message_has(NULL, "Plai");
    assert_count(shoal_component_find("two\nlines").id, 0);
    assert_last_error(NULL, SHOAL_COMPONENT_INVALID);
    assert_count(shoal_component_find(NULL).id, 0);
    assert_last_error(NULL, SHOAL_INVALID_ARGUMENT);
    /* Two of the test vectors that the authors of FNV publish. */
    assert_count(shoal_component_hash(must_register(&(shoal_component_def){.name = "a"})),
                 UINT64_C(0xaf63dc4c8601ec8c));
    assert_count(shoal_component_hash(must_register(&(shoal_component_def){.name = "foobar"})),
                 UINT64_C(0x85944171f73967e8));
}

/* Asking for an id that names nothing is no failure: the last error stays as it was. */
static void test_invalid_ids(void **state) {
    (void)state;
    must_refuse(&(shoal_component_def){.name = "Uneven", .size = 3, .alignment = 2}, SHOAL_COMPONENT_SIZE, "Uneven");
    const uint32_t ids[] = {0, shoal_component_count() + 1, 65535, 65536, UINT32_MAX};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        test_set_context("id %u", (unsigned)ids[i]);
        assert_null(shoal_component_info((shoal_component){ids[i]}));
        assert_count(shoal_component_hash((shoal_component){ids[i]}), 0);
        assert_last_error(NULL, SHOAL_COMPONENT_SIZE);
        assert_message_has(NULL, "Uneven");
    }
    test_set_context("");
}

static void test_failed_slot_stays_null(void **state) {
    (void)state;
    shoal_component_slot slot = {.def = {.name = "BadSlot", .size = 6, .alignment = 4}};
    assert_count(shoal_component_of(&slot).id, 0);
    assert_last_error(NULL, SHOAL_COMPONENT_SIZE);
    assert_count(slot.id, 0);
    slot.def.size = 8;
    shoal_component component = shoal_component_of(&slot);
    assert_int_not_equal(component.id, 0);
    assert_count(slot.id, component.id);
    assert_count(shoal_component_resolve(NULL).id, 0);
    assert_last_error(NULL, SHOAL_INVALID_ARGUMENT);
}

/* ---- refusals ---- */

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *name, *part;
    } bad[] = {
        {NULL, "null"},
        {"", "empty"},
        {"line\nbreak", "control character (byte 4)"},
        {"\x01", "control character (byte 0)"},
        {"delete\x7F", "control character (byte 6)"},
        {"next line\xC2\x85", "control character (byte 9)"},
        {"cut\xC3", "UTF-8 (byte 3)"},
        {"cut\xE4\xBD", "UTF-8 (byte 3)"},
        {"stray\x80", "UTF-8 (byte 5)"},
        {"overlong\xC0\xAF", "UTF-8 (byte 8)"},
        {"overlong\xE0\x80\xAF", "UTF-8 (byte 8)"},
        {"surrogate\xED\xA0\x80", "UTF-8 (byte 9)"},
        {"too high\xF4\x90\x80\x80", "UTF-8 (byte 8)"},
        {"\xFF", "UTF-8 (byte 0)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        test_set_context("name %zu", i);
        must_refuse(&(shoal_component_def){.name = bad[i].name}, SHOAL_COMPONENT_NAME, bad[i].part);
    }
    static const char *const good[] = {"x", "a b", "gr\xC3\xB6n", "\xE4\xBD\x8D\xE7\xBD\xAE", "\xF0\x9D\x9B\xBC"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        test_set_context("name %s", good[i]);
        assert_string_equal(shoal_component_info(must_register(&(shoal_component_def){.name = good[i]}))->name,
                            good[i]);
    }
    test_set_context("");
}

static void test_name_length(void **state) {
    (void)state;
    char name[300];
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    uint32_t id = must_register(&(shoal_component_def){.name = name}).id;
    assert_count(shoal_component_find(name).id, id);
    must_refuse(&(shoal_component_def){.name = name, .size = 1}, SHOAL_COMPONENT_CONFLICT,
                "this definition has size 1");
    name[255] = 'n';
    name[256] = '\0';
    must_refuse(&(shoal_component_def){.name = name}, SHOAL_COMPONENT_NAME, "longer than 255 bytes");
    memcpy(name + 254, "\xC3\xB6", 3); /* the last character straddles the limit */
    must_refuse(&(shoal_component_def){.name = name}, SHOAL_COMPONENT_NAME, "longer than 255 bytes");
}

static void test_sizes_and_alignments(void **state) {
    (void)state;
    const size_t largest = shoal_limits_get().component_bytes;
    assert_count(largest, (size_t)1 << 30);
    must_register(&(shoal_component_def){.name = "Largest", .size = largest, .alignment = 4096});
    must_refuse(&(shoal_component_def){.name = "TooLarge", .size = largest + 1}, SHOAL_COMPONENT_SIZE, "TooLarge");
    must_refuse(&(shoal_component_def){.name = "TooLarge", .size = SIZE_MAX}, SHOAL_COMPONENT_SIZE, "1073741824");
    must_refuse(&(shoal_component_def){.name = "Ragged", .size = 6, .alignment = 4}, SHOAL_COMPONENT_SIZE,
                "Ragged has size 6, no multiple of its alignment 4");
    const size_t bad[] = {3, 6, 8192, 4097, SIZE_MAX, SIZE_MAX / 2 + 1};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        test_set_context("alignment %zu", bad[i]);
        must_refuse(&(shoal_component_def){.name = "Askew", .size = 8192, .alignment = bad[i]},
                    SHOAL_COMPONENT_ALIGNMENT, "Askew has alignment");
    }
    test_set_context("");
    must_register(&(shoal_component_def){.name = "Bytes", .size = 7});
}

static void test_null_definition(void **state) {
    (void)state;
    must_refuse(NULL, SHOAL_INVALID_ARGUMENT, "shoal_component_register");
}

/* Each of the 16 sets of hooks is consistent, or is refused. */
static void test_hook_subsets(void **state) {
    (void)state;
    for (unsigned set = 0; set < 16; set++) {
        char name[32];
        snprintf(name, sizeof name, "Hooks%u", set);
        test_set_context("%s", name);
        shoal_component_def def = {.name = name,
                                   .size = 8,
                                   .ctor = set & 1 ? hook_ctor : NULL,
                                   .copy = set & 2 ? hook_copy : NULL,
                                   .move = set & 4 ? hook_move : NULL,
                                   .dtor = set & 8 ? hook_dtor : NULL,
                                   .validate = hook_validate,
                                   .user = name};
        if (set == 0 || (set & 10) == 10) {
            const component_type *type = component_type_find(must_register(&def).id);
            assert_true(type->hooked == (set != 0));
            assert_true(type->def.ctor == def.ctor && type->def.copy == def.copy && type->def.move == def.move &&
                        type->def.dtor == def.dtor && type->def.validate == def.validate && type->def.user == def.user);
        } else {
            must_refuse(&def, SHOAL_COMPONENT_HOOKS, set & 2 ? "lacks dtor" : set & 8 ? "lacks copy" : "copy and dtor");
            assert_message_has(NULL, name);
        }
        def.size = 0;
        def.name = "HookedTag";
        must_refuse(&def, SHOAL_COMPONENT_HOOKS, "HookedTag is a tag");
    }
    test_set_context("");
}

static void test_default_values(void **state) {
    (void)state;
    const int value = 3;
    must_refuse(&(shoal_component_def){.name = "DefaultTag", .default_value = &value}, SHOAL_INVALID_ARGUMENT,
                "DefaultTag has a default value but is a tag");
    must_refuse(&(shoal_component_def){.name = "DefaultAndCtor",
                                       .size = sizeof value,
                                       .default_value = &value,
                                       .ctor = hook_ctor,
                                       .copy = hook_copy,
                                       .dtor = hook_dtor},
                SHOAL_INVALID_ARGUMENT, "DefaultAndCtor has a default value beside a ctor hook");
}

#define FIELD_OF(name_, kind_, offset_, size_, count_)                                                                 \
    { .name = (name_), .kind = (kind_), .offset = (offset_), .size = (size_), .count = (count_) }

/* Every row is refused in a type Pose of 16 bytes. */
static void test_bad_fields(void **state) {
    (void)state;
    static const struct {
        shoal_field fields[2];
        const char *part;
    } rows[] = {
        {{FIELD_OF(NULL, SHOAL_FIELD_U8, 0, 1, 1)}, "Pose.(field 0) has a bad name: it is null"},
        {{FIELD_OF("ok", SHOAL_FIELD_U8, 0, 1, 1), FIELD_OF("", SHOAL_FIELD_U8, 1, 1, 1)},
         "Pose.(field 1) has a bad name"},
        {{FIELD_OF("a\tb", SHOAL_FIELD_U8, 0, 1, 1)}, "control character (byte 1)"},
        {{FIELD_OF("x", SHOAL_FIELD_NONE, 0, 1, 1)}, "Pose.x has no known kind (0)"},
        {{FIELD_OF("x", (shoal_field_kind)15, 0, 1, 1)}, "Pose.x has no known kind (15)"},
        {{FIELD_OF("x", SHOAL_FIELD_BOOL, 0, 4, 1)}, "Pose.x has size 4 where its kind takes 1"},
        {{FIELD_OF("x", SHOAL_FIELD_I8, 0, 2, 1)}, "kind takes 1"},
        {{FIELD_OF("x", SHOAL_FIELD_U8, 0, 0, 1)}, "kind takes 1"},
        {{FIELD_OF("x", SHOAL_FIELD_I16, 0, 4, 1)}, "kind takes 2"},
        {{FIELD_OF("x", SHOAL_FIELD_U16, 0, 1, 1)}, "kind takes 2"},
        {{FIELD_OF("x", SHOAL_FIELD_I32, 0, 8, 1)}, "kind takes 4"},
        {{FIELD_OF("x", SHOAL_FIELD_U32, 0, 2, 1)}, "kind takes 4"},
        {{FIELD_OF("x", SHOAL_FIELD_F32, 0, 8, 1)}, "kind takes 4"},
        {{FIELD_OF("x", SHOAL_FIELD_I64, 0, 4, 1)}, "kind takes 8"},
        {{FIELD_OF("x", SHOAL_FIELD_U64, 0, 4, 1)}, "kind takes 8"},
        {{FIELD_OF("x", SHOAL_FIELD_F64, 0, 4, 1)}, "kind takes 8"},
        {{FIELD_OF("x", SHOAL_FIELD_ENTITY, 0, 4, 1)}, "kind takes 8"},
        {{FIELD_OF("x", SHOAL_FIELD_TEXT, 0, 0, 1)}, "Pose.x has size 0"},
        {{FIELD_OF("x", SHOAL_FIELD_STRUCT, 0, 0, 1)}, "Pose.x has size 0"},
        {{FIELD_OF("x", SHOAL_FIELD_F64, 9, 8, 1)}, "Pose.x lies outside of the struct's 16 bytes: 1 of 8 at 9"},
        {{FIELD_OF("x", SHOAL_FIELD_U8, 16, 1, 1)}, "outside"},
        {{FIELD_OF("x", SHOAL_FIELD_U8, SIZE_MAX, 1, 1)}, "outside"},
        {{FIELD_OF("x", SHOAL_FIELD_U8, 0, 1, 17)}, "outside"},
        {{FIELD_OF("x", SHOAL_FIELD_U64, 0, 8, SIZE_MAX / 8 + 2)}, "outside"},
        {{FIELD_OF("x", SHOAL_FIELD_TEXT, 8, SIZE_MAX - 4, 1)}, "outside"},
        {{FIELD_OF("x", SHOAL_FIELD_U32, 0, 4, 1), FIELD_OF("x", SHOAL_FIELD_U32, 4, 4, 1)}, "Pose.x occurs twice"},
        {{FIELD_OF("x", SHOAL_FIELD_U32, 0, 4, 1), FIELD_OF("y", SHOAL_FIELD_U32, 3, 4, 1)}, "Pose.y overlaps x"},
        {{FIELD_OF("x", SHOAL_FIELD_U32, 4, 4, 1), FIELD_OF("y", SHOAL_FIELD_U16, 0, 2, 3)}, "Pose.x overlaps y"},
        {{FIELD_OF("x", SHOAL_FIELD_U32, 0, 4, 1), FIELD_OF("y", SHOAL_FIELD_F32, 0, 4, 1)}, "Pose.y overlaps x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_set_context("row %zu", i);
        size_t count = rows[i].fields[1].kind != SHOAL_FIELD_NONE ? 2 : 1;
        must_refuse(&(shoal_component_def){.name = "Pose", .size = 16, .fields = rows[i].fields, .field_count = count},
                    SHOAL_FIELD_INVALID, rows[i].part);
    }
    test_set_context("");
}

static void test_bad_field_tables(void **state) {
    (void)state;
    shoal_field field = FIELD_OF("x", SHOAL_FIELD_U8, 0, 1, 1);
    must_refuse(&(shoal_component_def){.name = "NoTable", .size = 4, .field_count = 2}, SHOAL_FIELD_INVALID,
                "NoTable has a null table of 2 fields");
    must_refuse(&(shoal_component_def){.name = "FieldTag", .fields = &field, .field_count = 1}, SHOAL_FIELD_INVALID,
                "FieldTag.x lies outside of the struct's 0 bytes");
    shoal_field outer = FIELD_OF("in", SHOAL_FIELD_STRUCT, 0, 4, 1);
    shoal_component_def def = {.name = "Outer", .size = 4, .fields = &outer, .field_count = 1};
    outer.field_count = 3;
    must_refuse(&def, SHOAL_FIELD_INVALID, "Outer.in has a null table of 3 nested fields");
    outer.fields = &field;
    outer.field_count = 1;
    field.offset = 4;
    must_refuse(&def, SHOAL_FIELD_INVALID, "Outer.in.x lies outside of the struct's 4 bytes");
    field.offset = 0;
    outer.kind = SHOAL_FIELD_TEXT;
    must_refuse(&def, SHOAL_FIELD_INVALID, "Outer.in has nested fields but is no struct");
}

/* Neither need be neighbours in the table. */
static void test_far_pairs_of_fields(void **state) {
    (void)state;
    static const shoal_field twice[] = {FIELD_OF("x", SHOAL_FIELD_U8, 0, 1, 1), FIELD_OF("y", SHOAL_FIELD_U8, 1, 1, 1),
                                        FIELD_OF("x", SHOAL_FIELD_U8, 2, 1, 1)};
    must_refuse(&(shoal_component_def){.name = "Twice", .size = 16, .fields = twice, .field_count = 3},
                SHOAL_FIELD_INVALID, "Twice.x occurs twice");
    static const shoal_field far[] = {FIELD_OF("x", SHOAL_FIELD_U32, 8, 4, 1), FIELD_OF("y", SHOAL_FIELD_U8, 0, 1, 1),
                                      FIELD_OF("z", SHOAL_FIELD_U8, 11, 1, 1)};
    must_refuse(&(shoal_component_def){.name = "Far", .size = 16, .fields = far, .field_count = 3}, SHOAL_FIELD_INVALID,
                "Far.z overlaps x");
}

/* Makes a type of `depth` structs, one in the other, with a number in the innermost. */
static shoal_component_def nested_def(const char *name, shoal_field *fields, size_t depth) {
    for (size_t i = 0; i < depth; i++) {
        fields[i] = (shoal_field){
            .name = "in", .kind = SHOAL_FIELD_STRUCT, .size = 8, .fields = &fields[i + 1], .field_count = 1};
    }
    fields[depth] = (shoal_field){.name = "leaf", .kind = SHOAL_FIELD_U64, .size = 8};
    return (shoal_component_def){.name = name, .size = 8, .alignment = 8, .fields = fields, .field_count = 1};
}

static void test_nesting_depth(void **state) {
    (void)state;
    shoal_field fields[18];
    shoal_component_def def = nested_def("Deep16", fields, 16);
    must_register(&def);
    def = nested_def("Deep17", fields, 17);
    must_refuse(&def, SHOAL_FIELD_INVALID, "nested deeper than 16 structs");
    shoal_field self = {.name = "self", .kind = SHOAL_FIELD_STRUCT, .size = 8, .fields = &self, .field_count = 1};
    must_refuse(&(shoal_component_def){.name = "Endless", .size = 8, .fields = &self, .field_count = 1},
                SHOAL_FIELD_INVALID, "Endless.self.self");
}

static void test_good_fields(void **state) {
    (void)state;
    /* out of order, with a gap, touching, ending with the type, an opaque struct, names in any language */
    static const shoal_field fields[] = {
        FIELD_OF("last", SHOAL_FIELD_U16, 14, 2, 0), FIELD_OF("\xE4\xBD\x8D", SHOAL_FIELD_U8, 0, 1, 4),
        FIELD_OF("opaque", SHOAL_FIELD_STRUCT, 4, 4, 1), FIELD_OF("text", SHOAL_FIELD_TEXT, 9, 1, 5)};
    must_register(&(shoal_component_def){.name = "Good", .size = 16, .fields = fields, .field_count = 4});
}

/* Many thousand fields, as a generator may make them, take no noticeable time. */
static void test_many_fields(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    shoal_field *fields = calloc(COUNT, sizeof *fields);
    char(*names)[8] = calloc(COUNT, sizeof *names);
    assert_true(fields != NULL && names != NULL);
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "f%zu", i);
        fields[i] = (shoal_field){.name = names[i], .kind = SHOAL_FIELD_U8, .offset = COUNT - 1 - i, .size = 1};
    }
    shoal_component_def def = {.name = "Many", .size = COUNT, .fields = fields, .field_count = COUNT};
    const shoal_component_def *info = shoal_component_info(must_register(&def));
    assert_string_equal(info->fields[COUNT - 1].name, "f49999");
    fields[7].offset = 4;
    def.name = "ManyOverlap";
    must_refuse(&def, SHOAL_FIELD_INVALID, "overlaps");
    free(names);
    free(fields);
}

/* ---- entity fields ---- */

typedef struct visit_log {
    const char *base;
    size_t count;
    size_t offsets[16];
} visit_log;

static void visit_add_one(void *user, shoal_entity *entity) {
    visit_log *log = user;
    if (log->count < 16) {
        log->offsets[log->count] = (size_t)((const char *)entity - log->base);
    }
    log->count++;
    entity->bits += 1;
}

static void test_visit_entities(void **state) {
    (void)state;
    Everything value;
    Everything before;
    memset(&value, 0x11, sizeof value);
    before = value;
    const size_t expected[] = {
        offsetof(Everything, target),         offsetof(Everything, friends[0]),  offsetof(Everything, friends[1]),
        offsetof(Everything, friends[2]),     offsetof(Everything, inner.owner), offsetof(Everything, parts[0].owner),
        offsetof(Everything, parts[1].owner),
    };
    visit_log log = {.base = (const char *)&value};
    component_visit_entities(component_type_find(SHOAL_ID(Everything).id), &value, visit_add_one, &log);
    assert_count(log.count, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_count(log.offsets[i], expected[i]);
        shoal_entity *entity = (shoal_entity *)(void *)((char *)&before + expected[i]);
        entity->bits += 1;
    }
    assert_memory_equal(&value, &before, sizeof value); /* all other bytes are untouched */
    log.count = 0;
    component_visit_entities(component_type_find(SHOAL_ID(Plain).id), &value, visit_add_one, &log);
    assert_count(log.count, 0);
}

static void test_visit_packed_entities(void **state) {
    (void)state;
    const shoal_field field = FIELD_OF("targets", SHOAL_FIELD_ENTITY, 1, 8, 2);
    shoal_component component =
        must_register(&(shoal_component_def){.name = "Packed", .size = 17, .fields = &field, .field_count = 1});
    _Alignas(8) unsigned char value[17] = {[0] = 9, [1] = 0xFF, [9] = 5};
    visit_log log = {.base = (const char *)value};
    component_visit_entities(component_type_find(component.id), value, visit_add_one, &log);
    assert_count(log.count, 2);
    shoal_entity targets[2];
    memcpy(targets, value + 1, sizeof targets);
    shoal_entity first = {0};
    memcpy(&first, (const unsigned char[8]){0xFF}, sizeof first);
    assert_count(targets[0].bits, first.bits + 1);
    memcpy(&first, (const unsigned char[8]){5}, sizeof first);
    assert_count(targets[1].bits, first.bits + 1);
    assert_count(value[0], 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_type_of_a_struct),
        cmocka_unit_test(test_tag),
        cmocka_unit_test(test_every_field_macro),
        cmocka_unit_test(test_registry_owns_copies),
        cmocka_unit_test(test_default_value_is_aligned),
        cmocka_unit_test(test_find_and_hash),
        cmocka_unit_test(test_invalid_ids),
        cmocka_unit_test(test_failed_slot_stays_null),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_name_length),
        cmocka_unit_test(test_sizes_and_alignments),
        cmocka_unit_test(test_null_definition),
        cmocka_unit_test(test_hook_subsets),
        cmocka_unit_test(test_default_values),
        cmocka_unit_test(test_bad_fields),
        cmocka_unit_test(test_bad_field_tables),
        cmocka_unit_test(test_far_pairs_of_fields),
        cmocka_unit_test(test_nesting_depth),
        cmocka_unit_test(test_good_fields),
        cmocka_unit_test(test_many_fields),
        cmocka_unit_test(test_visit_entities),
        cmocka_unit_test(test_visit_packed_entities),
    };
    return cmocka_run_group_tests_name("component", tests, NULL, NULL);
}
