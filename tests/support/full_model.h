/*
 * What the operations of the model test of all kinds share: a real world and the reference world side by side, the
 * drawing of handles and values, allocations that fail on purpose, and the comparison after each step. The rules are
 * those of model.h: the real call comes first, and when it ran out of memory on purpose (full_ran_out()) the reference
 * world is left alone, so that the comparison shows whether the real one was left alone too.
 */
#ifndef SHOAL_TESTS_FULL_MODEL_H
#define SHOAL_TESTS_FULL_MODEL_H

#include "fake_allocator.h"
#include "full_compare.h"
#include "rng.h"

#define FULL_QUERY_COUNT 25
#define FULL_STALE_COUNT 64
#define FULL_SCRIPT_MAX 128
#define FULL_SET_MAX 8 /* values in one call */

typedef struct full_config {
    const char *name;
    shoal_world_def def;
    uint32_t fail_percent; /* of the operations that meet an allocation that fails */
    bool same_order;       /* nothing that depends on the clock */
} full_config;

/* A recorded command, for the reference world. */
typedef struct full_command {
    shoal_command_kind kind;
    shoal_entity entity; /* of a spawn: its placeholder */
    shoal_entity real;   /* of a spawn, when applied: the handle; null if it was dropped */
    shoal_entity shown;  /* when applied: the entity as the dropped callback shows it */
    full_value values[FULL_SET_MAX];
    size_t value_count; /* of a command on one component: 1 */
    naive_outcome outcome;
} full_command;

typedef struct full_model {
    const full_config *config;
    shoal_world *world;
    full_world full;
    fake_allocator fake;
    rng random;
    full_query queries[FULL_QUERY_COUNT];
    shoal_commands *commands;
    full_command script[FULL_SCRIPT_MAX];
    size_t script_count;
    shoal_dropped_command dropped[FULL_SCRIPT_MAX];
    size_t dropped_count;
    shoal_entity stale[FULL_STALE_COUNT]; /* handles of destroyed entities, the oldest overwritten first */
    size_t stale_count;
    int64_t owned_before; /* objects that were there before the world */
    int64_t boxed_before;
} full_model;

void full_model_start(full_model *m, const full_config *config, uint64_t seed);
/* Validates and compares, with one query; every eighth step also memory and all queries. */
void full_model_compare(full_model *m, uint32_t step);
/* Destroys the world, checks that nothing leaked and frees `m`. */
void full_model_finish(full_model *m);

/* ---- drawing ---- */

/* A live entity, or null when there is none. */
shoal_entity full_pick_live(full_model *m);
/* Mostly a live entity; now and then a dead, a null or a foreign handle. */
shoal_entity full_pick(full_model *m);
void full_keep_stale(full_model *m, shoal_entity entity);

/* What a value may be. */
typedef struct full_rules {
    uint32_t max_count;
    full_mask excluded;
    bool mistakes; /* bad targets, refused values, a component twice, types that are no component of entities */
    const shoal_entity *own; /* placeholders that handles and targets may be, or NULL */
    size_t own_count;
} full_rules;

full_type full_draw_type(full_model *m, const full_rules *rules);
/* A type that the entity has, as a rule; else any. */
full_type full_draw_present(full_model *m, const full_rules *rules, shoal_entity entity);
full_value full_draw_value(full_model *m, const full_rules *rules, full_type type);

/* Values for one call, in both forms; not to be copied. */
typedef struct full_set_of {
    size_t count;
    full_value naive[FULL_VALUES_MAX];
    full_real held[FULL_VALUES_MAX];
    shoal_value real[FULL_VALUES_MAX];
} full_set_of;

void full_set_append(full_set_of *set, const full_value *value);
void full_set_draw(full_model *m, full_set_of *set, const full_rules *rules);
void full_set_end(full_set_of *set);

/* ---- failing allocations ---- */

void full_arm(full_model *m);
bool full_ran_out(full_model *m, shoal_status status);
shoal_status full_status_of(const full_model *m, shoal_entity made);

/* ---- full_queries.c ---- */

/* Makes a query, with new targets; an allocation may fail first. */
void full_query_make(full_model *m, size_t number);
void full_query_end(full_query *query);

/* ---- full_columns.c ---- */

void full_op_spawn_many(full_model *m);

/* ---- full_commands.c ---- */

/* Records one random command on `entity`, or a spawn. */
void full_record_one(full_model *m, shoal_entity entity);
void full_take_dropped(void *user, const shoal_dropped_command *command);
void full_op_record(full_model *m);
void full_op_apply(full_model *m);
void full_op_discard(full_model *m);

#endif
