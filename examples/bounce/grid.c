/*
 * A counting sort in two passes, so that all workers take part and none has a table of all cells for itself.
 *
 *     rows of chunk 0, 1, ...  --count, place-->  bands (some cell rows each)  --count, place-->  cells
 *
 * The first pass runs over the chunks, each of which counts its balls for each of at most 64 bands; from the counts
 * follows where each chunk puts them. The second runs over the bands, each of which has its part of `start` and of
 * `balls` to itself. Both keep the order of those that fall together. So where a ball comes to lie follows from the
 * balls alone.
 */
#include "grid.h"

#include <stdlib.h>

/* A copy begins empty: what is in it is sorted afresh in each step. */
static bool grid_copy(void *values, const void *source, size_t count, void *user) {
    Grid *grids = values;
    (void)source;
    (void)user;
    for (size_t i = 0; i < count; i++) {
        grids[i] = (Grid){0};
    }
    return true;
}

static void grid_drop(void *values, size_t count, void *user) {
    Grid *grids = values;
    (void)user;
    for (size_t i = 0; i < count; i++) {
        free(grids[i].rows);
        free(grids[i].offsets);
        free(grids[i].staged);
        free(grids[i].balls);
        free(grids[i].start);
    }
}

SHOAL_COMPONENT_DEFINE(Grid, .version = 1, .storage = SHOAL_STORAGE_UNIQUE, .copy = grid_copy, .dtor = grid_drop)

/* ---- cells ---- */

static size_t cells_along(double length, double cell_size) {
    size_t count = (size_t)(length / cell_size);
    return count > 0 ? count : 1;
}

shoal_status grid_prepare(Grid *grid, const Box *box, double cell_size) {
    size_t columns = cells_along(box->width, cell_size), rows = cells_along(box->height, cell_size);
    uint32_t *start = calloc(columns * rows + 1, sizeof *start);
    if (start == NULL) {
        return SHOAL_OUT_OF_MEMORY;
    }
    free(grid->start);
    grid->start = start;
    grid->cell_size = cell_size;
    grid->column_count = columns;
    grid->row_count = rows;
    grid->band_row_count = (rows + GRID_BANDS_MOST - 1) / GRID_BANDS_MOST;
    grid->band_count = (rows + grid->band_row_count - 1) / grid->band_row_count;
    return SHOAL_OK;
}

/* What lies beyond the last cell belongs to it: the cells need not divide the box. */
static size_t cell_along(double at, double cell_size, size_t count) {
    if (!(at > 0.0)) {
        return 0;
    }
    double number = at / cell_size;
    return number < (double)count ? (size_t)number : count - 1;
}

static size_t row_of(const Grid *grid, double y) {
    return cell_along(y, grid->cell_size, grid->row_count);
}

static size_t cell_of(const Grid *grid, const contact_body *body) {
    return row_of(grid, body->y) * grid->column_count + cell_along(body->x, grid->cell_size, grid->column_count);
}

/* ---- memory ---- */

/* Makes room for `count` elements, whose values are not kept. */
static bool reserve(void **array, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) {
        return true;
    }
    free(*array);
    *array = malloc(count * size);
    *capacity = *array != NULL ? count : 0;
    return *array != NULL;
}

static bool reserve_balls(Grid *grid) {
    size_t staged_capacity = grid->ball_capacity;
    void *balls = grid->balls, *staged = grid->staged, *offsets = grid->offsets;
    bool is_done = reserve(&staged, &staged_capacity, grid->ball_count, sizeof *grid->staged);
    is_done = reserve(&balls, &grid->ball_capacity, grid->ball_count, sizeof *grid->balls) && is_done;
    is_done = reserve(&offsets, &grid->offset_capacity, grid->rows_count * grid->band_count, sizeof *grid->offsets) &&
              is_done;
    grid->balls = balls;
    grid->staged = staged;
    grid->offsets = offsets;
    grid->ball_capacity = staged_capacity < grid->ball_capacity ? staged_capacity : grid->ball_capacity;
    return is_done;
}

static bool add_rows(Grid *grid, const grid_rows *rows) {
    if (grid->rows_count == grid->rows_capacity) {
        size_t capacity = grid->rows_capacity > 0 ? 2 * grid->rows_capacity : 64;
        grid_rows *grown = realloc(grid->rows, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        grid->rows = grown;
        grid->rows_capacity = capacity;
    }
    grid->rows[grid->rows_count++] = *rows;
    grid->ball_count += rows->count;
    return true;
}

static shoal_status collect_rows(Grid *grid, shoal_query *query) {
    shoal_view view;
    grid->rows_count = grid->ball_count = 0;
    shoal_status status = shoal_view_begin(&view, query);
    while (status == SHOAL_OK && shoal_view_next(&view)) {
        grid_rows rows = {SHOAL_COLUMN(&view, Position), SHOAL_COLUMN(&view, Velocity), view.entities,
                          SHOAL_ONE(&view, Disc)->radius, view.count};
        if (!add_rows(grid, &rows)) {
            status = SHOAL_OUT_OF_MEMORY;
        }
    }
    shoal_view_end(&view);
    return status;
}

/* ---- first pass: from the rows to the bands ---- */

static size_t band_of(const Grid *grid, double y) {
    return row_of(grid, y) / grid->band_row_count;
}

static void count_bands(void *data, size_t first, size_t end) {
    const Grid *grid = data;
    for (size_t r = first; r < end; r++) {
        const grid_rows *rows = &grid->rows[r];
        uint32_t *counts = grid->offsets + r * grid->band_count;
        for (size_t band = 0; band < grid->band_count; band++) {
            counts[band] = 0;
        }
        for (size_t i = 0; i < rows->count; i++) {
            counts[band_of(grid, rows->position[i].y)]++;
        }
    }
}

/* Turns counts into places: band by band, in each the rows in their order. */
static void place_bands(Grid *grid) {
    uint32_t place = 0;
    for (size_t band = 0; band < grid->band_count; band++) {
        grid->band_start[band] = place;
        for (size_t r = 0; r < grid->rows_count; r++) {
            uint32_t *offset = &grid->offsets[r * grid->band_count + band];
            uint32_t count = *offset;
            *offset = place;
            place += count;
        }
    }
    grid->band_start[grid->band_count] = place;
    grid->start[grid->row_count * grid->column_count] = place;
}

static void fill_bands(void *data, size_t first, size_t end) {
    const Grid *grid = data;
    for (size_t r = first; r < end; r++) {
        const grid_rows *rows = &grid->rows[r];
        uint32_t *offsets = grid->offsets + r * grid->band_count;
        for (size_t i = 0; i < rows->count; i++) {
            const Position *position = &rows->position[i];
            const Velocity *velocity = &rows->velocity[i];
            grid_ball *ball = &grid->staged[offsets[band_of(grid, position->y)]++];
            ball->body = (contact_body){position->x, position->y, velocity->x, velocity->y, rows->radius};
            ball->entity = rows->entities[i];
        }
    }
}

/* ---- second pass: from the bands to the cells ---- */

/* Turns counts into places. */
static void place_cells(uint32_t *start, size_t first, size_t end, uint32_t place) {
    for (size_t cell = first; cell < end; cell++) {
        uint32_t count = start[cell];
        start[cell] = place;
        place += count;
    }
}

static void sort_band(const Grid *grid, size_t band) {
    size_t first_row = band * grid->band_row_count, end_row = first_row + grid->band_row_count;
    end_row = end_row < grid->row_count ? end_row : grid->row_count;
    size_t first = first_row * grid->column_count, end = end_row * grid->column_count;
    uint32_t *start = grid->start, from = grid->band_start[band], to = grid->band_start[band + 1];
    for (size_t cell = first; cell < end; cell++) {
        start[cell] = 0;
    }
    for (size_t i = from; i < to; i++) {
        start[cell_of(grid, &grid->staged[i].body)]++;
    }
    place_cells(start, first, end, from);
    for (size_t i = from; i < to; i++) {
        grid->balls[start[cell_of(grid, &grid->staged[i].body)]++] = grid->staged[i];
    }
    /* Each cell has moved on to its end, which is where the next one begins. */
    for (size_t cell = end - 1; cell > first; cell--) {
        start[cell] = start[cell - 1];
    }
    start[first] = from;
}

static void sort_bands(void *data, size_t first, size_t end) {
    for (size_t band = first; band < end; band++) {
        sort_band(data, band);
    }
}

/* ---- building and looking up ---- */

shoal_status grid_build(Grid *grid, const shoal_run *run) {
    shoal_status status = collect_rows(grid, run->query);
    if (status == SHOAL_OK && !reserve_balls(grid)) {
        status = SHOAL_OUT_OF_MEMORY;
    }
    status = status == SHOAL_OK ? shoal_run_parallel(run, grid->rows_count, 1, count_bands, grid) : status;
    if (status != SHOAL_OK) {
        return status;
    }
    place_bands(grid);
    status = shoal_run_parallel(run, grid->rows_count, 1, fill_bands, grid);
    return status == SHOAL_OK ? shoal_run_parallel(run, grid->band_count, 1, sort_bands, grid) : status;
}

size_t grid_near(const Grid *grid, const Position *position, grid_run runs[3]) {
    size_t row = row_of(grid, position->y);
    size_t column = cell_along(position->x, grid->cell_size, grid->column_count);
    size_t left = column > 0 ? column - 1 : 0;
    size_t right = column + 1 < grid->column_count ? column + 1 : column;
    size_t last = row + 1 < grid->row_count ? row + 1 : row;
    size_t count = 0;
    for (row = row > 0 ? row - 1 : 0; row <= last; row++) {
        const uint32_t *start = grid->start + row * grid->column_count;
        runs[count++] = (grid_run){grid->balls + start[left], grid->balls + start[right + 1]};
    }
    return count;
}
