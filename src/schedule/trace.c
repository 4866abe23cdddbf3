/*
 * What the rings still have, as a trace in the JSON format of Chrome's tracing: a track for each worker, an event for
 * each run of a task and for each sync point that had commands.
 *
 *     ring 0:  | a b d |      cursors 0, 0
 *     ring 1:  | c |          a, b, c, d by their beginning
 *
 * A ring is in order of time, so all of them are merged with one cursor each. Ends of runs that were too short to be
 * measured are made up from earlier ones and may reach past the next beginning: a cursor keeps the records of its track
 * apart. Times are whole nanoseconds since the first beginning, rounded before they are subtracted, so that this holds
 * for what is written as well. Thread rule: world.
 */
#include "../base/text.h"
#include "labels.h"

/* The record that comes next on a track. */
typedef struct trace_cursor {
    const run_ring *ring;
    uint64_t next;  /* its number */
    uint64_t start; /* clock ticks: its own, or the end of the one before it */
} trace_cursor;

typedef struct trace {
    const shoal_schedule *schedule;
    trace_cursor *cursors; /* by worker */
    uint32_t count;
    uint64_t begin; /* clock ticks */
    text_output output;
} trace;

static bool cursor_is_done(const trace_cursor *cursor) {
    return cursor->next == cursor->ring->count;
}

static void cursor_settle(trace_cursor *cursor, uint64_t least) {
    uint64_t own = cursor_is_done(cursor) ? 0 : ring_at(cursor->ring, cursor->next)->start;
    cursor->start = own > least ? own : least;
}

static void cursors_begin(trace *under_way) {
    under_way->begin = UINT64_MAX;
    for (uint32_t i = 0; i < under_way->count; i++) {
        trace_cursor *cursor = &under_way->cursors[i];
        cursor->ring = ring_of(under_way->schedule, i);
        cursor->next = ring_first(cursor->ring);
        cursor_settle(cursor, 0);
        if (!cursor_is_done(cursor) && cursor->start < under_way->begin) {
            under_way->begin = cursor->start;
        }
    }
}

/* The track whose next record begins first, or `count` at the end. */
static uint32_t track_next(const trace *under_way) {
    uint32_t best = under_way->count;
    for (uint32_t i = 0; i < under_way->count; i++) {
        const trace_cursor *cursor = &under_way->cursors[i];
        if (!cursor_is_done(cursor) && (best == under_way->count || cursor->start < under_way->cursors[best].start)) {
            best = i;
        }
    }
    return best;
}

/* ---- writing ---- */

static void put(trace *under_way, const char *text) {
    text_put_string(&under_way->output, text);
}

static void put_number(trace *under_way, const char *before, uint64_t number) {
    put(under_way, before);
    text_put_u64(&under_way->output, number);
}

static uint64_t trace_ns(const trace *under_way, uint64_t ticks) {
    return (uint64_t)((double)(ticks - under_way->begin) * under_way->schedule->ns_per_tick + 0.5);
}

static void put_names(trace *under_way, const char *world_name) {
    put(under_way, "{\"ph\": \"M\", \"pid\": 1, \"tid\": 0, \"name\": \"process_name\", \"args\": {\"name\": ");
    text_put_json(&under_way->output, world_name);
    put(under_way, "}}");
    for (uint32_t i = 0; i < under_way->count; i++) {
        put_number(under_way, ",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": ", i);
        put_number(under_way, ", \"name\": \"thread_name\", \"args\": {\"name\": \"worker ", i);
        put(under_way, i == 0 ? " (main)\"}}" : "\"}}");
        put_number(under_way, ",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": ", i);
        put_number(under_way, ", \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": ", i);
        put(under_way, "}}");
    }
}

static void put_record(trace *under_way, uint32_t track, uint64_t end, const run_record *record) {
    bool is_sync = record->label == LABEL_SYNC;
    uint64_t start_ns = trace_ns(under_way, under_way->cursors[track].start);
    put_number(under_way, ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": ", track);
    put(under_way, is_sync ? ", \"cat\": \"sync\", \"name\": " : ", \"cat\": \"system\", \"name\": ");
    text_put_json(&under_way->output, label_text(under_way->schedule, record->label));
    put(under_way, ", \"ts\": ");
    text_put_decimal(&under_way->output, start_ns, 3);
    put(under_way, ", \"dur\": ");
    text_put_decimal(&under_way->output, trace_ns(under_way, end) - start_ns, 3);
    put_number(under_way, ", \"args\": {\"tick\": ", record->tick);
    put_number(under_way, is_sync ? ", \"commands\": " : ", \"rows\": ", record->rows);
    put(under_way, "}}");
}

static void put_trace(trace *under_way, const char *world_name) {
    put(under_way, "{\"traceEvents\": [\n");
    put_names(under_way, world_name);
    uint32_t track;
    while ((track = track_next(under_way)) != under_way->count && !under_way->output.failed) {
        trace_cursor *cursor = &under_way->cursors[track];
        const run_record *record = ring_at(cursor->ring, cursor->next++);
        uint64_t end = record->end > cursor->start ? record->end : cursor->start;
        put_record(under_way, track, end, record);
        cursor_settle(cursor, end);
    }
    put(under_way, "\n], \"displayTimeUnit\": \"ns\"}\n");
}

shoal_status shoal_schedule_trace(shoal_world *world, shoal_write_fn write, void *user) {
    static const char call[] = "shoal_schedule_trace";
    if (world == NULL || write == NULL) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world->is_stepping) {
        return error_detail(world_error(world), SHOAL_WORLD_LOCKED, call, "a step is under way");
    }
    trace under_way = {.schedule = schedule_of(world)};
    under_way.count = under_way.schedule != NULL ? under_way.schedule->ring_count : 0;
    size_t byte_size = under_way.count * sizeof(trace_cursor);
    if (under_way.count != 0) {
        under_way.cursors = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, byte_size, 16);
        if (under_way.cursors == NULL) {
            return world_fail(world, memory_failure(&world->memory), call);
        }
        cursors_begin(&under_way);
    }
    const char *outer = world_lock_enter(world, call);
    text_start(&under_way.output, write, user);
    put_trace(&under_way, world->name);
    shoal_status status = text_finish(&under_way.output, world_error(world), call);
    world_lock_leave(world, outer);
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, under_way.cursors, byte_size, 16);
    return status;
}
