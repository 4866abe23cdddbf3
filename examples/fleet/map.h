/*
 * The map, fleet.svg: the sea before and after, side by side, with what the marks mean below.
 *
 * The file is written in two goes, since the world has changed in between: map_begin() with the left side, map_end()
 * with the right one.
 * Thread rule: one thread at a time for each scene.
 */
#ifndef FLEET_MAP_H
#define FLEET_MAP_H

#include "scene.h"
#include "svg.h"

/* The size of fleet.svg. */
extern const svg_point map_size;

/* Title, legend, and the ships as they are now, on the left. */
shoal_status map_begin(svg_file *svg, fleet_scene *scene);

/* The ships as they are now, on the right. */
shoal_status map_end(svg_file *svg, fleet_scene *scene);

#endif
