/*
 * The walk over the fields of a value: every leaf with its path, in the order of the field table.
 *
 *     Path.points[2].y    a path: links on the stack of the walk, from the leaf outwards to the component
 *
 * A leaf is one number, bool, entity or text; elements of arrays are leaves of their own. Where there is no field table
 * (of a component, or of a nested struct) all of its bytes are one leaf. Tags have none. A value is `size` bytes of the
 * type: of a buffer one element, of a relation the data of one link. The walk depends on the type alone, so two walks
 * over a type give the same leaves: a head of a table and its rows fit each other.
 *
 * Values are copied out byte by byte, since a field of a packed type may have any address. Thread rule: any.
 */
#ifndef SHOAL_SERIAL_FIELD_H
#define SHOAL_SERIAL_FIELD_H

#include "../base/text.h"
#include "../storage/component.h"

typedef struct field_path {
    const struct field_path *outer; /* NULL at the component */
    const char *name;
    size_t index;
    bool indexed; /* an element of an array */
} field_path;

typedef struct field_leaf {
    const field_path *path;
    shoal_field_kind kind; /* SHOAL_FIELD_NONE: bytes without a field table */
    size_t size;
    const char *value; /* NULL where there is no value, only its type */
} field_leaf;

/* Who is shown the leaves. */
typedef struct field_visitor {
    text_output *output; /* the walk ends early when it has failed */
    void (*visit)(const struct field_visitor *visitor, const field_leaf *leaf);
    void *user;
} field_visitor;

/* How text is written that may need escapes. */
typedef void (*field_text_fn)(text_output *output, const char *text, size_t size);

/* Visits the leaves of a value, which may be NULL. Paths begin with `root`; NULL: with the name of the type. */
void field_walk(const field_visitor *visitor, const component_type *type, const field_path *root, const void *value);

void field_put_path(text_output *output, const field_path *path, field_text_fn put_name);

/* Writes the leaf's value, which must be there; text up to its end through `put_text`. */
void field_put_value(text_output *output, const field_leaf *leaf, field_text_fn put_text);

#endif
