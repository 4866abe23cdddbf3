/*
 * A computed chunk, cut into regions; see layout_plan.h.
 *
 * The offsets come from shoal_layout_compute(); nothing here knows the layout rule. Gaps and the tail are
 * what lies between one column's end and the next one's offset.
 */
#include "layout_plan.h"

#include "command.h"
#include "report.h"

#include <stdlib.h>

/* Regions around the columns: header, entity column, tail. */
#define FIXED_REGIONS 3

static void region_append(layout_plan *plan, layout_region region) {
    if (region.begin < region.end) {
        plan->regions[plan->region_count++] = region;
    }
}

static void plan_cut_regions(layout_plan *plan) {
    const shoal_layout *layout = &plan->layout;
    region_append(plan, (layout_region){.kind = REGION_HEADER, .begin = 0, .end = layout->entity_offset});
    region_append(plan,
                  (layout_region){.kind = REGION_ENTITY, .begin = layout->entity_offset, .end = layout->entity_end});
    size_t cursor = layout->entity_end;
    for (size_t i = 0; i < plan->args->component_count; i++) {
        const shoal_layout_column *column = &plan->columns[i];
        if (column->size == 0) {
            continue;
        }
        plan->gap_bytes += column->offset - cursor;
        region_append(plan, (layout_region){.kind = REGION_GAP, .begin = cursor, .end = column->offset});
        region_append(
            plan, (layout_region){.kind = REGION_COLUMN, .component = i, .begin = column->offset, .end = column->end});
        cursor = column->end;
    }
    plan->tail_bytes = plan->args->chunk.value - cursor;
    region_append(plan, (layout_region){.kind = REGION_TAIL, .begin = cursor, .end = plan->args->chunk.value});
}

/* One row does not fit: says what would. */
static void report_too_large(layout_plan *plan) {
    size_t chunk_bytes = 64;
    while (chunk_bytes != 0 &&
           shoal_layout_compute(chunk_bytes, plan->columns, plan->args->component_count, &plan->layout) != SHOAL_OK) {
        chunk_bytes *= 2;
    }
    report_error("layout",
                 "one row does not fit into a chunk of %zu bytes; the smallest power of two that holds one is %zu",
                 plan->args->chunk.value, chunk_bytes);
}

int layout_plan_make(const layout_args *args, layout_plan *plan) {
    size_t count = args->component_count;
    *plan = (layout_plan){.args = args, .row_bytes = SHOAL_ENTITY_BYTES};
    plan->columns = calloc(count + 1, sizeof *plan->columns);
    plan->regions = calloc(2 * count + FIXED_REGIONS, sizeof *plan->regions);
    if (plan->columns == NULL || plan->regions == NULL) {
        report_error("layout", "out of memory");
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < count; i++) {
        plan->columns[i].size = args->components[i].byte_size;
        plan->columns[i].alignment = args->components[i].alignment;
        plan->row_bytes += args->components[i].byte_size;
    }
    shoal_status status = shoal_layout_compute(args->chunk.value, plan->columns, count, &plan->layout);
    if (status == SHOAL_ROW_TOO_LARGE) {
        report_too_large(plan);
        return EXIT_FAILED;
    }
    if (status != SHOAL_OK) {
        report_error("layout", "%s", shoal_status_sentence(status));
        return EXIT_FAILED;
    }
    plan_cut_regions(plan);
    return EXIT_DONE;
}

void layout_plan_release(layout_plan *plan) {
    free(plan->columns);
    free(plan->regions);
    plan->columns = NULL;
    plan->regions = NULL;
}

double layout_plan_percent(const layout_plan *plan, size_t part) {
    return 100.0 * (double)part / (double)plan->args->chunk.value;
}
