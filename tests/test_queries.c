/*
 * Queries and views: what each kind of term matches (all combinations), what a view gives and refuses, the cache
 * over archetypes that come and go, nesting. Conformance D1 and D4.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/naive_world.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static const shoal_value no_values[1];

static void assert_refused(shoal_world *world, const shoal_term *terms, size_t count, shoal_status expected) {
    const shoal_query_def def = {.terms = terms, .term_count = count, .name = "refused"};
    assert_null(shoal_query_create(world, &def));
    assert_last_error(world, expected);
}

/* ---- all combinations of terms ---- */

/* The kinds that the table is about: three with data and a tag. */
static const value_kind table_kinds[4] = {KIND_POSITION, KIND_HEALTH, KIND_OWNED, KIND_FROZEN};

typedef struct truth_table {
    fixture f;
    shoal_entity entities[16]; /* entity m has the kinds of the bits of m */
    uint32_t masks[16];
} truth_table;

static void truth_table_start(truth_table *table) {
    fixture_start(&table->f, NULL);
    for (uint32_t subset = 0; subset < 16; subset++) {
        shoal_value values[4];
        size_t count = 0;
        table->masks[subset] = 0;
        for (size_t i = 0; i < 4; i++) {
            if ((subset >> i & 1) != 0) {
                values[count++] = (shoal_value){kind_component(table_kinds[i]), NULL};
                table->masks[subset] |= (uint32_t)1 << table_kinds[i];
            }
        }
        table->entities[subset] = spawn_one(table->f.world, values, count);
    }
}

/* Which entities a query's views give, a bit for each; also checks the columns of its terms. */
static uint32_t rows_of(const truth_table *table, shoal_query *query, const shoal_term *terms, size_t count) {
    uint32_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t row = 0; row < view.count; row++) {
            rows |= (uint32_t)1 << shoal_entity_index(view.entities[row]);
        }
        uint32_t mask = table->masks[shoal_entity_index(view.entities[0])];
        for (size_t i = 0; i < count; i++) {
            value_kind type = kind_find(terms[i].component);
            bool reads = terms[i].access != SHOAL_ACCESS_WITH && terms[i].access != SHOAL_ACCESS_WITHOUT;
            if (reads && !kind_is_tag(type)) {
                assert_count(shoal_view_read(&view, terms[i].component) != NULL, mask >> type & 1);
            }
        }
    }
    return rows;
}

static void check_terms(const truth_table *table, const shoal_term *terms, size_t count) {
    shoal_query *query = make_query(table->f.world, terms, count);
    uint32_t expected = 0;
    uint64_t expected_count = 0;
    for (uint32_t subset = 0; subset < 16; subset++) {
        bool matches = naive_terms_match(table->masks[subset], terms, count);
        expected |= (uint32_t)matches << subset;
        expected_count += matches;
        assert_count(shoal_query_matches(query, table->entities[subset]), matches);
    }
    assert_count(rows_of(table, query, terms, count), expected);
    assert_count(shoal_query_count(query), expected_count);
    assert_count(shoal_query_archetype_count(query), expected_count);
    assert_ok(shoal_query_destroy(query));
}

/* The ways in which a kind can take part; tags cannot be read, written or optional. */
static const shoal_term term_forms[] = {
    {.access = SHOAL_ACCESS_NONE},
    {.access = SHOAL_ACCESS_WITH},
    {.access = SHOAL_ACCESS_WITHOUT},
    {.access = SHOAL_ACCESS_READ},
    {.access = SHOAL_ACCESS_WRITE},
    {.access = SHOAL_ACCESS_OPTIONAL_READ},
    {.access = SHOAL_ACCESS_OPTIONAL_WRITE},
    {.access = SHOAL_ACCESS_ANY_READ, .group = 3},
    {.access = SHOAL_ACCESS_ANY_READ, .group = 8},
    {.access = SHOAL_ACCESS_ANY_WRITE, .group = 3},
};
#define TERM_FORM_COUNT (sizeof term_forms / sizeof term_forms[0])
#define TAG_FORM_COUNT 3

static void test_terms_truth_table(void **state) {
    (void)state;
    truth_table table;
    truth_table_start(&table);
    size_t combinations = TERM_FORM_COUNT * TERM_FORM_COUNT * TERM_FORM_COUNT * TAG_FORM_COUNT;
    for (size_t number = 0; number < combinations; number++) {
        test_set_context("term combination %zu", number);
        shoal_term terms[4];
        size_t count = 0;
        size_t rest = number;
        for (size_t i = 0; i < 4; i++) {
            shoal_term term = term_forms[rest % TERM_FORM_COUNT];
            rest /= TERM_FORM_COUNT;
            term.component = kind_component(table_kinds[i]);
            if (term.access != SHOAL_ACCESS_NONE) {
                terms[count++] = term;
            }
        }
        check_terms(&table, terms, count);
    }
    test_set_context("%s", "");
    fixture_end(&table.f);
}

static void test_any_group_with_a_tag(void **state) {
    (void)state;
    truth_table table;
    truth_table_start(&table);
    const shoal_term terms[] = {SHOAL_ANY(1, Frozen), SHOAL_ANY(1, Health), SHOAL_READ(Position)};
    check_terms(&table, terms, 3);
    const shoal_term alone[] = {SHOAL_ANY(1, Frozen)};
    check_terms(&table, alone, 1);
    fixture_end(&table.f);
}

/* The order of the terms does not matter. */
static void test_terms_in_any_order(void **state) {
    (void)state;
    truth_table table;
    truth_table_start(&table);
    const shoal_term terms[4] = {SHOAL_WITHOUT(Frozen), SHOAL_ANY(0, Health), SHOAL_ANY(0, Owned),
                                 SHOAL_WRITE(Position)};
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t order[4] = {0, 1, 2, 3};
        rng random = {i};
        rng_shuffle(&random, order, 4);
        const shoal_term shuffled[4] = {terms[order[0]], terms[order[1]], terms[order[2]], terms[order[3]]};
        check_terms(&table, shuffled, 4);
    }
    fixture_end(&table.f);
}

/* ---- definitions that are refused ---- */

static void conf_P4_refused_query_definitions(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_term twice[] = {SHOAL_READ(Position), SHOAL_WRITE(Position)};
    const shoal_term against[] = {SHOAL_WITH(Position), SHOAL_WITHOUT(Position)};
    const shoal_term read_tag = SHOAL_READ(Frozen);
    const shoal_term write_tag = SHOAL_WRITE(Frozen);
    const shoal_term no_access = {.component = SHOAL_ID(Position), .access = SHOAL_ACCESS_NONE};
    const shoal_term bad_access = {.component = SHOAL_ID(Position), .access = (shoal_access)77};
    const shoal_term null_component = {.access = SHOAL_ACCESS_READ};
    const shoal_term unknown_component = {.component = {65000}, .access = SHOAL_ACCESS_READ};
    assert_refused(f.world, twice, 2, SHOAL_TERM_INVALID);
    assert_message_has(f.world, "Position");
    assert_refused(f.world, against, 2, SHOAL_TERM_INVALID);
    assert_refused(f.world, &read_tag, 1, SHOAL_TERM_INVALID);
    assert_message_has(f.world, "Frozen");
    assert_refused(f.world, &write_tag, 1, SHOAL_TERM_INVALID);
    assert_refused(f.world, &no_access, 1, SHOAL_TERM_INVALID);
    assert_refused(f.world, &bad_access, 1, SHOAL_TERM_INVALID);
    assert_refused(f.world, &null_component, 1, SHOAL_COMPONENT_INVALID);
    assert_refused(f.world, &unknown_component, 1, SHOAL_COMPONENT_INVALID);
    assert_refused(f.world, NULL, 1, SHOAL_INVALID_ARGUMENT);
    assert_null(shoal_query_create(f.world, NULL));
    assert_last_error(f.world, SHOAL_INVALID_ARGUMENT);
    assert_ok(shoal_query_destroy(NULL));
    fixture_end(&f);
}

static void test_names(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    char name[16] = "moving";
    shoal_query *named = shoal_query_create(f.world, &(shoal_query_def){.name = name});
    name[0] = '#';
    assert_string_equal(shoal_query_name(named), "moving");
    const shoal_term terms[] = {SHOAL_READ(Position), SHOAL_WITHOUT(Frozen)};
    shoal_query *unnamed = make_query(f.world, terms, 2);
    assert_string_equal(shoal_query_name(unnamed), "read Position, without Frozen");
    const shoal_term more[] = {SHOAL_TERM(ANY_READ, Position, .group = 1), SHOAL_TERM(ANY_READ, Velocity, .group = 1),
                               SHOAL_TERM(ANY_READ, Frozen, .group = 2), SHOAL_UP(Health)};
    assert_string_equal(shoal_query_name(make_query(f.world, more, 4)),
                        "any(Position | Velocity), any(Frozen), optional ChildOf(up) Health");
    shoal_query *of_text = make_query_of(f.world, &(shoal_query_def){.text = "read Position,\n without Frozen"});
    assert_string_equal(shoal_query_name(of_text), "read Position,  without Frozen");
    assert_string_equal(shoal_query_name(make_query_of(f.world, &(shoal_query_def){.text = ""})), "everything");
    assert_string_equal(shoal_query_name(make_query(f.world, NULL, 0)), "everything");
    fixture_end(&f);
}

/* ---- views ---- */

static void check_refused_column(const shoal_world *world, const void *column, shoal_status expected) {
    assert_null(column);
    assert_last_error(world, expected);
}

static void conf_P4_what_a_view_refuses(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_world *world = f.world;
    spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity), SHOAL_DEFAULT(Letter),
                                  SHOAL_DEFAULT(Frozen)));
    const shoal_term terms[] = {SHOAL_READ(Position), SHOAL_WRITE(Velocity),  SHOAL_WITH(Letter),
                                SHOAL_WITH(Frozen),   SHOAL_OPTIONAL(Health), SHOAL_OPTIONAL_WRITE(Wide)};
    shoal_query *query = make_query(world, terms, 6);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    assert_true(shoal_view_next(&view));
    assert_non_null(SHOAL_COLUMN(&view, Position));
    assert_ptr_equal(SHOAL_COLUMN(&view, Velocity), SHOAL_COLUMN_MUT(&view, Velocity));
    assert_null(SHOAL_COLUMN(&view, Health));
    assert_null(SHOAL_COLUMN(&view, Wide));
    assert_null(SHOAL_COLUMN_MUT(&view, Wide));
    check_refused_column(world, SHOAL_COLUMN_MUT(&view, Position), SHOAL_TERM_READ_ONLY);
    assert_message_has(world, "Position");
    check_refused_column(world, SHOAL_COLUMN(&view, Owned), SHOAL_TERM_MISSING);
    check_refused_column(world, SHOAL_COLUMN_MUT(&view, Owned), SHOAL_TERM_MISSING);
    check_refused_column(world, SHOAL_COLUMN(&view, Letter), SHOAL_TERM_WITHOUT_DATA);
    check_refused_column(world, SHOAL_COLUMN_MUT(&view, Health), SHOAL_TERM_READ_ONLY);
    check_refused_column(world, shoal_view_read(&view, SHOAL_ID(Frozen)), SHOAL_TERM_WITHOUT_DATA);
    check_refused_column(world, shoal_view_write(&view, SHOAL_ID(Frozen)), SHOAL_TERM_WITHOUT_DATA);
    shoal_view_end(&view);
    check_refused_column(NULL, SHOAL_COLUMN(&view, Position), SHOAL_TERM_MISSING);
    shoal_view_end(&view);
    assert_false(shoal_view_next(&view));
    fixture_end(&f);
}

static void test_view_begin_with_null(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, no_values, 0);
    shoal_view view;
    assert_status(shoal_view_begin(&view, NULL), SHOAL_INVALID_ARGUMENT);
    assert_false(shoal_view_next(&view));
    assert_status(shoal_view_begin(NULL, f.everything), SHOAL_INVALID_ARGUMENT);
    assert_null(shoal_world_lock_holder(f.world));
    fixture_end(&f);
}

static void test_views_nest(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    for (int32_t i = 0; i < 100; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
    }
    const shoal_term term = SHOAL_READ(Health);
    shoal_query *inner_query =
        shoal_query_create(f.world, &(shoal_query_def){.terms = &term, .term_count = 1, .name = "inner"});
    size_t pairs = 0;
    shoal_view outer;
    assert_ok(shoal_view_begin(&outer, f.everything));
    while (shoal_view_next(&outer)) {
        assert_string_equal(shoal_world_lock_holder(f.world), "everything");
        shoal_view inner;
        assert_ok(shoal_view_begin(&inner, inner_query));
        assert_string_equal(shoal_world_lock_holder(f.world), "inner");
        while (shoal_view_next(&inner)) {
            pairs += outer.count * inner.count;
        }
        assert_status(shoal_destroy(f.world, outer.entities[0]), SHOAL_WORLD_LOCKED);
        assert_message_has(f.world, "everything");
    }
    assert_count(pairs, 10000);
    assert_null(shoal_world_lock_holder(f.world));
    fixture_end(&f);
}

/* The same query in two views at once; the outer one ends first. */
static void test_views_of_one_query_overlap(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    shoal_view first;
    shoal_view second;
    assert_ok(shoal_view_begin(&first, f.everything));
    assert_ok(shoal_view_begin(&second, f.everything));
    assert_true(shoal_view_next(&first) && shoal_view_next(&second));
    shoal_view_end(&first);
    shoal_view_end(&first);
    assert_status(shoal_destroy(f.world, entity), SHOAL_WORLD_LOCKED);
    assert_entity(second.entities[0], entity);
    shoal_view_end(&second);
    assert_null(shoal_world_lock_holder(f.world));
    assert_ok(shoal_destroy(f.world, entity));
    fixture_end(&f);
}

/* Whoever ends first, the lock has a holder until the last view ends: a null one would say that changes are allowed. */
static void check_views_end_in_order(const size_t *begins, const size_t *ends, size_t count) {
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    const shoal_term terms[2] = {SHOAL_READ(Health), SHOAL_WRITE(Health)};
    const char *const names[2] = {"A", "B"};
    shoal_query *queries[2];
    for (size_t i = 0; i < 2; i++) {
        queries[i] =
            shoal_query_create(f.world, &(shoal_query_def){.terms = &terms[i], .term_count = 1, .name = names[i]});
        assert_non_null(queries[i]);
    }
    shoal_view views[3];
    for (size_t i = 0; i < count; i++) {
        assert_ok(shoal_view_begin(&views[i], queries[begins[i]]));
        assert_string_equal(shoal_world_lock_holder(f.world), names[begins[i]]);
    }
    for (size_t i = 0; i < count; i++) {
        assert_non_null(shoal_world_lock_holder(f.world));
        assert_true(shoal_entity_is_null(shoal_spawn(f.world, no_values, 0)));
        assert_last_error(f.world, SHOAL_WORLD_LOCKED);
        assert_message_has(f.world, shoal_world_lock_holder(f.world));
        shoal_view_end(&views[ends[i]]);
    }
    assert_null(shoal_world_lock_holder(f.world));
    spawn_one(f.world, no_values, 0);
    fixture_end(&f);
}

static void test_views_end_in_any_order(void **state) {
    (void)state;
    static const size_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    check_views_end_in_order((const size_t[]){0, 1}, (const size_t[]){0, 1}, 2);
    for (size_t i = 0; i < 6; i++) {
        test_set_context("views end in order %zu %zu %zu", orders[i][0], orders[i][1], orders[i][2]);
        check_views_end_in_order((const size_t[]){0, 1, 1}, orders[i], 3);
        check_views_end_in_order((const size_t[]){0, 1, 0}, orders[i], 3);
    }
    test_set_context("");
}

static void test_iterating_allocates_nothing(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    for (int32_t i = 0; i < 500; i++) {
        shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
        if (i % 3 == 0) {
            assert_ok(shoal_add(f.world, entity, kind_component((value_kind)(i % KIND_COUNT)), NULL));
        }
    }
    const shoal_term terms[] = {SHOAL_WRITE(Health), SHOAL_OPTIONAL(Owned)};
    shoal_query *query = make_query(f.world, terms, 2);
    size_t before = f.fake.allocation_count;
    size_t rows = 0;
    for (int pass = 0; pass < 2; pass++) {
        shoal_view view;
        assert_ok(shoal_view_begin(&view, query));
        while (shoal_view_next(&view)) {
            rows += SHOAL_COLUMN_MUT(&view, Health) != NULL ? view.count : 0;
        }
    }
    assert_count(rows, 1000);
    assert_count(f.fake.allocation_count, before);
    fixture_end(&f);
}

/* Views give archetypes by age, then chunks; within a chunk the rows are in the order in which they came. */
static void test_order_of_views(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    for (int32_t i = 0; i < 300; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
        spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 1000 + i), SHOAL_DEFAULT(Frozen)));
    }
    int32_t expected = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++) {
            assert_int_equal(SHOAL_GET(f.world, view.entities[i], Health)->value, expected);
            expected = expected == 299 ? 1000 : expected + 1;
        }
    }
    assert_int_equal(expected, 1300);
    fixture_end(&f);
}

/* ---- the cache ---- */

/* A query of two that share a world sees archetypes that are made, emptied, trimmed and made again. */
static void test_archetypes_come_and_go(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_term term = SHOAL_READ(Health);
    shoal_query *query = make_query(f.world, &term, 1);
    assert_count(shoal_query_archetype_count(query), 0);
    for (int round = 0; round < 3; round++) {
        shoal_entity plain = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
        shoal_entity frozen = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Frozen)));
        assert_count(shoal_query_archetype_count(query), 2);
        assert_count(shoal_query_count(query), 2);
        assert_ok(shoal_destroy(f.world, plain));
        assert_count(shoal_query_archetype_count(query), 2);
        assert_count(shoal_query_count(query), 1);
        assert_ok(shoal_world_trim(f.world, 0, NULL));
        assert_count(shoal_query_archetype_count(query), 1);
        assert_true(shoal_query_matches(query, frozen));
        assert_false(shoal_query_matches(query, plain));
        assert_ok(shoal_destroy(f.world, frozen));
        assert_ok(shoal_world_trim(f.world, 0, NULL));
        assert_count(shoal_query_archetype_count(query), 0);
        assert_valid(f.world);
    }
    fixture_end(&f);
}

static void conf_D1_cache_stays_flat(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component tags[14];
    for (uint32_t i = 0; i < 14; i++) {
        tags[i] = numbered_tag(i);
    }
    const shoal_term any_tag[] = {{.component = tags[0], .access = SHOAL_ACCESS_WITH},
                                  {.component = tags[13], .access = SHOAL_ACCESS_WITHOUT}};
    shoal_query *query = make_query(f.world, any_tag, 2);
    size_t settled_bytes = 0;
    size_t settled_query_bytes = 0;
    for (uint32_t cycle = 0; cycle < 10000; cycle++) {
        shoal_value values[15] = {SHOAL_DEFAULT(Health)};
        size_t count = 1;
        for (uint32_t i = 0; i < 14; i++) {
            if ((cycle >> i & 1) != 0) {
                values[count++] = (shoal_value){tags[i], NULL};
            }
        }
        shoal_entity entity = spawn_one(f.world, values, count);
        assert_count(shoal_query_count(f.everything), 1);
        assert_count(shoal_query_count(query), (cycle & 1) != 0 && (cycle >> 13 & 1) == 0);
        assert_ok(shoal_destroy(f.world, entity));
        assert_ok(shoal_world_trim(f.world, 0, NULL));
        assert_count(shoal_query_archetype_count(query), 0);
        if (cycle % 1000 == 999) {
            shoal_memory_report report;
            assert_ok(shoal_world_memory(f.world, &report));
            settled_bytes = cycle == 999 ? report.total_bytes : settled_bytes;
            settled_query_bytes = cycle == 999 ? report.purpose_bytes[SHOAL_PURPOSE_QUERY] : settled_query_bytes;
            assert_at_most(report.total_bytes, settled_bytes);
            assert_at_most(report.purpose_bytes[SHOAL_PURPOSE_QUERY], settled_query_bytes);
            assert_valid(f.world);
        }
    }
    fixture_end(&f);
}

/* ---- many components and many queries ---- */

static void fill_numbers(uint32_t *numbers, size_t count) {
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = i * 2654435761u;
    }
}

static void conf_D4_three_hundred_components(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    uint32_t numbers[300];
    uint32_t order[300];
    fill_numbers(numbers, 300);
    shoal_value values[300];
    for (uint32_t i = 0; i < 300; i++) {
        values[i] = (shoal_value){numbered_component(i), &numbers[i]};
        order[i] = i;
    }
    shoal_entity bulk[2];
    assert_ok(shoal_spawn_many(
        f.world, &(shoal_spawn_many_def){.count = 2, .values = values, .value_count = 300, .entities = bulk}));
    rng random = {4};
    rng_shuffle(&random, order, 300);
    shoal_entity single = spawn_one(f.world, no_values, 0);
    for (size_t i = 0; i < 300; i++) {
        assert_ok(shoal_add(f.world, single, values[order[i]].component, values[order[i]].data));
    }
    shoal_entity at_once = spawn_one(f.world, no_values, 0);
    assert_ok(shoal_change_entity(f.world, at_once, &(shoal_change){.add = values, .add_count = 300}));
    size_t bulk_count = 0;
    size_t single_count = 0;
    size_t once_count = 0;
    const shoal_component *of_bulk = shoal_components_of(f.world, bulk[1], &bulk_count);
    const shoal_component *of_single = shoal_components_of(f.world, single, &single_count);
    const shoal_component *of_once = shoal_components_of(f.world, at_once, &once_count);
    assert_count(bulk_count, 300);
    assert_count(single_count, 300);
    assert_count(once_count, 300);
    assert_memory_equal(of_bulk, of_single, 300 * sizeof *of_bulk);
    assert_memory_equal(of_bulk, of_once, 300 * sizeof *of_bulk);
    for (size_t i = 0; i < 300; i++) {
        assert_int_equal(*(const uint32_t *)shoal_get(f.world, bulk[0], values[i].component), numbers[i]);
        assert_int_equal(*(const uint32_t *)shoal_get(f.world, bulk[1], values[i].component), numbers[i]);
        assert_int_equal(*(const uint32_t *)shoal_get(f.world, single, values[i].component), numbers[i]);
        assert_int_equal(*(const uint32_t *)shoal_get(f.world, at_once, values[i].component), numbers[i]);
    }
    fixture_end(&f);
}

static void test_query_with_many_terms(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    uint32_t limit = shoal_limits_get().query_terms;
    assert_count(limit, 1024);
    shoal_term *terms = calloc(limit + 1, sizeof *terms);
    for (uint32_t i = 0; i <= limit; i++) {
        terms[i] = (shoal_term){.component = numbered_component(i), .access = SHOAL_ACCESS_OPTIONAL_READ};
    }
    shoal_query *query = make_query(f.world, terms, limit);
    const uint32_t value = 12345;
    const shoal_value values[] = {{numbered_component(limit - 1), &value}};
    spawn_one(f.world, values, 1);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        assert_null(shoal_view_read(&view, numbered_component(0)));
        const uint32_t *column = shoal_view_read(&view, numbered_component(limit - 1));
        assert_int_equal(*column, value);
    }
    assert_null(shoal_query_create(f.world, &(shoal_query_def){.terms = terms, .term_count = limit + 1}));
    free(terms);
    fixture_end(&f);
}

/* Queries of one world end with it, or one by one while others stay. */
static void test_many_queries(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_query *queries[100];
    for (size_t i = 0; i < 100; i++) {
        const shoal_term term = SHOAL_READ(Health);
        queries[i] = make_query(f.world, &term, 1);
    }
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    for (size_t i = 0; i < 100; i += 2) {
        assert_ok(shoal_query_destroy(queries[i]));
    }
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Health), SHOAL_DEFAULT(Frozen)));
    for (size_t i = 1; i < 100; i += 2) {
        assert_count(shoal_query_count(queries[i]), 2);
    }
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.query_count, 51);
    fixture_end(&f);
}

static void test_query_may_be_made_while_a_view_is_open(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 6)));
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        const shoal_term term = SHOAL_READ(Health);
        assert_count(shoal_query_count(make_query(f.world, &term, 1)), 1);
        assert_non_null(shoal_commands_create(f.world, NULL));
    }
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms_truth_table),
        cmocka_unit_test(test_any_group_with_a_tag),
        cmocka_unit_test(test_terms_in_any_order),
        cmocka_unit_test(conf_P4_refused_query_definitions),
        cmocka_unit_test(test_names),
        cmocka_unit_test(conf_P4_what_a_view_refuses),
        cmocka_unit_test(test_view_begin_with_null),
        cmocka_unit_test(test_views_nest),
        cmocka_unit_test(test_views_of_one_query_overlap),
        cmocka_unit_test(test_views_end_in_any_order),
        cmocka_unit_test(test_iterating_allocates_nothing),
        cmocka_unit_test(test_order_of_views),
        cmocka_unit_test(test_archetypes_come_and_go),
        cmocka_unit_test(test_query_may_be_made_while_a_view_is_open),
        cmocka_unit_test(conf_D1_cache_stays_flat),
        cmocka_unit_test(conf_D4_three_hundred_components),
        cmocka_unit_test(test_query_with_many_terms),
        cmocka_unit_test(test_many_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
