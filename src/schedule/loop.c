/*
 * Loops at a fixed rate: a step each period, counted from the first one, so that the pauses make up for what steps
 * take. A loop that is late steps without a pause, so often; then what is lost is forgotten and the count begins anew.
 *
 * Pauses are slept in slices, after each of which the request to stop is looked at: that may come from a signal
 * handler, which can do nothing but write a flag. Thread rule: world.
 */
#include "schedule.h"

static const char run_call[] = "shoal_world_run";

#define PERIOD_NS 16666667u
#define SLICE_NS 2000000u
#define CATCH_UP 8u

static bool loop_is_stopped(const shoal_world *world) {
    return atomic_load_explicit(&world->stop, memory_order_relaxed);
}

/* Sleeps until a time, or until the loop is to stop. */
static void pause_until(const shoal_world *world, uint64_t time_ns) {
    uint64_t now = platform_clock_ns();
    while (now < time_ns && !loop_is_stopped(world)) {
        platform_sleep_ns(time_ns - now < SLICE_NS ? time_ns - now : SLICE_NS);
        now = platform_clock_ns();
    }
}

/* The time of the next step, when it is not the past; or now, with what is lost. */
static uint64_t next_time(uint64_t time_ns, uint64_t period_ns, uint32_t catch_up, shoal_loop_result *result) {
    uint64_t now = platform_clock_ns();
    uint64_t next = time_ns + period_ns;
    if (now > next + period_ns) {
        result->late_steps++;
        if ((now - next) / period_ns > catch_up) {
            result->forgotten_ns += now - next;
            return now;
        }
    }
    return next;
}

shoal_status shoal_world_run(shoal_world *world, const shoal_loop_def *def, shoal_loop_result *result) {
    const shoal_loop_def defaults = {0};
    shoal_loop_result own = {0};
    def = def != NULL ? def : &defaults;
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, run_call);
    }
    shoal_status status = schedule_check_idle(world, run_call);
    if (status != SHOAL_OK) {
        return status;
    }
    uint64_t period_ns = def->period_ns != 0 ? def->period_ns : PERIOD_NS;
    uint32_t catch_up = def->catch_up != 0 ? def->catch_up : CATCH_UP;
    uint64_t time_ns = platform_clock_ns();
    bool goes_on = true;
    bool is_built = true;
    while (goes_on && !loop_is_stopped(world) && (def->step_limit == 0 || own.steps < def->step_limit)) {
        status = shoal_schedule_build(world); /* what it says of the schedule would be the same in every step */
        is_built = status == SHOAL_OK;
        if (!is_built) {
            break;
        }
        status = shoal_world_step(world, period_ns);
        own.steps++;
        own.failed_steps += status != SHOAL_OK;
        goes_on =
            (status == SHOAL_OK || def->keep_going) && (def->stepped == NULL || def->stepped(def->user, world, status));
        if (goes_on && !def->unpaced) {
            time_ns = next_time(time_ns, period_ns, catch_up, &own);
            pause_until(world, time_ns);
        }
    }
    atomic_store_explicit(&world->stop, false, memory_order_relaxed);
    if (result != NULL) {
        *result = own;
    }
    return def->keep_going && is_built ? SHOAL_OK : status;
}

void shoal_world_stop(shoal_world *world) {
    if (world != NULL) {
        atomic_store_explicit(&world->stop, true, memory_order_relaxed);
    }
}
