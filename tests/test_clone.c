/*
 * Clones, copies of trees, prefabs: one scene with components of every kind, links and entity fields inside of a tree
 * and out of it.
 *
 * A copy is checked by text: an entity is written down with all that it has, the original with each handle of the tree
 * replaced by that of its copy, and both texts must be equal. The same writing shows that a call that failed (the n-th
 * allocation, the n-th hook) has left the world as it was.
 */
#include "support/components.h"
#include "support/fixture.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 16
#define MOST_POINTS 4000

static tracker crate_tracker = {.name = "Crate"};
static tracker seal_tracker = {.name = "Seal", .has_ctor = true, .follows = true};
static tracker oath_tracker = {.name = "Oath", .has_ctor = true, .follows = true};

typedef struct Awake {
    int32_t value;
} Awake;

typedef struct Faction {
    int32_t id;
} Faction;

typedef struct Bounds {
    int32_t radius;
} Bounds;

typedef struct Waypoint {
    int32_t number;
    shoal_entity at;
} Waypoint;

typedef struct Mark {
    int32_t number;
    shoal_entity who;
} Mark;

typedef struct Holds {
    int32_t count;
    shoal_entity maker;
} Holds;

typedef struct Engine {
    int32_t power;
} Engine;

typedef struct Hull {
    int32_t points;
} Hull;

typedef struct Noted {
    int32_t number;
} Noted;

typedef Owned Crate; /* elements of a buffer */
typedef Owned Seal;  /* sparse */
typedef Owned Oath;  /* data of a relation */

static void noted_add(const shoal_component_event *event, void *user);
static void noted_set(const shoal_component_event *event, void *user);

SHOAL_COMPONENT(Awake, .toggle = true)
SHOAL_COMPONENT(Faction, .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT(Bounds, .storage = SHOAL_STORAGE_CHUNK)
SHOAL_COMPONENT(Waypoint, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 2,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Waypoint, number), SHOAL_FIELD(Waypoint, at)))
SHOAL_COMPONENT(Crate, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 1, .copy = owned_copy, .dtor = owned_dtor,
                .user = &crate_tracker)
SHOAL_COMPONENT(Mark, .storage = SHOAL_STORAGE_SPARSE,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Mark, number), SHOAL_FIELD(Mark, who)))
SHOAL_COMPONENT(Seal, .storage = SHOAL_STORAGE_SPARSE, .stable = true, .ctor = owned_ctor, .copy = owned_copy,
                .move = owned_move, .dtor = owned_dtor, .user = &seal_tracker)
SHOAL_TAG(Burning, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_RELATION(Owner, .exclusive = true)
SHOAL_RELATION(Likes)
SHOAL_RELATION_DATA(Holds, .fields = SHOAL_FIELDS(SHOAL_FIELD(Holds, count), SHOAL_FIELD(Holds, maker)))
SHOAL_RELATION_DATA(Oath, .exclusive = true, .ctor = owned_ctor, .copy = owned_copy, .move = owned_move,
                    .dtor = owned_dtor, .user = &oath_tracker, .on_target_destroyed = SHOAL_TARGET_DESTROY)
SHOAL_COMPONENT(Engine)
SHOAL_COMPONENT(Hull, .required = SHOAL_REQUIRES(SHOAL_SLOT(Engine), SHOAL_SLOT(Burning)))
SHOAL_COMPONENT(Noted, .on_add = noted_add, .on_set = noted_set)
SHOAL_RELATION(Follows, .on_add = noted_add, .on_set = noted_set)
SHOAL_TAG(Wreck, .cleanup = true)

/* ---- writing entities down ---- */

typedef struct text {
    char *bytes;
    size_t length;
    size_t capacity;
} text;

static void text_add(text *to, const char *format, ...) {
    char piece[320];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof piece);
    if (to->length + (size_t)length + 1 > to->capacity) {
        to->capacity = to->capacity * 2 + 4096;
        to->bytes = realloc(to->bytes, to->capacity);
        assert_non_null(to->bytes);
    }
    memcpy(to->bytes + to->length, piece, (size_t)length + 1);
    to->length += (size_t)length;
}

static void text_check(text *actual, text *expected) {
    if (strcmp(actual->bytes, expected->bytes) != 0) {
        print_error("is\n%sshould be\n%s", actual->bytes, expected->bytes);
        if (test_context[0] != '\0') {
            print_error("at %s\n", test_context);
        }
    }
    assert_string_equal(actual->bytes, expected->bytes);
    free(actual->bytes);
    free(expected->bytes);
}

/* A tree and its copy: handles of one are written as those of the other. */
typedef struct pairs {
    shoal_entity from[MOST_NODES];
    shoal_entity to[MOST_NODES];
    size_t count;
} pairs;

static shoal_entity mapped(const pairs *map, shoal_entity entity) {
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        if (map->from[i].bits == entity.bits) {
            return map->to[i];
        }
    }
    return entity;
}

static void entity_write(text *to, const pairs *map, shoal_entity entity) {
    shoal_entity shown = mapped(map, entity);
    text_add(to, "%" PRIu32 ":%" PRIu32 "%s", shoal_entity_index(shown), shoal_entity_generation(shown),
             shoal_entity_is_null(shown) ? "null" : "");
}

static void owned_write(text *to, const tracker *track, const void *value) {
    uint32_t payload = 0;
    assert_true(owned_read(track, value, &payload));
    text_add(to, "%" PRIu32, payload);
}

/* One value; of a buffer, one element. */
static void value_write(text *to, const pairs *map, shoal_component component, const void *value) {
    if (component.id == SHOAL_ID(Link).id) {
        const Link *link = value;
        const shoal_entity fields[] = {link->target, link->pair[0], link->pair[1], link->inner.again};
        for (size_t i = 0; i < 4; i++) {
            text_add(to, " ");
            entity_write(to, map, fields[i]);
        }
    } else if (component.id == SHOAL_ID(Waypoint).id || component.id == SHOAL_ID(Mark).id ||
               component.id == SHOAL_ID(Holds).id) {
        Mark mark; /* the three have one layout */
        memcpy(&mark, value, sizeof mark);
        text_add(to, "%" PRId32 " ", mark.number);
        entity_write(to, map, mark.who);
    } else if (shoal_component_info(component)->copy != NULL) {
        owned_write(to, shoal_component_info(component)->user, value);
    } else {
        const unsigned char *bytes = value;
        for (size_t i = 0; i < shoal_component_info(component)->size; i++) {
            text_add(to, "%02x", bytes[i]);
        }
    }
}

static void relation_write(text *to, const pairs *map, shoal_world *world, shoal_entity entity,
                           shoal_component relation) {
    shoal_target_walk walk = shoal_targets(world, entity, relation);
    while (shoal_targets_next(&walk)) {
        text_add(to, " ->");
        entity_write(to, map, walk.target);
        if (walk.data != NULL) {
            text_add(to, " with ");
            value_write(to, map, relation, walk.data);
        }
    }
}

static void component_write(text *to, const pairs *map, shoal_world *world, shoal_entity entity,
                            shoal_component component) {
    const shoal_component_def *def = shoal_component_info(component);
    text_add(to, "  %s%s ", def->name, shoal_is_enabled(world, entity, component) ? "" : " off");
    if (def->storage == SHOAL_STORAGE_RELATION) {
        relation_write(to, map, world, entity, component);
    } else if (def->storage == SHOAL_STORAGE_BUFFER) {
        shoal_buffer buffer = shoal_buffer_get(world, entity, component);
        const char *items = shoal_buffer_items(buffer);
        for (size_t i = 0; i < shoal_buffer_count(buffer); i++) {
            text_add(to, " [");
            value_write(to, map, component, items + i * def->size);
            text_add(to, "]");
        }
    } else if (def->size != 0) {
        value_write(to, map, component, shoal_get(world, entity, component));
    }
    text_add(to, "\n");
}

/* What an entity has. `skipped` leaves three components out. */
static void entity_describe(text *to, const pairs *map, shoal_world *world, shoal_entity entity,
                            const shoal_component *skipped) {
    shoal_component component = {0};
    while (shoal_next_component(world, entity, &component)) {
        if (skipped == NULL || (component.id != skipped[0].id && component.id != skipped[1].id &&
                                component.id != skipped[2].id)) {
            component_write(to, map, world, entity, component);
        }
    }
}

static void sources_describe(text *to, const pairs *map, shoal_world *world, shoal_entity target) {
    const shoal_component relations[] = {SHOAL_ID(ChildOf), SHOAL_ID(Owner), SHOAL_ID(Likes), SHOAL_ID(Oath)};
    for (size_t i = 0; i < 4; i++) {
        text_add(to, "  %s <-", shoal_component_info(relations[i])->name);
        shoal_source_walk walk = shoal_sources(world, relations[i], target);
        while (shoal_sources_next(&walk)) {
            for (size_t k = 0; k < walk.count; k++) {
                text_add(to, " ");
                entity_write(to, map, walk.entities[k]);
            }
        }
        text_add(to, "\n");
    }
}

static text world_describe(shoal_world *world) {
    text whole = {0};
    shoal_entity entity = {0};
    while (shoal_next_entity(world, &entity)) {
        entity_write(&whole, NULL, entity);
        const char *name = shoal_name(world, entity);
        text_add(&whole, " %s, depth %" PRIu32 "\n", name != NULL ? name : "",
                 shoal_depth(world, SHOAL_ID(ChildOf), entity));
        entity_describe(&whole, NULL, world, entity, NULL);
        sources_describe(&whole, NULL, world, entity);
    }
    return whole;
}

/* ---- the scene ---- */

/* ship: turret (gun: barrel), turret, deck. The names are those of the members. */
typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_entity fleet; /* the parent of the ship */
    shoal_entity port;  /* outside of the tree */
    shoal_entity ship, turret, gun, barrel, second, deck;
    Owned own;          /* a value of the test's own */
    int64_t live[3];    /* of the trackers of this file, when the scene was made */
} scene;

static shoal_entity spawn(shoal_world *world, const shoal_value *values, size_t count) {
    shoal_entity entity = shoal_spawn(world, values, count);
    if (shoal_entity_is_null(entity)) {
        print_error("%s\n", shoal_last_error(world).message);
    }
    assert_false(shoal_entity_is_null(entity));
    return entity;
}

static void scene_ship(scene *s) {
    shoal_world *world = s->world;
    Owned boxed = {0};
    Owned crates[2];
    Owned seal, oath;
    owned_make(&owned_tracker, &s->own, 71);
    owned_make(&boxed_tracker, &boxed, 72);
    owned_make(&crate_tracker, &crates[0], 73);
    owned_make(&crate_tracker, &crates[1], 74);
    owned_make(&seal_tracker, &seal, 75);
    owned_make(&oath_tracker, &oath, 76);
    const shoal_value ship[] = {SHOAL_VALUE(Position, 1, 2, 3),
                                {SHOAL_ID(Owned), &s->own},
                                {SHOAL_ID(Boxed), &boxed},
                                SHOAL_VALUE(Faction, 5),
                                SHOAL_DEFAULT(Bounds),
                                {SHOAL_ID(Crate), &(shoal_span){crates, 2}},
                                {SHOAL_ID(Seal), &seal},
                                SHOAL_TO(ChildOf, s->fleet),
                                {SHOAL_ID(Oath), &(shoal_link){s->port, &oath}},
                                SHOAL_DEFAULT(Frozen)};
    s->ship = spawn(world, ship, sizeof ship / sizeof ship[0]);
    owned_end(&boxed_tracker, &boxed);
    owned_end(&crate_tracker, &crates[0]);
    owned_end(&crate_tracker, &crates[1]);
    owned_end(&seal_tracker, &seal);
    owned_end(&oath_tracker, &oath);
}

/* What leads from inside to inside, and from inside to outside. */
static void scene_cross_links(scene *s) {
    shoal_world *world = s->world;
    const Waypoint path[] = {{1, s->port}, {2, s->deck}, {3, s->ship}, {4, {0}}};
    assert_ok(shoal_add(world, s->turret, SHOAL_ID(Waypoint), &(shoal_span){path, 4}));
    assert_ok(shoal_add(world, s->second, SHOAL_ID(Waypoint), &(shoal_span){path + 1, 1}));
    Link link = {.target = s->barrel, .pair = {s->port, s->ship}, .inner = {0, s->turret}};
    assert_ok(shoal_add(world, s->gun, SHOAL_ID(Link), &link));
    assert_ok(SHOAL_ADD(world, s->ship, Mark, 8, s->second));
    assert_ok(SHOAL_ADD(world, s->deck, Mark, 9, s->port));
    assert_ok(shoal_add(world, s->gun, SHOAL_ID(Burning), NULL));
    assert_ok(shoal_relate(world, s->barrel, SHOAL_ID(Owner), s->ship, NULL));
    assert_ok(shoal_relate(world, s->gun, SHOAL_ID(Owner), s->port, NULL));
    assert_ok(shoal_relate(world, s->ship, SHOAL_ID(Likes), s->port, NULL));
    assert_ok(shoal_relate(world, s->ship, SHOAL_ID(Likes), s->deck, NULL));
    assert_ok(shoal_relate(world, s->ship, SHOAL_ID(Likes), s->ship, NULL));
    assert_ok(shoal_relate(world, s->deck, SHOAL_ID(Holds), s->gun, &(Holds){2, s->barrel}));
    assert_ok(shoal_relate(world, s->deck, SHOAL_ID(Holds), s->port, &(Holds){3, s->fleet}));
    assert_ok(shoal_relate(world, s->port, SHOAL_ID(Likes), s->ship, NULL)); /* leads into the tree: it is not copied */
}

static void scene_start(scene *s, const shoal_world_def *def) {
    *s = (scene){.live = {crate_tracker.live, seal_tracker.live, oath_tracker.live}};
    fixture_start(&s->f, def);
    shoal_world *world = s->world = s->f.world;
    s->fleet = spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 0, 0, 0)));
    s->port = spawn(world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    scene_ship(s);
    s->turret = spawn(world, SHOAL_VALUES(SHOAL_VALUE(Awake, 11), SHOAL_TO(ChildOf, s->ship)));
    s->second = spawn(world, SHOAL_VALUES(SHOAL_VALUE(Awake, 12), SHOAL_TO(ChildOf, s->ship)));
    s->deck = spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 4, 5, 6), SHOAL_TO(ChildOf, s->ship)));
    s->gun = spawn(world, SHOAL_VALUES(SHOAL_VALUE(Awake, 13), SHOAL_TO(ChildOf, s->turret)));
    s->barrel = spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 7, 8, 9), SHOAL_TO(ChildOf, s->gun)));
    scene_cross_links(s);
    assert_ok(shoal_disable(world, s->second, SHOAL_ID(Awake)));
    assert_ok(SHOAL_SET(world, s->ship, Bounds, 40));
    assert_ok(shoal_order_source(world, SHOAL_ID(ChildOf), s->deck, s->turret));
    assert_ok(shoal_set_name(world, s->ship, "ship"));
    assert_ok(shoal_set_name(world, s->turret, "turret"));
    assert_ok(shoal_set_name(world, s->gun, "gun"));
    assert_ok(shoal_set_name(world, s->deck, "deck"));
    assert_valid(world);
}

static void scene_end(scene *s) {
    owned_end(&owned_tracker, &s->own);
    fixture_end(&s->f);
    assert_owned(&crate_tracker, s->live[0]);
    assert_owned(&seal_tracker, s->live[1]);
    assert_owned(&oath_tracker, s->live[2]);
}

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
        text expected = {0}, actual = {0};
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
        text expected = {0}, actual = {0};
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
    text before = {0}, after = {0};
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
    Owned crate, seal;
    owned_make(&crate_tracker, &crate, 81);
    owned_make(&seal_tracker, &seal, 82);
    const Waypoint stop = {6, s.deck};
    const shoal_value values[] = {SHOAL_VALUE(Position, 9, 9, 9),
                                  SHOAL_DEFAULT(Boxed), /* there already: it stays */
                                  SHOAL_VALUE(Faction, 6),
                                  SHOAL_VALUE(Bounds, 41),
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
    text texts[2];
    for (int way = 0; way < 2; way++) {
        scene s;
        scene_start(&s, NULL);
        const shoal_value values[] = {SHOAL_VALUE(Health, 4), SHOAL_TO(Owner, s.port), SHOAL_VALUE(Mark, 2, s.port)};
        shoal_instantiate_def def = {.count = way == 0 ? 7 : 1, .values = values, .value_count = 3, .parent = s.port};
        shoal_entity gone[] = {spawn(s.world, NULL, 0), spawn(s.world, NULL, 0), spawn(s.world, NULL, 0)};
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
        shoal_entity root = spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Position, 1, 1, 1)));
        shoal_entity parent = root;
        for (int i = 0; i < 30000; i++) {
            shoal_entity child = spawn(
                f.world, SHOAL_VALUES(SHOAL_VALUE(Position, (float)i, 0, 0), SHOAL_TO(ChildOf, parent)));
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

static text noted;      /* what was told */
static bool noted_fine; /* all that a hook saw was in place */

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
    assert_string_equal(noted.bytes != NULL ? noted.bytes : "", expected);
    free(noted.bytes);
    noted = (text){0};
}

static void test_hooks_are_told_when_all_is_in_place(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity root = spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Noted, 1)));
    shoal_entity child = spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Noted, 2), SHOAL_TO(ChildOf, root)));
    assert_ok(shoal_relate(f.world, root, SHOAL_ID(Follows), child, NULL));
    free(noted.bytes);
    noted = (text){0};
    noted_fine = true;
    assert_false(shoal_entity_is_null(shoal_clone(f.world, root)));
    noted_expect("add Noted 1;add Follows -1 to a target;set Noted 1;");
    assert_false(shoal_entity_is_null(shoal_clone_tree(f.world, root)));
    noted_expect("add Noted 1;add Noted 2;add Follows -1 to a target;set Noted 1;set Noted 2;");
    const shoal_value value = SHOAL_VALUE(Noted, 7);
    assert_ok(shoal_instantiate(f.world, root,
                                &(shoal_instantiate_def){.count = 2, .values = &value, .value_count = 1}));
    noted_expect("add Noted 7;add Noted 2;add Follows -1 to a target;set Noted 7;set Noted 2;"
                 "add Noted 7;add Noted 2;add Follows -1 to a target;set Noted 7;set Noted 2;");
    shoal_entity plain = spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    const shoal_value fresh = SHOAL_DEFAULT(Noted);
    assert_ok(shoal_instantiate(f.world, plain, &(shoal_instantiate_def){.values = &fresh, .value_count = 1}));
    noted_expect("add Noted 0;"); /* nobody gave the value */
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
    const shoal_value values[] = {SHOAL_VALUE(Faction, 6),     SHOAL_VALUE(Bounds, 41),   SHOAL_VALUE(Hull, 2),
                                  SHOAL_VALUE(Mark, 1, s->gun), SHOAL_TO(Likes, s->fleet), SHOAL_TO(Oath, s->fleet),
                                  SHOAL_DEFAULT(Preset),       {SHOAL_ID(Owned), &s->own}};
    return shoal_instantiate(
        s->world, s->ship,
        &(shoal_instantiate_def){.count = 40, .values = values, .value_count = 8, .parent = s->deck});
}

static shoal_status call_make_prefab(scene *s) {
    return shoal_make_prefab(s->world, s->ship);
}

static shoal_status (*const calls[])(scene *s) = {call_clone, call_clone_tree, call_instantiate, call_make_prefab};

typedef enum failure { FAIL_ONE, FAIL_LATER, FAIL_HOOK } failure;

static tracker *const trackers[] = {&owned_tracker, &boxed_tracker, &crate_tracker, &seal_tracker, &oath_tracker};

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
        text before = world_describe(s.world);
        int64_t live[5];
        for (size_t i = 0; i < 5; i++) {
            live[i] = trackers[i]->live;
        }
        failure_arm(&s, way, points + 1, hook);
        status = calls[call](&s);
        bool failed = failure_disarm(&s, way, hook);
        assert_valid(s.world);
        if (status == SHOAL_OK) {
            /* A failing allocation that only costs speed is no failure of the call. */
            assert_true(!failed || way == FAIL_ONE);
            free(before.bytes);
            break;
        }
        assert_status(status, way == FAIL_HOOK ? SHOAL_HOOK_FAILED : SHOAL_OUT_OF_MEMORY);
        assert_true(failed);
        text after = world_describe(s.world);
        text_check(&after, &before);
        for (size_t i = 0; i < 5; i++) {
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
    for (size_t hook = 0; hook < 5; hook++) {
        assert_true(failures_run(0, FAIL_HOOK, hook) > 0);
        assert_true(failures_run(1, FAIL_HOOK, hook) > 0);
        assert_true(failures_run(2, FAIL_HOOK, hook) > 0);
        assert_count(failures_run(3, FAIL_HOOK, hook), 0); /* nothing is copied */
    }
}

/* ---- refusals ---- */

static void instantiate_refused(scene *s, const shoal_instantiate_def *def, shoal_status expected) {
    text before = world_describe(s->world);
    assert_status(shoal_instantiate(s->world, s->ship, def), expected);
    assert_last_error(s->world, expected);
    assert_message_has(s->world, "shoal_instantiate");
    text after = world_describe(s->world);
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
    shoal_entity foreign = spawn(other, NULL, 0);
    shoal_entity dead = shoal_clone(s.world, s.deck);
    assert_ok(shoal_destroy(s.world, dead));
    shoal_entity dying = spawn(s.world, SHOAL_VALUES(SHOAL_DEFAULT(Wreck)));
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
        cmocka_unit_test(test_overrides_from_inside_of_the_world),
        cmocka_unit_test(test_a_thousand_copies),
        cmocka_unit_test(test_many_at_once_are_many_calls),
        cmocka_unit_test(test_large_trees),
        cmocka_unit_test(test_hooks_are_told_when_all_is_in_place),
        cmocka_unit_test(test_allocation_fails_at_every_point),
        cmocka_unit_test(test_hooks_fail_at_every_point),
        cmocka_unit_test(test_refusals_of_instantiate),
        cmocka_unit_test(test_refusals_of_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
