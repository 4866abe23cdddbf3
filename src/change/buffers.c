/*
 * The public calls on buffers; see shoal/buffer.h. The work is that of storage/buffer.c; here a handle becomes a cell,
 * and a failure the error of a call.
 *
 * A handle is the world, the type and the address of the cell, so nothing is looked up again, and nothing is known of
 * the entity: changes of elements tell no hook. Thread rule: finding is "read", all else "world".
 */
#include "../storage/buffer.h"
#include "change.h"

/* ---- finding ---- */

/* Why an entity has no such buffer. */
COLD static shoal_buffer buffer_refuse(const shoal_world *world, shoal_entity entity, shoal_component component) {
    const component_type *type = component_type_find(component.id);
    shoal_status why = SHOAL_COMPONENT_MISSING;
    if (world == NULL) {
        why = SHOAL_INVALID_ARGUMENT;
    } else if (type == NULL) {
        why = SHOAL_COMPONENT_INVALID;
    } else if (type->def.storage != SHOAL_STORAGE_BUFFER) {
        why = SHOAL_COMPONENT_KIND;
    } else if (index_find(&world->index, entity) == NULL) {
        why = index_why(&world->index, entity);
    }
    (void)world_fail_reader(world, why, "shoal_buffer_get", entity, component);
    return (shoal_buffer){0};
}

shoal_buffer shoal_buffer_get(shoal_world *world, shoal_entity entity, shoal_component component) {
    world_note_access(world, component, false, "shoal_buffer_get");
    const component_type *type = component_type_find(component.id);
    const index_record *record = LIKELY(world != NULL) ? index_find(&world->index, entity) : NULL;
    if (UNLIKELY(type == NULL) || UNLIKELY(type->def.storage != SHOAL_STORAGE_BUFFER) || UNLIKELY(record == NULL)) {
        return buffer_refuse(world, entity, component);
    }
    row_place place = row_of(world, record);
    uint32_t column = archetype_find(place.archetype, component.id);
    if (UNLIKELY(column >= place.archetype->column_count)) {
        return buffer_refuse(world, entity, component);
    }
    void *cell = archetype_value(place.archetype, place.chunk, column, place.row);
    return (shoal_buffer){.world_ = world, .type_ = type, .cell_ = cell};
}

size_t shoal_buffer_count(shoal_buffer buffer) {
    return LIKELY(buffer.cell_ != NULL) ? ((const buffer_cell *)buffer.cell_)->count : 0;
}

void *shoal_buffer_items(shoal_buffer buffer) {
    return LIKELY(buffer.cell_ != NULL) ? buffer_items(buffer.type_, buffer.cell_) : NULL;
}

size_t shoal_buffer_inline_count(shoal_buffer buffer) {
    return buffer.cell_ != NULL ? ((const component_type *)buffer.type_)->inline_count : 0;
}

bool shoal_buffer_is_on_heap(shoal_buffer buffer) {
    return buffer.cell_ != NULL && ((const buffer_cell *)buffer.cell_)->heap != NULL;
}

/* ---- changing ---- */

/* Stores the error of a change; a null buffer has no world to store it in. */
COLD static shoal_status buffer_fail(shoal_buffer buffer, shoal_status status, const char *call) {
    if (buffer.cell_ == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    const component_type *type = buffer.type_;
    return world_fail_component(buffer.world_, status, call, (shoal_entity){0}, (shoal_component){type->id});
}

static ALWAYS_INLINE shoal_status buffer_result(shoal_buffer buffer, shoal_status status, const char *call) {
    return LIKELY(status == SHOAL_OK) ? SHOAL_OK : buffer_fail(buffer, status, call);
}

/* Getting a buffer reads, since a handle does not say what for; changing its elements writes. */
static ALWAYS_INLINE void buffer_note(shoal_buffer buffer, const char *call) {
    const component_type *type = buffer.type_;
    world_note_access(buffer.world_, (shoal_component){type->id}, true, call);
}

/* Budget: 3 ns while there is room and the type has no hooks. */
shoal_status shoal_buffer_push(shoal_buffer buffer, const void *element) {
    if (UNLIKELY(buffer.cell_ == NULL)) {
        return buffer_fail(buffer, SHOAL_INVALID_ARGUMENT, "shoal_buffer_push");
    }
    buffer_note(buffer, "shoal_buffer_push");
    shoal_status status = buffer_push(&buffer.world_->memory, buffer.type_, buffer.cell_, element);
    return buffer_result(buffer, status, "shoal_buffer_push");
}

shoal_status shoal_buffer_insert(shoal_buffer buffer, size_t at, const void *element) {
    shoal_status status = SHOAL_INVALID_ARGUMENT;
    if (LIKELY(buffer.cell_ != NULL)) {
        buffer_note(buffer, "shoal_buffer_insert");
        status = buffer_insert(&buffer.world_->memory, buffer.type_, buffer.cell_, at, element);
    }
    return buffer_result(buffer, status, "shoal_buffer_insert");
}

shoal_status shoal_buffer_erase(shoal_buffer buffer, size_t at) {
    shoal_status status = SHOAL_INVALID_ARGUMENT;
    if (LIKELY(buffer.cell_ != NULL)) {
        buffer_note(buffer, "shoal_buffer_erase");
        status = buffer_erase(&buffer.world_->memory, buffer.type_, buffer.cell_, at);
    }
    return buffer_result(buffer, status, "shoal_buffer_erase");
}

shoal_status shoal_buffer_erase_swap(shoal_buffer buffer, size_t at) {
    shoal_status status = SHOAL_INVALID_ARGUMENT;
    if (LIKELY(buffer.cell_ != NULL)) {
        buffer_note(buffer, "shoal_buffer_erase_swap");
        status = buffer_erase_swap(&buffer.world_->memory, buffer.type_, buffer.cell_, at);
    }
    return buffer_result(buffer, status, "shoal_buffer_erase_swap");
}

shoal_status shoal_buffer_resize(shoal_buffer buffer, size_t count) {
    shoal_status status = SHOAL_INVALID_ARGUMENT;
    if (LIKELY(buffer.cell_ != NULL)) {
        buffer_note(buffer, "shoal_buffer_resize");
        status = buffer_resize(&buffer.world_->memory, buffer.type_, buffer.cell_, count);
    }
    return buffer_result(buffer, status, "shoal_buffer_resize");
}

shoal_status shoal_buffer_assign(shoal_buffer buffer, shoal_span elements) {
    shoal_status status = SHOAL_INVALID_ARGUMENT;
    if (LIKELY(buffer.cell_ != NULL)) {
        buffer_note(buffer, "shoal_buffer_assign");
        status = buffer_assign(&buffer.world_->memory, buffer.type_, buffer.cell_, &elements);
    }
    return buffer_result(buffer, status, "shoal_buffer_assign");
}
