/*
 * Deferred equals immediate: every script of up to three operations out of add A, set A, remove A, destroy, add B and
 * clear, on an entity that has neither, one or both, or is spawned by the same buffer, gives the same world when it is
 * recorded and applied as when it is called; and what fails there is dropped here. Conformance C4.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

typedef enum script_operation { ADD_A, SET_A, REMOVE_A, DESTROY, ADD_B, CLEAR, OPERATION_COUNT } script_operation;

static const char *const operation_names[OPERATION_COUNT] = {"add A", "set A", "remove A", "destroy", "add B", "clear"};

/* A is Health, Owned or Frozen (as A, a tag cannot be set); B is Letter. */
typedef struct script_case {
    value_kind a;
    unsigned start; /* bit 0: has A, bit 1: has B */
    bool spawned;   /* the target is spawned by the same buffer */
    size_t length;
    script_operation operations[3];
} script_case;

/* One world, its buffer, and the entity that the script is about. */
typedef struct script_side {
    shoal_world *world;
    shoal_commands *commands;
    shoal_entity entity;
} script_side;

static shoal_status run_operation(script_side *side, value_kind a, script_operation operation, const void *value,
                                  bool deferred) {
    shoal_world *world = side->world;
    shoal_commands *commands = side->commands;
    shoal_entity entity = side->entity;
    const shoal_component type = kind_component(a);
    const shoal_component letter = SHOAL_ID(Letter);
    const Letter b = {9};
    switch (operation) {
    case ADD_A:
        return deferred ? shoal_commands_add(commands, entity, type, value) : shoal_add(world, entity, type, value);
    case SET_A:
        return deferred ? shoal_commands_set(commands, entity, type, value) : shoal_set(world, entity, type, value);
    case REMOVE_A:
        return deferred ? shoal_commands_remove(commands, entity, type) : shoal_remove(world, entity, type);
    case DESTROY:
        return deferred ? shoal_commands_destroy_entity(commands, entity) : shoal_destroy(world, entity);
    case ADD_B:
        return deferred ? shoal_commands_add(commands, entity, letter, &b) : shoal_add(world, entity, letter, &b);
    default:
        return deferred ? shoal_commands_clear(commands, entity) : shoal_clear(world, entity);
    }
}

/* Runs one operation with a value of its own; true when the call failed. */
static bool run_with_value(script_side *side, const script_case *script, size_t step, bool deferred) {
    kind_buffer buffer;
    memset(&buffer, 0, sizeof buffer);
    if (!kind_is_tag(script->a)) {
        kind_write(script->a, 10 + step, buffer.bytes);
    }
    shoal_status status = run_operation(side, script->a, script->operations[step], buffer.bytes, deferred);
    if (!kind_is_tag(script->a)) {
        kind_end(script->a, buffer.bytes);
    }
    if (deferred) {
        assert_ok(status);
    }
    return status != SHOAL_OK;
}

static size_t start_values(const script_case *script, kind_buffer *buffer, shoal_value *values) {
    static const Letter start_b = {4};
    size_t count = 0;
    if ((script->start & 1) != 0) {
        memset(buffer, 0, sizeof *buffer);
        if (!kind_is_tag(script->a)) {
            kind_write(script->a, 5, buffer->bytes);
        }
        values[count++] = (shoal_value){kind_component(script->a), buffer->bytes};
    }
    if ((script->start & 2) != 0) {
        values[count++] = (shoal_value){SHOAL_ID(Letter), &start_b};
    }
    return count;
}

static void start_side(script_side *side, const script_case *script, bool deferred) {
    kind_buffer buffer;
    shoal_value values[2];
    size_t count = start_values(script, &buffer, values);
    side->entity = deferred && script->spawned ? shoal_commands_spawn(side->commands, values, count)
                                               : shoal_spawn(side->world, values, count);
    assert_false(shoal_entity_is_null(side->entity));
    if ((script->start & 1) != 0 && !kind_is_tag(script->a)) {
        kind_end(script->a, buffer.bytes);
    }
}

static void compare_sides(const script_case *script, const script_side *immediate, const script_side *deferred) {
    bool alive = shoal_is_alive(immediate->world, immediate->entity);
    assert_count(shoal_is_alive(deferred->world, deferred->entity), alive);
    const value_kind types[2] = {script->a, KIND_LETTER};
    for (size_t i = 0; i < 2; i++) {
        shoal_component component = kind_component(types[i]);
        bool present = shoal_has(immediate->world, immediate->entity, component);
        assert_count(shoal_has(deferred->world, deferred->entity, component), present);
        if (present && !kind_is_tag(types[i])) {
            uint64_t expected = kind_read(types[i], shoal_get(immediate->world, immediate->entity, component));
            assert_count(kind_read(types[i], shoal_get(deferred->world, deferred->entity, component)), expected);
        }
    }
    size_t immediate_count = 0;
    size_t deferred_count = 0;
    shoal_components_of(immediate->world, immediate->entity, &immediate_count);
    shoal_components_of(deferred->world, deferred->entity, &deferred_count);
    assert_count(deferred_count, immediate_count);
}

static void run_script(script_side *immediate, script_side *deferred, const script_case *script) {
    char text[96] = "";
    size_t failed = 0;
    for (size_t i = 0; i < script->length; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s; ", operation_names[script->operations[i]]);
    }
    test_set_context("%s A is %s, start %u, %s", text, kind_name(script->a), script->start,
                     script->spawned ? "spawned in the buffer" : "spawned before");
    start_side(immediate, script, false);
    start_side(deferred, script, true);
    for (size_t i = 0; i < script->length; i++) {
        failed += run_with_value(immediate, script, i, false);
        run_with_value(deferred, script, i, true);
    }
    size_t recorded = script->length + (script->spawned ? 1 : 0);
    assert_count(shoal_commands_count(deferred->commands), recorded);
    assert_applied(deferred->commands, recorded - failed, failed);
    if (script->spawned) {
        deferred->entity = shoal_commands_resolve(deferred->commands, deferred->entity);
    }
    compare_sides(script, immediate, deferred);
    assert_count(owned_tracker.error_count, 0);
    assert_valid(deferred->world);
    for (int i = 0; i < 2; i++) {
        script_side *side = i == 0 ? immediate : deferred;
        if (shoal_is_alive(side->world, side->entity)) {
            assert_ok(shoal_destroy(side->world, side->entity));
        }
    }
}

/* All scripts of `length` operations, numbered in base OPERATION_COUNT. */
static void run_scripts(script_side *immediate, script_side *deferred, script_case script) {
    size_t count = 1;
    for (size_t i = 0; i < script.length; i++) {
        count *= OPERATION_COUNT;
    }
    for (size_t number = 0; number < count; number++) {
        size_t rest = number;
        for (size_t i = 0; i < script.length; i++) {
            script.operations[i] = (script_operation)(rest % OPERATION_COUNT);
            rest /= OPERATION_COUNT;
        }
        run_script(immediate, deferred, &script);
    }
}

static void run_all_scripts(value_kind a) {
    fixture immediate_world;
    fixture deferred_world;
    fixture_start(&immediate_world, NULL);
    fixture_start(&deferred_world, NULL);
    script_side immediate = {.world = immediate_world.world};
    script_side deferred = {.world = deferred_world.world};
    deferred.commands = shoal_commands_create(deferred.world, NULL);
    for (size_t length = 0; length <= 3; length++) {
        for (unsigned start = 0; start < 8; start++) {
            script_case script = {.a = a, .start = start & 3, .spawned = start >= 4, .length = length};
            run_scripts(&immediate, &deferred, script);
        }
    }
    test_set_context("%s", "");
    assert_count(shoal_world_entity_count(deferred.world), 0);
    fixture_end(&immediate_world);
    fixture_end(&deferred_world);
}

static void conf_C4_all_scripts_on_plain_data(void **state) {
    (void)state;
    run_all_scripts(KIND_HEALTH);
}

static void conf_C4_all_scripts_on_an_owning_type(void **state) {
    (void)state;
    run_all_scripts(KIND_OWNED);
    assert_owned(&owned_tracker, 0);
}

static void conf_C4_all_scripts_on_a_type_without_ctor_and_move(void **state) {
    (void)state;
    run_all_scripts(KIND_BOXED);
    assert_owned(&boxed_tracker, 0);
}

static void conf_C4_all_scripts_on_a_tag(void **state) {
    (void)state;
    run_all_scripts(KIND_FROZEN);
}

/* Many scripts in one buffer, mixed step by step, come to the same as each alone. */
static void conf_C4_scripts_of_many_entities_in_one_buffer(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rng random = {test_environment("SHOAL_SEED", 44)};
    script_side immediate[60];
    script_side deferred[60];
    script_case scripts[60];
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    size_t failed = 0;
    for (size_t i = 0; i < 60; i++) {
        scripts[i] = (script_case){.a = KIND_OWNED, .start = rng_below(&random, 4), .length = 3};
        for (size_t step = 0; step < 3; step++) {
            scripts[i].operations[step] = (script_operation)rng_below(&random, OPERATION_COUNT);
        }
        immediate[i] = (script_side){.world = f.world};
        deferred[i] = (script_side){.world = f.world, .commands = commands};
        start_side(&immediate[i], &scripts[i], false);
        start_side(&deferred[i], &scripts[i], true);
    }
    for (size_t step = 0; step < 3; step++) {
        for (size_t i = 0; i < 60; i++) {
            failed += run_with_value(&immediate[i], &scripts[i], step, false);
            run_with_value(&deferred[i], &scripts[i], step, true);
        }
    }
    assert_applied(commands, 180 - failed, failed);
    for (size_t i = 0; i < 60; i++) {
        test_set_context("entity %zu", i);
        compare_sides(&scripts[i], &immediate[i], &deferred[i]);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_C4_all_scripts_on_plain_data),
        cmocka_unit_test(conf_C4_all_scripts_on_an_owning_type),
        cmocka_unit_test(conf_C4_all_scripts_on_a_type_without_ctor_and_move),
        cmocka_unit_test(conf_C4_all_scripts_on_a_tag),
        cmocka_unit_test(conf_C4_scripts_of_many_entities_in_one_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
