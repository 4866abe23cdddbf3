/**
 * @file id.h
 * Entity handles. A handle is a 64-bit value that names one entity of one world, for ever:
 *
 *   bits  0-31  index       the slot
 *   bits 32-47  generation  how many entities the slot has named before
 *   bits 48-62  world tag   which world
 *   bit     63  valid       clear in placeholders, which a command buffer gives out; their other bits are
 *                           the buffer's own (the lowest 24 count its spawns)
 *
 * All zero is null. Destroying an entity adds one to its slot's generation; a slot whose 65,536
 * generations are used up is retired, so an old handle never names a new entity. The functions here are
 * pure: they look at the bits only.
 */
#ifndef SHOAL_ID_H
#define SHOAL_ID_H

#include <shoal/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An entity handle; pass it by value. Zero-initialised is null. */
typedef struct shoal_entity {
    uint64_t bits; /**< See the head of this file. */
} shoal_entity;

/** The longest text that shoal_entity_format() makes, with its terminating zero. */
#define SHOAL_ENTITY_TEXT_SIZE 32

/** True for the null handle. Thread: any. */
static inline bool shoal_entity_is_null(shoal_entity entity) {
    return entity.bits == 0;
}

/** True when two handles name the same entity. Thread: any. */
static inline bool shoal_entity_equal(shoal_entity a, shoal_entity b) {
    return a.bits == b.bits;
}

/** The slot of a handle. Thread: any. */
static inline uint32_t shoal_entity_index(shoal_entity entity) {
    return (uint32_t)entity.bits;
}

/** The generation of a handle, 0 to 65,535. Thread: any. */
static inline uint32_t shoal_entity_generation(shoal_entity entity) {
    return (uint32_t)(entity.bits >> 32) & 0xFFFFu;
}

/** The tag of the handle's world, 1 to 32,767. Thread: any. */
static inline uint32_t shoal_entity_world_tag(shoal_entity entity) {
    return (uint32_t)(entity.bits >> 48) & 0x7FFFu;
}

/** True for a handle that a command buffer gave out and that is not an entity yet. Thread: any. */
static inline bool shoal_entity_is_placeholder(shoal_entity entity) {
    return entity.bits != 0 && (entity.bits >> 63) == 0;
}

/**
 * Writes `index:generation@world` ("null" for null, "placeholder N" for a placeholder) into `text`, which
 * holds `size` bytes; the text is cut to fit and always terminated when size > 0. Returns the length that
 * the whole text has. Thread: any.
 */
SHOAL_API size_t shoal_entity_format(shoal_entity entity, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
