/*
 * What the operations of the model test share: see model.h.
 */
#include "model.h"

#include "naive_compare.h"
#include "test.h"

#include <stdlib.h>

/* ---- drawing ---- */

size_t model_query_terms(size_t query, shoal_term *terms) {
    const shoal_term table[QUERY_COUNT][4] = {
        {{.access = SHOAL_ACCESS_NONE}},
        {SHOAL_READ(Position), SHOAL_WRITE(Velocity), SHOAL_WITHOUT(Frozen)},
        {SHOAL_WRITE(Health), SHOAL_OPTIONAL(Owned), SHOAL_WITH(Selected)},
        {SHOAL_ANY(0, Position), SHOAL_ANY(0, Link), SHOAL_ANY(1, Wide), SHOAL_ANY_WRITE(1, Letter)},
        {SHOAL_READ(Owned), SHOAL_OPTIONAL_WRITE(Boxed), SHOAL_WITHOUT(Large)},
        {SHOAL_READ(Aligned), SHOAL_READ(Preset)},
        {SHOAL_WITHOUT(Position), SHOAL_WITHOUT(Selected)},
    };
    size_t count = 0;
    while (count < 4 && table[query][count].access != SHOAL_ACCESS_NONE) {
        terms[count] = table[query][count];
        count++;
    }
    return count;
}

shoal_entity model_pick_live(model *m) {
    size_t slot_count = m->naive.slots.count;
    size_t start = slot_count != 0 ? rng_below(&m->random, (uint32_t)slot_count) : 0;
    for (size_t i = 0; i < slot_count; i++) {
        size_t index = (start + i) % slot_count;
        if (m->naive.slots.states[index].alive) {
            return naive_handle(&m->naive, index);
        }
    }
    return (shoal_entity){0};
}

/* Mostly a live entity; now and then a dead, a null or a foreign handle. */
shoal_entity model_pick(model *m) {
    uint32_t roll = rng_below(&m->random, 100);
    if (roll < 8 && m->stale_count != 0) {
        size_t kept = m->stale_count < STALE_COUNT ? m->stale_count : STALE_COUNT;
        return m->stale[rng_below(&m->random, (uint32_t)kept)];
    }
    if (roll == 8) {
        return (shoal_entity){0};
    }
    shoal_entity entity = model_pick_live(m);
    if (roll == 9 && !shoal_entity_is_null(entity)) {
        entity.bits ^= (uint64_t)0x4000 << 48;
    }
    return entity;
}

/* Rules for values that go with `entity`: a call that is wrong already makes no second mistake. */
value_rules model_rules_for(const model *m, shoal_entity entity, uint32_t max_count) {
    bool usable = naive_check(&m->naive, entity) == 0;
    return (value_rules){.max_count = max_count, .mistakes = usable, .links = m->links, .link_count = LINK_COUNT};
}

value_rules model_rules_for_spawn(const model *m, uint32_t max_count) {
    return (value_rules){.max_count = max_count,
                         .mistakes = m->config->def.entity_limit == 0,
                         .links = m->links,
                         .link_count = LINK_COUNT};
}

void model_keep_stale(model *m, shoal_entity entity) {
    m->stale[m->stale_count++ % STALE_COUNT] = entity;
}

/* ---- failing allocations ---- */

void model_arm(model *m) {
    if (rng_chance(&m->random, m->config->fail_percent)) {
        fake_allocator_arm(&m->fake, 1 + rng_below(&m->random, 6), rng_chance(&m->random, 50));
    }
}

/* True when the call failed for want of memory, so that nothing may have changed. */
bool model_ran_out(model *m, shoal_status status) {
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

shoal_status model_status_of(const model *m, shoal_entity made) {
    return shoal_entity_is_null(made) ? shoal_last_error(m->world).status : SHOAL_OK;
}

/* ---- start, comparison, end ---- */

shoal_query *model_make_query(model *m, size_t query) {
    shoal_term terms[4];
    shoal_query_def def = {.terms = terms, .term_count = model_query_terms(query, terms)};
    model_arm(m);
    shoal_query *made = shoal_query_create(m->world, &def);
    shoal_status status = made != NULL ? SHOAL_OK : shoal_last_error(m->world).status;
    if (model_ran_out(m, status)) {
        made = shoal_query_create(m->world, &def);
    }
    return made;
}

void model_compare(model *m, uint32_t step) {
    assert_valid(m->world);
    compare_entities(&m->naive, m->world);
    assert_count(m->fake.error_count, 0);
    if (step % 8 != 0) {
        return;
    }
    compare_batches(&m->naive, m->world);
    compare_memory(&m->naive, m->world);
    shoal_memory_report report;
    assert_ok(shoal_world_memory(m->world, &report));
    assert_count(report.total_bytes, m->fake.live_bytes);
    for (size_t query = 0; query < QUERY_COUNT; query++) {
        shoal_term terms[4];
        size_t term_count = model_query_terms(query, terms);
        compare_query(&m->naive, m->world, m->queries[query], terms, term_count);
    }
}

void model_start(model *m, const model_config *config, uint64_t seed) {
    m->config = config;
    m->owned_before = owned_tracker.live;
    m->boxed_before = boxed_tracker.live;
    m->random = (rng){seed};
    shoal_world_def def = config->def;
    def.name = config->name;
    def.allocator = fake_allocator_table(&m->fake);
    m->world = shoal_world_create(&def);
    assert_non_null(m->world);
    naive_init(&m->naive, m->world, def.entity_limit != 0 ? def.entity_limit : (uint64_t)1 << 32);
    for (size_t query = 0; query < QUERY_COUNT; query++) {
        m->queries[query] = model_make_query(m, query);
        assert_non_null(m->queries[query]);
    }
    m->commands = shoal_commands_create(m->world, &(shoal_commands_def){.dropped = model_take_dropped, .user = m});
    assert_non_null(m->commands);
}

void model_finish(model *m) {
    assert_ok(shoal_world_destroy(m->world));
    naive_free(&m->naive);
    assert_nothing_leaked(&m->fake);
    assert_owned(&owned_tracker, m->owned_before);
    assert_owned(&boxed_tracker, m->boxed_before);
    free(m);
    test_set_context("%s", "");
}
