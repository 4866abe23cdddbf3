/*
 * Definitions that are refused: each contradiction that system.h rules out, with its status and a message that names
 * the system. Nothing is added, and the world steps as before.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/steps.h"

#include <string.h>

typedef struct Total {
    int64_t value;
} Total;

typedef struct Letters {
    char text[8];
} Letters;

typedef struct Plain {
    int32_t value;
} Plain;

typedef Owned Held;

SHOAL_COMPONENT(Total, .storage = SHOAL_STORAGE_UNIQUE, .fields = SHOAL_FIELDS(SHOAL_FIELD(Total, value)))
SHOAL_COMPONENT(Letters, .storage = SHOAL_STORAGE_UNIQUE, .fields = SHOAL_FIELDS(SHOAL_FIELD_CHARS(Letters, text)))
SHOAL_COMPONENT(Plain, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_COMPONENT(Held, .storage = SHOAL_STORAGE_UNIQUE, .copy = owned_copy, .dtor = owned_dtor, .user = &boxed_tracker)

static shoal_status each_nothing(const shoal_run *run, shoal_view *view) {
    (void)run;
    (void)view;
    return SHOAL_OK;
}

static shoal_status once_nothing(const shoal_run *run) {
    (void)run;
    return SHOAL_OK;
}

static bool always(const shoal_run *run) {
    (void)run;
    return true;
}

static void merge_nothing(void *sum, const void *other, void *user) {
    (void)sum;
    (void)other;
    (void)user;
}

/* The definition is refused, and the world is as before. */
static void check_refused(const shoal_system_def *def, shoal_status expected, const char *file, int line) {
    steps s;
    steps_start(&s, NULL);
    if (shoal_system_add(s.world, def) != NULL) {
        print_error("%s:%d: the definition was taken\n", file, line);
        _fail(file, line);
    }
    test_check_error(s.world, expected, file, line);
    if (expected == SHOAL_SYSTEM_INVALID && def->name != NULL && strcmp(def->name, "refused") == 0) {
        test_check_message(s.world, "refused", file, line);
    }
    assert_count(steps_schedule(&s).systems, 0);
    assert_null(shoal_system_find(s.world, "refused"));
    steps_go(&s, 1);
    steps_end(&s);
}

#define REFUSED(expected, ...)                                                                                         \
    check_refused(&(shoal_system_def){.name = "refused", __VA_ARGS__}, SHOAL_##expected, __FILE__, __LINE__)
/* One with `each` and a term, and more. */
#define REFUSED_EACH(expected, ...)                                                                                    \
    REFUSED(expected, .each = each_nothing, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position))}, __VA_ARGS__)
#define REFUSED_ONCE(expected, ...) REFUSED(expected, .once = once_nothing, __VA_ARGS__)

static void refused_name(const char *name) {
    check_refused(&(shoal_system_def){.name = name, .once = once_nothing}, SHOAL_SYSTEM_INVALID, __FILE__, __LINE__);
}

static void test_names(void **state) {
    (void)state;
    char name[257];
    memset(name, 'n', 256);
    name[256] = '\0';
    refused_name(NULL);
    refused_name("");
    refused_name(name);
    refused_name("a\nb");
    refused_name("\x7f");
    refused_name("\xC3");
    refused_name("\xFF");
}

static void test_functions(void **state) {
    (void)state;
    REFUSED(SYSTEM_INVALID, .user = NULL);
    REFUSED_EACH(SYSTEM_INVALID, .once = once_nothing);
}

static void test_each_without_terms(void **state) {
    (void)state;
    REFUSED(SYSTEM_INVALID, .each = each_nothing);
}

static void test_what_belongs_to_each(void **state) {
    (void)state;
    REFUSED_ONCE(SYSTEM_INVALID, .serial = true);
    REFUSED_ONCE(SYSTEM_INVALID, .masked = true);
    REFUSED_ONCE(SYSTEM_INVALID, .block_rows = 64);
    REFUSED_ONCE(SYSTEM_INVALID, .reductions = SHOAL_REDUCTIONS(REDUCE(SUM, Total)));
}

static void test_exclusive_with_each(void **state) {
    (void)state;
    REFUSED_EACH(SYSTEM_INVALID, .exclusive = true);
}

static void test_block_rows(void **state) {
    (void)state;
    REFUSED_EACH(SYSTEM_INVALID, .block_rows = 3);
    REFUSED_EACH(SYSTEM_INVALID, .block_rows = 1000);
    REFUSED_EACH(SYSTEM_INVALID, .block_rows = 131072);
}

static void test_rates(void **state) {
    (void)state;
    REFUSED_ONCE(SYSTEM_INVALID, .every = 3, .offset = 3);
    REFUSED_ONCE(SYSTEM_INVALID, .offset = 1);
    REFUSED_ONCE(SYSTEM_INVALID, .every = 1, .offset = 1);
    REFUSED_ONCE(SYSTEM_INVALID, .every = 2, .period_ns = 1000);
    REFUSED_ONCE(SYSTEM_INVALID, .catch_up = 2);
}

static void test_memory(void **state) {
    (void)state;
    REFUSED_ONCE(SYSTEM_INVALID, .local_bytes = ((size_t)1 << 30) + 1);
    REFUSED_ONCE(SYSTEM_INVALID, .scratch_bytes = ((size_t)1 << 30) + 1);
}

static void test_lookups(void **state) {
    (void)state;
    REFUSED_ONCE(SYSTEM_INVALID, .lookups = SHOAL_TERMS(SHOAL_WITHOUT(Health)));
    REFUSED_ONCE(SYSTEM_INVALID, .lookups = SHOAL_TERMS(SHOAL_OPTIONAL(Health)));
    REFUSED_ONCE(SYSTEM_INVALID, .lookups = SHOAL_TERMS(SHOAL_ANY(1, Health)));
    REFUSED_ONCE(COMPONENT_INVALID, .lookups = SHOAL_TERMS({.access = SHOAL_ACCESS_READ}));
    REFUSED_ONCE(COMPONENT_INVALID, .lookups = SHOAL_TERMS({.component = {60000}, .access = SHOAL_ACCESS_READ}));
}

static void test_condition_reads(void **state) {
    (void)state;
    REFUSED_ONCE(SYSTEM_INVALID, .condition = always, .condition_reads = SHOAL_TERMS(SHOAL_WRITE(Health)));
    REFUSED_ONCE(SYSTEM_INVALID, .condition = always, .condition_reads = SHOAL_TERMS(SHOAL_WITHOUT(Health)));
    REFUSED_ONCE(SYSTEM_INVALID, .condition_reads = SHOAL_TERMS(SHOAL_READ(Health)));
    REFUSED_ONCE(COMPONENT_INVALID, .condition = always, .condition_reads = SHOAL_TERMS({.access = SHOAL_ACCESS_READ}));
}

static void test_queries(void **state) {
    (void)state;
    REFUSED(TERM_INVALID, .each = each_nothing,
            .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position), SHOAL_WRITE(Position))});
    REFUSED(TERM_INVALID, .each = each_nothing, .query = {.terms = SHOAL_TERMS(SHOAL_READ(Frozen))});
    REFUSED(TEXT_INVALID, .each = each_nothing, .query = {.text = "write write"});
    REFUSED(COMPONENT_INVALID, .each = each_nothing, .query = {.terms = SHOAL_TERMS({.access = SHOAL_ACCESS_READ})});
}

static void test_reductions(void **state) {
    (void)state;
    REFUSED_EACH(SYSTEM_INVALID, .reductions = SHOAL_REDUCTIONS(REDUCE(NONE, Total)));
    REFUSED_EACH(SYSTEM_INVALID, .reductions = SHOAL_REDUCTIONS(REDUCE(USER, Total)));
    REFUSED_EACH(SYSTEM_INVALID, .reductions = SHOAL_REDUCTIONS(REDUCE(SUM, Health)));
    REFUSED_EACH(SYSTEM_INVALID, .reductions = SHOAL_REDUCTIONS(REDUCE(SUM, Letters)));
    REFUSED_EACH(SYSTEM_INVALID, .reductions = SHOAL_REDUCTIONS(REDUCE(MAX, Plain)));
    REFUSED_EACH(SYSTEM_INVALID,
                 .reductions = SHOAL_REDUCTIONS({SHOAL_ID(Held), SHOAL_REDUCE_USER, NULL, merge_nothing}));
    REFUSED_EACH(COMPONENT_INVALID, .reductions = SHOAL_REDUCTIONS({.kind = SHOAL_REDUCE_SUM}));
}

static void test_lists_without_elements(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    const shoal_system_def defs[] = {
        {.name = "refused", .once = once_nothing, .before_count = 1},
        {.name = "refused", .once = once_nothing, .after_count = 1},
        {.name = "refused", .once = once_nothing, .after_unsynced_count = 1},
        {.name = "refused", .once = once_nothing, .acknowledge_count = 1},
        {.name = "refused", .once = once_nothing, .lookup_count = 1},
        {.name = "refused", .once = once_nothing, .condition = always, .condition_read_count = 1},
    };
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; i++) {
        test_set_context("definition %zu", i);
        assert_null(shoal_system_add(s.world, &defs[i]));
        shoal_status status = shoal_last_error(s.world).status;
        assert_true(status == SHOAL_SYSTEM_INVALID || status == SHOAL_INVALID_ARGUMENT);
    }
    test_set_context("%s", "");
    steps_end(&s);
}

static void test_phases(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    const shoal_phase_def invalid[] = {{.after = "update"},
                                       {.name = "", .after = "update"},
                                       {.name = "x"},
                                       {.name = "x", .after = "update", .before = "output"},
                                       {.name = "a\tb", .after = "update"}};
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        test_set_context("definition %zu", i);
        assert_status(shoal_phase_add(s.world, &invalid[i]), SHOAL_SYSTEM_INVALID);
    }
    test_set_context("%s", "");
    assert_status(shoal_phase_add(s.world, &(shoal_phase_def){.name = "update", .after = "input"}),
                  SHOAL_SYSTEM_EXISTS);
    assert_status(shoal_phase_add(s.world, &(shoal_phase_def){.name = "x", .after = "nowhere"}), SHOAL_SYSTEM_MISSING);
    assert_message_has(s.world, "nowhere");
    assert_status(shoal_phase_add(s.world, NULL), SHOAL_INVALID_ARGUMENT);
    assert_ok(shoal_phase_add(s.world, &(shoal_phase_def){.name = "x", .after = "update"}));
    assert_status(shoal_phase_add(s.world, &(shoal_phase_def){.name = "x", .before = "update"}), SHOAL_SYSTEM_EXISTS);
    steps_end(&s);
}

static void test_messages_differ(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    const shoal_system_def defs[] = {
        {.name = "refused"},
        {.name = "refused", .once = once_nothing, .every = 2, .offset = 2},
        {.name = "refused", .once = once_nothing, .block_rows = 64},
        {.name = "refused", .once = once_nothing, .local_bytes = SIZE_MAX},
        {.name = "refused", .once = once_nothing, .exclusive = true, .catch_up = 1},
    };
    enum { COUNT = sizeof defs / sizeof defs[0] };
    char messages[COUNT][256] = {{0}};
    for (size_t i = 0; i < COUNT; i++) {
        assert_null(shoal_system_add(s.world, &defs[i]));
        strncpy(messages[i], shoal_last_error(s.world).message, sizeof messages[i] - 1);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(messages[i], messages[k]);
        }
    }
    steps_end(&s);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_each_without_terms),
        cmocka_unit_test(test_what_belongs_to_each),
        cmocka_unit_test(test_exclusive_with_each),
        cmocka_unit_test(test_block_rows),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_lookups),
        cmocka_unit_test(test_condition_reads),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_lists_without_elements),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_messages_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
