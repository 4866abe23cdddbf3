/*
 * What the kinds of components cost by the call: a unique is read, a shared value set, a cleanup component ends, one
 * component brings another, a hook is told.
 *
 * Plain keeps rows in tables by hand, one for each set of components or each shared value, and beside them for each
 * slot its table and its row, as kinds.c and change.c do. Where Shoal moves a row, plain moves one between two tables.
 * A hook by hand is a call through a pointer. A component that outlives its entity is an array by slot that keeps the
 * slot taken. Runs go through the entities in their order; none has a budget.
 */
#include "case.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "components.h"
#include "plain_world.h"
#include "support.h"

typedef struct Clock {
    uint32_t hour;
} Clock;

typedef struct Team {
    uint32_t number;
} Team;

typedef struct Socket {
    uint32_t number;
} Socket;

typedef struct Engine {
    int32_t power;
} Engine;

typedef struct Alarm {
    int32_t level;
} Alarm;

static size_t alarms_told;

static void tell_alarm(const shoal_component_event *event, void *user) {
    (void)event;
    (void)user;
    alarms_told++;
}

SHOAL_COMPONENT(Clock, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_COMPONENT(Team, .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT(Socket, .cleanup = true)
SHOAL_COMPONENT(Engine, .required = SHOAL_REQUIRES(SHOAL_SLOT(Velocity)))
SHOAL_COMPONENT(Alarm, .on_add = tell_alarm)

/* Zeroing by hand touches the pages, so that no run pays for it. */
static void *touched(size_t count, size_t size) {
    void *memory = bench_allocate(count, size);
    memset(memory, 0, count * size);
    return memory;
}

/* ---- plain: rows in tables ---- */

enum { TEAMS = 8, WITHOUT = 0, WITH = 1 };

typedef struct row_table {
    Position *positions;
    Velocity *velocities; /* NULL in a table without */
    int32_t *numbers;     /* of an engine or an alarm; NULL in a table without */
    uint32_t *slots;
    uint32_t count;
} row_table;

typedef struct table_rows {
    size_t n;
    size_t runs;
    uint32_t *rows; /* slot -> row */
    uint8_t *homes; /* slot -> table */
    row_table tables[TEAMS];
    void (*on_add)(uint32_t slot); /* of hook_add */
} table_rows;

/* All slots are in the first table. Each other table has room for all, too. */
static table_rows *table_rows_create(size_t n, size_t table_count) {
    table_rows *all = bench_allocate_zeroed(1, sizeof *all);
    all->n = n;
    all->rows = touched(n, sizeof *all->rows);
    all->homes = touched(n, sizeof *all->homes);
    for (size_t i = 0; i < table_count; i++) {
        all->tables[i].positions = touched(n, sizeof(Position));
        all->tables[i].slots = touched(n, sizeof(uint32_t));
    }
    for (uint32_t slot = 0; slot < n; slot++) {
        all->rows[slot] = slot;
        all->tables[0].slots[slot] = slot;
        all->tables[0].positions[slot] = (Position){(float)slot, 0, 0};
    }
    all->tables[0].count = (uint32_t)n;
    return all;
}

static void table_rows_finish(void *state) {
    table_rows *all = state;
    for (uint32_t slot = 0; slot < all->n; slot++) {
        float x = all->tables[all->homes[slot]].positions[all->rows[slot]].x;
        BENCH_CHECK(x == (float)slot, "slot %u is at %g", slot, (double)x);
    }
    for (size_t i = 0; i < TEAMS; i++) {
        free(all->tables[i].positions);
        free(all->tables[i].velocities);
        free(all->tables[i].numbers);
        free(all->tables[i].slots);
    }
    free(all->rows);
    free(all->homes);
    free(all);
}

static void row_copy(row_table *to, uint32_t to_row, const row_table *from, uint32_t from_row) {
    to->positions[to_row] = from->positions[from_row];
    to->slots[to_row] = from->slots[from_row];
    if (to->velocities != NULL && from->velocities != NULL) {
        to->velocities[to_row] = from->velocities[from_row];
    }
    if (to->numbers != NULL && from->numbers != NULL) {
        to->numbers[to_row] = from->numbers[from_row];
    }
}

/* The row that the slot has then; the last row fills the hole. */
static uint32_t slot_move(table_rows *all, uint32_t slot, uint32_t home) {
    row_table *from = &all->tables[all->homes[slot]];
    row_table *to = &all->tables[home];
    uint32_t row = all->rows[slot];
    uint32_t target = to->count++;
    row_copy(to, target, from, row);
    uint32_t last = --from->count;
    row_copy(from, row, from, last);
    all->rows[from->slots[row]] = row;
    all->rows[slot] = target;
    all->homes[slot] = (uint8_t)home;
    return target;
}

/* ---- shoal: rows with a position ---- */

typedef struct world_rows {
    size_t n;
    size_t runs;
    shoal_world *world;
    shoal_entity *entities;
    shoal_query *query; /* of the case */
} world_rows;

static void *world_rows_create(size_t n) {
    world_rows *all = bench_allocate_zeroed(1, sizeof *all);
    all->n = n;
    all->world = bench_world_create();
    all->entities = bench_allocate(n, sizeof *all->entities);
    for (size_t i = 0; i < n; i++) {
        all->entities[i] = shoal_spawn(all->world, SHOAL_VALUES(SHOAL_VALUE(Position, (float)i, 0, 0)));
        BENCH_REQUIRE(all->world, !shoal_entity_is_null(all->entities[i]));
    }
    return all;
}

static void world_rows_free(world_rows *all) {
    bench_world_destroy(all->world);
    free(all->entities);
    free(all);
}

static void world_rows_finish(void *state) {
    world_rows *all = state;
    for (size_t i = 0; i < all->n; i++) {
        const Position *position = SHOAL_GET(all->world, all->entities[i], Position);
        BENCH_REQUIRE(all->world, position != NULL);
        BENCH_CHECK(position->x == (float)i, "entity %zu is at %g", i, (double)position->x);
    }
    world_rows_free(all);
}

/* ---- unique: read n times ---- */

typedef struct clock_holder {
    size_t n;
    Clock *clock; /* plain */
    shoal_world *world;
} clock_holder;

enum { HOUR = 7 };

static void *clock_plain_setup(size_t n) {
    clock_holder *holder = bench_allocate_zeroed(1, sizeof *holder);
    holder->n = n;
    holder->clock = bench_allocate(1, sizeof *holder->clock);
    holder->clock->hour = HOUR;
    return holder;
}

static void *clock_shoal_setup(size_t n) {
    clock_holder *holder = bench_allocate_zeroed(1, sizeof *holder);
    holder->n = n;
    holder->world = bench_world_create();
    BENCH_REQUIRE(holder->world, SHOAL_UNIQUE_SET(holder->world, Clock, HOUR) == SHOAL_OK);
    return holder;
}

static void check_hours(uint64_t hours, size_t n) {
    BENCH_CHECK(hours == (uint64_t)HOUR * n, "%llu hours", (unsigned long long)hours);
}

/* The fence stands for whatever a program does between two reads; without it the compiler reads once. */
static bench_sample clock_plain_run(void *state) {
    clock_holder *holder = state;
    uint64_t hours = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < holder->n; i++) {
        hours += holder->clock->hour;
        atomic_signal_fence(memory_order_seq_cst);
    }
    uint64_t end = bench_now();
    check_hours(hours, holder->n);
    return bench_sample_of(end - start, holder->n);
}

static bench_sample clock_shoal_run(void *state) {
    clock_holder *holder = state;
    uint64_t hours = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < holder->n; i++) {
        hours += SHOAL_UNIQUE(holder->world, Clock)->hour;
    }
    uint64_t end = bench_now();
    check_hours(hours, holder->n);
    return bench_sample_of(end - start, holder->n);
}

static void clock_finish(void *state) {
    clock_holder *holder = state;
    if (holder->world != NULL) {
        bench_world_destroy(holder->world);
    }
    free(holder->clock);
    free(holder);
}

/* ---- shared: each entity gets another of eight values ---- */

static uint32_t team_of(size_t i, size_t runs) {
    return (uint32_t)((i + runs) % TEAMS);
}

static void *team_plain_setup(size_t n) {
    return table_rows_create(n, TEAMS);
}

BENCH_NOINLINE static void team_plain_set(table_rows *all, uint32_t slot, uint32_t team) {
    if (all->homes[slot] != team) {
        (void)slot_move(all, slot, team);
    }
}

static bench_sample team_plain_run(void *state) {
    table_rows *all = state;
    size_t runs = ++all->runs;
    uint64_t start = bench_now();
    for (uint32_t slot = 0; slot < all->n; slot++) {
        team_plain_set(all, slot, team_of(slot, runs));
    }
    uint64_t end = bench_now();
    for (uint32_t slot = 0; slot < all->n; slot++) {
        BENCH_CHECK(all->homes[slot] == team_of(slot, runs), "slot %u is in team %u", slot, all->homes[slot]);
    }
    return bench_sample_of(end - start, all->n);
}

static void *team_shoal_setup(size_t n) {
    world_rows *all = world_rows_create(n);
    for (size_t i = 0; i < n; i++) {
        BENCH_REQUIRE(all->world, SHOAL_ADD(all->world, all->entities[i], Team, team_of(i, 0)) == SHOAL_OK);
    }
    return all;
}

static bench_sample team_shoal_run(void *state) {
    world_rows *all = state;
    size_t runs = ++all->runs;
    size_t failures = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        failures += SHOAL_SET(all->world, all->entities[i], Team, team_of(i, runs)) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(all->world, failures == 0);
    for (size_t i = 0; i < all->n; i++) {
        const Team *team = SHOAL_GET(all->world, all->entities[i], Team);
        BENCH_REQUIRE(all->world, team != NULL);
        BENCH_CHECK(team->number == team_of(i, runs), "entity %zu is in team %u", i, team->number);
    }
    return bench_sample_of(end - start, all->n);
}

/* ---- cleanup: destroying, and removing the component that is left ---- */

typedef struct socket_arrays {
    size_t n;
    uint64_t *handles;
    plain_world rows;
    Socket *sockets; /* by slot */
    bool *is_open;   /* by slot: the slot is taken as long as it is */
} socket_arrays;

static void *socket_plain_setup(size_t n) {
    socket_arrays *arrays = bench_allocate_zeroed(1, sizeof *arrays);
    arrays->n = n;
    arrays->handles = touched(n, sizeof *arrays->handles);
    arrays->sockets = touched(n, sizeof *arrays->sockets);
    arrays->is_open = touched(n, sizeof *arrays->is_open);
    for (size_t i = 0; i < n; i++) {
        (void)plain_create(&arrays->rows, (Position){0, 0, 0}, BENCH_VELOCITY);
    }
    plain_prepare_free_slots(&arrays->rows);
    return arrays;
}

static void socket_plain_fill(socket_arrays *arrays) {
    plain_reset(&arrays->rows);
    arrays->rows.free_count = 0;
    for (uint32_t i = 0; i < arrays->n; i++) {
        arrays->handles[i] = plain_create(&arrays->rows, (Position){0, 0, 0}, BENCH_VELOCITY);
        arrays->sockets[i] = (Socket){i};
        arrays->is_open[i] = true;
    }
}

static void free_slot(plain_world *rows, uint32_t slot) {
    rows->free_slots[rows->free_count++] = slot;
}

/* Ends the entity; its slot is free unless its socket is open. */
BENCH_NOINLINE static bool socket_plain_destroy(socket_arrays *arrays, uint64_t handle) {
    uint32_t slot = (uint32_t)handle;
    if (!plain_destroy(&arrays->rows, handle)) {
        return false;
    }
    if (!arrays->is_open[slot]) {
        free_slot(&arrays->rows, slot);
    }
    return true;
}

/* Closes the socket of an entity that has ended. */
BENCH_NOINLINE static void socket_plain_close(socket_arrays *arrays, uint32_t slot) {
    if (arrays->is_open[slot]) {
        arrays->is_open[slot] = false;
        free_slot(&arrays->rows, slot);
    }
}

static bench_sample cleanup_plain_run(void *state) {
    socket_arrays *arrays = state;
    socket_plain_fill(arrays);
    size_t ended = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < arrays->n; i++) {
        ended += socket_plain_destroy(arrays, arrays->handles[i]);
    }
    uint64_t destroyed = bench_now();
    BENCH_CHECK(ended == arrays->n && arrays->rows.free_count == 0, "%u slots are free", arrays->rows.free_count);
    uint64_t resumed = bench_now();
    for (size_t i = 0; i < arrays->n; i++) {
        socket_plain_close(arrays, (uint32_t)arrays->handles[i]);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(arrays->rows.free_count == arrays->n, "%u slots are free", arrays->rows.free_count);
    return bench_sample_of(destroyed - start + end - resumed, arrays->n);
}

static bench_sample destroy_plain_run(void *state) {
    socket_arrays *arrays = state;
    socket_plain_fill(arrays);
    memset(arrays->is_open, 0, arrays->n * sizeof *arrays->is_open);
    uint64_t start = bench_now();
    for (size_t i = 0; i < arrays->n; i++) {
        (void)socket_plain_destroy(arrays, arrays->handles[i]);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(arrays->rows.free_count == arrays->n, "%u slots are free", arrays->rows.free_count);
    return bench_sample_of(end - start, arrays->n);
}

static void socket_plain_finish(void *state) {
    socket_arrays *arrays = state;
    plain_free(&arrays->rows);
    free(arrays->handles);
    free(arrays->sockets);
    free(arrays->is_open);
    free(arrays);
}

/* An empty world that has held the entities of a run, so that no run pays for fresh memory. */
static void *socket_shoal_setup(size_t n) {
    world_rows *all = bench_allocate_zeroed(1, sizeof *all);
    all->n = n;
    all->world = bench_world_create();
    all->entities = touched(n, sizeof *all->entities);
    all->query =
        bench_query_of(all->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Socket), SHOAL_WITH(Dying))});
    return all;
}

static void socket_shoal_finish(void *state) {
    world_rows_free(state);
}

static void socket_shoal_fill(world_rows *all, bool has_socket) {
    for (size_t i = 0; i < all->n; i++) {
        shoal_value values[] = {{SHOAL_ID(Position), &(Position){0, 0, 0}},
                                {SHOAL_ID(Velocity), &BENCH_VELOCITY},
                                {SHOAL_ID(Socket), &(Socket){(uint32_t)i}}};
        all->entities[i] = shoal_spawn(all->world, values, has_socket ? 3 : 2);
        BENCH_REQUIRE(all->world, !shoal_entity_is_null(all->entities[i]));
    }
}

static size_t destroy_each(world_rows *all) {
    size_t failures = 0;
    for (size_t i = 0; i < all->n; i++) {
        failures += shoal_destroy(all->world, all->entities[i]) != SHOAL_OK;
    }
    return failures;
}

static void check_ended(const world_rows *all) {
    for (size_t i = 0; i < all->n; i++) {
        bool is_there = shoal_is_alive(all->world, all->entities[i]);
        BENCH_CHECK(!is_there, "entity %zu is still there", i);
    }
}

static void check_dying(world_rows *all) {
    uint64_t sum = 0, count = 0;
    shoal_view view;
    shoal_view_begin(&view, all->query);
    while (shoal_view_next(&view)) {
        const Socket *sockets = SHOAL_COLUMN(&view, Socket);
        for (size_t row = 0; row < view.count; row++) {
            sum += sockets[row].number;
        }
        count += view.count;
    }
    BENCH_CHECK(count == all->n && sum == (uint64_t)all->n * (all->n - 1) / 2, "%zu of %zu are dying", (size_t)count,
                all->n);
}

static bench_sample cleanup_shoal_run(void *state) {
    world_rows *all = state;
    socket_shoal_fill(all, true);
    uint64_t start = bench_now();
    size_t failures = destroy_each(all);
    uint64_t destroyed = bench_now();
    BENCH_REQUIRE(all->world, failures == 0);
    check_dying(all);
    uint64_t resumed = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        failures += shoal_remove(all->world, all->entities[i], SHOAL_ID(Socket)) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(all->world, failures == 0);
    check_ended(all);
    return bench_sample_of(destroyed - start + end - resumed, all->n);
}

static bench_sample destroy_shoal_run(void *state) {
    world_rows *all = state;
    socket_shoal_fill(all, false);
    uint64_t start = bench_now();
    size_t failures = destroy_each(all);
    uint64_t end = bench_now();
    BENCH_REQUIRE(all->world, failures == 0);
    check_ended(all);
    return bench_sample_of(end - start, all->n);
}

/* ---- required: adding an engine, which brings a velocity ---- */

static void *engine_plain_setup(size_t n) {
    table_rows *all = table_rows_create(n, 2);
    all->tables[WITH].velocities = touched(n, sizeof(Velocity));
    all->tables[WITH].numbers = touched(n, sizeof(int32_t));
    return all;
}

BENCH_NOINLINE static void engine_plain_add(table_rows *all, uint32_t slot, int32_t power) {
    if (all->homes[slot] != WITH) {
        uint32_t row = slot_move(all, slot, WITH);
        all->tables[WITH].velocities[row] = (Velocity){0, 0, 0};
        all->tables[WITH].numbers[row] = power;
    }
}

static int64_t sum_of_first(size_t n) {
    return (int64_t)n * ((int64_t)n - 1) / 2;
}

static bench_sample engine_plain_run(void *state) {
    table_rows *all = state;
    uint64_t start = bench_now();
    for (uint32_t slot = 0; slot < all->n; slot++) {
        engine_plain_add(all, slot, (int32_t)slot);
    }
    uint64_t end = bench_now();
    int64_t power = 0;
    for (uint32_t row = 0; row < all->tables[WITH].count; row++) {
        BENCH_CHECK(all->tables[WITH].velocities[row].x == 0, "row %u moves", row);
        power += all->tables[WITH].numbers[row];
    }
    BENCH_CHECK(power == sum_of_first(all->n), "the power is %lld", (long long)power);
    for (uint32_t slot = 0; slot < all->n; slot++) {
        (void)slot_move(all, slot, WITHOUT);
    }
    return bench_sample_of(end - start, all->n);
}

static void *engine_shoal_setup(size_t n) {
    world_rows *all = world_rows_create(n);
    all->query = bench_query_of(
        all->world,
        &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_READ(Engine), SHOAL_READ(Velocity), SHOAL_WITH(Position))});
    return all;
}

static void check_engines(world_rows *all) {
    int64_t power = 0;
    shoal_view view;
    shoal_view_begin(&view, all->query);
    while (shoal_view_next(&view)) {
        const Engine *engines = SHOAL_COLUMN(&view, Engine);
        const Velocity *velocities = SHOAL_COLUMN(&view, Velocity);
        for (size_t row = 0; row < view.count; row++) {
            BENCH_CHECK(velocities[row].x == 0, "row %zu moves", row);
            power += engines[row].power;
        }
    }
    BENCH_CHECK(power == sum_of_first(all->n), "the power is %lld", (long long)power);
}

static bench_sample engine_shoal_run(void *state) {
    world_rows *all = state;
    size_t failures = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        failures += SHOAL_ADD(all->world, all->entities[i], Engine, (int32_t)i) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(all->world, failures == 0);
    check_engines(all);
    const shoal_component both[] = {SHOAL_ID(Engine), SHOAL_ID(Velocity)};
    shoal_status status = shoal_query_change_entities(all->query, &(shoal_change){.remove = both, .remove_count = 2});
    BENCH_REQUIRE(all->world, status == SHOAL_OK);
    BENCH_CHECK(shoal_query_count(all->query) == 0, "engines are left");
    return bench_sample_of(end - start, all->n);
}

/* ---- hook: adding and removing a component whose hook counts ---- */

static void tell_alarm_plain(uint32_t slot) {
    (void)slot;
    alarms_told++;
}

static void *alarm_plain_setup(size_t n) {
    table_rows *all = table_rows_create(n, 2);
    all->tables[WITH].numbers = touched(n, sizeof(int32_t));
    all->on_add = tell_alarm_plain;
    return all;
}

BENCH_NOINLINE static void alarm_plain_add(table_rows *all, uint32_t slot, int32_t level) {
    if (all->homes[slot] != WITH) {
        all->tables[WITH].numbers[slot_move(all, slot, WITH)] = level;
        all->on_add(slot);
    }
}

BENCH_NOINLINE static void alarm_plain_remove(table_rows *all, uint32_t slot) {
    if (all->homes[slot] == WITH) {
        (void)slot_move(all, slot, WITHOUT);
    }
}

static bench_sample alarm_plain_run(void *state) {
    table_rows *all = state;
    alarms_told = 0;
    uint64_t start = bench_now();
    for (uint32_t slot = 0; slot < all->n; slot++) {
        alarm_plain_add(all, slot, 1);
    }
    uint64_t added = bench_now();
    BENCH_CHECK(alarms_told == all->n && all->tables[WITH].count == all->n, "%zu were told", alarms_told);
    uint64_t resumed = bench_now();
    for (uint32_t slot = 0; slot < all->n; slot++) {
        alarm_plain_remove(all, slot);
    }
    uint64_t end = bench_now();
    BENCH_CHECK(all->tables[WITH].count == 0, "%u are left", all->tables[WITH].count);
    return bench_sample_of(added - start + end - resumed, 2 * all->n);
}

static void *alarm_shoal_setup(size_t n) {
    world_rows *all = world_rows_create(n);
    all->query = bench_query_of(all->world, &(shoal_query_def){.terms = SHOAL_TERMS(SHOAL_WITH(Alarm))});
    return all;
}

static bench_sample alarm_shoal_run(void *state) {
    world_rows *all = state;
    size_t failures = 0;
    alarms_told = 0;
    uint64_t start = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        failures += SHOAL_ADD(all->world, all->entities[i], Alarm, 1) != SHOAL_OK;
    }
    uint64_t added = bench_now();
    BENCH_CHECK(alarms_told == all->n, "%zu were told", alarms_told);
    BENCH_CHECK(shoal_query_count(all->query) == all->n, "not all have the component");
    uint64_t resumed = bench_now();
    for (size_t i = 0; i < all->n; i++) {
        failures += shoal_remove(all->world, all->entities[i], SHOAL_ID(Alarm)) != SHOAL_OK;
    }
    uint64_t end = bench_now();
    BENCH_REQUIRE(all->world, failures == 0);
    BENCH_CHECK(shoal_query_count(all->query) == 0, "some still have the component");
    return bench_sample_of(added - start + end - resumed, 2 * all->n);
}

/* ---- the table ---- */

static const bench_case cases[] = {
    {.name = "unique_get",
     .n = 100000,
     .plain = {.setup = clock_plain_setup, .run = clock_plain_run, .finish = clock_finish},
     .shoal = {.setup = clock_shoal_setup, .run = clock_shoal_run, .finish = clock_finish},
     .standing = true},
    {.name = "shared_set",
     .n = 100000,
     .plain = {.setup = team_plain_setup, .run = team_plain_run, .finish = table_rows_finish},
     .shoal = {.setup = team_shoal_setup, .run = team_shoal_run, .finish = world_rows_finish},
     .standing = true},
    {.name = "cleanup_destroy",
     .n = 100000,
     .plain = {.setup = socket_plain_setup, .run = cleanup_plain_run, .finish = socket_plain_finish},
     .shoal = {.setup = socket_shoal_setup, .run = cleanup_shoal_run, .finish = socket_shoal_finish},
     .standing = true},
    {.name = "destroy_ordered",
     .n = 100000,
     .plain = {.setup = socket_plain_setup, .run = destroy_plain_run, .finish = socket_plain_finish},
     .shoal = {.setup = socket_shoal_setup, .run = destroy_shoal_run, .finish = socket_shoal_finish},
     .standing = true},
    {.name = "required_add",
     .n = 100000,
     .plain = {.setup = engine_plain_setup, .run = engine_plain_run, .finish = table_rows_finish},
     .shoal = {.setup = engine_shoal_setup, .run = engine_shoal_run, .finish = world_rows_finish},
     .standing = true},
    {.name = "hook_add",
     .n = 100000,
     .plain = {.setup = alarm_plain_setup, .run = alarm_plain_run, .finish = table_rows_finish},
     .shoal = {.setup = alarm_shoal_setup, .run = alarm_shoal_run, .finish = world_rows_finish},
     .standing = true},
};

const bench_theme bench_costs = BENCH_THEME(cases);
