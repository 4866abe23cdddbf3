/*
 * Component types that several files share: declared in a header and defined once, or defined in each file under
 * the same name. This program has a second file, test_component_split_types.c.
 */
#include "support/test.h"

#include "test_component_split.h"

typedef struct Local {
    uint64_t value;
} Local;

SHOAL_COMPONENT(Local)

static void test_declared_type(void **state) {
    (void)state;
    shoal_component component = SHOAL_ID(Split);
    assert_int_not_equal(component.id, 0);
    assert_count(split_id_of_definer().id, component.id);
    assert_count(shoal_component_find("Split").id, component.id);
    const shoal_component_def *info = shoal_component_info(component);
    assert_string_equal(info->name, "Split");
    assert_count(info->size, sizeof(Split));
    assert_count(info->alignment, _Alignof(Split));
    assert_count(info->version, 4);
    assert_count(info->field_count, 3);
    assert_count(info->fields[2].kind, SHOAL_FIELD_ENTITY);
    assert_count(info->fields[2].offset, offsetof(Split, target));
}

static void test_declared_without_members(void **state) {
    (void)state;
    const shoal_component_def *info = shoal_component_info(SHOAL_ID(Bare));
    assert_non_null(info);
    assert_string_equal(info->name, "Bare");
    assert_count(info->size, sizeof(Bare));
}

static void test_declared_tag(void **state) {
    (void)state;
    const shoal_component_def *info = shoal_component_info(SHOAL_ID(SplitTag));
    assert_non_null(info);
    assert_string_equal(info->name, "SplitTag");
    assert_count(info->size, 0);
    assert_int_not_equal(SHOAL_ID(SplitTag).id, SHOAL_ID(Bare).id);
}

/* Two slots, one name: one type. */
static void test_type_of_two_files(void **state) {
    (void)state;
    uint32_t count = shoal_component_count();
    shoal_component here = SHOAL_ID(Local);
    assert_int_not_equal(here.id, 0);
    assert_count(split_local_id_of_definer().id, here.id);
    assert_count(shoal_component_count(), count + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declared_type),
        cmocka_unit_test(test_declared_without_members),
        cmocka_unit_test(test_declared_tag),
        cmocka_unit_test(test_type_of_two_files),
    };
    return cmocka_run_group_tests_name("component_split", tests, NULL, NULL);
}
