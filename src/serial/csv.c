/*
 * Rows as CSV, after RFC 4180: one line for each row, in the order in which a query visits them.
 *
 *     entity,Position.x,Position.y,Name.text,Frozen CRLF
 *     4:0@1,1.5,-2,"comma, quote "" and line break",1 CRLF
 *
 * The head and every row come from the same walk over the same sources, so all lines have the same number of fields. A
 * component that an archetype does not have leaves its fields empty; a tag is 1 or 0.
 *
 * The world is locked meanwhile, so that the writer cannot change what is being written. Allocates nothing.
 * Thread rule: world.
 */
#include <string.h>

#include "../query/query.h"
#include "field.h"

/* Where the columns come from: the terms of a query, or a list of components. */
typedef struct csv_source {
    const query_term *terms; /* NULL: components */
    const shoal_component *components;
    size_t count;
} csv_source;

/* ---- columns ---- */

static bool term_is_shown(const query_term *term) {
    bool is_tag = component_type_at(term->component.id)->def.size == 0;
    return is_tag ? term->access != SHOAL_ACCESS_WITHOUT : query_term_has_column(term);
}

/* The type of which source number `number` makes columns, or NULL when it makes none. */
static const component_type *source_type(const csv_source *source, size_t number) {
    if (source->terms == NULL) {
        return component_type_at(source->components[number].id);
    }
    const query_term *term = &source->terms[number];
    return term_is_shown(term) ? component_type_at(term->component.id) : NULL;
}

/* ---- the head ---- */

static bool path_needs_quotes(const field_path *path) {
    for (; path != NULL; path = path->outer) {
        if (text_needs_quotes(path->name, strlen(path->name))) {
            return true;
        }
    }
    return false;
}

static void put_head_path(text_output *output, const field_path *path) {
    const char *quote = path_needs_quotes(path) ? "\"" : "";
    text_put(output, ",", 1);
    text_put_string(output, quote);
    field_put_path(output, path, text_put_doubled);
    text_put_string(output, quote);
}

static void put_head_leaf(text_output *output, const field_leaf *leaf) {
    put_head_path(output, leaf->path);
}

static void put_head(text_output *output, const csv_source *source) {
    text_put_string(output, "entity");
    for (size_t i = 0; i < source->count && !output->failed; i++) {
        const component_type *type = source_type(source, i);
        if (type != NULL && type->def.size == 0) {
            put_head_path(output, &(field_path){.name = type->def.name});
        } else if (type != NULL) {
            field_walk(type, NULL, put_head_leaf, output);
        }
    }
    text_put(output, "\r\n", 2);
}

/* ---- rows ---- */

static void put_text(text_output *output, const char *text, size_t size) {
    const char *quote = text_needs_quotes(text, size) ? "\"" : "";
    text_put_string(output, quote);
    text_put_doubled(output, text, size);
    text_put_string(output, quote);
}

static void put_leaf(text_output *output, const field_leaf *leaf) {
    text_put(output, ",", 1);
    if (leaf->value != NULL) {
        field_put_value(output, leaf, put_text);
    }
}

static void put_row(text_output *output, const csv_source *source, const shoal_archetype *archetype,
                    const chunk_ref *ref, uint32_t row) {
    text_put_entity(output, chunk_entities(ref)[row]);
    for (size_t i = 0; i < source->count && !output->failed; i++) {
        const component_type *type = source_type(source, i);
        if (type == NULL) {
            continue;
        }
        uint32_t number = archetype_find(archetype, type->id);
        if (type->def.size == 0) {
            text_put_string(output, number != ARCHETYPE_NONE ? ",1" : ",0");
            continue;
        }
        const char *value = number != ARCHETYPE_NONE ? archetype_value(archetype, ref->bits, number, row) : NULL;
        field_walk(type, value, put_leaf, output);
    }
    text_put(output, "\r\n", 2);
}

static void put_archetype(text_output *output, const csv_source *source, const shoal_archetype *archetype) {
    for (uint32_t i = 0; i < archetype->chunk_count; i++) {
        const chunk_ref *ref = &archetype->chunks[i];
        for (uint32_t row = 0; row < ref->count && !output->failed; row++) {
            put_row(output, source, archetype, ref, row);
        }
    }
}

/* ---- a query ---- */

shoal_status shoal_csv_query(shoal_query *query, shoal_write_fn write, void *user) {
    static const char call[] = "shoal_csv_query";
    if (query == NULL) {
        return error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_world *world = query_of(query)->world;
    if (write == NULL) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    const csv_source source = {.terms = query_of(query)->terms, .count = query_of(query)->term_count};
    const char *outer = world_lock_enter(world, query->name);
    text_output output;
    text_start(&output, write, user);
    put_head(&output, &source);
    for (size_t i = 0; i < query_of(query)->match_count && !output.failed; i++) {
        put_archetype(&output, &source, query_match_at(query_of(query), i)->archetype);
    }
    shoal_status status = text_finish(&output, &world->error, call);
    world_lock_leave(world, outer);
    return status;
}

/* ---- an archetype ---- */

/* Each is registered and named once. Sorting would be faster for a great many, but needs memory, which may run out. */
static shoal_status components_check(shoal_world *world, const shoal_component *components, size_t count,
                                     const char *call) {
    for (size_t i = 0; i < count; i++) {
        if (component_type_find(components[i].id) == NULL) {
            return world_fail_component(world, SHOAL_COMPONENT_INVALID, call, (shoal_entity){0}, components[i]);
        }
        for (size_t k = 0; k < i; k++) {
            if (components[k].id == components[i].id) {
                return world_fail_component(world, SHOAL_COMPONENT_DUPLICATE, call, (shoal_entity){0}, components[i]);
            }
        }
    }
    return SHOAL_OK;
}

static bool has_all(const shoal_archetype *archetype, const shoal_component *components, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (archetype_find(archetype, components[i].id) == ARCHETYPE_NONE) {
            return false;
        }
    }
    return true;
}

/* The archetype of exactly these components, none of which is named twice; or NULL. */
static const shoal_archetype *find_exact(const shoal_world *world, const shoal_component *components, size_t count) {
    for (uint32_t age = 0; age < world->archetype_count; age++) {
        const shoal_archetype *archetype = world->by_age[age];
        if (archetype->component_count == count && has_all(archetype, components, count)) {
            return archetype;
        }
    }
    return NULL;
}

shoal_status shoal_csv_archetype(shoal_world *world, const shoal_component *components, size_t component_count,
                                 shoal_write_fn write, void *user) {
    static const char call[] = "shoal_csv_archetype";
    if (world == NULL) {
        return error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, call);
    }
    if (write == NULL || (components == NULL && component_count != 0)) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_status status = components_check(world, components, component_count, call);
    if (status != SHOAL_OK) {
        return status;
    }
    const csv_source source = {.components = components, .count = component_count};
    const shoal_archetype *archetype = find_exact(world, components, component_count);
    const char *outer = world_lock_enter(world, call);
    text_output output;
    text_start(&output, write, user);
    put_head(&output, &source);
    if (archetype != NULL) {
        put_archetype(&output, &source, archetype);
    }
    status = text_finish(&output, &world->error, call);
    world_lock_leave(world, outer);
    return status;
}
