/*
 * Giving memory back: edges, empty archetypes, scratch of children, index pages, slabs, in that order, so that what one
 * step frees the next can give back. Thread rule: world.
 */
#include "../base/platform/platform.h"
#include "store.h"
#include "world.h"

#define ARCHETYPES_AT_ONCE 64

typedef struct trim_clock {
    uint64_t end_ns; /* 0: no limit */
} trim_clock;

static bool trim_has_time(void *user) {
    const trim_clock *clock = user;
    return clock->end_ns == 0 || platform_clock_ns() < clock->end_ns;
}

/* Ends empty archetypes, the youngest first; with a limit of time, a few at once. */
static void trim_archetypes(shoal_world *world, trim_clock *clock) {
    uint32_t age = world->archetype_count;
    uint32_t at_once = clock->end_ns == 0 ? UINT32_MAX : ARCHETYPES_AT_ONCE;
    while (age > 0 && trim_has_time(clock)) {
        for (uint32_t marked = 0; age > 0 && marked < at_once;) {
            shoal_archetype *archetype = world->by_age[--age];
            archetype->is_ending = archetype->row_count == 0 && archetype != world->root;
            marked += archetype->is_ending;
        }
        archetype_end_marked(world, NULL);
    }
}

static bool without_end(void *user) {
    (void)user;
    return true;
}

void world_give_back(shoal_world *world) {
    archetype_flush_left(world);
    index_trim(&world->index, without_end, NULL);
    pools_trim(&world->pools, without_end, NULL);
}

shoal_status shoal_world_trim(shoal_world *world, uint64_t budget_microseconds, size_t *released_bytes) {
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, "shoal_world_trim");
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, "shoal_world_trim");
    }
    size_t before = world->memory.total;
    trim_clock clock = {0};
    if (budget_microseconds != 0) {
        uint64_t now = platform_clock_ns();
        clock.end_ns = budget_microseconds < (UINT64_MAX - now) / 1000 ? now + budget_microseconds * 1000 : UINT64_MAX;
    }
    archetype_flush_left(world);
    archetype_sweep_idle(world);
    transition_drop_all(world); /* edges touch their archetypes, so they go first */
    trim_archetypes(world, &clock);
    for (world_child *child = world->children; child != NULL; child = child->next) {
        if (child->trim != NULL) {
            child->trim(child);
        }
    }
    stores_trim(world);
    name_trim(&world->names);
    index_trim(&world->index, trim_has_time, &clock);
    pools_trim(&world->pools, trim_has_time, &clock);
    if (released_bytes != NULL) {
        *released_bytes = before > world->memory.total ? before - world->memory.total : 0;
    }
    return SHOAL_OK;
}
