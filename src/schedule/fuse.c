/*
 * Which systems may be fused; see fuse.h. Thread rule: world.
 */
#include "fuse.h"

#include "schedule.h"

static bool system_is_fusable(const shoal_system *system) {
    return system->def.each != NULL && !system->is_serial && !system->whole_chunks && !system->def.barrier &&
           system->def.thread == SHOAL_THREAD_ANY && system->def.period_ns == 0;
}

/* True when what one touches far the other leaves alone, and the other way round. */
static bool far_is_apart(const shoal_system *a, const shoal_system *b, bool *is_common) {
    for (size_t i = 0; i < a->access.count; i++) {
        const access_entry *entry = access_at(&a->access, i);
        uint8_t other = access_of(&b->access, entry->component.id);
        if (access_conflicts(entry->kinds, other, true)) {
            return false;
        }
        *is_common |= (entry->kinds & ACCESS_NEAR) && (other & ACCESS_NEAR);
    }
    return true;
}

bool fuse_may_join(const schedule_task *task, const shoal_system *system) {
    bool is_common = false;
    if (!system_is_fusable(system) || task->member_count >= FUSE_MEMBERS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < task->member_count; i++) {
        if (!system_is_fusable(task->members[i]) || !far_is_apart(task->members[i], system, &is_common)) {
            return false;
        }
    }
    return is_common;
}
