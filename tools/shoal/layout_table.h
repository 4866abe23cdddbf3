/*
 * The text output of `shoal layout`: the chunk as an aligned table, and the cache lines of a loop.
 * Both print to standard output; whether that took everything is checked once, in main.c.
 */
#ifndef SHOAL_TOOL_LAYOUT_TABLE_H
#define SHOAL_TOOL_LAYOUT_TABLE_H

#include "layout_plan.h"

/* Prints capacity, regions and unused bytes of a chunk. */
void layout_table_print(const layout_plan *plan);

/* Prints the cache lines that a loop over `args->lines` entities touches. */
void layout_lines_print(const layout_args *args, const shoal_layout_line_count *lines);

#endif
