/*
 * The table and the summary on the standard output.
 *
 * All but the time is the same in each run with the same options, with any number of workers: the last column proves
 * it where the library has hashes.
 */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

void report_begin(const bounce_gas *gas, const bounce_options *options) {
    printf("%zu balls of three kinds in a box of %.0f by %.0f, seed %" PRIu64 "\n\n", options->gas.balls,
           gas->box.width, gas->box.height, options->gas.seed);
    printf("    step  collisions  wall hits  energy drift  momentum error  distance  hash\n");
}

void report_note(const bounce_history *history) {
    const history_note *note = &history->notes[history->count - 1];
    printf("%8zu  %10" PRIu64 "  %9" PRIu64 "  %12.1e  %14.1e  %8.4f  ", note->step, note->ledger.collisions,
           note->ledger.wall_hits, note->energy_drift, note->momentum_error, note->distance);
    if (note->hash != 0) {
        printf("%016" PRIx64 "\n", note->hash);
    } else {
        printf("-\n");
    }
}

void report_end(const bounce_history *history, const bounce_options *options, double seconds) {
    const history_note *last = &history->notes[history->count - 1];
    static const char *const names[GAS_KINDS] = {"small", "middle", "large"};
    printf("\nEnergy drift is a part of the energy, momentum error of what it would be if all flew one way; the\n"
           "momentum that the walls gave is accounted for. Distance is that of all speeds from the distribution of\n"
           "Maxwell and Boltzmann; chance alone stays below %.4f.\n\n",
           speeds_distance_by_chance(options->gas.balls));
    for (size_t kind = 0; kind < GAS_KINDS; kind++) {
        printf("%-6s  %7zu balls, mass %4.2f, energy of each %.3f kT at first, %.3f kT at last\n", names[kind],
               history->last.count[kind], gas_kinds[kind].mass, history->notes[0].kind_energy[kind],
               last->kind_energy[kind]);
    }
    printf("deepest overlap of two balls within a step: %.2f small radii\n", last->ledger.deepest);
    if (seconds > 0.0 && options->steps > 0) {
        printf("%zu steps in %.2f s, %.1f a second, %.0f ns for each ball\n", options->steps, seconds,
               (double)options->steps / seconds, 1e9 * seconds / (double)options->steps / (double)options->gas.balls);
    }
}
