/*
 * The table of systems by their time.
 *
 *     system   runs     rows  last us  total ms  jobs  share %
 *     move      100  1000000   12.345     1.302   100     61.0
 *     spawner   100        0    8.100     0.832   100     39.0
 *     (sync)     20      400    3.210     0.066     0      0.0
 *
 * The last line is of sync points, with the commands that they applied as rows; it is there when some were applied.
 * Times are of all workers together, so a system may take longer than its step. Equal times: by registration.
 * Thread rule: world.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/text.h"
#include "schedule.h"

enum { COLUMN_RUNS, COLUMN_ROWS, COLUMN_LAST, COLUMN_TOTAL, COLUMN_JOBS, COLUMN_SHARE, COLUMN_COUNT };

/* What a column is called, and how many decimals its numbers have. */
static const struct {
    const char *title;
    unsigned decimals;
} columns[COLUMN_COUNT] = {{"runs", 0}, {"rows", 0}, {"last us", 3}, {"total ms", 3}, {"jobs", 0}, {"share %", 1}};

typedef struct table_row {
    const char *name;
    uint32_t number; /* of the system */
    uint64_t nanoseconds;
    uint64_t cells[COLUMN_COUNT]; /* in units of the last decimal */
} table_row;

static int row_compare(const void *left, const void *right) {
    const table_row *a = left;
    const table_row *b = right;
    if (a->nanoseconds != b->nanoseconds) {
        return a->nanoseconds > b->nanoseconds ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

static uint64_t ticks_ns(const shoal_schedule *schedule, uint64_t ticks) {
    return (uint64_t)((double)ticks * schedule->ns_per_tick);
}

/* Systems by their time, then sync points, if there were any. */
static void rows_fill(const shoal_schedule *schedule, table_row *rows) {
    uint64_t sync_ns = ticks_ns(schedule, schedule->sync_ticks);
    uint64_t sum = sync_ns;
    for (uint32_t i = 0; i < schedule->system_count; i++) {
        shoal_system_stats stats = system_stats_now(schedule->systems[i]);
        sum += stats.nanoseconds;
        rows[i] = (table_row){.name = schedule->systems[i]->name,
                              .number = i,
                              .nanoseconds = stats.nanoseconds,
                              .cells = {[COLUMN_RUNS] = stats.runs,
                                        [COLUMN_ROWS] = stats.rows,
                                        [COLUMN_LAST] = stats.last_ns,
                                        [COLUMN_TOTAL] = (stats.nanoseconds + 500) / 1000,
                                        [COLUMN_JOBS] = stats.jobs}};
    }
    for (uint32_t i = 0; i < schedule->system_count && sum != 0; i++) {
        rows[i].cells[COLUMN_SHARE] = (uint64_t)((double)rows[i].nanoseconds / (double)sum * 1000 + 0.5);
    }
    qsort(rows, schedule->system_count, sizeof *rows, row_compare);
    rows[schedule->system_count] =
        (table_row){.name = "(sync)",
                    .cells = {[COLUMN_RUNS] = schedule->stats.syncs,
                              [COLUMN_ROWS] = schedule->sync_commands,
                              [COLUMN_LAST] = ticks_ns(schedule, schedule->last_sync_ticks),
                              [COLUMN_TOTAL] = (sync_ns + 500) / 1000,
                              [COLUMN_SHARE] = sum != 0 ? (uint64_t)((double)sync_ns / (double)sum * 1000 + 0.5) : 0}};
}

static size_t cell_size(uint64_t value, unsigned decimals) {
    return decimals != 0 ? text_decimal_size(value, decimals) : text_digits(value);
}

static void put_cell(text_output *output, uint64_t value, unsigned decimals, size_t width) {
    text_put_spaces(output, width - cell_size(value, decimals));
    if (decimals != 0) {
        text_put_decimal(output, value, decimals);
    } else {
        text_put_u64(output, value);
    }
}

static void put_table(text_output *output, const table_row *rows, size_t count) {
    size_t name_width = strlen("system");
    size_t widths[COLUMN_COUNT];
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(rows[i].name);
        name_width = size > name_width ? size : name_width;
    }
    text_put_left(output, "system", name_width);
    for (size_t k = 0; k < COLUMN_COUNT; k++) {
        widths[k] = strlen(columns[k].title);
        for (size_t i = 0; i < count; i++) {
            size_t size = cell_size(rows[i].cells[k], columns[k].decimals);
            widths[k] = size > widths[k] ? size : widths[k];
        }
        text_put_right(output, columns[k].title, widths[k] + 2);
    }
    for (size_t i = 0; i < count && !output->failed; i++) {
        text_put_string(output, "\n");
        text_put_left(output, rows[i].name, name_width);
        for (size_t k = 0; k < COLUMN_COUNT; k++) {
            put_cell(output, rows[i].cells[k], columns[k].decimals, widths[k] + 2);
        }
    }
    text_put_string(output, "\n");
}

shoal_status shoal_schedule_table(shoal_world *world, shoal_write_fn write, void *user) {
    static const char call[] = "shoal_schedule_table";
    if (world == NULL || write == NULL) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_shared(world)) {
        return world_fail_shared(world, call);
    }
    const shoal_schedule *schedule = schedule_of(world);
    size_t count = schedule != NULL ? schedule->system_count : 0;
    size_t byte_size = (count + 1) * sizeof(table_row);
    table_row *rows = NULL;
    if (count != 0) {
        rows = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, byte_size, 16);
        if (rows == NULL) {
            return world_fail(world, memory_failure(&world->memory), call);
        }
        rows_fill(schedule, rows);
        count += schedule->stats.syncs != 0;
    }
    const char *outer = world_lock_enter(world, call);
    text_output output;
    text_start(&output, write, user);
    put_table(&output, rows, count);
    shoal_status status = text_finish(&output, world_error(world), call);
    world_lock_leave(world, outer);
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, rows, byte_size, 16);
    return status;
}
