/*
 * Colours and names of the classes of small bodies. The classes that are known get fixed colours, so that pictures of
 * different catalogues can be compared.
 *
 * Thread rule: pure functions.
 */
#ifndef BELT_PALETTE_H
#define BELT_PALETTE_H

#include <stddef.h>

typedef struct palette_colour {
    double red, green, blue; /* 0 to 1 */
} palette_colour;

/* The colour of a class; one that is not in the table gets one by its index. */
palette_colour palette_of_class(const char *code, size_t class_index);

/* What the class is called, for example "main belt"; empty for one that is not in the table. */
const char *palette_class_name(const char *code);

#endif
