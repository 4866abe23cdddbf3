/*
 * The component registry: looks a type up by name, makes it where it is new, and keeps it for the life of the
 * process.
 *
 *     name -> FNV-1a hash -> name_table (open addressing, at most half full) -> id -> component_blocks
 *
 * All that a type points to (default value, field tables, names) is one block of memory that the registry owns.
 * Since two names with one hash are refused, a hash stands for at most one type. Memory is the C library's, since no
 * world owns a type; nothing of it is ever released but an outgrown name table.
 *
 * Thread rule: any. component_blocks is read without a lock (see component.h); the name table and every change are
 * behind registry_lock.
 */
#include "component.h"

#include <shoal/prefab.h>

#include <stdio.h>
#include <stdlib.h>

#include "../base/error.h"
#include "../base/hash.h"
#include "../base/spinlock.h"
#include "buffer.h"

#define REGISTER_CALL "shoal_component_register"
#define NAME_TABLE_FIRST_CAPACITY 128

_Static_assert(COMPONENT_MAX < COMPONENT_BLOCK_SIZE * COMPONENT_BLOCK_COUNT, "every id has its place in a block");

component_type *component_blocks[COMPONENT_BLOCK_COUNT];
_Atomic uint32_t component_published;

static spinlock registry_lock = SPINLOCK_INIT;

/* Ids by the hash of the name; 0 is free. The capacity is a power of two. Guard: registry_lock. */
static struct {
    uint32_t *ids;
    size_t capacity;
} name_table;

/* ---- the name table ---- */

/* The place of the hash: where its id is, or the free place where it belongs. The table is never full. */
static size_t name_table_place(const uint32_t *ids, size_t capacity, uint64_t hash) {
    size_t place = (size_t)hash_mix(0, hash) & (capacity - 1);
    while (ids[place] != 0 && component_type_at(ids[place])->hash != hash) {
        place = (place + 1) & (capacity - 1);
    }
    return place;
}

static const component_type *name_table_find(uint64_t hash) {
    if (name_table.capacity == 0) {
        return NULL;
    }
    uint32_t id = name_table.ids[name_table_place(name_table.ids, name_table.capacity, hash)];
    return id != 0 ? component_type_at(id) : NULL;
}

/* Room for one more than `count` ids; false when memory ran out, and nothing is changed then. */
static bool name_table_reserve(uint32_t count) {
    if (((size_t)count + 1) * 2 <= name_table.capacity) {
        return true;
    }
    size_t capacity = name_table.capacity != 0 ? name_table.capacity * 2 : NAME_TABLE_FIRST_CAPACITY;
    uint32_t *ids = calloc(capacity, sizeof *ids);
    if (ids == NULL) {
        return false;
    }
    for (uint32_t id = 1; id <= count; id++) {
        ids[name_table_place(ids, capacity, component_type_at(id)->hash)] = id;
    }
    free(name_table.ids);
    name_table.ids = ids;
    name_table.capacity = capacity;
    return true;
}

/* ---- the registry's own copy of a definition ---- */

/* What a copy needs. 64 bits cannot wrap: a checked type has at most 16 * 2^30 fields with names of 255 bytes. */
typedef struct copy_need {
    uint64_t field_count;
    uint64_t text_bytes;
} copy_need;

/* Where the next field table and the next text go. */
typedef struct copy_cursor {
    shoal_field *fields;
    char *text;
} copy_cursor;

static void fields_measure(const shoal_field *fields, size_t field_count, copy_need *need) {
    need->field_count += field_count;
    for (size_t i = 0; i < field_count; i++) {
        need->text_bytes += strlen(fields[i].name) + 1;
        fields_measure(fields[i].fields, fields[i].field_count, need);
    }
}

static const char *text_copy(const char *text, copy_cursor *cursor) {
    size_t byte_size = strlen(text) + 1;
    char *copy = memcpy(cursor->text, text, byte_size);
    cursor->text += byte_size;
    return copy;
}

/* In the copy an element count is never 0, and a table without fields is NULL. */
static const shoal_field *fields_copy(const shoal_field *fields, size_t field_count, copy_cursor *cursor) {
    if (field_count == 0) {
        return NULL;
    }
    shoal_field *copy = cursor->fields;
    cursor->fields += field_count;
    for (size_t i = 0; i < field_count; i++) {
        copy[i] = fields[i];
        copy[i].count = fields[i].count != 0 ? fields[i].count : 1;
        copy[i].name = text_copy(fields[i].name, cursor);
        copy[i].fields = fields_copy(fields[i].fields, fields[i].field_count, cursor);
    }
    return copy;
}

/* malloc, also for the alignment of a default value that is larger than malloc's own. */
static char *block_allocate(uint64_t byte_size, size_t alignment) {
    if (byte_size > SIZE_MAX - alignment) {
        return NULL;
    }
    if (alignment <= _Alignof(max_align_t)) {
        return malloc((size_t)byte_size);
    }
    return aligned_alloc(alignment, align_up((size_t)byte_size, alignment));
}

/*
 * Fills `copy` from a checked definition; false when memory ran out. The block holds
 *
 *     | default value, aligned as the type | field tables | required slots | names |
 */
static bool definition_copy(const shoal_component_def *def, shoal_component_def *copy) {
    copy_need need = {.text_bytes = strlen(def->name) + 1};
    fields_measure(def->fields, def->field_count, &need);
    size_t alignment = def->alignment != 0 ? def->alignment : 1;
    uint64_t value_bytes = def->default_value != NULL ? align_up(def->size, _Alignof(shoal_field)) : 0;
    uint64_t table_bytes = need.field_count * sizeof(shoal_field);
    uint64_t required_bytes = def->required_count * sizeof(shoal_component_slot *);
    char *block =
        block_allocate(value_bytes + table_bytes + required_bytes + need.text_bytes, value_bytes != 0 ? alignment : 1);
    if (block == NULL) {
        return false;
    }
    copy_cursor cursor = {.fields = (shoal_field *)(void *)(block + value_bytes),
                          .text = block + value_bytes + table_bytes + required_bytes};
    *copy = *def;
    if (def->required_count != 0) {
        copy->required = memcpy(block + value_bytes + table_bytes, def->required, (size_t)required_bytes);
    }
    copy->alignment = alignment;
    copy->name = text_copy(def->name, &cursor);
    copy->fields = fields_copy(def->fields, def->field_count, &cursor);
    copy->default_value = def->default_value != NULL ? memcpy(block, def->default_value, def->size) : NULL;
    return true;
}

/* ---- conflicts ---- */

typedef struct field_table {
    const shoal_field *fields;
    size_t count;
} field_table;

static bool field_same(const shoal_field *a, const shoal_field *b) {
    return component_same_layout(&(shoal_component_def){.fields = a, .field_count = 1},
                                 &(shoal_component_def){.fields = b, .field_count = 1});
}

/* The same but for what is nested inside. */
static bool field_same_outside(shoal_field a, shoal_field b) {
    a.field_count = 0;
    b.field_count = 0;
    return field_same(&a, &b);
}

/* Goes down to the first field that differs; NULL for a table that has ended there. */
static void first_difference(field_table a, field_table b, const shoal_field *found[2]) {
    size_t i = 0;
    while (i < a.count && i < b.count && field_same(&a.fields[i], &b.fields[i])) {
        i++;
    }
    found[0] = i < a.count ? &a.fields[i] : NULL;
    found[1] = i < b.count ? &b.fields[i] : NULL;
    if (found[0] != NULL && found[1] != NULL && field_same_outside(*found[0], *found[1])) {
        first_difference((field_table){found[0]->fields, found[0]->field_count},
                         (field_table){found[1]->fields, found[1]->field_count}, found);
    }
}

static const char *field_describe(const shoal_field *field, char *text, size_t size) {
    static const char *const kinds[] = {"none", "bool", "i8",  "u8",  "i16",    "u16",  "i32",   "u32",
                                        "i64",  "u64",  "f32", "f64", "entity", "text", "struct"};
    if (field == NULL) {
        return "no further field";
    }
    (void)snprintf(text, size, "%.40s (%s, %zu of %zu at %zu)", field->name, kinds[field->kind],
                   field->count != 0 ? field->count : 1, field->size, field->offset);
    return text;
}

COLD static void conflict_report(const shoal_component_def *old, const shoal_component_def *def) {
    error_record *record = error_thread_record();
    size_t alignment = def->alignment != 0 ? def->alignment : 1;
    if (old->size != def->size || old->alignment != alignment || old->version != def->version) {
        (void)error_detail(record, SHOAL_COMPONENT_CONFLICT, REGISTER_CALL,
                           "%.60s is registered with size %zu, alignment %zu, version %u; "
                           "this definition has size %zu, alignment %zu, version %u",
                           old->name, old->size, old->alignment, (unsigned)old->version, def->size, alignment,
                           (unsigned)def->version);
        return;
    }
    if (!component_same_kind(old, def)) {
        (void)error_detail(
            record, SHOAL_COMPONENT_CONFLICT, REGISTER_CALL,
            "%.60s is registered as a %s component; this definition is of another kind (%s) or has other "
            "traits",
            old->name, component_storage_name(old->storage), component_storage_name(def->storage));
        return;
    }
    const shoal_field *found[2];
    char texts[2][96];
    first_difference((field_table){old->fields, old->field_count}, (field_table){def->fields, def->field_count}, found);
    (void)error_detail(record, SHOAL_COMPONENT_CONFLICT, REGISTER_CALL,
                       "%.60s is registered with %s where this definition has %s", old->name,
                       field_describe(found[0], texts[0], sizeof texts[0]),
                       field_describe(found[1], texts[1], sizeof texts[1]));
}

/* The id of a type whose name has the hash, or 0 when the definition is not that type. */
static uint32_t registered_id(const component_type *type, const shoal_component_def *def) {
    if (strcmp(type->def.name, def->name) != 0) {
        (void)error_detail(error_thread_record(), SHOAL_COMPONENT_COLLISION, REGISTER_CALL,
                           "the names %.100s (registered) and %.100s have the same hash", type->def.name, def->name);
        return 0;
    }
    if (!component_same_layout(&type->def, def)) {
        conflict_report(&type->def, def);
        return 0;
    }
    return type->id;
}

/* ---- registration, under the lock ---- */

static bool has_entity_field(const shoal_field *fields, size_t field_count) {
    for (size_t i = 0; i < field_count; i++) {
        if (fields[i].kind == SHOAL_FIELD_ENTITY || has_entity_field(fields[i].fields, fields[i].field_count)) {
            return true;
        }
    }
    return false;
}

/* Fills in what follows from the definition. */
static void type_derive(component_type *type) {
    shoal_component_def *def = &type->def;
    bool is_buffer = def->storage == SHOAL_STORAGE_BUFFER;
    def->exclusive = def->exclusive || def->acyclic;
    type->hooked = def->copy != NULL || is_buffer;
    type->has_entities = has_entity_field(def->fields, def->field_count);
    type->has_column = def->size != 0 && (def->storage == SHOAL_STORAGE_TABLE || is_buffer);
    type->in_archetype = def->storage != SHOAL_STORAGE_SPARSE && def->storage != SHOAL_STORAGE_RELATION &&
                         def->storage != SHOAL_STORAGE_UNIQUE;
    type->in_set = type->in_archetype || def->split;
    type->keyed = def->storage == SHOAL_STORAGE_SHARED || def->split;
    type->notifies = def->on_add != NULL || def->on_set != NULL || def->on_remove != NULL;
    type->rank = !type->has_column ? 2 : is_buffer ? 1 : 0;
    type->is_special = def->storage != SHOAL_STORAGE_TABLE || type->notifies || def->required_count != 0 ||
                       def->cleanup || strcmp(def->name, shoal_slot_Dying.def.name) == 0; /* which nobody may add */
    type->value_size = (uint32_t)def->size;
    type->value_alignment = (uint32_t)def->alignment;
    if (is_buffer) {
        buffer_measure(def, &type->inline_count, &type->inline_offset, &type->value_size, &type->value_alignment);
    }
}

/* The raw place of a new id, or NULL when memory ran out. */
static component_type *type_reserve(uint32_t id) {
    component_type **block = &component_blocks[id / COMPONENT_BLOCK_SIZE];
    if (*block == NULL) {
        *block = calloc(COMPONENT_BLOCK_SIZE, sizeof **block);
    }
    return *block != NULL ? *block + id % COMPONENT_BLOCK_SIZE : NULL;
}

static uint32_t registry_add(const shoal_component_def *def, uint64_t hash) {
    uint32_t count = atomic_load_explicit(&component_published, memory_order_relaxed);
    if (count == COMPONENT_MAX) {
        (void)error_detail(error_thread_record(), SHOAL_COMPONENT_LIMIT, REGISTER_CALL,
                           "%.100s would be one more than the %d types that a process can have", def->name,
                           COMPONENT_MAX);
        return 0;
    }
    uint32_t id = count + 1;
    component_type *type = type_reserve(id);
    if (type == NULL || !name_table_reserve(count) || !definition_copy(def, &type->def)) {
        (void)error_detail(error_thread_record(), SHOAL_OUT_OF_MEMORY, REGISTER_CALL, "%.100s", def->name);
        return 0;
    }
    type->hash = hash;
    type->id = id;
    type_derive(type);
    name_table.ids[name_table_place(name_table.ids, name_table.capacity, hash)] = id;
    atomic_store_explicit(&component_published, id, memory_order_release);
    return id;
}

static uint32_t registry_find_or_add(const shoal_component_def *def) {
    uint64_t hash = hash_fnv1a(def->name, strlen(def->name));
    spinlock_lock(&registry_lock);
    const component_type *type = name_table_find(hash);
    uint32_t id = type != NULL ? registered_id(type, def) : registry_add(def, hash);
    spinlock_unlock(&registry_lock);
    return id;
}

/* ---- values ---- */

bool component_make_repeated(shoal_memory *memory, const component_type *type, void *values, const void *source,
                             size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *value = (char *)values + i * type->value_size;
        if (!component_make_copy(memory, type, value, source, 1)) {
            component_end(memory, type, values, i);
            return false;
        }
    }
    return true;
}

bool component_make_given(shoal_memory *memory, const component_type *type, void *value, const void *given) {
    if (type->def.storage == SHOAL_STORAGE_BUFFER) {
        (void)memory_fail(memory, SHOAL_OK);
        shoal_status status = SHOAL_OK;
        bool made = buffer_make_span(memory, type, value, given, &status);
        (void)memory_fail(memory, status == SHOAL_HOOK_FAILED ? SHOAL_OK : status);
        return made;
    }
    return component_make_copy(memory, type, value, given, 1);
}

bool component_make_cells(shoal_memory *memory, const component_type *type, void *cells, const void *source,
                          size_t count) {
    shoal_status status = SHOAL_OK;
    bool made = true;
    (void)memory_fail(memory, SHOAL_OK);
    if (source != NULL) {
        made = buffer_make_copies(memory, type, cells, source, count, &status);
    }
    for (size_t i = 0; source == NULL && i < count; i++) {
        made = made && buffer_make_span(memory, type, (char *)cells + i * type->value_size, NULL, &status);
    }
    (void)memory_fail(memory, status == SHOAL_HOOK_FAILED ? SHOAL_OK : status);
    return made;
}

void component_relocate_cells(const component_type *type, void *cells, void *source, size_t count) {
    buffer_relocate(type, cells, source, count);
}

void component_end_cells(shoal_memory *memory, const component_type *type, void *cells, size_t count) {
    buffer_end(memory, type, cells, count);
}

/* ---- built-in types ---- */

SHOAL_RELATION_DEFINE(ChildOf, .exclusive = true, .acyclic = true, .on_target_destroyed = SHOAL_TARGET_DESTROY)
SHOAL_TAG_DEFINE(Prefab)
SHOAL_TAG_DEFINE(Dying)

/* They come before all others, so that a process that uses up all ids still has them. */
static void builtins_register(void) {
    shoal_component_slot *const slots[] = {&shoal_slot_ChildOf, &shoal_slot_Prefab, &shoal_slot_Dying};
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        (void)registry_find_or_add(&slots[i]->def);
    }
}

/* ---- public ---- */

shoal_component shoal_component_register(const shoal_component_def *def) {
    if (def == NULL) {
        (void)error_detail(error_thread_record(), SHOAL_INVALID_ARGUMENT, REGISTER_CALL, "the definition is null");
        return (shoal_component){0};
    }
    if (component_check(def) != SHOAL_OK) {
        return (shoal_component){0};
    }
    if (UNLIKELY(atomic_load_explicit(&component_published, memory_order_acquire) == 0)) {
        builtins_register();
    }
    return (shoal_component){registry_find_or_add(def)};
}

shoal_component shoal_component_resolve(shoal_component_slot *slot) {
    if (slot == NULL) {
        (void)error_detail(error_thread_record(), SHOAL_INVALID_ARGUMENT, "shoal_component_resolve",
                           "the slot is null");
        return (shoal_component){0};
    }
    shoal_component component = shoal_component_register(&slot->def);
    if (component.id != 0) {
        shoal_storage storage = component_type_at(component.id)->def.storage;
        bool is_object = storage != SHOAL_STORAGE_BUFFER && storage != SHOAL_STORAGE_RELATION;
#if defined(__GNUC__)
        __atomic_store_n(&slot->id, component.id, __ATOMIC_RELEASE);
        __atomic_store_n(&slot->value_id, is_object ? component.id : 0, __ATOMIC_RELEASE);
#else
        *(volatile uint32_t *)&slot->id = component.id;
        *(volatile uint32_t *)&slot->value_id = is_object ? component.id : 0;
#endif
    }
    return component;
}

COLD shoal_component shoal_component_resolve_value(shoal_component_slot *slot, shoal_storage storage) {
    shoal_component component = shoal_component_resolve(slot);
    if (component.id == 0) {
        return component;
    }
    const shoal_component_def *def = &component_type_at(component.id)->def;
    bool wants_object = storage != SHOAL_STORAGE_BUFFER && storage != SHOAL_STORAGE_RELATION;
    bool is_object = def->storage != SHOAL_STORAGE_BUFFER && def->storage != SHOAL_STORAGE_RELATION;
    if (wants_object ? is_object : def->storage == storage) {
        return component;
    }
    const char *way = def->storage == SHOAL_STORAGE_BUFFER     ? "give its elements by SHOAL_ITEMS"
                      : def->storage == SHOAL_STORAGE_RELATION ? "give its target by SHOAL_TO or shoal_relate()"
                                                               : "give its value by SHOAL_VALUE";
    (void)error_detail(error_thread_record(), SHOAL_COMPONENT_KIND, "a macro with a value in place",
                       "%.100s is a %s component: %s", def->name, component_storage_name(def->storage), way);
    return (shoal_component){0};
}

shoal_component shoal_component_find(const char *name) {
    static const char call[] = "shoal_component_find";
    if (name == NULL) {
        (void)error_detail(error_thread_record(), SHOAL_INVALID_ARGUMENT, call, "the name is null");
        return (shoal_component){0};
    }
    uint64_t hash = hash_fnv1a(name, strlen(name));
    spinlock_lock(&registry_lock);
    const component_type *type = name_table_find(hash);
    spinlock_unlock(&registry_lock);
    if (type == NULL || strcmp(type->def.name, name) != 0) {
        /* As the definition of a tag, only its name can be wrong; one that is may not fit into one line. */
        bool printable = component_check(&(shoal_component_def){.name = name}) == SHOAL_OK;
        (void)error_detail(error_thread_record(), SHOAL_COMPONENT_INVALID, call, "no type is called %.100s",
                           printable ? name : "that, and none can be");
        return (shoal_component){0};
    }
    return (shoal_component){type->id};
}

/* These two store no error for an invalid id: shoal_last_error() itself asks for names here. */

const shoal_component_def *shoal_component_info(shoal_component component) {
    const component_type *type = component_type_find(component.id);
    return type != NULL ? &type->def : NULL;
}

uint64_t shoal_component_hash(shoal_component component) {
    const component_type *type = component_type_find(component.id);
    return type != NULL ? type->hash : 0;
}

uint32_t shoal_component_count(void) {
    return atomic_load_explicit(&component_published, memory_order_acquire);
}
