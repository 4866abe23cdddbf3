/*
 * Folding: the commands on one entity, one after the other, come to one change. Values are not touched here; the fold
 * says which command's value each component ends up with. Thread rule: world.
 */
#include "../storage/buffer.h"
#include "command.h"

static fold_entry *entry_at(const command_fold *fold, size_t i) {
    return (fold_entry *)fold->entries.items + i;
}

/* The entry of a component, begun from what the archetype has. NULL when memory runs out. */
static fold_entry *entry_of(shoal_commands *commands, const shoal_archetype *base, uint32_t component) {
    command_fold *fold = &commands->fold;
    for (size_t i = 0; i < fold->entry_count; i++) {
        if (entry_at(fold, i)->component == component) {
            return entry_at(fold, i);
        }
    }
    if (memory_array_reserve(&commands->world->memory, SHOAL_PURPOSE_COMMAND, &fold->entries, fold->entry_count + 1,
                             sizeof(fold_entry)) != SHOAL_OK) {
        return NULL;
    }
    fold_entry *entry = entry_at(fold, fold->entry_count++);
    *entry = (fold_entry){.component = component,
                          .value = COMMAND_NONE,
                          .present = !fold->cleared && archetype_find(base, component) != ARCHETYPE_NONE};
    return entry;
}

/* Asks the validate hook about a value, of a buffer about each element. */
static bool value_is_accepted(const component_type *type, void *value) {
    if (type->def.storage != SHOAL_STORAGE_BUFFER) {
        return type->def.validate(value, type->def.user);
    }
    const buffer_cell *cell = value;
    const char *items = buffer_items(type, cell);
    for (uint32_t i = 0; i < cell->count; i++) {
        if (!type->def.validate(items + i * type->def.size, type->def.user)) {
            return false;
        }
    }
    return true;
}

bool command_value_is_refused(shoal_command *command) {
    const component_type *type = component_type_at(command->component);
    if (!(command->flags & COMMAND_HAS_VALUE) || type->def.validate == NULL) {
        return false;
    }
    if (!(command->flags & COMMAND_JUDGED)) {
        bool accepted = value_is_accepted(type, command_data(command));
        command->flags |= accepted ? COMMAND_JUDGED : COMMAND_JUDGED | COMMAND_REFUSED;
    }
    return command->flags & COMMAND_REFUSED;
}

/* What an add or a set does to its component; returns the status that the call would have had. */
static shoal_status fold_value(const shoal_archetype *base, fold_entry *entry, shoal_command *command,
                               uint32_t number) {
    bool has_value = command->flags & COMMAND_HAS_VALUE;
    if (command->kind == SHOAL_COMMAND_SET && !entry->present) {
        return SHOAL_COMPONENT_MISSING;
    }
    if (command->kind == SHOAL_COMMAND_SET && component_type_at(command->component)->def.size == 0) {
        return SHOAL_TERM_WITHOUT_DATA;
    }
    if (command->kind != SHOAL_COMMAND_SET && (base->hidden & ARCHETYPE_DYING)) {
        return SHOAL_ENTITY_DYING;
    }
    if (command_value_is_refused(command)) {
        return SHOAL_VALUE_REFUSED;
    }
    if (!entry->present) {
        entry->present = true;
        entry->fresh = true;
        entry->bit = FOLD_BIT_STAYS;
        entry->value = has_value || (command->flags & COMMAND_HAS_DEFAULT) ? number : COMMAND_NONE;
    } else if (has_value) {
        entry->value = number;
    }
    return SHOAL_OK;
}

/* An enable bit that is set or cleared. */
static shoal_status fold_bit(fold_entry *entry, const shoal_command *command) {
    if (!component_type_at(command->component)->def.toggle) {
        return SHOAL_COMPONENT_KIND;
    }
    if (!entry->present) {
        return SHOAL_COMPONENT_MISSING;
    }
    entry->bit = command->kind == SHOAL_COMMAND_ENABLE ? FOLD_BIT_SET : FOLD_BIT_CLEARED;
    return SHOAL_OK;
}

/* True when the entity does not have a component by now. Those outside of archetypes count as new, as they do for the
   call. */
static bool is_new(const shoal_commands *commands, const shoal_archetype *base, uint32_t component) {
    for (size_t i = 0; i < commands->fold.entry_count; i++) {
        if (entry_at(&commands->fold, i)->component == component) {
            return !entry_at(&commands->fold, i)->present;
        }
    }
    return commands->fold.cleared || !component_type_at(component)->in_archetype ||
           archetype_find(base, component) == ARCHETYPE_NONE;
}

static bool type_requires(uint32_t component, uint32_t required) {
    const shoal_component_def *def = &component_type_at(component)->def;
    for (size_t i = 0; i < def->required_count; i++) {
        if (shoal_component_of(def->required[i]).id == required) {
            return true;
        }
    }
    return false;
}

/* True when the add at the end of a group needs one of its commands: itself, or through another that is wanted. */
static bool group_needs(const shoal_commands *commands, const shoal_archetype *base, uint32_t first, uint32_t end,
                        uint32_t component) {
    bool needs = type_requires(command_at(commands, end)->component, component);
    for (uint32_t i = first; i < end && !needs; i++) {
        const shoal_command *other = command_at(commands, i);
        needs = (other->flags & COMMAND_WANTED) && type_requires(other->component, component) &&
                is_new(commands, base, other->component);
    }
    return needs;
}

/* Marks the internal commands of a group that are wanted: none when the add fails or has nothing new to give. */
static void group_judge(shoal_commands *commands, const shoal_archetype *base, uint32_t first) {
    uint32_t end = first;
    for (; command_at(commands, end)->kind == COMMAND_REQUIRE; end++) {
        command_at(commands, end)->flags &= (uint8_t)~COMMAND_WANTED;
    }
    shoal_command *add = command_at(commands, end);
    bool fails = add->kind != SHOAL_COMMAND_ADD || (base->hidden & ARCHETYPE_DYING) ||
                 (commands->fold.fails && command_may_fail(commands, add)) || command_value_is_refused(add);
    bool changed = !fails && is_new(commands, base, add->component);
    while (changed) {
        changed = false;
        for (uint32_t i = first; i < end; i++) {
            shoal_command *command = command_at(commands, i);
            if (!(command->flags & COMMAND_WANTED) && group_needs(commands, base, first, end, command->component)) {
                command->flags |= COMMAND_WANTED;
                changed = true;
            }
        }
    }
}

static void fold_clear(command_fold *fold) {
    fold->cleared = true;
    for (size_t i = 0; i < fold->entry_count; i++) {
        entry_at(fold, i)->present = false;
        entry_at(fold, i)->value = COMMAND_NONE;
    }
}

/* A command on a component of the archetype; `*outcome` is what its call would have returned. */
static shoal_status fold_component(shoal_commands *commands, const shoal_archetype *base, uint32_t number,
                                   shoal_status *outcome) {
    shoal_command *command = command_at(commands, number);
    fold_entry *entry = entry_of(commands, base, command->component);
    if (entry == NULL) {
        return memory_failure(&commands->world->memory);
    }
    if (command->kind == SHOAL_COMMAND_REMOVE) {
        entry->present = false;
        entry->value = COMMAND_NONE;
    } else if (command->kind == SHOAL_COMMAND_ENABLE || command->kind == SHOAL_COMMAND_DISABLE) {
        *outcome = fold_bit(entry, command);
    } else {
        *outcome = fold_value(base, entry, command, number);
    }
    return SHOAL_OK;
}

/* True when an internal command has nothing to do. The first one of a group judges all of it. */
static bool is_unwanted(shoal_commands *commands, const shoal_archetype *base, uint32_t number) {
    if (command_at(commands, number)->kind != COMMAND_REQUIRE) {
        return false;
    }
    if (number == 0 || command_at(commands, number - 1)->kind != COMMAND_REQUIRE) {
        group_judge(commands, base, number);
    }
    return !(command_at(commands, number)->flags & COMMAND_WANTED);
}

/* One command; `*outcome` is what its call would have returned. */
static shoal_status fold_command(shoal_commands *commands, const shoal_archetype *base, uint32_t number,
                                 shoal_status *outcome) {
    const shoal_command *command = command_at(commands, number);
    command_fold *fold = &commands->fold;
    *outcome = SHOAL_OK;
    if (is_unwanted(commands, base, number) || command->kind == SHOAL_COMMAND_SPAWN ||
        command->kind == COMMAND_NOTHING || command_is_loose(command)) {
        return SHOAL_OK;
    }
    if (command->kind == SHOAL_COMMAND_DESTROY) {
        fold->destroyed = true;
        return SHOAL_OK;
    }
    if (command->kind == SHOAL_COMMAND_CLEAR) {
        if (!fold->fails || !command_may_fail(commands, command)) {
            fold_clear(fold);
        }
        return SHOAL_OK;
    }
    return fold_component(commands, base, number, outcome);
}

static bool entry_is_present(const command_fold *fold, uint32_t component) {
    for (size_t i = 0; i < fold->entry_count; i++) {
        if (entry_at(fold, i)->component == component) {
            return entry_at(fold, i)->present;
        }
    }
    return !fold->cleared;
}

static shoal_status fold_reserve(shoal_commands *commands, size_t removed_count) {
    command_fold *fold = &commands->fold;
    shoal_memory *memory = &commands->world->memory;
    size_t entries = fold->entry_count;
    if (memory_array_reserve(memory, SHOAL_PURPOSE_COMMAND, &fold->values, entries, sizeof(shoal_value)) != SHOAL_OK ||
        memory_array_reserve(memory, SHOAL_PURPOSE_COMMAND, &fold->sources, entries, sizeof(uint32_t)) != SHOAL_OK ||
        memory_array_reserve(memory, SHOAL_PURPOSE_COMMAND, &fold->removed, removed_count, sizeof(shoal_component)) !=
            SHOAL_OK) {
        return memory_failure(memory);
    }
    return SHOAL_OK;
}

/* True when something is added that requires others: its edge would add these, though they were removed afterwards. */
static bool adds_requirer(const command_fold *fold, const shoal_archetype *base) {
    for (size_t i = 0; i < fold->entry_count; i++) {
        const fold_entry *entry = entry_at(fold, i);
        if (entry->present && component_type_at(entry->component)->def.required_count != 0 &&
            archetype_find(base, entry->component) == ARCHETYPE_NONE) {
            return true;
        }
    }
    return false;
}

/* Turns the entries into additions and removals. */
static shoal_status fold_finish(shoal_commands *commands, const shoal_archetype *base) {
    command_fold *fold = &commands->fold;
    size_t removed_room = fold->entry_count + (fold->cleared ? base->component_count : 0);
    shoal_status status = fold_reserve(commands, removed_room);
    if (status != SHOAL_OK) {
        return status;
    }
    bool names_absent = adds_requirer(fold, base);
    for (size_t i = 0; i < fold->entry_count; i++) {
        const fold_entry *entry = entry_at(fold, i);
        bool had = archetype_find(base, entry->component) != ARCHETYPE_NONE;
        if (entry->present && (!had || entry->fresh || entry->value != COMMAND_NONE)) {
            /* The data tells shared values apart, also defaults, and of all others that a value was given. */
            shoal_command *source = entry->value != COMMAND_NONE ? command_at(commands, entry->value) : NULL;
            bool is_shared = component_type_at(entry->component)->def.storage == SHOAL_STORAGE_SHARED;
            bool is_needed = source != NULL && (is_shared || (source->flags & COMMAND_HAS_VALUE));
            ((shoal_value *)fold->values.items)[fold->value_count] =
                (shoal_value){.component = {entry->component}, .data = is_needed ? command_data(source) : NULL};
            ((uint32_t *)fold->sources.items)[fold->value_count++] = entry->value;
        } else if (!entry->present && (had ? !fold->cleared : names_absent)) {
            ((shoal_component *)fold->removed.items)[fold->removed_count++].id = entry->component;
        }
    }
    uint32_t dying_id = commands->world->dying_id;
    for (size_t i = 0; fold->cleared && i < base->component_count; i++) {
        if (!entry_is_present(fold, base->ids[i]) && base->ids[i] != dying_id) {
            ((shoal_component *)fold->removed.items)[fold->removed_count++].id = base->ids[i];
        }
    }
    return SHOAL_OK;
}

/* True when a command on a placeholder needs its row to be there: a loose one, or one that requires such. */
static bool needs_row(const shoal_commands *commands, uint32_t number) {
    while (command_at(commands, number)->kind == COMMAND_REQUIRE && !command_is_loose(command_at(commands, number))) {
        number++;
    }
    return command_is_loose(command_at(commands, number));
}

/* True when the commands of a spawn, up to its last one, have what a segment must end with. */
static bool spawn_is_cut(const shoal_commands *commands, uint32_t last) {
    bool cut = commands->is_linked && ((command_at(commands, last)->flags & COMMAND_OF_SPAWN) ||
                                       command_at(commands, last)->kind == SHOAL_COMMAND_SPAWN);
    for (uint32_t i = last; (command_at(commands, i)->flags & COMMAND_OF_SPAWN) && !cut; i--) {
        const shoal_command *command = command_at(commands, i);
        cut = command_is_loose(command) || (commands->is_cut && component_type_at(command->component)->def.cleanup);
    }
    return cut;
}

bool command_may_fail(const shoal_commands *commands, const shoal_command *command) {
    if (commands->is_joint) {
        return false;
    }
    if (command->kind == SHOAL_COMMAND_CLEAR) {
        return commands->is_named;
    }
    if (command->kind != SHOAL_COMMAND_ADD) {
        return false;
    }
    const shoal_component_def *def = &component_type_at(command->component)->def;
    return def->storage == SHOAL_STORAGE_RELATION && def->required_count != 0;
}

/* True when the next command of the entity, or the one that it is required for, moves the row by itself. */
static bool is_before_split(const shoal_commands *commands, uint32_t number) {
    uint32_t next = command_at(commands, number)->next;
    while (command_at(commands, next)->kind == COMMAND_REQUIRE) {
        next++;
    }
    return command_splits(command_at(commands, next));
}

/* True for a removal that must be carried out before anything else is: it may take the last cleanup component of a
   dying entity, which ends it, or a shared value that comes back as its default. */
static bool removal_is_felt(const shoal_commands *commands, const shoal_command *command) {
    if (command->kind == SHOAL_COMMAND_CLEAR) {
        return commands->is_special || commands->world->special_archetypes != 0;
    }
    if (command->kind != SHOAL_COMMAND_REMOVE) {
        return false;
    }
    const shoal_component_def *def = &component_type_at(command->component)->def;
    return def->cleanup || def->storage == SHOAL_STORAGE_SHARED;
}

/* True for what changes the cleanup components that a cascade leaves behind. */
static bool may_be_cut(const shoal_commands *commands, const shoal_command *command) {
    if (!commands->is_cut || command->component == 0) {
        return false;
    }
    const component_type *type = component_type_at(command->component);
    return type->def.cleanup || type->def.required_count != 0;
}

bool command_ends_segment(const shoal_commands *commands, uint32_t number) {
    const shoal_command *command = command_at(commands, number);
    uint32_t spawn;
    if (command->next == COMMAND_NONE || command->kind == SHOAL_COMMAND_DESTROY || command->kind == COMMAND_NOTHING) {
        return true;
    }
    if (command->kind == COMMAND_REQUIRE || (command_at(commands, command->next)->flags & COMMAND_OF_SPAWN)) {
        return false; /* what belongs together */
    }
    if (commands->is_joint) {
        return is_before_split(commands, number);
    }
    if (command_placeholder(commands, command->entity, &spawn) &&
        (spawn_is_cut(commands, number) || (needs_row(commands, command->next) && !command_is_loose(command)))) {
        return true;
    }
    return is_before_split(commands, number) || command_may_fail(commands, command) ||
           removal_is_felt(commands, command) || may_be_cut(commands, command);
}

static void fold_begin(command_fold *fold) {
    fold->entry_count = fold->value_count = fold->removed_count = 0;
    fold->cleared = fold->destroyed = false;
}

shoal_status command_fold_chain(shoal_commands *commands, const shoal_archetype *base, uint32_t head,
                                command_dropped_fn dropped) {
    command_fold *fold = &commands->fold;
    fold_begin(fold);
    bool ended = false;
    for (uint32_t number = head; number != COMMAND_NONE && !ended; number = fold->next) {
        shoal_status outcome = SHOAL_OK;
        shoal_status status = fold_command(commands, base, number, &outcome);
        if (status != SHOAL_OK) {
            return status;
        }
        if (outcome != SHOAL_OK && dropped != NULL) {
            dropped(commands, number, outcome);
        }
        fold->last = number;
        fold->next = command_at(commands, number)->next;
        ended = command_ends_segment(commands, number);
    }
    return fold_finish(commands, base);
}

void command_fold_part(shoal_commands *commands, const shoal_archetype *base, uint32_t head, uint32_t end,
                       command_dropped_fn dropped) {
    fold_begin(&commands->fold);
    for (uint32_t number = head; number < end; number = command_at(commands, number)->next) {
        shoal_status outcome = SHOAL_OK;
        (void)fold_command(commands, base, number, &outcome); /* the plan has made room for the whole of it */
        if (outcome != SHOAL_OK && dropped != NULL) {
            dropped(commands, number, outcome);
        }
    }
}
