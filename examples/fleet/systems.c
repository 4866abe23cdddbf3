/*
 * The order of the systems. Each one sees what those before it did; the first that fails ends the run.
 * Thread rule: one thread at a time for each scene.
 */
#include "systems.h"

typedef shoal_status (*system_fn)(fleet_scene *scene);

static shoal_status run_all(fleet_scene *scene, const system_fn *systems, size_t count) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; status == SHOAL_OK && i < count; i++) {
        status = systems[i](scene);
    }
    return status;
}

shoal_status systems_prepare(fleet_scene *scene) {
    static const system_fn systems[] = {place_run, logs_run};
    return run_all(scene, systems, sizeof systems / sizeof systems[0]);
}

shoal_status systems_step(fleet_scene *scene) {
    static const system_fn systems[] = {sail_run, aim_run,    place_run, fire_run,
                                        hit_run,  repair_run, logs_run,  losses_run};
    shoal_world_next_tick(scene->world);
    SHOAL_UNIQUE_MUT(scene->world, Clock)->second++;
    return run_all(scene, systems, sizeof systems / sizeof systems[0]);
}
