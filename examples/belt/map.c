/*
 * One panel of the picture, in layers: a dot for each entity, then what must be seen above the dots (planets and
 * their orbits, Sun, scale, captions).
 *
 * Entities are drawn class by class, the largest class first, so that the few of a small class are not hidden. Planets
 * move on ellipses in the ecliptic, which is right to about a hundredth of their distance.
 */
#include "map.h"

#include "kepler.h"
#include "table.h"

#include <math.h>
#include <stdio.h>

typedef struct map_planet {
    const char *name;
    palette_colour colour;
    orbit_elements orbit;
} map_planet;

/* Mean elements of 1 January 2000, 12 h, with the inclination left out; `mean_anomaly` is the mean longitude less the
   longitude of the perihelion. */
#define PLANET_ORBIT(a, e, perihelion, longitude)                                                                      \
    { (a), (e), 0.0, 0.0, (perihelion), (longitude) - (perihelion), ORBIT_EPOCH_2000 }

static const map_planet planets[] = {
    {"Earth", {0.42, 0.68, 1.00}, ORBIT_EARTH},
    {"Mars", {1.00, 0.45, 0.35}, PLANET_ORBIT(1.52371, 0.0934, -23.94, -4.55)},
    {"Jupiter", {0.93, 0.80, 0.63}, PLANET_ORBIT(5.20289, 0.0484, 14.73, 34.40)},
    {"Saturn", {0.94, 0.86, 0.58}, PLANET_ORBIT(9.53668, 0.0539, 92.60, 49.95)},
    {"Uranus", {0.60, 0.88, 0.90}, PLANET_ORBIT(19.18916, 0.0473, 170.95, 313.24)},
    {"Neptune", {0.47, 0.60, 1.00}, PLANET_ORBIT(30.06992, 0.0086, 44.96, -55.12)},
};

/* Dots are large and nearly opaque while all of them together cover at most this part of the map. More are small,
   and so thin that they do not cover more of it, so that density shows. */
#define SMALL_RADIUS 0.8
#define COVERED_PART 0.18
#define LEAST_OPACITY 0.03
#define MOST_OPACITY 0.9

static void to_pixel(const belt_map *map, double x, double y, double pixel[2]) {
    double scale = 0.5 * map->box.width / map->reach;
    pixel[0] = map->box.x + 0.5 * map->box.width + x * scale;
    pixel[1] = map->box.y + 0.5 * map->box.height - y * scale;
}

static void draw_orbit(belt_canvas *canvas, const belt_map *map, const map_planet *planet) {
    const int corners = 256;
    orbit_frame frame = orbit_frame_of(&planet->orbit);
    cairo_new_path(canvas->cairo);
    for (int corner = 0; corner < corners; corner++) {
        double anomaly = 2.0 * KEPLER_PI * corner / corners;
        double from_sun = cos(anomaly) - planet->orbit.eccentricity;
        double pixel[2];
        to_pixel(map, frame.towards[0] * from_sun + frame.along[0] * sin(anomaly),
                 frame.towards[1] * from_sun + frame.along[1] * sin(anomaly), pixel);
        cairo_line_to(canvas->cairo, pixel[0], pixel[1]);
    }
    cairo_close_path(canvas->cairo);
    canvas_set_colour(canvas, planet->colour, 0.55);
    cairo_set_line_width(canvas->cairo, 1.5);
    cairo_stroke(canvas->cairo);
}

static void draw_planet(belt_canvas *canvas, const belt_map *map, const map_planet *planet) {
    double place[3], pixel[2];
    orbit_position_at(&planet->orbit, map->date, place);
    to_pixel(map, place[0], place[1], pixel);
    canvas_disc(canvas, pixel[0], pixel[1], 7.5, canvas_panel);
    canvas_disc(canvas, pixel[0], pixel[1], 6.0, planet->colour);
    canvas_font font = {.size = 17.0, .colour = planet->colour, .bold = true};
    canvas_text(canvas, pixel[0] + 11.0, pixel[1] + 6.0, &font, planet->name);
}

static void draw_sun(belt_canvas *canvas, const belt_map *map) {
    double pixel[2];
    to_pixel(map, 0.0, 0.0, pixel);
    canvas_disc(canvas, pixel[0], pixel[1], 6.0, (palette_colour){1.0, 0.93, 0.55});
}

static void draw_scale_bar(belt_canvas *canvas, const belt_map *map) {
    double length = map->scale_bar * 0.5 * map->box.width / map->reach;
    double right = map->box.x + map->box.width - 24.0, y = map->box.y + map->box.height - 24.0;
    double left = right - length;
    canvas_stroke_line(canvas, (double[]){left, y}, (double[]){right, y}, canvas_bright);
    canvas_stroke_line(canvas, (double[]){left, y - 6.0}, (double[]){left, y + 6.0}, canvas_bright);
    canvas_stroke_line(canvas, (double[]){right, y - 6.0}, (double[]){right, y + 6.0}, canvas_bright);
    char text[32];
    snprintf(text, sizeof text, "%g au", map->scale_bar);
    canvas_text(canvas, 0.5 * (left + right), y - 12.0,
                &(canvas_font){.size = 17.0, .anchor = 0.5, .colour = canvas_bright}, text);
}

static bool map_holds(const belt_map *map, const Position *position) {
    return fabs(position->x) <= map->reach && fabs(position->y) <= map->reach;
}

static uint64_t count_inside(const belt_map *map, const belt_population *population) {
    uint64_t count = 0;
    shoal_view view;
    shoal_view_begin(&view, population->moving);
    while (shoal_view_next(&view)) {
        const Position *position = SHOAL_COLUMN(&view, Position);
        for (size_t i = 0; i < view.count; i++) {
            count += map_holds(map, &position[i]);
        }
    }
    return count;
}

static canvas_pen pen_for(const belt_map *map, uint64_t inside_count) {
    double part = COVERED_PART * map->box.width * map->box.height / (KEPLER_PI * fmax((double)inside_count, 1.0));
    bool few = map->dot_radius * map->dot_radius <= part;
    double opacity = few ? MOST_OPACITY : fmin(part / (SMALL_RADIUS * SMALL_RADIUS), MOST_OPACITY);
    return (canvas_pen){
        .clip = map->box,
        .radius = few ? map->dot_radius : SMALL_RADIUS,
        .opacity = fmax(opacity, LEAST_OPACITY),
    };
}

static void draw_captions(belt_canvas *canvas, const belt_map *map, uint64_t outside_count) {
    const canvas_font title_font = {.size = 19.0, .bold = true, .colour = canvas_bright};
    const canvas_font note_font = {.size = 16.0, .colour = canvas_dim};
    char text[96], count[TABLE_GROUPED_BYTES];
    snprintf(text, sizeof text, "%s farther out", text_grouped(count, outside_count));
    canvas_text(canvas, map->box.x + 20.0, map->box.y + 34.0, &title_font, map->title);
    canvas_text(canvas, map->box.x + 20.0, map->box.y + map->box.height - 20.0, &note_font, text);
}

static void draw_dots(belt_canvas *canvas, const belt_map *map, const canvas_pen *pen, shoal_query *query) {
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next(&view)) {
        const Position *position = SHOAL_COLUMN(&view, Position);
        for (size_t i = 0; i < view.count; i++) {
            double pixel[2];
            to_pixel(map, position[i].x, position[i].y, pixel);
            canvas_dot(canvas, pen, pixel[0], pixel[1]);
        }
    }
}

static bool draw_entities(belt_canvas *canvas, const belt_map *map, const belt_population *population, canvas_pen pen) {
    const belt_catalogue *catalogue = population->catalogue;
    bool done = true;
    canvas_dots_begin(canvas);
    for (size_t i = 0; done && i < catalogue->class_count; i++) {
        shoal_query *query = population_class_query(population, i, SHOAL_ID(Position), true);
        done = query != NULL;
        if (done) {
            pen.colour = palette_of_class(catalogue->classes[i].code, i);
            draw_dots(canvas, map, &pen, query);
            shoal_query_destroy(query);
        }
    }
    canvas_dots_end(canvas);
    return done;
}

bool map_draw(belt_canvas *canvas, const belt_map *map, const belt_population *population) {
    canvas_fill_box(canvas, map->box, canvas_panel);
    cairo_save(canvas->cairo);
    cairo_rectangle(canvas->cairo, map->box.x, map->box.y, map->box.width, map->box.height);
    cairo_clip(canvas->cairo);
    uint64_t inside = count_inside(map, population);
    bool done = draw_entities(canvas, map, population, pen_for(map, inside));
    for (int i = map->first_planet; i <= map->last_planet; i++) {
        draw_orbit(canvas, map, &planets[i]);
    }
    draw_sun(canvas, map);
    for (int i = map->first_planet; i <= map->last_planet; i++) {
        draw_planet(canvas, map, &planets[i]);
    }
    draw_scale_bar(canvas, map);
    draw_captions(canvas, map, shoal_query_count(population->moving) - inside);
    cairo_restore(canvas->cairo);
    canvas_stroke_box(canvas, map->box, canvas_rule);
    return done;
}
