/*
 * The page, bounce.html: the film, the charts and the numbers of the run in one place, for a browser.
 *
 * It names the other files by their names alone, so the directory may be moved.
 * Thread rule: one thread at a time.
 */
#ifndef BOUNCE_PAGE_H
#define BOUNCE_PAGE_H

#include "film.h"
#include "history.h"
#include "options.h"

/* What the page shows beside the charts. */
typedef struct page_run {
    const bounce_options *options;
    const bounce_history *history;
    const bounce_film *film;
    size_t last_frame; /* the number of the newest PNG */
} page_run;

/* False after one line on the standard error stream. */
bool page_write(const page_run *run, const char *directory);

#endif
