/*
 * The world: all state that the modules share. Each group of members names its file.
 *
 * Thread rule: reading is "read", all else is "world"; see the public headers.
 */
#ifndef SHOAL_STORAGE_WORLD_H
#define SHOAL_STORAGE_WORLD_H

#include <shoal/world.h>

#include "../base/assert.h"
#include "../base/error.h"
#include "../base/memory.h"
#include "archetype.h"
#include "index.h"
#include "name.h"
#include "pool.h"
#include "scope.h"
#include "transition.h"
#include "unique.h"

/*
 * Something above the storage that must know of archetypes: a query. Storage knows no queries; it tells its
 * watchers. `prepare` may fail and changes nothing that can be seen; `commit` follows and cannot.
 */
typedef struct archetype_watcher {
    struct archetype_watcher *next, *previous;
    shoal_status (*prepare)(struct archetype_watcher *watcher, const shoal_archetype *archetype);
    void (*commit)(struct archetype_watcher *watcher, shoal_archetype *archetype);
    /* Those that are marked as ending; `only` is the one, when there is one. */
    void (*forget)(struct archetype_watcher *watcher, const shoal_archetype *only);
    bool (*validate)(struct archetype_watcher *watcher, char *reason, size_t reason_size);
    void (*end)(struct archetype_watcher *watcher); /* the world ends: give your memory back */
} archetype_watcher;

/* Something that belongs to the world and ends with it: a command buffer. */
typedef struct world_child {
    struct world_child *next, *previous;
    void (*end)(struct world_child *child);
    void (*trim)(struct world_child *child); /* gives scratch memory back; may be NULL */
} world_child;

/* A sparse set or a relation store. */
typedef struct loose_store {
    const component_type *type;
    struct sparse_set *sparse; /* one of the two is NULL */
    struct relation_store *relation;
} loose_store;

struct shoal_world {
    /* archetype.c */
    shoal_archetype **archetypes; /* by index; NULL where an index is free */
    shoal_archetype *root;        /* the empty set: index 0, never removed */
    entity_index index;           /* index.c */
    world_lock lock;              /* open views and running callbacks */
    bool is_half_way;             /* in the middle of a commit: slots and rows need not agree */
    bool move_rows;               /* row.c: torture */

    shoal_archetype **by_age; /* archetype_count entries */
    uint32_t archetype_count;
    uint32_t archetype_capacity;  /* of both arrays */
    uint32_t archetype_free_hint; /* no index below is free */
    shoal_archetype **by_set;     /* open hash table over the sets; by_set_mask + 1 entries */
    uint32_t by_set_mask;
    uint8_t first_pool; /* chunk sizes, as pool numbers */
    uint8_t largest_pool;

    transition_table transitions;     /* transition.c */
    shoal_archetype *idle_archetypes; /* archetype.c: with keys and perhaps empty, by next_idle */

    void **stores;                    /* store.c */
    struct sparse_set **quick_sparse; /* beside each: the sparse sets whose values are bytes that need no care */
    uint32_t store_capacity;
    uint32_t shared_value_warning;
    memory_array loose; /* loose_store */
    size_t loose_count;
    unique_table uniques; /* unique.c */
    name_table names;     /* name.c */
    uint64_t tick;
    uint64_t archetype_changes;      /* rises when an archetype comes or goes */
    struct shoal_schedule *schedule; /* of src/schedule/: NULL until it is needed */
    bool is_stepping;                /* a step is under way; the world may be unlocked, for an exclusive system */
    _Atomic bool stop;               /* a loop is to end: relaxed, also written by signal handlers */
    uint32_t prefab_id, dying_id, child_of_id; /* built-in types */
    uint64_t gone_versions;      /* versions of archetypes that were removed, so that a sum over all only rises */
    uint32_t special_archetypes; /* archetypes whose rows do not end simply */
    uint64_t cascade_links;      /* links of relations whose sources are destroyed with their target */
    memory_array doomed;         /* shoal_entity: room for a cascade, one for each such link */
    chunk_pools pools;           /* pool.c */
    shoal_chunk *left_chunks;    /* archetype.c: see archetype_flush_left() */
    shoal_memory memory;         /* memory.c */
    archetype_watcher *watchers; /* in the order in which they came */
    archetype_watcher *last_watcher;
    world_child *children;

    uint64_t retired_noted; /* retired slots that the log has been told of */
    error_record error;
    shoal_log_fn log;
    void *log_user;
    uint32_t tag;
    char name[32];
};

/* ---- errors and the log ---- */

/* Where a failing call on this world stores its error: in the world; while it is shared, for this thread. What such a
   call has stored is read from there, too. */
error_record *world_error_shared(const shoal_world *world);

static inline error_record *world_error(const shoal_world *world) {
    return UNLIKELY(world->lock.is_shared) ? world_error_shared(world) : (error_record *)(uintptr_t)&world->error;
}

/* Each stores the error and returns the status. The first also takes a null world: the error is the thread's then. */
shoal_status world_fail(shoal_world *world, shoal_status status, const char *call);
shoal_status world_fail_entity(shoal_world *world, const char *call, shoal_entity entity);
shoal_status world_fail_component(shoal_world *world, shoal_status status, const char *call, shoal_entity entity,
                                  shoal_component component);
shoal_status world_fail_locked(shoal_world *world, const char *call);
shoal_status world_fail_shared(shoal_world *world, const char *call); /* systems run */

/* The same for calls that only read: stored for this thread. A null entity or component is not named. */
shoal_status world_fail_reader(const shoal_world *world, shoal_status status, const char *call, shoal_entity entity,
                               shoal_component component);

/* Writes a line to the world's log, if it has one. */
void world_log(shoal_world *world, shoal_log_level level, const char *format, ...) PRINTF_LIKE(3, 4);

/* Gives pages and slabs back that hold nothing: what a call had made room with before it failed. */
void world_give_back(shoal_world *world);

void world_log_retired(shoal_world *world);

/* Logs what slots have been retired since it was last called; at the end of a call, when the world is whole again. */
static ALWAYS_INLINE void world_note_retired(shoal_world *world) {
    if (UNLIKELY(world->index.retired_count != world->retired_noted)) {
        world_log_retired(world);
    }
}

/* Ends archetypes with keys that have become empty; at the end of a call. */
static ALWAYS_INLINE void world_note_idle(shoal_world *world) {
    if (UNLIKELY(world->idle_archetypes != NULL)) {
        archetype_sweep_idle(world);
    }
}

/* ---- the lock ---- */

static ALWAYS_INLINE bool world_is_locked(const shoal_world *world) {
    return UNLIKELY(world->lock.count != 0);
}

/* True while systems run: also what only needs the thread to be alone is refused then. The world is locked as well. */
static ALWAYS_INLINE bool world_is_shared(const shoal_world *world) {
    return UNLIKELY(world->lock.is_shared);
}

/* Begins or ends the time in which systems run. Between the two nobody writes what threads have in common. Called by
   the thread that steps, while no other works on the world. */
static inline void world_set_shared(shoal_world *world, bool is_shared) {
    world->lock.is_shared = is_shared;
    world->memory.is_shared = is_shared;
}

/* The lock that this thread's holds go into. */
static inline world_lock *world_lock_here(shoal_world *world) {
    return world_is_shared(world) ? world_scope_lock(world) : &world->lock;
}

/* Locks for a callback; gives back the holder before it, for world_lock_leave(). */
static inline const char *world_lock_enter(shoal_world *world, const char *holder) {
    world_lock *lock = world_lock_here(world);
    const char *outer = lock->holder;
    lock->holder = holder;
    lock->count++;
    return outer;
}

static inline void world_lock_leave(shoal_world *world, const char *outer) {
    world_lock *lock = world_lock_here(world);
    lock->count--;
    lock->holder = lock->count == 0 ? NULL : outer != NULL ? outer : lock->holder;
}

/* ---- watching ---- */

/* Tells the scope of this thread that a component is asked for, while systems run; costs nothing without asserts. A
   null world and a component that is none are left to the call. */
#if SHOAL_DEBUG >= 1
void world_note_access_shared(const shoal_world *world, shoal_component component, bool for_write, const char *call);

static inline void world_note_access(const shoal_world *world, shoal_component component, bool for_write,
                                     const char *call) {
    if (world != NULL && world_is_shared(world)) {
        world_note_access_shared(world, component, for_write, call);
    }
}
#else
static ALWAYS_INLINE void world_note_access(const shoal_world *world, shoal_component component, bool for_write,
                                            const char *call) {
    (void)world;
    (void)component;
    (void)for_write;
    (void)call;
}
#endif

/* ---- watchers and children ---- */

void world_add_watcher(shoal_world *world, archetype_watcher *watcher);
void world_remove_watcher(shoal_world *world, archetype_watcher *watcher);
void world_add_child(shoal_world *world, world_child *child);
void world_remove_child(shoal_world *world, world_child *child);

#endif
