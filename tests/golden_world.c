/*
 * The script of golden_world.h. Six lanes, each a column of its own, with eight systems each; then twelve systems that
 * are one of a kind. The world begins with 5,000 entities, so that the rows of one system are
 * shared as well; a census keeps their number in bounds.
 */
#include "golden_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LANES 6
#define ANCHORS 64
#define FIRST_ENTITIES 5000
#define MOST_ENTITIES 16000

typedef struct Lane {
    uint64_t bits;
    double real;
} Lane;

typedef struct LaneTotal {
    double real;
    int64_t count;
} LaneTotal;

typedef struct LaneRange {
    double real;
} LaneRange;

typedef struct Place {
    double x, y;
} Place;

typedef struct Speed {
    double x, y;
} Speed;

typedef struct Frame {
    double x, y;
    uint32_t depth;
    uint32_t visits;
} Frame;

typedef struct Age {
    uint32_t steps;
    uint32_t limit;
} Age;

typedef struct Census {
    uint64_t entities;
    uint64_t lit;
} Census;

typedef struct Anchors {
    shoal_entity entities[ANCHORS];
    uint32_t count;
} Anchors;

typedef struct Digest {
    uint64_t value;
    uint64_t rows;
} Digest;

SHOAL_COMPONENT(Place, .fields = SHOAL_FIELDS(SHOAL_FIELD(Place, x), SHOAL_FIELD(Place, y)))
SHOAL_COMPONENT(Speed, .fields = SHOAL_FIELDS(SHOAL_FIELD(Speed, x), SHOAL_FIELD(Speed, y)))
SHOAL_COMPONENT(Frame, .fields = SHOAL_FIELDS(SHOAL_FIELD(Frame, x), SHOAL_FIELD(Frame, y), SHOAL_FIELD(Frame, depth),
                                              SHOAL_FIELD(Frame, visits)))
SHOAL_COMPONENT(Age, .fields = SHOAL_FIELDS(SHOAL_FIELD(Age, steps), SHOAL_FIELD(Age, limit)))
SHOAL_COMPONENT(Census, .storage = SHOAL_STORAGE_UNIQUE,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Census, entities), SHOAL_FIELD(Census, lit)))
SHOAL_COMPONENT(Anchors, .storage = SHOAL_STORAGE_UNIQUE,
                .fields = SHOAL_FIELDS(SHOAL_FIELD_ARRAY(Anchors, entities), SHOAL_FIELD(Anchors, count)))
SHOAL_COMPONENT(Digest, .storage = SHOAL_STORAGE_UNIQUE,
                .fields = SHOAL_FIELDS(SHOAL_FIELD(Digest, value), SHOAL_FIELD(Digest, rows)))
SHOAL_TAG(Lit, .toggle = true)
SHOAL_RELATION(Follows, .exclusive = true)

/* What a lane's systems are told as `user`. */
typedef struct lane {
    uint32_t number;
    shoal_component own;   /* the column */
    shoal_component next;  /* the next lane's */
    shoal_component third; /* the one after that */
    shoal_component total; /* uniques */
    shoal_component least;
    shoal_component most;
} lane;

/* Chance that follows from who and when. */
static uint64_t chance(shoal_entity entity, uint64_t tick, uint64_t salt) {
    uint64_t mixed = shoal_entity_index(entity) * UINT64_C(0x9E3779B97F4A7C15) + tick * UINT64_C(0xD1B54A32D192ED03);
    mixed += salt * UINT64_C(0x2545F4914F6CDD1D);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

/* ---- the lanes ---- */

static shoal_status lane_stir(const shoal_run *run, shoal_view *view) {
    const lane *l = run->user;
    Lane *own = shoal_view_write(view, l->own);
    for (size_t i = 0; i < view->count; i++) {
        own[i].bits = own[i].bits * UINT64_C(6364136223846793005) + chance(view->entities[i], run->tick, l->number);
    }
    return SHOAL_OK;
}

static shoal_status lane_drift(const shoal_run *run, shoal_view *view) {
    const lane *l = run->user;
    Lane *own = shoal_view_write(view, l->own);
    for (size_t i = 0; i < view->count; i++) {
        double part = (double)(own[i].bits >> 40) / 16777216.0;
        own[i].real = sqrt(own[i].real * own[i].real * 0.8 + part) + run->dt * (double)(l->number + 1);
    }
    return SHOAL_OK;
}

static shoal_status lane_pull(const shoal_run *run, shoal_view *view) {
    const lane *l = run->user;
    Lane *own = shoal_view_write(view, l->own);
    const Lane *next = shoal_view_read(view, l->next);
    for (size_t i = 0; i < view->count; i++) {
        own[i].real = next != NULL ? (own[i].real + next[i].real / 3) / 1.25 : own[i].real * 0.99;
    }
    return SHOAL_OK;
}

static shoal_status lane_sum(const shoal_run *run, shoal_view *view) {
    const lane *l = run->user;
    const Lane *own = shoal_view_read(view, l->own);
    LaneTotal *total = shoal_run_sum(run, 0);
    for (size_t i = 0; i < view->count; i++) {
        total->real += own[i].real / 7;
        total->count++;
    }
    return SHOAL_OK;
}

static shoal_status lane_range(const shoal_run *run, shoal_view *view) {
    const lane *l = run->user;
    const Lane *own = shoal_view_read(view, l->own);
    LaneRange *least = shoal_run_sum(run, 0);
    LaneRange *most = shoal_run_sum(run, 1);
    for (size_t i = 0; i < view->count; i++) {
        least->real = own[i].real < least->real ? own[i].real : least->real;
        most->real = own[i].real > most->real ? own[i].real : most->real;
    }
    return SHOAL_OK;
}

static shoal_status lane_steer(const shoal_run *run, shoal_view *view) {
    const lane *l = run->user;
    Lane *own = shoal_view_write(view, l->own);
    const LaneTotal *total = shoal_unique_get(run->world, l->total);
    double mean = total->real * 7 / (double)(total->count + 1);
    for (size_t i = 0; i < view->count; i++) {
        own[i].real -= (own[i].real - mean) / 16;
        own[i].bits ^= (uint64_t)total->count;
    }
    return SHOAL_OK;
}

static bool has_room(const shoal_run *run) {
    const Census *census = SHOAL_UNIQUE(run->world, Census);
    return census->entities < MOST_ENTITIES;
}

static shoal_status lane_spawn(const shoal_run *run, shoal_view *view) {
    const lane *l = run->user;
    const Lane *own = shoal_view_read(view, l->own);
    for (size_t i = 0; i < view->count; i++) {
        uint64_t draw = chance(view->entities[i], run->tick, 100 + l->number);
        if (draw % 48 != 0) {
            continue;
        }
        const Lane value = {own[i].bits ^ draw, own[i].real / 2};
        const Age age = {0, 4 + (uint32_t)(draw >> 8) % 24};
        const Place place = {own[i].real, (double)(draw >> 50)};
        const shoal_value values[] = {{l->own, &value},   {SHOAL_ID(Age), &age}, {SHOAL_ID(Place), &place},
                                      {l->third, &value}, {SHOAL_ID(Lit), NULL}, {SHOAL_ID(Frame), NULL}};
        shoal_entity made = shoal_commands_spawn(run->commands, values, 3 + (draw >> 20) % 4);
        if (shoal_entity_is_null(made)) {
            return shoal_last_error(run->world).status;
        }
        if ((draw >> 30) % 2 == 0) {
            shoal_status status =
                shoal_commands_relate(run->commands, made, SHOAL_ID(ChildOf), view->entities[i], NULL);
            if (status != SHOAL_OK) {
                return status;
            }
        }
    }
    return SHOAL_OK;
}

static shoal_status lane_change(const shoal_run *run, shoal_view *view) {
    const lane *l = run->user;
    const Lane *own = shoal_view_read(view, l->own);
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < view->count && status == SHOAL_OK; i++) {
        uint64_t draw = chance(view->entities[i], run->tick, 200 + l->number);
        if (draw % 29 == 0) {
            status = shoal_commands_add(run->commands, view->entities[i], l->next, &own[i]);
        } else if (draw % 31 == 0) {
            status = shoal_commands_remove(run->commands, view->entities[i], l->own);
        }
    }
    return status;
}

/* ---- one of a kind ---- */

static shoal_status move(const shoal_run *run, shoal_view *view) {
    Place *place = SHOAL_COLUMN_MUT(view, Place);
    const Speed *speed = SHOAL_COLUMN(view, Speed);
    for (size_t i = 0; i < view->count; i++) {
        place[i].x += speed[i].x * run->dt;
        place[i].y += speed[i].y * run->dt;
    }
    return SHOAL_OK;
}

static shoal_status grow_old(const shoal_run *run, shoal_view *view) {
    (void)run;
    Age *age = SHOAL_COLUMN_MUT(view, Age);
    for (size_t i = 0; i < view->count; i++) {
        age[i].steps++;
    }
    return SHOAL_OK;
}

static shoal_status reap(const shoal_run *run, shoal_view *view) {
    const Age *age = SHOAL_COLUMN(view, Age);
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < view->count && status == SHOAL_OK; i++) {
        if (age[i].steps >= age[i].limit) {
            status = shoal_commands_destroy_entity(run->commands, view->entities[i]);
        }
    }
    return status;
}

static shoal_status toggle(const shoal_run *run, shoal_view *view) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < view->count && status == SHOAL_OK; i++) {
        uint64_t draw = chance(view->entities[i], run->tick, 300);
        if (draw % 5 == 0) {
            status = shoal_commands_disable(run->commands, view->entities[i], SHOAL_ID(Lit));
        } else if (draw % 5 == 1) {
            status = shoal_commands_enable(run->commands, view->entities[i], SHOAL_ID(Lit));
        }
    }
    return status;
}

static shoal_status shine(const shoal_run *run, shoal_view *view) {
    (void)run;
    Place *place = SHOAL_COLUMN_MUT(view, Place);
    SHOAL_ROWS(view, i) {
        place[i].y = place[i].y * 0.9 + 1.0 / 3;
    }
    return SHOAL_OK;
}

static shoal_status take_census(const shoal_run *run) {
    Census *census = SHOAL_UNIQUE_MUT(run->world, Census);
    census->entities = shoal_world_entity_count(run->world);
    census->lit = shoal_query_count(run->query);
    return SHOAL_OK;
}

/* The first entities with a place, so that others can follow them. */
static shoal_status drop_anchors(const shoal_run *run) {
    Anchors *anchors = SHOAL_UNIQUE_MUT(run->world, Anchors);
    *anchors = (Anchors){.count = 0};
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, run->query);
    while (status == SHOAL_OK && shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count && anchors->count < ANCHORS; i += 7) {
            anchors->entities[anchors->count++] = view.entities[i];
        }
    }
    return status;
}

static shoal_status relate(const shoal_run *run, shoal_view *view) {
    const Anchors *anchors = SHOAL_UNIQUE(run->world, Anchors);
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < view->count && status == SHOAL_OK && anchors->count != 0; i++) {
        uint64_t draw = chance(view->entities[i], run->tick, 400);
        if (draw % 11 == 0) {
            shoal_entity target = anchors->entities[(draw >> 8) % anchors->count];
            status = shoal_commands_relate(run->commands, view->entities[i], SHOAL_ID(Follows), target, NULL);
        } else if (draw % 23 == 0) {
            status = shoal_commands_unrelate(run->commands, view->entities[i], SHOAL_ID(Follows), (shoal_entity){0});
        }
    }
    return status;
}

/* Speed towards whom one follows: looks up the place of another entity. */
static shoal_status follow(const shoal_run *run, shoal_view *view) {
    Speed *speed = SHOAL_COLUMN_MUT(view, Speed);
    for (size_t i = 0; i < view->count; i++) {
        shoal_entity target = shoal_target(run->world, view->entities[i], SHOAL_ID(Follows));
        if (shoal_entity_is_null(target) || !SHOAL_HAS(run->world, target, Place)) {
            continue;
        }
        const Place *goal = SHOAL_GET(run->world, target, Place);
        speed[i].x += (goal->x - speed[i].x) / 32;
        speed[i].y += (goal->y - speed[i].y) / 32;
    }
    return SHOAL_OK;
}

/* Parents first, on one thread: each frame is the parent's with the place in it. */
static shoal_status place_frames(const shoal_run *run, shoal_view *view) {
    Frame *frame = SHOAL_COLUMN_MUT(view, Frame);
    const Place *place = SHOAL_COLUMN(view, Place);
    for (size_t i = 0; i < view->count; i++) {
        shoal_entity parent = shoal_parent(run->world, view->entities[i]);
        const Frame *above = !shoal_entity_is_null(parent) && SHOAL_HAS(run->world, parent, Frame)
                                 ? SHOAL_GET(run->world, parent, Frame)
                                 : NULL;
        frame[i].x = place[i].x / 4 + (above != NULL ? above->x : 0);
        frame[i].y = place[i].y / 4 + (above != NULL ? above->y : 0);
        frame[i].depth = above != NULL ? above->depth + 1 : 0;
        frame[i].visits++;
    }
    return SHOAL_OK;
}

static void digest_begin(void *sum, void *user) {
    (void)user;
    *(Digest *)sum = (Digest){.value = 17};
}

/* The order of merges shows in the value. */
static void digest_merge(void *sum, const void *other, void *user) {
    (void)user;
    Digest *digest = sum;
    const Digest *next = other;
    digest->value = digest->value * UINT64_C(1099511628211) + next->value;
    digest->rows += next->rows;
}

static shoal_status digest_ages(const shoal_run *run, shoal_view *view) {
    const Age *age = SHOAL_COLUMN(view, Age);
    Digest *digest = shoal_run_sum(run, 0);
    for (size_t i = 0; i < view->count; i++) {
        digest->value = (digest->value ^ age[i].steps) * UINT64_C(31) + age[i].limit;
        digest->rows++;
    }
    return SHOAL_OK;
}

/* Direct calls, every fourth step. */
static shoal_status rebuild(const shoal_run *run) {
    const Anchors *anchors = SHOAL_UNIQUE(run->world, Anchors);
    const uint32_t count = anchors->count;
    shoal_entity kept[ANCHORS];
    memcpy(kept, anchors->entities, sizeof kept);
    for (uint32_t i = 0; i < count; i += 9) {
        if (shoal_is_alive(run->world, kept[i])) {
            shoal_status status = shoal_destroy(run->world, kept[i]);
            if (status != SHOAL_OK) {
                return status;
            }
        }
    }
    for (uint32_t i = 0; i < 20; i++) {
        const Speed speed = {i / 3.0, -1.0 / (i + 1)};
        const Age age = {0, 10 + i};
        const Place place = {(double)run->tick, (double)i};
        const shoal_value values[] = {
            {SHOAL_ID(Speed), &speed}, {SHOAL_ID(Age), &age}, {SHOAL_ID(Place), &place}, {SHOAL_ID(Lit), NULL}};
        if (shoal_entity_is_null(shoal_spawn(run->world, values, 4))) {
            return shoal_last_error(run->world).status;
        }
    }
    return SHOAL_OK;
}

/* ---- putting it together ---- */

/* A world and what its systems are told. */
typedef struct script {
    shoal_world *world;
    lane lanes[LANES];
    bool failed;
} script;

static void add(script *s, const shoal_system_def *def) {
    s->failed = s->failed || shoal_system_add(s->world, def) == NULL;
}

static shoal_component make_type(const char *name, shoal_storage storage, const shoal_field *fields, size_t count,
                                 size_t size) {
    return shoal_component_register(&(shoal_component_def){
        .name = name, .size = size, .alignment = 8, .storage = storage, .fields = fields, .field_count = count});
}

#define TERMS(...) .query = {.terms = SHOAL_TERMS(__VA_ARGS__)}
#define LOOKUPS(...) .lookups = SHOAL_TERMS(__VA_ARGS__)

static void make_lanes(script *s) {
    static const shoal_field lane_fields[] = {SHOAL_FIELD(Lane, bits), SHOAL_FIELD(Lane, real)};
    static const shoal_field total_fields[] = {SHOAL_FIELD(LaneTotal, real), SHOAL_FIELD(LaneTotal, count)};
    static const shoal_field range_fields[] = {SHOAL_FIELD(LaneRange, real)};
    for (uint32_t i = 0; i < LANES; i++) {
        char name[32];
        lane *l = &s->lanes[i];
        l->number = i;
        snprintf(name, sizeof name, "GoldenLane%u", i);
        l->own = make_type(name, SHOAL_STORAGE_TABLE, lane_fields, 2, sizeof(Lane));
        snprintf(name, sizeof name, "GoldenTotal%u", i);
        l->total = make_type(name, SHOAL_STORAGE_UNIQUE, total_fields, 2, sizeof(LaneTotal));
        snprintf(name, sizeof name, "GoldenLeast%u", i);
        l->least = make_type(name, SHOAL_STORAGE_UNIQUE, range_fields, 1, sizeof(LaneRange));
        snprintf(name, sizeof name, "GoldenMost%u", i);
        l->most = make_type(name, SHOAL_STORAGE_UNIQUE, range_fields, 1, sizeof(LaneRange));
    }
    for (uint32_t i = 0; i < LANES; i++) {
        s->lanes[i].next = s->lanes[(i + 1) % LANES].own;
        s->lanes[i].third = s->lanes[(i + 2) % LANES].own;
    }
}

/* A lane's system; the terms are the lane's own column and, with an access, the next one's. */
static void add_to_lane(script *s, lane *l, const char *part, shoal_access access, const shoal_system_def *def) {
    char name[32];
    snprintf(name, sizeof name, "lane%u %s", l->number, part);
    const shoal_term terms[] = {{.component = l->own, .access = access},
                                {.component = l->next, .access = SHOAL_ACCESS_OPTIONAL_READ}};
    shoal_system_def own = *def;
    own.name = name;
    own.query.terms = terms;
    own.query.term_count = def->each == lane_pull ? 2 : 1;
    own.user = l;
    add(s, &own);
}

static void add_lane(script *s, lane *l) {
    const shoal_reduction sum[] = {{.into = l->total, .kind = SHOAL_REDUCE_SUM}};
    const shoal_reduction range[] = {{.into = l->least, .kind = SHOAL_REDUCE_MIN},
                                     {.into = l->most, .kind = SHOAL_REDUCE_MAX}};
    const shoal_term total[] = {{.component = l->total, .access = SHOAL_ACCESS_READ}};
    const shoal_term census[] = {SHOAL_READ(Census)};
    const char *phase = l->number % 2 == 0 ? "update" : "post-update";
    add_to_lane(s, l, "stir", SHOAL_ACCESS_WRITE, &(shoal_system_def){.each = lane_stir, .phase = phase});
    add_to_lane(s, l, "drift", SHOAL_ACCESS_WRITE, &(shoal_system_def){.each = lane_drift, .phase = phase});
    add_to_lane(s, l, "pull", SHOAL_ACCESS_WRITE,
                &(shoal_system_def){.each = lane_pull, .phase = phase, .every = 1 + l->number % 3});
    add_to_lane(s, l, "sum", SHOAL_ACCESS_READ,
                &(shoal_system_def){.each = lane_sum, .phase = phase, .reductions = sum, .reduction_count = 1});
    add_to_lane(s, l, "range", SHOAL_ACCESS_READ,
                &(shoal_system_def){.each = lane_range,
                                    .phase = phase,
                                    .reductions = range,
                                    .reduction_count = 2,
                                    .block_rows = l->number == 3 ? 64 : 0});
    add_to_lane(s, l, "steer", SHOAL_ACCESS_WRITE,
                &(shoal_system_def){.each = lane_steer, .phase = phase, .lookups = total, .lookup_count = 1});
    add_to_lane(s, l, "spawn", SHOAL_ACCESS_READ,
                &(shoal_system_def){.each = lane_spawn,
                                    .phase = phase,
                                    .commands = true,
                                    .condition = has_room,
                                    .condition_reads = census,
                                    .condition_read_count = 1});
    add_to_lane(s, l, "change", SHOAL_ACCESS_READ,
                &(shoal_system_def){.each = lane_change, .phase = phase, .commands = true});
}

static void add_others(script *s) {
    add(s, &(shoal_system_def){.name = "census",
                               .once = take_census,
                               TERMS(SHOAL_WITH(Lit)),
                               LOOKUPS(SHOAL_WRITE(Census)),
                               .phase = "input"});
    add(s, &(shoal_system_def){.name = "anchors",
                               .once = drop_anchors,
                               TERMS(SHOAL_WITH(Place), SHOAL_WITH(Age)),
                               LOOKUPS(SHOAL_WRITE(Anchors)),
                               .phase = "input"});
    add(s, &(shoal_system_def){
               .name = "rebuild", .once = rebuild, .exclusive = true, .phase = "pre-update", .every = 4, .offset = 1});
    add(s, &(shoal_system_def){.name = "move",
                               .each = move,
                               TERMS(SHOAL_WRITE(Place), SHOAL_READ(Speed)),
                               .period_ns = 10000000,
                               .catch_up = 4});
    add(s, &(shoal_system_def){.name = "age", .each = grow_old, TERMS(SHOAL_WRITE(Age))});
    add(s, &(shoal_system_def){
               .name = "shine", .each = shine, TERMS(SHOAL_WRITE(Place), SHOAL_WITH(Lit)), .masked = true});
    add(s,
        &(shoal_system_def){.name = "toggle", .each = toggle, TERMS(SHOAL_EITHER(Lit)), .commands = true, .every = 2});
    add(s, &(shoal_system_def){.name = "relate",
                               .each = relate,
                               TERMS(SHOAL_WITH(Speed), SHOAL_WITH(Place)),
                               LOOKUPS(SHOAL_READ(Anchors)),
                               .commands = true,
                               .after = SHOAL_NAMES("move")});
    add(s, &(shoal_system_def){.name = "follow",
                               .each = follow,
                               TERMS(SHOAL_WRITE(Speed)),
                               LOOKUPS(SHOAL_READ(Place), SHOAL_WITH(Follows)),
                               .phase = "post-update"});
    add(s, &(shoal_system_def){
               .name = "frames",
               .each = place_frames,
               .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Frame), SHOAL_READ(Place)), .group_by = SHOAL_ID(ChildOf)},
               LOOKUPS(SHOAL_READ(Frame), SHOAL_WITH(ChildOf)),
               .phase = "output"});
    add(s, &(shoal_system_def){.name = "digest",
                               .each = digest_ages,
                               TERMS(SHOAL_READ(Age)),
                               .reductions =
                                   SHOAL_REDUCTIONS({SHOAL_ID(Digest), SHOAL_REDUCE_USER, digest_begin, digest_merge}),
                               .phase = "output"});
}

static void spawn_first(script *s) {
    for (uint32_t i = 0; i < FIRST_ENTITIES; i++) {
        const Lane value = {i * UINT64_C(0x9E3779B97F4A7C15), i / 7.0};
        const Speed speed = {1.0 / (i + 1), i / 300.0 - 2};
        const Place place = {i / 50.0, 10 - i / 100.0};
        const Age age = {i % 5, 15 + i % 60};
        shoal_value values[LANES + 5] = {{SHOAL_ID(Age), &age}, {SHOAL_ID(Place), &place}};
        size_t count = 2;
        for (uint32_t k = 0; k < LANES; k++) {
            if ((i * 2654435761u >> (10 + k) & 1) != 0) {
                values[count++] = (shoal_value){s->lanes[k].own, &value};
            }
        }
        if (i % 3 != 0) {
            values[count++] = (shoal_value){SHOAL_ID(Speed), &speed};
        }
        if (i % 4 != 0) {
            values[count++] = (shoal_value){SHOAL_ID(Lit), NULL};
        }
        if (i % 5 == 0) {
            values[count++] = (shoal_value){SHOAL_ID(Frame), NULL};
        }
        s->failed = s->failed || shoal_entity_is_null(shoal_spawn(s->world, values, count));
    }
}

static shoal_status start(script *s, const shoal_schedule_def *schedule) {
    s->world = shoal_world_create(&(shoal_world_def){.name = "golden"});
    if (s->world == NULL) {
        return shoal_last_error(NULL).status;
    }
    make_lanes(s);
    shoal_status status = shoal_schedule_configure(s->world, schedule);
    status = status != SHOAL_OK ? status : SHOAL_UNIQUE_SET(s->world, Census, .entities = 0);
    status = status != SHOAL_OK ? status : SHOAL_UNIQUE_SET(s->world, Anchors, .count = 0);
    if (status != SHOAL_OK) {
        return status;
    }
    spawn_first(s);
    /* It destroys before the others record, so that what they record for the dead is dropped. */
    add(s, &(shoal_system_def){.name = "reap", .each = reap, TERMS(SHOAL_READ(Age)), .commands = true});
    for (uint32_t i = 0; i < LANES; i++) {
        add_lane(s, &s->lanes[i]);
    }
    add_others(s);
    return s->failed ? shoal_last_error(s->world).status : SHOAL_OK;
}

static shoal_status run(script *s, golden_result *result) {
    for (uint64_t step = 0; step < GOLDEN_STEPS; step++) {
        shoal_status status = shoal_world_step(s->world, 16666667);
        if (status == SHOAL_OK && step % 4 == 3) {
            status = shoal_world_validate(s->world);
        }
        if (status != SHOAL_OK) {
            return status;
        }
    }
    shoal_schedule_stats stats;
    shoal_status status = shoal_schedule_stats_get(s->world, &stats);
    result->systems = stats.systems;
    result->fused = stats.fused;
    result->shared_stages = stats.shared_stages;
    for (uint32_t i = 0; i < LANES; i++) {
        char name[32];
        snprintf(name, sizeof name, "lane%u spawn", i);
        shoal_system_stats spawner;
        if (shoal_system_stats_get(shoal_system_find(s->world, name), &spawner) == SHOAL_OK) {
            result->births += spawner.commands;
            result->jobs += spawner.jobs;
            result->dropped += spawner.dropped;
        }
    }
    result->entities = shoal_world_entity_count(s->world);
    status = status != SHOAL_OK ? status : shoal_world_hash(s->world, SHOAL_HASH_CANONICAL, &result->canonical);
    return status != SHOAL_OK ? status : shoal_world_hash(s->world, SHOAL_HASH_LAYOUT, &result->layout);
}

golden_result golden_run(const shoal_schedule_def *schedule) {
    script s = {.world = NULL};
    golden_result result = {.status = SHOAL_OK};
    result.status = start(&s, schedule);
    if (result.status == SHOAL_OK) {
        result.status = run(&s, &result);
    }
    if (result.status != SHOAL_OK) {
        snprintf(result.message, sizeof result.message, "%s", shoal_last_error(s.world).message);
    }
    shoal_world_destroy(s.world);
    return result;
}
