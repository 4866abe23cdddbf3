/*
 * Reading and writing one entity's data by handle: in random order, in the order of creation, and in batches.
 *
 * A million entities with position and velocity, their handles kept in an array. Every access checks that the handle
 * is alive, in both subjects.
 */
#include "case.h"

#include <stdlib.h>

#include "components.h"
#include "plain_world.h"
#include "support.h"

typedef struct access_state {
    size_t n;
    double expected_sum;
    float writes; /* runs of set_random so far */
    plain_world plain;
    uint64_t *handles;
    uint8_t *has_velocity; /* plain: one bit for each slot */
    shoal_world *world;
    shoal_entity *entities;
} access_state;

/* What position x of entity i is; small, so that the sum is exact. */
static float x_of(size_t i) {
    return (float)(i % 16);
}

static void check_sum(const access_state *access, double sum) {
    BENCH_CHECK(sum == access->expected_sum, "sum is %.0f instead of %.0f", sum, access->expected_sum);
}

/* handles[i] is the entity that was made as the order[i]-th; without an order, as the i-th. */
static access_state *array_access(size_t n, const uint32_t *order) {
    access_state *access = bench_allocate_zeroed(1, sizeof *access);
    access->n = n;
    access->handles = bench_allocate(n, sizeof *access->handles);
    uint64_t *made = bench_allocate(n, sizeof *made);
    for (size_t i = 0; i < n; i++) {
        made[i] = plain_create(&access->plain, (Position){x_of(i), 0, 0}, BENCH_VELOCITY);
        access->expected_sum += (double)x_of(i);
    }
    for (size_t i = 0; i < n; i++) {
        access->handles[i] = made[order != NULL ? order[i] : i];
    }
    free(made);
    access->has_velocity = bench_allocate_zeroed(n / 8 + 1, 1);
    for (size_t slot = 0; slot < n; slot++) {
        access->has_velocity[slot / 8] |= (uint8_t)(1u << slot % 8);
    }
    return access;
}

static access_state *world_access(size_t n, const uint32_t *order) {
    access_state *access = bench_allocate_zeroed(1, sizeof *access);
    access->n = n;
    access->world = bench_world_create();
    access->entities = bench_allocate(n, sizeof *access->entities);
    shoal_entity *made = bench_allocate(n, sizeof *made);
    for (size_t i = 0; i < n; i++) {
        made[i] = bench_spawn(access->world, x_of(i));
        access->expected_sum += (double)x_of(i);
    }
    for (size_t i = 0; i < n; i++) {
        access->entities[i] = made[order != NULL ? order[i] : i];
    }
    free(made);
    return access;
}

static void *random_plain_setup(size_t n) {
    uint32_t *order = bench_shuffled(n);
    access_state *access = array_access(n, order);
    free(order);
    return access;
}

static void *random_shoal_setup(size_t n) {
    uint32_t *order = bench_shuffled(n);
    access_state *access = world_access(n, order);
    free(order);
    return access;
}

static void *sequence_plain_setup(size_t n) {
    return array_access(n, NULL);
}

static void *sequence_shoal_setup(size_t n) {
    return world_access(n, NULL);
}

static void access_finish(void *state) {
    access_state *access = state;
    plain_free(&access->plain);
    if (access->world != NULL) {
        bench_world_destroy(access->world);
    }
    free(access->handles);
    free(access->has_velocity);
    free(access->entities);
    free(access);
}

/* ---- get, one by one ---- */

static bench_sample get_plain_run(void *state) {
    access_state *access = state;
    const plain_world *world = &access->plain;
    double sum = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < access->n; i++) {
        uint32_t row = plain_row(world, access->handles[i]);
        if (row != UINT32_MAX) {
            sum += (double)world->positions[row].x;
        }
    }
    uint64_t end = bench_now();
    check_sum(access, sum);
    return bench_sample_of(end - start, access->n);
}

static bench_sample get_shoal_run(void *state) {
    access_state *access = state;
    double sum = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < access->n; i++) {
        const Position *position = SHOAL_GET(access->world, access->entities[i], Position);
        if (position != NULL) {
            sum += (double)position->x;
        }
    }
    uint64_t end = bench_now();
    check_sum(access, sum);
    return bench_sample_of(end - start, access->n);
}

/* ---- get in batches: pointers first, then the work on them ---- */

#define BATCH 1024

static size_t batch_at(const access_state *access, size_t first) {
    return access->n - first < BATCH ? access->n - first : BATCH;
}

static double sum_of(const void *const *positions, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += positions[i] != NULL ? (double)((const Position *)positions[i])->x : 0;
    }
    return sum;
}

BENCH_NOINLINE static size_t plain_get_many(const plain_world *world, const uint64_t *handles, size_t count,
                                            const void **positions) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t row = plain_row(world, handles[i]);
        positions[i] = row != UINT32_MAX ? &world->positions[row] : NULL;
        found += row != UINT32_MAX;
    }
    return found;
}

static bench_sample get_many_plain_run(void *state) {
    access_state *access = state;
    const void *positions[BATCH];
    double sum = 0;
    size_t found = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < access->n; i += BATCH) {
        size_t count = batch_at(access, i);
        found += plain_get_many(&access->plain, access->handles + i, count, positions);
        sum += sum_of(positions, count);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(found == access->n, "%zu of %zu were found", found, access->n);
    check_sum(access, sum);
    return bench_sample_of(end - start, access->n);
}

static bench_sample get_many_shoal_run(void *state) {
    access_state *access = state;
    const void *positions[BATCH];
    double sum = 0;
    size_t found = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < access->n; i += BATCH) {
        size_t count = batch_at(access, i);
        found += shoal_get_many(access->world, access->entities + i, count, SHOAL_ID(Position), positions);
        sum += sum_of(positions, count);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(found == access->n, "%zu of %zu were found", found, access->n);
    check_sum(access, sum);
    return bench_sample_of(end - start, access->n);
}

/* ---- has ---- */

static bench_sample has_plain_run(void *state) {
    access_state *access = state;
    size_t found = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < access->n; i++) {
        uint32_t slot = (uint32_t)access->handles[i];
        found += (size_t)(access->has_velocity[slot / 8] >> slot % 8) & 1u;
    }
    uint64_t end = bench_now();
    BENCH_CHECK(found == access->n, "%zu of %zu have it", found, access->n);
    return bench_sample_of(end - start, access->n);
}

static bench_sample has_shoal_run(void *state) {
    access_state *access = state;
    size_t found = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < access->n; i++) {
        found += SHOAL_HAS(access->world, access->entities[i], Velocity);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(found == access->n, "%zu of %zu have it", found, access->n);
    return bench_sample_of(end - start, access->n);
}

/* ---- set ---- */

static bench_sample set_plain_run(void *state) {
    access_state *access = state;
    plain_world *world = &access->plain;
    access->writes++;
    uint64_t start = bench_now();
    for (size_t i = 0; i < access->n; i++) {
        uint32_t row = plain_row(world, access->handles[i]);
        if (row != UINT32_MAX) {
            world->velocities[row] = (Velocity){1, access->writes, 3};
        }
    }
    uint64_t end = bench_now();
    for (size_t row = 0; row < access->n; row++) {
        BENCH_CHECK(world->velocities[row].y == access->writes, "row %zu was not written", row);
    }
    return bench_sample_of(end - start, access->n);
}

static bench_sample set_shoal_run(void *state) {
    access_state *access = state;
    size_t failures = 0;
    access->writes++;
    uint64_t start = bench_now();
    for (size_t i = 0; i < access->n; i++) {
        failures += shoal_set(access->world, access->entities[i], SHOAL_ID(Velocity),
                              &(Velocity){1, access->writes, 3}) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(access->world, failures == 0);
    for (size_t i = 0; i < access->n; i++) {
        const Velocity *velocity = SHOAL_GET(access->world, access->entities[i], Velocity);
        BENCH_CHECK(velocity != NULL && velocity->y == access->writes, "entity %zu was not written", i);
    }
    return bench_sample_of(end - start, access->n);
}

/* ---- the table ---- */

#define ACCESS(setup_function, run_function)                                                                           \
    { .setup = (setup_function), .run = (run_function), .finish = access_finish }

static const bench_case cases[] = {
    {.name = "get_random",
     .n = 1000000,
     .plain = ACCESS(random_plain_setup, get_plain_run),
     .shoal = ACCESS(random_shoal_setup, get_shoal_run),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 3},
    {.name = "get_seq",
     .n = 1000000,
     .plain = ACCESS(sequence_plain_setup, get_plain_run),
     .shoal = ACCESS(sequence_shoal_setup, get_shoal_run),
     .standing = true},
    {.name = "get_many",
     .n = 1000000,
     .plain = ACCESS(random_plain_setup, get_many_plain_run),
     .shoal = ACCESS(random_shoal_setup, get_many_shoal_run),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 1.3},
    {.name = "has_random",
     .n = 1000000,
     .plain = ACCESS(random_plain_setup, has_plain_run),
     .shoal = ACCESS(random_shoal_setup, has_shoal_run),
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 5},
    {.name = "set_random",
     .n = 1000000,
     .plain = ACCESS(random_plain_setup, set_plain_run),
     .shoal = ACCESS(random_shoal_setup, set_shoal_run),
     .standing = true},
};

const bench_theme bench_access = BENCH_THEME(cases);
