/*
 * Slots, components and uniques of the reference world of all kinds; see full_world.h.
 */
#include "full_world.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static const shoal_entity no_entity;

void full_init(full_world *full, const shoal_world *world, uint64_t entity_limit) {
    *full = (full_world){.tick = 1};
    slots_init(&full->slots, world, entity_limit, sizeof(full_slot));
}

void full_free(full_world *full) {
    slots_free(&full->slots);
    free(full->links);
    *full = (full_world){0};
}

void full_copy(full_world *copy, const full_world *full) {
    *copy = *full;
    slots_copy(&copy->slots, &full->slots);
    copy->links = array_copy(full->links, full->link_count, sizeof *full->links);
    copy->link_capacity = full->link_count;
}

full_slot *full_slot_at(const full_world *full, size_t index) {
    return (full_slot *)full->slots.rows + index;
}

shoal_entity full_handle(const full_world *full, size_t index) {
    return slots_handle(&full->slots, index);
}

naive_outcome full_check(const full_world *full, shoal_entity entity) {
    return slots_check(&full->slots, entity);
}

full_slot *full_slot_of(const full_world *full, shoal_entity entity) {
    return full_check(full, entity) == 0 ? full_slot_at(full, shoal_entity_index(entity)) : NULL;
}

/* ---- what an entity has ---- */

bool full_has(const full_world *full, shoal_entity entity, full_type type) {
    const full_slot *slot = full_slot_of(full, entity);
    if (slot == NULL) {
        return false;
    }
    if (full_is(type, SHOAL_STORAGE_RELATION)) {
        return full_link_find(full, 0, type, entity, no_entity) != FULL_NONE;
    }
    return type == FULL_DYING ? slot->dying : (slot->mask & full_bit(type)) != 0;
}

bool full_is_on(const full_world *full, shoal_entity entity, full_type type) {
    const full_slot *slot = full_slot_of(full, entity);
    return full_has(full, entity, type) && (slot->disabled & full_bit(type)) == 0;
}

full_items *full_items_of(full_slot *slot, full_type type) {
    return &slot->items[type - FULL_BUFFER_FIRST];
}

full_unique *full_unique_of(full_world *full, full_type type) {
    return &full->uniques[type - FULL_CLOCK];
}

/* ---- checks ---- */

static naive_outcome value_check(const full_world *full, shoal_entity entity, const full_value *value) {
    if (value->type >= FULL_ENTITY_COUNT) {
        return NAIVE_ERROR(SHOAL_COMPONENT_KIND);
    }
    naive_outcome errors =
        value->has_data && full_refuses(value->type, value->payload) ? NAIVE_ERROR(SHOAL_VALUE_REFUSED) : 0;
    if (full_is(value->type, SHOAL_STORAGE_RELATION)) {
        errors |= full_check_link(full, value->type, entity, value->target);
    }
    return errors;
}

naive_outcome full_check_values(const full_world *full, shoal_entity entity, const full_value *values, size_t count) {
    naive_outcome errors = 0;
    for (size_t i = 0; i < count; i++) {
        errors |= value_check(full, entity, &values[i]);
        for (size_t k = 0; k < i; k++) {
            errors |= values[k].type == values[i].type ? NAIVE_ERROR(SHOAL_COMPONENT_DUPLICATE) : 0;
        }
    }
    return errors;
}

static bool change_names_twice(const full_change *change) {
    for (size_t i = 0; i < change->remove_count; i++) {
        for (size_t k = 0; k < change->add_count; k++) {
            if (change->add[k].type == change->remove[i]) {
                return true;
            }
        }
        for (size_t k = 0; k < i; k++) {
            if (change->remove[k] == change->remove[i]) {
                return true;
            }
        }
    }
    return false;
}

naive_outcome full_check_change(const full_world *full, shoal_entity entity, const full_change *change) {
    naive_outcome errors = full_check(full, entity);
    errors |= full_check_values(full, entity, change->add, change->add_count);
    errors |= change_names_twice(change) ? NAIVE_ERROR(SHOAL_COMPONENT_DUPLICATE) : 0;
    const full_slot *slot = full_slot_of(full, entity);
    if (slot != NULL && slot->dying && change->add_count != 0) {
        errors |= NAIVE_ERROR(SHOAL_ENTITY_DYING);
    }
    for (size_t i = 0; i < change->remove_count; i++) {
        errors |= change->remove[i] >= FULL_ENTITY_COUNT ? NAIVE_ERROR(SHOAL_COMPONENT_KIND) : 0;
        errors |= full_check_unlink(full, change->remove[i], entity);
    }
    return errors;
}

/* ---- giving and taking ---- */

static void give(full_world *full, shoal_entity entity, const full_value *value) {
    full_slot *slot = full_slot_of(full, entity);
    if (full_is(value->type, SHOAL_STORAGE_RELATION)) {
        full_link_put(full, value, entity);
        return;
    }
    bool is_new = (slot->mask & full_bit(value->type)) == 0;
    slot->mask |= full_bit(value->type);
    if (is_new) {
        slot->disabled &= ~full_bit(value->type);
    }
    if (!is_new && !value->has_data) {
        return;
    }
    if (full_is(value->type, SHOAL_STORAGE_BUFFER)) {
        *full_items_of(slot, value->type) = value->has_data ? value->items : (full_items){0};
    }
    slot->payload[value->type] = value->has_data ? value->payload : full_default(value->type);
}

static void take(full_world *full, shoal_entity entity, full_type type) {
    if (full_is(type, SHOAL_STORAGE_RELATION)) {
        full_unlink(full, type, entity, no_entity);
        return;
    }
    full_slot *slot = full_slot_of(full, entity);
    slot->mask &= ~full_bit(type);
    slot->disabled &= ~full_bit(type);
}

/* The types that one type requires. */
static full_mask required_by(full_type type) {
    const shoal_component_def *def = full_def(type);
    full_mask mask = 0;
    for (size_t i = 0; i < def->required_count; i++) {
        mask |= full_bit(full_find(shoal_component_of(def->required[i])));
    }
    return mask;
}

/* What comes with the values: with those that are new, and with each that lies outside of rows. */
static full_mask implied_by(const full_world *full, shoal_entity entity, const full_value *values, size_t count,
                            full_mask named) {
    full_mask implied = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_loose = full_is(values[i].type, SHOAL_STORAGE_SPARSE);
        implied |= is_loose || !full_has(full, entity, values[i].type) ? required_by(values[i].type) : 0;
    }
    full_mask missing = 0;
    for (full_type type = 0; type < FULL_ENTITY_COUNT; type++) {
        bool wanted = (implied & full_bit(type) & ~named) != 0;
        missing |= wanted && !full_has(full, entity, type) ? full_bit(type) : 0;
    }
    return missing;
}

void full_give_all(full_world *full, shoal_entity entity, const full_value *values, size_t count, full_mask removed) {
    full_mask named = removed;
    for (size_t i = 0; i < count; i++) {
        named |= full_bit(values[i].type);
    }
    full_mask implied = implied_by(full, entity, values, count, named);
    for (size_t i = 0; i < count; i++) {
        give(full, entity, &values[i]);
    }
    for (full_type type = 0; type < FULL_ENTITY_COUNT; type++) {
        if ((implied & full_bit(type)) != 0) {
            give(full, entity, &(full_value){.type = type});
        }
    }
}

/* ---- operations ---- */

naive_outcome full_spawn(full_world *full, const full_value *values, size_t count, shoal_entity *entity) {
    shoal_entity next = slots_next(&full->slots);
    naive_outcome errors = full_check_values(full, next, values, count);
    errors |= shoal_entity_is_null(next) ? NAIVE_ERROR(SHOAL_ENTITY_LIMIT) : 0;
    *entity = errors == 0 ? next : no_entity;
    if (errors == 0) {
        slots_take(&full->slots, next);
        full_give_all(full, next, values, count, 0);
    }
    return errors;
}

naive_outcome full_spawn_at(full_world *full, shoal_entity chosen, const full_value *values, size_t count) {
    naive_outcome errors = full_check_values(full, chosen, values, count);
    errors |= slots_check_chosen(&full->slots, chosen);
    if (errors == 0) {
        slots_take(&full->slots, chosen);
        full_give_all(full, chosen, values, count, 0);
    }
    return errors;
}

naive_outcome full_apply_change(full_world *full, shoal_entity entity, const full_change *change) {
    naive_outcome errors = full_check_change(full, entity, change);
    if (errors != 0) {
        return errors;
    }
    full_mask removed = 0;
    for (size_t i = 0; i < change->remove_count; i++) {
        removed |= full_bit(change->remove[i]);
        take(full, entity, change->remove[i]);
    }
    full_give_all(full, entity, change->add, change->add_count, removed);
    full_end_if_done(full, entity);
    return 0;
}

naive_outcome full_add(full_world *full, shoal_entity entity, const full_value *value) {
    return full_apply_change(full, entity, &(full_change){.add = value, .add_count = 1});
}

naive_outcome full_remove(full_world *full, shoal_entity entity, full_type type) {
    return full_apply_change(full, entity, &(full_change){.remove = &type, .remove_count = 1});
}

static naive_outcome set_check(const full_world *full, shoal_entity entity, const full_value *value) {
    naive_outcome errors = value->type > FULL_DYING ? NAIVE_ERROR(SHOAL_COMPONENT_KIND) : 0;
    errors |= full_has_data(value->type) ? 0 : NAIVE_ERROR(SHOAL_TERM_WITHOUT_DATA);
    if (full_is(value->type, SHOAL_STORAGE_RELATION)) {
        bool there = !shoal_entity_is_null(value->target) &&
                     full_link_find(full, 0, value->type, entity, value->target) != FULL_NONE;
        errors |= there ? 0 : NAIVE_ERROR(SHOAL_RELATION_MISSING) | full_check(full, value->target);
        errors |= value->has_data ? 0 : NAIVE_ERROR(SHOAL_INVALID_ARGUMENT);
    } else {
        errors |= full_has(full, entity, value->type) ? 0 : NAIVE_ERROR(SHOAL_COMPONENT_MISSING);
    }
    return errors | (full_refuses(value->type, value->payload) ? NAIVE_ERROR(SHOAL_VALUE_REFUSED) : 0);
}

naive_outcome full_set(full_world *full, shoal_entity entity, const full_value *value) {
    naive_outcome errors = full_check(full, entity);
    errors |= set_check(full, entity, value);
    if (errors == 0) {
        give(full, entity, value);
    }
    return errors;
}

naive_outcome full_clear(full_world *full, shoal_entity entity) {
    naive_outcome errors = full_check(full, entity);
    errors |= full_check_unlink(full, FULL_CHILD_OF, entity);
    for (full_type type = 0; type < FULL_ENTITY_COUNT && errors == 0; type++) {
        take(full, entity, type);
    }
    if (errors == 0) {
        full_end_if_done(full, entity);
    }
    return errors;
}

naive_outcome full_enable(full_world *full, shoal_entity entity, full_type type, bool on) {
    naive_outcome errors = full_check(full, entity);
    errors |= full_def(type)->toggle ? 0 : NAIVE_ERROR(SHOAL_COMPONENT_KIND);
    errors |= full_has(full, entity, type) ? 0 : NAIVE_ERROR(SHOAL_COMPONENT_MISSING);
    if (errors == 0) {
        full_slot *slot = full_slot_of(full, entity);
        slot->disabled = on ? slot->disabled & ~full_bit(type) : slot->disabled | full_bit(type);
    }
    return errors;
}
