/*
 * What the operations of the model test share: see model.h.
 */
#include "model.h"

#include "naive_compare.h"
#include "test.h"

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
    return rig_pick_live(&m->rig, &m->naive.slots);
}

shoal_entity model_pick(model *m) {
    return rig_pick(&m->rig, &m->naive.slots, 8);
}

/* Rules for values that go with `entity`: a call that is wrong already makes no second mistake. */
value_rules model_rules_for(const model *m, shoal_entity entity, uint32_t max_count) {
    bool usable = naive_check(&m->naive, entity) == 0;
    return (value_rules){.max_count = max_count, .mistakes = usable, .links = m->links, .link_count = LINK_COUNT};
}

value_rules model_rules_for_spawn(const model *m, uint32_t max_count) {
    return (value_rules){.max_count = max_count,
                         .mistakes = m->rig.config->def.entity_limit == 0,
                         .links = m->links,
                         .link_count = LINK_COUNT};
}

/* ---- start, comparison, end ---- */

shoal_query *model_make_query(model *m, size_t query) {
    shoal_term terms[4];
    shoal_query_def def = {.terms = terms, .term_count = model_query_terms(query, terms)};
    rig_arm(&m->rig);
    shoal_query *made = shoal_query_create(m->rig.world, &def);
    shoal_status status = made != NULL ? SHOAL_OK : shoal_last_error(m->rig.world).status;
    if (rig_ran_out(&m->rig, status)) {
        made = shoal_query_create(m->rig.world, &def);
    }
    return made;
}

void model_compare(void *model_bytes, uint32_t step) {
    model *m = model_bytes;
    assert_valid(m->rig.world);
    compare_entities(&m->naive, m->rig.world);
    assert_count(m->rig.fake.error_count, 0);
    if (step % 8 != 0) {
        return;
    }
    compare_batches(&m->naive, m->rig.world);
    compare_memory(&m->naive, m->rig.world);
    rig_compare_memory(&m->rig);
    for (size_t query = 0; query < QUERY_COUNT; query++) {
        shoal_term terms[4];
        size_t term_count = model_query_terms(query, terms);
        compare_query(&m->naive, m->rig.world, m->queries[query], terms, term_count);
    }
}

void model_start(void *model_bytes, const model_config *config, uint64_t seed) {
    model *m = model_bytes;
    rig_start(&m->rig, config, seed);
    m->rig.fail_among = 6;
    naive_init(&m->naive, m->rig.world, rig_entity_limit(&m->rig));
    for (size_t query = 0; query < QUERY_COUNT; query++) {
        m->queries[query] = model_make_query(m, query);
        assert_non_null(m->queries[query]);
    }
    rig_record(&m->rig);
}

void model_finish(void *model_bytes) {
    model *m = model_bytes;
    rig_finish(&m->rig);
    naive_free(&m->naive);
}
