/*
 * The arguments of `shoal layout`, read and checked.
 *
 * Names point into the argument vector, which must outlive the structure; the component array is the
 * structure's own. What layout_args_parse() accepts is what a component registry would accept too: names,
 * sizes and alignments within the library's limits, sizes that are multiples of their alignment.
 */
#ifndef SHOAL_TOOL_LAYOUT_ARGS_H
#define SHOAL_TOOL_LAYOUT_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#define LAYOUT_DEFAULT_CHUNK_BYTES ((size_t)16 * 1024)

/* One NAME:SIZE[:ALIGN]. */
typedef struct layout_component {
    const char *name; /* Not terminated. */
    size_t name_length;
    size_t byte_size;
    size_t alignment; /* 1 where none was given. */
} layout_component;

/* One option with a value. */
typedef struct layout_option {
    const char *text; /* The value as given; null when the option is absent. */
    size_t value;     /* The number in it, for the options that take one. */
} layout_option;

typedef struct layout_args {
    layout_option chunk; /* The default's value when absent. */
    layout_option svg;
    layout_option lines;
    layout_option record; /* Given exactly when lines is; so is fields. */
    layout_option fields;
    layout_component *components;
    size_t component_count; /* May be 0 only when lines is given. */
} layout_args;

/* Reads the arguments; returns an exit code, after one reported line if it is not EXIT_DONE. */
int layout_args_parse(int argument_count, char **arguments, layout_args *args);

/* Frees what layout_args_parse() made, also after it failed. */
void layout_args_release(layout_args *args);

#endif
