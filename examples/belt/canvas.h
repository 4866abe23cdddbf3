/*
 * Drawing on an image in memory: text, lines and boxes through cairo, and dots, of which there can be millions,
 * straight into the pixels.
 *
 * Coordinates are pixels from the upper left corner. cairo keeps the first error and ignores what follows, so callers
 * draw without asking and check once, when the canvas is written.
 */
#ifndef BELT_CANVAS_H
#define BELT_CANVAS_H

#include "palette.h"

#include <cairo.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct belt_canvas {
    cairo_surface_t *surface;
    cairo_t *cairo;
    int width, height;
} belt_canvas;

typedef struct canvas_box {
    double x, y, width, height;
} canvas_box;

/* Where text is, seen from its point: 0 starts there, 0.5 is centred on it, 1 ends there. */
typedef struct canvas_font {
    double size;
    double anchor;
    bool bold;
    palette_colour colour;
} canvas_font;

/* What dots look like and where they may be. */
typedef struct canvas_pen {
    canvas_box clip;
    palette_colour colour;
    double radius;
    double opacity;
} canvas_pen;

/* The colours of the picture but for those of the classes. */
extern const palette_colour canvas_ground, canvas_panel, canvas_rule, canvas_dim, canvas_bright;

/* Makes a canvas that is filled with the ground colour. */
void canvas_begin(belt_canvas *canvas, int width, int height);

/* Writes the canvas as PNG. NULL, or what went wrong. */
const char *canvas_write_png(belt_canvas *canvas, FILE *file);

void canvas_end(belt_canvas *canvas);

void canvas_set_colour(belt_canvas *canvas, palette_colour colour, double opacity);
void canvas_fill_box(belt_canvas *canvas, canvas_box box, palette_colour colour);
void canvas_stroke_box(belt_canvas *canvas, canvas_box box, palette_colour colour);

/* A line of 1.5 pixels. */
void canvas_stroke_line(belt_canvas *canvas, const double from[2], const double to[2], palette_colour colour);

/* A filled circle with smooth edges, through cairo. */
void canvas_disc(belt_canvas *canvas, double x, double y, double radius, palette_colour colour);

/* Text on a halo of the panel's colour, so that it can be read above dots. `y` is the base line. */
void canvas_text(belt_canvas *canvas, double x, double y, const canvas_font *font, const char *text);

/* Between these two nothing but canvas_dot() may draw. */
void canvas_dots_begin(belt_canvas *canvas);
void canvas_dots_end(belt_canvas *canvas);

/* A small filled circle with smooth edges; one that does not lie wholly inside of the pen's clip is left out. */
void canvas_dot(const belt_canvas *canvas, const canvas_pen *pen, double x, double y);

#endif
