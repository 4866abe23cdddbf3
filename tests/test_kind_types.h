/*
 * Component types of every kind, for tests that must hold for all of them: each is there twice, without hooks (quiet)
 * and with on_add, on_set and on_remove (told). Type n below CASE_COUNT is quiet, n + CASE_COUNT the same told; ChildOf
 * comes last.
 *
 * A value is known by one number, which every form of value carries. A box holds one in the form that a call takes. A
 * witness is what the hooks of the told types have seen of one world: a list of what is there, in which each event must
 * fit, and the events as text. Call kind_types_register() first; a program that uses this is linked with
 * test_kind_types.c.
 */
#ifndef SHOAL_TESTS_TEST_KIND_TYPES_H
#define SHOAL_TESTS_TEST_KIND_TYPES_H

#include "support/owned.h"

#include <shoal/shoal.h>

typedef enum value_form { FORM_NONE, FORM_NUMBER, FORM_OWNED, FORM_REFERENCE } value_form;

/* A number beside a handle, which may be a placeholder. */
typedef struct reference {
    shoal_entity entity;
    uint32_t number;
} reference;

typedef union value_item {
    uint32_t number;
    Owned owned;
    reference reference;
} value_item;

typedef struct kind_case {
    const char *name;
    shoal_storage storage;
    value_form form;
    bool toggle, cleanup, stable, exclusive, acyclic, split, validated;
    shoal_target_policy policy;
    unsigned char required[2]; /* numbers of kinds, plus 1 */
} kind_case;

/* Numbers of kinds that tests name. */
enum {
    CASE_NUMBER,
    CASE_MARK,
    CASE_OBJECT,
    CASE_REFERENCE,
    CASE_JUDGED, /* a value of 3 modulo 4 is refused */
    CASE_SPARSE,
    CASE_SPARSE_MARK,
    CASE_SPARSE_OBJECT,
    CASE_SHARED,
    CASE_SHARED_OBJECT,
    CASE_CHUNK,
    CASE_BUFFER,
    CASE_BUFFER_OBJECT,
    CASE_GATE,
    CASE_GATE_MARK,
    CASE_GATE_BUFFER,
    CASE_CLEANUP,
    CASE_CLEANUP_MARK,
    CASE_CLEANUP_BUFFER,
    CASE_OUTER, /* requires Inner and Sparse; Inner requires Gate */
    CASE_INNER,
    CASE_MANY,
    CASE_MANY_NUMBERS,
    CASE_ONE_OBJECT,
    CASE_REFUSES,
    CASE_DESTROYS,
    CASE_SPLITS,
    CASE_TREE,
    CASE_LEFT, /* requires Right, which requires Left and Mark */
    CASE_RIGHT,
    CASE_RULED, /* judged as well; requires Inner and Left */
    CASE_MANY_NEEDING,
    CASE_SPARSE_NEEDING,
    CASE_CLEANUP_NEEDING,
    CASE_CHUNK_OBJECT,
    CASE_COUNT
};

#define TYPE_COUNT (2 * (size_t)CASE_COUNT + 1)
#define CHILD_OF (2 * (size_t)CASE_COUNT)
#define TOLD(number) ((size_t)(number) + CASE_COUNT)

void kind_types_register(void);

const kind_case *case_of(size_t type);
const char *name_of_type(size_t type);
shoal_component component_of(size_t type);

/* TYPE_COUNT for a component that is none of these. */
size_t type_of(shoal_component component);
bool is_relation(size_t type);

/* Bytes of a value, of a buffer those of an element, of a relation those of its data; 0 for none. */
size_t item_size(size_t type);

/* What a value (or element) holds; UINT32_MAX when it is broken. */
uint32_t item_read(size_t type, const void *value);

/* Objects of all types that own something. */
void kind_types_check_ended(void);

/* ---- values for calls ---- */

typedef struct value_box {
    value_item items[5];
    shoal_span span;
    shoal_link link;
    const void *data; /* what a call takes; NULL: the default */
    size_t type;
    size_t made;
} value_box;

/* A value of `payload`, of a buffer `payload` modulo 5 elements from it on; the default when not `is_given`. `entity`
   is the target of a relation and what references name. */
void box_make(value_box *box, size_t type, uint32_t payload, bool is_given, shoal_entity entity);
void box_end(value_box *box);

/* ---- what the hooks see ---- */

typedef struct witness_entry {
    uint32_t type;
    shoal_entity entity;
    shoal_entity target;
} witness_entry;

typedef struct witness {
    shoal_world *world;
    witness_entry entries[512];
    size_t count;
    char events[8192]; /* a line each: "add ToldNumber 3 to 0 = 7" */
    size_t length;
    char fault[160]; /* the first; empty: none */

    /* Called for each event, after the checks; may be NULL. */
    void (*also)(struct witness *seen, const char *what, const shoal_component_event *event, void *user);
    void *user;
} witness;

/* One for each of two worlds at a time. */
extern witness witnesses[2];

/* Forgets all, and belongs to a world that is still empty. */
void witness_start(witness *seen, shoal_world *world);
void witness_forget_events(witness *seen);

/* True when two lists of events have the same lines, in any order: what is required may come before what requires it.
 */
bool events_are_same(const char *some, const char *others);

/* What the hooks have seen is what is there: the first fault in words, or NULL. */
const char *witness_fault(witness *seen);

#endif
