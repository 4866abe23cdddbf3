/*
 * Required components: adding one adds what it requires, by default, and what that requires in turn, also in circles
 * and for every kind, in every way to add; a value that the same call gives is not replaced, what is there stays, and
 * removing is not enforced. A failure leaves nothing of it.
 *
 * Types are those of test_kind_types.h (Outer requires Inner and Sparse, Inner requires Gate; Left and Right require
 * each other) and types that are made here: one that requires a component of each kind, a long chain, a wide one.
 */
#include "support/fixture.h"
#include "support/test.h"
#include "test_kind_types.h"

#include <stdio.h>
#include <string.h>

#define CHAIN_LENGTH 200

static shoal_component_slot every_slot;                /* requires one of each kind that can be required */
static shoal_component_slot chain_slots[CHAIN_LENGTH]; /* each requires the next */
static shoal_component_slot wide_slot;                 /* requires all of the chain */
static shoal_component_slot self_slot;                 /* requires itself */
static shoal_component_slot failing_slot;              /* its ctor fails on demand */
static shoal_component_slot needs_failing_slot;
static tracker failing_tracker = {.name = "RequiredFailing", .has_ctor = true, .follows = true};

/* Slots find their types by name, so these are the types of test_kind_types.h. */
static shoal_component_slot kind_slots[CASE_COUNT];

typedef struct scene {
    fixture f;
    shoal_world *world;
    shoal_commands *commands;
    shoal_entity other;
} scene;

static void scene_start(scene *s) {
    memset(s, 0, sizeof *s);
    fixture_start(&s->f, NULL);
    s->world = s->f.world;
    s->commands = shoal_commands_create(s->world, NULL);
    witness_start(&witnesses[0], s->world);
    s->other = shoal_spawn(s->world, NULL, 0);
}

static void scene_end(scene *s) {
    assert_null(witness_fault(&witnesses[0]));
    fixture_end(&s->f);
    kind_types_check_ended();
    assert_owned(&failing_tracker, 0);
}

/* ---- types ---- */

static bool can_be_required(size_t kind) {
    return !is_relation(kind);
}

static void make_every(void) {
    static shoal_component_slot *required[CASE_COUNT];
    size_t count = 0;
    for (size_t kind = 0; kind < CASE_COUNT; kind++) {
        kind_slots[kind].def = *shoal_component_info(component_of(kind));
        if (can_be_required(kind)) {
            required[count++] = &kind_slots[kind];
        }
    }
    every_slot.def =
        (shoal_component_def){.name = "RequiredEvery", .size = 4, .required = required, .required_count = count};
}

static void make_chain(void) {
    static char names[CHAIN_LENGTH][32];
    static shoal_component_slot *chain[CHAIN_LENGTH];
    for (size_t i = 0; i < CHAIN_LENGTH; i++) {
        snprintf(names[i], sizeof names[i], "RequiredChain%zu", i);
        chain[i] = &chain_slots[i];
        chain_slots[i].def = (shoal_component_def){.name = names[i],
                                                   .size = i % 3 == 0 ? 0 : 4,
                                                   .storage = i % 5 == 4 ? SHOAL_STORAGE_SPARSE : SHOAL_STORAGE_TABLE,
                                                   .required = i + 1 < CHAIN_LENGTH ? &chain[i + 1] : NULL,
                                                   .required_count = i + 1 < CHAIN_LENGTH};
    }
    wide_slot.def = (shoal_component_def){.name = "RequiredWide", .required = chain, .required_count = CHAIN_LENGTH};
}

static void make_types(void) {
    static shoal_component_slot *self[] = {&self_slot};
    static shoal_component_slot *failing[] = {&failing_slot, &kind_slots[CASE_SPARSE]};
    make_every();
    make_chain();
    self_slot.def = (shoal_component_def){.name = "RequiredSelf", .size = 4, .required = self, .required_count = 1};
    failing_slot.def = (shoal_component_def){.name = "RequiredFailing",
                                             .size = sizeof(Owned),
                                             .alignment = _Alignof(Owned),
                                             .ctor = owned_ctor,
                                             .copy = owned_copy,
                                             .move = owned_move,
                                             .dtor = owned_dtor,
                                             .user = &failing_tracker};
    needs_failing_slot.def =
        (shoal_component_def){.name = "NeedsFailing", .size = 4, .required = failing, .required_count = 2};
    assert_int_not_equal(shoal_component_of(&every_slot).id, 0);
    assert_int_not_equal(shoal_component_of(&wide_slot).id, 0);
    assert_int_not_equal(shoal_component_of(&self_slot).id, 0);
    assert_int_not_equal(shoal_component_of(&needs_failing_slot).id, 0);
}

/* ---- every way to add ---- */

static const char *const way_names[] = {"spawn", "spawn_at",       "spawn_many", "spawn_many in columns",
                                        "add",   "change",         "query",      "instantiate",
                                        "clone", "recorded spawn", "recorded",   "recorded for a spawned one"};
#define WAY_COUNT (sizeof way_names / sizeof way_names[0])

static shoal_entity add_to_new(scene *s, size_t way, const shoal_value *value) {
    shoal_entity entity = shoal_spawn(s->world, NULL, 0);
    const shoal_change change = {.add = value, .add_count = 1};
    const shoal_component mark = SHOAL_ID(Prefab); /* anything that only this entity has */
    if (way == 4) {
        assert_ok(shoal_add(s->world, entity, value->component, value->data));
    } else if (way == 5) {
        assert_ok(shoal_change_entity(s->world, entity, &change));
    } else if (way == 6) {
        const shoal_term term = {.component = mark, .access = SHOAL_ACCESS_WITH};
        shoal_query *query = shoal_query_create(s->world, &(shoal_query_def){.terms = &term, .term_count = 1});
        assert_ok(shoal_add(s->world, entity, mark, NULL));
        assert_ok(shoal_query_change_entities(query, &change));
        assert_ok(shoal_remove(s->world, entity, mark));
    } else if (way == 7) {
        assert_ok(shoal_instantiate(s->world, entity,
                                    &(shoal_instantiate_def){.values = value, .value_count = 1, .entities = &entity}));
    } else {
        assert_ok(shoal_add(s->world, entity, value->component, value->data));
        entity = shoal_clone(s->world, entity);
    }
    return entity;
}

static shoal_entity add_by_command(scene *s, size_t way, const shoal_value *value) {
    shoal_entity entity = way == 9    ? shoal_commands_spawn(s->commands, value, 1)
                          : way == 10 ? shoal_spawn(s->world, NULL, 0)
                                      : shoal_commands_spawn(s->commands, NULL, 0);
    if (way != 9) {
        assert_ok(shoal_commands_add(s->commands, entity, value->component, value->data));
    }
    assert_ok(shoal_commands_apply(s->commands, NULL));
    return way == 10 ? entity : shoal_commands_resolve(s->commands, entity);
}

/* An entity that has got the component in the n-th way. */
static shoal_entity add_in(scene *s, size_t way, const shoal_value *value) {
    shoal_entity entities[3] = {{0}};
    shoal_spawn_many_def many = {.count = 3, .entities = entities};
    const shoal_value column = {value->component, NULL};
    switch (way) {
    case 0:
        return shoal_spawn(s->world, value, 1);
    case 1:
        entities[0] = shoal_entity_make(s->world, 300, 2);
        assert_ok(shoal_spawn_at(s->world, entities[0], value, 1));
        return entities[0];
    case 2:
        many.values = value;
        many.value_count = 1;
        assert_ok(shoal_spawn_many(s->world, &many));
        return entities[2];
    case 3:
        many.columns = &column;
        many.column_count = 1;
        assert_ok(shoal_spawn_many(s->world, &many));
        return entities[1];
    case 9:
    case 10:
    case 11:
        return add_by_command(s, way, value);
    default:
        return add_to_new(s, way, value);
    }
}

static size_t count_components(const shoal_world *world, shoal_entity entity) {
    size_t count = 0;
    for (shoal_component component = {0}; shoal_next_component(world, entity, &component);) {
        count++;
    }
    return count;
}

/* The default of a kind, whatever it is stored in. */
static void check_default(shoal_world *world, shoal_entity entity, size_t type) {
    shoal_component component = component_of(type);
    assert_true(shoal_has(world, entity, component));
    assert_true(shoal_is_enabled(world, entity, component));
    if (case_of(type)->storage == SHOAL_STORAGE_BUFFER) {
        assert_count(shoal_buffer_count(shoal_buffer_get(world, entity, component)), 0);
    } else if (item_size(type) != 0) {
        uint32_t expected = case_of(type)->form == FORM_OWNED ? OWNED_CTOR_PAYLOAD : 0;
        assert_count(item_read(type, shoal_get(world, entity, component)), expected);
    }
}

static void test_required_of_every_kind(void **state) {
    (void)state;
    for (size_t way = 0; way < WAY_COUNT; way++) {
        scene s;
        test_set_context("%s", way_names[way]);
        scene_start(&s);
        const shoal_value value = {shoal_component_of(&every_slot), &(uint32_t){6}};
        shoal_entity entity = add_in(&s, way, &value);
        size_t count = 1;
        for (size_t kind = 0; kind < CASE_COUNT; kind++) {
            if (can_be_required(kind)) {
                check_default(s.world, entity, kind);
                count++;
            }
        }
        assert_count(count_components(s.world, entity), count);
        uint32_t expected = way == 3 ? 0 : 6; /* a column of defaults */
        assert_count(*(const uint32_t *)shoal_get(s.world, entity, value.component), expected);
        assert_valid(s.world);
        scene_end(&s);
    }
    test_set_context("%s", "");
}

/* What the first one of a row has brought is there by its default. */
static void check_defaults(const scene *s, shoal_entity entity, const unsigned char row[6]) {
    for (size_t k = 2; k < 6; k++) {
        if (row[k] != row[0]) {
            check_default(s->world, entity, TOLD(row[k]));
        }
    }
}

/* Of every kind, with hooks: Outer and its like require through others. */
static void test_required_by_every_kind(void **state) {
    (void)state;
    static const unsigned char requirers[][6] = {
        /* who, how many components it comes to, and which */
        {CASE_OUTER, 4, CASE_INNER, CASE_SPARSE, CASE_GATE, CASE_OUTER},
        {CASE_INNER, 2, CASE_GATE, CASE_GATE, CASE_GATE, CASE_GATE},
        {CASE_RULED, 6, CASE_INNER, CASE_GATE, CASE_LEFT, CASE_RIGHT},
        {CASE_LEFT, 3, CASE_RIGHT, CASE_MARK, CASE_RIGHT, CASE_MARK},
        {CASE_RIGHT, 3, CASE_LEFT, CASE_MARK, CASE_LEFT, CASE_MARK},
        {CASE_SPARSE_NEEDING, 3, CASE_INNER, CASE_GATE, CASE_GATE, CASE_GATE},
        {CASE_CLEANUP_NEEDING, 3, CASE_CLEANUP, CASE_SPARSE, CASE_SPARSE, CASE_SPARSE},
        {CASE_MANY_NEEDING, 5, CASE_OUTER, CASE_INNER, CASE_SPARSE, CASE_GATE},
    };
    for (size_t i = 0; i < sizeof requirers / sizeof requirers[0]; i++) {
        for (size_t way = 0; way < WAY_COUNT; way++) {
            scene s;
            value_box box;
            size_t type = TOLD(requirers[i][0]);
            if (way == 3 && is_relation(type)) {
                continue; /* a column of links has no default */
            }
            test_set_context("%s, %s", name_of_type(type), way_names[way]);
            scene_start(&s);
            box_make(&box, type, 8, true, s.other);
            const shoal_value value = {component_of(type), box.data};
            shoal_entity entity = add_in(&s, way, &value);
            assert_count(count_components(s.world, entity), requirers[i][1]);
            check_defaults(&s, entity, requirers[i]);
            box_end(&box);
            scene_end(&s);
        }
    }
    test_set_context("%s", "");
}

static void test_long_chains_and_wide_ones(void **state) {
    (void)state;
    const shoal_component first = shoal_component_of(&chain_slots[0]);
    const shoal_component wide = shoal_component_of(&wide_slot);
    for (size_t way = 0; way < WAY_COUNT; way++) {
        scene s;
        test_set_context("%s", way_names[way]);
        scene_start(&s);
        const shoal_value chain = {first, NULL};
        assert_count(count_components(s.world, add_in(&s, way, &chain)), CHAIN_LENGTH);
        const shoal_value all = {wide, NULL};
        if (way != 1) { /* the chosen slot is taken */
            assert_count(count_components(s.world, add_in(&s, way, &all)), CHAIN_LENGTH + 1);
        }
        scene_end(&s);
    }
    test_set_context("%s", "");
}

static void test_a_type_that_requires_itself(void **state) {
    (void)state;
    scene s;
    scene_start(&s);
    const shoal_value value = {shoal_component_of(&self_slot), &(uint32_t){5}};
    for (size_t way = 0; way < WAY_COUNT; way++) {
        shoal_entity entity = add_in(&s, way, &value);
        assert_count(count_components(s.world, entity), 1);
        assert_count(*(const uint32_t *)shoal_get(s.world, entity, value.component), way == 3 ? 0 : 5);
    }
    scene_end(&s);
}

/* ---- what is there, given or removed ---- */

static uint32_t gate_of(const scene *s, shoal_entity entity) {
    const void *gate = shoal_get(s->world, entity, component_of(TOLD(CASE_GATE)));
    assert_non_null(gate);
    return item_read(TOLD(CASE_GATE), gate);
}

static void test_given_values_are_not_replaced(void **state) {
    (void)state;
    scene s;
    scene_start(&s);
    const uint32_t number = 12;
    const shoal_value values[] = {{component_of(TOLD(CASE_OUTER)), &number},
                                  {component_of(TOLD(CASE_GATE)), &number},
                                  {component_of(TOLD(CASE_SPARSE)), &number}};
    shoal_entity entities[3];
    entities[0] = shoal_spawn(s.world, values, 3);
    entities[1] = shoal_spawn(s.world, NULL, 0);
    assert_ok(shoal_change_entity(s.world, entities[1], &(shoal_change){.add = values, .add_count = 3}));
    shoal_entity placeholder = shoal_commands_spawn(s.commands, values, 3);
    assert_ok(shoal_commands_apply(s.commands, NULL));
    entities[2] = shoal_commands_resolve(s.commands, placeholder);
    for (size_t i = 0; i < 3; i++) {
        assert_count(gate_of(&s, entities[i]), number);
        const void *sparse = shoal_get(s.world, entities[i], component_of(TOLD(CASE_SPARSE)));
        assert_count(item_read(TOLD(CASE_SPARSE), sparse), number);
        assert_count(count_components(s.world, entities[i]), 4);
    }
    scene_end(&s);
}

static void test_what_is_there_stays(void **state) {
    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        scene s;
        scene_start(&s);
        const shoal_value gate = {component_of(TOLD(CASE_GATE)), &(uint32_t){9}};
        shoal_entity entity = shoal_spawn(s.world, &gate, 1);
        assert_ok(shoal_disable(s.world, entity, gate.component));
        witness_forget_events(&witnesses[0]);
        if (recorded) {
            assert_ok(shoal_commands_add(s.commands, entity, component_of(TOLD(CASE_INNER)), NULL));
            assert_ok(shoal_commands_apply(s.commands, NULL));
        } else {
            assert_ok(shoal_add(s.world, entity, component_of(TOLD(CASE_INNER)), NULL));
        }
        assert_count(gate_of(&s, entity), 9);
        assert_false(shoal_is_enabled(s.world, entity, gate.component));
        assert_null(strstr(witnesses[0].events, "ToldGate"));
        scene_end(&s);
    }
}

/* Nothing is enforced afterwards; adding the requirer again to an entity that has it brings nothing back. */
static void test_removing_is_not_enforced(void **state) {
    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        scene s;
        scene_start(&s);
        const shoal_component outer = component_of(TOLD(CASE_OUTER));
        const shoal_component gate = component_of(TOLD(CASE_GATE));
        shoal_entity entity = shoal_spawn(s.world, NULL, 0);
        assert_ok(shoal_add(s.world, entity, outer, NULL));
        assert_ok(shoal_remove(s.world, entity, gate));
        assert_ok(shoal_remove(s.world, entity, component_of(TOLD(CASE_SPARSE))));
        assert_count(count_components(s.world, entity), 2);
        if (recorded) {
            assert_ok(shoal_commands_add(s.commands, entity, outer, &(uint32_t){3}));
            assert_ok(shoal_commands_apply(s.commands, NULL));
        } else {
            assert_ok(shoal_add(s.world, entity, outer, &(uint32_t){3}));
        }
        assert_count(count_components(s.world, entity), 2);
        assert_ok(shoal_remove(s.world, entity, outer));
        assert_ok(shoal_add(s.world, entity, outer, NULL)); /* Inner is there, so only Sparse is missing */
        assert_count(count_components(s.world, entity), 3);
        assert_false(shoal_has(s.world, entity, gate));
        scene_end(&s);
    }
}

/* The archetype does not know a sparse component, so each add of one brings what is missing. */
static void test_sparse_brings_with_each_add(void **state) {
    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        scene s;
        scene_start(&s);
        const shoal_component sparse = component_of(TOLD(CASE_SPARSE_NEEDING));
        const shoal_component inner = component_of(TOLD(CASE_INNER));
        shoal_entity entity = shoal_spawn(s.world, NULL, 0);
        assert_ok(shoal_add(s.world, entity, sparse, NULL));
        assert_count(count_components(s.world, entity), 3);
        assert_ok(shoal_remove(s.world, entity, inner));
        if (recorded) {
            assert_ok(shoal_commands_add(s.commands, entity, sparse, NULL));
            assert_ok(shoal_commands_apply(s.commands, NULL));
        } else {
            assert_ok(shoal_add(s.world, entity, sparse, NULL));
        }
        assert_true(shoal_has(s.world, entity, inner));
        assert_count(count_components(s.world, entity), 3);
        scene_end(&s);
    }
}

/* A change that adds a component and removes what it requires leaves it out, however it is made. */
static void test_added_without_what_it_requires(void **state) {
    (void)state;
    for (size_t way = 0; way < 3; way++) {
        scene s;
        test_set_context("way %zu", way);
        scene_start(&s);
        const shoal_value outer = {component_of(TOLD(CASE_OUTER)), NULL};
        const shoal_component removed[] = {component_of(TOLD(CASE_INNER)), component_of(TOLD(CASE_SPARSE))};
        const shoal_change change = {.add = &outer, .add_count = 1, .remove = removed, .remove_count = 2};
        const shoal_value mark = {component_of(CASE_MARK), NULL};
        const shoal_term term = {.component = mark.component, .access = SHOAL_ACCESS_WITH};
        shoal_query *query = shoal_query_create(s.world, &(shoal_query_def){.terms = &term, .term_count = 1});
        shoal_entity entity = shoal_spawn(s.world, &mark, 1);
        if (way == 0) {
            assert_ok(shoal_change_entity(s.world, entity, &change));
        } else if (way == 1) {
            assert_ok(shoal_query_change_entities(query, &change));
        } else {
            assert_ok(shoal_commands_add(s.commands, entity, outer.component, NULL));
            assert_ok(shoal_commands_remove(s.commands, entity, removed[0]));
            assert_ok(shoal_commands_remove(s.commands, entity, removed[1]));
            assert_ok(shoal_commands_apply(s.commands, NULL));
        }
        assert_true(shoal_has(s.world, entity, outer.component));
        assert_false(shoal_has(s.world, entity, removed[0]));
        assert_false(shoal_has(s.world, entity, removed[1]));
        assert_valid(s.world);
        scene_end(&s);
    }
    test_set_context("%s", "");
}

/* ---- failures ---- */

/* A default that cannot be made, of a required component: the entity is as it was. */
static void test_a_required_default_that_fails(void **state) {
    (void)state;
    for (size_t way = 0; way < 4; way++) {
        scene s;
        test_set_context("way %zu", way);
        scene_start(&s);
        const shoal_value value = {shoal_component_of(&needs_failing_slot), &(uint32_t){4}};
        shoal_entity entity = shoal_spawn(s.world, NULL, 0);
        uint64_t count = shoal_world_entity_count(s.world);
        owned_arm(&failing_tracker, 1);
        shoal_status status =
            way == 0   ? shoal_add(s.world, entity, value.component, value.data)
            : way == 1 ? shoal_commands_add(s.commands, entity, value.component, value.data)
            : way == 2
                ? shoal_spawn_many(s.world, &(shoal_spawn_many_def){.count = 5, .values = &value, .value_count = 1})
                : SHOAL_OK;
        if (way == 3) {
            assert_true(shoal_entity_is_null(shoal_spawn(s.world, &value, 1)));
            status = shoal_last_error(s.world).status;
        }
        assert_status(status, SHOAL_HOOK_FAILED);
        assert_true(owned_disarm(&failing_tracker));
        assert_count(count_components(s.world, entity), 0);
        assert_count(shoal_commands_count(s.commands), 0);
        assert_count(shoal_world_entity_count(s.world), count);
        assert_valid(s.world);
        assert_ok(shoal_add(s.world, entity, value.component, value.data));
        assert_count(count_components(s.world, entity), 3);
        scene_end(&s);
    }
    test_set_context("%s", "");
}

/* A value that is refused brings nothing with it, a relation to a dead target neither. */
static void test_a_refused_add_brings_nothing(void **state) {
    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        scene s;
        scene_start(&s);
        shoal_entity entity = shoal_spawn(s.world, NULL, 0);
        shoal_entity dead = shoal_spawn(s.world, NULL, 0);
        assert_ok(shoal_destroy(s.world, dead));
        const shoal_component ruled = component_of(TOLD(CASE_RULED));
        const shoal_component many = component_of(TOLD(CASE_MANY_NEEDING));
        const uint32_t refused = 7;
        if (recorded) {
            shoal_commands_result result;
            assert_ok(shoal_commands_add(s.commands, entity, ruled, &refused));
            assert_ok(shoal_commands_relate(s.commands, entity, many, dead, NULL));
            assert_ok(shoal_commands_apply(s.commands, &result));
            assert_count(result.dropped, 2);
        } else {
            assert_status(shoal_add(s.world, entity, ruled, &refused), SHOAL_VALUE_REFUSED);
            assert_status(shoal_relate(s.world, entity, many, dead, NULL), SHOAL_ENTITY_DEAD);
        }
        assert_count(count_components(s.world, entity), 0);
        assert_string_equal(witnesses[0].events, "");
        scene_end(&s);
    }
}

static void conf_G5_add_with_required(void **state) {
    (void)state;
    bool done = false;
    for (size_t n = 1; !done; n++) {
        scene s;
        test_set_context("allocation %zu", n);
        scene_start(&s);
        shoal_entity entity = shoal_spawn(s.world, NULL, 0);
        fake_allocator_arm(&s.f.fake, n, false);
        shoal_status status = shoal_add(s.world, entity, shoal_component_of(&every_slot), NULL);
        bool failed = fake_allocator_disarm(&s.f.fake);
        done = !failed;
        if (status != SHOAL_OK) {
            assert_true(failed);
            assert_status(status, SHOAL_OUT_OF_MEMORY);
            assert_count(count_components(s.world, entity), 0);
            assert_valid(s.world);
            assert_ok(shoal_add(s.world, entity, shoal_component_of(&every_slot), NULL));
        }
        check_default(s.world, entity, CASE_SPARSE);
        scene_end(&s);
        assert_at_most(n, 1000);
    }
    test_set_context("%s", "");
}

static void test_what_cannot_be_required(void **state) {
    (void)state;
    static shoal_component_slot unique = {
        .def = {.name = "RequiredUnique", .size = 4, .storage = SHOAL_STORAGE_UNIQUE}};
    static shoal_component_slot faulty = {.def = {.name = "RequiredFaulty", .size = 3, .alignment = 2}};
    shoal_component_slot *const lists[][1] = {{&kind_slots[CASE_MANY]}, {&unique}, {NULL}, {&shoal_slot_Dying}};
    for (size_t i = 0; i < 4; i++) {
        const shoal_component_def def = {.name = "RequiresWhatCannotBe", .required = lists[i], .required_count = 1};
        assert_count(shoal_component_register(&def).id, 0);
        assert_last_error(NULL, SHOAL_COMPONENT_TRAITS);
    }
    const shoal_component_def no_list = {.name = "RequiresNoList", .required_count = 1};
    assert_count(shoal_component_register(&no_list).id, 0);
    assert_last_error(NULL, SHOAL_COMPONENT_TRAITS);
    /* That a required type cannot be registered shows when it is needed. */
    static shoal_component_slot *const list[] = {&faulty};
    const shoal_component needs =
        shoal_component_register(&(shoal_component_def){.name = "NeedsFaulty", .required = list, .required_count = 1});
    scene s;
    scene_start(&s);
    assert_int_not_equal(needs.id, 0);
    assert_status(shoal_add(s.world, s.other, needs, NULL), SHOAL_COMPONENT_INVALID);
    assert_status(shoal_commands_add(s.commands, s.other, needs, NULL), SHOAL_COMPONENT_INVALID);
    assert_count(count_components(s.world, s.other) + shoal_commands_count(s.commands), 0);
    scene_end(&s);
}

int main(void) {
    kind_types_register();
    make_types();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_required_of_every_kind),        cmocka_unit_test(test_required_by_every_kind),
        cmocka_unit_test(test_long_chains_and_wide_ones),     cmocka_unit_test(test_a_type_that_requires_itself),
        cmocka_unit_test(test_given_values_are_not_replaced), cmocka_unit_test(test_what_is_there_stays),
        cmocka_unit_test(test_removing_is_not_enforced),      cmocka_unit_test(test_added_without_what_it_requires),
        cmocka_unit_test(test_a_required_default_that_fails), cmocka_unit_test(test_a_refused_add_brings_nothing),
        cmocka_unit_test(test_sparse_brings_with_each_add),   cmocka_unit_test(conf_G5_add_with_required),
        cmocka_unit_test(test_what_cannot_be_required),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
