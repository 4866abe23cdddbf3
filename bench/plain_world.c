/*
 * The hand-written counterpart of a world; see plain_world.h.
 *
 * Arrays double when they are full and are never given back before plain_free().
 */
#include "plain_world.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

#define FIRST_CAPACITY 64

static void *grown(void *memory, size_t count, size_t size) {
    void *larger = realloc(memory, count * size);
    BENCH_CHECK(larger != NULL, "no memory for %zu values of %zu bytes", count, size);
    return larger;
}

static void grow_slots(plain_world *world) {
    world->slot_capacity = world->slot_capacity != 0 ? world->slot_capacity * 2 : FIRST_CAPACITY;
    world->rows = grown(world->rows, world->slot_capacity, sizeof *world->rows);
    world->generations = grown(world->generations, world->slot_capacity, sizeof *world->generations);
}

static void grow_rows(plain_world *world) {
    world->row_capacity = world->row_capacity != 0 ? world->row_capacity * 2 : FIRST_CAPACITY;
    world->positions = grown(world->positions, world->row_capacity, sizeof *world->positions);
    world->velocities = grown(world->velocities, world->row_capacity, sizeof *world->velocities);
    world->slots = grown(world->slots, world->row_capacity, sizeof *world->slots);
}

BENCH_NOINLINE uint64_t plain_create(plain_world *world, Position position, Velocity velocity) {
    if (world->slot_count == world->slot_capacity) {
        grow_slots(world);
    }
    if (world->row_count == world->row_capacity) {
        grow_rows(world);
    }
    uint32_t slot = world->slot_count++;
    uint32_t row = world->row_count++;
    world->rows[slot] = row;
    world->generations[slot] = 0;
    world->positions[row] = position;
    world->velocities[row] = velocity;
    world->slots[row] = slot;
    return slot;
}

BENCH_NOINLINE void plain_create_all(plain_world *world, const Position *positions, const Velocity *velocities,
                                     uint32_t count) {
    world->rows = bench_allocate(count, sizeof *world->rows);
    world->generations = bench_allocate_zeroed(count, sizeof *world->generations);
    world->positions = bench_allocate(count, sizeof *world->positions);
    world->velocities = bench_allocate(count, sizeof *world->velocities);
    world->slots = bench_allocate(count, sizeof *world->slots);
    memcpy(world->positions, positions, count * sizeof *positions);
    memcpy(world->velocities, velocities, count * sizeof *velocities);
    for (uint32_t i = 0; i < count; i++) {
        world->slots[i] = i;
        world->rows[i] = i;
    }
    world->slot_count = world->slot_capacity = world->row_count = world->row_capacity = count;
}

BENCH_NOINLINE bool plain_destroy(plain_world *world, uint64_t entity) {
    uint32_t slot = (uint32_t)entity;
    if (world->generations[slot] != (uint32_t)(entity >> 32)) {
        return false;
    }
    uint32_t row = world->rows[slot];
    uint32_t last = --world->row_count;
    uint32_t moved = world->slots[last];
    world->positions[row] = world->positions[last];
    world->velocities[row] = world->velocities[last];
    world->slots[row] = moved;
    world->rows[moved] = row;
    world->generations[slot]++;
    return true;
}

void plain_prepare_free_slots(plain_world *world) {
    world->free_slots = bench_allocate(world->slot_capacity, sizeof *world->free_slots);
    memset(world->free_slots, 0, world->slot_capacity * sizeof *world->free_slots);
    world->free_count = 0;
}

BENCH_NOINLINE void plain_destroy_all(plain_world *world) {
    for (uint32_t row = 0; row < world->row_count; row++) {
        uint32_t slot = world->slots[row];
        world->generations[slot]++;
        world->free_slots[world->free_count++] = slot;
    }
    world->row_count = 0;
}

void plain_reset(plain_world *world) {
    world->slot_count = 0;
    world->row_count = 0;
}

void plain_free(plain_world *world) {
    free(world->rows);
    free(world->generations);
    free(world->positions);
    free(world->velocities);
    free(world->slots);
    free(world->free_slots);
    *world = (plain_world){0};
}

double plain_sum_x(const plain_world *world) {
    double sum = 0;
    for (uint32_t row = 0; row < world->row_count; row++) {
        sum += (double)world->positions[row].x;
    }
    return sum;
}

size_t plain_bytes(const plain_world *world) {
    size_t slot_bytes = sizeof *world->rows + sizeof *world->generations;
    size_t row_bytes = sizeof(Position) + sizeof(Velocity) + sizeof *world->slots;
    return world->slot_capacity * slot_bytes + world->row_capacity * row_bytes;
}
