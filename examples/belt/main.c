/*
 * The asteroid belt: real bodies as entities, moved along their orbits, measured against the Earth's, and drawn.
 *
 *     catalogue.c    reads the file             population.c   the world, the queries
 *     components.c   the types                  systems.c      what happens in a step
 *     orbit.c        elements, frames, dates    motion.c       places on orbits
 *     kepler.c       Kepler's equation          moid.c         distance between two orbits
 *     report.c       what is printed            export.c       belt.csv
 *     picture.c      belt.png, with map.c, histogram.c, palette.c and canvas.c
 */
#include "catalogue.h"
#include "export.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "picture.h"
#include "population.h"
#include "report.h"

#include <stdio.h>
#include <time.h>

const char message_program[] = "belt";

enum { EXIT_DONE, EXIT_FAILED, EXIT_ARGUMENTS };

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double distance_seconds(const belt_population *population) {
    shoal_system_stats stats = {0};
    (void)shoal_system_stats_get(shoal_system_find(population->world, "distances"), &stats);
    return 1e-9 * (double)stats.nanoseconds;
}

/* Makes the population and takes it through all steps. */
static bool simulate(belt_population *population, belt_run *run, const belt_catalogue *catalogue,
                     const belt_options *options, uint32_t workers) {
    const population_def def = {options->clones, run->days, run->steps, run->step_hours, workers};
    if (!population_create(population, catalogue, &def)) {
        return false;
    }
    run->workers = workers != 0 ? workers : shoal_core_count();
    run->distance_seconds = distance_seconds(population);
    bool done = true;
    double start = seconds_now();
    for (size_t step = 1; done && step <= run->steps; step++) {
        done = population_step(population);
    }
    run->step_seconds = seconds_now() - start;
    done = done && population_hash(population, &run->hash);
    if (!done) {
        population_destroy(population);
    }
    return done;
}

static bool show(const belt_population *population, const belt_run *run, const char *directory) {
    bool done = report_run(population, run) && report_distances(population) && report_systems(population) &&
                message_flush_output() && picture_write(population, run->days, directory) &&
                export_csv(population, directory);
    if (done) {
        printf("\nWrote %s/belt.png and %s/belt.csv\n", directory, directory);
    }
    return done && message_flush_output();
}

/* Not before the first population has gone, as many clones fill the memory. */
static bool compare(const belt_run *first, const belt_catalogue *catalogue, const belt_options *options) {
    belt_population population;
    belt_run second = *first;
    if (!simulate(&population, &second, catalogue, options, options->compare)) {
        return false;
    }
    population_destroy(&population);
    return report_comparison(first, &second) && message_flush_output();
}

static bool run_all(const belt_catalogue *catalogue, const belt_options *options) {
    belt_population population;
    belt_run run = {.steps = options_step_count(options), .step_hours = options->step_hours, .days = options->days};
    if (!report_catalogue(catalogue, options->data_path) || !message_flush_output() ||
        !simulate(&population, &run, catalogue, options, options->workers)) {
        return false;
    }
    bool done = show(&population, &run, options->output_directory);
    population_destroy(&population);
    return done && (options->compare == 0 || compare(&run, catalogue, options));
}

int main(int argc, char **argv) {
    belt_options options;
    options_result parsed = options_parse(&options, argc, argv);
    if (parsed != OPTIONS_RUN) {
        return parsed == OPTIONS_HELP ? (message_flush_output() ? EXIT_DONE : EXIT_FAILED) : EXIT_ARGUMENTS;
    }
    belt_catalogue catalogue;
    if (!catalogue_read(&catalogue, options.data_path)) {
        return EXIT_FAILED;
    }
    bool done = output_prepare(options.output_directory) && run_all(&catalogue, &options);
    catalogue_free(&catalogue);
    return done ? EXIT_DONE : EXIT_FAILED;
}
