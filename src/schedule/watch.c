/*
 * The watch over undeclared access, in builds with asserts: whatever a system's function asks the world for, by handle
 * or through another query, must be among its lookups. Told once for each system, component and kind, in the world's
 * log; the step returns ACCESS_UNDECLARED. The access itself goes through, as it does in release builds.
 *
 * A view gives no column that the query does not name; that a column which is only read is left as it is, a hash of it
 * before and after each call shows. Thread rule: any worker.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../base/hash.h"
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

/* Tells of what is missing in the definition of the system that runs: the step each time, the log once; that is written
   to by one thread at a time, too. */
COLD PRINTF_LIKE(3, 4) static void report(schedule_worker *worker, watch_report what, const char *format, ...) {
    shoal_schedule *schedule = worker->schedule;
    char text[384];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    step_failed(schedule, SHOAL_ACCESS_UNDECLARED, "%s", text);
    spinlock_lock(&schedule->watch_guard);
    if (report_is_new(schedule, what)) {
        world_log(schedule->world, SHOAL_LOG_ERROR, "%s", text);
    }
    spinlock_unlock(&schedule->watch_guard);
}

COLD static void report_access(schedule_worker *worker, const component_type *type, bool for_write, const char *call) {
    const char *name = worker->current->name;
    watch_report what = {worker->current, type != NULL ? type->id : 0, for_write};
    if (type == NULL) {
        report(worker, what, "system \"%.80s\": %s records commands, which is not declared; give it .commands = true",
               name, call);
    } else if (access_of(&worker->current->access, type->id) & ACCESS_REDUCED) {
        report(worker, what, "system \"%.80s\": %s writes %.80s, which it reduces into; use shoal_run_sum()", name,
               call, type->def.name);
    } else {
        bool is_near = (access_of(&worker->current->access, type->id) & ACCESS_NEAR) != 0;
        report(worker, what, "system \"%.60s\": %s %s %.60s, which is not declared%s; add SHOAL_%s(%.60s) to its %s",
               name, call, for_write ? "writes" : "reads", type->def.name,
               is_near ? " but for the rows of its own views" : "", for_write ? "WRITE" : "READ", type->def.name,
               worker->is_asking ? "condition_reads" : "lookups");
    }
}

void watch_forget(shoal_schedule *schedule, const shoal_system *system) {
    watch_report *told = schedule->undeclared.items;
    size_t kept = 0;
    for (size_t i = 0; i < schedule->undeclared_count; i++) {
        if (told[i].system != system) {
            told[kept++] = told[i];
        }
    }
    schedule->undeclared_count = kept;
}

void watch_free(shoal_schedule *schedule) {
    memory_array_release(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, &schedule->undeclared, sizeof(watch_report));
}

/* Whom a relation leads to is presence; the buffer that is written may come from the system's own view. */
static bool is_declared(const shoal_system *system, const component_type *type, bool for_write) {
    uint8_t kinds = access_of(&system->access, type->id);
    if (for_write && (kinds & ACCESS_REDUCED)) {
        return false;
    }
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
        report_access(worker, type, for_write, call);
    }
}

/* ---- columns ---- */

/* The column of a term that is only read, and the bytes of its rows in a view. What the system writes by handle may be
   among them. */
static const char *read_only_column(const shoal_system *system, const shoal_view *view, const query_term *term,
                                    size_t *byte_size) {
    if (!query_term_has_column(term) || (access_of(&system->access, term->component.id) & ACCESS_WRITES)) {
        return NULL;
    }
    *byte_size = view->count * term->type->value_size;
    return shoal_view_read(view, term->component);
}

static uint64_t bytes_hash(const char *bytes, size_t byte_size) {
    uint64_t hash = byte_size;
    size_t at = 0;
    for (; at + sizeof hash <= byte_size; at += sizeof hash) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        hash = hash_mix(hash, word);
    }
    return hash_mix(hash, hash_fnv1a(bytes + at, byte_size - at));
}

void watch_columns(schedule_worker *worker, const worker_system *own, const shoal_view *view, bool is_after) {
    const query_data *query = query_of_const(own->query);
    if (view->rows_ != NULL && view->rows_->is_filtered) {
        return; /* a masked view has rows of others as well, which may be written meanwhile */
    }
    for (size_t i = 0; i < query->term_count && i < WATCH_COLUMNS; i++) {
        size_t byte_size = 0;
        const char *column = read_only_column(own->system, view, &query->terms[i], &byte_size);
        uint64_t hash = column != NULL ? bytes_hash(column, byte_size) : 0;
        if (is_after && hash != worker->column_hashes[i]) {
            const component_type *type = query->terms[i].type;
            report(worker, (watch_report){own->system, type->id, true},
                   "system \"%.80s\" writes %.80s, which its query only reads; declare it with SHOAL_WRITE(%.80s)",
                   own->name, type->def.name, type->def.name);
        }
        worker->column_hashes[i] = hash;
    }
}
