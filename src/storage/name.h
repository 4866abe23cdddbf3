/*
 * Names: from an entity to its name, and from a parent and a name to the entity.
 *
 *     pages[slot >> 11] -> 2,048 entries -> entry | entity, parent, hash, length, text
 *     buckets[hash & mask], and on from there -> entry; a table of open addressing, at most half full
 *
 * Each entry is one allocation that both ways lead to. The hash is that of parent and text together. Removing closes
 * the gap in the table, so there are no marks of what was there.
 *
 * Invariant "once": an entry is in exactly one place of the pages and in exactly one bucket, and no two entries have
 * the same parent and text. Functions without a status cannot fail and allocate nothing. Thread rule: finding is
 * "read", all else "world".
 */
#ifndef SHOAL_STORAGE_NAME_H
#define SHOAL_STORAGE_NAME_H

#include <shoal/id.h>

#include "../base/compiler.h"
#include "../base/memory.h"

#define NAME_PAGE_BITS 11
#define NAME_PAGE_SLOTS 2048u

typedef struct name_entry {
    shoal_entity entity;
    shoal_entity parent; /* null: a root */
    uint64_t hash;
    uint32_t length; /* bytes of the text, without its terminating zero */
    char text[];
} name_entry;

typedef struct name_table {
    name_entry ***pages; /* page_count entries; name_empty_page where there is none */
    uint32_t page_count;
    uint32_t count;
    name_entry **buckets; /* bucket_count, a power of two or 0 */
    uint32_t bucket_count;
    shoal_memory *memory;
    uint64_t version; /* rises with each change */
} name_table;

extern name_entry *name_empty_page[NAME_PAGE_SLOTS];

/* What is wrong with a name and at which byte, or NULL: 1 to 255 bytes of UTF-8 without control characters and '/'. */
const char *name_check(const char *text, size_t *place);

/* An empty table; allocates nothing. */
void name_init(name_table *table, shoal_memory *memory);
void name_deinit(name_table *table);

/* ---- finding ---- */

/* The entry of an entity, or NULL. */
static ALWAYS_INLINE name_entry *name_entry_of(const name_table *table, shoal_entity entity) {
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t page = slot >> NAME_PAGE_BITS;
    if (UNLIKELY(page >= table->page_count)) {
        return NULL;
    }
    name_entry *entry = table->pages[page][slot & (NAME_PAGE_SLOTS - 1)];
    return entry != NULL && LIKELY(entry->entity.bits == entity.bits) ? entry : NULL;
}

/* The name of an entity, or NULL; good until it is renamed or removed. */
static ALWAYS_INLINE const char *name_of(const name_table *table, shoal_entity entity) {
    const name_entry *entry = name_entry_of(table, entity);
    return entry != NULL ? entry->text : NULL;
}

/* The entity of that name below a parent (null: among the roots), or null. The text needs no terminating zero. */
shoal_entity name_find(const name_table *table, shoal_entity parent, const char *text, size_t length);

/* Walks a path of names separated by '/' down from `from` (null: the roots): the entity, or null with `*missing` at the
   part that was not found. */
shoal_entity name_walk(const name_table *table, shoal_entity from, const char *path, const char **missing);

/* ---- changing ---- */

/* Names an entity whose parent is `parent`, or renames it. NAME_INVALID, NAME_TAKEN, OUT_OF_MEMORY, MEMORY_LIMIT: the
   old name stays then. */
shoal_status name_set(name_table *table, shoal_entity entity, shoal_entity parent, const char *text);

/* Takes the name away, if there is one. */
void name_remove(name_table *table, shoal_entity entity);

/* NAME_TAKEN when the entity's name is that of another below `parent`. */
shoal_status name_can_move(const name_table *table, shoal_entity entity, shoal_entity parent);

/* The entity gets another parent; name_can_move() holds. Nothing happens when it has no name. */
void name_move(name_table *table, shoal_entity entity, shoal_entity parent);

/* ---- upkeep ---- */

/* Gives memory back that is not needed for the names that are there. */
void name_trim(name_table *table);

/* "once", hashes, texts and counts; false with a reason. */
bool name_validate(const name_table *table, char *reason, size_t reason_size);

#endif
