/*
 * The memory report as text: what shoal_world_memory() says, then what lies outside of rows, then the archetypes, the
 * worst used first.
 *
 *     outside of rows
 *       component  kind    count  value bytes
 *       Target     sparse     12           48
 *
 *     archetypes, the worst used first
 *       chunks  rows  capacity  used  unused  used %  components
 *            1     1        48    20    1004     1.9  Health + Frozen
 *
 * "Used" is the share of an archetype's chunks that live rows fill. Equal shares: the one that wastes more first, then
 * the older; an archetype without chunks wastes nothing and comes last. The order is total, so the same world gives the
 * same text. Scratch memory for the sort is taken before the first write and is not in the report. The world is locked
 * while the writer runs. Thread rule: world.
 */
#include <shoal/print.h>

#include <string.h>

#include "../base/text.h"
#include "../storage/store.h"

/* A line of a section; a value of 0 is shown as `zero` where that is given. */
typedef struct memory_entry {
    const char *name;
    uint64_t value;
    const char *zero;
} memory_entry;

/* The archetypes as they are printed. */
typedef struct archetype_list {
    shoal_archetype_info *infos;
    size_t count;
    size_t shown_count;
} archetype_list;

#define NUMBER_COLUMN_COUNT 5
#define SHARE_TITLE "used %"

static const char *const column_titles[NUMBER_COLUMN_COUNT] = {"chunks", "rows", "capacity", "used", "unused"};

/* ---- sections of names and numbers ---- */

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static void put_section(text_output *output, const char *title, const memory_entry *entries, size_t count) {
    size_t name_width = 0;
    size_t value_width = 0;
    for (size_t i = 0; i < count; i++) {
        name_width = larger(name_width, strlen(entries[i].name));
        value_width = larger(value_width, text_digits(entries[i].value));
        value_width = larger(value_width, entries[i].zero != NULL ? strlen(entries[i].zero) : 0);
    }
    text_put_string(output, "\n");
    text_put_string(output, title);
    text_put_string(output, "\n");
    for (size_t i = 0; i < count; i++) {
        text_put_string(output, "  ");
        text_put_left(output, entries[i].name, name_width + 2);
        if (entries[i].value == 0 && entries[i].zero != NULL) {
            text_put_right(output, entries[i].zero, value_width);
        } else {
            text_put_right_u64(output, entries[i].value, value_width);
        }
        text_put_string(output, "\n");
    }
}

static void put_purposes(text_output *output, const shoal_memory_report *report) {
    memory_entry entries[SHOAL_PURPOSE_COUNT + 3];
    size_t count = 0;
    for (; count < SHOAL_PURPOSE_COUNT; count++) {
        entries[count] =
            (memory_entry){shoal_purpose_name((shoal_purpose)count), (uint64_t)report->purpose_bytes[count], NULL};
    }
    entries[count++] = (memory_entry){"total", report->total_bytes, NULL};
    entries[count++] = (memory_entry){"peak", report->peak_bytes, NULL};
    entries[count++] = (memory_entry){"limit", report->limit_bytes, "none"};
    put_section(output, "bytes by purpose", entries, count);
}

static void put_chunks(text_output *output, const shoal_memory_report *report) {
    const memory_entry entries[] = {{"all", report->chunk_bytes, NULL},
                                    {"live rows", report->chunk_used_bytes, NULL},
                                    {"headers, gaps, free rows", report->chunk_unused_bytes, NULL},
                                    {"chunks in the pools", report->pool_free_bytes, NULL}};
    put_section(output, "bytes of chunks", entries, sizeof entries / sizeof entries[0]);
}

static void put_counts(text_output *output, const shoal_memory_report *report) {
    const memory_entry entries[] = {{"entities", report->entity_count, NULL},
                                    {"slots", report->slot_count, NULL},
                                    {"retired slots", report->retired_slot_count, NULL},
                                    {"archetypes", report->archetype_count, NULL},
                                    {"chunks", report->chunk_count, NULL},
                                    {"queries", report->query_count, NULL},
                                    {"sparse values", report->sparse_count, NULL},
                                    {"relations", report->relation_count, NULL},
                                    {"shared values", report->shared_value_count, NULL},
                                    {"buffers on the heap", report->buffer_heap_count, NULL},
                                    {"dying entities", report->dying_count, NULL}};
    put_section(output, "counts", entries, sizeof entries / sizeof entries[0]);
}

/* ---- what lies outside of rows ---- */

/* A line of the table; `value_bytes` counts the values or data alone, not what finds them. */
typedef struct outside_line {
    const char *name;
    const char *kind;
    uint64_t count;
    uint64_t value_bytes; /* 0 of what has no data */
} outside_line;

static const outside_line outside_titles = {.name = "component", .kind = "kind"};
#define OUTSIDE_COUNT "count"
#define OUTSIDE_BYTES "value bytes"

/* What the world has of a component outside of rows: how many values, links or distinct values. */
static uint64_t outside_count(const shoal_world *world, const component_type *type) {
    switch (type->def.storage) {
    case SHOAL_STORAGE_SPARSE:
        return store_at(world, type->id) != NULL ? store_sparse(world, type->id)->count : 0;
    case SHOAL_STORAGE_RELATION:
        return store_at(world, type->id) != NULL ? store_relation(world, type->id)->link_count : 0;
    case SHOAL_STORAGE_SHARED:
        return store_at(world, type->id) != NULL ? store_shared(world, type->id)->count : 0;
    case SHOAL_STORAGE_UNIQUE:
        return unique_find(&world->uniques, type->id) != NULL;
    default:
        return 0;
    }
}

/* One above the ids of all components that have something outside of rows. */
static uint32_t outside_end(const shoal_world *world) {
    const unique_table *uniques = &world->uniques;
    uint32_t unique_end = uniques->count != 0 ? uniques->entries[uniques->count - 1].id + 1 : 1;
    return unique_end > world->store_capacity ? unique_end : world->store_capacity;
}

/* Goes to the next line, by id, from *id = 0 on; false at the end. The last one is for the buffers of all types, since
   they are not counted by type. */
static bool outside_next(const shoal_world *world, uint32_t *id, outside_line *line) {
    uint32_t end = outside_end(world);
    while (++*id < end) {
        const component_type *type = component_type_find(*id);
        uint64_t count = type != NULL ? outside_count(world, type) : 0;
        if (count != 0) {
            *line = (outside_line){type->def.name, component_storage_name(type->def.storage), count,
                                   count * type->def.size};
            return true;
        }
    }
    *line = (outside_line){"all buffers", "heap", world->memory.buffer_heap_count, world->memory.buffer_heap_bytes};
    return *id == end && line->count != 0;
}

/* Widths of the four columns; false when there is no line. */
static bool outside_measure(const shoal_world *world, size_t widths[4]) {
    widths[0] = strlen(outside_titles.name);
    widths[1] = strlen(outside_titles.kind);
    widths[2] = strlen(OUTSIDE_COUNT);
    widths[3] = strlen(OUTSIDE_BYTES);
    bool has_lines = false;
    outside_line line;
    for (uint32_t id = 0; outside_next(world, &id, &line); has_lines = true) {
        widths[0] = larger(widths[0], strlen(line.name));
        widths[1] = larger(widths[1], strlen(line.kind));
        widths[2] = larger(widths[2], text_digits(line.count));
        widths[3] = larger(widths[3], text_digits(line.value_bytes));
    }
    return has_lines;
}

static void put_outside_names(text_output *output, const outside_line *line, const size_t widths[4]) {
    text_put_string(output, "  ");
    text_put_left(output, line->name, widths[0] + 2);
    text_put_left(output, line->kind, widths[1] + 2);
}

static void put_outside(text_output *output, const shoal_world *world) {
    size_t widths[4];
    if (!outside_measure(world, widths)) {
        return;
    }
    text_put_string(output, "\noutside of rows\n");
    put_outside_names(output, &outside_titles, widths);
    text_put_right(output, OUTSIDE_COUNT, widths[2]);
    text_put_right(output, OUTSIDE_BYTES, widths[3] + 2);
    text_put_string(output, "\n");
    outside_line line;
    for (uint32_t id = 0; !output->failed && outside_next(world, &id, &line);) {
        put_outside_names(output, &line, widths);
        text_put_right_u64(output, line.count, widths[2]);
        if (line.value_bytes != 0) {
            text_put_right_u64(output, line.value_bytes, widths[3] + 2);
        } else {
            text_put_right(output, "-", widths[3] + 2);
        }
        text_put_string(output, "\n");
    }
}

/* ---- the order of the archetypes ---- */

static double used_share(const shoal_archetype_info *info) {
    double byte_count = (double)info->used_bytes + (double)info->unused_bytes;
    return byte_count != 0 ? (double)info->used_bytes / byte_count : 2;
}

static bool is_worse(const shoal_archetype_info *a, const shoal_archetype_info *b) {
    double a_share = used_share(a);
    double b_share = used_share(b);
    if (a_share != b_share) {
        return a_share < b_share;
    }
    return a->unused_bytes != b->unused_bytes ? a->unused_bytes > b->unused_bytes : a->cursor < b->cursor;
}

/* Shell's sort with Knuth's gaps: in place, while qsort() may allocate behind the world's back. */
static void sort_worst_first(shoal_archetype_info *infos, size_t count) {
    size_t gap = 1;
    while (gap < count / 3) {
        gap = gap * 3 + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (size_t i = gap; i < count; i++) {
            shoal_archetype_info info = infos[i];
            size_t place = i;
            for (; place >= gap && is_worse(&info, &infos[place - gap]); place -= gap) {
                infos[place] = infos[place - gap];
            }
            infos[place] = info;
        }
    }
}

static void list_fill(archetype_list *list, const shoal_world *world) {
    shoal_archetype_info info = {0};
    for (size_t i = 0; i < list->count && shoal_archetype_next(world, &info); i++) {
        list->infos[i] = info;
    }
    sort_worst_first(list->infos, list->count);
}

/* ---- the table of archetypes ---- */

static uint64_t column_value(const shoal_archetype_info *info, size_t column) {
    const uint64_t values[NUMBER_COLUMN_COUNT] = {info->chunk_count, info->row_count, info->row_capacity,
                                                  info->used_bytes, info->unused_bytes};
    return values[column];
}

/* Per cent with one digit, cut and not rounded, so that 100.0 means all. */
static void put_share(text_output *output, const shoal_archetype_info *info) {
    uint64_t byte_count = (uint64_t)info->used_bytes + info->unused_bytes;
    if (byte_count == 0) {
        text_put_right(output, "-", strlen(SHARE_TITLE));
        return;
    }
    uint64_t permille = (uint64_t)(used_share(info) * 1000);
    text_put_right_u64(output, permille / 10, strlen(SHARE_TITLE) - 2);
    text_put_string(output, ".");
    text_put_u64(output, permille % 10);
}

static void put_components(text_output *output, const shoal_archetype_info *info) {
    for (size_t i = 0; i < info->component_count; i++) {
        text_put_string(output, i > 0 ? " + " : "");
        text_put_string(output, component_type_at(info->components[i].id)->def.name);
    }
    text_put_string(output, info->component_count == 0 ? "no components" : "");
}

static void put_archetype(text_output *output, const shoal_archetype_info *info, const size_t *widths) {
    for (size_t column = 0; column < NUMBER_COLUMN_COUNT; column++) {
        text_put_string(output, "  ");
        text_put_right_u64(output, column_value(info, column), widths[column]);
    }
    text_put_string(output, "  ");
    put_share(output, info);
    text_put_string(output, "  ");
    put_components(output, info);
    text_put_string(output, "\n");
}

static void put_titles(text_output *output, const size_t *widths) {
    text_put_string(output, "\narchetypes, the worst used first\n");
    for (size_t column = 0; column < NUMBER_COLUMN_COUNT; column++) {
        text_put_string(output, "  ");
        text_put_right(output, column_titles[column], widths[column]);
    }
    text_put_string(output, "  " SHARE_TITLE "  components\n");
}

static void put_archetypes(text_output *output, const archetype_list *list) {
    size_t widths[NUMBER_COLUMN_COUNT];
    for (size_t column = 0; column < NUMBER_COLUMN_COUNT; column++) {
        widths[column] = strlen(column_titles[column]);
        for (size_t i = 0; i < list->shown_count; i++) {
            widths[column] = larger(widths[column], text_digits(column_value(&list->infos[i], column)));
        }
    }
    put_titles(output, widths);
    for (size_t i = 0; i < list->shown_count && !output->failed; i++) {
        put_archetype(output, &list->infos[i], widths);
    }
    if (list->shown_count < list->count) {
        text_put_string(output, "  ");
        text_put_u64(output, list->count - list->shown_count);
        text_put_string(output, " of ");
        text_put_u64(output, list->count);
        text_put_string(output, " archetypes are left out\n");
    }
}

/* ---- public ---- */

static void put_report(text_output *output, const shoal_world *world, const shoal_memory_report *report,
                       const archetype_list *list) {
    text_put_string(output, "memory of world ");
    text_put_quoted(output, world->name, strlen(world->name));
    text_put_string(output, "\n");
    put_purposes(output, report);
    put_chunks(output, report);
    put_counts(output, report);
    put_outside(output, world);
    put_archetypes(output, list);
}

shoal_status shoal_print_memory(shoal_world *world, size_t max_archetypes, shoal_write_fn write, void *user) {
    static const char call[] = "shoal_print_memory";
    if (world == NULL) {
        return error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, call);
    }
    if (write == NULL) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_shared(world)) {
        return world_fail_shared(world, call);
    }
    shoal_memory_report report;
    (void)shoal_world_memory(world, &report);
    archetype_list list = {.count = report.archetype_count};
    list.shown_count = max_archetypes != 0 && max_archetypes < list.count ? max_archetypes : list.count;
    size_t byte_size = list.count * sizeof *list.infos;
    list.infos = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, byte_size, _Alignof(shoal_archetype_info));
    if (list.infos == NULL) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    list_fill(&list, world);
    const char *outer = world_lock_enter(world, call);
    text_output output;
    text_start(&output, write, user);
    put_report(&output, world, &report, &list);
    shoal_status status = text_finish(&output, world_error(world), call);
    world_lock_leave(world, outer);
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, list.infos, byte_size, _Alignof(shoal_archetype_info));
    return status;
}
