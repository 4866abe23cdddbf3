/*
 * Fusion: chains of systems that only touch their own rows go through the rows strip by strip, and nothing but the time
 * it takes shows. Random chains on random worlds come to the same bits as the same systems one after the other, on any
 * number of workers; what must end a chain ends it.
 */
#include "support/calls.h"
#include "support/components.h"
#include "support/rng.h"
#include "support/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Mass {
    double value;
} Mass;

typedef struct Sum {
    double real;
    int64_t whole;
} Sum;

typedef struct Factor {
    float value;
    int32_t on;
} Factor;

SHOAL_COMPONENT(Mass, .fields = SHOAL_FIELDS(SHOAL_FIELD(Mass, value)))
SHOAL_COMPONENT(Sum, .storage = SHOAL_STORAGE_UNIQUE,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Sum, real), SHOAL_FIELD(Sum, whole)))
SHOAL_COMPONENT(Factor, .storage = SHOAL_STORAGE_UNIQUE,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Factor, value), SHOAL_FIELD(Factor, on)))
SHOAL_TAG(Awake, .toggle = true)

/* ---- the links of chains ---- */

static shoal_status move(const shoal_run *run, shoal_view *view) {
    Position *position = SHOAL_COLUMN_MUT(view, Position);
    const Velocity *velocity = SHOAL_COLUMN(view, Velocity);
    for (size_t i = 0; i < view->count; i++) {
        position[i].x += velocity[i].x * (float)run->dt;
        position[i].y = position[i].y * 0.75f + velocity[i].y / 3;
        position[i].z -= velocity[i].z;
    }
    return SHOAL_OK;
}

static shoal_status turn_round(const shoal_run *run, shoal_view *view) {
    (void)run;
    const Position *position = SHOAL_COLUMN(view, Position);
    Velocity *velocity = SHOAL_COLUMN_MUT(view, Velocity);
    for (size_t i = 0; i < view->count; i++) {
        velocity[i].x = position[i].y / (1 + fabsf(position[i].x));
        velocity[i].y = sqrtf(fabsf(position[i].z)) - velocity[i].z;
        velocity[i].z = position[i].x * 0.01f;
    }
    return SHOAL_OK;
}

static shoal_status weigh(const shoal_run *run, shoal_view *view) {
    Mass *mass = SHOAL_COLUMN_MUT(view, Mass);
    const Position *position = SHOAL_COLUMN(view, Position);
    for (size_t i = 0; i < view->count; i++) {
        mass[i].value = mass[i].value * 0.5 + (double)position[i].x + (double)run->tick;
    }
    return SHOAL_OK;
}

static shoal_status mix(const shoal_run *run, shoal_view *view) {
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    for (size_t i = 0; i < view->count; i++) {
        uint32_t value = (uint32_t)health[i].value * 1664525u + shoal_entity_index(view->entities[i]);
        health[i].value = (int32_t)(value ^ (uint32_t)run->tick);
    }
    return SHOAL_OK;
}

static shoal_status drain(const shoal_run *run, shoal_view *view) {
    (void)run;
    Health *health = SHOAL_COLUMN_MUT(view, Health);
    const Mass *mass = SHOAL_COLUMN(view, Mass);
    for (size_t i = 0; i < view->count; i++) {
        health[i].value ^= mass[i].value > 10 ? 0x5555 : 0x3333;
    }
    return SHOAL_OK;
}

static shoal_status wake(const shoal_run *run, shoal_view *view) {
    (void)run;
    Position *position = SHOAL_COLUMN_MUT(view, Position);
    for (size_t i = 0; i < view->count; i++) {
        position[i].z += 0.125f;
    }
    return SHOAL_OK;
}

static shoal_status wake_masked(const shoal_run *run, shoal_view *view) {
    (void)run;
    Position *position = SHOAL_COLUMN_MUT(view, Position);
    SHOAL_ROWS(view, i) {
        position[i].y += 0.375f;
    }
    return SHOAL_OK;
}

static shoal_status add_up(const shoal_run *run, shoal_view *view) {
    const Mass *mass = SHOAL_COLUMN(view, Mass);
    Sum *sum = SHOAL_SUM(run, 0, Sum);
    for (size_t i = 0; i < view->count; i++) {
        sum->real += mass[i].value / 7;
        sum->whole++;
    }
    return SHOAL_OK;
}

static shoal_status scale(const shoal_run *run, shoal_view *view) {
    const Sum *sum = SHOAL_UNIQUE(run->world, Sum);
    Mass *mass = SHOAL_COLUMN_MUT(view, Mass);
    for (size_t i = 0; i < view->count; i++) {
        mass[i].value += sum->real / (double)(sum->whole + 1) * 0.001;
    }
    return SHOAL_OK;
}

static bool is_on(const shoal_run *run) {
    const Factor *factor = SHOAL_UNIQUE(run->world, Factor);
    return factor->on != 0;
}

static shoal_status flip(const shoal_run *run) {
    Factor *factor = SHOAL_UNIQUE_MUT(run->world, Factor);
    factor->on = run->tick % 3 != 0;
    return SHOAL_OK;
}

static shoal_status some_spawn(const shoal_run *run, shoal_view *view) {
    const Health *health = SHOAL_COLUMN(view, Health);
    for (size_t i = 0; i < view->count; i++) {
        if (health[i].value % 97 == 0) {
            shoal_status status = SHOAL_COMMANDS_ADD(run->commands, view->entities[i], Mass, (double)health[i].value);
            shoal_entity made = shoal_commands_spawn(
                run->commands, SHOAL_VALUES(SHOAL_VALUE(Health, health[i].value / 3), SHOAL_DEFAULT(Position)));
            if (status != SHOAL_OK || shoal_entity_is_null(made)) {
                return SHOAL_OUT_OF_MEMORY;
            }
        }
    }
    return SHOAL_OK;
}

typedef struct link {
    shoal_status (*each)(const shoal_run *run, shoal_view *view);
    const char *terms;
    bool masked, commands, sums, reads_sum, gated;
} link;

static const link links[] = {
    {.each = move, .terms = "write Position, read Velocity"},
    {.each = turn_round, .terms = "read Position, write Velocity"},
    {.each = weigh, .terms = "read Position, write Mass"},
    {.each = mix, .terms = "write Health"},
    {.each = mix, .terms = "write Health, without Frozen", .gated = true},
    {.each = drain, .terms = "write Health, read Mass"},
    {.each = wake, .terms = "write Position, with Awake"},
    {.each = wake_masked, .terms = "write Position, with Awake", .masked = true},
    {.each = add_up, .terms = "read Mass", .sums = true},
    {.each = scale, .terms = "write Mass", .reads_sum = true},
    {.each = some_spawn, .terms = "read Health", .commands = true},
};
#define LINK_COUNT (sizeof links / sizeof links[0])

static void add_link(steps *s, const char *name, const link *l, rng *random) {
    shoal_term sum_reads[] = {SHOAL_READ(Sum)};
    shoal_term gate_reads[] = {SHOAL_READ(Factor)};
    shoal_reduction sums[] = {REDUCE(SUM, Sum)};
    STEPS_ADD(s, name, .each = l->each, .query = {.text = l->terms}, .masked = l->masked, .commands = l->commands,
              .reductions = sums, .reduction_count = l->sums, .lookups = sum_reads, .lookup_count = l->reads_sum,
              .condition = l->gated ? is_on : NULL, .condition_reads = gate_reads, .condition_read_count = l->gated,
              .barrier = rng_chance(random, 10), .serial = rng_chance(random, 5),
              .every = rng_chance(random, 10) ? 2 : 0);
}

/* ---- random worlds ---- */

static void spawn_random(shoal_world *world, rng *random) {
    size_t groups = 1 + rng_below(random, 12);
    for (size_t g = 0; g < groups; g++) {
        shoal_value values[6];
        size_t count = 0;
        shoal_component kinds[] = {SHOAL_ID(Position), SHOAL_ID(Velocity), SHOAL_ID(Mass),
                                   SHOAL_ID(Health),   SHOAL_ID(Frozen),   SHOAL_ID(Awake)};
        for (size_t k = 0; k < 6; k++) {
            if (rng_chance(random, k < 4 ? 75 : 40)) {
                values[count++] = (shoal_value){kinds[k], NULL};
            }
        }
        size_t rows = 1 + rng_below(random, rng_chance(random, 30) ? 5000 : 300);
        for (size_t i = 0; i < rows; i++) {
            shoal_entity entity = spawn_one(world, values, count);
            Position *position = SHOAL_HAS(world, entity, Position) ? SHOAL_GET_MUT(world, entity, Position) : NULL;
            Velocity *velocity = SHOAL_HAS(world, entity, Velocity) ? SHOAL_GET_MUT(world, entity, Velocity) : NULL;
            Health *health = SHOAL_HAS(world, entity, Health) ? SHOAL_GET_MUT(world, entity, Health) : NULL;
            if (position != NULL) {
                *position = (Position){(float)i * 0.37f, (float)rng_below(random, 1000) / 7, (float)g};
            }
            if (velocity != NULL) {
                *velocity = (Velocity){(float)rng_below(random, 100) / 3, 1.1f, -(float)i};
            }
            if (health != NULL) {
                health->value = (int32_t)rng_below(random, 100000);
            }
            if (SHOAL_HAS(world, entity, Awake) && rng_chance(random, 30)) {
                turn(world, entity, SHOAL_ID(Awake), false);
            }
        }
    }
}

/* Every row's bytes, in the order of iteration. */
static void append_columns(text_buffer *to, shoal_world *world) {
    shoal_query *query = make_query(world, SHOAL_TERMS(SHOAL_OPTIONAL(Position), SHOAL_OPTIONAL(Velocity),
                                                       SHOAL_OPTIONAL(Mass), SHOAL_OPTIONAL(Health)));
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        const void *columns[] = {SHOAL_COLUMN(&view, Position), SHOAL_COLUMN(&view, Velocity),
                                 SHOAL_COLUMN(&view, Mass), SHOAL_COLUMN(&view, Health)};
        static const size_t sizes[] = {sizeof(Position), sizeof(Velocity), sizeof(Mass), sizeof(Health)};
        for (size_t i = 0; i < view.count; i++) {
            uint64_t name = view.entities[i].bits & 0xFFFFFFFFFFFFu; /* without the world's tag */
            text_add_bytes(to, (const char *)&name, sizeof name);
        }
        for (size_t k = 0; k < 4; k++) {
            if (columns[k] != NULL) {
                text_add_bytes(to, columns[k], sizes[k] * view.count);
            }
        }
    }
    assert_ok(shoal_query_destroy(query));
}

typedef struct outcome {
    text_buffer columns;
    Sum sum;
    uint64_t hash;
    uint32_t fused;
    size_t runs;
} outcome;

static outcome run_chain(uint64_t seed, const shoal_schedule_def *schedule) {
    outcome found = {.runs = 0};
    rng random = {seed};
    steps s;
    steps_start(&s, schedule);
    spawn_random(s.world, &random);
    assert_ok(SHOAL_UNIQUE_SET(s.world, Factor, .value = 1));
    assert_ok(SHOAL_UNIQUE_SET(s.world, Sum, .real = 1));
    STEPS_ADD(&s, "flip", .once = flip, .lookups = SHOAL_TERMS(SHOAL_WRITE(Factor)), .phase = "pre-update");
    size_t count = 2 + rng_below(&random, 12);
    for (size_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "link%zu", i);
        add_link(&s, name, &links[rng_below(&random, LINK_COUNT)], &random);
    }
    steps_go(&s, 5);
    append_columns(&found.columns, s.world);
    found.sum = *SHOAL_UNIQUE(s.world, Sum);
    found.hash = steps_can_hash(s.world) ? steps_hash(s.world, SHOAL_HASH_LAYOUT) : 0;
    found.fused = steps_schedule(&s).fused;
    for (size_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "link%zu", i);
        shoal_system_stats stats = steps_stats(shoal_system_find(s.world, name));
        found.runs = found.runs * 31 + (size_t)(stats.runs * 1000003 + stats.rows);
    }
    steps_end(&s);
    return found;
}

static void check_same(outcome *found, const outcome *expected) {
    assert_count(found->columns.length, expected->columns.length);
    assert_memory_equal(found->columns.text, expected->columns.text, expected->columns.length);
    assert_memory_equal(&found->sum, &expected->sum, sizeof expected->sum);
    assert_true(found->hash == expected->hash);
    assert_count(found->runs, expected->runs);
    text_free(&found->columns);
}

static void test_fused_is_unfused_bit_for_bit(void **state) {
    (void)state;
    uint64_t seed = test_environment("SHOAL_SEED", 11);
    uint64_t rounds = test_environment("SHOAL_ROUNDS", 12);
    print_message("seed %llu\n", (unsigned long long)seed);
    uint32_t fused = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        uint64_t own = seed * 1000 + round;
        outcome expected = run_chain(own, &(shoal_schedule_def){.alone = true, .no_fusion = true});
        assert_count(expected.fused, 0);
        static const uint32_t workers[] = {0, 1, 2, 4};
        for (size_t w = 0; w < 4; w++) {
            test_set_context("seed %llu, round %llu, %u workers", (unsigned long long)seed, (unsigned long long)round,
                             workers[w]);
            shoal_schedule_def def = {.worker_count = workers[w], .alone = workers[w] == 0};
            outcome found = run_chain(own, &def);
            fused += found.fused;
            check_same(&found, &expected);
            def.no_fusion = true;
            found = run_chain(own, &def);
            check_same(&found, &expected);
        }
        text_free(&expected.columns);
    }
    test_set_context("%s", "");
    assert_true(fused > 0);
}

/* ---- what is fused ---- */

/* Adds three systems that move, turn and move again; the middle one as given. */
static void add_three(steps *s, const shoal_system_def *middle) {
    STEPS_ADD(s, "first", .each = move, .query = {.text = "write Position, read Velocity"});
    shoal_system_def own = *middle;
    own.name = "middle";
    own.each = turn_round;
    own.query.text = "read Position, write Velocity";
    steps_add(s, &own);
    STEPS_ADD(s, "last", .each = move, .query = {.text = "write Position, read Velocity"});
}

static uint32_t fused_with(const shoal_system_def *middle, bool no_fusion) {
    steps s;
    steps_start(&s, &(shoal_schedule_def){.alone = true, .no_fusion = no_fusion});
    steps_spawn(s.world, 3000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)));
    add_three(&s, middle);
    steps_go(&s, 1);
    uint32_t fused = steps_schedule(&s).fused;
    assert_count(steps_schedule(&s).systems, 3);
    steps_end(&s);
    return fused;
}

static void test_neighbours_are_fused(void **state) {
    (void)state;
    assert_count(fused_with(&(shoal_system_def){0}, false), 3);
    assert_count(fused_with(&(shoal_system_def){0}, true), 0);
}

static void test_barrier_ends_a_chain(void **state) {
    (void)state;
    assert_count(fused_with(&(shoal_system_def){.barrier = true}, false), 0);
}

static void test_lookup_of_what_the_chain_writes_ends_it(void **state) {
    (void)state;
    shoal_term reads[] = {SHOAL_READ(Position)};
    assert_count(fused_with(&(shoal_system_def){.lookups = reads, .lookup_count = 1}, false), 0);
}

static void test_reader_of_a_sum_is_not_in_its_chain(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    for (int i = 0; i < 3000; i++) {
        spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Mass, i)));
    }
    STEPS_ADD(&s, "sum", .each = add_up, .query = {.text = "read Mass"},
              .reductions = SHOAL_REDUCTIONS(REDUCE(SUM, Sum)));
    STEPS_ADD(&s, "scale", .each = scale, .query = {.text = "write Mass"}, .lookups = SHOAL_TERMS(SHOAL_READ(Sum)));
    steps_go(&s, 1);
    const Sum *sum = SHOAL_UNIQUE(s.world, Sum);
    assert_count((uint64_t)sum->whole, 3000);
    const Mass *mass = SHOAL_GET(s.world, shoal_entity_make(s.world, 5, 0), Mass);
    assert_true(mass->value == 5 + sum->real / 3001 * 0.001);
    steps_end(&s);
}

static void test_synced_order_ends_a_chain(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    for (int i = 0; i < 1000; i++) {
        spawn_one(s.world, SHOAL_VALUES(SHOAL_VALUE(Health, 97 * i)));
    }
    STEPS_ADD(&s, "spawn", .each = some_spawn, .query = {.text = "read Health"}, .commands = true);
    shoal_system *after =
        STEPS_ADD(&s, "after", .each = mix, .query = {.text = "write Health"}, .after = SHOAL_NAMES("spawn"));
    steps_go(&s, 1);
    assert_count(steps_stats(after).last_rows, 2000);
    steps_end(&s);
}

static void test_print_shows_what_is_fused(void **state) {
    (void)state;
    text_buffer texts[2] = {{0}};
    for (size_t no_fusion = 0; no_fusion < 2; no_fusion++) {
        steps s;
        steps_start(&s, &(shoal_schedule_def){.alone = true, .no_fusion = no_fusion != 0});
        add_three(&s, &(shoal_system_def){0});
        steps_spawn(s.world, 10, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)));
        assert_ok(shoal_schedule_print(s.world, SHOAL_SCHEDULE_TEXT, steps_write, &texts[no_fusion]));
        assert_count(steps_schedule(&s).tasks, no_fusion != 0 ? 3 : 1);
        steps_end(&s);
    }
    assert_non_null(strstr(texts[0].text, "fused"));
    assert_string_not_equal(texts[0].text, texts[1].text);
    text_free(&texts[0]);
    text_free(&texts[1]);
}

static shoal_status fail_rows(const shoal_run *run, shoal_view *view) {
    (void)run;
    (void)view;
    return SHOAL_NOT_FOUND;
}

static void conf_I5_failure_inside_of_a_chain(void **state) {
    (void)state;
    for (size_t no_fusion = 0; no_fusion < 2; no_fusion++) {
        steps s;
        steps_start(&s, &(shoal_schedule_def){.alone = true, .no_fusion = no_fusion != 0});
        steps_spawn(s.world, 5000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
        STEPS_ADD(&s, "one", .each = steps_count_up, .query = {.text = "write Health"});
        STEPS_ADD(&s, "bad", .each = fail_rows, .query = {.text = "read Health"});
        STEPS_ADD(&s, "two", .each = steps_count_up, .query = {.text = "write Health"});
        assert_status(shoal_world_step(s.world, 1), SHOAL_NOT_FOUND);
        assert_message_has(s.world, "bad");
        steps_check_health(s.world, 2, 5000);
        steps_end(&s);
    }
}

static void test_switched_off_inside_of_a_chain(void **state) {
    (void)state;
    steps s;
    steps_start(&s, NULL);
    steps_spawn(s.world, 5000, NULL, SHOAL_VALUES(SHOAL_DEFAULT(Health)));
    STEPS_ADD(&s, "one", .each = steps_count_up, .query = {.text = "write Health"});
    shoal_system *two = STEPS_ADD(&s, "two", .each = steps_count_up, .query = {.text = "write Health"});
    STEPS_ADD(&s, "three", .each = steps_count_up, .query = {.text = "write Health"}, .every = 2);
    steps_go(&s, 2);
    steps_check_health(s.world, 5, 5000);
    assert_ok(shoal_system_enable(two, false));
    steps_go(&s, 2);
    steps_check_health(s.world, 8, 5000);
    steps_end(&s);
}

int main(void) {
    kinds_register();
    /* Terms as text find types by name, so each must be registered. */
    (void)SHOAL_ID(Mass);
    (void)SHOAL_ID(Sum);
    (void)SHOAL_ID(Factor);
    (void)SHOAL_ID(Awake);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fused_is_unfused_bit_for_bit),
        cmocka_unit_test(test_neighbours_are_fused),
        cmocka_unit_test(test_barrier_ends_a_chain),
        cmocka_unit_test(test_lookup_of_what_the_chain_writes_ends_it),
        cmocka_unit_test(test_reader_of_a_sum_is_not_in_its_chain),
        cmocka_unit_test(test_synced_order_ends_a_chain),
        cmocka_unit_test(test_print_shows_what_is_fused),
        cmocka_unit_test(conf_I5_failure_inside_of_a_chain),
        cmocka_unit_test(test_switched_off_inside_of_a_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
