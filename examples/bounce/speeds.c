/*
 * Histograms and the largest distance of two distribution functions, see speeds.h.
 *
 * For the distance the energies are sorted: the share of balls below the k-th one is k / n, and jumps there, so the
 * curve is compared with both sides of each jump.
 */
#include "speeds.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double furthest(double *energies, size_t count, double temperature) {
    qsort(energies, count, sizeof *energies, compare_doubles);
    double distance = 0.0;
    for (size_t k = 0; k < count; k++) {
        double expected = 1.0 - exp(-energies[k] / temperature);
        double below = fabs(expected - (double)k / (double)count);
        double above = fabs(expected - (double)(k + 1) / (double)count);
        distance = fmax(distance, fmax(below, above));
    }
    return distance;
}

/* The rows of one view; their energies go behind those that are there. */
static void add_rows(bounce_speeds *speeds, const shoal_view *view, double *energies) {
    const Velocity *velocity = SHOAL_COLUMN(view, Velocity);
    const Disc *disc = SHOAL_ONE(view, Disc);
    size_t kind = gas_kind_of(disc);
    for (size_t i = 0; i < view->count; i++) {
        double square = velocity[i].x * velocity[i].x + velocity[i].y * velocity[i].y;
        double bin = sqrt(square) / speeds->bin_width;
        if (bin < SPEEDS_BINS) {
            speeds->bins[kind][(size_t)bin]++;
        }
        energies[i] = 0.5 * disc->mass * square;
        speeds->energy[kind] += energies[i];
    }
    speeds->count[kind] += view->count;
}

shoal_status speeds_measure(bounce_speeds *speeds, const bounce_gas *gas, double top_speed) {
    size_t count = (size_t)shoal_query_count(gas->balls), done = 0;
    double *energies = malloc((count > 0 ? count : 1) * sizeof *energies), energy = 0.0;
    if (energies == NULL) {
        return SHOAL_OUT_OF_MEMORY;
    }
    *speeds = (bounce_speeds){.bin_width = top_speed / SPEEDS_BINS};
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, gas->balls);
    while (shoal_view_next(&view)) {
        add_rows(speeds, &view, energies + done);
        done += view.count;
    }
    for (size_t kind = 0; kind < GAS_KINDS; kind++) {
        energy += speeds->energy[kind];
        speeds->energy[kind] /= speeds->count[kind] > 0 ? (double)speeds->count[kind] : 1.0;
    }
    speeds->temperature = done > 0 ? energy / (double)done : 0.0;
    speeds->distance = speeds->temperature > 0.0 ? furthest(energies, done, speeds->temperature) : 0.0;
    free(energies);
    return status;
}

double speeds_distance_by_chance(size_t balls) {
    return 1.628 / sqrt((double)balls);
}

double speeds_density(double v, double mass, double temperature) {
    return mass * v / temperature * exp(-0.5 * mass * v * v / temperature);
}
