/*
 * Placing labels. Below, above, right, left: the first place is taken that lies in the panel and touches nothing; when
 * there is none, the one that covers least.
 * Thread rule: any; a set belongs to its caller.
 */
#include "labels.h"

#include <math.h>

#define FIRST_SIZE 12.0
#define SECOND_SIZE 10.0
#define LINE_STEP 12.5
#define GAP 3.0

enum { BELOW, ABOVE, RIGHT, LEFT, SIDES };

void labels_avoid(label_set *set, svg_box box) {
    if (set->taken_count < LABEL_BOXES_MOST) {
        set->taken[set->taken_count++] = box;
    }
}

/* A line is taken as a row of small boxes. */
void labels_avoid_line(label_set *set, svg_point from, svg_point to) {
    const double side = 6.0;
    int count = (int)(hypot(to.x - from.x, to.y - from.y) / side) + 1;
    for (int i = 0; i <= count; i++) {
        double part = (double)i / count;
        labels_avoid(set, (svg_box){from.x + part * (to.x - from.x) - 0.5 * side,
                                    from.y + part * (to.y - from.y) - 0.5 * side, side, side});
    }
}

void labels_add(label_set *set, const map_label *label) {
    if (set->label_count < LABELS_MOST) {
        set->labels[set->label_count++] = *label;
        labels_avoid(set, label->mark);
    }
}

static double overlap(svg_box a, svg_box b) {
    double width = fmin(a.x + a.width, b.x + b.width) - fmax(a.x, b.x);
    double height = fmin(a.y + a.height, b.y + b.height) - fmax(a.y, b.y);
    return width > 0 && height > 0 ? width * height : 0.0;
}

/* Pixels that a label would cover, or that would be cut off. */
static double cost_of(const label_set *set, svg_box box) {
    double cost = 4.0 * (box.width * box.height - overlap(box, set->panel));
    for (size_t i = 0; i < set->taken_count; i++) {
        cost += overlap(box, set->taken[i]);
    }
    return cost;
}

static svg_box beside(const map_label *label, int side, svg_point size) {
    const svg_box *mark = &label->mark;
    svg_point middle = {mark->x + 0.5 * (mark->width - size.x), mark->y + 0.5 * (mark->height - size.y)};
    switch (side) {
    case BELOW:
        return (svg_box){middle.x, mark->y + mark->height + GAP, size.x, size.y};
    case ABOVE:
        return (svg_box){middle.x, mark->y - size.y - GAP, size.x, size.y};
    case RIGHT:
        return (svg_box){mark->x + mark->width + GAP, middle.y, size.x, size.y};
    default:
        return (svg_box){mark->x - size.x - GAP, middle.y, size.x, size.y};
    }
}

static svg_box place(const label_set *set, const map_label *label, svg_point size) {
    svg_box best = beside(label, BELOW, size);
    double least = cost_of(set, best);
    for (int side = ABOVE; side < SIDES && least > 0; side++) {
        svg_box box = beside(label, side, size);
        double cost = cost_of(set, box);
        if (cost < least) {
            least = cost;
            best = box;
        }
    }
    return best;
}

static void draw_label(label_set *set, const map_label *label, svg_file *svg) {
    const svg_font first = {FIRST_SIZE, label->colour, SVG_MIDDLE, true, SVG_COLOUR(0xFFFFFF)};
    const svg_font second = {SECOND_SIZE, label->colour, SVG_MIDDLE, false, SVG_COLOUR(0xFFFFFF)};
    double width = fmax(svg_text_width(&first, label->lines[0]), svg_text_width(&second, label->lines[1]));
    svg_box box = place(set, label, (svg_point){width, 2 * LINE_STEP + 1});
    labels_avoid(set, box);
    svg_text(svg, (svg_point){box.x + 0.5 * width, box.y + FIRST_SIZE - 1.5}, &first, label->lines[0]);
    svg_text(svg, (svg_point){box.x + 0.5 * width, box.y + FIRST_SIZE - 1.5 + LINE_STEP}, &second, label->lines[1]);
}

void labels_draw(label_set *set, svg_file *svg) {
    for (size_t i = 0; i < set->label_count; i++) {
        draw_label(set, &set->labels[i], svg);
    }
}
