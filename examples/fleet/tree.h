/*
 * The trees, fleet_tree.svg: each ship with its turrets and guns, joined by lines from parent to child, before and
 * after.
 *
 * As the map it is written in two goes. Each faction has a row; where a ship was lost, the row ends with what is left
 * of it.
 * Thread rule: one thread at a time for each scene.
 */
#ifndef FLEET_TREE_H
#define FLEET_TREE_H

#include "scene.h"
#include "ships.h"
#include "svg.h"

/* The size of fleet_tree.svg. */
extern const svg_point tree_size;

/* Which faction has which row; the same on both sides. */
typedef struct tree_rows {
    Faction factions[FACTION_COUNT];
    size_t count;
} tree_rows;

/* Title, legend, and the trees as they are now, on the left. Fills `rows`. */
shoal_status tree_begin(svg_file *svg, fleet_scene *scene, tree_rows *rows);

/* The trees as they are now, on the right. */
shoal_status tree_end(svg_file *svg, fleet_scene *scene, const tree_rows *rows);

#endif
