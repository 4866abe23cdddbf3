/*
 * Names and paths, as the public calls give them: what a name may be, who keeps one from being given, what moves and
 * ends with its entity, and paths both ways. The table below is in test_names.c.
 */
#include "support/components.h"
#include "support/fixture.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

SHOAL_TAG(Ruin, .cleanup = true)

static const shoal_entity nobody = {0};
static const shoal_value no_values[1];

static shoal_entity spawn_named(shoal_world *world, shoal_entity parent, const char *name) {
    shoal_entity entity = shoal_spawn(world, no_values, 0);
    assert_false(shoal_entity_is_null(entity));
    if (!shoal_entity_is_null(parent)) {
        assert_ok(shoal_set_parent(world, entity, parent));
    }
    if (name != NULL) {
        assert_ok(shoal_set_name(world, entity, name));
    }
    return entity;
}

/* An entity's name, and the way there and back by its path from the root. */
static void check_named(const shoal_world *world, shoal_entity entity, const char *name, const char *path) {
    char text[256];
    assert_string_equal(shoal_name(world, entity), name);
    assert_entity(shoal_lookup(world, nobody, path), entity);
    assert_count(shoal_path(world, entity, text, sizeof text), strlen(path));
    assert_string_equal(text, path);
}

static void check_not_found(const shoal_world *world, shoal_entity from, const char *path, const char *part) {
    test_set_context("%s", path);
    assert_entity(shoal_lookup(world, from, path), nobody);
    assert_last_error(world, SHOAL_NOT_FOUND);
    assert_message_has(world, "shoal_lookup:");
    assert_message_has(world, part);
    test_set_context("%s", "");
}

/* ---- names ---- */

static void test_names_and_paths(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = spawn_named(f.world, nobody, "ship");
    shoal_entity turret = spawn_named(f.world, ship, "turret");
    shoal_entity gun = spawn_named(f.world, turret, "gun");
    shoal_entity other = spawn_named(f.world, ship, "gun"); /* another parent */
    shoal_entity spare = spawn_named(f.world, nobody, "gun");
    check_named(f.world, ship, "ship", "ship");
    check_named(f.world, turret, "turret", "ship/turret");
    check_named(f.world, gun, "gun", "ship/turret/gun");
    check_named(f.world, other, "gun", "ship/gun");
    check_named(f.world, spare, "gun", "gun");
    assert_entity(shoal_lookup(f.world, ship, "turret/gun"), gun);
    assert_entity(shoal_lookup(f.world, turret, "gun"), gun);
    check_not_found(f.world, gun, "gun", "\"gun\"");
    check_not_found(f.world, nobody, "ship/tower/gun", "\"tower\" at byte 5");
    check_not_found(f.world, nobody, "shi", "\"shi\"");
    check_not_found(f.world, nobody, "ships", "\"ships\"");
    check_not_found(f.world, nobody, "Ship", "\"Ship\"");
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_renaming(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = spawn_named(f.world, nobody, "ship");
    shoal_entity gun = spawn_named(f.world, ship, "gun");
    assert_ok(shoal_set_name(f.world, ship, "boat"));
    check_named(f.world, gun, "gun", "boat/gun");
    check_not_found(f.world, nobody, "ship/gun", "\"ship\"");
    assert_ok(shoal_set_name(f.world, ship, "boat"));
    assert_ok(shoal_set_name(f.world, ship, shoal_name(f.world, ship))); /* from its own place */
    assert_ok(shoal_set_name(f.world, ship, shoal_name(f.world, ship) + 1));
    check_named(f.world, ship, "oat", "oat");
    assert_ok(shoal_set_name(f.world, ship, NULL));
    assert_ok(shoal_set_name(f.world, ship, NULL));
    assert_null(shoal_name(f.world, ship));
    check_not_found(f.world, nobody, "oat/gun", "\"oat\"");
    assert_entity(shoal_lookup(f.world, ship, "gun"), gun);
    assert_ok(shoal_set_name(f.world, spawn_named(f.world, nobody, NULL), "oat")); /* free again */
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_what_a_name_may_be(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    char longest[SHOAL_NAME_BYTES + 2];
    memset(longest, 'n', sizeof longest);
    longest[SHOAL_NAME_BYTES] = '\0';
    shoal_entity ship = spawn_named(f.world, nobody, longest);
    assert_entity(shoal_lookup(f.world, nobody, longest), ship);
    assert_ok(shoal_set_name(f.world, ship, "Schiff \xC3\xBC\xE2\x82\xAC\xF0\x9F\x9A\xA2 .."));
    assert_ok(shoal_set_name(f.world, ship, "kept"));
    longest[SHOAL_NAME_BYTES] = 'n';
    longest[SHOAL_NAME_BYTES + 1] = '\0';
    const struct {
        const char *name;
        const char *message;
    } refused[] = {
        {"", "empty at byte 0"},          {longest, "longer than 255 bytes at byte 255"},
        {"a/b", "/ at byte 1"},           {"ab\n", "control character at byte 2"},
        {"abc\x7F", "control character"}, {"abcd\xC3", "not UTF-8 at byte 4"},
        {"\xC0\xAF", "not UTF-8"},        {"ab\xED\xA0\x80", "not UTF-8 at byte 2"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        test_set_context("name %zu", i);
        assert_status(shoal_set_name(f.world, ship, refused[i].name), SHOAL_NAME_INVALID);
        assert_last_error(f.world, SHOAL_NAME_INVALID);
        assert_message_has(f.world, "shoal_set_name:");
        assert_message_has(f.world, refused[i].message);
        check_named(f.world, ship, "kept", "kept");
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

/* ---- taken names ---- */

static void test_taken_names(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = spawn_named(f.world, nobody, "ship");
    shoal_entity second = spawn_named(f.world, nobody, "second");
    shoal_entity gun = spawn_named(f.world, ship, "gun");
    shoal_entity mast = spawn_named(f.world, ship, "mast");
    char holder[SHOAL_ENTITY_TEXT_SIZE];
    shoal_entity_format(gun, holder, sizeof holder);
    assert_status(shoal_set_name(f.world, second, "ship"), SHOAL_NAME_TAKEN);
    assert_status(shoal_set_name(f.world, mast, "gun"), SHOAL_NAME_TAKEN);
    assert_last_error(f.world, SHOAL_NAME_TAKEN);
    assert_message_has(f.world, holder);
    assert_message_has(f.world, "shoal_set_name:");
    check_named(f.world, mast, "mast", "ship/mast");
    assert_ok(shoal_set_name(f.world, mast, "ship")); /* as the parent: fine */
    assert_valid(f.world);
    fixture_end(&f);
}

/* A parent, or the root, that has a child of that name already. */
static void test_reparenting_onto_a_taken_name(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component child_of = SHOAL_ID(ChildOf);
    shoal_entity ship = spawn_named(f.world, nobody, "ship");
    shoal_entity boat = spawn_named(f.world, nobody, "boat");
    shoal_entity gun = spawn_named(f.world, ship, "gun");
    shoal_entity other = spawn_named(f.world, boat, "gun");
    shoal_entity root = spawn_named(f.world, nobody, "gun");
    assert_status(shoal_set_parent(f.world, gun, boat), SHOAL_NAME_TAKEN);
    assert_message_has(f.world, "shoal_set_parent:");
    assert_status(shoal_relate(f.world, gun, child_of, boat, NULL), SHOAL_NAME_TAKEN);
    assert_message_has(f.world, "shoal_relate:");
    assert_status(shoal_add(f.world, gun, child_of, &(shoal_link){.target = boat}), SHOAL_NAME_TAKEN);
    assert_status(shoal_set_parent(f.world, root, ship), SHOAL_NAME_TAKEN);
    assert_status(shoal_set_parent(f.world, gun, nobody), SHOAL_NAME_TAKEN);
    assert_message_has(f.world, "shoal_set_parent:");
    assert_status(shoal_unrelate(f.world, gun, child_of, nobody), SHOAL_NAME_TAKEN);
    assert_message_has(f.world, "\"gun\"");
    assert_status(shoal_unrelate(f.world, gun, child_of, ship), SHOAL_NAME_TAKEN);
    assert_ok(shoal_unrelate(f.world, gun, child_of, boat)); /* not its parent: nothing happens */
    assert_ok(shoal_set_parent(f.world, root, nobody));      /* is one already */
    check_named(f.world, gun, "gun", "ship/gun");
    check_named(f.world, other, "gun", "boat/gun");
    check_named(f.world, root, "gun", "gun");
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_losing_the_parent_otherwise(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component child_of = SHOAL_ID(ChildOf);
    shoal_entity ship = spawn_named(f.world, nobody, "ship");
    shoal_entity gun = spawn_named(f.world, ship, "gun");
    shoal_entity root = spawn_named(f.world, nobody, "gun");
    assert_status(shoal_remove(f.world, gun, child_of), SHOAL_NAME_TAKEN);
    assert_message_has(f.world, "shoal_remove:");
    assert_status(shoal_change_entity(f.world, gun, &(shoal_change){.remove = &child_of, .remove_count = 1}),
                  SHOAL_NAME_TAKEN);
    assert_ok(shoal_add(f.world, gun, SHOAL_ID(Health), NULL));
    assert_status(shoal_clear(f.world, gun), SHOAL_NAME_TAKEN);
    assert_true(SHOAL_HAS(f.world, gun, Health));
    check_named(f.world, gun, "gun", "ship/gun");
    assert_valid(f.world);
    assert_ok(shoal_set_name(f.world, root, "root"));
    assert_ok(shoal_clear(f.world, gun));
    check_named(f.world, gun, "gun", "gun");
    assert_valid(f.world);
    assert_ok(shoal_set_parent(f.world, gun, ship));
    assert_ok(shoal_remove(f.world, gun, child_of));
    check_named(f.world, gun, "gun", "gun");
    fixture_end(&f);
}

static void test_names_move_with_their_entities(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = spawn_named(f.world, nobody, "ship");
    shoal_entity boat = spawn_named(f.world, nobody, "boat");
    shoal_entity turret = spawn_named(f.world, ship, "turret");
    shoal_entity gun = spawn_named(f.world, turret, "gun");
    assert_ok(shoal_set_parent(f.world, turret, boat));
    check_named(f.world, gun, "gun", "boat/turret/gun");
    check_not_found(f.world, nobody, "ship/turret/gun", "\"turret\"");
    assert_ok(shoal_set_parent(f.world, turret, nobody));
    check_named(f.world, gun, "gun", "turret/gun");
    assert_ok(shoal_set_name(f.world, spawn_named(f.world, boat, NULL), "turret"));
    assert_ok(shoal_relate(f.world, turret, SHOAL_ID(ChildOf), ship, NULL));
    check_named(f.world, gun, "gun", "ship/turret/gun");
    assert_ok(shoal_unrelate(f.world, turret, SHOAL_ID(ChildOf), ship));
    check_named(f.world, gun, "gun", "turret/gun");
    assert_ok(shoal_world_trim(f.world, 0, NULL));
    check_named(f.world, gun, "gun", "turret/gun");
    assert_valid(f.world);
    fixture_end(&f);
}

static void test_names_end_with_their_entities(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity lone = spawn_named(f.world, nobody, "lone");
    assert_ok(shoal_destroy(f.world, lone));
    assert_valid(f.world);
    check_not_found(f.world, nobody, "lone", "\"lone\"");
    shoal_entity next = spawn_named(f.world, nobody, NULL);
    assert_count(shoal_entity_index(next), shoal_entity_index(lone));
    assert_null(shoal_name(f.world, next));

    shoal_entity ship = spawn_named(f.world, nobody, "ship");
    shoal_entity gun = spawn_named(f.world, ship, "gun");
    assert_ok(shoal_destroy_many(f.world, &ship, 1));
    assert_false(shoal_is_alive(f.world, gun));
    assert_valid(f.world);
    ship = spawn_named(f.world, nobody, "ship");
    gun = spawn_named(f.world, ship, "gun");
    check_named(f.world, gun, "gun", "ship/gun");
    assert_ok(shoal_destroy(f.world, gun));
    check_not_found(f.world, nobody, "ship/gun", "\"gun\" at byte 5");
    fixture_end(&f);
}

static void test_dying_entities_have_no_name(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ruin = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Ruin)));
    assert_ok(shoal_set_name(f.world, ruin, "ruin"));
    assert_ok(shoal_destroy(f.world, ruin));
    assert_true(shoal_is_dying(f.world, ruin));
    assert_null(shoal_name(f.world, ruin));
    assert_status(shoal_set_name(f.world, ruin, "ruin"), SHOAL_ENTITY_DYING);
    assert_message_has(f.world, "shoal_set_name:");
    assert_ok(shoal_set_name(f.world, ruin, NULL));
    (void)spawn_named(f.world, nobody, "ruin");
    assert_valid(f.world);
    fixture_end(&f);
}

/* ---- paths ---- */

static void test_invalid_paths(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = spawn_named(f.world, nobody, "ship");
    (void)spawn_named(f.world, ship, "gun");
    char wide[300];
    memset(wide, 'w', sizeof wide);
    memcpy(wide, "ship/", 5);
    wide[sizeof wide - 1] = '\0';
    const struct {
        const char *path;
        const char *message;
    } invalid[] = {
        {"", "empty at byte 0"},
        {"/ship", "empty at byte 0"},
        {"ship/", "empty at byte 5"},
        {"ship//gun", "empty at byte 5"},
        {"none/gun/", "empty at byte 9"},
        {"ship/g\tun", "control character at byte 6"},
        {"/", "empty at byte 0"},
        {"ship/gu\xFFn", "not UTF-8 at byte 7"},
        {wide, "longer than 255 bytes at byte 260"},
    };
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        test_set_context("path %zu", i);
        assert_entity(shoal_lookup(f.world, nobody, invalid[i].path), nobody);
        assert_last_error(f.world, SHOAL_NAME_INVALID);
        assert_message_has(f.world, "shoal_lookup:");
        assert_message_has(f.world, invalid[i].message);
    }
    wide[5 + SHOAL_NAME_BYTES] = '\0'; /* 255 bytes are a name that might be */
    check_not_found(f.world, nobody, wide, "www");
    fixture_end(&f);
}

static void test_paths_are_cut_to_fit(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = spawn_named(f.world, nobody,
                                    "a\xC3\xBC"
                                    "b");
    shoal_entity unnamed = spawn_named(f.world, ship, NULL);
    shoal_entity gun = spawn_named(f.world, unnamed, "\xE2\x82\xAC\xF0\x9F\x9A\xA2");
    char whole[64], handle[SHOAL_ENTITY_TEXT_SIZE];
    shoal_entity_format(unnamed, handle, sizeof handle);
    size_t length = (size_t)snprintf(whole, sizeof whole,
                                     "a\xC3\xBC"
                                     "b/%s/\xE2\x82\xAC\xF0\x9F\x9A\xA2",
                                     handle);
    for (size_t size = 0; size <= length + 2; size++) {
        char text[64];
        memset(text, '#', sizeof text);
        assert_count(shoal_path(f.world, gun, text, size), length);
        size_t kept = size == 0 ? 0 : strlen(text);
        assert_memory_equal(text, whole, kept);
        assert_true(size == 0 || kept < size);
        assert_int_equal(text[size], '#');
        size_t possible = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
        assert_true(kept == possible || (possible - kept < 4 && ((unsigned char)whole[possible] & 0xC0) == 0x80));
        assert_true(((unsigned char)whole[kept] & 0xC0) != 0x80); /* no sequence is cut */
    }
    assert_count(shoal_path(f.world, gun, NULL, 0), length);
    assert_count(shoal_path(f.world, gun, NULL, 1), 0);
    assert_last_error(f.world, SHOAL_INVALID_ARGUMENT);
    fixture_end(&f);
}

static void test_deep_paths(void **state) {
    (void)state;
    enum { DEPTH = 3000 };
    fixture f;
    fixture_start(&f, NULL);
    static char path[DEPTH * 5 + 1];
    static char text[DEPTH * 5 + 1];
    shoal_entity at = nobody;
    size_t length = 0;
    for (unsigned i = 0; i < DEPTH; i++) {
        char name[8];
        snprintf(name, sizeof name, "%u", i);
        at = spawn_named(f.world, at, name);
        length += (size_t)snprintf(path + length, sizeof path - length, "%s%s", i != 0 ? "/" : "", name);
    }
    assert_count(shoal_path(f.world, at, text, sizeof text), length);
    assert_string_equal(text, path);
    assert_entity(shoal_lookup(f.world, nobody, path), at);
    fixture_end(&f);
}

/* ---- what is refused ---- */

static void test_bad_handles(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_world *other = shoal_world_create(NULL);
    shoal_entity dead = spawn_named(f.world, nobody, "dead");
    assert_ok(shoal_destroy(f.world, dead));
    (void)spawn_named(f.world, nobody, "alive"); /* in its slot */
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    const struct {
        shoal_entity entity;
        shoal_status status;
    } bad[] = {
        {nobody, SHOAL_ENTITY_NULL},
        {dead, SHOAL_ENTITY_DEAD},
        {spawn_named(other, nobody, "far"), SHOAL_ENTITY_FOREIGN},
        {shoal_commands_spawn(commands, no_values, 0), SHOAL_ENTITY_PLACEHOLDER},
    };
    for (size_t i = 0; i < 4; i++) {
        char text[8] = "#######";
        assert_status(shoal_set_name(f.world, bad[i].entity, "name"), bad[i].status);
        assert_message_has(f.world, "shoal_set_name:");
        assert_status(shoal_set_name(f.world, bad[i].entity, NULL), bad[i].status);
        assert_null(shoal_name(f.world, bad[i].entity));
        assert_last_error(f.world, bad[i].status);
        assert_message_has(f.world, "shoal_name:");
        assert_count(shoal_path(f.world, bad[i].entity, text, sizeof text), 0);
        assert_string_equal(text, "");
        assert_last_error(f.world, bad[i].status);
        assert_message_has(f.world, "shoal_path:");
        if (i != 0) { /* null means the roots */
            assert_entity(shoal_lookup(f.world, bad[i].entity, "name"), nobody);
            assert_last_error(f.world, bad[i].status);
            assert_message_has(f.world, "shoal_lookup:");
        }
    }
    assert_valid(f.world);
    fixture_end(&f);
    assert_ok(shoal_world_destroy(other));
}

static void test_null_arguments(void **state) {
    (void)state;
    char text[4] = "###";
    assert_status(shoal_set_name(NULL, nobody, "name"), SHOAL_INVALID_ARGUMENT);
    assert_last_error(NULL, SHOAL_INVALID_ARGUMENT);
    assert_null(shoal_name(NULL, nobody));
    assert_entity(shoal_lookup(NULL, nobody, "name"), nobody);
    assert_message_has(NULL, "shoal_lookup:");
    assert_count(shoal_path(NULL, nobody, text, sizeof text), 0);
    assert_string_equal(text, "");
    fixture f;
    fixture_start(&f, NULL);
    assert_entity(shoal_lookup(f.world, nobody, NULL), nobody);
    assert_last_error(f.world, SHOAL_INVALID_ARGUMENT);
    fixture_end(&f);
}

static void test_locked_world(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = spawn_named(f.world, nobody, "ship");
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        assert_status(shoal_set_name(f.world, ship, "boat"), SHOAL_WORLD_LOCKED);
        assert_message_has(f.world, "everything");
        assert_status(shoal_set_name(f.world, ship, NULL), SHOAL_WORLD_LOCKED);
        check_named(f.world, ship, "ship", "ship");
    }
    assert_ok(shoal_set_name(f.world, ship, "boat"));
    fixture_end(&f);
}

static void test_failing_allocations(void **state) {
    (void)state;
    bool done = false;
    for (size_t n = 1; !done; n++) {
        test_set_context("allocation %zu", n);
        fixture f;
        fixture_start(&f, NULL);
        shoal_entity ship = spawn_named(f.world, nobody, NULL);
        fake_allocator_arm(&f.fake, n, false);
        shoal_status status = shoal_set_name(f.world, ship, "ship");
        done = !fake_allocator_disarm(&f.fake);
        assert_status(status, done ? SHOAL_OK : SHOAL_OUT_OF_MEMORY);
        assert_valid(f.world);
        assert_count(shoal_name(f.world, ship) != NULL, done);
        assert_ok(shoal_set_name(f.world, ship, "ship"));
        fake_allocator_arm(&f.fake, 1, false);
        status = shoal_set_name(f.world, ship, "boat"); /* the old name stays */
        assert_true(fake_allocator_disarm(&f.fake));
        assert_status(status, SHOAL_OUT_OF_MEMORY);
        assert_message_has(f.world, "shoal_set_name:");
        check_named(f.world, ship, "ship", "ship");
        fixture_end(&f);
    }
    test_set_context("%s", "");
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_paths),
        cmocka_unit_test(test_renaming),
        cmocka_unit_test(test_what_a_name_may_be),
        cmocka_unit_test(test_taken_names),
        cmocka_unit_test(test_reparenting_onto_a_taken_name),
        cmocka_unit_test(test_losing_the_parent_otherwise),
        cmocka_unit_test(test_names_move_with_their_entities),
        cmocka_unit_test(test_names_end_with_their_entities),
        cmocka_unit_test(test_dying_entities_have_no_name),
        cmocka_unit_test(test_invalid_paths),
        cmocka_unit_test(test_paths_are_cut_to_fit),
        cmocka_unit_test(test_deep_paths),
        cmocka_unit_test(test_bad_handles),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_locked_world),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
