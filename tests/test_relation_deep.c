/*
 * The relation store with a million links: a chain and a list of one target, built and taken apart in random order. All
 * of it runs in a thread with a stack of 128 KiB, where a recursion over the chain would not end well. Conformance L2
 * at the level of the store.
 */
#include "support/rng.h"
#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>

#include "storage/relation.h"

static const shoal_entity no_entity;

#define MILLION 1000000u

typedef struct deep_run {
    relation_store store;
    shoal_memory memory;
    component_type type;
    uint32_t *numbers;
    const char *fault;
    char reason[200];
} deep_run;

static shoal_entity deep_handle(uint32_t number) {
    return (shoal_entity){(UINT64_C(0x8001) << 48) | number};
}

static bool deep_validate(deep_run *run) {
    return relation_validate(&run->store, run->reason, sizeof run->reason);
}

/* Links each number to `number + 1` or to one, in random order; then takes them away in another. */
static const char *deep_build(deep_run *run, bool chain, rng *random) {
    rng_shuffle(random, run->numbers, MILLION);
    for (uint32_t i = 0; i < MILLION; i++) {
        shoal_entity source = deep_handle(run->numbers[i]);
        shoal_entity target = deep_handle(chain ? run->numbers[i] + 1 : MILLION);
        shoal_entity cycle_at;
        if (relation_check(&run->store, source, target, &cycle_at) != SHOAL_OK ||
            relation_reserve(&run->store, source, target) != SHOAL_OK) {
            return "a link was refused";
        }
        (void)relation_add(&run->store, source, target, NULL);
    }
    return deep_validate(run) ? NULL : run->reason;
}

static const char *deep_check(deep_run *run, bool chain) {
    shoal_entity at = deep_handle(MILLION);
    uint32_t steps = 0;
    while (relation_tree_next(&run->store, deep_handle(MILLION), &at)) {
        uint32_t expected = chain ? ++steps : (++steps, 1u);
        if (relation_depth(&run->store, at) != expected) {
            return "a depth is wrong";
        }
    }
    if (steps != MILLION) {
        return "the walk did not reach all";
    }
    shoal_entity cycle_at;
    shoal_status status = relation_check(&run->store, deep_handle(MILLION), deep_handle(0), &cycle_at);
    return status == SHOAL_RELATION_CYCLE ? NULL : "a cycle was not seen";
}

static const char *deep_remove(deep_run *run, rng *random) {
    rng_shuffle(random, run->numbers, MILLION);
    for (uint32_t i = 0; i < MILLION; i++) {
        if (!relation_remove(&run->store, deep_handle(run->numbers[i]), no_entity)) {
            return "a link was lost";
        }
        if (i % (MILLION / 4) == 1 && !deep_validate(run)) {
            return run->reason;
        }
    }
    return run->store.link_count == 0 && run->store.list_count == 0 ? NULL : "something is left";
}

static void *deep_main(void *argument) {
    deep_run *run = argument;
    rng random = {11};
    for (int chain = 0; chain < 2 && run->fault == NULL; chain++) {
        run->fault = deep_build(run, chain, &random);
        run->fault = run->fault != NULL ? run->fault : deep_check(run, chain);
        run->fault = run->fault != NULL ? run->fault : deep_remove(run, &random);
    }
    return NULL;
}

static void conf_L2_a_million_deep_and_wide_on_a_small_stack(void **state) {
    (void)state;
    deep_run run = {.memory = {.allocator = memory_default_allocator()}};
    run.type.def = (shoal_component_def){
        .name = "Below", .alignment = 1, .storage = SHOAL_STORAGE_RELATION, .exclusive = true, .acyclic = true};
    relation_init(&run.store, &run.memory, &run.type);
    run.numbers = malloc(MILLION * sizeof *run.numbers);
    for (uint32_t i = 0; i < MILLION; i++) {
        run.numbers[i] = i;
    }
    pthread_t thread;
    pthread_attr_t attributes;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)128 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attributes, deep_main, &run), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)pthread_attr_destroy(&attributes);
    if (run.fault != NULL) {
        fail_msg("%s", run.fault);
    }
    relation_deinit(&run.store);
    assert_count(run.memory.total, 0);
    free(run.numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_L2_a_million_deep_and_wide_on_a_small_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
