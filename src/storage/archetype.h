/*
 * Archetypes: the entities that have exactly the same set of components, and their chunks.
 *
 *     archetype -> chunks[0] chunks[1] ... chunks[chunk_count - 1] | spare chunks
 *
 * Components are kept in one order everywhere: those with a column by id, buffers by id, then the others by id (tags,
 * shared and chunk components); a component with a column has the same number as its column. Where a component is found
 * by id: a small open hash table of numbers. Two archetypes may have the same components: keys tell them apart, one for
 * each shared component (its value) and split relation (its target) in the order above. The links of a split relation
 * lie in its store as those of any relation; invariant "split": a row is in an archetype with target t exactly when the
 * link of its entity leads to t.
 *
 * Behind the columns of a chunk lie the enable bits of toggle components and the values of chunk components:
 *
 *     offsets   | column 0 | column 1 | ... | capacity | bits 0 | ... | chunk value 0 | ... |       a layout each
 *
 * Chunks. Invariant "dense": every chunk but the last one in use is full, none in use is empty; spare chunks (only
 * inside of an operation that has reserved rows) come after them and are empty. `open` is the chunk that the next
 * row goes into, NULL when none has room.
 *
 * Growth. The next chunk is at most a quarter of the bytes in use (a power of two, between the archetype's first and
 * largest size), so that unused bytes stay under a quarter of the used ones, or one small chunk. Many small chunks
 * would make small archetypes slow to iterate (each chunk starts the prefetcher anew), so chunks are merged like the
 * digits of a binary counter while the result is at most 32 KiB: two of one size become one of twice the size. A row
 * is moved about twice in the life of an archetype that way, and one below 32 KiB is one to three chunks. Measured
 * with 1,024 archetypes of 976 rows in a prototype: one merged chunk each 1.05 of plain arrays, doubling without
 * merging 1.3, quarters without merging 1.9.
 *
 * Thread rule: world.
 */
#ifndef SHOAL_STORAGE_ARCHETYPE_H
#define SHOAL_STORAGE_ARCHETYPE_H

#include "component.h"
#include "index.h"
#include "pool.h"

#define ARCHETYPE_NONE 0xFFFFu       /* no such component */
#define ARCHETYPE_MERGE_BYTES 32768u /* the largest chunk that merging makes */

/* A chunk as its archetype sees it: all that iteration needs, so that it never touches the chunk's header. */
typedef struct chunk_ref {
    uintptr_t bits;          /* address | layout ordinal, as in index_record */
    const uint32_t *offsets; /* of the columns, archetype_layout() of its ordinal */
    uint32_t count;          /* rows */
    uint32_t capacity;
} chunk_ref;

/* A column's type, and what copying a row of it needs. */
typedef struct archetype_column {
    const component_type *type;
    uint32_t byte_size;
    bool hooked;
} archetype_column;

/* A component with a key: of a shared one the number of its value in the shared table, of a split relation the bits of
   its target. */
typedef struct archetype_shared {
    uint64_t key;
    const void *value; /* NULL for a relation */
    uint32_t component;
} archetype_shared;

/* What tells archetypes apart: sorted components, and the keys of those among them that have one. */
typedef struct archetype_set {
    const uint32_t *ids;
    const uint64_t *keys; /* key_count entries, in the order of the ids */
    size_t count;
    size_t key_count;
} archetype_set;

/* Shared values, enable bits, chunk values and cleanup components of an archetype that has any; one without points to
 * one that is empty. */
typedef struct archetype_more {
    const archetype_shared *shared;
    const component_type *const *chunk_types;
    const uint16_t *toggles; /* the number of the component of each column of bits */
    uint32_t shared_count;
    uint32_t toggle_count;
    uint32_t chunk_type_count;
    struct shoal_archetype *next_idle;   /* see archetype_note_idle() */
    struct shoal_transition *from;       /* with keys: the edges that lead from here */
    struct shoal_transition *to;         /* and to here */
    struct shoal_transition *dying_edge; /* with cleanup components: to what stays of a destroyed entity, or NULL */
} archetype_more;

/* Why ordinary queries do not see an archetype. */
enum archetype_hidden { ARCHETYPE_PREFAB = 1, ARCHETYPE_DYING = 2 };

/* Where a component is found by its id. */
typedef struct archetype_slot {
    uint16_t id; /* 0 where free */
    uint16_t number;
} archetype_slot;

#define ARCHETYPE_INLINE_OFFSETS 6

/* Iteration over a small archetype reads the first line and nothing else of it; access reads the second. */
typedef struct shoal_archetype {
    chunk_ref *chunks; /* &inline_chunk while one is enough */
    uint32_t chunk_count;
    uint32_t spare_count;
    chunk_ref inline_chunk;
    uint32_t inline_offsets[ARCHETYPE_INLINE_OFFSETS]; /* the first layout, while it is the only one and fits */

    chunk_ref *open;
    struct shoal_transition *recent; /* the last change that was looked up from here */
    uint64_t row_count;
    const archetype_slot *slots; /* open hash table by id */
    uint32_t *offsets;           /* layout_count layouts by ordinal: a column's offset each, then the capacity */
    uint32_t layout_stride;      /* entries of one layout in `offsets` */
    uint32_t slot_mask;
    uint32_t index; /* in world->archetypes */
    uint16_t component_count;
    uint16_t column_count;
    uint16_t value_count; /* columns that callers may see as values: all but those of buffers, which come last */
    bool hooked : 1;      /* some column's values are more than bytes */
    bool careful : 1; /* there is more to a row than bytes in columns: hooks of any kind, default values, bits, chunk or
                         shared values */
    bool has_cleanup : 1; /* some component has the trait */
    bool notifies : 1;    /* some component has on_add, on_set or on_remove */
    bool ends_simply : 1; /* nothing of an entity stays behind, and nobody is told of its end */
    bool is_ending : 1;   /* see archetype_end_marked() */
    bool is_idle : 1;     /* in the world's list of archetypes with keys that may be empty */
    uint8_t hidden : 2;   /* archetype_hidden */
    uint8_t layout_count : 6;
    uint8_t first_pool; /* chunk sizes, as pool numbers */
    uint8_t largest_pool;
    uint16_t first_toggle;   /* id of the component of the first column of bits; 0: none */
    uint32_t row_bytes;      /* of one row, with its entity */
    uint32_t chunk_capacity; /* of `chunks` */
    const uint32_t *ids;     /* component_count, in the order above */
    uint32_t hash;           /* of the set */
    uint32_t pending_rows;   /* command_apply.c, destroy.c: counted while planning, then promised */
    uint64_t signature;      /* a bit for each id modulo 64: a query's quick no */
    uint64_t row_capacity;   /* of all chunks, spares too */
    uint64_t reserved_rows;  /* promised by archetype_promise(); emptied chunks stay as spares meanwhile */
    uint64_t version;        /* rises when a row comes, goes or moves */

    archetype_more *more;       /* what few archetypes have; never NULL */
    archetype_column columns[]; /* column_count; further arrays lie behind them */
} shoal_archetype;

struct shoal_world;

/* ---- sets ---- */

/* Sorts ids into archetype order. All must be registered. */
void archetype_sort_ids(uint32_t *ids, size_t count);

/* True when `a` comes before `b` in archetype order. */
static inline bool archetype_id_before(uint32_t a, uint32_t b) {
    uint8_t a_rank = component_type_at(a)->rank;
    uint8_t b_rank = component_type_at(b)->rank;
    return a_rank != b_rank ? a_rank < b_rank : a < b;
}

/* The archetype of a sorted set, made if there is none. NULL with `status`: ARCHETYPE_LIMIT, ROW_TOO_LARGE,
   OUT_OF_MEMORY, MEMORY_LIMIT. A new one uses its shared values. */
shoal_archetype *archetype_obtain(struct shoal_world *world, archetype_set set, shoal_status *status);

/* The same without making one. */
shoal_archetype *archetype_lookup(const struct shoal_world *world, archetype_set set);

/* Ends the archetypes with keys that have become empty, so that a value goes with its last user, and a target with its
   last source. Called at the end of operations, when nobody holds an archetype. */
void archetype_sweep_idle(struct shoal_world *world);

/* Takes note that an archetype with keys may be empty at the end of the operation. */
void archetype_note_idle(struct shoal_world *world, shoal_archetype *archetype);

/* Ends the archetypes that are marked as ending, which have no rows and no edges: takes them out of the world's tables
   and gives their memory back. All at once, since that goes through all archetypes and the matches of all queries;
   `only` is the one that is marked, when there is one, else NULL. */
void archetype_end_marked(struct shoal_world *world, shoal_archetype *only);

/* Gives all of an archetype's memory back, for the end of the world; rows are not ended. */
void archetype_free(struct shoal_world *world, shoal_archetype *archetype);

/* The same when the first slot holds another component. */
uint32_t archetype_find_slow(const shoal_archetype *archetype, uint32_t id);

/* The number of a component (its column when it has data), or ARCHETYPE_NONE. About six instructions, one load that
   depends on the archetype. */
static ALWAYS_INLINE uint32_t archetype_find(const shoal_archetype *archetype, uint32_t id) {
    archetype_slot slot = archetype->slots[id & archetype->slot_mask];
    return LIKELY(slot.id == id) ? slot.number : archetype_find_slow(archetype, id); /* free slots: see block_make() */
}

/* ---- chunks ---- */

static ALWAYS_INLINE char *chunk_base(const chunk_ref *ref) {
    return (char *)index_chunk_address(ref->bits);
}

static ALWAYS_INLINE shoal_entity *chunk_entities(const chunk_ref *ref) {
    return (shoal_entity *)(void *)(chunk_base(ref) + SHOAL_CHUNK_HEADER_BYTES);
}

/* The offsets of the columns in a chunk, from its address with the layout ordinal. */
static ALWAYS_INLINE const uint32_t *archetype_layout(const shoal_archetype *archetype, uintptr_t chunk) {
    return archetype->offsets + (chunk & INDEX_CHUNK_LOW_MASK) * (size_t)archetype->layout_stride;
}

/* The words of one column of enable bits; bits of rows that are not there are 0. */
static inline uint64_t *archetype_bits(const shoal_archetype *archetype, uintptr_t chunk, uint32_t toggle) {
    uint32_t offset = archetype_layout(archetype, chunk)[archetype->column_count + 1 + toggle];
    return (uint64_t *)(void *)((char *)index_chunk_address(chunk) + offset);
}

/* The value of a chunk component. */
static inline void *archetype_chunk_value(const shoal_archetype *archetype, uintptr_t chunk, uint32_t number) {
    uint32_t offset =
        archetype_layout(archetype, chunk)[archetype->column_count + 1 + archetype->more->toggle_count + number];
    return (char *)index_chunk_address(chunk) + offset;
}

/* Which column of bits, chunk value or key a component has; ARCHETYPE_NONE when it has none. */
uint32_t archetype_toggle(const shoal_archetype *archetype, uint32_t id);
uint32_t archetype_chunk_number(const shoal_archetype *archetype, uint32_t id);
uint32_t archetype_shared_number(const shoal_archetype *archetype, uint32_t id);

/* The address of a value, from what the index record says. */
static ALWAYS_INLINE char *archetype_value(const shoal_archetype *archetype, uintptr_t chunk, uint32_t column,
                                           uint32_t row) {
    return (char *)index_chunk_address(chunk) + archetype_layout(archetype, chunk)[column] +
           (size_t)row * archetype->columns[column].byte_size;
}

/* Bytes of all chunks, spares too. */
size_t archetype_chunk_bytes(const shoal_archetype *archetype);

/* Makes room for `rows` more rows, so that as many appends cannot fail; may move rows to merge chunks. */
shoal_status archetype_reserve(struct shoal_world *world, shoal_archetype *archetype, uint64_t rows);

/* Gives the chunks back whose rows were merged into larger ones. They are kept until the next structural operation,
   since the value that a caller gives may lie in one of them. */
void archetype_flush_left(struct shoal_world *world);

/* The same on top of what has been promised before: for operations that touch many rows. archetype_settle() ends it. */
shoal_status archetype_promise(struct shoal_world *world, shoal_archetype *archetype, uint64_t rows);

/* Gives spare chunks back and forgets promises. */
void archetype_settle(struct shoal_world *world, shoal_archetype *archetype);

/* Called when the last chunk has lost its last row. */
void archetype_chunk_emptied(struct shoal_world *world, shoal_archetype *archetype);

/* The chunk that the next row goes into, worked out anew. */
void archetype_find_open(shoal_archetype *archetype);

/* Takes note that a row has been written into `open`. */
static ALWAYS_INLINE void archetype_commit_row(shoal_archetype *archetype) {
    chunk_ref *ref = archetype->open;
    archetype->row_count++;
    archetype->version++;
    if (UNLIKELY(ref->count == 0)) {
        archetype->chunk_count++;
        archetype->spare_count--;
    }
    ref->count++;
    if (UNLIKELY(ref->count == ref->capacity)) {
        archetype->open = archetype->spare_count > 0 ? ref + 1 : NULL;
    }
}

#endif
