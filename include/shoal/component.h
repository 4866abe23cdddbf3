/**
 * @file component.h
 * Component types. A type is declared once at file scope in C and gets its id at first use, from a
 * registry that the whole process shares and that is keyed by name: the same name is the same id in every
 * world and every shared library.
 *
 *     typedef struct { float x, y, z; } Position;
 *     SHOAL_COMPONENT(Position, .version = 1,
 *                     .fields = SHOAL_FIELDS(SHOAL_FIELD(Position, x), SHOAL_FIELD(Position, y),
 *                                            SHOAL_FIELD(Position, z)))
 *     SHOAL_TAG(Frozen)
 *
 * To share a type between files, put SHOAL_COMPONENT_DECLARE(Position) into a header and
 * SHOAL_COMPONENT_DEFINE(Position, ...) into one C file. Types can be made at run time too, with
 * shoal_component_register().
 */
#ifndef SHOAL_COMPONENT_H
#define SHOAL_COMPONENT_H

#include <shoal/id.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A component type; pass it by value. Zero-initialised is null. Ids are valid in this process only. */
typedef struct shoal_component {
    uint32_t id; /**< 1 to shoal_limits::component_types. */
} shoal_component;

/** What a field holds. */
typedef enum shoal_field_kind {
    SHOAL_FIELD_NONE,
    SHOAL_FIELD_BOOL,
    SHOAL_FIELD_I8,
    SHOAL_FIELD_U8,
    SHOAL_FIELD_I16,
    SHOAL_FIELD_U16,
    SHOAL_FIELD_I32,
    SHOAL_FIELD_U32,
    SHOAL_FIELD_I64,
    SHOAL_FIELD_U64,
    SHOAL_FIELD_F32,
    SHOAL_FIELD_F64,
    SHOAL_FIELD_ENTITY, /**< A shoal_entity; placeholders inside are replaced when commands are applied. */
    SHOAL_FIELD_TEXT,   /**< A char array that is zero-terminated or full; `size` is the array's size. */
    SHOAL_FIELD_STRUCT  /**< Nested fields, with offsets from the start of the nested struct. */
} shoal_field_kind;

/** One field of a component type, or of a nested struct. */
typedef struct shoal_field {
    const char *name;                 /**< As in the C source. */
    shoal_field_kind kind;            /**< What it holds. */
    size_t offset;                    /**< Bytes from the start of the type. */
    size_t size;                      /**< Bytes of one element. */
    size_t count;                     /**< Elements of a fixed array; 0 and 1 both mean a single value. */
    const struct shoal_field *fields; /**< The nested fields of a SHOAL_FIELD_STRUCT. */
    size_t field_count;               /**< Of `fields`. */
} shoal_field;

/** Where the values of a component live. */
typedef enum shoal_storage {
    SHOAL_STORAGE_TABLE,   /**< a column in the chunks of the archetype; a type of size 0 is a tag */
    SHOAL_STORAGE_SPARSE,  /**< one dense array for the type in the world; does not change the archetype */
    SHOAL_STORAGE_SHARED,  /**< one value for a group of entities; those with equal values share chunks */
    SHOAL_STORAGE_CHUNK,   /**< one value for each chunk, made and dropped with it */
    SHOAL_STORAGE_BUFFER,  /**< a growing array for each entity; the type describes one element */
    SHOAL_STORAGE_UNIQUE,  /**< one value in the world; see unique.h */
    SHOAL_STORAGE_RELATION /**< names a target entity, with or without data; see relation.h */
} shoal_storage;

/** What happens to the source of a relation when the target is destroyed. */
typedef enum shoal_target_policy {
    SHOAL_TARGET_REMOVE,  /**< the relation goes, the source stays */
    SHOAL_TARGET_DESTROY, /**< the source is destroyed as well */
    SHOAL_TARGET_REFUSE   /**< the target cannot be destroyed while it has sources that stay: TARGET_HELD */
} shoal_target_policy;

/** What a lifecycle hook is told. */
typedef struct shoal_component_event {
    shoal_world *world;        /**< locked against structural changes; record commands instead */
    shoal_entity entity;       /**< whose component; null for a unique */
    shoal_component component; /**< which */
    shoal_entity target;       /**< of a relation; else null */
    void *value;               /**< the value (of a relation: its data); NULL for what has no data */
} shoal_component_event;

/**
 * A component type's definition; zero-initialised members mean the default. The registry copies all of it
 * (names, fields, default value), so it may live on the stack.
 *
 * Hooks serve types that own something. All work on `count` values in a row and get `user`.
 *   ctor   makes default values in raw memory; without it they are `default_value` or zero bytes
 *   copy   makes copies in raw memory; the source stays as it is
 *   move   makes the values in raw memory and ends the source (which gets no dtor); without it memcpy
 *   dtor   ends values
 * A type that has any of the four needs copy and dtor, or it is refused. ctor and copy may fail: they then
 * leave nothing made, and the call that needed them fails as a whole. Hooks must not call into the world.
 * `validate` is asked before a value given by the caller enters the world; it must not change anything.
 * on_add, on_set and on_remove are told of what happens to entities: on_add once for each component that an entity
 * gains, after all values of the operation are in place; on_set for each value that a caller gave, after on_add;
 * on_remove before the value goes, also when the entity is destroyed or cleared. They may read the world and record
 * commands. The end of the world calls none of them.
 */
typedef struct shoal_component_def {
    const char *name;          /**< 1 to 255 bytes of UTF-8 without control characters. */
    size_t size;               /**< Bytes; 0 makes a tag. A multiple of the alignment. */
    size_t alignment;          /**< Bytes, a power of two up to 4,096; 0 means 1. */
    uint32_t version;          /**< The layout's version, for files. */
    bool serialize;            /**< Goes into snapshots. */
    bool sync;                 /**< Goes into deltas. */
    const void *default_value; /**< `size` bytes, or NULL for zero bytes; not together with ctor. */
    const shoal_field *fields; /**< Checked against size and offsets; may be absent. */
    size_t field_count;        /**< Of `fields`. */
    /** Makes default values; false when it cannot. */
    bool (*ctor)(void *values, size_t count, void *user);
    /** Makes copies; false when it cannot. */
    bool (*copy)(void *values, const void *source, size_t count, void *user);
    /** Makes the values out of the source and ends the source. */
    void (*move)(void *values, void *source, size_t count, void *user);
    /** Ends values. */
    void (*dtor)(void *values, size_t count, void *user);
    /** False refuses the value. */
    bool (*validate)(const void *value, void *user);
    /** The entity has gained the component. */
    void (*on_add)(const shoal_component_event *event, void *user);
    /** A caller gave the value. */
    void (*on_set)(const shoal_component_event *event, void *user);
    /** The entity is about to lose the component. */
    void (*on_remove)(const shoal_component_event *event, void *user);
    void *user; /**< Handed to every hook; the caller owns it; it must live as long as the process. */

    shoal_storage storage; /**< Where values live; `size` is that of one element for a buffer, of the data for a
                                relation. */
    bool toggle;           /**< Table, tag, buffer: each row has an enable bit, see shoal_enable(). */
    bool cleanup;          /**< Table, tag, buffer: stays when its entity is destroyed, until it is removed. */
    bool stable;           /**< Sparse: a value keeps its address as long as its entity has it. */
    uint32_t inline_count; /**< Buffer: elements in the chunk; default: what fits into 64 bytes, at least one. */
    bool exclusive;        /**< Relation: one target at a time; a new one replaces the old one. */
    bool acyclic;          /**< Relation: forms a tree, as ChildOf; implies exclusive. */
    bool split;            /**< Relation: sources of one target share chunks; needs exclusive. */
    shoal_target_policy on_target_destroyed; /**< Relation. */
    /** Shared: true for equal values; default: equal bytes. Needs hash. */
    bool (*equal)(const void *a, const void *b, void *user);
    /** Shared: the hash that equal values have in common. Needs equal. */
    uint64_t (*hash)(const void *value, void *user);
    /** Components that an entity gets with this one, with their defaults: SHOAL_REQUIRES(&shoal_slot_Transform). A
        component of the archetype brings them when it is new; a sparse one or a relation, which the archetype does not
        know, with each add that finds one of them missing. */
    struct shoal_component_slot *const *required;
    size_t required_count; /**< Of `required`. */
} shoal_component_def;

/** A definition at file scope together with its id. Made by the macros below; treat it as opaque. */
typedef struct shoal_component_slot {
    shoal_component_def def;
    uint32_t id;       /* 0 until the first use; written once with release, read with acquire */
    uint32_t value_id; /* the same; stays 0 where a value is more than an object of the type: buffers, relations */
} shoal_component_slot;

/**
 * Registers a type, or finds the one that has the same name and layout: size, alignment, version, and fields (a later
 * definition may leave the fields out, but not bring the first ones). Everything else stays as first registered.
 * Returns null on failure; shoal_last_error(NULL) then says why: COMPONENT_NAME, COMPONENT_SIZE,
 * COMPONENT_ALIGNMENT, COMPONENT_HOOKS, COMPONENT_TRAITS, FIELD_INVALID, COMPONENT_CONFLICT (names both layouts),
 * COMPONENT_COLLISION (names both names), COMPONENT_LIMIT, OUT_OF_MEMORY, INVALID_ARGUMENT.
 * Thread: any.
 */
SHOAL_API shoal_component shoal_component_register(const shoal_component_def *def);

/** Registers the slot's definition and keeps the id in it; what SHOAL_ID() calls once. Thread: any. */
SHOAL_API shoal_component shoal_component_resolve(shoal_component_slot *slot);

/** Private to SHOAL_VALUE, SHOAL_TO and their like: the id of a slot whose storage is as the macro needs it; else null,
    and shoal_last_error(NULL) says COMPONENT_KIND and which macro to use. Thread: any. */
SHOAL_API shoal_component shoal_component_resolve_value(shoal_component_slot *slot, shoal_storage storage);

/** The type of that name, or null. Thread: any. */
SHOAL_API shoal_component shoal_component_find(const char *name);

/** The registered definition, valid until the process ends; NULL for an invalid id. Thread: any. */
SHOAL_API const shoal_component_def *shoal_component_info(shoal_component component);

/** The stable 64-bit hash of the name (FNV-1a) that goes into files; 0 for an invalid id. Thread: any. */
SHOAL_API uint64_t shoal_component_hash(shoal_component component);

/** How many types are registered; their ids are 1 to this number. Thread: any. */
SHOAL_API uint32_t shoal_component_count(void);

/** The id of a slot, registered at first use: one load and one test after that. Thread: any. */
static inline shoal_component shoal_component_of(shoal_component_slot *slot) {
#if defined(__GNUC__)
    shoal_component component = {__atomic_load_n(&slot->id, __ATOMIC_ACQUIRE)};
#else
    shoal_component component = {*(volatile uint32_t *)&slot->id};
#endif
    return component.id != 0 ? component : shoal_component_resolve(slot);
}

/** The id of a type that SHOAL_COMPONENT or SHOAL_TAG declared. */
#define SHOAL_ID(Type) shoal_component_of(&shoal_slot_##Type)

/** Private to the macros that take a value in place: the id, unless the type is a buffer or a relation.
    Thread: any. */
static inline shoal_component shoal_component_of_value(shoal_component_slot *slot) {
#if defined(__GNUC__)
    shoal_component component = {__atomic_load_n(&slot->value_id, __ATOMIC_ACQUIRE)};
#else
    shoal_component component = {*(volatile uint32_t *)&slot->value_id};
#endif
    return component.id != 0 ? component : shoal_component_resolve_value(slot, SHOAL_STORAGE_TABLE);
}

/** Private to SHOAL_ITEMS and SHOAL_TO: the id, if the type has that storage. Thread: any. */
static inline shoal_component shoal_component_of_storage(shoal_component_slot *slot, shoal_storage storage) {
    return slot->def.storage == storage ? shoal_component_of(slot) : shoal_component_resolve_value(slot, storage);
}

/** Makes `Type` visible to other files; goes into a header. */
#define SHOAL_COMPONENT_DECLARE(Type) extern shoal_component_slot shoal_slot_##Type;
/** The same for a tag. */
#define SHOAL_TAG_DECLARE(Name) SHOAL_COMPONENT_DECLARE(Name)

/** Defines what SHOAL_COMPONENT_DECLARE declared; goes into one C file. (Type, members of the def...) */
#define SHOAL_COMPONENT_DEFINE(...) SHOAL_COMPONENT_DEFINE_SLOT(__VA_ARGS__, )
/** The same for a tag. */
#define SHOAL_TAG_DEFINE(...) SHOAL_TAG_DEFINE_SLOT(__VA_ARGS__, )

/** Declares and defines a type for one C file. (Type, members of shoal_component_def...) */
#define SHOAL_COMPONENT(...) SHOAL_MAYBE_UNUSED static SHOAL_COMPONENT_DEFINE_SLOT(__VA_ARGS__, )
/** The same for a tag. */
#define SHOAL_TAG(...) SHOAL_MAYBE_UNUSED static SHOAL_TAG_DEFINE_SLOT(__VA_ARGS__, )

/** A relation without data: SHOAL_RELATION(Owner, .on_target_destroyed = SHOAL_TARGET_DESTROY). */
#define SHOAL_RELATION(...) SHOAL_MAYBE_UNUSED static SHOAL_RELATION_DEFINE_SLOT(__VA_ARGS__, )
/** Defines what SHOAL_RELATION_DECLARE declared; goes into one C file. */
#define SHOAL_RELATION_DEFINE(...) SHOAL_RELATION_DEFINE_SLOT(__VA_ARGS__, )
/** The same for a relation with data. */
#define SHOAL_RELATION_DATA_DEFINE(...) SHOAL_COMPONENT_DEFINE(__VA_ARGS__, .storage = SHOAL_STORAGE_RELATION)
/** Makes a relation visible to other files; goes into a header. */
#define SHOAL_RELATION_DECLARE(Name) SHOAL_COMPONENT_DECLARE(Name)
/** A relation with data of type `Type`: SHOAL_RELATION_DATA(Holds, .exclusive = true). */
#define SHOAL_RELATION_DATA(...) SHOAL_COMPONENT(__VA_ARGS__, .storage = SHOAL_STORAGE_RELATION)

/** A slot for `.required = SHOAL_REQUIRES(SHOAL_SLOT(Transform), SHOAL_SLOT(Visible))`. */
#define SHOAL_SLOT(Type) &shoal_slot_##Type
/** Initialises required and required_count. */
#define SHOAL_REQUIRES(...)                                                                                            \
    (shoal_component_slot *const[]){__VA_ARGS__},                                                                      \
        sizeof((shoal_component_slot *const[]){__VA_ARGS__}) / sizeof(shoal_component_slot *)

/* The callers add the last comma, so that a type without further members is one argument less, not an error. */
#define SHOAL_COMPONENT_DEFINE_SLOT(Type, ...)                                                                         \
    shoal_component_slot shoal_slot_##Type = {                                                                         \
        .def = {.name = #Type, .size = sizeof(Type), .alignment = _Alignof(Type), __VA_ARGS__}};

#define SHOAL_TAG_DEFINE_SLOT(Name, ...) shoal_component_slot shoal_slot_##Name = {.def = {.name = #Name, __VA_ARGS__}};
#define SHOAL_RELATION_DEFINE_SLOT(Name, ...)                                                                          \
    shoal_component_slot shoal_slot_##Name = {.def = {.name = #Name, .storage = SHOAL_STORAGE_RELATION, __VA_ARGS__}};

/** A field table, for `.fields = SHOAL_FIELDS(...)`: initialises fields and field_count. */
#define SHOAL_FIELDS(...)                                                                                              \
    (const shoal_field[]){__VA_ARGS__}, sizeof((const shoal_field[]){__VA_ARGS__}) / sizeof(shoal_field)

/* clang-format off */

/* The kind of an expression's type. long is told apart by its size. */
#define SHOAL_KIND_BY_SIZE(Type, kind32, kind64) (sizeof(Type) == 4 ? (kind32) : (kind64))
#define SHOAL_KIND_OF(expression)                                                                                      \
    _Generic((expression),                                                                                             \
        bool: SHOAL_FIELD_BOOL,                                                                                        \
        char: SHOAL_FIELD_I8,                                                                                          \
        signed char: SHOAL_FIELD_I8,                                                                                   \
        unsigned char: SHOAL_FIELD_U8,                                                                                 \
        short: SHOAL_FIELD_I16,                                                                                        \
        unsigned short: SHOAL_FIELD_U16,                                                                               \
        int: SHOAL_FIELD_I32,                                                                                          \
        unsigned int: SHOAL_FIELD_U32,                                                                                 \
        long: SHOAL_KIND_BY_SIZE(long, SHOAL_FIELD_I32, SHOAL_FIELD_I64),                                              \
        unsigned long: SHOAL_KIND_BY_SIZE(long, SHOAL_FIELD_U32, SHOAL_FIELD_U64),                                     \
        long long: SHOAL_FIELD_I64,                                                                                    \
        unsigned long long: SHOAL_FIELD_U64,                                                                           \
        float: SHOAL_FIELD_F32,                                                                                        \
        double: SHOAL_FIELD_F64,                                                                                       \
        shoal_entity: SHOAL_FIELD_ENTITY)

#define SHOAL_MEMBER(Type, member) (((Type *)0)->member)

/* 1 for an array; a negative array size, and so an error, for a pointer, whose elements lie outside of the component. */
#if defined(__GNUC__)
#define SHOAL_MUST_BE_ARRAY(array)                                                                                     \
    sizeof(char[__builtin_types_compatible_p(__typeof__(array), __typeof__(&(array)[0])) ? -1 : 1])
#else
#define SHOAL_MUST_BE_ARRAY(array) ((size_t)1)
#endif
#define SHOAL_ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]) * SHOAL_MUST_BE_ARRAY(array))

/** A single integer, float, bool or entity. A pointer has no kind: what it points to is not part of the component. */
#define SHOAL_FIELD(Type, member)                                                                                      \
    {#member, SHOAL_KIND_OF(SHOAL_MEMBER(Type, member)), offsetof(Type, member),                                       \
     sizeof(SHOAL_MEMBER(Type, member)), 1, NULL, 0}

/** A fixed array of integers, floats, bools or entities. */
#define SHOAL_FIELD_ARRAY(Type, member)                                                                                \
    {#member, SHOAL_KIND_OF(SHOAL_MEMBER(Type, member)[0]), offsetof(Type, member),                                    \
     sizeof(SHOAL_MEMBER(Type, member)[0]), SHOAL_ARRAY_COUNT(SHOAL_MEMBER(Type, member)), NULL, 0}

/** A fixed string: char[n]; nothing else compiles. */
#define SHOAL_FIELD_CHARS(Type, member)                                                                                \
    {#member, _Generic(&SHOAL_MEMBER(Type, member), char(*)[sizeof(SHOAL_MEMBER(Type, member))]: SHOAL_FIELD_TEXT),    \
     offsetof(Type, member), sizeof(SHOAL_MEMBER(Type, member)), 1, NULL, 0}

/** A nested struct; the further arguments are its fields, as SHOAL_FIELD(Inner, x). */
#define SHOAL_FIELD_NESTED(Type, member, ...)                                                                          \
    {#member, SHOAL_FIELD_STRUCT, offsetof(Type, member), sizeof(SHOAL_MEMBER(Type, member)), 1,                       \
     SHOAL_FIELDS(__VA_ARGS__)}

/** A fixed array of nested structs. */
#define SHOAL_FIELD_NESTED_ARRAY(Type, member, ...)                                                                    \
    {#member, SHOAL_FIELD_STRUCT, offsetof(Type, member), sizeof(SHOAL_MEMBER(Type, member)[0]),                       \
     SHOAL_ARRAY_COUNT(SHOAL_MEMBER(Type, member)), SHOAL_FIELDS(__VA_ARGS__)}

/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
