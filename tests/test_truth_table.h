/*
 * Scenes of the truth table: a world in which one component type of some kind is on some of the entities, and what the
 * calls that ask one entity say about it. test_truth_table.c asks queries the same.
 *
 *     anchors (targets of relations) | matter 0 .. count - 1, with all companions | extras, without companions
 *
 * Companions are a table component, a sparse one on two of three entities, and a toggle that is off here and there. The
 * entities in the middle form a tree by ChildOf (four children each) and chains of ten by Under. Among the extras are a
 * prefab and entities that have been destroyed: dying where the type stays behind, else dead.
 */
#ifndef SHOAL_TESTS_TEST_TRUTH_TABLE_H
#define SHOAL_TESTS_TEST_TRUTH_TABLE_H

#include "support/fixture.h"
#include "support/test.h"

/* Every value of these tests; `inverse` is the complement of `number`. */
typedef struct Numbered {
    uint32_t number;
    uint32_t inverse;
} Numbered;

SHOAL_COMPONENT_DECLARE(InTable)
SHOAL_TAG_DECLARE(InTag)
SHOAL_COMPONENT_DECLARE(InSparse)
SHOAL_TAG_DECLARE(InSparseTag)
SHOAL_COMPONENT_DECLARE(InStable)
SHOAL_COMPONENT_DECLARE(InShared)
SHOAL_COMPONENT_DECLARE(InChunk)
SHOAL_COMPONENT_DECLARE(InBuffer)
SHOAL_COMPONENT_DECLARE(InUnique)
SHOAL_RELATION_DECLARE(ToMany)
SHOAL_RELATION_DECLARE(ToManyData)
SHOAL_RELATION_DECLARE(ToOneData)
SHOAL_COMPONENT_DECLARE(OnTable)
SHOAL_TAG_DECLARE(OnTag)
SHOAL_COMPONENT_DECLARE(OnBuffer)
SHOAL_COMPONENT_DECLARE(LeftTable)
SHOAL_TAG_DECLARE(LeftTag)
SHOAL_COMPONENT_DECLARE(LeftBuffer)
SHOAL_COMPONENT_DECLARE(OnLeftTable)

/* The companions, and an acyclic relation beside ChildOf. */
SHOAL_COMPONENT_DECLARE(Base)
SHOAL_COMPONENT_DECLARE(Side)
SHOAL_COMPONENT_DECLARE(Switch)
SHOAL_RELATION_DECLARE(Under)

/* The entities for which the type is there; of a toggle: there and enabled. */
typedef enum truth_pattern {
    TRUTH_NONE,
    TRUTH_ALTERNATE, /* every second one */
    TRUTH_BLOCKS,    /* 48 with, 48 without */
    TRUTH_ALL,
    TRUTH_PATTERN_COUNT
} truth_pattern;

typedef struct truth_setup {
    shoal_component_slot *slot;
    truth_pattern pattern;
    size_t count;
    size_t chunk_bytes; /* of all chunks; 0: they grow */
    bool some_lack_it;  /* of a toggle: every fifth entity does not have it at all */
} truth_setup;

enum { TRUTH_ANCHORS = 3, TRUTH_EXTRAS = 6, TRUTH_MOST = 1000 + TRUTH_ANCHORS + TRUTH_EXTRAS };

typedef struct truth_scene {
    fixture f;
    truth_setup setup;
    shoal_component subject;
    size_t count; /* of `entities`: anchors, matter, extras; some of them dead or dying */
    shoal_entity entities[TRUTH_MOST];
} truth_scene;

void truth_scene_start(truth_scene *scene, const truth_setup *setup);
void truth_scene_end(truth_scene *scene);

/* The place of an entity in `entities`; fails for one that is not there. */
size_t truth_number(const truth_scene *scene, shoal_entity entity);

/* True for a type without data. */
bool truth_is_tag(shoal_component component);

/* Whether what a term names is there for an entity, in the state that the term names. */
bool truth_term_is_there(const truth_scene *scene, const shoal_term *term, shoal_entity entity);

/* The entity whose value the term means: the entity itself, or its nearest ancestor that has it, or null. */
shoal_entity truth_owner(const truth_scene *scene, const shoal_term *term, shoal_entity entity);

/* The value that the term means, as the calls for one entity give it; NULL when it is not there. Not of a buffer. */
const void *truth_value(const truth_scene *scene, const shoal_term *term, shoal_entity entity);

#endif
