/*
 * Commands on split relations, and destroys of their targets: what they need in a plan. Both move rows at once,
 * whatever segment (command.h) the entity's other commands are in:
 *
 *     a command   from where the entity is to the archetype of its new target, or of none; it may be dropped as well
 *     a destroy   the rows of all sources, if the relation's policy lets them stay
 *
 * So the plan has edges for each archetype in which an entity may be, and room for each row that may come. Thread rule:
 * world.
 */
#ifndef SHOAL_CHANGE_COMMAND_SPLIT_H
#define SHOAL_CHANGE_COMMAND_SPLIT_H

#include "command.h"

/* Finds out whether anything may end, once the commands have been chained. */
void command_split_begin(shoal_commands *commands);

/* For the bases of a chain from `first` on: adds those to which the split commands of the segment at `head`, and ends
   of targets, may take the entity; their edges and rows. */
shoal_status command_split_plan(shoal_commands *commands, uint32_t head, size_t first, const char *call);

/* Counts the rows that the ends of targets may move, after all others have been counted. */
shoal_status command_split_plan_ends(shoal_commands *commands, const char *call);

/* False for a target that was not alive when the plan was made. */
bool command_split_is_planned(const shoal_commands *commands, shoal_entity entity, const component_type *type,
                              shoal_entity target);

#endif
