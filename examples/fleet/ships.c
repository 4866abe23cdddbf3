/*
 * Two prefabs, three factions, four kinds of items, and nine ships.
 *
 *     frigate (prefab)           turret1 { gun }         turret2 { gun }
 *     cruiser (prefab)           turret1 { gun1 gun2 }   turret2 { gun }   turret3 { gun1 gun2 }
 *
 * A prefab is a tree like any other, made of entities with names, and then kept out of queries. Its copies keep the
 * names of the children, so that "aurora/turret1/gun1" is found as soon as the root is called "aurora".
 */
#include "ships.h"

#include "bearing.h"

#include <string.h>

#define SHIPS_PER_FACTION 3

/* ---- prefabs ---- */

typedef struct turret_plan {
    const char *name;
    float x, angle; /* on the ship */
    float radius;
    int guns;
} turret_plan;

typedef struct ship_plan {
    const char *name;
    Hull hull;
    Engine engine;
    Gun gun;
    turret_plan turrets[3];
    size_t turret_count;
} ship_plan;

static const ship_plan frigate_plan = {
    .name = "frigate",
    .hull = {.points = 100, .full = 100, .length = 136, .beam = 34},
    .engine = {.speed = 10, .turn = 0.10f},
    .gun = {.length = 22, .damage = 10, .reload = 7},
    .turrets = {{"turret1", 28, 0, 11, 1}, {"turret2", -36, BEARING_PI, 11, 1}},
    .turret_count = 2,
};

static const ship_plan cruiser_plan = {
    .name = "cruiser",
    .hull = {.points = 240, .full = 240, .length = 200, .beam = 44},
    .engine = {.speed = 8, .turn = 0.07f},
    .gun = {.length = 28, .damage = 14, .reload = 10},
    .turrets = {{"turret1", 52, 0, 15, 2}, {"turret2", 6, 0, 12, 1}, {"turret3", -58, BEARING_PI, 15, 2}},
    .turret_count = 3,
};

static shoal_status name_child(shoal_world *world, shoal_entity child, const char *name) {
    return shoal_entity_is_null(child) ? shoal_last_error(world).status : shoal_set_name(world, child, name);
}

/* Guns stand at the edge of the drum, two of them side by side. */
static shoal_status make_guns(shoal_world *world, shoal_entity turret, const turret_plan *plan, const Gun *pattern) {
    static const char *const names[][2] = {{"gun", ""}, {"gun1", "gun2"}};
    shoal_status status = SHOAL_OK;
    for (int i = 0; status == SHOAL_OK && i < plan->guns; i++) {
        float side = plan->guns == 1 ? 0.0f : plan->radius * (i == 0 ? -0.4f : 0.4f);
        Gun gun = *pattern;
        gun.wait = i * pattern->reload / 2; /* two guns of a turret fire in turn */
        shoal_entity made =
            shoal_spawn(world, SHOAL_VALUES({SHOAL_ID(Gun), &gun}, SHOAL_VALUE(Transform, plan->radius, side, 0),
                                            SHOAL_TO(ChildOf, turret)));
        status = name_child(world, made, names[plan->guns - 1][i]);
    }
    return status;
}

static shoal_status make_turret(shoal_world *world, shoal_entity ship, const turret_plan *plan, const Gun *gun) {
    shoal_entity turret = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Transform, plan->x, 0, plan->angle),
                                                          SHOAL_VALUE(Turret, .radius = plan->radius, .turn = 0.2f,
                                                                      .rest = plan->angle, .range = 480),
                                                          SHOAL_TO(ChildOf, ship)));
    shoal_status status = name_child(world, turret, plan->name);
    return status == SHOAL_OK ? make_guns(world, turret, plan, gun) : status;
}

/* Hull brings Transform, WorldTransform and Bounds along, which its type requires. */
static shoal_status make_prefab(shoal_world *world, const ship_plan *plan, shoal_entity *prefab) {
    *prefab =
        shoal_spawn(world, SHOAL_VALUES({SHOAL_ID(Hull), &plan->hull}, {SHOAL_ID(Engine), &plan->engine},
                                        SHOAL_DEFAULT(Waypoint), SHOAL_DEFAULT(Sleeping), SHOAL_DEFAULT(ShipLog)));
    shoal_status status = name_child(world, *prefab, plan->name);
    for (size_t i = 0; status == SHOAL_OK && i < plan->turret_count; i++) {
        status = make_turret(world, *prefab, &plan->turrets[i], &plan->gun);
    }
    return status == SHOAL_OK ? shoal_make_prefab(world, *prefab) : status;
}

/* ---- items ---- */

enum { ITEM_SHELLS, ITEM_RATIONS, ITEM_ROPE, ITEM_LAMPS, ITEM_COUNT };

static shoal_status make_items(fleet_scene *scene, shoal_entity items[ITEM_COUNT]) {
    static const char *const names[ITEM_COUNT] = {"shells", "rations", "rope", "lamps"};
    static const float weights[ITEM_COUNT] = {46.0f, 1.2f, 14.0f, 2.5f};
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; status == SHOAL_OK && i < ITEM_COUNT; i++) {
        items[i] = shoal_spawn(scene->world, SHOAL_VALUES(SHOAL_VALUE(Item, weights[i])));
        status = name_child(scene->world, items[i], names[i]);
    }
    scene->shells = items[ITEM_SHELLS];
    return status;
}

static shoal_status load(shoal_world *world, shoal_entity ship, shoal_entity item, int count) {
    return count == 0 ? SHOAL_OK : shoal_relate(world, ship, SHOAL_ID(Holds), item, &(Holds){count});
}

/* ---- ships ---- */

#define PATH_POINTS 7

typedef struct ship_start {
    const char *name;
    float x, y, degrees;
    bool is_asleep;
    int holds[ITEM_COUNT];
    Waypoint path[PATH_POINTS]; /* up to the first that is 0, 0 */
} ship_start;

typedef struct faction_start {
    Faction faction;
    ship_start ships[SHIPS_PER_FACTION]; /* a cruiser and two frigates */
} faction_start;

/* clang-format off */
static const faction_start starts[FACTION_COUNT] = {
    {.faction = {0x2C6FBB, "azure"},
     .ships = {{"aurora", 190, 560, 0, false, {40, 90, 6, 0},
                {{360, 560}, {520, 600}, {680, 640}, {800, 760}, {940, 800}, {1080, 700}, {1220, 620}}},
               {"brisk", 150, 380, 0, false, {18, 40, 2, 3},
                {{330, 380}, {520, 330}, {700, 360}, {860, 440}, {960, 360}, {860, 240}}},
               {"comet", 120, 980, -40, true, {20, 45, 0, 0},
                {{280, 900}, {420, 800}}}}},
    {.faction = {0xC97A12, "amber"},
     .ships = {{"dagger", 1640, 640, 180, false, {40, 80, 4, 2},
                {{1440, 640}, {1290, 540}, {1120, 480}, {960, 560}, {820, 520}, {660, 460}}},
               {"ember", 1660, 840, 180, false, {16, 35, 0, 0},
                {{1480, 860}, {1320, 900}, {1160, 960}, {1000, 960}, {860, 1040}}},
               {"falcon", 1650, 150, 160, true, {22, 50, 3, 0},
                {{1480, 200}, {1340, 300}, {1240, 380}}}}},
    {.faction = {0x2E8B57, "jade"},
     .ships = {{"gannet", 820, 110, 90, false, {36, 85, 5, 4},
                {{830, 250}, {930, 330}, {1090, 300}, {1240, 250}, {1300, 130}}},
               {"heron", 1040, 90, 90, false, {15, 30, 0, 1},
                {{1060, 230}, {1150, 330}, {1180, 470}, {1300, 580}, {1460, 560}}},
               {"ibis", 660, 1100, -90, true, {24, 40, 0, 0},
                {{700, 960}, {820, 900}, {960, 880}, {1100, 900}, {1180, 800}}}}},
};
/* clang-format on */

/* Points are moved a little, so that each seed gives another course of events. */
static shoal_status lay_path(shoal_world *world, shoal_entity ship, const ship_start *start) {
    shoal_buffer path = shoal_buffer_get(world, ship, SHOAL_ID(Waypoint));
    shoal_status status = shoal_buffer_is_null(path) ? shoal_last_error(world).status : SHOAL_OK;
    for (size_t i = 0; status == SHOAL_OK && i < PATH_POINTS && start->path[i].x > 0; i++) {
        float east = 30.0f * (dice_roll(world) - 0.5f), south = 30.0f * (dice_roll(world) - 0.5f);
        status = shoal_buffer_push(path, &(Waypoint){start->path[i].x + east, start->path[i].y + south});
    }
    return status;
}

/* Structural changes first: the buffer and pointers into the row would be stale after them. */
static shoal_status fit_out(shoal_world *world, shoal_entity ship, const ship_start *start, const shoal_entity *items) {
    shoal_status status = shoal_set_name(world, ship, start->name);
    for (size_t i = 0; status == SHOAL_OK && i < ITEM_COUNT; i++) {
        status = load(world, ship, items[i], start->holds[i]);
    }
    if (status == SHOAL_OK) {
        status = SHOAL_SET(world, ship, Transform, start->x, start->y, start->degrees * BEARING_PI / 180.0f);
    }
    if (status == SHOAL_OK && !start->is_asleep) {
        status = shoal_disable(world, ship, SHOAL_ID(Sleeping));
    }
    if (status == SHOAL_OK) {
        ShipLog *log = SHOAL_GET_MUT(world, ship, ShipLog);
        strncpy(log->name, start->name, sizeof log->name - 1);
        status = lay_path(world, ship, start);
    }
    return status;
}

/* Copies of a prefab for one faction; the faction is given with them, so that they are made in the right chunk. */
static shoal_status build(shoal_world *world, shoal_entity prefab, const Faction *faction, size_t count,
                          shoal_entity *ships) {
    return shoal_instantiate(
        world, prefab,
        &(shoal_instantiate_def){.count = count,
                                 .values = SHOAL_VALUES({SHOAL_ID(Faction), faction}, SHOAL_TO(BuiltTo, prefab)),
                                 .entities = ships});
}

static shoal_status make_faction(shoal_world *world, const faction_start *start, const shoal_entity prefabs[2],
                                 const shoal_entity *items) {
    shoal_entity ships[SHIPS_PER_FACTION];
    shoal_status status = build(world, prefabs[0], &start->faction, 1, ships);
    if (status == SHOAL_OK) {
        status = build(world, prefabs[1], &start->faction, SHIPS_PER_FACTION - 1, ships + 1);
    }
    for (size_t i = 0; status == SHOAL_OK && i < SHIPS_PER_FACTION; i++) {
        status = fit_out(world, ships[i], &start->ships[i], items);
    }
    return status;
}

/* One gun is not as its prefab: it is found by its path. */
static shoal_status mount_heavy_gun(shoal_world *world) {
    shoal_entity found = shoal_lookup(world, (shoal_entity){0}, "aurora/turret1/gun1");
    Gun *gun = SHOAL_GET_MUT(world, found, Gun);
    if (gun == NULL) {
        return shoal_last_error(world).status;
    }
    gun->damage = 30;
    gun->length = 38;
    return SHOAL_OK;
}

shoal_status ships_create(fleet_scene *scene) {
    shoal_world *world = scene->world;
    shoal_entity prefabs[2], items[ITEM_COUNT];
    shoal_status status = make_prefab(world, &cruiser_plan, &prefabs[0]);
    status = status == SHOAL_OK ? make_prefab(world, &frigate_plan, &prefabs[1]) : status;
    status = status == SHOAL_OK ? make_items(scene, items) : status;
    for (size_t i = 0; status == SHOAL_OK && i < FACTION_COUNT; i++) {
        status = make_faction(world, &starts[i], prefabs, items);
    }
    return status == SHOAL_OK ? mount_heavy_gun(world) : status;
}
