/*
 * The slots of a reference world: which entities live, which handles they have, which slots spawns may take. As
 * base.h and id.h say it, in the most obvious way: an array, and a loop over it. Beside each slot lies a row of the
 * world's own, zero when the slot is taken.
 *
 * What can fail gives an outcome: 0 when it was done, otherwise the set of statuses that Shoal may give for it (a bit
 * for each; several where a call is wrong in more than one way), and nothing has changed then.
 */
#ifndef SHOAL_TESTS_NAIVE_SLOTS_H
#define SHOAL_TESTS_NAIVE_SLOTS_H

#include <shoal/world.h>

typedef uint64_t naive_outcome;

#define NAIVE_ERROR(status) ((naive_outcome)1 << (status))
#define NAIVE_ANY_ERROR (~(naive_outcome)1)

typedef struct slot_state {
    bool alive;
    bool reserved;
    bool retired;
    uint32_t generation; /* of the entity, or of the next one */
} slot_state;

typedef struct naive_slots {
    slot_state *states; /* slots from `count` on are free and were never used */
    void *rows;
    size_t row_size;
    size_t count;
    size_t capacity;
    uint64_t entity_limit;
    uint64_t entity_count;
    uint32_t world_tag;
} naive_slots;

/* An array of its own from the C heap. */
void *array_copy(const void *items, size_t count, size_t size);

void slots_init(naive_slots *slots, const shoal_world *world, uint64_t entity_limit, size_t row_size);
void slots_free(naive_slots *slots);
void slots_copy(naive_slots *copy, const naive_slots *slots);

/* The handle that a slot has now, also when it is free. */
shoal_entity slots_handle(const naive_slots *slots, size_t index);
/* Why a handle cannot be used, or 0. */
naive_outcome slots_check(const naive_slots *slots, shoal_entity entity);
/* Why a spawn cannot have this handle, or 0. */
naive_outcome slots_check_chosen(naive_slots *slots, shoal_entity chosen);

/* The handle that the next spawn gives; null when there is none. */
shoal_entity slots_next(const naive_slots *slots);
/* Slots that spawns can take. */
uint64_t slots_left(const naive_slots *slots);
/* Takes the slot of a handle for a new entity; gives its row. */
void *slots_take(naive_slots *slots, shoal_entity entity);
/* Gives the slot of an entity back. */
void slots_give_back(naive_slots *slots, shoal_entity entity);
naive_outcome slots_reserve(naive_slots *slots, uint32_t first_index, uint64_t count);

#endif
