/*
 * Many entities at once: spawn_many. Every value that can fail is staged or written before the first slot or row
 * changes, so that all of it happens or nothing. Thread rule: world.
 */
#include <shoal/buffer.h>

#include "../query/query.h"
#include "change.h"
#include "command.h"
#include "loose.h"

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
            return memory_failure(&world->memory);
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

/* Where a bulk's rows begin: the chunk and row that were open when room had been made. */
typedef struct bulk_place {
    uint32_t chunk;
    uint32_t row;
} bulk_place;

static bulk_place bulk_begin(const shoal_archetype *target) {
    if (target->open == NULL) {
        return (bulk_place){0}; /* no rows at all */
    }
    return (bulk_place){.chunk = (uint32_t)(target->open - target->chunks), .row = target->open->count};
}

/* A run of the bulk's rows in one chunk. */
typedef struct bulk_run {
    chunk_ref *ref;
    uint32_t first;
    uint32_t count;
    size_t done; /* rows of the bulk before this run */
} bulk_run;

/* The run that follows `run` (or the first one) of `total` rows; false at the end. */
static bool bulk_next(const shoal_archetype *target, bulk_place begin, size_t total, bulk_run *run) {
    run->done += run->count;
    if (run->done == total) {
        return false;
    }
    run->first = run->ref == NULL ? begin.row : 0;
    run->ref = run->ref == NULL ? &target->chunks[begin.chunk] : run->ref + 1;
    size_t room = run->ref->capacity - run->first;
    run->count = (uint32_t)(total - run->done < room ? total - run->done : room);
    return true;
}

static char *run_column(const bulk_run *run, const archetype_column *column, uint32_t number) {
    return chunk_base(run->ref) + run->ref->offsets[number] + (size_t)run->first * column->byte_size;
}

/* Values of one type in one run: of a key, or the defaults of an implied component. */
static bool make_run(shoal_world *world, const component_type *type, char *values, const bulk_run *run,
                     const shoal_value *key, bool shared) {
    if (key == NULL || key->data == NULL) {
        return component_make_default(&world->memory, type, values, run->count);
    }
    if (type->def.storage == SHOAL_STORAGE_BUFFER) {
        for (size_t i = 0; i < run->count; i++) {
            const shoal_span *span = (const shoal_span *)key->data + (shared ? 0 : run->done + i);
            if (!component_make_given(&world->memory, type, values + i * type->value_size, span)) {
                component_end(&world->memory, type, values, i);
                return false;
            }
        }
        return true;
    }
    if (shared) {
        return component_make_repeated(&world->memory, type, values, key->data, run->count);
    }
    return component_make_copy(&world->memory, type, values, (const char *)key->data + run->done * type->value_size,
                               run->count);
}

/* One bulk under way. */
typedef struct bulk_spawning {
    const shoal_spawn_many_def *def;
    const bulk_keys *keys;
    const shoal_transition *edge;
    bulk_place begin;
    loose_bulk loose;
    char **chunk_values; /* an entry for each key: run_count copies of a chunk value, or NULL */
    size_t run_count;
} bulk_spawning;

/* The column of the n-th key, or of an implied component behind the keys; ARCHETYPE_NONE when it has none. */
static uint32_t bulk_column(const bulk_spawning *bulk, size_t key) {
    if (key < bulk->keys->count) {
        return transition_columns(bulk->edge)[key];
    }
    uint32_t number = archetype_find(bulk->edge->target, transition_implied(bulk->edge, key - bulk->keys->count));
    return number < bulk->edge->target->column_count ? number : ARCHETYPE_NONE;
}

/* Ends the values of one key, up to but without the run that begins with row `limit`. */
static void bulk_unmake(shoal_world *world, const bulk_spawning *bulk, size_t key, size_t limit) {
    const shoal_archetype *target = bulk->edge->target;
    uint32_t number = bulk_column(bulk, key);
    bulk_run run = {0};
    while (number != ARCHETYPE_NONE && bulk_next(target, bulk->begin, bulk->def->count, &run) && run.done < limit) {
        const archetype_column *column = &target->columns[number];
        component_end(&world->memory, column->type, run_column(&run, column, number), run.count);
    }
}

/* Writes the values of one key in all rows; none of it when a hook fails. */
static bool bulk_make_key(shoal_world *world, const bulk_spawning *bulk, size_t key) {
    const shoal_archetype *target = bulk->edge->target;
    uint32_t number = bulk_column(bulk, key);
    const shoal_value *given = key < bulk->keys->count ? &bulk->keys->all[key] : NULL;
    bool shared = key < bulk->keys->value_count;
    bulk_run run = {0};
    while (number != ARCHETYPE_NONE && bulk_next(target, bulk->begin, bulk->def->count, &run)) {
        const archetype_column *column = &target->columns[number];
        if (!make_run(world, column->type, run_column(&run, column, number), &run, given, shared)) {
            bulk_unmake(world, bulk, key, run.done);
            return false;
        }
    }
    return true;
}

static size_t bulk_key_count(const bulk_spawning *bulk) {
    return bulk->keys->count + transition_implied_count(bulk->edge);
}

/* Writes all values of all rows; none when a hook fails. */
static shoal_status bulk_make(shoal_world *world, const bulk_spawning *bulk, const char *call) {
    for (size_t key = 0; key < bulk_key_count(bulk); key++) {
        if (bulk_make_key(world, bulk, key)) {
            continue;
        }
        const component_type *type = bulk->edge->target->columns[bulk_column(bulk, key)].type;
        shoal_status status = component_failure(type, &world->memory);
        while (key-- > 0) {
            bulk_unmake(world, bulk, key, bulk->def->count);
        }
        return world_fail_component(world, status, call, (shoal_entity){0}, (shoal_component){type->id});
    }
    return SHOAL_OK;
}

static void bulk_unmake_all(shoal_world *world, const bulk_spawning *bulk) {
    for (size_t key = 0; key < bulk_key_count(bulk); key++) {
        bulk_unmake(world, bulk, key, bulk->def->count);
    }
}

/* Takes slots for the rows of one run, places and counts them. */
static void bulk_take(shoal_world *world, shoal_archetype *target, const bulk_run *run, shoal_entity *entities) {
    shoal_entity *column = chunk_entities(run->ref) + run->first;
    for (uint32_t i = 0; i < run->count; i++) {
        index_record *record;
        column[i] = index_take(&world->index, &record);
        index_place(record, column[i], run->ref->bits, target->index, run->first + i);
        if (UNLIKELY(target->more->toggle_count != 0)) {
            row_enable_all(target, record);
        }
    }
    if (entities != NULL) {
        memcpy(entities + run->done, column, run->count * sizeof(shoal_entity));
    }
    if (run->ref->count == 0) {
        target->chunk_count++;
        target->spare_count--;
    }
    run->ref->count += run->count;
    target->row_count += run->count;
    target->version++;
}

static void bulk_fill(const bulk_spawning *bulk, const bulk_run *run, void **columns) {
    const shoal_spawn_many_def *def = bulk->def;
    const shoal_archetype *target = bulk->edge->target;
    for (size_t i = 0; i < def->column_count; i++) {
        uint32_t number = transition_columns(bulk->edge)[def->value_count + i];
        columns[i] = number == ARCHETYPE_NONE ? NULL : run_column(run, &target->columns[number], number);
    }
    def->fill(def->user, run->done, run->count, chunk_entities(run->ref) + run->first, columns);
}

/* ---- chunk values that the caller gave: one for each chunk that gets rows ---- */

static size_t bulk_run_count(const bulk_spawning *bulk) {
    size_t count = 0;
    bulk_run run = {0};
    while (bulk_next(bulk->edge->target, bulk->begin, bulk->def->count, &run)) {
        count++;
    }
    return count;
}

static bool key_is_chunk_value(const bulk_spawning *bulk, size_t key) {
    const shoal_value *value = &bulk->keys->all[key];
    return value->data != NULL && component_type_at(value->component.id)->def.storage == SHOAL_STORAGE_CHUNK;
}

static void chunk_values_release(shoal_world *world, bulk_spawning *bulk, bool end_values) {
    for (size_t key = 0; bulk->chunk_values != NULL && key < bulk->keys->count; key++) {
        if (bulk->chunk_values[key] == NULL) {
            continue;
        }
        const component_type *type = component_type_at(bulk->keys->all[key].component.id);
        if (end_values) {
            component_end(&world->memory, type, bulk->chunk_values[key], bulk->run_count);
        }
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, bulk->chunk_values[key],
                       bulk->run_count * type->value_size, type->value_alignment);
    }
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, bulk->chunk_values, bulk->keys->count * sizeof(char *), 16);
    bulk->chunk_values = NULL;
}

/* Copies of one chunk value, a copy a run. */
static shoal_status chunk_value_stage(shoal_world *world, bulk_spawning *bulk, size_t key, const char *call) {
    const component_type *type = component_type_at(bulk->keys->all[key].component.id);
    size_t bytes = bulk->run_count * type->value_size;
    char *copies = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, bytes, type->value_alignment);
    if (copies == NULL) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    if (!component_make_repeated(&world->memory, type, copies, bulk->keys->all[key].data, bulk->run_count)) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, copies, bytes, type->value_alignment);
        return world_fail_component(world, SHOAL_HOOK_FAILED, call, (shoal_entity){0}, (shoal_component){type->id});
    }
    bulk->chunk_values[key] = copies;
    return SHOAL_OK;
}

static shoal_status chunk_values_stage(shoal_world *world, bulk_spawning *bulk, const char *call) {
    shoal_status status = SHOAL_OK;
    bool any = bulk->edge->target->more->chunk_type_count != 0 && bulk->def->count != 0;
    for (size_t key = 0; any && key < bulk->keys->count && status == SHOAL_OK; key++) {
        if (!key_is_chunk_value(bulk, key)) {
            continue;
        }
        if (bulk->chunk_values == NULL) {
            bulk->run_count = bulk_run_count(bulk);
            bulk->chunk_values =
                memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCRATCH, bulk->keys->count * sizeof(char *), 16);
        }
        status = bulk->chunk_values == NULL ? world_fail(world, memory_failure(&world->memory), call)
                                            : chunk_value_stage(world, bulk, key, call);
    }
    if (status != SHOAL_OK) {
        chunk_values_release(world, bulk, true);
    }
    return status;
}

static void chunk_values_put(shoal_world *world, bulk_spawning *bulk) {
    const shoal_archetype *target = bulk->edge->target;
    for (size_t key = 0; bulk->chunk_values != NULL && key < bulk->keys->count; key++) {
        const component_type *type = component_type_at(bulk->keys->all[key].component.id);
        char *copy = bulk->chunk_values[key];
        bulk_run run = {0};
        while (copy != NULL && bulk_next(target, bulk->begin, bulk->def->count, &run)) {
            void *value = archetype_chunk_value(target, run.ref->bits, archetype_chunk_number(target, type->id));
            component_end(&world->memory, type, value, 1);
            component_relocate(type, value, copy, 1);
            copy += type->value_size;
        }
    }
    chunk_values_release(world, bulk, false);
}

/* Tells the hooks of each new row. */
static void bulk_notify(shoal_world *world, const bulk_spawning *bulk, notify_kind kind) {
    const shoal_archetype *target = bulk->edge->target;
    bulk_run run = {0};
    while (target->notifies && bulk_next(target, bulk->begin, bulk->def->count, &run)) {
        for (uint32_t i = 0; i < run.count; i++) {
            shoal_entity entity = chunk_entities(run.ref)[run.first + i];
            row_place place = row_of(world, index_find(&world->index, entity));
            if (kind == NOTIFY_ADD) {
                notify_edge_new(world, bulk->edge, entity, place);
            } else {
                notify_edge_given(world, bulk->edge, bulk->keys->all, entity, place);
            }
        }
    }
}

/* Places all rows, then shows them to the caller's fill function. Cannot fail. */
static void bulk_commit(shoal_world *world, bulk_spawning *bulk, void **fill_columns) {
    const shoal_spawn_many_def *def = bulk->def;
    shoal_archetype *target = bulk->edge->target;
    const bulk_run start = {0};
    for (bulk_run run = start; bulk_next(target, bulk->begin, def->count, &run);) {
        bulk_take(world, target, &run, def->entities);
    }
    archetype_settle(world, target);
    const char *outer = world_lock_enter(world, "shoal_spawn_many");
    for (bulk_run run = start; def->fill != NULL && bulk_next(target, bulk->begin, def->count, &run);) {
        bulk_fill(bulk, &run, fill_columns);
    }
    world_lock_leave(world, outer);
    chunk_values_put(world, bulk);
    loose_bulk_commit(world, &bulk->loose);
    bulk_notify(world, bulk, NOTIFY_ADD);
    loose_bulk_notify(world, &bulk->loose, NOTIFY_ADD);
    bulk_notify(world, bulk, NOTIFY_SET);
    loose_bulk_notify(world, &bulk->loose, NOTIFY_SET);
    loose_bulk_release(world, &bulk->loose);
}

/* Asks the validate hooks: once for a shared value, for each row of a column. */
static shoal_status bulk_validate(shoal_world *world, const shoal_spawn_many_def *def, const char *call) {
    shoal_status status = change_validate(world, def->values, def->value_count, call);
    for (size_t key = 0; key < def->column_count && status == SHOAL_OK; key++) {
        shoal_value value = def->columns[key];
        const component_type *type = component_type_at(value.component.id);
        bool asks = type->def.validate != NULL || type->def.storage == SHOAL_STORAGE_BUFFER;
        for (size_t i = 0; asks && value.data != NULL && i < def->count && status == SHOAL_OK; i++) {
            status = change_validate(world, &value, 1, call);
            value.data = (const char *)value.data + loose_given_size(type);
        }
    }
    return status;
}

/* Every row of a bulk has one archetype, so all have one value of a shared component and one target of a split
   relation. Values of chunks are as few. */
static shoal_status bulk_check_columns(shoal_world *world, const shoal_spawn_many_def *def, const char *call) {
    for (size_t i = 0; i < def->column_count; i++) {
        const component_type *type = component_type_find(def->columns[i].component.id);
        if (type != NULL && (type->keyed || type->def.storage == SHOAL_STORAGE_CHUNK)) {
            return world_fail_component(world, SHOAL_COMPONENT_KIND, call, (shoal_entity){0},
                                        def->columns[i].component);
        }
    }
    return SHOAL_OK;
}

/* Room for the rows and their slots; gives back what it has made when it fails. */
static shoal_status bulk_reserve(shoal_world *world, shoal_archetype *target, size_t count, const char *call) {
    shoal_status status = index_prepare(&world->index, count);
    status = status == SHOAL_OK ? archetype_reserve(world, target, count) : status;
    if (status != SHOAL_OK) {
        world_give_back(world);
        return world_fail(world, status, call);
    }
    return SHOAL_OK;
}

/* What is beside the columns: chunk values and loose components. */
static shoal_status bulk_prepare_rest(shoal_world *world, bulk_spawning *bulk, const char *call) {
    shoal_status status = chunk_values_stage(world, bulk, call);
    if (status == SHOAL_OK && bulk->edge->has_loose) {
        status = loose_bulk_prepare(world, bulk->edge, bulk->keys->all, bulk->keys->value_count, bulk->def->count,
                                    &bulk->loose, call);
        if (status != SHOAL_OK) {
            chunk_values_release(world, bulk, true);
        }
    }
    return status;
}

static shoal_status bulk_spawn(shoal_world *world, const shoal_spawn_many_def *def, const bulk_keys *keys,
                               const char *call) {
    transition_keys edge_keys = {.add = keys->all, .add_count = keys->count};
    transition_bound(world);
    bulk_spawning bulk = {.def = def, .keys = keys, .edge = transition_find(world, world->root, &edge_keys, call)};
    if (bulk.edge == NULL) {
        return world_error(world)->status;
    }
    if (def->count > world->index.slot_limit - world->index.live_count) {
        return world_fail(world, SHOAL_ENTITY_LIMIT, call);
    }
    shoal_archetype *target = bulk.edge->target;
    size_t fill_bytes = (def->column_count + 1) * sizeof(void *);
    shoal_status status = bulk_validate(world, def, call);
    void **fill_columns =
        status == SHOAL_OK ? memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, fill_bytes, 16) : NULL;
    if (fill_columns == NULL) {
        return status == SHOAL_OK ? world_fail(world, memory_failure(&world->memory), call) : status;
    }
    status = bulk_reserve(world, target, def->count, call);
    if (status == SHOAL_OK) {
        bulk.begin = bulk_begin(target);
        status = bulk_make(world, &bulk, call);
    }
    if (status == SHOAL_OK) {
        status = bulk_prepare_rest(world, &bulk, call);
        if (status != SHOAL_OK) {
            bulk_unmake_all(world, &bulk);
        }
    }
    if (status == SHOAL_OK) {
        bulk_commit(world, &bulk, fill_columns);
    }
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, fill_columns, fill_bytes, 16);
    archetype_settle(world, target);
    if (status != SHOAL_OK) {
        world_give_back(world);
    }
    change_torture(world, target);
    return status;
}

shoal_status shoal_spawn_many(shoal_world *world, const shoal_spawn_many_def *def) {
    static const char call[] = "shoal_spawn_many";
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    if (def == NULL || (def->values == NULL && def->value_count != 0) ||
        (def->columns == NULL && def->column_count != 0)) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    bulk_keys keys;
    shoal_status status = bulk_check_columns(world, def, call);
    if (status != SHOAL_OK) {
        return status;
    }
    status = bulk_keys_make(world, def, &keys);
    if (status != SHOAL_OK) {
        return world_fail(world, status, call);
    }
    status = bulk_spawn(world, def, &keys, call);
    bulk_keys_release(world, &keys);
    world_note_idle(world);
    return status;
}
