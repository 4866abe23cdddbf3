/*
 * HTML without scripts: whatever is shown was worked out by the program.
 *
 * See page.h. Thread rule: one thread at a time.
 */
#include "page.h"

#include "chart.h"
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>bounce</title>\n"
    "<style>\n"
    "body { margin: 0 auto; max-width: 1060px; padding: 24px; background: #f4f5f8; color: #1d2433;\n"
    "       font: 15px/1.5 'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif; }\n"
    "h1 { font-size: 24px; margin: 0 0 4px; }\n"
    "p { margin: 0 0 16px; color: #4b5568; }\n"
    ".top { display: flex; flex-wrap: wrap; gap: 20px; align-items: flex-start; }\n"
    "img { display: block; max-width: 100%; border-radius: 6px; }\n"
    ".chart { background: #fff; margin-top: 20px; }\n"
    "table { border-collapse: collapse; flex: 1; min-width: 320px; background: #fff; border-radius: 6px; }\n"
    "td { padding: 6px 12px; border-bottom: 1px solid #e3e6ee; }\n"
    "td + td { text-align: right; font-variant-numeric: tabular-nums; }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n";

static void write_film(const page_run *run, FILE *file) {
    if (film_is_supported()) {
        fprintf(file, "<img src=\"%s\" width=\"%d\" height=\"%d\" alt=\"The gas, moving\">\n", FILM_NAME,
                run->film->width, run->film->height);
    } else {
        fprintf(file, "<img src=\"frame_%05zu.png\" width=\"%d\" height=\"%d\" alt=\"The gas at the end\">\n",
                run->last_frame, run->film->width, run->film->height);
    }
}

static void write_numbers(const page_run *run, FILE *file) {
    const history_note *last = &run->history->notes[run->history->count - 1];
    fprintf(file, "<table>\n");
    fprintf(file, "<tr><td>balls</td><td>%zu</td></tr>\n", run->options->gas.balls);
    fprintf(file, "<tr><td>steps of 1/20 s</td><td>%zu</td></tr>\n", last->step);
    fprintf(file, "<tr><td>collisions</td><td>%" PRIu64 "</td></tr>\n", last->ledger.collisions);
    fprintf(file, "<tr><td>hits on the walls</td><td>%" PRIu64 "</td></tr>\n", last->ledger.wall_hits);
    fprintf(file, "<tr><td>energy, relative drift</td><td>%.1e</td></tr>\n", last->energy_drift);
    fprintf(file, "<tr><td>momentum, relative error, walls counted</td><td>%.1e</td></tr>\n", last->momentum_error);
    fprintf(file, "<tr><td>distance from Maxwell and Boltzmann: first</td><td>%.4f</td></tr>\n",
            run->history->first.distance);
    fprintf(file, "<tr><td>last</td><td>%.4f</td></tr>\n", last->distance);
    fprintf(file, "<tr><td>chance alone, 99 of 100</td><td>%.4f</td></tr>\n",
            speeds_distance_by_chance(run->options->gas.balls));
    if (last->hash != 0) {
        fprintf(file, "<tr><td>hash of the world</td><td>%016" PRIx64 "</td></tr>\n", last->hash);
    }
    fprintf(file, "</table>\n");
}

static void write_chart(FILE *file, const char *name, svg_point size, const char *text) {
    fprintf(file, "<img class=\"chart\" src=\"%s\" width=\"%g\" height=\"%g\" alt=\"%s\">\n", name, size.x, size.y,
            text);
}

bool page_write(const page_run *run, const char *directory) {
    output_file output;
    if (!output_open(&output, directory, "bounce.html")) {
        return false;
    }
    FILE *file = output.file;
    errno = 0;
    fputs(head, file);
    fputs("<h1>bounce</h1>\n"
          "<p>A gas of hard discs of three sizes. The colour is the speed, from blue to yellow.</p>\n"
          "<div class=\"top\">\n",
          file);
    write_film(run, file);
    write_numbers(run, file);
    fputs("</div>\n", file);
    write_chart(file, CHART_SPEEDS_NAME, chart_speeds_size, "Speeds of each kind");
    write_chart(file, CHART_BALANCE_NAME, chart_balance_size, "Energy and momentum over time");
    fputs("</body>\n</html>\n", file);
    return ferror(file) == 0 ? output_close(&output) : output_abandon(&output, strerror(errno != 0 ? errno : EIO));
}
