/**
 * @file hash.h
 * A hash of all that a world holds, to prove that two runs came to the same: on another number of threads, after a load
 * or a rollback, on another machine.
 */
#ifndef SHOAL_HASH_H
#define SHOAL_HASH_H

#include <shoal/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which order and which bytes a hash goes by. */
typedef enum shoal_hash_form {
    /**
     * By handle: entities by index, the components of each by name. It does not depend on where rows lie, on the order
     * of registration, on the world's tag, on compiler or optimisation. Of a type with a field table the fields are
     * hashed, so the bytes between them do not matter; of one without, all its bytes.
     */
    SHOAL_HASH_CANONICAL,
    /**
     * As the rows lie: archetypes by age, their chunks, whole columns. Several times faster; equal for two worlds of
     * one process, or of two runs of one program, that have gone through the same operations in the same order. Types
     * whose fields leave bytes between them are hashed by fields here, too.
     */
    SHOAL_HASH_LAYOUT
} shoal_hash_form;

/**
 * Hashes the world with XXH3 (64 bits): the tick, entities with index and generation, the state of free slots (so that
 * equal hashes mean equal handles to come), components of every kind with their values, enable bits, elements of
 * buffers, relations with their targets in order and their data, uniques, names. What is no content does not count:
 * queries, systems, capacities, memory. Entity fields count as index and generation. Of values with hooks and without a
 * field table only the presence counts, since their bytes may be pointers; with one, the fields.
 *
 * UNSUPPORTED when the library was built without xxHash, INVALID_ARGUMENT for a null pointer, OUT_OF_MEMORY,
 * MEMORY_LIMIT. WORLD_LOCKED in the middle of an apply. Thread: world.
 */
SHOAL_API shoal_status shoal_world_hash(shoal_world *world, shoal_hash_form form, uint64_t *hash);

#ifdef __cplusplus
}
#endif

#endif
