/*
 * Trees by acyclic relations, as the public calls give them: ends in every order, cycles, depths of a million, and
 * random changes beside a naive tree. Conformance L1, L2, L3, L4, L6. Links are in test_relations.c.
 */
#include "test_relations.h"

#include "support/rng.h"

SHOAL_RELATION(Below, .acyclic = true)

static void check_children(const shoal_world *world, shoal_entity parent, const shoal_entity *expected, size_t count) {
    check_sources(world, SHOAL_ID(ChildOf), parent, expected, count);
    size_t seen = 0;
    for (shoal_source_walk walk = shoal_children(world, parent); shoal_sources_next(&walk); seen += walk.count) {
        assert_entity(shoal_parent(world, walk.entities[0]), parent);
    }
    assert_count(seen, count);
}

/* Grandparent, parent, child and a sibling of it, ended in one of the orders; with ChildOf the lower ones go along. */
static void end_in_order(const size_t *order, bool is_child_of) {
    fixture f;
    fixture_start(&f, NULL);
    shoal_component relation = is_child_of ? SHOAL_ID(ChildOf) : SHOAL_ID(Below);
    shoal_entity e[4];
    bool alive[4] = {true, true, true, true};
    const size_t above[4] = {0, 0, 1, 1};
    spawn_several(f.world, e, 4);
    for (size_t i = 1; i < 4; i++) {
        assert_ok(shoal_relate(f.world, e[i], relation, e[above[i]], NULL));
    }
    for (size_t n = 0; n < 3; n++) {
        size_t ended = order[n];
        assert_status(shoal_destroy(f.world, e[ended]), alive[ended] ? SHOAL_OK : SHOAL_ENTITY_DEAD);
        alive[ended] = false;
        for (size_t i = 1; is_child_of && i < 4; i++) {
            alive[i] = alive[i] && alive[above[i]];
        }
        assert_valid(f.world);
        for (size_t i = 0; i < 4; i++) {
            assert_count(shoal_is_alive(f.world, e[i]), alive[i]);
            bool has = i != 0 && alive[i] && alive[above[i]];
            check_targets(f.world, e[i], relation, &e[above[i]], has);
            bool grand = has && above[i] == 1 && alive[0];
            assert_count(shoal_depth(f.world, relation, e[i]), has + grand);
        }
        const shoal_entity *lower = alive[2] ? &e[2] : &e[3];
        check_sources(f.world, relation, e[1], lower, alive[1] ? (size_t)alive[2] + alive[3] : 0);
        check_sources(f.world, relation, e[0], &e[1], alive[0] && alive[1]);
    }
    fixture_end(&f);
}

static void conf_L1_ended_in_every_order(void **state) {
    (void)state;
    const size_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t i = 0; i < 6; i++) {
        test_set_context("order %zu", i);
        end_in_order(orders[i], false);
        end_in_order(orders[i], true);
    }
    test_set_context("%s", "");
}

/* A cycle of `length` entities cannot be closed. */
static void check_cycle(size_t length, shoal_component relation) {
    fixture f;
    fixture_start(&f, NULL);
    static shoal_entity e[1000];
    spawn_several(f.world, e, length);
    for (size_t i = 1; i < length; i++) {
        assert_ok(shoal_relate(f.world, e[i], relation, e[i - 1], NULL));
    }
    char first[SHOAL_ENTITY_TEXT_SIZE], last[SHOAL_ENTITY_TEXT_SIZE], second[SHOAL_ENTITY_TEXT_SIZE];
    shoal_entity_format(e[0], first, sizeof first);
    shoal_entity_format(e[length - 1], last, sizeof last);
    shoal_entity_format(e[length > 1 ? 1 : 0], second, sizeof second);
    assert_status(shoal_relate(f.world, e[0], relation, e[length - 1], NULL), SHOAL_RELATION_CYCLE);
    assert_last_error(f.world, SHOAL_RELATION_CYCLE);
    assert_message_has(f.world, "shoal_relate:");
    assert_message_has(f.world, shoal_component_info(relation)->name);
    assert_message_has(f.world, first);
    assert_message_has(f.world, last);
    assert_message_has(f.world, second);
    assert_valid(f.world);
    check_targets(f.world, e[0], relation, NULL, 0);
    assert_count(shoal_depth(f.world, relation, e[length - 1]), length - 1);
    fixture_end(&f);
}

static void conf_L2_cycles(void **state) {
    (void)state;
    const size_t lengths[] = {1, 2, 3, 1000};
    for (size_t i = 0; i < 4; i++) {
        test_set_context("length %zu", lengths[i]);
        check_cycle(lengths[i], SHOAL_ID(ChildOf));
        check_cycle(lengths[i], SHOAL_ID(Below));
    }
    test_set_context("%s", "");
}

/* A self-parent before the world knows of any link, and in a spawn. */
static void conf_L2_self_parent(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity entity = spawn_empty(f.world);
    assert_status(shoal_set_parent(f.world, entity, entity), SHOAL_RELATION_CYCLE);
    assert_message_has(f.world, "shoal_set_parent:");
    shoal_entity next = shoal_entity_make(f.world, shoal_entity_index(entity) + 1, 0);
    assert_entity(shoal_spawn(f.world, SHOAL_VALUES(SHOAL_TO(ChildOf, next))), nobody);
    assert_last_error(f.world, SHOAL_RELATION_CYCLE);
    assert_valid(f.world);
    fixture_end(&f);
}

static void conf_L2_a_chain_of_a_million(void **state) {
    (void)state;
    enum { COUNT = 1000000 };
    shoal_world *world = shoal_world_create(NULL);
    assert_non_null(world);
    shoal_entity root = spawn_empty(world);
    shoal_entity last = root;
    for (uint32_t i = 1; i < COUNT; i++) {
        shoal_entity next = spawn_empty(world);
        assert_ok(shoal_set_parent(world, next, last));
        last = next;
    }
    assert_count(shoal_depth(world, SHOAL_ID(ChildOf), last), COUNT - 1);
    assert_status(shoal_set_parent(world, root, last), SHOAL_RELATION_CYCLE);
    uint32_t steps = 0;
    for (shoal_entity at = root; shoal_tree_next(world, SHOAL_ID(ChildOf), root, &at);) {
        steps++;
    }
    assert_count(steps, COUNT - 1);
    shoal_entity middle = shoal_parent(world, last);
    assert_ok(shoal_destroy(world, last));
    assert_ok(shoal_set_parent(world, middle, nobody)); /* depth 0 again */
    assert_count(shoal_depth(world, SHOAL_ID(ChildOf), middle), 0);
    assert_ok(shoal_destroy(world, root));
    assert_count(shoal_world_entity_count(world), 1);
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

static void conf_L2_a_million_children(void **state) {
    (void)state;
    enum { COUNT = 1000000 };
    shoal_world *world = shoal_world_create(NULL);
    assert_non_null(world);
    shoal_entity root = spawn_empty(world);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_ok(shoal_set_parent(world, spawn_empty(world), root));
    }
    assert_count(shoal_source_count(world, SHOAL_ID(ChildOf), root), COUNT);
    assert_ok(shoal_destroy(world, root));
    assert_count(shoal_world_entity_count(world), 0);
    assert_valid(world);
    assert_ok(shoal_world_destroy(world));
}

static void conf_L3_children_in_ten_archetypes(void **state) {
    (void)state;
    fixture f;
    fixture_start(&f, NULL);
    shoal_entity root = spawn_empty(f.world);
    shoal_entity stays = spawn_empty(f.world);
    shoal_entity e[200];
    for (uint32_t i = 0; i < 200; i++) {
        e[i] = spawn_empty(f.world);
        for (uint32_t bit = 0; bit < 4; bit++) {
            if (((i % 10 + 1) >> bit) & 1) {
                assert_ok(shoal_add(f.world, e[i], numbered_component(bit), NULL));
            }
        }
        assert_ok(shoal_set_parent(f.world, e[i], i < 100 ? root : e[i - 100]));
    }
    check_children(f.world, root, e, 100);
    assert_valid(f.world);
    assert_ok(shoal_destroy(f.world, root));
    assert_valid(f.world);
    for (uint32_t i = 0; i < 200; i++) {
        assert_false(shoal_is_alive(f.world, e[i]));
    }
    assert_count(shoal_world_entity_count(f.world), 1);
    assert_true(shoal_is_alive(f.world, stays));
    fixture_end(&f);
}

static void conf_L6_parent_and_child_at_once(void **state) {
    (void)state;
    for (unsigned order = 0; order < 4; order++) {
        fixture f;
        fixture_start(&f, NULL);
        shoal_entity e[3];
        spawn_several(f.world, e, 3);
        assert_ok(shoal_set_parent(f.world, e[1], e[0]));
        assert_ok(shoal_set_parent(f.world, e[2], e[1]));
        assert_status(shoal_destroy(f.world, nobody), SHOAL_ENTITY_NULL); /* the last error there is */
        const shoal_entity both[4][3] = {
            {e[0], e[1], e[2]}, {e[1], e[0], e[1]}, {e[2], e[0], e[0]}, {e[2], e[1], e[0]}};
        assert_ok(shoal_destroy_many(f.world, both[order], 3));
        assert_last_error(f.world, SHOAL_ENTITY_NULL);
        for (int level = SHOAL_LOG_DEBUG; level <= SHOAL_LOG_ERROR; level++) {
            assert_count(f.log_count[level], 0);
        }
        assert_count(shoal_world_entity_count(f.world), 0);
        fixture_end(&f);
    }
}

/* ---- random trees beside a naive one ---- */

#define TREE_SIZE 24u

typedef struct naive_tree {
    shoal_entity entities[TREE_SIZE];
    uint32_t parents[TREE_SIZE]; /* TREE_SIZE: none */
    uint32_t lists[TREE_SIZE][TREE_SIZE];
    uint32_t counts[TREE_SIZE];
} naive_tree;

static void naive_detach(naive_tree *tree, uint32_t child) {
    uint32_t parent = tree->parents[child];
    tree->parents[child] = TREE_SIZE;
    for (uint32_t i = 0, kept = 0; parent != TREE_SIZE && i < tree->counts[parent]; i++) {
        if (tree->lists[parent][i] != child) {
            tree->lists[parent][kept++] = tree->lists[parent][i];
        }
    }
    tree->counts[parent == TREE_SIZE ? 0 : parent] -= parent != TREE_SIZE;
}

/* Puts a detached child in front of `before`, or last. */
static void naive_attach(naive_tree *tree, uint32_t child, uint32_t parent, uint32_t before) {
    uint32_t at = tree->counts[parent]++;
    for (; at > 0 && before != TREE_SIZE; at--) {
        tree->lists[parent][at] = tree->lists[parent][at - 1];
        if (tree->lists[parent][at] == before) {
            at--;
            break;
        }
    }
    tree->lists[parent][at] = child;
    tree->parents[child] = parent;
}

static uint32_t naive_depth(const naive_tree *tree, uint32_t node) {
    uint32_t depth = 0;
    for (; tree->parents[node] != TREE_SIZE; node = tree->parents[node]) {
        depth++;
    }
    return depth;
}

static bool naive_is_below(const naive_tree *tree, uint32_t node, uint32_t above) {
    while (node != TREE_SIZE && node != above) {
        node = tree->parents[node];
    }
    return node == above;
}

static void naive_set_parent(naive_tree *tree, shoal_world *world, uint32_t child, uint32_t parent) {
    bool cycle = naive_is_below(tree, parent, child);
    assert_status(shoal_set_parent(world, tree->entities[child], tree->entities[parent]),
                  cycle ? SHOAL_RELATION_CYCLE : SHOAL_OK);
    if (!cycle && tree->parents[child] != parent) {
        naive_detach(tree, child);
        naive_attach(tree, child, parent, TREE_SIZE);
    }
}

static void naive_order(naive_tree *tree, shoal_world *world, uint32_t child, uint32_t before) {
    bool together = tree->parents[child] != TREE_SIZE && tree->parents[child] == tree->parents[before];
    assert_status(shoal_order_source(world, SHOAL_ID(ChildOf), tree->entities[child], tree->entities[before]),
                  together ? SHOAL_OK : SHOAL_RELATION_MISSING);
    if (together && child != before) {
        uint32_t parent = tree->parents[child];
        naive_detach(tree, child);
        naive_attach(tree, child, parent, before);
    }
}

/* Ends a node with all below it; others take their places. */
static void naive_destroy(naive_tree *tree, shoal_world *world, uint32_t node) {
    bool gone[TREE_SIZE];
    for (uint32_t i = 0; i < TREE_SIZE; i++) {
        gone[i] = naive_is_below(tree, i, node);
    }
    assert_ok(shoal_destroy(world, tree->entities[node]));
    for (uint32_t i = 0; i < TREE_SIZE; i++) {
        assert_count(shoal_is_alive(world, tree->entities[i]), !gone[i]);
    }
    for (uint32_t i = 0; i < TREE_SIZE; i++) {
        if (gone[i]) {
            naive_detach(tree, i);
            tree->entities[i] = spawn_empty(world);
        }
    }
}

/* The walk over the tree below a node: parents first, children in order. */
static void naive_check_walk(const naive_tree *tree, const shoal_world *world, uint32_t root) {
    uint32_t stack[TREE_SIZE], depth = 0;
    shoal_entity at = tree->entities[root];
    stack[depth++] = root;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        assert_entity(at, tree->entities[node]);
        for (uint32_t i = tree->counts[node]; i > 0; i--) {
            stack[depth++] = tree->lists[node][i - 1];
        }
        assert_count(shoal_tree_next(world, SHOAL_ID(ChildOf), tree->entities[root], &at), depth > 0);
    }
}

static void naive_check(const naive_tree *tree, shoal_world *world) {
    assert_valid(world);
    for (uint32_t node = 0; node < TREE_SIZE; node++) {
        shoal_entity children[TREE_SIZE];
        for (uint32_t i = 0; i < tree->counts[node]; i++) {
            children[i] = tree->entities[tree->lists[node][i]];
        }
        check_children(world, tree->entities[node], children, tree->counts[node]);
        uint32_t parent = tree->parents[node];
        assert_entity(shoal_parent(world, tree->entities[node]), parent == TREE_SIZE ? nobody : tree->entities[parent]);
        assert_count(shoal_depth(world, SHOAL_ID(ChildOf), tree->entities[node]), naive_depth(tree, node));
        naive_check_walk(tree, world, node);
    }
}

static void naive_step(naive_tree *tree, shoal_world *world, rng *random) {
    uint32_t node = rng_below(random, TREE_SIZE);
    uint32_t other = rng_below(random, TREE_SIZE);
    switch (rng_below(random, 8)) {
    case 0:
        assert_ok(shoal_set_parent(world, tree->entities[node], nobody));
        naive_detach(tree, node);
        break;
    case 1:
        if (rng_chance(random, 30)) {
            naive_destroy(tree, world, node);
        }
        break;
    case 2:
    case 3:
        naive_order(tree, world, node, other);
        break;
    default:
        naive_set_parent(tree, world, node, other);
        break;
    }
}

static void conf_L4_random_trees(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fixture f;
        fixture_start(&f, NULL);
        rng random = {seed};
        naive_tree tree = {0};
        for (uint32_t i = 0; i < TREE_SIZE; i++) {
            tree.entities[i] = spawn_empty(f.world);
            tree.parents[i] = TREE_SIZE;
        }
        for (uint32_t step = 0; step < 150; step++) {
            test_set_context("seed %u, step %u", (unsigned)seed, step);
            naive_step(&tree, f.world, &random);
            naive_check(&tree, f.world);
        }
        fixture_end(&f);
    }
    test_set_context("%s", "");
}

int main(void) {
    kinds_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_L1_ended_in_every_order), cmocka_unit_test(conf_L2_cycles),
        cmocka_unit_test(conf_L2_self_parent),          cmocka_unit_test(conf_L2_a_chain_of_a_million),
        cmocka_unit_test(conf_L2_a_million_children),   cmocka_unit_test(conf_L3_children_in_ten_archetypes),
        cmocka_unit_test(conf_L4_random_trees),         cmocka_unit_test(conf_L6_parent_and_child_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
