/*
 * What is printed: a table of the run, and whether the laws were kept.
 *
 * Thread rule: one thread at a time.
 */
#ifndef BOUNCE_REPORT_H
#define BOUNCE_REPORT_H

#include "history.h"
#include "options.h"

/* What the gas is, and the head of the table. */
void report_begin(const bounce_gas *gas, const bounce_options *options);

/* The newest note as a line of the table. */
void report_note(const bounce_history *history);

/* The sums of the run; `seconds` is what the steps alone took. */
void report_end(const bounce_history *history, const bounce_options *options, double seconds);

#endif
