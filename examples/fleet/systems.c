/*
 * The order of the systems, and the two that count: clock and tally. Each one sees what those before it did; one that
 * fails ends the run with that second.
 * Thread rule: as in systems.h.
 */
#include "systems.h"

#define SECOND_NS UINT64_C(1000000000)

static shoal_status tick(const shoal_run *run) {
    SHOAL_UNIQUE_MUT(run->world, Clock)->second++;
    return SHOAL_OK;
}

static bool clock_add(fleet_scene *scene) {
    return systems_add(scene,
                       &(shoal_system_def){.name = "clock", .once = tick, .lookups = SHOAL_TERMS(SHOAL_WRITE(Clock))});
}

static shoal_status tally(const shoal_run *run) {
    SHOAL_UNIQUE_MUT(run->world, Score)->points_reached += SHOAL_UNIQUE(run->world, Reached)->points;
    return SHOAL_OK;
}

static bool tally_add(fleet_scene *scene) {
    return systems_add_later(scene, &(shoal_system_def){
                                        .name = "tally",
                                        .once = tally,
                                        .lookups = SHOAL_TERMS(SHOAL_READ(Reached), SHOAL_WRITE(Score)),
                                    });
}

static bool has_begun(const shoal_run *run) {
    return SHOAL_UNIQUE(run->world, Clock)->second > 0;
}

bool systems_add(fleet_scene *scene, const shoal_system_def *def) {
    shoal_system_def chained = *def;
    chained.user = scene;
    chained.chain = "fleet";
    return shoal_system_add(scene->world, &chained) != NULL;
}

bool systems_add_later(fleet_scene *scene, const shoal_system_def *def) {
    const shoal_term reads[] = {SHOAL_READ(Clock)};
    shoal_system_def later = *def;
    later.condition = has_begun;
    later.condition_reads = reads;
    later.condition_read_count = 1;
    return systems_add(scene, &later);
}

shoal_status systems_prepare(fleet_scene *scene, uint32_t workers) {
    bool (*const adds[])(fleet_scene *) = {clock_add, sail_add,   aim_add,  place_add,  fire_add,
                                           hit_add,   repair_add, logs_add, losses_add, tally_add};
    bool is_alone = workers == 1, is_good = true;
    for (size_t i = 0; is_good && i < sizeof adds / sizeof adds[0]; i++) {
        is_good = adds[i](scene);
    }
    shoal_schedule_def schedule = {.worker_count = is_alone ? 0 : workers, .alone = is_alone};
    shoal_status status = is_good ? SHOAL_OK : shoal_last_error(scene->world).status;
    status = status == SHOAL_OK ? shoal_schedule_configure(scene->world, &schedule) : status;
    return status == SHOAL_OK ? systems_step(scene) : status;
}

shoal_status systems_step(fleet_scene *scene) {
    return shoal_world_step(scene->world, SECOND_NS);
}

void systems_count_commands(const fleet_scene *scene, uint64_t *commands, uint64_t *dropped) {
    static const char *const names[] = {"sail", "aim", "fire", "hit", "repair", "losses"};
    *commands = 0;
    *dropped = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        shoal_system_stats stats = {0};
        (void)shoal_system_stats_get(shoal_system_find(scene->world, names[i]), &stats);
        *commands += stats.commands;
        *dropped += stats.dropped;
    }
}
