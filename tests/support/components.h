/*
 * The component types of the tests, and the table of kinds that random tests draw from.
 *
 * A kind's value is made from one number, its payload, and every byte of the value depends on it; reading a
 * value gives the payload back, or KIND_BROKEN when the bytes do not belong together. So a reference world needs
 * to keep one number for each value. A payload of 0 is zero bytes, except where a kind has a default of its own.
 *
 * kinds_register() registers them in a fixed order, so that Position < Velocity < Health by id, and one tag comes
 * before all data types. Call it first in every test program.
 */
#ifndef SHOAL_TESTS_COMPONENTS_H
#define SHOAL_TESTS_COMPONENTS_H

#include "owned.h"

#include <shoal/entity.h>

typedef struct Position {
    float x, y, z;
} Position;

typedef struct Velocity {
    float x, y, z;
} Velocity;

typedef struct Health {
    int32_t value;
} Health;

/* Names the same entity in a plain field, an array and a nested struct. */
typedef struct LinkInner {
    uint32_t number;
    shoal_entity again;
} LinkInner;

typedef struct Link {
    shoal_entity target;
    shoal_entity pair[2];
    LinkInner inner;
} Link;

typedef struct Letter {
    uint8_t value;
} Letter;

/* Its validate hook refuses negative values. */
typedef struct Gauge {
    int32_t value;
} Gauge;

/* Has a default value that is not zero. */
typedef struct Preset {
    uint32_t value;
    uint32_t inverse;
} Preset;

typedef struct Wide {
    uint32_t words[64];
} Wide;

/* A row with it does not fit into the smallest chunk. */
typedef struct Large {
    uint32_t words[600];
} Large;

typedef struct Aligned {
    _Alignas(256) uint32_t words[64];
} Aligned;

/* Larger than the largest chunk. */
typedef struct Bulky {
    uint32_t words[3u << 18];
} Bulky;

/* An owning type without ctor and move hooks. */
typedef Owned Boxed;

SHOAL_COMPONENT_DECLARE(Position)
SHOAL_COMPONENT_DECLARE(Velocity)
SHOAL_COMPONENT_DECLARE(Health)
SHOAL_COMPONENT_DECLARE(Link)
SHOAL_COMPONENT_DECLARE(Letter)
SHOAL_COMPONENT_DECLARE(Gauge)
SHOAL_COMPONENT_DECLARE(Preset)
SHOAL_COMPONENT_DECLARE(Wide)
SHOAL_COMPONENT_DECLARE(Large)
SHOAL_COMPONENT_DECLARE(Aligned)
SHOAL_COMPONENT_DECLARE(Bulky)
SHOAL_COMPONENT_DECLARE(Owned)
SHOAL_COMPONENT_DECLARE(Boxed)
SHOAL_TAG_DECLARE(Frozen)
SHOAL_TAG_DECLARE(Selected)

/* Owned has all four hooks; Boxed has copy and dtor only. */
extern tracker owned_tracker;
extern tracker boxed_tracker;

typedef enum value_kind {
    KIND_POSITION,
    KIND_VELOCITY,
    KIND_HEALTH,
    KIND_LINK,
    KIND_LETTER,
    KIND_GAUGE,
    KIND_PRESET,
    KIND_WIDE,
    KIND_LARGE,
    KIND_ALIGNED,
    KIND_OWNED,
    KIND_BOXED,
    KIND_DATA_COUNT,
    KIND_FROZEN = KIND_DATA_COUNT,
    KIND_SELECTED,
    KIND_COUNT
} value_kind;

/* What kind_read() gives for bytes that are no value of the kind. */
#define KIND_BROKEN UINT64_MAX

/* Large enough for a value of any kind. */
typedef struct kind_buffer {
    _Alignas(256) unsigned char bytes[2560];
} kind_buffer;

void kinds_register(void);
const char *kind_name(value_kind type);
shoal_component kind_component(value_kind type);
/* The kind of a component, or KIND_COUNT. */
value_kind kind_find(shoal_component component);
bool kind_is_tag(value_kind type);
size_t kind_size(value_kind type);
/* The payload of a value that nobody gave. */
uint64_t kind_default(value_kind type);
/* Cuts any number to a payload that the kind can hold and its validate hook accepts. */
uint64_t kind_fit(value_kind type, uint64_t number);
/* True for a payload that the validate hook refuses; kind_refused_payload() is one. */
bool kind_refuses(value_kind type, uint64_t payload);
uint64_t kind_refused_payload(value_kind type, uint64_t number);
/* Makes a value in raw memory; end it with kind_end(). Tags have no bytes. */
void kind_write(value_kind type, uint64_t payload, void *value);
void kind_end(value_kind type, void *value);
uint64_t kind_read(value_kind type, const void *value);

/* Types made at run time: `alignment` bytes aligned to `alignment`; 4 bytes; no bytes. */
shoal_component aligned_component(size_t alignment);
shoal_component numbered_component(uint32_t number);
shoal_component numbered_tag(uint32_t number);

#endif
