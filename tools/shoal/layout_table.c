/*
 * The text output of `shoal layout`; see layout_table.h.
 *
 *     part      size  align  offset   end  bytes
 *     (header)                    0    64     64
 *     (entity)     8     64      64  1040    976
 *     (gap)                    1040  1088     48
 *     Position    12     64    1088  2552   1464
 *
 * One line for each region in the order of the bytes, so that no byte of the chunk is without a line; tags
 * follow at the end. The width of the first column is counted in character cells, since names are UTF-8.
 */
#include "layout_table.h"

#include "utf8.h"

#include <stdio.h>
#include <string.h>

/* Widths of the name column and of the number columns. */
typedef struct table_widths {
    size_t name;
    int number;
} table_widths;

static const char *const region_names[] = {
    [REGION_HEADER] = "(header)", [REGION_ENTITY] = "(entity)", [REGION_GAP] = "(gap)", [REGION_TAIL] = "(tail)"};

static table_widths widths_find(const layout_plan *plan) {
    table_widths widths = {
        .name = strlen(region_names[REGION_HEADER]),
        .number = snprintf(NULL, 0, "%zu", plan->args->chunk.value),
    };
    if (widths.number < 6) {
        widths.number = 6;
    }
    for (size_t i = 0; i < plan->args->component_count; i++) {
        const layout_component *component = &plan->args->components[i];
        size_t width = utf8_width(component->name, component->name_length);
        widths.name = width > widths.name ? width : widths.name;
    }
    return widths;
}

static void name_print(const char *name, size_t length, size_t width) {
    size_t cells = utf8_width(name, length);
    printf("%.*s%*s", (int)length, name, (int)(width - cells), "");
}

/* The columns that only a real column of the chunk has. */
static void value_print(size_t byte_size, size_t alignment, int width) {
    size_t start = alignment > SHOAL_COLUMN_ALIGNMENT ? alignment : SHOAL_COLUMN_ALIGNMENT;
    printf("  %*zu  %*zu", width, byte_size, width, start);
}

static void region_print(const layout_plan *plan, const layout_region *region, table_widths widths) {
    if (region->kind == REGION_COLUMN) {
        const layout_component *component = &plan->args->components[region->component];
        name_print(component->name, component->name_length, widths.name);
        value_print(component->byte_size, component->alignment, widths.number);
    } else {
        const char *name = region_names[region->kind];
        name_print(name, strlen(name), widths.name);
        if (region->kind == REGION_ENTITY) {
            value_print(SHOAL_ENTITY_BYTES, SHOAL_ENTITY_BYTES, widths.number);
        } else {
            printf("  %*s  %*s", widths.number, "", widths.number, "");
        }
    }
    printf("  %*zu  %*zu  %*zu\n", widths.number, region->begin, widths.number, region->end, widths.number,
           region->end - region->begin);
}

static void tags_print(const layout_plan *plan, table_widths widths) {
    for (size_t i = 0; i < plan->args->component_count; i++) {
        const layout_component *component = &plan->args->components[i];
        if (component->byte_size == 0) {
            name_print(component->name, component->name_length, widths.name);
            printf("  %*d  a tag, takes no room\n", widths.number, 0);
        }
    }
}

static void regions_print(const layout_plan *plan) {
    static const char *const heads[] = {"size", "align", "offset", "end", "bytes"};
    table_widths widths = widths_find(plan);
    name_print("part", strlen("part"), widths.name);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        printf("  %*s", widths.number, heads[i]);
    }
    printf("\n");
    for (size_t i = 0; i < plan->region_count; i++) {
        region_print(plan, &plan->regions[i], widths);
    }
    tags_print(plan, widths);
}

void layout_table_print(const layout_plan *plan) {
    size_t unused = plan->layout.unused_bytes;
    size_t used = plan->args->chunk.value - unused;
    printf("chunk     %zu bytes\n", plan->args->chunk.value);
    printf("row       %zu bytes\n", plan->row_bytes);
    printf("capacity  %zu row%s\n\n", plan->layout.capacity, plan->layout.capacity == 1 ? "" : "s");
    regions_print(plan);
    printf("\nused      %zu bytes (%.2f%%)\n", used, layout_plan_percent(plan, used));
    printf("unused    %zu bytes (%.2f%%): header %d, gaps %zu, tail %zu\n", unused, layout_plan_percent(plan, unused),
           SHOAL_CHUNK_HEADER_BYTES, plan->gap_bytes, plan->tail_bytes);
}

void layout_lines_print(const layout_args *args, const shoal_layout_line_count *lines) {
    bool rows_larger = lines->row_line_bytes > lines->column_line_bytes;
    int width = snprintf(NULL, 0, "%zu", rows_larger ? lines->row_line_bytes : lines->column_line_bytes);
    width = width < 6 ? 6 : width;
    printf("%zu entit%s, records of %zu bytes of which a loop needs %zu, cache lines of 64 bytes\n\n",
           args->lines.value, args->lines.value == 1 ? "y" : "ies", args->record.value, args->fields.value);
    printf("%-16s  %*s  %*s  %6s\n", "stored as", width, "lines", width, "bytes", "used");
    printf("%-16s  %*zu  %*zu  %5.1f%%\n", "array of structs", width, lines->row_lines, width, lines->row_line_bytes,
           lines->row_used_percent);
    printf("%-16s  %*zu  %*zu  %5.1f%%\n", "columns", width, lines->column_lines, width, lines->column_line_bytes,
           lines->column_used_percent);
}
