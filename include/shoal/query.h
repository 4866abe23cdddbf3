/**
 * @file query.h
 * Queries and views. A query names terms and caches which archetypes match; a view is one chunk of rows, with a
 * pointer to each column.
 *
 *     shoal_query *moving = shoal_query_create(world, &(shoal_query_def){
 *         .terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Velocity), SHOAL_WITHOUT(Frozen))});
 *     shoal_view view;
 *     shoal_view_begin(&view, moving);
 *     while (shoal_view_next(&view)) {
 *         Position *position = SHOAL_COLUMN_MUT(&view, Position);
 *         const Velocity *velocity = SHOAL_COLUMN(&view, Velocity);
 *         for (size_t i = 0; i < view.count; i++) { ... }
 *     }
 *
 * From begin until next returns false (or shoal_view_end() is called) the world refuses structural changes.
 * Views come in a fixed order: archetypes by age, then chunks. Iterating allocates nothing.
 */
#ifndef SHOAL_QUERY_H
#define SHOAL_QUERY_H

#include <shoal/entity.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A query: terms, and the archetypes that match them. */
typedef struct shoal_query shoal_query;

/** How a term takes part in a query. */
typedef enum shoal_access {
    SHOAL_ACCESS_NONE,           /**< not a term */
    SHOAL_ACCESS_READ,           /**< must be there; its column can be read */
    SHOAL_ACCESS_WRITE,          /**< must be there; its column can be read and written */
    SHOAL_ACCESS_WITH,           /**< must be there; no column */
    SHOAL_ACCESS_WITHOUT,        /**< must not be there */
    SHOAL_ACCESS_OPTIONAL_READ,  /**< its column can be read where it is there, and is NULL elsewhere */
    SHOAL_ACCESS_OPTIONAL_WRITE, /**< the same, also for writing */
    SHOAL_ACCESS_ANY_READ,       /**< at least one term of its group must be there; else as optional read */
    SHOAL_ACCESS_ANY_WRITE       /**< the same, also for writing */
} shoal_access;

/** One term. */
typedef struct shoal_term {
    shoal_component component; /**< what */
    shoal_access access;       /**< how */
    uint32_t group;            /**< for the ANY kinds: terms of one number form a group */
} shoal_term;

/* clang-format off */

/** Must be there; for reading. */
#define SHOAL_READ(Type)                                                                                               \
    { SHOAL_ID(Type), SHOAL_ACCESS_READ, 0 }
/** Must be there; for reading and writing. */
#define SHOAL_WRITE(Type)                                                                                              \
    { SHOAL_ID(Type), SHOAL_ACCESS_WRITE, 0 }
/** Must be there. */
#define SHOAL_WITH(Type)                                                                                               \
    { SHOAL_ID(Type), SHOAL_ACCESS_WITH, 0 }
/** Must not be there. */
#define SHOAL_WITHOUT(Type)                                                                                            \
    { SHOAL_ID(Type), SHOAL_ACCESS_WITHOUT, 0 }
/** May be there; for reading. */
#define SHOAL_OPTIONAL(Type)                                                                                           \
    { SHOAL_ID(Type), SHOAL_ACCESS_OPTIONAL_READ, 0 }
/** May be there; for reading and writing. */
#define SHOAL_OPTIONAL_WRITE(Type)                                                                                     \
    { SHOAL_ID(Type), SHOAL_ACCESS_OPTIONAL_WRITE, 0 }
/** One of the group must be there; for reading. */
#define SHOAL_ANY(group, Type)                                                                                         \
    { SHOAL_ID(Type), SHOAL_ACCESS_ANY_READ, (group) }
/** One of the group must be there; for reading and writing. */
#define SHOAL_ANY_WRITE(group, Type)                                                                                   \
    { SHOAL_ID(Type), SHOAL_ACCESS_ANY_WRITE, (group) }

/* clang-format on */

/** A term list, for `.terms = SHOAL_TERMS(...)`: initialises terms and term_count. */
#define SHOAL_TERMS(...)                                                                                               \
    (const shoal_term[]){__VA_ARGS__}, sizeof((const shoal_term[]){__VA_ARGS__}) / sizeof(shoal_term)

/** A query's definition. No terms at all match every entity. Read during the call only. */
typedef struct shoal_query_def {
    const shoal_term *terms; /**< in any order */
    size_t term_count;       /**< of `terms` */
    const char *name;        /**< for messages; copied; default: made of the terms */
} shoal_query_def;

/**
 * Makes a query. It belongs to the world and ends with it, or with shoal_query_destroy(). NULL on failure:
 * TERM_INVALID (a component twice, data access to a tag, a term without access), COMPONENT_INVALID,
 * OUT_OF_MEMORY, MEMORY_LIMIT, INVALID_ARGUMENT. Thread: world.
 */
SHOAL_API shoal_query *shoal_query_create(shoal_world *world, const shoal_query_def *def);

/** Ends a query; NULL is fine. WORLD_LOCKED while a view of the world is open. Thread: world. */
SHOAL_API shoal_status shoal_query_destroy(shoal_query *query);

/** The query's name; valid as long as the query. Thread: read. */
SHOAL_API const char *shoal_query_name(const shoal_query *query);

/** Rows that match now. Thread: read. */
SHOAL_API uint64_t shoal_query_count(const shoal_query *query);

/** Archetypes that match now, also those without rows. Thread: read. */
SHOAL_API size_t shoal_query_archetype_count(const shoal_query *query);

/** True when the entity is alive and matches. Thread: read. */
SHOAL_API bool shoal_query_matches(const shoal_query *query, shoal_entity entity);

/** Destroys every entity that matches, all or none. Thread: world. */
SHOAL_API shoal_status shoal_query_destroy_entities(shoal_query *query);

/** Makes the changes of `change` to every entity that matches, all or none; see shoal_change_entity().
    Thread: world. */
SHOAL_API shoal_status shoal_query_change_entities(shoal_query *query, const shoal_change *change);

/** @cond private */
/* ---- what the inline functions below need to see; private, and subject to change ---- */

/* A chunk as its archetype lists it. */
typedef struct shoal_view_chunk {
    uintptr_t bits; /* its address; the low 4 bits are the storage's own */
    const uint32_t *offsets;
    uint32_t count;
    uint32_t capacity;
} shoal_view_chunk;

/* The head of an archetype. */
typedef struct shoal_view_archetype {
    const shoal_view_chunk *chunks;
    uint32_t chunk_count;
} shoal_view_archetype;

/* A matching archetype: where its chunks are, and the column of each data term. */
typedef struct shoal_view_match {
    const shoal_view_archetype *archetype;
    /* uint16_t columns[], as many as there are data terms */
} shoal_view_match;

/* The world's lock against structural changes. */
typedef struct shoal_view_lock {
    const char *holder; /* of the newest hold; NULL when there is none */
    uint32_t count;
} shoal_view_lock;

/* The head of a query. */
struct shoal_query {
    shoal_view_lock *lock;
    const char *name;
    const char *matches; /* shoal_view_match, match_stride bytes each, between two unused ones */
    size_t match_stride;
    size_t match_bytes;         /* of all matches, without the unused ones */
    const uint32_t *read_keys;  /* data term -> component id */
    const uint32_t *write_keys; /* data term -> component id; UINT32_MAX where it may only be read */
    size_t data_count;
};

/** @endcond */

/**
 * One chunk's rows while a query is iterated. `count` and `entities` are for reading; the rest is private. A view
 * lives on the caller's stack and must not be copied. No function of the library is given its address, so that the
 * compiler can keep all of it in registers.
 */
typedef struct shoal_view {
    size_t count;                 /**< rows */
    const shoal_entity *entities; /**< `count` handles */

    char *base_;                                 /* the chunk */
    const uint32_t *offsets_;                    /* of its columns */
    size_t term_count_;                          /* data terms; 0 while the view is on no chunk */
    const uint32_t *read_keys_, *write_keys_;    /* of the query */
    const shoal_view_chunk *chunk_, *chunk_end_; /* the next one, and the end of this archetype's */
    const char *match_, *match_end_;             /* this archetype's match, and the last one */
    const shoal_query *query_;                   /* NULL when the view is closed */
    const char *outer_;                          /* the lock's holder before this view */
} shoal_view;

/** What a match has where an optional component is not there. */
#define SHOAL_NO_COLUMN 0xFFFFu

/** Private to begin: stores that a view was begun with a null pointer. Thread: any. */
SHOAL_API shoal_status shoal_view_begin_failed(void);

/**
 * Opens a view before its first chunk and locks the world against structural changes. Views may nest.
 * INVALID_ARGUMENT for a null pointer; the view is closed then and next returns false. Thread: world.
 */
SHOAL_INLINE shoal_status shoal_view_begin(shoal_view *view, shoal_query *query) {
    if (view == NULL) {
        return shoal_view_begin_failed();
    }
    view->count = 0;
    view->entities = NULL;
    view->term_count_ = 0;
    view->chunk_ = view->chunk_end_ = NULL;
    view->match_ = view->match_end_ = NULL;
    view->read_keys_ = view->write_keys_ = NULL;
    view->query_ = NULL;
    view->outer_ = NULL;
    if (query == NULL) {
        return shoal_view_begin_failed();
    }
    shoal_view_lock *lock = query->lock;
    view->match_ = query->matches;
    view->match_end_ = query->matches + query->match_bytes;
    view->read_keys_ = query->read_keys;
    view->write_keys_ = query->write_keys;
    view->query_ = query;
    view->outer_ = lock->holder;
    lock->holder = query->name;
    lock->count++;
    return SHOAL_OK;
}

/** Private to the two below: unlocks and closes. Thread: world. */
SHOAL_INLINE void shoal_view_close(shoal_view *view) {
    shoal_view_lock *lock = view->query_->lock;
    lock->count--;
    /* A view that ends out of order leaves the name of a newer one in place. */
    bool is_newest = lock->holder == view->query_->name && view->outer_ != NULL;
    lock->holder = lock->count == 0 ? NULL : is_newest ? view->outer_ : lock->holder;
    view->count = 0;
    view->term_count_ = 0;
    view->query_ = NULL;
}

/** Private to next: at the end of the last match. Thread: world. */
SHOAL_INLINE bool shoal_view_finish(shoal_view *view) {
    if (view->query_ != NULL) { /* else it is closed already */
        shoal_view_close(view);
    }
    view->match_ = view->match_end_;
    return false;
}

/** Closes a view before its end; closing twice is fine. Thread: world. */
SHOAL_INLINE void shoal_view_end(shoal_view *view) {
    if (view != NULL && view->query_ != NULL) {
        shoal_view_close(view);
        view->chunk_ = view->chunk_end_;
        view->match_ = view->match_end_;
    }
}

/**
 * Goes to the next chunk that has rows. At the end it closes the view, unlocks and returns false.
 * Pointers into columns are valid until the next structural change of their archetype. Thread: world.
 */
SHOAL_INLINE bool shoal_view_next(shoal_view *view) {
    const shoal_view_chunk *chunk = view->chunk_;
    if (chunk == view->chunk_end_) {
        const char *match = view->match_;
        const shoal_view_archetype *archetype;
        do {
            if (match == view->match_end_) {
                return shoal_view_finish(view);
            }
            match += view->query_->match_stride;
            archetype = ((const shoal_view_match *)(const void *)match)->archetype;
        } while (archetype->chunk_count == 0);
        /* The next archetype comes into the cache while this one is worked on; behind the last match is an empty one.
         */
        SHOAL_PREFETCH(((const shoal_view_match *)(const void *)(match + view->query_->match_stride))->archetype);
        chunk = archetype->chunks;
        view->match_ = match;
        view->chunk_end_ = chunk + archetype->chunk_count;
        view->term_count_ = view->query_->data_count;
    }
    view->chunk_ = chunk + 1;
    view->base_ = (char *)(chunk->bits & ~(uintptr_t)15);
    view->offsets_ = chunk->offsets;
    view->count = chunk->count;
    view->entities = (const shoal_entity *)(const void *)(view->base_ + 64);
    return true;
}

/** Private to read and write: records why a column was refused (TERM_MISSING, TERM_READ_ONLY, TERM_WITHOUT_DATA) and
    returns NULL. `query` is NULL for a closed view. Thread: world. */
SHOAL_API void *shoal_view_refuse(const shoal_query *query, bool is_on_chunk, shoal_component component,
                                  bool for_write);

/** Private to the two below: the column of the data term whose key is `id`; `*found` is false when there is none.
    Thread: world. */
SHOAL_INLINE void *shoal_view_find(const shoal_view *view, const uint32_t *keys, uint32_t id, bool *found) {
    for (size_t term = 0; term < view->term_count_; term++) {
        if (keys[term] == id) {
            uint16_t column = ((const uint16_t *)(const void *)(view->match_ + sizeof(shoal_view_match)))[term];
            *found = true;
            return column != SHOAL_NO_COLUMN ? view->base_ + view->offsets_[column] : NULL;
        }
    }
    *found = false;
    return NULL;
}

/**
 * The column of `component` for reading, `view->count` values; NULL where an optional component is not there, and
 * NULL with a status where the query has no such term. Thread: world.
 */
SHOAL_INLINE const void *shoal_view_read(const shoal_view *view, shoal_component component) {
    bool found = false;
    const void *column = shoal_view_find(view, view->read_keys_, component.id, &found);
    return found ? column : shoal_view_refuse(view->query_, view->term_count_ != 0, component, false);
}

/** The same for writing; NULL with TERM_READ_ONLY where the query only reads. Thread: world. */
SHOAL_INLINE void *shoal_view_write(const shoal_view *view, shoal_component component) {
    bool found = false;
    void *column = shoal_view_find(view, view->write_keys_, component.id, &found);
    return found ? column : shoal_view_refuse(view->query_, view->term_count_ != 0, component, true);
}

/** SHOAL_COLUMN(&view, Position) is a const Position *. */
#define SHOAL_COLUMN(view, Type) ((const Type *)shoal_view_read((view), SHOAL_ID(Type)))
/** SHOAL_COLUMN_MUT(&view, Position) is a Position *. */
#define SHOAL_COLUMN_MUT(view, Type) ((Type *)shoal_view_write((view), SHOAL_ID(Type)))

#ifdef __cplusplus
}
#endif

#endif
