/*
 * The model test of all kinds: random scripts of every call that changes something, over components of every kind and
 * trait, against a reference world that is compared with the real one after each step, while the real one validates
 * itself. Each configuration runs some rounds of STEP_COUNT steps; the seed of a round depends on SHOAL_SEED and the
 * round's number only. test_model.c does the same for table components, with larger values and worlds.
 *
 *   SHOAL_SEED=n     another first seed (default 1)
 *   SHOAL_ROUNDS=n   rounds for each configuration (default 6)
 *
 * A failing check prints seed, round, configuration, step and operation.
 */
#include "support/components.h"
#include "support/full_model.h"
#include "support/naive_compare.h"
#include "support/test.h"
#include "support/world_dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STEP_COUNT 400
#define POPULATION_MAX 120

static full_rules rules_for(const full_model *m, shoal_entity entity, uint32_t max_count) {
    return (full_rules){.max_count = max_count, .mistakes = full_check(&m->full, entity) == 0};
}

/* Near the limit of slots a spawn that is wrong as well may say either. */
static full_rules rules_for_spawn(uint32_t max_count) {
    return (full_rules){.max_count = max_count, .mistakes = true};
}

/* ---- spawning ---- */

static void op_spawn(full_model *m) {
    full_set_of set;
    full_rules rules = rules_for_spawn(FULL_SET_MAX);
    full_set_draw(m, &set, &rules);
    full_arm(m);
    shoal_entity made = shoal_spawn(m->world, set.real, set.count);
    shoal_status status = full_status_of(m, made);
    if (!full_ran_out(m, status)) {
        shoal_entity expected;
        naive_outcome outcome = full_spawn(&m->full, set.naive, set.count, &expected);
        compare_outcome(m->world, status, outcome, "shoal_spawn");
        assert_entity(made, expected);
    }
    full_set_end(&set);
}

static void op_spawn_at(full_model *m) {
    uint32_t index = rng_below(&m->random, (uint32_t)m->full.slots.count + 20);
    uint32_t generation = shoal_entity_generation(full_handle(&m->full, index)) + rng_below(&m->random, 3);
    generation = rng_chance(&m->random, 10) ? rng_below(&m->random, generation + 1) : generation;
    shoal_entity chosen = shoal_entity_make(m->world, index, (uint16_t)(generation < 65535 ? generation : 65535));
    full_set_of set;
    full_rules rules = {.max_count = 5};
    full_set_draw(m, &set, &rules);
    full_arm(m);
    shoal_status status = shoal_spawn_at(m->world, chosen, set.real, set.count);
    if (!full_ran_out(m, status)) {
        naive_outcome outcome = full_spawn_at(&m->full, chosen, set.naive, set.count);
        compare_outcome(m->world, status, outcome, "shoal_spawn_at");
    }
    full_set_end(&set);
}

static void op_reserve(full_model *m) {
    uint32_t first = rng_below(&m->random, (uint32_t)m->full.slots.count + 50);
    uint32_t count = 1 + rng_below(&m->random, 5);
    full_arm(m);
    shoal_status status = shoal_reserve_range(m->world, first, count);
    if (!full_ran_out(m, status)) {
        compare_outcome(m->world, status, slots_reserve(&m->full.slots, first, count), "shoal_reserve_range");
    }
}

/* ---- copies ---- */

static void op_clone(full_model *m) {
    full_copying copying = {.root = full_pick(m), .count = 1, .is_tree = rng_chance(&m->random, 50)};
    full_arm(m);
    shoal_entity made =
        copying.is_tree ? shoal_clone_tree(m->world, copying.root) : shoal_clone(m->world, copying.root);
    shoal_status status = full_status_of(m, made);
    if (!full_ran_out(m, status)) {
        shoal_entity expected = {0};
        naive_outcome outcome = full_copy_entities(&m->full, &copying, &expected);
        compare_outcome(m->world, status, outcome, "shoal_clone");
        assert_entity(made, expected);
    }
}

#define INSTANCES_MAX 4

static void op_instantiate(full_model *m) {
    shoal_entity root = full_pick(m);
    full_set_of set;
    full_rules rules = rules_for(m, root, 4);
    full_set_draw(m, &set, &rules);
    full_copying copying = {.root = root,
                            .is_tree = true,
                            .is_instance = true,
                            .count = 1 + rng_below(&m->random, INSTANCES_MAX),
                            .values = set.naive,
                            .value_count = set.count};
    copying.parent = rng_chance(&m->random, 40) ? full_pick(m) : (shoal_entity){0};
    shoal_entity made[INSTANCES_MAX] = {{0}};
    shoal_instantiate_def def = {.count = copying.count,
                                 .values = set.real,
                                 .value_count = set.count,
                                 .parent = copying.parent,
                                 .entities = made};
    full_arm(m);
    shoal_status status = shoal_instantiate(m->world, root, &def);
    if (!full_ran_out(m, status)) {
        shoal_entity expected[INSTANCES_MAX] = {{0}};
        naive_outcome outcome = full_copy_entities(&m->full, &copying, expected);
        compare_outcome(m->world, status, outcome, "shoal_instantiate");
        for (size_t i = 0; i < copying.count; i++) {
            assert_entity(made[i], expected[i]);
        }
    }
    full_set_end(&set);
}

static void op_make_prefab(full_model *m) {
    shoal_entity root = full_pick(m);
    full_arm(m);
    shoal_status status = shoal_make_prefab(m->world, root);
    if (!full_ran_out(m, status)) {
        compare_outcome(m->world, status, full_make_prefab(&m->full, root), "shoal_make_prefab");
    }
}

/* ---- destroying ---- */

static void op_destroy(full_model *m) {
    shoal_entity entity = full_pick(m);
    full_arm(m);
    shoal_status status = shoal_destroy(m->world, entity);
    if (!full_ran_out(m, status)) {
        compare_outcome(m->world, status, full_destroy(&m->full, &entity, 1), "shoal_destroy");
        full_keep_stale(m, entity);
    }
}

static void op_destroy_many(full_model *m) {
    shoal_entity entities[12];
    size_t count = rng_below(&m->random, 12);
    bool mistakes = rng_chance(&m->random, 20);
    for (size_t i = 0; i < count; i++) {
        entities[i] = mistakes ? full_pick(m) : full_pick_live(m);
    }
    full_arm(m);
    shoal_status status = shoal_destroy_many(m->world, entities, count);
    if (!full_ran_out(m, status)) {
        compare_outcome(m->world, status, full_destroy(&m->full, entities, count), "shoal_destroy_many");
    }
}

/* The entities that match a query, in the order of their slots. */
static size_t matching(const full_model *m, const full_query *query, shoal_entity *entities) {
    size_t count = 0;
    for (size_t i = 0; i < m->full.slots.count; i++) {
        shoal_entity entity = full_handle(&m->full, i);
        if (m->full.slots.states[i].alive && full_matches(&m->full, query->terms, query->term_count, entity)) {
            entities[count++] = entity;
        }
    }
    return count;
}

static void op_query_destroy(full_model *m) {
    const full_query *query = &m->queries[1 + rng_below(&m->random, FULL_QUERY_COUNT - 1)];
    shoal_entity *entities = calloc(m->full.slots.count + 1, sizeof *entities);
    assert_non_null(entities);
    size_t count = matching(m, query, entities);
    if (count <= 20) {
        full_arm(m);
        shoal_status status = shoal_query_destroy_entities(query->query);
        if (!full_ran_out(m, status)) {
            naive_outcome outcome = full_destroy(&m->full, entities, count);
            compare_outcome(m->world, status, outcome, "shoal_query_destroy_entities");
        }
    }
    free(entities);
}

/* ---- changing ---- */

static void op_add(full_model *m) {
    shoal_entity entity = full_pick(m);
    full_rules rules = rules_for(m, entity, 1);
    full_value value = full_draw_value(m, &rules, full_draw_type(m, &rules));
    full_real real;
    full_real_make(&real, &value);
    full_arm(m);
    bool relates = full_is(value.type, SHOAL_STORAGE_RELATION) && rng_chance(&m->random, 60);
    shoal_status status = relates ? shoal_relate(m->world, entity, real.value.component, value.target, real.link.data)
                                  : shoal_add(m->world, entity, real.value.component, real.value.data);
    if (!full_ran_out(m, status)) {
        compare_outcome(m->world, status, full_add(&m->full, entity, &value), "shoal_add");
        if (status == SHOAL_OK && full_is(value.type, SHOAL_STORAGE_CHUNK) && value.has_data) {
            assert_count(full_read(value.type, shoal_get(m->world, entity, real.value.component)), value.payload);
        }
    }
    full_real_end(&real);
}

static void op_remove(full_model *m) {
    shoal_entity entity = full_pick(m);
    full_rules rules = {.mistakes = true};
    full_type type = full_draw_present(m, &rules, entity);
    full_arm(m);
    shoal_status status = shoal_remove(m->world, entity, full_component(type));
    if (!full_ran_out(m, status)) {
        compare_outcome(m->world, status, full_remove(&m->full, entity, type), "shoal_remove");
    }
}

static void op_set(full_model *m) {
    shoal_entity entity = full_pick(m);
    full_rules rules = rules_for(m, entity, 1);
    full_value value;
    full_real real;
    do {
        value = full_draw_value(m, &rules, full_draw_present(m, &rules, entity));
        if (full_is(value.type, SHOAL_STORAGE_RELATION) && rng_chance(&m->random, 60)) {
            value.target = full_target(&m->full, value.type, entity);
        }
        full_real_make(&real, &value);
        full_real_end(&real);
    } while (real.value.data == NULL);
    full_real_make(&real, &value);
    full_arm(m);
    shoal_status status = shoal_set(m->world, entity, real.value.component, real.value.data);
    if (!full_ran_out(m, status)) {
        compare_outcome(m->world, status, full_set(&m->full, entity, &value), "shoal_set");
        if (status == SHOAL_OK && full_is(value.type, SHOAL_STORAGE_CHUNK)) {
            assert_count(full_read(value.type, shoal_get(m->world, entity, real.value.component)), value.payload);
        }
    }
    full_real_end(&real);
}

static void op_write(full_model *m) {
    shoal_entity entity = full_pick_live(m);
    full_type type = (full_type)rng_below(&m->random, FULL_ENTITY_COUNT);
    if (!full_is_writable(type) || !full_has(&m->full, entity, type)) {
        return;
    }
    uint64_t payload = full_fit(type, rng_next(&m->random));
    void *value = shoal_get_mut(m->world, entity, full_component(type));
    assert_non_null(value);
    full_write(type, payload, value);
    full_slot_of(&m->full, entity)->payload[type] = payload;
}

static void op_clear(full_model *m) {
    shoal_entity entity = full_pick(m);
    full_arm(m);
    shoal_status status = shoal_clear(m->world, entity);
    if (!full_ran_out(m, status)) {
        compare_outcome(m->world, status, full_clear(&m->full, entity), "shoal_clear");
    }
}

static void op_enable(full_model *m) {
    static const full_type types[] = {FULL_SHIELD, FULL_ASLEEP, FULL_LEASE, FULL_CREW, FULL_HULL, FULL_SCAN};
    shoal_entity entity = full_pick(m);
    full_type type = types[rng_below(&m->random, 6)];
    bool on = rng_chance(&m->random, 40);
    shoal_status status = on ? shoal_enable(m->world, entity, full_component(type))
                             : shoal_disable(m->world, entity, full_component(type));
    compare_outcome(m->world, status, full_enable(&m->full, entity, type, on), "shoal_enable or disable");
}

/* A random change in both forms. */
typedef struct change_draw {
    full_set_of add;
    full_type naive_remove[4];
    shoal_component real_remove[4];
    full_change naive;
    shoal_change real;
} change_draw;

static void change_make(full_model *m, change_draw *change, const full_rules *rules) {
    full_set_draw(m, &change->add, rules);
    full_mask taken = rules->excluded;
    for (size_t i = 0; i < change->add.count; i++) {
        taken |= full_bit(change->add.naive[i].type);
    }
    size_t count = 0;
    for (uint32_t wanted = rng_below(&m->random, 5); wanted > 0; wanted--) {
        full_type type = full_draw_type(m, rules);
        if ((taken & full_bit(type)) == 0 || (rules->mistakes && rng_chance(&m->random, 5))) {
            taken |= full_bit(type);
            change->naive_remove[count] = type;
            change->real_remove[count++] = full_component(type);
        }
    }
    change->naive = (full_change){change->add.naive, change->add.count, change->naive_remove, count};
    change->real = (shoal_change){change->add.real, change->add.count, change->real_remove, count};
}

static void op_change(full_model *m) {
    shoal_entity entity = full_pick(m);
    full_rules rules = rules_for(m, entity, 5);
    change_draw change;
    change_make(m, &change, &rules);
    full_arm(m);
    shoal_status status = shoal_change_entity(m->world, entity, &change.real);
    if (!full_ran_out(m, status)) {
        naive_outcome outcome = full_apply_change(&m->full, entity, &change.naive);
        compare_outcome(m->world, status, outcome, "shoal_change_entity");
    }
    full_set_end(&change.add);
}

/* All of a query's entities change, in its order, or none; any of what is wrong with one may be said. */
static naive_outcome change_all(full_model *m, const full_change *change, const shoal_entity *entities, size_t count) {
    full_world before;
    full_copy(&before, &m->full);
    naive_outcome outcome = 0;
    for (size_t i = 0; i < count; i++) {
        outcome |= full_apply_change(&m->full, entities[i], change);
    }
    if (outcome != 0) {
        full_free(&m->full);
        m->full = before;
    } else {
        full_free(&before);
    }
    return outcome;
}

/* The rows of a query in its order. */
static size_t rows_of(full_model *m, const full_query *query, shoal_entity *entities) {
    size_t count = 0;
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, query->query);
    if (full_ran_out(m, status)) {
        return 0;
    }
    while (shoal_view_next(&view)) {
        memcpy(entities + count, view.entities, view.count * sizeof *entities);
        count += view.count;
    }
    return count;
}

static void op_query_change(full_model *m) {
    const full_query *query = &m->queries[rng_below(&m->random, FULL_QUERY_COUNT)];
    shoal_entity *entities = calloc(m->full.slots.count + 1, sizeof *entities);
    assert_non_null(entities);
    size_t count = rows_of(m, query, entities);
    full_rules rules = {.max_count = 3, .mistakes = count != 0};
    change_draw change;
    change_make(m, &change, &rules);
    full_arm(m);
    shoal_status status = shoal_query_change_entities(query->query, &change.real);
    if (!full_ran_out(m, status) && (count != 0 || status != SHOAL_OK)) {
        naive_outcome outcome = change_all(m, &change.naive, entities, count);
        compare_outcome(m->world, status, outcome, "shoal_query_change_entities");
    }
    full_set_end(&change.add);
    free(entities);
}

/* ---- buffers ---- */

static shoal_status buffer_change(full_model *m, shoal_buffer buffer, full_type type, full_items *items) {
    uint64_t element = 0;
    uint64_t payload = full_is_handle(type) ? full_pick_live(m).bits : full_fit(type, rng_next(&m->random));
    size_t at = items->count != 0 ? rng_below(&m->random, (uint32_t)items->count) : 0;
    bool full = items->count == FULL_ITEMS_MAX;
    shoal_status status = SHOAL_OK;
    full_write(type, payload, &element);
    full_arm(m);
    if (!full && rng_chance(&m->random, 60)) {
        at = rng_chance(&m->random, 60) ? items->count : at;
        status = at == items->count ? shoal_buffer_push(buffer, &element) : shoal_buffer_insert(buffer, at, &element);
        if (status == SHOAL_OK) {
            memmove(&items->payload[at + 1], &items->payload[at], (items->count - at) * sizeof items->payload[0]);
            items->payload[at] = payload;
            items->count++;
        }
    } else if (items->count != 0 && rng_chance(&m->random, 50)) {
        status = shoal_buffer_erase(buffer, at);
        items->count -= status == SHOAL_OK;
        for (size_t i = at; i < items->count && status == SHOAL_OK; i++) {
            items->payload[i] = items->payload[i + 1];
        }
    } else if (items->count != 0) {
        status = shoal_buffer_erase_swap(buffer, at);
        if (status == SHOAL_OK) {
            items->payload[at] = items->payload[--items->count];
        }
    }
    full_end(type, &element);
    return status;
}

static shoal_status buffer_resize(full_model *m, shoal_buffer buffer, full_type type, full_items *items) {
    size_t count = rng_below(&m->random, FULL_ITEMS_MAX + 1);
    full_arm(m);
    shoal_status status = shoal_buffer_resize(buffer, count);
    for (size_t i = items->count; i < count && status == SHOAL_OK; i++) {
        items->payload[i] = full_default(type);
    }
    items->count = status == SHOAL_OK ? count : items->count;
    return status;
}

static shoal_status buffer_assign(full_model *m, shoal_buffer buffer, full_type type, full_items *items) {
    full_rules rules = {0};
    full_value value = full_draw_value(m, &rules, type);
    full_real real;
    full_real_make(&real, &value);
    full_arm(m);
    shoal_status status = shoal_buffer_assign(buffer, real.span);
    if (status == SHOAL_OK) {
        *items = value.has_data ? value.items : (full_items){0};
    }
    full_real_end(&real);
    return status;
}

static void op_buffer(full_model *m) {
    shoal_entity entity = full_pick_live(m);
    full_type type = (full_type)(FULL_BUFFER_FIRST + rng_below(&m->random, FULL_BUFFER_COUNT));
    if (!full_has(&m->full, entity, type)) {
        return;
    }
    full_items *items = full_items_of(full_slot_of(&m->full, entity), type);
    shoal_buffer buffer = shoal_buffer_get(m->world, entity, full_component(type));
    assert_false(shoal_buffer_is_null(buffer));
    uint32_t roll = rng_below(&m->random, 100);
    shoal_status status = roll < 70   ? buffer_change(m, buffer, type, items)
                          : roll < 85 ? buffer_resize(m, buffer, type, items)
                                      : buffer_assign(m, buffer, type, items);
    if (!full_ran_out(m, status)) {
        assert_ok(status);
    }
}

/* ---- relations and names ---- */

static void op_unrelate(full_model *m) {
    shoal_entity source = full_pick(m);
    full_type relation = (full_type)(FULL_RELATION_FIRST + rng_below(&m->random, FULL_RELATION_COUNT));
    shoal_entity target = rng_chance(&m->random, 70) ? full_target(&m->full, relation, source) : full_pick(m);
    shoal_status status = shoal_unrelate(m->world, source, full_component(relation), target);
    compare_outcome(m->world, status, full_unrelate(&m->full, source, relation, target), "shoal_unrelate");
}

static void op_set_parent(full_model *m) {
    shoal_entity child = full_pick(m);
    shoal_entity parent = rng_chance(&m->random, 15) ? (shoal_entity){0} : full_pick(m);
    full_arm(m);
    shoal_status status = shoal_set_parent(m->world, child, parent);
    if (!full_ran_out(m, status)) {
        full_value value = {.type = FULL_CHILD_OF, .target = parent};
        naive_outcome outcome = shoal_entity_is_null(parent) ? full_unrelate(&m->full, child, FULL_CHILD_OF, parent)
                                                             : full_add(&m->full, child, &value);
        compare_outcome(m->world, status, outcome, "shoal_set_parent");
    }
}

static void op_order(full_model *m) {
    full_type relation = (full_type)(FULL_RELATION_FIRST + rng_below(&m->random, FULL_RELATION_COUNT));
    relation = rng_chance(&m->random, 50) ? FULL_CHILD_OF : relation;
    shoal_entity source = full_pick(m);
    shoal_entity before = rng_chance(&m->random, 30) ? (shoal_entity){0} : full_pick(m);
    for (size_t i = full_link_find(&m->full, 0, relation, (shoal_entity){0}, full_target(&m->full, relation, source));
         i != FULL_NONE && rng_chance(&m->random, 60);
         i = full_link_find(&m->full, i + 1, relation, (shoal_entity){0}, m->full.links[i].target)) {
        before = m->full.links[i].source;
    }
    full_arm(m);
    shoal_status status = shoal_order_source(m->world, full_component(relation), source, before);
    if (!full_ran_out(m, status)) {
        naive_outcome outcome = full_order(&m->full, relation, source, before);
        compare_outcome(m->world, status, outcome, "shoal_order_source");
    }
}

static void op_name(full_model *m) {
    static const char *const names[] = {"a", "a", "b", "b", "gun", "x/y", "", NULL};
    shoal_entity entity = full_pick(m);
    const char *name = names[rng_below(&m->random, 8)];
    full_arm(m);
    shoal_status status = shoal_set_name(m->world, entity, name);
    if (!full_ran_out(m, status)) {
        compare_outcome(m->world, status, full_set_name(&m->full, entity, name), "shoal_set_name");
    }
}

/* ---- uniques ---- */

static void op_unique(full_model *m) {
    full_type type = (full_type)(FULL_CLOCK + rng_below(&m->random, 2));
    full_unique *unique = full_unique_of(&m->full, type);
    if (rng_chance(&m->random, 30)) {
        assert_ok(shoal_unique_remove(m->world, full_component(type)));
        *unique = (full_unique){0};
        return;
    }
    full_rules rules = {0};
    full_value value = full_draw_value(m, &rules, type);
    full_real real;
    full_real_make(&real, &value);
    full_arm(m);
    shoal_status status = shoal_unique_set(m->world, full_component(type), real.value.data);
    if (!full_ran_out(m, status)) {
        assert_ok(status);
        *unique = (full_unique){true, value.has_data ? value.payload : full_default(type), m->full.tick};
    }
    full_real_end(&real);
}

static void op_tick(full_model *m) {
    assert_count(shoal_world_next_tick(m->world), ++m->full.tick);
}

/* ---- queries and the world ---- */

/* Under a memory limit a query that is gone may not come back, so they stay. */
static void op_requery(full_model *m) {
    if (m->config->def.memory_limit == 0) {
        size_t number = rng_below(&m->random, FULL_QUERY_COUNT);
        full_query_end(&m->queries[number]);
        full_query_make(m, number);
    }
}

/* What a loop body does with a row: structural changes are refused, bits and values are set, commands are recorded. */
static void touch_row(full_model *m, shoal_entity entity) {
    full_slot *slot = full_slot_of(&m->full, entity);
    assert_non_null(slot);
    if (rng_chance(&m->random, 30)) {
        assert_status(shoal_destroy(m->world, entity), SHOAL_WORLD_LOCKED);
        assert_status(shoal_add(m->world, entity, SHOAL_ID(Scan), NULL), SHOAL_WORLD_LOCKED);
        assert_status(shoal_unrelate(m->world, entity, SHOAL_ID(ChildOf), (shoal_entity){0}), SHOAL_WORLD_LOCKED);
        assert_status(shoal_set_name(m->world, entity, "z"), SHOAL_WORLD_LOCKED);
        assert_true(shoal_entity_is_null(shoal_clone_tree(m->world, entity)));
    }
    if (full_has(&m->full, entity, FULL_SCAN)) {
        slot->payload[FULL_SCAN] = full_fit(FULL_SCAN, rng_next(&m->random));
        Number scan;
        full_write(FULL_SCAN, slot->payload[FULL_SCAN], &scan);
        assert_ok(shoal_set(m->world, entity, SHOAL_ID(Scan), &scan));
    }
    full_record_one(m, entity);
}

static void op_iterate(full_model *m) {
    shoal_query *query = m->queries[rng_below(&m->random, FULL_QUERY_COUNT)].query;
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, query);
    if (full_ran_out(m, status)) {
        return;
    }
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

static void op_trim(full_model *m) {
    full_arm(m);
    /* A budget makes the clock decide what goes, and so the age of archetypes that come back. */
    uint64_t budget = rng_below(&m->random, 2);
    shoal_status status = shoal_world_trim(m->world, m->config->same_order ? 0 : budget, NULL);
    fake_allocator_disarm(&m->fake);
    assert_ok(status);
}

/* ---- the rounds ---- */

typedef struct operation {
    const char *name;
    void (*run)(full_model *m);
    uint32_t weight;
    bool grows;
} operation;

static const operation operations[] = {
    {"spawn", op_spawn, 20, true},
    {"spawn_at", op_spawn_at, 3, true},
    {"spawn_many", full_op_spawn_many, 4, true},
    {"reserve", op_reserve, 1, false},
    {"clone", op_clone, 5, true},
    {"instantiate", op_instantiate, 3, true},
    {"make_prefab", op_make_prefab, 1, false},
    {"destroy", op_destroy, 8, false},
    {"destroy_many", op_destroy_many, 3, false},
    {"query_destroy", op_query_destroy, 1, false},
    {"add", op_add, 20, false},
    {"remove", op_remove, 10, false},
    {"set", op_set, 6, false},
    {"write", op_write, 4, false},
    {"clear", op_clear, 2, false},
    {"enable", op_enable, 8, false},
    {"change", op_change, 8, false},
    {"query_change", op_query_change, 2, false},
    {"buffer", op_buffer, 10, false},
    {"unrelate", op_unrelate, 3, false},
    {"set_parent", op_set_parent, 8, false},
    {"order", op_order, 5, false},
    {"name", op_name, 12, false},
    {"unique", op_unique, 2, false},
    {"tick", op_tick, 1, false},
    {"record", full_op_record, 8, false},
    {"apply", full_op_apply, 5, true},
    {"discard", full_op_discard, 1, false},
    {"requery", op_requery, 2, false},
    {"iterate", op_iterate, 3, false},
    {"trim", op_trim, 2, false},
};
#define OPERATION_COUNT (sizeof operations / sizeof operations[0])

static const operation *draw_operation(full_model *m) {
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
    bool crowded = operations[i].grows && m->full.slots.entity_count > POPULATION_MAX;
    return crowded ? draw_operation(m) : &operations[i];
}

/* One round; gives the dump of its end, in the order of the rows, when `end` is not NULL. */
static void run_round(const full_config *config, uint64_t seed, uint64_t round, world_dump *end) {
    full_model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    full_model_start(m, config, seed * 1000003u + round);
    for (uint32_t step = 0; step < STEP_COUNT; step++) {
        const operation *next = draw_operation(m);
        test_set_context("seed %" PRIu64 ", round %" PRIu64 ", %s, step %" PRIu32 ", %s", seed, round, config->name,
                         step, next->name);
        next->run(m);
        full_model_compare(m, step);
    }
    if (end != NULL) {
        *end = world_dump_take(m->world, m->queries[0].query);
    }
    full_model_finish(m);
}

static void run_rounds(const full_config *config) {
    uint64_t seed = test_environment("SHOAL_SEED", 1);
    uint64_t rounds = test_environment("SHOAL_ROUNDS", 6);
    for (uint64_t round = 0; round < rounds; round++) {
        run_round(config, seed, round, NULL);
    }
}

/* ---- the configurations ---- */

static void test_default(void **state) {
    (void)state;
    run_rounds(&(full_config){.name = "default"});
}

static void test_pinned_smallest(void **state) {
    (void)state;
    run_rounds(&(full_config){.name = "pinned 1024", .def = {.pinned_chunk_bytes = 1024}});
}

static void test_pinned_classic(void **state) {
    (void)state;
    run_rounds(&(full_config){.name = "pinned 4096", .def = {.pinned_chunk_bytes = 4096}});
}

static void test_small_chunks(void **state) {
    (void)state;
    run_rounds(&(full_config){.name = "small chunks", .def = {.first_chunk_bytes = 1024, .largest_chunk_bytes = 2048}});
}

static void test_moving_rows(void **state) {
    (void)state;
    run_rounds(&(full_config){.name = "moving rows", .def = {.move_rows = true, .largest_chunk_bytes = 4096}});
}

static void test_entity_limit(void **state) {
    (void)state;
    run_rounds(&(full_config){.name = "entity limit", .def = {.entity_limit = 60}});
}

static void test_memory_limit(void **state) {
    (void)state;
    run_rounds(&(full_config){.name = "memory limit", .def = {.memory_limit = 600000}});
}

static void test_failing_allocations(void **state) {
    (void)state;
    run_rounds(&(full_config){.name = "failing allocations", .fail_percent = 30});
}

static void test_failing_allocations_moving_rows(void **state) {
    (void)state;
    run_rounds(&(full_config){.name = "failing, moving rows", .def = {.move_rows = true}, .fail_percent = 20});
}

/* The same history gives the same rows in the same order. */
static void test_same_history_same_order(void **state) {
    (void)state;
    full_config config = {.name = "same history", .same_order = true};
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
    full_types_register();
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
