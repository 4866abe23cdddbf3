/*
 * Sync points: what all workers have recorded becomes one buffer of commands and is applied.
 *
 *     worker 0:  | a job 0 | a job 3 | b job 0 |        merged:  a 0, a 1, a 2, a 3, b 0
 *     worker 1:  | a job 1 | a job 2 |
 *
 * A part is what one job of one system has recorded. Sorted by system and job, parts come in the order in which one
 * thread would have recorded them, however the rows were cut and whoever worked on them. When memory runs out the parts
 * stay where they are, or the merged commands stay in their buffer, and both come first at the next sync point.
 *
 * Thread rule: the notes of jobs are their worker's; all else is "world".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "labels.h"
#include "schedule.h"

/* ---- notes of jobs ---- */

shoal_status sync_job_begin(schedule_worker *worker, worker_system *own) {
    shoal_memory *memory = &worker->schedule->world->memory;
    shoal_status status = memory_array_reserve(memory, SHOAL_PURPOSE_SCHEDULE, &worker->parts, worker->part_count + 1,
                                               sizeof(record_part));
    own->is_closed = status != SHOAL_OK;
    if (own->is_closed) {
        command_refuse(own->commands, status);
        return status;
    }
    command_refuse(own->commands, SHOAL_OK);
    own->part = worker->part_count++;
    ((record_part *)worker->parts.items)[own->part] = (record_part){.first = command_mark_of(own->commands)};
    return SHOAL_OK;
}

void sync_job_end(schedule_worker *worker, shoal_system *system, worker_system *own, uint64_t place) {
    command_refuse(own->commands, SHOAL_WORLD_LOCKED);
    if (own->is_closed) {
        return;
    }
    record_part *part = (record_part *)worker->parts.items + own->part;
    part->end = command_mark_of(own->commands);
    part->system = system;
    part->commands = own->commands;
    part->sync = worker->schedule->sync_number;
    part->place = place;
    if (part->end.command_count == part->first.command_count && own->part + 1 == worker->part_count) {
        worker->part_count--;
    }
}

/* ---- who recorded and who destroyed what ---- */

/* Commands of `merged` from a record on. */
typedef struct sync_source {
    size_t record;
    size_t own_record; /* as its system counts */
    shoal_system *system;
} sync_source;

/* The last entities that were destroyed, by slot; a later one takes the place of an earlier one. */
typedef struct sync_grave {
    shoal_entity entity;
    const shoal_system *system;
} sync_grave;

#define GRAVE_COUNT 8192u

static sync_grave *grave_of(const shoal_schedule *schedule, shoal_entity entity) {
    return &schedule->graves[shoal_entity_index(entity) & (GRAVE_COUNT - 1)];
}

/* Notes the destroys of a part that has just been merged. */
static void graves_fill(shoal_schedule *schedule, const record_part *part) {
    for (uint32_t i = part->first.command_count; i < part->end.command_count && schedule->graves != NULL; i++) {
        const shoal_command *command = command_at(part->commands, i);
        sync_grave *grave = grave_of(schedule, command->entity);
        if (command->kind == SHOAL_COMMAND_DESTROY && grave->entity.bits != command->entity.bits) {
            *grave = (sync_grave){.entity = command->entity, .system = part->system};
        }
    }
}

static const char *destroyer_of(const shoal_schedule *schedule, shoal_entity entity) {
    const sync_grave *grave = schedule->graves != NULL ? grave_of(schedule, entity) : NULL;
    return grave != NULL && grave->system != NULL && grave->entity.bits == entity.bits ? grave->system->name : NULL;
}

static const sync_source *source_of(const shoal_schedule *schedule, size_t record) {
    const sync_source *sources = schedule->sources.items;
    size_t first = 0;
    size_t count = schedule->source_count;
    while (count > 1) { /* the last one that does not begin behind the record */
        size_t half = count / 2;
        bool below = sources[first + half].record <= record;
        first = below ? first + half : first;
        count = below ? count - half : half;
    }
    return &sources[first];
}

/* ---- dropped commands ---- */

static void dropped_text(const shoal_dropped_record *record, char *text, size_t size) {
    static const char *const kinds[] = {"spawn", "destroy", "add",     "remove",  "set",
                                        "clear", "enable",  "disable", "unrelate"};
    const shoal_component_def *def = shoal_component_info(record->command.component);
    char entity[SHOAL_ENTITY_TEXT_SIZE];
    (void)shoal_entity_format(record->command.entity, entity, sizeof entity);
    (void)snprintf(text, size, "system \"%.60s\": command %zu (%s%s%.60s, entity %s) was dropped: %s%s%.60s%s",
                   record->system->name, record->command.record, kinds[record->command.kind], def != NULL ? " " : "",
                   def != NULL ? def->name : "", entity, shoal_status_name(record->command.status),
                   record->destroyer != NULL ? "; destroyed by system \"" : "",
                   record->destroyer != NULL ? record->destroyer : "", record->destroyer != NULL ? "\"" : "");
}

static void dropped(void *user, const shoal_dropped_command *command) {
    shoal_schedule *schedule = user;
    const sync_source *source = source_of(schedule, command->record);
    shoal_dropped_record record = {.command = *command, .system = source->system, .tick = schedule->world->tick};
    source->system->stats.dropped++;
    if (schedule->def.dropped_policy == SHOAL_DROPPED_COUNT) {
        return;
    }
    record.command.record = command->record - source->record + source->own_record;
    record.destroyer = command->status == SHOAL_ENTITY_DEAD ? destroyer_of(schedule, command->entity) : NULL;
    char text[512];
    dropped_text(&record, text, sizeof text);
    if (schedule->def.dropped_policy == SHOAL_DROPPED_LOG) {
        world_log(schedule->world, SHOAL_LOG_WARNING, "%s", text);
    } else if (schedule->def.dropped_policy == SHOAL_DROPPED_FAIL) {
        step_failed(schedule, SHOAL_COMMAND_DROPPED, "%s", text);
    } else {
        const char *outer = world_lock_enter(schedule->world, "dropped");
        schedule->def.dropped(schedule->def.dropped_user, &record);
        world_lock_leave(schedule->world, outer);
    }
}

/* ---- merging ---- */

static int part_compare(const void *left, const void *right) {
    const record_part *a = left;
    const record_part *b = right;
    if (a->sync != b->sync) {
        return a->sync < b->sync ? -1 : 1;
    }
    if (a->system->line != b->system->line) {
        return a->system->line < b->system->line ? -1 : 1;
    }
    return a->place < b->place ? -1 : a->place > b->place;
}

/* All parts of all workers that have commands, sorted; and what they come to. */
static shoal_status parts_gather(shoal_schedule *schedule, size_t *count, command_mark *sum) {
    size_t total = 0;
    for (uint32_t slot = 0; slot < schedule->worker_count; slot++) {
        total += schedule->workers[slot].part_count;
    }
    *count = 0;
    *sum = (command_mark){0};
    shoal_status status = memory_array_reserve(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, &schedule->parts,
                                               total, sizeof(record_part));
    record_part *parts = schedule->parts.items;
    for (uint32_t slot = 0; slot < schedule->worker_count && status == SHOAL_OK; slot++) {
        const schedule_worker *worker = &schedule->workers[slot];
        for (size_t i = 0; i < worker->part_count; i++) {
            const record_part *part = (const record_part *)worker->parts.items + i;
            if (part->end.command_count == part->first.command_count) {
                continue;
            }
            parts[(*count)++] = *part;
            sum->command_count += part->end.command_count - part->first.command_count;
            sum->spawn_count += part->end.spawn_count - part->first.spawn_count;
            sum->internal_count += part->end.internal_count - part->first.internal_count;
        }
    }
    if (*count > 1) {
        qsort(parts, *count, sizeof *parts, part_compare);
    }
    return status;
}

static shoal_status graves_make(shoal_schedule *schedule) {
    if (schedule->def.dropped_policy == SHOAL_DROPPED_COUNT || schedule->graves != NULL) {
        return SHOAL_OK;
    }
    shoal_memory *memory = &schedule->world->memory;
    schedule->graves = memory_allocate_zero(memory, SHOAL_PURPOSE_SCHEDULE, GRAVE_COUNT * sizeof(sync_grave), 16);
    return schedule->graves != NULL ? SHOAL_OK : memory_failure(memory);
}

static shoal_status merge_reserve(shoal_schedule *schedule, size_t count, command_mark sum) {
    shoal_memory *memory = &schedule->world->memory;
    if (schedule->merged == NULL) {
        shoal_commands_def def = {.name = "systems", .dropped = dropped, .user = schedule};
        schedule->merged = shoal_commands_create(schedule->world, &def);
        if (schedule->merged == NULL) {
            return memory_failure(memory);
        }
    }
    shoal_status status = graves_make(schedule);
    status = status == SHOAL_OK ? memory_array_reserve(memory, SHOAL_PURPOSE_SCHEDULE, &schedule->sources,
                                                       schedule->source_count + count, sizeof(sync_source))
                                : status;
    return status == SHOAL_OK ? command_merge_reserve(schedule->merged, sum) : status;
}

/* Of parts without a command nothing is left to do. */
static void parts_forget(const shoal_schedule *schedule) {
    for (uint32_t slot = 0; slot < schedule->worker_count; slot++) {
        schedule->workers[slot].part_count = 0;
    }
}

/* Cannot fail: there is room. */
static void parts_merge(shoal_schedule *schedule, size_t count) {
    const record_part *parts = schedule->parts.items;
    sync_source *sources = schedule->sources.items;
    for (size_t i = 0; i < count; i++) {
        const record_part *part = &parts[i];
        bool goes_on = i > 0 && parts[i - 1].system == part->system;
        size_t own_record = 0;
        if (goes_on) {
            const sync_source *before = &sources[schedule->source_count - 1];
            own_record = before->own_record + (schedule->merged->record_count - before->record);
        }
        sources[schedule->source_count++] =
            (sync_source){.record = schedule->merged->record_count, .own_record = own_record, .system = part->system};
        graves_fill(schedule, part);
        command_merge_part(schedule->merged, part->commands, part->first, part->end);
        part->system->stats.commands += part->end.record_count - part->first.record_count;
    }
    for (uint32_t slot = 0; slot < schedule->worker_count; slot++) {
        schedule_worker *worker = &schedule->workers[slot];
        for (size_t i = 0; i < worker->part_count; i++) {
            command_merge_taken(((const record_part *)worker->parts.items)[i].commands);
        }
    }
    parts_forget(schedule);
}

/* The recorders' arenas, whose values have all been moved out, but for those with commands that are not merged yet. */
static void arenas_empty(shoal_schedule *schedule) {
    for (uint32_t slot = 0; slot < schedule->worker_count; slot++) {
        for (uint32_t i = 0; i < schedule->system_count; i++) {
            shoal_commands *commands = schedule->workers[slot].systems[i]->commands;
            if (schedule->systems[i]->def.commands && commands->command_count == 0) {
                command_merge_applied(commands);
            }
        }
    }
}

/* True when there are notes, or commands that are left of an earlier sync point. */
static bool sync_is_waiting(const shoal_schedule *schedule) {
    size_t parts = 0;
    for (uint32_t slot = 0; slot < schedule->worker_count && schedule->workers != NULL; slot++) {
        parts += schedule->workers[slot].part_count;
    }
    return parts != 0 || (schedule->merged != NULL && schedule->merged->command_count != 0);
}

/* Counts and notes for traces that commands were applied, by the thread that steps. */
static void ring_note(shoal_schedule *schedule, uint64_t start, size_t commands) {
    uint64_t end = clock_ticks();
    *ring_next(schedule->workers[0].ring) =
        (run_record){.start = start,
                     .end = end,
                     .tick = schedule->world->tick,
                     .rows = commands < UINT32_MAX ? (uint32_t)commands : UINT32_MAX,
                     .label = LABEL_SYNC};
    schedule->last_sync_ticks = end - start;
    schedule->sync_ticks += end - start;
    schedule->sync_commands += commands;
}

void sync_apply(shoal_schedule *schedule) {
    schedule->sync_number++;
    if (!sync_is_waiting(schedule)) {
        return;
    }
    uint64_t start = clock_ticks();
    size_t count = 0;
    command_mark sum;
    shoal_status status = parts_gather(schedule, &count, &sum);
    if (status == SHOAL_OK && count != 0) {
        status = merge_reserve(schedule, count, sum);
        if (status == SHOAL_OK) {
            parts_merge(schedule, count);
        }
    } else if (status == SHOAL_OK) {
        parts_forget(schedule);
    }
    if (status != SHOAL_OK) {
        step_failed(schedule, status, "commands of systems could not be merged and wait for the next sync point");
    }
    if (schedule->merged == NULL || schedule->merged->command_count == 0) {
        return;
    }
    schedule->stats.syncs++;
    size_t commands = schedule->merged->record_count;
    status = shoal_commands_apply(schedule->merged, NULL);
    ring_note(schedule, start, commands);
    if (status == SHOAL_OK) {
        schedule->source_count = 0;
        arenas_empty(schedule);
    } else {
        shoal_error why = shoal_last_error(schedule->world);
        step_failed(schedule, status, "commands of systems could not be applied and wait for the next sync point: %s",
                    why.message);
    }
}

shoal_status sync_settle(shoal_schedule *schedule, const char *call) {
    if (!sync_is_waiting(schedule)) {
        return SHOAL_OK;
    }
    schedule->step_status = SHOAL_OK;
    schedule->world->is_stepping = true;
    sync_apply(schedule);
    schedule->world->is_stepping = false;
    return sync_is_waiting(schedule)
               ? error_detail(&schedule->world->error, schedule->step_status, call, "%s", schedule->step_text)
               : SHOAL_OK;
}

/* Returns how many commands those were. */
static size_t waiting_drop(shoal_schedule *schedule) {
    size_t count = 0;
    if (schedule->merged != NULL) { /* before the recorders, which have its values */
        count = schedule->merged->record_count;
        command_reset(schedule->merged);
    }
    for (uint32_t slot = 0; schedule->workers != NULL && slot < schedule->worker_count; slot++) {
        for (uint32_t i = 0; i < schedule->system_count; i++) {
            shoal_commands *commands = schedule->workers[slot].systems[i]->commands;
            count += commands->record_count;
            command_reset(commands);
            commands->is_lent = false;
        }
        schedule->workers[slot].part_count = 0;
    }
    schedule->source_count = 0;
    return count;
}

shoal_status shoal_schedule_discard(shoal_world *world, size_t *count) {
    static const char call[] = "shoal_schedule_discard";
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_status status = schedule_check_idle(world, call);
    if (status != SHOAL_OK) {
        return status;
    }
    size_t dropped = world->schedule != NULL ? waiting_drop(world->schedule) : 0;
    if (count != NULL) {
        *count = dropped;
    }
    return SHOAL_OK;
}

void graves_forget(shoal_schedule *schedule, const shoal_system *system) {
    for (size_t i = 0; schedule->graves != NULL && i < GRAVE_COUNT; i++) {
        if (schedule->graves[i].system == system) {
            schedule->graves[i] = (sync_grave){0};
        }
    }
}

void sync_free(shoal_schedule *schedule) {
    shoal_memory *memory = &schedule->world->memory;
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &schedule->parts, sizeof(record_part));
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &schedule->sources, sizeof(sync_source));
    memory_release(memory, SHOAL_PURPOSE_SCHEDULE, schedule->graves, GRAVE_COUNT * sizeof(sync_grave), 16);
    schedule->graves = NULL;
}
