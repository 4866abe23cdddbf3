/*
 * What queries match in the reference world of all kinds; see full_world.h.
 */
#include "full_world.h"

static const shoal_entity no_entity;

static full_type along_of(const shoal_term *term) {
    return term->along.id != 0 ? full_find(term->along) : FULL_CHILD_OF;
}

/* Whether the entity itself has what the term names. */
static bool own_holds(const full_world *full, const shoal_term *term, shoal_entity entity) {
    full_type type = full_find(term->component);
    if (full_is(type, SHOAL_STORAGE_UNIQUE)) {
        return full->uniques[type - FULL_CLOCK].is_there;
    }
    if (full_is(type, SHOAL_STORAGE_RELATION)) {
        return full_link_find(full, 0, type, entity, term->target) != FULL_NONE;
    }
    if (!full_has(full, entity, type)) {
        return false;
    }
    if (term->value != NULL) {
        return full_read(type, term->value) == full_slot_of(full, entity)->payload[type];
    }
    bool any = !full_def(type)->toggle || term->state == SHOAL_STATE_EITHER;
    return any || full_is_on(full, entity, type) == (term->state == SHOAL_STATE_ENABLED);
}

shoal_entity full_ancestor_with(const full_world *full, const shoal_term *term, shoal_entity entity) {
    full_type type = full_find(term->component);
    shoal_entity at = full_target(full, along_of(term), entity);
    while (!shoal_entity_is_null(at) && !full_has(full, at, type)) {
        at = full_target(full, along_of(term), at);
    }
    return at;
}

static bool descendant_has(const full_world *full, const shoal_term *term, shoal_entity entity) {
    full_type along = along_of(term);
    for (size_t i = full_link_find(full, 0, along, no_entity, entity); i != FULL_NONE;
         i = full_link_find(full, i + 1, along, no_entity, entity)) {
        shoal_entity below = full->links[i].source;
        if (full_has(full, below, full_find(term->component)) || descendant_has(full, term, below)) {
            return true;
        }
    }
    return false;
}

bool full_term_holds(const full_world *full, const shoal_term *term, shoal_entity entity) {
    switch (term->traverse) {
    case SHOAL_TRAVERSE_UP:
        return !shoal_entity_is_null(full_ancestor_with(full, term, entity));
    case SHOAL_TRAVERSE_DOWN:
        return descendant_has(full, term, entity);
    default:
        return own_holds(full, term, entity);
    }
}

static bool is_any(const shoal_term *term) {
    return term->access == SHOAL_ACCESS_ANY_READ || term->access == SHOAL_ACCESS_ANY_WRITE;
}

static bool group_holds(const full_world *full, const shoal_term *terms, size_t term_count, uint32_t group,
                        shoal_entity entity) {
    for (size_t i = 0; i < term_count; i++) {
        if (is_any(&terms[i]) && terms[i].group == group && full_term_holds(full, &terms[i], entity)) {
            return true;
        }
    }
    return false;
}

static bool names_type(const shoal_term *terms, size_t term_count, full_type type) {
    for (size_t i = 0; i < term_count; i++) {
        if (terms[i].component.id == full_component(type).id && terms[i].traverse == SHOAL_TRAVERSE_SELF) {
            return true;
        }
    }
    return false;
}

bool full_matches(const full_world *full, const shoal_term *terms, size_t term_count, shoal_entity entity) {
    if ((full_has(full, entity, FULL_PREFAB) && !names_type(terms, term_count, FULL_PREFAB)) ||
        (full_has(full, entity, FULL_DYING) && !names_type(terms, term_count, FULL_DYING))) {
        return false;
    }
    for (size_t i = 0; i < term_count; i++) {
        const shoal_term *term = &terms[i];
        bool optional = term->access == SHOAL_ACCESS_OPTIONAL_READ || term->access == SHOAL_ACCESS_OPTIONAL_WRITE;
        bool holds = is_any(term) ? group_holds(full, terms, term_count, term->group, entity)
                                  : full_term_holds(full, term, entity) != (term->access == SHOAL_ACCESS_WITHOUT);
        if (!holds && !optional) {
            return false;
        }
    }
    return true;
}
