/*
 * Queries as text: what each construct becomes, and texts, names and values of the largest sizes. What is refused is in
 * test_query_text_refused.c, what random texts do in test_query_text_random.c.
 *
 * The reader is called by itself; what queries do with the terms is in test_queries.c.
 */
#define _DEFAULT_SOURCE

#include "test_query_text.h"

#include <errno.h>
#include <float.h>
#include <locale.h>

/* ---- constructs ---- */

static void test_no_terms(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    size_t before = fixture_total_bytes(&f);
    check_terms(&f, "", NULL, 0);
    check_terms(&f, " \t\r\n ", NULL, 0);
    assert_count(fixture_total_bytes(&f), before);
    query_text parsed = {.term_count = 7};
    assert_status(query_text_parse(f.world, NULL, &parsed, CALL), SHOAL_INVALID_ARGUMENT);
    assert_count(parsed.term_count, 0);
    assert_last_error(f.world, SHOAL_INVALID_ARGUMENT);
    query_text_release(f.world, &parsed);
    fixture_end(&f);
}

static void test_every_access(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    CHECK_TERMS(&f, "Spot", SHOAL_READ(Spot));
    CHECK_TERMS(&f, "read Spot", SHOAL_READ(Spot));
    CHECK_TERMS(&f, "write Spot", SHOAL_WRITE(Spot));
    CHECK_TERMS(&f, "with Spot", SHOAL_WITH(Spot));
    CHECK_TERMS(&f, "without Asleep", SHOAL_WITHOUT(Asleep));
    CHECK_TERMS(&f, "optional Spot", SHOAL_OPTIONAL(Spot));
    CHECK_TERMS(&f, "optional write Spot", SHOAL_OPTIONAL_WRITE(Spot));
    CHECK_TERMS(&f, "write Spot, read Speed, without Asleep, Body", SHOAL_WRITE(Spot), SHOAL_READ(Speed),
                SHOAL_WITHOUT(Asleep), SHOAL_READ(Body));
    CHECK_TERMS(&f, "write Spot,Speed,\n\twithout\r\n Asleep", SHOAL_WRITE(Spot), SHOAL_READ(Speed),
                SHOAL_WITHOUT(Asleep));
    fixture_end(&f);
}

static void test_states(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    CHECK_TERMS(&f, "enabled Shield", SHOAL_READ(Shield));
    CHECK_TERMS(&f, "with disabled Shield", SHOAL_DISABLED(Shield));
    CHECK_TERMS(&f, "with either Shield", SHOAL_EITHER(Shield));
    CHECK_TERMS(&f, "disabled Shield", SHOAL_TERM(READ, Shield, .state = SHOAL_STATE_DISABLED));
    CHECK_TERMS(&f, "optional write either Shield", SHOAL_TERM(OPTIONAL_WRITE, Shield, .state = SHOAL_STATE_EITHER));
    CHECK_TERMS(&f, "any(disabled Shield | Ally)",
                SHOAL_TERM(ANY_READ, Shield, .group = 1, .state = SHOAL_STATE_DISABLED), SHOAL_ANY(1, Ally));
    fixture_end(&f);
}

static void test_any_groups(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    CHECK_TERMS(&f, "any(Player | Ally)", SHOAL_ANY(1, Player), SHOAL_ANY(1, Ally));
    CHECK_TERMS(&f, "any(Player)", SHOAL_ANY(1, Player));
    CHECK_TERMS(&f, "any write(Spot|Speed|Body)", SHOAL_ANY_WRITE(1, Spot), SHOAL_ANY_WRITE(1, Speed),
                SHOAL_ANY_WRITE(1, Body));
    CHECK_TERMS(&f, "any (Player | Ally), read Body, any write (Spot), any(Speed)", SHOAL_ANY(1, Player),
                SHOAL_ANY(1, Ally), SHOAL_READ(Body), SHOAL_ANY_WRITE(2, Spot), SHOAL_ANY(3, Speed));
    CHECK_TERMS(&f, "any(Docked(up) Spot | Owner(3:1@9))",
                SHOAL_TERM(ANY_READ, Spot, .group = 1, .traverse = SHOAL_TRAVERSE_UP, .along = SHOAL_ID(Docked)),
                SHOAL_TERM(ANY_READ, Owner, .group = 1, .target = handle_of(3, 1, 9)));
    fixture_end(&f);
}

static void test_up_and_down(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    CHECK_TERMS(&f, "ChildOf(up) Spot",
                SHOAL_TERM(READ, Spot, .traverse = SHOAL_TRAVERSE_UP, .along = SHOAL_ID(ChildOf)));
    CHECK_TERMS(&f, "optional ChildOf ( up ) Spot",
                SHOAL_TERM(OPTIONAL_READ, Spot, .traverse = SHOAL_TRAVERSE_UP, .along = SHOAL_ID(ChildOf)));
    CHECK_TERMS(&f, "with Docked(down) Shield, without ChildOf(down) \"read\"",
                SHOAL_TERM(WITH, Shield, .traverse = SHOAL_TRAVERSE_DOWN, .along = SHOAL_ID(Docked)),
                {.component = keyword,
                 .access = SHOAL_ACCESS_WITHOUT,
                 .traverse = SHOAL_TRAVERSE_DOWN,
                 .along = SHOAL_ID(ChildOf)});
    CHECK_TERMS(&f, "either \"ChildOf\"(up) Shield",
                SHOAL_TERM(READ, Shield, .state = SHOAL_STATE_EITHER, .traverse = SHOAL_TRAVERSE_UP,
                           .along = SHOAL_ID(ChildOf)));
    CHECK_TERMS(
        &f, "with Docked(up) Team(id = 4)",
        SHOAL_TERM(WITH, Team, .traverse = SHOAL_TRAVERSE_UP, .along = SHOAL_ID(Docked), .value = &(Team){.id = 4}));
    fixture_end(&f);
}

static void test_relation_targets(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = shoal_spawn(f.world, NULL, 0);
    shoal_entity turret = shoal_spawn(f.world, NULL, 0);
    assert_ok(shoal_set_name(f.world, ship, "ship"));
    assert_ok(shoal_set_parent(f.world, turret, ship));
    assert_ok(shoal_set_name(f.world, turret, "tur\"ret\\1"));
    uint64_t tag = shoal_entity_world_tag(ship);

    CHECK_TERMS(&f, "with Owner", SHOAL_WITH(Owner));
    CHECK_TERMS(&f, "with Owner(*)", SHOAL_WITH(Owner));
    CHECK_TERMS(&f, "with Owner(0:0)", SHOAL_RELATED(Owner, handle_of(0, 0, tag)));
    CHECK_TERMS(&f, "with Owner(4294967295:65535)", SHOAL_RELATED(Owner, handle_of(UINT32_MAX, 65535, tag)));
    CHECK_TERMS(&f, "with Owner(3:1@32767)", SHOAL_RELATED(Owner, handle_of(3, 1, 32767)));
    CHECK_TERMS(&f, "with Owner ( 3 : 1 @ 9 )", SHOAL_RELATED(Owner, handle_of(3, 1, 9)));
    CHECK_TERMS(&f, "with ChildOf(\"ship\"), Holds(\"ship/tur\\\"ret\\\\1\")", SHOAL_RELATED(ChildOf, ship),
                SHOAL_TERM(READ, Holds, .target = turret));
    /* What the library prints for a handle reads back. */
    char printed[SHOAL_ENTITY_TEXT_SIZE], text[64];
    shoal_entity_format(turret, printed, sizeof printed);
    snprintf(text, sizeof text, "without Docked(%s)", printed);
    CHECK_TERMS(&f, text, SHOAL_TERM(WITHOUT, Docked, .target = turret));
    fixture_end(&f);
}

static void test_shared_values(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    CHECK_TERMS(&f, "with Team(id = 3)", SHOAL_EQUALS(Team, .id = 3));
    CHECK_TERMS(&f, "with Team(id=-3,side=\"north\",is_hostile=true)", SHOAL_EQUALS(Team, -3, "north", true));
    CHECK_TERMS(&f, "with Team(is_hostile = false, side = \"\")", SHOAL_EQUALS(Team, .id = 0));
    CHECK_TERMS(
        &f, "Team(side = \"12345678901\")",
        SHOAL_TERM(READ, Team, .value = &(Team){.side = {'1', '2', '3', '4', '5', '6', '7', '8', '9', '0', '1'}}));
    CHECK_TERMS(&f, "with Team(\"side\" = \"a\\\"\\\\,)\")", SHOAL_EQUALS(Team, .side = "a\"\\,)"));
    CHECK_TERMS(&f, "any(Team(id = 1) | Ally), Spot", SHOAL_TERM(ANY_READ, Team, .group = 1, .value = &(Team){.id = 1}),
                SHOAL_ANY(1, Ally), SHOAL_READ(Spot));
    fixture_end(&f);
}

/* Reads one value of Setup; bytes between its fields are zero, as in `expected`. */
static void check_setup(fixture *f, const char *fields, void (*change)(Setup *expected)) {
    Setup expected;
    char text[512];
    memset(&expected, 0, sizeof expected);
    change(&expected);
    snprintf(text, sizeof text, "with Setup(%s)", fields);
    CHECK_TERMS(f, text, SHOAL_TERM(WITH, Setup, .value = &expected));
}

static void setup_smallest(Setup *s) {
    s->i8 = INT8_MIN, s->i16 = INT16_MIN, s->i32 = INT32_MIN, s->i64 = INT64_MIN;
}

static void setup_largest(Setup *s) {
    s->i8 = INT8_MAX, s->i16 = INT16_MAX, s->i32 = INT32_MAX, s->i64 = INT64_MAX;
    s->u8 = UINT8_MAX, s->u16 = UINT16_MAX, s->u32 = UINT32_MAX, s->u64 = UINT64_MAX;
}

static void setup_zeros(Setup *s) {
    s->f32 = -0.0f;
}

static void setup_reals(Setup *s) {
    s->f32 = 0.1f, s->f64 = -12345.678e-9;
}

static void setup_large_reals(Setup *s) {
    s->f32 = FLT_MAX, s->f64 = DBL_MAX;
}

/* Rounded to a double first, it would be exactly between two floats and go to the lower one. */
static void setup_rounded_once(Setup *s) {
    s->f32 = 1.0f + FLT_EPSILON;
}

static void setup_nested(Setup *s) {
    s->part.weight = -2, s->part.spot.y = 2.5f;
    s->parts[1].spot.x = 1e3f, s->parts[0].weight = 5;
    s->numbers[0] = 7, s->numbers[2] = 9;
    s->up = 1;
}

/* What could begin a direction. */
static void setup_up(Setup *s) {
    s->up = 1;
}

static void setup_leader(Setup *s) {
    s->leader = handle_of(5, 2, 77);
}

static void test_every_kind_of_field(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    check_setup(&f, "i8 = -128, i16 = -32768, i32 = -2147483648, i64 = -9223372036854775808", setup_smallest);
    check_setup(&f,
                "i8 = 127, i16 = 32767, i32 = 2147483647, i64 = 9223372036854775807, u8 = 255, u16 = 65535, "
                "u32 = 4294967295, u64 = 18446744073709551615",
                setup_largest);
    check_setup(&f, "f32 = -0.0, f64 = 0, u8 = -0, i8 = 000", setup_zeros);
    check_setup(&f, "f32 = 0.1, f64 = -12345.678e-9", setup_reals);
    check_setup(&f, "f32 = 3.4028234663852886e38, f64 = 1.7976931348623157E+308", setup_large_reals);
    check_setup(&f, "f32 = 1.00000005960464477540, f64 = 1e-999", setup_rounded_once);
    check_setup(&f,
                "part.weight = -2, part . spot . y = 2.5, parts[1].spot.x = 1e3, parts[0].weight = 5, numbers[0] = 7,"
                "numbers [ 2 ] = 9, up = 1",
                setup_nested);
    check_setup(&f, "leader = 5:2@77", setup_leader);
    check_setup(&f, "up = 1", setup_up);
    shoal_entity flag = shoal_spawn(f.world, NULL, 0);
    assert_ok(shoal_set_name(f.world, flag, "flag"));
    Setup expected = {.leader = flag};
    query_text parsed = read_ok(&f, "Setup(leader = \"flag\")");
    assert_entity(((const Setup *)parsed.terms[0].value)->leader, expected.leader);
    query_text_release(f.world, &parsed);
    fixture_end(&f);
}

static void check_settings(fixture *f, const char *text, query_text expected) {
    query_text parsed = read_ok(f, text);
    assert_count(parsed.term_count, expected.term_count);
    assert_count(parsed.order_by.id, expected.order_by.id);
    assert_string_equal(parsed.order_field, expected.order_field);
    assert_count(parsed.descending, expected.descending);
    assert_count(parsed.group_by.id, expected.group_by.id);
    assert_count(parsed.groups_descending, expected.groups_descending);
    query_text_release(f->world, &parsed);
}

static void test_order_and_group(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    check_settings(&f, "Spot order by Spot.x",
                   (query_text){.term_count = 1, .order_by = SHOAL_ID(Spot), .order_field = "x"});
    check_settings(
        &f, "Spot, Body order by Body . spot . y desc",
        (query_text){.term_count = 2, .order_by = SHOAL_ID(Body), .order_field = "spot.y", .descending = true});
    check_settings(&f, "Body order by Body.desc",
                   (query_text){.term_count = 1, .order_by = SHOAL_ID(Body), .order_field = "desc"});
    check_settings(
        &f, "Body order by Body.desc desc",
        (query_text){.term_count = 1, .order_by = SHOAL_ID(Body), .order_field = "desc", .descending = true});
    check_settings(&f, "Team group by Team", (query_text){.term_count = 1, .group_by = SHOAL_ID(Team)});
    check_settings(&f, "Spot\ngroup\nby\nChildOf\ndesc",
                   (query_text){.term_count = 1, .group_by = SHOAL_ID(ChildOf), .groups_descending = true});
    const query_text both = {.term_count = 1,
                             .order_by = SHOAL_ID(Spot),
                             .order_field = "y",
                             .descending = true,
                             .group_by = SHOAL_ID(Docked)};
    check_settings(&f, "Spot order by Spot.y desc group by Docked", both);
    check_settings(&f, "Spot group by Docked order by Spot.y desc", both);
    check_settings(&f, "order by \"Spot\".\"x\"", (query_text){.order_by = SHOAL_ID(Spot), .order_field = "x"});
    check_settings(&f, "group by Team desc", (query_text){.group_by = SHOAL_ID(Team), .groups_descending = true});
    fixture_end(&f);
}

static void test_quoted_names(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    CHECK_TERMS(&f, "with \"odd \\\"type\\\" \\\\ (1)\"", {.component = odd, .access = SHOAL_ACCESS_WITH});
    CHECK_TERMS(&f, "with \"read\"", {.component = keyword, .access = SHOAL_ACCESS_WITH});
    CHECK_TERMS(&f,
                "\"read\", without\"Gr\xC3\xB6\xC3\x9F"
                "e\"",
                {.component = keyword, .access = SHOAL_ACCESS_READ},
                {.component = umlaut, .access = SHOAL_ACCESS_WITHOUT});
    CHECK_TERMS(&f, "any(\"Player\" | \"Ally\")", SHOAL_ANY(1, Player), SHOAL_ANY(1, Ally));
    fixture_end(&f);
}

/* ---- sizes ---- */

static char *text_of(size_t size, char filler) {
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, filler, size);
    text[size] = '\0';
    return text;
}

/* Puts a part over the text, which stays as long as it is. */
static void overwrite(char *text, size_t at, const char *part) {
    for (; *part != '\0'; part++) {
        text[at++] = *part;
    }
}

static void test_longest_text(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    query_text parsed;
    char *text = text_of(QUERY_TEXT_BYTES_MAX + 1, ' ');
    assert_status(query_text_parse(f.world, text, &parsed, CALL), SHOAL_TEXT_INVALID);
    assert_string_equal(shoal_last_error(f.world).message, CALL ": invalid text: the text is longer than 65536 bytes");
    text[QUERY_TEXT_BYTES_MAX] = '\0';
    overwrite(text, QUERY_TEXT_BYTES_MAX - 4, "Spot");
    CHECK_TERMS(&f, text, SHOAL_READ(Spot));
    free(text);
    fixture_end(&f);
}

/* Each byte repeated to the limit: a name, digits, quotes, escapes, brackets. */
static void test_one_byte_repeated(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int byte = 1; byte < 256; byte++) {
        char *text = text_of(QUERY_TEXT_BYTES_MAX, (char)byte);
        query_text parsed;
        test_set_context("byte %d", byte);
        bool is_blank = strchr(" \t\r\n", byte) != NULL;
        assert_int_equal(query_text_parse(f.world, text, &parsed, CALL) == SHOAL_OK, is_blank);
        overwrite(text, 0, "Setup(f64=");
        assert_true(query_text_parse(f.world, text, &parsed, CALL) != SHOAL_OK);
        overwrite(text, 0, "with Owner(\"");
        assert_true(query_text_parse(f.world, text, &parsed, CALL) != SHOAL_OK);
        free(text);
    }
    fixture_end(&f);
}

static void test_longest_values(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    char *text = text_of(QUERY_TEXT_BYTES_MAX, '0');
    overwrite(text, 0, "Setup(f64 = 1.");
    text[QUERY_TEXT_BYTES_MAX - 1] = ')';
    query_text parsed = read_ok(&f, text);
    assert_true(((const Setup *)parsed.terms[0].value)->f64 == 1.0);
    query_text_release(f.world, &parsed);
    memset(text, '0', QUERY_TEXT_BYTES_MAX);
    overwrite(text, 0, "Setup(u8 = 0");
    overwrite(text, QUERY_TEXT_BYTES_MAX - 4, "255)");
    parsed = read_ok(&f, text);
    assert_count(((const Setup *)parsed.terms[0].value)->u8, 255);
    query_text_release(f.world, &parsed);
    free(text);
    fixture_end(&f);
}

static void test_most_terms(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    size_t limit = shoal_limits_get().query_terms;
    char *text = text_of((limit + 1) * 5, ' ');
    for (size_t i = 0; i <= limit; i++) {
        overwrite(text, i * 5, "Spot,");
    }
    text[limit * 5 + 4] = '\0';
    query_text parsed;
    assert_status(query_text_parse(f.world, text, &parsed, CALL), SHOAL_TEXT_INVALID);
    assert_message_has(f.world, "more than 1024 terms at 5121: ");
    text[limit * 5 - 1] = '\0';
    parsed = read_ok(&f, text);
    assert_count(parsed.term_count, limit);
    check_term(&parsed, limit - 1, (shoal_term)SHOAL_READ(Spot));
    query_text_release(f.world, &parsed);
    free(text);
    fixture_end(&f);
}

/* Eight nested structs with names of 60 bytes: the path is longer than it may be. */
static void test_field_path_too_long(void **state) {
    (void)state;
    static const char name[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz12345678";
    shoal_field fields[8];
    for (size_t i = 0; i < 8; i++) {
        bool is_last = i == 7;
        fields[i] = (shoal_field){.name = name,
                                  .kind = is_last ? SHOAL_FIELD_I32 : SHOAL_FIELD_STRUCT,
                                  .size = 4,
                                  .fields = is_last ? NULL : &fields[i + 1],
                                  .field_count = !is_last};
    }
    assert_true(
        shoal_component_register(&(shoal_component_def){.name = "Deep", .size = 4, .fields = fields, .field_count = 1})
            .id != 0);
    fixture f;
    fixture_start(&f, NULL);
    char text[600] = "order by Deep";
    for (size_t i = 0; i < 8; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), ".%s", name);
    }
    query_text parsed;
    assert_status(read_copy(&f, text, &parsed), SHOAL_TEXT_INVALID);
    assert_message_has(f.world, "a field path of more than 255 bytes before this at 319: ");
    fixture_end(&f);
}

/* ---- numbers whatever the locale ---- */

static void check_reals(fixture *f) {
    query_text parsed = read_ok(f, "Setup(f32 = 0.25, f64 = -1234.0625e2)");
    const Setup *value = parsed.terms[0].value;
    assert_true(value->f32 == 0.25f);
    assert_true(value->f64 == -123406.25);
    query_text_release(f->world, &parsed);
}

static void test_decimal_comma(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    char directory[] = "/tmp/shoal-locale-XXXXXX";
    char command[256];
    assert_non_null(mkdtemp(directory));
    snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", directory,
             directory);
    (void)!system(command);
    setenv("LOCPATH", directory, 1);
    bool is_entered = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    unsetenv("LOCPATH");
    if (is_entered) {
        assert_string_equal(localeconv()->decimal_point, ",");
    } else {
        print_message("the locale de_DE is not there and cannot be made\n");
    }
    check_reals(&f);
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -rf %s", directory);
    assert_int_equal(system(command), 0);
    check_reals(&f);
    fixture_end(&f);
}

static void test_errno_is_left_alone(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    query_text parsed;
    errno = 42;
    assert_ok(query_text_parse(f.world, "Setup(f32 = 1e-60, f64 = 1e-999)", &parsed, CALL));
    query_text_release(f.world, &parsed);
    assert_status(query_text_parse(f.world, "Setup(f64 = 1e999)", &parsed, CALL), SHOAL_TEXT_INVALID);
    assert_int_equal(errno, 42);
    fixture_end(&f);
}

int main(void) {
    types_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_terms),
        cmocka_unit_test(test_every_access),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_any_groups),
        cmocka_unit_test(test_up_and_down),
        cmocka_unit_test(test_relation_targets),
        cmocka_unit_test(test_shared_values),
        cmocka_unit_test(test_every_kind_of_field),
        cmocka_unit_test(test_order_and_group),
        cmocka_unit_test(test_quoted_names),
        cmocka_unit_test(test_longest_text),
        cmocka_unit_test(test_one_byte_repeated),
        cmocka_unit_test(test_longest_values),
        cmocka_unit_test(test_most_terms),
        cmocka_unit_test(test_field_path_too_long),
        cmocka_unit_test(test_decimal_comma),
        cmocka_unit_test(test_errno_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
