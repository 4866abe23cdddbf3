/*
 * What the operations of the model test share: the rig with the real world, the reference world beside it, the
 * drawing of handles and values, and the comparison after each step.
 */
#ifndef SHOAL_TESTS_MODEL_H
#define SHOAL_TESTS_MODEL_H

#include "model_rig.h"
#include "script.h"

#define QUERY_COUNT 7
#define LINK_COUNT 8

typedef struct model {
    model_rig rig;
    naive_world naive;
    shoal_query *queries[QUERY_COUNT];
    script recorded;
    shoal_entity links[LINK_COUNT]; /* what links may point at in this step */
} model;

/* What the driver calls. */
void model_start(void *model_bytes, const model_config *config, uint64_t seed);
/* Validates and compares; every eighth step also batches, memory and all queries. */
void model_compare(void *model_bytes, uint32_t step);
/* Destroys the world and checks that nothing leaked. */
void model_finish(void *model_bytes);

/* The terms of a query, at most 4; returns how many. */
size_t model_query_terms(size_t query, shoal_term *terms);
/* Makes a query again; an allocation may fail first. */
shoal_query *model_make_query(model *m, size_t query);

/* A live entity, or null when there is none. */
shoal_entity model_pick_live(model *m);
/* Mostly a live entity; now and then a dead, a null or a foreign handle. */
shoal_entity model_pick(model *m);
/* Rules for values that go with `entity`: a call that is wrong already makes no second mistake. */
value_rules model_rules_for(const model *m, shoal_entity entity, uint32_t max_count);
value_rules model_rules_for_spawn(const model *m, uint32_t max_count);

/* Records one random command on `target`, or a spawn. */
void model_record_one(model *m, shoal_entity target);
void model_op_record(model *m);
void model_op_apply(model *m);
void model_op_discard(model *m);

#endif
