/*
 * The table of shared values against a naive list: which number a value has, who uses it, what is freed; with and
 * without hooks, with hashes that collide, with allocations and hooks failing at every point; trimming and validation.
 *
 * A value stands for a payload below PAYLOAD_COUNT: plain types repeat it in their bytes, owning ones have an object
 * that holds it.
 */
#include "support/fake_allocator.h"
#include "support/owned.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "storage/shared.h"

#define PAYLOAD_COUNT 200
#define VALUE_MAX 64
#define DEFAULT_PAYLOAD 17u

/* What the table should hold; a payload without a value has SHARED_NONE. */
typedef struct naive_table {
    uint32_t numbers[PAYLOAD_COUNT];
    uint64_t users[PAYLOAD_COUNT];
    const void *addresses[PAYLOAD_COUNT];
    bool taken[PAYLOAD_COUNT]; /* by number */
    uint32_t count;
} naive_table;

typedef struct subject {
    component_type type;
    tracker track;
    Owned default_value;
    int64_t base_live; /* objects that the table does not own */
    fake_allocator fake;
    shoal_memory memory;
    shared_table table;
    naive_table naive;
} subject;

typedef struct variant {
    const char *name;
    size_t size;
    size_t alignment;
    bool hooked;
    bool ctor;
    bool with_default;
    uint32_t hash_count; /* of types with equal and hash: how many different hashes there are; 0: bytes */
} variant;

static const variant variants[] = {
    {.name = "1 byte", .size = 1, .alignment = 1},
    {.name = "3 bytes", .size = 3, .alignment = 1, .with_default = true},
    {.name = "4 bytes", .size = 4, .alignment = 4},
    {.name = "12 bytes", .size = 12, .alignment = 4, .with_default = true},
    {.name = "23 bytes", .size = 23, .alignment = 1},
    {.name = "64 bytes aligned to 64", .size = 64, .alignment = 64},
    {.name = "owned", .size = 8, .alignment = 8, .hooked = true, .hash_count = 1000},
    {.name = "owned, ctor, three hashes", .size = 8, .alignment = 8, .hooked = true, .ctor = true, .hash_count = 3},
    {.name = "owned, default, one hash",
     .size = 8,
     .alignment = 8,
     .hooked = true,
     .with_default = true,
     .hash_count = 1},
};

#define VARIANT_COUNT (sizeof variants / sizeof variants[0])

/* ---- values ---- */

/* A value of the test's own. */
typedef struct given_value {
    _Alignas(VALUE_MAX) unsigned char bytes[VALUE_MAX];
} given_value;

static const variant *current; /* what the hooks below serve */
static size_t hash_calls;

static uint32_t owned_payload(const void *value, void *user) {
    uint32_t payload = 0;
    assert_true(owned_read(user, value, &payload));
    return payload;
}

/* The ctor's payload is above all others, so it takes the place of one. */
static uint32_t payload_of_owned(const void *value, void *user) {
    return owned_payload(value, user) % PAYLOAD_COUNT;
}

static bool owned_equal(const void *a, const void *b, void *user) {
    return payload_of_owned(a, user) == payload_of_owned(b, user);
}

static uint64_t owned_hash(const void *value, void *user) {
    hash_calls++;
    return payload_of_owned(value, user) % current->hash_count;
}

static bool is_owned(const subject *s) {
    return s->type.def.copy != NULL;
}

static void given_make(subject *s, given_value *given, uint32_t payload) {
    if (is_owned(s)) {
        owned_make(&s->track, (Owned *)(void *)given->bytes, payload);
        s->base_live++;
        return;
    }
    for (size_t i = 0; i < s->type.def.size; i++) {
        given->bytes[i] = (unsigned char)payload;
    }
}

static void given_end(subject *s, given_value *given) {
    if (is_owned(s)) {
        owned_end(&s->track, (Owned *)(void *)given->bytes);
        s->base_live--;
    }
}

static uint32_t payload_of_default(const subject *s) {
    if (s->type.def.ctor != NULL) {
        return OWNED_CTOR_PAYLOAD % PAYLOAD_COUNT;
    }
    return s->type.def.default_value != NULL ? DEFAULT_PAYLOAD : 0;
}

static uint32_t value_payload(const subject *s, const void *value) {
    if (is_owned(s)) {
        return payload_of_owned(value, s->type.def.user);
    }
    const unsigned char *bytes = value;
    for (size_t i = 1; i < s->type.def.size; i++) {
        assert_count(bytes[i], bytes[0]);
    }
    return bytes[0];
}

/* ---- subjects ---- */

static void definition_make(subject *s, const variant *v, const void *plain_default) {
    shoal_component_def *def = &s->type.def;
    *def = (shoal_component_def){.name = v->name,
                                 .size = v->size,
                                 .alignment = v->alignment,
                                 .storage = SHOAL_STORAGE_SHARED,
                                 .default_value = v->with_default ? plain_default : NULL,
                                 .user = &s->track};
    s->track = (tracker){.name = v->name, .has_ctor = v->ctor};
    if (v->hooked) {
        def->ctor = v->ctor ? owned_ctor : NULL;
        def->copy = owned_copy;
        def->dtor = owned_dtor;
        def->equal = owned_equal;
        def->hash = owned_hash;
    }
    if (v->hooked && v->with_default) {
        owned_make(&s->track, &s->default_value, DEFAULT_PAYLOAD);
        def->default_value = &s->default_value;
        s->base_live = 1;
    }
}

static void subject_start(subject *s, const variant *v) {
    static unsigned char plain_default[VALUE_MAX];
    memset(plain_default, DEFAULT_PAYLOAD, sizeof plain_default);
    *s = (subject){0};
    current = v;
    definition_make(s, v, plain_default);
    s->type.value_size = (uint32_t)v->size;
    s->type.value_alignment = (uint32_t)v->alignment;
    s->memory.allocator = fake_allocator_table(&s->fake);
    shared_init(&s->table, &s->memory, &s->type);
    for (size_t i = 0; i < PAYLOAD_COUNT; i++) {
        s->naive.numbers[i] = SHARED_NONE;
    }
}

static void subject_end(subject *s) {
    shared_deinit(&s->table);
    assert_count(s->table.count, 0);
    assert_count(s->memory.total, 0);
    assert_owned(&s->track, s->base_live);
    assert_nothing_leaked(&s->fake);
}

static uint32_t find_payload(subject *s, uint32_t payload) {
    given_value given;
    given_make(s, &given, payload);
    uint32_t number = shared_find(&s->table, given.bytes);
    given_end(s, &given);
    return number;
}

static void table_check(const subject *s) {
    char reason[256] = "";
    if (!shared_validate(&s->table, reason, sizeof reason)) {
        fail_msg("%s at %s", reason, test_context);
    }
    assert_count(s->table.count, s->naive.count);
    for (uint32_t payload = 0; payload < PAYLOAD_COUNT; payload++) {
        uint32_t number = s->naive.numbers[payload];
        if (number != SHARED_NONE) {
            const void *value = shared_value(&s->table, number);
            assert_ptr_equal(value, s->naive.addresses[payload]);
            assert_count((uintptr_t)value % s->type.def.alignment, 0);
            assert_count(value_payload(s, value), payload);
            assert_count(shared_users(&s->table, number), s->naive.users[payload]);
        }
    }
    assert_count(s->memory.total, s->fake.live_bytes);
    assert_count(s->memory.purposes[SHOAL_PURPOSE_SHARED], s->fake.live_bytes);
}

/* The objects that values own; an empty value, the default of an owned type without ctor, has none. */
static int64_t owned_objects(const subject *s) {
    int64_t live = 0;
    for (uint32_t number = 0; is_owned(s) && number < s->table.number_end; number++) {
        const Owned *value = shared_value(&s->table, number);
        live += value != NULL && value->object != 0;
    }
    return live;
}

/* ---- operations ---- */

static uint32_t naive_lowest_free(const naive_table *naive) {
    uint32_t number = 0;
    while (naive->taken[number]) {
        number++;
    }
    return number;
}

/* Obtains a value (or, without one, the default) with the n-th allocation or hook failing for n = 1, 2, ... */
static shoal_status obtain_failing(subject *s, const void *value, size_t n, bool hooks_fail, uint32_t *number) {
    owned_arm(&s->track, hooks_fail ? n : 0);
    fake_allocator_arm(&s->fake, hooks_fail ? 0 : n, false);
    shoal_status status = shared_obtain(&s->table, value, number);
    bool hook_failed = owned_disarm(&s->track);
    bool memory_failed = fake_allocator_disarm(&s->fake);
    assert_count(status != SHOAL_OK, hook_failed || memory_failed);
    if (status != SHOAL_OK) {
        assert_status(status, hook_failed ? SHOAL_HOOK_FAILED : SHOAL_OUT_OF_MEMORY);
    }
    return status;
}

static void obtain_check(subject *s, uint32_t payload, uint32_t number) {
    naive_table *naive = &s->naive;
    if (naive->numbers[payload] != SHARED_NONE) {
        assert_count(number, naive->numbers[payload]);
        return;
    }
    assert_count(number, naive_lowest_free(naive));
    assert_count(shared_users(&s->table, number), 0);
    naive->numbers[payload] = number;
    naive->addresses[payload] = shared_value(&s->table, number);
    naive->users[payload] = 0;
    naive->taken[number] = true;
    naive->count++;
}

static void run_obtain(subject *s, uint32_t payload, bool with_value, bool hooks_fail) {
    given_value given;
    given_make(s, &given, payload);
    uint32_t number = SHARED_NONE;
    for (size_t n = 1; obtain_failing(s, with_value ? given.bytes : NULL, n, hooks_fail, &number) != SHOAL_OK; n++) {
        table_check(s);
        assert_owned(&s->track, s->base_live + owned_objects(s));
        assert_true(n < 10);
    }
    obtain_check(s, with_value ? payload : payload_of_default(s), number);
    given_end(s, &given);
}

static void run_forget(subject *s, uint32_t payload) {
    naive_table *naive = &s->naive;
    uint32_t number = naive->numbers[payload];
    if (number == SHARED_NONE) {
        return;
    }
    shared_forget_unused(&s->table, number);
    if (naive->users[payload] != 0) {
        assert_non_null(shared_value(&s->table, number));
        return;
    }
    naive->numbers[payload] = SHARED_NONE;
    naive->taken[number] = false;
    naive->count--;
}

static void run_users(subject *s, uint32_t payload, rng *random) {
    uint32_t number = s->naive.numbers[payload];
    if (number == SHARED_NONE) {
        return;
    }
    uint64_t *users = &s->naive.users[payload];
    uint64_t many = rng_chance(random, 20) ? (uint64_t)1 << 40 : rng_below(random, 3);
    if (rng_chance(random, 40)) {
        shared_add_users(&s->table, number, many);
        *users += many;
    } else {
        uint64_t fewer = rng_chance(random, 30) ? *users / 3 : *users;
        shared_drop_users(&s->table, number, fewer);
        *users -= fewer;
    }
}

static void run_one(subject *s, rng *random, uint32_t payload_limit) {
    uint32_t payload = rng_below(random, payload_limit);
    uint32_t roll = rng_below(random, 100);
    bool hooks_fail = is_owned(s) && rng_chance(random, 50);
    if (roll < 40) {
        run_obtain(s, payload, roll >= 5, hooks_fail);
    } else if (roll < 65) {
        run_forget(s, payload);
    } else if (roll < 85) {
        run_users(s, payload, random);
    } else if (roll < 98) {
        assert_count(find_payload(s, payload), s->naive.numbers[payload]);
    } else {
        fake_allocator_arm(&s->fake, rng_below(random, 3), rng_chance(random, 50));
        shared_trim(&s->table);
        (void)fake_allocator_disarm(&s->fake);
    }
}

static void random_operations_match_a_naive_list(void **state) {
    (void)state;
    uint64_t seed = test_environment("SHOAL_SEED", 1);
    uint64_t steps = test_environment("SHOAL_STEPS", 3000);
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        rng random = {seed * 1000 + v};
        subject s;
        subject_start(&s, &variants[v]);
        for (uint64_t step = 0; step < steps; step++) {
            test_set_context("%s, seed %u, step %u", variants[v].name, (unsigned)seed, (unsigned)step);
            run_one(&s, &random, step % 1000 < 300 ? 8 : PAYLOAD_COUNT);
            table_check(&s);
            assert_owned(&s.track, s.base_live + owned_objects(&s));
        }
        subject_end(&s);
    }
    test_set_context("%s", "");
}

/* ---- single cases ---- */

static uint32_t obtain_payload(subject *s, uint32_t payload) {
    run_obtain(s, payload, true, false);
    return s->naive.numbers[payload];
}

/* Whatever the order in which numbers became free, the lowest one is taken first. */
static void the_lowest_free_number_is_taken(void **state) {
    (void)state;
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        subject s;
        subject_start(&s, &variants[v]);
        for (uint32_t i = 0; i < 100; i++) {
            assert_count(obtain_payload(&s, i), i);
        }
        static const uint32_t gone[] = {61, 3, 99, 40, 4};
        for (size_t i = 0; i < 5; i++) {
            run_forget(&s, gone[i]);
        }
        static const uint32_t next[] = {3, 4, 40, 61, 99, 100};
        for (uint32_t i = 0; i < 6; i++) {
            assert_count(obtain_payload(&s, 110 + i), next[i]);
        }
        table_check(&s);
        subject_end(&s);
    }
}

static bool float_equal(const void *a, const void *b, void *user) {
    (void)user;
    float left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return !(left < right) && !(left > right);
}

static uint64_t float_hash(const void *value, void *user) {
    (void)user;
    float number;
    memcpy(&number, value, sizeof number);
    return (uint64_t)(int64_t)number;
}

/* Hooks say what is equal: zero and minus zero are one value with them, and two by their bytes. */
static void hooks_say_what_is_equal(void **state) {
    (void)state;
    const float zero = 0.0f, minus_zero = -0.0f, half = 0.5f;
    for (int hooked = 0; hooked < 2; hooked++) {
        subject s;
        subject_start(&s, &(variant){.name = "float", .size = 4, .alignment = 4});
        s.type.def.equal = hooked ? float_equal : NULL;
        s.type.def.hash = hooked ? float_hash : NULL;
        uint32_t numbers[3];
        assert_ok(shared_obtain(&s.table, &zero, &numbers[0]));
        assert_ok(shared_obtain(&s.table, &minus_zero, &numbers[1]));
        assert_ok(shared_obtain(&s.table, &half, &numbers[2]));
        assert_count(numbers[1], hooked ? 0 : 1);
        assert_count(numbers[2], hooked ? 1 : 2);
        subject_end(&s);
    }
}

/* A default that a hook makes is found again, and what was made for the comparison is ended. */
static void defaults_are_found_again(void **state) {
    (void)state;
    for (size_t v = 0; v < VARIANT_COUNT; v++) {
        subject s;
        subject_start(&s, &variants[v]);
        uint32_t payload = payload_of_default(&s);
        assert_count(obtain_payload(&s, payload + 1), 0);
        run_obtain(&s, 0, false, false);
        assert_count(s.naive.numbers[payload], 1);
        size_t live_blocks = s.fake.live_count;
        int64_t live_objects = s.track.live;
        run_obtain(&s, 0, false, true);
        assert_count(s.fake.live_count, live_blocks);
        assert_count(s.track.live, live_objects);
        assert_count(s.table.count, 2);
        assert_count(find_payload(&s, payload), 1);
        table_check(&s);
        subject_end(&s);
    }
}

/* Values whose bytes differ in one place only, the last ones too, are told apart. */
static void every_byte_counts(void **state) {
    (void)state;
    for (size_t size = 1; size <= 24; size++) {
        subject s;
        subject_start(&s, &(variant){.name = "bytes", .size = size, .alignment = 1});
        unsigned char value[24] = {0};
        uint32_t number = SHARED_NONE;
        assert_ok(shared_obtain(&s.table, value, &number));
        for (uint32_t i = 0; i < size; i++) {
            value[i] = 1;
            assert_count(shared_find(&s.table, value), SHARED_NONE);
            assert_ok(shared_obtain(&s.table, value, &number));
            assert_count(number, i + 1);
            value[i] = 0;
        }
        uint32_t hashes[25];
        for (uint32_t i = 0; i <= size; i++) {
            hashes[i] = s.table.slots[i].hash;
            for (uint32_t j = 0; j < i; j++) {
                assert_true(hashes[i] != hashes[j]);
            }
        }
        subject_end(&s);
    }
}

static size_t table_bytes(const subject *s) {
    return s->memory.total - s->table.count * s->type.def.size;
}

static void trimming_gives_memory_back(void **state) {
    (void)state;
    subject s;
    subject_start(&s, &variants[2]);
    const uint32_t many = 10000;
    uint32_t number = SHARED_NONE;
    for (uint32_t i = 0; i < many; i++) {
        assert_ok(shared_obtain(&s.table, &i, &number));
        assert_count(number, i);
    }
    shared_trim(&s.table);
    assert_at_most(table_bytes(&s), many * (sizeof(shared_slot) + 4 * sizeof(uint32_t)));
    for (uint32_t i = many; i-- > 10;) {
        shared_forget_unused(&s.table, i);
    }
    shared_forget_unused(&s.table, 5);
    shared_forget_unused(&s.table, 2);
    shared_trim(&s.table);
    assert_at_most(table_bytes(&s), 10 * sizeof(shared_slot) + 16 * sizeof(uint32_t));
    static const uint32_t next[] = {2, 5, 10};
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(shared_obtain(&s.table, &(uint32_t){many + i}, &number));
        assert_count(number, next[i]);
    }
    for (uint32_t i = 0; i < 11; i++) {
        shared_forget_unused(&s.table, i);
    }
    shared_trim(&s.table);
    assert_count(s.memory.total, 0);
    assert_ok(shared_obtain(&s.table, &many, &number));
    assert_count(number, 0);
    subject_end(&s);
}

/* What the world's validation relies on: each kind of damage is seen. */
static void validation_sees_damage(void **state) {
    (void)state;
    subject s;
    subject_start(&s, &variants[2]);
    for (uint32_t i = 0; i < 6; i++) {
        assert_count(obtain_payload(&s, i), i);
    }
    run_forget(&s, 4);
    run_forget(&s, 1);
    table_check(&s);
    shared_slot *slots = s.table.slots;
    char reason[256] = "";
    unsigned char *value = slots[2].value;
    value[0] ^= 1;
    assert_false(shared_validate(&s.table, reason, sizeof reason));
    value[0] ^= 1;
    memset(value, 3, 4); /* equal to another one, with its hash */
    uint32_t hash = slots[2].hash;
    slots[2].hash = slots[3].hash;
    assert_false(shared_validate(&s.table, reason, sizeof reason));
    slots[2].hash = hash;
    memset(value, 2, 4);
    slots[1].free_number = 1; /* twice */
    assert_false(shared_validate(&s.table, reason, sizeof reason));
    slots[1].free_number = 4;
    s.table.count++;
    assert_false(shared_validate(&s.table, reason, sizeof reason));
    s.table.count--;
    slots[0].free_number = 4;
    slots[1].free_number = 1; /* in the wrong order */
    assert_false(shared_validate(&s.table, reason, sizeof reason));
    assert_non_null(strstr(reason, "4 bytes"));
    slots[0].free_number = 1;
    slots[1].free_number = 4;
    table_check(&s);
    subject_end(&s);
}

/* Neither growing nor forgetting asks the hash hook; a value is hashed when it is given and when it is copied. */
static void values_are_hashed_once(void **state) {
    (void)state;
    subject s;
    subject_start(&s, &variants[6]);
    given_value given;
    hash_calls = 0;
    uint32_t number = SHARED_NONE;
    for (uint32_t i = 0; i < 100; i++) {
        given_make(&s, &given, i);
        assert_ok(shared_obtain(&s.table, given.bytes, &number));
        given_end(&s, &given);
    }
    assert_at_most(hash_calls, 200);
    size_t calls = hash_calls;
    for (uint32_t i = 0; i < 100; i++) {
        shared_forget_unused(&s.table, i);
    }
    shared_trim(&s.table);
    assert_count(hash_calls, calls);
    assert_count(s.table.count, 0);
    subject_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_free_number_is_taken), cmocka_unit_test(hooks_say_what_is_equal),
        cmocka_unit_test(defaults_are_found_again),        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(trimming_gives_memory_back),      cmocka_unit_test(validation_sees_damage),
        cmocka_unit_test(values_are_hashed_once),          cmocka_unit_test(random_operations_match_a_naive_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
