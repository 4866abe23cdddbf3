/*
 * Which call makes which pointers stale, for values that are not plain columns: the second half of the table in
 * docs/semantics.md, conformance P3. test_invalidation.c has the columns.
 *
 * Two entities have the same components, one of each kind, and all pointers into the second one, `self`, are watched.
 * The first one comes before it everywhere, so what takes a value from the first moves that of `self` into the hole. A
 * pointer that the table calls good is what a fresh look-up gives; one that it calls stale is not. Where a value
 * happens to stay although the table calls the pointer stale, the cell is OPEN, and nothing but the value is checked.
 *
 * Where rows are stale the world moves each chunk that a call touches (shoal_world_def::move_rows). Where they are good
 * it is an ordinary one: moving touches an entity's chunks also when only what lies outside of them changes.
 */
#include "support/fixture.h"
#include "support/test.h"

#include <string.h>

typedef struct Crumb {
    int32_t x;
} Crumb;
typedef struct Bounds {
    int32_t low, high;
} Bounds;
typedef struct Side {
    int32_t number;
} Side;
typedef struct Heat {
    int32_t degrees;
} Heat;
typedef struct Smoke {
    int32_t minutes;
} Smoke;
typedef struct Clock {
    int32_t hour;
} Clock;
typedef struct Weather {
    int32_t wind;
} Weather;
typedef struct Owes {
    int32_t amount;
} Owes;

SHOAL_COMPONENT(Crumb, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 4)
SHOAL_COMPONENT(Bounds, .storage = SHOAL_STORAGE_CHUNK, .default_value = &(Bounds){20, 21})
SHOAL_COMPONENT(Side, .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT(Heat, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT(Smoke, .storage = SHOAL_STORAGE_SPARSE, .stable = true)
SHOAL_COMPONENT(Clock, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_COMPONENT(Weather, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_RELATION_DATA(Owes, .exclusive = true)
SHOAL_TAG(Lit, .toggle = true)
SHOAL_TAG(Marked)

enum { BUFFER, CHUNK, SHARED, SPARSE, STABLE, UNIQUE, LINK, NAME, POINTER_COUNT };
static const char *const pointer_names[POINTER_COUNT] = {"buffer", "chunk",  "shared", "sparse",
                                                         "stable", "unique", "link",   "name"};

typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_entity bank; /* the target of both, without components */
    shoal_entity first, self;
    const void *watched[POINTER_COUNT];
} scene;

static const void *pointer_now(const scene *s, int kind) {
    switch (kind) {
    case BUFFER:
        return shoal_buffer_items(shoal_buffer_get(s->world, s->self, SHOAL_ID(Crumb)));
    case CHUNK:
        return SHOAL_GET(s->world, s->self, Bounds);
    case SHARED:
        return SHOAL_GET(s->world, s->self, Side);
    case SPARSE:
        return SHOAL_GET(s->world, s->self, Heat);
    case STABLE:
        return SHOAL_GET(s->world, s->self, Smoke);
    case UNIQUE:
        return SHOAL_UNIQUE(s->world, Clock);
    case LINK:
        return shoal_relation_get(s->world, s->self, SHOAL_ID(Owes), s->bank);
    default:
        return shoal_name(s->world, s->self);
    }
}

/* That the value of a kind is what scene_start() has given. */
static void check_value(int kind, const void *value) {
    const struct {
        const void *bytes;
        size_t size;
    } given[POINTER_COUNT] = {
        [BUFFER] = {(const Crumb[]){{10}, {11}}, 2 * sizeof(Crumb)},
        [CHUNK] = {&(Bounds){20, 21}, sizeof(Bounds)},
        [SHARED] = {&(Side){30}, sizeof(Side)},
        [SPARSE] = {&(Heat){41}, sizeof(Heat)},
        [STABLE] = {&(Smoke){51}, sizeof(Smoke)},
        [UNIQUE] = {&(Clock){60}, sizeof(Clock)},
        [LINK] = {&(Owes){71}, sizeof(Owes)},
        [NAME] = {"self", sizeof "self"},
    };
    assert_non_null(value);
    assert_memory_equal(value, given[kind].bytes, given[kind].size);
}

static shoal_entity spawn_full(const scene *s, int32_t number) {
    return shoal_spawn(s->world,
                       SHOAL_VALUES(SHOAL_ITEMS(Crumb, {10}, {11}), SHOAL_DEFAULT(Bounds), SHOAL_VALUE(Side, 30),
                                    SHOAL_VALUE(Heat, 40 + number), SHOAL_VALUE(Smoke, 50 + number), SHOAL_DEFAULT(Lit),
                                    SHOAL_TO_WITH(Owes, s->bank, 70 + number)));
}

static void scene_start(scene *s, bool move_rows) {
    fixture_start(&s->f, &(shoal_world_def){.move_rows = move_rows});
    s->world = s->f.world;
    s->bank = shoal_spawn(s->world, NULL, 0);
    s->first = spawn_full(s, 0);
    s->self = spawn_full(s, 1);
    assert_ok(SHOAL_UNIQUE_SET(s->world, Clock, 60));
    assert_ok(shoal_set_name(s->world, s->first, "first"));
    assert_ok(shoal_set_name(s->world, s->self, "self"));
    for (int kind = 0; kind < POINTER_COUNT; kind++) {
        s->watched[kind] = pointer_now(s, kind);
        check_value(kind, s->watched[kind]);
    }
}

/* ---- the calls ---- */

typedef shoal_status (*scene_call)(scene *s);

static shoal_status status_of(const scene *s, shoal_entity made) {
    return shoal_entity_is_null(made) ? shoal_last_error(s->world).status : SHOAL_OK;
}

static shoal_status call_spawn(scene *s) {
    return status_of(s, spawn_full(s, 2));
}

static shoal_status call_clone(scene *s) {
    return status_of(s, shoal_clone(s->world, s->first));
}

static shoal_status call_clone_tree(scene *s) {
    return status_of(s, shoal_clone_tree(s->world, s->self));
}

static shoal_status call_instantiate(scene *s) {
    return shoal_instantiate(s->world, s->self, &(shoal_instantiate_def){.count = 3});
}

static shoal_status call_make_prefab(scene *s) {
    return shoal_make_prefab(s->world, s->first);
}

static shoal_status call_add_to_self(scene *s) {
    return shoal_add(s->world, s->self, SHOAL_ID(Marked), NULL);
}

static shoal_status call_add_to_first(scene *s) {
    return shoal_add(s->world, s->first, SHOAL_ID(Marked), NULL);
}

static shoal_status call_destroy_first(scene *s) {
    return shoal_destroy(s->world, s->first);
}

static shoal_status call_clear_first(scene *s) {
    return shoal_clear(s->world, s->first);
}

static shoal_status call_apply(scene *s) {
    shoal_commands *commands = shoal_commands_create(s->world, NULL);
    shoal_status status = shoal_commands_destroy_entity(commands, s->first);
    return status == SHOAL_OK ? shoal_commands_apply(commands, NULL) : status;
}

static shoal_status call_set_shared_of_first(scene *s) {
    return SHOAL_SET(s->world, s->first, Side, 31);
}

static shoal_status call_sparse_add(scene *s) {
    return SHOAL_ADD(s->world, s->bank, Heat, 1);
}

static shoal_status call_sparse_remove(scene *s) {
    return shoal_remove(s->world, s->first, SHOAL_ID(Heat));
}

static shoal_status call_stable_remove(scene *s) {
    return shoal_remove(s->world, s->first, SHOAL_ID(Smoke));
}

static shoal_status call_relate(scene *s) {
    return shoal_relate(s->world, s->bank, SHOAL_ID(Owes), s->self, NULL);
}

static shoal_status call_unrelate(scene *s) {
    return shoal_unrelate(s->world, s->first, SHOAL_ID(Owes), s->bank);
}

static shoal_status call_set_parent(scene *s) {
    return shoal_set_parent(s->world, s->self, s->bank);
}

static shoal_status call_rename_first(scene *s) {
    return shoal_set_name(s->world, s->first, "another");
}

static shoal_status call_buffer_grows(scene *s) {
    return shoal_buffer_resize(shoal_buffer_get(s->world, s->self, SHOAL_ID(Crumb)), 5);
}

static shoal_status call_buffer_of_first_grows(scene *s) {
    return shoal_buffer_resize(shoal_buffer_get(s->world, s->first, SHOAL_ID(Crumb)), 50);
}

static shoal_status call_disable(scene *s) {
    shoal_status status = shoal_disable(s->world, s->self, SHOAL_ID(Lit));
    return status == SHOAL_OK ? shoal_enable(s->world, s->self, SHOAL_ID(Lit)) : status;
}

static shoal_status call_set_values_of_first(scene *s) {
    shoal_status status = SHOAL_SET(s->world, s->first, Heat, 1);
    status = status == SHOAL_OK ? SHOAL_SET(s->world, s->first, Smoke, 1) : status;
    return status == SHOAL_OK ? SHOAL_SET(s->world, s->self, Bounds, 20, 21) : status;
}

static shoal_status call_other_unique(scene *s) {
    shoal_status status = SHOAL_UNIQUE_SET(s->world, Weather, 1);
    return status == SHOAL_OK ? shoal_unique_remove(s->world, SHOAL_ID(Weather)) : status;
}

static shoal_status call_next_tick(scene *s) {
    return shoal_world_next_tick(s->world) == 2 ? SHOAL_OK : SHOAL_CORRUPT;
}

static shoal_status call_sorted_view(scene *s) {
    shoal_query *query =
        shoal_query_create(s->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Side), SHOAL_UP(Heat)),
                                                        .group_by = SHOAL_ID(Side)});
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, query);
    while (shoal_view_next(&view)) {
    }
    return status;
}

static shoal_status call_trim(scene *s) {
    return shoal_world_trim(s->world, 0, NULL);
}

typedef enum verdict { GOOD, STALE, OPEN } verdict;

static const struct {
    const char *name;
    scene_call call;
    verdict verdicts[POINTER_COUNT]; /* buffer, chunk, shared, sparse, stable, unique, link, name */
} calls[] = {
    {"spawn", call_spawn, {STALE, STALE, GOOD, OPEN, GOOD, GOOD, OPEN, GOOD}},
    {"clone", call_clone, {STALE, STALE, GOOD, OPEN, GOOD, GOOD, OPEN, GOOD}},
    {"clone_tree", call_clone_tree, {STALE, STALE, GOOD, OPEN, GOOD, GOOD, OPEN, GOOD}},
    {"instantiate", call_instantiate, {STALE, STALE, GOOD, OPEN, GOOD, GOOD, OPEN, GOOD}},
    {"make_prefab", call_make_prefab, {STALE, STALE, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"add to self", call_add_to_self, {STALE, STALE, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"add to first", call_add_to_first, {STALE, STALE, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"destroy", call_destroy_first, {STALE, STALE, GOOD, STALE, GOOD, GOOD, STALE, GOOD}},
    {"clear", call_clear_first, {STALE, STALE, GOOD, STALE, GOOD, GOOD, STALE, GOOD}},
    {"commands_apply", call_apply, {STALE, STALE, GOOD, STALE, GOOD, GOOD, STALE, GOOD}},
    {"set of a shared value", call_set_shared_of_first, {STALE, STALE, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"add of a sparse one", call_sparse_add, {GOOD, GOOD, GOOD, OPEN, GOOD, GOOD, GOOD, GOOD}},
    {"remove of a sparse one", call_sparse_remove, {GOOD, GOOD, GOOD, STALE, GOOD, GOOD, GOOD, GOOD}},
    {"remove of a stable one", call_stable_remove, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"relate", call_relate, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, OPEN, GOOD}},
    {"unrelate", call_unrelate, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, STALE, GOOD}},
    {"set_parent", call_set_parent, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"set_name", call_rename_first, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"the buffer grows", call_buffer_grows, {STALE, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"another buffer grows", call_buffer_of_first_grows, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"disable, enable", call_disable, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"set", call_set_values_of_first, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"another unique", call_other_unique, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"next_tick", call_next_tick, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"a grouped view", call_sorted_view, {GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD, GOOD}},
    {"trim", call_trim, {GOOD, GOOD, GOOD, OPEN, GOOD, GOOD, OPEN, GOOD}},
};

static void conf_P3_values_of_every_kind(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        scene s;
        scene_start(&s, calls[i].verdicts[CHUNK] == STALE);
        assert_ok(calls[i].call(&s));
        for (int kind = 0; kind < POINTER_COUNT; kind++) {
            test_set_context("%s, the %s", calls[i].name, pointer_names[kind]);
            const void *now = pointer_now(&s, kind);
            check_value(kind, now);
            if (calls[i].verdicts[kind] != OPEN) {
                assert_count(now == s.watched[kind], calls[i].verdicts[kind] == GOOD);
            }
        }
        test_set_context("%s", "");
        fixture_end(&s.f);
    }
}

/* ---- how long single values live ---- */

static uint64_t shared_values(const scene *s) {
    shoal_memory_report report;
    assert_ok(shoal_world_memory(s->world, &report));
    return report.shared_value_count;
}

/* A shared value stays where it is as long as some entity has it, also when the one that it was read from has not. */
static void conf_P3_a_shared_value_lives_as_long_as_it_is_used(void **state) {
    (void)state;
    scene s;
    scene_start(&s, false);
    assert_count(shared_values(&s), 1);
    assert_ok(SHOAL_SET(s.world, s.self, Side, 31));
    assert_count(shared_values(&s), 2);
    check_value(SHARED, s.watched[SHARED]);
    assert_ptr_equal(SHOAL_GET(s.world, s.first, Side), s.watched[SHARED]);
    assert_ok(shoal_destroy(s.world, s.first));
    assert_count(shared_values(&s), 1);
    fixture_end(&s.f);
}

/* A unique that is set again stays where it is. */
static void conf_P3_a_unique_stays_until_it_is_removed(void **state) {
    (void)state;
    scene s;
    scene_start(&s, false);
    assert_ok(SHOAL_UNIQUE_SET(s.world, Clock, 61));
    assert_ptr_equal(SHOAL_UNIQUE_MUT(s.world, Clock), s.watched[UNIQUE]);
    assert_int_equal(((const Clock *)s.watched[UNIQUE])->hour, 61);
    fixture_end(&s.f);
}

/* A handle to a buffer outlives changes of its elements, to the heap and back; one of the row's moves it does not. */
static void conf_P3_a_buffer_handle_outlives_its_elements(void **state) {
    (void)state;
    scene s;
    scene_start(&s, true);
    shoal_buffer path = shoal_buffer_get(s.world, s.self, SHOAL_ID(Crumb));
    assert_ok(shoal_buffer_resize(path, 100));
    assert_true(shoal_buffer_is_on_heap(path));
    assert_ok(shoal_buffer_resize(path, 2));
    assert_false(shoal_buffer_is_on_heap(path));
    check_value(BUFFER, shoal_buffer_items(path));
    assert_ok(call_add_to_self(&s));
    assert_true(shoal_buffer_get(s.world, s.self, SHOAL_ID(Crumb)).cell_ != path.cell_);
    fixture_end(&s.f);
}

/* What a view gives is what a look-up by handle gives, so it is good for as long. */
static void conf_P3_values_of_a_view(void **state) {
    (void)state;
    scene s;
    scene_start(&s, false);
    assert_ok(shoal_set_parent(s.world, s.first, s.self));
    shoal_query *query = shoal_query_create(
        s.world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Crumb), SHOAL_READ(Bounds), SHOAL_READ(Side),
                                                         SHOAL_READ(Heat), SHOAL_READ(Smoke), SHOAL_READ(Clock),
                                                         SHOAL_READ(Owes), SHOAL_UP(Smoke))});
    size_t seen = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++) {
            if (!shoal_entity_equal(view.entities[i], s.self)) {
                assert_ptr_equal(SHOAL_COLUMN_UP(&view, Smoke)[i], s.watched[STABLE]);
                continue;
            }
            assert_ptr_equal(shoal_buffer_items(shoal_view_buffer(&view, SHOAL_ID(Crumb), i)), s.watched[BUFFER]);
            assert_ptr_equal(SHOAL_ONE(&view, Bounds), s.watched[CHUNK]);
            assert_ptr_equal(SHOAL_ONE(&view, Side), s.watched[SHARED]);
            assert_ptr_equal(SHOAL_AT(&view, Heat, i), s.watched[SPARSE]);
            assert_ptr_equal(SHOAL_AT(&view, Smoke, i), s.watched[STABLE]);
            assert_ptr_equal(SHOAL_ONE(&view, Clock), s.watched[UNIQUE]);
            assert_ptr_equal(SHOAL_AT(&view, Owes, i), s.watched[LINK]);
            assert_null(SHOAL_COLUMN_UP(&view, Smoke)[i]);
            seen++;
        }
    }
    assert_count(seen, 1);
    fixture_end(&s.f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_P3_values_of_every_kind),
        cmocka_unit_test(conf_P3_a_shared_value_lives_as_long_as_it_is_used),
        cmocka_unit_test(conf_P3_a_unique_stays_until_it_is_removed),
        cmocka_unit_test(conf_P3_a_buffer_handle_outlives_its_elements),
        cmocka_unit_test(conf_P3_values_of_a_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
