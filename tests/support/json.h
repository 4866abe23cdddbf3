/*
 * What a writer has written, read by a JSON library that knows nothing of this one; it checks the UTF-8 as well. For
 * test programs that are linked with jansson.
 */
#ifndef SHOAL_TESTS_JSON_H
#define SHOAL_TESTS_JSON_H

#include "test.h"
#include "text.h"

#include <jansson.h>
#include <string.h>

/* The caller gives it back with json_decref(). Keys that come twice are refused. */
static inline json_t *json_of(const text_buffer *text) {
    json_error_t error;
    json_t *root = json_loadb(text->text, text->length, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        print_error("line %d, column %d: %s\n", error.line, error.column, error.text);
    }
    assert_non_null(root);
    return root;
}

/* A member that must be there. */
static inline json_t *json_member(const json_t *object, const char *key) {
    json_t *member = json_object_get(object, key);
    if (member == NULL) {
        print_error("no member \"%s\"\n", key);
    }
    assert_non_null(member);
    return member;
}

static inline const char *json_text(const json_t *object, const char *key) {
    const char *text = json_string_value(json_member(object, key));
    assert_non_null(text);
    return text;
}

static inline uint64_t json_count(const json_t *object, const char *key) {
    const json_t *member = json_member(object, key);
    assert_true(json_is_integer(member));
    return (uint64_t)json_integer_value(member);
}

static inline bool json_flag(const json_t *object, const char *key) {
    const json_t *member = json_member(object, key);
    assert_true(json_is_boolean(member));
    return json_is_true(member);
}

/* The elements of an array of texts, each with a space behind it, are these. */
static inline void json_check_texts(const json_t *array, const char *expected, const char *file, int line) {
    text_buffer texts = {0};
    text_add(&texts, "%s", "");
    for (size_t i = 0; i < json_array_size(array); i++) {
        text_add(&texts, "%s ", json_string_value(json_array_get(array, i)));
    }
    if (!json_is_array(array) || strcmp(texts.text, expected) != 0) {
        print_error("has \"%s\", expected \"%s\"\n", texts.text, expected);
        _fail(file, line);
    }
    text_free(&texts);
}
#define assert_texts(object, key, expected)                                                                            \
    json_check_texts(json_member((object), (key)), (expected), __FILE__, __LINE__)

#endif
