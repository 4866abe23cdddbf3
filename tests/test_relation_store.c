/*
 * The relation store on its own, against a naive model: lists of numbers for each source and each target. Random links,
 * batches with reservations of every kind, an allocator that fails at every point of a reservation and refuses
 * everything outside of one, directories of many blocks, order keys that run out. Conformance L1, L2, L4 at the level
 * of the store.
 */
#include "support/fake_allocator.h"
#include "support/owned.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/relation.h"

static const shoal_entity no_entity;

/* ---- the model ---- */

typedef struct numbers {
    uint32_t *items;
    size_t count;
    size_t capacity;
} numbers;

static void numbers_insert(numbers *list, size_t at, uint32_t number) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity != 0 ? list->capacity * 2 : 4;
        list->items = realloc(list->items, list->capacity * sizeof *list->items);
        assert_non_null(list->items);
    }
    memmove(list->items + at + 1, list->items + at, (list->count - at) * sizeof *list->items);
    list->items[at] = number;
    list->count++;
}

static void numbers_erase(numbers *list, size_t at) {
    list->count--;
    memmove(list->items + at, list->items + at + 1, (list->count - at) * sizeof *list->items);
}

static size_t numbers_find(const numbers *list, uint32_t number) {
    size_t at = 0;
    while (at < list->count && list->items[at] != number) {
        at++;
    }
    return at;
}

typedef enum data_kind { DATA_NONE, DATA_PLAIN, DATA_WIDE, DATA_OWNED, DATA_OWNED_MOVED, DATA_KINDS } data_kind;

typedef struct wide_data {
    _Alignas(64) uint32_t value;
} wide_data;

/* A store and what it must hold. Entities are numbers here; handles change when one dies. */
typedef struct model {
    fake_allocator fake;
    shoal_memory memory;
    component_type type;
    tracker track;
    relation_store store;
    data_kind data;
    bool tortures; /* every reservation is tried with each allocation failing */
    rng random;
    uint32_t entity_count;
    uint32_t target_count; /* entities below are targets */
    shoal_entity *handles;
    numbers *sources; /* of each target, in order */
    numbers *targets; /* of each source, in order */
    numbers *values;  /* beside targets */
    uint32_t next_value;
} model;

/* Slots are spread out, so that several pages are in use. */
static shoal_entity handle_of(uint32_t number, uint32_t generation) {
    return (shoal_entity){(UINT64_C(0x8001) << 48) | ((uint64_t)generation << 32) | ((uint64_t)number * 97)};
}

static void model_define(model *m, bool exclusive, bool acyclic) {
    static const size_t sizes[DATA_KINDS] = {0, sizeof(uint32_t), sizeof(wide_data), sizeof(Owned), sizeof(Owned)};
    static const size_t alignments[DATA_KINDS] = {1, sizeof(uint32_t), 64, sizeof(uint64_t), sizeof(uint64_t)};
    shoal_component_def *def = &m->type.def;
    *def = (shoal_component_def){.name = "Tie",
                                 .size = sizes[m->data],
                                 .alignment = alignments[m->data],
                                 .storage = SHOAL_STORAGE_RELATION,
                                 .exclusive = exclusive,
                                 .acyclic = acyclic,
                                 .user = &m->track};
    m->track = (tracker){.name = "Tie", .follows = m->data == DATA_OWNED_MOVED};
    if (m->data >= DATA_OWNED) {
        def->copy = owned_copy;
        def->dtor = owned_dtor;
        def->move = m->data == DATA_OWNED_MOVED ? owned_move : NULL;
        m->type.hooked = true;
    }
    m->type.value_size = (uint32_t)def->size;
    m->type.value_alignment = (uint32_t)def->alignment;
}

static void model_start(model *m, bool exclusive, bool acyclic, data_kind data, uint32_t entity_count) {
    *m = (model){.data = data, .entity_count = entity_count, .target_count = entity_count, .next_value = 1};
    m->memory = (shoal_memory){.allocator = fake_allocator_table(&m->fake)};
    model_define(m, exclusive, acyclic);
    relation_init(&m->store, &m->memory, &m->type);
    m->handles = calloc(entity_count, sizeof *m->handles);
    m->sources = calloc(entity_count, sizeof *m->sources);
    m->targets = calloc(entity_count, sizeof *m->targets);
    m->values = calloc(entity_count, sizeof *m->values);
    for (uint32_t i = 0; i < entity_count; i++) {
        m->handles[i] = handle_of(i, 0);
    }
}

static void model_end(model *m) {
    relation_deinit(&m->store);
    assert_count(m->memory.total, 0);
    assert_owned(&m->track, 0);
    for (uint32_t i = 0; i < m->entity_count; i++) {
        free(m->sources[i].items);
        free(m->targets[i].items);
        free(m->values[i].items);
    }
    free(m->handles);
    free(m->sources);
    free(m->targets);
    free(m->values);
    assert_nothing_leaked(&m->fake);
}

static uint32_t number_of(shoal_entity entity) {
    return shoal_entity_index(entity) / 97u;
}

static uint32_t model_depth(const model *m, uint32_t number) {
    uint32_t depth = 0;
    while (m->targets[number].count != 0) {
        number = m->targets[number].items[0];
        depth++;
    }
    return depth;
}

static bool model_is_above(const model *m, uint32_t above, uint32_t number) {
    while (number != above && m->targets[number].count != 0) {
        number = m->targets[number].items[0];
    }
    return number == above;
}

static void model_unlink(model *m, uint32_t source, uint32_t target) {
    size_t at = numbers_find(&m->targets[source], target);
    numbers_erase(&m->targets[source], at);
    numbers_erase(&m->values[source], at);
    numbers_erase(&m->sources[target], numbers_find(&m->sources[target], source));
}

static void model_link(model *m, uint32_t source, uint32_t target, uint32_t value, bool given) {
    size_t at = numbers_find(&m->targets[source], target);
    if (at < m->targets[source].count) {
        if (given) {
            m->values[source].items[at] = value;
        }
        return;
    }
    if (m->store.is_exclusive && m->targets[source].count != 0) {
        model_unlink(m, source, m->targets[source].items[0]);
    }
    numbers_insert(&m->targets[source], m->targets[source].count, target);
    numbers_insert(&m->values[source], m->values[source].count, given ? value : 0);
    numbers_insert(&m->sources[target], m->sources[target].count, source);
}

/* ---- comparing ---- */

static void check_valid_store(const model *m) {
    char reason[200] = "";
    if (!relation_validate(&m->store, reason, sizeof reason)) {
        fail_msg("%s (%s)", reason, test_context);
    }
}

static uint32_t data_value(const model *m, relation_link *link) {
    void *data = relation_link_data(&m->store, link);
    uint32_t value = 0;
    if (m->data == DATA_NONE) {
        assert_null(data);
    } else if (m->data >= DATA_OWNED) {
        assert_true(owned_read(&m->track, data, &value));
    } else {
        assert_count((uintptr_t)data % m->type.def.alignment, 0);
        memcpy(&value, data, sizeof value);
    }
    return value;
}

static void check_source(const model *m, uint32_t number) {
    shoal_entity source = m->handles[number];
    relation_link *link = relation_find(&m->store, source, no_entity);
    for (size_t i = 0; i < m->targets[number].count; i++) {
        assert_non_null(link);
        shoal_entity target = m->handles[m->targets[number].items[i]];
        assert_entity(link->target, target);
        assert_ptr_equal(relation_find(&m->store, source, target), link);
        assert_count(data_value(m, link), m->data != DATA_NONE ? m->values[number].items[i] : 0);
        link = relation_link_next(&m->store, link);
    }
    assert_null(link);
    if (m->store.is_acyclic) {
        assert_count(relation_depth(&m->store, source), model_depth(m, number));
    }
}

static void check_target(const model *m, uint32_t number) {
    const relation_list *list = relation_sources(&m->store, m->handles[number]);
    size_t checked = 0;
    const shoal_entity *entities;
    size_t count;
    for (size_t run = 0; list != NULL && relation_list_run(list, run, &entities, &count); run++) {
        for (size_t i = 0; i < count; i++, checked++) {
            assert_in_range(checked + 1, 1, m->sources[number].count);
            assert_entity(entities[i], m->handles[m->sources[number].items[checked]]);
        }
    }
    assert_count(checked, m->sources[number].count);
    assert_true((list == NULL) == (checked == 0));
}

/* The walk down from an entity, each step with what the model has there; and back. */
static void check_tree(const model *m, uint32_t root) {
    numbers open = {0};
    numbers order = {0};
    numbers_insert(&open, 0, root);
    shoal_entity at = m->handles[root];
    while (open.count != 0) {
        uint32_t number = open.items[open.count - 1];
        numbers_erase(&open, open.count - 1);
        numbers_insert(&order, order.count, number);
        assert_entity(at, m->handles[number]);
        for (size_t i = m->sources[number].count; i != 0; i--) {
            numbers_insert(&open, open.count, m->sources[number].items[i - 1]);
        }
        assert_true(relation_tree_next(&m->store, m->handles[root], &at) == (open.count != 0));
    }
    at = relation_tree_last(&m->store, m->handles[root]);
    for (size_t i = order.count; i != 0; i--) {
        assert_entity(at, m->handles[order.items[i - 1]]);
        bool more = relation_tree_previous(&m->store, m->handles[root], &at);
        assert_true(more == (i > 2));
    }
    free(open.items);
    free(order.items);
}

static void check_model(model *m) {
    check_valid_store(m);
    uint64_t link_count = 0;
    for (uint32_t i = 0; i < m->entity_count; i++) {
        check_source(m, i);
        check_target(m, i);
        link_count += m->targets[i].count;
    }
    assert_count(m->store.link_count, link_count);
    if (m->store.is_acyclic) {
        check_tree(m, rng_below(&m->random, m->entity_count));
    }
    if (m->data >= DATA_OWNED) {
        int64_t live = 0;
        for (uint32_t i = 0; i < m->entity_count; i++) {
            for (size_t k = 0; k < m->targets[i].count; k++) {
                live += m->values[i].items[k] != 0;
            }
        }
        assert_owned(&m->track, live);
    }
}

/* ---- steps ---- */

typedef union data_value_place {
    uint32_t plain;
    wide_data wide;
    Owned owned;
} data_value_place;

/* The cycle that a check reports must be one: `cycle_at` is a source of `source` on the way up from `target`. */
static bool check_cycle(model *m, uint32_t source, uint32_t target) {
    shoal_entity cycle_at = no_entity;
    shoal_status status = relation_check(&m->store, m->handles[source], m->handles[target], &cycle_at);
    bool is_cycle = m->store.is_acyclic && model_is_above(m, source, target);
    assert_status(status, is_cycle ? SHOAL_RELATION_CYCLE : SHOAL_OK);
    if (is_cycle && source == target) {
        assert_entity(cycle_at, m->handles[source]);
    } else if (is_cycle) {
        uint32_t through = number_of(cycle_at);
        assert_count(m->targets[through].items[0], source);
        assert_true(model_is_above(m, through, target));
    }
    return is_cycle;
}

/* Adding and removing must not even ask for memory. */
static void forbid_memory(model *m) {
    fake_allocator_arm(&m->fake, 1, true);
}

static void allow_memory(model *m) {
    assert_false(fake_allocator_disarm(&m->fake));
}

static void add_reserved(model *m, uint32_t source, uint32_t target) {
    data_value_place data;
    bool given = m->data >= DATA_OWNED || rng_chance(&m->random, 70);
    uint32_t value = m->next_value++;
    memset(&data, 0, sizeof data);
    if (m->data >= DATA_OWNED && given) {
        owned_make(&m->track, &data.owned, value);
    } else {
        data.plain = value;
    }
    forbid_memory(m);
    relation_link *link = relation_add(&m->store, m->handles[source], m->handles[target], given ? &data : NULL);
    allow_memory(m);
    assert_entity(link->target, m->handles[target]);
    if (m->data == DATA_NONE) {
        given = false;
    }
    model_link(m, source, target, value, given);
}

typedef shoal_status (*reserve_fn)(model *m, const void *argument);

/* With torture: fails at each allocation in turn, and nothing must have changed. */
static void reserve_all(model *m, reserve_fn reserve, const void *argument) {
    for (size_t n = 1; m->tortures; n++) {
        fake_allocator_arm(&m->fake, n, rng_chance(&m->random, 50));
        shoal_status status = reserve(m, argument);
        bool failed = fake_allocator_disarm(&m->fake);
        assert_status(status, failed ? SHOAL_OUT_OF_MEMORY : SHOAL_OK);
        if (!failed) {
            return;
        }
        relation_settle(&m->store);
        check_valid_store(m);
    }
    assert_ok(reserve(m, argument));
}

typedef struct pair {
    uint32_t source;
    uint32_t target;
} pair;

static pair random_pair(model *m) {
    return (pair){rng_below(&m->random, m->entity_count), rng_below(&m->random, m->target_count)};
}

static shoal_status reserve_pair(model *m, const void *argument) {
    const pair *p = argument;
    return relation_reserve(&m->store, m->handles[p->source], m->handles[p->target]);
}

static void step_link(model *m) {
    pair p = random_pair(m);
    if (!check_cycle(m, p.source, p.target)) {
        reserve_all(m, reserve_pair, &p);
        add_reserved(m, p.source, p.target);
    }
}

static void unlink_both(model *m, uint32_t source, uint32_t target) {
    bool there = numbers_find(&m->targets[source], target) < m->targets[source].count;
    assert_true(relation_remove(&m->store, m->handles[source], m->handles[target]) == there);
    if (there) {
        model_unlink(m, source, target);
    }
}

static void step_unlink(model *m) {
    pair p = random_pair(m);
    size_t count = m->targets[p.source].count;
    if (count != 0 && rng_chance(&m->random, 80)) {
        p.target = m->targets[p.source].items[rng_below(&m->random, (uint32_t)count)];
    }
    forbid_memory(m);
    unlink_both(m, p.source, p.target);
    allow_memory(m);
}

static void clear_source(model *m, uint32_t number) {
    assert_count(relation_remove_source(&m->store, m->handles[number]), m->targets[number].count);
    while (m->targets[number].count != 0) {
        model_unlink(m, number, m->targets[number].items[0]);
    }
}

static void clear_target(model *m, uint32_t number) {
    assert_count(relation_remove_target(&m->store, m->handles[number]), m->sources[number].count);
    while (m->sources[number].count != 0) {
        model_unlink(m, m->sources[number].items[0], number);
    }
}

/* The slot lives on with the next generation; the old handle leads nowhere. */
static void kill(model *m, uint32_t number) {
    shoal_entity old = m->handles[number];
    forbid_memory(m);
    clear_target(m, number);
    clear_source(m, number);
    allow_memory(m);
    m->handles[number] = handle_of(number, shoal_entity_generation(old) + 1);
    assert_null(relation_find(&m->store, old, no_entity));
    assert_null(relation_sources(&m->store, old));
}

static void step_clear(model *m) {
    uint32_t which = rng_below(&m->random, 3);
    uint32_t number = rng_below(&m->random, m->target_count);
    if (which == 0) {
        clear_source(m, rng_below(&m->random, m->entity_count));
    } else if (which == 1 && m->sources[number].count < 100) {
        clear_target(m, number);
    } else if (m->sources[number].count < 100) {
        kill(m, number);
    }
}

static void order_both(model *m, uint32_t source, uint32_t before, bool last) {
    shoal_entity before_handle = last ? no_entity : m->handles[before];
    bool has = m->targets[source].count != 0;
    bool same =
        has && (last || (m->targets[before].count != 0 && m->targets[before].items[0] == m->targets[source].items[0]));
    shoal_status status = relation_order_before(&m->store, m->handles[source], before_handle);
    assert_status(status, same ? SHOAL_OK : SHOAL_RELATION_MISSING);
    if (same && (last || source != before)) {
        numbers *list = &m->sources[m->targets[source].items[0]];
        numbers_erase(list, numbers_find(list, source));
        numbers_insert(list, last ? list->count : numbers_find(list, before), source);
    }
}

static void step_order(model *m) {
    if (!m->store.is_exclusive) {
        return;
    }
    uint32_t source = rng_below(&m->random, m->entity_count);
    uint32_t before = rng_below(&m->random, m->entity_count);
    if (m->targets[source].count != 0 && rng_chance(&m->random, 80)) {
        const numbers *list = &m->sources[m->targets[source].items[0]];
        before = list->items[rng_below(&m->random, (uint32_t)list->count)];
    }
    order_both(m, source, before, rng_chance(&m->random, 20));
}

/* ---- batches ---- */

#define BATCH_MAX 40

/* A target is known to all links of a batch, or unknown to all. */
typedef struct batch {
    pair pairs[BATCH_MAX];
    shoal_entity handles[BATCH_MAX]; /* of the targets when they were reserved */
    bool loose_source[BATCH_MAX];
    bool loose_target[BATCH_MAX];
    uint32_t count;
    bool by_target; /* all of them by relation_reserve_target() */
} batch;

static shoal_status reserve_link_of(model *m, const batch *b, uint32_t i) {
    shoal_entity source = m->handles[b->pairs[i].source];
    shoal_entity target = m->handles[b->pairs[i].target];
    if (!b->loose_source[i] && !b->loose_target[i] && !b->by_target) {
        return relation_reserve(&m->store, source, target);
    }
    relation_loose loose = {.link_count = b->loose_target[i],
                            .target_count = b->loose_target[i],
                            .source_count = b->loose_source[i],
                            .slot_end = m->entity_count * UINT64_C(97)};
    shoal_status status = relation_reserve_loose(&m->store, &loose);
    if (status == SHOAL_OK && !b->loose_target[i]) {
        status = relation_reserve_target(&m->store, target, 1);
    }
    return status == SHOAL_OK && !b->loose_source[i] ? relation_reserve_source(&m->store, source) : status;
}

static shoal_status reserve_batch(model *m, const void *argument) {
    const batch *b = argument;
    shoal_status status = SHOAL_OK;
    for (uint32_t i = 0; i < b->count && status == SHOAL_OK; i++) {
        status = reserve_link_of(m, b, i);
    }
    return status;
}

/* Several reservations, then links and removals in between; some links do not come. */
static void step_batch(model *m) {
    batch b = {.count = rng_below(&m->random, BATCH_MAX) + 1, .by_target = rng_chance(&m->random, 30)};
    uint32_t base = rng_below(&m->random, m->target_count);
    uint32_t salt = rng_below(&m->random, 3);
    bool together = rng_chance(&m->random, 50);
    for (uint32_t i = 0; i < b.count; i++) {
        b.pairs[i] = random_pair(m);
        b.pairs[i].target = together ? base : b.pairs[i].target;
        b.loose_source[i] = rng_chance(&m->random, 40);
        uint32_t target = b.pairs[i].target;
        b.loose_target[i] = m->sources[target].count == 0 && (target + salt) % 2 == 0;
        b.handles[i] = m->handles[target];
    }
    reserve_all(m, reserve_batch, &b);
    for (uint32_t i = 0; i < b.count; i++) {
        pair p = b.pairs[i];
        if (rng_chance(&m->random, 20)) {
            step_unlink(m);
        }
        if (m->sources[p.target].count < 100 && rng_chance(&m->random, 5)) {
            kill(m, p.target);
        }
        bool promised = b.loose_target[i] || b.handles[i].bits == m->handles[p.target].bits;
        if (promised && !check_cycle(m, p.source, p.target) && rng_chance(&m->random, 90)) {
            add_reserved(m, p.source, p.target);
        }
    }
    relation_settle(&m->store);
}

static void step(model *m) {
    uint32_t choice = rng_below(&m->random, 100);
    if (choice < 50) {
        step_link(m);
    } else if (choice < 65) {
        step_unlink(m);
    } else if (choice < 70) {
        step_clear(m);
    } else if (choice < 85) {
        step_order(m);
    } else if (choice < 98) {
        step_batch(m);
    } else {
        relation_trim(&m->store);
    }
}

/* ---- the random tests ---- */

static const struct {
    bool exclusive;
    bool acyclic;
} forms[] = {{false, false}, {true, false}, {false, true}};

static void run_random(uint32_t form, data_kind data, uint64_t seed, bool tortures) {
    model m;
    model_start(&m, forms[form].exclusive, forms[form].acyclic, data, 60);
    m.random = (rng){seed};
    m.tortures = tortures;
    for (uint32_t i = 0; i < 600; i++) {
        test_set_context("form %u data %d seed %llu step %u", form, (int)data, (unsigned long long)seed, i);
        step(&m);
        check_model(&m);
    }
    model_end(&m);
    test_set_context("");
}

static void test_random_links(void **state) {
    (void)state;
    for (uint32_t form = 0; form < 3; form++) {
        for (int data = 0; data < DATA_KINDS; data++) {
            run_random(form, (data_kind)data, test_environment("SEED", 1) + (uint64_t)form * 10, false);
        }
    }
}

static void test_random_links_without_memory(void **state) {
    (void)state;
    for (uint32_t form = 0; form < 3; form++) {
        run_random(form, form == 1 ? DATA_OWNED_MOVED : DATA_PLAIN, test_environment("SEED", 7), true);
    }
}

/* Few targets with thousands of sources: directories, splits, merges. */
static void test_random_long_lists(void **state) {
    (void)state;
    for (uint32_t form = 0; form < 3; form++) {
        model m;
        model_start(&m, forms[form].exclusive, forms[form].acyclic, DATA_OWNED_MOVED, 4000);
        m.target_count = 3;
        m.random = (rng){test_environment("SEED", 3)};
        for (uint32_t i = 0; i < 24000; i++) {
            test_set_context("form %u step %u", form, i);
            uint32_t links = i < 9000 ? 90 : i < 15000 ? 30 : 5;
            if (rng_chance(&m.random, links)) {
                step_link(&m);
            } else if (rng_chance(&m.random, 30)) {
                step_order(&m);
            } else if (rng_chance(&m.random, 2)) {
                step_batch(&m);
            } else {
                step_unlink(&m);
            }
            if (i % 400 == 0) {
                check_model(&m);
            }
        }
        check_model(&m);
        relation_trim(&m.store);
        check_model(&m);
        model_end(&m);
    }
    test_set_context("");
}

/* ---- reservations ---- */

/* Many links to targets that are not known yet, in lists of every size, without memory once they are reserved. */
static void test_loose_lists_of_every_size(void **state) {
    (void)state;
    for (uint32_t size = 1; size <= 4096; size = size * 3 / 2 + 1) {
        model m;
        uint32_t targets = 6000 / size + 1;
        model_start(&m, true, false, DATA_NONE, targets + targets * size);
        m.random = (rng){size};
        test_set_context("lists of %u", size);
        relation_loose loose = {.link_count = targets * size,
                                .target_count = targets,
                                .source_count = targets * size,
                                .slot_end = m.entity_count * UINT64_C(97)};
        assert_ok(relation_reserve_loose(&m.store, &loose));
        for (uint32_t i = 0; i < targets * size; i++) {
            add_reserved(&m, targets + i, i % targets);
        }
        relation_settle(&m.store);
        check_valid_store(&m);
        for (uint32_t i = 0; i < targets; i++) {
            check_target(&m, i);
        }
        model_end(&m);
    }
    test_set_context("");
}

static void test_forgotten_reservations_leave_nothing(void **state) {
    (void)state;
    model m;
    model_start(&m, false, false, DATA_PLAIN, 10);
    assert_ok(relation_reserve(&m.store, m.handles[1], m.handles[2]));
    assert_ok(relation_reserve_target(&m.store, m.handles[3], 5000));
    assert_count(m.store.list_count, 2);
    assert_null(relation_sources(&m.store, m.handles[2]));
    check_valid_store(&m);
    relation_settle(&m.store);
    assert_count(m.store.list_count, 0);
    check_model(&m);
    relation_trim(&m.store);
    /* what is left: the directory of link blocks */
    assert_at_most(m.memory.total, 4096);
    model_end(&m);
}

static void add_many(model *m, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) {
        add_reserved(m, i, 0);
    }
}

static void unlink_many(model *m, uint32_t first, uint32_t count) {
    forbid_memory(m);
    for (uint32_t i = first; i < first + count; i++) {
        unlink_both(m, i, 0);
    }
    allow_memory(m);
}

static void reserve_many(model *m, uint32_t first, uint32_t count) {
    assert_ok(relation_reserve_target(&m->store, m->handles[0], count));
    for (uint32_t i = first; i < first + count; i++) {
        assert_ok(relation_reserve_source(&m->store, m->handles[i]));
    }
}

/* The room for reserved links is in blocks and a directory that are not needed any more when others go. */
static void check_promise_outlives_merges(uint32_t first, uint32_t gone, uint32_t promised) {
    model m;
    model_start(&m, true, false, DATA_NONE, first + promised + 1);
    reserve_many(&m, 1, first);
    add_many(&m, 1, first);
    reserve_many(&m, first + 1, promised);
    unlink_many(&m, 1, gone);
    check_model(&m);
    add_many(&m, first + 1, promised);
    relation_settle(&m.store);
    check_model(&m);
    model_end(&m);
}

static void test_promises_outlive_merges(void **state) {
    (void)state;
    check_promise_outlives_merges(513, 500, 511);
    check_promise_outlives_merges(3000, 2990, 2900);
    check_promise_outlives_merges(3000, 3000, 2900);
}

/* A list that empties keeps the room that is reserved in it. */
static void test_promises_outlive_the_last_source(void **state) {
    (void)state;
    model m;
    model_start(&m, true, false, DATA_NONE, 100);
    reserve_many(&m, 1, 21);
    add_many(&m, 1, 1);
    unlink_many(&m, 1, 1);
    check_model(&m);
    add_many(&m, 2, 20);
    check_model(&m);
    model_end(&m);
}

/* What a new target's list lets go serves its next one. */
static void test_loose_promises_outlive_their_lists(void **state) {
    (void)state;
    model m;
    model_start(&m, true, false, DATA_NONE, 100);
    relation_loose loose = {.link_count = 10, .target_count = 1, .source_count = 10, .slot_end = 9700};
    assert_ok(relation_reserve_loose(&m.store, &loose));
    add_many(&m, 1, 5);
    kill(&m, 0);
    add_many(&m, 6, 5);
    relation_settle(&m.store);
    check_model(&m);
    model_end(&m);
}

/* ---- order ---- */

static void check_inserts_at_one_place(uint32_t list_size, uint32_t at, uint32_t inserts) {
    model m;
    model_start(&m, true, false, DATA_NONE, list_size + 1);
    for (uint32_t i = 1; i <= list_size; i++) {
        pair p = {i, 0};
        assert_ok(reserve_pair(&m, &p));
        add_reserved(&m, i, 0);
    }
    for (uint32_t i = 0; i < inserts; i++) {
        uint32_t last = m.sources[0].items[list_size - 1];
        order_both(&m, last, m.sources[0].items[at], false);
        if (i % 64 == 0) {
            check_valid_store(&m);
            check_target(&m, 0);
        }
    }
    check_model(&m);
    model_end(&m);
}

static void test_many_inserts_at_one_place(void **state) {
    (void)state;
    check_inserts_at_one_place(3, 0, 3000);
    check_inserts_at_one_place(500, 250, 3000);
    check_inserts_at_one_place(3000, 0, 3000);
    check_inserts_at_one_place(3000, 1500, 12000);
    check_inserts_at_one_place(3000, 2998, 3000);
}

/* The last key cannot grow for ever; the list is numbered anew then. */
static void test_last_key_runs_out(void **state) {
    (void)state;
    model m;
    model_start(&m, true, true, DATA_NONE, 6);
    for (uint32_t i = 1; i <= 3; i++) {
        pair p = {i, 0};
        assert_ok(reserve_pair(&m, &p));
        add_reserved(&m, i, 0);
    }
    relation_list *list = relation_list_of(&m.store, m.handles[0]);
    list->first[RELATION_LIST_FIRST + 2] = UINT64_MAX - 5;
    list->next_order = UINT64_MAX - 1;
    relation_find(&m.store, m.handles[3], no_entity)->order = UINT64_MAX - 5;
    check_model(&m);
    pair p = {4, 0};
    assert_ok(reserve_pair(&m, &p));
    add_reserved(&m, 4, 0);
    check_model(&m);
    order_both(&m, 4, 1, false);
    check_model(&m);
    model_end(&m);
}

/* ---- taking a tree apart ---- */

/* Children before parents: nothing below changes, so a deep tree goes in one pass. */
static void test_taking_a_chain_apart_from_the_end(void **state) {
    (void)state;
    model m;
    model_start(&m, true, true, DATA_NONE, 2000);
    for (uint32_t i = 1; i < 2000; i++) {
        pair p = {i, i - 1};
        assert_ok(reserve_pair(&m, &p));
        add_reserved(&m, i, i - 1);
    }
    shoal_entity at = relation_tree_last(&m.store, m.handles[0]);
    for (uint32_t left = 1999; left != 0; left--) {
        shoal_entity gone = at;
        assert_entity(gone, m.handles[left]);
        bool more = relation_tree_previous(&m.store, m.handles[0], &at);
        assert_true(more == (left > 1));
        clear_source(&m, number_of(gone));
    }
    check_model(&m);
    model_end(&m);
}

/* ---- what validation sees ---- */

static void assert_broken(model *m) {
    char reason[200] = "";
    assert_false(relation_validate(&m->store, reason, sizeof reason));
    assert_true(reason[0] != '\0');
}

static void test_validation_finds_what_is_broken(void **state) {
    (void)state;
    model m;
    model_start(&m, true, true, DATA_NONE, 700);
    for (uint32_t i = 1; i < 700; i++) {
        pair p = {i, 0};
        assert_ok(reserve_pair(&m, &p));
        add_reserved(&m, i, 0);
    }
    check_model(&m);
    relation_link *link = relation_find(&m.store, m.handles[5], no_entity);
    relation_list *list = relation_list_of(&m.store, m.handles[0]);
    link->depth++;
    assert_broken(&m);
    link->depth--;
    link->order++;
    assert_broken(&m);
    link->order--;
    link->target = m.handles[6];
    assert_broken(&m);
    link->target = m.handles[0];
    m.store.link_count++;
    assert_broken(&m);
    m.store.link_count--;
    shoal_entity kept = list->blocks[1].entities[3];
    list->blocks[1].entities[3] = list->blocks[1].entities[2];
    assert_broken(&m);
    list->blocks[1].entities[3] = kept;
    list->blocks[1].first_order++;
    assert_broken(&m);
    list->blocks[1].first_order--;
    list->count--;
    assert_broken(&m);
    list->count++;
    check_model(&m);
    model_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_links),
        cmocka_unit_test(test_random_links_without_memory),
        cmocka_unit_test(test_random_long_lists),
        cmocka_unit_test(test_loose_lists_of_every_size),
        cmocka_unit_test(test_forgotten_reservations_leave_nothing),
        cmocka_unit_test(test_promises_outlive_merges),
        cmocka_unit_test(test_promises_outlive_the_last_source),
        cmocka_unit_test(test_loose_promises_outlive_their_lists),
        cmocka_unit_test(test_many_inserts_at_one_place),
        cmocka_unit_test(test_last_key_runs_out),
        cmocka_unit_test(test_taking_a_chain_apart_from_the_end),
        cmocka_unit_test(test_validation_finds_what_is_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
