/*
 * Moving rows; see row.h. The hot ones (row_move, row_remove) come in two forms made of one inline body: plain bytes,
 * and with hooks.
 */
#include "row.h"

#include <string.h>

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

static void remove_hooked(shoal_world *world, row_place place) {
    const shoal_archetype *archetype = place.archetype;
    row_hole hole = row_hole_of(world, place);
    for (uint32_t c = 0; c < archetype->column_count; c++) {
        const archetype_column *column = &archetype->columns[c];
        component_end(column->type, hole.base + hole.offsets[c] + hole.row * column->byte_size, 1);
        hole_fill(&hole, column, c);
    }
    row_hole_close(world, place, &hole);
}

void row_remove(shoal_world *world, row_place place) {
    if (LIKELY(!place.archetype->hooked)) {
        row_remove_plain(world, place);
    } else {
        remove_hooked(world, place);
    }
}

static void move_hooked(shoal_world *world, row_place from, const shoal_transition *edge) {
    const shoal_archetype *source = from.archetype;
    row_hole hole = row_hole_of(world, from);
    for (uint32_t c = 0; c < source->column_count; c++) {
        const archetype_column *column = &source->columns[c];
        char *value = hole.base + hole.offsets[c] + hole.row * column->byte_size;
        if (edge->steps[c].to != ARCHETYPE_NONE) {
            value_relocate(column, row_open_value(edge->target, edge->steps[c].to), value);
        } else {
            component_end(column->type, value, 1);
        }
        hole_fill(&hole, column, c);
    }
    row_hole_close(world, from, &hole);
}

void row_move(shoal_world *world, row_place from, const shoal_transition *edge, shoal_entity entity,
              index_record *record) {
    if (LIKELY(!from.archetype->hooked)) {
        row_move_plain(world, from, edge, entity, record);
        return;
    }
    move_hooked(world, from, edge);
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
        row_relocate(world, archetype, ref, &moved);
        *ref = moved;
        pool_give(&world->pools, old);
    }
}
