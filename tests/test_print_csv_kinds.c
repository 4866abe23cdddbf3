/*
 * Rows as CSV with components of every kind: which columns a term makes, in which order rows come, which rows are left
 * out; elements of buffers, which read back bit for bit; archetypes with shared values; short writes and no memory.
 * test_print_csv.c has the rules of CSV itself.
 */
#include "support/calls.h"
#include "support/rng.h"
#include "test_print_kinds.h"

#include <inttypes.h>

/* ---- helpers ---- */

static void check_csv_at(shoal_query *query, const shoal_world *world, const char *expected, int line) {
    sink s = sink_of(emit_query, query);
    check_tagged(world, &s, expected, __FILE__, line);
}

static void check_def_at(shoal_world *world, const shoal_query_def *def, const char *expected, int line) {
    shoal_query *query = make_query_of(world, def);
    check_csv_at(query, world, expected, line);
    assert_ok(shoal_query_destroy(query));
}

/* Terms as an argument list, the text last, so that macros with commas need no care. */
static void check_terms_at(shoal_world *world, int line, const char *expected, const shoal_term *terms,
                           size_t term_count) {
    check_def_at(world, &(shoal_query_def){.terms = terms, .term_count = term_count}, expected, line);
}
#define check_terms(world, expected, ...) check_terms_at((world), __LINE__, (expected), __VA_ARGS__)

static void check_archetype_at(shoal_world *world, const char *expected, const shoal_component *components,
                               size_t count, int line) {
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_csv_archetype(world, components, count, sink_write, &s));
    check_tagged(world, &s, expected, __FILE__, line);
}

static shoal_entity spawn_at(shoal_world *world, float x) {
    return spawn_one(world, SHOAL_VALUES(SHOAL_VALUE(Place, x, 0)));
}

/* ---- sparse, shared, chunk, unique ---- */

static void test_sparse(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity a = spawn_at(f.world, 1);
    shoal_entity b = spawn_at(f.world, 2);
    shoal_entity c = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Mark, 30, true)));
    assert_ok(shoal_add(f.world, b, SHOAL_ID(Mark), &(Mark){20, false}));
    assert_ok(shoal_add(f.world, a, SHOAL_ID(Spotted), NULL));
    check_terms(f.world, "entity,Place.x,Place.y,Mark.level,Mark.seen\r\n0:0@,1,0,,\r\n1:0@,2,0,20,false\r\n",
                SHOAL_TERMS(SHOAL_READ(Place), SHOAL_OPTIONAL(Mark)));
    /* Sparse terms alone go by the set, in its order. */
    check_terms(f.world, "entity,Mark.level,Mark.seen\r\n2:0@,30,true\r\n1:0@,20,false\r\n",
                SHOAL_TERMS(SHOAL_WRITE(Mark)));
    check_terms(f.world, "entity,Place.x,Place.y\r\n1:0@,2,0\r\n", SHOAL_TERMS(SHOAL_WITH(Mark), SHOAL_READ(Place)));
    check_terms(f.world, "entity,Place.x,Place.y\r\n0:0@,1,0\r\n", SHOAL_TERMS(SHOAL_WITHOUT(Mark), SHOAL_READ(Place)));
    check_terms(f.world, "entity,Spotted,Mark.level,Mark.seen\r\n2:0@,0,30,true\r\n0:0@,1,,\r\n1:0@,0,20,false\r\n",
                SHOAL_TERMS(SHOAL_ANY(1, Spotted), SHOAL_ANY(1, Mark)));
    assert_ok(shoal_destroy(f.world, c));
    check_terms(f.world, "entity,Spotted\r\n0:0@,1\r\n", SHOAL_TERMS(SHOAL_WITH(Spotted)));
    fixture_end(&f);
}

static void test_shared(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Side, "a,b", 1), SHOAL_VALUE(Place, 1, 2)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Side, "c", 2), SHOAL_VALUE(Place, 3, 4)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Side, "a,b", 1), SHOAL_VALUE(Place, 5, 6)));
    spawn_at(f.world, 9);
    check_terms(f.world,
                "entity,Side.name,Side.number,Place.x,Place.y\r\n"
                "0:0@,\"a,b\",1,1,2\r\n"
                "2:0@,\"a,b\",1,5,6\r\n"
                "1:0@,c,2,3,4\r\n",
                SHOAL_TERMS(SHOAL_READ(Side), SHOAL_READ(Place)));
    check_terms(f.world,
                "entity,Place.x,Place.y,Side.name,Side.number\r\n"
                "0:0@,1,2,\"a,b\",1\r\n"
                "2:0@,5,6,\"a,b\",1\r\n"
                "1:0@,3,4,c,2\r\n"
                "3:0@,9,0,,\r\n",
                SHOAL_TERMS(SHOAL_READ(Place), SHOAL_OPTIONAL(Side)));
    check_terms(f.world, "entity,Place.x,Place.y\r\n1:0@,3,4\r\n",
                SHOAL_TERMS(SHOAL_EQUALS(Side, "c", 2), SHOAL_READ(Place)));
    fixture_end(&f);
}

static void test_chunk(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity a = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Bounds, 1, 2)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Bounds)));
    spawn_at(f.world, 3);
    *SHOAL_GET_MUT(f.world, a, Bounds) = (Bounds){-1, 5};
    check_terms(f.world, "entity,Bounds.low,Bounds.high\r\n0:0@,-1,5\r\n1:0@,-1,5\r\n",
                SHOAL_TERMS(SHOAL_READ(Bounds)));
    check_terms(f.world, "entity,Bounds.low,Bounds.high\r\n0:0@,-1,5\r\n1:0@,-1,5\r\n2:0@,,\r\n",
                SHOAL_TERMS(SHOAL_OPTIONAL(Bounds)));
    fixture_end(&f);
}

static void test_unique(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_at(f.world, 1);
    shoal_entity b = spawn_at(f.world, 2);
    shoal_query *both =
        make_query_of(f.world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Weather), SHOAL_READ(Place))});
    shoal_query *optional = make_query_of(
        f.world,
        &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_OPTIONAL(Opaque), SHOAL_OPTIONAL(Weather), SHOAL_WITH(Place))});
    shoal_query *started =
        make_query_of(f.world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WITH(Started), SHOAL_READ(Place))});
    check_csv_at(both, f.world, "entity,Weather.wind,Weather.storm,Place.x,Place.y\r\n", __LINE__);
    check_csv_at(optional, f.world, "entity,Opaque,Weather.wind,Weather.storm\r\n0:0@,,,\r\n1:0@,,,\r\n", __LINE__);
    check_csv_at(started, f.world, "entity,Started,Place.x,Place.y\r\n", __LINE__);
    assert_ok(shoal_unique_set(f.world, SHOAL_ID(Weather), &(Weather){2.5f, b}));
    assert_ok(shoal_unique_set(f.world, SHOAL_ID(Started), NULL));
    assert_ok(shoal_unique_set(f.world, SHOAL_ID(Opaque), &(Opaque){{1, 2, 3}}));
    check_csv_at(both, f.world,
                 "entity,Weather.wind,Weather.storm,Place.x,Place.y\r\n0:0@,2.5,1:0@,1,0\r\n1:0@,2.5,1:0@,2,0\r\n",
                 __LINE__);
    check_csv_at(optional, f.world,
                 "entity,Opaque,Weather.wind,Weather.storm\r\n0:0@,010203,2.5,1:0@\r\n1:0@,010203,2.5,1:0@\r\n",
                 __LINE__);
    check_csv_at(started, f.world, "entity,Started,Place.x,Place.y\r\n0:0@,1,1,0\r\n1:0@,1,2,0\r\n", __LINE__);
    fixture_end(&f);
}

/* ---- toggles ---- */

static void test_enabled(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int32_t i = 0; i < 4; i++) {
        shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Armour, i), SHOAL_DEFAULT(Awake)));
        if (i % 2 == 1) {
            assert_ok(shoal_disable(f.world, entity, SHOAL_ID(Armour)));
        }
        if (i >= 2) {
            assert_ok(shoal_disable(f.world, entity, SHOAL_ID(Awake)));
        }
    }
    spawn_at(f.world, 1);
    /* A term that settles the bit makes no column of it. */
    check_terms(f.world, "entity,Armour.value\r\n0:0@,0\r\n2:0@,2\r\n", SHOAL_TERMS(SHOAL_READ(Armour)));
    check_terms(f.world, "entity,Armour.value\r\n1:0@,1\r\n3:0@,3\r\n",
                SHOAL_TERMS(SHOAL_TERM(READ, Armour, .state = SHOAL_STATE_DISABLED)));
    check_terms(f.world, "entity\r\n1:0@\r\n3:0@\r\n", SHOAL_TERMS(SHOAL_DISABLED(Armour)));
    check_terms(f.world,
                "entity,Armour.value,Armour.enabled,Awake,Awake.enabled\r\n"
                "0:0@,0,1,1,1\r\n1:0@,1,0,1,1\r\n2:0@,2,1,1,0\r\n3:0@,3,0,1,0\r\n",
                SHOAL_TERMS(SHOAL_TERM(WRITE, Armour, .state = SHOAL_STATE_EITHER), SHOAL_EITHER(Awake)));
    check_terms(f.world,
                "entity,Armour.value,Armour.enabled\r\n"
                "0:0@,0,1\r\n1:0@,1,0\r\n2:0@,2,1\r\n3:0@,3,0\r\n4:0@,,\r\n",
                SHOAL_TERMS(SHOAL_OPTIONAL(Armour)));
    /* One of the two must be enabled; what is seen of the other one may be off. */
    check_terms(f.world,
                "entity,Armour.value,Armour.enabled,Awake,Awake.enabled\r\n"
                "0:0@,0,1,1,1\r\n1:0@,1,0,1,1\r\n2:0@,2,1,1,0\r\n",
                SHOAL_TERMS(SHOAL_ANY(1, Armour), SHOAL_ANY(1, Awake)));
    check_terms(f.world, "entity,Armour.enabled\r\n0:0@,1\r\n1:0@,0\r\n2:0@,1\r\n3:0@,0\r\n",
                SHOAL_TERMS(SHOAL_EITHER(Armour)));
    fixture_end(&f);
}

/* Rows over several words and chunks: the CSV has what a view has, row by row. */
static void test_enabled_rows_of_a_view(void **state) {
    (void)state;
    enum { count = 700 };
    fixture f;
    fixture_start(&f, NULL);
    rng random = {5};
    for (int32_t i = 0; i < count; i++) {
        shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Armour, i)));
        if (rng_chance(&random, 60)) {
            assert_ok(shoal_disable(f.world, entity, SHOAL_ID(Armour)));
        }
    }
    shoal_query *query = make_query_of(f.world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Armour))});
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_csv_query(query, sink_write, &s));
    const char *place = strchr(s.written.text, '\n') + 1;
    uint64_t row_count = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        const Armour *armour = SHOAL_COLUMN(&view, Armour);
        for (size_t i = 0; i < view.count; i++, row_count++) {
            char line[64];
            int length = snprintf(line, sizeof line, "%u:0@%u,%d\r\n", (unsigned)shoal_entity_index(view.entities[i]),
                                  (unsigned)shoal_world_tag(f.world), armour[i].value);
            assert_count(strncmp(place, line, (size_t)length), 0);
            place += length;
        }
    }
    assert_int_equal(*place, '\0');
    assert_count(row_count, shoal_query_count(query));
    assert_true(row_count > count / 4 && row_count < count);
    sink_free(&s);
    fixture_end(&f);
}

/* ---- buffers ---- */

static void test_buffers(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_ITEMS(Trail, {1, 0.1}, {-0.0f, 1e300}, {3, 4})));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Trail), SHOAL_ITEMS(Remark, {"a;b|c,d", 1}, {"\"]\\\n", 2})));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Remark), SHOAL_ITEMS(Crumb, {{1, 2}}, {{0xAB, 0xFF}})));
    check_terms(f.world, "entity,Trail.count,Trail.items\r\n0:0@,3,[1;0.1|-0;1e+300|3;4]\r\n1:0@,0,[]\r\n",
                SHOAL_TERMS(SHOAL_READ(Trail)));
    check_terms(f.world,
                "entity,Remark.count,Remark.items\r\n"
                "1:0@,2,\"[\"\"a;b|c,d\"\";1|\"\"\\\"\"]\\\\\\n\"\";2]\"\r\n"
                "2:0@,0,[]\r\n",
                SHOAL_TERMS(SHOAL_READ(Remark)));
    check_terms(f.world,
                "entity,Crumb.count,Crumb.items,Trail.count,Trail.items,Trail.enabled\r\n"
                "0:0@,,,3,[1;0.1|-0;1e+300|3;4],1\r\n"
                "1:0@,,,0,[],1\r\n"
                "2:0@,2,[0102|abff],,,\r\n",
                SHOAL_TERMS(SHOAL_OPTIONAL(Crumb), SHOAL_OPTIONAL(Trail)));
    check_terms(f.world, "entity\r\n2:0@\r\n", SHOAL_TERMS(SHOAL_WITH(Crumb)));
    fixture_end(&f);
}

/* Characters that separate, quote and escape, and a few that do not. */
static Remark random_remark(rng *random) {
    static const char alphabet[] = "|;,[]\"\\\r\n\t\001a1\xC3\xA9";
    Remark remark;
    memset(&remark, 0, sizeof remark);
    size_t length = rng_below(random, sizeof remark.text + 1);
    for (size_t i = 0; i < length; i++) {
        remark.text[i] = alphabet[rng_below(random, sizeof alphabet - 1)];
    }
    remark.weight = (uint8_t)rng_next(random);
    return remark;
}

/* One character of a C string literal; `*place` goes behind it. */
static char read_literal_character(const char **place) {
    const char *text = *place;
    static const char letters[] = "\"\\nrt";
    static const char meant[] = "\"\\\n\r\t";
    *place += 1;
    if (*text != '\\') {
        return *text;
    }
    const char *found = strchr(letters, text[1]);
    if (found != NULL) {
        *place += 1;
        return meant[found - letters];
    }
    *place += 3;
    return (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
}

/* An element at `*place`, which goes behind it. */
static Remark read_remark(const char **place) {
    Remark remark;
    memset(&remark, 0, sizeof remark);
    assert_int_equal(*(*place)++, '"');
    for (size_t i = 0; **place != '"'; i++) {
        assert_true(i < sizeof remark.text);
        remark.text[i] = read_literal_character(place);
    }
    assert_int_equal((*place)[1], ';');
    char *end;
    remark.weight = (uint8_t)strtoul(*place + 2, &end, 10);
    *place = end;
    return remark;
}

/* The field at `text`, without the quotes of CSV. */
static const char *read_csv_field(const char *text, char *field, size_t size) {
    size_t used = 0;
    bool is_quoted = *text == '"';
    for (text += is_quoted; is_quoted ? *text != '"' || text[1] == '"' : *text != ',' && *text != '\r'; text++) {
        text += *text == '"';
        assert_true(used + 1 < size);
        field[used++] = *text;
    }
    field[used] = '\0';
    return text + is_quoted;
}

static void test_elements_read_back(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    rng random = {11};
    shoal_query *query = make_query_of(f.world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Remark))});
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Remark)));
    for (size_t round = 0; round < 500; round++) {
        test_set_context("round %zu", round);
        Remark remarks[6];
        size_t count = rng_below(&random, 7);
        for (size_t i = 0; i < count; i++) {
            remarks[i] = random_remark(&random);
        }
        assert_ok(
            shoal_buffer_assign(shoal_buffer_get(f.world, entity, SHOAL_ID(Remark)), (shoal_span){remarks, count}));
        sink s = sink_make(SIZE_MAX);
        assert_ok(shoal_csv_query(query, sink_write, &s));
        char field[1024] = "";
        const char *place = read_csv_field(strstr(s.written.text, "\r\n") + 2, field, sizeof field);
        place = read_csv_field(place + 1, field, sizeof field);
        assert_count(strtoul(field, NULL, 10), count);
        place = read_csv_field(place + 1, field, sizeof field);
        assert_string_equal(place, "\r\n");
        const char *element = field;
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(*element++, i == 0 ? '[' : '|');
            Remark remark = read_remark(&element);
            assert_memory_equal(&remark, &remarks[i], sizeof remark);
        }
        assert_string_equal(element, count == 0 ? "[]" : "]");
        sink_free(&s);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* ---- relations ---- */

static void test_relations(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity iron = spawn_at(f.world, 1);
    shoal_entity gold = spawn_at(f.world, 2);
    shoal_entity ship =
        spawn_one(f.world, SHOAL_VALUES(SHOAL_TO_WITH(Carries, iron, 12), SHOAL_TO_WITH(Serves, gold, 3)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_TO_WITH(Carries, gold, -1), SHOAL_TO(ChildOf, ship)));
    assert_ok(shoal_relate(f.world, ship, SHOAL_ID(Carries), gold, &(Carries){7}));
    check_terms(f.world, "entity,Carries\r\n2:0@,0:0@|1:0@\r\n3:0@,1:0@\r\n", SHOAL_TERMS(SHOAL_READ(Carries)));
    check_terms(f.world, "entity,Carries\r\n2:0@,0:0@|1:0@\r\n3:0@,1:0@\r\n", SHOAL_TERMS(SHOAL_WITH(Carries)));
    check_terms(f.world, "entity,Serves,Serves.rank\r\n2:0@,1:0@,3\r\n", SHOAL_TERMS(SHOAL_READ(Serves)));
    check_terms(f.world, "entity,ChildOf\r\n3:0@,2:0@\r\n", SHOAL_TERMS(SHOAL_WITH(ChildOf)));
    check_terms(f.world, "entity,Place.x,Place.y,Serves,Serves.rank,Carries\r\n0:0@,1,0,,,\r\n1:0@,2,0,,,\r\n",
                SHOAL_TERMS(SHOAL_READ(Place), SHOAL_OPTIONAL(Serves), SHOAL_OPTIONAL(Carries)));
    check_terms(f.world, "entity,ChildOf,Serves,Serves.rank\r\n2:0@,,1:0@,3\r\n3:0@,2:0@,,\r\n",
                SHOAL_TERMS(SHOAL_ANY(1, ChildOf), SHOAL_ANY(1, Serves)));
    fixture_end(&f);
}

/* A term that names a target is about that one alone, and two of them have names of their own. */
static void test_targets(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity iron = spawn_at(f.world, 1);
    shoal_entity gold = spawn_at(f.world, 2);
    shoal_entity ship = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO_WITH(Carries, iron, 12)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_TO_WITH(Carries, iron, 5)));
    assert_ok(shoal_relate(f.world, ship, SHOAL_ID(Carries), gold, &(Carries){7}));
    check_terms(
        f.world,
        "entity,Carries(1:0@),Carries(1:0@).count,Carries(0:0@),Carries(0:0@).count\r\n"
        "2:0@,1:0@,7,0:0@,12\r\n"
        "3:0@,,,0:0@,5\r\n",
        SHOAL_TERMS(SHOAL_TERM(OPTIONAL_READ, Carries, .target = gold), SHOAL_TERM(READ, Carries, .target = iron)));
    check_terms(f.world, "entity,Carries(1:0@)\r\n2:0@,1:0@\r\n", SHOAL_TERMS(SHOAL_RELATED(Carries, gold)));
    fixture_end(&f);
}

static void test_up_the_tree(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = spawn_at(f.world, 1);
    shoal_entity turret = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, ship), SHOAL_VALUE(Mark, 4, true)));
    shoal_entity gun = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, turret), SHOAL_VALUE(Place, 9, 9)));
    assert_ok(shoal_add(f.world, ship, SHOAL_ID(Spotted), NULL));
    check_terms(f.world,
                "entity,ChildOf(up) Place.x,ChildOf(up) Place.y,ChildOf(up) Mark.level,ChildOf(up) Mark.seen,"
                "ChildOf\r\n"
                "1:0@,1,0,,,0:0@\r\n"
                "2:0@,1,0,4,true,1:0@\r\n",
                SHOAL_TERMS(SHOAL_UP(Place), SHOAL_UP(Mark), SHOAL_WITH(ChildOf)));
    check_terms(f.world,
                "entity,Place.x,Place.y,ChildOf(up) Place.x,ChildOf(up) Place.y\r\n"
                "0:0@,1,0,,\r\n"
                "2:0@,9,9,1,0\r\n",
                SHOAL_TERMS(SHOAL_READ(Place), SHOAL_UP(Place)));
    check_terms(f.world, "entity,ChildOf(up) Spotted\r\n1:0@,1\r\n2:0@,1\r\n",
                SHOAL_TERMS(SHOAL_TERM(WITH, Spotted, .traverse = SHOAL_TRAVERSE_UP)));
    check_terms(
        f.world, "entity,Spotted,ChildOf(up) Spotted\r\n1:0@,0,1\r\n0:0@,1,0\r\n2:0@,0,1\r\n",
        SHOAL_TERMS(SHOAL_ANY(1, Spotted), SHOAL_TERM(ANY_READ, Spotted, .group = 1, .traverse = SHOAL_TRAVERSE_UP)));
    assert_ok(shoal_add(f.world, gun, SHOAL_ID(Spotted), NULL));
    check_terms(f.world, "entity,ChildOf(down) Spotted\r\n1:0@,1\r\n0:0@,1\r\n",
                SHOAL_TERMS(SHOAL_TERM(WITH, Spotted, .traverse = SHOAL_TRAVERSE_DOWN)));
    fixture_end(&f);
}

/* ---- the order of the query ---- */

static void test_order(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    static const float keys[] = {3, 1, 2, 5, 4};
    for (size_t i = 0; i < 5; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Place, keys[i], 0), SHOAL_VALUE(Side, "s", (uint32_t)(i % 2) + 1)));
    }
    shoal_query_def def = {.terms = SHOAL_TERMS(SHOAL_READ(Place)), .order_by = SHOAL_ID(Place), .order_field = "x"};
    check_def_at(f.world, &def,
                 "entity,Place.x,Place.y\r\n1:0@,1,0\r\n2:0@,2,0\r\n0:0@,3,0\r\n4:0@,4,0\r\n3:0@,5,0\r\n", __LINE__);
    def.descending = true;
    check_def_at(f.world, &def,
                 "entity,Place.x,Place.y\r\n3:0@,5,0\r\n4:0@,4,0\r\n0:0@,3,0\r\n2:0@,2,0\r\n1:0@,1,0\r\n", __LINE__);
    shoal_query_def grouped = {.terms = SHOAL_TERMS(SHOAL_READ(Side), SHOAL_READ(Place)),
                               .group_by = SHOAL_ID(Side),
                               .order_by = SHOAL_ID(Place),
                               .order_field = "x"};
    check_def_at(f.world, &grouped,
                 "entity,Side.name,Side.number,Place.x,Place.y\r\n"
                 "2:0@,s,1,2,0\r\n0:0@,s,1,3,0\r\n4:0@,s,1,4,0\r\n"
                 "1:0@,s,2,1,0\r\n3:0@,s,2,5,0\r\n",
                 __LINE__);
    fixture_end(&f);
}

static void test_parents_first(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity gun = spawn_at(f.world, 3);
    shoal_entity ship = spawn_at(f.world, 1);
    shoal_entity turret = spawn_at(f.world, 2);
    assert_ok(shoal_set_parent(f.world, gun, turret));
    assert_ok(shoal_set_parent(f.world, turret, ship));
    shoal_query_def def = {.terms = SHOAL_TERMS(SHOAL_READ(Place)), .group_by = SHOAL_ID(ChildOf)};
    check_def_at(f.world, &def, "entity,Place.x,Place.y\r\n1:0@,1,0\r\n2:0@,2,0\r\n0:0@,3,0\r\n", __LINE__);
    fixture_end(&f);
}

/* What ordinary queries do not see is not written either. */
static void test_hidden(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity pattern = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Wreck)));
    shoal_entity gone = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Wreck)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Wreck)));
    assert_ok(shoal_make_prefab(f.world, pattern));
    assert_ok(shoal_destroy(f.world, gone));
    check_terms(f.world, "entity,Wreck\r\n2:0@,1\r\n", SHOAL_TERMS(SHOAL_WITH(Wreck)));
    check_terms(f.world, "entity,Dying,Wreck\r\n1:0@,1,1\r\n", SHOAL_TERMS(SHOAL_WITH(Dying), SHOAL_WITH(Wreck)));
    check_terms(f.world, "entity,Prefab\r\n0:0@,1\r\n", SHOAL_TERMS(SHOAL_WITH(Prefab)));
    fixture_end(&f);
}

/* ---- archetypes ---- */

static void test_archetype_of_every_kind(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity first = {0};
    for (uint32_t i = 0; i < 4; i++) {
        shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Side, "s", i % 2), SHOAL_VALUE(Bounds, 1, 2),
                                                              SHOAL_DEFAULT(Awake), SHOAL_VALUE(Armour, (int32_t)i),
                                                              SHOAL_ITEMS(Crumb, {{(unsigned char)i, 0}})));
        first = i == 0 ? entity : first;
    }
    assert_ok(shoal_disable(f.world, first, SHOAL_ID(Awake)));
    assert_ok(shoal_add(f.world, first, SHOAL_ID(Mark), NULL)); /* does not change the archetype */
    check_archetype_at(
        f.world,
        "entity,Awake,Awake.enabled,Side.name,Side.number,Crumb.count,Crumb.items,Armour.value,"
        "Armour.enabled,Bounds.low,Bounds.high\r\n"
        "0:0@,1,0,s,0,1,[0000],0,1,1,2\r\n"
        "2:0@,1,1,s,0,1,[0200],2,1,1,2\r\n"
        "1:0@,1,1,s,1,1,[0100],1,1,1,2\r\n"
        "3:0@,1,1,s,1,1,[0300],3,1,1,2\r\n",
        SHOAL_COMPONENTS(SHOAL_ID(Awake), SHOAL_ID(Side), SHOAL_ID(Crumb), SHOAL_ID(Armour), SHOAL_ID(Bounds)),
        __LINE__);
    check_archetype_at(f.world, "entity,Side.name,Side.number\r\n", SHOAL_COMPONENTS(SHOAL_ID(Side)), __LINE__);
    fixture_end(&f);
}

static void test_archetype_refusals(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_component outside[] = {SHOAL_ID(Mark), SHOAL_ID(Spotted), SHOAL_ID(Weather), SHOAL_ID(Carries),
                                       SHOAL_ID(ChildOf)};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        const shoal_component named[] = {SHOAL_ID(Place), outside[i]};
        sink s = sink_make(SIZE_MAX);
        assert_status(shoal_csv_archetype(f.world, named, 2, sink_write, &s), SHOAL_COMPONENT_KIND);
        assert_last_error(f.world, SHOAL_COMPONENT_KIND);
        assert_message_has(f.world, "shoal_csv_archetype");
        assert_message_has(f.world, shoal_component_info(outside[i])->name);
        assert_count(s.call_count, 0);
    }
    fixture_end(&f);
}

/* ---- the lock, short writes, no memory ---- */

static shoal_query_def every_kind_def(void) {
    static shoal_term terms[11];
    const shoal_term now[] = {SHOAL_READ(Place),       SHOAL_OPTIONAL(Armour),  SHOAL_OPTIONAL(Mark),
                              SHOAL_OPTIONAL(Side),    SHOAL_OPTIONAL(Bounds),  SHOAL_OPTIONAL(Trail),
                              SHOAL_OPTIONAL(Remark),  SHOAL_OPTIONAL(Weather), SHOAL_OPTIONAL(Serves),
                              SHOAL_OPTIONAL(Carries), SHOAL_UP(Place)};
    memcpy(terms, now, sizeof now);
    return (shoal_query_def){.terms = terms, .term_count = 11, .order_by = SHOAL_ID(Place), .order_field = "x"};
}

static void spawn_every_kind(fixture *f, size_t count) {
    shoal_entity iron = spawn_at(f->world, 0.5f);
    assert_ok(shoal_unique_set(f->world, SHOAL_ID(Weather), NULL));
    for (size_t i = 0; i < count; i++) {
        spawn_one(f->world, SHOAL_VALUES(SHOAL_VALUE(Place, (float)(i * 7 % 11), 1), SHOAL_VALUE(Armour, 5),
                                         SHOAL_VALUE(Mark, 1, true), SHOAL_VALUE(Side, "x,y", 1), SHOAL_DEFAULT(Bounds),
                                         SHOAL_ITEMS(Trail, {1, 2}, {3, 4}, {5, 6}), SHOAL_ITEMS(Remark, {"\"", 1}),
                                         SHOAL_TO_WITH(Carries, iron, 5), SHOAL_TO_WITH(Serves, iron, 5),
                                         SHOAL_TO(ChildOf, iron)));
    }
}

static void test_locked_until_the_last_byte(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_every_kind(&f, 40);
    shoal_query_def def = every_kind_def();
    def.name = "the rows";
    shoal_query *query = make_query_of(f.world, &def);
    sink s = sink_make(SIZE_MAX);
    s.world = f.world;
    assert_ok(shoal_csv_query(query, sink_write, &s));
    assert_true(s.call_count > 1);
    assert_count(s.refused_count, s.call_count);
    assert_string_equal(s.holder, "the rows");
    assert_null(shoal_world_lock_holder(f.world));
    sink_free(&s);
    fixture_end(&f);
}

static void test_short_writes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_every_kind(&f, 30);
    shoal_query_def def = every_kind_def();
    check_short_writes(f.world, emit_query, make_query_of(f.world, &def), "shoal_csv_query");
    fixture_end(&f);
}

/* Each allocation that the order of the query needs fails once: nothing is written, and the next call works. */
static void test_no_memory(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_every_kind(&f, 30);
    shoal_query_def def = every_kind_def();
    shoal_query *query = make_query_of(f.world, &def);
    size_t failed_count = 0;
    for (size_t n = 1;; n++) {
        sink s = sink_make(SIZE_MAX);
        fake_allocator_arm(&f.fake, n, false);
        shoal_status status = shoal_csv_query(query, sink_write, &s);
        bool failed = fake_allocator_disarm(&f.fake);
        assert_null(shoal_world_lock_holder(f.world));
        assert_valid(f.world);
        if (!failed) {
            assert_ok(status);
            assert_true(s.written.length > 0);
            sink_free(&s);
            break;
        }
        failed_count++;
        assert_status(status, SHOAL_OUT_OF_MEMORY);
        assert_last_error(f.world, SHOAL_OUT_OF_MEMORY);
        assert_message_has(f.world, "shoal_csv_query");
        assert_count(s.call_count, 0);
    }
    assert_true(failed_count > 0);
    fixture_end(&f);
}

int main(void) {
    print_kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_chunk),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_enabled),
        cmocka_unit_test(test_enabled_rows_of_a_view),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_elements_read_back),
        cmocka_unit_test(test_relations),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_up_the_tree),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_parents_first),
        cmocka_unit_test(test_hidden),
        cmocka_unit_test(test_archetype_of_every_kind),
        cmocka_unit_test(test_archetype_refusals),
        cmocka_unit_test(test_locked_until_the_last_byte),
        cmocka_unit_test(test_short_writes),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
