/*
 * What the operations of the model test of all kinds share; see full_model.h.
 */
#include "full_model.h"

#include "components.h"
#include "naive_compare.h"
#include "test.h"

/* ---- handles ---- */

shoal_entity full_pick_live(full_model *m) {
    return rig_pick_live(&m->rig, &m->full.slots);
}

shoal_entity full_pick(full_model *m) {
    return rig_pick(&m->rig, &m->full.slots, 5);
}

/* ---- values ---- */

static shoal_entity draw_own(full_model *m, const full_rules *rules) {
    bool any = rules->own_count != 0 && rng_chance(&m->rig.random, 40);
    return any ? rules->own[rng_below(&m->rig.random, (uint32_t)rules->own_count)] : (shoal_entity){0};
}

/* The content of a handle is nobody's business, so it may be null, but not a placeholder of another buffer. */
static uint64_t draw_payload(full_model *m, const full_rules *rules, full_type type) {
    if (full_is_handle(type)) {
        shoal_entity own = draw_own(m, rules);
        bool none = rng_chance(&m->rig.random, 10);
        return !shoal_entity_is_null(own) ? own.bits : none ? 0 : full_pick_live(m).bits;
    }
    uint64_t payload = full_fit(type, rng_next(&m->rig.random));
    bool refused = type == FULL_FUEL && rules->mistakes && rng_chance(&m->rig.random, 10);
    return refused ? payload | 0x80000000u : payload;
}

/* Targets among the entities of low index now and then, so that trees grow and relations share their targets. */
static shoal_entity draw_target(full_model *m, const full_rules *rules) {
    shoal_entity own = draw_own(m, rules);
    if (!shoal_entity_is_null(own)) {
        return own;
    }
    if (rules->mistakes && rng_chance(&m->rig.random, 15)) {
        return full_pick(m);
    }
    shoal_entity low = full_handle(&m->full, rng_below(&m->rig.random, 6));
    return rng_chance(&m->rig.random, 40) && full_check(&m->full, low) == 0 ? low : full_pick_live(m);
}

full_type full_draw_type(full_model *m, const full_rules *rules) {
    if (rules->mistakes && rng_chance(&m->rig.random, 1)) {
        return (full_type)(FULL_DYING + rng_below(&m->rig.random, FULL_COUNT - FULL_DYING));
    }
    full_type type;
    do {
        type = (full_type)rng_below(&m->rig.random, FULL_ENTITY_COUNT);
    } while (type == FULL_PREFAB && !rng_chance(&m->rig.random, 25));
    return type;
}

full_type full_draw_present(full_model *m, const full_rules *rules, shoal_entity entity) {
    full_type start = (full_type)rng_below(&m->rig.random, FULL_ENTITY_COUNT);
    for (uint32_t i = 0; i < FULL_ENTITY_COUNT && rng_chance(&m->rig.random, 98); i++) {
        full_type type = (full_type)((start + i) % FULL_ENTITY_COUNT);
        if (full_has(&m->full, entity, type)) {
            return type;
        }
    }
    return full_draw_type(m, rules);
}

full_value full_draw_value(full_model *m, const full_rules *rules, full_type type) {
    full_value value = {.type = type, .has_data = !rng_chance(&m->rig.random, 25)};
    if (full_is(type, SHOAL_STORAGE_RELATION)) {
        value.target = draw_target(m, rules);
        value.has_data = value.has_data && full_has_data(type);
    }
    if (value.has_data) {
        value.payload = draw_payload(m, rules, type);
    }
    if (value.has_data && full_is(type, SHOAL_STORAGE_BUFFER)) {
        value.items.count = rng_below(&m->rig.random, rng_chance(&m->rig.random, 30) ? FULL_ITEMS_MAX : 4);
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
    for (uint32_t wanted = rng_below(&m->rig.random, rules->max_count + 1); wanted > 0; wanted--) {
        full_type type = full_draw_type(m, rules);
        bool twice = (taken & full_bit(type)) != 0;
        bool allowed = rules->mistakes && (rules->excluded & full_bit(type)) == 0 && rng_chance(&m->rig.random, 3);
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

/* ---- start, comparison, end ---- */

/* True when a view of the query can be begun; under a limit an order may have no room, ever. */
static bool can_begin(full_model *m, shoal_query *query) {
    rig_arm(&m->rig);
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, query);
    shoal_view_end(&view);
    return !rig_ran_out(&m->rig, status) || m->rig.config->def.memory_limit == 0;
}

static void compare_one_query(full_model *m, const full_query *query) {
    if (can_begin(m, query->query) && (query->unsorted == NULL || can_begin(m, query->unsorted))) {
        full_compare_query(&m->full, query);
    }
}

/* One query is looked at for many steps on end, so that each change alone must be seen by what it keeps. */
void full_model_compare(void *model_bytes, uint32_t step) {
    full_model *m = model_bytes;
    assert_valid(m->rig.world);
    full_compare(&m->full, m->rig.world);
    full_compare_events(&m->full);
    assert_count(m->rig.fake.error_count, 0);
    assert_count(owned_tracker.error_count + boxed_tracker.error_count, 0);
    compare_one_query(m, &m->queries[step / 16 % FULL_QUERY_COUNT]);
    if (step % 8 != 0) {
        return;
    }
    full_compare_memory(&m->full, m->rig.world);
    for (size_t i = 0; i < FULL_QUERY_COUNT; i++) {
        compare_one_query(m, &m->queries[i]);
    }
    rig_compare_memory(&m->rig);
}

void full_model_start(void *model_bytes, const model_config *config, uint64_t seed) {
    full_model *m = model_bytes;
    full_events_reset();
    rig_start(&m->rig, config, seed);
    m->rig.fail_among = 8;
    full_init(&m->full, m->rig.world, rig_entity_limit(&m->rig));
    for (size_t i = 0; i < FULL_QUERY_COUNT; i++) {
        full_query_make(m, i);
    }
    rig_record(&m->rig);
}

void full_model_finish(void *model_bytes) {
    full_model *m = model_bytes;
    rig_finish(&m->rig);
    full_free(&m->full);
}
