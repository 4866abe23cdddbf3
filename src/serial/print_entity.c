/*
 * An entity as text: a line for its handle, then a line for each leaf of each component, tags by name.
 *
 * Lines end with LF and a name or a text cannot break one: names have no control characters, texts are escaped.
 * Thread rule: read. The writer must make no "world" call on this world; a read cannot lock it.
 */
#include <string.h>

#include "../storage/row.h"
#include "field.h"

static void print_leaf(text_output *output, const field_leaf *leaf) {
    text_put(output, "  ", 2);
    field_put_path(output, leaf->path, text_put);
    text_put(output, " = ", 3);
    field_put_value(output, leaf, text_put_quoted);
    text_put(output, "\n", 1);
}

static void print_tag(text_output *output, const char *name) {
    text_put(output, "  ", 2);
    text_put_string(output, name);
    text_put(output, "\n", 1);
}

static void print_row(text_output *output, const row_place *place) {
    const shoal_archetype *archetype = place->archetype;
    for (uint32_t i = 0; i < archetype->component_count && !output->failed; i++) {
        const component_type *type = component_type_at(archetype->ids[i]);
        if (i < archetype->column_count) {
            field_walk(type, archetype_value(archetype, place->chunk, i, place->row), print_leaf, output);
        } else {
            print_tag(output, type->def.name);
        }
    }
}

shoal_status shoal_print_entity(const shoal_world *world, shoal_entity entity, shoal_write_fn write, void *user) {
    static const char call[] = "shoal_print_entity";
    const shoal_component none = {0};
    if (world == NULL || write == NULL) {
        return world_fail_reader(world, SHOAL_INVALID_ARGUMENT, call, (shoal_entity){0}, none);
    }
    const index_record *record = index_find(&world->index, entity);
    if (record == NULL) {
        return world_fail_reader(world, index_why(&world->index, entity), call, entity, none);
    }
    const row_place place = row_of(world, record);
    text_output output;
    text_start(&output, write, user);
    text_put_string(&output, "entity ");
    text_put_entity(&output, entity);
    text_put(&output, "\n", 1);
    print_row(&output, &place);
    error_record *error = error_thread_record(); /* a reading call's error is its thread's */
    shoal_status status = text_finish(&output, error, call);
    if (status != SHOAL_OK) {
        error->world = world;
    }
    return status;
}
