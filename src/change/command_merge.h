/*
 * Merging: commands that several buffers have recorded become the commands of one, in an order that the caller gives.
 *
 *     recorder a:  | a0 a1 | a2 |        merged:  | a0 a1 | b0 | a2 | ...
 *     recorder b:  | b0 |
 *
 * Values stay where the recorders have them: their arenas must live until the merged buffer has been applied.
 * Placeholders of a part turn into placeholders of the merged buffer; a part must not name those of another part, which
 * the recording has seen to (shoal_commands::first_valid). Thread rule: world.
 */
#ifndef SHOAL_CHANGE_COMMAND_MERGE_H
#define SHOAL_CHANGE_COMMAND_MERGE_H

#include "command.h"

/* Where a recorder stands; a part is what lies between two of these. */
typedef struct command_mark {
    uint32_t command_count;
    uint32_t spawn_count;
    uint32_t internal_count;
    uint32_t record_count;
} command_mark;

static inline command_mark command_mark_of(const shoal_commands *commands) {
    return (command_mark){.command_count = (uint32_t)commands->command_count,
                          .spawn_count = commands->spawn_count,
                          .internal_count = (uint32_t)commands->internal_count,
                          .record_count = (uint32_t)commands->record_count};
}

/* Makes room for so much more. OUT_OF_MEMORY, MEMORY_LIMIT, ENTITY_LIMIT for too many spawns. */
shoal_status command_merge_reserve(shoal_commands *into, command_mark more);

/* Appends a part. Cannot fail when there is room. */
void command_merge_part(shoal_commands *into, shoal_commands *from, command_mark first, command_mark end);

/* Forgets what a recorder has recorded, which all lies in the merged buffer now; its values stay in place. */
void command_merge_taken(shoal_commands *from);

/* The merged buffer has been applied: the recorder's arena may go. */
void command_merge_applied(shoal_commands *from);

#endif
