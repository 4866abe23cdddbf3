/*
 * cairo for shapes and text; a blend of our own for dots, since a path for each of a million dots takes seconds.
 *
 * The image has 32 bits a pixel, native byte order, 0xAARRGGBB, and is opaque everywhere, so that a blend need not care
 * for the alpha of what is below. cairo buffers what it draws, so the pixels are touched only between a flush and a
 * mark as dirty (canvas_dots_begin, canvas_dots_end).
 */
#include "canvas.h"

#include "kepler.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

const palette_colour canvas_ground = {0.027, 0.039, 0.078};
const palette_colour canvas_panel = {0.047, 0.067, 0.122};
const palette_colour canvas_rule = {0.20, 0.25, 0.36};
const palette_colour canvas_dim = {0.66, 0.71, 0.80};
const palette_colour canvas_bright = {0.95, 0.96, 0.98};

#define FONT_FAMILY "sans-serif"
#define LINE_WIDTH 1.5
#define HALO_WIDTH 4.0

void canvas_begin(belt_canvas *canvas, int width, int height) {
    canvas->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    canvas->cairo = cairo_create(canvas->surface);
    canvas->width = width;
    canvas->height = height;
    canvas_set_colour(canvas, canvas_ground, 1.0);
    cairo_paint(canvas->cairo);
}

static cairo_status_t write_bytes(void *user, const unsigned char *bytes, unsigned int size) {
    return fwrite(bytes, 1, size, user) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

const char *canvas_write_png(belt_canvas *canvas, FILE *file) {
    cairo_status_t status = cairo_status(canvas->cairo);
    if (status == CAIRO_STATUS_SUCCESS) {
        errno = 0;
        status = cairo_surface_write_to_png_stream(canvas->surface, write_bytes, file);
    }
    if (status == CAIRO_STATUS_WRITE_ERROR && errno != 0) {
        return strerror(errno);
    }
    return status == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(status);
}

void canvas_end(belt_canvas *canvas) {
    cairo_destroy(canvas->cairo);
    cairo_surface_destroy(canvas->surface);
}

void canvas_set_colour(belt_canvas *canvas, palette_colour colour, double opacity) {
    cairo_set_source_rgba(canvas->cairo, colour.red, colour.green, colour.blue, opacity);
}

void canvas_fill_box(belt_canvas *canvas, canvas_box box, palette_colour colour) {
    canvas_set_colour(canvas, colour, 1.0);
    cairo_rectangle(canvas->cairo, box.x, box.y, box.width, box.height);
    cairo_fill(canvas->cairo);
}

void canvas_stroke_box(belt_canvas *canvas, canvas_box box, palette_colour colour) {
    canvas_set_colour(canvas, colour, 1.0);
    cairo_set_line_width(canvas->cairo, LINE_WIDTH);
    cairo_rectangle(canvas->cairo, box.x, box.y, box.width, box.height);
    cairo_stroke(canvas->cairo);
}

void canvas_stroke_line(belt_canvas *canvas, const double from[2], const double to[2], palette_colour colour) {
    canvas_set_colour(canvas, colour, 1.0);
    cairo_set_line_width(canvas->cairo, LINE_WIDTH);
    cairo_move_to(canvas->cairo, from[0], from[1]);
    cairo_line_to(canvas->cairo, to[0], to[1]);
    cairo_stroke(canvas->cairo);
}

void canvas_disc(belt_canvas *canvas, double x, double y, double radius, palette_colour colour) {
    canvas_set_colour(canvas, colour, 1.0);
    cairo_new_path(canvas->cairo);
    cairo_arc(canvas->cairo, x, y, radius, 0.0, 2.0 * KEPLER_PI);
    cairo_fill(canvas->cairo);
}

void canvas_text(belt_canvas *canvas, double x, double y, const canvas_font *font, const char *text) {
    cairo_t *cairo = canvas->cairo;
    cairo_text_extents_t extents;
    cairo_select_font_face(cairo, FONT_FAMILY, CAIRO_FONT_SLANT_NORMAL,
                           font->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, font->size);
    cairo_text_extents(cairo, text, &extents);
    cairo_move_to(cairo, x - font->anchor * extents.x_advance, y);
    cairo_text_path(cairo, text);
    canvas_set_colour(canvas, canvas_panel, 0.8);
    cairo_set_line_width(cairo, HALO_WIDTH);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke_preserve(cairo);
    canvas_set_colour(canvas, font->colour, 1.0);
    cairo_fill(cairo);
}

void canvas_dots_begin(belt_canvas *canvas) {
    cairo_surface_flush(canvas->surface);
}

void canvas_dots_end(belt_canvas *canvas) {
    cairo_surface_mark_dirty(canvas->surface);
}

static uint32_t blend_channel(uint32_t below, double above, double opacity) {
    return (uint32_t)((double)below + (255.0 * above - (double)below) * opacity + 0.5);
}

static uint32_t blend(uint32_t below, const palette_colour *above, double opacity) {
    uint32_t red = blend_channel(below >> 16 & 0xFF, above->red, opacity);
    uint32_t green = blend_channel(below >> 8 & 0xFF, above->green, opacity);
    uint32_t blue = blend_channel(below & 0xFF, above->blue, opacity);
    return 0xFF000000u | red << 16 | green << 8 | blue;
}

/* The part of a pixel that a disc covers, from the distance of their centres: smooth over one pixel at the rim. */
static double coverage(double dx, double dy, double radius) {
    double inside = radius + 0.5 - sqrt(dx * dx + dy * dy);
    return inside < 0.0 ? 0.0 : inside > 1.0 ? 1.0 : inside;
}

static bool box_holds(const canvas_box *box, double x, double y, double margin) {
    return x - margin >= box->x && y - margin >= box->y && x + margin <= box->x + box->width &&
           y + margin <= box->y + box->height;
}

void canvas_dot(const belt_canvas *canvas, const canvas_pen *pen, double x, double y) {
    canvas_box image = {0.0, 0.0, canvas->width, canvas->height};
    unsigned char *data = cairo_image_surface_get_data(canvas->surface);
    double margin = pen->radius + 1.0;
    if (data == NULL || !box_holds(&pen->clip, x, y, margin) || !box_holds(&image, x, y, margin)) {
        return;
    }
    int stride = cairo_image_surface_get_stride(canvas->surface);
    for (int row = (int)(y - margin); row <= (int)(y + margin) && row < canvas->height; row++) {
        for (int column = (int)(x - margin); column <= (int)(x + margin) && column < canvas->width; column++) {
            double opacity = pen->opacity * coverage(column + 0.5 - x, row + 0.5 - y, pen->radius);
            unsigned char *place = data + (ptrdiff_t)row * stride + (ptrdiff_t)column * 4;
            uint32_t pixel;
            memcpy(&pixel, place, sizeof pixel);
            pixel = blend(pixel, &pen->colour, opacity);
            memcpy(place, &pixel, sizeof pixel);
        }
    }
}
