/*
 * A typical small world: seven systems over 2,000 entities in 20 archetypes. The figure is nanoseconds a step.
 *
 *     archetypes 0 to 9      Position Velocity Charge, and one of ten tags       500 entities
 *     archetypes 10 to 19    the same and Force Home Health                    1,500 entities
 *
 *     pull, drag, push       over the second half       damp, move, keep    over all      heal    over the second half
 *
 * Plain has a set of arrays for each archetype and goes through them system by system. Charge tells in which archetype
 * an entity is and never changes: entities of one archetype begin alike and must end alike, as one row does that is
 * worked out at the end. Each run begins at the same values, but for Health: after many thousand steps velocities would
 * be so small that the processor computes with them more slowly.
 */
#include "case.h"

#include <stdlib.h>

#include "kernels.h"
#include "light.h"
#include "support.h"

enum {
    SMALL_TABLES = 20,
    SMALL_BARE = 10, /* the first of them that have no Force, Home and Health */
    SMALL_BARE_ROWS = 50,
    SMALL_FULL_ROWS = 150,
    SMALL_ENTITIES = SMALL_BARE * SMALL_BARE_ROWS + (SMALL_TABLES - SMALL_BARE) * SMALL_FULL_ROWS,
    SMALL_STEPS = 1000
};

/* Those of the seven that are light systems, in their order; heal comes after them. */
static const light_system small_systems[] = {LIGHT_PULL, LIGHT_DRAG, LIGHT_PUSH, LIGHT_DAMP, LIGHT_MOVE, LIGHT_KEEP};

enum { SMALL_LIGHT_SYSTEMS = sizeof small_systems / sizeof small_systems[0] };

static size_t table_rows(size_t table) {
    return table < SMALL_BARE ? SMALL_BARE_ROWS : SMALL_FULL_ROWS;
}

static Position first_position(size_t table) {
    return (Position){(float)table, 1, 2};
}

static Home first_home(size_t table) {
    return (Home){64, (float)table, 32};
}

/* ---- plain ---- */

typedef struct small_table {
    light_columns columns;
    Health *healths; /* NULL like forces and homes in the first tables */
    size_t count;
} small_table;

typedef struct small_arrays {
    small_table tables[SMALL_TABLES];
    size_t runs;
} small_arrays;

/* The values that a run begins with, for the rows of table `number`. */
static void columns_reset(const light_columns *columns, size_t number, size_t count) {
    for (size_t i = 0; i < count; i++) {
        columns->positions[i] = first_position(number);
        columns->velocities[i] = BENCH_VELOCITY;
    }
    for (size_t i = 0; columns->forces != NULL && i < count; i++) {
        columns->forces[i] = (Force){0};
        columns->homes[i] = first_home(number);
    }
}

static void table_make(small_table *table, size_t number, size_t count) {
    light_columns *columns = &table->columns;
    table->count = count;
    columns->positions = bench_allocate(count, sizeof *columns->positions);
    columns->velocities = bench_allocate(count, sizeof *columns->velocities);
    if (number >= SMALL_BARE) {
        columns->forces = bench_allocate(count, sizeof *columns->forces);
        columns->homes = bench_allocate(count, sizeof *columns->homes);
        table->healths = bench_allocate_zeroed(count, sizeof *table->healths);
    }
    columns_reset(columns, number, count);
}

static void table_free(small_table *table) {
    free(table->columns.positions);
    free(table->columns.velocities);
    free(table->columns.forces);
    free(table->columns.homes);
    free(table->healths);
}

static bool has_columns(const small_table *table, light_system which) {
    bool is_for_all = which == LIGHT_DAMP || which == LIGHT_MOVE || which == LIGHT_KEEP;
    return is_for_all || table->columns.forces != NULL;
}

static void arrays_step(small_arrays *arrays) {
    for (size_t i = 0; i < SMALL_LIGHT_SYSTEMS; i++) {
        for (size_t t = 0; t < SMALL_TABLES; t++) {
            const small_table *table = &arrays->tables[t];
            if (has_columns(table, small_systems[i])) {
                light_system_over(&table->columns, small_systems[i], 0, table->count);
            }
        }
    }
    for (size_t t = SMALL_BARE; t < SMALL_TABLES; t++) {
        bench_heal(arrays->tables[t].healths, arrays->tables[t].count);
    }
}

/* One row in each table as the newest of so many runs must have left it. */
static void expect_arrays(small_arrays *expected, size_t runs) {
    *expected = (small_arrays){0};
    for (size_t t = 0; t < SMALL_TABLES; t++) {
        table_make(&expected->tables[t], t, 1);
    }
    for (size_t i = 0; i < SMALL_STEPS; i++) {
        arrays_step(expected);
    }
    for (size_t t = SMALL_BARE; t < SMALL_TABLES; t++) {
        expected->tables[t].healths->points *= (int32_t)runs;
    }
}

static void free_tables(small_arrays *arrays) {
    for (size_t t = 0; t < SMALL_TABLES; t++) {
        table_free(&arrays->tables[t]);
    }
}

/* Rows of a table that are not like the one row of `expected`. */
static size_t wrong_rows(const small_table *table, const small_table *expected) {
    size_t wrong = 0;
    for (size_t i = 0; i < table->count; i++) {
        bool is_healthy = expected->healths == NULL || table->healths[i].points == expected->healths->points;
        wrong += !is_healthy || !light_row_is(&table->columns, i, &expected->columns);
    }
    return wrong;
}

static void *arrays_setup(size_t n) {
    small_arrays *arrays = bench_allocate_zeroed(1, sizeof *arrays);
    BENCH_CHECK(n == SMALL_ENTITIES, "n is %zu", n);
    for (size_t t = 0; t < SMALL_TABLES; t++) {
        table_make(&arrays->tables[t], t, table_rows(t));
    }
    return arrays;
}

static bench_sample arrays_run(void *state) {
    small_arrays *arrays = state;
    for (size_t t = 0; t < SMALL_TABLES; t++) {
        columns_reset(&arrays->tables[t].columns, t, arrays->tables[t].count);
    }
    uint64_t start = bench_now();
    for (size_t i = 0; i < SMALL_STEPS; i++) {
        arrays_step(arrays);
    }
    uint64_t end = bench_now();
    arrays->runs++;
    return bench_sample_of(end - start, SMALL_STEPS);
}

static void arrays_finish(void *state) {
    small_arrays *arrays = state;
    small_arrays expected;
    expect_arrays(&expected, arrays->runs);
    size_t wrong = 0;
    for (size_t t = 0; t < SMALL_TABLES; t++) {
        wrong += wrong_rows(&arrays->tables[t], &expected.tables[t]);
    }
    BENCH_CHECK(wrong == 0, "%zu rows are wrong", wrong);
    free_tables(&expected);
    free_tables(arrays);
    free(arrays);
}

/* ---- shoal ---- */

typedef struct small_world {
    shoal_world *world;
    shoal_query *all; /* every entity, for values at the beginning and at the end */
    size_t runs;
} small_world;

static shoal_status heal_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_heal(SHOAL_COLUMN_MUT(view, Health), view->count);
    return SHOAL_OK;
}

static void spawn_of_table(shoal_world *world, size_t table) {
    const shoal_value values[] = {SHOAL_DEFAULT(Position),
                                  SHOAL_DEFAULT(Velocity),
                                  SHOAL_VALUE(Charge, (float)table),
                                  {bench_family_member(BENCH_FAMILY_TAG, table % BENCH_TAGS), NULL},
                                  SHOAL_DEFAULT(Force),
                                  SHOAL_DEFAULT(Home),
                                  SHOAL_DEFAULT(Health)};
    shoal_entity entity = shoal_spawn(world, values, table < SMALL_BARE ? 4 : 7);
    BENCH_REQUIRE(world, !shoal_entity_is_null(entity));
}

static void *world_setup(size_t n) {
    small_world *small = bench_allocate_zeroed(1, sizeof *small);
    small->world = bench_world_create();
    for (size_t t = 0; t < SMALL_TABLES; t++) {
        for (size_t i = 0; i < table_rows(t); i++) {
            spawn_of_table(small->world, t);
        }
    }
    BENCH_CHECK(shoal_world_entity_count(small->world) == n, "n is %zu", n);
    const shoal_query_def all = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_WRITE(Velocity), SHOAL_READ(Charge),
                                                      SHOAL_OPTIONAL_WRITE(Force), SHOAL_OPTIONAL_WRITE(Home),
                                                      SHOAL_OPTIONAL_WRITE(Health))};
    small->all = bench_query_of(small->world, &all);
    size_t archetypes = shoal_query_archetype_count(small->all);
    BENCH_CHECK(archetypes == SMALL_TABLES, "%zu archetypes", archetypes);
    for (size_t i = 0; i < SMALL_LIGHT_SYSTEMS; i++) {
        light_system_add(small->world, small_systems[i]);
    }
    const shoal_system_def heal = {
        .name = "heal", .each = heal_each, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Health))}};
    BENCH_REQUIRE(small->world, shoal_system_add(small->world, &heal) != NULL);
    return small;
}

/* The rows of a view, which are all of one archetype, as a table. Returns its number. */
static size_t table_of_view(small_table *table, shoal_view *view) {
    size_t number = (size_t)SHOAL_COLUMN(view, Charge)[0].value;
    BENCH_CHECK(number < SMALL_TABLES, "a row of table %zu", number);
    bool is_full = number >= SMALL_BARE;
    *table = (small_table){.columns = {.positions = SHOAL_COLUMN_MUT(view, Position),
                                       .velocities = SHOAL_COLUMN_MUT(view, Velocity),
                                       .forces = is_full ? SHOAL_COLUMN_MUT(view, Force) : NULL,
                                       .homes = is_full ? SHOAL_COLUMN_MUT(view, Home) : NULL},
                           .healths = is_full ? SHOAL_COLUMN_MUT(view, Health) : NULL,
                           .count = view->count};
    return number;
}

static bench_sample world_run(void *state) {
    small_world *small = state;
    small_table table;
    shoal_view view;
    shoal_view_begin(&view, small->all);
    while (shoal_view_next(&view)) {
        size_t number = table_of_view(&table, &view);
        columns_reset(&table.columns, number, table.count);
    }
    uint64_t start = bench_now();
    for (size_t i = 0; i < SMALL_STEPS; i++) {
        BENCH_REQUIRE(small->world, shoal_world_step(small->world, 15625000) == SHOAL_OK);
    }
    uint64_t end = bench_now();
    small->runs++;
    return bench_sample_of(end - start, SMALL_STEPS);
}

static void world_finish(void *state) {
    small_world *small = state;
    small_arrays expected;
    expect_arrays(&expected, small->runs);
    size_t rows = 0;
    size_t wrong = 0;
    small_table table;
    shoal_view view;
    shoal_view_begin(&view, small->all);
    while (shoal_view_next(&view)) {
        size_t number = table_of_view(&table, &view);
        rows += view.count;
        wrong += wrong_rows(&table, &expected.tables[number]);
    }
    BENCH_CHECK(rows == SMALL_ENTITIES && wrong == 0, "%zu of %zu rows are wrong", wrong, rows);
    free_tables(&expected);
    bench_world_destroy(small->world);
    free(small);
}

/* ---- the table ---- */

static const bench_case cases[] = {
    {.name = "small_world_7_systems",
     .n = SMALL_ENTITIES,
     .plain = {.setup = arrays_setup, .run = arrays_run, .finish = arrays_finish},
     .shoal = {.setup = world_setup, .run = world_run, .finish = world_finish},
     .standing = true},
};

const bench_theme bench_small_world = BENCH_THEME(cases);
