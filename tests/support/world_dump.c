/*
 * Text dumps of worlds, see world_dump.h. Values of the types of components.h and full_types.h are shown by payload,
 * handles by index and generation of what they name, values of other types by their bytes' hash.
 */
#include "world_dump.h"

#include "components.h"
#include "full_types.h"
#include "test.h"

#include <shoal/relation.h>
#include <shoal/unique.h>

#include <inttypes.h>
#include <string.h>

static uint64_t bytes_hash(const unsigned char *bytes, size_t size) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    return hash;
}

static void dump_handle(world_dump *dump, shoal_entity entity) {
    text_add(dump, "%" PRIu32 ":%" PRIu32 "%s", shoal_entity_index(entity), shoal_entity_generation(entity),
             shoal_entity_is_null(entity) ? "null" : "");
}

/* One element: a value, the data of a relation, an element of a buffer. */
static void dump_element(world_dump *dump, shoal_component component, const void *element) {
    value_kind kind = kind_find(component);
    full_type type = full_find(component);
    if (element == NULL) {
        text_add(dump, "missing");
    } else if (kind == KIND_LINK) {
        dump_handle(dump, (shoal_entity){kind_read(kind, element)});
    } else if (kind < KIND_COUNT) {
        text_add(dump, "%" PRIu64, kind_read(kind, element));
    } else if (type < FULL_COUNT && full_is_handle(type)) {
        dump_handle(dump, (shoal_entity){full_read(type, element)});
    } else if (type < FULL_COUNT) {
        text_add(dump, "%" PRIu64, full_read(type, element));
    } else {
        text_add(dump, "#%" PRIx64, bytes_hash(element, shoal_component_info(component)->size));
    }
}

static void dump_buffer(world_dump *dump, shoal_world *world, shoal_entity entity, shoal_component component) {
    shoal_buffer buffer = shoal_buffer_get(world, entity, component);
    const unsigned char *items = shoal_buffer_items(buffer);
    size_t size = shoal_component_info(component)->size;
    for (size_t i = 0; i < shoal_buffer_count(buffer); i++) {
        text_add(dump, i > 0 ? "," : "=");
        dump_element(dump, component, items + i * size);
    }
}

static void dump_links(world_dump *dump, const shoal_world *world, shoal_entity entity, shoal_component component) {
    shoal_target_walk walk = shoal_targets(world, entity, component);
    while (shoal_targets_next(&walk)) {
        text_add(dump, ">");
        dump_handle(dump, walk.target);
        if (walk.data != NULL) {
            text_add(dump, "=");
            dump_element(dump, component, walk.data);
        }
    }
}

static void dump_component(world_dump *dump, shoal_world *world, shoal_entity entity, shoal_component component) {
    const shoal_component_def *def = shoal_component_info(component);
    text_add(dump, " %.40s", def->name);
    if (def->storage == SHOAL_STORAGE_BUFFER) {
        dump_buffer(dump, world, entity, component);
    } else if (def->storage == SHOAL_STORAGE_RELATION) {
        dump_links(dump, world, entity, component);
    } else if (def->size != 0) {
        text_add(dump, "=");
        dump_element(dump, component, shoal_get(world, entity, component));
    }
    if (!shoal_is_enabled(world, entity, component)) {
        text_add(dump, "(off)");
    }
}

/* The sources of an entity in all relations, since they have an order. */
static void dump_sources(world_dump *dump, const shoal_world *world, shoal_entity entity) {
    for (uint32_t id = 1; id <= shoal_component_count(); id++) {
        shoal_component component = {id};
        if (shoal_component_info(component)->storage != SHOAL_STORAGE_RELATION) {
            continue;
        }
        shoal_source_walk walk = shoal_sources(world, component, entity);
        while (shoal_sources_next(&walk)) {
            text_add(dump, " <%.40s", shoal_component_info(component)->name);
            for (size_t i = 0; i < walk.count; i++) {
                text_add(dump, " ");
                dump_handle(dump, walk.entities[i]);
            }
        }
    }
}

/* Components by id, since the order of the library's own walk is another. */
static void dump_entity(world_dump *dump, shoal_world *world, shoal_entity entity) {
    dump_handle(dump, entity);
    const char *name = shoal_name(world, entity);
    text_add(dump, "%s%s", name != NULL ? " called " : "", name != NULL ? name : "");
    uint32_t after = 0;
    for (;;) {
        uint32_t next = UINT32_MAX;
        shoal_component component = {0};
        while (shoal_next_component(world, entity, &component)) {
            next = component.id > after && component.id < next ? component.id : next;
        }
        if (next == UINT32_MAX) {
            break;
        }
        dump_component(dump, world, entity, (shoal_component){next});
        after = next;
    }
    dump_sources(dump, world, entity);
    text_add(dump, "\n");
}

static void dump_uniques(world_dump *dump, const shoal_world *world) {
    for (uint32_t id = 1; id <= shoal_component_count(); id++) {
        shoal_component component = {id};
        const shoal_component_def *def = shoal_component_info(component);
        if (def->storage == SHOAL_STORAGE_UNIQUE && shoal_unique_has(world, component)) {
            text_add(dump, "%.40s", def->name);
            if (def->size != 0) {
                text_add(dump, "=");
                dump_element(dump, component, shoal_unique_get(world, component));
            }
            text_add(dump, "\n");
        }
    }
}

void world_dump_entities(world_dump *dump, shoal_world *world) {
    text_add(dump, "%" PRIu64 " entities\n", shoal_world_entity_count(world));
    shoal_entity entity = {0};
    while (shoal_next_entity(world, &entity)) {
        dump_entity(dump, world, entity);
    }
    dump_uniques(dump, world);
}

void world_dump_rows(world_dump *dump, shoal_query *query) {
    text_add(dump, "rows\n");
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        for (size_t i = 0; i < view.count; i++) {
            text_add(dump, "row %" PRIu32 ":%" PRIu32 "\n", shoal_entity_index(view.entities[i]),
                     shoal_entity_generation(view.entities[i]));
        }
    }
}

world_dump world_dump_take(shoal_world *world, shoal_query *query) {
    world_dump dump = {0};
    world_dump_entities(&dump, world);
    if (query != NULL) {
        world_dump_rows(&dump, query);
    }
    return dump;
}

void world_dump_free(world_dump *dump) {
    text_free(dump);
}

void world_dump_check(const world_dump *actual, const world_dump *expected, const char *file, int line) {
    if (strcmp(actual->text, expected->text) == 0) {
        return;
    }
    size_t start = 0;
    for (size_t i = 0; actual->text[i] != '\0' && actual->text[i] == expected->text[i]; i++) {
        start = actual->text[i] == '\n' ? i + 1 : start;
    }
    int actual_length = (int)strcspn(actual->text + start, "\n");
    int expected_length = (int)strcspn(expected->text + start, "\n");
    print_error("the world has   \"%.*s\"\n       expected \"%.*s\"\n", actual_length, actual->text + start,
                expected_length, expected->text + start);
    if (test_context[0] != '\0') {
        print_error("       at %s\n", test_context);
    }
    _fail(file, line);
}
