/*
 * What an ordered query costs: seeing that nothing has changed, taking one changed key in, sorting all keys anew, and a
 * pass in the order.
 *
 * Plain keeps a sorted array of keys with their rows, and a copy of the keys to see what has changed: nobody tells it.
 * Few changed rows are taken out and put in again by binary search, many mean sorting all with qsort(). Keys are
 * spread over all 32 bits and no two are the same, so there is one right order. order_begin_unchanged and
 * order_one_changed are nanoseconds for the whole of a begin, the other two for a row.
 */
#include "case.h"

#include <stdlib.h>
#include <string.h>

#include "components.h"
#include "support.h"

typedef struct Rank {
    uint32_t key;
} Rank;

SHOAL_COMPONENT(Rank, .fields = SHOAL_FIELDS(SHOAL_FIELD(Rank, key)))

/* A key for each pair of row and run; no two pairs have the same, for every step can be undone. */
static uint32_t key_of(size_t n, size_t row, size_t run) {
    uint32_t key = (uint32_t)(run * n + row);
    key = (key ^ key >> 16) * 0x85EBCA6Bu;
    key = (key ^ key >> 13) * 0xC2B2AE35u;
    return key ^ key >> 16;
}

/* ---- plain ---- */

enum { FEW = 16 };

typedef struct sorted_key {
    uint32_t key;
    uint32_t row;
} sorted_key;

typedef struct sorted_rows {
    size_t n;
    size_t runs;
    size_t passes;
    Rank *ranks;        /* by row */
    Rank *copies;       /* of the ranks when they were last sorted */
    sorted_key *sorted; /* one for each row */
    Position *positions;
} sorted_rows;

static int compare_keys(const void *left, const void *right) {
    uint32_t a = ((const sorted_key *)left)->key;
    uint32_t b = ((const sorted_key *)right)->key;
    return (a > b) - (a < b);
}

static void sort_all(sorted_rows *all) {
    for (uint32_t row = 0; row < all->n; row++) {
        all->sorted[row] = (sorted_key){all->ranks[row].key, row};
    }
    qsort(all->sorted, all->n, sizeof *all->sorted, compare_keys);
    memcpy(all->copies, all->ranks, all->n * sizeof *all->copies);
}

/* The first of `count` sorted keys that is not below `key`; `count` when there is none. */
static size_t place_of(const sorted_key *sorted, size_t count, uint32_t key) {
    size_t first = 0;
    while (count > 0) {
        size_t half = count / 2;
        bool is_below = sorted[first + half].key < key;
        first += is_below ? half + 1 : 0;
        count = is_below ? count - half - 1 : half;
    }
    return first;
}

/* The row's copy still has the key by which it is sorted. */
static void sort_row(sorted_rows *all, uint32_t row) {
    sorted_key *sorted = all->sorted;
    size_t from = place_of(sorted, all->n, all->copies[row].key);
    memmove(sorted + from, sorted + from + 1, (all->n - 1 - from) * sizeof *sorted);
    size_t to = place_of(sorted, all->n - 1, all->ranks[row].key);
    memmove(sorted + to + 1, sorted + to, (all->n - 1 - to) * sizeof *sorted);
    sorted[to] = (sorted_key){all->ranks[row].key, row};
    all->copies[row] = all->ranks[row];
}

BENCH_NOINLINE static void plain_begin(sorted_rows *all) {
    if (memcmp(all->ranks, all->copies, all->n * sizeof *all->ranks) == 0) {
        return;
    }
    uint32_t changed[FEW];
    size_t count = 0;
    for (uint32_t row = 0; row < all->n && count <= FEW; row++) {
        if (all->ranks[row].key != all->copies[row].key) {
            changed[count % FEW] = row;
            count++;
        }
    }
    if (count > FEW) {
        sort_all(all);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        sort_row(all, changed[i]);
    }
}

BENCH_NOINLINE static void plain_pass(sorted_rows *all) {
    for (size_t i = 0; i < all->n; i++) {
        all->positions[all->sorted[i].row].x += 1;
    }
}

static void check_sorted_rows(const sorted_rows *all) {
    for (size_t i = 0; i < all->n; i++) {
        BENCH_CHECK(all->sorted[i].key == all->ranks[all->sorted[i].row].key, "key %zu is stale", i);
        BENCH_CHECK(i == 0 || all->sorted[i - 1].key < all->sorted[i].key, "key %zu is not in order", i);
    }
}

static void *plain_setup(size_t n) {
    sorted_rows *all = bench_allocate_zeroed(1, sizeof *all);
    all->n = n;
    all->ranks = bench_allocate_zeroed(n, sizeof *all->ranks);
    all->copies = bench_allocate_zeroed(n, sizeof *all->copies);
    all->sorted = bench_allocate_zeroed(n, sizeof *all->sorted);
    all->positions = bench_allocate_zeroed(n, sizeof *all->positions);
    for (size_t row = 0; row < n; row++) {
        all->ranks[row].key = key_of(n, row, 0);
        all->positions[row] = (Position){0, 0, 0};
    }
    plain_begin(all);
    check_sorted_rows(all);
    return all;
}

static bench_sample unchanged_plain_run(void *state) {
    sorted_rows *all = state;
    uint64_t start = bench_now();
    plain_begin(all);
    uint64_t end = bench_now();
    check_sorted_rows(all);
    return bench_sample_of(end - start, 1);
}

static bench_sample pass_plain_run(void *state) {
    sorted_rows *all = state;
    plain_begin(all);
    uint64_t start = bench_now();
    plain_pass(all);
    uint64_t end = bench_now();
    all->passes++;
    return bench_sample_of(end - start, all->n);
}

static bench_sample one_plain_run(void *state) {
    sorted_rows *all = state;
    size_t run = ++all->runs;
    size_t row = key_of(all->n, 0, run) % all->n;
    all->ranks[row].key = key_of(all->n, row, run);
    uint64_t start = bench_now();
    plain_begin(all);
    uint64_t end = bench_now();
    check_sorted_rows(all);
    return bench_sample_of(end - start, 1);
}

static bench_sample all_plain_run(void *state) {
    sorted_rows *all = state;
    size_t run = ++all->runs;
    for (size_t row = 0; row < all->n; row++) {
        all->ranks[row].key = key_of(all->n, row, run);
    }
    uint64_t start = bench_now();
    plain_begin(all);
    uint64_t end = bench_now();
    check_sorted_rows(all);
    return bench_sample_of(end - start, all->n);
}

static void plain_finish(void *state) {
    sorted_rows *all = state;
    for (size_t row = 0; row < all->n; row++) {
        BENCH_CHECK(all->positions[row].x == (float)all->passes, "row %zu is at %g", row,
                    (double)all->positions[row].x);
    }
    free(all->ranks);
    free(all->copies);
    free(all->sorted);
    free(all->positions);
    free(all);
}

/* ---- shoal ---- */

typedef struct sorted_world {
    size_t n;
    size_t runs;
    size_t passes;
    shoal_world *world;
    shoal_entity *entities;
    shoal_query *ordered;
    shoal_query *ranks; /* for writing all keys, in no order */
} sorted_world;

/* From the open view on: every row once, the keys rising. */
static void check_sorted_view(const sorted_world *all, shoal_view *view) {
    size_t count = 0;
    uint32_t last = 0;
    while (shoal_view_next(view)) {
        const Rank *ranks = SHOAL_COLUMN(view, Rank);
        for (size_t row = 0; row < view->count; row++) {
            BENCH_CHECK(count == 0 || last < ranks[row].key, "key %zu is not in order", count);
            last = ranks[row].key;
            count++;
        }
    }
    BENCH_CHECK(count == all->n, "%zu of %zu rows", count, all->n);
}

static void *shoal_setup(size_t n) {
    sorted_world *all = bench_allocate_zeroed(1, sizeof *all);
    all->n = n;
    all->world = bench_world_create();
    all->entities = bench_allocate(n, sizeof *all->entities);
    for (size_t i = 0; i < n; i++) {
        all->entities[i] =
            shoal_spawn(all->world, SHOAL_VALUES(SHOAL_VALUE(Rank, key_of(n, i, 0)), SHOAL_VALUE(Position, 0, 0, 0)));
        BENCH_REQUIRE(all->world, !shoal_entity_is_null(all->entities[i]));
    }
    all->ordered =
        shoal_query_create(all->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Rank), SHOAL_WRITE(Position)),
                                                          .order_by = SHOAL_ID(Rank),
                                                          .order_field = "key"});
    all->ranks = shoal_query_create(all->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WRITE(Rank))});
    BENCH_REQUIRE(all->world, all->ordered != NULL && all->ranks != NULL);
    shoal_view view;
    shoal_view_begin(&view, all->ordered);
    check_sorted_view(all, &view);
    return all;
}

/* Times the beginning of a view, then checks what it gives. */
static uint64_t timed_begin(const sorted_world *all) {
    shoal_view view;
    uint64_t start = bench_now();
    shoal_view_begin(&view, all->ordered);
    uint64_t end = bench_now();
    check_sorted_view(all, &view);
    return end - start;
}

static bench_sample unchanged_shoal_run(void *state) {
    return bench_sample_of(timed_begin(state), 1);
}

BENCH_NOINLINE static void shoal_pass(shoal_view *view) {
    while (shoal_view_next(view)) {
        Position *positions = SHOAL_COLUMN_MUT(view, Position);
        for (size_t row = 0; row < view->count; row++) {
            positions[row].x += 1;
        }
    }
}

static bench_sample pass_shoal_run(void *state) {
    sorted_world *all = state;
    shoal_view view;
    shoal_view_begin(&view, all->ordered);
    uint64_t start = bench_now();
    shoal_pass(&view);
    uint64_t end = bench_now();
    all->passes++;
    return bench_sample_of(end - start, all->n);
}

static bench_sample one_shoal_run(void *state) {
    sorted_world *all = state;
    size_t run = ++all->runs;
    size_t row = key_of(all->n, 0, run) % all->n;
    shoal_status status = SHOAL_SET(all->world, all->entities[row], Rank, key_of(all->n, row, run));
    BENCH_REQUIRE(all->world, status == SHOAL_OK);
    return bench_sample_of(timed_begin(all), 1);
}

static bench_sample all_shoal_run(void *state) {
    sorted_world *all = state;
    size_t run = ++all->runs;
    size_t count = 0;
    shoal_view view;
    shoal_view_begin(&view, all->ranks);
    while (shoal_view_next(&view)) {
        Rank *ranks = SHOAL_COLUMN_MUT(&view, Rank);
        for (size_t row = 0; row < view.count; row++) {
            ranks[row].key = key_of(all->n, count++, run);
        }
    }
    return bench_sample_of(timed_begin(all), all->n);
}

static void shoal_finish(void *state) {
    sorted_world *all = state;
    for (size_t i = 0; i < all->n; i++) {
        const Position *position = SHOAL_GET(all->world, all->entities[i], Position);
        BENCH_REQUIRE(all->world, position != NULL);
        BENCH_CHECK(position->x == (float)all->passes, "entity %zu is at %g", i, (double)position->x);
    }
    bench_world_destroy(all->world);
    free(all->entities);
    free(all);
}

/* ---- the table ---- */

static const bench_case cases[] = {
    {.name = "order_begin_unchanged",
     .n = 100000,
     .plain = {.setup = plain_setup, .run = unchanged_plain_run, .finish = plain_finish},
     .shoal = {.setup = shoal_setup, .run = unchanged_shoal_run, .finish = shoal_finish},
     .standing = true},
    {.name = "order_pass",
     .n = 100000,
     .plain = {.setup = plain_setup, .run = pass_plain_run, .finish = plain_finish},
     .shoal = {.setup = shoal_setup, .run = pass_shoal_run, .finish = shoal_finish},
     .standing = true},
    {.name = "order_one_changed",
     .n = 100000,
     .plain = {.setup = plain_setup, .run = one_plain_run, .finish = plain_finish},
     .shoal = {.setup = shoal_setup, .run = one_shoal_run, .finish = shoal_finish},
     .standing = true},
    {.name = "order_all_changed",
     .n = 100000,
     .plain = {.setup = plain_setup, .run = all_plain_run, .finish = plain_finish},
     .shoal = {.setup = shoal_setup, .run = all_shoal_run, .finish = shoal_finish},
     .standing = true},
};

const bench_theme bench_costs_order = BENCH_THEME(cases);
