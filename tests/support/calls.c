/*
 * The calls of calls.h.
 */
#include "calls.h"

#include "components.h"
#include "test.h"

shoal_entity spawn_one(shoal_world *world, const shoal_value *values, size_t count) {
    shoal_entity entity = shoal_spawn(world, values, count);
    if (shoal_entity_is_null(entity)) {
        print_error("%s\n", shoal_last_error(world).message);
    }
    assert_false(shoal_entity_is_null(entity));
    return entity;
}

shoal_query *make_query(shoal_world *world, const shoal_term *terms, size_t count) {
    return make_query_of(world, &(shoal_query_def){.terms = terms, .term_count = count});
}

shoal_query *make_query_of(shoal_world *world, const shoal_query_def *def) {
    shoal_query *query = shoal_query_create(world, def);
    if (query == NULL) {
        print_error("%s\n", shoal_last_error(world).message);
    }
    assert_non_null(query);
    return query;
}

uint64_t pass_over(shoal_query *query) {
    uint64_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        rows += view.count;
    }
    return rows;
}

void turn(shoal_world *world, shoal_entity entity, shoal_component component, bool on) {
    assert_ok(on ? shoal_enable(world, entity, component) : shoal_disable(world, entity, component));
    assert_count(shoal_is_enabled(world, entity, component), on);
}

void assert_applied(shoal_commands *commands, size_t applied, size_t dropped) {
    shoal_commands_result result = {99, 99};
    assert_ok(shoal_commands_apply(commands, &result));
    assert_count(result.applied, applied);
    assert_count(result.dropped, dropped);
    assert_count(shoal_commands_count(commands), 0);
}

int32_t health_of(const shoal_world *world, shoal_entity entity) {
    const Health *health = SHOAL_GET(world, entity, Health);
    assert_non_null(health);
    return health->value;
}

uint64_t object_of(const shoal_world *world, shoal_entity entity) {
    const Owned *owned = SHOAL_GET(world, entity, Owned);
    uint32_t payload = 0;
    assert_true(owned != NULL && owned_read(&owned_tracker, owned, &payload));
    return owned->object;
}

void assert_health(const shoal_world *world, shoal_entity entity, int32_t expected) {
    assert_int_equal(health_of(world, entity), expected);
}

shoal_memory_report report_of(const shoal_world *world) {
    shoal_memory_report report;
    assert_ok(shoal_world_memory(world, &report));
    return report;
}
