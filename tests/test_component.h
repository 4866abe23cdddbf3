/*
 * What the tests of the component registry share: registering that must work, and registering that must fail.
 */
#ifndef SHOAL_TESTS_TEST_COMPONENT_H
#define SHOAL_TESTS_TEST_COMPONENT_H

#include "support/test.h"

/* Registers a type that nothing is wrong with. */
static inline shoal_component must_register(const shoal_component_def *def) {
    shoal_component component = shoal_component_register(def);
    if (component.id == 0) {
        print_error("%s\n", shoal_last_error(NULL).message);
        fail_msg("%s was refused", def->name);
    }
    return component;
}

/* The definition is refused with the status and a message that contains `part`; nothing is registered. */
static inline void must_refuse(const shoal_component_def *def, shoal_status status, const char *part) {
    uint32_t count = shoal_component_count();
    assert_count(shoal_component_register(def).id, 0);
    assert_last_error(NULL, status);
    assert_message_has(NULL, part);
    assert_count(shoal_component_count(), count);
}

#endif
