/*
 * The comparison of full_compare.h, without queries.
 */
#include "full_compare.h"

#include "naive_compare.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const shoal_entity no_entity;

/* The links of the reference world by both ends: chains of 1 + place, in the order of the list. */
typedef struct link_ends {
    size_t (*by_source)[FULL_RELATION_COUNT]; /* for each slot */
    size_t (*by_target)[FULL_RELATION_COUNT];
    size_t *next_of_source; /* for each link */
    size_t *next_of_target;
} link_ends;

static void *checked_calloc(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static link_ends ends_make(const full_world *full) {
    link_ends ends = {.by_source = checked_calloc(full->slots.count, sizeof *ends.by_source),
                      .by_target = checked_calloc(full->slots.count, sizeof *ends.by_target),
                      .next_of_source = checked_calloc(full->link_count, sizeof(size_t)),
                      .next_of_target = checked_calloc(full->link_count, sizeof(size_t))};
    for (size_t i = full->link_count; i-- > 0;) {
        const full_link *link = &full->links[i];
        size_t *source = &ends.by_source[shoal_entity_index(link->source)][link->relation - FULL_RELATION_FIRST];
        size_t *target = &ends.by_target[shoal_entity_index(link->target)][link->relation - FULL_RELATION_FIRST];
        ends.next_of_source[i] = *source;
        ends.next_of_target[i] = *target;
        *source = i + 1;
        *target = i + 1;
    }
    return ends;
}

static void ends_free(link_ends *ends) {
    free(ends->by_source);
    free(ends->by_target);
    free(ends->next_of_source);
    free(ends->next_of_target);
}

/* ---- values ---- */

static void check_payload(uint64_t actual, uint64_t expected, shoal_entity entity, full_type type) {
    if (actual != expected) {
        print_error("entity %" PRIu32 ", %s\n", shoal_entity_index(entity), full_name(type));
        assert_count(actual, expected);
    }
}

static void compare_buffer(const full_slot *slot, shoal_world *world, shoal_entity entity, full_type type) {
    const full_items *items = &slot->items[type - FULL_BUFFER_FIRST];
    shoal_buffer buffer = shoal_buffer_get(world, entity, full_component(type));
    assert_false(shoal_buffer_is_null(buffer));
    assert_count(shoal_buffer_count(buffer), items->count);
    assert_count(shoal_buffer_is_on_heap(buffer), items->count > shoal_buffer_inline_count(buffer));
    const uint64_t *elements = shoal_buffer_items(buffer);
    for (size_t i = 0; i < items->count; i++) {
        check_payload(full_read(type, elements + i), items->payload[i], entity, type);
    }
}

/* A chunk value is whatever its chunk has; it must be one. */
static void compare_value(const full_slot *slot, shoal_world *world, shoal_entity entity, full_type type) {
    if (full_is(type, SHOAL_STORAGE_BUFFER)) {
        compare_buffer(slot, world, entity, type);
    } else if (full_is(type, SHOAL_STORAGE_CHUNK)) {
        bool broken = full_read(type, shoal_get(world, entity, full_component(type))) == FULL_BROKEN;
        assert_count(broken, false);
    } else if (full_has_data(type)) {
        check_payload(full_read(type, shoal_get(world, entity, full_component(type))), slot->payload[type], entity,
                      type);
    }
}

static void check_has(bool actual, bool expected, shoal_entity entity, full_type type) {
    if (actual != expected) {
        print_error("entity %" PRIu32 ", %s\n", shoal_entity_index(entity), full_name(type));
        assert_count(actual, expected);
    }
}

static void compare_components(const full_world *full, const link_ends *ends, shoal_world *world, shoal_entity entity) {
    const full_slot *slot = full_slot_of(full, entity);
    full_mask has = slot->mask | (slot->dying ? full_bit(FULL_DYING) : 0);
    for (full_type type = FULL_RELATION_FIRST; type <= FULL_CHILD_OF; type++) {
        bool any = ends->by_source[shoal_entity_index(entity)][type - FULL_RELATION_FIRST] != 0;
        has |= any ? full_bit(type) : 0;
    }
    full_mask listed = 0;
    shoal_component component = {0};
    while (shoal_next_component(world, entity, &component)) {
        full_type type = full_find(component);
        assert_true(type < FULL_COUNT);
        assert_count(listed >> type & 1, 0);
        listed |= full_bit(type);
    }
    for (full_type type = 0; type <= FULL_DYING; type++) {
        bool present = (has >> type & 1) != 0;
        check_has((listed >> type & 1) != 0, present, entity, type);
        check_has(shoal_has(world, entity, full_component(type)), present, entity, type);
        bool on = present && (slot->disabled >> type & 1) == 0;
        check_has(shoal_is_enabled(world, entity, full_component(type)), on, entity, type);
        if (present && !full_is(type, SHOAL_STORAGE_RELATION)) {
            compare_value(slot, world, entity, type);
        }
    }
}

/* ---- links ---- */

static void compare_targets(const full_world *full, const link_ends *ends, const shoal_world *world,
                            shoal_entity entity, full_type type) {
    shoal_component relation = full_component(type);
    size_t next = ends->by_source[shoal_entity_index(entity)][type - FULL_RELATION_FIRST];
    assert_entity(shoal_target(world, entity, relation), next != 0 ? full->links[next - 1].target : no_entity);
    shoal_target_walk walk = shoal_targets(world, entity, relation);
    for (; next != 0; next = ends->next_of_source[next - 1]) {
        const full_link *link = &full->links[next - 1];
        assert_true(shoal_targets_next(&walk));
        assert_entity(walk.target, link->target);
        assert_true(shoal_is_related(world, entity, relation, link->target));
        assert_count(walk.data != NULL, full_has_data(type));
        if (walk.data != NULL) {
            check_payload(full_read(type, walk.data), link->payload, entity, type);
            assert_ptr_equal(shoal_relation_get(world, entity, relation, link->target), walk.data);
        }
    }
    assert_false(shoal_targets_next(&walk));
}

static void compare_sources(const full_world *full, const link_ends *ends, const shoal_world *world,
                            shoal_entity entity, full_type type) {
    size_t next = ends->by_target[shoal_entity_index(entity)][type - FULL_RELATION_FIRST];
    shoal_source_walk walk = shoal_sources(world, full_component(type), entity);
    size_t count = 0;
    while (shoal_sources_next(&walk)) {
        for (size_t i = 0; i < walk.count; i++, count++) {
            assert_true(next != 0);
            assert_entity(walk.entities[i], full->links[next - 1].source);
            next = ends->next_of_target[next - 1];
        }
    }
    assert_count(next, 0);
    assert_count(shoal_source_count(world, full_component(type), entity), count);
}

static void compare_links(const full_world *full, const link_ends *ends, const shoal_world *world,
                          shoal_entity entity) {
    for (full_type type = FULL_RELATION_FIRST; type <= FULL_CHILD_OF; type++) {
        compare_targets(full, ends, world, entity, type);
        compare_sources(full, ends, world, entity, type);
        if (full_def(type)->acyclic) {
            assert_count(shoal_depth(world, full_component(type), entity), full_depth(full, type, entity));
        }
    }
}

/* ---- names ---- */

static void compare_name(const full_world *full, const shoal_world *world, shoal_entity entity) {
    const full_slot *slot = full_slot_of(full, entity);
    const char *name = shoal_name(world, entity);
    assert_string_equal(name != NULL ? name : "", slot->name);
    shoal_entity parent = full_target(full, FULL_CHILD_OF, entity);
    assert_entity(shoal_parent(world, entity), parent);
    if (slot->name[0] != '\0') {
        assert_entity(shoal_lookup(world, parent, slot->name), entity);
    }
}

/* ---- all ---- */

static void compare_uniques(const full_world *full, const shoal_world *world) {
    for (full_type type = FULL_CLOCK; type <= FULL_JOURNAL; type++) {
        const full_unique *unique = &full->uniques[type - FULL_CLOCK];
        assert_count(shoal_unique_has(world, full_component(type)), unique->is_there);
        assert_count(shoal_unique_tick(world, full_component(type)), unique->is_there ? unique->tick : 0);
        if (unique->is_there) {
            check_payload(full_read(type, shoal_unique_get(world, full_component(type))), unique->payload, no_entity,
                          type);
        }
    }
}

void full_compare(const full_world *full, shoal_world *world) {
    link_ends ends = ends_make(full);
    assert_count(shoal_world_entity_count(world), full->slots.entity_count);
    shoal_entity walker = {0};
    for (size_t index = 0; index < full->slots.count; index++) {
        if (compare_slot(&full->slots, world, index, &walker)) {
            assert_count(shoal_is_dying(world, walker), full_slot_at(full, index)->dying);
            compare_components(full, &ends, world, walker);
            compare_links(full, &ends, world, walker);
            compare_name(full, world, walker);
        }
    }
    assert_false(shoal_next_entity(world, &walker));
    compare_uniques(full, world);
    ends_free(&ends);
}

static uint64_t count_type(const full_world *full, full_type type) {
    uint64_t count = 0;
    for (size_t i = 0; i < full->slots.count; i++) {
        count += full->slots.states[i].alive && (full_slot_at(full, i)->mask >> type & 1) != 0;
    }
    return count;
}

static uint64_t count_links(const full_world *full, full_type type) {
    uint64_t count = 0;
    for (size_t i = 0; i < full->link_count; i++) {
        count += full->links[i].relation == type;
    }
    return count;
}

void full_compare_events(const full_world *full) {
    for (full_type type = 0; type < FULL_ENTITY_COUNT; type++) {
        if (full_tells(type)) {
            bool is_relation = full_is(type, SHOAL_STORAGE_RELATION);
            uint64_t there = is_relation ? count_links(full, type) : count_type(full, type);
            check_payload(full_seen[type].added - full_seen[type].removed, there, no_entity, type);
            check_payload(full_seen[type].faults, 0, no_entity, type);
        }
    }
}

void full_compare_memory(const full_world *full, const shoal_world *world) {
    shoal_memory_report report = compare_report(&full->slots, world);
    assert_count(report.relation_count, full->link_count);
    uint64_t sparse = 0;
    for (full_type type = FULL_SCAN; type <= FULL_RADAR; type++) {
        sparse += count_type(full, type);
    }
    assert_count(report.sparse_count, sparse);
    uint64_t dying = 0;
    for (size_t i = 0; i < full->slots.count; i++) {
        dying += full_slot_at(full, i)->dying;
    }
    assert_count(report.dying_count, dying);
}
