/*
 * The trace of runs: what is in it of names, ticks and rows; tracks of several workers, in which nothing overlaps; sync
 * points; rings that are full, that outlive a change of the schedule and of their size; what is refused, short writes,
 * no memory.
 */
#include "support/json.h"
#include "test_print.h"
#include "test_schedule_scene.h"

#include <stdatomic.h>

static shoal_status emit_trace(void *context, shoal_write_fn write, void *user) {
    return shoal_schedule_trace(context, write, user);
}

static json_t *trace_of(shoal_world *world) {
    sink text = sink_of(emit_trace, world);
    json_t *root = json_of(&text.written);
    sink_free(&text);
    assert_string_equal(json_text(root, "displayTimeUnit"), "ns");
    return root;
}

/* ---- going through events ---- */

#define TRACKS_MAX 8

typedef struct event {
    const char *name;
    bool is_sync;
    uint64_t track, tick, amount; /* rows, or commands */
    double begin, end;            /* microseconds */
} event;

/* The next run in a trace from `*at` on. False at the end. */
static bool event_next(const json_t *root, size_t *at, event *out) {
    const json_t *events = json_member(root, "traceEvents");
    while (*at < json_array_size(events)) {
        const json_t *each = json_array_get(events, (*at)++);
        if (strcmp(json_text(each, "ph"), "X") != 0) {
            continue;
        }
        const json_t *arguments = json_member(each, "args");
        bool is_sync = strcmp(json_text(each, "cat"), "sync") == 0;
        double begin = json_number_value(json_member(each, "ts"));
        *out = (event){.name = json_text(each, "name"),
                       .is_sync = is_sync,
                       .track = json_count(each, "tid"),
                       .tick = json_count(arguments, "tick"),
                       .amount = json_count(arguments, is_sync ? "commands" : "rows"),
                       .begin = begin,
                       .end = begin + json_number_value(json_member(each, "dur"))};
        return true;
    }
    return false;
}

/* All is by its beginning, the first at 0, and no track has two runs at one time. Returns how many there are. */
static size_t check_times(const json_t *root) {
    double track_end[TRACKS_MAX] = {0};
    double last_begin = 0;
    size_t count = 0;
    event next;
    for (size_t at = 0; event_next(root, &at, &next); count++) {
        assert_true(next.track < TRACKS_MAX);
        assert_true(count != 0 || next.begin == 0);
        assert_true(next.begin >= last_begin);
        assert_true(next.begin >= track_end[next.track] - 1e-6); /* decimals are no binary fractions */
        assert_true(next.end >= next.begin);
        last_begin = next.begin;
        track_end[next.track] = next.end;
    }
    return count;
}

/* The names of runs and in which step they were, as "name@1 "; the tick of a world without a step is 1. */
static void check_names(const json_t *root, const char *expected, const char *file, int line) {
    text_buffer names = {0};
    text_add(&names, "%s", "");
    event next;
    for (size_t at = 0; event_next(root, &at, &next);) {
        text_add(&names, "%s@%u ", next.name, (unsigned)next.tick - 1);
    }
    if (strcmp(names.text, expected) != 0) {
        print_error("has \"%s\", expected \"%s\"\n", names.text, expected);
        _fail(file, line);
    }
    text_free(&names);
}
#define assert_runs(root, expected) check_names((root), (expected), __FILE__, __LINE__)

/* The name that a trace gives to a track or, with "process_name", to the whole. */
static const char *name_given(const json_t *root, const char *kind, uint64_t track) {
    const json_t *events = json_member(root, "traceEvents");
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *each = json_array_get(events, i);
        if (strcmp(json_text(each, "name"), kind) == 0 && json_count(each, "tid") == track) {
            assert_string_equal(json_text(each, "ph"), "M");
            return json_text(json_member(each, "args"), "name");
        }
    }
    return NULL;
}

/* ---- one worker ---- */

static void test_runs_of_one_worker(void **state) {
    (void)state;
    steps s;
    steps_start_world(&s, &(shoal_world_def){.name = "sea \"one\""}, NULL);
    SCENE_EACH(&s, "a", "write Position, read Velocity");
    SCENE_EACH(&s, "b \"two\"", "write Velocity");
    SCENE_ONCE(&s, "c", .every = 2);
    steps_spawn(s.world, 700, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)));
    steps_go(&s, 3);
    json_t *root = trace_of(s.world);
    assert_string_equal(name_given(root, "process_name", 0), "sea \"one\"");
    assert_string_equal(name_given(root, "thread_name", 0), "worker 0 (main)");
    assert_null(name_given(root, "thread_name", 1));
    assert_runs(root, "a + b \"two\"@1 c@1 a + b \"two\"@2 a + b \"two\"@3 c@3 ");
    assert_count(check_times(root), 5);
    event next;
    for (size_t at = 0; event_next(root, &at, &next);) {
        assert_count(next.amount, next.name[0] == 'a' ? 700 : 0);
        assert_count(next.track, 0);
    }
    json_decref(root);
    steps_end(&s);
}

/* Runs this short are not measured one by one, so that their ends are made up. */
static void test_short_runs_do_not_overlap(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    char names[20][8];
    for (size_t i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "s%zu", i);
        if (i % 4 == 0) {
            SCENE_ONCE(&s, names[i], .every = (uint32_t)(i % 3 + 1));
        } else {
            SCENE_EACH(&s, names[i], "write Health", .barrier = true);
        }
    }
    STEPS_ADD(&s, "spawn", .once = scene_spawn, .commands = true);
    steps_spawn(s.world, 1, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    for (size_t i = 0; i < 300; i++) {
        assert_ok(shoal_world_step(s.world, 1));
    }
    json_t *root = trace_of(s.world);
    assert_true(check_times(root) > 4000);
    json_decref(root);
    steps_end(&s);
}

static void test_sync_points(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    STEPS_ADD(&s, "spawn", .once = scene_spawn, .commands = true, .every = 2);
    STEPS_ADD(&s, "again", .once = scene_spawn, .commands = true, .every = 2);
    steps_go(&s, 3);
    json_t *root = trace_of(s.world);
    assert_runs(root, "spawn@1 again@1 sync@1 spawn@3 again@3 sync@3 "); /* none where there was nothing to apply */
    event next;
    for (size_t at = 0; event_next(root, &at, &next);) {
        assert_int_equal(next.is_sync, next.name[1] == 'y');
        assert_count(next.amount, next.is_sync ? 2 : 0);
    }
    json_decref(root);
    steps_end(&s);
}

/* ---- several workers ---- */

/* Two systems that wait for each other: each needs a worker of its own. */
static _Atomic uint32_t met;

static shoal_status meet(const shoal_run *run) {
    (void)run;
    atomic_fetch_add(&met, 1);
    while (atomic_load(&met) < 2) {
    }
    return SHOAL_OK;
}

static void test_tracks_of_two_workers(void **state) {
    (void)state;
    steps s;
    steps_start(&s, &(shoal_schedule_def){.worker_count = 2});
    STEPS_ADD(&s, "one", .once = meet);
    STEPS_ADD(&s, "two", .once = meet);
    SCENE_EACH(&s, "rows", "write Position", .phase = "output");
    steps_spawn(s.world, 200000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    atomic_store(&met, 0);
    steps_go(&s, 1);
    json_t *root = trace_of(s.world);
    assert_string_equal(name_given(root, "thread_name", 0), "worker 0 (main)");
    assert_string_equal(name_given(root, "thread_name", 1), "worker 1");
    assert_null(name_given(root, "thread_name", 2));
    check_times(root);
    event one = {0};
    event two = {0};
    event next;
    uint64_t rows = 0;
    size_t jobs = 0;
    for (size_t at = 0; event_next(root, &at, &next);) {
        bool is_rows = strcmp(next.name, "rows") == 0;
        one = strcmp(next.name, "one") == 0 ? next : one;
        two = strcmp(next.name, "two") == 0 ? next : two;
        rows += is_rows ? next.amount : 0;
        jobs += is_rows;
    }
    assert_true(one.name != NULL && two.name != NULL && one.track != two.track);
    assert_true(one.begin < two.end && two.begin < one.end); /* they met */
    assert_count(rows, 200000);
    assert_count(jobs, steps_stats(shoal_system_find(s.world, "rows")).jobs);
    assert_true(jobs > 1);
    json_decref(root);
    steps_end(&s);
}

/* ---- rings ---- */

static void test_full_rings_keep_the_newest(void **state) {
    (void)state;
    steps s;
    steps_start(&s, &(shoal_schedule_def){.alone = true, .ring_records = 3}); /* rounded up to 4 */
    SCENE_ONCE(&s, "a", .before = SHOAL_NAMES("b"));
    SCENE_ONCE(&s, "b", .every = 1);
    steps_go(&s, 10);
    json_t *root = trace_of(s.world);
    assert_runs(root, "a@9 b@9 a@10 b@10 ");
    check_times(root);
    json_decref(root);
    steps_end(&s);
}

static void test_rings_outlive_a_change(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *first = SCENE_ONCE(&s, "first", .every = 1);
    steps_go(&s, 2);
    SCENE_ONCE(&s, "second", .after = SHOAL_NAMES("first"));
    json_t *root = trace_of(s.world); /* not built */
    assert_runs(root, "first@1 first@2 ");
    json_decref(root);
    steps_go(&s, 1);
    assert_ok(shoal_system_remove(shoal_system_find(s.world, "second")));
    assert_ok(shoal_system_remove(first));
    SCENE_ONCE(&s, "third", .every = 1);
    steps_go(&s, 1);
    root = trace_of(s.world);
    assert_runs(root, "first@1 first@2 first@3 second@3 third@4 ");
    check_times(root);
    json_decref(root);
    steps_end(&s);
}

static void test_rings_of_another_size(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    SCENE_ONCE(&s, "a", .every = 1);
    steps_go(&s, 6);
    static const struct {
        uint32_t records;
        const char *runs; /* after one step more */
    } sizes[] = {{4, "a@4 a@5 a@6 a@7 "}, {8, "a@4 a@5 a@6 a@7 a@8 "}, {2, "a@8 a@9 "}, {0, "a@8 a@9 a@10 "}};
    for (size_t i = 0; i < 4; i++) {
        assert_ok(
            shoal_schedule_configure(s.world, &(shoal_schedule_def){.alone = true, .ring_records = sizes[i].records}));
        steps_go(&s, 1);
        json_t *root = trace_of(s.world);
        assert_runs(root, sizes[i].runs);
        json_decref(root);
    }
    steps_end(&s);
}

static void test_rings_of_fewer_workers(void **state) {
    (void)state;
    steps s;
    steps_start(&s, &(shoal_schedule_def){.worker_count = 3});
    SCENE_ONCE(&s, "a", .thread = SHOAL_THREAD_MAIN);
    for (uint32_t workers = 3; workers > 0; workers--) {
        bool alone = workers == 1;
        assert_ok(shoal_schedule_configure(s.world,
                                           &(shoal_schedule_def){.alone = alone, .worker_count = alone ? 0 : workers}));
        steps_go(&s, 1);
        json_t *root = trace_of(s.world);
        assert_non_null(name_given(root, "thread_name", workers - 1));
        assert_null(name_given(root, "thread_name", workers));
        assert_count(check_times(root), 4 - workers);
        json_decref(root);
    }
    steps_end(&s);
}

/* ---- names ---- */

/* A world's name is cut at a byte, and labels of long chains are; neither may break the text. */
static void test_names_that_are_cut(void **state) {
    (void)state;
    steps s;
    char name[64] = "";
    for (size_t i = 0; i < 60; i += 2) {
        name[i] = '\xC3';
        name[i + 1] = '\xA9';
    }
    steps_start_world(&s, &(shoal_world_def){.name = name}, NULL);
    char long_name[256];
    for (int letter = 'a'; letter <= 'z'; letter++) {
        snprintf(long_name, sizeof long_name, "%c%s%s%s%s", letter, name, name, name, letter % 2 ? "" : "x");
        SCENE_EACH(&s, long_name, "write Health");
    }
    steps_spawn(s.world, 1, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    steps_go(&s, 1);
    json_t *root = trace_of(s.world);
    assert_count(check_times(root), 1);
    json_decref(root);
    steps_end(&s);
}

static void test_worlds_that_never_ran(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    json_t *root = trace_of(s.world);
    assert_count(check_times(root), 0);
    json_decref(root);
    SCENE_ONCE(&s, "a", .every = 1);
    assert_ok(shoal_schedule_build(s.world));
    root = trace_of(s.world);
    assert_count(check_times(root), 0);
    assert_non_null(name_given(root, "thread_name", 0));
    json_decref(root);
    steps_end(&s);
    shoal_world *bare = shoal_world_create(&(shoal_world_def){.name = "bare"});
    root = trace_of(bare);
    assert_string_equal(name_given(root, "process_name", 0), "bare");
    json_decref(root);
    assert_ok(shoal_world_destroy(bare));
}

/* ---- what is refused, and failures ---- */

static shoal_status trace_in_a_step(const shoal_run *run) {
    shoal_status *status = run->user;
    sink text = sink_make(SIZE_MAX);
    *status = shoal_schedule_trace(run->world, sink_write, &text);
    assert_count(text.call_count, 0);
    return SHOAL_OK;
}

static void test_refused(void **state) {
    (void)state;
    sink text = sink_make(SIZE_MAX);
    assert_status(shoal_schedule_trace(NULL, sink_write, &text), SHOAL_INVALID_ARGUMENT);
    for (size_t exclusive = 0; exclusive < 2; exclusive++) {
        steps s;
        steps_start(&s, NULL);
        shoal_status status = SHOAL_OK;
        STEPS_ADD(&s, "asks", .once = trace_in_a_step, .user = &status, .exclusive = exclusive != 0);
        assert_status(shoal_schedule_trace(s.world, NULL, &text), SHOAL_INVALID_ARGUMENT);
        assert_ok(shoal_world_step(s.world, 1));
        assert_status(status, SHOAL_WORLD_LOCKED);
        json_t *root = trace_of(s.world);
        assert_count(check_times(root), 1);
        json_decref(root);
        steps_end(&s);
    }
    assert_count(text.call_count, 0);
}

static void test_short_writes(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    scene_add(&s);
    steps_go(&s, 2);
    check_short_writes(s.world, emit_trace, s.world, "shoal_schedule_trace");
    sink text = sink_make(SIZE_MAX);
    text.world = s.world;
    assert_ok(shoal_schedule_trace(s.world, sink_write, &text));
    assert_true(text.call_count != 0);
    assert_count(text.refused_count, text.call_count);
    sink_free(&text);
    steps_end(&s);
}

static void test_no_memory_for_the_trace(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    scene_add(&s);
    steps_go(&s, 1);
    sink text = sink_make(SIZE_MAX);
    fake_allocator_arm(&s.fake, 1, false);
    assert_status(shoal_schedule_trace(s.world, sink_write, &text), SHOAL_OUT_OF_MEMORY);
    assert_true(fake_allocator_disarm(&s.fake));
    assert_last_error(s.world, SHOAL_OUT_OF_MEMORY);
    assert_count(text.call_count, 0);
    json_t *root = trace_of(s.world);
    assert_true(check_times(root) != 0);
    json_decref(root);
    steps_end(&s);
}

/* A build that fails half way, at any allocation, leaves what the rings have. */
static void test_no_memory_for_rings(void **state) {
    (void)state;
    for (size_t n = 1;; n++) {
        steps s;
        steps_start(&s, NULL);
        SCENE_ONCE(&s, "a", .every = 1);
        steps_go(&s, 2);
        assert_ok(shoal_schedule_configure(s.world, &(shoal_schedule_def){.alone = true, .ring_records = 16}));
        fake_allocator_arm(&s.fake, n, false);
        shoal_status status = shoal_schedule_build(s.world);
        bool failed = fake_allocator_disarm(&s.fake);
        assert_status(status, failed ? SHOAL_OUT_OF_MEMORY : SHOAL_OK);
        json_t *root = trace_of(s.world);
        assert_runs(root, "a@1 a@2 ");
        json_decref(root);
        steps_go(&s, 1);
        root = trace_of(s.world);
        assert_runs(root, "a@1 a@2 a@3 ");
        json_decref(root);
        steps_end(&s);
        if (!failed) {
            assert_true(n > 5);
            break;
        }
    }
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_of_one_worker),
        cmocka_unit_test(test_short_runs_do_not_overlap),
        cmocka_unit_test(test_sync_points),
        cmocka_unit_test(test_tracks_of_two_workers),
        cmocka_unit_test(test_full_rings_keep_the_newest),
        cmocka_unit_test(test_rings_outlive_a_change),
        cmocka_unit_test(test_rings_of_another_size),
        cmocka_unit_test(test_rings_of_fewer_workers),
        cmocka_unit_test(test_names_that_are_cut),
        cmocka_unit_test(test_worlds_that_never_ran),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_short_writes),
        cmocka_unit_test(test_no_memory_for_the_trace),
        cmocka_unit_test(test_no_memory_for_rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
