/*
 * A picture of the gas: each ball a disc, its colour the speed.
 *
 * The pixels are 0xAARRGGBB in native byte order, opaque, as cairo has them; there are too many discs for a path each,
 * so they are blended straight into the pixels.
 * Thread rule: one thread at a time for each frame.
 */
#ifndef BOUNCE_FRAME_H
#define BOUNCE_FRAME_H

#include "gas.h"

#define FRAME_WIDTH 960
#define FRAME_COLOURS 256

typedef struct bounce_frame {
    int width, height; /* both even */
    uint32_t *pixels;  /* row by row */
    double scale;      /* pixels for a length of 1 */
    double top_speed;  /* has the last colour, and so has all that is faster */
    uint32_t colours[FRAME_COLOURS];
} bounce_frame;

/* Makes an empty picture for this gas. False after one line on the standard error stream. */
bool frame_begin(bounce_frame *frame, const bounce_gas *gas);

void frame_draw(bounce_frame *frame, const bounce_gas *gas);

/* Writes the picture as frame_<number>.png. False after one line. */
bool frame_write_png(const bounce_frame *frame, const char *directory, size_t number);

void frame_end(bounce_frame *frame);

/* The colour of a speed as a part of the top speed, 0xRRGGBB. */
uint32_t frame_colour(double part);

#endif
