/*
 * The model test: random scripts of every operation against the reference world, which is compared with the real
 * one after each step, and the real one validates itself. Each configuration runs some rounds of STEP_COUNT
 * steps; the seed of a round depends on SHOAL_SEED and the round's number only.
 *
 *   SHOAL_SEED=n     another first seed (default 1)
 *   SHOAL_ROUNDS=n   rounds for each configuration (default 6)
 *
 * A failing check prints seed, round, configuration, step and operation.
 */
#include "support/model.h"
#include "support/naive_compare.h"
#include "support/test.h"
#include "support/world_dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STEP_COUNT 400
#define POPULATION_MAX 300

/* ---- spawning ---- */

static void op_spawn(model *m) {
    value_set set;
    value_rules rules = model_rules_for_spawn(m, 6);
    value_set_draw(&set, &m->random, &rules);
    model_arm(m);
    shoal_entity made = shoal_spawn(m->world, set.real, set.count);
    if (!model_ran_out(m, model_status_of(m, made))) {
        shoal_entity expected;
        naive_outcome outcome = naive_spawn(&m->naive, set.naive, set.count, &expected);
        compare_outcome(m->world, model_status_of(m, made), outcome, "shoal_spawn");
        assert_entity(made, expected);
    }
    value_set_end(&set);
}

static void op_spawn_at(model *m) {
    uint32_t index = rng_below(&m->random, (uint32_t)m->naive.slots.count + 20);
    uint32_t now = shoal_entity_generation(naive_handle(&m->naive, index));
    uint32_t generation = now + rng_below(&m->random, 4);
    if (rng_chance(&m->random, 25)) {
        generation = rng_chance(&m->random, 50) ? 65535 : rng_below(&m->random, now + 1);
    }
    shoal_entity chosen = shoal_entity_make(m->world, index, (uint16_t)(generation < 65535 ? generation : 65535));
    value_set set;
    value_rules rules = model_rules_for_spawn(m, 4);
    rules.mistakes = false;
    value_set_draw(&set, &m->random, &rules);
    model_arm(m);
    shoal_status status = shoal_spawn_at(m->world, chosen, set.real, set.count);
    if (!model_ran_out(m, status)) {
        compare_outcome(m->world, status, naive_spawn_at(&m->naive, chosen, set.naive, set.count), "shoal_spawn_at");
    }
    value_set_end(&set);
}

static void op_reserve(model *m) {
    uint32_t first = rng_below(&m->random, (uint32_t)m->naive.slots.count + 50);
    uint32_t count = 1 + rng_below(&m->random, 10);
    model_arm(m);
    shoal_status status = shoal_reserve_range(m->world, first, count);
    if (!model_ran_out(m, status)) {
        compare_outcome(m->world, status, slots_reserve(&m->naive.slots, first, count), "shoal_reserve_range");
    }
}

static void op_clone(model *m) {
    shoal_entity source = model_pick(m);
    model_arm(m);
    shoal_entity made = shoal_clone(m->world, source);
    if (!model_ran_out(m, model_status_of(m, made))) {
        shoal_entity expected;
        naive_outcome outcome = naive_clone(&m->naive, source, &expected);
        compare_outcome(m->world, model_status_of(m, made), outcome, "shoal_clone");
        assert_entity(made, expected);
    }
}

/* What a fill callback makes and checks. */
typedef struct fill_job {
    const column_set *columns;
    size_t row_count; /* rows seen so far */
} fill_job;

static bool fill_makes(naive_value column) {
    return !column.has_data && !kind_is_tag(column.type) && column.type != KIND_OWNED && column.type != KIND_BOXED;
}

static void fill_rows(void *user, size_t first, size_t count, const shoal_entity *entities, void *const *columns) {
    fill_job *job = user;
    assert_count(first, job->row_count);
    assert_true(count > 0 && entities != NULL);
    job->row_count += count;
    for (size_t i = 0; i < job->columns->count; i++) {
        naive_value column = job->columns->naive[i];
        assert_count(columns[i] == NULL, kind_is_tag(column.type));
        for (size_t row = 0; row < count && fill_makes(column); row++) {
            unsigned char *value = (unsigned char *)columns[i] + row * kind_size(column.type);
            kind_write(column.type, column_payload(column, first + row), value);
        }
    }
}

/* The same rows, one after the other, in the reference world; all or none. */
static naive_outcome naive_spawn_rows(model *m, const value_set *set, const column_set *columns, bool filled,
                                      const shoal_entity *made) {
    naive_world before;
    naive_copy(&before, &m->naive);
    for (size_t row = 0; row < columns->row_count; row++) {
        naive_value values[2 * VALUE_SET_MAX];
        memcpy(values, set->naive, sizeof set->naive);
        for (size_t i = 0; i < columns->count; i++) {
            naive_value value = columns->naive[i];
            value.payload = column_payload(value, row);
            value.has_data = value.has_data || (filled && fill_makes(value));
            values[set->count + i] = value;
        }
        shoal_entity expected;
        naive_outcome outcome = naive_spawn(&m->naive, values, set->count + columns->count, &expected);
        if (outcome != 0) {
            naive_free(&m->naive);
            m->naive = before;
            return outcome;
        }
        if (made != NULL) {
            assert_entity(made[row], expected);
        }
    }
    naive_free(&before);
    return 0;
}

static void op_spawn_many(model *m) {
    value_rules rules = model_rules_for_spawn(m, 3);
    value_set set;
    value_set_draw(&set, &m->random, &rules);
    for (size_t i = 0; i < set.count; i++) {
        rules.excluded |= (uint32_t)1 << set.naive[i].type;
    }
    rules.mistakes = false;
    column_set columns;
    column_set_draw(&columns, &m->random, &rules, 1 + rng_below(&m->random, rng_chance(&m->random, 10) ? 200 : 12));
    bool filled = rng_chance(&m->random, 50);
    fill_job job = {.columns = &columns};
    shoal_entity *made = rng_chance(&m->random, 70) ? calloc(columns.row_count, sizeof *made) : NULL;
    shoal_spawn_many_def def = {.count = columns.row_count,
                                .values = set.real,
                                .value_count = set.count,
                                .columns = columns.real,
                                .column_count = columns.count,
                                .fill = filled ? fill_rows : NULL,
                                .user = &job,
                                .entities = made};
    model_arm(m);
    shoal_status status = shoal_spawn_many(m->world, &def);
    if (!model_ran_out(m, status)) {
        naive_outcome outcome = naive_spawn_rows(m, &set, &columns, filled, status == SHOAL_OK ? made : NULL);
        compare_outcome(m->world, status, outcome, "shoal_spawn_many");
        assert_count(job.row_count, filled && status == SHOAL_OK ? columns.row_count : 0);
    }
    free(made);
    column_set_end(&columns);
    value_set_end(&set);
}

/* ---- destroying ---- */

static void op_destroy(model *m) {
    shoal_entity entity = model_pick(m);
    model_arm(m);
    shoal_status status = shoal_destroy(m->world, entity);
    if (!model_ran_out(m, status)) {
        compare_outcome(m->world, status, naive_destroy(&m->naive, entity), "shoal_destroy");
        model_keep_stale(m, entity);
    }
}

static void op_destroy_many(model *m) {
    shoal_entity entities[24];
    size_t count = rng_below(&m->random, 24);
    bool mistakes = rng_chance(&m->random, 20);
    for (size_t i = 0; i < count; i++) {
        entities[i] = mistakes ? model_pick(m) : model_pick_live(m);
    }
    model_arm(m);
    shoal_status status = shoal_destroy_many(m->world, entities, count);
    if (!model_ran_out(m, status)) {
        naive_outcome outcome = naive_destroy_many(&m->naive, entities, count);
        compare_outcome(m->world, status, outcome, "shoal_destroy_many");
        for (size_t i = 0; i < count && outcome == 0; i++) {
            model_keep_stale(m, entities[i]);
        }
    }
}

static void op_query_destroy(model *m) {
    size_t query = 1 + rng_below(&m->random, QUERY_COUNT - 1);
    shoal_term terms[4];
    size_t term_count = model_query_terms(query, terms);
    model_arm(m);
    shoal_status status = shoal_query_destroy_entities(m->queries[query]);
    if (model_ran_out(m, status)) {
        return;
    }
    assert_ok(status);
    for (size_t i = 0; i < m->naive.slots.count; i++) {
        if (naive_matches(&m->naive, i, terms, term_count)) {
            shoal_entity entity = naive_handle(&m->naive, i);
            naive_destroy(&m->naive, entity);
            model_keep_stale(m, entity);
        }
    }
}

/* ---- changing ---- */

static void op_add(model *m) {
    shoal_entity entity = model_pick(m);
    value_set set;
    value_rules rules = model_rules_for(m, entity, 1);
    do {
        value_set_draw(&set, &m->random, &rules);
    } while (set.count == 0);
    model_arm(m);
    shoal_status status = shoal_add(m->world, entity, set.real[0].component, set.real[0].data);
    if (!model_ran_out(m, status)) {
        compare_outcome(m->world, status, naive_add(&m->naive, entity, set.naive[0]), "shoal_add");
    }
    value_set_end(&set);
}

static void op_remove(model *m) {
    shoal_entity entity = model_pick(m);
    value_kind type = (value_kind)rng_below(&m->random, KIND_COUNT);
    model_arm(m);
    shoal_status status = shoal_remove(m->world, entity, kind_component(type));
    if (!model_ran_out(m, status)) {
        compare_outcome(m->world, status, naive_remove(&m->naive, entity, type), "shoal_remove");
    }
}

static void op_set(model *m) {
    shoal_entity entity = model_pick(m);
    value_set set;
    value_rules rules = model_rules_for(m, entity, 1);
    value_set_draw_one(&set, &m->random, &rules, (value_kind)rng_below(&m->random, KIND_DATA_COUNT));
    model_arm(m);
    shoal_status status = shoal_set(m->world, entity, set.real[0].component, set.real[0].data);
    if (!model_ran_out(m, status)) {
        compare_outcome(m->world, status, naive_set(&m->naive, entity, set.naive[0]), "shoal_set");
    }
    value_set_end(&set);
}

static void op_write(model *m) {
    shoal_entity entity = model_pick_live(m);
    naive_slot *slot = naive_find(&m->naive, entity);
    value_kind type = (value_kind)rng_below(&m->random, KIND_OWNED);
    if (slot == NULL || type == KIND_LINK || (slot->mask >> type & 1) == 0) {
        return;
    }
    uint64_t payload = kind_fit(type, rng_next(&m->random));
    void *value = shoal_get_mut(m->world, entity, kind_component(type));
    assert_non_null(value);
    kind_write(type, payload, value);
    slot->payload[type] = payload;
}

static void op_clear(model *m) {
    shoal_entity entity = model_pick(m);
    model_arm(m);
    shoal_status status = shoal_clear(m->world, entity);
    if (!model_ran_out(m, status)) {
        compare_outcome(m->world, status, naive_clear(&m->naive, entity), "shoal_clear");
    }
}

/* A random change in both forms. */
typedef struct change_draw {
    value_set add;
    value_kind naive_remove[4];
    shoal_component real_remove[4];
    naive_change naive;
    shoal_change real;
} change_draw;

static void change_draw_make(model *m, change_draw *change, const value_rules *rules) {
    value_set_draw(&change->add, &m->random, rules);
    uint32_t taken = 0;
    for (size_t i = 0; i < change->add.count; i++) {
        taken |= (uint32_t)1 << change->add.naive[i].type;
    }
    size_t count = 0;
    for (uint32_t wanted = rng_below(&m->random, 5); wanted > 0; wanted--) {
        value_kind type = (value_kind)rng_below(&m->random, KIND_COUNT);
        if ((taken >> type & 1) == 0 || (rules->mistakes && rng_chance(&m->random, 5))) {
            taken |= (uint32_t)1 << type;
            change->naive_remove[count] = type;
            change->real_remove[count++] = kind_component(type);
        }
    }
    change->naive = (naive_change){change->add.naive, change->add.count, change->naive_remove, count};
    change->real = (shoal_change){change->add.real, change->add.count, change->real_remove, count};
}

static void op_change(model *m) {
    shoal_entity entity = model_pick(m);
    value_rules rules = model_rules_for(m, entity, 4);
    change_draw change;
    change_draw_make(m, &change, &rules);
    model_arm(m);
    shoal_status status = shoal_change_entity(m->world, entity, &change.real);
    if (!model_ran_out(m, status)) {
        naive_outcome outcome = naive_apply_change(&m->naive, entity, &change.naive);
        compare_outcome(m->world, status, outcome, "shoal_change_entity");
    }
    value_set_end(&change.add);
}

static void op_query_change(model *m) {
    size_t query = rng_below(&m->random, QUERY_COUNT);
    shoal_term terms[4];
    size_t term_count = model_query_terms(query, terms);
    bool any_row = shoal_query_count(m->queries[query]) != 0;
    value_rules rules = {.max_count = 2, .mistakes = any_row, .links = m->links, .link_count = LINK_COUNT};
    change_draw change;
    change_draw_make(m, &change, &rules);
    model_arm(m);
    shoal_status status = shoal_query_change_entities(m->queries[query], &change.real);
    if (!model_ran_out(m, status)) {
        naive_outcome outcome = naive_check_change(&change.naive);
        compare_outcome(m->world, status, outcome, "shoal_query_change_entities");
        for (size_t i = 0; i < m->naive.slots.count && outcome == 0; i++) {
            if (naive_matches(&m->naive, i, terms, term_count)) {
                naive_apply_change(&m->naive, naive_handle(&m->naive, i), &change.naive);
            }
        }
    }
    value_set_end(&change.add);
}

/* ---- queries and the world ---- */

/* Under a memory limit a query that is gone may not come back, so they stay. */
static void op_requery(model *m) {
    if (m->config->def.memory_limit != 0) {
        return;
    }
    size_t query = rng_below(&m->random, QUERY_COUNT);
    assert_ok(shoal_query_destroy(m->queries[query]));
    m->queries[query] = model_make_query(m, query);
    assert_non_null(m->queries[query]);
}

/* What a loop body does with a row: direct calls are refused, a value is set, commands are recorded. */
static void touch_row(model *m, shoal_entity entity) {
    naive_slot *slot = naive_find(&m->naive, entity);
    assert_non_null(slot);
    if (rng_chance(&m->random, 30)) {
        assert_status(shoal_add(m->world, entity, SHOAL_ID(Health), NULL), SHOAL_WORLD_LOCKED);
        assert_status(shoal_destroy(m->world, entity), SHOAL_WORLD_LOCKED);
    }
    if ((slot->mask >> KIND_HEALTH & 1) != 0 && rng_chance(&m->random, 30)) {
        slot->payload[KIND_HEALTH] = kind_fit(KIND_HEALTH, rng_next(&m->random));
        Health health;
        kind_write(KIND_HEALTH, slot->payload[KIND_HEALTH], &health);
        assert_ok(shoal_set(m->world, entity, SHOAL_ID(Health), &health));
    }
    model_record_one(m, entity);
}

static void op_iterate(model *m) {
    shoal_query *query = m->queries[rng_below(&m->random, QUERY_COUNT)];
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t row = 0; row < view.count; row++) {
            if (rng_chance(&m->random, 10)) {
                touch_row(m, view.entities[row]);
            }
        }
        if (rng_chance(&m->random, 5)) {
            shoal_view_end(&view);
            break;
        }
    }
    assert_null(shoal_world_lock_holder(m->world));
}

static void op_trim(model *m) {
    model_arm(m);
    /* A budget makes the clock decide what goes, and so the age of archetypes that come back. */
    uint64_t budget = rng_below(&m->random, 2);
    shoal_status status = shoal_world_trim(m->world, m->config->same_order ? 0 : budget, NULL);
    fake_allocator_disarm(&m->fake);
    assert_ok(status);
}

/* ---- the rounds ---- */

typedef struct operation {
    const char *name;
    void (*run)(model *m);
    uint32_t weight;
    bool grows;
} operation;

static const operation operations[] = {
    {"spawn", op_spawn, 20, true},
    {"spawn_at", op_spawn_at, 5, true},
    {"spawn_many", op_spawn_many, 4, true},
    {"reserve", op_reserve, 1, false},
    {"clone", op_clone, 5, true},
    {"destroy", op_destroy, 10, false},
    {"destroy_many", op_destroy_many, 4, false},
    {"query_destroy", op_query_destroy, 1, false},
    {"add", op_add, 15, false},
    {"remove", op_remove, 10, false},
    {"set", op_set, 8, false},
    {"write", op_write, 4, false},
    {"clear", op_clear, 2, false},
    {"change", op_change, 8, false},
    {"query_change", op_query_change, 3, false},
    {"record", model_op_record, 8, false},
    {"apply", model_op_apply, 4, true},
    {"discard", model_op_discard, 1, false},
    {"requery", op_requery, 2, false},
    {"iterate", op_iterate, 3, false},
    {"trim", op_trim, 2, false},
};
#define OPERATION_COUNT (sizeof operations / sizeof operations[0])

static const operation *draw_operation(model *m) {
    uint32_t total = 0;
    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        total += operations[i].weight;
    }
    uint32_t roll = rng_below(&m->random, total);
    size_t i = 0;
    while (roll >= operations[i].weight) {
        roll -= operations[i].weight;
        i++;
    }
    bool crowded = operations[i].grows && m->naive.slots.entity_count > POPULATION_MAX;
    return crowded ? draw_operation(m) : &operations[i];
}

/* One round; gives the dump of its end, in the order of the rows, when `end` is not NULL. */
static void run_round(const model_config *config, uint64_t seed, uint64_t round, world_dump *end) {
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    model_start(m, config, seed * 1000003u + round);
    for (uint32_t step = 0; step < STEP_COUNT; step++) {
        for (size_t i = 0; i < LINK_COUNT; i++) {
            m->links[i] = model_pick_live(m);
        }
        const operation *next = draw_operation(m);
        test_set_context("seed %" PRIu64 ", round %" PRIu64 ", %s, step %" PRIu32 ", %s", seed, round, config->name,
                         step, next->name);
        next->run(m);
        model_compare(m, step);
    }
    if (end != NULL) {
        *end = world_dump_take(m->world, m->queries[0]);
    }
    model_finish(m);
}

static void run_rounds(const model_config *config) {
    uint64_t seed = test_environment("SHOAL_SEED", 1);
    uint64_t rounds = test_environment("SHOAL_ROUNDS", 6);
    for (uint64_t round = 0; round < rounds; round++) {
        run_round(config, seed, round, NULL);
    }
}

/* ---- the configurations ---- */

static void test_default(void **state) {
    (void)state;
    run_rounds(&(model_config){.name = "default"});
}

static void test_pinned_smallest(void **state) {
    (void)state;
    run_rounds(&(model_config){.name = "pinned 1024", .def = {.pinned_chunk_bytes = 1024}});
}

static void test_pinned_classic(void **state) {
    (void)state;
    run_rounds(&(model_config){.name = "pinned 4096", .def = {.pinned_chunk_bytes = 4096}});
}

static void test_small_chunks(void **state) {
    (void)state;
    run_rounds(
        &(model_config){.name = "small chunks", .def = {.first_chunk_bytes = 1024, .largest_chunk_bytes = 2048}});
}

static void test_moving_rows(void **state) {
    (void)state;
    run_rounds(&(model_config){.name = "moving rows", .def = {.move_rows = true, .largest_chunk_bytes = 4096}});
}

static void test_entity_limit(void **state) {
    (void)state;
    run_rounds(&(model_config){.name = "entity limit", .def = {.entity_limit = 60}});
}

static void test_memory_limit(void **state) {
    (void)state;
    run_rounds(&(model_config){.name = "memory limit", .def = {.memory_limit = 300000}});
}

static void test_failing_allocations(void **state) {
    (void)state;
    run_rounds(&(model_config){.name = "failing allocations", .fail_percent = 30});
}

static void test_failing_allocations_moving_rows(void **state) {
    (void)state;
    run_rounds(&(model_config){.name = "failing, moving rows", .def = {.move_rows = true}, .fail_percent = 20});
}

/* The same history gives the same rows in the same order. */
static void test_same_history_same_order(void **state) {
    (void)state;
    model_config config = {.name = "same history", .same_order = true};
    uint64_t seed = test_environment("SHOAL_SEED", 1);
    world_dump first;
    world_dump second;
    run_round(&config, seed, 77, &first);
    run_round(&config, seed, 77, &second);
    assert_same_dump(&second, &first);
    world_dump_free(&first);
    world_dump_free(&second);
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_pinned_smallest),
        cmocka_unit_test(test_pinned_classic),
        cmocka_unit_test(test_small_chunks),
        cmocka_unit_test(test_moving_rows),
        cmocka_unit_test(test_entity_limit),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_failing_allocations_moving_rows),
        cmocka_unit_test(test_same_history_same_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
