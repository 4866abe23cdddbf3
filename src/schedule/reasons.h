/*
 * Why one system comes after another: worked out anew when somebody asks for a picture of the schedule, since what is
 * built keeps of it only which task waits for which.
 *
 *     a -> b: after     b -> c: conflict     a -> c: conflict, implied
 *
 * Systems are named by their line, the place in the order of running. A reason always leads from a lower line to a
 * higher one, so going down the lines meets a way by others before the edge that it makes needless. Thread rule: world.
 */
#ifndef SHOAL_SCHEDULE_REASONS_H
#define SHOAL_SCHEDULE_REASONS_H

#include "schedule.h"

enum order_reason {
    REASON_BEFORE = 1,    /* the first names the second in `before` */
    REASON_AFTER = 2,     /* the second names the first in `after` */
    REASON_UNSYNCED = 4,  /* or in `after_unsynced` */
    REASON_CHAIN = 8,     /* the second follows the first in a chain */
    REASON_CONFLICT = 16, /* they conflict, whatever is declared */
    REASON_EXCLUSIVE = 32 /* one of them has the world to itself; where nothing else is a reason */
};

#define REASON_DECLARED (REASON_BEFORE | REASON_AFTER | REASON_UNSYNCED | REASON_CHAIN)
#define REASON_SYNCED (REASON_BEFORE | REASON_AFTER | REASON_CHAIN)
#define REASON_IMPLIED 64 /* beside others: a way by other systems leads from the one to the other as well */

typedef struct order_reasons {
    const shoal_system **line; /* systems as they run */
    uint64_t *reach;           /* bits, [to][from]: who comes before whom */
    uint8_t *bits;             /* order_reason, [from][to] by line */
    size_t count;
    size_t byte_size; /* of the block that has all three */
} order_reasons;

/* For a schedule that is built. OUT_OF_MEMORY, MEMORY_LIMIT, not stored. */
shoal_status reasons_make(const shoal_schedule *schedule, order_reasons *reasons);
void reasons_free(const shoal_schedule *schedule, order_reasons *reasons);

/* Of two systems of which `from` has the lower line; 0: none. */
static inline uint8_t reasons_between(const order_reasons *reasons, const shoal_system *from, const shoal_system *to) {
    return reasons->bits[(size_t)from->line * reasons->count + to->line];
}

#endif
