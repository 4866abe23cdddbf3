/*
 * The reference world, see naive_world.h. Everything is a loop over an array; nothing is cached.
 */
#include "naive_world.h"

void naive_init(naive_world *naive, const shoal_world *world, uint64_t entity_limit) {
    slots_init(&naive->slots, world, entity_limit, sizeof(naive_slot));
}

void naive_free(naive_world *naive) {
    slots_free(&naive->slots);
}

void naive_copy(naive_world *copy, const naive_world *naive) {
    slots_copy(&copy->slots, &naive->slots);
}

naive_slot *naive_slot_at(const naive_world *naive, size_t index) {
    return (naive_slot *)naive->slots.rows + index;
}

shoal_entity naive_handle(const naive_world *naive, size_t index) {
    return slots_handle(&naive->slots, index);
}

naive_outcome naive_check(const naive_world *naive, shoal_entity entity) {
    return slots_check(&naive->slots, entity);
}

naive_slot *naive_find(const naive_world *naive, shoal_entity entity) {
    return naive_check(naive, entity) == 0 ? naive_slot_at(naive, shoal_entity_index(entity)) : NULL;
}

/* ---- values ---- */

static naive_outcome check_values(const naive_value *values, size_t count) {
    naive_outcome errors = 0;
    uint32_t mask = 0;
    for (size_t i = 0; i < count; i++) {
        errors |= (mask >> values[i].type & 1) != 0 ? NAIVE_ERROR(SHOAL_COMPONENT_DUPLICATE) : 0;
        mask |= (uint32_t)1 << values[i].type;
        bool refused = values[i].has_data && kind_refuses(values[i].type, values[i].payload);
        errors |= refused ? NAIVE_ERROR(SHOAL_VALUE_REFUSED) : 0;
    }
    return errors;
}

static void give_value(naive_slot *slot, naive_value value) {
    bool present = (slot->mask >> value.type & 1) != 0;
    slot->mask |= (uint32_t)1 << value.type;
    if (kind_is_tag(value.type) || (present && !value.has_data)) {
        return;
    }
    slot->payload[value.type] = value.has_data ? value.payload : kind_default(value.type);
}

/* ---- operations ---- */

static void bring_to_life(naive_world *naive, shoal_entity entity, const naive_value *values, size_t count) {
    naive_slot *slot = slots_take(&naive->slots, entity);
    for (size_t i = 0; i < count; i++) {
        give_value(slot, values[i]);
    }
}

naive_outcome naive_spawn(naive_world *naive, const naive_value *values, size_t count, shoal_entity *entity) {
    shoal_entity next = slots_next(&naive->slots);
    naive_outcome errors = check_values(values, count);
    errors |= shoal_entity_is_null(next) ? NAIVE_ERROR(SHOAL_ENTITY_LIMIT) : 0;
    *entity = (shoal_entity){0};
    if (errors == 0) {
        bring_to_life(naive, next, values, count);
        *entity = next;
    }
    return errors;
}

naive_outcome naive_spawn_at(naive_world *naive, shoal_entity chosen, const naive_value *values, size_t count) {
    naive_outcome errors = check_values(values, count) | slots_check_chosen(&naive->slots, chosen);
    if (errors == 0) {
        bring_to_life(naive, chosen, values, count);
    }
    return errors;
}

naive_outcome naive_clone(naive_world *naive, shoal_entity source, shoal_entity *entity) {
    *entity = (shoal_entity){0};
    naive_outcome errors = naive_check(naive, source);
    if (errors != 0) {
        return errors;
    }
    errors = naive_spawn(naive, NULL, 0, entity);
    if (errors == 0) {
        *naive_find(naive, *entity) = *naive_find(naive, source);
    }
    return errors;
}

naive_outcome naive_destroy(naive_world *naive, shoal_entity entity) {
    naive_outcome errors = naive_check(naive, entity);
    if (errors == 0) {
        slots_give_back(&naive->slots, entity);
    }
    return errors;
}

naive_outcome naive_destroy_many(naive_world *naive, const shoal_entity *entities, size_t count) {
    naive_outcome errors = 0;
    for (size_t i = 0; i < count; i++) {
        errors |= naive_check(naive, entities[i]);
    }
    for (size_t i = 0; i < count && errors == 0; i++) {
        if (naive_find(naive, entities[i]) != NULL) {
            naive_destroy(naive, entities[i]);
        }
    }
    return errors;
}

naive_outcome naive_check_change(const naive_change *change) {
    naive_outcome errors = check_values(change->add, change->add_count);
    for (size_t i = 0; i < change->remove_count; i++) {
        bool twice = false;
        for (size_t j = 0; j < change->add_count; j++) {
            twice = twice || change->add[j].type == change->remove[i];
        }
        for (size_t j = 0; j < i; j++) {
            twice = twice || change->remove[j] == change->remove[i];
        }
        errors |= twice ? NAIVE_ERROR(SHOAL_COMPONENT_DUPLICATE) : 0;
    }
    return errors;
}

naive_outcome naive_apply_change(naive_world *naive, shoal_entity entity, const naive_change *change) {
    naive_outcome errors = naive_check(naive, entity) | naive_check_change(change);
    naive_slot *slot = errors == 0 ? naive_find(naive, entity) : NULL;
    for (size_t i = 0; i < change->add_count && slot != NULL; i++) {
        give_value(slot, change->add[i]);
    }
    for (size_t i = 0; i < change->remove_count && slot != NULL; i++) {
        slot->mask &= ~((uint32_t)1 << change->remove[i]);
    }
    return errors;
}

naive_outcome naive_add(naive_world *naive, shoal_entity entity, naive_value value) {
    return naive_apply_change(naive, entity, &(naive_change){.add = &value, .add_count = 1});
}

naive_outcome naive_remove(naive_world *naive, shoal_entity entity, value_kind type) {
    return naive_apply_change(naive, entity, &(naive_change){.remove = &type, .remove_count = 1});
}

naive_outcome naive_set(naive_world *naive, shoal_entity entity, naive_value value) {
    naive_outcome errors = naive_check(naive, entity);
    errors |= kind_is_tag(value.type) ? NAIVE_ERROR(SHOAL_TERM_WITHOUT_DATA) : 0;
    errors |= check_values(&value, 1);
    naive_slot *slot = naive_find(naive, entity);
    bool missing = slot != NULL && (slot->mask >> value.type & 1) == 0;
    errors |= missing ? NAIVE_ERROR(SHOAL_COMPONENT_MISSING) : 0;
    if (errors == 0) {
        give_value(slot, value);
    }
    return errors;
}

naive_outcome naive_clear(naive_world *naive, shoal_entity entity) {
    naive_outcome errors = naive_check(naive, entity);
    if (errors == 0) {
        naive_find(naive, entity)->mask = 0;
    }
    return errors;
}

/* ---- queries ---- */

static bool any_group_match(uint32_t mask, const shoal_term *terms, size_t term_count, uint32_t group) {
    for (size_t i = 0; i < term_count; i++) {
        bool any = terms[i].access == SHOAL_ACCESS_ANY_READ || terms[i].access == SHOAL_ACCESS_ANY_WRITE;
        if (any && terms[i].group == group && (mask >> kind_find(terms[i].component) & 1) != 0) {
            return true;
        }
    }
    return false;
}

bool naive_terms_match(uint32_t mask, const shoal_term *terms, size_t term_count) {
    for (size_t i = 0; i < term_count; i++) {
        bool present = (mask >> kind_find(terms[i].component) & 1) != 0;
        bool fits = true;
        switch (terms[i].access) {
        case SHOAL_ACCESS_READ:
        case SHOAL_ACCESS_WRITE:
        case SHOAL_ACCESS_WITH:
            fits = present;
            break;
        case SHOAL_ACCESS_WITHOUT:
            fits = !present;
            break;
        case SHOAL_ACCESS_ANY_READ:
        case SHOAL_ACCESS_ANY_WRITE:
            fits = any_group_match(mask, terms, term_count, terms[i].group);
            break;
        default:
            break;
        }
        if (!fits) {
            return false;
        }
    }
    return true;
}

bool naive_matches(const naive_world *naive, size_t index, const shoal_term *terms, size_t term_count) {
    return naive->slots.states[index].alive && naive_terms_match(naive_slot_at(naive, index)->mask, terms, term_count);
}
