/*
 * The schedule as JSON, read by a library and compared with the scene that it is of.
 */
#include "support/json.h"
#include "test_print.h"
#include "test_schedule_scene.h"

static json_t *schedule_of_world(shoal_world *world) {
    sink text = sink_make(SIZE_MAX);
    assert_ok(shoal_schedule_print(world, SHOAL_SCHEDULE_JSON, sink_write, &text));
    json_t *root = json_of(&text.written);
    sink_free(&text);
    return root;
}

/* A stage by its number in the object, which is its number among all. */
static json_t *stage_of(const json_t *root, uint64_t number) {
    const json_t *phases = json_member(root, "phases");
    for (size_t i = 0; i < json_array_size(phases); i++) {
        const json_t *stages = json_member(json_array_get(phases, i), "stages");
        for (size_t k = 0; k < json_array_size(stages); k++) {
            if (json_count(json_array_get(stages, k), "number") == number) {
                return json_array_get(stages, k);
            }
        }
    }
    fail_msg("no stage %u", (unsigned)number);
    return NULL;
}

static json_t *task_of(const json_t *root, uint64_t stage, size_t task) {
    return json_array_get(json_member(stage_of(root, stage), "tasks"), task);
}

static json_t *system_of(const json_t *root, uint64_t stage, size_t task, size_t member) {
    json_t *system = json_array_get(json_member(task_of(root, stage, task), "systems"), member);
    assert_non_null(system);
    return system;
}

static void test_counts_and_phases(void **state) {
    (void)state;
    steps s;
    steps_start_world(&s, &(shoal_world_def){.name = "sea \"one\"\n"}, NULL);
    scene_add(&s);
    json_t *root = schedule_of_world(s.world);
    shoal_schedule_stats stats = steps_schedule(&s);
    assert_string_equal(json_text(root, "world"), "sea \"one\"\n");
    assert_count(json_count(root, "systems"), stats.systems);
    assert_count(json_count(root, "fused"), stats.fused);
    assert_count(json_count(root, "tasks"), stats.tasks);
    assert_count(json_count(root, "stages"), stats.stages);
    assert_count(json_count(root, "sync_points"), stats.sync_points);
    assert_count(json_count(root, "ambiguities"), stats.ambiguities);
    static const char *const names[] = {"input", "pre-update", "update", "post-update", "output"};
    static const size_t stages[] = {0, 0, 2, 1, 1};
    for (size_t i = 0; i < 5; i++) {
        const json_t *phase = json_array_get(json_member(root, "phases"), i);
        assert_string_equal(json_text(phase, "name"), names[i]);
        assert_count(json_array_size(json_member(phase, "stages")), stages[i]);
    }
    json_decref(root);
    steps_end(&s);
}

static void test_tasks_and_sync_points(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    scene_add(&s);
    json_t *root = schedule_of_world(s.world);
    static const size_t tasks[] = {3, 1, 1, 2};
    for (size_t i = 0; i < 4; i++) {
        assert_count(json_array_size(json_member(stage_of(root, i + 1), "tasks")), tasks[i]);
        assert_int_equal(json_flag(stage_of(root, i + 1), "exclusive"), i == 2);
    }
    assert_true(json_flag(task_of(root, 1, 0), "chain"));
    assert_false(json_flag(task_of(root, 1, 1), "chain"));
    assert_count(json_array_size(json_member(task_of(root, 1, 0), "systems")), 3);
    assert_texts(json_member(stage_of(root, 1), "sync"), "systems", "spawn ");
    assert_texts(json_member(stage_of(root, 2), "sync"), "systems", "reap ");
    assert_true(json_is_null(json_member(stage_of(root, 3), "sync")));
    json_decref(root);
    steps_end(&s);
}

static void test_systems(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    scene_add(&s);
    assert_ok(shoal_system_enable(shoal_system_find(s.world, "keep"), false));
    json_t *root = schedule_of_world(s.world);
    json_t *move = system_of(root, 1, 0, 2);
    assert_string_equal(json_text(move, "name"), "move");
    assert_string_equal(json_text(move, "function"), "each");
    assert_texts(move, "reads", "Velocity ");
    assert_texts(move, "writes", "Position ");
    assert_texts(move, "lookup_reads", "");
    assert_true(json_flag(move, "enabled"));
    json_t *spawn = system_of(root, 1, 1, 0);
    assert_string_equal(json_text(spawn, "name"), "spawn");
    assert_string_equal(json_text(spawn, "function"), "once");
    assert_true(json_flag(spawn, "commands") && json_flag(spawn, "condition"));
    assert_count(json_count(spawn, "every"), 30);
    assert_count(json_count(spawn, "offset"), 2);
    assert_texts(spawn, "lookup_reads", "Gauge ");
    json_t *keep = system_of(root, 1, 2, 0);
    assert_true(json_flag(keep, "serial") && json_flag(keep, "barrier") && !json_flag(keep, "enabled"));
    json_t *load = system_of(root, 3, 0, 0);
    assert_true(json_flag(load, "exclusive") && json_flag(load, "main"));
    assert_string_equal(json_text(system_of(root, 4, 0, 0), "name"), "draw <all> & \"more\"");
    json_t *hud = system_of(root, 4, 1, 0);
    assert_true(json_flag(hud, "main") && !json_flag(hud, "exclusive"));
    assert_count(json_count(hud, "period_ns"), 20000000);
    assert_texts(hud, "lookup_writes", "Letter ");
    json_decref(root);
    steps_end(&s);
}

/* The reason why a system comes after another one. */
static json_t *reason_of(const json_t *system, const char *name) {
    const json_t *after = json_member(system, "after");
    for (size_t i = 0; i < json_array_size(after); i++) {
        if (strcmp(json_text(json_array_get(after, i), "system"), name) == 0) {
            return json_array_get(after, i);
        }
    }
    fail_msg("not after %s", name);
    return NULL;
}

static void test_reasons(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    scene_add(&s);
    json_t *root = schedule_of_world(s.world);
    json_t *move = system_of(root, 1, 0, 2);
    assert_count(json_array_size(json_member(move, "after")), 2);
    assert_texts(reason_of(move, "turn"), "reasons", "chain conflict ");
    assert_texts(reason_of(move, "turn"), "components", "Velocity ");
    assert_false(json_flag(reason_of(move, "turn"), "implied"));
    assert_texts(reason_of(move, "steer"), "reasons", "conflict ");
    assert_true(json_flag(reason_of(move, "steer"), "implied")); /* by way of turn */
    json_t *reap = system_of(root, 2, 0, 0);
    assert_texts(reason_of(reap, "spawn"), "reasons", "before ");
    assert_texts(reason_of(reap, "spawn"), "components", "");
    assert_texts(reason_of(reap, "keep"), "reasons", "after_unsynced conflict ");
    assert_texts(reason_of(reap, "move"), "components", "Position ");
    json_decref(root);
    steps_end(&s);
}

static void test_edges_of_tasks(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    SCENE_ONCE(&s, "a", .lookups = SHOAL_TERMS(SHOAL_WRITE(Health)));
    SCENE_ONCE(&s, "b", .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)));
    SCENE_ONCE(&s, "c", .lookups = SHOAL_TERMS(SHOAL_READ(Health), SHOAL_READ(Position)));
    json_t *root = schedule_of_world(s.world);
    for (size_t i = 0; i < 3; i++) {
        const json_t *before = json_member(task_of(root, 1, i), "before");
        assert_count(json_array_size(before), i < 2);
        assert_true(i == 2 || json_integer_value(json_array_get(before, 0)) == 3);
    }
    json_decref(root);
    steps_end(&s);
}

static void test_pairs(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    SCENE_EACH(&s, "a", "write Health, write Position");
    SCENE_EACH(&s, "b", "write Health, write Position", .acknowledge = SHOAL_NAMES("a"));
    SCENE_EACH(&s, "c", "read Health");
    steps_spawn(s.world, 3, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    steps_spawn(s.world, 3, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Position)));
    steps_spawn(s.world, 3, NULL,
                SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)));
    json_t *root = schedule_of_world(s.world);
    const json_t *pairs = json_member(root, "pairs");
    assert_count(json_array_size(pairs), 3);
    static const char *const seconds[] = {"b", "c", "c"};
    for (size_t i = 0; i < 3; i++) {
        const json_t *pair = json_array_get(pairs, i);
        assert_string_equal(json_text(pair, "first"), i < 2 ? "a" : "b");
        assert_string_equal(json_text(pair, "second"), seconds[i]);
        assert_int_equal(json_flag(pair, "acknowledged"), i == 0);
        assert_texts(pair, "components", i == 0 ? "Position Health " : "Health ");
        assert_count(json_count(pair, "archetypes"), 2);
    }
    json_decref(root);
    steps_end(&s);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_and_phases), cmocka_unit_test(test_tasks_and_sync_points),
        cmocka_unit_test(test_systems),           cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_edges_of_tasks),    cmocka_unit_test(test_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
