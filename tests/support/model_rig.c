/*
 * What every model test has, see model_rig.h.
 */
#include "model_rig.h"

#include "components.h"
#include "test.h"

/* ---- start, comparison, end ---- */

void rig_start(model_rig *rig, const model_config *config, uint64_t seed) {
    rig->config = config;
    rig->owned_before = owned_tracker.live;
    rig->boxed_before = boxed_tracker.live;
    rig->random = (rng){seed};
    shoal_world_def def = config->def;
    def.name = config->name;
    def.allocator = fake_allocator_table(&rig->fake);
    rig->world = shoal_world_create(&def);
    assert_non_null(rig->world);
}

static void take_dropped(void *user, const shoal_dropped_command *command) {
    model_rig *rig = user;
    assert_true(rig->dropped_count < RIG_SCRIPT_MAX);
    rig->dropped[rig->dropped_count++] = *command;
}

void rig_record(model_rig *rig) {
    rig->commands = shoal_commands_create(rig->world, &(shoal_commands_def){.dropped = take_dropped, .user = rig});
    assert_non_null(rig->commands);
}

uint64_t rig_entity_limit(const model_rig *rig) {
    uint64_t limit = rig->config->def.entity_limit;
    return limit != 0 ? limit : (uint64_t)1 << 32;
}

void rig_compare_memory(const model_rig *rig) {
    shoal_memory_report report;
    assert_ok(shoal_world_memory(rig->world, &report));
    assert_count(report.total_bytes, rig->fake.live_bytes);
}

void rig_touch_rows(model_rig *rig, shoal_view *view, void (*touch)(void *model, shoal_entity entity), void *model) {
    while (shoal_view_next(view)) {
        for (size_t row = 0; row < view->count; row++) {
            if (rng_chance(&rig->random, 10)) {
                touch(model, view->entities[row]);
            }
        }
        if (rng_chance(&rig->random, 5)) {
            shoal_view_end(view);
            break;
        }
    }
    assert_null(shoal_world_lock_holder(rig->world));
}

void rig_trim(model_rig *rig) {
    rig_arm(rig);
    /* A budget makes the clock decide what goes, and so the age of archetypes that come back. */
    uint64_t budget = rng_below(&rig->random, 2);
    shoal_status status = shoal_world_trim(rig->world, rig->config->same_order ? 0 : budget, NULL);
    fake_allocator_disarm(&rig->fake);
    assert_ok(status);
}

void rig_finish(model_rig *rig) {
    assert_ok(shoal_world_destroy(rig->world));
    assert_nothing_leaked(&rig->fake);
    assert_owned(&owned_tracker, rig->owned_before);
    assert_owned(&boxed_tracker, rig->boxed_before);
}

/* ---- handles ---- */

void rig_keep_stale(model_rig *rig, shoal_entity entity) {
    rig->stale[rig->stale_count++ % RIG_STALE_COUNT] = entity;
}

shoal_entity rig_pick_live(model_rig *rig, const naive_slots *slots) {
    size_t start = slots->count != 0 ? rng_below(&rig->random, (uint32_t)slots->count) : 0;
    for (size_t i = 0; i < slots->count; i++) {
        size_t index = (start + i) % slots->count;
        if (slots->states[index].alive) {
            return slots_handle(slots, index);
        }
    }
    return (shoal_entity){0};
}

shoal_entity rig_pick(model_rig *rig, const naive_slots *slots, uint32_t stale_percent) {
    uint32_t roll = rng_below(&rig->random, 100);
    if (roll < stale_percent && rig->stale_count != 0) {
        size_t kept = rig->stale_count < RIG_STALE_COUNT ? rig->stale_count : RIG_STALE_COUNT;
        return rig->stale[rng_below(&rig->random, (uint32_t)kept)];
    }
    if (roll == stale_percent) {
        return (shoal_entity){0};
    }
    shoal_entity entity = rig_pick_live(rig, slots);
    if (roll == stale_percent + 1 && !shoal_entity_is_null(entity)) {
        entity.bits ^= (uint64_t)0x4000 << 48;
    }
    return entity;
}

/* ---- failing allocations ---- */

void rig_arm(model_rig *rig) {
    if (rng_chance(&rig->random, rig->config->fail_percent)) {
        fake_allocator_arm(&rig->fake, 1 + rng_below(&rig->random, rig->fail_among), rng_chance(&rig->random, 50));
    }
}

bool rig_ran_out(model_rig *rig, shoal_status status) {
    bool failed = fake_allocator_disarm(&rig->fake);
    if (status == SHOAL_OUT_OF_MEMORY) {
        assert_count(failed, true);
        return true;
    }
    if (status == SHOAL_MEMORY_LIMIT) {
        assert_count(rig->config->def.memory_limit != 0, true);
        return true;
    }
    return false;
}

shoal_status rig_status_of(const model_rig *rig, shoal_entity made) {
    return shoal_entity_is_null(made) ? shoal_last_error(rig->world).status : SHOAL_OK;
}
