/*
 * The number of main-belt bodies by semi-major axis, where Jupiter has swept gaps: a body whose period is a simple
 * fraction of Jupiter's does not stay. Main-belt bodies are those of the classes IMB, MBA and OMB.
 *
 * Clones are not counted: they have their body's semi-major axis.
 * Thread rule: one thread at a time for each population.
 */
#ifndef BELT_HISTOGRAM_H
#define BELT_HISTOGRAM_H

#include "canvas.h"
#include "population.h"

/* Draws the chart into the box. Clones are not counted. False after one line on the standard error stream when memory
   runs out. */
bool histogram_draw(belt_canvas *canvas, canvas_box box, const belt_population *population);

#endif
