/*
 * belt.csv: a row for each body, with its class, orbit, position, velocity and distances.
 *
 * Format: RFC 4180; numbers read back exactly; a value that the catalogue does not have is an empty field. Units are
 * those of components.h.
 * Thread rule: one thread at a time for each population.
 */
#ifndef BELT_EXPORT_H
#define BELT_EXPORT_H

#include "population.h"

/* Writes the file into the directory. Clones are left out. False after one line on the standard error stream. */
bool export_csv(const belt_population *population, const char *directory);

#endif
