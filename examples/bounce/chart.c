/*
 * Panels with axes, and what is drawn in them.
 *
 * A panel maps a range of numbers to a box of the picture; ticks are at round numbers. The three panels of speeds have
 * one scale, so that they can be compared: heavy balls are slower, and all have the same energy.
 * Thread rule: one thread at a time.
 */
#include "chart.h"

#include "message.h"

#include <math.h>
#include <stdlib.h>

#define INK SVG_COLOUR(0x1D2433)
#define DIM SVG_COLOUR(0x5B667C)
#define RULE SVG_COLOUR(0xE3E6EE)
#define CURVE_POINTS 160

const svg_point chart_speeds_size = {1060, 370};
const svg_point chart_balance_size = {1060, 340};

static const uint32_t kind_colours[GAS_KINDS] = {SVG_COLOUR(0x2F6FD0), SVG_COLOUR(0xD43F6A), SVG_COLOUR(0xDB8420)};
static const char *const kind_names[GAS_KINDS] = {"small", "middle", "large"};

/* ---- panels ---- */

typedef struct chart_panel {
    svg_file *svg;
    svg_box box;
    double left, right, low, high; /* of the numbers */
    const char *title;
    const char *across; /* what the numbers below are */
} chart_panel;

static svg_point place(const chart_panel *panel, double x, double y) {
    return (svg_point){panel->box.x + (x - panel->left) / (panel->right - panel->left) * panel->box.width,
                       panel->box.y + (panel->high - y) / (panel->high - panel->low) * panel->box.height};
}

/* A round number, so that about `ticks` of them make up the range. */
static double round_step(double range, double ticks) {
    double rough = range / ticks, power = pow(10.0, floor(log10(rough)));
    double part = rough / power;
    return power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
}

static void draw_axes(const chart_panel *panel) {
    const svg_style rule = {.stroke = RULE, .width = 1}, axis = {.stroke = DIM, .width = 1};
    const svg_font font = {11, DIM, SVG_END, false, 0}, below = {11, DIM, SVG_MIDDLE, false, 0};
    const svg_font title = {13, INK, SVG_START, true, 0};
    char text[32];
    double step = round_step(panel->high - panel->low, 5.0);
    for (double tick = ceil(panel->low / step - 1e-9) + 0.0; tick * step <= panel->high + 1e-9 * step; tick++) {
        svg_point at = place(panel, panel->left, tick * step);
        svg_line(panel->svg, at, place(panel, panel->right, tick * step), tick == 0.0 ? &axis : &rule);
        snprintf(text, sizeof text, "%g", tick * step);
        svg_text(panel->svg, (svg_point){at.x - 6, at.y + 4}, &font, text);
    }
    step = round_step(panel->right - panel->left, 5.0);
    for (double tick = ceil(panel->left / step - 1e-9) + 0.0; tick * step <= panel->right + 1e-9 * step; tick++) {
        svg_point at = place(panel, tick * step, panel->low);
        svg_line(panel->svg, at, (svg_point){at.x, at.y + 4}, &axis);
        snprintf(text, sizeof text, "%g", tick * step);
        svg_text(panel->svg, (svg_point){at.x, at.y + 17}, &below, text);
    }
    svg_line(panel->svg, place(panel, panel->left, panel->low), place(panel, panel->right, panel->low), &axis);
    svg_text(panel->svg, (svg_point){panel->box.x, panel->box.y - 14}, &title, panel->title);
    svg_text(panel->svg, (svg_point){panel->box.x + 0.5 * panel->box.width, panel->box.y + panel->box.height + 36},
             &below, panel->across);
}

static void draw_key(const chart_panel *panel, size_t line, uint32_t colour, const char *text) {
    const svg_font font = {12, INK, SVG_START, false, SVG_COLOUR(0xFFFFFF)};
    double x = panel->box.x + panel->box.width - 150, y = panel->box.y + 14 + 18 * (double)line;
    svg_line(panel->svg, (svg_point){x, y}, (svg_point){x + 18, y}, &(svg_style){.stroke = colour, .width = 3});
    svg_text(panel->svg, (svg_point){x + 26, y + 4}, &font, text);
}

/* ---- speeds ---- */

static double bin_density(const bounce_speeds *speeds, size_t kind, size_t bin) {
    return speeds->count[kind] > 0 ? (double)speeds->bins[kind][bin] / (double)speeds->count[kind] / speeds->bin_width
                                   : 0.0;
}

static void draw_bars(const chart_panel *panel, const bounce_speeds *speeds, size_t kind) {
    const svg_style style = {.fill = svg_paler(kind_colours[kind], 0.55)};
    for (size_t bin = 0; bin < SPEEDS_BINS; bin++) {
        double left = speeds->bin_width * (double)bin, density = fmin(bin_density(speeds, kind, bin), panel->high);
        svg_point from = place(panel, left, density), to = place(panel, left + speeds->bin_width, 0.0);
        if (density > 0.0) {
            svg_rectangle(panel->svg, (svg_box){from.x, from.y, to.x - from.x - 0.5, to.y - from.y}, 0, &style);
        }
    }
}

/* Speeds that more than a twentieth of the balls began with. */
static void draw_start(const chart_panel *panel, const bounce_speeds *first, size_t kind) {
    const svg_style style = {.stroke = DIM, .width = 1.2, .dash = "4 4"};
    const svg_font font = {11, DIM, SVG_START, false, SVG_COLOUR(0xFFFFFF)};
    for (size_t bin = 0; bin < SPEEDS_BINS; bin++) {
        if ((double)first->bins[kind][bin] > 0.05 * (double)first->count[kind]) {
            double speed = first->bin_width * ((double)bin + 0.5);
            svg_point top = place(panel, speed, panel->high);
            svg_line(panel->svg, place(panel, speed, 0.0), top, &style);
            svg_text(panel->svg, (svg_point){top.x + 5, top.y + 10}, &font, "start");
        }
    }
}

static void draw_curve(const chart_panel *panel, const bounce_speeds *speeds, size_t kind) {
    svg_point points[CURVE_POINTS];
    for (size_t i = 0; i < CURVE_POINTS; i++) {
        double v = panel->right * (double)i / (CURVE_POINTS - 1);
        points[i] = place(panel, v, speeds_density(v, gas_kinds[kind].mass, speeds->temperature));
    }
    svg_polyline(panel->svg, points, CURVE_POINTS, &(svg_style){.stroke = kind_colours[kind], .width = 2});
}

/* Of the curves, and of the bars where they are not far beyond. */
static double highest_density(const bounce_speeds *speeds) {
    double mass = gas_kinds[GAS_KINDS - 1].mass, peak = sqrt(mass / speeds->temperature) * exp(-0.5), highest = peak;
    for (size_t kind = 0; kind < GAS_KINDS; kind++) {
        for (size_t bin = 0; bin < SPEEDS_BINS; bin++) {
            highest = fmax(highest, bin_density(speeds, kind, bin));
        }
    }
    return 1.12 * fmin(highest, 1.6 * peak);
}

static void draw_speeds(svg_file *svg, const bounce_history *history) {
    const bounce_speeds *last = &history->last;
    double high = last->temperature > 0.0 ? highest_density(last) : 1.0;
    for (size_t kind = 0; kind < GAS_KINDS; kind++) {
        char title[96];
        snprintf(title, sizeof title, "%s balls, mass %g: %zu", kind_names[kind], gas_kinds[kind].mass,
                 last->count[kind]);
        chart_panel panel = {svg,    {52 + 345 * (double)kind, 76, 300, 234}, 0, history->top_speed, 0, high, title,
                             "speed"};
        draw_axes(&panel);
        if (last->count[kind] > 0 && last->temperature > 0.0) {
            draw_bars(&panel, last, kind);
            draw_start(&panel, &history->first, kind);
            draw_curve(&panel, last, kind);
        }
    }
}

bool chart_speeds(const bounce_history *history, const char *directory) {
    const svg_font font = {15, INK, SVG_START, true, 0};
    svg_file svg;
    char title[128];
    if (!svg_open(&svg, directory, CHART_SPEEDS_NAME, chart_speeds_size)) {
        return false;
    }
    snprintf(title, sizeof title,
             "Speeds after %zu steps (bars), and the distribution of Maxwell and Boltzmann (lines)",
             history->notes[history->count - 1].step);
    svg_text(&svg, (svg_point){24, 26}, &font, title);
    draw_speeds(&svg, history);
    return svg_close(&svg);
}

/* ---- balance ---- */

typedef double (*note_value)(const history_note *note, size_t kind);

static double value_share(const history_note *note, size_t kind) {
    return note->kind_energy[kind];
}

/* 1e-15, about 4 times what one rounding of 1 can be off. */
#define DRIFT_UNIT 1e-15

static double value_drift(const history_note *note, size_t kind) {
    (void)kind;
    return note->energy_drift / DRIFT_UNIT;
}

static double value_momentum(const history_note *note, size_t kind) {
    (void)kind;
    return note->momentum_error / DRIFT_UNIT;
}

typedef struct chart_line {
    note_value value;
    size_t kind;
    uint32_t colour;
    const char *name;
} chart_line;

static double furthest_value(const bounce_history *history, const chart_line *line) {
    double most = 0.0;
    for (size_t i = 0; i < history->count; i++) {
        most = fmax(most, fabs(line->value(&history->notes[i], line->kind)));
    }
    return most;
}

static void draw_line(const chart_panel *panel, const bounce_history *history, const chart_line *line,
                      svg_point *points) {
    for (size_t i = 0; i < history->count; i++) {
        points[i] = place(panel, (double)history->notes[i].step, line->value(&history->notes[i], line->kind));
    }
    svg_polyline(panel->svg, points, history->count, &(svg_style){.stroke = line->colour, .width = 2});
}

static void draw_lines(chart_panel *panel, const bounce_history *history, const chart_line *lines, size_t count,
                       svg_point *points) {
    for (size_t i = 0; i < count; i++) {
        double most = 1.1 * furthest_value(history, &lines[i]);
        panel->high = fmax(panel->high, most);
        panel->low = panel->low < 0.0 ? -panel->high : 0.0;
    }
    draw_axes(panel);
    for (size_t i = 0; i < count; i++) {
        draw_line(panel, history, &lines[i], points);
        draw_key(panel, i, lines[i].colour, lines[i].name);
    }
}

bool chart_balance(const bounce_history *history, const char *directory) {
    svg_file svg;
    svg_point *points = malloc(history->count * sizeof *points);
    if (points == NULL) {
        message_error("out of memory for a line of %zu points", history->count);
        return false;
    }
    if (!svg_open(&svg, directory, CHART_BALANCE_NAME, chart_balance_size)) {
        free(points);
        return false;
    }
    double steps = fmax(1.0, (double)history->notes[history->count - 1].step);
    const chart_line shares[GAS_KINDS] = {{value_share, 0, kind_colours[0], kind_names[0]},
                                          {value_share, 1, kind_colours[1], kind_names[1]},
                                          {value_share, 2, kind_colours[2], kind_names[2]}};
    const chart_line errors[] = {{value_drift, 0, SVG_COLOUR(0x14866D), "energy"},
                                 {value_momentum, 0, SVG_COLOUR(0x7A4FC0), "momentum"}};
    chart_panel left = {&svg, {52, 50, 460, 230}, 0, steps, 0, 1.5, "Energy of each ball, in units of kT", "step"};
    chart_panel right = {&svg, {592, 50, 440, 230}, 0, steps, -1, 1, "Relative error, in units of 1e-15", "step"};
    draw_lines(&left, history, shares, GAS_KINDS, points);
    draw_lines(&right, history, errors, 2, points);
    free(points);
    return svg_close(&svg);
}
