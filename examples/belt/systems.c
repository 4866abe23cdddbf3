/*
 * The systems, see systems.h: each is a function over the columns of a view, or over uniques, and a definition that
 * says what it reads and writes. The chain "belt" is their order.
 *
 * The day comes from the Calendar and not from the time of the step, which ends at 584 years.
 * Thread rule: the scheduler's.
 */
#include "systems.h"

#include "components.h"
#include "moid.h"
#include "motion.h"

#include <math.h>

/* ---- the day ---- */

/* The last step ends on the last day, however the days divide into steps. */
static double day_of(const Calendar *calendar, int64_t step) {
    return step < calendar->steps ? (double)step * calendar->step_hours / 24.0 : calendar->last_day;
}

static shoal_status turn_calendar(const shoal_run *run) {
    static const orbit_elements orbit = ORBIT_EARTH;
    Calendar *calendar = SHOAL_UNIQUE_MUT(run->world, Calendar);
    double place[3];
    calendar->step++;
    calendar->day = day_of(calendar, calendar->step);
    orbit_position_at(&orbit, calendar->start + calendar->day, place);
    *SHOAL_UNIQUE_MUT(run->world, Earth) = (Earth){place[0], place[1], place[2]};
    return SHOAL_OK;
}

static bool is_first_day(const shoal_run *run) {
    return SHOAL_UNIQUE(run->world, Calendar)->step == 0;
}

/* ---- bodies ---- */

static shoal_status measure_distances(const shoal_run *run, shoal_view *view) {
    const Orbit *orbit = SHOAL_COLUMN(view, Orbit);
    EarthDistance *distance = SHOAL_COLUMN_MUT(view, EarthDistance);
    (void)run;
    for (size_t i = 0; i < view->count; i++) {
        distance[i].au = moid_to_earth(&orbit[i]);
    }
    return SHOAL_OK;
}

static shoal_status move(const shoal_run *run, shoal_view *view) {
    motion_rows rows = {
        .motion = SHOAL_COLUMN(view, Motion),
        .frame = SHOAL_COLUMN(view, OrbitFrame),
        .position = SHOAL_COLUMN_MUT(view, Position),
        .velocity = SHOAL_COLUMN_MUT(view, Velocity),
        .count = view->count,
    };
    motion_step(&rows, SHOAL_UNIQUE(run->world, Calendar)->day);
    return SHOAL_OK;
}

/* ---- who comes close ---- */

static void nobody_yet(void *sum, void *user) {
    (void)user;
    *(Nearest *)sum = (Nearest){.au = INFINITY};
}

static void keep_nearer(void *sum, const void *other, void *user) {
    const Nearest *later = other;
    (void)user;
    if (later->au < ((const Nearest *)sum)->au) {
        *(Nearest *)sum = *later;
    }
}

static shoal_status approach(const shoal_run *run, shoal_view *view) {
    const Position *position = SHOAL_COLUMN(view, Position);
    const Earth *earth = SHOAL_UNIQUE(run->world, Earth);
    Nearest *nearest = SHOAL_SUM(run, 0, Nearest);
    for (size_t i = 0; i < view->count; i++) {
        double dx = position[i].x - earth->x, dy = position[i].y - earth->y, dz = position[i].z - earth->z;
        double au = sqrt(dx * dx + dy * dy + dz * dz);
        if (au < nearest->au) {
            *nearest = (Nearest){view->entities[i], au};
        }
    }
    return SHOAL_OK;
}

static shoal_status keep_diary(const shoal_run *run) {
    const Nearest *nearest = SHOAL_UNIQUE(run->world, Nearest);
    Closest *closest = SHOAL_UNIQUE_MUT(run->world, Closest);
    if (nearest->au < closest->au) {
        *closest = (Closest){nearest->body, nearest->au, SHOAL_UNIQUE(run->world, Calendar)->day};
    }
    return SHOAL_OK;
}

/* ---- the definitions ---- */

static bool add(shoal_world *world, const shoal_system_def *def) {
    shoal_system_def chained = *def;
    chained.chain = "belt";
    return shoal_system_add(world, &chained) != NULL;
}

static bool add_day(shoal_world *world) {
    shoal_system_def calendar_def = {
        .name = "calendar",
        .once = turn_calendar,
        .lookups = SHOAL_TERMS(SHOAL_WRITE(Calendar), SHOAL_WRITE(Earth)),
    };
    shoal_system_def distances_def = {
        .name = "distances",
        .each = measure_distances,
        .query = {.terms = SHOAL_TERMS(SHOAL_READ(Orbit), SHOAL_WRITE(EarthDistance))},
        .condition = is_first_day,
        .condition_reads = SHOAL_TERMS(SHOAL_READ(Calendar)),
    };
    return add(world, &calendar_def) && add(world, &distances_def);
}

static bool add_motion(shoal_world *world) {
    shoal_system_def move_def = {
        .name = "move",
        .each = move,
        .query = {.terms = SHOAL_TERMS(SHOAL_READ(Motion), SHOAL_READ(OrbitFrame), SHOAL_WRITE(Position),
                                       SHOAL_WRITE(Velocity))},
        .lookups = SHOAL_TERMS(SHOAL_READ(Calendar)),
    };
    shoal_system_def approach_def = {
        .name = "approach",
        .each = approach,
        .query = {.terms = SHOAL_TERMS(SHOAL_READ(Position), SHOAL_WITHOUT(CloneOf))},
        .lookups = SHOAL_TERMS(SHOAL_READ(Earth)),
        .reductions = SHOAL_REDUCTIONS(
            {.into = SHOAL_ID(Nearest), .kind = SHOAL_REDUCE_USER, .begin = nobody_yet, .merge = keep_nearer}),
    };
    shoal_system_def diary_def = {
        .name = "diary",
        .once = keep_diary,
        .lookups = SHOAL_TERMS(SHOAL_READ(Calendar), SHOAL_READ(Nearest), SHOAL_WRITE(Closest)),
    };
    return add(world, &move_def) && add(world, &approach_def) && add(world, &diary_def);
}

shoal_status systems_add(shoal_world *world) {
    return add_day(world) && add_motion(world) ? SHOAL_OK : shoal_last_error(world).status;
}
