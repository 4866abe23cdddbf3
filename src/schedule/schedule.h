/*
 * The schedule of a world: its systems, and what is built from them.
 *
 *     systems (by registration) -> order (order.c) -> stages -> tasks (build.c)
 *
 *     stage 0                      sync   stage 1          sync
 *     task move + walls | task ai  ====   task collide     ====  ...
 *
 * A stage is what runs between two barriers: behind it commands are applied (a sync point), or an exclusive system or
 * another phase begins. A task is one system, or a chain of systems that are fused. Inside of a stage tasks wait for
 * the tasks that their edges name, and for nothing else.
 *
 * Running a task: start (conditions, rates; its rows are cut into jobs), the jobs (each a run of rows of consecutive
 * chunks, gone through strip by strip, each strip by each system of the chain), finish (sums are merged). stage.c does
 * that on one thread or on several; what a job does never depends on who does it.
 *
 * Everything that the running needs is made when the schedule is built, one of it for each worker: runs, views, walks
 * through rows, scratch, command recorders.
 *
 * Invariant "built": while is_built, stages and tasks name exactly the systems of now. Thread rule: what jobs touch is
 * marked; all else is "world".
 */
#ifndef SHOAL_SCHEDULE_SCHEDULE_H
#define SHOAL_SCHEDULE_SCHEDULE_H

#include <shoal/schedule.h>

#include <stdatomic.h>

#include "../base/spinlock.h"
#include "../change/command_merge.h"
#include "../query/query.h"
#include "../storage/scope.h"
#include "access.h"
#include "clock.h"
#include "pool.h"
#include "ring.h"

#define SYSTEM_NONE UINT32_MAX

typedef struct schedule_task schedule_task;
typedef struct worker_system worker_system;
typedef struct shoal_schedule shoal_schedule;

/* ---- systems ---- */

/* A list of names that a definition gave; the array and the texts are one block. */
typedef struct name_list {
    char **names;
    size_t count;
    size_t block_bytes;
} name_list;

/* A reduction with what merging needs. */
typedef struct system_reduction {
    shoal_reduction def;
    const component_type *type;
    size_t sum_bytes; /* of one sum, rounded up to SUM_ALIGNMENT */
    bool made_unique; /* `into` came with the system */
} system_reduction;

#define SUM_ALIGNMENT 16

struct shoal_system {
    shoal_schedule *schedule;
    char *name;
    shoal_system_def def; /* lists of the caller's are NULL; what lies behind them is below */
    shoal_query *query;   /* or NULL */
    name_list before, after, after_unsynced, acknowledge;
    char *chain;                  /* or NULL */
    access_set access;            /* all that it and its condition may touch */
    system_reduction *reductions; /* def.reduction_count */
    uint32_t phase;               /* number of its phase */
    uint32_t number;              /* by registration; changes when an earlier one is removed */
    uint32_t line;                /* while built: its place in the order of running */
    uint32_t cut_rows;            /* jobs begin at multiples of this */
    bool is_enabled;
    bool is_serial;    /* its rows make one job */
    bool whole_chunks; /* jobs begin at chunks */
    bool has_walk;     /* its query orders, groups or goes by a list: a view of it goes through the rows */
    void *local;
    uint64_t due_steps; /* steps until it is due again, of `every` */
    uint64_t behind_ns; /* fixed rate: time that has gone by and was not run for */
    shoal_system_stats stats;
    schedule_task *task; /* while built */

    /* Of the step under way; written by whoever starts the task, read by its jobs. */
    uint32_t rounds; /* runs in this step; 0: is not due, or its condition says no */
    uint64_t place;  /* jobs of all its runs before the one under way */
    bool failed_in_step;
    _Atomic uint64_t run_rows;    /* relaxed */
    _Atomic uint64_t run_samples; /* ticks of the strips that were measured; relaxed */
    uint64_t ticks;               /* of all runs */
    uint64_t last_ticks;

    spinlock failure_lock;  /* guard of the next three */
    shoal_status failure;   /* SHOAL_OK: none */
    uint64_t failure_place; /* the first in the order of its rows counts */
    char failure_text[160];
    memory_array sums;    /* of the run under way: see reduce.c */
    memory_array touched; /* bool: the blocks that were visited */
    size_t block_count;
    bool has_sums; /* reduce_begin() has made them */
};

typedef struct schedule_phase {
    char *name;
} schedule_phase;

/* ---- what is built ---- */

/* One archetype of a task: the match of each of its systems, or NULL where a system does not see it. */
typedef struct task_span {
    const shoal_archetype *archetype;
    const query_match *matches[]; /* member_count */
} task_span;

/* Where a job begins; the next one's beginning is its end. */
typedef struct task_job {
    uint32_t span;
    uint32_t chunk;
    uint32_t row;
    uint32_t strip; /* strips before it */
} task_job;

/* The jobs that a worker has before it: `first` in the low half, the end in the high one. On a line of its own. */
typedef struct task_range {
    _Alignas(64) _Atomic uint64_t bits;
} task_range;

/* Who must wait for whom. */
typedef struct task_edge {
    uint32_t to;     /* task of the stage */
    bool may_vanish; /* only since rows of common archetypes conflict */
} task_edge;

enum task_state { TASK_WAITING, TASK_READY, TASK_CLAIMED, TASK_RUNNING, TASK_DONE };

/* What a lean run reads comes first. */
struct schedule_task {
    _Alignas(64) uint64_t enable_stamp; /* of the systems that are on, when all of its were */
    uint64_t span_stamp;                /* of the archetypes that the spans follow from */
    uint64_t last_ticks;                /* of its last run; UINT64_MAX: not known yet */
    uint64_t period_ns;                 /* of its only system, with a fixed rate */
    uint32_t lean_runs;                 /* since it was measured; not in the counts of its systems yet */
    uint32_t active_count;
    uint32_t label;          /* for traces: see labels.c */
    uint32_t strip_rows;     /* 0: a job's rows of a chunk in one view */
    bool is_lean;            /* its systems have nothing beside their rows */
    bool has_rows;           /* its systems have `each` */
    bool has_walk;           /* one system whose query goes through its rows in an order of its own: one view does */
    bool is_measured;        /* the run under way */
    _Atomic bool has_failed; /* some system in the run under way; relaxed */
    bool is_main;            /* on the thread that steps */
    bool is_serial;
    memory_array spans; /* task_span, span_bytes each */
    size_t span_bytes;
    size_t span_count;
    uint32_t *active;       /* the members that run */
    worker_system ***lanes; /* of each worker: what it has of the members */
    uint32_t round;

    shoal_system **members;
    uint32_t member_count;
    uint32_t number; /* in its stage */
    bool whole_chunks;
    bool has_sums;
    bool records; /* some system records commands */
    uint32_t cut_rows;
    task_edge *edges; /* to later tasks of the stage */
    uint32_t edge_count;
    uint32_t *links; /* those of its edges that hold now and do not follow from others: tasks of the stage */
    uint32_t link_count;
    uint32_t wait_count; /* links to it */

    /* Of the run under way; written by who starts it, before `state` becomes RUNNING. */
    memory_array jobs; /* task_job, one more than job_count */
    uint32_t job_count;
    uint32_t strip_count;
    uint64_t row_count;

    _Atomic uint32_t state;     /* task_state; acquire and release */
    _Atomic uint32_t waits;     /* edges to it that are still open; acquire and release */
    _Atomic uint32_t jobs_left; /* acquire and release: the last one finishes the task */
    _Atomic uint64_t ticks;     /* that its jobs took together; relaxed */
    task_range *ranges;         /* one for each worker */
    uint64_t begin_ticks;       /* see stage_gains() */
    double row_ticks;           /* clock ticks that a row is known to cost, of all members; 0: not known yet */
};

typedef struct schedule_stage {
    schedule_task *tasks; /* task_count, in their order */
    uint32_t task_count;
    uint32_t phase;
    bool is_exclusive;
    bool syncs;          /* a sync point is behind it */
    bool records;        /* some system records commands */
    uint64_t last_ticks; /* that its tasks took together in the last step; UINT64_MAX: not known yet */
    uint64_t *reach;     /* bits, a row for each task: the later ones that wait for it, also by way of others */
    uint64_t link_stamp; /* of the archetypes that its links hold for */
    uint32_t gain_steps; /* until it is worked out again whether sharing gains anything */
    bool gains;
    uint64_t last_entities;
} schedule_stage;

/* ---- workers ---- */

/* What a worker has of one system. What a call on a strip reads of it lies in the first line. */
struct worker_system {
    _Alignas(64) shoal_status (*each)(const shoal_run *run, shoal_view *view);
    shoal_system *system;
    const char *name; /* of the system */
    shoal_query *query;
    const uint64_t *read_keys, *write_keys; /* of the query */
    uint64_t rows_total;                    /* given to it, since the schedule was built */
    uint32_t term_count;                    /* data terms of the query */
    bool is_plain;                          /* the query looks at no single rows, and blocks have no fixed size */
    bool records;
    shoal_run run;
    shoal_commands *commands;
    query_rows rows;       /* the walk behind a view that needs one */
    void **sums;           /* of the block under way */
    size_t part;           /* of the job under way, in the worker's parts */
    bool is_closed;        /* no room for the part: recording was refused in this job */
    uint64_t rows_counted; /* of rows_total, those that are in the system's counts */
    uint64_t rows_before;  /* rows_total at the beginning of the job under way */
    uint64_t sample_ticks; /* of its strips that were measured */
};

/* What one job of one system has recorded, in a worker's recorder. */
typedef struct record_part {
    shoal_system *system;
    shoal_commands *commands;
    uint64_t sync;  /* the number of the sync point that it is for */
    uint64_t place; /* of the job among all those of the system */
    command_mark first, end;
} record_part;

#define WATCH_COLUMNS 16 /* terms whose columns are watched, of one system */

typedef struct schedule_worker {
    _Alignas(64) world_scope scope;
    shoal_schedule *schedule;
    worker_system **systems; /* by number */
    shoal_system *current;   /* whose function runs; for the watch over access */
    memory_array parts;      /* record_part, since the last sync point */
    size_t part_count;
    run_ring *ring;
    void *scratch;
    shoal_view view; /* of the call under way; one for all systems, so that it stays in the cache */
    uint64_t column_hashes[WATCH_COLUMNS]; /* of the call under way, where access is watched */
    bool is_asking;                        /* a condition */
    shoal_view_lock spare_lock;            /* of views that are not the system's to end */
    uint64_t now;                          /* clock ticks at the end of its last job */
    uint32_t slot;
} schedule_worker;

struct shoal_schedule {
    world_child child;
    shoal_world *world;
    shoal_schedule_def def;
    shoal_pool *pool; /* in use; NULL: alone */
    bool owns_pool;
    bool has_pool; /* asked for already */

    shoal_system **systems; /* by registration */
    uint32_t system_count;
    uint32_t system_capacity;
    memory_array phases; /* schedule_phase, in their order */
    uint32_t phase_count;

    bool is_built;
    uint64_t enable_changes; /* rises when a system is turned on or off */
    bool world_ends;         /* recorders and queries go on their own */
    schedule_stage *stages;
    uint32_t stage_count;
    struct build_block *blocks;        /* memory of all that is built */
    struct build_block *worker_blocks; /* and of the workers */
    schedule_worker *workers;
    uint32_t worker_count;
    memory_array pairs; /* schedule_pair: the conflicts without a declared order */
    size_t pair_count;
    shoal_schedule_stats stats;

    /* Of the step under way. */
    uint64_t dt_ns;
    shoal_commands *merged;
    memory_array parts;   /* record_part: those of all workers, in order */
    memory_array sources; /* sync_source: who recorded which part of `merged` */
    size_t source_count;
    uint64_t sync_number;
    uint64_t sync_ticks; /* that sync points took, and how many commands they applied */
    uint64_t last_sync_ticks;
    uint64_t sync_commands;
    struct sync_grave *graves; /* who destroyed what; only when drops are told */
    memory_array ages;         /* uint32_t: by index of the archetype, its place by age */
    uint64_t ages_stamp;       /* of the archetypes that they are of */
    memory_array labels;       /* char *: see labels.c */
    uint32_t label_count;
    uint32_t ring_count;
    memory_array rings; /* run_ring *, by worker: see ring.c */
    double ns_per_tick;
    uint64_t cheap_ticks;     /* a task that takes less may run lean */
    spinlock step_guard;      /* of the next two */
    shoal_status step_status; /* what went wrong first, beside systems that failed */
    char step_text[288];
    spinlock watch_guard;    /* of the next two */
    memory_array undeclared; /* watch_report: what was told */
    size_t undeclared_count;
    _Atomic uint32_t failed_count; /* systems that failed in this step; relaxed */
};

/* A conflict without a declared order. */
typedef struct schedule_pair {
    uint32_t first, second; /* systems by number */
    bool acknowledged;
} schedule_pair;

/* The schedule of a world; NULL when it has none, or none could be made. */
static inline shoal_schedule *schedule_of(const shoal_world *world) {
    return world->schedule;
}

/* The same, made if there is none; NULL with the error stored. */
shoal_schedule *schedule_obtain(shoal_world *world, const char *call);

/* WORLD_LOCKED, stored, while a step is under way or the world is locked. */
shoal_status schedule_check_idle(shoal_world *world, const char *call);

/* What is built follows from something that has changed. */
void schedule_unbuild(shoal_schedule *schedule);

/* ---- system.c ---- */

void system_free(shoal_system *system);
void system_free_at_end(shoal_system *system); /* of the world: its query goes on its own */
shoal_system *system_by_name(const shoal_schedule *schedule, const char *name, size_t size);

/* ---- phase.c ---- */

shoal_status phases_init(shoal_schedule *schedule);
void phases_free(shoal_schedule *schedule);
uint32_t phase_find(const shoal_schedule *schedule, const char *name); /* SYSTEM_NONE: not there */

/* ---- order.c ---- */

/* One edge of the order of systems. */
enum edge_kind { EDGE_NONE, EDGE_CONFLICT, EDGE_UNSYNCED, EDGE_SYNCED };

/* The order of a schedule's systems: what order.c works out and build.c uses. */
typedef struct system_order {
    uint32_t *sequence; /* system numbers as they run */
    uint32_t *depth;    /* by system number: sync points before it in its phase */
    uint8_t *edges;     /* edge_kind, [from * count + to]; transitive only where that was declared */
    size_t count;
} system_order;

/* Whether two systems must not run side by side. */
bool systems_conflict(const shoal_system *a, const shoal_system *b);

bool name_list_has(const name_list *list, const char *name);

/* The system of the same chain and phase that was added before this one, or NULL. */
const shoal_system *chain_before(const shoal_system *system);

shoal_status order_make(shoal_schedule *schedule, system_order *order, const char *call);
void order_free(shoal_schedule *schedule, system_order *order);

/* ---- build.c ---- */

/* Builds all that is missing: the error is stored. */
shoal_status schedule_build(shoal_schedule *schedule, const char *call);

/* Memory of what is built, given back as one. NULL: memory->failure. */
void *build_allocate(shoal_schedule *schedule, struct build_block **blocks, size_t count, size_t byte_size,
                     size_t alignment);
void build_release(shoal_schedule *schedule, struct build_block **blocks);

/* ---- workers.c ---- */

shoal_status workers_make(shoal_schedule *schedule);
void workers_free(shoal_schedule *schedule);

/* ---- cut.c ---- */

/* Works the ages of archetypes out, which the next two and task_refresh() go by. */
shoal_status ages_refresh(shoal_schedule *schedule);

static inline uint32_t age_of(const shoal_schedule *schedule, const shoal_archetype *archetype) {
    return ((const uint32_t *)schedule->ages.items)[archetype->index];
}

/* Brings the spans of a task up to date. */
shoal_status task_refresh(schedule_task *task, shoal_schedule *schedule);

/* Cuts the rows of a task into jobs for so many workers; for one it is one job. */
shoal_status task_cut(schedule_task *task, uint32_t workers);

/* Rows in the chunks of a task's spans. */
uint64_t task_count_rows(const schedule_task *task);

/* ---- task.c ---- */

/* Which of a task's systems run in this step, for `rounds` rounds; false when none does. */
bool task_begin(schedule_task *task, schedule_worker *worker);

/* Makes the jobs of the next round. False when there are none, as nothing matches or memory ran out. */
bool task_prepare(schedule_task *task, schedule_worker *worker, uint32_t workers);

/* True for a task that can run lean now. */
bool task_may_run_lean(schedule_task *task, shoal_schedule *schedule);

/* All of a task that can, on the thread that steps; task_end_lean() follows. */
void task_run_lean(schedule_task *task, schedule_worker *worker);
void task_end_lean(schedule_task *task);

/* Puts what lean runs came to into the counts of the systems. */
void task_count_lean(schedule_task *task);

/* A system's counts, with those of lean runs. */
shoal_system_stats system_stats_now(const shoal_system *system);

/* A system's function that has left a view open fails, and holds nothing any more. */
void views_check(schedule_worker *worker, uint64_t place);

/* One job; on any worker. */
void task_run_job(schedule_task *task, schedule_worker *worker, uint32_t job);

/* After the last job of a round. True when another round is to follow. */
bool task_end(schedule_task *task, schedule_worker *worker);

/* A system's function has returned something else than SHOAL_OK. */
void system_failed(shoal_system *system, shoal_status status, uint64_t place);

/* ---- stage.c ---- */

void stage_run(shoal_schedule *schedule, schedule_stage *stage);

/* ---- reduce.c ---- */

/* Room for the sums of all blocks of a run. */
shoal_status reduce_begin(shoal_system *system, size_t block_count);

/* The sums of one block, which is its first and only visit. */
void reduce_block(shoal_system *system, size_t block, void **sums);

/* Merges the sums in order into the uniques. NOT_FOUND when one was removed. */
shoal_status reduce_end(shoal_system *system);
void reduce_free(shoal_system *system);

/* ---- sync.c ---- */

/* Before a job of a system that records: room for the note, and where it begins. */
shoal_status sync_job_begin(schedule_worker *worker, worker_system *own);

/* After it: notes what it has recorded. */
void sync_job_end(schedule_worker *worker, shoal_system *system, worker_system *own, uint64_t place);

/* Applies what all workers have recorded. */
void sync_apply(shoal_schedule *schedule);

/* Applies what could not be applied in a step, before the recorders that have it go; its status, stored. */
shoal_status sync_settle(shoal_schedule *schedule, const char *call);
void graves_forget(shoal_schedule *schedule, const shoal_system *system); /* it ends */
void sync_free(shoal_schedule *schedule);

/* ---- step.c ---- */

/* What shoal_schedule_build() does, for another call: the error is stored with its name. */
shoal_status schedule_build_for(shoal_world *world, const char *call);

/* The first thing that went wrong in the step counts; a format of the message follows. */
void step_failed(shoal_schedule *schedule, shoal_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* ---- watch.c ---- */

void watch_free(shoal_schedule *schedule);
void watch_forget(shoal_schedule *schedule, const shoal_system *system); /* it ends */
void watch_columns(schedule_worker *worker, const worker_system *own, const shoal_view *view, bool is_after);
void watch_access(world_scope *scope, shoal_component component, bool for_write, const char *call);

#endif
