/*
 * Systems one by one: what a definition may say, adding and removing, what a run is told, local memory and scratch,
 * conditions, rates, failure. Conformance B1, B5, F12, I5. What a definition must not say is in test_system_refused.c;
 * order is in test_schedule_order.c.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/steps.h"

#include <stdatomic.h>
#include <string.h>

static shoal_status each_nothing(const shoal_run *run, shoal_view *view) {
    (void)run;
    (void)view;
    return SHOAL_OK;
}

/* ---- adding, finding, removing ---- */

static void test_add_and_find(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    char name[] = "move";
    shoal_system *system = STEPS_ADD(&s, name, .once = steps_note);
    name[0] = 'X';
    assert_string_equal(shoal_system_name(system), "move");
    assert_ptr_equal(shoal_system_find(s.world, "move"), system);
    assert_null(shoal_system_find(s.world, "mov"));
    assert_ptr_equal(shoal_system_world(system), s.world);
    assert_true(shoal_system_is_enabled(system));
    assert_count(steps_stats(system).runs, 0);
    steps_end(&s);
}

static void test_name_is_one_of_a_kind(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    STEPS_ADD(&s, "move", .once = steps_note);
    assert_null(shoal_system_add(s.world, &(shoal_system_def){.name = "move", .once = steps_note, .user = &s}));
    assert_last_error(s.world, SHOAL_SYSTEM_EXISTS);
    assert_message_has(s.world, "move");
    steps_go(&s, 1);
    assert_ran(&s, "move ");
    steps_end(&s);
}

static void test_names_of_both_lengths(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    char name[256];
    memset(name, 'n', sizeof name - 1);
    name[255] = '\0';
    shoal_system *longest = STEPS_ADD(&s, name, .once = steps_note);
    shoal_system *shortest = STEPS_ADD(&s, "n", .once = steps_note);
    assert_ptr_equal(shoal_system_find(s.world, name), longest);
    assert_ptr_equal(shoal_system_find(s.world, "n"), shortest);
    steps_end(&s);
}

static void test_remove(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    STEPS_ADD(&s, "a", .once = steps_note);
    shoal_system *b = STEPS_ADD(&s, "b", .once = steps_note);
    STEPS_ADD(&s, "c", .once = steps_note);
    steps_go(&s, 1);
    assert_ran(&s, "a b c ");
    assert_ok(shoal_system_remove(b));
    assert_ok(shoal_system_remove(NULL));
    assert_null(shoal_system_find(s.world, "b"));
    steps_go(&s, 1);
    assert_ran(&s, "a c ");
    STEPS_ADD(&s, "b", .once = steps_note);
    steps_go(&s, 1);
    assert_ran(&s, "a c b ");
    steps_end(&s);
}

static void test_added_and_removed_many_times(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    for (size_t i = 0; i < 100; i++) {
        shoal_system *system = STEPS_ADD(&s, "brief", .each = each_nothing,
                                         .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position))}, .local_bytes = 100);
        if (i % 2 == 0) {
            steps_go(&s, 1);
        }
        assert_ok(shoal_system_remove(system));
    }
    assert_count(steps_schedule(&s).systems, 0);
    steps_end(&s);
}

static void test_remove_waits_for_views(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *system = STEPS_ADD(&s, "move", .once = steps_note);
    shoal_query *query = make_query(s.world, NULL, 0);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    assert_status(shoal_system_remove(system), SHOAL_WORLD_LOCKED);
    assert_status(shoal_world_step(s.world, 1), SHOAL_WORLD_LOCKED);
    shoal_view_end(&view);
    assert_count(shoal_world_tick(s.world), 1);
    assert_ran(&s, "");
    assert_ok(shoal_system_remove(system));
    steps_end(&s);
}

static void test_enable(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *a = STEPS_ADD(&s, "a", .once = steps_note);
    STEPS_ADD(&s, "b", .once = steps_note);
    assert_ok(shoal_system_enable(a, false));
    assert_false(shoal_system_is_enabled(a));
    steps_go(&s, 1);
    assert_ran(&s, "b ");
    assert_ok(shoal_system_enable(a, true));
    assert_true(shoal_system_is_enabled(a));
    steps_go(&s, 1);
    assert_ran(&s, "a b ");
    assert_count(steps_stats(a).runs, 1);
    steps_end(&s);
}

static shoal_status turn_off_user(const shoal_run *run) {
    return shoal_system_enable(run->user, false);
}

static void test_enable_in_an_exclusive_system(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *later = STEPS_ADD(&s, "later", .once = steps_note);
    STEPS_ADD(&s, "switch", .once = turn_off_user, .exclusive = true, .user = later);
    steps_go(&s, 2);
    assert_false(shoal_system_is_enabled(later));
    assert_ran(&s, "later ");
    steps_end(&s);
}

/* ---- what a run is told ---- */

typedef struct told {
    steps *s;
    shoal_run run;
    size_t calls;
    size_t rows;
    bool tick_is_worlds;
} told;

static shoal_status note_run(const shoal_run *run) {
    told *t = run->user;
    t->run = *run;
    t->calls++;
    t->tick_is_worlds = run->tick == shoal_world_tick(run->world);
    return SHOAL_OK;
}

static shoal_status note_view(const shoal_run *run, shoal_view *view) {
    told *t = run->user;
    t->rows += view->count;
    return note_run(run);
}

static void test_run_of_once(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    told t = {0};
    shoal_system *system = STEPS_ADD(&s, "t", .once = note_run, .user = &t);
    uint64_t before = shoal_world_tick(s.world);
    assert_ok(shoal_world_step(s.world, 250000000));
    assert_count(t.calls, 1);
    assert_ptr_equal(t.run.world, s.world);
    assert_ptr_equal(t.run.system, system);
    assert_null(t.run.query);
    assert_count(t.run.dt_ns, 250000000);
    assert_true(t.run.dt == 0.25);
    assert_count(t.run.tick, before + 1);
    assert_true(t.tick_is_worlds);
    assert_count(t.run.worker, 0);
    assert_count(shoal_world_tick(s.world), before + 1);
    steps_end(&s);
}

static void test_run_of_each(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    steps_spawn(s.world, 5, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    steps_spawn(s.world, 7, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Velocity)));
    told t = {0};
    shoal_system *system =
        STEPS_ADD(&s, "t", .each = note_view, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position))}, .user = &t);
    steps_go(&s, 2);
    assert_non_null(t.run.query);
    assert_count(shoal_query_count(t.run.query), 5);
    assert_count(t.rows, 10);
    assert_count(steps_stats(system).rows, 10);
    assert_count(steps_stats(system).last_rows, 5);
    assert_count(steps_stats(system).runs, 2);
    assert_true(steps_stats(system).last_jobs >= 1);
    assert_int_equal(steps_stats(system).last_status, SHOAL_OK);
    steps_end(&s);
}

static void test_terms_as_text(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    kinds_register();
    steps_spawn(s.world, 3, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Frozen)));
    steps_spawn(s.world, 4, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    told t = {0};
    STEPS_ADD(&s, "t", .each = note_view, .query = {.text = "write Position, without Frozen"}, .user = &t);
    steps_go(&s, 1);
    assert_count(t.rows, 4);
    steps_end(&s);
}

static void conf_F12_only_where_rows_match(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    steps_spawn(s.world, 3, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Velocity)));
    told t = {0};
    shoal_system *system =
        STEPS_ADD(&s, "t", .each = note_view, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position))}, .user = &t);
    steps_go(&s, 2);
    assert_count(t.calls, 0);
    assert_count(steps_stats(system).rows, 0);
    steps_spawn(s.world, 1, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    steps_go(&s, 1);
    assert_count(t.calls, 1);
    steps_end(&s);
}

static void conf_F12_not_after_removal(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    steps_spawn(s.world, 3, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    told t = {0};
    shoal_system *system =
        STEPS_ADD(&s, "t", .each = note_view, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position))}, .user = &t);
    steps_go(&s, 1);
    assert_ok(shoal_system_remove(system));
    t = (told){0};
    steps_go(&s, 2);
    assert_count(t.calls, 0);
    steps_end(&s);
}

/* ---- local memory, scratch ---- */

static shoal_status count_in_local(const shoal_run *run) {
    uint64_t *count = run->local;
    told *t = run->user;
    t->calls = (size_t)++ * count;
    return SHOAL_OK;
}

static void test_local_is_zero_and_stays(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    told a = {0};
    told b = {0};
    STEPS_ADD(&s, "a", .once = count_in_local, .local_bytes = sizeof(uint64_t), .user = &a);
    STEPS_ADD(&s, "b", .once = count_in_local, .local_bytes = sizeof(uint64_t), .user = &b);
    assert_ok(shoal_system_enable(shoal_system_find(s.world, "b"), false));
    steps_go(&s, 3);
    assert_count(a.calls, 3);
    assert_ok(shoal_system_enable(shoal_system_find(s.world, "b"), true));
    steps_go(&s, 1);
    assert_count(a.calls, 4);
    assert_count(b.calls, 1);
    steps_end(&s);
}

static shoal_status fill_scratch(const shoal_run *run, shoal_view *view) {
    unsigned char *bytes = run->scratch;
    memset(bytes, (int)(run->worker + 1), 4096);
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    for (size_t i = 0; i < view->count; i++) {
        health[i].value = bytes[(i * 7) % 4096] == run->worker + 1;
    }
    return SHOAL_OK;
}

static void test_scratch_of_each_worker(void **state) {
    (void)state;
    steps s;
    steps_start(&s, &(shoal_schedule_def){.worker_count = 4});
    enum { ROWS = 20000 };
    static shoal_entity entities[ROWS];
    steps_spawn(s.world, ROWS, entities, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    STEPS_ADD(&s, "fill", .each = fill_scratch, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))},
              .scratch_bytes = 4096);
    steps_go(&s, 3);
    for (size_t i = 0; i < ROWS; i++) {
        assert_health(s.world, entities[i], 1);
    }
    steps_end(&s);
}

static shoal_status note_memory(const shoal_run *run) {
    told *t = run->user;
    t->run = *run;
    if (run->local != NULL) {
        memset(run->local, 1, 1u << 20);
    }
    if (run->scratch != NULL) {
        memset(run->scratch, 2, 1u << 20);
    }
    return SHOAL_OK;
}

static void test_large_local_and_scratch(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    told t = {0};
    STEPS_ADD(&s, "t", .once = note_memory, .local_bytes = 1u << 20, .scratch_bytes = 1u << 20, .user = &t);
    steps_go(&s, 2);
    assert_non_null(t.run.local);
    assert_non_null(t.run.scratch);
    assert_count((uintptr_t)t.run.local % 16, 0);
    assert_count((uintptr_t)t.run.scratch % 16, 0);
    steps_end(&s);
}

/* ---- conditions ---- */

typedef struct Switch {
    int32_t on;
} Switch;

SHOAL_COMPONENT(Switch, .storage = SHOAL_STORAGE_UNIQUE, .fields = SHOAL_FIELDS(SHOAL_FIELD(Switch, on)))

static bool switch_is_on(const shoal_run *run) {
    const Switch *value = SHOAL_UNIQUE(run->world, Switch);
    return value != NULL && value->on != 0;
}

static shoal_status flip_switch(const shoal_run *run) {
    Switch *value = SHOAL_UNIQUE_MUT(run->world, Switch);
    value->on = !value->on;
    return SHOAL_OK;
}

static const shoal_system_def on_switch = {.name = "gated", .once = steps_note, .condition = switch_is_on};

static void test_condition(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    assert_ok(SHOAL_UNIQUE_SET(s.world, Switch, 0));
    shoal_system_def def = on_switch;
    shoal_term reads[] = {SHOAL_READ(Switch)};
    def.condition_reads = reads;
    def.condition_read_count = 1;
    shoal_system *system = steps_add(&s, &def);
    steps_go(&s, 2);
    assert_ran(&s, "");
    assert_ok(SHOAL_UNIQUE_SET(s.world, Switch, 1));
    steps_go(&s, 1);
    assert_ran(&s, "gated ");
    assert_count(steps_stats(system).runs, 1);
    steps_end(&s);
}

static void test_condition_is_asked_right_before(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    assert_ok(SHOAL_UNIQUE_SET(s.world, Switch, 0));
    STEPS_ADD(&s, "flip", .once = flip_switch, .lookups = SHOAL_TERMS(SHOAL_WRITE(Switch)));
    shoal_system_def def = on_switch;
    shoal_term reads[] = {SHOAL_READ(Switch)};
    const char *after[] = {"flip"};
    def.condition_reads = reads;
    def.condition_read_count = 1;
    def.after = after;
    def.after_count = 1;
    steps_add(&s, &def);
    steps_go(&s, 1);
    assert_ran(&s, "gated ");
    steps_go(&s, 1);
    assert_ran(&s, "");
    steps_end(&s);
}

/* ---- every n steps ---- */

static void test_every_with_each_offset(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *systems[3];
    const char *names[3] = {"0", "1", "2"};
    for (uint32_t i = 0; i < 3; i++) {
        systems[i] = STEPS_ADD(&s, names[i], .once = steps_note, .every = 3, .offset = i);
    }
    steps_go(&s, 30);
    for (size_t i = 0; i < 3; i++) {
        assert_count(steps_stats(systems[i]).runs, 10);
    }
    /* One in each step, and the one with the next offset a step later. */
    static const char cycle[] = "0 1 2 0 1 2 ";
    bool found = false;
    for (size_t turn = 0; turn < 3; turn++) {
        found = found || memcmp(s.order.text, cycle + 2 * turn, 6) == 0;
    }
    assert_true(found);
    for (size_t i = 6; i < 60; i++) {
        assert_int_equal(s.order.text[i], s.order.text[i - 6]);
    }
    steps_end(&s);
}

static void test_every_step(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *default_rate = STEPS_ADD(&s, "a", .once = steps_note);
    shoal_system *one = STEPS_ADD(&s, "b", .once = steps_note, .every = 1);
    steps_go(&s, 4);
    assert_count(steps_stats(default_rate).runs, 4);
    assert_count(steps_stats(one).runs, 4);
    steps_end(&s);
}

/* ---- fixed rates ---- */

static void assert_rate(shoal_system *system, uint64_t dt_ns, uint64_t runs, uint64_t skipped_ns) {
    uint64_t before = steps_stats(system).runs;
    assert_ok(shoal_world_step(shoal_system_world(system), dt_ns));
    assert_count(steps_stats(system).runs - before, runs);
    assert_count(steps_stats(system).skipped_ns, skipped_ns);
}

static void test_fixed_rate(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    told t = {0};
    shoal_system *system = STEPS_ADD(&s, "t", .once = note_run, .period_ns = 10, .user = &t);
    assert_rate(system, 9, 0, 0);
    assert_rate(system, 1, 1, 0);
    assert_count(t.run.dt_ns, 10);
    assert_true(t.run.dt == 10e-9);
    assert_rate(system, 25, 2, 0);
    assert_rate(system, 25, 3, 0);
    assert_rate(system, 0, 0, 0);
    assert_rate(system, 80, 8, 0);
    assert_count(t.calls, 14);
    steps_end(&s);
}

static void test_fixed_rate_drops_what_it_cannot_catch_up(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    told t = {0};
    shoal_system *eight = STEPS_ADD(&s, "8", .once = note_run, .period_ns = 10, .user = &t);
    shoal_system *two = STEPS_ADD(&s, "2", .once = note_run, .period_ns = 10, .catch_up = 2, .user = &t);
    assert_ok(shoal_world_step(s.world, 200));
    assert_count(steps_stats(eight).runs, 8);
    assert_count(steps_stats(eight).skipped_ns, 120);
    assert_count(steps_stats(two).runs, 2);
    assert_count(steps_stats(two).skipped_ns, 180);
    assert_ok(shoal_world_step(s.world, 10));
    assert_count(steps_stats(eight).runs, 9);
    assert_count(steps_stats(two).runs, 3);
    steps_end(&s);
}

static shoal_status fail_first(const shoal_run *run) {
    uint32_t *calls = run->user;
    return (*calls)++ == 0 ? SHOAL_NOT_FOUND : SHOAL_OK;
}

/* Of the runs of one step only the one that failed counts; the step tells of it all the same. */
static void test_first_of_several_runs_fails(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    uint32_t calls = 0;
    shoal_system *system = STEPS_ADD(&s, "t", .once = fail_first, .period_ns = 10, .user = &calls);
    assert_status(shoal_world_step(s.world, 40), SHOAL_NOT_FOUND);
    assert_count(steps_stats(system).runs, 4);
    assert_count(steps_stats(system).failures, 1);
    assert_status(steps_stats(system).last_status, SHOAL_OK);
    assert_ok(shoal_world_step(s.world, 10));
    steps_end(&s);
}

static void test_fixed_rate_of_very_long_steps(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    told t = {0};
    shoal_system *system = STEPS_ADD(&s, "t", .once = note_run, .period_ns = 10, .user = &t);
    assert_ok(shoal_world_step(s.world, 9));
    assert_ok(shoal_world_step(s.world, UINT64_MAX));
    assert_count(steps_stats(system).runs, 8);
    assert_ok(shoal_world_step(s.world, UINT64_MAX));
    assert_count(steps_stats(system).runs, 16);
    steps_end(&s);
}

static void test_fixed_rate_with_whole_nanoseconds(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    told t = {0};
    shoal_system *system = STEPS_ADD(&s, "t", .once = note_run, .period_ns = 16666667, .user = &t);
    for (uint64_t i = 0; i < 1000; i++) {
        assert_ok(shoal_world_step(s.world, 1000001));
        assert_count(steps_stats(system).runs, (i + 1) * 1000001 / 16666667);
    }
    steps_end(&s);
}

/* ---- failure ---- */

static shoal_status fail_with_user(const shoal_run *run) {
    return *(const shoal_status *)run->user;
}

static shoal_status fail_each(const shoal_run *run, shoal_view *view) {
    (void)view;
    return fail_with_user(run);
}

static void conf_I5_siblings_finish(void **state) {
    (void)state;
    static const uint32_t workers[] = {0, 1, 2, 4};
    for (size_t w = 0; w < 4; w++) {
        steps s;
        steps_start_with(&s, workers[w]);
        shoal_status status = SHOAL_NOT_FOUND;
        shoal_system *a = STEPS_ADD(&s, "a", .once = steps_note);
        shoal_system *bad = STEPS_ADD(&s, "bad", .once = fail_with_user, .user = &status);
        shoal_system *c = STEPS_ADD(&s, "c", .once = steps_note);
        shoal_system *later = STEPS_ADD(&s, "later", .once = steps_note, .after = SHOAL_NAMES("bad"));
        assert_status(shoal_world_step(s.world, 1), SHOAL_NOT_FOUND);
        assert_last_error(s.world, SHOAL_NOT_FOUND);
        assert_message_has(s.world, "bad");
        assert_valid(s.world);
        assert_count(steps_stats(a).runs, 1);
        assert_count(steps_stats(c).runs, 1);
        assert_count(steps_stats(later).runs, 1);
        assert_count(steps_stats(bad).failures, 1);
        assert_int_equal(steps_stats(bad).last_status, SHOAL_NOT_FOUND);
        status = SHOAL_OK;
        steps_go(&s, 1);
        assert_count(steps_stats(bad).runs, 2);
        assert_count(steps_stats(bad).failures, 1);
        assert_int_equal(steps_stats(bad).last_status, SHOAL_OK);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

static void conf_I5_first_of_the_schedule_is_named(void **state) {
    (void)state;
    steps s;
    steps_start(&s, &(shoal_schedule_def){.worker_count = 4});
    shoal_status early = SHOAL_NOT_SINGLE;
    shoal_status late = SHOAL_NOT_FOUND;
    STEPS_ADD(&s, "zeta", .once = fail_with_user, .user = &late, .phase = "output");
    STEPS_ADD(&s, "iota", .once = fail_with_user, .user = &early, .phase = "input");
    for (size_t i = 0; i < 10; i++) {
        assert_status(shoal_world_step(s.world, 1), SHOAL_NOT_SINGLE);
        assert_message_has(s.world, "iota");
    }
    steps_end(&s);
}

static void conf_I5_each_that_fails(void **state) {
    (void)state;
    steps s;
    steps_start(&s, &(shoal_schedule_def){.worker_count = 4});
    steps_spawn(s.world, 20000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    shoal_status status = SHOAL_VALUE_REFUSED;
    told t = {0};
    shoal_system *bad =
        STEPS_ADD(&s, "bad", .each = fail_each, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position))}, .user = &status);
    STEPS_ADD(&s, "good", .each = note_view, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position))}, .serial = true,
              .user = &t);
    assert_status(shoal_world_step(s.world, 1), SHOAL_VALUE_REFUSED);
    assert_message_has(s.world, "bad");
    assert_count(t.rows, 20000);
    assert_count(steps_stats(bad).failures, 1);
    steps_end(&s);
}

/* ---- structural change in systems ---- */

static shoal_status refuse_direct(const shoal_run *run) {
    shoal_status *seen = run->user;
    seen[0] = shoal_entity_is_null(shoal_spawn(run->world, NULL, 0)) ? shoal_last_error(run->world).status : SHOAL_OK;
    seen[1] = shoal_world_step(run->world, 1);
    seen[2] = shoal_system_remove(run->system);
    shoal_system *added = shoal_system_add(run->world, &(shoal_system_def){.name = "new", .once = steps_note});
    seen[3] = added == NULL ? shoal_last_error(run->world).status : SHOAL_OK;
    seen[4] = shoal_schedule_configure(run->world, NULL);
    seen[5] = shoal_phase_add(run->world, &(shoal_phase_def){.name = "new", .after = "update"});
    seen[6] = shoal_world_destroy(run->world);
    seen[7] = shoal_world_trim(run->world, 0, NULL);
    return SHOAL_OK;
}

static void test_direct_calls_are_refused(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_status seen[8] = {0};
    STEPS_ADD(&s, "direct", .once = refuse_direct, .user = seen);
    shoal_world_step(s.world, 1); /* a debug build reports them as well */
    for (size_t i = 0; i < 8; i++) {
        test_set_context("call %zu", i);
        assert_status(seen[i], SHOAL_WORLD_LOCKED);
    }
    test_set_context("%s", "");
    assert_count(shoal_world_entity_count(s.world), 0);
    assert_count(steps_schedule(&s).systems, 1);
    steps_end(&s);
}

static shoal_status change_all(const shoal_run *run, shoal_view *view) {
    for (size_t i = 0; i < view->count; i++) {
        shoal_status status = SHOAL_COMMANDS_ADD(run->commands, view->entities[i], Letter, 1);
        if (status == SHOAL_OK) {
            shoal_commands_spawn(run->commands, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
        }
        if (status != SHOAL_OK) {
            return status;
        }
    }
    return SHOAL_OK;
}

static void conf_B1_changes_of_a_system_come_after_it(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    steps_spawn(s.world, 100, NULL, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    shoal_system *system = STEPS_ADD(&s, "change", .each = change_all,
                                     .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))}, .commands = true);
    steps_go(&s, 1);
    assert_count(steps_stats(system).last_rows, 100);
    assert_count(shoal_world_entity_count(s.world), 200);
    assert_count(steps_stats(system).commands, 200);
    steps_go(&s, 1);
    assert_count(steps_stats(system).last_rows, 200);
    assert_count(shoal_world_entity_count(s.world), 400);
    steps_end(&s);
}

typedef struct seen_rows {
    _Atomic uint32_t visits[4096];
    _Atomic uint32_t changed;
} seen_rows;

static shoal_status destroy_all(const shoal_run *run, shoal_view *view) {
    seen_rows *seen = run->user;
    for (size_t i = 0; i < view->count; i++) {
        shoal_entity entity = view->entities[i];
        atomic_fetch_add(&seen->visits[shoal_entity_index(entity)], 1);
        shoal_status status = i % 2 == 0 ? shoal_commands_destroy_entity(run->commands, entity)
                                         : shoal_commands_remove(run->commands, entity, SHOAL_ID(Health));
        if (status != SHOAL_OK) {
            return status;
        }
        if (!shoal_entity_equal(entity, view->entities[i])) {
            atomic_fetch_add(&seen->changed, 1);
        }
    }
    return SHOAL_OK;
}

static void conf_B5_each_row_once(void **state) {
    (void)state;
    static seen_rows seen;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        memset(&seen, 0, sizeof seen);
        steps s;
        steps_start(&s, &(shoal_schedule_def){.worker_count = workers});
        steps_spawn(s.world, 4096, NULL, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
        STEPS_ADD(&s, "destroy", .each = destroy_all, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))},
                  .commands = true, .user = &seen);
        steps_go(&s, 2);
        for (size_t i = 0; i < 4096; i++) {
            assert_count(atomic_load(&seen.visits[i]), 1);
        }
        assert_count(atomic_load(&seen.changed), 0);
        steps_end(&s);
    }
}

static void test_null_pointers(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *system = STEPS_ADD(&s, "a", .once = steps_note);
    shoal_system_stats stats;
    assert_status(shoal_system_stats_get(NULL, &stats), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_system_stats_get(system, NULL), SHOAL_INVALID_ARGUMENT);
    assert_null(shoal_system_add(NULL, &(shoal_system_def){.name = "b", .once = steps_note}));
    assert_null(shoal_system_add(s.world, NULL));
    assert_last_error(s.world, SHOAL_INVALID_ARGUMENT);
    assert_null(shoal_system_find(s.world, NULL));
    steps_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_and_find),
        cmocka_unit_test(test_name_is_one_of_a_kind),
        cmocka_unit_test(test_names_of_both_lengths),
        cmocka_unit_test(test_remove),
        cmocka_unit_test(test_added_and_removed_many_times),
        cmocka_unit_test(test_remove_waits_for_views),
        cmocka_unit_test(test_enable),
        cmocka_unit_test(test_enable_in_an_exclusive_system),
        cmocka_unit_test(test_run_of_once),
        cmocka_unit_test(test_run_of_each),
        cmocka_unit_test(test_terms_as_text),
        cmocka_unit_test(conf_F12_only_where_rows_match),
        cmocka_unit_test(conf_F12_not_after_removal),
        cmocka_unit_test(test_local_is_zero_and_stays),
        cmocka_unit_test(test_scratch_of_each_worker),
        cmocka_unit_test(test_large_local_and_scratch),
        cmocka_unit_test(test_condition),
        cmocka_unit_test(test_condition_is_asked_right_before),
        cmocka_unit_test(test_every_with_each_offset),
        cmocka_unit_test(test_every_step),
        cmocka_unit_test(test_fixed_rate),
        cmocka_unit_test(test_fixed_rate_drops_what_it_cannot_catch_up),
        cmocka_unit_test(test_fixed_rate_of_very_long_steps),
        cmocka_unit_test(test_first_of_several_runs_fails),
        cmocka_unit_test(test_fixed_rate_with_whole_nanoseconds),
        cmocka_unit_test(conf_I5_siblings_finish),
        cmocka_unit_test(conf_I5_first_of_the_schedule_is_named),
        cmocka_unit_test(conf_I5_each_that_fails),
        cmocka_unit_test(test_direct_calls_are_refused),
        cmocka_unit_test(conf_B1_changes_of_a_system_come_after_it),
        cmocka_unit_test(conf_B5_each_row_once),
        cmocka_unit_test(test_null_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
