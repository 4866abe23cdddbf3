/*
 * Split relations call by call: chunks belong to one target, rows move with each change of it, targets end under every
 * policy, copies, command buffers, what is refused. The random test beside it is test_split_model.c.
 */
#include "test_relations.h"

typedef struct Rank {
    int32_t value;
} Rank;
typedef struct Flag {
    int32_t value;
} Flag;

/* What hooks have seen. */
typedef struct seen_event {
    char kind; /* 'a', 's', 'r' */
    shoal_entity entity, target;
    int32_t value;
} seen_event;

static seen_event seen[16];
static size_t seen_count;

static void see(char kind, const shoal_component_event *event) {
    assert_true(seen_count < 16);
    seen[seen_count++] = (seen_event){
        .kind = kind, .entity = event->entity, .target = event->target, .value = ((const Rank *)event->value)->value};
}

static void rank_on_add(const shoal_component_event *event, void *user) {
    (void)user;
    see('a', event);
}

static void rank_on_set(const shoal_component_event *event, void *user) {
    (void)user;
    see('s', event);
}

static void rank_on_remove(const shoal_component_event *event, void *user) {
    (void)user;
    see('r', event);
}

static bool rank_validate(const void *value, void *user) {
    (void)user;
    return ((const Rank *)value)->value >= 0;
}

static size_t loud_count;

static void loud_on_add(const shoal_component_event *event, void *user) {
    (void)event;
    (void)user;
    loud_count++;
}

SHOAL_TAG(Loud, .on_add = loud_on_add, .on_remove = loud_on_add)
SHOAL_COMPONENT(Flag, .storage = SHOAL_STORAGE_SHARED)
SHOAL_RELATION(Squad, .exclusive = true, .split = true)
SHOAL_RELATION(Other, .exclusive = true, .split = true)
SHOAL_RELATION(Crew, .exclusive = true, .split = true, .on_target_destroyed = SHOAL_TARGET_DESTROY)
SHOAL_RELATION(Anchor, .exclusive = true, .split = true, .on_target_destroyed = SHOAL_TARGET_REFUSE)
SHOAL_RELATION(Under, .acyclic = true, .split = true)
SHOAL_RELATION(Manned, .exclusive = true, .split = true, .required = SHOAL_REQUIRES(SHOAL_SLOT(Health)))
SHOAL_RELATION_DATA(Rank, .exclusive = true, .split = true, .validate = rank_validate, .on_add = rank_on_add,
                    .on_set = rank_on_set, .on_remove = rank_on_remove)
SHOAL_TAG(Wreck, .cleanup = true)

/* A query of one relation, to one target (null: to any). */
static shoal_query *query_of_target(shoal_world *world, shoal_component relation, shoal_entity target) {
    shoal_term term = {.component = relation, .access = SHOAL_ACCESS_WITH, .target = target};
    shoal_query *query = shoal_query_create(world, &(shoal_query_def){.terms = &term, .term_count = 1});
    assert_non_null(query);
    assert_false(query->is_special); /* no row is looked at */
    return query;
}

/* How many rows, in how many archetypes, a target has. */
static void check_target(shoal_world *world, shoal_component relation, shoal_entity target, size_t rows,
                         size_t archetypes) {
    shoal_query *query = query_of_target(world, relation, target);
    assert_count(shoal_query_count(query), rows);
    assert_count(shoal_query_archetype_count(query), archetypes);
    size_t walked = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++, walked++) {
            assert_true(shoal_is_related(world, view.entities[i], relation, target));
        }
    }
    shoal_view_end(&view);
    assert_count(walked, rows);
    assert_ok(shoal_query_destroy(query));
}

/* Four sources of one target in four archetypes. */
static void spawn_sources(shoal_world *world, shoal_entity target, shoal_entity *sources) {
    sources[0] = shoal_spawn(world, SHOAL_VALUES(SHOAL_TO(Squad, target)));
    sources[1] = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 2, 3), SHOAL_TO(Squad, target)));
    sources[2] = shoal_spawn(world, SHOAL_VALUES(SHOAL_TO(Squad, target), SHOAL_VALUE(Flag, 7)));
    sources[3] = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Health, 4), SHOAL_DEFAULT(Wreck)));
    assert_ok(shoal_relate(world, sources[3], SHOAL_ID(Squad), target, NULL));
}

/* ---- chunks and queries ---- */

static void test_chunks_have_one_target(void **state) {
    (void)state;
    enum { TARGETS = 5, EACH = 700 };
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity targets[TARGETS];
    spawn_several(f.world, targets, TARGETS);
    shoal_query *all = query_of_target(f.world, SHOAL_ID(Squad), nobody);
    for (size_t i = 0; i < (size_t)TARGETS * EACH; i++) { /* in turn, so that rows would be mixed */
        shoal_entity source =
            shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, (int32_t)i), SHOAL_TO(Squad, targets[i % TARGETS])));
        assert_false(shoal_entity_is_null(source));
    }
    size_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, all));
    while (shoal_view_next(&view)) {
        shoal_entity target = shoal_target(f.world, view.entities[0], SHOAL_ID(Squad));
        for (size_t i = 0; i < view.count; i++, rows++) {
            assert_entity(shoal_target(f.world, view.entities[i], SHOAL_ID(Squad)), target);
        }
    }
    shoal_view_end(&view);
    assert_count(rows, TARGETS * EACH);
    assert_count(shoal_query_archetype_count(all), TARGETS);
    for (size_t i = 0; i < TARGETS; i++) {
        check_target(f.world, SHOAL_ID(Squad), targets[i], EACH, 1);
    }
    assert_valid(f.world);
    for (size_t i = 0; i < TARGETS; i++) { /* the sources stay, and are of one archetype again */
        assert_ok(shoal_destroy(f.world, targets[i]));
        assert_valid(f.world);
        assert_count(shoal_query_archetype_count(all), TARGETS - 1 - i);
        assert_count(shoal_query_count(all), (TARGETS - 1 - i) * EACH);
    }
    fixture_end(&f);
}

static void test_rows_move_with_the_target(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component squad = SHOAL_ID(Squad);
    shoal_entity t[2], s[4];
    spawn_several(f.world, t, 2);
    spawn_sources(f.world, t[0], s);
    check_target(f.world, squad, t[0], 4, 4);
    check_sources(f.world, squad, t[0], s, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_ok(shoal_relate(f.world, s[i], squad, t[1], NULL));
        assert_valid(f.world);
        check_target(f.world, squad, t[0], 3 - i, 3 - i); /* what is empty is gone */
        check_target(f.world, squad, t[1], i + 1, i + 1);
    }
    assert_int_equal(((const Position *)shoal_get(f.world, s[1], SHOAL_ID(Position)))->y, 2);
    assert_int_equal(((const Flag *)shoal_get(f.world, s[2], SHOAL_ID(Flag)))->value, 7);
    assert_ok(shoal_unrelate(f.world, s[0], squad, t[0])); /* another target: nothing */
    check_target(f.world, squad, t[1], 4, 4);
    assert_ok(shoal_unrelate(f.world, s[0], squad, t[1]));
    assert_ok(shoal_unrelate(f.world, s[1], squad, nobody));
    assert_ok(shoal_remove(f.world, s[2], squad));
    assert_ok(shoal_clear(f.world, s[3]));
    check_target(f.world, squad, t[1], 0, 0);
    assert_valid(f.world);

    assert_ok(shoal_relate(f.world, s[0], squad, s[0], NULL)); /* also to itself */
    check_target(f.world, squad, s[0], 1, 1);
    assert_ok(shoal_destroy(f.world, s[0]));
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_components_beside_it(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity t[2], s[4];
    spawn_several(f.world, t, 2);
    spawn_sources(f.world, t[0], s);
    assert_ok(shoal_add(f.world, s[0], SHOAL_ID(Position), &(Position){5, 6, 7}));
    check_target(f.world, SHOAL_ID(Squad), t[0], 4, 3); /* with the one that has it already */
    assert_ok(shoal_remove(f.world, s[0], SHOAL_ID(Position)));
    check_target(f.world, SHOAL_ID(Squad), t[0], 4, 4);
    shoal_entity alike = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_TO(Squad, t[0])));
    assert_ok(shoal_add(f.world, alike, SHOAL_ID(Position), NULL));
    assert_ok(shoal_add(f.world, s[0], SHOAL_ID(Position), NULL)); /* by the same way, and the last one to leave */
    check_target(f.world, SHOAL_ID(Squad), t[0], 5, 3);
    assert_ok(shoal_remove(f.world, s[0], SHOAL_ID(Position)));
    assert_ok(shoal_destroy(f.world, alike));
    check_target(f.world, SHOAL_ID(Squad), t[0], 4, 4);
    assert_ok(shoal_relate(f.world, s[0], SHOAL_ID(Other), t[1], NULL)); /* a second one */
    assert_ok(shoal_relate(f.world, s[1], SHOAL_ID(Other), t[0], NULL));
    check_target(f.world, SHOAL_ID(Other), t[1], 1, 1);
    check_target(f.world, SHOAL_ID(Squad), t[0], 4, 4);
    size_t count = 0;
    const shoal_component *listed = shoal_components_of(f.world, s[0], &count);
    assert_count(count, 2);
    assert_count(listed[0].id + listed[1].id, SHOAL_ID(Squad).id + SHOAL_ID(Other).id);
    count = 0;
    for (shoal_component component = {0}; shoal_next_component(f.world, s[0], &component); count++) {
    }
    assert_count(count, 2);
    const shoal_value added[] = {SHOAL_TO(Squad, t[1]), SHOAL_VALUE(Health, 9)};
    const shoal_component removed = SHOAL_ID(Other);
    assert_ok(shoal_change_entity(
        f.world, s[0], &(shoal_change){.add = added, .add_count = 2, .remove = &removed, .remove_count = 1}));
    check_target(f.world, SHOAL_ID(Squad), t[1], 1, 1);
    check_target(f.world, SHOAL_ID(Other), t[1], 0, 0);
    assert_valid(f.world);

    assert_ok(shoal_relate(f.world, t[0], SHOAL_ID(Manned), t[1], NULL)); /* brings what it requires */
    assert_true(shoal_has(f.world, t[0], SHOAL_ID(Health)));
    assert_ok(shoal_remove(f.world, t[0], SHOAL_ID(Health)));
    assert_ok(shoal_relate(f.world, t[0], SHOAL_ID(Manned), t[0], NULL)); /* and does again, as any relation */
    assert_true(shoal_has(f.world, t[0], SHOAL_ID(Health)));
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_data_and_hooks(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component rank = SHOAL_ID(Rank);
    shoal_entity e[3];
    spawn_several(f.world, e, 3);
    seen_count = 0;
    loud_count = 0;
    assert_ok(shoal_add(f.world, e[0], SHOAL_ID(Loud), NULL)); /* so that hooks of rows are told as well */
    assert_ok(shoal_relate(f.world, e[0], rank, e[1], &(Rank){5}));
    assert_ok(shoal_relate(f.world, e[0], rank, e[1], &(Rank){6})); /* the same target: the data alone */
    assert_ok(shoal_relate(f.world, e[0], rank, e[2], NULL));
    assert_status(shoal_relate(f.world, e[0], rank, e[1], &(Rank){-1}), SHOAL_VALUE_REFUSED);
    check_target(f.world, rank, e[2], 1, 1);
    check_target(f.world, rank, e[1], 0, 0);
    assert_ok(shoal_set(f.world, e[0], rank, &(shoal_link){.target = e[2], .data = &(Rank){8}}));
    assert_ok(shoal_destroy(f.world, e[2]));
    const seen_event expected[] = {{'a', e[0], e[1], 5}, {'s', e[0], e[1], 5}, {'s', e[0], e[1], 6},
                                   {'r', e[0], e[1], 6}, {'a', e[0], e[2], 0}, {'s', e[0], e[2], 8},
                                   {'r', e[0], e[2], 8}};
    assert_count(seen_count, 7);
    assert_count(loud_count, 1);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(seen[i].kind, expected[i].kind);
        assert_entity(seen[i].entity, expected[i].entity);
        assert_entity(seen[i].target, expected[i].target);
        assert_int_equal(seen[i].value, expected[i].value);
    }
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_query_terms(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity t[2], s[4];
    spawn_several(f.world, t, 2);
    shoal_query *without =
        shoal_query_create(f.world, &(shoal_query_def){.terms = &(shoal_term)SHOAL_WITHOUT(Squad), .term_count = 1});
    const shoal_term any[] = {SHOAL_TERM(ANY_READ, Squad, .target = t[1]), SHOAL_ANY(0, Flag)};
    shoal_query *either = shoal_query_create(f.world, &(shoal_query_def){.terms = any, .term_count = 2});
    shoal_query *to_first = query_of_target(f.world, SHOAL_ID(Squad), t[0]); /* watches what comes */
    spawn_sources(f.world, t[0], s);
    assert_false(without->is_special);
    assert_false(either->is_special);
    assert_count(shoal_query_count(without), 2);
    assert_count(shoal_query_count(either), 1);
    assert_count(shoal_query_count(to_first), 4);
    assert_ok(shoal_relate(f.world, s[0], SHOAL_ID(Squad), t[1], NULL));
    assert_ok(shoal_unrelate(f.world, s[1], SHOAL_ID(Squad), t[0]));
    assert_count(shoal_query_count(without), 3);
    assert_count(shoal_query_count(either), 2);
    assert_count(shoal_query_count(to_first), 2);
    assert_true(shoal_query_matches(to_first, s[2]));
    assert_false(shoal_query_matches(to_first, s[0]));
    assert_valid(f.world);
    fixture_end(&f);
}

/* ---- the end of targets ---- */

static void test_policies(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity t[3], s[4];
    spawn_several(f.world, t, 3);
    spawn_sources(f.world, t[0], s);
    assert_ok(shoal_relate(f.world, s[0], SHOAL_ID(Other), t[0], NULL));  /* both go at once */
    assert_ok(shoal_relate(f.world, s[1], SHOAL_ID(Other), t[1], NULL));  /* one after the other */
    assert_ok(shoal_relate(f.world, s[2], SHOAL_ID(Anchor), t[0], NULL)); /* holds */
    assert_status(shoal_destroy(f.world, t[0]), SHOAL_TARGET_HELD);
    check_target(f.world, SHOAL_ID(Squad), t[0], 4, 4);
    assert_valid(f.world);
    assert_ok(shoal_relate(f.world, s[3], SHOAL_ID(Crew), t[0], NULL)); /* goes as well, and leaves its wreck */
    assert_ok(shoal_unrelate(f.world, s[2], SHOAL_ID(Anchor), nobody));
    assert_ok(shoal_destroy_many(f.world, (shoal_entity[]){t[1], t[0]}, 2));
    assert_valid(f.world);
    assert_true(shoal_is_dying(f.world, s[3]));
    for (size_t i = 0; i < 3; i++) {
        assert_entity(shoal_target(f.world, s[i], SHOAL_ID(Squad)), nobody);
        assert_entity(shoal_target(f.world, s[i], SHOAL_ID(Other)), nobody);
        assert_false(shoal_has(f.world, s[i], SHOAL_ID(Squad)));
    }
    assert_int_equal(((const Position *)shoal_get(f.world, s[1], SHOAL_ID(Position)))->y, 2);
    assert_count(shoal_query_count(f.everything), 4); /* t[2] and the three */
    fixture_end(&f);
}

/* Sources that end with their target, in either order, and with rows of both in one archetype. */
static void test_sources_that_end_as_well(void **state) {
    (void)state;
    for (size_t order = 0; order < 2; order++) {
        fixture f;
        fixture_start(&f, NULL);
        shoal_entity t = spawn_empty(f.world);
        shoal_entity s[6];
        for (size_t i = 0; i < 6; i++) {
            s[i] = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1), SHOAL_TO(Squad, t)));
        }
        shoal_entity named[] = {s[0], s[1], s[4], t};
        if (order != 0) {
            named[0] = t;
            named[3] = s[0];
        }
        assert_ok(shoal_destroy_many(f.world, named, 4));
        assert_valid(f.world);
        assert_count(shoal_query_count(f.everything), 3);
        assert_true(shoal_is_alive(f.world, s[2]) && shoal_is_alive(f.world, s[3]) && shoal_is_alive(f.world, s[5]));
        fixture_end(&f);
    }
}

/* Making room for the rows of sources moves the rows of targets, which are doomed as well. */
static void test_targets_that_move(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity t[2], s[250];
    for (size_t i = 0; i < 2; i++) {
        t[i] = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    }
    for (size_t i = 0; i < 250; i++) {
        s[i] = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, (int32_t)i), SHOAL_TO(Squad, t[0])));
        if (i >= 200) {
            assert_ok(shoal_relate(f.world, s[i], SHOAL_ID(Other), t[1], NULL));
        }
    }
    assert_ok(shoal_destroy_many(f.world, t, 2));
    assert_valid(f.world);
    for (size_t i = 0; i < 250; i++) {
        assert_int_equal(((const Health *)shoal_get(f.world, s[i], SHOAL_ID(Health)))->value, i);
    }
    fixture_end(&f);
}

/* What a call adds to what a relation requires must not come with the command, which has it recorded. */
static void test_required_by_call_and_command(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity e[3];
    spawn_several(f.world, e, 3);
    assert_ok(shoal_relate(f.world, e[0], SHOAL_ID(Manned), e[2], NULL));
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    assert_ok(shoal_commands_relate(commands, e[1], SHOAL_ID(Manned), e[2], NULL));
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_int_equal(((const Health *)shoal_get(f.world, e[1], SHOAL_ID(Health)))->value, 0);
    check_target(f.world, SHOAL_ID(Manned), e[2], 2, 1);
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_trees(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component under = SHOAL_ID(Under);
    shoal_entity e[4];
    spawn_several(f.world, e, 4);
    for (size_t i = 1; i < 4; i++) {
        assert_ok(shoal_relate(f.world, e[i], under, e[i - 1], NULL));
    }
    assert_status(shoal_relate(f.world, e[0], under, e[3], NULL), SHOAL_RELATION_CYCLE);
    check_target(f.world, under, e[3], 0, 0);
    assert_count(shoal_depth(f.world, under, e[3]), 3);
    assert_ok(shoal_destroy(f.world, e[1]));
    assert_count(shoal_depth(f.world, under, e[3]), 1);
    assert_valid(f.world);
    fixture_end(&f);
}

/* ---- what is refused ---- */

static void test_refusals(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component squad = SHOAL_ID(Squad);
    shoal_entity e[2];
    spawn_several(f.world, e, 2);
    shoal_entity dead = spawn_empty(f.world);
    assert_ok(shoal_destroy(f.world, dead));
    shoal_memory_report before, after;
    assert_ok(shoal_world_memory(f.world, &before));
    assert_status(shoal_relate(f.world, e[0], squad, dead, NULL), SHOAL_ENTITY_DEAD);
    assert_message_has(f.world, "shoal_relate:");
    assert_status(shoal_add(f.world, e[0], squad, NULL), SHOAL_ENTITY_NULL);
    assert_true(shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_TO(Squad, dead)))));
    assert_last_error(f.world, SHOAL_ENTITY_DEAD);
    assert_ok(shoal_world_memory(f.world, &after));
    assert_count(after.archetype_count, before.archetype_count); /* none of the dead is kept */

    const shoal_link links[2] = {{.target = e[0]}, {.target = e[1]}};
    shoal_spawn_many_def def = {
        .count = 2, .columns = &(shoal_value){.component = squad, .data = links}, .column_count = 1};
    assert_status(shoal_spawn_many(f.world, &def), SHOAL_COMPONENT_KIND);
    assert_message_has(f.world, "Squad");
    def = (shoal_spawn_many_def){
        .count = 600, .values = &(shoal_value){.component = squad, .data = &links[1]}, .value_count = 1};
    assert_ok(shoal_spawn_many(f.world, &def));
    check_target(f.world, squad, e[1], 600, 1);
    assert_valid(f.world);
    fixture_end(&f);
}

/* ---- copies ---- */

static void test_copies(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component squad = SHOAL_ID(Squad);
    shoal_entity outside = spawn_empty(f.world);
    shoal_entity root = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 3), SHOAL_TO(Squad, outside)));
    shoal_entity child =
        shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 4), SHOAL_TO(ChildOf, root), SHOAL_TO(Other, outside)));
    shoal_entity copy = shoal_clone(f.world, root);
    assert_entity(shoal_target(f.world, copy, squad), outside);
    check_target(f.world, squad, outside, 2, 1);
    shoal_entity roots[3];
    assert_ok(shoal_instantiate(f.world, root, &(shoal_instantiate_def){.count = 3, .entities = roots}));
    check_target(f.world, squad, outside, 5, 1);
    check_target(f.world, SHOAL_ID(Other), outside, 4, 1);
    assert_valid(f.world);

    assert_ok(shoal_relate(f.world, child, squad, root, NULL)); /* from inside to inside */
    assert_status(shoal_instantiate(f.world, root, &(shoal_instantiate_def){.count = 3}), SHOAL_COMPONENT_KIND);
    assert_message_has(f.world, "Squad");
    assert_valid(f.world);
    copy = shoal_clone_tree(f.world, root);
    assert_false(shoal_entity_is_null(copy));
    check_target(f.world, squad, copy, 1, 1);
    check_target(f.world, squad, root, 1, 1);
    const shoal_value given = SHOAL_TO(Squad, child);
    assert_ok(shoal_instantiate(f.world, root,
                                &(shoal_instantiate_def){.values = &given, .value_count = 1, .entities = roots}));
    check_target(f.world, squad, child, 1, 1); /* the caller's value counts */
    check_target(f.world, squad, roots[0], 1, 1);
    assert_ok(shoal_make_prefab(f.world, root));
    assert_entity(shoal_target(f.world, child, squad), root);
    assert_valid(f.world);
    fixture_end(&f);
}

/* A copy of a tree with a split relation inside fails at every allocation before it succeeds. */
static void test_copies_without_memory(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity root = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 3)));
    shoal_entity child =
        shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 4), SHOAL_TO(ChildOf, root), SHOAL_TO(Squad, root)));
    assert_ok(shoal_relate(f.world, root, SHOAL_ID(Other), child, NULL));
    shoal_entity copy = nobody;
    size_t failures = 0;
    for (size_t n = 1; shoal_entity_is_null(copy); n++) {
        fake_allocator_arm(&f.fake, n, false);
        copy = shoal_clone_tree(f.world, root);
        assert_true(fake_allocator_disarm(&f.fake) || !shoal_entity_is_null(copy));
        assert_valid(f.world);
        assert_count(shoal_query_count(f.everything), shoal_entity_is_null(copy) ? 2 : 4);
        failures += shoal_entity_is_null(copy);
    }
    assert_true(failures > 4);
    check_target(f.world, SHOAL_ID(Squad), copy, 1, 1);
    assert_entity(shoal_parent(f.world, shoal_target(f.world, copy, SHOAL_ID(Other))), copy);
    fixture_end(&f);
}

/* ---- commands ---- */

static void test_commands(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component squad = SHOAL_ID(Squad);
    shoal_entity t[3], s[4];
    spawn_several(f.world, t, 3);
    spawn_sources(f.world, t[0], s);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    shoal_entity made = shoal_commands_spawn(
        commands, SHOAL_VALUES(SHOAL_VALUE(Health, 11), SHOAL_TO(Squad, t[1]), SHOAL_VALUE(Flag, 2)));
    assert_status(shoal_commands_relate(commands, s[0], squad, made, NULL), SHOAL_ENTITY_PLACEHOLDER);
    assert_true(shoal_entity_is_null(shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_TO(Squad, made)))));
    assert_ok(shoal_commands_add(commands, s[0], SHOAL_ID(Health), &(Health){5}));
    assert_ok(shoal_commands_relate(commands, s[0], squad, t[1], NULL));
    assert_ok(shoal_commands_add(commands, s[0], SHOAL_ID(Position), &(Position){1, 1, 1}));
    assert_ok(shoal_commands_destroy_entity(commands, t[0]));            /* three sources are left */
    assert_ok(shoal_commands_relate(commands, s[1], squad, t[0], NULL)); /* too late: dropped */
    assert_ok(shoal_commands_add(commands, s[1], SHOAL_ID(Health), &(Health){6}));
    assert_ok(shoal_commands_unrelate(commands, made, squad, nobody));
    assert_ok(shoal_commands_relate(commands, made, squad, t[2], NULL));
    shoal_commands_result result;
    assert_ok(shoal_commands_apply(commands, &result));
    assert_count(result.dropped, 1);
    made = shoal_commands_resolve(commands, made);
    assert_valid(f.world);
    check_sources(f.world, squad, t[1], &s[0], 1);
    check_sources(f.world, squad, t[2], &made, 1);
    check_target(f.world, squad, t[1], 1, 1);
    check_target(f.world, squad, t[2], 1, 1);
    assert_int_equal(((const Health *)shoal_get(f.world, s[1], SHOAL_ID(Health)))->value, 6);
    assert_int_equal(((const Flag *)shoal_get(f.world, made, SHOAL_ID(Flag)))->value, 2);
    fixture_end(&f);
}

/* Rows that stay when their targets end by a cascade that a command starts. */
static void test_commands_cascade(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = spawn_empty(f.world);
    shoal_entity gun = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, ship)));
    shoal_entity s[300];
    for (size_t i = 0; i < 300; i++) {
        s[i] = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1), SHOAL_TO(Squad, gun), SHOAL_TO(Other, ship),
                                                 SHOAL_DEFAULT(Wreck)));
    }
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    assert_ok(shoal_commands_add(commands, s[7], SHOAL_ID(Position), NULL));
    assert_ok(shoal_commands_destroy_entity(commands, ship));
    assert_ok(shoal_commands_add(commands, s[8], SHOAL_ID(Position), NULL));
    assert_ok(shoal_commands_destroy_entity(commands, s[9]));
    shoal_commands_result result;
    assert_ok(shoal_commands_apply(commands, &result));
    assert_count(result.dropped, 0);
    assert_valid(f.world);
    assert_false(shoal_is_alive(f.world, gun));
    assert_true(shoal_is_dying(f.world, s[9]));
    assert_count(shoal_query_count(f.everything), 299);
    check_target(f.world, SHOAL_ID(Squad), nobody, 0, 0);
    assert_true(shoal_has(f.world, s[7], SHOAL_ID(Position)) && shoal_has(f.world, s[8], SHOAL_ID(Position)));
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks_have_one_target),
        cmocka_unit_test(test_rows_move_with_the_target),
        cmocka_unit_test(test_components_beside_it),
        cmocka_unit_test(test_data_and_hooks),
        cmocka_unit_test(test_query_terms),
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_sources_that_end_as_well),
        cmocka_unit_test(test_targets_that_move),
        cmocka_unit_test(test_required_by_call_and_command),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_copies_without_memory),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_commands_cascade),
    };
    return cmocka_run_group_tests_name("split_relations", tests, NULL, NULL);
}
