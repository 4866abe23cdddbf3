/*
 * The table of edges; see transition.h.
 *
 * Making an edge checks the change as a whole (every component known, none named twice), so a hit needs no check.
 */
#include "transition.h"

#include <string.h>

#include "../base/hash.h"
#include "world.h"

#define STACK_IDS 64
#define BUCKETS_SMALLEST 16u

static uint32_t keys_hash(const shoal_archetype *source, const transition_keys *keys) {
    uint64_t hash = hash_mix(source->index, keys->add_count);
    for (size_t i = 0; i < keys->add_count; i++) {
        hash = hash_mix(hash, keys->add[i].component.id);
    }
    for (size_t i = 0; i < keys->remove_count; i++) {
        hash = hash_mix(hash, keys->remove[i].id);
    }
    return (uint32_t)hash;
}

/* Behind the keys of an edge: steps, then columns. */
static size_t edge_bytes(size_t step_count, size_t add_count, size_t remove_count) {
    return sizeof(shoal_transition) + align_up((add_count + remove_count) * sizeof(uint32_t), sizeof(void *)) +
           step_count * sizeof(transition_step) + add_count * sizeof(uint16_t);
}

static size_t step_count_of(const shoal_archetype *source, const shoal_archetype *target) {
    return source == target ? 0 : source->column_count;
}

static void edge_release(shoal_world *world, shoal_transition *edge) {
    size_t bytes = edge_bytes(step_count_of(edge->source, edge->target), edge->add_count, edge->remove_count);
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, edge, bytes, 16);
}

/* ---- checking a change ---- */

static shoal_status component_refused(shoal_world *world, const char *call, uint32_t id) {
    return world_fail_component(world, SHOAL_COMPONENT_INVALID, call, (shoal_entity){0}, (shoal_component){id});
}

static shoal_component key_at(const transition_keys *keys, size_t i) {
    return i < keys->add_count ? keys->add[i].component : keys->remove[i - keys->add_count];
}

/* Writes all keys into `ids`; an unknown component is an error. */
static shoal_status keys_collect(shoal_world *world, const transition_keys *keys, uint32_t *ids, const char *call) {
    size_t count = 0;
    for (size_t i = 0; i < keys->add_count + keys->remove_count; i++) {
        uint32_t id = key_at(keys, i).id;
        if (component_type_find(id) == NULL) {
            return component_refused(world, call, id);
        }
        ids[count++] = id;
    }
    return SHOAL_OK;
}

/* True when the change removes the component. Changes are short, so a walk is enough. */
static bool keys_remove(const transition_keys *keys, uint32_t id) {
    for (size_t i = 0; i < keys->remove_count; i++) {
        if (keys->remove[i].id == id) {
            return true;
        }
    }
    return false;
}

/* The first component that the change names a second time; there is one. */
static shoal_component first_repeated(const transition_keys *keys) {
    for (size_t i = 1; i < keys->add_count + keys->remove_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (key_at(keys, k).id == key_at(keys, i).id) {
                return key_at(keys, i);
            }
        }
    }
    return (shoal_component){0};
}

/* The sorted set after the change; `ids` has room for the source's and the added ones, and for all keys. */
static shoal_status set_after(shoal_world *world, const shoal_archetype *source, const transition_keys *keys,
                              uint32_t *ids, size_t *id_count, const char *call) {
    shoal_status status = keys_collect(world, keys, ids, call);
    if (status != SHOAL_OK) {
        return status;
    }
    size_t key_count = keys->add_count + keys->remove_count;
    if (archetype_sort_ids(ids, key_count) != key_count) {
        return world_fail_component(world, SHOAL_COMPONENT_DUPLICATE, call, (shoal_entity){0}, first_repeated(keys));
    }
    size_t count = 0;
    for (size_t i = 0; i < source->component_count; i++) {
        if (!keys_remove(keys, source->ids[i])) {
            ids[count++] = source->ids[i];
        }
    }
    for (size_t i = 0; i < keys->add_count; i++) {
        ids[count++] = keys->add[i].component.id;
    }
    *id_count = archetype_sort_ids(ids, count);
    return SHOAL_OK;
}

static shoal_archetype *target_obtain(shoal_world *world, const shoal_archetype *source, const transition_keys *keys,
                                      const char *call) {
    uint32_t few[STACK_IDS];
    uint32_t *ids = few;
    size_t room = source->component_count + keys->add_count + keys->remove_count;
    if (room > STACK_IDS) {
        ids = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, room * sizeof *ids, 16);
        if (ids == NULL) {
            world_fail(world, world->memory.failure, call);
            return NULL;
        }
    }
    size_t count = 0;
    shoal_archetype *target = NULL;
    shoal_status status = set_after(world, source, keys, ids, &count, call);
    if (status == SHOAL_OK) {
        target = archetype_obtain(world, ids, count, &status);
        if (target == NULL) {
            world_fail(world, status, call);
        }
    }
    if (ids != few) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, ids, room * sizeof *ids, 16);
    }
    return target;
}

/* ---- the table ---- */

/* More edges than buckets make longer chains, so failing to grow is no error. */
static void table_grow(shoal_world *world) {
    transition_table *table = &world->transitions;
    uint32_t bucket_count = table->bucket_count == 0 ? BUCKETS_SMALLEST : table->bucket_count * 2;
    shoal_transition **buckets =
        memory_allocate_zero(&world->memory, SHOAL_PURPOSE_ARCHETYPE, bucket_count * sizeof(shoal_transition *), 16);
    if (buckets == NULL) {
        return;
    }
    for (uint32_t i = 0; i < table->bucket_count; i++) {
        for (shoal_transition *edge = table->buckets[i]; edge != NULL;) {
            shoal_transition *next = edge->next;
            edge->next = buckets[edge->hash & (bucket_count - 1)];
            buckets[edge->hash & (bucket_count - 1)] = edge;
            edge = next;
        }
    }
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, table->buckets,
                   table->bucket_count * sizeof(shoal_transition *), 16);
    table->buckets = buckets;
    table->bucket_count = bucket_count;
}

/* Which column of the target each column of the source goes to. */
static void steps_fill(const shoal_archetype *source, const shoal_archetype *target, transition_step *steps,
                       size_t step_count) {
    for (size_t c = 0; c < step_count; c++) {
        steps[c].byte_size = source->columns[c].byte_size;
        steps[c].to = archetype_find(target, source->ids[c]);
    }
}

/* The columns of the added keys; true when all of the components are new. */
static bool columns_fill(shoal_transition *edge, const transition_keys *keys, uint16_t *columns) {
    bool all_new = true;
    for (size_t i = 0; i < keys->add_count; i++) {
        uint32_t id = keys->add[i].component.id;
        uint32_t number = archetype_find(edge->target, id);
        edge->keys[i] = id;
        columns[i] = number < edge->target->column_count ? (uint16_t)number : (uint16_t)ARCHETYPE_NONE;
        all_new = all_new && archetype_find(edge->source, id) == ARCHETYPE_NONE;
    }
    return all_new;
}

static shoal_transition *edge_make(shoal_world *world, shoal_archetype *source, shoal_archetype *target,
                                   const transition_keys *keys, uint32_t hash) {
    size_t step_count = step_count_of(source, target);
    size_t key_bytes = align_up((keys->add_count + keys->remove_count) * sizeof(uint32_t), sizeof(void *));
    shoal_transition *edge = memory_allocate(&world->memory, SHOAL_PURPOSE_ARCHETYPE,
                                             edge_bytes(step_count, keys->add_count, keys->remove_count), 16);
    if (edge == NULL) {
        return NULL;
    }
    transition_step *steps = (transition_step *)(void *)((char *)edge->keys + key_bytes);
    uint16_t *columns = (uint16_t *)(void *)(steps + step_count);
    *edge = (shoal_transition){.source = source,
                               .target = target,
                               .hash = hash,
                               .add_count = (uint16_t)keys->add_count,
                               .remove_count = (uint16_t)keys->remove_count,
                               .steps = steps,
                               .columns = columns};
    steps_fill(source, target, steps, step_count);
    bool all_new = columns_fill(edge, keys, columns);
    edge->is_plain = all_new && source != target && !source->careful && !target->careful;
    for (size_t i = 0; i < keys->remove_count; i++) {
        edge->keys[keys->add_count + i] = keys->remove[i].id;
    }
    return edge;
}

COLD static shoal_transition *edge_add(shoal_world *world, shoal_archetype *source, const transition_keys *keys,
                                       uint32_t hash, const char *call) {
    if (keys->add_count + keys->remove_count > COMPONENT_MAX) {
        world_fail(world, SHOAL_COMPONENT_DUPLICATE, call); /* more keys than there can be types */
        return NULL;
    }
    shoal_archetype *target = target_obtain(world, source, keys, call);
    if (target == NULL) {
        return NULL;
    }
    transition_table *table = &world->transitions;
    if (table->count >= table->bucket_count) {
        table_grow(world);
    }
    shoal_transition *edge = table->bucket_count == 0 ? NULL : edge_make(world, source, target, keys, hash);
    if (edge == NULL) {
        world_fail(world, world->memory.failure, call);
        return NULL;
    }
    edge->next = table->buckets[hash & (table->bucket_count - 1)];
    table->buckets[hash & (table->bucket_count - 1)] = edge;
    table->count++;
    return edge;
}

shoal_transition *transition_obtain(shoal_world *world, shoal_archetype *source, const transition_keys *keys,
                                    const char *call) {
    const transition_table *table = &world->transitions;
    uint32_t hash = keys_hash(source, keys);
    shoal_transition *edge = table->bucket_count == 0 ? NULL : table->buckets[hash & (table->bucket_count - 1)];
    while (edge != NULL && (edge->hash != hash || edge->source != source || !transition_is(edge, keys))) {
        edge = edge->next;
    }
    if (edge == NULL) {
        edge = edge_add(world, source, keys, hash, call);
    }
    if (edge != NULL) {
        source->recent = edge;
    }
    return edge;
}

void transition_drop_all(shoal_world *world) {
    transition_table *table = &world->transitions;
    for (uint32_t i = 0; i < table->bucket_count; i++) {
        for (shoal_transition *edge = table->buckets[i]; edge != NULL;) {
            shoal_transition *next = edge->next;
            edge->source->recent = NULL;
            edge_release(world, edge);
            edge = next;
        }
    }
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, table->buckets,
                   table->bucket_count * sizeof(shoal_transition *), 16);
    *table = (transition_table){0};
}
