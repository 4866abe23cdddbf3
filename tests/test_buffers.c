/*
 * Buffers, as the public calls give them: every change beside a naive array, elements that own something, what is
 * refused, and what a buffer goes through with its entity. The cells below are in test_buffer_cells.c.
 */
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

typedef struct Waypoint {
    uint32_t x, y;
} Waypoint;

/* Elements that own something. */
typedef Owned Cargo;

/* Refuses 13. */
typedef struct Dice {
    uint32_t value;
} Dice;

typedef struct Scar {
    uint16_t value;
} Scar;

static tracker cargo_tracker = {.name = "Cargo", .has_ctor = true, .follows = true};
static size_t dice_set_count;

static bool dice_validate(const void *value, void *user) {
    (void)user;
    return ((const Dice *)value)->value != 13;
}

static void dice_on_set(const shoal_component_event *event, void *user) {
    (void)user;
    assert_non_null(event->value);
    dice_set_count++;
}

static const Waypoint origin = {7, 8};

SHOAL_COMPONENT(Waypoint, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 4, .default_value = &origin)
SHOAL_COMPONENT(Cargo, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 2, .ctor = owned_ctor, .copy = owned_copy,
                .move = owned_move, .dtor = owned_dtor, .user = &cargo_tracker)
SHOAL_COMPONENT(Dice, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 3, .validate = dice_validate,
                .on_set = dice_on_set)
SHOAL_COMPONENT(Scar, .storage = SHOAL_STORAGE_BUFFER, .cleanup = true)

static const shoal_entity nobody = {0};
static const shoal_value no_values[1];

static shoal_entity spawn_with(shoal_world *world, shoal_component component) {
    shoal_entity entity = shoal_spawn(world, &(shoal_value){.component = component}, 1);
    assert_false(shoal_entity_is_null(entity));
    return entity;
}

static shoal_buffer get_buffer(shoal_world *world, shoal_entity entity, shoal_component component) {
    shoal_buffer buffer = shoal_buffer_get(world, entity, component);
    assert_false(shoal_buffer_is_null(buffer));
    return buffer;
}

/* The x of the elements, one after the other. */
static void check_path(shoal_buffer buffer, const uint32_t *expected, size_t count) {
    const Waypoint *items = shoal_buffer_items(buffer);
    assert_count(shoal_buffer_count(buffer), count);
    for (size_t i = 0; i < count; i++) {
        assert_count(items[i].x, expected[i]);
    }
    assert_count(shoal_buffer_is_on_heap(buffer), count > shoal_buffer_inline_count(buffer));
}

/* ---- getting ---- */

static void test_values_are_spans(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component waypoint = SHOAL_ID(Waypoint);
    shoal_entity few = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_ITEMS(Waypoint, {1, 0}, {2, 0})));
    shoal_entity many =
        shoal_spawn(f.world, SHOAL_VALUES(SHOAL_ITEMS(Waypoint, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0})));
    shoal_entity none = spawn_with(f.world, waypoint);
    check_path(get_buffer(f.world, few, waypoint), (uint32_t[]){1, 2}, 2);
    check_path(get_buffer(f.world, many, waypoint), (uint32_t[]){1, 2, 3, 4, 5}, 5);
    check_path(get_buffer(f.world, none, waypoint), NULL, 0);
    assert_count(shoal_buffer_inline_count(get_buffer(f.world, none, waypoint)), 4);
    const Waypoint two[] = {{8, 0}, {9, 0}};
    assert_ok(shoal_set(f.world, many, waypoint, &(shoal_span){two, 2}));
    check_path(get_buffer(f.world, many, waypoint), (uint32_t[]){8, 9}, 2);
    assert_ok(shoal_add(f.world, none, waypoint, &(shoal_span){two, 1}));
    check_path(get_buffer(f.world, none, waypoint), (uint32_t[]){8}, 1);
    assert_valid(f.world);
    fixture_end(&f);
}

static void check_get_fails(shoal_world *world, shoal_entity entity, shoal_component component, shoal_status expected) {
    assert_true(shoal_buffer_is_null(shoal_buffer_get(world, entity, component)));
    assert_last_error(world, expected);
    assert_message_has(world, "shoal_buffer_get:");
}

static void test_what_is_no_buffer(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_world *other = shoal_world_create(NULL);
    shoal_component waypoint = SHOAL_ID(Waypoint);
    shoal_entity dead = spawn_with(f.world, waypoint);
    assert_ok(shoal_destroy(f.world, dead));
    shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Waypoint), SHOAL_DEFAULT(Health)));
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    check_get_fails(f.world, nobody, waypoint, SHOAL_ENTITY_NULL);
    check_get_fails(f.world, dead, waypoint, SHOAL_ENTITY_DEAD);
    check_get_fails(f.world, spawn_with(other, waypoint), waypoint, SHOAL_ENTITY_FOREIGN);
    check_get_fails(f.world, shoal_commands_spawn(commands, no_values, 0), waypoint, SHOAL_ENTITY_PLACEHOLDER);
    check_get_fails(f.world, entity, SHOAL_ID(Dice), SHOAL_COMPONENT_MISSING);
    check_get_fails(f.world, entity, SHOAL_ID(Health), SHOAL_COMPONENT_KIND);
    check_get_fails(f.world, entity, SHOAL_ID(Frozen), SHOAL_COMPONENT_KIND);
    check_get_fails(f.world, entity, (shoal_component){0}, SHOAL_COMPONENT_INVALID);
    check_get_fails(f.world, entity, (shoal_component){65535}, SHOAL_COMPONENT_INVALID);
    check_get_fails(NULL, entity, waypoint, SHOAL_INVALID_ARGUMENT);
    fixture_end(&f);
    assert_ok(shoal_world_destroy(other));
}

/* Every call that changes a buffer, with an index of 0. */
static shoal_status change_by(size_t call, shoal_buffer buffer, const void *element) {
    switch (call) {
    case 0:
        return shoal_buffer_push(buffer, element);
    case 1:
        return shoal_buffer_insert(buffer, 0, element);
    case 2:
        return shoal_buffer_assign(buffer, (shoal_span){element, 1});
    case 3:
        return shoal_buffer_resize(buffer, shoal_buffer_count(buffer) + 1);
    case 4:
        return shoal_buffer_erase(buffer, 0);
    default:
        return shoal_buffer_erase_swap(buffer, 0);
    }
}

static const char *const change_names[] = {"shoal_buffer_push:",   "shoal_buffer_insert:", "shoal_buffer_assign:",
                                           "shoal_buffer_resize:", "shoal_buffer_erase:",  "shoal_buffer_erase_swap:"};
#define CHANGE_COUNT (sizeof change_names / sizeof change_names[0])

static void test_null_buffer(void **state) {
    (void)state;
    shoal_buffer null = {0};
    assert_true(shoal_buffer_is_null(null));
    assert_count(shoal_buffer_count(null), 0);
    assert_null(shoal_buffer_items(null));
    assert_count(shoal_buffer_inline_count(null), 0);
    assert_false(shoal_buffer_is_on_heap(null));
    for (size_t i = 0; i < CHANGE_COUNT; i++) {
        assert_status(change_by(i, null, &origin), SHOAL_INVALID_ARGUMENT);
        assert_last_error(NULL, SHOAL_INVALID_ARGUMENT);
        assert_message_has(NULL, change_names[i]);
    }
}

/* ---- changing ---- */

static void test_places_beyond_the_end(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component waypoint = SHOAL_ID(Waypoint);
    shoal_buffer buffer = get_buffer(f.world, spawn_with(f.world, waypoint), waypoint);
    for (size_t count = 0; count < 7; count++) {
        assert_status(shoal_buffer_insert(buffer, count + 1, &origin), SHOAL_INVALID_ARGUMENT);
        assert_last_error(f.world, SHOAL_INVALID_ARGUMENT);
        assert_message_has(f.world, "component Waypoint");
        assert_status(shoal_buffer_erase(buffer, count), SHOAL_INVALID_ARGUMENT);
        assert_status(shoal_buffer_erase_swap(buffer, count), SHOAL_INVALID_ARGUMENT);
        assert_status(shoal_buffer_erase(buffer, SIZE_MAX), SHOAL_INVALID_ARGUMENT);
        assert_status(shoal_buffer_assign(buffer, (shoal_span){NULL, 1}), SHOAL_INVALID_ARGUMENT);
        assert_status(shoal_buffer_resize(buffer, SIZE_MAX), SHOAL_INVALID_ARGUMENT);
        assert_count(shoal_buffer_count(buffer), count);
        assert_ok(shoal_buffer_insert(buffer, count, NULL)); /* the default */
        const Waypoint *items = shoal_buffer_items(buffer);
        assert_count(items[count].x, origin.x);
        assert_count(items[count].y, origin.y);
    }
    assert_ok(shoal_buffer_assign(buffer, (shoal_span){0}));
    check_path(buffer, NULL, 0);
    fixture_end(&f);
}

#define MODEL_MAX 200u

typedef struct naive_path {
    uint32_t items[MODEL_MAX];
    size_t count;
} naive_path;

static void naive_insert(naive_path *path, size_t at, uint32_t x) {
    memmove(&path->items[at + 1], &path->items[at], (path->count++ - at) * sizeof path->items[0]);
    path->items[at] = x;
}

static void naive_step(naive_path *path, shoal_buffer buffer, rng *random, uint32_t x) {
    size_t at = path->count != 0 ? rng_below(random, (uint32_t)path->count) : 0;
    const Waypoint *items = shoal_buffer_items(buffer);
    bool own = path->count != 0 && rng_chance(random, 25); /* an element of the buffer itself */
    const Waypoint given = {.x = own ? items[at].x : x};
    switch (rng_below(random, 8)) {
    case 0:
        assert_ok(shoal_buffer_insert(buffer, at, own ? &items[at] : &given));
        naive_insert(path, at, given.x);
        break;
    case 1:
        if (path->count != 0) {
            assert_ok(shoal_buffer_erase(buffer, at));
            memmove(&path->items[at], &path->items[at + 1], (--path->count - at) * sizeof path->items[0]);
        }
        break;
    case 2:
        if (path->count != 0) {
            assert_ok(shoal_buffer_erase_swap(buffer, at));
            path->items[at] = path->items[--path->count];
        }
        break;
    case 3: {
        size_t count = rng_below(random, rng_chance(random, 50) ? 10 : 60);
        assert_ok(shoal_buffer_resize(buffer, count));
        for (; path->count < count; path->count++) {
            path->items[path->count] = origin.x;
        }
        path->count = count;
        break;
    }
    case 4: /* a part of itself */
        assert_ok(shoal_buffer_assign(buffer, (shoal_span){items + at, path->count - at}));
        memmove(path->items, path->items + at, (path->count - at) * sizeof path->items[0]);
        path->count -= at;
        break;
    default:
        assert_ok(shoal_buffer_push(buffer, own ? &items[at] : &given));
        path->items[path->count++] = given.x;
        break;
    }
}

static void test_random_changes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component waypoint = SHOAL_ID(Waypoint);
    for (uint64_t seed = 1; seed <= 30; seed++) {
        rng random = {seed};
        naive_path path = {.count = 0};
        shoal_entity entity = spawn_with(f.world, waypoint);
        for (uint32_t step = 0; step < 300; step++) {
            test_set_context("seed %u, step %u", (unsigned)seed, step);
            shoal_buffer buffer = get_buffer(f.world, entity, waypoint);
            if (path.count + 1 < MODEL_MAX) {
                naive_step(&path, buffer, &random, step);
            } else {
                assert_ok(shoal_buffer_resize(buffer, 0));
                path.count = 0;
            }
            check_path(buffer, path.items, path.count);
            if (rng_chance(&random, 10)) { /* to another archetype and back */
                bool has = SHOAL_HAS(f.world, entity, Frozen);
                assert_ok(has ? shoal_remove(f.world, entity, SHOAL_ID(Frozen))
                              : shoal_add(f.world, entity, SHOAL_ID(Frozen), NULL));
                check_path(get_buffer(f.world, entity, waypoint), path.items, path.count);
            }
        }
        assert_valid(f.world);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

static void test_changes_inside_a_view(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component waypoint = SHOAL_ID(Waypoint);
    shoal_entity entity = spawn_with(f.world, waypoint);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        shoal_buffer buffer = get_buffer(f.world, entity, waypoint);
        for (uint32_t i = 0; i < 6; i++) {
            assert_ok(shoal_buffer_push(buffer, &(Waypoint){.x = i}));
        }
        for (size_t i = 0; i < CHANGE_COUNT; i++) {
            assert_ok(change_by(i, buffer, &origin));
        }
    }
    check_path(get_buffer(f.world, entity, waypoint), NULL, 0);
    fixture_end(&f);
}

static void test_no_hook_hears_of_elements(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_with(f.world, SHOAL_ID(Dice));
    shoal_buffer buffer = get_buffer(f.world, entity, SHOAL_ID(Dice));
    dice_set_count = 0;
    for (size_t i = 0; i < CHANGE_COUNT; i++) {
        assert_ok(change_by(i, buffer, &(Dice){2}));
    }
    assert_count(dice_set_count, 0);
    assert_ok(shoal_set(f.world, entity, SHOAL_ID(Dice), &(shoal_span){&(Dice){3}, 1}));
    assert_count(dice_set_count, 1);
    fixture_end(&f);
}

static void test_refused_elements(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_buffer buffer = get_buffer(f.world, spawn_with(f.world, SHOAL_ID(Dice)), SHOAL_ID(Dice));
    for (uint32_t count = 0; count < 6; count++) {
        for (size_t i = 0; i < 3; i++) { /* those that take an element */
            assert_status(change_by(i, buffer, &(Dice){13}), SHOAL_VALUE_REFUSED);
            assert_last_error(f.world, SHOAL_VALUE_REFUSED);
            assert_message_has(f.world, change_names[i]);
            assert_count(shoal_buffer_count(buffer), count);
        }
        assert_ok(shoal_buffer_push(buffer, &(Dice){count}));
    }
    const Dice faces[] = {{1}, {13}, {2}};
    assert_status(shoal_buffer_assign(buffer, (shoal_span){faces, 3}), SHOAL_VALUE_REFUSED);
    assert_count(shoal_buffer_count(buffer), 6);
    fixture_end(&f);
}

/* ---- elements that own something ---- */

static void check_cargo(shoal_buffer buffer, const uint32_t *expected, size_t count) {
    const Cargo *items = shoal_buffer_items(buffer);
    assert_count(shoal_buffer_count(buffer), count);
    for (size_t i = 0; i < count; i++) {
        uint32_t payload = 0;
        assert_true(owned_read(&cargo_tracker, &items[i], &payload));
        assert_count(payload, expected[i]);
    }
}

static shoal_entity spawn_cargo(shoal_world *world, const Cargo *items, size_t count) {
    shoal_entity entity =
        shoal_spawn(world, &(shoal_value){.component = SHOAL_ID(Cargo), .data = &(shoal_span){items, count}}, 1);
    assert_false(shoal_entity_is_null(entity));
    return entity;
}

static void test_elements_end_once(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    Cargo own[4];
    for (uint32_t i = 0; i < 4; i++) {
        owned_make(&cargo_tracker, &own[i], i + 1);
    }
    for (size_t count = 0; count <= 4; count++) {
        shoal_entity entity = spawn_cargo(f.world, own, count);
        assert_owned(&cargo_tracker, 4 + (int64_t)count);
        shoal_buffer buffer = get_buffer(f.world, entity, SHOAL_ID(Cargo));
        for (size_t i = 0; i < CHANGE_COUNT; i++) {
            if (shoal_buffer_count(buffer) != 0 || i < 4) {
                assert_ok(change_by(i, buffer, &own[0]));
            }
            assert_owned(&cargo_tracker, 4 + (int64_t)shoal_buffer_count(buffer));
        }
        assert_ok(shoal_add(f.world, entity, SHOAL_ID(Health), NULL)); /* moves the row */
        assert_ok(shoal_buffer_assign(get_buffer(f.world, entity, SHOAL_ID(Cargo)), (shoal_span){own, count}));
        check_cargo(get_buffer(f.world, entity, SHOAL_ID(Cargo)), (uint32_t[]){1, 2, 3, 4}, count);
        assert_ok(count % 2 == 0 ? shoal_destroy(f.world, entity) : shoal_remove(f.world, entity, SHOAL_ID(Cargo)));
        assert_owned(&cargo_tracker, 4);
    }
    (void)spawn_cargo(f.world, own, 4); /* ends with the world */
    for (size_t i = 0; i < 4; i++) {
        owned_end(&cargo_tracker, &own[i]);
    }
    fixture_end(&f);
    assert_owned(&cargo_tracker, 0);
}

/* A hook that fails, or an allocation, leaves the buffer as it was: below and above the elements in the chunk. */
static void check_failures(size_t call, uint32_t count, bool by_hook) {
    bool done = false;
    for (size_t n = 1; !done; n++) {
        test_set_context("%s %u elements, failure %zu", change_names[call], count, n);
        fixture f;
        fixture_start(&f, NULL);
        Cargo own[4];
        uint32_t payloads[4];
        for (uint32_t i = 0; i < 4; i++) {
            payloads[i] = 20 + i;
            owned_make(&cargo_tracker, &own[i], payloads[i]);
        }
        shoal_buffer buffer = get_buffer(f.world, spawn_cargo(f.world, own, count), SHOAL_ID(Cargo));
        if (by_hook) {
            owned_arm(&cargo_tracker, n);
        } else {
            fake_allocator_arm(&f.fake, n, false);
        }
        shoal_status status = change_by(call, buffer, &own[3]);
        bool failed = by_hook ? owned_disarm(&cargo_tracker) : fake_allocator_disarm(&f.fake);
        done = !failed;
        if (failed && call < 4) {
            assert_status(status, by_hook ? SHOAL_HOOK_FAILED : SHOAL_OUT_OF_MEMORY);
            assert_last_error(f.world, status);
            assert_message_has(f.world, change_names[call]);
            check_cargo(buffer, payloads, count);
        } else {
            assert_ok(status); /* what takes away cannot fail */
        }
        assert_valid(f.world);
        for (size_t i = 0; i < 4; i++) {
            owned_end(&cargo_tracker, &own[i]);
        }
        fixture_end(&f);
        assert_owned(&cargo_tracker, 0);
    }
    test_set_context("%s", "");
}

static void test_failures_change_nothing(void **state) {
    (void)state;
    for (size_t call = 0; call < CHANGE_COUNT; call++) {
        for (uint32_t count = call < 4 ? 0 : 1; count <= 4; count++) {
            check_failures(call, count, true);
            check_failures(call, count, false);
        }
    }
}

static void test_memory_limit(void **state) {
    (void)state;
    shoal_world *world = shoal_world_create(&(shoal_world_def){.memory_limit = (size_t)4 << 20});
    assert_non_null(world);
    shoal_buffer buffer = get_buffer(world, spawn_with(world, SHOAL_ID(Waypoint)), SHOAL_ID(Waypoint));
    assert_ok(shoal_buffer_resize(buffer, 5));
    assert_status(shoal_buffer_resize(buffer, (size_t)1 << 20), SHOAL_MEMORY_LIMIT);
    assert_last_error(world, SHOAL_MEMORY_LIMIT);
    assert_count(shoal_buffer_count(buffer), 5);
    assert_ok(shoal_world_destroy(world));
}

/* ---- with the entity ---- */

static void test_overflow_is_reported(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_memory_report report;
    shoal_component waypoint = SHOAL_ID(Waypoint);
    shoal_buffer buffer = get_buffer(f.world, spawn_with(f.world, waypoint), waypoint);
    assert_ok(shoal_buffer_resize(buffer, 4));
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.buffer_heap_count, 0);
    assert_ok(shoal_buffer_push(buffer, &origin));
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.buffer_heap_count, 1);
    assert_true(report.buffer_heap_bytes >= 5 * sizeof(Waypoint));
    assert_count(report.purpose_bytes[SHOAL_PURPOSE_BUFFER], report.buffer_heap_bytes);
    assert_ok(shoal_buffer_erase(buffer, 2));
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.buffer_heap_count, 0);
    assert_count(report.buffer_heap_bytes, 0);
    fixture_end(&f);
}

static void test_buffer_of_a_dying_entity(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const Scar scars[40] = {[0] = {5}, [39] = {6}};
    shoal_entity entity =
        shoal_spawn(f.world, &(shoal_value){.component = SHOAL_ID(Scar), .data = &(shoal_span){scars, 40}}, 1);
    assert_ok(shoal_destroy(f.world, entity));
    assert_true(shoal_is_dying(f.world, entity));
    shoal_buffer buffer = get_buffer(f.world, entity, SHOAL_ID(Scar));
    assert_count(shoal_buffer_count(buffer), 40);
    assert_memory_equal(shoal_buffer_items(buffer), scars, sizeof scars);
    assert_ok(shoal_buffer_push(buffer, &(Scar){7}));
    assert_valid(f.world);
    assert_ok(shoal_remove(f.world, entity, SHOAL_ID(Scar)));
    assert_false(shoal_is_alive(f.world, entity));
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_spans),
        cmocka_unit_test(test_what_is_no_buffer),
        cmocka_unit_test(test_null_buffer),
        cmocka_unit_test(test_places_beyond_the_end),
        cmocka_unit_test(test_random_changes),
        cmocka_unit_test(test_changes_inside_a_view),
        cmocka_unit_test(test_no_hook_hears_of_elements),
        cmocka_unit_test(test_refused_elements),
        cmocka_unit_test(test_elements_end_once),
        cmocka_unit_test(test_failures_change_nothing),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_overflow_is_reported),
        cmocka_unit_test(test_buffer_of_a_dying_entity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
