/*
 * What the files of the world's hash share: hash.c (the call, and all that lies outside of rows), hash_canonical.c and
 * hash_layout.c (rows), hash_value.c (values by field table), hash_stream.c (XXH3; the only file that knows xxHash).
 *
 * A hash is that of one long stream of bytes. Each part begins with its mark, each list with its length or ends with a
 * null, so no two worlds that differ give one stream. Types go by the hash of their name, handles by index and
 * generation. Small pieces are gathered in the stream's buffer, since a call of XXH3 costs more than a few bytes do;
 * whole columns go to it as they lie.
 *
 *     head | free slots | rows: by handle, or as they lie | sparse sets, relations | names | uniques
 *
 * Thread rule: world.
 */
#ifndef SHOAL_SERIAL_HASH_H
#define SHOAL_SERIAL_HASH_H

#include <shoal/hash.h>

#include "../storage/world.h"

#define HASH_STREAM_BYTES 8192u
#define HASH_DIRECT_BYTES 512u /* so many are not worth a copy */

/* Index, generation and the bit that tells a handle from null; without the tag of the world. */
#define HASH_HANDLE_MASK UINT64_C(0x8000FFFFFFFFFFFF)

/* What begins each part. */
typedef enum hash_mark {
    HASH_MARK_HEAD = 1,
    HASH_MARK_SLOTS,
    HASH_MARK_ROWS,
    HASH_MARK_STORES,
    HASH_MARK_NAMES,
    HASH_MARK_UNIQUES
} hash_mark;

/* ---- hash_stream.c ---- */

typedef struct hash_stream {
    size_t used; /* of bytes[] */
    char bytes[HASH_STREAM_BYTES];
} hash_stream;

/* UNSUPPORTED without xxHash, OUT_OF_MEMORY, MEMORY_LIMIT. */
shoal_status hash_stream_create(shoal_memory *memory, hash_stream **stream);
void hash_stream_destroy(shoal_memory *memory, hash_stream *stream);

/* Begins anew. */
void hash_stream_start(hash_stream *stream);

/* The hash of all that was put since the start. */
uint64_t hash_stream_finish(hash_stream *stream);

/* Puts bytes that do not fit into the buffer, or none. */
void hash_put_slow(hash_stream *stream, const void *bytes, size_t byte_size);

/* Puts many bytes that lie in a row: not by way of the buffer. */
void hash_put_many(hash_stream *stream, const void *bytes, size_t byte_size);

/* Budget: ten instructions for what fits into two registers. */
static ALWAYS_INLINE void hash_put(hash_stream *stream, const void *bytes, size_t byte_size) {
    if (UNLIKELY(byte_size - 1 >= HASH_STREAM_BYTES - stream->used)) {
        hash_put_slow(stream, bytes, byte_size);
        return;
    }
    copy_value(stream->bytes + stream->used, bytes, byte_size);
    stream->used += byte_size;
}

static ALWAYS_INLINE void hash_put_u64(hash_stream *stream, uint64_t number) {
    hash_put(stream, &number, sizeof number);
}

static ALWAYS_INLINE void hash_put_handle(hash_stream *stream, shoal_entity entity) {
    hash_put_u64(stream, entity.bits & HASH_HANDLE_MASK);
}

void hash_put_handles(hash_stream *stream, const shoal_entity *entities, size_t count);

/* ---- hash_value.c ---- */

/* How values of a type are put. */
typedef enum hash_way {
    HASH_NOTHING, /* without data, or with a copy hook and without a field table: the bytes may be pointers */
    HASH_BYTES,   /* all bytes in one piece: the fields leave none out, or nothing is known of them */
    HASH_FIELDS   /* field by field */
} hash_way;

/* Of one value; of a buffer, of one element. Costs time in proportion to the fields. */
hash_way hash_way_of(const component_type *type);

/* `count` values (of a buffer: elements), tight. */
void hash_put_values(hash_stream *stream, const component_type *type, hash_way way, const void *values, size_t count);

static ALWAYS_INLINE void hash_put_value(hash_stream *stream, const component_type *type, hash_way way,
                                         const void *value) {
    if (LIKELY(way == HASH_BYTES)) {
        hash_put(stream, value, type->def.size);
    } else if (way == HASH_FIELDS) {
        hash_put_values(stream, type, way, value, 1);
    }
}

/* A buffer: its length, then its elements. */
void hash_put_buffer(hash_stream *stream, const component_type *type, hash_way way, const void *cell);

/* Sorts types by the hash of their name. */
void hash_sort_types(const component_type **types, size_t count);

/* ---- rows ---- */

/* What the rows by handle need beforehand: of each archetype its set as one number, and the parts of its rows. */
typedef struct hash_plans hash_plans;

/* Uses the stream, and `types`, which has room for the components of any archetype. OUT_OF_MEMORY, MEMORY_LIMIT. */
shoal_status hash_plans_create(shoal_world *world, hash_stream *stream, const component_type **types,
                               hash_plans **plans);
void hash_plans_destroy(shoal_world *world, hash_plans *plans); /* NULL is fine */

/* hash_canonical.c: all entities by slot. */
void hash_put_entities(hash_stream *stream, const shoal_world *world, const hash_plans *plans);

/* hash_layout.c: archetypes by age, chunk after chunk. */
void hash_put_archetypes(hash_stream *stream, const shoal_world *world);

#endif
