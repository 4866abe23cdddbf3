/*
 * A component type that owns something, for tests of the hooks. A value is the number of an object in a table;
 * the table knows which objects live, what they hold, and at which address their value lies. So it is seen at
 * once when the library ends a value twice, forgets one, moves one by memcpy although there is a move hook, or
 * hands raw memory to a hook as if it were a value.
 *
 * A tracker belongs to one component type and goes to its hooks as `user`. Faults are counted there, with the
 * first in words. Object numbers are never used twice in a process. One thread.
 */
#ifndef SHOAL_TESTS_OWNED_H
#define SHOAL_TESTS_OWNED_H

#include <shoal/component.h>

/* What a source holds after its move; no hook may see it again. */
#define OWNED_MOVED UINT64_MAX

typedef struct Owned {
    uint64_t object; /* 1 and up; 0 is an empty value, which only types without ctor may have */
} Owned;

typedef struct tracker {
    const char *name;
    bool has_ctor; /* zero bytes are no value */
    bool follows;  /* has a move hook, so each value lies where the table says */
    int64_t live;
    size_t ctor_values;
    size_t copy_values;
    size_t move_values;
    size_t dtor_values;
    size_t countdown; /* 1: the next call of ctor or copy fails; 0: none does */
    size_t failed_count;
    size_t error_count;
    char first_error[160];
} tracker;

/* What the ctor hook puts into its objects. */
#define OWNED_CTOR_PAYLOAD 500u

/* The hooks; `user` is the tracker. */
bool owned_ctor(void *values, size_t count, void *user);
bool owned_copy(void *values, const void *source, size_t count, void *user);
void owned_move(void *values, void *source, size_t count, void *user);
void owned_dtor(void *values, size_t count, void *user);

/* A value of the test's own, which it must end. */
void owned_make(tracker *track, Owned *value, uint32_t payload);
void owned_end(tracker *track, Owned *value);

/* What a value holds; false when it is no live value of this tracker at this address. */
bool owned_read(const tracker *track, const Owned *value, uint32_t *payload);

/* True while the object of that number lives. */
bool owned_is_live(uint64_t object);

/* Sets the counters to zero, not `live`. */
void owned_reset_counts(tracker *track);

/* Makes the n-th call of ctor or copy from now on fail; 0: none. */
void owned_arm(tracker *track, size_t n);

/* Stops failing; true when a hook has failed since owned_arm(). */
bool owned_disarm(tracker *track);

/* Checks that no fault was seen and `live` objects are there. */
void owned_check(const tracker *track, int64_t live, const char *file, int line);
#define assert_owned(track, live) owned_check((track), (live), __FILE__, __LINE__)

#endif
