/*
 * Sparse sets, below the public calls: random operations beside a naive model for each kind of value, places far apart,
 * addresses that stay, what hooks see, trim, an allocator that fails at every call, and a walker that finds what was
 * broken by hand.
 */
#include "storage/sparse.h"
#include "support/fake_allocator.h"
#include "support/owned.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

/* ---- kinds of values ---- */

typedef struct sparse_kind {
    const char *name;
    size_t size;
    size_t alignment;
    bool hooked;
    bool follows; /* has a move hook */
    bool stable;
} sparse_kind;

static const sparse_kind kinds[] = {
    {.name = "SparseByte", .size = 1, .alignment = 1},
    {.name = "SparseWord", .size = 4, .alignment = 4},
    {.name = "SparseVector", .size = 12, .alignment = 4},
    {.name = "SparseWide", .size = 200, .alignment = 8},
    {.name = "SparseAligned", .size = 256, .alignment = 128},
    {.name = "SparseOwned", .size = 8, .alignment = 8, .hooked = true},
    {.name = "SparseMoved", .size = 8, .alignment = 8, .hooked = true, .follows = true},
    {.name = "SparseNone", .alignment = 1},
    {.name = "SparseNoneStable", .alignment = 1, .stable = true},
    {.name = "SparseStableByte", .size = 1, .alignment = 1, .stable = true},
    {.name = "SparseStableVector", .size = 12, .alignment = 4, .stable = true},
    {.name = "SparseStablePage", .size = 4096, .alignment = 4096, .stable = true},
    {.name = "SparseStableLarge", .size = 40000, .alignment = 64, .stable = true},
    {.name = "SparseStableMoved", .size = 8, .alignment = 8, .hooked = true, .follows = true, .stable = true},
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

_Static_assert(sizeof(Owned) == 8, "the size of hooked kinds");

static tracker trackers[KIND_COUNT];

static const component_type *type_register(const shoal_component_def *def) {
    shoal_component component = shoal_component_register(def);
    assert_true(component.id != 0);
    return component_type_at(component.id);
}

/* The same type each time: the registry keeps the first one. */
static const component_type *kind_type(const sparse_kind *kind) {
    tracker *track = &trackers[kind - kinds];
    track->name = kind->name;
    track->follows = kind->follows;
    shoal_component_def def = {.name = kind->name,
                               .size = kind->size,
                               .alignment = kind->alignment,
                               .storage = SHOAL_STORAGE_SPARSE,
                               .stable = kind->stable && kind->size > 0};
    if (kind->hooked) {
        def.copy = owned_copy;
        def.dtor = owned_dtor;
        def.move = kind->follows ? owned_move : NULL;
        def.user = track;
    }
    return type_register(&def);
}

static const sparse_kind *kind_named(const char *name) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i];
        }
    }
    fail_msg("no kind %s", name);
    return NULL;
}

/* ---- a set and its model ---- */

#define MODEL_CAPACITY 2048u

typedef struct model_value {
    shoal_entity entity;
    uint32_t payload;
    const void *address;
} model_value;

/* The model is the plainest thing with the same order: removing puts the last one into the hole. */
typedef struct bed {
    fake_allocator fake;
    shoal_memory memory;
    sparse_set set;
    const sparse_kind *kind;
    tracker *track;
    model_value model[MODEL_CAPACITY];
    uint32_t count;
    uint32_t next_payload;
} bed;

static void bed_start(bed *b, const sparse_kind *kind) {
    memset(b, 0, sizeof *b);
    b->kind = kind;
    b->track = &trackers[kind - kinds];
    b->memory.allocator = fake_allocator_table(&b->fake);
    const component_type *type = kind_type(kind);
    sparse_init(&b->set, &b->memory, SHOAL_PURPOSE_SPARSE, type,
                (sparse_values){
                    .bytes = kind->size, .alignment = kind->alignment, .hooked = kind->hooked, .stable = kind->stable});
    assert_count(b->fake.allocation_count, 0);
}

static void bed_end(bed *b) {
    sparse_end_values(&b->set);
    sparse_deinit(&b->set);
    assert_count(b->memory.total, 0);
    assert_nothing_leaked(&b->fake);
    assert_owned(b->track, 0);
    test_set_context("%s", "");
}

static shoal_entity entity_of(uint32_t slot, uint32_t generation) {
    return (shoal_entity){UINT64_C(1) << 63 | UINT64_C(1) << 48 | (uint64_t)generation << 32 | slot};
}

static unsigned char payload_byte(uint32_t payload, size_t i) {
    return (unsigned char)((size_t)payload * 31 + i * 7 + (payload >> 8));
}

static void value_write(bed *b, void *value, uint32_t payload) {
    assert_count((uintptr_t)value % b->kind->alignment, 0);
    if (b->kind->hooked) {
        owned_make(b->track, value, payload);
        return;
    }
    for (size_t i = 0; i < b->kind->size; i++) {
        ((unsigned char *)value)[i] = payload_byte(payload, i);
    }
}

static void value_check(const bed *b, const void *value, uint32_t payload) {
    if (b->kind->hooked) {
        uint32_t seen;
        assert_true(owned_read(b->track, value, &seen));
        assert_count(seen, payload);
        return;
    }
    for (size_t i = 0; i < b->kind->size; i++) {
        if (((const unsigned char *)value)[i] != payload_byte(payload, i)) {
            assert_count(((const unsigned char *)value)[i], payload_byte(payload, i));
        }
    }
}

static void set_check(const sparse_set *set, bool expected) {
    char reason[256] = "";
    bool sound = sparse_validate(set, reason, sizeof reason);
    if (sound != expected) {
        print_error("sparse_validate gave %d, expected %d: %s\n       at %s\n", sound, expected, reason, test_context);
    }
    assert_true(sound == expected);
    assert_true(sound || reason[0] != '\0');
}

static void bed_check(const bed *b) {
    set_check(&b->set, true);
    assert_count(b->memory.total, b->fake.live_bytes);
    assert_count(b->memory.purposes[SHOAL_PURPOSE_SPARSE], b->fake.live_bytes);
    assert_count(b->set.count, b->count);
    for (uint32_t i = 0; i < b->count; i++) {
        const model_value *expected = &b->model[i];
        assert_entity(b->set.entities[i], expected->entity);
        assert_count(sparse_number(&b->set, expected->entity), i);
        const void *value = sparse_value(&b->set, i);
        if (b->kind->size == 0) {
            assert_null(value);
        }
        if (b->kind->stable) {
            assert_ptr_equal(value, expected->address);
        }
        value_check(b, value, expected->payload);
        shoal_entity other = {expected->entity.bits ^ UINT64_C(1) << 32};
        assert_count(sparse_number(&b->set, other), UINT32_MAX);
    }
    if (b->kind->hooked) {
        assert_owned(b->track, b->count);
    }
}

static void bed_push(bed *b, shoal_entity entity) {
    assert_true(sparse_ready(&b->set, entity));
    assert_count(sparse_number(&b->set, entity), UINT32_MAX);
    uint64_t version = b->set.version;
    size_t allocations = b->fake.allocation_count;
    void *value = sparse_next_value(&b->set);
    uint32_t payload = ++b->next_payload;
    value_write(b, value, payload);
    assert_count(sparse_push(&b->set, entity), b->count);
    assert_ptr_equal(sparse_value(&b->set, b->count), value);
    assert_true(b->set.version > version);
    assert_count(b->fake.allocation_count, allocations);
    b->model[b->count++] = (model_value){entity, payload, value};
}

static void bed_add(bed *b, shoal_entity entity) {
    assert_ok(sparse_reserve_page(&b->set, (uint32_t)entity.bits));
    assert_ok(sparse_reserve(&b->set, 1));
    bed_push(b, entity);
}

static void bed_remove(bed *b, uint32_t number, bool raw) {
    uint64_t version = b->set.version;
    shoal_entity entity = b->model[number].entity;
    if (raw) {
        if (b->kind->hooked) {
            owned_end(b->track, sparse_value(&b->set, number));
        }
        sparse_remove_raw(&b->set, number);
    } else if (number % 2 == 0) {
        sparse_remove(&b->set, number);
    } else {
        sparse_remove_entity(&b->set, entity, number);
    }
    assert_count(sparse_number(&b->set, entity), UINT32_MAX);
    assert_true(b->set.version > version);
    b->model[number] = b->model[--b->count];
}

static void bed_clear(bed *b) {
    sparse_end_values(&b->set);
    b->count = 0;
}

/* ---- against the model ---- */

#define CANDIDATES 300u
#define CANDIDATE_STEP 29u /* five pages */

typedef struct candidates {
    rng random;
    uint32_t generations[CANDIDATES];
} candidates;

static void random_add(bed *b, candidates *pool) {
    uint32_t candidate = rng_below(&pool->random, CANDIDATES);
    shoal_entity entity = entity_of(candidate * CANDIDATE_STEP, pool->generations[candidate]);
    if (sparse_number(&b->set, entity) == UINT32_MAX) {
        bed_add(b, entity);
    }
}

static void random_remove(bed *b, candidates *pool) {
    if (b->count > 0) {
        uint32_t number = rng_below(&pool->random, b->count);
        pool->generations[shoal_entity_index(b->model[number].entity) / CANDIDATE_STEP]++;
        bed_remove(b, number, rng_chance(&pool->random, 50));
    }
}

/* A value that is written and then not wanted. */
static void random_abandon(bed *b) {
    assert_ok(sparse_reserve(&b->set, 1));
    void *value = sparse_next_value(&b->set);
    value_write(b, value, 1);
    if (b->kind->hooked) {
        owned_end(b->track, value);
    }
}

static void random_step(bed *b, candidates *pool, uint32_t add_percent) {
    uint32_t roll = rng_below(&pool->random, 200);
    if (roll < 180) {
        rng_chance(&pool->random, add_percent) ? random_add(b, pool) : random_remove(b, pool);
    } else if (roll < 186) {
        assert_ok(sparse_reserve(&b->set, rng_below(&pool->random, 64)));
    } else if (roll < 192) {
        sparse_trim(&b->set);
    } else if (roll < 199) {
        random_abandon(b);
    } else {
        bed_clear(b);
    }
}

static void test_random_operations(void **state) {
    (void)state;
    static bed b;
    uint64_t seed = test_environment("SHOAL_TEST_SEED", 1);
    for (size_t k = 0; k < KIND_COUNT; k++) {
        candidates pool = {.random = {seed + k}};
        bed_start(&b, &kinds[k]);
        uint32_t steps = kinds[k].size < 1000 ? 1200 : 300;
        for (uint32_t step = 0; step < steps; step++) {
            test_set_context("%s, seed %llu, step %u", kinds[k].name, (unsigned long long)seed + k, step);
            random_step(&b, &pool, step / 150 % 2 == 0 ? 75 : 25);
            bed_check(&b);
        }
        bed_end(&b);
    }
}

static void test_each_hook_is_called_once(void **state) {
    (void)state;
    static bed b;
    bed_start(&b, kind_named("SparseMoved"));
    owned_reset_counts(b.track);
    for (uint32_t i = 0; i < 9; i++) {
        bed_add(&b, entity_of(i, 0));
    }
    assert_count(b.track->move_values, 8); /* from 8 places to 16 */
    bed_remove(&b, 2, false);
    assert_count(b.track->move_values, 9); /* the last one into the hole */
    assert_count(b.track->dtor_values, 1);
    bed_remove(&b, 7, false);
    assert_count(b.track->move_values, 9); /* it was the last one */
    assert_count(b.track->dtor_values, 2);
    sparse_remove(&b.set, 0);
    assert_count(b.track->dtor_values, 3);
    sparse_end_values(&b.set);
    assert_count(b.track->dtor_values, 9);
    assert_count(b.track->copy_values, 0);
    bed_end(&b);
}

static void test_stable_values_are_never_moved(void **state) {
    (void)state;
    static bed b;
    bed_start(&b, kind_named("SparseStableMoved"));
    owned_reset_counts(b.track);
    for (uint32_t i = 0; i < 1500; i++) {
        bed_add(&b, entity_of(i * 3, 0));
    }
    bed_check(&b);
    for (uint32_t i = 0; i < 1400; i++) {
        bed_remove(&b, i * 7 % b.count, false);
    }
    bed_check(&b);
    sparse_trim(&b.set);
    bed_check(&b);
    for (uint32_t i = 0; i < 300; i++) {
        bed_add(&b, entity_of(10000 + i, 0));
    }
    bed_check(&b);
    assert_count(b.track->move_values, 0);
    bed_end(&b);
}

/* ---- places ---- */

static void test_slots_far_apart(void **state) {
    (void)state;
    static bed b;
    bed_start(&b, kind_named("SparseWord"));
    static const uint32_t slots[] = {0, UINT32_C(1) << 31, 2047, 2048, UINT32_MAX, 70000};
    assert_count(sparse_number(&b.set, entity_of(UINT32_MAX, 0)), UINT32_MAX);
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        bed_add(&b, entity_of(slots[i], 5));
        bed_check(&b);
    }
    /* Pages that nobody asked for are shared. */
    assert_ptr_equal(b.set.pages[100], sparse_empty_page);
    assert_count(sparse_number(&b.set, entity_of(100 * SPARSE_PAGE_SLOTS, 5)), UINT32_MAX);
    assert_false(sparse_ready(&b.set, entity_of(100 * SPARSE_PAGE_SLOTS, 5)));
    while (b.count > 0) {
        bed_remove(&b, 0, false);
        bed_check(&b);
    }
    bed_end(&b);
}

static void test_another_generation_is_not_found(void **state) {
    (void)state;
    static bed b;
    bed_start(&b, kind_named("SparseWord"));
    bed_add(&b, entity_of(7, 1));
    assert_count(sparse_number(&b.set, entity_of(7, 0)), UINT32_MAX);
    assert_count(sparse_number(&b.set, entity_of(7, 2)), UINT32_MAX);
    assert_count(sparse_number(&b.set, (shoal_entity){0}), UINT32_MAX);
    bed_remove(&b, 0, false);
    bed_add(&b, entity_of(7, 2));
    assert_count(sparse_number(&b.set, entity_of(7, 1)), UINT32_MAX);
    assert_count(sparse_number(&b.set, entity_of(7, 2)), 0);
    bed_end(&b);
}

/* ---- memory ---- */

static void test_large_values_begin_with_one(void **state) {
    (void)state;
    static bed b;
    bed_start(&b, kind_named("SparseStableLarge"));
    bed_add(&b, entity_of(1, 0));
    assert_at_most(b.memory.total, 40000 + 12 * 1024);
    bed_end(&b);
    shoal_memory memory = {.allocator = fake_allocator_table(&b.fake)};
    sparse_set set;
    sparse_init(&set, &memory, SHOAL_PURPOSE_SPARSE, NULL, (sparse_values){.bytes = 1000000, .alignment = 16});
    assert_ok(sparse_reserve(&set, 1));
    assert_at_most(memory.total, 1001000);
    sparse_deinit(&set);
    assert_nothing_leaked(&b.fake);
}

static void test_without_data_there_are_no_values(void **state) {
    (void)state;
    static bed b;
    bed_start(&b, kind_named("SparseNoneStable"));
    for (uint32_t i = 0; i < 2000; i++) {
        bed_add(&b, entity_of(i, 0));
    }
    bed_check(&b);
    assert_false(b.set.stable);
    assert_count(b.memory.total, 2048 * sizeof(shoal_entity) + SPARSE_PAGE_SLOTS * sizeof(uint32_t) + sizeof(void *));
    bed_end(&b);
}

/* After trim the bytes are those of a set that never held more, within the quarter that is left alone. */
static void test_trim_gives_memory_back(void **state) {
    (void)state;
    static bed b;
    for (size_t k = 0; k < KIND_COUNT; k++) {
        test_set_context("%s", kinds[k].name);
        bed_start(&b, &kinds[k]);
        uint32_t many = kinds[k].size < 1000 ? 2000 : 60;
        for (uint32_t i = 0; i < many; i++) {
            bed_add(&b, entity_of(i * 1024, 0));
        }
        size_t full = b.memory.total;
        uint64_t version = b.set.version;
        sparse_trim(&b.set);
        assert_count(b.memory.total, full);
        assert_count(b.set.version, version);
        while (b.count > 5) {
            bed_remove(&b, b.count - 1, false);
        }
        assert_count(b.memory.total, full);
        sparse_trim(&b.set);
        bed_check(&b);
        size_t page_bytes = sizeof(uint32_t) * SPARSE_PAGE_SLOTS * 3;
        size_t value_room = (kinds[k].size + kinds[k].alignment + 32) * 8;
        assert_at_most(b.memory.total, page_bytes + value_room + 4096);
        bed_clear(&b);
        sparse_trim(&b.set);
        assert_count(b.memory.total, 0);
        bed_add(&b, entity_of(3, 0));
        bed_check(&b);
        bed_end(&b);
    }
}

/* One add at a time, each allocation failing once; what failed is done again. */
static size_t failing_adds(bed *b, size_t n, bool also_later) {
    size_t failures = 0;
    fake_allocator_arm(&b->fake, n, also_later);
    for (uint32_t i = 0; i < 40; i++) {
        shoal_entity entity = entity_of(i * 700, 0);
        size_t before = b->memory.total;
        shoal_status status = sparse_reserve_page(&b->set, (uint32_t)entity.bits);
        if (status == SHOAL_OK) {
            before = b->memory.total;
            status = sparse_reserve(&b->set, i % 10 == 0 ? 20 : 1);
        }
        if (status != SHOAL_OK) {
            assert_status(status, SHOAL_OUT_OF_MEMORY);
            assert_true(fake_allocator_disarm(&b->fake));
            assert_count(b->memory.total, before);
            bed_check(b);
            failures++;
        }
        bed_add(b, entity);
    }
    assert_true(failures > 0 || !fake_allocator_disarm(&b->fake));
    fake_allocator_disarm(&b->fake);
    return failures;
}

static void test_every_allocation_fails_once(void **state) {
    (void)state;
    static bed b;
    for (size_t k = 0; k < KIND_COUNT; k++) {
        size_t failures = 1;
        size_t n = 1;
        for (; failures > 0; n++) {
            test_set_context("%s, allocation %zu", kinds[k].name, n);
            bed_start(&b, &kinds[k]);
            failures = failing_adds(&b, n, n % 2 == 0);
            bed_check(&b);
            bed_end(&b);
        }
        assert_true(n > 10);
    }
}

/* Trim only gives back, so it does without. */
static void test_trim_without_memory(void **state) {
    (void)state;
    static bed b;
    for (size_t k = 0; k < KIND_COUNT; k++) {
        for (size_t n = 1; n <= 4; n++) {
            test_set_context("%s, allocation %zu", kinds[k].name, n);
            bed_start(&b, &kinds[k]);
            for (uint32_t i = 0; i < 200; i++) {
                bed_add(&b, entity_of(i * 500, 0));
            }
            while (b.count > 7) {
                bed_remove(&b, b.count / 2, false);
            }
            fake_allocator_arm(&b.fake, n, true);
            sparse_trim(&b.set);
            fake_allocator_disarm(&b.fake);
            bed_check(&b);
            bed_end(&b);
        }
    }
}

static void test_limits(void **state) {
    (void)state;
    static bed b;
    bed_start(&b, kind_named("SparseVector"));
    bed_add(&b, entity_of(1, 0));
    b.memory.limit = b.memory.total;
    assert_status(sparse_reserve(&b.set, 8), SHOAL_MEMORY_LIMIT);
    assert_status(sparse_reserve_page(&b.set, 5000), SHOAL_MEMORY_LIMIT);
    bed_check(&b);
    b.memory.limit = 0;
    assert_status(sparse_reserve(&b.set, UINT32_MAX), SHOAL_OUT_OF_MEMORY);
    bed_check(&b);
    bed_end(&b);
}

/* ---- what the walker finds ---- */

/* Breaks a few bytes, sees that it is found, and mends them. */
static void broken_is_found(const sparse_set *set, void *place, const void *wrong, size_t size) {
    unsigned char kept[16];
    memcpy(kept, place, size);
    memcpy(place, wrong, size);
    set_check(set, false);
    memcpy(place, kept, size);
    set_check(set, true);
}

#define assert_found(place, Type, wrong) broken_is_found(&b.set, &(place), &(Type){wrong}, sizeof(Type))

static void test_validate_finds_broken_places(void **state) {
    (void)state;
    static bed b;
    bed_start(&b, kind_named("SparseWord"));
    for (uint32_t i = 0; i < 20; i++) {
        bed_add(&b, entity_of(i * 3, 0));
    }
    assert_found(b.set.pages[0][3], uint32_t, 5);
    assert_found(b.set.pages[0][4], uint32_t, 2);
    assert_found(b.set.pages[0][6], uint32_t, 0);
    assert_found(b.set.entities[4], shoal_entity, entity_of(13, 0).bits);
    assert_found(b.set.count, uint32_t, 19);
    assert_found(b.set.capacity, uint32_t, 10);
    assert_found(b.set.values, char *, b.set.values + 4);
    assert_found(sparse_empty_page[2047], uint32_t, 1);
    bed_end(&b);
}

static void test_validate_finds_broken_cells(void **state) {
    (void)state;
    static bed b;
    bed_start(&b, kind_named("SparseStableVector"));
    for (uint32_t i = 0; i < 20; i++) {
        bed_add(&b, entity_of(i, 0));
    }
    assert_true(b.set.cell_count > 20);
    assert_found(b.set.cells[4], void *, b.set.cells[5]);
    assert_found(b.set.cells[4], void *, b.set.free_cells);
    assert_found(b.set.free_cells, void *, NULL);
    assert_found(b.set.free_cells, void *, b.set.cells[0]);
    assert_found(b.set.cell_count, uint64_t, 20);
    bed_end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
        cmocka_unit_test(test_each_hook_is_called_once),
        cmocka_unit_test(test_stable_values_are_never_moved),
        cmocka_unit_test(test_slots_far_apart),
        cmocka_unit_test(test_another_generation_is_not_found),
        cmocka_unit_test(test_large_values_begin_with_one),
        cmocka_unit_test(test_without_data_there_are_no_values),
        cmocka_unit_test(test_trim_gives_memory_back),
        cmocka_unit_test(test_every_allocation_fails_once),
        cmocka_unit_test(test_trim_without_memory),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_validate_finds_broken_places),
        cmocka_unit_test(test_validate_finds_broken_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
