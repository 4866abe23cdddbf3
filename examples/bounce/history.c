/*
 * Notes of a run, see history.h. The energy and the momentum are added up here once more, ball after ball; Totals,
 * which the systems keep, must say the same but for the rounding of sums.
 */
#include "history.h"

#include <math.h>
#include <stdlib.h>

static bool make_room(bounce_history *history) {
    if (history->count < history->capacity) {
        return true;
    }
    size_t capacity = history->capacity > 0 ? 2 * history->capacity : 64;
    history_note *grown = realloc(history->notes, capacity * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    history->notes = grown;
    history->capacity = capacity;
    return true;
}

/* Wide enough for the small balls of the gas when it has settled: one in a thousand is faster. */
static double top_speed(const bounce_gas *gas, size_t balls) {
    return sqrt(2.0 * gas->first.energy / (double)balls / gas_kinds[0].mass * 7.0);
}

static shoal_status hash_world(const bounce_gas *gas, uint64_t *hash) {
    shoal_status status = shoal_world_hash(gas->world, SHOAL_HASH_CANONICAL, hash);
    if (status == SHOAL_UNSUPPORTED) {
        *hash = 0;
        return SHOAL_OK;
    }
    return status;
}

shoal_status history_note_down(bounce_history *history, const bounce_gas *gas, size_t step) {
    history_note note = {.step = step, .ledger = *SHOAL_UNIQUE(gas->world, Ledger)};
    if (!make_room(history)) {
        return SHOAL_OUT_OF_MEMORY;
    }
    if (history->count == 0) {
        history->top_speed = top_speed(gas, (size_t)shoal_query_count(gas->balls));
    }
    shoal_status status = hash_world(gas, &note.hash);
    status = status == SHOAL_OK ? speeds_measure(&history->last, gas, history->top_speed) : status;
    if (status != SHOAL_OK) {
        return status;
    }
    gas_sums sums = gas_measure(gas);
    note.energy_drift = gas_energy_drift(gas, &sums);
    note.momentum_error = gas_momentum_error(gas, &sums);
    note.distance = history->last.distance;
    for (size_t kind = 0; kind < GAS_KINDS; kind++) {
        note.kind_energy[kind] = history->last.energy[kind] / history->last.temperature;
    }
    if (history->count == 0) {
        history->first = history->last;
    }
    history->notes[history->count++] = note;
    return SHOAL_OK;
}

void history_free(bounce_history *history) {
    free(history->notes);
    *history = (bounce_history){0};
}
