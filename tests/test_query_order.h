/*
 * What the tests of order and groups share: the rows of a query in the order in which its views give them, and a check
 * that they are those of another query, which does not order, sorted: neighbours are in order, and those with equal
 * keys stand as they do without sorting. No sorting is done here.
 */
#ifndef SHOAL_TESTS_TEST_QUERY_ORDER_H
#define SHOAL_TESTS_TEST_QUERY_ORDER_H

#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"

#include <string.h>

enum { ROWS_MOST = 4096 };

static const shoal_value no_values[1];
static const shoal_entity nobody = {0};

typedef struct row_list {
    shoal_entity entities[ROWS_MOST];
    uint64_t groups[ROWS_MOST]; /* shoal_view_group() */
    size_t count;
} row_list;

/* What two rows are sorted by: groups first. */
typedef struct order_rule {
    const shoal_world *world;
    uint64_t (*group)(const shoal_world *world, shoal_entity entity); /* NULL: none */
    bool groups_descending;
    int (*compare)(const struct order_rule *rule, shoal_entity a, shoal_entity b); /* NULL: by groups alone */
    bool descending;
    const shoal_field *field; /* for `compare` */
} order_rule;

/* The same terms without order and groups. */
static inline shoal_query *make_plain(shoal_world *world, const shoal_query_def *def) {
    return make_query_of(world, &(shoal_query_def){.terms = def->terms, .term_count = def->term_count});
}

static inline void rows_take(row_list *rows, shoal_query *query) {
    rows->count = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        assert_true(view.count != 0 && rows->count + view.count <= ROWS_MOST);
        for (size_t i = 0; i < view.count; i++) {
            rows->entities[rows->count] = view.entities[i];
            rows->groups[rows->count++] = shoal_view_group(&view);
        }
    }
    assert_count(shoal_query_count(query), rows->count);
}

static inline int rule_compare(const order_rule *rule, shoal_entity a, shoal_entity b) {
    uint64_t groups[2] = {0};
    if (rule->group != NULL) {
        groups[0] = rule->group(rule->world, a);
        groups[1] = rule->group(rule->world, b);
    }
    if (groups[0] != groups[1]) {
        return (groups[0] < groups[1]) != rule->groups_descending ? -1 : 1;
    }
    int result = rule->compare != NULL ? rule->compare(rule, a, b) : 0;
    return rule->descending ? -result : result;
}

static inline void rows_check(const row_list *rows, const row_list *plain, const order_rule *rule) {
    static size_t places[ROWS_MOST]; /* of a slot: 1 + where it is in `plain`; 0 once it has been seen */
    memset(places, 0, sizeof places);
    for (size_t i = 0; i < plain->count; i++) {
        places[shoal_entity_index(plain->entities[i])] = i + 1;
    }
    assert_count(rows->count, plain->count);
    size_t last = 0;
    for (size_t i = 0; i < rows->count; i++) {
        size_t place = places[shoal_entity_index(rows->entities[i])];
        assert_true(place != 0);
        assert_entity(plain->entities[place - 1], rows->entities[i]);
        int result = i == 0 ? -1 : rule_compare(rule, rows->entities[i - 1], rows->entities[i]);
        assert_true(result < 0 || (result == 0 && last < place));
        places[shoal_entity_index(rows->entities[i])] = 0;
        last = place;
    }
}

/* An ordered query gives the rows of a plain one by the rule. */
static inline void check_sorted(shoal_query *ordered, shoal_query *plain, const order_rule *rule) {
    static row_list rows;
    static row_list expected;
    rows_take(&rows, ordered);
    rows_take(&expected, plain);
    rows_check(&rows, &expected, rule);
    for (size_t i = 0; i < rows.count; i++) {
        assert_true(shoal_query_matches(ordered, rows.entities[i]));
    }
    if (rows.count != 0) {
        assert_entity(shoal_query_first(ordered), rows.entities[0]);
    }
}

#endif
