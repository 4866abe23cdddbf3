/*
 * Text dumps of worlds, see world_dump.h. Values of kinds are shown by payload, links by index and generation of
 * their target, values of other types by their bytes' hash.
 */
#include "world_dump.h"

#include "components.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void dump_append(world_dump *dump, const char *format, ...) {
    char piece[128];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof piece);
    if (dump->length + (size_t)length + 1 > dump->capacity) {
        dump->capacity = dump->capacity * 2 + 4096;
        dump->text = realloc(dump->text, dump->capacity);
        assert_non_null(dump->text);
    }
    memcpy(dump->text + dump->length, piece, (size_t)length + 1);
    dump->length += (size_t)length;
}

static uint64_t bytes_hash(const unsigned char *bytes, size_t size) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return hash;
}

static void dump_value(world_dump *dump, shoal_component component, const void *value) {
    const shoal_component_def *def = shoal_component_info(component);
    value_kind type = kind_find(component);
    if (def->size == 0) {
        dump_append(dump, " %.40s", def->name);
    } else if (value == NULL) {
        dump_append(dump, " %.40s=missing", def->name);
    } else if (type == KIND_COUNT) {
        dump_append(dump, " %.40s#%" PRIx64, def->name, bytes_hash(value, def->size));
    } else if (type == KIND_LINK) {
        shoal_entity target = {kind_read(type, value)};
        dump_append(dump, " Link=%" PRIu32 ":%" PRIu32 "%s", shoal_entity_index(target),
                    shoal_entity_generation(target), shoal_entity_is_null(target) ? "null" : "");
    } else {
        dump_append(dump, " %s=%" PRIu64, def->name, kind_read(type, value));
    }
}

static void dump_entity(world_dump *dump, const shoal_world *world, shoal_entity entity) {
    dump_append(dump, "%" PRIu32 ":%" PRIu32, shoal_entity_index(entity), shoal_entity_generation(entity));
    size_t count = 0;
    const shoal_component *components = shoal_components_of(world, entity, &count);
    for (size_t i = 0; i < count; i++) {
        bool tag = shoal_component_info(components[i])->size == 0;
        dump_value(dump, components[i], tag ? NULL : shoal_get(world, entity, components[i]));
    }
    dump_append(dump, "\n");
}

void world_dump_entities(world_dump *dump, const shoal_world *world) {
    dump_append(dump, "%" PRIu64 " entities\n", shoal_world_entity_count(world));
    shoal_entity entity = {0};
    while (shoal_next_entity(world, &entity)) {
        dump_entity(dump, world, entity);
    }
}

void world_dump_rows(world_dump *dump, shoal_query *query) {
    dump_append(dump, "rows\n");
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++) {
            dump_append(dump, "row %" PRIu32 ":%" PRIu32 "\n", shoal_entity_index(view.entities[i]),
                        shoal_entity_generation(view.entities[i]));
        }
    }
}

world_dump world_dump_take(const shoal_world *world, shoal_query *query) {
    world_dump dump = {0};
    world_dump_entities(&dump, world);
    if (query != NULL) {
        world_dump_rows(&dump, query);
    }
    return dump;
}

void world_dump_free(world_dump *dump) {
    free(dump->text);
    *dump = (world_dump){0};
}

void world_dump_check(const world_dump *actual, const world_dump *expected, const char *file, int line) {
    if (strcmp(actual->text, expected->text) == 0) {
        return;
    }
    size_t start = 0;
    for (size_t i = 0; actual->text[i] != '\0' && actual->text[i] == expected->text[i]; i++) {
        start = actual->text[i] == '\n' ? i + 1 : start;
    }
    int actual_length = (int)strcspn(actual->text + start, "\n");
    int expected_length = (int)strcspn(expected->text + start, "\n");
    print_error("the world has   \"%.*s\"\n       expected \"%.*s\"\n", actual_length, actual->text + start,
                expected_length, expected->text + start);
    if (test_context[0] != '\0') {
        print_error("       at %s\n", test_context);
    }
    _fail(file, line);
}
