/**
 * @file command.h
 * Commands: structural changes recorded now, for example while a view is open, and applied later, in the order
 * in which they were recorded, as if each had been called then, one after the other. The operations on one entity
 * are folded into one move.
 *
 * Values are copied when they are recorded. A handle that shoal_commands_spawn() gives out is a placeholder: it
 * names the new entity in this buffer only, as a target of further commands and inside of entity fields of
 * values, where it is replaced by the real handle. A command whose call would fail when its turn comes (its entity
 * is dead by then, a set of a component that is not there, a value that the validate hook refuses) is dropped and
 * counted; the others go on.
 */
#ifndef SHOAL_COMMAND_H
#define SHOAL_COMMAND_H

#include <shoal/entity.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer of recorded commands. */
typedef struct shoal_commands shoal_commands;

/** What a command does. */
typedef enum shoal_command_kind {
    SHOAL_COMMAND_SPAWN,
    SHOAL_COMMAND_DESTROY,
    SHOAL_COMMAND_ADD,
    SHOAL_COMMAND_REMOVE,
    SHOAL_COMMAND_SET,
    SHOAL_COMMAND_CLEAR,
    SHOAL_COMMAND_ENABLE,
    SHOAL_COMMAND_DISABLE,
    SHOAL_COMMAND_UNRELATE
} shoal_command_kind;

/** A command that was dropped, as it is shown to shoal_commands_def::dropped. */
typedef struct shoal_dropped_command {
    shoal_command_kind kind;   /**< what it would have done */
    shoal_entity entity;       /**< its target; a placeholder that got a handle is shown with that handle */
    shoal_component component; /**< of add, remove, set, enable, disable, unrelate; else null */
    size_t record;             /**< its place in the buffer, from 0 */
    shoal_status status;       /**< what the call would have returned: ENTITY_DEAD, COMPONENT_MISSING, ... */
} shoal_dropped_command;

/** A buffer's definition; zero-initialised members mean the default. */
typedef struct shoal_commands_def {
    const char *name;                                                  /**< for messages; copied; default "commands" */
    void (*dropped)(void *user, const shoal_dropped_command *command); /**< told of each; may be NULL; must not
                                                                           call into the world */
    void *user;                                                        /**< handed to `dropped` */
    bool log_dropped; /**< writes a warning to the world's log for each */
} shoal_commands_def;

/** What shoal_commands_apply() did. */
typedef struct shoal_commands_result {
    size_t applied; /**< commands that did their work, also when it came to nothing */
    size_t dropped; /**< commands that were dropped */
} shoal_commands_result;

/**
 * Makes a command buffer; NULL as definition means all defaults. It belongs to the world and ends with it, or
 * with shoal_commands_destroy(). NULL on failure: OUT_OF_MEMORY, MEMORY_LIMIT, WORLD_LOCKED while systems run.
 * Thread: world.
 */
SHOAL_API shoal_commands *shoal_commands_create(shoal_world *world, const shoal_commands_def *def);

/** Ends a buffer and drops what it holds (dtor hooks of recorded values run). NULL is fine. Does nothing in a callback
    while the buffer is applied, nor while systems run. Thread: world. */
SHOAL_API void shoal_commands_destroy(shoal_commands *commands);

/** Records a spawn; returns the placeholder, or null on failure: the errors of shoal_spawn() that can be known
    now (COMPONENT_INVALID, COMPONENT_DUPLICATE, HOOK_FAILED, OUT_OF_MEMORY), ENTITY_PLACEHOLDER for a foreign one
    inside of a value and for any as the target of a split relation, and ENTITY_LIMIT for very many spawns in one
    buffer: at least 8,388,608 fit. Thread: world. */
SHOAL_API shoal_entity shoal_commands_spawn(shoal_commands *commands, const shoal_value *values, size_t value_count);

/** Records shoal_destroy(). Recording fails, and nothing is recorded, for a null or foreign handle, a
    placeholder of another buffer, an invalid component or when memory runs out; a dead entity is found out when
    the buffer is applied. WORLD_LOCKED in a callback while this buffer is applied, ACCESS_UNDECLARED in a system
    that has not declared that it records. Thread: world. */
SHOAL_API shoal_status shoal_commands_destroy_entity(shoal_commands *commands, shoal_entity entity);

/** Records shoal_add(). Errors as above. Thread: world. */
SHOAL_API shoal_status shoal_commands_add(shoal_commands *commands, shoal_entity entity, shoal_component component,
                                          const void *data);

/** Records shoal_remove(). Errors as above. Thread: world. */
SHOAL_API shoal_status shoal_commands_remove(shoal_commands *commands, shoal_entity entity, shoal_component component);

/** Records shoal_set(). Errors as above. Thread: world. */
SHOAL_API shoal_status shoal_commands_set(shoal_commands *commands, shoal_entity entity, shoal_component component,
                                          const void *data);

/** Typed forms, with the value in place: SHOAL_COMMANDS_ADD(commands, entity, Health, 80). */
#define SHOAL_COMMANDS_ADD(commands, entity, Type, ...)                                                                \
    shoal_commands_add((commands), (entity), shoal_component_of_value(&shoal_slot_##Type), &(Type){__VA_ARGS__})
/** The same for shoal_commands_set(). */
#define SHOAL_COMMANDS_SET(commands, entity, Type, ...)                                                                \
    shoal_commands_set((commands), (entity), shoal_component_of_value(&shoal_slot_##Type), &(Type){__VA_ARGS__})

/** Records shoal_clear(). Errors as above. Thread: world. */
SHOAL_API shoal_status shoal_commands_clear(shoal_commands *commands, shoal_entity entity);

/** Records shoal_enable() or shoal_disable(). Errors as above. Thread: world. */
SHOAL_API shoal_status shoal_commands_enable(shoal_commands *commands, shoal_entity entity, shoal_component component);
/** See above. Thread: world. */
SHOAL_API shoal_status shoal_commands_disable(shoal_commands *commands, shoal_entity entity, shoal_component component);

/** Records shoal_relate(): an add of a shoal_link. `target` may be a placeholder of this buffer, but not of a split
    relation: ENTITY_PLACEHOLDER. Errors as above. Thread: world. */
SHOAL_API shoal_status shoal_commands_relate(shoal_commands *commands, shoal_entity source, shoal_component relation,
                                             shoal_entity target, const void *data);

/** Records shoal_unrelate(). Errors as above. Thread: world. */
SHOAL_API shoal_status shoal_commands_unrelate(shoal_commands *commands, shoal_entity source, shoal_component relation,
                                               shoal_entity target);

/** Commands recorded and not yet applied. Thread: world. */
SHOAL_API size_t shoal_commands_count(const shoal_commands *commands);

/**
 * Applies the commands in order and empties the buffer. `result` may be NULL. WORLD_LOCKED while a view is open
 * or a callback runs, OUT_OF_MEMORY, MEMORY_LIMIT, ENTITY_LIMIT, ARCHETYPE_LIMIT, ROW_TOO_LARGE and, of the copy hook
 * of a shared or chunk value, HOOK_FAILED leave the world and the buffer as they were, to apply again. Where slots run
 * short, those of the destroys in the buffer count as free from there on, those of entities that they take along do
 * not; when a destroy that was counted on is refused (TARGET_HELD), a later spawn may be dropped with ENTITY_LIMIT.
 * Thread: world.
 */
SHOAL_API shoal_status shoal_commands_apply(shoal_commands *commands, shoal_commands_result *result);

/** Drops all recorded commands. Their placeholders name nothing from then on. Does nothing in a callback while the
    buffer is applied, nor while systems run. Thread: world. */
SHOAL_API void shoal_commands_discard(shoal_commands *commands);

/** The real handle of a placeholder of the last apply; null if its entity was destroyed in the same buffer, or if
    the placeholder is older. Thread: world. */
SHOAL_API shoal_entity shoal_commands_resolve(const shoal_commands *commands, shoal_entity placeholder);

#ifdef __cplusplus
}
#endif

#endif
