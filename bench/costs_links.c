/*
 * What names and relations cost: naming, finding by a path, linking an entity to another, asking for a target and for
 * the sources of one.
 *
 * Plain finds names by a hash table (plain_names.h). Its relation is an array of targets by slot and a list of sources
 * for each target; since every source has one target at most, that is enough, and unlinking fills the hole in the list.
 * Texts and paths are written before the clock runs. Look-ups and the sources of a target are in random order, all else
 * goes through the entities in their order.
 */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components.h"
#include "plain_names.h"
#include "support.h"

SHOAL_RELATION(Follows)

static void *touched(size_t count, size_t size) {
    void *memory = bench_allocate(count, size);
    memset(memory, 0, count * size);
    return memory;
}

/* ---- names: a root "ship" and n children "g0", "g1" ... ---- */

enum { TEXT_BYTES = 16 };

typedef char short_text[TEXT_BYTES];

static const char root_name[] = "ship";

typedef struct named {
    size_t n;
    short_text *texts; /* "g0", "g1" ... */
    uint32_t *order;   /* of the look-ups */
    short_text *paths; /* "ship/g..." in that order */
    uint64_t *found;   /* slots or handles, in that order */
    plain_names names; /* plain: slot i is child i, slot n the root */
    shoal_world *world;
    shoal_entity root;
    shoal_entity *entities;
} named;

static named *named_create(size_t n) {
    named *all = bench_allocate_zeroed(1, sizeof *all);
    all->n = n;
    all->texts = bench_allocate(n, sizeof *all->texts);
    all->paths = bench_allocate(n, sizeof *all->paths);
    all->found = touched(n, sizeof *all->found);
    all->order = bench_shuffled(n);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(all->texts[i], TEXT_BYTES, "g%u", i);
        snprintf(all->paths[i], TEXT_BYTES, "%s/g%u", root_name, all->order[i]);
    }
    return all;
}

static void named_finish(void *state) {
    named *all = state;
    if (all->world != NULL) {
        bench_world_destroy(all->world);
    } else {
        plain_names_free(&all->names);
    }
    free(all->texts);
    free(all->paths);
    free(all->found);
    free(all->order);
    free(all->entities);
    free(all);
}

static void *name_plain_setup(size_t n) {
    named *all = named_create(n);
    all->names = plain_names_create(n + 1);
    return all;
}

static size_t name_plain_fill(named *all) {
    uint32_t root = (uint32_t)all->n;
    size_t failures = 0;
    for (uint32_t i = 0; i < root; i++) {
        failures += !plain_names_set(&all->names, i, root, all->texts[i]);
    }
    return failures;
}

static bench_sample name_plain_run(void *state) {
    named *all = state;
    plain_names_clear(&all->names);
    BENCH_CHECK(plain_names_set(&all->names, (uint32_t)all->n, PLAIN_NO_PARENT, root_name), "the root has no name");
    uint64_t start = bench_now();
    size_t failures = name_plain_fill(all);
    uint64_t end = bench_now();
    BENCH_CHECK(failures == 0, "%zu have no name", failures);
    for (size_t i = 0; i < all->n; i++) {
        uint32_t slot = plain_names_lookup(&all->names, all->paths[i]);
        BENCH_CHECK(slot == all->order[i], "%s is slot %u", all->paths[i], slot);
    }
    return bench_sample_of(end - start, all->n);
}

static void *lookup_plain_setup(size_t n) {
    named *all = name_plain_setup(n);
    (void)name_plain_run(all);
    return all;
}

static bench_sample lookup_plain_run(void *state) {
    named *all = state;
    uint64_t start = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        all->found[i] = plain_names_lookup(&all->names, all->paths[i]);
    }
    uint64_t end = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        BENCH_CHECK(all->found[i] == all->order[i], "%s is slot %zu", all->paths[i], (size_t)all->found[i]);
    }
    return bench_sample_of(end - start, all->n);
}

/* Sum of the first digits, which a reader of all names gets. */
static uint64_t expected_digits(const named *all) {
    uint64_t sum = 0;
    for (size_t i = 0; i < all->n; i++) {
        sum += (unsigned char)all->texts[i][1];
    }
    return sum;
}

static bench_sample read_plain_run(void *state) {
    named *all = state;
    uint64_t sum = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        sum += (unsigned char)all->names.entries[i]->text[1];
    }
    uint64_t end = bench_now();
    BENCH_CHECK(sum == expected_digits(all), "the names sum up to %llu", (unsigned long long)sum);
    return bench_sample_of(end - start, all->n);
}

static void *name_shoal_setup(size_t n) {
    named *all = named_create(n);
    all->world = bench_world_create();
    all->root = shoal_spawn(all->world, NULL, 0);
    BENCH_REQUIRE(all->world, shoal_set_name(all->world, all->root, root_name) == SHOAL_OK);
    all->entities = bench_allocate(n, sizeof *all->entities);
    for (size_t i = 0; i < n; i++) {
        all->entities[i] = shoal_spawn(all->world, SHOAL_VALUES(SHOAL_TO(ChildOf, all->root)));
        BENCH_REQUIRE(all->world, !shoal_entity_is_null(all->entities[i]));
    }
    return all;
}

static bench_sample name_shoal_run(void *state) {
    named *all = state;
    size_t failures = 0;
    for (size_t i = 0; i < all->n; i++) {
        failures += shoal_set_name(all->world, all->entities[i], NULL) != SHOAL_OK;
    }
    uint64_t start = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        failures += shoal_set_name(all->world, all->entities[i], all->texts[i]) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(all->world, failures == 0);
    for (size_t i = 0; i < all->n; i++) {
        shoal_entity found = shoal_lookup(all->world, (shoal_entity){0}, all->paths[i]);
        BENCH_CHECK(found.bits == all->entities[all->order[i]].bits, "%s is another entity", all->paths[i]);
    }
    return bench_sample_of(end - start, all->n);
}

static void *lookup_shoal_setup(size_t n) {
    named *all = name_shoal_setup(n);
    (void)name_shoal_run(all);
    return all;
}

static bench_sample lookup_shoal_run(void *state) {
    named *all = state;
    uint64_t start = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        all->found[i] = shoal_lookup(all->world, (shoal_entity){0}, all->paths[i]).bits;
    }
    uint64_t end = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        BENCH_CHECK(all->found[i] == all->entities[all->order[i]].bits, "%s is another entity", all->paths[i]);
    }
    return bench_sample_of(end - start, all->n);
}

static bench_sample read_shoal_run(void *state) {
    named *all = state;
    uint64_t sum = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        sum += (unsigned char)shoal_name(all->world, all->entities[i])[1];
    }
    uint64_t end = bench_now();
    BENCH_CHECK(sum == expected_digits(all), "the names sum up to %llu", (unsigned long long)sum);
    return bench_sample_of(end - start, all->n);
}

/* ---- relations: n sources in random places, the i-th of them with target i % TARGETS ---- */

enum { TARGETS = 1000, ASKED = 100, ROW_PASSES = 16 };

#define NO_TARGET UINT32_MAX

typedef struct source_list {
    uint32_t *sources;
    uint32_t count;
    uint32_t capacity;
} source_list;

typedef struct linked_arrays {
    size_t n;
    size_t runs;
    uint32_t *order;
    uint32_t *targets;  /* source -> target, or NO_TARGET */
    uint32_t *places;   /* source -> where it is in the target's list */
    source_list *lists; /* by target */
    uint32_t *rows;     /* source -> row */
    Position *positions;
} linked_arrays;

/* Of the entity at a row when all are linked in row order. */
static uint32_t target_of(size_t row) {
    return (uint32_t)(row % TARGETS);
}

static void *link_plain_setup(size_t n) {
    linked_arrays *all = bench_allocate_zeroed(1, sizeof *all);
    all->n = n;
    all->order = bench_shuffled(n);
    all->targets = touched(n, sizeof *all->targets);
    memset(all->targets, 0xFF, n * sizeof *all->targets);
    all->places = touched(n, sizeof *all->places);
    all->lists = bench_allocate_zeroed(TARGETS, sizeof *all->lists);
    all->rows = touched(n, sizeof *all->rows);
    all->positions = touched(n, sizeof *all->positions);
    for (uint32_t i = 0; i < n; i++) {
        all->rows[i] = i;
    }
    return all;
}

static void linked_arrays_free(void *state) {
    linked_arrays *all = state;
    for (size_t target = 0; target < TARGETS; target++) {
        free(all->lists[target].sources);
    }
    free(all->lists);
    free(all->order);
    free(all->targets);
    free(all->places);
    free(all->rows);
    free(all->positions);
    free(all);
}

BENCH_NOINLINE static void plain_relate(linked_arrays *all, uint32_t source, uint32_t target) {
    if (all->targets[source] == target) {
        return;
    }
    source_list *list = &all->lists[target];
    if (list->count == list->capacity) {
        list->capacity = list->capacity != 0 ? 2 * list->capacity : 8;
        list->sources = realloc(list->sources, list->capacity * sizeof *list->sources);
        BENCH_CHECK(list->sources != NULL, "no memory for %u sources", list->capacity);
    }
    all->targets[source] = target;
    all->places[source] = list->count;
    list->sources[list->count++] = source;
}

BENCH_NOINLINE static void plain_unrelate(linked_arrays *all, uint32_t source, uint32_t target) {
    if (all->targets[source] != target) {
        return;
    }
    source_list *list = &all->lists[target];
    uint32_t place = all->places[source];
    uint32_t moved = list->sources[--list->count];
    list->sources[place] = moved;
    all->places[moved] = place;
    all->targets[source] = NO_TARGET;
}

static void check_plain_lists(const linked_arrays *all, size_t expected) {
    for (size_t target = 0; target < TARGETS; target++) {
        uint32_t count = all->lists[target].count;
        BENCH_CHECK(count == expected, "target %zu has %u sources", target, count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t source = all->lists[target].sources[i];
            BENCH_CHECK(all->targets[source] == target, "source %u has target %u", source, all->targets[source]);
        }
    }
}

static bench_sample link_plain_run(void *state) {
    linked_arrays *all = state;
    uint64_t start = bench_now();
    for (uint32_t i = 0; i < all->n; i++) {
        plain_relate(all, i, target_of(i));
    }
    uint64_t related = bench_now();
    check_plain_lists(all, all->n / TARGETS);
    uint64_t resumed = bench_now();
    for (uint32_t i = 0; i < all->n; i++) {
        plain_unrelate(all, i, target_of(i));
    }
    uint64_t end = bench_now();
    check_plain_lists(all, 0);
    return bench_sample_of(related - start + end - resumed, 2 * all->n);
}

typedef struct linked_world {
    size_t n;
    size_t runs;
    uint32_t *order;
    shoal_world *world;
    shoal_entity targets[TARGETS];
    shoal_entity *entities; /* by row */
    shoal_query *queries[ASKED];
} linked_world;

static void *link_shoal_setup(size_t n) {
    linked_world *all = bench_allocate_zeroed(1, sizeof *all);
    all->n = n;
    all->order = bench_shuffled(n);
    all->world = bench_world_create();
    shoal_status status =
        shoal_spawn_many(all->world, &(shoal_spawn_many_def){.count = TARGETS, .entities = all->targets});
    BENCH_REQUIRE(all->world, status == SHOAL_OK);
    all->entities = bench_allocate(n, sizeof *all->entities);
    for (size_t i = 0; i < n; i++) {
        all->entities[i] = shoal_spawn(all->world, SHOAL_VALUES(SHOAL_VALUE(Position, 0, 0, 0)));
        BENCH_REQUIRE(all->world, !shoal_entity_is_null(all->entities[i]));
    }
    return all;
}

static void linked_world_free(void *state) {
    linked_world *all = state;
    bench_world_destroy(all->world);
    free(all->order);
    free(all->entities);
    free(all);
}

static void check_source_counts(const linked_world *all, size_t expected) {
    for (size_t target = 0; target < TARGETS; target++) {
        size_t count = shoal_source_count(all->world, SHOAL_ID(Follows), all->targets[target]);
        BENCH_CHECK(count == expected, "target %zu has %zu sources", target, count);
    }
}

static bench_sample link_shoal_run(void *state) {
    linked_world *all = state;
    size_t failures = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        failures +=
            shoal_relate(all->world, all->entities[i], SHOAL_ID(Follows), all->targets[target_of(i)], NULL) != SHOAL_OK;
    }
    uint64_t related = bench_now();
    check_source_counts(all, all->n / TARGETS);
    uint64_t resumed = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        failures +=
            shoal_unrelate(all->world, all->entities[i], SHOAL_ID(Follows), all->targets[target_of(i)]) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(all->world, failures == 0);
    check_source_counts(all, 0);
    return bench_sample_of(related - start + end - resumed, 2 * all->n);
}

/* ---- relations: the target of each source ---- */

static void *target_plain_setup(size_t n) {
    linked_arrays *all = link_plain_setup(n);
    for (uint32_t i = 0; i < n; i++) {
        plain_relate(all, i, target_of(i));
    }
    return all;
}

static uint64_t expected_targets(size_t n, uint64_t first) {
    return (uint64_t)n / TARGETS * (TARGETS * (TARGETS - 1) / 2) + (uint64_t)n * first;
}

BENCH_NOINLINE static uint32_t plain_target(const linked_arrays *all, uint32_t source) {
    return all->targets[source];
}

static bench_sample target_plain_run(void *state) {
    linked_arrays *all = state;
    uint64_t sum = 0;
    uint64_t start = bench_now();
    for (uint32_t i = 0; i < all->n; i++) {
        sum += plain_target(all, i);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(sum == expected_targets(all->n, 0), "targets are wrong");
    return bench_sample_of(end - start, all->n);
}

static void *target_shoal_setup(size_t n) {
    linked_world *all = link_shoal_setup(n);
    for (size_t i = 0; i < n; i++) {
        shoal_status status =
            shoal_relate(all->world, all->entities[i], SHOAL_ID(Follows), all->targets[target_of(i)], NULL);
        BENCH_REQUIRE(all->world, status == SHOAL_OK);
    }
    return all;
}

static bench_sample target_shoal_run(void *state) {
    linked_world *all = state;
    uint64_t sum = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        sum += shoal_entity_index(shoal_target(all->world, all->entities[i], SHOAL_ID(Follows)));
    }
    uint64_t end = bench_now();
    BENCH_CHECK(sum == expected_targets(all->n, shoal_entity_index(all->targets[0])), "targets are wrong");
    return bench_sample_of(end - start, all->n);
}

/* ---- relations: a pass over rows of which every second has a target ---- */

static void check_halves(const Position *position, size_t row, size_t runs) {
    float expected = row % 2 == 0 ? (float)(runs * ROW_PASSES) : 0;
    BENCH_CHECK(position->x == expected, "row %zu is at %g", row, (double)position->x);
}

static void *rows_plain_setup(size_t n) {
    linked_arrays *all = link_plain_setup(n);
    for (uint32_t i = 0; i < n; i += 2) {
        plain_relate(all, i, target_of(i));
    }
    return all;
}

BENCH_NOINLINE static void rows_plain_pass(linked_arrays *all) {
    for (size_t row = 0; row < all->n; row++) {
        if (all->targets[row] != NO_TARGET) {
            all->positions[row].x += 1;
        }
    }
}

static bench_sample rows_plain_run(void *state) {
    linked_arrays *all = state;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < ROW_PASSES; pass++) {
        rows_plain_pass(all);
    }
    uint64_t end = bench_now();
    all->runs++;
    return bench_sample_of(end - start, ROW_PASSES * all->n);
}

static void rows_plain_finish(void *state) {
    linked_arrays *all = state;
    for (size_t row = 0; row < all->n; row++) {
        check_halves(&all->positions[row], row, all->runs);
    }
    linked_arrays_free(all);
}

static void *rows_shoal_setup(size_t n) {
    linked_world *all = link_shoal_setup(n);
    for (size_t i = 0; i < n; i += 2) {
        shoal_status status =
            shoal_relate(all->world, all->entities[i], SHOAL_ID(Follows), all->targets[target_of(i)], NULL);
        BENCH_REQUIRE(all->world, status == SHOAL_OK);
    }
    all->queries[0] = bench_query_of(
        all->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_WITH(Follows))});
    return all;
}

BENCH_NOINLINE static void rows_shoal_pass(shoal_query *query) {
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next_chunk(&view)) {
        Position *positions = SHOAL_COLUMN_MUT(&view, Position);
        SHOAL_ROWS(&view, row) {
            positions[row].x += 1;
        }
    }
}

static bench_sample rows_shoal_run(void *state) {
    linked_world *all = state;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < ROW_PASSES; pass++) {
        rows_shoal_pass(all->queries[0]);
    }
    uint64_t end = bench_now();
    all->runs++;
    return bench_sample_of(end - start, ROW_PASSES * all->n);
}

static void rows_shoal_finish(void *state) {
    linked_world *all = state;
    for (size_t i = 0; i < all->n; i++) {
        const Position *position = SHOAL_GET(all->world, all->entities[i], Position);
        BENCH_REQUIRE(all->world, position != NULL);
        check_halves(position, i, all->runs);
    }
    linked_world_free(all);
}

/* ---- relations: the sources of a hundred targets, one target after the other ---- */

static void check_asked(const Position *position, size_t place, size_t runs) {
    float expected = target_of(place) < ASKED ? (float)runs : 0;
    BENCH_CHECK(position->x == expected, "source %zu is at %g", place, (double)position->x);
}

static void *sources_plain_setup(size_t n) {
    linked_arrays *all = link_plain_setup(n);
    for (uint32_t i = 0; i < n; i++) {
        plain_relate(all, all->order[i], target_of(i));
    }
    return all;
}

BENCH_NOINLINE static void sources_plain_pass(linked_arrays *all, uint32_t target) {
    const source_list *list = &all->lists[target];
    for (uint32_t i = 0; i < list->count; i++) {
        all->positions[all->rows[list->sources[i]]].x += 1;
    }
}

static bench_sample sources_plain_run(void *state) {
    linked_arrays *all = state;
    uint64_t start = bench_now();
    for (uint32_t target = 0; target < ASKED; target++) {
        sources_plain_pass(all, target);
    }
    uint64_t end = bench_now();
    all->runs++;
    return bench_sample_of(end - start, all->n / TARGETS * ASKED);
}

static void sources_plain_finish(void *state) {
    linked_arrays *all = state;
    for (size_t i = 0; i < all->n; i++) {
        check_asked(&all->positions[all->order[i]], i, all->runs);
    }
    linked_arrays_free(all);
}

static void *sources_shoal_setup(size_t n) {
    linked_world *all = link_shoal_setup(n);
    for (size_t i = 0; i < n; i++) {
        shoal_entity source = all->entities[all->order[i]];
        shoal_status status = shoal_relate(all->world, source, SHOAL_ID(Follows), all->targets[target_of(i)], NULL);
        BENCH_REQUIRE(all->world, status == SHOAL_OK);
    }
    for (size_t target = 0; target < ASKED; target++) {
        shoal_term terms[] = {SHOAL_WRITE(Position), SHOAL_RELATED(Follows, all->targets[target])};
        all->queries[target] = bench_query_of(all->world, &(shoal_query_def){.terms = terms, .term_count = 2});
    }
    return all;
}

BENCH_NOINLINE static void sources_shoal_pass(shoal_query *query) {
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next(&view)) {
        Position *positions = SHOAL_COLUMN_MUT(&view, Position);
        for (size_t row = 0; row < view.count; row++) {
            positions[row].x += 1;
        }
    }
}

static bench_sample sources_shoal_run(void *state) {
    linked_world *all = state;
    uint64_t start = bench_now();
    for (size_t target = 0; target < ASKED; target++) {
        sources_shoal_pass(all->queries[target]);
    }
    uint64_t end = bench_now();
    all->runs++;
    return bench_sample_of(end - start, all->n / TARGETS * ASKED);
}

static void sources_shoal_finish(void *state) {
    linked_world *all = state;
    for (size_t i = 0; i < all->n; i++) {
        const Position *position = SHOAL_GET(all->world, all->entities[all->order[i]], Position);
        BENCH_REQUIRE(all->world, position != NULL);
        check_asked(position, i, all->runs);
    }
    linked_world_free(all);
}

/* ---- the table ---- */

static const bench_case cases[] = {
    {.name = "name_set",
     .n = 100000,
     .plain = {.setup = name_plain_setup, .run = name_plain_run, .finish = named_finish},
     .shoal = {.setup = name_shoal_setup, .run = name_shoal_run, .finish = named_finish},
     .standing = true},
    {.name = "name_lookup",
     .n = 100000,
     .plain = {.setup = lookup_plain_setup, .run = lookup_plain_run, .finish = named_finish},
     .shoal = {.setup = lookup_shoal_setup, .run = lookup_shoal_run, .finish = named_finish},
     .standing = true},
    {.name = "name_get",
     .n = 100000,
     .plain = {.setup = lookup_plain_setup, .run = read_plain_run, .finish = named_finish},
     .shoal = {.setup = lookup_shoal_setup, .run = read_shoal_run, .finish = named_finish},
     .standing = true},
    {.name = "relate",
     .n = 100000,
     .plain = {.setup = link_plain_setup, .run = link_plain_run, .finish = linked_arrays_free},
     .shoal = {.setup = link_shoal_setup, .run = link_shoal_run, .finish = linked_world_free},
     .standing = true},
    {.name = "relation_target",
     .n = 100000,
     .plain = {.setup = target_plain_setup, .run = target_plain_run, .finish = linked_arrays_free},
     .shoal = {.setup = target_shoal_setup, .run = target_shoal_run, .finish = linked_world_free},
     .standing = true},
    {.name = "query_relation",
     .n = 100000,
     .plain = {.setup = rows_plain_setup, .run = rows_plain_run, .finish = rows_plain_finish},
     .shoal = {.setup = rows_shoal_setup, .run = rows_shoal_run, .finish = rows_shoal_finish},
     .standing = true},
    {.name = "query_target",
     .n = 100000,
     .plain = {.setup = sources_plain_setup, .run = sources_plain_run, .finish = sources_plain_finish},
     .shoal = {.setup = sources_shoal_setup, .run = sources_shoal_run, .finish = sources_shoal_finish},
     .standing = true},
};

const bench_theme bench_costs_links = BENCH_THEME(cases);
