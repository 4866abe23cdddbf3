/**
 * @file query.h
 * Queries and views. A query names terms and caches which archetypes match; a view is a run of rows of one chunk, with
 * a pointer to each column.
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
 * Views come in a fixed order: archetypes by age, then chunks, then rows, unless the query orders or groups, or goes by
 * a list: one whose required terms are all sparse or relations comes in the order of the smallest of them, one that
 * names the target of a relation in the order of that target's sources. Iterating allocates nothing; beginning a
 * view may, of a query that orders, groups or looks up a tree and when something has changed.
 *
 * shoal_view_next() gives runs of rows that match, so the loop above is right for every query. Where single rows are
 * switched off here and there, shoal_view_next_chunk() with SHOAL_ROWS is faster: it gives whole chunks, and SHOAL_ROWS
 * goes to the rows that match, 64 at a time:
 *
 *     while (shoal_view_next_chunk(&view)) {
 *         Position *position = SHOAL_COLUMN_MUT(&view, Position);
 *         SHOAL_ROWS(&view, i) { position[i].x += 1; }
 *     }
 *
 * The same terms as text, for tools: "write Position, read Velocity, without Frozen, any(Player | Ally),
 * optional ChildOf(up) Transform"; docs/guide.md has the grammar.
 */
#ifndef SHOAL_QUERY_H
#define SHOAL_QUERY_H

#include <shoal/buffer.h>

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

/** Which rows a term on a component with the trait `toggle` means. */
typedef enum shoal_state {
    SHOAL_STATE_ENABLED,  /**< there and enabled */
    SHOAL_STATE_DISABLED, /**< there and disabled */
    SHOAL_STATE_EITHER    /**< there */
} shoal_state;

/** Whose component a term means. */
typedef enum shoal_traverse {
    SHOAL_TRAVERSE_SELF, /**< the entity's own */
    SHOAL_TRAVERSE_UP,   /**< that of its nearest ancestor that has it; for reading only */
    SHOAL_TRAVERSE_DOWN  /**< that of some descendant; for WITH and WITHOUT only */
} shoal_traverse;

/** One term. Members beside the first two are for some kinds of components only; zero means no restriction. */
typedef struct shoal_term {
    shoal_component component; /**< what */
    shoal_access access;       /**< how */
    uint32_t group;            /**< for the ANY kinds: terms of one number form a group */
    shoal_state state;         /**< of a toggle component */
    shoal_entity target;       /**< of a relation: to this target; null: to any */
    const void *value;         /**< of a shared component: equal to this; NULL: any; read at creation only */
    shoal_traverse traverse;   /**< whose component */
    shoal_component along;     /**< for UP and DOWN: the acyclic relation to go along; null: ChildOf */
} shoal_term;

/* clang-format off */

/** Any term: SHOAL_TERM(WRITE, Shield, .state = SHOAL_STATE_EITHER). */
#define SHOAL_TERM(...) SHOAL_TERM_WITH(__VA_ARGS__, )
#define SHOAL_TERM_WITH(Access, Type, ...)                                                                             \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_##Access, __VA_ARGS__ }
/** Must be there; for reading. */
#define SHOAL_READ(Type)                                                                                               \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_READ }
/** Must be there; for reading and writing. */
#define SHOAL_WRITE(Type)                                                                                              \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_WRITE }
/** Must be there. */
#define SHOAL_WITH(Type)                                                                                               \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_WITH }
/** Must not be there. */
#define SHOAL_WITHOUT(Type)                                                                                            \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_WITHOUT }
/** May be there; for reading. */
#define SHOAL_OPTIONAL(Type)                                                                                           \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_OPTIONAL_READ }
/** May be there; for reading and writing. */
#define SHOAL_OPTIONAL_WRITE(Type)                                                                                     \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_OPTIONAL_WRITE }
/** One of the group must be there; for reading. */
#define SHOAL_ANY(group_, Type)                                                                                        \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_ANY_READ, .group = (group_) }
/** One of the group must be there; for reading and writing. */
#define SHOAL_ANY_WRITE(group_, Type)                                                                                  \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_ANY_WRITE, .group = (group_) }
/** Must be there and disabled. */
#define SHOAL_DISABLED(Type)                                                                                           \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_WITH, .state = SHOAL_STATE_DISABLED }
/** Must be there, enabled or not. */
#define SHOAL_EITHER(Type)                                                                                             \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_WITH, .state = SHOAL_STATE_EITHER }
/** The shared value must be this one: SHOAL_EQUALS(Faction, 3). */
#define SHOAL_EQUALS(Type, ...)                                                                                        \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_WITH, .value = &(Type){__VA_ARGS__} }
/** Must have the relation to this target: SHOAL_RELATED(ChildOf, ship). */
#define SHOAL_RELATED(Type, target_)                                                                                   \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_WITH, .target = (target_) }
/** The nearest ancestor's, by ChildOf, where there is one; for reading with SHOAL_COLUMN_UP. */
#define SHOAL_UP(Type)                                                                                                 \
    { .component = SHOAL_ID(Type), .access = SHOAL_ACCESS_OPTIONAL_READ, .traverse = SHOAL_TRAVERSE_UP }

/* clang-format on */

/** A term list, for `.terms = SHOAL_TERMS(...)`: initialises terms and term_count. */
#define SHOAL_TERMS(...)                                                                                               \
    (const shoal_term[]){__VA_ARGS__}, sizeof((const shoal_term[]){__VA_ARGS__}) / sizeof(shoal_term)

/**
 * A query's definition. No terms at all match every entity, but for prefabs and dying entities, which only queries see
 * that name Prefab or Dying. Read during the call only.
 *
 * `order_by` and `order_field`, or `order_by` and `compare`, sort all rows; `group_by` puts rows of one group together:
 * of a shared component those with one value (groups in the order in which their values came to the world, but a new
 * value takes the place of the first one that has gone), of an acyclic relation those of one depth, parents first. Both
 * together sort inside of each group. A NaN comes behind all numbers. The order is worked out when a view is begun and
 * is kept: where no key has changed, nothing is compared. Such a view goes by the enable bits as they were then. Rows
 * with equal keys keep the order that they would have without sorting.
 */
typedef struct shoal_query_def {
    const shoal_term *terms;  /**< in any order */
    size_t term_count;        /**< of `terms` */
    const char *text;         /**< the terms as text, instead of `terms` */
    const char *name;         /**< for messages; copied, up to 255 bytes; default: the text, or the terms as text */
    shoal_component order_by; /**< a component that the query requires: table, shared or sparse */
    const char *order_field;  /**< the number field to sort by, "x" or "position.x"; copied */
    int (*compare)(const void *a, const void *b, void *user); /**< instead: below, at or above 0, like strcmp() */
    void *compare_user;                                       /**< handed to `compare` */
    bool descending;                                          /**< the largest key first */
    shoal_component group_by; /**< a shared component that the query requires, or an acyclic relation */
    bool groups_descending;   /**< the last group first: children before their parents */
} shoal_query_def;

/**
 * Makes a query. It belongs to the world and ends with it, or with shoal_query_destroy(). NULL on failure:
 * TERM_INVALID (a component twice, data access to a tag, a term without access, what the kind cannot do),
 * TEXT_INVALID, COMPONENT_INVALID, OUT_OF_MEMORY, MEMORY_LIMIT, INVALID_ARGUMENT, WORLD_LOCKED while systems run.
 * Thread: world.
 */
SHOAL_API shoal_query *shoal_query_create(shoal_world *world, const shoal_query_def *def);

/** Ends a query; NULL is fine. WORLD_LOCKED while a view of the world is open. Thread: world. */
SHOAL_API shoal_status shoal_query_destroy(shoal_query *query);

/** The query's name; valid as long as the query. Thread: read. */
SHOAL_API const char *shoal_query_name(const shoal_query *query);

/** Rows that match now. Thread: read. */
SHOAL_API uint64_t shoal_query_count(const shoal_query *query);

/** The first entity that matches, in the order of iteration; null and NOT_FOUND when there is none. Thread: world. */
SHOAL_API shoal_entity shoal_query_first(shoal_query *query);

/** The only entity that matches; null with NOT_FOUND when there is none, with NOT_SINGLE when there are more.
    Thread: world. */
SHOAL_API shoal_entity shoal_query_single(shoal_query *query);

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
    bool is_shared; /* systems run: holds go into the lock of their thread */
} shoal_view_lock;

/* The head of a query. */
struct shoal_query {
    shoal_view_lock *lock;
    const char *name;
    const char *matches; /* shoal_view_match, match_stride bytes each, between two unused ones */
    size_t match_stride;
    size_t match_bytes;         /* of all matches, without the unused ones */
    const uint64_t *read_keys;  /* data term -> component id */
    const uint64_t *write_keys; /* data term -> component id; UINT64_MAX where it may only be read */
    size_t data_count;
    bool is_special; /* more than archetypes decides: the library keeps where its views are */
};

/* Where a view of a special query is. It belongs to the query, so that a view stays small and its own members can live
   in registers; a view takes over the first five after each step. */
typedef struct shoal_view_rows {
    size_t count; /* the view's rows */
    const shoal_entity *entities;
    char *base;
    const uint32_t *offsets; /* data term -> where its values for these rows begin */
    const char *columns;     /* as a match: data term -> its own number, or SHOAL_NO_COLUMN */
    const char *match;       /* of the archetype, in the query's cache */
    size_t first;            /* row of the chunk that the rows begin with */
    size_t run;              /* of kept runs: which */
    const uint64_t *words;   /* which of the rows match, a bit each; NULL: ask shoal_view_rows_word() */
    uint64_t flip;           /* turns the bits over */
    bool is_filtered;        /* only some of them match */
} shoal_view_rows;

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
    const uint64_t *read_keys_, *write_keys_;    /* of the query */
    const shoal_view_chunk *chunk_, *chunk_end_; /* the next one, and the end of this archetype's */
    const char *match_, *match_end_;             /* this archetype's match, and the last one */
    shoal_query *query_;                         /* NULL when the view is closed */
    const char *outer_;                          /* the lock's holder before this view */
    shoal_view_lock *lock_;                      /* the world's, or this thread's; NULL until the view is open */

    shoal_view_rows *rows_; /* of a special query; else NULL */
} shoal_view;

/** What a match has where an optional component is not there. */
#define SHOAL_NO_COLUMN 0xFFFFu

/** Private to begin: stores that a view was begun with a null pointer. Thread: any. */
SHOAL_API shoal_status shoal_view_begin_failed(void);

/** Private to begin while systems run: the lock of this thread; NULL with WORLD_LOCKED on a thread that runs none.
    Thread: any. */
SHOAL_API shoal_view_lock *shoal_view_thread_lock(shoal_query *query);
/** Private to begin: works out what a special query needs, and opens a walk through it. Thread: world. */
SHOAL_API shoal_status shoal_view_rows_open(shoal_query *query, shoal_view_rows **rows);
/** Private to end. Thread: world. */
SHOAL_API void shoal_view_rows_close(shoal_view_rows *rows);
/** Private to next: the next run of rows that match; false at the end. Thread: world. */
SHOAL_API bool shoal_view_rows_next(shoal_view_rows *rows);
/** Private to next_chunk: the next chunk with rows that match. Thread: world. */
SHOAL_API bool shoal_view_rows_next_chunk(shoal_view_rows *rows);
/** Private to SHOAL_ROWS: which of the rows 64 * word to 64 * word + 63 of a chunk match. Thread: world. */
SHOAL_API uint64_t shoal_view_rows_word(const shoal_view_rows *rows, size_t word);

/**
 * Opens a view before its first chunk and locks the world against structural changes. Views may nest.
 * INVALID_ARGUMENT for a null pointer; OUT_OF_MEMORY, MEMORY_LIMIT for a query that orders, groups or looks up a tree,
 * and for one that looks at rows or uniques and of which a view is open already; WORLD_LOCKED while systems run on
 * other threads than this one. The view is closed then and next returns false. Thread: world.
 */
SHOAL_INLINE shoal_status shoal_view_begin(shoal_view *view, shoal_query *query) {
    if (view == NULL) {
        return shoal_view_begin_failed();
    }
    view->count = 0;
    view->entities = NULL;
    view->term_count_ = 0;
    view->base_ = NULL;
    view->offsets_ = NULL;
    view->chunk_ = view->chunk_end_ = NULL;
    view->match_ = view->match_end_ = NULL;
    view->read_keys_ = view->write_keys_ = NULL;
    view->query_ = NULL;
    view->outer_ = NULL;
    view->lock_ = NULL;
    view->rows_ = NULL;
    if (query == NULL) {
        return shoal_view_begin_failed();
    }
    shoal_view_lock *lock = query->lock;
    if (lock->is_shared) {
        lock = shoal_view_thread_lock(query);
        if (lock == NULL) {
            return SHOAL_WORLD_LOCKED;
        }
    }
    if (query->is_special) {
        shoal_view_rows *rows = NULL;
        shoal_status status = shoal_view_rows_open(query, &rows);
        if (status != SHOAL_OK) {
            return status;
        }
        view->rows_ = rows;
    }
    view->match_ = query->matches;
    view->match_end_ = query->is_special ? query->matches : query->matches + query->match_bytes;
    view->read_keys_ = query->read_keys;
    view->write_keys_ = query->write_keys;
    view->query_ = query;
    view->lock_ = lock;
    view->outer_ = lock->holder;
    lock->holder = query->name;
    lock->count++;
    return SHOAL_OK;
}

/** Private to the two below: unlocks and closes. Thread: world. */
SHOAL_INLINE void shoal_view_close(shoal_view *view) {
    shoal_view_lock *lock = view->lock_;
    lock->count--;
    if (view->rows_ != NULL) {
        shoal_view_rows_close(view->rows_);
        view->rows_ = NULL;
    }
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

/** Private to next: takes over what a step of a special query has found, if anything. Its columns stand for the
    current match and the last one, so that next finds no further chunk by itself. Thread: world. */
SHOAL_INLINE bool shoal_view_take_rows(shoal_view *view, bool found) {
    if (!found) {
        return shoal_view_finish(view);
    }
    const shoal_view_rows *rows = view->rows_;
    view->count = rows->count;
    view->entities = rows->entities;
    view->base_ = rows->base;
    view->offsets_ = rows->offsets;
    view->match_ = view->match_end_ = rows->columns;
    view->term_count_ = view->query_->data_count;
    return true;
}

/**
 * Goes to the next run of rows that match: a whole chunk, unless the query looks at single rows. At the end it closes
 * the view, unlocks and returns false. Pointers into columns are valid until the next structural change of their
 * archetype. Thread: world.
 */
SHOAL_INLINE bool shoal_view_next(shoal_view *view) {
    const shoal_view_chunk *chunk = view->chunk_;
    if (chunk == view->chunk_end_) {
        const char *match = view->match_;
        const shoal_view_archetype *archetype;
        do {
            if (match == view->match_end_) {
                return view->rows_ != NULL ? shoal_view_take_rows(view, shoal_view_rows_next(view->rows_))
                                           : shoal_view_finish(view);
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

/**
 * Goes to the next chunk with rows that match. Of a query that looks at rows only some of them may: go through them
 * with SHOAL_ROWS, since a plain loop would reach the others as well. Queries that order, group or go by a list give
 * runs, as shoal_view_next() does. Do not mix it with shoal_view_next() in one view. Thread: world.
 */
SHOAL_INLINE bool shoal_view_next_chunk(shoal_view *view) {
    return view->rows_ != NULL ? shoal_view_take_rows(view, shoal_view_rows_next_chunk(view->rows_))
                               : shoal_view_next(view);
}

/** A walk over the matching rows of a view; see SHOAL_ROWS. */
typedef struct shoal_row_walk {
    uint64_t bits_; /* private: of the current 64 rows, those that are still to come */
    size_t word_;   /* the next 64 */
    size_t word_count_;
} shoal_row_walk;

/** Private to SHOAL_ROWS. Thread: world. */
SHOAL_INLINE shoal_row_walk shoal_rows_begin(const shoal_view *view) {
    shoal_row_walk walk = {0, 0, (view->count + 63) / 64};
    return walk;
}

/** Private to SHOAL_ROWS: the next row; false at the end. Thread: world. */
SHOAL_INLINE bool shoal_rows_next(const shoal_view *view, shoal_row_walk *walk, size_t *row) {
    const shoal_view_rows *rows = view->rows_;
    while (walk->bits_ == 0) {
        size_t word = walk->word_;
        if (word == walk->word_count_) {
            return false;
        }
        uint64_t bits = ~UINT64_C(0);
        if (rows != NULL && rows->is_filtered) {
            bits = rows->words != NULL ? rows->words[word] ^ rows->flip : shoal_view_rows_word(rows, word);
        }
        bool is_whole = view->count - word * 64 >= 64;
        walk->bits_ = is_whole ? bits : bits & ((UINT64_C(1) << (view->count % 64)) - 1);
        walk->word_ = word + 1;
    }
    *row = (walk->word_ - 1) * 64 + SHOAL_LOWEST_BIT(walk->bits_);
    walk->bits_ &= walk->bits_ - 1;
    return true;
}

/** Goes through the rows of a view that match, whichever call stepped it: SHOAL_ROWS(&view, i) { x[i] += 1; } */
#define SHOAL_ROWS(view, row)                                                                                          \
    for (shoal_row_walk row##_walk = shoal_rows_begin(view), *row##_once = &row##_walk; row##_once != NULL;            \
         row##_once = NULL)                                                                                            \
        for (size_t row = 0; shoal_rows_next((view), &row##_walk, &row);)

/** Private to read and write: records why a column was refused (TERM_MISSING, TERM_READ_ONLY, TERM_WITHOUT_DATA) and
    returns NULL. `query` is NULL for a closed view. Thread: world. */
SHOAL_API void *shoal_view_refuse(const shoal_query *query, bool is_on_chunk, shoal_component component,
                                  bool for_write);

/** Private to the two below: the column of the data term whose key is `id`; `*found` is false when there is none.
    Thread: world. */
SHOAL_INLINE void *shoal_view_find(const shoal_view *view, const uint64_t *keys, uint32_t id, bool *found) {
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
    return found ? column : shoal_view_refuse(view->query_, view->count != 0, component, false);
}

/** The same for writing; NULL with TERM_READ_ONLY where the query only reads. Thread: world. */
SHOAL_INLINE void *shoal_view_write(const shoal_view *view, shoal_component component) {
    bool found = false;
    void *column = shoal_view_find(view, view->write_keys_, component.id, &found);
    return found ? column : shoal_view_refuse(view->query_, view->count != 0, component, true);
}

/** SHOAL_COLUMN(&view, Position) is a const Position *. */
#define SHOAL_COLUMN(view, Type) ((const Type *)shoal_view_read((view), SHOAL_ID(Type)))
/** SHOAL_COLUMN_MUT(&view, Position) is a Position *. */
#define SHOAL_COLUMN_MUT(view, Type) ((Type *)shoal_view_write((view), SHOAL_ID(Type)))

/* ---- what has no column ---- */

/** Private to the calls below: where a view is. */
typedef struct shoal_view_place {
    const shoal_query *query;     /**< NULL for a closed view */
    const char *match;            /**< of the archetype, in the query's cache */
    char *base;                   /**< of the chunk */
    size_t first;                 /**< row of the chunk */
    size_t run;                   /**< rows of the view's run in the chunk */
    const shoal_entity *entities; /**< of the view's rows */
    size_t count;                 /**< of the view's rows */
    bool is_on_chunk;             /**< false before the first step and behind the last */
} shoal_view_place;

/** Private to the calls below. Thread: world. */
SHOAL_INLINE shoal_view_place shoal_view_place_of(const shoal_view *view) {
    const shoal_view_rows *rows = view->rows_;
    shoal_view_place place = {view->query_,   view->match_, view->base_,     0, 0,
                              view->entities, view->count,  view->count != 0};
    if (rows != NULL) {
        place.match = rows->match;
        place.first = rows->first;
        place.run = rows->run;
    }
    return place;
}

/** Private. Thread: world. */
SHOAL_API void *shoal_view_value(shoal_view_place place, shoal_component component, size_t row, bool for_write);
/** Private. Thread: world. */
SHOAL_API void *shoal_view_single(shoal_view_place place, shoal_component component, bool for_write);
/** Private. Thread: world. */
SHOAL_API const void *const *shoal_view_ancestors(shoal_view_place place, shoal_component component);
/** Private. Thread: world. */
SHOAL_API shoal_buffer shoal_view_cell(shoal_view_place place, shoal_component component, size_t row);
/** Private. Thread: world. */
SHOAL_API bool shoal_view_bit(shoal_view_place place, shoal_component component, size_t row);
/** Private. Thread: world. */
SHOAL_API uint64_t shoal_view_group_of(shoal_view_place place);

/**
 * The value of one row, of a component of any kind that the query reads: table, sparse, shared, chunk, unique, the data
 * of a relation (to the term's target, or the first). NULL where an optional one is not there, and NULL with a status
 * where it cannot be had: TERM_MISSING, TERM_READ_ONLY, TERM_WITHOUT_DATA, COMPONENT_KIND (a buffer; a shared value for
 * writing), INVALID_ARGUMENT for a row beyond the view. Thread: world.
 */
SHOAL_INLINE const void *shoal_view_get(const shoal_view *view, shoal_component component, size_t row) {
    return shoal_view_value(shoal_view_place_of(view), component, row, false);
}

/** The same for writing. Thread: world. */
SHOAL_INLINE void *shoal_view_get_mut(const shoal_view *view, shoal_component component, size_t row) {
    return shoal_view_value(shoal_view_place_of(view), component, row, true);
}

/** The one value that a shared, chunk or unique component has for all rows of the view. NULL as above.
    Thread: world. */
SHOAL_INLINE const void *shoal_view_one(const shoal_view *view, shoal_component component) {
    return shoal_view_single(shoal_view_place_of(view), component, false);
}

/** The same for writing, of a chunk or unique component. Thread: world. */
SHOAL_INLINE void *shoal_view_one_mut(const shoal_view *view, shoal_component component) {
    return shoal_view_single(shoal_view_place_of(view), component, true);
}

/** For a term that looks up the tree: `view->count` pointers to the value of each row's nearest ancestor that has the
    component, NULL where there is none. NULL with TERM_MISSING without such a term. Thread: world. */
SHOAL_INLINE const void *const *shoal_view_up(const shoal_view *view, shoal_component component) {
    return shoal_view_ancestors(shoal_view_place_of(view), component);
}

/** The buffer of one row; null where an optional one is not there, and null with a status where it cannot be had.
    Thread: world. */
SHOAL_INLINE shoal_buffer shoal_view_buffer(const shoal_view *view, shoal_component component, size_t row) {
    return shoal_view_cell(shoal_view_place_of(view), component, row);
}

/** True when the component of that row is there and enabled; any component may be asked for. Thread: world. */
SHOAL_INLINE bool shoal_view_is_enabled(const shoal_view *view, shoal_component component, size_t row) {
    return shoal_view_bit(shoal_view_place_of(view), component, row);
}

/** Of a query with group_by: the depth of the view's rows, or the number of their shared value, which rises from group
    to group; else 0. Thread: world. */
SHOAL_INLINE uint64_t shoal_view_group(const shoal_view *view) {
    return shoal_view_group_of(shoal_view_place_of(view));
}

/** SHOAL_AT(&view, Target, i) is a const Target *. */
#define SHOAL_AT(view, Type, row) ((const Type *)shoal_view_get((view), SHOAL_ID(Type), (row)))
/** SHOAL_AT_MUT(&view, Target, i) is a Target *. */
#define SHOAL_AT_MUT(view, Type, row) ((Type *)shoal_view_get_mut((view), SHOAL_ID(Type), (row)))
/** SHOAL_ONE(&view, Faction) is a const Faction *. */
#define SHOAL_ONE(view, Type) ((const Type *)shoal_view_one((view), SHOAL_ID(Type)))
/** SHOAL_ONE_MUT(&view, Bounds) is a Bounds *. */
#define SHOAL_ONE_MUT(view, Type) ((Type *)shoal_view_one_mut((view), SHOAL_ID(Type)))
/** SHOAL_COLUMN_UP(&view, Transform) is a const Transform *const *. */
#define SHOAL_COLUMN_UP(view, Type) ((const Type *const *)shoal_view_up((view), SHOAL_ID(Type)))

#ifdef __cplusplus
}
#endif

#endif
