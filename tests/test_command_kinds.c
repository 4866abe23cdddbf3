/*
 * Commands over components of every kind: random scripts are called one by one in one world and recorded and applied at
 * once in another; both worlds must come to the same, entity by entity, and what fails there must be dropped here with
 * the same status. Conformance C1, C4, C6.
 *
 * Every kind is there twice, without hooks (quiet) and with on_add, on_set and on_remove (told). Hooks keep a list of
 * what is there; each add must be of what is not in it, each removal of what is, and in the end it must be the world's.
 * A script is a list of steps that name entities by number, so that it can be run in both worlds. Values of chunks are
 * not compared: commands that are folded into one move make no chunk in between.
 */
#include "support/components.h"
#include "support/fake_allocator.h"
#include "support/rng.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- types ---- */

typedef enum value_form { FORM_NONE, FORM_NUMBER, FORM_OWNED, FORM_REFERENCE } value_form;

/* A number beside a handle, which may be a placeholder. */
typedef struct reference {
    shoal_entity entity;
    uint32_t number;
} reference;

typedef union value_item {
    uint32_t number;
    Owned owned;
    reference reference;
} value_item;

typedef struct kind_case {
    const char *name;
    shoal_storage storage;
    value_form form;
    bool toggle, cleanup, stable, exclusive, acyclic, split, validated;
    shoal_target_policy policy;
    unsigned char required[2]; /* numbers of kinds, plus 1 */
} kind_case;

enum { NEEDS_MARK = 2, NEEDS_SPARSE = 6, NEEDS_GATE = 14, NEEDS_CLEANUP = 17, NEEDS_OUTER = 20, NEEDS_INNER, NEEDS_LEFT = 29 };

static const kind_case kinds[] = {
    {.name = "Number", .form = FORM_NUMBER},
    {.name = "Mark"},
    {.name = "Object", .form = FORM_OWNED},
    {.name = "Reference", .form = FORM_REFERENCE},
    {.name = "Judged", .form = FORM_NUMBER, .validated = true},
    {.name = "Sparse", .storage = SHOAL_STORAGE_SPARSE, .form = FORM_NUMBER},
    {.name = "SparseMark", .storage = SHOAL_STORAGE_SPARSE},
    {.name = "SparseObject", .storage = SHOAL_STORAGE_SPARSE, .form = FORM_OWNED, .stable = true},
    {.name = "Shared", .storage = SHOAL_STORAGE_SHARED, .form = FORM_NUMBER},
    {.name = "SharedObject", .storage = SHOAL_STORAGE_SHARED, .form = FORM_OWNED},
    {.name = "Chunk", .storage = SHOAL_STORAGE_CHUNK, .form = FORM_NUMBER},
    {.name = "Buffer", .storage = SHOAL_STORAGE_BUFFER, .form = FORM_REFERENCE},
    {.name = "BufferObject", .storage = SHOAL_STORAGE_BUFFER, .form = FORM_OWNED, .validated = true},
    {.name = "Gate", .form = FORM_NUMBER, .toggle = true},
    {.name = "GateMark", .toggle = true},
    {.name = "GateBuffer", .storage = SHOAL_STORAGE_BUFFER, .form = FORM_NUMBER, .toggle = true},
    {.name = "Cleanup", .form = FORM_OWNED, .cleanup = true},
    {.name = "CleanupMark", .cleanup = true, .toggle = true},
    {.name = "CleanupBuffer", .storage = SHOAL_STORAGE_BUFFER, .form = FORM_OWNED, .cleanup = true},
    {.name = "Outer", .form = FORM_NUMBER, .required = {NEEDS_INNER, NEEDS_SPARSE}},
    {.name = "Inner", .required = {NEEDS_GATE}},
    {.name = "Many", .storage = SHOAL_STORAGE_RELATION},
    {.name = "ManyNumbers", .storage = SHOAL_STORAGE_RELATION, .form = FORM_NUMBER, .validated = true},
    {.name = "OneObject", .storage = SHOAL_STORAGE_RELATION, .form = FORM_OWNED, .exclusive = true},
    {.name = "Refuses", .storage = SHOAL_STORAGE_RELATION, .policy = SHOAL_TARGET_REFUSE},
    {.name = "Destroys", .storage = SHOAL_STORAGE_RELATION, .policy = SHOAL_TARGET_DESTROY},
    {.name = "Splits", .storage = SHOAL_STORAGE_RELATION, .exclusive = true, .split = true},
    {.name = "Tree", .storage = SHOAL_STORAGE_RELATION, .form = FORM_REFERENCE, .acyclic = true},
    {.name = "Left", .form = FORM_OWNED, .required = {NEEDS_LEFT + 1}},
    {.name = "Right", .form = FORM_OWNED, .required = {NEEDS_LEFT, NEEDS_MARK}},
    {.name = "Ruled", .form = FORM_NUMBER, .validated = true, .required = {NEEDS_INNER, NEEDS_LEFT}},
    {.name = "ManyNeeding", .storage = SHOAL_STORAGE_RELATION, .form = FORM_NUMBER, .required = {NEEDS_OUTER}},
    {.name = "SparseNeeding", .storage = SHOAL_STORAGE_SPARSE, .form = FORM_OWNED, .required = {NEEDS_INNER}},
    {.name = "CleanupNeeding", .form = FORM_NUMBER, .cleanup = true, .required = {NEEDS_CLEANUP, NEEDS_SPARSE}},
    {.name = "ChunkObject", .storage = SHOAL_STORAGE_CHUNK, .form = FORM_OWNED},
};

#define CASE_COUNT (sizeof kinds / sizeof kinds[0])
#define TYPE_COUNT (2 * CASE_COUNT + 1) /* quiet, told, and ChildOf */
#define CHILD_OF (2 * CASE_COUNT)

static const kind_case child_of_case = {.name = "ChildOf", .storage = SHOAL_STORAGE_RELATION, .acyclic = true};

static shoal_component_slot slots[2 * CASE_COUNT];
static tracker trackers[2 * CASE_COUNT];
static char names[2 * CASE_COUNT][32];

static const kind_case *case_of(size_t type) {
    return type == CHILD_OF ? &child_of_case : &kinds[type % CASE_COUNT];
}

static shoal_component component_of(size_t type) {
    return type == CHILD_OF ? SHOAL_ID(ChildOf) : shoal_component_of(&slots[type]);
}

static size_t type_of(shoal_component component) {
    size_t type = 0;
    while (type < TYPE_COUNT && component_of(type).id != component.id) {
        type++;
    }
    return type;
}

static bool is_relation(size_t type) {
    return case_of(type)->storage == SHOAL_STORAGE_RELATION;
}

/* What a value holds; UINT32_MAX when it is broken. */
static uint32_t item_read(size_t type, const void *value) {
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

static size_t item_size(size_t type) {
    static const size_t sizes[] = {0, sizeof(uint32_t), sizeof(Owned), sizeof(reference)};
    return sizes[case_of(type)->form];
}

/* ---- what the hooks see ---- */

typedef struct witness_entry {
    uint32_t type;
    shoal_entity entity;
    shoal_entity target;
} witness_entry;

/* One world's list of what is there, and the text of the last events. */
typedef struct witness {
    const shoal_world *world;
    witness_entry entries[512];
    size_t count;
    char events[4096];
    size_t length;
    char fault[160]; /* the first */
} witness;

static witness witnesses[2];

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
    *def = (shoal_component_def){.name = names[type], .size = item_size(type), .alignment = owns ? 8 : 4,
                                 .storage = kind->storage, .toggle = kind->toggle, .cleanup = kind->cleanup,
                                 .stable = kind->stable, .exclusive = kind->exclusive, .acyclic = kind->acyclic,
                                 .split = kind->split, .on_target_destroyed = kind->policy, .user = &trackers[type]};
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

static void types_register(void) {
    for (size_t type = 0; type < 2 * CASE_COUNT; type++) {
        type_define(type);
    }
    for (size_t type = 0; type < TYPE_COUNT; type++) {
        if (component_of(type).id == 0) {
            fail_msg("%s: %s", names[type], shoal_last_error(NULL).message);
        }
    }
}

/* ---- scripts ---- */

#define STEP_MAX 12
#define VALUE_MAX 4
#define ENTITY_MAX 48
#define NOBODY 255u

/* One value of a step; `other` is the target of a relation and what a reference names. */
typedef struct step_value {
    uint8_t type;
    uint8_t other;
    bool is_given;
    uint32_t payload;
} step_value;

typedef struct script_step {
    shoal_command_kind kind;
    uint8_t entity; /* of a spawn: the number that the new one gets */
    uint8_t value_count;
    step_value values[VALUE_MAX];
} script_step;

/* One world, and the handle there of each entity number. */
typedef struct script_world {
    shoal_world *world;
    shoal_commands *commands;
    fake_allocator fake;
    shoal_entity entities[ENTITY_MAX];
    shoal_status dropped[STEP_MAX];
    size_t dropped_count;
} script_world;

typedef struct session {
    rng random;
    script_world sides[2]; /* 0: called, 1: recorded */
    size_t entity_count;
    size_t known_count; /* of them, those that are not spawned by the script under way */
    size_t type_first;  /* types to draw from */
    size_t type_count;
    script_step steps[STEP_MAX];
    size_t step_count;
} session;

/* A value as it is given to a call. */
typedef struct value_box {
    value_item items[5];
    shoal_span span;
    shoal_link link;
    const void *data;
    size_t type;
    size_t made;
} value_box;

static shoal_entity entity_of(const script_world *side, uint8_t number) {
    return number == NOBODY ? (shoal_entity){0} : side->entities[number];
}

static void box_fill(value_box *box, const script_world *side, const step_value *value, size_t count) {
    const value_form form = case_of(value->type)->form;
    size_t size = item_size(value->type);
    for (size_t i = 0; i < count; i++) {
        value_item item;
        memset(&item, 0, sizeof item);
        uint32_t payload = value->payload + (uint32_t)i;
        char *place = (char *)box->items + i * size;
        if (form == FORM_OWNED) {
            owned_make(&trackers[value->type], (Owned *)(void *)place, payload);
            box->made++;
            continue;
        }
        if (form == FORM_NUMBER) {
            item.number = payload;
        } else {
            item.reference = (reference){.entity = entity_of(side, value->other), .number = payload};
        }
        memcpy(place, &item, size);
    }
}

static void box_make(value_box *box, const script_world *side, const step_value *value) {
    memset(box, 0, sizeof *box);
    box->type = value->type;
    bool has_data = value->is_given && item_size(value->type) != 0;
    switch (case_of(value->type)->storage) {
    case SHOAL_STORAGE_RELATION:
        box_fill(box, side, value, has_data ? 1 : 0);
        box->link = (shoal_link){.target = entity_of(side, value->other), .data = has_data ? box->items : NULL};
        box->data = &box->link;
        return;
    case SHOAL_STORAGE_BUFFER:
        box->span = (shoal_span){.items = box->items, .count = value->payload % 5};
        box_fill(box, side, value, has_data ? box->span.count : 0);
        box->data = has_data ? &box->span : NULL;
        return;
    default:
        box_fill(box, side, value, has_data ? 1 : 0);
        box->data = has_data ? box->items : NULL;
    }
}

static void box_end(value_box *box) {
    for (size_t i = 0; i < box->made; i++) {
        owned_end(&trackers[box->type], &((Owned *)box->items)[i]);
    }
}

/* ---- running a step ---- */

static shoal_status step_spawn(script_world *side, const script_step *step, bool records) {
    value_box boxes[VALUE_MAX];
    shoal_value values[VALUE_MAX];
    for (size_t i = 0; i < step->value_count; i++) {
        box_make(&boxes[i], side, &step->values[i]);
        values[i] = (shoal_value){component_of(step->values[i].type), boxes[i].data};
    }
    shoal_entity entity = records ? shoal_commands_spawn(side->commands, values, step->value_count)
                                  : shoal_spawn(side->world, values, step->value_count);
    for (size_t i = 0; i < step->value_count; i++) {
        box_end(&boxes[i]);
    }
    side->entities[step->entity] = entity;
    return shoal_entity_is_null(entity) ? shoal_last_error(side->world).status : SHOAL_OK;
}

static shoal_status step_call(script_world *side, const script_step *step, const void *data) {
    shoal_entity entity = entity_of(side, step->entity);
    shoal_component type = component_of(step->values[0].type);
    shoal_entity target = entity_of(side, step->values[0].other);
    switch (step->kind) {
    case SHOAL_COMMAND_DESTROY:
        return shoal_destroy(side->world, entity);
    case SHOAL_COMMAND_ADD:
        return shoal_add(side->world, entity, type, data);
    case SHOAL_COMMAND_REMOVE:
        return shoal_remove(side->world, entity, type);
    case SHOAL_COMMAND_SET:
        return shoal_set(side->world, entity, type, data);
    case SHOAL_COMMAND_CLEAR:
        return shoal_clear(side->world, entity);
    case SHOAL_COMMAND_ENABLE:
        return shoal_enable(side->world, entity, type);
    case SHOAL_COMMAND_DISABLE:
        return shoal_disable(side->world, entity, type);
    default:
        if (step->values[0].other != NOBODY && shoal_entity_is_null(target)) {
            return SHOAL_ENTITY_NULL; /* of a spawn that failed; the call would take null for "all" */
        }
        return shoal_unrelate(side->world, entity, type, target);
    }
}

static shoal_status step_record(script_world *side, const script_step *step, const void *data) {
    shoal_entity entity = entity_of(side, step->entity);
    shoal_component type = component_of(step->values[0].type);
    shoal_entity target = entity_of(side, step->values[0].other);
    switch (step->kind) {
    case SHOAL_COMMAND_DESTROY:
        return shoal_commands_destroy_entity(side->commands, entity);
    case SHOAL_COMMAND_ADD:
        return shoal_commands_add(side->commands, entity, type, data);
    case SHOAL_COMMAND_REMOVE:
        return shoal_commands_remove(side->commands, entity, type);
    case SHOAL_COMMAND_SET:
        return shoal_commands_set(side->commands, entity, type, data);
    case SHOAL_COMMAND_CLEAR:
        return shoal_commands_clear(side->commands, entity);
    case SHOAL_COMMAND_ENABLE:
        return shoal_commands_enable(side->commands, entity, type);
    case SHOAL_COMMAND_DISABLE:
        return shoal_commands_disable(side->commands, entity, type);
    default:
        return shoal_commands_unrelate(side->commands, entity, type, target);
    }
}

static shoal_status step_run(script_world *side, const script_step *step, bool records) {
    if (step->kind == SHOAL_COMMAND_SPAWN) {
        return step_spawn(side, step, records);
    }
    value_box box;
    box_make(&box, side, &step->values[0]);
    shoal_status status = records ? step_record(side, step, box.data) : step_call(side, step, box.data);
    box_end(&box);
    return status;
}

/* ---- drawing a script ---- */

/* The target of a relation that splits archetypes cannot be a placeholder. */
static step_value draw_value(session *run) {
    size_t type = run->type_first + rng_below(&run->random, (uint32_t)run->type_count);
    type = rng_chance(&run->random, 8) ? CHILD_OF : type;
    size_t others = case_of(type)->split ? run->known_count : run->entity_count;
    return (step_value){.type = (uint8_t)type,
                        .other = (uint8_t)(others != 0 ? rng_below(&run->random, (uint32_t)others) : 0),
                        .is_given = rng_chance(&run->random, 60),
                        .payload = rng_below(&run->random, 12)};
}

static shoal_command_kind draw_kind(rng *random) {
    static const shoal_command_kind drawn[] = {
        SHOAL_COMMAND_ADD,     SHOAL_COMMAND_ADD,    SHOAL_COMMAND_ADD,    SHOAL_COMMAND_ADD,     SHOAL_COMMAND_ADD,
        SHOAL_COMMAND_REMOVE,  SHOAL_COMMAND_REMOVE, SHOAL_COMMAND_REMOVE, SHOAL_COMMAND_SET,     SHOAL_COMMAND_SET,
        SHOAL_COMMAND_DESTROY, SHOAL_COMMAND_CLEAR,  SHOAL_COMMAND_ENABLE, SHOAL_COMMAND_DISABLE, SHOAL_COMMAND_UNRELATE,
        SHOAL_COMMAND_SPAWN};
    return drawn[rng_below(random, sizeof drawn / sizeof drawn[0])];
}

static bool names_twice(const script_step *step, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (step->values[i].type == step->values[count].type) {
            return true;
        }
    }
    return false;
}

static script_step draw_spawn(session *run) {
    script_step step = {.kind = SHOAL_COMMAND_SPAWN, .entity = (uint8_t)run->entity_count};
    if (run->entity_count == 0) { /* nobody to be named, so a bare one */
        run->entity_count++;
        return step;
    }
    size_t most = run->type_count < VALUE_MAX ? run->type_count : VALUE_MAX;
    size_t count = rng_below(&run->random, (uint32_t)most + 1);
    while (step.value_count < count) {
        step.values[step.value_count] = draw_value(run);
        step.value_count = (uint8_t)(step.value_count + !names_twice(&step, step.value_count));
    }
    run->entity_count++;
    return step;
}

/* A step that both sides can record: a set needs a value, an unrelate a relation. */
static script_step draw_step(session *run) {
    script_step step = {.kind = draw_kind(&run->random), .value_count = 1};
    if (step.kind == SHOAL_COMMAND_SPAWN || run->entity_count == 0) {
        return draw_spawn(run);
    }
    step.entity = (uint8_t)rng_below(&run->random, (uint32_t)run->entity_count);
    step.values[0] = draw_value(run);
    step.values[0].is_given |= step.kind == SHOAL_COMMAND_SET;
    while ((step.kind == SHOAL_COMMAND_UNRELATE && !is_relation(step.values[0].type)) ||
           (step.kind == SHOAL_COMMAND_SET && item_size(step.values[0].type) == 0 && !is_relation(step.values[0].type))) {
        step.values[0] = draw_value(run);
        step.values[0].is_given = true;
    }
    if (step.kind == SHOAL_COMMAND_UNRELATE && rng_chance(&run->random, 30)) {
        step.values[0].other = NOBODY;
    }
    return step;
}

/* ---- comparing ---- */

typedef struct dump {
    char text[32768];
    size_t length;
} dump;

static void dump_write(dump *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to->text + to->length, sizeof to->text - to->length, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && to->length + (size_t)length < sizeof to->text);
    to->length += (size_t)length;
}

/* A handle without its world. */
static uint64_t handle_number(shoal_entity entity) {
    return shoal_entity_is_placeholder(entity) ? UINT64_MAX : entity.bits & UINT64_C(0xFFFFFFFFFFFF);
}

static void dump_item(dump *to, size_t type, const void *value) {
    dump_write(to, "%" PRIu32, item_read(type, value));
    if (case_of(type)->form == FORM_REFERENCE) {
        dump_write(to, ">%" PRIu64, handle_number(((const reference *)value)->entity));
    }
}

static void dump_relation(dump *to, const shoal_world *world, shoal_entity entity, size_t type) {
    shoal_target_walk targets = shoal_targets(world, entity, component_of(type));
    while (shoal_targets_next(&targets)) {
        dump_write(to, " to %" PRIu64 ":", handle_number(targets.target));
        if (targets.data != NULL) {
            dump_item(to, type, targets.data);
        }
    }
    if (case_of(type)->acyclic) {
        dump_write(to, " deep %" PRIu32, shoal_depth(world, component_of(type), entity));
    }
}

static void dump_component(dump *to, shoal_world *world, shoal_entity entity, size_t type) {
    shoal_component component = component_of(type);
    dump_write(to, "  %s%s ", type == CHILD_OF ? "ChildOf" : names[type],
               case_of(type)->toggle && !shoal_is_enabled(world, entity, component) ? " (disabled)" : "");
    if (is_relation(type)) {
        dump_relation(to, world, entity, type);
    } else if (case_of(type)->storage == SHOAL_STORAGE_BUFFER) {
        shoal_buffer buffer = shoal_buffer_get(world, entity, component);
        for (size_t i = 0; i < shoal_buffer_count(buffer); i++) {
            dump_write(to, i == 0 ? "" : ",");
            dump_item(to, type, (const char *)shoal_buffer_items(buffer) + i * item_size(type));
        }
    } else if (item_size(type) != 0 && case_of(type)->storage != SHOAL_STORAGE_CHUNK) {
        dump_item(to, type, shoal_get(world, entity, component));
    }
    dump_write(to, "\n");
}

static void dump_sources(dump *to, const shoal_world *world, shoal_entity entity, size_t type) {
    shoal_source_walk sources = shoal_sources(world, component_of(type), entity);
    while (shoal_sources_next(&sources)) {
        for (size_t i = 0; i < sources.count; i++) {
            dump_write(to, "  %s from %" PRIu64 "\n", case_of(type)->name, handle_number(sources.entities[i]));
        }
    }
}

static void dump_entity(dump *to, shoal_world *world, shoal_entity entity) {
    const char *name = shoal_name(world, entity);
    dump_write(to, "%" PRIu64 "%s %s\n", handle_number(entity), shoal_is_dying(world, entity) ? " dying" : "",
               name != NULL ? name : "");
    size_t count = 0;
    for (size_t type = 0; type < TYPE_COUNT; type++) {
        if (shoal_has(world, entity, component_of(type))) {
            count++;
            dump_component(to, world, entity, type);
        }
        if (is_relation(type)) {
            dump_sources(to, world, entity, type);
        }
    }
    shoal_component walked = {0};
    while (shoal_next_component(world, entity, &walked)) {
        count -= type_of(walked) < TYPE_COUNT;
    }
    assert_count(count, 0);
}

static void dump_take(dump *to, shoal_world *world) {
    to->length = 0;
    shoal_memory_report report;
    assert_ok(shoal_world_memory(world, &report));
    dump_write(to, "%" PRIu64 " entities, %" PRIu64 " dying, %" PRIu64 " sparse, %" PRIu64 " links, %" PRIu64
                   " shared, %" PRIu64 " on the heap\n", report.entity_count, report.dying_count, report.sparse_count,
               report.relation_count, report.shared_value_count, report.buffer_heap_count);
    for (shoal_entity entity = {0}; shoal_next_entity(world, &entity);) {
        dump_entity(to, world, entity);
    }
}

static dump dumps[2];
static char script_text[4096]; /* of the script under way */

/* Fails with the first line that differs, and the line of its entity. */
static void dumps_compare(const char *first, const char *second) {
    const char *lines[2] = {dumps[0].text, dumps[1].text};
    const char *head = lines[0];
    size_t length;
    do {
        length = strcspn(lines[0], "\n");
        if (length != strcspn(lines[1], "\n") || memcmp(lines[0], lines[1], length) != 0) {
            print_error("%s%s\nof %.*s\n%s: %.*s\n%s: %.*s\n", test_context, script_text, (int)strcspn(head, "\n"), head,
                        first, (int)length, lines[0], second, (int)strcspn(lines[1], "\n"), lines[1]);
            fail();
        }
        head = lines[0][0] != ' ' ? lines[0] : head;
        lines[0] += length + 1;
        lines[1] += length + 1;
    } while (lines[0] < dumps[0].text + dumps[0].length && lines[1] < dumps[1].text + dumps[1].length);
    assert_count(dumps[1].length, dumps[0].length);
}

/* What the hooks have seen is what is there. */
static void witness_check(witness *seen, shoal_world *world) {
    if (seen->fault[0] != '\0') {
        fail_msg("%s%s\n%s\n%s", test_context, script_text, seen->fault, seen->events);
    }
    size_t present = 0;
    size_t found = 0;
    for (shoal_entity entity = {0}; shoal_next_entity(world, &entity);) {
        for (uint32_t type = CASE_COUNT; type < 2 * CASE_COUNT; type++) {
            shoal_target_walk targets = shoal_targets(world, entity, component_of(type));
            while (is_relation(type) && shoal_targets_next(&targets)) {
                present++;
                found += witness_find(seen, type, entity, targets.target) != NULL;
            }
            if (!is_relation(type) && shoal_has(world, entity, component_of(type))) {
                present++;
                found += witness_find(seen, type, entity, (shoal_entity){0}) != NULL;
            }
        }
    }
    assert_count(found, present);
    assert_count(seen->count, present);
}

/* ---- a session ---- */

static void dropped(void *user, const shoal_dropped_command *command) {
    script_world *side = user;
    assert_true(command->record < STEP_MAX);
    assert_count(side->dropped[command->record], SHOAL_OK); /* told once */
    side->dropped[command->record] = command->status;
    side->dropped_count++;
}

static void session_start(session *run, uint64_t seed) {
    *run = (session){.random = {seed}};
    size_t family = rng_below(&run->random, 4); /* quiet, told, both */
    run->type_first = family == 1 ? CASE_COUNT : 0;
    run->type_count = family > 1 ? 2 * CASE_COUNT : CASE_COUNT;
    if (rng_chance(&run->random, 40)) { /* few kinds, so that steps meet */
        run->type_first += rng_below(&run->random, (uint32_t)run->type_count - 4);
        run->type_count = 2 + rng_below(&run->random, 3);
    }
    for (size_t i = 0; i < 2; i++) {
        script_world *side = &run->sides[i];
        side->world =
            shoal_world_create(&(shoal_world_def){.allocator = fake_allocator_table(&side->fake)});
        assert_non_null(side->world);
        side->commands =
            shoal_commands_create(side->world, &(shoal_commands_def){.dropped = dropped, .user = side});
        assert_non_null(side->commands);
        witnesses[i] = (witness){.world = side->world};
    }
}

static void session_end(session *run) {
    for (size_t i = 0; i < 2; i++) {
        assert_ok(shoal_world_destroy(run->sides[i].world));
        assert_nothing_leaked(&run->sides[i].fake);
    }
    for (size_t type = 0; type < 2 * CASE_COUNT; type++) {
        assert_owned(&trackers[type], 0);
    }
}

/* The text of the script, for a failing test. */
static void script_show(const session *run) {
    char *text = script_text;
    const size_t size = sizeof script_text;
    static const char *const words[] = {"spawn", "destroy", "add",     "remove",  "set",
                                        "clear", "enable",  "disable", "unrelate"};
    size_t used = 0;
    for (size_t i = 0; i < run->step_count && used < size; i++) {
        const script_step *step = &run->steps[i];
        used += (size_t)snprintf(text + used, size - used, "\n%s %u", words[step->kind], step->entity);
        for (size_t k = 0; k < step->value_count && used < size; k++) {
            const step_value *value = &step->values[k];
            used += (size_t)snprintf(text + used, size - used, " %s(%u to %u%s)",
                                     value->type == CHILD_OF ? "ChildOf" : names[value->type],
                                     (unsigned)value->payload, value->other, value->is_given ? "" : " default");
        }
    }
}

/* Calls that bring both worlds to the same start. */
static void session_prepare(session *run, size_t count) {
    for (size_t i = 0; i < count && run->entity_count < ENTITY_MAX - STEP_MAX; i++) {
        run->known_count = run->entity_count;
        script_step step = run->entity_count < 3 ? draw_spawn(run) : draw_step(run);
        shoal_status status = step_run(&run->sides[0], &step, false);
        assert_status(step_run(&run->sides[1], &step, false), status);
        run->entity_count -= step.kind == SHOAL_COMMAND_SPAWN && status != SHOAL_OK;
        if (step.kind != SHOAL_COMMAND_SPAWN && rng_chance(&run->random, 10)) {
            static const char *const drawn[] = {"a", "b", NULL};
            const char *name = drawn[rng_below(&run->random, 3)];
            status = shoal_set_name(run->sides[0].world, run->sides[0].entities[step.entity], name);
            assert_status(shoal_set_name(run->sides[1].world, run->sides[1].entities[step.entity], name), status);
        }
    }
}

/* A null handle stands for a spawn that failed; its placeholder is a dead one. */
static bool same_status(shoal_status called, shoal_status recorded) {
    return called == recorded || (called == SHOAL_ENTITY_NULL && recorded == SHOAL_ENTITY_DEAD) ||
           (called == SHOAL_ENTITY_NULL && recorded == SHOAL_INVALID_ARGUMENT);
}

/* What every side must be after the script. */
static void script_compare(session *run, const shoal_status *called) {
    for (size_t i = 0; i < run->step_count; i++) {
        if (!same_status(called[i], run->sides[1].dropped[i])) {
            fail_msg("%s%s\nstep %zu: called \"%s\", applied \"%s\"", test_context, script_text, i, shoal_status_name(called[i]),
                     shoal_status_name(run->sides[1].dropped[i]));
        }
    }
    for (size_t i = 0; i < 2; i++) {
        assert_valid(run->sides[i].world);
        dump_take(&dumps[i], run->sides[i].world);
    }
    dumps_compare("called", "applied");
    for (size_t i = 0; i < 2; i++) {
        witness_check(&witnesses[i], run->sides[i].world);
    }
}

/* Placeholders become handles. Those that name nothing are forgotten; other dead handles stay. */
static void script_resolve(session *run) {
    script_world *called = &run->sides[0];
    script_world *recorded = &run->sides[1];
    size_t kept = 0;
    for (size_t i = 0; i < run->entity_count; i++) {
        shoal_entity entity = recorded->entities[i];
        if (shoal_entity_is_placeholder(entity)) {
            entity = shoal_commands_resolve(recorded->commands, entity);
            assert_count(!shoal_entity_is_null(entity), shoal_is_alive(called->world, called->entities[i]));
        }
        if (!shoal_entity_is_null(entity)) {
            called->entities[kept] = called->entities[i];
            recorded->entities[kept++] = entity;
        }
    }
    run->entity_count = kept;
}

static void script_draw(session *run, size_t length) {
    run->known_count = run->entity_count;
    run->step_count = length;
    for (size_t i = 0; i < length; i++) {
        run->steps[i] = draw_step(run);
    }
}

/* Every allocation of the apply fails in turn, and nothing has happened then, until none does. */
static shoal_status apply_starved(script_world *side, shoal_commands_result *result) {
    dump_take(&dumps[0], side->world);
    size_t count = shoal_commands_count(side->commands);
    for (size_t n = 1;; n++) {
        fake_allocator_arm(&side->fake, n, n % 2 == 0);
        shoal_status status = shoal_commands_apply(side->commands, result);
        if (!fake_allocator_disarm(&side->fake) || status == SHOAL_OK) {
            return status; /* a table that cannot grow is only slower */
        }
        assert_status(status, SHOAL_OUT_OF_MEMORY);
        assert_count(witnesses[1].length + side->dropped_count, 0);
        assert_count(shoal_commands_count(side->commands), count);
        assert_valid(side->world);
        dump_take(&dumps[1], side->world);
        dumps_compare("before", "after an apply without memory");
    }
}

static void script_apply(session *run, bool starves) {
    script_world *side = &run->sides[1];
    shoal_commands_result result = {99, 99};
    side->dropped_count = 0;
    memset(side->dropped, 0, sizeof side->dropped);
    assert_count(shoal_commands_count(side->commands), run->step_count);
    assert_ok(starves ? apply_starved(side, &result) : shoal_commands_apply(side->commands, &result));
    assert_count(result.dropped, side->dropped_count);
    assert_count(result.applied + result.dropped, run->step_count);
    assert_count(shoal_commands_count(side->commands), 0);
}

/* Every event of one side is among those of the other. */
static void events_compare(const witness *some, const witness *others) {
    for (const char *line = some->events; *line != '\0';) {
        char text[160];
        size_t length = strcspn(line, "\n") + 1;
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        if (strstr(others->events, text) == NULL || some->length != others->length) {
            print_error("%s%s\ncalled:\n%s\napplied:\n%s\n", test_context, script_text, witnesses[0].events,
                        witnesses[1].events);
            fail();
        }
        line += length;
    }
}

/* What a session does with its scripts. */
typedef enum run_kind { RUN_COMPARES, RUN_TELLS, RUN_STARVES } run_kind;

static void round_run(session *run, size_t length, run_kind kind) {
    shoal_status called[STEP_MAX];
    session_prepare(run, 2 + rng_below(&run->random, 12));
    script_draw(run, length);
    script_show(run);
    for (size_t i = 0; i < 2; i++) {
        witnesses[i].length = 0;
        witnesses[i].events[0] = '\0';
    }
    for (size_t i = 0; i < run->step_count; i++) {
        called[i] = step_run(&run->sides[0], &run->steps[i], false);
        assert_ok(step_run(&run->sides[1], &run->steps[i], true));
    }
    script_apply(run, kind == RUN_STARVES);
    script_compare(run, called);
    if (kind == RUN_TELLS) {
        events_compare(&witnesses[0], &witnesses[1]);
        events_compare(&witnesses[1], &witnesses[0]);
    }
    script_resolve(run);
}

#define ROUND_COUNT 4

static void sessions_run(uint64_t first_seed, size_t count, size_t length_max, run_kind kind) {
    static session run;
    uint64_t seed = test_environment("SHOAL_SEED", first_seed);
    for (size_t i = 0; i < count; i++) {
        session_start(&run, seed + i);
        for (size_t k = 0; k < ROUND_COUNT && run.entity_count + 2 * STEP_MAX < ENTITY_MAX; k++) {
            test_set_context("seed %" PRIu64 ", round %zu", seed + i, k);
            round_run(&run, 1 + rng_below(&run.random, (uint32_t)length_max), kind);
        }
        session_end(&run);
    }
    test_set_context("%s", "");
}

static void conf_C4_scripts_over_every_kind(void **state) {
    (void)state;
    sessions_run(1, test_environment("SHOAL_COUNT", 5000), STEP_MAX, RUN_COMPARES);
}

/* One command at a time tells the hooks the same as its call; what is required may come in another order. */
static void conf_C13_one_command_tells_the_same(void **state) {
    (void)state;
    sessions_run(1, test_environment("SHOAL_COUNT", 2000), 1, RUN_TELLS);
}

static void conf_G5_apply_without_memory(void **state) {
    (void)state;
    sessions_run(1, test_environment("SHOAL_COUNT", 150), STEP_MAX, RUN_STARVES);
}

int main(void) {
    kinds_register();
    types_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conf_C4_scripts_over_every_kind),
        cmocka_unit_test(conf_C13_one_command_tells_the_same),
        cmocka_unit_test(conf_G5_apply_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
