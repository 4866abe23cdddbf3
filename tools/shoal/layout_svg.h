/*
 * The drawing of `shoal layout --svg`: a chunk to scale, as a stand-alone SVG file.
 */
#ifndef SHOAL_TOOL_LAYOUT_SVG_H
#define SHOAL_TOOL_LAYOUT_SVG_H

#include "layout_plan.h"

/* Writes the drawing of a plan; false, with errno set by the C library, when the file did not take it. */
bool layout_svg_write(const layout_plan *plan, const char *path);

#endif
