/*
 * An entity as text: a line for its handle, then a line for each leaf of each component, tags by name; uniques as text
 * in the same lines. And the writer for streams of the C library.
 *
 *     entity 4:0@1 "gun"
 *       Position.x = 1.5
 *       Shield (disabled)
 *       Path = 1 element
 *       Path[0].x = 8
 *       Holds -> 7:0@1 "iron"
 *         Holds.count = 12
 *
 * Lines end with LF and a name or a text cannot break one: names have no control characters, texts are escaped.
 * Thread rule: read. The writer must make no "world" call on this world; a read cannot lock it.
 */
#include <shoal/print.h>
#include <shoal/relation.h>
#include <stdio.h>
#include <string.h>

#include "../storage/buffer.h"
#include "../storage/store.h"
#include "field.h"

/* A longer path is cut to its last part; names in a tree of some depth fit. */
#define PATH_BYTES 1024

/* What stands around a line. */
typedef struct line_style {
    const char *indent;
    const char *mark;
} line_style;

/* ---- lines ---- */

static void print_leaf(const field_visitor *visitor, const field_leaf *leaf) {
    const line_style *style = visitor->user;
    text_put_string(visitor->output, style->indent);
    field_put_path(visitor->output, leaf->path, text_put);
    text_put(visitor->output, " = ", 3);
    field_put_value(visitor->output, leaf, text_put_quoted);
    text_put_string(visitor->output, style->mark);
    text_put(visitor->output, "\n", 1);
}

static void print_value(text_output *output, const component_type *type, const field_path *root, const void *value,
                        line_style style) {
    field_walk(&(field_visitor){.output = output, .visit = print_leaf, .user = &style}, type, root, value);
}

static void print_tag(text_output *output, const component_type *type, line_style style) {
    text_put_string(output, style.indent);
    text_put_string(output, type->def.name);
    text_put_string(output, style.mark);
    text_put(output, "\n", 1);
}

static void print_buffer(text_output *output, const component_type *type, const buffer_cell *cell, line_style style) {
    text_put_string(output, style.indent);
    text_put_string(output, type->def.name);
    text_put(output, " = ", 3);
    text_put_u64(output, cell->count);
    text_put_string(output, cell->count == 1 ? " element" : " elements");
    text_put_string(output, style.mark);
    text_put(output, "\n", 1);
    const char *items = buffer_items(type, cell);
    for (uint32_t i = 0; i < cell->count && !output->failed; i++) {
        const field_path root = {.name = type->def.name, .index = i, .indexed = true};
        print_value(output, type, &root, items + i * type->def.size, style);
    }
}

/* ---- relations ---- */

/* The path of an entity that has a name, in quotes. */
static void print_path(text_output *output, const shoal_world *world, shoal_entity entity) {
    const char *name = name_of(&world->names, entity);
    if (name == NULL) {
        return;
    }
    char path[PATH_BYTES];
    size_t length = shoal_path(world, entity, path, sizeof path);
    if (length >= sizeof path) {
        int cut = snprintf(path, sizeof path, ".../%s", name);
        length = cut > 0 ? (size_t)cut : 0;
    }
    text_put(output, " ", 1);
    text_put_quoted(output, path, length);
}

static void print_targets(text_output *output, const shoal_world *world, const component_type *type,
                          shoal_entity source) {
    const relation_store *store = store_relation(world, type->id);
    relation_link *link = relation_find(store, source, (shoal_entity){0});
    for (; link != NULL && !output->failed; link = relation_link_next(store, link)) {
        text_put(output, "  ", 2);
        text_put_string(output, type->def.name);
        text_put(output, " -> ", 4);
        text_put_entity(output, link->target);
        print_path(output, world, link->target);
        text_put(output, "\n", 1);
        if (type->def.size != 0) {
            print_value(output, type, NULL, relation_link_data(store, link), (line_style){"    ", ""});
        }
    }
}

/* ---- entities ---- */

static void print_component(text_output *output, const shoal_world *world, shoal_entity entity,
                            const component_type *type) {
    bool is_disabled = type->def.toggle && !shoal_is_enabled(world, entity, (shoal_component){type->id});
    const line_style style = {.indent = "  ", .mark = is_disabled ? " (disabled)" : ""};
    if (type->def.storage == SHOAL_STORAGE_RELATION) {
        print_targets(output, world, type, entity);
    } else if (type->def.size == 0) {
        print_tag(output, type, style);
    } else if (type->def.storage == SHOAL_STORAGE_BUFFER) {
        print_buffer(output, type, store_entity_value(world, entity, type), style);
    } else {
        print_value(output, type, NULL, store_entity_value(world, entity, type), style);
    }
}

static void print_head(text_output *output, const shoal_world *world, shoal_entity entity) {
    const char *name = name_of(&world->names, entity);
    text_put_string(output, "entity ");
    text_put_entity(output, entity);
    if (name != NULL) {
        text_put(output, " ", 1);
        text_put_quoted(output, name, strlen(name));
    }
    text_put_string(output, shoal_is_dying(world, entity) ? " (dying)\n" : "\n");
}

shoal_status shoal_print_entity(const shoal_world *world, shoal_entity entity, shoal_write_fn write, void *user) {
    static const char call[] = "shoal_print_entity";
    shoal_component component = {0};
    if (world == NULL || write == NULL) {
        return world_fail_reader(world, SHOAL_INVALID_ARGUMENT, call, (shoal_entity){0}, component);
    }
    if (index_find(&world->index, entity) == NULL) {
        return world_fail_reader(world, index_why(&world->index, entity), call, entity, component);
    }
    text_output output;
    text_start(&output, write, user);
    print_head(&output, world, entity);
    while (!output.failed && shoal_next_component(world, entity, &component)) {
        print_component(&output, world, entity, component_type_at(component.id));
    }
    return text_finish_reader(&output, world, call);
}

/* ---- uniques ---- */

shoal_status shoal_print_uniques(const shoal_world *world, shoal_write_fn write, void *user) {
    static const char call[] = "shoal_print_uniques";
    if (world == NULL || write == NULL) {
        return world_fail_reader(world, SHOAL_INVALID_ARGUMENT, call, (shoal_entity){0}, (shoal_component){0});
    }
    const line_style style = {.indent = "  ", .mark = ""};
    text_output output;
    text_start(&output, write, user);
    text_put_string(&output, "uniques of world ");
    text_put_quoted(&output, world->name, strlen(world->name));
    text_put(&output, "\n", 1);
    for (uint32_t i = 0; i < world->uniques.count && !output.failed; i++) {
        const unique_entry *entry = &world->uniques.entries[i];
        if (entry->value == NULL) {
            print_tag(&output, entry->type, style);
        } else {
            print_value(&output, entry->type, NULL, entry->value, style);
        }
    }
    return text_finish_reader(&output, world, call);
}

/* ---- the writer for stdio streams ---- */

size_t shoal_write_file(void *user, const char *text, size_t size) {
    return user != NULL ? fwrite(text, 1, size, user) : 0;
}
