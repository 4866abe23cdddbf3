/*
 * The hand-written table of names; see plain_names.h.
 *
 * A search begins at the bucket that the hash names and goes on to the first empty one. Names go all at once, so that
 * no bucket has to be closed in the middle of a search's way.
 */
#include "plain_names.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

#define FNV_FIRST 0x811C9DC5u
#define FNV_FACTOR 0x01000193u
#define SPREAD 0x9E3779B1u /* 2^32 by the golden ratio: neighbouring parents lie far apart */

plain_names plain_names_create(size_t slot_count) {
    size_t bucket_count = 2;
    while (bucket_count < 2 * slot_count) {
        bucket_count *= 2;
    }
    plain_names names = {.entries = bench_allocate(slot_count, sizeof *names.entries),
                         .buckets = bench_allocate(bucket_count, sizeof *names.buckets),
                         .mask = (uint32_t)bucket_count - 1,
                         .slot_count = (uint32_t)slot_count};
    memset(names.entries, 0, slot_count * sizeof *names.entries);
    memset(names.buckets, 0, bucket_count * sizeof *names.buckets);
    return names;
}

void plain_names_free(plain_names *names) {
    plain_names_clear(names);
    free(names->entries);
    free(names->buckets);
    *names = (plain_names){0};
}

void plain_names_clear(plain_names *names) {
    for (uint32_t slot = 0; slot < names->slot_count; slot++) {
        free(names->entries[slot]);
        names->entries[slot] = NULL;
    }
    memset(names->buckets, 0, ((size_t)names->mask + 1) * sizeof *names->buckets);
}

static uint32_t hash_of(uint32_t parent, const char *text, size_t length) {
    uint32_t hash = FNV_FIRST;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * FNV_FACTOR;
    }
    hash ^= parent * SPREAD;
    return (hash ^ hash >> 15) * SPREAD;
}

static bool is_called(const plain_name *entry, uint32_t parent, const char *text, size_t length) {
    return entry->parent == parent && strncmp(entry->text, text, length) == 0 && entry->text[length] == '\0';
}

/* The bucket of that name, or the empty one in which it belongs. */
static plain_name **bucket_of(const plain_names *names, uint32_t hash, uint32_t parent, const char *text,
                              size_t length) {
    uint32_t bucket = hash & names->mask;
    for (const plain_name *entry; (entry = names->buckets[bucket]) != NULL; bucket = (bucket + 1) & names->mask) {
        if (entry->hash == hash && is_called(entry, parent, text, length)) {
            break;
        }
    }
    return &names->buckets[bucket];
}

BENCH_NOINLINE bool plain_names_set(plain_names *names, uint32_t slot, uint32_t parent, const char *text) {
    size_t length = strlen(text);
    uint32_t hash = hash_of(parent, text, length);
    plain_name **bucket = bucket_of(names, hash, parent, text, length);
    if (*bucket != NULL) {
        return false;
    }
    plain_name *entry = bench_allocate(1, sizeof *entry + length + 1);
    *entry = (plain_name){.slot = slot, .parent = parent, .hash = hash};
    memcpy(entry->text, text, length + 1);
    names->entries[slot] = entry;
    *bucket = entry;
    return true;
}

BENCH_NOINLINE uint32_t plain_names_lookup(const plain_names *names, const char *path) {
    uint32_t parent = PLAIN_NO_PARENT;
    for (;;) {
        size_t length = strcspn(path, "/");
        const plain_name *entry = *bucket_of(names, hash_of(parent, path, length), parent, path, length);
        if (entry == NULL || path[length] == '\0') {
            return entry != NULL ? entry->slot : PLAIN_NO_SLOT;
        }
        parent = entry->slot;
        path += length + 1;
    }
}
