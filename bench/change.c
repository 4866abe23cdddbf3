/*
 * Adding and removing a component, at once and by command.
 *
 * Plain keeps what comes and goes in a set beside the rows (a sparse set for a component, a bit for a tag); no row
 * moves, and so its figures are the floor, not the aim. add_remove_wide is like against like: plain moves a row of
 * twelve columns between two sets of arrays by hand, as an archetype move does.
 */
#include "case.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "components.h"
#include "support.h"

/* Figure of a run that adds and then removes: for one way. */
static bench_sample each_way(uint64_t nanoseconds, size_t n) {
    return (bench_sample){.figure = (double)nanoseconds / 2 / (double)n};
}

/* ---- plain: a sparse set of Health by slot ---- */

#define NOWHERE UINT32_MAX

typedef struct health_record {
    uint32_t slot;
    Health health;
} health_record;

typedef struct health_set {
    size_t n;
    uint32_t *places; /* slot -> place, or NOWHERE */
    uint32_t *slots;  /* place -> slot */
    Health *healths;  /* place -> value */
    uint32_t count;
    health_record *records; /* of deferred_add: what to add later */
} health_set;

static void *health_set_setup(size_t n) {
    health_set *set = bench_allocate_zeroed(1, sizeof *set);
    set->n = n;
    set->places = bench_allocate(n, sizeof *set->places);
    memset(set->places, 0xFF, n * sizeof *set->places);
    set->slots = bench_allocate_zeroed(n, sizeof *set->slots);
    set->healths = bench_allocate_zeroed(n, sizeof *set->healths);
    set->records = bench_allocate_zeroed(n, sizeof *set->records);
    return set;
}

static void health_set_finish(void *state) {
    health_set *set = state;
    free(set->places);
    free(set->slots);
    free(set->healths);
    free(set->records);
    free(set);
}

BENCH_NOINLINE static void health_set_add(health_set *set, uint32_t slot, Health health) {
    if (set->places[slot] == NOWHERE) {
        set->places[slot] = set->count;
        set->slots[set->count] = slot;
        set->healths[set->count] = health;
        set->count++;
    }
}

BENCH_NOINLINE static void health_set_remove(health_set *set, uint32_t slot) {
    uint32_t place = set->places[slot];
    if (place != NOWHERE) {
        uint32_t last = --set->count;
        set->healths[place] = set->healths[last];
        set->slots[place] = set->slots[last];
        set->places[set->slots[place]] = place;
        set->places[slot] = NOWHERE;
    }
}

static void health_set_check_full(const health_set *set) {
    size_t points = 0;
    for (uint32_t place = 0; place < set->count; place++) {
        points += (size_t)set->healths[place].points;
    }
    BENCH_CHECK(points == set->n, "%zu of %zu points after adding", points, set->n);
}

static bench_sample add_remove_plain_run(void *state) {
    health_set *set = state;
    uint64_t start = bench_now();
    for (uint32_t slot = 0; slot < set->n; slot++) {
        health_set_add(set, slot, (Health){1});
    }
    uint64_t added = bench_now();
    health_set_check_full(set);
    uint64_t resumed = bench_now();
    for (uint32_t slot = 0; slot < set->n; slot++) {
        health_set_remove(set, slot);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(set->count == 0, "%u are left", set->count);
    return each_way(added - start + end - resumed, set->n);
}

/* The fence keeps the compiler from making one loop of the two, which a program cannot do either: it records in
   one place and applies in another. */
static bench_sample deferred_add_plain_run(void *state) {
    health_set *set = state;
    uint64_t start = bench_now();
    for (uint32_t slot = 0; slot < set->n; slot++) {
        set->records[slot] = (health_record){slot, {1}};
        atomic_signal_fence(memory_order_seq_cst);
    }
    for (size_t i = 0; i < set->n; i++) {
        health_set_add(set, set->records[i].slot, set->records[i].health);
    }
    uint64_t end = bench_now();
    health_set_check_full(set);
    for (uint32_t slot = 0; slot < set->n; slot++) {
        health_set_remove(set, slot);
    }
    return (bench_sample){.figure = (double)(end - start) / (double)set->n};
}

/* ---- plain: a tag as one bit for each slot ---- */

typedef struct tag_bits {
    size_t n;
    uint64_t *words;
} tag_bits;

static void *tag_bits_setup(size_t n) {
    tag_bits *bits = bench_allocate_zeroed(1, sizeof *bits);
    bits->n = n;
    bits->words = bench_allocate_zeroed(n / 64 + 1, sizeof *bits->words);
    return bits;
}

static void tag_bits_finish(void *state) {
    tag_bits *bits = state;
    free(bits->words);
    free(bits);
}

static size_t tag_bits_count(const tag_bits *bits) {
    size_t count = 0;
    for (size_t word = 0; word <= bits->n / 64; word++) {
        count += (size_t)__builtin_popcountll(bits->words[word]);
    }
    return count;
}

/* The fences stand for whatever a program does between two changes; without them the compiler fills whole words. */
static bench_sample tag_bits_run(void *state) {
    tag_bits *bits = state;
    uint64_t start = bench_now();
    for (size_t slot = 0; slot < bits->n; slot++) {
        bits->words[slot / 64] |= UINT64_C(1) << slot % 64;
        atomic_signal_fence(memory_order_seq_cst);
    }
    uint64_t added = bench_now();
    size_t count = tag_bits_count(bits);
    BENCH_CHECK(count == bits->n, "%zu of %zu tags are set", count, bits->n);
    uint64_t resumed = bench_now();
    for (size_t slot = 0; slot < bits->n; slot++) {
        bits->words[slot / 64] &= ~(UINT64_C(1) << slot % 64);
        atomic_signal_fence(memory_order_seq_cst);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(tag_bits_count(bits) == 0, "tags are left");
    return each_way(added - start + end - resumed, bits->n);
}

/* ---- plain: rows of twelve columns move between two sets of arrays, one of which has Health besides ---- */

typedef struct wide_table {
    Position *positions;
    Velocity *velocities;
    Wide *wides[BENCH_WIDES];
    Health *healths; /* NULL in the table without */
    uint32_t *slots;
    uint32_t count;
} wide_table;

typedef struct wide_rows {
    size_t n;
    uint32_t *rows; /* slot -> row, in whichever table the slot is */
    wide_table without;
    wide_table with;
} wide_rows;

/* Zeroing by hand touches the pages, so that no run pays for it. */
static void *touched(size_t count, size_t size) {
    void *memory = bench_allocate(count, size);
    memset(memory, 1, count * size);
    return memory;
}

static wide_table wide_table_create(size_t n, bool with_health) {
    wide_table table = {.positions = touched(n, sizeof(Position)),
                        .velocities = touched(n, sizeof(Velocity)),
                        .healths = with_health ? touched(n, sizeof(Health)) : NULL,
                        .slots = touched(n, sizeof(uint32_t))};
    for (size_t i = 0; i < BENCH_WIDES; i++) {
        table.wides[i] = touched(n, sizeof(Wide));
    }
    return table;
}

static void wide_table_free(wide_table *table) {
    free(table->positions);
    free(table->velocities);
    free(table->healths);
    free(table->slots);
    for (size_t i = 0; i < BENCH_WIDES; i++) {
        free(table->wides[i]);
    }
}

static void *wide_setup(size_t n) {
    wide_rows *wide = bench_allocate_zeroed(1, sizeof *wide);
    wide->n = n;
    wide->rows = bench_allocate_zeroed(n, sizeof *wide->rows);
    wide->without = wide_table_create(n, false);
    wide->with = wide_table_create(n, true);
    for (uint32_t slot = 0; slot < n; slot++) {
        wide->rows[slot] = slot;
        wide->without.slots[slot] = slot;
        wide->without.positions[slot] = (Position){(float)slot, 0, 0};
    }
    wide->without.count = (uint32_t)n;
    return wide;
}

static void wide_finish(void *state) {
    wide_rows *wide = state;
    for (uint32_t slot = 0; slot < wide->n; slot++) {
        float x = wide->without.positions[wide->rows[slot]].x;
        BENCH_CHECK(x == (float)slot, "slot %u is at %g", slot, (double)x);
    }
    wide_table_free(&wide->without);
    wide_table_free(&wide->with);
    free(wide->rows);
    free(wide);
}

static void wide_copy_row(wide_table *to, uint32_t to_row, const wide_table *from, uint32_t from_row) {
    to->positions[to_row] = from->positions[from_row];
    to->velocities[to_row] = from->velocities[from_row];
    for (size_t i = 0; i < BENCH_WIDES; i++) {
        to->wides[i][to_row] = from->wides[i][from_row];
    }
    to->slots[to_row] = from->slots[from_row];
}

static void wide_move(wide_rows *wide, uint32_t slot, wide_table *from, wide_table *to) {
    uint32_t row = wide->rows[slot];
    uint32_t target = to->count++;
    wide_copy_row(to, target, from, row);
    if (to->healths != NULL) {
        to->healths[target] = (Health){1};
    }
    uint32_t last = --from->count;
    wide_copy_row(from, row, from, last);
    if (from->healths != NULL) {
        from->healths[row] = from->healths[last];
    }
    wide->rows[from->slots[row]] = row;
    wide->rows[slot] = target;
}

static bench_sample wide_run(void *state) {
    wide_rows *wide = state;
    uint64_t start = bench_now();
    for (uint32_t slot = 0; slot < wide->n; slot++) {
        wide_move(wide, slot, &wide->without, &wide->with);
    }
    uint64_t added = bench_now();
    BENCH_CHECK(wide->with.count == wide->n && wide->without.count == 0, "%u of %zu moved", wide->with.count, wide->n);
    uint64_t resumed = bench_now();
    for (uint32_t slot = 0; slot < wide->n; slot++) {
        wide_move(wide, slot, &wide->with, &wide->without);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(wide->without.count == wide->n && wide->with.count == 0, "%u are left", wide->with.count);
    return each_way(added - start + end - resumed, wide->n);
}

/* ---- shoal ---- */

typedef struct world_rows {
    size_t n;
    shoal_world *world;
    shoal_entity *entities;
    shoal_component changing; /* what is added and removed */
    const void *value;        /* what it is added with; NULL for a tag */
    shoal_query *changed;     /* entities that have it */
    shoal_commands *commands;
} world_rows;

static world_rows *world_rows_create(size_t n, shoal_component changing, const void *value) {
    world_rows *rows = bench_allocate_zeroed(1, sizeof *rows);
    rows->n = n;
    rows->world = bench_world_create();
    rows->entities = bench_allocate(n, sizeof *rows->entities);
    rows->changing = changing;
    rows->value = value;
    shoal_term term = {.component = changing, .access = SHOAL_ACCESS_WITH};
    rows->changed = shoal_query_create(rows->world, &(shoal_query_def){.terms = &term, .term_count = 1});
    BENCH_REQUIRE(rows->world, rows->changed != NULL);
    return rows;
}

static const Health one_point = {1};

static void *add_remove_shoal_setup(size_t n) {
    world_rows *rows = world_rows_create(n, SHOAL_ID(Health), &one_point);
    for (size_t i = 0; i < n; i++) {
        rows->entities[i] = bench_spawn(rows->world, (float)i);
    }
    return rows;
}

static void *tag_shoal_setup(size_t n) {
    world_rows *rows = world_rows_create(n, SHOAL_ID(Frozen), NULL);
    for (size_t i = 0; i < n; i++) {
        rows->entities[i] = bench_spawn(rows->world, (float)i);
    }
    return rows;
}

static void *wide_shoal_setup(size_t n) {
    world_rows *rows = world_rows_create(n, SHOAL_ID(Health), &one_point);
    shoal_value values[2 + BENCH_WIDES] = {[1] = {SHOAL_ID(Velocity), &BENCH_VELOCITY}};
    for (size_t i = 0; i < BENCH_WIDES; i++) {
        values[2 + i].component = bench_family_member(BENCH_FAMILY_WIDE, i);
    }
    for (size_t i = 0; i < n; i++) {
        values[0] = (shoal_value){SHOAL_ID(Position), &(Position){(float)i, 0, 0}};
        rows->entities[i] = shoal_spawn(rows->world, values, 2 + BENCH_WIDES);
        BENCH_REQUIRE(rows->world, !shoal_entity_is_null(rows->entities[i]));
    }
    return rows;
}

static void *deferred_shoal_setup(size_t n) {
    world_rows *rows = add_remove_shoal_setup(n);
    rows->commands = shoal_commands_create(rows->world, NULL);
    BENCH_REQUIRE(rows->world, rows->commands != NULL);
    return rows;
}

static void world_rows_finish(void *state) {
    world_rows *rows = state;
    for (size_t i = 0; i < rows->n; i++) {
        const Position *position = SHOAL_GET(rows->world, rows->entities[i], Position);
        BENCH_REQUIRE(rows->world, position != NULL);
        BENCH_CHECK(position->x == (float)i, "entity %zu is at %g", i, (double)position->x);
    }
    bench_world_destroy(rows->world);
    free(rows->entities);
    free(rows);
}

static size_t world_rows_add(world_rows *rows) {
    size_t failures = 0;
    for (size_t i = 0; i < rows->n; i++) {
        failures += shoal_add(rows->world, rows->entities[i], rows->changing, rows->value) != SHOAL_OK;
    }
    return failures;
}

static size_t world_rows_remove(world_rows *rows) {
    size_t failures = 0;
    for (size_t i = 0; i < rows->n; i++) {
        failures += shoal_remove(rows->world, rows->entities[i], rows->changing) != SHOAL_OK;
    }
    return failures;
}

/* All have it, and where it has a value the values are right. */
static void world_rows_check_added(world_rows *rows) {
    size_t count = (size_t)shoal_query_count(rows->changed);
    BENCH_CHECK(count == rows->n, "%zu of %zu have it", count, rows->n);
    for (size_t i = 0; rows->value != NULL && i < rows->n; i++) {
        const Health *health = SHOAL_GET(rows->world, rows->entities[i], Health);
        BENCH_CHECK(health != NULL && health->points == 1, "entity %zu has a wrong value", i);
    }
}

static void world_rows_check_removed(world_rows *rows) {
    size_t count = (size_t)shoal_query_count(rows->changed);
    BENCH_CHECK(count == 0, "%zu still have it", count);
}

static bench_sample add_remove_shoal_run(void *state) {
    world_rows *rows = state;
    uint64_t start = bench_now();
    size_t failures = world_rows_add(rows);
    uint64_t added = bench_now();
    BENCH_REQUIRE(rows->world, failures == 0);
    world_rows_check_added(rows);
    uint64_t resumed = bench_now();
    failures = world_rows_remove(rows);
    uint64_t end = bench_now();
    BENCH_REQUIRE(rows->world, failures == 0);
    world_rows_check_removed(rows);
    return each_way(added - start + end - resumed, rows->n);
}

static bench_sample deferred_add_shoal_run(void *state) {
    world_rows *rows = state;
    size_t failures = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < rows->n; i++) {
        failures += shoal_commands_add(rows->commands, rows->entities[i], rows->changing, rows->value) != SHOAL_OK;
    }
    failures += shoal_commands_apply(rows->commands, NULL) != SHOAL_OK;
    uint64_t end = bench_now();
    BENCH_REQUIRE(rows->world, failures == 0);
    world_rows_check_added(rows);
    BENCH_REQUIRE(rows->world, world_rows_remove(rows) == 0);
    world_rows_check_removed(rows);
    return (bench_sample){.figure = (double)(end - start) / (double)rows->n};
}

/* ---- the table ---- */

static const bench_case cases[] = {
    {.name = "add_remove",
     .n = 100000,
     .plain = {.setup = health_set_setup, .run = add_remove_plain_run, .finish = health_set_finish},
     .shoal = {.setup = add_remove_shoal_setup, .run = add_remove_shoal_run, .finish = world_rows_finish},
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 20},
    {.name = "add_remove_tag",
     .n = 100000,
     .plain = {.setup = tag_bits_setup, .run = tag_bits_run, .finish = tag_bits_finish},
     .shoal = {.setup = tag_shoal_setup, .run = add_remove_shoal_run, .finish = world_rows_finish},
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 20},
    {.name = "add_remove_wide",
     .n = 100000,
     .plain = {.setup = wide_setup, .run = wide_run, .finish = wide_finish},
     .shoal = {.setup = wide_shoal_setup, .run = add_remove_shoal_run, .finish = world_rows_finish},
     .standing = true,
     .budget_kind = BENCH_AT_MOST_RATIO,
     .budget = 1.3},
    {.name = "deferred_add",
     .n = 100000,
     .plain = {.setup = health_set_setup, .run = deferred_add_plain_run, .finish = health_set_finish},
     .shoal = {.setup = deferred_shoal_setup, .run = deferred_add_shoal_run, .finish = world_rows_finish},
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 22},
};

const bench_theme bench_change = BENCH_THEME(cases);
