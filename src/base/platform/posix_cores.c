/*
 * How many cores this process may use, on POSIX systems.
 *
 *   processors   those of the affinity mask (Linux), or those that are online
 *   cores        processors, each set of hardware threads that share a core counted once:
 *                /sys/devices/system/cpu/cpu<n>/topology/core_cpus_list; or what hwloc says, where it is built in
 *   quota        processor time that the control groups of the process may use (cpu.max, or cpu.cfs_quota_us of
 *                version 1), rounded up; it bounds both
 */
#define _GNU_SOURCE /* syscall */

#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>

#define PROCESSOR_LIMIT 8192 /* the most that Linux can be built for */
#define WORD_BITS (CHAR_BIT * sizeof(unsigned long))

typedef struct processor_set {
    unsigned long words[PROCESSOR_LIMIT / WORD_BITS];
    size_t limit; /* processors from here on are not in the set */
} processor_set;

static bool set_has(const processor_set *set, size_t processor) {
    return processor < set->limit && ((set->words[processor / WORD_BITS] >> (processor % WORD_BITS)) & 1) != 0;
}

/* The system call, since the C library's form takes a set of fixed size. */
static void set_read(processor_set *set) {
    memset(set, 0, sizeof *set);
    long byte_count = syscall(SYS_sched_getaffinity, 0, sizeof set->words, set->words);
    set->limit = byte_count > 0 ? (size_t)byte_count * CHAR_BIT : 0;
}

/* The text of a small file; false when there is none. */
static bool file_read(const char *path, char *text, size_t text_size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    size_t size = 0;
    ssize_t got = 1;
    while (got > 0 && size < text_size - 1) {
        got = read(file, text + size, text_size - 1 - size);
        size += got > 0 ? (size_t)got : 0;
    }
    (void)close(file);
    text[size] = '\0';
    return size > 0;
}

/* Whether no processor of the set before this one is of the same core. The list is like "0,64" or "0-1", rising. */
static bool is_first_of_core(const processor_set *set, size_t processor) {
    char path[96], list[1024];
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/topology/core_cpus_list", processor);
    bool known = file_read(path, list, sizeof list);
    if (!known) {
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings_list", processor);
        known = file_read(path, list, sizeof list);
    }
    const char *at = list;
    while (known && *at >= '0' && *at <= '9') {
        char *end;
        size_t first = strtoul(at, &end, 10);
        size_t last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (size_t other = first; other <= last && other < processor; other++) {
            if (set_has(set, other)) {
                return false;
            }
        }
        at = *end == ',' ? end + 1 : end;
    }
    return true;
}

static uint32_t quota_ceil(double quota, double period) {
    if (!(quota > 0) || !(period > 0)) {
        return UINT32_MAX;
    }
    double cores = quota / period;
    return cores < 1 ? 1 : cores >= PROCESSOR_LIMIT ? PROCESSOR_LIMIT : (uint32_t)(cores + 0.999);
}

/* The quota of one group, UINT32_MAX for none. `directory` is a path below the mounted tree. */
static uint32_t group_quota(const char *tree, const char *directory, bool second_version) {
    char path[512], text[64], *end;
    if (second_version) {
        (void)snprintf(path, sizeof path, "%s%s/cpu.max", tree, directory);
        if (!file_read(path, text, sizeof text) || text[0] == 'm') { /* "max 100000" */
            return UINT32_MAX;
        }
        double quota = strtod(text, &end);
        return quota_ceil(quota, strtod(end, NULL));
    }
    (void)snprintf(path, sizeof path, "%s%s/cpu.cfs_quota_us", tree, directory);
    if (!file_read(path, text, sizeof text)) {
        return UINT32_MAX;
    }
    double quota = strtod(text, NULL); /* -1: none */
    (void)snprintf(path, sizeof path, "%s%s/cpu.cfs_period_us", tree, directory);
    return file_read(path, text, sizeof text) ? quota_ceil(quota, strtod(text, NULL)) : UINT32_MAX;
}

/* The smallest quota of a group and of those around it. In a container the path may name a place outside of what is
   mounted; the root of the mounted tree, which is the last step, is the container's own then. */
static uint32_t groups_quota(const char *tree, char *directory, bool second_version) {
    uint32_t least = UINT32_MAX;
    for (;;) {
        uint32_t quota = group_quota(tree, directory, second_version);
        least = quota < least ? quota : least;
        char *slash = strrchr(directory, '/');
        if (slash == NULL) {
            return least;
        }
        *slash = '\0';
    }
}

/* Whether a list like "cpu,cpuacct" names the controller of processor time. */
static bool list_has_cpu(const char *list) {
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, "cpu", 3) == 0 && (at[3] == ',' || at[3] == '\0')) {
            return true;
        }
    }
    return false;
}

/* Lines of /proc/self/cgroup are "number:controllers:path"; those of version 2 have no controllers. */
static uint32_t quota_read(void) {
    char text[4096];
    uint32_t least = UINT32_MAX;
    if (!file_read("/proc/self/cgroup", text, sizeof text)) {
        return least;
    }
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *list = strchr(line, ':');
        char *path = list != NULL ? strchr(list + 1, ':') : NULL;
        if (path == NULL) {
            continue;
        }
        *path++ = '\0';
        list++;
        uint32_t quota = UINT32_MAX;
        if (list[0] == '\0') {
            quota = groups_quota("/sys/fs/cgroup", path, true);
        } else if (list_has_cpu(list)) {
            quota = groups_quota("/sys/fs/cgroup/cpu", path, false);
        }
        least = quota < least ? quota : least;
    }
    return least;
}

static uint32_t processors_read(uint32_t *core_count) {
    processor_set set;
    set_read(&set);
    uint32_t processor_count = 0;
    *core_count = 0;
    for (size_t i = 0; i < set.limit; i++) {
        if (set_has(&set, i)) {
            processor_count++;
            *core_count += is_first_of_core(&set, i);
        }
    }
    return processor_count;
}

#else

static uint32_t quota_read(void) {
    return UINT32_MAX;
}

/* No word on which of them share a core. */
static uint32_t processors_read(uint32_t *core_count) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    *core_count = online > 0 ? (uint32_t)online : 0;
    return *core_count;
}

#endif

static uint32_t bounded(uint32_t count) {
    uint32_t quota = quota_read();
    count = count < quota ? count : quota;
    return count > 0 ? count : 1;
}

uint32_t platform_core_count(void) {
    int saved = errno;
    uint32_t core_count = 0;
#ifdef SHOAL_HWLOC
    core_count = platform_hwloc_core_count();
#endif
    if (core_count == 0) {
        (void)processors_read(&core_count);
    }
    core_count = bounded(core_count);
    errno = saved;
    return core_count;
}

uint32_t platform_processor_count(void) {
    int saved = errno;
    uint32_t core_count;
    uint32_t processor_count = bounded(processors_read(&core_count));
    errno = saved;
    return processor_count;
}
