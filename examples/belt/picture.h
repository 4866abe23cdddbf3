/*
 * belt.png: the main belt from above, the number of its bodies by semi-major axis, the outer solar system, and the
 * legend. The classes have the same colours in all panels.
 *
 * Thread rule: one thread at a time for each population.
 */
#ifndef BELT_PICTURE_H
#define BELT_PICTURE_H

#include "population.h"

/* Draws everything where it is `days` after the start and writes it into the directory. False after one line on the
   standard error stream. */
bool picture_write(const belt_population *population, double days, const char *directory);

#endif
