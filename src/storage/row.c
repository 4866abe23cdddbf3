/*
 * Moving rows; see row.h. The hot ones (row_move, row_remove) come in two forms: plain bytes, inline in row.h, and here
 * with hooks and enable bits.
 */
#include "row.h"

#include <string.h>

/* ---- enable bits ---- */

static bool bit_get(const uint64_t *words, size_t row) {
    return (words[row / 64] >> (row % 64)) & 1;
}

static void bit_put(uint64_t *words, size_t row, bool value) {
    uint64_t bit = UINT64_C(1) << (row % 64);
    words[row / 64] = value ? words[row / 64] | bit : words[row / 64] & ~bit;
}

void row_enable_all(shoal_archetype *archetype, const index_record *record) {
    for (uint32_t i = 0; i < archetype->more->toggle_count; i++) {
        bit_put(archetype_bits(archetype, record->chunk, i), index_row(record->place), true);
    }
}

/* Copies the bits of `count` rows; those of components that the source does not have are set. */
static void bits_copy(const shoal_archetype *source, uintptr_t from, size_t from_row, const shoal_archetype *target,
                      uintptr_t to, size_t to_row, size_t count) {
    for (uint32_t i = 0; i < target->more->toggle_count; i++) {
        uint32_t old = archetype_toggle(source, target->ids[target->more->toggles[i]]);
        uint64_t *bits = archetype_bits(target, to, i);
        for (size_t k = 0; k < count; k++) {
            bool enabled = old == ARCHETYPE_NONE || bit_get(archetype_bits(source, from, old), from_row + k);
            bit_put(bits, to_row + k, enabled);
        }
    }
}

/* The bits of the last row go to the hole, and are cleared where they were. */
static void bits_fill_hole(const shoal_archetype *archetype, uintptr_t chunk, const row_hole *hole) {
    const chunk_ref *tail = &archetype->chunks[archetype->chunk_count - 1];
    for (uint32_t i = 0; i < archetype->more->toggle_count; i++) {
        uint64_t *last = archetype_bits(archetype, tail->bits, i);
        bit_put(archetype_bits(archetype, chunk, i), hole->row, bit_get(last, hole->tail_row));
        bit_put(last, hole->tail_row, false);
    }
}

void *row_value(row_place place, const component_type *type) {
    const shoal_archetype *archetype = place.archetype;
    if (type->has_column) {
        return archetype_value(archetype, place.chunk, archetype_find(archetype, type->id), place.row);
    }
    if (type->def.storage == SHOAL_STORAGE_CHUNK) {
        return archetype_chunk_value(archetype, place.chunk, archetype_chunk_number(archetype, type->id));
    }
    if (type->def.storage == SHOAL_STORAGE_SHARED) {
        /* Nobody writes a shared value; there is one pointer for all kinds. */
        return (void *)(uintptr_t)archetype->more->shared[archetype_shared_number(archetype, type->id)].value;
    }
    return NULL;
}

/* ---- one row ---- */

/* Moves one value into raw memory; the source is raw memory afterwards. */
static void value_relocate(const archetype_column *column, char *to, char *from) {
    if (column->hooked) {
        component_relocate(column->type, to, from, 1);
    } else {
        copy_value(to, from, column->byte_size);
    }
}

static void hole_fill(const row_hole *hole, const archetype_column *column, uint32_t c) {
    size_t byte_size = column->byte_size;
    if (!hole->is_tail) {
        value_relocate(column, hole->base + hole->offsets[c] + hole->row * byte_size,
                       hole->tail_base + hole->tail_offsets[c] + hole->tail_row * byte_size);
    }
}

static void remove_any(shoal_world *world, row_place place) {
    const shoal_archetype *archetype = place.archetype;
    row_hole hole = row_hole_of(world, place);
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        const archetype_column *column = &archetype->columns[c];
        component_end(&world->memory, column->type, hole.base + hole.offsets[c] + hole.row * column->byte_size, 1);
        hole_fill(&hole, column, c);
    }
    bits_fill_hole(archetype, place.chunk, &hole);
    row_hole_close(world, place, &hole);
}

void row_remove(shoal_world *world, row_place place) {
    if (row_is_plain(place.archetype)) {
        row_remove_plain(world, place);
    } else {
        remove_any(world, place);
    }
}

/* The values of the source's row, out of it or ended; the hole stays open. */
static void move_values(shoal_world *world, const row_hole *hole, row_place from, const shoal_transition *edge) {
    const shoal_archetype *source = from.archetype;
    for (uint32_t c = 0; c < source->column_count; c++) {
        const archetype_column *column = &source->columns[c];
        char *value = hole->base + hole->offsets[c] + hole->row * column->byte_size;
        if (transition_steps(edge)[c].to != ARCHETYPE_NONE) {
            value_relocate(column, row_open_value(edge->target, transition_steps(edge)[c].to), value);
        } else {
            component_end(&world->memory, column->type, value, 1);
        }
        hole_fill(hole, column, c);
    }
}

void row_move(shoal_world *world, row_place from, const shoal_transition *edge, shoal_entity entity,
              index_record *record) {
    if (row_is_plain(from.archetype) && row_is_plain(edge->target)) {
        row_move_plain(world, from, edge, entity, record);
        return;
    }
    row_hole hole = row_hole_of(world, from);
    move_values(world, &hole, from, edge);
    const chunk_ref *open = edge->target->open;
    bits_copy(from.archetype, from.chunk, from.row, edge->target, open->bits, open->count, 1);
    bits_fill_hole(from.archetype, from.chunk, &hole);
    row_hole_close(world, from, &hole);
    row_commit(edge->target, entity, record);
}

/* ---- runs of rows ---- */

static void entities_place(shoal_world *world, const shoal_archetype *archetype, const chunk_ref *ref, uint32_t first,
                           uint32_t count) {
    const shoal_entity *entities = chunk_entities(ref) + first;
    for (uint32_t i = 0; i < count; i++) {
        index_place(index_at(&world->index, shoal_entity_index(entities[i])), entities[i], ref->bits, archetype->index,
                    first + i);
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
    bits_copy(archetype, from->bits, 0, archetype, to->bits, to->count, from->count);
    entities_place(world, archetype, to, to->count, from->count);
    to->count += from->count;
    archetype->version++;
}

void row_move_run(shoal_world *world, shoal_archetype *source, const chunk_ref *from, uint32_t first, uint32_t count,
                  shoal_archetype *target) {
    chunk_ref *to = target->open;
    SHOAL_ASSERT(to->capacity - to->count >= count);
    for (uint32_t c = 0; c < source->column_count; c++) {
        const archetype_column *column = &source->columns[c];
        char *values = chunk_base(from) + from->offsets[c] + (size_t)first * column->byte_size;
        uint32_t t = archetype_find(target, source->ids[c]);
        if (t != ARCHETYPE_NONE) {
            component_relocate(column->type, chunk_base(to) + to->offsets[t] + (size_t)to->count * column->byte_size,
                               values, count);
        } else {
            component_end(&world->memory, column->type, values, count);
        }
    }
    bits_copy(source, from->bits, first, target, to->bits, to->count, count);
    memcpy(chunk_entities(to) + to->count, chunk_entities(from) + first, count * sizeof(shoal_entity));
    entities_place(world, target, to, to->count, count);
    to->count += count;
    target->row_count += count;
    target->version++;
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
    archetype->version++;
    for (uint32_t i = 0; i < archetype->spare_count; i++) {
        archetype->chunks[i].count = 0;
    }
    archetype_settle(world, archetype);
    archetype_note_idle(world, archetype);
}

void row_move_all(shoal_world *world, shoal_archetype *source, shoal_archetype *target, row_write_new_fn write_new,
                  void *user) {
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

void row_end_values(shoal_world *world, shoal_archetype *archetype) {
    for (uint32_t i = 0; archetype->hooked && i < archetype->chunk_count; i++) {
        const chunk_ref *ref = &archetype->chunks[i];
        for (uint32_t c = 0; c < archetype->column_count; c++) {
            component_end(&world->memory, archetype->columns[c].type, chunk_base(ref) + ref->offsets[c], ref->count);
        }
    }
}

void row_remove_all(shoal_world *world, shoal_archetype *archetype) {
    row_end_values(world, archetype);
    for (uint32_t i = 0; i < archetype->chunk_count; i++) {
        const chunk_ref *ref = &archetype->chunks[i];
        index_give_many(&world->index, chunk_entities(ref), ref->count);
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
        for (uint32_t k = 0; k < archetype->more->toggle_count; k++) {
            memset(archetype_bits(archetype, moved.bits, k), 0, ((size_t)moved.capacity + 63) / 64 * sizeof(uint64_t));
        }
        for (uint32_t k = 0; k < archetype->more->chunk_type_count; k++) {
            component_relocate(archetype->more->chunk_types[k], archetype_chunk_value(archetype, moved.bits, k),
                               archetype_chunk_value(archetype, ref->bits, k), 1);
        }
        row_relocate(world, archetype, ref, &moved);
        *ref = moved;
        pool_give(&world->pools, old);
    }
}
