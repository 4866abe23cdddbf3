/*
 * A script: what was recorded in a command buffer, for the reference world. script_apply() runs it there as
 * immediate calls in the order of recording, which is what applying the buffer must come to.
 */
#ifndef SHOAL_TESTS_SCRIPT_H
#define SHOAL_TESTS_SCRIPT_H

#include "value_set.h"

#include <shoal/command.h>

#define SCRIPT_MAX 256

typedef struct script_command {
    shoal_command_kind kind;
    shoal_entity target; /* of a spawn: its placeholder */
    shoal_entity real;   /* of a spawn, after script_apply(): the handle; null if it was dropped */
    naive_value values[VALUE_SET_MAX];
    size_t value_count;
    naive_outcome outcome; /* after script_apply() */
    shoal_entity shown;    /* after script_apply(): the target as the dropped callback shows it */
} script_command;

typedef struct script {
    script_command commands[SCRIPT_MAX];
    size_t count;
} script;

/* Appends a command; fails the test when the script is full. */
script_command *script_append(script *recorded, shoal_command_kind kind, shoal_entity target);

/*
 * Runs the script on `naive`. Returns 0, or the statuses with which the buffer as a whole must refuse, and leaves
 * `naive` as it was then.
 */
naive_outcome script_apply(script *recorded, naive_world *naive);

/* How many commands were dropped by the last script_apply(). */
size_t script_dropped(const script *recorded);

/* What shoal_commands_resolve() must give for a placeholder after the last script_apply() on `naive`. */
shoal_entity script_resolve(const script *recorded, const naive_world *naive, shoal_entity placeholder);

#endif
