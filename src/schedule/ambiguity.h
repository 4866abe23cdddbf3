/*
 * The report of ambiguities: pairs of systems that conflict and have no declared order; on what two systems conflict.
 * Thread rule: world.
 */
#ifndef SHOAL_SCHEDULE_AMBIGUITY_H
#define SHOAL_SCHEDULE_AMBIGUITY_H

#include "schedule.h"

/* The components on which two systems conflict, one after the other: the next one from `*at` on, which begins with 0.
   False when there are no more. */
bool conflict_next(const shoal_system *a, const shoal_system *b, size_t *at, shoal_component *component);

/* Archetypes of now that both match. */
size_t pair_archetypes(shoal_schedule *schedule, const shoal_system *a, const shoal_system *b);

/* Writes the pairs that nobody has acknowledged into the world's log, a line for each first system, if the settings
   want that. */
void ambiguities_log(shoal_schedule *schedule);

#endif
