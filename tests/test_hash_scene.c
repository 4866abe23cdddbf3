/*
 * The scene of test_hash_scene.h.
 */
#include "test_hash_scene.h"

#include "support/calls.h"
#include "support/test.h"

#define PADDED_FIELDS(Type) SHOAL_FIELD(Type, kind), SHOAL_FIELD(Type, count)
#define NUMBER_FIELDS(Type) SHOAL_FIELDS(SHOAL_FIELD(Type, value))

SHOAL_COMPONENT_DEFINE(Padded, .fields = SHOAL_FIELDS(PADDED_FIELDS(Padded)))
SHOAL_COMPONENT_DEFINE(Label, .fields = SHOAL_FIELDS(SHOAL_FIELD_CHARS(Label, text)))
SHOAL_COMPONENT_DEFINE(Aim, .fields = SHOAL_FIELDS(SHOAL_FIELD_ARRAY(Aim, at),
                                                   SHOAL_FIELD_NESTED_ARRAY(Aim, inner, PADDED_FIELDS(Padded))))
SHOAL_COMPONENT_DEFINE(Raw)
SHOAL_COMPONENT_DEFINE(Shield, .toggle = true, .fields = NUMBER_FIELDS(Shield))
SHOAL_COMPONENT_DEFINE(Team, .storage = SHOAL_STORAGE_SHARED, .fields = NUMBER_FIELDS(Team))
SHOAL_COMPONENT_DEFINE(Zone, .storage = SHOAL_STORAGE_CHUNK, .fields = NUMBER_FIELDS(Zone))
SHOAL_COMPONENT_DEFINE(Stop, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 2,
                       .fields = SHOAL_FIELDS(PADDED_FIELDS(Stop)))
SHOAL_COMPONENT_DEFINE(Scan, .storage = SHOAL_STORAGE_SPARSE, .fields = NUMBER_FIELDS(Scan))
SHOAL_COMPONENT_DEFINE(Fixed, .storage = SHOAL_STORAGE_SPARSE, .stable = true,
                       .fields = SHOAL_FIELDS(PADDED_FIELDS(Fixed)))
SHOAL_RELATION_DATA_DEFINE(Cargo, .fields = NUMBER_FIELDS(Cargo))
SHOAL_COMPONENT_DEFINE(Clock, .storage = SHOAL_STORAGE_UNIQUE, .fields = NUMBER_FIELDS(Clock))
SHOAL_COMPONENT_DEFINE(Motto, .storage = SHOAL_STORAGE_UNIQUE, .fields = SHOAL_FIELDS(SHOAL_FIELD_CHARS(Motto, text)))
SHOAL_TAG_DEFINE(Marked)
SHOAL_TAG_DEFINE(Awake, .toggle = true)
SHOAL_TAG_DEFINE(Remains, .cleanup = true)
SHOAL_TAG_DEFINE(Spotted, .storage = SHOAL_STORAGE_SPARSE)
SHOAL_RELATION_DEFINE(Owner, .exclusive = true, .split = true)
SHOAL_RELATION_DEFINE(Knows)

static shoal_component_slot *const slots[] = {
    SHOAL_SLOT(Position), SHOAL_SLOT(Padded),  SHOAL_SLOT(Label),   SHOAL_SLOT(Aim),   SHOAL_SLOT(Raw),
    SHOAL_SLOT(Shield),   SHOAL_SLOT(Team),    SHOAL_SLOT(Zone),    SHOAL_SLOT(Stop),  SHOAL_SLOT(Scan),
    SHOAL_SLOT(Fixed),    SHOAL_SLOT(Cargo),   SHOAL_SLOT(Clock),   SHOAL_SLOT(Motto), SHOAL_SLOT(Marked),
    SHOAL_SLOT(Awake),    SHOAL_SLOT(Remains), SHOAL_SLOT(Spotted), SHOAL_SLOT(Owner), SHOAL_SLOT(Knows),
    SHOAL_SLOT(Owned),
};

void scene_register(bool is_reversed) {
    size_t count = sizeof slots / sizeof slots[0];
    for (size_t i = 0; i < count; i++) {
        assert_true(shoal_component_resolve(slots[is_reversed ? count - 1 - i : i]).id != 0);
    }
}

static shoal_entity ship_spawn(const scene *s, uint32_t number) {
    float x = (float)number;
    shoal_entity ship = spawn_one(s->world, SHOAL_VALUES(SHOAL_VALUE(Position, x, 2, 3), SHOAL_VALUE(Padded, 1, number),
                                                         SHOAL_VALUE(Shield, number), SHOAL_VALUE(Team, number / 4),
                                                         SHOAL_VALUE(Scan, number), SHOAL_VALUE(Fixed, 2, number),
                                                         SHOAL_DEFAULT(Awake)));
    assert_ok(shoal_relate(s->world, ship, SHOAL_ID(Cargo), s->port, &(Cargo){number}));
    assert_ok(shoal_relate(s->world, ship, SHOAL_ID(Cargo), s->dock, &(Cargo){number + 10}));
    assert_ok(shoal_set_parent(s->world, ship, s->port));
    return ship;
}

static void first_ship_fill(const scene *s) {
    shoal_world *world = s->world;
    shoal_entity ship = s->ships[0];
    assert_ok(SHOAL_ADD(world, ship, Label, "alpha"));
    assert_ok(SHOAL_ADD(world, ship, Aim, .at = {s->ships[1], s->ships[2]}, .inner = {{1, 2}, {3, 4}}));
    assert_ok(SHOAL_ADD(world, ship, Raw, {1, 2, 3, 4, 5}));
    assert_ok(SHOAL_ADD(world, ship, Zone, 7));
    assert_ok(shoal_add(world, ship, SHOAL_ID(Stop), &(shoal_span){(const Stop[]){{1, 2}, {3, 4}, {5, 6}}, 3}));
    assert_ok(shoal_add(world, ship, SHOAL_ID(Owned), NULL));
    assert_ok(shoal_add(world, ship, SHOAL_ID(Spotted), NULL));
    assert_ok(shoal_relate(world, ship, SHOAL_ID(Owner), s->port, NULL));
    assert_ok(shoal_relate(world, ship, SHOAL_ID(Knows), s->ships[1], NULL));
    assert_ok(shoal_relate(world, ship, SHOAL_ID(Knows), s->ships[2], NULL));
    assert_ok(shoal_set_name(world, ship, "first"));
}

void scene_start(scene *s, const shoal_world_def *def) {
    *s = (scene){0};
    fixture_start(&s->f, def);
    s->world = s->f.world;
    s->port = spawn_one(s->world, NULL, 0);
    s->dock = spawn_one(s->world, NULL, 0);
    for (uint32_t i = 0; i < SCENE_SHIPS; i++) {
        s->ships[i] = ship_spawn(s, i);
    }
    first_ship_fill(s);
    s->dying = spawn_one(s->world, SHOAL_VALUES(SHOAL_DEFAULT(Remains)));
    assert_ok(shoal_destroy(s->world, s->dying));
    s->prefab = spawn_one(s->world, SHOAL_VALUES(SHOAL_VALUE(Padded, 9, 9)));
    assert_ok(shoal_make_prefab(s->world, s->prefab));
    shoal_entity used = shoal_entity_make(s->world, SCENE_FREE, 3);
    assert_ok(shoal_spawn_at(s->world, used, NULL, 0));
    assert_ok(shoal_destroy(s->world, used));
    assert_ok(SHOAL_UNIQUE_SET(s->world, Clock, 12));
    assert_ok(SHOAL_UNIQUE_SET(s->world, Motto, "onward"));
    assert_valid(s->world);
}

void scene_end(scene *s) {
    fixture_end(&s->f);
}
