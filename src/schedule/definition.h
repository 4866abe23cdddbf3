/*
 * Checking what a caller says of systems and phases. Thread rule: world.
 */
#ifndef SHOAL_SCHEDULE_DEFINITION_H
#define SHOAL_SCHEDULE_DEFINITION_H

#include <shoal/system.h>

struct shoal_schedule;

/* All that can be known of a definition when it is given; the error is stored and says where. */
shoal_status definition_check(struct shoal_schedule *schedule, const shoal_system_def *def, const char *call);

/* A name of a system or phase, told in `what`; the error is stored. */
shoal_status definition_check_name(shoal_world *world, const char *name, const char *what, const char *call);

#endif
