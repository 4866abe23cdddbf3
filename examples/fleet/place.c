/*
 * World transforms. The query is grouped by ChildOf, so its views come depth by depth: ships, then turrets, then guns;
 * when a row is computed, that of its parent is done.
 *
 * SHOAL_UP gives, for each row, a pointer to the WorldTransform of the nearest ancestor that has one, and NULL for a
 * ship, which has none above it.
 * Thread rule: the scheduler's, which gives a system whose query is grouped one thread.
 */
#include "systems.h"

#include "bearing.h"

static WorldTransform below(const WorldTransform *parent, const Transform *local) {
    float cosine = cosf(parent->angle), sine = sinf(parent->angle);
    return (WorldTransform){
        .x = parent->x + cosine * local->x - sine * local->y,
        .y = parent->y + sine * local->x + cosine * local->y,
        .angle = bearing_wrap(parent->angle + local->angle),
    };
}

static shoal_status place(const shoal_run *run, shoal_view *view) {
    static const WorldTransform origin = {0, 0, 0};
    WorldTransform *world = SHOAL_COLUMN_MUT(view, WorldTransform);
    const Transform *local = SHOAL_COLUMN(view, Transform);
    const WorldTransform *const *parent = SHOAL_COLUMN_UP(view, WorldTransform);
    (void)run;
    for (size_t i = 0; i < view->count; i++) {
        world[i] = below(parent[i] != NULL ? parent[i] : &origin, &local[i]);
    }
    return SHOAL_OK;
}

bool place_add(fleet_scene *scene) {
    return systems_add(scene, &(shoal_system_def){
                                  .name = "place",
                                  .each = place,
                                  .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(WorldTransform), SHOAL_READ(Transform),
                                                                 SHOAL_UP(WorldTransform)),
                                            .group_by = SHOAL_ID(ChildOf)},
                              });
}
