/*
 * The contract with the operating system: all that the core needs from it beyond the C library. One family of .c files
 * per system implements it. No function changes errno. Thread rule: any.
 */
#ifndef SHOAL_BASE_PLATFORM_H
#define SHOAL_BASE_PLATFORM_H

#include <stdatomic.h>
#include <stdbool.h>
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

/* Sleeps for about so long, or until a signal comes. */
void platform_sleep_ns(uint64_t ns);

/* Bytes of a thread's name with the final 0; what is longer is cut. */
#define PLATFORM_THREAD_NAME_BYTES 16

/* A thread of the library. The owner fills the first three members; the structure stays in place until the join. */
typedef struct platform_thread {
    void (*run)(void *data);
    void *data;
    char name[PLATFORM_THREAD_NAME_BYTES]; /* for debuggers */
    uintptr_t handle;                      /* the system's */
} platform_thread;

/* Starts a thread that takes no signals; false when the system refuses. What was written before is seen by the thread,
   and what the thread has written is seen after the join. */
bool platform_thread_start(platform_thread *thread);
void platform_thread_join(platform_thread *thread);

/* Parks this thread while `*word` is `expected`. Looking and falling asleep are one step for platform_wake(), so a
   change of the word with a wake behind it is never missed. May also return for no reason. */
void platform_wait(_Atomic uint32_t *word, uint32_t expected);

/* Wakes at least `count` of the threads that are parked at the word, or all if there are fewer. */
void platform_wake(_Atomic uint32_t *word, uint32_t count);

/* The physical cores and the processors (hardware threads) that this process may use, at least 1. A quota of processor
   time, as containers have, counts as so many cores, rounded up. Each call asks the system. */
uint32_t platform_core_count(void);
uint32_t platform_processor_count(void);

/* What of platform_core_count() hwloc answers where the library is built with it; 0 when it does not know. */
uint32_t platform_hwloc_core_count(void);

#endif
