/*
 * Links, trees, names and destroying in the reference world of all kinds; see full_world.h.
 */
#include "full_world.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static const shoal_entity no_entity;

/* ---- links ---- */

static bool link_is(const full_link *link, full_type relation, shoal_entity source, shoal_entity target) {
    return link->relation == relation && (shoal_entity_is_null(source) || shoal_entity_equal(link->source, source)) &&
           (shoal_entity_is_null(target) || shoal_entity_equal(link->target, target));
}

size_t full_link_find(const full_world *full, size_t from, full_type relation, shoal_entity source,
                      shoal_entity target) {
    for (size_t i = from; i < full->link_count; i++) {
        if (link_is(&full->links[i], relation, source, target)) {
            return i;
        }
    }
    return FULL_NONE;
}

static full_link link_take(full_world *full, size_t place) {
    full_link link = full->links[place];
    full->link_count--;
    memmove(&full->links[place], &full->links[place + 1], (full->link_count - place) * sizeof link);
    return link;
}

static void link_insert(full_world *full, size_t place, full_link link) {
    if (full->link_count == full->link_capacity) {
        full->link_capacity = full->link_capacity * 2 + 64;
        full->links = realloc(full->links, full->link_capacity * sizeof link);
        assert_non_null(full->links);
    }
    memmove(&full->links[place + 1], &full->links[place], (full->link_count - place) * sizeof link);
    full->links[place] = link;
    full->link_count++;
}

void full_unlink(full_world *full, full_type relation, shoal_entity source, shoal_entity target) {
    for (size_t i = full->link_count; i-- > 0;) {
        if (link_is(&full->links[i], relation, source, target)) {
            (void)link_take(full, i);
        }
    }
}

void full_link_put(full_world *full, const full_value *value, shoal_entity source) {
    size_t place = full_link_find(full, 0, value->type, source, value->target);
    if (place == FULL_NONE) {
        bool exclusive = full_def(value->type)->exclusive || full_def(value->type)->acyclic;
        if (exclusive) {
            full_unlink(full, value->type, source, no_entity);
        }
        place = full->link_count;
        link_insert(full, place, (full_link){value->type, source, value->target, full_default(value->type)});
    }
    if (value->has_data) {
        full->links[place].payload = value->payload;
    }
}

shoal_entity full_target(const full_world *full, full_type relation, shoal_entity source) {
    size_t place = full_link_find(full, 0, relation, source, no_entity);
    return place != FULL_NONE ? full->links[place].target : no_entity;
}

naive_outcome full_unrelate(full_world *full, shoal_entity source, full_type relation, shoal_entity target) {
    naive_outcome errors = full_check(full, source);
    errors |= shoal_entity_is_null(target) ? 0 : full_check(full, target);
    if (errors == 0 && full_link_find(full, 0, relation, source, target) != FULL_NONE) {
        errors = full_check_unlink(full, relation, source);
        if (errors == 0) {
            full_unlink(full, relation, source, target);
        }
    }
    return errors;
}

naive_outcome full_order(full_world *full, full_type relation, shoal_entity source, shoal_entity before) {
    naive_outcome errors = full_check(full, source);
    errors |= shoal_entity_is_null(before) ? 0 : full_check(full, before);
    bool exclusive = full_def(relation)->exclusive || full_def(relation)->acyclic;
    errors |= exclusive ? 0 : NAIVE_ERROR(SHOAL_COMPONENT_KIND);
    shoal_entity target = full_target(full, relation, source);
    bool fits = shoal_entity_is_null(before) || shoal_entity_equal(target, full_target(full, relation, before));
    errors |= !fits || shoal_entity_is_null(target) ? NAIVE_ERROR(SHOAL_RELATION_MISSING) : 0;
    if (errors == 0 && !shoal_entity_equal(source, before)) {
        full_link link = link_take(full, full_link_find(full, 0, relation, source, no_entity));
        size_t place =
            shoal_entity_is_null(before) ? full->link_count : full_link_find(full, 0, relation, before, no_entity);
        link_insert(full, place, link);
    }
    return errors;
}

/* ---- trees ---- */

uint32_t full_depth(const full_world *full, full_type relation, shoal_entity entity) {
    uint32_t depth = 0;
    for (shoal_entity at = full_target(full, relation, entity); !shoal_entity_is_null(at); depth++) {
        at = full_target(full, relation, at);
    }
    return depth;
}

static bool is_below(const full_world *full, full_type relation, shoal_entity entity, shoal_entity above) {
    while (!shoal_entity_is_null(entity) && !shoal_entity_equal(entity, above)) {
        entity = full_target(full, relation, entity);
    }
    return !shoal_entity_is_null(entity);
}

size_t full_tree(const full_world *full, shoal_entity root, shoal_entity *nodes, size_t limit) {
    assert_true(limit > 0);
    size_t count = 1;
    nodes[0] = root;
    for (size_t i = full_link_find(full, 0, FULL_CHILD_OF, no_entity, root); i != FULL_NONE;
         i = full_link_find(full, i + 1, FULL_CHILD_OF, no_entity, root)) {
        count += full_tree(full, full->links[i].source, nodes + count, limit - count);
    }
    return count;
}

/* ---- names ---- */

shoal_entity full_named(const full_world *full, shoal_entity parent, const char *name) {
    for (size_t i = 0; i < full->slots.count; i++) {
        shoal_entity entity = full_handle(full, i);
        if (full->slots.states[i].alive && name[0] != '\0' && strcmp(full_slot_at(full, i)->name, name) == 0 &&
            shoal_entity_equal(full_target(full, FULL_CHILD_OF, entity), parent)) {
            return entity;
        }
    }
    return no_entity;
}

/* What keeps an entity from having the name among the children of a parent. */
static naive_outcome name_check(const full_world *full, shoal_entity parent, shoal_entity entity, const char *name) {
    shoal_entity holder = full_named(full, parent, name);
    bool is_free = shoal_entity_is_null(holder) || shoal_entity_equal(holder, entity);
    return is_free ? 0 : NAIVE_ERROR(SHOAL_NAME_TAKEN);
}

naive_outcome full_set_name(full_world *full, shoal_entity entity, const char *name) {
    naive_outcome errors = full_check(full, entity);
    full_slot *slot = full_slot_of(full, entity);
    if (errors == 0 && name != NULL) {
        errors |= slot->dying ? NAIVE_ERROR(SHOAL_ENTITY_DYING) : 0;
        bool invalid = name[0] == '\0' || strchr(name, '/') != NULL;
        errors |= invalid ? NAIVE_ERROR(SHOAL_NAME_INVALID) : 0;
        errors |= name_check(full, full_target(full, FULL_CHILD_OF, entity), entity, name);
    }
    if (errors == 0) {
        memset(slot->name, 0, sizeof slot->name);
        memcpy(slot->name, name != NULL ? name : "", name != NULL ? strlen(name) : 0);
    }
    return errors;
}

naive_outcome full_check_link(const full_world *full, full_type relation, shoal_entity source, shoal_entity target) {
    naive_outcome errors = full_check(full, target);
    const full_slot *target_slot = full_slot_of(full, target);
    errors |= target_slot != NULL && target_slot->dying ? NAIVE_ERROR(SHOAL_ENTITY_DYING) : 0;
    if (full_def(relation)->acyclic && is_below(full, relation, target, source)) {
        errors |= NAIVE_ERROR(SHOAL_RELATION_CYCLE);
    }
    const full_slot *slot = full_slot_of(full, source);
    if (relation == FULL_CHILD_OF && slot != NULL) {
        errors |= name_check(full, target, source, slot->name);
    }
    return errors;
}

naive_outcome full_check_unlink(const full_world *full, full_type relation, shoal_entity source) {
    const full_slot *slot = full_slot_of(full, source);
    bool moves = relation == FULL_CHILD_OF && slot != NULL && full_has(full, source, relation);
    return moves ? name_check(full, no_entity, source, slot->name) : 0;
}

/* ---- destroying ---- */

/* The entities that a call ends, each marked. */
typedef struct full_doom {
    bool *marked; /* a flag for each slot */
    shoal_entity *entities;
    size_t count;
} full_doom;

static void doom_add(const full_world *full, full_doom *doom, shoal_entity entity) {
    size_t index = shoal_entity_index(entity);
    if (!doom->marked[index] && !full_slot_at(full, index)->dying) {
        doom->marked[index] = true;
        doom->entities[doom->count++] = entity;
    }
}

static void doom_spread(const full_world *full, full_doom *doom) {
    for (size_t i = 0; i < doom->count; i++) {
        for (size_t k = 0; k < full->link_count; k++) {
            const full_link *link = &full->links[k];
            bool follows = full_def(link->relation)->on_target_destroyed == SHOAL_TARGET_DESTROY;
            if (follows && shoal_entity_equal(link->target, doom->entities[i])) {
                doom_add(full, doom, link->source);
            }
        }
    }
}

static naive_outcome doom_check(const full_world *full, const full_doom *doom) {
    for (size_t k = 0; k < full->link_count; k++) {
        const full_link *link = &full->links[k];
        if (full_def(link->relation)->on_target_destroyed == SHOAL_TARGET_REFUSE &&
            doom->marked[shoal_entity_index(link->target)] && !doom->marked[shoal_entity_index(link->source)]) {
            return NAIVE_ERROR(SHOAL_TARGET_HELD);
        }
    }
    return 0;
}

static void end_one(full_world *full, shoal_entity entity) {
    for (full_type relation = FULL_OWNER; relation <= FULL_CHILD_OF; relation++) {
        full_unlink(full, relation, entity, no_entity);
        full_unlink(full, relation, no_entity, entity);
    }
    full_slot *slot = full_slot_of(full, entity);
    slot->name[0] = '\0';
    slot->dying = true;
    for (full_type type = 0; type < FULL_ENTITY_COUNT; type++) {
        slot->mask &= full_def(type)->cleanup ? ~(full_mask)0 : ~full_bit(type);
    }
    slot->disabled &= slot->mask;
    full_end_if_done(full, entity);
}

void full_end_if_done(full_world *full, shoal_entity entity) {
    full_slot *slot = full_slot_of(full, entity);
    if (slot->dying && slot->mask == 0) {
        slot->dying = false;
        slots_give_back(&full->slots, entity);
    }
}

naive_outcome full_destroy(full_world *full, const shoal_entity *entities, size_t count) {
    naive_outcome errors = 0;
    for (size_t i = 0; i < count; i++) {
        errors |= full_check(full, entities[i]);
    }
    full_doom doom = {.marked = calloc(full->slots.count + 1, sizeof(bool)),
                      .entities = calloc(full->slots.count + 1, sizeof(shoal_entity))};
    assert_true(doom.marked != NULL && doom.entities != NULL);
    for (size_t i = 0; i < count && errors == 0; i++) {
        doom_add(full, &doom, entities[i]);
    }
    doom_spread(full, &doom);
    errors |= doom_check(full, &doom);
    for (size_t i = 0; i < doom.count && errors == 0; i++) {
        end_one(full, doom.entities[i]);
    }
    free(doom.marked);
    free(doom.entities);
    return errors;
}
