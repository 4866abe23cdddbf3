/*
 * The systems, see systems.h: each is a function over the columns of a view and a definition that says what it reads
 * and writes. The chain "gas" is their order.
 *
 * Sums over all balls are reductions, which add in a fixed order: Totals, WallKick, Hits and Overlap are the same, bit
 * for bit, on any number of workers.
 * Thread rule: the scheduler's.
 */
#include "systems.h"

#include "contact.h"
#include "grid.h"

/* ---- flight ---- */

static shoal_status move(const shoal_run *run, shoal_view *view) {
    Position *position = SHOAL_COLUMN_MUT(view, Position);
    const Velocity *velocity = SHOAL_COLUMN(view, Velocity);
    double dt = run->dt;
    for (size_t i = 0; i < view->count; i++) {
        position[i].x += dt * velocity[i].x;
        position[i].y += dt * velocity[i].y;
    }
    return SHOAL_OK;
}

/* One coordinate of a ball between two walls: mirrored where it is beyond. Returns the change of velocity. Mirrored at
   `low`, 2 low - at is not below low, also when it is rounded. */
static double reflect(double *at, double *speed, double low, double high) {
    double before = *speed;
    if (*at < low) {
        *at = 2.0 * low - *at;
        *speed = before < 0.0 ? -before : before;
    } else if (*at > high) {
        *at = 2.0 * high - *at;
        *speed = before > 0.0 ? -before : before;
    }
    return *speed - before;
}

static shoal_status walls(const shoal_run *run, shoal_view *view) {
    Position *position = SHOAL_COLUMN_MUT(view, Position);
    Velocity *velocity = SHOAL_COLUMN_MUT(view, Velocity);
    const Disc *disc = SHOAL_ONE(view, Disc);
    const Box *box = SHOAL_UNIQUE(run->world, Box);
    WallKick *kick = SHOAL_SUM(run, 0, WallKick);
    double radius = disc->radius, right = box->width - radius, top = box->height - radius;
    for (size_t i = 0; i < view->count; i++) {
        double dx = reflect(&position[i].x, &velocity[i].x, radius, right);
        double dy = reflect(&position[i].y, &velocity[i].y, radius, top);
        kick->x += disc->mass * dx;
        kick->y += disc->mass * dy;
        kick->hits += (uint64_t)(dx != 0.0) + (uint64_t)(dy != 0.0);
    }
    return SHOAL_OK;
}

/* ---- who meets whom ---- */

static shoal_status grid(const shoal_run *run) {
    return grid_build(SHOAL_UNIQUE_MUT(run->world, Grid), run);
}

/* Of the balls that overlap with this one and are closing in, the one that it met first. */
static Partner find_partner(const Grid *cells, const contact_body *body, shoal_entity self, double *deepest) {
    Partner partner = {.since = -1.0};
    grid_run runs[3];
    size_t run_count = grid_near(cells, &(Position){body->x, body->y}, runs);
    for (size_t r = 0; r < run_count; r++) {
        for (const grid_ball *ball = runs[r].first; ball < runs[r].end; ball++) {
            double dx = ball->body.x - body->x, dy = ball->body.y - body->y, reach = ball->body.radius + body->radius;
            if (dx * dx + dy * dy >= reach * reach || shoal_entity_equal(ball->entity, self)) {
                continue;
            }
            double depth = contact_depth(body, &ball->body), since = 0.0;
            *deepest = depth > *deepest ? depth : *deepest;
            if (contact_find(body, &ball->body, &since) && since > partner.since) {
                partner = (Partner){ball->entity, since};
            }
        }
    }
    return partner;
}

static shoal_status choose(const shoal_run *run, shoal_view *view) {
    const Position *position = SHOAL_COLUMN(view, Position);
    const Velocity *velocity = SHOAL_COLUMN(view, Velocity);
    const Disc *disc = SHOAL_ONE(view, Disc);
    Partner *partner = SHOAL_COLUMN_MUT(view, Partner);
    const Grid *cells = SHOAL_UNIQUE(run->world, Grid);
    Overlap *overlap = SHOAL_SUM(run, 0, Overlap);
    double deepest = 0.0;
    for (size_t i = 0; i < view->count; i++) {
        contact_body body = {position[i].x, position[i].y, velocity[i].x, velocity[i].y, disc->radius};
        partner[i] = find_partner(cells, &body, view->entities[i], &deepest);
    }
    overlap->deepest = deepest > overlap->deepest ? deepest : overlap->deepest;
    return SHOAL_OK;
}

/* ---- collisions ---- */

/* An overlap that is older than the step goes by the state at the step's beginning: before that the two may have flown
   another way. */
static double since_within(double since, double dt) {
    return since < dt ? since : dt;
}

static Impulse impulse_of(const shoal_run *run, const contact_body *body, double mass, const Partner *partner) {
    const Position *position = SHOAL_GET(run->world, partner->ball, Position);
    const Velocity *velocity = SHOAL_GET(run->world, partner->ball, Velocity);
    const Disc *disc = SHOAL_GET(run->world, partner->ball, Disc);
    contact_body other = {position->x, position->y, velocity->x, velocity->y, disc->radius};
    double since = since_within(partner->since, run->dt);
    contact_vector impulse = contact_impulse(body, &other, since, contact_reduced_mass(mass, disc->mass));
    return (Impulse){impulse.x, impulse.y, since};
}

static bool is_chosen_by(const shoal_run *run, const Partner *partner, shoal_entity self) {
    return !shoal_entity_is_null(partner->ball) &&
           shoal_entity_equal(SHOAL_GET(run->world, partner->ball, Partner)->ball, self);
}

static shoal_status collide(const shoal_run *run, shoal_view *view) {
    const Position *position = SHOAL_COLUMN(view, Position);
    const Velocity *velocity = SHOAL_COLUMN(view, Velocity);
    const Partner *partner = SHOAL_COLUMN(view, Partner);
    const Disc *disc = SHOAL_ONE(view, Disc);
    Impulse *impulse = SHOAL_COLUMN_MUT(view, Impulse);
    Hits *hits = SHOAL_SUM(run, 0, Hits);
    for (size_t i = 0; i < view->count; i++) {
        impulse[i] = (Impulse){0};
        if (is_chosen_by(run, &partner[i], view->entities[i])) {
            contact_body body = {position[i].x, position[i].y, velocity[i].x, velocity[i].y, disc->radius};
            impulse[i] = impulse_of(run, &body, disc->mass, &partner[i]);
            hits->balls++;
        }
    }
    return SHOAL_OK;
}

static double clamp(double at, double low, double high) {
    return at < low ? low : at > high ? high : at;
}

/* The ball flies with its new velocity since it met the other one. Where that would bring it into a wall, it stays at
   the wall: places are not what is kept. */
static shoal_status apply(const shoal_run *run, shoal_view *view) {
    Position *position = SHOAL_COLUMN_MUT(view, Position);
    Velocity *velocity = SHOAL_COLUMN_MUT(view, Velocity);
    const Impulse *impulse = SHOAL_COLUMN(view, Impulse);
    const Disc *disc = SHOAL_ONE(view, Disc);
    const Box *box = SHOAL_UNIQUE(run->world, Box);
    double radius = disc->radius, right = box->width - radius, top = box->height - radius;
    for (size_t i = 0; i < view->count; i++) {
        double dx = impulse[i].x / disc->mass, dy = impulse[i].y / disc->mass;
        velocity[i].x += dx;
        velocity[i].y += dy;
        position[i].x = clamp(position[i].x + impulse[i].since * dx, radius, right);
        position[i].y = clamp(position[i].y + impulse[i].since * dy, radius, top);
    }
    return SHOAL_OK;
}

/* ---- what is kept ---- */

static shoal_status measure(const shoal_run *run, shoal_view *view) {
    const Velocity *velocity = SHOAL_COLUMN(view, Velocity);
    double mass = SHOAL_ONE(view, Disc)->mass;
    Totals *totals = SHOAL_SUM(run, 0, Totals);
    for (size_t i = 0; i < view->count; i++) {
        totals->energy += 0.5 * mass * (velocity[i].x * velocity[i].x + velocity[i].y * velocity[i].y);
        totals->momentum_x += mass * velocity[i].x;
        totals->momentum_y += mass * velocity[i].y;
    }
    return SHOAL_OK;
}

static shoal_status tally(const shoal_run *run) {
    const WallKick *kick = SHOAL_UNIQUE(run->world, WallKick);
    const Hits *hits = SHOAL_UNIQUE(run->world, Hits);
    const Overlap *overlap = SHOAL_UNIQUE(run->world, Overlap);
    Ledger *ledger = SHOAL_UNIQUE_MUT(run->world, Ledger);
    ledger->wall_x += kick->x;
    ledger->wall_y += kick->y;
    ledger->wall_hits += kick->hits;
    ledger->collisions += hits->balls / 2;
    ledger->deepest = overlap->deepest > ledger->deepest ? overlap->deepest : ledger->deepest;
    return SHOAL_OK;
}

/* ---- the definitions ---- */

static bool add(shoal_world *world, const shoal_system_def *def) {
    shoal_system_def chained = *def;
    chained.chain = "gas";
    return shoal_system_add(world, &chained) != NULL;
}

static bool add_flight(shoal_world *world) {
    shoal_system_def move_def = {
        .name = "move",
        .each = move,
        .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_READ(Velocity))},
    };
    shoal_system_def walls_def = {
        .name = "walls",
        .each = walls,
        .query = {.terms = SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_WRITE(Velocity), SHOAL_READ(Disc))},
        .lookups = SHOAL_TERMS(SHOAL_READ(Box)),
        .reductions = SHOAL_REDUCTIONS({.into = SHOAL_ID(WallKick), .kind = SHOAL_REDUCE_SUM}),
    };
    return add(world, &move_def) && add(world, &walls_def);
}

static bool add_meeting(shoal_world *world) {
    shoal_system_def grid_def = {
        .name = "grid",
        .once = grid,
        .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_READ(Disc))},
        .lookups = SHOAL_TERMS(SHOAL_WRITE(Grid)),
    };
    shoal_system_def choose_def = {
        .name = "choose",
        .each = choose,
        .query = {.terms =
                      SHOAL_TERMS(SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_READ(Disc), SHOAL_WRITE(Partner))},
        .lookups = SHOAL_TERMS(SHOAL_READ(Grid)),
        .reductions = SHOAL_REDUCTIONS({.into = SHOAL_ID(Overlap), .kind = SHOAL_REDUCE_MAX}),
    };
    return add(world, &grid_def) && add(world, &choose_def);
}

static bool add_collisions(shoal_world *world) {
    shoal_system_def collide_def = {
        .name = "collide",
        .each = collide,
        .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_READ(Disc),
                                       SHOAL_READ(Partner), SHOAL_WRITE(Impulse))},
        .lookups = SHOAL_TERMS(SHOAL_READ(Position), SHOAL_READ(Velocity), SHOAL_READ(Disc), SHOAL_READ(Partner)),
        .reductions = SHOAL_REDUCTIONS({.into = SHOAL_ID(Hits), .kind = SHOAL_REDUCE_SUM}),
    };
    shoal_system_def apply_def = {
        .name = "apply",
        .each = apply,
        .query = {.terms =
                      SHOAL_TERMS(SHOAL_WRITE(Position), SHOAL_WRITE(Velocity), SHOAL_READ(Impulse), SHOAL_READ(Disc))},
        .lookups = SHOAL_TERMS(SHOAL_READ(Box)),
    };
    return add(world, &collide_def) && add(world, &apply_def);
}

static bool add_sums(shoal_world *world) {
    shoal_system_def measure_def = {
        .name = "measure",
        .each = measure,
        .query = {.terms = SHOAL_TERMS(SHOAL_READ(Velocity), SHOAL_READ(Disc))},
        .reductions = SHOAL_REDUCTIONS({.into = SHOAL_ID(Totals), .kind = SHOAL_REDUCE_SUM}),
    };
    shoal_system_def tally_def = {
        .name = "tally",
        .once = tally,
        .lookups = SHOAL_TERMS(SHOAL_READ(WallKick), SHOAL_READ(Hits), SHOAL_READ(Overlap), SHOAL_WRITE(Ledger)),
    };
    return add(world, &measure_def) && add(world, &tally_def);
}

shoal_status systems_add(shoal_world *world) {
    bool is_done = add_flight(world) && add_meeting(world) && add_collisions(world) && add_sums(world);
    return is_done ? SHOAL_OK : shoal_last_error(world).status;
}
