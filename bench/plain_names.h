/*
 * What a programmer writes by hand for entities that are found by a path of names: a hash table of open addressing.
 *
 *     slot                    -> entries[] -> slot, parent, hash, text      one allocation; NULL without a name
 *     hash of parent and text -> buckets[], and on from there -> entry
 *
 * The table is at most half full and does not grow, for the slots are known from the start. A path is walked part by
 * part from the roots, whose parent is PLAIN_NO_PARENT. The functions are not inlined, as calls into a library are not.
 */
#ifndef BENCH_PLAIN_NAMES_H
#define BENCH_PLAIN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN_NO_PARENT UINT32_MAX
#define PLAIN_NO_SLOT UINT32_MAX

typedef struct plain_name {
    uint32_t slot;
    uint32_t parent;
    uint32_t hash;
    char text[];
} plain_name;

typedef struct plain_names {
    plain_name **entries;
    plain_name **buckets; /* entries, or NULL */
    uint32_t mask;        /* of the buckets */
    uint32_t slot_count;
} plain_names;

/* No names for slots below `slot_count`, the pages touched. */
plain_names plain_names_create(size_t slot_count);

/* Frees names and arrays. */
void plain_names_free(plain_names *names);

/* Names a slot that has no name; false when another one below the parent is called so. */
bool plain_names_set(plain_names *names, uint32_t slot, uint32_t parent, const char *text);

/* Takes every name away. */
void plain_names_clear(plain_names *names);

/* The slot of a path of names with '/' between them, or PLAIN_NO_SLOT. */
uint32_t plain_names_lookup(const plain_names *names, const char *path);

#endif
