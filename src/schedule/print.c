/*
 * Printing the schedule: the public call, and what its forms share. The world is locked while the writer runs.
 *
 * Thread rule: world.
 */
#include "print.h"

#include "ambiguity.h"

/* ---- shared ---- */

line_range sync_range(const shoal_schedule *schedule, uint32_t stage) {
    line_range range = {0, 0};
    for (uint32_t i = 0; i <= stage; i++) {
        for (uint32_t k = 0; k < schedule->stages[i].task_count; k++) {
            range.end += schedule->stages[i].tasks[k].member_count;
        }
        range.first = schedule->stages[i].syncs && i < stage ? range.end : range.first;
    }
    return range;
}

const access_entry *access_next(const shoal_system *system, uint8_t kinds, size_t *at) {
    while (*at < system->access.count) {
        const access_entry *entry = access_at(&system->access, (*at)++);
        if (entry->kinds & kinds) {
            return entry;
        }
    }
    return NULL;
}

const char *conflict_name(const shoal_system *a, const shoal_system *b, size_t *at) {
    shoal_component component;
    return conflict_next(a, b, at, &component) ? component_name(component) : NULL;
}

const char *component_name(shoal_component component) {
    return component_type_at(component.id)->def.name;
}

const char *phase_name(const shoal_schedule *schedule, uint32_t phase) {
    return ((const schedule_phase *)schedule->phases.items)[phase].name;
}

const char *reason_name(uint8_t reason) {
    switch (reason) {
    case REASON_BEFORE:
        return "before";
    case REASON_AFTER:
        return "after";
    case REASON_UNSYNCED:
        return "after_unsynced";
    case REASON_CHAIN:
        return "chain";
    case REASON_CONFLICT:
        return "conflict";
    default:
        return "exclusive";
    }
}

/* ---- marks ---- */

static void put_duration(text_output *output, uint64_t ns) {
    static const char *const units[] = {" ns", " us", " ms", " s"};
    size_t unit = 0;
    for (; ns != 0 && ns % 1000 == 0 && unit < 3; unit++) {
        ns /= 1000;
    }
    text_put_u64(output, ns);
    text_put_string(output, units[unit]);
}

static void put_rate(text_output *output, const shoal_system_def *def) {
    if (def->period_ns != 0) {
        put_duration(output, def->period_ns);
        return;
    }
    text_put_u64(output, def->every);
    text_put_string(output, " steps");
    if (def->offset != 0) {
        text_put_string(output, " from ");
        text_put_u64(output, def->offset);
    }
}

bool put_marks(text_output *output, const shoal_system *system, const char *before) {
    const shoal_system_def *def = &system->def;
    bool has_rate = def->period_ns != 0 || def->every > 1;
    const struct {
        bool holds;
        const char *mark;
    } marks[] = {{def->once != NULL && !def->exclusive, "once"},
                 {def->exclusive, "exclusive"},
                 {def->thread == SHOAL_THREAD_MAIN && !def->exclusive, "main"},
                 {def->each != NULL && system->is_serial, "serial"},
                 {def->barrier, "barrier"},
                 {def->commands, "commands"},
                 {def->condition != NULL, "condition"},
                 {!system->is_enabled, "off"},
                 {has_rate, "every "}};
    bool is_first = true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (marks[i].holds) {
            text_put_string(output, is_first ? before : ", ");
            text_put_string(output, marks[i].mark);
            is_first = false;
        }
    }
    if (has_rate) {
        put_rate(output, def);
    }
    return !is_first;
}

/* ---- public ---- */

shoal_status shoal_schedule_print(shoal_world *world, shoal_schedule_format format, shoal_write_fn write, void *user) {
    static const char call[] = "shoal_schedule_print";
    static void (*const forms[])(schedule_print *) = {print_text, print_dot, print_json};
    if (world == NULL || write == NULL || (unsigned)format > SHOAL_SCHEDULE_JSON) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_status status = schedule_build_for(world, call);
    if (status != SHOAL_OK) {
        return status;
    }
    schedule_print print = {.schedule = world->schedule};
    status = ages_refresh(print.schedule);
    status = status == SHOAL_OK ? reasons_make(print.schedule, &print.reasons) : status;
    if (status != SHOAL_OK) {
        return world_fail(world, status, call);
    }
    const char *outer = world_lock_enter(world, call);
    text_start(&print.output, write, user);
    forms[format](&print);
    status = text_finish(&print.output, world_error(world), call);
    world_lock_leave(world, outer);
    reasons_free(print.schedule, &print.reasons);
    return status;
}
