/*
 * What stands in for the film where there is no libwebp: nothing is made, and that is no failure. The page shows the
 * last frame instead.
 *
 * See film.h. Thread rule: any.
 */
#include "film.h"

bool film_is_supported(void) {
    return false;
}

bool film_begin(bounce_film *film, const bounce_frame *frame) {
    *film = (bounce_film){.width = frame->width / 2, .height = frame->height / 2};
    return true;
}

bool film_add(bounce_film *film, const bounce_frame *frame) {
    (void)film;
    (void)frame;
    return true;
}

bool film_write(bounce_film *film, const char *directory) {
    (void)film;
    (void)directory;
    return true;
}

void film_end(bounce_film *film) {
    *film = (bounce_film){0};
}
