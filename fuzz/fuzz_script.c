/*
 * One script over table components, run twice as sides.h has it. The two worlds must come to the same: which entities
 * live, what they have, every value, every reference between entities, and how many calls could not be done. Both are
 * validated after each apply.
 *
 * Input: an operation a byte, each followed by its arguments.
 */
#include <string.h>

#include "sides.h"

#define ENTITIES_MAX 24
#define STEPS_MAX 400

typedef struct {
    uint32_t points;
} Health;

typedef struct {
    shoal_entity target;
    uint64_t strength;
} Link;

typedef struct {
    uint8_t bytes[200];
} Wide;

SHOAL_COMPONENT(Health, .fields = SHOAL_FIELDS(SHOAL_FIELD(Health, points)))
SHOAL_COMPONENT(Link, .fields = SHOAL_FIELDS(SHOAL_FIELD(Link, target), SHOAL_FIELD(Link, strength)))
SHOAL_COMPONENT(Wide)
SHOAL_TAG(Frozen)

enum { HEALTH, LINK, WIDE, FROZEN, KINDS };

static shoal_component kind_component(uint32_t kind) {
    shoal_component_slot *const slots[KINDS] = {SHOAL_SLOT(Health), SHOAL_SLOT(Link), SHOAL_SLOT(Wide),
                                                SHOAL_SLOT(Frozen)};
    return shoal_component_of(slots[kind]);
}

/* A value of some kind, made of two bytes of the input, for one side. */
typedef struct value {
    shoal_component component;
    union {
        Health health;
        Link link;
        Wide wide;
    } data;
} value;

static void make_values(sides *s, uint32_t kind, value values[SIDES]) {
    uint8_t seed = fuzz_byte(&s->input);
    size_t target = s->entity_count == 0 ? 0 : fuzz_below(&s->input, (uint32_t)s->entity_count);
    for (int side = 0; side < SIDES; side++) {
        memset(&values[side], 0, sizeof values[side]);
        values[side].component = kind_component(kind);
        if (kind == HEALTH) {
            values[side].data.health.points = seed;
        } else if (kind == LINK) {
            values[side].data.link.target = s->entity_count == 0 ? (shoal_entity){0} : s->entities[target].handle[side];
            values[side].data.link.strength = seed;
        } else if (kind == WIDE) {
            memset(values[side].data.wide.bytes, seed, sizeof values[side].data.wide.bytes);
        }
    }
}

static void step_spawn(sides *s) {
    uint8_t mask = fuzz_byte(&s->input);
    value values[KINDS][SIDES];
    shoal_value list[SIDES][KINDS];
    size_t count = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        if ((mask >> kind & 1) != 0) {
            make_values(s, kind, values[count]);
            for (int side = 0; side < SIDES; side++) {
                list[side][count] =
                    (shoal_value){kind_component(kind), kind == FROZEN ? NULL : &values[count][side].data};
            }
            count++;
        }
    }
    if (s->entity_count == ENTITIES_MAX) {
        return;
    }
    const pair *made = sides_spawn(s, list[DIRECT], list[DEFERRED], count);
    FUZZ_CHECK(!shoal_entity_is_null(made->handle[DIRECT]));
}

static void step_change(sides *s, uint32_t operation, const pair *at) {
    uint32_t kind = fuzz_below(&s->input, operation == 2 ? FROZEN : KINDS);
    value values[SIDES];
    make_values(s, kind, values);
    bool with_data = kind != FROZEN && (operation == 2 || fuzz_below(&s->input, 4) != 0);
    const void *direct = with_data ? &values[DIRECT].data : NULL;
    const void *deferred = with_data ? &values[DEFERRED].data : NULL;
    shoal_component component = kind_component(kind);
    if (operation == 0) {
        sides_count(s, shoal_add(s->world[DIRECT], at->handle[DIRECT], component, direct),
                    shoal_commands_add(s->commands, at->handle[DEFERRED], component, deferred));
    } else if (operation == 1) {
        sides_count(s, shoal_remove(s->world[DIRECT], at->handle[DIRECT], component),
                    shoal_commands_remove(s->commands, at->handle[DEFERRED], component));
    } else {
        sides_count(s, shoal_set(s->world[DIRECT], at->handle[DIRECT], component, direct),
                    shoal_commands_set(s->commands, at->handle[DEFERRED], component, deferred));
    }
}

static void check_entity(const sides *s, const pair *at) {
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        bool has = shoal_has(s->world[DIRECT], at->handle[DIRECT], kind_component(kind));
        FUZZ_CHECK(has == shoal_has(s->world[DEFERRED], at->handle[DEFERRED], kind_component(kind)));
        if (!has || kind == FROZEN) {
            continue;
        }
        const void *direct = shoal_get(s->world[DIRECT], at->handle[DIRECT], kind_component(kind));
        const void *deferred = shoal_get(s->world[DEFERRED], at->handle[DEFERRED], kind_component(kind));
        FUZZ_CHECK(direct != NULL && deferred != NULL);
        if (kind == LINK) {
            const Link *first = direct, *second = deferred;
            sides_check_same(s, first->target, second->target);
            FUZZ_CHECK(first->strength == second->strength);
        } else {
            size_t size = kind == HEALTH ? sizeof(Health) : sizeof(Wide);
            FUZZ_CHECK(memcmp(direct, deferred, size) == 0);
        }
    }
}

static void step(sides *s) {
    uint32_t operation = fuzz_below(&s->input, 10);
    if (operation < 2) {
        step_spawn(s);
    } else if (operation == 2) {
        sides_apply(s, check_entity);
    } else if (operation == 3) {
        sides_trim(s);
    } else if (s->entity_count > 0) {
        const pair *at = sides_pick(s);
        if (operation < 8) {
            step_change(s, operation < 6 ? 0 : operation - 5, at);
        } else {
            sides_end_entity(s, at, operation == 9);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        (void)kind_component(kind); /* the same ids in every run, whatever comes first */
    }
    sides s;
    sides_start(&s, data, size);
    for (size_t i = 0; i < STEPS_MAX && s.input.size > 0; i++) {
        step(&s);
    }
    sides_apply(&s, check_entity);
    sides_end(&s);
    return 0;
}
