/*
 * Worlds that are shared between threads while systems run, as the layers below the schedule see it: scopes, whose lock
 * a view holds, where errors go, memory, what is refused and what works, recorders that are closed, and who is told of
 * an access. The tests play the schedule: they share the world and enter scopes. test_scope_threads.c has what threads
 * do at the same time.
 */
#include "test_scope_types.h"

#include "base/assert.h"
#include "storage/world.h"

#include <stdio.h>

/* ---- scopes ---- */

static void test_scopes_nest(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_world *other = shoal_world_create(NULL);
    assert_null(world_scope_current());
    assert_null(world_scope_of(f.world));
    world_scope outer = {.world = f.world, .name = "outer"};
    world_scope middle = {.world = other, .name = "middle"};
    world_scope inner = {.world = f.world, .name = "inner"};
    world_scope_enter(&outer);
    assert_null(world_scope_of(other));
    world_scope_enter(&middle);
    assert_ptr_equal(world_scope_current(), &middle);
    assert_ptr_equal(world_scope_of(f.world), &outer);
    assert_ptr_equal(world_scope_of(other), &middle);
    world_scope_enter(&inner);
    assert_ptr_equal(world_scope_of(f.world), &inner);
    world_scope_leave(&inner);
    world_scope_leave(&middle);
    assert_ptr_equal(world_scope_current(), &outer);
    world_scope_leave(&outer);
    assert_null(world_scope_current());
    assert_ok(shoal_world_destroy(other));
    fixture_end(&f);
}

/* ---- views ---- */

static void test_view_holds_the_lock_of_its_thread(void **state) {
    (void)state;
    rig r;
    rig_begin(&r);
    shoal_query *const queries[] = {r.plain, r.filtered};
    for (size_t i = 0; i < 2; i++) {
        shoal_view view;
        shoal_view nested;
        assert_ok(shoal_view_begin(&view, queries[i]));
        assert_count(r.scope.lock.count, 1);
        assert_string_equal(shoal_world_lock_holder(r.f.world), shoal_query_name(queries[i]));
        assert_ok(shoal_view_begin(&nested, r.grouped));
        assert_count(r.scope.lock.count, 2);
        shoal_view_end(&nested);
        while (shoal_view_next(&view)) {
        }
        assert_count(r.scope.lock.count, 0);
        assert_null(r.scope.lock.holder);
        assert_count(r.f.world->lock.count, 1);
        assert_string_equal(r.f.world->lock.holder, "step");
    }
    assert_string_equal(shoal_world_lock_holder(r.f.world), "step");
    rig_end(&r);
}

static void test_no_view_without_a_scope(void **state) {
    (void)state;
    rig r;
    rig_begin(&r);
    world_scope_leave(&r.scope);
    shoal_query *const queries[] = {r.plain, r.filtered, r.grouped};
    for (size_t i = 0; i < 3; i++) {
        shoal_view view;
        assert_status(shoal_view_begin(&view, queries[i]), SHOAL_WORLD_LOCKED);
        assert_last_error(r.f.world, SHOAL_WORLD_LOCKED);
        assert_message_has(r.f.world, "systems run");
        assert_false(shoal_view_next(&view));
        shoal_view_end(&view);
    }
    assert_count(r.f.world->lock.count, 1);
    world_scope_enter(&r.scope);
    rig_end(&r);
}

/* A view goes back to where it came from. */
static void test_view_that_was_open_before(void **state) {
    (void)state;
    rig r;
    rig_make(&r);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, r.plain));
    rig_share(&r);
    assert_true(shoal_view_next(&view));
    shoal_view_end(&view);
    assert_count(r.f.world->lock.count, 1);
    assert_count(r.scope.lock.count, 0);
    rig_end(&r);
}

static void test_callbacks_hold_the_lock_of_their_thread(void **state) {
    (void)state;
    rig r;
    rig_begin(&r);
    const char *outer = world_lock_enter(r.f.world, "hook");
    assert_count(r.scope.lock.count, 1);
    assert_string_equal(shoal_world_lock_holder(r.f.world), "hook");
    world_lock_leave(r.f.world, outer);
    assert_count(r.scope.lock.count, 0);
    world_scope_leave(&r.scope); /* a thread without a scope has a lock as well */
    outer = world_lock_enter(r.f.world, "hook");
    assert_string_equal(shoal_world_lock_holder(r.f.world), "step");
    world_lock_leave(r.f.world, outer);
    assert_count(r.f.world->lock.count, 1);
    world_scope_enter(&r.scope);
    rig_end(&r);
}

/* ---- errors ---- */

static void test_errors_stay_with_the_thread(void **state) {
    (void)state;
    rig r;
    rig_begin(&r);
    shoal_world *other = shoal_world_create(NULL);
    uint64_t before = r.f.world->error.sequence;
    assert_status(shoal_commands_add(r.commands, (shoal_entity){0}, SHOAL_ID(Spot), NULL), SHOAL_ENTITY_NULL);
    assert_count(r.f.world->error.sequence, before);
    assert_last_error(r.f.world, SHOAL_ENTITY_NULL);
    assert_status(shoal_last_error(other).status, SHOAL_OK);
    assert_status(shoal_component_find(NULL).id, 0); /* without a world: the thread's, but not this world's */
    assert_status(shoal_last_error(NULL).status, SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_last_error(r.f.world).status, SHOAL_OK);
    assert_null(SHOAL_GET(r.f.world, r.rows[0], Rules));
    assert_last_error(r.f.world, SHOAL_COMPONENT_KIND);
    rig_unshare(&r);
    assert_status(shoal_spawn_at(r.f.world, r.rows[0], NULL, 0), SHOAL_SLOT_TAKEN); /* now in the world */
    assert_true(r.f.world->error.sequence > before);
    assert_last_error(r.f.world, SHOAL_SLOT_TAKEN);
    rig_share(&r);
    assert_ok(shoal_world_destroy(other));
    rig_end(&r);
}

/* ---- what is refused ---- */

/* A call with its status; calls that give something else say NOT_FOUND for what must not come. */
typedef struct refused_call {
    const char *name;
    shoal_status (*call)(rig *r);
} refused_call;

static shoal_status of_entity(const rig *r, shoal_entity entity) {
    return shoal_entity_is_null(entity) ? shoal_last_error(r->f.world).status : SHOAL_NOT_FOUND;
}

static shoal_status of_pointer(const rig *r, const void *made) {
    return made == NULL ? shoal_last_error(r->f.world).status : SHOAL_NOT_FOUND;
}

#define REFUSED(Name, ...)                                                                                             \
    static shoal_status call_##Name(rig *r) {                                                                          \
        shoal_world *world = r->f.world;                                                                               \
        shoal_entity entity = r->rows[0];                                                                              \
        (void)world;                                                                                                   \
        (void)entity;                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }

static const shoal_change no_change;

REFUSED(spawn, of_entity(r, shoal_spawn(world, NULL, 0)))
REFUSED(spawn_at, shoal_spawn_at(world, shoal_entity_make(world, 900, 0), NULL, 0))
REFUSED(reserve_range, shoal_reserve_range(world, 1000, 8))
REFUSED(spawn_many, shoal_spawn_many(world, &(shoal_spawn_many_def){.count = 2}))
REFUSED(clone, of_entity(r, shoal_clone(world, entity)))
REFUSED(clone_tree, of_entity(r, shoal_clone_tree(world, entity)))
REFUSED(instantiate, shoal_instantiate(world, entity, &(shoal_instantiate_def){.count = 1}))
REFUSED(make_prefab, shoal_make_prefab(world, entity))
REFUSED(destroy, shoal_destroy(world, entity))
REFUSED(destroy_many, shoal_destroy_many(world, &entity, 1))
REFUSED(add, SHOAL_ADD(world, entity, Pace, 1))
REFUSED(add_sparse, SHOAL_ADD(world, entity, Loose, 1))
REFUSED(remove, shoal_remove(world, entity, SHOAL_ID(Spot)))
REFUSED(remove_sparse, shoal_remove(world, entity, SHOAL_ID(Loose)))
REFUSED(set, SHOAL_SET(world, entity, Spot, 77, 77))
REFUSED(set_sparse, SHOAL_SET(world, entity, Loose, 77))
REFUSED(set_shared, SHOAL_SET(world, entity, Team, 2))
REFUSED(set_link, shoal_set(world, entity, SHOAL_ID(Holds), &(shoal_link){r->rows[1], &(Holds){77}}))
REFUSED(set_buffer, shoal_set(world, entity, SHOAL_ID(Trail), &(shoal_span){&(Trail){77}, 1}))
REFUSED(clear, shoal_clear(world, entity))
REFUSED(change_entity, shoal_change_entity(world, entity, &no_change))
REFUSED(enable, shoal_enable(world, entity, SHOAL_ID(Lamp)))
REFUSED(disable, shoal_disable(world, entity, SHOAL_ID(Lamp)))
REFUSED(enable_missing, shoal_enable(world, entity, SHOAL_ID(Spot)))
REFUSED(relate, shoal_relate(world, entity, SHOAL_ID(Holds), r->rows[2], NULL))
REFUSED(unrelate, shoal_unrelate(world, entity, SHOAL_ID(Holds), r->rows[1]))
REFUSED(set_parent, shoal_set_parent(world, entity, r->rows[2]))
REFUSED(order_source, shoal_order_source(world, SHOAL_ID(ChildOf), r->rows[1], (shoal_entity){0}))
REFUSED(set_name, shoal_set_name(world, entity, "late"))
REFUSED(unique_set, SHOAL_UNIQUE_SET(world, Rules, 77))
REFUSED(unique_remove, shoal_unique_remove(world, SHOAL_ID(Rules)))
REFUSED(query_create, of_pointer(r, shoal_query_create(world, &(shoal_query_def){.text = "read Spot"})))
REFUSED(query_destroy, shoal_query_destroy(r->plain))
REFUSED(query_destroy_entities, shoal_query_destroy_entities(r->plain))
REFUSED(query_change_entities, shoal_query_change_entities(r->plain, &no_change))
REFUSED(commands_create, of_pointer(r, shoal_commands_create(world, NULL)))
REFUSED(commands_apply, shoal_commands_apply(r->commands, NULL))
REFUSED(next_tick, shoal_world_next_tick(world) == 0 ? shoal_last_error(world).status : SHOAL_NOT_FOUND)
REFUSED(validate, shoal_world_validate(world))
REFUSED(trim, shoal_world_trim(world, 0, NULL))
REFUSED(world_destroy, shoal_world_destroy(world))
REFUSED(csv_query, shoal_csv_query(r->plain, shoal_write_file, stdout))
REFUSED(csv_archetype, shoal_csv_archetype(world, NULL, 0, shoal_write_file, stdout))
REFUSED(hash, shoal_world_hash(world, SHOAL_HASH_CANONICAL, &(uint64_t){0}))
REFUSED(print_memory, shoal_print_memory(world, 0, shoal_write_file, stdout))

#define LISTED(Name)                                                                                                   \
    { #Name, call_##Name }

static const refused_call refused_calls[] = {LISTED(spawn),
                                             LISTED(spawn_at),
                                             LISTED(reserve_range),
                                             LISTED(spawn_many),
                                             LISTED(clone),
                                             LISTED(clone_tree),
                                             LISTED(instantiate),
                                             LISTED(make_prefab),
                                             LISTED(destroy),
                                             LISTED(destroy_many),
                                             LISTED(add),
                                             LISTED(add_sparse),
                                             LISTED(remove),
                                             LISTED(remove_sparse),
                                             LISTED(set),
                                             LISTED(set_sparse),
                                             LISTED(set_shared),
                                             LISTED(set_link),
                                             LISTED(set_buffer),
                                             LISTED(clear),
                                             LISTED(change_entity),
                                             LISTED(enable),
                                             LISTED(disable),
                                             LISTED(enable_missing),
                                             LISTED(relate),
                                             LISTED(unrelate),
                                             LISTED(set_parent),
                                             LISTED(order_source),
                                             LISTED(set_name),
                                             LISTED(unique_set),
                                             LISTED(unique_remove),
                                             LISTED(query_create),
                                             LISTED(query_destroy),
                                             LISTED(query_destroy_entities),
                                             LISTED(query_change_entities),
                                             LISTED(commands_create),
                                             LISTED(commands_apply),
                                             LISTED(next_tick),
                                             LISTED(validate),
                                             LISTED(trim),
                                             LISTED(world_destroy),
                                             LISTED(csv_query),
                                             LISTED(csv_archetype),
                                             LISTED(hash),
                                             LISTED(print_memory)};

static void test_refused(void **state) {
    (void)state;
    rig r;
    rig_begin(&r);
    const shoal_memory_report before = report_of(r.f.world);
    for (size_t i = 0; i < sizeof refused_calls / sizeof refused_calls[0]; i++) {
        const refused_call *refused = &refused_calls[i];
        test_set_context("%s", refused->name);
        assert_status(refused->call(&r), SHOAL_WORLD_LOCKED);
        assert_last_error(r.f.world, SHOAL_WORLD_LOCKED);
        assert_message_has(r.f.world, "held by system \"move\"; record changes of structure in run->commands");
        assert_status(r.f.world->error.status, SHOAL_OK);
    }
    test_set_context("");
    const shoal_memory_report after = report_of(r.f.world);
    assert_memory_equal(&before, &after, sizeof before);
    assert_count(shoal_world_tick(r.f.world), 1);
    assert_count(SHOAL_GET(r.f.world, r.rows[0], Spot)->x, 0);
    assert_count(SHOAL_UNIQUE(r.f.world, Rules)->value, 9);
    rig_end(&r);
}

/* The same calls do their work when no systems run; so none of them is refused for another reason. */
static void test_not_refused_otherwise(void **state) {
    (void)state;
    rig r;
    rig_make(&r);
    assert_ok(SHOAL_SET(r.f.world, r.rows[0], Spot, 77, 77));
    assert_ok(shoal_disable(r.f.world, r.rows[0], SHOAL_ID(Lamp)));
    assert_ok(SHOAL_UNIQUE_SET(r.f.world, Rules, 77));
    assert_count(shoal_world_next_tick(r.f.world), 2);
    assert_valid(r.f.world);
    rig_share(&r);
    rig_end(&r);
}

/* ---- recording ---- */

static void test_recording(void **state) {
    (void)state;
    rig r;
    rig_begin(&r);
    const char text[] = "elements";
    shoal_entity placeholder = shoal_commands_spawn(r.commands, SHOAL_VALUES(SHOAL_VALUE(Spot, 1, 2)));
    assert_false(shoal_entity_is_null(placeholder));
    assert_ok(shoal_commands_add(r.commands, placeholder, SHOAL_ID(Trail), &(shoal_span){text, 2}));
    assert_ok(SHOAL_COMMANDS_SET(r.commands, r.rows[0], Spot, 55, 0));
    assert_ok(shoal_commands_destroy_entity(r.commands, r.rows[1]));
    assert_count(shoal_commands_count(r.commands), 4);
    shoal_commands_discard(r.commands); /* does nothing, nor does the next */
    shoal_commands_destroy(r.commands);
    assert_count(shoal_commands_count(r.commands), 4);
    rig_unshare(&r);
    assert_applied(r.commands, 4, 0);
    assert_count(SHOAL_GET(r.f.world, r.rows[0], Spot)->x, 55);
    assert_count(shoal_buffer_count(
                     shoal_buffer_get(r.f.world, shoal_commands_resolve(r.commands, placeholder), SHOAL_ID(Trail))),
                 2);
    rig_share(&r);
    rig_end(&r);
}

static void check_closed(rig *r, shoal_status why, const char *message) {
    const shoal_entity entity = r->rows[0];
    assert_status(shoal_commands_destroy_entity(r->commands, entity), why);
    assert_message_has(r->f.world, message);
    assert_status(shoal_commands_remove(r->commands, entity, SHOAL_ID(Spot)), why);
    assert_status(SHOAL_COMMANDS_SET(r->commands, entity, Spot, 1, 1), why);
    assert_status(shoal_commands_relate(r->commands, entity, SHOAL_ID(Holds), entity, NULL), why);
    assert_true(shoal_entity_is_null(shoal_commands_spawn(r->commands, NULL, 0)));
    assert_last_error(r->f.world, why);
    assert_message_has(r->f.world, message);
    assert_count(shoal_commands_count(r->commands), 0);
}

static void test_closed_recorder(void **state) {
    (void)state;
    rig r;
    rig_begin(&r);
    command_refuse(r.commands, SHOAL_ACCESS_UNDECLARED);
    check_closed(&r, SHOAL_ACCESS_UNDECLARED, "\"recorder\" records commands; declare it with .commands = true");
    command_refuse(r.commands, SHOAL_WORLD_LOCKED);
    check_closed(&r, SHOAL_WORLD_LOCKED, "held by system \"move\"");
    command_refuse(r.commands, SHOAL_OK);
    assert_ok(shoal_commands_destroy_entity(r.commands, r.rows[0]));
    command_refuse(r.commands, SHOAL_ACCESS_UNDECLARED);
    rig_unshare(&r);
    assert_applied(r.commands, 1, 0); /* applying neither asks nor forgets */
    check_closed(&r, SHOAL_ACCESS_UNDECLARED, "declare it with .commands = true");
    rig_share(&r);
    rig_end(&r);
}

/* ---- watching ---- */

typedef struct access_note {
    uint32_t id;
    bool for_write;
    const char *call;
} access_note;

static access_note notes[64];
static size_t note_count;

static void note_access(world_scope *scope, shoal_component component, bool for_write, const char *call) {
    assert_string_equal(scope->context, "context");
    assert_true(note_count < 64);
    notes[note_count++] = (access_note){component.id, for_write, call};
}

/* What was told since the last check: one note, or none in builds without asserts. */
static void check_note(shoal_component component, bool for_write, const char *call) {
    size_t expected = SHOAL_DEBUG >= 1 ? 1 : 0;
    assert_count(note_count, expected);
    for (size_t i = 0; i < note_count; i++) {
        assert_count(notes[i].id, component.id);
        assert_int_equal(notes[i].for_write, for_write);
        assert_string_equal(notes[i].call, call);
    }
    note_count = 0;
}

static void check_values_are_watched(rig *r) {
    shoal_world *world = r->f.world;
    const shoal_entity *rows = r->rows;
    const void *values[2];
    void *places[2];
    assert_non_null(shoal_get(world, rows[0], SHOAL_ID(Spot)));
    check_note(SHOAL_ID(Spot), false, "shoal_get");
    assert_null(shoal_get(world, rows[0], SHOAL_ID(Pace))); /* also what is not there */
    check_note(SHOAL_ID(Pace), false, "shoal_get");
    assert_non_null(shoal_get_mut(world, rows[0], SHOAL_ID(Loose)));
    check_note(SHOAL_ID(Loose), true, "shoal_get_mut");
    assert_true(shoal_has(world, rows[0], SHOAL_ID(Team))); /* presence tells nobody: it stays while systems run */
    assert_true(shoal_is_enabled(world, rows[0], SHOAL_ID(Lamp)));
    assert_count(note_count, 0);
    assert_count(shoal_get_many(world, rows, 2, SHOAL_ID(Spot), values), 2);
    check_note(SHOAL_ID(Spot), false, "shoal_get_many");
    assert_count(shoal_get_many_mut(world, rows, 2, SHOAL_ID(Spot), places), 2);
    check_note(SHOAL_ID(Spot), true, "shoal_get_many_mut");
    shoal_buffer trail = shoal_buffer_get(world, rows[0], SHOAL_ID(Trail));
    check_note(SHOAL_ID(Trail), false, "shoal_buffer_get");
    assert_ok(shoal_buffer_push(trail, NULL));
    check_note(SHOAL_ID(Trail), true, "shoal_buffer_push");
    assert_ok(shoal_buffer_erase(trail, 0));
    check_note(SHOAL_ID(Trail), true, "shoal_buffer_erase");
    assert_non_null(SHOAL_UNIQUE(world, Rules));
    check_note(SHOAL_ID(Rules), false, "shoal_unique_get");
    assert_non_null(SHOAL_UNIQUE_MUT(world, Rules));
    check_note(SHOAL_ID(Rules), true, "shoal_unique_get_mut");
    assert_true(shoal_unique_has(world, SHOAL_ID(Rules)));
    assert_count(note_count, 0);
    assert_count(shoal_unique_tick(world, SHOAL_ID(Rules)), 1);
    check_note(SHOAL_ID(Rules), false, "shoal_unique_tick");
}

static void check_relations_are_watched(rig *r) {
    shoal_world *world = r->f.world;
    const shoal_entity *rows = r->rows;
    shoal_component holds = SHOAL_ID(Holds);
    shoal_component child_of = SHOAL_ID(ChildOf);
    assert_true(shoal_is_related(world, rows[0], holds, rows[1]));
    check_note(holds, false, "shoal_is_related");
    assert_entity(shoal_target(world, rows[0], holds), rows[1]);
    check_note(holds, false, "shoal_target");
    assert_non_null(shoal_relation_get(world, rows[0], holds, rows[1]));
    check_note(holds, false, "shoal_relation_get");
    assert_non_null(shoal_relation_get_mut(world, rows[0], holds, rows[1]));
    check_note(holds, true, "shoal_relation_get_mut");
    shoal_target_walk targets = shoal_targets(world, rows[0], holds);
    check_note(holds, false, "shoal_targets");
    assert_true(shoal_targets_next(&targets));
    shoal_source_walk sources = shoal_sources(world, holds, rows[1]);
    check_note(holds, false, "shoal_sources");
    assert_true(shoal_sources_next(&sources));
    assert_count(note_count, 0); /* walks have been told of when they began */
    assert_count(shoal_source_count(world, holds, rows[1]), 1);
    check_note(holds, false, "shoal_source_count");
    assert_entity(shoal_parent(world, rows[1]), rows[0]);
    check_note(child_of, false, "shoal_parent");
    sources = shoal_children(world, rows[0]);
    check_note(child_of, false, "shoal_children");
    assert_count(shoal_depth(world, child_of, rows[1]), 1);
    check_note(child_of, false, "shoal_depth");
    shoal_entity at = rows[0];
    assert_true(shoal_tree_next(world, child_of, rows[0], &at));
    check_note(child_of, false, "shoal_tree_next");
}

static void test_watched(void **state) {
    (void)state;
    rig r;
    rig_begin(&r);
    assert_non_null(SHOAL_GET(r.f.world, r.rows[0], Spot)); /* nobody watches */
    char context[] = "context";
    r.scope.access = note_access;
    r.scope.context = context;
    note_count = 0;
    check_values_are_watched(&r);
    check_relations_are_watched(&r);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, r.plain)); /* write Spot, without Pace */
    shoal_view_end(&view);
    check_note(SHOAL_ID(Spot), true, "shoal_view_begin");
    rig_unshare(&r);
    assert_non_null(SHOAL_GET(r.f.world, r.rows[0], Spot)); /* no systems run */
    assert_ok(shoal_view_begin(&view, r.plain));
    shoal_view_end(&view);
    assert_count(note_count, 0);
    rig_share(&r);
    rig_end(&r);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scopes_nest),
        cmocka_unit_test(test_view_holds_the_lock_of_its_thread),
        cmocka_unit_test(test_no_view_without_a_scope),
        cmocka_unit_test(test_view_that_was_open_before),
        cmocka_unit_test(test_callbacks_hold_the_lock_of_their_thread),
        cmocka_unit_test(test_errors_stay_with_the_thread),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_not_refused_otherwise),
        cmocka_unit_test(test_recording),
        cmocka_unit_test(test_closed_recorder),
        cmocka_unit_test(test_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
