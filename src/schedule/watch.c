/*
 * The watch over undeclared access, in builds with asserts: whatever a system's function asks the world for, by handle
 * or through another query, must be among its lookups. Told once for each system, component and kind, in the world's
 * log; the step returns ACCESS_UNDECLARED. The access itself goes through, as it does in release builds.
 *
 * Columns of a system's own views need no watch: a view gives none that the query does not name. Thread rule: any
 * worker.
 */
#include <stdio.h>

#include "schedule.h"

typedef struct watch_report {
    const shoal_system *system;
    uint32_t component;
    bool for_write;
} watch_report;

/* Notes a report; false when it was told before, or there is no memory to know that. */
static bool report_is_new(shoal_schedule *schedule, watch_report report) {
    watch_report *told = schedule->undeclared.items;
    for (size_t i = 0; i < schedule->undeclared_count; i++) {
        if (told[i].system == report.system && told[i].component == report.component &&
            told[i].for_write == report.for_write) {
            return false;
        }
    }
    shoal_status status = memory_array_reserve(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, &schedule->undeclared,
                                               schedule->undeclared_count + 1, sizeof(watch_report));
    if (status == SHOAL_OK) {
        ((watch_report *)schedule->undeclared.items)[schedule->undeclared_count++] = report;
    }
    return status == SHOAL_OK;
}

/* Tells of what is missing in the definition of the system that runs. */
COLD static void report(schedule_worker *worker, const component_type *type, bool for_write, const char *call) {
    shoal_schedule *schedule = worker->schedule;
    const shoal_system *system = worker->current;
    char text[384];
    if (type == NULL) {
        (void)snprintf(text, sizeof text,
                       "system \"%.80s\": %s records commands, which is not declared; give it .commands = true",
                       system->name, call);
    } else {
        (void)snprintf(text, sizeof text,
                       "system \"%.60s\": %s %s %.60s, which is not declared; add SHOAL_%s(%.60s) to its lookups",
                       system->name, call, for_write ? "writes" : "reads", type->def.name, for_write ? "WRITE" : "READ",
                       type->def.name);
    }
    step_failed(schedule, SHOAL_ACCESS_UNDECLARED, "%s", text);
    spinlock_lock(&schedule->watch_guard); /* the log is written to by one thread at a time, too */
    if (report_is_new(schedule, (watch_report){system, type != NULL ? type->id : 0, for_write})) {
        world_log(schedule->world, SHOAL_LOG_ERROR, "%s", text);
    }
    spinlock_unlock(&schedule->watch_guard);
}

void watch_free(shoal_schedule *schedule) {
    memory_array_release(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, &schedule->undeclared, sizeof(watch_report));
}

/* Whom a relation leads to is presence; the buffer that is written may come from the system's own view. */
static bool is_declared(const shoal_system *system, const component_type *type, bool for_write) {
    uint8_t kinds = access_of(&system->access, type->id);
    if (!for_write) {
        return type->def.storage == SHOAL_STORAGE_RELATION ? kinds != 0 : (kinds & ACCESS_FAR) != 0;
    }
    return (kinds & (type->def.storage == SHOAL_STORAGE_BUFFER ? ACCESS_WRITES : ACCESS_FAR_WRITE)) != 0;
}

void watch_access(world_scope *scope, shoal_component component, bool for_write, const char *call) {
    schedule_worker *worker = scope->context;
    const component_type *type = component_type_find(component.id);
    if (worker->current == NULL || (component.id != 0 && type == NULL)) {
        return;
    }
    if (type == NULL || !is_declared(worker->current, type, for_write)) {
        report(worker, type, for_write, call);
    }
}
