/*
 * The hash of a world, as the rows lie and by handle.
 *
 * Plain is what no hash can beat: one pass over the same bytes, handles, positions and velocities in arrays, that adds
 * up their words. 32 bytes an entity.
 */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "components.h"
#include "support.h"

/* ---- plain ---- */

enum { ARRAY_COUNT = 3 };

typedef struct array_hash {
    size_t n;
    unsigned char *arrays[ARRAY_COUNT];
    size_t bytes[ARRAY_COUNT];
    uint64_t first; /* the sum of the first run; 0: none yet */
} array_hash;

static void *hash_plain_setup(size_t n) {
    static const size_t sizes[ARRAY_COUNT] = {sizeof(shoal_entity), sizeof(Position), sizeof(Velocity)};
    array_hash *hash = bench_allocate_zeroed(1, sizeof *hash);
    hash->n = n;
    for (size_t i = 0; i < ARRAY_COUNT; i++) {
        hash->bytes[i] = n * sizes[i];
        hash->arrays[i] = bench_allocate(n, sizes[i]);
        for (size_t at = 0; at < hash->bytes[i]; at++) {
            hash->arrays[i][at] = (unsigned char)(at * 7 + i);
        }
    }
    return hash;
}

static BENCH_NOINLINE uint64_t sum_words(const unsigned char *bytes, size_t byte_size) {
    uint64_t sum = 0;
    for (size_t at = 0; at + sizeof sum <= byte_size; at += sizeof sum) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        sum += word;
    }
    return sum;
}

static bench_sample hash_plain_run(void *state) {
    array_hash *hash = state;
    uint64_t sum = 1;
    uint64_t start = bench_now();
    for (size_t i = 0; i < ARRAY_COUNT; i++) {
        sum += sum_words(hash->arrays[i], hash->bytes[i]);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(hash->first == 0 || hash->first == sum, "two passes add up to different sums");
    hash->first = sum;
    return bench_sample_of(end - start, hash->n);
}

static void hash_plain_finish(void *state) {
    array_hash *hash = state;
    for (size_t i = 0; i < ARRAY_COUNT; i++) {
        free(hash->arrays[i]);
    }
    free(hash);
}

/* ---- shoal ---- */

typedef struct world_hash {
    size_t n;
    shoal_world *world;
    shoal_entity last;
    uint64_t first; /* the hash of the first run; 0: none yet */
} world_hash;

static void *hash_shoal_setup(size_t n) {
    world_hash *hash = bench_allocate_zeroed(1, sizeof *hash);
    hash->n = n;
    hash->world = bench_world_create();
    for (size_t i = 0; i < n; i++) {
        hash->last = bench_spawn(hash->world, (float)i);
    }
    return hash;
}

/* Each entity moves on to another archetype, in the one random order, so that rows do not lie by handle. */
static void *hash_mixed_setup(size_t n) {
    world_hash *hash = hash_shoal_setup(n);
    uint32_t *order = bench_shuffled(n);
    for (size_t i = 0; i < n; i++) {
        shoal_entity entity = {hash->last.bits - (n - 1) + order[i]};
        BENCH_REQUIRE(hash->world, shoal_add(hash->world, entity, SHOAL_ID(Frozen), NULL) == SHOAL_OK);
    }
    free(order);
    return hash;
}

static bench_sample run_form(world_hash *hash, shoal_hash_form form) {
    uint64_t value = 0;
    uint64_t start = bench_now();
    BENCH_REQUIRE(hash->world, shoal_world_hash(hash->world, form, &value) == SHOAL_OK);
    uint64_t end = bench_now();
    BENCH_CHECK(hash->first == 0 || hash->first == value, "two hashes of one world differ");
    hash->first = value;
    return bench_sample_of(end - start, hash->n);
}

static bench_sample hash_canonical_run(void *state) {
    return run_form(state, SHOAL_HASH_CANONICAL);
}

static bench_sample hash_layout_run(void *state) {
    return run_form(state, SHOAL_HASH_LAYOUT);
}

static void finish_form(world_hash *hash, shoal_hash_form form) {
    uint64_t value = 0;
    SHOAL_GET_MUT(hash->world, hash->last, Position)->z += 1;
    BENCH_REQUIRE(hash->world, shoal_world_hash(hash->world, form, &value) == SHOAL_OK);
    BENCH_CHECK(value != hash->first, "a changed world has the same hash");
    bench_world_destroy(hash->world);
    free(hash);
}

static void hash_canonical_finish(void *state) {
    finish_form(state, SHOAL_HASH_CANONICAL);
}

static void hash_layout_finish(void *state) {
    finish_form(state, SHOAL_HASH_LAYOUT);
}

/* ---- the cases ---- */

#define HASH_CASE(name_, setup_, form_, budget_)                                                                       \
    {                                                                                                                  \
        .name = (name_), .n = 1000000,                                                                                 \
        .plain = {.setup = hash_plain_setup, .run = hash_plain_run, .finish = hash_plain_finish},                      \
        .shoal = {.setup = (setup_), .run = hash_##form_##_run, .finish = hash_##form_##_finish}, .standing = true,    \
        .budget_kind = BENCH_AT_MOST_FIGURE, .budget = (budget_)                                                       \
    }

/* 6.4 ns for 32 bytes are 5 GB a second. */
static const bench_case cases[] = {
    HASH_CASE("hash_world", hash_shoal_setup, canonical, 60),
    HASH_CASE("hash_world_mixed", hash_mixed_setup, canonical, 60),
    HASH_CASE("hash_world_layout", hash_shoal_setup, layout, 6.4),
};

#ifdef BENCH_HASHES
const bench_theme bench_hash = BENCH_THEME(cases);
#else
const bench_theme bench_hash = {cases, 0}; /* the library was built without xxHash */
#endif
