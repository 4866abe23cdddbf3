/*
 * Shared values, see shared.h.
 *
 * Values are found by a hash table with linear probing; removal shifts the followers back, so no place is ever marked
 * deleted. A hash is taken once and kept in 32 bits in the slot: most that are not equal are told apart by it, and
 * neither growing nor removing asks the hooks again.
 *
 * The free numbers are a binary heap with the lowest on top, so that obtaining and forgetting cost O(log free) whatever
 * has come and gone. Element i of the heap lies in slots[i].free_number, whether or not number i is free: there are
 * never more free numbers than slots, and so freeing one cannot fail. Memory follows the highest number given out.
 */
#include "shared.h"

#include <stdio.h>
#include <string.h>

#include "../base/hash.h"

#define SLOT_ALIGNMENT _Alignof(shared_slot)
#define PLACE_ALIGNMENT _Alignof(uint32_t)
#define SLOT_CAPACITY_FIRST 4u
#define PLACE_CAPACITY_FIRST 8u

#define REFUSE(...) ((void)snprintf(reason, reason_size, __VA_ARGS__), false)

/* ---- values ---- */

/* Eight bytes at a time; most values are one or two of these. */
static uint64_t bytes_hash(const void *bytes, size_t byte_size) {
    const unsigned char *next = bytes;
    uint64_t hash = byte_size;
    for (; byte_size >= 8; byte_size -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        hash = hash_mix(hash, word);
    }
    if (byte_size >= 4) {
        uint32_t word;
        memcpy(&word, next, 4);
        hash = hash_mix(hash, word);
        byte_size -= 4;
        next += 4;
    }
    for (; byte_size != 0; byte_size--, next++) {
        hash = hash_mix(hash, *next);
    }
    return hash;
}

/* What a hook returns may be as plain as the value itself, so it is mixed too. */
static uint32_t value_hash(const component_type *type, const void *value) {
    const shoal_component_def *def = &type->def;
    return (uint32_t)(def->hash != NULL ? hash_mix(0, def->hash(value, def->user)) : bytes_hash(value, def->size));
}

static bool value_equal(const component_type *type, const void *a, const void *b) {
    const shoal_component_def *def = &type->def;
    return def->equal != NULL ? def->equal(a, b, def->user) : memcmp(a, b, def->size) == 0;
}

static void value_drop(const shared_table *table, void *value) {
    const shoal_component_def *def = &table->type->def;
    component_end(table->memory, table->type, value, 1);
    memory_release(table->memory, SHOAL_PURPOSE_SHARED, value, def->size, def->alignment);
}

/* A new value: a copy, or the default where `given` is NULL. */
static shoal_status value_make(const shared_table *table, const void *given, void **value) {
    const component_type *type = table->type;
    *value = memory_allocate(table->memory, SHOAL_PURPOSE_SHARED, type->def.size, type->def.alignment);
    if (*value == NULL) {
        return memory_failure(table->memory);
    }
    bool made = given != NULL ? component_make_copy(table->memory, type, *value, given, 1)
                              : component_make_default(table->memory, type, *value, 1);
    if (!made) {
        memory_release(table->memory, SHOAL_PURPOSE_SHARED, *value, type->def.size, type->def.alignment);
        return SHOAL_HOOK_FAILED;
    }
    return SHOAL_OK;
}

/* ---- places ---- */

/* The place of a number, which is there; or of 0, the free place that ends the run of a hash. */
static size_t place_of(const shared_table *table, uint32_t hash, uint32_t entry) {
    size_t mask = table->place_capacity - 1;
    size_t place = hash & mask;
    while (table->places[place] != entry) {
        place = (place + 1) & mask;
    }
    return place;
}

static void places_remove(shared_table *table, uint32_t number) {
    size_t mask = table->place_capacity - 1;
    size_t hole = place_of(table, table->slots[number].hash, number + 1);
    for (size_t next = (hole + 1) & mask; table->places[next] != 0; next = (next + 1) & mask) {
        size_t home = table->slots[table->places[next] - 1].hash & mask;
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            table->places[hole] = table->places[next];
            hole = next;
        }
    }
    table->places[hole] = 0;
}

static void places_release(shared_table *table) {
    memory_release(table->memory, SHOAL_PURPOSE_SHARED, table->places, table->place_capacity * sizeof *table->places,
                   PLACE_ALIGNMENT);
    table->places = NULL;
    table->place_capacity = 0;
}

static shoal_status places_resize(shared_table *table, size_t capacity) {
    uint32_t *places =
        memory_allocate_zero(table->memory, SHOAL_PURPOSE_SHARED, capacity * sizeof *places, PLACE_ALIGNMENT);
    if (places == NULL) {
        return memory_failure(table->memory);
    }
    places_release(table);
    table->places = places;
    table->place_capacity = capacity;
    for (uint32_t number = 0; number < table->number_end; number++) {
        if (table->slots[number].value != NULL) {
            places[place_of(table, table->slots[number].hash, 0)] = number + 1;
        }
    }
    return SHOAL_OK;
}

/* ---- slots ---- */

static void slots_release(shared_table *table) {
    memory_release(table->memory, SHOAL_PURPOSE_SHARED, table->slots, table->slot_capacity * sizeof *table->slots,
                   SLOT_ALIGNMENT);
    table->slots = NULL;
    table->slot_capacity = 0;
}

static shoal_status slots_resize(shared_table *table, size_t capacity) {
    if (capacity > SIZE_MAX / sizeof(shared_slot)) {
        return SHOAL_OUT_OF_MEMORY;
    }
    shared_slot *slots = memory_allocate(table->memory, SHOAL_PURPOSE_SHARED, capacity * sizeof *slots, SLOT_ALIGNMENT);
    if (slots == NULL) {
        return memory_failure(table->memory);
    }
    if (table->number_end != 0) {
        memcpy(slots, table->slots, table->number_end * sizeof *slots);
    }
    slots_release(table);
    table->slots = slots;
    table->slot_capacity = (uint32_t)capacity;
    return SHOAL_OK;
}

/* Room for one more value. */
static shoal_status table_reserve(shared_table *table) {
    shoal_status status = SHOAL_OK;
    if (table->free_count == 0 && table->number_end == table->slot_capacity) {
        uint32_t capacity = table->slot_capacity;
        if (capacity > SHARED_NONE / 2) {
            return SHOAL_OUT_OF_MEMORY;
        }
        status = slots_resize(table, capacity != 0 ? (size_t)capacity * 2 : SLOT_CAPACITY_FIRST);
    }
    if (status == SHOAL_OK && ((size_t)table->count + 1) * 2 > table->place_capacity) {
        status = places_resize(table, table->place_capacity != 0 ? table->place_capacity * 2 : PLACE_CAPACITY_FIRST);
    }
    return status;
}

/* ---- free numbers ---- */

static void free_push(shared_table *table, uint32_t number) {
    shared_slot *heap = table->slots;
    uint32_t at = table->free_count++;
    while (at != 0 && heap[(at - 1) / 2].free_number > number) {
        heap[at].free_number = heap[(at - 1) / 2].free_number;
        at = (at - 1) / 2;
    }
    heap[at].free_number = number;
}

/* Takes the lowest; there is one. */
static uint32_t free_pop(shared_table *table) {
    shared_slot *heap = table->slots;
    uint32_t lowest = heap[0].free_number;
    uint32_t end = --table->free_count;
    uint32_t moved = heap[end].free_number;
    uint32_t at = 0;
    for (uint32_t child = 1; child < end; child = at * 2 + 1) {
        child += child + 1 < end && heap[child + 1].free_number < heap[child].free_number;
        if (heap[child].free_number >= moved) {
            break;
        }
        heap[at].free_number = heap[child].free_number;
        at = child;
    }
    heap[at].free_number = moved;
    return lowest;
}

/* Collects them anew; numbers in rising order are a heap. */
static void free_rebuild(shared_table *table) {
    table->free_count = 0;
    for (uint32_t number = 0; number < table->number_end; number++) {
        if (table->slots[number].value == NULL) {
            table->slots[table->free_count++].free_number = number;
        }
    }
}

/* ---- the table ---- */

static uint32_t find_hashed(const shared_table *table, const void *value, uint32_t hash) {
    if (table->count == 0) {
        return SHARED_NONE;
    }
    size_t mask = table->place_capacity - 1;
    for (size_t place = hash & mask; table->places[place] != 0; place = (place + 1) & mask) {
        uint32_t number = table->places[place] - 1;
        const shared_slot *slot = &table->slots[number];
        if (slot->hash == hash && value_equal(table->type, slot->value, value)) {
            return number;
        }
    }
    return SHARED_NONE;
}

/* Takes a value that is not there yet into the table, for which there is room. */
static uint32_t table_add(shared_table *table, void *value, uint32_t hash) {
    uint32_t number = table->free_count != 0 ? free_pop(table) : table->number_end++;
    shared_slot *slot = &table->slots[number];
    slot->value = value;
    slot->user_count = 0;
    slot->hash = hash;
    table->places[place_of(table, hash, 0)] = number + 1;
    table->count++;
    return number;
}

void shared_init(shared_table *table, shoal_memory *memory, const component_type *type) {
    *table = (shared_table){.type = type, .memory = memory};
}

void shared_deinit(shared_table *table) {
    for (uint32_t number = 0; number < table->number_end; number++) {
        if (table->slots[number].value != NULL) {
            value_drop(table, table->slots[number].value);
        }
    }
    slots_release(table);
    places_release(table);
    shared_init(table, table->memory, table->type);
}

uint32_t shared_find(const shared_table *table, const void *value) {
    return table->count != 0 ? find_hashed(table, value, value_hash(table->type, value)) : SHARED_NONE;
}

shoal_status shared_obtain(shared_table *table, const void *value, uint32_t *number) {
    const void *given = value != NULL ? value : table->type->def.default_value; /* never beside a ctor */
    uint32_t found = given != NULL ? shared_find(table, given) : SHARED_NONE;
    if (found != SHARED_NONE) {
        *number = found;
        return SHOAL_OK;
    }
    void *made;
    shoal_status status = value_make(table, given, &made);
    if (status != SHOAL_OK) {
        return status;
    }
    /* Only now is it known whether a default that had to be made is there already. */
    uint32_t hash = value_hash(table->type, made);
    found = given == NULL ? find_hashed(table, made, hash) : SHARED_NONE;
    status = found == SHARED_NONE ? table_reserve(table) : SHOAL_OK;
    if (found != SHARED_NONE || status != SHOAL_OK) {
        value_drop(table, made);
    } else {
        found = table_add(table, made, hash);
    }
    *number = found;
    return status;
}

void shared_forget_unused(shared_table *table, uint32_t number) {
    shared_slot *slot = &table->slots[number];
    if (slot->user_count != 0 || slot->value == NULL) {
        return;
    }
    places_remove(table, number);
    value_drop(table, slot->value);
    slot->value = NULL;
    free_push(table, number);
    table->count--;
}

void shared_trim(shared_table *table) {
    while (table->number_end != 0 && table->slots[table->number_end - 1].value == NULL) {
        table->number_end--;
    }
    free_rebuild(table);
    if (table->number_end == 0) {
        slots_release(table);
        places_release(table);
        return;
    }
    if (table->number_end < table->slot_capacity) {
        (void)slots_resize(table, table->number_end);
    }
    size_t capacity = (size_t)bit_ceil((uint64_t)table->count * 2);
    if (capacity < table->place_capacity) {
        (void)places_resize(table, capacity);
    }
}

/* ---- validation ---- */

/* "once" for one number. */
static bool value_is_sound(const shared_table *table, uint32_t number, char *reason, size_t reason_size) {
    const char *name = table->type->def.name;
    const shared_slot *slot = &table->slots[number];
    if (slot->hash != value_hash(table->type, slot->value)) {
        return REFUSE("shared %.60s: value %u does not have the hash that it came with", name, (unsigned)number);
    }
    uint32_t found = find_hashed(table, slot->value, slot->hash);
    if (found != number) {
        return REFUSE("shared %.60s: value %u is found as number %d", name, (unsigned)number, (int)found);
    }
    return true;
}

/* "lowest": the heap is in order and holds the free numbers, whose sum of hashes is given. */
static bool free_is_sound(const shared_table *table, uint64_t sum, char *reason, size_t reason_size) {
    const char *name = table->type->def.name;
    const shared_slot *heap = table->slots;
    for (uint32_t i = 0; i < table->free_count; i++) {
        if (i != 0 && heap[i].free_number < heap[(i - 1) / 2].free_number) {
            return REFUSE("shared %.60s: free number %u is not in its order", name, (unsigned)heap[i].free_number);
        }
        sum -= hash_mix(0, heap[i].free_number);
    }
    return sum == 0 || REFUSE("shared %.60s: the free numbers are not those that have no value", name);
}

bool shared_validate(const shared_table *table, char *reason, size_t reason_size) {
    uint32_t alive = 0;
    uint64_t free_sum = 0;
    for (uint32_t number = 0; number < table->number_end; number++) {
        if (table->slots[number].value == NULL) {
            free_sum += hash_mix(0, number);
        } else if (!value_is_sound(table, number, reason, reason_size)) {
            return false;
        } else {
            alive++;
        }
    }
    size_t placed = 0;
    for (size_t place = 0; place < table->place_capacity; place++) {
        placed += table->places[place] != 0;
    }
    if (alive != table->count || placed != table->count || table->free_count != table->number_end - alive) {
        return REFUSE("shared %.60s: %u values, %zu placed, %u counted; %u free numbers of %u", table->type->def.name,
                      (unsigned)alive, placed, (unsigned)table->count, (unsigned)table->free_count,
                      (unsigned)table->number_end);
    }
    return free_is_sound(table, free_sum, reason, reason_size);
}
