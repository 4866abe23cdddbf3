/*
 * The public calls on uniques; see shoal/unique.h and storage/unique.h.
 *
 * A unique that comes or goes changes what queries match, so that is refused while the world is locked; a value that
 * is there may be replaced and written at any time, but replaced not while systems run. Hooks hear of a null entity,
 * with the world locked. Thread rule: asking is "read", all else "world".
 */
#include <shoal/unique.h>

#include "change.h"
#include "notify.h"

static const shoal_entity no_entity = {0};

/* ---- checks ---- */

/* What is wrong with naming a component as a unique. */
static shoal_status unique_why(const shoal_world *world, shoal_component component) {
    const component_type *type = component_type_find(component.id);
    if (world == NULL) {
        return SHOAL_INVALID_ARGUMENT;
    }
    if (type == NULL) {
        return SHOAL_COMPONENT_INVALID;
    }
    return type->def.storage == SHOAL_STORAGE_UNIQUE ? SHOAL_OK : SHOAL_COMPONENT_KIND;
}

/* The same for calls that change something, with the error stored. */
static shoal_status unique_enter(shoal_world *world, shoal_component component, const char *call) {
    shoal_status why = unique_why(world, component);
    if (why == SHOAL_OK || world == NULL) {
        return why == SHOAL_OK ? why : world_fail(NULL, why, call);
    }
    return world_fail_component(world, why, call, no_entity, component);
}

static ALWAYS_INLINE unique_entry *entry_of(const shoal_world *world, shoal_component component) {
    return LIKELY(world != NULL) ? unique_find(&world->uniques, component.id) : NULL;
}

/* ---- changing ---- */

static bool value_is_refused(const component_type *type, const void *data) {
    return type->def.validate != NULL && type->def.size != 0 && data != NULL &&
           !type->def.validate(data, type->def.user);
}

shoal_status shoal_unique_set(shoal_world *world, shoal_component component, const void *data) {
    static const char call[] = "shoal_unique_set";
    shoal_status status = unique_enter(world, component, call);
    if (status != SHOAL_OK) {
        return status;
    }
    const component_type *type = component_type_at(component.id);
    if (world_is_locked(world) && (world_is_shared(world) || entry_of(world, component) == NULL)) {
        return world_fail_locked(world, call);
    }
    if (value_is_refused(type, data)) {
        return world_fail_component(world, SHOAL_VALUE_REFUSED, call, no_entity, component);
    }
    bool was_new = false;
    status = unique_put(&world->uniques, &world->memory, type, data, world->tick, &was_new);
    if (status != SHOAL_OK) {
        return world_fail_component(world, status, call, no_entity, component);
    }
    void *value = entry_of(world, component)->value; /* stays where it is, whatever a hook does */
    if (was_new) {
        notify(world, type, NOTIFY_ADD, no_entity, no_entity, value);
    }
    if (data != NULL && value != NULL) {
        notify(world, type, NOTIFY_SET, no_entity, no_entity, value);
    }
    return SHOAL_OK;
}

shoal_status shoal_unique_remove(shoal_world *world, shoal_component component) {
    static const char call[] = "shoal_unique_remove";
    shoal_status status = unique_enter(world, component, call);
    if (status != SHOAL_OK) {
        return status;
    }
    const unique_entry *entry = entry_of(world, component);
    if (entry == NULL) {
        return SHOAL_OK;
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    notify(world, entry->type, NOTIFY_REMOVE, no_entity, no_entity, entry->value);
    (void)unique_remove(&world->uniques, &world->memory, component.id);
    return SHOAL_OK;
}

/* ---- asking ---- */

/* Stores why there is no value to give. */
COLD static void *value_refuse(const shoal_world *world, shoal_component component, const char *call) {
    shoal_status why = unique_why(world, component);
    if (why == SHOAL_OK) {
        why = entry_of(world, component) != NULL ? SHOAL_TERM_WITHOUT_DATA : SHOAL_NOT_FOUND;
    }
    (void)world_fail_reader(world, why, call, no_entity, component);
    return NULL;
}

const void *shoal_unique_get(const shoal_world *world, shoal_component component) {
    world_note_access(world, component, false, "shoal_unique_get");
    const unique_entry *entry = entry_of(world, component);
    return LIKELY(entry != NULL) && LIKELY(entry->value != NULL) ? entry->value
                                                                 : value_refuse(world, component, "shoal_unique_get");
}

void *shoal_unique_get_mut(shoal_world *world, shoal_component component) {
    world_note_access(world, component, true, "shoal_unique_get_mut");
    unique_entry *entry = entry_of(world, component);
    if (UNLIKELY(entry == NULL) || UNLIKELY(entry->value == NULL)) {
        return value_refuse(world, component, "shoal_unique_get_mut");
    }
    entry->tick = world->tick;
    return entry->value;
}

/* The entry, or NULL; only what is no unique is an error. */
static const unique_entry *entry_ask(const shoal_world *world, shoal_component component, const char *call) {
    const unique_entry *entry = entry_of(world, component);
    shoal_status why = entry == NULL ? unique_why(world, component) : SHOAL_OK;
    if (why != SHOAL_OK) {
        (void)world_fail_reader(world, why, call, no_entity, component);
    }
    return entry;
}

bool shoal_unique_has(const shoal_world *world, shoal_component component) {
    return entry_ask(world, component, "shoal_unique_has") != NULL;
}

uint64_t shoal_unique_tick(const shoal_world *world, shoal_component component) {
    world_note_access(world, component, false, "shoal_unique_tick");
    const unique_entry *entry = entry_ask(world, component, "shoal_unique_tick");
    return entry != NULL ? entry->tick : 0;
}
