/*
 * Logs and losses. ShipLog is a cleanup component: when a ship is destroyed, its turrets, guns, holdings and all of its
 * other components go, but the entity stays, with its log and the tag Dying, until somebody takes the log away.
 *
 * So a loss cannot be missed, however late it is looked for: the system `losses` comes only every so many seconds,
 * makes a Wreck out of each log that it finds, and removes the log, with which the entity ends. Thread rule: the
 * scheduler's.
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

/* A system that writes a chunk value gets whole chunks. */
static shoal_status write_logs(const shoal_run *run, shoal_view *view) {
    ShipLog *log = SHOAL_COLUMN_MUT(view, ShipLog);
    const WorldTransform *place = SHOAL_COLUMN(view, WorldTransform);
    const Faction *faction = SHOAL_ONE(view, Faction);
    int second = SHOAL_UNIQUE(run->world, Clock)->second;
    measure_chunk(place, view->count, SHOAL_ONE_MUT(view, Bounds));
    for (size_t i = 0; i < view->count; i++) {
        log[i].faction = *faction;
        log[i].x = place[i].x;
        log[i].y = place[i].y;
        log[i].second = second;
    }
    return SHOAL_OK;
}

bool logs_add(fleet_scene *scene) {
    return systems_add(scene, &(shoal_system_def){
                                  .name = "logs",
                                  .each = write_logs,
                                  .query = {.text = "write ShipLog, write Bounds, Faction, WorldTransform"},
                                  .lookups = SHOAL_TERMS(SHOAL_READ(Clock)),
                              });
}

static shoal_status note_loss(const shoal_run *run, shoal_entity ship, const ShipLog *log, int second) {
    Wreck wreck = {*log, second};
    shoal_entity made = shoal_commands_spawn(run->commands, SHOAL_VALUES({SHOAL_ID(Wreck), &wreck}));
    return shoal_entity_is_null(made) ? shoal_last_error(run->world).status
                                      : shoal_commands_remove(run->commands, ship, SHOAL_ID(ShipLog));
}

static shoal_status note_losses(const shoal_run *run, shoal_view *view) {
    const ShipLog *log = SHOAL_COLUMN(view, ShipLog);
    int second = SHOAL_UNIQUE(run->world, Clock)->second;
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; status == SHOAL_OK && i < view->count; i++) {
        status = note_loss(run, view->entities[i], &log[i], second);
    }
    return status;
}

bool losses_add(fleet_scene *scene) {
    return systems_add_later(scene, &(shoal_system_def){
                                        .name = "losses",
                                        .each = note_losses,
                                        .query = {.text = "ShipLog, with Dying"},
                                        .lookups = SHOAL_TERMS(SHOAL_READ(Clock)),
                                        .every = NOTED_EVERY,
                                        .commands = true,
                                    });
}
