/*
 * What the model test of all kinds has found once, as small scenes: each is a case that random scripts meet too rarely
 * to rely on. The types are those of support/full_types.h.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/full_types.h"
#include "support/test.h"

static shoal_value plain(full_type type) {
    return (shoal_value){.component = full_component(type)};
}

static shoal_status add_link(shoal_world *world, shoal_entity source, full_type relation, shoal_entity target) {
    return shoal_relate(world, source, full_component(relation), target, NULL);
}

/* The rows of its sources go to another archetype, where one of them was in front of it: the last row fills the hole.
 */
static void test_target_of_a_split_relation_becomes_dying(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_value remains = plain(FULL_REMAINS);
    shoal_entity flagship = spawn_one(f.world, &remains, 1);
    shoal_entity above = spawn_one(f.world, &remains, 1);
    shoal_entity source = spawn_one(f.world, &remains, 1);
    shoal_entity other = spawn_one(f.world, &remains, 1);
    assert_ok(add_link(f.world, source, FULL_FLAGSHIP, above));
    assert_ok(add_link(f.world, other, FULL_FLAGSHIP, flagship));
    assert_ok(add_link(f.world, above, FULL_FLAGSHIP, flagship));
    assert_ok(add_link(f.world, flagship, FULL_FLAGSHIP, flagship)); /* in the archetype of its own sources */
    assert_ok(shoal_destroy(f.world, flagship));
    assert_valid(f.world);
    assert_true(shoal_is_dying(f.world, flagship));
    assert_false(shoal_has(f.world, other, full_component(FULL_FLAGSHIP)));
    assert_entity(shoal_target(f.world, source, full_component(FULL_FLAGSHIP)), above);
    fixture_end(&f);
}

/* The library's own way to there must not be open to callers: the entity has nothing but cleanup components, so that
   nothing but the tag tells the two changes apart. */
static void test_dying_cannot_be_added_after_a_destroy(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_value remains = plain(FULL_REMAINS);
    shoal_entity ended = spawn_one(f.world, &remains, 1);
    shoal_entity kept = spawn_one(f.world, &remains, 1);
    assert_ok(shoal_destroy(f.world, ended));
    assert_status(shoal_add(f.world, kept, SHOAL_ID(Dying), NULL), SHOAL_COMPONENT_KIND);
    assert_ok(shoal_add(f.world, kept, SHOAL_ID(Hull), NULL));
    assert_ok(shoal_remove(f.world, kept, SHOAL_ID(Hull)));
    assert_status(shoal_add(f.world, kept, SHOAL_ID(Dying), NULL), SHOAL_COMPONENT_KIND);
    assert_false(shoal_is_dying(f.world, kept));
    fixture_end(&f);
}

/* ---- one change for all of a query ---- */

typedef struct query_scene {
    fixture f;
    shoal_query *hulls;
    shoal_entity first;
    shoal_entity second;
    shoal_entity third;
} query_scene;

static void query_scene_start(query_scene *s) {
    fixture_start(&s->f, NULL);
    const shoal_term hull = SHOAL_READ(Hull);
    s->hulls = shoal_query_create(s->f.world, &(shoal_query_def){.terms = &hull, .term_count = 1});
    assert_non_null(s->hulls);
    const shoal_value value = plain(FULL_HULL);
    s->first = spawn_one(s->f.world, &value, 1);
    s->second = spawn_one(s->f.world, &value, 1);
    s->third = spawn_one(s->f.world, &value, 1);
}

/* The change is refused as a whole: nobody has got the tag that comes with it. */
static void check_refused(query_scene *s, shoal_query *query, shoal_value value, shoal_status expected) {
    const shoal_value add[] = {plain(FULL_DOCKED), value};
    assert_status(shoal_query_change_entities(query, &(shoal_change){.add = add, .add_count = 2}), expected);
    assert_last_error(s->f.world, expected);
    shoal_entity entity = {0};
    while (shoal_next_entity(s->f.world, &entity)) {
        assert_false(shoal_has(s->f.world, entity, full_component(FULL_DOCKED)));
    }
    assert_valid(s->f.world);
}

static void test_query_change_leads_to_a_cycle(void **state) {
    (void)state;
    query_scene s;
    query_scene_start(&s);
    assert_ok(shoal_set_parent(s.f.world, s.third, s.second));
    check_refused(&s, s.hulls, (shoal_value)SHOAL_TO(ChildOf, s.third), SHOAL_RELATION_CYCLE);
    fixture_end(&s.f);
}

static void test_query_change_makes_names_meet(void **state) {
    (void)state;
    query_scene s;
    query_scene_start(&s);
    shoal_entity dock = spawn_one(s.f.world, NULL, 0);
    shoal_entity yard = spawn_one(s.f.world, NULL, 0);
    assert_ok(shoal_set_parent(s.f.world, s.second, yard));
    assert_ok(shoal_set_name(s.f.world, s.first, "gun"));
    assert_ok(shoal_set_name(s.f.world, s.second, "gun"));
    check_refused(&s, s.hulls, (shoal_value)SHOAL_TO(ChildOf, dock), SHOAL_NAME_TAKEN);
    const shoal_component child_of = SHOAL_ID(ChildOf);
    assert_status(shoal_query_change_entities(s.hulls, &(shoal_change){.remove = &child_of, .remove_count = 1}),
                  SHOAL_NAME_TAKEN);
    assert_entity(shoal_parent(s.f.world, s.second), yard);
    fixture_end(&s.f);
}

static void test_query_change_meets_a_dying_entity(void **state) {
    (void)state;
    query_scene s;
    query_scene_start(&s);
    const shoal_term terms[] = {{.component = full_component(FULL_REMAINS), .access = SHOAL_ACCESS_WITH},
                                {.component = SHOAL_ID(Dying), .access = SHOAL_ACCESS_ANY_READ},
                                {.component = SHOAL_ID(Hull), .access = SHOAL_ACCESS_ANY_READ}};
    shoal_query *query = shoal_query_create(s.f.world, &(shoal_query_def){.terms = terms, .term_count = 3});
    assert_non_null(query);
    assert_ok(shoal_add(s.f.world, s.first, full_component(FULL_REMAINS), NULL));
    assert_ok(shoal_add(s.f.world, s.second, full_component(FULL_REMAINS), NULL));
    assert_ok(shoal_destroy(s.f.world, s.second));
    assert_count(shoal_query_count(query), 2);
    check_refused(&s, query, plain(FULL_SCAN), SHOAL_ENTITY_DYING);
    fixture_end(&s.f);
}

/* As in shoal_change_entity(): what is removed is not required. */
static void test_query_change_removes_what_it_requires(void **state) {
    (void)state;
    query_scene s;
    query_scene_start(&s);
    const shoal_value turret = plain(FULL_TURRET);
    const shoal_component scan = SHOAL_ID(Scan);
    assert_ok(shoal_query_change_entities(
        s.hulls, &(shoal_change){.add = &turret, .add_count = 1, .remove = &scan, .remove_count = 1}));
    assert_true(shoal_has(s.f.world, s.first, full_component(FULL_SHIELD)));
    assert_false(shoal_has(s.f.world, s.first, scan));
    fixture_end(&s.f);
}

/* ---- what a query keeps ---- */

/* The value of the only child's parent, as the query gives it. */
static const void *value_above(shoal_query *query) {
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    assert_true(shoal_view_next(&view));
    const void *const *values = shoal_view_up(&view, SHOAL_ID(Scan));
    assert_non_null(values);
    const void *value = values[0];
    shoal_view_end(&view);
    return value;
}

#define SCAN_COUNT 2000

/* Neither a row nor a component has changed: the sparse values alone are somewhere else. */
static void test_sparse_values_of_ancestors_move(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_value scan = plain(FULL_SCAN);
    const shoal_value hull = plain(FULL_HULL);
    const shoal_term terms[] = {SHOAL_READ(Hull), SHOAL_UP(Scan)};
    shoal_query *query = shoal_query_create(f.world, &(shoal_query_def){.terms = terms, .term_count = 2});
    assert_non_null(query);
    shoal_entity parent = spawn_one(f.world, &scan, 1);
    shoal_entity child = spawn_one(f.world, &hull, 1);
    assert_ok(shoal_set_parent(f.world, child, parent));
    shoal_entity many[SCAN_COUNT];
    const shoal_spawn_many_def def = {.count = SCAN_COUNT, .values = &scan, .value_count = 1, .entities = many};
    assert_ptr_equal(value_above(query), shoal_get(f.world, parent, SHOAL_ID(Scan)));
    shoal_status status = SHOAL_OUT_OF_MEMORY;
    for (size_t n = 1; status == SHOAL_OUT_OF_MEMORY; n++) { /* the values have moved before some of these failures */
        fake_allocator_arm(&f.fake, n, true);
        status = shoal_spawn_many(f.world, &def);
        fake_allocator_disarm(&f.fake);
        assert_ptr_equal(value_above(query), shoal_get(f.world, parent, SHOAL_ID(Scan)));
    }
    assert_ok(status);
    for (size_t i = 0; i < SCAN_COUNT; i++) {
        assert_ok(shoal_remove(f.world, many[i], SHOAL_ID(Scan)));
    }
    assert_ptr_equal(value_above(query), shoal_get(f.world, parent, SHOAL_ID(Scan)));
    assert_ok(shoal_world_trim(f.world, 0, NULL));
    assert_ptr_equal(value_above(query), shoal_get(f.world, parent, SHOAL_ID(Scan)));
    fixture_end(&f);
}

/* ---- commands ---- */

/* The row stays where it is, so the buffer needs no memory that its plan has not asked for. */
static void test_commands_set_the_data_of_a_split_relation(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity flagship = spawn_one(f.world, NULL, 0);
    shoal_entity ship = spawn_one(f.world, NULL, 0);
    assert_ok(add_link(f.world, ship, FULL_FLAGSHIP, flagship));
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    assert_non_null(commands);
    const Handle data = {ship};
    const shoal_link link = {.target = flagship, .data = &data};
    assert_ok(shoal_world_trim(f.world, 0, NULL));
    assert_ok(shoal_commands_set(commands, ship, full_component(FULL_FLAGSHIP), &link));
    assert_ok(shoal_commands_apply(commands, NULL));
    const Handle *kept = shoal_relation_get(f.world, ship, full_component(FULL_FLAGSHIP), flagship);
    assert_non_null(kept);
    assert_entity(kept->at, ship);
    fixture_end(&f);
}

/* The edge that the rows of its sources take is there already, from a removal; the plan must find the same as the
 * commit. */
static void test_commands_end_the_target_of_a_split_relation(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_value remains = plain(FULL_REMAINS);
    shoal_entity flagship = spawn_one(f.world, NULL, 0);
    shoal_entity first = spawn_one(f.world, &remains, 1);
    shoal_entity second = spawn_one(f.world, &remains, 1);
    assert_ok(add_link(f.world, first, FULL_FLAGSHIP, flagship));
    assert_ok(add_link(f.world, second, FULL_FLAGSHIP, flagship));
    assert_ok(add_link(f.world, flagship, FULL_ESCORT, second)); /* so that something may end with another */
    assert_ok(shoal_remove(f.world, first, full_component(FULL_FLAGSHIP)));
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    assert_non_null(commands);
    assert_ok(shoal_commands_destroy_entity(commands, flagship));
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_false(shoal_has(f.world, second, full_component(FULL_FLAGSHIP)));
    assert_true(shoal_has(f.world, second, full_component(FULL_REMAINS)));
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    full_types_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_target_of_a_split_relation_becomes_dying),
        cmocka_unit_test(test_dying_cannot_be_added_after_a_destroy),
        cmocka_unit_test(test_query_change_leads_to_a_cycle),
        cmocka_unit_test(test_query_change_makes_names_meet),
        cmocka_unit_test(test_query_change_meets_a_dying_entity),
        cmocka_unit_test(test_query_change_removes_what_it_requires),
        cmocka_unit_test(test_sparse_values_of_ancestors_move),
        cmocka_unit_test(test_commands_set_the_data_of_a_split_relation),
        cmocka_unit_test(test_commands_end_the_target_of_a_split_relation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
