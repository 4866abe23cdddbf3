/*
 * The truth table of queries: every operator on every kind of component, alone and beside other terms, with none, half
 * and all of the entities matching, over numbers of entities around the words of 64 rows and the ends of chunks. What a
 * query gives, by runs, by chunks, as a count and for single entities, is compared with what the calls that ask one
 * entity say (test_truth_table_kinds.c), and so are the values that views give. Conformance D6.
 */
#include "test_truth_table.h"

#include <string.h>

/* The terms that stand beside the one on trial. */
typedef enum companions {
    BESIDE_NOTHING,
    BESIDE_TABLE,
    BESIDE_SPARSE,
    BESIDE_ENABLED,
    BESIDE_DISABLED,
    BESIDE_ALL,
    BESIDE_ANY, /* another term of its any group */
    COMPANIONS_COUNT
} companions;

enum { MOST_TERMS = 4 };

/* One query on trial. */
typedef struct trial {
    truth_scene *scene;
    shoal_term terms[MOST_TERMS];
    size_t term_count;
    size_t subject;     /* of `terms` */
    bool checks_values; /* also those, not only the rows */
    bool passes[COMPANIONS_COUNT][TRUTH_MOST];
    bool is_there[TRUTH_MOST];    /* what the subject's term names */
    bool is_expected[TRUTH_MOST]; /* the entities that must match */
    bool is_seen[TRUTH_MOST];
    uint64_t expected_count;
    uint64_t seen_count;
} trial;

static bool gives_data(const shoal_term *term) {
    return term->access != SHOAL_ACCESS_WITH && term->access != SHOAL_ACCESS_WITHOUT && !truth_is_tag(term->component);
}

static bool writes(const shoal_term *term) {
    return term->access == SHOAL_ACCESS_WRITE || term->access == SHOAL_ACCESS_OPTIONAL_WRITE ||
           term->access == SHOAL_ACCESS_ANY_WRITE;
}

static bool is_any(const shoal_term *term) {
    return term->access == SHOAL_ACCESS_ANY_READ || term->access == SHOAL_ACCESS_ANY_WRITE;
}

static bool is_optional(const shoal_term *term) {
    return term->access == SHOAL_ACCESS_OPTIONAL_READ || term->access == SHOAL_ACCESS_OPTIONAL_WRITE;
}

static shoal_storage storage_of(const shoal_term *term) {
    return shoal_component_info(term->component)->storage;
}

/* ---- the values of one row ---- */

static void check_buffer(const trial *t, const shoal_view *view, const shoal_term *term, size_t row) {
    shoal_world *world = t->scene->f.world;
    shoal_buffer given = shoal_view_buffer(view, term->component, row);
    assert_count(shoal_buffer_is_null(given), !shoal_has(world, view->entities[row], term->component));
    if (!shoal_buffer_is_null(given)) {
        shoal_buffer expected = shoal_buffer_get(world, view->entities[row], term->component);
        assert_count(shoal_buffer_count(given), shoal_buffer_count(expected));
        assert_ptr_equal(shoal_buffer_items(given), shoal_buffer_items(expected));
    }
}

/* The same value: of an entity's own, the same place, too. */
static void check_same(const shoal_term *term, const void *actual, const void *expected) {
    if (storage_of(term) == SHOAL_STORAGE_SHARED && actual != NULL && expected != NULL) {
        assert_memory_equal(actual, expected, sizeof(Numbered));
    } else {
        assert_ptr_equal(actual, expected);
    }
}

/* What is given for all rows of a view at once. */
static void check_common(const shoal_view *view, const shoal_term *term, size_t row, const void *expected) {
    shoal_storage storage = storage_of(term);
    if (storage == SHOAL_STORAGE_TABLE) {
        const Numbered *column = shoal_view_read(view, term->component);
        check_same(term, column != NULL ? &column[row] : NULL, expected);
        if (writes(term)) {
            assert_ptr_equal(shoal_view_write(view, term->component), column);
        }
    } else if (storage == SHOAL_STORAGE_SHARED || storage == SHOAL_STORAGE_CHUNK || storage == SHOAL_STORAGE_UNIQUE) {
        check_same(term, shoal_view_one(view, term->component), expected);
        if (writes(term)) {
            assert_ptr_equal(shoal_view_one_mut(view, term->component), expected);
        }
    }
}

static void check_value(const trial *t, const shoal_view *view, const shoal_term *term, size_t row) {
    shoal_entity entity = view->entities[row];
    bool is_own = term->traverse == SHOAL_TRAVERSE_SELF;
    if (is_own && storage_of(term) != SHOAL_STORAGE_UNIQUE) {
        assert_count(shoal_view_is_enabled(view, term->component, row),
                     shoal_is_enabled(t->scene->f.world, entity, term->component));
    }
    if (!gives_data(term)) {
        return;
    }
    if (storage_of(term) == SHOAL_STORAGE_BUFFER) {
        check_buffer(t, view, term, row);
        return;
    }
    const void *expected = truth_value(t->scene, term, entity);
    if (!is_own) {
        check_same(term, shoal_view_up(view, term->component)[row], expected);
        return;
    }
    check_same(term, shoal_view_get(view, term->component, row), expected);
    check_common(view, term, row, expected);
    if (writes(term)) {
        assert_ptr_equal(shoal_view_get_mut(view, term->component, row), expected);
    }
}

/* What the view must not give. */
static void check_refusals(const trial *t, const shoal_view *view) {
    const shoal_world *world = t->scene->f.world;
    const shoal_term *term = &t->terms[t->subject];
    if (term->traverse != SHOAL_TRAVERSE_SELF) {
        return;
    }
    if (!gives_data(term)) {
        assert_null(shoal_view_get(view, term->component, 0));
        assert_last_error(world, term->access == SHOAL_ACCESS_WITHOUT ? SHOAL_TERM_MISSING : SHOAL_TERM_WITHOUT_DATA);
    } else if (storage_of(term) == SHOAL_STORAGE_BUFFER || (storage_of(term) == SHOAL_STORAGE_SHARED)) {
        assert_null(shoal_view_get_mut(view, term->component, 0));
        assert_true(shoal_last_error(world).status == SHOAL_COMPONENT_KIND ||
                    shoal_last_error(world).status == SHOAL_TERM_READ_ONLY);
    } else {
        bool is_null = shoal_view_get_mut(view, term->component, 0) == NULL;
        if (!writes(term)) {
            assert_true(is_null);
            assert_last_error(world, SHOAL_TERM_READ_ONLY);
        }
        assert_null(shoal_view_get(view, term->component, view->count));
        assert_last_error(world, SHOAL_INVALID_ARGUMENT);
    }
}

/* ---- one query ---- */

static void see(trial *t, const shoal_view *view, size_t row) {
    size_t number = truth_number(t->scene, view->entities[row]);
    assert_true(t->is_expected[number]);
    assert_false(t->is_seen[number]);
    t->is_seen[number] = true;
    t->seen_count++;
    for (size_t i = 0; t->checks_values && i < t->term_count; i++) {
        check_value(t, view, &t->terms[i], row);
    }
}

static void see_begin(trial *t, shoal_view *view, shoal_query *query) {
    memset(t->is_seen, 0, sizeof t->is_seen);
    t->seen_count = 0;
    assert_ok(shoal_view_begin(view, query));
}

static void check_runs(trial *t, shoal_query *query) {
    shoal_view view;
    see_begin(t, &view, query);
    while (shoal_view_next(&view)) {
        assert_true(view.count != 0);
        if (t->checks_values && t->seen_count == 0) {
            check_refusals(t, &view);
        }
        for (size_t row = 0; row < view.count; row++) {
            see(t, &view, row);
        }
    }
    assert_count(t->seen_count, t->expected_count);
}

/* The rows of whole chunks, and those of runs, all of which match. */
static void check_rows(trial *t, shoal_query *query, bool by_runs) {
    shoal_view view;
    see_begin(t, &view, query);
    while (by_runs ? shoal_view_next(&view) : shoal_view_next_chunk(&view)) {
        SHOAL_ROWS(&view, row) {
            see(t, &view, row);
        }
    }
    assert_count(t->seen_count, t->expected_count);
}

static void check_query(trial *t) {
    const shoal_query_def def = {.terms = t->terms, .term_count = t->term_count};
    shoal_query *query = shoal_query_create(t->scene->f.world, &def);
    if (query == NULL) {
        print_error("%s\n", shoal_last_error(t->scene->f.world).message);
    }
    assert_non_null(query);
    assert_count(shoal_query_count(query), t->expected_count);
    for (size_t i = 0; i < t->scene->count; i++) {
        assert_count(shoal_query_matches(query, t->scene->entities[i]), t->is_expected[i]);
    }
    check_runs(t, query);
    check_rows(t, query, false);
    check_rows(t, query, true);
    assert_ok(shoal_query_destroy(query));
}

/* ---- what is expected ---- */

static size_t companion_terms(companions beside, const shoal_term *subject, shoal_term terms[3]) {
    const shoal_term disabled = SHOAL_DISABLED(Switch);
    const shoal_term all[3] = {SHOAL_READ(Base), SHOAL_WRITE(Side), SHOAL_WITHOUT(Switch)};
    const shoal_term any = {.component = SHOAL_ID(Side), .access = SHOAL_ACCESS_ANY_READ, .group = subject->group};
    switch (beside) {
    case BESIDE_TABLE:
    case BESIDE_SPARSE:
        terms[0] = all[beside == BESIDE_SPARSE];
        return 1;
    case BESIDE_ENABLED:
        terms[0] = (shoal_term)SHOAL_WITH(Switch);
        return 1;
    case BESIDE_DISABLED:
        terms[0] = disabled;
        return 1;
    case BESIDE_ALL:
        memcpy(terms, all, sizeof all);
        return 3;
    case BESIDE_ANY:
        terms[0] = any;
        return is_any(subject) ? 1 : 0;
    default:
        return 0;
    }
}

/* Whether an entity is seen by queries that name neither Prefab nor Dying. */
static bool is_visible(const truth_scene *scene, shoal_entity entity) {
    return shoal_is_alive(scene->f.world, entity) && !shoal_is_dying(scene->f.world, entity) &&
           !SHOAL_HAS(scene->f.world, entity, Prefab);
}

/* Whether the terms beside the one on trial let an entity through; of an any group, whether one of them is there. */
static bool pass_beside(const trial *t, companions beside, shoal_entity entity) {
    const shoal_term subject = {.component = t->scene->subject, .access = SHOAL_ACCESS_ANY_READ};
    shoal_term terms[3];
    size_t count = companion_terms(beside, &subject, terms);
    bool passes = is_visible(t->scene, entity);
    for (size_t i = 0; i < count && passes; i++) {
        passes = truth_term_is_there(t->scene, &terms[i], entity) != (terms[i].access == SHOAL_ACCESS_WITHOUT);
    }
    return passes;
}

/* Whether an entity matches, by the words of query.h. */
static bool is_match(const trial *t, const shoal_term *subject, companions beside, size_t number) {
    bool is_there = t->is_there[number];
    if (beside == BESIDE_ANY) {
        return (is_there && t->passes[BESIDE_NOTHING][number]) || t->passes[BESIDE_ANY][number];
    }
    bool fits = is_optional(subject) || is_there != (subject->access == SHOAL_ACCESS_WITHOUT);
    return fits && t->passes[beside][number];
}

static void expect(trial *t, const shoal_term *subject, companions beside) {
    t->expected_count = 0;
    for (size_t i = 0; i < t->scene->count; i++) {
        t->is_expected[i] = is_match(t, subject, beside, i);
        t->expected_count += t->is_expected[i];
    }
}

static void trial_start(trial *t, truth_scene *scene) {
    t->scene = scene;
    for (int beside = 0; beside < COMPANIONS_COUNT; beside++) {
        for (size_t i = 0; i < scene->count; i++) {
            t->passes[beside][i] = pass_beside(t, (companions)beside, scene->entities[i]);
        }
    }
}

/* The large scenes would take most of the time. */
static bool is_large(const truth_setup *setup) {
    return setup->count == 1000;
}

/* The subject's term with these others; first or last, since the order of terms means nothing. */
static void try_beside(trial *t, const shoal_term *subject, companions beside) {
    shoal_term others[3];
    size_t count = companion_terms(beside, subject, others);
    if (beside != BESIDE_NOTHING && count == 0) {
        return;
    }
    const truth_setup *setup = &t->scene->setup;
    test_set_context(
        "%s, pattern %d, %zu entities, chunks of %zu, lacking %d: access %d, state %d, target %d, value %d, "
        "traverse %d, along %u, beside %d",
        setup->slot->def.name, (int)setup->pattern, setup->count, setup->chunk_bytes, setup->some_lack_it,
        (int)subject->access, (int)subject->state, !shoal_entity_is_null(subject->target),
        subject->value != NULL ? (int)((const Numbered *)subject->value)->number : -1, (int)subject->traverse,
        subject->along.id, (int)beside);
    t->subject = subject->access % 2 == 0 ? 0 : count;
    t->term_count = count + 1;
    memcpy(&t->terms[t->subject == 0], others, count * sizeof others[0]);
    t->terms[t->subject] = *subject;
    t->checks_values = beside == BESIDE_NOTHING || (beside == BESIDE_ALL && !is_large(setup));
    expect(t, subject, beside);
    check_query(t);
}

static void try_term(trial *t, const shoal_term *subject) {
    for (size_t i = 0; i < t->scene->count; i++) {
        t->is_there[i] = truth_term_is_there(t->scene, subject, t->scene->entities[i]);
    }
    bool is_short = subject->traverse != SHOAL_TRAVERSE_SELF || is_large(&t->scene->setup);
    for (int beside = 0; beside < COMPANIONS_COUNT; beside++) {
        if (!is_short || beside == BESIDE_NOTHING || beside >= BESIDE_ALL) {
            try_beside(t, subject, (companions)beside);
        }
    }
}

/* ---- all terms on one kind ---- */

/* What cannot be made is in the table of refusals. */
static bool can_be(const shoal_term *term) {
    bool takes_data = term->access != SHOAL_ACCESS_WITH && term->access != SHOAL_ACCESS_WITHOUT;
    bool is_tag_term = !takes_data || term->access == SHOAL_ACCESS_ANY_READ;
    if (truth_is_tag(term->component) && !is_tag_term) {
        return false;
    }
    return storage_of(term) != SHOAL_STORAGE_SHARED || !writes(term);
}

static void try_restrictions(trial *t, shoal_term term) {
    static const Numbered values[2] = {{1, ~UINT32_C(1)}, {77, ~UINT32_C(77)}};
    if (!can_be(&term)) {
        return;
    }
    try_term(t, &term);
    if (storage_of(&term) == SHOAL_STORAGE_RELATION) {
        term.target = t->scene->entities[1];
        try_term(t, &term);
    }
    if (storage_of(&term) == SHOAL_STORAGE_SHARED) {
        term.value = &values[0];
        try_term(t, &term);
        term.value = &values[1];
        try_term(t, &term);
    }
}

static void try_own(trial *t) {
    int state_count = t->scene->setup.slot->def.toggle ? 3 : 1;
    for (int access = SHOAL_ACCESS_READ; access <= SHOAL_ACCESS_ANY_WRITE; access++) {
        for (int state = 0; state < state_count; state++) {
            try_restrictions(t, (shoal_term){.component = t->scene->subject,
                                             .access = (shoal_access)access,
                                             .group = 7,
                                             .state = (shoal_state)state});
        }
    }
}

/* Up and down the trees; a toggle in either state, since test_query_rows.c has the others. */
static void try_traverse(trial *t) {
    static const shoal_access accesses[] = {SHOAL_ACCESS_WITH, SHOAL_ACCESS_WITHOUT, SHOAL_ACCESS_READ,
                                            SHOAL_ACCESS_OPTIONAL_READ, SHOAL_ACCESS_ANY_READ};
    const shoal_component_def *def = &t->scene->setup.slot->def;
    bool has_value = def->size != 0 && def->storage != SHOAL_STORAGE_BUFFER && def->storage != SHOAL_STORAGE_RELATION;
    for (size_t i = 0; i < 10 && def->storage != SHOAL_STORAGE_UNIQUE; i++) {
        shoal_term term = {.component = t->scene->subject,
                           .access = accesses[i / 2],
                           .state = def->toggle ? SHOAL_STATE_EITHER : SHOAL_STATE_ENABLED,
                           .traverse = SHOAL_TRAVERSE_UP,
                           .along = i % 2 == 0 ? (shoal_component){0} : SHOAL_ID(Under)};
        if (i < 4 || has_value) {
            try_term(t, &term);
        }
        term.traverse = SHOAL_TRAVERSE_DOWN;
        if (i < 4) {
            try_term(t, &term);
        }
    }
}

static const truth_setup setups[] = {
    {.count = 0},
    {.count = 1},
    {.count = 63},
    {.count = 64},
    {.count = 65},
    {.count = 127},
    {.count = 128},
    {.count = 129},
    {.count = 1000},
    {.count = 65, .chunk_bytes = 1024},
    {.count = 129, .chunk_bytes = 4096},
    {.count = 1000, .chunk_bytes = 1024},
    {.count = 129, .some_lack_it = true},
    {.count = 1000, .chunk_bytes = 4096, .some_lack_it = true},
};

static void try_kind(shoal_component_slot *slot) {
    static trial t;
    static truth_scene scene;
    for (size_t i = 0; i < sizeof setups / sizeof setups[0]; i++) {
        for (int pattern = 0; pattern < TRUTH_PATTERN_COUNT; pattern++) {
            truth_setup setup = setups[i];
            setup.slot = slot;
            setup.pattern = (truth_pattern)pattern;
            bool is_repeated = is_large(&setup) && setup.chunk_bytes != 0 && pattern != TRUTH_ALTERNATE;
            if (is_repeated || (setup.some_lack_it && !slot->def.toggle)) {
                continue;
            }
            truth_scene_start(&scene, &setup);
            trial_start(&t, &scene);
            try_own(&t);
            if (!is_large(&setup) || pattern == TRUTH_ALTERNATE) {
                try_traverse(&t);
            }
            test_set_context("%s", "");
            truth_scene_end(&scene);
        }
    }
}

static void test_table(void **state) {
    (void)state;
    try_kind(&shoal_slot_InTable);
}

static void test_tag(void **state) {
    (void)state;
    try_kind(&shoal_slot_InTag);
}

static void conf_D6_sparse(void **state) {
    (void)state;
    try_kind(&shoal_slot_InSparse);
}

static void conf_D6_sparse_tag(void **state) {
    (void)state;
    try_kind(&shoal_slot_InSparseTag);
}

static void conf_D6_stable_sparse(void **state) {
    (void)state;
    try_kind(&shoal_slot_InStable);
}

static void test_shared(void **state) {
    (void)state;
    try_kind(&shoal_slot_InShared);
}

static void test_chunk(void **state) {
    (void)state;
    try_kind(&shoal_slot_InChunk);
}

static void test_buffer(void **state) {
    (void)state;
    try_kind(&shoal_slot_InBuffer);
}

static void test_unique(void **state) {
    (void)state;
    try_kind(&shoal_slot_InUnique);
}

static void conf_D6_relation(void **state) {
    (void)state;
    try_kind(&shoal_slot_ToMany);
}

static void conf_D6_relation_with_data(void **state) {
    (void)state;
    try_kind(&shoal_slot_ToManyData);
}

static void conf_D6_exclusive_relation(void **state) {
    (void)state;
    try_kind(&shoal_slot_ToOneData);
}

static void conf_D6_toggle_table(void **state) {
    (void)state;
    try_kind(&shoal_slot_OnTable);
}

static void conf_D6_toggle_tag(void **state) {
    (void)state;
    try_kind(&shoal_slot_OnTag);
}

static void conf_D6_toggle_buffer(void **state) {
    (void)state;
    try_kind(&shoal_slot_OnBuffer);
}

static void test_cleanup_table(void **state) {
    (void)state;
    try_kind(&shoal_slot_LeftTable);
}

static void test_cleanup_tag(void **state) {
    (void)state;
    try_kind(&shoal_slot_LeftTag);
}

static void test_cleanup_buffer(void **state) {
    (void)state;
    try_kind(&shoal_slot_LeftBuffer);
}

static void conf_D6_toggle_that_stays_behind(void **state) {
    (void)state;
    try_kind(&shoal_slot_OnLeftTable);
}

/* ---- what cannot be made ---- */

static shoal_component_slot *const all_kinds[] = {
    &shoal_slot_InTable,  &shoal_slot_InTag,      &shoal_slot_InSparse,    &shoal_slot_InSparseTag,
    &shoal_slot_InStable, &shoal_slot_InShared,   &shoal_slot_InChunk,     &shoal_slot_InBuffer,
    &shoal_slot_InUnique, &shoal_slot_ToMany,     &shoal_slot_ToManyData,  &shoal_slot_ToOneData,
    &shoal_slot_OnTable,  &shoal_slot_OnTag,      &shoal_slot_OnBuffer,    &shoal_slot_LeftTable,
    &shoal_slot_LeftTag,  &shoal_slot_LeftBuffer, &shoal_slot_OnLeftTable, &shoal_slot_Under,
};

/* Whether query.h allows a term, member by member. */
static bool is_allowed(const shoal_term *term) {
    const shoal_component_def *def = shoal_component_info(term->component);
    bool is_up = term->traverse == SHOAL_TRAVERSE_UP;
    bool is_value = def->storage != SHOAL_STORAGE_BUFFER && def->storage != SHOAL_STORAGE_RELATION;
    bool is_presence = term->access == SHOAL_ACCESS_WITH || term->access == SHOAL_ACCESS_WITHOUT;
    const bool faults[] = {
        !can_be(term),
        term->state != SHOAL_STATE_ENABLED && !def->toggle,
        !shoal_entity_is_null(term->target) && def->storage != SHOAL_STORAGE_RELATION,
        term->value != NULL && def->storage != SHOAL_STORAGE_SHARED,
        is_up && (writes(term) || (gives_data(term) && !is_value)),
        term->traverse == SHOAL_TRAVERSE_DOWN && !is_presence,
        term->traverse != SHOAL_TRAVERSE_SELF && def->storage == SHOAL_STORAGE_UNIQUE,
        term->along.id != 0 && !shoal_component_info(term->along)->acyclic,
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (faults[i]) {
            return false;
        }
    }
    return true;
}

static void check_term(shoal_world *world, const shoal_term *term) {
    const shoal_component_def *def = shoal_component_info(term->component);
    test_set_context("%s: access %d, state %d, target %d, value %d, traverse %d, along %u", def->name,
                     (int)term->access, (int)term->state, !shoal_entity_is_null(term->target), term->value != NULL,
                     (int)term->traverse, term->along.id);
    shoal_query *query = shoal_query_create(world, &(shoal_query_def){.terms = term, .term_count = 1});
    assert_count(query != NULL, is_allowed(term));
    if (query == NULL) {
        assert_last_error(world, SHOAL_TERM_INVALID);
        assert_message_has(world, def->name);
    }
    assert_ok(shoal_query_destroy(query));
}

/* All that a term may say beside what and how: one restriction out of each, a bit each. */
static void check_restricted(shoal_world *world, shoal_term term, shoal_entity target) {
    static const Numbered value = {1, ~UINT32_C(1)};
    for (int bits = 0; bits < 12; bits++) {
        term.state = (shoal_state)(bits / 4);
        term.target = bits % 2 != 0 ? target : (shoal_entity){0};
        term.value = bits / 2 % 2 != 0 ? &value : NULL;
        check_term(world, &term);
    }
}

/* Along what a term looks for others. */
static void check_traversing(shoal_world *world, shoal_term term) {
    const shoal_component along[] = {{0}, SHOAL_ID(Under), SHOAL_ID(ToOneData), SHOAL_ID(InTable)};
    for (size_t i = 0; i < 8; i++) {
        term.traverse = i % 2 == 0 ? SHOAL_TRAVERSE_UP : SHOAL_TRAVERSE_DOWN;
        term.along = along[i / 2];
        check_term(world, &term);
    }
}

static void test_terms_that_cannot_be(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity target = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(InTable)));
    for (size_t i = 0; i < sizeof all_kinds / sizeof all_kinds[0]; i++) {
        for (int access = SHOAL_ACCESS_READ; access <= SHOAL_ACCESS_ANY_WRITE; access++) {
            shoal_term term = {.component = shoal_component_of(all_kinds[i]), .access = (shoal_access)access};
            check_restricted(f.world, term, target);
            check_traversing(f.world, term);
        }
    }
    const shoal_term odd[] = {
        {.component = SHOAL_ID(OnTable), .access = SHOAL_ACCESS_READ, .state = (shoal_state)9},
        {.component = SHOAL_ID(InTable), .access = (shoal_access)9},
        {.component = SHOAL_ID(InTable), .access = SHOAL_ACCESS_NONE},
        {.component = SHOAL_ID(InTable), .access = SHOAL_ACCESS_WITH, .traverse = (shoal_traverse)9}};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        assert_null(shoal_query_create(f.world, &(shoal_query_def){.terms = &odd[i], .term_count = 1}));
        assert_last_error(f.world, SHOAL_TERM_INVALID);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* A component twice, of every kind, whatever the two ask for; its own and an ancestor's are two things. */
static void test_a_component_twice(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (size_t i = 0; i < sizeof all_kinds / sizeof all_kinds[0]; i++) {
        for (int access = SHOAL_ACCESS_READ; access <= SHOAL_ACCESS_ANY_WRITE; access++) {
            shoal_component component = shoal_component_of(all_kinds[i]);
            bool has_state = shoal_component_info(component)->toggle;
            shoal_term terms[2] = {{.component = component, .access = SHOAL_ACCESS_WITH},
                                   {.component = component, .access = (shoal_access)access}};
            terms[1].state = has_state ? SHOAL_STATE_DISABLED : SHOAL_STATE_ENABLED;
            assert_null(shoal_query_create(f.world, &(shoal_query_def){.terms = terms, .term_count = 2}));
            assert_last_error(f.world, SHOAL_TERM_INVALID);
            assert_message_has(f.world, shoal_component_info(component)->name);
        }
    }
    const shoal_term own_and_up[] = {SHOAL_WRITE(InTable), SHOAL_UP(InTable)};
    assert_non_null(shoal_query_create(f.world, &(shoal_query_def){.terms = own_and_up, .term_count = 2}));
    fixture_end(&f);
}

/* A chunk none of whose rows match is none that matches. */
static void conf_D6_chunks_that_are_all_off(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    const shoal_term term = {.component = SHOAL_ID(OnTable), .access = SHOAL_ACCESS_WRITE};
    shoal_query *query = shoal_query_create(f.world, &(shoal_query_def){.terms = &term, .term_count = 1});
    size_t expected = 0;
    for (size_t i = 0; i < 1000; i++) {
        shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(OnTable)));
        bool is_off = i / 200 % 2 == 0;
        expected += !is_off;
        assert_ok(is_off ? shoal_disable(f.world, entity, SHOAL_ID(OnTable)) : SHOAL_OK);
    }
    size_t seen = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next_chunk(&view)) {
        size_t before = seen;
        SHOAL_ROWS(&view, row) {
            assert_true(shoal_is_enabled(f.world, view.entities[row], SHOAL_ID(OnTable)));
            seen++;
        }
        assert_true(seen > before);
    }
    assert_count(seen, expected);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_tag),
        cmocka_unit_test(conf_D6_sparse),
        cmocka_unit_test(conf_D6_sparse_tag),
        cmocka_unit_test(conf_D6_stable_sparse),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_chunk),
        cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(conf_D6_relation),
        cmocka_unit_test(conf_D6_relation_with_data),
        cmocka_unit_test(conf_D6_exclusive_relation),
        cmocka_unit_test(conf_D6_toggle_table),
        cmocka_unit_test(conf_D6_toggle_tag),
        cmocka_unit_test(conf_D6_toggle_buffer),
        cmocka_unit_test(test_cleanup_table),
        cmocka_unit_test(test_cleanup_tag),
        cmocka_unit_test(test_cleanup_buffer),
        cmocka_unit_test(conf_D6_toggle_that_stays_behind),
        cmocka_unit_test(conf_D6_chunks_that_are_all_off),
        cmocka_unit_test(test_terms_that_cannot_be),
        cmocka_unit_test(test_a_component_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
