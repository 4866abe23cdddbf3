/*
 * Motion, strip by strip: mean anomalies from the Motion column, Kepler's equation for the whole strip, then
 * positions and velocities from the orbit frames.
 *
 * A place depends on the day alone, not on the step before, so errors do not add up, and any day can be asked for.
 */
#include "motion.h"

#include "kepler.h"

static void gather_anomalies(kepler_strip *strip, const Motion *motion, size_t count, double days) {
    for (size_t i = 0; i < count; i++) {
        strip->mean[i] = motion[i].mean_anomaly + motion[i].mean_motion * days;
        strip->eccentricity[i] = motion[i].eccentricity;
    }
}

static void place_rows(const kepler_strip *strip, const motion_rows *rows, size_t first, size_t count) {
    const Motion *motion = rows->motion + first;
    const OrbitFrame *frame = rows->frame + first;
    Position *position = rows->position + first;
    Velocity *velocity = rows->velocity + first;
    for (size_t i = 0; i < count; i++) {
        double sine = strip->sine[i], cosine = strip->cosine[i];
        double from_sun = cosine - motion[i].eccentricity;
        double rate = motion[i].mean_motion / (1.0 - motion[i].eccentricity * cosine);
        const double *towards = frame[i].towards, *along = frame[i].along;
        position[i] = (Position){towards[0] * from_sun + along[0] * sine, towards[1] * from_sun + along[1] * sine,
                                 towards[2] * from_sun + along[2] * sine};
        velocity[i] =
            (Velocity){rate * (along[0] * cosine - towards[0] * sine), rate * (along[1] * cosine - towards[1] * sine),
                       rate * (along[2] * cosine - towards[2] * sine)};
    }
}

void motion_step(const motion_rows *rows, double days) {
    kepler_strip strip;
    for (size_t first = 0; first < rows->count; first += KEPLER_STRIP_ROWS) {
        size_t rest = rows->count - first;
        size_t count = rest < KEPLER_STRIP_ROWS ? rest : KEPLER_STRIP_ROWS;
        gather_anomalies(&strip, rows->motion + first, count, days);
        kepler_solve_strip(&strip, count);
        place_rows(&strip, rows, first, count);
    }
}
