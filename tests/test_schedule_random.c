/*
 * Random schedules: worlds and systems drawn from a seed, stepped with all kinds of workers. What a system does follows
 * from what it declares, so that every run of one seed must have the same hashes after each step, whoever worked on
 * which rows: alone, on 1, 2, 3 and 5 workers, with systems fused or not. Every step is followed by a validation;
 * between steps systems come, go, are turned off and on, and the world is trimmed.
 *
 *   SHOAL_SEED=n     another first seed (default 1)
 *   SHOAL_ROUNDS=n   seeds, one after the other (default 4)
 *
 * A failing check prints the seed, the workers and the step.
 */
#include "support/calls.h"
#include "support/rng.h"
#include "support/steps.h"

#include <stdio.h>
#include <string.h>

#define CELLS 6 /* components with a number: four in tables, two sparse */
#define SPARSE_FROM 4
#define SWITCHES 2
#define SUMS 3
#define PLANS 26
#define GROUPS 48
#define GROUP_ROWS 110
#define MOST_ENTITIES 8000
#define HANDLES 64
#define STEPS 10

typedef struct Cell {
    uint64_t bits;
} Cell;

typedef struct Sum {
    double real;
    uint64_t bits;
    int64_t count;
} Sum;

SHOAL_RELATION(Leads, .exclusive = true)

static shoal_component cells[CELLS];
static shoal_component switches[SWITCHES];
static shoal_component sums[SUMS];

/* What a system is told as `user`: it does what is declared here. */
typedef struct plan {
    char name[16];
    uint64_t salt;
    shoal_term terms[CELLS + SWITCHES];
    size_t term_count;
    shoal_term lookups[4];
    size_t lookup_count;
    shoal_reduction reduction;
    const char *earlier; /* a system that comes before it */
    bool is_named;       /* by a later one */
    shoal_term asked;    /* by its condition */
    shoal_system_def def;
    const shoal_entity *handles;
} plan;

typedef struct rig {
    steps s;
    plan plans[PLANS];
    shoal_system *systems[PLANS];
    shoal_entity handles[HANDLES];
} rig;

/* What a run came to. */
typedef struct history {
    uint64_t hashes[STEPS][2];
    uint64_t counts[PLANS][4];
} history;

/* ---- what systems do ---- */

static uint64_t mix(uint64_t a, uint64_t b) {
    rng random = {a * UINT64_C(0xD1B54A32D192ED03) ^ b};
    return rng_next(&random);
}

static bool is_cell(const shoal_term *term) {
    return term->component.id >= cells[0].id && term->component.id <= cells[CELLS - 1].id;
}

static bool is_read(const shoal_term *term) {
    return is_cell(term) && term->access != SHOAL_ACCESS_WITH && term->access != SHOAL_ACCESS_WITHOUT;
}

static bool is_written(const shoal_term *term) {
    return term->access == SHOAL_ACCESS_WRITE || term->access == SHOAL_ACCESS_OPTIONAL_WRITE;
}

/* The value of a row; NULL where it is not there. */
static const Cell *cell_at(const shoal_view *view, const shoal_term *term, size_t row) {
    if (term->component.id >= cells[SPARSE_FROM].id) {
        return shoal_view_get(view, term->component, row);
    }
    const Cell *column = shoal_view_read(view, term->component);
    return column != NULL ? &column[row] : NULL;
}

static Cell *cell_at_mut(const shoal_view *view, const shoal_term *term, size_t row) {
    if (term->component.id >= cells[SPARSE_FROM].id) {
        return shoal_view_get_mut(view, term->component, row);
    }
    Cell *column = shoal_view_write(view, term->component);
    return column != NULL ? &column[row] : NULL;
}

/* What the lookups come to for an entity: uniques, and the cells of whom it follows. */
static uint64_t look_up(const shoal_run *run, shoal_entity entity, uint64_t value) {
    const plan *p = run->user;
    shoal_entity leader = {0};
    for (size_t i = 0; i < p->lookup_count; i++) {
        const shoal_term *term = &p->lookups[i];
        if (term->component.id == SHOAL_ID(Leads).id) {
            leader = shoal_target(run->world, entity, SHOAL_ID(Leads));
            value = mix(value, shoal_entity_index(leader));
        } else if (!is_cell(term)) {
            const Sum *sum = shoal_unique_get(run->world, term->component);
            value = mix(value, sum->bits ^ (uint64_t)sum->count);
        } else if (!shoal_entity_is_null(leader) && term->access == SHOAL_ACCESS_READ) {
            const Cell *cell = shoal_get(run->world, leader, term->component);
            value = mix(value, cell != NULL ? cell->bits : 3);
        } else if (!shoal_entity_is_null(leader)) {
            Cell *cell = shoal_get_mut(run->world, leader, term->component);
            value = cell != NULL ? cell->bits = mix(value, cell->bits) : value;
        }
    }
    return value;
}

static uint64_t work_on_row(const shoal_run *run, const shoal_view *view, size_t row) {
    const plan *p = run->user;
    shoal_entity entity = view->entities[row];
    uint64_t value = mix(p->salt + run->tick, shoal_entity_index(entity) + run->dt_ns);
    for (size_t i = 0; i < p->term_count; i++) {
        const Cell *cell = is_read(&p->terms[i]) ? cell_at(view, &p->terms[i], row) : NULL;
        value = cell != NULL ? mix(value, cell->bits) : value;
    }
    value = look_up(run, entity, value);
    for (size_t i = 0; i < p->term_count; i++) {
        Cell *cell = is_written(&p->terms[i]) ? cell_at_mut(view, &p->terms[i], row) : NULL;
        if (cell != NULL) {
            cell->bits = mix(cell->bits, value);
        }
    }
    Sum *sum = shoal_run_sum(run, 0);
    if (sum != NULL) {
        sum->real += (double)(value >> 40) / 3;
        sum->bits = p->reduction.kind == SHOAL_REDUCE_SUM ? sum->bits + value : mix(sum->bits, value);
        sum->count++;
    }
    return value;
}

static shoal_status record_spawn(const shoal_run *run, shoal_entity entity, uint64_t draw) {
    const Cell value = {draw};
    shoal_value values[CELLS + SWITCHES] = {{cells[draw % SPARSE_FROM], &value}};
    size_t count = 1;
    for (size_t i = 0; i < CELLS + SWITCHES; i++) {
        shoal_component component = i < CELLS ? cells[i] : switches[i - CELLS];
        if (i != draw % SPARSE_FROM && (draw >> (20 + i) & 3) == 0) {
            values[count++] = (shoal_value){component, i < CELLS ? &value : NULL};
        }
    }
    if (run->commands == NULL || shoal_world_entity_count(run->world) >= MOST_ENTITIES) {
        return SHOAL_OK;
    }
    shoal_entity made = shoal_commands_spawn(run->commands, values, count);
    if (shoal_entity_is_null(made)) {
        return shoal_last_error(run->world).status;
    }
    return (draw & 256) != 0 ? shoal_commands_relate(run->commands, made, SHOAL_ID(ChildOf), entity, NULL) : SHOAL_OK;
}

static shoal_status record(const shoal_run *run, shoal_entity entity, uint64_t draw) {
    const plan *p = run->user;
    shoal_commands *commands = run->commands;
    shoal_entity handle = p->handles[(draw >> 16) % HANDLES];
    const Cell value = {draw};
    shoal_component cell = cells[(draw >> 8) % CELLS];
    shoal_component flag = switches[(draw >> 8) % SWITCHES];
    switch (draw >> 48 & 15) {
    case 0:
    case 1:
        return record_spawn(run, entity, draw);
    case 2:
        return shoal_commands_destroy_entity(commands, entity);
    case 3:
        return shoal_commands_add(commands, entity, cell, &value);
    case 4:
        return shoal_commands_remove(commands, entity, cell);
    case 5:
        return shoal_commands_enable(commands, entity, flag);
    case 6:
        return shoal_commands_disable(commands, entity, flag);
    case 7:
        return shoal_commands_relate(commands, entity, SHOAL_ID(Leads), handle, NULL);
    case 8:
        return shoal_commands_unrelate(commands, entity, SHOAL_ID(Leads), (shoal_entity){0});
    case 9:
        return shoal_commands_set(commands, handle, cell, &value);
    case 10:
        return shoal_commands_relate(commands, entity, SHOAL_ID(ChildOf), handle, NULL);
    case 11:
        return shoal_commands_add(commands, entity, flag, NULL);
    default:
        return SHOAL_OK;
    }
}

static shoal_status work_each(const shoal_run *run, shoal_view *view) {
    const plan *p = run->user;
    shoal_status status = SHOAL_OK;
    SHOAL_ROWS(view, i) {
        uint64_t value = work_on_row(run, view, i);
        if (p->def.commands && value % 61 == 0 && status == SHOAL_OK) {
            status = record(run, view->entities[i], mix(value, 1));
        }
    }
    return status;
}

static shoal_status work_once(const shoal_run *run) {
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, run->query);
    while (status == SHOAL_OK && shoal_view_next(&view)) {
        status = work_each(run, &view);
    }
    shoal_view_end(&view);
    return status;
}

/* Direct calls, which may be refused as the entity may be anything by then. */
static shoal_status work_exclusive(const shoal_run *run) {
    const plan *p = run->user;
    shoal_entity kept[16];
    size_t count = 0;
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, run->query);
    while (status == SHOAL_OK && shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count && count < 16; i += 5) {
            kept[count++] = view.entities[i];
        }
        status = work_each(run, &view);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t draw = mix(p->salt, i + run->tick);
        const Cell value = {draw};
        if (i % 4 == 0) {
            (void)shoal_destroy(run->world, kept[i]);
        } else {
            (void)shoal_add(run->world, kept[i], cells[draw % CELLS], &value);
            (void)shoal_relate(run->world, kept[i], SHOAL_ID(Leads), p->handles[draw % HANDLES], NULL);
        }
    }
    return status;
}

static bool ask(const shoal_run *run) {
    const plan *p = run->user;
    const Sum *sum = shoal_unique_get(run->world, p->asked.component);
    return mix(sum->bits, run->tick) % 3 != 0;
}

static void sum_merge(void *sum, const void *other, void *user) {
    (void)user;
    Sum *left = sum;
    const Sum *right = other;
    left->real = left->real / 2 + right->real;
    left->bits = mix(left->bits, right->bits);
    left->count += right->count;
}

/* ---- drawing them ---- */

static void draw_terms(rng *random, plan *p) {
    static const shoal_access accesses[] = {SHOAL_ACCESS_READ,           SHOAL_ACCESS_READ, SHOAL_ACCESS_WRITE,
                                            SHOAL_ACCESS_OPTIONAL_READ,  SHOAL_ACCESS_WITH, SHOAL_ACCESS_WITHOUT,
                                            SHOAL_ACCESS_OPTIONAL_WRITE, SHOAL_ACCESS_WRITE};
    static const shoal_state states[] = {SHOAL_STATE_ENABLED, SHOAL_STATE_DISABLED, SHOAL_STATE_EITHER};
    uint32_t first = rng_below(random, SPARSE_FROM);
    p->terms[p->term_count++] = (shoal_term){.component = cells[first],
                                             .access = rng_chance(random, 60) ? SHOAL_ACCESS_WRITE : SHOAL_ACCESS_READ};
    for (uint32_t i = 0; i < CELLS; i++) {
        if (i != first && rng_chance(random, 22)) {
            p->terms[p->term_count++] = (shoal_term){.component = cells[i], .access = accesses[rng_below(random, 8)]};
        }
    }
    for (uint32_t i = 0; i < SWITCHES; i++) {
        if (rng_chance(random, 20)) {
            p->terms[p->term_count++] = (shoal_term){
                .component = switches[i], .access = SHOAL_ACCESS_WITH, .state = states[rng_below(random, 3)]};
        }
    }
}

static void draw_lookups(rng *random, plan *p) {
    uint32_t sum = rng_below(random, SUMS);
    if (rng_chance(random, 25)) {
        p->lookups[p->lookup_count++] = (shoal_term){.component = sums[sum], .access = SHOAL_ACCESS_READ};
    }
    if (rng_chance(random, 25)) {
        p->lookups[p->lookup_count++] = (shoal_term)SHOAL_WITH(Leads);
        p->lookups[p->lookup_count++] =
            (shoal_term){.component = cells[rng_below(random, CELLS)],
                         .access = rng_chance(random, 20) ? SHOAL_ACCESS_WRITE : SHOAL_ACCESS_READ};
    }
    if (p->def.each != NULL && rng_chance(random, 30)) {
        bool is_own = rng_chance(random, 40);
        p->reduction = (shoal_reduction){.into = sums[(sum + 1) % SUMS],
                                         .kind = is_own ? SHOAL_REDUCE_USER : SHOAL_REDUCE_SUM,
                                         .merge = is_own ? sum_merge : NULL};
        p->def.reductions = &p->reduction;
        p->def.reduction_count = 1;
    }
    if (rng_chance(random, 15)) {
        p->asked = (shoal_term){.component = sums[rng_below(random, SUMS)], .access = SHOAL_ACCESS_READ};
        p->def.condition = ask;
        p->def.condition_reads = &p->asked;
        p->def.condition_read_count = 1;
    }
}

static void draw_rates(rng *random, shoal_system_def *def) {
    uint32_t draw = rng_below(random, 100);
    if (draw < 15) {
        def->every = 2 + rng_below(random, 3);
        def->offset = rng_below(random, def->every);
    } else if (draw < 30) {
        def->period_ns = 1000000 + rng_below(random, 12000000);
        def->catch_up = 1 + rng_below(random, 12);
    }
}

static void draw_flags(rng *random, shoal_system_def *def) {
    def->commands = rng_chance(random, 35);
    def->thread = rng_chance(random, 8) ? SHOAL_THREAD_MAIN : SHOAL_THREAD_ANY;
    def->local_bytes = rng_chance(random, 10) ? 100 : 0;
    def->scratch_bytes = rng_chance(random, 10) ? 1000 : 0;
    if (def->each == NULL) {
        return;
    }
    def->masked = rng_chance(random, 25);
    def->serial = rng_chance(random, 8);
    def->barrier = rng_chance(random, 8);
    if (rng_chance(random, 25)) {
        def->block_rows = 1u << (6 + rng_below(random, 11));
    } else if (!def->masked && rng_chance(random, 10)) {
        def->block_rows = 1u << rng_below(random, 6);
    }
    if (rng_chance(random, 8)) {
        def->query.order_by = def->query.terms[0].component;
        def->query.order_field = "bits";
    } else if (rng_chance(random, 6)) {
        def->query.group_by = SHOAL_ID(ChildOf);
    }
}

/* True for a query that orders, groups or goes by a list: nothing of the archetype is required. Blocks are not for it.
 */
static bool has_own_order(const shoal_system_def *def) {
    bool needs_archetype = false;
    for (size_t i = 0; i < def->query.term_count; i++) {
        const shoal_term *term = &def->query.terms[i];
        bool is_required = term->access == SHOAL_ACCESS_READ || term->access == SHOAL_ACCESS_WRITE ||
                           term->access == SHOAL_ACCESS_WITH;
        needs_archetype |= is_required && shoal_component_info(term->component)->storage == SHOAL_STORAGE_TABLE;
    }
    return def->query.order_by.id != 0 || def->query.group_by.id != 0 || !needs_archetype;
}

/* Its place among those that were drawn before. */
static void draw_order(rng *random, plan *plans, size_t number) {
    static const char *const phases[] = {"input", "pre-update", "update", "extra", "post-update"};
    plan *p = &plans[number];
    p->def.phase = phases[rng_below(random, 5)];
    p->def.chain = rng_chance(random, 12) ? "chain" : NULL;
    plan *other = &plans[rng_below(random, (uint32_t)number + 1)];
    if (other == p || strcmp(other->def.phase, p->def.phase) != 0 || rng_chance(random, 30)) {
        return;
    }
    p->earlier = other->name;
    other->is_named = true;
    if (rng_chance(random, 60)) {
        p->def.after = &p->earlier;
        p->def.after_count = 1;
    } else {
        p->def.after_unsynced = &p->earlier;
        p->def.after_unsynced_count = 1;
    }
}

static void draw_plan(rng *random, rig *r, size_t number) {
    plan *p = &r->plans[number];
    *p = (plan){.salt = rng_next(random), .handles = r->handles};
    snprintf(p->name, sizeof p->name, "system %zu", number);
    uint32_t kind = rng_below(random, 100);
    p->def = (shoal_system_def){.name = p->name,
                                .each = kind < 80 ? work_each : NULL,
                                .once = kind >= 92   ? work_exclusive
                                        : kind >= 80 ? work_once
                                                     : NULL,
                                .exclusive = kind >= 92,
                                .user = p};
    draw_terms(random, p);
    draw_lookups(random, p);
    p->def.query.terms = p->terms;
    p->def.query.term_count = p->term_count;
    p->def.lookups = p->lookups;
    p->def.lookup_count = p->lookup_count;
    draw_rates(random, &p->def);
    draw_flags(random, &p->def);
    if (has_own_order(&p->def)) {
        p->def.block_rows = 0;
    }
    draw_order(random, r->plans, number);
}

/* ---- a run ---- */

static void spawn_group(rig *r, rng *random, size_t count, shoal_entity *entities) {
    const Cell value = {rng_next(random)};
    shoal_value values[CELLS + SWITCHES] = {{cells[rng_below(random, SPARSE_FROM)], &value}};
    size_t value_count = 1;
    for (size_t i = 0; i < CELLS + SWITCHES; i++) {
        shoal_component component = i < CELLS ? cells[i] : switches[i - CELLS];
        if (component.id != values[0].component.id && rng_chance(random, 45)) {
            values[value_count++] = (shoal_value){component, i < CELLS ? &value : NULL};
        }
    }
    steps_spawn(r->s.world, count, entities, values, value_count);
}

static void rig_start(rig *r, uint64_t seed, const shoal_schedule_def *schedule) {
    rng random = {seed};
    steps_start(&r->s, schedule);
    for (size_t i = 0; i < SUMS; i++) {
        assert_ok(shoal_unique_set(r->s.world, sums[i], &(Sum){.bits = i}));
    }
    for (size_t i = 0; i < GROUPS; i++) {
        shoal_entity entities[GROUP_ROWS];
        spawn_group(r, &random, GROUP_ROWS, entities);
        r->handles[i] = entities[7];
        r->handles[(i + GROUPS) % HANDLES] = entities[11];
    }
    assert_ok(shoal_phase_add(r->s.world, &(shoal_phase_def){.name = "extra", .after = "update"}));
    for (size_t i = 0; i < PLANS; i++) {
        draw_plan(&random, r, i);
        r->systems[i] = steps_add(&r->s, &r->plans[i].def);
    }
}

/* What happens between two steps. */
static void disturb(rig *r, uint64_t seed, uint32_t step) {
    rng random = {mix(seed, step)};
    size_t number = rng_below(&random, PLANS);
    if (rng_chance(&random, 25)) {
        assert_ok(shoal_world_trim(r->s.world, 0, NULL));
    }
    if (rng_chance(&random, 30)) {
        spawn_group(r, &random, 1 + rng_below(&random, 300), NULL);
    }
    if (rng_chance(&random, 30)) {
        assert_ok(shoal_system_enable(r->systems[number], !shoal_system_is_enabled(r->systems[number])));
    } else if (rng_chance(&random, 30) && !r->plans[number].is_named) {
        assert_ok(shoal_system_remove(r->systems[number]));
        r->systems[number] = steps_add(&r->s, &r->plans[number].def);
    }
}

static history run_seed(uint64_t seed, const shoal_schedule_def *schedule, const char *how) {
    static rig r;
    history result = {0};
    rig_start(&r, seed, schedule);
    for (uint32_t step = 0; step < STEPS; step++) {
        test_set_context("seed %llu, %s, step %u", (unsigned long long)seed, how, step);
        disturb(&r, seed, step);
        steps_go(&r.s, step % 3 == 0 ? 2 : 1);
        if (steps_can_hash(r.s.world)) {
            result.hashes[step][0] = steps_hash(r.s.world, SHOAL_HASH_CANONICAL);
            result.hashes[step][1] = steps_hash(r.s.world, SHOAL_HASH_LAYOUT);
        }
    }
    for (size_t i = 0; i < PLANS; i++) {
        shoal_system_stats stats = steps_stats(r.systems[i]);
        uint64_t counts[] = {stats.runs, stats.rows, stats.commands, stats.dropped};
        memcpy(result.counts[i], counts, sizeof counts);
    }
    if (test_environment("SHOAL_VERBOSE", 0) != 0) {
        shoal_schedule_stats stats = steps_schedule(&r.s);
        print_message("seed %llu, %s: %llu entities, %u stages, %u tasks, %u fused, %llu shared\n",
                      (unsigned long long)seed, how, (unsigned long long)shoal_world_entity_count(r.s.world),
                      stats.stages, stats.tasks, stats.fused, (unsigned long long)stats.shared_stages);
    }
    steps_end(&r.s);
    return result;
}

static void compare(const history *one, const history *other, uint64_t seed, const char *how) {
    for (uint32_t step = 0; step < STEPS; step++) {
        test_set_context("seed %llu, %s, after step %u", (unsigned long long)seed, how, step);
        assert_count(one->hashes[step][0], other->hashes[step][0]);
        assert_count(one->hashes[step][1], other->hashes[step][1]);
    }
    for (size_t i = 0; i < PLANS; i++) {
        for (size_t k = 0; k < 4; k++) {
            test_set_context("seed %llu, %s, system %zu, count %zu", (unsigned long long)seed, how, i, k);
            assert_count(one->counts[i][k], other->counts[i][k]);
        }
    }
}

static void test_workers_do_not_matter(void **state) {
    (void)state;
    static const uint32_t workers[] = {0, 1, 2, 3, 5};
    uint64_t first = test_environment("SHOAL_SEED", 1);
    uint64_t rounds = test_environment("SHOAL_ROUNDS", 4);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        history expected = {0};
        for (uint32_t i = 0; i < 10; i++) {
            shoal_schedule_def def = {.worker_count = workers[i / 2],
                                      .alone = workers[i / 2] == 0,
                                      .no_fusion = i % 2 == 1,
                                      .ring_records = i % 3 == 0 ? 1 : 100};
            char how[48];
            snprintf(how, sizeof how, "%u workers%s", workers[i / 2], def.no_fusion ? ", not fused" : "");
            history result = run_seed(seed, &def, how);
            expected = i == 0 ? result : expected;
            compare(&result, &expected, seed, how);
        }
    }
    test_set_context("%s", "");
}

static shoal_component make_type(const char *name, size_t number, shoal_component_def def) {
    char text[32];
    snprintf(text, sizeof text, "Random%s%zu", name, number);
    def.name = text;
    return shoal_component_register(&def);
}

int main(void) {
    static const shoal_field cell_fields[] = {SHOAL_FIELD(Cell, bits)};
    static const shoal_field sum_fields[] = {SHOAL_FIELD(Sum, real), SHOAL_FIELD(Sum, bits), SHOAL_FIELD(Sum, count)};
    for (size_t i = 0; i < CELLS; i++) {
        cells[i] =
            make_type("Cell", i,
                      (shoal_component_def){.size = sizeof(Cell),
                                            .alignment = _Alignof(Cell),
                                            .storage = i < SPARSE_FROM ? SHOAL_STORAGE_TABLE : SHOAL_STORAGE_SPARSE,
                                            .fields = cell_fields,
                                            .field_count = 1});
    }
    for (size_t i = 0; i < SWITCHES; i++) {
        switches[i] = make_type("Switch", i, (shoal_component_def){.toggle = true});
    }
    for (size_t i = 0; i < SUMS; i++) {
        sums[i] = make_type("Sum", i,
                            (shoal_component_def){.size = sizeof(Sum),
                                                  .alignment = _Alignof(Sum),
                                                  .storage = SHOAL_STORAGE_UNIQUE,
                                                  .fields = sum_fields,
                                                  .field_count = 3});
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workers_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
