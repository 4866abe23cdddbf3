/*
 * World transforms. The query is grouped by ChildOf, so its views come depth by depth: ships, then turrets, then guns;
 * when a row is computed, that of its parent is done.
 *
 * SHOAL_UP gives, for each row, a pointer to the WorldTransform of the nearest ancestor that has one, and NULL for a
 * ship, which has none above it.
 * Thread rule: one thread at a time for each scene.
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

shoal_status place_run(fleet_scene *scene) {
    static const WorldTransform origin = {0, 0, 0};
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.placed);
    while (shoal_view_next(&view)) {
        WorldTransform *world = SHOAL_COLUMN_MUT(&view, WorldTransform);
        const Transform *local = SHOAL_COLUMN(&view, Transform);
        const WorldTransform *const *parent = SHOAL_COLUMN_UP(&view, WorldTransform);
        for (size_t i = 0; i < view.count; i++) {
            world[i] = below(parent[i] != NULL ? parent[i] : &origin, &local[i]);
        }
    }
    return status;
}
