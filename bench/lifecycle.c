/*
 * Creating and destroying entities with a position and a velocity.
 *
 * "Fresh" cases make a new world for every run, so the figure has the first touch of its memory in it;
 * create_single_warm fills a world again that has just been emptied. Only the calls themselves are measured, never
 * making or ending the world.
 */
#include "case.h"

#include <stdlib.h>

#include "components.h"
#include "plain_world.h"
#include "support.h"

/* Positions are (i, 0, 0), so that their sum tells whether each was made once. */
static double expected_sum(size_t n) {
    return (double)n * (double)(n - 1) / 2;
}

static void check_content(double count, double sum, size_t n) {
    BENCH_CHECK(count == (double)n, "%.0f entities instead of %zu", count, n);
    BENCH_CHECK(sum == expected_sum(n), "positions sum up to %.0f instead of %.0f", sum, expected_sum(n));
}

static void check_plain_content(const plain_world *world, size_t n) {
    check_content((double)world->row_count, plain_sum_x(world), n);
}

static void check_shoal_content(shoal_world *world, size_t n) {
    check_content((double)shoal_world_entity_count(world), bench_sum_x(world), n);
}

/* ---- state: the arrays that a program has at hand before it creates or destroys ---- */

typedef struct lifecycle {
    size_t n;
    uint32_t *order;     /* random */
    Position *positions; /* of create_bulk */
    Velocity *velocities;
    uint64_t *handles;      /* of plain */
    shoal_entity *entities; /* of shoal */
    plain_world plain;      /* of the warm case */
    shoal_world *world;
} lifecycle;

static lifecycle *lifecycle_create(size_t n) {
    lifecycle *life = bench_allocate_zeroed(1, sizeof *life);
    life->n = n;
    return life;
}

static void lifecycle_finish(void *state) {
    lifecycle *life = state;
    plain_free(&life->plain);
    if (life->world != NULL) {
        bench_world_destroy(life->world);
    }
    free(life->order);
    free(life->positions);
    free(life->velocities);
    free(life->handles);
    free(life->entities);
    free(life);
}

/* ---- create one by one ---- */

static void *create_setup(size_t n) {
    return lifecycle_create(n);
}

static bench_sample create_plain_run(void *state) {
    size_t n = ((lifecycle *)state)->n;
    plain_world world = {0};
    uint64_t start = bench_now();
    for (size_t i = 0; i < n; i++) {
        plain_create(&world, (Position){(float)i, 0, 0}, BENCH_VELOCITY);
    }
    uint64_t end = bench_now();
    check_plain_content(&world, n);
    plain_free(&world);
    return bench_sample_of(end - start, n);
}

static bench_sample create_shoal_run(void *state) {
    size_t n = ((lifecycle *)state)->n;
    size_t failures = 0;
    shoal_world *world = bench_world_create();
    uint64_t start = bench_now();
    for (size_t i = 0; i < n; i++) {
        shoal_entity entity =
            shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, (float)i, 0, 0), SHOAL_VALUE(Velocity, 1, 2, 4)));
        failures += shoal_entity_is_null(entity);
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(world, failures == 0);
    check_shoal_content(world, n);
    bench_world_destroy(world);
    return bench_sample_of(end - start, n);
}

/* ---- create one by one in a world that has had as many before ---- */

#define WARM_ROUNDS 10

static void *warm_plain_setup(size_t n) {
    lifecycle *life = lifecycle_create(n);
    life->handles = bench_allocate_zeroed(n, sizeof *life->handles);
    return life;
}

static bench_sample warm_plain_run(void *state) {
    lifecycle *life = state;
    uint64_t nanoseconds = 0;
    for (size_t round = 0; round < WARM_ROUNDS; round++) {
        uint64_t start = bench_now();
        for (size_t i = 0; i < life->n; i++) {
            life->handles[i] = plain_create(&life->plain, (Position){(float)i, 0, 0}, BENCH_VELOCITY);
        }
        nanoseconds += bench_now() - start;
        check_plain_content(&life->plain, life->n);
        plain_reset(&life->plain);
    }
    return bench_sample_of(nanoseconds, life->n * WARM_ROUNDS);
}

static void *warm_shoal_setup(size_t n) {
    lifecycle *life = lifecycle_create(n);
    life->entities = bench_allocate_zeroed(n, sizeof *life->entities);
    life->world = bench_world_create();
    return life;
}

static bench_sample warm_shoal_run(void *state) {
    lifecycle *life = state;
    uint64_t nanoseconds = 0;
    for (size_t round = 0; round < WARM_ROUNDS; round++) {
        uint64_t start = bench_now();
        for (size_t i = 0; i < life->n; i++) {
            life->entities[i] = shoal_spawn(
                life->world, SHOAL_VALUES(SHOAL_VALUE(Position, (float)i, 0, 0), SHOAL_VALUE(Velocity, 1, 2, 4)));
        }
        nanoseconds += bench_now() - start;
        check_shoal_content(life->world, life->n);
        for (size_t i = life->n; i > 0; i--) {
            BENCH_REQUIRE(life->world, shoal_destroy(life->world, life->entities[i - 1]) == SHOAL_OK);
        }
    }
    return bench_sample_of(nanoseconds, life->n * WARM_ROUNDS);
}

/* ---- create all at once from columns ---- */

static void *bulk_setup(size_t n) {
    lifecycle *life = lifecycle_create(n);
    life->positions = bench_allocate(n, sizeof *life->positions);
    life->velocities = bench_allocate(n, sizeof *life->velocities);
    for (size_t i = 0; i < n; i++) {
        life->positions[i] = (Position){(float)i, 0, 0};
        life->velocities[i] = BENCH_VELOCITY;
    }
    return life;
}

static bench_sample bulk_plain_run(void *state) {
    lifecycle *life = state;
    uint64_t start = bench_now();
    plain_world world = {0};
    plain_create_all(&world, life->positions, life->velocities, (uint32_t)life->n);
    uint64_t end = bench_now();
    check_plain_content(&world, life->n);
    plain_free(&world);
    return bench_sample_of(end - start, life->n);
}

static bench_sample bulk_shoal_run(void *state) {
    lifecycle *life = state;
    shoal_world *world = bench_world_create();
    uint64_t start = bench_now();
    shoal_value columns[] = {{SHOAL_ID(Position), life->positions}, {SHOAL_ID(Velocity), life->velocities}};
    shoal_status status =
        shoal_spawn_many(world, &(shoal_spawn_many_def){.count = life->n, .columns = columns, .column_count = 2});
    uint64_t end = bench_now();
    BENCH_REQUIRE(world, status == SHOAL_OK);
    check_shoal_content(world, life->n);
    bench_world_destroy(world);
    return bench_sample_of(end - start, life->n);
}

/* ---- destroy: one call each in random order; one call with all handles in random order; one call for all that
        match a query ---- */

typedef enum destroy_manner { DESTROY_EACH, DESTROY_LIST, DESTROY_MATCHING } destroy_manner;

static void *destroy_plain_setup(size_t n) {
    lifecycle *life = lifecycle_create(n);
    life->order = bench_shuffled(n);
    life->handles = bench_allocate(n, sizeof *life->handles);
    return life;
}

static bench_sample destroy_plain(lifecycle *life, destroy_manner manner) {
    plain_world world = {0};
    for (size_t i = 0; i < life->n; i++) {
        life->handles[life->order[i]] = plain_create(&world, (Position){(float)i, 0, 0}, BENCH_VELOCITY);
    }
    plain_prepare_free_slots(&world);
    size_t destroyed = manner == DESTROY_MATCHING ? life->n : 0;
    uint64_t start = bench_now();
    if (manner == DESTROY_MATCHING) {
        plain_destroy_all(&world);
    } else {
        for (size_t i = 0; i < life->n; i++) {
            destroyed += plain_destroy(&world, life->handles[i]);
        }
    }
    uint64_t end = bench_now();
    BENCH_CHECK(destroyed == life->n && world.row_count == 0, "%u of %zu are alive", world.row_count, life->n);
    for (size_t i = 0; i < life->n; i++) {
        BENCH_CHECK(plain_row(&world, life->handles[i]) == UINT32_MAX, "entity %zu is alive", i);
    }
    plain_free(&world);
    return bench_sample_of(end - start, life->n);
}

static bench_sample destroy_each_plain_run(void *state) {
    return destroy_plain(state, DESTROY_EACH);
}

static bench_sample destroy_list_plain_run(void *state) {
    return destroy_plain(state, DESTROY_LIST);
}

static bench_sample destroy_matching_plain_run(void *state) {
    return destroy_plain(state, DESTROY_MATCHING);
}

static void *destroy_shoal_setup(size_t n) {
    lifecycle *life = lifecycle_create(n);
    life->order = bench_shuffled(n);
    life->entities = bench_allocate(n, sizeof *life->entities);
    return life;
}

static size_t destroy_each(shoal_world *world, const shoal_entity *entities, size_t count) {
    size_t destroyed = 0;
    for (size_t i = 0; i < count; i++) {
        destroyed += shoal_destroy(world, entities[i]) == SHOAL_OK;
    }
    return destroyed;
}

static bench_sample destroy_shoal(lifecycle *life, destroy_manner manner) {
    shoal_world *world = bench_world_create();
    shoal_query *query = bench_moving(world);
    for (size_t i = 0; i < life->n; i++) {
        life->entities[life->order[i]] = bench_spawn(world, (float)i);
    }
    size_t destroyed = 0;
    uint64_t start = bench_now();
    if (manner == DESTROY_EACH) {
        destroyed = destroy_each(world, life->entities, life->n);
    } else if (manner == DESTROY_LIST) {
        destroyed = shoal_destroy_many(world, life->entities, life->n) == SHOAL_OK ? life->n : 0;
    } else {
        destroyed = shoal_query_destroy_entities(query) == SHOAL_OK ? life->n : 0;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(world, destroyed == life->n);
    BENCH_CHECK(shoal_world_entity_count(world) == 0 && shoal_query_count(query) == 0, "entities are left");
    for (size_t i = 0; i < life->n; i++) {
        BENCH_CHECK(!shoal_is_alive(world, life->entities[i]), "entity %zu is alive", i);
    }
    bench_world_destroy(world);
    return bench_sample_of(end - start, life->n);
}

static bench_sample destroy_each_shoal_run(void *state) {
    return destroy_shoal(state, DESTROY_EACH);
}

static bench_sample destroy_list_shoal_run(void *state) {
    return destroy_shoal(state, DESTROY_LIST);
}

static bench_sample destroy_matching_shoal_run(void *state) {
    return destroy_shoal(state, DESTROY_MATCHING);
}

/* ---- the table ---- */

#define LIFECYCLE(setup_function, run_function)                                                                        \
    { .setup = (setup_function), .run = (run_function), .finish = lifecycle_finish }

static const bench_case cases[] = {
    {.name = "create_single",
     .n = 1000000,
     .plain = LIFECYCLE(create_setup, create_plain_run),
     .shoal = LIFECYCLE(create_setup, create_shoal_run),
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 1.3},
    {.name = "create_single_warm",
     .n = 10000,
     .plain = LIFECYCLE(warm_plain_setup, warm_plain_run),
     .shoal = LIFECYCLE(warm_shoal_setup, warm_shoal_run),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 1.5},
    {.name = "create_bulk",
     .n = 1000000,
     .plain = LIFECYCLE(bulk_setup, bulk_plain_run),
     .shoal = LIFECYCLE(bulk_setup, bulk_shoal_run),
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 1.15},
    {.name = "destroy",
     .n = 1000000,
     .plain = LIFECYCLE(destroy_plain_setup, destroy_each_plain_run),
     .shoal = LIFECYCLE(destroy_shoal_setup, destroy_each_shoal_run),
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 3},
    {.name = "destroy_bulk",
     .n = 1000000,
     .plain = LIFECYCLE(destroy_plain_setup, destroy_matching_plain_run),
     .shoal = LIFECYCLE(destroy_shoal_setup, destroy_matching_shoal_run),
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 1.5},
    {.name = "destroy_many",
     .n = 1000000,
     .plain = LIFECYCLE(destroy_plain_setup, destroy_list_plain_run),
     .shoal = LIFECYCLE(destroy_shoal_setup, destroy_list_shoal_run),
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 1.5},
};

const bench_theme bench_lifecycle = BENCH_THEME(cases);
