/**
 * @file world.h
 * Worlds. A world holds entities, their rows, queries and command buffers, and gives all of it back when it
 * is destroyed. Worlds share nothing but the component registry.
 */
#ifndef SHOAL_WORLD_H
#define SHOAL_WORLD_H

#include <shoal/component.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A world's definition; zero-initialised members mean the default. */
typedef struct shoal_world_def {
    const char *name;              /**< For messages; copied, cut after 31 bytes; default "world". */
    shoal_allocator allocator;     /**< Default: the system's. Give both functions or none. */
    size_t memory_limit;           /**< Bytes that the world may hold; 0 means no limit. */
    shoal_log_fn log;              /**< Default: nothing is logged. */
    void *log_user;                /**< Handed to `log`. */
    size_t first_chunk_bytes;      /**< Size of an archetype's first chunk; default 1,024. */
    size_t largest_chunk_bytes;    /**< Size that an archetype's chunks grow to; default 262,144. */
    size_t pinned_chunk_bytes;     /**< When set, every chunk has this size (4,096 and 16,384 are classic). */
    uint64_t entity_limit;         /**< Entity slots; default and maximum 2^32. */
    uint32_t shared_value_warning; /**< A warning is logged when a shared component comes to this many distinct
                                        values; default 1,024. */
    bool move_rows;                /**< Torture: a structural change moves each chunk that it touches, and fills and
                                        (under AddressSanitizer) poisons the old one, so that a stale pointer shows.
                                        Slow; for tests. */
} shoal_world_def;

/**
 * Makes a world; NULL as definition means all defaults. Returns NULL on failure and shoal_last_error(NULL) says
 * why: CHUNK_SIZE, INVALID_ARGUMENT, WORLD_LIMIT, OUT_OF_MEMORY, MEMORY_LIMIT. The caller owns the world.
 * Thread: any.
 */
SHOAL_API shoal_world *shoal_world_create(const shoal_world_def *def);

/**
 * Ends a world with all its entities (dtor hooks run), queries and command buffers; every pointer and handle
 * that came from it is stale then. NULL is fine. WORLD_LOCKED while a view is open or a callback runs: nothing
 * happens then. Thread: world.
 */
SHOAL_API shoal_status shoal_world_destroy(shoal_world *world);

/** The world's name. Valid as long as the world. Thread: read. */
SHOAL_API const char *shoal_world_name(const shoal_world *world);

/** The tag that the world's handles carry, 1 to 32,767. Thread: read. */
SHOAL_API uint32_t shoal_world_tag(const shoal_world *world);

/** Entities alive. Thread: read. */
SHOAL_API uint64_t shoal_world_entity_count(const shoal_world *world);

/**
 * Who holds the world's iteration lock: the name of the query or call whose view or callback is the last to
 * have opened (while systems run: on this thread), or NULL when structural changes are allowed. After views have ended
 * out of order it may be the name of one that has ended. Thread: read.
 */
SHOAL_API const char *shoal_world_lock_holder(const shoal_world *world);

/**
 * Gives memory back: empty archetypes, empty slabs of chunks, index pages without a live entity, scratch.
 * Stops after `budget_microseconds` (0 means no limit), checked after each archetype, slab and page; call it
 * again to go on. `released_bytes` (may be NULL) gets the bytes given back. Queries, handles and the
 * generations of free slots stay as they are. An archetype that is removed and comes back later is the youngest
 * then, so programs that need the same iteration order in each run call it with budget 0.
 * WORLD_LOCKED while a view is open. Makes no allocation that must succeed. Thread: world.
 */
SHOAL_API shoal_status shoal_world_trim(shoal_world *world, uint64_t budget_microseconds, size_t *released_bytes);

/**
 * Walks the whole world and checks every invariant: slots against rows, rows against slots, chunk order and
 * counts, layouts, query caches, byte counts. CORRUPT with the place in the message; WORLD_LOCKED in a
 * callback in the middle of shoal_commands_apply(), when nothing can be said, and while systems run. Costs time in
 * proportion to the world. Thread: world.
 */
SHOAL_API shoal_status shoal_world_validate(shoal_world *world);

/** What a world holds, in bytes and counts. */
typedef struct shoal_memory_report {
    size_t total_bytes;                        /**< held from the allocator now */
    size_t peak_bytes;                         /**< the most that was ever held */
    size_t limit_bytes;                        /**< 0: none */
    size_t purpose_bytes[SHOAL_PURPOSE_COUNT]; /**< sums to total_bytes */
    uint64_t entity_count;                     /**< alive */
    uint64_t slot_count;                       /**< slots that have a record: alive, free, retired, reserved */
    uint64_t retired_slot_count;               /**< slots whose generations are used up */
    uint32_t archetype_count;                  /**< also empty ones */
    uint32_t query_count;                      /**< queries alive */
    uint64_t chunk_count;                      /**< chunks that hold rows */
    size_t chunk_bytes;                        /**< bytes of those chunks */
    size_t chunk_used_bytes;                   /**< bytes of live rows in them */
    size_t chunk_unused_bytes;                 /**< headers, gaps and free rows in them */
    size_t pool_free_bytes;                    /**< chunks in the pools that hold no row */
    uint64_t sparse_count;                     /**< values of sparse components */
    uint64_t relation_count;                   /**< relations from a source to a target */
    uint64_t shared_value_count;               /**< distinct shared values */
    uint64_t buffer_heap_count;                /**< buffers whose elements are on the heap */
    size_t buffer_heap_bytes;                  /**< bytes of those elements, with room to grow */
    uint64_t dying_count;                      /**< entities that wait for their cleanup components */
} shoal_memory_report;

/** Fills `report`. INVALID_ARGUMENT for a null pointer. Thread: read. */
SHOAL_API shoal_status shoal_world_memory(const shoal_world *world, shoal_memory_report *report);

/** One archetype, as shoal_archetype_next() reports it. */
typedef struct shoal_archetype_info {
    const shoal_component *components; /**< sorted: data components by id, then tags by id */
    size_t component_count;            /**< of `components` */
    size_t chunk_count;                /**< chunks that hold rows */
    uint64_t row_count;                /**< entities */
    uint64_t row_capacity;             /**< rows that fit into its chunks */
    size_t used_bytes;                 /**< bytes of live rows */
    size_t unused_bytes;               /**< headers, gaps and free rows of its chunks */
    uint32_t cursor;                   /**< private: where the walk is */
} shoal_archetype_info;

/**
 * Walks the archetypes by age: start with a zero-initialised `info`; false at the end. Pointers in it are valid
 * until the next trim. Thread: read.
 */
SHOAL_API bool shoal_archetype_next(const shoal_world *world, shoal_archetype_info *info);

#ifdef __cplusplus
}
#endif

#endif
