/*
 * Bounce: a gas of hard discs. Many systems that run on several threads, and a result that does not depend on how many.
 *
 *     components.c   the types                 contact.c   the collision of two discs
 *     gas.c, dice.h  the world and its balls   grid.c      the spatial hash
 *     systems.c      what happens in a step    speeds.c    Maxwell and Boltzmann
 *     history.c      notes of the run          report.c    what is printed
 *     frame.c        frame_*.png               film.c      bounce.webp
 *     chart.c        speeds.svg, balance.svg   page.c      bounce.html
 */
#include "chart.h"
#include "film.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "page.h"
#include "report.h"

#include <stdio.h>
#include <time.h>

const char message_program[] = "bounce";

enum { EXIT_DONE, EXIT_FAILED, EXIT_ARGUMENTS };

/* Lines of the table, beside the first. */
#define TABLE_LINES 10

typedef struct bounce_run {
    const bounce_options *options;
    bounce_gas gas;
    bounce_history history;
    bounce_frame frame;
    bounce_film film;
    size_t frame_count;
    double seconds; /* that the steps took */
} bounce_run;

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Without a world it was a type or the world itself that could not be made, and NULL has the last error. */
static bool fail(const bounce_run *run, shoal_status status) {
    const char *message = shoal_last_error(run->gas.world).message;
    message_error("%s", *message != '\0' ? message : shoal_status_sentence(status));
    return false;
}

static bool draw(bounce_run *run) {
    const char *directory = run->options->output_directory;
    if (directory == NULL) {
        return true;
    }
    frame_draw(&run->frame, &run->gas);
    return frame_write_png(&run->frame, directory, run->frame_count++) && film_add(&run->film, &run->frame);
}

static bool note(bounce_run *run, size_t step) {
    size_t steps = run->options->steps, every = steps > TABLE_LINES ? steps / TABLE_LINES : 1;
    bool is_frame = step % run->options->every == 0 || step == steps;
    bool is_line = step % every == 0 || step == steps;
    if (is_frame || is_line) {
        shoal_status status = history_note_down(&run->history, &run->gas, step);
        if (status != SHOAL_OK) {
            return fail(run, status);
        }
    }
    if (is_line) {
        report_note(&run->history);
    }
    return !is_frame || draw(run);
}

static bool take_steps(bounce_run *run) {
    report_begin(&run->gas, run->options);
    bool is_good = note(run, 0);
    for (size_t step = 1; is_good && step <= run->options->steps; step++) {
        double start = seconds_now();
        shoal_status status = gas_step(&run->gas);
        run->seconds += seconds_now() - start;
        is_good = status == SHOAL_OK ? note(run, step) : fail(run, status);
    }
    if (is_good) {
        report_end(&run->history, run->options, run->seconds);
    }
    return is_good && message_flush_output();
}

static bool pictures_begin(bounce_run *run) {
    const char *directory = run->options->output_directory;
    return directory == NULL ||
           (output_prepare(directory) && frame_begin(&run->frame, &run->gas) && film_begin(&run->film, &run->frame));
}

static bool pictures_write(bounce_run *run) {
    const char *directory = run->options->output_directory;
    if (directory == NULL) {
        return true;
    }
    page_run page = {run->options, &run->history, &run->film, run->frame_count - 1};
    bool is_good = film_write(&run->film, directory) && chart_speeds(&run->history, directory) &&
                   chart_balance(&run->history, directory) && page_write(&page, directory);
    if (is_good) {
        printf("\nwrote %zu frames, %s%s, %s and bounce.html into %s\n", run->frame_count,
               film_is_supported() ? FILM_NAME ", " : "", CHART_SPEEDS_NAME, CHART_BALANCE_NAME, directory);
    }
    return is_good && message_flush_output();
}

static bool run_all(bounce_run *run) {
    shoal_status status = gas_create(&run->gas, &run->options->gas);
    bool is_good = status == SHOAL_OK ? true : fail(run, status);
    is_good = is_good && pictures_begin(run) && take_steps(run) && pictures_write(run);
    film_end(&run->film);
    frame_end(&run->frame);
    history_free(&run->history);
    gas_destroy(&run->gas);
    return is_good;
}

int main(int argc, char **argv) {
    bounce_options options;
    options_result parsed = options_parse(&options, argc, argv);
    if (parsed != OPTIONS_RUN) {
        return parsed == OPTIONS_HELP ? (message_flush_output() ? EXIT_DONE : EXIT_FAILED) : EXIT_ARGUMENTS;
    }
    bounce_run run = {.options = &options};
    return run_all(&run) ? EXIT_DONE : EXIT_FAILED;
}
