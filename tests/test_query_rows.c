/*
 * Queries that look at single rows: enable bits and sparse sets that change between and under views, bits that travel
 * with rows, views in views and views that end early, calls on all rows of a query, its first and its only one. What
 * must match is asked of each entity. Conformance D8.
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

/* Owns something, and is sparse. */
typedef Owned Badge;

static tracker badge_tracker = {.name = "Badge", .has_ctor = true, .follows = true};

SHOAL_COMPONENT(Shield, .toggle = true)
SHOAL_TAG(Asleep, .toggle = true)
SHOAL_COMPONENT(Mark, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_TAG(Hot, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_RELATION(Owner, .exclusive = true)
SHOAL_RELATION(Holds, .on_target_destroyed = SHOAL_TARGET_REFUSE)
SHOAL_COMPONENT(Badge, .storage = SHOAL_STORAGE_SPARSE, .ctor = owned_ctor, .copy = owned_copy, .move = owned_move,
                .dtor = owned_dtor, .user = &badge_tracker)

enum { MOST = 4096 };

static const shoal_value no_values[1];
static const shoal_entity nobody = {0};

typedef bool (*fits_fn)(const shoal_world *world, shoal_entity entity);

/* The query gives exactly the entities that fit, each once, in every way. */
static void check_rows(shoal_world *world, shoal_query *query, fits_fn fits) {
    static bool seen[MOST];
    size_t expected = 0;
    memset(seen, 0, sizeof seen);
    for (shoal_entity entity = nobody; shoal_next_entity(world, &entity);) {
        expected += fits(world, entity);
        assert_count(shoal_query_matches(query, entity), fits(world, entity));
    }
    assert_count(shoal_query_count(query), expected);
    size_t count = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++, count++) {
            uint32_t index = shoal_entity_index(view.entities[i]);
            assert_true(index < MOST && !seen[index]);
            assert_true(fits(world, view.entities[i]));
            seen[index] = true;
        }
    }
    assert_count(count, expected);
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next_chunk(&view)) {
        SHOAL_ROWS(&view, row) {
            assert_true(seen[shoal_entity_index(view.entities[row])]);
            seen[shoal_entity_index(view.entities[row])] = false;
            count--;
        }
    }
    assert_count(count, 0);
    assert_null(shoal_world_lock_holder(world));
}

/* ---- under an open view ---- */

/* What a view over 300 rows of one query gives when bits change after its first run, which ends at row 100 or at the
   end of a chunk: those of the next 64 rows and later ones are seen. */
static void check_turned_under_view(fixture *f, const shoal_entity *entities, shoal_query *query, bool state) {
    static bool seen[MOST];
    memset(seen, 0, sizeof seen);
    turn(f->world, entities[100], SHOAL_ID(Shield), !state);
    turn(f->world, entities[230], SHOAL_ID(Shield), !state);
    bool is_first = true;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++) {
            seen[shoal_entity_index(view.entities[i])] = true;
        }
        if (is_first) {
            turn(f->world, entities[230], SHOAL_ID(Shield), state);
            turn(f->world, entities[0], SHOAL_ID(Shield), !state);
            for (size_t i = 200; i < 210; i++) {
                turn(f->world, entities[i], SHOAL_ID(Shield), !state);
            }
        }
        is_first = false;
    }
    for (size_t i = 0; i < 300; i++) {
        assert_count(seen[shoal_entity_index(entities[i])], i != 100 && (i < 200 || i >= 210));
        turn(f->world, entities[i], SHOAL_ID(Shield), state);
    }
}

static void test_rows_that_a_view_has_not_come_to(void **state) {
    (void)state;
    static const size_t chunk_sizes[] = {1024, 4096, 65536};
    for (size_t i = 0; i < 3; i++) {
        test_set_context("chunks of %zu", chunk_sizes[i]);
        fixture f;
        fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = chunk_sizes[i]});
        shoal_entity entities[300];
        for (size_t k = 0; k < 300; k++) {
            entities[k] = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Shield), SHOAL_DEFAULT(Asleep)));
        }
        const shoal_term enabled[] = {SHOAL_WRITE(Shield), SHOAL_WITH(Asleep)};
        const shoal_term disabled[] = {SHOAL_DISABLED(Shield)};
        check_turned_under_view(&f, entities, make_query(f.world, enabled, 1), true);
        check_turned_under_view(&f, entities, make_query(f.world, enabled, 2), true);
        for (size_t k = 0; k < 300; k++) {
            turn(f.world, entities[k], SHOAL_ID(Shield), false);
        }
        check_turned_under_view(&f, entities, make_query(f.world, disabled, 1), false);
        test_set_context("%s", "");
        fixture_end(&f);
    }
}

/* By chunks, rows of later chunks are seen as they are when the view comes to them. */
static void test_chunks_that_a_view_has_not_come_to(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    shoal_entity entities[300];
    for (size_t k = 0; k < 300; k++) {
        entities[k] = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Shield)));
    }
    const shoal_term term = SHOAL_WRITE(Shield);
    shoal_query *query = make_query(f.world, &term, 1);
    size_t seen = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next_chunk(&view)) {
        if (seen == 0) {
            assert_true(view.count < 250);
            turn(f.world, entities[0], SHOAL_ID(Shield), false);
            turn(f.world, entities[299], SHOAL_ID(Shield), false);
            turn(f.world, entities[251], SHOAL_ID(Shield), false);
        }
        SHOAL_ROWS(&view, row) {
            assert_false(shoal_entity_equal(view.entities[row], entities[299]));
            assert_false(shoal_entity_equal(view.entities[row], entities[0]));
            seen++;
        }
    }
    assert_count(seen, 297);
    fixture_end(&f);
}

/* ---- between views ---- */

static bool has_shield(const shoal_world *world, shoal_entity entity) {
    return shoal_is_enabled(world, entity, SHOAL_ID(Shield));
}

static bool has_no_shield(const shoal_world *world, shoal_entity entity) {
    return !has_shield(world, entity);
}

static bool has_shield_off(const shoal_world *world, shoal_entity entity) {
    return SHOAL_HAS(world, entity, Shield) && !has_shield(world, entity);
}

static bool is_asleep_without_shield(const shoal_world *world, shoal_entity entity) {
    return shoal_is_enabled(world, entity, SHOAL_ID(Asleep)) && !has_shield(world, entity);
}

static bool is_asleep_or_shielded(const shoal_world *world, shoal_entity entity) {
    return shoal_is_enabled(world, entity, SHOAL_ID(Asleep)) || has_shield(world, entity);
}

static bool is_marked(const shoal_world *world, shoal_entity entity) {
    return SHOAL_HAS(world, entity, Mark);
}

static bool is_hot_and_marked(const shoal_world *world, shoal_entity entity) {
    return SHOAL_HAS(world, entity, Mark) && SHOAL_HAS(world, entity, Hot);
}

static bool is_marked_and_cold(const shoal_world *world, shoal_entity entity) {
    return SHOAL_HAS(world, entity, Mark) && !SHOAL_HAS(world, entity, Hot);
}

static bool is_hot_health(const shoal_world *world, shoal_entity entity) {
    return SHOAL_HAS(world, entity, Health) && SHOAL_HAS(world, entity, Hot);
}

static bool is_cold_health(const shoal_world *world, shoal_entity entity) {
    return SHOAL_HAS(world, entity, Health) && !SHOAL_HAS(world, entity, Hot);
}

static bool is_hot_or_shielded(const shoal_world *world, shoal_entity entity) {
    return SHOAL_HAS(world, entity, Hot) || has_shield(world, entity);
}

static bool is_hot_and_shielded(const shoal_world *world, shoal_entity entity) {
    return SHOAL_HAS(world, entity, Hot) && has_shield(world, entity);
}

typedef struct row_case {
    shoal_term terms[2];
    size_t count;
    fits_fn fits;
    shoal_query *query;
} row_case;

enum { ROW_CASES = 12 };

static void row_cases_make(shoal_world *world, row_case *cases) {
    const row_case all[ROW_CASES] = {
        {{SHOAL_READ(Shield)}, 1, has_shield, NULL},
        {{SHOAL_WITHOUT(Shield)}, 1, has_no_shield, NULL},
        {{SHOAL_DISABLED(Shield)}, 1, has_shield_off, NULL},
        {{SHOAL_WITHOUT(Shield), SHOAL_WITH(Asleep)}, 2, is_asleep_without_shield, NULL},
        {{SHOAL_ANY(1, Shield), SHOAL_ANY(1, Asleep)}, 2, is_asleep_or_shielded, NULL},
        {{SHOAL_READ(Mark)}, 1, is_marked, NULL},
        {{SHOAL_READ(Mark), SHOAL_WITH(Hot)}, 2, is_hot_and_marked, NULL},
        {{SHOAL_READ(Mark), SHOAL_WITHOUT(Hot)}, 2, is_marked_and_cold, NULL},
        {{SHOAL_READ(Health), SHOAL_WITH(Hot)}, 2, is_hot_health, NULL},
        {{SHOAL_READ(Health), SHOAL_WITHOUT(Hot)}, 2, is_cold_health, NULL},
        {{SHOAL_ANY(1, Shield), SHOAL_ANY(1, Hot)}, 2, is_hot_or_shielded, NULL},
        {{SHOAL_WITH(Shield), SHOAL_WITH(Hot)}, 2, is_hot_and_shielded, NULL},
    };
    for (size_t i = 0; i < ROW_CASES; i++) {
        cases[i] = all[i];
        cases[i].query = make_query(world, cases[i].terms, cases[i].count);
    }
}

/* One change of the rows of an entity, drawn at random. */
static void change_one(shoal_world *world, shoal_entity *entity, rng *random) {
    static shoal_component_slot *const slots[] = {&shoal_slot_Shield, &shoal_slot_Asleep, &shoal_slot_Mark,
                                                  &shoal_slot_Hot,    &shoal_slot_Health, &shoal_slot_Frozen};
    shoal_component component = shoal_component_of(slots[rng_below(random, 6)]);
    uint32_t what = rng_below(random, 10);
    bool can_turn = shoal_component_info(component)->toggle && shoal_has(world, *entity, component);
    if (what == 0) {
        assert_ok(shoal_destroy(world, *entity));
        *entity = spawn_one(world, no_values, 0);
    } else if (what < 4 && can_turn) {
        turn(world, *entity, component, rng_chance(random, 50));
    } else {
        assert_ok(what < 7 ? shoal_add(world, *entity, component, NULL) : shoal_remove(world, *entity, component));
    }
}

static void test_rows_that_change_between_views(void **state) {
    (void)state;
    static const shoal_world_def defs[] = {{.name = "grows"}, {.pinned_chunk_bytes = 1024}, {.move_rows = true}};
    for (size_t d = 0; d < 3; d++) {
        fixture f;
        fixture_start(&f, &defs[d]);
        row_case cases[ROW_CASES];
        row_cases_make(f.world, cases);
        shoal_entity entities[300];
        rng random = {d};
        for (size_t i = 0; i < 300; i++) {
            entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
        }
        for (int round = 0; round < 60; round++) {
            for (int i = 0; i < 50; i++) {
                change_one(f.world, &entities[rng_below(&random, 300)], &random);
            }
            for (size_t i = 0; i < ROW_CASES; i++) {
                test_set_context("world %zu, round %d, case %zu", d, round, i);
                check_rows(f.world, cases[i].query, cases[i].fits);
            }
            assert_valid(f.world);
        }
        test_set_context("%s", "");
        fixture_end(&f);
    }
}

/* Filtered rows come in the order in which all rows do. */
static void test_filtered_rows_keep_the_order(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    rng random = {8};
    for (size_t i = 0; i < 500; i++) {
        shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Shield), SHOAL_DEFAULT(Health)));
        turn(f.world, entity, SHOAL_ID(Shield), rng_chance(&random, 60));
        assert_ok(rng_chance(&random, 60) ? shoal_add(f.world, entity, SHOAL_ID(Hot), NULL) : SHOAL_OK);
        assert_ok(rng_chance(&random, 30) ? shoal_add(f.world, entity, SHOAL_ID(Frozen), NULL) : SHOAL_OK);
    }
    const shoal_term terms[] = {SHOAL_READ(Health), SHOAL_WITH(Hot), SHOAL_WITH(Shield)};
    shoal_query *query = make_query(f.world, terms, 3);
    shoal_view all;
    shoal_view some;
    size_t at = 0;
    assert_ok(shoal_view_begin(&some, query));
    assert_ok(shoal_view_begin(&all, f.everything));
    while (shoal_view_next(&all)) {
        for (size_t i = 0; i < all.count; i++) {
            if (!is_hot_and_shielded(f.world, all.entities[i])) {
                continue;
            }
            if (at == some.count) {
                assert_true(shoal_view_next(&some));
                at = 0;
            }
            assert_entity(some.entities[at++], all.entities[i]);
        }
    }
    assert_count(at, some.count);
    assert_false(shoal_view_next(&some));
    fixture_end(&f);
}

/* ---- bits travel with rows ---- */

typedef struct bit_model {
    shoal_entity entity;
    bool has[2];
    bool is_on[2];
} bit_model;

static shoal_component toggle_of(size_t i) {
    return i == 0 ? SHOAL_ID(Shield) : SHOAL_ID(Asleep);
}

static void bit_step(shoal_world *world, bit_model *models, size_t number, rng *random) {
    bit_model *model = &models[number];
    size_t i = rng_below(random, 2);
    switch (rng_below(random, 7)) {
    case 0: /* a component that is added is enabled; one that is there already stays as it is */
        assert_ok(shoal_add(world, model->entity, toggle_of(i), NULL));
        model->is_on[i] = model->has[i] ? model->is_on[i] : true;
        model->has[i] = true;
        break;
    case 1:
        assert_ok(shoal_remove(world, model->entity, toggle_of(i)));
        model->has[i] = false;
        break;
    case 2:
        assert_ok(shoal_add(world, model->entity, SHOAL_ID(Frozen), NULL));
        break;
    case 3:
        assert_ok(shoal_remove(world, model->entity, SHOAL_ID(Frozen)));
        break;
    case 4: /* its row is filled by another one */
        assert_ok(shoal_destroy(world, model->entity));
        *model = (bit_model){.entity = spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Shield))), .has = {true, false}};
        model->is_on[0] = true;
        break;
    case 5:
        if (model->has[i]) {
            model->is_on[i] = rng_chance(random, 50);
            turn(world, model->entity, toggle_of(i), model->is_on[i]);
        }
        break;
    default: { /* a clone takes the place of another entity */
        bit_model *other = &models[rng_below(random, 200)];
        shoal_entity clone = shoal_clone(world, model->entity);
        assert_ok(shoal_destroy(world, other->entity));
        bool is_self = other == model;
        *other = is_self ? *other : *model;
        other->entity = clone;
    }
    }
}

static void bits_check(const shoal_world *world, const bit_model *models, shoal_query *const queries[2]) {
    size_t counts[2] = {0};
    for (size_t k = 0; k < 200; k++) {
        for (size_t i = 0; i < 2; i++) {
            bool expected = models[k].has[i] && models[k].is_on[i];
            assert_count(shoal_has(world, models[k].entity, toggle_of(i)), models[k].has[i]);
            assert_count(shoal_is_enabled(world, models[k].entity, toggle_of(i)), expected);
            assert_count(shoal_query_matches(queries[i], models[k].entity), expected);
            counts[i] += expected;
        }
    }
    assert_count(shoal_query_count(queries[0]), counts[0]);
    assert_count(shoal_query_count(queries[1]), counts[1]);
}

static void test_bits_travel_with_rows(void **state) {
    (void)state;
    static const shoal_world_def defs[] = {{.name = "grows"}, {.pinned_chunk_bytes = 1024}, {.move_rows = true}};
    for (size_t d = 0; d < 3; d++) {
        fixture f;
        fixture_start(&f, &defs[d]);
        const shoal_term terms[2] = {SHOAL_WITH(Shield), SHOAL_WITH(Asleep)};
        shoal_query *const queries[2] = {make_query(f.world, &terms[0], 1), make_query(f.world, &terms[1], 1)};
        bit_model models[200];
        rng random = {d + 70};
        for (size_t k = 0; k < 200; k++) {
            models[k] = (bit_model){.entity = spawn_one(f.world, no_values, 0)};
        }
        for (int step = 0; step < 3000; step++) {
            test_set_context("world %zu, step %d", d, step);
            bit_step(f.world, models, rng_below(&random, 200), &random);
            if (step % 100 == 99) {
                bits_check(f.world, models, queries);
                assert_valid(f.world);
            }
        }
        test_set_context("%s", "");
        fixture_end(&f);
    }
}

/* ---- views in views, views that end early ---- */

enum { HALF_QUERIES = 6 };

/* Some entities with everything that the queries of this part ask for: half of them match. */
typedef struct half_scene {
    fixture f;
    shoal_world *world;
    shoal_entity target; /* older than those that match */
    size_t count;        /* that match */
    shoal_query *queries[HALF_QUERIES];
} half_scene;

static void half_spawn(half_scene *s) {
    for (uint32_t i = 0; i < 150; i++) {
        shoal_entity entity = spawn_one(s->world, SHOAL_VALUES(SHOAL_VALUE(Shield, i), SHOAL_DEFAULT(Health)));
        if (i % 2 == 0) {
            assert_ok(SHOAL_ADD(s->world, entity, Mark, i));
            assert_ok(shoal_relate(s->world, entity, SHOAL_ID(Owner), s->target, NULL));
            s->count++;
        } else {
            turn(s->world, entity, SHOAL_ID(Shield), false);
        }
    }
}

static void half_queries(half_scene *s) {
    const shoal_term terms[] = {SHOAL_WRITE(Shield), SHOAL_READ(Mark), SHOAL_RELATED(Owner, s->target),
                                SHOAL_READ(Health)};
    const shoal_term any[] = {SHOAL_ANY(2, Shield), SHOAL_ANY(2, Mark), SHOAL_READ(Health)};
    s->queries[0] = make_query(s->world, &terms[0], 1);
    s->queries[1] = make_query(s->world, &terms[1], 1);
    s->queries[2] = make_query(s->world, &terms[2], 1);
    s->queries[3] = make_query(s->world, &terms[2], 2);
    s->queries[4] = make_query(s->world, any, 3);
    s->queries[5] = make_query(s->world, terms, 4);
}

static void half_start(half_scene *s) {
    fixture_start(&s->f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    s->world = s->f.world;
    s->target = spawn_one(s->world, no_values, 0);
    s->count = 0;
    half_spawn(s);
    half_queries(s);
}

/* Row by row. */
static size_t count_rows(shoal_query *query) {
    size_t count = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next_chunk(&view)) {
        SHOAL_ROWS(&view, row) {
            count++;
        }
    }
    return count;
}

static void test_views_of_filtered_queries_nest(void **state) {
    (void)state;
    half_scene s;
    half_start(&s);
    for (size_t number = 0; number < (size_t)HALF_QUERIES * HALF_QUERIES; number++) {
        test_set_context("query %zu in query %zu", number / HALF_QUERIES, number % HALF_QUERIES);
        size_t pairs = 0;
        shoal_view outer;
        assert_ok(shoal_view_begin(&outer, s.queries[number % HALF_QUERIES]));
        while (shoal_view_next(&outer)) {
            pairs += outer.count * count_rows(s.queries[number / HALF_QUERIES]);
            assert_status(shoal_destroy(s.world, outer.entities[0]), SHOAL_WORLD_LOCKED);
            assert_count(shoal_query_count(s.queries[number / HALF_QUERIES]), s.count);
        }
        assert_count(pairs, s.count * s.count);
        assert_null(shoal_world_lock_holder(s.world));
    }
    test_set_context("%s", "");
    fixture_end(&s.f);
}

static void test_views_end_in_the_middle(void **state) {
    (void)state;
    half_scene s;
    half_start(&s);
    for (size_t number = 0; number < HALF_QUERIES; number++) {
        test_set_context("query %zu", number);
        for (int by_chunk = 0; by_chunk < 2; by_chunk++) {
            shoal_view view;
            assert_ok(shoal_view_begin(&view, s.queries[number]));
            assert_true(by_chunk ? shoal_view_next_chunk(&view) : shoal_view_next(&view));
            assert_non_null(shoal_world_lock_holder(s.world));
            shoal_view_end(&view);
            assert_null(shoal_world_lock_holder(s.world));
            assert_null(shoal_view_get(&view, SHOAL_ID(Shield), 0));
            assert_last_error(NULL, SHOAL_TERM_MISSING);
            assert_false(shoal_view_next(&view));
            assert_false(shoal_view_next_chunk(&view));
            shoal_view_end(&view);
            assert_count(pass_over(s.queries[number]), s.count);
            assert_ok(shoal_destroy(s.world, spawn_one(s.world, no_values, 0)));
        }
    }
    test_set_context("%s", "");
    fixture_end(&s.f);
}

/* ---- calls on all rows of a query ---- */

static void test_destroying_all_rows_of_a_query(void **state) {
    (void)state;
    for (size_t number = 0; number < HALF_QUERIES; number++) {
        test_set_context("query %zu", number);
        half_scene s;
        half_start(&s);
        assert_ok(shoal_query_destroy_entities(s.queries[number]));
        for (size_t i = 0; i < HALF_QUERIES; i++) {
            assert_count(shoal_query_count(s.queries[i]), 0);
        }
        assert_count(shoal_world_entity_count(s.world), 1 + 75);
        for (shoal_entity entity = s.target; shoal_next_entity(s.world, &entity);) {
            assert_true(has_shield_off(s.world, entity));
            assert_true(SHOAL_GET(s.world, entity, Shield)->value % 2 == 1);
        }
        assert_ok(shoal_query_destroy_entities(s.queries[number]));
        test_set_context("%s", "");
        fixture_end(&s.f);
    }
}

/* The change takes away what the query looks at, while the rows are gone through. */
static void test_changing_all_rows_of_a_query(void **state) {
    (void)state;
    for (size_t number = 0; number < HALF_QUERIES; number++) {
        test_set_context("query %zu", number);
        half_scene s;
        half_start(&s);
        const shoal_value add[] = {SHOAL_VALUE(Letter, 9), SHOAL_DEFAULT(Hot)};
        const shoal_component remove[] = {SHOAL_ID(Mark), SHOAL_ID(Owner), SHOAL_ID(Shield)};
        assert_ok(shoal_query_change_entities(
            s.queries[number], &(shoal_change){.add = add, .add_count = 2, .remove = remove, .remove_count = 3}));
        for (size_t i = 0; i < HALF_QUERIES; i++) {
            assert_count(shoal_query_count(s.queries[i]), 0);
        }
        size_t changed = 0;
        for (shoal_entity entity = s.target; shoal_next_entity(s.world, &entity);) {
            changed += SHOAL_HAS(s.world, entity, Letter);
            assert_count(SHOAL_HAS(s.world, entity, Letter), !SHOAL_HAS(s.world, entity, Shield));
            assert_count(SHOAL_HAS(s.world, entity, Hot), SHOAL_HAS(s.world, entity, Letter));
            assert_false(SHOAL_HAS(s.world, entity, Letter) && SHOAL_HAS(s.world, entity, Mark));
        }
        assert_count(changed, 75);
        assert_count(shoal_source_count(s.world, SHOAL_ID(Owner), s.target), 0);
        test_set_context("%s", "");
        fixture_end(&s.f);
    }
}

/* All or none: one row that cannot go keeps all. */
static void test_destroying_rows_of_which_one_is_held(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity holder = spawn_one(f.world, no_values, 0);
    shoal_entity held = nobody;
    for (uint32_t i = 0; i < 50; i++) {
        shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Shield, i), SHOAL_VALUE(Mark, i)));
        held = i == 30 ? entity : held;
        turn(f.world, entity, SHOAL_ID(Shield), i % 2 == 0);
    }
    assert_ok(shoal_relate(f.world, holder, SHOAL_ID(Holds), held, NULL));
    const shoal_term term = SHOAL_READ(Shield);
    shoal_query *query = make_query(f.world, &term, 1);
    assert_status(shoal_query_destroy_entities(query), SHOAL_TARGET_HELD);
    assert_count(shoal_query_count(query), 25);
    assert_count(shoal_world_entity_count(f.world), 51);
    turn(f.world, held, SHOAL_ID(Shield), false);
    assert_ok(shoal_query_destroy_entities(query));
    assert_count(shoal_world_entity_count(f.world), 27);
    assert_true(shoal_is_alive(f.world, held));
    fixture_end(&f);
}

/* ---- count, first, single ---- */

static void check_first(shoal_query *query, shoal_entity first, size_t count) {
    assert_count(shoal_query_count(query), count);
    assert_entity(shoal_query_first(query), first);
    assert_entity(shoal_query_single(query), count == 1 ? first : nobody);
}

static void test_first_and_single(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_term terms[] = {SHOAL_READ(Shield), SHOAL_READ(Mark), SHOAL_WITHOUT(Frozen)};
    shoal_query *shielded = make_query(f.world, &terms[0], 1);
    shoal_query *marked = make_query(f.world, &terms[1], 2);
    shoal_entity entities[3];
    check_first(shielded, nobody, 0);
    assert_last_error(f.world, SHOAL_NOT_FOUND);
    for (uint32_t i = 0; i < 3; i++) {
        entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Shield, i), SHOAL_VALUE(Mark, i)));
    }
    check_first(shielded, entities[0], 3);
    assert_last_error(f.world, SHOAL_NOT_SINGLE);
    assert_message_has(f.world, shoal_query_name(shielded));
    turn(f.world, entities[0], SHOAL_ID(Shield), false);
    check_first(shielded, entities[1], 2);
    turn(f.world, entities[2], SHOAL_ID(Shield), false);
    check_first(shielded, entities[1], 1);
    turn(f.world, entities[1], SHOAL_ID(Shield), false);
    check_first(shielded, nobody, 0);
    assert_last_error(f.world, SHOAL_NOT_FOUND);
    assert_ok(shoal_remove(f.world, entities[0], SHOAL_ID(Mark)));
    assert_ok(shoal_add(f.world, entities[2], SHOAL_ID(Frozen), NULL));
    check_first(marked, entities[1], 1);
    assert_null(shoal_world_lock_holder(f.world));
    fixture_end(&f);
}

/* ---- a sparse component with a constructor beside columns ---- */

static void conf_D8_sparse_beside_columns(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entities[100];
    for (size_t i = 0; i < 100; i++) {
        entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_VALUE(Health, (int32_t)i)));
        *SHOAL_GET_MUT(f.world, entities[i], Position) = (Position){(float)i, 2, 3};
    }
    const shoal_term terms[] = {SHOAL_READ(Position), SHOAL_READ(Health), SHOAL_OPTIONAL(Badge), SHOAL_OPTIONAL(Wide)};
    shoal_query *query = make_query(f.world, terms, 4);
    for (size_t i = 0; i < 100; i += 2) {
        const Position *place = SHOAL_GET(f.world, entities[i], Position);
        assert_ok(shoal_add(f.world, entities[i], SHOAL_ID(Badge), NULL));
        assert_ptr_equal(SHOAL_GET(f.world, entities[i], Position), place);
    }
    size_t number = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        const Position *position = SHOAL_COLUMN(&view, Position);
        const Health *health = SHOAL_COLUMN(&view, Health);
        assert_null(SHOAL_COLUMN(&view, Wide));
        assert_null(SHOAL_COLUMN(&view, Velocity));
        assert_last_error(f.world, SHOAL_TERM_MISSING);
        assert_null(shoal_view_read(&view, SHOAL_ID(Badge)));
        for (size_t i = 0; i < view.count; i++, number++) {
            const Position expected = {(float)number, 2, 3};
            uint32_t payload = 0;
            assert_memory_equal(&position[i], &expected, sizeof expected);
            assert_int_equal(health[i].value, number);
            const Badge *badge = SHOAL_AT(&view, Badge, i);
            assert_count(badge != NULL, number % 2 == 0);
            assert_true(badge == NULL || owned_read(&badge_tracker, badge, &payload));
            assert_count(payload, badge != NULL ? OWNED_CTOR_PAYLOAD : 0);
            assert_null(SHOAL_AT(&view, Wide, i));
        }
    }
    assert_count(number, 100);
    assert_null(SHOAL_GET(f.world, entities[1], Badge));
    assert_last_error(f.world, SHOAL_COMPONENT_MISSING);
    assert_null(SHOAL_GET(f.world, entities[1], Wide));
    assert_last_error(f.world, SHOAL_COMPONENT_MISSING);
    fixture_end(&f);
    assert_owned(&badge_tracker, 0);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_that_a_view_has_not_come_to),
        cmocka_unit_test(test_chunks_that_a_view_has_not_come_to),
        cmocka_unit_test(test_rows_that_change_between_views),
        cmocka_unit_test(test_filtered_rows_keep_the_order),
        cmocka_unit_test(test_bits_travel_with_rows),
        cmocka_unit_test(test_views_of_filtered_queries_nest),
        cmocka_unit_test(test_views_end_in_the_middle),
        cmocka_unit_test(test_destroying_all_rows_of_a_query),
        cmocka_unit_test(test_changing_all_rows_of_a_query),
        cmocka_unit_test(test_destroying_rows_of_which_one_is_held),
        cmocka_unit_test(test_first_and_single),
        cmocka_unit_test(conf_D8_sparse_beside_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
