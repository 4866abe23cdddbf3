/*
 * A schedule that has something of everything, for the tests of what is printed of it:
 *
 *     update        steer + turn + move (fused)   spawn   keep   =sync=   reap   =sync=
 *     post-update   load (exclusive)
 *     output        draw, hud (on the thread that steps)
 */
#ifndef SHOAL_TESTS_TEST_SCHEDULE_SCENE_H
#define SHOAL_TESTS_TEST_SCHEDULE_SCENE_H

#include "support/components.h"
#include "support/steps.h"

static inline shoal_status scene_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    (void)view;
    return SHOAL_OK;
}

static inline shoal_status scene_once(const shoal_run *run) {
    (void)run;
    return SHOAL_OK;
}

static inline shoal_status scene_spawn(const shoal_run *run) {
    shoal_commands_spawn(run->commands, SHOAL_VALUES(SHOAL_VALUE(Letter, 1)));
    return SHOAL_OK;
}

static inline bool scene_condition(const shoal_run *run) {
    (void)run;
    return true;
}

#define SCENE_EACH(s, name_, ...)                                                                                      \
    steps_add((s), &(shoal_system_def){.name = (name_), .each = scene_each, .query.text = __VA_ARGS__})
#define SCENE_ONCE(s, name_, ...) steps_add((s), &(shoal_system_def){.name = (name_), .once = scene_once, __VA_ARGS__})

static inline void scene_add(steps *s) {
    SCENE_EACH(s, "steer", "write Velocity, read Link");
    SCENE_EACH(s, "turn", "write Velocity", .chain = "physics");
    SCENE_EACH(s, "move", "write Position, read Velocity", .chain = "physics");
    steps_add(s, &(shoal_system_def){.name = "spawn",
                                     .once = scene_spawn,
                                     .commands = true,
                                     .every = 30,
                                     .offset = 2,
                                     .before = SHOAL_NAMES("reap"),
                                     .condition = scene_condition,
                                     .condition_reads = SHOAL_TERMS(SHOAL_READ(Gauge))});
    SCENE_EACH(s, "keep", "write Health", .barrier = true, .serial = true);
    SCENE_EACH(s, "reap", "read Health", .commands = true, .after_unsynced = SHOAL_NAMES("keep"),
               .lookups = SHOAL_TERMS(SHOAL_READ(Health), SHOAL_READ(Position)));
    SCENE_ONCE(s, "load", .exclusive = true, .phase = "post-update");
    SCENE_EACH(s, "draw <all> & \"more\"", "read Position", .phase = "output", .thread = SHOAL_THREAD_MAIN);
    SCENE_ONCE(s, "hud", .phase = "output", .thread = SHOAL_THREAD_MAIN, .period_ns = 20000000,
               .lookups = SHOAL_TERMS(SHOAL_WRITE(Letter)));
}

#endif
