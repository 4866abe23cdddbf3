/*
 * The definitions of the component types: storage, traits, and the field tables that text queries, entity fields in
 * commands and printing go by.
 *
 * A type gets its id at first use. A query that is made of terms uses its types; one that is made of text only names
 * them, so components_register() uses all of them once.
 */
#include "components.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A struct inside of several types has its table once. */
static const shoal_field faction_fields[] = {SHOAL_FIELD(Faction, colour), SHOAL_FIELD_CHARS(Faction, name)};

static const shoal_field log_fields[] = {
    SHOAL_FIELD_CHARS(ShipLog, name),
    {.name = "faction",
     .kind = SHOAL_FIELD_STRUCT,
     .offset = offsetof(ShipLog, faction),
     .size = sizeof(Faction),
     .fields = faction_fields,
     .field_count = COUNT(faction_fields)},
    SHOAL_FIELD(ShipLog, x),
    SHOAL_FIELD(ShipLog, y),
    SHOAL_FIELD(ShipLog, second),
};

static const shoal_field wreck_fields[] = {
    {.name = "log",
     .kind = SHOAL_FIELD_STRUCT,
     .offset = offsetof(Wreck, log),
     .size = sizeof(ShipLog),
     .fields = log_fields,
     .field_count = COUNT(log_fields)},
    SHOAL_FIELD(Wreck, noted),
};

SHOAL_COMPONENT_DEFINE(WorldTransform, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(WorldTransform, x), SHOAL_FIELD(WorldTransform, y),
                                              SHOAL_FIELD(WorldTransform, angle)))
SHOAL_COMPONENT_DEFINE(Transform, .version = 1, .required = SHOAL_REQUIRES(SHOAL_SLOT(WorldTransform)),
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Transform, x), SHOAL_FIELD(Transform, y),
                                              SHOAL_FIELD(Transform, angle)))

SHOAL_COMPONENT_DEFINE(Hull, .version = 1, .required = SHOAL_REQUIRES(SHOAL_SLOT(Transform), SHOAL_SLOT(Bounds)),
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Hull, points), SHOAL_FIELD(Hull, full),
                                              SHOAL_FIELD(Hull, length), SHOAL_FIELD(Hull, beam)))
SHOAL_COMPONENT_DEFINE(Engine, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Engine, speed), SHOAL_FIELD(Engine, turn)))
SHOAL_COMPONENT_DEFINE(Waypoint, .version = 1, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 4,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Waypoint, x), SHOAL_FIELD(Waypoint, y)))
SHOAL_COMPONENT_DEFINE(Faction, .version = 1, .storage = SHOAL_STORAGE_SHARED, .fields = faction_fields,
                       .field_count = COUNT(faction_fields))
SHOAL_COMPONENT_DEFINE(Bounds, .version = 1, .storage = SHOAL_STORAGE_CHUNK,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Bounds, left), SHOAL_FIELD(Bounds, top),
                                              SHOAL_FIELD(Bounds, right), SHOAL_FIELD(Bounds, bottom)))
SHOAL_COMPONENT_DEFINE(Damaged, .version = 1, .storage = SHOAL_STORAGE_SPARSE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Damaged, seconds)))
SHOAL_COMPONENT_DEFINE(ShipLog, .version = 1, .cleanup = true, .fields = log_fields, .field_count = COUNT(log_fields))
SHOAL_COMPONENT_DEFINE(Wreck, .version = 1, .fields = wreck_fields, .field_count = COUNT(wreck_fields))

SHOAL_COMPONENT_DEFINE(Turret, .version = 1, .required = SHOAL_REQUIRES(SHOAL_SLOT(Transform)),
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Turret, radius), SHOAL_FIELD(Turret, turn),
                                              SHOAL_FIELD(Turret, rest), SHOAL_FIELD(Turret, range)))
SHOAL_COMPONENT_DEFINE(Gun, .version = 1, .required = SHOAL_REQUIRES(SHOAL_SLOT(Transform)),
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Gun, length), SHOAL_FIELD(Gun, damage),
                                              SHOAL_FIELD(Gun, reload), SHOAL_FIELD(Gun, wait)))
SHOAL_COMPONENT_DEFINE(Shot, .version = 1,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Shot, target), SHOAL_FIELD(Shot, x), SHOAL_FIELD(Shot, y),
                                              SHOAL_FIELD(Shot, damage), SHOAL_FIELD(Shot, chance)))
SHOAL_COMPONENT_DEFINE(Item, .version = 1, .fields = SHOAL_FIELDS(SHOAL_FIELD(Item, weight)))

SHOAL_COMPONENT_DEFINE(Clock, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Clock, second)))
SHOAL_COMPONENT_DEFINE(Dice, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Dice, state)))

SHOAL_COMPONENT_DEFINE(Reached, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Reached, points)))
SHOAL_COMPONENT_DEFINE(Score, .version = 1, .storage = SHOAL_STORAGE_UNIQUE,
                       .fields = SHOAL_FIELDS(SHOAL_FIELD(Score, shots), SHOAL_FIELD(Score, hits),
                                              SHOAL_FIELD(Score, woken), SHOAL_FIELD(Score, points_reached),
                                              SHOAL_FIELD(Score, sunk)))

SHOAL_TAG_DEFINE(Sleeping, .toggle = true)

SHOAL_COMPONENT_DEFINE(Holds, .storage = SHOAL_STORAGE_RELATION, .fields = SHOAL_FIELDS(SHOAL_FIELD(Holds, count)))

/* A prefab cannot be destroyed while a ship is built to it. */
SHOAL_RELATION_DEFINE(BuiltTo, .exclusive = true, .on_target_destroyed = SHOAL_TARGET_REFUSE)

/* A target that sinks is no longer aimed at: the relation is removed with it. */
SHOAL_RELATION_DEFINE(AimsAt, .exclusive = true, .on_target_destroyed = SHOAL_TARGET_REMOVE)

shoal_status components_register(void) {
    const shoal_component all[] = {
        SHOAL_ID(Transform), SHOAL_ID(WorldTransform), SHOAL_ID(Hull),    SHOAL_ID(Engine),
        SHOAL_ID(Waypoint),  SHOAL_ID(Faction),        SHOAL_ID(Bounds),  SHOAL_ID(Damaged),
        SHOAL_ID(ShipLog),   SHOAL_ID(Wreck),          SHOAL_ID(Turret),  SHOAL_ID(Gun),
        SHOAL_ID(Shot),      SHOAL_ID(Item),           SHOAL_ID(Clock),   SHOAL_ID(Dice),
        SHOAL_ID(Sleeping),  SHOAL_ID(Holds),          SHOAL_ID(BuiltTo), SHOAL_ID(AimsAt),
        SHOAL_ID(ChildOf),   SHOAL_ID(Prefab),         SHOAL_ID(Dying),
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        if (all[i].id == 0) {
            return shoal_last_error(NULL).status;
        }
    }
    return SHOAL_OK;
}
