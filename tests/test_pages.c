/*
 * Large blocks of the default allocator (src/base/pages.h): blocks do not overlap and are given again, and of the huge
 * regions that nobody uses a few stay mapped, the others do not.
 */
#define _GNU_SOURCE /* msync on memory that may not be mapped */

#include "base/pages.h"

#include "base/platform/platform.h"
#include "support/rng.h"
#include "support/test.h"

#include <string.h>
#include <sys/mman.h>

#define REGION_COUNT 9
#define BLOCK_COUNT 300

static bool is_mapped(void *block) {
    return msync(block, PLATFORM_PAGE_BYTES, MS_ASYNC) == 0;
}

static size_t count_mapped(void *const *blocks, size_t count) {
    size_t mapped = 0;
    for (size_t i = 0; i < count; i++) {
        mapped += is_mapped(blocks[i]);
    }
    return mapped;
}

static void test_some_regions_stay(void **state) {
    (void)state;
    void *small = pages_allocate(PAGES_SMALL_BYTES); /* what comes after it is cut out of regions */
    void *blocks[REGION_COUNT];
    for (size_t i = 0; i < REGION_COUNT; i++) {
        blocks[i] = pages_allocate(PLATFORM_HUGE_BYTES);
        assert_non_null(blocks[i]);
        assert_count((uintptr_t)blocks[i] % PLATFORM_HUGE_BYTES, 0);
    }
    for (size_t i = 0; i < REGION_COUNT; i++) {
        pages_release(blocks[i], PLATFORM_HUGE_BYTES);
    }
    pages_release(small, PAGES_SMALL_BYTES);
    assert_count(count_mapped(blocks, REGION_COUNT), PAGES_SPARE_REGIONS);
    /* A small process uses them as well, and gets no others. */
    void *again[PAGES_SPARE_REGIONS];
    for (size_t i = 0; i < PAGES_SPARE_REGIONS; i++) {
        again[i] = pages_allocate(PAGES_SMALL_BYTES / 2 / PAGES_SPARE_REGIONS);
        assert_non_null(again[i]);
    }
    assert_count(count_mapped(blocks, REGION_COUNT), PAGES_SPARE_REGIONS);
    for (size_t i = 0; i < PAGES_SPARE_REGIONS; i++) {
        pages_release(again[i], PAGES_SMALL_BYTES / 2 / PAGES_SPARE_REGIONS);
    }
    assert_count(count_mapped(blocks, REGION_COUNT), PAGES_SPARE_REGIONS);
}

static void test_blocks_do_not_overlap(void **state) {
    (void)state;
    rng random = {3};
    char *blocks[BLOCK_COUNT] = {NULL};
    size_t sizes[BLOCK_COUNT];
    for (size_t step = 0; step < 3000; step++) {
        size_t i = rng_below(&random, BLOCK_COUNT);
        if (blocks[i] != NULL) {
            assert_int_equal(blocks[i][0], (char)i); /* nobody else has written there */
            assert_int_equal(blocks[i][sizes[i] - 1], (char)(i + 1));
            pages_release(blocks[i], sizes[i]);
            blocks[i] = NULL;
            continue;
        }
        sizes[i] = (size_t)1024 * (1 + rng_below(&random, rng_below(&random, 8) == 0 ? 3000 : 100));
        blocks[i] = pages_allocate(sizes[i]);
        assert_non_null(blocks[i]);
        blocks[i][0] = (char)i;
        blocks[i][sizes[i] - 1] = (char)(i + 1);
    }
    for (size_t i = 0; i < BLOCK_COUNT; i++) {
        if (blocks[i] != NULL) {
            pages_release(blocks[i], sizes[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_some_regions_stay),
        cmocka_unit_test(test_blocks_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
