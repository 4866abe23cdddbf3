/**
 * @file base.h
 * What every other header needs: export mark, version, status codes, the last error, the allocator
 * contract, the log, the limits.
 *
 * Every fallible call returns a shoal_status, or a handle or pointer whose null means that
 * shoal_last_error() has the status and a sentence with the names involved. No call aborts, exits or
 * sets errno. Each function's comment has a line "Thread:" with one of three rules:
 *
 *   any    from any thread at any time
 *   read   from several threads at once, while no thread makes a "world" call on the same world
 *   world  one thread at a time for each world; different worlds are independent
 */
#ifndef SHOAL_BASE_H
#define SHOAL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHOAL_VERSION_MAJOR 0 /**< Rises with what breaks programs. */
#define SHOAL_VERSION_MINOR 1 /**< Rises with new calls. */
#define SHOAL_VERSION_PATCH 0 /**< Rises with what mends. */
#define SHOAL_VERSION "0.1.0" /**< The version of these headers; shoal_version() has the library's. */

#if defined(_WIN32) && defined(SHOAL_SHARED)
#ifdef SHOAL_BUILD
#define SHOAL_API __declspec(dllexport)
#else
#define SHOAL_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define SHOAL_API __attribute__((visibility("default")))
#else
#define SHOAL_API
#endif

/* For file-scope objects that a translation unit may leave unused. */
#if defined(__GNUC__)
#define SHOAL_MAYBE_UNUSED __attribute__((unused))
#else
#define SHOAL_MAYBE_UNUSED
#endif

/* For functions that must vanish into their caller. */
#if defined(__GNUC__)
#define SHOAL_INLINE static inline __attribute__((always_inline))
#else
#define SHOAL_INLINE static inline
#endif

#if defined(__GNUC__)
/** The number of the lowest bit that is set; there is one. */
#define SHOAL_LOWEST_BIT(bits) ((size_t)__builtin_ctzll(bits))
#else
/** The number of the lowest bit that is set; there is one. Thread: any. */
static inline size_t shoal_lowest_bit(uint64_t bits) {
    size_t number = 0;
    while (((bits >> number) & 1) == 0) {
        number++;
    }
    return number;
}
/** The same, where the compiler has nothing for it. */
#define SHOAL_LOWEST_BIT(bits) shoal_lowest_bit(bits)
#endif

/* Fetches a line that is read soon; any address is fine. */
#if defined(__GNUC__)
#define SHOAL_PREFETCH(address) __builtin_prefetch(address)
#else
#define SHOAL_PREFETCH(address) ((void)(address))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A world: all entities and their data; see world.h. */
typedef struct shoal_world shoal_world;

/**
 * All status codes: X(code, name, sentence). The sentence is what shoal_status_sentence() returns;
 * docs/semantics.md lists the table with what each call leaves behind.
 */
#define SHOAL_STATUS_TABLE(X)                                                                                          \
    X(SHOAL_OK, "ok", "The call did what it was asked to do.")                                                         \
    X(SHOAL_INVALID_ARGUMENT, "invalid argument", "An argument is null, out of range or contradicts another.")         \
    X(SHOAL_OUT_OF_MEMORY, "out of memory", "The allocator returned null; the world is as it was before the call.")    \
    X(SHOAL_MEMORY_LIMIT, "memory limit", "The call would exceed the world's memory limit; nothing changed.")          \
    X(SHOAL_ENTITY_NULL, "null entity", "The handle is null.")                                                         \
    X(SHOAL_ENTITY_DEAD, "dead entity", "The entity has been destroyed.")                                              \
    X(SHOAL_ENTITY_FOREIGN, "foreign entity", "The handle belongs to another world.")                                  \
    X(SHOAL_ENTITY_PLACEHOLDER, "placeholder entity",                                                                  \
      "The handle was given out by a command buffer and names nothing outside of that buffer.")                        \
    X(SHOAL_ENTITY_DYING, "dying entity",                                                                              \
      "The entity is destroyed and only keeps cleanup components; it takes nothing new.")                              \
    X(SHOAL_ENTITY_LIMIT, "entity limit", "Every entity slot of the world is in use, reserved or retired.")            \
    X(SHOAL_SLOT_TAKEN, "slot taken", "The slot of the chosen handle is in use by another entity.")                    \
    X(SHOAL_GENERATION_USED, "generation used", "The slot of the chosen handle has already had this generation.")      \
    X(SHOAL_COMPONENT_INVALID, "invalid component", "The component is null or was never registered.")                  \
    X(SHOAL_COMPONENT_MISSING, "missing component", "The entity does not have the component.")                         \
    X(SHOAL_COMPONENT_DUPLICATE, "duplicate component", "One call names a component twice.")                           \
    X(SHOAL_COMPONENT_CONFLICT, "component conflict", "A component of this name exists with another layout.")          \
    X(SHOAL_COMPONENT_COLLISION, "component collision", "Two component names have the same 64-bit hash.")              \
    X(SHOAL_COMPONENT_LIMIT, "component limit", "No more component types can be registered.")                          \
    X(SHOAL_COMPONENT_NAME, "component name", "A component name is empty, too long or has a control character.")       \
    X(SHOAL_COMPONENT_SIZE, "component size",                                                                          \
      "The component is larger than the limit or no multiple of its alignment.")                                       \
    X(SHOAL_COMPONENT_ALIGNMENT, "component alignment", "The alignment is no power of two or exceeds the limit.")      \
    X(SHOAL_COMPONENT_HOOKS, "component hooks",                                                                        \
      "A type with a ctor, copy, move or dtor hook needs both copy and dtor.")                                         \
    X(SHOAL_COMPONENT_TRAITS, "component traits", "The kind and the traits of a definition contradict each other.")    \
    X(SHOAL_COMPONENT_KIND, "component kind", "The call is not for components of this kind.")                          \
    X(SHOAL_FIELD_INVALID, "invalid field", "A field lies outside of its type, overlaps another or has a wrong size.") \
    X(SHOAL_VALUE_REFUSED, "value refused", "The component's validate hook refused the value; nothing changed.")       \
    X(SHOAL_HOOK_FAILED, "hook failed", "A ctor or copy hook failed; the world is as it was before the call.")         \
    X(SHOAL_ROW_TOO_LARGE, "row too large", "The components together are larger than one row may be.")                 \
    X(SHOAL_ARCHETYPE_LIMIT, "archetype limit", "No more archetypes can be made.")                                     \
    X(SHOAL_CHUNK_SIZE, "chunk size", "A chunk size is no power of two from 1,024 to 1,048,576 bytes.")                \
    X(SHOAL_WORLD_LOCKED, "world locked", "A view is open or a callback runs; structural changes must wait.")          \
    X(SHOAL_WORLD_LIMIT, "world limit", "Too many worlds are alive.")                                                  \
    X(SHOAL_RELATION_CYCLE, "relation cycle", "The relation would lead from an entity back to itself.")                \
    X(SHOAL_RELATION_MISSING, "missing relation", "The entity does not have the relation to this target.")             \
    X(SHOAL_TARGET_HELD, "held target", "A relation that the entity is the target of refuses its destruction.")        \
    X(SHOAL_NAME_INVALID, "invalid name", "A name is empty, longer than 255 bytes, not UTF-8, or has a / in it.")      \
    X(SHOAL_NAME_TAKEN, "taken name", "Another entity of the same parent has this name.")                              \
    X(SHOAL_NOT_FOUND, "not found", "There is nothing of that name, or nothing that matches.")                         \
    X(SHOAL_NOT_SINGLE, "not single", "More than one entity matches.")                                                 \
    X(SHOAL_TEXT_INVALID, "invalid text", "The text cannot be read; the message shows the place.")                     \
    X(SHOAL_TERM_INVALID, "invalid term", "A query term contradicts another or asks for what cannot be.")              \
    X(SHOAL_TERM_MISSING, "missing term", "The view's query has no such term, or the view is closed.")                 \
    X(SHOAL_TERM_READ_ONLY, "read-only term", "The query declares the component for reading, not for writing.")        \
    X(SHOAL_TERM_WITHOUT_DATA, "term without data", "The component is a tag, or the term asks for presence only.")     \
    X(SHOAL_WRITE_FAILED, "write failed", "The writer callback took fewer bytes than it was given.")                   \
    X(SHOAL_SYSTEM_INVALID, "invalid system",                                                                          \
      "The definition of a system or phase contradicts itself; the message says where.")                               \
    X(SHOAL_SYSTEM_EXISTS, "existing system", "Another system or phase of the world has this name.")                   \
    X(SHOAL_SYSTEM_MISSING, "missing system", "An order names a system or phase that is not there.")                   \
    X(SHOAL_SYSTEM_CYCLE, "system cycle", "The orders of systems lead back to where they began.")                      \
    X(SHOAL_ACCESS_UNDECLARED, "undeclared access", "A system has read, written or recorded what it did not declare.") \
    X(SHOAL_COMMAND_DROPPED, "dropped command", "A command of a system was dropped, and the world is to report that.") \
    X(SHOAL_POOL_BUSY, "busy pool", "The pool is at work, or a world is configured to use it.")                        \
    X(SHOAL_THREAD_FAILED, "failed thread", "The system refused to start a thread.")                                   \
    X(SHOAL_UNSUPPORTED, "unsupported", "The library was built without what the call needs.")                          \
    X(SHOAL_CORRUPT, "corrupt", "Validation found the world in a state that it must never be in.")

/** A status code; zero is success. */
typedef enum shoal_status {
#define SHOAL_STATUS_CODE(code, name, sentence) code,
    SHOAL_STATUS_TABLE(SHOAL_STATUS_CODE)
#undef SHOAL_STATUS_CODE
        SHOAL_STATUS_COUNT
} shoal_status;

/** The short name of a status, for example "dead entity". Never null. Thread: any. */
SHOAL_API const char *shoal_status_name(shoal_status status);

/** One sentence that says what a status means. Never null. Thread: any. */
SHOAL_API const char *shoal_status_sentence(shoal_status status);

/** What the last failing call had to say. */
typedef struct shoal_error {
    shoal_status status; /**< SHOAL_OK when nothing has failed yet. */
    const char *message; /**< One line: call, status, and the names involved. Never null. */
} shoal_error;

/**
 * The last failure on `world` (of calls that only read, and while systems run: on this thread), or with NULL the last
 * failure on this thread of a call that has no world (registering a component, creating a world). A success does not
 * clear it. The message belongs to the library and is valid until the same thread asks again.
 * Thread: read.
 */
SHOAL_API shoal_error shoal_last_error(const shoal_world *world);

/**
 * Where a world's memory comes from. Zero-initialised means the system's allocator.
 * `allocate` returns memory of at least `byte_size` bytes (never 0) aligned to `alignment` (a power of
 * two), or NULL; the content is indeterminate. `release` gets the size and the alignment back.
 * A world calls its allocator from the thread that makes a call on it; while its systems run, from any of their
 * threads, but from one at a time.
 */
typedef struct shoal_allocator {
    /** Returns memory, or NULL when there is none. */
    void *(*allocate)(void *context, size_t byte_size, size_t alignment);
    /** Takes back what `allocate` returned. */
    void (*release)(void *context, void *memory, size_t byte_size, size_t alignment);
    void *context; /**< Handed to both; the caller owns it; it must outlive the world. */
} shoal_allocator;

/** What a world uses memory for: X(code, name). */
#define SHOAL_PURPOSE_TABLE(X)                                                                                         \
    X(SHOAL_PURPOSE_WORLD, "world")                                                                                    \
    X(SHOAL_PURPOSE_INDEX, "entity index")                                                                             \
    X(SHOAL_PURPOSE_ARCHETYPE, "archetypes")                                                                           \
    X(SHOAL_PURPOSE_CHUNK, "chunks")                                                                                   \
    X(SHOAL_PURPOSE_SPARSE, "sparse components")                                                                       \
    X(SHOAL_PURPOSE_SHARED, "shared values")                                                                           \
    X(SHOAL_PURPOSE_BUFFER, "buffers")                                                                                 \
    X(SHOAL_PURPOSE_RELATION, "relations")                                                                             \
    X(SHOAL_PURPOSE_UNIQUE, "unique values")                                                                           \
    X(SHOAL_PURPOSE_NAME, "names")                                                                                     \
    X(SHOAL_PURPOSE_QUERY, "queries")                                                                                  \
    X(SHOAL_PURPOSE_COMMAND, "commands")                                                                               \
    X(SHOAL_PURPOSE_SCHEDULE, "schedule")                                                                              \
    X(SHOAL_PURPOSE_SCRATCH, "scratch")

/** What a world uses memory for. */
typedef enum shoal_purpose {
#define SHOAL_PURPOSE_CODE(code, name) code,
    SHOAL_PURPOSE_TABLE(SHOAL_PURPOSE_CODE)
#undef SHOAL_PURPOSE_CODE
        SHOAL_PURPOSE_COUNT
} shoal_purpose;

/** The name of a purpose. Never null. Thread: any. */
SHOAL_API const char *shoal_purpose_name(shoal_purpose purpose);

/** Takes `size` bytes of text (not terminated) and returns how many it took; fewer ends the output. */
typedef size_t (*shoal_write_fn)(void *user, const char *text, size_t size);

/** How important a log line is. */
typedef enum shoal_log_level { SHOAL_LOG_DEBUG, SHOAL_LOG_INFO, SHOAL_LOG_WARNING, SHOAL_LOG_ERROR } shoal_log_level;

/** Receives one line without a newline; `message` is valid during the call only. */
typedef void (*shoal_log_fn)(void *user, shoal_log_level level, const char *message);

/** The library's limits; see shoal_limits_get(). */
typedef struct shoal_limits {
    uint32_t component_types;     /**< Component types in the process: 65,535, three of them built in. */
    uint32_t component_alignment; /**< Largest alignment of a component in bytes: 4,096. */
    size_t component_bytes;       /**< Largest component in bytes: 2^30. */
    size_t row_bytes;             /**< A row up to this many bytes fits for certain: 2^30. */
    uint64_t entities;            /**< Entity slots in a world: 2^32. */
    uint32_t generations;         /**< Entities that one slot can name, one after the other: 65,536. */
    uint32_t worlds;              /**< Worlds alive at one time: 32,767. */
    uint32_t archetypes;          /**< Archetypes alive in a world: 2^28. */
    uint32_t query_terms;         /**< Terms of one query: 1,024. */
    size_t chunk_bytes_min;       /**< Smallest chunk in bytes: 1,024. */
    size_t chunk_bytes_max;       /**< Largest chunk in bytes, but for a row that is larger: 2^20. */
} shoal_limits;

/** The limits of this build. Thread: any. */
SHOAL_API shoal_limits shoal_limits_get(void);

/** The version of the library that is linked, for example "0.1.0". Thread: any. */
SHOAL_API const char *shoal_version(void);

#ifdef __cplusplus
}
#endif

#endif
