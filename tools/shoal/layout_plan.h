/*
 * A computed chunk, cut into regions: what the table prints and the drawing draws.
 *
 *     | header | entity | gap | column 0 | column 1 | gap | column 2 | tail |
 *
 * Regions are in the order of their bytes, none is empty, and each begins where the one before ends: together
 * they are the whole chunk. Tags have no region. The plan borrows the arguments, which must outlive it.
 */
#ifndef SHOAL_TOOL_LAYOUT_PLAN_H
#define SHOAL_TOOL_LAYOUT_PLAN_H

#include "layout_args.h"

#include <shoal/layout.h>

typedef enum layout_region_kind {
    REGION_HEADER,
    REGION_ENTITY,
    REGION_COLUMN,
    REGION_GAP,
    REGION_TAIL
} layout_region_kind;

typedef struct layout_region {
    layout_region_kind kind;
    size_t component; /* Of a REGION_COLUMN: index of the component. */
    size_t begin;
    size_t end;
} layout_region;

typedef struct layout_plan {
    const layout_args *args;
    shoal_layout layout;
    shoal_layout_column *columns; /* One for each component. */
    layout_region *regions;
    size_t region_count;
    size_t row_bytes;
    size_t gap_bytes;  /* Of all gaps; the tail is not one. */
    size_t tail_bytes; /* After the last column. */
} layout_plan;

/* Computes a plan; returns an exit code, after one reported line if it is not EXIT_DONE. */
int layout_plan_make(const layout_args *args, layout_plan *plan);

/* Frees what layout_plan_make() made, also after it failed. */
void layout_plan_release(layout_plan *plan);

/* How much `part` is of the chunk, per cent. */
double layout_plan_percent(const layout_plan *plan, size_t part);

#endif
