/*
 * Filling the box. Each ball has a square site of its own and lies somewhere in it, so that nobody touches anybody;
 * which kind it is, where it lies and where it flies is up to the dice, site by site. Then each kind is spawned in one
 * call, in the order of the sites, so that neighbours in the box are neighbours in memory as well.
 */
#include "gas.h"

#include "dice.h"
#include "grid.h"
#include "systems.h"

#include <math.h>
#include <stdlib.h>

/* A ball of the largest kind has a little room in it; 0.298 of the area is balls. */
#define SITE_SIZE 4.2
/* In the middle of a blast: what part of the box is hot, and how fast. */
#define BLAST_PART 0.12
#define BLAST_SPEED 4.0
#define BLAST_REST 0.25

const Disc gas_kinds[GAS_KINDS] = {{1.0, 1.0}, {1.5, 2.25}, {2.0, 4.0}};

/* Six of ten balls are small, three middling, one is large. */
static size_t roll_kind(bounce_dice *dice) {
    uint64_t roll = dice_next(dice) % 10;
    return roll < 6 ? 0 : roll < 9 ? 1 : 2;
}

typedef struct site_ball {
    Position position;
    Velocity velocity;
    size_t kind;
} site_ball;

typedef struct site_plan {
    size_t columns;
    Box box;
    const gas_def *def;
    site_ball *balls;
} site_plan;

static double speed_at(const site_plan *plan, const Position *position) {
    if (plan->def->start == GAS_EQUAL) {
        return 1.0;
    }
    double dx = position->x - 0.5 * plan->box.width, dy = position->y - 0.5 * plan->box.height;
    double reach = BLAST_PART * plan->box.width;
    return dx * dx + dy * dy < reach * reach ? BLAST_SPEED : BLAST_REST;
}

static site_ball roll_ball(const site_plan *plan, bounce_dice *dice, size_t site) {
    site_ball ball = {.kind = roll_kind(dice)};
    double room = 0.5 * SITE_SIZE - gas_kinds[ball.kind].radius;
    size_t column = site % plan->columns, row = site / plan->columns;
    ball.position.x = ((double)column + 0.5) * SITE_SIZE + room * dice_signed(dice);
    ball.position.y = ((double)row + 0.5) * SITE_SIZE + room * dice_signed(dice);
    dice_direction(dice, &ball.velocity.x, &ball.velocity.y);
    double speed = speed_at(plan, &ball.position);
    ball.velocity.x *= speed;
    ball.velocity.y *= speed;
    return ball;
}

/* ---- spawning ---- */

typedef struct kind_source {
    const site_ball *balls;
    size_t kind;
    size_t next; /* the site to look at next */
} kind_source;

/* A shoal_fill_fn: columns are Position and Velocity. Calls come in the order of the rows. */
static void fill_kind(void *user, size_t first, size_t count, const shoal_entity *entities, void *const *columns) {
    kind_source *source = user;
    Position *position = columns[0];
    Velocity *velocity = columns[1];
    (void)first;
    (void)entities;
    for (size_t i = 0; i < count; i++) {
        while (source->balls[source->next].kind != source->kind) {
            source->next++;
        }
        position[i] = source->balls[source->next].position;
        velocity[i] = source->balls[source->next].velocity;
        source->next++;
    }
}

static shoal_status spawn_kind(shoal_world *world, const site_plan *plan, size_t kind) {
    kind_source source = {plan->balls, kind, 0};
    size_t count = 0;
    for (size_t site = 0; site < plan->def->balls; site++) {
        count += plan->balls[site].kind == kind;
    }
    shoal_spawn_many_def def = {
        .count = count,
        .values =
            (const shoal_value[]){{SHOAL_ID(Disc), &gas_kinds[kind]}, SHOAL_DEFAULT(Partner), SHOAL_DEFAULT(Impulse)},
        .value_count = 3,
        .columns = (const shoal_value[]){SHOAL_DEFAULT(Position), SHOAL_DEFAULT(Velocity)},
        .column_count = 2,
        .fill = fill_kind,
        .user = &source,
    };
    return count > 0 ? shoal_spawn_many(world, &def) : SHOAL_OK;
}

static shoal_status spawn_all(shoal_world *world, site_plan *plan) {
    bounce_dice dice;
    dice_seed(&dice, plan->def->seed);
    for (size_t site = 0; site < plan->def->balls; site++) {
        plan->balls[site] = roll_ball(plan, &dice, site);
    }
    shoal_status status = SHOAL_OK;
    for (size_t kind = 0; status == SHOAL_OK && kind < GAS_KINDS; kind++) {
        status = spawn_kind(world, plan, kind);
    }
    return status;
}

/* A box as square as it can be. */
static site_plan plan_sites(const gas_def *def) {
    site_plan plan = {.def = def, .columns = (size_t)ceil(sqrt((double)def->balls))};
    size_t rows = (def->balls + plan.columns - 1) / plan.columns;
    plan.box = (Box){SITE_SIZE * (double)plan.columns, SITE_SIZE * (double)rows};
    return plan;
}

static shoal_status fill_world(bounce_gas *gas, const gas_def *def) {
    site_plan plan = plan_sites(def);
    gas->box = plan.box;
    plan.balls = malloc(def->balls * sizeof *plan.balls);
    if (plan.balls == NULL) {
        return SHOAL_OUT_OF_MEMORY;
    }
    shoal_status status = spawn_all(gas->world, &plan);
    free(plan.balls);
    return status;
}

/* ---- the gas ---- */

static shoal_status add_uniques(const bounce_gas *gas) {
    shoal_status status = shoal_unique_set(gas->world, SHOAL_ID(Box), &gas->box);
    status = status == SHOAL_OK ? shoal_unique_set(gas->world, SHOAL_ID(Ledger), NULL) : status;
    status = status == SHOAL_OK ? shoal_unique_set(gas->world, SHOAL_ID(Grid), NULL) : status;
    if (status != SHOAL_OK) {
        return status;
    }
    double widest = 2.0 * gas_kinds[GAS_KINDS - 1].radius;
    return grid_prepare(SHOAL_UNIQUE_MUT(gas->world, Grid), &gas->box, widest);
}

static shoal_status configure(const bounce_gas *gas, const gas_def *def) {
    bool is_alone = def->workers == 1;
    shoal_schedule_def schedule = {
        .worker_count = is_alone ? 0 : def->workers, .alone = is_alone, .no_fusion = def->no_fusion};
    return shoal_schedule_configure(gas->world, &schedule);
}

shoal_status gas_create(bounce_gas *gas, const gas_def *def) {
    *gas = (bounce_gas){.world = shoal_world_create(&(shoal_world_def){.name = "bounce"})};
    if (gas->world == NULL) {
        return shoal_last_error(NULL).status;
    }
    gas->balls = shoal_query_create(
        gas->world,
        &(shoal_query_def){.name = "balls",
                           .terms = SHOAL_TERMS(SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_READ(Disc))});
    shoal_status status = gas->balls != NULL ? SHOAL_OK : shoal_last_error(gas->world).status;
    status = status == SHOAL_OK ? fill_world(gas, def) : status;
    status = status == SHOAL_OK ? add_uniques(gas) : status;
    status = status == SHOAL_OK ? systems_add(gas->world) : status;
    status = status == SHOAL_OK ? configure(gas, def) : status;
    if (status == SHOAL_OK) {
        gas->first = gas_measure(gas);
    }
    return status;
}

void gas_destroy(bounce_gas *gas) {
    shoal_world_destroy(gas->world);
    *gas = (bounce_gas){0};
}

shoal_status gas_step(bounce_gas *gas) {
    return shoal_world_step(gas->world, GAS_STEP_NS);
}

/* ---- what is kept ---- */

/* A sum that keeps what each addition rounds off (Neumaier 1974): a plain one of a hundred thousand numbers would be
   further off than what it is to show. */
typedef struct careful_sum {
    double sum, lost;
} careful_sum;

static void careful_add(careful_sum *total, double value) {
    double sum = total->sum + value;
    total->lost += fabs(total->sum) >= fabs(value) ? (total->sum - sum) + value : (value - sum) + total->sum;
    total->sum = sum;
}

gas_sums gas_measure(const bounce_gas *gas) {
    careful_sum energy = {0}, x = {0}, y = {0};
    gas_sums sums = {0};
    shoal_view view;
    shoal_view_begin(&view, gas->balls);
    while (shoal_view_next(&view)) {
        const Velocity *velocity = SHOAL_COLUMN(&view, Velocity);
        double mass = SHOAL_ONE(&view, Disc)->mass;
        for (size_t i = 0; i < view.count; i++) {
            careful_add(&energy, 0.5 * mass * (velocity[i].x * velocity[i].x + velocity[i].y * velocity[i].y));
            careful_add(&x, mass * velocity[i].x);
            careful_add(&y, mass * velocity[i].y);
        }
        sums.mass += mass * (double)view.count;
    }
    sums.energy = energy.sum + energy.lost;
    sums.momentum_x = x.sum + x.lost;
    sums.momentum_y = y.sum + y.lost;
    return sums;
}

double gas_energy_drift(const bounce_gas *gas, const gas_sums *now) {
    return gas->first.energy > 0.0 ? now->energy / gas->first.energy - 1.0 : 0.0;
}

double gas_momentum_error(const bounce_gas *gas, const gas_sums *now) {
    const Ledger *ledger = SHOAL_UNIQUE(gas->world, Ledger);
    double x = now->momentum_x - gas->first.momentum_x - ledger->wall_x;
    double y = now->momentum_y - gas->first.momentum_y - ledger->wall_y;
    double most = sqrt(2.0 * gas->first.energy * gas->first.mass);
    return most > 0.0 ? sqrt(x * x + y * y) / most : 0.0;
}

size_t gas_kind_of(const Disc *disc) {
    size_t kind = 0;
    while (kind + 1 < GAS_KINDS && gas_kinds[kind].mass != disc->mass) {
        kind++;
    }
    return kind;
}
