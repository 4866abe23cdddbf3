/*
 * What a programmer writes by hand for a component that comes and goes: a sparse set of Health by slot.
 *
 *     slot  -> places[]                 PLAIN_NOWHERE where the slot has none
 *     place -> slots[], healths[]       places[slots[p]] == p for each place p below count
 *
 * Removing fills the hole with the last place. The slots are known from the start; nothing grows. The functions are not
 * inlined, as calls into a library are not.
 */
#ifndef BENCH_PLAIN_SET_H
#define BENCH_PLAIN_SET_H

#include "components.h"

#define PLAIN_NOWHERE UINT32_MAX

typedef struct plain_set {
    uint32_t *places;
    uint32_t *slots;
    Health *healths;
    uint32_t count;
} plain_set;

/* An empty set for slots below `slot_count`, its pages touched. */
plain_set plain_set_create(size_t slot_count);

/* Frees the arrays. */
void plain_set_free(plain_set *set);

/* Does nothing for a slot that is in the set. */
void plain_set_add(plain_set *set, uint32_t slot, Health health);

/* Does nothing for a slot that is not in the set. */
void plain_set_remove(plain_set *set, uint32_t slot);

#endif
