/*
 * The contract with the operating system: all that the core needs from it beyond the C library. One .c file per
 * system implements it. Thread rule: any.
 */
#ifndef SHOAL_BASE_PLATFORM_H
#define SHOAL_BASE_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a page; the alignment that platform_pages_allocate() gives. */
#define PLATFORM_PAGE_BYTES 4096

/* Fresh zeroed pages, readable and writable; NULL when there are none. byte_size is a multiple of the page. */
void *platform_pages_allocate(size_t byte_size);
void platform_pages_release(void *pages, size_t byte_size);

/* The same with an address that is a multiple of PLATFORM_HUGE_BYTES, which byte_size is as well, and with the hint
   that the system may back it by huge pages. */
#define PLATFORM_HUGE_BYTES ((size_t)2 * 1024 * 1024)
void *platform_pages_allocate_huge(size_t byte_size);

/* Nanoseconds of a clock that never goes back. */
uint64_t platform_clock_ns(void);

/* Lets another thread run. */
void platform_yield(void);

#endif
