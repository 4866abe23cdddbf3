/*
 * Identity: the bits of a handle, generations and their end, entity limits, chosen handles, reserved ranges,
 * handles of other worlds. Conformance A1 to A9.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/hooks.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAST_GENERATION 65535u

static const shoal_value no_values[1];

static shoal_entity spawn_health(shoal_world *world, int32_t value) {
    shoal_entity entity = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Health, value)));
    assert_false(shoal_entity_is_null(entity));
    return entity;
}

static void assert_entity_limit(shoal_world *world) {
    assert_true(shoal_entity_is_null(shoal_spawn(world, no_values, 0)));
    assert_last_error(world, SHOAL_ENTITY_LIMIT);
}

/* ---- bits and text ---- */

static void test_bits(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity first = shoal_spawn(f.world, no_values, 0);
    assert_count(shoal_entity_index(first), 0);
    assert_count(shoal_entity_generation(first), 0);
    assert_count(shoal_entity_world_tag(first), shoal_world_tag(f.world));
    assert_count(first.bits >> 63, 1);
    assert_in_range(shoal_world_tag(f.world), 1, 32767);
    assert_true(shoal_entity_is_null((shoal_entity){0}));
    assert_false(shoal_entity_is_null(first));
    assert_false(shoal_entity_is_placeholder(first));
    assert_false(shoal_entity_is_placeholder((shoal_entity){0}));
    assert_true(shoal_entity_is_placeholder((shoal_entity){1}));
    assert_entity(shoal_entity_make(f.world, 0, 0), first);
    shoal_entity made = shoal_entity_make(f.world, 0xFFFFFFFFu, LAST_GENERATION);
    assert_count(shoal_entity_index(made), 0xFFFFFFFFu);
    assert_count(shoal_entity_generation(made), LAST_GENERATION);
    fixture_end(&f);
}

static void check_text(shoal_entity entity, const char *expected) {
    char text[SHOAL_ENTITY_TEXT_SIZE];
    assert_count(shoal_entity_format(entity, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
    for (size_t size = 1; size < sizeof text; size++) {
        char cut[SHOAL_ENTITY_TEXT_SIZE];
        memset(cut, '#', sizeof cut);
        assert_count(shoal_entity_format(entity, cut, size), strlen(expected));
        size_t kept = strlen(expected) < size ? strlen(expected) : size - 1;
        assert_count(strlen(cut), kept);
        assert_memory_equal(cut, expected, kept);
    }
    assert_count(shoal_entity_format(entity, NULL, 0), strlen(expected));
}

static void conf_A4_printing_shows_index_and_generation_apart(void **state) {
    (void)state;
    uint64_t valid = (uint64_t)1 << 63;
    check_text((shoal_entity){valid | (uint64_t)9 << 48 | (uint64_t)3 << 32 | 5}, "5:3@9");
    check_text((shoal_entity){UINT64_MAX}, "4294967295:65535@32767");
    check_text((shoal_entity){valid | (uint64_t)1 << 48}, "0:0@1");
    check_text((shoal_entity){0}, "null");
    char text[SHOAL_ENTITY_TEXT_SIZE];
    shoal_entity_format((shoal_entity){1}, text, sizeof text);
    assert_memory_equal(text, "placeholder ", 12);
}

/* ---- generations ---- */

static void conf_A1_used_up_slot_is_retired(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity oldest = spawn_health(f.world, 1);
    assert_ok(shoal_destroy(f.world, oldest));
    index_set_generation(f.world, shoal_entity_index(oldest), LAST_GENERATION - 1);
    for (uint32_t generation = LAST_GENERATION - 1; generation <= LAST_GENERATION; generation++) {
        shoal_entity entity = spawn_health(f.world, 2);
        assert_entity(entity, shoal_entity_make(f.world, shoal_entity_index(oldest), (uint16_t)generation));
        assert_false(shoal_is_alive(f.world, oldest));
        assert_ok(shoal_destroy(f.world, entity));
        assert_false(shoal_is_alive(f.world, entity));
        assert_valid(f.world);
    }
    assert_count(f.log_count[SHOAL_LOG_DEBUG], 1);
    shoal_entity next = spawn_health(f.world, 3);
    assert_true(shoal_entity_index(next) != shoal_entity_index(oldest));
    assert_false(shoal_is_alive(f.world, oldest));
    assert_status(shoal_destroy(f.world, oldest), SHOAL_ENTITY_DEAD);
    for (uint32_t generation = 0; generation <= LAST_GENERATION; generation += 4369) {
        shoal_entity chosen = shoal_entity_make(f.world, shoal_entity_index(oldest), (uint16_t)generation);
        assert_false(shoal_is_alive(f.world, chosen));
        assert_status(shoal_spawn_at(f.world, chosen, no_values, 0), SHOAL_GENERATION_USED);
    }
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.retired_slot_count, 1);
    fixture_end(&f);
}

typedef struct retired_probe {
    shoal_world *world;
    size_t line_count;
} retired_probe;

/* The slot has been taken from its entity and the row is still there. */
static void spawn_when_retired(void *user, shoal_log_level level, const char *message) {
    retired_probe *probe = user;
    assert_count(level, SHOAL_LOG_DEBUG);
    assert_non_null(strstr(message, "retired"));
    assert_true(shoal_entity_is_null(shoal_spawn(probe->world, SHOAL_VALUES(SHOAL_VALUE(Health, 2)))));
    assert_last_error(probe->world, SHOAL_WORLD_LOCKED);
    probe->line_count++;
}

static void test_spawn_while_the_log_hears_of_a_retired_slot(void **state) {
    (void)state;
    retired_probe probe = {0};
    shoal_world *world = shoal_world_create(&(shoal_world_def){.log = spawn_when_retired, .log_user = &probe});
    assert_non_null(world);
    probe.world = world;
    shoal_entity entities[3];
    for (uint32_t i = 0; i < 3; i++) {
        shoal_entity first = spawn_health(world, 0);
        assert_ok(shoal_destroy(world, first));
        index_set_generation(world, shoal_entity_index(first), LAST_GENERATION);
        entities[i] = spawn_health(world, 1);
        assert_count(shoal_entity_generation(entities[i]), LAST_GENERATION);
    }
    shoal_commands *commands = shoal_commands_create(world, NULL);
    assert_ok(shoal_commands_destroy_entity(commands, entities[1]));
    assert_ok(shoal_destroy(world, entities[0]));
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_ok(shoal_destroy_many(world, &entities[2], 1));
    assert_count(probe.line_count, 3);
    assert_count(shoal_world_entity_count(world), 0);
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

static void conf_A1_last_generation_of_the_last_slot_is_not_null(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity last = shoal_entity_make(f.world, 0xFFFFFFFFu, LAST_GENERATION);
    assert_ok(shoal_spawn_at(f.world, last, SHOAL_VALUES(SHOAL_VALUE(Health, 7))));
    assert_false(shoal_entity_is_null(last));
    assert_false(shoal_entity_is_placeholder(last));
    assert_true(shoal_is_alive(f.world, last));
    assert_health(f.world, last, 7);
    shoal_entity walker = {0};
    assert_true(shoal_next_entity(f.world, &walker));
    assert_entity(walker, last);
    assert_false(shoal_next_entity(f.world, &walker));
    assert_valid(f.world);
    assert_ok(shoal_destroy(f.world, last));
    assert_status(shoal_spawn_at(f.world, last, no_values, 0), SHOAL_GENERATION_USED);
    fixture_end(&f);
}

static void conf_A2_all_handles_of_a_tiny_world(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.entity_limit = 16});
    for (uint32_t index = 0; index < 16; index++) {
        for (uint32_t generation = 0; generation <= LAST_GENERATION; generation++) {
            shoal_entity entity = shoal_spawn(f.world, no_values, 0);
            if (!shoal_entity_equal(entity, shoal_entity_make(f.world, index, (uint16_t)generation))) {
                assert_entity(entity, shoal_entity_make(f.world, index, (uint16_t)generation));
            }
            assert_ok(shoal_destroy(f.world, entity));
        }
    }
    assert_entity_limit(f.world);
    assert_status(shoal_spawn_many(f.world, &(shoal_spawn_many_def){.count = 1}), SHOAL_ENTITY_LIMIT);
    for (uint32_t index = 0; index < 16; index++) {
        for (uint32_t generation = 0; generation <= LAST_GENERATION; generation++) {
            assert_false(shoal_is_alive(f.world, shoal_entity_make(f.world, index, (uint16_t)generation)));
        }
    }
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.retired_slot_count, 16);
    fixture_end(&f);
}

static void conf_A2_churn_of_one_slot_leaves_the_others(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.entity_limit = 16});
    shoal_entity kept[15];
    for (int32_t i = 0; i < 15; i++) {
        kept[i] = spawn_health(f.world, 100 + i);
    }
    for (uint32_t generation = 0; generation <= LAST_GENERATION; generation++) {
        assert_ok(shoal_destroy(f.world, spawn_health(f.world, 1)));
    }
    assert_entity_limit(f.world);
    for (int32_t i = 0; i < 15; i++) {
        assert_health(f.world, kept[i], 100 + i);
    }
    assert_ok(shoal_destroy(f.world, kept[4]));
    shoal_entity next = spawn_health(f.world, 1);
    assert_count(shoal_entity_index(next), 4);
    assert_count(shoal_entity_generation(next), 1);
    assert_entity_limit(f.world);
    fixture_end(&f);
}

/* ---- limits ---- */

static void conf_A3_one_more_than_the_limit(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.entity_limit = 1000});
    shoal_entity entities[1000];
    for (int32_t i = 0; i < 1000; i++) {
        entities[i] = spawn_health(f.world, i);
    }
    assert_entity_limit(f.world);
    assert_true(shoal_entity_is_null(shoal_clone(f.world, entities[0])));
    assert_last_error(f.world, SHOAL_ENTITY_LIMIT);
    assert_status(shoal_spawn_at(f.world, shoal_entity_make(f.world, 1000, 0), no_values, 0), SHOAL_ENTITY_LIMIT);
    assert_status(shoal_reserve_range(f.world, 999, 2), SHOAL_ENTITY_LIMIT);
    assert_ok(shoal_destroy(f.world, entities[500]));
    assert_status(shoal_spawn_many(f.world, &(shoal_spawn_many_def){.count = 2}), SHOAL_ENTITY_LIMIT);
    assert_count(shoal_world_entity_count(f.world), 999);
    shoal_entity again = spawn_health(f.world, 12345);
    assert_count(shoal_entity_index(again), 500);
    for (int32_t i = 0; i < 1000; i++) {
        assert_health(f.world, i == 500 ? again : entities[i], i == 500 ? 12345 : i);
    }
    fixture_end(&f);
}

static void conf_A3_commands_wait_for_a_free_slot(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.entity_limit = 3});
    shoal_entity first = spawn_health(f.world, 1);
    spawn_health(f.world, 2);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    assert_ok(shoal_commands_set(commands, first, SHOAL_ID(Health), &(Health){9}));
    shoal_entity made[2];
    for (int32_t i = 0; i < 2; i++) {
        made[i] = shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Health, 10 + i)));
    }
    assert_status(shoal_commands_apply(commands, NULL), SHOAL_ENTITY_LIMIT);
    assert_count(shoal_commands_count(commands), 3);
    assert_count(shoal_world_entity_count(f.world), 2);
    assert_health(f.world, first, 1);
    assert_ok(shoal_destroy(f.world, shoal_entity_make(f.world, 1, 0)));
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_health(f.world, first, 9);
    assert_health(f.world, shoal_commands_resolve(commands, made[0]), 10);
    assert_health(f.world, shoal_commands_resolve(commands, made[1]), 11);
    fixture_end(&f);
}

/* In a full world a destroy makes room for the spawn that follows it, also in one buffer. */
static void conf_A3_commands_destroy_makes_room_for_spawn(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.entity_limit = 2});
    shoal_entity first = spawn_health(f.world, 1);
    spawn_health(f.world, 2);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    shoal_entity early = shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Health, 3)));
    assert_ok(shoal_commands_destroy_entity(commands, first));
    assert_status(shoal_commands_apply(commands, NULL), SHOAL_ENTITY_LIMIT);
    assert_true(shoal_is_alive(f.world, first));
    shoal_commands_discard(commands);
    assert_true(shoal_entity_is_placeholder(early));
    assert_ok(shoal_commands_destroy_entity(commands, first));
    shoal_entity late = shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Health, 4)));
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_false(shoal_is_alive(f.world, first));
    assert_entity(shoal_commands_resolve(commands, late), shoal_entity_make(f.world, 0, 1));
    fixture_end(&f);
}

/* ---- chosen handles and ranges ---- */

static void conf_A5_chosen_handle_is_not_given_again(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity old = spawn_health(f.world, 1);
    assert_ok(shoal_destroy(f.world, old));
    shoal_entity chosen = shoal_entity_make(f.world, shoal_entity_index(old), 1);
    assert_ok(shoal_spawn_at(f.world, chosen, SHOAL_VALUES(SHOAL_VALUE(Health, 5))));
    assert_true(shoal_is_alive(f.world, chosen));
    for (int32_t i = 0; i < 10000; i++) {
        shoal_entity fresh = shoal_spawn(f.world, no_values, 0);
        assert_false(shoal_entity_is_null(fresh));
        assert_false(shoal_entity_equal(fresh, chosen));
        size_t count = 99;
        shoal_components_of(f.world, fresh, &count);
        assert_count(count, 0);
    }
    assert_health(f.world, chosen, 5);
    assert_false(shoal_is_alive(f.world, old));
    fixture_end(&f);
}

static void test_spawn_at_refusals(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity chosen = shoal_entity_make(f.world, 7, 3);
    assert_ok(shoal_spawn_at(f.world, chosen, no_values, 0));
    assert_status(shoal_spawn_at(f.world, chosen, no_values, 0), SHOAL_SLOT_TAKEN);
    assert_status(shoal_spawn_at(f.world, shoal_entity_make(f.world, 7, 9), no_values, 0), SHOAL_SLOT_TAKEN);
    assert_ok(shoal_destroy(f.world, chosen));
    assert_status(shoal_spawn_at(f.world, chosen, no_values, 0), SHOAL_GENERATION_USED);
    assert_status(shoal_spawn_at(f.world, shoal_entity_make(f.world, 7, 0), no_values, 0), SHOAL_GENERATION_USED);
    assert_status(shoal_spawn_at(f.world, (shoal_entity){0}, no_values, 0), SHOAL_ENTITY_NULL);
    assert_status(shoal_spawn_at(f.world, (shoal_entity){5}, no_values, 0), SHOAL_ENTITY_PLACEHOLDER);
    assert_count(shoal_world_entity_count(f.world), 0);
    assert_ok(shoal_spawn_at(f.world, shoal_entity_make(f.world, 7, 100), no_values, 0));
    assert_ok(shoal_destroy(f.world, shoal_entity_make(f.world, 7, 100)));
    for (uint32_t i = 0; i < 7; i++) {
        assert_entity(shoal_spawn(f.world, no_values, 0), shoal_entity_make(f.world, i, 0));
    }
    assert_entity(shoal_spawn(f.world, no_values, 0), shoal_entity_make(f.world, 7, 101));
    fixture_end(&f);
}

static void conf_A8_reserved_range_stays_remote(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const uint32_t first = 50000;
    const uint32_t count = 10000;
    assert_ok(shoal_reserve_range(f.world, first, count));
    for (uint32_t i = 0; i < 100; i++) {
        shoal_entity remote = shoal_entity_make(f.world, first + i * 37, (uint16_t)i);
        assert_ok(shoal_spawn_at(f.world, remote, SHOAL_VALUES(SHOAL_VALUE(Health, 1))));
        if (i % 2 == 0) {
            assert_ok(shoal_destroy(f.world, remote));
        }
    }
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t index = shoal_entity_index(shoal_spawn(f.world, no_values, 0));
        assert_false(index >= first && index < first + count);
    }
    shoal_entity bulk[1000];
    assert_ok(shoal_spawn_many(f.world, &(shoal_spawn_many_def){.count = 1000, .entities = bulk}));
    for (uint32_t i = 0; i < 1000; i++) {
        assert_false(shoal_entity_index(bulk[i]) >= first && shoal_entity_index(bulk[i]) < first + count);
    }
    assert_count(shoal_world_entity_count(f.world), 101050);
    fixture_end(&f);
}

static void test_reserve_is_all_or_nothing(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_ok(shoal_spawn_at(f.world, shoal_entity_make(f.world, 5, 0), no_values, 0));
    assert_status(shoal_reserve_range(f.world, 0, 6), SHOAL_SLOT_TAKEN);
    assert_count(shoal_entity_index(shoal_spawn(f.world, no_values, 0)), 0);
    assert_ok(shoal_reserve_range(f.world, 1, 3));
    assert_ok(shoal_reserve_range(f.world, 2, 3));
    assert_count(shoal_entity_index(shoal_spawn(f.world, no_values, 0)), 6);
    shoal_entity remote = shoal_entity_make(f.world, 2, 0);
    assert_ok(shoal_spawn_at(f.world, remote, no_values, 0));
    assert_status(shoal_reserve_range(f.world, 0xFFFFFFFFu, 2), SHOAL_ENTITY_LIMIT);
    assert_ok(shoal_destroy(f.world, remote));
    assert_count(shoal_entity_index(shoal_spawn(f.world, no_values, 0)), 7);
    fixture_end(&f);
}

static void test_reserve_half_of_all_indexes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const uint32_t first = 0x80000000u;
    assert_ok(shoal_reserve_range(f.world, first, (uint64_t)1 << 31));
    assert_at_most(fixture_total_bytes(&f), 64u << 20);
    shoal_entity remote = shoal_entity_make(f.world, 0xDEADBEEFu, 5);
    assert_ok(shoal_spawn_at(f.world, remote, SHOAL_VALUES(SHOAL_VALUE(Health, 3))));
    assert_health(f.world, remote, 3);
    assert_count(shoal_entity_index(shoal_spawn(f.world, no_values, 0)), 0);
    fixture_end(&f);
}

/* Pages that are reserved as a whole are not made on the way to the first free slot. The limit lets a program that
   makes them fail soon. */
static void check_spawn_behind_a_range(uint32_t first, uint64_t count, size_t memory_limit) {
    fixture f;
    fixture_start(&f, &(shoal_world_def){.memory_limit = memory_limit});
    assert_ok(shoal_reserve_range(f.world, first, count));
    for (uint32_t i = 0; i < first; i++) {
        assert_count(shoal_entity_index(spawn_health(f.world, 0)), i);
    }
    shoal_entity behind = spawn_health(f.world, 4);
    assert_count(shoal_entity_index(behind), first + count);
    assert_health(f.world, behind, 4);
    assert_ok(shoal_spawn_many(f.world, &(shoal_spawn_many_def){.count = 5000}));
    assert_true(shoal_is_alive(f.world, shoal_entity_make(f.world, (uint32_t)(first + count) + 5000, 0)));
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f.world, &report));
    assert_at_most(report.purpose_bytes[SHOAL_PURPOSE_INDEX], 64u << 20);
    assert_ok(shoal_destroy(f.world, behind));
    assert_entity(spawn_health(f.world, 5), shoal_entity_make(f.world, shoal_entity_index(behind), 1));
    fixture_end(&f);
}

static void test_spawn_behind_reserved_ranges(void **state) {
    (void)state;
    check_spawn_behind_a_range(0, (uint64_t)1 << 20, (size_t)8 << 20);
    check_spawn_behind_a_range(10, (uint64_t)1 << 20, (size_t)8 << 20);
    check_spawn_behind_a_range(0, (uint64_t)1 << 31, (size_t)128 << 20);
}

/* ---- other worlds ---- */

static void check_foreign_calls(shoal_world *world, shoal_entity foreign) {
    const shoal_component health = SHOAL_ID(Health);
    const Health value = {1};
    const shoal_change change = {.remove = &health, .remove_count = 1};
    assert_false(shoal_is_alive(world, foreign));
    assert_false(shoal_has(world, foreign, health));
    assert_null(shoal_get(world, foreign, health));
    assert_last_error(world, SHOAL_ENTITY_FOREIGN);
    assert_null(shoal_get_mut(world, foreign, health));
    assert_last_error(world, SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_set(world, foreign, health, &value), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_add(world, foreign, health, &value), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_remove(world, foreign, health), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_clear(world, foreign), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_change_entity(world, foreign, &change), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_destroy(world, foreign), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_destroy_many(world, &foreign, 1), SHOAL_ENTITY_FOREIGN);
    assert_true(shoal_entity_is_null(shoal_clone(world, foreign)));
    assert_last_error(world, SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_spawn_at(world, foreign, no_values, 0), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_print_entity(world, foreign, shoal_write_file, stdout), SHOAL_ENTITY_FOREIGN);
    size_t count = 1;
    assert_null(shoal_components_of(world, foreign, &count));
    assert_count(count, 0);
    const void *data = &value;
    assert_count(shoal_get_many(world, &foreign, 1, health, &data), 0);
    assert_null(data);
}

static void check_foreign_commands(shoal_world *world, shoal_entity foreign) {
    shoal_commands *commands = shoal_commands_create(world, NULL);
    const shoal_component health = SHOAL_ID(Health);
    const Health value = {1};
    assert_status(shoal_commands_destroy_entity(commands, foreign), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_commands_add(commands, foreign, health, &value), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_commands_set(commands, foreign, health, &value), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_commands_remove(commands, foreign, health), SHOAL_ENTITY_FOREIGN);
    assert_status(shoal_commands_clear(commands, foreign), SHOAL_ENTITY_FOREIGN);
    assert_count(shoal_commands_count(commands), 0);
    shoal_commands_destroy(commands);
}

static void conf_A6_handle_of_another_world(void **state) {
    (void)state;
    fixture a;
    fixture b;
    fixture_start(&a, &(shoal_world_def){.name = "first"});
    fixture_start(&b, &(shoal_world_def){.name = "second"});
    assert_true(shoal_world_tag(a.world) != shoal_world_tag(b.world));
    shoal_entity in_a = spawn_health(a.world, 1);
    shoal_entity in_b = spawn_health(b.world, 2);
    assert_count(shoal_entity_index(in_a), shoal_entity_index(in_b));
    check_foreign_calls(b.world, in_a);
    check_foreign_commands(b.world, in_a);
    assert_false(shoal_query_matches(b.everything, in_a));
    shoal_entity both[2] = {in_b, in_a};
    assert_status(shoal_destroy_many(b.world, both, 2), SHOAL_ENTITY_FOREIGN);
    assert_health(a.world, in_a, 1);
    assert_health(b.world, in_b, 2);
    assert_count(shoal_world_entity_count(b.world), 1);
    fixture_end(&a);
    fixture_end(&b);
}

/* ---- commands to a slot that has a new entity ---- */

static void note_dropped(void *user, const shoal_dropped_command *command) {
    *(shoal_dropped_command *)user = *command;
}

static void conf_A7_command_to_a_reused_slot_is_dropped(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_dropped_command dropped = {0};
    shoal_commands *commands = shoal_commands_create(
        f.world, &(shoal_commands_def){.dropped = note_dropped, .user = &dropped, .log_dropped = true});
    shoal_entity old = shoal_spawn(f.world, no_values, 0);
    assert_ok(shoal_commands_add(commands, old, SHOAL_ID(Health), &(Health){4}));
    assert_ok(shoal_destroy(f.world, old));
    shoal_entity fresh = shoal_spawn(f.world, no_values, 0);
    assert_count(shoal_entity_index(fresh), shoal_entity_index(old));
    shoal_commands_result result;
    assert_ok(shoal_commands_apply(commands, &result));
    assert_count(result.applied, 0);
    assert_count(result.dropped, 1);
    assert_count(dropped.kind, SHOAL_COMMAND_ADD);
    assert_count(dropped.component.id, SHOAL_ID(Health).id);
    assert_count(dropped.record, 0);
    assert_status(dropped.status, SHOAL_ENTITY_DEAD);
    assert_entity(dropped.entity, old);
    assert_count(f.log_count[SHOAL_LOG_WARNING], 1);
    assert_false(SHOAL_HAS(f.world, fresh, Health));
    size_t count = 99;
    shoal_components_of(f.world, fresh, &count);
    assert_count(count, 0);
    fixture_end(&f);
}

/* ---- a million random steps ---- */

#define SHADOW_COUNT 4096

static void conf_A9_random_creates_and_destroys(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rng random = {test_environment("SHOAL_SEED", 9)};
    shoal_entity *handles = calloc(SHADOW_COUNT, sizeof *handles);
    bool *alive = calloc(SHADOW_COUNT, sizeof *alive);
    uint64_t alive_count = 0;
    for (uint32_t step = 0; step < 1000000; step++) {
        uint32_t i = rng_below(&random, SHADOW_COUNT);
        if (shoal_is_alive(f.world, handles[i]) != alive[i]) {
            assert_count(shoal_is_alive(f.world, handles[i]), alive[i]);
        }
        if (alive[i] && rng_chance(&random, 60)) {
            assert_ok(shoal_destroy(f.world, handles[i]));
            alive[i] = false;
            alive_count--;
        } else if (!alive[i] && rng_chance(&random, 70)) {
            handles[i] = shoal_spawn(f.world, no_values, 0);
            alive[i] = true;
            alive_count++;
        } else if (!alive[i] && !shoal_entity_is_null(handles[i])) {
            assert_status(shoal_destroy(f.world, handles[i]), SHOAL_ENTITY_DEAD);
        }
        if (step % 100000 == 0) {
            assert_valid(f.world);
        }
    }
    assert_count(shoal_world_entity_count(f.world), alive_count);
    for (uint32_t i = 0; i < SHADOW_COUNT; i++) {
        assert_count(shoal_is_alive(f.world, handles[i]), alive[i]);
    }
    free(handles);
    free(alive);
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(conf_A1_used_up_slot_is_retired),
        cmocka_unit_test(test_spawn_while_the_log_hears_of_a_retired_slot),
        cmocka_unit_test(conf_A1_last_generation_of_the_last_slot_is_not_null),
        cmocka_unit_test(conf_A2_all_handles_of_a_tiny_world),
        cmocka_unit_test(conf_A2_churn_of_one_slot_leaves_the_others),
        cmocka_unit_test(conf_A3_one_more_than_the_limit),
        cmocka_unit_test(conf_A3_commands_wait_for_a_free_slot),
        cmocka_unit_test(conf_A3_commands_destroy_makes_room_for_spawn),
        cmocka_unit_test(conf_A4_printing_shows_index_and_generation_apart),
        cmocka_unit_test(conf_A5_chosen_handle_is_not_given_again),
        cmocka_unit_test(test_spawn_at_refusals),
        cmocka_unit_test(conf_A6_handle_of_another_world),
        cmocka_unit_test(conf_A7_command_to_a_reused_slot_is_dropped),
        cmocka_unit_test(conf_A8_reserved_range_stays_remote),
        cmocka_unit_test(test_reserve_is_all_or_nothing),
        cmocka_unit_test(test_reserve_half_of_all_indexes),
        cmocka_unit_test(test_spawn_behind_reserved_ranges),
        cmocka_unit_test(conf_A9_random_creates_and_destroys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
