/*
 * Telling of ambiguities; see ambiguity.h. order.c finds them when the schedule is built.
 */
#include "ambiguity.h"

#include <stdio.h>
#include <string.h>

#include "../base/assert.h"

#define PAIR_COMPONENTS 64 /* named of one pair */

bool conflict_next(const shoal_system *a, const shoal_system *b, size_t *at, shoal_component *component) {
    bool is_disjoint = access_disjoint(a->query, b->query);
    while (*at < a->access.count) {
        const access_entry *entry = access_at(&a->access, (*at)++);
        if (access_conflicts(entry->kinds, access_of(&b->access, entry->component.id), is_disjoint)) {
            *component = entry->component;
            return true;
        }
    }
    return false;
}

static size_t pair_components(const shoal_system *a, const shoal_system *b, shoal_component *components) {
    size_t at = 0;
    size_t count = 0;
    while (count < PAIR_COMPONENTS && conflict_next(a, b, &at, &components[count])) {
        count++;
    }
    return count;
}

size_t pair_archetypes(shoal_schedule *schedule, const shoal_system *a, const shoal_system *b) {
    if (ages_refresh(schedule) != SHOAL_OK || a->query == NULL || b->query == NULL) {
        return 0;
    }
    const query_data *one = query_of_const(a->query);
    const query_data *other = query_of_const(b->query);
    size_t count = 0;
    for (size_t i = 0, k = 0; i < one->match_count && k < other->match_count;) {
        const shoal_archetype *left = query_match_at(one, i)->archetype;
        const shoal_archetype *right = query_match_at(other, k)->archetype;
        count += left == right;
        bool is_older = age_of(schedule, left) < age_of(schedule, right);
        i += is_older || left == right;
        k += !is_older;
    }
    return count;
}

shoal_status shoal_schedule_ambiguities(shoal_world *world, void (*visit)(void *user, const shoal_ambiguity *pair),
                                        void *user) {
    if (world == NULL || visit == NULL) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, "shoal_schedule_ambiguities");
    }
    shoal_status status = shoal_schedule_build(world);
    shoal_schedule *schedule = world->schedule;
    const schedule_pair *pairs = status == SHOAL_OK ? schedule->pairs.items : NULL;
    for (size_t i = 0; status == SHOAL_OK && i < schedule->pair_count; i++) {
        const shoal_system *first = schedule->systems[pairs[i].first];
        const shoal_system *second = schedule->systems[pairs[i].second];
        shoal_component components[PAIR_COMPONENTS];
        shoal_ambiguity pair = {.first = first->name,
                                .second = second->name,
                                .components = components,
                                .component_count = pair_components(first, second, components),
                                .archetype_count = pair_archetypes(schedule, first, second),
                                .acknowledged = pairs[i].acknowledged};
        visit(user, &pair);
    }
    return status;
}

/* ---- the log ---- */

/* A line that is being written, cut where it gets too long. */
typedef struct log_line {
    char text[400];
    size_t used;
} log_line;

static void line_add(log_line *line, const char *text) {
    int written = snprintf(line->text + line->used, sizeof line->text - line->used, "%s", text);
    size_t room = sizeof line->text - 1 - line->used;
    line->used += written >= 0 && (size_t)written < room ? (size_t)written : room;
}

static void line_add_pair(log_line *line, const shoal_system *first, const shoal_system *second) {
    shoal_component components[PAIR_COMPONENTS];
    size_t count = pair_components(first, second, components);
    line_add(line, " \"");
    line_add(line, second->name);
    line_add(line, "\" (");
    for (size_t i = 0; i < count; i++) {
        line_add(line, i > 0 ? ", " : "");
        line_add(line, component_type_at(components[i].id)->def.name);
    }
    line_add(line, ")");
}

void ambiguities_log(shoal_schedule *schedule) {
    bool by_default = SHOAL_DEBUG >= 1 && schedule->def.ambiguities == SHOAL_REPORT_DEFAULT;
    if ((!by_default && schedule->def.ambiguities != SHOAL_REPORT_ON) || schedule->stats.ambiguities == 0) {
        return;
    }
    const schedule_pair *pairs = schedule->pairs.items;
    for (size_t i = 0; i < schedule->pair_count;) {
        uint32_t number = pairs[i].first;
        const shoal_system *first = schedule->systems[number];
        log_line line = {.used = 0};
        for (; i < schedule->pair_count && pairs[i].first == number; i++) {
            if (!pairs[i].acknowledged) {
                line_add(&line, line.used != 0 ? "," : "");
                line_add_pair(&line, first, schedule->systems[pairs[i].second]);
            }
        }
        if (line.used != 0) {
            world_log(schedule->world, SHOAL_LOG_WARNING,
                      "no order is declared between system \"%.60s\" and%s; they run in the order of registration: "
                      "declare before or after, or acknowledge it",
                      first->name, line.text);
        }
    }
}
