/*
 * Queries that sort: by every number kind, by compare functions, by values of every kind that has a key; what is
 * compared when nothing or little has changed; what open views go by. Groups are in test_query_groups.c. Conformance D2
 * and D7.
 */
#include "test_query_order.h"

#include <float.h>
#include <math.h>

typedef struct KeysPart {
    uint32_t other;
    float weight;
} KeysPart;

/* A field of every number kind; `name` and `list` are none to sort by. */
typedef struct Keys {
    uint64_t u64;
    int64_t i64;
    double f64;
    float f32;
    int32_t i32;
    uint32_t u32;
    int16_t i16;
    uint16_t u16;
    KeysPart part;
    int8_t i8;
    uint8_t u8;
    bool flag;
    char name[5];
    uint32_t list[2];
    shoal_entity link;
} Keys;

typedef struct Rank {
    int32_t value;
} Rank;

typedef struct Sparseness {
    int32_t value;
} Sparseness;

typedef struct Team {
    int32_t value;
} Team;

typedef struct Power {
    int32_t value;
} Power;

/* What has no key to sort by. */
typedef Rank Area, Trail, Clock, Holds;

SHOAL_COMPONENT(Keys, .fields = SHOAL_FIELDS(SHOAL_FIELD(Keys, u64), SHOAL_FIELD(Keys, i64), SHOAL_FIELD(Keys, f64),
                                             SHOAL_FIELD(Keys, f32), SHOAL_FIELD(Keys, i32), SHOAL_FIELD(Keys, u32),
                                             SHOAL_FIELD(Keys, i16), SHOAL_FIELD(Keys, u16),
                                             SHOAL_FIELD_NESTED(Keys, part, SHOAL_FIELD(KeysPart, other),
                                                                SHOAL_FIELD(KeysPart, weight)),
                                             SHOAL_FIELD(Keys, i8), SHOAL_FIELD(Keys, u8), SHOAL_FIELD(Keys, flag),
                                             SHOAL_FIELD_CHARS(Keys, name), SHOAL_FIELD_ARRAY(Keys, list),
                                             SHOAL_FIELD(Keys, link)))
SHOAL_COMPONENT(Rank, .fields = SHOAL_FIELDS(SHOAL_FIELD(Rank, value)))
SHOAL_COMPONENT(Sparseness, .storage = SHOAL_STORAGE_SPARSE, .fields = SHOAL_FIELDS(SHOAL_FIELD(Sparseness, value)))
SHOAL_COMPONENT(Team, .storage = SHOAL_STORAGE_SHARED, .fields = SHOAL_FIELDS(SHOAL_FIELD(Team, value)))
SHOAL_COMPONENT(Power, .toggle = true, .fields = SHOAL_FIELDS(SHOAL_FIELD(Power, value)))
SHOAL_TAG(Asleep, .toggle = true)
SHOAL_COMPONENT(Area, .storage = SHOAL_STORAGE_CHUNK)
SHOAL_COMPONENT(Trail, .storage = SHOAL_STORAGE_BUFFER)
SHOAL_COMPONENT(Clock, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_RELATION_DATA(Holds)

/* ---- number fields ---- */

static double read_float(const shoal_field *field, const void *value) {
    float number = 0;
    double wide = 0;
    memcpy(field->size == sizeof number ? (void *)&number : (void *)&wide, value, field->size);
    return field->size == sizeof number ? (double)number : wide;
}

/* NaN is behind all numbers, beside other NaNs. */
static int compare_floats(double a, double b) {
    bool a_is_number = a == a;
    bool b_is_number = b == b;
    if (!a_is_number || !b_is_number) {
        return a_is_number ? -1 : b_is_number ? 1 : 0;
    }
    return (a > b) - (a < b);
}

static int64_t read_signed(const shoal_field *field, const void *value) {
    switch (field->kind) {
    case SHOAL_FIELD_I8:
        return *(const int8_t *)value;
    case SHOAL_FIELD_I16:
        return *(const int16_t *)value;
    case SHOAL_FIELD_I32:
        return *(const int32_t *)value;
    default:
        return *(const int64_t *)value;
    }
}

static uint64_t read_unsigned(const shoal_field *field, const void *value) {
    switch (field->kind) {
    case SHOAL_FIELD_BOOL:
        return *(const bool *)value;
    case SHOAL_FIELD_U8:
        return *(const uint8_t *)value;
    case SHOAL_FIELD_U16:
        return *(const uint16_t *)value;
    case SHOAL_FIELD_U32:
        return *(const uint32_t *)value;
    default:
        return *(const uint64_t *)value;
    }
}

static int compare_field(const order_rule *rule, shoal_entity a, shoal_entity b) {
    const shoal_field *field = rule->field;
    const char *left = (const char *)SHOAL_GET(rule->world, a, Keys) + field->offset;
    const char *right = (const char *)SHOAL_GET(rule->world, b, Keys) + field->offset;
    if (field->kind == SHOAL_FIELD_F32 || field->kind == SHOAL_FIELD_F64) {
        return compare_floats(read_float(field, left), read_float(field, right));
    }
    bool is_signed = field->kind == SHOAL_FIELD_I8 || field->kind == SHOAL_FIELD_I16 ||
                     field->kind == SHOAL_FIELD_I32 || field->kind == SHOAL_FIELD_I64;
    if (is_signed) {
        return (read_signed(field, left) > read_signed(field, right)) -
               (read_signed(field, left) < read_signed(field, right));
    }
    return (read_unsigned(field, left) > read_unsigned(field, right)) -
           (read_unsigned(field, left) < read_unsigned(field, right));
}

/* Extremes, small numbers of both signs (so that many are equal), and any others. */
static Keys random_keys(rng *random) {
    static const double doubles[] = {0.0, -0.0, 1.5, -1.5, DBL_MAX, -DBL_MAX, DBL_MIN, -DBL_MIN, 5e-324, 1e300};
    static const float floats[] = {0.0f, -0.0f, 2.25f, -2.25f, FLT_MAX, -FLT_MAX, FLT_MIN, 1e-45f, -1e-45f, 7.0f};
    static const uint64_t wholes[] = {0, 1, UINT64_MAX, UINT64_MAX / 2, UINT64_MAX / 2 + 1, 7, 0x8080808080808080u};
    uint64_t bits = rng_chance(random, 70) ? wholes[rng_below(random, 7)] : rng_next(random);
    double f64 = rng_chance(random, 20) ? (double)NAN : doubles[rng_below(random, 10)];
    f64 = rng_chance(random, 5) ? (rng_chance(random, 50) ? (double)INFINITY : -(double)INFINITY) : f64;
    float f32 = rng_chance(random, 20) ? -(float)NAN : floats[rng_below(random, 10)];
    f32 = rng_chance(random, 5) ? (rng_chance(random, 50) ? (float)INFINITY : -(float)INFINITY) : f32;
    return (Keys){.u64 = bits,
                  .i64 = (int64_t)bits,
                  .f64 = f64,
                  .f32 = f32,
                  .i32 = (int32_t)(uint32_t)bits,
                  .u32 = (uint32_t)bits,
                  .i16 = (int16_t)(uint16_t)bits,
                  .u16 = (uint16_t)bits,
                  .part = {.weight = f32},
                  .i8 = (int8_t)(uint8_t)bits,
                  .u8 = (uint8_t)bits,
                  .flag = bits % 2 != 0};
}

/* A field by its path; the nested one with the offset from the start of the component. */
static shoal_field field_of(const char *path) {
    const shoal_component_def *def = shoal_component_info(SHOAL_ID(Keys));
    for (size_t i = 0; i < def->field_count; i++) {
        if (strcmp(def->fields[i].name, path) == 0) {
            return def->fields[i];
        }
    }
    assert_string_equal(path, "part.weight");
    return (shoal_field){
        .kind = SHOAL_FIELD_F32, .offset = offsetof(Keys, part) + offsetof(KeysPart, weight), .size = sizeof(float)};
}

static void check_field(fixture *f, const char *path, bool descending, shoal_entity *entities, size_t count) {
    const shoal_term term = SHOAL_READ(Keys);
    const shoal_query_def def = {
        .terms = &term, .term_count = 1, .order_by = SHOAL_ID(Keys), .order_field = path, .descending = descending};
    const shoal_field field = field_of(path);
    const order_rule rule = {.world = f->world, .compare = compare_field, .descending = descending, .field = &field};
    shoal_query *ordered = make_query_of(f->world, &def);
    shoal_query *plain = make_plain(f->world, &def);
    rng random = {17};
    for (int round = 0; round < 4; round++) {
        test_set_context("by %s, descending %d, round %d", path, descending, round);
        check_sorted(ordered, plain, &rule);
        for (int i = 0; i < (round == 0 ? 1 : 40); i++) {
            *SHOAL_GET_MUT(f->world, entities[rng_below(&random, (uint32_t)count)], Keys) = random_keys(&random);
        }
    }
    test_set_context("%s", "");
    assert_ok(shoal_query_destroy(ordered));
    assert_ok(shoal_query_destroy(plain));
}

static void test_every_number_field(void **state) {
    (void)state;
    static const char *const paths[] = {"u64", "i64", "f64", "f32", "i32",         "u32",
                                        "i16", "u16", "i8",  "u8",  "part.weight", "flag"};
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    shoal_entity entities[257];
    rng random = {1};
    for (size_t i = 0; i < 257; i++) {
        Keys keys = random_keys(&random);
        const shoal_value values[] = {{SHOAL_ID(Keys), &keys}, SHOAL_DEFAULT(Frozen)};
        entities[i] = spawn_one(f.world, values, 1 + i % 2);
    }
    for (size_t i = 0; i < 2 * sizeof paths / sizeof paths[0]; i++) {
        check_field(&f, paths[i / 2], i % 2 != 0, entities, 257);
    }
    fixture_end(&f);
}

/* ---- compare functions ---- */

/* Counts its calls; the keys are ints. */
static int compare_ints(const void *a, const void *b, void *user) {
    size_t *calls = user;
    int32_t left = *(const int32_t *)a;
    int32_t right = *(const int32_t *)b;
    ++*calls;
    return left < right ? -7 : left > right;
}

static int32_t rank_of(const shoal_world *world, shoal_entity entity) {
    return SHOAL_GET(world, entity, Rank)->value;
}

static int by_rank(const order_rule *rule, shoal_entity a, shoal_entity b) {
    return (rank_of(rule->world, a) > rank_of(rule->world, b)) - (rank_of(rule->world, a) < rank_of(rule->world, b));
}

static int by_sparseness(const order_rule *rule, shoal_entity a, shoal_entity b) {
    int32_t left = SHOAL_GET(rule->world, a, Sparseness)->value;
    int32_t right = SHOAL_GET(rule->world, b, Sparseness)->value;
    return (left > right) - (left < right);
}

static int by_team(const order_rule *rule, shoal_entity a, shoal_entity b) {
    int32_t left = SHOAL_GET(rule->world, a, Team)->value;
    int32_t right = SHOAL_GET(rule->world, b, Team)->value;
    return (left > right) - (left < right);
}

/* A sorting query of each way that tests go through. */
typedef struct sorted_case {
    shoal_term terms[3];
    size_t term_count;
    shoal_component key;
    int (*compare)(const order_rule *rule, shoal_entity a, shoal_entity b);
    bool descending;
    size_t calls; /* of compare_ints() */
    shoal_query *by_compare;
    shoal_query *by_field;
    shoal_query *plain;
} sorted_case;

enum { SORTED_CASES = 8 };

static void sorted_cases_make(shoal_world *world, sorted_case *cases) {
    const sorted_case all[SORTED_CASES] = {
        {.terms = {SHOAL_WRITE(Rank)}, .term_count = 1, .key = SHOAL_ID(Rank), .compare = by_rank},
        {.terms = {SHOAL_READ(Rank), SHOAL_WITH(Asleep)}, .term_count = 2, .key = SHOAL_ID(Rank), .compare = by_rank},
        {.terms = {SHOAL_READ(Rank), SHOAL_READ(Sparseness), SHOAL_WITHOUT(Frozen)},
         .term_count = 3,
         .key = SHOAL_ID(Sparseness),
         .compare = by_sparseness},
        {.terms = {SHOAL_READ(Sparseness)}, .term_count = 1, .key = SHOAL_ID(Sparseness), .compare = by_sparseness},
        {.terms = {SHOAL_READ(Team), SHOAL_READ(Rank)}, .term_count = 2, .key = SHOAL_ID(Team), .compare = by_team},
        {.terms = {SHOAL_READ(Team), SHOAL_WITH(Sparseness), SHOAL_WITHOUT(Asleep)},
         .term_count = 3,
         .key = SHOAL_ID(Team),
         .compare = by_team},
        {.terms = {SHOAL_READ(Rank), SHOAL_ANY(1, Asleep), SHOAL_ANY(1, Sparseness)},
         .term_count = 3,
         .key = SHOAL_ID(Rank),
         .compare = by_rank},
        {.terms = {SHOAL_WITH(Rank), SHOAL_OPTIONAL(Health)},
         .term_count = 2,
         .key = SHOAL_ID(Rank),
         .compare = by_rank},
    };
    for (size_t i = 0; i < SORTED_CASES; i++) {
        cases[i] = all[i];
        cases[i].descending = i % 3 == 1;
        shoal_query_def def = {.terms = cases[i].terms,
                               .term_count = cases[i].term_count,
                               .order_by = cases[i].key,
                               .compare = compare_ints,
                               .compare_user = &cases[i].calls,
                               .descending = cases[i].descending};
        cases[i].by_compare = make_query_of(world, &def);
        cases[i].plain = make_plain(world, &def);
        def.compare = NULL;
        def.order_field = "value";
        cases[i].by_field = make_query_of(world, &def);
    }
}

static void sorted_case_check(const shoal_world *world, const sorted_case *item) {
    const order_rule rule = {.world = world, .compare = item->compare, .descending = item->descending};
    check_sorted(item->by_compare, item->plain, &rule);
    check_sorted(item->by_field, item->plain, &rule);
}

/* One with all that the cases ask for; ranks are few, so that many are equal. */
static shoal_entity spawn_sorted(shoal_world *world, rng *random) {
    const Rank rank = {(int32_t)rng_below(random, 9)};
    const Team team = {(int32_t)rng_below(random, 4)};
    const Sparseness sparseness = {-(int32_t)rng_below(random, 30)};
    const shoal_value values[] = {{SHOAL_ID(Rank), &rank},
                                  {SHOAL_ID(Asleep), NULL},
                                  {SHOAL_ID(Team), &team},
                                  {SHOAL_ID(Sparseness), &sparseness},
                                  {SHOAL_ID(Frozen), NULL}};
    shoal_entity entity = spawn_one(world, values, 3 + rng_below(random, 3));
    assert_ok(rng_chance(random, 40) ? shoal_disable(world, entity, SHOAL_ID(Asleep)) : SHOAL_OK);
    return entity;
}

/* Changes a key, what a filter looks at, or which archetype a row is in. */
static void change_sorted(shoal_world *world, shoal_entity *entity, rng *random) {
    int32_t number = (int32_t)rng_below(random, 9);
    switch (rng_below(random, 10)) {
    case 0:
        assert_ok(shoal_destroy(world, *entity));
        *entity = spawn_sorted(world, random);
        break;
    case 1:
    case 2:
        *SHOAL_GET_MUT(world, *entity, Rank) = (Rank){number};
        break;
    case 3:
        assert_ok(SHOAL_SET(world, *entity, Team, number % 4));
        break;
    case 4:
        assert_ok(SHOAL_ADD(world, *entity, Sparseness, -number));
        break;
    case 5:
        assert_ok(shoal_remove(world, *entity, SHOAL_ID(Sparseness)));
        break;
    case 6:
        assert_ok(shoal_add(world, *entity, SHOAL_ID(Frozen), NULL));
        break;
    case 7:
        assert_ok(shoal_remove(world, *entity, SHOAL_ID(Frozen)));
        break;
    default:
        assert_ok(number % 2 == 0 ? shoal_enable(world, *entity, SHOAL_ID(Asleep))
                                  : shoal_disable(world, *entity, SHOAL_ID(Asleep)));
    }
}

/* Also what is between: single changes, which mend the order, and many, after which all is sorted anew. */
static void test_random_changes(void **state) {
    (void)state;
    static const shoal_world_def defs[] = {{.name = "grows"}, {.pinned_chunk_bytes = 1024}, {.move_rows = true}};
    for (size_t d = 0; d < 3; d++) {
        fixture f;
        fixture_start(&f, &defs[d]);
        sorted_case cases[SORTED_CASES];
        sorted_cases_make(f.world, cases);
        shoal_entity entities[300];
        rng random = {d + 40};
        for (size_t i = 0; i < 300; i++) {
            entities[i] = spawn_sorted(f.world, &random);
        }
        for (int round = 0; round < 80; round++) {
            for (size_t i = 0; i < SORTED_CASES; i++) {
                test_set_context("world %zu, round %d, case %zu", d, round, i);
                sorted_case_check(f.world, &cases[i]);
            }
            for (uint32_t i = rng_below(&random, round % 2 == 0 ? 2 : 40); i != UINT32_MAX; i--) {
                change_sorted(f.world, &entities[rng_below(&random, 300)], &random);
            }
            assert_valid(f.world);
        }
        test_set_context("%s", "");
        fixture_end(&f);
    }
}

static void test_equal_keys_keep_their_order(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    const shoal_term term = SHOAL_READ(Rank);
    for (int descending = 0; descending < 2; descending++) {
        const shoal_query_def def = {.terms = &term,
                                     .term_count = 1,
                                     .order_by = SHOAL_ID(Rank),
                                     .order_field = "value",
                                     .descending = descending != 0};
        static row_list rows;
        static row_list plain;
        for (int i = 0; i < 200; i++) {
            spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Rank, 5)));
        }
        rows_take(&rows, make_query_of(f.world, &def));
        rows_take(&plain, make_plain(f.world, &def));
        assert_count(rows.count, plain.count);
        assert_memory_equal(rows.entities, plain.entities, rows.count * sizeof rows.entities[0]);
    }
    fixture_end(&f);
}

/* ---- what is compared ---- */

/* How often a case's function is called in the next pass. */
static size_t calls_of_pass(sorted_case *item) {
    item->calls = 0;
    pass_over(item->by_compare);
    return item->calls;
}

/* Something that changes no key and no row of the cases. */
static void change_something_else(shoal_world *world, const shoal_entity *entities, size_t number) {
    switch (number) {
    case 0: /* another column, through pointers and through shoal_set() */
        for (size_t i = 0; i < 300; i++) {
            SHOAL_GET_MUT(world, entities[i], Health)->value += 1;
            assert_ok(SHOAL_SET(world, entities[i], Power, 4));
        }
        break;
    case 1: /* the enable bits of something else */
        for (size_t i = 0; i < 300; i += 2) {
            assert_ok(shoal_disable(world, entities[i], SHOAL_ID(Power)));
        }
        break;
    case 2: /* rows elsewhere: more, fewer, moved, trimmed */
        for (int i = 0; i < 100; i++) {
            shoal_entity entity = spawn_one(world, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
            assert_ok(shoal_add(world, entity, SHOAL_ID(Velocity), NULL));
            assert_ok(i % 2 == 0 ? shoal_destroy(world, entity) : SHOAL_OK);
        }
        assert_ok(shoal_world_trim(world, 0, NULL));
        break;
    case 3: /* what does not move a row */
        assert_ok(shoal_relate(world, entities[7], SHOAL_ID(Holds), entities[9], NULL));
        assert_ok(shoal_set_parent(world, entities[3], entities[4]));
        assert_ok(shoal_set_name(world, entities[5], "five"));
        assert_ok(shoal_unique_set(world, SHOAL_ID(Clock), NULL));
        shoal_world_next_tick(world);
        break;
    case 4: /* keys with the value that they have */
        for (size_t i = 0; i < 300; i++) {
            Rank rank = *SHOAL_GET(world, entities[i], Rank);
            assert_ok(shoal_set(world, entities[i], SHOAL_ID(Rank), &rank));
            Sparseness sparseness = *SHOAL_GET(world, entities[i], Sparseness);
            assert_ok(shoal_set(world, entities[i], SHOAL_ID(Sparseness), &sparseness));
            Team team = *SHOAL_GET(world, entities[i], Team);
            assert_ok(shoal_set(world, entities[i], SHOAL_ID(Team), &team));
        }
        break;
    default: /* nothing at all */
        break;
    }
}

static void spawn_many_sorted(shoal_world *world, shoal_entity *entities, size_t count, rng *random) {
    for (size_t i = 0; i < count; i++) {
        const shoal_value values[] = {SHOAL_VALUE(Rank, (int32_t)rng_below(random, 50)),
                                      SHOAL_VALUE(Sparseness, (int32_t)rng_below(random, 500)),
                                      SHOAL_VALUE(Team, (int32_t)rng_below(random, 5)),
                                      SHOAL_DEFAULT(Asleep),
                                      SHOAL_DEFAULT(Power),
                                      SHOAL_DEFAULT(Health)};
        entities[i] = spawn_one(world, values, 6);
        assert_ok(i % 3 == 0 ? shoal_disable(world, entities[i], SHOAL_ID(Asleep)) : SHOAL_OK);
    }
}

static void conf_D7_nothing_is_compared_twice(void **state) {
    (void)state;
    static const shoal_world_def defs[] = {{.name = "grows"}, {.pinned_chunk_bytes = 1024}};
    for (size_t d = 0; d < 2; d++) {
        fixture f;
        fixture_start(&f, &defs[d]);
        sorted_case cases[SORTED_CASES];
        sorted_cases_make(f.world, cases);
        shoal_entity entities[300];
        rng random = {77};
        spawn_many_sorted(f.world, entities, 300, &random);
        for (size_t i = 0; i < SORTED_CASES; i++) {
            assert_true(calls_of_pass(&cases[i]) > 0);
        }
        for (size_t number = 0; number < 6; number++) {
            change_something_else(f.world, entities, number);
            for (size_t i = 0; i < SORTED_CASES; i++) {
                test_set_context("world %zu, change %zu, case %zu", d, number, i);
                assert_count(calls_of_pass(&cases[i]), 0);
                sorted_case_check(f.world, &cases[i]);
            }
        }
        SHOAL_GET_MUT(f.world, entities[150], Rank)->value = 49;
        SHOAL_GET_MUT(f.world, entities[151], Rank)->value = -1;
        assert_true(calls_of_pass(&cases[0]) > 0);
        sorted_case_check(f.world, &cases[0]);
        test_set_context("%s", "");
        fixture_end(&f);
    }
}

static size_t log_two(size_t number) {
    size_t result = 0;
    for (; number > 1; number = (number + 1) / 2) {
        result++;
    }
    return result;
}

/* k keys cost k to be sorted and a merge with the rest, not a sort of all. */
static void conf_D7_few_keys_cost_little(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    static const size_t changed[] = {1, 2, 5, 20, 100, 700, COUNT};
    fixture f;
    fixture_start(&f, NULL);
    sorted_case cases[SORTED_CASES];
    sorted_cases_make(f.world, cases);
    static shoal_entity entities[COUNT];
    rng random = {3};
    spawn_many_sorted(f.world, entities, COUNT, &random);
    assert_at_most(calls_of_pass(&cases[0]), COUNT * (log_two(COUNT) + 1));
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++) {
        test_set_context("%zu keys", changed[i]);
        for (size_t k = 0; k < changed[i]; k++) {
            Rank *rank = SHOAL_GET_MUT(f.world, entities[(k * 997 + i) % COUNT], Rank);
            rank->value = (rank->value + 1 + (int32_t)rng_below(&random, 48)) % 50;
        }
        size_t calls = calls_of_pass(&cases[0]);
        assert_true(calls > 0);
        assert_at_most(calls, changed[i] * (log_two(changed[i]) + 1) + COUNT);
        sorted_case_check(f.world, &cases[0]);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* ---- archetypes that go and come ---- */

static void conf_D2_sorted_rows_go_and_come(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    sorted_case cases[SORTED_CASES];
    sorted_cases_make(f.world, cases);
    shoal_entity entities[150];
    rng random = {12};
    for (int round = 0; round < 4; round++) {
        size_t count = round % 2 == 0 ? 150 : 1;
        spawn_many_sorted(f.world, entities, count, &random);
        assert_ok(shoal_enable(f.world, entities[0], SHOAL_ID(Asleep)));
        for (size_t i = 0; i < SORTED_CASES; i++) {
            test_set_context("round %d, case %zu", round, i);
            sorted_case_check(f.world, &cases[i]);
            bool wants_others = i == 5; /* those that are not asleep */
            assert_count(shoal_query_count(cases[i].by_compare) != 0, count > 1 || !wants_others);
        }
        assert_ok(shoal_destroy_many(f.world, entities, count));
        assert_ok(round < 2 ? SHOAL_OK : shoal_world_trim(f.world, 0, NULL));
        for (size_t i = 0; i < SORTED_CASES; i++) {
            assert_count(calls_of_pass(&cases[i]), 0);
            assert_count(shoal_query_count(cases[i].by_field), 0);
            assert_true(shoal_entity_is_null(shoal_query_first(cases[i].by_field)));
            sorted_case_check(f.world, &cases[i]);
        }
        assert_valid(f.world);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* ---- open views ---- */

/* Keys that change while a view is open change the order of the next one. */
static void test_views_of_an_ordered_query_nest(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 1024});
    sorted_case cases[SORTED_CASES];
    sorted_cases_make(f.world, cases);
    shoal_entity entities[100];
    rng random = {4};
    spawn_many_sorted(f.world, entities, 100, &random);
    for (size_t i = 0; i < SORTED_CASES; i++) {
        test_set_context("case %zu", i);
        static row_list before;
        rows_take(&before, cases[i].by_compare);
        size_t rows = 0;
        shoal_view outer;
        assert_ok(shoal_view_begin(&outer, cases[i].by_compare));
        while (shoal_view_next(&outer)) {
            for (size_t row = 0; row < outer.count; row++, rows++) {
                assert_entity(outer.entities[row], before.entities[rows]);
                SHOAL_GET_MUT(f.world, outer.entities[row], Rank)->value = (int32_t)rng_below(&random, 50);
                SHOAL_GET_MUT(f.world, outer.entities[row], Sparseness)->value = (int32_t)rng_below(&random, 50);
            }
            assert_count(pass_over(cases[i].by_compare), before.count);
            assert_count(shoal_query_count(cases[i].by_compare), before.count);
        }
        assert_count(rows, before.count);
        assert_null(shoal_world_lock_holder(f.world));
        sorted_case_check(f.world, &cases[i]);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* A view that sorts goes by the bits as they were when it was begun; the next one by those of then. */
static void test_rows_turned_off_under_an_ordered_view(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entities[20];
    for (int32_t i = 0; i < 20; i++) {
        entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Power, i * 7 % 20)));
    }
    const shoal_term term = SHOAL_READ(Power);
    shoal_query *query = make_query_of(
        f.world,
        &(shoal_query_def){.terms = &term, .term_count = 1, .order_by = SHOAL_ID(Power), .order_field = "value"});
    size_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < 20 && rows == 0; i++) {
            bool is_late = SHOAL_GET(f.world, entities[i], Power)->value >= 15;
            assert_ok(is_late ? shoal_disable(f.world, entities[i], SHOAL_ID(Power)) : SHOAL_OK);
        }
        rows += view.count;
    }
    assert_count(rows, 20);
    assert_count(shoal_query_count(query), 15);
    assert_count(pass_over(query), 15);
    fixture_end(&f);
}

static void test_ordered_views_end_in_the_middle(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    sorted_case cases[SORTED_CASES];
    sorted_cases_make(f.world, cases);
    shoal_entity entities[100];
    rng random = {4};
    spawn_many_sorted(f.world, entities, 100, &random);
    for (size_t i = 0; i < SORTED_CASES; i++) {
        test_set_context("case %zu", i);
        shoal_view view;
        assert_ok(shoal_view_begin(&view, cases[i].by_compare));
        assert_true(shoal_view_next(&view));
        shoal_view_end(&view);
        assert_false(shoal_view_next(&view));
        assert_null(shoal_world_lock_holder(f.world));
        spawn_many_sorted(f.world, entities, 1, &random);
        assert_ok(shoal_enable(f.world, entities[0], SHOAL_ID(Asleep)));
        sorted_case_check(f.world, &cases[i]);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* A view that cannot be begun for want of memory is closed, and nothing is lost. */
static void test_beginning_without_memory(void **state) {
    (void)state;
    for (size_t i = 0; i < SORTED_CASES; i++) {
        fixture f;
        fixture_start(&f, NULL);
        sorted_case cases[SORTED_CASES];
        sorted_cases_make(f.world, cases);
        shoal_entity entities[200];
        rng random = {6};
        spawn_many_sorted(f.world, entities, 50, &random);
        pass_over(cases[i].by_compare);
        spawn_many_sorted(f.world, entities, 200, &random);
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            test_set_context("case %zu, allocation %zu", i, n);
            SHOAL_GET_MUT(f.world, entities[n], Rank)->value = 33;
            fake_allocator_arm(&f.fake, n, false);
            shoal_view view;
            shoal_status status = shoal_view_begin(&view, cases[i].by_compare);
            failed = fake_allocator_disarm(&f.fake);
            assert_status(status, failed ? SHOAL_OUT_OF_MEMORY : SHOAL_OK);
            assert_count(shoal_view_next(&view), !failed);
            shoal_view_end(&view);
            assert_null(shoal_world_lock_holder(f.world));
            assert_true(n < 100);
        }
        sorted_case_check(f.world, &cases[i]);
        test_set_context("%s", "");
        fixture_end(&f);
    }
}

/* ---- definitions that are refused ---- */

static void check_refused(shoal_world *world, shoal_query_def def, const char *named) {
    const shoal_term terms[] = {
        SHOAL_READ(Keys),
        SHOAL_OPTIONAL(Rank),
        SHOAL_WITH(Frozen),
        SHOAL_READ(Area),
        SHOAL_READ(Trail),
        SHOAL_WITHOUT(Health),
        SHOAL_READ(Holds),
        SHOAL_READ(Clock),
        {.component = SHOAL_ID(Power), .access = SHOAL_ACCESS_READ, .traverse = SHOAL_TRAVERSE_UP}};
    def.terms = terms;
    def.term_count = sizeof terms / sizeof terms[0];
    assert_null(shoal_query_create(world, &def));
    assert_last_error(world, SHOAL_TERM_INVALID);
    assert_message_has(world, named);
}

static void test_orders_that_cannot_be(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component_slot *const slots[] = {&shoal_slot_Rank,   &shoal_slot_Frozen,   &shoal_slot_Area,
                                           &shoal_slot_Trail,  &shoal_slot_Health,   &shoal_slot_Holds,
                                           &shoal_slot_Clock,  &shoal_slot_Position, &shoal_slot_Team,
                                           &shoal_slot_Asleep, &shoal_slot_Power};
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        test_set_context("by %s", slots[i]->def.name);
        shoal_component component = shoal_component_of(slots[i]);
        check_refused(f.world, (shoal_query_def){.order_by = component, .compare = compare_ints}, slots[i]->def.name);
        check_refused(f.world, (shoal_query_def){.order_by = component, .order_field = "value"}, slots[i]->def.name);
        check_refused(f.world, (shoal_query_def){.group_by = component}, slots[i]->def.name);
    }
    static const char *const fields[] = {"",     "nothing", "part", "part.nothing", "part.", "weight",
                                         "name", "list",    "link", "i32.x",        ".u64",  "u64."};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        test_set_context("by field \"%s\"", fields[i]);
        check_refused(f.world, (shoal_query_def){.order_by = SHOAL_ID(Keys), .order_field = fields[i]}, "Keys");
    }
    test_set_context("%s", "");
    check_refused(f.world, (shoal_query_def){.order_by = SHOAL_ID(Keys)}, "Keys");
    check_refused(f.world, (shoal_query_def){.order_by = SHOAL_ID(Keys), .order_field = "u64", .compare = compare_ints},
                  "Keys");
    check_refused(f.world, (shoal_query_def){.compare = compare_ints}, "");
    check_refused(f.world, (shoal_query_def){.order_field = "u64"}, "");
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_number_field),
        cmocka_unit_test(test_random_changes),
        cmocka_unit_test(test_equal_keys_keep_their_order),
        cmocka_unit_test(conf_D7_nothing_is_compared_twice),
        cmocka_unit_test(conf_D7_few_keys_cost_little),
        cmocka_unit_test(conf_D2_sorted_rows_go_and_come),
        cmocka_unit_test(test_views_of_an_ordered_query_nest),
        cmocka_unit_test(test_rows_turned_off_under_an_ordered_view),
        cmocka_unit_test(test_ordered_views_end_in_the_middle),
        cmocka_unit_test(test_beginning_without_memory),
        cmocka_unit_test(test_orders_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
