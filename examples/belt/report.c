/*
 * The report on the standard output. Distances are gathered from the world into an array and sorted there.
 *
 * The array holds handles, not pointers, so names and orbits of the few rows that are shown are looked up afterwards.
 */
#include "report.h"

#include "message.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NEAREST_ROWS 10
#define DATE_BYTES 64

static bool print_table(text_table *table) {
    bool done = table_print(table, stdout);
    if (!done) {
        message_error("out of memory for a table");
    }
    return done;
}

bool report_catalogue(const belt_catalogue *catalogue, const char *path) {
    char rows[TABLE_GROUPED_BYTES], bodies[TABLE_GROUPED_BYTES], unusable[TABLE_GROUPED_BYTES];
    printf("%s: %s rows, %s bodies, %s unusable\n", path, text_grouped(rows, catalogue->row_count),
           text_grouped(bodies, catalogue->body_count), text_grouped(unusable, catalogue->unusable_count));
    text_table table = {.alignment = "lll"};
    for (size_t i = 0; i < catalogue->unusable_count; i++) {
        char place[TABLE_GROUPED_BYTES];
        table_cell(&table, "unusable: row %s", text_grouped(place, catalogue->unusable[i].row + 1));
        table_cell(&table, "%s", catalogue->unusable[i].name);
        table_cell(&table, "%s", catalogue->unusable[i].reason);
    }
    return print_table(&table);
}

static void add_classes(text_table *table, const belt_catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->class_count; i++) {
        char count[TABLE_GROUPED_BYTES];
        table_cell(table, "  class %s", catalogue->classes[i].code);
        table_cell(table, "%s", text_grouped(count, catalogue->classes[i].body_count));
    }
}

static void add_speed(text_table *table, const belt_run *run, uint64_t entity_count) {
    double seconds = run->step_seconds / (double)run->steps;
    table_cell(table, "workers");
    table_cell(table, "%u", (unsigned)run->workers);
    table_cell(table, "time per step");
    table_cell(table, "%.3f ms", 1e3 * seconds);
    table_cell(table, "time per entity");
    table_cell(table, "%.1f ns", 1e9 * seconds / (double)entity_count);
    table_cell(table, "entities per second");
    table_cell(table, "%.1f million", 1e-6 * (double)entity_count / seconds);
}

bool report_run(const belt_population *population, const belt_run *run) {
    uint64_t entity_count = shoal_query_count(population->moving);
    uint64_t body_count = shoal_query_count(population->bodies);
    char text[TABLE_GROUPED_BYTES];
    char date[DATE_BYTES];
    text_table table = {.alignment = "lr"};
    table_cell(&table, "bodies");
    table_cell(&table, "%s", text_grouped(text, body_count));
    add_classes(&table, population->catalogue);
    table_cell(&table, "clones");
    table_cell(&table, "%s", text_grouped(text, entity_count - body_count));
    table_cell(&table, "first day");
    orbit_date_format(population->start, date, sizeof date);
    table_cell(&table, "%s", date);
    table_cell(&table, "last day");
    orbit_date_format(population->start + run->days, date, sizeof date);
    table_cell(&table, "%s", date);
    table_cell(&table, "steps of %g h", run->step_hours);
    table_cell(&table, "%s", text_grouped(text, run->steps));
    if (run->steps > 0) {
        add_speed(&table, run, entity_count);
    }
    table_cell(&table, "time per orbit distance");
    table_cell(&table, "%.1f us", 1e6 * run->distance_seconds / (double)body_count);
    printf("\n");
    return print_table(&table);
}

/* A body's distance to the Earth's orbit; `difference` is NAN where the catalogue has none. */
typedef struct measured {
    shoal_entity entity;
    double distance;
    double difference;
} measured;

static int compare_numbers(double a, double b) {
    return (a > b) - (a < b);
}

static int compare_distance(const void *a, const void *b) {
    return compare_numbers(((const measured *)a)->distance, ((const measured *)b)->distance);
}

/* Bodies without a difference go to the end. */
static int compare_difference(const void *a, const void *b) {
    double left = fabs(((const measured *)a)->difference), right = fabs(((const measured *)b)->difference);
    return compare_numbers(isnan(left) ? INFINITY : left, isnan(right) ? INFINITY : right);
}

static measured *measure_all(const belt_population *population, size_t count) {
    measured *all = malloc(count * sizeof *all);
    if (all == NULL) {
        message_error("out of memory for %zu distances", count);
        return NULL;
    }
    size_t filled = 0;
    shoal_view view;
    shoal_view_begin(&view, population->bodies);
    while (shoal_view_next(&view)) {
        const EarthDistance *distance = SHOAL_COLUMN(&view, EarthDistance);
        const CatalogueDistance *catalogue = SHOAL_COLUMN(&view, CatalogueDistance);
        for (size_t i = 0; i < view.count; i++) {
            double difference = catalogue != NULL ? distance[i].au - catalogue[i].au : NAN;
            all[filled++] = (measured){view.entities[i], distance[i].au, difference};
        }
    }
    return all;
}

static const char *name_of(const belt_population *population, shoal_entity entity) {
    return SHOAL_GET(population->world, entity, Name)->text;
}

static double median_difference(const measured *all, size_t count) {
    return 0.5 * (fabs(all[(count - 1) / 2].difference) + fabs(all[count / 2].difference));
}

/* `all` is sorted by difference, the unknown ones last. */
static void print_differences(const belt_population *population, const measured *all, size_t count) {
    size_t known = count;
    while (known > 0 && isnan(all[known - 1].difference)) {
        known--;
    }
    char text[TABLE_GROUPED_BYTES];
    printf("\nDistance to the Earth's orbit, computed less catalogue (%s bodies)\n", text_grouped(text, known));
    if (known > 0) {
        const measured *worst = &all[known - 1];
        printf("  median  %.6f au\n", median_difference(all, known));
        printf("  worst   %.6f au  %s\n", fabs(worst->difference), name_of(population, worst->entity));
    }
}

static void add_nearest(text_table *table, const belt_population *population, const measured *body) {
    const Orbit *orbit = SHOAL_GET(population->world, body->entity, Orbit);
    const Magnitude *magnitude = SHOAL_HAS(population->world, body->entity, Magnitude)
                                     ? SHOAL_GET(population->world, body->entity, Magnitude)
                                     : NULL;
    table_cell(table, "%s", name_of(population, body->entity));
    table_cell(table, "%s", population->catalogue->classes[population_class_of(population, body->entity)].code);
    table_cell(table, "%.4f", orbit->semi_major_axis);
    table_cell(table, "%.4f", orbit->eccentricity);
    table_cell(table, "%.2f", orbit->inclination);
    if (magnitude != NULL) {
        table_cell(table, "%.2f", magnitude->h);
    } else {
        table_cell(table, "-");
    }
    table_cell(table, "%.5f", body->distance);
    if (isnan(body->difference)) {
        table_cell(table, "-");
        table_cell(table, "-");
    } else {
        table_cell(table, "%.5f", body->distance - body->difference);
        table_cell(table, "%+.5f", body->difference);
    }
}

/* `all` is sorted by distance. */
static bool print_nearest(const belt_population *population, const measured *all, size_t count) {
    static const char *const heads[] = {"body",        "class",        "a au",         "e", "i deg", "H",
                                        "distance au", "catalogue au", "difference au"};
    text_table table = {.alignment = "llrrrrrrr"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        table_cell(&table, "%s", heads[i]);
    }
    for (size_t i = 0; i < count && i < NEAREST_ROWS; i++) {
        add_nearest(&table, population, &all[i]);
    }
    printf("\nThe orbits nearest to the Earth's\n");
    return print_table(&table);
}

static void print_closest(const belt_population *population) {
    const Closest *closest = SHOAL_UNIQUE(population->world, Closest);
    char date[DATE_BYTES];
    orbit_date_format(population->start + closest->day, date, sizeof date);
    printf("\nNearest to the Earth itself in any step: %s, %.4f au on %s\n", name_of(population, closest->body),
           closest->au, date);
}

bool report_distances(const belt_population *population) {
    size_t count = (size_t)shoal_query_count(population->bodies);
    measured *all = measure_all(population, count);
    if (all == NULL) {
        return false;
    }
    qsort(all, count, sizeof *all, compare_difference);
    print_differences(population, all, count);
    qsort(all, count, sizeof *all, compare_distance);
    bool done = print_nearest(population, all, count);
    free(all);
    print_closest(population);
    return done;
}

bool report_systems(const belt_population *population) {
    printf("\nWhat each system took\n");
    bool done = shoal_schedule_table(population->world, shoal_write_file, stdout) == SHOAL_OK;
    if (!done) {
        population_report_error(population);
    }
    return done;
}

static void add_comparison(text_table *table, const belt_run *run) {
    char text[TABLE_GROUPED_BYTES];
    table_cell(table, "%u", (unsigned)run->workers);
    table_cell(table, "%s",
               run->steps > 0 ? text_grouped(text, (uint64_t)((double)run->steps / run->step_seconds)) : "-");
    if (run->hash != 0) {
        table_cell(table, "%016" PRIx64, run->hash);
    } else {
        table_cell(table, "-");
    }
}

bool report_comparison(const belt_run *first, const belt_run *second) {
    text_table table = {.alignment = "rrr"};
    table_cell(&table, "workers");
    table_cell(&table, "steps a second");
    table_cell(&table, "hash of the world");
    add_comparison(&table, first);
    add_comparison(&table, second);
    printf("\nThe same with another number of workers\n");
    bool done = print_table(&table);
    if (first->hash != second->hash) {
        message_error("the two runs differ");
        return false;
    }
    return done;
}
