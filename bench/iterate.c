/*
 * Iteration: what a pass over all matching rows costs.
 *
 * The cases that move positions differ only in shape: how many entities, spread over how many archetypes (plain: over
 * how many pairs of arrays), how many passes make one run. dispatch_query is the pass over a single entity, that is
 * what a query costs before it does any work; query_cached_iter the pass over 1,000 archetypes of one entity.
 */
#include "case.h"

#include <stdlib.h>

#include "components.h"
#include "kernels.h"
#include "support.h"

/* ---- move: Position += Velocity ---- */

typedef struct move_shape {
    size_t row_count;
    size_t table_count; /* archetypes, or pairs of arrays */
    size_t passes;      /* in one run */
    bool per_pass;      /* the figure is for a whole pass, not for a row */
} move_shape;

/* Rows that one run should touch at least, so that the clock's grain is lost in it. */
#define ROWS_OF_A_RUN 16000000u

static move_shape shape_of_rows(size_t n, size_t table_count) {
    size_t passes = ROWS_OF_A_RUN / n;
    return (move_shape){.row_count = n, .table_count = table_count, .passes = passes > 0 ? passes : 1};
}

static bench_sample move_sample(const move_shape *shape, uint64_t nanoseconds) {
    double rows = shape->per_pass ? 1.0 : (double)shape->row_count;
    return (bench_sample){.figure = (double)nanoseconds / (double)shape->passes / rows};
}

/* Counts the rows that are not exactly where `passes` steps must have brought them. */
static size_t misplaced(const Position *positions, size_t count, size_t passes) {
    float way = (float)passes * BENCH_TIME_STEP;
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += positions[i].x != way * BENCH_VELOCITY.x || positions[i].y != way * BENCH_VELOCITY.y ||
                 positions[i].z != way * BENCH_VELOCITY.z;
    }
    return wrong;
}

static void check_moved(size_t rows, size_t wrong, const move_shape *shape, size_t passes) {
    BENCH_CHECK(rows == shape->row_count, "%zu rows instead of %zu", rows, shape->row_count);
    BENCH_CHECK(wrong == 0, "%zu of %zu rows are wrong after %zu passes", wrong, rows, passes);
}

typedef struct array_pair {
    Position *positions;
    Velocity *velocities;
    size_t count;
} array_pair;

typedef struct array_move {
    move_shape shape;
    size_t passes_done;
    array_pair *tables;
} array_move;

static void *move_plain_setup(move_shape shape) {
    array_move *move = bench_allocate_zeroed(1, sizeof *move);
    move->shape = shape;
    move->tables = bench_allocate_zeroed(shape.table_count, sizeof *move->tables);
    for (size_t t = 0; t < shape.table_count; t++) {
        array_pair *table = &move->tables[t];
        table->count = shape.row_count / shape.table_count + (t < shape.row_count % shape.table_count);
        table->positions = bench_allocate_zeroed(table->count, sizeof *table->positions);
        table->velocities = bench_allocate(table->count, sizeof *table->velocities);
        for (size_t i = 0; i < table->count; i++) {
            table->velocities[i] = BENCH_VELOCITY;
        }
    }
    return move;
}

static bench_sample move_plain_run(void *state) {
    array_move *move = state;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < move->shape.passes; pass++) {
        for (size_t t = 0; t < move->shape.table_count; t++) {
            bench_move(move->tables[t].positions, move->tables[t].velocities, move->tables[t].count);
        }
    }
    uint64_t end = bench_now();
    move->passes_done += move->shape.passes;
    return move_sample(&move->shape, end - start);
}

static void move_plain_finish(void *state) {
    array_move *move = state;
    size_t rows = 0;
    size_t wrong = 0;
    for (size_t t = 0; t < move->shape.table_count; t++) {
        array_pair *table = &move->tables[t];
        rows += table->count;
        wrong += misplaced(table->positions, table->count, move->passes_done);
        free(table->positions);
        free(table->velocities);
    }
    check_moved(rows, wrong, &move->shape, move->passes_done);
    free(move->tables);
    free(move);
}

typedef struct world_move {
    move_shape shape;
    size_t passes_done;
    shoal_world *world;
    shoal_query *query;
} world_move;

static void *move_shoal_setup(move_shape shape) {
    world_move *move = bench_allocate_zeroed(1, sizeof *move);
    move->shape = shape;
    move->world = bench_world_create();
    for (size_t i = 0; i < shape.row_count; i++) {
        bench_spawn_tagged(move->world, 0, i % shape.table_count);
    }
    move->query = bench_moving(move->world);
    return move;
}

static bench_sample move_shoal_run(void *state) {
    world_move *move = state;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < move->shape.passes; pass++) {
        shoal_view view;
        shoal_view_begin(&view, move->query);
        while (shoal_view_next(&view)) {
            bench_move(SHOAL_COLUMN_MUT(&view, Position), SHOAL_COLUMN(&view, Velocity), view.count);
        }
    }
    uint64_t end = bench_now();
    move->passes_done += move->shape.passes;
    return move_sample(&move->shape, end - start);
}

static void move_shoal_finish(void *state) {
    world_move *move = state;
    size_t rows = 0;
    size_t wrong = 0;
    shoal_view view;
    shoal_view_begin(&view, move->query);
    while (shoal_view_next(&view)) {
        rows += view.count;
        wrong += misplaced(SHOAL_COLUMN(&view, Position), view.count, move->passes_done);
    }
    check_moved(rows, wrong, &move->shape, move->passes_done);
    bench_world_destroy(move->world);
    free(move);
}

static void *iter_pv_plain(size_t n) {
    return move_plain_setup(shape_of_rows(n, 1));
}

static void *iter_pv_shoal(size_t n) {
    return move_shoal_setup(shape_of_rows(n, 1));
}

static void *frag1024_plain(size_t n) {
    return move_plain_setup(shape_of_rows(n, BENCH_TAG_SETS));
}

static void *frag1024_shoal(size_t n) {
    return move_shoal_setup(shape_of_rows(n, BENCH_TAG_SETS));
}

#define DISPATCH_SHAPE ((move_shape){.row_count = 1, .table_count = 1, .passes = 80000})

static void *dispatch_plain(size_t n) {
    (void)n;
    return move_plain_setup(DISPATCH_SHAPE);
}

static void *dispatch_shoal(size_t n) {
    (void)n;
    return move_shoal_setup(DISPATCH_SHAPE);
}

static move_shape one_row_each(size_t n) {
    return (move_shape){.row_count = n, .table_count = n, .passes = 1000, .per_pass = true};
}

static void *cached_plain(size_t n) {
    return move_plain_setup(one_row_each(n));
}

static void *cached_shoal(size_t n) {
    return move_shoal_setup(one_row_each(n));
}

/* ---- one component: points += 1 ---- */

#define HEAL_PASSES 4

typedef struct array_heal {
    size_t n;
    int32_t passes_done;
    Health *healths;
} array_heal;

static void *heal_plain_setup(size_t n) {
    array_heal *heal = bench_allocate_zeroed(1, sizeof *heal);
    heal->n = n;
    heal->healths = bench_allocate_zeroed(n, sizeof *heal->healths);
    return heal;
}

static bench_sample heal_plain_run(void *state) {
    array_heal *heal = state;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < HEAL_PASSES; pass++) {
        bench_heal(heal->healths, heal->n);
    }
    uint64_t end = bench_now();
    heal->passes_done += HEAL_PASSES;
    return (bench_sample){.figure = (double)(end - start) / HEAL_PASSES / (double)heal->n};
}

static size_t unhealed(const Health *healths, size_t count, int32_t points) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        wrong += healths[i].points != points;
    }
    return wrong;
}

static void heal_plain_finish(void *state) {
    array_heal *heal = state;
    size_t wrong = unhealed(heal->healths, heal->n, heal->passes_done);
    BENCH_CHECK(wrong == 0, "%zu of %zu rows are wrong", wrong, heal->n);
    free(heal->healths);
    free(heal);
}

typedef struct world_heal {
    size_t n;
    int32_t passes_done;
    shoal_world *world;
    shoal_query *query;
} world_heal;

static void *heal_shoal_setup(size_t n) {
    world_heal *heal = bench_allocate_zeroed(1, sizeof *heal);
    heal->n = n;
    heal->world = bench_world_create();
    for (size_t i = 0; i < n; i++) {
        shoal_entity entity = shoal_spawn(
            heal->world, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity), SHOAL_DEFAULT(Health)));
        BENCH_REQUIRE(heal->world, !shoal_entity_is_null(entity));
    }
    heal->query = shoal_query_create(heal->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WRITE(Health))});
    BENCH_REQUIRE(heal->world, heal->query != NULL);
    return heal;
}

static bench_sample heal_shoal_run(void *state) {
    world_heal *heal = state;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < HEAL_PASSES; pass++) {
        shoal_view view;
        shoal_view_begin(&view, heal->query);
        while (shoal_view_next(&view)) {
            bench_heal(SHOAL_COLUMN_MUT(&view, Health), view.count);
        }
    }
    uint64_t end = bench_now();
    heal->passes_done += HEAL_PASSES;
    return (bench_sample){.figure = (double)(end - start) / HEAL_PASSES / (double)heal->n};
}

static void heal_shoal_finish(void *state) {
    world_heal *heal = state;
    size_t rows = 0;
    size_t wrong = 0;
    shoal_view view;
    shoal_view_begin(&view, heal->query);
    while (shoal_view_next(&view)) {
        rows += view.count;
        wrong += unhealed(SHOAL_COLUMN(&view, Health), view.count, heal->passes_done);
    }
    BENCH_CHECK(rows == heal->n && wrong == 0, "%zu of %zu rows are wrong", wrong, rows);
    bench_world_destroy(heal->world);
    free(heal);
}

/* ---- 26 archetypes of 20 entities: value *= 2 ---- */

/* Doubling would overflow after 128 passes, so the passes that count work on zeros, and finish() doubles ones. */
enum { SPREAD_ROWS = 20, SPREAD_PASSES = 20000 };

static bench_sample spread_sample(uint64_t nanoseconds) {
    return (bench_sample){.figure = (double)nanoseconds / SPREAD_PASSES};
}

static double sum_charges(const Charge *charges, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)charges[i].value;
    }
    return sum;
}

static void fill_charges(Charge *charges, size_t count, float value) {
    for (size_t i = 0; i < count; i++) {
        charges[i].value = value;
    }
}

static void check_doubled(double sum) {
    BENCH_CHECK(sum == 2.0 * SPREAD_ROWS * BENCH_SPREADS, "doubled ones sum up to %g", sum);
}

typedef struct array_spread {
    Charge *tables[BENCH_SPREADS];
} array_spread;

static void *spread_plain_setup(size_t n) {
    array_spread *spread = bench_allocate_zeroed(1, sizeof *spread);
    BENCH_CHECK(n == (size_t)SPREAD_ROWS * BENCH_SPREADS, "n is %zu", n);
    for (size_t t = 0; t < BENCH_SPREADS; t++) {
        spread->tables[t] = bench_allocate_zeroed(SPREAD_ROWS, sizeof(Charge));
    }
    return spread;
}

static void spread_plain_pass(array_spread *spread) {
    for (size_t t = 0; t < BENCH_SPREADS; t++) {
        bench_double(spread->tables[t], SPREAD_ROWS);
    }
}

static bench_sample spread_plain_run(void *state) {
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < SPREAD_PASSES; pass++) {
        spread_plain_pass(state);
    }
    return spread_sample(bench_now() - start);
}

static void spread_plain_finish(void *state) {
    array_spread *spread = state;
    for (size_t t = 0; t < BENCH_SPREADS; t++) {
        fill_charges(spread->tables[t], SPREAD_ROWS, 1);
    }
    spread_plain_pass(spread);
    double sum = 0;
    for (size_t t = 0; t < BENCH_SPREADS; t++) {
        sum += sum_charges(spread->tables[t], SPREAD_ROWS);
        free(spread->tables[t]);
    }
    check_doubled(sum);
    free(spread);
}

typedef struct world_spread {
    shoal_world *world;
    shoal_query *query;
} world_spread;

static void *spread_shoal_setup(size_t n) {
    world_spread *spread = bench_allocate_zeroed(1, sizeof *spread);
    spread->world = bench_world_create();
    for (size_t i = 0; i < n; i++) {
        shoal_component member = bench_family_member(BENCH_FAMILY_SPREAD, i / SPREAD_ROWS);
        shoal_entity entity = shoal_spawn(spread->world, SHOAL_VALUES({member, NULL}, SHOAL_DEFAULT(Charge)));
        BENCH_REQUIRE(spread->world, !shoal_entity_is_null(entity));
    }
    spread->query = shoal_query_create(spread->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WRITE(Charge))});
    BENCH_REQUIRE(spread->world, spread->query != NULL);
    BENCH_CHECK(shoal_query_archetype_count(spread->query) == BENCH_SPREADS, "not %d archetypes", BENCH_SPREADS);
    return spread;
}

static void spread_shoal_pass(world_spread *spread) {
    shoal_view view;
    shoal_view_begin(&view, spread->query);
    while (shoal_view_next(&view)) {
        bench_double(SHOAL_COLUMN_MUT(&view, Charge), view.count);
    }
}

static bench_sample spread_shoal_run(void *state) {
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < SPREAD_PASSES; pass++) {
        spread_shoal_pass(state);
    }
    return spread_sample(bench_now() - start);
}

static void spread_shoal_finish(void *state) {
    world_spread *spread = state;
    shoal_view view;
    shoal_view_begin(&view, spread->query);
    while (shoal_view_next(&view)) {
        fill_charges(SHOAL_COLUMN_MUT(&view, Charge), view.count, 1);
    }
    spread_shoal_pass(spread);
    double sum = 0;
    shoal_view_begin(&view, spread->query);
    while (shoal_view_next(&view)) {
        sum += sum_charges(SHOAL_COLUMN(&view, Charge), view.count);
    }
    check_doubled(sum);
    bench_world_destroy(spread->world);
    free(spread);
}

/* ---- the table ---- */

#define MOVE_PLAIN(setup_function)                                                                                     \
    { .setup = (setup_function), .run = move_plain_run, .finish = move_plain_finish }
#define MOVE_SHOAL(setup_function)                                                                                     \
    { .setup = (setup_function), .run = move_shoal_run, .finish = move_shoal_finish }
#define ITER_PV(count, limit)                                                                                          \
    {                                                                                                                  \
        .name = "iter_pv", .n = (count), .plain = MOVE_PLAIN(iter_pv_plain), .shoal = MOVE_SHOAL(iter_pv_shoal),       \
        .standing = true, .budget_kind = BENCH_AT_MOST_RATIO, .budget = (limit)                                        \
    }
#define ITER_FRAG1024(count, limit)                                                                                    \
    {                                                                                                                  \
        .name = "iter_frag1024", .n = (count), .plain = MOVE_PLAIN(frag1024_plain),                                    \
        .shoal = MOVE_SHOAL(frag1024_shoal), .standing = true, .budget_kind = BENCH_AT_MOST_RATIO, .budget = (limit)   \
    }

static const bench_case cases[] = {
    ITER_PV(1000, 1.10),
    ITER_PV(32768, 1.05),
    ITER_PV(1000000, 1.05),
    ITER_PV(10000000, 1.05),
    {.name = "iter_1comp",
     .n = 1000000,
     .plain = {.setup = heal_plain_setup, .run = heal_plain_run, .finish = heal_plain_finish},
     .shoal = {.setup = heal_shoal_setup, .run = heal_shoal_run, .finish = heal_shoal_finish},
     .standing = true},
    {.name = "iter_frag26",
     .n = (size_t)SPREAD_ROWS * BENCH_SPREADS,
     .plain = {.setup = spread_plain_setup, .run = spread_plain_run, .finish = spread_plain_finish},
     .shoal = {.setup = spread_shoal_setup, .run = spread_shoal_run, .finish = spread_shoal_finish},
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 130},
    ITER_FRAG1024(1000000, 1.2),
    ITER_FRAG1024(32768, 2.0),
    {.name = "dispatch_query",
     .n = 1,
     .plain = MOVE_PLAIN(dispatch_plain),
     .shoal = MOVE_SHOAL(dispatch_shoal),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 10},
    {.name = "query_cached_iter",
     .n = 1000,
     .plain = MOVE_PLAIN(cached_plain),
     .shoal = MOVE_SHOAL(cached_shoal),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 4000},
};

const bench_theme bench_iterate = BENCH_THEME(cases);
