/*
 * Enable bits by handle. Budget of a call: about 30 instructions, 3 ns in the cache. Thread rule: world, since a word
 * holds the bits of 64 rows.
 */
#include "../storage/store.h"
#include "change.h"

/* The word with the bit of a row in a column of bits. */
static ALWAYS_INLINE uint64_t *word_of(const shoal_archetype *archetype, const index_record *record, uint32_t toggle) {
    return archetype_bits(archetype, record->chunk, toggle) + index_row(record->place) / 64;
}

static ALWAYS_INLINE uint64_t bit_of(const index_record *record) {
    return UINT64_C(1) << (index_row(record->place) % 64);
}

/* Puts the bit when the component has the first column of bits, as it nearly always has. Calls nothing, so that its
   caller need not save registers. */
static ALWAYS_INLINE bool enable_quick(shoal_world *world, shoal_entity entity, shoal_component component,
                                       bool enable) {
    const index_record *record = LIKELY(world != NULL) ? index_find(&world->index, entity) : NULL;
    if (UNLIKELY(record == NULL) || world_is_shared(world)) {
        return false;
    }
    const shoal_archetype *archetype = world->archetypes[index_archetype(record->place)];
    if (UNLIKELY(archetype->first_toggle != component.id) || UNLIKELY(component.id == 0)) {
        return false;
    }
    uint64_t *word = word_of(archetype, record, 0);
    *word = enable ? *word | bit_of(record) : *word & ~bit_of(record);
    return true;
}

COLD static shoal_status enable_refuse(shoal_world *world, shoal_entity entity, shoal_component component,
                                       const char *call) {
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    const component_type *type = component_type_find(component.id);
    if (index_find(&world->index, entity) == NULL) {
        return world_fail_entity(world, call, entity);
    }
    shoal_status status = type == NULL       ? SHOAL_COMPONENT_INVALID
                          : type->def.toggle ? SHOAL_COMPONENT_MISSING
                                             : SHOAL_COMPONENT_KIND;
    return world_fail_component(world, status, call, entity, component);
}

/* Any column of bits, or why there is none. */
static NOINLINE shoal_status enable_slow(shoal_world *world, shoal_entity entity, shoal_component component,
                                         bool enable, const char *call) {
    if (world != NULL && world_is_shared(world)) {
        return world_fail_shared(world, call); /* a word of bits is of 64 rows, which several threads may go through */
    }
    const index_record *record = world != NULL ? index_find(&world->index, entity) : NULL;
    const shoal_archetype *archetype = record != NULL ? world->archetypes[index_archetype(record->place)] : NULL;
    uint32_t toggle = archetype != NULL ? archetype_toggle(archetype, component.id) : ARCHETYPE_NONE;
    if (toggle == ARCHETYPE_NONE) {
        return enable_refuse(world, entity, component, call);
    }
    uint64_t *word = word_of(archetype, record, toggle);
    *word = enable ? *word | bit_of(record) : *word & ~bit_of(record);
    return SHOAL_OK;
}

shoal_status shoal_enable(shoal_world *world, shoal_entity entity, shoal_component component) {
    return LIKELY(enable_quick(world, entity, component, true))
               ? SHOAL_OK
               : enable_slow(world, entity, component, true, "shoal_enable");
}

shoal_status shoal_disable(shoal_world *world, shoal_entity entity, shoal_component component) {
    return LIKELY(enable_quick(world, entity, component, false))
               ? SHOAL_OK
               : enable_slow(world, entity, component, false, "shoal_disable");
}

bool shoal_is_enabled(const shoal_world *world, shoal_entity entity, shoal_component component) {
    const index_record *record = world != NULL ? index_find(&world->index, entity) : NULL;
    if (record == NULL) {
        return false;
    }
    const shoal_archetype *archetype = world->archetypes[index_archetype(record->place)];
    uint32_t toggle = archetype_toggle(archetype, component.id);
    if (toggle != ARCHETYPE_NONE) {
        return *word_of(archetype, record, toggle) & bit_of(record);
    }
    const component_type *type = component_type_find(component.id);
    return type != NULL && store_entity_has(world, entity, type);
}
