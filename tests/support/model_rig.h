/*
 * What every model test has beside its reference world: the real world on an allocator that fails on purpose, the
 * numbers that all is drawn by, the buffer that commands are recorded in, and the handles of entities that are gone.
 * A model has it as its member `rig`.
 *
 * An operation runs the real call first; when it ran out of memory on purpose (rig_ran_out()), the reference world is
 * left alone, so the comparison shows whether the real one was left alone too.
 */
#ifndef SHOAL_TESTS_MODEL_RIG_H
#define SHOAL_TESTS_MODEL_RIG_H

#include "fake_allocator.h"
#include "naive_slots.h"
#include "rng.h"

#include <shoal/command.h>
#include <shoal/query.h>

#define RIG_STALE_COUNT 64
#define RIG_SCRIPT_MAX 256 /* commands that a model may record before it applies them */

typedef struct model_config {
    const char *name;
    shoal_world_def def;
    uint32_t fail_percent; /* of the operations that meet an allocation that fails */
    bool same_order;       /* nothing that depends on the clock */
} model_config;

typedef struct model_rig {
    const model_config *config;
    shoal_world *world;
    fake_allocator fake;
    rng random;
    uint32_t fail_among; /* an allocation that fails is one of so many of a call's first ones */
    shoal_commands *commands;
    shoal_dropped_command dropped[RIG_SCRIPT_MAX]; /* since the model set dropped_count to 0 */
    size_t dropped_count;
    shoal_entity stale[RIG_STALE_COUNT]; /* handles of destroyed entities, the oldest overwritten first */
    size_t stale_count;
    int64_t owned_before; /* objects that were there before the world */
    int64_t boxed_before;
} model_rig;

/* Makes the world; the model then makes its reference world and queries, and rig_record() the buffer. */
void rig_start(model_rig *rig, const model_config *config, uint64_t seed);
void rig_record(model_rig *rig);
/* The entities that the reference world of this configuration may have. */
uint64_t rig_entity_limit(const model_rig *rig);
/* The memory report counts what the allocator counts. */
void rig_compare_memory(const model_rig *rig);
/* Goes through a view that has been begun, now and then not to its end, and calls `touch` for some rows. */
void rig_touch_rows(model_rig *rig, shoal_view *view, void (*touch)(void *model, shoal_entity entity), void *model);
/* Gives back what is empty. */
void rig_trim(model_rig *rig);
/* Destroys the world and checks that nothing leaked. */
void rig_finish(model_rig *rig);

/* ---- handles ---- */

/* Remembers the handle of a destroyed entity. */
void rig_keep_stale(model_rig *rig, shoal_entity entity);
/* A live entity, or null when there is none. */
shoal_entity rig_pick_live(model_rig *rig, const naive_slots *slots);
/* Mostly a live entity; so often in a hundred a dead one, now and then a null or a foreign handle. */
shoal_entity rig_pick(model_rig *rig, const naive_slots *slots, uint32_t stale_percent);

/* ---- failing allocations ---- */

/* Makes an allocation of the next call fail, now and then. */
void rig_arm(model_rig *rig);
/* True when the call failed for want of memory, so that nothing may have changed. */
bool rig_ran_out(model_rig *rig, shoal_status status);
/* The status of a call that gives a handle. */
shoal_status rig_status_of(const model_rig *rig, shoal_entity made);

#endif
