/*
 * The table of names on its own: what a name may be, random names against a list, collisions of the hash table's
 * buckets, an allocator that fails at every point, and what validation sees.
 */
#include "support/fake_allocator.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/name.h"

static const shoal_entity no_entity;

/* Slots are spread out, so that several pages are in use. */
static shoal_entity handle_of(uint32_t number, uint32_t generation) {
    return (shoal_entity){(UINT64_C(0x8001) << 48) | ((uint64_t)generation << 32) | ((uint64_t)number * 331)};
}

/* ---- what a name may be ---- */

static void check_name(const char *text, const char *fault, size_t place) {
    size_t found_place = 999;
    const char *found = name_check(text, &found_place);
    if (fault == NULL) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_string_equal(found, fault);
    assert_count(found_place, place);
}

static void test_what_a_name_may_be(void **state) {
    (void)state;
    char longest[300];
    memset(longest, 'x', sizeof longest);
    longest[255] = '\0';
    check_name(NULL, "is null", 0);
    check_name("", "is empty", 0);
    check_name("turret", NULL, 0);
    check_name("Große Türme 砲塔 🚀", NULL, 0);
    check_name(longest, NULL, 0);
    longest[255] = 'x';
    longest[256] = '\0';
    check_name(longest, "is longer than 255 bytes", 255);
    check_name("a/b", "has a /", 1);
    check_name("/", "has a /", 0);
    check_name("a\tb", "has a control character", 1);
    check_name("ab\x7f", "has a control character", 2);
    check_name("a\xC2\x85", "has a control character", 1);
    check_name("ab\xFF", "is not UTF-8", 2);
    check_name("\xC0\xAF", "is not UTF-8", 0);     /* an overlong / */
    check_name("\xED\xA0\x80", "is not UTF-8", 0); /* a surrogate */
    check_name("\xF4\x90\x80\x80", "is not UTF-8", 0);
    check_name("\xE2\x82", "is not UTF-8", 0);
}

/* ---- random names ---- */

#define ENTITIES 200u

typedef struct named {
    shoal_entity handle;
    uint32_t parent; /* a number; ENTITIES: a root */
    char text[24];   /* empty: none */
} named;

typedef struct names_model {
    fake_allocator fake;
    shoal_memory memory;
    name_table table;
    rng random;
    named entities[ENTITIES];
} names_model;

static void model_start(names_model *m, uint64_t seed) {
    *m = (names_model){.random = {seed}};
    m->memory = (shoal_memory){.allocator = fake_allocator_table(&m->fake)};
    name_init(&m->table, &m->memory);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        m->entities[i] = (named){.handle = handle_of(i, 0), .parent = ENTITIES};
    }
}

static void model_end(names_model *m) {
    name_deinit(&m->table);
    assert_count(m->memory.total, 0);
    assert_nothing_leaked(&m->fake);
}

static shoal_entity parent_handle(const names_model *m, uint32_t parent) {
    return parent == ENTITIES ? no_entity : m->entities[parent].handle;
}

static uint32_t model_find(const names_model *m, uint32_t parent, const char *text) {
    for (uint32_t i = 0; i < ENTITIES; i++) {
        if (m->entities[i].text[0] != '\0' && m->entities[i].parent == parent &&
            strcmp(m->entities[i].text, text) == 0) {
            return i;
        }
    }
    return ENTITIES;
}

static void check_model(const names_model *m) {
    char reason[200] = "";
    if (!name_validate(&m->table, reason, sizeof reason)) {
        fail_msg("%s (%s)", reason, test_context);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const named *entity = &m->entities[i];
        const char *text = name_of(&m->table, entity->handle);
        if (entity->text[0] == '\0') {
            assert_null(text);
            continue;
        }
        count++;
        assert_non_null(text);
        assert_string_equal(text, entity->text);
        shoal_entity parent = parent_handle(m, entity->parent);
        assert_entity(name_find(&m->table, parent, text, strlen(text)), entity->handle);
    }
    assert_count(m->table.count, count);
}

/* Few texts and few parents, so that names are often taken. */
static void random_text(names_model *m, char *text, size_t size) {
    snprintf(text, size, "n%u", rng_below(&m->random, 60));
}

static uint32_t random_parent(names_model *m) {
    return rng_chance(&m->random, 50) ? ENTITIES : rng_below(&m->random, 3);
}

/* With the allocator failing at each allocation in turn: the old name stays. */
static void step_set(names_model *m) {
    char text[24];
    named *entity = &m->entities[3 + rng_below(&m->random, ENTITIES - 3)];
    random_text(m, text, sizeof text);
    uint32_t found = model_find(m, entity->parent, text);
    bool taken = found != ENTITIES && &m->entities[found] != entity;
    shoal_entity parent = parent_handle(m, entity->parent);
    assert_entity(name_find(&m->table, parent, text, strlen(text)),
                  found != ENTITIES ? m->entities[found].handle : no_entity);
    for (size_t n = 1;; n++) {
        fake_allocator_arm(&m->fake, n, true);
        shoal_status status = name_set(&m->table, entity->handle, parent, text);
        bool failed = fake_allocator_disarm(&m->fake);
        assert_status(status, failed ? SHOAL_OUT_OF_MEMORY : taken ? SHOAL_NAME_TAKEN : SHOAL_OK);
        if (!failed) {
            break;
        }
        check_model(m);
    }
    assert_status(name_set(&m->table, entity->handle, parent, "a/b"), SHOAL_NAME_INVALID);
    if (!taken) {
        memcpy(entity->text, text, sizeof text);
    }
}

static void step_move(names_model *m) {
    named *entity = &m->entities[3 + rng_below(&m->random, ENTITIES - 3)];
    uint32_t parent = random_parent(m);
    uint32_t found = entity->text[0] != '\0' ? model_find(m, parent, entity->text) : ENTITIES;
    bool taken = found != ENTITIES && &m->entities[found] != entity;
    fake_allocator_arm(&m->fake, 1, true);
    shoal_status status = name_can_move(&m->table, entity->handle, parent_handle(m, parent));
    assert_status(status, taken ? SHOAL_NAME_TAKEN : SHOAL_OK);
    if (!taken) {
        name_move(&m->table, entity->handle, parent_handle(m, parent));
        entity->parent = parent;
    }
    assert_false(fake_allocator_disarm(&m->fake));
}

/* Also as an entity that dies: another generation of the slot has no name. */
static void step_remove(names_model *m) {
    named *entity = &m->entities[3 + rng_below(&m->random, ENTITIES - 3)];
    fake_allocator_arm(&m->fake, 1, true);
    name_remove(&m->table, entity->handle);
    assert_false(fake_allocator_disarm(&m->fake));
    entity->text[0] = '\0';
    uint32_t generation = shoal_entity_generation(entity->handle) + 1;
    entity->handle = handle_of((uint32_t)(entity - m->entities), generation);
}

static void test_random_names(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        names_model m;
        model_start(&m, seed + test_environment("SEED", 0));
        for (uint32_t i = 0; i < 3000; i++) {
            test_set_context("seed %llu step %u", (unsigned long long)seed, i);
            uint32_t choice = rng_below(&m.random, 100);
            if (choice < 55) {
                step_set(&m);
            } else if (choice < 75) {
                step_move(&m);
            } else if (choice < 98) {
                step_remove(&m);
            } else {
                name_trim(&m.table);
            }
            check_model(&m);
        }
        model_end(&m);
    }
    test_set_context("");
}

/* ---- many names, and none again ---- */

static void test_many_names_come_and_go(void **state) {
    (void)state;
    names_model m;
    model_start(&m, 1);
    char text[24];
    char reason[200];
    for (uint32_t i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "name %u", i);
        assert_ok(name_set(&m.table, handle_of(i, 0), no_entity, text));
    }
    assert_true(name_validate(&m.table, reason, sizeof reason));
    for (uint32_t i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "name %u!", i);
        assert_entity(name_find(&m.table, no_entity, text, strlen(text) - 1), handle_of(i, 0));
        assert_entity(name_find(&m.table, no_entity, text, strlen(text)), no_entity);
        assert_entity(name_find(&m.table, handle_of(1, 0), text, strlen(text) - 1), no_entity);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        if (i % 100 != 0) {
            name_remove(&m.table, handle_of(i, 0));
        }
    }
    assert_true(name_validate(&m.table, reason, sizeof reason));
    size_t before = m.memory.total;
    name_trim(&m.table);
    assert_true(m.memory.total < before);
    assert_true(name_validate(&m.table, reason, sizeof reason));
    for (uint32_t i = 0; i < 20000; i += 100) {
        name_remove(&m.table, handle_of(i, 0));
    }
    name_trim(&m.table);
    assert_count(m.memory.total, 0);
    model_end(&m);
}

static void test_validation_finds_what_is_broken(void **state) {
    (void)state;
    names_model m;
    model_start(&m, 1);
    char reason[200];
    assert_ok(name_set(&m.table, handle_of(1, 0), no_entity, "one"));
    assert_ok(name_set(&m.table, handle_of(2, 0), handle_of(1, 0), "two"));
    assert_true(name_validate(&m.table, reason, sizeof reason));
    name_entry *entry = name_entry_of(&m.table, handle_of(2, 0));
    entry->text[0] = 'x';
    assert_false(name_validate(&m.table, reason, sizeof reason));
    entry->text[0] = 't';
    entry->parent = no_entity;
    assert_false(name_validate(&m.table, reason, sizeof reason));
    entry->parent = handle_of(1, 0);
    entry->entity = handle_of(3, 0);
    assert_false(name_validate(&m.table, reason, sizeof reason));
    entry->entity = handle_of(2, 0);
    m.table.count++;
    assert_false(name_validate(&m.table, reason, sizeof reason));
    m.table.count--;
    assert_true(name_validate(&m.table, reason, sizeof reason));
    model_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_name_may_be),
        cmocka_unit_test(test_random_names),
        cmocka_unit_test(test_many_names_come_and_go),
        cmocka_unit_test(test_validation_finds_what_is_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
