/*
 * The eight light systems; see light.h. Arrays and world call the same kernels.
 *
 * Rows begin in LIGHT_KINDS different ways. What a row of each kind must have come to is worked out at the end, one
 * row and one kernel at a time.
 */
#include "light.h"

#include <stdlib.h>

#include "kernels.h"
#include "support.h"

/* ---- the systems ---- */

void light_system_over(const light_columns *columns, light_system which, size_t first, size_t end) {
    Position *positions = columns->positions + first;
    Velocity *velocities = columns->velocities + first;
    Force *forces = columns->forces != NULL ? columns->forces + first : NULL;
    Home *homes = columns->homes != NULL ? columns->homes + first : NULL;
    size_t count = end - first;
    switch (which) {
    case LIGHT_PULL:
        bench_pull(forces, homes, positions, count);
        return;
    case LIGHT_DRAG:
        bench_drag(forces, velocities, count);
        return;
    case LIGHT_EASE:
        bench_ease(forces, count);
        return;
    case LIGHT_PUSH:
        bench_push(velocities, forces, count);
        return;
    case LIGHT_DAMP:
        bench_damp(velocities, count);
        return;
    case LIGHT_MOVE:
        bench_move(positions, velocities, count);
        return;
    case LIGHT_KEEP:
        bench_keep(positions, count);
        return;
    default:
        bench_drift(homes, positions, count);
        return;
    }
}

static shoal_status pull_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_pull(SHOAL_COLUMN_MUT(view, Force), SHOAL_COLUMN(view, Home), SHOAL_COLUMN(view, Position), view->count);
    return SHOAL_OK;
}

static shoal_status drag_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_drag(SHOAL_COLUMN_MUT(view, Force), SHOAL_COLUMN(view, Velocity), view->count);
    return SHOAL_OK;
}

static shoal_status ease_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_ease(SHOAL_COLUMN_MUT(view, Force), view->count);
    return SHOAL_OK;
}

static shoal_status push_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_push(SHOAL_COLUMN_MUT(view, Velocity), SHOAL_COLUMN(view, Force), view->count);
    return SHOAL_OK;
}

static shoal_status damp_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_damp(SHOAL_COLUMN_MUT(view, Velocity), view->count);
    return SHOAL_OK;
}

static shoal_status move_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_move(SHOAL_COLUMN_MUT(view, Position), SHOAL_COLUMN(view, Velocity), view->count);
    return SHOAL_OK;
}

static shoal_status keep_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_keep(SHOAL_COLUMN_MUT(view, Position), view->count);
    return SHOAL_OK;
}

static shoal_status drift_each(const shoal_run *run, shoal_view *view) {
    (void)run;
    bench_drift(SHOAL_COLUMN_MUT(view, Home), SHOAL_COLUMN(view, Position), view->count);
    return SHOAL_OK;
}

void light_system_add(shoal_world *world, light_system which) {
    const shoal_system_def systems[LIGHT_SYSTEMS] = {
        {.name = "pull",
         .each = pull_each,
         .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Force), SHOAL_READ(Home), SHOAL_READ(Position))}},
        {.name = "drag", .each = drag_each, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Force), SHOAL_READ(Velocity))}},
        {.name = "ease", .each = ease_each, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Force))}},
        {.name = "push", .each = push_each, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Velocity), SHOAL_READ(Force))}},
        {.name = "damp", .each = damp_each, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Velocity))}},
        {.name = "move",
         .each = move_each,
         .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Velocity))}},
        {.name = "keep", .each = keep_each, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position))}},
        {.name = "drift", .each = drift_each, .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Home), SHOAL_READ(Position))}},
    };
    BENCH_REQUIRE(world, shoal_system_add(world, &systems[which]) != NULL);
}

/* ---- rows ---- */

/* A prime, so that the kinds do not fall in step with chunks and strips. */
enum { LIGHT_KINDS = 13 };

typedef struct light_row {
    Position position;
    Velocity velocity;
    Force force;
    Home home;
} light_row;

/* No home is at its position, so that velocities stay far from the small numbers that are slow to compute with. */
static light_row row_of_kind(size_t kind) {
    float k = (float)kind;
    return (light_row){
        .position = {k, -k, 2 * k}, .velocity = {1, k, 4 - k}, .force = {0, 0, 0}, .home = {100 - k, 50, 3 * k + 8}};
}

/* ---- what must come out ---- */

bool light_row_is(const light_columns *columns, size_t row, const light_columns *right) {
    Position position = columns->positions[row];
    Velocity velocity = columns->velocities[row];
    bool same = position.x == right->positions->x && position.y == right->positions->y &&
                position.z == right->positions->z && velocity.x == right->velocities->x &&
                velocity.y == right->velocities->y && velocity.z == right->velocities->z;
    if (right->forces != NULL) {
        Force force = columns->forces[row];
        same = same && force.x == right->forces->x && force.y == right->forces->y && force.z == right->forces->z;
    }
    if (right->homes != NULL) {
        Home home = columns->homes[row];
        same = same && home.x == right->homes->x && home.y == right->homes->y && home.z == right->homes->z;
    }
    return same;
}

static light_columns columns_of_row(light_row *row) {
    return (light_columns){&row->position, &row->velocity, &row->force, &row->home};
}

/* Each kind after `steps` steps. */
static void expected_rows(light_row rows[LIGHT_KINDS], size_t systems, size_t steps) {
    for (size_t kind = 0; kind < LIGHT_KINDS; kind++) {
        rows[kind] = row_of_kind(kind);
        light_columns columns = columns_of_row(&rows[kind]);
        for (size_t call = 0; call < steps * systems; call++) {
            light_system_over(&columns, (light_system)(call % systems), 0, 1);
        }
    }
}

/* Rows that are not what they must be; the first is row number `first` of all. */
static size_t wrong_rows(const light_columns *columns, size_t first, size_t count, light_row expected[LIGHT_KINDS]) {
    light_columns right[LIGHT_KINDS];
    for (size_t kind = 0; kind < LIGHT_KINDS; kind++) {
        right[kind] = columns_of_row(&expected[kind]);
    }
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += !light_row_is(columns, i, &right[(first + i) % LIGHT_KINDS]);
    }
    return wrong;
}

static void check_rows(size_t rows, size_t count, size_t wrong) {
    BENCH_CHECK(rows == count && wrong == 0, "%zu of %zu rows are wrong", wrong, rows);
}

/* ---- arrays ---- */

struct light_arrays {
    light_columns columns;
    size_t count;
    size_t systems;
    size_t steps;
    size_t system; /* of the pass over the threads that is under way */
};

light_arrays *light_arrays_create(size_t count, size_t systems) {
    light_arrays *arrays = bench_allocate_zeroed(1, sizeof *arrays);
    light_columns *columns = &arrays->columns;
    arrays->count = count;
    arrays->systems = systems;
    columns->positions = bench_allocate(count, sizeof(Position));
    columns->velocities = bench_allocate(count, sizeof(Velocity));
    columns->forces = bench_allocate(count, sizeof(Force));
    columns->homes = bench_allocate(count, sizeof(Home));
    for (size_t i = 0; i < count; i++) {
        light_row row = row_of_kind(i % LIGHT_KINDS);
        columns->positions[i] = row.position;
        columns->velocities[i] = row.velocity;
        columns->forces[i] = row.force;
        columns->homes[i] = row.home;
    }
    return arrays;
}

static void each_range(void *data, size_t first, size_t end) {
    const light_arrays *arrays = data;
    light_system_over(&arrays->columns, (light_system)arrays->system, first, end);
}

static void strips_range(void *data, size_t first, size_t end) {
    const light_arrays *arrays = data;
    for (size_t row = first; row < end; row += LIGHT_STRIP_ROWS) {
        size_t strip_end = end - row < LIGHT_STRIP_ROWS ? end : row + LIGHT_STRIP_ROWS;
        for (size_t number = 0; number < arrays->systems; number++) {
            light_system_over(&arrays->columns, (light_system)number, row, strip_end);
        }
    }
}

static void run_range(light_arrays *arrays, bench_threads *threads, bench_range_function work) {
    if (threads != NULL) {
        bench_threads_run(threads, arrays->count, work, arrays);
    } else {
        work(arrays, 0, arrays->count);
    }
}

void light_arrays_step(light_arrays *arrays, light_manner manner, bench_threads *threads) {
    if (manner == LIGHT_STRIPS) {
        run_range(arrays, threads, strips_range);
    }
    for (size_t number = 0; manner == LIGHT_EACH && number < arrays->systems; number++) {
        arrays->system = number;
        run_range(arrays, threads, each_range);
    }
    arrays->steps++;
}

void light_arrays_finish(light_arrays *arrays) {
    light_row expected[LIGHT_KINDS];
    expected_rows(expected, arrays->systems, arrays->steps);
    check_rows(arrays->count, arrays->count, wrong_rows(&arrays->columns, 0, arrays->count, expected));
    free(arrays->columns.positions);
    free(arrays->columns.velocities);
    free(arrays->columns.forces);
    free(arrays->columns.homes);
    free(arrays);
}

/* ---- a world ---- */

struct light_world {
    shoal_world *world;
    size_t count;
    size_t systems;
    size_t steps;
};

light_world *light_world_create(size_t count, size_t systems, const shoal_schedule_def *settings) {
    light_world *light = bench_allocate_zeroed(1, sizeof *light);
    light->world = bench_world_create();
    light->count = count;
    light->systems = systems;
    for (size_t i = 0; i < count; i++) {
        light_row row = row_of_kind(i % LIGHT_KINDS);
        shoal_entity entity = shoal_spawn(
            light->world, SHOAL_VALUES({SHOAL_ID(Position), &row.position}, {SHOAL_ID(Velocity), &row.velocity},
                                       {SHOAL_ID(Force), &row.force}, {SHOAL_ID(Home), &row.home}));
        BENCH_REQUIRE(light->world, !shoal_entity_is_null(entity));
    }
    BENCH_REQUIRE(light->world, shoal_schedule_configure(light->world, settings) == SHOAL_OK);
    for (size_t i = 0; i < systems; i++) {
        light_system_add(light->world, (light_system)i);
    }
    BENCH_REQUIRE(light->world, shoal_schedule_build(light->world) == SHOAL_OK);
    return light;
}

void light_world_step(light_world *light) {
    BENCH_REQUIRE(light->world, shoal_world_step(light->world, 15625000) == SHOAL_OK);
    light->steps++;
}

size_t light_world_fused(const light_world *light) {
    shoal_schedule_stats stats;
    BENCH_REQUIRE(NULL, shoal_schedule_stats_get(light->world, &stats) == SHOAL_OK);
    return stats.fused;
}

void light_world_finish(light_world *light) {
    light_row expected[LIGHT_KINDS];
    expected_rows(expected, light->systems, light->steps);
    shoal_query *query = bench_query_of(
        light->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_WRITE(Velocity),
                                                              SHOAL_WRITE(Force), SHOAL_WRITE(Home))});
    size_t rows = 0;
    size_t wrong = 0;
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next(&view)) {
        light_columns columns = {SHOAL_COLUMN_MUT(&view, Position), SHOAL_COLUMN_MUT(&view, Velocity),
                                 SHOAL_COLUMN_MUT(&view, Force), SHOAL_COLUMN_MUT(&view, Home)};
        wrong += wrong_rows(&columns, rows, view.count, expected);
        rows += view.count;
    }
    check_rows(rows, light->count, wrong);
    bench_world_destroy(light->world);
    free(light);
}
