/*
 * Sets of what systems touch; see access.h.
 */
#include "access.h"

#include <string.h>

#include "../query/query.h"

shoal_status access_add(access_set *set, shoal_memory *memory, shoal_component component, uint8_t kinds) {
    shoal_status status =
        memory_array_reserve(memory, SHOAL_PURPOSE_SCHEDULE, &set->entries, set->count + 1, sizeof(access_entry));
    if (status != SHOAL_OK) {
        return status;
    }
    access_entry *entries = set->entries.items;
    size_t at = set->count;
    while (at > 0 && entries[at - 1].component.id > component.id) {
        at--;
    }
    if (at > 0 && entries[at - 1].component.id == component.id) {
        entries[at - 1].kinds |= kinds;
        return SHOAL_OK;
    }
    memmove(entries + at + 1, entries + at, (set->count - at) * sizeof(access_entry));
    entries[at] = (access_entry){.component = component, .kinds = kinds};
    set->count++;
    return SHOAL_OK;
}

void access_release(access_set *set, shoal_memory *memory) {
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &set->entries, sizeof(access_entry));
    set->count = 0;
}

uint8_t access_of(const access_set *set, uint32_t component) {
    size_t first = 0;
    for (size_t left = set->count; left > 0;) {
        size_t half = left / 2;
        uint32_t id = access_at(set, first + half)->component.id;
        if (id == component) {
            return access_at(set, first + half)->kinds;
        }
        first = id < component ? first + half + 1 : first;
        left = id < component ? left - half - 1 : half;
    }
    return 0;
}

/* ---- filters ---- */

/* True when the rows that `required` lets through are all among those that `without` keeps out. */
static bool term_excludes(const query_term *required, const query_term *without) {
    bool same_state = required->state == without->state || without->state == SHOAL_STATE_EITHER;
    bool same_target = shoal_entity_is_null(without->target) || required->target.bits == without->target.bits;
    bool same_value = without->shared_number == SHARED_NONE || without->shared_number == required->shared_number;
    return (same_state || !required->type->def.toggle) && same_target && same_value;
}

/* True when no row has both: two states, two values, two targets of which a row has one. */
static bool terms_exclude(const query_term *a, const query_term *b) {
    bool states =
        a->type->def.toggle && a->state != SHOAL_STATE_EITHER && b->state != SHOAL_STATE_EITHER && a->state != b->state;
    bool values =
        a->shared_number != SHARED_NONE && b->shared_number != SHARED_NONE && a->shared_number != b->shared_number;
    bool targets = a->type->def.exclusive && !shoal_entity_is_null(a->target) && !shoal_entity_is_null(b->target) &&
                   a->target.bits != b->target.bits;
    return states || values || targets;
}

static bool is_disjoint_by(const query_term *a, const query_term *b) {
    if (a->component.id != b->component.id || a->traverse != SHOAL_TRAVERSE_SELF ||
        b->traverse != SHOAL_TRAVERSE_SELF || !access_is_required(a->access)) {
        return false;
    }
    return b->access == SHOAL_ACCESS_WITHOUT ? term_excludes(a, b)
                                             : access_is_required(b->access) && terms_exclude(a, b);
}

/* Rows that only queries see that name Prefab or Dying. */
static bool is_hidden_from(const query_data *a, const query_data *b) {
    for (size_t i = 0; i < a->term_count; i++) {
        const query_term *term = &a->terms[i];
        uint32_t id = term->component.id;
        bool is_hidden = (id == a->world->prefab_id && !(b->seen & ARCHETYPE_PREFAB)) ||
                         (id == a->world->dying_id && !(b->seen & ARCHETYPE_DYING));
        if (is_hidden && access_is_required(term->access) && term->traverse == SHOAL_TRAVERSE_SELF) {
            return true;
        }
    }
    return false;
}

bool access_disjoint(const shoal_query *a, const shoal_query *b) {
    if (a == NULL || b == NULL) {
        return false;
    }
    const query_data *one = query_of_const(a);
    const query_data *other = query_of_const(b);
    for (size_t i = 0; i < one->term_count; i++) {
        for (size_t k = 0; k < other->term_count; k++) {
            if (is_disjoint_by(&one->terms[i], &other->terms[k]) || is_disjoint_by(&other->terms[k], &one->terms[i])) {
                return true;
            }
        }
    }
    return is_hidden_from(one, other) || is_hidden_from(other, one);
}
