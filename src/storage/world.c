/*
 * Worlds: creation, the end, errors, log, watchers and children. See world.h.
 *
 * Tags: 1 to 32,767, handed out in turn so that a handle of a world that ended is not taken for one of the next
 * world; a bit says which tags live worlds hold.
 */
#include "world.h"

#include <shoal/prefab.h>
#include <shoal/unique.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/spinlock.h"
#include "row.h"
#include "store.h"

#define TAG_MAX 32767u
#define FIRST_CHUNK_BYTES ((size_t)1024)
#define SHARED_VALUE_WARNING 1024u
#define LARGEST_CHUNK_BYTES ((size_t)256 * 1024)

/* ---- tags ---- */

static spinlock tag_lock = SPINLOCK_INIT;
static uint64_t tag_bits[(TAG_MAX + 1) / 64]; /* guard: tag_lock */
static uint32_t tag_last;                     /* guard: tag_lock */

static uint32_t tag_take(void) {
    spinlock_lock(&tag_lock);
    uint32_t taken = 0;
    for (uint32_t i = 0; i < TAG_MAX && taken == 0; i++) {
        uint32_t tag = (tag_last + i) % TAG_MAX + 1;
        if (((tag_bits[tag / 64] >> (tag % 64)) & 1u) == 0) {
            tag_bits[tag / 64] |= UINT64_C(1) << (tag % 64);
            tag_last = tag;
            taken = tag;
        }
    }
    spinlock_unlock(&tag_lock);
    return taken;
}

static void tag_give(uint32_t tag) {
    spinlock_lock(&tag_lock);
    tag_bits[tag / 64] &= ~(UINT64_C(1) << (tag % 64));
    spinlock_unlock(&tag_lock);
}

/* ---- errors and the log ---- */

COLD shoal_status world_fail(shoal_world *world, shoal_status status, const char *call) {
    return error_set(world != NULL ? world_error(world) : error_thread_record(), status, call);
}

COLD shoal_status world_fail_entity(shoal_world *world, const char *call, shoal_entity entity) {
    return error_entity(world_error(world), index_why(&world->index, entity), call, entity);
}

COLD shoal_status world_fail_component(shoal_world *world, shoal_status status, const char *call, shoal_entity entity,
                                       shoal_component component) {
    return error_component(world_error(world), status, call, entity, component);
}

COLD shoal_status world_fail_locked(shoal_world *world, const char *call) {
    if (world_is_shared(world)) {
        return world_fail_shared(world, call);
    }
    return error_detail(&world->error, SHOAL_WORLD_LOCKED, call,
                        "held by \"%s\"; record the change in a command buffer, or end the view first",
                        world->lock.holder);
}

COLD void world_log(shoal_world *world, shoal_log_level level, const char *format, ...) {
    if (world->log == NULL) {
        return;
    }
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const char *outer = world_lock_enter(world, "log"); /* the world may be half way through a change */
    world->log(world->log_user, level, line);
    world_lock_leave(world, outer);
}

COLD shoal_status world_fail_reader(const shoal_world *world, shoal_status status, const char *call,
                                    shoal_entity entity, shoal_component component) {
    return error_component(error_thread_record_of(world), status, call, entity, component);
}

shoal_error shoal_last_error(const shoal_world *world) {
    const error_record *record = error_thread_record();
    if (world != NULL && (record->world != world || record->sequence < world->error.sequence)) {
        record = &world->error;
    }
    const shoal_component_def *def = shoal_component_info(record->component);
    if (def == NULL || record->status != SHOAL_COMPONENT_KIND) {
        return error_message(record, def != NULL ? def->name : NULL);
    }
    char text[320]; /* what kind it is, so that the right call can be found */
    (void)snprintf(text, sizeof text, "%s, a %s component%s", def->name, component_storage_name(def->storage),
                   def->toggle ? " with toggle" : "");
    return error_message(record, text);
}

COLD void world_log_retired(shoal_world *world) {
    uint64_t count = world->index.retired_count - world->retired_noted;
    world->retired_noted = world->index.retired_count;
    if (count == 1) {
        world_log(world, SHOAL_LOG_DEBUG, "slot %u has named its last entity and is retired",
                  world->index.last_retired);
    } else {
        world_log(world, SHOAL_LOG_DEBUG, "%llu slots have named their last entity and are retired",
                  (unsigned long long)count);
    }
}

/* ---- watchers and children ---- */

void world_add_watcher(shoal_world *world, archetype_watcher *watcher) {
    watcher->next = NULL;
    watcher->previous = world->last_watcher;
    if (world->last_watcher != NULL) {
        world->last_watcher->next = watcher;
    } else {
        world->watchers = watcher;
    }
    world->last_watcher = watcher;
}

void world_remove_watcher(shoal_world *world, archetype_watcher *watcher) {
    if (watcher->previous != NULL) {
        watcher->previous->next = watcher->next;
    } else {
        world->watchers = watcher->next;
    }
    if (watcher->next != NULL) {
        watcher->next->previous = watcher->previous;
    } else {
        world->last_watcher = watcher->previous;
    }
}

void world_add_child(shoal_world *world, world_child *child) {
    child->previous = NULL;
    child->next = world->children;
    if (world->children != NULL) {
        world->children->previous = child;
    }
    world->children = child;
}

void world_remove_child(shoal_world *world, world_child *child) {
    if (child->previous != NULL) {
        child->previous->next = child->next;
    } else {
        world->children = child->next;
    }
    if (child->next != NULL) {
        child->next->previous = child->previous;
    }
}

/* ---- creation ---- */

static bool chunk_bytes_are_valid(size_t bytes) {
    shoal_limits limits = shoal_limits_get();
    return bit_is_power(bytes) && bytes >= limits.chunk_bytes_min && bytes <= limits.chunk_bytes_max;
}

/* Fills in the defaults and refuses what contradicts itself. */
static shoal_status def_check(shoal_world_def *def) {
    static const char call[] = "shoal_world_create";
    error_record *record = error_thread_record();
    if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL)) {
        return error_detail(record, SHOAL_INVALID_ARGUMENT, call, "give both allocator functions or none");
    }
    if (def->pinned_chunk_bytes != 0 && (def->first_chunk_bytes != 0 || def->largest_chunk_bytes != 0)) {
        return error_detail(record, SHOAL_INVALID_ARGUMENT, call,
                            "pinned_chunk_bytes excludes first_chunk_bytes and largest_chunk_bytes");
    }
    if (def->entity_limit > shoal_limits_get().entities) {
        return error_detail(record, SHOAL_INVALID_ARGUMENT, call, "entity_limit is above 2^32");
    }
    if (def->allocator.allocate == NULL) {
        def->allocator = memory_default_allocator();
    }
    def->name = def->name != NULL ? def->name : "world";
    def->entity_limit = def->entity_limit != 0 ? def->entity_limit : shoal_limits_get().entities;
    def->first_chunk_bytes = def->first_chunk_bytes != 0 ? def->first_chunk_bytes : FIRST_CHUNK_BYTES;
    if (def->largest_chunk_bytes == 0) {
        def->largest_chunk_bytes =
            def->first_chunk_bytes > LARGEST_CHUNK_BYTES ? def->first_chunk_bytes : LARGEST_CHUNK_BYTES;
    }
    if (def->pinned_chunk_bytes != 0) {
        def->first_chunk_bytes = def->largest_chunk_bytes = def->pinned_chunk_bytes;
    }
    if (!chunk_bytes_are_valid(def->first_chunk_bytes) || !chunk_bytes_are_valid(def->largest_chunk_bytes) ||
        def->first_chunk_bytes > def->largest_chunk_bytes) {
        return error_detail(record, SHOAL_CHUNK_SIZE, call, "first %zu, largest %zu bytes", def->first_chunk_bytes,
                            def->largest_chunk_bytes);
    }
    return SHOAL_OK;
}

/* Allocates the struct itself through the allocator that it will own, so that it is counted as well. */
static shoal_world *world_allocate(const shoal_world_def *def, shoal_status *status) {
    shoal_memory memory = {.allocator = def->allocator, .limit = def->memory_limit};
    shoal_world *world = memory_allocate_zero(&memory, SHOAL_PURPOSE_WORLD, sizeof *world, 64);
    if (world == NULL) {
        *status = memory_failure(&memory);
        return NULL;
    }
    world->memory = memory;
    world->first_pool = (uint8_t)pool_for_bytes(def->first_chunk_bytes);
    world->largest_pool = (uint8_t)pool_for_bytes(def->largest_chunk_bytes);
    world->move_rows = def->move_rows;
    world->log = def->log;
    world->log_user = def->log_user;
    world->tick = 1;
    world->shared_value_warning = def->shared_value_warning != 0 ? def->shared_value_warning : SHARED_VALUE_WARNING;
    (void)snprintf(world->name, sizeof world->name, "%s", def->name);
    error_begin(&world->error);
    pools_init(&world->pools, &world->memory);
    world->pools.fill_given = def->move_rows;
    name_init(&world->names, &world->memory);
    return world;
}

static void world_free(shoal_world *world) {
    transition_drop_all(world); /* edges touch their archetypes, so they go first */
    for (uint32_t i = 0; i < world->archetype_count; i++) {
        archetype_free(world, world->by_age[i]);
    }
    size_t table_bytes = world->archetype_capacity * sizeof(shoal_archetype *);
    size_t set_bytes = world->by_set == NULL ? 0 : ((size_t)world->by_set_mask + 1) * sizeof(shoal_archetype *);
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, world->archetypes, table_bytes, 16);
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, world->by_age, table_bytes, 16);
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, world->by_set, set_bytes, 16);
    unique_deinit(&world->uniques, &world->memory);
    name_deinit(&world->names);
    stores_deinit(world);
    memory_array_release(&world->memory, SHOAL_PURPOSE_RELATION, &world->doomed, sizeof(shoal_entity));
    pools_deinit(&world->pools);
    index_deinit(&world->index);
    shoal_memory memory = world->memory;
    SHOAL_ASSERT(memory.total == sizeof *world);
    memory_release(&memory, SHOAL_PURPOSE_WORLD, world, sizeof *world, 64);
}

static shoal_status builtin_types_resolve(shoal_world *world) {
    world->child_of_id = SHOAL_ID(ChildOf).id;
    world->prefab_id = SHOAL_ID(Prefab).id;
    world->dying_id = SHOAL_ID(Dying).id;
    bool all = world->child_of_id != 0 && world->prefab_id != 0 && world->dying_id != 0;
    return all ? SHOAL_OK : error_thread_record()->status;
}

shoal_world *shoal_world_create(const shoal_world_def *def) {
    shoal_world_def filled = def != NULL ? *def : (shoal_world_def){0};
    if (def_check(&filled) != SHOAL_OK) {
        return NULL;
    }
    shoal_status status = SHOAL_OK;
    shoal_world *world = world_allocate(&filled, &status);
    if (world == NULL) {
        error_set(error_thread_record(), status, "shoal_world_create");
        return NULL;
    }
    world->tag = tag_take();
    status = world->tag == 0 ? SHOAL_WORLD_LIMIT : SHOAL_OK;
    status = status == SHOAL_OK ? builtin_types_resolve(world) : status;
    if (status == SHOAL_OK) {
        index_init(&world->index, &world->memory, world->tag, filled.entity_limit);
        world->root = archetype_obtain(world, (archetype_set){0}, &status);
    }
    if (status != SHOAL_OK) {
        error_set(error_thread_record(), status, "shoal_world_create");
        if (world->tag != 0) {
            tag_give(world->tag);
        }
        world_free(world);
        return NULL;
    }
    return world;
}

shoal_status shoal_world_destroy(shoal_world *world) {
    if (world == NULL) {
        return SHOAL_OK;
    }
    if (world->is_stepping || world_is_locked(world)) {
        return world->is_stepping
                   ? error_detail(world_error(world), SHOAL_WORLD_LOCKED, "shoal_world_destroy", "a step is under way")
                   : world_fail_locked(world, "shoal_world_destroy");
    }
    /* Hooks that call back find the world locked. */
    (void)world_lock_enter(world, "shoal_world_destroy");
    while (world->children != NULL) {
        world_child *child = world->children;
        world_remove_child(world, child);
        child->end(child);
    }
    for (uint32_t i = 0; i < world->archetype_count; i++) {
        row_end_values(world, world->by_age[i]);
    }
    while (world->watchers != NULL) {
        archetype_watcher *watcher = world->watchers;
        world_remove_watcher(world, watcher);
        watcher->end(watcher);
    }
    tag_give(world->tag);
    world_free(world);
    return SHOAL_OK;
}

const char *shoal_world_name(const shoal_world *world) {
    return world != NULL ? world->name : "";
}

uint32_t shoal_world_tag(const shoal_world *world) {
    return world != NULL ? world->tag : 0;
}

uint64_t shoal_world_tick(const shoal_world *world) {
    return world != NULL ? world->tick : 0;
}

uint64_t shoal_world_next_tick(shoal_world *world) {
    if (world != NULL && world_is_shared(world)) {
        (void)world_fail_shared(world, "shoal_world_next_tick");
        return 0;
    }
    return world != NULL ? ++world->tick : 0;
}

uint64_t shoal_world_entity_count(const shoal_world *world) {
    return world != NULL ? world->index.live_count : 0;
}

const char *shoal_world_lock_holder(const shoal_world *world) {
    const world_scope *scope = world != NULL && world_is_shared(world) ? world_scope_of(world) : NULL;
    if (scope != NULL && scope->lock.holder != NULL) {
        return scope->lock.holder;
    }
    return world != NULL ? world->lock.holder : NULL;
}

void index_set_generation(shoal_world *world, uint32_t slot, uint32_t generation) {
    index_record *record = index_at(&world->index, slot);
    SHOAL_ASSERT(record->chunk == 0);
    record->place = generation & INDEX_GENERATION_MASK;
}
