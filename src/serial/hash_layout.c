/*
 * Rows as they lie, for SHOAL_HASH_LAYOUT: archetypes by age, chunk after chunk, a column in one piece where the type
 * allows it. So the cost is that of reading the memory once.
 *
 *     set and keys, row count | rows, entities, columns, enable bits, chunk values | ... | next archetype
 *
 * Archetypes without a row are left out: a call that failed may have made them, and a trim takes them away.
 * Thread rule: that of hash.h.
 */
#include "hash.h"

/* The components by name, in the archetype's order, and what tells archetypes with the same ones apart. */
static void put_set(hash_stream *stream, const shoal_archetype *archetype) {
    hash_put_u64(stream, archetype->component_count);
    for (size_t i = 0; i < archetype->component_count; i++) {
        hash_put_u64(stream, component_type_at(archetype->ids[i])->hash);
    }
    for (size_t i = 0; i < archetype->more->shared_count; i++) {
        const archetype_shared *shared = &archetype->more->shared[i];
        const component_type *type = component_type_at(shared->component);
        if (type->def.storage == SHOAL_STORAGE_RELATION) {
            hash_put_u64(stream, shared->key & HASH_HANDLE_MASK);
        } else {
            hash_put_value(stream, type, hash_way_of(type), shared->value);
        }
    }
    hash_put_u64(stream, archetype->row_count);
}

static void put_column(hash_stream *stream, const component_type *type, const char *cells, size_t count) {
    hash_way way = hash_way_of(type);
    if (type->def.storage != SHOAL_STORAGE_BUFFER) {
        hash_put_values(stream, type, way, cells, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        hash_put_buffer(stream, type, way, cells + i * type->value_size);
    }
}

static void put_chunk(hash_stream *stream, const shoal_archetype *archetype, const chunk_ref *ref) {
    const archetype_more *more = archetype->more;
    hash_put_u64(stream, ref->count);
    hash_put_handles(stream, chunk_entities(ref), ref->count);
    for (uint32_t column = 0; column < archetype->column_count; column++) {
        put_column(stream, archetype->columns[column].type, archetype_value(archetype, ref->bits, column, 0),
                   ref->count);
    }
    for (uint32_t toggle = 0; toggle < more->toggle_count; toggle++) {
        size_t words = ((size_t)ref->count + 63) / 64; /* bits of rows that are not there are 0 */
        hash_put_many(stream, archetype_bits(archetype, ref->bits, toggle), words * sizeof(uint64_t));
    }
    for (uint32_t i = 0; i < more->chunk_type_count; i++) {
        const component_type *type = more->chunk_types[i];
        hash_put_value(stream, type, hash_way_of(type), archetype_chunk_value(archetype, ref->bits, i));
    }
}

void hash_put_archetypes(hash_stream *stream, const shoal_world *world) {
    for (uint32_t i = 0; i < world->archetype_count; i++) {
        const shoal_archetype *archetype = world->by_age[i];
        if (archetype->row_count == 0) {
            continue;
        }
        put_set(stream, archetype);
        for (uint32_t chunk = 0; chunk < archetype->chunk_count; chunk++) {
            put_chunk(stream, archetype, &archetype->chunks[chunk]);
        }
    }
    hash_put_u64(stream, 0);
}
