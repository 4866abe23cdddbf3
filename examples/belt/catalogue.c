/*
 * From JSON to bodies. The reader finds the columns by name, so their order and further ones do not matter.
 *
 * `bodies`, `classes` and `unusable` have room for as many as the file has rows; they are made before the first row is
 * read, so that reading a row cannot run out of memory. Each row ends up either in `bodies` or in `unusable`, so
 * body_count + unusable_count == row_count.
 */
#include "catalogue.h"

#include "message.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns that are read. The first ones make an orbit and must be there in the file and in a row. */
enum column {
    COLUMN_A,
    COLUMN_E,
    COLUMN_I,
    COLUMN_OM,
    COLUMN_W,
    COLUMN_MA,
    COLUMN_EPOCH,
    ORBIT_COLUMNS,
    COLUMN_NAME = ORBIT_COLUMNS,
    COLUMN_CLASS,
    REQUIRED_COLUMNS,
    COLUMN_H = REQUIRED_COLUMNS,
    COLUMN_MOID,
    COLUMNS
};

static const char *const column_names[COLUMNS] = {"a",         "e",         "i",     "om", "w",   "ma",
                                                  "epoch_mjd", "full_name", "class", "H",  "moid"};

#define NO_COLUMN SIZE_MAX

/* The file's rows and where each column is in a row. */
typedef struct catalogue_sheet {
    const char *path;
    json_t *root;
    json_t *rows;
    size_t width;
    size_t places[COLUMNS];
} catalogue_sheet;

static json_t *load_json(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        message_error("%s: %s", path, strerror(errno));
        return NULL;
    }
    json_error_t error;
    errno = 0;
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    int read_error = ferror(file) ? errno : 0;
    fclose(file);
    if (read_error != 0) {
        json_decref(root);
        message_error("%s: %s", path, strerror(read_error));
        return NULL;
    }
    if (root == NULL) {
        message_error("%s: line %d, column %d (byte %d): %s", path, error.line, error.column, error.position,
                      error.text);
    }
    return root;
}

static bool find_columns(catalogue_sheet *sheet) {
    json_t *fields = json_object_get(sheet->root, "fields");
    if (!json_is_array(fields)) {
        message_error("%s: at \"fields\": an array of column names is missing; this is no small-body catalogue",
                      sheet->path);
        return false;
    }
    sheet->width = json_array_size(fields);
    for (int column = 0; column < COLUMNS; column++) {
        sheet->places[column] = NO_COLUMN;
        for (size_t place = 0; place < sheet->width; place++) {
            const char *name = json_string_value(json_array_get(fields, place));
            if (name != NULL && strcmp(name, column_names[column]) == 0) {
                sheet->places[column] = place;
            }
        }
        if (column < REQUIRED_COLUMNS && sheet->places[column] == NO_COLUMN) {
            message_error("%s: at \"fields\": the column \"%s\" is missing; this is no catalogue of elliptic orbits",
                          sheet->path, column_names[column]);
            return false;
        }
    }
    return true;
}

static bool open_sheet(catalogue_sheet *sheet, const char *path) {
    *sheet = (catalogue_sheet){.path = path, .root = load_json(path)};
    if (sheet->root == NULL || !find_columns(sheet)) {
        return false;
    }
    sheet->rows = json_object_get(sheet->root, "data");
    if (!json_is_array(sheet->rows) || json_array_size(sheet->rows) == 0) {
        message_error("%s: at \"data\": an array of rows is missing or empty", path);
        return false;
    }
    return true;
}

static json_t *cell_of(const catalogue_sheet *sheet, json_t *row, int column) {
    return sheet->places[column] != NO_COLUMN ? json_array_get(row, sheet->places[column]) : NULL;
}

/* A number, given as one or as decimal text; NAN for anything else. */
static double number_of(const json_t *cell) {
    if (json_is_number(cell)) {
        return json_number_value(cell);
    }
    const char *text = json_string_value(cell);
    if (text == NULL || *text == '\0' || strspn(text, "0123456789+-.eE") != strlen(text)) {
        return NAN;
    }
    char *end = NULL;
    double value = strtod(text, &end);
    return *end == '\0' && isfinite(value) ? value : NAN;
}

/* Copies without leading blanks and with blanks for control characters, so that a name is always one line; what does
   not fit is cut, but not within a character. */
static void copy_name(char name[CATALOGUE_NAME_BYTES], const char *text) {
    text += strspn(text, " ");
    size_t length = strlen(text);
    if (length >= CATALOGUE_NAME_BYTES) {
        length = CATALOGUE_NAME_BYTES - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    for (size_t i = 0; i < length; i++) {
        bool control = (unsigned char)text[i] < ' ' || text[i] == 0x7F;
        name[i] = control ? ' ' : text[i];
    }
    name[length] = '\0';
}

/* The class of that code, new if it has not been seen; false for a code that is no short word. */
static bool find_class(belt_catalogue *catalogue, const char *code, size_t *class_index) {
    size_t length = code != NULL ? strlen(code) : 0;
    if (length == 0 || length >= CATALOGUE_CLASS_BYTES) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)code[i] <= ' ' || code[i] == 0x7F) {
            return false;
        }
    }
    size_t index = 0;
    while (index < catalogue->class_count && strcmp(catalogue->classes[index].code, code) != 0) {
        index++;
    }
    if (index == catalogue->class_count) {
        memcpy(catalogue->classes[index].code, code, length + 1);
        catalogue->class_count++;
    }
    *class_index = index;
    return true;
}

/* False with the reason when the elements make no ellipse. */
static bool check_orbit(const orbit_elements *orbit, char reason[CATALOGUE_REASON_BYTES]) {
    if (!(orbit->eccentricity >= 0.0 && orbit->eccentricity < 1.0)) {
        snprintf(reason, CATALOGUE_REASON_BYTES, "e is %.9g, no ellipse", orbit->eccentricity);
        return false;
    }
    if (!(orbit->semi_major_axis > 0.0 && orbit->semi_major_axis < 1e6)) {
        snprintf(reason, CATALOGUE_REASON_BYTES, "a is %.9g au, no ellipse", orbit->semi_major_axis);
        return false;
    }
    if (!(fabs(orbit->epoch) < 1e7)) {
        snprintf(reason, CATALOGUE_REASON_BYTES, "epoch_mjd is %.9g, no date", orbit->epoch);
        return false;
    }
    return true;
}

static bool read_orbit(const catalogue_sheet *sheet, json_t *row, orbit_elements *orbit,
                       char reason[CATALOGUE_REASON_BYTES]) {
    double value[ORBIT_COLUMNS];
    for (int column = 0; column < ORBIT_COLUMNS; column++) {
        json_t *cell = cell_of(sheet, row, column);
        value[column] = number_of(cell);
        if (isnan(value[column])) {
            snprintf(reason, CATALOGUE_REASON_BYTES, "%s is %s", column_names[column],
                     json_is_null(cell) ? "missing" : "no number");
            return false;
        }
    }
    *orbit = (orbit_elements){
        .semi_major_axis = value[COLUMN_A],
        .eccentricity = value[COLUMN_E],
        .inclination = value[COLUMN_I],
        .node = value[COLUMN_OM],
        .periapsis = value[COLUMN_W],
        .mean_anomaly = value[COLUMN_MA],
        .epoch = value[COLUMN_EPOCH],
    };
    return check_orbit(orbit, reason);
}

static bool read_body(belt_catalogue *catalogue, const catalogue_sheet *sheet, json_t *row, catalogue_body *body,
                      char reason[CATALOGUE_REASON_BYTES]) {
    if (!json_is_array(row) || json_array_size(row) != sheet->width) {
        snprintf(reason, CATALOGUE_REASON_BYTES, "%zu values, %zu are expected", json_array_size(row), sheet->width);
        return false;
    }
    if (!read_orbit(sheet, row, &body->orbit, reason)) {
        return false;
    }
    if (!find_class(catalogue, json_string_value(cell_of(sheet, row, COLUMN_CLASS)), &body->class_index)) {
        snprintf(reason, CATALOGUE_REASON_BYTES, "class is no word of at most %d bytes", CATALOGUE_CLASS_BYTES - 1);
        return false;
    }
    body->magnitude = number_of(cell_of(sheet, row, COLUMN_H));
    body->moid = number_of(cell_of(sheet, row, COLUMN_MOID));
    return true;
}

static void read_row(belt_catalogue *catalogue, const catalogue_sheet *sheet, size_t index) {
    json_t *row = json_array_get(sheet->rows, index);
    const char *name = json_string_value(cell_of(sheet, row, COLUMN_NAME));
    catalogue_body *body = &catalogue->bodies[catalogue->body_count];
    catalogue_unusable *unusable = &catalogue->unusable[catalogue->unusable_count];
    if (read_body(catalogue, sheet, row, body, unusable->reason)) {
        copy_name(body->name, name != NULL ? name : "(no name)");
        catalogue->classes[body->class_index].body_count++;
        catalogue->latest_epoch = fmax(catalogue->latest_epoch, body->orbit.epoch);
        catalogue->body_count++;
    } else {
        copy_name(unusable->name, name != NULL ? name : "(no name)");
        unusable->row = index;
        catalogue->unusable_count++;
    }
}

static int compare_classes(const void *a, const void *b) {
    const catalogue_class *left = a, *right = b;
    if (left->body_count != right->body_count) {
        return left->body_count > right->body_count ? -1 : 1;
    }
    return strcmp(left->code, right->code);
}

/* Sorts the classes and points the bodies to their new places. */
static bool sort_classes(belt_catalogue *catalogue) {
    size_t *new_index = malloc(catalogue->class_count * sizeof *new_index);
    catalogue_class *sorted = malloc(catalogue->class_count * sizeof *sorted);
    bool done = new_index != NULL && sorted != NULL;
    if (done) {
        memcpy(sorted, catalogue->classes, catalogue->class_count * sizeof *sorted);
        qsort(sorted, catalogue->class_count, sizeof *sorted, compare_classes);
        for (size_t i = 0; i < catalogue->class_count; i++) {
            const catalogue_class *found =
                bsearch(&catalogue->classes[i], sorted, catalogue->class_count, sizeof *sorted, compare_classes);
            new_index[i] = (size_t)(found - sorted);
        }
        for (size_t i = 0; i < catalogue->body_count; i++) {
            catalogue->bodies[i].class_index = new_index[catalogue->bodies[i].class_index];
        }
        memcpy(catalogue->classes, sorted, catalogue->class_count * sizeof *sorted);
    }
    free(new_index);
    free(sorted);
    return done;
}

static bool make_room(belt_catalogue *catalogue, size_t row_count) {
    catalogue->row_count = row_count;
    catalogue->latest_epoch = -INFINITY;
    catalogue->bodies = calloc(row_count, sizeof *catalogue->bodies);
    catalogue->classes = calloc(row_count, sizeof *catalogue->classes);
    catalogue->unusable = calloc(row_count, sizeof *catalogue->unusable);
    return catalogue->bodies != NULL && catalogue->classes != NULL && catalogue->unusable != NULL;
}

static bool read_rows(belt_catalogue *catalogue, const catalogue_sheet *sheet) {
    bool done = make_room(catalogue, json_array_size(sheet->rows));
    for (size_t index = 0; done && index < catalogue->row_count; index++) {
        read_row(catalogue, sheet, index);
    }
    if (done && catalogue->body_count == 0) {
        message_error("%s: at \"data[0]\": no row is usable; the first: %s", sheet->path,
                      catalogue->unusable[0].reason);
        return false;
    }
    if (!done || !sort_classes(catalogue)) {
        message_error("%s: out of memory for %zu rows", sheet->path, json_array_size(sheet->rows));
        return false;
    }
    return true;
}

bool catalogue_read(belt_catalogue *catalogue, const char *path) {
    *catalogue = (belt_catalogue){0};
    catalogue_sheet sheet;
    bool done = open_sheet(&sheet, path) && read_rows(catalogue, &sheet);
    json_decref(sheet.root);
    if (!done) {
        catalogue_free(catalogue);
    }
    return done;
}

void catalogue_free(belt_catalogue *catalogue) {
    free(catalogue->bodies);
    free(catalogue->classes);
    free(catalogue->unusable);
    *catalogue = (belt_catalogue){0};
}
