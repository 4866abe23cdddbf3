/*
 * What a programmer writes by hand for entities that all have a position and a velocity: tight arrays of rows, and
 * beside them for each slot its row and its generation. A handle is slot and generation in 64 bits.
 *
 *     slot  -> rows[], generations[]
 *     row   -> positions[], velocities[], slots[]      slots[rows[s]] == s for each slot s alive
 *
 * Destroying fills the hole with the last row. It does what create, destroy and get need and nothing else: one set
 * of components, no check for another world, no message, no reuse of slots but in plain_destroy_all().
 */
#ifndef BENCH_PLAIN_WORLD_H
#define BENCH_PLAIN_WORLD_H

#include "components.h"

typedef struct plain_world {
    uint32_t *rows;
    uint32_t *generations;
    uint32_t slot_count;
    uint32_t slot_capacity;
    Position *positions;
    Velocity *velocities;
    uint32_t *slots;
    uint32_t row_count;
    uint32_t row_capacity;
    uint32_t *free_slots; /* a stack; made by plain_prepare_free_slots() */
    uint32_t free_count;
} plain_world;

/* Zero-initialised is an empty world. The functions are not inlined, as calls into a library are not. */
uint64_t plain_create(plain_world *world, Position position, Velocity velocity);
bool plain_destroy(plain_world *world, uint64_t entity);

/* Fills an empty world with `count` entities at once. */
void plain_create_all(plain_world *world, const Position *positions, const Velocity *velocities, uint32_t count);

/* Makes room for all slots on the stack of free slots. */
void plain_prepare_free_slots(plain_world *world);

/* Ends every entity: old handles are dead and every slot is on the stack. */
void plain_destroy_all(plain_world *world);

/* Forgets all entities and keeps the arrays, for filling them again. */
void plain_reset(plain_world *world);

/* Frees the arrays; the world is empty then. */
void plain_free(plain_world *world);

/* Sum of Position.x of every entity. */
double plain_sum_x(const plain_world *world);

/* Bytes of all arrays. */
size_t plain_bytes(const plain_world *world);

/* The row of a handle, or NULL-like UINT32_MAX for a dead one. Inline: it is two loads and a compare. */
static inline uint32_t plain_row(const plain_world *world, uint64_t entity) {
    uint32_t slot = (uint32_t)entity;
    return world->generations[slot] == (uint32_t)(entity >> 32) ? world->rows[slot] : UINT32_MAX;
}

#endif
