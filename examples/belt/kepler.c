/*
 * Kepler's equation for a strip of rows, without a branch for nearly all of them:
 *
 *   1. Halley's step from E = M, which is right up to e^3
 *   2. Halley's step twice; an error x becomes about x^3, then x^9
 *   3. rows with a large correction, or that do not meet the equation, are solved one by one
 *
 * Sine and cosine are computed afresh for 1 and 2 only; the corrections are so small that the addition theorems with
 * a short series give the rest. The loop of 1 and 2 holds no call and no branch, so that it becomes vector code; its
 * results do not depend on the width of the vectors.
 */
#include "kepler.h"

#include <math.h>
#include <stdbool.h>

/* The series of the two corrections drop less than 1e-17 up to these angles. */
#define LARGEST_FIRST 0.1
#define LARGEST_SECOND 1e-3
/* What roundings of numbers near pi leave of the equation; above it a row has not converged. */
#define ERROR_LIMIT 4e-15

/* Adding and taking away this number rounds a small double to the nearest integer. */
#define ROUNDER 6755399441055744.0
/* pi and 2 pi in two parts; the first has 32 bits, so that its product with a count of turns is exact. */
#define HALF_HIGH 0x1.921fb544p+1
#define HALF_LOW 0x1.0b4611a626331p-33
#define CIRCLE_HIGH 0x1.921fb544p+2
#define CIRCLE_LOW 0x1.0b4611a626331p-32

/* Compiled for several vector widths, of which the loader takes the widest that the machine has. Sanitizers cannot
   instrument the function that chooses. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KEPLER_ALL_WIDTHS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KEPLER_ALL_WIDTHS
#endif

typedef struct sine_cosine {
    double sine, cosine;
} sine_cosine;

static inline double round_nearest(double value) {
    return (value + ROUNDER) - ROUNDER;
}

/* Brings an angle into -pi to pi. */
static inline double wrap(double angle) {
    double circles = round_nearest(angle * (1.0 / (2.0 * KEPLER_PI)));
    return (angle - circles * CIRCLE_HIGH) - circles * CIRCLE_LOW;
}

/* An angle up to 3/2 pi either way as a rest after the nearest half circle, with the sign that odd ones turn. */
typedef struct folded {
    double x, y, sign; /* the rest, its square */
} folded;

static inline folded fold(double angle) {
    double half = round_nearest(angle * (1.0 / KEPLER_PI));
    double x = (angle - half * HALF_HIGH) - half * HALF_LOW;
    return (folded){x, x * x, 1.0 - 2.0 * half * half};
}

/* Series for -pi/2 to pi/2, to the last bit: the next terms are below half a unit in the last place. */
static inline sine_cosine full_sine_cosine(double angle) {
    folded rest = fold(angle);
    double y = rest.y;
    double sine = 1.0 / 51090942171709440000.0;
    sine = sine * y - 1.0 / 121645100408832000.0;
    sine = sine * y + 1.0 / 355687428096000.0;
    sine = sine * y - 1.0 / 1307674368000.0;
    sine = sine * y + 1.0 / 6227020800.0;
    sine = sine * y - 1.0 / 39916800.0;
    sine = sine * y + 1.0 / 362880.0;
    sine = sine * y - 1.0 / 5040.0;
    sine = sine * y + 1.0 / 120.0;
    sine = sine * y - 1.0 / 6.0;
    double cosine = 1.0 / 2432902008176640000.0;
    cosine = cosine * y - 1.0 / 6402373705728000.0;
    cosine = cosine * y + 1.0 / 20922789888000.0;
    cosine = cosine * y - 1.0 / 87178291200.0;
    cosine = cosine * y + 1.0 / 479001600.0;
    cosine = cosine * y - 1.0 / 3628800.0;
    cosine = cosine * y + 1.0 / 40320.0;
    cosine = cosine * y - 1.0 / 720.0;
    cosine = cosine * y + 1.0 / 24.0;
    return (sine_cosine){rest.sign * (rest.x + rest.x * y * sine), rest.sign * (1.0 - (0.5 * y - y * y * cosine))};
}

/* The same to five digits, which is enough where Halley's steps follow. */
static inline sine_cosine rough_sine_cosine(double angle) {
    folded rest = fold(angle);
    double y = rest.y;
    double sine = 1.0 / 362880.0;
    sine = sine * y - 1.0 / 5040.0;
    sine = sine * y + 1.0 / 120.0;
    sine = sine * y - 1.0 / 6.0;
    double cosine = 1.0 / 40320.0;
    cosine = cosine * y - 1.0 / 720.0;
    cosine = cosine * y + 1.0 / 24.0;
    return (sine_cosine){rest.sign * (rest.x + rest.x * y * sine), rest.sign * (1.0 - (0.5 * y - y * y * cosine))};
}

/* The sine and cosine of an angle that has become larger: sin x and 1 - cos x are given. */
static inline sine_cosine turn(sine_cosine from, double sine, double rest) {
    return (sine_cosine){from.sine + (from.cosine * sine - from.sine * rest),
                         from.cosine - (from.sine * sine + from.cosine * rest)};
}

/* For x up to LARGEST_FIRST. */
static inline sine_cosine turn_first(sine_cosine from, double x) {
    double y = x * x;
    double sine = x - x * y * (1.0 / 6.0 - y * (1.0 / 120.0 - y * (1.0 / 5040.0 - y * (1.0 / 362880.0))));
    double rest = y * (0.5 - y * (1.0 / 24.0 - y * (1.0 / 720.0 - y * (1.0 / 40320.0 - y * (1.0 / 3628800.0)))));
    return turn(from, sine, rest);
}

/* For x up to LARGEST_SECOND. */
static inline sine_cosine turn_second(sine_cosine from, double x) {
    double y = x * x;
    return turn(from, x - x * y * (1.0 / 6.0), y * (0.5 - y * (1.0 / 24.0)));
}

/* What to add to E when the equation is missed by `error`: Halley's step. */
static inline double correction(double error, double eccentricity, sine_cosine anomaly) {
    double slope = 1.0 - eccentricity * anomaly.cosine;
    double bend = eccentricity * anomaly.sine;
    return -error * slope / (slope * slope - 0.5 * error * bend);
}

KEPLER_ALL_WIDTHS static void solve_rows(kepler_strip *strip, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double mean = wrap(strip->mean[i]);
        double e = strip->eccentricity[i];
        sine_cosine at = rough_sine_cosine(mean);
        double start = mean + correction(-e * at.sine, e, at);
        at = full_sine_cosine(start);
        double first = correction(start - e * at.sine - mean, e, at);
        at = turn_first(at, first);
        double second = correction(start + first - e * at.sine - mean, e, at);
        at = turn_second(at, second);
        double anomaly = start + (first + second);
        strip->mean[i] = mean;
        strip->anomaly[i] = anomaly;
        strip->sine[i] = at.sine;
        strip->cosine[i] = at.cosine;
        strip->error[i] = anomaly - e * at.sine - mean;
        strip->first[i] = first;
        strip->second[i] = second;
    }
}

/* Narrows a bracket that holds E by Newton's step where that stays inside, else by halving. */
double kepler_solve_one(double mean, double eccentricity) {
    double low = mean - eccentricity;
    double high = mean + eccentricity;
    double anomaly = mean + (mean < 0.0 ? -0.85 : 0.85) * eccentricity;
    for (int round = 0; round < 100; round++) {
        double error = anomaly - eccentricity * sin(anomaly) - mean;
        if (error > 0.0) {
            high = anomaly;
        } else {
            low = anomaly;
        }
        double next = anomaly - error / (1.0 - eccentricity * cos(anomaly));
        if (!(next > low && next < high)) {
            next = low + 0.5 * (high - low);
        }
        if (fabs(error) <= 0.1 * ERROR_LIMIT || next == anomaly) {
            break;
        }
        anomaly = next;
    }
    return anomaly;
}

static void solve_row_alone(kepler_strip *strip, size_t row) {
    double anomaly = kepler_solve_one(strip->mean[row], strip->eccentricity[row]);
    strip->anomaly[row] = anomaly;
    strip->sine[row] = sin(anomaly);
    strip->cosine[row] = cos(anomaly);
    strip->error[row] = anomaly - strip->eccentricity[row] * strip->sine[row] - strip->mean[row];
}

static bool row_is_solved(const kepler_strip *strip, size_t row) {
    return fabs(strip->error[row]) <= ERROR_LIMIT && fabs(strip->first[row]) <= LARGEST_FIRST &&
           fabs(strip->second[row]) <= LARGEST_SECOND;
}

void kepler_solve_strip(kepler_strip *strip, size_t count) {
    solve_rows(strip, count);
    for (size_t row = 0; row < count; row++) {
        if (!row_is_solved(strip, row)) {
            solve_row_alone(strip, row);
        }
    }
}
