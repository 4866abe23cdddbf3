/*
 * Enable bits by handle. Budget of a call: about 30 instructions, 3 ns in the cache. Thread rule: world, since a word
 * holds the bits of 64 rows.
 */
#include "change.h"

/* The word with an entity's bit and the bit; NULL when the component has none. */
static ALWAYS_INLINE uint64_t *enable_word(const shoal_world *world, const index_record *record,
                                           shoal_component component, uint64_t *bit) {
    row_place place = row_of(world, record);
    const archetype_more *more = place.archetype->more;
    uint32_t number = archetype_find(place.archetype, component.id);
    for (uint32_t i = 0; i < more->toggle_count && number != ARCHETYPE_NONE; i++) {
        if (more->toggles[i] == number) {
            *bit = UINT64_C(1) << (place.row % 64);
            return archetype_bits(place.archetype, place.chunk, i) + place.row / 64;
        }
    }
    return NULL;
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
    shoal_status status = type == NULL            ? SHOAL_COMPONENT_INVALID
                          : type->def.toggle      ? SHOAL_COMPONENT_MISSING
                                                  : SHOAL_COMPONENT_KIND;
    return world_fail_component(world, status, call, entity, component);
}

shoal_status shoal_enable(shoal_world *world, shoal_entity entity, shoal_component component) {
    const index_record *record = LIKELY(world != NULL) ? index_find(&world->index, entity) : NULL;
    uint64_t bit = 0;
    uint64_t *word = LIKELY(record != NULL) ? enable_word(world, record, component, &bit) : NULL;
    if (UNLIKELY(word == NULL)) {
        return enable_refuse(world, entity, component, "shoal_enable");
    }
    *word |= bit;
    return SHOAL_OK;
}

shoal_status shoal_disable(shoal_world *world, shoal_entity entity, shoal_component component) {
    const index_record *record = LIKELY(world != NULL) ? index_find(&world->index, entity) : NULL;
    uint64_t bit = 0;
    uint64_t *word = LIKELY(record != NULL) ? enable_word(world, record, component, &bit) : NULL;
    if (UNLIKELY(word == NULL)) {
        return enable_refuse(world, entity, component, "shoal_disable");
    }
    *word &= ~bit;
    return SHOAL_OK;
}

bool shoal_is_enabled(const shoal_world *world, shoal_entity entity, shoal_component component) {
    const index_record *record = world != NULL ? index_find(&world->index, entity) : NULL;
    if (record == NULL) {
        return false;
    }
    uint64_t bit = 0;
    const uint64_t *word = enable_word(world, record, component, &bit);
    return word != NULL ? *word & bit : shoal_has(world, entity, component);
}
