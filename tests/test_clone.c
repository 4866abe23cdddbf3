/*
 * Clones, copies of trees, prefabs, on the scene of test_clone.h.
 *
 * A copy is checked by text: an entity is written down with all that it has, the original with each handle of the tree
 * replaced by that of its copy, and both texts must be equal. The same writing shows that a call that failed (the n-th
 * allocation, the n-th hook) has left the world as it was.
 */
#include "test_clone.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static const shoal_value no_values[1];

#define MOST_POINTS 4000 /* a call with more points at which it can fail is stuck */

typedef struct Noted {
    int32_t number;
} Noted;

typedef struct Region {
    int32_t number;
} Region;

static void noted_add(const shoal_component_event *event, void *user);
static void noted_set(const shoal_component_event *event, void *user);

SHOAL_COMPONENT(Noted, .on_add = noted_add, .on_set = noted_set)
SHOAL_RELATION(Follows, .exclusive = true, .on_add = noted_add, .on_set = noted_set)
SHOAL_COMPONENT(Region, .storage = SHOAL_STORAGE_CHUNK, .on_add = noted_add, .on_set = noted_set)
SHOAL_TAG(Wreck, .cleanup = true)

/* ---- checking copies ---- */

static size_t tree_list(shoal_world *world, shoal_entity root, shoal_entity *nodes) {
    size_t count = 0;
    shoal_entity at = root;
    do {
        assert_true(count < MOST_NODES);
        nodes[count++] = at;
    } while (shoal_tree_next(world, SHOAL_ID(ChildOf), root, &at));
    return count;
}

/* The copy of a tree is what the tree is; `is_instance`: without Prefab. The roots' parents are the caller's. */
static void check_tree(shoal_world *world, shoal_entity root, shoal_entity copy, bool is_instance) {
    pairs map;
    map.count = tree_list(world, root, map.from);
    assert_count(tree_list(world, copy, map.to), map.count);
    assert_null(shoal_name(world, copy));
    for (size_t i = 0; i < map.count; i++) {
        const shoal_component skipped[] = {is_instance ? SHOAL_ID(Prefab) : (shoal_component){0},
                                           i == 0 ? SHOAL_ID(ChildOf) : (shoal_component){0},
                                           SHOAL_ID(Bounds)}; /* that of the chunk where the copy is */
        text_buffer expected = {0}, actual = {0};
        const char *names[] = {shoal_name(world, map.from[i]), shoal_name(world, map.to[i])};
        text_add(&expected, "%zu %s\n", i, i != 0 && names[0] != NULL ? names[0] : "");
        text_add(&actual, "%zu %s\n", i, names[1] != NULL ? names[1] : "");
        entity_describe(&expected, &map, world, map.from[i], skipped);
        entity_describe(&actual, NULL, world, map.to[i], skipped);
        assert_int_equal(shoal_has(world, map.to[i], SHOAL_ID(Prefab)),
                         !is_instance && shoal_has(world, map.from[i], SHOAL_ID(Prefab)));
        text_check(&actual, &expected);
    }
}

static shoal_entity last_child(shoal_world *world, shoal_entity parent) {
    shoal_entity last = {0};
    shoal_source_walk walk = shoal_children(world, parent);
    while (shoal_sources_next(&walk)) {
        last = walk.entities[walk.count - 1];
    }
    return last;
}

/* ---- clone ---- */

static void clone_check_all(const shoal_world_def *def) {
    scene s;
    scene_start(&s, def);
    const shoal_entity sources[] = {s.ship, s.turret, s.gun, s.barrel, s.second, s.deck, s.port};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        test_set_context("source %zu", i);
        shoal_entity copy = shoal_clone(s.world, sources[i]);
        assert_valid(s.world);
        assert_false(shoal_entity_is_null(copy));
        text_buffer expected = {0}, actual = {0};
        entity_describe(&expected, NULL, s.world, sources[i], NULL);
        entity_describe(&actual, NULL, s.world, copy, NULL);
        text_check(&actual, &expected);
        assert_null(shoal_name(s.world, copy));
        assert_count(shoal_source_count(s.world, SHOAL_ID(ChildOf), copy), 0);
        shoal_entity parent = shoal_parent(s.world, sources[i]);
        assert_entity(shoal_parent(s.world, copy), parent);
        if (!shoal_entity_is_null(parent)) {
            assert_entity(last_child(s.world, parent), copy);
        }
    }
    test_set_context("%s", "");
    /* The ship is liked by itself and the port, and by the clones of both. */
    assert_count(shoal_source_count(s.world, SHOAL_ID(Likes), s.ship), 4);
    /* What the clone owns is its own. */
    uint32_t payload = 0;
    shoal_entity copy = shoal_clone(s.world, s.ship);
    assert_ok(shoal_destroy(s.world, s.ship));
    assert_true(owned_read(&owned_tracker, SHOAL_GET(s.world, copy, Owned), &payload));
    assert_count(payload, 71);
    scene_end(&s);
}

static void test_clone_copies_every_kind(void **state) {
    (void)state;
    clone_check_all(NULL);
    clone_check_all(&(shoal_world_def){.move_rows = true});
    clone_check_all(&(shoal_world_def){.pinned_chunk_bytes = 1024});
}

/* ---- trees ---- */

static void test_clone_tree_turns_links_inside(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    shoal_entity copy = shoal_clone_tree(s.world, s.ship);
    assert_valid(s.world);
    assert_false(shoal_entity_is_null(copy));
    check_tree(s.world, s.ship, copy, false);
    assert_entity(shoal_parent(s.world, copy), s.fleet);
    assert_entity(last_child(s.world, s.fleet), copy);
    /* In words, for some of what check_tree() compares. */
    shoal_entity deck = shoal_lookup(s.world, copy, "deck");
    shoal_entity gun = shoal_lookup(s.world, copy, "turret/gun");
    assert_false(shoal_entity_is_null(deck) || shoal_entity_is_null(gun));
    assert_entity(SHOAL_GET(s.world, gun, Link)->pair[1], copy);
    assert_entity(SHOAL_GET(s.world, gun, Link)->pair[0], s.port);
    assert_true(shoal_is_related(s.world, copy, SHOAL_ID(Likes), copy));
    assert_true(shoal_is_related(s.world, copy, SHOAL_ID(Likes), deck));
    assert_false(shoal_is_related(s.world, copy, SHOAL_ID(Likes), s.deck));
    assert_false(shoal_is_related(s.world, s.port, SHOAL_ID(Likes), copy));
    /* A copy of a copy, of a part, and of a leaf. */
    shoal_entity again = shoal_clone_tree(s.world, copy);
    check_tree(s.world, copy, again, false);
    assert_ok(shoal_destroy(s.world, copy));
    assert_valid(s.world);
    check_tree(s.world, s.ship, again, false);
    check_tree(s.world, s.turret, shoal_clone_tree(s.world, s.turret), false);
    check_tree(s.world, s.barrel, shoal_clone_tree(s.world, s.barrel), false);
    assert_valid(s.world);
    scene_end(&s);
}

static uint64_t positions(scene *s) {
    shoal_query *query = shoal_query_create(
        s->world, &(shoal_query_def){.terms = (shoal_term[]){SHOAL_READ(Position)}, .term_count = 1});
    assert_non_null(query);
    uint64_t count = shoal_query_count(query);
    assert_ok(shoal_query_destroy(query));
    return count;
}

static void test_prefabs_hide_and_instances_show(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    assert_count(positions(&s), 4); /* fleet, ship, deck, barrel */
    text_buffer before = {0}, after = {0};
    const shoal_component prefab[] = {SHOAL_ID(Prefab), SHOAL_ID(Bounds), {0}};
    const shoal_entity nodes[] = {s.ship, s.turret, s.gun, s.barrel, s.second, s.deck};
    for (size_t i = 0; i < 6; i++) {
        entity_describe(&before, NULL, s.world, nodes[i], prefab);
    }
    assert_ok(shoal_add(s.world, s.gun, SHOAL_ID(Prefab), NULL));
    assert_ok(shoal_make_prefab(s.world, s.ship));
    assert_ok(shoal_make_prefab(s.world, s.ship));
    assert_valid(s.world);
    for (size_t i = 0; i < 6; i++) {
        assert_true(SHOAL_HAS(s.world, nodes[i], Prefab));
        entity_describe(&after, NULL, s.world, nodes[i], prefab);
    }
    text_check(&after, &before);
    assert_count(positions(&s), 1);
    shoal_entity roots[3];
    assert_ok(shoal_instantiate(s.world, s.ship, &(shoal_instantiate_def){.count = 3, .entities = roots}));
    assert_valid(s.world);
    assert_count(positions(&s), 1 + 3 * 3);
    for (size_t i = 0; i < 3; i++) {
        check_tree(s.world, s.ship, roots[i], true);
        assert_true(shoal_entity_is_null(shoal_parent(s.world, roots[i])));
    }
    /* A clone of a prefab is one. */
    assert_true(SHOAL_HAS(s.world, shoal_clone_tree(s.world, s.ship), Prefab));
    assert_count(positions(&s), 1 + 3 * 3);
    /* An instance of an instance; count 0 means 1. */
    uint64_t count = shoal_world_entity_count(s.world);
    assert_ok(shoal_instantiate(s.world, roots[1], &(shoal_instantiate_def){.parent = s.port, .entities = roots}));
    assert_count(shoal_world_entity_count(s.world), count + 6);
    check_tree(s.world, s.ship, roots[0], true);
    assert_entity(last_child(s.world, s.port), roots[0]);
    scene_end(&s);
}

/* ---- overrides ---- */

static void test_overrides_of_every_kind(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    assert_ok(shoal_make_prefab(s.world, s.ship));
    assert_ok(SHOAL_SET(s.world, s.ship, Bounds, 40));
    Owned crate, seal, locker;
    owned_make(&locker_tracker, &locker, 83);
    owned_make(&crate_tracker, &crate, 81);
    owned_make(&seal_tracker, &seal, 82);
    const Waypoint stop = {6, s.deck};
    const shoal_value values[] = {SHOAL_VALUE(Position, 9, 9, 9),
                                  SHOAL_DEFAULT(Boxed), /* there already: it stays */
                                  SHOAL_VALUE(Faction, 6),
                                  SHOAL_VALUE(Bounds, 41),
                                  {SHOAL_ID(Locker), &locker},
                                  {SHOAL_ID(Crate), &(shoal_span){&crate, 1}},
                                  {SHOAL_ID(Waypoint), &(shoal_span){&stop, 1}},
                                  {SHOAL_ID(Seal), &seal},
                                  SHOAL_VALUE(Mark, 5, s.gun),
                                  SHOAL_TO(Oath, s.fleet),
                                  SHOAL_TO(Likes, s.fleet),
                                  SHOAL_VALUE(Hull, 3),
                                  SHOAL_DEFAULT(Preset),
                                  SHOAL_DEFAULT(Selected)};
    shoal_entity roots[150];
    assert_ok(shoal_instantiate(s.world, s.ship,
                                &(shoal_instantiate_def){.count = 150,
                                                         .values = values,
                                                         .value_count = sizeof values / sizeof values[0],
                                                         .parent = s.fleet,
                                                         .entities = roots}));
    owned_end(&crate_tracker, &crate);
    owned_end(&seal_tracker, &seal);
    owned_end(&locker_tracker, &locker);
    assert_valid(s.world);
    for (size_t i = 0; i < 150; i++) {
        test_set_context("copy %zu", i);
        shoal_world *world = s.world;
        shoal_entity root = roots[i];
        uint32_t payload = 0;
        assert_true(SHOAL_GET(world, root, Position)->x == 9 && SHOAL_GET(world, root, Preset)->value == 7);
        assert_count(SHOAL_GET(world, root, Faction)->id, 6);
        assert_count(SHOAL_GET(world, root, Bounds)->radius, 41);
        assert_count(SHOAL_GET(world, root, Hull)->points, 3);
        assert_true(SHOAL_HAS(world, root, Engine) && SHOAL_HAS(world, root, Burning));
        assert_true(SHOAL_HAS(world, root, Frozen) && SHOAL_HAS(world, root, Selected));
        assert_true(owned_read(&boxed_tracker, SHOAL_GET(world, root, Boxed), &payload) && payload == 72);
        assert_true(owned_read(&seal_tracker, SHOAL_GET(world, root, Seal), &payload) && payload == 82);
        assert_true(owned_read(&locker_tracker, SHOAL_GET(world, root, Locker), &payload) && payload == 83);
        shoal_buffer crates = shoal_buffer_get(world, root, SHOAL_ID(Crate));
        assert_count(shoal_buffer_count(crates), 1);
        assert_true(owned_read(&crate_tracker, shoal_buffer_items(crates), &payload) && payload == 81);
        /* A given value is taken as it is. */
        const Waypoint *stops = shoal_buffer_items(shoal_buffer_get(world, root, SHOAL_ID(Waypoint)));
        assert_entity(stops->at, s.deck);
        assert_entity(SHOAL_GET(world, root, Mark)->who, s.gun);
        /* An exclusive relation is replaced, another one is joined. */
        assert_entity(shoal_target(world, root, SHOAL_ID(Oath)), s.fleet);
        assert_true(owned_read(&oath_tracker, shoal_relation_get(world, root, SHOAL_ID(Oath), s.fleet), &payload));
        assert_count(payload, OWNED_CTOR_PAYLOAD);
        assert_true(shoal_is_related(world, root, SHOAL_ID(Likes), s.fleet));
        assert_true(shoal_is_related(world, root, SHOAL_ID(Likes), s.port));
        assert_entity(shoal_parent(world, root), s.fleet);
    }
    test_set_context("%s", "");
    assert_count(SHOAL_GET(s.world, s.ship, Bounds)->radius, 40);
    scene_end(&s);
}

/* A given value is taken as it is, also where the one that it replaces is turned to the copy. */
static void test_given_values_are_not_turned(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    const Waypoint path[] = {{1, s.gun}, {2, s.barrel}, {3, s.turret}, {4, s.gun}};
    assert_ok(shoal_add(s.world, s.turret, SHOAL_ID(Waypoint), &(shoal_span){path, 4}));
    const Waypoint stops[] = {{1, s.turret}, {2, s.gun}, {3, s.barrel}};
    const shoal_value value = {SHOAL_ID(Waypoint), &(shoal_span){stops, 3}};
    shoal_entity root;
    assert_ok(shoal_instantiate(s.world, s.turret,
                                &(shoal_instantiate_def){.values = &value, .value_count = 1, .entities = &root}));
    assert_valid(s.world);
    const Waypoint *copied = shoal_buffer_items(shoal_buffer_get(s.world, root, SHOAL_ID(Waypoint)));
    for (size_t i = 0; i < 3; i++) {
        assert_entity(copied[i].at, stops[i].at);
    }
    scene_end(&s);
}

/* The caller's values may lie where making room moves them: in rows and in sparse values of the world itself. */
static void test_overrides_from_inside_of_the_world(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    for (int i = 0; i < 10; i++) {
        test_set_context("round %d", i);
        shoal_entity roots[37];
        const shoal_value values[] = {{SHOAL_ID(Position), SHOAL_GET(s.world, s.deck, Position)},
                                      {SHOAL_ID(Mark), SHOAL_GET(s.world, s.deck, Mark)},
                                      {SHOAL_ID(Owned), SHOAL_GET(s.world, s.ship, Owned)},
                                      {SHOAL_ID(Seal), SHOAL_GET(s.world, s.ship, Seal)}};
        assert_ok(shoal_instantiate(
            s.world, s.deck,
            &(shoal_instantiate_def){.count = 37, .values = values, .value_count = 4, .entities = roots}));
        assert_valid(s.world);
        for (size_t k = 0; k < 37; k++) {
            assert_true(SHOAL_GET(s.world, roots[k], Position)->y == 5);
            assert_count(SHOAL_GET(s.world, roots[k], Mark)->number, 9);
        }
    }
    scene_end(&s);
}

/* ---- many ---- */

static void test_a_thousand_copies(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    assert_ok(shoal_make_prefab(s.world, s.ship));
    static shoal_entity roots[1000];
    assert_ok(shoal_instantiate(s.world, s.ship,
                                &(shoal_instantiate_def){.count = 1000, .parent = s.fleet, .entities = roots}));
    assert_valid(s.world);
    assert_count(shoal_world_entity_count(s.world), 8 + 6000);
    for (size_t i = 0; i < 1000; i += 37) {
        check_tree(s.world, s.ship, roots[i], true);
        assert_entity(shoal_parent(s.world, roots[i]), s.fleet);
    }
    check_tree(s.world, s.ship, roots[999], true);
    assert_entity(last_child(s.world, s.fleet), roots[999]);
    assert_ok(shoal_destroy_many(s.world, roots, 1000));
    assert_valid(s.world);
    assert_count(shoal_world_entity_count(s.world), 8);
    scene_end(&s);
}

/* Copies at once are what as many calls would have made, and take the handles that these would have taken. */
static void test_many_at_once_are_many_calls(void **state) {
    (void)state;
    text_buffer texts[2];
    for (int way = 0; way < 2; way++) {
        scene s;
        scene_start(&s, NULL);
        const shoal_value values[] = {SHOAL_VALUE(Health, 4), SHOAL_TO(Owner, s.port), SHOAL_VALUE(Mark, 2, s.port)};
        shoal_instantiate_def def = {.count = way == 0 ? 7 : 1, .values = values, .value_count = 3, .parent = s.port};
        shoal_entity gone[] = {scene_spawn(s.world, no_values, 0), scene_spawn(s.world, no_values, 0),
                               scene_spawn(s.world, no_values, 0)};
        assert_ok(shoal_destroy(s.world, gone[1]));
        for (int i = 0; i < (way == 0 ? 1 : 7); i++) {
            assert_ok(shoal_instantiate(s.world, s.ship, &def));
            assert_valid(s.world);
        }
        texts[way] = world_describe(s.world);
        scene_end(&s);
    }
    text_check(&texts[0], &texts[1]);
}

/* Trees that are deep, and wide: no recursion, no quadratic time. */
static void test_large_trees(void **state) {
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        fixture f;
        fixture_start(&f, NULL);
        shoal_entity root = scene_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 1, 1)));
        shoal_entity parent = root;
        for (int i = 0; i < 30000; i++) {
            shoal_entity child =
                scene_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Position, (float)i, 0, 0), SHOAL_TO(ChildOf, parent)));
            parent = deep ? child : root;
        }
        assert_ok(shoal_make_prefab(f.world, root));
        assert_valid(f.world);
        shoal_entity copies[2];
        assert_ok(shoal_instantiate(f.world, root, &(shoal_instantiate_def){.count = 2, .entities = copies}));
        assert_valid(f.world);
        assert_count(shoal_world_entity_count(f.world), 3 * 30001);
        shoal_entity at = copies[1];
        for (int i = 0; shoal_tree_next(f.world, SHOAL_ID(ChildOf), copies[1], &at); i++) {
            assert_true(SHOAL_GET(f.world, at, Position)->x == (float)i);
            assert_count(shoal_depth(f.world, SHOAL_ID(ChildOf), at), deep ? i + 1 : 1);
        }
        fixture_end(&f);
    }
}

/* ---- hooks ---- */

static text_buffer noted; /* what was told */
static bool noted_fine;   /* all that a hook saw was in place */

static void noted_event(const shoal_component_event *event, const char *what) {
    shoal_entity parent = shoal_parent(event->world, event->entity);
    noted_fine = noted_fine && shoal_has(event->world, event->entity, event->component) &&
                 (shoal_entity_is_null(parent) || SHOAL_GET(event->world, parent, Noted) != NULL) &&
                 shoal_set_name(event->world, event->entity, "x") == SHOAL_WORLD_LOCKED;
    const Noted *value = event->component.id == SHOAL_ID(Noted).id ? event->value : NULL;
    text_add(&noted, "%s %s %d%s;", what, shoal_component_info(event->component)->name,
             value != NULL ? (int)value->number : -1, shoal_entity_is_null(event->target) ? "" : " to a target");
}

static void noted_add(const shoal_component_event *event, void *user) {
    (void)user;
    noted_event(event, "add");
}

static void noted_set(const shoal_component_event *event, void *user) {
    (void)user;
    noted_event(event, "set");
}

static void noted_expect(const char *expected) {
    assert_true(noted_fine);
    assert_string_equal(noted.text != NULL ? noted.text : "", expected);
    text_free(&noted);
}

static void test_hooks_are_told_when_all_is_in_place(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity root = scene_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Noted, 1)));
    shoal_entity child = scene_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Noted, 2), SHOAL_TO(ChildOf, root)));
    assert_ok(shoal_relate(f.world, root, SHOAL_ID(Follows), child, NULL));
    text_free(&noted);
    noted_fine = true;
    assert_false(shoal_entity_is_null(shoal_clone(f.world, root)));
    noted_expect("add Noted 1;add Follows -1 to a target;set Noted 1;");
    assert_false(shoal_entity_is_null(shoal_clone_tree(f.world, root)));
    noted_expect("add Noted 1;add Noted 2;add Follows -1 to a target;set Noted 1;set Noted 2;");
    const shoal_value value = SHOAL_VALUE(Noted, 7);
    assert_ok(
        shoal_instantiate(f.world, root, &(shoal_instantiate_def){.count = 2, .values = &value, .value_count = 1}));
    noted_expect("add Noted 7;add Noted 2;add Follows -1 to a target;set Noted 7;set Noted 2;"
                 "add Noted 7;add Noted 2;add Follows -1 to a target;set Noted 7;set Noted 2;");
    shoal_entity plain = scene_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    const shoal_value other = SHOAL_TO(Follows, plain); /* in place of the copied one, which nobody hears of */
    assert_ok(shoal_instantiate(f.world, root, &(shoal_instantiate_def){.values = &other, .value_count = 1}));
    noted_expect("add Noted 1;add Noted 2;add Follows -1 to a target;set Noted 1;set Noted 2;");
    const shoal_value fresh = SHOAL_DEFAULT(Noted);
    assert_ok(shoal_instantiate(f.world, plain, &(shoal_instantiate_def){.values = &fresh, .value_count = 1}));
    noted_expect("add Noted 0;"); /* nobody gave the value */
    shoal_entity there = scene_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Region, 1)));
    noted_expect("add Region -1;set Region -1;");
    assert_false(shoal_entity_is_null(shoal_clone(f.world, there)));
    noted_expect("add Region -1;"); /* the value of a chunk is there already */
    fixture_end(&f);
}

/* ---- failure ---- */

static shoal_status call_clone(scene *s) {
    return shoal_entity_is_null(shoal_clone(s->world, s->ship)) ? shoal_last_error(s->world).status : SHOAL_OK;
}

static shoal_status call_clone_tree(scene *s) {
    return shoal_entity_is_null(shoal_clone_tree(s->world, s->ship)) ? shoal_last_error(s->world).status : SHOAL_OK;
}

static shoal_status call_instantiate(scene *s) {
    const shoal_value values[] = {SHOAL_VALUE(Faction, 6),
                                  SHOAL_VALUE(Bounds, 41),
                                  SHOAL_VALUE(Hull, 2),
                                  SHOAL_VALUE(Mark, 1, s->gun),
                                  SHOAL_TO(Likes, s->fleet),
                                  SHOAL_TO(Oath, s->fleet),
                                  SHOAL_DEFAULT(Preset),
                                  {SHOAL_ID(Owned), &s->own},
                                  {SHOAL_ID(Locker), SHOAL_GET(s->world, s->ship, Locker)}};
    return shoal_instantiate(
        s->world, s->ship,
        &(shoal_instantiate_def){.count = 40, .values = values, .value_count = 9, .parent = s->deck});
}

static shoal_status call_make_prefab(scene *s) {
    return shoal_make_prefab(s->world, s->ship);
}

static shoal_status (*const calls[])(scene *s) = {call_clone, call_clone_tree, call_instantiate, call_make_prefab};

typedef enum failure { FAIL_ONE, FAIL_LATER, FAIL_HOOK } failure;

static tracker *const trackers[] = {&owned_tracker, &boxed_tracker, &crate_tracker,
                                    &seal_tracker,  &oath_tracker,  &locker_tracker};
#define TRACKERS (sizeof trackers / sizeof trackers[0])

static void failure_arm(scene *s, failure way, size_t n, size_t hook) {
    if (way == FAIL_HOOK) {
        owned_arm(trackers[hook], n);
    } else {
        fake_allocator_arm(&s->f.fake, n, way == FAIL_LATER);
    }
}

static bool failure_disarm(scene *s, failure way, size_t hook) {
    return way == FAIL_HOOK ? owned_disarm(trackers[hook]) : fake_allocator_disarm(&s->f.fake);
}

/* The call with its n-th point failing, for n from 1 on, until it goes through. */
static size_t failures_run(size_t call, failure way, size_t hook) {
    scene s;
    scene_start(&s, NULL);
    size_t points = 0;
    for (shoal_status status = SHOAL_HOOK_FAILED; status != SHOAL_OK;) {
        test_set_context("call %zu, way %d, hook %zu, point %zu", call, (int)way, hook, points + 1);
        text_buffer before = world_describe(s.world);
        int64_t live[TRACKERS];
        for (size_t i = 0; i < TRACKERS; i++) {
            live[i] = trackers[i]->live;
        }
        failure_arm(&s, way, points + 1, hook);
        status = calls[call](&s);
        bool failed = failure_disarm(&s, way, hook);
        assert_valid(s.world);
        if (status == SHOAL_OK) {
            /* A failing allocation that only costs speed is no failure of the call. */
            assert_true(!failed || way == FAIL_ONE);
            free(before.text);
            break;
        }
        assert_status(status, way == FAIL_HOOK ? SHOAL_HOOK_FAILED : SHOAL_OUT_OF_MEMORY);
        assert_true(failed);
        text_buffer after = world_describe(s.world);
        text_check(&after, &before);
        for (size_t i = 0; i < TRACKERS; i++) {
            assert_owned(trackers[i], live[i]);
        }
        assert_true(++points < MOST_POINTS);
    }
    test_set_context("%s", "");
    scene_end(&s);
    return points;
}

static void test_allocation_fails_at_every_point(void **state) {
    (void)state;
    for (size_t call = 0; call < 4; call++) {
        assert_true(failures_run(call, FAIL_ONE, 0) > 0);
        assert_true(failures_run(call, FAIL_LATER, 0) > 0);
    }
}

static void test_hooks_fail_at_every_point(void **state) {
    (void)state;
    for (size_t hook = 0; hook < TRACKERS; hook++) {
        /* The value of a chunk is made with the chunk: clones come into that of their source. */
        bool is_copied = trackers[hook] != &locker_tracker;
        assert_int_equal(failures_run(0, FAIL_HOOK, hook) > 0, is_copied);
        assert_int_equal(failures_run(1, FAIL_HOOK, hook) > 0, is_copied);
        assert_true(failures_run(2, FAIL_HOOK, hook) > 0);
        assert_int_equal(failures_run(3, FAIL_HOOK, hook) > 0, !is_copied);
    }
}

/* Handles that a failed call would have given have no names, and what it reserved does not add up. */
static void test_failures_leave_nothing_hidden(void **state) {
    (void)state;
    for (size_t n = 1, failed = 1; failed; n++) {
        test_set_context("point %zu", n);
        scene s;
        scene_start(&s, NULL);
        fake_allocator_arm(&s.f.fake, n, true);
        failed = call_clone_tree(&s) != SHOAL_OK;
        (void)fake_allocator_disarm(&s.f.fake);
        for (int i = 0; i < 6; i++) {
            assert_null(shoal_name(s.world, scene_spawn(s.world, no_values, 0)));
        }
        scene_end(&s);
    }
    scene s;
    scene_start(&s, NULL);
    size_t bytes = 0;
    for (int i = 0; i < 40; i++) {
        test_set_context("failure %d", i);
        owned_arm(&oath_tracker, 1);
        assert_status(call_instantiate(&s), SHOAL_HOOK_FAILED);
        assert_true(owned_disarm(&oath_tracker));
        bytes = i == 1 ? fixture_total_bytes(&s.f) : bytes;
        assert_true(i < 1 || fixture_total_bytes(&s.f) == bytes);
    }
    test_set_context("%s", "");
    scene_end(&s);
}

/* ---- refusals ---- */

static void instantiate_refused(scene *s, const shoal_instantiate_def *def, shoal_status expected) {
    text_buffer before = world_describe(s->world);
    assert_status(shoal_instantiate(s->world, s->ship, def), expected);
    assert_last_error(s->world, expected);
    assert_message_has(s->world, "shoal_instantiate");
    text_buffer after = world_describe(s->world);
    text_check(&after, &before);
    assert_valid(s->world);
}

static void test_refusals_of_instantiate(void **state) {
    (void)state;
    scene s;
    scene_start(&s, &(shoal_world_def){.entity_limit = 60});
    shoal_entity dead = shoal_clone(s.world, s.deck);
    assert_ok(shoal_destroy(s.world, dead));
    const shoal_value twice[] = {SHOAL_VALUE(Health, 1), SHOAL_VALUE(Health, 2)};
    const shoal_value unknown = {{60000}, NULL}, negative = SHOAL_VALUE(Gauge, -1), dying = SHOAL_DEFAULT(Dying);
    const shoal_value orphan = SHOAL_DEFAULT(Owner), child = SHOAL_TO(ChildOf, s.port), lost = SHOAL_TO(Owner, dead);
    const struct {
        shoal_instantiate_def def;
        shoal_status status;
    } cases[] = {
        {{.value_count = 1}, SHOAL_INVALID_ARGUMENT},
        {{.values = twice, .value_count = 2}, SHOAL_COMPONENT_DUPLICATE},
        {{.values = &unknown, .value_count = 1}, SHOAL_COMPONENT_INVALID},
        {{.values = &dying, .value_count = 1}, SHOAL_COMPONENT_KIND},
        {{.values = &negative, .value_count = 1}, SHOAL_VALUE_REFUSED},
        {{.values = &orphan, .value_count = 1}, SHOAL_ENTITY_NULL},
        {{.values = &lost, .value_count = 1}, SHOAL_ENTITY_DEAD},
        {{.parent = dead}, SHOAL_ENTITY_DEAD},
        {{.parent = {1}}, SHOAL_ENTITY_PLACEHOLDER},
        {{.values = &child, .value_count = 1, .parent = s.fleet}, SHOAL_COMPONENT_DUPLICATE},
        {{.count = 9}, SHOAL_ENTITY_LIMIT},
        {{.count = SIZE_MAX}, SHOAL_ENTITY_LIMIT},
        {{.count = SIZE_MAX / 2 + 2}, SHOAL_ENTITY_LIMIT}, /* six times as many are six, but for an overflow */
        {{.count = SIZE_MAX / 3, .parent = s.fleet}, SHOAL_ENTITY_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_set_context("case %zu", i);
        instantiate_refused(&s, &cases[i].def, cases[i].status);
    }
    test_set_context("%s", "");
    instantiate_refused(&s, NULL, SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_instantiate(NULL, s.ship, &(shoal_instantiate_def){0}), SHOAL_INVALID_ARGUMENT);
    assert_ok(shoal_instantiate(s.world, s.ship, &(shoal_instantiate_def){.count = 8}));
    scene_end(&s);
}

/* One bad root for every call; each is refused with the same status, and names itself. */
static void root_refused(shoal_world *world, shoal_entity root, shoal_status expected) {
    assert_true(shoal_entity_is_null(shoal_clone(world, root)));
    assert_last_error(world, expected);
    assert_message_has(world, "shoal_clone");
    assert_true(shoal_entity_is_null(shoal_clone_tree(world, root)));
    assert_last_error(world, expected);
    assert_message_has(world, "shoal_clone_tree");
    assert_status(shoal_make_prefab(world, root), expected);
    assert_message_has(world, "shoal_make_prefab");
    assert_status(shoal_instantiate(world, root, &(shoal_instantiate_def){0}), expected);
    assert_message_has(world, "shoal_instantiate");
    assert_valid(world);
}

static void test_refusals_of_roots(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL);
    shoal_world *other = shoal_world_create(NULL);
    shoal_entity foreign = scene_spawn(other, no_values, 0);
    shoal_entity dead = shoal_clone(s.world, s.deck);
    assert_ok(shoal_destroy(s.world, dead));
    shoal_entity dying = scene_spawn(s.world, SHOAL_VALUES(SHOAL_DEFAULT(Wreck)));
    assert_ok(shoal_destroy(s.world, dying));
    assert_true(shoal_is_dying(s.world, dying));
    root_refused(s.world, (shoal_entity){0}, SHOAL_ENTITY_NULL);
    root_refused(s.world, (shoal_entity){1}, SHOAL_ENTITY_PLACEHOLDER);
    root_refused(s.world, dead, SHOAL_ENTITY_DEAD);
    root_refused(s.world, foreign, SHOAL_ENTITY_FOREIGN);
    root_refused(s.world, dying, SHOAL_ENTITY_DYING);
    instantiate_refused(&s, &(shoal_instantiate_def){.parent = dying}, SHOAL_ENTITY_DYING);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, s.f.everything));
    root_refused(s.world, s.ship, SHOAL_WORLD_LOCKED);
    shoal_view_end(&view);
    assert_true(shoal_entity_is_null(shoal_clone(NULL, s.ship)));
    assert_true(shoal_entity_is_null(shoal_clone_tree(NULL, s.ship)));
    assert_status(shoal_make_prefab(NULL, s.ship), SHOAL_INVALID_ARGUMENT);
    assert_ok(shoal_world_destroy(other));
    scene_end(&s);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clone_copies_every_kind),
        cmocka_unit_test(test_clone_tree_turns_links_inside),
        cmocka_unit_test(test_prefabs_hide_and_instances_show),
        cmocka_unit_test(test_overrides_of_every_kind),
        cmocka_unit_test(test_given_values_are_not_turned),
        cmocka_unit_test(test_overrides_from_inside_of_the_world),
        cmocka_unit_test(test_a_thousand_copies),
        cmocka_unit_test(test_many_at_once_are_many_calls),
        cmocka_unit_test(test_large_trees),
        cmocka_unit_test(test_hooks_are_told_when_all_is_in_place),
        cmocka_unit_test(test_allocation_fails_at_every_point),
        cmocka_unit_test(test_hooks_fail_at_every_point),
        cmocka_unit_test(test_failures_leave_nothing_hidden),
        cmocka_unit_test(test_refusals_of_instantiate),
        cmocka_unit_test(test_refusals_of_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
