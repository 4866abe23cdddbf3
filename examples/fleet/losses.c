/*
 * Logs and losses. ShipLog is a cleanup component: when a ship is destroyed, its turrets, guns, holdings and all of its
 * other components go, but the entity stays, with its log and the tag Dying, until somebody takes the log away.
 *
 * So a loss cannot be missed, however late it is looked for: losses_run() comes only every so many seconds, makes a
 * Wreck out of each log that it finds, and removes the log, with which the entity ends.
 * Thread rule: one thread at a time for each scene.
 */
#include "systems.h"

#include <math.h>

#define NOTED_EVERY 20 /* seconds */

/* The Bounds belong to the chunk: one value for all rows of the view. */
static void measure_chunk(const WorldTransform *place, size_t count, Bounds *bounds) {
    *bounds = (Bounds){place[0].x, place[0].y, place[0].x, place[0].y};
    for (size_t i = 1; i < count; i++) {
        bounds->left = fminf(bounds->left, place[i].x);
        bounds->top = fminf(bounds->top, place[i].y);
        bounds->right = fmaxf(bounds->right, place[i].x);
        bounds->bottom = fmaxf(bounds->bottom, place[i].y);
    }
}

shoal_status logs_run(fleet_scene *scene) {
    int second = SHOAL_UNIQUE(scene->world, Clock)->second;
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.logs);
    while (shoal_view_next(&view)) {
        ShipLog *log = SHOAL_COLUMN_MUT(&view, ShipLog);
        const WorldTransform *place = SHOAL_COLUMN(&view, WorldTransform);
        const Faction *faction = SHOAL_ONE(&view, Faction);
        measure_chunk(place, view.count, SHOAL_ONE_MUT(&view, Bounds));
        for (size_t i = 0; i < view.count; i++) {
            log[i].faction = *faction;
            log[i].x = place[i].x;
            log[i].y = place[i].y;
            log[i].second = second;
        }
    }
    return status;
}

static shoal_status note_loss(fleet_scene *scene, shoal_entity ship, const ShipLog *log, int second) {
    Wreck wreck = {*log, second};
    shoal_entity made = shoal_commands_spawn(scene->commands, SHOAL_VALUES({SHOAL_ID(Wreck), &wreck}));
    return shoal_entity_is_null(made) ? shoal_last_error(scene->world).status
                                      : shoal_commands_remove(scene->commands, ship, SHOAL_ID(ShipLog));
}

shoal_status losses_run(fleet_scene *scene) {
    int second = SHOAL_UNIQUE(scene->world, Clock)->second;
    if (second % NOTED_EVERY != 0) {
        return SHOAL_OK;
    }
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.lost);
    while (status == SHOAL_OK && shoal_view_next(&view)) {
        const ShipLog *log = SHOAL_COLUMN(&view, ShipLog);
        for (size_t i = 0; status == SHOAL_OK && i < view.count; i++) {
            status = note_loss(scene, view.entities[i], &log[i], second);
        }
    }
    shoal_view_end(&view);
    return status == SHOAL_OK ? scene_apply(scene) : status;
}
