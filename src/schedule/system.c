/*
 * Systems: their definitions, and adding and removing them. What a definition says is checked here; names in orders are
 * looked up when the schedule is built. Thread rule: world.
 */
#include <stdio.h>
#include <string.h>

#include "definition.h"
#include "schedule.h"

static const char add_call[] = "shoal_system_add";

/* ---- finding ---- */

shoal_system *system_by_name(const shoal_schedule *schedule, const char *name, size_t size) {
    for (uint32_t i = 0; i < schedule->system_count; i++) {
        shoal_system *system = schedule->systems[i];
        if (strncmp(system->name, name, size) == 0 && system->name[size] == '\0') {
            return system;
        }
    }
    return NULL;
}

/* ---- memory ---- */

static void *system_allocate(shoal_world *world, size_t bytes) {
    return memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCHEDULE, bytes, 16);
}

static void system_release(shoal_world *world, void *block, size_t bytes) {
    memory_release(&world->memory, SHOAL_PURPOSE_SCHEDULE, block, bytes, 16);
}

static void text_release(shoal_world *world, char *text) {
    if (text != NULL) {
        system_release(world, text, strlen(text) + 1);
    }
}

static shoal_status text_copy(shoal_world *world, const char *text, char **copy) {
    size_t bytes = strlen(text) + 1;
    *copy = system_allocate(world, bytes);
    if (*copy == NULL) {
        return memory_failure(&world->memory);
    }
    memcpy(*copy, text, bytes);
    return SHOAL_OK;
}

static void names_release(shoal_world *world, name_list *list) {
    system_release(world, list->names, list->block_bytes);
    *list = (name_list){0};
}

static shoal_status names_copy(shoal_world *world, const char *const *names, size_t count, name_list *list) {
    size_t bytes = count * sizeof(char *);
    for (size_t i = 0; i < count; i++) {
        bytes += strlen(names[i]) + 1;
    }
    if (count == 0) {
        return SHOAL_OK;
    }
    char **copies = system_allocate(world, bytes);
    if (copies == NULL) {
        return memory_failure(&world->memory);
    }
    char *text = (char *)(copies + count);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(names[i]) + 1;
        memcpy(text, names[i], size);
        copies[i] = text;
        text += size;
    }
    *list = (name_list){.names = copies, .count = count, .block_bytes = bytes};
    return SHOAL_OK;
}

/* Gives back all but the query, which at the end of the world goes on its own. */
static void system_free_parts(shoal_system *system) {
    shoal_world *world = system->schedule->world;
    names_release(world, &system->before);
    names_release(world, &system->after);
    names_release(world, &system->after_unsynced);
    names_release(world, &system->acknowledge);
    text_release(world, system->chain);
    text_release(world, system->name);
    access_release(&system->access, &world->memory);
    reduce_free(system);
    if (system->reductions != NULL) {
        system_release(world, system->reductions, system->def.reduction_count * sizeof(system_reduction));
    }
    if (system->local != NULL) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCHEDULE, system->local, system->def.local_bytes, 64);
    }
    system_release(world, system, sizeof *system);
}

void system_free(shoal_system *system) {
    if (system->query != NULL) {
        query_of(system->query)->is_of_system = false;
        (void)shoal_query_destroy(system->query);
    }
    system_free_parts(system);
}

void system_free_at_end(shoal_system *system) {
    system_free_parts(system);
}

/* ---- what a system touches ---- */

/* How a term of the query touches its component. */
static uint8_t term_kinds(const query_term *term) {
    if (term->access == SHOAL_ACCESS_WITH || term->access == SHOAL_ACCESS_WITHOUT || term->type->def.size == 0) {
        return ACCESS_PRESENCE;
    }
    shoal_storage storage = term->type->def.storage;
    bool is_far =
        storage == SHOAL_STORAGE_UNIQUE || storage == SHOAL_STORAGE_CHUNK || term->traverse != SHOAL_TRAVERSE_SELF;
    bool writes = access_writes(term->access);
    return is_far ? (writes ? ACCESS_FAR_WRITE : ACCESS_FAR_READ) : (writes ? ACCESS_NEAR_WRITE : ACCESS_NEAR_READ);
}

static shoal_status query_touches(shoal_system *system) {
    const query_data *query = query_of(system->query);
    shoal_memory *memory = &query->world->memory;
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < query->term_count && status == SHOAL_OK; i++) {
        const query_term *term = &query->terms[i];
        uint8_t kinds = term_kinds(term);
        status = access_add(&system->access, memory, term->component, kinds);
        system->is_serial |= kinds == ACCESS_FAR_WRITE && term->type->def.storage == SHOAL_STORAGE_UNIQUE;
        system->whole_chunks |= kinds == ACCESS_FAR_WRITE && term->type->def.storage == SHOAL_STORAGE_CHUNK;
    }
    if (query->order.order_by != NULL && status == SHOAL_OK) {
        status = access_add(&system->access, memory, (shoal_component){query->order.order_by->id}, ACCESS_NEAR_READ);
    }
    system->has_walk = query->keeps_runs || query->goes_by_list;
    system->is_serial |= system->has_walk;
    return status;
}

static shoal_status lookups_touch(shoal_system *system, const shoal_term *terms, size_t count) {
    shoal_memory *memory = &system->schedule->world->memory;
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < count && status == SHOAL_OK; i++) {
        bool writes = terms[i].access == SHOAL_ACCESS_WRITE;
        uint8_t kinds = writes                                 ? ACCESS_FAR_WRITE
                        : terms[i].access == SHOAL_ACCESS_READ ? ACCESS_FAR_READ
                                                               : ACCESS_PRESENCE;
        status = access_add(&system->access, memory, terms[i].component, kinds);
        system->is_serial |= writes;
    }
    return status;
}

/* All that a system touches, and what follows for its jobs. */
static shoal_status system_touches(shoal_system *system, const shoal_system_def *def) {
    shoal_memory *memory = &system->schedule->world->memory;
    shoal_status status = system->query != NULL ? query_touches(system) : SHOAL_OK;
    status = status == SHOAL_OK ? lookups_touch(system, def->lookups, def->lookup_count) : status;
    for (size_t i = 0; i < system->access.count; i++) {
        uint8_t kinds = access_at(&system->access, i)->kinds;
        system->is_serial |= (kinds & ACCESS_FAR) && (kinds & ACCESS_NEAR_WRITE); /* reads of others what it writes */
    }
    for (size_t i = 0; i < def->condition_read_count && status == SHOAL_OK; i++) {
        bool reads = def->condition_reads[i].access == SHOAL_ACCESS_READ;
        status = access_add(&system->access, memory, def->condition_reads[i].component,
                            reads ? ACCESS_FAR_READ : ACCESS_PRESENCE);
    }
    for (size_t i = 0; i < def->reduction_count && status == SHOAL_OK; i++) {
        status = access_add(&system->access, memory, def->reductions[i].into, ACCESS_FAR_WRITE | ACCESS_REDUCED);
    }
    system->is_serial |= def->serial;
    return status;
}

/* ---- the grain of jobs ---- */

static uint32_t rows_per_line(uint32_t value_bytes) {
    uint32_t low_bit = value_bytes & (0u - value_bytes);
    return low_bit >= 64 ? 1 : 64 / low_bit;
}

/* Jobs begin where a line of each written column begins, and of masked views at a word of 64 rows. */
static uint32_t system_cut_rows(const shoal_system *system) {
    if (system->def.block_rows != 0 || system->query == NULL) {
        return system->def.block_rows != 0 ? system->def.block_rows : 1;
    }
    const query_data *query = query_of(system->query);
    uint32_t rows = system->def.masked ? 64 : 1;
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        bool has_rows = term->type->has_column || term->type->def.storage == SHOAL_STORAGE_BUFFER;
        if (access_writes(term->access) && has_rows && term->type->value_size != 0) {
            uint32_t own = rows_per_line(term->type->value_size);
            rows = own > rows ? own : rows;
        }
    }
    return rows;
}

/* ---- adding ---- */

static shoal_status reductions_copy(shoal_system *system, const shoal_system_def *def) {
    shoal_world *world = system->schedule->world;
    if (def->reduction_count == 0) {
        return SHOAL_OK;
    }
    system->reductions = system_allocate(world, def->reduction_count * sizeof(system_reduction));
    if (system->reductions == NULL) {
        return memory_failure(&world->memory);
    }
    for (size_t i = 0; i < def->reduction_count; i++) {
        const component_type *type = component_type_at(def->reductions[i].into.id);
        system->reductions[i] = (system_reduction){
            .def = def->reductions[i], .type = type, .sum_bytes = align_up(type->def.size, SUM_ALIGNMENT)};
    }
    return SHOAL_OK;
}

/* The uniques that reductions end in, where they are not there yet: all or none. */
static shoal_status reductions_make_uniques(const shoal_system *system) {
    shoal_world *world = system->schedule->world;
    size_t count = system->def.reduction_count;
    shoal_status status = SHOAL_OK;
    size_t done = 0;
    for (; done < count && status == SHOAL_OK; done++) {
        system_reduction *reduction = &system->reductions[done];
        bool was_new = unique_find(&world->uniques, reduction->type->id) == NULL;
        if (was_new) {
            status = unique_put(&world->uniques, &world->memory, reduction->type, NULL, world->tick, &was_new);
        }
        reduction->made_unique = was_new && status == SHOAL_OK;
    }
    for (size_t i = 0; i < done && status != SHOAL_OK; i++) {
        if (system->reductions[i].made_unique) {
            (void)unique_remove(&world->uniques, &world->memory, system->reductions[i].type->id);
        }
    }
    return status;
}

static shoal_status parts_copy(shoal_system *system, const shoal_system_def *def) {
    shoal_world *world = system->schedule->world;
    shoal_status status = text_copy(world, def->name, &system->name);
    status = status == SHOAL_OK ? names_copy(world, def->before, def->before_count, &system->before) : status;
    status = status == SHOAL_OK ? names_copy(world, def->after, def->after_count, &system->after) : status;
    status = status == SHOAL_OK
                 ? names_copy(world, def->after_unsynced, def->after_unsynced_count, &system->after_unsynced)
                 : status;
    status =
        status == SHOAL_OK ? names_copy(world, def->acknowledge, def->acknowledge_count, &system->acknowledge) : status;
    status = status == SHOAL_OK && def->chain != NULL ? text_copy(world, def->chain, &system->chain) : status;
    status = status == SHOAL_OK ? reductions_copy(system, def) : status;
    if (status == SHOAL_OK && def->local_bytes != 0) {
        system->local = memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCHEDULE, def->local_bytes, 64);
        status = system->local != NULL ? SHOAL_OK : memory_failure(&world->memory);
    }
    return status;
}

/* The definition with what is the system's own in it; the caller's lists are forgotten. */
static shoal_system_def def_own(const shoal_system_def *def) {
    shoal_system_def own = *def;
    own.name = own.phase = own.chain = NULL;
    own.query = (shoal_query_def){0};
    own.lookups = own.condition_reads = NULL;
    own.before = own.after = own.after_unsynced = own.acknowledge = NULL;
    own.reductions = NULL;
    own.every = def->every != 0 ? def->every : 1;
    own.catch_up = def->catch_up != 0 ? def->catch_up : 8;
    if (def->reduction_count != 0 && def->block_rows == 0) {
        own.block_rows = 512;
    }
    return own;
}

static bool def_has_query(const shoal_system_def *def) {
    return def->query.terms != NULL || def->query.text != NULL || def->query.term_count != 0;
}

/* Fills a system in; on failure the error is stored. */
static shoal_status system_fill(shoal_system *system, const shoal_system_def *def) {
    shoal_world *world = system->schedule->world;
    system->def = def_own(def);
    shoal_status status = parts_copy(system, def);
    if (status == SHOAL_OK && def_has_query(def)) {
        shoal_query_def query = def->query;
        query.name = query.name != NULL ? query.name : def->name;
        system->query = shoal_query_create(world, &query);
        if (system->query == NULL) {
            return world->error.status; /* stored, with the place */
        }
        query_of(system->query)->is_of_system = true;
    }
    status = status == SHOAL_OK ? system_touches(system, def) : status;
    if (status == SHOAL_OK && system->has_walk && def->block_rows != 0) {
        return error_detail(&world->error, SHOAL_SYSTEM_INVALID, add_call,
                            "system \"%.80s\": block_rows is for queries that do not order, group or go by a list",
                            def->name);
    }
    status = status == SHOAL_OK ? reductions_make_uniques(system) : status;
    if (status != SHOAL_OK) {
        return world_fail(world, status, add_call);
    }
    system->phase = phase_find(system->schedule, def->phase != NULL ? def->phase : "update");
    system->cut_rows = system_cut_rows(system);
    system->due_steps = def->offset;
    system->is_enabled = true;
    return SHOAL_OK;
}

static shoal_status systems_reserve(shoal_schedule *schedule) {
    if (schedule->system_count < schedule->system_capacity) {
        return SHOAL_OK;
    }
    memory_array array = {.items = schedule->systems, .capacity = schedule->system_capacity};
    shoal_status status = memory_array_reserve(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, &array,
                                               schedule->system_count + 1u, sizeof(shoal_system *));
    schedule->systems = array.items;
    schedule->system_capacity = (uint32_t)array.capacity;
    return status;
}

shoal_system *shoal_system_add(shoal_world *world, const shoal_system_def *def) {
    if (world == NULL || def == NULL) {
        world_fail(world, SHOAL_INVALID_ARGUMENT, add_call);
        return NULL;
    }
    if (schedule_check_idle(world, add_call) != SHOAL_OK) {
        return NULL;
    }
    shoal_schedule *schedule = schedule_obtain(world, add_call);
    if (schedule == NULL || definition_check(schedule, def, add_call) != SHOAL_OK ||
        sync_settle(schedule, add_call) != SHOAL_OK) {
        return NULL;
    }
    shoal_status status = systems_reserve(schedule);
    shoal_system *system = status == SHOAL_OK ? system_allocate(world, sizeof *system) : NULL;
    if (system == NULL) {
        world_fail(world, memory_failure(&world->memory), add_call);
        return NULL;
    }
    system->schedule = schedule;
    if (system_fill(system, def) != SHOAL_OK) {
        const error_record why = world->error; /* ending the query must not hide it */
        system_free(system);
        world->error = why;
        return NULL;
    }
    schedule_unbuild(schedule); /* while the number of systems is that of what is built */
    system->number = schedule->system_count;
    schedule->systems[schedule->system_count++] = system;
    schedule->stats.systems = schedule->system_count;
    return system;
}

shoal_status shoal_system_remove(shoal_system *system) {
    if (system == NULL) {
        return SHOAL_OK;
    }
    shoal_schedule *schedule = system->schedule;
    shoal_status status = schedule_check_idle(schedule->world, "shoal_system_remove");
    status = status == SHOAL_OK ? sync_settle(schedule, "shoal_system_remove") : status;
    if (status != SHOAL_OK) {
        return status;
    }
    schedule_unbuild(schedule);
    for (uint32_t i = system->number + 1; i < schedule->system_count; i++) {
        schedule->systems[i - 1] = schedule->systems[i];
        schedule->systems[i - 1]->number = i - 1;
    }
    schedule->system_count--;
    schedule->stats.systems = schedule->system_count;
    graves_forget(schedule, system);
    watch_forget(schedule, system);
    system_free(system);
    return SHOAL_OK;
}

/* ---- asking ---- */

shoal_status shoal_system_enable(shoal_system *system, bool enabled) {
    static const char call[] = "shoal_system_enable";
    if (system == NULL) {
        return error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_world *world = system->schedule->world;
    if (world->lock.is_shared) {
        return world_fail_locked(world, call);
    }
    system->is_enabled = enabled;
    system->schedule->enable_changes++;
    return SHOAL_OK;
}

bool shoal_system_is_enabled(const shoal_system *system) {
    return system != NULL && system->is_enabled;
}

shoal_system *shoal_system_find(const shoal_world *world, const char *name) {
    const shoal_schedule *schedule = world != NULL ? schedule_of(world) : NULL;
    shoal_system *system = schedule != NULL && name != NULL ? system_by_name(schedule, name, strlen(name)) : NULL;
    if (system == NULL) {
        shoal_status status = world == NULL || name == NULL ? SHOAL_INVALID_ARGUMENT : SHOAL_NOT_FOUND;
        (void)world_fail_reader(world, status, "shoal_system_find", (shoal_entity){0}, (shoal_component){0});
    }
    return system;
}

const char *shoal_system_name(const shoal_system *system) {
    return system != NULL ? system->name : "";
}

shoal_world *shoal_system_world(const shoal_system *system) {
    return system != NULL ? system->schedule->world : NULL;
}

shoal_status shoal_system_stats_get(const shoal_system *system, shoal_system_stats *stats) {
    if (system == NULL || stats == NULL) {
        return error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, "shoal_system_stats_get");
    }
    *stats = system_stats_now(system);
    return SHOAL_OK;
}
