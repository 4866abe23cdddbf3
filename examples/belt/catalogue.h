/*
 * The catalogue of small bodies, as the JPL Small-Body Database query service writes it: a JSON object with the names
 * of the columns in "fields" and the rows in "data", numbers as text.
 *
 * A row that lacks an orbit is unusable: it is listed, and the others are read. A file that cannot be read as a whole
 * is refused.
 */
#ifndef BELT_CATALOGUE_H
#define BELT_CATALOGUE_H

#include "orbit.h"

#include <stdbool.h>
#include <stddef.h>

#define CATALOGUE_NAME_BYTES 48
#define CATALOGUE_CLASS_BYTES 16
#define CATALOGUE_REASON_BYTES 64

typedef struct catalogue_body {
    char name[CATALOGUE_NAME_BYTES]; /* cut where it is longer */
    size_t class_index;              /* into belt_catalogue::classes */
    orbit_elements orbit;
    double magnitude; /* absolute magnitude H; NAN where the catalogue has none */
    double moid;      /* distance of the orbit from the Earth's, au; NAN where the catalogue has none */
} catalogue_body;

typedef struct catalogue_class {
    char code[CATALOGUE_CLASS_BYTES]; /* for example "MBA" */
    size_t body_count;
} catalogue_class;

typedef struct catalogue_unusable {
    size_t row; /* from 0 */
    char name[CATALOGUE_NAME_BYTES];
    char reason[CATALOGUE_REASON_BYTES];
} catalogue_unusable;

typedef struct belt_catalogue {
    size_t row_count;
    catalogue_body *bodies;
    size_t body_count;
    catalogue_class *classes; /* the largest first */
    size_t class_count;
    catalogue_unusable *unusable;
    size_t unusable_count;
    double latest_epoch; /* of all bodies, modified Julian date */
} belt_catalogue;

/* Reads a file. On failure one line has said why and where, and there is nothing to free. */
bool catalogue_read(belt_catalogue *catalogue, const char *path);

/* Frees what catalogue_read() made. */
void catalogue_free(belt_catalogue *catalogue);

#endif
