/*
 * The table of objects behind owned.h. Objects are appended and never reused, so that an old number is always
 * known as ended. The table lives until the process ends.
 */
#include "owned.h"

#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct object {
    const tracker *owner;
    const void *holder; /* where its value lies */
    uint32_t payload;
    bool live;
} object;

static object *objects; /* object n is objects[n - 1] */
static size_t object_count;
static size_t object_capacity;

static void owned_fault(tracker *track, const char *what, uint64_t number) {
    track->error_count++;
    if (track->error_count == 1) {
        snprintf(track->first_error, sizeof track->first_error, "%s: %s (object %" PRIu64 ")", track->name, what,
                 number);
    }
}

static object *object_find(uint64_t number) {
    return number != 0 && number <= object_count ? &objects[number - 1] : NULL;
}

static void object_make(tracker *track, Owned *value, uint32_t payload) {
    if (object_count == object_capacity) {
        object_capacity = object_capacity != 0 ? object_capacity * 2 : 1024;
        objects = realloc(objects, object_capacity * sizeof *objects);
        assert_non_null(objects);
    }
    objects[object_count++] = (object){.owner = track, .holder = value, .payload = payload, .live = true};
    value->object = object_count;
    track->live++;
}

/* The live object of a value; NULL for an empty value, and with a fault when the value is none. */
static object *object_of(tracker *track, const Owned *value, const char *hook) {
    object *found = object_find(value->object);
    if (found == NULL) {
        if (value->object != 0 || track->has_ctor) {
            owned_fault(track, hook, value->object);
        }
        return NULL;
    }
    if (!found->live || found->owner != track || (track->follows && found->holder != value)) {
        owned_fault(track, hook, value->object);
        return NULL;
    }
    return found;
}

static bool owned_must_fail(tracker *track) {
    if (track->countdown == 0) {
        return false;
    }
    track->countdown--;
    if (track->countdown != 0) {
        return false;
    }
    track->failed_count++;
    return true;
}

bool owned_ctor(void *values, size_t count, void *user) {
    tracker *track = user;
    if (owned_must_fail(track)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        object_make(track, (Owned *)values + i, OWNED_CTOR_PAYLOAD);
    }
    track->ctor_values += count;
    return true;
}

bool owned_copy(void *values, const void *source, size_t count, void *user) {
    tracker *track = user;
    if (owned_must_fail(track)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        Owned *value = (Owned *)values + i;
        const object *original = object_of(track, (const Owned *)source + i, "copy of what is no value");
        value->object = 0;
        if (original != NULL) {
            object_make(track, value, original->payload);
        }
    }
    track->copy_values += count;
    return true;
}

void owned_move(void *values, void *source, size_t count, void *user) {
    tracker *track = user;
    for (size_t i = 0; i < count; i++) {
        Owned *from = (Owned *)source + i;
        Owned *to = (Owned *)values + i;
        object *moved = object_of(track, from, "move of what is no value");
        if (moved != NULL) {
            moved->holder = to;
        }
        to->object = from->object;
        from->object = OWNED_MOVED;
    }
    track->move_values += count;
}

void owned_dtor(void *values, size_t count, void *user) {
    tracker *track = user;
    for (size_t i = 0; i < count; i++) {
        owned_end(track, (Owned *)values + i);
    }
    track->dtor_values += count;
}

void owned_make(tracker *track, Owned *value, uint32_t payload) {
    object_make(track, value, payload);
}

void owned_end(tracker *track, Owned *value) {
    object *ended = object_of(track, value, "end of what is no value");
    if (ended != NULL) {
        ended->live = false;
        track->live--;
    }
    value->object = OWNED_MOVED;
}

bool owned_read(const tracker *track, const Owned *value, uint32_t *payload) {
    *payload = 0;
    if (value->object == 0 && !track->has_ctor) {
        return true;
    }
    const object *found = object_find(value->object);
    if (found == NULL || !found->live || found->owner != track || (track->follows && found->holder != value)) {
        return false;
    }
    *payload = found->payload;
    return true;
}

bool owned_is_live(uint64_t object_number) {
    const object *found = object_find(object_number);
    return found != NULL && found->live;
}

void owned_reset_counts(tracker *track) {
    track->ctor_values = 0;
    track->copy_values = 0;
    track->move_values = 0;
    track->dtor_values = 0;
}

void owned_arm(tracker *track, size_t n) {
    track->countdown = n;
    track->failed_count = 0;
}

bool owned_disarm(tracker *track) {
    track->countdown = 0;
    return track->failed_count != 0;
}

void owned_check(const tracker *track, int64_t live, const char *file, int line) {
    if (track->error_count != 0) {
        print_error("%zu faults in hooks, the first: %s\n", track->error_count, track->first_error);
    }
    if (track->live != live) {
        print_error("%s: %" PRId64 " objects live, expected %" PRId64 "\n", track->name, track->live, live);
    }
    if (track->error_count != 0 || track->live != live) {
        if (test_context[0] != '\0') {
            print_error("       at %s\n", test_context);
        }
        _fail(file, line);
    }
}
