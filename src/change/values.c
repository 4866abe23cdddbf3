/*
 * Values on their way into rows, where hooks, validation or default values are involved; see change.h.
 */
#include <shoal/relation.h>

#include "../storage/buffer.h"
#include "change.h"

/* What is wrong with a value that a caller gave for a component of that kind. */
static shoal_status value_check(const component_type *type, const void *data) {
    if (type->def.storage == SHOAL_STORAGE_BUFFER) {
        return buffer_check_span(type, data);
    }
    if (type->def.storage == SHOAL_STORAGE_RELATION) {
        data = ((const shoal_link *)data)->data;
    }
    bool refused = type->def.validate != NULL && data != NULL && !type->def.validate(data, type->def.user);
    return refused ? SHOAL_VALUE_REFUSED : SHOAL_OK;
}

shoal_status change_validate(shoal_world *world, const shoal_value *values, size_t count, const char *call) {
    for (size_t i = 0; i < count; i++) {
        const component_type *type = component_type_at(values[i].component.id);
        shoal_status status = SHOAL_OK;
        if (values[i].data != NULL && (type->def.size != 0 || type->def.storage == SHOAL_STORAGE_RELATION)) {
            status = value_check(type, values[i].data);
        }
        if (status != SHOAL_OK) {
            return world_fail_component(world, status, call, (shoal_entity){0}, values[i].component);
        }
    }
    return SHOAL_OK;
}

static shoal_status making_failed(shoal_world *world, const char *call, const component_type *type) {
    return world_fail_component(world, component_failure(type, &world->memory), call, (shoal_entity){0},
                                (shoal_component){type->id});
}

shoal_status change_stage(shoal_world *world, const component_type *type, const void *data, void **staged,
                          const char *call) {
    *staged = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, type->value_size, type->value_alignment);
    if (*staged == NULL) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    if (!component_make_given(&world->memory, type, *staged, data)) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, *staged, type->value_size, type->value_alignment);
        *staged = NULL;
        return making_failed(world, call, type);
    }
    return SHOAL_OK;
}

void change_unstage(shoal_world *world, const component_type *type, void *staged, bool end_value) {
    if (end_value) {
        component_end(&world->memory, type, staged, 1);
    }
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, staged, type->value_size, type->value_alignment);
}

shoal_status change_replace(shoal_world *world, const component_type *type, void *value, const void *data,
                            const char *call) {
    if (!type->hooked) {
        if (data != value) {
            memcpy(value, data, type->value_size);
        }
        return SHOAL_OK;
    }
    void *staged = NULL;
    shoal_status status = change_stage(world, type, data, &staged, call);
    if (staged != NULL) {
        component_end(&world->memory, type, value, 1);
        component_relocate(type, value, staged, 1);
        change_unstage(world, type, staged, false);
    }
    return status;
}

COLD shoal_status value_missing(const shoal_archetype *archetype, uint32_t number, shoal_component component) {
    if (component_type_find(component.id) == NULL) {
        return SHOAL_COMPONENT_INVALID;
    }
    bool is_tag = number != ARCHETYPE_NONE && number >= archetype->column_count;
    return is_tag ? SHOAL_TERM_WITHOUT_DATA : SHOAL_COMPONENT_MISSING;
}

/* One of the values that an edge adds to the open row of its target: those of its keys, then the implied ones. */
typedef struct added_value {
    const component_type *type;
    void *value;      /* where it goes; NULL when there is nothing to make */
    const void *data; /* NULL: the default */
} added_value;

static added_value added_value_at(const shoal_transition *edge, const shoal_archetype *source,
                                  const shoal_value *values, size_t i) {
    bool is_key = i < edge->add_count;
    uint32_t id = is_key ? values[i].component.id : transition_implied(edge, i - edge->add_count);
    added_value added = {.type = component_type_at(id), .data = is_key ? values[i].data : NULL};
    uint32_t column = added.type->has_column ? archetype_find(edge->target, id) : ARCHETYPE_NONE;
    if (column != ARCHETYPE_NONE && (source == NULL || archetype_find(source, id) == ARCHETYPE_NONE)) {
        added.value = row_open_value(edge->target, column);
    }
    return added;
}

shoal_status change_make_values(shoal_world *world, const shoal_transition *edge, const shoal_archetype *source,
                                const shoal_value *values, const char *call) {
    size_t count = (size_t)edge->add_count + transition_implied_count(edge);
    for (size_t i = 0; i < count; i++) {
        added_value added = added_value_at(edge, source, values, i);
        if (added.value == NULL) {
            continue;
        }
        bool made = added.data != NULL ? component_make_given(&world->memory, added.type, added.value, added.data)
                                       : component_make_default(&world->memory, added.type, added.value, 1);
        if (made) {
            continue;
        }
        shoal_status status = making_failed(world, call, added.type);
        change_unmake_values(world, edge, source, values, i);
        return status;
    }
    return SHOAL_OK;
}

void change_unmake_values(shoal_world *world, const shoal_transition *edge, const shoal_archetype *source,
                          const shoal_value *values, size_t count) {
    while (count-- > 0) {
        added_value added = added_value_at(edge, source, values, count);
        if (added.value != NULL) {
            component_end(&world->memory, added.type, added.value, 1);
        }
    }
}
