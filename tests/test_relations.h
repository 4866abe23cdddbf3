/*
 * What the tests of relations share: entities without components, and checks of a relation from both ends, through
 * every call that gives one.
 */
#ifndef SHOAL_TESTS_TEST_RELATIONS_H
#define SHOAL_TESTS_TEST_RELATIONS_H

#include "support/components.h"
#include "support/fixture.h"
#include "support/test.h"

static const shoal_entity nobody = {0};
static const shoal_value no_values[1];

static inline shoal_entity spawn_empty(shoal_world *world) {
    shoal_entity entity = shoal_spawn(world, no_values, 0);
    assert_false(shoal_entity_is_null(entity));
    return entity;
}

static inline void spawn_several(shoal_world *world, shoal_entity *entities, size_t count) {
    for (size_t i = 0; i < count; i++) {
        entities[i] = spawn_empty(world);
    }
}

/* The sources of a target are exactly these, in order. */
static inline void check_sources(const shoal_world *world, shoal_component relation, shoal_entity target,
                                 const shoal_entity *expected, size_t count) {
    assert_count(shoal_source_count(world, relation, target), count);
    size_t seen = 0;
    for (shoal_source_walk walk = shoal_sources(world, relation, target); shoal_sources_next(&walk);) {
        assert_true(walk.count != 0);
        for (size_t i = 0; i < walk.count; i++, seen++) {
            assert_true(seen < count);
            assert_entity(walk.entities[i], expected[seen]);
            assert_true(shoal_is_related(world, expected[seen], relation, target));
        }
    }
    assert_count(seen, count);
}

/* The targets of a source are exactly these, in order. */
static inline void check_targets(const shoal_world *world, shoal_entity source, shoal_component relation,
                                 const shoal_entity *expected, size_t count) {
    size_t seen = 0;
    for (shoal_target_walk walk = shoal_targets(world, source, relation); shoal_targets_next(&walk); seen++) {
        assert_true(seen < count);
        assert_entity(walk.target, expected[seen]);
    }
    assert_count(seen, count);
    assert_entity(shoal_target(world, source, relation), count != 0 ? expected[0] : nobody);
    assert_count(shoal_is_related(world, source, relation, nobody), count != 0);
    assert_count(shoal_has(world, source, relation), count != 0);
}

#endif
