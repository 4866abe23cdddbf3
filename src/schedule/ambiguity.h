/*
 * The report of ambiguities: pairs of systems that conflict and have no declared order. Thread rule: world.
 */
#ifndef SHOAL_SCHEDULE_AMBIGUITY_H
#define SHOAL_SCHEDULE_AMBIGUITY_H

struct shoal_schedule;

/* Writes the pairs that nobody has acknowledged into the world's log, a line for each first system, if the settings
   want that. */
void ambiguities_log(struct shoal_schedule *schedule);

#endif
