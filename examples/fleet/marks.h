/*
 * How ships and their parts look, for the map and for its legend: each mark is drawn from a world transform.
 *
 * A chart turns metres of the sea into pixels of a panel.
 * Thread rule: any; a file belongs to its caller.
 */
#ifndef FLEET_MARKS_H
#define FLEET_MARKS_H

#include "components.h"
#include "svg.h"

/* A part of the picture, and what it shows. */
typedef struct map_chart {
    svg_file *svg;
    svg_box box;  /* pixels */
    double scale; /* pixels for a metre */
} map_chart;

#define MARKS_INK SVG_COLOUR(0x1B1F24)  /* text */
#define MARKS_DIM SVG_COLOUR(0x57606A)  /* second to it */
#define MARKS_RULE SVG_COLOUR(0xB4C3CE) /* frames */
#define MARKS_SEA SVG_COLOUR(0xEDF4F8)
#define MARKS_LOSS SVG_COLOUR(0xA4262C)

/* The colour of a faction; pale when asleep. */
uint32_t marks_colour(const Faction *faction, bool is_asleep);

svg_point marks_place(const map_chart *chart, float x, float y);

void marks_hull(const map_chart *chart, const WorldTransform *at, const Hull *hull, uint32_t colour);
void marks_smoke(const map_chart *chart, const WorldTransform *at, const Hull *hull);
void marks_turret(const map_chart *chart, const WorldTransform *at, float radius, uint32_t colour);
void marks_gun(const map_chart *chart, const WorldTransform *at, float length, uint32_t colour);
void marks_path(const map_chart *chart, const WorldTransform *at, shoal_buffer path, uint32_t colour);

/* A loss: a cross, with a ring round it while it is not noted. */
void marks_loss(svg_file *svg, svg_point at, bool is_noted);

#endif
