/*
 * The numbers and the stories of the articles that Shoal was made from: the cache lines and the chunk layout, the
 * masks, the second chunk, the three migrations, the random test of 160 entities, the movement of three frames,
 * the 11,000 entities, generations, commands at a safe point.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

/* The second article's types, in two dimensions. */
typedef struct Place {
    float x, y;
} Place;

typedef struct Pace {
    float x, y;
} Pace;

SHOAL_COMPONENT(Place)
SHOAL_COMPONENT(Pace)
SHOAL_TAG(Disabled)
SHOAL_TAG(Renderable)

static const shoal_value no_values[1];

static const shoal_world_def classic = {.pinned_chunk_bytes = 4096};

static void assert_position(const shoal_world *world, shoal_entity entity, float x, float y, float z) {
    const Position *position = SHOAL_GET(world, entity, Position);
    assert_non_null(position);
    const Position expected = {x, y, z};
    assert_memory_equal(position, &expected, sizeof expected);
}

static void assert_velocity(const shoal_world *world, shoal_entity entity, float x, float y, float z) {
    const Velocity *velocity = SHOAL_GET(world, entity, Velocity);
    assert_non_null(velocity);
    const Velocity expected = {x, y, z};
    assert_memory_equal(velocity, &expected, sizeof expected);
}

/* ---- cache lines ---- */

static void test_lines_of_64_entities(void **state) {
    (void)state;
    shoal_layout_line_count lines;
    assert_ok(shoal_layout_lines(64, 64, 24, &lines));
    assert_count(lines.row_lines, 64);
    assert_count(lines.row_line_bytes, 4096);
    assert_float_equal(lines.row_used_percent, 37.5, 0);
    assert_count(lines.column_lines, 24);
    assert_count(lines.column_line_bytes, 1536);
    assert_float_equal(lines.column_used_percent, 100, 0);
}

static void test_lines_of_one_entity(void **state) {
    (void)state;
    shoal_layout_line_count lines;
    assert_ok(shoal_layout_lines(1, 64, 24, &lines));
    assert_count(lines.row_lines, 1);
    assert_count(lines.row_line_bytes, 64);
    assert_count(lines.column_lines, 2);
    assert_count(lines.column_line_bytes, 128);
}

/* ---- the chunk layout ---- */

static void assert_column(const shoal_layout_column *column, size_t offset, size_t end) {
    assert_count(column->offset, offset);
    assert_count(column->end, end);
}

static void test_layout_of_position_and_velocity(void **state) {
    (void)state;
    shoal_layout_column columns[2] = {{.size = 12, .alignment = 4}, {.size = 12, .alignment = 4}};
    shoal_layout layout;
    assert_ok(shoal_layout_compute(4096, columns, 2, &layout));
    assert_count(layout.capacity, 122);
    assert_count(layout.entity_offset, 64);
    assert_count(layout.entity_end, 1040);
    assert_column(&columns[0], 1088, 2552);
    assert_column(&columns[1], 2560, 4024);
    assert_count(layout.end, 4024);
    assert_count(layout.unused_bytes, 4096 - 122 * 32);
}

static void test_layout_with_health(void **state) {
    (void)state;
    shoal_layout_column columns[3] = {
        {.size = 12, .alignment = 4}, {.size = 12, .alignment = 4}, {.size = 4, .alignment = 4}};
    shoal_layout layout;
    assert_ok(shoal_layout_compute(4096, columns, 3, &layout));
    assert_count(layout.capacity, 112);
    assert_count(layout.entity_end, 960);
    assert_column(&columns[0], 960, 2304);
    assert_column(&columns[1], 2304, 3648);
    assert_column(&columns[2], 3648, 4096);
    assert_count(layout.end, 4096);
}

/* A tag takes no room: the layout with it is the layout without it. */
static void test_layout_with_a_tag(void **state) {
    (void)state;
    shoal_layout_column columns[3] = {{.size = 12, .alignment = 4}, {.size = 0}, {.size = 12, .alignment = 4}};
    shoal_layout layout;
    assert_ok(shoal_layout_compute(4096, columns, 3, &layout));
    assert_count(layout.capacity, 122);
    assert_column(&columns[0], 1088, 2552);
    assert_column(&columns[1], 0, 0);
    assert_column(&columns[2], 2560, 4024);
}

/* 24 bytes a row in 16 KiB: 682 in theory, about 600 and more in fact. */
static void test_layout_of_a_16_kib_chunk(void **state) {
    (void)state;
    shoal_layout_column columns[2] = {{.size = 8, .alignment = 4}, {.size = 8, .alignment = 4}};
    shoal_layout layout;
    assert_ok(shoal_layout_compute(16384, columns, 2, &layout));
    assert_in_range(layout.capacity, 600, 682);
    fixture f;
    fixture_start(&f, &(shoal_world_def){.pinned_chunk_bytes = 16384});
    const shoal_value values[] = {SHOAL_DEFAULT(Place), SHOAL_DEFAULT(Pace)};
    assert_ok(shoal_spawn_many(f.world, &(shoal_spawn_many_def){.count = 10000, .values = values, .value_count = 2}));
    shoal_memory_report report;
    assert_ok(shoal_world_memory(f.world, &report));
    assert_count(report.chunk_count, (10000 + layout.capacity - 1) / layout.capacity);
    assert_in_range(report.chunk_count, 15, 17);
    fixture_end(&f);
}

/* The addresses inside of a real chunk are those of the layout. */
static void test_addresses_in_a_chunk(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &classic);
    const shoal_value values[] = {SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)};
    assert_ok(shoal_spawn_many(f.world, &(shoal_spawn_many_def){.count = 5, .values = values, .value_count = 2}));
    const shoal_term terms[] = {SHOAL_READ(Position), SHOAL_READ(Velocity)};
    shoal_view view;
    assert_ok(shoal_view_begin(&view, make_query(f.world, terms, 2)));
    assert_true(shoal_view_next(&view));
    uintptr_t chunk = (uintptr_t)view.entities - 64;
    assert_count(chunk % 64, 0);
    assert_count((uintptr_t)SHOAL_COLUMN(&view, Position) - chunk, 1088);
    assert_count((uintptr_t)SHOAL_COLUMN(&view, Velocity) - chunk, 2560);
    for (uint32_t row = 0; row < 5; row++) {
        shoal_entity entity = shoal_entity_make(f.world, row, 0);
        assert_count((uintptr_t)SHOAL_GET(f.world, entity, Position) - chunk, 1088 + 12 * row);
        assert_count((uintptr_t)SHOAL_GET(f.world, entity, Velocity) - chunk, 2560 + 12 * row);
    }
    shoal_view_end(&view);
    fixture_end(&f);
}

/* ---- masks ---- */

/* Combination m of P = 1, V = 2, H = 4, D = 8 matches when it has P and V and not D. */
static void test_masks(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &classic);
    const shoal_term terms[] = {SHOAL_WRITE(Position), SHOAL_READ(Velocity), SHOAL_WITHOUT(Disabled)};
    shoal_query *query = make_query(f.world, terms, 3);
    const shoal_component bits[4] = {SHOAL_ID(Position), SHOAL_ID(Velocity), SHOAL_ID(Health), SHOAL_ID(Disabled)};
    for (uint32_t mask = 0; mask < 16; mask++) {
        shoal_value values[4];
        size_t count = 0;
        for (uint32_t bit = 0; bit < 4; bit++) {
            if ((mask >> bit & 1) != 0) {
                values[count++] = (shoal_value){bits[bit], NULL};
            }
        }
        shoal_entity entity = shoal_spawn(f.world, values, count);
        bool expected = (mask & 3) == 3 && (mask & 8) == 0;
        assert_count(shoal_query_matches(query, entity), expected);
        assert_count(expected, mask == 3 || mask == 7);
    }
    assert_count(shoal_query_count(query), 2);
    assert_count(shoal_query_archetype_count(query), 2);
    fixture_end(&f);
}

static void integrate(shoal_query *query, float dt) {
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        Position *position = SHOAL_COLUMN_MUT(&view, Position);
        const Velocity *velocity = SHOAL_COLUMN(&view, Velocity);
        for (size_t i = 0; i < view.count; i++) {
            position[i].x += velocity[i].x * dt;
            position[i].y += velocity[i].y * dt;
            position[i].z += velocity[i].z * dt;
        }
    }
}

static void test_positions_of_entities_4_7_9(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &classic);
    shoal_entity four = shoal_entity_make(f.world, 4, 0);
    shoal_entity seven = shoal_entity_make(f.world, 7, 0);
    shoal_entity nine = shoal_entity_make(f.world, 9, 0);
    const shoal_value moving[] = {SHOAL_VALUE(Position, 1, 2, 3), SHOAL_VALUE(Velocity, 2, -4, 6),
                                  SHOAL_DEFAULT(Disabled)};
    assert_ok(shoal_spawn_at(f.world, four, moving, 2));
    assert_ok(shoal_spawn_at(f.world, seven, moving, 1));
    assert_ok(shoal_spawn_at(f.world, nine, moving, 3));
    const shoal_term terms[] = {SHOAL_WRITE(Position), SHOAL_READ(Velocity), SHOAL_WITHOUT(Disabled)};
    integrate(make_query(f.world, terms, 3), 0.5f);
    assert_position(f.world, four, 2, 0, 6);
    assert_position(f.world, seven, 1, 2, 3);
    assert_position(f.world, nine, 1, 2, 3);
    fixture_end(&f);
}

/* ---- the second chunk and new archetypes ---- */

static size_t count_views(shoal_query *query, size_t *counts, size_t most) {
    size_t views = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        assert_true(views < most);
        counts[views++] = view.count;
    }
    return views;
}

static void test_entity_123_opens_a_second_chunk(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &classic);
    const shoal_term terms[] = {SHOAL_READ(Position), SHOAL_READ(Velocity)};
    shoal_query *query = make_query(f.world, terms, 2);
    const shoal_value values[] = {SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)};
    size_t counts[4];
    for (int i = 0; i < 122; i++) {
        assert_false(shoal_entity_is_null(shoal_spawn(f.world, values, 2)));
    }
    assert_count(count_views(query, counts, 4), 1);
    assert_count(counts[0], 122);
    shoal_entity last = shoal_spawn(f.world, values, 2);
    assert_count(count_views(query, counts, 4), 2);
    assert_count(counts[0], 122);
    assert_count(counts[1], 1);
    assert_count(shoal_query_count(query), 123);
    assert_true(shoal_query_matches(query, last));
    assert_ok(shoal_destroy(f.world, last));
    assert_count(count_views(query, counts, 4), 1);
    fixture_end(&f);
}

static void test_new_archetype_is_found_by_an_old_query(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &classic);
    const shoal_term terms[] = {SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_WITHOUT(Disabled)};
    shoal_query *query = make_query(f.world, terms, 3);
    size_t counts[4];
    assert_count(count_views(query, counts, 4), 0);
    shoal_entity entity = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)));
    assert_count(count_views(query, counts, 4), 1);
    assert_ok(shoal_add(f.world, entity, SHOAL_ID(Health), &(Health){80}));
    assert_count(count_views(query, counts, 4), 1);
    assert_ok(shoal_add(f.world, entity, SHOAL_ID(Disabled), NULL));
    assert_count(count_views(query, counts, 4), 0);
    assert_ok(shoal_remove(f.world, entity, SHOAL_ID(Disabled)));
    assert_count(shoal_query_count(query), 1);
    fixture_end(&f);
}

/* ---- migration ---- */

/* Three rows [4, 7, 9] of P and V; entity n has position (n, n+1, n+2) and velocity (10n, ...). */
static void spawn_4_7_9(shoal_world *world, shoal_entity *entities) {
    const uint32_t indexes[3] = {4, 7, 9};
    for (size_t i = 0; i < 3; i++) {
        float n = (float)indexes[i];
        entities[i] = shoal_entity_make(world, indexes[i], 0);
        assert_ok(shoal_spawn_at(world, entities[i],
                                 SHOAL_VALUES(SHOAL_VALUE(Position, n, n + 1, n + 2),
                                              SHOAL_VALUE(Velocity, 10 * n, 10 * n + 1, 10 * n + 2))));
    }
}

static void check_rows(shoal_query *query, const shoal_entity *expected, size_t count) {
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    bool any = shoal_view_next(&view);
    assert_count(any ? view.count : 0, count);
    for (size_t i = 0; i < count; i++) {
        assert_entity(view.entities[i], expected[i]);
    }
    shoal_view_end(&view);
}

/* Moves one of the three rows out of the source by adding Health, and checks both sides. */
static void check_migration(size_t moved, const size_t *left) {
    fixture f;
    fixture_start(&f, &classic);
    shoal_entity entities[3];
    spawn_4_7_9(f.world, entities);
    const shoal_term source_terms[] = {SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_WITHOUT(Health)};
    const shoal_term target_terms[] = {SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_READ(Health)};
    shoal_query *source = make_query(f.world, source_terms, 3);
    shoal_query *target = make_query(f.world, target_terms, 3);
    const void *old_address = SHOAL_GET(f.world, entities[moved], Position);
    assert_ok(shoal_add(f.world, entities[moved], SHOAL_ID(Health), &(Health){80}));
    const shoal_entity rest[2] = {entities[left[0]], entities[left[1]]};
    check_rows(source, rest, 2);
    check_rows(target, &entities[moved], 1);
    assert_int_equal(SHOAL_GET(f.world, entities[moved], Health)->value, 80);
    for (size_t i = 0; i < 3; i++) {
        float n = (float)shoal_entity_index(entities[i]);
        assert_position(f.world, entities[i], n, n + 1, n + 2);
        assert_velocity(f.world, entities[i], 10 * n, 10 * n + 1, 10 * n + 2);
        assert_count(SHOAL_HAS(f.world, entities[i], Health), i == moved);
    }
    if (moved != 2) {
        assert_ptr_equal(SHOAL_GET(f.world, entities[2], Position), old_address);
    }
    assert_valid(f.world);
    assert_ok(shoal_remove(f.world, entities[moved], SHOAL_ID(Health)));
    const shoal_entity back[3] = {rest[0], rest[1], entities[moved]};
    check_rows(source, back, 3);
    fixture_end(&f);
}

static void test_migration_of_the_first_row(void **state) {
    (void)state;
    check_migration(0, (const size_t[]){2, 1});
}

static void test_migration_of_the_middle_row(void **state) {
    (void)state;
    check_migration(1, (const size_t[]){0, 2});
}

static void test_migration_of_the_last_row(void **state) {
    (void)state;
    check_migration(2, (const size_t[]){0, 1});
}

/* Input is checked before the source row is touched. */
static void test_refused_input_leaves_the_source(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &classic);
    shoal_entity entities[3];
    spawn_4_7_9(f.world, entities);
    const shoal_term terms[] = {SHOAL_READ(Position), SHOAL_READ(Velocity)};
    shoal_query *query = make_query(f.world, terms, 2);
    const void *address = SHOAL_GET(f.world, entities[0], Position);
    assert_status(shoal_add(f.world, entities[0], SHOAL_ID(Gauge), &(Gauge){-1}), SHOAL_VALUE_REFUSED);
    assert_ptr_equal(SHOAL_GET(f.world, entities[0], Position), address);
    check_rows(query, entities, 3);
    assert_position(f.world, entities[0], 4, 5, 6);
    assert_false(SHOAL_HAS(f.world, entities[0], Gauge));
    fixture_end(&f);
}

static void test_structural_change_is_refused_while_iterating(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &classic);
    shoal_entity entities[3];
    spawn_4_7_9(f.world, entities);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    while (shoal_view_next(&view)) {
        assert_status(shoal_add(f.world, entities[0], SHOAL_ID(Health), NULL), SHOAL_WORLD_LOCKED);
        check_rows(f.everything, entities, 3);
    }
    assert_ok(shoal_add(f.world, entities[0], SHOAL_ID(Health), NULL));
    fixture_end(&f);
}

/* "Break it and see it fail": a hole that was filled without the index, made by hand, is found by validation. */
static void test_validation_sees_a_row_that_the_index_does_not_know(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &classic);
    shoal_entity entities[3];
    spawn_4_7_9(f.world, entities);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, f.everything));
    assert_true(shoal_view_next(&view));
    shoal_entity *rows = (shoal_entity *)(uintptr_t)view.entities;
    shoal_view_end(&view);
    assert_valid(f.world);
    rows[0] = entities[2];
    assert_status(shoal_world_validate(f.world), SHOAL_CORRUPT);
    assert_last_error(f.world, SHOAL_CORRUPT);
    rows[0] = entities[1];
    rows[1] = entities[0];
    assert_status(shoal_world_validate(f.world), SHOAL_CORRUPT);
    rows[0] = entities[0];
    rows[1] = entities[1];
    assert_valid(f.world);
    fixture_end(&f);
}

/* ---- 160 entities, 300 steps ---- */

#define RANDOM_ENTITIES 160
#define RANDOM_STEPS 300

typedef struct twin {
    shoal_entity entity;
    Position position;
    Velocity velocity;
    bool has_health;
    int32_t health;
} twin;

static void compare_twins(const shoal_world *world, const twin *twins) {
    for (size_t i = 0; i < RANDOM_ENTITIES; i++) {
        const twin *t = &twins[i];
        assert_position(world, t->entity, t->position.x, t->position.y, t->position.z);
        assert_velocity(world, t->entity, t->velocity.x, t->velocity.y, t->velocity.z);
        const Health *health = SHOAL_GET(world, t->entity, Health);
        assert_count(health != NULL, t->has_health);
        assert_int_equal(t->has_health ? health->value : 0, t->has_health ? t->health : 0);
    }
}

/* Every row is some twin's, with that twin's values, and every twin has one row. */
static void compare_twin_rows(shoal_query *query, const twin *twins) {
    bool seen[RANDOM_ENTITIES] = {false};
    size_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        const Position *position = SHOAL_COLUMN(&view, Position);
        const Velocity *velocity = SHOAL_COLUMN(&view, Velocity);
        for (size_t row = 0; row < view.count; row++) {
            size_t i = shoal_entity_index(view.entities[row]);
            assert_true(i < RANDOM_ENTITIES && !seen[i]);
            seen[i] = true;
            assert_memory_equal(&position[row], &twins[i].position, sizeof *position);
            assert_memory_equal(&velocity[row], &twins[i].velocity, sizeof *velocity);
        }
        rows += view.count;
    }
    assert_count(rows, RANDOM_ENTITIES);
}

static void run_random_test(const shoal_world_def *def, uint64_t seed) {
    fixture f;
    fixture_start(&f, def);
    rng random = {seed};
    twin twins[RANDOM_ENTITIES] = {0};
    for (size_t i = 0; i < RANDOM_ENTITIES; i++) {
        twin *t = &twins[i];
        float n = (float)rng_below(&random, 10000);
        t->position = (Position){n, n + 0.5f, -n};
        t->velocity = (Velocity){(float)i, -(float)i, n};
        const shoal_value values[] = {{SHOAL_ID(Position), &t->position}, {SHOAL_ID(Velocity), &t->velocity}};
        t->entity = shoal_spawn(f.world, values, 2);
    }
    const shoal_term terms[] = {SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_OPTIONAL(Health)};
    shoal_query *query = make_query(f.world, terms, 3);
    for (uint32_t step = 0; step < RANDOM_STEPS; step++) {
        test_set_context("seed %u, step %u", (unsigned)seed, (unsigned)step);
        twin *t = &twins[rng_below(&random, RANDOM_ENTITIES)];
        t->has_health = !t->has_health;
        if (t->has_health) {
            t->health = (int32_t)rng_below(&random, 1000);
            assert_ok(shoal_add(f.world, t->entity, SHOAL_ID(Health), &(Health){t->health}));
        } else {
            assert_ok(shoal_remove(f.world, t->entity, SHOAL_ID(Health)));
        }
        compare_twins(f.world, twins);
        compare_twin_rows(query, twins);
        assert_valid(f.world);
    }
    test_set_context("%s", "");
    fixture_end(&f);
}

static void test_160_entities_300_steps(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        run_random_test(&classic, seed);
        run_random_test(NULL, seed);
    }
}

/* ---- the second article: three frames ---- */

static void move_places(shoal_query *query, float dt) {
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        Place *place = SHOAL_COLUMN_MUT(&view, Place);
        const Pace *pace = SHOAL_COLUMN(&view, Pace);
        for (size_t i = 0; i < view.count; i++) {
            place[i].x += pace[i].x * dt;
            place[i].y += pace[i].y * dt;
        }
    }
}

static void assert_place(const shoal_world *world, shoal_entity entity, float x, float y) {
    const Place *place = SHOAL_GET(world, entity, Place);
    assert_non_null(place);
    assert_float_equal(place->x, x, 1e-5f);
    assert_float_equal(place->y, y, 1e-5f);
}

static void test_three_frames(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity player =
        shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Place, 2, 3), SHOAL_VALUE(Pace, 1, 0), SHOAL_VALUE(Health, 100)));
    shoal_entity bullet = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Place, 5, 8), SHOAL_VALUE(Pace, 0, 10)));
    shoal_entity building = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Place, 9, 4), SHOAL_VALUE(Health, 500)));
    const shoal_term terms[] = {SHOAL_WRITE(Place), SHOAL_READ(Pace), SHOAL_WITHOUT(Frozen)};
    shoal_query *moving = make_query(f.world, terms, 3);
    for (int frame = 1; frame <= 3; frame++) {
        move_places(moving, 0.1f);
        assert_place(f.world, player, 2 + 0.1f * (float)frame, 3);
        assert_place(f.world, bullet, 5, 8 + (float)frame);
        assert_place(f.world, building, 9, 4);
    }
    assert_ok(shoal_add(f.world, player, SHOAL_ID(Frozen), NULL));
    move_places(moving, 0.1f);
    assert_place(f.world, player, 2.3f, 3);
    assert_place(f.world, bullet, 5, 12);
    assert_ok(shoal_remove(f.world, player, SHOAL_ID(Frozen)));
    move_places(moving, 0.1f);
    assert_place(f.world, player, 2.4f, 3);
    assert_int_equal(SHOAL_GET(f.world, player, Health)->value, 100);
    assert_int_equal(SHOAL_GET(f.world, building, Health)->value, 500);
    fixture_end(&f);
}

/* ---- 11,000 entities ---- */

static void spawn_group(shoal_world *world, size_t count, const shoal_value *values, size_t value_count) {
    assert_ok(
        shoal_spawn_many(world, &(shoal_spawn_many_def){.count = count, .values = values, .value_count = value_count}));
}

static void test_ten_thousand_of_eleven_thousand(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_value place = SHOAL_VALUE(Place, 1, 1);
    const shoal_value pace = SHOAL_VALUE(Pace, 1, 2);
    spawn_group(f.world, 6500, (const shoal_value[]){place, pace}, 2);
    spawn_group(f.world, 2500, (const shoal_value[]){place, pace, SHOAL_DEFAULT(Health)}, 3);
    spawn_group(f.world, 1000, (const shoal_value[]){place, SHOAL_DEFAULT(Health)}, 2);
    spawn_group(f.world, 1000, (const shoal_value[]){place, pace, SHOAL_DEFAULT(Renderable)}, 3);
    const shoal_term terms[] = {SHOAL_WRITE(Place), SHOAL_READ(Pace)};
    shoal_query *moving = make_query(f.world, terms, 2);
    assert_count(shoal_world_entity_count(f.world), 11000);
    assert_count(shoal_query_count(moving), 10000);
    assert_count(shoal_query_archetype_count(moving), 3);
    move_places(moving, 1);
    size_t moved = 0;
    shoal_entity entity = {0};
    while (shoal_next_entity(f.world, &entity)) {
        const Place *now = SHOAL_GET(f.world, entity, Place);
        bool has_pace = SHOAL_HAS(f.world, entity, Pace);
        assert_true(now->x == (has_pace ? 2.0f : 1.0f) && now->y == (has_pace ? 3.0f : 1.0f));
        moved += has_pace;
    }
    assert_count(moved, 10000);
    fixture_end(&f);
}

/* 300 frozen entities, 200 of which have a pace: 9,800 of 10,000 move. */
static void test_frozen_ones_need_not_have_velocity(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    const shoal_value place = SHOAL_DEFAULT(Place);
    const shoal_value pace = SHOAL_DEFAULT(Pace);
    const shoal_value frozen = SHOAL_DEFAULT(Frozen);
    spawn_group(f.world, 9800, (const shoal_value[]){place, pace}, 2);
    spawn_group(f.world, 200, (const shoal_value[]){place, pace, frozen}, 3);
    spawn_group(f.world, 900, (const shoal_value[]){place}, 1);
    spawn_group(f.world, 100, (const shoal_value[]){place, frozen}, 2);
    const shoal_term terms[] = {SHOAL_WRITE(Place), SHOAL_READ(Pace), SHOAL_WITHOUT(Frozen)};
    assert_count(shoal_query_count(make_query(f.world, terms, 3)), 9800);
    const shoal_term all_frozen = SHOAL_WITH(Frozen);
    assert_count(shoal_query_count(make_query(f.world, &all_frozen, 1)), 300);
    fixture_end(&f);
}

/* All chunks but the last are full: 128, 128, 74 of 330 in the article, whatever the capacity is here. */
static void test_all_chunks_but_the_last_are_full(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, &classic);
    shoal_layout_column columns[2] = {{.size = 8, .alignment = 4}, {.size = 8, .alignment = 4}};
    shoal_layout layout;
    assert_ok(shoal_layout_compute(4096, columns, 2, &layout));
    spawn_group(f.world, 600, (const shoal_value[]){SHOAL_DEFAULT(Place), SHOAL_DEFAULT(Pace)}, 2);
    size_t counts[8];
    for (uint32_t destroyed = 0; destroyed < 600; destroyed++) {
        size_t left = 600 - destroyed;
        size_t views = count_views(f.everything, counts, 8);
        assert_count(views, (left + layout.capacity - 1) / layout.capacity);
        for (size_t i = 0; i + 1 < views; i++) {
            assert_count(counts[i], layout.capacity);
        }
        uint32_t scattered = destroyed * 7 % 600;
        assert_ok(shoal_destroy(f.world, shoal_entity_make(f.world, scattered, 0)));
    }
    fixture_end(&f);
}

static void test_swap_back(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entities[4];
    for (uint32_t i = 0; i < 4; i++) {
        entities[i] = shoal_entity_make(f.world, 1001 + i, 0);
        float n = (float)i;
        assert_ok(shoal_spawn_at(f.world, entities[i],
                                 SHOAL_VALUES(SHOAL_VALUE(Place, n, -n), SHOAL_VALUE(Pace, 10 * n, 5))));
    }
    assert_ok(shoal_destroy(f.world, entities[1]));
    const shoal_entity left[3] = {entities[0], entities[3], entities[2]};
    check_rows(f.everything, left, 3);
    assert_place(f.world, entities[3], 3, -3);
    assert_float_equal(SHOAL_GET(f.world, entities[3], Pace)->x, 30, 0);
    fixture_end(&f);
}

/* A thousand bullets get Health: 4,000 bytes of data more, nothing lost. */
static void test_a_thousand_bullets_get_health(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    spawn_group(f.world, 1000, (const shoal_value[]){SHOAL_VALUE(Place, 5, 8), SHOAL_VALUE(Pace, 0, 10)}, 2);
    shoal_memory_report before;
    shoal_memory_report after;
    assert_ok(shoal_world_memory(f.world, &before));
    assert_count(before.chunk_used_bytes, 1000 * (8 + 8 + 8));
    const shoal_value health = SHOAL_VALUE(Health, 100);
    assert_ok(shoal_query_change_entities(f.everything, &(shoal_change){.add = &health, .add_count = 1}));
    assert_ok(shoal_world_memory(f.world, &after));
    assert_count(after.chunk_used_bytes - before.chunk_used_bytes, 4000);
    const void *address = NULL;
    for (uint32_t i = 0; i < 1000; i++) {
        shoal_entity entity = shoal_entity_make(f.world, i, 0);
        assert_place(f.world, entity, 5, 8);
        assert_int_equal(SHOAL_GET(f.world, entity, Health)->value, 100);
        address = SHOAL_GET(f.world, entity, Health);
        assert_ok(shoal_set(f.world, entity, SHOAL_ID(Health), &(Health){80}));
        assert_ptr_equal(SHOAL_GET(f.world, entity, Health), address);
    }
    fixture_end(&f);
}

/* ---- generations and the safe point ---- */

static void test_slot_7_generation_3(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    for (int i = 0; i < 7; i++) {
        assert_false(shoal_entity_is_null(shoal_spawn(f.world, no_values, 0)));
    }
    shoal_entity old = shoal_entity_make(f.world, 7, 3);
    assert_ok(shoal_spawn_at(f.world, old, SHOAL_VALUES(SHOAL_VALUE(Health, 1))));
    assert_ok(shoal_destroy(f.world, old));
    shoal_entity fresh = shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, 2)));
    assert_entity(fresh, shoal_entity_make(f.world, 7, 4));
    assert_false(shoal_is_alive(f.world, old));
    assert_null(SHOAL_GET(f.world, old, Health));
    assert_last_error(f.world, SHOAL_ENTITY_DEAD);
    assert_status(shoal_set(f.world, old, SHOAL_ID(Health), &(Health){3}), SHOAL_ENTITY_DEAD);
    assert_int_equal(SHOAL_GET(f.world, fresh, Health)->value, 2);
    fixture_end(&f);
}

/* While a view is open changes are recorded; after the safe point the next pass sees them. */
static void test_commands_at_the_safe_point(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_commands *commands = shoal_commands_create(f.world, NULL);
    for (int32_t i = 0; i < 10; i++) {
        shoal_spawn(f.world, SHOAL_VALUES(SHOAL_VALUE(Health, i)));
    }
    const shoal_term term = SHOAL_READ(Health);
    shoal_query *query = make_query(f.world, &term, 1);
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        const Health *health = SHOAL_COLUMN(&view, Health);
        for (size_t i = 0; i < view.count; i++) {
            if (health[i].value < 3) {
                assert_ok(shoal_commands_destroy_entity(commands, view.entities[i]));
            } else if (health[i].value < 5) {
                assert_ok(shoal_commands_remove(commands, view.entities[i], SHOAL_ID(Health)));
            } else {
                assert_ok(shoal_commands_add(commands, view.entities[i], SHOAL_ID(Frozen), NULL));
            }
        }
        shoal_commands_spawn(commands, SHOAL_VALUES(SHOAL_VALUE(Health, 50)));
        assert_count(shoal_query_count(query), 10);
    }
    assert_ok(shoal_commands_apply(commands, NULL));
    assert_count(shoal_query_count(query), 6);
    assert_count(shoal_world_entity_count(f.world), 8);
    fixture_end(&f);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_64_entities),
        cmocka_unit_test(test_lines_of_one_entity),
        cmocka_unit_test(test_layout_of_position_and_velocity),
        cmocka_unit_test(test_layout_with_health),
        cmocka_unit_test(test_layout_with_a_tag),
        cmocka_unit_test(test_layout_of_a_16_kib_chunk),
        cmocka_unit_test(test_addresses_in_a_chunk),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_positions_of_entities_4_7_9),
        cmocka_unit_test(test_entity_123_opens_a_second_chunk),
        cmocka_unit_test(test_new_archetype_is_found_by_an_old_query),
        cmocka_unit_test(test_migration_of_the_first_row),
        cmocka_unit_test(test_migration_of_the_middle_row),
        cmocka_unit_test(test_migration_of_the_last_row),
        cmocka_unit_test(test_refused_input_leaves_the_source),
        cmocka_unit_test(test_structural_change_is_refused_while_iterating),
        cmocka_unit_test(test_validation_sees_a_row_that_the_index_does_not_know),
        cmocka_unit_test(test_160_entities_300_steps),
        cmocka_unit_test(test_three_frames),
        cmocka_unit_test(test_ten_thousand_of_eleven_thousand),
        cmocka_unit_test(test_frozen_ones_need_not_have_velocity),
        cmocka_unit_test(test_all_chunks_but_the_last_are_full),
        cmocka_unit_test(test_swap_back),
        cmocka_unit_test(test_a_thousand_bullets_get_health),
        cmocka_unit_test(test_slot_7_generation_3),
        cmocka_unit_test(test_commands_at_the_safe_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
