/*
 * The schedule as lines.
 *
 *     schedule of world "game": 4 systems (2 fused), 3 tasks in 2 stages, 1 sync point
 *
 *     phase update
 *       stage 1
 *         fused chain
 *           move: writes Position, reads Velocity
 *           bounce: writes Velocity, reads Position
 *             after move (conflict on Position, Velocity)
 *         spawner [once, commands]: reads Clock (lookup)
 *       sync point: applies the commands of spawner
 *
 * A conflict is left out where it follows from other lines. Thread rule: world.
 */
#include <string.h>

#include "print.h"

static void put(schedule_print *print, const char *text) {
    text_put_string(&print->output, text);
}

static void put_count(schedule_print *print, uint64_t count, const char *one, const char *many) {
    text_put_u64(&print->output, count);
    put(print, count == 1 ? one : many);
}

/* ---- one system ---- */

/* What is touched in one of `kinds`, behind `verb`; true when there was something. */
static bool put_touched(schedule_print *print, const shoal_system *system, uint8_t kinds, const char *verb) {
    const access_entry *entry;
    bool is_first = true;
    for (size_t at = 0; (entry = access_next(system, kinds, &at)) != NULL; is_first = false) {
        put(print, is_first ? verb : ", ");
        put(print, component_name(entry->component));
        put(print, !(entry->kinds & kinds & ACCESS_FAR) ? ""
                   : entry->kinds & ACCESS_REDUCED      ? " (reduction)"
                   : entry->kinds & kinds & ACCESS_NEAR ? " (also lookup)"
                                                        : " (lookup)");
    }
    return !is_first;
}

static void put_conflict(schedule_print *print, const shoal_system *from, const shoal_system *to) {
    const char *name;
    const char *before = " on ";
    for (size_t at = 0; (name = conflict_name(from, to, &at)) != NULL; before = ", ") {
        put(print, before);
        put(print, name);
    }
}

/* "after move (before; conflict on Position)" */
static void put_reasons(schedule_print *print, const shoal_system *from, const shoal_system *to, uint8_t reasons) {
    put(print, "  after ");
    put(print, from->name);
    const char *before = " (";
    for (unsigned bit = REASON_BEFORE; bit <= REASON_EXCLUSIVE; bit <<= 1) {
        if (reasons & bit) {
            put(print, before);
            put(print, reason_name((uint8_t)bit));
            before = "; ";
        }
        if (reasons & bit & REASON_CONFLICT) {
            put_conflict(print, from, to);
        }
    }
    put(print, ")\n");
}

static void put_system(schedule_print *print, const shoal_system *system, const char *indent) {
    put(print, indent);
    put(print, system->name);
    put(print, put_marks(&print->output, system, " [") ? "]" : "");
    bool has_writes = put_touched(print, system, ACCESS_WRITES, ": writes ");
    put_touched(print, system, ACCESS_NEAR_READ | ACCESS_FAR_READ, has_writes ? "; reads " : ": reads ");
    put(print, "\n");
    for (uint32_t i = 0; i < system->line && !print->output.failed; i++) {
        const shoal_system *from = print->reasons.line[i];
        uint8_t reasons = reasons_between(&print->reasons, from, system);
        if ((reasons & REASON_DECLARED) || (reasons != 0 && !(reasons & REASON_IMPLIED))) {
            put(print, indent);
            put_reasons(print, from, system, reasons);
        }
    }
}

/* ---- stages ---- */

static void put_task(schedule_print *print, const schedule_task *task) {
    bool is_chain = task->member_count > 1;
    if (is_chain) {
        put(print, "    fused chain\n");
    }
    for (uint32_t i = 0; i < task->member_count && !print->output.failed; i++) {
        put_system(print, task->members[i], is_chain ? "      " : "    ");
    }
}

static void put_sync(schedule_print *print, uint32_t stage) {
    line_range range = sync_range(print->schedule, stage);
    const char *before = "  sync point: applies the commands of ";
    for (size_t i = range.first; i < range.end; i++) {
        if (print->reasons.line[i]->def.commands) {
            put(print, before);
            put(print, print->reasons.line[i]->name);
            before = ", ";
        }
    }
    put(print, "\n");
}

static void put_stage(schedule_print *print, uint32_t number) {
    const schedule_stage *stage = &print->schedule->stages[number];
    if (number == 0 || stage->phase != print->schedule->stages[number - 1].phase) {
        put(print, "\nphase ");
        put(print, phase_name(print->schedule, stage->phase));
        put(print, "\n");
    }
    put(print, "  stage ");
    text_put_u64(&print->output, number + UINT64_C(1));
    put(print, "\n");
    for (uint32_t i = 0; i < stage->task_count && !print->output.failed; i++) {
        put_task(print, &stage->tasks[i]);
    }
    if (stage->syncs) {
        put_sync(print, number);
    }
}

/* ---- all of it ---- */

static void put_head(schedule_print *print) {
    const shoal_schedule_stats *stats = &print->schedule->stats;
    const char *name = print->schedule->world->name;
    put(print, "schedule of world ");
    text_put_quoted(&print->output, name, strlen(name));
    put(print, ": ");
    put_count(print, stats->systems, " system", " systems");
    if (stats->fused != 0) {
        put(print, " (");
        text_put_u64(&print->output, stats->fused);
        put(print, " fused)");
    }
    put(print, ", ");
    put_count(print, stats->tasks, " task in ", " tasks in ");
    put_count(print, stats->stages, " stage, ", " stages, ");
    put_count(print, stats->sync_points, " sync point\n", " sync points\n");
}

static void put_pairs(schedule_print *print) {
    const shoal_schedule *schedule = print->schedule;
    const schedule_pair *pairs = schedule->pairs.items;
    put(print, "\nno order is declared between\n");
    for (size_t i = 0; i < schedule->pair_count && !print->output.failed; i++) {
        if (!pairs[i].acknowledged) {
            const shoal_system *first = schedule->systems[pairs[i].first];
            const shoal_system *second = schedule->systems[pairs[i].second];
            put(print, "  ");
            put(print, first->name);
            put(print, " and ");
            put(print, second->name);
            put(print, " (conflict");
            put_conflict(print, first, second);
            put(print, ")\n");
        }
    }
}

void print_text(schedule_print *print) {
    put_head(print);
    for (uint32_t i = 0; i < print->schedule->stage_count && !print->output.failed; i++) {
        put_stage(print, i);
    }
    if (print->schedule->stats.ambiguities != 0) {
        put_pairs(print);
    }
}
