/*
 * Sets of random component values for one call, in the form of the library and in the form of the reference
 * world side by side. The bytes lie in the set itself, so a set must not be copied; end it, so that owning values
 * are released. A set of many rows has one block of bytes for each column.
 */
#ifndef SHOAL_TESTS_VALUE_SET_H
#define SHOAL_TESTS_VALUE_SET_H

#include "naive_world.h"
#include "rng.h"

#define VALUE_SET_MAX 6

typedef struct value_set {
    size_t count;
    naive_value naive[VALUE_SET_MAX];
    shoal_value real[VALUE_SET_MAX];
    kind_buffer buffers[VALUE_SET_MAX];
} value_set;

/* What may be drawn. */
typedef struct value_rules {
    uint32_t max_count;        /* at most VALUE_SET_MAX */
    uint32_t excluded;         /* kinds, as a mask, that must not appear */
    bool mistakes;             /* now and then a kind twice, or a value that the validate hook refuses */
    const shoal_entity *links; /* what links may point at */
    size_t link_count;
} value_rules;

/* Draws from 0 to max_count values. */
void value_set_draw(value_set *set, rng *random, const value_rules *rules);

/* Draws one value with data of one kind. */
void value_set_draw_one(value_set *set, rng *random, const value_rules *rules, value_kind type);

void value_set_end(value_set *set);

/* Columns of `row_count` values; row i of a column has kind_fit(payload + i), links all point at one entity. */
typedef struct column_set {
    size_t row_count;
    size_t count;
    naive_value naive[VALUE_SET_MAX]; /* of row 0; has_data is false where `fill` or the default makes them */
    shoal_value real[VALUE_SET_MAX];
    void *blocks[VALUE_SET_MAX];
} column_set;

/* Draws columns of the kinds that are not excluded; returns the mask of those that it took. */
uint32_t column_set_draw(column_set *set, rng *random, const value_rules *rules, size_t row_count);

/* The payload that a column has in a row. */
uint64_t column_payload(naive_value first, size_t row);

void column_set_end(column_set *set);

#endif
