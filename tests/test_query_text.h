/*
 * What the tests of queries as text share: types of every kind that the text tells apart, reading that must work, and
 * checks of what it made. The types are defined in test_query_text_types.c.
 *
 * Texts are read from blocks of exactly their size, so that AddressSanitizer sees a step too far.
 */
#ifndef SHOAL_TESTS_TEST_QUERY_TEXT_H
#define SHOAL_TESTS_TEST_QUERY_TEXT_H

#include "support/fixture.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/query_text.h"

#define CALL "shoal_query_create"

/* ---- the types ---- */

typedef struct Spot {
    float x, y;
} Spot;

typedef struct Speed {
    float x;
} Speed;

typedef struct Body {
    Spot spot;
    float limbs[3];
    char label[8];
    bool is_on;
    uint8_t desc;
    shoal_entity owner;
} Body;

typedef struct Shield {
    int value;
} Shield;

typedef struct Holds {
    int count;
} Holds;

/* Without gaps, so that values can be compared by their bytes. */
typedef struct Team {
    int32_t id;
    char side[11];
    bool is_hostile;
} Team;

typedef struct Part {
    int16_t weight;
    Spot spot;
} Part;

typedef struct Setup {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    shoal_entity leader;
    Part part;
    Part parts[2];
    uint8_t numbers[3];
    char up;
    Spot opaque;
} Setup;

typedef struct Blob {
    int value;
} Blob;

typedef struct Hooked {
    int value;
} Hooked;

SHOAL_COMPONENT_DECLARE(Spot)
SHOAL_COMPONENT_DECLARE(Speed)
SHOAL_COMPONENT_DECLARE(Body)
SHOAL_COMPONENT_DECLARE(Shield)
SHOAL_COMPONENT_DECLARE(Holds)
SHOAL_COMPONENT_DECLARE(Team)
SHOAL_COMPONENT_DECLARE(Setup)
SHOAL_COMPONENT_DECLARE(Blob)
SHOAL_COMPONENT_DECLARE(Hooked)
SHOAL_COMPONENT_DECLARE(Asleep)
SHOAL_COMPONENT_DECLARE(Player)
SHOAL_COMPONENT_DECLARE(Ally)
SHOAL_COMPONENT_DECLARE(Owner)
SHOAL_COMPONENT_DECLARE(Docked)

/* Names that are no words of the language, or are keywords. */
extern shoal_component odd, keyword, umlaut;

/* Registers all of them; ends the program when one is refused. */
void types_register(void);

/* ---- reading ---- */

/* Reads a copy that ends with its block. */
static inline shoal_status read_copy(fixture *f, const char *text, query_text *parsed) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, text, size);
    shoal_status status = query_text_parse(f->world, copy, parsed, CALL);
    free(copy);
    return status;
}

static inline query_text read_ok(fixture *f, const char *text) {
    query_text parsed;
    test_set_context("text: %s", text);
    shoal_status status = read_copy(f, text, &parsed);
    if (status != SHOAL_OK) {
        print_error("%s\n", shoal_last_error(f->world).message);
    }
    assert_ok(status);
    return parsed;
}

static inline void check_term(const query_text *parsed, size_t number, shoal_term expected) {
    assert_true(number < parsed->term_count);
    const shoal_term *term = &parsed->terms[number];
    assert_count(term->component.id, expected.component.id);
    assert_count(term->access, expected.access);
    assert_count(term->group, expected.group);
    assert_count(term->state, expected.state);
    assert_entity(term->target, expected.target);
    assert_count(term->traverse, expected.traverse);
    assert_count(term->along.id, expected.along.id);
    assert_int_equal(term->value != NULL, expected.value != NULL);
    if (expected.value != NULL) {
        assert_memory_equal(term->value, expected.value, shoal_component_info(expected.component)->size);
    }
}

/* Checks that the text has just these terms, and no settings. */
static inline void check_terms(fixture *f, const char *text, const shoal_term *terms, size_t term_count) {
    query_text parsed = read_ok(f, text);
    assert_count(parsed.term_count, term_count);
    for (size_t i = 0; i < term_count; i++) {
        check_term(&parsed, i, terms[i]);
    }
    assert_count(parsed.order_by.id, 0);
    assert_string_equal(parsed.order_field, "");
    assert_false(parsed.descending);
    assert_count(parsed.group_by.id, 0);
    assert_false(parsed.groups_descending);
    query_text_release(f->world, &parsed);
    assert_count(parsed.term_count, 0);
    assert_null(parsed.terms);
}

#define CHECK_TERMS(f, text, ...)                                                                                      \
    check_terms((f), (text), (const shoal_term[]){__VA_ARGS__},                                                        \
                sizeof((const shoal_term[]){__VA_ARGS__}) / sizeof(shoal_term))

static inline shoal_entity handle_of(uint64_t index, uint64_t generation, uint64_t tag) {
    return (shoal_entity){UINT64_C(1) << 63 | tag << 48 | generation << 32 | index};
}

#endif
