/*
 * Orbits round the Sun: the six elements, the frame that turns an anomaly into a position, and dates.
 *
 * Units: astronomical units, days, degrees in elements, radians elsewhere. Coordinates are ecliptic: x to the vernal
 * equinox, z to the ecliptic's north pole.
 * Thread rule: pure functions.
 */
#ifndef BELT_ORBIT_H
#define BELT_ORBIT_H

#include <stddef.h>

typedef struct orbit_elements {
    double semi_major_axis; /* au */
    double eccentricity;    /* 0 <= e < 1 */
    double inclination;     /* degrees, as all angles here */
    double node;            /* longitude of the ascending node */
    double periapsis;       /* from the node to the perihelion */
    double mean_anomaly;    /* at the epoch */
    double epoch;           /* modified Julian date */
} orbit_elements;

/*
 * An orbit's plane and size. A body of eccentric anomaly E is at towards * (cos E - e) + along * sin E.
 */
typedef struct orbit_frame {
    double towards[3]; /* to the perihelion, as long as the semi-major axis */
    double along[3];   /* along the motion there, as long as the semi-minor axis */
} orbit_frame;

/* The Earth's orbit, as good as it is drawn: mean elements of 1 January 2000, 12 h, in the ecliptic. */
#define ORBIT_EPOCH_2000 51544.5
#define ORBIT_EARTH                                                                                                    \
    { 1.00000, 0.0167, 0.0, 0.0, 102.94, 100.46 - 102.94, ORBIT_EPOCH_2000 }

/* The frame of some elements. */
orbit_frame orbit_frame_of(const orbit_elements *elements);

/* Radians a day of a body without mass. */
double orbit_mean_motion(double semi_major_axis);

/* The mean anomaly at a modified Julian date, radians, within -pi to pi. */
double orbit_mean_anomaly_at(const orbit_elements *elements, double date);

/* Position, au, at a modified Julian date, solved for this one body. */
void orbit_position_at(const orbit_elements *elements, double date, double position[3]);

/* Writes a modified Julian date as a day of the Gregorian calendar, for example "9 August 2022". */
void orbit_date_format(double date, char *text, size_t size);

#endif
