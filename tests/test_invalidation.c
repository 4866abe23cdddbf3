/*
 * Which call makes which pointers stale: the cells of the table in docs/semantics.md, conformance P3.
 *
 * Three archetypes have three rows each, and the middle row of each is watched: home, where `self` lives; next, where a
 * Frozen added to `self` leads; other, which has nothing to do with either. The world moves each chunk that a call
 * touches and fills the old one (shoal_world_def::move_rows), so a pointer that the table calls stale reads something
 * else, or is poisoned under AddressSanitizer; one that the table calls good is where the value still is.
 */
#include "support/components.h"
#include "support/fixture.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef UNDER_ASAN
int __asan_address_is_poisoned(const volatile void *address);
#endif

/* True when reading what was at an address shows that it is not there any more. */
static bool is_stale(const void *address, const void *content, size_t byte_size) {
#ifdef UNDER_ASAN
    (void)content;
    (void)byte_size;
    return __asan_address_is_poisoned(address) != 0;
#else
    return memcmp(address, content, byte_size) != 0;
#endif
}

enum { HOME, NEXT, OTHER, PLACE_COUNT };
static const char *const place_names[PLACE_COUNT] = {"home", "next", "other"};

typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_entity entities[PLACE_COUNT][3]; /* the middle one is watched */
    const Health *watched[PLACE_COUNT];
    shoal_query *home; /* matches that archetype only */
    shoal_commands *commands;
} scene;

static int32_t health_at(int place) {
    return 100 * (place + 1);
}

static void watch(scene *s) {
    for (int place = 0; place < PLACE_COUNT; place++) {
        s->watched[place] = SHOAL_GET(s->world, s->entities[place][1], Health);
        assert_int_equal(s->watched[place]->value, health_at(place));
    }
}

static void scene_start(scene *s) {
    fixture_start(&s->f, &(shoal_world_def){.move_rows = true});
    s->world = s->f.world;
    for (int row = 0; row < 3; row++) {
        s->entities[HOME][row] =
            shoal_spawn(s->world, SHOAL_VALUES(SHOAL_VALUE(Health, health_at(HOME)), SHOAL_VALUE(Letter, 1)));
        s->entities[NEXT][row] = shoal_spawn(s->world, SHOAL_VALUES(SHOAL_VALUE(Health, health_at(NEXT)),
                                                                    SHOAL_VALUE(Letter, 1), SHOAL_DEFAULT(Frozen)));
        s->entities[OTHER][row] =
            shoal_spawn(s->world, SHOAL_VALUES(SHOAL_VALUE(Health, health_at(OTHER)), SHOAL_DEFAULT(Wide)));
    }
    const shoal_term terms[] = {SHOAL_WITH(Letter), SHOAL_WITHOUT(Frozen)};
    s->home = shoal_query_create(s->world, &(shoal_query_def){.terms = terms, .term_count = 2});
    s->commands = shoal_commands_create(s->world, NULL);
    watch(s);
}

static void scene_end(scene *s) {
    fixture_end(&s->f);
}

static void check_good(const scene *s, int place) {
    const Health *now = SHOAL_GET(s->world, s->entities[place][1], Health);
    assert_ptr_equal(now, s->watched[place]);
    assert_int_equal(now->value, health_at(place));
}

/* ---- structural changes ---- */

typedef shoal_status (*scene_call)(scene *s);

static shoal_status status_of(const scene *s, shoal_entity made) {
    return shoal_entity_is_null(made) ? shoal_last_error(s->world).status : SHOAL_OK;
}

static shoal_status call_spawn(scene *s) {
    return status_of(s, shoal_spawn(s->world, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Letter))));
}

static shoal_status call_spawn_at(scene *s) {
    return shoal_spawn_at(s->world, shoal_entity_make(s->world, 500, 0),
                          SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Letter)));
}

static shoal_status call_spawn_many(scene *s) {
    const shoal_value values[] = {SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Letter)};
    return shoal_spawn_many(s->world, &(shoal_spawn_many_def){.count = 2, .values = values, .value_count = 2});
}

static shoal_status call_clone(scene *s) {
    return status_of(s, shoal_clone(s->world, s->entities[HOME][0]));
}

static shoal_status call_destroy(scene *s) {
    return shoal_destroy(s->world, s->entities[HOME][0]);
}

static shoal_status call_destroy_many(scene *s) {
    const shoal_entity two[] = {s->entities[HOME][0], s->entities[NEXT][0]};
    return shoal_destroy_many(s->world, two, 2);
}

static shoal_status call_add(scene *s) {
    return shoal_add(s->world, s->entities[HOME][0], SHOAL_ID(Frozen), NULL);
}

static shoal_status call_add_present(scene *s) {
    return shoal_add(s->world, s->entities[HOME][0], SHOAL_ID(Letter), &(Letter){7});
}

static shoal_status call_remove(scene *s) {
    return shoal_remove(s->world, s->entities[NEXT][0], SHOAL_ID(Frozen));
}

static shoal_status call_remove_absent(scene *s) {
    return shoal_remove(s->world, s->entities[HOME][0], SHOAL_ID(Wide));
}

static shoal_status call_clear(scene *s) {
    return shoal_clear(s->world, s->entities[HOME][0]);
}

static shoal_status call_change(scene *s) {
    const shoal_value add[] = {SHOAL_DEFAULT(Frozen), SHOAL_VALUE(Letter, 2)};
    return shoal_change_entity(s->world, s->entities[HOME][0], &(shoal_change){.add = add, .add_count = 2});
}

static shoal_status call_query_change(scene *s) {
    const shoal_value add = SHOAL_DEFAULT(Frozen);
    return shoal_query_change_entities(s->home, &(shoal_change){.add = &add, .add_count = 1});
}

static shoal_status call_query_destroy(scene *s) {
    return shoal_query_destroy_entities(s->home);
}

static shoal_status call_apply(scene *s) {
    shoal_status status = shoal_commands_destroy_entity(s->commands, s->entities[HOME][0]);
    return status == SHOAL_OK ? shoal_commands_apply(s->commands, NULL) : status;
}

static const struct {
    const char *name;
    scene_call call;
    bool stale[PLACE_COUNT];
} changes[] = {
    {"spawn", call_spawn, {true, false, false}},
    {"spawn_at", call_spawn_at, {true, false, false}},
    {"spawn_many", call_spawn_many, {true, false, false}},
    {"clone", call_clone, {true, false, false}},
    {"destroy", call_destroy, {true, false, false}},
    {"destroy_many", call_destroy_many, {true, true, false}},
    {"add", call_add, {true, true, false}},
    {"add of a component that is there", call_add_present, {true, false, false}},
    {"remove", call_remove, {true, true, false}},
    {"remove of a component that is not there", call_remove_absent, {true, false, false}},
    {"clear", call_clear, {true, false, false}},
    {"change_entity", call_change, {true, true, false}},
    {"query_change_entities", call_query_change, {true, true, false}},
    {"query_destroy_entities", call_query_destroy, {true, false, false}},
    {"commands_apply", call_apply, {true, true, true}},
};

static void conf_P3_structural_changes_make_values_stale(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        scene s;
        scene_start(&s);
        assert_ok(changes[i].call(&s));
        for (int place = 0; place < PLACE_COUNT; place++) {
            test_set_context("%s, the row in %s", changes[i].name, place_names[place]);
            const Health content = {health_at(place)};
            if (changes[i].stale[place]) {
                assert_count(is_stale(s.watched[place], &content, sizeof content), true);
            } else {
                check_good(&s, place);
            }
        }
        test_set_context("%s", "");
        scene_end(&s);
    }
}

/* Handles outlive every change: those that are alive find their values, where they are now. */
static void conf_P3_handles_stay(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        scene s;
        scene_start(&s);
        test_set_context("%s", changes[i].name);
        assert_ok(changes[i].call(&s));
        for (int place = 0; place < PLACE_COUNT; place++) {
            bool gone = changes[i].call == call_query_destroy && place == HOME;
            assert_count(shoal_is_alive(s.world, s.entities[place][1]), !gone);
            if (!gone) {
                assert_int_equal(SHOAL_GET(s.world, s.entities[place][1], Health)->value, health_at(place));
            }
        }
        test_set_context("%s", "");
        scene_end(&s);
    }
}

/* ---- calls that leave rows where they are ---- */

static size_t count_bytes(void *user, const char *text, size_t size) {
    (void)text;
    *(size_t *)user += size;
    return size;
}

static void conf_P3_set_leaves_values_in_place(void **state) {
    (void)state;
    scene s;
    scene_start(&s);
    assert_ok(shoal_set(s.world, s.entities[HOME][1], SHOAL_ID(Health), &(Health){1}));
    assert_int_equal(s.watched[HOME]->value, 1);
    assert_ok(shoal_set(s.world, s.entities[HOME][1], SHOAL_ID(Health), &(Health){health_at(HOME)}));
    shoal_entity owner = shoal_spawn(s.world, SHOAL_VALUES(SHOAL_DEFAULT(Owned)));
    const Owned *owned = SHOAL_GET(s.world, owner, Owned);
    Owned given;
    owned_make(&owned_tracker, &given, 77);
    assert_ok(shoal_set(s.world, owner, SHOAL_ID(Owned), &given));
    owned_end(&owned_tracker, &given);
    uint32_t payload = 0;
    assert_true(owned_read(&owned_tracker, owned, &payload));
    assert_count(payload, 77);
    for (int place = 0; place < PLACE_COUNT; place++) {
        check_good(&s, place);
    }
    scene_end(&s);
}

static void record_everything(scene *s) {
    shoal_entity self = s->entities[HOME][0];
    assert_false(shoal_entity_is_null(shoal_commands_spawn(s->commands, SHOAL_VALUES(SHOAL_DEFAULT(Health)))));
    assert_ok(shoal_commands_add(s->commands, self, SHOAL_ID(Frozen), NULL));
    assert_ok(shoal_commands_set(s->commands, self, SHOAL_ID(Health), &(Health){5}));
    assert_ok(shoal_commands_remove(s->commands, self, SHOAL_ID(Letter)));
    assert_ok(shoal_commands_clear(s->commands, self));
    assert_ok(shoal_commands_destroy_entity(s->commands, self));
    shoal_commands_discard(s->commands);
}

static void conf_P3_other_calls_leave_values(void **state) {
    (void)state;
    scene s;
    scene_start(&s);
    record_everything(&s);
    assert_ok(shoal_reserve_range(s.world, 5000, 5000));
    const shoal_term term = SHOAL_READ(Health);
    shoal_query *query = shoal_query_create(s.world, &(shoal_query_def){.terms = &term, .term_count = 1});
    size_t bytes = 0;
    assert_ok(shoal_csv_query(query, count_bytes, &bytes));
    assert_ok(shoal_print_entity(s.world, s.entities[HOME][0], count_bytes, &bytes));
    assert_ok(shoal_print_memory(s.world, 0, count_bytes, &bytes));
    assert_true(bytes > 0);
    assert_ok(shoal_query_destroy(query));
    shoal_commands_destroy(s.commands);
    assert_ok(shoal_world_validate(s.world));
    shoal_entity empty = shoal_spawn(s.world, SHOAL_VALUES(SHOAL_DEFAULT(Preset)));
    assert_ok(shoal_destroy(s.world, empty));
    size_t released = 0;
    assert_ok(shoal_world_trim(s.world, 0, &released));
    assert_true(released > 0);
    for (int place = 0; place < PLACE_COUNT; place++) {
        check_good(&s, place);
    }
    scene_end(&s);
}

static void check_refusals(scene *s, shoal_entity bad, shoal_status why) {
    const shoal_entity list[] = {s->entities[HOME][0], bad};
    assert_status(shoal_add(s->world, bad, SHOAL_ID(Frozen), NULL), why);
    assert_status(shoal_remove(s->world, bad, SHOAL_ID(Letter)), why);
    assert_status(shoal_clear(s->world, bad), why);
    assert_status(shoal_destroy(s->world, bad), why);
    assert_status(shoal_destroy_many(s->world, list, 2), why);
    assert_true(shoal_entity_is_null(shoal_clone(s->world, bad)));
    assert_last_error(s->world, why);
}

/* A call that is refused for the lock, its handles or its components moves nothing. */
static void conf_P3_refused_calls_leave_values(void **state) {
    (void)state;
    scene s;
    scene_start(&s);
    shoal_entity dead = shoal_spawn(s.world, SHOAL_VALUES(SHOAL_DEFAULT(Letter)));
    assert_ok(shoal_destroy(s.world, dead));
    watch(&s);
    check_refusals(&s, dead, SHOAL_ENTITY_DEAD);
    check_refusals(&s, (shoal_entity){0}, SHOAL_ENTITY_NULL);
    check_refusals(&s, shoal_commands_spawn(s.commands, NULL, 0), SHOAL_ENTITY_PLACEHOLDER);
    const shoal_value twice[] = {SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Letter), SHOAL_DEFAULT(Health)};
    assert_true(shoal_entity_is_null(shoal_spawn(s.world, twice, 3)));
    assert_status(shoal_spawn_at(s.world, s.entities[HOME][0], twice, 2), SHOAL_SLOT_TAKEN);
    assert_status(shoal_add(s.world, s.entities[HOME][0], (shoal_component){0}, NULL), SHOAL_COMPONENT_INVALID);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, s.home));
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        test_set_context("%s", changes[i].name);
        assert_status(changes[i].call(&s), SHOAL_WORLD_LOCKED);
    }
    test_set_context("%s", "");
    shoal_view_end(&view);
    for (int place = 0; place < PLACE_COUNT; place++) {
        check_good(&s, place);
    }
    scene_end(&s);
}

/* ---- other pointers ---- */

static void conf_P3_columns_outlive_the_view(void **state) {
    (void)state;
    scene s;
    scene_start(&s);
    const shoal_term terms[] = {SHOAL_READ(Health), SHOAL_WITH(Letter), SHOAL_WITHOUT(Frozen)};
    shoal_query *query = shoal_query_create(s.world, &(shoal_query_def){.terms = terms, .term_count = 3});
    const Health *column = NULL;
    const shoal_entity *entities = NULL;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        column = SHOAL_COLUMN(&view, Health);
        entities = view.entities;
        assert_ok(shoal_set(s.world, entities[0], SHOAL_ID(Health), &(Health){6}));
        assert_int_equal(column[0].value, 6);
    }
    assert_int_equal(column[0].value, 6);
    assert_entity(entities[0], s.entities[HOME][0]);
    assert_ok(shoal_add(s.world, s.entities[OTHER][0], SHOAL_ID(Preset), NULL));
    assert_int_equal(column[0].value, 6);
    const Health first = column[0];
    const shoal_entity first_entity = entities[0];
    assert_ok(shoal_destroy(s.world, s.entities[HOME][2]));
    assert_true(is_stale(&column[0], &first, sizeof first));
    assert_true(is_stale(&entities[0], &first_entity, sizeof first_entity));
    scene_end(&s);
}

static void conf_P3_component_lists(void **state) {
    (void)state;
    scene s;
    scene_start(&s);
    size_t count = 0;
    const shoal_component *list = shoal_components_of(s.world, s.entities[HOME][1], &count);
    shoal_archetype_info info = {0};
    while (shoal_archetype_next(s.world, &info) && info.components != list) {
    }
    assert_ptr_equal(info.components, list);
    assert_ok(call_add(&s));
    assert_ok(call_spawn(&s));
    assert_ok(call_apply(&s));
    assert_ok(shoal_world_trim(s.world, 0, NULL));
    assert_ptr_equal(shoal_components_of(s.world, s.entities[HOME][1], &count), list);
    assert_count(count, 2);
    assert_true(list[0].id == SHOAL_ID(Health).id || list[1].id == SHOAL_ID(Health).id);
    assert_true(list[0].id == SHOAL_ID(Letter).id || list[1].id == SHOAL_ID(Letter).id);
    assert_ok(shoal_add(s.world, s.entities[HOME][1], SHOAL_ID(Preset), NULL));
    assert_true(shoal_components_of(s.world, s.entities[HOME][1], &count) != list);
    scene_end(&s);
}

/* The message of the last error, a query's name, queries and buffers. */
static void conf_P3_messages_queries_and_buffers(void **state) {
    (void)state;
    scene s;
    scene_start(&s);
    assert_status(shoal_add(s.world, (shoal_entity){0}, SHOAL_ID(Frozen), NULL), SHOAL_ENTITY_NULL);
    const char *message = shoal_last_error(s.world).message;
    char kept[128];
    snprintf(kept, sizeof kept, "%s", message);
    const char *name = shoal_query_name(s.home);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        if (changes[i].call != call_query_destroy && changes[i].call != call_query_change) {
            s.entities[HOME][0] = shoal_spawn(s.world, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Letter)));
            s.entities[NEXT][0] = shoal_clone(s.world, s.entities[NEXT][1]);
            assert_ok(changes[i].call(&s));
        }
    }
    assert_ok(shoal_world_trim(s.world, 0, NULL));
    assert_string_equal(message, kept);
    assert_ptr_equal(shoal_query_name(s.home), name);
    assert_ok(call_query_destroy(&s));
    assert_count(shoal_query_count(s.home), 0);
    assert_ok(call_spawn(&s));
    assert_count(shoal_query_count(s.home), 1);
    assert_status(shoal_destroy(s.world, s.entities[HOME][1]), SHOAL_ENTITY_DEAD);
    assert_string_not_equal(shoal_last_error(s.world).message, kept);
    scene_end(&s);
}

/* ---- values that lie in the world's own rows ---- */

/* Each spawn is given the values of the row before it, while chunks fill, are merged and grow. */
static void check_spawn_from_rows(const shoal_world_def *def, bool owning) {
    fixture f;
    fixture_start(&f, def);
    const shoal_component second = owning ? SHOAL_ID(Owned) : SHOAL_ID(Letter);
    shoal_entity last = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 7), {second, NULL}));
    for (uint32_t i = 1; i < 3000; i++) {
        const shoal_value values[] = {{SHOAL_ID(Health), SHOAL_GET(f.world, last, Health)},
                                      {second, shoal_get(f.world, last, second)}};
        shoal_entity chosen = shoal_entity_make(f.world, i, 0);
        if (i % 2 == 0) {
            assert_ok(shoal_spawn_at(f.world, chosen, values, 2));
        }
        last = i % 2 == 0 ? chosen : shoal_spawn(f.world, values, 2);
        assert_int_equal(SHOAL_GET(f.world, last, Health)->value, 7);
        uint32_t payload = OWNED_CTOR_PAYLOAD;
        assert_true(!owning || owned_read(&owned_tracker, SHOAL_GET(f.world, last, Owned), &payload));
        assert_count(payload, OWNED_CTOR_PAYLOAD);
    }
    assert_count(owned_tracker.error_count, 0);
    fixture_end(&f);
}

static void test_spawn_from_rows(void **state) {
    (void)state;
    check_spawn_from_rows(NULL, false);
    check_spawn_from_rows(NULL, true);
    check_spawn_from_rows(&(shoal_world_def){.move_rows = true}, false);
    check_spawn_from_rows(&(shoal_world_def){.move_rows = true}, true);
}

/* The value comes from the row itself, which moves, and from a row of the archetype that it moves to. */
static void check_add_from_rows(const shoal_world_def *def) {
    fixture f;
    fixture_start(&f, def);
    const shoal_component twin = numbered_component(1);
    for (int32_t i = 0; i < 2000; i++) {
        shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i), SHOAL_DEFAULT(Letter)));
        shoal_entity other = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, -1), SHOAL_DEFAULT(Letter)));
        assert_ok(shoal_add(f.world, entity, twin, SHOAL_GET(f.world, entity, Health)));
        assert_ok(shoal_add(f.world, other, twin, shoal_get(f.world, entity, twin)));
        assert_int_equal(*(const int32_t *)shoal_get(f.world, entity, twin), i);
        assert_int_equal(*(const int32_t *)shoal_get(f.world, other, twin), i);
        assert_ok(shoal_set(f.world, other, SHOAL_ID(Health), SHOAL_GET(f.world, entity, Health)));
        assert_ok(shoal_set(f.world, other, SHOAL_ID(Health), SHOAL_GET(f.world, other, Health)));
        assert_int_equal(SHOAL_GET(f.world, other, Health)->value, i);
    }
    fixture_end(&f);
}

/* Two values of one row change places, and a new one is made of one that the same change replaces, in either order of
   the two. With an owning component beside them the change takes another way to the same end. */
static void check_change_from_own_row(const shoal_world_def *def, bool owning, bool new_first) {
    fixture f;
    fixture_start(&f, def);
    const shoal_component twin = numbered_component(1);
    const shoal_component beside = owning ? SHOAL_ID(Owned) : SHOAL_ID(Letter);
    for (int32_t i = 0; i < 500; i++) {
        const float x = (float)i;
        shoal_entity entity =
            shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Position, x, 1, 1), SHOAL_VALUE(Velocity, -x, 2, 2),
                                              SHOAL_VALUE(Health, i), {beside, NULL}));
        const shoal_value swap[] = {{SHOAL_ID(Position), SHOAL_GET(f.world, entity, Velocity)},
                                    {SHOAL_ID(Velocity), SHOAL_GET(f.world, entity, Position)}};
        assert_ok(shoal_change_entity(f.world, entity, &(shoal_change){.add = swap, .add_count = 2}));
        const Position *position = SHOAL_GET(f.world, entity, Position);
        const Velocity *velocity = SHOAL_GET(f.world, entity, Velocity);
        assert_true(position->x == -x && position->y == 2 && position->z == 2);
        assert_true(velocity->x == x && velocity->y == 1 && velocity->z == 1);
        const shoal_value replaced = SHOAL_VALUE(Health, -1);
        const shoal_value made = {twin, SHOAL_GET(f.world, entity, Health)};
        const shoal_value both[] = {new_first ? made : replaced, new_first ? replaced : made};
        assert_ok(shoal_change_entity(f.world, entity, &(shoal_change){.add = both, .add_count = 2}));
        assert_int_equal(SHOAL_GET(f.world, entity, Health)->value, -1);
        assert_int_equal(*(const int32_t *)shoal_get(f.world, entity, twin), i);
    }
    assert_count(owned_tracker.error_count, 0);
    fixture_end(&f);
}

static void test_change_from_own_row(void **state) {
    (void)state;
    for (unsigned variant = 0; variant < 8; variant++) {
        test_set_context("variant %u", variant);
        const shoal_world_def def = {.move_rows = (variant & 4) != 0};
        check_change_from_own_row(&def, (variant & 1) != 0, (variant & 2) != 0);
    }
    test_set_context("");
}

/* All entities of a query get a value that lies in one of their rows: a new component from one that stays, and one that
   all have from one of them. */
static void check_query_change_from_row(const shoal_world_def *def, size_t giver) {
    fixture f;
    fixture_start(&f, def);
    const shoal_component twin = numbered_component(1);
    const shoal_term term = SHOAL_WITH(Health);
    shoal_query *query = shoal_query_create(f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
    shoal_entity entities[300];
    for (size_t i = 0; i < 300; i++) {
        const shoal_component beside = i % 3 == 0 ? twin : i % 3 == 1 ? SHOAL_ID(Letter) : SHOAL_ID(Frozen);
        entities[i] =
            shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, (int32_t)i), {beside, NULL}, SHOAL_DEFAULT(Owned)));
    }
    Owned own;
    owned_make(&owned_tracker, &own, 77);
    assert_ok(shoal_set(f.world, entities[giver], SHOAL_ID(Owned), &own));
    owned_end(&owned_tracker, &own);
    const shoal_value made = {twin, SHOAL_GET(f.world, entities[giver], Health)};
    assert_ok(shoal_query_change_entities(query, &(shoal_change){.add = &made, .add_count = 1}));
    const shoal_value same[] = {{SHOAL_ID(Health), SHOAL_GET(f.world, entities[giver], Health)},
                                {SHOAL_ID(Owned), SHOAL_GET(f.world, entities[giver], Owned)}};
    assert_ok(shoal_query_change_entities(query, &(shoal_change){.add = same, .add_count = 2}));
    for (size_t i = 0; i < 300; i++) {
        uint32_t payload = 0;
        assert_count(*(const int32_t *)shoal_get(f.world, entities[i], twin), giver);
        assert_count(SHOAL_GET(f.world, entities[i], Health)->value, giver);
        assert_true(owned_read(&owned_tracker, SHOAL_GET(f.world, entities[i], Owned), &payload));
        assert_count(payload, 77);
    }
    assert_count(owned_tracker.error_count, 0);
    fixture_end(&f);
}

/* A new owning component from a row that has it already, of the archetype that the others move to. */
static void check_query_change_from_target(const shoal_world_def *def) {
    fixture f;
    fixture_start(&f, def);
    const shoal_term term = SHOAL_WITH(Health);
    shoal_query *query = shoal_query_create(f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
    shoal_entity giver = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Owned)));
    for (int i = 0; i < 200; i++) {
        shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    }
    const shoal_value value = {SHOAL_ID(Owned), SHOAL_GET(f.world, giver, Owned)};
    assert_ok(shoal_query_change_entities(query, &(shoal_change){.add = &value, .add_count = 1}));
    assert_count(owned_tracker.live, 201);
    assert_count(owned_tracker.error_count, 0);
    fixture_end(&f);
}

static void test_query_change_from_rows(void **state) {
    (void)state;
    const shoal_world_def torture = {.move_rows = true};
    static const size_t givers[] = {0, 1, 2, 150, 151, 299};
    for (size_t i = 0; i < sizeof givers / sizeof givers[0]; i++) {
        test_set_context("the value of row %zu", givers[i]);
        check_query_change_from_row(NULL, givers[i]);
        check_query_change_from_row(&torture, givers[i]);
    }
    test_set_context("");
    check_query_change_from_target(NULL);
    check_query_change_from_target(&torture);
}

/* Making room for many may move chunks of the archetype in which the value lies. */
static void check_bulk_from_row(const shoal_world_def *def, uint32_t first_count) {
    fixture f;
    fixture_start(&f, def);
    Owned own;
    owned_make(&owned_tracker, &own, 77);
    const shoal_value values[] = {SHOAL_VALUE(Health, 7), {SHOAL_ID(Owned), &own}};
    shoal_entity giver = shoal_spawn(f.world, values, 2);
    owned_end(&owned_tracker, &own);
    for (uint32_t count = first_count; count <= 40 * first_count; count *= 3) {
        shoal_entity *entities = calloc(count, sizeof *entities);
        assert_non_null(entities);
        const shoal_value given[] = {{SHOAL_ID(Health), SHOAL_GET(f.world, giver, Health)},
                                     {SHOAL_ID(Owned), SHOAL_GET(f.world, giver, Owned)}};
        assert_ok(shoal_spawn_many(
            f.world, &(shoal_spawn_many_def){.count = count, .values = given, .value_count = 2, .entities = entities}));
        for (uint32_t i = 0; i < count; i++) {
            uint32_t payload = 0;
            assert_int_equal(SHOAL_GET(f.world, entities[i], Health)->value, 7);
            assert_true(owned_read(&owned_tracker, SHOAL_GET(f.world, entities[i], Owned), &payload));
            assert_count(payload, 77);
        }
        giver = entities[count - 1];
        free(entities);
        assert_count(owned_tracker.error_count, 0);
    }
    fixture_end(&f);
}

static void test_bulk_spawn_from_rows(void **state) {
    (void)state;
    for (uint32_t first_count = 1; first_count < 200; first_count = first_count * 2 + 1) {
        check_bulk_from_row(NULL, first_count);
        check_bulk_from_row(&(shoal_world_def){.move_rows = true}, first_count);
    }
}

static void test_add_and_set_from_rows(void **state) {
    (void)state;
    check_add_from_rows(NULL);
    check_add_from_rows(&(shoal_world_def){.move_rows = true});
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_P3_structural_changes_make_values_stale),
        cmocka_unit_test(conf_P3_handles_stay),
        cmocka_unit_test(conf_P3_set_leaves_values_in_place),
        cmocka_unit_test(conf_P3_other_calls_leave_values),
        cmocka_unit_test(conf_P3_refused_calls_leave_values),
        cmocka_unit_test(conf_P3_columns_outlive_the_view),
        cmocka_unit_test(conf_P3_component_lists),
        cmocka_unit_test(conf_P3_messages_queries_and_buffers),
        cmocka_unit_test(test_spawn_from_rows),
        cmocka_unit_test(test_add_and_set_from_rows),
        cmocka_unit_test(test_change_from_own_row),
        cmocka_unit_test(test_query_change_from_rows),
        cmocka_unit_test(test_bulk_spawn_from_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
