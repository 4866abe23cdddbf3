/*
 * The animation, bounce.webp: frames at half their size, as an animated WebP file, which browsers show as a picture
 * that moves.
 *
 * film.c makes it with libwebp; film_none.c stands in where the program is built without.
 * Thread rule: one thread at a time for each film.
 */
#ifndef BOUNCE_FILM_H
#define BOUNCE_FILM_H

#include "frame.h"

#define FILM_NAME "bounce.webp"

typedef struct bounce_film {
    int width, height;
    int milliseconds; /* so far */
    struct WebPAnimEncoder *encoder;
} bounce_film;

/* True where the program was built with libwebp. Without, all calls below do nothing and succeed. */
bool film_is_supported(void);

/* Begins a film of frames like this one. False after one line on the standard error stream, as below. */
bool film_begin(bounce_film *film, const bounce_frame *frame);

bool film_add(bounce_film *film, const bounce_frame *frame);

/* Writes the film into the directory. */
bool film_write(bounce_film *film, const char *directory);

/* Frees what a film that was begun has; one that was not, and is all zero, has nothing. */
void film_end(bounce_film *film);

#endif
