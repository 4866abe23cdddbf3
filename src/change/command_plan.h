/*
 * The plan of applying commands: it finds every edge that the commit will take, and makes room for each row, slot and
 * list entry that may come, so that the commit cannot fail. Nothing of the world's content changes.
 *
 * When no entity is named twice, none is spawned (the plan marks records to find out) and all commands change columns
 * of bytes, the plan is "single": each command is its own change. Otherwise commands are chained by entity, and a
 * segment of a chain (see command.h) is folded into one move. What an entity will be at its later segments depends on
 * what the commit finds, so the plan follows each archetype that it may be in by then. Thread rule: world.
 */
#ifndef SHOAL_CHANGE_COMMAND_PLAN_H
#define SHOAL_CHANGE_COMMAND_PLAN_H

#include "command.h"

extern const char command_apply_call[]; /* the call that errors name */

/* Plans all commands; `*distinct` says whether the plan is single. On failure the error is stored, and all is as it
   was. */
shoal_status command_plan_make(shoal_commands *commands, bool *distinct);

/* Forgets the rows that targets had to have room for. */
void command_targets_forget(shoal_commands *commands);

/* Unchains the commands on living entities. */
void command_heads_clear(shoal_commands *commands);

/* A spawn is refused as a whole when one of its values is. */
bool command_spawn_is_refused(const shoal_commands *commands, uint32_t number);

/* ---- for command_split.c; errors are stored ---- */

/* Counts rows that an archetype must have room for. */
shoal_status command_count_rows(shoal_commands *commands, shoal_archetype *target, uint64_t rows);

/* One more archetype, unless it is among those from `first` on, in which the entity of a chain may be. */
shoal_status command_base_add(shoal_commands *commands, size_t first, shoal_archetype *base);

/* The number of the first command in the chain of a living entity, or COMMAND_NONE. */
uint32_t command_chain_of(const shoal_commands *commands, shoal_entity entity);

/* ---- what plan and commit must find alike ---- */

/* The edge of one command alone. NULL: error stored. */
static ALWAYS_INLINE const shoal_transition *command_single_edge(shoal_world *world, const shoal_command *command,
                                                                 shoal_archetype *source) {
    bool adds = command->kind == SHOAL_COMMAND_ADD;
    if (LIKELY(command->kind != SHOAL_COMMAND_CLEAR)) {
        const shoal_transition *recent = transition_recent_single(source, command->component, adds);
        if (LIKELY(recent != NULL)) {
            return recent;
        }
    }
    shoal_component component = {command->component};
    shoal_value value = {.component = component};
    transition_keys keys = {.add = &value, .add_count = adds, .remove = &component, .remove_count = !adds};
    if (command->kind == SHOAL_COMMAND_CLEAR) {
        keys.remove = (const shoal_component *)(const void *)source->ids; /* a struct of one uint32_t */
        keys.remove_count = source->component_count;
    }
    return transition_find(world, source, &keys, command_apply_call);
}

/* Where the first command on a slot stands, plus 1; NULL where none is. */
static inline uint32_t *command_head_of(const shoal_commands *commands, shoal_entity entity) {
    uint32_t slot = shoal_entity_index(entity);
    uint32_t page = slot >> INDEX_PAGE_BITS;
    if (page >= commands->head_page_count || commands->head_pages[page] == NULL) {
        return NULL;
    }
    return &commands->head_pages[page][slot & (INDEX_PAGE_SLOTS - 1)];
}

/* False for a fold that leaves all components and values as they are. A part of a segment has no edge in the plan, and
   needs none, since only such parts are left to entities that a cascade has met. */
static inline bool command_fold_changes(const command_fold *fold) {
    return fold->value_count + fold->removed_count != 0;
}

/* The edge of the fold that was just made, from `base`; NULL with the error stored. */
static inline const shoal_transition *command_fold_edge(shoal_commands *commands, shoal_archetype *base) {
    const command_fold *fold = &commands->fold;
    transition_keys keys = {.add = fold->values.items,
                            .add_count = fold->value_count,
                            .remove = fold->removed.items,
                            .remove_count = fold->removed_count};
    return transition_find(commands->world, base, &keys, command_apply_call);
}

/* Whether commands after a destroy may find their entity: it stays behind, or a relation may refuse its end. */
static inline bool command_may_outlive_destroy(const shoal_commands *commands) {
    return commands->is_special || commands->world->loose_count != 0 || commands->world->special_archetypes != 0;
}

#endif
