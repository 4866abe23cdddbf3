/*
 * Labels that do not lie on each other: each is put at the first of four sides of its mark that is free.
 *
 * Boxes of marks are told first, labels are placed after that, so that no label lies on a mark that comes later.
 * Thread rule: any; a set belongs to its caller.
 */
#ifndef FLEET_LABELS_H
#define FLEET_LABELS_H

#include "svg.h"

#define LABELS_MOST 64
#define LABEL_BOXES_MOST 1024
#define LABEL_LINE_BYTES 48

typedef struct map_label {
    svg_box mark;
    uint32_t colour;
    char lines[2][LABEL_LINE_BYTES];
} map_label;

typedef struct label_set {
    svg_box panel;
    svg_box taken[LABEL_BOXES_MOST];
    size_t taken_count;
    map_label labels[LABELS_MOST];
    size_t label_count;
} label_set;

/* Adds a mark with its label; beyond LABELS_MOST it has none. */
void labels_add(label_set *set, const map_label *label);

/* Labels are kept off this box where they can be; beyond LABEL_BOXES_MOST it is not minded. */
void labels_avoid(label_set *set, svg_box box);

/* The same for a line. */
void labels_avoid_line(label_set *set, svg_point from, svg_point to);

/* Places and draws all labels. */
void labels_draw(label_set *set, svg_file *svg);

#endif
