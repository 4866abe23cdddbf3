/*
 * Reductions: what the total is, that it has the same bits on any number of threads, fused or not, blocks, user-made
 * ones, who comes after it.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/rng.h"
#include "support/steps.h"

#include <float.h>
#include <string.h>

typedef struct Total {
    int64_t whole;
    double real;
    uint32_t count;
    float single;
} Total;

typedef Total Least;
typedef Total Most;

typedef struct Small {
    int8_t a;
    uint8_t b;
    int16_t c;
    uint16_t d;
    int32_t e;
    uint64_t f;
} Small;
typedef Small SmallMost;

typedef struct Chain {
    uint64_t hash;
    uint64_t rows;
} Chain;

typedef struct Measure {
    int64_t whole;
    double real;
} Measure;

#define TOTAL_FIELDS(Type)                                                                                             \
    SHOAL_FIELDS(SHOAL_FIELD(Type, whole), SHOAL_FIELD(Type, real), SHOAL_FIELD(Type, count), SHOAL_FIELD(Type, single))
#define SMALL_FIELDS(Type)                                                                                             \
    SHOAL_FIELDS(SHOAL_FIELD(Type, a), SHOAL_FIELD(Type, b), SHOAL_FIELD(Type, c), SHOAL_FIELD(Type, d),               \
                 SHOAL_FIELD(Type, e), SHOAL_FIELD(Type, f))

SHOAL_COMPONENT(Total, .storage = SHOAL_STORAGE_UNIQUE, .fields = TOTAL_FIELDS(Total))
SHOAL_COMPONENT(Least, .storage = SHOAL_STORAGE_UNIQUE, .fields = TOTAL_FIELDS(Least))
SHOAL_COMPONENT(Most, .storage = SHOAL_STORAGE_UNIQUE, .fields = TOTAL_FIELDS(Most))
SHOAL_COMPONENT(Small, .storage = SHOAL_STORAGE_UNIQUE, .fields = SMALL_FIELDS(Small))
SHOAL_COMPONENT(SmallMost, .storage = SHOAL_STORAGE_UNIQUE, .fields = SMALL_FIELDS(SmallMost))
SHOAL_COMPONENT(Chain, .storage = SHOAL_STORAGE_UNIQUE,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Chain, hash), SHOAL_FIELD(Chain, rows)))
SHOAL_COMPONENT(Measure, .fields = SHOAL_FIELDS(SHOAL_FIELD(Measure, whole), SHOAL_FIELD(Measure, real)))
SHOAL_TAG(Awake, .toggle = true)

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* Works into Total, Least and Most, reductions 0 to 2. */
static shoal_status work(const shoal_run *run, shoal_view *view) {
    const Measure *measure = SHOAL_COLUMN(view, Measure);
    Total *total = SHOAL_SUM(run, 0, Total);
    Least *least = SHOAL_SUM(run, 1, Least);
    Most *most = SHOAL_SUM(run, 2, Most);
    bool wrong = (uintptr_t)total % 16 != 0 || (uintptr_t)least % 16 != 0 || shoal_run_sum(run, 3) != NULL;
    if (wrong || view->count > 512) {
        return SHOAL_CORRUPT;
    }
    for (size_t i = 0; i < view->count; i++) {
        int64_t whole = measure[i].whole;
        double real = measure[i].real;
        total->whole += whole;
        total->real += real;
        total->single += (float)real;
        total->count++;
        least->whole = whole < least->whole ? whole : least->whole;
        least->real = smaller(least->real, real);
        most->whole = whole > most->whole ? whole : most->whole;
        most->real = larger(most->real, real);
    }
    return SHOAL_OK;
}

static shoal_system *add_work(steps *s) {
    return STEPS_ADD(s, "work", .each = work, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Measure))},
                     .reductions = SHOAL_REDUCTIONS(REDUCE(SUM, Total), REDUCE(MIN, Least), REDUCE(MAX, Most)));
}

/* Rows in four archetypes, with values that depend on the row alone. */
static void spawn_measures(shoal_world *world, size_t count) {
    rng random = {77};
    for (size_t i = 0; i < count; i++) {
        Measure measure = {(int64_t)(rng_next(&random) % 2001) - 1000,
                           ((double)rng_below(&random, 2000001) - 1e6) / 3 * (i % 7 == 0 ? 1e12 : 1)};
        shoal_value values[3] = {{SHOAL_ID(Measure), &measure},
                                 {i % 3 == 0 ? SHOAL_ID(Frozen) : SHOAL_ID(Letter), NULL},
                                 {SHOAL_ID(Health), NULL}};
        spawn_one(world, values, 1 + i % 3);
    }
}

static void test_totals(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    for (int i = 0; i < 1500; i++) {
        Measure measure = {i - 700, (double)i / 2 - 100};
        spawn_one(s.world, SHOAL_VALUES({SHOAL_ID(Measure), &measure}));
    }
    add_work(&s);
    steps_go(&s, 2);
    const Total *total = SHOAL_UNIQUE(s.world, Total);
    assert_int_equal(total->whole, 1500 * 1499 / 2 - 700 * 1500);
    assert_true(total->real == 1500.0 * 1499 / 4 - 100 * 1500);
    assert_count(total->count, 1500);
    const Least *least = SHOAL_UNIQUE(s.world, Least);
    const Most *most = SHOAL_UNIQUE(s.world, Most);
    assert_int_equal(least->whole, -700);
    assert_true(least->real == -100);
    assert_int_equal(most->whole, 799);
    assert_true(most->real == 649.5);
    steps_end(&s);
}

static void test_unique_is_made(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    assert_false(shoal_unique_has(s.world, SHOAL_ID(Total)));
    add_work(&s);
    assert_true(shoal_unique_has(s.world, SHOAL_ID(Total)));
    assert_true(shoal_unique_has(s.world, SHOAL_ID(Least)));
    steps_end(&s);
}

static void test_unique_that_is_there_stays(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    assert_ok(SHOAL_UNIQUE_SET(s.world, Total, .whole = 5));
    shoal_system *system = add_work(&s);
    assert_int_equal(SHOAL_UNIQUE(s.world, Total)->whole, 5);
    assert_ok(shoal_system_enable(system, false));
    steps_go(&s, 1);
    assert_int_equal(SHOAL_UNIQUE(s.world, Total)->whole, 5);
    assert_ok(shoal_system_enable(system, true));
    steps_go(&s, 1);
    assert_int_equal(SHOAL_UNIQUE(s.world, Total)->whole, 0);
    assert_count(shoal_unique_tick(s.world, SHOAL_ID(Total)), shoal_world_tick(s.world));
    steps_end(&s);
}

static void test_no_rows(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    add_work(&s);
    steps_go(&s, 1);
    assert_int_equal(SHOAL_UNIQUE(s.world, Total)->whole, 0);
    assert_true(SHOAL_UNIQUE(s.world, Total)->real == 0);
    assert_true(SHOAL_UNIQUE(s.world, Least)->whole == INT64_MAX);
    assert_true(SHOAL_UNIQUE(s.world, Most)->whole == INT64_MIN);
    assert_true(SHOAL_UNIQUE(s.world, Least)->real >= DBL_MAX);
    assert_true(SHOAL_UNIQUE(s.world, Most)->real <= -DBL_MAX);
    assert_true(SHOAL_UNIQUE(s.world, Least)->count == UINT32_MAX);
    assert_true(SHOAL_UNIQUE(s.world, Most)->count == 0);
    assert_true(SHOAL_UNIQUE(s.world, Least)->single >= FLT_MAX);
    steps_end(&s);
}

static shoal_status work_nothing(const shoal_run *run, shoal_view *view) {
    (void)view;
    return shoal_run_sum(run, 0) != NULL ? SHOAL_OK : SHOAL_CORRUPT;
}

static void test_small_numbers(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    spawn_measures(s.world, 10);
    STEPS_ADD(&s, "work", .each = work_nothing, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Measure))},
              .reductions = SHOAL_REDUCTIONS(REDUCE(MIN, Small), REDUCE(MAX, SmallMost)));
    steps_go(&s, 1);
    const Small *least = SHOAL_UNIQUE(s.world, Small);
    assert_true(least->a == INT8_MAX && least->b == UINT8_MAX && least->c == INT16_MAX);
    assert_true(least->d == UINT16_MAX && least->e == INT32_MAX && least->f == UINT64_MAX);
    const SmallMost *most = SHOAL_UNIQUE(s.world, SmallMost);
    assert_true(most->a == INT8_MIN && most->b == 0 && most->c == INT16_MIN);
    assert_true(most->d == 0 && most->e == INT32_MIN && most->f == 0);
    steps_end(&s);
}

/* ---- the same bits ---- */

typedef struct totals {
    double real;
    float single;
    int64_t whole;
    double least;
    double most;
} totals;

static totals totals_on(uint32_t workers, bool no_fusion, bool serial) {
    steps s;
    steps_start(&s, &(shoal_schedule_def){.worker_count = workers, .alone = workers == 0, .no_fusion = no_fusion});
    spawn_measures(s.world, 6000);
    shoal_system_def def = {.name = "work",
                            .each = work,
                            .query = {.terms = SHOAL_TERMS(SHOAL_READ(Measure))},
                            .serial = serial,
                            .reductions = SHOAL_REDUCTIONS(REDUCE(SUM, Total), REDUCE(MIN, Least), REDUCE(MAX, Most))};
    steps_add(&s, &def);
    steps_go(&s, 3);
    const Total *total = SHOAL_UNIQUE(s.world, Total);
    totals found = {total->real, total->single, total->whole, SHOAL_UNIQUE(s.world, Least)->real,
                    SHOAL_UNIQUE(s.world, Most)->real};
    steps_end(&s);
    return found;
}

static void assert_same_totals(totals a, totals b) {
    assert_memory_equal(&a.real, &b.real, sizeof a.real);
    assert_memory_equal(&a.single, &b.single, sizeof a.single);
    assert_int_equal(a.whole, b.whole);
    assert_memory_equal(&a.least, &b.least, sizeof a.least);
    assert_memory_equal(&a.most, &b.most, sizeof a.most);
}

static void test_same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    totals alone = totals_on(0, false, false);
    static const uint32_t workers[] = {1, 2, 3, 4, 8, 16};
    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i++) {
        test_set_context("%u workers", workers[i]);
        assert_same_totals(totals_on(workers[i], false, false), alone);
        assert_same_totals(totals_on(workers[i], true, false), alone);
    }
    test_set_context("%s", "");
    assert_same_totals(totals_on(2, false, true), alone);
}

/* ---- user-made ---- */

static void chain_begin(void *sum, void *user) {
    (void)user;
    *(Chain *)sum = (Chain){.hash = 1};
}

/* Not commutative: the order of merges shows. */
static void chain_merge(void *sum, const void *other, void *user) {
    (void)user;
    Chain *chain = sum;
    const Chain *next = other;
    chain->hash = chain->hash * 1000003 + next->hash;
    chain->rows += next->rows;
}

static shoal_status chain_rows(const shoal_run *run, shoal_view *view) {
    Chain *chain = SHOAL_SUM(run, 0, Chain);
    const Health *health = SHOAL_COLUMN(view, Health);
    if (chain->rows == 0 && chain->hash != 1) {
        return SHOAL_CORRUPT;
    }
    for (size_t i = 0; i < view->count; i++) {
        chain->hash = chain->hash * 31 + (uint64_t)health[i].value;
        chain->rows++;
    }
    return SHOAL_OK;
}

static Chain chain_on(uint32_t workers, uint32_t block_rows) {
    steps s;
    steps_start_with(&s, workers);
    for (int i = 0; i < 5000; i++) {
        spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
    }
    STEPS_ADD(&s, "chain", .each = chain_rows, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health))},
              .block_rows = block_rows,
              .reductions = SHOAL_REDUCTIONS({SHOAL_ID(Chain), SHOAL_REDUCE_USER, chain_begin, chain_merge}));
    steps_go(&s, 2);
    Chain chain = *SHOAL_UNIQUE(s.world, Chain);
    assert_count(chain.rows, 5000);
    steps_end(&s);
    return chain;
}

static void test_user_made_merges_in_order(void **state) {
    (void)state;
    static const uint32_t blocks[] = {0, 64, 512, 65536};
    for (size_t b = 0; b < 4; b++) {
        Chain alone = chain_on(0, blocks[b]);
        for (uint32_t workers = 1; workers <= 8; workers *= 2) {
            assert_true(chain_on(workers, blocks[b]).hash == alone.hash);
        }
    }
    assert_true(chain_on(0, 0).hash == chain_on(0, 512).hash);
    assert_true(chain_on(0, 64).hash != chain_on(0, 512).hash);
    test_set_context("%s", "");
}

/* ---- rows that are looked at ---- */

static void test_rows_that_are_off(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        steps s;
        steps_start(&s, &(shoal_schedule_def){.worker_count = workers});
        int64_t expected = 0;
        uint64_t count = 0;
        for (int i = 0; i < 3000; i++) {
            Measure measure = {i, 1};
            shoal_entity entity = spawn_one(s.world, SHOAL_VALUES({SHOAL_ID(Measure), &measure}, SHOAL_DEFAULT(Awake)));
            bool on = i % 5 != 0 && (i < 600 || i > 1700);
            turn(s.world, entity, SHOAL_ID(Awake), on);
            expected += on ? i : 0;
            count += on;
        }
        shoal_system *system =
            STEPS_ADD(&s, "work", .each = work, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Measure), SHOAL_WITH(Awake))},
                      .reductions = SHOAL_REDUCTIONS(REDUCE(SUM, Total), REDUCE(MIN, Least), REDUCE(MAX, Most)));
        steps_go(&s, 1);
        assert_int_equal(SHOAL_UNIQUE(s.world, Total)->whole, expected);
        assert_count(SHOAL_UNIQUE(s.world, Total)->count, count);
        assert_int_equal(SHOAL_UNIQUE(s.world, Least)->whole, 1);
        assert_count(steps_stats(system).rows, count);
        steps_end(&s);
    }
}

/* ---- what comes after ---- */

static shoal_status keep_total(const shoal_run *run) {
    *(int64_t *)run->user = SHOAL_UNIQUE(run->world, Total)->whole;
    return SHOAL_OK;
}

static void test_the_next_system_sees_the_total(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        steps s;
        steps_start(&s, &(shoal_schedule_def){.worker_count = workers});
        for (int i = 0; i < 4000; i++) {
            Measure measure = {1, 1};
            spawn_one(s.world, SHOAL_VALUES({SHOAL_ID(Measure), &measure}));
        }
        int64_t before = -1;
        int64_t after = -1;
        STEPS_ADD(&s, "before", .once = keep_total, .lookups = SHOAL_TERMS(SHOAL_READ(Total)), .user = &before);
        assert_ok(SHOAL_UNIQUE_SET(s.world, Total, .whole = 0));
        add_work(&s);
        STEPS_ADD(&s, "after", .once = keep_total, .lookups = SHOAL_TERMS(SHOAL_READ(Total)), .user = &after);
        steps_go(&s, 1);
        assert_int_equal(before, 0);
        assert_int_equal(after, 4000);
        steps_go(&s, 1);
        assert_int_equal(before, 4000);
        steps_end(&s);
    }
}

static shoal_status sum_outside(const shoal_run *run) {
    return shoal_run_sum(run, 0) == NULL ? SHOAL_OK : SHOAL_CORRUPT;
}

static void test_no_sum_outside_of_each(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    STEPS_ADD(&s, "once", .once = sum_outside);
    steps_go(&s, 1);
    steps_end(&s);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals),
        cmocka_unit_test(test_unique_is_made),
        cmocka_unit_test(test_unique_that_is_there_stays),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_small_numbers),
        cmocka_unit_test(test_same_bits_on_any_number_of_threads),
        cmocka_unit_test(test_user_made_merges_in_order),
        cmocka_unit_test(test_rows_that_are_off),
        cmocka_unit_test(test_the_next_system_sees_the_total),
        cmocka_unit_test(test_no_sum_outside_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
