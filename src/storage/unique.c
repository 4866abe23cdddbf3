/*
 * Uniques; see unique.h.
 *
 * A value is made before anything changes: a new one in its own memory, a hooked one that replaces another in scratch,
 * from where it is moved in once the old one has been ended. So a hook that fails, and memory that runs out, leave the
 * table as it was. Thread rule: that of unique.h.
 */
#include "unique.h"

#include <stdio.h>
#include <string.h>

static void value_release(shoal_memory *memory, shoal_purpose purpose, const component_type *type, void *value) {
    memory_release(memory, purpose, value, type->def.size, type->def.alignment);
}

/* A value in memory of its own; the type has data. */
static shoal_status value_make(shoal_memory *memory, shoal_purpose purpose, const component_type *type,
                               const void *data, void **value) {
    *value = memory_allocate(memory, purpose, type->def.size, type->def.alignment);
    if (*value == NULL) {
        return memory_failure(memory);
    }
    bool made = data != NULL ? component_make_copy(memory, type, *value, data, 1)
                             : component_make_default(memory, type, *value, 1);
    if (!made) {
        value_release(memory, purpose, type, *value);
        return SHOAL_HOOK_FAILED;
    }
    return SHOAL_OK;
}

static void value_end(shoal_memory *memory, const component_type *type, void *value) {
    if (value != NULL) {
        component_end(memory, type, value, 1);
        value_release(memory, SHOAL_PURPOSE_UNIQUE, type, value);
    }
}

static shoal_status value_replace(shoal_memory *memory, const component_type *type, void *value, const void *data) {
    if (type->def.size == 0 || data == value) {
        return SHOAL_OK;
    }
    if (!type->hooked) {
        (void)(data != NULL ? component_make_copy(memory, type, value, data, 1)
                            : component_make_default(memory, type, value, 1));
        return SHOAL_OK;
    }
    void *scratch;
    shoal_status status = value_make(memory, SHOAL_PURPOSE_SCRATCH, type, data, &scratch);
    if (status != SHOAL_OK) {
        return status;
    }
    component_end(memory, type, value, 1);
    component_relocate(type, value, scratch, 1);
    value_release(memory, SHOAL_PURPOSE_SCRATCH, type, scratch);
    return SHOAL_OK;
}

static shoal_status entries_reserve(unique_table *table, shoal_memory *memory) {
    memory_array array = {.items = table->entries, .capacity = table->capacity};
    shoal_status status =
        memory_array_reserve(memory, SHOAL_PURPOSE_UNIQUE, &array, (size_t)table->count + 1, sizeof *table->entries);
    table->entries = array.items;
    table->capacity = (uint32_t)array.capacity;
    return status;
}

static void entries_release(unique_table *table, shoal_memory *memory) {
    memory_array array = {.items = table->entries, .capacity = table->capacity};
    memory_array_release(memory, SHOAL_PURPOSE_UNIQUE, &array, sizeof *table->entries);
    *table = (unique_table){.version = table->version};
}

/* The value is made first and the table grown last, so that nothing is left to undo but the value. */
static shoal_status entry_add(unique_table *table, shoal_memory *memory, const component_type *type, const void *data,
                              uint64_t tick) {
    void *value = NULL;
    shoal_status status = type->def.size > 0 ? value_make(memory, SHOAL_PURPOSE_UNIQUE, type, data, &value) : SHOAL_OK;
    if (status != SHOAL_OK) {
        return status;
    }
    status = entries_reserve(table, memory);
    if (status != SHOAL_OK) {
        value_end(memory, type, value);
        return status;
    }
    uint32_t place = unique_place(table, type->id);
    unique_entry *entry = &table->entries[place];
    memmove(entry + 1, entry, (table->count - place) * sizeof *entry);
    *entry = (unique_entry){.type = type, .value = value, .tick = tick, .id = type->id};
    table->count++;
    table->version++;
    return SHOAL_OK;
}

shoal_status unique_put(unique_table *table, shoal_memory *memory, const component_type *type, const void *data,
                        uint64_t tick, bool *was_new) {
    unique_entry *entry = unique_find(table, type->id);
    *was_new = entry == NULL;
    if (entry == NULL) {
        return entry_add(table, memory, type, data, tick);
    }
    shoal_status status = value_replace(memory, type, entry->value, data);
    if (status == SHOAL_OK) {
        entry->tick = tick;
    }
    return status;
}

bool unique_remove(unique_table *table, shoal_memory *memory, uint32_t id) {
    unique_entry *entry = unique_find(table, id);
    if (entry == NULL) {
        return false;
    }
    value_end(memory, entry->type, entry->value);
    table->count--;
    table->version++;
    memmove(entry, entry + 1, (size_t)(table->entries + table->count - entry) * sizeof *entry);
    if (table->count == 0) {
        entries_release(table, memory);
    }
    return true;
}

void unique_deinit(unique_table *table, shoal_memory *memory) {
    for (uint32_t i = 0; i < table->count; i++) {
        value_end(memory, table->entries[i].type, table->entries[i].value);
    }
    entries_release(table, memory);
}

bool unique_validate(const unique_table *table, char *reason, size_t reason_size) {
    if (table->count > table->capacity || (table->entries != NULL) != (table->capacity > 0)) {
        (void)snprintf(reason, reason_size, "uniques: %u entries in a table for %u", table->count, table->capacity);
        return false;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        const unique_entry *entry = &table->entries[i];
        if (entry->type->id != entry->id || (i > 0 && entry[-1].id >= entry->id)) {
            (void)snprintf(reason, reason_size, "uniques: component %u is out of order or of another type", entry->id);
            return false;
        }
        if ((entry->value != NULL) != (entry->type->def.size > 0) ||
            ((uintptr_t)entry->value & (entry->type->def.alignment - 1)) != 0) {
            (void)snprintf(reason, reason_size, "uniques: the value of %.60s lies at the wrong place",
                           entry->type->def.name);
            return false;
        }
    }
    return true;
}
