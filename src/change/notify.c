/*
 * Telling hooks; see notify.h.
 */
#include "notify.h"

COLD void notify_call(shoal_world *world, const component_type *type, notify_kind kind, shoal_entity entity,
                      shoal_entity target, void *value) {
    void (*const hooks[])(const shoal_component_event *event, void *user) = {
        [NOTIFY_ADD] = type->def.on_add, [NOTIFY_SET] = type->def.on_set, [NOTIFY_REMOVE] = type->def.on_remove};
    if (hooks[kind] == NULL) {
        return;
    }
    shoal_component_event event = {
        .world = world, .entity = entity, .component = {type->id}, .target = target, .value = value};
    bool was_half_way = world->is_half_way;
    const char *outer = world_lock_enter(world, type->def.name);
    world->is_half_way = was_half_way || kind == NOTIFY_REMOVE; /* room for what follows has been made */
    hooks[kind](&event, type->def.user);
    world->is_half_way = was_half_way;
    world_lock_leave(world, outer);
}

/* True for a component whose hooks are told of rows: of a split relation they are told of links. */
static bool is_told(const component_type *type) {
    return type->notifies && type->in_archetype;
}

static void notify_row(shoal_world *world, notify_kind kind, shoal_entity entity, row_place place) {
    for (uint32_t i = 0; i < place.archetype->component_count; i++) {
        const component_type *type = component_type_at(place.archetype->ids[i]);
        if (is_told(type) && (kind != NOTIFY_SET || type->def.size != 0)) {
            notify_call(world, type, kind, entity, (shoal_entity){0}, notify_value(place, type));
        }
    }
}

void notify_row_added(shoal_world *world, shoal_entity entity, row_place place) {
    if (UNLIKELY(place.archetype->notifies)) {
        notify_row(world, NOTIFY_ADD, entity, place);
        notify_row(world, NOTIFY_SET, entity, place);
    }
}

void notify_row_removed(shoal_world *world, shoal_entity entity, row_place place) {
    if (UNLIKELY(place.archetype->notifies)) {
        notify_row(world, NOTIFY_REMOVE, entity, place);
    }
}

void notify_edge_removed(shoal_world *world, const shoal_transition *edge, shoal_entity entity, row_place place) {
    const shoal_archetype *source = place.archetype;
    for (uint32_t i = 0; source->notifies && i < source->component_count; i++) {
        const component_type *type = component_type_at(source->ids[i]);
        if (is_told(type) && archetype_find(edge->target, type->id) == ARCHETYPE_NONE) {
            notify_call(world, type, NOTIFY_REMOVE, entity, (shoal_entity){0}, notify_value(place, type));
        }
    }
}

void notify_edge_new(shoal_world *world, const shoal_transition *edge, shoal_entity entity, row_place place) {
    const shoal_archetype *target = edge->target;
    for (uint32_t i = 0; target->notifies && i < target->component_count; i++) {
        const component_type *type = component_type_at(target->ids[i]);
        if (is_told(type) && archetype_find(edge->source, type->id) == ARCHETYPE_NONE) {
            notify_call(world, type, NOTIFY_ADD, entity, (shoal_entity){0}, notify_value(place, type));
        }
    }
}

void notify_edge_given(shoal_world *world, const shoal_transition *edge, const shoal_value *values, shoal_entity entity,
                       row_place place) {
    for (size_t i = 0; edge->target->notifies && i < edge->add_count; i++) {
        const component_type *type = component_type_at(values[i].component.id);
        if (is_told(type) && type->def.size != 0 && values[i].data != NULL) {
            notify_call(world, type, NOTIFY_SET, entity, (shoal_entity){0}, notify_value(place, type));
        }
    }
}

static void notify_links_removed(shoal_world *world, const relation_store *store, uint32_t number,
                                 shoal_entity entity) {
    for (relation_link *link = relation_link_first(store, number); link != NULL;
         link = relation_link_next(store, link)) {
        notify_call(world, store->type, NOTIFY_REMOVE, entity, link->target, relation_link_data(store, link));
    }
}

void notify_loose_removed(shoal_world *world, shoal_entity entity) {
    for (size_t i = 0; i < world->loose_count; i++) {
        const loose_store *loose = (const loose_store *)world->loose.items + i;
        const sparse_set *set = loose->sparse != NULL ? loose->sparse : &loose->relation->forward;
        uint32_t number = loose->type->notifies ? sparse_number(set, entity) : UINT32_MAX;
        if (number == UINT32_MAX) {
            continue;
        }
        if (loose->relation != NULL) {
            notify_links_removed(world, loose->relation, number, entity);
        } else {
            void *value = loose->type->def.size != 0 ? sparse_value(set, number) : NULL;
            notify_call(world, loose->type, NOTIFY_REMOVE, entity, (shoal_entity){0}, value);
        }
    }
}
