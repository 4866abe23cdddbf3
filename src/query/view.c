/*
 * The cold half of views; the hot half is inline in include/shoal/query.h.
 *
 * Budget of shoal_view_next() there: about 20 instructions and no store outside of the view; a pass over 26 archetypes
 * of 20 rows costs 2 to 3 ns an archetype. It reads matches in order, each archetype's first line, and its chunk refs,
 * never a chunk's header. The asserts here hold its picture of the storage against the storage's own. Thread rule:
 * world.
 */
#include "query.h"

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
                   offsetof(shoal_view_lock, count) == offsetof(world_lock, count),
               "views see the world's lock as it is");
_Static_assert(INDEX_CHUNK_LOW_MASK == 15 && SHOAL_CHUNK_HEADER_BYTES == 64 && ARCHETYPE_NONE == SHOAL_NO_COLUMN,
               "views have these as plain numbers");

shoal_status shoal_view_begin_failed(void) {
    return error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, "shoal_view_begin");
}

/* Why the query has no such column to give. */
static shoal_status refusal(const query_data *query, shoal_component component) {
    for (size_t i = 0; i < query->term_count; i++) {
        const shoal_term *term = &query->terms[i];
        if (term->component.id == component.id && term->access != SHOAL_ACCESS_WITHOUT) {
            return query_term_has_data(term) ? SHOAL_TERM_READ_ONLY : SHOAL_TERM_WITHOUT_DATA;
        }
    }
    return SHOAL_TERM_MISSING;
}

COLD void *shoal_view_refuse(const shoal_query *query, bool is_on_chunk, shoal_component component, bool for_write) {
    static const char *const calls[] = {"shoal_view_read", "shoal_view_write"};
    if (query == NULL) {
        error_component(error_thread_record(), SHOAL_TERM_MISSING, calls[for_write], (shoal_entity){0}, component);
        return NULL;
    }
    const query_data *data = query_of_const(query);
    const component_type *type = component_type_find(component.id);
    shoal_status status = type == NULL   ? SHOAL_COMPONENT_INVALID
                          : !is_on_chunk ? SHOAL_TERM_MISSING
                                         : refusal(data, component);
    error_detail(&data->world->error, status, calls[for_write], "component %s, query \"%s\"%s",
                 type != NULL ? type->def.name : "null", query->name,
                 status == SHOAL_TERM_READ_ONLY ? "; declare it with SHOAL_WRITE" : "");
    return NULL;
}
