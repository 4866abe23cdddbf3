/*
 * Rows: appending, moving between archetypes, removing. All of it works on rows that are known to exist, in chunks
 * that have been reserved, and cannot fail.
 *
 * Invariant "placed": for each row, the index record of its entity names exactly this chunk, layout ordinal,
 * archetype and row. Each function here restores it before it returns. Thread rule: world.
 */
#ifndef SHOAL_STORAGE_ROW_H
#define SHOAL_STORAGE_ROW_H

#include "world.h"

/* Where an entity is. */
typedef struct row_place {
    shoal_archetype *archetype;
    uintptr_t chunk; /* address | layout ordinal */
    uint32_t row;
} row_place;

static ALWAYS_INLINE row_place row_of(const shoal_world *world, const index_record *record) {
    return (row_place){.archetype = world->archetypes[index_archetype(record->place)],
                       .chunk = record->chunk,
                       .row = index_row(record->place)};
}

/* The value of a component of the archetype at a place: of the row, the chunk or the group (which must not be written);
   NULL for a tag. */
void *row_value(row_place place, const component_type *type);

/* The address of column `column` of the row that the next commit into `archetype` makes. */
static ALWAYS_INLINE char *row_open_value(const shoal_archetype *archetype, uint32_t column) {
    const chunk_ref *ref = archetype->open;
    return chunk_base(ref) + ref->offsets[column] + (size_t)ref->count * archetype->columns[column].byte_size;
}

/* Commits the open row of `archetype`, whose columns are written, as the row of `entity`. */
static ALWAYS_INLINE void row_commit(shoal_archetype *archetype, shoal_entity entity, index_record *record) {
    const chunk_ref *ref = archetype->open;
    chunk_entities(ref)[ref->count] = entity;
    index_place(record, entity, ref->bits, archetype->index, ref->count);
    archetype_commit_row(archetype);
}

/* Sets all enable bits of the last row that has been committed. */
void row_enable_all(shoal_archetype *archetype, const index_record *record);

/* row_commit() for any archetype: what is new is enabled. */
static ALWAYS_INLINE void row_commit_enabled(shoal_archetype *archetype, shoal_entity entity, index_record *record) {
    row_commit(archetype, entity, record);
    if (UNLIKELY(archetype->more->toggle_count != 0)) {
        row_enable_all(archetype, record);
    }
}

/* ---- one plain row: bytes only, inlined into the operations that are called once for each entity ---- */

/* A row that goes, and the last row of its archetype, which fills the hole. */
typedef struct row_hole {
    char *base; /* of the chunk with the hole */
    const uint32_t *offsets;
    char *tail_base;
    const uint32_t *tail_offsets;
    size_t row;
    size_t tail_row;
    bool is_tail; /* the row that goes is the last one: there is no hole */
} row_hole;

static ALWAYS_INLINE row_hole row_hole_of(const shoal_world *world, row_place place) {
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

/* The entity column and the count, after the other columns have been filled. */
static ALWAYS_INLINE void row_hole_close(shoal_world *world, row_place place, const row_hole *hole) {
    shoal_archetype *archetype = place.archetype;
    if (LIKELY(!hole->is_tail)) {
        shoal_entity *entities = (shoal_entity *)(void *)(hole->base + SHOAL_CHUNK_HEADER_BYTES);
        shoal_entity moved = ((shoal_entity *)(void *)(hole->tail_base + SHOAL_CHUNK_HEADER_BYTES))[hole->tail_row];
        entities[hole->row] = moved;
        index_place(index_at(&world->index, shoal_entity_index(moved)), moved, place.chunk, archetype->index,
                    place.row);
    }
    chunk_ref *tail = &archetype->chunks[archetype->chunk_count - 1];
    archetype->row_count--;
    archetype->version++;
    tail->count = (uint32_t)hole->tail_row;
    archetype->open = tail;
    if (UNLIKELY(hole->tail_row == 0)) {
        archetype_chunk_emptied(world, archetype);
    }
}

/* True when a row is nothing but bytes in columns. */
static ALWAYS_INLINE bool row_is_plain(const shoal_archetype *archetype) {
    return LIKELY(!archetype->hooked) && LIKELY(archetype->more->toggle_count == 0);
}

/* row_remove() for an archetype with plain rows. Counts first, then the entity, then the columns: few values are alive
   at any point, so they stay in registers. */
static ALWAYS_INLINE void row_remove_plain(shoal_world *world, row_place place) {
    shoal_archetype *archetype = place.archetype;
    chunk_ref *tail = &archetype->chunks[archetype->chunk_count - 1];
    uintptr_t tail_bits = tail->bits;
    const uint32_t *from_offsets = tail->offsets;
    size_t last = tail->count - 1;
    tail->count = (uint32_t)last;
    archetype->open = tail;
    archetype->row_count--;
    archetype->version++;
    if (LIKELY(tail_bits != place.chunk) || LIKELY(last != place.row)) {
        char *to = (char *)index_chunk_address(place.chunk);
        const char *from = (const char *)index_chunk_address(tail_bits);
        size_t row = place.row;
        shoal_entity moved = ((const shoal_entity *)(const void *)(from + SHOAL_CHUNK_HEADER_BYTES))[last];
        ((shoal_entity *)(void *)(to + SHOAL_CHUNK_HEADER_BYTES))[row] = moved;
        index_place(index_at(&world->index, shoal_entity_index(moved)), moved, place.chunk, archetype->index,
                    place.row);
        const uint32_t *to_offsets = archetype_layout(archetype, place.chunk);
        const archetype_column *columns = archetype->columns;
        for (size_t c = 0, count = archetype->column_count; c < count; c++) {
            size_t byte_size = columns[c].byte_size;
            copy_value(to + to_offsets[c] + row * byte_size, from + from_offsets[c] + last * byte_size, byte_size);
        }
    }
    if (UNLIKELY(last == 0)) {
        archetype_chunk_emptied(world, archetype);
    }
}

/* row_move() along an edge that is plain: the row is copied out, then it goes. */
static ALWAYS_INLINE void row_move_plain(shoal_world *world, row_place from, const shoal_transition *edge,
                                         shoal_entity entity, index_record *record) {
    const chunk_ref *open = edge->target->open;
    const transition_step *steps = transition_steps(edge);
    const uint32_t *from_offsets = archetype_layout(from.archetype, from.chunk);
    const uint32_t *to_offsets = open->offsets;
    const char *from_base = (const char *)index_chunk_address(from.chunk);
    char *to_base = chunk_base(open);
    size_t from_row = from.row;
    size_t to_row = open->count;
    for (size_t c = 0, count = from.archetype->column_count; c < count; c++) {
        size_t byte_size = steps[c].byte_size;
        uint32_t to = steps[c].to;
        if (LIKELY(to != ARCHETYPE_NONE)) {
            copy_value(to_base + to_offsets[to] + to_row * byte_size,
                       from_base + from_offsets[c] + from_row * byte_size, byte_size);
        }
    }
    row_commit(edge->target, entity, record);
    row_remove_plain(world, from);
}

/* ---- one row of any archetype ---- */

/* Moves the values that both archetypes of an edge have into the open row of its target, ends those that only the
   source has, fills the hole in the source and places the entity. New columns of the open row are written already. */
void row_move(shoal_world *world, row_place from, const shoal_transition *edge, shoal_entity entity,
              index_record *record);

/* Ends the values of a row and fills the hole; the entity's record is the caller's. */
void row_remove(shoal_world *world, row_place place);

/* Moves all rows of one chunk to the end of another of the same archetype, which has room: values, entities, places.
   Adds to to->count; from->count is the caller's. */
void row_relocate(shoal_world *world, shoal_archetype *archetype, const chunk_ref *from, chunk_ref *to);

/* Moves `count` rows of one chunk from `first` on to the end of `target`'s open chunk, which has room for them:
   entities and all columns that both archetypes have; places the entities and commits the rows. The source's count is
   the caller's. */
void row_move_run(shoal_world *world, shoal_archetype *source, const chunk_ref *from, uint32_t first, uint32_t count,
                  shoal_archetype *target);

/* Moves all rows of `source` to the end of `target`, which has room: as row_move() for each, in order. `write_new`
   is called for each run of new rows and must write the columns that the source does not have. */
typedef void (*row_write_new_fn)(void *user, const shoal_archetype *target, const chunk_ref *ref, uint32_t first,
                                 uint32_t count);
void row_move_all(shoal_world *world, shoal_archetype *source, shoal_archetype *target, row_write_new_fn write_new,
                  void *user);

/* Ends all rows of an archetype and gives their slots back. */
void row_remove_all(shoal_world *world, shoal_archetype *archetype);

/* Runs the dtor hooks of all rows, for the end of the world. */
void row_end_values(shoal_world *world, shoal_archetype *archetype);

/* Torture (shoal_world_def::move_rows): puts every chunk of the archetype at a new address. */
void row_shuffle_chunks(shoal_world *world, shoal_archetype *archetype);

#endif
