/*
 * Sparse components: adding and removing them, and passes over rows of which some have one.
 *
 * Plain is a sparse set by slot (plain_set.h), beside rows where the case has rows. A sparse component does not move
 * the row, so that how wide the row is makes no difference: add_remove_wide_sparse has the same plain counterpart as
 * add_remove_sparse. Figures of adding and removing are for one way.
 */
#include "case.h"

#include <stdlib.h>

#include "components.h"
#include "kernels.h"
#include "plain_set.h"
#include "plain_world.h"
#include "support.h"

typedef Health Armor;

SHOAL_COMPONENT(Armor, .storage = SHOAL_STORAGE_SPARSE)

static bench_sample each_way(uint64_t nanoseconds, size_t n) {
    return (bench_sample){.figure = (double)nanoseconds / 2 / (double)n};
}

/* ---- add to all, then remove from all: plain ---- */

typedef struct set_rows {
    size_t n;
    uint32_t *order; /* of the slots */
    plain_set set;
} set_rows;

static void *random_plain_setup(size_t n) {
    set_rows *rows = bench_allocate_zeroed(1, sizeof *rows);
    rows->n = n;
    rows->order = bench_shuffled(n);
    rows->set = plain_set_create(n);
    return rows;
}

static void *ordered_plain_setup(size_t n) {
    set_rows *rows = random_plain_setup(n);
    for (size_t i = 0; i < n; i++) {
        rows->order[i] = (uint32_t)i;
    }
    return rows;
}

static void change_plain_finish(void *state) {
    set_rows *rows = state;
    plain_set_free(&rows->set);
    free(rows->order);
    free(rows);
}

static void check_set_full(const plain_set *set, size_t n) {
    size_t points = 0;
    for (uint32_t place = 0; place < set->count; place++) {
        points += (size_t)set->healths[place].points;
    }
    BENCH_CHECK(points == n, "%zu of %zu points after adding", points, n);
}

static bench_sample change_plain_run(void *state) {
    set_rows *rows = state;
    uint64_t start = bench_now();
    for (size_t i = 0; i < rows->n; i++) {
        plain_set_add(&rows->set, rows->order[i], (Health){1});
    }
    uint64_t added = bench_now();
    check_set_full(&rows->set, rows->n);
    uint64_t resumed = bench_now();
    for (size_t i = 0; i < rows->n; i++) {
        plain_set_remove(&rows->set, rows->order[i]);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(rows->set.count == 0, "%u are left", rows->set.count);
    return each_way(added - start + end - resumed, rows->n);
}

/* ---- add to all, then remove from all: shoal ---- */

typedef struct sparse_rows {
    size_t n;
    shoal_world *world;
    shoal_entity *entities; /* in the order in which they change */
    shoal_query *armored;
} sparse_rows;

static sparse_rows *sparse_rows_create(size_t n) {
    sparse_rows *rows = bench_allocate_zeroed(1, sizeof *rows);
    rows->n = n;
    rows->world = bench_world_create();
    rows->entities = bench_allocate(n, sizeof *rows->entities);
    rows->armored = shoal_query_create(rows->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WITH(Armor))});
    BENCH_REQUIRE(rows->world, rows->armored != NULL);
    return rows;
}

static void *ordered_shoal_setup(size_t n) {
    sparse_rows *rows = sparse_rows_create(n);
    for (size_t i = 0; i < n; i++) {
        rows->entities[i] = bench_spawn(rows->world, 0);
    }
    return rows;
}

static void *random_shoal_setup(size_t n) {
    sparse_rows *rows = sparse_rows_create(n);
    uint32_t *order = bench_shuffled(n);
    for (size_t i = 0; i < n; i++) {
        rows->entities[order[i]] = bench_spawn(rows->world, 0);
    }
    free(order);
    return rows;
}

static void *wide_shoal_setup(size_t n) {
    sparse_rows *rows = sparse_rows_create(n);
    shoal_value values[2 + BENCH_WIDES] = {{SHOAL_ID(Position), NULL}, {SHOAL_ID(Velocity), NULL}};
    for (size_t i = 0; i < BENCH_WIDES; i++) {
        values[2 + i].component = bench_family_member(BENCH_FAMILY_WIDE, i);
    }
    shoal_status status = shoal_spawn_many(
        rows->world, &(shoal_spawn_many_def){
                         .count = n, .values = values, .value_count = 2 + BENCH_WIDES, .entities = rows->entities});
    BENCH_REQUIRE(rows->world, status == SHOAL_OK);
    return rows;
}

static void change_shoal_finish(void *state) {
    sparse_rows *rows = state;
    bench_world_destroy(rows->world);
    free(rows->entities);
    free(rows);
}

static void check_armored(const sparse_rows *rows) {
    BENCH_CHECK(shoal_query_count(rows->armored) == rows->n, "not all have it");
    for (size_t i = 0; i < rows->n; i++) {
        const Armor *armor = SHOAL_GET(rows->world, rows->entities[i], Armor);
        BENCH_CHECK(armor != NULL && armor->points == 1, "entity %zu has a wrong value", i);
    }
}

static bench_sample change_shoal_run(void *state) {
    sparse_rows *rows = state;
    size_t failures = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < rows->n; i++) {
        failures += SHOAL_ADD(rows->world, rows->entities[i], Armor, 1) != SHOAL_OK;
    }
    uint64_t added = bench_now();
    BENCH_REQUIRE(rows->world, failures == 0);
    check_armored(rows);
    uint64_t resumed = bench_now();
    for (size_t i = 0; i < rows->n; i++) {
        failures += shoal_remove(rows->world, rows->entities[i], SHOAL_ID(Armor)) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(rows->world, failures == 0);
    BENCH_CHECK(shoal_query_count(rows->armored) == 0, "some still have it");
    return each_way(added - start + end - resumed, rows->n);
}

/* ---- a pass over rows of which every fourth has it: the armored move ---- */

enum { MIXED_PASSES = 8, MIXED_STEP = 4 };

static inline void move_armored(Position *position, const Velocity *velocity, const Armor *armor) {
    float scale = (float)armor->points * BENCH_TIME_STEP;
    position->x += velocity->x * scale;
    position->y += velocity->y * scale;
    position->z += velocity->z * scale;
}

static bool is_armored(size_t i) {
    return i % MIXED_STEP == 0;
}

static int32_t armor_of(size_t i) {
    return (int32_t)(1 + i / MIXED_STEP % 2);
}

static bench_sample mixed_sample(uint64_t nanoseconds, size_t n) {
    size_t matching = n / MIXED_STEP;
    return (bench_sample){.figure = (double)nanoseconds / MIXED_PASSES / (double)matching};
}

static void check_mixed(const Position *position, size_t i, size_t passes) {
    float way = is_armored(i) ? (float)armor_of(i) * (float)passes * BENCH_TIME_STEP : 0;
    BENCH_CHECK(position->x == way * BENCH_VELOCITY.x && position->y == way * BENCH_VELOCITY.y &&
                    position->z == way * BENCH_VELOCITY.z,
                "entity %zu is at %g after %zu passes", i, (double)position->x, passes);
}

typedef struct mixed_arrays {
    size_t n;
    size_t passes_done;
    plain_world world;
    plain_set set;
} mixed_arrays;

static void *mixed_plain_setup(size_t n) {
    mixed_arrays *mixed = bench_allocate_zeroed(1, sizeof *mixed);
    mixed->n = n;
    mixed->set = plain_set_create(n);
    for (size_t i = 0; i < n; i++) {
        uint64_t entity = plain_create(&mixed->world, (Position){0, 0, 0}, BENCH_VELOCITY);
        if (is_armored(i)) {
            plain_set_add(&mixed->set, (uint32_t)entity, (Health){armor_of(i)});
        }
    }
    return mixed;
}

/* By hand the set leads: only rows that are in it are looked at. */
BENCH_NOINLINE static void mixed_plain_pass(mixed_arrays *mixed) {
    for (uint32_t place = 0; place < mixed->set.count; place++) {
        uint32_t row = mixed->world.rows[mixed->set.slots[place]];
        move_armored(&mixed->world.positions[row], &mixed->world.velocities[row], &mixed->set.healths[place]);
    }
}

static bench_sample mixed_plain_run(void *state) {
    mixed_arrays *mixed = state;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < MIXED_PASSES; pass++) {
        mixed_plain_pass(mixed);
    }
    uint64_t end = bench_now();
    mixed->passes_done += MIXED_PASSES;
    return mixed_sample(end - start, mixed->n);
}

static void mixed_plain_finish(void *state) {
    mixed_arrays *mixed = state;
    for (size_t i = 0; i < mixed->n; i++) {
        check_mixed(&mixed->world.positions[mixed->world.rows[i]], i, mixed->passes_done);
    }
    plain_set_free(&mixed->set);
    plain_free(&mixed->world);
    free(mixed);
}

typedef struct mixed_world {
    size_t n;
    size_t passes_done;
    shoal_world *world;
    shoal_entity *entities;
    shoal_query *query;
} mixed_world;

static void *mixed_shoal_setup(size_t n) {
    mixed_world *mixed = bench_allocate_zeroed(1, sizeof *mixed);
    mixed->n = n;
    mixed->world = bench_world_create();
    mixed->entities = bench_allocate(n, sizeof *mixed->entities);
    for (size_t i = 0; i < n; i++) {
        mixed->entities[i] = bench_spawn(mixed->world, 0);
        if (is_armored(i)) {
            BENCH_REQUIRE(mixed->world, SHOAL_ADD(mixed->world, mixed->entities[i], Armor, armor_of(i)) == SHOAL_OK);
        }
    }
    mixed->query = shoal_query_create(
        mixed->world,
        &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Velocity), SHOAL_READ(Armor))});
    BENCH_REQUIRE(mixed->world, mixed->query != NULL);
    return mixed;
}

BENCH_NOINLINE static void mixed_shoal_pass(shoal_query *query) {
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next_chunk(&view)) {
        Position *positions = SHOAL_COLUMN_MUT(&view, Position);
        const Velocity *velocities = SHOAL_COLUMN(&view, Velocity);
        SHOAL_ROWS(&view, row) {
            move_armored(&positions[row], &velocities[row], SHOAL_AT(&view, Armor, row));
        }
    }
}

static bench_sample mixed_shoal_run(void *state) {
    mixed_world *mixed = state;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < MIXED_PASSES; pass++) {
        mixed_shoal_pass(mixed->query);
    }
    uint64_t end = bench_now();
    mixed->passes_done += MIXED_PASSES;
    return mixed_sample(end - start, mixed->n);
}

static void mixed_shoal_finish(void *state) {
    mixed_world *mixed = state;
    for (size_t i = 0; i < mixed->n; i++) {
        const Position *position = SHOAL_GET(mixed->world, mixed->entities[i], Position);
        BENCH_REQUIRE(mixed->world, position != NULL);
        check_mixed(position, i, mixed->passes_done);
    }
    bench_world_destroy(mixed->world);
    free(mixed->entities);
    free(mixed);
}

/* ---- the table ---- */

#define CHANGE_PLAIN(setup_function)                                                                                   \
    { .setup = (setup_function), .run = change_plain_run, .finish = change_plain_finish }
#define CHANGE_SHOAL(setup_function)                                                                                   \
    { .setup = (setup_function), .run = change_shoal_run, .finish = change_shoal_finish }

static const bench_case cases[] = {
    {.name = "add_remove_sparse",
     .n = 100000,
     .plain = CHANGE_PLAIN(ordered_plain_setup),
     .shoal = CHANGE_SHOAL(ordered_shoal_setup),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 8},
    {.name = "add_remove_sparse_random",
     .n = 100000,
     .plain = CHANGE_PLAIN(random_plain_setup),
     .shoal = CHANGE_SHOAL(random_shoal_setup),
     .standing = true},
    {.name = "add_remove_wide_sparse",
     .n = 100000,
     .plain = CHANGE_PLAIN(ordered_plain_setup),
     .shoal = CHANGE_SHOAL(wide_shoal_setup),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 8},
    {.name = "iter_sparse_mixed",
     .n = 1000000,
     .plain = {.setup = mixed_plain_setup, .run = mixed_plain_run, .finish = mixed_plain_finish},
     .shoal = {.setup = mixed_shoal_setup, .run = mixed_shoal_run, .finish = mixed_shoal_finish},
     .standing = true},
};

const bench_theme bench_sparse = BENCH_THEME(cases);
