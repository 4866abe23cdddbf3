/*
 * The types of test_kind_types.h, their values, and the hooks of those that are told. Trackers, slots and names are
 * numbered like the types; a hook finds its type by its tracker, which is its `user`.
 */
#include "test_kind_types.h"

#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- types ---- */

#define NEEDS(number) ((number) + 1)

static const kind_case kinds[CASE_COUNT] = {
    [CASE_NUMBER] = {.name = "Number", .form = FORM_NUMBER},
    [CASE_MARK] = {.name = "Mark"},
    [CASE_OBJECT] = {.name = "Object", .form = FORM_OWNED},
    [CASE_REFERENCE] = {.name = "Reference", .form = FORM_REFERENCE},
    [CASE_JUDGED] = {.name = "Judged", .form = FORM_NUMBER, .validated = true},
    [CASE_SPARSE] = {.name = "Sparse", .storage = SHOAL_STORAGE_SPARSE, .form = FORM_NUMBER},
    [CASE_SPARSE_MARK] = {.name = "SparseMark", .storage = SHOAL_STORAGE_SPARSE},
    [CASE_SPARSE_OBJECT] = {.name = "SparseObject",
                            .storage = SHOAL_STORAGE_SPARSE,
                            .form = FORM_OWNED,
                            .stable = true},
    [CASE_SHARED] = {.name = "Shared", .storage = SHOAL_STORAGE_SHARED, .form = FORM_NUMBER},
    [CASE_SHARED_OBJECT] = {.name = "SharedObject", .storage = SHOAL_STORAGE_SHARED, .form = FORM_OWNED},
    [CASE_CHUNK] = {.name = "Chunk", .storage = SHOAL_STORAGE_CHUNK, .form = FORM_NUMBER},
    [CASE_BUFFER] = {.name = "Buffer", .storage = SHOAL_STORAGE_BUFFER, .form = FORM_REFERENCE},
    [CASE_BUFFER_OBJECT] = {.name = "BufferObject",
                            .storage = SHOAL_STORAGE_BUFFER,
                            .form = FORM_OWNED,
                            .validated = true},
    [CASE_GATE] = {.name = "Gate", .form = FORM_NUMBER, .toggle = true},
    [CASE_GATE_MARK] = {.name = "GateMark", .toggle = true},
    [CASE_GATE_BUFFER] = {.name = "GateBuffer", .storage = SHOAL_STORAGE_BUFFER, .form = FORM_NUMBER, .toggle = true},
    [CASE_CLEANUP] = {.name = "Cleanup", .form = FORM_OWNED, .cleanup = true},
    [CASE_CLEANUP_MARK] = {.name = "CleanupMark", .cleanup = true, .toggle = true},
    [CASE_CLEANUP_BUFFER] = {.name = "CleanupBuffer",
                             .storage = SHOAL_STORAGE_BUFFER,
                             .form = FORM_OWNED,
                             .cleanup = true},
    [CASE_OUTER] = {.name = "Outer", .form = FORM_NUMBER, .required = {NEEDS(CASE_INNER), NEEDS(CASE_SPARSE)}},
    [CASE_INNER] = {.name = "Inner", .required = {NEEDS(CASE_GATE)}},
    [CASE_MANY] = {.name = "Many", .storage = SHOAL_STORAGE_RELATION},
    [CASE_MANY_NUMBERS] = {.name = "ManyNumbers",
                           .storage = SHOAL_STORAGE_RELATION,
                           .form = FORM_NUMBER,
                           .validated = true},
    [CASE_ONE_OBJECT] = {.name = "OneObject", .storage = SHOAL_STORAGE_RELATION, .form = FORM_OWNED, .exclusive = true},
    [CASE_REFUSES] = {.name = "Refuses", .storage = SHOAL_STORAGE_RELATION, .policy = SHOAL_TARGET_REFUSE},
    [CASE_DESTROYS] = {.name = "Destroys", .storage = SHOAL_STORAGE_RELATION, .policy = SHOAL_TARGET_DESTROY},
    [CASE_SPLITS] = {.name = "Splits", .storage = SHOAL_STORAGE_RELATION, .exclusive = true, .split = true},
    [CASE_TREE] = {.name = "Tree", .storage = SHOAL_STORAGE_RELATION, .form = FORM_REFERENCE, .acyclic = true},
    [CASE_LEFT] = {.name = "Left", .form = FORM_OWNED, .required = {NEEDS(CASE_RIGHT)}},
    [CASE_RIGHT] = {.name = "Right", .form = FORM_OWNED, .required = {NEEDS(CASE_LEFT), NEEDS(CASE_MARK)}},
    [CASE_RULED] = {.name = "Ruled",
                    .form = FORM_NUMBER,
                    .validated = true,
                    .required = {NEEDS(CASE_INNER), NEEDS(CASE_LEFT)}},
    [CASE_MANY_NEEDING] = {.name = "ManyNeeding",
                           .storage = SHOAL_STORAGE_RELATION,
                           .form = FORM_NUMBER,
                           .required = {NEEDS(CASE_OUTER)}},
    [CASE_SPARSE_NEEDING] = {.name = "SparseNeeding",
                             .storage = SHOAL_STORAGE_SPARSE,
                             .form = FORM_OWNED,
                             .required = {NEEDS(CASE_INNER)}},
    [CASE_CLEANUP_NEEDING] = {.name = "CleanupNeeding",
                              .form = FORM_NUMBER,
                              .cleanup = true,
                              .required = {NEEDS(CASE_CLEANUP), NEEDS(CASE_SPARSE)}},
    [CASE_CHUNK_OBJECT] = {.name = "ChunkObject", .storage = SHOAL_STORAGE_CHUNK, .form = FORM_OWNED},
};

static const kind_case child_of_case = {.name = "ChildOf", .storage = SHOAL_STORAGE_RELATION, .acyclic = true};

static shoal_component_slot slots[2 * CASE_COUNT];
static tracker trackers[2 * CASE_COUNT];
static char names[2 * CASE_COUNT][32];

const kind_case *case_of(size_t type) {
    return type == CHILD_OF ? &child_of_case : &kinds[type % CASE_COUNT];
}

const char *name_of_type(size_t type) {
    return type == CHILD_OF ? "ChildOf" : names[type];
}

shoal_component component_of(size_t type) {
    return type == CHILD_OF ? SHOAL_ID(ChildOf) : shoal_component_of(&slots[type]);
}

size_t type_of(shoal_component component) {
    size_t type = 0;
    while (type < TYPE_COUNT && component_of(type).id != component.id) {
        type++;
    }
    return type;
}

bool is_relation(size_t type) {
    return case_of(type)->storage == SHOAL_STORAGE_RELATION;
}

/* What a value holds; UINT32_MAX when it is broken. */
uint32_t item_read(size_t type, const void *value) {
    uint32_t payload = 0;
    switch (case_of(type)->form) {
    case FORM_NUMBER:
        return *(const uint32_t *)value;
    case FORM_OWNED:
        return owned_read(&trackers[type], value, &payload) ? payload : UINT32_MAX;
    case FORM_REFERENCE:
        return ((const reference *)value)->number;
    default:
        return 0;
    }
}

size_t item_size(size_t type) {
    static const size_t sizes[] = {0, sizeof(uint32_t), sizeof(Owned), sizeof(reference)};
    return sizes[case_of(type)->form];
}

/* ---- what the hooks see ---- */

witness witnesses[2];

static void witness_blame(witness *seen, const char *what, const shoal_component_event *event) {
    if (seen->fault[0] == '\0') {
        snprintf(seen->fault, sizeof seen->fault, "%s: %s of entity %" PRIu32, what,
                 shoal_component_info(event->component)->name, shoal_entity_index(event->entity));
    }
}

static witness_entry *witness_find(witness *seen, uint32_t type, shoal_entity entity, shoal_entity target) {
    for (size_t i = 0; i < seen->count; i++) {
        witness_entry *entry = &seen->entries[i];
        if (entry->type == type && entry->entity.bits == entity.bits && entry->target.bits == target.bits) {
            return entry;
        }
    }
    return NULL;
}

static void witness_write(witness *seen, const char *what, uint32_t type, const shoal_component_event *event) {
    bool shows = event->value != NULL && case_of(type)->storage != SHOAL_STORAGE_BUFFER &&
                 case_of(type)->storage != SHOAL_STORAGE_CHUNK;
    int added = snprintf(seen->events + seen->length, sizeof seen->events - seen->length,
                         "%s %s %" PRIu32 " to %" PRIu32 " = %" PRIu32 "\n", what, names[type],
                         shoal_entity_index(event->entity), shoal_entity_index(event->target),
                         shows ? item_read(type, event->value) : 0);
    size_t length = seen->length + (size_t)added;
    seen->length = length < sizeof seen->events ? length : sizeof seen->events - 1;
}

/* The list that an event belongs to, with the checks that every event must pass. */
static witness *witness_enter(const shoal_component_event *event, uint32_t type, const char *what) {
    witness *seen = event->world == witnesses[0].world ? &witnesses[0] : &witnesses[1];
    if (!shoal_has(event->world, event->entity, event->component) ||
        (is_relation(type) && !shoal_is_related(event->world, event->entity, event->component, event->target))) {
        witness_blame(seen, "told of what is not there", event);
    }
    if (case_of(type)->storage != SHOAL_STORAGE_BUFFER && event->value != NULL && item_size(type) != 0 &&
        item_read(type, event->value) == UINT32_MAX) {
        witness_blame(seen, "no value", event);
    }
    if ((event->value == NULL) != (item_size(type) == 0)) {
        witness_blame(seen, "a value missing or too many", event);
    }
    witness_write(seen, what, type, event);
    if (seen->also != NULL) {
        seen->also(seen, what, event, seen->user);
    }
    return seen;
}

static void told_add(const shoal_component_event *event, void *user) {
    uint32_t type = (uint32_t)((tracker *)user - trackers);
    witness *seen = witness_enter(event, type, "add");
    if (witness_find(seen, type, event->entity, event->target) != NULL) {
        witness_blame(seen, "added twice", event);
    } else if (seen->count < sizeof seen->entries / sizeof seen->entries[0]) {
        seen->entries[seen->count++] = (witness_entry){type, event->entity, event->target};
    }
}

static void told_set(const shoal_component_event *event, void *user) {
    uint32_t type = (uint32_t)((tracker *)user - trackers);
    witness *seen = witness_enter(event, type, "set");
    if (witness_find(seen, type, event->entity, event->target) == NULL) {
        witness_blame(seen, "set before it was added", event);
    }
}

static void told_remove(const shoal_component_event *event, void *user) {
    uint32_t type = (uint32_t)((tracker *)user - trackers);
    witness *seen = witness_enter(event, type, "remove");
    witness_entry *entry = witness_find(seen, type, event->entity, event->target);
    if (entry == NULL) {
        witness_blame(seen, "removed and not there", event);
    } else {
        *entry = seen->entries[--seen->count];
    }
}

void witness_start(witness *seen, shoal_world *world) {
    memset(seen, 0, sizeof *seen);
    seen->world = world;
}

void witness_forget_events(witness *seen) {
    seen->length = 0;
    seen->events[0] = '\0';
}

static size_t line_count(const char *text, const char *line, size_t length) {
    size_t count = 0;
    for (; *text != '\0'; text += strcspn(text, "\n") + 1) {
        count += strncmp(text, line, length) == 0;
    }
    return count;
}

bool events_are_same(const char *some, const char *others) {
    bool same = strlen(some) == strlen(others);
    for (const char *line = some; *line != '\0' && same; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n") + 1;
        same = line_count(some, line, length) == line_count(others, line, length);
    }
    return same;
}

/* How many told components are there, and how many of them are in the list. */
static void witness_count(witness *seen, size_t *present, size_t *found) {
    for (shoal_entity entity = {0}; shoal_next_entity(seen->world, &entity);) {
        for (uint32_t type = CASE_COUNT; type < 2 * (size_t)CASE_COUNT; type++) {
            shoal_target_walk targets = shoal_targets(seen->world, entity, component_of(type));
            while (is_relation(type) && shoal_targets_next(&targets)) {
                (*present)++;
                *found += witness_find(seen, type, entity, targets.target) != NULL;
            }
            if (!is_relation(type) && shoal_has(seen->world, entity, component_of(type))) {
                (*present)++;
                *found += witness_find(seen, type, entity, (shoal_entity){0}) != NULL;
            }
        }
    }
}

const char *witness_fault(witness *seen) {
    size_t present = 0;
    size_t found = 0;
    witness_count(seen, &present, &found);
    if (seen->fault[0] == '\0' && (found != present || seen->count != present)) {
        snprintf(seen->fault, sizeof seen->fault, "%zu are there, hooks have seen %zu of them and %zu in all", present,
                 found, seen->count);
    }
    return seen->fault[0] != '\0' ? seen->fault : NULL;
}

/* ---- registering ---- */

static bool judge_number(const void *value, void *user) {
    const tracker *track = user;
    size_t type = (size_t)(track - trackers);
    return item_read(type, value) % 4 != 3;
}

static bool shared_equal(const void *a, const void *b, void *user) {
    size_t type = (size_t)((const tracker *)user - trackers);
    return item_read(type, a) == item_read(type, b);
}

static uint64_t shared_hash(const void *value, void *user) {
    return item_read((size_t)((const tracker *)user - trackers), value) * UINT64_C(0x9E3779B97F4A7C15);
}

static void type_define(size_t type) {
    static const shoal_field reference_fields[] = {SHOAL_FIELD(reference, entity), SHOAL_FIELD(reference, number)};
    static shoal_component_slot *required[2 * CASE_COUNT][2];
    const kind_case *kind = case_of(type);
    bool is_told = type >= CASE_COUNT;
    bool owns = kind->form == FORM_OWNED;
    bool is_shared_object = owns && kind->storage == SHOAL_STORAGE_SHARED;
    snprintf(names[type], sizeof names[type], "%s%s", is_told ? "Told" : "Quiet", kind->name);
    trackers[type] = (tracker){.name = names[type], .has_ctor = owns, .follows = owns};
    shoal_component_def *def = &slots[type].def;
    *def = (shoal_component_def){.name = names[type],
                                 .size = item_size(type),
                                 .alignment = owns ? 8 : 4,
                                 .storage = kind->storage,
                                 .toggle = kind->toggle,
                                 .cleanup = kind->cleanup,
                                 .stable = kind->stable,
                                 .exclusive = kind->exclusive,
                                 .acyclic = kind->acyclic,
                                 .split = kind->split,
                                 .on_target_destroyed = kind->policy,
                                 .user = &trackers[type]};
    def->alignment = kind->form == FORM_REFERENCE ? _Alignof(reference) : kind->form == FORM_NONE ? 1 : def->alignment;
    def->fields = kind->form == FORM_REFERENCE ? reference_fields : NULL;
    def->field_count = kind->form == FORM_REFERENCE ? 2 : 0;
    def->inline_count = kind->storage == SHOAL_STORAGE_BUFFER ? 2 : 0;
    def->ctor = owns ? owned_ctor : NULL;
    def->copy = owns ? owned_copy : NULL;
    def->move = owns ? owned_move : NULL;
    def->dtor = owns ? owned_dtor : NULL;
    def->validate = kind->validated ? judge_number : NULL;
    def->equal = is_shared_object ? shared_equal : NULL;
    def->hash = is_shared_object ? shared_hash : NULL;
    def->on_add = is_told ? told_add : NULL;
    def->on_set = is_told ? told_set : NULL;
    def->on_remove = is_told ? told_remove : NULL;
    for (size_t i = 0; i < 2 && kind->required[i] != 0; i++) {
        required[type][i] = &slots[kind->required[i] - 1u + (is_told ? CASE_COUNT : 0)];
        def->required_count++;
    }
    def->required = def->required_count != 0 ? required[type] : NULL;
}

void kind_types_register(void) {
    for (size_t type = 0; type < 2 * (size_t)CASE_COUNT; type++) {
        type_define(type);
    }
    for (size_t type = 0; type < TYPE_COUNT; type++) {
        if (component_of(type).id == 0) {
            fail_msg("%s: %s", names[type], shoal_last_error(NULL).message);
        }
    }
}

void kind_types_check_ended(void) {
    for (size_t type = 0; type < 2 * (size_t)CASE_COUNT; type++) {
        assert_owned(&trackers[type], 0);
    }
}

/* ---- values for calls ---- */

static void box_fill(value_box *box, uint32_t payload, size_t count, shoal_entity entity) {
    const value_form form = case_of(box->type)->form;
    size_t size = item_size(box->type);
    for (uint32_t i = 0; i < count; i++) {
        char *place = (char *)box->items + i * size;
        if (form == FORM_OWNED) {
            owned_make(&trackers[box->type], (Owned *)(void *)place, payload + i);
            box->made++;
            continue;
        }
        value_item item;
        memset(&item, 0, sizeof item);
        if (form == FORM_NUMBER) {
            item.number = payload + i;
        } else {
            item.reference = (reference){.entity = entity, .number = payload + i};
        }
        memcpy(place, &item, size);
    }
}

void box_make(value_box *box, size_t type, uint32_t payload, bool is_given, shoal_entity entity) {
    memset(box, 0, sizeof *box);
    box->type = type;
    bool has_data = is_given && item_size(type) != 0;
    switch (case_of(type)->storage) {
    case SHOAL_STORAGE_RELATION:
        box_fill(box, payload, has_data ? 1 : 0, entity);
        box->link = (shoal_link){.target = entity, .data = has_data ? box->items : NULL};
        box->data = &box->link;
        return;
    case SHOAL_STORAGE_BUFFER:
        box->span = (shoal_span){.items = box->items, .count = payload % 5};
        box_fill(box, payload, has_data ? box->span.count : 0, entity);
        box->data = has_data ? &box->span : NULL;
        return;
    default:
        box_fill(box, payload, has_data ? 1 : 0, entity);
        box->data = has_data ? box->items : NULL;
    }
}

void box_end(value_box *box) {
    for (size_t i = 0; i < box->made; i++) {
        owned_end(&trackers[box->type], &((Owned *)box->items)[i]);
    }
}
