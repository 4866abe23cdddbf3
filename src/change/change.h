/*
 * What the structural operations share: checks on entry, and writing the values that a caller gave.
 *
 * The order in each operation is: check, allocate, change. Plain archetypes take a short path; archetypes with hooks,
 * validation or default values ("careful" ones) stage every value that can fail before anything changes.
 * Thread rule: world.
 */
#ifndef SHOAL_CHANGE_CHANGE_H
#define SHOAL_CHANGE_CHANGE_H

#include <shoal/entity.h>

#include "../storage/row.h"
#include "../storage/world.h"

/* Asks the validate hooks about every value that the caller gave. */
shoal_status change_validate(shoal_world *world, const shoal_value *values, size_t count, const char *call);

/* A copy of a value that a caller gave, in scratch memory. */
shoal_status change_stage(shoal_world *world, const component_type *type, const void *data, void **staged,
                          const char *call);

/* Gives the memory of a staged copy back, whose value has been moved out unless it is to be ended. */
void change_unstage(shoal_world *world, const component_type *type, void *staged, bool end_value);

/* Replaces a stored value by one that a caller gave: with hooks, a copy is made first, so that a failure leaves the old
   one. */
shoal_status change_replace(shoal_world *world, const component_type *type, void *value, const void *data,
                            const char *call);

/* Makes the values of `edge`'s added and implied components that `source` does not have in the open row of its target.
   On failure none of them is made. `source` is NULL for a spawn, which has none of them. */
shoal_status change_make_values(shoal_world *world, const shoal_transition *edge, const shoal_archetype *source,
                                const shoal_value *values, const char *call);

/* Ends the first `count` of them: all are add_count + implied_count. */
void change_unmake_values(shoal_world *world, const shoal_transition *edge, const shoal_archetype *source,
                          const shoal_value *values, size_t count);

/* Makes room for one row and says where the error belongs. */
static ALWAYS_INLINE shoal_status change_reserve_row(shoal_world *world, shoal_archetype *target, const char *call) {
    if (LIKELY(target->open != NULL)) {
        return SHOAL_OK;
    }
    shoal_status status = archetype_reserve(world, target, 1);
    return status == SHOAL_OK ? SHOAL_OK : world_fail(world, status, call);
}

/* A value of a plain type: the one given, or zeros. */
static ALWAYS_INLINE void write_value(char *value, const void *data, size_t byte_size) {
    if (LIKELY(data != NULL)) {
        copy_value(value, data, byte_size);
    } else {
        memset(value, 0, byte_size);
    }
}

/* Writes the values of a plain archetype into the row that the next commit makes. About six instructions a value. */
static ALWAYS_INLINE void change_write_plain(const shoal_transition *edge, const chunk_ref *ref, uint32_t row,
                                             const shoal_value *values, size_t count) {
    const shoal_archetype *target = edge->target;
    for (size_t i = 0; i < count; i++) {
        uint32_t column = transition_columns(edge)[i];
        if (column == ARCHETYPE_NONE) {
            continue;
        }
        size_t byte_size = target->columns[column].byte_size;
        write_value(chunk_base(ref) + ref->offsets[column] + row * byte_size, values[i].data, byte_size);
    }
}

/* Why a component's number is no column: unknown, not there, or a tag. */
shoal_status value_missing(const shoal_archetype *archetype, uint32_t number, shoal_component component);

/* The keys of a change as the caller gave it. */
static inline shoal_status change_keys(shoal_world *world, const shoal_change *change, transition_keys *keys,
                                       const char *call) {
    if (change == NULL || (change->add == NULL && change->add_count != 0) ||
        (change->remove == NULL && change->remove_count != 0)) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    *keys = (transition_keys){.add = change->add,
                              .add_count = change->add_count,
                              .remove = change->remove,
                              .remove_count = change->remove_count};
    return SHOAL_OK;
}

/* Torture: see shoal_world_def::move_rows. */
static ALWAYS_INLINE void change_torture(shoal_world *world, shoal_archetype *archetype) {
    if (UNLIKELY(world->move_rows)) {
        row_shuffle_chunks(world, archetype);
    }
}

#endif
