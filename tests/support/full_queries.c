/*
 * The queries of the model test of all kinds: terms of each sort over each kind; see full_model.h.
 */
#include "full_model.h"

#include "test.h"

/* The callers add the last comma, so that a term without further members is one argument less, not an error. */
#define TERM_OF(Access, type_, ...)                                                                                    \
    { .component = full_component(type_), .access = SHOAL_ACCESS_##Access, __VA_ARGS__ }
#define TERM(...) TERM_OF(__VA_ARGS__, )
#define UP(...) TERM_OF(__VA_ARGS__, .traverse = SHOAL_TRAVERSE_UP)
#define DOWN(...) TERM_OF(__VA_ARGS__, .traverse = SHOAL_TRAVERSE_DOWN)

static const Number faction_one = {1, 2654435761u};

/* Fills in the terms of a query; `target` is for those that name one. Returns how many. */
static size_t query_terms(size_t number, shoal_entity target, shoal_term terms[4]) {
    const shoal_component orbits = full_component(FULL_ORBITS);
    const shoal_term table[FULL_QUERY_COUNT][4] = {
        {TERM(NONE, FULL_HULL)},
        {TERM(READ, FULL_HULL), TERM(WRITE, FULL_SHIELD), TERM(WITHOUT, FULL_DOCKED)},
        {TERM(READ, FULL_SHIELD, .state = SHOAL_STATE_EITHER), TERM(WITH, FULL_ASLEEP, .state = SHOAL_STATE_DISABLED)},
        {TERM(WITHOUT, FULL_SHIELD), TERM(OPTIONAL_READ, FULL_GUEST), TERM(READ, FULL_SCAN)},
        {TERM(WRITE, FULL_SCAN), TERM(WITH, FULL_MARKED)},
        {TERM(ANY_READ, FULL_SHIELD), TERM(ANY_READ, FULL_SCAN), TERM(ANY_READ, FULL_OWNER), TERM(WITHOUT, FULL_GUEST)},
        {TERM(WITH, FULL_FACTION, .value = &faction_one), TERM(OPTIONAL_READ, FULL_BANNER)},
        {TERM(WRITE, FULL_BOUNDS), TERM(OPTIONAL_READ, FULL_CLIMATE)},
        {TERM(READ, FULL_ROUTE), TERM(OPTIONAL_WRITE, FULL_CREW)},
        {TERM(READ, FULL_CLOCK), TERM(READ, FULL_HULL), TERM(WITHOUT, FULL_JOURNAL)},
        {TERM(READ, FULL_CARGO), TERM(WITH, FULL_CHILD_OF)},
        {TERM(WITH, FULL_OWNER, .target = target), TERM(OPTIONAL_READ, FULL_ARMOR)},
        {TERM(WITHOUT, FULL_CHILD_OF), TERM(WITHOUT, FULL_CARGO, .target = target)},
        {UP(OPTIONAL_READ, FULL_HULL), TERM(WITH, FULL_CHILD_OF)},
        {UP(WITH, FULL_FACTION), DOWN(WITHOUT, FULL_HULL)},
        {DOWN(WITH, FULL_GUEST), TERM(OPTIONAL_READ, FULL_ESCORT)},
        {TERM(WITH, FULL_PREFAB), TERM(OPTIONAL_READ, FULL_HULL)},
        {TERM(WITH, FULL_DYING), TERM(OPTIONAL_READ, FULL_LEASE), TERM(OPTIONAL_READ, FULL_BILL)},
        {TERM(READ, FULL_HULL)}, /* by depth */
        {TERM(READ, FULL_HULL), UP(OPTIONAL_READ, FULL_SCAN)},
        {TERM(READ, FULL_SCAN), TERM(READ, FULL_FACTION)},
        {TERM(WITHOUT, FULL_ASLEEP), UP(READ, FULL_ARMOR, .along = orbits)},
        {TERM(READ, FULL_CARGO, .target = target), TERM(ANY_READ, FULL_LEASE, .group = 1),
         TERM(ANY_READ, FULL_CLOCK, .group = 1)},
        {TERM(READ, FULL_FACTION), TERM(READ, FULL_ORBITS)},     /* by value */
        {TERM(WRITE, FULL_SCAN), TERM(OPTIONAL_READ, FULL_AIM)}, /* by depth */
    };
    size_t count = 0;
    while (count < 4 && table[number][count].access != SHOAL_ACCESS_NONE) {
        terms[count] = table[number][count];
        count++;
    }
    return count;
}

static int compare_scans(const void *a, const void *b, void *user) {
    (void)user;
    const Number *left = a;
    const Number *right = b;
    return left->value < right->value ? -1 : left->value > right->value;
}

/* How a query sorts and groups. */
static void query_order(size_t number, full_query *query, shoal_query_def *def) {
    query->order_by = FULL_COUNT;
    query->group_by = FULL_COUNT;
    if (number == 19 || number == 20) {
        query->order_by = number == 19 ? FULL_HULL : FULL_SCAN;
        query->descending = number == 20;
        def->order_by = full_component(query->order_by);
        def->order_field = number == 19 ? "value" : NULL;
        def->compare = number == 20 ? compare_scans : NULL;
        def->descending = query->descending;
    }
    /* Some are of what lies outside of rows alone, so that nothing but its own changes says that an order is stale.
     */
    static const full_type groups[FULL_QUERY_COUNT] = {
        [4] = FULL_ORBITS,  [15] = FULL_CHILD_OF, [18] = FULL_CHILD_OF, [20] = FULL_FACTION,
        [21] = FULL_ORBITS, [22] = FULL_CHILD_OF, [23] = FULL_FACTION,  [24] = FULL_CHILD_OF};
    if (groups[number] != 0) {
        query->group_by = groups[number];
        query->groups_descending = number >= 21;
        def->group_by = full_component(query->group_by);
        def->groups_descending = query->groups_descending;
    }
}

/* Makes a query again when an allocation failed on purpose. */
static shoal_query *query_create(full_model *m, const shoal_query_def *def) {
    rig_arm(&m->rig);
    shoal_query *query = shoal_query_create(m->rig.world, def);
    shoal_status status = query != NULL ? SHOAL_OK : shoal_last_error(m->rig.world).status;
    if (rig_ran_out(&m->rig, status)) {
        query = shoal_query_create(m->rig.world, def);
    }
    assert_non_null(query);
    return query;
}

void full_query_make(full_model *m, size_t number) {
    full_query *query = &m->queries[number];
    *query = (full_query){0};
    query->term_count = query_terms(number, full_pick_live(m), query->terms);
    shoal_query_def plain = {.terms = query->terms, .term_count = query->term_count};
    shoal_query_def def = plain;
    query_order(number, query, &def);
    query->query = query_create(m, &def);
    if (query->order_by < FULL_COUNT || query->group_by < FULL_COUNT) {
        query->unsorted = query_create(m, &plain);
    }
}

void full_query_end(full_query *query) {
    assert_ok(shoal_query_destroy(query->query));
    assert_ok(shoal_query_destroy(query->unsorted));
}
