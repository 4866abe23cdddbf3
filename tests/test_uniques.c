/*
 * Uniques, as the public calls give them: one value in each world, its tick, its hooks, what is refused and when. The
 * table below is in test_sparse.c.
 */
#include "support/components.h"
#include "support/fixture.h"
#include "support/test.h"

#include <string.h>

typedef struct Physics {
    int32_t gravity;
    int32_t drag;
} Physics;

typedef struct Settings {
    int32_t level;
} Settings;

/* Owns something. */
typedef Owned Archive;

/* Tells its hooks, and refuses negative values. */
typedef struct Score {
    int32_t value;
} Score;

static tracker archive_tracker = {.name = "Archive", .has_ctor = true, .follows = true};

static char score_kinds[32];
static int32_t score_values[32];
static size_t score_count;

static void note_score(char kind, const shoal_component_event *event) {
    assert_true(score_count < 32);
    assert_entity(event->entity, (shoal_entity){0});
    assert_entity(event->target, (shoal_entity){0});
    assert_non_null(shoal_world_lock_holder(event->world));
    /* What the table has can be read and replaced from a hook, but nothing comes or goes. */
    const Score *score = event->value;
    assert_ptr_equal(shoal_unique_get(event->world, event->component), score);
    assert_status(shoal_unique_remove(event->world, event->component), SHOAL_WORLD_LOCKED);
    score_kinds[score_count] = kind;
    score_values[score_count++] = score->value;
}

static void score_on_add(const shoal_component_event *event, void *user) {
    (void)user;
    note_score('a', event);
}

static void score_on_set(const shoal_component_event *event, void *user) {
    (void)user;
    note_score('s', event);
}

static void score_on_remove(const shoal_component_event *event, void *user) {
    (void)user;
    note_score('r', event);
}

static bool score_validate(const void *value, void *user) {
    (void)user;
    return ((const Score *)value)->value >= 0;
}

static const Settings preset = {3};

SHOAL_COMPONENT(Physics, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_COMPONENT(Settings, .storage = SHOAL_STORAGE_UNIQUE, .default_value = &preset)
SHOAL_COMPONENT(Archive, .storage = SHOAL_STORAGE_UNIQUE, .ctor = owned_ctor, .copy = owned_copy, .move = owned_move,
                .dtor = owned_dtor, .user = &archive_tracker)
SHOAL_COMPONENT(Score, .storage = SHOAL_STORAGE_UNIQUE, .validate = score_validate, .on_add = score_on_add,
                .on_set = score_on_set, .on_remove = score_on_remove)

static const shoal_value no_values[1];

/* ---- values ---- */

static void test_set_get_remove(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component physics = SHOAL_ID(Physics);
    assert_false(shoal_unique_has(f.world, physics));
    assert_null(shoal_unique_get(f.world, physics));
    assert_last_error(f.world, SHOAL_NOT_FOUND);
    assert_message_has(f.world, "shoal_unique_get:");
    assert_message_has(f.world, "component Physics");
    assert_ok(SHOAL_UNIQUE_SET(f.world, Physics, 9, 1));
    assert_true(shoal_unique_has(f.world, physics));
    const Physics *value = SHOAL_UNIQUE(f.world, Physics);
    assert_int_equal(value->gravity, 9);
    SHOAL_UNIQUE_MUT(f.world, Physics)->drag = 5;
    assert_int_equal(value->drag, 5);
    assert_ok(SHOAL_UNIQUE_SET(f.world, Physics, 2, 3));
    assert_ptr_equal(SHOAL_UNIQUE(f.world, Physics), value); /* stays where it is */
    assert_int_equal(value->gravity, 2);
    assert_ok(shoal_unique_set(f.world, physics, value)); /* from its own place */
    assert_int_equal(value->drag, 3);
    assert_ok(shoal_unique_set(f.world, physics, NULL));
    assert_int_equal(value->gravity, 0);
    assert_valid(f.world);
    assert_ok(shoal_unique_remove(f.world, physics));
    assert_ok(shoal_unique_remove(f.world, physics)); /* not there: no error */
    assert_false(shoal_unique_has(f.world, physics));
    assert_null(SHOAL_UNIQUE_MUT(f.world, Physics));
    assert_last_error(f.world, SHOAL_NOT_FOUND);
    assert_message_has(f.world, "shoal_unique_get_mut:");
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_default_value(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_ok(shoal_unique_set(f.world, SHOAL_ID(Settings), NULL));
    assert_int_equal(SHOAL_UNIQUE(f.world, Settings)->level, 3);
    assert_ok(SHOAL_UNIQUE_SET(f.world, Settings, 8));
    assert_ok(shoal_unique_set(f.world, SHOAL_ID(Settings), NULL));
    assert_int_equal(SHOAL_UNIQUE(f.world, Settings)->level, 3);
    fixture_end(&f);
}

static void test_each_world_has_its_own(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_world *other = shoal_world_create(NULL);
    assert_ok(SHOAL_UNIQUE_SET(f.world, Settings, 1));
    assert_false(shoal_unique_has(other, SHOAL_ID(Settings)));
    assert_ok(SHOAL_UNIQUE_SET(other, Settings, 2));
    assert_ok(SHOAL_UNIQUE_SET(f.world, Physics, 4, 0));
    assert_int_equal(SHOAL_UNIQUE(f.world, Settings)->level, 1);
    assert_int_equal(SHOAL_UNIQUE(other, Settings)->level, 2);
    assert_ok(shoal_unique_remove(f.world, SHOAL_ID(Settings)));
    assert_int_equal(SHOAL_UNIQUE(f.world, Physics)->gravity, 4);
    assert_int_equal(SHOAL_UNIQUE(other, Settings)->level, 2);
    assert_ok(shoal_world_destroy(other));
    fixture_end(&f);
}

static void test_ticks(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component physics = SHOAL_ID(Physics);
    assert_count(shoal_world_tick(f.world), 1);
    assert_count(shoal_unique_tick(f.world, physics), 0);
    assert_ok(SHOAL_UNIQUE_SET(f.world, Physics, 1, 1));
    assert_count(shoal_unique_tick(f.world, physics), 1);
    assert_count(shoal_world_next_tick(f.world), 2);
    assert_count(shoal_world_next_tick(f.world), 3);
    assert_non_null(SHOAL_UNIQUE(f.world, Physics));
    assert_count(shoal_unique_tick(f.world, physics), 1); /* reading leaves it */
    assert_non_null(SHOAL_UNIQUE_MUT(f.world, Physics));
    assert_count(shoal_unique_tick(f.world, physics), 3);
    assert_count(shoal_world_next_tick(f.world), 4);
    assert_ok(SHOAL_UNIQUE_SET(f.world, Physics, 1, 1));
    assert_count(shoal_unique_tick(f.world, physics), 4);
    assert_ok(shoal_unique_remove(f.world, physics));
    assert_count(shoal_unique_tick(f.world, physics), 0);
    fixture_end(&f);
}

/* ---- hooks ---- */

static uint32_t archive_payload(const shoal_world *world) {
    uint32_t payload = 0;
    const Archive *archive = SHOAL_UNIQUE(world, Archive);
    assert_true(archive != NULL && owned_read(&archive_tracker, archive, &payload));
    return payload;
}

static void test_values_that_own_something(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component archive = SHOAL_ID(Archive);
    Archive own;
    owned_make(&archive_tracker, &own, 4);
    owned_arm(&archive_tracker, 1);
    assert_status(shoal_unique_set(f.world, archive, &own), SHOAL_HOOK_FAILED);
    assert_true(owned_disarm(&archive_tracker));
    assert_message_has(f.world, "shoal_unique_set:");
    assert_false(shoal_unique_has(f.world, archive));
    assert_ok(shoal_unique_set(f.world, archive, NULL));
    assert_count(archive_payload(f.world), OWNED_CTOR_PAYLOAD);
    assert_count(shoal_world_next_tick(f.world), 2);
    for (size_t i = 0; i < 2; i++) { /* a failure leaves the old value */
        owned_arm(&archive_tracker, 1);
        assert_status(shoal_unique_set(f.world, archive, i == 0 ? &own : NULL), SHOAL_HOOK_FAILED);
        assert_true(owned_disarm(&archive_tracker));
        assert_count(archive_payload(f.world), OWNED_CTOR_PAYLOAD);
        assert_count(shoal_unique_tick(f.world, archive), 1);
    }
    assert_ok(shoal_unique_set(f.world, archive, &own));
    assert_count(archive_payload(f.world), 4);
    assert_ok(shoal_unique_set(f.world, archive, SHOAL_UNIQUE(f.world, Archive)));
    assert_owned(&archive_tracker, 2);
    assert_ok(shoal_unique_remove(f.world, archive));
    assert_owned(&archive_tracker, 1);
    assert_ok(shoal_unique_set(f.world, archive, &own)); /* ends with the world */
    owned_end(&archive_tracker, &own);
    fixture_end(&f);
    assert_owned(&archive_tracker, 0);
}

static void check_scores(const char *kinds, const int32_t *values) {
    assert_count(score_count, strlen(kinds));
    for (size_t i = 0; i < score_count; i++) {
        assert_int_equal(score_kinds[i], kinds[i]);
        assert_int_equal(score_values[i], values[i]);
    }
    score_count = 0;
}

static void test_lifecycle_hooks(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component score = SHOAL_ID(Score);
    score_count = 0;
    assert_ok(shoal_unique_remove(f.world, score));
    check_scores("", NULL);
    assert_ok(shoal_unique_set(f.world, score, NULL));
    check_scores("a", (int32_t[]){0});
    assert_ok(SHOAL_UNIQUE_SET(f.world, Score, 5));
    check_scores("s", (int32_t[]){5});
    assert_status(SHOAL_UNIQUE_SET(f.world, Score, -1), SHOAL_VALUE_REFUSED);
    assert_last_error(f.world, SHOAL_VALUE_REFUSED);
    assert_message_has(f.world, "shoal_unique_set:");
    assert_message_has(f.world, "component Score");
    check_scores("", NULL);
    assert_int_equal(SHOAL_UNIQUE(f.world, Score)->value, 5);
    assert_ok(shoal_unique_remove(f.world, score));
    check_scores("r", (int32_t[]){5});
    assert_status(SHOAL_UNIQUE_SET(f.world, Score, -1), SHOAL_VALUE_REFUSED);
    assert_false(shoal_unique_has(f.world, score));
    assert_ok(SHOAL_UNIQUE_SET(f.world, Score, 6));
    check_scores("as", (int32_t[]){6, 6});
    assert_null(shoal_world_lock_holder(f.world));
    fixture_end(&f); /* the end of the world tells nobody */
    check_scores("", NULL);
}

/* ---- what is refused ---- */

static void test_locked_world(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_false(shoal_entity_is_null(shoal_spawn(f.world, no_values, 0)));
    assert_ok(SHOAL_UNIQUE_SET(f.world, Physics, 1, 1));
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        assert_ok(SHOAL_UNIQUE_SET(f.world, Physics, 2, 2)); /* what is there may change */
        SHOAL_UNIQUE_MUT(f.world, Physics)->drag++;
        assert_status(SHOAL_UNIQUE_SET(f.world, Settings, 1), SHOAL_WORLD_LOCKED);
        assert_last_error(f.world, SHOAL_WORLD_LOCKED);
        assert_message_has(f.world, "everything");
        assert_false(shoal_unique_has(f.world, SHOAL_ID(Settings)));
        assert_ok(shoal_unique_remove(f.world, SHOAL_ID(Settings))); /* not there: nothing goes */
        assert_status(shoal_unique_remove(f.world, SHOAL_ID(Physics)), SHOAL_WORLD_LOCKED);
        assert_message_has(f.world, "shoal_unique_remove:");
    }
    assert_int_equal(SHOAL_UNIQUE(f.world, Physics)->drag, 3);
    assert_ok(SHOAL_UNIQUE_SET(f.world, Settings, 1));
    fixture_end(&f);
}

typedef shoal_status (*unique_call)(shoal_world *world, shoal_component component);

static shoal_status call_set(shoal_world *world, shoal_component component) {
    return shoal_unique_set(world, component, NULL);
}

static shoal_status call_remove(shoal_world *world, shoal_component component) {
    return shoal_unique_remove(world, component);
}

static shoal_status call_get(shoal_world *world, shoal_component component) {
    assert_null(shoal_unique_get(world, component));
    return shoal_last_error(world).status;
}

static shoal_status call_get_mut(shoal_world *world, shoal_component component) {
    assert_null(shoal_unique_get_mut(world, component));
    return shoal_last_error(world).status;
}

static shoal_status call_has(shoal_world *world, shoal_component component) {
    assert_false(shoal_unique_has(world, component));
    return shoal_last_error(world).status;
}

static shoal_status call_tick(shoal_world *world, shoal_component component) {
    assert_count(shoal_unique_tick(world, component), 0);
    return shoal_last_error(world).status;
}

static void test_what_is_no_unique(void **state) {
    (void)state;
    const struct {
        const char *name;
        unique_call call;
    } calls[] = {
        {"shoal_unique_set:", call_set}, {"shoal_unique_remove:", call_remove},
        {"shoal_unique_get:", call_get}, {"shoal_unique_get_mut:", call_get_mut},
        {"shoal_unique_has:", call_has}, {"shoal_unique_tick:", call_tick},
    };
    fixture f;
    fixture_start(&f, NULL);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        test_set_context("%s", calls[i].name);
        const struct {
            shoal_world *world;
            shoal_component component;
            shoal_status status;
        } wrong[] = {
            {f.world, {0}, SHOAL_COMPONENT_INVALID},           {f.world, {65535}, SHOAL_COMPONENT_INVALID},
            {f.world, SHOAL_ID(Health), SHOAL_COMPONENT_KIND}, {f.world, SHOAL_ID(ChildOf), SHOAL_COMPONENT_KIND},
            {NULL, SHOAL_ID(Physics), SHOAL_INVALID_ARGUMENT},
        };
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            assert_status(calls[i].call(wrong[k].world, wrong[k].component), wrong[k].status);
            assert_last_error(wrong[k].world, wrong[k].status);
            assert_message_has(wrong[k].world, calls[i].name);
        }
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* A unique is no component of an entity. */
static void test_entities_have_none(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component physics = SHOAL_ID(Physics);
    assert_ok(SHOAL_UNIQUE_SET(f.world, Physics, 1, 1));
    shoal_entity entity = shoal_spawn(f.world, no_values, 0);
    assert_status(shoal_add(f.world, entity, physics, &(Physics){1, 2}), SHOAL_COMPONENT_KIND);
    assert_status(shoal_remove(f.world, entity, physics), SHOAL_COMPONENT_KIND);
    assert_status(shoal_set(f.world, entity, physics, &(Physics){1, 2}), SHOAL_COMPONENT_KIND);
    assert_true(shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Physics)))));
    assert_last_error(f.world, SHOAL_COMPONENT_KIND);
    assert_null(shoal_get(f.world, entity, physics));
    assert_last_error(f.world, SHOAL_COMPONENT_KIND);
    assert_false(shoal_has(f.world, entity, physics));
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_failing_allocations(void **state) {
    (void)state;
    const shoal_component components[] = {SHOAL_ID(Physics), SHOAL_ID(Archive)};
    for (size_t i = 0; i < 4; i++) {
        bool done = false;
        for (size_t n = 1; !done; n++) {
            fixture f;
            fixture_start(&f, NULL);
            shoal_component component = components[i / 2];
            bool is_there = i % 2 != 0;
            if (is_there) {
                assert_ok(shoal_unique_set(f.world, component, NULL));
            }
            fake_allocator_arm(&f.fake, n, false);
            shoal_status status = shoal_unique_set(f.world, component, NULL);
            done = !fake_allocator_disarm(&f.fake);
            assert_status(status, done ? SHOAL_OK : SHOAL_OUT_OF_MEMORY);
            assert_count(shoal_unique_has(f.world, component), is_there || done);
            assert_valid(f.world);
            fixture_end(&f);
            assert_owned(&archive_tracker, 0);
        }
    }
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_get_remove),
        cmocka_unit_test(test_default_value),
        cmocka_unit_test(test_each_world_has_its_own),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_values_that_own_something),
        cmocka_unit_test(test_lifecycle_hooks),
        cmocka_unit_test(test_locked_world),
        cmocka_unit_test(test_what_is_no_unique),
        cmocka_unit_test(test_entities_have_none),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
