/*
 * The schedule as a graph for Graphviz. Time goes from left to right; what may run side by side stands below each
 * other, and so do phases.
 *
 *     phase -----------------------------------------
 *     | stage ----------------      |  stage ----   |
 *     | | [move  ] -> [draw] |  ##  |  | [cull] |   |      ## sync point, with the systems whose commands it applies
 *     | | [bounce]           |  ##  |  ----------   |
 *     | | [spawner]          |      |               |
 *
 * A task is a table with a row for each of its systems. Edges stand for what tasks of a stage wait for, without those
 * that follow from others; of what lies in different stages only the commands are drawn: from who records them to the
 * sync point, and from there to who has asked for them. Invisible edges keep the stages in their order.
 * Thread rule: world.
 */
#include <string.h>

#include "print.h"

#define LINE_BYTES 34u  /* of a list of components in a box */
#define SYNC_HEIGHT 16u /* at most, in tenths of an inch */
#define LABEL_NAMES 4u  /* components that the label of an edge names */
#define COLOR_DECLARED "#30343b"
#define COLOR_CONFLICT "#c05a1c"
#define COLOR_MARKS "#7a4f9a"
#define COLOR_COMMANDS "#2f6db3"

static void put(schedule_print *print, const char *text) {
    text_put_string(&print->output, text);
}

static void put_number(schedule_print *print, uint64_t number) {
    text_put_u64(&print->output, number);
}

/* Text inside of a table: as in HTML. */
static void put_text(schedule_print *print, const char *text) {
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            put(print, "&amp;");
            break;
        case '<':
            put(print, "&lt;");
            break;
        case '>':
            put(print, "&gt;");
            break;
        case '"':
            put(print, "&quot;");
            break;
        default:
            text_put(&print->output, text, 1);
            break;
        }
    }
}

/* ---- names of nodes ---- */

static void put_task_node(schedule_print *print, uint32_t stage, uint32_t task) {
    put(print, "t");
    put_number(print, stage);
    put(print, "_");
    put_number(print, task);
}

/* What stands behind a stage: a sync point, or nothing that can be seen. */
static void put_end_node(schedule_print *print, uint32_t stage) {
    put(print, "e");
    put_number(print, stage);
}

/* The last stage of a phase, or the last of all. */
static bool phase_ends(const shoal_schedule *schedule, uint32_t stage) {
    return stage + 1 == schedule->stage_count || schedule->stages[stage + 1].phase != schedule->stages[stage].phase;
}

/* Behind the last stage of a phase nothing is drawn but a sync point. */
static bool has_end(const shoal_schedule *schedule, uint32_t stage) {
    return schedule->stages[stage].syncs || !phase_ends(schedule, stage);
}

/* ---- a system ---- */

/* What is touched in one of `kinds`, in lines of some length. */
static void put_touched(schedule_print *print, const shoal_system *system, uint8_t kinds, const char *verb) {
    const access_entry *entry;
    size_t used = 0;
    for (size_t at = 0; (entry = access_next(system, kinds, &at)) != NULL;) {
        const char *name = component_name(entry->component);
        size_t size = strlen(name) + 2;
        put(print, used == 0 ? verb : ", ");
        if (used + size > LINE_BYTES && used != 0) {
            put(print, "<BR ALIGN=\"LEFT\"/>    ");
            used = 0;
        }
        used += size;
        put(print, entry->kinds & kinds & ACCESS_FAR ? "<I>" : "");
        put_text(print, name);
        put(print, entry->kinds & kinds & ACCESS_FAR ? "</I>" : "");
    }
    put(print, used != 0 ? "<BR/>" : "");
}

static void put_system(schedule_print *print, const shoal_system *system) {
    const char *color = system->def.exclusive                     ? "#fbe3df"
                        : system->def.thread == SHOAL_THREAD_MAIN ? "#fdf3d3"
                                                                  : "#ffffff";
    put(print, "<TR><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\" BGCOLOR=\"");
    put(print, system->is_enabled ? color : "#e6e6e6");
    put(print, "\"><B>");
    put_text(print, system->name);
    put(print, "</B><BR ALIGN=\"LEFT\"/><FONT POINT-SIZE=\"8\" COLOR=\"#5a6068\">");
    if (put_marks(&print->output, system, "<FONT COLOR=\"" COLOR_MARKS "\">")) {
        put(print, "</FONT><BR/>");
    }
    put_touched(print, system, ACCESS_WRITES, "writes ");
    put_touched(print, system, ACCESS_NEAR_READ | ACCESS_FAR_READ, "reads ");
    put(print, "</FONT></TD></TR>");
}

/* ---- stages ---- */

static void put_task(schedule_print *print, uint32_t stage, const schedule_task *task) {
    put(print, "      ");
    put_task_node(print, stage, task->number);
    put(print, " [label=<<TABLE BORDER=\"");
    put(print, task->member_count > 1 ? "2" : "0");
    put(print, "\" CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"#6b7280\">");
    for (uint32_t i = 0; i < task->member_count && !print->output.failed; i++) {
        put_system(print, task->members[i]);
    }
    put(print, "</TABLE>>];\n");
}

static void put_sync(schedule_print *print, uint32_t stage) {
    line_range range = sync_range(print->schedule, stage);
    uint32_t height = 4 + 2 * print->schedule->stages[stage].task_count; /* tenths of an inch */
    put(print, "    ");
    put_end_node(print, stage);
    put(print, " [shape=box, style=filled, color=\"" COLOR_COMMANDS "\", fontcolor=white, width=0.2, height=");
    text_put_decimal(&print->output, height < SYNC_HEIGHT ? height : SYNC_HEIGHT, 1);
    put(print, ", margin=\"0.06,0.03\", label=<<B>sync</B>");
    for (size_t i = range.first; i < range.end; i++) {
        if (print->reasons.line[i]->def.commands) {
            put(print, "<BR/><FONT POINT-SIZE=\"8\">");
            put_text(print, print->reasons.line[i]->name);
            put(print, "</FONT>");
        }
    }
    put(print, ">];\n");
}

static void put_stage(schedule_print *print, uint32_t number) {
    const schedule_stage *stage = &print->schedule->stages[number];
    put(print, "    subgraph cluster_s");
    put_number(print, number);
    put(print, " {\n      labelloc=t; label=\"stage ");
    put_number(print, number + UINT64_C(1));
    put(print, "\"; style=\"rounded,filled\"; color=\"#c9ccd1\"; fillcolor=\"#eef0f3\";\n");
    for (uint32_t i = stage->task_count; i-- > 0 && !print->output.failed;) {
        put_task(print, number, &stage->tasks[i]);
    }
    put(print, "    }\n");
    if (stage->syncs) {
        put_sync(print, number);
    } else if (has_end(print->schedule, number)) {
        put(print, "    ");
        put_end_node(print, number);
        put(print, " [shape=point, style=invis, width=0.01];\n");
    }
}

/* The stages of a phase, of which `last` is the last. Returns the first. */
static uint32_t put_phase(schedule_print *print, uint32_t last) {
    const shoal_schedule *schedule = print->schedule;
    uint32_t phase = schedule->stages[last].phase;
    put(print, "  subgraph cluster_p");
    put_number(print, phase);
    put(print, " {\n    labelloc=t; label=<<B>");
    put_text(print, phase_name(schedule, phase));
    put(print, "</B>>; style=\"rounded\"; color=\"#8a9099\";\n");
    uint32_t stage = last;
    put_stage(print, stage);
    while (stage > 0 && !phase_ends(schedule, stage - 1)) {
        put_stage(print, --stage);
    }
    put(print, "  }\n");
    return stage;
}

/* Graphviz stacks parts that no edge connects from below, so the last comes first. */
static void put_phases(schedule_print *print) {
    for (uint32_t stage = print->schedule->stage_count; stage > 0 && !print->output.failed;) {
        stage = put_phase(print, stage - 1);
    }
}

/* ---- edges inside of a stage ---- */

/* The reasons from task to task, of all pairs of their systems, without what follows from others. */
static uint8_t task_reasons(const schedule_print *print, const schedule_task *from, const schedule_task *to) {
    uint8_t all = 0;
    for (uint32_t i = 0; i < from->member_count; i++) {
        for (uint32_t k = 0; k < to->member_count; k++) {
            uint8_t bits = reasons_between(&print->reasons, from->members[i], to->members[k]);
            all |= bits & REASON_IMPLIED ? 0 : bits;
        }
    }
    return all;
}

/* True when some system of `to` conflicts with a system on this component. */
static bool conflicts_on(const shoal_system *system, const schedule_task *to, const char *wanted) {
    for (uint32_t i = 0; i < to->member_count; i++) {
        const char *name;
        for (size_t at = 0; (name = conflict_name(system, to->members[i], &at)) != NULL;) {
            if (name == wanted) {
                return true;
            }
        }
    }
    return false;
}

/* The components on which two tasks conflict, each once, some of them. */
static void put_edge_label(schedule_print *print, const schedule_task *from, const schedule_task *to) {
    size_t count = 0;
    for (uint32_t i = 0; i < from->member_count; i++) {
        const access_entry *entry;
        for (size_t at = 0; (entry = access_next(from->members[i], UINT8_MAX, &at)) != NULL;) {
            const char *name = component_name(entry->component);
            bool is_new = conflicts_on(from->members[i], to, name);
            for (uint32_t k = 0; k < i && is_new; k++) {
                is_new = access_of(&from->members[k]->access, entry->component.id) == 0 ||
                         !conflicts_on(from->members[k], to, name);
            }
            if (is_new && count++ < LABEL_NAMES) {
                put(print, count > 1 ? "<BR/>" : "");
                put_text(print, name);
            }
        }
    }
    if (count > LABEL_NAMES) {
        put(print, "<BR/>+ ");
        put_number(print, count - LABEL_NAMES);
    }
}

static void put_edge(schedule_print *print, uint32_t stage, const schedule_task *from, const schedule_task *to) {
    uint8_t reasons = task_reasons(print, from, to);
    if (reasons == 0) {
        return;
    }
    put(print, "  ");
    put_task_node(print, stage, from->number);
    put(print, " -> ");
    put_task_node(print, stage, to->number);
    put(print, reasons & REASON_DECLARED ? " [color=\"" COLOR_DECLARED "\"" : " [color=\"" COLOR_CONFLICT "\"");
    put(print, reasons & REASON_SYNCED || !(reasons & REASON_UNSYNCED) ? "" : ", style=dashed");
    if (reasons & REASON_CONFLICT) {
        put(print, ", label=<");
        put_edge_label(print, from, to);
        put(print, ">");
    }
    put(print, "];\n");
}

/* ---- edges between stages ---- */

/* True when a system of the task comes, by a declared order, after one whose commands a sync point applies. */
static bool waits_for_commands(const schedule_print *print, const schedule_task *task, line_range range) {
    for (uint32_t i = 0; i < task->member_count; i++) {
        for (size_t k = range.first; k < range.end; k++) {
            const shoal_system *from = print->reasons.line[k];
            if (from->def.commands && from->line < task->members[i]->line &&
                (reasons_between(&print->reasons, from, task->members[i]) & REASON_SYNCED)) {
                return true;
            }
        }
    }
    return false;
}

/* From a task of a stage that comes first to what stands behind another stage. */
static void put_edge_to_end(schedule_print *print, uint32_t stage, uint32_t task, uint32_t end) {
    bool is_seen = print->schedule->stages[end].syncs && print->schedule->stages[stage].tasks[task].records;
    if (is_seen || (stage == end && has_end(print->schedule, end))) {
        put(print, "  ");
        put_task_node(print, stage, task);
        put(print, " -> ");
        put_end_node(print, end);
        put(print, is_seen ? " [color=\"" COLOR_COMMANDS "\"];\n" : " [style=invis];\n");
    }
}

static void put_edge_from_end(schedule_print *print, uint32_t end, uint32_t stage, uint32_t task) {
    const shoal_schedule *schedule = print->schedule;
    bool is_seen = schedule->stages[end].syncs && schedule->stages[end].phase == schedule->stages[stage].phase &&
                   waits_for_commands(print, &schedule->stages[stage].tasks[task], sync_range(schedule, end));
    if (is_seen || (stage == end + 1 && schedule->stages[end].phase == schedule->stages[stage].phase)) {
        put(print, "  ");
        put_end_node(print, end);
        put(print, " -> ");
        put_task_node(print, stage, task);
        put(print, is_seen ? " [color=\"" COLOR_COMMANDS "\"];\n" : " [style=invis];\n");
    }
}

/* The stages before one that its sync point applies commands of, down to the first. */
static uint32_t first_stage_of_sync(const shoal_schedule *schedule, uint32_t stage) {
    while (stage > 0 && !schedule->stages[stage - 1].syncs) {
        stage--;
    }
    return stage;
}

static void put_edges_of_stage(schedule_print *print, uint32_t number) {
    const shoal_schedule *schedule = print->schedule;
    const schedule_stage *stage = &schedule->stages[number];
    for (uint32_t i = 0; i < stage->task_count && !print->output.failed; i++) {
        const schedule_task *task = &stage->tasks[i];
        for (uint32_t k = 0; k < task->edge_count; k++) {
            put_edge(print, number, task, &stage->tasks[task->edges[k].to]);
        }
        for (uint32_t end = 0; end < number; end++) {
            put_edge_from_end(print, end, number, i);
        }
    }
    for (uint32_t from = first_stage_of_sync(schedule, number); from <= number; from++) {
        for (uint32_t i = 0; i < schedule->stages[from].task_count && !print->output.failed; i++) {
            put_edge_to_end(print, from, i, number);
        }
    }
}

void print_dot(schedule_print *print) {
    put(print, "digraph schedule {\n"
               "  graph [rankdir=LR, fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, labeljust=l, ranksep=0.35,\n"
               "         nodesep=0.12, bgcolor=white, labelloc=b, label=<<FONT POINT-SIZE=\"9\" COLOR=\"#5a6068\">\n"
               "         black: declared order, dashed: unsynced &#160; <FONT COLOR=\"" COLOR_CONFLICT
               "\">orange: conflict</FONT> &#160; <FONT COLOR=\"" COLOR_COMMANDS
               "\">blue: commands</FONT> &#160; <I>slanted: lookups</I><BR/>"
               "thick frame: fused &#160; yellow: main thread &#160; red: exclusive</FONT>>];\n"
               "  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, shape=plain];\n"
               "  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=8, fontcolor=\"" COLOR_CONFLICT
               "\", arrowsize=0.6];\n");
    put_phases(print);
    for (uint32_t i = 0; i < print->schedule->stage_count && !print->output.failed; i++) {
        put_edges_of_stage(print, i);
    }
    put(print, "}\n");
}
