/*
 * Trees by ChildOf: making children, going through them, carrying a position down from parents to children, copying
 * whole trees.
 *
 * Plain keeps the parent of each row in an array, and where children are gone through, an array of children for each
 * parent. Transforms by hand are one loop over rows that lie level by level, parents first; that order is what Shoal
 * has to find and keep. rel_transform_churn destroys and spawns leaves before each pass, which is not measured; the
 * pass after it is.
 */
#include "case.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "components.h"
#include "support.h"

typedef Position WorldPosition;

SHOAL_COMPONENT(WorldPosition)

#define NO_PARENT UINT32_MAX

static Position sum_of(Position a, Position b) {
    return (Position){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* ---- children: n of them, child i of parent i % PARENTS ---- */

enum { PARENTS = 1000, CHILDREN_PASSES = 50 };

/* Each child counted once: numbers of children sum up to this. */
static uint64_t expected_children(size_t n, uint64_t first_child) {
    return (uint64_t)n * (n - 1) / 2 + first_child * n;
}

typedef struct child_list {
    uint32_t *children;
    uint32_t count;
    uint32_t capacity;
} child_list;

typedef struct child_arrays {
    size_t n;
    uint32_t *parents;
    child_list *lists; /* by parent */
} child_arrays;

BENCH_NOINLINE static void child_add(child_arrays *arrays, uint32_t child, uint32_t parent) {
    child_list *list = &arrays->lists[parent];
    if (list->count == list->capacity) {
        list->capacity = list->capacity != 0 ? 2 * list->capacity : 8;
        list->children = realloc(list->children, list->capacity * sizeof *list->children);
        BENCH_CHECK(list->children != NULL, "no memory for %u children", list->capacity);
    }
    arrays->parents[child] = parent;
    list->children[list->count++] = child;
}

static void child_arrays_fill(child_arrays *arrays, size_t n) {
    arrays->n = n;
    arrays->parents = bench_allocate(n, sizeof *arrays->parents);
    arrays->lists = bench_allocate_zeroed(PARENTS, sizeof *arrays->lists);
    for (uint32_t i = 0; i < n; i++) {
        child_add(arrays, i, i % PARENTS);
    }
}

static void child_arrays_free(child_arrays *arrays) {
    for (size_t parent = 0; parent < PARENTS; parent++) {
        free(arrays->lists[parent].children);
    }
    free(arrays->lists);
    free(arrays->parents);
}

BENCH_NOINLINE static uint64_t child_arrays_sum(const child_arrays *arrays) {
    uint64_t sum = 0;
    for (size_t parent = 0; parent < PARENTS; parent++) {
        const child_list *list = &arrays->lists[parent];
        for (uint32_t i = 0; i < list->count; i++) {
            sum += list->children[i];
        }
    }
    return sum;
}

typedef struct child_world {
    size_t n;
    shoal_world *world;
    shoal_entity parents[PARENTS];
} child_world;

static void child_world_create(child_world *children, size_t n) {
    children->n = n;
    children->world = bench_world_create();
    shoal_status status =
        shoal_spawn_many(children->world, &(shoal_spawn_many_def){.count = PARENTS, .entities = children->parents});
    BENCH_REQUIRE(children->world, status == SHOAL_OK);
}

static void child_world_fill(child_world *children) {
    size_t failures = 0;
    for (size_t i = 0; i < children->n; i++) {
        shoal_entity parent = children->parents[i % PARENTS];
        failures += shoal_entity_is_null(shoal_spawn(children->world, SHOAL_VALUES(SHOAL_TO(ChildOf, parent))));
    }
    BENCH_REQUIRE(children->world, failures == 0);
}

BENCH_NOINLINE static uint64_t child_world_sum(const child_world *children) {
    uint64_t sum = 0;
    for (size_t parent = 0; parent < PARENTS; parent++) {
        shoal_source_walk walk = shoal_children(children->world, children->parents[parent]);
        while (shoal_sources_next(&walk)) {
            for (size_t i = 0; i < walk.count; i++) {
                sum += shoal_entity_index(walk.entities[i]);
            }
        }
    }
    return sum;
}

/* Slots are given out in order, so the children have those behind the parents'. */
static void check_children(const child_world *children) {
    BENCH_CHECK(child_world_sum(children) == expected_children(children->n, PARENTS), "children are wrong");
    for (size_t parent = 0; parent < PARENTS; parent++) {
        size_t count = shoal_source_count(children->world, SHOAL_ID(ChildOf), children->parents[parent]);
        BENCH_CHECK(count == children->n / PARENTS, "parent %zu has %zu children", parent, count);
    }
}

static void *create_plain_setup(size_t n) {
    child_arrays *arrays = bench_allocate_zeroed(1, sizeof *arrays);
    arrays->n = n;
    return arrays;
}

static bench_sample create_plain_run(void *state) {
    size_t n = ((child_arrays *)state)->n;
    child_arrays arrays = {0};
    uint64_t start = bench_now();
    child_arrays_fill(&arrays, n);
    uint64_t end = bench_now();
    BENCH_CHECK(child_arrays_sum(&arrays) == expected_children(n, 0), "children are wrong");
    child_arrays_free(&arrays);
    return bench_sample_of(end - start, n);
}

static void *create_shoal_setup(size_t n) {
    child_world *children = bench_allocate_zeroed(1, sizeof *children);
    children->n = n;
    return children;
}

static bench_sample create_shoal_run(void *state) {
    child_world *children = state;
    child_world_create(children, children->n);
    uint64_t start = bench_now();
    child_world_fill(children);
    uint64_t end = bench_now();
    check_children(children);
    bench_world_destroy(children->world);
    return bench_sample_of(end - start, children->n);
}

static void create_finish(void *state) {
    free(state);
}

static void *iter_plain_setup(size_t n) {
    child_arrays *arrays = create_plain_setup(n);
    child_arrays_fill(arrays, n);
    return arrays;
}

/* The fence keeps the compiler from taking one pass for all: nothing is written between two of them. */
static bench_sample iter_plain_run(void *state) {
    child_arrays *arrays = state;
    uint64_t sum = 0;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < CHILDREN_PASSES; pass++) {
        sum += child_arrays_sum(arrays);
        atomic_signal_fence(memory_order_seq_cst);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(sum == CHILDREN_PASSES * expected_children(arrays->n, 0), "children are wrong");
    return bench_sample_of(end - start, CHILDREN_PASSES * arrays->n);
}

static void iter_plain_finish(void *state) {
    child_arrays_free(state);
    free(state);
}

static void *iter_shoal_setup(size_t n) {
    child_world *children = create_shoal_setup(n);
    child_world_create(children, n);
    child_world_fill(children);
    check_children(children);
    return children;
}

static bench_sample iter_shoal_run(void *state) {
    child_world *children = state;
    uint64_t sum = 0;
    uint64_t start = bench_now();
    for (size_t pass = 0; pass < CHILDREN_PASSES; pass++) {
        sum += child_world_sum(children);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(sum == CHILDREN_PASSES * expected_children(children->n, PARENTS), "children are wrong");
    return bench_sample_of(end - start, CHILDREN_PASSES * children->n);
}

static void iter_shoal_finish(void *state) {
    child_world *children = state;
    bench_world_destroy(children->world);
    free(children);
}

/* ---- transforms: four levels, the i-th of a level below the i % (their number)-th of the level above ---- */

enum { LEVELS = 4, TRANSFORM_PASSES = 10, CHURN = 100 };

static const uint32_t level_counts[LEVELS] = {100, 1000, 10000, 88900};

/* The first row of a level; of the level behind the last one: all rows. */
static uint32_t level_first(size_t level) {
    uint32_t first = 0;
    for (size_t i = 0; i < level; i++) {
        first += level_counts[i];
    }
    return first;
}

static uint32_t parent_of(size_t level, uint32_t i) {
    return level == 0 ? NO_PARENT : level_first(level - 1) + i % level_counts[level - 1];
}

/* Every entity is at `local` from its parent, a root at itself: level L ends at (L + 1) times it. A run has its own, so
   that what an earlier run has left cannot pass for its result. */
static Position local_of(size_t run) {
    return (Position){(float)(run % 64 + 1), 2, 3};
}

static void check_world_position(Position world, size_t level, Position local) {
    float steps = (float)(level + 1);
    BENCH_CHECK(world.x == steps * local.x && world.y == steps * local.y && world.z == steps * local.z,
                "an entity of level %zu is at (%g, %g, %g)", level, (double)world.x, (double)world.y, (double)world.z);
}

typedef struct transform_arrays {
    size_t runs;
    bool churns;
    uint32_t *churned; /* leaves in random order */
    size_t next_churned;
    uint32_t row_count;
    uint32_t *parents;
    Position *locals;
    Position *worlds;
} transform_arrays;

static void *transform_plain_setup(size_t n) {
    transform_arrays *arrays = bench_allocate_zeroed(1, sizeof *arrays);
    BENCH_CHECK(n == level_first(LEVELS), "n is %zu", n);
    arrays->row_count = (uint32_t)n;
    arrays->parents = bench_allocate(n, sizeof *arrays->parents);
    arrays->locals = bench_allocate_zeroed(n, sizeof *arrays->locals);
    arrays->worlds = bench_allocate_zeroed(n, sizeof *arrays->worlds);
    for (size_t level = 0; level < LEVELS; level++) {
        for (uint32_t i = 0; i < level_counts[level]; i++) {
            arrays->parents[level_first(level) + i] = parent_of(level, i);
        }
    }
    return arrays;
}

static void *churn_plain_setup(size_t n) {
    transform_arrays *arrays = transform_plain_setup(n);
    arrays->churns = true;
    arrays->churned = bench_shuffled(level_counts[LEVELS - 1]);
    return arrays;
}

/* Each leaf that goes is replaced by the last row, and a new one comes to the same parent. */
static void churn_plain(transform_arrays *arrays, Position local) {
    for (size_t i = 0; i < CHURN; i++) {
        uint32_t row = level_first(LEVELS - 1) + arrays->churned[arrays->next_churned++ % level_counts[LEVELS - 1]];
        uint32_t parent = arrays->parents[row];
        uint32_t last = arrays->row_count - 1;
        arrays->parents[row] = arrays->parents[last];
        arrays->locals[row] = arrays->locals[last];
        arrays->worlds[row] = arrays->worlds[last];
        arrays->parents[last] = parent;
        arrays->locals[last] = local;
        arrays->worlds[last] = (Position){0, 0, 0};
    }
}

BENCH_NOINLINE static void transform_plain_pass(transform_arrays *arrays) {
    uint32_t row = 0;
    for (; row < level_counts[0]; row++) {
        arrays->worlds[row] = arrays->locals[row];
    }
    for (; row < arrays->row_count; row++) {
        arrays->worlds[row] = sum_of(arrays->worlds[arrays->parents[row]], arrays->locals[row]);
    }
}

static bench_sample transform_plain_run(void *state) {
    transform_arrays *arrays = state;
    Position local = local_of(arrays->runs++);
    for (uint32_t row = 0; row < arrays->row_count; row++) {
        arrays->locals[row] = local;
    }
    uint64_t nanoseconds = 0;
    for (size_t pass = 0; pass < TRANSFORM_PASSES; pass++) {
        if (arrays->churns) {
            churn_plain(arrays, local);
        }
        uint64_t start = bench_now();
        transform_plain_pass(arrays);
        nanoseconds += bench_now() - start;
    }
    for (size_t level = 0; level < LEVELS; level++) {
        for (uint32_t row = level_first(level); row < level_first(level + 1); row++) {
            check_world_position(arrays->worlds[row], level, local);
        }
    }
    return bench_sample_of(nanoseconds, TRANSFORM_PASSES * (size_t)arrays->row_count);
}

static void transform_plain_finish(void *state) {
    transform_arrays *arrays = state;
    free(arrays->churned);
    free(arrays->parents);
    free(arrays->locals);
    free(arrays->worlds);
    free(arrays);
}

typedef struct transform_world {
    size_t n;
    size_t runs;
    bool churns;
    uint32_t *churned; /* leaves in random order */
    size_t next_churned;
    shoal_world *world;
    shoal_entity *entities; /* level by level */
    shoal_query *query;     /* parents first */
} transform_world;

static shoal_entity transform_spawn(shoal_world *world, shoal_entity parent, Position local) {
    shoal_value values[] = {{SHOAL_ID(Position), &local}, SHOAL_DEFAULT(WorldPosition), SHOAL_TO(ChildOf, parent)};
    shoal_entity entity = shoal_spawn(world, values, shoal_entity_is_null(parent) ? 2 : 3);
    BENCH_REQUIRE(world, !shoal_entity_is_null(entity));
    return entity;
}

static void *transform_shoal_setup(size_t n) {
    transform_world *transform = bench_allocate_zeroed(1, sizeof *transform);
    BENCH_CHECK(n == level_first(LEVELS), "n is %zu", n);
    transform->n = n;
    transform->world = bench_world_create();
    transform->entities = bench_allocate(n, sizeof *transform->entities);
    for (size_t level = 0; level < LEVELS; level++) {
        for (uint32_t i = 0; i < level_counts[level]; i++) {
            shoal_entity parent = level == 0 ? (shoal_entity){0} : transform->entities[parent_of(level, i)];
            transform->entities[level_first(level) + i] =
                transform_spawn(transform->world, parent, (Position){0, 0, 0});
        }
    }
    transform->query = shoal_query_create(
        transform->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Position), SHOAL_WRITE(WorldPosition),
                                                                  SHOAL_UP(WorldPosition)),
                                             .group_by = SHOAL_ID(ChildOf)});
    BENCH_REQUIRE(transform->world, transform->query != NULL);
    return transform;
}

static void *churn_shoal_setup(size_t n) {
    transform_world *transform = transform_shoal_setup(n);
    transform->churns = true;
    transform->churned = bench_shuffled(level_counts[LEVELS - 1]);
    return transform;
}

/* All go first, then as many come, each to the parent of one that went. */
static void churn_shoal(transform_world *transform, Position local) {
    shoal_entity *leaves[CHURN];
    shoal_entity parents[CHURN];
    for (size_t i = 0; i < CHURN; i++) {
        uint32_t leaf = transform->churned[transform->next_churned++ % level_counts[LEVELS - 1]];
        leaves[i] = &transform->entities[level_first(LEVELS - 1) + leaf];
        parents[i] = shoal_parent(transform->world, *leaves[i]);
        BENCH_REQUIRE(transform->world, shoal_destroy(transform->world, *leaves[i]) == SHOAL_OK);
    }
    for (size_t i = 0; i < CHURN; i++) {
        *leaves[i] = transform_spawn(transform->world, parents[i], local);
    }
}

BENCH_NOINLINE static void transform_shoal_pass(shoal_query *query) {
    shoal_view view;
    shoal_view_begin(&view, query);
    while (shoal_view_next(&view)) {
        const Position *locals = SHOAL_COLUMN(&view, Position);
        WorldPosition *worlds = SHOAL_COLUMN_MUT(&view, WorldPosition);
        const WorldPosition *const *parents = SHOAL_COLUMN_UP(&view, WorldPosition);
        for (size_t i = 0; i < view.count; i++) {
            worlds[i] = parents[i] != NULL ? sum_of(*parents[i], locals[i]) : locals[i];
        }
    }
}

static void set_locals(transform_world *transform, Position local) {
    for (size_t i = 0; i < transform->n; i++) {
        Position *position = SHOAL_GET_MUT(transform->world, transform->entities[i], Position);
        BENCH_REQUIRE(transform->world, position != NULL);
        *position = local;
    }
}

static void check_transforms(const transform_world *transform, Position local) {
    for (size_t level = 0; level < LEVELS; level++) {
        for (uint32_t i = level_first(level); i < level_first(level + 1); i++) {
            const WorldPosition *world = SHOAL_GET(transform->world, transform->entities[i], WorldPosition);
            BENCH_REQUIRE(transform->world, world != NULL);
            check_world_position(*world, level, local);
        }
    }
}

static bench_sample transform_shoal_run(void *state) {
    transform_world *transform = state;
    Position local = local_of(transform->runs++);
    set_locals(transform, local);
    uint64_t nanoseconds = 0;
    for (size_t pass = 0; pass < TRANSFORM_PASSES; pass++) {
        if (transform->churns) {
            churn_shoal(transform, local);
        }
        uint64_t start = bench_now();
        transform_shoal_pass(transform->query);
        nanoseconds += bench_now() - start;
    }
    check_transforms(transform, local);
    return bench_sample_of(nanoseconds, TRANSFORM_PASSES * transform->n);
}

static void transform_shoal_finish(void *state) {
    transform_world *transform = state;
    bench_world_destroy(transform->world);
    free(transform->churned);
    free(transform->entities);
    free(transform);
}

/* ---- copies of a tree of ten: a root, three branches, two leaves on each ---- */

enum { PATTERN = 10, BRANCHES = 3, LEAVES = 2 };

/* The number of an entity's parent in the pattern, which is numbered level by level. */
static uint32_t pattern_parent(uint32_t number) {
    return number == 0 ? NO_PARENT : number <= BRANCHES ? 0 : 1 + (number - 1 - BRANCHES) / LEAVES;
}

static Position pattern_local(uint32_t number) {
    return (Position){(float)(number + 1), 2, 3};
}

/* Sum of pattern_local().x of a whole tree. */
static double pattern_sum(void) {
    return (double)PATTERN * (PATTERN + 1) / 2;
}

/* Children are chained: first_children[row] is the first one, siblings[row] the next one of the same parent. */
typedef struct copy_arrays {
    size_t copies;
    uint32_t row_count;
    uint32_t row_capacity;
    uint32_t *parents;
    uint32_t *first_children;
    uint32_t *siblings;
    Position *locals;
    Position *worlds;
} copy_arrays;

static void *grown(void *memory, size_t count, size_t size) {
    void *larger = realloc(memory, count * size);
    BENCH_CHECK(larger != NULL, "no memory for %zu values of %zu bytes", count, size);
    return larger;
}

static void copy_reserve(copy_arrays *arrays, uint32_t row_count) {
    if (row_count <= arrays->row_capacity) {
        return;
    }
    uint32_t capacity = row_count > 2 * arrays->row_capacity ? row_count : 2 * arrays->row_capacity;
    arrays->parents = grown(arrays->parents, capacity, sizeof *arrays->parents);
    arrays->first_children = grown(arrays->first_children, capacity, sizeof *arrays->first_children);
    arrays->siblings = grown(arrays->siblings, capacity, sizeof *arrays->siblings);
    arrays->locals = grown(arrays->locals, capacity, sizeof *arrays->locals);
    arrays->worlds = grown(arrays->worlds, capacity, sizeof *arrays->worlds);
    arrays->row_capacity = capacity;
}

/* The pattern is the first tree of the arrays. */
static void pattern_build(copy_arrays *arrays) {
    copy_reserve(arrays, PATTERN);
    for (uint32_t row = 0; row < PATTERN; row++) {
        arrays->parents[row] = pattern_parent(row);
        arrays->first_children[row] = row == 0 ? 1 : row <= BRANCHES ? 1 + BRANCHES + (row - 1) * LEAVES : NO_PARENT;
        bool has_next = row != 0 && row + 1 < PATTERN && pattern_parent(row + 1) == pattern_parent(row);
        arrays->siblings[row] = has_next ? row + 1 : NO_PARENT;
        arrays->locals[row] = pattern_local(row);
        arrays->worlds[row] = (Position){0, 0, 0};
    }
    arrays->row_count = PATTERN;
}

static uint32_t shifted(uint32_t number, uint32_t first) {
    return number != NO_PARENT ? number + first : NO_PARENT;
}

/* There is room. */
static void copy_pattern(copy_arrays *arrays) {
    uint32_t first = arrays->row_count;
    for (uint32_t number = 0; number < PATTERN; number++) {
        arrays->parents[first + number] = shifted(arrays->parents[number], first);
        arrays->first_children[first + number] = shifted(arrays->first_children[number], first);
        arrays->siblings[first + number] = shifted(arrays->siblings[number], first);
    }
    memcpy(arrays->locals + first, arrays->locals, PATTERN * sizeof *arrays->locals);
    memcpy(arrays->worlds + first, arrays->worlds, PATTERN * sizeof *arrays->worlds);
    arrays->row_count += PATTERN;
}

BENCH_NOINLINE static void copy_pattern_many(copy_arrays *arrays, size_t copies) {
    copy_reserve(arrays, arrays->row_count + (uint32_t)copies * PATTERN);
    for (size_t copy = 0; copy < copies; copy++) {
        copy_pattern(arrays);
    }
}

static void check_copied_arrays(const copy_arrays *arrays, size_t copies) {
    BENCH_CHECK(arrays->row_count == (copies + 1) * PATTERN, "%u rows", arrays->row_count);
    for (uint32_t row = 0; row < arrays->row_count; row++) {
        uint32_t number = row % PATTERN;
        bool is_right = arrays->parents[row] == shifted(pattern_parent(number), row - number) &&
                        arrays->locals[row].x == pattern_local(number).x && arrays->worlds[row].x == 0;
        BENCH_CHECK(is_right, "row %u is wrong", row);
    }
}

static void copy_arrays_free(copy_arrays *arrays) {
    free(arrays->parents);
    free(arrays->first_children);
    free(arrays->siblings);
    free(arrays->locals);
    free(arrays->worlds);
}

static void *copy_plain_setup(size_t n) {
    copy_arrays *arrays = bench_allocate_zeroed(1, sizeof *arrays);
    arrays->copies = n / PATTERN;
    return arrays;
}

static bench_sample copy_plain(size_t copies, bool at_once) {
    copy_arrays arrays = {0};
    pattern_build(&arrays);
    uint64_t start = bench_now();
    if (at_once) {
        copy_pattern_many(&arrays, copies);
    } else {
        for (size_t copy = 0; copy < copies; copy++) {
            copy_pattern_many(&arrays, 1);
        }
    }
    uint64_t end = bench_now();
    check_copied_arrays(&arrays, copies);
    copy_arrays_free(&arrays);
    return bench_sample_of(end - start, copies * PATTERN);
}

static bench_sample instantiate_plain_run(void *state) {
    return copy_plain(((copy_arrays *)state)->copies, true);
}

static bench_sample clone_plain_run(void *state) {
    return copy_plain(((copy_arrays *)state)->copies, false);
}

typedef struct copy_world {
    size_t copies;
    shoal_entity *roots;
} copy_world;

static void *copy_shoal_setup(size_t n) {
    copy_world *copied = bench_allocate_zeroed(1, sizeof *copied);
    copied->copies = n / PATTERN;
    copied->roots = bench_allocate(copied->copies, sizeof *copied->roots);
    return copied;
}

static void copy_shoal_finish(void *state) {
    copy_world *copied = state;
    free(copied->roots);
    free(copied);
}

static shoal_entity pattern_spawn(shoal_world *world) {
    shoal_entity entities[PATTERN];
    for (uint32_t number = 0; number < PATTERN; number++) {
        shoal_entity parent = number == 0 ? (shoal_entity){0} : entities[pattern_parent(number)];
        entities[number] = transform_spawn(world, parent, pattern_local(number));
    }
    return entities[0];
}

/* The tree below a copied root has the pattern's shape and values; children keep their order. */
static void check_copied_tree(const shoal_world *world, shoal_entity root) {
    BENCH_CHECK(shoal_source_count(world, SHOAL_ID(ChildOf), root) == BRANCHES, "a root has not %d children", BRANCHES);
    double sum = 0;
    size_t count = 0;
    shoal_entity entity = root;
    do {
        const Position *local = SHOAL_GET(world, entity, Position);
        BENCH_REQUIRE(world, local != NULL && SHOAL_GET(world, entity, WorldPosition) != NULL);
        sum += (double)local->x;
        count++;
    } while (shoal_tree_next(world, SHOAL_ID(ChildOf), root, &entity));
    BENCH_CHECK(count == PATTERN && sum == pattern_sum(), "a tree of %zu entities sums up to %g", count, sum);
}

static void check_copied_world(shoal_world *world, const copy_world *copied) {
    size_t count = (size_t)shoal_world_entity_count(world);
    BENCH_CHECK(count == (copied->copies + 1) * PATTERN, "%zu entities", count);
    for (size_t copy = 0; copy < copied->copies; copy++) {
        check_copied_tree(world, copied->roots[copy]);
    }
}

static bench_sample instantiate_shoal_run(void *state) {
    copy_world *copied = state;
    shoal_world *world = bench_world_create();
    shoal_entity pattern = pattern_spawn(world);
    BENCH_REQUIRE(world, shoal_make_prefab(world, pattern) == SHOAL_OK);
    uint64_t start = bench_now();
    shoal_status status =
        shoal_instantiate(world, pattern, &(shoal_instantiate_def){.count = copied->copies, .entities = copied->roots});
    uint64_t end = bench_now();
    BENCH_REQUIRE(world, status == SHOAL_OK);
    check_copied_world(world, copied);
    bench_world_destroy(world);
    return bench_sample_of(end - start, copied->copies * PATTERN);
}

static bench_sample clone_shoal_run(void *state) {
    copy_world *copied = state;
    size_t failures = 0;
    shoal_world *world = bench_world_create();
    shoal_entity pattern = pattern_spawn(world);
    uint64_t start = bench_now();
    for (size_t copy = 0; copy < copied->copies; copy++) {
        copied->roots[copy] = shoal_clone_tree(world, pattern);
        failures += shoal_entity_is_null(copied->roots[copy]);
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(world, failures == 0);
    check_copied_world(world, copied);
    bench_world_destroy(world);
    return bench_sample_of(end - start, copied->copies * PATTERN);
}

/* ---- the table ---- */

static const bench_case cases[] = {
    {.name = "rel_create_children",
     .n = 100000,
     .plain = {.setup = create_plain_setup, .run = create_plain_run, .finish = create_finish},
     .shoal = {.setup = create_shoal_setup, .run = create_shoal_run, .finish = create_finish},
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 30},
    {.name = "rel_iter_children",
     .n = 100000,
     .plain = {.setup = iter_plain_setup, .run = iter_plain_run, .finish = iter_plain_finish},
     .shoal = {.setup = iter_shoal_setup, .run = iter_shoal_run, .finish = iter_shoal_finish},
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 0.5},
    {.name = "rel_transform",
     .n = 100000,
     .plain = {.setup = transform_plain_setup, .run = transform_plain_run, .finish = transform_plain_finish},
     .shoal = {.setup = transform_shoal_setup, .run = transform_shoal_run, .finish = transform_shoal_finish},
     .standing = true,
     .budget_kind = BENCH_AT_MOST_FIGURE,
     .budget = 1.6},
    {.name = "rel_transform_churn",
     .n = 100000,
     .plain = {.setup = churn_plain_setup, .run = transform_plain_run, .finish = transform_plain_finish},
     .shoal = {.setup = churn_shoal_setup, .run = transform_shoal_run, .finish = transform_shoal_finish},
     .standing = true},
    {.name = "instantiate_tree",
     .n = 100000,
     .plain = {.setup = copy_plain_setup, .run = instantiate_plain_run, .finish = create_finish},
     .shoal = {.setup = copy_shoal_setup, .run = instantiate_shoal_run, .finish = copy_shoal_finish}},
    {.name = "clone_tree",
     .n = 100000,
     .plain = {.setup = copy_plain_setup, .run = clone_plain_run, .finish = create_finish},
     .shoal = {.setup = copy_shoal_setup, .run = clone_shoal_run, .finish = copy_shoal_finish}},
};

const bench_theme bench_tree = BENCH_THEME(cases);
