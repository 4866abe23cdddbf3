/*
 * The names of tasks for traces, which outlive the tasks: a list that only grows, one entry for each distinct text.
 */
#ifndef SHOAL_SCHEDULE_LABELS_H
#define SHOAL_SCHEDULE_LABELS_H

#include "schedule.h"

/* Of sync points. */
#define LABEL_SYNC UINT32_MAX

/* Gives a task its label: the names of its systems, with " + " in between. */
shoal_status labels_intern(shoal_schedule *schedule, schedule_task *task);

const char *label_text(const shoal_schedule *schedule, uint32_t label);
void labels_free(shoal_schedule *schedule);

#endif
