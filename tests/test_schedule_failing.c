/*
 * Memory that runs out while systems are added, a schedule is built, a step runs: the n-th allocation fails, for each n
 * that there is, or the world meets its limit; alone and on two workers, where it fails on whichever thread is there.
 * Afterwards the world validates, nothing has leaked, what was recorded comes at the next sync point, and everything
 * goes on. Also what happens to commands that wait when the schedule changes, the world is trimmed or ends.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/steps.h"

#include <string.h>

#define ROWS 5200
#define MOST_POINTS 600

typedef struct Total {
    int64_t value;
} Total;

typedef struct Least {
    int32_t value;
} Least;

SHOAL_COMPONENT(Total, .storage = SHOAL_STORAGE_UNIQUE, .fields = SHOAL_FIELDS(SHOAL_FIELD(Total, value)))
SHOAL_COMPONENT(Least, .storage = SHOAL_STORAGE_UNIQUE, .fields = SHOAL_FIELDS(SHOAL_FIELD(Least, value)))

static const uint32_t worker_counts[] = {0, 2};

static shoal_schedule_def schedule_for(uint32_t workers) {
    return (shoal_schedule_def){.worker_count = workers, .alone = workers == 0, .ring_records = 16};
}

/* ---- systems ---- */

static shoal_status sum_up(const shoal_run *run, shoal_view *view) {
    const Health *health = SHOAL_COLUMN(view, Health);
    for (size_t i = 0; i < view->count; i++) {
        SHOAL_SUM(run, 0, Total)->value += health[i].value;
        Least *least = SHOAL_SUM(run, 1, Least);
        least->value = health[i].value < least->value ? health[i].value : least->value;
    }
    return SHOAL_OK;
}

/* New entities with values of their own, now and then of an archetype that is new. */
static shoal_status record_some(const shoal_run *run, shoal_view *view) {
    for (size_t i = 0; i < view->count; i++) {
        if (shoal_entity_index(view->entities[i]) % 512 != 3) {
            continue;
        }
        const Wide wide = {.words = {(uint32_t)run->tick}};
        shoal_component tag = numbered_tag((uint32_t)(run->tick * 16 + i / 512) % 64);
        shoal_entity made = shoal_commands_spawn(run->commands, SHOAL_VALUES({SHOAL_ID(Wide), &wide}, {tag, NULL}));
        shoal_status status = shoal_entity_is_null(made) ? shoal_last_error(run->world).status : SHOAL_OK;
        status = status == SHOAL_OK
                     ? shoal_commands_relate(run->commands, made, SHOAL_ID(ChildOf), view->entities[i], NULL)
                     : status;
        status = status == SHOAL_OK ? shoal_commands_add(run->commands, view->entities[i], tag, NULL) : status;
        if (status != SHOAL_OK) {
            return status;
        }
    }
    return SHOAL_OK;
}

/* Values that own something, on the thread of the test. */
static shoal_status record_owned(const shoal_run *run) {
    Owned value;
    owned_make(&owned_tracker, &value, (uint32_t)run->tick);
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < 8 && status == SHOAL_OK; i++) {
        shoal_entity made = shoal_commands_spawn(run->commands, SHOAL_VALUES({SHOAL_ID(Owned), &value}));
        status = shoal_entity_is_null(made) ? shoal_last_error(run->world).status : SHOAL_OK;
    }
    owned_end(&owned_tracker, &value);
    return status;
}

static shoal_status spawn_directly(const shoal_run *run) {
    shoal_entity made = shoal_spawn(run->world, SHOAL_VALUES({numbered_tag(100 + (uint32_t)run->tick % 8), NULL}));
    return shoal_entity_is_null(made) ? shoal_last_error(run->world).status : SHOAL_OK;
}

static shoal_status look(const shoal_run *run, shoal_view *view) {
    (void)run;
    return view->count != 0 ? SHOAL_OK : SHOAL_CORRUPT;
}

static bool is_due(const shoal_run *run) {
    return SHOAL_UNIQUE(run->world, Total) != NULL;
}

#define QUERY(...) .query = {.terms = SHOAL_TERMS(__VA_ARGS__)}

static const char *const names[] = {"direct", "count", "sum", "record", "sort", "owned", "late"};
#define KINDS (sizeof names / sizeof names[0])

/* Adds a system of one kind. */
static shoal_status try_add(steps *s, size_t number) {
    const shoal_system_def kinds[KINDS] = {
        {.name = "direct", .once = spawn_directly, .exclusive = true, .phase = "input"},
        {.name = "count", .each = steps_count_up, QUERY(SHOAL_WRITE(Health)), .chain = "chain"},
        {.name = "sum",
         .each = sum_up,
         QUERY(SHOAL_READ(Health)),
         .reductions = SHOAL_REDUCTIONS(REDUCE(SUM, Total), REDUCE(MIN, Least)),
         .after = SHOAL_NAMES("count")},
        {.name = "record", .each = record_some, QUERY(SHOAL_READ(Health)), .commands = true, .local_bytes = 100},
        {.name = "sort",
         .each = look,
         .query = {.terms = SHOAL_TERMS(SHOAL_READ(Health)), .order_by = SHOAL_ID(Health), .order_field = "value"},
         .scratch_bytes = 1000},
        {.name = "owned", .once = record_owned, .thread = SHOAL_THREAD_MAIN, .commands = true},
        {.name = "late",
         .each = look,
         QUERY(SHOAL_READ(Health), SHOAL_WITHOUT(Frozen)),
         .lookups = SHOAL_TERMS(SHOAL_READ(Velocity)),
         .condition = is_due,
         .condition_reads = SHOAL_TERMS(SHOAL_READ(Total)),
         .acknowledge = SHOAL_NAMES("count"),
         .phase = "output"},
    };
    shoal_system_def own = kinds[number];
    own.user = s;
    return shoal_system_add(s->world, &own) != NULL ? SHOAL_OK : shoal_last_error(s->world).status;
}

static void scene_start(steps *s, uint32_t workers, size_t memory_limit) {
    shoal_schedule_def schedule = schedule_for(workers);
    steps_start_world(s, &(shoal_world_def){.memory_limit = memory_limit}, &schedule);
    steps_spawn(s->world, ROWS, NULL, SHOAL_VALUES(SHOAL_VALUE(Health, 1)));
}

static void add_kinds(steps *s) {
    for (size_t i = 0; i < KINDS; i++) {
        assert_ok(try_add(s, i));
    }
}

static void enable_all(steps *s, bool enabled) {
    for (size_t i = 0; i < KINDS; i++) {
        assert_ok(shoal_system_enable(shoal_system_find(s->world, names[i]), enabled));
    }
}

/* ---- adding, building ---- */

static uint64_t content_of(steps *s) {
    return steps_can_hash(s->world) ? steps_hash(s->world, SHOAL_HASH_CANONICAL) : 0;
}

static void test_adding_systems(void **state) {
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            test_set_context("system \"%s\", failing allocation %zu", names[i], n);
            assert_at_most(n, MOST_POINTS);
            steps s;
            steps_start(&s, NULL);
            uint64_t before = content_of(&s);
            fake_allocator_arm(&s.fake, n, n % 2 == 0);
            shoal_status status = try_add(&s, i);
            failed = fake_allocator_disarm(&s.fake);
            if (status != SHOAL_OK) {
                assert_status(status, SHOAL_OUT_OF_MEMORY);
                assert_last_error(s.world, SHOAL_OUT_OF_MEMORY);
                assert_null(shoal_system_find(s.world, names[i]));
                assert_count(content_of(&s), before);
                assert_valid(s.world);
                assert_ok(try_add(&s, i));
            }
            assert_non_null(shoal_system_find(s.world, names[i]));
            steps_end(&s);
        }
    }
    test_set_context("%s", "");
}

/* Phases, settings and builds: each call fails and then works. */
static shoal_status call_number(steps *s, size_t number, uint32_t workers) {
    shoal_schedule_def schedule = schedule_for(workers);
    switch (number) {
    case 0:
        return shoal_phase_add(s->world, &(shoal_phase_def){.name = "extra", .after = "update"});
    case 1:
        return shoal_schedule_configure(s->world, &schedule);
    default:
        return shoal_schedule_build(s->world);
    }
}

/* One of these calls, whose n-th allocation fails; true when there was one. */
static bool call_fails_at(size_t number, uint32_t workers, size_t n) {
    test_set_context("%u workers, call %zu, failing allocation %zu", workers, number, n);
    assert_at_most(n, MOST_POINTS);
    steps s;
    scene_start(&s, workers, 0);
    add_kinds(&s);
    fake_allocator_arm(&s.fake, n, n % 2 == 0);
    shoal_status status = call_number(&s, number, workers);
    bool failed = fake_allocator_disarm(&s.fake);
    if (status != SHOAL_OK) {
        assert_status(status, SHOAL_OUT_OF_MEMORY);
        assert_valid(s.world);
        assert_ok(call_number(&s, number, workers));
    }
    steps_go(&s, 2);
    steps_end(&s);
    return failed;
}

static void test_phases_settings_and_builds(void **state) {
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        size_t n = 1;
        while (call_fails_at(i / 2, worker_counts[i % 2], n)) {
            n++;
        }
    }
    test_set_context("%s", "");
}

static void test_removing_needs_no_memory(void **state) {
    (void)state;
    steps s;
    scene_start(&s, 2, 0);
    add_kinds(&s);
    steps_go(&s, 2);
    fake_allocator_arm(&s.fake, 1, true);
    for (size_t i = 0; i < KINDS; i++) {
        assert_ok(shoal_system_remove(shoal_system_find(s.world, names[i])));
    }
    fake_allocator_disarm(&s.fake);
    steps_go(&s, 1);
    steps_end(&s);
}

/* ---- a step ---- */

static bool message_has(const shoal_world *world, const char *part) {
    return strstr(shoal_last_error(world).message, part) != NULL;
}

/* Steps on; then one without systems, in which what waits is applied. */
static uint64_t finish(steps *s) {
    enable_all(s, false);
    steps_go(s, 1);
    uint64_t content = content_of(s);
    enable_all(s, true);
    steps_go(s, 2);
    return content;
}

static uint64_t content_expected(uint32_t workers, uint64_t before) {
    steps s;
    scene_start(&s, workers, 0);
    add_kinds(&s);
    steps_go(&s, before + 1);
    uint64_t content = finish(&s);
    steps_end(&s);
    return content;
}

/* After a step that had a failure. What was recorded by systems that did not fail is there in the end. */
static void check_failed_step(steps *s, shoal_status status, uint64_t tick, uint64_t expected) {
    assert_status(status, SHOAL_OUT_OF_MEMORY);
    assert_last_error(s->world, SHOAL_OUT_OF_MEMORY);
    assert_valid(s->world);
    bool waits = message_has(s->world, "wait for the next sync point");
    bool is_whole = waits;
    if (shoal_world_tick(s->world) == tick) { /* it was not built */
        steps_go(s, 1);
        is_whole = true;
    } else if (!waits) {
        assert_message_has(s->world, "system \"");
    }
    uint64_t content = finish(s);
    if (is_whole) {
        assert_count(content, expected);
    }
}

static void fail_steps(uint32_t workers, uint64_t before, size_t *waited) {
    uint64_t expected = content_expected(workers, before);
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        test_set_context("%u workers, step %u, failing allocation %zu", workers, (unsigned)before, n);
        assert_at_most(n, MOST_POINTS);
        steps s;
        scene_start(&s, workers, 0);
        add_kinds(&s);
        steps_go(&s, before);
        uint64_t tick = shoal_world_tick(s.world);
        fake_allocator_arm(&s.fake, n, n % 2 == 0);
        shoal_status status = shoal_world_step(s.world, 1000000);
        failed = fake_allocator_disarm(&s.fake);
        if (status != SHOAL_OK) {
            *waited += message_has(s.world, "wait for the next sync point");
            check_failed_step(&s, status, tick, expected);
        } else {
            assert_count(finish(&s), expected);
        }
        steps_end(&s);
    }
}

static void test_steps(void **state) {
    (void)state;
    for (size_t w = 0; w < 2; w++) {
        size_t waited = 0;
        for (uint64_t before = 0; before < 3; before++) {
            fail_steps(worker_counts[w], before, &waited);
        }
        assert_true(waited != 0);
    }
    test_set_context("%s", "");
    assert_owned(&owned_tracker, 0);
}

static void test_memory_limit(void **state) {
    (void)state;
    for (size_t w = 0; w < 2; w++) {
        steps s;
        scene_start(&s, worker_counts[w], 0);
        size_t base = report_of(s.world).peak_bytes;
        add_kinds(&s);
        steps_go(&s, 3);
        size_t peak = report_of(s.world).peak_bytes;
        steps_end(&s);
        for (size_t part = 0; part <= 40; part++) {
            size_t limit = base + (peak - base) * part / 40;
            test_set_context("%u workers, limit of %zu bytes", worker_counts[w], limit);
            scene_start(&s, worker_counts[w], limit);
            for (size_t i = 0; i < KINDS; i++) {
                shoal_status status = try_add(&s, i);
                assert_true(status == SHOAL_OK || status == SHOAL_MEMORY_LIMIT);
            }
            for (size_t i = 0; i < 3; i++) {
                shoal_status status = shoal_world_step(s.world, 1000000);
                bool is_missing = status == SHOAL_SYSTEM_MISSING; /* "count" was not added */
                assert_true(status == SHOAL_OK || status == SHOAL_MEMORY_LIMIT || is_missing);
                assert_valid(s.world);
            }
            steps_end(&s);
        }
    }
    test_set_context("%s", "");
    assert_owned(&owned_tracker, 0);
}

/* ---- commands that wait ---- */

/* What may come between a step whose commands wait and the next one. */
static void disturb_number(steps *s, size_t number) {
    switch (number) {
    case 0:
        assert_ok(shoal_world_trim(s->world, 0, NULL));
        break;
    case 1:
        (void)STEPS_ADD(s, "new", .each = look, QUERY(SHOAL_READ(Health)));
        break;
    case 2:
        assert_ok(shoal_system_remove(shoal_system_find(s->world, "owned")));
        break;
    case 3:
        assert_ok(shoal_phase_add(s->world, &(shoal_phase_def){.name = "extra", .before = "update"}));
        break;
    case 4:
        assert_ok(shoal_schedule_configure(s->world, &(shoal_schedule_def){.alone = true}));
        break;
    default:
        break;
    }
}

static void test_commands_that_wait(void **state) {
    (void)state;
    for (size_t number = 0; number < 6; number++) {
        size_t waited = 0;
        bool failed = true;
        for (size_t n = 1; failed; n++) {
            test_set_context("disturbance %zu, failing allocation %zu", number, n);
            assert_at_most(n, MOST_POINTS);
            steps s;
            scene_start(&s, 2, 0);
            add_kinds(&s);
            steps_go(&s, 1);
            disturb_number(&s, number == 5 ? 1 : 9); /* 5: the recorders are younger than the merged buffer */
            uint64_t entities = shoal_world_entity_count(s.world);
            fake_allocator_arm(&s.fake, n, false);
            shoal_status status = shoal_world_step(s.world, 1000000);
            failed = fake_allocator_disarm(&s.fake);
            bool waits = status != SHOAL_OK && message_has(s.world, "wait for the next sync point");
            waited += waits;
            if (waits && number != 5) { /* else the world ends with what waits */
                disturb_number(&s, number);
                shoal_system *record = shoal_system_find(s.world, "record");
                assert_ok(shoal_system_enable(record, false));
                steps_go(&s, 1);
                assert_true(shoal_world_entity_count(s.world) >= entities + ROWS / 512 + 8);
            }
            steps_end(&s);
            assert_owned(&owned_tracker, 0);
        }
        assert_true(waited != 0);
    }
    test_set_context("%s", "");
}

/* A world that is full can drop what waits, and goes on. */
static void test_waiting_commands_are_discarded(void **state) {
    (void)state;
    size_t discarded = 0;
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        test_set_context("failing allocation %zu", n);
        assert_at_most(n, MOST_POINTS);
        steps s;
        scene_start(&s, 2, 0);
        add_kinds(&s);
        steps_go(&s, 1);
        fake_allocator_arm(&s.fake, n, false);
        shoal_status status = shoal_world_step(s.world, 1000000);
        failed = fake_allocator_disarm(&s.fake);
        uint64_t entities = shoal_world_entity_count(s.world);
        size_t count = 0;
        assert_ok(shoal_schedule_discard(s.world, &count));
        assert_true((count != 0) == (status != SHOAL_OK && message_has(s.world, "wait for the next sync point")));
        discarded += count;
        enable_all(&s, false);
        steps_go(&s, 1);
        assert_count(shoal_world_entity_count(s.world), entities);
        enable_all(&s, true);
        steps_go(&s, 1);
        steps_end(&s);
        assert_owned(&owned_tracker, 0);
    }
    assert_true(discarded != 0);
    test_set_context("%s", "");
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adding_systems),
        cmocka_unit_test(test_phases_settings_and_builds),
        cmocka_unit_test(test_removing_needs_no_memory),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_commands_that_wait),
        cmocka_unit_test(test_waiting_commands_are_discarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
