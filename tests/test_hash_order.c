/*
 * The hash by handle does not depend on the order of registration, on the compiler or on its options: one scene has one
 * hash, which stands here. With an argument the types are registered the other way round, which only a process of its
 * own can do. Where the definition of the hash changes on purpose, the number changes with it.
 */
#include "support/test.h"
#include "test_hash_scene.h"

#define SCENE_HASH UINT64_C(13332990893132818503)

static bool is_reversed;

static void test_hash_is_this_number(void **state) {
    (void)state;
    scene_register(is_reversed);
    shoal_component first = SHOAL_ID(Padded);
    shoal_component last = SHOAL_ID(Knows);
    assert_true((first.id < last.id) == !is_reversed);
    scene s;
    scene_start(&s, NULL);
    uint64_t hash = 0;
    assert_ok(shoal_world_hash(s.world, SHOAL_HASH_CANONICAL, &hash));
    assert_count(hash, SCENE_HASH);
    scene_end(&s);
}

int main(int argc, char **argv) {
    (void)argv;
    is_reversed = argc > 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hash_is_this_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
