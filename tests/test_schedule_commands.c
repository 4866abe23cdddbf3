/*
 * Commands of systems: when they are applied, in which order, which handles come of it, what is told of those that are
 * dropped; exclusive systems. Conformance I3, C2, C7, C8, C11, C12.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/rng.h"
#include "support/steps.h"
#include "support/world_dump.h"

#include <stdatomic.h>
#include <string.h>

static shoal_status spawn_ten(const shoal_run *run) {
    for (int i = 0; i < 10; i++) {
        if (shoal_entity_is_null(shoal_commands_spawn(run->commands, SHOAL_VALUES(SHOAL_VALUE(Health, i))))) {
            return shoal_last_error(run->world).status;
        }
    }
    return SHOAL_OK;
}

/* How many entities with Health there are when the system runs; `user` is where to. */
static shoal_status count_health(const shoal_run *run) {
    *(uint64_t *)run->user = shoal_query_count(run->query);
    return SHOAL_OK;
}

#define ADD_COUNTER(s, name_, place, ...)                                                                              \
    STEPS_ADD(s, name_, .once = count_health, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))}, .user = (place),    \
              __VA_ARGS__)

/* ---- I3: sync points ---- */

static void conf_I3_synced_order_sees_the_commands(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    uint64_t after = 99;
    uint64_t unsynced = 99;
    uint64_t output = 99;
    STEPS_ADD(&s, "a", .once = spawn_ten, .commands = true);
    ADD_COUNTER(&s, "unsynced", &unsynced, .after_unsynced = SHOAL_NAMES("a"), .before = SHOAL_NAMES("b"));
    ADD_COUNTER(&s, "b", &after, .after = SHOAL_NAMES("a"));
    ADD_COUNTER(&s, "output", &output, .phase = "output");
    steps_go(&s, 1);
    assert_count(unsynced, 0);
    assert_count(after, 10);
    assert_count(output, 10);
    steps_end(&s);
}

static void conf_I3_applied_at_the_end_of_the_step(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    STEPS_ADD(&s, "a", .once = spawn_ten, .commands = true, .phase = "output");
    steps_go(&s, 3);
    assert_count(shoal_world_entity_count(s.world), 30);
    steps_end(&s);
}

static void conf_I3_exclusive_after_both(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    uint64_t b = 99;
    uint64_t c = 99;
    STEPS_ADD(&s, "a", .once = spawn_ten, .commands = true);
    ADD_COUNTER(&s, "b", &b, .after = SHOAL_NAMES("a"));
    ADD_COUNTER(&s, "c", &c, .after = SHOAL_NAMES("b"), .exclusive = true);
    steps_go(&s, 1);
    assert_count(b, 10);
    assert_count(c, 10);
    steps_end(&s);
}

/* Sync points of two recorders, a reader with orders of the given kinds after them, and a recorder after that. */
static uint32_t sync_points(bool records, bool synced, bool unsynced) {
    static const char *const both[] = {"a1", "a2"};
    steps s;
    steps_start(&s, NULL);
    uint64_t seen = 0;
    STEPS_ADD(&s, "a1", .once = records ? spawn_ten : steps_note, .commands = records);
    STEPS_ADD(&s, "a2", .once = records ? spawn_ten : steps_note, .commands = records);
    ADD_COUNTER(&s, "b", &seen, .after = both, .after_count = synced ? 2 : 0, .after_unsynced = both,
                .after_unsynced_count = unsynced ? 2 : 0);
    STEPS_ADD(&s, "c", .once = spawn_ten, .commands = true, .after = SHOAL_NAMES("b"));
    steps_go(&s, 1);
    uint32_t found = steps_schedule(&s).sync_points;
    steps_go(&s, 2);
    assert_ok(shoal_schedule_configure(s.world, &(shoal_schedule_def){.alone = true}));
    steps_go(&s, 1);
    assert_count(steps_schedule(&s).sync_points, found);
    steps_end(&s);
    return found;
}

static void conf_I3_as_few_sync_points_as_there_can_be(void **state) {
    (void)state;
    uint32_t none = sync_points(true, false, false);
    assert_count(sync_points(true, true, false), none + 1);
    assert_count(sync_points(true, false, true), none);
    assert_at_most(sync_points(false, true, false), none);
}

static void conf_I3_a_chain_of_recorders(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d"};
    uint32_t points[2] = {0};
    for (size_t chained = 0; chained < 2; chained++) {
        steps s;
        steps_start(&s, NULL);
        for (size_t i = 0; i < 4; i++) {
            STEPS_ADD(&s, names[i], .once = spawn_ten, .commands = true, .chain = chained != 0 ? "x" : NULL);
        }
        steps_go(&s, 1);
        points[chained] = steps_schedule(&s).sync_points;
        assert_count(shoal_world_entity_count(s.world), 40);
        steps_end(&s);
    }
    assert_count(points[1], points[0] + 3);
}

static void conf_I3_crossed_orders_share_sync_points(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    uint64_t seen[2] = {0};
    STEPS_ADD(&s, "a", .once = spawn_ten, .commands = true);
    STEPS_ADD(&s, "b", .once = spawn_ten, .commands = true);
    ADD_COUNTER(&s, "after_a", &seen[0], .after = SHOAL_NAMES("a"));
    ADD_COUNTER(&s, "after_b", &seen[1], .after = SHOAL_NAMES("b"));
    steps_go(&s, 1);
    assert_count(steps_schedule(&s).sync_points, 1); /* for both; nothing is recorded behind it */
    assert_true(seen[0] >= 10 && seen[1] >= 10);
    steps_end(&s);
}

/* ---- order of commands, handles ---- */

static shoal_status set_health(const shoal_run *run) {
    const shoal_entity *target = run->user;
    return SHOAL_COMMANDS_SET(run->commands, *target, Health, shoal_system_name(run->system)[0]);
}

static void test_commands_come_in_the_order_of_systems(void **state) {
    (void)state;
    steps s;
    steps_start(&s, &(shoal_schedule_def){.worker_count = 4});
    shoal_entity entity = spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    STEPS_ADD(&s, "c", .once = set_health, .commands = true, .user = &entity, .after_unsynced = SHOAL_NAMES("a"));
    STEPS_ADD(&s, "a", .once = set_health, .commands = true, .user = &entity);
    STEPS_ADD(&s, "b", .once = set_health, .commands = true, .user = &entity, .after_unsynced = SHOAL_NAMES("c"));
    for (size_t i = 0; i < 20; i++) {
        steps_go(&s, 1);
        assert_health(s.world, entity, 'b');
    }
    steps_end(&s);
}

static shoal_status spawn_like_rows(const shoal_run *run, shoal_view *view) {
    const Health *health = SHOAL_COLUMN(view, Health);
    for (size_t i = 0; i < view->count; i++) {
        shoal_entity made = shoal_commands_spawn(run->commands, SHOAL_VALUES(SHOAL_VALUE(Gauge, health[i].value)));
        if (shoal_entity_is_null(made)) {
            return SHOAL_NOT_FOUND;
        }
    }
    return SHOAL_OK;
}

/* Handles come in the order of rows: of the n rows with Health, row i makes slot n + i. */
static void test_handles_come_in_the_order_of_rows(void **state) {
    (void)state;
    enum { ROWS = 10000 };
    for (uint32_t workers = 1; workers <= 8; workers *= 2) {
        steps s;
        steps_start(&s, &(shoal_schedule_def){.worker_count = workers});
        static shoal_entity rows[ROWS];
        steps_spawn(s.world, ROWS, rows, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
        for (int i = 0; i < ROWS; i++) {
            assert_ok(SHOAL_SET(s.world, rows[i], Health, i));
        }
        STEPS_ADD(&s, "spawn", .each = spawn_like_rows, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))},
                  .commands = true);
        steps_go(&s, 1);
        assert_count(shoal_world_entity_count(s.world), 2 * ROWS);
        for (uint32_t i = 0; i < ROWS; i++) {
            const Gauge *gauge = SHOAL_GET(s.world, shoal_entity_make(s.world, ROWS + i, 0), Gauge);
            assert_non_null(gauge);
            assert_int_equal(gauge->value, i);
        }
        steps_end(&s);
    }
}

static shoal_status spawn_linked(const shoal_run *run, shoal_view *view) {
    for (size_t i = 0; i < view->count; i++) {
        shoal_entity first = shoal_commands_spawn(run->commands, SHOAL_VALUES(SHOAL_VALUE(Letter, 1)));
        shoal_entity second = shoal_commands_spawn(run->commands, SHOAL_VALUES(SHOAL_VALUE(Link, .target = first)));
        shoal_status status = SHOAL_COMMANDS_ADD(run->commands, first, Link, .target = second);
        status =
            status != SHOAL_OK ? status : SHOAL_COMMANDS_ADD(run->commands, view->entities[i], Link, .target = first);
        if (status != SHOAL_OK) {
            return status;
        }
    }
    return SHOAL_OK;
}

/* Every link leads to a live entity whose own one does; the two that were made together name each other. */
static void check_links(shoal_world *world) {
    shoal_query *linked = make_query(world, SHOAL_TERMS(SHOAL_READ(Link)));
    size_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, linked));
    while (shoal_view_next(&view)) {
        const Link *link = SHOAL_COLUMN(&view, Link);
        for (size_t i = 0; i < view.count; i++) {
            const Link *other = SHOAL_GET(world, link[i].target, Link);
            assert_true(other != NULL && shoal_is_alive(world, other->target));
            if (!SHOAL_HAS(world, view.entities[i], Health)) {
                assert_entity(other->target, view.entities[i]);
            }
        }
        rows += view.count;
    }
    assert_count(rows, 25000);
}

static void conf_C8_placeholders_become_real(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        steps s;
        steps_start(&s, &(shoal_schedule_def){.worker_count = workers});
        steps_spawn(s.world, 5000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
        STEPS_ADD(&s, "link", .each = spawn_linked, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))},
                  .commands = true);
        STEPS_ADD(&s, "link_again", .each = spawn_linked, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))},
                  .commands = true);
        steps_go(&s, 1);
        assert_count(shoal_world_entity_count(s.world), 25000);
        check_links(s.world);
        steps_end(&s);
    }
}

static shoal_status misuse(const shoal_run *run) {
    shoal_status *seen = run->user;
    shoal_entity *kept = run->local;
    if (!shoal_entity_is_null(*kept)) {
        seen[0] = SHOAL_COMMANDS_ADD(run->commands, *kept, Letter, 1);
    }
    *kept = shoal_commands_spawn(run->commands, SHOAL_VALUES(SHOAL_VALUE(Letter, 1)));
    return SHOAL_OK;
}

static void conf_C8_placeholder_of_an_earlier_step(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_status seen[2] = {0};
    STEPS_ADD(&s, "misuse", .once = misuse, .commands = true, .local_bytes = sizeof(shoal_entity), .user = seen);
    steps_go(&s, 1);
    shoal_status step = shoal_world_step(s.world, 1);
    assert_ok(step);
    /* Refused at once, or a command of a placeholder that names another spawn: never a crash. */
    assert_true(seen[0] == SHOAL_OK || seen[0] == SHOAL_ENTITY_PLACEHOLDER);
    assert_count(shoal_world_entity_count(s.world), 2);
    steps_end(&s);
}

static shoal_status record_undeclared(const shoal_run *run) {
    *(shoal_status *)run->user =
        shoal_entity_is_null(shoal_commands_spawn(run->commands, NULL, 0)) ? SHOAL_ACCESS_UNDECLARED : SHOAL_OK;
    return SHOAL_OK;
}

static void test_recording_must_be_declared(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_status seen = SHOAL_OK;
    STEPS_ADD(&s, "secret", .once = record_undeclared, .user = &seen);
    shoal_world_step(s.world, 1);
    assert_status(seen, SHOAL_ACCESS_UNDECLARED);
    assert_count(shoal_world_entity_count(s.world), 0);
    steps_end(&s);
}

static shoal_status commands_misuse(const shoal_run *run) {
    shoal_commands_spawn(run->commands, NULL, 0);
    shoal_status *seen = run->user;
    seen[0] = shoal_commands_apply(run->commands, NULL);
    shoal_commands_discard(run->commands);
    shoal_commands_destroy(run->commands);
    return SHOAL_OK;
}

static void test_commands_are_not_the_systems_to_apply(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_status seen[1] = {0};
    STEPS_ADD(&s, "misuse", .once = commands_misuse, .commands = true, .user = seen);
    shoal_world_step(s.world, 1);
    assert_int_not_equal(seen[0], SHOAL_OK);
    assert_valid(s.world);
    steps_end(&s);
}

/* ---- C2: immediate and deferred ---- */

static text_buffer events;

static void note_event(const shoal_component_event *event, void *user) {
    text_add(&events, "%s %u:%u; ", (const char *)user, shoal_entity_index(event->entity),
             shoal_entity_generation(event->entity));
}

static void note_add(const shoal_component_event *event, void *user) {
    (void)user;
    note_event(event, "add");
}

static void note_set(const shoal_component_event *event, void *user) {
    (void)user;
    note_event(event, "set");
}

static void note_remove(const shoal_component_event *event, void *user) {
    (void)user;
    note_event(event, "remove");
}

typedef struct Told {
    int32_t value;
} Told;

SHOAL_COMPONENT(Told, .on_add = note_add, .on_set = note_set, .on_remove = note_remove,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Told, value)))

/* One operation on each of the entities in random order, directly or recorded. */
static shoal_status run_script(const shoal_run *run, bool direct) {
    rng random = {run->tick};
    uint32_t order[64];
    for (uint32_t i = 0; i < 64; i++) {
        order[i] = i;
    }
    rng_shuffle(&random, order, 64);
    for (size_t i = 0; i < 64; i++) {
        shoal_entity entity = shoal_entity_make(run->world, order[i], 0);
        const Told value = {(int32_t)i};
        shoal_component told = SHOAL_ID(Told);
        shoal_commands *commands = run->commands;
        switch (rng_below(&random, 4)) {
        case 0:
            (void)(direct ? shoal_add(run->world, entity, told, &value)
                          : shoal_commands_add(commands, entity, told, &value));
            break;
        case 1:
            (void)(direct ? shoal_remove(run->world, entity, told) : shoal_commands_remove(commands, entity, told));
            break;
        case 2:
            (void)(direct ? shoal_set(run->world, entity, told, &value)
                          : shoal_commands_set(commands, entity, told, &value));
            break;
        default:
            (void)(direct && i % 8 == 0 ? shoal_destroy(run->world, entity)
                   : direct             ? shoal_clear(run->world, entity)
                   : i % 8 == 0         ? shoal_commands_destroy_entity(commands, entity)
                                        : shoal_commands_clear(commands, entity));
            break;
        }
    }
    return SHOAL_OK;
}

static shoal_status run_script_directly(const shoal_run *run) {
    return run_script(run, true);
}

static shoal_status record_script(const shoal_run *run) {
    return run_script(run, false);
}

static void conf_C2_same_events(void **state) {
    (void)state;
    text_buffer seen[2] = {{0}};
    world_dump dumps[2] = {{0}};
    for (size_t direct = 0; direct < 2; direct++) {
        steps s;
        steps_start(&s, NULL);
        steps_spawn(s.world, 64, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
        STEPS_ADD(&s, "script", .once = direct != 0 ? run_script_directly : record_script, .exclusive = direct != 0,
                  .commands = direct == 0);
        steps_go(&s, 12);
        seen[direct] = events;
        events = (text_buffer){0};
        dumps[direct] = world_dump_take(s.world, NULL);
        steps_end(&s);
    }
    assert_true(seen[0].length > 1000);
    assert_string_equal(seen[0].text, seen[1].text);
    assert_same_dump(&dumps[0], &dumps[1]);
    for (size_t i = 0; i < 2; i++) {
        text_free(&seen[i]);
        world_dump_free(&dumps[i]);
    }
}

/* ---- C7: what is left open ---- */

static shoal_status leave_view_open(const shoal_run *run) {
    static shoal_view view; /* the lock that it holds must not outlive the system */
    if (shoal_view_begin(&view, run->query) == SHOAL_OK) {
        shoal_view_next(&view);
    }
    return SHOAL_OK;
}

static void conf_C7_view_that_a_system_leaves_open(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    steps_spawn(s.world, 10, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    STEPS_ADD(&s, "open", .once = leave_view_open, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))});
    STEPS_ADD(&s, "spawn", .once = spawn_ten, .commands = true);
    shoal_world_step(s.world, 1);
    assert_null(shoal_world_lock_holder(s.world));
    assert_valid(s.world);
    assert_ok(shoal_system_remove(shoal_system_find(s.world, "open")));
    steps_go(&s, 1);
    assert_false(shoal_entity_is_null(shoal_spawn(s.world, NULL, 0)));
    steps_end(&s);
}

/* ---- C11: dropped commands ---- */

static shoal_status destroy_user(const shoal_run *run) {
    return shoal_commands_destroy_entity(run->commands, *(const shoal_entity *)run->user);
}

static shoal_status add_to_user(const shoal_run *run) {
    return SHOAL_COMMANDS_ADD(run->commands, *(const shoal_entity *)run->user, Health, 1);
}

typedef struct dropped_seen {
    size_t count;
    shoal_dropped_record last;
    char destroyer[32];
    char system[32];
} dropped_seen;

static void note_dropped(void *user, const shoal_dropped_record *record) {
    dropped_seen *seen = user;
    seen->count++;
    seen->last = *record;
    strncpy(seen->system, shoal_system_name(record->system), sizeof seen->system - 1);
    strncpy(seen->destroyer, record->destroyer != NULL ? record->destroyer : "", sizeof seen->destroyer - 1);
}

/* The adder first or last; gives the status of the step. */
static shoal_status step_with_dead(steps *s, shoal_schedule_def def, bool destroy_first, shoal_entity *entity) {
    def.alone = true;
    steps_start(s, &def);
    *entity = spawn_one(s->world, SHOAL_VALUES(SHOAL_VALUE(Letter, 1)));
    if (destroy_first) {
        STEPS_ADD(s, "destroyer", .once = destroy_user, .commands = true, .user = entity);
    }
    STEPS_ADD(s, "adder", .once = add_to_user, .commands = true, .user = entity);
    if (!destroy_first) {
        STEPS_ADD(s, "destroyer", .once = destroy_user, .commands = true, .user = entity);
    }
    return shoal_world_step(s->world, 1);
}

static void conf_C11_either_order(void **state) {
    (void)state;
    for (size_t destroy_first = 0; destroy_first < 2; destroy_first++) {
        steps s;
        shoal_entity entity;
        assert_ok(step_with_dead(&s, (shoal_schedule_def){0}, destroy_first != 0, &entity));
        assert_valid(s.world);
        assert_false(shoal_is_alive(s.world, entity));
        assert_count(steps_stats(shoal_system_find(s.world, "adder")).dropped, destroy_first);
        assert_count(steps_stats(shoal_system_find(s.world, "adder")).commands, 1);
        assert_count(steps_stats(shoal_system_find(s.world, "destroyer")).dropped, 0);
        assert_false(steps_logged(&s, "adder"));
        steps_end(&s);
    }
}

static void conf_C11_log(void **state) {
    (void)state;
    steps s;
    shoal_entity entity;
    assert_ok(step_with_dead(&s, (shoal_schedule_def){.dropped_policy = SHOAL_DROPPED_LOG}, true, &entity));
    assert_count(s.warning_count, 1);
    assert_true(steps_logged(&s, "adder"));
#if defined(SHOAL_DEBUG) && SHOAL_DEBUG >= 1
    assert_true(steps_logged(&s, "destroyer"));
#endif
    steps_end(&s);
}

static void conf_C11_call(void **state) {
    (void)state;
    steps s;
    shoal_entity entity;
    dropped_seen seen = {0};
    assert_ok(step_with_dead(
        &s, (shoal_schedule_def){.dropped_policy = SHOAL_DROPPED_CALL, .dropped = note_dropped, .dropped_user = &seen},
        true, &entity));
    assert_count(seen.count, 1);
    assert_string_equal(seen.system, "adder");
    assert_int_equal(seen.last.command.kind, SHOAL_COMMAND_ADD);
    assert_int_equal(seen.last.command.status, SHOAL_ENTITY_DEAD);
    assert_entity(seen.last.command.entity, entity);
    assert_int_equal(seen.last.command.component.id, SHOAL_ID(Health).id);
    assert_count(seen.last.command.record, 0);
    assert_count(seen.last.tick, shoal_world_tick(s.world));
#if defined(SHOAL_DEBUG) && SHOAL_DEBUG >= 1
    assert_string_equal(seen.destroyer, "destroyer");
#endif
    steps_end(&s);
}

static void conf_C11_fail(void **state) {
    (void)state;
    steps s;
    shoal_entity entity;
    assert_status(step_with_dead(&s, (shoal_schedule_def){.dropped_policy = SHOAL_DROPPED_FAIL}, true, &entity),
                  SHOAL_COMMAND_DROPPED);
    assert_message_has(s.world, "adder");
    assert_count(shoal_world_tick(s.world), 2);
    assert_false(shoal_is_alive(s.world, entity));
    steps_end(&s);
}

/* ---- C12: many threads record ---- */

typedef struct Seed {
    uint64_t value;
} Seed;

SHOAL_COMPONENT(Seed, .fields = SHOAL_FIELDS(SHOAL_FIELD(Seed, value)))

static void dawdle(uint64_t turns) {
    for (volatile uint64_t i = 0; i < turns; i++) {
    }
}

/* Commands that follow from the row, with pauses that do not. */
static shoal_status record_randomly(const shoal_run *run, shoal_view *view) {
    static _Atomic uint64_t noise;
    const Seed *seed = SHOAL_COLUMN(view, Seed);
    for (size_t i = 0; i < view->count; i++) {
        rng random = {seed[i].value + run->tick};
        rng pause = {atomic_fetch_add(&noise, 1)};
        if (i % 64 == 0) {
            dawdle(rng_below(&pause, 2000));
        }
        shoal_entity entity = view->entities[i];
        shoal_status status = SHOAL_OK;
        switch (rng_below(&random, 8)) {
        case 0:
            status = shoal_commands_destroy_entity(run->commands, entity);
            break;
        case 1:
        case 2:
            status = shoal_entity_is_null(shoal_commands_spawn(
                         run->commands, SHOAL_VALUES(SHOAL_VALUE(Seed, rng_next(&random)), SHOAL_DEFAULT(Health))))
                         ? SHOAL_OUT_OF_MEMORY
                         : SHOAL_OK;
            break;
        case 3:
            status = SHOAL_COMMANDS_ADD(run->commands, entity, Letter, (uint8_t)random.state);
            break;
        case 4:
            status = shoal_commands_remove(run->commands, entity, SHOAL_ID(Letter));
            break;
        default:
            break;
        }
        if (status != SHOAL_OK) {
            return status;
        }
    }
    return SHOAL_OK;
}

static void run_of_12(uint32_t workers, uint64_t hashes[2]) {
    steps s;
    steps_start_with(&s, workers);
    for (uint64_t i = 0; i < 12000; i++) {
        spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Seed, i * 77)));
    }
    STEPS_ADD(&s, "one", .each = record_randomly, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Seed))}, .commands = true);
    STEPS_ADD(&s, "two", .each = record_randomly,
              .query = {.terms = SHOAL_TERMS(SHOAL_READ(Seed), SHOAL_WITHOUT(Letter))}, .commands = true);
    steps_go(&s, 3);
    hashes[0] = steps_hash(s.world, SHOAL_HASH_CANONICAL);
    hashes[1] = steps_hash(s.world, SHOAL_HASH_LAYOUT);
    steps_end(&s);
}

static void conf_C12_same_world_on_any_number_of_threads(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    bool can = steps_can_hash(s.world);
    steps_end(&s);
    if (!can) {
        skip();
    }
    uint64_t expected[2];
    run_of_12(0, expected);
    static const uint32_t workers[] = {1, 2, 3, 4, 8, 16, 2, 4, 16};
    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i++) {
        uint64_t found[2];
        run_of_12(workers[i], found);
        assert_true(found[0] == expected[0]);
        assert_true(found[1] == expected[1]);
    }
    test_set_context("%s", "");
}

/* ---- exclusive systems ---- */

static shoal_status change_directly(const shoal_run *run) {
    shoal_entity entity = shoal_spawn(run->world, SHOAL_VALUES(SHOAL_VALUE(Health, 7)));
    shoal_status status = SHOAL_ADD(run->world, entity, Letter, 3);
    shoal_status *seen = run->user;
    seen[0] = shoal_world_step(run->world, 1);
    seen[1] = shoal_system_remove(run->system);
    seen[2] = shoal_schedule_configure(run->world, NULL);
    return status;
}

static void test_exclusive_calls_directly(void **state) {
    (void)state;
    static const uint32_t workers[] = {0, 1, 4};
    for (size_t w = 0; w < 3; w++) {
        steps s;
        steps_start_with(&s, workers[w]);
        shoal_status seen[3] = {0};
        uint64_t later = 0;
        STEPS_ADD(&s, "spawn", .once = spawn_ten, .commands = true);
        STEPS_ADD(&s, "exclusive", .once = change_directly, .exclusive = true, .user = seen);
        ADD_COUNTER(&s, "later", &later, .after = SHOAL_NAMES("exclusive"));
        steps_go(&s, 2);
        for (size_t i = 0; i < 3; i++) {
            assert_status(seen[i], SHOAL_WORLD_LOCKED);
        }
        assert_true(later >= 12);
        assert_count(shoal_world_entity_count(s.world), 22);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

static shoal_status check_alone(const shoal_run *run) {
    _Atomic int *inside = run->user;
    bool exclusive = shoal_system_name(run->system)[0] == 'x';
    int weight = exclusive ? 1000 : 1;
    int before = atomic_fetch_add(inside, weight);
    dawdle(20000);
    atomic_fetch_sub(inside, weight);
    return exclusive ? (before == 0 ? SHOAL_OK : SHOAL_CORRUPT) : (before < 1000 ? SHOAL_OK : SHOAL_CORRUPT);
}

static void test_exclusive_has_the_world_to_itself(void **state) {
    (void)state;
    steps s;
    steps_start(&s, &(shoal_schedule_def){.worker_count = 4});
    _Atomic int inside = 0;
    static const char *const names[] = {"a", "b", "x1", "c", "d", "x2", "x3", "e"};
    for (size_t i = 0; i < 8; i++) {
        STEPS_ADD(&s, names[i], .once = check_alone, .exclusive = names[i][0] == 'x', .user = &inside);
    }
    steps_go(&s, 50);
    steps_end(&s);
}

static shoal_status record_nothing(const shoal_run *run, shoal_view *view) {
    (void)run;
    (void)view;
    return SHOAL_OK;
}

/* The jobs of fused systems are noted one inside of the other. */
static void test_recording_nothing_needs_no_memory(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    STEPS_ADD(&s, "a", .each = record_nothing, .query.text = "write Health", .commands = true);
    STEPS_ADD(&s, "b", .each = record_nothing, .query.text = "write Health", .commands = true);
    steps_spawn(s.world, 1, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    steps_go(&s, 1);
    size_t bytes = s.fake.live_bytes;
    for (size_t i = 0; i < 1000; i++) {
        assert_ok(shoal_world_step(s.world, 1));
    }
    assert_count(s.fake.live_bytes, bytes);
    steps_end(&s);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_I3_synced_order_sees_the_commands),
        cmocka_unit_test(conf_I3_applied_at_the_end_of_the_step),
        cmocka_unit_test(conf_I3_exclusive_after_both),
        cmocka_unit_test(conf_I3_as_few_sync_points_as_there_can_be),
        cmocka_unit_test(conf_I3_a_chain_of_recorders),
        cmocka_unit_test(conf_I3_crossed_orders_share_sync_points),
        cmocka_unit_test(test_commands_come_in_the_order_of_systems),
        cmocka_unit_test(test_handles_come_in_the_order_of_rows),
        cmocka_unit_test(conf_C8_placeholders_become_real),
        cmocka_unit_test(conf_C8_placeholder_of_an_earlier_step),
        cmocka_unit_test(test_recording_must_be_declared),
        cmocka_unit_test(test_commands_are_not_the_systems_to_apply),
        cmocka_unit_test(conf_C2_same_events),
        cmocka_unit_test(conf_C7_view_that_a_system_leaves_open),
        cmocka_unit_test(conf_C11_either_order),
        cmocka_unit_test(conf_C11_log),
        cmocka_unit_test(conf_C11_call),
        cmocka_unit_test(conf_C11_fail),
        cmocka_unit_test(conf_C12_same_world_on_any_number_of_threads),
        cmocka_unit_test(test_recording_nothing_needs_no_memory),
        cmocka_unit_test(test_exclusive_calls_directly),
        cmocka_unit_test(test_exclusive_has_the_world_to_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
