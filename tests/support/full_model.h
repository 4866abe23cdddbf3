/*
 * What the operations of the model test of all kinds share: the rig with the real world, the reference world of all
 * kinds beside it, the drawing of handles and values, and the comparison after each step.
 */
#ifndef SHOAL_TESTS_FULL_MODEL_H
#define SHOAL_TESTS_FULL_MODEL_H

#include "full_compare.h"
#include "model_rig.h"

#define FULL_QUERY_COUNT 25
#define FULL_SCRIPT_MAX 128
#define FULL_SET_MAX 8 /* values in one call */

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
    model_rig rig;
    full_world full;
    full_query queries[FULL_QUERY_COUNT];
    full_command script[FULL_SCRIPT_MAX];
    size_t script_count;
} full_model;

/* What the driver calls. */
void full_model_start(void *model_bytes, const model_config *config, uint64_t seed);
/* Validates and compares, with one query; every eighth step also memory and all queries. */
void full_model_compare(void *model_bytes, uint32_t step);
/* Destroys the world and checks that nothing leaked. */
void full_model_finish(void *model_bytes);

/* ---- drawing ---- */

/* A live entity, or null when there is none. */
shoal_entity full_pick_live(full_model *m);
/* Mostly a live entity; now and then a dead, a null or a foreign handle. */
shoal_entity full_pick(full_model *m);

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

/* ---- full_queries.c ---- */

/* Makes a query, with new targets; an allocation may fail first. */
void full_query_make(full_model *m, size_t number);
void full_query_end(full_query *query);

/* ---- full_columns.c ---- */

void full_op_spawn_many(full_model *m);

/* ---- full_commands.c ---- */

/* Records one random command on `entity`, or a spawn. */
void full_record_one(full_model *m, shoal_entity entity);
void full_op_record(full_model *m);
void full_op_apply(full_model *m);
void full_op_discard(full_model *m);

#endif
