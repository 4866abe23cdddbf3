/*
 * Large blocks for the default allocator, shared by all worlds of the process.
 *
 * The first touch of fresh memory costs more than writing it: the system zeroes it page by page, a fault each. Huge
 * pages make that four to ten times cheaper (measured: 48 MiB in 5 ms instead of 20). But they are 2 MiB each, so small
 * worlds do not get them: the first PAGES_SMALL_BYTES of a process come as ordinary pages, and only what comes after
 * that is cut out of huge regions, 32 KiB a unit:
 *
 *     region   | unit | unit | ... 64 units |   2 MiB, aligned, a bit a unit says which are free
 *
 * Up to PAGES_SPARE_REGIONS regions without a used unit are kept for the next block or the next world, whatever its
 * size; further ones go back to the system at once. Thread rule: any; a spinlock guards the regions.
 */
#ifndef SHOAL_BASE_PAGES_H
#define SHOAL_BASE_PAGES_H

#include <stddef.h>

#define PAGES_SMALL_BYTES ((size_t)2 * 1024 * 1024)
#define PAGES_SPARE_REGIONS 4

/* A block of at least `byte_size` bytes, aligned to a page; NULL when there is none. */
void *pages_allocate(size_t byte_size);

/* Gives a block back; the size is that of the allocation. */
void pages_release(void *block, size_t byte_size);

#endif
