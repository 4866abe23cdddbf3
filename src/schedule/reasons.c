/*
 * Reasons; see reasons.h. Costs n * n bytes and n * n comparisons of access sets for n systems.
 */
#include "reasons.h"

#include <string.h>

/* All but what follows from others. Systems of different phases need no reason. `chained` comes right before the second
   in its chain, or is NULL. */
static uint8_t reasons_of(const shoal_system *first, const shoal_system *second, const shoal_system *chained) {
    if (first->phase != second->phase) {
        return 0;
    }
    unsigned bits = 0;
    bits |= name_list_has(&first->before, second->name) ? REASON_BEFORE : 0u;
    bits |= name_list_has(&second->after, first->name) ? REASON_AFTER : 0u;
    bits |= name_list_has(&second->after_unsynced, first->name) ? REASON_UNSYNCED : 0u;
    bits |= chained == first ? REASON_CHAIN : 0u;
    bits |= systems_conflict(first, second) ? REASON_CONFLICT : 0u;
    bool is_exclusive = first->def.exclusive || second->def.exclusive;
    return (uint8_t)(bits == 0 && is_exclusive ? REASON_EXCLUSIVE : bits);
}

/* Marks what a way by systems in between makes needless; the nearest ones come first. */
static void reasons_reduce(order_reasons *reasons, size_t to) {
    size_t words = (reasons->count + 63) / 64;
    uint64_t *row = reasons->reach + to * words;
    for (size_t from = to; from-- > 0;) {
        uint8_t *bits = &reasons->bits[from * reasons->count + to];
        if (*bits == 0) {
            continue;
        }
        if ((row[from / 64] >> (from % 64)) & 1) {
            *bits |= REASON_IMPLIED;
            continue;
        }
        row[from / 64] |= UINT64_C(1) << (from % 64);
        for (size_t i = 0; i < words; i++) {
            row[i] |= reasons->reach[from * words + i];
        }
    }
}

shoal_status reasons_make(const shoal_schedule *schedule, order_reasons *reasons) {
    shoal_memory *memory = &schedule->world->memory;
    size_t count = schedule->system_count;
    size_t reach_bytes = count * ((count + 63) / 64) * sizeof(uint64_t);
    size_t line_bytes = count * sizeof(shoal_system *);
    *reasons = (order_reasons){.count = count, .byte_size = line_bytes + reach_bytes + count * count};
    if (count == 0) {
        return SHOAL_OK;
    }
    char *block = memory_allocate_zero(memory, SHOAL_PURPOSE_SCRATCH, reasons->byte_size, 16);
    if (block == NULL) {
        return memory_failure(memory);
    }
    reasons->line = (const shoal_system **)(void *)block;
    reasons->reach = (uint64_t *)(void *)(block + line_bytes);
    reasons->bits = (uint8_t *)block + line_bytes + reach_bytes;
    for (uint32_t i = 0; i < count; i++) {
        reasons->line[schedule->systems[i]->line] = schedule->systems[i];
    }
    for (size_t to = 0; to < count; to++) {
        const shoal_system *chained = chain_before(reasons->line[to]);
        for (size_t from = 0; from < to; from++) {
            reasons->bits[from * count + to] = reasons_of(reasons->line[from], reasons->line[to], chained);
        }
        reasons_reduce(reasons, to);
    }
    return SHOAL_OK;
}

void reasons_free(const shoal_schedule *schedule, order_reasons *reasons) {
    memory_release(&schedule->world->memory, SHOAL_PURPOSE_SCRATCH, (void *)reasons->line, reasons->byte_size, 16);
}
