/*
 * The drawing of `shoal layout --svg`; see layout_svg.h.
 *
 *     title
 *     | strip: bytes 0 to 511                         |   each strip is one bar of regions with a ruler
 *     | strip: bytes 512 to 1023                      |   of 64-byte lines under it
 *     ...
 *     legend: colour, name, size, offset, end, bytes
 *
 * A chunk is cut into at most 16 strips of equal length, a power of two and at least 512 bytes. Invariant: x
 * is proportional to bytes and nothing is widened to be seen, so a gap may be thinner than a hair; the
 * legend has its bytes. Fonts are monospaced, so that widths are known without measuring.
 */
#include "layout_svg.h"

#include "utf8.h"

#include <stdio.h>
#include <string.h>

#define STRIP_COUNT_MAX ((size_t)16)
#define STRIP_BYTES_MIN ((size_t)512)
#define LINE_BYTES ((size_t)64)

/* Pixels. */
#define MARGIN 24.0
#define STRIP_WIDTH 1024.0
#define STRIP_TOP 86.0
#define STRIP_PITCH 66.0
#define BAR_HEIGHT 34.0
#define LEGEND_PITCH 22.0
#define CELL_WIDTH 7.3 /* Of one character at 12 pixels, rounded up. */
#define TICK_GAP_MIN 4.0
#define RULER_CELL_WIDTH 6.1 /* Of one character at 10 pixels, rounded up. */
#define RULER_LABEL_GAP 20.0 /* Between two numbers of the ruler. */
#define VALUE_GAP_MIN 5.0

#define LEGEND_NAME_CELLS ((size_t)40)

/* The legend's number columns: their count, and the right edge of the first one from the left of the legend. */
#define LEGEND_NUMBERS ((size_t)4)
#define LEGEND_FIRST_EDGE 430.0

/* Light fills that carry dark text; neighbours differ also without colour vision. */
static const char *const column_fills[] = {"#8ecae6", "#ffc857", "#95d5b2", "#f4978e", "#cdb4db",
                                           "#e2e89b", "#b5c7f7", "#f2b5d4", "#7fd8d4", "#d9b08c"};
#define COLUMN_FILL_COUNT (sizeof column_fills / sizeof column_fills[0])

typedef struct svg_drawing {
    FILE *file;
    const layout_plan *plan;
    size_t strip_bytes;
    size_t strip_count;
    size_t tick_bytes; /* Of one ruler tick: a cache line, or several where lines are too narrow to tell apart. */
    double ruler_label_width;   /* Of the longest number under the ruler. */
    double scale;               /* Pixels per byte. */
    double left;                /* Of the strips and of the legend. */
    double legend_number_pitch; /* From one number column of the legend to the next. */
} svg_drawing;

static const char svg_styles[] =
    "<style>\n"
    "text { font-family: 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace; font-size: 12px;"
    " fill: #1b1f24; }\n"
    ".title { font-size: 17px; font-weight: bold; }\n"
    ".note, .ruler { fill: #57606a; }\n"
    ".ruler { font-size: 10px; text-anchor: middle; }\n"
    ".label { text-anchor: middle; }\n"
    ".on-dark { fill: #ffffff; }\n"
    ".head { font-weight: bold; }\n"
    ".number { text-anchor: end; }\n"
    ".ticks { stroke: #57606a; fill: none; }\n"
    ".values { stroke: #ffffff; stroke-opacity: 0.75; fill: none; }\n"
    ".frame { stroke: #57606a; fill: none; }\n"
    "</style>\n"
    "<defs>\n"
    "<pattern id=\"gap\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
    "<rect width=\"6\" height=\"6\" fill=\"#ffffff\"/><path d=\"M0 6L6 0\" stroke=\"#c1121f\"/></pattern>\n"
    "<pattern id=\"tail\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
    "<rect width=\"6\" height=\"6\" fill=\"#ffffff\"/><circle cx=\"3\" cy=\"3\" r=\"1\" fill=\"#57606a\"/></pattern>\n"
    "</defs>\n";

/* XML text: escapes what is markup, and replaces the two code points that XML forbids. */
static void text_write(FILE *file, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        uint32_t code_point = 0;
        size_t byte_count = utf8_decode(text + i, length - i, &code_point);
        if (code_point == '<' || code_point == '>' || code_point == '&' || code_point == '"') {
            fprintf(file, "&#%u;", (unsigned)code_point);
        } else if (byte_count == 0 || code_point == 0xfffe || code_point == 0xffff) {
            fputs("&#xfffd;", file);
        } else {
            fwrite(text + i, 1, byte_count, file);
        }
        i += byte_count == 0 ? 1 : byte_count;
    }
}

static const char *region_fill(const layout_region *region) {
    switch (region->kind) {
    case REGION_HEADER:
        return "#57606a";
    case REGION_ENTITY:
        return "#d0d7de";
    case REGION_GAP:
        return "url(#gap)";
    case REGION_TAIL:
        return "url(#tail)";
    default:
        return column_fills[region->component % COLUMN_FILL_COUNT];
    }
}

/* The name of a region; only a component's is not terminated. */
static const char *region_name(const layout_plan *plan, const layout_region *region, size_t *length) {
    static const char *const names[] = {
        [REGION_HEADER] = "header", [REGION_ENTITY] = "entity", [REGION_GAP] = "gap", [REGION_TAIL] = "tail"};
    if (region->kind == REGION_COLUMN) {
        const layout_component *component = &plan->args->components[region->component];
        *length = component->name_length;
        return component->name;
    }
    *length = strlen(names[region->kind]);
    return names[region->kind];
}

static double byte_x(const svg_drawing *drawing, size_t strip_begin, size_t byte) {
    return drawing->left + (double)(byte - strip_begin) * drawing->scale;
}

static double strip_y(size_t strip) {
    return STRIP_TOP + (double)strip * STRIP_PITCH;
}

/* Thin lines between the values of a column, where they are far enough apart to be seen. */
static void values_write(const svg_drawing *drawing, const layout_region *region, size_t strip, size_t value_bytes) {
    size_t strip_begin = strip * drawing->strip_bytes;
    if ((double)value_bytes * drawing->scale < VALUE_GAP_MIN) {
        return;
    }
    size_t skipped = region->begin < strip_begin ? (strip_begin - region->begin) / value_bytes : 0;
    fputs("<path class=\"values\" d=\"", drawing->file);
    for (size_t i = skipped + 1; i < drawing->plan->layout.capacity; i++) {
        size_t byte = region->begin + i * value_bytes;
        if (byte - strip_begin >= drawing->strip_bytes) {
            break;
        }
        fprintf(drawing->file, "M%.2f %.2fv%.0f", byte_x(drawing, strip_begin, byte), strip_y(strip), BAR_HEIGHT);
    }
    fputs("\"/>\n", drawing->file);
}

/* The name in the middle of a part, if there is room; where the region begins, with its offset. */
static void label_write(const svg_drawing *drawing, const layout_region *region, size_t strip, layout_region part) {
    size_t length = 0;
    const char *name = region_name(drawing->plan, region, &length);
    char offset[32] = "";
    if (part.begin == region->begin && region->kind != REGION_HEADER) {
        snprintf(offset, sizeof offset, " at %zu", region->begin);
    }
    double room = (double)(part.end - part.begin) * drawing->scale / CELL_WIDTH - 1;
    if ((double)(utf8_width(name, length) + strlen(offset)) > room) {
        offset[0] = '\0';
    }
    if ((double)utf8_width(name, length) > room) {
        return;
    }
    double middle = byte_x(drawing, strip * drawing->strip_bytes, part.begin + (part.end - part.begin) / 2);
    bool hatched = region->kind == REGION_GAP || region->kind == REGION_TAIL;
    if (hatched) {
        double width = ((double)(utf8_width(name, length) + strlen(offset)) + 0.6) * CELL_WIDTH;
        fprintf(drawing->file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"17\" fill=\"#ffffff\"/>\n",
                middle - width / 2, strip_y(strip) + 8.5, width);
    }
    fprintf(drawing->file, "<text class=\"label%s\" x=\"%.2f\" y=\"%.2f\">",
            region->kind == REGION_HEADER ? " on-dark" : "", middle, strip_y(strip) + 21.5);
    text_write(drawing->file, name, length);
    fprintf(drawing->file, "%s</text>\n", offset);
}

/* The part of a region that lies in one strip. */
static void part_write(const svg_drawing *drawing, const layout_region *region, size_t strip) {
    const layout_plan *plan = drawing->plan;
    size_t strip_begin = strip * drawing->strip_bytes;
    layout_region part = *region;
    part.begin = part.begin < strip_begin ? strip_begin : part.begin;
    part.end = part.end - strip_begin > drawing->strip_bytes ? strip_begin + drawing->strip_bytes : part.end;
    size_t length = 0;
    const char *name = region_name(plan, region, &length);
    fprintf(drawing->file,
            "<rect data-begin=\"%zu\" data-end=\"%zu\" x=\"%.4f\" y=\"%.2f\" width=\"%.4f\" height=\"%.0f\""
            " fill=\"%s\"><title>",
            part.begin, part.end, byte_x(drawing, strip_begin, part.begin), strip_y(strip),
            (double)(part.end - part.begin) * drawing->scale, BAR_HEIGHT, region_fill(region));
    text_write(drawing->file, name, length);
    fprintf(drawing->file, ": bytes %zu to %zu</title></rect>\n", region->begin, region->end);
    if (region->kind == REGION_ENTITY) {
        values_write(drawing, region, strip, SHOAL_ENTITY_BYTES);
    } else if (region->kind == REGION_COLUMN) {
        values_write(drawing, region, strip, plan->columns[region->component].size);
    }
    label_write(drawing, region, strip, part);
}

/* Ticks under a strip, and the byte numbers at those that are far enough apart. */
static void ruler_write(const svg_drawing *drawing, size_t strip, size_t byte_count) {
    size_t strip_begin = strip * drawing->strip_bytes;
    double top = strip_y(strip) + BAR_HEIGHT;
    size_t label_bytes = drawing->tick_bytes;
    while ((double)label_bytes * drawing->scale < drawing->ruler_label_width + RULER_LABEL_GAP) {
        label_bytes *= 2;
    }
    fputs("<path class=\"ticks\" d=\"", drawing->file);
    for (size_t byte = 0; byte <= byte_count; byte += drawing->tick_bytes) {
        fprintf(drawing->file, "M%.2f %.2fv%d", byte_x(drawing, 0, byte), top, byte % label_bytes == 0 ? 7 : 4);
    }
    fputs("\"/>\n", drawing->file);
    for (size_t byte = 0; byte <= byte_count; byte += label_bytes) {
        fprintf(drawing->file, "<text class=\"ruler\" x=\"%.2f\" y=\"%.2f\">%zu</text>\n", byte_x(drawing, 0, byte),
                top + 17, strip_begin + byte);
    }
}

static void strips_write(const svg_drawing *drawing) {
    const layout_plan *plan = drawing->plan;
    size_t region = 0;
    for (size_t strip = 0; strip < drawing->strip_count; strip++) {
        size_t begin = strip * drawing->strip_bytes;
        size_t left = plan->args->chunk.value - begin;
        size_t byte_count = left < drawing->strip_bytes ? left : drawing->strip_bytes;
        while (plan->regions[region].end <= begin) {
            region++;
        }
        for (size_t i = region; i < plan->region_count && plan->regions[i].begin < begin + byte_count; i++) {
            part_write(drawing, &plan->regions[i], strip);
        }
        fprintf(drawing->file, "<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.0f\"/>\n",
                drawing->left, strip_y(strip), (double)byte_count * drawing->scale, BAR_HEIGHT);
        ruler_write(drawing, strip, byte_count);
    }
}

static double legend_y(const svg_drawing *drawing, size_t row) {
    return strip_y(drawing->strip_count) + 20 + (double)row * LEGEND_PITCH;
}

/* The right edge of a number column. */
static double legend_edge(const svg_drawing *drawing, size_t number_column) {
    return drawing->left + LEGEND_FIRST_EDGE + (double)number_column * drawing->legend_number_pitch;
}

/* One row of the legend: a colour unless null, a name, and numbers from the left. */
static void legend_row_write(const svg_drawing *drawing, size_t row, const char *fill, const char *name,
                             size_t length) {
    double top = legend_y(drawing, row);
    if (fill != NULL) {
        fprintf(drawing->file,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"24\" height=\"14\" fill=\"%s\" stroke=\"#57606a\"/>\n",
                drawing->left, top - 11, fill);
    }
    size_t fitting = utf8_fit(name, length, LEGEND_NAME_CELLS);
    if (fitting < length) {
        fitting = utf8_fit(name, length, LEGEND_NAME_CELLS - 1);
    }
    fprintf(drawing->file, "<text x=\"%.2f\" y=\"%.2f\">", drawing->left + 34, top);
    text_write(drawing->file, name, fitting);
    fprintf(drawing->file, "%s</text>\n", fitting < length ? "&#8230;" : "");
}

static void legend_number_write(const svg_drawing *drawing, size_t row, size_t number_column, size_t number) {
    fprintf(drawing->file, "<text class=\"number\" x=\"%.2f\" y=\"%.2f\">%zu</text>\n",
            legend_edge(drawing, number_column), legend_y(drawing, row), number);
}

static void legend_head_write(const svg_drawing *drawing) {
    static const char *const heads[LEGEND_NUMBERS] = {"bytes a row", "offset", "end", "bytes"};
    for (size_t i = 0; i < LEGEND_NUMBERS; i++) {
        fprintf(drawing->file, "<text class=\"number head\" x=\"%.2f\" y=\"%.2f\">%s</text>\n", legend_edge(drawing, i),
                legend_y(drawing, 0), heads[i]);
    }
    fprintf(drawing->file, "<text class=\"head\" x=\"%.2f\" y=\"%.2f\">part</text>\n", drawing->left + 34,
            legend_y(drawing, 0));
}

/* A region with its numbers; returns the next row. */
static size_t legend_region_write(const svg_drawing *drawing, size_t row, const layout_region *region) {
    size_t length = 0;
    const char *name = region_name(drawing->plan, region, &length);
    legend_row_write(drawing, row, region_fill(region), name, length);
    if (region->kind == REGION_ENTITY) {
        legend_number_write(drawing, row, 0, SHOAL_ENTITY_BYTES);
    } else if (region->kind == REGION_COLUMN) {
        legend_number_write(drawing, row, 0, drawing->plan->columns[region->component].size);
    }
    legend_number_write(drawing, row, 1, region->begin);
    legend_number_write(drawing, row, 2, region->end);
    legend_number_write(drawing, row, 3, region->end - region->begin);
    return row + 1;
}

/* All gaps have one row, since they look alike; so have tags each, which have no place in the drawing. */
static void legend_write(const svg_drawing *drawing) {
    const layout_plan *plan = drawing->plan;
    size_t row = 1;
    legend_head_write(drawing);
    for (size_t i = 0; i < plan->region_count; i++) {
        if (plan->regions[i].kind != REGION_GAP) {
            row = legend_region_write(drawing, row, &plan->regions[i]);
        }
    }
    if (plan->gap_bytes != 0) {
        legend_row_write(drawing, row, "url(#gap)", "all gaps", strlen("all gaps"));
        legend_number_write(drawing, row++, 3, plan->gap_bytes);
    }
    for (size_t i = 0; i < plan->args->component_count; i++) {
        const layout_component *component = &plan->args->components[i];
        if (component->byte_size == 0) {
            legend_row_write(drawing, row, NULL, component->name, component->name_length);
            fprintf(drawing->file, "<text class=\"note number\" x=\"%.2f\" y=\"%.2f\">a tag, takes no room</text>\n",
                    legend_edge(drawing, LEGEND_NUMBERS - 1), legend_y(drawing, row++));
        }
    }
}

static size_t legend_row_count(const layout_plan *plan) {
    size_t rows = 1 + (plan->gap_bytes != 0 ? 1 : 0);
    for (size_t i = 0; i < plan->region_count; i++) {
        rows += plan->regions[i].kind != REGION_GAP ? 1 : 0;
    }
    for (size_t i = 0; i < plan->args->component_count; i++) {
        rows += plan->args->components[i].byte_size == 0 ? 1 : 0;
    }
    return rows;
}

static void head_write(const svg_drawing *drawing) {
    const layout_plan *plan = drawing->plan;
    double width = 2 * drawing->left + STRIP_WIDTH;
    double height = legend_y(drawing, legend_row_count(plan)) + MARGIN - LEGEND_PITCH / 2;
    fprintf(drawing->file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
            width, height, width, height);
    fprintf(drawing->file, "<title>Chunk of %zu bytes, %zu rows</title>\n", plan->args->chunk.value,
            plan->layout.capacity);
    fputs(svg_styles, drawing->file);
    fprintf(drawing->file, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width, height);
    fprintf(drawing->file,
            "<text class=\"title\" x=\"%.2f\" y=\"38\">Chunk of %zu bytes: %zu row%s of %zu bytes, %zu bytes unused"
            " (%.2f%%)</text>\n",
            drawing->left, plan->args->chunk.value, plan->layout.capacity, plan->layout.capacity == 1 ? "" : "s",
            plan->row_bytes, plan->layout.unused_bytes, layout_plan_percent(plan, plan->layout.unused_bytes));
    fprintf(drawing->file, "<text class=\"note\" x=\"%.2f\" y=\"62\">To scale. One strip is %zu bytes; ", drawing->left,
            drawing->strip_bytes);
    if (drawing->tick_bytes == LINE_BYTES) {
        fputs("one ruler tick is a cache line of 64 bytes.</text>\n", drawing->file);
    } else {
        fprintf(drawing->file, "one ruler tick is %zu bytes, that is %zu cache lines of 64.</text>\n",
                drawing->tick_bytes, drawing->tick_bytes / LINE_BYTES);
    }
}

static svg_drawing drawing_measure(const layout_plan *plan, FILE *file) {
    size_t chunk_bytes = plan->args->chunk.value;
    svg_drawing result = {.file = file, .plan = plan, .strip_bytes = STRIP_BYTES_MIN, .tick_bytes = LINE_BYTES};
    while (result.strip_bytes < chunk_bytes / STRIP_COUNT_MAX + (chunk_bytes % STRIP_COUNT_MAX != 0)) {
        result.strip_bytes *= 2;
    }
    result.strip_count = chunk_bytes / result.strip_bytes + (chunk_bytes % result.strip_bytes != 0);
    result.scale = STRIP_WIDTH / (double)result.strip_bytes;
    while ((double)result.tick_bytes * result.scale < TICK_GAP_MIN) {
        result.tick_bytes *= 2;
    }
    int digits = snprintf(NULL, 0, "%zu", chunk_bytes);
    result.legend_number_pitch = CELL_WIDTH * ((digits > 11 ? digits : 11) + 4);
    result.ruler_label_width = RULER_CELL_WIDTH * digits;
    result.left = MARGIN + result.ruler_label_width / 2;
    return result;
}

bool layout_svg_write(const layout_plan *plan, const char *path) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    svg_drawing drawing = drawing_measure(plan, file);
    head_write(&drawing);
    strips_write(&drawing);
    legend_write(&drawing);
    fputs("</svg>\n", file);
    bool written = fflush(file) == 0 && ferror(file) == 0;
    return fclose(file) == 0 && written;
}
