/*
 * Values on their way into rows, where hooks, validation or default values are involved; see change.h.
 */
#include "change.h"

shoal_status change_validate(shoal_world *world, const shoal_value *values, size_t count, const char *call) {
    for (size_t i = 0; i < count; i++) {
        const component_type *type = component_type_at(values[i].component.id);
        if (type->def.validate != NULL && values[i].data != NULL && type->def.size != 0 &&
            !type->def.validate(values[i].data, type->def.user)) {
            return world_fail_component(world, SHOAL_VALUE_REFUSED, call, (shoal_entity){0}, values[i].component);
        }
    }
    return SHOAL_OK;
}

static shoal_status hook_failed(shoal_world *world, const char *call, const component_type *type) {
    return world_fail_component(world, SHOAL_HOOK_FAILED, call, (shoal_entity){0}, (shoal_component){type->id});
}

shoal_status change_replace(shoal_world *world, const archetype_column *column, void *value, const void *data,
                            const char *call) {
    if (!column->hooked) {
        if (data != value) {
            memcpy(value, data, column->byte_size);
        }
        return SHOAL_OK;
    }
    size_t alignment = column->type->def.alignment;
    void *staged = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, column->byte_size, alignment);
    if (staged == NULL) {
        return world_fail(world, world->memory.failure, call);
    }
    shoal_status status = SHOAL_OK;
    if (component_make_copy(column->type, staged, data, 1)) {
        component_end(column->type, value, 1);
        component_relocate(column->type, value, staged, 1);
    } else {
        status = hook_failed(world, call, column->type);
    }
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, staged, column->byte_size, alignment);
    return status;
}

COLD shoal_status value_missing(const shoal_archetype *archetype, uint32_t number, shoal_component component) {
    if (component_type_find(component.id) == NULL) {
        return SHOAL_COMPONENT_INVALID;
    }
    bool is_tag = number != ARCHETYPE_NONE && number >= archetype->column_count;
    return is_tag ? SHOAL_TERM_WITHOUT_DATA : SHOAL_COMPONENT_MISSING;
}

static bool value_is_new(const shoal_archetype *source, shoal_component component) {
    return source == NULL || archetype_find(source, component.id) == ARCHETYPE_NONE;
}

shoal_status change_make_values(shoal_world *world, const shoal_transition *edge, const shoal_archetype *source,
                                const shoal_value *values, const char *call) {
    const shoal_archetype *target = edge->target;
    for (size_t i = 0; i < edge->add_count; i++) {
        uint32_t column = edge->columns[i];
        if (column == ARCHETYPE_NONE || !value_is_new(source, values[i].component)) {
            continue;
        }
        const component_type *type = target->columns[column].type;
        char *value = row_open_value(target, column);
        bool made = values[i].data != NULL ? component_make_copy(type, value, values[i].data, 1)
                                           : component_make_default(type, value, 1);
        if (made) {
            continue;
        }
        while (i-- > 0) {
            if (edge->columns[i] != ARCHETYPE_NONE && value_is_new(source, values[i].component)) {
                component_end(target->columns[edge->columns[i]].type, row_open_value(target, edge->columns[i]), 1);
            }
        }
        return hook_failed(world, call, type);
    }
    return SHOAL_OK;
}
