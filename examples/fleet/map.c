/*
 * The map in layers, each of which is one pass over one query: paths, losses, hulls, turrets, guns; then the labels.
 *
 * Hulls, turrets and guns have nothing to do with each other here. That they fit together in the picture shows that
 * their world transforms do.
 * Thread rule: one thread at a time for each scene.
 */
#include "map.h"

#include "labels.h"
#include "marks.h"

#include <math.h>

#define MARGIN 36.0
#define PANEL_WIDTH 792.0
#define PANEL_SCALE (PANEL_WIDTH / (double)MAP_WIDTH)
#define PANEL_HEIGHT (PANEL_SCALE * (double)MAP_HEIGHT)
#define PANEL_TOP 112.0
#define LEGEND_TOP (PANEL_TOP + PANEL_HEIGHT + 16.0)
#define GRID_METRES 300.0
#define SCALE_BAR_METRES 300.0

const svg_point map_size = {2 * MARGIN + 2 * PANEL_WIDTH + 24.0, LEGEND_TOP + 104.0};

static const svg_box left_panel = {MARGIN, PANEL_TOP, PANEL_WIDTH, PANEL_HEIGHT};
static const svg_box right_panel = {MARGIN + PANEL_WIDTH + 24.0, PANEL_TOP, PANEL_WIDTH, PANEL_HEIGHT};

/* ---- the sea ---- */

static void draw_sea(const map_chart *chart) {
    const svg_style grid = {.stroke = SVG_COLOUR(0xDCE7EE), .width = 1};
    const svg_box *box = &chart->box;
    svg_rectangle(chart->svg, *box, 0, &(svg_style){.fill = MARKS_SEA});
    for (int line = 1; line * GRID_METRES < (double)MAP_WIDTH; line++) {
        double x = box->x + line * GRID_METRES * chart->scale;
        svg_line(chart->svg, (svg_point){x, box->y}, (svg_point){x, box->y + box->height}, &grid);
    }
    for (int line = 1; line * GRID_METRES < (double)MAP_HEIGHT; line++) {
        double y = box->y + line * GRID_METRES * chart->scale;
        svg_line(chart->svg, (svg_point){box->x, y}, (svg_point){box->x + box->width, y}, &grid);
    }
}

static void draw_scale_bar(const map_chart *chart) {
    const svg_style style = {.stroke = MARKS_INK, .width = 1.4};
    const svg_font font = {11, MARKS_INK, SVG_MIDDLE, false, MARKS_SEA};
    double right = chart->box.x + chart->box.width - 18, left = right - SCALE_BAR_METRES * chart->scale;
    double y = chart->box.y + chart->box.height - 16;
    svg_line(chart->svg, (svg_point){left, y}, (svg_point){right, y}, &style);
    svg_line(chart->svg, (svg_point){left, y - 4}, (svg_point){left, y + 4}, &style);
    svg_line(chart->svg, (svg_point){right, y - 4}, (svg_point){right, y + 4}, &style);
    svg_text(chart->svg, (svg_point){0.5 * (left + right), y - 7}, &font, "300 m");
}

/* ---- ships ---- */

static bool is_asleep(const fleet_scene *scene, shoal_entity ship) {
    return shoal_is_enabled(scene->world, ship, SHOAL_ID(Sleeping));
}

/* The smallest box round a hull. */
static svg_box hull_box(const map_chart *chart, const WorldTransform *at, const Hull *hull) {
    double cosine = fabs(cos((double)at->angle)), sine = fabs(sin((double)at->angle));
    double length = chart->scale * (double)hull->length, beam = chart->scale * (double)hull->beam;
    svg_point middle = marks_place(chart, at->x, at->y);
    double width = cosine * length + sine * beam, height = sine * length + cosine * beam;
    return (svg_box){middle.x - 0.5 * width, middle.y - 0.5 * height, width, height};
}

static void label_ship(const fleet_scene *scene, const map_chart *chart, const shoal_view *view, size_t row,
                       label_set *labels) {
    const Hull *hull = SHOAL_COLUMN(view, Hull) + row;
    const char *name = shoal_name(scene->world, view->entities[row]);
    map_label label = {
        .mark = hull_box(chart, SHOAL_COLUMN(view, WorldTransform) + row, hull),
        .colour =
            svg_paler(SVG_COLOUR(SHOAL_ONE(view, Faction)->colour), is_asleep(scene, view->entities[row]) ? 0.3 : 0),
    };
    snprintf(label.lines[0], sizeof label.lines[0], "%s", name != NULL ? name : "");
    snprintf(label.lines[1], sizeof label.lines[1], "hull %.0f of %.0f%s", (double)hull->points, (double)hull->full,
             is_asleep(scene, view->entities[row]) ? ", asleep" : "");
    labels_add(labels, &label);
}

static void avoid_path(const map_chart *chart, const WorldTransform *at, shoal_buffer path, label_set *labels) {
    const Waypoint *points = shoal_buffer_items(path);
    svg_point from = marks_place(chart, at->x, at->y);
    for (size_t i = 0; i < shoal_buffer_count(path); i++) {
        svg_point to = marks_place(chart, points[i].x, points[i].y);
        labels_avoid_line(labels, from, to);
        from = to;
    }
}

static shoal_status draw_paths(const fleet_scene *scene, const map_chart *chart, label_set *labels) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.ships);
    while (shoal_view_next(&view)) {
        const WorldTransform *place = SHOAL_COLUMN(&view, WorldTransform);
        for (size_t i = 0; i < view.count; i++) {
            shoal_buffer path = shoal_view_buffer(&view, SHOAL_ID(Waypoint), i);
            marks_path(chart, &place[i], path,
                       marks_colour(SHOAL_ONE(&view, Faction), is_asleep(scene, view.entities[i])));
            avoid_path(chart, &place[i], path, labels);
        }
    }
    return status;
}

static shoal_status draw_hulls(const fleet_scene *scene, const map_chart *chart, label_set *labels) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.ships);
    while (shoal_view_next(&view)) {
        const WorldTransform *place = SHOAL_COLUMN(&view, WorldTransform);
        const Hull *hull = SHOAL_COLUMN(&view, Hull);
        for (size_t i = 0; i < view.count; i++) {
            marks_hull(chart, &place[i], &hull[i],
                       marks_colour(SHOAL_ONE(&view, Faction), is_asleep(scene, view.entities[i])));
            if (SHOAL_AT(&view, Damaged, i) != NULL) {
                marks_smoke(chart, &place[i], &hull[i]);
            }
            label_ship(scene, chart, &view, i, labels);
        }
    }
    return status;
}

/* ---- turrets and guns ---- */

static shoal_status draw_turrets(const fleet_scene *scene, const map_chart *chart) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.turrets);
    while (shoal_view_next(&view)) {
        const WorldTransform *place = SHOAL_COLUMN(&view, WorldTransform);
        const Turret *turret = SHOAL_COLUMN(&view, Turret);
        const Faction *const *faction = SHOAL_COLUMN_UP(&view, Faction);
        for (size_t i = 0; i < view.count; i++) {
            shoal_entity ship = shoal_parent(scene->world, view.entities[i]);
            marks_turret(chart, &place[i], turret[i].radius, marks_colour(faction[i], is_asleep(scene, ship)));
        }
    }
    return status;
}

static shoal_status draw_guns(const fleet_scene *scene, const map_chart *chart) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.guns);
    while (shoal_view_next(&view)) {
        const WorldTransform *place = SHOAL_COLUMN(&view, WorldTransform);
        const Gun *gun = SHOAL_COLUMN(&view, Gun);
        const Faction *const *faction = SHOAL_COLUMN_UP(&view, Faction);
        for (size_t i = 0; i < view.count; i++) {
            shoal_entity ship = shoal_parent(scene->world, shoal_parent(scene->world, view.entities[i]));
            marks_gun(chart, &place[i], gun[i].length, marks_colour(faction[i], is_asleep(scene, ship)));
        }
    }
    return status;
}

/* ---- losses ---- */

static void draw_loss(const map_chart *chart, const ShipLog *log, bool is_noted, label_set *labels) {
    svg_point at = marks_place(chart, log->x, log->y);
    map_label label = {.mark = {at.x - 12, at.y - 12, 24, 24}, .colour = MARKS_LOSS};
    snprintf(label.lines[0], sizeof label.lines[0], "%s", log->name);
    snprintf(label.lines[1], sizeof label.lines[1], "sunk at second %d%s", log->second + 1,
             is_noted ? "" : ", not noted");
    marks_loss(chart->svg, at, is_noted);
    labels_add(labels, &label);
}

static shoal_status draw_losses(const fleet_scene *scene, const map_chart *chart, label_set *labels) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.wrecks);
    while (shoal_view_next(&view)) {
        const Wreck *wreck = SHOAL_COLUMN(&view, Wreck);
        for (size_t i = 0; i < view.count; i++) {
            draw_loss(chart, &wreck[i].log, true, labels);
        }
    }
    if (status != SHOAL_OK) {
        return status;
    }
    status = shoal_view_begin(&view, scene->query.lost);
    while (shoal_view_next(&view)) {
        const ShipLog *log = SHOAL_COLUMN(&view, ShipLog);
        for (size_t i = 0; i < view.count; i++) {
            draw_loss(chart, &log[i], false, labels);
        }
    }
    return status;
}

/* ---- a panel ---- */

static shoal_status draw_panel(svg_file *svg, fleet_scene *scene, svg_box box, const char *title) {
    const map_chart chart = {svg, box, PANEL_SCALE};
    label_set labels = {.panel = box};
    char text[64];
    snprintf(text, sizeof text, "%s: second %d", title, SHOAL_UNIQUE(scene->world, Clock)->second);
    svg_text(svg, (svg_point){box.x, box.y - 10}, &(svg_font){14, MARKS_INK, SVG_START, true, 0}, text);
    svg_clip_begin(svg, box);
    draw_sea(&chart);
    shoal_status status = draw_paths(scene, &chart, &labels);
    status = status == SHOAL_OK ? draw_losses(scene, &chart, &labels) : status;
    status = status == SHOAL_OK ? draw_hulls(scene, &chart, &labels) : status;
    status = status == SHOAL_OK ? draw_turrets(scene, &chart) : status;
    status = status == SHOAL_OK ? draw_guns(scene, &chart) : status;
    labels_draw(&labels, svg);
    draw_scale_bar(&chart);
    svg_clip_end(svg);
    svg_rectangle(svg, box, 0, &(svg_style){.stroke = MARKS_RULE, .width = 1});
    return status;
}

/* ---- the legend ---- */

static const svg_font legend_font = {12, MARKS_INK, SVG_START, false, 0};

/* A ship as an example: the marks of the map, placed by hand. */
static void draw_sample(const map_chart *chart, const Faction *faction, bool sleeps) {
    const Hull hull = {.length = 150, .beam = 34};
    const WorldTransform at = {0, 0, 0}, turrets[2] = {{40, 0, -0.5f}, {-36, 0, 3.6f}};
    uint32_t colour = marks_colour(faction, sleeps);
    marks_hull(chart, &at, &hull, colour);
    for (size_t i = 0; i < 2; i++) {
        marks_turret(chart, &turrets[i], 11, colour);
        marks_gun(chart, &turrets[i], 32, colour);
    }
}

static void draw_marks(svg_file *svg) {
    static const Faction grey = {0x57606A, "any"};
    const double y = LEGEND_TOP + 66;
    const svg_point samples[] = {{MARGIN + 34, y}, {MARGIN + 330, y}, {MARGIN + 620, y}};
    static const char *const texts[] = {"hull, turrets and guns", "asleep", "damaged"};
    for (size_t i = 0; i < 3; i++) {
        map_chart chart = {svg, {samples[i].x, y, 0, 0}, PANEL_SCALE};
        draw_sample(&chart, &grey, i == 1);
        if (i == 2) {
            marks_smoke(&chart, &(WorldTransform){0, 0, 0}, &(Hull){.length = 150, .beam = 34});
        }
        svg_text(svg, (svg_point){samples[i].x + 46, y + 4}, &legend_font, texts[i]);
    }
    svg_line(svg, (svg_point){MARGIN + 830, y}, (svg_point){MARGIN + 890, y},
             &(svg_style){.stroke = MARKS_DIM, .width = 1.2, .dash = "1 4"});
    svg_circle(svg, (svg_point){MARGIN + 890, y}, 2.2,
               &(svg_style){.fill = SVG_COLOUR(0xFFFFFF), .stroke = MARKS_DIM, .width = 1.2});
    svg_text(svg, (svg_point){MARGIN + 902, y + 4}, &legend_font, "the rest of a path");
    marks_loss(svg, (svg_point){MARGIN + 1126, y}, true);
    svg_text(svg, (svg_point){MARGIN + 1142, y + 4}, &legend_font, "wreck");
    marks_loss(svg, (svg_point){MARGIN + 1270, y}, false);
    svg_text(svg, (svg_point){MARGIN + 1290, y + 4}, &legend_font, "destroyed, loss not noted yet");
}

static shoal_status draw_factions(svg_file *svg, fleet_scene *scene) {
    double x = MARGIN;
    const double y = LEGEND_TOP + 24;
    const Faction *last = NULL;
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.ships);
    while (shoal_view_next(&view)) {
        const Faction *faction = SHOAL_ONE(&view, Faction);
        if (faction != last) {
            svg_rectangle(svg, (svg_box){x, y - 10, 22, 12}, 2, &(svg_style){.fill = SVG_COLOUR(faction->colour)});
            svg_text(svg, (svg_point){x + 30, y}, &legend_font, faction->name);
            x += 130;
        }
        last = faction;
    }
    return status;
}

shoal_status map_begin(svg_file *svg, fleet_scene *scene) {
    svg_text(svg, (svg_point){MARGIN, 44}, &(svg_font){22, MARKS_INK, SVG_START, true, 0}, "Three fleets meet");
    svg_text(
        svg, (svg_point){MARGIN, 68}, &(svg_font){13, MARKS_DIM, SVG_START, false, 0},
        "Ships, turrets and guns are entities of their own; each is drawn where its world transform says, which is "
        "computed from that of its parent.");
    draw_marks(svg);
    shoal_status status = draw_factions(svg, scene);
    return status == SHOAL_OK ? draw_panel(svg, scene, left_panel, "Before") : status;
}

shoal_status map_end(svg_file *svg, fleet_scene *scene) {
    return draw_panel(svg, scene, right_panel, "After");
}
