/*
 * The charts: speeds.svg, the speeds of each kind beside Maxwell and Boltzmann's, and balance.svg, how energy is shared
 * out and how well it and the momentum are kept.
 *
 * Thread rule: one thread at a time.
 */
#ifndef BOUNCE_CHART_H
#define BOUNCE_CHART_H

#include "history.h"
#include "svg.h"

/* The sizes of the two. */
extern const svg_point chart_speeds_size, chart_balance_size;

#define CHART_SPEEDS_NAME "speeds.svg"
#define CHART_BALANCE_NAME "balance.svg"

/* Write them into the directory. False after one line on the standard error stream. */
bool chart_speeds(const bounce_history *history, const char *directory);
bool chart_balance(const bounce_history *history, const char *directory);

#endif
