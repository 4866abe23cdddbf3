/*
 * Failure in the middle of a call (see support/failing.h), of every public call that can allocate, on table components;
 * test_failing_kinds.c has the other kinds. Conformance G5.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/failing.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static const shoal_value no_values[1];

typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_query *healthy;
    shoal_commands *commands;
    shoal_entity plain;   /* Position, Health */
    shoal_entity owner;   /* Owned, Boxed, Health */
    shoal_entity empty;   /* no component */
    shoal_entity many[6]; /* of several archetypes */
    Owned own;            /* a value of the test's own */
} scene;

/* ---- the scene ---- */

static void scene_record(scene *s) {
    shoal_entity placeholder = shoal_commands_spawn(
        s->commands, SHOAL_VALUES(SHOAL_DEFAULT(Owned), SHOAL_VALUE(Health, 41), SHOAL_DEFAULT(Frozen)));
    assert_true(shoal_entity_is_placeholder(placeholder));
    Link link;
    kind_write(KIND_LINK, placeholder.bits, &link);
    assert_ok(shoal_commands_add(s->commands, s->plain, SHOAL_ID(Link), &link));
    assert_ok(shoal_commands_add(s->commands, s->plain, SHOAL_ID(Owned), &s->own));
    assert_ok(shoal_commands_remove(s->commands, s->many[0], SHOAL_ID(Health)));
    assert_ok(shoal_commands_set(s->commands, s->owner, SHOAL_ID(Owned), &s->own));
    assert_ok(shoal_commands_clear(s->commands, s->many[4]));
    assert_ok(shoal_commands_destroy_entity(s->commands, s->many[2]));
    assert_ok(shoal_commands_add(s->commands, s->many[2], SHOAL_ID(Letter), NULL));
    assert_ok(shoal_commands_add(s->commands, s->empty, SHOAL_ID(Large), NULL));
}

static void scene_start(void *scene_bytes, const shoal_world_def *def) {
    scene *s = scene_bytes;
    fixture_start(&s->f, def);
    s->world = s->f.world;
    owned_make(&owned_tracker, &s->own, 31);
    const shoal_term term = SHOAL_WRITE(Health);
    s->healthy = shoal_query_create(s->world, &(shoal_query_def){.terms = &term, .term_count = 1});
    s->commands = shoal_commands_create(s->world, NULL);
    assert_true(s->healthy != NULL && s->commands != NULL);
    for (int32_t i = 0; i < 20; i++) {
        s->plain = spawn_one(s->world, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 3, 5), SHOAL_VALUE(Health, i)));
        s->many[i % 2] = s->plain;
    }
    for (int32_t i = 0; i < 6; i++) {
        s->owner =
            spawn_one(s->world, SHOAL_VALUES(SHOAL_DEFAULT(Owned), SHOAL_DEFAULT(Boxed), SHOAL_VALUE(Health, 100)));
        s->many[2 + i % 2] = s->owner;
    }
    s->plain = s->many[0];
    s->many[0] = spawn_one(s->world, SHOAL_VALUES(SHOAL_VALUE(Health, 7), SHOAL_DEFAULT(Frozen)));
    s->many[4] = spawn_one(s->world, SHOAL_VALUES(SHOAL_DEFAULT(Owned), SHOAL_DEFAULT(Wide)));
    s->many[5] = spawn_one(s->world, SHOAL_VALUES(SHOAL_DEFAULT(Letter)));
    s->owner = s->many[3];
    s->empty = spawn_one(s->world, no_values, 0);
    shoal_entity gone = spawn_one(s->world, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    assert_ok(shoal_destroy(s->world, gone));
    scene_record(s);
}

static void scene_end(void *scene_bytes) {
    scene *s = scene_bytes;
    owned_end(&owned_tracker, &s->own);
    fixture_end(&s->f);
}

/* ---- the calls ---- */

static shoal_status made(const scene *s, shoal_entity entity) {
    return failing_status_of(s->world, entity);
}

static shoal_status call_spawn(void *scene_bytes) {
    scene *s = scene_bytes;
    return made(s, shoal_spawn(s->world, SHOAL_VALUES(SHOAL_VALUE(Position, 2, 6, 10), SHOAL_VALUE(Health, 3))));
}

static shoal_status call_spawn_new_archetype(void *scene_bytes) {
    scene *s = scene_bytes;
    const shoal_value values[] = {SHOAL_DEFAULT(Velocity),
                                  SHOAL_DEFAULT(Selected),
                                  {SHOAL_ID(Owned), &s->own},
                                  SHOAL_DEFAULT(Boxed),
                                  SHOAL_DEFAULT(Aligned)};
    return made(s, shoal_spawn(s->world, values, 5));
}

static shoal_status call_spawn_large(void *scene_bytes) {
    scene *s = scene_bytes;
    return made(s, shoal_spawn(s->world, SHOAL_VALUES(SHOAL_DEFAULT(Bulky), SHOAL_DEFAULT(Owned))));
}

static shoal_status call_spawn_at_far(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_spawn_at(s->world, shoal_entity_make(s->world, 5000000, 3), SHOAL_VALUES(SHOAL_DEFAULT(Owned)));
}

static shoal_status call_reserve(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_reserve_range(s->world, 100000, 50000);
}

static void fill_healths(void *user, size_t first, size_t count, const shoal_entity *entities, void *const *columns) {
    (void)user;
    (void)entities;
    Health *health = columns[0];
    for (size_t i = 0; i < count; i++) {
        health[i].value = (int32_t)(first + i);
    }
}

static shoal_status call_spawn_many(void *scene_bytes) {
    scene *s = scene_bytes;
    const shoal_value columns[] = {SHOAL_DEFAULT(Health)};
    const shoal_value values[] = {{SHOAL_ID(Owned), &s->own}, SHOAL_DEFAULT(Boxed), SHOAL_DEFAULT(Preset)};
    return shoal_spawn_many(s->world, &(shoal_spawn_many_def){.count = 300,
                                                              .values = values,
                                                              .value_count = 3,
                                                              .columns = columns,
                                                              .column_count = 1,
                                                              .fill = fill_healths});
}

/* More slots than one page of the index can have. */
static shoal_status call_spawn_many_slots(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_spawn_many(s->world, &(shoal_spawn_many_def){.count = 30000});
}

static shoal_status call_spawn_many_columns(void *scene_bytes) {
    scene *s = scene_bytes;
    Owned column[40];
    for (size_t i = 0; i < 40; i++) {
        owned_make(&owned_tracker, &column[i], (uint32_t)i);
    }
    const shoal_value columns[] = {{SHOAL_ID(Owned), column}};
    const shoal_value values[] = {SHOAL_DEFAULT(Wide)};
    shoal_status status = shoal_spawn_many(
        s->world, &(shoal_spawn_many_def){
                      .count = 40, .values = values, .value_count = 1, .columns = columns, .column_count = 1});
    for (size_t i = 0; i < 40; i++) {
        owned_end(&owned_tracker, &column[i]);
    }
    return status;
}

static shoal_status call_clone(void *scene_bytes) {
    scene *s = scene_bytes;
    return made(s, shoal_clone(s->world, s->owner));
}

static shoal_status call_destroy(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_destroy(s->world, s->owner);
}

static shoal_status call_destroy_many(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_destroy_many(s->world, s->many, 6);
}

static shoal_status call_add(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_add(s->world, s->plain, SHOAL_ID(Owned), &s->own);
}

static shoal_status call_add_default(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_add(s->world, s->owner, SHOAL_ID(Large), NULL);
}

static shoal_status call_add_again(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_add(s->world, s->owner, SHOAL_ID(Owned), &s->own);
}

static shoal_status call_remove(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_remove(s->world, s->owner, SHOAL_ID(Health));
}

static shoal_status call_set(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_set(s->world, s->owner, SHOAL_ID(Owned), &s->own);
}

static shoal_status call_clear(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_clear(s->world, s->owner);
}

static shoal_status call_change(void *scene_bytes) {
    scene *s = scene_bytes;
    const shoal_value add[] = {{SHOAL_ID(Owned), &s->own}, SHOAL_DEFAULT(Wide), SHOAL_DEFAULT(Boxed)};
    const shoal_component remove[] = {SHOAL_ID(Position), SHOAL_ID(Selected)};
    return shoal_change_entity(s->world, s->plain, &(shoal_change){add, 3, remove, 2});
}

static shoal_status call_query_change(void *scene_bytes) {
    scene *s = scene_bytes;
    const shoal_value add[] = {{SHOAL_ID(Owned), &s->own}, SHOAL_DEFAULT(Aligned)};
    const shoal_component remove[] = {SHOAL_ID(Frozen), SHOAL_ID(Boxed)};
    return shoal_query_change_entities(s->healthy, &(shoal_change){add, 2, remove, 2});
}

static shoal_status call_query_destroy_entities(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_query_destroy_entities(s->healthy);
}

static shoal_status call_query_create(void *scene_bytes) {
    scene *s = scene_bytes;
    const shoal_term terms[] = {SHOAL_READ(Health), SHOAL_OPTIONAL(Owned), SHOAL_WITHOUT(Frozen)};
    bool works = shoal_query_create(s->world, &(shoal_query_def){.terms = terms, .term_count = 3}) != NULL;
    return works ? SHOAL_OK : shoal_last_error(s->world).status;
}

static shoal_status call_commands_create(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_commands_create(s->world, NULL) != NULL ? SHOAL_OK : shoal_last_error(s->world).status;
}

static shoal_status call_record_spawn(void *scene_bytes) {
    scene *s = scene_bytes;
    const shoal_value values[] = {{SHOAL_ID(Owned), &s->own}, SHOAL_DEFAULT(Large), SHOAL_DEFAULT(Wide)};
    return made(s, shoal_commands_spawn(s->commands, values, 3));
}

static shoal_status call_record_add(void *scene_bytes) {
    scene *s = scene_bytes;
    Large *large = calloc(1, sizeof *large);
    shoal_status status = shoal_commands_add(s->commands, s->plain, SHOAL_ID(Large), large);
    free(large);
    return status;
}

static shoal_status call_record_set(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_commands_set(s->commands, s->many[3], SHOAL_ID(Owned), &s->own);
}

static shoal_status call_record_remove(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_commands_remove(s->commands, s->plain, SHOAL_ID(Position));
}

static shoal_status call_record_clear(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_commands_clear(s->commands, s->many[0]);
}

static shoal_status call_record_destroy(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_commands_destroy_entity(s->commands, s->many[5]);
}

static shoal_status call_apply(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_commands_apply(s->commands, NULL);
}

static shoal_status call_trim(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_world_trim(s->world, 0, NULL);
}

static shoal_status call_validate(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_world_validate(s->world);
}

static size_t take_text(void *user, const char *text, size_t size) {
    (void)user;
    (void)text;
    return size;
}

static shoal_status call_print_memory(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_print_memory(s->world, 0, take_text, NULL);
}

static shoal_status call_print_entity(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_print_entity(s->world, s->owner, take_text, NULL);
}

static shoal_status call_csv_query(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_csv_query(s->healthy, take_text, NULL);
}

static shoal_status call_csv_archetype(void *scene_bytes) {
    scene *s = scene_bytes;
    return shoal_csv_archetype(s->world, SHOAL_COMPONENTS(SHOAL_ID(Position), SHOAL_ID(Health)), take_text, NULL);
}

static const failing_call scene_calls[] = {
    {.name = "conf_G5_spawn", .run = call_spawn},
    {.name = "conf_G5_spawn_in_a_new_archetype", .run = call_spawn_new_archetype},
    {.name = "conf_G5_spawn_of_an_oversize_row", .run = call_spawn_large},
    {.name = "conf_G5_spawn_at_a_far_slot", .run = call_spawn_at_far},
    {.name = "conf_G5_reserve_range", .run = call_reserve},
    {.name = "conf_G5_spawn_many", .run = call_spawn_many},
    {.name = "conf_G5_spawn_many_slots", .run = call_spawn_many_slots},
    {.name = "conf_G5_spawn_many_from_columns", .run = call_spawn_many_columns},
    {.name = "conf_G5_clone", .run = call_clone},
    {.name = "conf_G5_destroy", .run = call_destroy},
    {.name = "conf_G5_destroy_many", .run = call_destroy_many},
    {.name = "conf_G5_add", .run = call_add},
    {.name = "conf_G5_add_default", .run = call_add_default},
    {.name = "conf_G5_add_again", .run = call_add_again},
    {.name = "conf_G5_remove", .run = call_remove},
    {.name = "conf_G5_set", .run = call_set},
    {.name = "conf_G5_clear", .run = call_clear},
    {.name = "conf_G5_change_entity", .run = call_change},
    {.name = "conf_G5_query_change_entities", .run = call_query_change},
    {.name = "conf_G5_query_destroy_entities", .run = call_query_destroy_entities},
    {.name = "conf_G5_query_create", .run = call_query_create},
    {.name = "conf_G5_commands_create", .run = call_commands_create},
    {.name = "conf_G5_commands_spawn", .run = call_record_spawn, .applied = true},
    {.name = "conf_G5_commands_add", .run = call_record_add, .applied = true},
    {.name = "conf_G5_commands_set", .run = call_record_set, .applied = true},
    {.name = "conf_G5_commands_remove", .run = call_record_remove, .applied = true},
    {.name = "conf_G5_commands_clear", .run = call_record_clear, .applied = true},
    {.name = "conf_G5_commands_destroy_entity", .run = call_record_destroy, .applied = true},
    {.name = "conf_G5_commands_apply", .run = call_apply, .no_hooks = true},
    {.name = "conf_G5_trim", .run = call_trim, .never_fails = true},
    {.name = "conf_G5_validate", .run = call_validate},
    {.name = "conf_G5_print_memory", .run = call_print_memory},
    {.name = "conf_G5_print_entity", .run = call_print_entity},
    {.name = "conf_G5_csv_query", .run = call_csv_query},
    {.name = "conf_G5_csv_archetype", .run = call_csv_archetype},
};
#define SCENE_CALL_COUNT (sizeof scene_calls / sizeof scene_calls[0])

static fixture *scene_fixture(void *scene_bytes) {
    return &((scene *)scene_bytes)->f;
}

static shoal_commands *scene_commands(void *scene_bytes) {
    return ((scene *)scene_bytes)->commands;
}

static const failing_scene table_scene = {.byte_size = sizeof(scene),
                                          .start = scene_start,
                                          .end = scene_end,
                                          .fixture_of = scene_fixture,
                                          .commands_of = scene_commands};

/* ---- calls that make and empty the world ---- */

static void conf_G5_world_create(void **state) {
    (void)state;
    fake_allocator fake = {0};
    for (int later = 0; later < 2; later++) {
        shoal_world *world = NULL;
        for (size_t n = 1; world == NULL; n++) {
            fake_allocator_arm(&fake, n, later != 0);
            world = shoal_world_create(&(shoal_world_def){.allocator = fake_allocator_table(&fake)});
            bool failed = fake_allocator_disarm(&fake);
            if (world == NULL) {
                assert_count(failed, true);
                assert_last_error(NULL, SHOAL_OUT_OF_MEMORY);
                assert_count(fake.live_count, 0);
            }
            assert_at_most(n, FAILING_MOST_POINTS);
        }
        assert_valid(world);
        assert_ok(shoal_world_destroy(world));
    }
    assert_nothing_leaked(&fake);
}

/* Destroying needs no memory that is not there: a full world can always be emptied. */
static void test_destroy_needs_no_memory(void **state) {
    (void)state;
    scene *s = calloc(1, sizeof *s);
    scene_start(s, NULL);
    failing_empty(&s->f, 0);
    scene_end(s);
    free(s);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest others[] = {
        cmocka_unit_test(conf_G5_world_create),
        cmocka_unit_test(test_destroy_needs_no_memory),
    };
    return failing_run_tests(&table_scene, scene_calls, SCENE_CALL_COUNT, others, 2);
}
