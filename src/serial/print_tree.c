/*
 * The trees of an acyclic relation as text: a line for each entity, parents before their children, two spaces more at
 * each level.
 *
 *     ship: Position + Hull
 *       turret: Position + Shield (disabled)
 *         3:0@1: Position
 *
 * Depths come from the store and the way to the next line from its lists, so nothing is kept for the levels above and
 * no function calls itself. Thread rule: read. The writer must make no "world" call on this world.
 */
#include <shoal/print.h>
#include <shoal/relation.h>

#include "../base/text.h"
#include "../storage/store.h"

typedef struct tree_print {
    const shoal_world *world;
    const relation_store *store; /* NULL: nobody has had the relation yet */
    uint32_t relation;
    text_output *output;
} tree_print;

static void print_label(const tree_print *tree, shoal_entity entity) {
    const char *name = name_of(&tree->world->names, entity);
    if (name != NULL) {
        text_put_string(tree->output, name);
    } else {
        text_put_entity(tree->output, entity);
    }
}

/* The relation itself goes without saying. */
static void print_components(const tree_print *tree, shoal_entity entity) {
    const char *between = ": ";
    shoal_component component = {0};
    while (!tree->output->failed && shoal_next_component(tree->world, entity, &component)) {
        if (component.id == tree->relation) {
            continue;
        }
        const component_type *type = component_type_at(component.id);
        bool is_disabled = type->def.toggle && !shoal_is_enabled(tree->world, entity, component);
        text_put_string(tree->output, between);
        text_put_string(tree->output, type->def.name);
        text_put_string(tree->output, is_disabled ? " (disabled)" : "");
        between = " + ";
    }
}

static void print_line(const tree_print *tree, shoal_entity entity, uint32_t level) {
    text_put_spaces(tree->output, (size_t)level * 2);
    print_label(tree, entity);
    print_components(tree, entity);
    text_put(tree->output, "\n", 1);
}

static void print_tree(const tree_print *tree, shoal_entity root) {
    print_line(tree, root, 0);
    if (tree->store == NULL) {
        return;
    }
    uint32_t top = relation_depth(tree->store, root);
    shoal_entity entity = root;
    while (!tree->output->failed && relation_tree_next(tree->store, root, &entity)) {
        print_line(tree, entity, relation_depth(tree->store, entity) - top);
    }
}

/* A root is what has sources and no target; who has neither is in no tree. */
static void print_all_trees(const tree_print *tree) {
    shoal_entity entity = {0};
    while (tree->store != NULL && !tree->output->failed && shoal_next_entity(tree->world, &entity)) {
        if (relation_sources(tree->store, entity) != NULL &&
            shoal_entity_is_null(relation_target(tree->store, entity))) {
            print_tree(tree, entity);
        }
    }
}

shoal_status shoal_print_tree(const shoal_world *world, shoal_component relation, shoal_entity root,
                              shoal_write_fn write, void *user) {
    static const char call[] = "shoal_print_tree";
    const component_type *type = component_type_find(relation.id);
    shoal_status why = world == NULL || write == NULL ? SHOAL_INVALID_ARGUMENT
                       : type == NULL                 ? SHOAL_COMPONENT_INVALID
                       : !type->def.acyclic           ? SHOAL_COMPONENT_KIND
                                                      : SHOAL_OK;
    if (why == SHOAL_OK && !shoal_entity_is_null(root) && index_find(&world->index, root) == NULL) {
        why = index_why(&world->index, root);
    }
    if (why != SHOAL_OK) {
        return world_fail_reader(world, why, call, root, relation);
    }
    text_output output;
    text_start(&output, write, user);
    const tree_print tree = {
        .world = world, .store = store_relation(world, type->id), .relation = type->id, .output = &output};
    if (shoal_entity_is_null(root)) {
        print_all_trees(&tree);
    } else {
        print_tree(&tree, root);
    }
    return text_finish_reader(&output, world, call);
}
