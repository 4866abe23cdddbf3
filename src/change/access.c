/*
 * Access to single values by handle.
 *
 * Budget of shoal_get(): two cache misses (record, data) and about 25 instructions, so that some eight calls are
 * under way at once in the processor; of shoal_has(): one miss. shoal_get_many() fetches records ahead, and each
 * value as soon as its address is known. Thread rule: read.
 */
#include "change.h"
#include "notify.h"

/* The address of a value, or NULL. The component is looked for in one slot only when `quick`. */
static ALWAYS_INLINE void *value_find(const shoal_world *world, shoal_entity entity, shoal_component component,
                                      bool quick) {
    const index_record *record = index_find(&world->index, entity);
    if (UNLIKELY(record == NULL)) {
        return NULL;
    }
    const shoal_archetype *archetype = world->archetypes[index_archetype(record->place)];
    archetype_slot slot = archetype->slots[component.id & archetype->slot_mask];
    uint32_t column = slot.number;
    if (UNLIKELY(slot.id != component.id)) {
        if (quick) {
            return NULL;
        }
        column = archetype_find_slow(archetype, component.id);
    }
    if (UNLIKELY(column >= archetype->value_count)) {
        return NULL;
    }
    return archetype_value(archetype, record->chunk, column, index_row(record->place));
}

/* Why there is no value to give. */
static shoal_status value_why(const shoal_world *world, shoal_entity entity, const index_record *record,
                              shoal_component component) {
    const component_type *type = component_type_find(component.id);
    if (record == NULL || type == NULL) {
        return record == NULL ? index_why(&world->index, entity) : SHOAL_COMPONENT_INVALID;
    }
    shoal_storage storage = type->def.storage;
    if (storage == SHOAL_STORAGE_BUFFER || storage == SHOAL_STORAGE_RELATION || storage == SHOAL_STORAGE_UNIQUE) {
        return SHOAL_COMPONENT_KIND;
    }
    if (!store_entity_has(world, entity, type)) {
        return SHOAL_COMPONENT_MISSING;
    }
    return storage == SHOAL_STORAGE_SHARED ? SHOAL_COMPONENT_KIND : SHOAL_TERM_WITHOUT_DATA;
}

COLD static void *value_refuse(const shoal_world *world, shoal_entity entity, shoal_component component,
                               const char *call) {
    shoal_status status = SHOAL_INVALID_ARGUMENT;
    if (world != NULL) {
        status = value_why(world, entity, index_find(&world->index, entity), component);
    }
    world_fail_reader(world, status, call, entity, component);
    return NULL;
}

/* The value of a component that has no column: sparse, shared (for reading), chunk. */
static void *value_elsewhere(const shoal_world *world, shoal_entity entity, const component_type *type,
                             bool for_write) {
    shoal_storage storage = type->def.storage;
    if (storage == SHOAL_STORAGE_SPARSE) {
        const sparse_set *set = store_sparse(world, type->id);
        uint32_t number = set != NULL ? sparse_number(set, entity) : UINT32_MAX;
        return number != UINT32_MAX && type->def.size != 0 ? sparse_value(set, number) : NULL;
    }
    bool is_of_place = storage == SHOAL_STORAGE_CHUNK || (storage == SHOAL_STORAGE_SHARED && !for_write);
    row_place place = row_of(world, index_find(&world->index, entity));
    return is_of_place && archetype_find(place.archetype, type->id) != ARCHETYPE_NONE ? notify_value(place, type)
                                                                                      : NULL;
}

/* The second try of a get: the component may be in another slot or elsewhere; else the error is stored. */
COLD static void *value_find_again(const shoal_world *world, shoal_entity entity, shoal_component component,
                                   bool for_write, const char *call) {
    void *value = world != NULL ? value_find(world, entity, component, false) : NULL;
    const component_type *type = component_type_find(component.id);
    if (value == NULL && world != NULL && type != NULL && !type->has_column &&
        index_find(&world->index, entity) != NULL) {
        value = value_elsewhere(world, entity, type, for_write);
    }
    return value != NULL ? value : value_refuse(world, entity, component, call);
}

const void *shoal_get(const shoal_world *world, shoal_entity entity, shoal_component component) {
    world_note_access(world, component, false, "shoal_get");
    void *value = LIKELY(world != NULL) ? value_find(world, entity, component, true) : NULL;
    return LIKELY(value != NULL) ? value : value_find_again(world, entity, component, false, "shoal_get");
}

void *shoal_get_mut(shoal_world *world, shoal_entity entity, shoal_component component) {
    world_note_access(world, component, true, "shoal_get_mut");
    void *value = LIKELY(world != NULL) ? value_find(world, entity, component, true) : NULL;
    return LIKELY(value != NULL) ? value : value_find_again(world, entity, component, true, "shoal_get_mut");
}

/* Whether the entity has a component that is not in the first slot of its archetype's table. */
static NOINLINE bool has_elsewhere(const shoal_world *world, shoal_entity entity, shoal_component component,
                                   const shoal_archetype *archetype) {
    if (archetype_find(archetype, component.id) != ARCHETYPE_NONE) {
        return true;
    }
    const component_type *type = store_at(world, component.id) != NULL ? component_type_at(component.id) : NULL;
    return type != NULL && !type->in_archetype && store_has(world, type, entity);
}

bool shoal_has(const shoal_world *world, shoal_entity entity, shoal_component component) {
    const index_record *record = LIKELY(world != NULL) ? index_find(&world->index, entity) : NULL;
    if (UNLIKELY(record == NULL)) {
        return false;
    }
    const shoal_archetype *archetype = world->archetypes[index_archetype(record->place)];
    archetype_slot slot = archetype->slots[component.id & archetype->slot_mask];
    if (LIKELY(slot.id == component.id)) {
        return slot.number != ARCHETYPE_NONE;
    }
    return has_elsewhere(world, entity, component, archetype);
}

bool shoal_is_dying(const shoal_world *world, shoal_entity entity) {
    const index_record *record = world != NULL ? index_find(&world->index, entity) : NULL;
    return record != NULL && (row_of(world, record).archetype->hidden & ARCHETYPE_DYING);
}

bool shoal_is_alive(const shoal_world *world, shoal_entity entity) {
    return world != NULL && index_find(&world->index, entity) != NULL;
}

/* ---- batches ---- */

#define AHEAD 24 /* records under way; as many misses as the processor keeps, with some to spare */

static ALWAYS_INLINE void fetch_record(const entity_index *index, shoal_entity entity) {
    uint32_t slot = shoal_entity_index(entity);
    if (LIKELY((slot >> INDEX_PAGE_BITS) < index->page_count)) {
        PREFETCH(index_at(index, slot));
    }
}

/* Each look-up finds its record fetched, and fetches its value for the caller, who reads it later. */
static size_t get_many(const shoal_world *world, const shoal_entity *entities, size_t count, shoal_component component,
                       void **data, bool for_write) {
    const component_type *type = component_type_at(component.id);
    bool elsewhere = !type->has_column;
    for (size_t i = 0; i < count && i < AHEAD; i++) {
        fetch_record(&world->index, entities[i]);
    }
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (LIKELY(i + AHEAD < count)) {
            fetch_record(&world->index, entities[i + AHEAD]);
        }
        data[i] = value_find(world, entities[i], component, false);
        if (UNLIKELY(elsewhere) && index_find(&world->index, entities[i]) != NULL) {
            data[i] = value_elsewhere(world, entities[i], type, for_write);
        }
        PREFETCH(data[i]);
        found += data[i] != NULL;
    }
    return found;
}

static bool many_is_valid(const shoal_world *world, const shoal_entity *entities, size_t count,
                          shoal_component component, void *data, const char *call) {
    shoal_status status = SHOAL_OK;
    if (world == NULL || (count != 0 && (entities == NULL || data == NULL))) {
        status = SHOAL_INVALID_ARGUMENT;
    } else if (component_type_find(component.id) == NULL) {
        status = SHOAL_COMPONENT_INVALID;
    }
    if (status != SHOAL_OK) {
        world_fail_reader(world, status, call, (shoal_entity){0}, component);
    }
    return status == SHOAL_OK;
}

size_t shoal_get_many(const shoal_world *world, const shoal_entity *entities, size_t count, shoal_component component,
                      const void **data) {
    world_note_access(world, component, false, "shoal_get_many");
    /* The inner function writes void *; both have the same representation and it writes no values. */
    void **pointers = (void **)(uintptr_t)data;
    return many_is_valid(world, entities, count, component, pointers, "shoal_get_many")
               ? get_many(world, entities, count, component, pointers, false)
               : 0;
}

size_t shoal_get_many_mut(shoal_world *world, const shoal_entity *entities, size_t count, shoal_component component,
                          void **data) {
    world_note_access(world, component, true, "shoal_get_many_mut");
    return many_is_valid(world, entities, count, component, data, "shoal_get_many_mut")
               ? get_many(world, entities, count, component, data, true)
               : 0;
}

/* ---- walks ---- */

const shoal_component *shoal_components_of(const shoal_world *world, shoal_entity entity, size_t *component_count) {
    const index_record *record = world != NULL ? index_find(&world->index, entity) : NULL;
    const shoal_archetype *archetype = record != NULL ? world->archetypes[index_archetype(record->place)] : NULL;
    if (component_count != NULL) {
        *component_count = archetype != NULL ? archetype->component_count : 0;
    }
    /* shoal_component is a struct of one uint32_t. */
    return archetype != NULL ? (const shoal_component *)(const void *)archetype->ids : NULL;
}

bool shoal_next_component(const shoal_world *world, shoal_entity entity, shoal_component *component) {
    const index_record *record = world != NULL && component != NULL ? index_find(&world->index, entity) : NULL;
    if (record == NULL) {
        return false;
    }
    const shoal_archetype *archetype = world->archetypes[index_archetype(record->place)];
    uint32_t id = component->id;
    uint32_t number = id == 0 ? 0 : archetype_find(archetype, id);
    number = id != 0 && number != ARCHETYPE_NONE ? number + 1 : number;
    if (number < archetype->component_count) {
        component->id = archetype->ids[number];
        return true;
    }
    /* Behind them the loose ones, in the order in which their types came to the world. */
    bool is_behind = id == 0 || number != ARCHETYPE_NONE;
    for (size_t i = 0; i < world->loose_count; i++) {
        const component_type *type = ((const loose_store *)world->loose.items + i)->type;
        if (is_behind && !type->in_set && store_has(world, type, entity)) {
            component->id = type->id;
            return true;
        }
        is_behind = is_behind || type->id == id;
    }
    return false;
}

bool shoal_next_entity(const shoal_world *world, shoal_entity *entity) {
    if (world == NULL || entity == NULL) {
        return false;
    }
    uint64_t from = shoal_entity_is_null(*entity) ? 0 : (uint64_t)shoal_entity_index(*entity) + 1;
    return index_next_live(&world->index, from, entity);
}
