/*
 * Loose commands; see command_loose.h.
 */
#include "command_loose.h"

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
    bool knows_target = !is_placeholder(commands, target);
    if (knows_target && index_find(&commands->world->index, target) == NULL) {
        return SHOAL_OK; /* it will be dropped */
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
        status = commands->world->index.infos[page] != NULL ? sparse_reserve_page(set, page << INDEX_PAGE_BITS)
                                                            : SHOAL_OK;
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
        return commands->world->memory.failure;
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
    for (size_t i = 0; i < commands->command_count && commands->is_special && status == SHOAL_OK; i++) {
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

/* What the call of an add or a set would have returned; its value is asked about first. */
static shoal_status add_check(shoal_commands *commands, shoal_command *command, shoal_entity entity,
                              shoal_entity target) {
    shoal_world *world = commands->world;
    const component_type *type = component_type_at(command->component);
    bool is_relation = type->def.storage == SHOAL_STORAGE_RELATION;
    if (is_dying(world, entity)) {
        return SHOAL_ENTITY_DYING;
    }
    if (command_value_is_refused(command)) {
        return SHOAL_VALUE_REFUSED;
    }
    if (command->kind == SHOAL_COMMAND_SET) {
        bool has = is_relation ? shoal_is_related(world, entity, (shoal_component){type->id}, target)
                               : store_has(world, type, entity);
        return has ? type->def.size == 0 ? SHOAL_TERM_WITHOUT_DATA : SHOAL_OK
                   : is_relation ? SHOAL_RELATION_MISSING : SHOAL_COMPONENT_MISSING;
    }
    return is_relation ? loose_check_link(world, type, entity, target, "shoal_commands_apply") : SHOAL_OK;
}

static void commit_add(shoal_commands *commands, shoal_command *command, uint32_t number, shoal_entity entity) {
    shoal_world *world = commands->world;
    const component_type *type = component_type_at(command->component);
    bool is_relation = type->def.storage == SHOAL_STORAGE_RELATION;
    shoal_entity target = is_relation ? command_resolved(commands, *command_target(command)) : (shoal_entity){0};
    if (command->kind == COMMAND_REQUIRE && store_has(world, type, entity)) {
        return;
    }
    shoal_status status = add_check(commands, command, entity, target);
    if (status != SHOAL_OK) {
        command_dropped(commands, number, status);
        return;
    }
    bool is_given = command->flags & COMMAND_HAS_VALUE;
    bool is_new = is_relation ? relation_find(store_relation(world, type->id), entity, target) == NULL
                              : !store_has(world, type, entity);
    /* A default that was made for a new one is not for one that is there. */
    void *data = is_given || is_new ? command_deliver(commands, command) : NULL;
    if (is_relation) {
        relation_store *store = store_relation(world, type->id);
        if (loose_link(world, store, entity, target, data)) {
            loose_notify_link(world, store, entity, target, NOTIFY_ADD);
        }
        if (is_given) {
            loose_notify_link(world, store, entity, target, NOTIFY_SET);
        }
        return;
    }
    sparse_set *set = store_sparse(world, type->id);
    if (loose_put(world, set, entity, data)) {
        loose_notify_value(world, set, entity, NOTIFY_ADD);
    }
    if (is_given) {
        loose_notify_value(world, set, entity, NOTIFY_SET);
    }
}

/* Takes a value or links away. A target that is named must be alive, as for the call; a spawn that was dropped is not. */
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
    if (!store_has(world, type, entity)) {
        return;
    }
    shoal_status status = loose_check_unlink(world, type, entity, "shoal_commands_apply");
    if (status != SHOAL_OK) {
        command_dropped(commands, number, status);
    } else if (type->def.storage == SHOAL_STORAGE_RELATION) {
        loose_unlink(world, store_relation(world, type->id), entity, target);
    } else {
        loose_take(world, store_sparse(world, type->id), entity);
    }
}

void command_loose_commit(shoal_commands *commands, uint32_t number, shoal_entity entity) {
    shoal_command *command = command_at(commands, number);
    switch (command->kind) {
    case SHOAL_COMMAND_ADD:
    case SHOAL_COMMAND_SET:
    case COMMAND_REQUIRE:
        commit_add(commands, command, number, entity);
        return;
    case SHOAL_COMMAND_ENABLE:
    case SHOAL_COMMAND_DISABLE:
        command_dropped(commands, number, SHOAL_COMPONENT_KIND);
        return;
    default:
        commit_removal(commands, command, number, entity);
    }
}
