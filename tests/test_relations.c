/*
 * Relations, as the public calls give them: from both ends, in order, with data and hooks; what each call refuses; what
 * the end of a target does. Conformance L5. The store below is in test_relation_store.c, trees are in
 * test_relation_trees.c, names in test_name_paths.c.
 */
#include "test_relations.h"

typedef struct Holds {
    int32_t count;
} Holds;

/* Tells its hooks, and refuses negative values. */
typedef struct Watched {
    int32_t value;
} Watched;

/* Owns something. */
typedef Owned Deed;

static tracker deed_tracker = {.name = "Deed", .has_ctor = true, .follows = true};

typedef struct watched_event {
    char kind; /* 'a', 's', 'r' */
    shoal_entity entity, target;
    int32_t value;
    bool locked;
} watched_event;

static watched_event watched_events[32];
static size_t watched_count;

static void watch(char kind, const shoal_component_event *event) {
    assert_true(watched_count < 32);
    watched_events[watched_count++] = (watched_event){.kind = kind,
                                                      .entity = event->entity,
                                                      .target = event->target,
                                                      .value = ((const Watched *)event->value)->value,
                                                      .locked = shoal_world_lock_holder(event->world) != NULL};
}

static void watched_on_add(const shoal_component_event *event, void *user) {
    (void)user;
    watch('a', event);
}

static void watched_on_set(const shoal_component_event *event, void *user) {
    (void)user;
    watch('s', event);
}

static void watched_on_remove(const shoal_component_event *event, void *user) {
    (void)user;
    watch('r', event);
}

static bool watched_validate(const void *value, void *user) {
    (void)user;
    return ((const Watched *)value)->value >= 0;
}

static const Holds three = {3};

SHOAL_RELATION(Likes)
SHOAL_RELATION(OwnedBy, .exclusive = true)
SHOAL_RELATION(Below, .acyclic = true)
SHOAL_RELATION(Guards, .on_target_destroyed = SHOAL_TARGET_REFUSE)
SHOAL_RELATION(CrewOf, .on_target_destroyed = SHOAL_TARGET_DESTROY)
SHOAL_RELATION(Needs, .required = SHOAL_REQUIRES(SHOAL_SLOT(Health)))
SHOAL_RELATION_DATA(Holds, .default_value = &three)
SHOAL_RELATION_DATA(Watched, .exclusive = true, .validate = watched_validate, .on_add = watched_on_add,
                    .on_set = watched_on_set, .on_remove = watched_on_remove)
SHOAL_RELATION_DATA(Deed, .exclusive = true, .ctor = owned_ctor, .copy = owned_copy, .move = owned_move,
                    .dtor = owned_dtor, .user = &deed_tracker)
SHOAL_TAG(Wreck, .cleanup = true)

static shoal_entity spawn_dying(shoal_world *world) {
    shoal_entity entity = shoal_spawn(world, SHOAL_VALUES(SHOAL_DEFAULT(Wreck)));
    assert_ok(shoal_destroy(world, entity));
    assert_true(shoal_is_dying(world, entity));
    return entity;
}

/* ---- links ---- */

static void test_many_targets(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component likes = SHOAL_ID(Likes);
    shoal_entity e[6];
    spawn_several(f.world, e, 6);
    for (size_t i = 1; i < 6; i++) {
        assert_ok(shoal_relate(f.world, e[0], likes, e[i], NULL));
        assert_ok(shoal_relate(f.world, e[i], likes, e[5], NULL)); /* also to itself */
        assert_valid(f.world);
    }
    assert_ok(shoal_relate(f.world, e[0], likes, e[3], NULL)); /* again: nothing changes */
    check_targets(f.world, e[0], likes, &e[1], 5);
    check_sources(f.world, likes, e[5], (shoal_entity[]){e[1], e[2], e[3], e[4], e[0], e[5]}, 6);
    check_sources(f.world, likes, e[0], NULL, 0);

    assert_ok(shoal_unrelate(f.world, e[0], likes, e[3]));
    assert_ok(shoal_unrelate(f.world, e[0], likes, e[3])); /* not there: no error */
    check_targets(f.world, e[0], likes, (shoal_entity[]){e[1], e[2], e[4], e[5]}, 4);
    check_sources(f.world, likes, e[3], NULL, 0);
    assert_ok(shoal_unrelate(f.world, e[0], likes, nobody));
    check_targets(f.world, e[0], likes, NULL, 0);
    check_sources(f.world, likes, e[5], (shoal_entity[]){e[1], e[2], e[3], e[4], e[5]}, 5);
    assert_valid(f.world);

    assert_ok(shoal_destroy(f.world, e[5]));
    check_targets(f.world, e[2], likes, NULL, 0);
    assert_valid(f.world);
    fixture_end(&f);
}

/* More targets than are looked at one by one, with few sources each and with many. */
static void test_hundreds_of_targets(void **state) {
    (void)state;
    enum { COUNT = 200 };
    fixture f;
    fixture_start(&f, NULL);
    shoal_component likes = SHOAL_ID(Likes);
    shoal_entity e[COUNT];
    spawn_several(f.world, e, COUNT);
    for (size_t i = 0; i < COUNT; i += 2) {
        assert_ok(shoal_relate(f.world, e[0], likes, e[i], NULL));
        assert_ok(shoal_relate(f.world, e[i], likes, e[2], NULL)); /* which comes to have a hundred sources */
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_count(shoal_is_related(f.world, e[0], likes, e[i]), i % 2 == 0);
        assert_ok(shoal_relate(f.world, e[0], likes, e[i], NULL));
    }
    for (size_t i = 0; i < COUNT; i += 4) {
        assert_ok(shoal_unrelate(f.world, e[0], likes, e[i]));
        assert_ok(shoal_unrelate(f.world, e[0], likes, e[i]));
    }
    assert_valid(f.world);
    for (size_t i = 0; i < COUNT; i++) {
        assert_count(shoal_is_related(f.world, e[0], likes, e[i]), i % 4 != 0);
        assert_count(shoal_is_related(f.world, e[1], likes, e[i]), 0);
    }
    shoal_entity copy = shoal_clone(f.world, e[0]);
    size_t count = 0;
    for (shoal_target_walk walk = shoal_targets(f.world, copy, likes); shoal_targets_next(&walk);) {
        assert_true(shoal_is_related(f.world, copy, likes, walk.target));
        count++;
    }
    assert_count(count, COUNT - COUNT / 4);
    assert_false(shoal_is_related(f.world, e[0], likes, copy));
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_exclusive_moves_to_the_end(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component owner = SHOAL_ID(OwnedBy);
    shoal_entity e[5];
    spawn_several(f.world, e, 5);
    for (size_t i = 2; i < 5; i++) {
        assert_ok(shoal_relate(f.world, e[i], owner, e[0], NULL));
    }
    assert_ok(shoal_relate(f.world, e[3], owner, e[1], NULL));
    check_sources(f.world, owner, e[0], (shoal_entity[]){e[2], e[4]}, 2);
    check_sources(f.world, owner, e[1], &e[3], 1);
    assert_ok(shoal_relate(f.world, e[3], owner, e[0], NULL));
    check_sources(f.world, owner, e[0], (shoal_entity[]){e[2], e[4], e[3]}, 3);
    check_targets(f.world, e[3], owner, &e[0], 1);
    assert_ok(shoal_unrelate(f.world, e[3], owner, e[1])); /* another target: not there */
    check_targets(f.world, e[3], owner, &e[0], 1);
    assert_valid(f.world);
    fixture_end(&f);
}

static int32_t held(const shoal_world *world, shoal_entity source, shoal_entity target) {
    const Holds *holds = shoal_relation_get(world, source, SHOAL_ID(Holds), target);
    assert_non_null(holds);
    return holds->count;
}

static void test_data(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component holds = SHOAL_ID(Holds);
    shoal_entity e[4];
    spawn_several(f.world, e, 4);
    assert_ok(shoal_relate(f.world, e[0], holds, e[1], &(Holds){12}));
    assert_ok(shoal_relate(f.world, e[0], holds, e[2], NULL));
    assert_int_equal(held(f.world, e[0], e[1]), 12);
    assert_int_equal(held(f.world, e[0], e[2]), 3); /* the default */
    assert_int_equal(held(f.world, e[0], nobody), 12);
    assert_ok(shoal_relate(f.world, e[0], holds, e[1], NULL)); /* keeps the data */
    assert_int_equal(held(f.world, e[0], e[1]), 12);
    assert_ok(shoal_relate(f.world, e[0], holds, e[1], &(Holds){13}));
    assert_int_equal(held(f.world, e[0], e[1]), 13);
    ((Holds *)shoal_relation_get_mut(f.world, e[0], holds, e[2]))->count = 40;
    /* From its own place, and from that of another link. */
    assert_ok(shoal_relate(f.world, e[0], holds, e[2], shoal_relation_get(f.world, e[0], holds, e[2])));
    assert_ok(shoal_relate(f.world, e[0], holds, e[3], shoal_relation_get(f.world, e[0], holds, e[2])));
    assert_int_equal(held(f.world, e[0], e[2]), 40);
    assert_int_equal(held(f.world, e[0], e[3]), 40);
    int32_t sum = 0;
    for (shoal_target_walk walk = shoal_targets(f.world, e[0], holds); shoal_targets_next(&walk);) {
        sum += ((const Holds *)walk.data)->count;
    }
    assert_int_equal(sum, 13 + 40 + 40);

    assert_null(shoal_relation_get(f.world, e[1], holds, nobody));
    assert_last_error(f.world, SHOAL_RELATION_MISSING);
    assert_message_has(f.world, "shoal_relation_get:");
    assert_null(shoal_relation_get_mut(f.world, e[0], holds, e[0]));
    assert_last_error(f.world, SHOAL_RELATION_MISSING);
    assert_message_has(f.world, "shoal_relation_get_mut");
    assert_null(shoal_relation_get(f.world, e[0], SHOAL_ID(Likes), e[1]));
    assert_last_error(f.world, SHOAL_RELATION_MISSING);
    assert_ok(shoal_relate(f.world, e[0], SHOAL_ID(Likes), e[1], &(Holds){1})); /* ignored without data */
    assert_null(shoal_relation_get(f.world, e[0], SHOAL_ID(Likes), e[1]));
    assert_last_error(f.world, SHOAL_TERM_WITHOUT_DATA);
    assert_valid(f.world);
    fixture_end(&f);
}

static uint32_t deed_payload(const shoal_world *world, shoal_entity source) {
    uint32_t payload = 0;
    const Deed *deed = shoal_relation_get(world, source, SHOAL_ID(Deed), nobody);
    assert_true(deed != NULL && owned_read(&deed_tracker, deed, &payload));
    return payload;
}

static void test_data_with_hooks(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component deed = SHOAL_ID(Deed);
    int64_t before = deed_tracker.live;
    shoal_entity e[3];
    spawn_several(f.world, e, 3);
    Deed own;
    owned_make(&deed_tracker, &own, 7);
    assert_ok(shoal_relate(f.world, e[0], deed, e[1], NULL));
    assert_count(deed_payload(f.world, e[0]), OWNED_CTOR_PAYLOAD);
    assert_ok(shoal_relate(f.world, e[0], deed, e[1], &own));
    assert_count(deed_payload(f.world, e[0]), 7);
    for (size_t n = 1; n <= 2; n++) { /* the copy fails: nothing has changed */
        owned_arm(&deed_tracker, 1);
        assert_status(shoal_relate(f.world, e[0], deed, e[n], &own), SHOAL_HOOK_FAILED);
        assert_true(owned_disarm(&deed_tracker));
        assert_last_error(f.world, SHOAL_HOOK_FAILED);
        assert_message_has(f.world, "shoal_relate:");
        check_targets(f.world, e[0], deed, &e[1], 1);
        assert_valid(f.world);
    }
    assert_ok(shoal_relate(f.world, e[0], deed, e[2], &own));
    assert_ok(shoal_relate(f.world, e[0], deed, e[2], shoal_relation_get(f.world, e[0], deed, nobody)));
    assert_count(deed_payload(f.world, e[0]), 7);
    owned_end(&deed_tracker, &own);
    assert_owned(&deed_tracker, before + 1);
    assert_ok(shoal_unrelate(f.world, e[0], deed, nobody));
    assert_owned(&deed_tracker, before);
    fixture_end(&f);
}

static void check_event(size_t i, char kind, shoal_entity entity, shoal_entity target, int32_t value) {
    assert_true(i < watched_count);
    assert_int_equal(watched_events[i].kind, kind);
    assert_entity(watched_events[i].entity, entity);
    assert_entity(watched_events[i].target, target);
    assert_int_equal(watched_events[i].value, value);
    assert_true(watched_events[i].locked);
}

static void test_lifecycle_hooks(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component watched = SHOAL_ID(Watched);
    shoal_entity e[3];
    spawn_several(f.world, e, 3);
    watched_count = 0;
    assert_ok(shoal_relate(f.world, e[0], watched, e[1], NULL));
    assert_count(watched_count, 1);
    check_event(0, 'a', e[0], e[1], 0);
    assert_ok(shoal_relate(f.world, e[0], watched, e[1], &(Watched){5}));
    assert_count(watched_count, 2);
    check_event(1, 's', e[0], e[1], 5);
    assert_ok(shoal_relate(f.world, e[0], watched, e[2], &(Watched){6})); /* moves */
    assert_count(watched_count, 5);
    check_event(2, 'r', e[0], e[1], 5);
    check_event(3, 'a', e[0], e[2], 6);
    check_event(4, 's', e[0], e[2], 6);
    assert_status(shoal_relate(f.world, e[0], watched, e[1], &(Watched){-1}), SHOAL_VALUE_REFUSED);
    assert_message_has(f.world, "shoal_relate:");
    assert_status(shoal_relate(f.world, e[1], watched, e[0], &(Watched){-1}), SHOAL_VALUE_REFUSED);
    assert_count(watched_count, 5);
    check_targets(f.world, e[0], watched, &e[2], 1);
    assert_ok(shoal_unrelate(f.world, e[0], watched, e[1])); /* not there */
    assert_count(watched_count, 5);
    assert_ok(shoal_unrelate(f.world, e[0], watched, e[2]));
    assert_count(watched_count, 6);
    check_event(5, 'r', e[0], e[2], 6);
    assert_ok(shoal_relate(f.world, e[0], watched, e[1], &(Watched){8}));
    assert_ok(shoal_destroy(f.world, e[1])); /* the target ends */
    assert_count(watched_count, 9);
    check_event(8, 'r', e[0], e[1], 8);
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_required_component_comes_along(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity e[3];
    spawn_several(f.world, e, 3);
    assert_ok(shoal_relate(f.world, e[0], SHOAL_ID(Needs), e[2], NULL));
    assert_ok(shoal_relate(f.world, e[1], SHOAL_ID(Needs), e[2], NULL)); /* the store is there by now */
    assert_true(SHOAL_HAS(f.world, e[0], Health));
    assert_true(SHOAL_HAS(f.world, e[1], Health));
    assert_false(SHOAL_HAS(f.world, e[2], Health));
    fixture_end(&f);
}

/* ---- order ---- */

static void test_order(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component owner = SHOAL_ID(OwnedBy);
    shoal_entity e[5];
    spawn_several(f.world, e, 5);
    assert_status(shoal_order_source(f.world, owner, e[1], nobody), SHOAL_RELATION_MISSING);
    for (size_t i = 1; i < 4; i++) {
        assert_ok(shoal_relate(f.world, e[i], owner, e[0], NULL));
    }
    assert_ok(shoal_order_source(f.world, owner, e[3], e[1]));
    check_sources(f.world, owner, e[0], (shoal_entity[]){e[3], e[1], e[2]}, 3);
    assert_ok(shoal_order_source(f.world, owner, e[3], nobody));
    check_sources(f.world, owner, e[0], (shoal_entity[]){e[1], e[2], e[3]}, 3);
    assert_ok(shoal_order_source(f.world, owner, e[2], e[2]));
    check_sources(f.world, owner, e[0], (shoal_entity[]){e[1], e[2], e[3]}, 3);
    assert_status(shoal_order_source(f.world, owner, e[4], e[1]), SHOAL_RELATION_MISSING);
    assert_status(shoal_order_source(f.world, owner, e[1], e[4]), SHOAL_RELATION_MISSING);
    assert_ok(shoal_relate(f.world, e[4], owner, e[1], NULL));
    assert_status(shoal_order_source(f.world, owner, e[4], e[1]), SHOAL_RELATION_MISSING);
    assert_message_has(f.world, "shoal_order_source");
    assert_status(shoal_order_source(f.world, SHOAL_ID(Likes), e[1], e[2]), SHOAL_COMPONENT_KIND);
    assert_valid(f.world);
    fixture_end(&f);
}

/* Enough sources for several blocks, put in reverse order one by one. */
static void test_order_of_many(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component owner = SHOAL_ID(OwnedBy);
    enum { COUNT = 1500 };
    static shoal_entity e[COUNT + 1];
    static shoal_entity reversed[COUNT];
    spawn_several(f.world, e, COUNT + 1);
    for (size_t i = 1; i <= COUNT; i++) {
        assert_ok(shoal_relate(f.world, e[i], owner, e[0], NULL));
        reversed[COUNT - i] = e[i];
    }
    check_sources(f.world, owner, e[0], &e[1], COUNT);
    for (size_t i = 2; i <= COUNT; i++) {
        assert_ok(shoal_order_source(f.world, owner, e[i], e[i - 1]));
    }
    assert_valid(f.world);
    check_sources(f.world, owner, e[0], reversed, COUNT);
    fixture_end(&f);
}

/* ---- what is refused ---- */

/* What a call on a relation is made with; each takes what it needs. */
typedef struct call_at {
    shoal_world *world;
    shoal_entity source;
    shoal_component relation;
    shoal_entity target;
} call_at;

typedef shoal_status (*relation_call)(const call_at *at);

static shoal_status call_relate(const call_at *at) {
    return shoal_relate(at->world, at->source, at->relation, at->target, NULL);
}

static shoal_status call_unrelate(const call_at *at) {
    return shoal_unrelate(at->world, at->source, at->relation, at->target);
}

static shoal_status call_order(const call_at *at) {
    return shoal_order_source(at->world, at->relation, at->source, at->target);
}

static shoal_status call_set_parent(const call_at *at) {
    return shoal_set_parent(at->world, at->source, at->target);
}

/* Reading calls: the status is that of the error which they leave. */
static shoal_status error_of(shoal_world *world) {
    return shoal_last_error(world).status;
}

static shoal_status call_target(const call_at *at) {
    assert_entity(shoal_target(at->world, at->source, at->relation), nobody);
    return error_of(at->world);
}

static shoal_status call_get(const call_at *at) {
    assert_null(shoal_relation_get(at->world, at->source, at->relation, at->target));
    return error_of(at->world);
}

static shoal_status call_get_mut(const call_at *at) {
    assert_null(shoal_relation_get_mut(at->world, at->source, at->relation, at->target));
    return error_of(at->world);
}

static shoal_status call_targets(const call_at *at) {
    shoal_target_walk walk = shoal_targets(at->world, at->source, at->relation);
    assert_false(shoal_targets_next(&walk));
    return error_of(at->world);
}

static shoal_status call_sources(const call_at *at) {
    shoal_source_walk walk = shoal_sources(at->world, at->relation, at->source);
    assert_false(shoal_sources_next(&walk));
    return error_of(at->world);
}

static shoal_status call_source_count(const call_at *at) {
    assert_count(shoal_source_count(at->world, at->relation, at->source), 0);
    return error_of(at->world);
}

static shoal_status call_depth(const call_at *at) {
    assert_count(shoal_depth(at->world, at->relation, at->source), 0);
    return error_of(at->world);
}

static shoal_status call_tree_next(const call_at *at) {
    shoal_entity node = at->source;
    assert_false(shoal_tree_next(at->world, at->relation, at->source, &node));
    assert_entity(node, at->source);
    return error_of(at->world);
}

static shoal_status call_parent(const call_at *at) {
    assert_entity(shoal_parent(at->world, at->source), nobody);
    return error_of(at->world);
}

static shoal_status call_children(const call_at *at) {
    shoal_source_walk walk = shoal_children(at->world, at->source);
    assert_false(shoal_sources_next(&walk));
    return error_of(at->world);
}

static const struct {
    const char *name; /* as messages begin */
    relation_call call;
    bool changes;
    bool takes_target;
    bool any_relation; /* takes one, of any kind */
} relation_calls[] = {
    {"shoal_relate:", call_relate, true, true, true},
    {"shoal_unrelate:", call_unrelate, true, true, true},
    {"shoal_order_source:", call_order, true, true, false},
    {"shoal_set_parent:", call_set_parent, true, true, false},
    {"shoal_target:", call_target, false, false, true},
    {"shoal_relation_get:", call_get, false, true, true},
    {"shoal_relation_get_mut:", call_get_mut, false, true, true},
    {"shoal_targets:", call_targets, false, false, true},
    {"shoal_sources:", call_sources, false, false, true},
    {"shoal_source_count:", call_source_count, false, false, true},
    {"shoal_depth:", call_depth, false, false, false},
    {"shoal_tree_next:", call_tree_next, false, false, false},
    {"shoal_parent:", call_parent, false, false, false},
    {"shoal_children:", call_children, false, false, false},
};
#define RELATION_CALL_COUNT (sizeof relation_calls / sizeof relation_calls[0])

/* A handle that no call takes, and why. */
typedef struct bad_handle {
    shoal_entity entity;
    shoal_status status;
} bad_handle;

static void check_refused(shoal_world *world, size_t i, shoal_entity source, shoal_component relation,
                          shoal_entity target, shoal_status expected) {
    test_set_context("%s", relation_calls[i].name);
    assert_status(relation_calls[i].call(&(call_at){world, source, relation, target}), expected);
    assert_last_error(world, expected);
    assert_message_has(world, relation_calls[i].name);
    test_set_context("%s", "");
}

/* One bad handle as source and, where a call takes one, as target. Null is a target for some: any, or none. */
static void check_bad_handle(shoal_world *world, const bad_handle *bad, const shoal_entity e[3]) {
    for (size_t i = 0; i < RELATION_CALL_COUNT; i++) {
        check_refused(world, i, bad->entity, SHOAL_ID(Below), e[1], bad->status);
        bool is_bad = bad->status != SHOAL_ENTITY_NULL || relation_calls[i].call == call_relate;
        if (relation_calls[i].takes_target && is_bad) {
            check_refused(world, i, e[0], SHOAL_ID(Below), bad->entity, bad->status);
        }
    }
}

/* Bad handles at both places of every call, while the relation is unused and while it is in use. */
static void conf_L5_bad_handles(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_world *other = shoal_world_create(NULL);
    shoal_entity dead = spawn_empty(f.world);
    assert_ok(shoal_destroy(f.world, dead));
    shoal_entity e[3];
    spawn_several(f.world, e, 3); /* the first one in the dead one's slot */
    assert_count(shoal_entity_index(e[0]), shoal_entity_index(dead));
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    const bad_handle bad[] = {
        {nobody, SHOAL_ENTITY_NULL},
        {dead, SHOAL_ENTITY_DEAD},
        {spawn_empty(other), SHOAL_ENTITY_FOREIGN},
        {shoal_commands_spawn(commands, no_values, 0), SHOAL_ENTITY_PLACEHOLDER},
    };
    shoal_component below = SHOAL_ID(Below);
    for (size_t round = 0; round < 2; round++) {
        for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
            check_bad_handle(f.world, &bad[k], e);
            assert_false(shoal_is_related(f.world, bad[k].entity, below, nobody));
            assert_false(k != 0 && shoal_is_related(f.world, e[0], below, bad[k].entity));
        }
        assert_valid(f.world);
        assert_ok(shoal_relate(f.world, e[0], below, e[1], NULL));
        assert_ok(shoal_set_parent(f.world, e[0], e[1]));
        assert_ok(shoal_relate(f.world, e[0], SHOAL_ID(Likes), e[1], NULL));
    }
    fixture_end(&f);
    assert_ok(shoal_world_destroy(other));
}

/* A relation to an entity that ended does not lead to the next one in its slot. */
static void conf_L5_recycled_target(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component relations[] = {SHOAL_ID(Likes), SHOAL_ID(OwnedBy), SHOAL_ID(Below), SHOAL_ID(Holds)};
    for (size_t i = 0; i < 4; i++) {
        shoal_entity source = spawn_empty(f.world);
        shoal_entity target = spawn_empty(f.world);
        assert_ok(shoal_relate(f.world, source, relations[i], target, NULL));
        assert_ok(shoal_destroy(f.world, target));
        assert_valid(f.world);
        shoal_entity recycled = spawn_empty(f.world);
        assert_count(shoal_entity_index(recycled), shoal_entity_index(target));
        check_targets(f.world, source, relations[i], NULL, 0);
        check_sources(f.world, relations[i], recycled, NULL, 0);
        assert_false(shoal_is_related(f.world, source, relations[i], target));
        assert_false(shoal_is_related(f.world, source, relations[i], recycled));
        assert_status(shoal_relate(f.world, source, relations[i], target, NULL), SHOAL_ENTITY_DEAD);
        assert_ok(shoal_relate(f.world, source, relations[i], recycled, NULL));
        check_sources(f.world, relations[i], recycled, &source, 1);
        assert_valid(f.world);
    }
    fixture_end(&f);
}

static void test_wrong_components(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity e[2];
    spawn_several(f.world, e, 2);
    for (size_t i = 0; i < RELATION_CALL_COUNT; i++) {
        relation_call call = relation_calls[i].call;
        if (call == call_set_parent || call == call_parent || call == call_children) {
            continue; /* these name no component */
        }
        check_refused(f.world, i, e[0], (shoal_component){0}, e[1], SHOAL_COMPONENT_INVALID);
        check_refused(f.world, i, e[0], (shoal_component){65535}, e[1], SHOAL_COMPONENT_INVALID);
        check_refused(f.world, i, e[0], SHOAL_ID(Health), e[1], SHOAL_COMPONENT_KIND);
        check_refused(f.world, i, e[0], SHOAL_ID(Frozen), e[1], SHOAL_COMPONENT_KIND);
        if (!relation_calls[i].any_relation) {
            check_refused(f.world, i, e[0], SHOAL_ID(Likes), e[1], SHOAL_COMPONENT_KIND);
        }
    }
    assert_false(shoal_is_related(f.world, e[0], SHOAL_ID(Health), e[1]));
    assert_false(shoal_is_related(f.world, e[0], (shoal_component){0}, nobody));
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_null_arguments(void **state) {
    (void)state;
    shoal_component likes = SHOAL_ID(Likes);
    for (size_t i = 0; i < RELATION_CALL_COUNT; i++) {
        check_refused(NULL, i, nobody, likes, nobody, SHOAL_INVALID_ARGUMENT);
    }
    assert_false(shoal_is_related(NULL, nobody, likes, nobody));
    assert_false(shoal_targets_next(NULL));
    assert_false(shoal_sources_next(NULL));
    assert_false(shoal_targets_next(&(shoal_target_walk){0}));
    assert_false(shoal_sources_next(&(shoal_source_walk){0}));
    fixture f;
    fixture_start(&f, NULL);
    assert_false(shoal_tree_next(f.world, SHOAL_ID(ChildOf), spawn_empty(f.world), NULL));
    assert_last_error(f.world, SHOAL_INVALID_ARGUMENT);
    fixture_end(&f);
}

static void test_locked_world(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component below = SHOAL_ID(Below);
    shoal_entity e[3];
    spawn_several(f.world, e, 3);
    assert_ok(shoal_relate(f.world, e[0], below, e[1], NULL));
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < RELATION_CALL_COUNT; i++) {
            if (relation_calls[i].changes) {
                check_refused(f.world, i, e[0], below, e[2], SHOAL_WORLD_LOCKED);
                assert_message_has(f.world, "everything");
            }
        }
        check_targets(f.world, e[0], below, &e[1], 1); /* reading works */
        check_sources(f.world, below, e[1], &e[0], 1);
        assert_count(shoal_depth(f.world, below, e[0]), 1);
    }
    assert_ok(shoal_relate(f.world, e[0], below, e[2], NULL));
    fixture_end(&f);
}

static void test_dying_ends(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component likes = SHOAL_ID(Likes);
    shoal_entity e[2];
    spawn_several(f.world, e, 2);
    for (size_t round = 0; round < 2; round++) {
        shoal_entity dying = spawn_dying(f.world);
        assert_status(shoal_relate(f.world, dying, likes, e[0], NULL), SHOAL_ENTITY_DYING);
        assert_message_has(f.world, "shoal_relate:");
        assert_status(shoal_relate(f.world, e[0], likes, dying, NULL), SHOAL_ENTITY_DYING);
        assert_message_has(f.world, "shoal_relate:");
        assert_status(shoal_set_parent(f.world, dying, e[0]), SHOAL_ENTITY_DYING);
        assert_status(shoal_set_parent(f.world, e[0], dying), SHOAL_ENTITY_DYING);
        assert_message_has(f.world, "shoal_set_parent:");
        assert_ok(shoal_unrelate(f.world, dying, likes, nobody));
        assert_ok(shoal_remove(f.world, dying, SHOAL_ID(Wreck)));
        assert_false(shoal_is_alive(f.world, dying));
        assert_valid(f.world);
        assert_ok(shoal_relate(f.world, e[0], likes, e[1], NULL)); /* once more with a store */
        assert_ok(shoal_set_parent(f.world, e[1], e[0]));
    }
    /* What had relations has none once it is dying. */
    shoal_entity wreck = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Wreck)));
    assert_ok(shoal_relate(f.world, wreck, likes, e[0], NULL));
    assert_ok(shoal_relate(f.world, e[0], likes, wreck, NULL));
    assert_ok(shoal_destroy(f.world, wreck));
    check_targets(f.world, wreck, likes, NULL, 0);
    check_sources(f.world, likes, e[0], NULL, 0);
    check_targets(f.world, e[0], likes, &e[1], 1);
    fixture_end(&f);
}

/* ---- what the end of a target does ---- */

static void test_held_target(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component guards = SHOAL_ID(Guards);
    shoal_entity e[3];
    spawn_several(f.world, e, 3);
    assert_ok(shoal_relate(f.world, e[0], guards, e[1], NULL));
    assert_ok(shoal_relate(f.world, e[1], SHOAL_ID(CrewOf), e[2], NULL));
    assert_status(shoal_destroy(f.world, e[1]), SHOAL_TARGET_HELD);
    assert_status(shoal_destroy(f.world, e[2]), SHOAL_TARGET_HELD); /* it would take e[1] along */
    assert_message_has(f.world, "Guards");
    assert_valid(f.world);
    assert_ok(shoal_destroy_many(f.world, (shoal_entity[]){e[2], e[0]}, 2)); /* the source does not stay */
    assert_false(shoal_is_alive(f.world, e[1]));
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_crew_ends_with_the_ship(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component crew = SHOAL_ID(CrewOf);
    shoal_entity e[6];
    spawn_several(f.world, e, 6);
    assert_ok(shoal_relate(f.world, e[0], crew, e[1], NULL)); /* a ring, and one that hangs on it */
    assert_ok(shoal_relate(f.world, e[1], crew, e[2], NULL));
    assert_ok(shoal_relate(f.world, e[2], crew, e[0], NULL));
    assert_ok(shoal_relate(f.world, e[3], crew, e[2], NULL));
    assert_ok(shoal_relate(f.world, e[3], crew, e[4], NULL));
    assert_ok(shoal_relate(f.world, e[5], crew, e[5], NULL));
    assert_ok(shoal_destroy(f.world, e[0]));
    for (size_t i = 0; i < 6; i++) {
        assert_count(shoal_is_alive(f.world, e[i]), i >= 4);
    }
    assert_valid(f.world);
    assert_ok(shoal_destroy(f.world, e[5]));
    assert_ok(shoal_destroy(f.world, e[4]));
    assert_valid(f.world);
    fixture_end(&f);
}

/* ---- memory that runs out ---- */

/* One call, with an allocation that fails at each place: what is not done leaves no trace. */
static void check_failing(shoal_component relation, const void *data, bool fresh) {
    bool done = false;
    for (size_t n = 1; !done; n++) {
        test_set_context("%s, allocation %zu", shoal_component_info(relation)->name, n);
        fixture f;
        fixture_start(&f, NULL);
        shoal_entity e[4];
        spawn_several(f.world, e, 4);
        if (!fresh) {
            assert_ok(shoal_relate(f.world, e[2], relation, e[3], NULL));
            for (size_t i = 0; i < 4; i++) { /* the inner place of the list is full */
                assert_ok(shoal_relate(f.world, spawn_empty(f.world), relation, e[1], NULL));
            }
        }
        size_t sources = shoal_source_count(f.world, relation, e[1]);
        fake_allocator_arm(&f.fake, n, false);
        shoal_status status = shoal_relate(f.world, e[0], relation, e[1], data);
        done = !fake_allocator_disarm(&f.fake);
        assert_status(status, done ? SHOAL_OK : SHOAL_OUT_OF_MEMORY);
        assert_valid(f.world);
        assert_count(shoal_source_count(f.world, relation, e[1]), sources + done);
        assert_count(shoal_is_related(f.world, e[0], relation, e[1]), done);
        if (!done) {
            assert_message_has(f.world, "shoal_relate:");
            assert_ok(shoal_relate(f.world, e[0], relation, e[1], data)); /* the next one can be made */
        }
        fixture_end(&f);
    }
    test_set_context("%s", "");
}

static void test_failing_allocations(void **state) {
    (void)state;
    Deed own;
    owned_make(&deed_tracker, &own, 9);
    for (unsigned fresh = 0; fresh < 2; fresh++) {
        check_failing(SHOAL_ID(ChildOf), NULL, fresh);
        check_failing(SHOAL_ID(Likes), NULL, fresh);
        check_failing(SHOAL_ID(Holds), &(Holds){4}, fresh);
        check_failing(SHOAL_ID(CrewOf), NULL, fresh);
        check_failing(SHOAL_ID(Needs), NULL, fresh);
        check_failing(SHOAL_ID(Deed), &own, fresh);
    }
    owned_end(&deed_tracker, &own);
    assert_owned(&deed_tracker, 0);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_targets),
        cmocka_unit_test(test_hundreds_of_targets),
        cmocka_unit_test(test_exclusive_moves_to_the_end),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_data_with_hooks),
        cmocka_unit_test(test_lifecycle_hooks),
        cmocka_unit_test(test_required_component_comes_along),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_order_of_many),
        cmocka_unit_test(test_wrong_components),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_locked_world),
        cmocka_unit_test(test_dying_ends),
        cmocka_unit_test(test_held_target),
        cmocka_unit_test(test_crew_ends_with_the_ship),
        cmocka_unit_test(conf_L5_bad_handles),
        cmocka_unit_test(conf_L5_recycled_target),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
