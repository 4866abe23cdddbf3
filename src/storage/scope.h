/*
 * What a thread does in a world that several threads work on.
 *
 * While systems run, their world is shared: nobody changes its structure, and each thread that runs a system has a
 * scope. It names the system for messages, takes the holds of the views and callbacks of this thread, so that nobody
 * writes the world's own lock, and may watch which components the thread asks for. Scopes nest, since a system may
 * step another world on its thread:
 *
 *     this thread:  scope of world B  ->  outer: scope of world A  ->  NULL
 *
 * A world is shared also when one thread alone runs its systems, so that what is refused never depends on the number
 * of threads. Thread rule: a scope belongs to the thread that enters it.
 */
#ifndef SHOAL_STORAGE_SCOPE_H
#define SHOAL_STORAGE_SCOPE_H

#include <shoal/component.h>

/* What refuses structural changes: open views and running callbacks. */
typedef struct world_lock {
    const char *holder; /* of the newest hold; NULL when there is none */
    uint32_t count;
    bool is_shared; /* of a world: systems run; each thread has a lock of its own beside this one, which stays as it is
                     */
} world_lock;

typedef struct world_scope {
    shoal_world *world;
    const char *name; /* of the system, for messages */
    world_lock lock;  /* what views and callbacks of this thread hold */
    /* Told of each component that the thread asks for, in builds with asserts; NULL: nobody watches. */
    void (*access)(struct world_scope *scope, shoal_component component, bool for_write, const char *call);
    void *context;             /* of whoever watches */
    bool is_body;              /* of a body that a system runs on several threads */
    const void *own_query;     /* whose views tell nobody: that of a system with the whole of its query */
    struct world_scope *outer; /* set by world_scope_enter() */
} world_scope;

/* The innermost scope of this thread, or NULL. */
world_scope *world_scope_current(void);

/* The innermost scope of this thread that is one of this world, or NULL. */
world_scope *world_scope_of(const shoal_world *world);

/* The scope stays the caller's and must not move until it is left; scopes are left in reverse order. */
void world_scope_enter(world_scope *scope);
void world_scope_leave(world_scope *scope);

/* The lock that a hold of this thread on a shared world goes into; never NULL: a thread without a scope has one, too,
   that nobody looks at. */
world_lock *world_scope_lock(const shoal_world *world);

#endif
