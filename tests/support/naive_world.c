/*
 * The reference world, see naive_world.h. Everything is a loop over an array; nothing is cached.
 */
#include "naive_world.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

#define GENERATIONS 65536u

void naive_init(naive_world *naive, const shoal_world *world, uint64_t entity_limit) {
    *naive = (naive_world){.entity_limit = entity_limit, .world_tag = shoal_world_tag(world)};
}

void naive_free(naive_world *naive) {
    free(naive->slots);
    *naive = (naive_world){0};
}

void naive_copy(naive_world *copy, const naive_world *naive) {
    *copy = *naive;
    copy->slots = malloc((naive->slot_capacity + 1) * sizeof *copy->slots);
    assert_non_null(copy->slots);
    if (naive->slot_count != 0) {
        memcpy(copy->slots, naive->slots, naive->slot_count * sizeof *copy->slots);
    }
}

/* ---- slots ---- */

/* Makes slots up to `index` known. */
static naive_slot *naive_reach(naive_world *naive, size_t index) {
    if (index >= naive->slot_capacity) {
        naive->slot_capacity = index * 2 + 64;
        naive->slots = realloc(naive->slots, naive->slot_capacity * sizeof *naive->slots);
        assert_non_null(naive->slots);
    }
    while (naive->slot_count <= index) {
        naive->slots[naive->slot_count++] = (naive_slot){0};
    }
    return &naive->slots[index];
}

shoal_entity naive_handle(const naive_world *naive, size_t index) {
    uint64_t generation = index < naive->slot_count ? naive->slots[index].generation : 0;
    uint64_t bits = ((uint64_t)1 << 63) | ((uint64_t)naive->world_tag << 48) | (generation << 32) | index;
    return (shoal_entity){bits};
}

naive_outcome naive_check(const naive_world *naive, shoal_entity entity) {
    if (entity.bits == 0) {
        return NAIVE_ERROR(SHOAL_ENTITY_NULL);
    }
    if (entity.bits >> 63 == 0) {
        return NAIVE_ERROR(SHOAL_ENTITY_PLACEHOLDER);
    }
    if (((entity.bits >> 48) & 0x7FFF) != naive->world_tag) {
        return NAIVE_ERROR(SHOAL_ENTITY_FOREIGN);
    }
    size_t index = (size_t)(entity.bits & 0xFFFFFFFF);
    bool alive = index < naive->slot_count && naive->slots[index].alive &&
                 shoal_entity_equal(naive_handle(naive, index), entity);
    return alive ? 0 : NAIVE_ERROR(SHOAL_ENTITY_DEAD);
}

naive_slot *naive_find(const naive_world *naive, shoal_entity entity) {
    return naive_check(naive, entity) == 0 ? &naive->slots[entity.bits & 0xFFFFFFFF] : NULL;
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

static void bring_to_life(naive_world *naive, size_t index, const naive_value *values, size_t count) {
    naive_slot *slot = naive_reach(naive, index);
    slot->alive = true;
    slot->mask = 0;
    for (size_t i = 0; i < count; i++) {
        give_value(slot, values[i]);
    }
    naive->entity_count++;
}

/* The lowest slot that is free and not kept out of use; the limit when there is none. */
static uint64_t lowest_free(const naive_world *naive) {
    for (size_t i = 0; i < naive->slot_count; i++) {
        if (!naive->slots[i].alive && !naive->slots[i].reserved && !naive->slots[i].retired) {
            return i;
        }
    }
    return naive->slot_count;
}

naive_outcome naive_spawn(naive_world *naive, const naive_value *values, size_t count, shoal_entity *entity) {
    uint64_t index = lowest_free(naive);
    naive_outcome errors = check_values(values, count);
    errors |= index >= naive->entity_limit ? NAIVE_ERROR(SHOAL_ENTITY_LIMIT) : 0;
    *entity = (shoal_entity){0};
    if (errors == 0) {
        bring_to_life(naive, (size_t)index, values, count);
        *entity = naive_handle(naive, (size_t)index);
    }
    return errors;
}

naive_outcome naive_spawn_at(naive_world *naive, shoal_entity chosen, const naive_value *values, size_t count) {
    size_t index = shoal_entity_index(chosen);
    naive_outcome errors = check_values(values, count);
    if (index >= naive->entity_limit) {
        return errors | NAIVE_ERROR(SHOAL_ENTITY_LIMIT);
    }
    naive_slot *slot = naive_reach(naive, index);
    errors |= slot->alive ? NAIVE_ERROR(SHOAL_SLOT_TAKEN) : 0;
    bool used = slot->retired || shoal_entity_generation(chosen) < slot->generation;
    errors |= used ? NAIVE_ERROR(SHOAL_GENERATION_USED) : 0;
    if (errors == 0) {
        slot->generation = shoal_entity_generation(chosen);
        bring_to_life(naive, index, values, count);
    }
    return errors;
}

naive_outcome naive_reserve(naive_world *naive, uint32_t first_index, uint64_t count) {
    naive_outcome errors = first_index + count > naive->entity_limit ? NAIVE_ERROR(SHOAL_ENTITY_LIMIT) : 0;
    for (size_t i = first_index; i < first_index + count && i < naive->slot_count; i++) {
        errors |= naive->slots[i].alive ? NAIVE_ERROR(SHOAL_SLOT_TAKEN) : 0;
    }
    for (size_t i = first_index; i < first_index + count && errors == 0; i++) {
        naive_reach(naive, i)->reserved = true;
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
        const naive_slot *from = naive_find(naive, source);
        naive_slot *to = naive_find(naive, *entity);
        to->mask = from->mask;
        memcpy(to->payload, from->payload, sizeof to->payload);
    }
    return errors;
}

naive_outcome naive_destroy(naive_world *naive, shoal_entity entity) {
    naive_outcome errors = naive_check(naive, entity);
    if (errors == 0) {
        naive_slot *slot = naive_find(naive, entity);
        slot->alive = false;
        slot->generation++;
        slot->retired = slot->generation == GENERATIONS;
        naive->entity_count--;
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
