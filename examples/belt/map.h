/*
 * A map of the solar system, seen from the north pole of the ecliptic, with the vernal equinox to the right: bodies go
 * round counter-clockwise.
 *
 * Invariant: the Sun is in the middle of the box, and a pixel is the same length in au across and up.
 * Thread rule: one thread at a time for each population and canvas.
 */
#ifndef BELT_MAP_H
#define BELT_MAP_H

#include "canvas.h"
#include "population.h"

typedef struct belt_map {
    const char *title;
    canvas_box box;    /* a square */
    double reach;      /* au from the Sun, in the middle, to each side */
    double scale_bar;  /* au */
    double dot_radius; /* pixels, while the dots are few; smaller for many */
    double date;       /* modified Julian date, for the planets */
    int first_planet;  /* 0 is the Earth, 1 Mars, 2 Jupiter, up to 5, Neptune */
    int last_planet;
} belt_map;

/* Draws the map with each entity as a dot in the colour of its class. False after one line on the standard error
   stream when memory runs out. */
bool map_draw(belt_canvas *canvas, const belt_map *map, const belt_population *population);

#endif
