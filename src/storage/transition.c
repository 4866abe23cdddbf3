/*
 * The table of edges; see transition.h.
 *
 * Making an edge checks the change as a whole (every component known, none named twice), so a hit needs no check.
 */
#include "transition.h"

#include <shoal/relation.h>

#include <string.h>

#include "../base/hash.h"
#include "store.h"
#include "world.h"

#define STACK_IDS 64
#define BUCKETS_SMALLEST 16u
#define EDGES_MAX 65536u /* far above what a program needs; a shuffled order of keys makes an edge for each order */

/* The numbers of shared values and the targets of split relations among the added keys: in `few`, or where there are
   many, in the table's room. A commit finds edges that its plan has made, so the second look-up must not allocate. */
typedef struct shared_keys {
    uint64_t few[8];
    uint64_t *all;
    size_t count;
} shared_keys;

static uint32_t keys_hash(const shoal_archetype *source, const transition_keys *keys, const shared_keys *shared) {
    uint64_t hash = hash_mix(source->index, keys->add_count);
    for (size_t i = 0; i < keys->add_count; i++) {
        hash = hash_mix(hash, keys->add[i].component.id);
    }
    for (size_t i = 0; i < keys->remove_count; i++) {
        hash = hash_mix(hash, keys->remove[i].id);
    }
    for (size_t i = 0; i < shared->count; i++) {
        hash = hash_mix(hash, shared->all[i]);
    }
    return (uint32_t)hash;
}

/* The full compare: also what the quick one leaves out. */
static bool edge_is(const shoal_transition *edge, const transition_keys *keys, const shared_keys *shared) {
    if (edge->add_count != keys->add_count || edge->remove_count != keys->remove_count ||
        edge->is_bare != keys->is_bare || edge->names_dying != keys->may_name_dying ||
        !transition_has_keys(edge, keys)) {
        return false;
    }
    for (size_t i = 0; i < shared->count; i++) {
        if (transition_more_of(edge)->shared_keys[i] != shared->all[i]) {
            return false;
        }
    }
    return true;
}

static size_t step_count_of(const shoal_archetype *source, const shoal_archetype *target) {
    return source == target ? 0 : source->column_count;
}

static void edge_release(shoal_world *world, shoal_transition *edge) {
    if (edge->source->more->dying_edge == edge) {
        edge->source->more->dying_edge = NULL;
    }
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, edge, edge->byte_size, 16);
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
        return error_detail(world_error(world), status, call,
                            "a component is null; if its type was refused, shoal_last_error(NULL) says why");
    }
    return world_fail_component(world, status, call, (shoal_entity){0}, (shoal_component){id});
}

/* What is wrong with naming a component in a change. */
static shoal_status key_check(const shoal_world *world, const transition_keys *keys, uint32_t id) {
    const component_type *type = component_type_find(id);
    if (type == NULL) {
        return SHOAL_COMPONENT_INVALID;
    }
    bool is_dying = id == world->dying_id && !keys->may_name_dying;
    return is_dying || type->def.storage == SHOAL_STORAGE_UNIQUE ? SHOAL_COMPONENT_KIND : SHOAL_OK;
}

/* Writes all keys into `ids`, sorted. An unknown component and one that is named twice are errors. */
static shoal_status keys_sort(shoal_world *world, const transition_keys *keys, uint32_t *ids, const char *call) {
    size_t count = key_count(keys);
    for (size_t i = 0; i < count; i++) {
        ids[i] = key_at(keys, i);
        shoal_status status = key_check(world, keys, ids[i]);
        if (status != SHOAL_OK) {
            return key_refused(world, status, call, ids[i]);
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
    return room->ids != NULL ? SHOAL_OK : world_fail(world, memory_failure(&world->memory), call);
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

/* ---- the change as a whole ---- */

/* A change while its edge is made. */
typedef struct edge_plan {
    shoal_world *world;
    shoal_archetype *source;
    const transition_keys *keys;
    const shared_keys *shared;
    const uint32_t *sorted_keys;
    memory_array implied; /* uint32_t */
    size_t implied_count;
    const char *call;
} edge_plan;

static uint32_t implied_at(const edge_plan *plan, size_t i) {
    return ((const uint32_t *)plan->implied.items)[i];
}

static bool is_implied(const edge_plan *plan, uint32_t id) {
    for (size_t i = 0; i < plan->implied_count; i++) {
        if (implied_at(plan, i) == id) {
            return true;
        }
    }
    return false;
}

static bool is_key(const edge_plan *plan, uint32_t id) {
    for (size_t i = 0; i < key_count(plan->keys); i++) {
        if (key_at(plan->keys, i) == id) {
            return true;
        }
    }
    return false;
}

/* Adds what one new component requires to the implied ones. */
static shoal_status implied_add(edge_plan *plan, const component_type *type) {
    for (size_t i = 0; i < type->def.required_count; i++) {
        uint32_t id = shoal_component_of(type->def.required[i]).id;
        if (id == 0) {
            return key_refused(plan->world, SHOAL_COMPONENT_INVALID, plan->call, 0);
        }
        if (is_key(plan, id) || is_implied(plan, id) || archetype_find(plan->source, id) != ARCHETYPE_NONE) {
            continue;
        }
        shoal_status status = memory_array_reserve(&plan->world->memory, SHOAL_PURPOSE_SCRATCH, &plan->implied,
                                                   plan->implied_count + 1, sizeof(uint32_t));
        if (status != SHOAL_OK) {
            return world_fail(plan->world, status, plan->call);
        }
        ((uint32_t *)plan->implied.items)[plan->implied_count++] = id;
    }
    return SHOAL_OK;
}

/* All that the added components require, and what that requires in turn. */
static shoal_status implied_find(edge_plan *plan) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < plan->keys->add_count && status == SHOAL_OK && !plan->keys->is_bare; i++) {
        const component_type *type = component_type_at(plan->keys->add[i].component.id);
        if (!type->in_archetype || archetype_find(plan->source, type->id) == ARCHETYPE_NONE) {
            status = implied_add(plan, type);
        }
    }
    for (size_t i = 0; i < plan->implied_count && status == SHOAL_OK; i++) {
        status = implied_add(plan, component_type_at(implied_at(plan, i)));
    }
    return status;
}

/* The sorted ids after the change: what the source has and no key names, what is added, what is implied. */
static size_t ids_after(const edge_plan *plan, uint32_t *ids) {
    const shoal_archetype *source = plan->source;
    const transition_keys *keys = plan->keys;
    size_t count = 0;
    size_t key = 0;
    for (size_t i = 0; i < source->component_count; i++) {
        while (key < key_count(keys) && archetype_id_before(plan->sorted_keys[key], source->ids[i])) {
            key++;
        }
        if (key == key_count(keys) || plan->sorted_keys[key] != source->ids[i]) {
            ids[count++] = source->ids[i];
        }
    }
    for (size_t i = 0; i < keys->add_count + plan->implied_count; i++) {
        uint32_t id = i < keys->add_count ? keys->add[i].component.id : implied_at(plan, i - keys->add_count);
        if (component_type_at(id)->in_set) {
            ids[count++] = id;
        }
    }
    archetype_sort_ids(ids, count);
    return count;
}

/* The key of one component after the change: the one that is added, the source's, or that of the default value. */
static shoal_status shared_key_after(const edge_plan *plan, uint32_t id, uint64_t *key) {
    size_t added = 0;
    for (size_t i = 0; i < plan->keys->add_count; i++) {
        uint32_t key_id = plan->keys->add[i].component.id;
        if (key_id == id) {
            *key = plan->shared->all[added];
            return SHOAL_OK;
        }
        added += component_type_at(key_id)->keyed;
    }
    uint32_t number = archetype_shared_number(plan->source, id);
    if (number != ARCHETYPE_NONE) {
        *key = plan->source->more->shared[number].key;
        return SHOAL_OK;
    }
    uint32_t value = 0;
    shoal_status status = store_shared_value(plan->world, component_type_at(id), NULL, &value);
    *key = value;
    return status;
}

static shoal_archetype *set_obtain(const edge_plan *plan, const uint32_t *ids, size_t count) {
    shoal_world *world = plan->world;
    uint64_t few[16];
    uint64_t *shared = few;
    size_t shared_count = 0;
    for (size_t i = 0; i < count; i++) {
        shared_count += component_type_at(ids[i])->keyed;
    }
    size_t bytes = shared_count * sizeof(uint64_t);
    if (shared_count > sizeof few / sizeof few[0]) {
        shared = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, bytes, 16);
    }
    shoal_status status = shared != NULL ? SHOAL_OK : memory_failure(&world->memory);
    size_t done = 0;
    for (size_t i = 0; i < count && status == SHOAL_OK; i++) {
        if (component_type_at(ids[i])->keyed) {
            status = shared_key_after(plan, ids[i], &shared[done++]);
        }
    }
    archetype_set set = {.ids = ids, .count = count, .keys = shared, .key_count = shared_count};
    shoal_archetype *target = status == SHOAL_OK ? archetype_obtain(world, set, &status) : NULL;
    if (target == NULL) {
        world_fail(world, status, plan->call);
    }
    if (shared != few) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, shared, bytes, 16);
    }
    return target;
}

/* Finds what is implied and makes the target; NULL with the error stored. */
static shoal_archetype *target_obtain(edge_plan *plan) {
    shoal_world *world = plan->world;
    const transition_keys *keys = plan->keys;
    id_room room;
    id_room after;
    if (id_room_make(world, &room, key_count(keys), plan->call) != SHOAL_OK) {
        return NULL;
    }
    shoal_archetype *target = NULL;
    plan->sorted_keys = room.ids;
    if (keys_sort(world, keys, room.ids, plan->call) == SHOAL_OK && implied_find(plan) == SHOAL_OK &&
        id_room_make(world, &after, plan->source->component_count + keys->add_count + plan->implied_count,
                     plan->call) == SHOAL_OK) {
        size_t count = ids_after(plan, after.ids);
        target = set_obtain(plan, after.ids, count);
        id_room_release(world, &after);
    }
    plan->sorted_keys = NULL;
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
        edge->has_loose = edge->has_loose || !component_type_at(id)->in_archetype;
    }
    for (size_t i = 0; i < keys->remove_count; i++) {
        edge->keys[keys->add_count + i] = keys->remove[i].id;
        edge->has_loose = edge->has_loose || !component_type_at(keys->remove[i].id)->in_archetype;
    }
    for (size_t i = 0; i < transition_implied_count(edge); i++) {
        edge->has_loose = edge->has_loose || !component_type_at(transition_implied(edge, i))->in_archetype;
    }
    return all_new;
}

static bool has_keys(const shoal_archetype *archetype) {
    return archetype->more->shared_count != 0;
}

/* One block: the edge with its keys, the steps, what few edges have, the columns. */
static shoal_transition *edge_allocate(const edge_plan *plan, const shoal_archetype *target, size_t step_count) {
    const transition_keys *keys = plan->keys;
    bool is_listed = has_keys(plan->source) || has_keys(target);
    bool has_more = plan->shared->count + plan->implied_count != 0 || is_listed;
    size_t steps_at = align_up(sizeof(shoal_transition) + key_count(keys) * sizeof(uint32_t), sizeof(uint64_t));
    size_t more_at = steps_at + step_count * sizeof(transition_step);
    size_t shared_at = more_at + (has_more ? sizeof(transition_more) : 0);
    size_t implied_at_byte = shared_at + plan->shared->count * sizeof(uint64_t);
    size_t columns_at = implied_at_byte + plan->implied_count * sizeof(uint32_t);
    size_t bytes = columns_at + keys->add_count * sizeof(uint16_t);
    shoal_transition *edge = memory_allocate_zero(&plan->world->memory, SHOAL_PURPOSE_ARCHETYPE, bytes, 16);
    if (edge == NULL) {
        return NULL;
    }
    edge->steps_at = (uint32_t)steps_at;
    edge->columns_at = (uint32_t)columns_at;
    edge->more_at = has_more ? (uint32_t)more_at : 0;
    edge->byte_size = (uint32_t)bytes;
    if (has_more) {
        uint64_t *shared = (uint64_t *)(void *)((char *)edge + shared_at);
        uint32_t *implied = (uint32_t *)(void *)((char *)edge + implied_at_byte);
        memcpy(shared, plan->shared->all, plan->shared->count * sizeof(uint64_t));
        for (size_t i = 0; i < plan->implied_count; i++) {
            implied[i] = implied_at(plan, i);
        }
        *(transition_more *)(void *)((char *)edge + more_at) = (transition_more){
            .shared_keys = shared, .implied = implied, .implied_count = (uint32_t)plan->implied_count};
    }
    return edge;
}

/* A relation without data that concerns nobody but both ends. */
static bool is_plain_link(const component_type *type) {
    const shoal_component_def *def = &type->def;
    return def->storage == SHOAL_STORAGE_RELATION && def->size == 0 && !type->notifies && def->required_count == 0 &&
           !def->split;
}

/* 1 + the number of the only loose key, when it is a plain link; else 0. */
static uint8_t link_key_of(const transition_keys *keys) {
    uint8_t found = 0;
    for (size_t i = 0; i < keys->add_count; i++) {
        const component_type *type = component_type_at(keys->add[i].component.id);
        if (type->in_archetype) {
            continue;
        }
        if (found != 0 || i >= UINT8_MAX || !is_plain_link(type)) {
            return 0;
        }
        found = (uint8_t)(i + 1);
    }
    return found;
}

static shoal_transition *edge_make(const edge_plan *plan, shoal_archetype *target, uint32_t hash) {
    shoal_archetype *source = plan->source;
    const transition_keys *keys = plan->keys;
    size_t step_count = step_count_of(source, target);
    shoal_transition *edge = edge_allocate(plan, target, step_count);
    if (edge == NULL) {
        return NULL;
    }
    edge->source = source;
    edge->target = target;
    edge->hash = hash;
    edge->add_count = (uint16_t)keys->add_count;
    edge->remove_count = (uint16_t)keys->remove_count;
    edge->is_bare = keys->is_bare;
    edge->names_dying = keys->may_name_dying;
    edge->match_count = plan->shared->count != 0 || keys->may_name_dying ? UINT32_MAX : (uint32_t)keys->add_count;
    /* The block is this edge's own, so what it points to may be written. */
    steps_fill(source, target, (transition_step *)(uintptr_t)transition_steps(edge), step_count);
    bool all_new = columns_fill(edge, keys, (uint16_t *)(uintptr_t)transition_columns(edge));
    bool may_be_idle = has_keys(source) || has_keys(target); /* empty afterwards, which ends them */
    edge->is_careful =
        source->careful || target->careful || edge->has_loose || may_be_idle || transition_implied_count(edge) != 0;
    edge->is_plain = all_new && source != target && !edge->is_careful;
    bool rest_is_plain = !source->careful && !target->careful && transition_implied_count(edge) == 0;
    edge->link_key = rest_is_plain && all_new && keys->remove_count == 0 ? link_key_of(keys) : 0;
    return edge;
}

/* ---- the lists of archetypes with keys ---- */

/* The edge's place in the list of its source or of its target. */
static transition_place *place_of(shoal_transition *edge, bool is_source) {
    transition_more *more = (transition_more *)(void *)((char *)edge + edge->more_at);
    return is_source ? &more->from : &more->to;
}

static void list_link(shoal_transition *edge, const shoal_archetype *archetype, bool is_source) {
    if (!has_keys(archetype)) {
        return;
    }
    shoal_transition **first = is_source ? &archetype->more->from : &archetype->more->to;
    *place_of(edge, is_source) = (transition_place){.next = *first};
    if (*first != NULL) {
        place_of(*first, is_source)->previous = edge;
    }
    *first = edge;
}

static void list_unlink(shoal_transition *edge, const shoal_archetype *archetype, bool is_source) {
    if (!has_keys(archetype)) {
        return;
    }
    const transition_place place = *place_of(edge, is_source);
    if (place.next != NULL) {
        place_of(place.next, is_source)->previous = place.previous;
    }
    if (place.previous != NULL) {
        place_of(place.previous, is_source)->next = place.next;
    } else if (is_source) {
        archetype->more->from = place.next;
    } else {
        archetype->more->to = place.next;
    }
}

static shoal_transition *edge_insert(shoal_world *world, shoal_transition *edge) {
    transition_table *table = &world->transitions;
    edge->next = table->buckets[edge->hash & (table->bucket_count - 1)];
    table->buckets[edge->hash & (table->bucket_count - 1)] = edge;
    table->count++;
    list_link(edge, edge->source, true);
    list_link(edge, edge->target, false);
    return edge;
}

COLD static shoal_transition *edge_add(shoal_world *world, shoal_archetype *source, const transition_keys *keys,
                                       const shared_keys *shared, uint32_t hash, const char *call) {
    if (keys->add_count + keys->remove_count > COMPONENT_MAX) {
        world_fail(world, SHOAL_COMPONENT_DUPLICATE, call); /* more keys than there can be types */
        return NULL;
    }
    edge_plan plan = {.world = world, .source = source, .keys = keys, .shared = shared, .call = call};
    shoal_archetype *target = target_obtain(&plan);
    shoal_transition *edge = NULL;
    if (target != NULL) {
        if (world->transitions.count >= world->transitions.bucket_count) {
            table_grow(world);
        }
        edge = world->transitions.bucket_count == 0 ? NULL : edge_make(&plan, target, hash);
        if (edge == NULL) {
            world_fail(world, memory_failure(&world->memory), call);
        }
    }
    memory_array_release(&world->memory, SHOAL_PURPOSE_SCRATCH, &plan.implied, sizeof(uint32_t));
    return edge != NULL ? edge_insert(world, edge) : NULL;
}

/* ---- looking up ---- */

static size_t shared_key_count(const transition_keys *keys) {
    size_t count = 0;
    for (size_t i = 0; i < keys->add_count; i++) {
        const component_type *type = component_type_find(keys->add[i].component.id);
        count += type != NULL && type->keyed;
    }
    return count;
}

/* The key of one added component. Without data an entity keeps the one that it has. A relation without a target gets an
   archetype that no row will come into, since the checks of its link find the fault. */
static shoal_status shared_key_find(shoal_world *world, const shoal_archetype *source, const shoal_value *added,
                                    uint64_t *key) {
    uint32_t number = archetype_shared_number(source, added->component.id);
    if (added->data == NULL && number != ARCHETYPE_NONE) {
        *key = source->more->shared[number].key;
        return SHOAL_OK;
    }
    const component_type *type = component_type_at(added->component.id);
    if (type->def.split) {
        *key = added->data != NULL ? ((const shoal_link *)added->data)->target.bits : 0;
        return SHOAL_OK;
    }
    uint32_t value = 0;
    shoal_status status = store_shared_value(world, type, added->data, &value);
    *key = value;
    return status;
}

/* Finds the added keys, and makes shared values; those that nothing uses afterwards go in shared_keys_settle(). */
COLD static shoal_status shared_keys_find(shoal_world *world, const shoal_archetype *source,
                                          const transition_keys *keys, shared_keys *shared, size_t count) {
    if (count > sizeof shared->few / sizeof shared->few[0]) {
        memory_array *room = &world->transitions.key_room;
        shoal_status status =
            memory_array_reserve(&world->memory, SHOAL_PURPOSE_SCRATCH, room, count, sizeof(uint64_t));
        if (status != SHOAL_OK) {
            return status;
        }
        shared->all = room->items;
    }
    for (size_t i = 0; i < keys->add_count; i++) {
        const component_type *type = component_type_find(keys->add[i].component.id);
        if (type != NULL && type->keyed) {
            shoal_status status = shared_key_find(world, source, &keys->add[i], &shared->all[shared->count]);
            if (status != SHOAL_OK) {
                return status;
            }
            shared->count++;
        }
    }
    return SHOAL_OK;
}

/* Forgets shared values that nothing uses. */
COLD static void shared_keys_settle(shoal_world *world, const transition_keys *keys, const shared_keys *shared) {
    size_t done = 0;
    for (size_t i = 0; i < keys->add_count && done < shared->count; i++) {
        const component_type *type = component_type_find(keys->add[i].component.id);
        if (type != NULL && type->def.storage == SHOAL_STORAGE_SHARED) {
            shared_forget_unused(store_shared(world, type->id), (uint32_t)shared->all[done]);
        }
        done += type != NULL && type->keyed;
    }
}

static shoal_transition *edge_lookup(shoal_world *world, shoal_archetype *source, const transition_keys *keys,
                                     const shared_keys *shared, const char *call) {
    const transition_table *table = &world->transitions;
    uint32_t hash = keys_hash(source, keys, shared);
    shoal_transition *edge = table->bucket_count == 0 ? NULL : table->buckets[hash & (table->bucket_count - 1)];
    while (edge != NULL && (edge->hash != hash || edge->source != source || !edge_is(edge, keys, shared))) {
        edge = edge->next;
    }
    if (edge == NULL && !table->is_closed) {
        edge = edge_add(world, source, keys, shared, hash, call);
    }
    if (edge != NULL) {
        source->recent = edge;
    }
    return edge;
}

shoal_transition *transition_obtain(shoal_world *world, shoal_archetype *source, const transition_keys *keys,
                                    const char *call) {
    shared_keys shared = {.all = shared.few};
    size_t shared_count = shared_key_count(keys);
    if (LIKELY(shared_count == 0)) {
        return edge_lookup(world, source, keys, &shared, call);
    }
    shoal_transition *edge = NULL;
    shoal_status status = shared_keys_find(world, source, keys, &shared, shared_count);
    if (status != SHOAL_OK) {
        world_fail(world, status, call);
    } else {
        edge = edge_lookup(world, source, keys, &shared, call);
    }
    shared_keys_settle(world, keys, &shared);
    return edge;
}

static void edge_drop(shoal_world *world, shoal_transition *edge) {
    transition_table *table = &world->transitions;
    shoal_transition **link = &table->buckets[edge->hash & (table->bucket_count - 1)];
    while (*link != edge) {
        link = &(*link)->next;
    }
    *link = edge->next;
    table->count--;
    list_unlink(edge, edge->source, true);
    list_unlink(edge, edge->target, false);
    if (edge->source->recent == edge) {
        edge->source->recent = NULL;
    }
    edge_release(world, edge);
}

void transition_drop_of(shoal_world *world, const shoal_archetype *archetype) {
    while (archetype->more->from != NULL) {
        edge_drop(world, archetype->more->from);
    }
    while (archetype->more->to != NULL) {
        edge_drop(world, archetype->more->to);
    }
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
            list_unlink(edge, edge->source, true);
            list_unlink(edge, edge->target, false);
            edge->source->recent = NULL;
            edge_release(world, edge);
            edge = next;
        }
    }
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, table->buckets,
                   table->bucket_count * sizeof(shoal_transition *), 16);
    memory_array_release(&world->memory, SHOAL_PURPOSE_SCRATCH, &table->key_room, sizeof(uint64_t));
    *table = (transition_table){0};
}
