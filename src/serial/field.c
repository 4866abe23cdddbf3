/*
 * The walk of field.h, and leaves as text.
 */
#include "field.h"

#include <string.h>

/* ---- the walk ---- */

static void table_walk(const shoal_field *fields, size_t field_count, const field_path *outer, const char *value,
                       const field_visitor *visitor);

static void field_walk_elements(const shoal_field *field, const field_path *outer, const char *value,
                                const field_visitor *visitor) {
    bool is_table = field->field_count != 0;
    bool is_bytes = field->kind == SHOAL_FIELD_STRUCT && !is_table;
    /* The registry's copy of a field table has no count of 0. */
    for (size_t i = 0; i < field->count && !visitor->output->failed; i++) {
        const field_path path = {.outer = outer, .name = field->name, .index = i, .indexed = field->count > 1};
        const char *element = value != NULL ? value + i * field->size : NULL;
        if (is_table) {
            table_walk(field->fields, field->field_count, &path, element, visitor);
        } else {
            visitor->visit(visitor, &(field_leaf){.path = &path,
                                                  .kind = is_bytes ? SHOAL_FIELD_NONE : field->kind,
                                                  .size = field->size,
                                                  .value = element});
        }
    }
}

static void table_walk(const shoal_field *fields, size_t field_count, const field_path *outer, const char *value,
                       const field_visitor *visitor) {
    for (size_t i = 0; i < field_count; i++) {
        field_walk_elements(&fields[i], outer, value != NULL ? value + fields[i].offset : NULL, visitor);
    }
}

void field_walk(const field_visitor *visitor, const component_type *type, const field_path *root, const void *value) {
    const shoal_component_def *def = &type->def;
    const field_path named = {.name = def->name};
    const field_path *path = root != NULL ? root : &named;
    if (def->field_count != 0) {
        table_walk(def->fields, def->field_count, path, value, visitor);
    } else if (def->size != 0) {
        visitor->visit(visitor,
                       &(field_leaf){.path = path, .kind = SHOAL_FIELD_NONE, .size = def->size, .value = value});
    }
}

void field_put_path(text_output *output, const field_path *path, field_text_fn put_name) {
    if (path->outer != NULL) {
        field_put_path(output, path->outer, put_name);
        text_put(output, ".", 1);
    }
    put_name(output, path->name, strlen(path->name));
    if (path->indexed) {
        text_put(output, "[", 1);
        text_put_u64(output, path->index);
        text_put(output, "]", 1);
    }
}

/* ---- values ---- */

static uint64_t load_unsigned(const char *value, size_t size) {
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    uint64_t whole;
    switch (size) {
    case sizeof byte:
        memcpy(&byte, value, sizeof byte);
        return byte;
    case sizeof half:
        memcpy(&half, value, sizeof half);
        return half;
    case sizeof word:
        memcpy(&word, value, sizeof word);
        return word;
    default:
        memcpy(&whole, value, sizeof whole);
        return whole;
    }
}

/* The same bits with the sign carried up. */
static int64_t load_signed(const char *value, size_t size) {
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return (int64_t)((load_unsigned(value, size) ^ sign) - sign);
}

static float load_f32(const char *value) {
    float number;
    memcpy(&number, value, sizeof number);
    return number;
}

static double load_f64(const char *value) {
    double number;
    memcpy(&number, value, sizeof number);
    return number;
}

static shoal_entity load_entity(const char *value) {
    shoal_entity entity;
    memcpy(&entity, value, sizeof entity);
    return entity;
}

static size_t text_length(const char *text, size_t size) {
    const char *end = memchr(text, '\0', size);
    return end != NULL ? (size_t)(end - text) : size;
}

void field_put_value(text_output *output, const field_leaf *leaf, field_text_fn put_text) {
    switch (leaf->kind) {
    case SHOAL_FIELD_BOOL:
        text_put_string(output, load_unsigned(leaf->value, leaf->size) != 0 ? "true" : "false");
        break;
    case SHOAL_FIELD_I8:
    case SHOAL_FIELD_I16:
    case SHOAL_FIELD_I32:
    case SHOAL_FIELD_I64:
        text_put_i64(output, load_signed(leaf->value, leaf->size));
        break;
    case SHOAL_FIELD_U8:
    case SHOAL_FIELD_U16:
    case SHOAL_FIELD_U32:
    case SHOAL_FIELD_U64:
        text_put_u64(output, load_unsigned(leaf->value, leaf->size));
        break;
    case SHOAL_FIELD_F32:
        text_put_f32(output, load_f32(leaf->value));
        break;
    case SHOAL_FIELD_F64:
        text_put_f64(output, load_f64(leaf->value));
        break;
    case SHOAL_FIELD_ENTITY:
        text_put_entity(output, load_entity(leaf->value));
        break;
    case SHOAL_FIELD_TEXT:
        put_text(output, leaf->value, text_length(leaf->value, leaf->size));
        break;
    case SHOAL_FIELD_NONE:
    case SHOAL_FIELD_STRUCT:
        text_put_hex(output, leaf->value, leaf->size);
        break;
    }
}
