/*
 * Rows by handle, for SHOAL_HASH_CANONICAL: every entity by slot, and what its row has by the names of its components.
 *
 *     handle | set | value of the first component, its enable bit | of the second | ... | next entity
 *
 * The set is one number for each archetype, made beforehand: the hash of its components' names in their order and of
 * the shared values among them. It says what follows, so nothing else about the archetype is needed. Links of split
 * relations lie in their store as those of any relation, and are no part of it.
 *
 * Rows are anywhere in memory, seen by slot. So they are taken in batches: first all records of a batch, which fetches
 * the lines of the rows, then the rows. Thread rule: that of hash.h.
 */
#include "hash.h"

#include "../storage/row.h"

#define BATCH_ROWS 32u
#define FETCHED_PARTS 4u /* columns that are fetched; a batch of more would push its own lines out */

typedef enum part_kind {
    PART_BYTES, /* a column whose values are put in one piece */
    PART_FIELDS,
    PART_BUFFER,
    PART_CHUNK_VALUE,
    PART_BIT
} part_kind;

/* A piece of a row. */
typedef struct row_part {
    const component_type *type;
    uint32_t number; /* of the column, of the chunk value, of the column of bits */
    uint32_t stride; /* bytes from row to row */
    part_kind kind;
    hash_way way; /* of a buffer and a chunk value */
} row_part;

typedef struct archetype_plan {
    uint64_t set;
    const row_part *parts;
    size_t part_count;
} archetype_plan;

struct hash_plans {
    size_t byte_size;
    archetype_plan by_index[]; /* by the archetype's index; the parts of all lie behind */
};

/* ---- plans ---- */

/* A component has at most two parts: its value and its bit. */
static size_t most_parts(const shoal_archetype *archetype) {
    return (size_t)archetype->component_count + archetype->more->toggle_count;
}

static void set_put_type(hash_stream *stream, const shoal_archetype *archetype, const component_type *type) {
    hash_put_u64(stream, type->hash);
    if (type->def.storage == SHOAL_STORAGE_SHARED) {
        uint32_t number = archetype_shared_number(archetype, type->id);
        hash_put_value(stream, type, hash_way_of(type), archetype->more->shared[number].value);
    }
}

/* The part that the value of a component makes; false when there is none to put. */
static bool value_part(const shoal_archetype *archetype, const component_type *type, row_part *part) {
    hash_way way = hash_way_of(type);
    *part = (row_part){.type = type, .way = way, .stride = type->value_size};
    if (type->def.storage == SHOAL_STORAGE_CHUNK) {
        part->kind = PART_CHUNK_VALUE;
        part->number = archetype_chunk_number(archetype, type->id);
        return way != HASH_NOTHING;
    }
    if (!type->has_column) {
        return false;
    }
    part->number = archetype_find(archetype, type->id);
    if (type->def.storage == SHOAL_STORAGE_BUFFER) {
        part->kind = PART_BUFFER;
        return true;
    }
    part->kind = way == HASH_BYTES ? PART_BYTES : PART_FIELDS;
    return way != HASH_NOTHING;
}

static size_t parts_make(const shoal_archetype *archetype, const component_type *const *types, row_part *parts) {
    size_t count = 0;
    for (size_t i = 0; i < archetype->component_count; i++) {
        count += value_part(archetype, types[i], &parts[count]);
        uint32_t toggle = types[i]->def.toggle ? archetype_toggle(archetype, types[i]->id) : ARCHETYPE_NONE;
        if (toggle != ARCHETYPE_NONE) {
            parts[count++] = (row_part){.type = types[i], .kind = PART_BIT, .number = toggle};
        }
    }
    return count;
}

static archetype_plan plan_make(hash_stream *stream, const shoal_archetype *archetype, const component_type **types,
                                row_part *parts) {
    for (size_t i = 0; i < archetype->component_count; i++) {
        types[i] = component_type_at(archetype->ids[i]);
    }
    hash_sort_types(types, archetype->component_count);
    hash_stream_start(stream);
    for (size_t i = 0; i < archetype->component_count; i++) {
        if (types[i]->def.storage != SHOAL_STORAGE_RELATION) {
            set_put_type(stream, archetype, types[i]);
        }
    }
    return (archetype_plan){
        .set = hash_stream_finish(stream), .parts = parts, .part_count = parts_make(archetype, types, parts)};
}

shoal_status hash_plans_create(shoal_world *world, hash_stream *stream, const component_type **types,
                               hash_plans **plans) {
    size_t part_count = 1; /* value_part() writes before it says that there is none */
    for (uint32_t i = 0; i < world->archetype_count; i++) {
        part_count += most_parts(world->by_age[i]);
    }
    size_t head = sizeof(hash_plans) + world->archetype_capacity * sizeof(archetype_plan);
    size_t byte_size = head + part_count * sizeof(row_part);
    hash_plans *made = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, byte_size, _Alignof(archetype_plan));
    if (made == NULL) {
        return memory_failure(&world->memory);
    }
    made->byte_size = byte_size;
    row_part *parts = (row_part *)(void *)((char *)made + head);
    for (uint32_t i = 0; i < world->archetype_count; i++) {
        const shoal_archetype *archetype = world->by_age[i];
        if (archetype->row_count != 0) {
            made->by_index[archetype->index] = plan_make(stream, archetype, types, parts);
            parts += made->by_index[archetype->index].part_count;
        }
    }
    *plans = made;
    return SHOAL_OK;
}

void hash_plans_destroy(shoal_world *world, hash_plans *plans) {
    if (plans != NULL) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, plans, plans->byte_size, _Alignof(archetype_plan));
    }
}

/* ---- rows ---- */

/* One entity of a batch. */
typedef struct batch_row {
    uint64_t handle;
    const archetype_plan *plan;
    const uint32_t *offsets;
    row_place place;
} batch_row;

static NOINLINE void put_part(hash_stream *stream, const batch_row *at, const row_part *part) {
    const shoal_archetype *archetype = at->place.archetype;
    uintptr_t chunk = at->place.chunk;
    uint32_t row = at->place.row;
    const char *cell;
    switch (part->kind) {
    case PART_BYTES:
    case PART_FIELDS:
        cell = archetype_value(archetype, chunk, part->number, row);
        hash_put_value(stream, part->type, part->way, cell);
        break;
    case PART_BUFFER:
        cell = archetype_value(archetype, chunk, part->number, row);
        hash_put_buffer(stream, part->type, part->way, cell);
        break;
    case PART_CHUNK_VALUE:
        cell = archetype_chunk_value(archetype, chunk, part->number);
        hash_put_value(stream, part->type, part->way, cell);
        break;
    case PART_BIT: {
        char bit = (archetype_bits(archetype, chunk, part->number)[row / 64] >> (row % 64)) & 1;
        hash_put(stream, &bit, 1);
        break;
    }
    }
}

static ALWAYS_INLINE void put_row(hash_stream *stream, const batch_row *at) {
    const uint64_t head[2] = {at->handle, at->plan->set};
    hash_put(stream, head, sizeof head);
    const char *base = (const char *)index_chunk_address(at->place.chunk);
    const row_part *part = at->plan->parts;
    for (const row_part *end = part + at->plan->part_count; part < end; part++) {
        if (LIKELY(part->kind == PART_BYTES)) {
            hash_put(stream, base + at->offsets[part->number] + (size_t)at->place.row * part->stride, part->stride);
        } else {
            put_part(stream, at, part);
        }
    }
}

/* Finds the row of a record and fetches its first lines. */
static ALWAYS_INLINE void row_seek(batch_row *at, const shoal_world *world, const hash_plans *plans,
                                   const index_record *record) {
    at->place = row_of(world, record);
    at->plan = &plans->by_index[index_archetype(record->place)];
    at->offsets = archetype_layout(at->place.archetype, at->place.chunk);
    const char *base = (const char *)index_chunk_address(at->place.chunk);
    size_t fetched = at->plan->part_count < FETCHED_PARTS ? at->plan->part_count : FETCHED_PARTS;
    for (size_t i = 0; i < fetched; i++) {
        const row_part *part = &at->plan->parts[i];
        if (part->kind <= PART_BUFFER) {
            PREFETCH(base + at->offsets[part->number] + (size_t)at->place.row * part->stride);
        }
    }
}

static void put_batch(hash_stream *stream, const shoal_world *world, const hash_plans *plans, uint32_t first_slot) {
    const index_record *records = index_at(&world->index, first_slot);
    batch_row rows[BATCH_ROWS];
    size_t count = 0;
    for (uint32_t i = 0; i < BATCH_ROWS; i++) {
        if (records[i].chunk != 0) {
            rows[count].handle =
                index_handle(&world->index, first_slot + i, (uint32_t)(records[i].place & INDEX_GENERATION_MASK)).bits &
                HASH_HANDLE_MASK;
            row_seek(&rows[count++], world, plans, &records[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        put_row(stream, &rows[i]);
    }
}

void hash_put_entities(hash_stream *stream, const shoal_world *world, const hash_plans *plans) {
    for (uint32_t page = 0; page < world->index.page_count; page++) {
        if (world->index.pages[page] == index_empty_page) {
            continue;
        }
        for (uint32_t slot = 0; slot < INDEX_PAGE_SLOTS; slot += BATCH_ROWS) {
            put_batch(stream, world, plans, (page << INDEX_PAGE_BITS) + slot);
        }
    }
    hash_put_u64(stream, 0);
}
