/*
 * The rows of systems on several threads: every row once, slices, order on one thread, jobs, conflicts that come up
 * with new archetypes, very many spawns. Conformance I6, I10, G2, D5. Pools are in test_schedule_pools.c.
 *
 * A program that waits for ever is ended by the time limit of its test. Systems check by counters and statuses, since a
 * failed check of cmocka leaves its function and may do so on the thread of the test alone.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/rng.h"
#include "support/steps.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const uint32_t worker_counts[] = {0, 1, 2, 3, 8};
#define WORKER_CASES (sizeof worker_counts / sizeof worker_counts[0])

/* ---- every row exactly once ---- */

static void test_every_row_once(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 4095, 4096, 4097, 50000};
    for (size_t w = 0; w < WORKER_CASES; w++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            steps s;
            steps_start_with(&s, worker_counts[w]);
            if (sizes[i] != 0) {
                steps_spawn(s.world, sizes[i], NULL, SHOAL_VALUES(SHOAL_VALUE(Health, 10)));
            }
            shoal_system *system =
                STEPS_ADD(&s, "count", .each = steps_count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
            steps_go(&s, 2);
            steps_check_health(s.world, 12, sizes[i]);
            assert_count(steps_stats(system).rows, 2 * sizes[i]);
            steps_end(&s);
        }
    }
    test_set_context("%s", "");
}

/* Archetypes by the bits of a number, with sizes that the number draws. */
static uint64_t spawn_mixed(shoal_world *world, uint32_t archetypes, uint32_t largest) {
    rng random = {archetypes};
    uint64_t total = 0;
    for (uint32_t number = 0; number < archetypes; number++) {
        shoal_value values[16] = {{SHOAL_ID(Health), NULL}};
        size_t count = 1;
        for (uint32_t bit = 0; bit < 13; bit++) {
            if ((number >> bit & 1) != 0) {
                values[count++].component = numbered_tag(bit);
            }
        }
        uint32_t rows = largest > 1 ? rng_below(&random, largest) : 1;
        if (rows != 0) {
            steps_spawn(world, rows, NULL, values, count);
        }
        total += rows;
    }
    return total;
}

static void test_every_row_once_of_many_archetypes(void **state) {
    (void)state;
    for (size_t w = 0; w < WORKER_CASES; w++) {
        steps s;
        steps_start_with(&s, worker_counts[w]);
        uint64_t rows = spawn_mixed(s.world, 200, 700);
        STEPS_ADD(&s, "count", .each = steps_count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
        STEPS_ADD(&s, "again", .each = steps_count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))},
                  .barrier = true);
        steps_go(&s, 2);
        steps_check_health(s.world, 4, rows);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

static shoal_status count_up_masked(const shoal_run *run, shoal_view *view) {
    (void)run;
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    SHOAL_ROWS(view, i) {
        health[i].value++;
    }
    return SHOAL_OK;
}

SHOAL_TAG(Awake, .toggle = true)

static void test_rows_that_are_off_are_left_out(void **state) {
    (void)state;
    for (size_t masked = 0; masked < 2; masked++) {
        for (size_t w = 0; w < WORKER_CASES; w++) {
            steps s;
            steps_start_with(&s, worker_counts[w]);
            enum { ROWS = 6000 };
            static shoal_entity entities[ROWS];
            steps_spawn(s.world, ROWS, entities, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Awake)));
            for (size_t i = 0; i < ROWS; i++) {
                turn(s.world, entities[i], SHOAL_ID(Awake), i % 3 != 0 && (i < 1000 || i > 3000));
            }
            STEPS_ADD(&s, "count", .each = masked != 0 ? count_up_masked : steps_count_up, .masked = masked != 0,
                      .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health), SHOAL_WITH(Awake))});
            steps_go(&s, 2);
            for (size_t i = 0; i < ROWS; i++) {
                assert_health(s.world, entities[i], i % 3 != 0 && (i < 1000 || i > 3000) ? 2 : 0);
            }
            steps_end(&s);
        }
    }
    test_set_context("%s", "");
}

/* ---- slices ---- */

static shoal_status write_own_handle(const shoal_run *run, shoal_view *view) {
    uint32_t block = *(const uint32_t *)run->user;
    Link *link = SHOAL_COLUMN_MUT(view, Link);
    Letter *letter = SHOAL_COLUMN_MUT(view, Letter);
    if (block != 0 && view->count > block) {
        return SHOAL_CORRUPT;
    }
    for (size_t i = 0; i < view->count; i++) {
        link[i].target = view->entities[i];
        letter[i].value++;
    }
    return SHOAL_OK;
}

static void conf_G2_slices_begin_at_their_own_rows(void **state) {
    (void)state;
    static uint32_t blocks[] = {0, 1, 64, 1024};
    for (size_t b = 0; b < 4; b++) {
        for (size_t w = 0; w < WORKER_CASES; w++) {
            steps s;
            steps_start_with(&s, worker_counts[w]);
            enum { ROWS = 20001 };
            static shoal_entity entities[ROWS];
            steps_spawn(s.world, ROWS, entities, SHOAL_VALUES(SHOAL_DEFAULT(Link), SHOAL_DEFAULT(Letter)));
            STEPS_ADD(&s, "own", .each = write_own_handle, .block_rows = blocks[b], .user = &blocks[b],
                      .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Link), SHOAL_WRITE(Letter))});
            steps_go(&s, 1);
            for (size_t i = 0; i < ROWS; i++) {
                assert_entity(SHOAL_GET(s.world, entities[i], Link)->target, entities[i]);
                assert_int_equal(SHOAL_GET(s.world, entities[i], Letter)->value, 1);
            }
            steps_end(&s);
        }
    }
    test_set_context("%s", "");
}

typedef struct serial_seen {
    pthread_t thread;
    size_t count;
    uint32_t last;
    bool wrong;
} serial_seen;

static shoal_status check_serial(const shoal_run *run, shoal_view *view) {
    serial_seen *seen = run->user;
    seen->wrong = seen->wrong || (seen->count != 0 && !pthread_equal(seen->thread, pthread_self()));
    seen->thread = pthread_self();
    for (size_t i = 0; i < view->count; i++) {
        uint32_t index = shoal_entity_index(view->entities[i]);
        seen->wrong = seen->wrong || (seen->count != 0 && index != seen->last + 1);
        seen->last = index;
        seen->count++;
    }
    return SHOAL_OK;
}

static void test_serial_goes_in_order_on_one_thread(void **state) {
    (void)state;
    steps s;
    steps_start_with(&s, 4);
    steps_spawn(s.world, 30000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    for (size_t i = 0; i < 10; i++) {
        serial_seen seen = {0};
        shoal_system *system = STEPS_ADD(&s, "serial", .each = check_serial, .serial = true, .user = &seen,
                                         .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))});
        steps_go(&s, 1);
        assert_count(seen.count, 30000);
        assert_false(seen.wrong);
        assert_ok(shoal_system_remove(system));
    }
    steps_end(&s);
}

static shoal_status check_thread(const shoal_run *run) {
    return pthread_equal(*(const pthread_t *)run->user, pthread_self()) && run->worker == 0 ? SHOAL_OK : SHOAL_CORRUPT;
}

static shoal_status check_thread_each(const shoal_run *run, shoal_view *view) {
    (void)view;
    return check_thread(run);
}

static void test_main_thread_rule(void **state) {
    (void)state;
    steps s;
    steps_start_with(&s, 4);
    pthread_t self = pthread_self();
    steps_spawn(s.world, 30000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    STEPS_ADD(&s, "once", .once = check_thread, .thread = SHOAL_THREAD_MAIN, .user = &self);
    STEPS_ADD(&s, "each", .each = check_thread_each, .thread = SHOAL_THREAD_MAIN, .user = &self,
              .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))});
    STEPS_ADD(&s, "exclusive", .once = check_thread, .exclusive = true, .user = &self);
    STEPS_ADD(&s, "busy", .each = steps_count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
    steps_go(&s, 30);
    steps_end(&s);
}

/* ---- rounds ---- */

/* A fixed rate that catches up: the jobs of the next run are dealt while workers still look for some of the last. */
static void conf_I4_a_system_that_runs_several_times_a_step(void **state) {
    (void)state;
    for (size_t w = 0; w < WORKER_CASES; w++) {
        steps s;
        steps_start_with(&s, worker_counts[w]);
        steps_spawn(s.world, 30000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
        shoal_system *system = STEPS_ADD(&s, "count", .each = steps_count_up, .period_ns = 1000, .catch_up = 100,
                                         .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
        for (size_t i = 0; i < 20; i++) {
            assert_ok(shoal_world_step(s.world, 100000));
        }
        assert_count(steps_stats(system).runs, 2000);
        steps_check_health(s.world, 2000, 30000);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

/* ---- I6: jobs ---- */

static void conf_I6_few_jobs_for_many_small_archetypes(void **state) {
    (void)state;
    steps s;
    steps_start_with(&s, 2);
    spawn_mixed(s.world, 5001, 1);
    steps_spawn(s.world, 20000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Velocity)));
    shoal_system *system =
        STEPS_ADD(&s, "count", .each = steps_count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
    steps_go(&s, 3);
    steps_check_health(s.world, 3, 25001);
    assert_count(steps_stats(system).last_rows, 25001);
    assert_at_most(steps_stats(system).last_jobs, 2 * 32);
    assert_true(steps_stats(system).last_jobs >= 1);
    steps_end(&s);
}

/* ---- D5: conflicts that come up later ---- */

static shoal_status times_three(const shoal_run *run, shoal_view *view) {
    (void)run;
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    for (size_t i = 0; i < view->count; i++) {
        health[i].value = (int32_t)((uint32_t)health[i].value * 3u);
    }
    return SHOAL_OK;
}

static void conf_D5_conflicts_of_new_archetypes_are_found(void **state) {
    (void)state;
    for (size_t w = 0; w < WORKER_CASES; w++) {
        steps s;
        steps_start_with(&s, worker_counts[w]);
        STEPS_ADD(&s, "plus", .each = steps_count_up,
                  .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health), SHOAL_WITH(Frozen))});
        STEPS_ADD(&s, "times", .each = times_three,
                  .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health), SHOAL_WITH(Selected))});
        steps_spawn(s.world, 20000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Frozen)));
        steps_spawn(s.world, 20000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Selected)));
        steps_go(&s, 2);
        enum { ROWS = 20000 };
        static shoal_entity both[ROWS];
        steps_spawn(s.world, ROWS, both,
                    SHOAL_VALUES(SHOAL_VALUE(Health, 1), SHOAL_DEFAULT(Frozen), SHOAL_DEFAULT(Selected)));
        steps_go(&s, 3);
        for (size_t i = 0; i < ROWS; i++) {
            assert_health(s.world, both[i], (((1 + 1) * 3 + 1) * 3 + 1) * 3);
        }
        steps_end(&s);
    }
    test_set_context("%s", "");
}

/* ---- I10: many spawns ---- */

#if defined(UNDER_ASAN)
enum { SPAWNERS = 100, SPAWNS = 1000 };
#else
enum { SPAWNERS = 1000, SPAWNS = 1000 };
#endif

static shoal_status spawn_thousand(const shoal_run *run, shoal_view *view) {
    for (size_t i = 0; i < view->count * SPAWNS; i++) {
        if (shoal_entity_is_null(shoal_commands_spawn(run->commands, SHOAL_VALUES(SHOAL_VALUE(Gauge, 1))))) {
            return SHOAL_OUT_OF_MEMORY;
        }
    }
    return SHOAL_OK;
}

static void conf_I10_a_million_spawns_on_16_threads(void **state) {
    (void)state;
    steps s;
    steps_start_with(&s, 16);
    for (size_t i = 0; i < SPAWNERS; i++) {
        spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
    }
    STEPS_ADD(&s, "spawn", .each = spawn_thousand, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))},
              .commands = true, .block_rows = 1);
    steps_go(&s, 1);
    assert_count(shoal_world_entity_count(s.world), SPAWNERS + (uint64_t)SPAWNERS * SPAWNS);
    shoal_query *made = make_query(s.world, SHOAL_TERMS(SHOAL_READ(Gauge)));
    assert_count(shoal_query_count(made), (uint64_t)SPAWNERS * SPAWNS);
    assert_count(shoal_query_archetype_count(made), 1);
    steps_end(&s);
}

/* ---- random worlds and schedules ---- */

static void test_random_schedules_stay_valid(void **state) {
    (void)state;
    uint64_t seed = test_environment("SHOAL_SEED", 5);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t round = 0; round < test_environment("SHOAL_ROUNDS", 6); round++) {
        test_set_context("seed %llu, round %llu", (unsigned long long)seed, (unsigned long long)round);
        rng random = {seed * 7919 + round};
        steps s;
        steps_start(
            &s, &(shoal_schedule_def){.worker_count = 1 + rng_below(&random, 8), .no_fusion = rng_chance(&random, 30)});
        uint64_t rows = spawn_mixed(s.world, 1 + rng_below(&random, 300), 2 + rng_below(&random, 300));
        int32_t expected = 0;
        size_t systems = 1 + rng_below(&random, 8);
        for (size_t i = 0; i < systems; i++) {
            char name[16];
            snprintf(name, sizeof name, "s%zu", i);
            STEPS_ADD(&s, name, .each = steps_count_up, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))},
                      .serial = rng_chance(&random, 20), .barrier = rng_chance(&random, 20),
                      .block_rows = rng_chance(&random, 30) ? 1u << rng_below(&random, 10) : 0);
        }
        for (size_t step = 0; step < 4; step++) {
            steps_go(&s, 1);
            expected += (int32_t)systems;
        }
        steps_check_health(s.world, expected, rows);
        steps_end(&s);
    }
    test_set_context("%s", "");
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_once),
        cmocka_unit_test(test_every_row_once_of_many_archetypes),
        cmocka_unit_test(test_rows_that_are_off_are_left_out),
        cmocka_unit_test(conf_G2_slices_begin_at_their_own_rows),
        cmocka_unit_test(test_serial_goes_in_order_on_one_thread),
        cmocka_unit_test(test_main_thread_rule),
        cmocka_unit_test(conf_I4_a_system_that_runs_several_times_a_step),
        cmocka_unit_test(conf_I6_few_jobs_for_many_small_archetypes),
        cmocka_unit_test(conf_D5_conflicts_of_new_archetypes_are_found),
        cmocka_unit_test(conf_I10_a_million_spawns_on_16_threads),
        cmocka_unit_test(test_random_schedules_stay_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
