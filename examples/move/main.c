/*
 * Movement, the smallest story: a player, a bullet and a building in three frames of a tenth of a second.
 *
 * The movement query wants Position and Velocity and refuses Frozen, so the building never moves, and the player stops
 * when it gets the tag: the rule stays the same, the set of rows that it applies to changes. The last column of the
 * table is the number of those rows.
 */
#include <shoal/shoal.h>

#include <stdio.h>

typedef struct {
    float x, y;
} Position;

typedef struct {
    float x, y;
} Velocity;

typedef struct {
    int value;
} Health;

SHOAL_COMPONENT(Position, .version = 1, .fields = SHOAL_FIELDS(SHOAL_FIELD(Position, x), SHOAL_FIELD(Position, y)))
SHOAL_COMPONENT(Velocity, .version = 1, .fields = SHOAL_FIELDS(SHOAL_FIELD(Velocity, x), SHOAL_FIELD(Velocity, y)))
SHOAL_COMPONENT(Health, .version = 1, .fields = SHOAL_FIELDS(SHOAL_FIELD(Health, value)))
SHOAL_TAG(Frozen)

#define DELTA_TIME 0.1f

typedef struct move_scene {
    shoal_world *world;
    shoal_query *moving;
    shoal_entity player, bullet, building;
} move_scene;

/* A success does not clear the last error, so one look after all calls is enough. */
static bool scene_create(move_scene *scene) {
    shoal_world *world = shoal_world_create(NULL);
    if (world == NULL) {
        return false;
    }
    scene->world = world;
    scene->player = shoal_spawn(
        world, SHOAL_VALUES(SHOAL_VALUE(Position, 2, 3), SHOAL_VALUE(Velocity, 1, 0), SHOAL_VALUE(Health, 100)));
    scene->bullet = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 5, 8), SHOAL_VALUE(Velocity, 0, 10)));
    scene->building = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 9, 4), SHOAL_VALUE(Health, 500)));
    scene->moving = shoal_query_create(
        world,
        &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Velocity), SHOAL_WITHOUT(Frozen))});
    return shoal_last_error(world).status == SHOAL_OK;
}

static void move(const move_scene *scene) {
    shoal_view view;
    shoal_view_begin(&view, scene->moving);
    while (shoal_view_next(&view)) {
        Position *position = SHOAL_COLUMN_MUT(&view, Position);
        const Velocity *velocity = SHOAL_COLUMN(&view, Velocity);
        for (size_t i = 0; i < view.count; i++) {
            position[i].x += velocity[i].x * DELTA_TIME;
            position[i].y += velocity[i].y * DELTA_TIME;
        }
    }
}

static void print_place(const move_scene *scene, shoal_entity entity) {
    char text[32];
    const Position *position = SHOAL_GET(scene->world, entity, Position);
    snprintf(text, sizeof text, "(%.1f, %.1f)", (double)position->x, (double)position->y);
    printf("  %-12s", text);
}

static void print_frame(const move_scene *scene, int frame) {
    printf("%5d", frame);
    print_place(scene, scene->player);
    print_place(scene, scene->bullet);
    print_place(scene, scene->building);
    printf("  %llu\n", (unsigned long long)shoal_query_count(scene->moving));
}

static bool play(const move_scene *scene) {
    printf("frame  %-12s  %-12s  %-12s  moving\n", "player", "bullet", "building");
    print_frame(scene, 0);
    for (int frame = 1; frame <= 3; frame++) {
        move(scene);
        print_frame(scene, frame);
    }
    if (shoal_add(scene->world, scene->player, SHOAL_ID(Frozen), NULL) != SHOAL_OK) {
        return false;
    }
    printf("       the player is frozen\n");
    move(scene);
    print_frame(scene, 4);
    return true;
}

int main(void) {
    move_scene scene = {0};
    bool done = scene_create(&scene) && play(&scene);
    if (!done) {
        fprintf(stderr, "move: %s\n", shoal_last_error(scene.world).message);
    }
    shoal_world_destroy(scene.world);
    return done ? 0 : 1;
}
