/*
 * What the program prints: the ships as a tree, and a summary of what happened.
 * Thread rule: one thread at a time for each scene.
 */
#ifndef FLEET_REPORT_H
#define FLEET_REPORT_H

#include "scene.h"

/* The ships faction by faction, with their turrets, guns and holdings, then losses. `title` heads it. */
shoal_status report_tree(fleet_scene *scene, const char *title);

/* What happened, who is hurt most, who holds what, and what the world costs. */
shoal_status report_summary(fleet_scene *scene);

/* Shows what a refusal looks like: a prefab cannot be destroyed while a ship is built to it. */
shoal_status report_refusal(fleet_scene *scene);

#endif
