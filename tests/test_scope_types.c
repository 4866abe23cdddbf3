/*
 * The world of test_scope_types.h.
 */
#include "test_scope_types.h"

#include "storage/world.h"

SHOAL_COMPONENT_DEFINE(Spot, .fields = SHOAL_FIELDS(SHOAL_FIELD(Spot, x), SHOAL_FIELD(Spot, y)))
SHOAL_COMPONENT_DEFINE(Pace)
SHOAL_COMPONENT_DEFINE(Team, .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT_DEFINE(Loose, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT_DEFINE(Trail, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 2)
SHOAL_COMPONENT_DEFINE(Rules, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_TAG_DEFINE(Lamp, .toggle = true)
SHOAL_RELATION_DATA_DEFINE(Holds)

static void queries_make(rig *r) {
    shoal_world *world = r->f.world;
    r->plain = make_query_of(world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WRITE(Spot), SHOAL_WITHOUT(Pace))});
    r->filtered = make_query_of(world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Spot), SHOAL_WITH(Lamp))});
    r->ordered = make_query_of(world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Spot)),
                                                         .order_by = SHOAL_ID(Spot),
                                                         .order_field = "x",
                                                         .descending = true});
    r->grouped = make_query_of(world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Spot), SHOAL_READ(Team)),
                                                         .group_by = SHOAL_ID(Team)});
    r->listed = make_query_of(world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Loose))});
    r->upward = make_query_of(world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Spot), SHOAL_UP(Spot))});
}

void rig_make(rig *r) {
    *r = (rig){0};
    fixture_start(&r->f, NULL);
    shoal_world *world = r->f.world;
    for (int32_t i = 0; i < RIG_ROWS; i++) {
        r->rows[i] =
            spawn_one(world, SHOAL_VALUES(SHOAL_VALUE(Spot, i, 0), SHOAL_DEFAULT(Lamp), SHOAL_VALUE(Team, i % 3),
                                          SHOAL_DEFAULT(Trail), SHOAL_VALUE(Loose, i)));
        if (i % 3 == 0 && i != 0) {
            turn(world, r->rows[i], SHOAL_ID(Lamp), false);
        }
        assert_ok(i != 0 ? shoal_set_parent(world, r->rows[i], r->rows[0]) : SHOAL_OK);
    }
    assert_ok(shoal_relate(world, r->rows[0], SHOAL_ID(Holds), r->rows[1], &(Holds){5}));
    assert_ok(shoal_set_name(world, r->rows[0], "root"));
    assert_ok(SHOAL_UNIQUE_SET(world, Rules, 9));
    queries_make(r);
    r->commands = shoal_commands_create(world, &(shoal_commands_def){.name = "recorder"});
    assert_non_null(r->commands);
    r->scope = (world_scope){.world = world, .name = "move"};
}

void rig_share(rig *r) {
    (void)world_lock_enter(r->f.world, "step");
    world_set_shared(r->f.world, true);
    world_scope_enter(&r->scope);
}

void rig_unshare(rig *r) {
    world_scope_leave(&r->scope);
    world_set_shared(r->f.world, false);
    world_lock_leave(r->f.world, NULL);
}

void rig_begin(rig *r) {
    rig_make(r);
    rig_share(r);
}

void rig_end(rig *r) {
    rig_unshare(r);
    fixture_end(&r->f);
}
