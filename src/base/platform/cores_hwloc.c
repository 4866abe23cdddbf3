/*
 * Physical cores by hwloc, which knows machines that the system alone describes badly, and systems that do not say at
 * all which processors share a core. Built where CMake finds the library (SHOAL_HWLOC).
 *
 * hwloc leaves out processors that the process was not given (by control groups, say). Those that its affinity rules
 * out are left out here.
 */
#include "platform.h"

#include <hwloc.h>

/* Cores with a processor that the thread may run on. Where hwloc sees no cores, processors stand for them. */
static uint32_t cores_of_topology(hwloc_topology_t topology, hwloc_bitmap_t allowed) {
    if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_THREAD) != 0) {
        (void)hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(topology));
    }
    int depth = hwloc_get_type_or_below_depth(topology, HWLOC_OBJ_CORE);
    uint32_t count = 0;
    for (hwloc_obj_t core = hwloc_get_obj_by_depth(topology, depth, 0); core != NULL; core = core->next_cousin) {
        count += hwloc_bitmap_intersects(core->cpuset, allowed) ? 1 : 0;
    }
    return count;
}

uint32_t platform_hwloc_core_count(void) {
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0) {
        return 0;
    }
    uint32_t count = 0;
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (allowed != NULL && hwloc_topology_load(topology) == 0) {
        count = cores_of_topology(topology, allowed);
    }
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(topology);
    return count;
}
