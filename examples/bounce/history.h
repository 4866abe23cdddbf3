/*
 * What is noted of a run, from the beginning on and at every frame: for the table on the standard output and for the
 * charts.
 *
 * Thread rule: one thread at a time for each history.
 */
#ifndef BOUNCE_HISTORY_H
#define BOUNCE_HISTORY_H

#include "speeds.h"

typedef struct history_note {
    size_t step;
    double energy_drift;           /* see gas_energy_drift() */
    double momentum_error;         /* see gas_momentum_error() */
    double kind_energy[GAS_KINDS]; /* for each ball of the kind, in units of kT */
    double distance;               /* see bounce_speeds */
    Ledger ledger;
    uint64_t hash; /* of the world; 0 where the library has no hashes */
} history_note;

typedef struct bounce_history {
    history_note *notes;
    size_t count, capacity;
    double top_speed;          /* of the histograms */
    bounce_speeds first, last; /* of the beginning and of the newest note */
} bounce_history;

/* Notes how the gas is. OUT_OF_MEMORY, and what the world says. */
shoal_status history_note_down(bounce_history *history, const bounce_gas *gas, size_t step);

void history_free(bounce_history *history);

#endif
