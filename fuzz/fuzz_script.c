/*
 * One script, run twice: at once in one world, and recorded in a command buffer and applied in another. The two must
 * come to the same: which entities live, what they have, every value, every reference between entities, and how many
 * calls could not be done. Both worlds are validated after each apply.
 *
 * Entities go by their place in a table, since the two worlds give different handles. Input: an operation a byte, each
 * followed by its arguments.
 */
#include <shoal/shoal.h>

#include <string.h>

#include "fuzz.h"

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

enum { DIRECT, DEFERRED, SIDES };

typedef struct pair {
    shoal_entity handle[SIDES]; /* of DEFERRED: a placeholder until the next apply */
} pair;

typedef struct script {
    fuzz_input input;
    shoal_world *world[SIDES];
    shoal_commands *commands;
    shoal_component kinds[KINDS];
    pair entities[ENTITIES_MAX];
    size_t entity_count;
    size_t failed; /* direct calls since the last apply */
} script;

/* A value of some kind, made of two bytes of the input, for one side. */
typedef struct value {
    shoal_component component;
    union {
        Health health;
        Link link;
        Wide wide;
    } data;
} value;

static void make_values(script *s, uint32_t kind, value values[SIDES]) {
    uint8_t seed = fuzz_byte(&s->input);
    size_t target = s->entity_count == 0 ? 0 : fuzz_below(&s->input, (uint32_t)s->entity_count);
    for (int side = 0; side < SIDES; side++) {
        memset(&values[side], 0, sizeof values[side]);
        values[side].component = s->kinds[kind];
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

static void count_direct(script *s, shoal_status status) {
    s->failed += status != SHOAL_OK;
}

static void step_spawn(script *s) {
    uint8_t mask = fuzz_byte(&s->input);
    value values[KINDS][SIDES];
    shoal_value list[SIDES][KINDS];
    size_t count = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        if ((mask >> kind & 1) != 0) {
            make_values(s, kind, values[count]);
            for (int side = 0; side < SIDES; side++) {
                list[side][count] = (shoal_value){s->kinds[kind], kind == FROZEN ? NULL : &values[count][side].data};
            }
            count++;
        }
    }
    if (s->entity_count == ENTITIES_MAX) {
        return;
    }
    pair *made = &s->entities[s->entity_count++];
    made->handle[DIRECT] = shoal_spawn(s->world[DIRECT], list[DIRECT], count);
    made->handle[DEFERRED] = shoal_commands_spawn(s->commands, list[DEFERRED], count);
    FUZZ_CHECK(!shoal_entity_is_null(made->handle[DIRECT]));
    FUZZ_CHECK(shoal_entity_is_placeholder(made->handle[DEFERRED]));
}

static void step_change(script *s, uint32_t operation, const pair *at) {
    uint32_t kind = fuzz_below(&s->input, operation == 2 ? FROZEN : KINDS);
    value values[SIDES];
    make_values(s, kind, values);
    bool with_data = kind != FROZEN && (operation == 2 || fuzz_below(&s->input, 4) != 0);
    const void *direct = with_data ? &values[DIRECT].data : NULL;
    const void *deferred = with_data ? &values[DEFERRED].data : NULL;
    shoal_component component = s->kinds[kind];
    if (operation == 0) {
        count_direct(s, shoal_add(s->world[DIRECT], at->handle[DIRECT], component, direct));
        FUZZ_CHECK(shoal_commands_add(s->commands, at->handle[DEFERRED], component, deferred) == SHOAL_OK);
    } else if (operation == 1) {
        count_direct(s, shoal_remove(s->world[DIRECT], at->handle[DIRECT], component));
        FUZZ_CHECK(shoal_commands_remove(s->commands, at->handle[DEFERRED], component) == SHOAL_OK);
    } else {
        count_direct(s, shoal_set(s->world[DIRECT], at->handle[DIRECT], component, direct));
        FUZZ_CHECK(shoal_commands_set(s->commands, at->handle[DEFERRED], component, deferred) == SHOAL_OK);
    }
}

static void step_end(script *s, bool destroy, const pair *at) {
    if (destroy) {
        count_direct(s, shoal_destroy(s->world[DIRECT], at->handle[DIRECT]));
        FUZZ_CHECK(shoal_commands_destroy_entity(s->commands, at->handle[DEFERRED]) == SHOAL_OK);
    } else {
        count_direct(s, shoal_clear(s->world[DIRECT], at->handle[DIRECT]));
        FUZZ_CHECK(shoal_commands_clear(s->commands, at->handle[DEFERRED]) == SHOAL_OK);
    }
}

/* Both links name the same entity, or both name none that lives. */
static void check_link(const script *s, shoal_entity direct, shoal_entity deferred) {
    if (!shoal_is_alive(s->world[DIRECT], direct)) {
        FUZZ_CHECK(!shoal_is_alive(s->world[DEFERRED], deferred));
        return;
    }
    for (size_t i = 0; i < s->entity_count; i++) {
        if (shoal_entity_equal(s->entities[i].handle[DIRECT], direct)) {
            FUZZ_CHECK(shoal_entity_equal(s->entities[i].handle[DEFERRED], deferred));
        }
    }
}

static void check_entity(const script *s, const pair *at) {
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        bool has = shoal_has(s->world[DIRECT], at->handle[DIRECT], s->kinds[kind]);
        FUZZ_CHECK(has == shoal_has(s->world[DEFERRED], at->handle[DEFERRED], s->kinds[kind]));
        if (!has || kind == FROZEN) {
            continue;
        }
        const void *direct = shoal_get(s->world[DIRECT], at->handle[DIRECT], s->kinds[kind]);
        const void *deferred = shoal_get(s->world[DEFERRED], at->handle[DEFERRED], s->kinds[kind]);
        FUZZ_CHECK(direct != NULL && deferred != NULL);
        if (kind == LINK) {
            const Link *first = direct, *second = deferred;
            check_link(s, first->target, second->target);
            FUZZ_CHECK(first->strength == second->strength);
        } else {
            size_t size = kind == HEALTH ? sizeof(Health) : sizeof(Wide);
            FUZZ_CHECK(memcmp(direct, deferred, size) == 0);
        }
    }
}

/* Applies the buffer, compares the worlds and forgets the entities that are dead. */
static void step_apply(script *s) {
    shoal_commands_result result;
    FUZZ_CHECK(shoal_commands_apply(s->commands, &result) == SHOAL_OK);
    FUZZ_CHECK(result.dropped == s->failed);
    s->failed = 0;
    for (size_t i = 0; i < s->entity_count; i++) {
        shoal_entity *handle = &s->entities[i].handle[DEFERRED];
        if (shoal_entity_is_placeholder(*handle)) {
            *handle = shoal_commands_resolve(s->commands, *handle);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < s->entity_count; i++) {
        bool alive = shoal_is_alive(s->world[DIRECT], s->entities[i].handle[DIRECT]);
        FUZZ_CHECK(alive == shoal_is_alive(s->world[DEFERRED], s->entities[i].handle[DEFERRED]));
        if (alive) {
            check_entity(s, &s->entities[i]);
        }
    }
    for (size_t i = 0; i < s->entity_count; i++) {
        if (shoal_is_alive(s->world[DIRECT], s->entities[i].handle[DIRECT])) {
            s->entities[kept++] = s->entities[i];
        }
    }
    s->entity_count = kept;
    for (int side = 0; side < SIDES; side++) {
        FUZZ_CHECK(shoal_world_entity_count(s->world[side]) == kept);
        FUZZ_CHECK(shoal_world_validate(s->world[side]) == SHOAL_OK);
    }
}

static void step_trim(script *s) {
    for (int side = 0; side < SIDES; side++) {
        FUZZ_CHECK(shoal_world_trim(s->world[side], 0, NULL) == SHOAL_OK);
    }
}

static void step(script *s) {
    uint32_t operation = fuzz_below(&s->input, 10);
    if (operation < 2) {
        step_spawn(s);
    } else if (operation == 2) {
        step_apply(s);
    } else if (operation == 3) {
        step_trim(s);
    } else if (s->entity_count > 0) {
        const pair *at = &s->entities[fuzz_below(&s->input, (uint32_t)s->entity_count)];
        if (operation < 8) {
            step_change(s, operation < 6 ? 0 : operation - 5, at);
        } else {
            step_end(s, operation == 9, at);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    script s = {.input = {data, size}, .kinds = {SHOAL_ID(Health), SHOAL_ID(Link), SHOAL_ID(Wide), SHOAL_ID(Frozen)}};
    bool move_rows = (fuzz_byte(&s.input) & 1) != 0;
    for (int side = 0; side < SIDES; side++) {
        s.world[side] = shoal_world_create(&(shoal_world_def){.move_rows = move_rows, .largest_chunk_bytes = 2048});
        FUZZ_CHECK(s.world[side] != NULL);
    }
    s.commands = shoal_commands_create(s.world[DEFERRED], NULL);
    FUZZ_CHECK(s.commands != NULL);
    for (size_t i = 0; i < STEPS_MAX && s.input.size > 0; i++) {
        step(&s);
    }
    step_apply(&s);
    for (int side = 0; side < SIDES; side++) {
        FUZZ_CHECK(shoal_world_destroy(s.world[side]) == SHOAL_OK);
    }
    return 0;
}
