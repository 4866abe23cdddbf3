/*
 * In which order systems run: phases, before, after, chains, missing names, cycles, conflicts and the report of those
 * that nothing orders, shuffled orders, when the schedule is built, how it prints. Conformance I1, I2, D5.
 *
 * Systems here run alone, so that the list of what ran is the order.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/rng.h"
#include "support/steps.h"

#include <stdio.h>
#include <string.h>

static shoal_status each_nothing(const shoal_run *run, shoal_view *view) {
    (void)view;
    return steps_note(run);
}

/* Adds a system that notes its name. */
#define ADD(s, name_, ...) STEPS_ADD(s, name_, .once = steps_note, __VA_ARGS__)
/* The same with lookups. */
#define ADD_USING(s, name_, ...) ADD(s, name_, .lookups = SHOAL_TERMS(__VA_ARGS__))

/* ---- phases ---- */

static void test_phases_in_order(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "out", .phase = "output");
    ADD(&s, "post", .phase = "post-update");
    ADD(&s, "up", .phase = "update");
    ADD(&s, "plain", .phase = NULL);
    ADD(&s, "pre", .phase = "pre-update");
    ADD(&s, "in", .phase = "input");
    steps_go(&s, 1);
    assert_ran(&s, "in pre up plain post out ");
    steps_end(&s);
}

static void test_phases_of_the_user(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    assert_ok(shoal_phase_add(s.world, &(shoal_phase_def){.name = "physics", .after = "update"}));
    assert_ok(shoal_phase_add(s.world, &(shoal_phase_def){.name = "collide", .before = "physics"}));
    assert_ok(shoal_phase_add(s.world, &(shoal_phase_def){.name = "first", .before = "input"}));
    assert_ok(shoal_phase_add(s.world, &(shoal_phase_def){.name = "last", .after = "output"}));
    assert_ok(shoal_phase_add(s.world, &(shoal_phase_def){.name = "close", .after = "update"}));
    ADD(&s, "6", .phase = "post-update");
    ADD(&s, "5", .phase = "physics");
    ADD(&s, "7", .phase = "last");
    ADD(&s, "4", .phase = "collide");
    ADD(&s, "3", .phase = "close");
    ADD(&s, "2", .phase = "update");
    ADD(&s, "1", .phase = "first");
    steps_go(&s, 1);
    assert_ran(&s, "1 2 3 4 5 6 7 ");
    steps_end(&s);
}

static void test_phase_that_is_not_there(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *system =
        shoal_system_add(s.world, &(shoal_system_def){.name = "lost", .once = steps_note, .phase = "nowhere"});
    if (system != NULL) {
        assert_status(shoal_schedule_build(s.world), SHOAL_SYSTEM_MISSING);
    }
    assert_last_error(s.world, SHOAL_SYSTEM_MISSING);
    assert_message_has(s.world, "nowhere");
    assert_message_has(s.world, "lost");
    steps_end(&s);
}

/* ---- before, after, chain ---- */

static void test_registration_orders_what_nothing_else_does(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    static const char *const names[] = {"d", "a", "c", "b", "e"};
    for (size_t i = 0; i < 5; i++) {
        ADD_USING(&s, names[i], SHOAL_WRITE(Position));
    }
    steps_go(&s, 1);
    assert_ran(&s, "d a c b e ");
    steps_end(&s);
}

static void test_before_and_after(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "c", .after = SHOAL_NAMES("a", "b"));
    ADD(&s, "b", .before = SHOAL_NAMES("d"));
    ADD(&s, "d", .after = SHOAL_NAMES("c"));
    ADD(&s, "a", .before = SHOAL_NAMES("b", "d"));
    steps_go(&s, 1);
    assert_ran(&s, "a b c d ");
    steps_end(&s);
}

static void test_after_unsynced_orders(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "c", .after_unsynced = SHOAL_NAMES("b"));
    ADD(&s, "b", .after_unsynced = SHOAL_NAMES("a"));
    ADD(&s, "a", .user = &s);
    steps_go(&s, 1);
    assert_ran(&s, "a b c ");
    steps_end(&s);
}

static void test_chains(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "x1", .chain = "x");
    ADD(&s, "y1", .chain = "y", .after = SHOAL_NAMES("x3"));
    ADD(&s, "x2", .chain = "x");
    ADD(&s, "y2", .chain = "y");
    ADD(&s, "x3", .chain = "x");
    steps_go(&s, 1);
    assert_ran(&s, "x1 x2 x3 y1 y2 ");
    steps_end(&s);
}

static void test_chain_loses_its_middle(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "c", .chain = "x", .before = SHOAL_NAMES("b"));
    shoal_system *middle = ADD(&s, "b", .chain = "x");
    ADD(&s, "a", .chain = "x");
    steps_go(&s, 1);
    assert_ran(&s, "c b a ");
    assert_ok(shoal_system_remove(middle));
    assert_status(shoal_world_step(s.world, 1), SHOAL_SYSTEM_MISSING); /* `before` of c */
    ADD(&s, "b", .after = SHOAL_NAMES("a"));
    steps_go(&s, 1);
    assert_ran(&s, "c a b ");
    steps_end(&s);
}

static void test_declared_order_beats_registration(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD_USING(&s, "late", SHOAL_WRITE(Position));
    ADD(&s, "early", .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .before = SHOAL_NAMES("late"));
    steps_go(&s, 1);
    assert_ran(&s, "early late ");
    steps_end(&s);
}

static void test_disabled_systems_still_order(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "c", .after = SHOAL_NAMES("b"));
    shoal_system *b = ADD(&s, "b", .after = SHOAL_NAMES("a"));
    ADD(&s, "a", .user = &s);
    assert_ok(shoal_system_enable(b, false));
    steps_go(&s, 1);
    assert_ran(&s, "a c ");
    steps_end(&s);
}

/* ---- errors ---- */

static void test_missing_names(void **state) {
    (void)state;
    for (size_t kind = 0; kind < 3; kind++) {
        static const char *const nobody[] = {"nobody"};
        steps s;
        steps_start(&s, NULL);
        STEPS_ADD(&s, "somebody", .once = steps_note, .before = nobody, .before_count = kind == 0, .after = nobody,
                  .after_count = kind == 1, .after_unsynced = nobody, .after_unsynced_count = kind == 2);
        assert_status(shoal_schedule_build(s.world), SHOAL_SYSTEM_MISSING);
        assert_message_has(s.world, "somebody");
        assert_message_has(s.world, "nobody");
        assert_status(shoal_world_step(s.world, 1), SHOAL_SYSTEM_MISSING);
        assert_count(shoal_world_tick(s.world), 1);
        assert_ran(&s, "");
        ADD(&s, "nobody", .user = &s);
        steps_go(&s, 1);
        assert_ran(&s, kind == 0 ? "somebody nobody " : "nobody somebody ");
        steps_end(&s);
    }
}

static void test_names_of_another_phase_are_missing(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "a", .phase = "input");
    ADD(&s, "b", .phase = "output", .after = SHOAL_NAMES("a"));
    assert_status(shoal_schedule_build(s.world), SHOAL_SYSTEM_MISSING);
    assert_message_has(s.world, "b");
    steps_end(&s);
}

static void test_cycle_of_two(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "alpha", .after = SHOAL_NAMES("omega"));
    ADD(&s, "omega", .after = SHOAL_NAMES("alpha"));
    assert_status(shoal_schedule_build(s.world), SHOAL_SYSTEM_CYCLE);
    assert_message_has(s.world, "alpha");
    assert_message_has(s.world, "omega");
    assert_status(shoal_world_step(s.world, 1), SHOAL_SYSTEM_CYCLE);
    assert_ran(&s, "");
    assert_ok(shoal_system_remove(shoal_system_find(s.world, "omega")));
    ADD(&s, "omega", .user = &s);
    steps_go(&s, 1);
    assert_ran(&s, "omega alpha ");
    steps_end(&s);
}

static void test_cycle_names_the_way(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "outside", .before = SHOAL_NAMES("one"));
    ADD(&s, "one", .before = SHOAL_NAMES("two"));
    ADD(&s, "two", .before = SHOAL_NAMES("three"));
    ADD(&s, "three", .before = SHOAL_NAMES("four"));
    ADD(&s, "four", .before = SHOAL_NAMES("one"));
    ADD(&s, "behind", .after = SHOAL_NAMES("four"));
    assert_status(shoal_schedule_build(s.world), SHOAL_SYSTEM_CYCLE);
    const char *message = shoal_last_error(s.world).message;
    /* In the order of the way, wherever it begins. */
    const char *places[4] = {strstr(message, "one"), strstr(message, "two"), strstr(message, "three"),
                             strstr(message, "four")};
    size_t falls = 0;
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(places[i]);
        falls += places[(i + 1) % 4] < places[i];
    }
    assert_count(falls, 1);
    assert_null(strstr(message, "outside"));
    assert_null(strstr(message, "behind"));
    steps_end(&s);
}

static void test_system_after_itself(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *system = shoal_system_add(
        s.world, &(shoal_system_def){.name = "self", .once = steps_note, .after = SHOAL_NAMES("self")});
    shoal_status expected = system == NULL ? SHOAL_SYSTEM_INVALID : SHOAL_SYSTEM_CYCLE;
    if (system != NULL) {
        assert_status(shoal_schedule_build(s.world), SHOAL_SYSTEM_CYCLE);
    }
    assert_last_error(s.world, expected);
    assert_message_has(s.world, "self");
    steps_end(&s);
}

/* ---- when it is built ---- */

static void conf_I2_built_only_when_something_changed(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *a = ADD(&s, "a", .commands = true);
    ADD(&s, "b", .after = SHOAL_NAMES("a"));
    steps_go(&s, 1);
    uint64_t builds = steps_schedule(&s).builds;
    assert_true(builds >= 1);
    steps_go(&s, 5);
    assert_ok(shoal_schedule_build(s.world));
    assert_count(steps_schedule(&s).builds, builds);
    shoal_system *c = ADD(&s, "c", .user = &s);
    assert_count(steps_schedule(&s).builds, builds);
    steps_go(&s, 2);
    assert_count(steps_schedule(&s).builds, builds + 1);
    assert_ok(shoal_system_remove(c));
    steps_go(&s, 2);
    assert_count(steps_schedule(&s).builds, builds + 2);
    assert_ok(shoal_system_enable(a, false));
    steps_go(&s, 1);
    assert_count(steps_schedule(&s).builds, builds + 2);
    assert_count(steps_schedule(&s).steps, 11);
    assert_count(steps_schedule(&s).systems, 2);
    steps_end(&s);
}

static void test_stats_before_the_first_step(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "a", .user = &s);
    assert_count(steps_schedule(&s).builds, 0);
    assert_count(steps_schedule(&s).systems, 1);
    assert_ok(shoal_schedule_build(s.world));
    assert_count(steps_schedule(&s).builds, 1);
    assert_count(steps_schedule(&s).tasks, 1);
    assert_count(steps_schedule(&s).steps, 0);
    assert_status(shoal_schedule_stats_get(s.world, NULL), SHOAL_INVALID_ARGUMENT);
    steps_end(&s);
}

static void test_step_of_nothing(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    steps_go(&s, 3);
    assert_count(shoal_world_tick(s.world), 4);
    assert_count(steps_schedule(&s).steps, 3);
    steps_end(&s);
}

/* ---- ambiguities ---- */

typedef struct pairs {
    text_buffer text;
    size_t acknowledged;
    size_t archetypes;
    size_t components;
} pairs;

static void note_pair(void *user, const shoal_ambiguity *pair) {
    pairs *p = user;
    text_add(&p->text, "%s/%s ", pair->first, pair->second);
    p->acknowledged += pair->acknowledged;
    p->archetypes += pair->archetype_count;
    p->components += pair->component_count;
}

static void check_pairs(steps *s, const char *expected, pairs *p) {
    text_free(&p->text);
    *p = (pairs){0};
    assert_ok(shoal_schedule_ambiguities(s->world, note_pair, p));
    assert_string_equal(p->text.text != NULL ? p->text.text : "", expected);
    text_free(&p->text);
}

static void conf_I2_pairs_are_grouped(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    pairs p = {0};
    ADD_USING(&s, "a", SHOAL_WRITE(Position), SHOAL_WRITE(Velocity));
    ADD_USING(&s, "b", SHOAL_READ(Position));
    ADD_USING(&s, "c", SHOAL_READ(Position), SHOAL_READ(Velocity));
    ADD_USING(&s, "d", SHOAL_WRITE(Position));
    check_pairs(&s, "a/b a/c a/d b/d c/d ", &p);
    assert_count(p.acknowledged, 0);
    assert_count(p.components, 6);
    assert_count(steps_schedule(&s).ambiguities, 5);
    steps_end(&s);
}

static void conf_I2_pairs_that_are_ordered_or_in_other_phases(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    pairs p = {0};
    ADD_USING(&s, "a", SHOAL_WRITE(Position));
    ADD(&s, "b", .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .after = SHOAL_NAMES("a"));
    ADD(&s, "c", .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .after_unsynced = SHOAL_NAMES("b"));
    ADD(&s, "d", .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .phase = "output");
    ADD_USING(&s, "e", SHOAL_READ(Velocity));
    ADD_USING(&s, "f", SHOAL_READ(Velocity));
    check_pairs(&s, "", &p); /* a comes before c by way of b */
    steps_end(&s);
}

static void conf_I2_each_pair_can_be_acknowledged(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    pairs p = {0};
    ADD_USING(&s, "a", SHOAL_WRITE(Position));
    ADD(&s, "b", .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)), .acknowledge = SHOAL_NAMES("a"));
    ADD_USING(&s, "c", SHOAL_WRITE(Position));
    check_pairs(&s, "a/b a/c b/c ", &p);
    assert_count(p.acknowledged, 1);
    assert_count(steps_schedule(&s).ambiguities, 2);
    steps_go(&s, 1);
    assert_ran(&s, "a b c ");
    steps_end(&s);
}

static bool always_true(const shoal_run *run) {
    (void)run;
    return true;
}

static void conf_I1_condition_reads_conflict(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    pairs p = {0};
    shoal_term reads[] = {SHOAL_READ(Health)};
    STEPS_ADD(&s, "gated", .once = steps_note, .lookups = SHOAL_TERMS(SHOAL_READ(Velocity)));
    ADD_USING(&s, "writer", SHOAL_WRITE(Health));
    check_pairs(&s, "", &p);
    STEPS_ADD(&s, "asking", .once = steps_note, .condition = always_true, .condition_reads = reads,
              .condition_read_count = 1);
    check_pairs(&s, "writer/asking ", &p);
    steps_end(&s);
}

static void conf_I2_log(void **state) {
    (void)state;
    static const shoal_report_rule rules[] = {SHOAL_REPORT_ON, SHOAL_REPORT_OFF, SHOAL_REPORT_DEFAULT};
    for (size_t i = 0; i < 3; i++) {
        steps s;
        steps_start(&s, &(shoal_schedule_def){.alone = true, .ambiguities = rules[i]});
        ADD_USING(&s, "first_of_pair", SHOAL_WRITE(Position));
        ADD_USING(&s, "second_of_pair", SHOAL_WRITE(Position));
        steps_go(&s, 1);
        bool expected = rules[i] == SHOAL_REPORT_ON;
#if defined(SHOAL_DEBUG) && SHOAL_DEBUG >= 1
        expected = expected || rules[i] == SHOAL_REPORT_DEFAULT;
#endif
        assert_count(steps_logged(&s, "first_of_pair"), expected);
        assert_count(steps_logged(&s, "second_of_pair"), expected);
        assert_count(steps_logged(&s, "Position"), expected);
        steps_forget_log(&s);
        steps_go(&s, 2);
        assert_false(steps_logged(&s, "first_of_pair"));
        steps_end(&s);
    }
}

#define EACH(s, name_, ...) STEPS_ADD(s, name_, .each = each_nothing, .query = {.terms = SHOAL_TERMS(__VA_ARGS__)})

static void test_disjoint_filters_do_not_conflict(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    pairs p = {0};
    EACH(&s, "with", SHOAL_WRITE(Position), SHOAL_WITH(Frozen));
    EACH(&s, "without", SHOAL_WRITE(Position), SHOAL_WITHOUT(Frozen));
    EACH(&s, "both", SHOAL_WRITE(Position), SHOAL_READ(Health), SHOAL_WITHOUT(Frozen), SHOAL_WITHOUT(Velocity));
    check_pairs(&s, "without/both ", &p);
    steps_end(&s);
}

static void test_lookups_conflict_whatever_the_filters(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    pairs p = {0};
    EACH(&s, "with", SHOAL_WRITE(Position), SHOAL_WITH(Frozen));
    STEPS_ADD(&s, "looks", .each = each_nothing,
              .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health), SHOAL_WITHOUT(Frozen))},
              .lookups = SHOAL_TERMS(SHOAL_READ(Position)));
    check_pairs(&s, "with/looks ", &p);
    steps_end(&s);
}

static void conf_D5_archetypes_that_come_later(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    pairs p = {0};
    EACH(&s, "a", SHOAL_WRITE(Position), SHOAL_WITH(Frozen));
    EACH(&s, "b", SHOAL_WRITE(Position), SHOAL_WITH(Selected));
    steps_spawn(s.world, 2, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Frozen)));
    steps_spawn(s.world, 2, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Selected)));
    steps_go(&s, 1);
    check_pairs(&s, "a/b ", &p);
    assert_count(p.archetypes, 0);
    steps_spawn(s.world, 2, NULL,
                SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Frozen), SHOAL_DEFAULT(Selected)));
    steps_go(&s, 1);
    check_pairs(&s, "a/b ", &p);
    assert_count(p.archetypes, 1);
    steps_end(&s);
}

/* ---- shuffled orders ---- */

static void add_many(steps *s) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (size_t i = 0; i < 8; i++) {
        ADD(s, names[i], .user = s);
    }
    ADD(s, "z", .after = SHOAL_NAMES("a", "h"));
    ADD_USING(s, "p", SHOAL_WRITE(Position));
    ADD_USING(s, "q", SHOAL_WRITE(Position));
}

/* One step with the seed; gives the order, to be freed. */
static text_buffer order_of(uint64_t seed, bool conflicts) {
    steps s;
    steps_start(&s, &(shoal_schedule_def){.alone = true, .shuffle_seed = seed, .shuffle_conflicts = conflicts});
    add_many(&s);
    steps_go(&s, 1);
    text_buffer order = s.order;
    s.order = (text_buffer){0};
    assert_count(order.length, 22);
    steps_end(&s);
    return order;
}

static void conf_I2_shuffle_keeps_what_is_declared(void **state) {
    (void)state;
    text_buffer plain = order_of(0, false);
    assert_string_equal(plain.text, "a b c d e f g h z p q ");
    size_t others = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        test_set_context("seed %u", (unsigned)seed);
        text_buffer order = order_of(seed, false);
        text_buffer again = order_of(seed, false);
        assert_string_equal(order.text, again.text);
        assert_true(strchr(order.text, 'a') < strchr(order.text, 'z'));
        assert_true(strchr(order.text, 'h') < strchr(order.text, 'z'));
        assert_true(strchr(order.text, 'p') < strchr(order.text, 'q'));
        others += strcmp(order.text, plain.text) != 0;
        text_free(&order);
        text_free(&again);
    }
    test_set_context("%s", "");
    assert_true(others >= 25);
    text_free(&plain);
}

static void conf_I2_shuffled_conflicts(void **state) {
    (void)state;
    size_t turned = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        text_buffer order = order_of(seed, true);
        assert_true(strchr(order.text, 'a') < strchr(order.text, 'z'));
        turned += strchr(order.text, 'q') < strchr(order.text, 'p');
        text_free(&order);
    }
    assert_true(turned > 0 && turned < 40);
}

static void conf_I2_same_registration_same_order(void **state) {
    (void)state;
    uint64_t seed = test_environment("SHOAL_SEED", 1);
    for (uint64_t round = 0; round < 10; round++) {
        test_set_context("seed %llu, round %llu", (unsigned long long)seed, (unsigned long long)round);
        text_buffer orders[2] = {{0}};
        for (size_t repeat = 0; repeat < 2; repeat++) {
            rng random = {seed * 1000 + round};
            steps s;
            steps_start(&s, NULL);
            char names[20][8];
            for (uint32_t i = 0; i < 20; i++) {
                snprintf(names[i], sizeof names[i], "s%u", i);
                const char *after[1] = {i != 0 ? names[rng_below(&random, i)] : NULL};
                shoal_term uses[1] = {{.component = rng_chance(&random, 50) ? SHOAL_ID(Position) : SHOAL_ID(Health),
                                       .access = rng_chance(&random, 50) ? SHOAL_ACCESS_READ : SHOAL_ACCESS_WRITE}};
                ADD(&s, names[i], .after = after, .after_count = i != 0 && rng_chance(&random, 30), .lookups = uses,
                    .lookup_count = 1);
            }
            steps_go(&s, 1);
            orders[repeat] = s.order;
            s.order = (text_buffer){0};
            steps_end(&s);
        }
        assert_string_equal(orders[0].text, orders[1].text);
        text_free(&orders[0]);
        text_free(&orders[1]);
    }
    test_set_context("%s", "");
}

/* ---- printing ---- */

static void test_print(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    EACH(&s, "mover", SHOAL_WRITE(Position), SHOAL_READ(Velocity));
    ADD(&s, "spawner", .commands = true, .before = SHOAL_NAMES("reader"));
    ADD_USING(&s, "reader", SHOAL_READ(Position));
    static const shoal_schedule_format formats[] = {SHOAL_SCHEDULE_TEXT, SHOAL_SCHEDULE_DOT, SHOAL_SCHEDULE_JSON};
    for (size_t i = 0; i < 3; i++) {
        test_set_context("format %zu", i);
        text_buffer first = {0};
        text_buffer second = {0};
        assert_ok(shoal_schedule_print(s.world, formats[i], steps_write, &first));
        assert_ok(shoal_schedule_print(s.world, formats[i], steps_write, &second));
        assert_string_equal(first.text, second.text);
        static const char *const parts[] = {"mover", "spawner", "reader", "update", "Position", "Velocity"};
        for (size_t k = 0; k < 6; k++) {
            assert_non_null(strstr(first.text, parts[k]));
        }
        text_free(&first);
        text_free(&second);
    }
    test_set_context("%s", "");
    text_buffer dot = {0};
    assert_ok(shoal_schedule_print(s.world, SHOAL_SCHEDULE_DOT, steps_write, &dot));
    assert_ptr_equal(strstr(dot.text, "digraph"), dot.text);
    text_free(&dot);
    steps_end(&s);
}

static size_t write_nothing(void *user, const char *text, size_t size) {
    (void)user;
    (void)text;
    (void)size;
    return 0;
}

static void test_print_errors(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    ADD(&s, "a", .user = &s);
    assert_status(shoal_schedule_print(s.world, SHOAL_SCHEDULE_TEXT, write_nothing, NULL), SHOAL_WRITE_FAILED);
    assert_status(shoal_schedule_table(s.world, write_nothing, NULL), SHOAL_WRITE_FAILED);
    assert_status(shoal_schedule_trace(s.world, write_nothing, NULL), SHOAL_WRITE_FAILED);
    ADD(&s, "b", .after = SHOAL_NAMES("missing"));
    assert_status(shoal_schedule_print(s.world, SHOAL_SCHEDULE_TEXT, write_nothing, NULL), SHOAL_SYSTEM_MISSING);
    steps_end(&s);
}

static void test_table_and_trace(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    EACH(&s, "mover", SHOAL_WRITE(Position));
    ADD(&s, "other \"one\"", .user = &s);
    steps_spawn(s.world, 10, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    steps_go(&s, 2);
    text_buffer table = {0};
    assert_ok(shoal_schedule_table(s.world, steps_write, &table));
    assert_non_null(strstr(table.text, "mover"));
    text_free(&table);
    text_buffer trace = {0};
    assert_ok(shoal_schedule_trace(s.world, steps_write, &trace));
    assert_non_null(strstr(trace.text, "mover"));
    assert_non_null(strstr(trace.text, "other \\\"one\\\""));
    text_free(&trace);
    steps_end(&s);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases_in_order),
        cmocka_unit_test(test_phases_of_the_user),
        cmocka_unit_test(test_phase_that_is_not_there),
        cmocka_unit_test(test_registration_orders_what_nothing_else_does),
        cmocka_unit_test(test_before_and_after),
        cmocka_unit_test(test_after_unsynced_orders),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_chain_loses_its_middle),
        cmocka_unit_test(test_declared_order_beats_registration),
        cmocka_unit_test(test_disabled_systems_still_order),
        cmocka_unit_test(test_missing_names),
        cmocka_unit_test(test_names_of_another_phase_are_missing),
        cmocka_unit_test(test_cycle_of_two),
        cmocka_unit_test(test_cycle_names_the_way),
        cmocka_unit_test(test_system_after_itself),
        cmocka_unit_test(conf_I2_built_only_when_something_changed),
        cmocka_unit_test(test_stats_before_the_first_step),
        cmocka_unit_test(test_step_of_nothing),
        cmocka_unit_test(conf_I2_pairs_are_grouped),
        cmocka_unit_test(conf_I2_pairs_that_are_ordered_or_in_other_phases),
        cmocka_unit_test(conf_I2_each_pair_can_be_acknowledged),
        cmocka_unit_test(conf_I1_condition_reads_conflict),
        cmocka_unit_test(conf_I2_log),
        cmocka_unit_test(test_disjoint_filters_do_not_conflict),
        cmocka_unit_test(test_lookups_conflict_whatever_the_filters),
        cmocka_unit_test(conf_D5_archetypes_that_come_later),
        cmocka_unit_test(conf_I2_shuffle_keeps_what_is_declared),
        cmocka_unit_test(conf_I2_shuffled_conflicts),
        cmocka_unit_test(conf_I2_same_registration_same_order),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_errors),
        cmocka_unit_test(test_table_and_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
