/*
 * belt.csv through shoal_csv_query(): the terms of a query become the columns, and the library writes the rows.
 *
 * The query has one term for each class of the catalogue, all in one any-of group, so that each class is a column of 0
 * and 1. Magnitude and CatalogueDistance are optional terms; their fields are empty where the catalogue has no value.
 * Clones lack Name and are therefore left out.
 */
#include "export.h"

#include "message.h"
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The classes' terms form one group of which a body has one. */
#define CLASS_GROUP 1

static shoal_query *make_query(const belt_population *population) {
    const shoal_term before[] = {SHOAL_READ(Name)};
    const shoal_term after[] = {SHOAL_OPTIONAL(Magnitude), SHOAL_READ(Orbit),
                                SHOAL_READ(Position),      SHOAL_READ(Velocity),
                                SHOAL_READ(EarthDistance), SHOAL_OPTIONAL(CatalogueDistance)};
    const size_t before_count = sizeof before / sizeof before[0], after_count = sizeof after / sizeof after[0];
    size_t class_count = population->catalogue->class_count;
    size_t count = before_count + class_count + after_count;
    shoal_term *terms = malloc(count * sizeof *terms);
    if (terms == NULL) {
        message_error("out of memory for %zu terms", count);
        return NULL;
    }
    memcpy(terms, before, sizeof before);
    for (size_t i = 0; i < class_count; i++) {
        terms[before_count + i] =
            (shoal_term){.component = population->class_tags[i], .access = SHOAL_ACCESS_ANY_READ, .group = CLASS_GROUP};
    }
    memcpy(terms + before_count + class_count, after, sizeof after);
    shoal_query *query = shoal_query_create(
        population->world, &(shoal_query_def){.name = "belt.csv", .terms = terms, .term_count = count});
    free(terms);
    if (query == NULL) {
        population_report_error(population);
    }
    return query;
}

static bool write_rows(const belt_population *population, shoal_query *query, const char *directory) {
    output_file output;
    if (!output_open(&output, directory, "belt.csv")) {
        return false;
    }
    errno = 0;
    shoal_status status = shoal_csv_query(query, shoal_write_file, output.file);
    if (status == SHOAL_WRITE_FAILED && errno != 0) {
        return output_abandon(&output, strerror(errno));
    }
    if (status != SHOAL_OK) {
        return output_abandon(&output, shoal_last_error(population->world).message);
    }
    return output_close(&output);
}

bool export_csv(const belt_population *population, const char *directory) {
    shoal_query *query = make_query(population);
    if (query == NULL) {
        return false;
    }
    bool done = write_rows(population, query, directory);
    shoal_query_destroy(query);
    return done;
}
