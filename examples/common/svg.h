/*
 * SVG as it is needed here: lines, boxes, circles, polygons and text, written straight into a file.
 *
 * Coordinates are pixels, y goes down. A style's colour of 0 means none, so that a zero-initialised style draws
 * nothing. A file is open from svg_open() until svg_close() or svg_abandon(), of which exactly one is called; one that
 * could not be written whole is removed again. Thread rule: any; a file belongs to its caller.
 */
#ifndef EXAMPLES_SVG_H
#define EXAMPLES_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SVG_PATH_BYTES 4096

typedef struct svg_file {
    FILE *file;
    char path[SVG_PATH_BYTES];
    int clip_count;
} svg_file;

typedef struct svg_point {
    double x, y;
} svg_point;

typedef struct svg_box {
    double x, y, width, height;
} svg_box;

/* An opaque colour out of 0xRRGGBB. */
#define SVG_COLOUR(rgb) (UINT32_C(0xFF000000) | (rgb))

typedef struct svg_style {
    uint32_t fill, stroke;
    double width;     /* of the stroke; default 1 */
    double opacity;   /* default 1 */
    const char *dash; /* as in stroke-dasharray; NULL: a whole line */
} svg_style;

typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;

typedef struct svg_font {
    double size;
    uint32_t colour;
    svg_anchor anchor;
    bool is_bold;
    uint32_t halo; /* a rim round the letters, so that they are read on any ground */
} svg_font;

/* Makes the directory if it is not there, opens the file, and writes the head. False after one line on the standard
   error stream. */
bool svg_open(svg_file *svg, const char *directory, const char *name, svg_point size);

/* Writes the end. False after one line when anything could not be written. */
bool svg_close(svg_file *svg);

/* Closes and removes a file that is not to be kept. */
void svg_abandon(svg_file *svg);

void svg_line(svg_file *svg, svg_point from, svg_point to, const svg_style *style);
void svg_rectangle(svg_file *svg, svg_box box, double round, const svg_style *style);
void svg_circle(svg_file *svg, svg_point centre, double radius, const svg_style *style);
void svg_polygon(svg_file *svg, const svg_point *points, size_t count, const svg_style *style);
void svg_polyline(svg_file *svg, const svg_point *points, size_t count, const svg_style *style);
void svg_cross(svg_file *svg, svg_point centre, double reach, const svg_style *style);
void svg_text(svg_file *svg, svg_point at, const svg_font *font, const char *text);

/* What is drawn between the two is cut at the box. */
void svg_clip_begin(svg_file *svg, svg_box box);
void svg_clip_end(svg_file *svg);

/* About as wide as svg_text() makes it. */
double svg_text_width(const svg_font *font, const char *text);

/* A colour that much paler: 0 leaves it, 1 makes it white. */
uint32_t svg_paler(uint32_t colour, double part);

#endif
