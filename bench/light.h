/*
 * Eight light systems over rows of 48 bytes, by hand and in a world. Each reads one or two columns of 12 bytes and
 * writes one, with one to three operations a number, so that what they cost is the memory they go through.
 *
 *     pull   Force    = (Home - Position) / 16       ease   Force    -= Force / 4
 *     drag   Force   -= Velocity / 8                 push   Velocity += Force / 64
 *     damp   Velocity -= Velocity / 64               move   Position += Velocity / 64
 *     keep   Position inside of a cube               drift  Home     += (Position - Home) / 256
 *
 * One after the other they read 168 bytes a row and write 96; strip by strip, each strip by all of them while it is in
 * the first-level cache, 48 and 48. All factors are powers of two, so a product is exact and it does not matter
 * whether the compiler fuses it with the sum behind it: every way of running them comes to the same bits.
 */
#ifndef BENCH_LIGHT_H
#define BENCH_LIGHT_H

#include <shoal/schedule.h>

#include "components.h"
#include "threads.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One of the eight, over rows from `first` to before `end` of arrays. Unused columns may be NULL. */
typedef struct light_columns {
    Position *positions;
    Velocity *velocities;
    Force *forces;
    Home *homes;
} light_columns;

typedef enum light_system {
    LIGHT_PULL,
    LIGHT_DRAG,
    LIGHT_EASE,
    LIGHT_PUSH,
    LIGHT_DAMP,
    LIGHT_MOVE,
    LIGHT_KEEP,
    LIGHT_DRIFT,
    LIGHT_SYSTEMS
} light_system;

void light_system_over(const light_columns *columns, light_system which, size_t first, size_t end);

/* The same as a system of a world. */
void light_system_add(shoal_world *world, light_system which);

/* True when that row of `columns` is exactly the first row of `right`, in the columns that `right` has. */
bool light_row_is(const light_columns *columns, size_t row, const light_columns *right);

/* ---- arrays ---- */

/* Rows of a strip by hand. */
enum { LIGHT_STRIP_ROWS = 512 };

typedef struct light_arrays light_arrays;

typedef enum light_manner {
    LIGHT_EACH,  /* one after the other over all rows */
    LIGHT_STRIPS /* strip by strip */
} light_manner;

/* `count` rows for the first `systems` of the eight. */
light_arrays *light_arrays_create(size_t count, size_t systems);

/* One step; on two threads, or on the caller alone for NULL. */
void light_arrays_step(light_arrays *arrays, light_manner manner, bench_threads *threads);

/* Checks every row and frees it all. */
void light_arrays_finish(light_arrays *arrays);

/* ---- a world ---- */

typedef struct light_world light_world;

/* The same in a world whose schedule has these settings. */
light_world *light_world_create(size_t count, size_t systems, const shoal_schedule_def *settings);

/* One step. */
void light_world_step(light_world *light);

/* How many of the systems are fused. */
size_t light_world_fused(const light_world *light);

/* Checks every row and destroys the world. */
void light_world_finish(light_world *light);

#ifdef __cplusplus
}
#endif

#endif
