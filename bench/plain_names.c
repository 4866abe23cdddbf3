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
    plain_names names = {.texts = bench_allocate(slot_count, sizeof *names.texts),
                         .parents = bench_allocate(slot_count, sizeof *names.parents),
                         .hashes = bench_allocate(slot_count, sizeof *names.hashes),
                         .buckets = bench_allocate(bucket_count, sizeof *names.buckets),
                         .mask = (uint32_t)bucket_count - 1,
                         .slot_count = (uint32_t)slot_count};
    memset(names.texts, 0, slot_count * sizeof *names.texts);
    memset(names.parents, 0xFF, slot_count * sizeof *names.parents);
    memset(names.hashes, 0, slot_count * sizeof *names.hashes);
    memset(names.buckets, 0xFF, bucket_count * sizeof *names.buckets);
    return names;
}

void plain_names_free(plain_names *names) {
    plain_names_clear(names);
    free(names->texts);
    free(names->parents);
    free(names->hashes);
    free(names->buckets);
    *names = (plain_names){0};
}

void plain_names_clear(plain_names *names) {
    for (uint32_t slot = 0; slot < names->slot_count; slot++) {
        free(names->texts[slot]);
        names->texts[slot] = NULL;
    }
    memset(names->buckets, 0xFF, ((size_t)names->mask + 1) * sizeof *names->buckets);
}

static uint32_t hash_of(uint32_t parent, const char *text, size_t length) {
    uint32_t hash = FNV_FIRST;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * FNV_FACTOR;
    }
    hash ^= parent * SPREAD;
    return (hash ^ hash >> 15) * SPREAD;
}

static bool is_called(const plain_names *names, uint32_t slot, const char *text, size_t length) {
    return strncmp(names->texts[slot], text, length) == 0 && names->texts[slot][length] == '\0';
}

/* The bucket of that name, or the empty one in which it belongs. */
static uint32_t bucket_of(const plain_names *names, uint32_t parent, const char *text, size_t length) {
    uint32_t hash = hash_of(parent, text, length);
    for (uint32_t bucket = hash & names->mask;; bucket = (bucket + 1) & names->mask) {
        uint32_t slot = names->buckets[bucket];
        if (slot == PLAIN_NO_SLOT ||
            (names->hashes[slot] == hash && names->parents[slot] == parent && is_called(names, slot, text, length))) {
            return bucket;
        }
    }
}

BENCH_NOINLINE bool plain_names_set(plain_names *names, uint32_t slot, uint32_t parent, const char *text) {
    size_t length = strlen(text);
    uint32_t bucket = bucket_of(names, parent, text, length);
    if (names->buckets[bucket] != PLAIN_NO_SLOT) {
        return false;
    }
    char *copy = bench_allocate(length + 1, 1);
    memcpy(copy, text, length + 1);
    names->texts[slot] = copy;
    names->parents[slot] = parent;
    names->hashes[slot] = hash_of(parent, text, length);
    names->buckets[bucket] = slot;
    return true;
}

BENCH_NOINLINE uint32_t plain_names_lookup(const plain_names *names, const char *path) {
    uint32_t slot = PLAIN_NO_PARENT;
    for (;;) {
        size_t length = strcspn(path, "/");
        slot = names->buckets[bucket_of(names, slot, path, length)];
        if (slot == PLAIN_NO_SLOT || path[length] == '\0') {
            return slot;
        }
        path += length + 1;
    }
}
