/*
 * The public calls on names and paths; see shoal/relation.h and storage/name.h.
 *
 * A name belongs to the pair of an entity and its parent by ChildOf, which is null for a root. Who changes the parent
 * moves the name along (loose.c). A path is looked up part by part from the top, and written from the bottom, where its
 * length is known. Thread rule: naming is "world", all else "read".
 */
#include "../base/utf8.h"
#include "change.h"
#include "loose.h"

#include <string.h>

/* The parent by ChildOf, or null. */
static shoal_entity parent_of(const shoal_world *world, shoal_entity entity) {
    const relation_store *store = store_relation(world, world->child_of_id);
    return store != NULL ? relation_target(store, entity) : (shoal_entity){0};
}

/* ---- naming ---- */

static shoal_status name_refuse(shoal_world *world, shoal_status status, shoal_entity entity, const char *name,
                                const char *call) {
    if (status == SHOAL_NAME_TAKEN) {
        char text[SHOAL_ENTITY_TEXT_SIZE];
        shoal_entity holder = name_find(&world->names, parent_of(world, entity), name, strlen(name));
        (void)shoal_entity_format(holder, text, sizeof text);
        return error_detail(world_error(world), status, call, "entity %s with the same parent is called \"%.100s\"",
                            text, name);
    }
    size_t place = 0;
    const char *fault = status == SHOAL_NAME_INVALID ? name_check(name, &place) : NULL;
    return fault != NULL ? error_detail(world_error(world), status, call, "the name %s at byte %zu", fault, place)
                         : error_entity(world_error(world), status, call, entity);
}

shoal_status shoal_set_name(shoal_world *world, shoal_entity entity, const char *name) {
    static const char call[] = "shoal_set_name";
    if (world == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    const index_record *record = index_find(&world->index, entity);
    if (record == NULL) {
        return world_fail_entity(world, call, entity);
    }
    if (name == NULL) {
        name_remove(&world->names, entity);
        return SHOAL_OK;
    }
    if (row_of(world, record).archetype->hidden & ARCHETYPE_DYING) {
        return error_entity(world_error(world), SHOAL_ENTITY_DYING, call, entity);
    }
    shoal_status status = name_set(&world->names, entity, parent_of(world, entity), name);
    if (status != SHOAL_OK) {
        return name_refuse(world, status, entity, name, call);
    }
    index_set_extra(&world->index, shoal_entity_index(entity)); /* so that its end takes the name away */
    return SHOAL_OK;
}

/* ---- asking ---- */

/* Stores why a handle is bad; true when it is good. */
static bool handle_is_good(const shoal_world *world, shoal_entity entity, const char *call) {
    if (world != NULL && LIKELY(index_find(&world->index, entity) != NULL)) {
        return true;
    }
    shoal_status why = world != NULL ? index_why(&world->index, entity) : SHOAL_INVALID_ARGUMENT;
    (void)world_fail_reader(world, why, call, entity, (shoal_component){0});
    return false;
}

const char *shoal_name(const shoal_world *world, shoal_entity entity) {
    return handle_is_good(world, entity, "shoal_name") ? name_of(&world->names, entity) : NULL;
}

/* ---- paths to entities ---- */

/* The bytes of a path's first part. */
static size_t part_length(const char *path) {
    return strcspn(path, "/");
}

/* What is wrong with one part, and at which of its bytes; NULL: nothing. */
static const char *part_fault(const char *part, size_t *place) {
    char text[SHOAL_NAME_BYTES + 5]; /* of a part that is too long, enough to see that */
    size_t length = part_length(part);
    length = length < sizeof text - 1 ? length : sizeof text - 1;
    memcpy(text, part, length);
    text[length] = '\0';
    return name_check(text, place);
}

/* Why a path leads nowhere: it has a part that can be no name, wherever that is, or `missing` names nothing. */
COLD static shoal_entity lookup_refuse(const shoal_world *world, const char *path, const char *missing,
                                       const char *call) {
    error_record *record = error_thread_record_of(world);
    bool is_valid = true;
    for (const char *part = path; is_valid; part += part_length(part) + 1) {
        size_t place = 0;
        const char *fault = part_fault(part, &place);
        if (fault != NULL) {
            (void)error_detail(record, SHOAL_NAME_INVALID, call, "a part of the path %s at byte %zu", fault,
                               (size_t)(part - path) + place);
            is_valid = false;
        }
        if (part[part_length(part)] == '\0') {
            break;
        }
    }
    if (is_valid) {
        size_t length = part_length(missing);
        (void)error_detail(record, SHOAL_NOT_FOUND, call, "no entity for \"%.*s\" at byte %zu of the path", (int)length,
                           missing, (size_t)(missing - path));
    }
    return (shoal_entity){0};
}

shoal_entity shoal_lookup(const shoal_world *world, shoal_entity from, const char *path) {
    static const char call[] = "shoal_lookup";
    if (world == NULL || path == NULL) {
        (void)world_fail_reader(world, SHOAL_INVALID_ARGUMENT, call, from, (shoal_component){0});
        return (shoal_entity){0};
    }
    if (!shoal_entity_is_null(from) && !handle_is_good(world, from, call)) {
        return (shoal_entity){0};
    }
    const char *missing = path;
    shoal_entity found = name_walk(&world->names, from, path, &missing);
    return shoal_entity_is_null(found) ? lookup_refuse(world, path, missing, call) : found;
}

/* ---- paths of entities ---- */

/* The text that stands for one entity: its name, or its handle in `room`. */
static const char *label_of(const shoal_world *world, shoal_entity entity, char room[SHOAL_ENTITY_TEXT_SIZE]) {
    const char *name = name_of(&world->names, entity);
    if (name != NULL) {
        return name;
    }
    (void)shoal_entity_format(entity, room, SHOAL_ENTITY_TEXT_SIZE);
    return room;
}

/* Bytes of the whole path. */
static size_t path_length(const shoal_world *world, shoal_entity entity) {
    char room[SHOAL_ENTITY_TEXT_SIZE];
    size_t length = strlen(label_of(world, entity, room));
    for (shoal_entity at = parent_of(world, entity); !shoal_entity_is_null(at); at = parent_of(world, at)) {
        length += strlen(label_of(world, at, room)) + 1;
    }
    return length;
}

/* Writes what of `part`, which begins at byte `start` of the path, is in front of byte `end`. */
static void part_write(char *text, size_t start, size_t end, const char *part, size_t length) {
    if (start < end) {
        memcpy(text + start, part, length < end - start ? length : end - start);
    }
}

/* Where a text that was cut ends, so that no part of a UTF-8 sequence stays. It is terminated at `end`. */
static size_t cut_end(const char *text, size_t end) {
    size_t behind_first = end; /* of the last sequence */
    while (behind_first > 0 && ((unsigned char)text[behind_first - 1] & 0xC0) == 0x80) {
        behind_first--;
    }
    size_t length = 1;
    if (behind_first > 0) {
        (void)utf8_decode((const unsigned char *)text + behind_first - 1, &length);
    }
    return length != 0 ? end : behind_first - 1;
}

size_t shoal_path(const shoal_world *world, shoal_entity entity, char *text, size_t size) {
    static const char call[] = "shoal_path";
    if (text != NULL && size != 0) {
        text[0] = '\0';
    }
    if (text == NULL && size != 0) {
        (void)world_fail_reader(world, SHOAL_INVALID_ARGUMENT, call, entity, (shoal_component){0});
        return 0;
    }
    if (!handle_is_good(world, entity, call)) {
        return 0;
    }
    size_t length = path_length(world, entity);
    if (size == 0) {
        return length;
    }
    size_t end = length < size - 1 ? length : size - 1;
    size_t start = length;
    for (shoal_entity at = entity; !shoal_entity_is_null(at); at = parent_of(world, at)) {
        char room[SHOAL_ENTITY_TEXT_SIZE];
        const char *label = label_of(world, at, room);
        size_t label_length = strlen(label);
        start -= label_length;
        part_write(text, start, end, label, label_length);
        if (start != 0) {
            part_write(text, --start, end, "/", 1);
        }
    }
    text[end] = '\0';
    text[cut_end(text, end)] = '\0';
    return length;
}
