/*
 * Uniques, below the public calls: random puts and removes beside a model, addresses that stay, hooks that fail, an
 * allocator that fails at every call, and a walker that finds what was broken by hand.
 */
#include "storage/unique.h"
#include "support/fake_allocator.h"
#include "support/owned.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define UNIQUE_COUNT 40u

static tracker unique_track = {.name = "UniqueOwned", .has_ctor = true, .follows = true};

static const component_type *type_register(const shoal_component_def *def) {
    shoal_component component = shoal_component_register(def);
    assert_true(component.id != 0);
    return component_type_at(component.id);
}

/* Types of 0 to 39 bytes. */
static const component_type *unique_type(uint32_t number) {
    char name[32];
    snprintf(name, sizeof name, "Unique%u", number);
    return type_register(&(shoal_component_def){.name = name, .size = number, .storage = SHOAL_STORAGE_UNIQUE});
}

static const component_type *unique_owned_type(void) {
    return type_register(&(shoal_component_def){.name = "UniqueOwned",
                                                .size = sizeof(Owned),
                                                .alignment = _Alignof(Owned),
                                                .storage = SHOAL_STORAGE_UNIQUE,
                                                .ctor = owned_ctor,
                                                .copy = owned_copy,
                                                .move = owned_move,
                                                .dtor = owned_dtor,
                                                .user = &unique_track});
}

typedef struct unique_bed {
    fake_allocator fake;
    shoal_memory memory;
    unique_table table;
} unique_bed;

static void unique_start(unique_bed *u) {
    *u = (unique_bed){0};
    u->memory.allocator = fake_allocator_table(&u->fake);
}

static void unique_check(const unique_bed *u, bool expected) {
    char reason[256] = "";
    bool sound = unique_validate(&u->table, reason, sizeof reason);
    if (sound != expected) {
        print_error("unique_validate gave %d, expected %d: %s\n       at %s\n", sound, expected, reason, test_context);
    }
    assert_true(sound == expected);
    assert_true(sound || reason[0] != '\0');
    assert_count(u->memory.total, u->fake.live_bytes);
    assert_count(u->memory.purposes[SHOAL_PURPOSE_UNIQUE], u->memory.total);
}

static void unique_end(unique_bed *u) {
    unique_deinit(&u->table, &u->memory);
    assert_count(u->memory.total, 0);
    assert_nothing_leaked(&u->fake);
    assert_owned(&unique_track, 0);
    test_set_context("%s", "");
}

static void unique_put_ok(unique_bed *u, const component_type *type, const void *data, uint64_t tick, bool was_new) {
    bool seen = !was_new;
    assert_ok(unique_put(&u->table, &u->memory, type, data, tick, &seen));
    assert_count(seen, was_new);
    assert_count(unique_find(&u->table, type->id)->tick, tick);
}

typedef struct unique_model {
    const component_type *type;
    bool there;
    unsigned char byte;
    uint64_t tick;
    const void *address;
} unique_model;

static void unique_compare(const unique_bed *u, const unique_model *model) {
    uint32_t there = 0;
    for (uint32_t i = 0; i < UNIQUE_COUNT; i++) {
        const unique_entry *entry = unique_find(&u->table, model[i].type->id);
        assert_count(entry != NULL, model[i].there);
        there += model[i].there;
        if (entry != NULL) {
            assert_ptr_equal(entry->value, model[i].address);
            assert_count(entry->tick, model[i].tick);
            for (size_t at = 0; at < model[i].type->def.size; at++) {
                assert_count(((const unsigned char *)entry->value)[at], model[i].byte);
            }
        }
    }
    assert_count(unique_count(&u->table), there);
}

static void unique_model_put(unique_bed *u, unique_model *model, unsigned char byte, uint64_t tick) {
    unsigned char data[UNIQUE_COUNT];
    memset(data, byte, sizeof data);
    unique_put_ok(u, model->type, byte != 0 ? data : NULL, tick, !model->there);
    const void *value = unique_find(&u->table, model->type->id)->value;
    *model = (unique_model){model->type, true, byte, tick, model->there ? model->address : value};
}

static void test_uniques_against_a_model(void **state) {
    (void)state;
    unique_bed u;
    unique_start(&u);
    rng random = {test_environment("SHOAL_TEST_SEED", 3)};
    unique_model model[UNIQUE_COUNT] = {0};
    for (uint32_t i = 0; i < UNIQUE_COUNT; i++) {
        model[i].type = unique_type(i);
    }
    for (uint32_t step = 1; step <= 2000; step++) {
        test_set_context("step %u", step);
        unique_model *one = &model[rng_below(&random, UNIQUE_COUNT)];
        if (rng_chance(&random, step / 300 % 2 == 0 ? 70 : 30)) {
            unique_model_put(&u, one, (unsigned char)rng_below(&random, 4), step);
        } else {
            assert_count(unique_remove(&u.table, &u.memory, one->type->id), one->there);
            one->there = false;
        }
        unique_check(&u, true);
        unique_compare(&u, model);
    }
    unique_end(&u);
}

static void test_a_table_with_one_is_tiny(void **state) {
    (void)state;
    unique_bed u;
    unique_start(&u);
    assert_null(unique_find(&u.table, 1));
    unique_put_ok(&u, unique_type(8), "12345678", 1, true);
    assert_at_most(u.memory.total, 200);
    assert_true(unique_remove(&u.table, &u.memory, unique_type(8)->id));
    assert_count(u.memory.total, 0);
    unique_end(&u);
}

static void test_setting_a_unique_to_itself(void **state) {
    (void)state;
    unique_bed u;
    unique_start(&u);
    unique_put_ok(&u, unique_type(8), "12345678", 1, true);
    unique_put_ok(&u, unique_owned_type(), NULL, 1, true);
    for (uint32_t i = 0; i < u.table.count; i++) {
        unique_put_ok(&u, u.table.entries[i].type, u.table.entries[i].value, 2, false);
    }
    uint32_t payload;
    assert_memory_equal(unique_find(&u.table, unique_type(8)->id)->value, "12345678", 8);
    assert_true(owned_read(&unique_track, unique_find(&u.table, unique_owned_type()->id)->value, &payload));
    assert_count(payload, OWNED_CTOR_PAYLOAD);
    unique_end(&u);
}

static void unique_check_owned(const unique_bed *u, uint32_t payload, uint64_t tick) {
    const unique_entry *entry = unique_find(&u->table, unique_owned_type()->id);
    uint32_t seen;
    assert_true(owned_read(&unique_track, entry->value, &seen));
    assert_count(seen, payload);
    assert_count(entry->tick, tick);
}

/* The hook that makes the value says no: the ctor for NULL, else the copy. */
static void unique_put_fails(unique_bed *u, const Owned *given) {
    bool was_new;
    size_t before = u->memory.total;
    owned_arm(&unique_track, 1);
    assert_status(unique_put(&u->table, &u->memory, unique_owned_type(), given, 9, &was_new), SHOAL_HOOK_FAILED);
    assert_true(owned_disarm(&unique_track));
    assert_count(u->memory.total, before);
    unique_check(u, true);
}

static void test_unique_hooks_that_fail(void **state) {
    (void)state;
    unique_bed u;
    unique_start(&u);
    Owned given;
    owned_make(&unique_track, &given, 42);
    unique_put_fails(&u, NULL);
    unique_put_fails(&u, &given);
    assert_count(unique_count(&u.table), 0);
    unique_put_ok(&u, unique_owned_type(), &given, 5, true);
    const void *address = u.table.entries[0].value;
    unique_put_fails(&u, NULL);
    unique_put_fails(&u, &given);
    unique_check_owned(&u, 42, 5);
    unique_put_ok(&u, unique_owned_type(), NULL, 7, false);
    unique_check_owned(&u, OWNED_CTOR_PAYLOAD, 7);
    assert_ptr_equal(u.table.entries[0].value, address);
    assert_owned(&unique_track, 2);
    owned_end(&unique_track, &given);
    unique_end(&u);
}

/* Puts a new value and replaces it, each allocation failing once; true when none failed. */
static bool unique_failing_puts(unique_bed *u, size_t n) {
    const component_type *type = unique_owned_type();
    size_t failures = 0;
    fake_allocator_arm(&u->fake, n, false);
    for (uint32_t round = 0; round < 2; round++) {
        bool was_new;
        size_t before = u->memory.total;
        shoal_status status = unique_put(&u->table, &u->memory, type, NULL, round + 1, &was_new);
        if (status != SHOAL_OK) {
            failures++;
            assert_status(status, SHOAL_OUT_OF_MEMORY);
            assert_count(u->memory.total, before);
            assert_count(unique_find(&u->table, type->id) != NULL, round);
            unique_check(u, true);
            unique_put_ok(u, type, NULL, round + 1, round == 0);
        }
        assert_owned(&unique_track, 1);
    }
    fake_allocator_disarm(&u->fake);
    return failures == 0;
}

static void test_every_allocation_of_uniques_fails_once(void **state) {
    (void)state;
    size_t n = 0;
    bool whole = false;
    while (!whole) {
        n++;
        test_set_context("allocation %zu", n);
        unique_bed u;
        unique_start(&u);
        for (uint32_t i = 0; i < 4; i++) { /* the table is full then */
            unique_put_ok(&u, unique_type(i), NULL, 1, true);
        }
        assert_count(u.table.capacity, 4);
        whole = unique_failing_puts(&u, n);
        unique_end(&u);
    }
    assert_count(n, 4); /* value, table, scratch, and the run without a failure */
}

static void test_validate_finds_broken_uniques(void **state) {
    (void)state;
    unique_bed u;
    unique_start(&u);
    for (uint32_t i = 0; i < 3; i++) { /* the first without data */
        unique_put_ok(&u, unique_type(i * 4), NULL, 1, true);
    }
    unique_entry kept[3];
    memcpy(kept, u.table.entries, sizeof kept);
    const unique_entry broken[][3] = {
        {kept[1], kept[0], kept[2]},
        {kept[0], kept[0], kept[2]},
        {kept[0], kept[1], {.type = kept[2].type, .id = kept[2].id}},
        {{.type = kept[0].type, .id = kept[0].id, .value = &u}, kept[1], kept[2]},
        {kept[0], {.type = kept[2].type, .id = kept[1].id, .value = kept[1].value}, kept[2]},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        memcpy(u.table.entries, broken[i], sizeof kept);
        unique_check(&u, false);
    }
    memcpy(u.table.entries, kept, sizeof kept);
    unique_check(&u, true);
    unique_end(&u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniques_against_a_model),
        cmocka_unit_test(test_a_table_with_one_is_tiny),
        cmocka_unit_test(test_setting_a_unique_to_itself),
        cmocka_unit_test(test_unique_hooks_that_fail),
        cmocka_unit_test(test_every_allocation_of_uniques_fails_once),
        cmocka_unit_test(test_validate_finds_broken_uniques),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
