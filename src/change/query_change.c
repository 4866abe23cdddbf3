/*
 * One change for all entities of a query. Where whole archetypes match and the components are columns without more to
 * them, the rows of an archetype move as one; else the change is recorded for each entity and applied as one buffer.
 * Either way every value that can fail is staged before the first row moves, so that all of it happens or nothing.
 * Thread rule: world.
 */
#include <shoal/buffer.h>

#include "../query/query.h"
#include "change.h"
#include "command.h"
#include "loose.h"

/* What one matching archetype needs: its edge, and copies of hooked values for each of its rows. */
typedef struct bulk_change {
    shoal_world *world;
    const shoal_archetype *source;
    const shoal_transition *edge;
    const shoal_value *values;
    char **staged;    /* an entry for each added component: row_count copies, or NULL */
    size_t row_count; /* of the source, at the start */
    size_t done;      /* rows that have taken theirs */
} bulk_change;

static const component_type *added_type(const bulk_change *change, size_t i) {
    return component_type_at(change->values[i].component.id);
}

static void bulk_change_release(bulk_change *change) {
    shoal_memory *memory = &change->world->memory;
    if (change->staged == NULL) {
        return;
    }
    for (size_t i = 0; i < change->edge->add_count; i++) {
        const component_type *type = added_type(change, i);
        if (change->staged[i] != NULL) {
            component_end(memory, type, change->staged[i] + change->done * type->value_size,
                          change->row_count - change->done);
            memory_release(memory, SHOAL_PURPOSE_SCRATCH, change->staged[i], change->row_count * type->value_size,
                           type->value_alignment);
        }
    }
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, change->staged, change->edge->add_count * sizeof(char *), 16);
    change->staged = NULL;
}

/* Copies of one hooked value, a copy a row. */
static shoal_status bulk_stage(bulk_change *change, size_t i, const char *call) {
    shoal_world *world = change->world;
    const component_type *type = added_type(change, i);
    char *copies = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, change->row_count * type->value_size,
                                   type->value_alignment);
    if (copies == NULL) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    bool made = change->values[i].data != NULL
                    ? component_make_repeated(&world->memory, type, copies, change->values[i].data, change->row_count)
                    : component_make_default(&world->memory, type, copies, change->row_count);
    if (!made) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, copies, change->row_count * type->value_size,
                       type->value_alignment);
        return world_fail_component(world, SHOAL_HOOK_FAILED, call, (shoal_entity){0}, change->values[i].component);
    }
    change->staged[i] = copies;
    return SHOAL_OK;
}

static bool added_is_new(const bulk_change *change, size_t i) {
    return archetype_find(change->source, change->values[i].component.id) == ARCHETYPE_NONE;
}

/* Finds the edge, stages hooked values and promises rows in the target. */
static shoal_status bulk_change_prepare(bulk_change *change, shoal_archetype *source, const transition_keys *keys,
                                        const char *call) {
    shoal_world *world = change->world;
    change->source = source;
    change->row_count = (size_t)source->row_count;
    change->edge = transition_find(world, source, keys, call);
    if (change->edge == NULL) {
        return world_error(world)->status;
    }
    shoal_status status = SHOAL_OK;
    if (keys->add_count > 0) {
        change->staged =
            memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCRATCH, keys->add_count * sizeof(char *), 16);
        status = change->staged == NULL ? world_fail(world, memory_failure(&world->memory), call) : SHOAL_OK;
    }
    for (size_t i = 0; i < keys->add_count && status == SHOAL_OK; i++) {
        bool wanted = added_is_new(change, i) || keys->add[i].data != NULL;
        const component_type *type = added_type(change, i);
        if (wanted && type->has_column && type->hooked && change->row_count > 0) {
            status = bulk_stage(change, i, call);
        }
    }
    if (status == SHOAL_OK && change->edge->target != source) {
        status = archetype_promise(world, change->edge->target, change->row_count);
        status = status == SHOAL_OK ? SHOAL_OK : world_fail(world, status, call);
    }
    return status;
}

/* Writes key `i` into `count` values: raw memory when it is new, else in place of old ones. */
static void bulk_write(const bulk_change *change, size_t i, char *values, size_t count, bool is_new) {
    const component_type *type = added_type(change, i);
    if (change->staged[i] != NULL) {
        if (!is_new) {
            component_end(&change->world->memory, type, values, count);
        }
        component_relocate(type, values, change->staged[i] + change->done * type->value_size, count);
    } else if (change->values[i].data == NULL) {
        if (is_new) {
            (void)component_make_default(&change->world->memory, type, values,
                                         count); /* hooked ones are staged, so it cannot fail */
        }
    } else {
        for (size_t k = 0; k < count; k++) {
            copy_value(values + k * type->def.size, change->values[i].data, type->def.size);
        }
    }
}

/* For row_move_all(): the columns that the source does not have. */
static void bulk_write_new(void *user, const shoal_archetype *target, const chunk_ref *ref, uint32_t first,
                           uint32_t count) {
    bulk_change *change = user;
    for (size_t i = 0; i < change->edge->add_count; i++) {
        uint32_t number = transition_columns(change->edge)[i];
        if (number != ARCHETYPE_NONE && added_is_new(change, i)) {
            bulk_write(change, i,
                       chunk_base(ref) + ref->offsets[number] + (size_t)first * target->columns[number].byte_size,
                       count, true);
        }
    }
    change->done += count;
}

/* Replaces values that the rows of the source have already, before the rows move. */
static void bulk_replace(bulk_change *change) {
    const shoal_archetype *source = change->source;
    for (uint32_t k = 0; k < source->chunk_count; k++) {
        const chunk_ref *ref = &source->chunks[k];
        for (size_t i = 0; i < change->edge->add_count; i++) {
            uint32_t number = archetype_find(source, change->values[i].component.id);
            if (number < source->column_count) {
                bulk_write(change, i, chunk_base(ref) + ref->offsets[number], ref->count, false);
            }
        }
        change->done += ref->count;
    }
    /* New components take theirs from the start again; replaced ones have none left. */
    for (size_t i = 0; i < change->edge->add_count; i++) {
        if (change->staged[i] != NULL && !added_is_new(change, i)) {
            const component_type *type = added_type(change, i);
            memory_release(&change->world->memory, SHOAL_PURPOSE_SCRATCH, change->staged[i],
                           change->row_count * type->value_size, type->value_alignment);
            change->staged[i] = NULL;
        }
    }
    change->done = 0;
}

static void bulk_change_commit(bulk_change *change, shoal_archetype *source) {
    shoal_world *world = change->world;
    shoal_archetype *target = change->edge->target;
    if (change->edge->add_count > 0) {
        bulk_replace(change);
    }
    if (target != source) {
        row_move_all(world, source, target, bulk_write_new, change);
    } else {
        change->done = change->row_count;
    }
}

static shoal_status query_change(shoal_query *query, const transition_keys *keys, bulk_change *changes,
                                 const char *call) {
    shoal_world *world = query_of(query)->world;
    size_t match_count =
        query_of(query)->match_count; /* archetypes that the change makes may match as well; they come behind */
    shoal_status status = change_validate(world, keys->add, keys->add_count, call);
    size_t prepared = 0;
    for (; prepared < match_count && status == SHOAL_OK; prepared++) {
        changes[prepared] = (bulk_change){.world = world, .values = keys->add};
        status =
            bulk_change_prepare(&changes[prepared], query_match_at(query_of(query), prepared)->archetype, keys, call);
    }
    /* Rows that stay come first: afterwards others move in beside them, and these are as they should be already. */
    for (size_t pass = 0; pass < 2 && status == SHOAL_OK; pass++) {
        for (size_t i = 0; i < match_count; i++) {
            shoal_archetype *source = query_match_at(query_of(query), i)->archetype;
            if ((changes[i].edge->target == source) == (pass == 0)) {
                bulk_change_commit(&changes[i], source);
            }
        }
    }
    for (size_t i = 0; i < prepared; i++) {
        if (changes[i].edge != NULL) {
            archetype_settle(world, changes[i].edge->target);
            change_torture(world, changes[i].edge->target);
            bulk_change_release(&changes[i]);
        }
    }
    return status;
}

/* Copies of the values that a caller gave, since they may lie in rows that move before all have read them. */
typedef struct given_values {
    shoal_value *values;
    size_t count;
} given_values;

static void given_release(shoal_world *world, given_values *given) {
    for (size_t i = 0; i < given->count; i++) {
        const component_type *type = component_type_at(given->values[i].component.id);
        if (given->values[i].data != NULL) {
            void *copy = (void *)(uintptr_t)given->values[i].data; /* made by given_copy() */
            component_end(&world->memory, type, copy, 1);
            memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, copy, type->value_size, type->value_alignment);
        }
    }
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, given->values, given->count * sizeof(shoal_value), 16);
}

static shoal_status given_copy_one(shoal_world *world, shoal_value from, shoal_value *to, const char *call) {
    const component_type *type = component_type_at(from.component.id);
    *to = (shoal_value){.component = from.component};
    if (from.data == NULL || type->def.size == 0) {
        return SHOAL_OK;
    }
    void *copy = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, type->value_size, type->value_alignment);
    if (copy == NULL) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    if (!component_make_copy(&world->memory, type, copy, from.data, 1)) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, copy, type->value_size, type->value_alignment);
        return world_fail_component(world, SHOAL_HOOK_FAILED, call, (shoal_entity){0}, from.component);
    }
    to->data = copy;
    return SHOAL_OK;
}

static shoal_status given_copy(shoal_world *world, const shoal_change *change, given_values *given, const char *call) {
    *given = (given_values){.count = change->add_count};
    if (given->count == 0) {
        return SHOAL_OK;
    }
    given->values = memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCRATCH, given->count * sizeof(shoal_value), 16);
    if (given->values == NULL) {
        given->count = 0;
        return world_fail(world, memory_failure(&world->memory), call);
    }
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < given->count; i++) {
        given->values[i].component = change->add[i].component; /* so that a failure can release all of them */
    }
    for (size_t i = 0; i < given->count && status == SHOAL_OK; i++) {
        status = given_copy_one(world, change->add[i], &given->values[i], call);
    }
    if (status != SHOAL_OK) {
        given_release(world, given);
    }
    return status;
}

/* The change with keys that are known to be right. */
static shoal_status query_change_checked(shoal_query *query, const shoal_change *change, const char *call) {
    shoal_world *world = query_of(query)->world;
    given_values given;
    transition_bound(world);
    shoal_status status = given_copy(world, change, &given, call);
    if (status != SHOAL_OK) {
        return status;
    }
    transition_keys keys = {
        .add = given.values, .add_count = given.count, .remove = change->remove, .remove_count = change->remove_count};
    size_t bytes = query_of(query)->match_count * sizeof(bulk_change);
    bulk_change *changes = memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCRATCH, bytes, 16);
    status = changes != NULL ? query_change(query, &keys, changes, call)
                             : world_fail(world, memory_failure(&world->memory), call);
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, changes, bytes, 16);
    given_release(world, &given);
    if (status != SHOAL_OK) {
        world_give_back(world);
    }
    return status;
}

/* ---- one change for all of a query, an entity at a time ---- */

/* True for a component that the wholesale change of archetypes below does not do justice. */
static bool type_needs_commands(const component_type *type) {
    return !type->in_archetype || type->notifies || type->def.required_count != 0 ||
           type->def.storage == SHOAL_STORAGE_BUFFER || type->def.storage == SHOAL_STORAGE_CHUNK;
}

static bool change_needs_commands(const shoal_world *world, const shoal_change *change) {
    bool needs = world->special_archetypes != 0;
    for (size_t i = 0; i < change->add_count && !needs; i++) {
        needs = type_needs_commands(component_type_at(change->add[i].component.id));
    }
    for (size_t i = 0; i < change->remove_count && !needs; i++) {
        needs = type_needs_commands(component_type_at(change->remove[i].id));
    }
    return needs;
}

/* The additions of relations that split archetypes, or all others. */
static shoal_status additions_record(shoal_commands *commands, shoal_entity entity, const shoal_change *change,
                                     bool splits) {
    shoal_status status = SHOAL_OK;
    for (size_t k = 0; k < change->add_count && status == SHOAL_OK; k++) {
        shoal_value value = change->add[k];
        if (component_type_at(value.component.id)->def.split == splits) {
            status = shoal_commands_add(commands, entity, value.component, value.data);
        }
    }
    return status;
}

/* What moves rows by itself comes first, so that all else is one move. Removals come last: they take away what the
   added components require as well, as one change does. */
static shoal_status change_record(shoal_commands *commands, const shoal_entity *entities, size_t count,
                                  const shoal_change *change) {
    shoal_status status = SHOAL_OK;
    command_join(commands);
    for (size_t i = 0; i < count && status == SHOAL_OK; i++) {
        status = additions_record(commands, entities[i], change, true);
        status = status == SHOAL_OK ? additions_record(commands, entities[i], change, false) : status;
        for (size_t k = 0; k < change->remove_count && status == SHOAL_OK; k++) {
            status = shoal_commands_remove(commands, entities[i], change->remove[k]);
        }
    }
    return status;
}

/* Records the change for each entity that matches, and applies all of it. */
static shoal_status query_change_recorded(shoal_query *query, const shoal_change *change, const char *call) {
    shoal_world *world = query_of(query)->world;
    shoal_entity *entities = NULL;
    size_t count = 0;
    shoal_status status = change_validate(world, change->add, change->add_count, call);
    if (status != SHOAL_OK) {
        return status;
    }
    status = query_collect(query_of(query), &entities, &count);
    if (status != SHOAL_OK) {
        return world_fail(world, status, call);
    }
    status = loose_check_all(world, entities, count, change, call);
    shoal_commands *commands =
        status == SHOAL_OK ? shoal_commands_create(world, &(shoal_commands_def){.name = call}) : NULL;
    if (status == SHOAL_OK) {
        status = commands == NULL ? world_error(world)->status : change_record(commands, entities, count, change);
    }
    if (status == SHOAL_OK) {
        status = shoal_commands_apply(commands, NULL);
    }
    shoal_commands_destroy(commands);
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, entities, count * sizeof(shoal_entity), 16);
    return status;
}

shoal_status shoal_query_change_entities(shoal_query *query, const shoal_change *change) {
    static const char call[] = "shoal_query_change_entities";
    if (query == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_world *world = query_of(query)->world;
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    transition_keys keys = {0};
    shoal_status status = change_keys(world, change, &keys, call);
    if (status != SHOAL_OK) {
        return status;
    }
    status = transition_check(world, &keys, call); /* also when nothing matches */
    if (status != SHOAL_OK) {
        return status;
    }
    if (!query_is_whole(query_of(query)) || change_needs_commands(world, change)) {
        status = query_change_recorded(query, change, call);
    } else if (query_of(query)->match_count != 0) {
        status = query_change_checked(query, change, call);
    }
    world_note_idle(world);
    return status;
}
