/*
 * The component registry: every type of the process, by id and by name.
 *
 *     component_blocks[id >> 8] -> 256 types -> [id & 255]
 *
 * Append-only: a type never moves and never goes, so a pointer to one is good for the life of the process.
 * Invariant "published": ids 1 to component_published are complete; a type is written whole, then the count is
 * raised with release. Thread rule: reading takes no lock (acquire on the count); registering takes the registry's
 * lock.
 */
#ifndef SHOAL_STORAGE_COMPONENT_H
#define SHOAL_STORAGE_COMPONENT_H

#include <shoal/component.h>

#include <stdatomic.h>
#include <string.h>

#include "../base/compiler.h"
#include "../base/copy.h"
#include "../base/memory.h"

#define COMPONENT_BLOCK_SIZE 256
#define COMPONENT_BLOCK_COUNT 256
#define COMPONENT_MAX 65535

typedef struct component_type {
    shoal_component_def def; /* the registry's own copies of name, fields and default value; alignment >= 1 */
    uint64_t hash;           /* FNV-1a of the name */
    uint32_t id;
    bool hooked;         /* values are more than bytes: ctor, copy, move or dtor (then copy and dtor), or a buffer */
    bool has_entities;   /* an entity field somewhere inside */
    bool has_column;     /* a value in each row of a chunk */
    bool in_archetype;   /* lies in archetypes alone: all but sparse, relation and unique */
    bool in_set;         /* part of an archetype's set: in_archetype, or a split relation, whose links lie elsewhere */
    bool keyed;          /* part of it with a key: the number of a shared value, the target of a split relation */
    bool notifies;       /* has on_add, on_set or on_remove */
    bool is_special;     /* its commands are more than a change of columns that are bytes */
    uint8_t rank;        /* in an archetype: 0 with a column, 1 a buffer, 2 without a column */
    uint32_t value_size; /* bytes of one value where it is stored: of a buffer, its cell */
    uint32_t value_alignment;
    uint32_t inline_count;  /* buffer: elements in the cell */
    uint32_t inline_offset; /* buffer: where they begin */
} component_type;

extern component_type *component_blocks[COMPONENT_BLOCK_COUNT]; /* guard: component_published */
extern _Atomic uint32_t component_published;

/* The type, or NULL for an id that is null or was never registered. */
static inline const component_type *component_type_find(uint32_t id) {
    if (UNLIKELY(id - 1 >= atomic_load_explicit(&component_published, memory_order_acquire))) {
        return NULL;
    }
    return &component_blocks[id / COMPONENT_BLOCK_SIZE][id % COMPONENT_BLOCK_SIZE];
}

/* The same for an id that is known to be registered. */
static inline const component_type *component_type_at(uint32_t id) {
    return &component_blocks[id / COMPONENT_BLOCK_SIZE][id % COMPONENT_BLOCK_SIZE];
}

/* Checks a definition on its own: name, size, alignment, hooks, fields. Stores the error in the thread's record. */
shoal_status component_check(const shoal_component_def *def);

/* True when a later definition has the layout of the registered one: size, alignment, version, and fields if it has
 * any. */
bool component_same_layout(const shoal_component_def *a, const shoal_component_def *b);

/* The part of that which is about kind and traits. */
bool component_same_kind(const shoal_component_def *a, const shoal_component_def *b);

/* The word for a kind. */
const char *component_storage_name(shoal_storage storage);

/* Calls `visit` with the address of every entity field inside of the value (of one element, for a buffer), nested and
 * in arrays as well. */
void component_visit_entities(const component_type *type, void *value, void (*visit)(void *user, shoal_entity *entity),
                              void *user);

/* ---- values: what the hooks do, or plain bytes where there are none ---- */

/* Values of buffers: their cells; see buffer.h. */
bool component_make_cells(shoal_memory *memory, const component_type *type, void *cells, const void *source,
                          size_t count);
void component_relocate_cells(const component_type *type, void *cells, void *source, size_t count);
void component_end_cells(shoal_memory *memory, const component_type *type, void *cells, size_t count);

/* True when a default value is made by a hook, which may fail. */
static inline bool component_default_can_fail(const component_type *type) {
    return type->def.storage != SHOAL_STORAGE_BUFFER &&
           (type->def.ctor != NULL || (type->def.copy != NULL && type->def.default_value != NULL));
}

/* What an instance of making can run into besides a hook that says no. */
static inline shoal_status component_failure(const component_type *type, const shoal_memory *memory) {
    return type->def.storage == SHOAL_STORAGE_BUFFER && memory_failure(memory) != SHOAL_OK ? memory_failure(memory)
                                                                                           : SHOAL_HOOK_FAILED;
}

/* Copies of one stored value; none when the copy fails. */
bool component_make_repeated(shoal_memory *memory, const component_type *type, void *values, const void *source,
                             size_t count);

/* Default values in raw memory; false when a hook failed, and nothing is made then. */
static inline bool component_make_default(shoal_memory *memory, const component_type *type, void *values,
                                          size_t count) {
    const shoal_component_def *def = &type->def;
    if (def->storage == SHOAL_STORAGE_BUFFER) {
        memset(values, 0, count * type->value_size); /* empty cells */
        return component_make_cells(memory, type, values, NULL, count);
    }
    if (def->ctor != NULL) {
        return def->ctor(values, count, def->user);
    }
    if (def->default_value != NULL) {
        return component_make_repeated(memory, type, values, def->default_value, count);
    }
    memset(values, 0, count * def->size);
    return true;
}

/* Copies of stored values in raw memory; false when that fails, and nothing is made then. */
static inline bool component_make_copy(shoal_memory *memory, const component_type *type, void *values,
                                       const void *source, size_t count) {
    if (UNLIKELY(type->def.storage == SHOAL_STORAGE_BUFFER)) {
        return component_make_cells(memory, type, values, source, count);
    }
    if (type->def.copy != NULL) {
        return type->def.copy(values, source, count, type->def.user);
    }
    memcpy(values, source, count * type->def.size);
    return true;
}

/* A value in raw memory out of what a caller gave: the same, but of a buffer a span. */
bool component_make_given(shoal_memory *memory, const component_type *type, void *value, const void *given);

/* Moves into raw memory; the source is raw memory afterwards. Cannot fail. */
static inline void component_relocate(const component_type *type, void *values, void *source, size_t count) {
    if (UNLIKELY(type->def.storage == SHOAL_STORAGE_BUFFER)) {
        component_relocate_cells(type, values, source, count);
    } else if (type->def.move != NULL) {
        type->def.move(values, source, count, type->def.user);
    } else {
        memcpy(values, source, count * type->value_size);
    }
}

/* Ends values; they are raw memory afterwards. */
static inline void component_end(shoal_memory *memory, const component_type *type, void *values, size_t count) {
    if (UNLIKELY(type->def.storage == SHOAL_STORAGE_BUFFER)) {
        component_end_cells(memory, type, values, count);
    } else if (type->def.dtor != NULL) {
        type->def.dtor(values, count, type->def.user);
    }
}

#endif
