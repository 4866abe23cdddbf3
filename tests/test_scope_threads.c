/*
 * Worlds that are shared between threads, with the threads: all of them read and iterate one world, write rows of their
 * own, fill buffers, record commands and fail, at the same time. What each sees must not depend on the others. What is
 * wrong with that shows under ThreadSanitizer, and in the counts.
 *
 * The allocator of the fixture knows nothing of threads, so it also shows that it is called from one at a time.
 */
#include "test_scope_types.h"

#include "storage/world.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4
#define ROUNDS ((size_t)20)
#define PUSHES ((size_t)3)

typedef struct worker {
    rig *r;
    int32_t number;
    shoal_commands *commands;
    atomic_int *waiting; /* threads that have not begun */
    pthread_t thread;
    uint64_t faults;
} worker;

/* In a thread, where a check cannot end the test. */
static void expect(worker *w, bool holds) {
    w->faults += !holds;
}

static bool is_own(const worker *w, int32_t x) {
    return x % THREADS == w->number;
}

/* ---- views ---- */

static void write_own_rows(worker *w) {
    shoal_view view;
    expect(w, shoal_view_begin(&view, w->r->plain) == SHOAL_OK);
    while (shoal_view_next(&view)) {
        Spot *spots = SHOAL_COLUMN_MUT(&view, Spot);
        for (size_t i = 0; i < view.count; i++) {
            if (is_own(w, spots[i].x)) { /* those of others are not even read */
                spots[i].y++;
            }
        }
    }
}

/* The sum of x over a query that reads Spot; with another view of it open in between. */
static int64_t sum_of(worker *w, shoal_query *query) {
    int64_t sum = 0;
    shoal_view view;
    expect(w, shoal_view_begin(&view, query) == SHOAL_OK);
    while (shoal_view_next(&view)) {
        const Spot *spots = SHOAL_COLUMN(&view, Spot);
        for (size_t i = 0; i < view.count; i++) {
            sum += spots[i].x;
        }
        shoal_view nested;
        expect(w, shoal_view_begin(&nested, query) == SHOAL_OK);
        expect(w, shoal_view_next(&nested));
        shoal_view_end(&nested);
    }
    return sum;
}

static void read_queries(worker *w) {
    const int64_t all = RIG_ROWS * (RIG_ROWS - 1) / 2;
    int64_t off = 0;
    for (int32_t i = 3; i < RIG_ROWS; i += 3) {
        off += i;
    }
    expect(w, sum_of(w, w->r->filtered) == all - off);
    expect(w, sum_of(w, w->r->ordered) == all);
    expect(w, sum_of(w, w->r->grouped) == all);
    expect(w, sum_of(w, w->r->upward) == all);
    expect(w, shoal_query_count(w->r->filtered) == RIG_ROWS - (RIG_ROWS - 1) / 3);
    expect(w, shoal_query_count(w->r->plain) == RIG_ROWS);
    expect(w, shoal_query_first(w->r->ordered).bits == w->r->rows[RIG_ROWS - 1].bits);
    expect(w, shoal_query_matches(w->r->filtered, w->r->rows[1]));
    expect(w, shoal_entity_is_null(shoal_query_single(w->r->plain)));
    expect(w, shoal_last_error(w->r->f.world).status == SHOAL_NOT_SINGLE);
    int64_t loose = 0;
    shoal_view view;
    expect(w, shoal_view_begin(&view, w->r->listed) == SHOAL_OK);
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++) {
            loose += SHOAL_AT(&view, Loose, i)->value;
        }
    }
    expect(w, loose == all);
    expect(w, shoal_view_begin(&view, w->r->upward) == SHOAL_OK);
    while (shoal_view_next(&view)) {
        const Spot *const *above = SHOAL_COLUMN_UP(&view, Spot);
        for (size_t i = 0; i < view.count; i++) {
            bool is_root = view.entities[i].bits == w->r->rows[0].bits;
            expect(w, is_root ? above[i] == NULL : above[i] != NULL && above[i]->x == 0);
        }
    }
}

/* ---- single calls ---- */

static size_t count_bytes(void *user, const char *text, size_t size) {
    (void)text;
    *(size_t *)user += size;
    return size;
}

static void read_world(worker *w) {
    shoal_world *world = w->r->f.world;
    const shoal_entity root = w->r->rows[0];
    const shoal_entity child = w->r->rows[1];
    expect(w, SHOAL_GET(world, child, Spot)->x == 1);
    expect(w, SHOAL_GET(world, child, Loose)->value == 1);
    expect(w, SHOAL_GET(world, child, Team)->value == 1);
    expect(w, SHOAL_UNIQUE(world, Rules)->value == 9);
    expect(w, shoal_is_enabled(world, child, SHOAL_ID(Lamp)));
    expect(w, shoal_parent(world, child).bits == root.bits);
    expect(w, shoal_source_count(world, SHOAL_ID(ChildOf), root) == RIG_ROWS - 1);
    expect(w, shoal_depth(world, SHOAL_ID(ChildOf), child) == 1);
    expect(w, shoal_target(world, root, SHOAL_ID(Holds)).bits == child.bits);
    expect(w, shoal_lookup(world, (shoal_entity){0}, "root").bits == root.bits);
    char path[64];
    expect(w, shoal_path(world, child, path, sizeof path) > 5);
    size_t bytes = 0;
    expect(w, shoal_print_uniques(world, count_bytes, &bytes) == SHOAL_OK && bytes != 0);
    size_t rows = 0;
    for (shoal_archetype_info info = {0}; shoal_archetype_next(world, &info);) {
        rows += info.row_count;
    }
    expect(w, rows == RIG_ROWS);
    shoal_memory_report report;
    expect(w, shoal_world_memory(world, &report) == SHOAL_OK && report.entity_count == RIG_ROWS);
}

/* Each failure is this thread's, whatever the others do. */
static void run_into_errors(worker *w) {
    shoal_world *world = w->r->f.world;
    const shoal_entity row = w->r->rows[w->number];
    expect(w, SHOAL_SET(world, row, Spot, 1, 1) == SHOAL_WORLD_LOCKED);
    expect(w, shoal_last_error(world).status == SHOAL_WORLD_LOCKED);
    expect(w, shoal_disable(world, row, SHOAL_ID(Lamp)) == SHOAL_WORLD_LOCKED);
    expect(w, SHOAL_GET(world, row, Pace) == NULL);
    expect(w, shoal_last_error(world).status == SHOAL_COMPONENT_MISSING);
    expect(w, shoal_commands_remove(w->commands, (shoal_entity){0}, SHOAL_ID(Spot)) == SHOAL_ENTITY_NULL);
    expect(w, shoal_last_error(world).status == SHOAL_ENTITY_NULL);
    expect(w, shoal_buffer_erase(shoal_buffer_get(world, row, SHOAL_ID(Trail)), 1u << 20) == SHOAL_INVALID_ARGUMENT);
    expect(w, shoal_last_error(world).status == SHOAL_INVALID_ARGUMENT);
}

static void fill_own_buffers(worker *w) {
    for (int32_t i = w->number; i < RIG_ROWS; i += THREADS) {
        shoal_buffer trail = shoal_buffer_get(w->r->f.world, w->r->rows[i], SHOAL_ID(Trail));
        for (size_t k = 0; k < PUSHES; k++) {
            expect(w, shoal_buffer_push(trail, &(Trail){(char)('a' + w->number)}) == SHOAL_OK);
        }
    }
}

static void record(worker *w) {
    shoal_entity placeholder = shoal_commands_spawn(w->commands, SHOAL_VALUES(SHOAL_VALUE(Pace, w->number)));
    expect(w, !shoal_entity_is_null(placeholder));
    const char letters[] = "more elements than a cell has room for";
    const shoal_span span = {letters, sizeof letters};
    expect(w, shoal_commands_add(w->commands, placeholder, SHOAL_ID(Trail), &span) == SHOAL_OK);
    expect(w, shoal_commands_relate(w->commands, placeholder, SHOAL_ID(Holds), w->r->rows[w->number],
                                    &(Holds){w->number}) == SHOAL_OK);
}

static void work(worker *w) {
    world_scope scope = {.world = w->r->f.world, .name = "worker"};
    world_scope_enter(&scope);
    for (size_t round = 0; round < ROUNDS; round++) {
        write_own_rows(w);
        read_queries(w);
        read_world(w);
        run_into_errors(w);
        fill_own_buffers(w);
        record(w);
    }
    expect(w, scope.lock.count == 0);
    world_scope_leave(&scope);
}

static void *worker_main(void *user) {
    worker *w = user;
    (void)atomic_fetch_sub(w->waiting, 1);
    while (atomic_load(w->waiting) > 0) {
    }
    work(w);
    return NULL;
}

/* ---- the test ---- */

static void check_result(rig *r, worker *workers) {
    for (size_t i = 0; i < THREADS; i++) {
        assert_count(workers[i].faults, 0);
    }
    for (size_t i = 0; i < RIG_ROWS; i++) {
        shoal_buffer trail = shoal_buffer_get(r->f.world, r->rows[i], SHOAL_ID(Trail));
        assert_count(SHOAL_GET(r->f.world, r->rows[i], Spot)->y, ROUNDS);
        assert_count(shoal_buffer_count(trail), ROUNDS * PUSHES);
        for (size_t k = 0; k < ROUNDS * PUSHES; k++) {
            assert_int_equal(((const Trail *)shoal_buffer_items(trail))[k].letter, 'a' + (int)(i % THREADS));
        }
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_applied(workers[i].commands, ROUNDS * 3, 0);
    }
    const shoal_memory_report report = report_of(r->f.world);
    assert_count(report.buffer_heap_count, RIG_ROWS + THREADS * ROUNDS);
    assert_count(report.purpose_bytes[SHOAL_PURPOSE_BUFFER], report.buffer_heap_bytes);
    assert_count(report.entity_count, RIG_ROWS + THREADS * ROUNDS);
    assert_count(r->f.world->lock.count, 0);
    assert_status(r->f.world->error.status, SHOAL_OK);
    assert_valid(r->f.world);
}

/* On threads of their own, or one after the other on this one. */
static void run(bool on_threads) {
    rig r;
    rig_make(&r);
    worker workers[THREADS];
    atomic_int waiting = on_threads ? THREADS : 0;
    for (int32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.r = &r, .number = i, .waiting = &waiting};
        workers[i].commands = shoal_commands_create(r.f.world, NULL);
        assert_non_null(workers[i].commands);
    }
    rig_share(&r);
    for (size_t i = 0; i < THREADS && on_threads; i++) {
        assert_int_equal(pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        if (on_threads) {
            assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        } else {
            work(&workers[i]);
        }
    }
    rig_unshare(&r);
    check_result(&r, workers);
    rig_share(&r);
    rig_end(&r);
}

static void test_one_thread(void **state) {
    (void)state;
    run(false);
}

static void test_threads(void **state) {
    (void)state;
    run(true);
}

/* ---- memory ---- */

static void *fail_otherwise(void *user) {
    shoal_memory *memory = user;
    memory_array array = {0};
    return memory_array_reserve(memory, SHOAL_PURPOSE_SCRATCH, &array, SIZE_MAX / 2, 64) == SHOAL_OUT_OF_MEMORY &&
                   memory_failure(memory) == SHOAL_OUT_OF_MEMORY
               ? memory
               : NULL;
}

/* Why an allocation has failed is each thread's own. */
static void test_failures_of_memory(void **state) {
    (void)state;
    shoal_memory memory = {.allocator = memory_default_allocator(), .limit = 1000, .is_shared = true};
    assert_null(memory_allocate(&memory, SHOAL_PURPOSE_SCRATCH, 2000, 16));
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, fail_otherwise, &memory), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &memory);
    assert_status(memory_failure(&memory), SHOAL_MEMORY_LIMIT);
    memory.is_shared = false;
    assert_null(memory_allocate(&memory, SHOAL_PURPOSE_SCRATCH, 3000, 16));
    assert_status(memory_failure(&memory), SHOAL_MEMORY_LIMIT);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_failures_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
