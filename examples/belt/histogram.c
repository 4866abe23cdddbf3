/*
 * One panel of the picture: bars for each hundredth of an au, the classes one on the other, and the Kirkwood gaps.
 *
 *      | title                |
 *      |    3:1  5:2 7:3 2:1  |   the gaps' labels, above the plot
 *      |  bars                |   `plot`
 *      |  axis      outside   |
 *
 * Each body of a belt class is in one bar or among the `outside_count`.
 */
#include "histogram.h"

#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FROM_AU 2.0
#define TO_AU 3.6
#define BINS 160
#define BELT_CLASSES 3

static const char *const belt_classes[BELT_CLASSES] = {"IMB", "MBA", "OMB"};

/* Where a body goes round the Sun so many times while Jupiter does once or more. */
typedef struct kirkwood_gap {
    double au;
    const char *ratio;
} kirkwood_gap;

static const kirkwood_gap gaps[] = {{2.50, "3:1"}, {2.82, "5:2"}, {2.95, "7:3"}, {3.27, "2:1"}};

typedef struct belt_histogram {
    canvas_box plot; /* the area of the bars */
    unsigned counts[BELT_CLASSES][BINS];
    size_t class_indices[BELT_CLASSES]; /* into the catalogue; its class_count for a class that is not there */
    uint64_t body_count;
    uint64_t outside_count; /* bodies that have no bar */
    unsigned top;           /* the count at the upper edge */
} belt_histogram;

static void count_rows(belt_histogram *histogram, int belt_class, shoal_query *query) {
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next(&view)) {
        const Orbit *orbit = SHOAL_COLUMN(&view, Orbit);
        for (size_t i = 0; i < view.count; i++) {
            double place = (orbit[i].semi_major_axis - FROM_AU) * (BINS / (TO_AU - FROM_AU));
            if (place >= 0.0 && place < BINS) {
                histogram->counts[belt_class][(int)place]++;
                histogram->body_count++;
            } else {
                histogram->outside_count++;
            }
        }
    }
}

static bool count_class(belt_histogram *histogram, int belt_class, const belt_population *population) {
    const belt_catalogue *catalogue = population->catalogue;
    size_t index = 0;
    while (index < catalogue->class_count && strcmp(catalogue->classes[index].code, belt_classes[belt_class]) != 0) {
        index++;
    }
    histogram->class_indices[belt_class] = index;
    if (index == catalogue->class_count) {
        return true;
    }
    shoal_query *query = population_class_query(population, index, SHOAL_ID(Orbit), false);
    if (query == NULL) {
        return false;
    }
    count_rows(histogram, belt_class, query);
    shoal_query_destroy(query);
    return true;
}

/* The next multiple of ten above the highest bar. */
static void find_top(belt_histogram *histogram) {
    unsigned highest = 0;
    for (int bin = 0; bin < BINS; bin++) {
        unsigned height = 0;
        for (int belt_class = 0; belt_class < BELT_CLASSES; belt_class++) {
            height += histogram->counts[belt_class][bin];
        }
        highest = height > highest ? height : highest;
    }
    histogram->top = (highest / 10 + 1) * 10;
}

static double x_of(const belt_histogram *histogram, double au) {
    return histogram->plot.x + histogram->plot.width * (au - FROM_AU) / (TO_AU - FROM_AU);
}

static double y_of(const belt_histogram *histogram, double count) {
    return histogram->plot.y + histogram->plot.height * (1.0 - count / histogram->top);
}

static void draw_bars(belt_canvas *canvas, const belt_histogram *histogram) {
    double width = histogram->plot.width / BINS;
    for (int bin = 0; bin < BINS; bin++) {
        unsigned below = 0;
        for (int belt_class = 0; belt_class < BELT_CLASSES; belt_class++) {
            unsigned above = below + histogram->counts[belt_class][bin];
            double top = y_of(histogram, above);
            canvas_box bar = {histogram->plot.x + bin * width, top, width - 1.0, y_of(histogram, below) - top};
            canvas_fill_box(canvas, bar,
                            palette_of_class(belt_classes[belt_class], histogram->class_indices[belt_class]));
            below = above;
        }
    }
}

static void draw_axes(belt_canvas *canvas, const belt_histogram *histogram) {
    const canvas_box *plot = &histogram->plot;
    canvas_font across = {.size = 16.0, .anchor = 0.5, .colour = canvas_dim};
    canvas_font up = {.size = 16.0, .anchor = 1.0, .colour = canvas_dim};
    double bottom = plot->y + plot->height;
    char text[32];
    for (int tenth = 20; tenth <= 36; tenth += 2) {
        double x = x_of(histogram, tenth / 10.0);
        canvas_stroke_line(canvas, (double[]){x, bottom}, (double[]){x, bottom + 6.0}, canvas_dim);
        snprintf(text, sizeof text, "%.1f", tenth / 10.0);
        canvas_text(canvas, x, bottom + 24.0, &across, text);
    }
    unsigned stride = histogram->top > 60 ? (histogram->top / 60 + 1) * 10 : 10;
    for (unsigned count = 0; count <= histogram->top; count += stride) {
        double y = y_of(histogram, count);
        canvas_stroke_line(canvas, (double[]){plot->x, y}, (double[]){plot->x + plot->width, y},
                           count == 0 ? canvas_dim : canvas_rule);
        snprintf(text, sizeof text, "%u", count);
        canvas_text(canvas, plot->x - 8.0, y + 6.0, &up, text);
    }
    canvas_text(canvas, plot->x + 0.5 * plot->width, bottom + 50.0, &across, "semi-major axis, au");
}

static void draw_gaps(belt_canvas *canvas, const belt_histogram *histogram) {
    const canvas_box *plot = &histogram->plot;
    const double dash[] = {5.0, 4.0};
    canvas_font ratio_font = {.size = 17.0, .anchor = 0.5, .bold = true, .colour = canvas_bright};
    canvas_font place_font = {.size = 15.0, .anchor = 0.5, .colour = canvas_bright};
    char text[32];
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        double x = x_of(histogram, gaps[i].au);
        cairo_set_dash(canvas->cairo, dash, 2, 0.0);
        canvas_stroke_line(canvas, (double[]){x, plot->y - 4.0}, (double[]){x, plot->y + plot->height}, canvas_bright);
        cairo_set_dash(canvas->cairo, NULL, 0, 0.0);
        canvas_text(canvas, x, plot->y - 30.0, &ratio_font, gaps[i].ratio);
        snprintf(text, sizeof text, "%.2f", gaps[i].au);
        canvas_text(canvas, x, plot->y - 11.0, &place_font, text);
    }
}

static void draw_title(belt_canvas *canvas, const canvas_box *box, const belt_histogram *histogram) {
    const canvas_font title_font = {.size = 19.0, .bold = true, .colour = canvas_bright};
    const canvas_font note_font = {.size = 16.0, .anchor = 1.0, .colour = canvas_dim};
    char text[96], count[TABLE_GROUPED_BYTES];
    snprintf(text, sizeof text, "%s main-belt bodies by semi-major axis, and the Kirkwood gaps",
             text_grouped(count, histogram->body_count));
    canvas_text(canvas, box->x + 20.0, box->y + 34.0, &title_font, text);
    snprintf(text, sizeof text, "%s outside", text_grouped(count, histogram->outside_count));
    canvas_text(canvas, box->x + box->width - 28.0, box->y + box->height - 18.0, &note_font, text);
}

bool histogram_draw(belt_canvas *canvas, canvas_box box, const belt_population *population) {
    belt_histogram histogram = {.plot = {box.x + 64.0, box.y + 100.0, box.width - 92.0, box.height - 168.0}};
    for (int belt_class = 0; belt_class < BELT_CLASSES; belt_class++) {
        if (!count_class(&histogram, belt_class, population)) {
            return false;
        }
    }
    find_top(&histogram);
    canvas_fill_box(canvas, box, canvas_panel);
    canvas_stroke_box(canvas, box, canvas_rule);
    draw_title(canvas, &box, &histogram);
    draw_axes(canvas, &histogram);
    draw_bars(canvas, &histogram);
    draw_gaps(canvas, &histogram);
    return true;
}
