/*
 * Structural changes: what is refused while a view is open, stale pointers, what each change leaves behind, and that
 * neither refused nor repeated ones pile up memory.
 * Conformance B1, B3, B4, B5, B8; the hooks are in test_hooks.c.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"
#include "support/world_dump.h"

static const shoal_value no_values[1];

static size_t component_count(const shoal_world *world, shoal_entity entity) {
    size_t count = 99;
    shoal_components_of(world, entity, &count);
    return count;
}

/* ---- calls in a loop ---- */

typedef shoal_status (*mutating_call)(shoal_world *world, shoal_entity entity);

static shoal_status call_spawn(shoal_world *world, shoal_entity entity) {
    (void)entity;
    return shoal_entity_is_null(shoal_spawn(world, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Health))))
               ? shoal_last_error(world).status
               : SHOAL_OK;
}

static shoal_status call_spawn_at(shoal_world *world, shoal_entity entity) {
    (void)entity;
    return shoal_spawn_at(world, shoal_entity_make(world, 1000, 0), no_values, 0);
}

static shoal_status call_spawn_many(shoal_world *world, shoal_entity entity) {
    (void)entity;
    return shoal_spawn_many(world, &(shoal_spawn_many_def){.count = 3});
}

static shoal_status call_clone(shoal_world *world, shoal_entity entity) {
    return shoal_entity_is_null(shoal_clone(world, entity)) ? shoal_last_error(world).status : SHOAL_OK;
}

static shoal_status call_destroy(shoal_world *world, shoal_entity entity) {
    return shoal_destroy(world, entity);
}

static shoal_status call_destroy_many(shoal_world *world, shoal_entity entity) {
    return shoal_destroy_many(world, &entity, 1);
}

static shoal_status call_add_new(shoal_world *world, shoal_entity entity) {
    return shoal_add(world, entity, SHOAL_ID(Letter), NULL);
}

static shoal_status call_remove_first(shoal_world *world, shoal_entity entity) {
    size_t count = 0;
    const shoal_component *components = shoal_components_of(world, entity, &count);
    return shoal_remove(world, entity, count != 0 ? components[0] : SHOAL_ID(Position));
}

static shoal_status call_clear(shoal_world *world, shoal_entity entity) {
    return shoal_clear(world, entity);
}

static shoal_status call_change(shoal_world *world, shoal_entity entity) {
    const shoal_value add = SHOAL_DEFAULT(Wide);
    return shoal_change_entity(world, entity, &(shoal_change){.add = &add, .add_count = 1});
}

static const struct {
    const char *name;
    mutating_call call;
} mutating_calls[] = {
    {"spawn", call_spawn},          {"spawn_at", call_spawn_at},   {"spawn_many", call_spawn_many},
    {"clone", call_clone},          {"destroy", call_destroy},     {"destroy_many", call_destroy_many},
    {"add", call_add_new},          {"remove", call_remove_first}, {"clear", call_clear},
    {"change_entity", call_change},
};
#define MUTATING_CALL_COUNT (sizeof mutating_calls / sizeof mutating_calls[0])

/* Every mutating call on one entity is refused and changes nothing. */
static void check_all_refused(shoal_world *world, shoal_entity entity, const char *holder) {
    world_dump before = world_dump_take(world, NULL);
    for (size_t i = 0; i < MUTATING_CALL_COUNT; i++) {
        test_set_context("%s", mutating_calls[i].name);
        assert_status(mutating_calls[i].call(world, entity), SHOAL_WORLD_LOCKED);
        assert_last_error(world, SHOAL_WORLD_LOCKED);
        assert_message_has(world, holder);
        world_dump after = world_dump_take(world, NULL);
        assert_same_dump(&after, &before);
        world_dump_free(&after);
    }
    test_set_context("%s", "");
    world_dump_free(&before);
}

static void conf_B8_every_call_inside_a_loop(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_world *world = f.world;
    const shoal_term term = SHOAL_WRITE(Position);
    shoal_query *query =
        shoal_query_create(world, &(shoal_query_def){.terms = &term, .term_count = 1, .name = "loop of B8"});
    shoal_entity self = spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Health)));
    shoal_entity targets[5] = {
        self,
        spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Health))),
        spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Frozen))),
        spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Velocity))),
        spawn_one(world, no_values, 0),
    };
    shoal_commands *commands = shoal_commands_create(world, NULL);
    assert_ok(shoal_commands_destroy_entity(commands, self));
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < 5; i++) {
            check_all_refused(world, targets[i], "loop of B8");
        }
        const shoal_value add = SHOAL_DEFAULT(Wide);
        const shoal_change change = {.add = &add, .add_count = 1};
        assert_status(shoal_query_destroy_entities(query), SHOAL_WORLD_LOCKED);
        assert_status(shoal_query_change_entities(query, &change), SHOAL_WORLD_LOCKED);
        assert_status(shoal_query_destroy(query), SHOAL_WORLD_LOCKED);
        assert_status(shoal_commands_apply(commands, NULL), SHOAL_WORLD_LOCKED);
        assert_status(shoal_world_trim(world, 0, NULL), SHOAL_WORLD_LOCKED);
        assert_status(shoal_world_destroy(world), SHOAL_WORLD_LOCKED);
        assert_string_equal(shoal_world_lock_holder(world), "loop of B8");
    }
    assert_null(shoal_world_lock_holder(world));
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_false(shoal_is_alive(world, self));
    fixture_end(&f);
}

static void conf_B8_setting_a_value_inside_a_loop_works(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1), SHOAL_DEFAULT(Owned)));
    Owned own;
    owned_make(&owned_tracker, &own, 77);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        assert_ok(shoal_set(f.world, entity, SHOAL_ID(Health), &(Health){5}));
        assert_ok(shoal_set(f.world, entity, SHOAL_ID(Owned), &own));
        SHOAL_GET_MUT(f.world, entity, Health)->value += 1;
    }
    owned_end(&owned_tracker, &own);
    assert_int_equal(health_of(f.world, entity), 6);
    uint32_t payload = 0;
    assert_true(owned_read(&owned_tracker, SHOAL_GET(f.world, entity, Owned), &payload));
    assert_count(payload, 77);
    fixture_end(&f);
}

static void refused_in_fill(void *user, size_t first, size_t count, const shoal_entity *entities,
                            void *const *columns) {
    (void)first;
    (void)count;
    (void)entities;
    (void)columns;
    fixture *f = user;
    assert_non_null(shoal_world_lock_holder(f->world));
    check_all_refused(f->world, shoal_entity_make(f->world, 0, 0), shoal_world_lock_holder(f->world));
    f->log_count[0]++;
}

static void conf_B8_every_call_inside_a_fill_callback(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    const shoal_value column = SHOAL_DEFAULT(Health);
    assert_ok(shoal_spawn_many(
        f.world, &(shoal_spawn_many_def){
                     .count = 5, .columns = &column, .column_count = 1, .fill = refused_in_fill, .user = &f}));
    assert_count(f.log_count[0], 1);
    assert_null(shoal_world_lock_holder(f.world));
    assert_count(shoal_world_entity_count(f.world), 6);
    fixture_end(&f);
}

static void validate_in_fill(void *user, size_t first, size_t count, const shoal_entity *entities,
                             void *const *columns) {
    fixture *f = user;
    (void)columns;
    assert_valid(f->world);
    for (size_t i = 0; i < count; i++) {
        assert_count(shoal_entity_index(entities[i]), 20 + first + i);
        assert_true(SHOAL_HAS(f->world, entities[i], Health));
    }
    f->log_count[0]++;
}

/* The new rows are all there while their values are filled in, run by run. */
static void test_world_is_valid_inside_a_fill_callback(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int32_t i = 0; i < 20; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
    }
    const shoal_value column = SHOAL_DEFAULT(Health);
    assert_ok(shoal_spawn_many(
        f.world, &(shoal_spawn_many_def){
                     .count = 5000, .columns = &column, .column_count = 1, .fill = validate_in_fill, .user = &f}));
    assert_true(f.log_count[0] > 1);
    fixture_end(&f);
}

static void conf_B1_changes_from_a_loop_are_seen_after_it(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity other = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Letter, 1)));
    for (int32_t i = 0; i < 200; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
    }
    const shoal_term term = SHOAL_WRITE(Health);
    shoal_query *query = shoal_query_create(f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    size_t visits = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++) {
            visits++;
            shoal_entity self = view.entities[i];
            assert_status(shoal_add(f.world, self, SHOAL_ID(Frozen), NULL), SHOAL_WORLD_LOCKED);
            assert_status(shoal_add(f.world, other, SHOAL_ID(Health), NULL), SHOAL_WORLD_LOCKED);
            assert_status(call_spawn(f.world, self), SHOAL_WORLD_LOCKED);
            assert_ok(shoal_commands_add(commands, self, SHOAL_ID(Frozen), NULL));
            assert_ok(shoal_commands_add(commands, other, SHOAL_ID(Health), &(Health){-1}));
            assert_true(
                shoal_entity_is_placeholder(shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Health, 1000)))));
        }
    }
    assert_count(visits, 200);
    assert_count(shoal_query_count(query), 200);
    assert_false(SHOAL_HAS(f.world, other, Health));
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_count(shoal_query_count(query), 401);
    assert_true(SHOAL_HAS(f.world, other, Health));
    assert_valid(f.world);
    fixture_end(&f);
}

static void conf_B5_destroying_each_visits_each_once(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    for (int32_t i = 0; i < 1000; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i), SHOAL_VALUE(Letter, 1)));
    }
    const shoal_term term = SHOAL_WRITE(Health);
    shoal_query *query = shoal_query_create(f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    unsigned char seen[1000] = {0};
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        const Health *health = SHOAL_COLUMN(&view, Health);
        for (size_t i = 0; i < view.count; i++) {
            shoal_entity self = view.entities[i];
            bool destroyed = health[i].value % 2 == 0;
            assert_ok(destroyed ? shoal_commands_destroy_entity(commands, self)
                                : shoal_commands_remove(commands, self, SHOAL_ID(Letter)));
            assert_entity(view.entities[i], self);
            assert_count(health[i].value, shoal_entity_index(self));
            seen[shoal_entity_index(self)]++;
        }
    }
    for (size_t i = 0; i < 1000; i++) {
        assert_count(seen[i], 1);
    }
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_count(shoal_world_entity_count(f.world), 500);
    for (uint32_t i = 0; i < 1000; i++) {
        shoal_entity entity = shoal_entity_make(f.world, i, 0);
        assert_count(shoal_is_alive(f.world, entity), i % 2);
        assert_false(SHOAL_HAS(f.world, entity, Letter));
    }
    fixture_end(&f);
}

/* ---- stale pointers ---- */

#ifdef UNDER_ASAN
int __asan_address_is_poisoned(const volatile void *address);
#endif

/* True when reading through an old pointer shows that it is stale. */
static bool is_stale(const Health *old, int32_t value) {
#ifdef UNDER_ASAN
    (void)value;
    return __asan_address_is_poisoned(old) != 0;
#else
    return old->value != value;
#endif
}

static void conf_B3_stale_pointers_show(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.move_rows = true});
    shoal_entity entities[4];
    for (int32_t i = 0; i < 4; i++) {
        entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 100 + i)));
    }
    const Health *before_spawn = SHOAL_GET(f.world, entities[1], Health);
    shoal_entity late = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 104)));
    assert_true(is_stale(before_spawn, 101));
    const Health *before_add = SHOAL_GET(f.world, entities[1], Health);
    assert_int_equal(before_add->value, 101);
    assert_ok(shoal_add(f.world, entities[2], SHOAL_ID(Frozen), NULL));
    assert_true(is_stale(before_add, 101));
    const Health *before_remove = SHOAL_GET(f.world, entities[0], Health);
    assert_ok(shoal_remove(f.world, entities[3], SHOAL_ID(Health)));
    assert_true(is_stale(before_remove, 100));
    const Health *before_destroy = SHOAL_GET(f.world, entities[1], Health);
    assert_ok(shoal_destroy(f.world, late));
    assert_true(is_stale(before_destroy, 101));
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(health_of(f.world, entities[i]), 100 + i);
    }
    fixture_end(&f);
}

/* ---- a hundred thousand changes ---- */

static void random_change(fixture *f, rng *random, shoal_entity *entities, uint32_t count) {
    uint32_t i = rng_below(random, count);
    value_kind type = (value_kind)rng_below(random, KIND_COUNT);
    switch (rng_below(random, 5)) {
    case 0:
        if (shoal_is_alive(f->world, entities[i])) {
            assert_ok(shoal_destroy(f->world, entities[i]));
        }
        break;
    case 1:
        assert_ok(shoal_remove(f->world, entities[i], kind_component(type)));
        break;
    default:
        assert_ok(shoal_add(f->world, entities[i], kind_component(type), NULL));
        break;
    }
    if (!shoal_is_alive(f->world, entities[i])) {
        entities[i] = spawn_one(f->world, no_values, 0);
    }
}

static void conf_B4_rows_and_entities_agree(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rng random = {test_environment("SHOAL_SEED", 4)};
    shoal_entity entities[500];
    for (size_t i = 0; i < 500; i++) {
        entities[i] = spawn_one(f.world, no_values, 0);
    }
    for (uint32_t step = 1; step <= 100000; step++) {
        random_change(&f, &random, entities, 500);
        if (step % 1000 == 0) {
            assert_valid(f.world);
        }
    }
    unsigned char seen[600] = {0};
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++) {
            assert_true(shoal_is_alive(f.world, view.entities[i]));
            seen[shoal_entity_index(view.entities[i])]++;
        }
    }
    for (size_t i = 0; i < 500; i++) {
        assert_count(seen[shoal_entity_index(entities[i])], 1);
    }
    assert_count(shoal_query_count(f.everything), 500);
    fixture_end(&f);
}

/* ---- what each change does ---- */

static void test_add_to_what_is_there(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 5), SHOAL_DEFAULT(Frozen)));
    assert_ok(shoal_add(f.world, entity, SHOAL_ID(Health), NULL));
    assert_int_equal(health_of(f.world, entity), 5);
    assert_ok(shoal_add(f.world, entity, SHOAL_ID(Health), &(Health){6}));
    assert_int_equal(health_of(f.world, entity), 6);
    assert_ok(shoal_add(f.world, entity, SHOAL_ID(Frozen), NULL));
    assert_ok(shoal_remove(f.world, entity, SHOAL_ID(Position)));
    assert_ok(shoal_remove(f.world, entity, SHOAL_ID(Selected)));
    assert_count(component_count(f.world, entity), 2);
    fixture_end(&f);
}

static void test_change_in_one_move(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 5), SHOAL_DEFAULT(Owned)));
    Letter letter = {3};
    const shoal_value add[] = {{SHOAL_ID(Letter), &letter}, SHOAL_DEFAULT(Frozen), {SHOAL_ID(Health), &(Health){8}}};
    const shoal_component remove[] = {SHOAL_ID(Owned), SHOAL_ID(Position)};
    shoal_memory_report before;
    shoal_memory_report after;
    assert_ok(shoal_world_memory(f.world, &before));
    assert_ok(shoal_change_entity(f.world, entity, &(shoal_change){add, 3, remove, 2}));
    assert_ok(shoal_world_memory(f.world, &after));
    assert_count(after.archetype_count, before.archetype_count + 1);
    assert_int_equal(health_of(f.world, entity), 8);
    assert_int_equal(SHOAL_GET(f.world, entity, Letter)->value, 3);
    assert_count(component_count(f.world, entity), 3);
    assert_count(owned_tracker.live, 0);
    fixture_end(&f);
}

static void test_component_named_twice(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 5)));
    const shoal_value twice[] = {SHOAL_DEFAULT(Letter), SHOAL_DEFAULT(Frozen), SHOAL_DEFAULT(Letter)};
    const shoal_component removed_twice[] = {SHOAL_ID(Health), SHOAL_ID(Health)};
    const shoal_component letter = SHOAL_ID(Letter);
    assert_true(shoal_entity_is_null(shoal_spawn(f.world, twice, 3)));
    assert_last_error(f.world, SHOAL_COMPONENT_DUPLICATE);
    assert_message_has(f.world, "Letter");
    const shoal_change add_twice = {.add = twice, .add_count = 3};
    assert_status(shoal_change_entity(f.world, entity, &add_twice), SHOAL_COMPONENT_DUPLICATE);
    const shoal_change remove_twice = {.remove = removed_twice, .remove_count = 2};
    assert_status(shoal_change_entity(f.world, entity, &remove_twice), SHOAL_COMPONENT_DUPLICATE);
    const shoal_change both = {.add = twice, .add_count = 1, .remove = &letter, .remove_count = 1};
    assert_status(shoal_change_entity(f.world, entity, &both), SHOAL_COMPONENT_DUPLICATE);
    assert_status(shoal_query_change_entities(f.everything, &both), SHOAL_COMPONENT_DUPLICATE);
    const shoal_spawn_many_def many = {
        .count = 2, .values = twice, .value_count = 1, .columns = twice, .column_count = 1};
    assert_status(shoal_spawn_many(f.world, &many), SHOAL_COMPONENT_DUPLICATE);
    assert_count(shoal_world_entity_count(f.world), 1);
    assert_count(component_count(f.world, entity), 1);
    assert_int_equal(health_of(f.world, entity), 5);
    fixture_end(&f);
}

static void test_refused_value_changes_nothing(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_value good = SHOAL_VALUE(Gauge, 4);
    const shoal_value bad = SHOAL_VALUE(Gauge, -4);
    const Gauge column[3] = {{1}, {2}, {-3}};
    shoal_entity with = spawn_one(f.world, &good, 1);
    shoal_entity without = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    world_dump before = world_dump_take(f.world, f.everything);
    assert_true(shoal_entity_is_null(shoal_spawn(f.world, &bad, 1)));
    assert_last_error(f.world, SHOAL_VALUE_REFUSED);
    assert_message_has(f.world, "Gauge");
    shoal_entity chosen = shoal_entity_make(f.world, 9, 0);
    assert_status(shoal_spawn_at(f.world, chosen, &bad, 1), SHOAL_VALUE_REFUSED);
    assert_status(shoal_set(f.world, with, SHOAL_ID(Gauge), bad.data), SHOAL_VALUE_REFUSED);
    assert_status(shoal_add(f.world, with, SHOAL_ID(Gauge), bad.data), SHOAL_VALUE_REFUSED);
    assert_status(shoal_add(f.world, without, SHOAL_ID(Gauge), bad.data), SHOAL_VALUE_REFUSED);
    const shoal_value mixed[] = {SHOAL_VALUE(Health, 9), SHOAL_DEFAULT(Frozen), bad};
    const shoal_change change = {.add = mixed, .add_count = 3};
    assert_status(shoal_change_entity(f.world, without, &change), SHOAL_VALUE_REFUSED);
    assert_status(shoal_query_change_entities(f.everything, &change), SHOAL_VALUE_REFUSED);
    const shoal_value columns = {SHOAL_ID(Gauge), column};
    shoal_spawn_many_def many = {.count = 3, .columns = &columns, .column_count = 1};
    assert_status(shoal_spawn_many(f.world, &many), SHOAL_VALUE_REFUSED);
    many = (shoal_spawn_many_def){.count = 3, .values = &bad, .value_count = 1};
    assert_status(shoal_spawn_many(f.world, &many), SHOAL_VALUE_REFUSED);
    world_dump after = world_dump_take(f.world, f.everything);
    assert_same_dump(&after, &before);
    world_dump_free(&before);
    world_dump_free(&after);
    fixture_end(&f);
}

static void test_destroy_many_all_or_none(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entities[6];
    for (int32_t i = 0; i < 5; i++) {
        entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
    }
    entities[5] = entities[1];
    shoal_entity dead = spawn_one(f.world, no_values, 0);
    assert_ok(shoal_destroy(f.world, dead));
    shoal_entity bad[3] = {entities[0], dead, entities[2]};
    assert_status(shoal_destroy_many(f.world, bad, 3), SHOAL_ENTITY_DEAD);
    bad[1] = (shoal_entity){0};
    assert_status(shoal_destroy_many(f.world, bad, 3), SHOAL_ENTITY_NULL);
    assert_count(shoal_world_entity_count(f.world), 5);
    assert_ok(shoal_destroy_many(f.world, entities, 0));
    assert_ok(shoal_destroy_many(f.world, entities + 1, 5));
    assert_count(shoal_world_entity_count(f.world), 1);
    assert_int_equal(health_of(f.world, entities[0]), 0);
    fixture_end(&f);
}

static void test_clone_copies_everything(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity source = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 8), SHOAL_DEFAULT(Owned),
                                                          SHOAL_DEFAULT(Frozen), SHOAL_VALUE(Letter, 2)));
    shoal_entity copy = shoal_clone(f.world, source);
    assert_count(component_count(f.world, copy), 4);
    assert_int_equal(health_of(f.world, copy), 8);
    assert_true(object_of(f.world, copy) != object_of(f.world, source));
    assert_ok(shoal_set(f.world, copy, SHOAL_ID(Health), &(Health){9}));
    assert_int_equal(health_of(f.world, source), 8);
    assert_ok(shoal_destroy(f.world, source));
    assert_true(owned_is_live(object_of(f.world, copy)));
    shoal_entity empty = shoal_clone(f.world, spawn_one(f.world, no_values, 0));
    assert_count(component_count(f.world, empty), 0);
    fixture_end(&f);
}

static void test_query_changes_all(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.largest_chunk_bytes = 2048});
    for (int32_t i = 0; i < 300; i++) {
        shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i), SHOAL_DEFAULT(Owned)));
        if (i % 3 == 0) {
            assert_ok(shoal_add(f.world, entity, SHOAL_ID(Frozen), NULL));
        }
    }
    const shoal_term terms[] = {SHOAL_READ(Health), SHOAL_WITHOUT(Frozen)};
    shoal_query *query = shoal_query_create(f.world, &(shoal_query_def){.terms = terms, .term_count = 2});
    const shoal_value add = SHOAL_VALUE(Letter, 7);
    const shoal_component remove = SHOAL_ID(Owned);
    assert_ok(shoal_query_change_entities(query, &(shoal_change){&add, 1, &remove, 1}));
    assert_count(owned_tracker.live, 100);
    for (uint32_t i = 0; i < 300; i++) {
        shoal_entity entity = shoal_entity_make(f.world, i, 0);
        assert_int_equal(health_of(f.world, entity), (int32_t)i);
        assert_count(SHOAL_HAS(f.world, entity, Letter), i % 3 != 0);
        assert_count(SHOAL_HAS(f.world, entity, Owned), i % 3 == 0);
    }
    assert_valid(f.world);
    assert_ok(shoal_query_destroy_entities(query));
    assert_count(shoal_world_entity_count(f.world), 100);
    assert_count(shoal_query_count(query), 0);
    fixture_end(&f);
}

/* ---- memory ---- */

/* A world under a limit with 3,000 entities, and with everything made that one of the calls below needs to exist. */
static void limited_start(fixture *f, shoal_query **query, shoal_commands **commands) {
    fixture_start(f, &(shoal_world_def){.memory_limit = (size_t)2 << 20});
    const shoal_term term = SHOAL_WITH(Health);
    *query = shoal_query_create(f->world, &(shoal_query_def){.terms = &term, .term_count = 1});
    shoal_entity entity = spawn_one(f->world, SHOAL_VALUES(SHOAL_DEFAULT(Large)));
    assert_ok(shoal_add(f->world, entity, SHOAL_ID(Health), NULL));
    assert_ok(shoal_destroy(f->world, entity));
    for (int32_t i = 0; i < 3000; i++) {
        spawn_one(f->world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
    }
    *commands = shoal_commands_create(f->world, NULL);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_ok(shoal_commands_add(*commands, shoal_entity_make(f->world, i, 0), SHOAL_ID(Large), NULL));
    }
}

enum { REFUSE_NOTHING, REFUSE_PAGES, REFUSE_CHUNKS, REFUSE_QUERY_CHANGE, REFUSE_APPLY, REFUSE_COUNT };

static shoal_status refused_call(int call, shoal_world *world, shoal_query *query, shoal_commands *commands) {
    const shoal_value value = SHOAL_DEFAULT(Large);
    switch (call) {
    case REFUSE_PAGES:
        return shoal_spawn_many(world, &(shoal_spawn_many_def){.count = 1000000, .values = &value, .value_count = 1});
    case REFUSE_CHUNKS:
        return shoal_spawn_many(world, &(shoal_spawn_many_def){.count = 2000, .values = &value, .value_count = 1});
    case REFUSE_QUERY_CHANGE:
        return shoal_query_change_entities(query, &(shoal_change){.add = &value, .add_count = 1});
    case REFUSE_APPLY:
        return shoal_commands_apply(commands, NULL);
    default:
        return SHOAL_MEMORY_LIMIT;
    }
}

/* How many single spawns fit after a call was refused, scratch memory given back. */
static size_t room_after(int call) {
    fixture f;
    shoal_query *query;
    shoal_commands *commands;
    limited_start(&f, &query, &commands);
    assert_status(refused_call(call, f.world, query, commands), SHOAL_MEMORY_LIMIT);
    assert_count(shoal_world_entity_count(f.world), 3000);
    assert_valid(f.world);
    shoal_commands_destroy(commands);
    size_t count = 0;
    while (!shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health))))) {
        count++;
    }
    assert_last_error(f.world, SHOAL_MEMORY_LIMIT);
    fixture_end(&f);
    return count;
}

static void test_refused_calls_give_their_memory_back(void **state) {
    (void)state;
    size_t expected = room_after(REFUSE_NOTHING);
    assert_true(expected > 10000);
    for (int call = REFUSE_NOTHING + 1; call < REFUSE_COUNT; call++) {
        test_set_context("call %d", call);
        assert_count(room_after(call), expected);
    }
    test_set_context("");
}

static size_t archetype_bytes(const fixture *f) {
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f->world, &report));
    return report.purpose_bytes[SHOAL_PURPOSE_ARCHETYPE];
}

/* ---- orders of keys ---- */

enum { ORDER_KEYS = 10 };

/* Makes an entity with components in the order of `values`, one way or another. */
typedef shoal_entity (*ordered_spawn)(shoal_world *world, const shoal_value *values);

static shoal_entity ordered_by_spawn(shoal_world *world, const shoal_value *values) {
    return shoal_spawn(world, values, ORDER_KEYS);
}

static shoal_entity ordered_by_change(shoal_world *world, const shoal_value *values) {
    shoal_entity entity = spawn_one(world, no_values, 0);
    assert_ok(shoal_change_entity(world, entity, &(shoal_change){.add = values, .add_count = ORDER_KEYS}));
    return entity;
}

static shoal_entity ordered_by_spawn_at(shoal_world *world, const shoal_value *values) {
    shoal_entity entity = spawn_one(world, no_values, 0); /* the slot's next generation is free once it has ended */
    shoal_entity chosen =
        shoal_entity_make(world, shoal_entity_index(entity), (uint16_t)(shoal_entity_generation(entity) + 1));
    assert_ok(shoal_destroy(world, entity));
    assert_ok(shoal_spawn_at(world, chosen, values, ORDER_KEYS));
    return chosen;
}

static shoal_entity ordered_by_spawn_many(shoal_world *world, const shoal_value *values) {
    shoal_entity entity = {0};
    assert_ok(shoal_spawn_many(
        world, &(shoal_spawn_many_def){.count = 1, .values = values, .value_count = ORDER_KEYS, .entities = &entity}));
    return entity;
}

static shoal_entity ordered_by_commands(shoal_world *world, const shoal_value *values) {
    shoal_commands *commands = shoal_commands_create(world, NULL);
    shoal_entity placeholder = shoal_commands_spawn(commands, values, ORDER_KEYS);
    assert_ok(shoal_commands_apply(commands, NULL));
    shoal_entity entity = shoal_commands_resolve(commands, placeholder);
    shoal_commands_destroy(commands);
    return entity;
}

static shoal_entity ordered_by_query_change(shoal_world *world, const shoal_value *values) {
    shoal_entity entity = spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Frozen)));
    const shoal_term term = SHOAL_WITH(Frozen);
    shoal_query *query = shoal_query_create(world, &(shoal_query_def){.terms = &term, .term_count = 1});
    assert_ok(shoal_query_change_entities(query, &(shoal_change){.add = values, .add_count = ORDER_KEYS}));
    assert_ok(shoal_query_destroy(query));
    return entity;
}

/* The same components in ever new orders lead to one archetype; what is remembered of the orders is bounded. */
static void check_orders_of_keys(ordered_spawn spawn) {
    enum { ROUNDS = 120000 };
    fixture f;
    fixture_start(&f, NULL);
    uint32_t numbers[ORDER_KEYS];
    for (uint32_t i = 0; i < ORDER_KEYS; i++) {
        numbers[i] = i;
    }
    shoal_value values[ORDER_KEYS];
    rng random = {11};
    size_t most = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        rng_shuffle(&random, numbers, ORDER_KEYS);
        for (uint32_t i = 0; i < ORDER_KEYS; i++) {
            values[i] = (shoal_value){numbered_component(numbers[i]), NULL};
        }
        shoal_entity entity = spawn(f.world, values);
        size_t now = round % 1000 == 0 ? archetype_bytes(&f) : 0;
        most = now > most ? now : most;
        if (round + 1 < ROUNDS) {
            assert_ok(shoal_destroy(f.world, entity));
        }
    }
    assert_at_most(most, (size_t)12 << 20);
    assert_ok(shoal_world_trim(f.world, 0, NULL)); /* the archetype is in use, but no order of keys is */
    assert_at_most(archetype_bytes(&f), (size_t)64 << 10);
    fixture_end(&f);
}

static void test_orders_of_keys_do_not_pile_up(void **state) {
    (void)state;
    check_orders_of_keys(ordered_by_spawn);
    check_orders_of_keys(ordered_by_change);
    check_orders_of_keys(ordered_by_spawn_at);
    check_orders_of_keys(ordered_by_spawn_many);
    check_orders_of_keys(ordered_by_commands);
    check_orders_of_keys(ordered_by_query_change);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_B1_changes_from_a_loop_are_seen_after_it),
        cmocka_unit_test(conf_B3_stale_pointers_show),
        cmocka_unit_test(conf_B4_rows_and_entities_agree),
        cmocka_unit_test(conf_B5_destroying_each_visits_each_once),
        cmocka_unit_test(conf_B8_every_call_inside_a_loop),
        cmocka_unit_test(conf_B8_setting_a_value_inside_a_loop_works),
        cmocka_unit_test(conf_B8_every_call_inside_a_fill_callback),
        cmocka_unit_test(test_add_to_what_is_there),
        cmocka_unit_test(test_change_in_one_move),
        cmocka_unit_test(test_component_named_twice),
        cmocka_unit_test(test_refused_value_changes_nothing),
        cmocka_unit_test(test_destroy_many_all_or_none),
        cmocka_unit_test(test_clone_copies_everything),
        cmocka_unit_test(test_query_changes_all),
        cmocka_unit_test(test_world_is_valid_inside_a_fill_callback),
        cmocka_unit_test(test_refused_calls_give_their_memory_back),
        cmocka_unit_test(test_orders_of_keys_do_not_pile_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
