/*
 * The slots of a reference world, see naive_slots.h.
 */
#include "naive_slots.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

#define GENERATIONS 65536u

void slots_init(naive_slots *slots, const shoal_world *world, uint64_t entity_limit, size_t row_size) {
    *slots = (naive_slots){.row_size = row_size, .entity_limit = entity_limit, .world_tag = shoal_world_tag(world)};
}

void slots_free(naive_slots *slots) {
    free(slots->states);
    free(slots->rows);
    *slots = (naive_slots){0};
}

void *array_copy(const void *items, size_t count, size_t size) {
    void *copy = malloc((count + 1) * size);
    assert_non_null(copy);
    if (count != 0) {
        memcpy(copy, items, count * size);
    }
    return copy;
}

void slots_copy(naive_slots *copy, const naive_slots *slots) {
    *copy = *slots;
    copy->states = array_copy(slots->states, slots->count, sizeof *slots->states);
    copy->rows = array_copy(slots->rows, slots->count, slots->row_size);
    copy->capacity = slots->count;
}

/* Makes slots up to `index` known. */
static slot_state *slots_reach(naive_slots *slots, size_t index) {
    if (index >= slots->capacity) {
        slots->capacity = index * 2 + 64;
        slots->states = realloc(slots->states, slots->capacity * sizeof *slots->states);
        slots->rows = realloc(slots->rows, slots->capacity * slots->row_size);
        assert_non_null(slots->states);
        assert_non_null(slots->rows);
    }
    if (slots->count <= index) {
        size_t added = index + 1 - slots->count;
        memset(&slots->states[slots->count], 0, added * sizeof *slots->states);
        memset((unsigned char *)slots->rows + slots->count * slots->row_size, 0, added * slots->row_size);
        slots->count = index + 1;
    }
    return &slots->states[index];
}

shoal_entity slots_handle(const naive_slots *slots, size_t index) {
    uint64_t generation = index < slots->count ? slots->states[index].generation : 0;
    return (shoal_entity){((uint64_t)1 << 63) | ((uint64_t)slots->world_tag << 48) | (generation << 32) | index};
}

naive_outcome slots_check(const naive_slots *slots, shoal_entity entity) {
    if (entity.bits == 0) {
        return NAIVE_ERROR(SHOAL_ENTITY_NULL);
    }
    if (entity.bits >> 63 == 0) {
        return NAIVE_ERROR(SHOAL_ENTITY_PLACEHOLDER);
    }
    if (((entity.bits >> 48) & 0x7FFF) != slots->world_tag) {
        return NAIVE_ERROR(SHOAL_ENTITY_FOREIGN);
    }
    size_t index = (size_t)(entity.bits & 0xFFFFFFFF);
    bool alive =
        index < slots->count && slots->states[index].alive && shoal_entity_equal(slots_handle(slots, index), entity);
    return alive ? 0 : NAIVE_ERROR(SHOAL_ENTITY_DEAD);
}

naive_outcome slots_check_chosen(naive_slots *slots, shoal_entity chosen) {
    size_t index = shoal_entity_index(chosen);
    if (index >= slots->entity_limit) {
        return NAIVE_ERROR(SHOAL_ENTITY_LIMIT);
    }
    const slot_state *slot = slots_reach(slots, index);
    naive_outcome errors = slot->alive ? NAIVE_ERROR(SHOAL_SLOT_TAKEN) : 0;
    bool used = slot->retired || shoal_entity_generation(chosen) < slot->generation;
    return errors | (used ? NAIVE_ERROR(SHOAL_GENERATION_USED) : 0);
}

static bool slot_is_used(const slot_state *slot) {
    return slot->alive || slot->reserved || slot->retired;
}

/* Spawns take the lowest slot that is free and not kept out of use. */
shoal_entity slots_next(const naive_slots *slots) {
    size_t index = 0;
    while (index < slots->count && slot_is_used(&slots->states[index])) {
        index++;
    }
    return index < slots->entity_limit ? slots_handle(slots, index) : (shoal_entity){0};
}

uint64_t slots_left(const naive_slots *slots) {
    uint64_t used = 0;
    for (size_t i = 0; i < slots->count && i < slots->entity_limit; i++) {
        used += slot_is_used(&slots->states[i]);
    }
    return slots->entity_limit - used;
}

void *slots_take(naive_slots *slots, shoal_entity entity) {
    size_t index = shoal_entity_index(entity);
    slot_state *slot = slots_reach(slots, index);
    *slot = (slot_state){.alive = true, .reserved = slot->reserved, .generation = shoal_entity_generation(entity)};
    slots->entity_count++;
    return memset((unsigned char *)slots->rows + index * slots->row_size, 0, slots->row_size);
}

void slots_give_back(naive_slots *slots, shoal_entity entity) {
    slot_state *slot = &slots->states[shoal_entity_index(entity)];
    slot->alive = false;
    slot->generation++;
    slot->retired = slot->generation == GENERATIONS;
    slots->entity_count--;
}

naive_outcome slots_reserve(naive_slots *slots, uint32_t first_index, uint64_t count) {
    naive_outcome errors = first_index + count > slots->entity_limit ? NAIVE_ERROR(SHOAL_ENTITY_LIMIT) : 0;
    for (size_t i = first_index; i < first_index + count && i < slots->count; i++) {
        errors |= slots->states[i].alive ? NAIVE_ERROR(SHOAL_SLOT_TAKEN) : 0;
    }
    for (size_t i = first_index; i < first_index + count && errors == 0; i++) {
        slots_reach(slots, i)->reserved = true;
    }
    return errors;
}
