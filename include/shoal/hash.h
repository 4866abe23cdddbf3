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
     * By handle: entities by index, what each has by name. It does not depend on where rows lie, on the order of
     * registration, on the world's tag, on compiler or optimisation. Of a type with a field table the fields are
     * hashed, so the bytes between them do not matter, nor those of a text behind its end; of one without, all its
     * bytes. Numbers count as their bytes, so it is the same on machines of one byte order; 0.0 and -0.0 differ. The
     * value of a chunk component counts for each entity that has it.
     */
    SHOAL_HASH_CANONICAL,
    /**
     * As the rows lie: archetypes by age, their chunks, whole columns. Several times faster; equal for two worlds of
     * one process, or of two runs of one program, that have gone through the same operations in the same order. Types
     * whose fields leave bytes between them are hashed by fields here, too. Archetypes without rows do not count.
     */
    SHOAL_HASH_LAYOUT
} shoal_hash_form;

/**
 * Hashes the world with XXH3 (64 bits): the tick, entities with index and generation, the state of free slots (so that
 * equal hashes mean equal handles to come), components of every kind with their values, enable bits, elements of
 * buffers, relations with their targets in order, their data and the order of the sources of a target, uniques, names.
 * What is no content does not count: queries, systems, commands that have not been applied, when a unique was written,
 * limits, capacities, memory. Entity fields count as index and generation. Of values with a copy hook and without a
 * field table only the presence counts, since their bytes may be pointers; with one, the fields. A later version of the
 * library may give another hash for the same world.
 *
 * It may be called while views are open. It costs time in proportion to what the world holds, and some scratch memory.
 * UNSUPPORTED when the library was built without xxHash, INVALID_ARGUMENT for a null pointer or an unknown form,
 * OUT_OF_MEMORY, MEMORY_LIMIT. WORLD_LOCKED in the middle of an apply, in an on_remove hook and while systems run.
 * `*hash` is written on success only. Thread: world.
 */
SHOAL_API shoal_status shoal_world_hash(shoal_world *world, shoal_hash_form form, uint64_t *hash);

#ifdef __cplusplus
}
#endif

#endif
