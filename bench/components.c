/*
 * Component types, worlds and queries that the benchmark cases share; see components.h.
 */
#include "components.h"

#include <stdio.h>

#include "support.h"

SHOAL_COMPONENT_DEFINE(Position)
SHOAL_COMPONENT_DEFINE(Velocity)
SHOAL_COMPONENT_DEFINE(Health)
SHOAL_COMPONENT_DEFINE(Charge)
SHOAL_COMPONENT_DEFINE(Force)
SHOAL_COMPONENT_DEFINE(Home)
SHOAL_TAG_DEFINE(Frozen)

shoal_component bench_family_member(bench_family family, size_t index) {
    static const char *const names[] = {"Tag", "Wide", "Spread"};
    static const size_t sizes[] = {0, sizeof(Wide), sizeof(float)};
    char name[32];
    snprintf(name, sizeof name, "%s%zu", names[family], index);
    shoal_component component = shoal_component_register(&(shoal_component_def){
        .name = name, .size = sizes[family], .alignment = sizes[family] != 0 ? _Alignof(float) : 0});
    BENCH_REQUIRE(NULL, component.id != 0);
    return component;
}

shoal_world *bench_world_create(void) {
    shoal_world *world = shoal_world_create(NULL);
    BENCH_REQUIRE(NULL, world != NULL);
    return world;
}

void bench_world_destroy(shoal_world *world) {
    BENCH_REQUIRE(world, shoal_world_destroy(world) == SHOAL_OK);
}

shoal_entity bench_spawn(shoal_world *world, float x) {
    shoal_entity entity =
        shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, x, 0, 0), {SHOAL_ID(Velocity), &BENCH_VELOCITY}));
    BENCH_REQUIRE(world, !shoal_entity_is_null(entity));
    return entity;
}

shoal_entity bench_spawn_tagged(shoal_world *world, float x, size_t tag_set) {
    shoal_value values[2 + BENCH_TAGS] = {{SHOAL_ID(Position), &(Position){x, 0, 0}},
                                          {SHOAL_ID(Velocity), &BENCH_VELOCITY}};
    size_t value_count = 2;
    for (size_t tag = 0; tag < BENCH_TAGS; tag++) {
        if ((tag_set >> tag & 1) != 0) {
            values[value_count++] = (shoal_value){bench_family_member(BENCH_FAMILY_TAG, tag), NULL};
        }
    }
    shoal_entity entity = shoal_spawn(world, values, value_count);
    BENCH_REQUIRE(world, !shoal_entity_is_null(entity));
    return entity;
}

shoal_query *bench_moving(shoal_world *world) {
    shoal_query *query = shoal_query_create(
        world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Velocity))});
    BENCH_REQUIRE(world, query != NULL);
    return query;
}

double bench_sum_x(shoal_world *world) {
    shoal_query *query = shoal_query_create(world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Position))});
    BENCH_REQUIRE(world, query != NULL);
    double sum = 0;
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next(&view)) {
        const Position *positions = SHOAL_COLUMN(&view, Position);
        for (size_t row = 0; row < view.count; row++) {
            sum += (double)positions[row].x;
        }
    }
    BENCH_REQUIRE(world, shoal_query_destroy(query) == SHOAL_OK);
    return sum;
}
