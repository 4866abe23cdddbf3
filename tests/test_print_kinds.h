/*
 * The component types of the tests of printing and CSV that look at every kind: one type or more of each, with and
 * without field tables.
 */
#ifndef SHOAL_TESTS_TEST_PRINT_KINDS_H
#define SHOAL_TESTS_TEST_PRINT_KINDS_H

#include "support/components.h"
#include "support/fixture.h"
#include "test_print.h"

typedef struct Place {
    float x, y;
} Place;

/* toggle */
typedef struct Armour {
    int32_t value;
} Armour;

/* sparse */
typedef struct Mark {
    uint16_t level;
    bool seen;
} Mark;

/* shared */
typedef struct Side {
    char name[8];
    uint32_t number;
} Side;

/* chunk */
typedef struct Bounds {
    float low, high;
} Bounds;

/* buffers: with fields, with text, without fields */
typedef struct Trail {
    float x;
    double y;
} Trail;

typedef struct Remark {
    char text[12];
    uint8_t weight;
} Remark;

typedef struct Crumb {
    unsigned char bytes[2];
} Crumb;

/* uniques */
typedef struct Weather {
    float wind;
    shoal_entity storm;
} Weather;

typedef struct Opaque {
    unsigned char bytes[3];
} Opaque;

/* relations with data: many targets, one target */
typedef struct Carries {
    int32_t count;
} Carries;

typedef struct Serves {
    uint8_t rank;
} Serves;

SHOAL_COMPONENT(Place, .fields = SHOAL_FIELDS(SHOAL_FIELD(Place, x), SHOAL_FIELD(Place, y)))
SHOAL_COMPONENT(Armour, .toggle = true, .fields = SHOAL_FIELDS(SHOAL_FIELD(Armour, value)))
SHOAL_TAG(Awake, .toggle = true)
SHOAL_COMPONENT(Mark, .storage = SHOAL_STORAGE_SPARSE,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Mark, level), SHOAL_FIELD(Mark, seen)))
SHOAL_TAG(Spotted, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT(Side, .storage = SHOAL_STORAGE_SHARED,
                .fields = SHOAL_FIELDS(SHOAL_FIELD_CHARS(Side, name), SHOAL_FIELD(Side, number)))
SHOAL_COMPONENT(Bounds, .storage = SHOAL_STORAGE_CHUNK,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Bounds, low), SHOAL_FIELD(Bounds, high)))
SHOAL_COMPONENT(Trail, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 2, .toggle = true,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Trail, x), SHOAL_FIELD(Trail, y)))
SHOAL_COMPONENT(Remark, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 1,
                .fields = SHOAL_FIELDS(SHOAL_FIELD_CHARS(Remark, text), SHOAL_FIELD(Remark, weight)))
SHOAL_COMPONENT(Crumb, .storage = SHOAL_STORAGE_BUFFER)
SHOAL_COMPONENT(Weather, .storage = SHOAL_STORAGE_UNIQUE,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Weather, wind), SHOAL_FIELD(Weather, storm)))
SHOAL_COMPONENT(Opaque, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_TAG(Started, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_RELATION_DATA(Carries, .fields = SHOAL_FIELDS(SHOAL_FIELD(Carries, count)))
SHOAL_RELATION_DATA(Serves, .exclusive = true, .fields = SHOAL_FIELDS(SHOAL_FIELD(Serves, rank)))
SHOAL_RELATION(Follows, .acyclic = true)
SHOAL_TAG(Wreck, .cleanup = true)

/* In the order of this list by id, so that texts are the same in every run. */
static inline void print_kinds_register(void) {
    kinds_register();
    const shoal_component all[] = {
        SHOAL_ID(Place),   SHOAL_ID(Armour),  SHOAL_ID(Awake),  SHOAL_ID(Mark),    SHOAL_ID(Spotted), SHOAL_ID(Side),
        SHOAL_ID(Bounds),  SHOAL_ID(Trail),   SHOAL_ID(Remark), SHOAL_ID(Crumb),   SHOAL_ID(Weather), SHOAL_ID(Opaque),
        SHOAL_ID(Started), SHOAL_ID(Carries), SHOAL_ID(Serves), SHOAL_ID(Follows), SHOAL_ID(Wreck)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].id == 0) {
            fprintf(stderr, "type %zu of the tests: %s\n", i, shoal_last_error(NULL).message);
            exit(1);
        }
    }
}

static inline shoal_entity must_name(shoal_world *world, shoal_entity entity, const char *name) {
    assert_ok(shoal_set_name(world, entity, name));
    return entity;
}

#endif
