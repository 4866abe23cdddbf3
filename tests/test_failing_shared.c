/*
 * Failure in the middle of a call (see support/failing.h) that adds more shared components at once than the core keeps
 * numbers for on its stack. A command buffer folds several adds into one move, and its commit must then find the edge
 * of that move without memory, as the plan has made it. Conformance G5.
 */
#include "support/failing.h"
#include "support/test.h"

#include <stdio.h>

#define SHARED_COUNT 12
#define ENTITY_COUNT 3

typedef struct scene {
    fixture f;
    shoal_commands *commands;
    shoal_entity entities[ENTITY_COUNT];
} scene;

static shoal_component types[SHARED_COUNT];

static void types_register(void) {
    for (size_t i = 0; i < SHARED_COUNT; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "Shared%02zu", i);
        const shoal_component_def def = {
            .name = name, .size = sizeof(uint64_t), .alignment = sizeof(uint64_t), .storage = SHOAL_STORAGE_SHARED};
        types[i] = shoal_component_register(&def);
        assert_int_not_equal(types[i].id, 0);
    }
}

/* A value for each type; those of different `seed` are different. */
static void values_make(uint64_t *numbers, shoal_value *values, uint64_t seed) {
    for (size_t i = 0; i < SHARED_COUNT; i++) {
        numbers[i] = seed * 100 + i;
        values[i] = (shoal_value){.component = types[i], .data = &numbers[i]};
    }
}

static void scene_start(void *bytes, const shoal_world_def *def) {
    scene *s = bytes;
    fixture_start(&s->f, def);
    s->commands = shoal_commands_create(s->f.world, NULL);
    assert_non_null(s->commands);
    for (size_t i = 0; i < ENTITY_COUNT; i++) {
        s->entities[i] = shoal_spawn(s->f.world, NULL, 0);
    }
    uint64_t numbers[SHARED_COUNT];
    shoal_value values[SHARED_COUNT];
    values_make(numbers, values, 1);
    for (size_t i = 0; i < SHARED_COUNT; i++) {
        assert_ok(shoal_commands_add(s->commands, s->entities[0], types[i], values[i].data));
    }
    assert_true(shoal_entity_is_placeholder(shoal_commands_spawn(s->commands, values, SHARED_COUNT)));
}

static void scene_end(void *bytes) {
    scene *s = bytes;
    fixture_end(&s->f);
}

static fixture *scene_fixture(void *bytes) {
    return &((scene *)bytes)->f;
}

static shoal_commands *scene_commands(void *bytes) {
    return ((scene *)bytes)->commands;
}

static const failing_scene shared_scene = {.byte_size = sizeof(scene),
                                           .start = scene_start,
                                           .end = scene_end,
                                           .fixture_of = scene_fixture,
                                           .commands_of = scene_commands};

static shoal_status call_apply(void *bytes) {
    return shoal_commands_apply(((scene *)bytes)->commands, NULL);
}

static shoal_status call_spawn(void *bytes) {
    scene *s = bytes;
    uint64_t numbers[SHARED_COUNT];
    shoal_value values[SHARED_COUNT];
    values_make(numbers, values, 2);
    return failing_status_of(s->f.world, shoal_spawn(s->f.world, values, SHARED_COUNT));
}

static shoal_status call_change(void *bytes) {
    scene *s = bytes;
    uint64_t numbers[SHARED_COUNT];
    shoal_value values[SHARED_COUNT];
    values_make(numbers, values, 3);
    return shoal_change_entity(s->f.world, s->entities[1], &(shoal_change){.add = values, .add_count = SHARED_COUNT});
}

static const failing_call calls[] = {{.name = "conf_G5_shared_commands_apply", .run = call_apply},
                                     {.name = "conf_G5_shared_spawn", .run = call_spawn},
                                     {.name = "conf_G5_shared_change_entity", .run = call_change}};
#define CALL_COUNT (sizeof calls / sizeof calls[0])

int main(void) {
    types_register();
    return failing_run_tests(&shared_scene, calls, CALL_COUNT, NULL, 0);
}
