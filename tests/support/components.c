/*
 * The component types of components.h and the table of kinds. Values that are arrays of 32-bit words hold
 * payload * (2 i + 1) in word i; so do the three floats of Position and Velocity, with payloads small enough to
 * be exact.
 */
#include "components.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

tracker owned_tracker = {.name = "Owned", .has_ctor = true, .follows = true};
tracker boxed_tracker = {.name = "Boxed"};

static const Preset preset_default = {.value = 7, .inverse = ~7u};

static bool gauge_validate(const void *value, void *user) {
    (void)user;
    return ((const Gauge *)value)->value >= 0;
}

SHOAL_COMPONENT_DEFINE(Position, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Position, x), SHOAL_FIELD(Position, y),
                                              SHOAL_FIELD(Position, z)))
SHOAL_COMPONENT_DEFINE(Velocity, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Velocity, x), SHOAL_FIELD(Velocity, y),
                                              SHOAL_FIELD(Velocity, z)))
SHOAL_COMPONENT_DEFINE(Health, .fields = SHOAL_FIELDS(SHOAL_FIELD(Health, value)))
SHOAL_COMPONENT_DEFINE(Link, .fields = SHOAL_FIELDS(SHOAL_FIELD(Link, target), SHOAL_FIELD_ARRAY(Link, pair),
                                                    SHOAL_FIELD_NESTED(Link, inner, SHOAL_FIELD(LinkInner, number),
                                                                       SHOAL_FIELD(LinkInner, again))))
SHOAL_COMPONENT_DEFINE(Letter, .fields = SHOAL_FIELDS(SHOAL_FIELD(Letter, value)))
SHOAL_COMPONENT_DEFINE(Gauge, .fields = SHOAL_FIELDS(SHOAL_FIELD(Gauge, value)), .validate = gauge_validate)
SHOAL_COMPONENT_DEFINE(Preset, .default_value = &preset_default)
SHOAL_COMPONENT_DEFINE(Wide)
SHOAL_COMPONENT_DEFINE(Large)
SHOAL_COMPONENT_DEFINE(Aligned)
SHOAL_COMPONENT_DEFINE(Bulky)
SHOAL_COMPONENT_DEFINE(Owned, .ctor = owned_ctor, .copy = owned_copy, .move = owned_move, .dtor = owned_dtor,
                       .user = &owned_tracker)
SHOAL_COMPONENT_DEFINE(Boxed, .copy = owned_copy, .dtor = owned_dtor, .user = &boxed_tracker)
SHOAL_TAG_DEFINE(Frozen)
SHOAL_TAG_DEFINE(Selected)

typedef struct kind_entry {
    shoal_component_slot *slot;
    uint64_t default_payload;
    uint64_t mask;     /* of payloads */
    size_t word_count; /* for values that are arrays of words */
} kind_entry;

static const kind_entry kind_table[KIND_COUNT] = {
    [KIND_POSITION] = {&shoal_slot_Position, 0, 0xFFFF, 0},
    [KIND_VELOCITY] = {&shoal_slot_Velocity, 0, 0xFFFF, 0},
    [KIND_HEALTH] = {&shoal_slot_Health, 0, 0xFFFFFFFF, 1},
    [KIND_LINK] = {&shoal_slot_Link, 0, UINT64_MAX, 0},
    [KIND_LETTER] = {&shoal_slot_Letter, 0, 0xFF, 0},
    [KIND_GAUGE] = {&shoal_slot_Gauge, 0, 0x7FFFFFFF, 1},
    [KIND_PRESET] = {&shoal_slot_Preset, 7, 0xFFFFFFFF, 0},
    [KIND_WIDE] = {&shoal_slot_Wide, 0, 0xFFFFFFFF, 64},
    [KIND_LARGE] = {&shoal_slot_Large, 0, 0xFFFFFFFF, 600},
    [KIND_ALIGNED] = {&shoal_slot_Aligned, 0, 0xFFFFFFFF, 64},
    [KIND_OWNED] = {&shoal_slot_Owned, OWNED_CTOR_PAYLOAD, 0xFFFFFFFF, 0},
    [KIND_BOXED] = {&shoal_slot_Boxed, 0, 0xFFFFFFFF, 0},
    [KIND_FROZEN] = {&shoal_slot_Frozen, 0, 0, 0},
    [KIND_SELECTED] = {&shoal_slot_Selected, 0, 0, 0},
};

void kinds_register(void) {
    static const value_kind order[KIND_COUNT] = {KIND_FROZEN, KIND_POSITION, KIND_VELOCITY, KIND_HEALTH,  KIND_LINK,
                                                 KIND_LETTER, KIND_GAUGE,    KIND_PRESET,   KIND_WIDE,    KIND_LARGE,
                                                 KIND_OWNED,  KIND_ALIGNED,  KIND_BOXED,    KIND_SELECTED};
    for (size_t i = 0; i < KIND_COUNT; i++) {
        assert_int_not_equal(kind_component(order[i]).id, 0);
    }
}

const char *kind_name(value_kind type) {
    return kind_table[type].slot->def.name;
}

shoal_component kind_component(value_kind type) {
    return shoal_component_of(kind_table[type].slot);
}

value_kind kind_find(shoal_component component) {
    for (value_kind type = 0; type < KIND_COUNT; type++) {
        if (kind_component(type).id == component.id) {
            return type;
        }
    }
    return KIND_COUNT;
}

bool kind_is_tag(value_kind type) {
    return type >= KIND_DATA_COUNT;
}

size_t kind_size(value_kind type) {
    return kind_table[type].slot->def.size;
}

uint64_t kind_default(value_kind type) {
    return kind_table[type].default_payload;
}

uint64_t kind_fit(value_kind type, uint64_t number) {
    return number & kind_table[type].mask;
}

bool kind_refuses(value_kind type, uint64_t payload) {
    return type == KIND_GAUGE && payload > INT32_MAX;
}

uint64_t kind_refused_payload(value_kind type, uint64_t number) {
    assert_int_equal(type, KIND_GAUGE);
    return (number & INT32_MAX) | 0x80000000u;
}

/* ---- values ---- */

static void words_write(uint32_t *words, size_t count, uint64_t payload) {
    for (size_t i = 0; i < count; i++) {
        words[i] = (uint32_t)payload * (uint32_t)(2 * i + 1);
    }
}

static uint64_t words_read(const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (words[i] != words[0] * (uint32_t)(2 * i + 1)) {
            return KIND_BROKEN;
        }
    }
    return words[0];
}

static void floats_write(float *floats, uint64_t payload) {
    for (size_t i = 0; i < 3; i++) {
        floats[i] = (float)(payload * (2 * i + 1));
    }
}

static uint64_t floats_read(const float *floats) {
    uint64_t payload = floats[0] >= 0 && floats[0] <= 65535 ? (uint64_t)floats[0] : KIND_BROKEN;
    float expected[3];
    floats_write(expected, payload);
    bool same = expected[0] == floats[0] && expected[1] == floats[1] && expected[2] == floats[2];
    return same ? payload : KIND_BROKEN;
}

static void link_write(Link *link, uint64_t payload) {
    shoal_entity target = {payload};
    memset(link, 0, sizeof *link);
    link->target = target;
    link->pair[0] = target;
    link->pair[1] = target;
    link->inner.again = target;
}

static uint64_t link_read(const Link *link) {
    bool same = shoal_entity_equal(link->target, link->pair[0]) && shoal_entity_equal(link->target, link->pair[1]) &&
                shoal_entity_equal(link->target, link->inner.again) && link->inner.number == 0;
    return same ? link->target.bits : KIND_BROKEN;
}

static uint64_t object_read(const tracker *track, const Owned *value) {
    uint32_t payload = 0;
    return owned_read(track, value, &payload) ? payload : KIND_BROKEN;
}

void kind_write(value_kind type, uint64_t payload, void *value) {
    switch (type) {
    case KIND_POSITION:
    case KIND_VELOCITY:
        floats_write(value, payload);
        break;
    case KIND_LINK:
        link_write(value, payload);
        break;
    case KIND_LETTER:
        *(Letter *)value = (Letter){(uint8_t)payload};
        break;
    case KIND_PRESET:
        *(Preset *)value = (Preset){(uint32_t)payload, ~(uint32_t)payload};
        break;
    case KIND_OWNED:
        owned_make(&owned_tracker, value, (uint32_t)payload);
        break;
    case KIND_BOXED:
        owned_make(&boxed_tracker, value, (uint32_t)payload);
        break;
    default:
        words_write(value, kind_table[type].word_count, payload);
        break;
    }
}

void kind_end(value_kind type, void *value) {
    if (type == KIND_OWNED) {
        owned_end(&owned_tracker, value);
    } else if (type == KIND_BOXED) {
        owned_end(&boxed_tracker, value);
    }
}

uint64_t kind_read(value_kind type, const void *value) {
    if ((uintptr_t)value % kind_table[type].slot->def.alignment != 0) {
        return KIND_BROKEN;
    }
    switch (type) {
    case KIND_POSITION:
    case KIND_VELOCITY:
        return floats_read(value);
    case KIND_LINK:
        return link_read(value);
    case KIND_LETTER:
        return ((const Letter *)value)->value;
    case KIND_PRESET: {
        const Preset *preset = value;
        return preset->value == ~preset->inverse ? preset->value : KIND_BROKEN;
    }
    case KIND_OWNED:
        return object_read(&owned_tracker, value);
    case KIND_BOXED:
        return object_read(&boxed_tracker, value);
    default:
        return words_read(value, kind_table[type].word_count);
    }
}

/* ---- types made at run time ---- */

static shoal_component run_time_component(const char *prefix, size_t number, size_t size, size_t alignment) {
    char name[64];
    snprintf(name, sizeof name, "%s%zu", prefix, number);
    shoal_component component =
        shoal_component_register(&(shoal_component_def){.name = name, .size = size, .alignment = alignment});
    assert_int_not_equal(component.id, 0);
    return component;
}

shoal_component aligned_component(size_t alignment) {
    return run_time_component("Aligned", alignment, alignment, alignment);
}

shoal_component numbered_component(uint32_t number) {
    return run_time_component("Number", number, 4, 4);
}

shoal_component numbered_tag(uint32_t number) {
    return run_time_component("Tag", number, 0, 0);
}
