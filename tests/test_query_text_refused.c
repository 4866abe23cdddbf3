/*
 * Queries as text that cannot be read: a table of wrong texts with the whole message of each, which says what is wrong
 * or was expected, at which byte, and shows the text around. A refused text leaves nothing behind.
 */
#include "test_query_text.h"

/* ---- what is refused ---- */

static const struct {
    const char *text;
    shoal_status status;
    const char *detail;
} refusals[] = {
    /* terms */
    {",", SHOAL_TEXT_INVALID, "expected a term at 1: \"^,\""},
    {"Spot,", SHOAL_TEXT_INVALID, "expected a term at 6: \"Spot,^\""},
    {"Spot, , Speed", SHOAL_TEXT_INVALID, "expected a term at 7: \"Spot, ^, Speed\""},
    {"Spot Speed", SHOAL_TEXT_INVALID, "expected \",\", \"order by\", \"group by\" or the end at 6: \"Spot ^Speed\""},
    {"Spot; Speed", SHOAL_TEXT_INVALID, "expected \",\", \"order by\", \"group by\" or the end at 5: \"Spot^; Speed\""},
    {"(Spot)", SHOAL_TEXT_INVALID, "expected a term at 1: \"^(Spot)\""},
    {"12", SHOAL_TEXT_INVALID, "expected a term at 1: \"^12\""},
    {"read", SHOAL_TEXT_INVALID, "expected a component name at 5: \"read^\""},
    {"write , Spot", SHOAL_TEXT_INVALID, "expected a component name at 7: \"write ^, Spot\""},
    {"write Spot, read Speed, without , any(Player | Ally)", SHOAL_TEXT_INVALID,
     "expected a component name at 33: \"... ot, read Speed, without ^, any(Player | Ally)\""},
    {"write Spot, read Speed, without ?, any(Player | Ally), optional Shield", SHOAL_TEXT_INVALID,
     "expected a component name at 33: \"... ot, read Speed, without ^?, any(Player | Ally), optional ...\""},
    {"optional read Spot", SHOAL_TEXT_INVALID,
     "expected a component name (\"read\" is a keyword, and a name only in quotes) at 10: \"optional ^read Spot\""},
    {"with without Spot", SHOAL_TEXT_INVALID,
     "expected a component name (\"without\" is a keyword, and a name only in quotes) at 6: \"with ^without Spot\""},
    {"disabled write Shield", SHOAL_TEXT_INVALID,
     "expected a component name (\"write\" is a keyword, and a name only in quotes) at 10: "
     "\"disabled ^write Shield\""},
    {"read Sput", SHOAL_COMPONENT_INVALID, "no registered component type has this name at 6: \"read ^Sput\""},
    {"spot", SHOAL_COMPONENT_INVALID, "no registered component type has this name at 1: \"^spot\""},
    {"READ Spot", SHOAL_COMPONENT_INVALID, "no registered component type has this name at 1: \"^READ Spot\""},
    {"with \"\"", SHOAL_COMPONENT_INVALID, "no registered component type has this name at 6: \"with ^\"\"\""},
    {"with \"Spot", SHOAL_TEXT_INVALID, "a quote that is never closed at 6: \"with ^\"Spot\""},
    {"with \"Spot\\\"", SHOAL_TEXT_INVALID, "a quote that is never closed at 6: \"with ^\"Spot\\\"\""},
    {"\"", SHOAL_TEXT_INVALID, "a quote that is never closed at 1: \"^\"\""},
    {"with \"Sp\\ot\"", SHOAL_TEXT_INVALID, "expected \\\" or \\\\ at 9: \"with \"Sp^\\ot\"\""},
    {"with \"Spot\\", SHOAL_TEXT_INVALID, "expected \\\" or \\\\ at 11: \"with \"Spot^\\\""},
    /* any */
    {"any", SHOAL_TEXT_INVALID, "expected \"(\" or \"write\" at 4: \"any^\""},
    {"any Spot", SHOAL_TEXT_INVALID, "expected \"(\" or \"write\" at 5: \"any ^Spot\""},
    {"any write Spot", SHOAL_TEXT_INVALID, "expected \"(\" at 11: \"any write ^Spot\""},
    {"any()", SHOAL_TEXT_INVALID, "expected a component name at 5: \"any(^)\""},
    {"any(Player | )", SHOAL_TEXT_INVALID, "expected a component name at 14: \"any(Player | ^)\""},
    {"any(Player | | Ally)", SHOAL_TEXT_INVALID, "expected a component name at 14: \"any(Player | ^| Ally)\""},
    {"any(Player, Ally)", SHOAL_TEXT_INVALID, "expected \"|\" or \")\" at 11: \"any(Player^, Ally)\""},
    {"any(Player | Ally", SHOAL_TEXT_INVALID, "expected \"|\" or \")\" at 18: \"any(Player | Ally^\""},
    {"any(any(Player))", SHOAL_TEXT_INVALID,
     "expected a component name (\"any\" is a keyword, and a name only in quotes) at 5: \"any(^any(Player))\""},
    {"any(write Spot)", SHOAL_TEXT_INVALID,
     "expected a component name (\"write\" is a keyword, and a name only in quotes) at 5: \"any(^write Spot)\""},
    /* relations */
    {"Spot(up) Speed", SHOAL_TEXT_INVALID, "Spot is not an acyclic relation at 1: \"^Spot(up) Speed\""},
    {"with Owner(down) Speed", SHOAL_TEXT_INVALID,
     "Owner is not an acyclic relation at 6: \"with ^Owner(down) Speed\""},
    {"ChildOf(up)", SHOAL_TEXT_INVALID, "expected a component name at 12: \"ChildOf(up)^\""},
    {"ChildOf(up) read Spot", SHOAL_TEXT_INVALID,
     "expected a component name (\"read\" is a keyword, and a name only in quotes) at 13: \"ChildOf(up) ^read Spot\""},
    {"ChildOf(up) Docked(up) Spot", SHOAL_TEXT_INVALID,
     "expected *, an entity as index:generation, or a path in quotes at 20: \"ChildOf(up) Docked(^up) Spot\""},
    {"with Owner(", SHOAL_TEXT_INVALID,
     "expected *, an entity as index:generation, or a path in quotes at 12: \"with Owner(^\""},
    {"with Owner()", SHOAL_TEXT_INVALID,
     "expected *, an entity as index:generation, or a path in quotes at 12: \"with Owner(^)\""},
    {"with Owner(ship)", SHOAL_TEXT_INVALID,
     "expected *, an entity as index:generation, or a path in quotes at 12: \"with Owner(^ship)\""},
    {"with Owner(*", SHOAL_TEXT_INVALID, "expected \")\" at 13: \"with Owner(*^\""},
    {"with Owner(3)", SHOAL_TEXT_INVALID, "expected \":\" and the entity's generation at 13: \"with Owner(3^)\""},
    {"with Owner(-3:1)", SHOAL_TEXT_INVALID,
     "expected an entity's index from 0 to 4294967295 at 12: \"with Owner(^-3:1)\""},
    {"with Owner(4294967296:1)", SHOAL_TEXT_INVALID,
     "expected an entity's index from 0 to 4294967295 at 12: \"with Owner(^4294967296:1)\""},
    {"with Owner(3:65536)", SHOAL_TEXT_INVALID,
     "expected an entity's generation from 0 to 65535 at 14: \"with Owner(3:^65536)\""},
    {"with Owner(3:)", SHOAL_TEXT_INVALID,
     "expected an entity's generation from 0 to 65535 at 14: \"with Owner(3:^)\""},
    {"with Owner(3:1@40000)", SHOAL_TEXT_INVALID,
     "expected a world tag from 0 to 32767 at 16: \"with Owner(3:1@^40000)\""},
    {"with Owner(3:1.5)", SHOAL_TEXT_INVALID,
     "expected an entity's generation from 0 to 65535 at 14: \"with Owner(3:^1.5)\""},
    {"with Owner(3:1, 4:1)", SHOAL_TEXT_INVALID, "expected \")\" at 15: \"with Owner(3:1^, 4:1)\""},
    {"with Owner(\"nobody/here\")", SHOAL_NOT_FOUND, "no entity has this path at 12: \"with Owner(^\"nobody/here\")\""},
    {"with Owner(\"\")", SHOAL_NOT_FOUND, "no entity has this path at 12: \"with Owner(^\"\")\""},
    /* shared values */
    {"with Spot(x = 3)", SHOAL_TEXT_INVALID,
     "no restriction can follow: Spot is neither a relation nor shared at 10: \"with Spot^(x = 3)\""},
    {"with Asleep(*)", SHOAL_TEXT_INVALID,
     "no restriction can follow: Asleep is neither a relation nor shared at 12: \"with Asleep^(*)\""},
    {"with Team()", SHOAL_TEXT_INVALID, "expected a field name at 11: \"with Team(^)\""},
    {"with Team(*)", SHOAL_TEXT_INVALID, "expected a field name at 11: \"with Team(^*)\""},
    {"with Team(number = 3)", SHOAL_TEXT_INVALID, "Team has no such field at 11: \"with Team(^number = 3)\""},
    {"with Team(id 3)", SHOAL_TEXT_INVALID, "expected \"=\" at 14: \"with Team(id ^3)\""},
    {"with Team(id = )", SHOAL_TEXT_INVALID,
     "expected a whole number from -2147483648 to 2147483647 at 16: \"with Team(id = ^)\""},
    {"with Team(id = 2147483648)", SHOAL_TEXT_INVALID,
     "expected a whole number from -2147483648 to 2147483647 at 16: \"with Team(id = ^2147483648)\""},
    {"with Team(id = 3.5)", SHOAL_TEXT_INVALID,
     "expected a whole number from -2147483648 to 2147483647 at 16: \"with Team(id = ^3.5)\""},
    {"with Team(id = \"3\")", SHOAL_TEXT_INVALID,
     "expected a whole number from -2147483648 to 2147483647 at 16: \"with Team(id = ^\"3\")\""},
    {"with Team(id = 3, id = 4)", SHOAL_TEXT_INVALID, "a second value for id at 19: \"with Team(id = 3, ^id = 4)\""},
    {"with Team(id = 3 side = \"a\")", SHOAL_TEXT_INVALID,
     "expected \",\" or \")\" at 18: \"with Team(id = 3 ^side = \"a\")\""},
    {"with Team(id = 3", SHOAL_TEXT_INVALID, "expected \",\" or \")\" at 17: \"with Team(id = 3^\""},
    {"with Team(id = 3x)", SHOAL_TEXT_INVALID, "expected \",\" or \")\" at 17: \"with Team(id = 3^x)\""},
    {"with Team(side = north)", SHOAL_TEXT_INVALID, "expected text in quotes at 18: \"with Team(side = ^north)\""},
    {"with Team(side = \"123456789012\")", SHOAL_TEXT_INVALID,
     "expected text of at most 11 bytes at 18: \"with Team(side = ^\"123456789012\")\""},
    {"with Team(is_hostile = 1)", SHOAL_TEXT_INVALID, "expected true or false at 24: \"with Team(is_hostile = ^1)\""},
    {"with Team(id.x = 1)", SHOAL_TEXT_INVALID, "id has no such field at 14: \"with Team(id.^x = 1)\""},
    {"with Team(id[0] = 1)", SHOAL_TEXT_INVALID, "expected \"=\" at 13: \"with Team(id^[0] = 1)\""},
    {"with Setup(u8 = -1)", SHOAL_TEXT_INVALID,
     "expected a whole number from 0 to 255 at 17: \"with Setup(u8 = ^-1)\""},
    {"with Setup(u64 = 18446744073709551616)", SHOAL_TEXT_INVALID,
     "expected a whole number from 0 to 18446744073709551615 at 18: \"with Setup(u64 = ^18446744073709551616)\""},
    {"with Setup(i64 = -9223372036854775809)", SHOAL_TEXT_INVALID,
     "expected a whole number from -9223372036854775808 to 9223372036854775807 at 18: "
     "\"with Setup(i64 = ^-9223372036854775809)\""},
    {"with Setup(f32 = fast)", SHOAL_TEXT_INVALID, "expected a number at 18: \"with Setup(f32 = ^fast)\""},
    {"with Setup(f32 = .5)", SHOAL_TEXT_INVALID, "expected a number at 18: \"with Setup(f32 = ^.5)\""},
    {"with Setup(f32 = 1e39)", SHOAL_TEXT_INVALID,
     "a number that is too large for 32 bits at 18: \"with Setup(f32 = ^1e39)\""},
    {"with Setup(f64 = -1e309)", SHOAL_TEXT_INVALID,
     "a number that is too large for 64 bits at 18: \"with Setup(f64 = ^-1e309)\""},
    {"with Setup(part = 3)", SHOAL_TEXT_INVALID, "expected \".\" and a field of part at 17: \"with Setup(part ^= 3)\""},
    {"with Setup(part.spot = 3)", SHOAL_TEXT_INVALID,
     "expected \".\" and a field of part.spot at 22: \"with Setup(part.spot ^= 3)\""},
    {"with Setup(part.size = 3)", SHOAL_TEXT_INVALID, "part has no such field at 17: \"with Setup(part.^size = 3)\""},
    {"with Setup(opaque = 3)", SHOAL_TEXT_INVALID, "opaque has no value as text at 19: \"with Setup(opaque ^= 3)\""},
    {"with Setup(numbers = 3)", SHOAL_TEXT_INVALID,
     "expected \"[\" and an index: numbers is an array at 20: \"with Setup(numbers ^= 3)\""},
    {"with Setup(numbers[3] = 3)", SHOAL_TEXT_INVALID,
     "expected an index from 0 to 2 at 20: \"with Setup(numbers[^3] = 3)\""},
    {"with Setup(parts[1.weight = 3)", SHOAL_TEXT_INVALID, "expected \"]\" at 19: \"with Setup(parts[1^.weight = 3)\""},
    {"with Setup(parts[1].weight = 3, parts[1].weight = 3)", SHOAL_TEXT_INVALID,
     "a second value for parts[1].weight at 33: \"... up(parts[1].weight = 3, ^parts[1].weight = 3)\""},
    {"with Setup(leader = ship)", SHOAL_TEXT_INVALID,
     "expected an entity as index:generation, or a path in quotes at 21: \"with Setup(leader = ^ship)\""},
    {"with Setup(leader = \"ship\")", SHOAL_NOT_FOUND,
     "no entity has this path at 21: \"with Setup(leader = ^\"ship\")\""},
    {"with Blob(value = 3)", SHOAL_TEXT_INVALID,
     "Blob has no values as text: it has no field table at 11: \"with Blob(^value = 3)\""},
    {"with Hooked(value = 3)", SHOAL_TEXT_INVALID,
     "Hooked has no values as text: it has hooks at 13: \"with Hooked(^value = 3)\""},
    /* order and groups */
    {"Spot, order by Spot.x", SHOAL_TEXT_INVALID,
     "expected a term (no comma stands before \"order by\" and \"group by\") at 7: \"Spot, ^order by Spot.x\""},
    {"Spot order Spot.x", SHOAL_TEXT_INVALID, "expected \"by\" at 12: \"Spot order ^Spot.x\""},
    {"Spot order by", SHOAL_TEXT_INVALID, "expected a component name at 14: \"Spot order by^\""},
    {"Spot order by Spot", SHOAL_TEXT_INVALID, "expected \".\" and a field at 19: \"Spot order by Spot^\""},
    {"Spot order by Spot.", SHOAL_TEXT_INVALID, "expected a field name at 20: \"Spot order by Spot.^\""},
    {"Spot order by Spot.z", SHOAL_TEXT_INVALID, "Spot has no such field at 20: \"Spot order by Spot.^z\""},
    {"Speed order by Speed.x", SHOAL_TEXT_INVALID, "Speed has no such field at 22: \"Speed order by Speed.^x\""},
    {"Body order by Body.spot", SHOAL_TEXT_INVALID, "spot is not a single number at 20: \"Body order by Body.^spot\""},
    {"Body order by Body.label", SHOAL_TEXT_INVALID,
     "label is not a single number at 20: \"Body order by Body.^label\""},
    {"Body order by Body.is_on", SHOAL_TEXT_INVALID,
     "is_on is not a single number at 20: \"Body order by Body.^is_on\""},
    {"Body order by Body.owner", SHOAL_TEXT_INVALID,
     "owner is not a single number at 20: \"Body order by Body.^owner\""},
    {"Body order by Body.limbs[1]", SHOAL_TEXT_INVALID,
     "limbs[1] is not a single number at 20: \"Body order by Body.^limbs[1]\""},
    {"Spot order by Spot.x, Speed", SHOAL_TEXT_INVALID,
     "expected \"order by\", \"group by\" or the end at 21: \"Spot order by Spot.x^, Speed\""},
    {"Spot order by Spot.x asc", SHOAL_TEXT_INVALID,
     "expected \"order by\", \"group by\" or the end at 22: \"Spot order by Spot.x ^asc\""},
    {"Spot order by Spot.x order by Spot.y", SHOAL_TEXT_INVALID,
     "a second \"order by\" at 22: \"Spot order by Spot.x ^order by Spot.y\""},
    {"Team group by Team desc group by Team", SHOAL_TEXT_INVALID,
     "a second \"group by\" at 25: \"Team group by Team desc ^group by Team\""},
    {"Spot group by Spot", SHOAL_TEXT_INVALID,
     "Spot is neither shared nor an acyclic relation at 15: \"Spot group by ^Spot\""},
    {"Spot group by Owner", SHOAL_TEXT_INVALID,
     "Owner is neither shared nor an acyclic relation at 15: \"Spot group by ^Owner\""},
    {"Spot group by Guild", SHOAL_COMPONENT_INVALID,
     "no registered component type has this name at 15: \"Spot group by ^Guild\""},
    /* bytes that are no characters */
    {"Spot\x01\x7F\xFF\xC0\x80, \xED\xA0\x80", SHOAL_TEXT_INVALID,
     "expected \",\", \"order by\", \"group by\" or the end at 5: \"Spot^?????, ???\""},
    {"with \"\n\xC2\x85\xF4\x90\x80\x80\xE2\x82", SHOAL_TEXT_INVALID,
     "a quote that is never closed at 6: \"with ^\"?????????\""},
    {"with \xC3\xB6", SHOAL_TEXT_INVALID, "expected a component name at 6: \"with ^\xC3\xB6\""},
};

static void test_refusals(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        query_text parsed;
        char expected[512];
        size_t before = fixture_total_bytes(&f);
        test_set_context("refusal %zu: %s", i, refusals[i].text);
        assert_status(read_copy(&f, refusals[i].text, &parsed), refusals[i].status);
        snprintf(expected, sizeof expected, CALL ": %s: %s", shoal_status_name(refusals[i].status), refusals[i].detail);
        assert_string_equal(shoal_last_error(f.world).message, expected);
        assert_last_error(f.world, refusals[i].status);
        assert_count(parsed.term_count, 0);
        assert_null(parsed.terms);
        assert_count(fixture_total_bytes(&f), before);
    }
    fixture_end(&f);
}

/* What only the making of a query finds wrong is shown in its text as well. */
static void test_terms_that_do_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *detail;
    } misfits[] = {
        {"Spot, write Player", "term 1 asks for \"write\" data of Player, which is a tag; use with or without at 13: "
                               "\"Spot, write ^Player\""},
        {"Spot, write Spot", "terms 0 (read) and 1 (write) both name Spot at 13: \"Spot, write ^Spot\""},
        {"Spot order by Body.desc",
         "the query sorts by Body, which it does not require at 15: \"Spot order by ^Body.desc\""},
    };
    fixture f;
    fixture_start(&f, NULL);
    for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++) {
        char expected[512];
        test_set_context("misfit %zu: %s", i, misfits[i].text);
        assert_null(shoal_query_create(f.world, &(shoal_query_def){.text = misfits[i].text}));
        snprintf(expected, sizeof expected, "shoal_query_create: %s: %s", shoal_status_name(SHOAL_TERM_INVALID),
                 misfits[i].detail);
        assert_string_equal(shoal_last_error(f.world).message, expected);
        assert_last_error(f.world, SHOAL_TERM_INVALID);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* The text around a place is cut between characters: 24 and 32 bytes would be in the middle of one. */
static void test_message_cuts_between_characters(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    query_text parsed;
    assert_status(
        read_copy(&f,
                  "with \"\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"
                  "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\"",
                  &parsed),
        SHOAL_COMPONENT_INVALID);
    assert_message_has(f.world,
                       " at 6: \"with ^\"\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"
                       "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\"\"");
    assert_status(
        read_copy(&f,
                  "with \"\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"
                  "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\", Spot",
                  &parsed),
        SHOAL_COMPONENT_INVALID);
    assert_message_has(f.world,
                       " at 6: \"with ^\"\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC"
                       "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC ...\"");
    assert_status(read_copy(&f,
                            "Team(side = \"\xE2\x82\xAC\xE2\x82\xAC\", side = \"\xE2\x82\xAC\xE2\x82\xAC\", id = 1)",
                            &parsed),
                  SHOAL_TEXT_INVALID);
    assert_message_has(f.world, " at 23: \"Team(side = \"\xE2\x82\xAC\xE2\x82\xAC\", ^side = ");
    assert_status(read_copy(&f, "Team(side = \"\xE2\x82\xAC\xE2\x82\xAC\", is_hostile = yes)", &parsed),
                  SHOAL_TEXT_INVALID);
    assert_message_has(f.world, " at 36: \"... \"\xE2\x82\xAC\xE2\x82\xAC\", is_hostile = ^yes)\"");
    assert_status(read_copy(&f, "Team(side = \"\xE2\x82\xAC\xE2\x82\xAC\", is_hostile =    yes)", &parsed),
                  SHOAL_TEXT_INVALID);
    assert_message_has(f.world, " at 39: \"... \xE2\x82\xAC\", is_hostile =    ^yes)\"");
    fixture_end(&f);
}

int main(void) {
    types_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_terms_that_do_not_fit),
        cmocka_unit_test(test_message_cuts_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
