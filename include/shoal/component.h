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
    void *user; /**< Handed to every hook; the caller owns it; it must live as long as the process. */
} shoal_component_def;

/** A definition at file scope together with its id. Made by the macros below; treat it as opaque. */
typedef struct shoal_component_slot {
    shoal_component_def def;
    uint32_t id; /* 0 until the first use; written once with release, read with acquire */
} shoal_component_slot;

/**
 * Registers a type, or finds the one that has the same name and layout: size, alignment, version, and fields (a later
 * definition may leave the fields out, but not bring the first ones). Everything else stays as first registered.
 * Returns null on failure; shoal_last_error(NULL) then says why: COMPONENT_NAME, COMPONENT_SIZE,
 * COMPONENT_ALIGNMENT, COMPONENT_HOOKS, FIELD_INVALID, COMPONENT_CONFLICT (names both layouts),
 * COMPONENT_COLLISION (names both names), COMPONENT_LIMIT, OUT_OF_MEMORY, INVALID_ARGUMENT.
 * Thread: any.
 */
SHOAL_API shoal_component shoal_component_register(const shoal_component_def *def);

/** Registers the slot's definition and keeps the id in it; what SHOAL_ID() calls once. Thread: any. */
SHOAL_API shoal_component shoal_component_resolve(shoal_component_slot *slot);

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

/** Makes `Type` visible to other files; goes into a header. */
#define SHOAL_COMPONENT_DECLARE(Type) extern shoal_component_slot shoal_slot_##Type;
/** The same for a tag. */
#define SHOAL_TAG_DECLARE(Name) SHOAL_COMPONENT_DECLARE(Name)

/** Defines what SHOAL_COMPONENT_DECLARE declared; goes into one C file. (Type, members of the def...) */
#define SHOAL_COMPONENT_DEFINE(...) SHOAL_COMPONENT_DEFINE_SLOT(__VA_ARGS__, )
/** The same for a tag. */
#define SHOAL_TAG_DEFINE(Name) shoal_component_slot shoal_slot_##Name = {.def = {.name = #Name}};

/** Declares and defines a type for one C file. (Type, members of shoal_component_def...) */
#define SHOAL_COMPONENT(...) SHOAL_MAYBE_UNUSED static SHOAL_COMPONENT_DEFINE_SLOT(__VA_ARGS__, )
/** The same for a tag. */
#define SHOAL_TAG(Name) SHOAL_MAYBE_UNUSED static SHOAL_TAG_DEFINE(Name)

/* The callers add the last comma, so that a type without further members is one argument less, not an error. */
#define SHOAL_COMPONENT_DEFINE_SLOT(Type, ...)                                                                         \
    shoal_component_slot shoal_slot_##Type = {                                                                         \
        .def = {.name = #Type, .size = sizeof(Type), .alignment = _Alignof(Type), __VA_ARGS__}};

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
