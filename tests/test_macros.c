/*
 * The macros with a value in place: each takes types whose values are what it writes down, and no other. A buffer's
 * value is a span and a relation's is a link, so an object of the type in their place would be read beyond its end.
 */
#include "support/calls.h"
#include "support/fixture.h"
#include "support/test.h"

#include <string.h>

typedef struct Note {
    char letter;
} Note;

typedef Note Mark, Owes, Weather;

SHOAL_COMPONENT(Note, .storage = SHOAL_STORAGE_BUFFER)
SHOAL_COMPONENT(Mark)
SHOAL_RELATION_DATA(Owes)
SHOAL_COMPONENT(Weather, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_RELATION(Near)

static void check_hint(const char *hint) {
    const shoal_error error = shoal_last_error(NULL);
    assert_int_equal(error.status, SHOAL_COMPONENT_KIND);
    assert_non_null(strstr(error.message, hint));
}

static void test_values_in_place(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    shoal_entity entity = spawn_one(f.world, NULL, 0);
    for (size_t round = 0; round < 2; round++) { /* before and after the types are known */
        assert_status(SHOAL_ADD(f.world, entity, Note, 'a'), SHOAL_COMPONENT_INVALID);
        check_hint("SHOAL_ITEMS");
        assert_status(SHOAL_SET(f.world, entity, Owes, 'a'), SHOAL_COMPONENT_INVALID);
        check_hint("SHOAL_TO");
        assert_status(SHOAL_COMMANDS_ADD(commands, entity, Owes, 'a'), SHOAL_COMPONENT_INVALID);
        assert_status(SHOAL_COMMANDS_SET(commands, entity, Note, 'a'), SHOAL_COMPONENT_INVALID);
        assert_true(shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Note, 'a')))));
        assert_true(shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_TO(Mark, entity)))));
        check_hint("SHOAL_VALUE");
        assert_true(shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_TO(Note, entity)))));
        assert_true(shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_ITEMS(Mark, {'a'})))));
        assert_true(shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_ITEMS(Owes, {'a'})))));
    }
    assert_count(shoal_commands_count(commands), 0);
    shoal_entity whole = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Mark, 'm'), SHOAL_ITEMS(Note, {'a'}, {'b'}),
                                                         SHOAL_TO_WITH(Owes, entity, 'o'), SHOAL_TO(Near, entity)));
    assert_int_equal(SHOAL_GET(f.world, whole, Mark)->letter, 'm');
    assert_ok(SHOAL_UNIQUE_SET(f.world, Weather, 'w'));
    assert_int_equal(SHOAL_UNIQUE(f.world, Weather)->letter, 'w');
    fixture_end(&f);
}

/* A term needs no further member; what is said of its target is what is wrong with a link. */
static void test_links_without_a_target(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    shoal_entity entity = spawn_one(f.world, NULL, 0);
    const shoal_term term[] = {SHOAL_TERM(WITH, Near)};
    (void)make_query(f.world, term, 1);
    assert_status(shoal_add(f.world, entity, SHOAL_ID(Near), NULL), SHOAL_ENTITY_NULL);
    assert_non_null(strstr(shoal_last_error(f.world).message, "Near needs a target"));
    assert_status(shoal_commands_relate(commands, entity, SHOAL_ID(Near), (shoal_entity){0}, NULL), SHOAL_ENTITY_NULL);
    assert_non_null(strstr(shoal_last_error(f.world).message, "Near needs a target"));
    fixture_end(&f);
}

/* What is dropped is told by the result; the last error is that of before. */
static void test_drops_are_no_errors(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    shoal_entity above = spawn_one(f.world, NULL, 0);
    shoal_entity below = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, above)));
    assert_ok(shoal_commands_relate(commands, above, SHOAL_ID(ChildOf), below, NULL)); /* a cycle */
    assert_applied(commands, 0, 1);
    assert_int_equal(shoal_last_error(f.world).status, SHOAL_OK);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_in_place),
        cmocka_unit_test(test_links_without_a_target),
        cmocka_unit_test(test_drops_are_no_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
