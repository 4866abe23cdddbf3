/*
 * Planning commands; see command_plan.h. Thread rule: world.
 */
#include "command_plan.h"

#include "command_loose.h"
#include "command_split.h"
#include "destroy.h"

const char command_apply_call[] = "shoal_commands_apply";

/* ---- rows that targets must have room for ---- */

static ALWAYS_INLINE shoal_status target_count_row(shoal_commands *commands, shoal_archetype *target) {
    if (UNLIKELY(target->pending_rows == 0)) {
        shoal_status status = memory_array_reserve(&commands->world->memory, SHOAL_PURPOSE_COMMAND, &commands->targets,
                                                   commands->target_count + 1, sizeof(shoal_archetype *));
        if (status != SHOAL_OK) {
            return world_fail(commands->world, status, command_apply_call);
        }
        ((shoal_archetype **)commands->targets.items)[commands->target_count++] = target;
    }
    target->pending_rows++;
    return SHOAL_OK;
}

shoal_status command_count_rows(shoal_commands *commands, shoal_archetype *target, uint64_t rows) {
    shoal_status status = rows != 0 ? target_count_row(commands, target) : SHOAL_OK;
    target->pending_rows += status == SHOAL_OK && rows != 0 ? (uint32_t)(rows - 1) : 0;
    return status;
}

void command_targets_forget(shoal_commands *commands) {
    shoal_archetype **targets = commands->targets.items;
    for (size_t i = 0; i < commands->target_count; i++) {
        targets[i]->pending_rows = 0;
        archetype_settle(commands->world, targets[i]);
    }
    commands->target_count = 0;
}

static shoal_status targets_promise(shoal_commands *commands) {
    shoal_archetype **targets = commands->targets.items;
    for (size_t i = 0; i < commands->target_count; i++) {
        shoal_status status = archetype_promise(commands->world, targets[i], targets[i]->pending_rows);
        if (status != SHOAL_OK) {
            return world_fail(commands->world, status, command_apply_call);
        }
    }
    return SHOAL_OK;
}

/* ---- the plan when no entity is named twice ---- */

static ALWAYS_INLINE bool command_moves(const shoal_command *command) {
    return command->kind == SHOAL_COMMAND_ADD || command->kind == SHOAL_COMMAND_REMOVE ||
           command->kind == SHOAL_COMMAND_CLEAR;
}

static void marks_clear(shoal_commands *commands, size_t count) {
    for (size_t i = 0; i < count; i++) {
        index_record *record = index_find(&commands->world->index, command_at(commands, i)->entity);
        if (record != NULL) {
            record->place &= ~INDEX_MARK;
        }
    }
}

/* Counts rows as if every entity were named once; `*distinct` turns false when one is not. */
static shoal_status plan_single(shoal_commands *commands, bool *distinct) {
    shoal_world *world = commands->world;
    shoal_status status = SHOAL_OK;
    size_t i = 0;
    *distinct = commands->spawn_count == 0 && !commands->is_special && world->loose_count == 0 &&
                world->names.count == 0 && world->special_archetypes == 0;
    for (; i < commands->command_count && *distinct && status == SHOAL_OK; i++) {
        const shoal_command *command = command_at(commands, i);
        index_record *record = index_find(&world->index, command->entity);
        if (UNLIKELY(record == NULL)) {
            continue;
        }
        if (UNLIKELY(record->place & INDEX_MARK)) {
            *distinct = false;
            break;
        }
        shoal_archetype *source = world->archetypes[index_archetype(record->place)];
        if (command_moves(command)) {
            const shoal_transition *edge = command_single_edge(world, command, source);
            if (UNLIKELY(edge == NULL)) {
                status = world_error(world)->status;
                break;
            }
            status = edge->target != source ? target_count_row(commands, edge->target) : SHOAL_OK;
        }
        record->place |= INDEX_MARK;
    }
    if (!*distinct || status != SHOAL_OK) {
        marks_clear(commands, i);
        command_targets_forget(commands);
    }
    return status;
}

/* ---- the plan with chains ---- */

uint32_t command_chain_of(const shoal_commands *commands, shoal_entity entity) {
    const uint32_t *head = command_head_of(commands, entity);
    return head != NULL && *head != 0 ? *head - 1 : COMMAND_NONE;
}

static shoal_status heads_reserve(shoal_commands *commands, uint32_t page) {
    shoal_memory *memory = &commands->world->memory;
    uint32_t page_count = commands->world->index.page_count;
    if (page >= commands->head_page_count) {
        uint32_t **pages = memory_allocate_zero(memory, SHOAL_PURPOSE_COMMAND, page_count * sizeof(uint32_t *), 16);
        if (pages == NULL) {
            return memory_failure(memory);
        }
        if (commands->head_page_count > 0) {
            memcpy(pages, commands->head_pages, commands->head_page_count * sizeof(uint32_t *));
        }
        memory_release(memory, SHOAL_PURPOSE_COMMAND, commands->head_pages,
                       commands->head_page_count * sizeof(uint32_t *), 16);
        commands->head_pages = pages;
        commands->head_page_count = page_count;
    }
    if (commands->head_pages[page] == NULL) {
        commands->head_pages[page] =
            memory_allocate_zero(memory, SHOAL_PURPOSE_COMMAND, INDEX_PAGE_SLOTS * sizeof(uint32_t), 16);
    }
    return commands->head_pages[page] != NULL ? SHOAL_OK : memory_failure(memory);
}

void command_heads_clear(shoal_commands *commands) {
    for (size_t i = 0; i < commands->command_count; i++) {
        uint32_t *head = command_head_of(commands, command_at(commands, i)->entity);
        if (head != NULL) {
            *head = 0;
        }
    }
}

/* Chains the commands on living entities and placeholders by `next`, from the last to the first. */
static shoal_status chains_link(shoal_commands *commands, uint32_t *spawn_next) {
    for (size_t i = commands->command_count; i-- > 0;) {
        shoal_command *command = command_at(commands, i);
        command->next = COMMAND_NONE;
        command->flags &= (uint8_t)~COMMAND_LINKED;
        uint32_t number;
        if (command_placeholder(commands, command->entity, &number)) {
            command->next = spawn_next[number];
            spawn_next[number] = (uint32_t)i;
        } else if (index_find(&commands->world->index, command->entity) != NULL) {
            shoal_status status = heads_reserve(commands, shoal_entity_index(command->entity) >> INDEX_PAGE_BITS);
            if (status != SHOAL_OK) {
                return status;
            }
            uint32_t *head = command_head_of(commands, command->entity);
            command->flags |= COMMAND_LINKED;
            command->next = *head == 0 ? COMMAND_NONE : *head - 1;
            *head = (uint32_t)i + 1;
        }
    }
    return SHOAL_OK;
}

shoal_status command_base_add(shoal_commands *commands, size_t first, shoal_archetype *base) {
    for (size_t i = first; i < commands->base_count; i++) {
        if (((shoal_archetype **)commands->bases.items)[i] == base) {
            return SHOAL_OK;
        }
    }
    shoal_status status = memory_array_reserve(&commands->world->memory, SHOAL_PURPOSE_COMMAND, &commands->bases,
                                               commands->base_count + 1, sizeof(shoal_archetype *));
    if (status != SHOAL_OK) {
        return world_fail(commands->world, status, command_apply_call);
    }
    ((shoal_archetype **)commands->bases.items)[commands->base_count++] = base;
    return SHOAL_OK;
}

/* The same for what an entity of this archetype becomes when it dies, for which a destroy needs a row; a cascade has
   its rows from plan_cascades(). */
static shoal_status bases_add_dying(shoal_commands *commands, size_t first, shoal_archetype *base, bool needs_row) {
    if (!base->has_cleanup || (base->hidden & ARCHETYPE_DYING)) {
        return SHOAL_OK;
    }
    const shoal_transition *edge = destroy_dying_edge(commands->world, base, command_apply_call);
    if (edge == NULL) {
        return world_error(commands->world)->status;
    }
    shoal_status status = needs_row ? target_count_row(commands, edge->target) : SHOAL_OK;
    return status == SHOAL_OK ? command_base_add(commands, first, edge->target) : status;
}

/* Folds the segment at `head` for an entity of archetype `base`; its row, and where the entity may be afterwards. */
static shoal_status plan_segment(shoal_commands *commands, shoal_archetype *base, uint32_t head, size_t first,
                                 bool spawns) {
    shoal_status status = command_fold_chain(commands, base, head, NULL);
    if (status != SHOAL_OK) {
        return world_fail(commands->world, status, command_apply_call);
    }
    bool destroyed = commands->fold.destroyed;
    if (destroyed && !command_may_outlive_destroy(commands)) {
        commands->fold.next = COMMAND_NONE;
        return SHOAL_OK;
    }
    shoal_archetype *target = base;
    if (spawns || command_fold_changes(&commands->fold)) {
        const shoal_transition *edge = command_fold_edge(commands, base);
        if (edge == NULL) {
            return world_error(commands->world)->status;
        }
        target = edge->target;
        status = spawns || target != base ? target_count_row(commands, target) : SHOAL_OK;
    }
    status = status == SHOAL_OK ? command_base_add(commands, first, target) : status;
    if (status == SHOAL_OK && (destroyed || commands->is_cut)) {
        status = bases_add_dying(commands, first, target, destroyed);
    }
    return status;
}

/* Folds the segments of one chain, one after the other, for each archetype in which the entity may be by then, and
   counts the rows that they need. A spawn needs one also where it stays in the root. */
static shoal_status plan_chain(shoal_commands *commands, shoal_archetype *base, uint32_t head, bool spawns) {
    commands->base_count = 0;
    size_t begin = 0;
    shoal_status status = command_base_add(commands, 0, base);
    if (status == SHOAL_OK && commands->is_cut) {
        status = bases_add_dying(commands, 0, base, false);
    }
    while (head != COMMAND_NONE && status == SHOAL_OK) {
        status = !spawns ? command_split_plan(commands, head, begin, command_apply_call) : SHOAL_OK;
        size_t end = commands->base_count;
        for (size_t i = begin; i < end && status == SHOAL_OK; i++) {
            base = ((shoal_archetype **)commands->bases.items)[i];
            status = plan_segment(commands, base, head, end, spawns);
            if (status == SHOAL_OK && command_may_fail(commands, command_at(commands, commands->fold.last))) {
                commands->fold.fails = true;
                status = plan_segment(commands, base, head, end, spawns);
                commands->fold.fails = false;
            }
        }
        if (spawns && status == SHOAL_OK) { /* its row is there before its links */
            status = command_split_plan(commands, head, end, command_apply_call);
        }
        head = commands->fold.next;
        begin = end;
        spawns = false;
    }
    return status;
}

/* The number of the spawn that a command on a placeholder is for. */
static uint32_t spawn_of(const shoal_commands *commands, const shoal_command *command) {
    uint32_t number = 0;
    (void)command_placeholder(commands, command->entity, &number);
    return number;
}

/* Rows for all that a cascade may leave behind: as many as the archetypes with cleanup components have or get. */
static shoal_status plan_cascades(shoal_commands *commands) {
    shoal_world *world = commands->world;
    shoal_status status = SHOAL_OK;
    uint32_t count = world->archetype_count; /* what this makes is dying already */
    for (uint32_t age = 0; age < count && status == SHOAL_OK && commands->is_cut; age++) {
        shoal_archetype *archetype = world->by_age[age];
        if (!archetype->has_cleanup || (archetype->hidden & ARCHETYPE_DYING)) {
            continue;
        }
        const shoal_transition *edge = destroy_dying_edge(world, archetype, command_apply_call);
        status = edge == NULL ? world_error(world)->status : SHOAL_OK;
        for (uint64_t row = 0; row < archetype->row_count + archetype->pending_rows && status == SHOAL_OK; row++) {
            status = target_count_row(commands, edge->target);
        }
    }
    return status;
}

bool command_spawn_is_refused(const shoal_commands *commands, uint32_t number) {
    const command_spawn *spawn = command_spawn_at(commands, number);
    for (uint32_t i = 1; i <= spawn->value_count; i++) {
        if (command_value_is_refused(command_at(commands, spawn->command_number + i))) {
            return true;
        }
    }
    return false;
}

/* True for a spawn with a split relation to what is not alive: the archetype of a target is made before any entity, so
   a handle that was guessed right comes too late. */
static bool spawn_is_lost(const shoal_commands *commands, const command_spawn *spawn) {
    for (uint32_t i = 1; i <= spawn->value_count; i++) {
        shoal_command *command = command_at(commands, spawn->command_number + i);
        if (command_splits(command) && index_find(&commands->world->index, *command_target(command)) == NULL) {
            return true;
        }
    }
    return false;
}

static shoal_status plan_linked(shoal_commands *commands) {
    shoal_world *world = commands->world;
    for (size_t i = 0; i < commands->command_count; i++) {
        const shoal_command *command = command_at(commands, i);
        const index_record *record = index_find(&world->index, command->entity);
        const uint32_t *head = record != NULL ? command_head_of(commands, command->entity) : NULL;
        shoal_status status = SHOAL_OK;
        if (command->kind == SHOAL_COMMAND_SPAWN) {
            command_spawn *spawn = command_spawn_at(commands, spawn_of(commands, command));
            spawn->is_lost = spawn_is_lost(commands, spawn);
            bool refused = command_spawn_is_refused(commands, spawn_of(commands, command));
            status = refused || spawn->is_lost ? SHOAL_OK : plan_chain(commands, world->root, (uint32_t)i, true);
        } else if (head != NULL && *head == i + 1) {
            status = plan_chain(commands, world->archetypes[index_archetype(record->place)], (uint32_t)i, false);
        }
        if (status != SHOAL_OK) {
            return status;
        }
    }
    return SHOAL_OK;
}

/* Whether a destroy frees a slot that a later spawn can have: once for each living entity. */
static bool destroy_frees_slot(shoal_commands *commands, const shoal_command *command) {
    const entity_index *index = &commands->world->index;
    uint32_t number;
    if (command_placeholder(commands, command->entity, &number)) {
        command_spawn *spawn = command_spawn_at(commands, number);
        bool first = !spawn->dead;
        spawn->dead = true;
        return first;
    }
    index_record *record = index_find(index, command->entity);
    if (record == NULL || (record->place & INDEX_MARK)) {
        return false;
    }
    record->place |= INDEX_MARK;
    return index_will_be_free(index, shoal_entity_index(command->entity));
}

/* Near the entity limit: counts slots command by command, as they will be taken and given back. */
COLD static shoal_status plan_slots(shoal_commands *commands, uint64_t free_count) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < commands->command_count && status == SHOAL_OK; i++) {
        const shoal_command *command = command_at(commands, i);
        if (command->kind == SHOAL_COMMAND_DESTROY) {
            free_count += destroy_frees_slot(commands, command);
        } else if (command->kind == SHOAL_COMMAND_SPAWN) {
            uint32_t number = spawn_of(commands, command);
            bool refused = command_spawn_is_refused(commands, number);
            command_spawn_at(commands, number)->dead = refused; /* then its destroy frees nothing */
            status = refused || free_count > 0 ? SHOAL_OK : SHOAL_ENTITY_LIMIT;
            free_count -= !refused && free_count > 0;
        }
    }
    marks_clear(commands, commands->command_count);
    for (uint32_t i = 0; i < commands->spawn_count; i++) {
        command_spawn_at(commands, i)->dead = false;
    }
    return status;
}

static shoal_status plan_chains(shoal_commands *commands) {
    shoal_world *world = commands->world;
    size_t bytes = ((size_t)commands->spawn_count + 1) * sizeof(uint32_t);
    uint32_t *spawn_next = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, bytes, 16);
    if (spawn_next == NULL) {
        return world_fail(world, memory_failure(&world->memory), command_apply_call);
    }
    memset(spawn_next, 0xFF, bytes);
    shoal_status status = chains_link(commands, spawn_next);
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, spawn_next, bytes, 16);
    status = status == SHOAL_OK ? index_prepare(&world->index, commands->spawn_count) : status;
    if (status == SHOAL_ENTITY_LIMIT) {
        /* Destroys among the commands may make the room that is missing. */
        uint64_t free_count = index_free_count(&world->index);
        status = plan_slots(commands, free_count);
        status = status == SHOAL_OK ? index_prepare(&world->index, free_count) : status;
    }
    status = status == SHOAL_OK ? memory_array_reserve(&world->memory, SHOAL_PURPOSE_COMMAND, &commands->resolved,
                                                       commands->spawn_count, sizeof(shoal_entity))
                                : status;
    status = status != SHOAL_OK ? world_fail(world, status, command_apply_call)
                                : command_loose_plan(commands, command_apply_call);
    command_split_begin(commands);
    status = status == SHOAL_OK ? plan_linked(commands) : status;
    status = status == SHOAL_OK ? command_split_plan_ends(commands, command_apply_call) : status;
    status = status == SHOAL_OK ? plan_cascades(commands) : status;
    if (status != SHOAL_OK) {
        command_heads_clear(commands);
        command_loose_settle(commands);
    }
    return status;
}

shoal_status command_plan_make(shoal_commands *commands, bool *distinct) {
    *distinct = true;
    shoal_status status = plan_single(commands, distinct);
    if (status == SHOAL_OK && !*distinct) {
        status = plan_chains(commands);
    }
    if (status == SHOAL_OK) {
        status = targets_promise(commands);
        if (status != SHOAL_OK) {
            *distinct ? marks_clear(commands, commands->command_count) : command_heads_clear(commands);
            command_loose_settle(commands);
        }
    }
    if (status != SHOAL_OK) {
        command_targets_forget(commands);
    }
    return status;
}
