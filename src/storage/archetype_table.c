/*
 * The tables of archetypes; see archetype_table.h.
 */
#include "archetype_table.h"

#include <string.h>

#include "../base/hash.h"
#include "world.h"

#define BY_SET_SMALLEST 16u

/* ---- by set ---- */

uint32_t archetype_set_hash(archetype_set set) {
    uint64_t hash = set.count;
    for (size_t i = 0; i < set.count; i++) {
        hash = hash_mix(hash, set.ids[i]);
    }
    for (size_t i = 0; i < set.key_count; i++) {
        hash = hash_mix(hash, set.keys[i]);
    }
    return (uint32_t)hash;
}

static bool set_equal(const shoal_archetype *archetype, archetype_set set, uint32_t hash) {
    if (archetype->hash != hash || archetype->component_count != set.count ||
        (set.count != 0 && memcmp(archetype->ids, set.ids, set.count * sizeof *set.ids) != 0)) {
        return false;
    }
    for (size_t i = 0; i < set.key_count; i++) {
        if (archetype->more->shared[i].key != set.keys[i]) {
            return false;
        }
    }
    return true;
}

shoal_archetype *archetype_lookup(const shoal_world *world, archetype_set set) {
    if (world->by_set == NULL) {
        return NULL;
    }
    uint32_t hash = archetype_set_hash(set);
    for (uint32_t slot = hash & world->by_set_mask;; slot = (slot + 1) & world->by_set_mask) {
        shoal_archetype *found = world->by_set[slot];
        if (found == NULL || set_equal(found, set, hash)) {
            return found;
        }
    }
}

static void by_set_insert(shoal_archetype **table, uint32_t mask, shoal_archetype *added) {
    uint32_t slot = added->hash & mask;
    while (table[slot] != NULL) {
        slot = (slot + 1) & mask;
    }
    table[slot] = added;
}

static size_t by_set_bytes(const shoal_world *world) {
    return world->by_set == NULL ? 0 : ((size_t)world->by_set_mask + 1) * sizeof(shoal_archetype *);
}

/* Keeps the table at most three quarters full with one more archetype. */
static shoal_status by_set_reserve(shoal_world *world) {
    uint32_t size = world->by_set == NULL ? 0 : world->by_set_mask + 1;
    if ((world->archetype_count + 1) * 4 <= size * 3) {
        return SHOAL_OK;
    }
    uint32_t grown = size == 0 ? BY_SET_SMALLEST : size * 2;
    shoal_archetype **table =
        memory_allocate_zero(&world->memory, SHOAL_PURPOSE_ARCHETYPE, grown * sizeof(shoal_archetype *), 16);
    if (table == NULL) {
        return memory_failure(&world->memory);
    }
    for (uint32_t i = 0; i < world->archetype_count; i++) {
        by_set_insert(table, grown - 1, world->by_age[i]);
    }
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, world->by_set, by_set_bytes(world), 16);
    world->by_set = table;
    world->by_set_mask = grown - 1;
    return SHOAL_OK;
}

/* Takes an archetype out and moves later members of its run up, so that no look-up meets a gap. */
static void by_set_remove(shoal_world *world, const shoal_archetype *removed) {
    uint32_t mask = world->by_set_mask;
    uint32_t hole = removed->hash & mask;
    while (world->by_set[hole] != removed) {
        hole = (hole + 1) & mask;
    }
    for (uint32_t slot = (hole + 1) & mask; world->by_set[slot] != NULL; slot = (slot + 1) & mask) {
        uint32_t home = world->by_set[slot]->hash & mask;
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            world->by_set[hole] = world->by_set[slot];
            hole = slot;
        }
    }
    world->by_set[hole] = NULL;
}

/* ---- the tables by index and by age ---- */

static shoal_status lists_reserve(shoal_world *world) {
    if (world->archetype_count < world->archetype_capacity) {
        return SHOAL_OK;
    }
    if (world->archetype_count >= INDEX_ARCHETYPE_MAX) {
        return SHOAL_ARCHETYPE_LIMIT;
    }
    uint32_t old = world->archetype_capacity;
    uint32_t capacity = old == 0 ? 8 : old * 2;
    shoal_memory *memory = &world->memory;
    shoal_archetype **by_index =
        memory_allocate_zero(memory, SHOAL_PURPOSE_ARCHETYPE, capacity * sizeof(shoal_archetype *), 16);
    shoal_archetype **by_age =
        memory_allocate(memory, SHOAL_PURPOSE_ARCHETYPE, capacity * sizeof(shoal_archetype *), 16);
    if (by_index == NULL || by_age == NULL) {
        shoal_status failure = memory_failure(memory);
        memory_release(memory, SHOAL_PURPOSE_ARCHETYPE, by_index, capacity * sizeof(shoal_archetype *), 16);
        memory_release(memory, SHOAL_PURPOSE_ARCHETYPE, by_age, capacity * sizeof(shoal_archetype *), 16);
        return failure;
    }
    if (old > 0) {
        memcpy(by_index, world->archetypes, old * sizeof(shoal_archetype *));
        memcpy(by_age, world->by_age, old * sizeof(shoal_archetype *));
    }
    memory_release(memory, SHOAL_PURPOSE_ARCHETYPE, world->archetypes, old * sizeof(shoal_archetype *), 16);
    memory_release(memory, SHOAL_PURPOSE_ARCHETYPE, world->by_age, old * sizeof(shoal_archetype *), 16);
    world->archetypes = by_index;
    world->by_age = by_age;
    world->archetype_capacity = capacity;
    return SHOAL_OK;
}

shoal_status archetype_tables_reserve(shoal_world *world) {
    shoal_status status = lists_reserve(world);
    return status == SHOAL_OK ? by_set_reserve(world) : status;
}

void archetype_tables_insert(shoal_world *world, shoal_archetype *added) {
    uint32_t index = world->archetype_free_hint;
    while (world->archetypes[index] != NULL) {
        index++;
    }
    world->archetype_free_hint = index + 1;
    added->index = index;
    world->archetypes[index] = added;
    world->by_age[world->archetype_count++] = added;
    world->special_archetypes += !added->ends_simply;
    by_set_insert(world->by_set, world->by_set_mask, added);
}

void archetype_tables_remove(shoal_world *world, const shoal_archetype *removed) {
    by_set_remove(world, removed);
    world->special_archetypes -= !removed->ends_simply;
    world->archetypes[removed->index] = NULL;
    if (removed->index < world->archetype_free_hint) {
        world->archetype_free_hint = removed->index;
    }
}
