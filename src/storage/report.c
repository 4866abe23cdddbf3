/*
 * What a world holds: the memory report and the walk over archetypes. Thread rule: read.
 */
#include "store.h"

static size_t archetype_used_bytes(const shoal_archetype *archetype) {
    return (size_t)archetype->row_count * archetype->row_bytes;
}

static uint64_t slot_count(const entity_index *index) {
    uint64_t count = 0;
    for (uint32_t page = 0; page < index->page_count; page++) {
        count += index->pages[page] != index_empty_page ? INDEX_PAGE_SLOTS : 0;
    }
    return count;
}

/* ---- the parts of the report ---- */

static void report_archetypes(const shoal_world *world, shoal_memory_report *report) {
    for (uint32_t age = 0; age < world->archetype_count; age++) {
        const shoal_archetype *archetype = world->by_age[age];
        report->chunk_count += archetype->chunk_count;
        report->chunk_bytes += archetype_chunk_bytes(archetype);
        report->chunk_used_bytes += archetype_used_bytes(archetype);
        report->dying_count += archetype->hidden & ARCHETYPE_DYING ? archetype->row_count : 0;
    }
    report->chunk_unused_bytes = report->chunk_bytes - report->chunk_used_bytes;
}

static void report_stores(const shoal_world *world, shoal_memory_report *report) {
    for (uint32_t id = 1; id < world->store_capacity; id++) {
        if (world->stores[id] == NULL) {
            continue;
        }
        switch (component_type_at(id)->def.storage) {
        case SHOAL_STORAGE_SPARSE:
            report->sparse_count += store_sparse(world, id)->count;
            break;
        case SHOAL_STORAGE_RELATION:
            report->relation_count += store_relation(world, id)->link_count;
            break;
        case SHOAL_STORAGE_SHARED:
            report->shared_value_count += store_shared(world, id)->count;
            break;
        default:
            break; /* has no store */
        }
    }
}

/* ---- public ---- */

shoal_status shoal_world_memory(const shoal_world *world, shoal_memory_report *report) {
    if (world == NULL || report == NULL) {
        return world_fail_reader(world, SHOAL_INVALID_ARGUMENT, "shoal_world_memory", (shoal_entity){0},
                                 (shoal_component){0});
    }
    const shoal_memory counts = memory_counts(&world->memory);
    *report = (shoal_memory_report){
        .total_bytes = counts.total,
        .peak_bytes = counts.peak,
        .limit_bytes = counts.limit,
        .entity_count = world->index.live_count,
        .slot_count = slot_count(&world->index),
        .retired_slot_count = world->index.retired_count,
        .archetype_count = world->archetype_count,
        .pool_free_bytes = pools_free_bytes(&world->pools),
        .buffer_heap_count = counts.buffer_heap_count,
        .buffer_heap_bytes = counts.buffer_heap_bytes,
    };
    for (int purpose = 0; purpose < SHOAL_PURPOSE_COUNT; purpose++) {
        report->purpose_bytes[purpose] = counts.purposes[purpose];
    }
    for (const archetype_watcher *watcher = world->watchers; watcher != NULL; watcher = watcher->next) {
        report->query_count++;
    }
    report_archetypes(world, report);
    report_stores(world, report);
    return SHOAL_OK;
}

bool shoal_archetype_next(const shoal_world *world, shoal_archetype_info *info) {
    if (world == NULL || info == NULL || info->cursor >= world->archetype_count) {
        return false;
    }
    const shoal_archetype *archetype = world->by_age[info->cursor];
    *info = (shoal_archetype_info){
        /* shoal_component is a struct of one uint32_t. */
        .components = (const shoal_component *)(const void *)archetype->ids,
        .component_count = archetype->component_count,
        .chunk_count = archetype->chunk_count,
        .row_count = archetype->row_count,
        .row_capacity = archetype->row_capacity,
        .used_bytes = archetype_used_bytes(archetype),
        .unused_bytes = archetype_chunk_bytes(archetype) - archetype_used_bytes(archetype),
        .cursor = info->cursor + 1,
    };
    return true;
}
