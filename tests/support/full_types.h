/*
 * The component types of the model test of all kinds: each storage kind and trait, plain and owning, alone and in the
 * combinations that matter, with a table that says how a value is made and read.
 *
 * Every element (a value, the data of a relation, an element of a buffer) has eight bytes that follow from one number,
 * its payload: a number with its check, a handle, or an object of owned.h. So a reference world keeps one number for
 * each element. A full_value is what a call gives for one component, in that form; a full_real is the same for the
 * library. full_types_register() comes first in every test program.
 *
 * Some types tell what happens to them: their on_add, on_set and on_remove hooks look at the entity and at the value,
 * and count. So at any time what was added and not removed must be what is there.
 */
#ifndef SHOAL_TESTS_FULL_TYPES_H
#define SHOAL_TESTS_FULL_TYPES_H

#include "owned.h"

#include <shoal/shoal.h>

/* A number, and what follows from it, so that bytes that do not belong together show. */
typedef struct Number {
    uint32_t value;
    uint32_t check;
} Number;

/* A reference to an entity. */
typedef struct Handle {
    shoal_entity at;
} Handle;

typedef Number Hull, Armor, Fuel, Shield, Lease, Scan, Radar, Turret, Faction, Bounds, Bill, Cargo, Orbits, Clock;
typedef Handle Course, Aim, Route, Flagship;
typedef Owned Gear, Estate, Guest, Banner, Climate, Crew, Escort, Journal;

/* Of relations and buffers with one element each, unless another form is in the name. */
typedef enum full_type {
    FULL_HULL,     /* table */
    FULL_GEAR,     /* table, owning */
    FULL_ARMOR,    /* table, with a default value */
    FULL_FUEL,     /* table, with a validate hook */
    FULL_COURSE,   /* table, a handle */
    FULL_SHIELD,   /* table, toggle */
    FULL_TURRET,   /* table, requires Shield, Faction, Scan and Route */
    FULL_DOCKED,   /* tag */
    FULL_ASLEEP,   /* tag, toggle */
    FULL_LEASE,    /* table, cleanup, toggle */
    FULL_ESTATE,   /* table, cleanup, owning */
    FULL_REMAINS,  /* tag, cleanup */
    FULL_SCAN,     /* sparse */
    FULL_GUEST,    /* sparse, stable, owning */
    FULL_MARKED,   /* sparse, tag */
    FULL_AIM,      /* sparse, a handle */
    FULL_RADAR,    /* sparse, requires Docked */
    FULL_FACTION,  /* shared */
    FULL_BANNER,   /* shared, owning, with equal and hash */
    FULL_BOUNDS,   /* chunk */
    FULL_CLIMATE,  /* chunk, owning */
    FULL_ROUTE,    /* buffer of handles */
    FULL_CREW,     /* buffer, owning, toggle */
    FULL_BILL,     /* buffer, cleanup */
    FULL_OWNER,    /* relation, exclusive, no data */
    FULL_CARGO,    /* relation, several targets, data */
    FULL_ESCORT,   /* relation, several targets, owning data, its sources go with the target */
    FULL_GUARDS,   /* relation, several targets, no data, refuses the end of the target */
    FULL_ORBITS,   /* relation, acyclic, data */
    FULL_FLAGSHIP, /* relation, exclusive, split, a handle as data */
    FULL_CHILD_OF,
    FULL_PREFAB,
    FULL_ENTITY_COUNT, /* those before belong to entities as callers like */
    FULL_DYING = FULL_ENTITY_COUNT,
    FULL_CLOCK,   /* unique */
    FULL_JOURNAL, /* unique, owning */
    FULL_COUNT,
    FULL_RELATION_FIRST = FULL_OWNER,
    FULL_RELATION_COUNT = FULL_CHILD_OF - FULL_OWNER + 1,
    FULL_BUFFER_FIRST = FULL_ROUTE,
    FULL_BUFFER_COUNT = FULL_BILL - FULL_ROUTE + 1
} full_type;

SHOAL_COMPONENT_DECLARE(Hull)
SHOAL_COMPONENT_DECLARE(Scan)
SHOAL_COMPONENT_DECLARE(Faction)
SHOAL_COMPONENT_DECLARE(Orbits)

/* What full_read() gives for bytes that are no value of the type. */
#define FULL_BROKEN UINT64_MAX
#define FULL_ITEMS_MAX 12
#define FULL_SHARED_VALUES 3 /* payloads of shared types are below */

typedef uint64_t full_mask;

static inline full_mask full_bit(full_type type) {
    return (full_mask)1 << type;
}

typedef struct full_items {
    size_t count;
    uint64_t payload[FULL_ITEMS_MAX];
} full_items;

/* What a call gives for one component. */
typedef struct full_value {
    full_type type;
    bool has_data;       /* else the default; of a relation: of its data */
    uint64_t payload;    /* of a value, or of the data of a relation */
    shoal_entity target; /* of a relation; null: none is given */
    full_items items;    /* of a buffer */
} full_value;

/* The same for the library. It points into itself, so it must not be copied. */
typedef struct full_real {
    shoal_value value;
    full_type type;
    size_t made; /* elements to be ended */
    uint64_t elements[FULL_ITEMS_MAX];
    shoal_span span;
    shoal_link link;
} full_real;

/* What the hooks of a type have seen since full_events_reset(). */
typedef struct full_events {
    uint64_t added;
    uint64_t removed;
    uint64_t faults; /* calls about what is not there, or with a value that is broken */
} full_events;

extern full_events full_seen[FULL_COUNT];

void full_types_register(void);
void full_events_reset(void);
/* True for a type that tells. */
bool full_tells(full_type type);
const char *full_name(full_type type);
shoal_component full_component(full_type type);
const shoal_component_def *full_def(full_type type);
/* The type of a component, or FULL_COUNT. */
full_type full_find(shoal_component component);
bool full_is(full_type type, shoal_storage storage);
bool full_has_data(full_type type);
/* True where payloads are handles. */
bool full_is_handle(full_type type);
bool full_is_owning(full_type type);
/* True where the values belong to the rows or to sparse sets, so that shoal_get_mut() gives them. */
bool full_is_writable(full_type type);
/* The payload of an element that nobody gave. */
uint64_t full_default(full_type type);
/* Cuts any number to a payload that the type can hold and its validate hook accepts; no handles. */
uint64_t full_fit(full_type type, uint64_t number);
/* True for a payload that the validate hook refuses; bit 31 makes it one. */
bool full_refuses(full_type type, uint64_t payload);

/* Makes an element in raw memory; end it with full_end(). */
void full_write(full_type type, uint64_t payload, void *element);
void full_end(full_type type, void *element);
uint64_t full_read(full_type type, const void *element);

/* A value; a link, whose payload is that of its data; a buffer whose elements have `first`, `first` + 1 ... */
full_value full_value_of(full_type type, uint64_t payload);
full_value full_link_to(full_type type, shoal_entity target, uint64_t payload);
full_value full_value_of_items(full_type type, size_t count, uint64_t first);

void full_real_make(full_real *real, const full_value *value);
void full_real_end(full_real *real);

#endif
