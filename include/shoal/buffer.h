/**
 * @file buffer.h
 * Buffers: a growing array for each entity. The first elements lie in the chunk, beside the entity's other values;
 * when there are more, all of them move to the heap, and back into the chunk when they fit again.
 *
 *     typedef struct { float x, y; } Waypoint;
 *     SHOAL_COMPONENT(Waypoint, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 4)
 *
 *     shoal_entity ship = shoal_spawn(world, SHOAL_VALUES(SHOAL_ITEMS(Waypoint, {0, 0}, {4, 1})));
 *     shoal_buffer path = shoal_buffer_get(world, ship, SHOAL_ID(Waypoint));
 *     shoal_buffer_push(path, &(Waypoint){8, 8});
 *     Waypoint *points = shoal_buffer_items(path);
 *
 * Changing the elements is not a structural change, so it works while a view is open. Where a call takes the value of
 * a buffer (spawn, add, set, commands), it takes a shoal_span. The hooks of the type work on elements; on_set is told
 * when such a call gives the whole value, not when the calls here change elements.
 */
#ifndef SHOAL_BUFFER_H
#define SHOAL_BUFFER_H

#include <shoal/entity.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Elements that a caller gives; read during the call only. */
typedef struct shoal_span {
    const void *items; /**< `count` elements, tight; may be NULL when count is 0 */
    size_t count;      /**< elements */
} shoal_span;

/** A buffer value given in place: SHOAL_ITEMS(Waypoint, {0, 0}, {4, 1}). */
#define SHOAL_ITEMS(Type, ...)                                                                                         \
    {                                                                                                                  \
        shoal_component_of_storage(&shoal_slot_##Type, SHOAL_STORAGE_BUFFER), &(shoal_span) {                          \
            (const Type[]){__VA_ARGS__}, sizeof((const Type[]){__VA_ARGS__}) / sizeof(Type)                            \
        }                                                                                                              \
    }

/**
 * One entity's buffer; pass it by value. It is valid until the next structural change of the entity's archetype; a
 * pointer to its elements until the next change of their number, too. Zero-initialised is null.
 */
typedef struct shoal_buffer {
    shoal_world *world_; /* private */
    const void *type_;
    void *cell_;
} shoal_buffer;

/** The entity's buffer; null on failure: COMPONENT_MISSING, COMPONENT_KIND, and the ENTITY_ statuses.
    Thread: read, where no two threads change one buffer. */
SHOAL_API shoal_buffer shoal_buffer_get(shoal_world *world, shoal_entity entity, shoal_component component);

/** True for a null buffer. Thread: any. */
static inline bool shoal_buffer_is_null(shoal_buffer buffer) {
    return buffer.cell_ == NULL;
}

/** Elements. Thread: read. */
SHOAL_API size_t shoal_buffer_count(shoal_buffer buffer);

/** The elements, tight; NULL for a null buffer. Thread: read. */
SHOAL_API void *shoal_buffer_items(shoal_buffer buffer);

/** Elements that fit into the chunk, and true when they lie on the heap. Thread: read. */
SHOAL_API size_t shoal_buffer_inline_count(shoal_buffer buffer);
/** See above. Thread: read. */
SHOAL_API bool shoal_buffer_is_on_heap(shoal_buffer buffer);

/** Appends an element; NULL gives the type's default. Every call here that changes a buffer can return
    INVALID_ARGUMENT, OUT_OF_MEMORY, MEMORY_LIMIT, HOOK_FAILED, VALUE_REFUSED, and leaves it as it was then.
    The element may lie in the buffer itself. Thread: world. */
SHOAL_API shoal_status shoal_buffer_push(shoal_buffer buffer, const void *element);

/** Inserts an element before `at`; at == count appends. INVALID_ARGUMENT beyond. Thread: world. */
SHOAL_API shoal_status shoal_buffer_insert(shoal_buffer buffer, size_t at, const void *element);

/** Removes the element at `at` and moves the later ones up. Thread: world. */
SHOAL_API shoal_status shoal_buffer_erase(shoal_buffer buffer, size_t at);

/** Removes the element at `at` and puts the last one into its place. Thread: world. */
SHOAL_API shoal_status shoal_buffer_erase_swap(shoal_buffer buffer, size_t at);

/** Makes the buffer `count` elements long; new ones are defaults. Thread: world. */
SHOAL_API shoal_status shoal_buffer_resize(shoal_buffer buffer, size_t count);

/** Replaces all elements. They may lie in the buffer itself. Thread: world. */
SHOAL_API shoal_status shoal_buffer_assign(shoal_buffer buffer, shoal_span elements);

#ifdef __cplusplus
}
#endif

#endif
