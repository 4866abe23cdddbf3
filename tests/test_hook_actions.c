/*
 * Hooks against the ways in which the same thing is done, and what a hook may do. An operation tells the same when it
 * is called, recorded, part of a change in one move, or made for all of a query; a hook that records commands, sets
 * values or calls what is locked gets what the documents say, also while commands are applied. Conformance B2, B6,
 * B7, B9, C2, C6, C10, C13, F11.
 *
 * The hooks are those of the told types of test_kind_types.h; what a test adds to them is the witness's `also`.
 */
#include "support/fixture.h"
#include "support/test.h"
#include "test_kind_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PAYLOAD 8
#define OTHER_PAYLOAD 16

typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_commands *commands;
    shoal_entity other;
    shoal_entity subject; /* has the quiet mark, and the told component of the case when it is there from the start */
    shoal_query *marked;
} scene;

static void scene_start(scene *s) {
    memset(s, 0, sizeof *s);
    fixture_start(&s->f, NULL);
    s->world = s->f.world;
    s->commands = shoal_commands_create(s->world, NULL);
    witness_start(&witnesses[0], s->world);
    const shoal_term term = {.component = component_of(CASE_MARK), .access = SHOAL_ACCESS_WITH};
    s->marked = shoal_query_create(s->world, &(shoal_query_def){.terms = &term, .term_count = 1, .name = "marked"});
    s->other = shoal_spawn(s->world, NULL, 0);
    const shoal_value mark = {component_of(CASE_MARK), NULL};
    s->subject = shoal_spawn(s->world, &mark, 1);
    assert_false(shoal_entity_is_null(s->subject));
}

static void scene_end(scene *s) {
    assert_null(witness_fault(&witnesses[0]));
    fixture_end(&s->f);
    kind_types_check_ended();
}

static void scene_give(scene *s, size_t type, uint32_t payload) {
    value_box box;
    box_make(&box, type, payload, true, s->other);
    assert_ok(shoal_add(s->world, s->subject, component_of(type), box.data));
    box_end(&box);
}

/* ---- the same, whichever way ---- */

typedef enum operation { ADD_VALUE, ADD_DEFAULT, SET_VALUE, REMOVE, CLEAR, DESTROY, OPERATION_COUNT } operation;
typedef enum mode { CALLED, RECORDED, IN_ONE_MOVE, FOR_A_QUERY, MODE_COUNT } mode;

static const char *const operation_names[] = {"add", "add by default", "set", "remove", "clear", "destroy"};
static const char *const mode_names[] = {"called", "recorded", "in one move", "for a query"};

static bool mode_has(mode how, operation what) {
    bool is_change = what == ADD_VALUE || what == ADD_DEFAULT || what == REMOVE;
    return how == CALLED || how == RECORDED || is_change || (how == FOR_A_QUERY && what == DESTROY);
}

static shoal_status operate_called(scene *s, operation what, shoal_component component, const void *data) {
    switch (what) {
    case SET_VALUE:
        return shoal_set(s->world, s->subject, component, data);
    case REMOVE:
        return shoal_remove(s->world, s->subject, component);
    case CLEAR:
        return shoal_clear(s->world, s->subject);
    case DESTROY:
        return shoal_destroy(s->world, s->subject);
    default:
        return shoal_add(s->world, s->subject, component, data);
    }
}

static shoal_status operate_recorded(scene *s, operation what, shoal_component component, const void *data) {
    switch (what) {
    case SET_VALUE:
        return shoal_commands_set(s->commands, s->subject, component, data);
    case REMOVE:
        return shoal_commands_remove(s->commands, s->subject, component);
    case CLEAR:
        return shoal_commands_clear(s->commands, s->subject);
    case DESTROY:
        return shoal_commands_destroy_entity(s->commands, s->subject);
    default:
        return shoal_commands_add(s->commands, s->subject, component, data);
    }
}

static shoal_status operate_changed(scene *s, operation what, mode how, shoal_component component, const void *data) {
    const shoal_value value = {component, data};
    shoal_change change = {.add = &value, .add_count = 1};
    if (what == REMOVE) {
        change = (shoal_change){.remove = &component, .remove_count = 1};
    }
    if (how == FOR_A_QUERY && what == DESTROY) {
        return shoal_query_destroy_entities(s->marked);
    }
    return how == FOR_A_QUERY ? shoal_query_change_entities(s->marked, &change)
                              : shoal_change_entity(s->world, s->subject, &change);
}

/* Runs one case and keeps its events in `text`; returns what the call gave, or what the command was dropped with. */
static void operate(size_t type, bool is_there, operation what, mode how, char *text, size_t size) {
    scene s;
    value_box box;
    scene_start(&s);
    if (is_there) {
        scene_give(&s, type, PAYLOAD);
    }
    witness_forget_events(&witnesses[0]);
    box_make(&box, type, OTHER_PAYLOAD, what != ADD_DEFAULT, s.other);
    shoal_component component = component_of(type);
    if (how == CALLED) {
        (void)operate_called(&s, what, component, box.data);
    } else if (how == RECORDED) {
        assert_ok(operate_recorded(&s, what, component, box.data));
        assert_ok(shoal_commands_apply(s.commands, NULL));
    } else {
        assert_ok(operate_changed(&s, what, how, component, box.data));
    }
    box_end(&box);
    assert_true(witnesses[0].length < size);
    memcpy(text, witnesses[0].events, witnesses[0].length + 1);
    assert_valid(s.world);
    scene_end(&s);
}

static void compare_modes(size_t type, bool is_there, operation what) {
    char called[2048];
    char other[2048];
    operate(type, is_there, what, CALLED, called, sizeof called);
    for (mode how = RECORDED; how < MODE_COUNT; how++) {
        if (!mode_has(how, what)) {
            continue;
        }
        test_set_context("%s of %s, which is %sthere, %s", operation_names[what], name_of_type(type),
                         is_there ? "" : "not ", mode_names[how]);
        operate(type, is_there, what, how, other, sizeof other);
        if (!events_are_same(called, other)) {
            fail_msg("%s\ncalled:\n%s\nnow:\n%s", test_context, called, other);
        }
    }
}

static void conf_C2_C13_every_mode_tells_the_same(void **state) {
    (void)state;
    for (size_t type = CASE_COUNT; type < 2 * (size_t)CASE_COUNT; type++) {
        for (operation what = ADD_VALUE; what < OPERATION_COUNT; what++) {
            if (what == SET_VALUE && item_size(type) == 0 && !is_relation(type)) {
                continue; /* there is no value to set */
            }
            compare_modes(type, false, what);
            compare_modes(type, true, what);
        }
    }
    test_set_context("%s", "");
}

/* What the events of a called operation are, so that all modes are not wrong in the same way. */
static void conf_B9_what_each_operation_tells(void **state) {
    (void)state;
    char text[2048];
    for (size_t type = CASE_COUNT; type < 2 * (size_t)CASE_COUNT; type++) {
        bool has_data = item_size(type) != 0;
        test_set_context("%s", name_of_type(type));
        operate(type, true, ADD_DEFAULT, CALLED, text, sizeof text);
        bool gives_again = type == TOLD(CASE_SPARSE_NEEDING) || type == TOLD(CASE_MANY_NEEDING);
        assert_true(text[0] == '\0' || gives_again);
        operate(type, false, REMOVE, RECORDED, text, sizeof text); /* conf_C10 */
        assert_string_equal(text, "");
        operate(type, true, ADD_VALUE, CALLED, text, sizeof text);
        assert_count(strncmp(text, "set ", 4) == 0, has_data);
        operate(type, true, REMOVE, CALLED, text, sizeof text);
        assert_int_equal(strncmp(text, "remove ", 7), 0);
        operate(type, true, DESTROY, CALLED, text, sizeof text);
        assert_count(strstr(text, name_of_type(type)) != NULL, !case_of(type)->cleanup);
    }
    test_set_context("%s", "");
}

/* ---- what a hook does ---- */

/* What the hook of on_remove does, once. */
typedef enum reaction { ADDS, REMOVES, DESTROYS, SETS } reaction;

typedef struct reacting {
    scene *s;
    reaction does;
    bool done;
} reacting;

static void react(witness *seen, const char *what, const shoal_component_event *event, void *user) {
    reacting *hook = user;
    scene *s = hook->s;
    (void)seen;
    if (hook->done || strcmp(what, "remove") != 0) {
        return;
    }
    hook->done = true;
    const shoal_component gate = component_of(TOLD(CASE_GATE));
    const shoal_component number = component_of(TOLD(CASE_NUMBER));
    const uint32_t value = 77;
    assert_status(shoal_add(event->world, event->entity, gate, &value), SHOAL_WORLD_LOCKED);
    assert_status(shoal_destroy(event->world, event->entity), SHOAL_WORLD_LOCKED);
    shoal_status status = hook->does == ADDS       ? shoal_commands_add(s->commands, event->entity, gate, &value)
                          : hook->does == REMOVES  ? shoal_commands_remove(s->commands, event->entity, number)
                          : hook->does == DESTROYS ? shoal_commands_destroy_entity(s->commands, event->entity)
                                                   : shoal_set(event->world, event->entity, number, &value);
    assert_ok(status);
}

/* The subject loses `type`, by a call or by a command of another buffer than the one that the hook records into. */
static void lose(scene *s, size_t type, bool recorded) {
    if (!recorded) {
        assert_ok(shoal_remove(s->world, s->subject, component_of(type)));
        return;
    }
    shoal_commands *own = shoal_commands_create(s->world, NULL);
    assert_ok(shoal_commands_remove(own, s->subject, component_of(type)));
    assert_ok(shoal_commands_apply(own, NULL));
}

static void check_reaction(size_t type, reaction does, bool recorded) {
    scene s;
    test_set_context("%s, reaction %d, %s", name_of_type(type), (int)does, recorded ? "recorded" : "called");
    scene_start(&s);
    scene_give(&s, type, PAYLOAD);
    scene_give(&s, TOLD(CASE_NUMBER), PAYLOAD);
    reacting hook = {.s = &s, .does = does};
    witnesses[0].also = react;
    witnesses[0].user = &hook;
    lose(&s, type, recorded);
    assert_true(hook.done);
    assert_false(shoal_has(s.world, s.subject, component_of(type)));
    assert_ok(shoal_commands_apply(s.commands, NULL));
    assert_count(shoal_is_alive(s.world, s.subject), does != DESTROYS);
    if (does == ADDS) {
        assert_count(item_read(TOLD(CASE_GATE), shoal_get(s.world, s.subject, component_of(TOLD(CASE_GATE)))), 77);
    } else if (does == SETS) {
        const void *number = shoal_get(s.world, s.subject, component_of(TOLD(CASE_NUMBER)));
        assert_count(item_read(TOLD(CASE_NUMBER), number), 77);
    } else {
        assert_false(shoal_has(s.world, s.subject, component_of(TOLD(CASE_NUMBER))));
    }
    scene_end(&s);
}

static void conf_B6_B7_a_hook_that_changes_its_entity(void **state) {
    (void)state;
    static const unsigned char lost[] = {CASE_MARK,   CASE_OBJECT,        CASE_SPARSE,    CASE_SPARSE_MARK,
                                         CASE_SHARED, CASE_BUFFER_OBJECT, CASE_GATE_MARK, CASE_CLEANUP,
                                         CASE_CHUNK,  CASE_ONE_OBJECT,    CASE_MANY,      CASE_SPLITS};
    for (size_t i = 0; i < sizeof lost; i++) {
        for (reaction does = ADDS; does <= SETS; does++) {
            check_reaction(TOLD(lost[i]), does, false);
            check_reaction(TOLD(lost[i]), does, true);
        }
    }
    test_set_context("%s", "");
}

/* ---- every call where the world is locked ---- */

typedef enum place { IN_A_VIEW, IN_A_HOOK, IN_A_HOOK_OF_AN_APPLY, PLACE_COUNT } place;

/* What a call gives there: most give the same everywhere. */
typedef struct locked_call {
    const char *name;
    shoal_status (*call)(scene *s);
    shoal_status expected;
} locked_call;

static const uint32_t new_number = 21;
static shoal_entity made[2];

static shoal_status status_of(const scene *s, bool failed) {
    return failed ? shoal_last_error(s->world).status : SHOAL_OK;
}

static shoal_status call_spawn(scene *s) {
    return status_of(s, shoal_entity_is_null(shoal_spawn(s->world, NULL, 0)));
}

static shoal_status call_spawn_at(scene *s) {
    return shoal_spawn_at(s->world, shoal_entity_make(s->world, 900, 0), NULL, 0);
}

static shoal_status call_spawn_many(scene *s) {
    return shoal_spawn_many(s->world, &(shoal_spawn_many_def){.count = 2});
}

static shoal_status call_clone(scene *s) {
    return status_of(s, shoal_entity_is_null(shoal_clone(s->world, s->subject)));
}

static shoal_status call_clone_tree(scene *s) {
    return status_of(s, shoal_entity_is_null(shoal_clone_tree(s->world, s->subject)));
}

static shoal_status call_instantiate(scene *s) {
    return shoal_instantiate(s->world, s->subject, &(shoal_instantiate_def){.count = 1});
}

static shoal_status call_make_prefab(scene *s) {
    return shoal_make_prefab(s->world, s->subject);
}

static shoal_status call_destroy(scene *s) {
    return shoal_destroy(s->world, s->other);
}

static shoal_status call_destroy_many(scene *s) {
    return shoal_destroy_many(s->world, &s->other, 1);
}

static shoal_status call_query_destroy(scene *s) {
    return shoal_query_destroy_entities(s->marked);
}

static shoal_status call_add(scene *s) {
    return shoal_add(s->world, s->subject, component_of(CASE_SPARSE), NULL);
}

static shoal_status call_add_quick(scene *s) {
    return shoal_add(s->world, s->other, component_of(CASE_NUMBER), &new_number);
}

static shoal_status call_remove(scene *s) {
    return shoal_remove(s->world, s->subject, component_of(CASE_NUMBER));
}

static shoal_status call_clear(scene *s) {
    return shoal_clear(s->world, s->subject);
}

static shoal_status call_change(scene *s) {
    return shoal_change_entity(s->world, s->subject, &(shoal_change){0});
}

static shoal_status call_query_change(scene *s) {
    return shoal_query_change_entities(s->marked, &(shoal_change){0});
}

static shoal_status call_set(scene *s) {
    return shoal_set(s->world, s->subject, component_of(CASE_NUMBER), &new_number);
}

static shoal_status call_set_shared(scene *s) {
    return shoal_set(s->world, s->subject, component_of(CASE_SHARED), &new_number);
}

static shoal_status call_set_chunk(scene *s) {
    return shoal_set(s->world, s->subject, component_of(CASE_CHUNK), &new_number);
}

static shoal_status call_set_sparse(scene *s) {
    return shoal_set(s->world, s->subject, component_of(CASE_SPARSE), &new_number);
}

static shoal_status call_set_link(scene *s) {
    return shoal_set(s->world, s->subject, component_of(CASE_MANY_NUMBERS),
                     &(shoal_link){.target = s->other, .data = &new_number});
}

static shoal_status call_enable(scene *s) {
    return shoal_enable(s->world, s->subject, component_of(CASE_GATE));
}

static shoal_status call_disable(scene *s) {
    return shoal_disable(s->world, s->subject, component_of(CASE_GATE));
}

static shoal_status call_push(scene *s) {
    shoal_buffer buffer = shoal_buffer_get(s->world, s->subject, component_of(CASE_GATE_BUFFER));
    return shoal_buffer_push(buffer, &new_number);
}

static shoal_status call_resize(scene *s) {
    return shoal_buffer_resize(shoal_buffer_get(s->world, s->subject, component_of(CASE_GATE_BUFFER)), 9);
}

static shoal_status call_relate(scene *s) {
    return shoal_relate(s->world, s->subject, component_of(CASE_MANY), s->other, NULL);
}

static shoal_status call_unrelate(scene *s) {
    return shoal_unrelate(s->world, s->subject, component_of(CASE_MANY_NUMBERS), s->other);
}

static shoal_status call_set_parent(scene *s) {
    return shoal_set_parent(s->world, s->subject, s->other);
}

static shoal_status call_order_source(scene *s) {
    return shoal_order_source(s->world, component_of(CASE_ONE_OBJECT), s->subject, (shoal_entity){0});
}

static shoal_status call_set_name(scene *s) {
    return shoal_set_name(s->world, s->subject, "subject");
}

static shoal_status call_reserve_range(scene *s) {
    return shoal_reserve_range(s->world, 5000, 10);
}

static shoal_status call_trim(scene *s) {
    return shoal_world_trim(s->world, 0, NULL);
}

static shoal_status call_world_destroy(scene *s) {
    return shoal_world_destroy(s->world);
}

static shoal_status call_query_create(scene *s) {
    return status_of(s, shoal_query_create(s->world, NULL) == NULL &&
                            shoal_query_create(s->world, &(shoal_query_def){.name = "made"}) == NULL);
}

static shoal_status call_query_end(scene *s) {
    return shoal_query_destroy(s->marked);
}

static shoal_status call_view(scene *s) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, s->marked);
    shoal_view_end(&view);
    return status;
}

static shoal_status call_record(scene *s) {
    made[0] = shoal_commands_spawn(s->commands, NULL, 0);
    shoal_status status = status_of(s, shoal_entity_is_null(made[0]));
    status = status == SHOAL_OK ? shoal_commands_add(s->commands, s->other, component_of(CASE_SPARSE), NULL) : status;
    status = status == SHOAL_OK ? shoal_commands_remove(s->commands, s->other, component_of(CASE_SPARSE)) : status;
    status = status == SHOAL_OK ? shoal_commands_clear(s->commands, made[0]) : status;
    return status == SHOAL_OK ? shoal_commands_destroy_entity(s->commands, made[0]) : status;
}

static shoal_status call_record_links(scene *s) {
    shoal_component many = component_of(CASE_MANY);
    shoal_status status = shoal_commands_relate(s->commands, s->other, many, s->subject, NULL);
    status = status == SHOAL_OK ? shoal_commands_unrelate(s->commands, s->other, many, s->subject) : status;
    shoal_component gate = component_of(CASE_GATE);
    status = status == SHOAL_OK ? shoal_commands_disable(s->commands, s->subject, gate) : status;
    status = status == SHOAL_OK ? shoal_commands_enable(s->commands, s->subject, gate) : status;
    return status == SHOAL_OK ? shoal_commands_set(s->commands, s->subject, gate, &new_number) : status;
}

static shoal_status call_apply(scene *s) {
    return shoal_commands_apply(s->commands, NULL);
}

static shoal_status call_other_buffer(scene *s) {
    shoal_commands *other = shoal_commands_create(s->world, NULL);
    shoal_status status = status_of(s, other == NULL);
    status = status == SHOAL_OK ? shoal_commands_destroy_entity(other, s->other) : status;
    shoal_commands_discard(other);
    shoal_commands_destroy(other);
    return status;
}

static shoal_status call_next_tick(scene *s) {
    uint64_t before = shoal_world_tick(s->world);
    return shoal_world_next_tick(s->world) == before + 1 ? SHOAL_OK : SHOAL_CORRUPT;
}

#define LOCKED(function)                                                                                               \
    { #function, function, SHOAL_WORLD_LOCKED }
#define WORKS(function)                                                                                                \
    { #function, function, SHOAL_OK }

static const locked_call locked_calls[] = {
    LOCKED(call_spawn),         LOCKED(call_spawn_at),      LOCKED(call_spawn_many),    LOCKED(call_clone),
    LOCKED(call_clone_tree),    LOCKED(call_instantiate),   LOCKED(call_make_prefab),   LOCKED(call_destroy),
    LOCKED(call_destroy_many),  LOCKED(call_query_destroy), LOCKED(call_add),           LOCKED(call_add_quick),
    LOCKED(call_remove),        LOCKED(call_clear),         LOCKED(call_change),        LOCKED(call_query_change),
    LOCKED(call_set_shared),    LOCKED(call_relate),        LOCKED(call_unrelate),      LOCKED(call_set_parent),
    LOCKED(call_order_source),  LOCKED(call_set_name),      LOCKED(call_reserve_range), LOCKED(call_trim),
    LOCKED(call_world_destroy), LOCKED(call_query_end),     LOCKED(call_apply),         WORKS(call_set),
    WORKS(call_set_chunk),      WORKS(call_set_sparse),     WORKS(call_set_link),       WORKS(call_enable),
    WORKS(call_disable),        WORKS(call_push),           WORKS(call_resize),         WORKS(call_query_create),
    WORKS(call_view),           WORKS(call_record),         WORKS(call_record_links),   WORKS(call_other_buffer),
    WORKS(call_next_tick),
};

static void call_all_locked(scene *s, const char *holder) {
    for (size_t i = 0; i < sizeof locked_calls / sizeof locked_calls[0]; i++) {
        test_set_context("%s while %s holds the world", locked_calls[i].name, holder);
        assert_status(locked_calls[i].call(s), locked_calls[i].expected);
        if (locked_calls[i].expected == SHOAL_WORLD_LOCKED) {
            assert_last_error(s->world, SHOAL_WORLD_LOCKED);
            assert_message_has(s->world, holder);
        }
    }
    test_set_context("%s", "");
}

static size_t hook_count;

static void call_all_in_hook(witness *seen, const char *what, const shoal_component_event *event, void *user) {
    (void)seen;
    (void)what;
    hook_count++;
    assert_string_equal(shoal_world_lock_holder(event->world), name_of_type(type_of(event->component)));
    call_all_locked(user, name_of_type(type_of(event->component)));
}

/* All that the calls need is there. */
static void scene_fill(scene *s) {
    static const unsigned char given[] = {CASE_NUMBER, CASE_SHARED,      CASE_CHUNK,        CASE_SPARSE,
                                          CASE_GATE,   CASE_GATE_BUFFER, CASE_MANY_NUMBERS, CASE_ONE_OBJECT};
    for (size_t i = 0; i < sizeof given; i++) {
        scene_give(s, given[i], PAYLOAD);
    }
}

/* Nothing but what works has happened. */
static void scene_check_filled(scene *s) {
    assert_count(shoal_world_entity_count(s->world), 2);
    assert_null(shoal_name(s->world, s->subject));
    assert_true(shoal_is_related(s->world, s->subject, component_of(CASE_MANY_NUMBERS), s->other));
    assert_false(shoal_has(s->world, s->subject, component_of(CASE_MANY)));
    assert_count(*(const uint32_t *)shoal_get(s->world, s->subject, component_of(CASE_NUMBER)), new_number);
    assert_count(*(const uint32_t *)shoal_get(s->world, s->subject, component_of(CASE_SHARED)), PAYLOAD);
    shoal_buffer buffer = shoal_buffer_get(s->world, s->subject, component_of(CASE_GATE_BUFFER));
    assert_count(shoal_buffer_count(buffer), 9);
    assert_valid(s->world);
    assert_ok(shoal_commands_apply(s->commands, NULL));
    assert_count(shoal_world_entity_count(s->world), 2);
    assert_valid(s->world);
}

static void conf_C6_F11_every_call_while_the_world_is_locked(void **state) {
    (void)state;
    for (place where = IN_A_VIEW; where < PLACE_COUNT; where++) {
        scene s;
        shoal_view view;
        scene_start(&s);
        scene_fill(&s);
        hook_count = 0;
        witnesses[0].also = call_all_in_hook;
        witnesses[0].user = &s;
        if (where == IN_A_VIEW) {
            assert_ok(shoal_view_begin(&view, s.marked));
            assert_true(shoal_view_next(&view));
            call_all_locked(&s, "marked");
            shoal_view_end(&view);
        } else if (where == IN_A_HOOK) {
            assert_ok(shoal_add(s.world, s.subject, component_of(TOLD(CASE_NUMBER)), &new_number));
            assert_ok(shoal_add(s.world, s.subject, component_of(TOLD(CASE_SPARSE)), &new_number));
        } else {
            shoal_commands *own = shoal_commands_create(s.world, NULL);
            assert_ok(shoal_commands_add(own, s.subject, component_of(TOLD(CASE_NUMBER)), &new_number));
            assert_ok(shoal_commands_add(own, s.subject, component_of(TOLD(CASE_SPARSE)), &new_number));
            assert_ok(shoal_commands_apply(own, NULL));
        }
        assert_count(hook_count, where == IN_A_VIEW ? 0 : 4);
        witnesses[0].also = NULL;
        scene_check_filled(&s);
        scene_end(&s);
    }
}

/* Room for what follows on_remove has been made already, so validate has nothing to say; of the others it has. */
static void validate_in_hook(witness *seen, const char *what, const shoal_component_event *event, void *user) {
    (void)seen;
    (void)user;
    hook_count++;
    bool is_half_way = strcmp(what, "remove") == 0;
    assert_status(shoal_world_validate(event->world), is_half_way ? SHOAL_WORLD_LOCKED : SHOAL_OK);
}

static void test_validate_in_hooks(void **state) {
    (void)state;
    for (size_t type = CASE_COUNT; type < TYPE_COUNT; type++) {
        if (!component_of(type).id || !shoal_component_info(component_of(type))->on_remove) {
            continue;
        }
        scene s;
        test_set_context("%s", shoal_component_info(component_of(type))->name);
        scene_start(&s);
        hook_count = 0;
        witnesses[0].also = validate_in_hook;
        scene_give(&s, type, PAYLOAD);
        assert_ok(shoal_remove(s.world, s.subject, component_of(type)));
        scene_give(&s, type, PAYLOAD);
        assert_ok(shoal_clear(s.world, s.subject));
        scene_give(&s, type, PAYLOAD);
        assert_ok(shoal_destroy(s.world, s.subject));
        assert_at_most(5, hook_count); /* three times on_add, twice on_remove; a cleanup component outlives a destroy */
        witnesses[0].also = NULL;
        scene_end(&s);
    }
    test_set_context("%s", "");
}

/* Types that nobody has used before come up in the middle of an end. */
static void register_in_hook(witness *seen, const char *what, const shoal_component_event *event, void *user) {
    static uint32_t late_count;
    (void)seen;
    if (strcmp(what, "remove") != 0) {
        return;
    }
    for (size_t i = 0; i < 100; i++) { /* more than the tables of a world have room for */
        char name[48];
        snprintf(name, sizeof name, "FirstUsedInHook%" PRIu32, late_count++);
        const shoal_component late =
            shoal_component_register(&(shoal_component_def){.name = name, .size = 4, .storage = SHOAL_STORAGE_SPARSE});
        assert_int_not_equal(late.id, 0);
        assert_false(shoal_has(event->world, event->entity, late));
        assert_null(shoal_get(event->world, event->entity, late));
        assert_ok(shoal_commands_add(user, event->entity, late, NULL));
    }
    hook_count++;
}

static void conf_B2_types_first_used_while_something_ends(void **state) {
    (void)state;
    for (int destroys = 0; destroys < 2; destroys++) {
        scene s;
        scene_start(&s);
        scene_give(&s, TOLD(CASE_OBJECT), PAYLOAD);
        hook_count = 0;
        witnesses[0].also = register_in_hook;
        witnesses[0].user = s.commands;
        assert_ok(destroys ? shoal_destroy(s.world, s.subject)
                           : shoal_remove(s.world, s.subject, component_of(TOLD(CASE_OBJECT))));
        witnesses[0].also = NULL;
        assert_count(hook_count, 1);
        assert_valid(s.world);
        shoal_commands_result result;
        assert_ok(shoal_commands_apply(s.commands, &result));
        assert_count(result.dropped, destroys ? 100 : 0);
        assert_valid(s.world);
        scene_end(&s);
    }
}

/* ---- the buffer that is applied ---- */

static void use_own_buffer(witness *seen, const char *what, const shoal_component_event *event, void *user) {
    shoal_commands *applied = user;
    (void)seen;
    (void)what;
    hook_count++;
    assert_status(shoal_commands_destroy_entity(applied, event->entity), SHOAL_WORLD_LOCKED);
    assert_status(shoal_commands_remove(applied, event->entity, event->component), SHOAL_WORLD_LOCKED);
    assert_true(shoal_entity_is_null(shoal_commands_spawn(applied, NULL, 0)));
    assert_status(shoal_commands_apply(applied, NULL), SHOAL_WORLD_LOCKED);
    shoal_commands_discard(applied); /* does nothing */
    shoal_commands_destroy(applied);
    assert_status(shoal_world_validate(event->world), SHOAL_WORLD_LOCKED);
}

static void conf_C6_a_hook_and_the_buffer_that_is_applied(void **state) {
    (void)state;
    scene s;
    scene_start(&s);
    hook_count = 0;
    witnesses[0].also = use_own_buffer;
    witnesses[0].user = s.commands;
    assert_ok(shoal_commands_add(s.commands, s.subject, component_of(TOLD(CASE_OBJECT)), NULL));
    assert_ok(shoal_commands_add(s.commands, s.other, component_of(TOLD(CASE_SPARSE)), &new_number));
    assert_ok(shoal_commands_destroy_entity(s.commands, s.other));
    shoal_commands_result result;
    assert_ok(shoal_commands_apply(s.commands, &result));
    assert_count(hook_count, 4);
    assert_count(result.applied, 3);
    assert_count(shoal_commands_count(s.commands), 0);
    witnesses[0].also = NULL;
    scene_end(&s);
}

/* What is removed and added again in one buffer has gone in between: who counts values sees both. */
static void conf_C13_removed_and_added_again(void **state) {
    (void)state;
    for (size_t type = CASE_COUNT; type < 2 * (size_t)CASE_COUNT; type++) {
        scene s;
        value_box box;
        char start[3][64];
        test_set_context("%s", name_of_type(type));
        scene_start(&s);
        scene_give(&s, type, PAYLOAD);
        witness_forget_events(&witnesses[0]);
        box_make(&box, type, OTHER_PAYLOAD, true, s.other);
        assert_ok(shoal_commands_remove(s.commands, s.subject, component_of(type)));
        assert_ok(shoal_commands_add(s.commands, s.subject, component_of(type), box.data));
        assert_ok(shoal_commands_apply(s.commands, NULL));
        static const char *const words[] = {"remove", "add", "set"};
        const char *at = witnesses[0].events;
        for (size_t i = 0; i < (item_size(type) != 0 ? 3 : 2); i++) {
            snprintf(start[i], sizeof start[i], "%s %s ", words[i], name_of_type(type));
            at = strstr(at, start[i]);
            assert_non_null(at); /* in this order */
        }
        box_end(&box);
        scene_end(&s);
    }
    test_set_context("%s", "");
}

int main(void) {
    kind_types_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_C2_C13_every_mode_tells_the_same),
        cmocka_unit_test(conf_B9_what_each_operation_tells),
        cmocka_unit_test(conf_B6_B7_a_hook_that_changes_its_entity),
        cmocka_unit_test(conf_C6_F11_every_call_while_the_world_is_locked),
        cmocka_unit_test(test_validate_in_hooks),
        cmocka_unit_test(conf_B2_types_first_used_while_something_ends),
        cmocka_unit_test(conf_C6_a_hook_and_the_buffer_that_is_applied),
        cmocka_unit_test(conf_C13_removed_and_added_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
