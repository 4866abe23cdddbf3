/*
 * The last error: each world has a record for the calls that change it, and each thread has one for calls without a
 * world, for calls that only read one, and for all calls on a world whose systems run, since several threads may be in
 * one world at once then.
 *
 * A failing call stores what it knows (status, call, entity, component, a detail) and nothing more; the sentence
 * is put together when shoal_last_error() is asked for it, since a failed look-up may be common and must stay cheap.
 */
#ifndef SHOAL_BASE_ERROR_H
#define SHOAL_BASE_ERROR_H

#include <shoal/component.h>

#include "compiler.h"

typedef struct error_record {
    shoal_status status;
    const char *call;          /* a string literal: the public function */
    shoal_entity entity;       /* null: not named */
    shoal_component component; /* null: not named */
    char detail[288];          /* empty: none */
    const shoal_world *about;  /* of a thread's record: the world that the next error is about, or NULL */
    const shoal_world *world;  /* the world that this error is about, or NULL */
    uint64_t sequence;         /* which of two records is the later one */
} error_record;

/* The record of this thread for calls without a world, and the same record for an error that is about a world; to be
   asked for right before storing. */
error_record *error_thread_record(void);
error_record *error_thread_record_of(const shoal_world *world);

/* Begins a world's record: what threads have stored before is about another world at the same address. */
void error_begin(error_record *record);

/* Each stores an error and returns `status`, so that a caller can write `return error_set(...)`. */
shoal_status error_set(error_record *record, shoal_status status, const char *call);
shoal_status error_entity(error_record *record, shoal_status status, const char *call, shoal_entity entity);
shoal_status error_component(error_record *record, shoal_status status, const char *call, shoal_entity entity,
                             shoal_component component);
shoal_status error_detail(error_record *record, shoal_status status, const char *call, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Puts the message together, in a buffer of this thread. `component_name` is that of record->component, or NULL. */
shoal_error error_message(const error_record *record, const char *component_name);

#endif
