/*
 * Command buffers: what is recorded, and what applying needs.
 *
 *     commands   | entity, value or payload, component, kind, flags | ...    24 bytes each, in the order of recording
 *     arena      values that are larger than 8 bytes or have hooks; they never move until they are applied
 *
 * A spawn is a SPAWN command and an ADD for each component, all on one placeholder:
 *
 *     placeholder   0 | epoch 62..24 | spawn 23..0
 *
 * An epoch belongs to one buffer of the process and never comes again, so no placeholder is ever taken for another; a
 * buffer takes a new one when it has used up half of the spawn numbers. base_spawn is the first that is not applied.
 * Commands on components outside of archetypes (loose ones) are carried out at their own place; the others are folded,
 * a segment of the chain at a time: a segment ends with a destroy, with what may fail for reasons that only the commit
 * knows, or where what follows must find the row as it is then.
 * A command on a split relation moves the row at its own place as well, so the segment before it ends there.
 * A component that others require is recorded before the one that requires it, as an internal command.
 * Invariant "owned": a value in the buffer is a complete object that the buffer ends unless applying has moved it into
 * a row. Thread rule: world.
 */
#ifndef SHOAL_CHANGE_COMMAND_H
#define SHOAL_CHANGE_COMMAND_H

#include <shoal/command.h>

#include "../storage/store.h"
#include "change.h"

#define COMMAND_NONE UINT32_MAX
#define COMMAND_PAYLOAD_BYTES 8
#define COMMAND_EPOCH_SHIFT 24
#define COMMAND_SPAWN_MASK ((UINT64_C(1) << COMMAND_EPOCH_SHIFT) - 1)

/* Internal: adds a component, by its default, that the add right behind it requires. Those before one add are a group.
 */
#define COMMAND_REQUIRE ((uint8_t)(SHOAL_COMMAND_UNRELATE + 1))

/* Internal: the last command of a segment, which has been dropped at its own place, before the segment is folded. */
#define COMMAND_NOTHING ((uint8_t)(SHOAL_COMMAND_UNRELATE + 2))

enum command_flags {
    COMMAND_HAS_VALUE = 1,   /* a value was given */
    COMMAND_HAS_DEFAULT = 2, /* the default that a hook has made when recording, for when the component is new */
    COMMAND_IN_ARENA = 4,    /* `value` points to it; else it is the payload */
    COMMAND_OF_SPAWN = 8,    /* an ADD that belongs to the SPAWN before it */
    COMMAND_CONSUMED = 16,   /* applying has moved the value into a row, or ended it */
    COMMAND_LINKED = 32,     /* while applying: its entity was alive when the commands were chained */
    COMMAND_IS_NEW = 32,     /* behind its place in a joint buffer: it has added what was not there */
    COMMAND_JUDGED = 64,     /* the validate hook has been asked */
    COMMAND_REFUSED = 128,   /* and has refused */
    COMMAND_WANTED = 128     /* of an internal command: its add takes place and needs it */
};

typedef struct shoal_command {
    shoal_entity entity;
    union {
        void *value;
        char payload[COMMAND_PAYLOAD_BYTES];
    } data;
    uint16_t component;
    uint8_t kind;  /* shoal_command_kind */
    uint8_t flags; /* command_flags */
    uint32_t next; /* while applying: the next command on the same entity, or COMMAND_NONE */
} shoal_command;

/* Blocks of values. */
typedef struct command_block {
    struct command_block *next;
    size_t byte_size; /* of the allocation */
    size_t used;
} command_block;

/* One component of an entity while its commands are folded. */
typedef struct fold_entry {
    uint32_t component;
    uint32_t value; /* command whose value it gets, or COMMAND_NONE */
    bool present;
    bool fresh;  /* added after a removal: its old value does not count */
    uint8_t bit; /* what becomes of its enable bit: fold_bit */
} fold_entry;

enum fold_bit { FOLD_BIT_STAYS, FOLD_BIT_SET, FOLD_BIT_CLEARED };

/* What the commands on one entity come to. */
typedef struct command_fold {
    memory_array entries; /* fold_entry */
    size_t entry_count;
    memory_array values;  /* shoal_value: the net additions; data is unused */
    memory_array sources; /* uint32_t beside each: the command with the value, or COMMAND_NONE */
    size_t value_count;
    memory_array removed; /* shoal_component */
    size_t removed_count;
    uint32_t last; /* the last command of the segment */
    uint32_t next; /* the command after the segment, or COMMAND_NONE */
    bool cleared;
    bool destroyed;
    bool fails; /* while planning: the last command is taken to fail, where it may */
} command_fold;

typedef struct command_spawn {
    shoal_entity real;       /* null until applied */
    uint32_t command_number; /* its SPAWN command; the ADDs follow */
    uint32_t value_count;
    uint32_t record; /* its place as the caller counts */
    uint32_t head;   /* while applying: where its current segment begins */
    bool dead;       /* destroyed in the same buffer, or never made */
    bool is_lost;    /* a split relation of its own had a dead target when the plan was made */
} command_spawn;

struct shoal_commands {
    world_child child; /* first, so that a child is its buffer */
    shoal_world *world;
    memory_array commands; /* command */
    size_t command_count;
    size_t record_count;   /* as the caller counts: without the ADDs of spawns */
    command_block *blocks; /* the newest first */
    memory_array spawns;   /* command_spawn, from base_spawn on */
    uint32_t spawn_count;
    uint32_t base_spawn;   /* placeholder index of spawns[0] */
    memory_array resolved; /* shoal_entity: handles of the last apply */
    uint32_t resolved_count;
    uint32_t resolved_base;
    uint64_t epoch; /* of its placeholders; 0 until the first spawn */
    uint32_t
        first_valid; /* recording takes placeholders from this spawn on: of a system, those of the call under way */
    uint64_t resolved_epoch;
    command_fold fold;
    memory_array targets; /* shoal_archetype *: those with promised rows */
    size_t target_count;
    uint32_t **head_pages; /* slot -> its first command + 1, a page of 4,096 each; NULL where none */
    uint32_t head_page_count;
    memory_array internals; /* uint32_t: the numbers of internal commands */
    size_t internal_count;
    memory_array planned; /* uint32_t: the loose components that room has been made for */
    size_t planned_count;
    uint64_t planned_cascade; /* links that a cascade may have to list beside those of now */
    bool is_joint;      /* the commands on an entity are one operation, which cannot fail: hooks are told at its end */
    bool is_special;    /* some command is more than a change of columns that are bytes */
    memory_array bases; /* shoal_archetype *: while planning a chain, where its entity may be */
    size_t base_count;
    bool is_cut;      /* while applying: segments end after commands on cleanup components, since a cascade may come */
    bool is_released; /* while applying: a target of a split relation may end, so that the rows of its sources move */
    bool is_linked;   /* while applying: relations name entities, so a spawn's row must be there at once */
    bool is_named;    /* while applying: there are names, so a clear may fail */
    shoal_status refusal; /* SHOAL_OK: records; WORLD_LOCKED while it is applied; else see command_refuse() */
    bool is_recorder;     /* of a system: the schedule alone applies, empties and ends it */
    bool is_lent;         /* commands of a merged buffer have their values in its blocks */
    shoal_commands_def def;
    shoal_commands_result result; /* of the apply under way */
    char name[32];
};

static inline shoal_command *command_at(const shoal_commands *commands, size_t number) {
    return (shoal_command *)commands->commands.items + number;
}

static inline command_spawn *command_spawn_at(const shoal_commands *commands, uint32_t number) {
    return (command_spawn *)commands->spawns.items + number;
}

static inline void *command_value(shoal_command *command) {
    return command->flags & COMMAND_IN_ARENA ? command->data.value : command->data.payload;
}

/* What a relation's command is about: its target, and the data behind it when the relation has any. */
typedef struct command_link {
    shoal_entity target;
} command_link;

static inline size_t command_link_data_offset(const component_type *type) {
    return align_up(sizeof(command_link), type->def.alignment);
}

static inline shoal_entity *command_target(shoal_command *command) {
    return (shoal_entity *)command_value(command);
}

/* True when a command is carried out at its own place. */
static inline bool command_is_loose(const shoal_command *command) {
    return command->kind == SHOAL_COMMAND_UNRELATE ||
           (command->component != 0 && !component_type_at(command->component)->in_archetype);
}

/* True for a command that may move the row of its entity at its own place, since a split relation changes. */
static inline bool command_splits(const shoal_command *command) {
    return command_is_loose(command) && component_type_at(command->component)->def.split &&
           (command->kind == SHOAL_COMMAND_ADD || command->kind == SHOAL_COMMAND_REMOVE ||
            command->kind == SHOAL_COMMAND_UNRELATE);
}

/* The value that a command brings: of a relation, its data. NULL when it has none, or the memory is the caller's. */
static inline void *command_data(shoal_command *command) {
    const component_type *type = component_type_at(command->component);
    if (!(command->flags & (COMMAND_HAS_VALUE | COMMAND_HAS_DEFAULT))) {
        return NULL;
    }
    return type->def.storage == SHOAL_STORAGE_RELATION ? (char *)command_value(command) + command_link_data_offset(type)
                                                       : command_value(command);
}

/* True for a placeholder of this buffer that is not applied yet; `*number` is then its spawn. */
static inline bool command_placeholder(const shoal_commands *commands, shoal_entity entity, uint32_t *number) {
    *number = (uint32_t)(entity.bits & COMMAND_SPAWN_MASK) - commands->base_spawn;
    return entity.bits >> COMMAND_EPOCH_SHIFT == commands->epoch && *number < commands->spawn_count;
}

/* The same for a placeholder that may be recorded now. */
static inline bool command_placeholder_is_valid(const shoal_commands *commands, shoal_entity entity) {
    uint32_t number;
    return command_placeholder(commands, entity, &number) && number >= commands->first_valid;
}

/* An epoch that no buffer has had. */
uint64_t command_epoch_take(void);

/* Gives the arena back, but for one block; its values have been moved out or ended. */
void command_arena_empty(shoal_commands *commands);

/* Ends a value that the buffer still owns. */
void command_end_value(shoal_commands *commands, shoal_command *command);

/* True when the segment of a chain ends with this command. */
bool command_ends_segment(const shoal_commands *commands, uint32_t number);

/* True for a command that may fail for reasons that only the commit knows; it is the last one of its segment. */
bool command_may_fail(const shoal_commands *commands, const shoal_command *command);

/* Calls `visit` for every entity field of a value that a command brings. */
void command_visit_entities(const component_type *type, void *value, void (*visit)(void *user, shoal_entity *entity),
                            void *user);

/* True when a validate hook refuses the value of an add or a set. It is asked once: plan and commit must agree. */
bool command_value_is_refused(shoal_command *command);

/* Works out what the commands of a segment, from `head` on by `next`, do to an entity of archetype `base`; loose ones
   are left out. Commands that would fail are told to `dropped`, which may be NULL. OUT_OF_MEMORY, MEMORY_LIMIT only
   when the arrays grow, which a second call with the same chain does not need. */
typedef void (*command_dropped_fn)(shoal_commands *commands, uint32_t number, shoal_status status);
shoal_status command_fold_chain(shoal_commands *commands, const shoal_archetype *base, uint32_t head,
                                command_dropped_fn dropped);

/* The same for the part of a segment before command `end`, of which nothing is to be done: only what would fail is
   told, and internal commands are marked that are wanted. */
void command_fold_part(shoal_commands *commands, const shoal_archetype *base, uint32_t head, uint32_t end,
                       command_dropped_fn dropped);

/* Makes the commands on each entity, which must stand together, one operation; for changes that have been checked. */
void command_join(shoal_commands *commands);

/* Makes recording fail with that status from now on, or work again with SHOAL_OK. ACCESS_UNDECLARED tells the caller to
   declare that it records. */
void command_refuse(shoal_commands *commands, shoal_status why);

/* Empties the buffer; values are ended. */
void command_reset(shoal_commands *commands);

#endif
