/*
 * What a callback may do while the library is in the middle of something: a log line while commands are applied, the
 * line about a retired slot, and a column that is asked for with a component whose type was refused.
 *
 * Each test lets the callback try what would break the world, and looks at the world then and afterwards.
 */
#include <string.h>

#include "support/components.h"
#include "support/fixture.h"
#include "support/hooks.h"
#include "support/test.h"

/* ---- a buffer that is used while it is applied ---- */

typedef struct meddler {
    shoal_world *world;
    shoal_commands *commands;
    shoal_entity target;
    size_t lines;
    shoal_status add;
    bool spawned;
    shoal_status validate;
} meddler;

static void meddle(void *user, shoal_log_level level, const char *message) {
    (void)level;
    (void)message;
    meddler *m = user;
    if (m->lines++ > 0 || m->commands == NULL) {
        return;
    }
    m->add = shoal_commands_add(m->commands, m->target, SHOAL_ID(Health), &(Health){1});
    m->spawned = !shoal_entity_is_null(shoal_commands_spawn(m->commands, NULL, 0));
    shoal_commands_discard(m->commands);
    shoal_commands_destroy(m->commands);
}

/* The set is dropped, which is logged; the buffer refuses to be changed then, and does the rest of its work. */
static void meddle_while_applying(bool with_spawn) {
    meddler m = {0};
    m.world = shoal_world_create(&(shoal_world_def){.log = meddle, .log_user = &m});
    assert_non_null(m.world);
    m.target = shoal_spawn(m.world, NULL, 0);
    m.commands = shoal_commands_create(m.world, &(shoal_commands_def){.log_dropped = true});
    assert_non_null(m.commands);
    if (with_spawn) {
        assert_false(shoal_entity_is_null(shoal_commands_spawn(m.commands, NULL, 0)));
    }
    assert_ok(shoal_commands_set(m.commands, m.target, SHOAL_ID(Health), &(Health){7}));
    assert_ok(shoal_commands_add(m.commands, m.target, SHOAL_ID(Frozen), NULL));
    shoal_commands_result result = {0};
    assert_ok(shoal_commands_apply(m.commands, &result));
    assert_count(result.applied, with_spawn ? 2 : 1);
    assert_count(result.dropped, 1);
    assert_count(m.lines, 1);
    assert_status(m.add, SHOAL_WORLD_LOCKED);
    assert_false(m.spawned);
    assert_true(SHOAL_HAS(m.world, m.target, Frozen));
    assert_count(shoal_commands_count(m.commands), 0);
    assert_ok(shoal_world_validate(m.world));
    assert_ok(shoal_world_destroy(m.world));
}

static void test_buffer_is_closed_while_it_is_applied(void **state) {
    (void)state;
    meddle_while_applying(false);
    meddle_while_applying(true);
}

/* ---- the line about a retired slot ---- */

static void look(void *user, shoal_log_level level, const char *message) {
    (void)level;
    meddler *m = user;
    assert_non_null(strstr(message, "retired"));
    m->lines++;
    m->validate = shoal_world_validate(m->world);
}

typedef shoal_status (*end_one_fn)(shoal_world *world, shoal_entity entity);

static shoal_status end_by_list(shoal_world *world, shoal_entity entity) {
    return shoal_destroy_many(world, &entity, 1);
}

static shoal_status end_by_query(shoal_world *world, shoal_entity entity) {
    (void)entity;
    shoal_query *all = shoal_query_create(world, &(shoal_query_def){0});
    shoal_status status = shoal_query_destroy_entities(all);
    return shoal_query_destroy(all) == SHOAL_OK ? status : SHOAL_CORRUPT;
}

/* The world is whole when the line is written. */
static void test_world_is_whole_when_a_slot_is_retired(void **state) {
    (void)state;
    static const end_one_fn ends[] = {shoal_destroy, end_by_list, end_by_query};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        test_set_context("way %zu", i);
        meddler m = {.validate = SHOAL_CORRUPT};
        m.world = shoal_world_create(&(shoal_world_def){.log = look, .log_user = &m});
        assert_non_null(m.world);
        assert_ok(shoal_destroy(m.world, shoal_spawn(m.world, NULL, 0)));
        index_set_generation(m.world, 0, 65535);
        shoal_entity last = shoal_spawn(m.world, NULL, 0);
        assert_count(shoal_entity_generation(last), 65535);
        assert_ok(ends[i](m.world, last));
        assert_count(m.lines, 1);
        assert_ok(m.validate);
        assert_ok(shoal_world_destroy(m.world));
    }
    test_set_context("%s", "");
}

/* ---- near the entity limit ---- */

/* A spawn that is refused frees no slot when it is destroyed, so the good one does not fit and nothing happens. */
static void test_refused_spawn_frees_no_slot(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &(shoal_world_def){.entity_limit = 1});
    assert_false(shoal_entity_is_null(shoal_spawn(f.world, NULL, 0)));
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    shoal_entity refused = shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Gauge, -5)));
    assert_ok(shoal_commands_destroy_entity(commands, refused));
    assert_false(shoal_entity_is_null(shoal_commands_spawn(commands, NULL, 0)));
    assert_status(shoal_commands_apply(commands, NULL), SHOAL_ENTITY_LIMIT);
    assert_count(shoal_commands_count(commands), 3);
    assert_count(shoal_world_entity_count(f.world), 1);
    fixture_end(&f);
}

/* ---- a refused type ---- */

/* The null component names no column, for reading or for writing. */
static void test_null_component_has_no_column(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    assert_false(shoal_entity_is_null(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 7)))));
    shoal_query *query = shoal_query_create(f.world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Health))});
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    assert_true(shoal_view_next(&view));
    const shoal_component none = {0};
    assert_null(shoal_view_write(&view, none));
    assert_last_error(f.world, SHOAL_COMPONENT_INVALID);
    assert_null(shoal_view_read(&view, none));
    assert_last_error(f.world, SHOAL_COMPONENT_INVALID);
    shoal_view_end(&view);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buffer_is_closed_while_it_is_applied),
        cmocka_unit_test(test_world_is_whole_when_a_slot_is_retired),
        cmocka_unit_test(test_refused_spawn_frees_no_slot),
        cmocka_unit_test(test_null_component_has_no_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
