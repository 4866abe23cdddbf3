/**
 * @file system.h
 * Systems: functions, with the terms that they read and write. A step of the world (schedule.h) runs them, on several
 * threads where their terms allow it, and comes to the same result on any number of threads.
 *
 *     static shoal_status move(const shoal_run *run, shoal_view *view) {
 *         Position *position = SHOAL_COLUMN_MUT(view, Position);
 *         const Velocity *velocity = SHOAL_COLUMN(view, Velocity);
 *         for (size_t i = 0; i < view->count; i++) {
 *             position[i].x += velocity[i].x * (float)run->dt;
 *         }
 *         return SHOAL_OK;
 *     }
 *
 *     shoal_system_add(world, &(shoal_system_def){
 *         .name = "move", .each = move,
 *         .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Velocity))}});
 *     shoal_world_step(world, 16666667);
 *
 * What a system may touch is what it declares: the terms of its query for the rows of its views; lookups for other
 * entities, other queries and uniques. Structural changes are recorded in run->commands and applied at the next sync
 * point. Everything else that a "world" call does is refused while systems run, but for systems that are exclusive.
 */
#ifndef SHOAL_SYSTEM_H
#define SHOAL_SYSTEM_H

#include <shoal/command.h>
#include <shoal/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A system: belongs to its world, ends with it or with shoal_system_remove(). */
typedef struct shoal_system shoal_system;

/** What a system's functions are told. Valid during the call. */
typedef struct shoal_run {
    shoal_world *world;       /**< of the system */
    shoal_system *system;     /**< which */
    shoal_query *query;       /**< of the system; NULL when it has no terms */
    shoal_commands *commands; /**< to record in; each call has its own placeholders. Recording is refused unless the
                                   system has declared `commands`. Not to be applied, discarded or destroyed. */
    void *user;               /**< of the definition */
    void *local;              /**< the system's `local_bytes`, kept from run to run; `each` must only read it, unless
                                   the system is serial */
    void *scratch;            /**< `scratch_bytes` of this worker alone; what is in it is indeterminate at each call */
    double dt;                /**< seconds: of the step, or the period of a system with a fixed rate */
    uint64_t dt_ns;           /**< the same in nanoseconds */
    uint64_t tick;            /**< the world's */
    uint32_t worker;          /**< which worker runs this, 0 the thread that steps; differs from run to run */
    void *const *sums_;       /* private: see shoal_run_sum() */
} shoal_run;

/** Which thread a system runs on. */
typedef enum shoal_thread_rule {
    SHOAL_THREAD_ANY, /**< any worker, and where it has `each`, several of them */
    SHOAL_THREAD_MAIN /**< the thread that steps the world */
} shoal_thread_rule;

/** What a reduction does. Floating point sums are added in a fixed order, so that they give the same bits on any
    number of threads. */
typedef enum shoal_reduce_kind {
    SHOAL_REDUCE_NONE,
    SHOAL_REDUCE_SUM, /**< adds; begins with 0 */
    SHOAL_REDUCE_MIN, /**< the least; begins with the largest number of the type */
    SHOAL_REDUCE_MAX, /**< the greatest; begins with the smallest number of the type */
    SHOAL_REDUCE_USER /**< `begin` and `merge` of the definition */
} shoal_reduce_kind;

/**
 * A reduction over the rows of a system: `each` works its rows into shoal_run_sum(run, number), and when all have been
 * worked in, the total becomes the value of the unique component `into`, which the system is taken to write. The type
 * must be plain bytes (no hooks, aligned to 16 at most), and for SUM, MIN and MAX its fields numbers.
 * shoal_system_add() makes the unique when it is not there; a run that finds it removed fails with NOT_FOUND. The rows
 * come in blocks of fixed size (see block_rows), each with a sum of its own; the sums are merged in the order of the
 * rows.
 */
typedef struct shoal_reduction {
    shoal_component into;   /**< a unique */
    shoal_reduce_kind kind; /**< how sums come together */
    /** USER: makes the sum of no rows. NULL: zero bytes. */
    void (*begin)(void *sum, void *user);
    /** USER: works `other` into `sum`; `other` has the rows that come after. */
    void (*merge)(void *sum, const void *other, void *user);
} shoal_reduction;

/** Names, for `.after = SHOAL_NAMES("move", "collide")`: initialises a list and its count. */
#define SHOAL_NAMES(...)                                                                                               \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

/** A reduction list: SHOAL_REDUCTIONS({.into = SHOAL_ID(Energy), .kind = SHOAL_REDUCE_SUM}). */
#define SHOAL_REDUCTIONS(...)                                                                                          \
    (const shoal_reduction[]){__VA_ARGS__}, sizeof((const shoal_reduction[]){__VA_ARGS__}) / sizeof(shoal_reduction)

/**
 * A system's definition; zero-initialised members mean the default. Copied, so that it may live on the stack; `user`
 * stays the caller's.
 *
 * Exactly one of `each` and `once` is given.
 *   each   is called with runs of rows that match the query; on several threads at once, and in no defined order, when
 *          there are many rows. What it does for a row must not depend on the rows that come in the same call, unless
 *          block_rows says which those are. It must not step or end the view.
 *   once   is called once; it may go through run->query with views of its own, or do something else entirely.
 *
 * A system with `each` has its rows one after the other on one thread, in the order of the query, when it is serial,
 * when the query orders or groups or goes by a list, when it writes a unique, when it looks up what it writes, or has a
 * lookup for writing. One that writes a chunk component has whole chunks.
 *
 * Order. Systems of an earlier phase come first. Inside of a phase `before`, `after` and `chain` say who comes first;
 * of two that conflict (one writes what the other reads or writes) without such an order, the one that was added
 * first. Commands of a system are applied before the systems that come after it by a declared order, at the latest at
 * the end of the phase; an order of `after_unsynced` does not ask for that.
 */
typedef struct shoal_system_def {
    const char *name; /**< 1 to 255 bytes of UTF-8 without control characters, one of a kind in the world */

    shoal_query_def query; /**< the rows, and what is read and written of them; no terms at all: none (for `once`) */
    const shoal_term *lookups; /**< what is read (READ, WITH) or written (WRITE) of entities at other places, through
                                    shoal_get() and its like, other queries, relations; of uniques */
    size_t lookup_count;       /**< of `lookups` */

    /** For runs of rows. */
    shoal_status (*each)(const shoal_run *run, shoal_view *view);
    /** For all at once. */
    shoal_status (*once)(const shoal_run *run);
    void *user; /**< handed to the functions, as run->user */

    const char *phase;                 /**< "input", "pre-update", "update", "post-update", "output" or one of
                                            shoal_phase_add(); default "update" */
    const char *const *before;         /**< systems of the same phase that come later */
    size_t before_count;               /**< of `before` */
    const char *const *after;          /**< systems of the same phase that come earlier */
    size_t after_count;                /**< of `after` */
    const char *const *after_unsynced; /**< the same, without a sync point in between */
    size_t after_unsynced_count;       /**< of `after_unsynced` */
    const char *chain;                 /**< comes after the system of its phase that was added last with this chain */
    const char *const *acknowledge;    /**< systems with which an order by registration is fine: no report */
    size_t acknowledge_count;          /**< of `acknowledge` */

    /** Runs only when this is true. Asked once in each step in which the system is due, right before, with a period for
        all runs of the step; it records nothing. NULL: always. */
    bool (*condition)(const shoal_run *run);
    const shoal_term *condition_reads; /**< what the condition reads: READ or WITH, anywhere in the world */
    size_t condition_read_count;       /**< of `condition_reads` */

    uint32_t every;     /**< runs at every n-th step since it was added, also counted while it is off; default 1 */
    uint32_t offset;    /**< which of the n: 0 to every - 1 */
    uint64_t period_ns; /**< fixed rate instead of every: runs as often as this time has gone by, also while it was off,
                           with run->dt the period; all commands of one step are applied at one sync point */
    uint32_t catch_up;  /**< fixed rate: runs in one step at most, whole periods beyond are dropped; default 8 */

    shoal_thread_rule thread; /**< default: any */
    bool exclusive; /**< has the world to itself, on the thread that steps: direct calls of all kinds are fine, but for
                         those on systems, schedule and step. Needs `once`. */
    bool commands;  /**< records commands */
    bool serial;    /**< `each`: one thread, in order */
    bool masked;    /**< `each`: views are whole, and the function goes through them with SHOAL_ROWS; faster where the
                         query looks at single rows */
    bool barrier;   /**< is not fused with its neighbours */
    /** `each`: views begin at multiples of this in each chunk and have so many rows, or what is left of the chunk;
       where the query looks at single rows and the system is not masked, runs out of these. A power of two up to
       65,536, not for queries that order, group or go by a list. Default: any length; 512 with reductions. */
    uint32_t block_rows;

    size_t local_bytes;                /**< of run->local, zeroed when the system is added; at most 2^30 */
    size_t scratch_bytes;              /**< of run->scratch; at most 2^30 */
    const shoal_reduction *reductions; /**< see shoal_reduction */
    size_t reduction_count;            /**< of `reductions` */
} shoal_system_def;

/**
 * Adds a system, which takes part from the next step on. NULL on failure: SYSTEM_INVALID for a definition that
 * contradicts itself (the message says where), SYSTEM_EXISTS, SYSTEM_MISSING for a phase that is not there, the errors
 * of shoal_query_create(), COMPONENT_INVALID, OUT_OF_MEMORY, MEMORY_LIMIT, WORLD_LOCKED during a step or while a view
 * is open. Names in orders are looked up when the schedule is built. Commands that wait since memory ran out in a step
 * are applied first, here and in the calls below that change the schedule; where that fails again, its status is
 * returned and nothing changes. Thread: world.
 */
SHOAL_API shoal_system *shoal_system_add(shoal_world *world, const shoal_system_def *def);

/** Removes a system; NULL is fine. WORLD_LOCKED during a step or while a view is open. Thread: world. */
SHOAL_API shoal_status shoal_system_remove(shoal_system *system);

/** Turns a system off or on; it keeps its place in the schedule. Fine in an exclusive system and between steps:
    WORLD_LOCKED while others run. Thread: world. */
SHOAL_API shoal_status shoal_system_enable(shoal_system *system, bool enabled);

/** True unless it was turned off. Thread: read. */
SHOAL_API bool shoal_system_is_enabled(const shoal_system *system);

/** The system of that name, or NULL. Thread: read. */
SHOAL_API shoal_system *shoal_system_find(const shoal_world *world, const char *name);

/** The system's name; valid as long as the system. Thread: read. */
SHOAL_API const char *shoal_system_name(const shoal_system *system);

/** The world of a system. Thread: read. */
SHOAL_API shoal_world *shoal_system_world(const shoal_system *system);

/** The sum of reduction `number` that this call of `each` works its rows into: memory of this block alone, aligned to
    16 bytes. NULL for a number that is not there, and outside of `each`. Thread: any. */
SHOAL_API void *shoal_run_sum(const shoal_run *run, size_t number);

/** SHOAL_SUM(run, 0, Energy) is an Energy *. */
#define SHOAL_SUM(run, number, Type) ((Type *)shoal_run_sum((run), (number)))

/**
 * Calls `body(data, first, end)` for ranges that together are 0 to count - 1, on the workers of the world's pool, and
 * returns when all have returned; for systems with `once` that have much to do. Ranges are at least `grain` long (0: as
 * it sees fit), but for the last. Which thread has which range is undefined: the body writes to places that follow from
 * the numbers. Bodies may call it again. Inside of it the rules of the calling system hold, but nothing may be
 * recorded in run->commands. INVALID_ARGUMENT for a null pointer. Thread: any, inside of a system.
 */
SHOAL_API shoal_status shoal_run_parallel(const shoal_run *run, size_t count, size_t grain,
                                          void (*body)(void *data, size_t first, size_t end), void *data);

/** A phase's definition. */
typedef struct shoal_phase_def {
    const char *name;   /**< as a system's */
    const char *after;  /**< the phase that it comes right after; or */
    const char *before; /**< right before */
} shoal_phase_def;

/** Adds a phase. SYSTEM_INVALID (a bad name, both or none of after and before), SYSTEM_EXISTS, SYSTEM_MISSING for a
    neighbour that is not there, OUT_OF_MEMORY, MEMORY_LIMIT, WORLD_LOCKED during a step. Thread: world. */
SHOAL_API shoal_status shoal_phase_add(shoal_world *world, const shoal_phase_def *def);

/** What a system has done since it was added. */
typedef struct shoal_system_stats {
    uint64_t runs;            /**< times that it ran */
    uint64_t rows;            /**< rows that it was given */
    uint64_t jobs;            /**< jobs that its rows were cut into */
    uint64_t nanoseconds;     /**< that its functions took, on all workers together */
    uint64_t last_rows;       /**< of the last run */
    uint64_t last_jobs;       /**< of the last run */
    uint64_t last_ns;         /**< of the last run */
    uint64_t commands;        /**< commands that it has recorded */
    uint64_t dropped;         /**< of those, the ones that were dropped */
    uint64_t failures;        /**< runs that returned a status */
    uint64_t skipped_ns;      /**< fixed rate: time that was dropped */
    shoal_status last_status; /**< of the last run */
} shoal_system_stats;

/** Fills `stats`. INVALID_ARGUMENT for a null pointer. Thread: read. */
SHOAL_API shoal_status shoal_system_stats_get(const shoal_system *system, shoal_system_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
