/*
 * Views follow what lies outside of the archetypes that their query matches: ancestors and descendants of any
 * archetype, uniques in a group of alternatives. After each change a view has the rows that count and matches speak of.
 * And no number that a caller makes up is taken for a component.
 */
#include "support/calls.h"
#include "support/fixture.h"
#include "support/test.h"

#include <stdint.h>

typedef struct Part {
    int32_t value;
} Part;

typedef Part Armour, Crate, Weather;

SHOAL_COMPONENT(Part, .fields = SHOAL_FIELDS(SHOAL_FIELD(Part, value)))
SHOAL_COMPONENT(Armour)
SHOAL_COMPONENT(Crate)
SHOAL_COMPONENT(Weather, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_TAG(Lit, .toggle = true)

#define QUERY_MOST 10

/* A ship has a part, which has a bolt: three archetypes, of which the queries match the part's only. */
typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_entity ship, part, bolt;
    shoal_query *queries[QUERY_MOST];
    size_t query_count;
} scene;

static void scene_start(scene *s, const char *const *texts, size_t count) {
    *s = (scene){.query_count = count};
    fixture_start(&s->f, NULL);
    s->world = s->f.world;
    shoal_component_of(&shoal_slot_Part);
    shoal_component_of(&shoal_slot_Armour);
    shoal_component_of(&shoal_slot_Weather);
    shoal_component_of(&shoal_slot_Lit);
    s->ship = shoal_spawn(s->world, SHOAL_VALUES(SHOAL_DEFAULT(Crate)));
    s->part = shoal_spawn(s->world, SHOAL_VALUES(SHOAL_DEFAULT(Part), SHOAL_TO(ChildOf, s->ship)));
    s->bolt = shoal_spawn(s->world, SHOAL_VALUES(SHOAL_TO(ChildOf, s->part)));
    for (size_t i = 0; i < count; i++) {
        s->queries[i] = make_query_of(s->world, &(shoal_query_def){.text = texts[i]});
    }
}

/* The part is what each query can give: `expected` has a bit for each that does. */
static void check_part(scene *s, unsigned expected) {
    for (size_t i = 0; i < s->query_count; i++) {
        bool gives = (expected >> i & 1) != 0;
        test_set_context("query %zu", i);
        assert_count(pass_over(s->queries[i]), gives);
        assert_count(shoal_query_count(s->queries[i]), gives);
        assert_count(shoal_query_matches(s->queries[i], s->part), gives);
    }
    test_set_context("%s", "");
}

static void conf_D2_views_follow_the_tree(void **state) {
    (void)state;
    static const char *const texts[] = {
        "read Part, read ChildOf(up) Armour",
        "read Part, with ChildOf(up) Armour",
        "read Part, without ChildOf(up) Armour",
        "read Part, with ChildOf(down) Armour",
        "read Part, without ChildOf(down) Armour",
        "read Part, read ChildOf(up) Armour group by ChildOf",
        "read Part, with ChildOf(down) Armour group by ChildOf",
        "read Part, with ChildOf(up) Lit group by ChildOf",
        "read Part, with ChildOf(up) Armour order by Part.value",
    };
    scene s;
    scene_start(&s, texts, sizeof texts / sizeof *texts);
    check_part(&s, 1 << 2 | 1 << 4);
    assert_ok(shoal_add(s.world, s.ship, SHOAL_ID(Armour), NULL));
    check_part(&s, 1 << 0 | 1 << 1 | 1 << 4 | 1 << 5 | 1 << 8);
    assert_ok(shoal_add(s.world, s.bolt, SHOAL_ID(Armour), NULL));
    check_part(&s, 1 << 0 | 1 << 1 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 8);
    assert_ok(shoal_add(s.world, s.ship, SHOAL_ID(Lit), NULL));
    check_part(&s, 1 << 0 | 1 << 1 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8);
    turn(s.world, s.ship, SHOAL_ID(Lit), false);
    assert_ok(shoal_remove(s.world, s.ship, SHOAL_ID(Armour)));
    check_part(&s, 1 << 2 | 1 << 3 | 1 << 6);
    assert_ok(shoal_destroy(s.world, s.bolt));
    check_part(&s, 1 << 2 | 1 << 4);
    assert_ok(shoal_set_parent(s.world, s.part, (shoal_entity){0}));
    check_part(&s, 1 << 2 | 1 << 4);
    fixture_end(&s.f);
}

static void conf_D2_views_follow_uniques(void **state) {
    (void)state;
    static const char *const texts[] = {
        "any(Weather), read Part",
        "any(Weather | Armour), read Part",
        "any(Weather), read Part, optional ChildOf(up) Armour",
        "any(Weather | Armour), read Part order by Part.value",
        "any(Weather), read Part group by ChildOf",
        "with Weather, read Part group by ChildOf",
        "without Weather, read Part group by ChildOf",
    };
    scene s;
    scene_start(&s, texts, sizeof texts / sizeof *texts);
    for (size_t round = 0; round < 3; round++) {
        check_part(&s, 1 << 6);
        assert_ok(SHOAL_UNIQUE_SET(s.world, Weather, 3));
        check_part(&s, 0x3F);
        assert_ok(SHOAL_UNIQUE_SET(s.world, Weather, 4));
        check_part(&s, 0x3F);
        assert_ok(shoal_unique_remove(s.world, SHOAL_ID(Weather)));
    }
    fixture_end(&s.f);
}

static void check_made_up(scene *s, shoal_entity entity, shoal_component made_up) {
    assert_status(shoal_enable(s->world, entity, made_up), SHOAL_COMPONENT_INVALID);
    assert_status(shoal_disable(s->world, entity, made_up), SHOAL_COMPONENT_INVALID);
    assert_false(shoal_is_enabled(s->world, entity, made_up));
    assert_false(shoal_has(s->world, entity, made_up));
    assert_null(shoal_get(s->world, entity, made_up));
    assert_status(shoal_add(s->world, entity, made_up, NULL), SHOAL_COMPONENT_INVALID);
    assert_status(shoal_set(s->world, entity, made_up, &(int32_t){1}), SHOAL_COMPONENT_INVALID);
    assert_status(shoal_remove(s->world, entity, made_up), SHOAL_COMPONENT_INVALID);
    assert_valid(s->world);
}

static void test_made_up_components(void **state) {
    (void)state;
    static const uint32_t ids[] = {0, 12345, UINT16_MAX, UINT16_MAX + 1, INT32_MAX, UINT32_MAX};
    static const char *const texts[] = {"read Part, with Lit"};
    scene s;
    scene_start(&s, texts, 1);
    assert_ok(shoal_add(s.world, s.part, SHOAL_ID(Lit), NULL));
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const shoal_component made_up = {ids[i]};
        test_set_context("id %u", (unsigned)ids[i]);
        check_made_up(&s, s.ship, made_up);
        check_made_up(&s, s.part, made_up);
        shoal_view view;
        assert_ok(shoal_view_begin(&view, s.queries[0]));
        assert_true(shoal_view_next(&view));
        assert_null(shoal_view_read(&view, made_up));
        assert_null(shoal_view_write(&view, made_up));
        assert_last_error(s.world, SHOAL_COMPONENT_INVALID);
        shoal_view_end(&view);
    }
    test_set_context("%s", "");
    fixture_end(&s.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_D2_views_follow_the_tree),
        cmocka_unit_test(conf_D2_views_follow_uniques),
        cmocka_unit_test(test_made_up_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
