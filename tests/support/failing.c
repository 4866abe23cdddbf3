/*
 * The harness of failing.h.
 */
#include "failing.h"

#include "components.h"
#include "world_dump.h"

#include <stdlib.h>

#define LIMIT_STEPS 24

typedef enum failure { FAIL_ONE, FAIL_LATER, FAIL_HOOK, FAIL_LIMIT } failure;

/* A scene that has been made. */
typedef struct stage {
    const failing_scene *kind;
    void *scene;
    fixture *f;
} stage;

shoal_status failing_status_of(const shoal_world *world, shoal_entity made) {
    return shoal_entity_is_null(made) ? shoal_last_error(world).status : SHOAL_OK;
}

static stage stage_start(const failing_scene *kind, const shoal_world_def *def) {
    stage s = {.kind = kind, .scene = calloc(1, kind->byte_size)};
    assert_non_null(s.scene);
    kind->start(s.scene, def);
    s.f = kind->fixture_of(s.scene);
    return s;
}

static void stage_end(stage *s) {
    s->kind->end(s->scene);
    free(s->scene);
}

static size_t stage_recorded(const stage *s) {
    return shoal_commands_count(s->kind->commands_of(s->scene));
}

static void stage_apply(const stage *s) {
    assert_ok(shoal_commands_apply(s->kind->commands_of(s->scene), NULL));
}

static int64_t live_objects(void) {
    return owned_tracker.live + boxed_tracker.live;
}

/* ---- one failure ---- */

static void arm(const stage *s, failure how, size_t n) {
    if (how == FAIL_HOOK) {
        owned_arm(&owned_tracker, n);
    } else if (how != FAIL_LIMIT) {
        fake_allocator_arm(&s->f->fake, n, how == FAIL_LATER);
    }
}

/* True when something has failed; with a limit only the call's status can tell. */
static bool disarm(const stage *s, failure how, shoal_status status) {
    if (how == FAIL_HOOK) {
        return owned_disarm(&owned_tracker);
    }
    if (how == FAIL_LIMIT) {
        return status != SHOAL_OK;
    }
    return fake_allocator_disarm(&s->f->fake);
}

static shoal_status expected_status(failure how) {
    if (how == FAIL_HOOK) {
        return SHOAL_HOOK_FAILED;
    }
    return how == FAIL_LIMIT ? SHOAL_MEMORY_LIMIT : SHOAL_OUT_OF_MEMORY;
}

/* What a world is after the call without a failure. */
static world_dump dump_of_success(const failing_scene *kind, const failing_call *call, const shoal_world_def *def,
                                  size_t *base, size_t *peak) {
    stage s = stage_start(kind, def);
    shoal_memory_report report;
    assert_ok(shoal_world_memory(s.f->world, &report));
    *base = report.peak_bytes;
    assert_ok(call->run(s.scene));
    assert_ok(shoal_world_memory(s.f->world, &report));
    *peak = report.peak_bytes;
    if (call->applied) {
        stage_apply(&s);
    }
    world_dump dump = world_dump_take(s.f->world, s.f->everything);
    stage_end(&s);
    return dump;
}

static void check_untouched(const stage *s, const world_dump *before, int64_t live_before, size_t recorded_before) {
    world_dump after = world_dump_take(s->f->world, s->f->everything);
    assert_same_dump(&after, before);
    world_dump_free(&after);
    assert_count(live_objects(), live_before);
    assert_count(stage_recorded(s), recorded_before);
    assert_null(shoal_world_lock_holder(s->f->world));
    assert_valid(s->f->world);
}

/* Runs the call with its n-th failure; false when the call has no n-th one. */
static bool run_with_failure(stage *s, const failing_call *call, failure how, size_t n, const world_dump *expected) {
    world_dump before = world_dump_take(s->f->world, s->f->everything);
    int64_t live_before = live_objects();
    size_t recorded_before = stage_recorded(s);
    arm(s, how, n);
    shoal_status status = call->run(s->scene);
    bool failed = disarm(s, how, status);
    if (status != SHOAL_OK) {
        assert_count(failed, true);
        assert_count(call->never_fails, false);
        assert_status(status, expected_status(how));
        assert_last_error(s->f->world, expected_status(how));
        check_untouched(s, &before, live_before, recorded_before);
        if (how != FAIL_LIMIT) {
            assert_ok(call->run(s->scene));
        }
    }
    if (how != FAIL_LIMIT) {
        if (call->applied) {
            stage_apply(s);
        }
        world_dump after = world_dump_take(s->f->world, s->f->everything);
        assert_same_dump(&after, expected);
        world_dump_free(&after);
    }
    world_dump_free(&before);
    return failed;
}

static void run_all_failures(const failing_scene *kind, const failing_call *call, const shoal_world_def *def,
                             const char *config) {
    static const char *const names[] = {"allocation", "allocation and later ones", "hook"};
    size_t base = 0;
    size_t peak = 0;
    world_dump expected = dump_of_success(kind, call, def, &base, &peak);
    for (failure how = FAIL_ONE; how <= FAIL_HOOK; how++) {
        bool failed = how != FAIL_HOOK || !call->no_hooks;
        for (size_t n = 1; failed; n++) {
            test_set_context("%s, %s, failing %s %zu", call->name, config, names[how], n);
            stage s = stage_start(kind, def);
            failed = run_with_failure(&s, call, how, n, &expected);
            stage_end(&s);
            assert_at_most(n, FAILING_MOST_POINTS);
        }
    }
    for (size_t step = 0; step < LIMIT_STEPS && peak > base; step++) {
        shoal_world_def limited = *def;
        limited.memory_limit = base + (peak - base) * step / LIMIT_STEPS;
        test_set_context("%s, %s, memory limit %zu", call->name, config, limited.memory_limit);
        stage s = stage_start(kind, &limited);
        run_with_failure(&s, call, FAIL_LIMIT, 0, &expected);
        stage_end(&s);
    }
    test_set_context("%s", "");
    world_dump_free(&expected);
}

/* What a test of cmocka gets. */
typedef struct failing_case {
    const failing_scene *scene;
    const failing_call *call;
} failing_case;

static void run_case(void **state) {
    const failing_case *one = *state;
    run_all_failures(one->scene, one->call, &(shoal_world_def){0}, "default chunks");
    run_all_failures(one->scene, one->call, &(shoal_world_def){.pinned_chunk_bytes = 1024}, "pinned chunks");
    run_all_failures(one->scene, one->call, &(shoal_world_def){.move_rows = true}, "moving rows");
}

int failing_run_tests(const failing_scene *scene, const failing_call *calls, size_t call_count,
                      const struct CMUnitTest *others, size_t other_count) {
    struct CMUnitTest *tests = calloc(call_count + other_count, sizeof *tests);
    failing_case *cases = calloc(call_count, sizeof *cases);
    if (tests == NULL || cases == NULL) {
        abort();
    }
    for (size_t i = 0; i < other_count; i++) {
        tests[i] = others[i];
    }
    for (size_t i = 0; i < call_count; i++) {
        cases[i] = (failing_case){scene, &calls[i]};
        tests[other_count + i] =
            (struct CMUnitTest){.name = calls[i].name, .test_func = run_case, .initial_state = &cases[i]};
    }
    int failed_count = _cmocka_run_group_tests("calls", tests, call_count + other_count, NULL, NULL);
    free(cases);
    free(tests);
    return failed_count;
}

void failing_empty(fixture *f, uint64_t left) {
    fake_allocator_arm(&f->fake, 1, true);
    shoal_entity entity = {0};
    while (shoal_next_entity(f->world, &entity)) {
        assert_ok(shoal_destroy(f->world, entity));
    }
    assert_count(shoal_world_entity_count(f->world), left);
    fake_allocator_disarm(&f->fake);
}
