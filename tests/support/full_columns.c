/*
 * The operation of the model test of all kinds that spawns many entities at once: values for all, columns with a value
 * for each row, and a callback that fills columns in place; see full_model.h. The reference world spawns the same rows
 * one after the other.
 */
#include "full_model.h"

#include "naive_compare.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 40
#define COLUMNS_MAX 3

/* Columns with a value for each row, in both forms. */
typedef struct column_draw {
    size_t row_count;
    size_t count;
    full_value naive[COLUMNS_MAX][ROWS_MAX];
    full_real held[COLUMNS_MAX][ROWS_MAX];
    uint64_t elements[COLUMNS_MAX][ROWS_MAX];
    shoal_span spans[COLUMNS_MAX][ROWS_MAX];
    shoal_link links[COLUMNS_MAX][ROWS_MAX];
    shoal_value real[COLUMNS_MAX];
    bool filled;
    size_t rows_seen;
} column_draw;

static bool is_filled(const column_draw *columns, size_t column) {
    full_type type = columns->naive[column][0].type;
    return columns->filled && full_is(type, SHOAL_STORAGE_TABLE) && full_is_writable(type) &&
           columns->real[column].data == NULL;
}

static void column_make(full_model *m, column_draw *columns, full_type type) {
    size_t column = columns->count++;
    full_rules rules = {0};
    bool given = rng_chance(&m->rig.random, 60) || full_is(type, SHOAL_STORAGE_RELATION);
    for (size_t row = 0; row < columns->row_count; row++) {
        full_value value = full_draw_value(m, &rules, type);
        value.has_data = full_is(type, SHOAL_STORAGE_RELATION) ? value.has_data : given;
        columns->naive[column][row] = value;
        full_real_make(&columns->held[column][row], &value);
        if (full_is_owning(type) && columns->held[column][row].made != 0) {
            full_write(type, value.payload, &columns->elements[column][row]); /* an object of the row's own */
        } else {
            columns->elements[column][row] = columns->held[column][row].elements[0];
        }
        columns->spans[column][row] = columns->held[column][row].span;
        columns->links[column][row] = columns->held[column][row].link;
    }
    const void *data = columns->elements[column];
    data = full_is(type, SHOAL_STORAGE_BUFFER) ? (const void *)columns->spans[column] : data;
    data = full_is(type, SHOAL_STORAGE_RELATION) ? (const void *)columns->links[column] : data;
    columns->real[column] = (shoal_value){full_component(type), given && columns->row_count > 0 ? data : NULL};
}

static void columns_draw(full_model *m, column_draw *columns, full_mask excluded) {
    columns->row_count = rng_below(&m->rig.random, rng_chance(&m->rig.random, 10) ? ROWS_MAX : 8);
    columns->filled = rng_chance(&m->rig.random, 50);
    full_mask taken = excluded;
    full_rules rules = {0};
    for (uint32_t wanted = rng_below(&m->rig.random, COLUMNS_MAX + 1); wanted > 0; wanted--) {
        full_type type = full_draw_type(m, &rules);
        bool fits = !full_is(type, SHOAL_STORAGE_SHARED) && !full_is(type, SHOAL_STORAGE_CHUNK) &&
                    !full_def(type)->split; /* all rows of a bulk have one of these */
        if (fits && (taken & full_bit(type)) == 0) {
            taken |= full_bit(type);
            column_make(m, columns, type);
        }
    }
}

static void columns_end(column_draw *columns) {
    for (size_t column = 0; column < columns->count; column++) {
        for (size_t row = 0; row < columns->row_count; row++) {
            full_real *held = &columns->held[column][row];
            bool own = full_is_owning(held->type) && held->made != 0;
            if (own) {
                full_end(held->type, &columns->elements[column][row]);
            }
            full_real_end(held);
        }
    }
}

static void fill_rows(void *user, size_t first, size_t count, const shoal_entity *entities, void *const *real) {
    column_draw *columns = user;
    assert_count(first, columns->rows_seen);
    assert_true(count > 0 && entities != NULL);
    columns->rows_seen += count;
    for (size_t column = 0; column < columns->count; column++) {
        full_type type = columns->naive[column][0].type;
        for (size_t row = 0; row < count && is_filled(columns, column); row++) {
            full_write(type, columns->naive[column][first + row].payload, (uint64_t *)real[column] + row);
        }
    }
}

/* The same rows, one after the other, in the reference world; all or none. */
static naive_outcome spawn_rows(full_model *m, const full_set_of *set, const column_draw *columns,
                                const shoal_entity *made) {
    full_world before;
    full_copy(&before, &m->full);
    bool too_many = columns->row_count > slots_left(&m->full.slots);
    naive_outcome outcome = 0;
    for (size_t row = 0; row < columns->row_count && outcome == 0; row++) {
        full_value values[FULL_VALUES_MAX];
        memcpy(values, set->naive, set->count * sizeof *values);
        for (size_t column = 0; column < columns->count; column++) {
            full_value value = columns->naive[column][row];
            value.has_data = value.has_data || is_filled(columns, column);
            values[set->count + column] = value;
        }
        shoal_entity expected;
        outcome = full_spawn(&m->full, values, set->count + columns->count, &expected);
        if (outcome == 0 && made != NULL) {
            assert_entity(made[row], expected);
        }
    }
    if (outcome != 0) {
        full_free(&m->full);
        m->full = before;
    } else {
        full_free(&before);
    }
    return outcome | (too_many ? NAIVE_ERROR(SHOAL_ENTITY_LIMIT) : 0);
}

void full_op_spawn_many(full_model *m) {
    full_rules rules = {.max_count = 4};
    full_set_of set;
    full_set_draw(m, &set, &rules);
    full_mask taken = 0;
    for (size_t i = 0; i < set.count; i++) {
        taken |= full_bit(set.naive[i].type);
    }
    column_draw *columns = calloc(1, sizeof *columns);
    assert_non_null(columns);
    columns_draw(m, columns, taken);
    shoal_entity made[ROWS_MAX];
    shoal_spawn_many_def def = {.count = columns->row_count,
                                .values = set.real,
                                .value_count = set.count,
                                .columns = columns->real,
                                .column_count = columns->count,
                                .fill = columns->filled ? fill_rows : NULL,
                                .user = columns,
                                .entities = made};
    rig_arm(&m->rig);
    shoal_status status = shoal_spawn_many(m->rig.world, &def);
    if (!rig_ran_out(&m->rig, status)) {
        naive_outcome outcome = spawn_rows(m, &set, columns, status == SHOAL_OK ? made : NULL);
        compare_outcome(m->rig.world, status, outcome, "shoal_spawn_many");
    }
    columns_end(columns);
    free(columns);
    full_set_end(&set);
}
