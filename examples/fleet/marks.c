/*
 * Marks. A hull is a polygon of points given as parts of length and beam; turrets and guns are drawn where their own
 * world transforms say, not relative to the hull, so that a wrong transform would be seen.
 * Thread rule: any; a file belongs to its caller.
 */
#include "marks.h"

#include <math.h>

uint32_t marks_colour(const Faction *faction, bool is_asleep) {
    return svg_paler(SVG_COLOUR(faction->colour), is_asleep ? 0.62 : 0.0);
}

svg_point marks_place(const map_chart *chart, float x, float y) {
    return (svg_point){chart->box.x + chart->scale * (double)x, chart->box.y + chart->scale * (double)y};
}

/* A point given relative to a place and its angle. */
static svg_point relative(const map_chart *chart, const WorldTransform *at, float ahead, float beside) {
    float cosine = cosf(at->angle), sine = sinf(at->angle);
    return marks_place(chart, at->x + cosine * ahead - sine * beside, at->y + sine * ahead + cosine * beside);
}

void marks_hull(const map_chart *chart, const WorldTransform *at, const Hull *hull, uint32_t colour) {
    static const float outline[][2] = {{0.50f, 0.0f},    {0.30f, 0.34f},  {0.08f, 0.50f},
                                       {-0.36f, 0.46f},  {-0.50f, 0.28f}, {-0.50f, -0.28f},
                                       {-0.36f, -0.46f}, {0.08f, -0.50f}, {0.30f, -0.34f}};
    svg_point points[sizeof outline / sizeof outline[0]];
    for (size_t i = 0; i < sizeof outline / sizeof outline[0]; i++) {
        points[i] = relative(chart, at, outline[i][0] * hull->length, outline[i][1] * hull->beam);
    }
    svg_polygon(chart->svg, points, sizeof points / sizeof points[0],
                &(svg_style){.fill = svg_paler(colour, 0.66), .stroke = colour, .width = 1.4});
}

void marks_smoke(const map_chart *chart, const WorldTransform *at, const Hull *hull) {
    static const float puffs[][3] = {{-0.46f, 0.05f, 5}, {-0.60f, 0.30f, 8}, {-0.78f, 0.10f, 11}};
    for (size_t i = 0; i < sizeof puffs / sizeof puffs[0]; i++) {
        svg_circle(chart->svg, relative(chart, at, puffs[i][0] * hull->length, puffs[i][1] * hull->beam),
                   chart->scale * (double)puffs[i][2], &(svg_style){.fill = SVG_COLOUR(0x6E7781), .opacity = 0.5});
    }
}

void marks_turret(const map_chart *chart, const WorldTransform *at, float radius, uint32_t colour) {
    svg_circle(chart->svg, marks_place(chart, at->x, at->y), chart->scale * (double)radius,
               &(svg_style){.fill = colour, .stroke = SVG_COLOUR(0xFFFFFF), .width = 0.8});
}

void marks_gun(const map_chart *chart, const WorldTransform *at, float length, uint32_t colour) {
    svg_line(chart->svg, relative(chart, at, 0, 0), relative(chart, at, length, 0),
             &(svg_style){.stroke = colour, .width = 2.2});
}

void marks_path(const map_chart *chart, const WorldTransform *at, shoal_buffer path, uint32_t colour) {
    const Waypoint *points = shoal_buffer_items(path);
    svg_point from = marks_place(chart, at->x, at->y);
    for (size_t i = 0; i < shoal_buffer_count(path); i++) {
        svg_point to = marks_place(chart, points[i].x, points[i].y);
        svg_line(chart->svg, from, to, &(svg_style){.stroke = colour, .width = 1.2, .dash = "1 4"});
        svg_circle(chart->svg, to, 2.2, &(svg_style){.fill = MARKS_SEA, .stroke = colour, .width = 1.2});
        from = to;
    }
}

void marks_loss(svg_file *svg, svg_point at, bool is_noted) {
    svg_cross(svg, at, 5.5, &(svg_style){.stroke = MARKS_LOSS, .width = 2.6});
    if (!is_noted) {
        svg_circle(svg, at, 11, &(svg_style){.stroke = MARKS_LOSS, .width = 1.4, .dash = "3 3"});
    }
}
