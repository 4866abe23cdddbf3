/*
 * Drawing trees of entities. A gun takes a slot of fixed width, a turret the slots of its guns, a ship those of its
 * turrets; every parent stands over the middle of its children.
 *
 *     name, prefab         the root, and what it is built to
 *     ship                 lines lead from parents to children by ChildOf
 *     turret   turret      beside it: what it aims at
 *     gun gun  gun
 *     holdings             the targets of Holds, with its data
 *
 * Thread rule: one thread at a time for each scene.
 */
#include "tree.h"

#include "marks.h"

#include <math.h>
#include <string.h>

#define MARGIN 36.0
#define SIDE_WIDTH 630.0
#define SIDE_GAP 28.0
#define ROWS_TOP 112.0
#define ROW_HEIGHT 206.0
#define ROW_GAP 10.0
#define GUN_WIDTH 46.0
#define TURRET_WIDTH 70.0 /* at least */
#define SHIP_WIDTH 156.0  /* at least */
#define LOSS_WIDTH 138.0
#define BLOCK_GAP 14.0
#define CHILDREN_MOST 16

/* Pixels below the top of a row. */
enum { NAME_Y = 42, STATE_Y = 56, SHIP_Y = 76, TURRET_Y = 112, GUN_Y = 148, HOLDS_Y = 182 };

const svg_point tree_size = {2 * MARGIN + 2 * SIDE_WIDTH + SIDE_GAP,
                             ROWS_TOP + FACTION_COUNT *(ROW_HEIGHT + ROW_GAP) + 44.0};

/* One side of the picture while it is drawn. */
typedef struct tree_side {
    svg_file *svg;
    fleet_scene *scene;
    const tree_rows *rows;
    double x;                   /* the left edge */
    double next[FACTION_COUNT]; /* where the next block of a row goes */
} tree_side;

typedef struct tree_children {
    shoal_entity entities[CHILDREN_MOST];
    size_t count;
} tree_children;

static tree_children children_of(const fleet_scene *scene, shoal_entity parent) {
    tree_children children = {.count = 0};
    shoal_source_walk walk = shoal_children(scene->world, parent);
    while (shoal_sources_next(&walk)) {
        for (size_t i = 0; i < walk.count && children.count < CHILDREN_MOST; i++) {
            children.entities[children.count++] = walk.entities[i];
        }
    }
    return children;
}

static double turret_width(const fleet_scene *scene, shoal_entity turret) {
    return fmax(GUN_WIDTH * (double)shoal_source_count(scene->world, SHOAL_ID(ChildOf), turret), TURRET_WIDTH);
}

static size_t row_of(const tree_rows *rows, const Faction *faction) {
    size_t row = 0;
    while (row < rows->count && memcmp(&rows->factions[row], faction, sizeof *faction) != 0) {
        row++;
    }
    return row;
}

static double row_top(size_t row) {
    return ROWS_TOP + (double)row * (ROW_HEIGHT + ROW_GAP);
}

/* ---- nodes ---- */

static const svg_style line_style = {.stroke = SVG_COLOUR(0x8C99A3), .width = 1.3};

static void draw_gun(const tree_side *side, shoal_entity gun, svg_point at, uint32_t colour) {
    const svg_font font = {9, MARKS_INK, SVG_MIDDLE, false, 0};
    const char *name = shoal_name(side->scene->world, gun);
    svg_rectangle(side->svg, (svg_box){at.x - 3, at.y - 7, 6, 14}, 2, &(svg_style){.fill = colour});
    svg_text(side->svg, (svg_point){at.x, at.y + 18}, &font, name != NULL ? name : "");
}

static void draw_turret(const tree_side *side, shoal_entity turret, svg_point at, uint32_t colour) {
    const uint32_t halo = svg_paler(colour, 0.93);
    const svg_font font = {9, MARKS_INK, SVG_START, false, halo}, aim = {9, MARKS_LOSS, SVG_START, false, halo};
    shoal_world *world = side->scene->world;
    tree_children guns = children_of(side->scene, turret);
    for (size_t i = 0; i < guns.count; i++) {
        double x = at.x + GUN_WIDTH * ((double)i - 0.5 * ((double)guns.count - 1));
        svg_line(side->svg, at, (svg_point){x, at.y + GUN_Y - TURRET_Y}, &line_style);
        draw_gun(side, guns.entities[i], (svg_point){x, at.y + GUN_Y - TURRET_Y}, colour);
    }
    svg_circle(side->svg, at, 6.5, &(svg_style){.fill = colour});
    const char *name = shoal_name(world, turret);
    svg_text(side->svg, (svg_point){at.x + 11, at.y + 3}, &font, name != NULL ? name : "");
    shoal_entity target = shoal_target(world, turret, SHOAL_ID(AimsAt));
    if (!shoal_entity_is_null(target)) {
        char text[64] = "at ";
        shoal_path(world, target, text + 3, sizeof text - 3);
        svg_text(side->svg, (svg_point){at.x + 11, at.y + 14}, &aim, text);
    }
}

/* Two holdings in a line. */
static void draw_holdings(const tree_side *side, shoal_entity ship, svg_point at) {
    const svg_font font = {10, MARKS_DIM, SVG_MIDDLE, false, 0};
    char text[128] = "";
    size_t length = 0, count = 0;
    shoal_target_walk held = shoal_targets(side->scene->world, ship, SHOAL_ID(Holds));
    while (shoal_targets_next(&held)) {
        if (count == 2) {
            svg_text(side->svg, at, &font, text);
            at.y += 13;
            length = count = 0;
        }
        const char *name = shoal_name(side->scene->world, held.target);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%.24s %d", count == 0 ? "" : ", ",
                                   name != NULL ? name : "", ((const Holds *)held.data)->count);
        count++;
    }
    if (count > 0) {
        svg_text(side->svg, at, &font, text);
    }
}

/* ---- ships ---- */

static void draw_heading(const tree_side *side, const shoal_view *view, size_t row, svg_point at) {
    shoal_world *world = side->scene->world;
    shoal_entity ship = view->entities[row], pattern = shoal_target(world, ship, SHOAL_ID(BuiltTo));
    const Hull *hull = SHOAL_COLUMN(view, Hull) + row;
    const char *asleep = shoal_is_enabled(world, ship, SHOAL_ID(Sleeping)) ? ", asleep" : "";
    const char *smoking = SHOAL_AT(view, Damaged, row) != NULL ? ", smoking" : "";
    const char *name = shoal_name(world, ship), *pattern_name = shoal_name(world, pattern);
    char text[96];
    snprintf(text, sizeof text, "%s, %s", name != NULL ? name : "", pattern_name != NULL ? pattern_name : "");
    svg_text(side->svg, (svg_point){at.x, at.y + NAME_Y}, &(svg_font){12, MARKS_INK, SVG_MIDDLE, true, 0}, text);
    snprintf(text, sizeof text, "hull %.0f of %.0f%s%s", (double)hull->points, (double)hull->full, asleep, smoking);
    svg_text(side->svg, (svg_point){at.x, at.y + STATE_Y}, &(svg_font){10, MARKS_DIM, SVG_MIDDLE, false, 0}, text);
}

static void draw_ship(tree_side *side, const shoal_view *view, size_t row, size_t faction_row) {
    const fleet_scene *scene = side->scene;
    shoal_entity ship = view->entities[row];
    tree_children turrets = children_of(scene, ship);
    double width = 0;
    for (size_t i = 0; i < turrets.count; i++) {
        width += turret_width(scene, turrets.entities[i]);
    }
    double block = fmax(width, SHIP_WIDTH), top = row_top(faction_row);
    svg_point root = {side->next[faction_row] + 0.5 * block, top + SHIP_Y};
    uint32_t colour = marks_colour(SHOAL_ONE(view, Faction), shoal_is_enabled(scene->world, ship, SHOAL_ID(Sleeping)));
    double left = root.x - 0.5 * width;
    for (size_t i = 0; i < turrets.count; i++) {
        double slots = turret_width(scene, turrets.entities[i]);
        svg_point at = {left + 0.5 * slots, top + TURRET_Y};
        svg_line(side->svg, root, at, &line_style);
        draw_turret(side, turrets.entities[i], at, colour);
        left += slots;
    }
    svg_rectangle(side->svg, (svg_box){root.x - 15, root.y - 8, 30, 16}, 8, &(svg_style){.fill = colour});
    draw_heading(side, view, row, (svg_point){root.x, top});
    draw_holdings(side, ship, (svg_point){root.x, top + HOLDS_Y});
    side->next[faction_row] += block + BLOCK_GAP;
}

static shoal_status draw_ships(tree_side *side) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, side->scene->query.ships);
    while (shoal_view_next(&view)) {
        size_t faction_row = row_of(side->rows, SHOAL_ONE(&view, Faction));
        for (size_t i = 0; faction_row < side->rows->count && i < view.count; i++) {
            draw_ship(side, &view, i, faction_row);
        }
    }
    return status;
}

/* ---- losses ---- */

/* `noted` is the second, or 0 for a loss that is not noted yet. */
static void draw_loss(tree_side *side, const ShipLog *log, int noted) {
    size_t row = row_of(side->rows, &log->faction);
    if (row == side->rows->count) {
        return;
    }
    const svg_font name_font = {12, MARKS_LOSS, SVG_MIDDLE, true, 0}, font = {10, MARKS_DIM, SVG_MIDDLE, false, 0};
    svg_point at = {side->next[row] + 0.5 * LOSS_WIDTH, row_top(row)};
    char text[48];
    svg_text(side->svg, (svg_point){at.x, at.y + NAME_Y}, &name_font, log->name);
    snprintf(text, sizeof text, "sunk at second %d", log->second + 1);
    svg_text(side->svg, (svg_point){at.x, at.y + STATE_Y}, &font, text);
    marks_loss(side->svg, (svg_point){at.x, at.y + SHIP_Y + 6}, noted != 0);
    snprintf(text, sizeof text, "wreck, noted at %d", noted);
    svg_text(side->svg, (svg_point){at.x, at.y + TURRET_Y + 4}, &font,
             noted != 0 ? text : "dying: of all that it had,");
    svg_text(side->svg, (svg_point){at.x, at.y + TURRET_Y + 18}, &font, noted != 0 ? "" : "only its log is left");
    side->next[row] += LOSS_WIDTH + BLOCK_GAP;
}

static shoal_status draw_losses(tree_side *side) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, side->scene->query.wrecks);
    while (shoal_view_next(&view)) {
        const Wreck *wreck = SHOAL_COLUMN(&view, Wreck);
        for (size_t i = 0; i < view.count; i++) {
            draw_loss(side, &wreck[i].log, wreck[i].noted);
        }
    }
    if (status != SHOAL_OK) {
        return status;
    }
    status = shoal_view_begin(&view, side->scene->query.lost);
    while (shoal_view_next(&view)) {
        const ShipLog *log = SHOAL_COLUMN(&view, ShipLog);
        for (size_t i = 0; i < view.count; i++) {
            draw_loss(side, &log[i], 0);
        }
    }
    return status;
}

/* ---- a side ---- */

static void draw_row(const tree_side *side, size_t row) {
    const Faction *faction = &side->rows->factions[row];
    uint32_t colour = SVG_COLOUR(faction->colour);
    svg_rectangle(side->svg, (svg_box){side->x, row_top(row), SIDE_WIDTH, ROW_HEIGHT}, 5,
                  &(svg_style){.fill = svg_paler(colour, 0.93), .stroke = svg_paler(colour, 0.6)});
    svg_text(side->svg, (svg_point){side->x + 12, row_top(row) + 20}, &(svg_font){12, colour, SVG_START, true, 0},
             faction->name);
}

static shoal_status draw_side(tree_side *side, const char *title) {
    char text[64];
    snprintf(text, sizeof text, "%s: second %d", title, SHOAL_UNIQUE(side->scene->world, Clock)->second);
    svg_text(side->svg, (svg_point){side->x, ROWS_TOP - 12}, &(svg_font){14, MARKS_INK, SVG_START, true, 0}, text);
    for (size_t row = 0; row < side->rows->count; row++) {
        draw_row(side, row);
        side->next[row] = side->x + BLOCK_GAP;
    }
    shoal_status status = draw_ships(side);
    return status == SHOAL_OK ? draw_losses(side) : status;
}

static shoal_status find_rows(fleet_scene *scene, tree_rows *rows) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.ships);
    rows->count = 0;
    while (shoal_view_next(&view)) {
        const Faction *faction = SHOAL_ONE(&view, Faction);
        if (row_of(rows, faction) == rows->count && rows->count < FACTION_COUNT) {
            rows->factions[rows->count++] = *faction;
        }
    }
    return status;
}

static void draw_legend(svg_file *svg) {
    const svg_font font = {11, MARKS_DIM, SVG_START, false, 0};
    double y = tree_size.y - 26;
    svg_rectangle(svg, (svg_box){MARGIN, y - 12, 30, 16}, 8, &(svg_style){.fill = MARKS_DIM});
    svg_text(svg, (svg_point){MARGIN + 38, y}, &font, "ship");
    svg_circle(svg, (svg_point){MARGIN + 98, y - 4}, 6.5, &(svg_style){.fill = MARKS_DIM});
    svg_text(svg, (svg_point){MARGIN + 112, y}, &font, "turret, and what it aims at");
    svg_rectangle(svg, (svg_box){MARGIN + 300, y - 11, 6, 14}, 2, &(svg_style){.fill = MARKS_DIM});
    svg_text(svg, (svg_point){MARGIN + 314, y}, &font, "gun");
    svg_line(svg, (svg_point){MARGIN + 366, y - 4}, (svg_point){MARGIN + 396, y - 4}, &line_style);
    svg_text(svg, (svg_point){MARGIN + 404, y}, &font, "child of");
    svg_text(svg, (svg_point){MARGIN + 480, y}, &font, "Pale: asleep. Below each ship: what it holds.");
}

shoal_status tree_begin(svg_file *svg, fleet_scene *scene, tree_rows *rows) {
    svg_text(svg, (svg_point){MARGIN, 44}, &(svg_font){22, MARKS_INK, SVG_START, true, 0},
             "Ships as trees of entities");
    svg_text(svg, (svg_point){MARGIN, 68}, &(svg_font){13, MARKS_DIM, SVG_START, false, 0},
             "Copies of two prefabs, a row for each faction. With a ship its turrets and guns are destroyed; its log "
             "stays until the loss is noted.");
    draw_legend(svg);
    shoal_status status = find_rows(scene, rows);
    tree_side side = {.svg = svg, .scene = scene, .rows = rows, .x = MARGIN};
    return status == SHOAL_OK ? draw_side(&side, "Before") : status;
}

shoal_status tree_end(svg_file *svg, fleet_scene *scene, const tree_rows *rows) {
    tree_side side = {.svg = svg, .scene = scene, .rows = rows, .x = MARGIN + SIDE_WIDTH + SIDE_GAP};
    return draw_side(&side, "After");
}
