/*
 * Row filters: which of 64 rows match the terms that look at rows.
 *
 * Enable bits are read as words. Whether a sparse set or a relation has a row's entity is asked for each row that is
 * still in question, so the terms that are cheap to ask come to bear first: bits, then the others in the order of the
 * query. Thread rule: read.
 */
#include "query.h"

typedef struct filter_rows {
    const query_data *query;
    const shoal_archetype *archetype;
    const chunk_ref *ref;
    size_t word;
} filter_rows;

/* ---- one entity ---- */

/* Whether an entity's own component is as a term wants it. */
static bool entity_satisfies(const shoal_world *world, const query_term *term, shoal_entity entity) {
    if (term->type->def.storage == SHOAL_STORAGE_RELATION && !shoal_entity_is_null(term->target)) {
        const relation_store *store = store_relation(world, term->component.id);
        return store != NULL && relation_find(store, entity, term->target) != NULL;
    }
    if (!store_entity_has(world, entity, term->type)) {
        return false;
    }
    if (!term->type->def.toggle || term->state == SHOAL_STATE_EITHER) {
        return true;
    }
    row_place place = row_of(world, index_find(&world->index, entity));
    uint32_t toggle = archetype_toggle(place.archetype, term->component.id);
    bool enabled = (archetype_bits(place.archetype, place.chunk, toggle)[place.row / 64] >> (place.row % 64)) & 1;
    return enabled == (term->state == SHOAL_STATE_ENABLED);
}

const void *query_ancestor_value(const shoal_world *world, const query_term *term, shoal_entity entity, bool *has) {
    const relation_store *store = store_relation(world, term->along);
    shoal_entity ancestor = store != NULL ? relation_target(store, entity) : (shoal_entity){0};
    *has = false;
    while (!shoal_entity_is_null(ancestor) && !(*has = entity_satisfies(world, term, ancestor))) {
        ancestor = relation_target(store, ancestor);
    }
    return *has ? store_entity_value(world, ancestor, term->type) : NULL;
}

/* Whether some descendant of an entity has the component. */
static bool descendant_has(const shoal_world *world, const query_term *term, shoal_entity entity) {
    const relation_store *store = store_relation(world, term->along);
    shoal_entity at = entity;
    while (store != NULL && relation_tree_next(store, entity, &at)) {
        if (entity_satisfies(world, term, at)) {
            return true;
        }
    }
    return false;
}

static bool entity_has(const query_data *query, const query_term *term, shoal_entity entity) {
    const shoal_world *world = query->world;
    bool has = false;
    if (term->traverse == SHOAL_TRAVERSE_UP) {
        (void)query_ancestor_value(world, term, entity, &has);
        return has;
    }
    if (term->traverse == SHOAL_TRAVERSE_DOWN) {
        return descendant_has(world, term, entity);
    }
    if (term->type->def.storage == SHOAL_STORAGE_RELATION) {
        const relation_store *store = store_relation(world, term->component.id);
        return store != NULL && relation_find(store, entity, term->target) != NULL;
    }
    const sparse_set *set = store_sparse(world, term->component.id);
    return set != NULL && sparse_number(set, entity) != UINT32_MAX;
}

/* ---- 64 rows ---- */

static uint64_t entities_with(const filter_rows *rows, const query_term *term, uint64_t candidates) {
    const shoal_entity *entities = chunk_entities(rows->ref) + rows->word * 64;
    uint64_t found = 0;
    for (uint64_t left = candidates; left != 0; left &= left - 1) {
        uint32_t row = bit_lowest(left);
        found |= (uint64_t)entity_has(rows->query, term, entities[row]) << row;
    }
    return found;
}

/* The rows, out of the candidates, for which what a term names is there. */
static uint64_t rows_with(const filter_rows *rows, const query_term *term, uint64_t candidates) {
    if (candidates == 0) {
        return 0;
    }
    if (term->traverse != SHOAL_TRAVERSE_SELF) {
        return entities_with(rows, term, candidates);
    }
    if (term->type->def.storage == SHOAL_STORAGE_UNIQUE) {
        return unique_find(&rows->query->world->uniques, term->component.id) != NULL ? candidates : 0;
    }
    if (!term->type->in_set) {
        return entities_with(rows, term, candidates);
    }
    if (archetype_find(rows->archetype, term->component.id) == ARCHETYPE_NONE) {
        return 0;
    }
    if (term->shared_number != SHARED_NONE) {
        uint32_t number = archetype_shared_number(rows->archetype, term->component.id);
        return rows->archetype->more->shared[number].key == term->shared_number ? candidates : 0;
    }
    if (!shoal_entity_is_null(term->target)) { /* of a split relation */
        uint32_t number = archetype_shared_number(rows->archetype, term->component.id);
        return rows->archetype->more->shared[number].key == term->target.bits ? candidates : 0;
    }
    if (!term->type->def.toggle || term->state == SHOAL_STATE_EITHER) {
        return candidates;
    }
    uint32_t toggle = archetype_toggle(rows->archetype, term->component.id);
    uint64_t bits = archetype_bits(rows->archetype, rows->ref->bits, toggle)[rows->word];
    return candidates & (term->state == SHOAL_STATE_ENABLED ? bits : ~bits);
}

/* The rows that an any group lets through: those for which one of its terms is there. */
static uint64_t rows_of_group(const filter_rows *rows, size_t number, uint64_t candidates) {
    uint64_t found = 0;
    for (size_t i = 0; i < rows->query->term_count; i++) {
        const query_term *term = &rows->query->terms[i];
        if (!access_is_any(term->access) || term->group != rows->query->terms[number].group) {
            continue;
        }
        if (i < number) {
            return candidates; /* its first term has answered for it */
        }
        found |= rows_with(rows, term, candidates & ~found);
    }
    return found;
}

static bool term_is_cheap(const query_term *term) {
    return term->traverse == SHOAL_TRAVERSE_SELF && term->type->in_set && !access_is_any(term->access);
}

uint64_t query_filter_word(const query_data *query, const shoal_archetype *archetype, const chunk_ref *ref, size_t word,
                           uint64_t candidates) {
    filter_rows rows = {.query = query, .archetype = archetype, .ref = ref, .word = word};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < query->term_count && candidates != 0; i++) {
            const query_term *term = &query->terms[i];
            if (term_is_cheap(term) != (pass == 0)) {
                continue;
            }
            if (access_is_any(term->access)) {
                candidates = rows_of_group(&rows, i, candidates);
            } else if (access_is_required(term->access)) {
                candidates = rows_with(&rows, term, candidates);
            } else if (term->access == SHOAL_ACCESS_WITHOUT) {
                candidates &= ~rows_with(&rows, term, candidates);
            }
        }
    }
    return candidates;
}

bool query_gate_is_open(const query_data *query) {
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        bool is_without = term->access == SHOAL_ACCESS_WITHOUT;
        if (term->type->def.storage == SHOAL_STORAGE_UNIQUE && (is_without || access_is_required(term->access)) &&
            (unique_find(&query->world->uniques, term->component.id) != NULL) == is_without) {
            return false;
        }
    }
    return true;
}
