/*
 * One script over components of every kind, run twice as sides.h has it. The two worlds must come to the same: which
 * entities live or are dying, what they have, values, enable bits, buffers, relations from both ends with their order,
 * depths, names, how many match a query, and how many calls could not be done. What has no command (copies of trees,
 * names, the order of children) is called in both worlds after an apply, and must have the same status.
 *
 * Input: an operation a byte, each followed by its arguments.
 */
#include <string.h>

#include "sides.h"

#define STEPS_MAX 300
#define ITEMS_MAX 6

typedef struct {
    uint32_t value;
} Hull, Shield, Lease, Scan, Turret, Faction, Bounds, Cargo, Orbits;

typedef struct {
    shoal_entity at;
} Aim;

typedef struct {
    uint8_t letter;
} Note;

SHOAL_COMPONENT(Hull)
SHOAL_COMPONENT(Shield, .toggle = true)
SHOAL_COMPONENT(Lease, .cleanup = true, .toggle = true)
SHOAL_COMPONENT(Scan, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT(Aim, .storage = SHOAL_STORAGE_SPARSE, .fields = SHOAL_FIELDS(SHOAL_FIELD(Aim, at)))
SHOAL_COMPONENT(Faction, .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT(Bounds, .storage = SHOAL_STORAGE_CHUNK)
SHOAL_COMPONENT(Note, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 2, .cleanup = true)
SHOAL_COMPONENT(Turret, .required = SHOAL_REQUIRES(SHOAL_SLOT(Shield), SHOAL_SLOT(Scan), SHOAL_SLOT(Faction)))
SHOAL_TAG(Asleep, .toggle = true)
SHOAL_RELATION(Owner, .exclusive = true)
SHOAL_RELATION_DATA(Cargo)
SHOAL_RELATION(Escort, .on_target_destroyed = SHOAL_TARGET_DESTROY)
SHOAL_RELATION(Guards, .on_target_destroyed = SHOAL_TARGET_REFUSE)
SHOAL_RELATION_DATA(Orbits, .acyclic = true)

enum { KIND_COUNT = 16, QUERY_COUNT = 4 };

static shoal_component_slot *const kind_slots[KIND_COUNT] = {
    SHOAL_SLOT(Hull),   SHOAL_SLOT(Shield),  SHOAL_SLOT(Lease),  SHOAL_SLOT(Scan),
    SHOAL_SLOT(Aim),    SHOAL_SLOT(Faction), SHOAL_SLOT(Bounds), SHOAL_SLOT(Note),
    SHOAL_SLOT(Turret), SHOAL_SLOT(Asleep),  SHOAL_SLOT(Owner),  SHOAL_SLOT(Cargo),
    SHOAL_SLOT(Escort), SHOAL_SLOT(Guards),  SHOAL_SLOT(Orbits), SHOAL_SLOT(ChildOf)};

/* A value of some kind for one side, and the bytes that it names. */
typedef struct value {
    shoal_value given;
    union {
        uint32_t number;
        Aim aim;
        uint8_t items[ITEMS_MAX];
    } data;
    shoal_span span;
    shoal_link link;
} value;

static const shoal_component_def *kind_def(uint32_t kind) {
    return &kind_slots[kind]->def;
}

static bool kind_is(uint32_t kind, shoal_storage storage) {
    return kind_def(kind)->storage == storage;
}

/* ---- values ---- */

static void value_make(value *made, uint32_t kind, uint8_t seed, shoal_entity target) {
    memset(made, 0, sizeof *made);
    made->given.component = shoal_component_of(kind_slots[kind]);
    bool has_data = seed % 4 != 0;
    if (kind_slots[kind] == SHOAL_SLOT(Aim)) {
        made->data.aim.at = target;
    } else if (kind_is(kind, SHOAL_STORAGE_BUFFER)) {
        memset(made->data.items, seed, sizeof made->data.items);
    } else {
        made->data.number = kind_is(kind, SHOAL_STORAGE_SHARED) ? seed % 3 : seed;
    }
    made->span = (shoal_span){made->data.items, seed % (ITEMS_MAX + 1)};
    made->link = (shoal_link){target, has_data ? &made->data : NULL};
    if (kind_is(kind, SHOAL_STORAGE_RELATION)) {
        made->given.data = &made->link;
    } else if (has_data && kind_is(kind, SHOAL_STORAGE_BUFFER)) {
        made->given.data = &made->span;
    } else if (has_data && kind_def(kind)->size != 0) {
        made->given.data = &made->data;
    }
}

static void values_make(sides *s, uint32_t kind, value values[SIDES]) {
    uint8_t seed = fuzz_byte(&s->input);
    const pair none = {{{0}, {0}}};
    const pair *target = s->entity_count != 0 ? sides_pick(s) : &none;
    for (int side = 0; side < SIDES; side++) {
        value_make(&values[side], kind, seed, target->handle[side]);
    }
}

/* ---- steps that are recorded on the other side ---- */

/* A link to null is an error at once when it is recorded. */
static bool can_be_recorded(uint32_t kind, const value *deferred) {
    return !kind_is(kind, SHOAL_STORAGE_RELATION) || !shoal_entity_is_null(deferred->link.target);
}

static void step_spawn(sides *s) {
    uint32_t mask = fuzz_byte(&s->input) | (uint32_t)fuzz_byte(&s->input) << 8;
    value values[KIND_COUNT][SIDES];
    shoal_value list[SIDES][KIND_COUNT];
    size_t count = 0;
    for (uint32_t kind = 0; kind < KIND_COUNT; kind++) {
        if ((mask >> kind & 1) == 0) {
            continue;
        }
        values_make(s, kind, values[count]);
        if (can_be_recorded(kind, &values[count][DEFERRED])) {
            list[DIRECT][count] = values[count][DIRECT].given;
            list[DEFERRED][count] = values[count][DEFERRED].given;
            count++;
        }
    }
    if (s->entity_count == SIDES_ENTITIES_MAX) {
        return;
    }
    const pair *made = sides_spawn(s, list[DIRECT], list[DEFERRED], count);
    s->failed += shoal_entity_is_null(made->handle[DIRECT]);
}

static void step_value(sides *s, const pair *at, bool sets) {
    uint32_t kind = fuzz_below(&s->input, KIND_COUNT);
    value values[SIDES];
    values_make(s, kind, values);
    const shoal_value *direct = &values[DIRECT].given;
    const shoal_value *deferred = &values[DEFERRED].given;
    if (!can_be_recorded(kind, &values[DEFERRED]) || (sets && deferred->data == NULL)) {
        return;
    }
    if (sets) {
        sides_count(s, shoal_set(s->world[DIRECT], at->handle[DIRECT], direct->component, direct->data),
                    shoal_commands_set(s->commands, at->handle[DEFERRED], deferred->component, deferred->data));
    } else {
        sides_count(s, shoal_add(s->world[DIRECT], at->handle[DIRECT], direct->component, direct->data),
                    shoal_commands_add(s->commands, at->handle[DEFERRED], deferred->component, deferred->data));
    }
}

static void step_remove(sides *s, const pair *at) {
    shoal_component component = shoal_component_of(kind_slots[fuzz_below(&s->input, KIND_COUNT)]);
    sides_count(s, shoal_remove(s->world[DIRECT], at->handle[DIRECT], component),
                shoal_commands_remove(s->commands, at->handle[DEFERRED], component));
}

static void step_unrelate(sides *s, const pair *at) {
    shoal_component relation = shoal_component_of(kind_slots[10 + fuzz_below(&s->input, KIND_COUNT - 10)]);
    const pair *target = sides_pick(s);
    if (!shoal_entity_is_null(target->handle[DIRECT])) { /* which would mean all targets */
        sides_count(s, shoal_unrelate(s->world[DIRECT], at->handle[DIRECT], relation, target->handle[DIRECT]),
                    shoal_commands_unrelate(s->commands, at->handle[DEFERRED], relation, target->handle[DEFERRED]));
    }
}

static void step_enable(sides *s, const pair *at, bool on) {
    shoal_component component = shoal_component_of(kind_slots[fuzz_below(&s->input, KIND_COUNT)]);
    if (on) {
        sides_count(s, shoal_enable(s->world[DIRECT], at->handle[DIRECT], component),
                    shoal_commands_enable(s->commands, at->handle[DEFERRED], component));
    } else {
        sides_count(s, shoal_disable(s->world[DIRECT], at->handle[DIRECT], component),
                    shoal_commands_disable(s->commands, at->handle[DEFERRED], component));
    }
}

/* ---- the comparison ---- */

static void check_buffers(const sides *s, const pair *at, shoal_component component) {
    shoal_buffer direct = shoal_buffer_get(s->world[DIRECT], at->handle[DIRECT], component);
    shoal_buffer deferred = shoal_buffer_get(s->world[DEFERRED], at->handle[DEFERRED], component);
    size_t count = shoal_buffer_count(direct);
    FUZZ_CHECK(shoal_buffer_count(deferred) == count);
    FUZZ_CHECK(shoal_buffer_is_on_heap(direct) == shoal_buffer_is_on_heap(deferred));
    FUZZ_CHECK(count == 0 || memcmp(shoal_buffer_items(direct), shoal_buffer_items(deferred), count) == 0);
}

static void check_relation(const sides *s, const pair *at, shoal_component relation) {
    shoal_target_walk direct = shoal_targets(s->world[DIRECT], at->handle[DIRECT], relation);
    shoal_target_walk deferred = shoal_targets(s->world[DEFERRED], at->handle[DEFERRED], relation);
    while (shoal_targets_next(&direct)) {
        FUZZ_CHECK(shoal_targets_next(&deferred));
        sides_check_same(s, direct.target, deferred.target);
        FUZZ_CHECK(direct.data == NULL || memcmp(direct.data, deferred.data, sizeof(uint32_t)) == 0);
    }
    FUZZ_CHECK(!shoal_targets_next(&deferred));
    shoal_source_walk first = shoal_sources(s->world[DIRECT], relation, at->handle[DIRECT]);
    shoal_source_walk second = shoal_sources(s->world[DEFERRED], relation, at->handle[DEFERRED]);
    while (shoal_sources_next(&first)) { /* so few entities that a list has one run */
        FUZZ_CHECK(shoal_sources_next(&second) && first.count == second.count);
        for (size_t i = 0; i < first.count; i++) {
            sides_check_same(s, first.entities[i], second.entities[i]);
        }
    }
    FUZZ_CHECK(!shoal_sources_next(&second));
}

static void check_kind(const sides *s, const pair *at, uint32_t kind) {
    shoal_component component = shoal_component_of(kind_slots[kind]);
    bool has = shoal_has(s->world[DIRECT], at->handle[DIRECT], component);
    FUZZ_CHECK(has == shoal_has(s->world[DEFERRED], at->handle[DEFERRED], component));
    FUZZ_CHECK(shoal_is_enabled(s->world[DIRECT], at->handle[DIRECT], component) ==
               shoal_is_enabled(s->world[DEFERRED], at->handle[DEFERRED], component));
    if (kind_is(kind, SHOAL_STORAGE_RELATION)) {
        check_relation(s, at, component);
        return;
    }
    /* A chunk value depends on who was in the chunk, and rows may come in another order. */
    if (!has || kind_def(kind)->size == 0 || kind_is(kind, SHOAL_STORAGE_CHUNK)) {
        return;
    }
    if (kind_is(kind, SHOAL_STORAGE_BUFFER)) {
        check_buffers(s, at, component);
        return;
    }
    const void *direct = shoal_get(s->world[DIRECT], at->handle[DIRECT], component);
    const void *deferred = shoal_get(s->world[DEFERRED], at->handle[DEFERRED], component);
    FUZZ_CHECK(direct != NULL && deferred != NULL);
    if (kind_slots[kind] == SHOAL_SLOT(Aim)) {
        sides_check_same(s, ((const Aim *)direct)->at, ((const Aim *)deferred)->at);
    } else {
        FUZZ_CHECK(memcmp(direct, deferred, kind_def(kind)->size) == 0);
    }
}

static void check_entity(const sides *s, const pair *at) {
    for (uint32_t kind = 0; kind < KIND_COUNT; kind++) {
        check_kind(s, at, kind);
    }
    FUZZ_CHECK(shoal_is_dying(s->world[DIRECT], at->handle[DIRECT]) ==
               shoal_is_dying(s->world[DEFERRED], at->handle[DEFERRED]));
    FUZZ_CHECK(shoal_depth(s->world[DIRECT], SHOAL_ID(ChildOf), at->handle[DIRECT]) ==
               shoal_depth(s->world[DEFERRED], SHOAL_ID(ChildOf), at->handle[DEFERRED]));
    const char *direct = shoal_name(s->world[DIRECT], at->handle[DIRECT]);
    const char *deferred = shoal_name(s->world[DEFERRED], at->handle[DEFERRED]);
    FUZZ_CHECK((direct == NULL) == (deferred == NULL) && (direct == NULL || strcmp(direct, deferred) == 0));
}

/* ---- steps that are called on both sides ---- */

static size_t tree_size(const sides *s, shoal_entity root) {
    size_t count = 1;
    shoal_entity at = root;
    while (shoal_tree_next(s->world[DIRECT], SHOAL_ID(ChildOf), root, &at)) {
        count++;
    }
    return count;
}

/* The trees below two copies come into the table. */
static void table_add_trees(sides *s, shoal_entity direct, shoal_entity deferred) {
    shoal_entity at[SIDES] = {direct, deferred};
    bool more = !shoal_entity_is_null(direct);
    FUZZ_CHECK(more != shoal_entity_is_null(deferred));
    while (more) {
        FUZZ_CHECK(s->entity_count < SIDES_ENTITIES_MAX);
        s->entities[s->entity_count++] = (pair){{at[DIRECT], at[DEFERRED]}};
        more = shoal_tree_next(s->world[DIRECT], SHOAL_ID(ChildOf), direct, &at[DIRECT]);
        FUZZ_CHECK(shoal_tree_next(s->world[DEFERRED], SHOAL_ID(ChildOf), deferred, &at[DEFERRED]) == more);
    }
}

static void step_copy(sides *s, const pair *at, bool is_instance) {
    pair made = {{{0}, {0}}};
    if (s->entity_count + tree_size(s, at->handle[DIRECT]) > SIDES_ENTITIES_MAX) {
        return;
    }
    for (int side = 0; side < SIDES; side++) {
        if (is_instance) {
            const shoal_instantiate_def def = {.entities = &made.handle[side]};
            (void)shoal_instantiate(s->world[side], at->handle[side], &def);
        } else {
            made.handle[side] = shoal_clone_tree(s->world[side], at->handle[side]);
        }
    }
    table_add_trees(s, made.handle[DIRECT], made.handle[DEFERRED]);
}

static void step_name(sides *s, const pair *at) {
    static const char *const names[] = {"a", "b", "c", NULL};
    const char *name = names[fuzz_below(&s->input, 4)];
    shoal_status status = shoal_set_name(s->world[DIRECT], at->handle[DIRECT], name);
    FUZZ_CHECK(shoal_set_name(s->world[DEFERRED], at->handle[DEFERRED], name) == status);
}

static void step_order(sides *s, const pair *at) {
    const pair *before = sides_pick(s);
    shoal_component child_of = SHOAL_ID(ChildOf);
    shoal_status status = shoal_order_source(s->world[DIRECT], child_of, at->handle[DIRECT], before->handle[DIRECT]);
    FUZZ_CHECK(shoal_order_source(s->world[DEFERRED], child_of, at->handle[DEFERRED], before->handle[DEFERRED]) ==
               status);
}

static void step_both(sides *s) {
    uint32_t operation = fuzz_below(&s->input, 6);
    sides_apply(s, check_entity);
    if (s->entity_count == 0) {
        return;
    }
    const pair *at = sides_pick(s);
    switch (operation) {
    case 0:
    case 1:
        step_copy(s, at, operation == 1);
        break;
    case 2:
        step_name(s, at);
        break;
    case 3:
        step_order(s, at);
        break;
    case 4:
        FUZZ_CHECK(shoal_make_prefab(s->world[DIRECT], at->handle[DIRECT]) ==
                   shoal_make_prefab(s->world[DEFERRED], at->handle[DEFERRED]));
        break;
    default:
        sides_trim(s);
        break;
    }
}

/* ---- the script ---- */

static void step_on(sides *s, uint32_t operation, const pair *at) {
    if (shoal_entity_is_null(at->handle[DEFERRED])) {
        return; /* cannot be recorded */
    }
    if (operation < 7) {
        step_value(s, at, operation == 6);
    } else if (operation < 9) {
        step_remove(s, at);
    } else if (operation == 9) {
        step_unrelate(s, at);
    } else if (operation < 12) {
        step_enable(s, at, operation == 10);
    } else {
        sides_end_entity(s, at, operation == 13);
    }
}

static void step(sides *s) {
    uint32_t operation = fuzz_below(&s->input, 16);
    if (operation < 3) {
        step_spawn(s);
    } else if (operation == 14) {
        sides_apply(s, check_entity);
    } else if (operation == 15) {
        step_both(s);
    } else if (s->entity_count > 0) {
        step_on(s, operation, sides_pick(s));
    }
}

static void queries_make(shoal_world *world, shoal_query *queries[QUERY_COUNT]) {
    const shoal_term terms[QUERY_COUNT][2] = {
        {SHOAL_READ(Shield), SHOAL_WITHOUT(Scan)},
        {SHOAL_READ(Scan), SHOAL_OPTIONAL(Note)},
        {SHOAL_READ(Hull), SHOAL_UP(Hull)},
        {SHOAL_READ(Faction), SHOAL_DISABLED(Asleep)},
    };
    for (size_t i = 0; i < QUERY_COUNT; i++) {
        shoal_query_def def = {.terms = terms[i], .term_count = 2};
        def.group_by = i == 2 ? SHOAL_ID(ChildOf) : i == 3 ? SHOAL_ID(Faction) : (shoal_component){0};
        queries[i] = shoal_query_create(world, &def);
        FUZZ_CHECK(queries[i] != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sides s;
    sides_start(&s, data, size);
    s.query_count = QUERY_COUNT;
    for (int side = 0; side < SIDES; side++) {
        queries_make(s.world[side], s.queries[side]);
    }
    for (size_t i = 0; i < STEPS_MAX && s.input.size > 0; i++) {
        step(&s);
    }
    sides_apply(&s, check_entity);
    sides_end(&s);
    return 0;
}
