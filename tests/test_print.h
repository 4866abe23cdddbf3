/*
 * What the tests of printing share: a sink that collects what a writer is given, stops where it is told to and watches
 * the rules of the callback; and the check of short writes at every byte.
 */
#ifndef SHOAL_TESTS_TEST_PRINT_H
#define SHOAL_TESTS_TEST_PRINT_H

#include "support/calls.h"
#include "support/test.h"
#include "support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sink {
    text_buffer written;
    size_t room;  /* bytes that it takes, then it writes short */
    bool is_full; /* has written short */
    size_t call_count;
    size_t empty_call_count; /* calls without a byte: none is wanted */
    size_t late_call_count;  /* calls after a short write: none is wanted */
    shoal_world *world;      /* when set: each call tries a structural change, which must be refused */
    size_t refused_count;
    char holder[64]; /* of the world's lock in the last call */
} sink;

static inline sink sink_make(size_t room) {
    return (sink){.room = room};
}

static inline void sink_free(sink *s) {
    text_free(&s->written);
    *s = (sink){0};
}

static inline void sink_try_change(sink *s) {
    const char *holder = shoal_world_lock_holder(s->world);
    snprintf(s->holder, sizeof s->holder, "%s", holder != NULL ? holder : "");
    shoal_entity entity = shoal_spawn(s->world, NULL, 0);
    s->refused_count += shoal_entity_is_null(entity) && shoal_last_error(s->world).status == SHOAL_WORLD_LOCKED;
}

static inline size_t sink_write(void *user, const char *text, size_t size) {
    sink *s = user;
    s->call_count++;
    s->empty_call_count += size == 0;
    s->late_call_count += s->is_full;
    if (s->world != NULL) {
        sink_try_change(s);
    }
    size_t taken = size < s->room ? size : s->room;
    s->is_full = taken < size;
    text_add_bytes(&s->written, text, taken);
    s->room -= s->room != SIZE_MAX ? taken : 0;
    return taken;
}

/* The whole text, and both texts on failure. */
static inline void sink_check(const sink *s, const char *expected, const char *file, int line) {
    const char *text = s->written.text != NULL ? s->written.text : "";
    if (s->written.length != strlen(expected) || strcmp(text, expected) != 0) {
        print_error("gave\n%s\nexpected\n%s\n", text, expected);
        _fail(file, line);
    }
}
#define assert_sink(s, expected) sink_check((s), (expected), __FILE__, __LINE__)

/* The text is the expected one, in which `@` stands for the world's tag in handles; frees the sink. */
static inline void check_tagged(const shoal_world *world, sink *s, const char *expected, const char *file, int line) {
    char full[4096];
    size_t used = 0;
    for (; *expected != '\0'; expected++) {
        assert_true(used + 16 < sizeof full);
        full[used++] = *expected;
        if (*expected == '@') {
            used += (size_t)snprintf(full + used, sizeof full - used, "%u", (unsigned)shoal_world_tag(world));
        }
    }
    full[used] = '\0';
    sink_check(s, full, file, line);
    sink_free(s);
}

/* Some call that writes: `context` says of what. */
typedef shoal_status (*emit_fn)(void *context, shoal_write_fn write, void *user);

static inline shoal_status emit_query(void *context, shoal_write_fn write, void *user) {
    return shoal_csv_query(context, write, user);
}

static inline shoal_status emit_memory(void *context, shoal_write_fn write, void *user) {
    return shoal_print_memory(context, 0, write, user);
}

/* What a call writes when it works. */
static inline sink sink_of(emit_fn emit, void *context) {
    sink s = sink_make(SIZE_MAX);
    assert_ok(emit(context, sink_write, &s));
    return s;
}

/* For every n below the length of the text, a writer that takes n bytes and no more gets the first n, is not called
   again, and the call says WRITE_FAILED with its name and leaves the world unlocked. */
static inline void check_short_writes(shoal_world *world, emit_fn emit, void *context, const char *call) {
    sink whole = sink_make(SIZE_MAX);
    assert_ok(emit(context, sink_write, &whole));
    assert_true(whole.written.length > 0);
    for (size_t room = 0; room <= whole.written.length; room++) {
        test_set_context("%s, a writer of %zu bytes", call, room);
        sink s = sink_make(room);
        assert_status(emit(context, sink_write, &s), room < whole.written.length ? SHOAL_WRITE_FAILED : SHOAL_OK);
        assert_count(s.written.length, room);
        assert_memory_equal(room > 0 ? s.written.text : "", whole.written.text, room);
        assert_count(s.late_call_count, 0);
        assert_count(s.empty_call_count, 0);
        assert_null(shoal_world_lock_holder(world));
        if (room < whole.written.length) {
            assert_last_error(world, SHOAL_WRITE_FAILED);
            assert_message_has(world, call);
        }
        sink_free(&s);
    }
    test_set_context("%s", "");
    sink_free(&whole);
    assert_valid(world);
}

#endif
