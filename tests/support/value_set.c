/*
 * Random values, see value_set.h.
 */
#include "value_set.h"

#include "test.h"

#include <stdlib.h>

static uint64_t draw_payload(rng *random, const value_rules *rules, value_kind type) {
    if (type == KIND_LINK) {
        bool none = rules->link_count == 0 || rng_chance(random, 10);
        return none ? 0 : rules->links[rng_below(random, (uint32_t)rules->link_count)].bits;
    }
    if (rules->mistakes && type == KIND_GAUGE && rng_chance(random, 10)) {
        return kind_refused_payload(type, rng_next(random));
    }
    return kind_fit(type, rng_next(random));
}

static void set_append(value_set *set, value_kind type, bool has_data, uint64_t payload) {
    size_t i = set->count++;
    set->naive[i] = (naive_value){.type = type, .has_data = has_data, .payload = payload};
    set->real[i] = (shoal_value){.component = kind_component(type)};
    if (has_data && !kind_is_tag(type)) {
        kind_write(type, payload, set->buffers[i].bytes);
        set->real[i].data = set->buffers[i].bytes;
    }
}

void value_set_draw(value_set *set, rng *random, const value_rules *rules) {
    set->count = 0;
    uint32_t taken = rules->excluded;
    uint32_t wanted = rng_below(random, rules->max_count + 1);
    for (uint32_t i = 0; i < wanted; i++) {
        value_kind type = (value_kind)rng_below(random, KIND_COUNT);
        bool twice = (taken >> type & 1) != 0;
        bool allowed = rules->mistakes && (rules->excluded >> type & 1) == 0 && rng_chance(random, 3);
        if (twice && !allowed) {
            continue;
        }
        taken |= (uint32_t)1 << type;
        set_append(set, type, !rng_chance(random, 25), draw_payload(random, rules, type));
    }
}

void value_set_draw_one(value_set *set, rng *random, const value_rules *rules, value_kind type) {
    set->count = 0;
    set_append(set, type, true, draw_payload(random, rules, type));
}

void value_set_end(value_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        if (set->real[i].data != NULL) {
            kind_end(set->naive[i].type, set->buffers[i].bytes);
        }
    }
    set->count = 0;
}

uint64_t column_payload(naive_value first, size_t row) {
    return first.type == KIND_LINK ? first.payload : kind_fit(first.type, first.payload + row);
}

static void column_append(column_set *set, value_kind type, bool has_data, uint64_t payload) {
    size_t i = set->count++;
    set->naive[i] = (naive_value){.type = type, .has_data = has_data, .payload = payload};
    set->real[i] = (shoal_value){.component = kind_component(type)};
    set->blocks[i] = NULL;
    if (!has_data || kind_is_tag(type)) {
        return;
    }
    size_t size = kind_size(type);
    size_t byte_size = ((set->row_count * size + 255) & ~(size_t)255) + 256;
    set->blocks[i] = aligned_alloc(256, byte_size);
    assert_non_null(set->blocks[i]);
    for (size_t row = 0; row < set->row_count; row++) {
        kind_write(type, column_payload(set->naive[i], row), (unsigned char *)set->blocks[i] + row * size);
    }
    set->real[i].data = set->blocks[i];
}

uint32_t column_set_draw(column_set *set, rng *random, const value_rules *rules, size_t row_count) {
    *set = (column_set){.row_count = row_count};
    uint32_t taken = 0;
    uint32_t wanted = rng_below(random, rules->max_count + 1);
    for (uint32_t i = 0; i < wanted; i++) {
        value_kind type = (value_kind)rng_below(random, KIND_COUNT);
        if (((taken | rules->excluded) >> type & 1) == 0) {
            taken |= (uint32_t)1 << type;
            column_append(set, type, rng_chance(random, 70), draw_payload(random, rules, type));
        }
    }
    return taken;
}

void column_set_end(column_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        for (size_t row = 0; row < set->row_count && set->blocks[i] != NULL; row++) {
            value_kind type = set->naive[i].type;
            kind_end(type, (unsigned char *)set->blocks[i] + row * kind_size(type));
        }
        free(set->blocks[i]);
    }
    set->count = 0;
}
