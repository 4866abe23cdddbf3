/*
 * The asteroid belt: real bodies as entities, moved along their orbits, measured against the Earth's, and drawn.
 *
 *     catalogue.c    reads the file             population.c   the world, the queries
 *     orbit.c        elements, frames, dates    motion.c       the step
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

/* The last step ends on the last day, however the days divide into steps. */
static belt_run run_simulation(const belt_population *population, const belt_options *options) {
    belt_run run = {.steps = options_step_count(options), .step_hours = options->step_hours, .days = options->days};
    double start = seconds_now();
    population_measure_distances(population);
    run.distance_seconds = seconds_now() - start;
    start = seconds_now();
    for (size_t step = 1; step <= run.steps; step++) {
        population_step(population, step < run.steps ? (double)step * options->step_hours / 24.0 : options->days);
    }
    run.step_seconds = seconds_now() - start;
    return run;
}

static bool run(const belt_catalogue *catalogue, const belt_options *options) {
    belt_population population;
    if (!report_catalogue(catalogue, options->data_path) || !message_flush_output() ||
        !population_create(&population, catalogue, options->clones)) {
        return false;
    }
    belt_run result = run_simulation(&population, options);
    bool done = report_run(&population, &result) && report_distances(&population) && message_flush_output() &&
                picture_write(&population, result.days, options->output_directory) &&
                export_csv(&population, options->output_directory);
    population_destroy(&population);
    if (done) {
        printf("\nWrote %s/belt.png and %s/belt.csv\n", options->output_directory, options->output_directory);
    }
    return done && message_flush_output();
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
    bool done = output_prepare(options.output_directory) && run(&catalogue, &options);
    catalogue_free(&catalogue);
    return done ? EXIT_DONE : EXIT_FAILED;
}
