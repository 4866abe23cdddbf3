/*
 * The grammar of queries as text; see query_text.h and, for the tokens, query_text_reader.h.
 *
 *     query       = [ term { "," term } ] { order | group }       (each at most once)
 *     term        = [ access ] subject | "any" [ "write" ] "(" subject { "|" subject } ")"
 *     access      = "read" | "write" | "with" | "without" | "optional" [ "write" ]
 *     subject     = [ "enabled" | "disabled" | "either" ] [ name "(" ( "up" | "down" ) ")" ] name [ restriction ]
 *     restriction = "(" ( "*" | entity | field "=" value { "," field "=" value } ) ")"
 *     entity      = index ":" generation [ "@" world tag ] | string                      (a path)
 *     order       = "order" "by" name "." field [ "desc" ]
 *     group       = "group" "by" name [ "desc" ]
 *     field       = name [ "[" index "]" ] { "." name [ "[" index "]" ] }
 *     value       = number | "true" | "false" | string | entity
 *     name        = word | string                              (a keyword names a component only as a string)
 *     string      = '"' { any byte but '"' and "\", or '\"', or "\\" } '"'
 *
 * Two tokens ahead tell "(up)" from a restriction. No function calls itself, so the depth of the stack does not depend
 * on the text. Thread rule: "world".
 */
#include "query_text.h"

#include <inttypes.h>
#include <shoal/relation.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../storage/component.h"
#include "query_text_reader.h"

/* A field inside of a component, as the text names it. */
typedef struct field_place {
    const shoal_field *field;
    size_t offset;
    bool in_array;
    size_t path_size;
    char path[QUERY_TEXT_FIELD_BYTES];
} field_place;

/* ---- component names ---- */

/* What may begin a term or a setting. */
static const char *keyword_at(const text_reader *reader) {
    static const char *const keywords[] = {"read",    "write",    "with",   "without", "optional", "any",
                                           "enabled", "disabled", "either", "order",   "group"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (reader_at_word(reader, keywords[i])) {
            return keywords[i];
        }
    }
    return NULL;
}

static bool read_component(text_reader *reader, shoal_component *component) {
    const char *keyword = keyword_at(reader);
    if (keyword != NULL) {
        return READER_FAIL(reader, "expected a component name (\"%s\" is a keyword, and a name only in quotes)",
                           keyword);
    }
    size_t place = reader->now.start;
    if (!reader_name(reader, "a component name")) {
        return false;
    }
    *component = shoal_component_find(reader->scratch);
    if (component->id == 0) {
        return reader_fail_with(reader, SHOAL_COMPONENT_INVALID, place, "no registered component type has this name");
    }
    return true;
}

/* ---- entities ---- */

static bool read_handle(text_reader *reader, shoal_entity *entity) {
    uint64_t index = 0;
    uint64_t generation = 0;
    uint64_t tag = reader->world->tag;
    if (!reader_whole(reader, (whole_range){.what = "an entity's index", .limit = UINT32_MAX}, &index) ||
        !reader_expect_mark(reader, ':', "\":\" and the entity's generation") ||
        !reader_whole(reader, (whole_range){.what = "an entity's generation", .limit = 0xFFFF}, &generation)) {
        return false;
    }
    if (reader_take_mark(reader, '@') &&
        !reader_whole(reader, (whole_range){.what = "a world tag", .limit = 0x7FFF}, &tag)) {
        return false;
    }
    entity->bits = UINT64_C(1) << 63 | tag << 48 | generation << 32 | index;
    return true;
}

static bool read_path(text_reader *reader, shoal_entity *entity) {
    size_t place = reader->now.start;
    if (!reader_string(reader)) {
        return false;
    }
    const char *missing = NULL;
    *entity = name_walk(&reader->world->names, (shoal_entity){0}, reader->scratch, &missing);
    if (shoal_entity_is_null(*entity)) {
        return reader_fail_with(reader, SHOAL_NOT_FOUND, place, "no entity has this path");
    }
    return true;
}

static bool read_entity(text_reader *reader, const char *expected, shoal_entity *entity) {
    if (reader->now.kind == TOKEN_STRING) {
        return read_path(reader, entity);
    }
    return reader->now.kind == TOKEN_NUMBER ? read_handle(reader, entity)
                                            : READER_FAIL(reader, "expected %s", expected);
}

/* ---- fields ---- */

static const shoal_field *table_find(const shoal_field *fields, size_t field_count, const char *name) {
    for (size_t i = 0; i < field_count; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

/* Appends to the path that messages and order_field show. */
PRINTF_LIKE(3, 4)
static bool path_append(text_reader *reader, field_place *place, const char *format, ...) {
    size_t room = sizeof place->path - place->path_size;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(place->path + place->path_size, room, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= room) {
        return READER_FAIL(reader, "a field path of more than %d bytes before this", QUERY_TEXT_FIELD_BYTES - 1);
    }
    place->path_size += (size_t)size;
    return true;
}

/* The index behind the name of an array. */
static bool read_element(text_reader *reader, field_place *place) {
    const shoal_field *field = place->field;
    uint64_t index = 0;
    if (field->count <= 1) {
        return true;
    }
    if (!reader_take_mark(reader, '[')) {
        return READER_FAIL(reader, "expected \"[\" and an index: %.60s is an array", place->path);
    }
    place->in_array = true;
    if (!reader_whole(reader, (whole_range){.what = "an index", .limit = field->count - 1}, &index)) {
        return false;
    }
    place->offset += (size_t)index * field->size;
    return reader_expect_mark(reader, ']', "\"]\"") && path_append(reader, place, "[%" PRIu64 "]", index);
}

static bool read_field(text_reader *reader, const shoal_component_def *def, field_place *place) {
    const shoal_field *fields = def->fields;
    size_t field_count = def->field_count;
    *place = (field_place){0};
    do {
        size_t start = reader->now.start;
        if (!reader_name(reader, "a field name")) {
            return false;
        }
        place->field = table_find(fields, field_count, reader->scratch);
        if (place->field == NULL) {
            return READER_FAIL_AT(reader, start, "%.60s has no such field",
                                  place->path_size != 0 ? place->path : def->name);
        }
        place->offset += place->field->offset;
        if (!path_append(reader, place, "%s%s", place->path_size != 0 ? "." : "", place->field->name) ||
            !read_element(reader, place)) {
            return false;
        }
        fields = place->field->fields;
        field_count = place->field->field_count;
    } while (reader_take_mark(reader, '.'));
    return true;
}

/* ---- values of shared components ---- */

static void store_whole(const shoal_field *field, uint64_t number, char *value) {
    uint8_t byte = (uint8_t)number;
    uint16_t half = (uint16_t)number;
    uint32_t word = (uint32_t)number;
    const void *source = field->size == 1   ? (const void *)&byte
                         : field->size == 2 ? (const void *)&half
                         : field->size == 4 ? (const void *)&word
                                            : (const void *)&number;
    memcpy(value, source, field->size);
}

static bool field_is_signed(const shoal_field *field) {
    return field->kind == SHOAL_FIELD_I8 || field->kind == SHOAL_FIELD_I16 || field->kind == SHOAL_FIELD_I32 ||
           field->kind == SHOAL_FIELD_I64;
}

static bool read_whole_value(text_reader *reader, const shoal_field *field, char *value) {
    uint64_t limit = UINT64_MAX >> (64 - 8 * field->size);
    whole_range range = {.what = "a whole number", .limit = limit};
    if (field_is_signed(field)) {
        range.limit = limit >> 1;
        range.below = range.limit + 1;
    }
    uint64_t number = 0;
    if (!reader_whole(reader, range, &number)) {
        return false;
    }
    store_whole(field, number, value);
    return true;
}

static bool read_real_value(text_reader *reader, const shoal_field *field, char *value) {
    double number = 0;
    bool is_float = field->kind == SHOAL_FIELD_F32;
    if (!reader_real(reader, is_float, &number)) {
        return false;
    }
    float narrow = is_float ? (float)number : 0;
    memcpy(value, is_float ? (const void *)&narrow : (const void *)&number, field->size);
    return true;
}

static bool read_bool_value(text_reader *reader, char *value) {
    bool is_true = reader_at_word(reader, "true");
    if (!is_true && !reader_at_word(reader, "false")) {
        return READER_FAIL(reader, "expected true or false");
    }
    reader_advance(reader);
    memcpy(value, &is_true, sizeof is_true);
    return true;
}

static bool read_text_value(text_reader *reader, const shoal_field *field, char *value) {
    size_t place = reader->now.start;
    if (reader->now.kind != TOKEN_STRING) {
        return READER_FAIL(reader, "expected text in quotes");
    }
    if (!reader_string(reader)) {
        return false;
    }
    size_t size = strlen(reader->scratch);
    if (size > field->size) {
        return READER_FAIL_AT(reader, place, "expected text of at most %zu bytes", field->size);
    }
    memcpy(value, reader->scratch, size);
    return true;
}

static bool read_entity_value(text_reader *reader, char *value) {
    shoal_entity entity = {0};
    if (!read_entity(reader, "an entity as index:generation, or a path in quotes", &entity)) {
        return false;
    }
    memcpy(value, &entity, sizeof entity);
    return true;
}

static bool read_field_value(text_reader *reader, const shoal_field *field, char *value) {
    switch (field->kind) {
    case SHOAL_FIELD_BOOL:
        return read_bool_value(reader, value);
    case SHOAL_FIELD_F32:
    case SHOAL_FIELD_F64:
        return read_real_value(reader, field, value);
    case SHOAL_FIELD_TEXT:
        return read_text_value(reader, field, value);
    case SHOAL_FIELD_ENTITY:
        return read_entity_value(reader, value);
    default:
        return read_whole_value(reader, field, value);
    }
}

/* `given` has a bit for each byte of the value; that of a field's first byte says that the field had its value. */
static bool read_assignment(text_reader *reader, const shoal_component_def *def, char *value, unsigned char *given) {
    field_place place;
    size_t start = reader->now.start;
    if (!read_field(reader, def, &place)) {
        return false;
    }
    if (place.field->kind == SHOAL_FIELD_STRUCT) {
        bool has_fields = place.field->field_count != 0;
        return READER_FAIL(reader, has_fields ? "expected \".\" and a field of %.60s" : "%.60s has no value as text",
                           place.path);
    }
    unsigned char bit = (unsigned char)(1u << place.offset % 8);
    if ((given[place.offset / 8] & bit) != 0) {
        return READER_FAIL_AT(reader, start, "a second value for %.60s", place.path);
    }
    given[place.offset / 8] |= bit;
    return reader_expect_mark(reader, '=', "\"=\"") && read_field_value(reader, place.field, value + place.offset);
}

static bool read_assignments(text_reader *reader, const shoal_component_def *def, char *value, unsigned char *given) {
    bool is_read;
    do {
        is_read = read_assignment(reader, def, value, given);
    } while (is_read && reader_take_mark(reader, ','));
    return is_read && reader_expect_mark(reader, ')', "\",\" or \")\"");
}

/* The value is the term's from the beginning, so that a failure releases it with the terms. */
static bool read_shared_value(text_reader *reader, shoal_term *term) {
    const component_type *type = component_type_at(term->component.id);
    shoal_memory *memory = &reader->world->memory;
    if (type->hooked || type->def.field_count == 0) {
        return READER_FAIL(reader, "%.60s has no values as text: it has %s", type->def.name,
                           type->hooked ? "hooks" : "no field table");
    }
    char *value = memory_allocate_zero(memory, SHOAL_PURPOSE_SCRATCH, type->def.size, type->def.alignment);
    if (value == NULL) {
        return reader_fail_memory(reader);
    }
    term->value = value;
    size_t given_size = (type->def.size + 7) / 8;
    unsigned char *given = memory_allocate_zero(memory, SHOAL_PURPOSE_SCRATCH, given_size, 1);
    bool is_read = given != NULL ? read_assignments(reader, &type->def, value, given) : reader_fail_memory(reader);
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, given, given_size, 1);
    return is_read;
}

/* ---- terms ---- */

static bool read_target(text_reader *reader, shoal_term *term) {
    static const char expected[] = "*, an entity as index:generation, or a path in quotes";
    return (reader_take_mark(reader, '*') || read_entity(reader, expected, &term->target)) &&
           reader_expect_mark(reader, ')', "\")\"");
}

static bool read_restriction(text_reader *reader, shoal_term *term) {
    const shoal_component_def *def = &component_type_at(term->component.id)->def;
    bool is_relation = def->storage == SHOAL_STORAGE_RELATION;
    if (!is_relation && def->storage != SHOAL_STORAGE_SHARED) {
        return READER_FAIL(reader, "no restriction can follow: %.60s is neither a relation nor shared", def->name);
    }
    reader_advance(reader);
    return is_relation ? read_target(reader, term) : read_shared_value(reader, term);
}

/* A field of a shared component may be called "up", so the mark behind decides. */
static bool at_direction(const text_reader *reader) {
    text_token word = reader_token_from(reader->text, reader->now.end);
    return reader_at_mark(reader, '(') &&
           (reader_is_word(reader, word, "up") || reader_is_word(reader, word, "down")) &&
           reader_is_mark(reader, reader_token_from(reader->text, word.end), ')');
}

static bool read_direction(text_reader *reader, shoal_term *term, size_t relation_place) {
    const shoal_component_def *def = &component_type_at(term->component.id)->def;
    if (def->storage != SHOAL_STORAGE_RELATION || !def->acyclic) {
        return READER_FAIL_AT(reader, relation_place, "%.60s is not an acyclic relation", def->name);
    }
    reader_advance(reader);
    term->along = term->component;
    term->traverse = reader_at_word(reader, "up") ? SHOAL_TRAVERSE_UP : SHOAL_TRAVERSE_DOWN;
    reader_advance(reader);
    reader_advance(reader);
    return read_component(reader, &term->component);
}

static shoal_state take_state(text_reader *reader) {
    if (reader_take_word(reader, "disabled")) {
        return SHOAL_STATE_DISABLED;
    }
    if (reader_take_word(reader, "either")) {
        return SHOAL_STATE_EITHER;
    }
    reader_take_word(reader, "enabled");
    return SHOAL_STATE_ENABLED;
}

/* A new term at the end, valid until the next one; NULL on failure. */
static shoal_term *term_append(text_reader *reader) {
    query_text *parsed = reader->parsed;
    size_t limit = shoal_limits_get().query_terms;
    if (parsed->term_count == limit) {
        READER_FAIL(reader, "more than %zu terms", limit);
        return NULL;
    }
    shoal_memory *memory = &reader->world->memory;
    size_t needed = parsed->term_count + 1;
    shoal_status status =
        memory_array_reserve(memory, SHOAL_PURPOSE_SCRATCH, &parsed->place_array, needed, sizeof(size_t));
    if (status == SHOAL_OK) { /* the terms last: from then on they are where the array is */
        status = memory_array_reserve(memory, SHOAL_PURPOSE_SCRATCH, &parsed->term_array, needed, sizeof(shoal_term));
    }
    if (status != SHOAL_OK) {
        reader_fail_memory(reader);
        return NULL;
    }
    parsed->terms = parsed->term_array.items;
    parsed->places = parsed->place_array.items;
    parsed->places[parsed->term_count] = reader->now.start;
    shoal_term *term = &parsed->terms[parsed->term_count++];
    *term = (shoal_term){0};
    return term;
}

static bool read_subject(text_reader *reader, shoal_access access, uint32_t group) {
    shoal_term *term = term_append(reader);
    if (term == NULL) {
        return false;
    }
    term->access = access;
    term->group = group;
    term->state = take_state(reader);
    size_t place = reader->now.start;
    if (!read_component(reader, &term->component)) {
        return false;
    }
    if (at_direction(reader) && !read_direction(reader, term, place)) {
        return false;
    }
    return !reader_at_mark(reader, '(') || read_restriction(reader, term);
}

static bool read_any(text_reader *reader) {
    shoal_access access = reader_take_word(reader, "write") ? SHOAL_ACCESS_ANY_WRITE : SHOAL_ACCESS_ANY_READ;
    uint32_t group = ++reader->group_count;
    if (!reader_expect_mark(reader, '(', access == SHOAL_ACCESS_ANY_READ ? "\"(\" or \"write\"" : "\"(\"")) {
        return false;
    }
    bool is_read;
    do {
        is_read = read_subject(reader, access, group);
    } while (is_read && reader_take_mark(reader, '|'));
    return is_read && reader_expect_mark(reader, ')', "\"|\" or \")\"");
}

static shoal_access take_access(text_reader *reader) {
    static const char *const words[] = {"write", "with", "without"};
    static const shoal_access accesses[] = {SHOAL_ACCESS_WRITE, SHOAL_ACCESS_WITH, SHOAL_ACCESS_WITHOUT};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (reader_take_word(reader, words[i])) {
            return accesses[i];
        }
    }
    if (reader_take_word(reader, "optional")) {
        return reader_take_word(reader, "write") ? SHOAL_ACCESS_OPTIONAL_WRITE : SHOAL_ACCESS_OPTIONAL_READ;
    }
    reader_take_word(reader, "read");
    return SHOAL_ACCESS_READ;
}

static bool at_setting(const text_reader *reader) {
    return reader_at_word(reader, "order") || reader_at_word(reader, "group");
}

static bool read_term(text_reader *reader) {
    if (at_setting(reader)) {
        return READER_FAIL(reader, "expected a term (no comma stands before \"order by\" and \"group by\")");
    }
    if (reader->now.kind != TOKEN_WORD && reader->now.kind != TOKEN_STRING) {
        return READER_FAIL(reader, "expected a term");
    }
    return reader_take_word(reader, "any") ? read_any(reader) : read_subject(reader, take_access(reader), 0);
}

static bool read_terms(text_reader *reader) {
    bool is_read;
    do {
        is_read = read_term(reader);
    } while (is_read && reader_take_mark(reader, ','));
    return is_read;
}

/* ---- order and groups ---- */

static bool field_is_number(const field_place *place) {
    return place->field->kind >= SHOAL_FIELD_I8 && place->field->kind <= SHOAL_FIELD_F64 && !place->in_array;
}

static bool read_order(text_reader *reader) {
    query_text *parsed = reader->parsed;
    field_place place;
    parsed->order_place = reader->now.start;
    if (!read_component(reader, &parsed->order_by) || !reader_expect_mark(reader, '.', "\".\" and a field")) {
        return false;
    }
    size_t start = reader->now.start;
    if (!read_field(reader, &component_type_at(parsed->order_by.id)->def, &place)) {
        return false;
    }
    if (!field_is_number(&place)) {
        return READER_FAIL_AT(reader, start, "%.60s is not a single number", place.path);
    }
    memcpy(parsed->order_field, place.path, sizeof place.path);
    parsed->descending = reader_take_word(reader, "desc");
    return true;
}

static bool read_group(text_reader *reader) {
    query_text *parsed = reader->parsed;
    size_t start = reader->now.start;
    parsed->group_place = start;
    if (!read_component(reader, &parsed->group_by)) {
        return false;
    }
    const shoal_component_def *def = &component_type_at(parsed->group_by.id)->def;
    if (def->storage != SHOAL_STORAGE_SHARED && (def->storage != SHOAL_STORAGE_RELATION || !def->acyclic)) {
        return READER_FAIL_AT(reader, start, "%.60s is neither shared nor an acyclic relation", def->name);
    }
    parsed->groups_descending = reader_take_word(reader, "desc");
    return true;
}

static bool read_setting(text_reader *reader) {
    const query_text *parsed = reader->parsed;
    bool is_order = reader_at_word(reader, "order");
    if (!at_setting(reader)) {
        bool is_in_terms = parsed->order_by.id == 0 && parsed->group_by.id == 0;
        return READER_FAIL(reader, "expected %s\"order by\", \"group by\" or the end", is_in_terms ? "\",\", " : "");
    }
    if ((is_order ? parsed->order_by : parsed->group_by).id != 0) {
        return READER_FAIL(reader, "a second \"%s by\"", is_order ? "order" : "group");
    }
    reader_advance(reader);
    if (!reader_take_word(reader, "by")) {
        return READER_FAIL(reader, "expected \"by\"");
    }
    return is_order ? read_order(reader) : read_group(reader);
}

static bool read_query(text_reader *reader) {
    bool is_read = reader->now.kind == TOKEN_END || at_setting(reader) || read_terms(reader);
    while (is_read && reader->now.kind != TOKEN_END) {
        is_read = read_setting(reader);
    }
    return is_read;
}

/* ---- for queries ---- */

void query_text_release(shoal_world *world, query_text *parsed) {
    for (size_t i = 0; i < parsed->term_count; i++) {
        if (parsed->terms[i].value != NULL) {
            const shoal_component_def *def = &component_type_at(parsed->terms[i].component.id)->def;
            memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, (void *)parsed->terms[i].value, def->size,
                           def->alignment);
        }
    }
    memory_array_release(&world->memory, SHOAL_PURPOSE_SCRATCH, &parsed->term_array, sizeof(shoal_term));
    memory_array_release(&world->memory, SHOAL_PURPOSE_SCRATCH, &parsed->place_array, sizeof(size_t));
    *parsed = (query_text){0};
}

void query_text_blame(shoal_world *world, const char *text, size_t place, const char *call) {
    char detail[sizeof world->error.detail];
    memcpy(detail, world->error.detail, sizeof detail);
    text_reader reader = {.world = world, .text = text, .size = strlen(text), .call = call};
    (void)reader_fail_with(&reader, world_error(world)->status, place, "%s", detail);
}

shoal_status query_text_parse(shoal_world *world, const char *text, query_text *parsed, const char *call) {
    *parsed = (query_text){0};
    size_t size = 0;
    if (text == NULL) {
        return error_set(world_error(world), SHOAL_INVALID_ARGUMENT, call);
    }
    while (size <= QUERY_TEXT_BYTES_MAX && text[size] != '\0') {
        size++;
    }
    if (size > QUERY_TEXT_BYTES_MAX) {
        return error_detail(world_error(world), SHOAL_TEXT_INVALID, call, "the text is longer than %zu bytes",
                            QUERY_TEXT_BYTES_MAX);
    }
    size_t scratch_size = size + READER_EXTRA_BYTES;
    text_reader reader = {.world = world, .text = text, .size = size, .call = call, .parsed = parsed};
    reader.scratch = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, scratch_size, 1);
    if (reader.scratch == NULL) {
        return error_set(world_error(world), memory_failure(&world->memory), call);
    }
    reader_advance(&reader);
    if (!read_query(&reader)) {
        query_text_release(world, parsed);
    }
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, reader.scratch, scratch_size, 1);
    return reader.status;
}
