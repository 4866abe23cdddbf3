/*
 * Entities, trees, uniques and the memory report as text, with components of every kind. test_print.c has fields and
 * numbers, test_print_csv_kinds.c the same kinds as CSV.
 */
#include "test_print_kinds.h"

#include <inttypes.h>

/* ---- helpers ---- */

static void check_print_at(const shoal_world *world, shoal_entity entity, const char *expected, int line) {
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_print_entity(world, entity, sink_write, &s));
    check_tagged(world, &s, expected, __FILE__, line);
}
#define check_print(world, entity, expected) check_print_at((world), (entity), (expected), __LINE__)

static void check_tree_at(const shoal_world *world, shoal_component relation, shoal_entity root, const char *expected,
                          int line) {
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_print_tree(world, relation, root, sink_write, &s));
    check_tagged(world, &s, expected, __FILE__, line);
}
#define check_tree(world, relation, root, expected) check_tree_at((world), (relation), (root), (expected), __LINE__)

static const shoal_entity nobody = {0};

/* ---- entities ---- */

/* In the order of shoal_next_component(): columns by id, the rest of the archetype by id, then what lies outside. */
static void test_every_kind(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity iron = must_name(f.world, spawn_one(f.world, NULL, 0), "iron");
    shoal_entity ship = spawn_one(
        f.world, SHOAL_VALUES(SHOAL_VALUE(Place, 1.5f, -2), SHOAL_VALUE(Armour, 7), SHOAL_DEFAULT(Awake),
                              SHOAL_VALUE(Side, "north", 3), SHOAL_VALUE(Bounds, 0, 10),
                              SHOAL_ITEMS(Trail, {1, 0.1}, {2, 3}, {4, 5}), SHOAL_ITEMS(Remark, {"say \"a\"", 9}),
                              SHOAL_ITEMS(Crumb, {{1, 0xAB}}), SHOAL_VALUE(Mark, 12, true), SHOAL_DEFAULT(Spotted),
                              SHOAL_TO_WITH(Carries, iron, 12)));
    check_print(f.world, must_name(f.world, ship, "ship"),
                "entity 1:0@ \"ship\"\n"
                "  Place.x = 1.5\n"
                "  Place.y = -2\n"
                "  Armour.value = 7\n"
                "  Trail = 3 elements\n"
                "  Trail[0].x = 1\n"
                "  Trail[0].y = 0.1\n"
                "  Trail[1].x = 2\n"
                "  Trail[1].y = 3\n"
                "  Trail[2].x = 4\n"
                "  Trail[2].y = 5\n"
                "  Remark = 1 element\n"
                "  Remark[0].text = \"say \\\"a\\\"\"\n"
                "  Remark[0].weight = 9\n"
                "  Crumb = 1 element\n"
                "  Crumb[0] = 01ab\n"
                "  Awake\n"
                "  Side.name = \"north\"\n"
                "  Side.number = 3\n"
                "  Bounds.low = 0\n"
                "  Bounds.high = 10\n"
                "  Mark.level = 12\n"
                "  Mark.seen = true\n"
                "  Spotted\n"
                "  Carries -> 0:0@ \"iron\"\n"
                "    Carries.count = 12\n");
    check_print(f.world, iron, "entity 0:0@ \"iron\"\n");
    fixture_end(&f);
}

static void test_disabled(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Armour, 7), SHOAL_DEFAULT(Awake),
                                                          SHOAL_VALUE(Place, 1, 2), SHOAL_ITEMS(Trail, {1, 2})));
    assert_ok(shoal_disable(f.world, entity, SHOAL_ID(Armour)));
    assert_ok(shoal_disable(f.world, entity, SHOAL_ID(Awake)));
    assert_ok(shoal_disable(f.world, entity, SHOAL_ID(Trail)));
    check_print(f.world, entity,
                "entity 0:0@\n"
                "  Place.x = 1\n"
                "  Place.y = 2\n"
                "  Armour.value = 7 (disabled)\n"
                "  Trail = 1 element (disabled)\n"
                "  Trail[0].x = 1 (disabled)\n"
                "  Trail[0].y = 2 (disabled)\n"
                "  Awake (disabled)\n");
    assert_ok(shoal_enable(f.world, entity, SHOAL_ID(Trail)));
    assert_ok(shoal_enable(f.world, entity, SHOAL_ID(Awake)));
    check_print(f.world, entity,
                "entity 0:0@\n"
                "  Place.x = 1\n"
                "  Place.y = 2\n"
                "  Armour.value = 7 (disabled)\n"
                "  Trail = 1 element\n"
                "  Trail[0].x = 1\n"
                "  Trail[0].y = 2\n"
                "  Awake\n");
    fixture_end(&f);
}

static void test_empty_buffer(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Remark)));
    check_print(f.world, entity, "entity 0:0@\n  Remark = 0 elements\n");
    fixture_end(&f);
}

static void test_dying(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Wreck), SHOAL_VALUE(Place, 1, 2)));
    check_print(f.world, entity, "entity 0:0@\n  Place.x = 1\n  Place.y = 2\n  Wreck\n");
    assert_ok(shoal_destroy(f.world, entity));
    check_print(f.world, entity, "entity 0:0@ (dying)\n  Dying\n  Wreck\n");
    fixture_end(&f);
}

/* Targets in the order in which they were given; a path only where the target has a name. */
static void test_targets(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = must_name(f.world, spawn_one(f.world, NULL, 0), "ship");
    shoal_entity turret = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, ship)));
    must_name(f.world, turret, "turret \"A\"");
    shoal_entity shell = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, turret)));
    shoal_entity mate = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO_WITH(Serves, ship, 2), SHOAL_TO(Follows, shell)));
    assert_ok(shoal_relate(f.world, mate, SHOAL_ID(Carries), turret, &(Carries){1}));
    assert_ok(shoal_relate(f.world, mate, SHOAL_ID(Carries), shell, &(Carries){-30}));
    check_print(f.world, mate,
                "entity 3:0@\n"
                "  Serves -> 0:0@ \"ship\"\n"
                "    Serves.rank = 2\n"
                "  Follows -> 2:0@\n"
                "  Carries -> 1:0@ \"ship/turret \\\"A\\\"\"\n"
                "    Carries.count = 1\n"
                "  Carries -> 2:0@\n"
                "    Carries.count = -30\n");
    check_print(f.world, turret, "entity 1:0@ \"turret \\\"A\\\"\"\n  ChildOf -> 0:0@ \"ship\"\n");
    fixture_end(&f);
}

/* A path of 1,023 bytes is shown whole, one of 1,024 is cut. */
static void test_long_path(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    static const size_t lengths[] = {255, 255, 255, 253};
    char path[1100] = "";
    size_t path_length = 0;
    shoal_entity parent = nobody;
    for (size_t i = 0; i < 4; i++) {
        char name[256] = "";
        memset(name, (int)('a' + i), lengths[i]);
        shoal_entity entity = spawn_one(f.world, NULL, 0);
        assert_ok(shoal_set_parent(f.world, entity, parent));
        parent = must_name(f.world, entity, name);
        path_length += (size_t)snprintf(path + path_length, sizeof path - path_length, "%s/", name);
    }
    shoal_entity leaf = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, parent)));
    shoal_entity child = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(Follows, must_name(f.world, leaf, "z"))));
    snprintf(path + path_length, sizeof path - path_length, "z");
    assert_count(shoal_path(f.world, leaf, NULL, 0), 1023);
    char expected[1200];
    snprintf(expected, sizeof expected, "entity 5:0@\n  Follows -> 4:0@ \"%s\"\n", path);
    check_print(f.world, child, expected);
    must_name(f.world, leaf, "zz");
    assert_count(shoal_path(f.world, leaf, NULL, 0), 1024);
    check_print(f.world, child, "entity 5:0@\n  Follows -> 4:0@ \".../zz\"\n");
    fixture_end(&f);
}

/* ---- trees ---- */

static shoal_entity spawn_child(shoal_world *world, shoal_entity parent, const char *name) {
    shoal_entity child = spawn_one(world, SHOAL_VALUES(SHOAL_TO(ChildOf, parent), SHOAL_VALUE(Armour, 1)));
    return name != NULL ? must_name(world, child, name) : child;
}

static void test_tree(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity ship = must_name(f.world, spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Place, 1, 2))), "ship");
    shoal_entity turret = spawn_child(f.world, ship, "turret");
    shoal_entity bridge = spawn_child(f.world, ship, "bridge");
    shoal_entity gun = spawn_child(f.world, turret, NULL);
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Place, 1, 2)));
    shoal_entity boat = spawn_one(f.world, NULL, 0);
    shoal_entity oar = spawn_child(f.world, boat, "oar");
    assert_ok(shoal_disable(f.world, bridge, SHOAL_ID(Armour)));
    assert_ok(shoal_add(f.world, gun, SHOAL_ID(Mark), NULL));
    assert_ok(shoal_relate(f.world, gun, SHOAL_ID(Follows), ship, NULL));
    shoal_component child_of = SHOAL_ID(ChildOf);
    static const char ship_tree[] = "ship: Place\n"
                                    "  turret: Armour\n"
                                    "    3:0@: Armour + Mark + Follows\n"
                                    "  bridge: Armour (disabled)\n";
    check_tree(f.world, child_of, ship, ship_tree);
    check_tree(f.world, child_of, turret, "turret: Armour\n  3:0@: Armour + Mark + Follows\n");
    check_tree(f.world, child_of, oar, "oar: Armour\n");
    char all[256];
    snprintf(all, sizeof all, "%s5:0@\n  oar: Armour\n", ship_tree);
    check_tree(f.world, child_of, nobody, all);
    /* Reordered, and under another relation. */
    assert_ok(shoal_order_source(f.world, child_of, bridge, turret));
    check_tree(f.world, child_of, ship,
               "ship: Place\n"
               "  bridge: Armour (disabled)\n"
               "  turret: Armour\n"
               "    3:0@: Armour + Mark + Follows\n");
    check_tree(f.world, SHOAL_ID(Follows), nobody, "ship: Place\n  3:0@: Armour + ChildOf + Mark\n");
    fixture_end(&f);
}

static void test_tree_that_nobody_is_in(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Place, 1, 2)));
    check_tree(f.world, SHOAL_ID(Follows), entity, "0:0@: Place\n");
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_print_tree(f.world, SHOAL_ID(Follows), nobody, sink_write, &s));
    assert_count(s.written.length, 0);
    assert_count(s.call_count, 0);
    fixture_end(&f);
}

/* A chain and a wide level: each line has two spaces for its level, and none is missing. */
static void test_deep_and_wide_tree(void **state) {
    (void)state;
    enum { depth = 1200, width = 3000 };
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity root = spawn_one(f.world, NULL, 0);
    shoal_entity at = root;
    for (size_t i = 0; i < depth; i++) {
        at = spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, at)));
    }
    for (size_t i = 0; i < width; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, at)));
    }
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_print_tree(f.world, SHOAL_ID(ChildOf), nobody, sink_write, &s));
    size_t line_count = 0;
    for (const char *line = s.written.text; *line != '\0'; line = strchr(line, '\n') + 1, line_count++) {
        size_t level = line_count < depth ? line_count : line_count == depth ? depth : depth + 1;
        assert_count(strspn(line, " "), level * 2);
        assert_count(strtoul(line, NULL, 10), line_count);
    }
    assert_count(line_count, 1 + depth + width);
    sink_free(&s);
    fixture_end(&f);
}

static void check_tree_refused(const shoal_world *world, shoal_component relation, shoal_entity root,
                               shoal_status status) {
    sink s = sink_make(SIZE_MAX);
    assert_status(shoal_print_tree(world, relation, root, sink_write, &s), status);
    assert_last_error(world, status);
    assert_message_has(world, "shoal_print_tree");
    assert_count(s.call_count, 0);
}

static void test_refusals(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_component child_of = SHOAL_ID(ChildOf);
    shoal_entity dead = spawn_one(f.world, NULL, 0);
    assert_ok(shoal_destroy(f.world, dead));
    check_tree_refused(f.world, child_of, dead, SHOAL_ENTITY_DEAD);
    check_tree_refused(f.world, child_of, (shoal_entity){1}, SHOAL_ENTITY_PLACEHOLDER);
    check_tree_refused(f.world, SHOAL_ID(Carries), nobody, SHOAL_COMPONENT_KIND);
    check_tree_refused(f.world, SHOAL_ID(Serves), nobody, SHOAL_COMPONENT_KIND);
    check_tree_refused(f.world, SHOAL_ID(Place), nobody, SHOAL_COMPONENT_KIND);
    check_tree_refused(f.world, (shoal_component){0}, nobody, SHOAL_COMPONENT_INVALID);
    check_tree_refused(NULL, child_of, nobody, SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_print_tree(f.world, child_of, nobody, NULL, NULL), SHOAL_INVALID_ARGUMENT);
    assert_last_error(f.world, SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_print_uniques(NULL, sink_write, NULL), SHOAL_INVALID_ARGUMENT);
    assert_last_error(NULL, SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_print_uniques(f.world, NULL, NULL), SHOAL_INVALID_ARGUMENT);
    assert_last_error(f.world, SHOAL_INVALID_ARGUMENT);
    assert_message_has(f.world, "shoal_print_uniques");
    fixture_end(&f);
}

/* ---- uniques ---- */

static void check_uniques_at(const shoal_world *world, const char *expected, int line) {
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_print_uniques(world, sink_write, &s));
    check_tagged(world, &s, expected, __FILE__, line);
}
#define check_uniques(world, expected) check_uniques_at((world), (expected), __LINE__)

static void test_uniques(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.name = "the \"sea\""});
    check_uniques(f.world, "uniques of world \"the \\\"sea\\\"\"\n");
    shoal_entity storm = spawn_one(f.world, NULL, 0);
    assert_ok(shoal_unique_set(f.world, SHOAL_ID(Started), NULL));
    assert_ok(shoal_unique_set(f.world, SHOAL_ID(Opaque), &(Opaque){{1, 2, 255}}));
    assert_ok(shoal_unique_set(f.world, SHOAL_ID(Weather), &(Weather){0.1f, storm}));
    check_uniques(f.world, "uniques of world \"the \\\"sea\\\"\"\n"
                           "  Weather.wind = 0.1\n"
                           "  Weather.storm = 0:0@\n"
                           "  Opaque = 0102ff\n"
                           "  Started\n");
    fixture_end(&f);
}

/* ---- short writes, allocations ---- */

static shoal_entity spawn_full(fixture *f) {
    shoal_entity iron = must_name(f->world, spawn_one(f->world, NULL, 0), "iron");
    assert_ok(shoal_unique_set(f->world, SHOAL_ID(Weather), NULL));
    assert_ok(shoal_unique_set(f->world, SHOAL_ID(Started), NULL));
    return spawn_one(f->world, SHOAL_VALUES(SHOAL_VALUE(Place, 1, 2), SHOAL_DEFAULT(Awake), SHOAL_VALUE(Side, "s", 3),
                                            SHOAL_DEFAULT(Bounds), SHOAL_ITEMS(Trail, {1, 2}, {3, 4}, {5, 6}),
                                            SHOAL_ITEMS(Remark, {"x", 1}), SHOAL_VALUE(Mark, 12, true),
                                            SHOAL_TO_WITH(Carries, iron, 12), SHOAL_TO(ChildOf, iron)));
}

static shoal_status emit_entity(void *context, shoal_write_fn write, void *user) {
    return shoal_print_entity(context, shoal_entity_make(context, 1, 0), write, user);
}

static shoal_status emit_tree(void *context, shoal_write_fn write, void *user) {
    return shoal_print_tree(context, SHOAL_ID(ChildOf), nobody, write, user);
}

static shoal_status emit_uniques(void *context, shoal_write_fn write, void *user) {
    return shoal_print_uniques(context, write, user);
}

static void test_short_writes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_full(&f);
    for (size_t i = 0; i < 150; i++) {
        spawn_child(f.world, entity, NULL);
        assert_ok(shoal_buffer_push(shoal_buffer_get(f.world, entity, SHOAL_ID(Trail)), &(Trail){1, (double)i}));
    }
    check_short_writes(f.world, emit_entity, f.world, "shoal_print_entity");
    check_short_writes(f.world, emit_tree, f.world, "shoal_print_tree");
    check_short_writes(f.world, emit_uniques, f.world, "shoal_print_uniques");
    sink s = sink_make(SIZE_MAX);
    assert_ok(emit_memory(f.world, sink_write, &s)); /* its scratch counts in the peak of the next */
    sink_free(&s);
    check_short_writes(f.world, emit_memory, f.world, "shoal_print_memory");
    fixture_end(&f);
}

static void test_nothing_is_allocated(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_full(&f);
    size_t allocation_count = f.fake.allocation_count;
    sink s = sink_make(SIZE_MAX);
    assert_ok(emit_entity(f.world, sink_write, &s));
    assert_ok(emit_tree(f.world, sink_write, &s));
    assert_ok(emit_uniques(f.world, sink_write, &s));
    assert_count(f.fake.allocation_count, allocation_count);
    sink_free(&s);
    fixture_end(&f);
}

/* ---- the memory report ---- */

static void test_report_counts(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.sparse_count + report.relation_count + report.shared_value_count, 0);
    assert_count(report.buffer_heap_count + report.buffer_heap_bytes + report.dying_count, 0);
    shoal_entity entities[10];
    for (uint32_t i = 0; i < 10; i++) {
        entities[i] = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Side, "s", i % 3), SHOAL_DEFAULT(Mark),
                                                      SHOAL_ITEMS(Trail, {1, 2}), SHOAL_DEFAULT(Wreck)));
    }
    assert_ok(shoal_add(f.world, entities[0], SHOAL_ID(Spotted), NULL));
    for (uint32_t i = 1; i < 10; i++) {
        assert_ok(shoal_relate(f.world, entities[0], SHOAL_ID(Carries), entities[i], NULL));
        assert_ok(shoal_relate(f.world, entities[i], SHOAL_ID(Serves), entities[0], NULL));
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_ok(shoal_buffer_resize(shoal_buffer_get(f.world, entities[i], SHOAL_ID(Trail)), 3 + i));
    }
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.sparse_count, 11);
    assert_count(report.relation_count, 18);
    assert_count(report.shared_value_count, 3);
    assert_count(report.buffer_heap_count, 4);
    assert_true(report.buffer_heap_bytes >= (3 + 4 + 5 + 6) * sizeof(Trail));
    assert_true(report.buffer_heap_bytes <= report.purpose_bytes[SHOAL_PURPOSE_BUFFER]);
    assert_count(report.dying_count, 0);
    assert_ok(shoal_destroy(f.world, entities[9]));
    assert_ok(shoal_destroy(f.world, entities[8]));
    assert_ok(shoal_buffer_resize(shoal_buffer_get(f.world, entities[3], SHOAL_ID(Trail)), 1));
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.dying_count, 2);
    assert_count(report.sparse_count, 9);
    assert_count(report.relation_count, 14);
    assert_count(report.buffer_heap_count, 3);
    for (uint32_t i = 0; i < 8; i++) {
        assert_ok(shoal_destroy(f.world, entities[i]));
    }
    for (uint32_t i = 0; i < 10; i++) {
        assert_ok(shoal_remove(f.world, entities[i], SHOAL_ID(Wreck)));
    }
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.sparse_count + report.relation_count + report.shared_value_count, 0);
    assert_count(report.buffer_heap_count + report.buffer_heap_bytes + report.dying_count, 0);
    assert_count(report.entity_count, 0);
    fixture_end(&f);
}

/* The part of the memory report from a title to the next empty line. */
static char *memory_section(shoal_world *world, const char *title) {
    sink s = sink_make(SIZE_MAX);
    assert_ok(shoal_print_memory(world, 0, sink_write, &s));
    char start[64];
    snprintf(start, sizeof start, "\n%s\n", title);
    const char *place = strstr(s.written.text, start);
    char *section = NULL;
    if (place != NULL) {
        const char *end = strstr(place + strlen(start), "\n\n");
        size_t length = end != NULL ? (size_t)(end - place) : strlen(place + 1);
        section = calloc(1, length + 1);
        assert_non_null(section);
        memcpy(section, place + 1, length);
    }
    sink_free(&s);
    return section;
}

static void check_section(shoal_world *world, const char *title, const char *expected) {
    char *section = memory_section(world, title);
    assert_non_null(section);
    assert_string_equal(section, expected);
    free(section);
}

static void test_memory_outside_of_rows(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    char *none = memory_section(f.world, "outside of rows");
    assert_null(none);
    shoal_entity first = spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Side, "a", 1), SHOAL_DEFAULT(Spotted)));
    for (uint32_t i = 0; i < 1200; i++) {
        spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Mark, (uint16_t)i, true), SHOAL_TO(ChildOf, first)));
    }
    spawn_one(f.world, SHOAL_VALUES(SHOAL_VALUE(Side, "b", 1), SHOAL_TO_WITH(Carries, first, 3)));
    assert_ok(shoal_unique_set(f.world, SHOAL_ID(Opaque), NULL));
    assert_ok(shoal_unique_set(f.world, SHOAL_ID(Started), NULL));
    check_section(f.world, "outside of rows",
                  "outside of rows\n"
                  "  component  kind      count  value bytes\n"
                  "  ChildOf    relation   1200            -\n"
                  "  Mark       sparse     1200         4800\n"
                  "  Spotted    sparse        1            -\n"
                  "  Side       shared        2           24\n"
                  "  Opaque     unique        1            3\n"
                  "  Started    unique        1            -\n"
                  "  Carries    relation      1            4\n");
    spawn_one(f.world, SHOAL_VALUES(SHOAL_ITEMS(Crumb, {{0}}), SHOAL_ITEMS(Remark, {"", 1}, {"", 2})));
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.buffer_heap_count, 1);
    char line[80];
    snprintf(line, sizeof line, "\n  all buffers  heap          1  %11zu", report.buffer_heap_bytes);
    char *section = memory_section(f.world, "outside of rows");
    assert_non_null(section);
    assert_non_null(strstr(section, line));
    free(section);
    fixture_end(&f);
}

static void test_memory_counts(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity target = spawn_one(f.world, NULL, 0);
    shoal_entity gone = spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Wreck)));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Mark), SHOAL_TO(Carries, target), SHOAL_DEFAULT(Side),
                                    SHOAL_ITEMS(Trail, {1, 2}, {3, 4}, {5, 6})));
    spawn_one(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Mark), SHOAL_TO(Carries, target), SHOAL_TO(ChildOf, target)));
    assert_ok(shoal_destroy(f.world, gone));
    char *section = memory_section(f.world, "counts");
    assert_non_null(section);
    static const char expected[] = "  sparse values           2\n"
                                   "  relations               3\n"
                                   "  shared values           1\n"
                                   "  buffers on the heap     1\n"
                                   "  dying entities          1\n";
    assert_non_null(strstr(section, "  entities                4\n"));
    if (strstr(section, expected) == NULL) {
        print_error("gave\n%s\nwithout\n%s\n", section, expected);
        fail();
    }
    free(section);
    fixture_end(&f);
}

int main(void) {
    print_kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_disabled),
        cmocka_unit_test(test_empty_buffer),
        cmocka_unit_test(test_dying),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_tree_that_nobody_is_in),
        cmocka_unit_test(test_deep_and_wide_tree),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_uniques),
        cmocka_unit_test(test_short_writes),
        cmocka_unit_test(test_nothing_is_allocated),
        cmocka_unit_test(test_report_counts),
        cmocka_unit_test(test_memory_outside_of_rows),
        cmocka_unit_test(test_memory_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
