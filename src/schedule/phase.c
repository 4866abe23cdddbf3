/*
 * Phases: an ordered list of names. Systems know their phase by its number; a phase that comes in between moves the
 * numbers of those behind it. Thread rule: world.
 */
#include <string.h>

#include "definition.h"
#include "schedule.h"

static const char add_call[] = "shoal_phase_add";
static const char *const built_in[] = {"input", "pre-update", "update", "post-update", "output"};

static schedule_phase *phase_at(const shoal_schedule *schedule, uint32_t number) {
    return (schedule_phase *)schedule->phases.items + number;
}

uint32_t phase_find(const shoal_schedule *schedule, const char *name) {
    for (uint32_t i = 0; i < schedule->phase_count; i++) {
        if (strcmp(phase_at(schedule, i)->name, name) == 0) {
            return i;
        }
    }
    return SYSTEM_NONE;
}

/* Puts a phase at a place; all that can fail comes first. */
static shoal_status phase_insert(shoal_schedule *schedule, const char *name, uint32_t place) {
    shoal_memory *memory = &schedule->world->memory;
    size_t bytes = strlen(name) + 1;
    shoal_status status = memory_array_reserve(memory, SHOAL_PURPOSE_SCHEDULE, &schedule->phases,
                                               schedule->phase_count + 1u, sizeof(schedule_phase));
    char *copy = status == SHOAL_OK ? memory_allocate(memory, SHOAL_PURPOSE_SCHEDULE, bytes, 16) : NULL;
    if (copy == NULL) {
        return memory_failure(memory);
    }
    memcpy(copy, name, bytes);
    memmove(phase_at(schedule, place + 1), phase_at(schedule, place),
            (schedule->phase_count - place) * sizeof(schedule_phase));
    phase_at(schedule, place)->name = copy;
    schedule->phase_count++;
    for (uint32_t i = 0; i < schedule->system_count; i++) {
        schedule->systems[i]->phase += schedule->systems[i]->phase >= place;
    }
    return SHOAL_OK;
}

shoal_status phases_init(shoal_schedule *schedule) {
    shoal_status status = SHOAL_OK;
    for (uint32_t i = 0; i < sizeof built_in / sizeof *built_in && status == SHOAL_OK; i++) {
        status = phase_insert(schedule, built_in[i], i);
    }
    return status;
}

void phases_free(shoal_schedule *schedule) {
    shoal_memory *memory = &schedule->world->memory;
    for (uint32_t i = 0; i < schedule->phase_count; i++) {
        char *name = phase_at(schedule, i)->name;
        memory_release(memory, SHOAL_PURPOSE_SCHEDULE, name, strlen(name) + 1, 16);
    }
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &schedule->phases, sizeof(schedule_phase));
    schedule->phase_count = 0;
}

shoal_status shoal_phase_add(shoal_world *world, const shoal_phase_def *def) {
    if (world == NULL || def == NULL) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, add_call);
    }
    shoal_status status = schedule_check_idle(world, add_call);
    status = status == SHOAL_OK ? definition_check_name(world, def->name, "a phase", add_call) : status;
    shoal_schedule *schedule = status == SHOAL_OK ? schedule_obtain(world, add_call) : NULL;
    if (schedule == NULL) {
        return status != SHOAL_OK ? status : world->error.status;
    }
    if ((def->after != NULL) == (def->before != NULL)) {
        return error_detail(&world->error, SHOAL_SYSTEM_INVALID, add_call, "phase \"%s\": give one of after and before",
                            def->name);
    }
    if (phase_find(schedule, def->name) != SYSTEM_NONE) {
        return error_detail(&world->error, SHOAL_SYSTEM_EXISTS, add_call, "phase \"%s\"", def->name);
    }
    const char *neighbour = def->after != NULL ? def->after : def->before;
    uint32_t place = phase_find(schedule, neighbour);
    if (place == SYSTEM_NONE) {
        return error_detail(&world->error, SHOAL_SYSTEM_MISSING, add_call,
                            "phase \"%s\" is beside \"%.200s\", which is not there", def->name, neighbour);
    }
    status = sync_settle(schedule, add_call);
    if (status != SHOAL_OK) {
        return status;
    }
    status = phase_insert(schedule, def->name, place + (def->after != NULL));
    if (status != SHOAL_OK) {
        return world_fail(world, status, add_call);
    }
    schedule_unbuild(schedule);
    return SHOAL_OK;
}
