/*
 * What queries see and what they do not: prefabs and dying entities, gates of uniques, the sources of a target that go
 * and come, states and targets of what is looked for along a tree.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"

#include <string.h>

typedef struct Shield {
    uint32_t value;
} Shield;

typedef struct Mark {
    uint32_t value;
} Mark;

typedef struct Physics {
    int32_t gravity;
} Physics;

SHOAL_COMPONENT(Shield, .toggle = true)
SHOAL_COMPONENT(Mark, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT(Physics, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_TAG(Wreck, .cleanup = true)
SHOAL_RELATION(Owner, .exclusive = true)
SHOAL_RELATION(Likes)

static const shoal_value no_values[1];
static const shoal_entity nobody = {0};

/* ---- what stays unseen ---- */

typedef struct hidden_case {
    shoal_term terms[2];
    size_t count;
    const char *seen; /* of entities plain, prefab, dying, both: p f d b */
} hidden_case;

static void check_hidden(shoal_world *world, const hidden_case *item, const shoal_entity entities[4]) {
    shoal_query *query = make_query(world, item->terms, item->count);
    test_set_context("query \"%s\" over %s", shoal_query_name(query), item->seen);
    assert_count(shoal_query_count(query), strlen(item->seen));
    size_t rows = 0;
    for (size_t i = 0; i < 4; i++) {
        bool expected = strchr(item->seen, "pfdb"[i]) != NULL;
        assert_count(shoal_query_matches(query, entities[i]), expected);
    }
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++, rows++) {
            assert_true(shoal_query_matches(query, view.entities[i]));
        }
    }
    assert_count(rows, strlen(item->seen));
    assert_count(shoal_entity_is_null(shoal_query_first(query)), rows == 0);
    test_set_context("%s", "");
}

static void test_prefabs_and_dying_entities(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entities[4];
    for (size_t i = 0; i < 4; i++) {
        entities[i] =
            spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Wreck), SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Mark)));
    }
    assert_ok(shoal_make_prefab(f.world, entities[1]));
    assert_ok(shoal_make_prefab(f.world, entities[3]));
    assert_ok(shoal_destroy(f.world, entities[2]));
    assert_ok(shoal_destroy(f.world, entities[3]));
    assert_true(shoal_is_dying(f.world, entities[2]) && shoal_is_dying(f.world, entities[3]));
    assert_false(SHOAL_HAS(f.world, entities[3], Prefab));
    const hidden_case cases[] = {
        {{SHOAL_WITH(Wreck)}, 1, "p"},
        {{SHOAL_READ(Health)}, 1, "p"},
        {{SHOAL_READ(Mark)}, 1, "p"},
        {{SHOAL_READ(Mark), SHOAL_WITH(Prefab)}, 2, "f"},
        {{SHOAL_WITH(Wreck), SHOAL_WITH(Prefab)}, 2, "f"},
        {{SHOAL_WITH(Prefab)}, 1, "f"},
        {{SHOAL_WITHOUT(Prefab)}, 1, "p"},
        {{SHOAL_WITH(Dying)}, 1, "db"},
        {{SHOAL_WITH(Dying), SHOAL_WITH(Wreck)}, 2, "db"},
        {{SHOAL_WITHOUT(Dying), SHOAL_WITH(Wreck)}, 2, "p"},
        {{SHOAL_ANY(1, Dying), SHOAL_ANY(1, Wreck)}, 2, "pdb"},
        {{SHOAL_ANY(1, Prefab), SHOAL_ANY(1, Mark)}, 2, "pf"},
        {{SHOAL_WITHOUT(Health)}, 1, ""},
        {{SHOAL_WITHOUT(Wreck)}, 1, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_hidden(f.world, &cases[i], entities);
    }
    const hidden_case all = {{{.access = SHOAL_ACCESS_NONE}}, 0, "p"};
    check_hidden(f.world, &all, entities);
    assert_ok(shoal_query_destroy_entities(f.everything));
    assert_true(shoal_is_alive(f.world, entities[1]));
    assert_true(shoal_is_dying(f.world, entities[0]));
    assert_ok(shoal_remove(f.world, entities[2], SHOAL_ID(Wreck)));
    const hidden_case dying = {{SHOAL_WITH(Dying)}, 1, "pb"};
    check_hidden(f.world, &dying, entities);
    fixture_end(&f);
}

/* ---- uniques ---- */

typedef struct gate_case {
    shoal_term terms[3];
    size_t count;
    shoal_component order_by;
    size_t open_rows; /* while the unique is there */
    size_t shut_rows;
} gate_case;

static int compare_health(const void *a, const void *b, void *user) {
    (void)user;
    int32_t left = ((const Health *)a)->value;
    int32_t right = ((const Health *)b)->value;
    return (left > right) - (left < right);
}

static void check_gate(fixture *f, const gate_case *item, shoal_query *query, bool is_open) {
    size_t expected = is_open ? item->open_rows : item->shut_rows;
    size_t rows = 0;
    assert_count(shoal_query_count(query), expected);
    assert_count(shoal_entity_is_null(shoal_query_first(query)), expected == 0);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        rows += view.count;
        assert_true(shoal_query_matches(query, view.entities[0]));
        bool reads = item->terms[0].access != SHOAL_ACCESS_WITH && item->terms[0].access != SHOAL_ACCESS_WITHOUT;
        if (reads) {
            const Physics *physics = SHOAL_ONE(&view, Physics);
            assert_ptr_equal(physics, is_open ? SHOAL_UNIQUE(f->world, Physics) : NULL);
            assert_ptr_equal(SHOAL_AT(&view, Physics, view.count - 1), physics);
        }
        if (is_open) {
            assert_ok(SHOAL_UNIQUE_SET(f->world, Physics, 12));
            assert_status(shoal_unique_remove(f->world, SHOAL_ID(Physics)), SHOAL_WORLD_LOCKED);
        } else {
            assert_status(SHOAL_UNIQUE_SET(f->world, Physics, 12), SHOAL_WORLD_LOCKED);
        }
    }
    assert_count(rows, expected);
    size_t matching = 0;
    for (shoal_entity entity = nobody; shoal_next_entity(f->world, &entity);) {
        matching += shoal_query_matches(query, entity);
    }
    assert_count(matching, expected);
}

static void test_uniques_are_gates(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int32_t i = 0; i < 40; i++) {
        shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i % 7), SHOAL_DEFAULT(Shield)));
        turn(f.world, entity, SHOAL_ID(Shield), i % 4 == 0);
        assert_ok(i % 5 == 0 ? SHOAL_ADD(f.world, entity, Mark, 1) : SHOAL_OK);
    }
    const gate_case cases[] = {
        {{SHOAL_READ(Physics)}, 1, {0}, 40, 0},
        {{SHOAL_WRITE(Physics), SHOAL_READ(Health)}, 2, {0}, 40, 0},
        {{SHOAL_WITH(Physics), SHOAL_READ(Shield)}, 2, {0}, 10, 0},
        {{SHOAL_WITHOUT(Physics), SHOAL_READ(Shield)}, 2, {0}, 0, 10},
        {{SHOAL_OPTIONAL(Physics), SHOAL_READ(Shield)}, 2, {0}, 10, 10},
        {{SHOAL_OPTIONAL_WRITE(Physics)}, 1, {0}, 40, 40},
        {{SHOAL_ANY(1, Physics)}, 1, {0}, 40, 0},
        {{SHOAL_ANY(1, Physics), SHOAL_ANY(1, Mark)}, 2, {0}, 40, 8},
        {{SHOAL_READ(Physics), SHOAL_READ(Mark)}, 2, {0}, 8, 0},
        {{SHOAL_WITHOUT(Physics), SHOAL_READ(Mark)}, 2, {0}, 0, 8},
        {{SHOAL_READ(Physics), SHOAL_READ(Health)}, 2, SHOAL_ID(Health), 40, 0},
        {{SHOAL_WITHOUT(Physics), SHOAL_READ(Health), SHOAL_WITH(Mark)}, 3, SHOAL_ID(Health), 0, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_set_context("case %zu", i);
        shoal_query_def def = {.terms = cases[i].terms, .term_count = cases[i].count, .order_by = cases[i].order_by};
        def.compare = def.order_by.id != 0 ? compare_health : NULL;
        shoal_query *query = shoal_query_create(f.world, &def);
        assert_non_null(query);
        for (int round = 0; round < 2; round++) {
            check_gate(&f, &cases[i], query, false);
            assert_ok(SHOAL_UNIQUE_SET(f.world, Physics, 3));
            check_gate(&f, &cases[i], query, true);
            assert_ok(shoal_unique_remove(f.world, SHOAL_ID(Physics)));
        }
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* ---- by the sources of a target ---- */

static void check_sources_of(shoal_query *query, const shoal_world *world, shoal_component relation,
                             shoal_entity target, bool only_health) {
    size_t expected = 0;
    for (shoal_source_walk walk = shoal_sources(world, relation, target); shoal_sources_next(&walk);) {
        for (size_t i = 0; i < walk.count; i++) {
            bool fits = !only_health || SHOAL_HAS(world, walk.entities[i], Health);
            assert_count(shoal_query_matches(query, walk.entities[i]), fits);
            expected += fits;
        }
    }
    assert_count(shoal_query_count(query), expected);
    size_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++, rows++) {
            assert_true(shoal_is_related(world, view.entities[i], relation, target));
        }
    }
    assert_count(rows, expected);
}

static void test_query_by_the_sources_of_a_target(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity targets[2] = {spawn_one(f.world, no_values, 0), spawn_one(f.world, no_values, 0)};
    shoal_entity entities[400];
    rng random = {5};
    for (size_t i = 0; i < 400; i++) {
        entities[i] =
            i % 3 == 0 ? spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health))) : spawn_one(f.world, no_values, 0);
    }
    const shoal_component relations[2] = {SHOAL_ID(Owner), SHOAL_ID(Likes)};
    shoal_query *queries[8];
    for (size_t i = 0; i < 8; i++) {
        const shoal_term terms[] = {
            {.component = relations[i % 2], .access = SHOAL_ACCESS_WITH, .target = targets[i / 2 % 2]},
            SHOAL_READ(Health)};
        queries[i] = make_query(f.world, terms, 1 + i / 4);
    }
    for (int round = 0; round < 40; round++) {
        for (int k = 0; k < 60; k++) {
            shoal_entity source = entities[rng_below(&random, 400)];
            shoal_component relation = relations[rng_below(&random, 2)];
            shoal_entity target = targets[rng_below(&random, 2)];
            assert_ok(rng_chance(&random, 65) ? shoal_relate(f.world, source, relation, target, NULL)
                                              : shoal_unrelate(f.world, source, relation, target));
        }
        for (size_t i = 0; i < 8; i++) {
            test_set_context("round %d, query %zu", round, i);
            check_sources_of(queries[i], f.world, relations[i % 2], targets[i / 2 % 2], i >= 4);
        }
    }
    /* A target that goes takes the matches with it; who comes into its slot is somebody else. */
    assert_ok(shoal_destroy(f.world, targets[0]));
    shoal_entity stranger = spawn_one(f.world, no_values, 0);
    assert_count(shoal_entity_index(stranger), shoal_entity_index(targets[0]));
    assert_ok(shoal_relate(f.world, entities[5], SHOAL_ID(Owner), stranger, NULL));
    for (size_t i = 0; i < 8; i++) {
        test_set_context("after the target has gone, query %zu", i);
        assert_count(shoal_query_count(queries[i]) == 0, i / 2 % 2 == 0);
        check_sources_of(queries[i], f.world, relations[i % 2], targets[i / 2 % 2], i >= 4);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* Two targets of one relation, both required, or one without the other. */
static void test_two_targets_of_one_relation(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity targets[2] = {spawn_one(f.world, no_values, 0), spawn_one(f.world, no_values, 0)};
    for (uint32_t i = 0; i < 80; i++) {
        shoal_entity entity = spawn_one(f.world, no_values, 0);
        for (uint32_t k = 0; k < 2; k++) {
            if ((i >> k & 1) != 0) {
                assert_ok(shoal_relate(f.world, entity, SHOAL_ID(Likes), targets[k], NULL));
            }
        }
    }
    shoal_term terms[2] = {SHOAL_RELATED(Likes, targets[0]), SHOAL_RELATED(Likes, targets[1])};
    assert_count(shoal_query_count(make_query(f.world, terms, 2)), 20);
    terms[1].access = SHOAL_ACCESS_WITHOUT;
    shoal_query *first_only = make_query(f.world, terms, 2);
    assert_count(shoal_query_count(first_only), 20);
    shoal_view view;
    size_t rows = 0;
    assert_ok(shoal_view_begin(&view, first_only));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++, rows++) {
            assert_entity(shoal_target(f.world, view.entities[i], SHOAL_ID(Likes)), targets[0]);
        }
    }
    assert_count(rows, 20);
    fixture_end(&f);
}

/* ---- states and targets along a tree ---- */

static bool matches_term(shoal_world *world, shoal_term term, shoal_entity entity) {
    shoal_query *query = make_query(world, &term, 1);
    bool matches = shoal_query_matches(query, entity);
    uint64_t count = shoal_query_count(query);
    assert_true(count <= 3 && (!matches || count > 0));
    assert_ok(shoal_query_destroy(query));
    return matches;
}

/* The only ancestor, or descendant, that has a toggle has it in the state that the term names, or not. */
static void test_states_along_the_tree(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity parent = spawn_one(f.world, no_values, 0);
    shoal_entity middle = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, parent), SHOAL_DEFAULT(Shield)));
    shoal_entity child = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, middle)));
    for (int number = 0; number < 24; number++) {
        bool is_on = number % 2 == 0;
        bool is_up = number / 2 % 2 == 0;
        bool is_without = number / 4 % 2 == 0;
        shoal_state asked = (shoal_state)(number / 8);
        turn(f.world, middle, SHOAL_ID(Shield), is_on);
        test_set_context("on %d, up %d, without %d, state %d", is_on, is_up, is_without, (int)asked);
        shoal_term term = {.component = SHOAL_ID(Shield),
                           .access = is_without ? SHOAL_ACCESS_WITHOUT : SHOAL_ACCESS_WITH,
                           .state = asked,
                           .traverse = is_up ? SHOAL_TRAVERSE_UP : SHOAL_TRAVERSE_DOWN};
        bool is_there = asked == SHOAL_STATE_EITHER || is_on == (asked == SHOAL_STATE_ENABLED);
        assert_count(matches_term(f.world, term, is_up ? child : parent), is_there != is_without);
        assert_count(matches_term(f.world, term, is_up ? parent : child), is_without);
        assert_count(matches_term(f.world, term, middle), is_without);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

static void test_targets_along_the_tree(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity targets[2] = {spawn_one(f.world, no_values, 0), spawn_one(f.world, no_values, 0)};
    shoal_entity parent = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(Likes, targets[0])));
    shoal_entity child = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, parent), SHOAL_TO(Likes, targets[1])));
    shoal_term term = {.component = SHOAL_ID(Likes), .access = SHOAL_ACCESS_WITH, .traverse = SHOAL_TRAVERSE_UP};
    for (size_t i = 0; i < 2; i++) {
        test_set_context("target %zu", i);
        term.target = targets[i];
        term.traverse = SHOAL_TRAVERSE_UP;
        assert_count(matches_term(f.world, term, child), i == 0);
        term.traverse = SHOAL_TRAVERSE_DOWN;
        assert_count(matches_term(f.world, term, parent), i == 1);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefabs_and_dying_entities),
        cmocka_unit_test(test_uniques_are_gates),
        cmocka_unit_test(test_query_by_the_sources_of_a_target),
        cmocka_unit_test(test_two_targets_of_one_relation),
        cmocka_unit_test(test_states_along_the_tree),
        cmocka_unit_test(test_targets_along_the_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
