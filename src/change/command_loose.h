/*
 * Commands on components outside of archetypes: making room for all of a buffer's, and carrying one out. See
 * command_apply.c for when. Thread rule: world.
 */
#ifndef SHOAL_CHANGE_COMMAND_LOOSE_H
#define SHOAL_CHANGE_COMMAND_LOOSE_H

#include "command.h"
#include "notify.h"

/* Makes room for every loose add of the buffer, so that none can fail, and finds out whether a cascade may come.
   Chains have been linked and slots prepared. On failure the error is stored; command_loose_settle() takes it back. */
shoal_status command_loose_plan(shoal_commands *commands, const char *call);

/* Forgets what has been reserved and not been used. */
void command_loose_settle(shoal_commands *commands);

/* Carries one out, on an entity that is alive; drops it when its call would have failed. */
void command_loose_commit(shoal_commands *commands, uint32_t number, shoal_entity entity);

/* The same for what the next add requires, if that add takes place and the fold wants it. */
void command_loose_require(shoal_commands *commands, uint32_t number, shoal_entity entity);

/* All loose values of a spawn, whose row is there and which has been checked; then the hooks, kind by kind. */
void command_loose_spawn(shoal_commands *commands, const command_spawn *spawn);
void command_loose_spawn_notify(shoal_commands *commands, const command_spawn *spawn, notify_kind kind);

/* The hooks of a joint operation whose last command is `last`, when all of it has been carried out. */
void command_loose_joint_notify(shoal_commands *commands, uint32_t last, notify_kind kind);

/* ---- of command_apply.c ---- */

/* Counts a dropped command, and tells of it. */
void command_dropped(shoal_commands *commands, uint32_t number, shoal_status status);

/* The value that a command brings, with its entity fields patched, for taking over; NULL when it brings none. */
void *command_deliver(shoal_commands *commands, shoal_command *command);

/* The real handle of a placeholder of this buffer, or null; any other handle as it is. */
shoal_entity command_resolved(const shoal_commands *commands, shoal_entity entity);

#endif
