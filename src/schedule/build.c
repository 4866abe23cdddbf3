/*
 * Building: from the order of systems to stages of tasks.
 *
 * The systems of a phase are put by depth, then by their sequence; a stage ends where the depth rises (a sync point),
 * at an exclusive system and at the end of the phase. Inside of a stage a system joins a task that it can be fused with
 * (fuse.c), if it need not wait for a later one; else it makes a task of its own. An edge leads from task to task where
 * one leads between their systems.
 *
 * Everything that is built lies in blocks that are given back together. Thread rule: world.
 */
#include <string.h>

#include "fuse.h"
#include "labels.h"
#include "schedule.h"

/* ---- memory ---- */

typedef struct build_block {
    struct build_block *next;
    size_t byte_size;
    size_t alignment;
} build_block;

void *build_allocate(shoal_schedule *schedule, build_block **blocks, size_t count, size_t byte_size, size_t alignment) {
    alignment = alignment < _Alignof(build_block) ? _Alignof(build_block) : alignment;
    size_t header = align_up(sizeof(build_block), alignment);
    if (count != 0 && byte_size > (SIZE_MAX - header) / count) {
        (void)memory_fail(&schedule->world->memory, SHOAL_OUT_OF_MEMORY);
        return NULL;
    }
    size_t bytes = header + count * byte_size;
    build_block *block = memory_allocate_zero(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, bytes, alignment);
    if (block == NULL) {
        return NULL;
    }
    *block = (build_block){.next = *blocks, .byte_size = bytes, .alignment = alignment};
    *blocks = block;
    return (char *)block + header;
}

void build_release(shoal_schedule *schedule, build_block **blocks) {
    while (*blocks != NULL) {
        build_block *block = *blocks;
        *blocks = block->next;
        memory_release(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, block, block->byte_size, block->alignment);
    }
}

/* Memory of tasks that grows while they run. */
static void task_release(shoal_schedule *schedule, schedule_task *task) {
    shoal_memory *memory = &schedule->world->memory;
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &task->spans, task->span_bytes);
    memory_array_release(memory, SHOAL_PURPOSE_SCHEDULE, &task->jobs, sizeof(task_job));
}

static void stages_release(shoal_schedule *schedule) {
    for (uint32_t i = 0; i < schedule->stage_count; i++) {
        for (uint32_t k = 0; k < schedule->stages[i].task_count; k++) {
            task_count_lean(&schedule->stages[i].tasks[k]);
            task_release(schedule, &schedule->stages[i].tasks[k]);
        }
    }
    for (uint32_t i = 0; i < schedule->system_count; i++) {
        schedule->systems[i]->task = NULL;
    }
    schedule->stages = NULL;
    schedule->stage_count = 0;
    build_release(schedule, &schedule->blocks);
}

void schedule_unbuild(shoal_schedule *schedule) {
    schedule->is_built = false;
    stages_release(schedule);
    workers_free(schedule);
}

/* ---- a build under way ---- */

typedef struct build {
    shoal_schedule *schedule;
    system_order order;
    const char *call;
    uint32_t *line;    /* system numbers in the order of stages */
    uint32_t *task_of; /* by system number: its task in the stage that is made */
    task_edge *edges;  /* of the task that is made, before their number is known */
} build;

static void *build_take(build *under_way, size_t count, size_t byte_size, size_t alignment) {
    return build_allocate(under_way->schedule, &under_way->schedule->blocks, count, byte_size, alignment);
}

static shoal_system *system_in_line(const build *under_way, uint32_t place) {
    return under_way->schedule->systems[under_way->line[place]];
}

/* By phase, then depth, then sequence: a stable sort of the sequence, which has the phases in order. */
static void line_make(build *under_way) {
    const system_order *order = &under_way->order;
    shoal_system *const *systems = under_way->schedule->systems;
    for (size_t i = 0; i < order->count; i++) {
        uint32_t number = order->sequence[i];
        size_t at = i;
        while (at > 0 && systems[under_way->line[at - 1]]->phase == systems[number]->phase &&
               order->depth[under_way->line[at - 1]] > order->depth[number]) {
            under_way->line[at] = under_way->line[at - 1];
            at--;
        }
        under_way->line[at] = number;
    }
}

static bool stage_ends_before(const build *under_way, uint32_t place) {
    if (place == under_way->order.count) {
        return true;
    }
    const shoal_system *left = system_in_line(under_way, place - 1);
    const shoal_system *right = system_in_line(under_way, place);
    return left->phase != right->phase || left->def.exclusive || right->def.exclusive ||
           under_way->order.depth[left->number] != under_way->order.depth[right->number];
}

/* ---- tasks ---- */

static uint8_t edge_between(const build *under_way, const shoal_system *from, const shoal_system *to) {
    return under_way->order.edges[(size_t)from->number * under_way->order.count + to->number];
}

/* The task of the stage that a system of the line joins, or task_count for a new one. `members` are the systems of the
   stage before it. */
static uint32_t task_for(const build *under_way, const schedule_stage *stage, uint32_t first, uint32_t place) {
    const shoal_system *system = system_in_line(under_way, place);
    uint32_t least = 0;
    for (uint32_t i = first; i < place; i++) {
        const shoal_system *other = system_in_line(under_way, i);
        uint32_t task = under_way->task_of[other->number];
        least = edge_between(under_way, other, system) != EDGE_NONE && task > least ? task : least;
    }
    for (uint32_t i = least; i < stage->task_count && !under_way->schedule->def.no_fusion; i++) {
        if (fuse_may_join(&stage->tasks[i], system)) {
            return i;
        }
    }
    return stage->task_count;
}

/* True for a system that has nothing but its rows. */
static bool system_is_lean(const shoal_system *system) {
    const shoal_system_def *def = &system->def;
    return !system->has_walk && !def->commands && def->reduction_count == 0 && def->condition == NULL &&
           def->every == 1 && def->period_ns == 0 && !query_of(system->query)->has_gate;
}

/* What holds for a task since it holds for one of its systems. */
static void task_take(schedule_task *task, shoal_system *system) {
    bool is_first = task->member_count == 0;
    task->members[task->member_count] = system;
    task->member_count++;
    system->task = task;
    task->is_main |= system->def.thread == SHOAL_THREAD_MAIN || system->def.exclusive;
    task->has_rows = system->def.each != NULL;
    task->period_ns = system->def.period_ns; /* such a system is alone in its task */
    task->is_serial |= system->is_serial || !task->has_rows;
    task->whole_chunks |= system->whole_chunks;
    task->has_walk |= system->has_walk && task->has_rows;
    task->has_sums |= system->def.reduction_count != 0;
    task->records |= system->def.commands;
    task->is_lean = (is_first || task->is_lean) && task->has_rows && system_is_lean(system);
    task->cut_rows = is_first || system->cut_rows > task->cut_rows ? system->cut_rows : task->cut_rows;
    uint32_t block = system->def.block_rows;
    uint32_t strip = is_first ? block : task->strip_rows > FUSE_STRIP_ROWS ? task->strip_rows : FUSE_STRIP_ROWS;
    task->strip_rows = strip > block ? strip : block;
    if (task->strip_rows > task->cut_rows && task->has_sums) {
        task->cut_rows = task->strip_rows; /* blocks must not be cut */
    }
}

static shoal_status task_complete(build *under_way, schedule_task *task) {
    shoal_schedule *schedule = under_way->schedule;
    task->span_bytes = sizeof(task_span) + task->member_count * sizeof(query_match *);
    task->active = build_take(under_way, task->member_count, sizeof *task->active, 4);
    task->ranges = task->active != NULL
                       ? build_take(under_way, schedule->worker_count, sizeof *task->ranges, _Alignof(task_range))
                       : NULL;
    task->last_ticks = UINT64_MAX;
    return task->ranges != NULL ? labels_intern(schedule, task) : memory_failure(&schedule->world->memory);
}

/* True for two systems that conflict in nothing but rows of common archetypes. */
static bool conflict_is_near(const shoal_system *a, const shoal_system *b) {
    for (size_t i = 0; i < a->access.count; i++) {
        const access_entry *entry = access_at(&a->access, i);
        if (access_conflicts(entry->kinds, access_of(&b->access, entry->component.id), true)) {
            return false;
        }
    }
    return true;
}

/* Whether an edge leads between two tasks, and whether it may vanish. */
static bool tasks_are_ordered(const build *under_way, const schedule_task *from, const schedule_task *to,
                              bool *may_vanish) {
    bool is_ordered = false;
    /* Of a system with `once` and of one with a walk nobody has listed the archetypes. */
    *may_vanish = from->has_rows && to->has_rows && !from->has_walk && !to->has_walk;
    for (uint32_t i = 0; i < from->member_count; i++) {
        for (uint32_t k = 0; k < to->member_count; k++) {
            uint8_t edge = edge_between(under_way, from->members[i], to->members[k]);
            is_ordered |= edge != EDGE_NONE;
            *may_vanish &=
                edge == EDGE_NONE || (edge == EDGE_CONFLICT && conflict_is_near(from->members[i], to->members[k]));
        }
    }
    return is_ordered;
}

static shoal_status edges_make(build *under_way, const schedule_stage *stage, schedule_task *task) {
    bool may_vanish;
    uint32_t count = 0;
    for (uint32_t i = task->number + 1; i < stage->task_count; i++) {
        if (tasks_are_ordered(under_way, task, &stage->tasks[i], &may_vanish)) {
            under_way->edges[count++] = (task_edge){.to = i, .may_vanish = may_vanish};
        }
    }
    if (count == 0) {
        return SHOAL_OK;
    }
    task->edges = build_take(under_way, count, sizeof *task->edges, 8);
    task->links = task->edges != NULL ? build_take(under_way, count, sizeof *task->links, 4) : NULL;
    if (task->links == NULL) {
        return memory_failure(&under_way->schedule->world->memory);
    }
    memcpy(task->edges, under_way->edges, count * sizeof *task->edges);
    task->edge_count = count;
    return SHOAL_OK;
}

/* ---- stages ---- */

/* The systems of the line from `first` to `end` - 1. */
static shoal_status stage_make(build *under_way, schedule_stage *stage, uint32_t first, uint32_t end) {
    uint32_t count = end - first;
    uint32_t width = count < FUSE_MEMBERS_MAX ? count : FUSE_MEMBERS_MAX;
    stage->tasks = build_take(under_way, count, sizeof *stage->tasks, _Alignof(schedule_task));
    shoal_system **members =
        stage->tasks != NULL ? build_take(under_way, (size_t)count * width, sizeof *members, 8) : NULL;
    if (members == NULL) {
        return memory_failure(&under_way->schedule->world->memory);
    }
    stage->last_ticks = UINT64_MAX;
    stage->phase = system_in_line(under_way, first)->phase;
    for (uint32_t place = first; place < end; place++) {
        shoal_system *system = system_in_line(under_way, place);
        uint32_t number = task_for(under_way, stage, first, place);
        schedule_task *task = &stage->tasks[number];
        if (number == stage->task_count) {
            task->number = stage->task_count++;
            task->members = members + (size_t)number * width;
        }
        task_take(task, system);
        under_way->task_of[system->number] = number;
        stage->is_exclusive |= system->def.exclusive;
        stage->records |= system->def.commands;
    }
    stage->reach = build_take(under_way, stage->task_count, (stage->task_count + 63) / 64 * sizeof(uint64_t), 8);
    shoal_status status = stage->reach != NULL ? SHOAL_OK : memory_failure(&under_way->schedule->world->memory);
    for (uint32_t i = 0; i < stage->task_count && status == SHOAL_OK; i++) {
        status = task_complete(under_way, &stage->tasks[i]);
        status = status == SHOAL_OK ? edges_make(under_way, stage, &stage->tasks[i]) : status;
    }
    return status;
}

static void stats_of_stage(shoal_schedule *schedule, const schedule_stage *stage) {
    schedule->stats.tasks += stage->task_count;
    schedule->stats.sync_points += stage->syncs;
    for (uint32_t i = 0; i < stage->task_count; i++) {
        schedule->stats.fused += stage->tasks[i].member_count > 1 ? stage->tasks[i].member_count : 0;
    }
}

static shoal_status stages_make(build *under_way) {
    shoal_schedule *schedule = under_way->schedule;
    uint32_t count = (uint32_t)under_way->order.count;
    shoal_status status = SHOAL_OK;
    bool is_pending = false;
    uint32_t first = 0;
    for (uint32_t place = 1; place <= count && status == SHOAL_OK; place++) {
        if (!stage_ends_before(under_way, place)) {
            continue;
        }
        schedule_stage *stage = &schedule->stages[schedule->stage_count++];
        status = stage_make(under_way, stage, first, place);
        is_pending |= stage->records;
        bool phase_ends =
            place == count || system_in_line(under_way, place)->phase != system_in_line(under_way, place - 1)->phase;
        bool rises = !phase_ends && under_way->order.depth[under_way->line[place]] !=
                                        under_way->order.depth[under_way->line[place - 1]];
        stage->syncs = is_pending && (phase_ends || rises);
        is_pending = is_pending && !stage->syncs;
        stats_of_stage(schedule, stage);
        first = place;
    }
    return status;
}

/* Builds into a schedule that has nothing built; gives back all of it on failure. */
static shoal_status build_make(build *under_way) {
    shoal_schedule *schedule = under_way->schedule;
    size_t count = under_way->order.count;
    schedule->stats.stages = schedule->stats.tasks = schedule->stats.fused = schedule->stats.sync_points = 0;
    under_way->line = build_take(under_way, count, sizeof(uint32_t), 4);
    under_way->task_of = under_way->line != NULL ? build_take(under_way, count, sizeof(uint32_t), 4) : NULL;
    under_way->edges = under_way->task_of != NULL ? build_take(under_way, count, sizeof *under_way->edges, 8) : NULL;
    schedule->stages = under_way->edges != NULL
                           ? build_take(under_way, count, sizeof(schedule_stage), _Alignof(schedule_stage))
                           : NULL;
    if (schedule->stages == NULL) {
        return memory_failure(&schedule->world->memory);
    }
    line_make(under_way);
    for (uint32_t place = 0; place < count; place++) {
        system_in_line(under_way, place)->line = place;
    }
    shoal_status status = stages_make(under_way);
    schedule->stats.stages = schedule->stage_count;
    return status == SHOAL_OK ? workers_make(schedule) : status;
}

shoal_status schedule_build(shoal_schedule *schedule, const char *call) {
    uint32_t workers = schedule->pool != NULL ? pool_capacity(schedule->pool) : 1;
    if (schedule->is_built && workers == schedule->worker_count) {
        return SHOAL_OK;
    }
    schedule_unbuild(schedule);
    schedule->worker_count = workers;
    build under_way = {.schedule = schedule, .call = call};
    shoal_status status = order_make(schedule, &under_way.order, call);
    if (status != SHOAL_OK) {
        return status;
    }
    status = build_make(&under_way);
    order_free(schedule, &under_way.order);
    if (status != SHOAL_OK) {
        schedule_unbuild(schedule);
        return error_detail(&schedule->world->error, status, call,
                            "building the schedule of %u systems for %u workers, each with a ring of its own",
                            schedule->system_count, schedule->worker_count);
    }
    schedule->is_built = true;
    schedule->stats.builds++;
    return SHOAL_OK;
}
