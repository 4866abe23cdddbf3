/*
 * Names; see name.h.
 *
 * The table of buckets is searched from the bucket that the hash names, one after the other, up to an empty one. Taking
 * an entry out moves those behind it up where that brings them nearer to their own bucket, so no search ever ends too
 * early. Whatever can fail allocates first: the new entry, a page, a larger table; then it changes. Thread rule: that
 * of name.h.
 */
#include "name.h"

#include <stdio.h>
#include <string.h>

#include "../base/assert.h"
#include "../base/hash.h"
#include "../base/utf8.h"

#define PURPOSE SHOAL_PURPOSE_NAME
#define PAGE_BYTES (NAME_PAGE_SLOTS * sizeof(name_entry *))
#define ALIGNMENT 16
#define BUCKETS_FIRST 16u

name_entry *name_empty_page[NAME_PAGE_SLOTS];

/* ---- entries ---- */

static uint64_t name_hash(shoal_entity parent, const char *text, size_t length) {
    return hash_mix(hash_fnv1a(text, length), parent.bits);
}

static size_t entry_bytes(const name_entry *entry) {
    return sizeof *entry + entry->length + 1;
}

static void entry_release(name_table *table, name_entry *entry) {
    if (entry != NULL) {
        memory_release(table->memory, PURPOSE, entry, entry_bytes(entry), ALIGNMENT);
    }
}

static name_entry *entry_make(name_table *table, shoal_entity entity, shoal_entity parent, const char *text) {
    size_t length = strlen(text);
    name_entry *entry = memory_allocate(table->memory, PURPOSE, sizeof *entry + length + 1, ALIGNMENT);
    if (entry != NULL) {
        entry->entity = entity;
        entry->parent = parent;
        entry->hash = name_hash(parent, text, length);
        entry->length = (uint32_t)length;
        memcpy(entry->text, text, length + 1);
    }
    return entry;
}

static bool entry_is(const name_entry *entry, shoal_entity parent, const char *text, size_t length) {
    return entry->length == length && entry->parent.bits == parent.bits && memcmp(entry->text, text, length) == 0;
}

/* ---- buckets ---- */

static name_entry *buckets_find(const name_table *table, shoal_entity parent, const char *text, size_t length) {
    if (table->count == 0) {
        return NULL;
    }
    uint64_t hash = name_hash(parent, text, length);
    uint32_t mask = table->bucket_count - 1;
    for (uint32_t i = (uint32_t)hash & mask; table->buckets[i] != NULL; i = (i + 1) & mask) {
        name_entry *entry = table->buckets[i];
        if (entry->hash == hash && entry_is(entry, parent, text, length)) {
            return entry;
        }
    }
    return NULL;
}

/* The bucket of an entry that is there, or the empty one that it would get. */
static uint32_t bucket_of(const name_table *table, const name_entry *entry) {
    uint32_t mask = table->bucket_count - 1;
    uint32_t i = (uint32_t)entry->hash & mask;
    while (table->buckets[i] != NULL && table->buckets[i] != entry) {
        i = (i + 1) & mask;
    }
    return i;
}

static void bucket_put(name_table *table, name_entry *entry) {
    table->buckets[bucket_of(table, entry)] = entry;
}

static void bucket_clear(name_table *table, const name_entry *entry) {
    uint32_t mask = table->bucket_count - 1;
    uint32_t hole = bucket_of(table, entry);
    SHOAL_ASSERT(table->buckets[hole] == entry);
    for (uint32_t i = (hole + 1) & mask; table->buckets[i] != NULL; i = (i + 1) & mask) {
        uint32_t wanted = (uint32_t)table->buckets[i]->hash & mask;
        if (((i - wanted) & mask) >= ((i - hole) & mask)) { /* its own bucket is not behind the hole */
            table->buckets[hole] = table->buckets[i];
            hole = i;
        }
    }
    table->buckets[hole] = NULL;
}

static shoal_status buckets_resize(name_table *table, uint32_t bucket_count) {
    name_entry **old = table->buckets;
    uint32_t old_count = table->bucket_count;
    name_entry **buckets = memory_allocate_zero(table->memory, PURPOSE, bucket_count * sizeof(name_entry *), ALIGNMENT);
    if (buckets == NULL) {
        return memory_failure(table->memory);
    }
    table->buckets = buckets;
    table->bucket_count = bucket_count;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] != NULL) {
            bucket_put(table, old[i]);
        }
    }
    memory_release(table->memory, PURPOSE, old, old_count * sizeof(name_entry *), ALIGNMENT);
    return SHOAL_OK;
}

/* Room for one entry more, with half of the buckets empty. */
static shoal_status buckets_reserve(name_table *table) {
    if (LIKELY((table->count + 1) * UINT64_C(2) <= table->bucket_count)) {
        return SHOAL_OK;
    }
    if (table->bucket_count > UINT32_MAX / 2) {
        return memory_fail(table->memory, SHOAL_OUT_OF_MEMORY);
    }
    return buckets_resize(table, table->bucket_count != 0 ? table->bucket_count * 2 : BUCKETS_FIRST);
}

/* ---- pages ---- */

static name_entry **place_of(const name_table *table, shoal_entity entity) {
    uint32_t slot = (uint32_t)entity.bits;
    return &table->pages[slot >> NAME_PAGE_BITS][slot & (NAME_PAGE_SLOTS - 1)];
}

static shoal_status directory_grow(name_table *table, uint32_t needed) {
    if (needed <= table->page_count) {
        return SHOAL_OK;
    }
    uint32_t count = (uint32_t)bit_ceil(needed);
    name_entry ***pages = memory_allocate(table->memory, PURPOSE, count * sizeof *pages, ALIGNMENT);
    if (pages == NULL) {
        return memory_failure(table->memory);
    }
    for (uint32_t i = 0; i < count; i++) {
        pages[i] = i < table->page_count ? table->pages[i] : name_empty_page;
    }
    memory_release(table->memory, PURPOSE, table->pages, table->page_count * sizeof *pages, ALIGNMENT);
    table->pages = pages;
    table->page_count = count;
    return SHOAL_OK;
}

static shoal_status page_reserve(name_table *table, shoal_entity entity) {
    uint32_t page = (uint32_t)entity.bits >> NAME_PAGE_BITS;
    shoal_status status = directory_grow(table, page + 1);
    if (status != SHOAL_OK || table->pages[page] != name_empty_page) {
        return status;
    }
    name_entry **entries = memory_allocate_zero(table->memory, PURPOSE, PAGE_BYTES, ALIGNMENT);
    if (entries == NULL) {
        return memory_failure(table->memory);
    }
    table->pages[page] = entries;
    return SHOAL_OK;
}

/* ---- for the rest of the storage ---- */

const char *name_check(const char *text, size_t *place) {
    return utf8_name_fault(text, false, place);
}

void name_init(name_table *table, shoal_memory *memory) {
    *table = (name_table){.memory = memory};
}

static void pages_release(name_table *table) {
    for (uint32_t i = 0; i < table->page_count; i++) {
        if (table->pages[i] != name_empty_page) {
            memory_release(table->memory, PURPOSE, table->pages[i], PAGE_BYTES, ALIGNMENT);
        }
    }
    memory_release(table->memory, PURPOSE, table->pages, table->page_count * sizeof *table->pages, ALIGNMENT);
}

void name_deinit(name_table *table) {
    for (uint32_t i = 0; i < table->bucket_count; i++) {
        entry_release(table, table->buckets[i]);
    }
    memory_release(table->memory, PURPOSE, table->buckets, table->bucket_count * sizeof *table->buckets, ALIGNMENT);
    pages_release(table);
    name_init(table, table->memory);
}

shoal_entity name_find(const name_table *table, shoal_entity parent, const char *text, size_t length) {
    const name_entry *entry = buckets_find(table, parent, text, length);
    return entry != NULL ? entry->entity : (shoal_entity){0};
}

shoal_entity name_walk(const name_table *table, shoal_entity from, const char *path, const char **missing) {
    shoal_entity at = from;
    for (const char *part = path;; part++) {
        size_t length = strcspn(part, "/");
        at = name_find(table, at, part, length);
        *missing = part;
        part += length;
        if (shoal_entity_is_null(at) || *part == '\0') {
            return at;
        }
    }
}

/* Takes what the slot has out of both ways; room for one entry stays. */
static void slot_clear(name_table *table, shoal_entity entity) {
    name_entry **place = place_of(table, entity);
    if (*place != NULL) {
        bucket_clear(table, *place);
        entry_release(table, *place);
        *place = NULL;
        table->count--;
    }
}

shoal_status name_set(name_table *table, shoal_entity entity, shoal_entity parent, const char *text) {
    size_t fault_place;
    if (name_check(text, &fault_place) != NULL) {
        return SHOAL_NAME_INVALID;
    }
    const name_entry *found = buckets_find(table, parent, text, strlen(text));
    if (found != NULL) {
        return found->entity.bits == entity.bits ? SHOAL_OK : SHOAL_NAME_TAKEN;
    }
    shoal_status status = buckets_reserve(table);
    status = status != SHOAL_OK ? status : page_reserve(table, entity);
    name_entry *entry = status == SHOAL_OK ? entry_make(table, entity, parent, text) : NULL;
    if (entry == NULL) {
        return memory_failure(table->memory);
    }
    slot_clear(table, entity);
    *place_of(table, entity) = entry;
    bucket_put(table, entry);
    table->count++;
    table->version++;
    return SHOAL_OK;
}

void name_remove(name_table *table, shoal_entity entity) {
    if (name_entry_of(table, entity) != NULL) {
        slot_clear(table, entity);
        table->version++;
    }
}

shoal_status name_can_move(const name_table *table, shoal_entity entity, shoal_entity parent) {
    const name_entry *entry = name_entry_of(table, entity);
    const name_entry *found = entry != NULL ? buckets_find(table, parent, entry->text, entry->length) : NULL;
    return found == NULL || found == entry ? SHOAL_OK : SHOAL_NAME_TAKEN;
}

void name_move(name_table *table, shoal_entity entity, shoal_entity parent) {
    name_entry *entry = name_entry_of(table, entity);
    if (entry == NULL || entry->parent.bits == parent.bits) {
        return;
    }
    bucket_clear(table, entry);
    entry->parent = parent;
    entry->hash = name_hash(parent, entry->text, entry->length);
    bucket_put(table, entry);
    table->version++;
}

/* ---- upkeep ---- */

static bool page_is_empty(name_entry *const *entries) {
    for (uint32_t i = 0; i < NAME_PAGE_SLOTS; i++) {
        if (entries[i] != NULL) {
            return false;
        }
    }
    return true;
}

void name_trim(name_table *table) {
    if (table->count == 0) {
        uint64_t version = table->version;
        name_deinit(table);
        table->version = version;
        return;
    }
    for (uint32_t i = 0; i < table->page_count; i++) {
        if (table->pages[i] != name_empty_page && page_is_empty(table->pages[i])) {
            memory_release(table->memory, PURPOSE, table->pages[i], PAGE_BYTES, ALIGNMENT);
            table->pages[i] = name_empty_page;
        }
    }
    uint32_t wanted = (uint32_t)bit_ceil(table->count * UINT64_C(2));
    wanted = wanted > BUCKETS_FIRST ? wanted : BUCKETS_FIRST;
    if (wanted < table->bucket_count) {
        (void)buckets_resize(table, wanted); /* without memory for it the larger table stays */
    }
}

#define REFUSE(...) ((void)snprintf(reason, reason_size, __VA_ARGS__), false)

static bool entry_is_sound(const name_table *table, const name_entry *entry, char *reason, size_t reason_size) {
    unsigned slot = shoal_entity_index(entry->entity);
    size_t place;
    if (name_entry_of(table, entry->entity) != entry) {
        return REFUSE("names: slot %u does not have the name that it is found by", slot);
    }
    if (buckets_find(table, entry->parent, entry->text, entry->length) != entry) {
        return REFUSE("names: the name of slot %u leads to another", slot);
    }
    if (name_check(entry->text, &place) != NULL || strlen(entry->text) != entry->length ||
        entry->hash != name_hash(entry->parent, entry->text, entry->length)) {
        return REFUSE("names: the name of slot %u is damaged", slot);
    }
    return true;
}

bool name_validate(const name_table *table, char *reason, size_t reason_size) {
    uint32_t entries = 0;
    for (uint32_t i = 0; i < table->bucket_count; i++) {
        if (table->buckets[i] != NULL) {
            entries++;
            if (!entry_is_sound(table, table->buckets[i], reason, reason_size)) {
                return false;
            }
        }
    }
    uint32_t places = 0;
    for (uint32_t page = 0; page < table->page_count; page++) {
        for (uint32_t i = 0; table->pages[page] != name_empty_page && i < NAME_PAGE_SLOTS; i++) {
            places += table->pages[page][i] != NULL;
        }
    }
    if (entries != table->count || places != table->count || !page_is_empty(name_empty_page)) {
        return REFUSE("names: %u found by name, %u by entity, %u counted", entries, places, table->count);
    }
    return true;
}
