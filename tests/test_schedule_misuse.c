/*
 * What systems must not do and what is at the limits: each gets a status and a message, and the world goes on. Calls on
 * the step from inside, a recorder and a query that are the schedule's, views that are left open, ended or stepped,
 * bodies of all sizes, very many rounds, loops that are stopped before they begin.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/steps.h"

#include <stdatomic.h>

#define QUERY(...) .query = {.terms = SHOAL_TERMS(__VA_ARGS__)}

static const uint32_t worker_counts[] = {0, 2};

/* ---- what is the schedule's ---- */

static shoal_status end_what_is_not_its_own(const shoal_run *run) {
    shoal_commands *commands = run->commands;
    shoal_entity made = shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Health, 7)));
    shoal_commands_discard(commands);
    shoal_commands_destroy(commands);
    bool is_kept = !shoal_entity_is_null(made) && shoal_commands_count(commands) == 1 &&
                   shoal_commands_apply(commands, NULL) == SHOAL_WORLD_LOCKED &&
                   shoal_query_destroy(run->query) == SHOAL_INVALID_ARGUMENT &&
                   shoal_system_remove(run->system) == SHOAL_WORLD_LOCKED &&
                   shoal_world_destroy(run->world) == SHOAL_WORLD_LOCKED &&
                   shoal_world_step(run->world, 1) == SHOAL_WORLD_LOCKED;
    return is_kept ? SHOAL_OK : SHOAL_CORRUPT;
}

static void test_exclusive_systems_cannot_end_what_is_not_theirs(void **state) {
    (void)state;
    steps s;
    steps_start_with(&s, 0);
    STEPS_ADD(&s, "end", .once = end_what_is_not_its_own, QUERY(SHOAL_READ(Health)), .exclusive = true,
              .commands = true);
    steps_go(&s, 3);
    steps_check_health(s.world, 7, 3);
    steps_end(&s);
}

static shoal_commands *kept_commands;

static shoal_status keep_commands(const shoal_run *run) {
    kept_commands = run->commands;
    return SHOAL_OK;
}

static bool record_and_go_on(const shoal_run *run) {
    return shoal_entity_is_null(shoal_commands_spawn(run->commands, NULL, 0)) &&
           shoal_last_error(run->world).status == SHOAL_WORLD_LOCKED;
}

static void test_recorders_take_nothing_outside_of_the_function(void **state) {
    (void)state;
    steps s;
    steps_start_with(&s, 0);
    shoal_system *system =
        STEPS_ADD(&s, "keep", .once = keep_commands, .condition = record_and_go_on, .commands = true);
    steps_go(&s, 1);
    assert_count(steps_stats(system).runs, 1);
    assert_true(shoal_entity_is_null(shoal_commands_spawn(kept_commands, NULL, 0)));
    assert_last_error(s.world, SHOAL_WORLD_LOCKED);
    assert_message_has(s.world, "\"keep\"");
    steps_go(&s, 1);
    assert_count(shoal_world_entity_count(s.world), 0);
    steps_end(&s);
}

/* ---- views ---- */

static shoal_status end_view(const shoal_run *run, shoal_view *view) {
    (void)run;
    shoal_view_end(view);
    return SHOAL_OK;
}

static shoal_status step_view(const shoal_run *run, shoal_view *view) {
    (void)run;
    while (shoal_view_next(view)) {
    }
    return shoal_view_next_chunk(view) ? SHOAL_CORRUPT : SHOAL_OK;
}

static shoal_status leave_view(const shoal_run *run, shoal_view *view) {
    (void)view;
    shoal_view own;
    shoal_status status = shoal_view_begin(&own, run->query);
    return status == SHOAL_OK && shoal_view_next(&own) ? SHOAL_OK : SHOAL_CORRUPT;
}

static void test_views_in_each(void **state) {
    (void)state;
    shoal_status (*const functions[])(const shoal_run *, shoal_view *) = {end_view, step_view, leave_view};
    for (size_t i = 0; i < 12; i++) {
        steps s;
        steps_start_with(&s, worker_counts[i % 2]);
        steps_spawn(s.world, 9000, NULL, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
        shoal_query_def query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))};
        query.order_by = i % 4 < 2 ? (shoal_component){0} : SHOAL_ID(Health);
        query.order_field = i % 4 < 2 ? NULL : "value";
        STEPS_ADD(&s, "wrong", .each = functions[i / 4], .query = query);
        STEPS_ADD(&s, "count", .each = steps_count_up, QUERY(SHOAL_WRITE(Health)), .barrier = true);
        for (size_t step = 0; step < 2; step++) {
            shoal_status expected = functions[i / 4] == leave_view ? SHOAL_WORLD_LOCKED : SHOAL_INVALID_ARGUMENT;
            assert_status(shoal_world_step(s.world, 1), expected);
            assert_message_has(s.world, "system \"wrong\" failed");
            assert_message_has(s.world, expected == SHOAL_WORLD_LOCKED ? "shoal_view_end()" : "must not step or end");
            assert_valid(s.world);
        }
        steps_check_health(s.world, 3, 9000);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

/* ---- bodies ---- */

static _Atomic size_t covered;
static _Atomic size_t calls;

static void cover(void *data, size_t first, size_t end) {
    (void)data;
    atomic_fetch_add(&covered, end - first);
    atomic_fetch_add(&calls, 1);
}

static shoal_status cover_all(const shoal_run *run) {
    static const size_t counts[][2] = {{SIZE_MAX, 0},     {SIZE_MAX, SIZE_MAX}, {SIZE_MAX, SIZE_MAX / 2 + 1},
                                       {SIZE_MAX - 1, 0}, {5, SIZE_MAX},        {1, 0}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        atomic_store(&covered, 0);
        atomic_store(&calls, 0);
        shoal_status status = shoal_run_parallel(run, counts[i][0], counts[i][1], cover, NULL);
        if (status != SHOAL_OK || atomic_load(&covered) != counts[i][0] || atomic_load(&calls) > 64) {
            return SHOAL_CORRUPT;
        }
    }
    return SHOAL_OK;
}

static void test_bodies_of_all_sizes(void **state) {
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        steps s;
        steps_start_with(&s, worker_counts[i % 2]);
        STEPS_ADD(&s, "cover", .once = cover_all, .exclusive = i >= 2);
        steps_go(&s, 2);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

/* ---- rounds ---- */

static shoal_status touch(const shoal_run *run, shoal_view *view) {
    (void)run;
    atomic_fetch_add_explicit(&covered, view->count, memory_order_relaxed);
    return SHOAL_OK;
}

/* A worker that looks for jobs while the next round is handed out must not take some away. A round that loses jobs
   waits for ever, which the time limit of the test ends. */
static void test_very_many_rounds(void **state) {
    (void)state;
    enum { ROWS = 16400, ROUNDS = 4000 };
    static const uint32_t workers[] = {2, 5};
    for (size_t i = 0; i < 2; i++) {
        steps s;
        steps_start_with(&s, workers[i]);
        atomic_store(&covered, 0);
        steps_spawn(s.world, ROWS, NULL, SHOAL_VALUES(SHOAL_VALUE(Health, 0)));
        STEPS_ADD(&s, "touch", .each = touch, QUERY(SHOAL_READ(Health)), .period_ns = 1, .catch_up = ROUNDS);
        for (size_t step = 0; step < 2; step++) {
            assert_ok(shoal_world_step(s.world, ROUNDS));
        }
        assert_count(atomic_load(&covered), 2ull * ROUNDS * ROWS);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

/* ---- systems with once beside others ---- */

static shoal_status check_all_alike(const shoal_run *run) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, run->query);
    int32_t expected = INT32_MIN;
    while (status == SHOAL_OK && shoal_view_next(&view)) {
        const Health *health = SHOAL_COLUMN(&view, Health);
        for (size_t i = 0; i < view.count && status == SHOAL_OK; i++) {
            expected = expected == INT32_MIN ? health[i].value : expected;
            status = health[i].value == expected ? SHOAL_OK : SHOAL_CORRUPT;
        }
    }
    shoal_view_end(&view);
    return status;
}

/* Nobody has listed the archetypes of a system with `once`, which meets the others all the same. */
static void test_once_waits_for_each(void **state) {
    (void)state;
    steps s;
    steps_start_with(&s, 3);
    steps_spawn(s.world, 60000, NULL, SHOAL_VALUES(SHOAL_VALUE(Health, 0)));
    STEPS_ADD(&s, "first", .each = steps_count_up, QUERY(SHOAL_WRITE(Health)));
    STEPS_ADD(&s, "check", .once = check_all_alike, QUERY(SHOAL_READ(Health)));
    STEPS_ADD(&s, "second", .each = steps_count_up, QUERY(SHOAL_WRITE(Health)));
    STEPS_ADD(&s, "check again", .once = check_all_alike, QUERY(SHOAL_READ(Health)));
    steps_go(&s, 30);
    steps_check_health(s.world, 60, 60000);
    steps_end(&s);
    test_set_context("%s", "");
}

/* ---- loops ---- */

static void test_stop_without_a_schedule(void **state) {
    (void)state;
    shoal_world *world = shoal_world_create(NULL);
    assert_non_null(world);
    shoal_loop_def loop = {.unpaced = true, .step_limit = 5};
    shoal_loop_result result = {0};
    shoal_world_stop(world);
    assert_ok(shoal_world_run(world, &loop, &result));
    assert_count(result.steps, 0);
    assert_ok(shoal_world_run(world, &loop, &result));
    assert_count(result.steps, 5);
    assert_ok(shoal_world_destroy(world));
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exclusive_systems_cannot_end_what_is_not_theirs),
        cmocka_unit_test(test_recorders_take_nothing_outside_of_the_function),
        cmocka_unit_test(test_views_in_each),
        cmocka_unit_test(test_bodies_of_all_sizes),
        cmocka_unit_test(test_very_many_rounds),
        cmocka_unit_test(test_once_waits_for_each),
        cmocka_unit_test(test_stop_without_a_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
