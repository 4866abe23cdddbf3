/**
 * @file schedule.h
 * The schedule: in which order systems run, where commands are applied, who works on it; stepping a world, and looking
 * at what a step did.
 *
 *     while (running) {
 *         if (shoal_world_step(world, 16666667) != SHOAL_OK) { puts(shoal_last_error(world).message); }
 *     }
 *
 * The schedule is built at the first step and again when systems, phases or settings have changed. It consists of
 * stages, with a sync point behind each that needs one; a stage consists of tasks, which are single systems or chains
 * of systems that are fused: their rows go through all of them strip by strip, while they are in the cache.
 */
#ifndef SHOAL_SCHEDULE_H
#define SHOAL_SCHEDULE_H

#include <shoal/pool.h>
#include <shoal/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A command of a system that was dropped when it was applied. */
typedef struct shoal_dropped_record {
    shoal_dropped_command command; /**< what; its `record` counts the commands of the system at this sync point */
    shoal_system *system;          /**< that recorded it */
    const char *destroyer;         /**< the system whose command destroyed the entity, or NULL when that is not known */
    uint64_t tick;                 /**< of the world, now */
} shoal_dropped_record;

/** What becomes of commands that are dropped. They are always counted, see shoal_system_stats. */
typedef enum shoal_dropped_policy {
    SHOAL_DROPPED_COUNT, /**< nothing more */
    SHOAL_DROPPED_LOG,   /**< a warning in the world's log for each */
    SHOAL_DROPPED_CALL,  /**< `dropped` is called for each */
    SHOAL_DROPPED_FAIL   /**< the step returns COMMAND_DROPPED, when all is done, and names the first */
} shoal_dropped_policy;

/** When pairs of systems that conflict and have no declared order are told to the world's log. */
typedef enum shoal_report_rule {
    SHOAL_REPORT_DEFAULT, /**< in debug builds of the library (SHOAL_DEBUG) */
    SHOAL_REPORT_OFF,     /**< never */
    SHOAL_REPORT_ON       /**< each time that the schedule is built */
} shoal_report_rule;

/** The settings of a world's schedule; zero-initialised members mean the default. */
typedef struct shoal_schedule_def {
    shoal_pool *pool;      /**< the workers; the caller keeps it until the world has ended or is configured anew */
    uint32_t worker_count; /**< without a pool: workers of a pool of the world's own; default shoal_core_count() */
    bool alone;            /**< no pool at all: everything on the thread that steps */
    bool no_fusion;        /**< systems run one after the other */
    shoal_report_rule ambiguities; /**< see above */
    uint64_t shuffle_seed;  /**< not 0: of the orders that are declared and follow from conflicts, a random one; for
                                 tests that look for orders that are missing */
    bool shuffle_conflicts; /**< with a seed: conflicts without a declared order do not order either */
    shoal_dropped_policy dropped_policy;                             /**< see above */
    void (*dropped)(void *user, const shoal_dropped_record *record); /**< for CALL; must not call into the world */
    void *dropped_user;                                              /**< handed to `dropped` */
    uint32_t ring_records; /**< runs that each worker's ring keeps; default 8,192, rounded up to a power of two */
} shoal_schedule_def;

/** Changes the settings; NULL sets all defaults. INVALID_ARGUMENT (the message says where), POOL_BUSY for a pool that
   is being destroyed, WORLD_LOCKED during a step. Thread: world. */
SHOAL_API shoal_status shoal_schedule_configure(shoal_world *world, const shoal_schedule_def *def);

/** Builds the schedule now, if it has to be, so that its errors come early: SYSTEM_MISSING for an order that names no
    system of the phase, SYSTEM_CYCLE for orders that lead back to where they began (the message names the way),
    OUT_OF_MEMORY, MEMORY_LIMIT; THREAD_FAILED of the world's own pool, which is made then; WORLD_LOCKED during a step
   or while a view is open. Thread: world. */
SHOAL_API shoal_status shoal_schedule_build(shoal_world *world);

/**
 * One step: the tick goes up by one, every system that is due runs, commands are applied at the sync points. `dt_ns` is
 * the time that it stands for, in nanoseconds.
 *
 * A system that fails does not stop the others: all run, commands are applied, and then the step returns the status of
 * the first one in the order of the schedule; the message names it. The errors of shoal_schedule_build() and
 * WORLD_LOCKED (a view is open, a step is under way) leave everything as it was. Of memory that runs out inside of the
 * step the message says where: a system whose recorder or sums could not grow has failed, and commands that could not
 * be applied are kept and come first at the next sync point, or are dropped by shoal_schedule_discard().
 * ACCESS_UNDECLARED, in debug builds of the library: a system has touched what it did not declare; the message and the
 * log name it, the component and what is missing. Waits for the workers. Thread: world.
 */
SHOAL_API shoal_status shoal_world_step(shoal_world *world, uint64_t dt_ns);

/**
 * Drops the commands of systems that wait since memory ran out in a step (their values are ended), so that a world that
 * is full can go on; `count`, which may be NULL, gets how many those were. WORLD_LOCKED during a step or while a view
 * is open. Thread: world.
 */
SHOAL_API shoal_status shoal_schedule_discard(shoal_world *world, size_t *count);

/** A loop's definition; zero-initialised members mean the default. */
typedef struct shoal_loop_def {
    uint64_t period_ns; /**< time that each step stands for; default 1/60 s */
    bool unpaced;       /**< as fast as it goes, instead of a step each period */
    uint32_t catch_up;  /**< late by more periods than this: the lost time is forgotten; by fewer: steps without a pause
                               make up for it; default 8 */
    uint64_t step_limit; /**< ends after so many steps; default: none */
    bool keep_going;     /**< a failed step does not end it, and it returns SHOAL_OK then; errors of
                              shoal_schedule_build() end it always */
    /** Called after each step with its status; false ends the loop. May be NULL. */
    bool (*stepped)(void *user, shoal_world *world, shoal_status status);
    void *user; /**< handed to `stepped` */
} shoal_loop_def;

/** What a loop did. */
typedef struct shoal_loop_result {
    uint64_t steps;        /**< that were made */
    uint64_t failed_steps; /**< of those, the ones that returned another status than SHOAL_OK */
    uint64_t late_steps;   /**< that began later than a period after their time */
    uint64_t forgotten_ns; /**< time that could not be caught up with */
} shoal_loop_result;

/** Steps the world at a fixed rate until shoal_world_stop() is called, `stepped` says so, the limit is reached or a
   step fails, whose status it returns. NULL as definition means all defaults; `result` may be NULL. WORLD_LOCKED while
   a view is open or in a step. Waits. Thread: world. */
SHOAL_API shoal_status shoal_world_run(shoal_world *world, const shoal_loop_def *def, shoal_loop_result *result);

/** Asks the loop of a world to end after the step that it is in; without a loop, the next one ends before its first
    step. Also from a signal handler, a system, another thread, as long as the world is there. Thread: any. */
SHOAL_API void shoal_world_stop(shoal_world *world);

/** A pair of systems that conflict and whose order is that of registration. */
typedef struct shoal_ambiguity {
    const char *first;                 /**< the one that was added first, and comes first */
    const char *second;                /**< the other */
    const shoal_component *components; /**< on which they conflict */
    size_t component_count;            /**< of `components` */
    size_t archetype_count;            /**< archetypes of now in which they meet; 0: none yet */
    bool acknowledged;                 /**< by one of the two */
} shoal_ambiguity;

/** Calls `visit` for each such pair, grouped by the first system; builds the schedule. The errors of
    shoal_schedule_build(). Thread: world. */
SHOAL_API shoal_status shoal_schedule_ambiguities(shoal_world *world,
                                                  void (*visit)(void *user, const shoal_ambiguity *pair), void *user);

/** How shoal_schedule_print() writes. */
typedef enum shoal_schedule_format {
    SHOAL_SCHEDULE_TEXT, /**< lines: phases, stages with their tasks, sync points */
    SHOAL_SCHEDULE_DOT,  /**< a graph for Graphviz: dot -Tsvg */
    SHOAL_SCHEDULE_JSON  /**< the same as one JSON object */
} shoal_schedule_format;

/** Prints the schedule: phases, stages, tasks with the systems that are fused, what each reads and writes, why one
   comes after another, sync points and what they wait for. Builds it first. The errors of shoal_schedule_build(),
    WRITE_FAILED. Thread: world. */
SHOAL_API shoal_status shoal_schedule_print(shoal_world *world, shoal_schedule_format format, shoal_write_fn write,
                                            void *user);

/** Prints a table of systems by their time: runs, rows, time of the last run and of all, jobs, share of the whole.
    WRITE_FAILED, OUT_OF_MEMORY. Thread: world. */
SHOAL_API shoal_status shoal_schedule_table(shoal_world *world, shoal_write_fn write, void *user);

/** Writes the runs that the rings still have as a trace in the JSON format of Chrome's tracing, which Perfetto opens: a
    line for each worker, an event for each job, with system, tick and rows. Runs much shorter than the clock can tell
    are timed together and have equal shares. WRITE_FAILED, OUT_OF_MEMORY; WORLD_LOCKED during a step. Thread: world. */
SHOAL_API shoal_status shoal_schedule_trace(shoal_world *world, shoal_write_fn write, void *user);

/** Counts of the schedule as it is built now. */
typedef struct shoal_schedule_stats {
    uint32_t systems;       /**< that are added */
    uint32_t stages;        /**< between sync points */
    uint32_t tasks;         /**< systems and chains */
    uint32_t fused;         /**< systems in chains */
    uint32_t sync_points;   /**< behind stages, the last one included if its phase records */
    uint32_t ambiguities;   /**< pairs that are not acknowledged */
    uint64_t builds;        /**< times that it was built */
    uint64_t steps;         /**< that were made */
    uint64_t syncs;         /**< times that commands were applied */
    uint64_t shared_stages; /**< stages that were offered to several workers */
} shoal_schedule_stats;

/** Fills `stats`; does not build. INVALID_ARGUMENT for a null pointer. Thread: read. */
SHOAL_API shoal_status shoal_schedule_stats_get(const shoal_world *world, shoal_schedule_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
