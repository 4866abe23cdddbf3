/*
 * Moving rows; see row.h. The hot ones (row_move, row_remove) come in two forms made of one inline body: plain bytes,
 * and with hooks.
 */
#include "row.h"

#include <string.h>

/* Fill of memory that held rows, so that a stale pointer reads something that stands out. */
#define STALE_BYTE 0xDD

/* ---- one row ---- */

/* The last row of an archetype, which fills holes. */
typedef struct row_tail {
    chunk_ref *ref;
    uint32_t row;
    bool is_hole; /* it is the row that goes, so there is no hole */
} row_tail;

static ALWAYS_INLINE row_tail tail_of(const shoal_world *world, row_place place) {
    chunk_ref *ref = &place.archetype->chunks[place.archetype->chunk_count - 1];
    uint32_t row = ref->count - 1;
    row_tail tail = {.ref = ref, .row = row, .is_hole = ref->bits == place.chunk && row == place.row};
    /* The entity that will fill the hole: its record is the one line that cannot be known earlier. */
    PREFETCH_WRITE(index_at(&world->index, shoal_entity_index(chunk_entities(ref)[row])));
    return tail;
}

static ALWAYS_INLINE void value_relocate(const archetype_column *column, char *to, char *from, bool hooked) {
    if (hooked && column->hooked) {
        component_relocate(column->type, to, from, 1);
    } else {
        copy_value(to, from, column->byte_size);
    }
}

/* The entity column and the count, after the other columns have been filled. */
static ALWAYS_INLINE void tail_drop(shoal_world *world, row_place place, row_tail tail) {
    shoal_archetype *archetype = place.archetype;
    if (!tail.is_hole) {
        shoal_entity moved = chunk_entities(tail.ref)[tail.row];
        shoal_entity *entities =
            (shoal_entity *)(void *)((char *)index_chunk_address(place.chunk) + SHOAL_CHUNK_HEADER_BYTES);
        entities[place.row] = moved;
        index_place(index_at(&world->index, shoal_entity_index(moved)), place.chunk, archetype->index, place.row);
    }
    archetype->row_count--;
    tail.ref->count = tail.row;
    archetype->open = tail.ref;
    if (UNLIKELY(tail.row == 0)) {
        archetype_chunk_emptied(world, archetype);
    }
}

static ALWAYS_INLINE void remove_body(shoal_world *world, row_place place, bool hooked) {
    shoal_archetype *archetype = place.archetype;
    row_tail tail = tail_of(world, place);
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        const archetype_column *column = &archetype->columns[c];
        char *value = archetype_value(archetype, place.chunk, c, place.row);
        if (hooked && column->hooked) {
            component_end(column->type, value, 1);
        }
        if (!tail.is_hole) {
            value_relocate(column, value, archetype_value(archetype, tail.ref->bits, c, tail.row), hooked);
        }
    }
    tail_drop(world, place, tail);
}

void row_remove(shoal_world *world, row_place place) {
    if (LIKELY(!place.archetype->hooked)) {
        remove_body(world, place, false);
    } else {
        remove_body(world, place, true);
    }
}

/* Both archetypes have their columns by id, so one walk over both finds the pairs. */
static ALWAYS_INLINE void move_body(shoal_world *world, row_place from, shoal_archetype *target, bool hooked) {
    shoal_archetype *source = from.archetype;
    row_tail tail = tail_of(world, from);
    const uint32_t *from_offsets = source->layouts[from.chunk & INDEX_CHUNK_LOW_MASK];
    char *from_base = (char *)index_chunk_address(from.chunk);
    char *tail_base = chunk_base(tail.ref);
    const uint32_t *tail_offsets = tail.ref->offsets;
    char *to_base = chunk_base(target->open);
    const uint32_t *to_offsets = target->open->offsets;
    uint32_t to_row = target->open->count;
    uint32_t t = 0;
    for (uint32_t c = 0; c < source->column_count; c++) {
        const archetype_column *column = &source->columns[c];
        char *value = from_base + from_offsets[c] + (size_t)from.row * column->byte_size;
        while (t < target->column_count && target->ids[t] < source->ids[c]) {
            t++;
        }
        if (t < target->column_count && target->ids[t] == source->ids[c]) {
            value_relocate(column, to_base + to_offsets[t] + (size_t)to_row * column->byte_size, value, hooked);
        } else if (hooked && column->hooked) {
            component_end(column->type, value, 1);
        }
        if (!tail.is_hole) {
            value_relocate(column, value, tail_base + tail_offsets[c] + (size_t)tail.row * column->byte_size, hooked);
        }
    }
    tail_drop(world, from, tail);
}

void row_move(shoal_world *world, row_place from, shoal_archetype *target, shoal_entity entity, index_record *record) {
    if (LIKELY(!from.archetype->hooked)) {
        move_body(world, from, target, false);
    } else {
        move_body(world, from, target, true);
    }
    row_commit(target, entity, record);
}

/* ---- runs of rows ---- */

static void entities_place(shoal_world *world, const shoal_archetype *archetype, const chunk_ref *ref, uint32_t first,
                           uint32_t count) {
    const shoal_entity *entities = chunk_entities(ref) + first;
    for (uint32_t i = 0; i < count; i++) {
        index_place(index_at(&world->index, shoal_entity_index(entities[i])), ref->bits, archetype->index, first + i);
    }
}

void row_relocate(shoal_world *world, shoal_archetype *archetype, const chunk_ref *from, chunk_ref *to) {
    SHOAL_ASSERT(to->capacity - to->count >= from->count);
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        const archetype_column *column = &archetype->columns[c];
        component_relocate(column->type, chunk_base(to) + to->offsets[c] + (size_t)to->count * column->byte_size,
                           chunk_base(from) + from->offsets[c], from->count);
    }
    memcpy(chunk_entities(to) + to->count, chunk_entities(from), from->count * sizeof(shoal_entity));
    entities_place(world, archetype, to, to->count, from->count);
    to->count += from->count;
}

void row_move_run(shoal_world *world, shoal_archetype *source, const chunk_ref *from, uint32_t first, uint32_t count,
                  shoal_archetype *target) {
    chunk_ref *to = target->open;
    SHOAL_ASSERT(to->capacity - to->count >= count);
    uint32_t t = 0;
    for (uint32_t c = 0; c < source->column_count; c++) {
        const archetype_column *column = &source->columns[c];
        char *values = chunk_base(from) + from->offsets[c] + (size_t)first * column->byte_size;
        while (t < target->column_count && target->ids[t] < source->ids[c]) {
            t++;
        }
        if (t < target->column_count && target->ids[t] == source->ids[c]) {
            component_relocate(column->type, chunk_base(to) + to->offsets[t] + (size_t)to->count * column->byte_size,
                               values, count);
        } else {
            component_end(column->type, values, count);
        }
    }
    memcpy(chunk_entities(to) + to->count, chunk_entities(from) + first, count * sizeof(shoal_entity));
    entities_place(world, target, to, to->count, count);
    to->count += count;
    target->row_count += count;
    if (to->count == count) {
        target->chunk_count++;
        target->spare_count--;
    }
    archetype_find_open(target);
}

/* Gives back all chunks of an archetype whose rows have gone elsewhere. */
static void chunks_drop(shoal_world *world, shoal_archetype *archetype) {
    archetype->spare_count += archetype->chunk_count;
    archetype->chunk_count = 0;
    archetype->row_count = 0;
    for (uint32_t i = 0; i < archetype->spare_count; i++) {
        archetype->chunks[i].count = 0;
    }
    archetype_settle(world, archetype);
}

void row_move_all(shoal_world *world, shoal_archetype *source, shoal_archetype *target, row_write_new_fn write_new, void *user) {
    for (uint32_t i = 0; i < source->chunk_count; i++) {
        const chunk_ref *from = &source->chunks[i];
        for (uint32_t first = 0; first < from->count;) {
            const chunk_ref *to = target->open;
            uint32_t room = to->capacity - to->count;
            uint32_t count = from->count - first < room ? from->count - first : room;
            write_new(user, target, to, to->count, count);
            row_move_run(world, source, from, first, count, target);
            first += count;
        }
    }
    chunks_drop(world, source);
}

void row_end_values(shoal_archetype *archetype) {
    for (uint32_t i = 0; archetype->hooked && i < archetype->chunk_count; i++) {
        const chunk_ref *ref = &archetype->chunks[i];
        for (uint32_t c = 0; c < archetype->column_count; c++) {
            component_end(archetype->columns[c].type, chunk_base(ref) + ref->offsets[c], ref->count);
        }
    }
}

void row_remove_all(shoal_world *world, shoal_archetype *archetype) {
    row_end_values(archetype);
    for (uint32_t i = 0; i < archetype->chunk_count; i++) {
        const chunk_ref *ref = &archetype->chunks[i];
        const shoal_entity *entities = chunk_entities(ref);
        for (uint32_t row = 0; row < ref->count; row++) {
            index_give(&world->index, shoal_entity_index(entities[row]));
        }
    }
    chunks_drop(world, archetype);
}

/* ---- torture ---- */

COLD void row_shuffle_chunks(shoal_world *world, shoal_archetype *archetype) {
    for (uint32_t i = 0; i < archetype->chunk_count; i++) {
        chunk_ref *ref = &archetype->chunks[i];
        shoal_chunk *old = (shoal_chunk *)(void *)chunk_base(ref);
        shoal_chunk *fresh = pool_take(&world->pools, old->pool, archetype);
        if (fresh == NULL) {
            return; /* the torture is best effort */
        }
        chunk_ref moved = *ref;
        moved.bits = (uintptr_t)fresh | (ref->bits & INDEX_CHUNK_LOW_MASK);
        moved.count = 0;
        row_relocate(world, archetype, ref, &moved);
        *ref = moved;
        memset((char *)old + SHOAL_CHUNK_HEADER_BYTES, STALE_BYTE,
               pool_chunk_bytes(old->pool) - SHOAL_CHUNK_HEADER_BYTES);
        pool_give(&world->pools, old);
    }
}
