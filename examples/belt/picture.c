/*
 * The layout of the picture:
 *
 *     | title                        |
 *     | belt, 6.2 au  | histogram    |
 *     |               | outer | key  |
 */
#include "picture.h"

#include "histogram.h"
#include "map.h"
#include "message.h"
#include "output.h"
#include "table.h"

#include <stdio.h>

#define WIDTH 2060
#define HEIGHT 1200

static const canvas_box belt_box = {40.0, 120.0, 1040.0, 1040.0};
static const canvas_box histogram_box = {1120.0, 120.0, 900.0, 480.0};
static const canvas_box outer_box = {1120.0, 640.0, 520.0, 520.0};
static const canvas_box legend_box = {1680.0, 640.0, 340.0, 520.0};

#define BELT_REACH 6.2
#define OUTER_REACH 60.0
#define LEGEND_ROWS 12

static void draw_title(belt_canvas *canvas, const belt_population *population, double date) {
    char day[64], text[256], bodies[TABLE_GROUPED_BYTES], clones[TABLE_GROUPED_BYTES];
    uint64_t body_count = shoal_query_count(population->bodies);
    uint64_t clone_count = shoal_query_count(population->moving) - body_count;
    orbit_date_format(date, day, sizeof day);
    snprintf(text, sizeof text, "The asteroid belt on %s", day);
    canvas_text(canvas, 40.0, 58.0, &(canvas_font){.size = 36.0, .bold = true, .colour = canvas_bright}, text);
    text_grouped(bodies, body_count);
    text_grouped(clones, clone_count);
    snprintf(text, sizeof text, "%s bodies of the Small-Body Database%s%s%s, seen from above, north of the ecliptic",
             bodies, clone_count > 0 ? " and " : "", clone_count > 0 ? clones : "", clone_count > 0 ? " clones" : "");
    canvas_text(canvas, 40.0, 94.0, &(canvas_font){.size = 20.0, .colour = canvas_dim}, text);
}

static void draw_legend_row(belt_canvas *canvas, const belt_catalogue *catalogue, size_t class_index, double y) {
    const catalogue_class *class = &catalogue->classes[class_index];
    const canvas_font code_font = {.size = 16.0, .bold = true, .colour = canvas_bright};
    const canvas_font name_font = {.size = 16.0, .colour = canvas_bright};
    const canvas_font count_font = {.size = 16.0, .anchor = 1.0, .colour = canvas_dim};
    char count[TABLE_GROUPED_BYTES];
    canvas_disc(canvas, legend_box.x + 28.0, y - 6.0, 7.0, palette_of_class(class->code, class_index));
    canvas_text(canvas, legend_box.x + 46.0, y, &code_font, class->code);
    canvas_text(canvas, legend_box.x + 96.0, y, &name_font, palette_class_name(class->code));
    canvas_text(canvas, legend_box.x + legend_box.width - 20.0, y, &count_font, text_grouped(count, class->body_count));
}

static void draw_legend(belt_canvas *canvas, const belt_catalogue *catalogue) {
    const canvas_font note_font = {.size = 16.0, .colour = canvas_dim};
    canvas_fill_box(canvas, legend_box, canvas_panel);
    canvas_stroke_box(canvas, legend_box, canvas_rule);
    canvas_text(canvas, legend_box.x + 20.0, legend_box.y + 34.0,
                &(canvas_font){.size = 19.0, .bold = true, .colour = canvas_bright}, "Bodies by class");
    double y = legend_box.y + 76.0;
    size_t shown = catalogue->class_count < LEGEND_ROWS ? catalogue->class_count : LEGEND_ROWS;
    for (size_t i = 0; i < shown; i++) {
        draw_legend_row(canvas, catalogue, i, y);
        y += 30.0;
    }
    if (shown < catalogue->class_count) {
        char text[64];
        snprintf(text, sizeof text, "and %zu more classes", catalogue->class_count - shown);
        canvas_text(canvas, legend_box.x + 48.0, y, &note_font, text);
    }
    double bottom = legend_box.y + legend_box.height;
    canvas_text(canvas, legend_box.x + 20.0, bottom - 44.0, &note_font, "Lines: orbits of the planets");
    canvas_text(canvas, legend_box.x + 20.0, bottom - 20.0, &note_font, "To the right: the vernal equinox");
}

static bool draw(belt_canvas *canvas, const belt_population *population, double date) {
    belt_map inner = {
        .title = "The main belt and the Trojans",
        .box = belt_box,
        .reach = BELT_REACH,
        .scale_bar = 1.0,
        .dot_radius = 1.9,
        .date = date,
        .first_planet = 0,
        .last_planet = 2,
    };
    belt_map outer = {
        .title = "The outer solar system",
        .box = outer_box,
        .reach = OUTER_REACH,
        .scale_bar = 10.0,
        .dot_radius = 1.4,
        .date = date,
        .first_planet = 2,
        .last_planet = 5,
    };
    draw_title(canvas, population, date);
    draw_legend(canvas, population->catalogue);
    return map_draw(canvas, &inner, population) && map_draw(canvas, &outer, population) &&
           histogram_draw(canvas, histogram_box, population);
}

static bool write_png(belt_canvas *canvas, const char *directory) {
    output_file output;
    if (!output_open(&output, directory, "belt.png")) {
        return false;
    }
    const char *problem = canvas_write_png(canvas, output.file);
    if (problem != NULL) {
        return output_abandon(&output, problem);
    }
    return output_close(&output);
}

bool picture_write(const belt_population *population, double days, const char *directory) {
    belt_canvas canvas;
    canvas_begin(&canvas, WIDTH, HEIGHT);
    bool done = draw(&canvas, population, population->start + days) && write_png(&canvas, directory);
    canvas_end(&canvas);
    return done;
}
