/*
 * Queries: terms, the archetypes that match them, and what else they need.
 *
 *     matches: | unused | archetype, column of data term 0, 1 ... filter, toggle | next match ... | unused |
 *
 * of match_stride bytes each. The unused one in front is where a view stands before its first match; the one behind,
 * whose archetype is NULL, is what a view fetches ahead of its last.
 *
 * A query watches the world's archetypes: each is matched once, when it appears, and taken out when it is removed.
 * Chunks are not cached; a view reads those of now. An archetype matches for certain, not at all, or for some of its
 * rows: then its match names a filter, and filter.c says which rows. Queries whose terms look at rows, that order,
 * group or look up the tree are special: step.c goes through them, by one of three ways:
 *
 *     archetypes   every match, its chunks, the runs of rows that pass the filter
 *     a list       the entities of the smallest sparse set or relation among the terms, if none needs the archetype
 *     kept runs    worked out by order.c when a view begins, and kept until something changes
 *
 * Invariant "cached": matches lists exactly the archetypes that may match, by age. Thread rule: matching is "world",
 * reading "read".
 */
#ifndef SHOAL_QUERY_QUERY_H
#define SHOAL_QUERY_QUERY_H

#include <shoal/query.h>

#include "../base/spinlock.h"
#include "../storage/row.h"
#include "../storage/store.h"
#include "../storage/world.h"

/* How sure an archetype makes it that its rows match. */
typedef enum query_verdict { QUERY_NO, QUERY_ROWS, QUERY_YES } query_verdict;

/* How the rows of a match are told apart. */
enum query_filter {
    QUERY_FILTER_NONE,     /* all match */
    QUERY_FILTER_ENABLED,  /* by one column of enable bits */
    QUERY_FILTER_DISABLED, /* by one column of enable bits, turned over */
    QUERY_FILTER_ANY       /* by all terms that look at rows */
};

/* A term with what is known of it at creation. */
typedef struct query_term {
    shoal_component component;
    shoal_access access;
    uint32_t group;
    shoal_state state;
    shoal_traverse traverse;
    shoal_entity target;
    const component_type *type;
    uint32_t along;         /* for UP and DOWN */
    uint32_t shared_number; /* with a value: its number, of which the query is a user; else SHARED_NONE */
} query_term;

/* A run of rows that order.c keeps. */
typedef struct query_run {
    uint32_t match;
    uint32_t chunk;
    uint32_t first;
    uint32_t count;
    uint64_t start; /* rows in the runs before it */
    uint64_t group;
} query_run;

/* One row of an ordered query, in the order of iteration without sorting. */
typedef struct query_item {
    shoal_entity entity;
    uint64_t group;
    uint32_t match;
    uint32_t chunk;
    uint32_t row;
} query_item;

/* How a query orders and groups, and what it keeps of it; see order.c. */
typedef struct query_order {
    const component_type *order_by; /* NULL: not ordered */
    const shoal_field *field;       /* the key, at `field_offset`; NULL: `compare` decides */
    size_t field_offset;
    int (*compare)(const void *a, const void *b, void *user);
    void *compare_user;
    bool descending;
    const component_type *group_by; /* NULL: not grouped */
    bool groups_descending;

    memory_array runs; /* query_run */
    size_t run_count;
    uint64_t row_count;
    memory_array items;  /* query_item, by ordinal; only when ordered */
    memory_array keys;   /* key_bytes each, by ordinal */
    memory_array sorted; /* uint32_t: ordinals in order, and as many again for sorting */
    size_t item_count;
    size_t key_bytes;
    memory_array ancestors; /* void *: up_count arrays of row_count pointers */
    size_t up_count;
    uint64_t stamp; /* of what the runs follow from */
    uint64_t ancestor_stamp;
    bool is_kept; /* runs are those of `stamp` */
} query_order;

/* Where stepping through a special query has come to. */
typedef struct query_cursor {
    size_t match; /* of archetypes: the match; of a list: its run; of kept runs: the run */
    size_t chunk; /* of archetypes: the next one of the match */
    size_t row;   /* of a list: the next one in its run */
} query_cursor;

/* A walk through a special query: of a view, or of order.c. */
typedef struct query_rows {
    shoal_view_rows head; /* first, so that what a view sees is the walk */
    struct query_data *query;
    query_cursor cursor;
    bool goes_by_kept; /* runs */
    chunk_ref ref;     /* of the rows */
    size_t row_count;  /* of the chunk out of which runs are taken; 0: of none */
    uint64_t bits;     /* of the current 64 rows, those that are still to come */
    size_t word;       /* the next 64 */
    size_t first_word; /* of masked rows that are a part of a chunk: words before them */
    bool is_placed;    /* not by a view: nothing follows, and nothing is to be closed */
    struct query_rows *next_spare;
    struct query_rows *next_made;
    uint32_t *offsets;         /* of a view's walk: the head's, for writing; they lie behind it */
    struct query_match *terms; /* and its columns */
} query_rows;

/* A query's public head (include/shoal/query.h) is what views read; this is all of it. */
typedef struct query_data {
    shoal_query head; /* first, so that a query is its data */
    archetype_watcher watcher;
    shoal_world *world;
    memory_array matches; /* capacity in matches, with the unused ones */
    size_t match_count;
    uint64_t match_changes; /* rises when a match comes or goes */
    query_term *terms;      /* keys, sizes and name lie behind them in the block */
    size_t term_count;
    uint64_t required;   /* signature bits that a matching archetype has for certain */
    uint64_t *read_keys; /* the same as the head's, for writing */
    uint64_t *write_keys;
    uint32_t *sizes;      /* data term -> bytes of a value */
    size_t block_bytes;   /* of the allocation that starts with this struct */
    uint8_t seen;         /* archetype_hidden bits that the terms name */
    bool is_row_wise;     /* some term looks at rows */
    bool sees_bits;       /* some term looks at enable bits, which have no version */
    bool needs_archetype; /* some term requires something of the archetype */
    bool goes_by_list;    /* step.c goes by the list below */
    bool looks_along;     /* some term looks up or down a tree, at rows of any archetype */
    bool is_of_system;    /* ends with its system */
    bool has_gate;        /* some term requires a unique, or its absence */
    bool is_shut;         /* and it is not so; worked out when a view begins */
    bool keeps_runs;
    const sparse_set *driver;         /* the list: entities of a sparse set (or of a relation's sources), */
    const relation_list *driver_list; /* or the sources of one target; NULL: nothing */
    query_rows *made_rows;            /* all walks that views have needed at once */
    query_rows *spare_rows;           /* those of them that are not open */
    size_t open_rows;
    spinlock guard; /* while systems run: of the walks, and of what is worked out for the first that is open */
    query_order order;
} query_data;

/* A match as the storage sees it; the same bytes as shoal_view_match. Behind the columns, where some term looks at
   rows: the filter, and which column of enable bits it looks at. */
typedef struct query_match {
    shoal_archetype *archetype;
    uint16_t columns[]; /* of the data terms; SHOAL_NO_COLUMN where one is not there */
} query_match;

static inline query_data *query_of(shoal_query *query) {
    return (query_data *)query;
}

static inline const query_data *query_of_const(const shoal_query *query) {
    return (const query_data *)query;
}

static inline query_match *query_match_at(const query_data *query, size_t number) {
    return (query_match *)(void *)((char *)query->matches.items + (number + 1) * query->head.match_stride);
}

static inline size_t query_match_number(const query_data *query, const char *match) {
    return (size_t)(match - (const char *)query->matches.items) / query->head.match_stride - 1;
}

static inline unsigned query_match_filter(const query_data *query, const query_match *match) {
    return query->is_row_wise ? match->columns[query->head.data_count] : QUERY_FILTER_NONE;
}

static inline uint32_t query_match_toggle(const query_data *query, const query_match *match) {
    return match->columns[query->head.data_count + 1];
}

/* True when the query matches all rows of its archetypes, in their order, and depends on nothing else. */
static inline bool query_is_whole(const query_data *query) {
    return !query->head.is_special;
}

static inline bool access_writes(shoal_access access) {
    return access == SHOAL_ACCESS_WRITE || access == SHOAL_ACCESS_OPTIONAL_WRITE || access == SHOAL_ACCESS_ANY_WRITE;
}

static inline bool access_is_any(shoal_access access) {
    return access == SHOAL_ACCESS_ANY_READ || access == SHOAL_ACCESS_ANY_WRITE;
}

static inline bool access_is_required(shoal_access access) {
    return access == SHOAL_ACCESS_READ || access == SHOAL_ACCESS_WRITE || access == SHOAL_ACCESS_WITH;
}

/* True for a term that gives a view a column: the data terms. */
static inline bool query_term_has_column(const query_term *term) {
    return term->access != SHOAL_ACCESS_WITH && term->access != SHOAL_ACCESS_WITHOUT && term->type->has_column &&
           term->type->def.storage == SHOAL_STORAGE_TABLE && term->traverse == SHOAL_TRAVERSE_SELF;
}

/* True for a term that gives pointers to values of ancestors. */
static inline bool query_term_looks_up(const query_term *term) {
    return term->traverse == SHOAL_TRAVERSE_UP && term->access != SHOAL_ACCESS_WITH &&
           term->access != SHOAL_ACCESS_WITHOUT && term->type->def.size != 0;
}

/* ---- query.c ---- */

void query_free(query_data *query);

/* ---- match.c ---- */

/* Whether an archetype's rows match. */
query_verdict query_judge(const query_data *query, const shoal_archetype *archetype);

/* Lists the archetypes that match; begins to watch. */
shoal_status query_watch(query_data *query);
void query_unwatch(query_data *query);

/* ---- filter.c ---- */

/* Which of the 64 rows of a word match, out of `candidates`; rows beyond the chunk's are not among them. */
uint64_t query_filter_word(const query_data *query, const shoal_archetype *archetype, const chunk_ref *ref, size_t word,
                           uint64_t candidates);

/* Whether the terms on uniques hold. */
bool query_gate_is_open(const query_data *query);

/* The value of the nearest ancestor of an entity that has the component as the term wants it, or NULL; `*has` also for
   one without data. */
const void *query_ancestor_value(const shoal_world *world, const query_term *term, shoal_entity entity, bool *has);

/* ---- step.c ---- */

/* Which of the 64 rows of a word of a chunk match. */
uint64_t query_match_word(const query_data *query, const query_match *match, const chunk_ref *ref, size_t word);

/* A walk by archetypes or by the list, whatever the query keeps. */
query_rows query_rows_natural(query_data *query);

/* The next run of rows that match; false at the end. */
bool query_rows_next(query_rows *rows);

/* A walk of its own over a part of a chunk, for systems: its columns, offsets and query are set. Unmasked, its rows are
   `first` to `end` - 1, all of which match, or query_rows_run() takes the next run of those that do; masked, they are
   all in one view, and SHOAL_ROWS finds those that match: `first` is a multiple of 64 then. */
void query_rows_place(query_rows *rows, const query_match *match, const chunk_ref *ref, size_t first, size_t end);
bool query_rows_run(query_rows *rows);
void query_rows_place_masked(query_rows *rows, const query_match *match, const chunk_ref *ref, size_t first,
                             size_t end);

/* The same where all rows match. About ten instructions and four for each data term. */
static ALWAYS_INLINE void query_rows_place_part(query_rows *rows, const query_match *match, const chunk_ref *ref,
                                                size_t first, size_t end) {
    const uint32_t *sizes = rows->query->sizes;
    size_t count = rows->query->head.data_count;
    rows->is_placed = true;
    rows->head.is_filtered = false;
    rows->head.count = end - first;
    rows->head.first = first;
    rows->head.base = chunk_base(ref);
    rows->head.entities = chunk_entities(ref) + first;
    rows->head.match = (const char *)match;
    for (size_t i = 0; i < count; i++) {
        uint16_t column = match->columns[i];
        bool is_there = column != SHOAL_NO_COLUMN;
        rows->terms->columns[i] = is_there ? (uint16_t)i : SHOAL_NO_COLUMN;
        rows->offsets[i] = is_there ? ref->offsets[column] + (uint32_t)(first * sizes[i]) : 0;
    }
}

/* Makes sure that there is room for one more walk, and gives all of it back. */
shoal_status query_rows_reserve(query_data *query);
void query_rows_release(query_data *query);

/* Chooses the list that step.c goes by. */
void query_choose_driver(query_data *query);

/* All entities that match, in scratch memory that the caller releases (`*count` of them; NULL for none). */
shoal_status query_collect(query_data *query, shoal_entity **entities, size_t *count);

/* ---- order.c ---- */

/* Checks and takes over what a definition says about order and groups. */
shoal_status query_order_init(query_data *query, const shoal_query_def *def, const char *call);

/* Brings the kept runs up to date. OUT_OF_MEMORY, MEMORY_LIMIT. */
shoal_status query_order_refresh(query_data *query);

void query_order_release(query_data *query);

#endif
