/*
 * Values in the stream of hash.h.
 *
 * Of a type with a field table the fields are put in the order of the table, so that what lies between them does not
 * count: numbers as their bytes, entities as index and generation, text up to its end with its length before it. Where
 * the fields leave no gap, and have neither entities nor text among them, the value is put in one piece, in the order
 * of its bytes. Thread rule: that of the stream.
 */
#include "hash.h"

#include <string.h>

#include "../storage/buffer.h"

/* True when the fields leave no byte out, and all of them are their bytes. They do not overlap, which was checked when
   the type was registered, so their sizes say it. */
static bool fields_are_tight(const shoal_field *fields, size_t field_count, size_t byte_size) {
    size_t covered = 0;
    for (size_t i = 0; i < field_count; i++) {
        const shoal_field *field = &fields[i];
        if (field->kind == SHOAL_FIELD_ENTITY || field->kind == SHOAL_FIELD_TEXT) {
            return false;
        }
        if (field->field_count != 0 && !fields_are_tight(field->fields, field->field_count, field->size)) {
            return false;
        }
        covered += field->size * field->count; /* the registry's copy of a field table has no count of 0 */
    }
    return covered == byte_size;
}

hash_way hash_way_of(const component_type *type) {
    const shoal_component_def *def = &type->def;
    if (def->size == 0 || (def->field_count == 0 && def->copy != NULL)) {
        return HASH_NOTHING;
    }
    bool is_tight = def->field_count == 0 || fields_are_tight(def->fields, def->field_count, def->size);
    return is_tight ? HASH_BYTES : HASH_FIELDS;
}

static void put_text(hash_stream *stream, const char *text, size_t byte_size) {
    const char *end = memchr(text, '\0', byte_size);
    size_t length = end != NULL ? (size_t)(end - text) : byte_size;
    hash_put_u64(stream, length);
    hash_put(stream, text, length);
}

static void put_fields(hash_stream *stream, const shoal_field *fields, size_t field_count, const char *value);

/* One element of a field that is more than its bytes. */
static void put_element(hash_stream *stream, const shoal_field *field, const char *element) {
    if (field->kind == SHOAL_FIELD_ENTITY) {
        shoal_entity entity;
        memcpy(&entity, element, sizeof entity); /* a packed type has it at any address */
        hash_put_handle(stream, entity);
    } else if (field->kind == SHOAL_FIELD_TEXT) {
        put_text(stream, element, field->size);
    } else {
        put_fields(stream, field->fields, field->field_count, element);
    }
}

static void put_fields(hash_stream *stream, const shoal_field *fields, size_t field_count, const char *value) {
    for (size_t i = 0; i < field_count; i++) {
        const shoal_field *field = &fields[i];
        const char *first = value + field->offset;
        bool is_bytes = field->kind != SHOAL_FIELD_ENTITY && field->kind != SHOAL_FIELD_TEXT && field->field_count == 0;
        if (is_bytes) {
            hash_put(stream, first, field->size * field->count);
            continue;
        }
        for (size_t element = 0; element < field->count; element++) {
            put_element(stream, field, first + element * field->size);
        }
    }
}

void hash_put_values(hash_stream *stream, const component_type *type, hash_way way, const void *values, size_t count) {
    const shoal_component_def *def = &type->def;
    if (way == HASH_BYTES) {
        hash_put_many(stream, values, def->size * count);
        return;
    }
    const char *value = values;
    for (size_t i = 0; way == HASH_FIELDS && i < count; i++) {
        put_fields(stream, def->fields, def->field_count, value + i * def->size);
    }
}

void hash_put_buffer(hash_stream *stream, const component_type *type, hash_way way, const void *cell) {
    const buffer_cell *head = cell;
    hash_put_u64(stream, head->count);
    hash_put_values(stream, type, way, buffer_items(type, cell), head->count);
}

/* Shell's sort with Knuth's gaps: in place, while qsort() may allocate behind the world's back. */
void hash_sort_types(const component_type **types, size_t count) {
    size_t gap = 1;
    while (gap < count / 3) {
        gap = gap * 3 + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (size_t i = gap; i < count; i++) {
            const component_type *type = types[i];
            size_t at = i;
            for (; at >= gap && type->hash < types[at - gap]->hash; at -= gap) {
                types[at] = types[at - gap];
            }
            types[at] = type;
        }
    }
}
