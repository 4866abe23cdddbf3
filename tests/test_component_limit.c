/*
 * The limit of component types, in a process of its own, since types are never given back. Conformance D3.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

/* The first id behind the built-in types. */
#define FIRST UINT32_C(4)

static shoal_component register_numbered(uint32_t number, uint32_t version) {
    char name[32];
    snprintf(name, sizeof name, "Type%u", (unsigned)number);
    return shoal_component_register(
        &(shoal_component_def){.name = name, .size = 4, .alignment = 4, .version = version});
}

static void conf_D3_one_more_type_than_the_limit(void **state) {
    (void)state;
    uint32_t limit = shoal_limits_get().component_types;
    assert_count(limit, 65535);
    for (uint32_t number = FIRST; number <= limit; number++) {
        shoal_component component = register_numbered(number, 0);
        if (component.id != number) {
            assert_count(component.id, number);
        }
    }
    assert_count(shoal_component_count(), limit);
    assert_count(register_numbered(limit + 1, 0).id, 0);
    assert_last_error(NULL, SHOAL_COMPONENT_LIMIT);
    assert_count(shoal_component_count(), limit);
    assert_count(shoal_component_find("Type65536").id, 0);
    assert_count(register_numbered(65535, 0).id, shoal_component_find("Type65535").id);
    assert_count(register_numbered(65535, 1).id, 0);
    assert_last_error(NULL, SHOAL_COMPONENT_CONFLICT);
    for (uint32_t number = FIRST; number <= limit; number++) {
        char name[32];
        snprintf(name, sizeof name, "Type%u", (unsigned)number);
        shoal_component component = {number};
        if (shoal_component_find(name).id != number || shoal_component_hash(component) == 0) {
            assert_count(shoal_component_find(name).id, number);
        }
        assert_string_equal(shoal_component_info(component)->name, name);
    }
    assert_null(shoal_component_info((shoal_component){limit + 1}));
}

/* The highest ids work like any other, alone and together with the lowest. */
static void conf_D3_the_highest_id_works(void **state) {
    (void)state;
    shoal_world *world = shoal_world_create(NULL);
    assert_non_null(world);
    const shoal_component low = {FIRST};
    const shoal_component high = {65535};
    const uint32_t numbers[2] = {11, 22};
    const shoal_value values[] = {{high, &numbers[1]}, {low, &numbers[0]}};
    const shoal_term terms[] = {{.component = high, .access = SHOAL_ACCESS_WRITE},
                                {.component = low, .access = SHOAL_ACCESS_WITHOUT}};
    shoal_query *query = shoal_query_create(world, &(shoal_query_def){.terms = terms, .term_count = 2});
    assert_non_null(query);
    shoal_entity both = shoal_spawn(world, values, 2);
    shoal_entity only = shoal_spawn(world, values, 1);
    assert_int_equal(*(const uint32_t *)shoal_get(world, both, high), 22);
    assert_int_equal(*(const uint32_t *)shoal_get(world, both, low), 11);
    assert_false(shoal_has(world, only, low));
    assert_count(shoal_query_count(query), 1);
    assert_ok(shoal_remove(world, both, low));
    assert_count(shoal_query_count(query), 2);
    assert_ok(shoal_add(world, both, (shoal_component){65534}, &numbers[0]));
    assert_int_equal(*(const uint32_t *)shoal_get(world, both, high), 22);
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

/* All types but the built-in ones on one entity, or a clean refusal that changes nothing. */
static void conf_D3_all_types_on_one_entity(void **state) {
    (void)state;
    uint32_t limit = shoal_limits_get().component_types - (FIRST - 1);
    shoal_world *world = shoal_world_create(NULL);
    shoal_value *values = calloc(limit, sizeof *values);
    uint32_t *numbers = calloc(limit, sizeof *numbers);
    assert_true(world != NULL && values != NULL && numbers != NULL);
    for (uint32_t i = 0; i < limit; i++) {
        numbers[i] = i * 7;
        values[i] = (shoal_value){{i + FIRST}, &numbers[i]};
    }
    shoal_entity entity = shoal_spawn(world, values, limit);
    assert_false(shoal_entity_is_null(entity));
    size_t count = 0;
    shoal_components_of(world, entity, &count);
    assert_count(count, limit);
    for (uint32_t i = 0; i < limit; i++) {
        assert_int_equal(*(const uint32_t *)shoal_get(world, entity, (shoal_component){i + FIRST}), numbers[i]);
    }
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
    free(values);
    free(numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_D3_one_more_type_than_the_limit),
        cmocka_unit_test(conf_D3_the_highest_id_works),
        cmocka_unit_test(conf_D3_all_types_on_one_entity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
