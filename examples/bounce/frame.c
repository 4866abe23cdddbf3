/*
 * Drawing discs, and writing the picture through cairo.
 *
 * A pixel is covered by a disc as far as its centre is inside of the rim, smooth over the width of a pixel. At a
 * hundred thousand balls a small one is little more than a pixel across, so most of what is seen is such rims: slow
 * balls stay dim and fast ones shine, and a crowd of either is a colour of its own.
 */
#include "frame.h"

#include "message.h"
#include "output.h"

#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 6
/* Pixels; smaller discs are drawn so large, or they would be lost in the film. */
#define RADIUS_LEAST 1.1
#define GROUND 0x070A14u
#define WALL 0x33405Cu

/* From still to fast. */
static const uint32_t stops[] = {0x2F4299, 0x4A63D0, 0xA055D0, 0xF0507A, 0xFFA040, 0xFFF6C4};
enum { STOP_COUNT = sizeof stops / sizeof stops[0] };

static uint32_t mix_channel(uint32_t from, uint32_t to, unsigned shift, double part) {
    double a = (double)(from >> shift & 0xFFu), b = (double)(to >> shift & 0xFFu);
    return (uint32_t)(a + (b - a) * part + 0.5) << shift;
}

static uint32_t mix(uint32_t from, uint32_t to, double part) {
    return mix_channel(from, to, 16, part) | mix_channel(from, to, 8, part) | mix_channel(from, to, 0, part);
}

uint32_t frame_colour(double part) {
    double place = (part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part) * (STOP_COUNT - 1);
    int stop = place < STOP_COUNT - 1 ? (int)place : STOP_COUNT - 2;
    return mix(stops[stop], stops[stop + 1], place - stop);
}

bool frame_begin(bounce_frame *frame, const bounce_gas *gas) {
    double inner = FRAME_WIDTH - 2 * MARGIN;
    *frame = (bounce_frame){.width = FRAME_WIDTH, .scale = inner / gas->box.width};
    frame->height = (2 * MARGIN + (int)ceil(frame->scale * gas->box.height) + 1) / 2 * 2;
    frame->top_speed = 2.5 * sqrt(2.0 * gas->first.energy / gas->first.mass);
    frame->pixels = malloc((size_t)frame->width * (size_t)frame->height * sizeof *frame->pixels);
    if (frame->pixels == NULL) {
        message_error("out of memory for a picture of %d by %d", frame->width, frame->height);
        return false;
    }
    for (size_t i = 0; i < FRAME_COLOURS; i++) {
        frame->colours[i] = frame_colour((double)i / (FRAME_COLOURS - 1));
    }
    return true;
}

void frame_end(bounce_frame *frame) {
    free(frame->pixels);
    frame->pixels = NULL;
}

/* ---- drawing ---- */

static bool is_inside(const bounce_frame *frame, int x, int y) {
    return x >= MARGIN && y >= MARGIN && x < frame->width - MARGIN && y < frame->height - MARGIN;
}

static void clear(const bounce_frame *frame) {
    for (int y = 0; y < frame->height; y++) {
        for (int x = 0; x < frame->width; x++) {
            bool is_wall = !is_inside(frame, x, y) && x >= MARGIN - 2 && y >= MARGIN - 2 &&
                           x < frame->width - MARGIN + 2 && y < frame->height - MARGIN + 2;
            frame->pixels[(size_t)y * (size_t)frame->width + (size_t)x] = 0xFF000000u | (is_wall ? WALL : GROUND);
        }
    }
}

/* `opacity` of 256 covers the pixel. */
static uint32_t blend(uint32_t below, uint32_t above, uint32_t opacity) {
    uint32_t red_blue = (below & 0xFF00FFu) * (256 - opacity) + (above & 0xFF00FFu) * opacity;
    uint32_t green = (below & 0x00FF00u) * (256 - opacity) + (above & 0x00FF00u) * opacity;
    return 0xFF000000u | (red_blue >> 8 & 0xFF00FFu) | (green >> 8 & 0x00FF00u);
}

static uint32_t coverage(double dx, double dy, double radius) {
    double inside = radius + 0.5 - sqrt(dx * dx + dy * dy);
    return inside <= 0.0 ? 0 : inside >= 1.0 ? 256 : (uint32_t)(256.0 * inside);
}

typedef struct frame_disc {
    double x, y, radius; /* pixels */
    uint32_t colour;
} frame_disc;

static void draw_disc(const bounce_frame *frame, const frame_disc *disc) {
    double reach = disc->radius + 0.5;
    for (int y = (int)(disc->y - reach); y <= (int)(disc->y + reach); y++) {
        for (int x = (int)(disc->x - reach); x <= (int)(disc->x + reach); x++) {
            uint32_t opacity = coverage(x + 0.5 - disc->x, y + 0.5 - disc->y, disc->radius);
            if (opacity > 0 && is_inside(frame, x, y)) {
                uint32_t *pixel = &frame->pixels[(size_t)y * (size_t)frame->width + (size_t)x];
                *pixel = blend(*pixel, disc->colour, opacity);
            }
        }
    }
}

static uint32_t colour_of(const bounce_frame *frame, const Velocity *velocity) {
    double part = sqrt(velocity->x * velocity->x + velocity->y * velocity->y) / frame->top_speed;
    return frame->colours[part < 1.0 ? (size_t)(part * (FRAME_COLOURS - 1)) : FRAME_COLOURS - 1];
}

void frame_draw(bounce_frame *frame, const bounce_gas *gas) {
    clear(frame);
    shoal_view view;
    shoal_view_begin(&view, gas->balls);
    while (shoal_view_next(&view)) {
        const Position *position = SHOAL_COLUMN(&view, Position);
        const Velocity *velocity = SHOAL_COLUMN(&view, Velocity);
        double radius = fmax(RADIUS_LEAST, SHOAL_ONE(&view, Disc)->radius * frame->scale);
        for (size_t i = 0; i < view.count; i++) {
            frame_disc disc = {MARGIN + frame->scale * position[i].x, MARGIN + frame->scale * position[i].y, radius,
                               colour_of(frame, &velocity[i])};
            draw_disc(frame, &disc);
        }
    }
}

/* ---- writing ---- */

static cairo_status_t write_bytes(void *user, const unsigned char *bytes, unsigned int size) {
    return fwrite(bytes, 1, size, user) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* NULL, or what went wrong. */
static const char *write_surface(const bounce_frame *frame, FILE *file) {
    unsigned char *bytes = (unsigned char *)frame->pixels;
    cairo_surface_t *surface =
        cairo_image_surface_create_for_data(bytes, CAIRO_FORMAT_RGB24, frame->width, frame->height, frame->width * 4);
    errno = 0;
    cairo_status_t status = cairo_surface_write_to_png_stream(surface, write_bytes, file);
    int reason = errno;
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_WRITE_ERROR && reason != 0) {
        return strerror(reason);
    }
    return status == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(status);
}

bool frame_write_png(const bounce_frame *frame, const char *directory, size_t number) {
    output_file output;
    char name[64];
    snprintf(name, sizeof name, "frame_%05zu.png", number);
    if (!output_open(&output, directory, name)) {
        return false;
    }
    const char *problem = write_surface(frame, output.file);
    return problem == NULL ? output_close(&output) : output_abandon(&output, problem);
}
