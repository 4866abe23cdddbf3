/*
 * The world, the dice, and the queries of text and pictures in one place, as terms and as text.
 *
 * Terms are checked by the compiler and need no parsing; text is for what a user types, and is used here where it is
 * as clear. Both make the same queries.
 */
#include "scene.h"

#include "ships.h"

typedef struct query_plan {
    shoal_query **query;
    shoal_query_def def;
} query_plan;

static shoal_status make_queries(const fleet_scene *scene, const query_plan *plans, size_t count) {
    for (size_t i = 0; i < count; i++) {
        *plans[i].query = shoal_query_create(scene->world, &plans[i].def);
        if (*plans[i].query == NULL) {
            return shoal_last_error(scene->world).status;
        }
    }
    return SHOAL_OK;
}

/* Prefabs and dying entities are in none of these: only queries that name Prefab or Dying see them. */
static shoal_status make_ship_queries(fleet_scene *scene) {
    fleet_queries *query = &scene->query;
    const query_plan plans[] = {
        {&query->asleep,
         {.name = "asleep",
          .terms = SHOAL_TERMS(SHOAL_WITH(Sleeping), SHOAL_WRITE(Waypoint), SHOAL_READ(WorldTransform))}},
        {&query->ships,
         {.name = "ships",
          .terms = SHOAL_TERMS(SHOAL_READ(Faction), SHOAL_READ(Hull), SHOAL_READ(WorldTransform), SHOAL_READ(Bounds),
                               SHOAL_READ(Waypoint), SHOAL_OPTIONAL(Damaged)),
          .group_by = SHOAL_ID(Faction)}},
        {&query->weakest, {.name = "weakest", .text = "Hull, ShipLog order by Hull.points"}},
        {&query->lost, {.name = "lost", .text = "ShipLog, with Dying"}},
        {&query->wrecks, {.name = "wrecks", .text = "Wreck"}},
    };
    return make_queries(scene, plans, sizeof plans / sizeof plans[0]);
}

static shoal_status make_part_queries(fleet_scene *scene) {
    fleet_queries *query = &scene->query;
    const query_plan plans[] = {
        {&query->turrets,
         {.name = "turrets", .terms = SHOAL_TERMS(SHOAL_READ(Turret), SHOAL_READ(WorldTransform), SHOAL_UP(Faction))}},
        {&query->guns,
         {.name = "guns", .terms = SHOAL_TERMS(SHOAL_READ(Gun), SHOAL_READ(WorldTransform), SHOAL_UP(Faction))}},
        {&query->items, {.name = "items", .text = "Item"}},
        {&query->patterns, {.name = "patterns", .text = "Hull, with Prefab"}},
    };
    return make_queries(scene, plans, sizeof plans / sizeof plans[0]);
}

shoal_status scene_create(fleet_scene *scene, uint64_t seed) {
    *scene = (fleet_scene){0};
    shoal_status status = components_register();
    if (status != SHOAL_OK) {
        return status;
    }
    scene->world = shoal_world_create(&(shoal_world_def){.name = "fleet"});
    if (scene->world == NULL) {
        return shoal_last_error(NULL).status;
    }
    status = SHOAL_UNIQUE_SET(scene->world, Clock, -1);
    status = status == SHOAL_OK ? SHOAL_UNIQUE_SET(scene->world, Score, 0) : status;
    status = status == SHOAL_OK ? SHOAL_UNIQUE_SET(scene->world, Dice, seed) : status;
    status = status == SHOAL_OK ? make_ship_queries(scene) : status;
    status = status == SHOAL_OK ? make_part_queries(scene) : status;
    return status == SHOAL_OK ? ships_create(scene) : status;
}

void scene_destroy(fleet_scene *scene) {
    shoal_world_destroy(scene->world);
    *scene = (fleet_scene){0};
}

/* A Weyl sequence whose numbers are well mixed; the top 24 bits fit into a float. */
float dice_roll(shoal_world *world) {
    Dice *dice = SHOAL_UNIQUE_MUT(world, Dice);
    uint64_t bits = dice->state += UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ bits >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    bits = (bits ^ bits >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return (float)((bits ^ bits >> 32) >> 40) * 0x1p-24f;
}
