/*
 * The gas of the example bounce: what it must keep, and that it comes to the same on any number of workers.
 *
 * The laws are looked at from outside, by adding up all balls one after the other, and beside that in the sums that the
 * systems keep. What is random comes from a seed, so each run is the same.
 */
#include "support/test.h"

#include "dice.h"
#include "grid.h"
#include "speeds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounding of a few thousand collisions; a mistake in a collision is off by a part of a ball's energy, 1e-4 and up. */
#define BOUND 1e-13

static bounce_gas start_gas(const gas_def *def) {
    bounce_gas gas;
    assert_ok(gas_create(&gas, def));
    return gas;
}

static void take_steps(bounce_gas *gas, size_t steps) {
    for (size_t step = 0; step < steps; step++) {
        assert_ok(gas_step(gas));
    }
}

static void assert_below(double actual, double limit) {
    if (!(actual < limit)) {
        fail_msg("%.17g is not below %.17g", actual, limit);
    }
}

/* ---- two discs ---- */

static contact_body roll_body(bounce_dice *dice) {
    contact_body body = {.x = 2.0 * dice_signed(dice), .y = 2.0 * dice_signed(dice), .vx = dice_signed(dice)};
    body.vy = dice_signed(dice);
    body.radius = 0.5 + dice_unit(dice);
    return body;
}

static double energy_of(const contact_body *body, double mass) {
    return 0.5 * mass * (body->vx * body->vx + body->vy * body->vy);
}

static void check_pair(const contact_body *a, const contact_body *b, double since) {
    const double mass_a = 1.0, mass_b = 2.25, reduced = contact_reduced_mass(mass_a, mass_b);
    double other_since = 0.0;
    assert_true(contact_find(b, a, &other_since));
    assert_true(other_since == since && since > 0.0);
    contact_vector on_a = contact_impulse(a, b, since, reduced);
    contact_vector on_b = contact_impulse(b, a, since, contact_reduced_mass(mass_b, mass_a));
    assert_true(on_a.x == -on_b.x && on_a.y == -on_b.y);

    double dx = b->x - a->x - since * (b->vx - a->vx), dy = b->y - a->y - since * (b->vy - a->vy);
    assert_below(fabs(sqrt(dx * dx + dy * dy) - a->radius - b->radius), 1e-9);
    assert_below(fabs(dx * on_a.y - dy * on_a.x), 1e-9); /* along the line of centres as they touched */
    contact_body after_a = *a, after_b = *b;
    after_a.vx += on_a.x / mass_a;
    after_a.vy += on_a.y / mass_a;
    after_b.vx += on_b.x / mass_b;
    after_b.vy += on_b.y / mass_b;
    double before = energy_of(a, mass_a) + energy_of(b, mass_b);
    assert_below(fabs(energy_of(&after_a, mass_a) + energy_of(&after_b, mass_b) - before), 1e-14 * (1.0 + before));
    assert_true(dx * (after_b.vx - after_a.vx) + dy * (after_b.vy - after_a.vy) > 0.0);
}

static void both_sides_of_a_collision_agree(void **state) {
    bounce_dice dice;
    size_t found = 0;
    (void)state;
    dice_seed(&dice, 7);
    for (size_t round = 0; round < 20000; round++) {
        contact_body a = roll_body(&dice), b = roll_body(&dice);
        double since = 0.0;
        if (contact_find(&a, &b, &since)) {
            check_pair(&a, &b, since);
            found++;
        }
    }
    assert_in_range(found, 2000, 18000);
}

static void discs_that_part_or_are_apart_do_not_collide(void **state) {
    contact_body a = {0, 0, 0, 0, 1}, parting = {1, 0, 1, 0, 1}, apart = {2.5, 0, -1, 0, 1}, closing = {1, 0, -1, 0, 1};
    double since = 0.0;
    (void)state;
    assert_false(contact_find(&a, &parting, &since));
    assert_false(contact_find(&a, &apart, &since));
    assert_true(contact_find(&a, &closing, &since));
    assert_true(since == 1.0);
    contact_vector impulse = contact_impulse(&a, &closing, since, contact_reduced_mass(1.0, 1.0));
    assert_true(impulse.x == -1.0 && impulse.y == 0.0);
}

/* ---- the grid ---- */

/* What a grid promises: balls of the largest kind that touch are so close, or closer. */
static bool is_close(const Grid *grid, const contact_body *a, const contact_body *b) {
    double dx = b->x - a->x, dy = b->y - a->y;
    return dx * dx + dy * dy <= grid->cell_size * grid->cell_size;
}

typedef struct near_count {
    size_t near, close;
} near_count;

static near_count count_near(const Grid *grid, const contact_body *body) {
    near_count count = {0, 0};
    grid_run runs[3];
    size_t run_count = grid_near(grid, &(Position){body->x, body->y}, runs);
    for (size_t r = 0; r < run_count; r++) {
        for (const grid_ball *other = runs[r].first; other < runs[r].end; other++) {
            count.near++;
            count.close += is_close(grid, body, &other->body);
        }
    }
    return count;
}

static size_t count_close(const Grid *grid, const contact_body *body) {
    size_t count = 0;
    for (size_t i = 0; i < grid->ball_count; i++) {
        count += is_close(grid, body, &grid->balls[i].body);
    }
    return count;
}

static shoal_status check_grid(const shoal_run *run) {
    Grid *grid = SHOAL_UNIQUE_MUT(run->world, Grid);
    size_t *pairs = run->user, near = 0;
    shoal_status status = grid_build(grid, run);
    assert_ok(status);
    assert_count(grid->ball_count, shoal_query_count(run->query));
    for (size_t i = 0; i < grid->ball_count; i++) {
        near_count count = count_near(grid, &grid->balls[i].body);
        assert_count(count.close, count_close(grid, &grid->balls[i].body));
        *pairs += count.close - 1;
        near += count.near;
    }
    assert_at_most(near, 12 * grid->ball_count);
    return status;
}

/* Beside a look at all pairs. The box is small enough that many cells lie at its walls. */
static void the_grid_finds_all_that_are_close(void **state) {
    size_t pairs = 0;
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        bounce_gas gas = start_gas(&(gas_def){.balls = 700, .seed = workers, .workers = workers});
        shoal_system_def def = {
            .name = "check",
            .once = check_grid,
            .user = &pairs,
            .phase = "post-update",
            .thread = SHOAL_THREAD_MAIN,
            .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_READ(Disc))},
            .lookups = SHOAL_TERMS(SHOAL_WRITE(Grid)),
        };
        assert_non_null(shoal_system_add(gas.world, &def));
        take_steps(&gas, 60);
        gas_destroy(&gas);
    }
    assert_in_range(pairs, 100000, 10000000);
}

/* ---- what the gas keeps ---- */

static void check_sums(const bounce_gas *gas) {
    gas_sums now = gas_measure(gas);
    const Totals *totals = SHOAL_UNIQUE(gas->world, Totals);
    double most = sqrt(2.0 * now.energy * now.mass);
    assert_below(fabs(gas_energy_drift(gas, &now)), BOUND);
    assert_below(gas_momentum_error(gas, &now), BOUND);
    assert_below(fabs(totals->energy - now.energy), BOUND * now.energy);
    assert_below(fabs(totals->momentum_x - now.momentum_x), BOUND * most);
    assert_below(fabs(totals->momentum_y - now.momentum_y), BOUND * most);
}

static void check_all_are_inside(const bounce_gas *gas) {
    shoal_view view;
    assert_ok(shoal_view_begin(&view, gas->balls));
    while (shoal_view_next(&view)) {
        const Position *position = SHOAL_COLUMN(&view, Position);
        double radius = SHOAL_ONE(&view, Disc)->radius;
        for (size_t i = 0; i < view.count; i++) {
            assert_true(position[i].x >= radius && position[i].x <= gas->box.width - radius);
            assert_true(position[i].y >= radius && position[i].y <= gas->box.height - radius);
        }
    }
}

static void check_run(gas_start start, double deepest) {
    bounce_gas gas = start_gas(&(gas_def){.balls = 2000, .seed = 5, .start = start, .workers = 2});
    for (size_t i = 0; i < 300; i++) {
        take_steps(&gas, 1);
        check_sums(&gas);
        check_all_are_inside(&gas);
    }
    const Ledger *ledger = SHOAL_UNIQUE(gas.world, Ledger);
    assert_in_range(ledger->collisions, 5000, 100000);
    assert_in_range(ledger->wall_hits, 50, 10000);
    assert_below(ledger->deepest, deepest);
    assert_valid(gas.world);
    gas_destroy(&gas);
}

static void an_even_gas_keeps_energy_and_momentum(void **state) {
    (void)state;
    check_run(GAS_EQUAL, 0.6);
}

static void a_blast_keeps_energy_and_momentum(void **state) {
    (void)state;
    check_run(GAS_BLAST, 1.8);
}

static void one_ball_alone_bounces_between_the_walls(void **state) {
    bounce_gas gas = start_gas(&(gas_def){.balls = 1, .seed = 1, .workers = 1});
    (void)state;
    take_steps(&gas, 1000);
    check_sums(&gas);
    check_all_are_inside(&gas);
    assert_in_range(SHOAL_UNIQUE(gas.world, Ledger)->wall_hits, 10, 1000);
    assert_count(SHOAL_UNIQUE(gas.world, Ledger)->collisions, 0);
    gas_destroy(&gas);
}

static void put_ball(const bounce_gas *gas, shoal_entity ball, double x, double y, double speed) {
    assert_ok(SHOAL_SET(gas->world, ball, Position, x, y));
    assert_ok(SHOAL_SET(gas->world, ball, Velocity, speed, 0.0));
}

/* Three balls; the reach is how far the centres of one and of the first are apart when they touch. */
typedef struct three_balls {
    bounce_gas gas;
    shoal_entity ball[3];
    double reach[3];
} three_balls;

static three_balls start_three(void) {
    three_balls three = {.gas = start_gas(&(gas_def){.balls = 3, .seed = 1, .workers = 1})};
    shoal_world *world = three.gas.world;
    for (size_t i = 0; i < 3; i++) {
        three.ball[i] = i > 0 ? three.ball[i - 1] : three.ball[i];
        assert_true(shoal_next_entity(world, &three.ball[i]));
        three.reach[i] = SHOAL_GET(world, three.ball[i], Disc)->radius + SHOAL_GET(world, three.ball[0], Disc)->radius;
    }
    return three;
}

static const Velocity *step_three(three_balls *three, size_t ball) {
    take_steps(&three->gas, 1);
    assert_count(SHOAL_UNIQUE(three->gas.world, Ledger)->collisions, 1);
    check_all_are_inside(&three->gas);
    return SHOAL_GET(three->gas.world, three->ball[ball], Velocity);
}

/* A fast ball flies into the gap between two that rest, one of which it meets a little later. */
static void check_first_met(double upper_lag, double lower_lag) {
    three_balls three = start_three();
    const double *reach = three.reach;
    /* Up and down by 0.8 of the reach, so they touch when they are 0.6 of it ahead; in a step it flies 0.5. */
    put_ball(&three.gas, three.ball[0], 2.5, 4.2, 10.0);
    put_ball(&three.gas, three.ball[1], 2.6 + 0.6 * reach[1] + upper_lag, 4.2 + 0.8 * reach[1], 0.0);
    put_ball(&three.gas, three.ball[2], 2.6 + 0.6 * reach[2] + lower_lag, 4.2 - 0.8 * reach[2], 0.0);
    three.gas.first = gas_measure(&three.gas);
    const Velocity *upper = step_three(&three, 1), *lower = SHOAL_GET(three.gas.world, three.ball[2], Velocity);
    check_sums(&three.gas);
    assert_true((upper->x > 0.0) == (upper_lag < lower_lag));
    assert_true((lower->x > 0.0) == (lower_lag < upper_lag));
    gas_destroy(&three.gas);
}

static void a_ball_that_is_pushed_into_the_wall_stays_inside(void **state) {
    three_balls three = start_three();
    double radius = 0.5 * three.reach[0];
    (void)state;
    put_ball(&three.gas, three.ball[0], radius + 0.1, 2.0, 0.0);
    put_ball(&three.gas, three.ball[1], radius + three.reach[1] + 0.2, 2.0, -20.0);
    put_ball(&three.gas, three.ball[2], 6.0, 6.0, 0.0);
    assert_true(step_three(&three, 0)->x < 0.0);
    assert_true(SHOAL_GET(three.gas.world, three.ball[0], Position)->x == radius);
    gas_destroy(&three.gas);
}

static void a_ball_collides_with_the_one_that_it_met_first(void **state) {
    (void)state;
    check_first_met(0.0, 0.2);
    check_first_met(0.2, 0.0);
}

/* ---- the same on any number of workers ---- */

typedef struct gas_state {
    char *bytes; /* places and velocities, row by row, then the sums */
    size_t size;
    uint64_t hash; /* 0 where the library has none */
} gas_state;

static void state_add(gas_state *state, const void *bytes, size_t size) {
    if (size == 0) {
        return;
    }
    state->bytes = realloc(state->bytes, state->size + size);
    assert_non_null(state->bytes);
    memcpy(state->bytes + state->size, bytes, size);
    state->size += size;
}

static gas_state state_after(const gas_def *def, size_t steps) {
    bounce_gas gas = start_gas(def);
    gas_state state = {0};
    shoal_view view;
    take_steps(&gas, steps);
    assert_ok(shoal_view_begin(&view, gas.balls));
    while (shoal_view_next(&view)) {
        state_add(&state, SHOAL_COLUMN(&view, Position), view.count * sizeof(Position));
        state_add(&state, SHOAL_COLUMN(&view, Velocity), view.count * sizeof(Velocity));
    }
    state_add(&state, SHOAL_UNIQUE(gas.world, Totals), sizeof(Totals));
    state_add(&state, SHOAL_UNIQUE(gas.world, Ledger), sizeof(Ledger));
    shoal_status status = shoal_world_hash(gas.world, SHOAL_HASH_CANONICAL, &state.hash);
    assert_true(status == SHOAL_OK || status == SHOAL_UNSUPPORTED);
    gas_destroy(&gas);
    return state;
}

static void assert_same(const gas_state *a, const gas_state *b) {
    assert_count(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, a->size);
    assert_count(a->hash, b->hash);
}

static void workers_and_fusion_do_not_matter(void **state) {
    static const uint32_t workers[] = {1, 2, 3, 2, 1};
    gas_state first = {0};
    (void)state;
    for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i++) {
        bool no_fusion = i >= 3;
        gas_state now =
            state_after(&(gas_def){.balls = 20000, .seed = 3, .workers = workers[i], .no_fusion = no_fusion}, 40);
        if (i == 0) {
            first = now;
        } else {
            assert_same(&now, &first);
            free(now.bytes);
        }
    }
    free(first.bytes);
}

static void another_seed_is_another_gas(void **state) {
    gas_state a = state_after(&(gas_def){.balls = 100, .seed = 3, .workers = 1}, 1);
    gas_state b = state_after(&(gas_def){.balls = 100, .seed = 4, .workers = 1}, 1);
    (void)state;
    assert_memory_not_equal(a.bytes, b.bytes, 60 * sizeof(Position));
    free(a.bytes);
    free(b.bytes);
}

/* ---- Maxwell and Boltzmann ---- */

static void speeds_come_to_the_distribution_of_maxwell_and_boltzmann(void **state) {
    bounce_gas gas = start_gas(&(gas_def){.balls = 4000, .seed = 1, .workers = 2});
    bounce_speeds speeds;
    (void)state;
    assert_ok(speeds_measure(&speeds, &gas, 4.0));
    assert_true(speeds.distance > 0.4);
    assert_true(speeds.energy[2] > 2.0 * speeds.temperature);
    take_steps(&gas, 500);
    assert_ok(speeds_measure(&speeds, &gas, 4.0));
    assert_below(speeds.distance, speeds_distance_by_chance(4000));
    for (size_t kind = 0; kind < GAS_KINDS; kind++) {
        /* Four times what chance makes of a mean of so many. */
        double chance = 4.0 / sqrt((double)speeds.count[kind]);
        assert_below(fabs(speeds.energy[kind] / speeds.temperature - 1.0), chance);
    }
    gas_destroy(&gas);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_of_a_collision_agree),
        cmocka_unit_test(discs_that_part_or_are_apart_do_not_collide),
        cmocka_unit_test(the_grid_finds_all_that_are_close),
        cmocka_unit_test(an_even_gas_keeps_energy_and_momentum),
        cmocka_unit_test(a_blast_keeps_energy_and_momentum),
        cmocka_unit_test(one_ball_alone_bounces_between_the_walls),
        cmocka_unit_test(a_ball_that_is_pushed_into_the_wall_stays_inside),
        cmocka_unit_test(a_ball_collides_with_the_one_that_it_met_first),
        cmocka_unit_test(workers_and_fusion_do_not_matter),
        cmocka_unit_test(another_seed_is_another_gas),
        cmocka_unit_test(speeds_come_to_the_distribution_of_maxwell_and_boltzmann),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
