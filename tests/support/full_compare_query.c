/*
 * The comparison of queries with the reference world of all kinds; see full_compare.h.
 */
#include "full_compare.h"

#include "test.h"

#include <stdlib.h>

/* ---- one row ---- */

static bool gives_data(const shoal_term *term) {
    return term->access != SHOAL_ACCESS_WITH && term->access != SHOAL_ACCESS_WITHOUT;
}

static void compare_up(const full_world *full, const shoal_view *view, size_t row, const shoal_term *term) {
    full_type type = full_find(term->component);
    shoal_entity holder = full_ancestor_with(full, term, view->entities[row]);
    const void *const *values = shoal_view_up(view, term->component);
    assert_non_null(values);
    assert_count(values[row] != NULL, !shoal_entity_is_null(holder));
    if (values[row] != NULL) {
        assert_count(full_read(type, values[row]), full_slot_of(full, holder)->payload[type]);
    }
}

static void compare_cell(const full_world *full, const shoal_view *view, size_t row, full_type type, bool present) {
    shoal_buffer buffer = shoal_view_buffer(view, full_component(type), row);
    assert_count(!shoal_buffer_is_null(buffer), present);
    if (present) {
        full_slot *slot = full_slot_of(full, view->entities[row]);
        const full_items *items = full_items_of(slot, type);
        assert_count(shoal_buffer_count(buffer), items->count);
        const uint64_t *elements = shoal_buffer_items(buffer);
        for (size_t i = 0; i < items->count; i++) {
            assert_count(full_read(type, elements + i), items->payload[i]);
        }
    }
}

/* The payload of what a row has; chunk values have none that is known. */
static uint64_t row_payload(const full_world *full, const shoal_term *term, shoal_entity entity) {
    full_type type = full_find(term->component);
    if (full_is(type, SHOAL_STORAGE_UNIQUE)) {
        return full->uniques[type - FULL_CLOCK].payload;
    }
    if (full_is(type, SHOAL_STORAGE_RELATION)) {
        return full->links[full_link_find(full, 0, type, entity, term->target)].payload;
    }
    return full_slot_of(full, entity)->payload[type];
}

static bool row_has(const full_world *full, const shoal_term *term, shoal_entity entity) {
    full_type type = full_find(term->component);
    shoal_term any = *term;
    any.state = SHOAL_STATE_EITHER;
    any.traverse = SHOAL_TRAVERSE_SELF;
    any.value = NULL;
    return type == FULL_DYING ? full_has(full, entity, type) : full_term_holds(full, &any, entity);
}

static void compare_one(const shoal_view *view, size_t row, shoal_component component, const void *value) {
    const void *one = shoal_view_one(view, component);
    assert_ptr_equal(one, value);
    assert_ptr_equal(shoal_view_get(view, component, view->count - 1), one);
    (void)row;
}

static void compare_term(const full_world *full, const shoal_view *view, size_t row, const shoal_term *term) {
    full_type type = full_find(term->component);
    bool present = row_has(full, term, view->entities[row]);
    bool on = type < FULL_CLOCK && full_is_on(full, view->entities[row], type);
    assert_count(shoal_view_is_enabled(view, term->component, row), on);
    if (!gives_data(term) || !full_has_data(type)) {
        return;
    }
    if (full_is(type, SHOAL_STORAGE_BUFFER)) {
        compare_cell(full, view, row, type, present);
        return;
    }
    const void *value = shoal_view_get(view, term->component, row);
    assert_count(value != NULL, present);
    bool is_one = full_is(type, SHOAL_STORAGE_SHARED) || full_is(type, SHOAL_STORAGE_CHUNK) ||
                  full_is(type, SHOAL_STORAGE_UNIQUE);
    if (present && is_one) {
        compare_one(view, row, term->component, value);
    }
    if (present && !full_is(type, SHOAL_STORAGE_CHUNK)) {
        assert_count(full_read(type, value), row_payload(full, term, view->entities[row]));
    }
    if (full_is(type, SHOAL_STORAGE_TABLE)) {
        const uint64_t *column = shoal_view_read(view, term->component);
        assert_ptr_equal(column != NULL ? column + row : NULL, value);
    }
}

static void check_row_count(uint64_t actual, uint64_t expected, const shoal_query *query) {
    if (actual != expected) {
        print_error("query \"%s\"\n", shoal_query_name(query));
        assert_count(actual, expected);
    }
}

static void compare_row(const full_world *full, const full_query *query, const shoal_view *view, size_t row) {
    shoal_entity entity = view->entities[row];
    check_row_count(1, full_matches(full, query->terms, query->term_count, entity), query->query);
    for (size_t i = 0; i < query->term_count; i++) {
        const shoal_term *term = &query->terms[i];
        if (term->traverse == SHOAL_TRAVERSE_UP && gives_data(term)) {
            compare_up(full, view, row, term);
        } else if (term->traverse == SHOAL_TRAVERSE_SELF) {
            compare_term(full, view, row, term);
        }
    }
    if (query->group_by < FULL_COUNT && full_def(query->group_by)->acyclic) {
        assert_count(shoal_view_group(view), full_depth(full, query->group_by, entity));
    }
}

/* ---- all rows ---- */

typedef struct row_list {
    shoal_entity *entities;
    size_t count;
} row_list;

static row_list rows_make(const full_world *full) {
    row_list rows = {.entities = calloc(full->slots.count + 1, sizeof(shoal_entity))};
    assert_non_null(rows.entities);
    return rows;
}

/* What is seen while a query is gone through. */
typedef struct row_pass {
    const full_world *full;
    const full_query *query; /* to compare each row with; NULL: rows are listed only */
    bool *seen;
    row_list rows;
} row_pass;

/* Each entity may come once only. */
static void row_take(row_pass *pass, const shoal_view *view, size_t row) {
    shoal_entity entity = view->entities[row];
    bool *entity_seen = &pass->seen[shoal_entity_index(entity)];
    assert_count(*entity_seen, false);
    *entity_seen = true;
    if (pass->query != NULL) {
        compare_row(pass->full, pass->query, view, row);
    }
    pass->rows.entities[pass->rows.count++] = entity;
}

/* Goes through a query, by runs or by chunks, and lists its rows. */
static row_list rows_take(const full_world *full, const full_query *query, shoal_query *real, bool by_chunks) {
    row_pass pass = {.full = full, .query = query, .rows = rows_make(full)};
    pass.seen = calloc(full->slots.count + 1, sizeof(bool));
    assert_non_null(pass.seen);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, real));
    while (by_chunks && shoal_view_next_chunk(&view)) {
        SHOAL_ROWS(&view, row) {
            row_take(&pass, &view, row);
        }
    }
    while (!by_chunks && shoal_view_next(&view)) {
        assert_true(view.count > 0);
        for (size_t row = 0; row < view.count; row++) {
            row_take(&pass, &view, row);
        }
    }
    free(pass.seen);
    return pass.rows;
}

static void compare_lists(const row_list *actual, const row_list *expected) {
    assert_count(actual->count, expected->count);
    for (size_t i = 0; i < expected->count; i++) {
        assert_entity(actual->entities[i], expected->entities[i]);
    }
}

/* ---- order ---- */

static int compare_numbers(uint64_t a, uint64_t b, bool descending) {
    int result = a < b ? -1 : a > b;
    return descending ? -result : result;
}

/* Shared groups come in an order of the library's own: only rows of one value are put together. */
static int compare_order(const full_world *full, const full_query *query, shoal_entity a, shoal_entity b) {
    int result = 0;
    if (query->group_by < FULL_COUNT && full_def(query->group_by)->acyclic) {
        result = compare_numbers(full_depth(full, query->group_by, a), full_depth(full, query->group_by, b),
                                 query->groups_descending);
    }
    if (result == 0 && query->order_by < FULL_COUNT) {
        result = compare_numbers(full_slot_of(full, a)->payload[query->order_by],
                                 full_slot_of(full, b)->payload[query->order_by], query->descending);
    }
    return result;
}

/* A stable sort of the rows of the unsorted query is what the query must give. */
static void compare_sorted(const full_world *full, const full_query *query, const row_list *actual) {
    row_list expected = rows_take(full, NULL, query->unsorted, false);
    for (size_t i = 1; i < expected.count; i++) {
        shoal_entity entity = expected.entities[i];
        size_t at = i;
        for (; at > 0 && compare_order(full, query, expected.entities[at - 1], entity) > 0; at--) {
            expected.entities[at] = expected.entities[at - 1];
        }
        expected.entities[at] = entity;
    }
    compare_lists(actual, &expected);
    free(expected.entities);
}

/* Rows of one shared value are neighbours, and sorted among themselves. */
static void compare_shared_groups(const full_world *full, const full_query *query, const row_list *rows) {
    bool done[FULL_SHARED_VALUES] = {false};
    for (size_t i = 0; i < rows->count; i++) {
        uint64_t value = full_slot_of(full, rows->entities[i])->payload[query->group_by];
        uint64_t before = i > 0 ? full_slot_of(full, rows->entities[i - 1])->payload[query->group_by] : value;
        assert_true(value < FULL_SHARED_VALUES);
        assert_count(done[value], false);
        done[before] = before != value || done[before];
        if (i > 0 && before == value) {
            assert_true(compare_order(full, query, rows->entities[i - 1], rows->entities[i]) <= 0);
        }
    }
}

static void compare_single(shoal_query *query, const row_list *rows) {
    shoal_entity none = {0};
    assert_entity(shoal_query_first(query), rows->count != 0 ? rows->entities[0] : none);
    assert_entity(shoal_query_single(query), rows->count == 1 ? rows->entities[0] : none);
}

void full_compare_query(const full_world *full, const full_query *query) {
    uint64_t expected = 0;
    for (size_t i = 0; i < full->slots.count; i++) {
        shoal_entity entity = full_handle(full, i);
        bool matches = full->slots.states[i].alive && full_matches(full, query->terms, query->term_count, entity);
        if (!full->slots.states[i].retired) {
            check_row_count(shoal_query_matches(query->query, entity), matches, query->query);
        }
        expected += matches;
    }
    check_row_count(shoal_query_count(query->query), expected, query->query);
    row_list rows = rows_take(full, query, query->query, false);
    row_list chunk_rows = rows_take(full, query, query->query, true);
    check_row_count(rows.count, expected, query->query);
    compare_lists(&chunk_rows, &rows);
    compare_single(query->query, &rows);
    if (query->group_by < FULL_COUNT && full_is(query->group_by, SHOAL_STORAGE_SHARED)) {
        compare_shared_groups(full, query, &rows);
    } else if (query->unsorted != NULL) {
        compare_sorted(full, query, &rows);
    }
    free(rows.entities);
    free(chunk_rows.entities);
}
