/*
 * Queries: checking terms, matching, the cache. See query.h.
 */
#include "query.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 255
#define NO_KEY UINT32_MAX /* what no component has, the null one either */

/* ---- terms ---- */

static const char *const access_names[] = {"",         "read",           "write", "with",     "without",
                                           "optional", "optional write", "any",   "any write"};

static bool access_writes(shoal_access access) {
    return access == SHOAL_ACCESS_WRITE || access == SHOAL_ACCESS_OPTIONAL_WRITE || access == SHOAL_ACCESS_ANY_WRITE;
}

static bool access_is_any(shoal_access access) {
    return access == SHOAL_ACCESS_ANY_READ || access == SHOAL_ACCESS_ANY_WRITE;
}

static bool access_is_required(shoal_access access) {
    return access == SHOAL_ACCESS_READ || access == SHOAL_ACCESS_WRITE || access == SHOAL_ACCESS_WITH;
}

bool query_term_has_data(const shoal_term *term) {
    return term->access != SHOAL_ACCESS_WITH && term->access != SHOAL_ACCESS_WITHOUT &&
           component_type_at(term->component.id)->def.size != 0;
}

/* An any term may name a tag, which is there or not; every other access to data needs data. */
static bool access_fits(const shoal_term *term, const component_type *type) {
    return type->def.size != 0 || term->access == SHOAL_ACCESS_WITH || term->access == SHOAL_ACCESS_WITHOUT ||
           term->access == SHOAL_ACCESS_ANY_READ;
}

static shoal_status terms_check(shoal_world *world, const shoal_query_def *def) {
    static const char call[] = "shoal_query_create";
    error_record *error = &world->error;
    if (def->term_count > shoal_limits_get().query_terms || (def->term_count != 0 && def->terms == NULL)) {
        return error_detail(error, SHOAL_INVALID_ARGUMENT, call, "%zu terms", def->term_count);
    }
    for (size_t i = 0; i < def->term_count; i++) {
        const shoal_term *term = &def->terms[i];
        const component_type *type = component_type_find(term->component.id);
        if (type == NULL) {
            return error_detail(
                error, SHOAL_COMPONENT_INVALID, call, "term %zu has component id %u%s", i, term->component.id,
                term->component.id == 0 ? "; if its type was refused, shoal_last_error(NULL) says why" : "");
        }
        if (term->access <= SHOAL_ACCESS_NONE || term->access > SHOAL_ACCESS_ANY_WRITE) {
            return error_detail(error, SHOAL_TERM_INVALID, call, "term %zu (%s) has no access", i, type->def.name);
        }
        if (!access_fits(term, type)) {
            return error_detail(error, SHOAL_TERM_INVALID, call,
                                "term %zu asks for \"%s\" data of %s, which is a tag; use with or without", i,
                                access_names[term->access], type->def.name);
        }
        for (size_t k = 0; k < i; k++) {
            if (def->terms[k].component.id == term->component.id) {
                return error_detail(error, SHOAL_TERM_INVALID, call, "terms %zu (%s) and %zu (%s) both name %s", k,
                                    access_names[def->terms[k].access], i, access_names[term->access], type->def.name);
            }
        }
    }
    return SHOAL_OK;
}

/* ---- matching ---- */

/* True unless `number` is the first term of an any group of which the archetype has nothing. */
static bool group_is_met(const query_data *query, size_t number, const shoal_archetype *archetype) {
    uint32_t group = query->terms[number].group;
    for (size_t i = 0; i < query->term_count; i++) {
        const shoal_term *term = &query->terms[i];
        if (!access_is_any(term->access) || term->group != group) {
            continue;
        }
        if (i < number || archetype_find(archetype, term->component.id) != ARCHETYPE_NONE) {
            return true; /* an earlier term of the group has answered for it already */
        }
    }
    return false;
}

bool query_accepts(const query_data *query, const shoal_archetype *archetype) {
    if ((archetype->signature & query->required) != query->required) {
        return false;
    }
    for (size_t i = 0; i < query->term_count; i++) {
        const shoal_term *term = &query->terms[i];
        if (access_is_any(term->access)) {
            if (!group_is_met(query, i, archetype)) {
                return false;
            }
        } else if (access_is_required(term->access) || term->access == SHOAL_ACCESS_WITHOUT) {
            bool has = archetype_find(archetype, term->component.id) != ARCHETYPE_NONE;
            if (has == (term->access == SHOAL_ACCESS_WITHOUT)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the cache ---- */

static shoal_status matches_reserve(query_data *query, size_t needed) {
    shoal_status status = memory_array_reserve(&query->world->memory, SHOAL_PURPOSE_QUERY, &query->matches, needed + 2,
                                               query->head.match_stride);
    query->head.matches = query->matches.items;
    return status;
}

/* The empty match behind the last one. */
static void matches_end(query_data *query) {
    query_match_at(query, query->match_count)->archetype = NULL;
}

static void matches_append(query_data *query, shoal_archetype *archetype) {
    query_match *match = query_match_at(query, query->match_count++);
    query->head.match_bytes += query->head.match_stride;
    match->archetype = archetype;
    for (size_t i = 0; i < query->head.data_count; i++) {
        match->columns[i] = (uint16_t)archetype_find(archetype, query->read_keys[i]);
    }
    matches_end(query);
}

static query_data *watcher_query(archetype_watcher *watcher) {
    return (query_data *)(void *)((char *)watcher - offsetof(query_data, watcher));
}

static shoal_status watch_prepare(archetype_watcher *watcher, const shoal_archetype *archetype) {
    query_data *query = watcher_query(watcher);
    return query_accepts(query, archetype) ? matches_reserve(query, query->match_count + 1) : SHOAL_OK;
}

static void watch_commit(archetype_watcher *watcher, shoal_archetype *archetype) {
    query_data *query = watcher_query(watcher);
    if (query_accepts(query, archetype)) {
        matches_append(query, archetype);
    }
}

static void watch_forget(archetype_watcher *watcher, const shoal_archetype *archetype) {
    query_data *query = watcher_query(watcher);
    for (size_t i = 0; i < query->match_count; i++) {
        if (query_match_at(query, i)->archetype == archetype) {
            query->match_count--;
            query->head.match_bytes -= query->head.match_stride;
            memmove(query_match_at(query, i), query_match_at(query, i + 1),
                    (query->match_count - i) * query->head.match_stride);
            matches_end(query);
            return;
        }
    }
}

static bool watch_validate(archetype_watcher *watcher, char *reason, size_t reason_size) {
    const query_data *query = watcher_query(watcher);
    size_t number = 0;
    for (uint32_t age = 0; age < query->world->archetype_count; age++) {
        const shoal_archetype *archetype = query->world->by_age[age];
        bool listed = number < query->match_count && query_match_at(query, number)->archetype == archetype;
        if (listed != query_accepts(query, archetype)) {
            (void)snprintf(reason, reason_size, "query \"%s\": archetype %u is %s but does%s match", query->head.name,
                           archetype->index, listed ? "listed" : "not listed", listed ? " not" : "");
            return false;
        }
        for (size_t i = 0; listed && i < query->head.data_count; i++) {
            if (query_match_at(query, number)->columns[i] != archetype_find(archetype, query->read_keys[i])) {
                (void)snprintf(reason, reason_size, "query \"%s\": column of term %zu is wrong", query->head.name, i);
                return false;
            }
        }
        number += listed;
    }
    if (number != query->match_count || query->head.match_bytes != number * query->head.match_stride) {
        (void)snprintf(reason, reason_size, "query \"%s\" lists an archetype that is gone", query->head.name);
        return false;
    }
    return true;
}

static void query_free(query_data *query) {
    shoal_memory *memory = &query->world->memory;
    memory_array_release(memory, SHOAL_PURPOSE_QUERY, &query->matches, query->head.match_stride);
    memory_release(memory, SHOAL_PURPOSE_QUERY, query, query->block_bytes, 16);
}

static void watch_end(archetype_watcher *watcher) {
    query_free(watcher_query(watcher));
}

/* ---- creation ---- */

/* The default name: the terms in words, cut where it gets too long. */
static void name_from_terms(const shoal_query_def *def, char *name, size_t size) {
    size_t used = 0;
    name[0] = '\0';
    for (size_t i = 0; i < def->term_count && used + 1 < size; i++) {
        int written =
            snprintf(name + used, size - used, "%s%s %s", i > 0 ? ", " : "", access_names[def->terms[i].access],
                     component_type_at(def->terms[i].component.id)->def.name);
        used += written > 0 ? (size_t)written : 0;
    }
    if (def->term_count == 0) {
        (void)snprintf(name, size, "everything");
    }
}

/* One block: the struct, the terms, the keys, the name. */
static query_data *block_make(shoal_world *world, const shoal_query_def *def, const char *name) {
    size_t name_bytes = strlen(name) + 1;
    size_t bytes = sizeof(query_data) + def->term_count * (sizeof(shoal_term) + 2 * sizeof(uint32_t)) + name_bytes;
    query_data *query = memory_allocate_zero(&world->memory, SHOAL_PURPOSE_QUERY, bytes, 16);
    if (query == NULL) {
        return NULL;
    }
    query->world = world;
    query->block_bytes = bytes;
    query->term_count = def->term_count;
    query->terms = (shoal_term *)(void *)(query + 1);
    query->read_keys = (uint32_t *)(void *)(query->terms + def->term_count);
    query->write_keys = query->read_keys + def->term_count;
    char *own_name = (char *)(query->write_keys + def->term_count);
    memcpy(own_name, name, name_bytes);
    query->head = (shoal_query){.lock = (shoal_view_lock *)(void *)&world->lock,
                                .name = own_name,
                                .read_keys = query->read_keys,
                                .write_keys = query->write_keys};
    query->watcher = (archetype_watcher){.prepare = watch_prepare,
                                         .commit = watch_commit,
                                         .forget = watch_forget,
                                         .validate = watch_validate,
                                         .end = watch_end};
    return query;
}

static void terms_copy(query_data *query, const shoal_query_def *def) {
    size_t data_count = 0;
    for (size_t i = 0; i < def->term_count; i++) {
        const shoal_term *term = &def->terms[i];
        query->terms[i] = *term;
        if (access_is_required(term->access)) {
            query->required |= UINT64_C(1) << (term->component.id % 64);
        }
        if (query_term_has_data(term)) {
            query->read_keys[data_count] = term->component.id;
            query->write_keys[data_count] = access_writes(term->access) ? term->component.id : NO_KEY;
            data_count++;
        }
    }
    query->head.data_count = data_count;
    query->head.match_stride = align_up(sizeof(query_match) + data_count * sizeof(uint16_t), _Alignof(query_match));
}

static shoal_status match_all(query_data *query) {
    shoal_world *world = query->world;
    shoal_status status = matches_reserve(query, 0);
    if (status != SHOAL_OK) {
        return status;
    }
    matches_end(query);
    for (uint32_t age = 0; age < world->archetype_count; age++) {
        if (query_accepts(query, world->by_age[age])) {
            status = matches_reserve(query, query->match_count + 1);
            if (status != SHOAL_OK) {
                return status;
            }
            matches_append(query, world->by_age[age]);
        }
    }
    return SHOAL_OK;
}

shoal_query *shoal_query_create(shoal_world *world, const shoal_query_def *def) {
    if (world == NULL || def == NULL) {
        world_fail(world, SHOAL_INVALID_ARGUMENT, "shoal_query_create");
        return NULL;
    }
    if (terms_check(world, def) != SHOAL_OK) {
        return NULL;
    }
    char name[NAME_MAX_BYTES + 1];
    if (def->name != NULL) {
        (void)snprintf(name, sizeof name, "%s", def->name);
    } else {
        name_from_terms(def, name, sizeof name);
    }
    query_data *query = block_make(world, def, name);
    if (query == NULL) {
        world_fail(world, world->memory.failure, "shoal_query_create");
        return NULL;
    }
    terms_copy(query, def);
    if (match_all(query) != SHOAL_OK) {
        query_free(query);
        world_fail(world, world->memory.failure, "shoal_query_create");
        return NULL;
    }
    world_add_watcher(world, &query->watcher);
    return &query->head;
}

shoal_status shoal_query_destroy(shoal_query *query) {
    if (query == NULL) {
        return SHOAL_OK;
    }
    shoal_world *world = query_of(query)->world;
    if (world_is_locked(world)) {
        return world_fail_locked(world, "shoal_query_destroy");
    }
    world_remove_watcher(world, &query_of(query)->watcher);
    query_free(query_of(query));
    return SHOAL_OK;
}

/* ---- asking ---- */

const char *shoal_query_name(const shoal_query *query) {
    return query != NULL ? query->name : "";
}

uint64_t shoal_query_count(const shoal_query *query) {
    uint64_t count = 0;
    for (size_t i = 0; query != NULL && i < query_of_const(query)->match_count; i++) {
        count += query_match_at(query_of_const(query), i)->archetype->row_count;
    }
    return count;
}

size_t shoal_query_archetype_count(const shoal_query *query) {
    return query != NULL ? query_of_const(query)->match_count : 0;
}

bool shoal_query_matches(const shoal_query *query, shoal_entity entity) {
    if (query == NULL) {
        return false;
    }
    const shoal_world *world = query_of_const(query)->world;
    const index_record *record = index_find(&world->index, entity);
    return record != NULL && query_accepts(query_of_const(query), world->archetypes[index_archetype(record->place)]);
}
