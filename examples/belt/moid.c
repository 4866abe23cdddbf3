/*
 * The minimum distance between a body's orbit and the Earth's, by search and refinement.
 *
 * The Earth's ellipse is so round that each point in space has one nearest point on it (but for points within
 * 0.0003 au of its middle), found by Newton's method from the point's direction. That leaves a function of one
 * variable, the distance from a point of the body's orbit to the Earth's ellipse:
 *
 *   search   at even steps of the body's true anomaly, which are finest where the orbit is near the Sun; every
 *            sample that is not above its neighbours brackets a minimum
 *   refine   each bracket by golden section
 *
 * Coordinates here are the Earth's: origin in the middle of its ellipse, x along the major axis.
 */
#include "moid.h"

#include "kepler.h"

#include <math.h>

#define EARTH_SEMI_MAJOR_AXIS 1.00000011
#define EARTH_ECCENTRICITY 0.0167
#define EARTH_PERIHELION_DEGREES 102.94

/* Two minima closer than two steps of 3 degrees would be found as one; they are then nearly the same minimum. */
#define SAMPLES 120
/* Each round shortens the bracket by 0.618; from two steps to 1e-10 radians. */
#define REFINE_ROUNDS 43

/* A body's orbit in the Earth's coordinates, with unit vectors. */
typedef struct moid_path {
    double towards[3];
    double along[3];
    double eccentricity;
    double parameter; /* semi-latus rectum, au */
} moid_path;

/* Turns a frame vector by the Earth's perihelion and gives it length one. */
static void path_axis(double axis[3], const double vector[3], double length) {
    double angle = EARTH_PERIHELION_DEGREES * (KEPLER_PI / 180.0);
    double cosine = cos(angle) / length, sine = sin(angle) / length;
    axis[0] = cosine * vector[0] + sine * vector[1];
    axis[1] = cosine * vector[1] - sine * vector[0];
    axis[2] = vector[2] / length;
}

static moid_path path_of(const orbit_elements *elements) {
    orbit_frame frame = orbit_frame_of(elements);
    double e = elements->eccentricity;
    double a = elements->semi_major_axis;
    moid_path path = {.eccentricity = e, .parameter = a * (1.0 - e) * (1.0 + e)};
    path_axis(path.towards, frame.towards, a);
    path_axis(path.along, frame.along, a * sqrt((1.0 - e) * (1.0 + e)));
    return path;
}

/* The square of the distance in the ecliptic from (x, y) to the Earth's ellipse. The first direction is wrong by
   less than e^2, and Newton's method squares that twice. */
static double flat_distance_squared(double x, double y) {
    const double a = EARTH_SEMI_MAJOR_AXIS;
    const double b = a * sqrt(1.0 - EARTH_ECCENTRICITY * EARTH_ECCENTRICITY);
    double length = sqrt(x * x + y * y);
    double cosine = length > 0.0 ? x / length : 1.0;
    double sine = length > 0.0 ? y / length : 0.0;
    for (int round = 0; round < 2; round++) {
        double slope = a * x * sine - b * y * cosine - (a * a - b * b) * sine * cosine;
        double bend = a * x * cosine + b * y * sine - (a * a - b * b) * (cosine * cosine - sine * sine);
        double turn = bend > 0.0 ? -slope / bend : 0.0;
        double next_cosine = cosine - sine * turn;
        double next_sine = sine + cosine * turn;
        double scale = 1.0 / sqrt(next_cosine * next_cosine + next_sine * next_sine);
        cosine = next_cosine * scale;
        sine = next_sine * scale;
    }
    double dx = x - a * cosine, dy = y - b * sine;
    return dx * dx + dy * dy;
}

/* The square of the distance from the body's point of this true anomaly, given as cosine and sine. */
static double distance_squared(const moid_path *path, double cosine, double sine) {
    double radius = path->parameter / (1.0 + path->eccentricity * cosine);
    double u = radius * cosine, v = radius * sine;
    double x = path->towards[0] * u + path->along[0] * v + EARTH_SEMI_MAJOR_AXIS * EARTH_ECCENTRICITY;
    double y = path->towards[1] * u + path->along[1] * v;
    double z = path->towards[2] * u + path->along[2] * v;
    return flat_distance_squared(x, y) + z * z;
}

static double distance_squared_at(const moid_path *path, double anomaly) {
    return distance_squared(path, cos(anomaly), sin(anomaly));
}

/* Golden section between two anomalies that bracket a minimum. */
static double refine(const moid_path *path, double low, double high) {
    const double golden = 0.61803398874989485;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = distance_squared_at(path, left), at_right = distance_squared_at(path, right);
    for (int round = 0; round < REFINE_ROUNDS; round++) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = distance_squared_at(path, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = distance_squared_at(path, right);
        }
    }
    return fmin(at_left, at_right);
}

double moid_to_earth(const orbit_elements *elements) {
    const double step = 2.0 * KEPLER_PI / SAMPLES;
    moid_path path = path_of(elements);
    double sample[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        sample[i] = distance_squared_at(&path, i * step);
    }
    double least = INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
        double before = sample[(i + SAMPLES - 1) % SAMPLES], after = sample[(i + 1) % SAMPLES];
        if (sample[i] <= before && sample[i] <= after) {
            least = fmin(least, refine(&path, (i - 1) * step, (i + 1) * step));
        }
    }
    return sqrt(least);
}
