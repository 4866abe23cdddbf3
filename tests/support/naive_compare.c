/*
 * The comparison of naive_compare.h.
 */
#include "naive_compare.h"

#include "test.h"

#include <inttypes.h>
#include <stdlib.h>

/* The kinds of an entity as the library lists them: data components by id, then tags by id. */
static uint32_t listed_mask(const shoal_world *world, shoal_entity entity) {
    size_t count = 0;
    const shoal_component *components = shoal_components_of(world, entity, &count);
    assert_true(components != NULL || count == 0);
    uint32_t mask = 0;
    for (size_t i = 0; i < count; i++) {
        value_kind type = kind_find(components[i]);
        assert_true(type < KIND_COUNT);
        mask |= (uint32_t)1 << type;
        if (i > 0) {
            bool tag_before = kind_is_tag(kind_find(components[i - 1]));
            bool sorted = tag_before == kind_is_tag(type) ? components[i - 1].id < components[i].id : !tag_before;
            assert_true(sorted);
        }
    }
    return mask;
}

static void compare_values(const naive_world *naive, const shoal_world *world, shoal_entity entity) {
    const naive_slot *slot = naive_find(naive, entity);
    for (value_kind type = 0; type < KIND_COUNT; type++) {
        shoal_component component = kind_component(type);
        bool present = (slot->mask >> type & 1) != 0;
        assert_count(shoal_has(world, entity, component), present);
        if (!present || kind_is_tag(type)) {
            continue;
        }
        const void *value = shoal_get(world, entity, component);
        if (value == NULL || kind_read(type, value) != slot->payload[type]) {
            print_error("entity %" PRIu32 ", %s\n", shoal_entity_index(entity), kind_name(type));
            assert_count(value == NULL ? KIND_BROKEN : kind_read(type, value), slot->payload[type]);
        }
    }
}

bool compare_slot(const naive_slots *slots, shoal_world *world, size_t index, shoal_entity *walker) {
    shoal_entity expected = slots_handle(slots, index);
    if (!slots->states[index].alive) {
        assert_true(slots->states[index].retired || !shoal_is_alive(world, expected));
        return false;
    }
    assert_true(shoal_is_alive(world, expected));
    assert_true(shoal_next_entity(world, walker));
    assert_entity(*walker, expected);
    return true;
}

void compare_entities(const naive_world *naive, shoal_world *world) {
    assert_count(shoal_world_entity_count(world), naive->slots.entity_count);
    shoal_entity walker = {0};
    for (size_t index = 0; index < naive->slots.count; index++) {
        if (compare_slot(&naive->slots, world, index, &walker)) {
            assert_count(listed_mask(world, walker), naive_slot_at(naive, index)->mask);
            compare_values(naive, world, walker);
        }
    }
    assert_false(shoal_next_entity(world, &walker));
}

static void compare_batch(const naive_world *naive, shoal_world *world, const shoal_entity *entities, value_kind type) {
    size_t count = naive->slots.count;
    const void **data = calloc(count, sizeof *data);
    void **data_mut = calloc(count, sizeof *data_mut);
    assert_true(data != NULL && data_mut != NULL);
    size_t found = shoal_get_many(world, entities, count, kind_component(type), data);
    assert_count(shoal_get_many_mut(world, entities, count, kind_component(type), data_mut), found);
    for (size_t i = 0; i < count; i++) {
        const naive_slot *slot = naive_slot_at(naive, i);
        bool present = naive->slots.states[i].alive && (slot->mask >> type & 1) != 0;
        assert_ptr_equal(data[i], data_mut[i]);
        assert_count(data[i] != NULL, present);
        assert_count(present ? kind_read(type, data[i]) : 0, present ? slot->payload[type] : 0);
        found -= present;
    }
    assert_count(found, 0);
    free(data);
    free(data_mut);
}

void compare_batches(const naive_world *naive, shoal_world *world) {
    if (naive->slots.count == 0) {
        return;
    }
    shoal_entity *entities = calloc(naive->slots.count, sizeof *entities);
    assert_non_null(entities);
    for (size_t i = 0; i < naive->slots.count; i++) {
        entities[i] = naive->slots.states[i].retired ? (shoal_entity){0} : naive_handle(naive, i);
    }
    for (value_kind type = 0; type < KIND_DATA_COUNT; type++) {
        compare_batch(naive, world, entities, type);
    }
    free(entities);
}

/* ---- queries ---- */

static const void *view_column(const shoal_view *view, const shoal_term *term) {
    bool writes = term->access == SHOAL_ACCESS_WRITE || term->access == SHOAL_ACCESS_OPTIONAL_WRITE ||
                  term->access == SHOAL_ACCESS_ANY_WRITE;
    return writes ? shoal_view_write(view, term->component) : shoal_view_read(view, term->component);
}

static void compare_row(const naive_world *naive, const shoal_view *view, size_t row, const shoal_term *terms,
                        size_t term_count) {
    const naive_slot *slot = naive_find(naive, view->entities[row]);
    assert_non_null(slot);
    assert_true(naive_matches(naive, shoal_entity_index(view->entities[row]), terms, term_count));
    for (size_t i = 0; i < term_count; i++) {
        value_kind type = kind_find(terms[i].component);
        bool no_column = terms[i].access == SHOAL_ACCESS_WITH || terms[i].access == SHOAL_ACCESS_WITHOUT;
        if (no_column || kind_is_tag(type)) {
            continue;
        }
        const unsigned char *column = view_column(view, &terms[i]);
        bool present = (slot->mask >> type & 1) != 0;
        assert_count(column != NULL, present);
        if (present) {
            assert_count(kind_read(type, column + row * kind_size(type)), slot->payload[type]);
        }
    }
}

void compare_query(const naive_world *naive, shoal_world *world, shoal_query *query, const shoal_term *terms,
                   size_t term_count) {
    uint64_t expected = 0;
    for (size_t i = 0; i < naive->slots.count; i++) {
        bool matches = naive_matches(naive, i, terms, term_count);
        if (!naive->slots.states[i].retired) {
            assert_count(shoal_query_matches(query, naive_handle(naive, i)), matches);
        }
        expected += matches;
    }
    assert_count(shoal_query_count(query), expected);
    unsigned char *seen = calloc(naive->slots.count + 1, 1);
    assert_non_null(seen);
    uint64_t rows = 0;
    shoal_view view;
    assert_ok(shoal_view_begin(&view, query));
    while (shoal_view_next(&view)) {
        assert_true(view.count > 0);
        for (size_t row = 0; row < view.count; row++) {
            compare_row(naive, &view, row, terms, term_count);
            assert_count(seen[shoal_entity_index(view.entities[row])]++, 0);
        }
        rows += view.count;
    }
    free(seen);
    assert_count(rows, expected);
    assert_null(shoal_world_lock_holder(world));
}

/* ---- memory and statuses ---- */

shoal_memory_report compare_report(const naive_slots *slots, const shoal_world *world) {
    shoal_memory_report report;
    assert_ok(shoal_world_memory(world, &report));
    size_t sum = 0;
    for (size_t i = 0; i < SHOAL_PURPOSE_COUNT; i++) {
        sum += report.purpose_bytes[i];
    }
    assert_count(sum, report.total_bytes);
    assert_count(report.entity_count, slots->entity_count);
    return report;
}

void compare_memory(const naive_world *naive, const shoal_world *world) {
    shoal_memory_report report = compare_report(&naive->slots, world);
    assert_at_most(report.total_bytes, report.peak_bytes);
    assert_count(report.chunk_used_bytes + report.chunk_unused_bytes, report.chunk_bytes);
    shoal_archetype_info info = {0};
    uint64_t rows = 0;
    uint64_t chunks = 0;
    uint64_t used_bytes = 0;
    uint32_t archetypes = 0;
    while (shoal_archetype_next(world, &info)) {
        assert_at_most(info.row_count, info.row_capacity);
        rows += info.row_count;
        chunks += info.chunk_count;
        used_bytes += info.used_bytes;
        archetypes++;
    }
    assert_count(rows, naive->slots.entity_count);
    assert_count(chunks, report.chunk_count);
    assert_count(used_bytes, report.chunk_used_bytes);
    assert_count(archetypes, report.archetype_count);
}

void compare_outcome(const shoal_world *world, shoal_status actual, naive_outcome expected, const char *what) {
    bool agrees = actual == SHOAL_OK ? expected == 0 : (expected >> actual & 1) != 0;
    if (!agrees) {
        const char *message = actual != SHOAL_OK ? shoal_last_error(world).message : "no error";
        print_error("%s gave \"%s\" (%s), the reference world expects the statuses %#" PRIx64 "\n       at %s\n", what,
                    shoal_status_name(actual), message, expected, test_context);
        fail();
    }
}
