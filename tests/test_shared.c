/*
 * Shared components: entities with equal values share chunks, values are kept once and go with their last user, and
 * many distinct values stay cheap and are warned about. Conformance H2; A4 for relations.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

typedef struct Faction {
    int32_t id;
} Faction;

SHOAL_COMPONENT(Faction, .storage = SHOAL_STORAGE_SHARED, .fields = SHOAL_FIELDS(SHOAL_FIELD(Faction, id)))
SHOAL_RELATION(Follows)
SHOAL_RELATION(Serves, .exclusive = true)

/* A value that owns a number on the heap and is compared by it. */
typedef struct Banner {
    int *number;
} Banner;

static int banners_alive;

static bool banner_copy(void *values, const void *source, size_t count, void *user) {
    (void)user;
    for (size_t i = 0; i < count; i++) {
        int *number = malloc(sizeof *number);
        *number = ((const Banner *)source)[i].number != NULL ? *((const Banner *)source)[i].number : 0;
        ((Banner *)values)[i].number = number;
        banners_alive++;
    }
    return true;
}

static bool banner_ctor(void *values, size_t count, void *user) {
    Banner empty = {NULL};
    for (size_t i = 0; i < count; i++) {
        (void)banner_copy((Banner *)values + i, &empty, 1, user);
    }
    return true;
}

static void banner_dtor(void *values, size_t count, void *user) {
    (void)user;
    for (size_t i = 0; i < count; i++) {
        free(((Banner *)values)[i].number);
        banners_alive--;
    }
}

static bool banner_equal(const void *a, const void *b, void *user) {
    (void)user;
    return *((const Banner *)a)->number == *((const Banner *)b)->number;
}

static uint64_t banner_hash(const void *value, void *user) {
    (void)user;
    return (uint64_t) * ((const Banner *)value)->number;
}

SHOAL_COMPONENT(Banner, .storage = SHOAL_STORAGE_SHARED, .ctor = banner_ctor, .copy = banner_copy, .dtor = banner_dtor,
                .equal = banner_equal, .hash = banner_hash)

static shoal_entity spawn_of(shoal_world *world, int32_t faction) {
    shoal_entity entity =
        shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Faction, faction), SHOAL_VALUE(Position, 1, 2, 3)));
    assert_false(shoal_entity_is_null(entity));
    return entity;
}

static int32_t faction_of(const shoal_world *world, shoal_entity entity) {
    const Faction *faction = SHOAL_GET(world, entity, Faction);
    assert_non_null(faction);
    return faction->id;
}

/* Every chunk has entities of one value only, and equal values are one. */
static void test_equal_values_share_chunks(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity first[3];
    for (int i = 0; i < 3000; i++) {
        shoal_entity entity = spawn_of(f.world, i % 3);
        first[i % 3] = i < 3 ? entity : first[i % 3];
        assert_ptr_equal(SHOAL_GET(f.world, entity, Faction), SHOAL_GET(f.world, first[i % 3], Faction));
    }
    assert_count(report_of(f.world).shared_value_count, 3);
    shoal_query *query = shoal_query_create(f.world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Faction))});
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        const Faction *faction = SHOAL_ONE(&view, Faction);
        for (size_t i = 0; i < view.count; i++) {
            assert_int_equal(faction_of(f.world, view.entities[i]), faction->id);
        }
    }
    shoal_query *two = shoal_query_create(f.world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_EQUALS(Faction, 2))});
    assert_count(shoal_query_count(two), 1000);
    assert_count(shoal_query_archetype_count(two), 1);
    fixture_end(&f);
}

/* Setting moves the entity alone; everything else of it stays. */
static void test_setting_is_structural(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity a = spawn_of(f.world, 1);
    shoal_entity b = spawn_of(f.world, 1);
    assert_ok(SHOAL_SET(f.world, a, Faction, 7));
    assert_int_equal(faction_of(f.world, a), 7);
    assert_int_equal(faction_of(f.world, b), 1);
    assert_true(SHOAL_GET(f.world, a, Position)->z == 3);
    assert_ok(SHOAL_ADD(f.world, b, Faction, 7));
    assert_ptr_equal(SHOAL_GET(f.world, a, Faction), SHOAL_GET(f.world, b, Faction));
    assert_null(shoal_get_mut(f.world, a, SHOAL_ID(Faction)));
    assert_last_error(f.world, SHOAL_COMPONENT_KIND);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    assert_status(SHOAL_SET(f.world, a, Faction, 8), SHOAL_WORLD_LOCKED);
    shoal_view_end(&view);
    assert_ok(shoal_remove(f.world, a, SHOAL_ID(Faction)));
    assert_status(SHOAL_SET(f.world, a, Faction, 8), SHOAL_COMPONENT_MISSING);
    assert_valid(f.world);
    fixture_end(&f);
}

/* A value is gone with its last user, in whatever way that goes. */
static void test_values_go_with_their_last_user(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_component banner = SHOAL_ID(Banner);
    int numbers[2] = {3, 4};
    const Banner values[2] = {{&numbers[0]}, {&numbers[1]}};
    shoal_entity entities[6];
    for (int i = 0; i < 6; i++) {
        entities[i] = shoal_spawn(f.world, &(shoal_value){banner, &values[i % 2]}, 1);
    }
    assert_int_equal(banners_alive, 2);
    assert_ok(shoal_set(f.world, entities[1], banner, &values[0]));
    assert_ok(shoal_destroy(f.world, entities[3]));
    assert_int_equal(banners_alive, 2);
    assert_ok(shoal_remove(f.world, entities[5], banner));
    assert_int_equal(banners_alive, 1);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    assert_ok(shoal_commands_set(commands, entities[0], banner, &values[1]));
    assert_ok(shoal_commands_destroy_entity(commands, entities[1]));
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_int_equal(banners_alive, 2);
    assert_int_equal(*((const Banner *)shoal_get(f.world, entities[0], banner))->number, 4);
    shoal_query *all = shoal_query_create(f.world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WITH(Banner))});
    assert_ok(shoal_query_destroy_entities(all));
    assert_int_equal(banners_alive, 0);
    assert_count(report_of(f.world).shared_value_count, 0);
    /* A value that a query asks for is kept as long as the query. */
    shoal_term term = {.component = banner, .access = SHOAL_ACCESS_WITH, .value = &values[0]};
    shoal_query *asks = shoal_query_create(f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
    assert_int_equal(banners_alive, 1);
    shoal_entity again = shoal_spawn(f.world, &(shoal_value){banner, &values[0]}, 1);
    assert_true(shoal_query_matches(asks, again));
    assert_ok(shoal_destroy(f.world, again));
    assert_ok(shoal_query_destroy(asks));
    assert_int_equal(banners_alive, 0);
    fixture_end(&f);
}

/* ---- H2 ---- */

static void conf_H2_many_shared_values_are_small(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int32_t i = 0; i < 10000; i++) {
        spawn_of(f.world, i);
    }
    assert_count(report_of(f.world).shared_value_count, 10000);
    assert_at_most(report_of(f.world).total_bytes, 17500000); /* as 10,000 other archetypes, and the values */
    assert_valid(f.world);
    assert_ok(shoal_query_destroy_entities(f.everything));
    assert_count(report_of(f.world).shared_value_count, 0);
    assert_ok(shoal_world_trim(f.world, 0, NULL));
    assert_at_most(report_of(f.world).total_bytes, 700000);
    fixture_end(&f);
}

static void conf_H2_many_targets_are_small(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int i = 0; i < 10000; i++) {
        shoal_entity target = shoal_spawn(f.world, NULL, 0);
        assert_false(shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_TO(Follows, target)))));
    }
    assert_count(report_of(f.world).archetype_count, 1); /* relations make none */
    assert_at_most(report_of(f.world).total_bytes / 20000, 200);
    fixture_end(&f);
}

static void conf_H2_a_warning_names_the_component(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.shared_value_warning = 20});
    for (int32_t i = 0; i < 19; i++) {
        spawn_of(f.world, i);
    }
    assert_count(f.log_count[SHOAL_LOG_WARNING], 0);
    for (int32_t i = 19; i < 60; i++) {
        spawn_of(f.world, i);
    }
    assert_count(f.log_count[SHOAL_LOG_WARNING], 1);
    assert_non_null(strstr(f.last_log, "Faction"));
    fixture_end(&f);
}

/* ---- A4 ---- */

/* A link to a target with a generation above 0 leads to exactly that target. */
static void conf_A4_links_keep_the_whole_handle(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity old = shoal_spawn(f.world, NULL, 0);
    assert_ok(shoal_destroy(f.world, old));
    shoal_entity target = shoal_spawn(f.world, NULL, 0);
    assert_count(shoal_entity_index(target), shoal_entity_index(old));
    assert_count(shoal_entity_generation(target), 1);
    shoal_entity source = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_TO(Follows, target), SHOAL_TO(Serves, target)));
    assert_entity(shoal_target(f.world, source, SHOAL_ID(Follows)), target);
    assert_entity(shoal_target(f.world, source, SHOAL_ID(Serves)), target);
    assert_true(shoal_is_related(f.world, source, SHOAL_ID(Serves), target));
    assert_false(shoal_is_related(f.world, source, SHOAL_ID(Serves), old));
    assert_count(shoal_source_count(f.world, SHOAL_ID(Serves), target), 1);
    assert_count(shoal_source_count(f.world, SHOAL_ID(Serves), old), 0);
    fixture_end(&f);
}

/* Also when there is no row to give a value to. */
static void test_columns_of_shared_values_are_refused(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_value column = {SHOAL_ID(Faction), NULL};
    for (size_t count = 0; count < 3; count++) {
        int32_t *none = malloc(1); /* nothing may be read of it */
        shoal_spawn_many_def def = {
            .count = count, .columns = &(shoal_value){column.component, none}, .column_count = 1};
        assert_status(shoal_spawn_many(f.world, &def), SHOAL_COMPONENT_KIND);
        assert_count(shoal_world_entity_count(f.world), 0);
        free(none);
    }
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_of_shared_values_are_refused),
        cmocka_unit_test(test_equal_values_share_chunks),
        cmocka_unit_test(test_setting_is_structural),
        cmocka_unit_test(test_values_go_with_their_last_user),
        cmocka_unit_test(conf_H2_many_shared_values_are_small),
        cmocka_unit_test(conf_H2_many_targets_are_small),
        cmocka_unit_test(conf_H2_a_warning_names_the_component),
        cmocka_unit_test(conf_A4_links_keep_the_whole_handle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
