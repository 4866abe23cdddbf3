/*
 * What a system touches, and whether two systems may run side by side.
 *
 * A component is touched near (of the rows of the system's own views) or far (of any entity: lookups, ancestors,
 * uniques, what a condition reads). Two systems conflict on a component that both touch and one writes; near against
 * near only if their filters let some row through both. Presence alone (WITH, WITHOUT, and whom a relation
 * leads to) conflicts with nothing, since it changes at sync points only. Thread rule: read.
 */
#ifndef SHOAL_SCHEDULE_ACCESS_H
#define SHOAL_SCHEDULE_ACCESS_H

#include <shoal/query.h>

#include "../base/memory.h"

enum access_kind {
    ACCESS_NEAR_READ = 1,
    ACCESS_NEAR_WRITE = 2,
    ACCESS_FAR_READ = 4,
    ACCESS_FAR_WRITE = 8,
    ACCESS_PRESENCE = 16,
    ACCESS_REDUCED = 32 /* written when all rows have been gone through, by a reduction */
};
#define ACCESS_WRITES (ACCESS_NEAR_WRITE | ACCESS_FAR_WRITE)
#define ACCESS_NEAR (ACCESS_NEAR_READ | ACCESS_NEAR_WRITE)
#define ACCESS_FAR (ACCESS_FAR_READ | ACCESS_FAR_WRITE)

typedef struct access_entry {
    shoal_component component;
    uint8_t kinds; /* access_kind */
} access_entry;

/* Sorted by component. */
typedef struct access_set {
    memory_array entries; /* access_entry */
    size_t count;
} access_set;

static inline const access_entry *access_at(const access_set *set, size_t i) {
    return (const access_entry *)set->entries.items + i;
}

shoal_status access_add(access_set *set, shoal_memory *memory, shoal_component component, uint8_t kinds);
void access_release(access_set *set, shoal_memory *memory);

/* The kinds in which a component is touched; 0: not at all. */
uint8_t access_of(const access_set *set, uint32_t component);

/* True when no row can match both: near accesses cannot meet. NULL queries meet everything. */
bool access_disjoint(const shoal_query *a, const shoal_query *b);

/* Whether two systems conflict on what entry `a` touches. `is_disjoint` is access_disjoint() of their queries. */
static inline bool access_conflicts(uint8_t a, uint8_t b, bool is_disjoint) {
    if (!((a | b) & ACCESS_WRITES)) {
        return false;
    }
    a &= ACCESS_NEAR | ACCESS_FAR;
    b &= ACCESS_NEAR | ACCESS_FAR;
    bool near_meets = !is_disjoint && (a & ACCESS_NEAR) && (b & ACCESS_NEAR) && ((a | b) & ACCESS_NEAR_WRITE);
    bool far_meets = ((a & ACCESS_FAR) && (b & ACCESS_WRITES)) || ((b & ACCESS_FAR) && (a & ACCESS_WRITES)) ||
                     ((a & ACCESS_FAR_WRITE) && b != 0) || ((b & ACCESS_FAR_WRITE) && a != 0);
    return near_meets || far_meets;
}

#endif
