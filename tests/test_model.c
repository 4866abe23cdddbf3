/*
 * The model test: random scripts of every operation against the reference world, which is compared with the real
 * one after each step, and the real one validates itself. support/model_runner.h has the driver and its settings.
 *
 * The operations are here and in support/model_commands.c: each draws its arguments, runs the real call, and runs the
 * same on the reference world.
 */
#include "support/model.h"
#include "support/model_runner.h"
#include "support/naive_compare.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#define POPULATION_MAX 300

/* ---- spawning ---- */

static void op_spawn(model *m) {
    value_set set;
    value_rules rules = model_rules_for_spawn(m, 6);
    value_set_draw(&set, &m->rig.random, &rules);
    rig_arm(&m->rig);
    shoal_entity made = shoal_spawn(m->rig.world, set.real, set.count);
    if (!rig_ran_out(&m->rig, rig_status_of(&m->rig, made))) {
        shoal_entity expected;
        naive_outcome outcome = naive_spawn(&m->naive, set.naive, set.count, &expected);
        compare_outcome(m->rig.world, rig_status_of(&m->rig, made), outcome, "shoal_spawn");
        assert_entity(made, expected);
    }
    value_set_end(&set);
}

static void op_spawn_at(model *m) {
    uint32_t index = rng_below(&m->rig.random, (uint32_t)m->naive.slots.count + 20);
    uint32_t now = shoal_entity_generation(naive_handle(&m->naive, index));
    uint32_t generation = now + rng_below(&m->rig.random, 4);
    if (rng_chance(&m->rig.random, 25)) {
        generation = rng_chance(&m->rig.random, 50) ? 65535 : rng_below(&m->rig.random, now + 1);
    }
    shoal_entity chosen = shoal_entity_make(m->rig.world, index, (uint16_t)(generation < 65535 ? generation : 65535));
    value_set set;
    value_rules rules = model_rules_for_spawn(m, 4);
    rules.mistakes = false;
    value_set_draw(&set, &m->rig.random, &rules);
    rig_arm(&m->rig);
    shoal_status status = shoal_spawn_at(m->rig.world, chosen, set.real, set.count);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, naive_spawn_at(&m->naive, chosen, set.naive, set.count),
                        "shoal_spawn_at");
    }
    value_set_end(&set);
}

static void op_reserve(model *m) {
    uint32_t first = rng_below(&m->rig.random, (uint32_t)m->naive.slots.count + 50);
    uint32_t count = 1 + rng_below(&m->rig.random, 10);
    rig_arm(&m->rig);
    shoal_status status = shoal_reserve_range(m->rig.world, first, count);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, slots_reserve(&m->naive.slots, first, count), "shoal_reserve_range");
    }
}

static void op_clone(model *m) {
    shoal_entity source = model_pick(m);
    rig_arm(&m->rig);
    shoal_entity made = shoal_clone(m->rig.world, source);
    if (!rig_ran_out(&m->rig, rig_status_of(&m->rig, made))) {
        shoal_entity expected;
        naive_outcome outcome = naive_clone(&m->naive, source, &expected);
        compare_outcome(m->rig.world, rig_status_of(&m->rig, made), outcome, "shoal_clone");
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
    value_set_draw(&set, &m->rig.random, &rules);
    for (size_t i = 0; i < set.count; i++) {
        rules.excluded |= (uint32_t)1 << set.naive[i].type;
    }
    rules.mistakes = false;
    column_set columns;
    column_set_draw(&columns, &m->rig.random, &rules,
                    1 + rng_below(&m->rig.random, rng_chance(&m->rig.random, 10) ? 200 : 12));
    bool filled = rng_chance(&m->rig.random, 50);
    fill_job job = {.columns = &columns};
    shoal_entity *made = rng_chance(&m->rig.random, 70) ? calloc(columns.row_count, sizeof *made) : NULL;
    shoal_spawn_many_def def = {.count = columns.row_count,
                                .values = set.real,
                                .value_count = set.count,
                                .columns = columns.real,
                                .column_count = columns.count,
                                .fill = filled ? fill_rows : NULL,
                                .user = &job,
                                .entities = made};
    rig_arm(&m->rig);
    shoal_status status = shoal_spawn_many(m->rig.world, &def);
    if (!rig_ran_out(&m->rig, status)) {
        naive_outcome outcome = naive_spawn_rows(m, &set, &columns, filled, status == SHOAL_OK ? made : NULL);
        compare_outcome(m->rig.world, status, outcome, "shoal_spawn_many");
        assert_count(job.row_count, filled && status == SHOAL_OK ? columns.row_count : 0);
    }
    free(made);
    column_set_end(&columns);
    value_set_end(&set);
}

/* ---- destroying ---- */

static void op_destroy(model *m) {
    shoal_entity entity = model_pick(m);
    rig_arm(&m->rig);
    shoal_status status = shoal_destroy(m->rig.world, entity);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, naive_destroy(&m->naive, entity), "shoal_destroy");
        rig_keep_stale(&m->rig, entity);
    }
}

static void op_destroy_many(model *m) {
    shoal_entity entities[24];
    size_t count = rng_below(&m->rig.random, 24);
    bool mistakes = rng_chance(&m->rig.random, 20);
    for (size_t i = 0; i < count; i++) {
        entities[i] = mistakes ? model_pick(m) : model_pick_live(m);
    }
    rig_arm(&m->rig);
    shoal_status status = shoal_destroy_many(m->rig.world, entities, count);
    if (!rig_ran_out(&m->rig, status)) {
        naive_outcome outcome = naive_destroy_many(&m->naive, entities, count);
        compare_outcome(m->rig.world, status, outcome, "shoal_destroy_many");
        for (size_t i = 0; i < count && outcome == 0; i++) {
            rig_keep_stale(&m->rig, entities[i]);
        }
    }
}

static void op_query_destroy(model *m) {
    size_t query = 1 + rng_below(&m->rig.random, QUERY_COUNT - 1);
    shoal_term terms[4];
    size_t term_count = model_query_terms(query, terms);
    rig_arm(&m->rig);
    shoal_status status = shoal_query_destroy_entities(m->queries[query]);
    if (rig_ran_out(&m->rig, status)) {
        return;
    }
    assert_ok(status);
    for (size_t i = 0; i < m->naive.slots.count; i++) {
        if (naive_matches(&m->naive, i, terms, term_count)) {
            shoal_entity entity = naive_handle(&m->naive, i);
            naive_destroy(&m->naive, entity);
            rig_keep_stale(&m->rig, entity);
        }
    }
}

/* ---- changing ---- */

static void op_add(model *m) {
    shoal_entity entity = model_pick(m);
    value_set set;
    value_rules rules = model_rules_for(m, entity, 1);
    do {
        value_set_draw(&set, &m->rig.random, &rules);
    } while (set.count == 0);
    rig_arm(&m->rig);
    shoal_status status = shoal_add(m->rig.world, entity, set.real[0].component, set.real[0].data);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, naive_add(&m->naive, entity, set.naive[0]), "shoal_add");
    }
    value_set_end(&set);
}

static void op_remove(model *m) {
    shoal_entity entity = model_pick(m);
    value_kind type = (value_kind)rng_below(&m->rig.random, KIND_COUNT);
    rig_arm(&m->rig);
    shoal_status status = shoal_remove(m->rig.world, entity, kind_component(type));
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, naive_remove(&m->naive, entity, type), "shoal_remove");
    }
}

static void op_set(model *m) {
    shoal_entity entity = model_pick(m);
    value_set set;
    value_rules rules = model_rules_for(m, entity, 1);
    value_set_draw_one(&set, &m->rig.random, &rules, (value_kind)rng_below(&m->rig.random, KIND_DATA_COUNT));
    rig_arm(&m->rig);
    shoal_status status = shoal_set(m->rig.world, entity, set.real[0].component, set.real[0].data);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, naive_set(&m->naive, entity, set.naive[0]), "shoal_set");
    }
    value_set_end(&set);
}

static void op_write(model *m) {
    shoal_entity entity = model_pick_live(m);
    naive_slot *slot = naive_find(&m->naive, entity);
    value_kind type = (value_kind)rng_below(&m->rig.random, KIND_OWNED);
    if (slot == NULL || type == KIND_LINK || (slot->mask >> type & 1) == 0) {
        return;
    }
    uint64_t payload = kind_fit(type, rng_next(&m->rig.random));
    void *value = shoal_get_mut(m->rig.world, entity, kind_component(type));
    assert_non_null(value);
    kind_write(type, payload, value);
    slot->payload[type] = payload;
}

static void op_clear(model *m) {
    shoal_entity entity = model_pick(m);
    rig_arm(&m->rig);
    shoal_status status = shoal_clear(m->rig.world, entity);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, naive_clear(&m->naive, entity), "shoal_clear");
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
    value_set_draw(&change->add, &m->rig.random, rules);
    uint32_t taken = 0;
    for (size_t i = 0; i < change->add.count; i++) {
        taken |= (uint32_t)1 << change->add.naive[i].type;
    }
    size_t count = 0;
    for (uint32_t wanted = rng_below(&m->rig.random, 5); wanted > 0; wanted--) {
        value_kind type = (value_kind)rng_below(&m->rig.random, KIND_COUNT);
        if ((taken >> type & 1) == 0 || (rules->mistakes && rng_chance(&m->rig.random, 5))) {
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
    rig_arm(&m->rig);
    shoal_status status = shoal_change_entity(m->rig.world, entity, &change.real);
    if (!rig_ran_out(&m->rig, status)) {
        naive_outcome outcome = naive_apply_change(&m->naive, entity, &change.naive);
        compare_outcome(m->rig.world, status, outcome, "shoal_change_entity");
    }
    value_set_end(&change.add);
}

static void op_query_change(model *m) {
    size_t query = rng_below(&m->rig.random, QUERY_COUNT);
    shoal_term terms[4];
    size_t term_count = model_query_terms(query, terms);
    bool any_row = shoal_query_count(m->queries[query]) != 0;
    value_rules rules = {.max_count = 2, .mistakes = any_row, .links = m->links, .link_count = LINK_COUNT};
    change_draw change;
    change_draw_make(m, &change, &rules);
    rig_arm(&m->rig);
    shoal_status status = shoal_query_change_entities(m->queries[query], &change.real);
    if (!rig_ran_out(&m->rig, status)) {
        naive_outcome outcome = naive_check_change(&change.naive);
        compare_outcome(m->rig.world, status, outcome, "shoal_query_change_entities");
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
    if (m->rig.config->def.memory_limit != 0) {
        return;
    }
    size_t query = rng_below(&m->rig.random, QUERY_COUNT);
    assert_ok(shoal_query_destroy(m->queries[query]));
    m->queries[query] = model_make_query(m, query);
    assert_non_null(m->queries[query]);
}

/* What a loop body does with a row: direct calls are refused, a value is set, commands are recorded. */
static void touch_row(void *model_bytes, shoal_entity entity) {
    model *m = model_bytes;
    naive_slot *slot = naive_find(&m->naive, entity);
    assert_non_null(slot);
    if (rng_chance(&m->rig.random, 30)) {
        assert_status(shoal_add(m->rig.world, entity, SHOAL_ID(Health), NULL), SHOAL_WORLD_LOCKED);
        assert_status(shoal_destroy(m->rig.world, entity), SHOAL_WORLD_LOCKED);
    }
    if ((slot->mask >> KIND_HEALTH & 1) != 0 && rng_chance(&m->rig.random, 30)) {
        slot->payload[KIND_HEALTH] = kind_fit(KIND_HEALTH, rng_next(&m->rig.random));
        Health health;
        kind_write(KIND_HEALTH, slot->payload[KIND_HEALTH], &health);
        assert_ok(shoal_set(m->rig.world, entity, SHOAL_ID(Health), &health));
    }
    model_record_one(m, entity);
}

static void op_iterate(model *m) {
    shoal_query *query = m->queries[rng_below(&m->rig.random, QUERY_COUNT)];
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    rig_touch_rows(&m->rig, &view, touch_row, m);
}

static void op_trim(model *m) {
    rig_trim(&m->rig);
}

/* ---- the operations ---- */

typedef struct operation {
    model_choice choice;
    void (*run)(model *m);
} operation;

static const operation operations[] = {
    {{"spawn", 20, true}, op_spawn},
    {{"spawn_at", 5, true}, op_spawn_at},
    {{"spawn_many", 4, true}, op_spawn_many},
    {{"reserve", 1, false}, op_reserve},
    {{"clone", 5, true}, op_clone},
    {{"destroy", 10, false}, op_destroy},
    {{"destroy_many", 4, false}, op_destroy_many},
    {{"query_destroy", 1, false}, op_query_destroy},
    {{"add", 15, false}, op_add},
    {{"remove", 10, false}, op_remove},
    {{"set", 8, false}, op_set},
    {{"write", 4, false}, op_write},
    {{"clear", 2, false}, op_clear},
    {{"change", 8, false}, op_change},
    {{"query_change", 3, false}, op_query_change},
    {{"record", 8, false}, model_op_record},
    {{"apply", 4, true}, model_op_apply},
    {{"discard", 1, false}, model_op_discard},
    {{"requery", 2, false}, op_requery},
    {{"iterate", 3, false}, op_iterate},
    {{"trim", 2, false}, op_trim},
};
#define OPERATION_COUNT (sizeof operations / sizeof operations[0])

static const model_choice *choice_at(size_t number) {
    return &operations[number].choice;
}

static void run_operation(void *model_bytes, size_t number) {
    operations[number].run(model_bytes);
}

/* ---- the driver ---- */

static model_rig *rig_of(void *model_bytes) {
    return &((model *)model_bytes)->rig;
}

static void draw_links(void *model_bytes) {
    model *m = model_bytes;
    for (size_t i = 0; i < LINK_COUNT; i++) {
        m->links[i] = model_pick_live(m);
    }
}

static shoal_query *all_of(void *model_bytes) {
    return ((model *)model_bytes)->queries[0];
}

int main(void) {
    kinds_register();
    return model_run_tests(&(model_driver){.byte_size = sizeof(model),
                                           .memory_limit = 300000,
                                           .crowded_above = POPULATION_MAX,
                                           .choice_count = OPERATION_COUNT,
                                           .choice_at = choice_at,
                                           .start = model_start,
                                           .rig_of = rig_of,
                                           .prepare = draw_links,
                                           .run = run_operation,
                                           .compare = model_compare,
                                           .all_of = all_of,
                                           .finish = model_finish});
}
