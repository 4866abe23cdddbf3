/*
 * Sparse components and relations of many entities that are spawned at once; see loose.h.
 */
#include <shoal/buffer.h>

#include "loose.h"

#include <stdlib.h>
#include <string.h>

size_t loose_given_size(const component_type *type) {
    switch (type->def.storage) {
    case SHOAL_STORAGE_BUFFER:
        return sizeof(shoal_span);
    case SHOAL_STORAGE_RELATION:
        return sizeof(shoal_link);
    default:
        return type->def.size;
    }
}

/* What the caller gave for the i-th entity, or NULL. */
static const void *given_at(const loose_column *column, size_t i) {
    size_t at = column->is_shared ? 0 : i;
    return column->given != NULL ? column->given + at * loose_given_size(column->item.type) : NULL;
}

/* The data of the i-th entity's value: of a relation, that of its link. */
static const void *data_at(const loose_column *column, size_t i) {
    const void *given = given_at(column, i);
    return column->item.relation != NULL && given != NULL ? ((const shoal_link *)given)->data : given;
}

static bool column_is_staged(const loose_column *column) {
    const component_type *type = column->item.type;
    return type->def.size != 0 && (type->hooked || component_default_can_fail(type));
}

static void column_release(shoal_world *world, loose_column *column, size_t count, size_t made) {
    const component_type *type = column->item.type;
    if (column->item.staged != NULL) {
        component_end(&world->memory, type, column->item.staged, made);
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, column->item.staged, count * type->def.size,
                       type->def.alignment);
        column->item.staged = NULL;
    }
    if (column->item.relation != NULL) {
        relation_settle(column->item.relation);
    }
}

/* Copies of hooked values, a copy an entity. */
static shoal_status column_stage(shoal_world *world, loose_column *column, size_t count) {
    const component_type *type = column->item.type;
    if (!column_is_staged(column)) {
        return SHOAL_OK;
    }
    char *staged = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, count * type->def.size, type->def.alignment);
    if (staged == NULL) {
        return memory_failure(&world->memory);
    }
    column->item.staged = staged;
    for (size_t i = 0; i < count; i++) {
        const void *data = data_at(column, i);
        char *value = staged + i * type->def.size;
        bool made = data != NULL ? component_make_copy(&world->memory, type, value, data, 1)
                                 : component_make_default(&world->memory, type, value, 1);
        if (!made) {
            column_release(world, column, count, i);
            return SHOAL_HOOK_FAILED;
        }
    }
    return SHOAL_OK;
}

/* Checks the links, and makes room for them. New entities have no sources, so there can be no cycle. */
static shoal_status links_reserve(shoal_world *world, const loose_column *column, const loose_bulk *bulk,
                                  const char *call) {
    for (size_t i = 0; i < bulk->count; i++) {
        const shoal_link *link = given_at(column, i);
        shoal_entity target = link != NULL ? link->target : (shoal_entity){0};
        shoal_status status = SHOAL_OK;
        if (i == 0 || !column->is_shared) {
            status = loose_check_link(world, column->item.type, bulk->entities[i], target, call);
        }
        if (status != SHOAL_OK) {
            return status;
        }
        status = relation_reserve(column->item.relation, bulk->entities[i], target);
        if (status != SHOAL_OK) {
            return world_fail(world, status, call);
        }
    }
    shoal_status status = loose_reserve_cascade(world, column->item.type, bulk->count);
    return status == SHOAL_OK ? SHOAL_OK : world_fail(world, status, call);
}

static shoal_status values_reserve(shoal_world *world, const loose_column *column, const loose_bulk *bulk,
                                   const char *call) {
    shoal_status status = sparse_reserve(column->item.sparse, (uint32_t)bulk->count);
    for (size_t i = 0; i < bulk->count && status == SHOAL_OK; i++) {
        status = sparse_reserve_page(column->item.sparse, shoal_entity_index(bulk->entities[i]));
    }
    return status == SHOAL_OK ? SHOAL_OK : world_fail(world, status, call);
}

static shoal_status column_prepare(shoal_world *world, const component_type *type, const void *given, bool is_shared,
                                   loose_bulk *bulk, const char *call) {
    void *store = store_obtain(world, type);
    if (store == NULL) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    bool is_sparse = type->def.storage == SHOAL_STORAGE_SPARSE;
    loose_column column = {
        .item = {.type = type, .sparse = is_sparse ? store : NULL, .relation = is_sparse ? NULL : store},
        .given = given,
        .is_shared = is_shared};
    shoal_status status =
        is_sparse ? values_reserve(world, &column, bulk, call) : links_reserve(world, &column, bulk, call);
    if (status != SHOAL_OK) {
        column_release(world, &column, bulk->count, 0);
        return status;
    }
    status = column_stage(world, &column, bulk->count);
    if (status != SHOAL_OK) {
        column_release(world, &column, bulk->count, 0);
        return world_fail_component(world, status, call, (shoal_entity){0}, (shoal_component){type->id});
    }
    bulk->columns[bulk->column_count++] = column;
    return SHOAL_OK;
}

static void bulk_release(shoal_world *world, loose_bulk *bulk, bool end_values) {
    for (size_t i = 0; i < bulk->column_count; i++) {
        column_release(world, &bulk->columns[i], bulk->count, end_values ? bulk->count : 0);
    }
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, bulk->entities, bulk->count * sizeof(shoal_entity), 16);
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, bulk->columns, bulk->column_capacity * sizeof(loose_column),
                   16);
    *bulk = (loose_bulk){0};
}

shoal_status loose_bulk_prepare(shoal_world *world, const shoal_transition *edge, const shoal_value *keys,
                                size_t value_count, size_t count, loose_bulk *bulk, const char *call) {
    if (count == 0) {
        return SHOAL_OK;
    }
    bulk->count = count;
    bulk->column_capacity = (size_t)edge->add_count + transition_implied_count(edge);
    bulk->entities = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, count * sizeof(shoal_entity), 16);
    bulk->columns =
        memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, bulk->column_capacity * sizeof(loose_column), 16);
    shoal_status status = SHOAL_OK;
    if (bulk->entities == NULL || bulk->columns == NULL) {
        status = world_fail(world, memory_failure(&world->memory), call);
    } else {
        index_peek_many(&world->index, count, bulk->entities);
    }
    for (size_t i = 0; i < bulk->column_capacity && status == SHOAL_OK; i++) {
        bool is_key = i < edge->add_count;
        const component_type *type =
            component_type_at(is_key ? keys[i].component.id : transition_implied(edge, i - edge->add_count));
        if (!type->in_archetype) {
            status = column_prepare(world, type, is_key ? keys[i].data : NULL, i < value_count, bulk, call);
        }
    }
    if (status != SHOAL_OK) {
        bulk_release(world, bulk, true);
    }
    return status;
}

/* The value of the i-th entity, to be taken over: staged, or the caller's own bytes. */
static void *value_at(const loose_column *column, size_t i) {
    if (column->item.staged != NULL) {
        return (char *)column->item.staged + i * column->item.type->def.size;
    }
    return (void *)(uintptr_t)data_at(column, i); /* bytes, which are copied */
}

void loose_bulk_commit(shoal_world *world, loose_bulk *bulk) {
    for (size_t i = 0; i < bulk->column_count; i++) {
        const loose_column *column = &bulk->columns[i];
        for (size_t k = 0; k < bulk->count; k++) {
            void *value = column->item.type->def.size != 0 ? value_at(column, k) : NULL;
            if (column->item.sparse != NULL) {
                (void)loose_put(world, column->item.sparse, bulk->entities[k], value);
            } else {
                const shoal_link *link = given_at(column, k);
                (void)loose_link(world, column->item.relation, bulk->entities[k], link->target, value);
            }
        }
    }
}

void loose_bulk_notify(shoal_world *world, const loose_bulk *bulk, notify_kind kind) {
    for (size_t i = 0; i < bulk->column_count; i++) {
        const loose_column *column = &bulk->columns[i];
        for (size_t k = 0; column->item.type->notifies && k < bulk->count; k++) {
            if (kind == NOTIFY_SET && data_at(column, k) == NULL) {
                continue;
            }
            if (column->item.sparse != NULL) {
                loose_notify_value(world, column->item.sparse, bulk->entities[k], kind);
            } else {
                const shoal_link *link = given_at(column, k);
                loose_notify_link(world, column->item.relation, bulk->entities[k], link->target, kind);
            }
        }
    }
}

void loose_bulk_release(shoal_world *world, loose_bulk *bulk) {
    if (bulk->count != 0) {
        bulk_release(world, bulk, false);
    }
}

/* ---- one change for many entities ---- */

static shoal_status change_check_one(shoal_world *world, shoal_entity entity, const shoal_change *change,
                                     const char *call) {
    shoal_archetype *archetype = row_of(world, index_find(&world->index, entity)).archetype;
    if ((archetype->hidden & ARCHETYPE_DYING) && change->add_count != 0) {
        return error_entity(world_error(world), SHOAL_ENTITY_DYING, call, entity);
    }
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < change->add_count && status == SHOAL_OK; i++) {
        const component_type *type = component_type_at(change->add[i].component.id);
        const shoal_link *link = change->add[i].data;
        if (type->def.storage == SHOAL_STORAGE_RELATION) {
            status = loose_check_link(world, type, entity, link != NULL ? link->target : (shoal_entity){0}, call);
        }
    }
    for (size_t i = 0; i < change->remove_count && status == SHOAL_OK; i++) {
        const component_type *type = component_type_at(change->remove[i].id);
        if (!type->in_archetype && store_has(world, type, entity)) {
            status = loose_check_unlink(world, type, entity, call);
        }
    }
    return status;
}

static bool change_names(const shoal_change *change, uint32_t id) {
    for (size_t i = 0; i < change->add_count; i++) {
        if (change->add[i].component.id == id) {
            return true;
        }
    }
    for (size_t i = 0; i < change->remove_count; i++) {
        if (change->remove[i].id == id) {
            return true;
        }
    }
    return false;
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All of the entities get one parent, or none: no two of them may have the same name. */
static shoal_status names_check_distinct(shoal_world *world, const shoal_entity *entities, size_t count,
                                         const char *call) {
    const char **names = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, count * sizeof *names, 16);
    if (names == NULL) {
        return world_fail(world, memory_failure(&world->memory), call);
    }
    size_t named = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = name_of(&world->names, entities[i]);
        if (name != NULL) {
            names[named++] = name;
        }
    }
    qsort(names, named, sizeof *names, compare_texts);
    shoal_status status = SHOAL_OK;
    for (size_t i = 1; i < named && status == SHOAL_OK; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            status = error_detail(world_error(world), SHOAL_NAME_TAKEN, call,
                                  "two of the entities are called \"%.100s\"", names[i]);
        }
    }
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, names, count * sizeof *names, 16);
    return status;
}

shoal_status loose_check_all(shoal_world *world, const shoal_entity *entities, size_t count, const shoal_change *change,
                             const char *call) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < count && status == SHOAL_OK; i++) {
        status = change_check_one(world, entities[i], change, call);
    }
    bool names_meet = count > 1 && world->names.count != 0 && change_names(change, world->child_of_id);
    return status == SHOAL_OK && names_meet ? names_check_distinct(world, entities, count, call) : status;
}
