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
#define EDGES_MAX 65536u /* far above what a program needs; a shuffled order of keys makes an edge for each order */

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

static uint32_t key_at(const transition_keys *keys, size_t i) {
    return i < keys->add_count ? keys->add[i].component.id : keys->remove[i - keys->add_count].id;
}

static size_t key_count(const transition_keys *keys) {
    return keys->add_count + keys->remove_count;
}

static shoal_status key_refused(shoal_world *world, shoal_status status, const char *call, uint32_t id) {
    if (id == 0) {
        return error_detail(&world->error, status, call,
                            "a component is null; if its type was refused, shoal_last_error(NULL) says why");
    }
    return world_fail_component(world, status, call, (shoal_entity){0}, (shoal_component){id});
}

/* Writes all keys into `ids`, sorted. An unknown component and one that is named twice are errors. */
static shoal_status keys_sort(shoal_world *world, const transition_keys *keys, uint32_t *ids, const char *call) {
    size_t count = key_count(keys);
    for (size_t i = 0; i < count; i++) {
        ids[i] = key_at(keys, i);
        if (component_type_find(ids[i]) == NULL) {
            return key_refused(world, SHOAL_COMPONENT_INVALID, call, ids[i]);
        }
    }
    archetype_sort_ids(ids, count);
    for (size_t i = 1; i < count; i++) {
        if (ids[i] == ids[i - 1]) {
            return key_refused(world, SHOAL_COMPONENT_DUPLICATE, call, ids[i]);
        }
    }
    return SHOAL_OK;
}

/* The sorted set after the change: what the source has and no key names, and what is added. Both are walked in order.
 */
static size_t set_after(const shoal_archetype *source, const transition_keys *keys, const uint32_t *sorted_keys,
                        uint32_t *ids) {
    size_t count = 0;
    size_t key = 0;
    for (size_t i = 0; i < source->component_count; i++) {
        while (key < key_count(keys) && archetype_id_before(sorted_keys[key], source->ids[i])) {
            key++;
        }
        if (key == key_count(keys) || sorted_keys[key] != source->ids[i]) {
            ids[count++] = source->ids[i];
        }
    }
    for (size_t i = 0; i < keys->add_count; i++) {
        ids[count++] = keys->add[i].component.id;
    }
    archetype_sort_ids(ids, count);
    return count;
}

/* Room for ids: on the stack for few, else scratch memory. */
typedef struct id_room {
    uint32_t few[STACK_IDS];
    uint32_t *ids;
    size_t count;
} id_room;

static shoal_status id_room_make(shoal_world *world, id_room *room, size_t count, const char *call) {
    room->ids = room->few;
    room->count = count;
    if (count > STACK_IDS) {
        room->ids = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, count * sizeof(uint32_t), 16);
    }
    return room->ids != NULL ? SHOAL_OK : world_fail(world, world->memory.failure, call);
}

static void id_room_release(shoal_world *world, id_room *room) {
    if (room->ids != room->few) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, room->ids, room->count * sizeof(uint32_t), 16);
    }
}

shoal_status transition_check(shoal_world *world, const transition_keys *keys, const char *call) {
    id_room room;
    shoal_status status = id_room_make(world, &room, key_count(keys), call);
    if (status == SHOAL_OK) {
        status = keys_sort(world, keys, room.ids, call);
        id_room_release(world, &room);
    }
    return status;
}

static shoal_archetype *target_obtain(shoal_world *world, const shoal_archetype *source, const transition_keys *keys,
                                      const char *call) {
    id_room room;
    shoal_status status = id_room_make(world, &room, key_count(keys) + source->component_count + keys->add_count, call);
    if (status != SHOAL_OK) {
        return NULL;
    }
    shoal_archetype *target = NULL;
    if (keys_sort(world, keys, room.ids, call) == SHOAL_OK) {
        uint32_t *ids = room.ids + key_count(keys);
        size_t count = set_after(source, keys, room.ids, ids);
        target = archetype_obtain(world, ids, count, &status);
        if (target == NULL) {
            world_fail(world, status, call);
        }
    }
    id_room_release(world, &room);
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

void transition_bound(shoal_world *world) {
    if (UNLIKELY(world->transitions.count >= EDGES_MAX)) {
        transition_drop_all(world);
    }
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
