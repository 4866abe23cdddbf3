/*
 * The model test of all kinds: random scripts of every call that changes something, over components of every kind and
 * trait, against a reference world that is compared with the real one after each step, while the real one validates
 * itself. support/model_runner.h has the driver and its settings. test_model.c does the same for table components, with
 * larger values and worlds.
 */
#include "support/components.h"
#include "support/full_model.h"
#include "support/model_runner.h"
#include "support/naive_compare.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

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
    rig_arm(&m->rig);
    shoal_entity made = shoal_spawn(m->rig.world, set.real, set.count);
    shoal_status status = rig_status_of(&m->rig, made);
    if (!rig_ran_out(&m->rig, status)) {
        shoal_entity expected;
        naive_outcome outcome = full_spawn(&m->full, set.naive, set.count, &expected);
        compare_outcome(m->rig.world, status, outcome, "shoal_spawn");
        assert_entity(made, expected);
    }
    full_set_end(&set);
}

static void op_spawn_at(full_model *m) {
    uint32_t index = rng_below(&m->rig.random, (uint32_t)m->full.slots.count + 20);
    uint32_t generation = shoal_entity_generation(full_handle(&m->full, index)) + rng_below(&m->rig.random, 3);
    generation = rng_chance(&m->rig.random, 10) ? rng_below(&m->rig.random, generation + 1) : generation;
    shoal_entity chosen = shoal_entity_make(m->rig.world, index, (uint16_t)(generation < 65535 ? generation : 65535));
    full_set_of set;
    full_rules rules = {.max_count = 5};
    full_set_draw(m, &set, &rules);
    rig_arm(&m->rig);
    shoal_status status = shoal_spawn_at(m->rig.world, chosen, set.real, set.count);
    if (!rig_ran_out(&m->rig, status)) {
        naive_outcome outcome = full_spawn_at(&m->full, chosen, set.naive, set.count);
        compare_outcome(m->rig.world, status, outcome, "shoal_spawn_at");
    }
    full_set_end(&set);
}

static void op_reserve(full_model *m) {
    uint32_t first = rng_below(&m->rig.random, (uint32_t)m->full.slots.count + 50);
    uint32_t count = 1 + rng_below(&m->rig.random, 5);
    rig_arm(&m->rig);
    shoal_status status = shoal_reserve_range(m->rig.world, first, count);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, slots_reserve(&m->full.slots, first, count), "shoal_reserve_range");
    }
}

/* ---- copies ---- */

static void op_clone(full_model *m) {
    full_copying copying = {.root = full_pick(m), .count = 1, .is_tree = rng_chance(&m->rig.random, 50)};
    rig_arm(&m->rig);
    shoal_entity made =
        copying.is_tree ? shoal_clone_tree(m->rig.world, copying.root) : shoal_clone(m->rig.world, copying.root);
    shoal_status status = rig_status_of(&m->rig, made);
    if (!rig_ran_out(&m->rig, status)) {
        shoal_entity expected = {0};
        naive_outcome outcome = full_copy_entities(&m->full, &copying, &expected);
        compare_outcome(m->rig.world, status, outcome, "shoal_clone");
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
                            .count = 1 + rng_below(&m->rig.random, INSTANCES_MAX),
                            .values = set.naive,
                            .value_count = set.count};
    copying.parent = rng_chance(&m->rig.random, 40) ? full_pick(m) : (shoal_entity){0};
    shoal_entity made[INSTANCES_MAX] = {{0}};
    shoal_instantiate_def def = {.count = copying.count,
                                 .values = set.real,
                                 .value_count = set.count,
                                 .parent = copying.parent,
                                 .entities = made};
    rig_arm(&m->rig);
    shoal_status status = shoal_instantiate(m->rig.world, root, &def);
    if (!rig_ran_out(&m->rig, status)) {
        shoal_entity expected[INSTANCES_MAX] = {{0}};
        naive_outcome outcome = full_copy_entities(&m->full, &copying, expected);
        compare_outcome(m->rig.world, status, outcome, "shoal_instantiate");
        for (size_t i = 0; i < copying.count; i++) {
            assert_entity(made[i], expected[i]);
        }
    }
    full_set_end(&set);
}

static void op_make_prefab(full_model *m) {
    shoal_entity root = full_pick(m);
    rig_arm(&m->rig);
    shoal_status status = shoal_make_prefab(m->rig.world, root);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, full_make_prefab(&m->full, root), "shoal_make_prefab");
    }
}

/* ---- destroying ---- */

static void op_destroy(full_model *m) {
    shoal_entity entity = full_pick(m);
    rig_arm(&m->rig);
    shoal_status status = shoal_destroy(m->rig.world, entity);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, full_destroy(&m->full, &entity, 1), "shoal_destroy");
        rig_keep_stale(&m->rig, entity);
    }
}

static void op_destroy_many(full_model *m) {
    shoal_entity entities[12];
    size_t count = rng_below(&m->rig.random, 12);
    bool mistakes = rng_chance(&m->rig.random, 20);
    for (size_t i = 0; i < count; i++) {
        entities[i] = mistakes ? full_pick(m) : full_pick_live(m);
    }
    rig_arm(&m->rig);
    shoal_status status = shoal_destroy_many(m->rig.world, entities, count);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, full_destroy(&m->full, entities, count), "shoal_destroy_many");
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
    const full_query *query = &m->queries[1 + rng_below(&m->rig.random, FULL_QUERY_COUNT - 1)];
    shoal_entity *entities = calloc(m->full.slots.count + 1, sizeof *entities);
    assert_non_null(entities);
    size_t count = matching(m, query, entities);
    if (count <= 20) {
        rig_arm(&m->rig);
        shoal_status status = shoal_query_destroy_entities(query->query);
        if (!rig_ran_out(&m->rig, status)) {
            naive_outcome outcome = full_destroy(&m->full, entities, count);
            compare_outcome(m->rig.world, status, outcome, "shoal_query_destroy_entities");
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
    rig_arm(&m->rig);
    bool relates = full_is(value.type, SHOAL_STORAGE_RELATION) && rng_chance(&m->rig.random, 60);
    shoal_status status = relates
                              ? shoal_relate(m->rig.world, entity, real.value.component, value.target, real.link.data)
                              : shoal_add(m->rig.world, entity, real.value.component, real.value.data);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, full_add(&m->full, entity, &value), "shoal_add");
        if (status == SHOAL_OK && full_is(value.type, SHOAL_STORAGE_CHUNK) && value.has_data) {
            assert_count(full_read(value.type, shoal_get(m->rig.world, entity, real.value.component)), value.payload);
        }
    }
    full_real_end(&real);
}

static void op_remove(full_model *m) {
    shoal_entity entity = full_pick(m);
    full_rules rules = {.mistakes = true};
    full_type type = full_draw_present(m, &rules, entity);
    rig_arm(&m->rig);
    shoal_status status = shoal_remove(m->rig.world, entity, full_component(type));
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, full_remove(&m->full, entity, type), "shoal_remove");
    }
}

static void op_set(full_model *m) {
    shoal_entity entity = full_pick(m);
    full_rules rules = rules_for(m, entity, 1);
    full_value value;
    full_real real;
    do {
        value = full_draw_value(m, &rules, full_draw_present(m, &rules, entity));
        if (full_is(value.type, SHOAL_STORAGE_RELATION) && rng_chance(&m->rig.random, 60)) {
            value.target = full_target(&m->full, value.type, entity);
        }
        full_real_make(&real, &value);
        full_real_end(&real);
    } while (real.value.data == NULL);
    full_real_make(&real, &value);
    rig_arm(&m->rig);
    shoal_status status = shoal_set(m->rig.world, entity, real.value.component, real.value.data);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, full_set(&m->full, entity, &value), "shoal_set");
        if (status == SHOAL_OK && full_is(value.type, SHOAL_STORAGE_CHUNK)) {
            assert_count(full_read(value.type, shoal_get(m->rig.world, entity, real.value.component)), value.payload);
        }
    }
    full_real_end(&real);
}

static void op_write(full_model *m) {
    shoal_entity entity = full_pick_live(m);
    full_type type = (full_type)rng_below(&m->rig.random, FULL_ENTITY_COUNT);
    if (!full_is_writable(type) || !full_has(&m->full, entity, type)) {
        return;
    }
    uint64_t payload = full_fit(type, rng_next(&m->rig.random));
    void *value = shoal_get_mut(m->rig.world, entity, full_component(type));
    assert_non_null(value);
    full_write(type, payload, value);
    full_slot_of(&m->full, entity)->payload[type] = payload;
}

static void op_clear(full_model *m) {
    shoal_entity entity = full_pick(m);
    rig_arm(&m->rig);
    shoal_status status = shoal_clear(m->rig.world, entity);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, full_clear(&m->full, entity), "shoal_clear");
    }
}

static void op_enable(full_model *m) {
    static const full_type types[] = {FULL_SHIELD, FULL_ASLEEP, FULL_LEASE, FULL_CREW, FULL_HULL, FULL_SCAN};
    shoal_entity entity = full_pick(m);
    full_type type = types[rng_below(&m->rig.random, 6)];
    bool on = rng_chance(&m->rig.random, 40);
    shoal_status status = on ? shoal_enable(m->rig.world, entity, full_component(type))
                             : shoal_disable(m->rig.world, entity, full_component(type));
    compare_outcome(m->rig.world, status, full_enable(&m->full, entity, type, on), "shoal_enable or disable");
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
    for (uint32_t wanted = rng_below(&m->rig.random, 5); wanted > 0; wanted--) {
        full_type type = full_draw_type(m, rules);
        if ((taken & full_bit(type)) == 0 || (rules->mistakes && rng_chance(&m->rig.random, 5))) {
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
    rig_arm(&m->rig);
    shoal_status status = shoal_change_entity(m->rig.world, entity, &change.real);
    if (!rig_ran_out(&m->rig, status)) {
        naive_outcome outcome = full_apply_change(&m->full, entity, &change.naive);
        compare_outcome(m->rig.world, status, outcome, "shoal_change_entity");
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
    if (rig_ran_out(&m->rig, status)) {
        return 0;
    }
    while (shoal_view_next(&view)) {
        memcpy(entities + count, view.entities, view.count * sizeof *entities);
        count += view.count;
    }
    return count;
}

static void op_query_change(full_model *m) {
    const full_query *query = &m->queries[rng_below(&m->rig.random, FULL_QUERY_COUNT)];
    shoal_entity *entities = calloc(m->full.slots.count + 1, sizeof *entities);
    assert_non_null(entities);
    size_t count = rows_of(m, query, entities);
    full_rules rules = {.max_count = 3, .mistakes = count != 0};
    change_draw change;
    change_make(m, &change, &rules);
    rig_arm(&m->rig);
    shoal_status status = shoal_query_change_entities(query->query, &change.real);
    if (!rig_ran_out(&m->rig, status) && (count != 0 || status != SHOAL_OK)) {
        naive_outcome outcome = change_all(m, &change.naive, entities, count);
        compare_outcome(m->rig.world, status, outcome, "shoal_query_change_entities");
    }
    full_set_end(&change.add);
    free(entities);
}

/* ---- buffers ---- */

static shoal_status buffer_change(full_model *m, shoal_buffer buffer, full_type type, full_items *items) {
    uint64_t element = 0;
    uint64_t payload = full_is_handle(type) ? full_pick_live(m).bits : full_fit(type, rng_next(&m->rig.random));
    size_t at = items->count != 0 ? rng_below(&m->rig.random, (uint32_t)items->count) : 0;
    bool full = items->count == FULL_ITEMS_MAX;
    shoal_status status = SHOAL_OK;
    full_write(type, payload, &element);
    rig_arm(&m->rig);
    if (!full && rng_chance(&m->rig.random, 60)) {
        at = rng_chance(&m->rig.random, 60) ? items->count : at;
        status = at == items->count ? shoal_buffer_push(buffer, &element) : shoal_buffer_insert(buffer, at, &element);
        if (status == SHOAL_OK) {
            memmove(&items->payload[at + 1], &items->payload[at], (items->count - at) * sizeof items->payload[0]);
            items->payload[at] = payload;
            items->count++;
        }
    } else if (items->count != 0 && rng_chance(&m->rig.random, 50)) {
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
    size_t count = rng_below(&m->rig.random, FULL_ITEMS_MAX + 1);
    rig_arm(&m->rig);
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
    rig_arm(&m->rig);
    shoal_status status = shoal_buffer_assign(buffer, real.span);
    if (status == SHOAL_OK) {
        *items = value.has_data ? value.items : (full_items){0};
    }
    full_real_end(&real);
    return status;
}

static void op_buffer(full_model *m) {
    shoal_entity entity = full_pick_live(m);
    full_type type = (full_type)(FULL_BUFFER_FIRST + rng_below(&m->rig.random, FULL_BUFFER_COUNT));
    if (!full_has(&m->full, entity, type)) {
        return;
    }
    full_items *items = full_items_of(full_slot_of(&m->full, entity), type);
    shoal_buffer buffer = shoal_buffer_get(m->rig.world, entity, full_component(type));
    assert_false(shoal_buffer_is_null(buffer));
    uint32_t roll = rng_below(&m->rig.random, 100);
    shoal_status status = roll < 70   ? buffer_change(m, buffer, type, items)
                          : roll < 85 ? buffer_resize(m, buffer, type, items)
                                      : buffer_assign(m, buffer, type, items);
    if (!rig_ran_out(&m->rig, status)) {
        assert_ok(status);
    }
}

/* ---- relations and names ---- */

static void op_unrelate(full_model *m) {
    shoal_entity source = full_pick(m);
    full_type relation = (full_type)(FULL_RELATION_FIRST + rng_below(&m->rig.random, FULL_RELATION_COUNT));
    shoal_entity target = rng_chance(&m->rig.random, 70) ? full_target(&m->full, relation, source) : full_pick(m);
    shoal_status status = shoal_unrelate(m->rig.world, source, full_component(relation), target);
    compare_outcome(m->rig.world, status, full_unrelate(&m->full, source, relation, target), "shoal_unrelate");
}

static void op_set_parent(full_model *m) {
    shoal_entity child = full_pick(m);
    shoal_entity parent = rng_chance(&m->rig.random, 15) ? (shoal_entity){0} : full_pick(m);
    rig_arm(&m->rig);
    shoal_status status = shoal_set_parent(m->rig.world, child, parent);
    if (!rig_ran_out(&m->rig, status)) {
        full_value value = {.type = FULL_CHILD_OF, .target = parent};
        naive_outcome outcome = shoal_entity_is_null(parent) ? full_unrelate(&m->full, child, FULL_CHILD_OF, parent)
                                                             : full_add(&m->full, child, &value);
        compare_outcome(m->rig.world, status, outcome, "shoal_set_parent");
    }
}

static void op_order(full_model *m) {
    full_type relation = (full_type)(FULL_RELATION_FIRST + rng_below(&m->rig.random, FULL_RELATION_COUNT));
    relation = rng_chance(&m->rig.random, 50) ? FULL_CHILD_OF : relation;
    shoal_entity source = full_pick(m);
    shoal_entity before = rng_chance(&m->rig.random, 30) ? (shoal_entity){0} : full_pick(m);
    for (size_t i = full_link_find(&m->full, 0, relation, (shoal_entity){0}, full_target(&m->full, relation, source));
         i != FULL_NONE && rng_chance(&m->rig.random, 60);
         i = full_link_find(&m->full, i + 1, relation, (shoal_entity){0}, m->full.links[i].target)) {
        before = m->full.links[i].source;
    }
    rig_arm(&m->rig);
    shoal_status status = shoal_order_source(m->rig.world, full_component(relation), source, before);
    if (!rig_ran_out(&m->rig, status)) {
        naive_outcome outcome = full_order(&m->full, relation, source, before);
        compare_outcome(m->rig.world, status, outcome, "shoal_order_source");
    }
}

static void op_name(full_model *m) {
    static const char *const names[] = {"a", "a", "b", "b", "gun", "x/y", "", NULL};
    shoal_entity entity = full_pick(m);
    const char *name = names[rng_below(&m->rig.random, 8)];
    rig_arm(&m->rig);
    shoal_status status = shoal_set_name(m->rig.world, entity, name);
    if (!rig_ran_out(&m->rig, status)) {
        compare_outcome(m->rig.world, status, full_set_name(&m->full, entity, name), "shoal_set_name");
    }
}

/* ---- uniques ---- */

static void op_unique(full_model *m) {
    full_type type = (full_type)(FULL_CLOCK + rng_below(&m->rig.random, 2));
    full_unique *unique = full_unique_of(&m->full, type);
    if (rng_chance(&m->rig.random, 30)) {
        assert_ok(shoal_unique_remove(m->rig.world, full_component(type)));
        *unique = (full_unique){0};
        return;
    }
    full_rules rules = {0};
    full_value value = full_draw_value(m, &rules, type);
    full_real real;
    full_real_make(&real, &value);
    rig_arm(&m->rig);
    shoal_status status = shoal_unique_set(m->rig.world, full_component(type), real.value.data);
    if (!rig_ran_out(&m->rig, status)) {
        assert_ok(status);
        *unique = (full_unique){true, value.has_data ? value.payload : full_default(type), m->full.tick};
    }
    full_real_end(&real);
}

static void op_tick(full_model *m) {
    assert_count(shoal_world_next_tick(m->rig.world), ++m->full.tick);
}

/* ---- queries and the world ---- */

/* Under a memory limit a query that is gone may not come back, so they stay. */
static void op_requery(full_model *m) {
    if (m->rig.config->def.memory_limit == 0) {
        size_t number = rng_below(&m->rig.random, FULL_QUERY_COUNT);
        full_query_end(&m->queries[number]);
        full_query_make(m, number);
    }
}

/* What a loop body does with a row: structural changes are refused, bits and values are set, commands are recorded. */
static void touch_row(void *model_bytes, shoal_entity entity) {
    full_model *m = model_bytes;
    full_slot *slot = full_slot_of(&m->full, entity);
    assert_non_null(slot);
    if (rng_chance(&m->rig.random, 30)) {
        assert_status(shoal_destroy(m->rig.world, entity), SHOAL_WORLD_LOCKED);
        assert_status(shoal_add(m->rig.world, entity, SHOAL_ID(Scan), NULL), SHOAL_WORLD_LOCKED);
        assert_status(shoal_unrelate(m->rig.world, entity, SHOAL_ID(ChildOf), (shoal_entity){0}), SHOAL_WORLD_LOCKED);
        assert_status(shoal_set_name(m->rig.world, entity, "z"), SHOAL_WORLD_LOCKED);
        assert_true(shoal_entity_is_null(shoal_clone_tree(m->rig.world, entity)));
    }
    if (full_has(&m->full, entity, FULL_SCAN)) {
        slot->payload[FULL_SCAN] = full_fit(FULL_SCAN, rng_next(&m->rig.random));
        Number scan;
        full_write(FULL_SCAN, slot->payload[FULL_SCAN], &scan);
        assert_ok(shoal_set(m->rig.world, entity, SHOAL_ID(Scan), &scan));
    }
    full_record_one(m, entity);
}

static void op_iterate(full_model *m) {
    shoal_query *query = m->queries[rng_below(&m->rig.random, FULL_QUERY_COUNT)].query;
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, query);
    if (rig_ran_out(&m->rig, status)) {
        return;
    }
    rig_touch_rows(&m->rig, &view, touch_row, m);
}

static void op_trim(full_model *m) {
    rig_trim(&m->rig);
}

/* ---- the operations ---- */

typedef struct operation {
    model_choice choice;
    void (*run)(full_model *m);
} operation;

static const operation operations[] = {
    {{"spawn", 20, true}, op_spawn},
    {{"spawn_at", 3, true}, op_spawn_at},
    {{"spawn_many", 4, true}, full_op_spawn_many},
    {{"reserve", 1, false}, op_reserve},
    {{"clone", 5, true}, op_clone},
    {{"instantiate", 3, true}, op_instantiate},
    {{"make_prefab", 1, false}, op_make_prefab},
    {{"destroy", 8, false}, op_destroy},
    {{"destroy_many", 3, false}, op_destroy_many},
    {{"query_destroy", 1, false}, op_query_destroy},
    {{"add", 20, false}, op_add},
    {{"remove", 10, false}, op_remove},
    {{"set", 6, false}, op_set},
    {{"write", 4, false}, op_write},
    {{"clear", 2, false}, op_clear},
    {{"enable", 8, false}, op_enable},
    {{"change", 8, false}, op_change},
    {{"query_change", 2, false}, op_query_change},
    {{"buffer", 10, false}, op_buffer},
    {{"unrelate", 3, false}, op_unrelate},
    {{"set_parent", 8, false}, op_set_parent},
    {{"order", 5, false}, op_order},
    {{"name", 12, false}, op_name},
    {{"unique", 2, false}, op_unique},
    {{"tick", 1, false}, op_tick},
    {{"record", 8, false}, full_op_record},
    {{"apply", 5, true}, full_op_apply},
    {{"discard", 1, false}, full_op_discard},
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
    return &((full_model *)model_bytes)->rig;
}

static shoal_query *all_of(void *model_bytes) {
    return ((full_model *)model_bytes)->queries[0].query;
}

int main(void) {
    full_types_register();
    return model_run_tests(&(model_driver){.byte_size = sizeof(full_model),
                                           .memory_limit = 600000,
                                           .crowded_above = POPULATION_MAX,
                                           .choice_count = OPERATION_COUNT,
                                           .choice_at = choice_at,
                                           .start = full_model_start,
                                           .rig_of = rig_of,
                                           .run = run_operation,
                                           .compare = full_model_compare,
                                           .all_of = all_of,
                                           .finish = full_model_finish});
}
