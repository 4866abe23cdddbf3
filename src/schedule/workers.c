/*
 * What each worker has of its own, made with the schedule: of each system a run, a view with a walk behind it, sums and
 * a command recorder; scratch memory. Running a job writes nothing that another worker reads, but for the counters of
 * its task. Thread rule: world.
 */
#include <string.h>

#include "schedule.h"

#define SCRATCH_ALIGNMENT 64

static void *take(shoal_schedule *schedule, size_t count, size_t byte_size, size_t alignment) {
    return build_allocate(schedule, &schedule->worker_blocks, count, byte_size, alignment);
}

/* A walk of the worker's own through the rows of a system's query. */
static bool walk_make(shoal_schedule *schedule, worker_system *own, query_data *query) {
    size_t count = query->head.data_count;
    query_match *terms = take(schedule, 1, sizeof(query_match) + (count + 2) * sizeof(uint16_t), 8);
    uint32_t *offsets = terms != NULL ? take(schedule, count + 1, sizeof(uint32_t), 4) : NULL;
    if (offsets == NULL) {
        return false;
    }
    own->rows = (query_rows){.query = query, .terms = terms, .offsets = offsets};
    own->rows.head.columns = (const char *)terms;
    own->rows.head.offsets = offsets;
    own->query = &query->head;
    own->read_keys = query->head.read_keys;
    own->write_keys = query->head.write_keys;
    own->term_count = (uint32_t)query->head.data_count;
    return true;
}

static bool recorder_make(shoal_schedule *schedule, worker_system *own, const shoal_system *system) {
    own->commands = shoal_commands_create(schedule->world, &(shoal_commands_def){.name = system->name});
    if (own->commands != NULL) {
        own->commands->is_recorder = true;
        command_refuse(own->commands, system->def.commands ? SHOAL_WORLD_LOCKED : SHOAL_ACCESS_UNDECLARED);
    }
    return own->commands != NULL;
}

static worker_system *worker_system_make(schedule_worker *worker, shoal_system *system) {
    shoal_schedule *schedule = worker->schedule;
    worker_system *own = take(schedule, 1, sizeof *own, 64);
    size_t sum_count = system->def.reduction_count;
    if (own == NULL || (system->query != NULL && !walk_make(schedule, own, query_of(system->query))) ||
        !recorder_make(schedule, own, system)) {
        return NULL;
    }
    own->sums = sum_count != 0 ? take(schedule, sum_count, sizeof(void *), 8) : NULL;
    own->each = system->def.each;
    own->system = system;
    own->name = system->name;
    own->records = system->def.commands;
    own->is_plain = system->query != NULL && !query_of(system->query)->is_row_wise && system->def.block_rows == 0;
    own->run = (shoal_run){.world = schedule->world,
                           .system = system,
                           .query = system->query,
                           .commands = own->commands,
                           .user = system->def.user,
                           .local = system->local,
                           .scratch = system->def.scratch_bytes != 0 ? worker->scratch : NULL,
                           .worker = worker->slot};
    return sum_count == 0 || own->sums != NULL ? own : NULL;
}

static bool worker_make(shoal_schedule *schedule, uint32_t slot, size_t scratch_bytes) {
    schedule_worker *worker = &schedule->workers[slot];
    worker->schedule = schedule;
    worker->slot = slot;
    worker->ring = ring_of(schedule, slot);
    worker->scope = (world_scope){.world = schedule->world, .name = "", .context = worker};
#if SHOAL_DEBUG >= 1
    worker->scope.access = watch_access;
#endif
    worker->scratch = scratch_bytes != 0 ? take(schedule, 1, scratch_bytes, SCRATCH_ALIGNMENT) : NULL;
    worker->systems = take(schedule, schedule->system_count, sizeof *worker->systems, 8);
    if (worker->systems == NULL || (scratch_bytes != 0 && worker->scratch == NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < schedule->system_count; i++) {
        worker->systems[i] = worker_system_make(worker, schedule->systems[i]);
        if (worker->systems[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* What each worker has of the systems of a task, in the order of the task. */
static bool lanes_make(shoal_schedule *schedule, schedule_task *task) {
    task->lanes = take(schedule, schedule->worker_count, sizeof *task->lanes, 8);
    for (uint32_t slot = 0; slot < schedule->worker_count && task->lanes != NULL; slot++) {
        task->lanes[slot] = take(schedule, task->member_count, sizeof **task->lanes, 8);
        if (task->lanes[slot] == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < task->member_count; i++) {
            task->lanes[slot][i] = schedule->workers[slot].systems[task->members[i]->number];
        }
    }
    return task->lanes != NULL;
}

shoal_status workers_make(shoal_schedule *schedule) {
    size_t scratch_bytes = 0;
    for (uint32_t i = 0; i < schedule->system_count; i++) {
        size_t own = schedule->systems[i]->def.scratch_bytes;
        scratch_bytes = own > scratch_bytes ? own : scratch_bytes;
    }
    schedule->workers = take(schedule, schedule->worker_count, sizeof(schedule_worker), _Alignof(schedule_worker));
    bool is_made = schedule->workers != NULL && rings_fit(schedule) == SHOAL_OK;
    for (uint32_t slot = 0; slot < schedule->worker_count && is_made; slot++) {
        is_made = worker_make(schedule, slot, scratch_bytes);
    }
    for (uint32_t i = 0; i < schedule->stage_count; i++) {
        for (uint32_t k = 0; k < schedule->stages[i].task_count && is_made; k++) {
            is_made = lanes_make(schedule, &schedule->stages[i].tasks[k]);
        }
    }
    if (schedule->merged != NULL) { /* at the end of the world it goes before the recorders, which have its values */
        world_remove_child(schedule->world, &schedule->merged->child);
        world_add_child(schedule->world, &schedule->merged->child);
    }
    return is_made ? SHOAL_OK : memory_failure(&schedule->world->memory);
}

void workers_free(shoal_schedule *schedule) {
    shoal_memory *memory = &schedule->world->memory;
    for (uint32_t slot = 0; slot < schedule->worker_count && schedule->workers != NULL; slot++) {
        schedule_worker *worker = &schedule->workers[slot];
        memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &worker->parts, sizeof(record_part));
        for (uint32_t i = 0; i < schedule->system_count && worker->systems != NULL; i++) {
            worker_system *own = worker->systems[i];
            if (own != NULL && own->commands != NULL && !schedule->world_ends) {
                own->commands->is_recorder = false;
                command_refuse(own->commands, SHOAL_OK);
                shoal_commands_destroy(own->commands);
            }
        }
    }
    schedule->workers = NULL;
    build_release(schedule, &schedule->worker_blocks);
}
