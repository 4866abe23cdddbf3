/*
 * Sailing: along the path, which is a buffer. A point that is reached is erased from its front, which is no structural
 * change; when four are left, the buffer goes back from the heap into the chunk by itself.
 *
 * Falling asleep sets a bit and moves nothing, but it is recorded all the same: the query leaves sleeping rows out, and
 * a run of rows should not change while it is gone through.
 * Thread rule: the scheduler's.
 */
#include "systems.h"

#include "bearing.h"

#define REACHED 24.0f           /* metres from a point at which it counts as reached */
#define SMOKING_SPEED 0.6f      /* of the speed, for a damaged ship */
#define REPAIR_PER_SECOND 0.15f /* points of the hull while it smokes */

/* Slower in tight turns, so that a ship does not circle round a point that it cannot reach. */
static void steer(Transform *place, const Engine *engine, const Waypoint *to, float part) {
    float wanted = atan2f(to->y - place->y, to->x - place->x);
    place->angle = bearing_turn(place->angle, wanted, engine->turn);
    float speed = engine->speed * part * fmaxf(cosf(wanted - place->angle), 0.2f);
    place->x += speed * cosf(place->angle);
    place->y += speed * sinf(place->angle);
}

static shoal_status sail_ship(const shoal_run *run, const shoal_view *view, size_t row) {
    shoal_buffer path = shoal_view_buffer(view, SHOAL_ID(Waypoint), row);
    if (shoal_buffer_count(path) == 0) {
        return shoal_commands_enable(run->commands, view->entities[row], SHOAL_ID(Sleeping));
    }
    Transform *place = SHOAL_COLUMN_MUT(view, Transform) + row;
    const Waypoint *next = shoal_buffer_items(path);
    const Damaged *damaged = SHOAL_AT(view, Damaged, row); /* sparse, so it has no column */
    steer(place, SHOAL_COLUMN(view, Engine) + row, next, damaged != NULL ? SMOKING_SPEED : 1.0f);
    if (hypotf(next->x - place->x, next->y - place->y) > REACHED) {
        return SHOAL_OK;
    }
    SHOAL_SUM(run, 0, Reached)->points++;
    return shoal_buffer_erase(path, 0);
}

static shoal_status sail(const shoal_run *run, shoal_view *view) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; status == SHOAL_OK && i < view->count; i++) {
        status = sail_ship(run, view, i);
    }
    return status;
}

bool sail_add(fleet_scene *scene) {
    return systems_add_later(
        scene, &(shoal_system_def){
                   .name = "sail",
                   .each = sail,
                   .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Transform), SHOAL_WRITE(Waypoint), SHOAL_READ(Engine),
                                                  SHOAL_OPTIONAL(Damaged), SHOAL_DISABLED(Sleeping))},
                   .reductions = SHOAL_REDUCTIONS({.into = SHOAL_ID(Reached), .kind = SHOAL_REDUCE_SUM}),
                   .commands = true,
               });
}

/* Driven by the sparse component: the query goes through the few ships that smoke, not through all of them. */
static shoal_status repair(const shoal_run *run, shoal_view *view) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; status == SHOAL_OK && i < view->count; i++) {
        Damaged *damaged = SHOAL_AT_MUT(view, Damaged, i);
        Hull *hull = SHOAL_AT_MUT(view, Hull, i);
        hull->points = fminf(hull->points + REPAIR_PER_SECOND, hull->full);
        if (--damaged->seconds <= 0) {
            status = shoal_commands_remove(run->commands, view->entities[i], SHOAL_ID(Damaged));
        }
    }
    return status;
}

bool repair_add(fleet_scene *scene) {
    return systems_add_later(scene, &(shoal_system_def){
                                        .name = "repair",
                                        .each = repair,
                                        .query = {.text = "write Damaged, write Hull"},
                                        .commands = true,
                                    });
}
