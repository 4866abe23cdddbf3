/*
 * The platform contract on POSIX systems (Linux, the BSDs, macOS): mmap, clock_gettime, sched_yield.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_POPULATE_WRITE */

#include "platform.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

void *platform_pages_allocate(size_t byte_size) {
    int saved = errno;
    void *pages = mmap(NULL, byte_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    return pages == MAP_FAILED ? NULL : pages;
}

void platform_pages_release(void *pages, size_t byte_size) {
    int saved = errno;
    (void)munmap(pages, byte_size);
    errno = saved;
}

void platform_pages_prepare(void *pages, size_t byte_size) {
#ifdef MADV_POPULATE_WRITE
    int saved = errno;
    (void)madvise(pages, byte_size, MADV_POPULATE_WRITE);
    errno = saved;
#else
    (void)pages;
    (void)byte_size;
#endif
}

uint64_t platform_clock_ns(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0;
    }
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void platform_yield(void) {
    (void)sched_yield();
}
