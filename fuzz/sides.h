/*
 * A script that is run twice: at once in one world, and recorded in a command buffer and applied in another. The two
 * must come to the same. Here are the two worlds, the table of entities, which go by their place in it since the worlds
 * give different handles, and the comparison after each apply; a target adds its steps and looks at the components.
 */
#ifndef SHOAL_FUZZ_SIDES_H
#define SHOAL_FUZZ_SIDES_H

#include <shoal/shoal.h>

#include "fuzz.h"

#define SIDES_ENTITIES_MAX 32
#define SIDES_QUERIES_MAX 4

enum { DIRECT, DEFERRED, SIDES };

typedef struct pair {
    shoal_entity handle[SIDES]; /* of DEFERRED: a placeholder until the next apply; null when its spawn failed */
} pair;

typedef struct sides {
    fuzz_input input;
    shoal_world *world[SIDES];
    shoal_query *queries[SIDES][SIDES_QUERIES_MAX]; /* must give as many rows on both sides */
    size_t query_count;
    shoal_commands *commands;
    pair entities[SIDES_ENTITIES_MAX];
    size_t entity_count;
    size_t failed; /* direct calls since the last apply */
} sides;

/* The first byte of the input decides how rows are moved. */
static inline void sides_start(sides *s, const uint8_t *data, size_t size) {
    *s = (sides){.input = {data, size}};
    bool move_rows = (fuzz_byte(&s->input) & 1) != 0;
    for (int side = 0; side < SIDES; side++) {
        s->world[side] = shoal_world_create(&(shoal_world_def){.move_rows = move_rows, .largest_chunk_bytes = 2048});
        FUZZ_CHECK(s->world[side] != NULL);
    }
    s->commands = shoal_commands_create(s->world[DEFERRED], NULL);
    FUZZ_CHECK(s->commands != NULL);
}

static inline void sides_end(sides *s) {
    for (int side = 0; side < SIDES; side++) {
        FUZZ_CHECK(shoal_world_destroy(s->world[side]) == SHOAL_OK);
    }
}

static inline void sides_trim(sides *s) {
    for (int side = 0; side < SIDES; side++) {
        FUZZ_CHECK(shoal_world_trim(s->world[side], 0, NULL) == SHOAL_OK);
    }
}

/* An entity of the table, which must not be empty. */
static inline const pair *sides_pick(sides *s) {
    return &s->entities[fuzz_below(&s->input, (uint32_t)s->entity_count)];
}

/* Counts a direct call, and checks that recording it went as it must: only a null target cannot be recorded. */
static inline void sides_count(sides *s, shoal_status direct, shoal_status recorded) {
    FUZZ_CHECK(recorded == SHOAL_OK);
    s->failed += direct != SHOAL_OK;
}

/* Spawns on both sides and keeps the pair. */
static inline const pair *sides_spawn(sides *s, const shoal_value *direct, const shoal_value *deferred, size_t count) {
    pair *made = &s->entities[s->entity_count++];
    made->handle[DIRECT] = shoal_spawn(s->world[DIRECT], direct, count);
    made->handle[DEFERRED] = shoal_commands_spawn(s->commands, deferred, count);
    FUZZ_CHECK(shoal_entity_is_placeholder(made->handle[DEFERRED]));
    return made;
}

/* ---- ends of entities ---- */

static inline void sides_end_entity(sides *s, const pair *at, bool destroys) {
    if (destroys) {
        sides_count(s, shoal_destroy(s->world[DIRECT], at->handle[DIRECT]),
                    shoal_commands_destroy_entity(s->commands, at->handle[DEFERRED]));
    } else {
        sides_count(s, shoal_clear(s->world[DIRECT], at->handle[DIRECT]),
                    shoal_commands_clear(s->commands, at->handle[DEFERRED]));
    }
}

/* ---- the comparison ---- */

/* Both handles are of one place in the table, or neither names what lives. */
static inline void sides_check_same(const sides *s, shoal_entity direct, shoal_entity deferred) {
    bool alive = shoal_is_alive(s->world[DIRECT], direct);
    FUZZ_CHECK(alive == shoal_is_alive(s->world[DEFERRED], deferred));
    for (size_t i = 0; i < s->entity_count && alive; i++) {
        if (shoal_entity_equal(s->entities[i].handle[DIRECT], direct)) {
            FUZZ_CHECK(shoal_entity_equal(s->entities[i].handle[DEFERRED], deferred));
        }
    }
}

/* Goes through a query to its end and counts what it gives. */
static inline uint64_t sides_count_rows(shoal_query *query) {
    uint64_t count = 0;
    shoal_view view;
    FUZZ_CHECK(shoal_view_begin(&view, query) == SHOAL_OK);
    while (shoal_view_next(&view)) {
        count += view.count;
    }
    FUZZ_CHECK(shoal_query_count(query) == count);
    return count;
}

static inline void sides_forget_dead(sides *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->entity_count; i++) {
        if (shoal_is_alive(s->world[DIRECT], s->entities[i].handle[DIRECT])) {
            s->entities[kept++] = s->entities[i];
        }
    }
    s->entity_count = kept;
}

/* Applies the buffer, compares the worlds, each entity by `check`, and forgets the entities that are dead. */
static inline void sides_apply(sides *s, void (*check)(const sides *s, const pair *at)) {
    shoal_commands_result result;
    FUZZ_CHECK(shoal_commands_apply(s->commands, &result) == SHOAL_OK);
    FUZZ_CHECK(result.dropped == s->failed);
    s->failed = 0;
    for (size_t i = 0; i < s->entity_count; i++) {
        shoal_entity *handle = &s->entities[i].handle[DEFERRED];
        *handle = shoal_entity_is_placeholder(*handle) ? shoal_commands_resolve(s->commands, *handle) : *handle;
    }
    for (size_t i = 0; i < s->entity_count; i++) {
        sides_check_same(s, s->entities[i].handle[DIRECT], s->entities[i].handle[DEFERRED]);
        if (shoal_is_alive(s->world[DIRECT], s->entities[i].handle[DIRECT])) {
            check(s, &s->entities[i]);
        }
    }
    sides_forget_dead(s);
    for (int side = 0; side < SIDES; side++) {
        FUZZ_CHECK(shoal_world_entity_count(s->world[side]) == s->entity_count);
        FUZZ_CHECK(shoal_world_validate(s->world[side]) == SHOAL_OK);
    }
    for (size_t i = 0; i < s->query_count; i++) {
        FUZZ_CHECK(sides_count_rows(s->queries[DIRECT][i]) == sides_count_rows(s->queries[DEFERRED][i]));
    }
}

#endif
