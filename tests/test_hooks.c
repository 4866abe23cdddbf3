/*
 * Hooks of component types: each value is made once, copied where it must be, moved with its row and ended once;
 * incomplete sets of hooks are refused; new values are defaults, whatever was in the row before. Conformance F1,
 * F2, F3, F5.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>

static const shoal_value no_values[1];

static void check_deleted_row(size_t row_count, size_t deleted, bool by_removal) {
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entities[8];
    uint64_t objects[8];
    for (size_t i = 0; i < row_count; i++) {
        entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Owned), SHOAL_VALUE(Health, (int32_t)i)));
    }
    for (size_t i = 0; i < row_count; i++) {
        objects[i] = object_of(f.world, entities[i]);
    }
    assert_ok(by_removal ? shoal_remove(f.world, entities[deleted], SHOAL_ID(Owned))
                         : shoal_destroy(f.world, entities[deleted]));
    for (size_t i = 0; i < row_count; i++) {
        assert_count(owned_is_live(objects[i]), i != deleted);
        if (i != deleted) {
            assert_count(object_of(f.world, entities[i]), objects[i]);
            assert_int_equal(health_of(f.world, entities[i]), (int32_t)i);
        }
    }
    fixture_end(&f);
}

static void conf_F1_the_deleted_row_is_ended(void **state) {
    (void)state;
    for (size_t row_count = 1; row_count <= 5; row_count++) {
        for (size_t deleted = 0; deleted < row_count; deleted++) {
            check_deleted_row(row_count, deleted, false);
            check_deleted_row(row_count, deleted, true);
        }
    }
}

static tracker subset_trackers[16];

static shoal_component register_subset(unsigned subset) {
    tracker *track = &subset_trackers[subset];
    char name[32];
    snprintf(name, sizeof name, "HookSubset%u", subset);
    *track = (tracker){.name = "HookSubset", .has_ctor = (subset & 1) != 0, .follows = (subset & 4) != 0};
    return shoal_component_register(&(shoal_component_def){.name = name,
                                                           .size = sizeof(Owned),
                                                           .alignment = _Alignof(Owned),
                                                           .ctor = (subset & 1) != 0 ? owned_ctor : NULL,
                                                           .copy = (subset & 2) != 0 ? owned_copy : NULL,
                                                           .move = (subset & 4) != 0 ? owned_move : NULL,
                                                           .dtor = (subset & 8) != 0 ? owned_dtor : NULL,
                                                           .user = track});
}

static void give_subset(fixture *f, rng *random, tracker *track, shoal_component component, shoal_entity entity) {
    Owned own;
    owned_make(track, &own, 3);
    const void *data = rng_chance(random, 50) ? &own : NULL;
    assert_ok(shoal_add(f->world, entity, component, data));
    assert_ok(shoal_set(f->world, entity, component, &own));
    owned_end(track, &own);
}

static void spawn_subset(fixture *f, rng *random, tracker *track, shoal_component component) {
    Owned own[3];
    for (size_t i = 0; i < 3; i++) {
        owned_make(track, &own[i], 4);
    }
    const shoal_value value = {component, rng_chance(random, 50) ? own : NULL};
    shoal_spawn_many_def def = {.count = 3, .columns = &value, .column_count = 1};
    if (rng_chance(random, 50)) {
        def = (shoal_spawn_many_def){.count = 3, .values = &value, .value_count = 1};
    }
    assert_ok(shoal_spawn_many(f->world, &def));
    for (size_t i = 0; i < 3; i++) {
        owned_end(track, &own[i]);
    }
}

static void subset_step(fixture *f, rng *random, tracker *track, shoal_component component) {
    shoal_entity entity = {0};
    uint32_t skipped = rng_below(random, 40);
    for (uint32_t i = 0; i <= skipped && shoal_next_entity(f->world, &entity); i++) {
    }
    if (!shoal_is_alive(f->world, entity)) {
        spawn_subset(f, random, track, component);
        return;
    }
    switch (rng_below(random, 7)) {
    case 0:
        give_subset(f, random, track, component, entity);
        break;
    case 1:
        assert_ok(shoal_remove(f->world, entity, component));
        break;
    case 2:
        assert_ok(shoal_add(f->world, entity, SHOAL_ID(Health), NULL));
        break;
    case 3:
        assert_ok(shoal_remove(f->world, entity, SHOAL_ID(Health)));
        break;
    case 4:
        assert_false(shoal_entity_is_null(shoal_clone(f->world, entity)));
        break;
    case 5:
        assert_ok(shoal_clear(f->world, entity));
        break;
    default:
        assert_ok(shoal_destroy(f->world, entity));
        break;
    }
}

static void conf_F2_all_hook_subsets(void **state) {
    (void)state;
    for (unsigned subset = 1; subset < 16; subset++) {
        shoal_component component = register_subset(subset);
        bool complete = (subset & 2) != 0 && (subset & 8) != 0;
        assert_count(component.id != 0, complete);
        if (!complete) {
            assert_last_error(NULL, SHOAL_COMPONENT_HOOKS);
            continue;
        }
        tracker *track = &subset_trackers[subset];
        fixture f;
        fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
        rng random = {subset};
        for (uint32_t step = 0; step < 3000; step++) {
            test_set_context("hook subset %u, step %u", subset, (unsigned)step);
            subset_step(&f, &random, track, component);
            assert_count(track->error_count, 0);
        }
        assert_valid(f.world);
        fixture_end(&f);
        assert_owned(track, 0);
        test_set_context("%s", "");
    }
}

static void conf_F3_moving_a_row_makes_no_value(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Owned), SHOAL_DEFAULT(Boxed)));
    for (int i = 0; i < 3; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Owned), SHOAL_DEFAULT(Boxed), SHOAL_DEFAULT(Health)));
    }
    uint64_t object = object_of(f.world, entity);
    owned_reset_counts(&owned_tracker);
    owned_reset_counts(&boxed_tracker);
    assert_ok(shoal_add(f.world, entity, SHOAL_ID(Health), &(Health){5}));
    assert_ok(shoal_remove(f.world, entity, SHOAL_ID(Health)));
    assert_ok(shoal_add(f.world, entity, SHOAL_ID(Frozen), NULL));
    assert_count(owned_tracker.ctor_values, 0);
    assert_count(owned_tracker.copy_values, 0);
    assert_count(owned_tracker.dtor_values, 0);
    assert_count(owned_tracker.move_values, 3);
    assert_count(boxed_tracker.ctor_values + boxed_tracker.copy_values + boxed_tracker.dtor_values, 0);
    assert_count(object_of(f.world, entity), object);
    fixture_end(&f);
}

/* ---- default values ---- */

/* The three kinds of default that new values can have. */
static void check_defaults(const shoal_world *world, shoal_entity entity) {
    const value_kind types[] = {KIND_WIDE, KIND_PRESET, KIND_OWNED, KIND_BOXED};
    for (size_t i = 0; i < 4; i++) {
        const void *value = shoal_get(world, entity, kind_component(types[i]));
        assert_non_null(value);
        assert_count(kind_read(types[i], value), kind_default(types[i]));
    }
}

/* Leaves rows full of other values behind, in the archetype that the defaults go into. */
static void leave_old_rows(shoal_world *world) {
    Wide wide;
    Preset preset;
    kind_write(KIND_WIDE, 0xABCDEF, &wide);
    kind_write(KIND_PRESET, 0x1234, &preset);
    shoal_entity old[50];
    for (size_t i = 0; i < 50; i++) {
        const shoal_value values[] = {
            {SHOAL_ID(Wide), &wide}, {SHOAL_ID(Preset), &preset}, SHOAL_DEFAULT(Owned), SHOAL_DEFAULT(Boxed)};
        old[i] = spawn_one(world, values, 4);
    }
    assert_ok(shoal_destroy_many(world, old, 50));
}

static void conf_F5_new_values_are_defaults(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_value values[] = {SHOAL_DEFAULT(Wide), SHOAL_DEFAULT(Preset), SHOAL_DEFAULT(Owned),
                                  SHOAL_DEFAULT(Boxed)};
    for (size_t round = 0; round < 2; round++) {
        check_defaults(f.world, spawn_one(f.world, values, 4));
        shoal_entity added = spawn_one(f.world, no_values, 0);
        for (size_t i = 0; i < 4; i++) {
            assert_ok(shoal_add(f.world, added, values[i].component, NULL));
        }
        check_defaults(f.world, added);
        shoal_entity changed = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
        assert_ok(shoal_change_entity(f.world, changed, &(shoal_change){.add = values, .add_count = 4}));
        check_defaults(f.world, changed);
        shoal_entity many[4];
        assert_ok(shoal_spawn_many(
            f.world, &(shoal_spawn_many_def){.count = 2, .values = values, .value_count = 4, .entities = many}));
        assert_ok(shoal_spawn_many(
            f.world, &(shoal_spawn_many_def){.count = 2, .columns = values, .column_count = 4, .entities = many + 2}));
        for (size_t i = 0; i < 4; i++) {
            check_defaults(f.world, many[i]);
        }
        shoal_commands *commands = shoal_commands_create(f.world, NULL);
        shoal_entity placeholder = shoal_commands_spawn(commands, values, 4);
        assert_ok(shoal_commands_clear(commands, added));
        for (size_t i = 0; i < 4; i++) {
            assert_ok(shoal_commands_add(commands, added, values[i].component, NULL));
        }
        assert_ok(shoal_commands_apply(commands, NULL));
        check_defaults(f.world, shoal_commands_resolve(commands, placeholder));
        check_defaults(f.world, added);
        leave_old_rows(f.world);
    }
    fixture_end(&f);
}

/* ---- many values ---- */

/* Chunks of a type with hooks grow as all others do, although they are never merged. */
static void test_chunks_grow_with_hooks(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int32_t i = 0; i < 100000; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Boxed), SHOAL_VALUE(Health, i)));
    }
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f.world, &report));
    assert_at_most(report.chunk_count, 100);
    assert_at_most(report.chunk_unused_bytes, report.chunk_used_bytes / 4);
    fixture_end(&f);
}

/* Refuses after some questions, so that a program that asks for each of too many ends soon. */
static size_t asked_count;

static bool counted_validate(const void *value, void *user) {
    (void)value;
    (void)user;
    asked_count++;
    return asked_count < 1000;
}

/* More than there can be is known before a hook is asked or a second value is read. */
static void test_too_many_are_refused_at_once(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.entity_limit = 1000});
    const shoal_component counted = shoal_component_register(
        &(shoal_component_def){.name = "Counted", .size = 4, .alignment = 4, .validate = counted_validate});
    const shoal_value value = {counted, &(int32_t){1}};
    static const size_t counts[] = {1001, (size_t)1 << 32, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        test_set_context("%zu entities", counts[i]);
        asked_count = 0;
        shoal_spawn_many_def def = {.count = counts[i], .values = &value, .value_count = 1};
        assert_status(shoal_spawn_many(f.world, &def), SHOAL_ENTITY_LIMIT);
        def = (shoal_spawn_many_def){.count = counts[i], .columns = &value, .column_count = 1};
        assert_status(shoal_spawn_many(f.world, &def), SHOAL_ENTITY_LIMIT);
        assert_last_error(f.world, SHOAL_ENTITY_LIMIT);
        assert_at_most(asked_count, 2);
    }
    test_set_context("");
    assert_count(shoal_world_entity_count(f.world), 0);
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_F1_the_deleted_row_is_ended),    cmocka_unit_test(conf_F2_all_hook_subsets),
        cmocka_unit_test(conf_F3_moving_a_row_makes_no_value), cmocka_unit_test(conf_F5_new_values_are_defaults),
        cmocka_unit_test(test_chunks_grow_with_hooks),         cmocka_unit_test(test_too_many_are_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
