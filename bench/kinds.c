/*
 * The kinds of components beside plain columns that live in chunks: toggles, buffers, shared values.
 *
 * Plain is the same idea by hand, without a world around it: one bit a row for a toggle, a small array with a heap
 * behind it for a buffer, one array for each value that is shared. Place is a Position with an enable bit, so that both
 * subjects move the same bytes by the same code.
 */
#include "case.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "components.h"
#include "kernels.h"
#include "support.h"

typedef Position Place;

typedef struct Faction {
    uint32_t number;
} Faction;

typedef struct Waypoint {
    float x, y, z;
} Waypoint;

enum { WAYPOINTS_INLINE = 8 };

SHOAL_COMPONENT(Place, .toggle = true)
SHOAL_COMPONENT(Faction, .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT(Waypoint, .storage = SHOAL_STORAGE_BUFFER, .inline_count = WAYPOINTS_INLINE)

/* ---- toggle: switching rows off and on ---- */

typedef struct enable_bits {
    size_t n;
    uint64_t *words;
} enable_bits;

static void *enable_plain_setup(size_t n) {
    enable_bits *bits = bench_allocate_zeroed(1, sizeof *bits);
    bits->n = n;
    bits->words = bench_allocate(n / 64 + 1, sizeof *bits->words);
    memset(bits->words, 0xFF, (n / 64 + 1) * sizeof *bits->words);
    return bits;
}

static void enable_plain_finish(void *state) {
    enable_bits *bits = state;
    free(bits->words);
    free(bits);
}

static size_t enabled_count(const enable_bits *bits) {
    size_t count = 0;
    for (size_t row = 0; row < bits->n; row++) {
        count += bits->words[row / 64] >> row % 64 & 1;
    }
    return count;
}

/* The fences stand for whatever a program does between two changes; without them the compiler fills whole words. */
static bench_sample enable_plain_run(void *state) {
    enable_bits *bits = state;
    uint64_t start = bench_now();
    for (size_t row = 0; row < bits->n; row++) {
        bits->words[row / 64] &= ~(UINT64_C(1) << row % 64);
        atomic_signal_fence(memory_order_seq_cst);
    }
    uint64_t disabled = bench_now();
    BENCH_CHECK(enabled_count(bits) == 0, "%zu rows are enabled", enabled_count(bits));
    uint64_t resumed = bench_now();
    for (size_t row = 0; row < bits->n; row++) {
        bits->words[row / 64] |= UINT64_C(1) << row % 64;
        atomic_signal_fence(memory_order_seq_cst);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(enabled_count(bits) == bits->n, "%zu of %zu rows are enabled", enabled_count(bits), bits->n);
    return bench_sample_of(disabled - start + end - resumed, 2 * bits->n);
}

typedef struct toggle_world {
    size_t n;
    size_t passes_done; /* of iter_half_disabled */
    size_t block;       /* of iter_half_disabled: so many rows are on, then so many off */
    shoal_world *world;
    shoal_entity *entities;
    shoal_query *query; /* enabled places */
} toggle_world;

static void *enable_shoal_setup(size_t n) {
    toggle_world *toggle = bench_allocate_zeroed(1, sizeof *toggle);
    toggle->n = n;
    toggle->world = bench_world_create();
    toggle->entities = bench_allocate(n, sizeof *toggle->entities);
    for (size_t i = 0; i < n; i++) {
        toggle->entities[i] =
            shoal_spawn(toggle->world, SHOAL_VALUES(SHOAL_DEFAULT(Place), {SHOAL_ID(Velocity), &BENCH_VELOCITY}));
        BENCH_REQUIRE(toggle->world, !shoal_entity_is_null(toggle->entities[i]));
    }
    toggle->query = bench_query_of(toggle->world,
                                   &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WRITE(Place), SHOAL_READ(Velocity))});
    return toggle;
}

static void enable_shoal_finish(void *state) {
    toggle_world *toggle = state;
    bench_world_destroy(toggle->world);
    free(toggle->entities);
    free(toggle);
}

static bench_sample enable_shoal_run(void *state) {
    toggle_world *toggle = state;
    size_t failures = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < toggle->n; i++) {
        failures += shoal_disable(toggle->world, toggle->entities[i], SHOAL_ID(Place)) != SHOAL_OK;
    }
    uint64_t disabled = bench_now();
    uint64_t left = shoal_query_count(toggle->query);
    uint64_t resumed = bench_now();
    for (size_t i = 0; i < toggle->n; i++) {
        failures += shoal_enable(toggle->world, toggle->entities[i], SHOAL_ID(Place)) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(toggle->world, failures == 0);
    BENCH_CHECK(left == 0, "%zu rows are enabled", (size_t)left);
    BENCH_CHECK(shoal_query_count(toggle->query) == toggle->n, "not all rows are enabled");
    return bench_sample_of(disabled - start + end - resumed, 2 * toggle->n);
}

/* ---- toggle: a pass over rows of which half are off, every second one or in blocks ---- */

enum { HALF_PASSES = 16, HALF_BLOCK = 1000 };

static bool row_is_on(size_t row, size_t block) {
    return row / block % 2 == 1;
}

static void check_half(const Position *positions, size_t first, size_t count, size_t block, size_t passes) {
    float way = (float)passes * BENCH_TIME_STEP;
    for (size_t i = 0; i < count; i++) {
        float expected = row_is_on(first + i, block) ? way : 0;
        BENCH_CHECK(positions[i].x == expected * BENCH_VELOCITY.x && positions[i].y == expected * BENCH_VELOCITY.y &&
                        positions[i].z == expected * BENCH_VELOCITY.z,
                    "row %zu is at %g after %zu passes", first + i, (double)positions[i].x, passes);
    }
}

/* Both subjects move single rows by this; blocks go by bench_move(). */
static inline void move_row(Position *position, const Velocity *velocity) {
    position->x += velocity->x * BENCH_TIME_STEP;
    position->y += velocity->y * BENCH_TIME_STEP;
    position->z += velocity->z * BENCH_TIME_STEP;
}

typedef struct half_arrays {
    size_t n;
    size_t passes_done;
    size_t block;
    Position *positions;
    Velocity *velocities;
    uint64_t *words; /* a bit for each row, and 64 bits that are off behind them */
} half_arrays;

static half_arrays *half_arrays_create(size_t n, size_t block) {
    half_arrays *half = bench_allocate_zeroed(1, sizeof *half);
    half->n = n;
    half->block = block;
    half->positions = bench_allocate(n, sizeof *half->positions);
    half->velocities = bench_allocate(n, sizeof *half->velocities);
    half->words = bench_allocate_zeroed(n / 64 + 2, sizeof *half->words);
    for (size_t i = 0; i < n; i++) {
        half->positions[i] = (Position){0, 0, 0};
        half->velocities[i] = BENCH_VELOCITY;
        half->words[i / 64] |= (uint64_t)row_is_on(i, block) << i % 64;
    }
    return half;
}

static void *alternating_plain_setup(size_t n) {
    return half_arrays_create(n, 1);
}

static void *block_plain_setup(size_t n) {
    return half_arrays_create(n, HALF_BLOCK);
}

static void half_plain_finish(void *state) {
    half_arrays *half = state;
    check_half(half->positions, 0, half->n, half->block, half->passes_done);
    free(half->positions);
    free(half->velocities);
    free(half->words);
    free(half);
}

BENCH_NOINLINE static void alternating_plain_pass(half_arrays *half) {
    for (size_t word = 0; word * 64 < half->n; word++) {
        for (uint64_t bits = half->words[word]; bits != 0; bits &= bits - 1) {
            size_t row = word * 64 + SHOAL_LOWEST_BIT(bits);
            move_row(&half->positions[row], &half->velocities[row]);
        }
    }
}

/* The next row from `row` on whose bit is that of `flip` turned over; n when there is none. */
static size_t next_row(const half_arrays *half, size_t row, uint64_t flip) {
    size_t word = row / 64;
    uint64_t bits = (half->words[word] ^ flip) & ~UINT64_C(0) << row % 64;
    while (bits == 0 && word * 64 < half->n) {
        bits = half->words[++word] ^ flip;
    }
    return bits != 0 ? word * 64 + SHOAL_LOWEST_BIT(bits) : half->n;
}

BENCH_NOINLINE static void block_plain_pass(half_arrays *half) {
    for (size_t row = next_row(half, 0, 0); row < half->n; row = next_row(half, row, 0)) {
        size_t end = next_row(half, row, ~UINT64_C(0));
        bench_move(half->positions + row, half->velocities + row, end - row);
        row = end;
    }
}

static bench_sample half_plain_run(void *state) {
    half_arrays *half = state;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < HALF_PASSES; pass++) {
        if (half->block == 1) {
            alternating_plain_pass(half);
        } else {
            block_plain_pass(half);
        }
    }
    uint64_t end = bench_now();
    half->passes_done += HALF_PASSES;
    return bench_sample_of(end - start, half->n / 2 * HALF_PASSES);
}

static toggle_world *half_world_create(size_t n, size_t block) {
    toggle_world *toggle = enable_shoal_setup(n);
    toggle->block = block;
    for (size_t i = 0; i < n; i++) {
        if (!row_is_on(i, block)) {
            BENCH_REQUIRE(toggle->world,
                          shoal_disable(toggle->world, toggle->entities[i], SHOAL_ID(Place)) == SHOAL_OK);
        }
    }
    BENCH_CHECK(shoal_query_count(toggle->query) == n / 2, "not half of the rows are enabled");
    return toggle;
}

static void *alternating_shoal_setup(size_t n) {
    return half_world_create(n, 1);
}

static void *block_shoal_setup(size_t n) {
    return half_world_create(n, HALF_BLOCK);
}

static void half_shoal_finish(void *state) {
    toggle_world *toggle = state;
    for (size_t i = 0; i < toggle->n; i++) {
        const Place *place = SHOAL_GET(toggle->world, toggle->entities[i], Place);
        BENCH_REQUIRE(toggle->world, place != NULL);
        check_half(place, i, 1, toggle->block, toggle->passes_done);
    }
    enable_shoal_finish(toggle);
}

BENCH_NOINLINE static void alternating_shoal_pass(shoal_query *query) {
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next_chunk(&view)) {
        Place *places = SHOAL_COLUMN_MUT(&view, Place);
        const Velocity *velocities = SHOAL_COLUMN(&view, Velocity);
        SHOAL_ROWS(&view, row) {
            move_row(&places[row], &velocities[row]);
        }
    }
}

BENCH_NOINLINE static void block_shoal_pass(shoal_query *query) {
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next(&view)) {
        bench_move(SHOAL_COLUMN_MUT(&view, Place), SHOAL_COLUMN(&view, Velocity), view.count);
    }
}

static bench_sample half_shoal_run(void *state) {
    toggle_world *toggle = state;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < HALF_PASSES; pass++) {
        if (toggle->block == 1) {
            alternating_shoal_pass(toggle->query);
        } else {
            block_shoal_pass(toggle->query);
        }
    }
    uint64_t end = bench_now();
    toggle->passes_done += HALF_PASSES;
    return bench_sample_of(end - start, toggle->n / 2 * HALF_PASSES);
}

/* ---- buffer: a hundred elements for each entity, one at a time ---- */

enum { PUSH_ENTITIES = 10000 };

/* Element `round` of entity i; small, so that sums are exact. */
static Waypoint waypoint_of(size_t i, size_t round) {
    return (Waypoint){(float)(i % 16), (float)round, 1};
}

static void check_path(const Waypoint *items, size_t count, size_t i, size_t rounds) {
    BENCH_CHECK(count == rounds, "entity %zu has %zu of %zu elements", i, count, rounds);
    for (size_t round = 0; round < rounds; round++) {
        Waypoint expected = waypoint_of(i, round);
        BENCH_CHECK(items[round].x == expected.x && items[round].y == expected.y && items[round].z == expected.z,
                    "element %zu of entity %zu is wrong", round, i);
    }
}

typedef struct path {
    Waypoint *items; /* `first`, or on the heap */
    uint32_t count;
    uint32_t capacity;
    Waypoint first[WAYPOINTS_INLINE];
} path;

typedef struct path_arrays {
    size_t rounds;
    path *paths;
} path_arrays;

BENCH_NOINLINE static void path_push(path *to, Waypoint element) {
    if (to->count == to->capacity) {
        Waypoint *items = bench_allocate(2 * (size_t)to->capacity, sizeof *items);
        memcpy(items, to->items, to->count * sizeof *items);
        if (to->items != to->first) {
            free(to->items);
        }
        to->items = items;
        to->capacity *= 2;
    }
    to->items[to->count++] = element;
}

static void path_clear(path *cleared) {
    if (cleared->items != cleared->first) {
        free(cleared->items);
    }
    cleared->items = cleared->first;
    cleared->count = 0;
    cleared->capacity = WAYPOINTS_INLINE;
}

static void *push_plain_setup(size_t n) {
    path_arrays *arrays = bench_allocate_zeroed(1, sizeof *arrays);
    arrays->rounds = n / PUSH_ENTITIES;
    arrays->paths = bench_allocate(PUSH_ENTITIES, sizeof *arrays->paths);
    for (size_t i = 0; i < PUSH_ENTITIES; i++) {
        arrays->paths[i].items = arrays->paths[i].first;
        path_clear(&arrays->paths[i]);
    }
    return arrays;
}

static bench_sample push_plain_run(void *state) {
    path_arrays *arrays = state;
    uint64_t start = bench_now();
    for (size_t round = 0; round < arrays->rounds; round++) {
        for (size_t i = 0; i < PUSH_ENTITIES; i++) {
            path_push(&arrays->paths[i], waypoint_of(i, round));
        }
    }
    uint64_t end = bench_now();
    for (size_t i = 0; i < PUSH_ENTITIES; i++) {
        check_path(arrays->paths[i].items, arrays->paths[i].count, i, arrays->rounds);
        path_clear(&arrays->paths[i]);
    }
    return bench_sample_of(end - start, arrays->rounds * PUSH_ENTITIES);
}

static void push_plain_finish(void *state) {
    path_arrays *arrays = state;
    free(arrays->paths);
    free(arrays);
}

typedef struct path_world {
    size_t rounds;
    shoal_world *world;
    shoal_entity *entities;
} path_world;

static void *push_shoal_setup(size_t n) {
    path_world *paths = bench_allocate_zeroed(1, sizeof *paths);
    paths->rounds = n / PUSH_ENTITIES;
    paths->world = bench_world_create();
    paths->entities = bench_allocate(PUSH_ENTITIES, sizeof *paths->entities);
    for (size_t i = 0; i < PUSH_ENTITIES; i++) {
        paths->entities[i] = shoal_spawn(paths->world, SHOAL_VALUES(SHOAL_DEFAULT(Waypoint)));
        BENCH_REQUIRE(paths->world, !shoal_entity_is_null(paths->entities[i]));
    }
    return paths;
}

static void check_and_clear_buffer(path_world *paths, size_t i) {
    shoal_buffer buffer = shoal_buffer_get(paths->world, paths->entities[i], SHOAL_ID(Waypoint));
    BENCH_REQUIRE(paths->world, !shoal_buffer_is_null(buffer));
    check_path(shoal_buffer_items(buffer), shoal_buffer_count(buffer), i, paths->rounds);
    BENCH_REQUIRE(paths->world, shoal_buffer_resize(buffer, 0) == SHOAL_OK);
    BENCH_CHECK(!shoal_buffer_is_on_heap(buffer), "the empty buffer of entity %zu is on the heap", i);
}

static bench_sample push_shoal_run(void *state) {
    path_world *paths = state;
    size_t failures = 0;
    uint64_t start = bench_now();
    for (size_t round = 0; round < paths->rounds; round++) {
        for (size_t i = 0; i < PUSH_ENTITIES; i++) {
            shoal_buffer buffer = shoal_buffer_get(paths->world, paths->entities[i], SHOAL_ID(Waypoint));
            Waypoint element = waypoint_of(i, round);
            failures += shoal_buffer_push(buffer, &element) != SHOAL_OK;
        }
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(paths->world, failures == 0);
    for (size_t i = 0; i < PUSH_ENTITIES; i++) {
        check_and_clear_buffer(paths, i);
    }
    return bench_sample_of(end - start, paths->rounds * PUSH_ENTITIES);
}

static void push_shoal_finish(void *state) {
    path_world *paths = state;
    bench_world_destroy(paths->world);
    free(paths->entities);
    free(paths);
}

/* ---- shared: sums by the shared value ---- */

enum { FACTIONS = 16, GROUP_PASSES = 16 };

/* Of entity i, whose faction is i % FACTIONS. */
static int32_t points_of(size_t i) {
    return (int32_t)(i / FACTIONS % 100);
}

BENCH_NOINLINE static int64_t sum_points(const Health *healths, size_t count) {
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += healths[i].points;
    }
    return sum;
}

static void check_totals(const int64_t *totals, size_t n, size_t passes) {
    int64_t expected[FACTIONS] = {0};
    for (size_t i = 0; i < n; i++) {
        expected[i % FACTIONS] += points_of(i) * (int64_t)passes;
    }
    for (size_t faction = 0; faction < FACTIONS; faction++) {
        BENCH_CHECK(totals[faction] == expected[faction], "faction %zu has %lld points instead of %lld", faction,
                    (long long)totals[faction], (long long)expected[faction]);
    }
}

typedef struct faction_rows {
    size_t n;
    Health *healths[FACTIONS];
    size_t counts[FACTIONS];
    shoal_world *world;
    shoal_query *query;
} faction_rows;

static void *group_plain_setup(size_t n) {
    faction_rows *rows = bench_allocate_zeroed(1, sizeof *rows);
    rows->n = n;
    for (size_t faction = 0; faction < FACTIONS; faction++) {
        rows->healths[faction] = bench_allocate(n / FACTIONS + 1, sizeof **rows->healths);
    }
    for (size_t i = 0; i < n; i++) {
        size_t faction = i % FACTIONS;
        rows->healths[faction][rows->counts[faction]++] = (Health){points_of(i)};
    }
    return rows;
}

/* The fence keeps the compiler from taking one pass for all: nothing is written between two of them. */
static bench_sample group_plain_run(void *state) {
    faction_rows *rows = state;
    int64_t totals[FACTIONS] = {0};
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < GROUP_PASSES; pass++) {
        for (size_t faction = 0; faction < FACTIONS; faction++) {
            totals[faction] += sum_points(rows->healths[faction], rows->counts[faction]);
        }
        atomic_signal_fence(memory_order_seq_cst);
    }
    uint64_t end = bench_now();
    check_totals(totals, rows->n, GROUP_PASSES);
    return bench_sample_of(end - start, rows->n * GROUP_PASSES);
}

static void *group_shoal_setup(size_t n) {
    faction_rows *rows = bench_allocate_zeroed(1, sizeof *rows);
    rows->n = n;
    rows->world = bench_world_create();
    for (size_t i = 0; i < n; i++) {
        shoal_entity entity = shoal_spawn(
            rows->world, SHOAL_VALUES(SHOAL_VALUE(Health, points_of(i)), SHOAL_VALUE(Faction, i % FACTIONS)));
        BENCH_REQUIRE(rows->world, !shoal_entity_is_null(entity));
    }
    rows->query =
        bench_query_of(rows->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Health), SHOAL_READ(Faction)),
                                                       .group_by = SHOAL_ID(Faction)});
    return rows;
}

static bench_sample group_shoal_run(void *state) {
    faction_rows *rows = state;
    int64_t totals[FACTIONS] = {0};
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < GROUP_PASSES; pass++) {
        shoal_view view;
        shoal_view_begin(&view, rows->query);
        while (shoal_view_next(&view)) {
            totals[SHOAL_ONE(&view, Faction)->number] += sum_points(SHOAL_COLUMN(&view, Health), view.count);
        }
    }
    uint64_t end = bench_now();
    check_totals(totals, rows->n, GROUP_PASSES);
    return bench_sample_of(end - start, rows->n * GROUP_PASSES);
}

static void group_finish(void *state) {
    faction_rows *rows = state;
    for (size_t faction = 0; faction < FACTIONS; faction++) {
        free(rows->healths[faction]);
    }
    if (rows->world != NULL) {
        bench_world_destroy(rows->world);
    }
    free(rows);
}

/* ---- the table ---- */

static const bench_case cases[] = {
    {.name = "enable_toggle",
     .n = 1000000,
     .plain = {.setup = enable_plain_setup, .run = enable_plain_run, .finish = enable_plain_finish},
     .shoal = {.setup = enable_shoal_setup, .run = enable_shoal_run, .finish = enable_shoal_finish},
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 3},
    {.name = "iter_half_disabled",
     .n = 1000000,
     .plain = {.setup = alternating_plain_setup, .run = half_plain_run, .finish = half_plain_finish},
     .shoal = {.setup = alternating_shoal_setup, .run = half_shoal_run, .finish = half_shoal_finish},
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 1},
    {.name = "iter_half_disabled_block",
     .n = 1000000,
     .plain = {.setup = block_plain_setup, .run = half_plain_run, .finish = half_plain_finish},
     .shoal = {.setup = block_shoal_setup, .run = half_shoal_run, .finish = half_shoal_finish},
     .standing = true},
    {.name = "buffer_push",
     .n = 1000000,
     .plain = {.setup = push_plain_setup, .run = push_plain_run, .finish = push_plain_finish},
     .shoal = {.setup = push_shoal_setup, .run = push_shoal_run, .finish = push_shoal_finish},
     .standing = true},
    {.name = "shared_group_iter",
     .n = 1000000,
     .plain = {.setup = group_plain_setup, .run = group_plain_run, .finish = group_finish},
     .shoal = {.setup = group_shoal_setup, .run = group_shoal_run, .finish = group_finish},
     .standing = true},
};

const bench_theme bench_kinds = BENCH_THEME(cases);
