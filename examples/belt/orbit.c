/*
 * Two-body motion: elements to frames and positions, and the calendar.
 *
 * Position and velocity follow from the elements and the day: the mean anomaly grows evenly, Kepler's equation gives
 * the eccentric anomaly, and the frame turns that into space.
 */
#include "orbit.h"

#include "kepler.h"

#include <math.h>
#include <stdio.h>

/* The Gaussian gravitational constant: radians a day at 1 au. */
#define GAUSS_CONSTANT 0.01720209895
#define RADIANS_PER_DEGREE (KEPLER_PI / 180.0)

orbit_frame orbit_frame_of(const orbit_elements *elements) {
    double a = elements->semi_major_axis;
    double b = a * sqrt((1.0 - elements->eccentricity) * (1.0 + elements->eccentricity));
    double inclination = elements->inclination * RADIANS_PER_DEGREE;
    double node = elements->node * RADIANS_PER_DEGREE;
    double periapsis = elements->periapsis * RADIANS_PER_DEGREE;
    double ci = cos(inclination), si = sin(inclination);
    double cn = cos(node), sn = sin(node);
    double cp = cos(periapsis), sp = sin(periapsis);
    return (orbit_frame){
        .towards = {a * (cn * cp - sn * sp * ci), a * (sn * cp + cn * sp * ci), a * (sp * si)},
        .along = {b * (-cn * sp - sn * cp * ci), b * (-sn * sp + cn * cp * ci), b * (cp * si)},
    };
}

double orbit_mean_motion(double semi_major_axis) {
    return GAUSS_CONSTANT / (semi_major_axis * sqrt(semi_major_axis));
}

double orbit_mean_anomaly_at(const orbit_elements *elements, double date) {
    double motion = orbit_mean_motion(elements->semi_major_axis) * (date - elements->epoch);
    return remainder(elements->mean_anomaly * RADIANS_PER_DEGREE + motion, 2.0 * KEPLER_PI);
}

void orbit_position_at(const orbit_elements *elements, double date, double position[3]) {
    orbit_frame frame = orbit_frame_of(elements);
    double anomaly = kepler_solve_one(orbit_mean_anomaly_at(elements, date), elements->eccentricity);
    for (int axis = 0; axis < 3; axis++) {
        position[axis] =
            frame.towards[axis] * (cos(anomaly) - elements->eccentricity) + frame.along[axis] * sin(anomaly);
    }
}

/* Counts in years that start in March, so that the leap day is the last of its year, and in eras of 400 years,
   which all have 146,097 days. Day 0 is 1 March of year 0. */
void orbit_date_format(double date, char *text, size_t size) {
    static const char *const month_names[12] = {"March",     "April",   "May",      "June",     "July",    "August",
                                                "September", "October", "November", "December", "January", "February"};
    if (!(fabs(date) < 1e9)) {
        snprintf(text, size, "MJD %.1f", date);
        return;
    }
    long long day = (long long)floor(date) + 678881;
    long long era = (day >= 0 ? day : day - 146096) / 146097;
    long long day_of_era = day - era * 146097;
    long long year = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    long long day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    long long month = (5 * day_of_year + 2) / 153;
    long long day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    snprintf(text, size, "%lld %s %lld", day_of_month, month_names[month], era * 400 + year + (month >= 10 ? 1 : 0));
}
