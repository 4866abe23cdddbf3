/*
 * The spatial hash: who is near. Square cells over the box, at least as wide as two balls of the largest kind, so
 * that whoever touches a ball is in its cell or one of the eight around it. The balls are copied, sorted by cell:
 *
 *     balls   | cell 0 | cell 1 |        | cell 3 ...      cells row by row, so three cells side by side
 *     start     0        2        5 5      ...             are one run of balls
 *
 * In a cell balls come in the order of the query, on any number of threads.
 *
 * Grid is a unique that owns its memory, so it has hooks. It has no field table: what is in it follows from the balls,
 * and is no content of the world.
 * Thread rule: grid_build() from one system; look-ups from any thread while nobody builds.
 */
#ifndef BOUNCE_GRID_H
#define BOUNCE_GRID_H

#include "components.h"
#include "contact.h"

#define GRID_BANDS_MOST 64

typedef struct grid_ball {
    contact_body body;
    shoal_entity entity;
} grid_ball;

/* Rows of one chunk, as a view gives them. */
typedef struct grid_rows {
    const Position *position;
    const Velocity *velocity;
    const shoal_entity *entities;
    double radius;
    size_t count;
} grid_rows;

typedef struct Grid {
    double cell_size;
    size_t column_count, row_count;
    size_t band_row_count; /* cell rows of a band, the unit of the coarse sort; see grid.c */
    size_t band_count;
    uint32_t band_start[GRID_BANDS_MOST + 1]; /* band -> its first ball */
    grid_rows *rows;                          /* of the balls, as they lie in the world */
    size_t rows_count, rows_capacity;
    uint32_t *offsets; /* rows_count times band_count: where the balls of a band from these rows go */
    size_t offset_capacity;
    grid_ball *staged; /* the balls sorted by band */
    grid_ball *balls;  /* and by cell */
    size_t ball_count, ball_capacity;
    uint32_t *start; /* cell -> its first ball; one more at the end */
} Grid;

SHOAL_COMPONENT_DECLARE(Grid)

/* Lays out the cells of an empty grid for this box. OUT_OF_MEMORY. */
shoal_status grid_prepare(Grid *grid, const Box *box, double cell_size);

/* Sorts the balls of run->query, which reads Position, Velocity and Disc, on all workers. OUT_OF_MEMORY, and what a
   view says. */
shoal_status grid_build(Grid *grid, const shoal_run *run);

/* A run of balls. */
typedef struct grid_run {
    const grid_ball *first, *end;
} grid_run;

/* Fills `runs` with the balls near a position, in up to three runs; returns how many. */
size_t grid_near(const Grid *grid, const Position *position, grid_run runs[3]);

#endif
