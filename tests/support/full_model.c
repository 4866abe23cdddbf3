/*
 * What the operations of the model test of all kinds share; see full_model.h.
 */
#include "full_model.h"

#include "components.h"
#include "naive_compare.h"
#include "test.h"

#include <stdlib.h>

/* ---- handles ---- */

shoal_entity full_pick_live(full_model *m) {
    size_t slot_count = m->full.slots.count;
    size_t start = slot_count != 0 ? rng_below(&m->random, (uint32_t)slot_count) : 0;
    for (size_t i = 0; i < slot_count; i++) {
        size_t index = (start + i) % slot_count;
        if (m->full.slots.states[index].alive) {
            return full_handle(&m->full, index);
        }
    }
    return (shoal_entity){0};
}

shoal_entity full_pick(full_model *m) {
    uint32_t roll = rng_below(&m->random, 100);
    if (roll < 5 && m->stale_count != 0) {
        size_t kept = m->stale_count < FULL_STALE_COUNT ? m->stale_count : FULL_STALE_COUNT;
        return m->stale[rng_below(&m->random, (uint32_t)kept)];
    }
    if (roll == 5) {
        return (shoal_entity){0};
    }
    shoal_entity entity = full_pick_live(m);
    if (roll == 6 && !shoal_entity_is_null(entity)) {
        entity.bits ^= (uint64_t)0x4000 << 48;
    }
    return entity;
}

void full_keep_stale(full_model *m, shoal_entity entity) {
    m->stale[m->stale_count++ % FULL_STALE_COUNT] = entity;
}

/* ---- values ---- */

static shoal_entity draw_own(full_model *m, const full_rules *rules) {
    bool any = rules->own_count != 0 && rng_chance(&m->random, 40);
    return any ? rules->own[rng_below(&m->random, (uint32_t)rules->own_count)] : (shoal_entity){0};
}

/* The content of a handle is nobody's business, so it may be null, but not a placeholder of another buffer. */
static uint64_t draw_payload(full_model *m, const full_rules *rules, full_type type) {
    if (full_is_handle(type)) {
        shoal_entity own = draw_own(m, rules);
        bool none = rng_chance(&m->random, 10);
        return !shoal_entity_is_null(own) ? own.bits : none ? 0 : full_pick_live(m).bits;
    }
    uint64_t payload = full_fit(type, rng_next(&m->random));
    bool refused = type == FULL_FUEL && rules->mistakes && rng_chance(&m->random, 10);
    return refused ? payload | 0x80000000u : payload;
}

/* Targets among the entities of low index now and then, so that trees grow and relations share their targets. */
static shoal_entity draw_target(full_model *m, const full_rules *rules) {
    shoal_entity own = draw_own(m, rules);
    if (!shoal_entity_is_null(own)) {
        return own;
    }
    if (rules->mistakes && rng_chance(&m->random, 15)) {
        return full_pick(m);
    }
    shoal_entity low = full_handle(&m->full, rng_below(&m->random, 6));
    return rng_chance(&m->random, 40) && full_check(&m->full, low) == 0 ? low : full_pick_live(m);
}

full_type full_draw_type(full_model *m, const full_rules *rules) {
    if (rules->mistakes && rng_chance(&m->random, 1)) {
        return (full_type)(FULL_DYING + rng_below(&m->random, FULL_COUNT - FULL_DYING));
    }
    full_type type;
    do {
        type = (full_type)rng_below(&m->random, FULL_ENTITY_COUNT);
    } while (type == FULL_PREFAB && !rng_chance(&m->random, 25));
    return type;
}

full_type full_draw_present(full_model *m, const full_rules *rules, shoal_entity entity) {
    full_type start = (full_type)rng_below(&m->random, FULL_ENTITY_COUNT);
    for (uint32_t i = 0; i < FULL_ENTITY_COUNT && rng_chance(&m->random, 98); i++) {
        full_type type = (full_type)((start + i) % FULL_ENTITY_COUNT);
        if (full_has(&m->full, entity, type)) {
            return type;
        }
    }
    return full_draw_type(m, rules);
}

full_value full_draw_value(full_model *m, const full_rules *rules, full_type type) {
    full_value value = {.type = type, .has_data = !rng_chance(&m->random, 25)};
    if (full_is(type, SHOAL_STORAGE_RELATION)) {
        value.target = draw_target(m, rules);
        value.has_data = value.has_data && full_has_data(type);
    }
    if (value.has_data) {
        value.payload = draw_payload(m, rules, type);
    }
    if (value.has_data && full_is(type, SHOAL_STORAGE_BUFFER)) {
        value.items.count = rng_below(&m->random, rng_chance(&m->random, 30) ? FULL_ITEMS_MAX : 4);
        for (size_t i = 0; i < value.items.count; i++) {
            value.items.payload[i] = draw_payload(m, rules, type);
        }
    }
    return value;
}

void full_set_append(full_set_of *set, const full_value *value) {
    assert_true(set->count < FULL_VALUES_MAX);
    size_t i = set->count++;
    set->naive[i] = *value;
    full_real_make(&set->held[i], value);
    set->real[i] = set->held[i].value;
}

void full_set_draw(full_model *m, full_set_of *set, const full_rules *rules) {
    set->count = 0;
    full_mask taken = rules->excluded;
    for (uint32_t wanted = rng_below(&m->random, rules->max_count + 1); wanted > 0; wanted--) {
        full_type type = full_draw_type(m, rules);
        bool twice = (taken & full_bit(type)) != 0;
        bool allowed = rules->mistakes && (rules->excluded & full_bit(type)) == 0 && rng_chance(&m->random, 3);
        if (!twice || allowed) {
            taken |= full_bit(type);
            full_value value = full_draw_value(m, rules, type);
            full_set_append(set, &value);
        }
    }
}

void full_set_end(full_set_of *set) {
    while (set->count > 0) {
        full_real_end(&set->held[--set->count]);
    }
}

/* ---- failing allocations ---- */

void full_arm(full_model *m) {
    if (rng_chance(&m->random, m->config->fail_percent)) {
        fake_allocator_arm(&m->fake, 1 + rng_below(&m->random, 8), rng_chance(&m->random, 50));
    }
}

bool full_ran_out(full_model *m, shoal_status status) {
    bool failed = fake_allocator_disarm(&m->fake);
    if (status == SHOAL_OUT_OF_MEMORY) {
        assert_count(failed, true);
        return true;
    }
    if (status == SHOAL_MEMORY_LIMIT) {
        assert_count(m->config->def.memory_limit != 0, true);
        return true;
    }
    return false;
}

shoal_status full_status_of(const full_model *m, shoal_entity made) {
    return shoal_entity_is_null(made) ? shoal_last_error(m->world).status : SHOAL_OK;
}

/* ---- start, comparison, end ---- */

/* True when a view of the query can be begun; under a limit an order may have no room, ever. */
static bool can_begin(full_model *m, shoal_query *query) {
    full_arm(m);
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, query);
    shoal_view_end(&view);
    return !full_ran_out(m, status) || m->config->def.memory_limit == 0;
}

static void compare_one_query(full_model *m, const full_query *query) {
    if (can_begin(m, query->query) && (query->unsorted == NULL || can_begin(m, query->unsorted))) {
        full_compare_query(&m->full, query);
    }
}

/* One query is looked at for many steps on end, so that each change alone must be seen by what it keeps. */
void full_model_compare(full_model *m, uint32_t step) {
    assert_valid(m->world);
    full_compare(&m->full, m->world);
    full_compare_events(&m->full);
    assert_count(m->fake.error_count, 0);
    assert_count(owned_tracker.error_count + boxed_tracker.error_count, 0);
    compare_one_query(m, &m->queries[step / 16 % FULL_QUERY_COUNT]);
    if (step % 8 != 0) {
        return;
    }
    full_compare_memory(&m->full, m->world);
    for (size_t i = 0; i < FULL_QUERY_COUNT; i++) {
        compare_one_query(m, &m->queries[i]);
    }
    shoal_memory_report report;
    assert_ok(shoal_world_memory(m->world, &report));
    assert_count(report.total_bytes, m->fake.live_bytes);
}

void full_model_start(full_model *m, const full_config *config, uint64_t seed) {
    m->config = config;
    m->owned_before = owned_tracker.live;
    m->boxed_before = boxed_tracker.live;
    m->random = (rng){seed};
    full_events_reset();
    shoal_world_def def = config->def;
    def.name = config->name;
    def.allocator = fake_allocator_table(&m->fake);
    m->world = shoal_world_create(&def);
    assert_non_null(m->world);
    full_init(&m->full, m->world, def.entity_limit != 0 ? def.entity_limit : (uint64_t)1 << 32);
    for (size_t i = 0; i < FULL_QUERY_COUNT; i++) {
        full_query_make(m, i);
    }
    m->commands = shoal_commands_create(m->world, &(shoal_commands_def){.dropped = full_take_dropped, .user = m});
    assert_non_null(m->commands);
}

void full_model_finish(full_model *m) {
    assert_ok(shoal_world_destroy(m->world));
    full_free(&m->full);
    assert_nothing_leaked(&m->fake);
    assert_owned(&owned_tracker, m->owned_before);
    assert_owned(&boxed_tracker, m->boxed_before);
    free(m);
    test_set_context("%s", "");
}
