/*
 * Fusion: which systems run strip by strip in one task.
 *
 *     strip 0: a b c | strip 1: a b c | ...       instead of  a: all strips, b: all strips, c: all strips
 *
 * That is the same when no system of the chain looks at anything that another one of it writes but for its own rows:
 * then what b finds in a row depends on what a did to this row alone. So systems are fused that have `each`, are not
 * serial, not bound to a thread, run once in a step, and conflict with the others of the chain in near accesses only; a
 * lookup, an ancestor, a unique, a condition or a reduction that another one writes or reads ends the chain. They must
 * also have a component in common, or there would be nothing to gain.
 */
#ifndef SHOAL_SCHEDULE_FUSE_H
#define SHOAL_SCHEDULE_FUSE_H

#include <stdbool.h>
#include <stdint.h>

/* Rows of a strip. Measured with eight light systems over ten million rows of 48 bytes, time against one after the
   other: 256 rows 0.67, 512 rows 0.61, 1,024 rows 0.51, 2,048 rows 0.49. The strip is in the second-level cache then,
   but is handed out less often. */
#define FUSE_STRIP_ROWS 1024u

/* Systems of one chain at most: their views and functions should stay in the cache as well. */
#define FUSE_MEMBERS_MAX 128u

struct schedule_task;
struct shoal_system;

bool fuse_may_join(const struct schedule_task *task, const struct shoal_system *system);

#endif
