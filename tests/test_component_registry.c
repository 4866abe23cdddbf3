/*
 * The registry as a whole: the same name again, from this thread or from many at once, two names with one hash, and
 * what happens when memory or ids run out.
 *
 * Types stay for the life of the process; the test that uses up all ids is the last one.
 */
#include "test_component.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* ---- a C library that runs out of memory ---- */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define OWN_MALLOC 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_MALLOC 1
#endif

/* A program may replace malloc; sanitizers do so themselves, and other C libraries lack the names to go on with. */
#if defined(__GLIBC__) && !defined(OWN_MALLOC)
#define FAILING_MALLOC 1

/* 0: every one fails; negative: none does. Volatile, since compilers take it that malloc reads no variable. */
static volatile long allocations_left = -1;

void *libc_malloc(size_t byte_size) __asm__("__libc_malloc");
void *libc_calloc(size_t count, size_t byte_size) __asm__("__libc_calloc");
void *libc_memalign(size_t alignment, size_t byte_size) __asm__("__libc_memalign");

/* The functions that the linker finds under the C library's names. */
void *own_malloc(size_t byte_size) __asm__("malloc");
void *own_calloc(size_t count, size_t byte_size) __asm__("calloc");
void *own_aligned_alloc(size_t alignment, size_t byte_size) __asm__("aligned_alloc");

static bool allocation_fails(void) {
    if (allocations_left > 0) {
        allocations_left--;
        return false;
    }
    return allocations_left == 0;
}

void *own_malloc(size_t byte_size) {
    return allocation_fails() ? NULL : libc_malloc(byte_size);
}

void *own_calloc(size_t count, size_t byte_size) {
    return allocation_fails() ? NULL : libc_calloc(count, byte_size);
}

void *own_aligned_alloc(size_t alignment, size_t byte_size) {
    return allocation_fails() ? NULL : libc_memalign(alignment, byte_size);
}
#endif

/* ---- the same name again ---- */

static const shoal_field pose_inner[] = {{.name = "u", .kind = SHOAL_FIELD_F32, .offset = 0, .size = 4},
                                         {.name = "v", .kind = SHOAL_FIELD_F32, .offset = 4, .size = 4}};
static const shoal_field pose_fields[] = {
    {.name = "a", .kind = SHOAL_FIELD_I32, .offset = 0, .size = 4},
    {.name = "b", .kind = SHOAL_FIELD_F32, .offset = 4, .size = 4, .count = 1},
    {.name = "c", .kind = SHOAL_FIELD_STRUCT, .offset = 8, .size = 8, .fields = pose_inner, .field_count = 2}};

static shoal_component_def pose_def(const char *name) {
    return (shoal_component_def){
        .name = name, .size = 16, .alignment = 8, .version = 2, .fields = pose_fields, .field_count = 3};
}

static void test_same_layout_is_same_id(void **state) {
    (void)state;
    shoal_component_def def = pose_def("Same");
    uint32_t id = must_register(&def).id;
    uint32_t count = shoal_component_count();
    assert_count(must_register(&def).id, id);
    shoal_field again[3];
    memcpy(again, pose_fields, sizeof again);
    again[0].count = 1; /* 0 and 1 both mean a single value */
    def.fields = again;
    assert_count(must_register(&def).id, id);
    def.field_count = 0; /* without fields there is nothing to contradict */
    assert_count(must_register(&def).id, id);
    assert_count(shoal_component_info((shoal_component){id})->field_count, 3);
    assert_count(must_register(&(shoal_component_def){.name = "SameTag"}).id,
                 must_register(&(shoal_component_def){.name = "SameTag", .alignment = 1}).id);
    assert_count(shoal_component_count(), count + 1);
}

static void test_other_layout_is_conflict(void **state) {
    (void)state;
    shoal_component_def def = pose_def("Clash");
    uint32_t id = must_register(&def).id;
    shoal_component_def other = def;
    other.size = 24;
    must_refuse(&other, SHOAL_COMPONENT_CONFLICT,
                "Clash is registered with size 16, alignment 8, version 2; "
                "this definition has size 24, alignment 8, version 2");
    other = def;
    other.alignment = 4;
    must_refuse(&other, SHOAL_COMPONENT_CONFLICT, "this definition has size 16, alignment 4, version 2");
    other.alignment = 0;
    must_refuse(&other, SHOAL_COMPONENT_CONFLICT, "this definition has size 16, alignment 1, version 2");
    other = def;
    other.version = 7;
    must_refuse(&other, SHOAL_COMPONENT_CONFLICT, "this definition has size 16, alignment 8, version 7");
    other = def;
    other.field_count = 2;
    must_refuse(&other, SHOAL_COMPONENT_CONFLICT,
                "Clash is registered with c (struct, 1 of 8 at 8) where this definition has no further field");
    assert_count(shoal_component_find("Clash").id, id);
    assert_count(must_register(&def).id, id);
}

/* Each row is the first field of a type whose first field is an i32 `a` at 0. */
static void test_conflict_names_the_field(void **state) {
    (void)state;
    static const struct {
        shoal_field field;
        const char *part;
    } rows[] = {
        {{.name = "z", .kind = SHOAL_FIELD_I32, .size = 4}, "z (i32, 1 of 4 at 0)"},
        {{.name = "a", .kind = SHOAL_FIELD_U32, .size = 4}, "a (u32, 1 of 4 at 0)"},
        {{.name = "a", .kind = SHOAL_FIELD_I32, .size = 4, .offset = 4}, "a (i32, 1 of 4 at 4)"},
        {{.name = "a", .kind = SHOAL_FIELD_I32, .size = 4, .count = 2}, "a (i32, 2 of 4 at 0)"},
        {{.name = "a", .kind = SHOAL_FIELD_TEXT, .size = 3}, "a (text, 1 of 3 at 0)"},
    };
    shoal_field first = {.name = "a", .kind = SHOAL_FIELD_I32, .size = 4};
    shoal_component_def def = {.name = "FieldClash", .size = 8, .fields = &first, .field_count = 1};
    must_register(&def);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        test_set_context("row %zu", i);
        first = rows[i].field;
        must_refuse(&def, SHOAL_COMPONENT_CONFLICT, "FieldClash is registered with a (i32, 1 of 4 at 0) where");
        assert_message_has(NULL, rows[i].part);
    }
    test_set_context("");
}

/* Values may have been stored without it, whose entities nobody would patch. */
static void test_first_field_table_in_a_later_definition(void **state) {
    (void)state;
    const shoal_field target = {.name = "target", .kind = SHOAL_FIELD_ENTITY, .size = 8};
    shoal_component_def def = {.name = "LateFields", .size = 8, .alignment = 8};
    uint32_t id = must_register(&def).id;
    def.fields = &target;
    def.field_count = 1;
    must_refuse(&def, SHOAL_COMPONENT_CONFLICT, "target (entity, 1 of 8 at 0)");
    assert_count(shoal_component_info((shoal_component){id})->field_count, 0);
    def.field_count = 0;
    assert_count(must_register(&def).id, id);
}

static void test_conflict_in_a_nested_struct(void **state) {
    (void)state;
    shoal_component_def def = pose_def("NestedClash");
    must_register(&def);
    shoal_field fields[3];
    shoal_field inner[2];
    memcpy(fields, pose_fields, sizeof fields);
    memcpy(inner, pose_inner, sizeof inner);
    def.fields = fields;
    fields[2].fields = inner;
    inner[1].kind = SHOAL_FIELD_I32;
    must_refuse(&def, SHOAL_COMPONENT_CONFLICT, "v (f32, 1 of 4 at 4) where this definition has v (i32, 1 of 4 at 4)");
    fields[2].field_count = 1;
    must_refuse(&def, SHOAL_COMPONENT_CONFLICT, "v (f32, 1 of 4 at 4) where this definition has no further field");
}

static void test_hash_collision(void **state) {
    (void)state;
    static const char first[] = "8yn0iYCKYHlIj4-BwPqk";
    static const char second[] = "GReLUrM4wMqfg9yzV3KQ";
    assert_count(hash_fnv1a(first, strlen(first)), hash_fnv1a(second, strlen(second)));
    uint32_t id = must_register(&(shoal_component_def){.name = first}).id;
    must_refuse(&(shoal_component_def){.name = second}, SHOAL_COMPONENT_COLLISION, first);
    assert_message_has(NULL, second);
    assert_count(shoal_component_find(second).id, 0);
    assert_count(shoal_component_find(first).id, id);
}

/* ---- threads ---- */

enum { THREADS = 8, SHARED = 64, OWN = 64 };

static shoal_component_slot contended_slots[SHARED];
static atomic_uint threads_ready;

typedef struct thread_result {
    unsigned number;
    unsigned faults; /* look-ups that did not give what was registered */
    uint32_t shared[SHARED], slots[SHARED], own[OWN];
    uint32_t contest; /* id of the type that each thread defines with another size, or 0 */
    shoal_status contest_status;
} thread_result;

static uint32_t thread_register(thread_result *result, const char *name, size_t size) {
    shoal_component component = shoal_component_register(&(shoal_component_def){.name = name, .size = size});
    const shoal_component_def *info = shoal_component_info(component);
    result->faults += info == NULL || strcmp(info->name, name) != 0 || info->size != size;
    result->faults += shoal_component_find(name).id != component.id;
    return component.id;
}

static void *thread_run(void *argument) {
    thread_result *result = argument;
    char name[32];
    atomic_fetch_add(&threads_ready, 1);
    while (atomic_load(&threads_ready) < THREADS) { /* so that all start at once */
        sched_yield();
    }
    for (unsigned i = 0; i < SHARED; i++) {
        unsigned turned = (i + result->number * 5) % SHARED; /* every thread in another order */
        snprintf(name, sizeof name, "shared %u", turned);
        result->shared[turned] = thread_register(result, name, turned);
        result->slots[i] = shoal_component_of(&contended_slots[i]).id;
        snprintf(name, sizeof name, "own %u of %u", i, result->number);
        result->own[i] = thread_register(result, name, 8);
    }
    result->contest =
        shoal_component_register(&(shoal_component_def){.name = "contest", .size = result->number + 1}).id;
    result->contest_status = result->contest != 0 ? SHOAL_OK : shoal_last_error(NULL).status;
    return NULL;
}

static void check_results(const thread_result results[THREADS], uint32_t count) {
    static bool seen[65536];
    unsigned winners = 0;
    for (unsigned t = 0; t < THREADS; t++) {
        test_set_context("thread %u", t);
        assert_count(results[t].faults, 0);
        for (unsigned i = 0; i < SHARED; i++) {
            assert_int_not_equal(results[t].shared[i], 0);
            assert_count(results[t].shared[i], results[0].shared[i]);
            assert_int_not_equal(results[t].slots[i], 0);
            assert_count(results[t].slots[i], contended_slots[i].id);
            assert_true(results[t].own[i] != 0 && results[t].own[i] < 65536 && !seen[results[t].own[i]]);
            seen[results[t].own[i]] = true;
        }
        winners += results[t].contest != 0;
        assert_status(results[t].contest_status, results[t].contest != 0 ? SHOAL_OK : SHOAL_COMPONENT_CONFLICT);
    }
    test_set_context("");
    assert_count(winners, 1);
    assert_count(shoal_component_count(), count + 2 * SHARED + THREADS * OWN + 1);
}

static void test_threads(void **state) {
    (void)state;
    static char names[SHARED][32];
    static thread_result results[THREADS];
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < SHARED; i++) {
        snprintf(names[i], sizeof names[i], "slot %u", i);
        contended_slots[i].def = (shoal_component_def){.name = names[i], .size = 4};
    }
    uint32_t count = shoal_component_count();
    for (unsigned t = 0; t < THREADS; t++) {
        results[t].number = t;
        assert_int_equal(pthread_create(&threads[t], NULL, thread_run, &results[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
    }
    check_results(results, count);
}

/* ---- memory and ids run out ---- */

#ifdef FAILING_MALLOC
/* False under a tool that puts its own malloc in the place of this file's, as valgrind does. */
static bool malloc_can_fail(void) {
    void *volatile block;
    allocations_left = 0;
    block = malloc(1);
    allocations_left = -1;
    free(block);
    return block == NULL;
}

/* Registers with only the first 0, 1, 2 ... allocations succeeding, until it works; returns the failures. */
static unsigned register_until_it_works(const shoal_component_def *def) {
    uint32_t count = shoal_component_count();
    for (unsigned failures = 0;; failures++) {
        allocations_left = (long)failures;
        shoal_component component = shoal_component_register(def);
        allocations_left = -1;
        if (component.id != 0) {
            assert_count(component.id, count + 1);
            assert_count(shoal_component_find(def->name).id, component.id);
            return failures;
        }
        assert_last_error(NULL, SHOAL_OUT_OF_MEMORY);
        assert_count(shoal_component_count(), count);
        assert_count(shoal_component_find(def->name).id, 0);
        assert_true(failures < 16);
    }
}

/* 600 types open new blocks and make the name table grow, both with a failure at that very point. */
static void test_out_of_memory(void **state) {
    (void)state;
    enum { TYPES = 600, ALLOCATIONS = 3 };
    if (!malloc_can_fail()) {
        skip();
    }
    static const unsigned char value[16] = {1, 2, 3};
    shoal_component_def def = pose_def(NULL);
    def.default_value = value;
    unsigned failures = 0;
    for (unsigned i = 0; i < TYPES; i++) {
        char name[32];
        snprintf(name, sizeof name, "memory %u", i);
        test_set_context("%s", name);
        def.name = name;
        failures += register_until_it_works(&def);
        assert_string_equal(shoal_component_info(shoal_component_find(name))->fields[2].fields[1].name, "v");
    }
    test_set_context("");
    assert_true(failures > TYPES * ALLOCATIONS + 2);
}

static void test_out_of_aligned_memory(void **state) {
    (void)state;
    if (!malloc_can_fail()) {
        skip();
    }
    static const unsigned char value[256] = {7};
    shoal_component_def def = {.name = "AlignedMemory", .size = 256, .alignment = 256, .default_value = value};
    assert_true(register_until_it_works(&def) >= 1);
}
#else
static void test_out_of_memory(void **state) {
    (void)state;
    skip();
}

static void test_out_of_aligned_memory(void **state) {
    (void)state;
    skip();
}
#endif

static void test_limit(void **state) {
    (void)state;
    const uint32_t limit = shoal_limits_get().component_types;
    assert_count(limit, 65535);
    shoal_component early = must_register(&(shoal_component_def){.name = "early", .size = 4});
    const shoal_component_def *early_info = shoal_component_info(early);
    uint32_t first = shoal_component_count() + 1;
    char name[32];
    for (uint32_t id = first; id <= limit; id++) {
        snprintf(name, sizeof name, "type %u", (unsigned)id);
        assert_count(must_register(&(shoal_component_def){.name = name, .size = id}).id, id);
    }
    must_refuse(&(shoal_component_def){.name = "one more"}, SHOAL_COMPONENT_LIMIT, "one more");
    shoal_component_slot slot = {.def = {.name = "one more"}};
    assert_count(shoal_component_of(&slot).id, 0);
    assert_count(slot.id, 0);
    for (uint32_t id = first; id <= limit; id++) {
        snprintf(name, sizeof name, "type %u", (unsigned)id);
        assert_count(shoal_component_find(name).id, id);
        assert_count(shoal_component_info((shoal_component){id})->size, id);
    }
    assert_count(must_register(&(shoal_component_def){.name = "type 65535", .size = 65535}).id, 65535);
    must_refuse(&(shoal_component_def){.name = "type 65535", .size = 1}, SHOAL_COMPONENT_CONFLICT, "type 65535");
    assert_count(shoal_component_find("early").id, early.id);
    assert_ptr_equal(shoal_component_info(early), early_info); /* types never move */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_layout_is_same_id),
        cmocka_unit_test(test_other_layout_is_conflict),
        cmocka_unit_test(test_conflict_names_the_field),
        cmocka_unit_test(test_conflict_in_a_nested_struct),
        cmocka_unit_test(test_first_field_table_in_a_later_definition),
        cmocka_unit_test(test_hash_collision),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_out_of_aligned_memory),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests_name("component_registry", tests, NULL, NULL);
}
