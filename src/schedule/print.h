/*
 * What the forms of a printed schedule have in common. print.c makes everything ready and locks the world; each form is
 * a file of its own, that only reads what is built and the reasons. Nothing is allocated while text is written.
 *
 * Thread rule: world.
 */
#ifndef SHOAL_SCHEDULE_PRINT_H
#define SHOAL_SCHEDULE_PRINT_H

#include "../base/text.h"
#include "reasons.h"

typedef struct schedule_print {
    shoal_schedule *schedule;
    order_reasons reasons;
    text_output output;
} schedule_print;

void print_text(schedule_print *print);
void print_dot(schedule_print *print);
void print_json(schedule_print *print);

/* Systems by line, from `first` to `end` - 1. */
typedef struct line_range {
    size_t first, end;
} line_range;

/* The systems since the sync point before the one behind a stage: those that record are what it waits for. */
line_range sync_range(const shoal_schedule *schedule, uint32_t stage);

/* Systems have names of components for what they touch: the next entry from `*at` on that has any of `kinds`. NULL at
   the end; else `*at` is behind it. */
const access_entry *access_next(const shoal_system *system, uint8_t kinds, size_t *at);

/* A list of the components on which two systems conflict: the next one, or NULL. */
const char *conflict_name(const shoal_system *a, const shoal_system *b, size_t *at);

const char *component_name(shoal_component component);
const char *phase_name(const shoal_schedule *schedule, uint32_t phase);

/* The words for a reason that is a single bit. */
const char *reason_name(uint8_t reason);

/* What is special of a system, "once, commands, every 20 ms", behind `before`. False when nothing is; then nothing is
   written. */
bool put_marks(text_output *output, const shoal_system *system, const char *before);

#endif
