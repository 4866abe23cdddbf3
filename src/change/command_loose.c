/*
 * Loose commands; see command_loose.h.
 */
#include "command_loose.h"

#include "command_split.h"
#include "loose.h"

/* ---- the plan ---- */

/* What all adds of one relation need whose ends have no slot yet. */
static shoal_status links_reserve_loose(shoal_commands *commands, relation_store *store, const relation_loose *loose) {
    if (loose->link_count + loose->source_count == 0) {
        return SHOAL_OK;
    }
    relation_loose all = *loose;
    all.slot_end = (uint64_t)commands->world->index.page_count << INDEX_PAGE_BITS;
    return relation_reserve_loose(store, &all);
}

static bool is_placeholder(const shoal_commands *commands, shoal_entity entity) {
    uint32_t number;
    return command_placeholder(commands, entity, &number);
}

/* One add of a relation: what is known of its ends is reserved at once, the rest counted. */
static shoal_status link_reserve(shoal_commands *commands, relation_store *store, shoal_command *command,
                                 relation_loose *loose) {
    shoal_entity target = *command_target(command);
    bool knows_source = !is_placeholder(commands, command->entity);
    bool knows_target = index_find(&commands->world->index, target) != NULL;
    if (!knows_target && commands->spawn_count == 0) {
        return SHOAL_OK; /* it will be dropped, unless a spawn of the buffer gets a handle that was guessed right */
    }
    if (knows_source && knows_target) {
        return relation_reserve(store, command->entity, target);
    }
    loose->source_count += !knows_source;
    loose->link_count += !knows_target;
    loose->target_count += !knows_target;
    shoal_status status = knows_source ? relation_reserve_source(store, command->entity) : SHOAL_OK;
    return status == SHOAL_OK && knows_target ? relation_reserve_target(store, target, 1) : status;
}

static bool command_adds(const shoal_command *command) {
    return command->kind == SHOAL_COMMAND_ADD || command->kind == COMMAND_REQUIRE;
}

/* All adds of one relation. */
static shoal_status relation_plan(shoal_commands *commands, const component_type *type, relation_store *store) {
    relation_loose loose = {0};
    uint64_t count = 0;
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < commands->command_count && status == SHOAL_OK; i++) {
        shoal_command *command = command_at(commands, i);
        if (command->component == type->id && command_adds(command)) {
            status = link_reserve(commands, store, command, &loose);
            count++;
        }
    }
    status = status == SHOAL_OK ? links_reserve_loose(commands, store, &loose) : status;
    commands->is_linked = true;
    commands->is_cut = commands->is_cut || type->def.on_target_destroyed == SHOAL_TARGET_DESTROY;
    return status == SHOAL_OK ? loose_reserve_cascade(commands->world, type, count + commands->planned_cascade)
                              : status;
}

/* All adds of one sparse component. The slots of entities to be spawned are not known, but their pages are. */
static shoal_status sparse_plan(shoal_commands *commands, const component_type *type, sparse_set *set) {
    shoal_status status = SHOAL_OK;
    uint32_t count = 0;
    bool any_spawned = false;
    for (size_t i = 0; i < commands->command_count && status == SHOAL_OK; i++) {
        const shoal_command *command = command_at(commands, i);
        if (command->component != type->id || !command_adds(command)) {
            continue;
        }
        count++;
        if (is_placeholder(commands, command->entity)) {
            any_spawned = true;
        } else if (index_find(&commands->world->index, command->entity) != NULL) {
            status = sparse_reserve_page(set, shoal_entity_index(command->entity));
        }
    }
    for (uint32_t page = 0; any_spawned && page < commands->world->index.page_count && status == SHOAL_OK; page++) {
        status =
            commands->world->index.infos[page] != NULL ? sparse_reserve_page(set, page << INDEX_PAGE_BITS) : SHOAL_OK;
    }
    return status == SHOAL_OK ? sparse_reserve(set, count) : status;
}

/* True for the first command of the buffer that adds this component. */
static bool is_first_add(const shoal_commands *commands, size_t number) {
    const shoal_command *command = command_at(commands, number);
    if (!command_adds(command) || !command_is_loose(command)) {
        return false;
    }
    for (size_t i = 0; i < commands->planned_count; i++) {
        if (((const uint32_t *)commands->planned.items)[i] == command->component) {
            return false;
        }
    }
    return true;
}

static shoal_status component_plan(shoal_commands *commands, const component_type *type) {
    shoal_status status = memory_array_reserve(&commands->world->memory, SHOAL_PURPOSE_COMMAND, &commands->planned,
                                               commands->planned_count + 1, sizeof(uint32_t));
    void *store = status == SHOAL_OK ? store_obtain(commands->world, type) : NULL;
    if (store == NULL) {
        return memory_failure(&commands->world->memory);
    }
    ((uint32_t *)commands->planned.items)[commands->planned_count++] = type->id;
    return type->def.storage == SHOAL_STORAGE_RELATION ? relation_plan(commands, type, store)
                                                       : sparse_plan(commands, type, store);
}

shoal_status command_loose_plan(shoal_commands *commands, const char *call) {
    shoal_status status = SHOAL_OK;
    commands->planned_count = 0;
    commands->planned_cascade = commands->command_count;
    commands->is_cut = commands->world->cascade_links != 0;
    commands->is_named = commands->world->names.count != 0;
    commands->is_linked = false;
    for (size_t i = 0; i < commands->command_count && commands->is_special && status == SHOAL_OK; i++) {
        commands->is_linked = commands->is_linked || command_at(commands, i)->kind == SHOAL_COMMAND_UNRELATE;
        if (is_first_add(commands, i)) {
            status = component_plan(commands, component_type_at(command_at(commands, i)->component));
        }
    }
    return status == SHOAL_OK ? SHOAL_OK : world_fail(commands->world, status, call);
}

void command_loose_settle(shoal_commands *commands) {
    for (size_t i = 0; i < commands->planned_count; i++) {
        uint32_t id = ((const uint32_t *)commands->planned.items)[i];
        if (component_type_at(id)->def.storage == SHOAL_STORAGE_RELATION) {
            relation_settle(store_relation(commands->world, id));
        }
    }
    commands->planned_count = 0;
}

/* ---- the commit ---- */

static bool is_dying(const shoal_world *world, shoal_entity entity) {
    return row_of(world, index_find(&world->index, entity)).archetype->hidden & ARCHETYPE_DYING;
}

static shoal_entity target_of(const shoal_commands *commands, shoal_command *command) {
    bool is_relation = component_type_at(command->component)->def.storage == SHOAL_STORAGE_RELATION;
    return is_relation ? command_resolved(commands, *command_target(command)) : (shoal_entity){0};
}

static bool has_value_for(const shoal_world *world, const component_type *type, shoal_entity entity,
                          shoal_entity target) {
    return type->def.storage == SHOAL_STORAGE_RELATION
               ? shoal_is_related(world, entity, (shoal_component){type->id}, target)
               : store_has(world, type, entity);
}

/* What the call of a set would have returned. */
static shoal_status set_check(shoal_commands *commands, shoal_command *command, shoal_entity entity) {
    const component_type *type = component_type_at(command->component);
    bool is_relation = type->def.storage == SHOAL_STORAGE_RELATION;
    shoal_entity target = target_of(commands, command); /* null when its spawn was dropped */
    if ((is_relation && shoal_entity_is_null(target)) || !has_value_for(commands->world, type, entity, target)) {
        return is_relation ? SHOAL_RELATION_MISSING : SHOAL_COMPONENT_MISSING;
    }
    if (type->def.size == 0) {
        return SHOAL_TERM_WITHOUT_DATA;
    }
    if (!(command->flags & COMMAND_HAS_VALUE)) {
        return SHOAL_INVALID_ARGUMENT; /* a link without data */
    }
    return command_value_is_refused(command) ? SHOAL_VALUE_REFUSED : SHOAL_OK;
}

/* What the call of an add would have returned; its value is asked about first. */
static shoal_status add_check(shoal_commands *commands, shoal_command *command, shoal_entity entity) {
    shoal_world *world = commands->world;
    const component_type *type = component_type_at(command->component);
    if (is_dying(world, entity)) {
        return SHOAL_ENTITY_DYING;
    }
    if (command_value_is_refused(command)) {
        return SHOAL_VALUE_REFUSED;
    }
    if (type->def.storage != SHOAL_STORAGE_RELATION) {
        return SHOAL_OK;
    }
    shoal_entity target = target_of(commands, command);
    return type->def.split && !command_split_is_planned(commands, entity, type, target)
               ? SHOAL_ENTITY_DEAD
               : loose_check_link(world, type, entity, target, "shoal_commands_apply");
}

/* Puts the value of an add or a set that has been checked in place; true when it is new. */
static bool value_put(shoal_commands *commands, shoal_command *command, shoal_entity entity) {
    shoal_world *world = commands->world;
    const component_type *type = component_type_at(command->component);
    shoal_entity target = target_of(commands, command);
    /* A default that was made for a new one is not for one that is there. */
    bool is_taken = (command->flags & COMMAND_HAS_VALUE) || !has_value_for(world, type, entity, target);
    void *data = is_taken ? command_deliver(commands, command) : NULL;
    if (UNLIKELY(type->def.split) && command->kind != SHOAL_COMMAND_SET) { /* a set stays where it is, unplanned */
        loose_split_move(world, type, entity, target);
    }
    return type->def.storage == SHOAL_STORAGE_RELATION
               ? loose_link(world, store_relation(world, type->id), entity, target, data)
               : loose_put(world, store_sparse(world, type->id), entity, data);
}

static void value_notify(shoal_commands *commands, shoal_command *command, shoal_entity entity, notify_kind kind) {
    shoal_world *world = commands->world;
    const component_type *type = component_type_at(command->component);
    if (kind == NOTIFY_SET && !(command->flags & COMMAND_HAS_VALUE)) {
        return;
    }
    if (type->def.storage == SHOAL_STORAGE_RELATION) {
        loose_notify_link(world, store_relation(world, type->id), entity, target_of(commands, command), kind);
    } else {
        loose_notify_value(world, store_sparse(world, type->id), entity, kind);
    }
}

/* Puts a value that has been checked in place and tells the hooks, of a joint operation later. */
static void value_commit(shoal_commands *commands, shoal_command *command, shoal_entity entity) {
    bool is_new = value_put(commands, command, entity);
    if (commands->is_joint) {
        command->flags &= (uint8_t)(is_new ? 0xFF : ~COMMAND_IS_NEW);
        return;
    }
    if (is_new) {
        value_notify(commands, command, entity, NOTIFY_ADD);
    }
    value_notify(commands, command, entity, NOTIFY_SET);
}

void command_loose_joint_notify(shoal_commands *commands, uint32_t last, notify_kind kind) {
    shoal_entity entity = command_at(commands, last)->entity;
    uint32_t first = last;
    while (first > 0 && command_at(commands, first - 1)->entity.bits == entity.bits) {
        first--;
    }
    for (uint32_t i = first; i <= last; i++) {
        shoal_command *command = command_at(commands, i);
        bool adds = command_is_loose(command) && command_adds(command);
        if (adds && (kind == NOTIFY_SET || (command->flags & COMMAND_IS_NEW))) {
            value_notify(commands, command, entity, kind);
        }
    }
}

static void commit_value(shoal_commands *commands, uint32_t number, shoal_entity entity) {
    shoal_command *command = command_at(commands, number);
    bool is_set = command->kind == SHOAL_COMMAND_SET;
    shoal_status status = is_set ? set_check(commands, command, entity) : add_check(commands, command, entity);
    if (status != SHOAL_OK) {
        command_dropped(commands, number, status);
        if (command_may_fail(commands, command)) {
            command->kind = COMMAND_NOTHING; /* so that nothing is required for it */
        }
        return;
    }
    value_commit(commands, command, entity);
}

/* True when the same operation takes away what one of its commands requires: then it never comes. */
static bool joint_removes(const shoal_commands *commands, uint32_t number) {
    const shoal_command *command = command_at(commands, number);
    for (uint32_t i = command->next; commands->is_joint && i != COMMAND_NONE; i = command_at(commands, i)->next) {
        const shoal_command *later = command_at(commands, i);
        if (later->kind == SHOAL_COMMAND_REMOVE && later->component == command->component) {
            return true;
        }
    }
    return false;
}

void command_loose_require(shoal_commands *commands, uint32_t number, shoal_entity entity) {
    shoal_command *command = command_at(commands, number);
    uint32_t add = number;
    while (command_at(commands, add)->kind == COMMAND_REQUIRE) {
        add++;
    }
    /* Of an add to the row the fold has seen to it. */
    bool takes_place = !command_is_loose(command_at(commands, add)) ||
                       add_check(commands, command_at(commands, add), entity) == SHOAL_OK;
    bool is_wanted = takes_place && (command->flags & COMMAND_WANTED) && !joint_removes(commands, number) &&
                     !store_has(commands->world, component_type_at(command->component), entity);
    if (is_wanted) {
        value_commit(commands, command, entity);
    } else {
        command->flags &= (uint8_t)~COMMAND_IS_NEW;
    }
}

/* True for a loose add of a spawn that takes place: what is required and given as well is put once by its default. */
static bool spawn_adds(const shoal_command *command) {
    return command_is_loose(command) && (command->kind == SHOAL_COMMAND_ADD || (command->flags & COMMAND_WANTED));
}

void command_loose_spawn(shoal_commands *commands, const command_spawn *spawn) {
    for (uint32_t i = 1; i <= spawn->value_count; i++) {
        shoal_command *command = command_at(commands, spawn->command_number + i);
        if (spawn_adds(command)) {
            (void)value_put(commands, command, spawn->real);
        }
    }
}

/* True when an earlier command of the spawn has put the same component. */
static bool spawn_has_put(const shoal_commands *commands, const command_spawn *spawn, uint32_t i) {
    uint32_t component = command_at(commands, spawn->command_number + i)->component;
    for (uint32_t k = 1; k < i; k++) {
        const shoal_command *other = command_at(commands, spawn->command_number + k);
        if (other->component == component && spawn_adds(other)) {
            return true;
        }
    }
    return false;
}

void command_loose_spawn_notify(shoal_commands *commands, const command_spawn *spawn, notify_kind kind) {
    for (uint32_t i = 1; i <= spawn->value_count; i++) {
        shoal_command *command = command_at(commands, spawn->command_number + i);
        if (spawn_adds(command) && component_type_at(command->component)->notifies &&
            (kind == NOTIFY_SET || !spawn_has_put(commands, spawn, i))) {
            value_notify(commands, command, spawn->real, kind);
        }
    }
}

/* Takes a value or links away. A target that is named must be alive, as for the call; a spawn that was dropped is not.
 */
static void commit_removal(shoal_commands *commands, shoal_command *command, uint32_t number, shoal_entity entity) {
    shoal_world *world = commands->world;
    const component_type *type = component_type_at(command->component);
    bool is_unrelate = command->kind == SHOAL_COMMAND_UNRELATE;
    shoal_entity named = is_unrelate ? *command_target(command) : (shoal_entity){0};
    shoal_entity target = command_resolved(commands, named);
    if (!shoal_entity_is_null(named) && index_find(&world->index, target) == NULL) {
        command_dropped(commands, number, SHOAL_ENTITY_DEAD);
        return;
    }
    if (is_unrelate ? !has_value_for(world, type, entity, target) : !store_has(world, type, entity)) {
        return;
    }
    shoal_status status = loose_check_unlink(world, type, entity, "shoal_commands_apply");
    if (status != SHOAL_OK) {
        command_dropped(commands, number, status);
    } else if (type->def.storage == SHOAL_STORAGE_RELATION) {
        relation_store *store = store_relation(world, type->id);
        if (UNLIKELY(type->def.split) && relation_find(store, entity, target) != NULL) {
            loose_split_move(world, type, entity, (shoal_entity){0});
        }
        loose_unlink(world, store, entity, target);
    } else {
        loose_take(world, store_sparse(world, type->id), entity);
    }
}

void command_loose_commit(shoal_commands *commands, uint32_t number, shoal_entity entity) {
    shoal_command *command = command_at(commands, number);
    switch (command->kind) {
    case SHOAL_COMMAND_ADD:
    case SHOAL_COMMAND_SET:
        commit_value(commands, number, entity);
        return;
    case SHOAL_COMMAND_ENABLE:
    case SHOAL_COMMAND_DISABLE:
        command_dropped(commands, number, SHOAL_COMPONENT_KIND);
        return;
    default:
        commit_removal(commands, command, number, entity);
    }
}
