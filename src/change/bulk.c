/*
 * Many entities at once: spawn_many, and one change for all of a query. Both stage or write every value that can fail
 * before the first slot or row changes, so that all of it happens or nothing. Thread rule: world.
 */
#include "../query/query.h"
#include "change.h"

/* ---- spawning many ---- */

/* The keys of a bulk spawn: first the values that all share, then the columns. */
typedef struct bulk_keys {
    shoal_value few[16];
    shoal_value *all;
    size_t count;
    size_t value_count; /* of these, how many are shared by all rows */
} bulk_keys;

static shoal_status bulk_keys_make(shoal_world *world, const shoal_spawn_many_def *def, bulk_keys *keys) {
    keys->count = def->value_count + def->column_count;
    keys->value_count = def->value_count;
    keys->all = keys->few;
    if (keys->count > sizeof keys->few / sizeof keys->few[0]) {
        keys->all = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, keys->count * sizeof(shoal_value), 16);
        if (keys->all == NULL) {
            return world->memory.failure;
        }
    }
    for (size_t i = 0; i < keys->count; i++) {
        keys->all[i] = i < def->value_count ? def->values[i] : def->columns[i - def->value_count];
    }
    return SHOAL_OK;
}

static void bulk_keys_release(shoal_world *world, bulk_keys *keys) {
    if (keys->all != keys->few) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, keys->all, keys->count * sizeof(shoal_value), 16);
    }
}

/* A run of new rows in one chunk. */
typedef struct bulk_run {
    const chunk_ref *ref;
    uint32_t first;
    uint32_t count;
    size_t done; /* rows of the bulk before this run */
} bulk_run;

/* The run that follows `run` (or the first one) of `total` rows; false at the end. Nothing is committed meanwhile. */
static bool bulk_next(const shoal_archetype *target, size_t total, bulk_run *run) {
    run->done += run->count;
    if (run->done == total) {
        return false;
    }
    run->ref = run->ref == NULL ? target->open : run->ref + 1;
    run->first = run->ref->count;
    size_t room = run->ref->capacity - run->first;
    run->count = (uint32_t)(total - run->done < room ? total - run->done : room);
    return true;
}

static char *run_column(const bulk_run *run, const archetype_column *column, uint32_t number) {
    return chunk_base(run->ref) + run->ref->offsets[number] + (size_t)run->first * column->byte_size;
}

/* The values of one key in one run. */
static bool make_run(const shoal_archetype *target, uint32_t number, const bulk_run *run, const shoal_value *key,
                     bool shared) {
    const archetype_column *column = &target->columns[number];
    char *values = run_column(run, column, number);
    if (key->data == NULL) {
        return component_make_default(column->type, values, run->count);
    }
    if (shared) {
        return component_make_repeated(column->type, values, key->data, run->count);
    }
    return component_make_copy(column->type, values, (const char *)key->data + run->done * column->byte_size,
                               run->count);
}

/* Ends the values of key `key_count - 1` and those before it, up to but without the run `last`. */
static void bulk_unmake(const shoal_transition *edge, size_t total, size_t key, size_t run_limit) {
    if (edge->columns[key] == ARCHETYPE_NONE) {
        return;
    }
    bulk_run run = {0};
    while (bulk_next(edge->target, total, &run) && run.done < run_limit) {
        const archetype_column *column = &edge->target->columns[edge->columns[key]];
        component_end(column->type, run_column(&run, column, edge->columns[key]), run.count);
    }
}

/* Writes all values of all rows; none when a hook fails. */
static shoal_status bulk_make(shoal_world *world, const shoal_transition *edge, const bulk_keys *keys, size_t total,
                              const char *call) {
    for (size_t key = 0; key < keys->count; key++) {
        uint32_t number = edge->columns[key];
        bulk_run run = {0};
        while (number != ARCHETYPE_NONE && bulk_next(edge->target, total, &run)) {
            if (!make_run(edge->target, number, &run, &keys->all[key], key < keys->value_count)) {
                bulk_unmake(edge, total, key, run.done);
                while (key-- > 0) {
                    bulk_unmake(edge, total, key, total);
                }
                shoal_component component = {edge->target->ids[number]};
                return world_fail_component(world, SHOAL_HOOK_FAILED, call, (shoal_entity){0}, component);
            }
        }
    }
    return SHOAL_OK;
}

/* Takes slots for the rows of one run and places them. */
static void bulk_take(shoal_world *world, shoal_archetype *target, const bulk_run *run, shoal_entity *entities) {
    shoal_entity *column = chunk_entities(run->ref) + run->first;
    for (uint32_t i = 0; i < run->count; i++) {
        index_record *record;
        column[i] = index_take(&world->index, &record);
        index_place(record, column[i], run->ref->bits, target->index, run->first + i);
    }
    if (entities != NULL) {
        memcpy(entities + run->done, column, run->count * sizeof(shoal_entity));
    }
}

static void bulk_fill(const shoal_spawn_many_def *def, const shoal_transition *edge, const bulk_run *run,
                      void **columns) {
    for (size_t i = 0; i < def->column_count; i++) {
        uint32_t number = edge->columns[def->value_count + i];
        columns[i] = number == ARCHETYPE_NONE ? NULL : run_column(run, &edge->target->columns[number], number);
    }
    def->fill(def->user, run->done, run->count, chunk_entities(run->ref) + run->first, columns);
}

/* Places all rows, then shows them to the caller's fill function. Cannot fail. */
static void bulk_commit(shoal_world *world, const shoal_spawn_many_def *def, const shoal_transition *edge,
                        void **fill_columns) {
    shoal_archetype *target = edge->target;
    const bulk_run start = {0};
    for (bulk_run run = start; bulk_next(target, def->count, &run);) {
        bulk_take(world, target, &run, def->entities);
    }
    const char *outer = world_lock_enter(world, "shoal_spawn_many");
    for (bulk_run run = start; def->fill != NULL && bulk_next(target, def->count, &run);) {
        bulk_fill(def, edge, &run, fill_columns);
    }
    world_lock_leave(world, outer);
    for (size_t left = def->count; left > 0;) {
        chunk_ref *ref = target->open;
        uint32_t room = ref->capacity - ref->count;
        uint32_t count = left < room ? (uint32_t)left : room;
        if (ref->count == 0) {
            target->chunk_count++;
            target->spare_count--;
        }
        ref->count += count;
        target->row_count += count;
        left -= count;
        archetype_find_open(target);
    }
}

static shoal_status bulk_spawn(shoal_world *world, const shoal_spawn_many_def *def, const bulk_keys *keys,
                               const char *call) {
    transition_keys edge_keys = {.add = keys->all, .add_count = keys->count};
    const shoal_transition *edge = transition_find(world, world->root, &edge_keys, call);
    if (edge == NULL) {
        return world->error.status;
    }
    for (size_t i = 0; i < def->count && edge->target->careful; i++) {
        for (size_t key = 0; key < keys->count; key++) {
            shoal_value value = keys->all[key];
            if (key >= keys->value_count && value.data != NULL) {
                value.data = (const char *)value.data + i * component_type_at(value.component.id)->def.size;
            }
            if ((i == 0 || key >= keys->value_count) && change_validate(world, &value, 1, call) != SHOAL_OK) {
                return world->error.status;
            }
        }
    }
    shoal_status status = index_prepare(&world->index, def->count);
    status = status == SHOAL_OK ? archetype_reserve(world, edge->target, def->count) : status;
    if (status != SHOAL_OK) {
        return world_fail(world, status, call);
    }
    size_t fill_bytes = (def->column_count + 1) * sizeof(void *);
    void **fill_columns = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, fill_bytes, 16);
    status = fill_columns == NULL ? world_fail(world, world->memory.failure, call)
                                  : bulk_make(world, edge, keys, def->count, call);
    if (status == SHOAL_OK) {
        bulk_commit(world, def, edge, fill_columns);
    }
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, fill_columns, fill_bytes, 16);
    archetype_settle(world, edge->target);
    change_torture(world, edge->target);
    return status;
}

shoal_status shoal_spawn_many(shoal_world *world, const shoal_spawn_many_def *def) {
    static const char call[] = "shoal_spawn_many";
    if (world == NULL) {
        return SHOAL_INVALID_ARGUMENT;
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    if (def == NULL || (def->values == NULL && def->value_count != 0) ||
        (def->columns == NULL && def->column_count != 0)) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    bulk_keys keys;
    shoal_status status = bulk_keys_make(world, def, &keys);
    if (status != SHOAL_OK) {
        return world_fail(world, status, call);
    }
    status = bulk_spawn(world, def, &keys, call);
    bulk_keys_release(world, &keys);
    return status;
}

/* ---- one change for all of a query ---- */

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
            component_end(type, change->staged[i] + change->done * type->def.size, change->row_count - change->done);
            memory_release(memory, SHOAL_PURPOSE_SCRATCH, change->staged[i], change->row_count * type->def.size,
                           type->def.alignment);
        }
    }
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, change->staged, change->edge->add_count * sizeof(char *), 16);
    change->staged = NULL;
}

/* Copies of one hooked value, a copy a row. */
static shoal_status bulk_stage(bulk_change *change, size_t i, const char *call) {
    shoal_world *world = change->world;
    const component_type *type = added_type(change, i);
    char *copies =
        memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, change->row_count * type->def.size, type->def.alignment);
    if (copies == NULL) {
        return world_fail(world, world->memory.failure, call);
    }
    bool made = change->values[i].data != NULL
                    ? component_make_repeated(type, copies, change->values[i].data, change->row_count)
                    : component_make_default(type, copies, change->row_count);
    if (!made) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, copies, change->row_count * type->def.size,
                       type->def.alignment);
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
        return world->error.status;
    }
    shoal_status status = SHOAL_OK;
    if (keys->add_count > 0) {
        change->staged =
            memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCRATCH, keys->add_count * sizeof(char *), 16);
        status = change->staged == NULL ? world_fail(world, world->memory.failure, call) : SHOAL_OK;
    }
    for (size_t i = 0; i < keys->add_count && status == SHOAL_OK; i++) {
        bool wanted = added_is_new(change, i) || keys->add[i].data != NULL;
        if (wanted && added_type(change, i)->hooked && change->row_count > 0) {
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
            component_end(type, values, count);
        }
        component_relocate(type, values, change->staged[i] + change->done * type->def.size, count);
    } else if (change->values[i].data == NULL) {
        if (is_new) {
            (void)component_make_default(type, values, count); /* hooked ones are staged, so it cannot fail */
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
        uint32_t number = change->edge->columns[i];
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
                           change->row_count * type->def.size, type->def.alignment);
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

shoal_status shoal_query_change_entities(shoal_query *query, const shoal_change *change) {
    static const char call[] = "shoal_query_change_entities";
    if (query == NULL) {
        return SHOAL_INVALID_ARGUMENT;
    }
    shoal_world *world = query_of(query)->world;
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    transition_keys keys;
    shoal_status status = change_keys(world, change, &keys, call);
    if (status != SHOAL_OK) {
        return status;
    }
    if (transition_find(world, world->root, &keys, call) == NULL) { /* checks the keys even when nothing matches */
        return world->error.status;
    }
    if (query_of(query)->match_count == 0) {
        return SHOAL_OK;
    }
    size_t bytes = query_of(query)->match_count * sizeof(bulk_change);
    bulk_change *changes = memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCRATCH, bytes, 16);
    if (changes == NULL) {
        return world_fail(world, world->memory.failure, call);
    }
    status = query_change(query, &keys, changes, call);
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, changes, bytes, 16);
    return status;
}
