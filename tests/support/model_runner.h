/*
 * The driver of a model test: random scripts of a model's operations, compared after each step, in the same worlds for
 * every model: by default, of pinned, small and moving chunks, with a limit, and with allocations that fail. Each
 * configuration runs some rounds of MODEL_STEP_COUNT steps; the seed of a round depends on SHOAL_SEED and the round's
 * number only.
 *
 *   SHOAL_SEED=n     another first seed (default 1)
 *   SHOAL_ROUNDS=n   rounds for each configuration (default 6)
 *
 * A failing check prints seed, round, configuration, step and operation.
 */
#ifndef SHOAL_TESTS_MODEL_RUNNER_H
#define SHOAL_TESTS_MODEL_RUNNER_H

#include "model_rig.h"

#include <shoal/query.h>

#define MODEL_STEP_COUNT 400

/* How often an operation is drawn; what the model does then is its own matter. */
typedef struct model_choice {
    const char *name;
    uint32_t weight;
    bool grows; /* not drawn in a crowded world */
} model_choice;

/* A kind of model. `model` is a block of `byte_size` zero bytes to begin with. */
typedef struct model_driver {
    size_t byte_size;
    size_t memory_limit;    /* of the configuration that has one */
    uint64_t crowded_above; /* entities */
    size_t choice_count;
    const model_choice *(*choice_at)(size_t number);
    void (*start)(void *model, const model_config *config, uint64_t seed);
    model_rig *(*rig_of)(void *model);
    void (*prepare)(void *model); /* before an operation is drawn; NULL: nothing */
    void (*run)(void *model, size_t choice);
    void (*compare)(void *model, uint32_t step);
    shoal_query *(*all_of)(void *model); /* a query that gives all rows */
    void (*finish)(void *model);
} model_driver;

/* Runs the tests of all configurations, and that of two same histories; for main() to return. */
int model_run_tests(const model_driver *driver);

#endif
