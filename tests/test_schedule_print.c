/*
 * The schedule as text and as a graph, and the table of times: what they say of a scene with something of everything,
 * short writes, no memory, a locked world. test_schedule_json.c reads the JSON form.
 */
#define _POSIX_C_SOURCE 200809L /* popen, clock_gettime */

#include "support/rng.h"
#include "test_print.h"
#include "test_schedule_scene.h"

#include <math.h>
#include <time.h>

#define GRAPH_PROGRAM "dot"

static shoal_status emit_text(void *context, shoal_write_fn write, void *user) {
    return shoal_schedule_print(context, SHOAL_SCHEDULE_TEXT, write, user);
}

static shoal_status emit_dot(void *context, shoal_write_fn write, void *user) {
    return shoal_schedule_print(context, SHOAL_SCHEDULE_DOT, write, user);
}

static shoal_status emit_json(void *context, shoal_write_fn write, void *user) {
    return shoal_schedule_print(context, SHOAL_SCHEDULE_JSON, write, user);
}

static shoal_status emit_table(void *context, shoal_write_fn write, void *user) {
    return shoal_schedule_table(context, write, user);
}

/* Every one of `parts` is in the text, each behind the one before. */
static void check_parts(const char *text, const char *const *parts, size_t count) {
    const char *place = text;
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(place, parts[i]);
        if (found == NULL) {
            fail_msg("%s\nhas no\n%s\n", text, parts[i]);
            return;
        }
        place = found + strlen(parts[i]);
    }
}
#define assert_parts(text, ...)                                                                                        \
    check_parts((text), (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* ---- text ---- */

static void test_text_of_everything(void **state) {
    (void)state;
    steps s;
    steps_start_world(&s, &(shoal_world_def){.name = "sea \"one\""}, NULL);
    scene_add(&s);
    sink text = sink_of(emit_text, s.world);
    assert_sink(&text,
                "schedule of world \"sea \\\"one\\\"\": 9 systems (3 fused), 7 tasks in 4 stages, 2 sync points\n"
                "\n"
                "phase update\n"
                "  stage 1\n"
                "    fused chain\n"
                "      steer: writes Velocity; reads Link\n"
                "      turn: writes Velocity\n"
                "        after steer (conflict on Velocity)\n"
                "      move: writes Position; reads Velocity\n"
                "        after turn (chain; conflict on Velocity)\n"
                "    spawn [once, commands, condition, every 30 steps from 2]: reads Gauge (lookup)\n"
                "    keep [serial, barrier]: writes Health\n"
                "  sync point: applies the commands of spawn\n"
                "  stage 2\n"
                "    reap [commands]: reads Position (lookup), Health (also lookup)\n"
                "      after move (conflict on Position)\n"
                "      after spawn (before)\n"
                "      after keep (after_unsynced; conflict on Health)\n"
                "  sync point: applies the commands of reap\n"
                "\n"
                "phase post-update\n"
                "  stage 3\n"
                "    load [exclusive]\n"
                "\n"
                "phase output\n"
                "  stage 4\n"
                "    draw <all> & \"more\" [main]: reads Position\n"
                "    hud [once, main, every 20 ms]: writes Letter (lookup)\n"
                "\n"
                "no order is declared between\n"
                "  steer and turn (conflict on Velocity)\n"
                "  steer and move (conflict on Velocity)\n"
                "  move and reap (conflict on Position)\n");
    sink_free(&text);
    steps_end(&s);
}

/* Of five writers in a row each comes after the one before; the other six conflicts follow from that. */
static void test_text_leaves_out_what_follows(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static const size_t acknowledged[] = {0, 1, 0, 0, 4}; /* how many of those before it */
    for (size_t i = 0; i < 5; i++) {
        SCENE_ONCE(&s, names[i], .lookups = SHOAL_TERMS(SHOAL_WRITE(Health)), .acknowledge = names,
                   .acknowledge_count = acknowledged[i]);
    }
    sink text = sink_of(emit_text, s.world);
    assert_parts(text.written.text, "stage 1\n"
                                    "    a [once]: writes Health (lookup)\n"
                                    "    b [once]: writes Health (lookup)\n"
                                    "      after a (conflict on Health)\n"
                                    "    c [once]: writes Health (lookup)\n"
                                    "      after b (conflict on Health)\n"
                                    "    d [once]: writes Health (lookup)\n"
                                    "      after c (conflict on Health)\n"
                                    "    e [once]: writes Health (lookup)\n"
                                    "      after d (conflict on Health)\n"
                                    "\n"
                                    "no order is declared between\n"
                                    "  a and c (conflict on Health)\n"
                                    "  a and d (conflict on Health)\n"
                                    "  b and c (conflict on Health)\n"
                                    "  b and d (conflict on Health)\n"
                                    "  c and d (conflict on Health)\n");
    assert_count(strlen(strstr(text.written.text, "  c and d")), strlen("  c and d (conflict on Health)\n"));
    sink_free(&text);
    steps_end(&s);
}

static void test_text_of_an_order_that_follows_but_is_declared(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    SCENE_ONCE(&s, "a", .before = SHOAL_NAMES("c"));
    SCENE_ONCE(&s, "b", .after = SHOAL_NAMES("a"));
    SCENE_ONCE(&s, "c", .after = SHOAL_NAMES("b", "a"));
    sink text = sink_of(emit_text, s.world);
    assert_parts(text.written.text, "c [once]\n      after a (before; after)\n      after b (after)\n");
    sink_free(&text);
    steps_end(&s);
}

static void test_text_after_changes(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *one = SCENE_ONCE(&s, "one", .period_ns = 1500);
    sink text = sink_of(emit_text, s.world);
    assert_parts(text.written.text, ": 1 system, 1 task in 1 stage, 0 sync points\n", "one [once, every 1500 ns]\n");
    sink_free(&text);
    assert_ok(shoal_system_enable(one, false));
    SCENE_ONCE(&s, "two", .exclusive = true, .every = 2);
    text = sink_of(emit_text, s.world);
    assert_parts(text.written.text, "  stage 1\n    one [once, off, every 1500 ns]\n",
                 "  stage 2\n    two [exclusive, every 2 steps]\n      after one (exclusive)\n");
    sink_free(&text);
    steps_end(&s);
}

static void test_text_of_nothing(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    sink text = sink_of(emit_text, s.world);
    assert_sink(&text, "schedule of world \"world\": 0 systems, 0 tasks in 0 stages, 0 sync points\n");
    sink_free(&text);
    sink dot = sink_of(emit_dot, s.world);
    assert_parts(dot.written.text, "digraph schedule {\n", "}\n");
    sink_free(&dot);
    steps_end(&s);
    shoal_world *bare = shoal_world_create(&(shoal_world_def){0}); /* has no schedule either */
    sink table = sink_of(emit_table, bare);
    assert_sink(&table, "system  runs  rows  last us  total ms  jobs  share %\n");
    sink_free(&table);
    assert_ok(shoal_world_destroy(bare));
}

/* ---- the graph ---- */

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *place = text; (place = strstr(place, part)) != NULL; place += strlen(part)) {
        count++;
    }
    return count;
}

static void test_graph_of_everything(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    scene_add(&s);
    sink dot = sink_of(emit_dot, s.world);
    const char *text = dot.written.text;
    assert_ptr_equal(strstr(text, "digraph"), text);
    assert_count(count_of(text, "subgraph cluster_p"), 3);
    assert_count(count_of(text, "subgraph cluster_s"), 4);
    assert_count(count_of(text, "<TABLE"), 7);
    assert_count(count_of(text, "<TR>"), 9);
    assert_count(count_of(text, "<B>sync</B>"), 2);
    assert_parts(text, "draw &lt;all&gt; &amp; &quot;more&quot;</B>");
    assert_null(strstr(text, "<all>"));
    assert_parts(text, "<B>steer</B>", "writes Velocity", "reads Link", "<B>turn</B>", "<B>move</B>", "</TABLE>");
    assert_parts(text, "  t0_1 -> e0 [color="); /* spawn, whose commands are applied */
    assert_parts(text, "  t0_2 -> e0 [style=invis]");
    assert_parts(text, "  e0 -> t1_0 [color="); /* reap has asked for them */
    sink_free(&dot);
    steps_end(&s);
}

static void test_graph_of_edges(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    SCENE_ONCE(&s, "a", .lookups = SHOAL_TERMS(SHOAL_WRITE(Health), SHOAL_WRITE(Position)));
    SCENE_ONCE(&s, "b", .lookups = SHOAL_TERMS(SHOAL_READ(Health), SHOAL_READ(Position)));
    SCENE_ONCE(&s, "c", .after_unsynced = SHOAL_NAMES("b"));
    SCENE_ONCE(&s, "d", .after = SHOAL_NAMES("c"), .lookups = SHOAL_TERMS(SHOAL_WRITE(Position)));
    sink dot = sink_of(emit_dot, s.world);
    assert_parts(dot.written.text, "t0_0 -> t0_1 [color=\"#c05a1c\", label=<Position<BR/>Health>];\n",
                 "t0_1 -> t0_2 [color=\"#30343b\", style=dashed];\n", "t0_2 -> t0_3 [color=\"#30343b\"];\n");
    assert_null(strstr(dot.written.text, "t0_0 -> t0_3")); /* follows */
    assert_null(strstr(dot.written.text, "t0_1 -> t0_3"));
    sink_free(&dot);
    steps_end(&s);
}

static bool has_graphviz(void) {
    FILE *found = popen("command -v " GRAPH_PROGRAM, "r");
    char line[256];
    bool has = found != NULL && fgets(line, sizeof line, found) != NULL;
    return found != NULL && pclose(found) == 0 && has;
}

/* What Graphviz says of a graph, which should be nothing. */
static void check_graph(shoal_world *world) {
    FILE *program = popen(GRAPH_PROGRAM " -Tplain -o graph.plain 2>graph.errors", "w");
    assert_non_null(program);
    assert_ok(shoal_schedule_print(world, SHOAL_SCHEDULE_DOT, shoal_write_file, program));
    assert_int_equal(pclose(program), 0);
    FILE *errors = fopen("graph.errors", "r");
    assert_non_null(errors);
    char line[256];
    while (fgets(line, sizeof line, errors) != NULL) {
        print_error("%s", line);
    }
    assert_int_equal(ftell(errors), 0);
    assert_int_equal(fclose(errors), 0);
    (void)remove("graph.errors");
    (void)remove("graph.plain");
}

/* Systems with terms, orders and commands at random. */
static void add_random(steps *s, size_t count) {
    rng random = {1};
    const shoal_component components[] = {SHOAL_ID(Position), SHOAL_ID(Velocity), SHOAL_ID(Health), SHOAL_ID(Letter)};
    char names[60][16];
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "s%zu", i);
        shoal_term terms[1] = {{.component = components[rng_below(&random, 4)],
                                .access = rng_chance(&random, 40) ? SHOAL_ACCESS_WRITE : SHOAL_ACCESS_READ}};
        const char *after[1] = {i != 0 ? names[rng_below(&random, (uint32_t)i)] : NULL};
        shoal_system_def def = {.name = names[i],
                                .commands = rng_chance(&random, 20),
                                .after = after,
                                .after_count = i != 0 && rng_chance(&random, 30)};
        if (rng_chance(&random, 60)) {
            def.each = scene_each;
            def.query = (shoal_query_def){.terms = terms, .term_count = 1};
        } else {
            def.once = scene_once;
            def.lookups = terms;
            def.lookup_count = 1;
        }
        steps_add(s, &def);
    }
}

static void test_graph_is_read_by_graphviz(void **state) {
    (void)state;
    if (!has_graphviz()) {
        skip();
    }
    for (size_t scene = 0; scene < 3; scene++) {
        steps s;
        steps_start(&s, NULL);
        if (scene == 1) {
            scene_add(&s);
        } else if (scene == 2) {
            add_random(&s, 60);
        }
        check_graph(s.world);
        steps_end(&s);
    }
}

/* ---- the table ---- */

static shoal_status spin(const shoal_run *run) {
    struct timespec begin;
    struct timespec now;
    (void)run;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000 + (now.tv_nsec - begin.tv_nsec) < 2000000);
    return SHOAL_OK;
}

/* The clock that runs are measured by is another one, so half of the time is enough. */
static void test_times_of_a_system(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    shoal_system *slow = STEPS_ADD(&s, "slow", .once = spin);
    assert_count(steps_stats(slow).nanoseconds, 0);
    assert_count(steps_stats(slow).last_ns, 0);
    steps_go(&s, 1);
    shoal_system_stats first = steps_stats(slow);
    assert_true(first.nanoseconds >= 1000000);
    assert_count(first.last_ns, first.nanoseconds);
    steps_go(&s, 1);
    shoal_system_stats second = steps_stats(slow);
    assert_true(second.last_ns >= 1000000);
    assert_true(second.nanoseconds >= first.nanoseconds + 1000000);
    steps_end(&s);
}

typedef struct table_line {
    char name[16];
    unsigned long long runs, rows, jobs;
    double last, total, share;
} table_line;

static table_line line_of(const char *text, size_t number) {
    table_line line;
    for (size_t i = 0; i <= number; i++) {
        text = strchr(text, '\n') + 1;
    }
    assert_int_equal(sscanf(text, "%15s %llu %llu %lf %lf %llu %lf", line.name, &line.runs, &line.rows, &line.last,
                            &line.total, &line.jobs, &line.share),
                     7);
    return line;
}

static void test_table(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    SCENE_ONCE(&s, "quick", .every = 2);
    SCENE_EACH(&s, "rows", "write Position");
    STEPS_ADD(&s, "slow_system", .once = spin);
    steps_spawn(s.world, 12345, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position)));
    steps_go(&s, 10);
    sink table = sink_of(emit_table, s.world);
    const char *text = table.written.text;
    assert_parts(text, "system  ", " runs ", " rows ", " last us ", " total ms ", " jobs ", " share %\n");
    size_t width = strcspn(text, "\n");
    for (const char *place = text; *place != '\0'; place += width + 1) {
        assert_count(strcspn(place, "\n"), width);
    }
    double total = 1e9;
    double shares = 0;
    for (size_t i = 0; i < 3; i++) {
        table_line line = line_of(text, i);
        shoal_system_stats stats = steps_stats(shoal_system_find(s.world, line.name));
        assert_count(line.runs, stats.runs);
        assert_count(line.rows, stats.rows);
        assert_count(line.jobs, stats.jobs);
        assert_true(fabs(line.last * 1e3 - (double)stats.last_ns) < 0.5);
        assert_true(fabs(line.total * 1e6 - (double)stats.nanoseconds) < 501);
        assert_true(line.total <= total);
        total = line.total;
        shares += line.share;
    }
    assert_string_equal(line_of(text, 0).name, "slow_system");
    assert_true(fabs(shares - 100) < 0.16); /* three of them are rounded */
    sink_free(&table);
    steps_end(&s);
}

/* ---- what is refused, and failures ---- */

static void test_refused(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    scene_add(&s);
    sink text = sink_make(SIZE_MAX);
    assert_status(shoal_schedule_print(NULL, SHOAL_SCHEDULE_TEXT, sink_write, &text), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_schedule_print(s.world, SHOAL_SCHEDULE_TEXT, NULL, &text), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_schedule_print(s.world, (shoal_schedule_format)3, sink_write, &text), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_schedule_table(NULL, sink_write, &text), SHOAL_INVALID_ARGUMENT);
    assert_status(shoal_schedule_table(s.world, NULL, &text), SHOAL_INVALID_ARGUMENT);
    SCENE_ONCE(&s, "lost", .after = SHOAL_NAMES("nobody"));
    assert_status(shoal_schedule_print(s.world, SHOAL_SCHEDULE_JSON, sink_write, &text), SHOAL_SYSTEM_MISSING);
    assert_message_has(s.world, "shoal_schedule_print");
    assert_count(text.call_count, 0);
    steps_end(&s);
}

static void test_world_is_locked_while_it_is_written(void **state) {
    (void)state;
    static const struct {
        emit_fn emit;
        const char *call;
    } calls[] = {{emit_text, "shoal_schedule_print"},
                 {emit_dot, "shoal_schedule_print"},
                 {emit_json, "shoal_schedule_print"},
                 {emit_table, "shoal_schedule_table"}};
    steps s;
    steps_start(&s, NULL);
    scene_add(&s);
    for (size_t i = 0; i < 4; i++) {
        sink text = sink_make(SIZE_MAX);
        text.world = s.world;
        assert_ok(calls[i].emit(s.world, sink_write, &text));
        assert_true(text.call_count != 0);
        assert_count(text.refused_count, text.call_count);
        assert_string_equal(text.holder, calls[i].call);
        sink_free(&text);
        check_short_writes(s.world, calls[i].emit, s.world, calls[i].call);
    }
    steps_end(&s);
}

static shoal_status table_in_a_step(const shoal_run *run) {
    shoal_status *status = run->user;
    sink table = sink_make(SIZE_MAX);
    *status = shoal_schedule_table(run->world, sink_write, &table);
    sink_free(&table);
    return SHOAL_OK;
}

static void test_table_in_a_step(void **state) {
    (void)state;
    for (size_t exclusive = 0; exclusive < 2; exclusive++) {
        steps s;
        steps_start(&s, NULL);
        shoal_status status = SHOAL_INVALID_ARGUMENT;
        SCENE_ONCE(&s, "other", .chain = NULL);
        STEPS_ADD(&s, "asks", .once = table_in_a_step, .user = &status, .exclusive = exclusive != 0);
        assert_ok(shoal_world_step(s.world, 1));
        assert_status(status, exclusive != 0 ? SHOAL_OK : SHOAL_WORLD_LOCKED);
        steps_end(&s);
    }
}

static void test_no_memory(void **state) {
    (void)state;
    static const emit_fn calls[] = {emit_text, emit_dot, emit_json, emit_table};
    for (size_t i = 0; i < 4; i++) {
        steps s;
        steps_start(&s, NULL);
        scene_add(&s);
        size_t failures = 0;
        for (size_t n = 1;; n++) {
            sink text = sink_make(SIZE_MAX);
            fake_allocator_arm(&s.fake, n, false);
            shoal_status status = calls[i](s.world, sink_write, &text);
            if (!fake_allocator_disarm(&s.fake)) {
                assert_ok(status);
                assert_true(text.written.length != 0);
                sink_free(&text);
                break;
            }
            assert_status(status, SHOAL_OUT_OF_MEMORY);
            assert_last_error(s.world, SHOAL_OUT_OF_MEMORY);
            assert_count(text.call_count, 0);
            failures++;
        }
        assert_true(failures != 0);
        steps_end(&s);
    }
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_of_everything),
        cmocka_unit_test(test_text_leaves_out_what_follows),
        cmocka_unit_test(test_text_of_an_order_that_follows_but_is_declared),
        cmocka_unit_test(test_text_after_changes),
        cmocka_unit_test(test_text_of_nothing),
        cmocka_unit_test(test_graph_of_everything),
        cmocka_unit_test(test_graph_of_edges),
        cmocka_unit_test(test_graph_is_read_by_graphviz),
        cmocka_unit_test(test_times_of_a_system),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_world_is_locked_while_it_is_written),
        cmocka_unit_test(test_table_in_a_step),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
