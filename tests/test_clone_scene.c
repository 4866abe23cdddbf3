/*
 * The types, the text and the scene of test_clone.h.
 */
#include "test_clone.h"

#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tracker crate_tracker = {.name = "Crate"};
tracker seal_tracker = {.name = "Seal", .has_ctor = true, .follows = true};
tracker oath_tracker = {.name = "Oath", .has_ctor = true, .follows = true};
tracker locker_tracker = {.name = "Locker", .has_ctor = true, .follows = true};

SHOAL_COMPONENT_DEFINE(Awake, .toggle = true)
SHOAL_COMPONENT_DEFINE(Faction, .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT_DEFINE(Bounds, .storage = SHOAL_STORAGE_CHUNK)
SHOAL_COMPONENT_DEFINE(Waypoint, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 2,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Waypoint, number), SHOAL_FIELD(Waypoint, at)))
SHOAL_COMPONENT_DEFINE(Crate, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 1, .copy = owned_copy,
                       .dtor = owned_dtor, .user = &crate_tracker)
SHOAL_COMPONENT_DEFINE(Mark, .storage = SHOAL_STORAGE_SPARSE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Mark, number), SHOAL_FIELD(Mark, who)))
SHOAL_COMPONENT_DEFINE(Seal, .storage = SHOAL_STORAGE_SPARSE, .stable = true, .ctor = owned_ctor, .copy = owned_copy,
                       .move = owned_move, .dtor = owned_dtor, .user = &seal_tracker)
SHOAL_COMPONENT_DEFINE(Locker, .storage = SHOAL_STORAGE_CHUNK, .ctor = owned_ctor, .copy = owned_copy,
                       .move = owned_move, .dtor = owned_dtor, .user = &locker_tracker)
SHOAL_TAG_DEFINE(Burning, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_RELATION_DEFINE(Owner, .exclusive = true)
SHOAL_RELATION_DEFINE(Likes)
SHOAL_COMPONENT_DEFINE(Holds, .storage = SHOAL_STORAGE_RELATION,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Holds, count), SHOAL_FIELD(Holds, maker)))
SHOAL_COMPONENT_DEFINE(Oath, .storage = SHOAL_STORAGE_RELATION, .exclusive = true, .ctor = owned_ctor,
                       .copy = owned_copy, .move = owned_move, .dtor = owned_dtor, .user = &oath_tracker,
                       .on_target_destroyed = SHOAL_TARGET_DESTROY)
SHOAL_COMPONENT_DEFINE(Engine)
SHOAL_COMPONENT_DEFINE(Hull, .required = SHOAL_REQUIRES(SHOAL_SLOT(Engine), SHOAL_SLOT(Burning)))

/* ---- entities as text ---- */

void text_check(text_buffer *actual, text_buffer *expected) {
    if (strcmp(actual->text, expected->text) != 0) {
        print_error("is\n%sshould be\n%s", actual->text, expected->text);
        if (test_context[0] != '\0') {
            print_error("at %s\n", test_context);
        }
    }
    assert_string_equal(actual->text, expected->text);
    free(actual->text);
    free(expected->text);
}

static shoal_entity mapped(const pairs *map, shoal_entity entity) {
    for (size_t i = 0; map != NULL && i < map->count; i++) {
        if (map->from[i].bits == entity.bits) {
            return map->to[i];
        }
    }
    return entity;
}

static void entity_write(text_buffer *to, const pairs *map, shoal_entity entity) {
    shoal_entity shown = mapped(map, entity);
    text_add(to, "%" PRIu32 ":%" PRIu32 "%s", shoal_entity_index(shown), shoal_entity_generation(shown),
             shoal_entity_is_null(shown) ? "null" : "");
}

static void owned_write(text_buffer *to, const tracker *track, const void *value) {
    uint32_t payload = 0;
    assert_true(owned_read(track, value, &payload));
    text_add(to, "%" PRIu32, payload);
}

/* One value; of a buffer, one element. */
static void value_write(text_buffer *to, const pairs *map, shoal_component component, const void *value) {
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

static void relation_write(text_buffer *to, const pairs *map, shoal_world *world, shoal_entity entity,
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

static void component_write(text_buffer *to, const pairs *map, shoal_world *world, shoal_entity entity,
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

void entity_describe(text_buffer *to, const pairs *map, shoal_world *world, shoal_entity entity,
                     const shoal_component *skipped) {
    shoal_component component = {0};
    while (shoal_next_component(world, entity, &component)) {
        if (skipped == NULL ||
            (component.id != skipped[0].id && component.id != skipped[1].id && component.id != skipped[2].id)) {
            component_write(to, map, world, entity, component);
        }
    }
}

static void sources_describe(text_buffer *to, const pairs *map, shoal_world *world, shoal_entity target) {
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

text_buffer world_describe(shoal_world *world) {
    text_buffer whole = {0};
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

shoal_entity scene_spawn(shoal_world *world, const shoal_value *values, size_t count) {
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
                                SHOAL_DEFAULT(Locker),
                                {SHOAL_ID(Crate), &(shoal_span){crates, 2}},
                                {SHOAL_ID(Seal), &seal},
                                SHOAL_TO(ChildOf, s->fleet),
                                {SHOAL_ID(Oath), &(shoal_link){s->port, &oath}},
                                SHOAL_DEFAULT(Frozen)};
    s->ship = scene_spawn(world, ship, sizeof ship / sizeof ship[0]);
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

void scene_start(scene *s, const shoal_world_def *def) {
    *s = (scene){.live = {crate_tracker.live, seal_tracker.live, oath_tracker.live, locker_tracker.live}};
    fixture_start(&s->f, def);
    shoal_world *world = s->world = s->f.world;
    s->fleet = scene_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 0, 0, 0)));
    s->port = scene_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    scene_ship(s);
    s->turret = scene_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Awake, 11), SHOAL_TO(ChildOf, s->ship)));
    s->second = scene_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Awake, 12), SHOAL_TO(ChildOf, s->ship)));
    s->deck = scene_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 4, 5, 6), SHOAL_TO(ChildOf, s->ship)));
    s->gun = scene_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Awake, 13), SHOAL_TO(ChildOf, s->turret)));
    s->barrel = scene_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 7, 8, 9), SHOAL_TO(ChildOf, s->gun)));
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

void scene_end(scene *s) {
    owned_end(&owned_tracker, &s->own);
    fixture_end(&s->f);
    assert_owned(&crate_tracker, s->live[0]);
    assert_owned(&seal_tracker, s->live[1]);
    assert_owned(&oath_tracker, s->live[2]);
    assert_owned(&locker_tracker, s->live[3]);
}
