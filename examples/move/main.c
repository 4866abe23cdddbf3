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
