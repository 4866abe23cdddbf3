/*
 * The order of systems, from what they declare and where they conflict.
 *
 *     declared edges -> sequence (by registration where nothing decides) -> conflict edges along it -> depths
 *
 * Edges stand in a matrix of bytes, [from][to], and which systems come after which by declared orders, also by way of
 * others, in a matrix of bits. Conflict edges follow the sequence, so they never close a cycle; where declared orders
 * leave it open the sequence is that of registration. A system's depth is how many sync points must come before it in
 * its phase: one more than that of each recording system that it comes after by a synced edge. That is the fewest that
 * do.
 *
 * Costs n * n bytes and n * n comparisons of access sets for n systems. Thread rule: world.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/hash.h"
#include "schedule.h"

typedef struct order_work {
    shoal_schedule *schedule;
    system_order *order;
    const char *call;
    uint64_t *reach; /* bits: count rows of `words` words */
    size_t words;
    uint32_t *waits; /* by system: declared edges to it that are open */
    uint64_t random; /* 0: by registration */
} order_work;

static uint8_t *edge_at(const system_order *order, size_t from, size_t to) {
    return &order->edges[from * order->count + to];
}

static bool reaches(const order_work *work, size_t from, size_t to) {
    return (work->reach[from * work->words + to / 64] >> (to % 64)) & 1;
}

/* ---- declared edges ---- */

static void edge_declare(const system_order *order, const shoal_system *from, const shoal_system *to, uint8_t kind) {
    uint8_t *edge = edge_at(order, from->number, to->number);
    *edge = *edge > kind ? *edge : kind;
}

static shoal_status name_missing(const order_work *work, const shoal_system *system, const char *name,
                                 const char *member) {
    shoal_world *world = work->schedule->world;
    const shoal_system *other = system_by_name(work->schedule, name, strlen(name));
    const schedule_phase *phases = work->schedule->phases.items;
    if (other == NULL) {
        return error_detail(&world->error, SHOAL_SYSTEM_MISSING, work->call,
                            "system \"%.80s\" names \"%.80s\" in its %s, which is not there", system->name, name,
                            member);
    }
    return error_detail(&world->error, SHOAL_SYSTEM_MISSING, work->call,
                        "system \"%.60s\" of phase \"%.40s\" names \"%.60s\" in its %s, which is in phase \"%.40s\"",
                        system->name, phases[system->phase].name, name, member, phases[other->phase].name);
}

static shoal_status edges_of_list(const order_work *work, shoal_system *system, const name_list *list,
                                  const char *member) {
    for (size_t i = 0; i < list->count; i++) {
        shoal_system *other = system_by_name(work->schedule, list->names[i], strlen(list->names[i]));
        if (other == NULL || other->phase != system->phase) {
            return name_missing(work, system, list->names[i], member);
        }
        if (list == &system->before) {
            edge_declare(work->order, system, other, EDGE_SYNCED);
        } else {
            edge_declare(work->order, other, system, list == &system->after ? EDGE_SYNCED : EDGE_UNSYNCED);
        }
    }
    return SHOAL_OK;
}

const shoal_system *chain_before(const shoal_system *system) {
    for (uint32_t i = system->number; i > 0 && system->chain != NULL; i--) {
        const shoal_system *other = system->schedule->systems[i - 1];
        if (other->chain != NULL && other->phase == system->phase && strcmp(other->chain, system->chain) == 0) {
            return other;
        }
    }
    return NULL;
}

static shoal_status edges_declare(const order_work *work) {
    shoal_status status = SHOAL_OK;
    for (uint32_t i = 0; i < work->schedule->system_count && status == SHOAL_OK; i++) {
        shoal_system *system = work->schedule->systems[i];
        status = edges_of_list(work, system, &system->before, "before");
        status = status == SHOAL_OK ? edges_of_list(work, system, &system->after, "after") : status;
        status = status == SHOAL_OK ? edges_of_list(work, system, &system->after_unsynced, "after_unsynced") : status;
        const shoal_system *other = chain_before(system);
        if (other != NULL) {
            edge_declare(work->order, other, system, EDGE_SYNCED);
        }
    }
    return status;
}

/* ---- the sequence ---- */

/* Names the way of a cycle: every system that is left waits for another one that is left, so going back along edges
   must come to one that was met before. */
static shoal_status cycle_tell(const order_work *work) {
    const system_order *order = work->order;
    shoal_system *const *systems = work->schedule->systems;
    size_t at = 0;
    while (work->waits[at] == 0 || work->waits[at] == SYSTEM_NONE) {
        at++;
    }
    uint32_t *way = order->sequence; /* not needed any more */
    size_t length = 0;
    size_t begin = 0;
    for (;;) {
        for (begin = 0; begin < length && way[begin] != at; begin++) {
        }
        if (begin < length) {
            break;
        }
        way[length++] = (uint32_t)at;
        size_t from = 0;
        while (*edge_at(order, from, at) == EDGE_NONE || work->waits[from] == SYSTEM_NONE) {
            from++;
        }
        at = from;
    }
    char text[256];
    int used = snprintf(text, sizeof text, "%.40s", systems[way[begin]]->name);
    for (size_t i = length; i-- > begin && used > 0 && (size_t)used < sizeof text;) {
        used += snprintf(text + used, sizeof text - (size_t)used, " before %.40s", systems[way[i]]->name);
    }
    return error_detail(&work->schedule->world->error, SHOAL_SYSTEM_CYCLE, work->call, "%s", text);
}

/* One of the systems that wait for nothing more: the first of its phase, or a random one of its phase. */
static uint32_t pick(order_work *work) {
    shoal_system *const *systems = work->schedule->systems;
    uint32_t best = SYSTEM_NONE;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < work->order->count; i++) {
        if (work->waits[i] != 0) {
            continue;
        }
        if (best == SYSTEM_NONE || systems[i]->phase < systems[best]->phase) {
            best = i;
            seen = 1;
        } else if (work->random != 0 && systems[i]->phase == systems[best]->phase) {
            work->random = hash_mix(work->random, ++seen) | 1;
            best = (work->random >> 33) % seen == 0 ? i : best;
        }
    }
    return best;
}

/* Puts all systems into a sequence that follows the edges of now; those of an earlier phase first. */
static shoal_status sequence_make(order_work *work) {
    system_order *order = work->order;
    memset(work->waits, 0, order->count * sizeof *work->waits);
    for (size_t from = 0; from < order->count; from++) {
        for (size_t to = 0; to < order->count; to++) {
            work->waits[to] += *edge_at(order, from, to) != EDGE_NONE;
        }
    }
    for (size_t done = 0; done < order->count; done++) {
        uint32_t next = pick(work);
        if (next == SYSTEM_NONE) {
            return cycle_tell(work);
        }
        order->sequence[done] = next;
        work->waits[next] = SYSTEM_NONE;
        for (size_t to = 0; to < order->count; to++) {
            work->waits[to] -= *edge_at(order, next, to) != EDGE_NONE;
        }
    }
    return SHOAL_OK;
}

/* Who comes after whom by the edges of now, also by way of others. */
static void reach_make(const order_work *work) {
    const system_order *order = work->order;
    for (size_t i = order->count; i-- > 0;) {
        size_t from = order->sequence[i];
        uint64_t *row = work->reach + from * work->words;
        for (size_t to = 0; to < order->count; to++) {
            if (*edge_at(order, from, to) == EDGE_NONE) {
                continue;
            }
            row[to / 64] |= UINT64_C(1) << (to % 64);
            for (size_t word = 0; word < work->words; word++) {
                row[word] |= work->reach[to * work->words + word];
            }
        }
    }
}

/* ---- conflicts ---- */

bool systems_conflict(const shoal_system *a, const shoal_system *b) {
    bool is_disjoint = access_disjoint(a->query, b->query);
    for (size_t i = 0; i < a->access.count; i++) {
        const access_entry *entry = access_at(&a->access, i);
        if (access_conflicts(entry->kinds, access_of(&b->access, entry->component.id), is_disjoint)) {
            return true;
        }
    }
    return false;
}

bool name_list_has(const name_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static shoal_status pair_add(const order_work *work, const shoal_system *a, const shoal_system *b) {
    shoal_schedule *schedule = work->schedule;
    shoal_status status = memory_array_reserve(&schedule->world->memory, SHOAL_PURPOSE_SCHEDULE, &schedule->pairs,
                                               schedule->pair_count + 1, sizeof(schedule_pair));
    if (status != SHOAL_OK) {
        return world_fail(schedule->world, status, work->call);
    }
    bool acknowledged = name_list_has(&a->acknowledge, b->name) || name_list_has(&b->acknowledge, a->name);
    ((schedule_pair *)schedule->pairs.items)[schedule->pair_count++] =
        (schedule_pair){.first = a->number, .second = b->number, .acknowledged = acknowledged};
    schedule->stats.ambiguities += !acknowledged;
    return SHOAL_OK;
}

/* An edge along the sequence for each pair of a phase that conflicts; pairs without a declared order are noted. */
static shoal_status conflicts_add(const order_work *work) {
    const system_order *order = work->order;
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < order->count && status == SHOAL_OK; i++) {
        for (size_t k = i + 1; k < order->count && status == SHOAL_OK; k++) {
            const shoal_system *first = work->schedule->systems[order->sequence[i]];
            const shoal_system *second = work->schedule->systems[order->sequence[k]];
            if (first->phase != second->phase) {
                break;
            }
            bool conflict = systems_conflict(first, second);
            bool is_exclusive = first->def.exclusive || second->def.exclusive;
            uint8_t *edge = edge_at(order, first->number, second->number);
            if (conflict && !reaches(work, first->number, second->number)) {
                status = pair_add(work, first, second);
            }
            if (*edge == EDGE_NONE && (conflict || is_exclusive)) {
                *edge = second->def.exclusive ? EDGE_SYNCED : EDGE_CONFLICT;
            }
        }
    }
    return status;
}

static void depths_make(const order_work *work) {
    const system_order *order = work->order;
    for (size_t k = 0; k < order->count; k++) {
        uint32_t to = order->sequence[k];
        order->depth[to] = 0;
        for (size_t i = 0; i < k; i++) {
            uint32_t from = order->sequence[i];
            uint8_t edge = *edge_at(order, from, to);
            uint32_t least =
                order->depth[from] + (edge == EDGE_SYNCED && work->schedule->systems[from]->def.commands ? 1 : 0);
            order->depth[to] = edge != EDGE_NONE && least > order->depth[to] ? least : order->depth[to];
        }
    }
}

/* Pairs by the first system, so that a report of them is grouped. */
static int pair_compare(const void *left, const void *right) {
    const schedule_pair *a = left;
    const schedule_pair *b = right;
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return a->second < b->second ? -1 : a->second > b->second;
}

/* ---- all of it ---- */

static shoal_status order_work_out(order_work *work) {
    const shoal_schedule_def *def = &work->schedule->def;
    work->schedule->pair_count = 0;
    work->schedule->stats.ambiguities = 0;
    shoal_status status = edges_declare(work);
    work->random = def->shuffle_conflicts && def->shuffle_seed != 0 ? def->shuffle_seed | 1 : 0;
    status = status == SHOAL_OK ? sequence_make(work) : status;
    if (status != SHOAL_OK) {
        return status;
    }
    reach_make(work);
    status = conflicts_add(work);
    if (status == SHOAL_OK && def->shuffle_seed != 0) {
        work->random = def->shuffle_seed | 1;
        status = sequence_make(work);
    }
    depths_make(work);
    if (work->schedule->pair_count != 0) {
        qsort(work->schedule->pairs.items, work->schedule->pair_count, sizeof(schedule_pair), pair_compare);
    }
    return status;
}

void order_free(shoal_schedule *schedule, system_order *order) {
    shoal_memory *memory = &schedule->world->memory;
    size_t count = order->count;
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, order->edges, count * count, 16);
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, order->sequence, 2 * count * sizeof(uint32_t), 16);
    *order = (system_order){0};
}

shoal_status order_make(shoal_schedule *schedule, system_order *order, const char *call) {
    shoal_memory *memory = &schedule->world->memory;
    size_t count = schedule->system_count;
    size_t words = (count + 63) / 64;
    order_work work = {.schedule = schedule, .order = order, .call = call, .words = words};
    *order = (system_order){.count = count};
    if (count == 0) {
        schedule->pair_count = 0;
        schedule->stats.ambiguities = 0;
        return SHOAL_OK;
    }
    order->edges = memory_allocate_zero(memory, SHOAL_PURPOSE_SCRATCH, count * count, 16);
    order->sequence =
        order->edges != NULL ? memory_allocate(memory, SHOAL_PURPOSE_SCRATCH, 2 * count * sizeof(uint32_t), 16) : NULL;
    size_t reach_bytes = count * words * sizeof(uint64_t);
    work.reach = order->sequence != NULL ? memory_allocate_zero(memory, SHOAL_PURPOSE_SCRATCH, reach_bytes, 16) : NULL;
    work.waits =
        work.reach != NULL ? memory_allocate(memory, SHOAL_PURPOSE_SCRATCH, count * sizeof(uint32_t), 16) : NULL;
    shoal_status status = SHOAL_OK;
    if (work.waits != NULL) {
        order->depth = order->sequence + count;
        status = order_work_out(&work);
    } else {
        status = world_fail(schedule->world, memory_failure(memory), call);
    }
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, work.waits, count * sizeof(uint32_t), 16);
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, work.reach, reach_bytes, 16);
    if (status != SHOAL_OK) {
        order_free(schedule, order);
    }
    return status;
}
