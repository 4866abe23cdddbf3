/*
 * Split relations in the plan of commands; see command_split.h.
 *
 * An archetype has a target that may end when a destroy names the target, or something may take the target with it.
 * Such an archetype gets an edge to the one without the target, and that one again, where a further target of it may
 * end. Thread rule: world.
 */
#include "command_split.h"

#include "command_plan.h"
#include "loose.h"

static const shoal_entity no_target = {0};

/* ---- what may end ---- */

void command_split_begin(shoal_commands *commands) {
    commands->is_released = false;
    for (size_t i = 0; i < commands->command_count && !commands->is_released; i++) {
        commands->is_released = command_at(commands, i)->kind == SHOAL_COMMAND_DESTROY;
    }
}

static bool destroys_source(const component_type *type) {
    return type->def.storage == SHOAL_STORAGE_RELATION && type->def.on_target_destroyed == SHOAL_TARGET_DESTROY;
}

/* True for an entity with a link, of now or to come, by which it may be destroyed with another. */
static bool may_follow(const shoal_commands *commands, shoal_entity entity) {
    const shoal_world *world = commands->world;
    for (size_t k = 0; commands->is_cut && k < world->loose_count; k++) {
        const loose_store *loose = (const loose_store *)world->loose.items + k;
        if (destroys_source(loose->type) && store_has(world, loose->type, entity)) {
            return true;
        }
    }
    return false;
}

static bool may_end(const shoal_commands *commands, shoal_entity entity) {
    if (index_find(&commands->world->index, entity) == NULL) {
        return false;
    }
    bool ends = may_follow(commands, entity);
    for (uint32_t number = command_chain_of(commands, entity); number != COMMAND_NONE && !ends;) {
        const shoal_command *command = command_at(commands, number);
        ends = command->kind == SHOAL_COMMAND_DESTROY ||
               (command->kind == SHOAL_COMMAND_ADD && destroys_source(component_type_at(command->component)));
        number = command->next;
    }
    return ends;
}

/* The type of the i-th key of an archetype when it is a target that may end and let its sources stay; else NULL. */
static const component_type *key_that_ends(const shoal_commands *commands, const shoal_archetype *archetype,
                                           uint32_t i) {
    const archetype_shared *key = &archetype->more->shared[i];
    const component_type *type = component_type_at(key->component);
    bool lets_stay = type->def.split && type->def.on_target_destroyed == SHOAL_TARGET_REMOVE;
    return lets_stay && may_end(commands, (shoal_entity){key->key}) ? type : NULL;
}

/* ---- where the entity of a chain may be ---- */

static shoal_archetype *base_at(const shoal_commands *commands, size_t i) {
    return ((shoal_archetype **)commands->bases.items)[i];
}

/* Adds the archetypes to which ends of targets may take an entity of those from `first` on. Their rows are counted by
   command_split_plan_ends(). */
static shoal_status bases_release(shoal_commands *commands, size_t first, const char *call) {
    shoal_status status = SHOAL_OK;
    for (size_t i = first; commands->is_released && i < commands->base_count; i++) {
        shoal_archetype *base = base_at(commands, i);
        for (uint32_t k = 0; k < base->more->shared_count && status == SHOAL_OK; k++) {
            const component_type *type = key_that_ends(commands, base, k);
            if (type == NULL) {
                continue;
            }
            const shoal_transition *edge = loose_split_edge(commands->world, base, type, no_target, call);
            status =
                edge != NULL ? command_base_add(commands, first, edge->target) : world_error(commands->world)->status;
        }
    }
    return status;
}

/* True when a split command changes something for an entity of that archetype. */
static bool command_concerns(shoal_commands *commands, shoal_command *command, const shoal_archetype *base) {
    if (command->kind == SHOAL_COMMAND_ADD) {
        return !(base->hidden & ARCHETYPE_DYING) &&
               index_find(&commands->world->index, *command_target(command)) != NULL; /* else it will be dropped */
    }
    uint32_t number = archetype_shared_number(base, command->component);
    uint64_t named = command->kind == SHOAL_COMMAND_UNRELATE ? command_target(command)->bits : 0;
    return number != ARCHETYPE_NONE && (named == 0 || base->more->shared[number].key == named);
}

/* One split command, for each archetype from `first` on in which its entity may be. */
static shoal_status split_plan_one(shoal_commands *commands, shoal_command *command, size_t first, const char *call) {
    const component_type *type = component_type_at(command->component);
    shoal_entity target = command->kind == SHOAL_COMMAND_ADD ? *command_target(command) : no_target;
    shoal_status status = SHOAL_OK;
    for (size_t i = first, end = commands->base_count; i < end && status == SHOAL_OK; i++) {
        shoal_archetype *base = base_at(commands, i);
        if (!command_concerns(commands, command, base)) {
            continue;
        }
        const shoal_transition *edge = loose_split_edge(commands->world, base, type, target, call);
        if (edge == NULL) {
            return world_error(commands->world)->status;
        }
        status = edge->target != base ? command_count_rows(commands, edge->target, 1) : SHOAL_OK;
        status = status == SHOAL_OK ? command_base_add(commands, first, edge->target) : status;
    }
    return status;
}

shoal_status command_split_plan(shoal_commands *commands, uint32_t head, size_t first, const char *call) {
    shoal_status status = bases_release(commands, first, call);
    bool ended = false;
    for (uint32_t number = head; number != COMMAND_NONE && !ended && status == SHOAL_OK;) {
        shoal_command *command = command_at(commands, number);
        if (command_splits(command)) {
            status = split_plan_one(commands, command, first, call);
            status = status == SHOAL_OK ? bases_release(commands, first, call) : status;
        }
        ended = command_ends_segment(commands, number);
        number = command->next;
    }
    return status;
}

/* ---- rows that ends of targets move ---- */

static uint32_t ending_keys(const shoal_commands *commands, const shoal_archetype *archetype) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < archetype->more->shared_count; k++) {
        count += key_that_ends(commands, archetype, k) != NULL;
    }
    return count;
}

static shoal_status ends_count(shoal_commands *commands, shoal_archetype *archetype, const char *call) {
    uint64_t rows = archetype->row_count + archetype->pending_rows;
    shoal_status status = SHOAL_OK;
    for (uint32_t k = 0; k < archetype->more->shared_count && status == SHOAL_OK; k++) {
        const component_type *type = key_that_ends(commands, archetype, k);
        if (type == NULL) {
            continue;
        }
        const shoal_transition *edge = loose_split_edge(commands->world, archetype, type, no_target, call);
        status = edge != NULL ? command_count_rows(commands, edge->target, rows) : world_error(commands->world)->status;
    }
    return status;
}

/* Archetypes with the most such targets come first, since all others that rows move to have one less. */
shoal_status command_split_plan_ends(shoal_commands *commands, const char *call) {
    shoal_world *world = commands->world;
    uint32_t most = 0;
    for (uint32_t age = 0; commands->is_released && age < world->archetype_count; age++) {
        uint32_t count = ending_keys(commands, world->by_age[age]);
        most = count > most ? count : most;
    }
    shoal_status status = SHOAL_OK;
    for (; most > 0; most--) {
        for (uint32_t age = 0; age < world->archetype_count && status == SHOAL_OK; age++) {
            if (ending_keys(commands, world->by_age[age]) == most) {
                status = ends_count(commands, world->by_age[age], call);
            }
        }
    }
    return status;
}

/* The archetype of a target that has not been planned for has neither a row nor room for one. */
bool command_split_is_planned(const shoal_commands *commands, shoal_entity entity, const component_type *type,
                              shoal_entity target) {
    shoal_world *world = commands->world;
    if (index_find(&world->index, target) == NULL) {
        return true; /* that will be found out */
    }
    shoal_archetype *base = row_of(world, index_find(&world->index, entity)).archetype;
    world->transitions.is_closed = true;
    const shoal_transition *edge = loose_split_edge(world, base, type, target, "shoal_commands_apply");
    world->transitions.is_closed = false;
    return edge != NULL && (edge->target == base || edge->target->open != NULL);
}
