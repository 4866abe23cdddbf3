/*
 * Queries that group, by shared value and by depth, also sorted inside of the groups, and queries that look up the
 * tree: what they give after random changes is compared with what single entities say. Conformance D2.
 */
#include "test_query_order.h"

typedef struct Faction {
    int32_t value;
    int32_t again;
} Faction;

typedef struct Rank {
    int32_t value;
} Rank;

/* What is looked up: one type of each kind that has values to point to. */
typedef struct Local {
    uint32_t value;
} Local;

typedef Local Loose, Common, Zone;

SHOAL_COMPONENT(Faction, .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT(Rank, .fields = SHOAL_FIELDS(SHOAL_FIELD(Rank, value)))
SHOAL_COMPONENT(Local)
SHOAL_COMPONENT(Loose, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT(Common, .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT(Zone, .storage = SHOAL_STORAGE_CHUNK)
SHOAL_TAG(Asleep, .toggle = true)
SHOAL_TAG(Hot, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_RELATION(Under, .acyclic = true)

static int by_rank(const order_rule *rule, shoal_entity a, shoal_entity b) {
    int32_t left = SHOAL_GET(rule->world, a, Rank)->value;
    int32_t right = SHOAL_GET(rule->world, b, Rank)->value;
    return (left > right) - (left < right);
}

/* ---- by shared value ---- */

enum { FACTIONS = 6 };

/* The place of each value, from 1 on; 0 while it is not there. */
static uint64_t places[FACTIONS];

static uint64_t faction_group(const shoal_world *world, shoal_entity entity) {
    return places[SHOAL_GET(world, entity, Faction)->value];
}

static bool is_taken(uint64_t place) {
    bool is_equal = false;
    for (size_t i = 0; i < FACTIONS; i++) {
        is_equal = is_equal || places[i] == place;
    }
    return is_equal;
}

/* After each change: a value is there as long as somebody has it, and a new one takes the first free place. */
static void places_update(const shoal_world *world) {
    bool is_used[FACTIONS] = {false};
    for (shoal_entity entity = nobody; shoal_next_entity(world, &entity);) {
        if (SHOAL_HAS(world, entity, Faction)) {
            is_used[SHOAL_GET(world, entity, Faction)->value] = true;
        }
    }
    for (size_t i = 0; i < FACTIONS; i++) {
        uint64_t place = 1;
        while (is_taken(place)) {
            place++;
        }
        places[i] = is_used[i] && places[i] == 0 ? place : places[i];
    }
    for (size_t i = 0; i < FACTIONS; i++) {
        places[i] = is_used[i] ? places[i] : 0;
    }
}

/* Every group in one piece, with one number, which rises from group to group. */
static void check_group_numbers(const shoal_world *world, shoal_query *query, bool descending) {
    static row_list rows;
    rows_take(&rows, query);
    for (size_t i = 1; i < rows.count; i++) {
        bool same = SHOAL_GET(world, rows.entities[i - 1], Faction)->value ==
                    SHOAL_GET(world, rows.entities[i], Faction)->value;
        uint64_t before = rows.groups[i - 1];
        uint64_t after = rows.groups[i];
        assert_true(same ? before == after : descending ? before > after : before < after);
    }
}

typedef struct group_case {
    shoal_query_def def;
    shoal_term terms[3];
    shoal_query *grouped;
    shoal_query *plain;
} group_case;

enum { GROUP_CASES = 6 };

/* Groups by `group_by`, as they are and sorted, with and without filters. */
static void group_cases_make(shoal_world *world, group_case *cases, shoal_component group_by) {
    const shoal_term terms[3] = {SHOAL_READ(Faction), SHOAL_WRITE(Rank), SHOAL_WITH(Asleep)};
    for (size_t i = 0; i < GROUP_CASES; i++) {
        group_case *item = &cases[i];
        *item = (group_case){.def = {.group_by = group_by, .groups_descending = i % 2 != 0}};
        memcpy(item->terms, terms, sizeof terms);
        if (i == 4) {
            item->terms[2] = (shoal_term)SHOAL_WITH(Hot);
        }
        if (i >= 2) {
            item->def.order_by = SHOAL_ID(Rank);
            item->def.order_field = "value";
            item->def.descending = i == 3;
        }
        item->def.terms = item->terms;
        item->def.term_count = i % 3 == 0 ? 2 : 3;
        item->grouped = make_query_of(world, &item->def);
        item->plain = make_plain(world, &item->def);
    }
}

static void group_case_check(const shoal_world *world, const group_case *item,
                             uint64_t (*group)(const shoal_world *world, shoal_entity entity)) {
    const order_rule rule = {.world = world,
                             .group = group,
                             .groups_descending = item->def.groups_descending,
                             .compare = item->def.order_by.id != 0 ? by_rank : NULL,
                             .descending = item->def.descending};
    check_sorted(item->grouped, item->plain, &rule);
}

static shoal_entity spawn_grouped(shoal_world *world, rng *random) {
    int32_t faction = (int32_t)rng_below(random, FACTIONS);
    const shoal_value values[] = {SHOAL_VALUE(Faction, faction, faction),
                                  SHOAL_VALUE(Rank, (int32_t)rng_below(random, 9)), SHOAL_DEFAULT(Asleep),
                                  SHOAL_DEFAULT(Hot), SHOAL_DEFAULT(Frozen)};
    shoal_entity entity = spawn_one(world, values, 3 + rng_below(random, 3));
    assert_ok(rng_chance(random, 30) ? shoal_disable(world, entity, SHOAL_ID(Asleep)) : SHOAL_OK);
    return entity;
}

static void change_grouped(shoal_world *world, shoal_entity *entity, rng *random) {
    int32_t number = (int32_t)rng_below(random, FACTIONS);
    switch (rng_below(random, 7)) {
    case 0:
        assert_ok(shoal_destroy(world, *entity));
        places_update(world);
        *entity = spawn_one(world, SHOAL_VALUES(SHOAL_VALUE(Faction, number, number), SHOAL_DEFAULT(Rank)));
        break;
    case 1:
        assert_ok(SHOAL_ADD(world, *entity, Faction, number, number));
        break;
    case 2:
        assert_ok(shoal_remove(world, *entity, SHOAL_ID(Faction)));
        break;
    case 3:
        SHOAL_GET_MUT(world, *entity, Rank)->value = number;
        break;
    case 4:
        assert_ok(shoal_add(world, *entity, SHOAL_ID(Hot), NULL));
        break;
    case 5:
        assert_ok(shoal_add(world, *entity, SHOAL_ID(Asleep), NULL));
        assert_ok(shoal_disable(world, *entity, SHOAL_ID(Asleep)));
        break;
    default:
        assert_ok(number % 2 == 0 ? shoal_add(world, *entity, SHOAL_ID(Frozen), NULL)
                                  : shoal_remove(world, *entity, SHOAL_ID(Frozen)));
    }
    places_update(world);
}

static void test_groups_of_shared_values(void **state) {
    (void)state;
    static const shoal_world_def defs[] = {{.name = "grows"}, {.pinned_chunk_bytes = 1024}};
    for (size_t d = 0; d < 2; d++) {
        fixture f;
        fixture_start(&f, &defs[d]);
        memset(places, 0, sizeof places);
        group_case cases[GROUP_CASES];
        group_cases_make(f.world, cases, SHOAL_ID(Faction));
        shoal_entity entities[120];
        rng random = {d};
        for (size_t i = 0; i < 120; i++) {
            entities[i] = spawn_grouped(f.world, &random);
            places_update(f.world);
        }
        for (int round = 0; round < 60; round++) {
            for (size_t i = 0; i < GROUP_CASES; i++) {
                test_set_context("world %zu, round %d, case %zu", d, round, i);
                group_case_check(f.world, &cases[i], faction_group);
                check_group_numbers(f.world, cases[i].grouped, cases[i].def.groups_descending);
            }
            for (uint32_t i = rng_below(&random, 12); i != UINT32_MAX; i--) {
                change_grouped(f.world, &entities[rng_below(&random, 120)], &random);
            }
        }
        test_set_context("%s", "");
        fixture_end(&f);
    }
}

/* A value that nobody has any more is gone; one that comes takes the first free place, whichever it was before. */
static void test_shared_values_that_go_and_come(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    memset(places, 0, sizeof places);
    group_case cases[GROUP_CASES];
    group_cases_make(f.world, cases, SHOAL_ID(Faction));
    shoal_entity entities[FACTIONS];
    for (int32_t i = 0; i < FACTIONS; i++) {
        entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Faction, i, i), SHOAL_VALUE(Rank, i),
                                                      SHOAL_DEFAULT(Asleep), SHOAL_DEFAULT(Hot)));
        places_update(f.world);
    }
    static const int32_t moves[][2] = {{0, 3}, {2, 3}, {0, 0}, {1, 2}, {2, 2}, {2, 1}, {5, 0}, {0, 5}, {1, 4}, {1, 1}};
    for (size_t k = 0; k < sizeof moves / sizeof moves[0]; k++) {
        assert_ok(SHOAL_SET(f.world, entities[moves[k][0]], Faction, moves[k][1], moves[k][1]));
        places_update(f.world);
        assert_ok(k % 3 == 2 ? shoal_world_trim(f.world, 0, NULL) : SHOAL_OK);
        for (size_t i = 0; i < GROUP_CASES; i++) {
            test_set_context("move %zu, case %zu", k, i);
            group_case_check(f.world, &cases[i], faction_group);
            check_group_numbers(f.world, cases[i].grouped, cases[i].def.groups_descending);
        }
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* ---- by depth ---- */

static uint64_t child_depth(const shoal_world *world, shoal_entity entity) {
    uint64_t depth = 0;
    while (!shoal_entity_is_null(entity = shoal_parent(world, entity))) {
        depth++;
    }
    return depth;
}

static uint64_t under_depth(const shoal_world *world, shoal_entity entity) {
    uint64_t depth = 0;
    while (!shoal_entity_is_null(entity = shoal_target(world, entity, SHOAL_ID(Under)))) {
        depth++;
    }
    return depth;
}

static void check_depths(const shoal_world *world, shoal_query *query, shoal_component along) {
    static row_list rows;
    rows_take(&rows, query);
    for (size_t i = 0; i < rows.count; i++) {
        assert_count(rows.groups[i], shoal_depth(world, along, rows.entities[i]));
    }
}

/* Gives an entity another parent, or none; what would be a cycle is refused. */
static void reparent(shoal_world *world, shoal_component along, shoal_entity entity, shoal_entity parent) {
    bool is_cycle = false;
    for (shoal_entity at = parent; !shoal_entity_is_null(at); at = shoal_target(world, at, along)) {
        is_cycle = is_cycle || shoal_entity_equal(at, entity);
    }
    if (shoal_entity_is_null(parent)) {
        assert_ok(shoal_unrelate(world, entity, along, nobody));
    } else {
        assert_status(shoal_relate(world, entity, along, parent, NULL), is_cycle ? SHOAL_RELATION_CYCLE : SHOAL_OK);
    }
}

static void check_by_depth(shoal_world *world, const group_case *cases, shoal_component along,
                           uint64_t (*depth)(const shoal_world *world, shoal_entity entity)) {
    for (size_t i = 0; i < GROUP_CASES; i++) {
        group_case_check(world, &cases[i], depth);
        check_depths(world, cases[i].grouped, along);
    }
}

static void test_groups_of_depths(void **state) {
    (void)state;
    static const shoal_world_def defs[] = {{.name = "grows"}, {.pinned_chunk_bytes = 1024}, {.move_rows = true}};
    for (size_t d = 0; d < 3; d++) {
        fixture f;
        fixture_start(&f, &defs[d]);
        group_case by_child[GROUP_CASES];
        group_case by_under[GROUP_CASES];
        group_cases_make(f.world, by_child, SHOAL_ID(ChildOf));
        group_cases_make(f.world, by_under, SHOAL_ID(Under));
        shoal_entity entities[150];
        rng random = {d + 5};
        for (uint32_t i = 0; i < 150; i++) {
            entities[i] = spawn_grouped(f.world, &random);
        }
        for (int round = 0; round < 50; round++) {
            test_set_context("world %zu, round %d", d, round);
            check_by_depth(f.world, by_child, SHOAL_ID(ChildOf), child_depth);
            check_by_depth(f.world, by_under, SHOAL_ID(Under), under_depth);
            for (uint32_t i = rng_below(&random, 20); i != UINT32_MAX; i--) {
                shoal_entity parent = rng_chance(&random, 20) ? nobody : entities[rng_below(&random, 150)];
                shoal_component along = rng_chance(&random, 50) ? SHOAL_ID(ChildOf) : SHOAL_ID(Under);
                reparent(f.world, along, entities[rng_below(&random, 150)], parent);
            }
            shoal_entity *changed = &entities[rng_below(&random, 150)];
            if (shoal_source_count(f.world, SHOAL_ID(ChildOf), *changed) == 0) {
                change_grouped(f.world, changed, &random);
            }
        }
        test_set_context("%s", "");
        fixture_end(&f);
    }
}

/* ---- groups that go and come ---- */

static void conf_D2_groups_go_and_come(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    memset(places, 0, sizeof places);
    group_case by_faction[GROUP_CASES];
    group_case by_depth[GROUP_CASES];
    group_cases_make(f.world, by_faction, SHOAL_ID(Faction));
    group_cases_make(f.world, by_depth, SHOAL_ID(ChildOf));
    for (int round = 0; round < 4; round++) {
        test_set_context("round %d", round);
        int32_t count = round % 2 == 0 ? 40 : 1;
        shoal_entity last = nobody;
        for (int32_t i = 0; i < count; i++) {
            shoal_entity entity =
                spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Faction, i % 5, i % 5), SHOAL_DEFAULT(Rank),
                                                SHOAL_DEFAULT(Asleep), SHOAL_DEFAULT(Hot)));
            reparent(f.world, SHOAL_ID(ChildOf), entity, i % 4 == 0 ? nobody : last);
            places_update(f.world);
            last = entity;
        }
        for (size_t i = 0; i < GROUP_CASES; i++) {
            group_case_check(f.world, &by_faction[i], faction_group);
            group_case_check(f.world, &by_depth[i], child_depth);
            assert_count(shoal_query_count(by_depth[i].grouped), count);
        }
        assert_ok(shoal_query_destroy_entities(round % 2 == 0 ? by_faction[0].grouped : by_depth[0].grouped));
        assert_count(shoal_world_entity_count(f.world), 0);
        places_update(f.world);
        assert_ok(round < 2 ? shoal_world_trim(f.world, 0, NULL) : SHOAL_OK);
        for (size_t i = 0; i < GROUP_CASES; i++) {
            static row_list rows;
            rows_take(&rows, by_faction[i].grouped);
            assert_count(rows.count, 0);
            rows_take(&rows, by_depth[i].grouped);
            assert_count(rows.count, 0);
        }
        assert_valid(f.world);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* ---- up the tree ---- */

typedef struct up_case {
    shoal_component component;
    shoal_component along; /* null: ChildOf */
    bool is_required;
    shoal_query *query;
} up_case;

enum { UP_COMPONENTS = 4, UP_CASES = UP_COMPONENTS * 8 };

static const void *ancestor_value(const shoal_world *world, const up_case *item, shoal_entity entity) {
    shoal_component along = item->along.id != 0 ? item->along : SHOAL_ID(ChildOf);
    do {
        entity = shoal_target(world, entity, along);
    } while (!shoal_entity_is_null(entity) && !shoal_has(world, entity, item->component));
    return shoal_entity_is_null(entity) ? NULL : shoal_get(world, entity, item->component);
}

/* Each component, optional and required, along each tree; by itself, grouped, sorted, with and without enable bits. */
static void up_cases_make(shoal_world *world, up_case *cases) {
    const shoal_component components[UP_COMPONENTS] = {SHOAL_ID(Local), SHOAL_ID(Loose), SHOAL_ID(Common),
                                                       SHOAL_ID(Zone)};
    for (size_t i = 0; i < UP_CASES; i++) {
        size_t form = i / UP_COMPONENTS;
        up_case *item = &cases[i];
        *item = (up_case){.component = components[i % UP_COMPONENTS], .is_required = form % 2 != 0};
        item->along = form >= 6 ? SHOAL_ID(Under) : (shoal_component){0};
        const shoal_term terms[] = {{.component = item->component,
                                     .access = item->is_required ? SHOAL_ACCESS_READ : SHOAL_ACCESS_OPTIONAL_READ,
                                     .traverse = SHOAL_TRAVERSE_UP,
                                     .along = item->along},
                                    SHOAL_READ(Rank),
                                    {.component = SHOAL_ID(Asleep),
                                     .access = SHOAL_ACCESS_WITH,
                                     .state = form % 2 == 0 ? SHOAL_STATE_EITHER : SHOAL_STATE_ENABLED},
                                    SHOAL_UP(Letter)};
        shoal_query_def def = {.terms = terms, .term_count = form < 2 ? 1 : 4};
        def.group_by = form == 2 || form == 3 ? SHOAL_ID(ChildOf) : (shoal_component){0};
        def.order_by = form == 4 || form == 5 ? SHOAL_ID(Rank) : (shoal_component){0};
        def.order_field = def.order_by.id != 0 ? "value" : NULL;
        item->query = make_query_of(world, &def);
    }
}

static size_t check_up_view(const shoal_world *world, const up_case *item, const shoal_view *view) {
    const void *const *values = shoal_view_up(view, item->component);
    assert_non_null(values);
    for (size_t i = 0; i < view->count; i++) {
        assert_ptr_equal(values[i], ancestor_value(world, item, view->entities[i]));
        assert_true(!item->is_required || values[i] != NULL);
    }
    return view->count;
}

static void up_case_check(const shoal_world *world, const up_case *item) {
    size_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, item->query));
    while (shoal_view_next(&view)) {
        rows += check_up_view(world, item, &view);
    }
    assert_count(rows, shoal_query_count(item->query));
}

/* One change: of the tree, of who has what, of where rows are, also of entities that no query sees. */
static void change_tree(shoal_world *world, shoal_entity *entities, uint32_t count, rng *random) {
    static shoal_component_slot *const slots[] = {&shoal_slot_Local,  &shoal_slot_Loose, &shoal_slot_Common,
                                                  &shoal_slot_Zone,   &shoal_slot_Rank,  &shoal_slot_Asleep,
                                                  &shoal_slot_Letter, &shoal_slot_Hot,   &shoal_slot_Frozen};
    uint32_t number = rng_below(random, count);
    shoal_entity entity = entities[number];
    shoal_component component = shoal_component_of(slots[rng_below(random, 9)]);
    switch (rng_below(random, 6)) {
    case 0:
    case 1: {
        shoal_entity parent = rng_chance(random, 10) ? nobody : entities[rng_below(random, count)];
        reparent(world, rng_chance(random, 70) ? SHOAL_ID(ChildOf) : SHOAL_ID(Under), entity, parent);
        break;
    }
    case 2:
        if (shoal_source_count(world, SHOAL_ID(ChildOf), entity) == 0) {
            assert_ok(shoal_destroy(world, entity));
            entities[number] = spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Rank), SHOAL_DEFAULT(Asleep)));
        }
        break;
    case 3:
        if (SHOAL_HAS(world, entity, Asleep)) {
            assert_ok(rng_chance(random, 50) ? shoal_enable(world, entity, SHOAL_ID(Asleep))
                                             : shoal_disable(world, entity, SHOAL_ID(Asleep)));
        }
        break;
    default:
        assert_ok(rng_chance(random, 60) ? shoal_add(world, entity, component, NULL)
                                         : shoal_remove(world, entity, component));
    }
}

static void test_values_of_ancestors(void **state) {
    (void)state;
    static const shoal_world_def defs[] = {{.name = "grows"}, {.pinned_chunk_bytes = 1024}, {.move_rows = true}};
    for (size_t d = 0; d < 3; d++) {
        fixture f;
        fixture_start(&f, &defs[d]);
        up_case cases[UP_CASES];
        up_cases_make(f.world, cases);
        shoal_entity entities[120];
        rng random = {d + 9};
        for (uint32_t i = 0; i < 120; i++) {
            entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Rank), SHOAL_DEFAULT(Asleep)));
            reparent(f.world, SHOAL_ID(ChildOf), entities[i], i == 0 ? nobody : entities[(i - 1) / 3]);
            reparent(f.world, SHOAL_ID(Under), entities[i], i % 9 == 0 ? nobody : entities[i - 1]);
        }
        for (int round = 0; round < 120; round++) {
            for (size_t i = 0; i < UP_CASES; i++) {
                test_set_context("world %zu, round %d, case %zu", d, round, i);
                up_case_check(f.world, &cases[i]);
            }
            for (uint32_t i = rng_below(&random, round % 3 == 0 ? 2 : 15); i != UINT32_MAX; i--) {
                change_tree(f.world, entities, 120, &random);
            }
        }
        assert_valid(f.world);
        test_set_context("%s", "");
        fixture_end(&f);
    }
}

/* Four levels, of which the second does not have the component; a row's own value is not that of its ancestor. */
static void test_nearest_ancestor(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity top = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Local, 1)));
    shoal_entity second = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, top)));
    shoal_entity third = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, second), SHOAL_VALUE(Local, 3)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, third), SHOAL_VALUE(Local, 4)));
    const shoal_term terms[] = {SHOAL_WRITE(Local), SHOAL_UP(Local)};
    shoal_query *query =
        make_query_of(f.world, &(shoal_query_def){.terms = terms, .term_count = 2, .group_by = SHOAL_ID(ChildOf)});
    for (uint32_t round = 0; round < 3; round++) {
        uint32_t expected[] = {1, 1 + 3, 1 + 3 + 4};
        size_t row = 0;
        shoal_view view;
        assert_ok(shoal_view_begin(&view, query));
        while (shoal_view_next(&view)) {
            Local *local = SHOAL_COLUMN_MUT(&view, Local);
            const Local *const *up = SHOAL_COLUMN_UP(&view, Local);
            for (size_t i = 0; i < view.count; i++, row++) {
                local[i].value += up[i] != NULL ? up[i]->value : 0;
                assert_true(row < 3);
                assert_count(local[i].value, expected[row]);
            }
            assert_null(SHOAL_COLUMN_UP(&view, Health));
            assert_last_error(f.world, SHOAL_TERM_MISSING);
        }
        assert_count(row, 3);
        SHOAL_GET_MUT(f.world, third, Local)->value = 3;
        for (shoal_source_walk walk = shoal_children(f.world, third); shoal_sources_next(&walk);) {
            SHOAL_GET_MUT(f.world, walk.entities[0], Local)->value = 4;
        }
    }
    fixture_end(&f);
}

/* Views of grouped and of looking-up queries in views of themselves and of each other. */
static void test_views_nest(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    up_case cases[UP_CASES];
    up_cases_make(f.world, cases);
    shoal_entity entities[60];
    rng random = {31};
    for (uint32_t i = 0; i < 60; i++) {
        entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Rank), SHOAL_DEFAULT(Asleep)));
    }
    for (int i = 0; i < 400; i++) {
        change_tree(f.world, entities, 60, &random);
    }
    for (size_t number = 0; number < UP_CASES; number++) {
        test_set_context("case %zu", number);
        const up_case *outer_case = &cases[number];
        const up_case *inner_case = &cases[(number * 5 + 4) % UP_CASES];
        size_t rows = 0;
        shoal_view outer;
        assert_ok(shoal_view_begin(&outer, outer_case->query));
        while (shoal_view_next(&outer)) {
            up_case_check(f.world, outer_case);
            up_case_check(f.world, inner_case);
            rows += check_up_view(f.world, outer_case, &outer);
        }
        assert_count(rows, shoal_query_count(outer_case->query));
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* A disabled row makes the kept runs of an outer view no shorter than its pointers to ancestors. */
static void test_bits_between_nested_views(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    up_case cases[UP_CASES];
    up_cases_make(f.world, cases);
    shoal_entity parent = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Local, 6)));
    for (int32_t i = 0; i < 100; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Rank, i % 7), SHOAL_DEFAULT(Asleep), SHOAL_TO(ChildOf, parent)));
    }
    for (size_t number = 0; number < UP_CASES; number += UP_COMPONENTS) {
        test_set_context("case %zu", number);
        shoal_view outer;
        assert_ok(shoal_view_begin(&outer, cases[number].query));
        while (shoal_view_next(&outer)) {
            bool can_turn = SHOAL_HAS(f.world, outer.entities[0], Asleep);
            assert_ok(can_turn ? shoal_disable(f.world, outer.entities[0], SHOAL_ID(Asleep)) : SHOAL_OK);
            shoal_view inner;
            assert_ok(shoal_view_begin(&inner, cases[number].query));
            while (shoal_view_next(&inner)) {
                check_up_view(f.world, &cases[number], &inner);
            }
            check_up_view(f.world, &cases[number], &outer);
            assert_ok(can_turn ? shoal_enable(f.world, outer.entities[0], SHOAL_ID(Asleep)) : SHOAL_OK);
        }
        up_case_check(f.world, &cases[number]);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_of_shared_values),
        cmocka_unit_test(test_shared_values_that_go_and_come),
        cmocka_unit_test(test_groups_of_depths),
        cmocka_unit_test(conf_D2_groups_go_and_come),
        cmocka_unit_test(test_values_of_ancestors),
        cmocka_unit_test(test_nearest_ancestor),
        cmocka_unit_test(test_views_nest),
        cmocka_unit_test(test_bits_between_nested_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
