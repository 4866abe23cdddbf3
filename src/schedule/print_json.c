/*
 * The schedule as one JSON object:
 *
 *     {"world", "systems", "fused", "tasks", "sync_points", "ambiguities", ...,
 *      "phases": [{"name", "stages": [{"number", "exclusive", "tasks": [{"number", "chain", "systems": [...],
 *                  "before": [numbers of tasks of the stage]}], "sync": {"systems": [names]} or null}]}],
 *      "pairs": [{"first", "second", "components", "archetypes", "acknowledged"}]}
 *
 * A line for each system, so that two versions of a schedule can be compared. Keys stay as they are once they are
 * there. Thread rule: world.
 */
#include "ambiguity.h"
#include "print.h"

static void put(schedule_print *print, const char *text) {
    text_put_string(&print->output, text);
}

/* A key and its value, behind a comma. */
static void put_number(schedule_print *print, const char *key, uint64_t value) {
    put(print, ", \"");
    put(print, key);
    put(print, "\": ");
    text_put_u64(&print->output, value);
}

static void put_bool(schedule_print *print, const char *key, bool value) {
    put(print, ", \"");
    put(print, key);
    put(print, value ? "\": true" : "\": false");
}

static void put_element(schedule_print *print, bool *is_first, const char *text) {
    put(print, *is_first ? "" : ", ");
    text_put_json(&print->output, text);
    *is_first = false;
}

/* ---- one system ---- */

static void put_touched(schedule_print *print, const shoal_system *system, uint8_t kinds, const char *key) {
    const access_entry *entry;
    bool is_first = true;
    put(print, ", \"");
    put(print, key);
    put(print, "\": [");
    for (size_t at = 0; (entry = access_next(system, kinds, &at)) != NULL;) {
        put_element(print, &is_first, component_name(entry->component));
    }
    put(print, "]");
}

static void put_conflict(schedule_print *print, const shoal_system *from, const shoal_system *to) {
    const char *name;
    bool is_first = true;
    put(print, ", \"components\": [");
    for (size_t at = 0; (name = conflict_name(from, to, &at)) != NULL;) {
        put_element(print, &is_first, name);
    }
    put(print, "]");
}

static void put_reasons(schedule_print *print, const shoal_system *from, const shoal_system *to, uint8_t reasons) {
    bool is_first = true;
    put(print, "{\"system\": ");
    text_put_json(&print->output, from->name);
    put(print, ", \"reasons\": [");
    for (unsigned bit = REASON_BEFORE; bit <= REASON_EXCLUSIVE; bit <<= 1) {
        if (reasons & bit) {
            put_element(print, &is_first, reason_name((uint8_t)bit));
        }
    }
    put(print, "]");
    put_conflict(print, from, to);
    put_bool(print, "implied", reasons & REASON_IMPLIED);
    put(print, "}");
}

static void put_after(schedule_print *print, const shoal_system *system) {
    bool is_first = true;
    put(print, ", \"after\": [");
    for (uint32_t i = 0; i < system->line && !print->output.failed; i++) {
        const shoal_system *from = print->reasons.line[i];
        uint8_t reasons = reasons_between(&print->reasons, from, system);
        if (reasons != 0) {
            put(print, is_first ? "" : ", ");
            put_reasons(print, from, system, reasons);
            is_first = false;
        }
    }
    put(print, "]");
}

static void put_system(schedule_print *print, const shoal_system *system) {
    const shoal_system_def *def = &system->def;
    put(print, "\n{\"name\": ");
    text_put_json(&print->output, system->name);
    put(print, def->each != NULL ? ", \"function\": \"each\"" : ", \"function\": \"once\"");
    put_bool(print, "enabled", system->is_enabled);
    put_bool(print, "main", def->thread == SHOAL_THREAD_MAIN || def->exclusive);
    put_bool(print, "exclusive", def->exclusive);
    put_bool(print, "serial", system->is_serial && def->each != NULL);
    put_bool(print, "barrier", def->barrier);
    put_bool(print, "commands", def->commands);
    put_bool(print, "condition", def->condition != NULL);
    put_number(print, "every", def->every);
    put_number(print, "offset", def->offset);
    put_number(print, "period_ns", def->period_ns);
    put_touched(print, system, ACCESS_NEAR_READ, "reads");
    put_touched(print, system, ACCESS_NEAR_WRITE, "writes");
    put_touched(print, system, ACCESS_FAR_READ, "lookup_reads");
    put_touched(print, system, ACCESS_FAR_WRITE, "lookup_writes");
    put_after(print, system);
    put(print, "}");
}

/* ---- stages ---- */

static void put_task(schedule_print *print, const schedule_task *task) {
    put(print, "\n{\"number\": ");
    text_put_u64(&print->output, task->number + UINT64_C(1));
    put_bool(print, "chain", task->member_count > 1);
    put(print, ", \"before\": [");
    for (uint32_t i = 0; i < task->edge_count; i++) {
        put(print, i > 0 ? ", " : "");
        text_put_u64(&print->output, task->edges[i].to + UINT64_C(1));
    }
    put(print, "], \"systems\": [");
    for (uint32_t i = 0; i < task->member_count && !print->output.failed; i++) {
        put(print, i > 0 ? "," : "");
        put_system(print, task->members[i]);
    }
    put(print, "]}");
}

static void put_sync(schedule_print *print, uint32_t stage) {
    line_range range = sync_range(print->schedule, stage);
    bool is_first = true;
    put(print, "{\"systems\": [");
    for (size_t i = range.first; i < range.end; i++) {
        if (print->reasons.line[i]->def.commands) {
            put_element(print, &is_first, print->reasons.line[i]->name);
        }
    }
    put(print, "]}");
}

static void put_stage(schedule_print *print, uint32_t number) {
    const schedule_stage *stage = &print->schedule->stages[number];
    put(print, "\n{\"number\": ");
    text_put_u64(&print->output, number + UINT64_C(1));
    put_bool(print, "exclusive", stage->is_exclusive);
    put(print, ", \"tasks\": [");
    for (uint32_t i = 0; i < stage->task_count && !print->output.failed; i++) {
        put(print, i > 0 ? "," : "");
        put_task(print, &stage->tasks[i]);
    }
    put(print, "],\n\"sync\": ");
    if (stage->syncs) {
        put_sync(print, number);
    } else {
        put(print, "null");
    }
    put(print, "}");
}

static void put_phases(schedule_print *print) {
    const shoal_schedule *schedule = print->schedule;
    uint32_t stage = 0;
    put(print, ",\n\"phases\": [");
    for (uint32_t i = 0; i < schedule->phase_count && !print->output.failed; i++) {
        put(print, i > 0 ? ",\n{\"name\": " : "\n{\"name\": ");
        text_put_json(&print->output, phase_name(schedule, i));
        put(print, ", \"stages\": [");
        bool is_first = true;
        for (; stage < schedule->stage_count && schedule->stages[stage].phase == i; stage++, is_first = false) {
            put(print, is_first ? "" : ",");
            put_stage(print, stage);
        }
        put(print, "]}");
    }
    put(print, "]");
}

/* ---- all of it ---- */

static void put_pairs(schedule_print *print) {
    shoal_schedule *schedule = print->schedule;
    const schedule_pair *pairs = schedule->pairs.items;
    put(print, ",\n\"pairs\": [");
    for (size_t i = 0; i < schedule->pair_count && !print->output.failed; i++) {
        const shoal_system *first = schedule->systems[pairs[i].first];
        const shoal_system *second = schedule->systems[pairs[i].second];
        put(print, i > 0 ? ",\n{\"first\": " : "\n{\"first\": ");
        text_put_json(&print->output, first->name);
        put(print, ", \"second\": ");
        text_put_json(&print->output, second->name);
        put_conflict(print, first, second);
        put_number(print, "archetypes", pair_archetypes(schedule, first, second));
        put_bool(print, "acknowledged", pairs[i].acknowledged);
        put(print, "}");
    }
    put(print, "]");
}

void print_json(schedule_print *print) {
    const shoal_schedule_stats *stats = &print->schedule->stats;
    put(print, "{\"world\": ");
    text_put_json(&print->output, print->schedule->world->name);
    put_number(print, "systems", stats->systems);
    put_number(print, "fused", stats->fused);
    put_number(print, "tasks", stats->tasks);
    put_number(print, "stages", stats->stages);
    put_number(print, "sync_points", stats->sync_points);
    put_number(print, "ambiguities", stats->ambiguities);
    put_phases(print);
    put_pairs(print);
    put(print, "}\n");
}
