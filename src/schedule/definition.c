/*
 * What a system's definition may say; see definition.h. Each fault has a message that names the system and the member.
 */
#include "definition.h"

#include <string.h>

#include "../base/utf8.h"
#include "schedule.h"

#define BYTES_MAX ((size_t)1 << 30) /* of locals and scratch */
#define LIST_MAX 4096               /* names or terms of one list */
#define BLOCK_ROWS_MAX 65536u

/* A definition that is being checked. */
typedef struct definition {
    shoal_schedule *schedule;
    const shoal_system_def *def;
    const char *call;
} definition;

static shoal_status refuse(const definition *checked, const char *fault) {
    return error_detail(&checked->schedule->world->error, SHOAL_SYSTEM_INVALID, checked->call, "system \"%s\": %s",
                        checked->def->name, fault);
}

shoal_status definition_check_name(shoal_world *world, const char *name, const char *what, const char *call) {
    size_t place;
    const char *fault = utf8_name_fault(name, true, &place);
    if (fault == NULL) {
        return SHOAL_OK;
    }
    return name == NULL ? error_detail(&world->error, SHOAL_SYSTEM_INVALID, call, "the name of %s is null", what)
                        : error_detail(&world->error, SHOAL_SYSTEM_INVALID, call, "the name of %s %s (byte %zu)", what,
                                       fault, place);
}

static shoal_status check_names(const definition *checked, const char *const *names, size_t count, const char *member) {
    shoal_world *world = checked->schedule->world;
    if ((names == NULL && count != 0) || count > LIST_MAX) {
        return error_detail(&world->error, SHOAL_SYSTEM_INVALID, checked->call, "system \"%s\": %s has %zu names",
                            checked->def->name, member, count);
    }
    for (size_t i = 0; i < count; i++) {
        size_t place;
        const char *fault = utf8_name_fault(names[i], true, &place);
        if (fault != NULL || strcmp(names[i], checked->def->name) == 0) {
            return error_detail(&world->error, SHOAL_SYSTEM_INVALID, checked->call, "system \"%s\": name %zu of %s %s",
                                checked->def->name, i, member, fault != NULL ? fault : "is its own");
        }
    }
    return SHOAL_OK;
}

/* ---- functions and flags ---- */

static const char *flags_fault(const shoal_system_def *def) {
    bool has_query = def->query.terms != NULL || def->query.text != NULL || def->query.term_count != 0;
    if ((def->each != NULL) == (def->once != NULL)) {
        return "give one of each and once";
    }
    if (def->query.terms != NULL && def->query.term_count == 0) {
        return "query has terms but term_count is 0; use SHOAL_TERMS()";
    }
    if (def->each != NULL && !has_query) {
        return "each needs a query with terms";
    }
    if (def->exclusive && def->each != NULL) {
        return "exclusive needs once";
    }
    if (def->each == NULL && (def->serial || def->masked || def->barrier || def->block_rows != 0)) {
        return "serial, masked, barrier and block_rows are for each";
    }
    if (def->each == NULL && def->reduction_count != 0) {
        return "reductions are for each";
    }
    if ((unsigned)def->thread > SHOAL_THREAD_MAIN) {
        return "thread is no rule";
    }
    if (def->block_rows != 0 && (!bit_is_power(def->block_rows) || def->block_rows > BLOCK_ROWS_MAX)) {
        return "block_rows is no power of two up to 65,536";
    }
    if (def->masked && def->block_rows != 0 && def->block_rows < 64) {
        return "masked views have at least 64 rows: block_rows is less";
    }
    return NULL;
}

static const char *rate_fault(const shoal_system_def *def) {
    if (def->period_ns != 0 && (def->every > 1 || def->offset != 0)) {
        return "period_ns excludes every and offset";
    }
    if (def->period_ns == 0 && def->catch_up != 0) {
        return "catch_up is for period_ns";
    }
    if (def->offset != 0 && def->offset >= def->every) {
        return "offset is not below every";
    }
    if (def->local_bytes > BYTES_MAX || def->scratch_bytes > BYTES_MAX) {
        return "local_bytes or scratch_bytes is above 2^30";
    }
    if (def->condition == NULL && def->condition_read_count != 0) {
        return "condition_reads without a condition";
    }
    return NULL;
}

/* ---- terms and reductions ---- */

static shoal_status check_lookups(const definition *checked, const shoal_term *terms, size_t count, bool may_write) {
    const char *member = may_write ? "lookups" : "condition_reads";
    error_record *error = &checked->schedule->world->error;
    if ((terms == NULL && count != 0) || count > LIST_MAX) {
        return error_detail(error, SHOAL_SYSTEM_INVALID, checked->call, "system \"%s\": %s has %zu terms",
                            checked->def->name, member, count);
    }
    for (size_t i = 0; i < count; i++) {
        const component_type *type = component_type_find(terms[i].component.id);
        if (type == NULL) {
            return error_detail(error, SHOAL_COMPONENT_INVALID, checked->call, "system \"%s\": term %zu of %s",
                                checked->def->name, i, member);
        }
        bool fits = terms[i].access == SHOAL_ACCESS_READ || terms[i].access == SHOAL_ACCESS_WITH ||
                    (may_write && terms[i].access == SHOAL_ACCESS_WRITE);
        if (!fits) {
            return error_detail(error, SHOAL_SYSTEM_INVALID, checked->call, "system \"%s\": term %zu of %s (%s) %s",
                                checked->def->name, i, member, type->def.name,
                                may_write ? "is no read, with or write" : "is no read or with");
        }
    }
    return SHOAL_OK;
}

static bool field_is_number(const shoal_field *field) {
    bool is_number = field->kind >= SHOAL_FIELD_I8 && field->kind <= SHOAL_FIELD_F64;
    for (size_t i = 0; i < field->field_count && field->kind == SHOAL_FIELD_STRUCT; i++) {
        if (!field_is_number(&field->fields[i])) {
            return false;
        }
        is_number = true;
    }
    return is_number;
}

static const char *reduction_fault(const shoal_reduction *reduction, const component_type *type) {
    if (type->def.storage != SHOAL_STORAGE_UNIQUE || type->def.size == 0) {
        return "must be a unique component with data";
    }
    if (type->hooked || type->def.validate != NULL || type->def.alignment > SUM_ALIGNMENT) {
        return "must be plain bytes, aligned to 16 at most";
    }
    if (reduction->kind == SHOAL_REDUCE_USER) {
        return reduction->merge != NULL ? NULL : "needs merge";
    }
    if (reduction->kind <= SHOAL_REDUCE_NONE || reduction->kind > SHOAL_REDUCE_USER) {
        return "has no kind";
    }
    for (size_t i = 0; i < type->def.field_count; i++) {
        if (!field_is_number(&type->def.fields[i])) {
            return "has a field that is no number";
        }
    }
    return type->def.field_count != 0 ? NULL : "has no fields to work on";
}

static shoal_status check_reductions(const definition *checked) {
    const shoal_system_def *def = checked->def;
    error_record *error = &checked->schedule->world->error;
    if ((def->reductions == NULL && def->reduction_count != 0) || def->reduction_count > LIST_MAX) {
        return refuse(checked, "reductions is null, or has too many");
    }
    for (size_t i = 0; i < def->reduction_count; i++) {
        const component_type *type = component_type_find(def->reductions[i].into.id);
        if (type == NULL) {
            return error_detail(error, SHOAL_COMPONENT_INVALID, checked->call, "system \"%s\": reduction %zu",
                                def->name, i);
        }
        const char *fault = reduction_fault(&def->reductions[i], type);
        for (size_t k = 0; k < i && fault == NULL; k++) {
            fault = def->reductions[k].into.id == type->id ? "is named twice" : NULL;
        }
        if (fault != NULL) {
            return error_detail(error, SHOAL_SYSTEM_INVALID, checked->call, "system \"%s\": reduction %zu, %s, %s",
                                def->name, i, type->def.name, fault);
        }
    }
    return SHOAL_OK;
}

/* ---- all of it ---- */

static shoal_status check_place(const definition *checked) {
    const shoal_system_def *def = checked->def;
    shoal_world *world = checked->schedule->world;
    if (system_by_name(checked->schedule, def->name, strlen(def->name)) != NULL) {
        return error_detail(&world->error, SHOAL_SYSTEM_EXISTS, checked->call, "system \"%s\"", def->name);
    }
    if (def->phase != NULL && phase_find(checked->schedule, def->phase) == SYSTEM_NONE) {
        return error_detail(&world->error, SHOAL_SYSTEM_MISSING, checked->call,
                            "system \"%s\" is for phase \"%.200s\", which is not there", def->name, def->phase);
    }
    size_t place;
    if (def->chain != NULL && utf8_name_fault(def->chain, true, &place) != NULL) {
        return refuse(checked, "chain is no name");
    }
    return SHOAL_OK;
}

static shoal_status check_orders(const definition *checked) {
    const shoal_system_def *def = checked->def;
    shoal_status status = check_names(checked, def->before, def->before_count, "before");
    status = status == SHOAL_OK ? check_names(checked, def->after, def->after_count, "after") : status;
    status = status == SHOAL_OK ? check_names(checked, def->after_unsynced, def->after_unsynced_count, "after_unsynced")
                                : status;
    return status == SHOAL_OK ? check_names(checked, def->acknowledge, def->acknowledge_count, "acknowledge") : status;
}

shoal_status definition_check(shoal_schedule *schedule, const shoal_system_def *def, const char *call) {
    definition checked = {.schedule = schedule, .def = def, .call = call};
    shoal_status status = definition_check_name(schedule->world, def->name, "a system", call);
    status = status == SHOAL_OK ? check_place(&checked) : status;
    if (status != SHOAL_OK) {
        return status;
    }
    const char *fault = flags_fault(def);
    fault = fault == NULL ? rate_fault(def) : fault;
    if (fault != NULL) {
        return refuse(&checked, fault);
    }
    status = check_orders(&checked);
    status = status == SHOAL_OK ? check_lookups(&checked, def->lookups, def->lookup_count, true) : status;
    status =
        status == SHOAL_OK ? check_lookups(&checked, def->condition_reads, def->condition_read_count, false) : status;
    return status == SHOAL_OK ? check_reductions(&checked) : status;
}
