/*
 * The edge graph: from an archetype and a change (components added, components removed) to the archetype that an
 * entity is in afterwards. A spawn is a change of the root archetype. Any number of components in one change is one
 * edge, so no archetypes in between are made.
 *
 *     transition_table: hash(source, keys) -> chain of transitions
 *
 * An edge keeps its keys, so a hit is compared, not believed; each archetype remembers its most recent edge, which
 * is the one that is asked for nearly always. The value of a shared component and the target of a split relation are
 * part of the key, so an edge that adds one is never hit by the quick compare (its match_count is more than any number
 * of keys), only through the table. Components that added ones require, and that the source lacks, are the edge's
 * implied ones. Keys of components outside of archetypes ("loose": sparse, relations) are kept as well; the target does
 * not depend on them.
 *
 * Edges are a cache: those of an archetype are dropped when it is removed. Archetypes with keys, which come and go with
 * their values, list theirs; others are removed by a trim only, which drops all edges. Thread rule: world.
 */
#ifndef SHOAL_STORAGE_TRANSITION_H
#define SHOAL_STORAGE_TRANSITION_H

#include <shoal/entity.h>

#include "archetype.h"

/* What a move does with one column of the source. */
typedef struct transition_step {
    uint32_t byte_size;
    uint32_t to; /* the column in the target, or ARCHETYPE_NONE */
} transition_step;

/* A place in the list of the edges that lead from an archetype, or to it. */
typedef struct transition_place {
    struct shoal_transition *previous, *next;
} transition_place;

/* What few edges have. */
typedef struct transition_more {
    transition_place from;       /* in the list of the source, if it has keys */
    transition_place to;         /* in that of the target */
    const uint64_t *shared_keys; /* of the added components that have one, in the order of the keys */
    const uint32_t *implied;     /* required components that the source does not have */
    uint32_t implied_count;
} transition_more;

typedef struct shoal_transition {
    struct shoal_transition *next; /* chain */
    shoal_archetype *source;
    shoal_archetype *target;
    uint32_t hash;
    uint32_t match_count; /* add_count, or UINT32_MAX when something with a key is added, or Dying */
    uint16_t add_count;
    uint16_t remove_count;
    bool is_plain;        /* the entity moves, all added components are new, and nothing needs care */
    bool is_careful : 1;  /* an archetype is careful, or something is implied or loose */
    bool names_dying : 1; /* adds the tag Dying, which no caller may */
    bool has_loose : 1;   /* a key or an implied component lies outside of archetypes */
    bool is_bare : 1;     /* as in transition_keys */
    uint8_t link_key;     /* 1 + the only loose key, when it is a plain link and nothing else needs care; else 0 */
    uint32_t steps_at;    /* bytes from here: transition_steps() */
    uint32_t columns_at;  /* transition_columns() */
    uint32_t more_at;     /* 0: none */
    uint32_t byte_size;   /* of the allocation */
    uint32_t keys[];      /* added, then removed, in the caller's order */
} shoal_transition;

/* An entry for each column of the source; none when source and target are one. */
static ALWAYS_INLINE const transition_step *transition_steps(const shoal_transition *edge) {
    return (const transition_step *)(const void *)((const char *)edge + edge->steps_at);
}

/* An entry for each added key: its column in the target, ARCHETYPE_NONE when it has none. */
static ALWAYS_INLINE const uint16_t *transition_columns(const shoal_transition *edge) {
    return (const uint16_t *)(const void *)((const char *)edge + edge->columns_at);
}

static inline const transition_more *transition_more_of(const shoal_transition *edge) {
    static const transition_more nothing;
    return edge->more_at != 0 ? (const transition_more *)(const void *)((const char *)edge + edge->more_at) : &nothing;
}

static inline size_t transition_implied_count(const shoal_transition *edge) {
    return transition_more_of(edge)->implied_count;
}

static inline uint32_t transition_implied(const shoal_transition *edge, size_t i) {
    return transition_more_of(edge)->implied[i];
}

typedef struct transition_table {
    shoal_transition **buckets;
    uint32_t bucket_count; /* 0 or a power of two */
    uint32_t count;
    memory_array key_room; /* uint64_t: for many shared keys; kept, so that finding an edge again needs no memory */
    bool is_closed;        /* only edges that are there are found */
} transition_table;

/* A change as the caller gave it. */
typedef struct transition_keys {
    const shoal_value *add;
    const shoal_component *remove;
    size_t add_count;
    size_t remove_count;
    bool may_name_dying; /* the tag Dying, which callers must not touch */
    bool is_bare;        /* what is added brings nothing that it requires */
} transition_keys;

/* The same components in the same order; the counts are the same. */
static ALWAYS_INLINE bool transition_has_keys(const shoal_transition *edge, const transition_keys *keys) {
    for (size_t i = 0; i < keys->add_count; i++) {
        if (edge->keys[i] != keys->add[i].component.id) {
            return false;
        }
    }
    for (size_t i = 0; i < keys->remove_count; i++) {
        if (edge->keys[keys->add_count + i] != keys->remove[i].id) {
            return false;
        }
    }
    return true;
}

static ALWAYS_INLINE bool transition_is(const shoal_transition *edge, const transition_keys *keys) {
    return edge->match_count == keys->add_count && edge->remove_count == keys->remove_count &&
           transition_has_keys(edge, keys);
}

/* Checks the keys of a change without making anything: every component known, none named twice. */
shoal_status transition_check(struct shoal_world *world, const transition_keys *keys, const char *call);

/* Looks the edge up in the table and makes it if it is not there. NULL with the error stored:
   COMPONENT_INVALID, COMPONENT_DUPLICATE, COMPONENT_KIND, and those of archetype_obtain(). */
shoal_transition *transition_obtain(struct shoal_world *world, shoal_archetype *source, const transition_keys *keys,
                                    const char *call);

/* The edge for a change; the most recent one of the archetype costs a compare for each key. */
static ALWAYS_INLINE shoal_transition *transition_find(struct shoal_world *world, shoal_archetype *source,
                                                       const transition_keys *keys, const char *call) {
    shoal_transition *recent = source->recent;
    if (LIKELY(recent != NULL) && LIKELY(transition_is(recent, keys))) {
        return recent;
    }
    return transition_obtain(world, source, keys, call);
}

/* The edge that adds (or removes) one component, when it is the most recent one; else NULL. */
static ALWAYS_INLINE shoal_transition *transition_recent_single(const shoal_archetype *source, uint32_t id,
                                                                uint16_t add_count) {
    shoal_transition *recent = source->recent;
    /* The counts come first: an edge of an empty change has no keys. */
    bool hit = LIKELY(recent != NULL) && LIKELY(recent->match_count == add_count) &&
               LIKELY(recent->remove_count == 1 - add_count) && LIKELY(recent->keys[0] == id);
    return hit ? recent : NULL;
}

/* Drops all edges when there are very many; called between operations, where nobody holds one. */
void transition_bound(struct shoal_world *world);

/* Drops the edges that lead from or to an archetype with keys. */
void transition_drop_of(struct shoal_world *world, const shoal_archetype *archetype);

/* Drops all edges. */
void transition_drop_all(struct shoal_world *world);

#endif
