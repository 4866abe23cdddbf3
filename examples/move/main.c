/*
 * Movement, the smallest story: a player, a bullet and a building in four frames of a tenth of a second.
 *
 * There are two systems. `move` wants Position and Velocity and refuses Frozen, so the building never moves, and the
 * player stops when it gets the tag: the rule stays the same, the set of rows that it applies to changes. `print`, in a
 * later phase, shows where all three are; its last column is the number of rows of `move`.
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

#define FRAME_NS 100000000u

static shoal_status move(const shoal_run *run, shoal_view *view) {
    Position *position = SHOAL_COLUMN_MUT(view, Position);
    const Velocity *velocity = SHOAL_COLUMN(view, Velocity);
    float dt = (float)run->dt;
    for (size_t i = 0; i < view->count; i++) {
        position[i].x += velocity[i].x * dt;
        position[i].y += velocity[i].y * dt;
    }
    return SHOAL_OK;
}

typedef struct move_scene {
    shoal_entity player, bullet, building;
    int frame;
} move_scene;

static void print_place(const shoal_run *run, shoal_entity entity) {
    char text[32];
    const Position *position = SHOAL_GET(run->world, entity, Position);
    snprintf(text, sizeof text, "(%.1f, %.1f)", (double)position->x, (double)position->y);
    printf("  %-12s", text);
}

static shoal_status print(const shoal_run *run) {
    move_scene *scene = run->user;
    printf("%5d", scene->frame++);
    print_place(run, scene->player);
    print_place(run, scene->bullet);
    print_place(run, scene->building);
    printf("  %llu\n", (unsigned long long)shoal_query_count(run->query));
    return SHOAL_OK;
}

/* A success does not clear the last error, so one look after all calls is enough. */
static bool scene_create(move_scene *scene, shoal_world *world) {
    scene->player = shoal_spawn(
        world, SHOAL_VALUES(SHOAL_VALUE(Position, 2, 3), SHOAL_VALUE(Velocity, 1, 0), SHOAL_VALUE(Health, 100)));
    scene->bullet = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 5, 8), SHOAL_VALUE(Velocity, 0, 10)));
    scene->building = shoal_spawn(world, SHOAL_VALUES(SHOAL_VALUE(Position, 9, 4), SHOAL_VALUE(Health, 500)));
    shoal_system_add(
        world, &(shoal_system_def){
                   .name = "move",
                   .each = move,
                   .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Velocity), SHOAL_WITHOUT(Frozen))},
               });
    shoal_system_add(
        world, &(shoal_system_def){
                   .name = "print",
                   .once = print,
                   .user = scene,
                   .phase = "output",
                   .thread = SHOAL_THREAD_MAIN,
                   .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_WITHOUT(Frozen))},
                   .lookups = SHOAL_TERMS(SHOAL_READ(Position)),
               });
    return shoal_last_error(world).status == SHOAL_OK;
}

/* A step of no time shows how it begins. */
static bool play(const move_scene *scene, shoal_world *world) {
    printf("frame  %-12s  %-12s  %-12s  moving\n", "player", "bullet", "building");
    bool done = shoal_world_step(world, 0) == SHOAL_OK;
    while (done && scene->frame <= 3) {
        done = shoal_world_step(world, FRAME_NS) == SHOAL_OK;
    }
    if (!done || shoal_add(world, scene->player, SHOAL_ID(Frozen), NULL) != SHOAL_OK) {
        return false;
    }
    printf("       the player is frozen\n");
    return shoal_world_step(world, FRAME_NS) == SHOAL_OK;
}

int main(void) {
    move_scene scene = {0};
    shoal_world *world = shoal_world_create(NULL);
    bool done = world != NULL && scene_create(&scene, world) && play(&scene, world);
    if (!done) {
        fprintf(stderr, "move: %s\n", shoal_last_error(world).message);
    }
    shoal_world_destroy(world);
    return done ? 0 : 1;
}
