/*
 * The distinct values of one shared component of one world, each once, with the number of its users.
 *
 *     slots    number -> | value | users | hash |          a value is an allocation of its own and never moves
 *     places   hash   -> number + 1, 0 = none              open addressing, at most half full
 *
 * A value goes by its number. A new one takes the lowest number that is free, so numbers follow from the history of
 * values alone. A value is constant: who wants another one obtains it and gives this one up. What it is worth is said
 * by the type's equal and hash hooks, or by its bytes.
 *
 * Invariant "once": no two values are equal, and each is found under its own number. Invariant "lowest": the free
 * numbers below number_end are exactly those of the heap that shared.c keeps. Thread rule: shared_find(),
 * shared_value() and shared_users() are "read", all else "world". Shared components have a size.
 */
#ifndef SHOAL_STORAGE_SHARED_H
#define SHOAL_STORAGE_SHARED_H

#include "../base/assert.h"
#include "../base/memory.h"
#include "component.h"

/* No number. */
#define SHARED_NONE UINT32_MAX

typedef struct shared_slot {
    void *value; /* NULL: the number is free */
    uint64_t user_count;
    uint32_t hash;
    uint32_t free_number; /* of slot i: element i of the heap of free numbers */
} shared_slot;

typedef struct shared_table {
    const component_type *type;
    shoal_memory *memory;
    shared_slot *slots;
    uint32_t *places;
    uint32_t slot_capacity;
    uint32_t number_end;   /* one above the highest number that has been given out */
    uint32_t free_count;   /* numbers below it that are free */
    uint32_t count;        /* values */
    size_t place_capacity; /* a power of two, or 0 */
    bool warned;           /* the warning at the world's threshold has been given; kept by the caller */
} shared_table;

/* An empty table; allocates nothing. */
void shared_init(shared_table *table, shoal_memory *memory, const component_type *type);

/* Ends all values, used or not, and gives all memory back. */
void shared_deinit(shared_table *table);

/* The number of an equal value, or SHARED_NONE. */
uint32_t shared_find(const shared_table *table, const void *value);

/* The number of an equal value (NULL: the type's default), which is copied in where there is none, and has no users
   then. OUT_OF_MEMORY, MEMORY_LIMIT, HOOK_FAILED; no value comes or goes then. */
shoal_status shared_obtain(shared_table *table, const void *value, uint32_t *number);

/* Ends the value and frees the number when it has no users. Cannot fail. */
void shared_forget_unused(shared_table *table, uint32_t number);

/* Gives memory back that is not needed for what is there; when the smaller blocks cannot be had, the larger stay. */
void shared_trim(shared_table *table);

/* "once", "lowest" and the counts; false with a reason. */
bool shared_validate(const shared_table *table, char *reason, size_t reason_size);

/* The value; its address is good until it is forgotten. Budget: one load beside that of `slots`. */
static ALWAYS_INLINE const void *shared_value(const shared_table *table, uint32_t number) {
    return table->slots[number].value;
}

static ALWAYS_INLINE uint64_t shared_users(const shared_table *table, uint32_t number) {
    return table->slots[number].user_count;
}

static ALWAYS_INLINE void shared_add_users(shared_table *table, uint32_t number, uint64_t user_count) {
    table->slots[number].user_count += user_count;
}

/* The value stays, also without users, until shared_forget_unused(). */
static ALWAYS_INLINE void shared_drop_users(shared_table *table, uint32_t number, uint64_t user_count) {
    SHOAL_ASSERT(table->slots[number].user_count >= user_count);
    table->slots[number].user_count -= user_count;
}

#endif
