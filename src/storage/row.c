/*
 * Moving rows; see row.h. The hot ones (row_move, row_remove) come in two forms made of one inline body: plain bytes,
 * and with hooks.
 */
#include "row.h"

#include <string.h>

/* ---- one row ---- */

/* A row that goes, and the last row of its archetype, which fills the hole. */
typedef struct row_hole {
    char *base; /* of the chunk with the hole */
    const uint32_t *offsets;
    char *tail_base;
    const uint32_t *tail_offsets;
    uint32_t row;
    uint32_t tail_row;
    bool is_tail; /* the row that goes is the last one: there is no hole */
} row_hole;

static ALWAYS_INLINE row_hole hole_of(const shoal_world *world, row_place place) {
    const shoal_archetype *archetype = place.archetype;
    const chunk_ref *tail = &archetype->chunks[archetype->chunk_count - 1];
    row_hole hole = {.base = (char *)index_chunk_address(place.chunk),
                     .offsets = archetype_layout(archetype, place.chunk),
                     .tail_base = chunk_base(tail),
                     .tail_offsets = tail->offsets,
                     .row = place.row,
                     .tail_row = tail->count - 1};
    hole.is_tail = hole.base == hole.tail_base && hole.row == hole.tail_row;
    /* The record of the entity that fills the hole is the one line that nobody could know earlier. */
    PREFETCH_WRITE(index_at(&world->index, shoal_entity_index(chunk_entities(tail)[hole.tail_row])));
    return hole;
}

static ALWAYS_INLINE void value_relocate(const archetype_column *column, char *to, char *from, size_t byte_size,
                                         bool hooked) {
    if (hooked && column->hooked) {
        component_relocate(column->type, to, from, 1);
    } else {
        copy_value(to, from, byte_size);
    }
}

/* Fills one column of the hole. */
static ALWAYS_INLINE void hole_fill(const row_hole *hole, const archetype_column *columns, uint32_t c, char *value,
                                    size_t byte_size, bool hooked) {
    if (LIKELY(!hole->is_tail)) {
        char *from = hole->tail_base + hole->tail_offsets[c] + hole->tail_row * byte_size;
        value_relocate(&columns[c], value, from, byte_size, hooked);
    }
}

/* The entity column and the count, after the other columns have been filled. */
static ALWAYS_INLINE void hole_close(shoal_world *world, row_place place, const row_hole *hole) {
    shoal_archetype *archetype = place.archetype;
    if (LIKELY(!hole->is_tail)) {
        shoal_entity *entities = (shoal_entity *)(void *)(hole->base + SHOAL_CHUNK_HEADER_BYTES);
        shoal_entity moved = ((shoal_entity *)(void *)(hole->tail_base + SHOAL_CHUNK_HEADER_BYTES))[hole->tail_row];
        entities[hole->row] = moved;
        index_place(index_at(&world->index, shoal_entity_index(moved)), place.chunk, archetype->index, hole->row);
    }
    chunk_ref *tail = &archetype->chunks[archetype->chunk_count - 1];
    archetype->row_count--;
    tail->count = hole->tail_row;
    archetype->open = tail;
    if (UNLIKELY(hole->tail_row == 0)) {
        archetype_chunk_emptied(world, archetype);
    }
}

static ALWAYS_INLINE void remove_body(shoal_world *world, row_place place, bool hooked) {
    const archetype_column *columns = place.archetype->columns;
    uint32_t column_count = place.archetype->column_count;
    row_hole hole = hole_of(world, place);
    for (uint32_t c = 0; c < column_count; c++) {
        size_t byte_size = columns[c].byte_size;
        char *value = hole.base + hole.offsets[c] + hole.row * byte_size;
        if (hooked && columns[c].hooked) {
            component_end(columns[c].type, value, 1);
        }
        hole_fill(&hole, columns, c, value, byte_size, hooked);
    }
    hole_close(world, place, &hole);
}

void row_remove(shoal_world *world, row_place place) {
    if (LIKELY(!place.archetype->hooked)) {
        remove_body(world, place, false);
    } else {
        remove_body(world, place, true);
    }
}

static ALWAYS_INLINE void move_body(shoal_world *world, row_place from, const shoal_transition *edge, bool hooked) {
    const archetype_column *columns = from.archetype->columns;
    uint32_t column_count = from.archetype->column_count;
    row_hole hole = hole_of(world, from);
    const chunk_ref *open = edge->target->open;
    char *to_base = chunk_base(open);
    size_t to_row = open->count;
    for (uint32_t c = 0; c < column_count; c++) {
        size_t byte_size = edge->steps[c].byte_size;
        uint32_t to = edge->steps[c].to;
        char *value = hole.base + hole.offsets[c] + hole.row * byte_size;
        if (to != ARCHETYPE_NONE) {
            value_relocate(&columns[c], to_base + open->offsets[to] + to_row * byte_size, value, byte_size, hooked);
        } else if (hooked && columns[c].hooked) {
            component_end(columns[c].type, value, 1);
        }
        hole_fill(&hole, columns, c, value, byte_size, hooked);
    }
    hole_close(world, from, &hole);
}

void row_move(shoal_world *world, row_place from, const shoal_transition *edge, shoal_entity entity,
              index_record *record) {
    if (LIKELY(!from.archetype->hooked)) {
        move_body(world, from, edge, false);
    } else {
        move_body(world, from, edge, true);
    }
    row_commit(edge->target, entity, record);
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
        pool_give(&world->pools, old);
    }
}
