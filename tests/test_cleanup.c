/*
 * Cleanup components: an entity that has some stays behind when it is destroyed, with these alone and the tag Dying,
 * until the last of them is gone. Every way to die and every way to end are tried; a dying entity keeps values and
 * enable bits, takes nothing new, and is seen only by queries that name Dying.
 *
 * The subject has Cleanup (an object), CleanupMark (a toggle, disabled) and CleanupBuffer, and beside them a component
 * of each other kind, a name, a parent, a child and sources, which all go.
 */
#include "support/fixture.h"
#include "support/test.h"
#include "test_kind_types.h"

#include <string.h>

#define PAYLOAD 8

static const unsigned char cleanups[] = {CASE_CLEANUP, CASE_CLEANUP_MARK, CASE_CLEANUP_BUFFER};
#define CLEANUP_COUNT (sizeof cleanups)

typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_commands *commands;
    size_t family; /* 0: quiet, CASE_COUNT: told */
    shoal_entity parent;
    shoal_entity child;  /* without cleanup components */
    shoal_entity friend; /* is related to the subject, and the subject to it */
    shoal_entity subject;
    shoal_query *dying;  /* names Dying */
    shoal_query *living; /* has Cleanup, and does not */
    shoal_query *marked; /* has the mark that only the subject has */
} scene;

static shoal_component cleanup_of(const scene *s, size_t i) {
    return component_of(cleanups[i] + s->family);
}

static shoal_query *make_query(scene *s, shoal_component a, shoal_component b) {
    const shoal_term terms[] = {{.component = a, .access = SHOAL_ACCESS_WITH},
                                {.component = b, .access = SHOAL_ACCESS_WITH}};
    shoal_query *query =
        shoal_query_create(s->world, &(shoal_query_def){.terms = terms, .term_count = b.id != 0 ? 2 : 1});
    assert_non_null(query);
    return query;
}

static void give(scene *s, shoal_entity entity, size_t kind) {
    value_box box;
    box_make(&box, kind + s->family, PAYLOAD, true, s->friend);
    assert_ok(shoal_add(s->world, entity, component_of(kind + s->family), box.data));
    box_end(&box);
}

static void scene_start(scene *s, size_t family) {
    memset(s, 0, sizeof *s);
    fixture_start(&s->f, NULL);
    s->world = s->f.world;
    s->family = family;
    witness_start(&witnesses[0], s->world);
    s->commands = shoal_commands_create(s->world, NULL);
    s->dying = make_query(s, SHOAL_ID(Dying), (shoal_component){0});
    s->living = make_query(s, cleanup_of(s, 0), (shoal_component){0});
    s->marked = make_query(s, component_of(CASE_GATE_MARK + family), (shoal_component){0});
    s->parent = shoal_spawn(s->world, NULL, 0);
    s->friend = shoal_spawn(s->world, NULL, 0);
    s->subject = shoal_spawn(s->world, SHOAL_VALUES(SHOAL_TO(ChildOf, s->parent)));
    s->child = shoal_spawn(s->world, SHOAL_VALUES(SHOAL_TO(ChildOf, s->subject)));
    for (size_t kind = 0; kind <= CASE_TREE; kind++) { /* those behind bring others */
        give(s, s->subject, kind);
    }
    assert_ok(shoal_relate(s->world, s->friend, component_of(CASE_MANY + family), s->subject, NULL));
    assert_ok(shoal_set_name(s->world, s->subject, "subject"));
    assert_ok(shoal_disable(s->world, s->subject, cleanup_of(s, 1)));
    assert_valid(s->world);
}

static void scene_end(scene *s) {
    assert_null(witness_fault(&witnesses[0]));
    fixture_end(&s->f);
    kind_types_check_ended();
}

/* ---- what a dying entity is ---- */

static void check_values(scene *s, shoal_entity entity) {
    size_t type = CASE_CLEANUP + s->family;
    const void *object = shoal_get(s->world, entity, cleanup_of(s, 0));
    assert_non_null(object);
    assert_count(item_read(type, object), PAYLOAD);
    assert_false(shoal_is_enabled(s->world, entity, cleanup_of(s, 1)));
    shoal_buffer buffer = shoal_buffer_get(s->world, entity, cleanup_of(s, 2));
    assert_count(shoal_buffer_count(buffer), PAYLOAD % 5);
    assert_count(item_read(CASE_CLEANUP_BUFFER + s->family, shoal_buffer_items(buffer)), PAYLOAD);
}

static size_t walk_components(const shoal_world *world, shoal_entity entity) {
    size_t count = 0;
    for (shoal_component component = {0}; shoal_next_component(world, entity, &component);) {
        count++;
    }
    return count;
}

static void check_dying(scene *s) {
    shoal_memory_report report;
    assert_true(shoal_is_alive(s->world, s->subject));
    assert_true(shoal_is_dying(s->world, s->subject));
    assert_count(walk_components(s->world, s->subject), CLEANUP_COUNT + 1);
    assert_true(shoal_has(s->world, s->subject, SHOAL_ID(Dying)));
    check_values(s, s->subject);
    assert_null(shoal_name(s->world, s->subject));
    assert_true(shoal_entity_is_null(shoal_parent(s->world, s->subject)));
    assert_count(shoal_source_count(s->world, component_of(CASE_MANY + s->family), s->subject), 0);
    assert_false(shoal_is_related(s->world, s->friend, component_of(CASE_MANY + s->family), s->subject));
    assert_false(shoal_is_alive(s->world, s->child)); /* destroyed with its parent */
    assert_ok(shoal_world_memory(s->world, &report));
    assert_count(report.dying_count, 1);
    assert_count(report.relation_count, 0);
    assert_count(shoal_query_count(s->dying), 1);
    assert_count(shoal_query_count(s->living), 0);
    assert_false(shoal_query_matches(s->living, s->subject));
    assert_true(shoal_query_matches(s->dying, s->subject));
    assert_false(shoal_query_matches(s->f.everything, s->subject));
    assert_valid(s->world);
}

/* ---- every way to die, and every way to end ---- */

static shoal_entity spawned_and_destroyed(scene *s) {
    value_box box;
    box_make(&box, CASE_CLEANUP + s->family, PAYLOAD, true, s->friend);
    const shoal_value value = {cleanup_of(s, 0), box.data};
    shoal_entity placeholder = shoal_commands_spawn(s->commands, &value, 1);
    assert_ok(shoal_commands_destroy_entity(s->commands, placeholder));
    assert_ok(shoal_commands_apply(s->commands, NULL));
    box_end(&box);
    return shoal_commands_resolve(s->commands, placeholder);
}

/* The n-th way; false behind the last one. */
static bool die(scene *s, size_t way) {
    switch (way) {
    case 0:
        assert_ok(shoal_destroy(s->world, s->subject));
        return true;
    case 1:
        assert_ok(shoal_destroy_many(s->world, (const shoal_entity[]){s->child, s->subject, s->child}, 3));
        return true;
    case 2:
        assert_ok(shoal_query_destroy_entities(s->marked));
        return true;
    case 3:
        assert_ok(shoal_destroy(s->world, s->parent));
        return true;
    case 4: /* its relation Destroys leads to the friend */
        assert_ok(shoal_unrelate(s->world, s->subject, component_of(CASE_REFUSES + s->family), s->friend));
        assert_ok(shoal_destroy(s->world, s->friend));
        return true;
    case 5:
        assert_ok(shoal_commands_destroy_entity(s->commands, s->subject));
        assert_ok(shoal_commands_apply(s->commands, NULL));
        return true;
    case 6:
        assert_ok(shoal_commands_destroy_entity(s->commands, s->parent));
        assert_ok(shoal_commands_apply(s->commands, NULL));
        return true;
    default:
        return false;
    }
}

static void remove_one_by_one(scene *s, bool recorded) {
    for (size_t i = 0; i < CLEANUP_COUNT; i++) {
        assert_true(shoal_is_dying(s->world, s->subject));
        if (recorded) {
            assert_ok(shoal_commands_remove(s->commands, s->subject, cleanup_of(s, i)));
            assert_ok(shoal_commands_apply(s->commands, NULL));
        } else {
            assert_ok(shoal_remove(s->world, s->subject, cleanup_of(s, i)));
        }
        assert_valid(s->world);
    }
}

static bool end_dying(scene *s, size_t way) {
    const shoal_component all[] = {cleanup_of(s, 2), cleanup_of(s, 0), cleanup_of(s, 1)};
    const shoal_change change = {.remove = all, .remove_count = CLEANUP_COUNT};
    switch (way) {
    case 0:
    case 1:
        remove_one_by_one(s, way == 1);
        return true;
    case 2:
        assert_ok(shoal_clear(s->world, s->subject));
        return true;
    case 3:
        assert_ok(shoal_change_entity(s->world, s->subject, &change));
        return true;
    case 4:
        assert_ok(shoal_query_change_entities(s->dying, &change));
        return true;
    case 5:
        assert_ok(shoal_commands_clear(s->commands, s->subject));
        assert_ok(shoal_commands_apply(s->commands, NULL));
        return true;
    case 6: /* all in one buffer, with what comes too late */
        for (size_t i = 0; i < CLEANUP_COUNT; i++) {
            assert_ok(shoal_commands_remove(s->commands, s->subject, all[i]));
        }
        assert_ok(shoal_commands_add(s->commands, s->subject, component_of(CASE_NUMBER), NULL));
        shoal_commands_result result;
        assert_ok(shoal_commands_apply(s->commands, &result));
        assert_count(result.dropped, 1);
        return true;
    default:
        return false;
    }
}

/* One way to die, and one to end; `*dies` and `*ends` say whether there are so many ways. */
static void check_life(size_t death, size_t end, size_t family, bool *dies, bool *ends) {
    scene s;
    test_set_context("death %zu, end %zu, family %zu", death, end, family);
    scene_start(&s, family);
    *dies = die(&s, death);
    if (*dies) {
        check_dying(&s);
    }
    *ends = *dies && end_dying(&s, end);
    assert_count(shoal_is_alive(s.world, s.subject), !*ends);
    assert_count(shoal_query_count(s.dying), *dies && !*ends);
    scene_end(&s);
}

static void test_every_way_to_die_and_to_end(void **state) {
    (void)state;
    bool dies = true;
    for (size_t death = 0; dies; death++) {
        bool ends = true;
        for (size_t end = 0; dies && ends; end++) {
            for (size_t family = 0; family <= CASE_COUNT; family += CASE_COUNT) {
                check_life(death, end, family, &dies, &ends);
            }
        }
    }
    test_set_context("%s", "");
}

/* A spawn that its own buffer destroys stays as well, and its placeholder leads to it. */
static void test_spawned_and_destroyed_in_one_buffer(void **state) {
    (void)state;
    for (size_t family = 0; family <= CASE_COUNT; family += CASE_COUNT) {
        scene s;
        scene_start(&s, family);
        shoal_entity entity = spawned_and_destroyed(&s);
        assert_true(shoal_is_dying(s.world, entity));
        assert_count(item_read(CASE_CLEANUP + family, shoal_get(s.world, entity, cleanup_of(&s, 0))), PAYLOAD);
        assert_ok(shoal_remove(s.world, entity, cleanup_of(&s, 0)));
        assert_false(shoal_is_alive(s.world, entity));
        scene_end(&s);
    }
}

/* ---- what it takes and what it refuses ---- */

static void check_refusals(scene *s) {
    shoal_world *world = s->world;
    const shoal_value value = {component_of(CASE_NUMBER), NULL};
    assert_status(shoal_add(world, s->subject, component_of(CASE_NUMBER), NULL), SHOAL_ENTITY_DYING);
    assert_last_error(world, SHOAL_ENTITY_DYING);
    assert_status(shoal_add(world, s->subject, component_of(CASE_SPARSE), NULL), SHOAL_ENTITY_DYING);
    assert_status(shoal_add(world, s->subject, component_of(CASE_CLEANUP_NEEDING), NULL), SHOAL_ENTITY_DYING);
    assert_status(shoal_change_entity(world, s->subject, &(shoal_change){.add = &value, .add_count = 1}),
                  SHOAL_ENTITY_DYING);
    assert_status(shoal_relate(world, s->subject, component_of(CASE_MANY), s->friend, NULL), SHOAL_ENTITY_DYING);
    assert_status(shoal_relate(world, s->friend, component_of(CASE_MANY), s->subject, NULL), SHOAL_ENTITY_DYING);
    assert_status(shoal_set_parent(world, s->friend, s->subject), SHOAL_ENTITY_DYING);
    assert_status(shoal_set_parent(world, s->subject, s->friend), SHOAL_ENTITY_DYING);
    assert_status(shoal_set(world, s->subject, component_of(CASE_NUMBER), &(uint32_t){1}), SHOAL_COMPONENT_MISSING);
    assert_true(shoal_entity_is_null(
        shoal_spawn(world, SHOAL_VALUES({component_of(CASE_MANY), &(shoal_link){.target = s->subject}}))));
    assert_last_error(world, SHOAL_ENTITY_DYING);
    assert_status(shoal_spawn_at(world, s->subject, NULL, 0), SHOAL_SLOT_TAKEN);
    check_dying(s);
}

static void test_dying_takes_nothing_new(void **state) {
    (void)state;
    scene s;
    scene_start(&s, CASE_COUNT);
    assert_ok(shoal_destroy(s.world, s.subject));
    check_refusals(&s);
    witness_forget_events(&witnesses[0]);
    assert_ok(shoal_destroy(s.world, s.subject)); /* again, which changes nothing */
    assert_ok(shoal_destroy_many(s.world, &s.subject, 1));
    assert_ok(shoal_query_destroy_entities(s.dying));
    assert_ok(shoal_remove(s.world, s.subject, component_of(CASE_NUMBER)));
    assert_string_equal(witnesses[0].events, "");
    check_dying(&s);
    scene_end(&s);
}

static void test_dying_values_can_be_changed(void **state) {
    (void)state;
    scene s;
    value_box box;
    scene_start(&s, CASE_COUNT);
    assert_ok(shoal_destroy(s.world, s.subject));
    box_make(&box, TOLD(CASE_CLEANUP), 4, true, s.friend);
    assert_ok(shoal_set(s.world, s.subject, cleanup_of(&s, 0), box.data));
    assert_count(item_read(TOLD(CASE_CLEANUP), shoal_get(s.world, s.subject, cleanup_of(&s, 0))), 4);
    box_end(&box);
    assert_ok(shoal_enable(s.world, s.subject, cleanup_of(&s, 1)));
    assert_true(shoal_is_enabled(s.world, s.subject, cleanup_of(&s, 1)));
    shoal_buffer buffer = shoal_buffer_get(s.world, s.subject, cleanup_of(&s, 2));
    assert_ok(shoal_buffer_resize(buffer, 20));
    assert_ok(shoal_commands_disable(s.commands, s.subject, cleanup_of(&s, 1)));
    assert_ok(shoal_commands_apply(s.commands, NULL));
    assert_false(shoal_is_enabled(s.world, s.subject, cleanup_of(&s, 1)));
    assert_ok(shoal_remove(s.world, s.subject, cleanup_of(&s, 0)));
    assert_count(shoal_buffer_count(shoal_buffer_get(s.world, s.subject, cleanup_of(&s, 2))), 20);
    assert_true(shoal_is_dying(s.world, s.subject));
    scene_end(&s);
}

static void test_the_tag_dying_cannot_be_given(void **state) {
    (void)state;
    scene s;
    scene_start(&s, 0);
    const shoal_component tag = SHOAL_ID(Dying);
    const shoal_value value = {tag, NULL};
    assert_status(shoal_add(s.world, s.subject, tag, NULL), SHOAL_COMPONENT_KIND);
    assert_status(shoal_remove(s.world, s.subject, tag), SHOAL_COMPONENT_KIND);
    assert_status(shoal_change_entity(s.world, s.subject, &(shoal_change){.remove = &tag, .remove_count = 1}),
                  SHOAL_COMPONENT_KIND);
    assert_true(shoal_entity_is_null(shoal_spawn(s.world, &value, 1)));
    assert_last_error(s.world, SHOAL_COMPONENT_KIND);
    assert_status(shoal_commands_add(s.commands, s.subject, tag, NULL), SHOAL_COMPONENT_KIND);
    assert_status(shoal_commands_remove(s.commands, s.subject, tag), SHOAL_COMPONENT_KIND);
    assert_ok(shoal_destroy(s.world, s.subject));
    assert_status(shoal_remove(s.world, s.subject, tag), SHOAL_COMPONENT_KIND);
    check_dying(&s);
    scene_end(&s);
}

/* ---- slots, relations, queries ---- */

static void test_the_slot_is_free_when_the_last_one_is_gone(void **state) {
    (void)state;
    scene s;
    scene_start(&s, 0);
    uint32_t slot = shoal_entity_index(s.subject);
    uint64_t count = shoal_world_entity_count(s.world);
    assert_ok(shoal_destroy(s.world, s.subject));
    assert_int_not_equal(shoal_entity_index(shoal_spawn(s.world, NULL, 0)), slot);
    assert_ok(shoal_clear(s.world, s.subject));
    shoal_entity next = shoal_spawn(s.world, NULL, 0);
    assert_count(shoal_entity_index(next), slot);
    assert_count(shoal_entity_generation(next), shoal_entity_generation(s.subject) + 1);
    assert_status(shoal_add(s.world, s.subject, component_of(CASE_NUMBER), NULL), SHOAL_ENTITY_DEAD);
    assert_count(shoal_world_entity_count(s.world), count); /* without the subject and its child, with two more */
    scene_end(&s);
}

/* A dying source holds no target, and a refused destroy leaves a source with cleanup components as it was. */
static void test_cleanup_and_refusing_relations(void **state) {
    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        scene s;
        scene_start(&s, CASE_COUNT);
        assert_ok(shoal_unrelate(s.world, s.subject, component_of(TOLD(CASE_DESTROYS)), s.friend));
        witness_forget_events(&witnesses[0]);
        if (recorded) { /* a held destroy, then commands that find the entity as it was */
            assert_ok(shoal_commands_destroy_entity(s.commands, s.friend));
            assert_ok(shoal_commands_add(s.commands, s.friend, cleanup_of(&s, 0), NULL));
            assert_ok(shoal_commands_destroy_entity(s.commands, s.friend));
            assert_ok(shoal_commands_remove(s.commands, s.friend, cleanup_of(&s, 0)));
            shoal_commands_result result;
            assert_ok(shoal_commands_apply(s.commands, &result));
            assert_count(result.dropped, 2);
        } else {
            assert_status(shoal_destroy(s.world, s.friend), SHOAL_TARGET_HELD);
            assert_string_equal(witnesses[0].events, "");
        }
        assert_true(shoal_is_alive(s.world, s.friend) && !shoal_is_dying(s.world, s.friend));
        assert_valid(s.world);
        assert_ok(shoal_destroy(s.world, s.subject));
        assert_ok(shoal_destroy(s.world, s.friend));
        assert_false(shoal_is_alive(s.world, s.friend));
        assert_true(shoal_is_dying(s.world, s.subject));
        scene_end(&s);
    }
}

/* A system that collects what is dying: it sees each once, with its values. */
static void test_a_loop_over_the_dying(void **state) {
    (void)state;
    scene s;
    scene_start(&s, 0);
    enum { COUNT = 1000 };
    shoal_entity entities[COUNT];
    const shoal_value value = {component_of(CASE_CLEANUP_MARK), NULL};
    assert_ok(shoal_spawn_many(
        s.world, &(shoal_spawn_many_def){.count = COUNT, .values = &value, .value_count = 1, .entities = entities}));
    assert_ok(shoal_destroy_many(s.world, entities, COUNT / 2));
    shoal_query *both = make_query(&s, SHOAL_ID(Dying), component_of(CASE_CLEANUP_MARK));
    assert_count(shoal_query_count(both), COUNT / 2);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, both));
    size_t seen = 0;
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++, seen++) {
            assert_true(shoal_is_dying(s.world, view.entities[i]));
            assert_ok(shoal_commands_remove(s.commands, view.entities[i], component_of(CASE_CLEANUP_MARK)));
        }
    }
    assert_count(seen, COUNT / 2);
    assert_ok(shoal_commands_apply(s.commands, NULL));
    assert_count(shoal_query_count(both), 0);
    for (size_t i = 0; i < COUNT; i++) {
        assert_count(shoal_is_alive(s.world, entities[i]), i >= COUNT / 2);
    }
    scene_end(&s);
}

/* ---- memory ---- */

static void destroy_starved(scene *s, size_t death, size_t n) {
    fake_allocator_arm(&s->f.fake, n, false);
    shoal_status status = death == 0   ? shoal_destroy(s->world, s->subject)
                          : death == 1 ? shoal_destroy_many(s->world, (const shoal_entity[]){s->subject, s->friend}, 2)
                                       : shoal_destroy(s->world, s->parent);
    if (fake_allocator_disarm(&s->f.fake) && status != SHOAL_OK) {
        assert_status(status, SHOAL_OUT_OF_MEMORY);
        assert_false(shoal_is_dying(s->world, s->subject));
        assert_true(shoal_is_alive(s->world, s->child));
        assert_count(walk_components(s->world, s->subject), CASE_TREE + 2); /* all, and ChildOf */
        check_values(s, s->subject);
        assert_string_equal(shoal_name(s->world, s->subject), "subject");
        assert_string_equal(witnesses[0].events, "");
    }
    assert_valid(s->world);
}

/* Staying behind needs a row elsewhere: without memory nothing has happened. */
static void conf_G5_destroy_with_cleanup(void **state) {
    (void)state;
    for (size_t death = 0; death < 3; death++) {
        bool dead = false;
        for (size_t n = 1; !dead; n++) {
            scene s;
            test_set_context("death %zu, allocation %zu", death, n);
            scene_start(&s, CASE_COUNT);
            witness_forget_events(&witnesses[0]);
            destroy_starved(&s, death, n);
            dead = shoal_is_dying(s.world, s.subject);
            scene_end(&s);
            assert_at_most(n, 1000);
        }
    }
    test_set_context("%s", "");
}

int main(void) {
    kind_types_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_way_to_die_and_to_end),
        cmocka_unit_test(test_spawned_and_destroyed_in_one_buffer),
        cmocka_unit_test(test_dying_takes_nothing_new),
        cmocka_unit_test(test_dying_values_can_be_changed),
        cmocka_unit_test(test_the_tag_dying_cannot_be_given),
        cmocka_unit_test(test_the_slot_is_free_when_the_last_one_is_gone),
        cmocka_unit_test(test_cleanup_and_refusing_relations),
        cmocka_unit_test(test_a_loop_over_the_dying),
        cmocka_unit_test(conf_G5_destroy_with_cleanup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
