/*
 * Uniques: the components of which a world has one value and no entity.
 *
 *     entries   | id 3, type, value, tick | id 17, ... | ...      sorted by component id, packed
 *
 * A world has few of them, so a binary search in 32 bytes each is as fast as a hash table and gives one order to
 * whatever walks over them. Each value is an allocation of its own: its address stays the same until it is removed,
 * also when it is set again. An entry's address does not: it is good until the next put or remove.
 *
 * Invariant "sorted": ids rise, and each is that of the entry's type. Invariant "placed": a value is NULL exactly when
 * the type has no data. Thread rule: finding is "read", all else "world".
 */
#ifndef SHOAL_STORAGE_UNIQUE_H
#define SHOAL_STORAGE_UNIQUE_H

#include "../base/memory.h"
#include "component.h"

typedef struct unique_entry {
    const component_type *type;
    void *value;   /* size and alignment of the type; NULL without data */
    uint64_t tick; /* of the last put, or when the value was last taken for writing */
    uint32_t id;
} unique_entry;

/* Zero is an empty table, which has no memory. */
typedef struct unique_table {
    unique_entry *entries; /* the first `count` of `capacity` */
    uint32_t capacity;
    uint32_t count;
    uint64_t version; /* rises when an entry comes or goes */
} unique_table;

/* Where a component's entry is, or would go. */
static inline uint32_t unique_place(const unique_table *table, uint32_t id) {
    uint32_t first = 0;
    for (uint32_t left = table->count; left > 0;) {
        uint32_t half = left / 2;
        bool above = table->entries[first + half].id < id;
        first = above ? first + half + 1 : first;
        left = above ? left - half - 1 : half;
    }
    return first;
}

/* The entry of a component, or NULL. */
static inline unique_entry *unique_find(const unique_table *table, uint32_t id) {
    uint32_t place = unique_place(table, id);
    return place < table->count && table->entries[place].id == id ? &table->entries[place] : NULL;
}

static inline uint32_t unique_count(const unique_table *table) {
    return table->count;
}

/* Sets a value: a copy of `data`, or with NULL the type's default; `was_new` says whether it was not there before.
   `data` may be the value itself. OUT_OF_MEMORY, MEMORY_LIMIT, HOOK_FAILED; everything is as it was then. */
shoal_status unique_put(unique_table *table, shoal_memory *memory, const component_type *type, const void *data,
                        uint64_t tick, bool *was_new);

/* Ends a value and removes it; false when it was not there. */
bool unique_remove(unique_table *table, shoal_memory *memory, uint32_t id);

/* Ends all values and gives all memory back. */
void unique_deinit(unique_table *table, shoal_memory *memory);

/* "sorted" and "placed"; false with a reason. */
bool unique_validate(const unique_table *table, char *reason, size_t reason_size);

#endif
