/*
 * Scopes of threads; see scope.h. The innermost one is a variable of the thread, the others follow by `outer`. There
 * are nearly never more than two, so finding one is a walk.
 *
 * Also here: the failing calls and watched accesses of a shared world, since both ask the scope.
 */
#include "scope.h"

#include "world.h"

static _Thread_local world_scope *current_scope;

/* Takes the holds of a thread without a scope. */
static _Thread_local world_lock stray_lock;

world_scope *world_scope_current(void) {
    return current_scope;
}

world_scope *world_scope_of(const shoal_world *world) {
    world_scope *scope = current_scope;
    while (scope != NULL && scope->world != world) {
        scope = scope->outer;
    }
    return scope;
}

void world_scope_enter(world_scope *scope) {
    scope->outer = current_scope;
    current_scope = scope;
}

void world_scope_leave(world_scope *scope) {
    SHOAL_ASSERT(current_scope == scope && scope->lock.count == 0);
    current_scope = scope->outer;
    scope->outer = NULL;
}

world_lock *world_scope_lock(const shoal_world *world) {
    world_scope *scope = world_scope_of(world);
    return scope != NULL ? &scope->lock : &stray_lock;
}

COLD error_record *world_error_shared(const shoal_world *world) {
    return error_thread_record_of(world);
}

COLD shoal_status world_fail_shared(shoal_world *world, const char *call) {
    const world_scope *scope = world_scope_of(world);
    if (scope == NULL) {
        return error_detail(world_error(world), SHOAL_WORLD_LOCKED, call,
                            "systems run; record changes of structure in run->commands");
    }
    return error_detail(
        world_error(world), SHOAL_WORLD_LOCKED, call,
        "held by system \"%s\"; record changes of structure in run->commands, and do the rest between steps "
        "or in an exclusive system",
        scope->name);
}

#if SHOAL_DEBUG >= 1
COLD void world_note_access_shared(const shoal_world *world, shoal_component component, bool for_write,
                                   const char *call) {
    world_scope *scope = world_scope_of(world);
    if (scope != NULL && scope->access != NULL) {
        scope->access(scope, component, for_write, call);
    }
}
#endif
