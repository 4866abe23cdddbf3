/*
 * Commands: what is recorded, in which order it works, what is dropped and told, placeholders. Conformance C1,
 * C5, C8, C9, C10; C4 is in test_command_scripts.c.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"

#include <string.h>

static const shoal_value no_values[1];

/* A world and a buffer for it. */
static shoal_commands *start(fixture *f) {
    fixture_start(f, NULL);
    shoal_commands *commands = shoal_commands_create(f->world, NULL);
    assert_non_null(commands);
    return commands;
}

/* ---- C1: destroy beside other commands ---- */

static void conf_C1_add_then_destroy(void **state) {
    (void)state;
    fixture f;
    shoal_commands *commands = start(&f);
    shoal_entity entity = spawn_one(f.world, no_values, 0);
    owned_reset_counts(&owned_tracker);
    assert_ok(shoal_commands_add(commands, entity, SHOAL_ID(Owned), NULL));
    assert_ok(shoal_commands_destroy_entity(commands, entity));
    assert_applied(commands, 2, 0);
    assert_false(shoal_is_alive(f.world, entity));
    assert_count(owned_tracker.live, 0);
    assert_count(owned_tracker.ctor_values + owned_tracker.copy_values, owned_tracker.dtor_values);
    fixture_end(&f);
}

static void conf_C1_remove_then_destroy(void **state) {
    (void)state;
    fixture f;
    shoal_commands *commands = start(&f);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Owned)));
    owned_reset_counts(&owned_tracker);
    assert_ok(shoal_commands_remove(commands, entity, SHOAL_ID(Owned)));
    assert_ok(shoal_commands_destroy_entity(commands, entity));
    assert_applied(commands, 2, 0);
    assert_false(shoal_is_alive(f.world, entity));
    assert_count(owned_tracker.dtor_values, 1);
    assert_count(owned_tracker.live, 0);
    fixture_end(&f);
}

static void conf_C1_destroy_then_add(void **state) {
    (void)state;
    fixture f;
    shoal_commands *commands = start(&f);
    shoal_entity entity = spawn_one(f.world, no_values, 0);
    Owned own;
    owned_make(&owned_tracker, &own, 1);
    assert_ok(shoal_commands_destroy_entity(commands, entity));
    assert_ok(shoal_commands_add(commands, entity, SHOAL_ID(Owned), &own));
    owned_end(&owned_tracker, &own);
    assert_count(owned_tracker.live, 1);
    assert_applied(commands, 1, 1);
    assert_false(shoal_is_alive(f.world, entity));
    assert_count(owned_tracker.live, 0);
    fixture_end(&f);
}

static void conf_C1_destroy_twice(void **state) {
    (void)state;
    fixture f;
    shoal_commands *commands = start(&f);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Owned)));
    owned_reset_counts(&owned_tracker);
    assert_ok(shoal_commands_destroy_entity(commands, entity));
    assert_ok(shoal_commands_destroy_entity(commands, entity));
    assert_applied(commands, 1, 1);
    assert_false(shoal_is_alive(f.world, entity));
    assert_count(owned_tracker.dtor_values, 1);
    fixture_end(&f);
}

/* ---- C5: owning types ---- */

static void conf_C5_remove_one_owning_component_of_each(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entities[2];
    for (size_t i = 0; i < 2; i++) {
        entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Owned), SHOAL_DEFAULT(Boxed)));
        Boxed own;
        owned_make(&boxed_tracker, &own, 50);
        assert_ok(shoal_set(f.world, entities[i], SHOAL_ID(Boxed), &own));
        owned_end(&boxed_tracker, &own);
    }
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    owned_reset_counts(&owned_tracker);
    owned_reset_counts(&boxed_tracker);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++) {
            bool first = shoal_entity_equal(view.entities[i], entities[0]);
            assert_ok(shoal_commands_remove(commands, view.entities[i], first ? SHOAL_ID(Owned) : SHOAL_ID(Boxed)));
        }
    }
    assert_applied(commands, 2, 0);
    assert_count(owned_tracker.dtor_values, 1);
    assert_count(boxed_tracker.dtor_values, 1);
    assert_count(owned_tracker.live, 1);
    assert_count(boxed_tracker.live, 1);
    assert_true(SHOAL_HAS(f.world, entities[0], Boxed) && SHOAL_HAS(f.world, entities[1], Owned));
    fixture_end(&f);
}

static void test_recorded_values_end_with_the_buffer(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, no_values, 0);
    Owned own;
    owned_make(&owned_tracker, &own, 1);
    const shoal_value value = {SHOAL_ID(Owned), &own};
    shoal_commands *buffers[3];
    for (size_t i = 0; i < 3; i++) {
        buffers[i] = shoal_commands_create(f.world, NULL);
        assert_ok(shoal_commands_add(buffers[i], entity, SHOAL_ID(Owned), &own));
        assert_false(shoal_entity_is_null(shoal_commands_spawn(buffers[i], &value, 1)));
    }
    owned_end(&owned_tracker, &own);
    assert_count(owned_tracker.live, 6);
    shoal_commands_discard(buffers[0]);
    assert_count(owned_tracker.live, 4);
    assert_count(shoal_commands_count(buffers[0]), 0);
    assert_applied(buffers[0], 0, 0);
    shoal_commands_destroy(buffers[1]);
    assert_count(owned_tracker.live, 2);
    shoal_commands_destroy(NULL);
    fixture_end(&f);
}

/* ---- C8: placeholders ---- */

static void check_link(const shoal_world *world, shoal_entity holder, shoal_entity expected) {
    const Link *link = SHOAL_GET(world, holder, Link);
    assert_non_null(link);
    assert_entity(link->target, expected);
    assert_entity(link->pair[0], expected);
    assert_entity(link->pair[1], expected);
    assert_entity(link->inner.again, expected);
    assert_count(link->inner.number, 0);
}

static void conf_C8_placeholder_in_fields_becomes_the_handle(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity q = spawn_one(f.world, no_values, 0);
    shoal_entity set = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Link)));
    shoal_entity other = spawn_one(f.world, no_values, 0);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    shoal_entity p = shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    assert_true(shoal_entity_is_placeholder(p));
    Link link;
    kind_write(KIND_LINK, p.bits, &link);
    const shoal_value value = {SHOAL_ID(Link), &link};
    assert_ok(shoal_commands_add(commands, q, SHOAL_ID(Link), &link));
    assert_ok(shoal_commands_set(commands, set, SHOAL_ID(Link), &link));
    shoal_entity r = shoal_commands_spawn(commands, &value, 1);
    assert_ok(shoal_commands_add(commands, p, SHOAL_ID(Link), &link));
    kind_write(KIND_LINK, other.bits, &link);
    assert_ok(shoal_commands_add(commands, other, SHOAL_ID(Link), &link));
    assert_applied(commands, 6, 0);
    shoal_entity real = shoal_commands_resolve(commands, p);
    assert_true(shoal_is_alive(f.world, real));
    assert_health(f.world, real, 1);
    check_link(f.world, q, real);
    check_link(f.world, set, real);
    check_link(f.world, shoal_commands_resolve(commands, r), real);
    check_link(f.world, real, real);
    check_link(f.world, other, other);
    fixture_end(&f);
}

static void conf_C8_placeholder_elsewhere_is_refused(void **state) {
    (void)state;
    fixture f;
    shoal_commands *commands = start(&f);
    shoal_commands *others = shoal_commands_create(f.world, NULL);
    shoal_entity p = shoal_commands_spawn(commands, no_values, 0);
    const shoal_component health = SHOAL_ID(Health);
    assert_status(shoal_commands_add(others, p, health, NULL), SHOAL_ENTITY_PLACEHOLDER);
    assert_status(shoal_commands_destroy_entity(others, p), SHOAL_ENTITY_PLACEHOLDER);
    assert_status(shoal_commands_remove(others, p, health), SHOAL_ENTITY_PLACEHOLDER);
    assert_status(shoal_commands_clear(others, p), SHOAL_ENTITY_PLACEHOLDER);
    assert_status(shoal_commands_set(others, p, health, &(Health){1}), SHOAL_ENTITY_PLACEHOLDER);
    assert_count(shoal_commands_count(others), 0);
    assert_false(shoal_is_alive(f.world, p));
    assert_status(shoal_add(f.world, p, health, NULL), SHOAL_ENTITY_PLACEHOLDER);
    assert_status(shoal_destroy(f.world, p), SHOAL_ENTITY_PLACEHOLDER);
    assert_null(shoal_get(f.world, p, health));
    assert_last_error(f.world, SHOAL_ENTITY_PLACEHOLDER);
    assert_applied(commands, 1, 0);
    shoal_entity real = shoal_commands_resolve(commands, p);
    assert_true(shoal_is_alive(f.world, real));
    assert_status(shoal_commands_add(commands, p, health, NULL), SHOAL_ENTITY_PLACEHOLDER);
    assert_status(shoal_add(f.world, p, health, NULL), SHOAL_ENTITY_PLACEHOLDER);
    assert_count(shoal_commands_count(commands), 0);
    fixture_end(&f);
}

/* A placeholder inside of a value must be of the same buffer too. */
static void conf_C8_placeholder_in_fields_of_another_buffer_is_refused(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, no_values, 0);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    shoal_commands *others = shoal_commands_create(f.world, NULL);
    Link link;
    kind_write(KIND_LINK, shoal_commands_spawn(commands, no_values, 0).bits, &link);
    const shoal_value value = {SHOAL_ID(Link), &link};
    assert_status(shoal_commands_add(others, entity, SHOAL_ID(Link), &link), SHOAL_ENTITY_PLACEHOLDER);
    assert_true(shoal_entity_is_null(shoal_commands_spawn(others, &value, 1)));
    assert_last_error(f.world, SHOAL_ENTITY_PLACEHOLDER);
    assert_count(shoal_commands_count(others), 0);
    fixture_end(&f);
}

static void conf_C8_old_and_discarded_placeholders_name_nothing(void **state) {
    (void)state;
    fixture f;
    shoal_commands *commands = start(&f);
    shoal_entity discarded = shoal_commands_spawn(commands, no_values, 0);
    shoal_commands_discard(commands);
    shoal_entity first = shoal_commands_spawn(commands, no_values, 0);
    assert_false(shoal_entity_equal(first, discarded));
    assert_status(shoal_commands_add(commands, discarded, SHOAL_ID(Health), NULL), SHOAL_ENTITY_PLACEHOLDER);
    assert_applied(commands, 1, 0);
    assert_true(shoal_entity_is_null(shoal_commands_resolve(commands, discarded)));
    assert_false(shoal_entity_is_null(shoal_commands_resolve(commands, first)));
    shoal_entity second = shoal_commands_spawn(commands, no_values, 0);
    assert_false(shoal_entity_equal(first, second));
    shoal_entity ended = shoal_commands_spawn(commands, no_values, 0);
    assert_ok(shoal_commands_destroy_entity(commands, ended));
    assert_applied(commands, 3, 0);
    assert_true(shoal_entity_is_null(shoal_commands_resolve(commands, first)));
    assert_true(shoal_is_alive(f.world, shoal_commands_resolve(commands, second)));
    assert_true(shoal_entity_is_null(shoal_commands_resolve(commands, ended)));
    assert_count(shoal_world_entity_count(f.world), 2);
    fixture_end(&f);
}

/* However many buffers there were since, and are at once. */
static void conf_C8_placeholder_of_a_buffer_long_gone(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    enum { COUNT = 70000 };
    shoal_commands *first = shoal_commands_create(f.world, NULL);
    shoal_entity old = shoal_commands_spawn(first, no_values, 0);
    shoal_commands_destroy(first);
    for (size_t i = 0; i < COUNT; i++) {
        test_set_context("buffer %zu", i);
        shoal_commands *commands = shoal_commands_create(f.world, NULL);
        assert_non_null(commands);
        assert_false(shoal_entity_equal(shoal_commands_spawn(commands, no_values, 0), old));
        assert_status(shoal_commands_clear(commands, old), SHOAL_ENTITY_PLACEHOLDER);
        if (i % 2 == 0) {
            shoal_commands_destroy(commands);
        }
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* Handles come as if each call had been made in its turn: a destroyed slot goes to the next spawn. */
static void test_spawned_handles_are_those_of_immediate_calls(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entities[3];
    for (size_t i = 0; i < 3; i++) {
        entities[i] = spawn_one(f.world, no_values, 0);
    }
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    shoal_entity first = shoal_commands_spawn(commands, no_values, 0);
    assert_ok(shoal_commands_destroy_entity(commands, entities[1]));
    shoal_entity second = shoal_commands_spawn(commands, no_values, 0);
    assert_ok(shoal_commands_destroy_entity(commands, second));
    shoal_entity third = shoal_commands_spawn(commands, no_values, 0);
    assert_applied(commands, 5, 0);
    assert_entity(shoal_commands_resolve(commands, first), shoal_entity_make(f.world, 3, 0));
    assert_true(shoal_entity_is_null(shoal_commands_resolve(commands, second)));
    assert_entity(shoal_commands_resolve(commands, third), shoal_entity_make(f.world, 1, 2));
    fixture_end(&f);
}

/* ---- C9, C10 ---- */

static void conf_C9_sparse_entities_in_shuffled_order(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    uint32_t order[200];
    for (uint32_t i = 0; i < 200; i++) {
        shoal_entity entity = shoal_entity_make(f.world, 1000003u + i * 20011u, (uint16_t)i);
        assert_ok(shoal_spawn_at(f.world, entity, no_values, 0));
        order[i] = i;
    }
    rng random = {9};
    rng_shuffle(&random, order, 200);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    for (size_t i = 0; i < 200; i++) {
        shoal_entity entity = shoal_entity_make(f.world, 1000003u + order[i] * 20011u, (uint16_t)order[i]);
        assert_ok(shoal_commands_add(commands, entity, SHOAL_ID(Health), &(Health){(int32_t)order[i] * 7}));
    }
    assert_applied(commands, 200, 0);
    for (uint32_t i = 0; i < 200; i++) {
        assert_health(f.world, shoal_entity_make(f.world, 1000003u + i * 20011u, (uint16_t)i), (int32_t)i * 7);
    }
    fixture_end(&f);
}

static void conf_C10_remove_of_what_is_not_there(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 5)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 6)));
    const void *before = SHOAL_GET(f.world, entity, Health);
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f.world, &report));
    uint32_t archetypes = report.archetype_count;
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    assert_ok(shoal_commands_remove(commands, entity, SHOAL_ID(Position)));
    assert_applied(commands, 1, 0);
    assert_ptr_equal(SHOAL_GET(f.world, entity, Health), before);
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.archetype_count, archetypes);
    assert_health(f.world, entity, 5);
    fixture_end(&f);
}

/* Recording spawns of many new sets of components leaves an open view as it is. */
static void test_recording_leaves_an_open_view_alone(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (uint32_t set = 0; set < 8; set++) {
        for (int32_t i = 0; i < 5; i++) {
            const shoal_value values[] = {SHOAL_VALUE(Health, i), {numbered_tag(set), NULL}};
            spawn_one(f.world, values, 2);
        }
    }
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    size_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++) {
            const shoal_value values[] = {SHOAL_DEFAULT(Health),
                                          {numbered_tag((uint32_t)(rows + i) % 8), NULL},
                                          {numbered_component((uint32_t)(rows + i)), NULL}};
            assert_true(shoal_entity_is_placeholder(shoal_commands_spawn(commands, values, 3)));
            assert_ok(shoal_commands_add(commands, view.entities[i], numbered_tag(100), NULL));
        }
        rows += view.count;
    }
    assert_count(rows, 40);
    assert_applied(commands, 80, 0);
    assert_count(shoal_query_count(f.everything), 80);
    fixture_end(&f);
}

/* ---- what is dropped, and what is refused at once ---- */

typedef struct drop_list {
    shoal_dropped_command commands[16];
    size_t count;
} drop_list;

static void note_dropped(void *user, const shoal_dropped_command *command) {
    drop_list *list = user;
    assert_true(list->count < 16);
    list->commands[list->count++] = *command;
}

/* What was told about a record; each is told once, in whatever order. */
static const shoal_dropped_command *find_dropped(const drop_list *list, size_t record) {
    const shoal_dropped_command *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (list->commands[i].record == record) {
            assert_null(found);
            found = &list->commands[i];
        }
    }
    assert_non_null(found);
    return found;
}

static void test_dropped_commands_are_told(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    drop_list list = {.count = 0};
    shoal_commands *commands = shoal_commands_create(
        f.world, &(shoal_commands_def){.name = "battle", .dropped = note_dropped, .user = &list, .log_dropped = true});
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Gauge, 1), SHOAL_DEFAULT(Frozen)));
    shoal_entity dead = spawn_one(f.world, no_values, 0);
    assert_ok(shoal_destroy(f.world, dead));
    assert_ok(shoal_commands_set(commands, entity, SHOAL_ID(Health), &(Health){1}));
    assert_ok(shoal_commands_set(commands, entity, SHOAL_ID(Gauge), &(Gauge){-1}));
    assert_ok(shoal_commands_add(commands, entity, SHOAL_ID(Letter), &(Letter){7}));
    assert_ok(shoal_commands_clear(commands, dead));
    assert_ok(shoal_commands_set(commands, entity, SHOAL_ID(Gauge), &(Gauge){2}));
    assert_applied(commands, 2, 3);
    static const struct {
        size_t record;
        shoal_command_kind kind;
        shoal_status status;
    } expected[] = {{0, SHOAL_COMMAND_SET, SHOAL_COMPONENT_MISSING},
                    {1, SHOAL_COMMAND_SET, SHOAL_VALUE_REFUSED},
                    {3, SHOAL_COMMAND_CLEAR, SHOAL_ENTITY_DEAD}};
    assert_count(list.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const shoal_dropped_command *dropped = find_dropped(&list, expected[i].record);
        assert_count(dropped->kind, expected[i].kind);
        assert_status(dropped->status, expected[i].status);
        assert_entity(dropped->entity, i == 2 ? dead : entity);
    }
    assert_count(f.log_count[SHOAL_LOG_WARNING], 3);
    assert_non_null(strstr(f.last_log, "battle"));
    assert_int_equal(SHOAL_GET(f.world, entity, Gauge)->value, 2);
    assert_int_equal(SHOAL_GET(f.world, entity, Letter)->value, 7);
    assert_count(shoal_world_entity_count(f.world), 1);
    fixture_end(&f);
}

/* Records a command of any kind but spawn. */
static void record_on(shoal_commands *commands, shoal_command_kind kind, shoal_entity entity) {
    if (kind == SHOAL_COMMAND_DESTROY) {
        assert_ok(shoal_commands_destroy_entity(commands, entity));
    } else if (kind == SHOAL_COMMAND_ADD) {
        assert_ok(shoal_commands_add(commands, entity, SHOAL_ID(Letter), &(Letter){1}));
    } else if (kind == SHOAL_COMMAND_REMOVE) {
        assert_ok(shoal_commands_remove(commands, entity, SHOAL_ID(Health)));
    } else if (kind == SHOAL_COMMAND_SET) {
        assert_ok(shoal_commands_set(commands, entity, SHOAL_ID(Health), &(Health){9}));
    } else {
        assert_ok(shoal_commands_clear(commands, entity));
    }
}

/* The handle that a spawn will get can be known before; a command on it was recorded for no entity at all. */
static void check_guessed_handle(shoal_command_kind kind, bool slot_is_used, bool recorded_first) {
    fixture f;
    fixture_start(&f, NULL);
    drop_list list = {.count = 0};
    shoal_commands *commands =
        shoal_commands_create(f.world, &(shoal_commands_def){.dropped = note_dropped, .user = &list});
    if (slot_is_used) {
        assert_ok(shoal_commands_destroy_entity(commands, spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)))));
    }
    shoal_entity bystander = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 3)));
    shoal_entity guessed = shoal_entity_make(f.world, slot_is_used ? 0 : 1, slot_is_used ? 1 : 0);
    if (recorded_first) {
        record_on(commands, kind, guessed);
    }
    shoal_entity placeholder = shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Health, 2)));
    size_t record = shoal_commands_count(commands) - (recorded_first ? 2 : 0);
    if (!recorded_first) {
        record_on(commands, kind, guessed);
    }
    assert_applied(commands, slot_is_used ? 2 : 1, 1);
    assert_entity(shoal_commands_resolve(commands, placeholder), guessed);
    assert_health(f.world, guessed, 2);
    assert_health(f.world, bystander, 3);
    assert_false(SHOAL_HAS(f.world, guessed, Letter));
    assert_count(shoal_world_entity_count(f.world), 2);
    assert_count(list.count, 1);
    assert_status(find_dropped(&list, record)->status, SHOAL_ENTITY_DEAD);
    assert_entity(list.commands[0].entity, guessed);
    fixture_end(&f);
}

static void test_guessed_handles_are_dead_for_the_buffer(void **state) {
    (void)state;
    for (int kind = SHOAL_COMMAND_DESTROY; kind <= SHOAL_COMMAND_CLEAR; kind++) {
        for (int variant = 0; variant < 4; variant++) {
            test_set_context("command kind %d, variant %d", kind, variant);
            check_guessed_handle((shoal_command_kind)kind, (variant & 1) != 0, (variant & 2) != 0);
        }
    }
    test_set_context("");
}

/* A spawn whose value is refused is dropped as a whole, and so are the commands to its placeholder. */
static void test_spawn_with_a_refused_value_is_dropped(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    drop_list list = {.count = 0};
    shoal_commands *commands =
        shoal_commands_create(f.world, &(shoal_commands_def){.dropped = note_dropped, .user = &list});
    shoal_entity refused = shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Health, 1), SHOAL_VALUE(Gauge, -5)));
    assert_true(shoal_entity_is_placeholder(refused));
    assert_ok(shoal_commands_add(commands, refused, SHOAL_ID(Letter), &(Letter){8}));
    assert_applied(commands, 0, 2);
    assert_count(list.count, 2);
    assert_count(find_dropped(&list, 0)->kind, SHOAL_COMMAND_SPAWN);
    assert_status(find_dropped(&list, 0)->status, SHOAL_VALUE_REFUSED);
    assert_true(find_dropped(&list, 1)->status != SHOAL_OK);
    assert_true(shoal_entity_is_null(shoal_commands_resolve(commands, refused)));
    assert_count(shoal_world_entity_count(f.world), 0);
    fixture_end(&f);
}

/* A refused spawn takes no slot, so the one after it finds room. */
static void test_refused_spawn_leaves_the_slot_to_the_next(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.entity_limit = 1});
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    shoal_entity refused = shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Gauge, -1)));
    shoal_entity good = shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Gauge, 1)));
    assert_applied(commands, 1, 1);
    assert_true(shoal_entity_is_null(shoal_commands_resolve(commands, refused)));
    assert_entity(shoal_commands_resolve(commands, good), shoal_entity_make(f.world, 0, 0));
    assert_int_equal(SHOAL_GET(f.world, shoal_commands_resolve(commands, good), Gauge)->value, 1);
    fixture_end(&f);
}

/* A validate hook that does not keep to the rule of always giving the same verdict. */
typedef struct fickle_judge {
    int32_t limit;
    int32_t limit_after_drop;
    size_t asked_count;
} fickle_judge;

static fickle_judge judge;

static bool judge_validate(const void *value, void *user) {
    fickle_judge *asked = user;
    asked->asked_count++;
    return *(const int32_t *)value <= asked->limit;
}

static void judge_dropped(void *user, const shoal_dropped_command *command) {
    (void)user;
    assert_status(command->status, SHOAL_VALUE_REFUSED);
    judge.limit = judge.limit_after_drop;
}

/* Commands are planned and then committed; a verdict that changes in between must not split the two. */
static void check_fickle_verdict(int32_t limit, int32_t limit_after_drop, const int32_t *numbers, size_t refused) {
    const shoal_component judged = shoal_component_register(&(shoal_component_def){
        .name = "Judged", .size = 4, .alignment = 4, .validate = judge_validate, .user = &judge});
    fixture f;
    fixture_start(&f, NULL);
    judge = (fickle_judge){.limit = limit, .limit_after_drop = limit_after_drop};
    shoal_commands *commands = shoal_commands_create(f.world, &(shoal_commands_def){.dropped = judge_dropped});
    shoal_entity entity = spawn_one(f.world, no_values, 0);
    const shoal_value values[] = {{judged, &numbers[0]}, {judged, &numbers[1]}};
    shoal_entity first = shoal_commands_spawn(commands, &values[0], 1);
    shoal_entity second = shoal_commands_spawn(commands, &values[1], 1);
    assert_ok(shoal_commands_add(commands, entity, judged, &numbers[1]));
    assert_applied(commands, 3 - refused, refused);
    assert_count(judge.asked_count, 3);
    assert_count(shoal_entity_is_null(shoal_commands_resolve(commands, first)), numbers[0] > limit);
    assert_count(shoal_entity_is_null(shoal_commands_resolve(commands, second)), numbers[1] > limit);
    assert_count(shoal_has(f.world, entity, judged), numbers[1] <= limit);
    fixture_end(&f);
}

static void test_validate_is_asked_once(void **state) {
    (void)state;
    check_fickle_verdict(10, 100, (const int32_t[]){50, 50}, 3);
    check_fickle_verdict(10, 0, (const int32_t[]){50, 5}, 1);
}

/* ---- callbacks in the middle of an apply ---- */

static void validate_in_dropped(void *user, const shoal_dropped_command *command) {
    fixture *f = user;
    (void)command;
    assert_status(shoal_world_validate(f->world), SHOAL_WORLD_LOCKED);
    assert_last_error(f->world, SHOAL_WORLD_LOCKED);
    f->log_count[0]++;
}

static void test_validate_in_a_dropped_callback_is_refused(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_commands *commands =
        shoal_commands_create(f.world, &(shoal_commands_def){.dropped = validate_in_dropped, .user = &f});
    for (int32_t i = 0; i < 20; i++) {
        shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
        assert_ok(shoal_commands_add(commands, entity, SHOAL_ID(Letter), NULL));
        assert_ok(shoal_commands_destroy_entity(commands, entity));
        assert_ok(shoal_commands_clear(commands, entity));
        assert_false(shoal_entity_is_null(shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Health, i)))));
    }
    assert_applied(commands, 60, 20);
    assert_count(f.log_count[0], 20);
    fixture_end(&f);
}

typedef struct log_spawner {
    shoal_world *world;
    size_t line_count;
    size_t locked_count;
} log_spawner;

static void spawn_in_log(void *user, shoal_log_level level, const char *message) {
    log_spawner *spawner = user;
    assert_count(level, SHOAL_LOG_WARNING);
    assert_non_null(message);
    assert_non_null(shoal_world_lock_holder(spawner->world));
    shoal_entity entity = shoal_spawn(spawner->world, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Health)));
    spawner->line_count++;
    spawner->locked_count +=
        shoal_entity_is_null(entity) && shoal_last_error(spawner->world).status == SHOAL_WORLD_LOCKED;
}

/* Rows are promised and half of them written when the log is told, so it must not take one. */
static void test_spawn_in_the_log_is_refused(void **state) {
    (void)state;
    log_spawner spawner = {0};
    shoal_world *world = shoal_world_create(&(shoal_world_def){.log = spawn_in_log, .log_user = &spawner});
    assert_non_null(world);
    spawner.world = world;
    shoal_commands *commands = shoal_commands_create(world, &(shoal_commands_def){.log_dropped = true});
    shoal_entity dead = spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    assert_ok(shoal_destroy(world, dead));
    for (int32_t i = 0; i < 40; i++) {
        shoal_entity entity = spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
        assert_ok(shoal_commands_add(commands, entity, SHOAL_ID(Health), &(Health){i}));
        assert_ok(shoal_commands_add(commands, dead, SHOAL_ID(Health), NULL));
    }
    assert_applied(commands, 40, 40);
    assert_count(spawner.line_count, 40);
    assert_count(spawner.locked_count, 40);
    assert_null(shoal_world_lock_holder(world));
    assert_count(shoal_world_entity_count(world), 40);
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

static void test_refused_recordings(void **state) {
    (void)state;
    fixture f;
    shoal_commands *commands = start(&f);
    shoal_entity entity = spawn_one(f.world, no_values, 0);
    const shoal_entity null = {0};
    const shoal_component none = {0};
    const shoal_component unknown = {60000};
    const shoal_component health = SHOAL_ID(Health);
    assert_status(shoal_commands_add(commands, null, health, NULL), SHOAL_ENTITY_NULL);
    assert_status(shoal_commands_destroy_entity(commands, null), SHOAL_ENTITY_NULL);
    assert_status(shoal_commands_add(commands, entity, none, NULL), SHOAL_COMPONENT_INVALID);
    assert_status(shoal_commands_add(commands, entity, unknown, NULL), SHOAL_COMPONENT_INVALID);
    assert_status(shoal_commands_remove(commands, entity, unknown), SHOAL_COMPONENT_INVALID);
    assert_status(shoal_commands_set(commands, entity, unknown, &health), SHOAL_COMPONENT_INVALID);
    const shoal_value twice[] = {SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Health)};
    assert_true(shoal_entity_is_null(shoal_commands_spawn(commands, twice, 2)));
    assert_last_error(f.world, SHOAL_COMPONENT_DUPLICATE);
    const shoal_value bad = {unknown, NULL};
    assert_true(shoal_entity_is_null(shoal_commands_spawn(commands, &bad, 1)));
    assert_last_error(f.world, SHOAL_COMPONENT_INVALID);
    assert_count(shoal_commands_count(commands), 0);
    fixture_end(&f);
}

/* A tag has no value to set; the command is dropped when its turn comes. */
static void test_set_of_a_tag_is_dropped(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    drop_list list = {.count = 0};
    shoal_commands *commands =
        shoal_commands_create(f.world, &(shoal_commands_def){.dropped = note_dropped, .user = &list});
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Frozen)));
    assert_ok(shoal_commands_set(commands, entity, SHOAL_ID(Frozen), &entity));
    assert_applied(commands, 0, 1);
    assert_status(list.commands[0].status, SHOAL_TERM_WITHOUT_DATA);
    assert_true(SHOAL_HAS(f.world, entity, Frozen));
    fixture_end(&f);
}

static void test_values_are_copied_when_recorded(void **state) {
    (void)state;
    fixture f;
    shoal_commands *commands = start(&f);
    shoal_entity entity = spawn_one(f.world, no_values, 0);
    Health health = {1};
    const shoal_value value = {SHOAL_ID(Health), &health};
    assert_ok(shoal_commands_add(commands, entity, SHOAL_ID(Health), &health));
    health.value = 2;
    shoal_entity placeholder = shoal_commands_spawn(commands, &value, 1);
    health.value = 3;
    assert_applied(commands, 2, 0);
    assert_health(f.world, entity, 1);
    assert_health(f.world, shoal_commands_resolve(commands, placeholder), 2);
    assert_ok(shoal_commands_apply(commands, NULL));
    fixture_end(&f);
}

/* Two buffers of one world are independent; each is applied in the order of the calls. */
static void test_two_buffers(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_commands *first = shoal_commands_create(f.world, NULL);
    shoal_commands *second = shoal_commands_create(f.world, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 0)));
    shoal_entity p = shoal_commands_spawn(first, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    shoal_entity q = shoal_commands_spawn(second, SHOAL_VALUES(SHOAL_VALUE(Health, 2)));
    assert_false(shoal_entity_equal(p, q));
    assert_ok(shoal_commands_set(first, entity, SHOAL_ID(Health), &(Health){10}));
    assert_ok(shoal_commands_set(second, entity, SHOAL_ID(Health), &(Health){20}));
    assert_applied(second, 2, 0);
    assert_health(f.world, entity, 20);
    assert_applied(first, 2, 0);
    assert_health(f.world, entity, 10);
    assert_health(f.world, shoal_commands_resolve(first, p), 1);
    assert_health(f.world, shoal_commands_resolve(second, q), 2);
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_C1_add_then_destroy),
        cmocka_unit_test(conf_C1_remove_then_destroy),
        cmocka_unit_test(conf_C1_destroy_then_add),
        cmocka_unit_test(conf_C1_destroy_twice),
        cmocka_unit_test(conf_C5_remove_one_owning_component_of_each),
        cmocka_unit_test(test_recorded_values_end_with_the_buffer),
        cmocka_unit_test(conf_C8_placeholder_in_fields_becomes_the_handle),
        cmocka_unit_test(conf_C8_placeholder_elsewhere_is_refused),
        cmocka_unit_test(conf_C8_placeholder_in_fields_of_another_buffer_is_refused),
        cmocka_unit_test(conf_C8_old_and_discarded_placeholders_name_nothing),
        cmocka_unit_test(conf_C8_placeholder_of_a_buffer_long_gone),
        cmocka_unit_test(test_spawned_handles_are_those_of_immediate_calls),
        cmocka_unit_test(conf_C9_sparse_entities_in_shuffled_order),
        cmocka_unit_test(conf_C10_remove_of_what_is_not_there),
        cmocka_unit_test(test_recording_leaves_an_open_view_alone),
        cmocka_unit_test(test_dropped_commands_are_told),
        cmocka_unit_test(test_spawn_with_a_refused_value_is_dropped),
        cmocka_unit_test(test_guessed_handles_are_dead_for_the_buffer),
        cmocka_unit_test(test_refused_spawn_leaves_the_slot_to_the_next),
        cmocka_unit_test(test_validate_is_asked_once),
        cmocka_unit_test(test_validate_in_a_dropped_callback_is_refused),
        cmocka_unit_test(test_spawn_in_the_log_is_refused),
        cmocka_unit_test(test_refused_recordings),
        cmocka_unit_test(test_set_of_a_tag_is_dropped),
        cmocka_unit_test(test_values_are_copied_when_recorded),
        cmocka_unit_test(test_two_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
