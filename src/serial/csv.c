/*
 * Rows as CSV, after RFC 4180: one line for each row, in the order in which a query visits them.
 *
 *     entity,Position.x,Position.y,Name.text,Frozen CRLF
 *     4:0@1,1.5,-2,"comma, quote "" and line break",1 CRLF
 *
 * Each term of a query, or component of an archetype, is a part: some columns side by side, made by the rules of
 * csv_part. The head and every row come from the same walk over the same parts, so all lines have the same number of
 * fields. What an entity does not have leaves its fields empty; a tag is 1 or 0.
 *
 * The world is locked meanwhile, so that the writer cannot change what is being written. Allocates nothing, unless the
 * query orders. Thread rule: world.
 */
#include <shoal/print.h>

#include <stdio.h>
#include <string.h>

#include "../query/query.h"
#include "../storage/buffer.h"
#include "field.h"

/* Where the columns come from: the terms of a query, or a list of components. */
typedef struct csv_source {
    const shoal_world *world;
    const query_term *terms; /* NULL: components */
    const shoal_component *components;
    size_t count;
} csv_source;

/* The columns of one term or component, in this order. */
typedef struct csv_part {
    const component_type *type;
    const query_term *term; /* NULL: of an archetype */
    bool has_presence;      /* 1 or 0 */
    bool has_targets;       /* of a relation */
    bool has_elements;      /* of a buffer: their number, and all of them */
    bool has_fields;
    bool has_enabled; /* 1 or 0: the enable bit, where the term does not settle it */
} csv_part;

/* Two names of components, and an entity. */
#define LABEL_BYTES (2 * 256 + SHOAL_ENTITY_TEXT_SIZE + 8)

/* ---- parts ---- */

static bool part_looks_along(const csv_part *part) {
    return part->term != NULL && part->term->traverse != SHOAL_TRAVERSE_SELF;
}

/* The only target that a part is about, or null. */
static shoal_entity part_target(const csv_part *part) {
    return part->term != NULL ? part->term->target : (shoal_entity){0};
}

/* A relation's data can be columns where there is one link at most. */
static bool relation_is_single(const csv_part *part) {
    return part->type->def.exclusive || !shoal_entity_is_null(part_target(part));
}

/* What the values of a part make, when it gives them. */
static void part_add_values(csv_part *part) {
    bool is_relation = part->type->def.storage == SHOAL_STORAGE_RELATION;
    bool is_buffer = part->type->def.storage == SHOAL_STORAGE_BUFFER;
    part->has_elements = is_buffer;
    part->has_fields = part->type->def.size != 0 && !is_buffer && (!is_relation || relation_is_single(part));
}

static csv_part part_of_term(const query_term *term) {
    csv_part part = {.type = term->type, .term = term};
    if (term->access == SHOAL_ACCESS_WITHOUT) {
        return part;
    }
    bool is_own = term->traverse == SHOAL_TRAVERSE_SELF;
    part.has_targets = is_own && term->type->def.storage == SHOAL_STORAGE_RELATION;
    part.has_presence = !part.has_targets && term->type->def.size == 0;
    if (term->access != SHOAL_ACCESS_WITH) {
        part_add_values(&part);
    }
    bool is_settled = access_is_required(term->access) && term->state != SHOAL_STATE_EITHER;
    part.has_enabled = is_own && term->type->def.toggle && !is_settled;
    return part;
}

static csv_part part_of_component(shoal_component component) {
    csv_part part = {.type = component_type_at(component.id)};
    part.has_presence = part.type->def.size == 0;
    part.has_enabled = part.type->def.toggle;
    part_add_values(&part);
    return part;
}

static csv_part source_part(const csv_source *source, size_t number) {
    return source->terms != NULL ? part_of_term(&source->terms[number]) : part_of_component(source->components[number]);
}

/* ---- the head ---- */

/* As the terms are written as text: Position, ChildOf(up) Transform, Holds(4:0@1). */
static void part_label(const csv_part *part, char label[LABEL_BYTES]) {
    const char *name = part->type->def.name;
    if (part_looks_along(part)) {
        (void)snprintf(label, LABEL_BYTES, "%s(%s) %s", component_type_at(part->term->along)->def.name,
                       part->term->traverse == SHOAL_TRAVERSE_UP ? "up" : "down", name);
    } else if (!shoal_entity_is_null(part_target(part))) {
        char target[SHOAL_ENTITY_TEXT_SIZE];
        (void)shoal_entity_format(part_target(part), target, sizeof target);
        (void)snprintf(label, LABEL_BYTES, "%s(%s)", name, target);
    } else {
        (void)snprintf(label, LABEL_BYTES, "%s", name);
    }
}

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

static void put_head_leaf(const field_visitor *visitor, const field_leaf *leaf) {
    put_head_path(visitor->output, leaf->path);
}

static void put_head_part(text_output *output, const csv_part *part) {
    char label[LABEL_BYTES];
    part_label(part, label);
    const field_path root = {.name = label};
    if (part->has_presence || part->has_targets) {
        put_head_path(output, &root);
    }
    if (part->has_elements) {
        put_head_path(output, &(field_path){.outer = &root, .name = "count"});
        put_head_path(output, &(field_path){.outer = &root, .name = "items"});
    }
    if (part->has_fields) {
        field_walk(&(field_visitor){.output = output, .visit = put_head_leaf}, part->type, &root, NULL);
    }
    if (part->has_enabled) {
        put_head_path(output, &(field_path){.outer = &root, .name = "enabled"});
    }
}

static void put_head(text_output *output, const csv_source *source) {
    text_put_string(output, "entity");
    for (size_t i = 0; i < source->count && !output->failed; i++) {
        const csv_part part = source_part(source, i);
        put_head_part(output, &part);
    }
    text_put(output, "\r\n", 2);
}

/* ---- values ---- */

static bool entity_has(const shoal_world *world, shoal_entity entity, const csv_part *part) {
    if (part_looks_along(part)) {
        bool has = access_is_required(part->term->access);
        if (!has) {
            (void)query_ancestor_value(world, part->term, entity, &has);
        }
        return has;
    }
    return part->type->def.storage == SHOAL_STORAGE_UNIQUE ? unique_find(&world->uniques, part->type->id) != NULL
                                                           : store_entity_has(world, entity, part->type);
}

/* The first link that a part is about, or NULL. */
static relation_link *entity_link(const shoal_world *world, shoal_entity entity, const csv_part *part) {
    const relation_store *store = store_relation(world, part->type->id);
    return store != NULL ? relation_find(store, entity, part_target(part)) : NULL;
}

/* The value whose fields a part shows, or NULL. */
static const void *entity_value(const shoal_world *world, shoal_entity entity, const csv_part *part) {
    const component_type *type = part->type;
    if (part_looks_along(part)) {
        bool has;
        return query_ancestor_value(world, part->term, entity, &has);
    }
    if (type->def.storage == SHOAL_STORAGE_UNIQUE) {
        const unique_entry *entry = unique_find(&world->uniques, type->id);
        return entry != NULL ? entry->value : NULL;
    }
    if (type->def.storage == SHOAL_STORAGE_RELATION) {
        relation_link *link = entity_link(world, entity, part);
        return link != NULL ? relation_link_data(store_relation(world, type->id), link) : NULL;
    }
    return store_entity_value(world, entity, type);
}

static void put_text(text_output *output, const char *text, size_t size) {
    const char *quote = text_needs_quotes(text, size) ? "\"" : "";
    text_put_string(output, quote);
    text_put_doubled(output, text, size);
    text_put_string(output, quote);
}

static void put_leaf(const field_visitor *visitor, const field_leaf *leaf) {
    text_put(visitor->output, ",", 1);
    if (leaf->value != NULL) {
        field_put_value(visitor->output, leaf, put_text);
    }
}

static void put_targets(text_output *output, const shoal_world *world, shoal_entity entity, const csv_part *part) {
    const relation_store *store = store_relation(world, part->type->id);
    bool is_one = !shoal_entity_is_null(part_target(part));
    const char *between = ",";
    for (const relation_link *link = entity_link(world, entity, part); link != NULL && !output->failed;
         link = is_one ? NULL : relation_link_next(store, link)) {
        text_put(output, between, 1);
        text_put_entity(output, link->target);
        between = "|";
    }
    if (*between == ',') {
        text_put(output, ",", 1);
    }
}

/* ---- buffers ---- */

static void find_text(const field_visitor *visitor, const field_leaf *leaf) {
    bool *found = visitor->user;
    *found = *found || leaf->kind == SHOAL_FIELD_TEXT;
}

static void put_element_leaf(const field_visitor *visitor, const field_leaf *leaf) {
    bool *is_first = visitor->user;
    text_put(visitor->output, ";", *is_first ? 0 : 1);
    *is_first = false;
    field_put_value(visitor->output, leaf, text_put_quoted_doubled);
}

static void put_items(text_output *output, const component_type *type, const buffer_cell *cell) {
    bool has_text = false;
    field_walk(&(field_visitor){.output = output, .visit = find_text, .user = &has_text}, type, NULL, NULL);
    const char *quote = has_text && cell->count != 0 ? "\"" : "";
    const char *items = buffer_items(type, cell);
    text_put_string(output, quote);
    text_put(output, "[", 1);
    for (uint32_t i = 0; i < cell->count && !output->failed; i++) {
        bool is_first = true;
        text_put(output, "|", i == 0 ? 0 : 1);
        field_walk(&(field_visitor){.output = output, .visit = put_element_leaf, .user = &is_first}, type, NULL,
                   items + i * type->def.size);
    }
    text_put(output, "]", 1);
    text_put_string(output, quote);
}

static void put_elements(text_output *output, const component_type *type, const buffer_cell *cell) {
    text_put(output, ",", 1);
    if (cell != NULL) {
        text_put_u64(output, cell->count);
    }
    text_put(output, ",", 1);
    if (cell != NULL) {
        put_items(output, type, cell);
    }
}

/* ---- rows ---- */

static void put_enabled(text_output *output, const shoal_world *world, shoal_entity entity,
                        const component_type *type) {
    text_put(output, ",", 1);
    if (store_entity_has(world, entity, type)) {
        text_put_string(output, shoal_is_enabled(world, entity, (shoal_component){type->id}) ? "1" : "0");
    }
}

static void put_part(text_output *output, const shoal_world *world, shoal_entity entity, const csv_part *part) {
    if (part->has_presence) {
        text_put_string(output, entity_has(world, entity, part) ? ",1" : ",0");
    }
    if (part->has_targets) {
        put_targets(output, world, entity, part);
    }
    if (part->has_elements) {
        put_elements(output, part->type, store_entity_value(world, entity, part->type));
    }
    if (part->has_fields) {
        field_walk(&(field_visitor){.output = output, .visit = put_leaf}, part->type, NULL,
                   entity_value(world, entity, part));
    }
    if (part->has_enabled) {
        put_enabled(output, world, entity, part->type);
    }
}

static void put_row(text_output *output, const csv_source *source, shoal_entity entity) {
    text_put_entity(output, entity);
    for (size_t i = 0; i < source->count && !output->failed; i++) {
        const csv_part part = source_part(source, i);
        put_part(output, source->world, entity, &part);
    }
    text_put(output, "\r\n", 2);
}

static void put_rows(text_output *output, const csv_source *source, const shoal_entity *entities, size_t count) {
    for (size_t row = 0; row < count && !output->failed; row++) {
        put_row(output, source, entities[row]);
    }
}

/* ---- a query ---- */

static shoal_status put_query(shoal_query *query, shoal_write_fn write, void *user, const char *call) {
    shoal_world *world = query_of(query)->world;
    shoal_view view;
    shoal_status status = shoal_view_begin(&view, query);
    if (status != SHOAL_OK) {
        world_error(world)->call = call; /* the caller knows nothing of a view */
        return status;
    }
    const csv_source source = {.world = world, .terms = query_of(query)->terms, .count = query_of(query)->term_count};
    text_output output;
    text_start(&output, write, user);
    put_head(&output, &source);
    while (!output.failed && shoal_view_next(&view)) {
        put_rows(&output, &source, view.entities, view.count);
    }
    shoal_view_end(&view);
    return text_finish(&output, world_error(world), call);
}

/* The lock is held longer than the view, which ends before the last bytes are written. */
shoal_status shoal_csv_query(shoal_query *query, shoal_write_fn write, void *user) {
    static const char call[] = "shoal_csv_query";
    if (query == NULL) {
        return error_set(error_thread_record(), SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_world *world = query_of(query)->world;
    if (write == NULL) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_shared(world)) {
        return world_fail_shared(world, call);
    }
    const char *outer = world_lock_enter(world, query->name);
    shoal_status status = put_query(query, write, user, call);
    world_lock_leave(world, outer);
    return status;
}

/* ---- an archetype ---- */

/* Each is registered, part of archetypes' sets, and named once. Sorting would be faster for a great many,
   but needs memory, which may run out. */
static shoal_status components_check(shoal_world *world, const shoal_component *components, size_t count,
                                     const char *call) {
    for (size_t i = 0; i < count; i++) {
        const component_type *type = component_type_find(components[i].id);
        if (type == NULL || !type->in_set) {
            shoal_status why = type == NULL ? SHOAL_COMPONENT_INVALID : SHOAL_COMPONENT_KIND;
            return world_fail_component(world, why, call, (shoal_entity){0}, components[i]);
        }
        for (size_t k = 0; k < i; k++) {
            if (components[k].id == components[i].id) {
                return world_fail_component(world, SHOAL_COMPONENT_DUPLICATE, call, (shoal_entity){0}, components[i]);
            }
        }
    }
    return SHOAL_OK;
}

/* True for an archetype of exactly these components, none of which is named twice. */
static bool is_exact(const shoal_archetype *archetype, const shoal_component *components, size_t count) {
    bool is_same = archetype->component_count == count;
    for (size_t i = 0; i < count && is_same; i++) {
        is_same = archetype_find(archetype, components[i].id) != ARCHETYPE_NONE;
    }
    return is_same;
}

/* There may be several, with other shared values or targets each. */
static void put_exact(text_output *output, const csv_source *source) {
    for (uint32_t age = 0; age < source->world->archetype_count && !output->failed; age++) {
        const shoal_archetype *archetype = source->world->by_age[age];
        bool is_meant = is_exact(archetype, source->components, source->count);
        for (uint32_t i = 0; is_meant && i < archetype->chunk_count; i++) {
            put_rows(output, source, chunk_entities(&archetype->chunks[i]), archetype->chunks[i].count);
        }
    }
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
    if (world_is_shared(world)) {
        return world_fail_shared(world, call);
    }
    shoal_status status = components_check(world, components, component_count, call);
    if (status != SHOAL_OK) {
        return status;
    }
    const csv_source source = {.world = world, .components = components, .count = component_count};
    const char *outer = world_lock_enter(world, call);
    text_output output;
    text_start(&output, write, user);
    put_head(&output, &source);
    put_exact(&output, &source);
    status = text_finish(&output, world_error(world), call);
    world_lock_leave(world, outer);
    return status;
}
