/*
 * The component types of the benchmarks, and families of them that are made at run time: ten tags, ten components
 * of 64 bytes, and 26 of 4 bytes that exist to spread entities over archetypes.
 *
 * Velocities and the time step are powers of two: every sum of up to 2^24 steps is exact then, and the outcome of
 * any number of passes can be checked to the last bit.
 */
#ifndef BENCH_COMPONENTS_H
#define BENCH_COMPONENTS_H

#include <shoal/shoal.h>

typedef struct Position {
    float x, y, z;
} Position;

typedef struct Velocity {
    float x, y, z;
} Velocity;

typedef struct Health {
    int32_t points;
} Health;

typedef struct Charge {
    float value;
} Charge;

typedef struct Force {
    float x, y, z;
} Force;

typedef struct Home {
    float x, y, z;
} Home;

typedef struct Wide {
    float values[16];
} Wide;

SHOAL_COMPONENT_DECLARE(Position)
SHOAL_COMPONENT_DECLARE(Velocity)
SHOAL_COMPONENT_DECLARE(Health)
SHOAL_COMPONENT_DECLARE(Charge)
SHOAL_COMPONENT_DECLARE(Force)
SHOAL_COMPONENT_DECLARE(Home)
SHOAL_TAG_DECLARE(Frozen)

#define BENCH_VELOCITY ((Velocity){1, 2, 4})

enum { BENCH_TAGS = 10, BENCH_TAG_SETS = 1 << BENCH_TAGS, BENCH_WIDES = 10, BENCH_SPREADS = 26 };

typedef enum bench_family { BENCH_FAMILY_TAG, BENCH_FAMILY_WIDE, BENCH_FAMILY_SPREAD } bench_family;

/* Member `index` of a family, registered at its first use. */
shoal_component bench_family_member(bench_family family, size_t index);

/* A world with all defaults. */
shoal_world *bench_world_create(void);

/* Destroys it and checks that this worked. */
void bench_world_destroy(shoal_world *world);

/* An entity at (x, 0, 0) with BENCH_VELOCITY. */
shoal_entity bench_spawn(shoal_world *world, float x);

/* The same with those tags whose bits are set in `tag_set`, which is below BENCH_TAG_SETS. */
shoal_entity bench_spawn_tagged(shoal_world *world, float x, size_t tag_set);

/* Every entity with Position, for writing, and Velocity. */
shoal_query *bench_moving(shoal_world *world);

/* Sum of Position.x of every entity. */
double bench_sum_x(shoal_world *world);

#endif
