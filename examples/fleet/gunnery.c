/*
 * Turrets aim, guns fire, shots hit.
 *
 * A turret's target is the relation AimsAt; it goes by itself when the target sinks. A shot is an entity that lives for
 * one second: the guns record its spawn, `hit` goes through all shots, and then `clear` destroys all of them in one
 * call. So what one system tells another is data like all other, and the order in which guns fire is that of the query.
 * Thread rule: the scheduler's.
 */
#include "systems.h"

#include "bearing.h"

#define AIMED 0.08f       /* radians off the target at which a gun fires */
#define HEARING 330.0f    /* metres from a hit at which a sleeping ship wakes */
#define SMOKE_SECONDS 22  /* after a hit */
#define CHANCE_NEAR 0.60f /* of a hit, beside the target */
#define CHANCE_LOST 0.35f /* of it, at full range */

/* ---- aiming ---- */

static float outside(float value, float low, float high) {
    return fmaxf(fmaxf(low - value, value - high), 0.0f);
}

/* Chunks of the own faction, and those whose Bounds are out of range, are passed over whole. */
static bool chunk_is_worth_a_look(const shoal_view *view, const Faction *own, const WorldTransform *at, float range) {
    const Bounds *bounds = SHOAL_ONE(view, Bounds);
    return SHOAL_ONE(view, Faction) != own &&
           hypotf(outside(at->x, bounds->left, bounds->right), outside(at->y, bounds->top, bounds->bottom)) <= range;
}

/* Equal shared values are one value in the world, so comparing their addresses is enough. */
static shoal_status nearest_enemy(const fleet_scene *scene, const Faction *own, const WorldTransform *at, float range,
                                  shoal_entity *nearest) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.ships);
    while (shoal_view_next(&view)) {
        const WorldTransform *place = SHOAL_COLUMN(&view, WorldTransform);
        for (size_t i = 0; chunk_is_worth_a_look(&view, own, at, range) && i < view.count; i++) {
            float distance = hypotf(place[i].x - at->x, place[i].y - at->y);
            if (distance <= range) {
                range = distance;
                *nearest = view.entities[i];
            }
        }
    }
    return status;
}

static shoal_status keep_target(const shoal_run *run, shoal_entity turret, shoal_entity target) {
    if (shoal_entity_equal(shoal_target(run->world, turret, SHOAL_ID(AimsAt)), target)) {
        return SHOAL_OK;
    }
    return shoal_entity_is_null(target) ? shoal_commands_remove(run->commands, turret, SHOAL_ID(AimsAt))
                                        : shoal_commands_relate(run->commands, turret, SHOAL_ID(AimsAt), target, NULL);
}

static shoal_status aim_turret(const shoal_run *run, const shoal_view *view, size_t row) {
    shoal_world *world = run->world;
    const WorldTransform *at = SHOAL_COLUMN(view, WorldTransform) + row;
    const Turret *turret = SHOAL_COLUMN(view, Turret) + row;
    Transform *local = SHOAL_COLUMN_MUT(view, Transform) + row;
    shoal_entity target = {0};
    shoal_status status = SHOAL_OK;
    if (!shoal_is_enabled(world, shoal_parent(world, view->entities[row]), SHOAL_ID(Sleeping))) {
        status = nearest_enemy(run->user, SHOAL_COLUMN_UP(view, Faction)[row], at, turret->range, &target);
    }
    float wanted = turret->rest;
    if (!shoal_entity_is_null(target)) {
        const WorldTransform *enemy = SHOAL_GET(world, target, WorldTransform);
        const WorldTransform *ship = SHOAL_COLUMN_UP(view, WorldTransform)[row];
        wanted = atan2f(enemy->y - at->y, enemy->x - at->x) - ship->angle;
    }
    local->angle = bearing_turn(local->angle, wanted, turret->turn);
    return status == SHOAL_OK ? keep_target(run, view->entities[row], target) : status;
}

static shoal_status aim(const shoal_run *run, shoal_view *view) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; status == SHOAL_OK && i < view->count; i++) {
        status = aim_turret(run, view, i);
    }
    return status;
}

bool aim_add(fleet_scene *scene) {
    return systems_add_later(
        scene,
        &(shoal_system_def){
            .name = "aim",
            .each = aim,
            .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Transform), SHOAL_READ(Turret), SHOAL_READ(WorldTransform),
                                           SHOAL_UP(WorldTransform), SHOAL_UP(Faction))},
            .lookups = SHOAL_TERMS(SHOAL_READ(WorldTransform), SHOAL_READ(Faction), SHOAL_READ(Bounds),
                                   SHOAL_READ(Hull), SHOAL_READ(Waypoint), SHOAL_READ(Damaged), SHOAL_WITH(Sleeping),
                                   SHOAL_WITH(ChildOf), SHOAL_WITH(AimsAt)),
            .commands = true,
        });
}

/* ---- firing ---- */

/* Takes a shell out of the ship's holdings; with the last one the relation ends. */
static bool take_shell(const shoal_run *run, shoal_entity ship, shoal_status *status) {
    const fleet_scene *scene = run->user;
    shoal_component holds = SHOAL_ID(Holds);
    if (!shoal_is_related(scene->world, ship, holds, scene->shells)) {
        return false;
    }
    Holds *held = shoal_relation_get_mut(scene->world, ship, holds, scene->shells);
    if (held->count == 0) { /* another gun of this ship has fired the last one in this second */
        return false;
    }
    if (--held->count == 0) {
        *status = shoal_commands_unrelate(run->commands, ship, holds, scene->shells);
    }
    return *status == SHOAL_OK;
}

static shoal_status fire_gun(const shoal_run *run, const shoal_view *view, size_t row) {
    shoal_world *world = run->world;
    Gun *gun = SHOAL_COLUMN_MUT(view, Gun) + row;
    gun->wait = gun->wait > 0 ? gun->wait - 1 : 0;
    shoal_entity turret = shoal_parent(world, view->entities[row]);
    shoal_entity target = shoal_target(world, turret, SHOAL_ID(AimsAt));
    if (gun->wait > 0 || shoal_entity_is_null(target)) {
        return SHOAL_OK;
    }
    const WorldTransform *at = SHOAL_COLUMN(view, WorldTransform) + row;
    const WorldTransform *enemy = SHOAL_GET(world, target, WorldTransform);
    float east = enemy->x - at->x, south = enemy->y - at->y;
    float part = hypotf(east, south) / SHOAL_COLUMN_UP(view, Turret)[row]->range;
    shoal_status status = SHOAL_OK;
    if (part > 1 || fabsf(bearing_wrap(atan2f(south, east) - at->angle)) > AIMED ||
        !take_shell(run, shoal_parent(world, turret), &status)) {
        return status;
    }
    gun->wait = gun->reload;
    SHOAL_UNIQUE_MUT(world, Score)->shots++;
    Shot shot = {target, enemy->x, enemy->y, gun->damage, CHANCE_NEAR - CHANCE_LOST * part};
    shoal_entity made = shoal_commands_spawn(run->commands, SHOAL_VALUES({SHOAL_ID(Shot), &shot}));
    return shoal_entity_is_null(made) ? shoal_last_error(world).status : SHOAL_OK;
}

static shoal_status fire(const shoal_run *run, shoal_view *view) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; status == SHOAL_OK && i < view->count; i++) {
        status = fire_gun(run, view, i);
    }
    return status;
}

/* Guns of one ship share its shells: what is looked up for writing makes this a system of one thread. */
bool fire_add(fleet_scene *scene) {
    return systems_add_later(
        scene, &(shoal_system_def){
                   .name = "fire",
                   .each = fire,
                   .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Gun), SHOAL_READ(WorldTransform), SHOAL_UP(Turret))},
                   .lookups = SHOAL_TERMS(SHOAL_READ(WorldTransform), SHOAL_WITH(ChildOf), SHOAL_WITH(AimsAt),
                                          SHOAL_WRITE(Holds), SHOAL_WRITE(Score)),
                   .commands = true,
               });
}

/* ---- hitting ---- */

/* Waking is done at once: it is no structural change, and the next shot must not wake the ship again. A ship that has
   come to the end of its path steers towards the noise. */
static shoal_status wake_near(const shoal_run *run, const Shot *shot) {
    const fleet_scene *scene = run->user;
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, scene->query.asleep);
    while (status == SHOAL_OK && shoal_view_next(&view)) {
        const WorldTransform *place = SHOAL_COLUMN(&view, WorldTransform);
        for (size_t i = 0; status == SHOAL_OK && i < view.count; i++) {
            if (hypotf(place[i].x - shot->x, place[i].y - shot->y) > HEARING) {
                continue;
            }
            shoal_buffer path = shoal_view_buffer(&view, SHOAL_ID(Waypoint), i);
            status = shoal_disable(run->world, view.entities[i], SHOAL_ID(Sleeping));
            SHOAL_UNIQUE_MUT(run->world, Score)->woken++;
            if (status == SHOAL_OK && shoal_buffer_count(path) == 0) {
                status = shoal_buffer_push(path, &(Waypoint){shot->x, shot->y});
            }
        }
    }
    shoal_view_end(&view);
    return status;
}

static shoal_status damage(const shoal_run *run, const Shot *shot) {
    Score *score = SHOAL_UNIQUE_MUT(run->world, Score);
    Hull *hull = SHOAL_GET_MUT(run->world, shot->target, Hull);
    if (hull->points <= 0) { /* sunk by an earlier shot of this second */
        return SHOAL_OK;
    }
    hull->points -= shot->damage;
    score->hits++;
    if (hull->points > 0) {
        return SHOAL_COMMANDS_ADD(run->commands, shot->target, Damaged, SMOKE_SECONDS);
    }
    score->sunk++;
    return shoal_commands_destroy_entity(run->commands, shot->target);
}

static shoal_status hit(const shoal_run *run) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, run->query);
    while (status == SHOAL_OK && shoal_view_next(&view)) {
        const Shot *shot = SHOAL_COLUMN(&view, Shot);
        for (size_t i = 0; status == SHOAL_OK && i < view.count; i++) {
            if (dice_roll(run->world) < shot[i].chance) {
                status = damage(run, &shot[i]);
                status = status == SHOAL_OK ? wake_near(run, &shot[i]) : status;
            }
        }
    }
    shoal_view_end(&view);
    return status;
}

static shoal_status clear(const shoal_run *run) {
    return shoal_query_destroy_entities(run->query);
}

/* Exclusive, so that ships can be woken at once and shots destroyed directly. */
bool hit_add(fleet_scene *scene) {
    shoal_system_def hit_def = {
        .name = "hit", .once = hit, .query = {.text = "Shot"}, .exclusive = true, .commands = true};
    shoal_system_def clear_def = {.name = "clear", .once = clear, .query = {.text = "Shot"}, .exclusive = true};
    return systems_add_later(scene, &hit_def) && systems_add_later(scene, &clear_def);
}
