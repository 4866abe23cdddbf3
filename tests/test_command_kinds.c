/*
 * Commands over components of every kind: random scripts are called one by one in one world and recorded and applied at
 * once in another; both worlds must come to the same, entity by entity, and what fails there must be dropped here with
 * the same status. Conformance C1, C4, C13, G5.
 *
 * A script is a list of steps that name entities by number, so that it can be run in both worlds. Four scripts run on
 * the same two worlds, with calls in between that both make. Values of chunks are not compared: commands that are
 * folded into one move make no chunk in between. SHOAL_SEED and SHOAL_COUNT choose other scripts.
 */
#include "support/fake_allocator.h"
#include "support/rng.h"
#include "support/test.h"
#include "test_kind_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- scripts ---- */

#define STEP_MAX 12
#define VALUE_MAX 4
#define ENTITY_MAX 48
#define NOBODY 255u

/* One value of a step; `other` is the target of a relation and what a reference names. */
typedef struct step_value {
    uint8_t type;
    uint8_t other;
    bool is_given;
    uint32_t payload;
} step_value;

typedef struct script_step {
    shoal_command_kind kind;
    uint8_t entity; /* of a spawn: the number that the new one gets */
    uint8_t value_count;
    step_value values[VALUE_MAX];
} script_step;

/* One world, and the handle there of each entity number. */
typedef struct script_world {
    shoal_world *world;
    shoal_commands *commands;
    fake_allocator fake;
    shoal_entity entities[ENTITY_MAX];
    shoal_status dropped[STEP_MAX];
    size_t dropped_count;
} script_world;

typedef struct session {
    rng random;
    script_world sides[2]; /* 0: called, 1: recorded */
    size_t entity_count;
    size_t known_count; /* of them, those that are not spawned by the script under way */
    bool looks_often;   /* validates after each script, not only at the end, which takes most of the time */
    size_t type_first;  /* types to draw from */
    size_t type_count;
    script_step steps[STEP_MAX];
    size_t step_count;
} session;

static shoal_entity entity_of(const script_world *side, uint8_t number) {
    return number == NOBODY ? (shoal_entity){0} : side->entities[number];
}

static void step_box(value_box *box, const script_world *side, const step_value *value) {
    box_make(box, value->type, value->payload, value->is_given, entity_of(side, value->other));
}

/* ---- running a step ---- */

static shoal_status step_spawn(script_world *side, const script_step *step, bool records) {
    value_box boxes[VALUE_MAX];
    shoal_value values[VALUE_MAX];
    for (size_t i = 0; i < step->value_count; i++) {
        step_box(&boxes[i], side, &step->values[i]);
        values[i] = (shoal_value){component_of(step->values[i].type), boxes[i].data};
    }
    shoal_entity entity = records ? shoal_commands_spawn(side->commands, values, step->value_count)
                                  : shoal_spawn(side->world, values, step->value_count);
    for (size_t i = 0; i < step->value_count; i++) {
        box_end(&boxes[i]);
    }
    side->entities[step->entity] = entity;
    return shoal_entity_is_null(entity) ? shoal_last_error(side->world).status : SHOAL_OK;
}

static shoal_status step_call(script_world *side, const script_step *step, const void *data) {
    shoal_entity entity = entity_of(side, step->entity);
    shoal_component type = component_of(step->values[0].type);
    shoal_entity target = entity_of(side, step->values[0].other);
    switch (step->kind) {
    case SHOAL_COMMAND_DESTROY:
        return shoal_destroy(side->world, entity);
    case SHOAL_COMMAND_ADD:
        return shoal_add(side->world, entity, type, data);
    case SHOAL_COMMAND_REMOVE:
        return shoal_remove(side->world, entity, type);
    case SHOAL_COMMAND_SET:
        return shoal_set(side->world, entity, type, data);
    case SHOAL_COMMAND_CLEAR:
        return shoal_clear(side->world, entity);
    case SHOAL_COMMAND_ENABLE:
        return shoal_enable(side->world, entity, type);
    case SHOAL_COMMAND_DISABLE:
        return shoal_disable(side->world, entity, type);
    default:
        if (step->values[0].other != NOBODY && shoal_entity_is_null(target)) {
            return SHOAL_ENTITY_NULL; /* of a spawn that failed; the call would take null for "all" */
        }
        return shoal_unrelate(side->world, entity, type, target);
    }
}

static shoal_status step_record(script_world *side, const script_step *step, const void *data) {
    shoal_entity entity = entity_of(side, step->entity);
    shoal_component type = component_of(step->values[0].type);
    shoal_entity target = entity_of(side, step->values[0].other);
    switch (step->kind) {
    case SHOAL_COMMAND_DESTROY:
        return shoal_commands_destroy_entity(side->commands, entity);
    case SHOAL_COMMAND_ADD:
        return shoal_commands_add(side->commands, entity, type, data);
    case SHOAL_COMMAND_REMOVE:
        return shoal_commands_remove(side->commands, entity, type);
    case SHOAL_COMMAND_SET:
        return shoal_commands_set(side->commands, entity, type, data);
    case SHOAL_COMMAND_CLEAR:
        return shoal_commands_clear(side->commands, entity);
    case SHOAL_COMMAND_ENABLE:
        return shoal_commands_enable(side->commands, entity, type);
    case SHOAL_COMMAND_DISABLE:
        return shoal_commands_disable(side->commands, entity, type);
    default:
        return shoal_commands_unrelate(side->commands, entity, type, target);
    }
}

static shoal_status step_run(script_world *side, const script_step *step, bool records) {
    if (step->kind == SHOAL_COMMAND_SPAWN) {
        return step_spawn(side, step, records);
    }
    value_box box;
    step_box(&box, side, &step->values[0]);
    shoal_status status = records ? step_record(side, step, box.data) : step_call(side, step, box.data);
    box_end(&box);
    return status;
}

/* ---- drawing a script ---- */

/* The target of a relation that splits archetypes cannot be a placeholder. */
static step_value draw_value(session *run) {
    size_t type = run->type_first + rng_below(&run->random, (uint32_t)run->type_count);
    type = rng_chance(&run->random, 8) ? CHILD_OF : type;
    size_t others = case_of(type)->split ? run->known_count : run->entity_count;
    return (step_value){.type = (uint8_t)type,
                        .other = (uint8_t)(others != 0 ? rng_below(&run->random, (uint32_t)others) : 0),
                        .is_given = rng_chance(&run->random, 60),
                        .payload = rng_below(&run->random, 12)};
}

static shoal_command_kind draw_kind(rng *random) {
    static const shoal_command_kind drawn[] = {
        SHOAL_COMMAND_ADD,    SHOAL_COMMAND_ADD,     SHOAL_COMMAND_ADD,      SHOAL_COMMAND_ADD,
        SHOAL_COMMAND_ADD,    SHOAL_COMMAND_REMOVE,  SHOAL_COMMAND_REMOVE,   SHOAL_COMMAND_REMOVE,
        SHOAL_COMMAND_SET,    SHOAL_COMMAND_SET,     SHOAL_COMMAND_DESTROY,  SHOAL_COMMAND_CLEAR,
        SHOAL_COMMAND_ENABLE, SHOAL_COMMAND_DISABLE, SHOAL_COMMAND_UNRELATE, SHOAL_COMMAND_SPAWN};
    return drawn[rng_below(random, sizeof drawn / sizeof drawn[0])];
}

static bool names_twice(const script_step *step, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (step->values[i].type == step->values[count].type) {
            return true;
        }
    }
    return false;
}

static script_step draw_spawn(session *run) {
    script_step step = {.kind = SHOAL_COMMAND_SPAWN, .entity = (uint8_t)run->entity_count};
    if (run->entity_count == 0) { /* nobody to be named, so a bare one */
        run->entity_count++;
        return step;
    }
    size_t most = run->type_count < VALUE_MAX ? run->type_count : VALUE_MAX;
    size_t count = rng_below(&run->random, (uint32_t)most + 1);
    while (step.value_count < count) {
        step.values[step.value_count] = draw_value(run);
        step.value_count = (uint8_t)(step.value_count + !names_twice(&step, step.value_count));
    }
    run->entity_count++;
    return step;
}

/* A step that both sides can record: a set needs a value, an unrelate a relation. */
static script_step draw_step(session *run) {
    script_step step = {.kind = draw_kind(&run->random), .value_count = 1};
    if (step.kind == SHOAL_COMMAND_SPAWN || run->entity_count == 0) {
        return draw_spawn(run);
    }
    step.entity = (uint8_t)rng_below(&run->random, (uint32_t)run->entity_count);
    step.values[0] = draw_value(run);
    step.values[0].is_given |= step.kind == SHOAL_COMMAND_SET;
    while (
        (step.kind == SHOAL_COMMAND_UNRELATE && !is_relation(step.values[0].type)) ||
        (step.kind == SHOAL_COMMAND_SET && item_size(step.values[0].type) == 0 && !is_relation(step.values[0].type))) {
        step.values[0] = draw_value(run);
        step.values[0].is_given = true;
    }
    if (step.kind == SHOAL_COMMAND_UNRELATE && rng_chance(&run->random, 30)) {
        step.values[0].other = NOBODY;
    }
    return step;
}

/* ---- comparing ---- */

typedef struct dump {
    char text[32768];
    size_t length;
} dump;

static void dump_write(dump *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to->text + to->length, sizeof to->text - to->length, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && to->length + (size_t)length < sizeof to->text);
    to->length += (size_t)length;
}

/* A handle without its world. */
static uint64_t handle_number(shoal_entity entity) {
    return shoal_entity_is_placeholder(entity) ? UINT64_MAX : entity.bits & UINT64_C(0xFFFFFFFFFFFF);
}

static void dump_item(dump *to, size_t type, const void *value) {
    dump_write(to, "%" PRIu32, item_read(type, value));
    if (case_of(type)->form == FORM_REFERENCE) {
        dump_write(to, ">%" PRIu64, handle_number(((const reference *)value)->entity));
    }
}

static void dump_relation(dump *to, const shoal_world *world, shoal_entity entity, size_t type) {
    shoal_target_walk targets = shoal_targets(world, entity, component_of(type));
    while (shoal_targets_next(&targets)) {
        dump_write(to, " to %" PRIu64 ":", handle_number(targets.target));
        if (targets.data != NULL) {
            dump_item(to, type, targets.data);
        }
    }
    if (case_of(type)->acyclic) {
        dump_write(to, " deep %" PRIu32, shoal_depth(world, component_of(type), entity));
    }
}

static void dump_component(dump *to, shoal_world *world, shoal_entity entity, size_t type) {
    shoal_component component = component_of(type);
    dump_write(to, "  %s%s ", name_of_type(type),
               case_of(type)->toggle && !shoal_is_enabled(world, entity, component) ? " (disabled)" : "");
    if (is_relation(type)) {
        dump_relation(to, world, entity, type);
    } else if (case_of(type)->storage == SHOAL_STORAGE_BUFFER) {
        shoal_buffer buffer = shoal_buffer_get(world, entity, component);
        for (size_t i = 0; i < shoal_buffer_count(buffer); i++) {
            dump_write(to, i == 0 ? "" : ",");
            dump_item(to, type, (const char *)shoal_buffer_items(buffer) + i * item_size(type));
        }
    } else if (item_size(type) != 0 && case_of(type)->storage != SHOAL_STORAGE_CHUNK) {
        dump_item(to, type, shoal_get(world, entity, component));
    }
    dump_write(to, "\n");
}

static void dump_sources(dump *to, const shoal_world *world, shoal_entity entity, size_t type) {
    shoal_source_walk sources = shoal_sources(world, component_of(type), entity);
    while (shoal_sources_next(&sources)) {
        for (size_t i = 0; i < sources.count; i++) {
            dump_write(to, "  %s from %" PRIu64 "\n", case_of(type)->name, handle_number(sources.entities[i]));
        }
    }
}

static void dump_entity(dump *to, shoal_world *world, shoal_entity entity) {
    const char *name = shoal_name(world, entity);
    dump_write(to, "%" PRIu64 "%s %s\n", handle_number(entity), shoal_is_dying(world, entity) ? " dying" : "",
               name != NULL ? name : "");
    size_t count = 0;
    for (size_t type = 0; type < TYPE_COUNT; type++) {
        if (shoal_has(world, entity, component_of(type))) {
            count++;
            dump_component(to, world, entity, type);
        }
        if (is_relation(type)) {
            dump_sources(to, world, entity, type);
        }
    }
    shoal_component walked = {0};
    while (shoal_next_component(world, entity, &walked)) {
        count -= type_of(walked) < TYPE_COUNT;
    }
    assert_count(count, 0);
}

static void dump_take(dump *to, shoal_world *world) {
    to->length = 0;
    shoal_memory_report report;
    assert_ok(shoal_world_memory(world, &report));
    dump_write(to,
               "%" PRIu64 " entities, %" PRIu64 " dying, %" PRIu64 " sparse, %" PRIu64 " links, %" PRIu64
               " shared, %" PRIu64 " on the heap\n",
               report.entity_count, report.dying_count, report.sparse_count, report.relation_count,
               report.shared_value_count, report.buffer_heap_count);
    for (shoal_entity entity = {0}; shoal_next_entity(world, &entity);) {
        dump_entity(to, world, entity);
    }
}

static dump dumps[2];
static char script_text[4096]; /* of the script under way */

/* Fails with the first line that differs, and the line of its entity. */
static void dumps_compare(const char *first, const char *second) {
    const char *lines[2] = {dumps[0].text, dumps[1].text};
    const char *head = lines[0];
    size_t length;
    do {
        length = strcspn(lines[0], "\n");
        if (length != strcspn(lines[1], "\n") || memcmp(lines[0], lines[1], length) != 0) {
            print_error("%s%s\nof %.*s\n%s: %.*s\n%s: %.*s\n", test_context, script_text, (int)strcspn(head, "\n"),
                        head, first, (int)length, lines[0], second, (int)strcspn(lines[1], "\n"), lines[1]);
            fail();
        }
        head = lines[0][0] != ' ' ? lines[0] : head;
        lines[0] += length + 1;
        lines[1] += length + 1;
    } while (lines[0] < dumps[0].text + dumps[0].length && lines[1] < dumps[1].text + dumps[1].length);
    assert_count(dumps[1].length, dumps[0].length);
}

static void witness_check(witness *seen) {
    const char *fault = witness_fault(seen);
    if (fault != NULL) {
        fail_msg("%s%s\n%s\n%s", test_context, script_text, fault, seen->events);
    }
}

/* ---- a session ---- */

static void dropped(void *user, const shoal_dropped_command *command) {
    script_world *side = user;
    assert_true(command->record < STEP_MAX);
    assert_count(side->dropped[command->record], SHOAL_OK); /* told once */
    side->dropped[command->record] = command->status;
    side->dropped_count++;
}

static void session_start(session *run, uint64_t seed) {
    *run = (session){.random = {seed}, .looks_often = seed % 8 == 0 || test_environment("SHOAL_SEED", 0) != 0};
    size_t family = rng_below(&run->random, 4); /* quiet, told, both */
    run->type_first = family == 1 ? CASE_COUNT : 0;
    run->type_count = family > 1 ? 2 * CASE_COUNT : CASE_COUNT;
    if (rng_chance(&run->random, 40)) { /* few kinds, so that steps meet */
        run->type_first += rng_below(&run->random, (uint32_t)run->type_count - 4);
        run->type_count = 2 + rng_below(&run->random, 3);
    }
    for (size_t i = 0; i < 2; i++) {
        script_world *side = &run->sides[i];
        side->world = shoal_world_create(&(shoal_world_def){.allocator = fake_allocator_table(&side->fake)});
        assert_non_null(side->world);
        side->commands = shoal_commands_create(side->world, &(shoal_commands_def){.dropped = dropped, .user = side});
        assert_non_null(side->commands);
        witness_start(&witnesses[i], side->world);
    }
}

static void session_end(session *run) {
    for (size_t i = 0; i < 2; i++) {
        if (i == 1) {
            assert_valid(run->sides[i].world);
        }
        assert_ok(shoal_world_destroy(run->sides[i].world));
        assert_nothing_leaked(&run->sides[i].fake);
    }
    kind_types_check_ended();
}

/* The text of the script, for a failing test. */
static void script_show(const session *run) {
    char *text = script_text;
    const size_t size = sizeof script_text;
    static const char *const words[] = {"spawn", "destroy", "add",     "remove",  "set",
                                        "clear", "enable",  "disable", "unrelate"};
    size_t used = 0;
    for (size_t i = 0; i < run->step_count && used < size; i++) {
        const script_step *step = &run->steps[i];
        used += (size_t)snprintf(text + used, size - used, "\n%s %u", words[step->kind], step->entity);
        for (size_t k = 0; k < step->value_count && used < size; k++) {
            const step_value *value = &step->values[k];
            used += (size_t)snprintf(text + used, size - used, " %s(%u to %u%s)", name_of_type(value->type),
                                     (unsigned)value->payload, value->other, value->is_given ? "" : " default");
        }
    }
}

/* Calls that bring both worlds to the same start. */
static void session_prepare(session *run, size_t count) {
    for (size_t i = 0; i < count && run->entity_count < ENTITY_MAX - STEP_MAX; i++) {
        run->known_count = run->entity_count;
        script_step step = run->entity_count < 3 ? draw_spawn(run) : draw_step(run);
        shoal_status status = step_run(&run->sides[0], &step, false);
        assert_status(step_run(&run->sides[1], &step, false), status);
        run->entity_count -= step.kind == SHOAL_COMMAND_SPAWN && status != SHOAL_OK;
        if (step.kind != SHOAL_COMMAND_SPAWN && rng_chance(&run->random, 10)) {
            static const char *const drawn[] = {"a", "b", NULL};
            const char *name = drawn[rng_below(&run->random, 3)];
            status = shoal_set_name(run->sides[0].world, run->sides[0].entities[step.entity], name);
            assert_status(shoal_set_name(run->sides[1].world, run->sides[1].entities[step.entity], name), status);
        }
    }
}

/* A null handle stands for a spawn that failed; its placeholder is a dead one. */
static bool same_status(shoal_status called, shoal_status recorded) {
    return called == recorded || (called == SHOAL_ENTITY_NULL && recorded == SHOAL_ENTITY_DEAD) ||
           (called == SHOAL_ENTITY_NULL && recorded == SHOAL_INVALID_ARGUMENT);
}

/* What every side must be after the script. */
static void script_compare(session *run, const shoal_status *called) {
    for (size_t i = 0; i < run->step_count; i++) {
        if (!same_status(called[i], run->sides[1].dropped[i])) {
            fail_msg("%s%s\nstep %zu: called \"%s\", applied \"%s\"", test_context, script_text, i,
                     shoal_status_name(called[i]), shoal_status_name(run->sides[1].dropped[i]));
        }
    }
    if (run->looks_often) {
        assert_valid(run->sides[1].world);
    }
    for (size_t i = 0; i < 2; i++) {
        dump_take(&dumps[i], run->sides[i].world);
    }
    dumps_compare("called", "applied");
    for (size_t i = 0; i < 2; i++) {
        witness_check(&witnesses[i]);
    }
}

/* Placeholders become handles. Those that name nothing are forgotten; other dead handles stay. */
static void script_resolve(session *run) {
    script_world *called = &run->sides[0];
    script_world *recorded = &run->sides[1];
    size_t kept = 0;
    for (size_t i = 0; i < run->entity_count; i++) {
        shoal_entity entity = recorded->entities[i];
        if (shoal_entity_is_placeholder(entity)) {
            entity = shoal_commands_resolve(recorded->commands, entity);
            assert_count(!shoal_entity_is_null(entity), shoal_is_alive(called->world, called->entities[i]));
        }
        if (!shoal_entity_is_null(entity)) {
            called->entities[kept] = called->entities[i];
            recorded->entities[kept++] = entity;
        }
    }
    run->entity_count = kept;
}

static void script_draw(session *run, size_t length) {
    run->known_count = run->entity_count;
    run->step_count = length;
    for (size_t i = 0; i < length; i++) {
        run->steps[i] = draw_step(run);
    }
}

/* Every allocation of the apply fails in turn, and nothing has happened then, until none does. */
static shoal_status apply_starved(script_world *side, shoal_commands_result *result) {
    dump_take(&dumps[0], side->world);
    size_t count = shoal_commands_count(side->commands);
    for (size_t n = 1;; n++) {
        fake_allocator_arm(&side->fake, n, n % 2 == 0);
        shoal_status status = shoal_commands_apply(side->commands, result);
        if (!fake_allocator_disarm(&side->fake) || status == SHOAL_OK) {
            return status; /* a table that cannot grow is only slower */
        }
        assert_status(status, SHOAL_OUT_OF_MEMORY);
        assert_count(witnesses[1].length + side->dropped_count, 0);
        assert_count(shoal_commands_count(side->commands), count);
        if (n % 4 == 1) {
            assert_valid(side->world);
        }
        dump_take(&dumps[1], side->world);
        dumps_compare("before", "after an apply without memory");
    }
}

static void script_apply(session *run, bool starves) {
    script_world *side = &run->sides[1];
    shoal_commands_result result = {99, 99};
    side->dropped_count = 0;
    memset(side->dropped, 0, sizeof side->dropped);
    assert_count(shoal_commands_count(side->commands), run->step_count);
    assert_ok(starves ? apply_starved(side, &result) : shoal_commands_apply(side->commands, &result));
    assert_count(result.dropped, side->dropped_count);
    assert_count(result.applied + result.dropped, run->step_count);
    assert_count(shoal_commands_count(side->commands), 0);
}

/* What a session does with its scripts. */
typedef enum run_kind { RUN_COMPARES, RUN_TELLS, RUN_STARVES } run_kind;

static void round_run(session *run, size_t length, run_kind kind) {
    shoal_status called[STEP_MAX];
    session_prepare(run, 2 + rng_below(&run->random, 12));
    script_draw(run, length);
    script_show(run);
    for (size_t i = 0; i < 2; i++) {
        witness_forget_events(&witnesses[i]);
    }
    for (size_t i = 0; i < run->step_count; i++) {
        called[i] = step_run(&run->sides[0], &run->steps[i], false);
        assert_ok(step_run(&run->sides[1], &run->steps[i], true));
    }
    script_apply(run, kind == RUN_STARVES);
    script_compare(run, called);
    if (kind == RUN_TELLS && !events_are_same(witnesses[0].events, witnesses[1].events)) {
        fail_msg("%s%s\ncalled:\n%s\napplied:\n%s", test_context, script_text, witnesses[0].events,
                 witnesses[1].events);
    }
    script_resolve(run);
}

#define ROUND_COUNT 4

static void sessions_run(uint64_t first_seed, size_t count, size_t length_max, run_kind kind) {
    static session run;
    uint64_t seed = test_environment("SHOAL_SEED", first_seed);
    for (size_t i = 0; i < count; i++) {
        session_start(&run, seed + i);
        for (size_t k = 0; k < ROUND_COUNT && run.entity_count + 2 * (size_t)STEP_MAX < ENTITY_MAX; k++) {
            test_set_context("seed %" PRIu64 ", round %zu", seed + i, k);
            round_run(&run, 1 + rng_below(&run.random, (uint32_t)length_max), kind);
        }
        session_end(&run);
    }
    test_set_context("%s", "");
}

static void conf_C4_scripts_over_every_kind(void **state) {
    (void)state;
    sessions_run(1, test_environment("SHOAL_COUNT", 2800), STEP_MAX, RUN_COMPARES);
}

/* One command at a time tells the hooks the same as its call; what is required may come in another order. */
static void conf_C13_one_command_tells_the_same(void **state) {
    (void)state;
    sessions_run(1, test_environment("SHOAL_COUNT", 1200), 1, RUN_TELLS);
}

static void conf_G5_apply_without_memory(void **state) {
    (void)state;
    sessions_run(1, test_environment("SHOAL_COUNT", 70), STEP_MAX, RUN_STARVES);
}

/* ---- placeholders ---- */

/* Which archetype an entity goes to depends on a shared value, so that must be known when the buffer is planned. */
static void conf_C8_no_placeholder_in_a_shared_value(void **state) {
    (void)state;
    static const shoal_field fields[] = {SHOAL_FIELD(reference, entity), SHOAL_FIELD(reference, number)};
    const shoal_component shared = shoal_component_register(&(shoal_component_def){.name = "SharedReference",
                                                                                   .size = sizeof(reference),
                                                                                   .alignment = _Alignof(reference),
                                                                                   .fields = fields,
                                                                                   .field_count = 2,
                                                                                   .storage = SHOAL_STORAGE_SHARED});
    assert_int_not_equal(shared.id, 0);
    shoal_world *world = shoal_world_create(NULL);
    shoal_commands *commands = shoal_commands_create(world, NULL);
    shoal_entity entity = shoal_spawn(world, NULL, 0);
    reference value;
    memset(&value, 0, sizeof value);
    value.entity = shoal_commands_spawn(commands, NULL, 0);
    const shoal_value given = {shared, &value};
    assert_status(shoal_commands_add(commands, entity, shared, &value), SHOAL_ENTITY_PLACEHOLDER);
    assert_status(shoal_commands_set(commands, entity, shared, &value), SHOAL_ENTITY_PLACEHOLDER);
    assert_true(shoal_entity_is_null(shoal_commands_spawn(commands, &given, 1)));
    assert_last_error(world, SHOAL_ENTITY_PLACEHOLDER);
    assert_count(shoal_commands_count(commands), 1);
    value.entity = entity;
    assert_ok(shoal_commands_add(commands, entity, shared, &value));
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_entity(((const reference *)shoal_get(world, entity, shared))->entity, entity);
    assert_ok(shoal_world_destroy(world));
}

/* A target whose spawn is dropped is no target, and not "all" either. */
static void conf_C8_a_target_whose_spawn_is_dropped(void **state) {
    (void)state;
    shoal_world *world = shoal_world_create(NULL);
    shoal_commands *commands = shoal_commands_create(world, NULL);
    const shoal_component many = component_of(CASE_MANY);
    shoal_entity target = shoal_spawn(world, NULL, 0);
    shoal_entity source = shoal_spawn(world, SHOAL_VALUES({many, &(shoal_link){.target = target}}));
    const shoal_value refused = {component_of(CASE_JUDGED), &(uint32_t){3}};
    shoal_entity placeholder = shoal_commands_spawn(commands, &refused, 1);
    assert_ok(shoal_commands_unrelate(commands, source, many, placeholder));
    assert_ok(shoal_commands_relate(commands, source, many, placeholder, NULL));
    shoal_commands_result result;
    assert_ok(shoal_commands_apply(commands, &result));
    assert_count(result.dropped, 3);
    assert_true(shoal_is_related(world, source, many, target));
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

/* A target whose handle was guessed before its spawn gets it: the relation comes to be if its turn is later, but for a
   split one, whose archetype is made before any entity. */
static void check_guessed_target(uint32_t type_case, bool recorded_first) {
    shoal_world *world = shoal_world_create(NULL);
    shoal_commands *commands = shoal_commands_create(world, NULL);
    const shoal_component relation = component_of(type_case);
    shoal_entity source = shoal_spawn(world, NULL, 0);
    shoal_entity guessed = shoal_entity_make(world, 1, 0);
    if (recorded_first) {
        assert_ok(shoal_commands_relate(commands, source, relation, guessed, NULL));
    }
    shoal_entity placeholder = shoal_commands_spawn(commands, NULL, 0);
    if (!recorded_first) {
        assert_ok(shoal_commands_relate(commands, source, relation, guessed, NULL));
    }
    shoal_commands_spawn(commands, SHOAL_VALUES({relation, &(shoal_link){.target = guessed}}));
    shoal_commands_result result;
    assert_ok(shoal_commands_apply(commands, &result));
    assert_entity(shoal_commands_resolve(commands, placeholder), guessed);
    bool comes_to_be = !recorded_first && type_case != CASE_SPLITS;
    assert_true(shoal_is_related(world, source, relation, guessed) == comes_to_be);
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

static void conf_C8_a_target_that_was_guessed(void **state) {
    (void)state;
    static const uint32_t relations[] = {CASE_MANY, CASE_REFUSES, CASE_DESTROYS, CASE_SPLITS, CASE_TREE};
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        check_guessed_target(relations[i], false);
        check_guessed_target(relations[i], true);
    }
}

/* ---- single cases that random scripts seldom meet ---- */

static void hand_apply(script_world *side, size_t applied, size_t dropped) {
    shoal_commands_result result;
    assert_ok(shoal_commands_apply(side->commands, &result));
    assert_count(result.applied, applied);
    assert_count(result.dropped, dropped);
    assert_valid(side->world);
}

static void hand_start(script_world *side) {
    memset(side, 0, sizeof *side);
    side->world = shoal_world_create(&(shoal_world_def){.allocator = fake_allocator_table(&side->fake)});
    side->commands = shoal_commands_create(side->world, NULL);
    assert_non_null(side->commands);
}

static void hand_end(script_world *side) {
    assert_ok(shoal_world_destroy(side->world));
    assert_nothing_leaked(&side->fake);
    kind_types_check_ended();
}

/* What was recorded for a child before its parent's end had its turn: it is dropped only where its call would have
 * failed. */
static void conf_C1_commands_before_a_cascade(void **state) {
    (void)state;
    for (int cleans = 0; cleans < 2; cleans++) {
        script_world side;
        hand_start(&side);
        const shoal_value first = {component_of(cleans ? CASE_CLEANUP_MARK : CASE_MARK), NULL};
        shoal_entity parent = shoal_spawn(side.world, NULL, 0);
        shoal_entity child = shoal_spawn(side.world, &first, 1);
        assert_ok(shoal_set_parent(side.world, child, parent));
        shoal_entity spawned = shoal_commands_spawn(side.commands, &first, 1);
        assert_ok(shoal_commands_relate(side.commands, spawned, SHOAL_ID(ChildOf), parent, NULL));
        for (int i = 0; i < 2; i++) {
            shoal_entity entity = i == 0 ? child : spawned;
            assert_ok(shoal_commands_add(side.commands, entity, component_of(CASE_NUMBER), &(uint32_t){4}));
            assert_ok(shoal_commands_set(side.commands, entity, component_of(CASE_NUMBER), &(uint32_t){5}));
            assert_ok(shoal_commands_disable(side.commands, entity, component_of(CASE_GATE))); /* is not there */
        }
        assert_ok(shoal_commands_destroy_entity(side.commands, parent));
        assert_ok(shoal_commands_add(side.commands, child, component_of(CASE_NUMBER), NULL));
        assert_ok(shoal_commands_add(side.commands, spawned, component_of(CASE_NUMBER), NULL));
        hand_apply(&side, 7, 4);
        assert_count(shoal_is_dying(side.world, child), cleans);
        assert_count(shoal_is_alive(side.world, child), cleans);
        assert_count(shoal_is_dying(side.world, shoal_commands_resolve(side.commands, spawned)), cleans);
        hand_end(&side);
    }
}

/* A removed shared value comes back as its default, not as what it was. */
static void conf_C3_shared_value_removed_and_added(void **state) {
    (void)state;
    static const uint32_t defaults[] = {0, OWNED_CTOR_PAYLOAD};
    for (size_t i = 0; i < 2; i++) {
        script_world side;
        value_box box;
        size_t type = i == 0 ? CASE_SHARED : CASE_SHARED_OBJECT;
        hand_start(&side);
        box_make(&box, type, 7, true, (shoal_entity){0});
        const shoal_value value = {component_of(type), box.data};
        shoal_entity entity = shoal_spawn(side.world, &value, 1);
        assert_ok(shoal_commands_remove(side.commands, entity, value.component));
        assert_ok(shoal_commands_add(side.commands, entity, value.component, NULL));
        hand_apply(&side, 2, 0);
        assert_count(item_read(type, shoal_get(side.world, entity, value.component)), defaults[i]);
        box_end(&box);
        hand_end(&side);
    }
}

/* The last cleanup component goes, and with it the entity: what follows in the buffer comes too late. */
static void conf_C1_commands_behind_the_end_of_a_dying_one(void **state) {
    (void)state;
    for (int clears = 0; clears < 2; clears++) {
        script_world side;
        hand_start(&side);
        const shoal_value value = {component_of(CASE_CLEANUP_MARK), NULL};
        shoal_entity entity = shoal_spawn(side.world, &value, 1);
        assert_ok(shoal_destroy(side.world, entity));
        assert_ok(clears ? shoal_commands_clear(side.commands, entity)
                         : shoal_commands_remove(side.commands, entity, value.component));
        assert_ok(shoal_commands_remove(side.commands, entity, value.component));
        assert_ok(shoal_commands_destroy_entity(side.commands, entity));
        hand_apply(&side, 1, 2);
        assert_false(shoal_is_alive(side.world, entity));
        hand_end(&side);
    }
}

/* A chunk value that is there is not replaced by the default of one more entity, by a given value it is. */
static void conf_C4_chunk_values(void **state) {
    (void)state;
    script_world side;
    value_box box;
    hand_start(&side);
    box_make(&box, CASE_CHUNK_OBJECT, 7, true, (shoal_entity){0});
    const shoal_value value = {component_of(CASE_CHUNK_OBJECT), box.data};
    shoal_entity first = shoal_spawn(side.world, &value, 1);
    shoal_entity second = shoal_spawn(side.world, NULL, 0);
    box_end(&box);
    assert_ok(shoal_commands_add(side.commands, second, value.component, NULL));
    hand_apply(&side, 1, 0);
    assert_count(item_read(CASE_CHUNK_OBJECT, shoal_get(side.world, first, value.component)), 7);
    box_make(&box, CASE_CHUNK_OBJECT, 9, true, (shoal_entity){0});
    shoal_entity third = shoal_spawn(side.world, NULL, 0);
    assert_ok(shoal_commands_add(side.commands, third, value.component, box.data));
    hand_apply(&side, 1, 0);
    assert_count(item_read(CASE_CHUNK_OBJECT, shoal_get(side.world, second, value.component)), 9);
    box_end(&box);
    hand_end(&side);
}

int main(void) {
    kind_types_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_C4_scripts_over_every_kind),
        cmocka_unit_test(conf_C13_one_command_tells_the_same),
        cmocka_unit_test(conf_G5_apply_without_memory),
        cmocka_unit_test(conf_C8_no_placeholder_in_a_shared_value),
        cmocka_unit_test(conf_C8_a_target_whose_spawn_is_dropped),
        cmocka_unit_test(conf_C8_a_target_that_was_guessed),
        cmocka_unit_test(conf_C1_commands_before_a_cascade),
        cmocka_unit_test(conf_C3_shared_value_removed_and_added),
        cmocka_unit_test(conf_C1_commands_behind_the_end_of_a_dying_one),
        cmocka_unit_test(conf_C4_chunk_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
