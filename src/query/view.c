/*
 * Views: the loop over the chunks of a query's archetypes.
 *
 * Budget of shoal_view_next(): about 20 instructions and no store outside of the view; a pass over 26 archetypes of 20
 * rows costs 2 to 3 ns an archetype. It reads matches in order, each archetype's first line, and its chunk refs, never
 * a chunk's header. Thread rule: world.
 */
#include "query.h"

static const char begin_call[] = "shoal_view_begin";

shoal_status shoal_view_begin(shoal_view *view, shoal_query *query) {
    if (UNLIKELY(view == NULL) || UNLIKELY(query == NULL)) {
        if (view != NULL) {
            *view = (shoal_view){0};
        }
        return query != NULL ? world_fail(query->world, SHOAL_INVALID_ARGUMENT, begin_call)
                             : error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, begin_call);
    }
    view->count = 0;
    view->read_keys_ = query->read_keys;
    view->write_keys_ = query->write_keys;
    view->term_count_ = 0; /* no columns before the first chunk */
    view->chunk_ = NULL;
    view->chunk_end_ = NULL;
    view->match_ = query->matches;
    view->match_end_ = query->matches + query->match_count * query->match_stride;
    view->query_ = query;
    view->outer_ = world_lock_enter(query->world, query->name).outer;
    return SHOAL_OK;
}

void shoal_view_end(shoal_view *view) {
    if (view == NULL || view->query_ == NULL) {
        return;
    }
    world_lock_leave(view->query_->world, (world_lock){.outer = view->outer_});
    view->count = 0;
    view->term_count_ = 0;
    view->chunk_ = view->chunk_end_ = NULL;
    view->match_ = view->match_end_ = NULL;
    view->query_ = NULL;
}

bool shoal_view_next(shoal_view *view) {
    const chunk_ref *ref = view->chunk_;
    if (ref == view->chunk_end_) {
        const char *match = view->match_;
        const shoal_archetype *archetype;
        do {
            if (match == view->match_end_) {
                shoal_view_end(view);
                return false;
            }
            archetype = ((const query_match *)(const void *)match)->archetype;
            view->columns_ = ((const query_match *)(const void *)match)->columns;
            match += view->query_->match_stride;
        } while (archetype->chunk_count == 0);
        view->match_ = match;
        ref = archetype->chunks;
        view->chunk_end_ = ref + archetype->chunk_count;
        view->term_count_ = view->query_->data_count;
    }
    view->chunk_ = ref + 1;
    view->base_ = chunk_base(ref);
    view->offsets_ = ref->offsets;
    view->count = ref->count;
    view->entities = chunk_entities(ref);
    return true;
}

/* Why the query has no such column to give. */
static shoal_status refusal(const shoal_query *query, shoal_component component) {
    for (size_t i = 0; i < query->term_count; i++) {
        const shoal_term *term = &query->terms[i];
        if (term->component.id == component.id && term->access != SHOAL_ACCESS_WITHOUT) {
            return query_term_has_data(term) ? SHOAL_TERM_READ_ONLY : SHOAL_TERM_WITHOUT_DATA;
        }
    }
    return SHOAL_TERM_MISSING;
}

COLD void *shoal_view_refuse(const shoal_view *view, shoal_component component, bool for_write) {
    static const char *const calls[] = {"shoal_view_read", "shoal_view_write"};
    if (view == NULL || view->query_ == NULL) {
        error_component(error_thread_record(), SHOAL_TERM_MISSING, calls[for_write], (shoal_entity){0}, component);
        return NULL;
    }
    shoal_query *query = view->query_;
    const component_type *type = component_type_find(component.id);
    shoal_status status = type == NULL             ? SHOAL_COMPONENT_INVALID
                          : view->term_count_ == 0 ? SHOAL_TERM_MISSING
                                                   : refusal(query, component);
    error_detail(&query->world->error, status, calls[for_write], "component %s, query \"%s\"%s",
                 type != NULL ? type->def.name : "null", query->name,
                 status == SHOAL_TERM_READ_ONLY ? "; declare it with SHOAL_WRITE" : "");
    return NULL;
}
