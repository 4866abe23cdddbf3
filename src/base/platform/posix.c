/*
 * The platform contract on POSIX systems (Linux, the BSDs, macOS): mmap, clock_gettime, pthreads. Threads park at a
 * word with futex on Linux; elsewhere at one of a few conditions, chosen by the word's address. Cores are counted in
 * posix_cores.c.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_HUGEPAGE, pthread_setname_np, syscall */

#include "platform.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

_Static_assert(sizeof(pthread_t) <= sizeof(uintptr_t), "a thread's handle fits into platform_thread");
_Static_assert(sizeof(_Atomic uint32_t) == sizeof(uint32_t), "the system reads an atomic word as a plain one");

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

void platform_sleep_ns(uint64_t ns) {
    int saved = errno;
    struct timespec pause = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
    (void)nanosleep(&pause, NULL);
    errno = saved;
}

void platform_yield(void) {
    (void)sched_yield();
}

static void *thread_main(void *data) {
    platform_thread *thread = data;
#if defined(__linux__)
    (void)pthread_setname_np(pthread_self(), thread->name);
#elif defined(__APPLE__)
    (void)pthread_setname_np(thread->name);
#endif
    thread->run(thread->data);
    return NULL;
}

/* A thread inherits the mask of signals. With all of them blocked, handlers run on the program's own threads only. */
bool platform_thread_start(platform_thread *thread) {
    int saved = errno;
    sigset_t all, before;
    (void)sigfillset(&all);
    bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    pthread_t handle;
    bool started = pthread_create(&handle, NULL, thread_main, thread) == 0;
    if (masked) {
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (started) {
        memcpy(&thread->handle, &handle, sizeof handle);
    }
    errno = saved;
    return started;
}

void platform_thread_join(platform_thread *thread) {
    int saved = errno;
    pthread_t handle;
    memcpy(&handle, &thread->handle, sizeof handle);
    (void)pthread_join(handle, NULL);
    errno = saved;
}

#ifdef __linux__

void platform_wait(_Atomic uint32_t *word, uint32_t expected) {
    int saved = errno;
    (void)syscall(SYS_futex, (void *)word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
    errno = saved;
}

void platform_wake(_Atomic uint32_t *word, uint32_t count) {
    int saved = errno;
    (void)syscall(SYS_futex, (void *)word, FUTEX_WAKE_PRIVATE, count < INT_MAX ? count : INT_MAX, NULL, NULL, 0);
    errno = saved;
}

#else

/* Words share a condition, so a wake must wake all that are parked there, and each looks at its word again. */
#define GATE_COUNT 4
typedef struct wait_gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
} wait_gate;

#define WAIT_GATE                                                                                                      \
    { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER }
static wait_gate wait_gates[GATE_COUNT] = {WAIT_GATE, WAIT_GATE, WAIT_GATE, WAIT_GATE};

static wait_gate *wait_gate_of(const _Atomic uint32_t *word) {
    return &wait_gates[((uintptr_t)word >> 6) % GATE_COUNT];
}

/* The waker changes the word before it takes the mutex, so a thread that sees the old word under the mutex is on the
   condition before the waker gets there. */
void platform_wait(_Atomic uint32_t *word, uint32_t expected) {
    int saved = errno;
    wait_gate *gate = wait_gate_of(word);
    (void)pthread_mutex_lock(&gate->mutex);
    while (atomic_load_explicit(word, memory_order_seq_cst) == expected) {
        (void)pthread_cond_wait(&gate->changed, &gate->mutex);
    }
    (void)pthread_mutex_unlock(&gate->mutex);
    errno = saved;
}

void platform_wake(_Atomic uint32_t *word, uint32_t count) {
    int saved = errno;
    (void)count;
    wait_gate *gate = wait_gate_of(word);
    (void)pthread_mutex_lock(&gate->mutex);
    (void)pthread_cond_broadcast(&gate->changed);
    (void)pthread_mutex_unlock(&gate->mutex);
    errno = saved;
}

#endif
