/*
 * The component types of full_types.h and their table.
 */
#include "full_types.h"

#include "components.h"
#include "test.h"

#include <string.h>

#define NUMBER_CHECK 2654435761u

static const Number armor_default = {.value = 9, .check = 9 * NUMBER_CHECK};

static bool fuel_validate(const void *value, void *user) {
    (void)user;
    return ((const Number *)value)->value <= INT32_MAX;
}

static uint32_t banner_payload(const void *value, void *user) {
    uint32_t payload = 0;
    assert_true(owned_read(user, value, &payload));
    return payload;
}

static bool banner_equal(const void *a, const void *b, void *user) {
    return banner_payload(a, user) == banner_payload(b, user);
}

/* Few hashes, so that different values share one. */
static uint64_t banner_hash(const void *value, void *user) {
    return banner_payload(value, user) % 2;
}

/* ---- what happens ---- */

full_events full_seen[FULL_COUNT];

/* The event as it must be: the entity has the component, and the value can be read. */
static full_type event_check(const shoal_component_event *event) {
    full_type type = full_find(event->component);
    bool is_relation = full_is(type, SHOAL_STORAGE_RELATION);
    bool has = is_relation ? shoal_is_related(event->world, event->entity, event->component, event->target)
                           : shoal_has(event->world, event->entity, event->component);
    bool has_value = full_has_data(type) && !full_is(type, SHOAL_STORAGE_BUFFER);
    bool is_good = has_value ? full_read(type, event->value) != FULL_BROKEN : true;
    full_seen[type].faults += !has || !is_good || shoal_world_lock_holder(event->world) == NULL;
    return type;
}

static void tell_add(const shoal_component_event *event, void *user) {
    (void)user;
    full_seen[event_check(event)].added++;
}

static void tell_set(const shoal_component_event *event, void *user) {
    (void)user;
    (void)event_check(event);
}

static void tell_remove(const shoal_component_event *event, void *user) {
    (void)user;
    full_seen[event_check(event)].removed++;
}

void full_events_reset(void) {
    memset(full_seen, 0, sizeof full_seen);
}

bool full_tells(full_type type) {
    return full_def(type)->on_add != NULL;
}

/* ---- the types ---- */

#define TELLS .on_add = tell_add, .on_set = tell_set, .on_remove = tell_remove
#define NUMBER_FIELDS(Type) .fields = SHOAL_FIELDS(SHOAL_FIELD(Type, value), SHOAL_FIELD(Type, check))
#define HANDLE_FIELDS(Type) .fields = SHOAL_FIELDS(SHOAL_FIELD(Type, at))
#define OWNED_HOOKS                                                                                                    \
    .ctor = owned_ctor, .copy = owned_copy, .move = owned_move, .dtor = owned_dtor, .user = &owned_tracker
#define BOXED_HOOKS .copy = owned_copy, .dtor = owned_dtor, .user = &boxed_tracker

SHOAL_COMPONENT_DEFINE(Hull, NUMBER_FIELDS(Hull))
SHOAL_COMPONENT_DEFINE(Gear, OWNED_HOOKS)
SHOAL_COMPONENT_DEFINE(Armor, .default_value = &armor_default)
SHOAL_COMPONENT_DEFINE(Fuel, .validate = fuel_validate, TELLS)
SHOAL_COMPONENT_DEFINE(Course, HANDLE_FIELDS(Course))
SHOAL_COMPONENT_DEFINE(Shield, .toggle = true)
SHOAL_TAG_DEFINE(Docked, TELLS)
SHOAL_TAG_DEFINE(Asleep, .toggle = true)
SHOAL_COMPONENT_DEFINE(Lease, .cleanup = true, .toggle = true, TELLS)
SHOAL_COMPONENT_DEFINE(Estate, OWNED_HOOKS, .cleanup = true, TELLS)
SHOAL_TAG_DEFINE(Remains, .cleanup = true)
SHOAL_COMPONENT_DEFINE(Scan, NUMBER_FIELDS(Scan), .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT_DEFINE(Guest, BOXED_HOOKS, .storage = SHOAL_STORAGE_SPARSE, .stable = true, TELLS)
SHOAL_TAG_DEFINE(Marked, .storage = SHOAL_STORAGE_SPARSE, TELLS)
SHOAL_COMPONENT_DEFINE(Aim, HANDLE_FIELDS(Aim), .storage = SHOAL_STORAGE_SPARSE)
SHOAL_COMPONENT_DEFINE(Radar, .storage = SHOAL_STORAGE_SPARSE, .required = SHOAL_REQUIRES(SHOAL_SLOT(Docked)))
SHOAL_COMPONENT_DEFINE(Faction, NUMBER_FIELDS(Faction), .storage = SHOAL_STORAGE_SHARED)
SHOAL_COMPONENT_DEFINE(Banner, OWNED_HOOKS, .storage = SHOAL_STORAGE_SHARED, .equal = banner_equal, .hash = banner_hash,
                       TELLS)
SHOAL_COMPONENT_DEFINE(Bounds, .storage = SHOAL_STORAGE_CHUNK)
SHOAL_COMPONENT_DEFINE(Climate, OWNED_HOOKS, .storage = SHOAL_STORAGE_CHUNK, TELLS)
SHOAL_COMPONENT_DEFINE(Route, HANDLE_FIELDS(Route), .storage = SHOAL_STORAGE_BUFFER, .inline_count = 2)
SHOAL_COMPONENT_DEFINE(Crew, OWNED_HOOKS, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 1, .toggle = true, TELLS)
SHOAL_COMPONENT_DEFINE(Bill, .storage = SHOAL_STORAGE_BUFFER, .inline_count = 3, .cleanup = true)
SHOAL_RELATION_DEFINE(Owner, .exclusive = true, TELLS)
SHOAL_COMPONENT_DEFINE(Cargo, .storage = SHOAL_STORAGE_RELATION, TELLS)
SHOAL_COMPONENT_DEFINE(Escort, OWNED_HOOKS, .storage = SHOAL_STORAGE_RELATION,
                       .on_target_destroyed = SHOAL_TARGET_DESTROY)
SHOAL_RELATION_DEFINE(Guards, .on_target_destroyed = SHOAL_TARGET_REFUSE)
SHOAL_COMPONENT_DEFINE(Orbits, .storage = SHOAL_STORAGE_RELATION, .acyclic = true)
SHOAL_COMPONENT_DEFINE(Flagship, HANDLE_FIELDS(Flagship), .storage = SHOAL_STORAGE_RELATION, .exclusive = true,
                       .split = true)
SHOAL_COMPONENT_DEFINE(Turret, .required = SHOAL_REQUIRES(SHOAL_SLOT(Shield), SHOAL_SLOT(Faction), SHOAL_SLOT(Scan),
                                                          SHOAL_SLOT(Route)))
SHOAL_COMPONENT_DEFINE(Clock, .storage = SHOAL_STORAGE_UNIQUE)
SHOAL_COMPONENT_DEFINE(Journal, OWNED_HOOKS, .storage = SHOAL_STORAGE_UNIQUE)

typedef enum full_format { FORMAT_NONE, FORMAT_NUMBER, FORMAT_HANDLE, FORMAT_OWNED, FORMAT_BOXED } full_format;

typedef struct full_entry {
    shoal_component_slot *slot;
    full_format format;
    uint64_t default_payload;
} full_entry;

static const full_entry full_table[FULL_COUNT] = {
    [FULL_HULL] = {SHOAL_SLOT(Hull), FORMAT_NUMBER, 0},
    [FULL_GEAR] = {SHOAL_SLOT(Gear), FORMAT_OWNED, OWNED_CTOR_PAYLOAD},
    [FULL_ARMOR] = {SHOAL_SLOT(Armor), FORMAT_NUMBER, 9},
    [FULL_FUEL] = {SHOAL_SLOT(Fuel), FORMAT_NUMBER, 0},
    [FULL_COURSE] = {SHOAL_SLOT(Course), FORMAT_HANDLE, 0},
    [FULL_SHIELD] = {SHOAL_SLOT(Shield), FORMAT_NUMBER, 0},
    [FULL_TURRET] = {SHOAL_SLOT(Turret), FORMAT_NUMBER, 0},
    [FULL_DOCKED] = {SHOAL_SLOT(Docked), FORMAT_NONE, 0},
    [FULL_ASLEEP] = {SHOAL_SLOT(Asleep), FORMAT_NONE, 0},
    [FULL_LEASE] = {SHOAL_SLOT(Lease), FORMAT_NUMBER, 0},
    [FULL_ESTATE] = {SHOAL_SLOT(Estate), FORMAT_OWNED, OWNED_CTOR_PAYLOAD},
    [FULL_REMAINS] = {SHOAL_SLOT(Remains), FORMAT_NONE, 0},
    [FULL_SCAN] = {SHOAL_SLOT(Scan), FORMAT_NUMBER, 0},
    [FULL_GUEST] = {SHOAL_SLOT(Guest), FORMAT_BOXED, 0},
    [FULL_MARKED] = {SHOAL_SLOT(Marked), FORMAT_NONE, 0},
    [FULL_AIM] = {SHOAL_SLOT(Aim), FORMAT_HANDLE, 0},
    [FULL_RADAR] = {SHOAL_SLOT(Radar), FORMAT_NUMBER, 0},
    [FULL_FACTION] = {SHOAL_SLOT(Faction), FORMAT_NUMBER, 0},
    [FULL_BANNER] = {SHOAL_SLOT(Banner), FORMAT_OWNED, OWNED_CTOR_PAYLOAD},
    [FULL_BOUNDS] = {SHOAL_SLOT(Bounds), FORMAT_NUMBER, 0},
    [FULL_CLIMATE] = {SHOAL_SLOT(Climate), FORMAT_OWNED, OWNED_CTOR_PAYLOAD},
    [FULL_ROUTE] = {SHOAL_SLOT(Route), FORMAT_HANDLE, 0},
    [FULL_CREW] = {SHOAL_SLOT(Crew), FORMAT_OWNED, OWNED_CTOR_PAYLOAD},
    [FULL_BILL] = {SHOAL_SLOT(Bill), FORMAT_NUMBER, 0},
    [FULL_OWNER] = {SHOAL_SLOT(Owner), FORMAT_NONE, 0},
    [FULL_CARGO] = {SHOAL_SLOT(Cargo), FORMAT_NUMBER, 0},
    [FULL_ESCORT] = {SHOAL_SLOT(Escort), FORMAT_OWNED, OWNED_CTOR_PAYLOAD},
    [FULL_GUARDS] = {SHOAL_SLOT(Guards), FORMAT_NONE, 0},
    [FULL_ORBITS] = {SHOAL_SLOT(Orbits), FORMAT_NUMBER, 0},
    [FULL_FLAGSHIP] = {SHOAL_SLOT(Flagship), FORMAT_HANDLE, 0},
    [FULL_CHILD_OF] = {SHOAL_SLOT(ChildOf), FORMAT_NONE, 0},
    [FULL_PREFAB] = {SHOAL_SLOT(Prefab), FORMAT_NONE, 0},
    [FULL_DYING] = {SHOAL_SLOT(Dying), FORMAT_NONE, 0},
    [FULL_CLOCK] = {SHOAL_SLOT(Clock), FORMAT_NUMBER, 0},
    [FULL_JOURNAL] = {SHOAL_SLOT(Journal), FORMAT_OWNED, OWNED_CTOR_PAYLOAD},
};

void full_types_register(void) {
    for (full_type type = 0; type < FULL_COUNT; type++) {
        assert_int_not_equal(full_component(type).id, 0);
    }
}

const char *full_name(full_type type) {
    return full_def(type)->name;
}

shoal_component full_component(full_type type) {
    return shoal_component_of(full_table[type].slot);
}

const shoal_component_def *full_def(full_type type) {
    return &full_table[type].slot->def;
}

full_type full_find(shoal_component component) {
    full_type type = 0;
    while (type < FULL_COUNT && full_component(type).id != component.id) {
        type++;
    }
    return type;
}

bool full_is(full_type type, shoal_storage storage) {
    return full_def(type)->storage == storage;
}

bool full_has_data(full_type type) {
    return full_table[type].format != FORMAT_NONE;
}

bool full_is_handle(full_type type) {
    return full_table[type].format == FORMAT_HANDLE;
}

bool full_is_owning(full_type type) {
    return full_table[type].format == FORMAT_OWNED || full_table[type].format == FORMAT_BOXED;
}

bool full_is_writable(full_type type) {
    bool has_place = full_is(type, SHOAL_STORAGE_TABLE) || full_is(type, SHOAL_STORAGE_SPARSE);
    return has_place && full_table[type].format == FORMAT_NUMBER;
}

uint64_t full_default(full_type type) {
    return full_table[type].default_payload;
}

uint64_t full_fit(full_type type, uint64_t number) {
    if (full_is(type, SHOAL_STORAGE_SHARED)) {
        return (number >> 8) % FULL_SHARED_VALUES;
    }
    return number & (type == FULL_FUEL ? 0x7FFFFFFFu : 0xFFFFFFFFu);
}

bool full_refuses(full_type type, uint64_t payload) {
    return type == FULL_FUEL && payload > INT32_MAX;
}

/* ---- elements ---- */

static tracker *full_tracker(full_type type) {
    return full_table[type].format == FORMAT_OWNED ? &owned_tracker : &boxed_tracker;
}

void full_write(full_type type, uint64_t payload, void *element) {
    if (full_is_owning(type)) {
        owned_make(full_tracker(type), element, (uint32_t)payload);
    } else if (full_is_handle(type)) {
        *(Handle *)element = (Handle){{payload}};
    } else if (full_has_data(type)) {
        *(Number *)element = (Number){(uint32_t)payload, (uint32_t)payload * NUMBER_CHECK};
    }
}

void full_end(full_type type, void *element) {
    if (full_is_owning(type)) {
        owned_end(full_tracker(type), element);
    }
}

uint64_t full_read(full_type type, const void *element) {
    if (element == NULL || (uintptr_t)element % full_def(type)->alignment != 0) {
        return FULL_BROKEN;
    }
    if (full_is_owning(type)) {
        uint32_t payload = 0;
        return owned_read(full_tracker(type), element, &payload) ? payload : FULL_BROKEN;
    }
    if (full_is_handle(type)) {
        return ((const Handle *)element)->at.bits;
    }
    const Number *number = element;
    return number->check == number->value * NUMBER_CHECK ? number->value : FULL_BROKEN;
}

/* ---- values ---- */

full_value full_value_of(full_type type, uint64_t payload) {
    return (full_value){.type = type, .has_data = true, .payload = payload};
}

full_value full_link_to(full_type type, shoal_entity target, uint64_t payload) {
    return (full_value){.type = type, .has_data = full_has_data(type), .payload = payload, .target = target};
}

full_value full_value_of_items(full_type type, size_t count, uint64_t first) {
    full_value value = {.type = type, .has_data = true, .items = {.count = count}};
    for (size_t i = 0; i < count; i++) {
        value.items.payload[i] = first + i;
    }
    return value;
}

static void real_add_element(full_real *real, uint64_t payload) {
    full_write(real->type, payload, &real->elements[real->made++]);
}

void full_real_make(full_real *real, const full_value *value) {
    *real = (full_real){.type = value->type, .value = {.component = full_component(value->type)}};
    if (full_is(value->type, SHOAL_STORAGE_RELATION)) {
        real->link.target = value->target;
        if (value->has_data && full_has_data(value->type)) {
            real_add_element(real, value->payload);
            real->link.data = real->elements;
        }
        real->value.data = shoal_entity_is_null(value->target) ? NULL : &real->link;
    } else if (value->has_data && full_is(value->type, SHOAL_STORAGE_BUFFER)) {
        for (size_t i = 0; i < value->items.count; i++) {
            real_add_element(real, value->items.payload[i]);
        }
        real->span = (shoal_span){.items = real->elements, .count = value->items.count};
        real->value.data = &real->span;
    } else if (value->has_data && full_has_data(value->type)) {
        real_add_element(real, value->payload);
        real->value.data = real->elements;
    }
}

void full_real_end(full_real *real) {
    while (real->made > 0) {
        full_end(real->type, &real->elements[--real->made]);
    }
}
