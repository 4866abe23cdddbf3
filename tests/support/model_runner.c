/*
 * The driver of model_runner.h.
 */
#include "model_runner.h"

#include "test.h"
#include "world_dump.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a test of cmocka gets: a configuration of a model. */
typedef struct model_case {
    const model_driver *driver;
    model_config config;
} model_case;

/* ---- the rounds ---- */

static size_t choice_draw(const model_driver *driver, model_rig *rig) {
    uint32_t total = 0;
    for (size_t i = 0; i < driver->choice_count; i++) {
        total += driver->choice_at(i)->weight;
    }
    uint32_t roll = rng_below(&rig->random, total);
    size_t number = 0;
    while (roll >= driver->choice_at(number)->weight) {
        roll -= driver->choice_at(number)->weight;
        number++;
    }
    bool crowded = shoal_world_entity_count(rig->world) > driver->crowded_above;
    return crowded && driver->choice_at(number)->grows ? choice_draw(driver, rig) : number;
}

/* One round; gives the dump of its end, in the order of the rows, when `end` is not NULL. */
static void run_round(const model_case *one, uint64_t round, world_dump *end) {
    const model_driver *driver = one->driver;
    void *model = calloc(1, driver->byte_size);
    assert_non_null(model);
    uint64_t seed = test_environment("SHOAL_SEED", 1);
    driver->start(model, &one->config, seed * 1000003u + round);
    for (uint32_t step = 0; step < MODEL_STEP_COUNT; step++) {
        if (driver->prepare != NULL) {
            driver->prepare(model);
        }
        size_t choice = choice_draw(driver, driver->rig_of(model));
        test_set_context("seed %" PRIu64 ", round %" PRIu64 ", %s, step %" PRIu32 ", %s", seed, round, one->config.name,
                         step, driver->choice_at(choice)->name);
        driver->run(model, choice);
        driver->compare(model, step);
    }
    if (end != NULL) {
        *end = world_dump_take(driver->rig_of(model)->world, driver->all_of(model));
    }
    driver->finish(model);
    free(model);
    test_set_context("%s", "");
}

static void run_rounds(void **state) {
    const model_case *one = *state;
    uint64_t rounds = test_environment("SHOAL_ROUNDS", 6);
    for (uint64_t round = 0; round < rounds; round++) {
        run_round(one, round, NULL);
    }
}

/* The same history gives the same rows in the same order. */
static void run_same_history(void **state) {
    const model_case *one = *state;
    world_dump first;
    world_dump second;
    run_round(one, 77, &first);
    run_round(one, 77, &second);
    assert_same_dump(&second, &first);
    world_dump_free(&first);
    world_dump_free(&second);
}

/* ---- the configurations ---- */

int model_run_tests(const model_driver *driver) {
    model_case cases[] = {
        {driver, {.name = "default"}},
        {driver, {.name = "pinned 1024", .def = {.pinned_chunk_bytes = 1024}}},
        {driver, {.name = "pinned 4096", .def = {.pinned_chunk_bytes = 4096}}},
        {driver, {.name = "small chunks", .def = {.first_chunk_bytes = 1024, .largest_chunk_bytes = 2048}}},
        {driver, {.name = "moving rows", .def = {.move_rows = true, .largest_chunk_bytes = 4096}}},
        {driver, {.name = "entity limit", .def = {.entity_limit = 60}}},
        {driver, {.name = "memory limit", .def = {.memory_limit = driver->memory_limit}}},
        {driver, {.name = "failing allocations", .fail_percent = 30}},
        {driver, {.name = "failing, moving rows", .def = {.move_rows = true}, .fail_percent = 20}},
        {driver, {.name = "same history", .same_order = true}},
    };
    const struct CMUnitTest tests[] = {
        {"test_default", run_rounds, NULL, NULL, &cases[0]},
        {"test_pinned_smallest", run_rounds, NULL, NULL, &cases[1]},
        {"test_pinned_classic", run_rounds, NULL, NULL, &cases[2]},
        {"test_small_chunks", run_rounds, NULL, NULL, &cases[3]},
        {"test_moving_rows", run_rounds, NULL, NULL, &cases[4]},
        {"test_entity_limit", run_rounds, NULL, NULL, &cases[5]},
        {"test_memory_limit", run_rounds, NULL, NULL, &cases[6]},
        {"test_failing_allocations", run_rounds, NULL, NULL, &cases[7]},
        {"test_failing_allocations_moving_rows", run_rounds, NULL, NULL, &cases[8]},
        {"test_same_history_same_order", run_same_history, NULL, NULL, &cases[9]},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
