/*
 * The hand-written sparse set; see plain_set.h.
 *
 * Arrays are written once when they are made, so that no run pays for the first touch of a page.
 */
#include "plain_set.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

plain_set plain_set_create(size_t slot_count) {
    plain_set set = {.places = bench_allocate(slot_count, sizeof *set.places),
                     .slots = bench_allocate(slot_count, sizeof *set.slots),
                     .healths = bench_allocate(slot_count, sizeof *set.healths)};
    memset(set.places, 0xFF, slot_count * sizeof *set.places);
    memset(set.slots, 0xFF, slot_count * sizeof *set.slots);
    memset(set.healths, 0xFF, slot_count * sizeof *set.healths);
    return set;
}

void plain_set_free(plain_set *set) {
    free(set->places);
    free(set->slots);
    free(set->healths);
    *set = (plain_set){0};
}

BENCH_NOINLINE void plain_set_add(plain_set *set, uint32_t slot, Health health) {
    if (set->places[slot] == PLAIN_NOWHERE) {
        set->places[slot] = set->count;
        set->slots[set->count] = slot;
        set->healths[set->count] = health;
        set->count++;
    }
}

BENCH_NOINLINE void plain_set_remove(plain_set *set, uint32_t slot) {
    uint32_t place = set->places[slot];
    if (place != PLAIN_NOWHERE) {
        uint32_t last = --set->count;
        set->healths[place] = set->healths[last];
        set->slots[place] = set->slots[last];
        set->places[set->slots[place]] = place;
        set->places[slot] = PLAIN_NOWHERE;
    }
}
