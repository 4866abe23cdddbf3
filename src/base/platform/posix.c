/*
 * The platform contract on POSIX systems (Linux, the BSDs, macOS): mmap, clock_gettime, sched_yield.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE */

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

/* Maps one huge page more than is asked for and gives the ends back, since mmap aligns to small pages only. */
void *platform_pages_allocate_huge(size_t byte_size) {
    char *mapped = platform_pages_allocate(byte_size + PLATFORM_HUGE_BYTES);
    if (mapped == NULL) {
        return NULL;
    }
    size_t head = (PLATFORM_HUGE_BYTES - (uintptr_t)mapped % PLATFORM_HUGE_BYTES) % PLATFORM_HUGE_BYTES;
    if (head > 0) {
        platform_pages_release(mapped, head);
    }
    if (head < PLATFORM_HUGE_BYTES) {
        platform_pages_release(mapped + head + byte_size, PLATFORM_HUGE_BYTES - head);
    }
#ifdef MADV_HUGEPAGE
    int saved = errno;
    (void)madvise(mapped + head, byte_size, MADV_HUGEPAGE);
    errno = saved;
#endif
    return mapped + head;
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
