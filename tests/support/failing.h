/*
 * Failure in the middle of a call, for every point at which it can come. A call runs in a scene that is made afresh
 * each time: the n-th allocation fails (alone, or with all later ones), the n-th ctor or copy hook of Owned
 * fails, or the world's memory limit is met, for each n that there is. After each failure the world validates and has
 * the content that it had, the same call then works, and the world comes to what it is without a failure; nothing
 * leaks. All of it in worlds with chunks by default, pinned ones and moving rows.
 */
#ifndef SHOAL_TESTS_FAILING_H
#define SHOAL_TESTS_FAILING_H

#include "fixture.h"
#include "test.h"

/* How to make a scene: a block of `byte_size` zero bytes to begin with. */
typedef struct failing_scene {
    size_t byte_size;
    void (*start)(void *scene, const shoal_world_def *def);
    void (*end)(void *scene);
    fixture *(*fixture_of)(void *scene);
    shoal_commands *(*commands_of)(void *scene);
} failing_scene;

typedef struct failing_call {
    const char *name;
    shoal_status (*run)(void *scene);
    bool applied;     /* the commands are applied after it, so that what was recorded shows */
    bool never_fails; /* whatever the allocator does */
    bool no_hooks;    /* hooks do not fail, since a failed one is a dropped command */
} failing_call;

/* The most failure points that a call may have; a call that needs more is stuck. */
#define FAILING_MOST_POINTS 5000

/* Runs one test for each call, by its name, and `others`; for main() to return. */
int failing_run_tests(const failing_scene *scene, const failing_call *calls, size_t call_count,
                      const struct CMUnitTest *others, size_t other_count);

/* Destroys every entity of a world in which no allocation works; `left` stay, since they are dying. */
void failing_empty(fixture *f, uint64_t left);

/* The status of a call on a world that gives a handle. */
shoal_status failing_status_of(const shoal_world *world, shoal_entity made);

#endif
