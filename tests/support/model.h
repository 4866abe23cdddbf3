/*
 * What the operations of the model test share: a real world and the reference world side by side, the drawing of
 * handles and values, allocations that fail on purpose, and the comparison after each step.
 *
 * An operation runs the real call first; when it ran out of memory on purpose (model_ran_out()), the reference
 * world is left alone, so the comparison shows whether the real one was left alone too.
 */
#ifndef SHOAL_TESTS_MODEL_H
#define SHOAL_TESTS_MODEL_H

#include "fake_allocator.h"
#include "script.h"

#define QUERY_COUNT 7
#define LINK_COUNT 8
#define STALE_COUNT 64

typedef struct model_config {
    const char *name;
    shoal_world_def def;
    uint32_t fail_percent; /* of the operations that meet an allocation that fails */
    bool same_order;       /* nothing that depends on the clock */
} model_config;

typedef struct model {
    const model_config *config;
    shoal_world *world;
    naive_world naive;
    fake_allocator fake;
    rng random;
    shoal_query *queries[QUERY_COUNT];
    shoal_commands *commands;
    script recorded;
    shoal_dropped_command dropped[SCRIPT_MAX];
    size_t dropped_count;
    shoal_entity links[LINK_COUNT];  /* what links may point at in this step */
    shoal_entity stale[STALE_COUNT]; /* handles of destroyed entities, the oldest overwritten first */
    size_t stale_count;
    int64_t owned_before; /* objects that were there before the world */
    int64_t boxed_before;
} model;

void model_start(model *m, const model_config *config, uint64_t seed);
/* Validates and compares; every eighth step also batches, memory and all queries. */
void model_compare(model *m, uint32_t step);
/* Destroys the world, checks that nothing leaked and frees `m`. */
void model_finish(model *m);

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
/* Remembers the handle of a destroyed entity. */
void model_keep_stale(model *m, shoal_entity entity);

/* Makes an allocation of the next call fail, now and then. */
void model_arm(model *m);
/* True when the call failed for want of memory, so that nothing may have changed. */
bool model_ran_out(model *m, shoal_status status);
/* The status of a call that gives a handle. */
shoal_status model_status_of(const model *m, shoal_entity made);

/* Records one random command on `target`, or a spawn. */
void model_record_one(model *m, shoal_entity target);
/* The dropped callback of the buffer; `user` is the model. */
void model_take_dropped(void *user, const shoal_dropped_command *command);
void model_op_record(model *m);
void model_op_apply(model *m);
void model_op_discard(model *m);

#endif
