/*
 * shoal_world_validate(): walks everything and checks every invariant that the heads of the storage files name.
 * The first one that does not hold is reported with its place. Thread rule: world.
 */
#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "store.h"
#include "world.h"

#define REASON_BYTES 256
#define SHARED_KEYS_CHECKED 64u

typedef struct validation {
    shoal_world *world;
    char reason[REASON_BYTES];
} validation;

#define REFUSE(check_, ...) ((void)snprintf((check_)->reason, REASON_BYTES, __VA_ARGS__), false)

/* "placed": each row's entity has a record that names exactly this row. */
static bool rows_are_placed(validation *check, const shoal_archetype *archetype, const chunk_ref *ref) {
    const entity_index *index = &check->world->index;
    const shoal_entity *entities = chunk_entities(ref);
    for (uint32_t row = 0; row < ref->count; row++) {
        const index_record *record = index_find(index, entities[row]);
        if (record == NULL) {
            return REFUSE(check, "archetype %u, row %u: the entity is not alive", archetype->index, row);
        }
        if (record->chunk != ref->bits || index_row(record->place) != row ||
            index_archetype(record->place) != archetype->index) {
            return REFUSE(check, "archetype %u, row %u: entity %u is recorded at archetype %u, row %u",
                          archetype->index, row, shoal_entity_index(entities[row]), index_archetype(record->place),
                          index_row(record->place));
        }
    }
    return true;
}

/* The offsets in use are those of the layout function, and every column is aligned. */
static bool columns_are_laid_out(validation *check, const shoal_archetype *archetype, const chunk_ref *ref) {
    const shoal_chunk *chunk = (const shoal_chunk *)(const void *)chunk_base(ref);
    size_t end = SHOAL_CHUNK_HEADER_BYTES + ref->capacity * (size_t)SHOAL_ENTITY_BYTES;
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        size_t alignment = archetype->columns[c].type->value_alignment;
        alignment = alignment < SHOAL_COLUMN_ALIGNMENT ? SHOAL_COLUMN_ALIGNMENT : alignment;
        if (ref->offsets[c] != align_up(end, alignment) ||
            ((uintptr_t)(chunk_base(ref) + ref->offsets[c]) & (alignment - 1)) != 0) {
            return REFUSE(check, "archetype %u: column %u starts at the wrong place", archetype->index, c);
        }
        end = ref->offsets[c] + ref->capacity * (size_t)archetype->columns[c].byte_size;
    }
    if (end > pool_chunk_bytes(chunk->pool)) {
        return REFUSE(check, "archetype %u: columns reach beyond the chunk", archetype->index);
    }
    return true;
}

/* Enable bits are set for rows only. */
static bool bits_are_bounded(validation *check, const shoal_archetype *archetype, const chunk_ref *ref) {
    for (uint32_t i = 0; i < archetype->more->toggle_count; i++) {
        const uint64_t *words = archetype_bits(archetype, ref->bits, i);
        for (uint32_t row = ref->count; row < ref->capacity; row++) {
            if ((words[row / 64] >> (row % 64)) & 1) {
                return REFUSE(check, "archetype %u: enable bit of row %u is set, but there are %u rows",
                              archetype->index, row, ref->count);
            }
        }
    }
    return true;
}

/* Buffers are in the chunk when they fit. */
static bool cells_are_sound(validation *check, const shoal_archetype *archetype, const chunk_ref *ref) {
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        const archetype_column *column = &archetype->columns[c];
        for (uint32_t row = 0; column->type->def.storage == SHOAL_STORAGE_BUFFER && row < ref->count; row++) {
            const char *cell = chunk_base(ref) + ref->offsets[c] + (size_t)row * column->byte_size;
            if (!buffer_validate(column->type, cell, check->reason, REASON_BYTES)) {
                return false;
            }
        }
    }
    return true;
}

/* "dense" for one chunk, and that its header and its reference agree. */
static bool chunk_is_sound(validation *check, const shoal_archetype *archetype, uint32_t number) {
    const chunk_ref *ref = &archetype->chunks[number];
    const shoal_chunk *chunk = (const shoal_chunk *)(const void *)chunk_base(ref);
    bool last = number + 1 == archetype->chunk_count;
    if (ref->count == 0 || ref->count > ref->capacity || (!last && ref->count != ref->capacity)) {
        return REFUSE(check, "archetype %u, chunk %u of %u: %u rows of %u", archetype->index, number,
                      archetype->chunk_count, ref->count, ref->capacity);
    }
    uint32_t ordinal = (uint32_t)(ref->bits & INDEX_CHUNK_LOW_MASK);
    if (chunk->archetype != archetype || chunk->pool != archetype->first_pool + ordinal ||
        ref->offsets != archetype_layout(archetype, ordinal) || ordinal >= archetype->layout_count ||
        ref->capacity != ref->offsets[archetype->column_count]) {
        return REFUSE(check, "archetype %u, chunk %u: header and reference disagree", archetype->index, number);
    }
    return columns_are_laid_out(check, archetype, ref) && bits_are_bounded(check, archetype, ref) &&
           cells_are_sound(check, archetype, ref) && rows_are_placed(check, archetype, ref);
}

static bool components_are_sound(validation *check, const shoal_archetype *archetype) {
    for (uint32_t i = 0; i < archetype->component_count; i++) {
        if (archetype_find(archetype, archetype->ids[i]) != i ||
            (i > 0 && !archetype_id_before(archetype->ids[i - 1], archetype->ids[i]))) {
            return REFUSE(check, "archetype %u: component %u is out of order or not found", archetype->index, i);
        }
    }
    uint64_t keys[SHARED_KEYS_CHECKED];
    uint32_t key_count = archetype->more->shared_count;
    for (uint32_t i = 0; i < key_count && i < SHARED_KEYS_CHECKED; i++) {
        keys[i] = archetype->more->shared[i].key;
    }
    archetype_set set = {
        .ids = archetype->ids, .count = archetype->component_count, .keys = keys, .key_count = key_count};
    if (key_count <= SHARED_KEYS_CHECKED && archetype_lookup(check->world, set) != archetype) {
        return REFUSE(check, "archetype %u is not found by its set", archetype->index);
    }
    return true;
}

static bool archetype_is_sound(validation *check, const shoal_archetype *archetype, uint64_t *chunks) {
    uint64_t rows = 0, capacity = 0;
    for (uint32_t i = 0; i < archetype->chunk_count; i++) {
        if (!chunk_is_sound(check, archetype, i)) {
            return false;
        }
        const chunk_ref *ref = &archetype->chunks[i];
        rows += ref->count;
        capacity += ref->capacity;
    }
    *chunks += archetype->chunk_count;
    const chunk_ref *last = archetype->chunk_count > 0 ? &archetype->chunks[archetype->chunk_count - 1] : NULL;
    const chunk_ref *open = last != NULL && last->count < last->capacity ? last : NULL;
    if (rows != archetype->row_count || capacity != archetype->row_capacity || archetype->spare_count != 0 ||
        archetype->reserved_rows != 0 || archetype->open != open) {
        return REFUSE(check, "archetype %u: counts are wrong, or spare chunks were left", archetype->index);
    }
    return components_are_sound(check, archetype);
}

static bool archetypes_are_sound(validation *check) {
    const shoal_world *world = check->world;
    uint64_t rows = 0, chunks = 0, taken = 0;
    for (uint32_t age = 0; age < world->archetype_count; age++) {
        const shoal_archetype *archetype = world->by_age[age];
        if (world->archetypes[archetype->index] != archetype) {
            return REFUSE(check, "archetype %u is not where its index says", archetype->index);
        }
        if (!archetype_is_sound(check, archetype, &chunks)) {
            return false;
        }
        rows += archetype->row_count;
    }
    for (uint32_t i = 0; i < POOL_COUNT; i++) {
        taken += world->pools.pools[i].chunk_count - world->pools.pools[i].free_count;
    }
    if (rows != world->index.live_count) {
        return REFUSE(check, "%llu rows, but %llu entities alive", (unsigned long long)rows,
                      (unsigned long long)world->index.live_count);
    }
    if (chunks != taken) {
        return REFUSE(check, "archetypes have %llu chunks, but %llu are taken from the pools",
                      (unsigned long long)chunks, (unsigned long long)taken);
    }
    return true;
}

/* The edges in the lists of archetypes with keys: each from the right one. */
static bool lists_count(validation *check, uint32_t *listed) {
    for (uint32_t age = 0; age < check->world->archetype_count; age++) {
        const shoal_archetype *archetype = check->world->by_age[age];
        for (const shoal_transition *edge = archetype->more->from; edge != NULL;
             edge = transition_more_of(edge)->from.next, ++*listed) {
            if (edge->source != archetype) {
                return REFUSE(check, "an edge is in the list of an archetype that it does not lead from");
            }
        }
        for (const shoal_transition *edge = archetype->more->to; edge != NULL;
             edge = transition_more_of(edge)->to.next, ++*listed) {
            if (edge->target != archetype) {
                return REFUSE(check, "an edge is in the list of an archetype that it does not lead to");
            }
        }
    }
    return true;
}

static bool edges_are_sound(validation *check) {
    const transition_table *table = &check->world->transitions;
    uint32_t count = 0;
    uint32_t ends_with_keys = 0;
    uint32_t listed = 0;
    for (uint32_t i = 0; i < table->bucket_count; i++) {
        for (const shoal_transition *edge = table->buckets[i]; edge != NULL; edge = edge->next) {
            count++;
            if (check->world->archetypes[edge->source->index] != edge->source ||
                check->world->archetypes[edge->target->index] != edge->target) {
                return REFUSE(check, "an edge names an archetype that is gone");
            }
            ends_with_keys += edge->source->more->shared_count != 0;
            ends_with_keys += edge->target->more->shared_count != 0;
        }
    }
    if (!lists_count(check, &listed)) {
        return false;
    }
    if (listed != ends_with_keys) {
        return REFUSE(check, "%u edges are listed by archetypes with keys, but %u lead there", listed, ends_with_keys);
    }
    return count == table->count || REFUSE(check, "%u edges, but %u are counted", count, table->count);
}

static bool bytes_are_counted(validation *check) {
    const shoal_memory *memory = &check->world->memory;
    size_t sum = 0;
    for (int purpose = 0; purpose < SHOAL_PURPOSE_COUNT; purpose++) {
        sum += memory->purposes[purpose];
    }
    if (sum != memory->total || memory->total > memory->peak || (memory->limit != 0 && memory->total > memory->limit)) {
        return REFUSE(check, "%zu bytes in all, but %zu by purpose, peak %zu", memory->total, sum, memory->peak);
    }
    return true;
}

static bool watchers_are_sound(validation *check) {
    for (archetype_watcher *watcher = check->world->watchers; watcher != NULL; watcher = watcher->next) {
        if (!watcher->validate(watcher, check->reason, REASON_BYTES)) {
            return false;
        }
    }
    return true;
}

shoal_status shoal_world_validate(shoal_world *world) {
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, "shoal_world_validate");
    }
    if (world->is_half_way || world_is_shared(world)) {
        return world_fail_locked(world, "shoal_world_validate");
    }
    validation check = {.world = world};
    archetype_flush_left(world);
    bool sound = index_validate(&world->index, check.reason, REASON_BYTES) &&
                 pools_validate(&world->pools, check.reason, REASON_BYTES) && archetypes_are_sound(&check) &&
                 edges_are_sound(&check) && bytes_are_counted(&check) && watchers_are_sound(&check) &&
                 stores_validate(world, check.reason, REASON_BYTES) &&
                 unique_validate(&world->uniques, check.reason, REASON_BYTES) &&
                 name_validate(&world->names, check.reason, REASON_BYTES);
    return sound ? SHOAL_OK
                 : error_detail(world_error(world), SHOAL_CORRUPT, "shoal_world_validate", "%s", check.reason);
}
