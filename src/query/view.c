/*
 * The cold half of views; the hot half is inline in include/shoal/query.h.
 *
 * Budget of shoal_view_next() there: about 20 instructions and no store outside of the view; a pass over 26 archetypes
 * of 20 rows costs 2 to 3 ns an archetype. It reads matches in order, each archetype's first line, and its chunk refs,
 * never a chunk's header. The asserts here hold its picture of the storage against the storage's own. Thread rule:
 * world.
 */
#include "query.h"

#include <stdio.h>

_Static_assert(sizeof(shoal_view_chunk) == sizeof(chunk_ref) &&
                   offsetof(shoal_view_chunk, bits) == offsetof(chunk_ref, bits) &&
                   offsetof(shoal_view_chunk, offsets) == offsetof(chunk_ref, offsets) &&
                   offsetof(shoal_view_chunk, count) == offsetof(chunk_ref, count),
               "views see chunk refs as they are");
_Static_assert(offsetof(shoal_view_archetype, chunks) == offsetof(shoal_archetype, chunks) &&
                   offsetof(shoal_view_archetype, chunk_count) == offsetof(shoal_archetype, chunk_count),
               "views see the head of an archetype as it is");
_Static_assert(sizeof(shoal_view_match) == offsetof(query_match, columns), "views see matches as they are");
_Static_assert(sizeof(shoal_view_lock) == sizeof(world_lock) &&
                   offsetof(shoal_view_lock, count) == offsetof(world_lock, count) &&
                   offsetof(shoal_view_lock, is_shared) == offsetof(world_lock, is_shared),
               "views see the world's lock as it is");
_Static_assert(INDEX_CHUNK_LOW_MASK == 15 && SHOAL_CHUNK_HEADER_BYTES == 64 && ARCHETYPE_NONE == SHOAL_NO_COLUMN,
               "views have these as plain numbers");

shoal_status shoal_view_begin_failed(void) {
    return error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, "shoal_view_begin");
}

/* The terms of a query that give data are asked for when a view of it begins. */
static void terms_note(const query_data *query) {
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        bool gives_data = term->access != SHOAL_ACCESS_WITH && term->access != SHOAL_ACCESS_WITHOUT;
        if (gives_data && term->type->def.size != 0) {
            world_note_access(query->world, term->component, access_writes(term->access), "shoal_view_begin");
        }
        if (term->traverse != SHOAL_TRAVERSE_SELF) {
            world_note_access(query->world, (shoal_component){term->along}, false, "shoal_view_begin");
        }
    }
}

COLD shoal_view_lock *shoal_view_thread_lock(shoal_query *query) {
    query_data *data = query_of(query);
    world_scope *scope = world_scope_of(data->world);
    if (scope == NULL) {
        (void)world_fail_shared(data->world, "shoal_view_begin");
        return NULL;
    }
    if (scope->own_query != query) {
        terms_note(data);
    }
    return (shoal_view_lock *)(void *)&scope->lock;
}

/* Why the query has no such column to give. */
static shoal_status refusal(const query_data *query, shoal_component component) {
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        if (term->component.id == component.id && term->access != SHOAL_ACCESS_WITHOUT &&
            term->traverse == SHOAL_TRAVERSE_SELF) {
            bool is_elsewhere = term->type->def.storage != SHOAL_STORAGE_TABLE && term->access != SHOAL_ACCESS_WITH;
            return query_term_has_column(term) ? SHOAL_TERM_READ_ONLY
                   : is_elsewhere              ? SHOAL_COMPONENT_KIND
                                               : SHOAL_TERM_WITHOUT_DATA;
        }
    }
    return SHOAL_TERM_MISSING;
}

/* What a message calls a component: its name, or the number that is none. */
typedef struct component_text {
    char number[16];
} component_text;

static const char *component_text_of(shoal_component component, component_text *text) {
    const component_type *type = component_type_find(component.id);
    (void)snprintf(text->number, sizeof text->number, "%u", (unsigned)component.id);
    return type != NULL ? type->def.name : component.id == 0 ? "null" : text->number;
}

COLD void *shoal_view_refuse(const shoal_query *query, bool is_on_chunk, shoal_component component, bool for_write) {
    static const char *const calls[] = {"shoal_view_read", "shoal_view_write"};
    if (query == NULL) {
        error_component(error_thread_record(), SHOAL_TERM_MISSING, calls[for_write], (shoal_entity){0}, component);
        return NULL;
    }
    const query_data *data = query_of_const(query);
    const component_type *type = component_type_find(component.id);
    component_text text;
    shoal_status status = type == NULL   ? SHOAL_COMPONENT_INVALID
                          : !is_on_chunk ? SHOAL_TERM_MISSING
                                         : refusal(data, component);
    error_detail(world_error(data->world), status, calls[for_write], "component %s, query \"%s\"%s",
                 component_text_of(component, &text), query->name,
                 status == SHOAL_TERM_READ_ONLY   ? "; declare it with SHOAL_WRITE"
                 : status == SHOAL_COMPONENT_KIND ? "; it has no column: see shoal_view_get(), _one() and _buffer()"
                                                  : "");
    return NULL;
}

/* ---- what has no column ---- */

static void *view_fail(shoal_view_place place, shoal_status status, const char *call, shoal_component component) {
    error_record *record =
        place.query != NULL ? world_error(query_of_const(place.query)->world) : error_thread_record();
    component_text text;
    error_detail(record, status, call, "component %s, query \"%s\"", component_text_of(component, &text),
                 place.query != NULL ? place.query->name : "");
    return NULL;
}

/* The term of a query on the entity's own component that gives data; NULL with the status why there is none. */
static const query_term *term_for(shoal_view_place place, shoal_component component, bool for_write,
                                  shoal_status *why) {
    const query_data *query = query_of_const(place.query);
    *why = component_type_find(component.id) == NULL ? SHOAL_COMPONENT_INVALID : SHOAL_TERM_MISSING;
    for (size_t i = 0; place.query != NULL && place.is_on_chunk && i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        if (term->component.id != component.id || term->access == SHOAL_ACCESS_WITHOUT ||
            term->traverse != SHOAL_TRAVERSE_SELF) {
            continue;
        }
        if (term->access == SHOAL_ACCESS_WITH || term->type->def.size == 0) {
            *why = SHOAL_TERM_WITHOUT_DATA;
        } else if (for_write && !access_writes(term->access)) {
            *why = term->type->def.storage == SHOAL_STORAGE_SHARED ? SHOAL_COMPONENT_KIND : SHOAL_TERM_READ_ONLY;
        } else {
            return term;
        }
    }
    return NULL;
}

/* Where the view's rows are, as the storage says it. */
static row_place place_of_row(shoal_view_place place, size_t row) {
    const query_match *match = (const query_match *)(const void *)place.match;
    const shoal_chunk *chunk = (const shoal_chunk *)(const void *)place.base;
    return (row_place){.archetype = match->archetype,
                       .chunk = (uintptr_t)place.base | (chunk->pool - match->archetype->first_pool),
                       .row = (uint32_t)(place.first + row)};
}

/* The value of one row, or NULL where it is not there. */
static void *term_value(shoal_view_place place, const query_term *term, size_t row, bool for_write) {
    const shoal_world *world = query_of_const(place.query)->world;
    shoal_entity entity = place.entities[row];
    if (term->type->def.storage == SHOAL_STORAGE_SPARSE) {
        const sparse_set *set = store_sparse(world, term->component.id);
        uint32_t number = set != NULL ? sparse_number(set, entity) : UINT32_MAX;
        return number != UINT32_MAX ? sparse_value(set, number) : NULL;
    }
    if (term->type->def.storage == SHOAL_STORAGE_RELATION) {
        const relation_store *store = store_relation(world, term->component.id);
        relation_link *link = store != NULL ? relation_find(store, entity, term->target) : NULL;
        return link != NULL ? relation_link_data(store, link) : NULL;
    }
    if (term->type->def.storage == SHOAL_STORAGE_UNIQUE) {
        unique_entry *entry = unique_find(&world->uniques, term->component.id);
        if (entry != NULL && for_write) {
            entry->tick = world->tick;
        }
        return entry != NULL ? entry->value : NULL;
    }
    row_place at = place_of_row(place, row);
    return archetype_find(at.archetype, term->component.id) != ARCHETYPE_NONE ? row_value(at, term->type) : NULL;
}

void *shoal_view_value(shoal_view_place place, shoal_component component, size_t row, bool for_write) {
    const char *call = for_write ? "shoal_view_get_mut" : "shoal_view_get";
    shoal_status why = SHOAL_OK;
    const query_term *term = term_for(place, component, for_write, &why);
    if (term == NULL) {
        return view_fail(place, why, call, component);
    }
    if (row >= place.count || term->type->def.storage == SHOAL_STORAGE_BUFFER) {
        return view_fail(place, row >= place.count ? SHOAL_INVALID_ARGUMENT : SHOAL_COMPONENT_KIND, call, component);
    }
    return term_value(place, term, row, for_write);
}

void *shoal_view_single(shoal_view_place place, shoal_component component, bool for_write) {
    const char *call = for_write ? "shoal_view_one_mut" : "shoal_view_one";
    shoal_status why = SHOAL_OK;
    const query_term *term = term_for(place, component, for_write, &why);
    if (term == NULL) {
        return view_fail(place, why, call, component);
    }
    shoal_storage storage = term->type->def.storage;
    if (storage != SHOAL_STORAGE_SHARED && storage != SHOAL_STORAGE_CHUNK && storage != SHOAL_STORAGE_UNIQUE) {
        return view_fail(place, SHOAL_COMPONENT_KIND, call, component);
    }
    return term_value(place, term, 0, for_write);
}

const void *const *shoal_view_ancestors(shoal_view_place place, shoal_component component) {
    const query_data *query = query_of_const(place.query);
    size_t number = 0;
    for (size_t i = 0; place.query != NULL && place.is_on_chunk && i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        if (!query_term_looks_up(term)) {
            continue;
        }
        if (term->component.id == component.id) {
            const query_run *run = (const query_run *)query->order.runs.items + place.run;
            return (const void *const *)query->order.ancestors.items + number * (size_t)query->order.row_count +
                   run->start;
        }
        number++;
    }
    return view_fail(place, component_type_find(component.id) == NULL ? SHOAL_COMPONENT_INVALID : SHOAL_TERM_MISSING,
                     "shoal_view_up", component);
}

shoal_buffer shoal_view_cell(shoal_view_place place, shoal_component component, size_t row) {
    static const char call[] = "shoal_view_buffer";
    const shoal_buffer none = {0};
    shoal_status why = SHOAL_OK;
    const query_term *term = term_for(place, component, false, &why);
    if (term == NULL || row >= place.count || term->type->def.storage != SHOAL_STORAGE_BUFFER) {
        why = term == NULL ? why : row >= place.count ? SHOAL_INVALID_ARGUMENT : SHOAL_COMPONENT_KIND;
        (void)view_fail(place, why, call, component);
        return none;
    }
    void *cell = term_value(place, term, row, true);
    shoal_buffer buffer = {query_of_const(place.query)->world, term->type, cell};
    return cell != NULL ? buffer : none;
}

bool shoal_view_bit(shoal_view_place place, shoal_component component, size_t row) {
    if (place.query == NULL || !place.is_on_chunk || row >= place.count) {
        return false;
    }
    row_place at = place_of_row(place, row);
    uint32_t toggle = archetype_toggle(at.archetype, component.id);
    if (toggle == ARCHETYPE_NONE) {
        const component_type *type = component_type_find(component.id);
        return type != NULL && store_entity_has(query_of_const(place.query)->world, place.entities[row], type);
    }
    return (archetype_bits(at.archetype, at.chunk, toggle)[at.row / 64] >> (at.row % 64)) & 1;
}

uint64_t shoal_view_group_of(shoal_view_place place) {
    const query_data *query = query_of_const(place.query);
    bool has_group = place.query != NULL && place.is_on_chunk && query->order.group_by != NULL;
    return has_group ? ((const query_run *)query->order.runs.items + place.run)->group : 0;
}
