/*
 * The reference world of the random tests: the slots of naive_slots.h, each with a bit for every kind and a payload
 * for every value. It does what the headers of Shoal say, in the most obvious way, and shares no code with Shoal.
 *
 * Every operation returns an outcome, as naive_slots.h has it. A failed operation changes nothing.
 */
#ifndef SHOAL_TESTS_NAIVE_WORLD_H
#define SHOAL_TESTS_NAIVE_WORLD_H

#include "components.h"
#include "naive_slots.h"

#include <shoal/query.h>

typedef struct naive_value {
    value_kind type;
    bool has_data;
    uint64_t payload;
} naive_value;

/* What an entity has; beside its slot. */
typedef struct naive_slot {
    uint32_t mask; /* bit `kind` is set where the entity has it */
    uint64_t payload[KIND_DATA_COUNT];
} naive_slot;

typedef struct naive_world {
    naive_slots slots;
} naive_world;

/* Several changes in one, as shoal_change. */
typedef struct naive_change {
    const naive_value *add;
    size_t add_count;
    const value_kind *remove;
    size_t remove_count;
} naive_change;

void naive_init(naive_world *naive, const shoal_world *world, uint64_t entity_limit);
void naive_free(naive_world *naive);
void naive_copy(naive_world *copy, const naive_world *naive);

/* The slot of a live entity, or NULL. */
naive_slot *naive_find(const naive_world *naive, shoal_entity entity);
/* What lies beside a slot below slots.count. */
naive_slot *naive_slot_at(const naive_world *naive, size_t index);
/* The handle that a slot has now, also when it is free. */
shoal_entity naive_handle(const naive_world *naive, size_t index);
/* Why a handle, or a change, cannot be used, or 0. */
naive_outcome naive_check(const naive_world *naive, shoal_entity entity);
naive_outcome naive_check_change(const naive_change *change);

naive_outcome naive_spawn(naive_world *naive, const naive_value *values, size_t count, shoal_entity *entity);
naive_outcome naive_spawn_at(naive_world *naive, shoal_entity chosen, const naive_value *values, size_t count);
naive_outcome naive_clone(naive_world *naive, shoal_entity source, shoal_entity *entity);
naive_outcome naive_destroy(naive_world *naive, shoal_entity entity);
naive_outcome naive_destroy_many(naive_world *naive, const shoal_entity *entities, size_t count);
naive_outcome naive_apply_change(naive_world *naive, shoal_entity entity, const naive_change *change);
naive_outcome naive_add(naive_world *naive, shoal_entity entity, naive_value value);
naive_outcome naive_remove(naive_world *naive, shoal_entity entity, value_kind type);
naive_outcome naive_set(naive_world *naive, shoal_entity entity, naive_value value);
naive_outcome naive_clear(naive_world *naive, shoal_entity entity);

/* True when an entity with these kinds matches the terms, as query.h defines them. */
bool naive_terms_match(uint32_t mask, const shoal_term *terms, size_t term_count);
/* True when the slot has an entity that matches the terms. */
bool naive_matches(const naive_world *naive, size_t index, const shoal_term *terms, size_t term_count);

#endif
