/*
 * The golden world (golden_world.h) comes to one hash: alone and with 1 to 32 workers, fused and not, again and again.
 * The hash is a constant, so that other compilers and machines are held to it; scripts/check_golden runs some.
 */
#include "golden_world.h"
#include "support/test.h"

#include <inttypes.h>

#define REPEATS 3

/* The run of everything on one thread, one system after the other, to which the others are compared. */
static golden_result expected;

static golden_result run_with(uint32_t workers, bool fused) {
    golden_result result =
        golden_run(&(shoal_schedule_def){.worker_count = workers, .alone = workers == 0, .no_fusion = !fused});
    if (result.status != SHOAL_OK && result.status != SHOAL_UNSUPPORTED) {
        print_error("%s\n", result.message);
    }
    return result;
}

static void test_script_lives(void **state) {
    (void)state;
    expected = run_with(0, false);
    if (expected.status == SHOAL_UNSUPPORTED) {
        skip();
    }
    assert_ok(expected.status);
    print_message("golden hash %016" PRIx64 ", %" PRIu64 " entities, %" PRIu64 " births\n", expected.canonical,
                  expected.entities, expected.births);
    assert_count(expected.systems, GOLDEN_SYSTEMS);
    assert_count(expected.fused, 0);
    assert_true(expected.births > 1000);
    assert_true(expected.dropped > 100);
    assert_true(expected.entities > 500 && expected.entities < 20000);
}

static void check_workers(uint32_t workers) {
    if (expected.status == SHOAL_UNSUPPORTED) {
        skip();
    }
    for (size_t run = 0; run < (size_t)REPEATS * 2; run++) {
        bool fused = run % 2 == 0;
        test_set_context("%u workers, %s, repeat %zu", workers, fused ? "fused" : "not fused", run / 2);
        golden_result result = run_with(workers, fused);
        assert_ok(result.status);
        assert_count(result.entities, expected.entities);
        assert_count(result.canonical, expected.canonical);
        assert_count(result.layout, expected.layout);
        assert_count(result.fused != 0, fused);
        assert_count(result.shared_stages != 0, workers >= 2);
        assert_true(workers < 2 || result.jobs > expected.jobs);
    }
    test_set_context("%s", "");
}

static void test_alone(void **state) {
    (void)state;
    check_workers(0);
}

static void test_1_worker(void **state) {
    (void)state;
    check_workers(1);
}

static void test_2_workers(void **state) {
    (void)state;
    check_workers(2);
}

static void test_3_workers(void **state) {
    (void)state;
    check_workers(3);
}

static void test_4_workers(void **state) {
    (void)state;
    check_workers(4);
}

static void test_8_workers(void **state) {
    (void)state;
    check_workers(8);
}

static void test_16_workers(void **state) {
    (void)state;
    check_workers(16);
}

static void test_32_workers(void **state) {
    (void)state;
    check_workers(32);
}

static void test_constant(void **state) {
    (void)state;
    if (expected.status == SHOAL_UNSUPPORTED) {
        skip();
    }
    if (expected.canonical != GOLDEN_HASH) {
        print_error("the hash is %016" PRIx64 ", GOLDEN_HASH is %016" PRIx64 "\n", expected.canonical, GOLDEN_HASH);
    }
    assert_true(expected.canonical == GOLDEN_HASH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_script_lives), cmocka_unit_test(test_alone),      cmocka_unit_test(test_1_worker),
        cmocka_unit_test(test_2_workers),    cmocka_unit_test(test_3_workers),  cmocka_unit_test(test_4_workers),
        cmocka_unit_test(test_8_workers),    cmocka_unit_test(test_16_workers), cmocka_unit_test(test_32_workers),
        cmocka_unit_test(test_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
