/*
 * What a component definition must satisfy on its own, when two definitions have the same layout, and the walk over
 * the entity fields of a value. Pure functions of their arguments; nothing here knows the registry.
 *
 * A field table is a tree: the component's own table at depth 0, below it one table for each nested struct.
 * Invariant "disjoint": within one table no two fields share a byte and none reaches out of the struct that it
 * describes. Each table is checked for that before its nested tables are, which also bounds the walk over a table
 * that contains itself: at each depth its parts would have to get smaller.
 *
 * Thread rule: any. Errors go to the record of the calling thread.
 */
#include "component.h"

#include <shoal/prefab.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/error.h"
#include "../base/utf8.h"

#define CALL "shoal_component_register"
#define NESTING_MAX 16

/* The size that a kind prescribes; 0 means any from one byte on. */
static const size_t kind_sizes[] = {
    [SHOAL_FIELD_BOOL] = sizeof(bool),
    [SHOAL_FIELD_I8] = 1,
    [SHOAL_FIELD_U8] = 1,
    [SHOAL_FIELD_I16] = 2,
    [SHOAL_FIELD_U16] = 2,
    [SHOAL_FIELD_I32] = 4,
    [SHOAL_FIELD_U32] = 4,
    [SHOAL_FIELD_I64] = 8,
    [SHOAL_FIELD_U64] = 8,
    [SHOAL_FIELD_F32] = 4,
    [SHOAL_FIELD_F64] = 8,
    [SHOAL_FIELD_ENTITY] = sizeof(shoal_entity),
    [SHOAL_FIELD_TEXT] = 0,
    [SHOAL_FIELD_STRUCT] = 0,
};

/* A struct whose field table is being checked: the component, or a nested struct inside of `outer`. */
typedef struct field_scope {
    const struct field_scope *outer; /* NULL for the component */
    const char *name;                /* of the component, or of the field that holds the struct */
    const shoal_field *fields;
    size_t field_count;
    size_t byte_size;
    size_t depth;
} field_scope;

/* ---- names ---- */

static const char *name_fault(const char *name, size_t *place) {
    return utf8_name_fault(name, true, place);
}

/* ---- fields ---- */

/* Writes `Component.outer.inner.` up to and with this scope, cut to fit; returns the bytes written. */
static size_t scope_path(const field_scope *scope, char *text, size_t size) {
    size_t used = scope->outer != NULL ? scope_path(scope->outer, text, size) : 0;
    int length = snprintf(text + used, size - used, "%.60s.", scope->name);
    size_t wanted = length > 0 ? used + (size_t)length : used;
    return wanted < size ? wanted : size - 1;
}

PRINTF_LIKE(3, 4)
COLD static shoal_status field_refuse(const field_scope *scope, const char *field_name, const char *format, ...) {
    char path[160];
    char reason[100];
    size_t used = scope_path(scope, path, sizeof path);
    (void)snprintf(path + used, sizeof path - used, "%.60s", field_name);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return error_detail(error_thread_record(), SHOAL_FIELD_INVALID, CALL, "%s %s", path, reason);
}

static size_t field_elements(const shoal_field *field) {
    return field->count != 0 ? field->count : 1;
}

static size_t field_end(const shoal_field *field) {
    return field->offset + field->size * field_elements(field);
}

/* Without a product or sum that could wrap; size is not 0. */
static bool field_is_inside(const shoal_field *field, size_t byte_size) {
    return field->offset <= byte_size && field_elements(field) <= (byte_size - field->offset) / field->size;
}

static shoal_status field_check_name(const field_scope *scope, const shoal_field *field) {
    size_t place;
    const char *fault = name_fault(field->name, &place);
    if (fault != NULL) {
        char number[40];
        (void)snprintf(number, sizeof number, "(field %zu)", (size_t)(field - scope->fields));
        return field_refuse(scope, number, "has a bad name: it %s (byte %zu)", fault, place);
    }
    return SHOAL_OK;
}

static shoal_status field_check(const field_scope *scope, const shoal_field *field) {
    if (field_check_name(scope, field) != SHOAL_OK) {
        return SHOAL_FIELD_INVALID;
    }
    if ((uint32_t)field->kind - 1u >= (uint32_t)SHOAL_FIELD_STRUCT) {
        return field_refuse(scope, field->name, "has no known kind (%d)", (int)field->kind);
    }
    size_t wanted = kind_sizes[field->kind];
    if (wanted != 0 && field->size != wanted) {
        return field_refuse(scope, field->name, "has size %zu where its kind takes %zu", field->size, wanted);
    }
    if (field->size == 0) {
        return field_refuse(scope, field->name, "has size 0");
    }
    if (!field_is_inside(field, scope->byte_size)) {
        return field_refuse(scope, field->name, "lies outside of the struct's %zu bytes: %zu of %zu at %zu",
                            scope->byte_size, field_elements(field), field->size, field->offset);
    }
    if (field->kind != SHOAL_FIELD_STRUCT && field->field_count != 0) {
        return field_refuse(scope, field->name, "has nested fields but is no struct");
    }
    if (field->field_count != 0 && field->fields == NULL) {
        return field_refuse(scope, field->name, "has a null table of %zu nested fields", field->field_count);
    }
    return SHOAL_OK;
}

/* The order within the table decides between equals, so that the message is the same with every C library. */
static int compare_places(const shoal_field *a, const shoal_field *b) {
    return (a > b) - (a < b);
}

static int compare_offsets(const void *left, const void *right) {
    const shoal_field *a = *(const shoal_field *const *)left;
    const shoal_field *b = *(const shoal_field *const *)right;
    return a->offset != b->offset ? (a->offset > b->offset) - (a->offset < b->offset) : compare_places(a, b);
}

static int compare_names(const void *left, const void *right) {
    const shoal_field *a = *(const shoal_field *const *)left;
    const shoal_field *b = *(const shoal_field *const *)right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : compare_places(a, b);
}

/* Neighbours are enough: where the fields are sorted, one that overlaps any overlaps the next. */
static shoal_status sorted_check(const field_scope *scope, const shoal_field **sorted) {
    qsort(sorted, scope->field_count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < scope->field_count; i++) {
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0) {
            return field_refuse(scope, sorted[i]->name, "occurs twice");
        }
    }
    qsort(sorted, scope->field_count, sizeof *sorted, compare_offsets);
    for (size_t i = 1; i < scope->field_count; i++) {
        if (field_end(sorted[i - 1]) > sorted[i]->offset) {
            return field_refuse(scope, sorted[i]->name, "overlaps %.60s", sorted[i - 1]->name);
        }
    }
    return SHOAL_OK;
}

/* Sorting a list of pointers keeps this fast for tables of many thousand fields, such as generated ones. */
static shoal_status pairs_check(const field_scope *scope) {
    if (scope->field_count < 2) {
        return SHOAL_OK;
    }
    const shoal_field **sorted = malloc(scope->field_count * sizeof *sorted);
    if (sorted == NULL) {
        return error_set(error_thread_record(), SHOAL_OUT_OF_MEMORY, CALL);
    }
    for (size_t i = 0; i < scope->field_count; i++) {
        sorted[i] = &scope->fields[i];
    }
    shoal_status status = sorted_check(scope, sorted);
    free(sorted);
    return status;
}

static shoal_status table_check(const field_scope *scope) {
    shoal_status status = SHOAL_OK;
    if (scope->depth > NESTING_MAX) {
        return field_refuse(scope->outer, scope->name, "is nested deeper than %d structs", NESTING_MAX);
    }
    for (size_t i = 0; i < scope->field_count && status == SHOAL_OK; i++) {
        status = field_check(scope, &scope->fields[i]);
    }
    if (status == SHOAL_OK) {
        status = pairs_check(scope);
    }
    for (size_t i = 0; i < scope->field_count && status == SHOAL_OK; i++) {
        const shoal_field *field = &scope->fields[i];
        if (field->kind == SHOAL_FIELD_STRUCT) {
            status = table_check(&(field_scope){.outer = scope,
                                                .name = field->name,
                                                .fields = field->fields,
                                                .field_count = field->field_count,
                                                .byte_size = field->size,
                                                .depth = scope->depth + 1});
        }
    }
    return status;
}

static shoal_status fields_check(const shoal_component_def *def) {
    if (def->field_count != 0 && def->fields == NULL) {
        return error_detail(error_thread_record(), SHOAL_FIELD_INVALID, CALL, "%.100s has a null table of %zu fields",
                            def->name, def->field_count);
    }
    return table_check(&(field_scope){
        .name = def->name, .fields = def->fields, .field_count = def->field_count, .byte_size = def->size});
}

/* ---- the definition itself ---- */

static shoal_status size_check(const shoal_component_def *def) {
    error_record *record = error_thread_record();
    shoal_limits limits = shoal_limits_get();
    size_t alignment = def->alignment != 0 ? def->alignment : 1;
    if (!bit_is_power(alignment) || alignment > limits.component_alignment) {
        return error_detail(record, SHOAL_COMPONENT_ALIGNMENT, CALL, "%.100s has alignment %zu; the largest is %u",
                            def->name, alignment, (unsigned)limits.component_alignment);
    }
    if (def->size > limits.component_bytes) {
        return error_detail(record, SHOAL_COMPONENT_SIZE, CALL, "%.100s has size %zu; the largest is %zu", def->name,
                            def->size, limits.component_bytes);
    }
    if (def->size % alignment != 0) {
        return error_detail(record, SHOAL_COMPONENT_SIZE, CALL, "%.100s has size %zu, no multiple of its alignment %zu",
                            def->name, def->size, alignment);
    }
    return SHOAL_OK;
}

static shoal_status hooks_check(const shoal_component_def *def) {
    bool any = def->ctor != NULL || def->copy != NULL || def->move != NULL || def->dtor != NULL;
    if (def->size == 0 && (any || def->validate != NULL)) {
        return error_detail(error_thread_record(), SHOAL_COMPONENT_HOOKS, CALL,
                            "%.100s is a tag: it has no values that a hook could work on", def->name);
    }
    if (any && (def->copy == NULL || def->dtor == NULL)) {
        const char *missing = def->copy != NULL ? "dtor" : def->dtor != NULL ? "copy" : "copy and dtor";
        return error_detail(error_thread_record(), SHOAL_COMPONENT_HOOKS, CALL, "%.100s lacks %s", def->name, missing);
    }
    return SHOAL_OK;
}

static shoal_status default_check(const shoal_component_def *def) {
    if (def->default_value == NULL || (def->size != 0 && def->ctor == NULL)) {
        return SHOAL_OK;
    }
    return error_detail(error_thread_record(), SHOAL_INVALID_ARGUMENT, CALL, "%.100s has a default value %s", def->name,
                        def->size == 0 ? "but is a tag" : "beside a ctor hook");
}

/* ---- kinds and traits ---- */

static const char *const storage_names[] = {"table", "sparse", "shared", "chunk", "buffer", "unique", "relation"};

const char *component_storage_name(shoal_storage storage) {
    return (unsigned)storage <= SHOAL_STORAGE_RELATION ? storage_names[storage] : "unknown";
}

/* The first trait that the kind cannot have, or NULL. */
static const char *trait_misplaced(const shoal_component_def *def) {
    shoal_storage storage = def->storage;
    bool in_rows = storage == SHOAL_STORAGE_TABLE || storage == SHOAL_STORAGE_BUFFER;
    bool relates = storage == SHOAL_STORAGE_RELATION;
    const struct {
        bool misplaced;
        const char *name;
    } traits[] = {
        {def->toggle && !in_rows, "toggle"},
        {def->cleanup && !in_rows, "cleanup"},
        {def->stable && storage != SHOAL_STORAGE_SPARSE, "stable"},
        {def->inline_count != 0 && storage != SHOAL_STORAGE_BUFFER, "inline_count"},
        {def->exclusive && !relates, "exclusive"},
        {def->acyclic && !relates, "acyclic"},
        {def->split && !relates, "split"},
        {def->on_target_destroyed != SHOAL_TARGET_REMOVE && !relates, "on_target_destroyed"},
        {(def->equal != NULL || def->hash != NULL) && storage != SHOAL_STORAGE_SHARED, "equal or hash"},
    };
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++) {
        if (traits[i].misplaced) {
            return traits[i].name;
        }
    }
    return NULL;
}

/* What contradicts itself beside misplaced traits, as a sentence after the name, or NULL. */
static const char *traits_fault(const shoal_component_def *def) {
    shoal_storage storage = def->storage;
    bool needs_size =
        storage == SHOAL_STORAGE_SHARED || storage == SHOAL_STORAGE_CHUNK || storage == SHOAL_STORAGE_BUFFER;
    if (needs_size && def->size == 0) {
        return "needs a size";
    }
    if ((def->equal == NULL) != (def->hash == NULL)) {
        return "needs both equal and hash, or none";
    }
    if (def->split && !def->exclusive && !def->acyclic) {
        return "is split, so it must be exclusive";
    }
    if ((unsigned)def->on_target_destroyed > SHOAL_TARGET_REFUSE) {
        return "has an unknown target policy";
    }
    return def->required_count != 0 && def->required == NULL ? "has a null table of required components" : NULL;
}

/* A relation needs a target and a unique has no entity; Dying is nobody's to give. */
static bool can_be_required(const shoal_component_slot *slot) {
    return slot != NULL && slot->def.storage != SHOAL_STORAGE_RELATION && slot->def.storage != SHOAL_STORAGE_UNIQUE &&
           (slot->def.name == NULL || strcmp(slot->def.name, shoal_slot_Dying.def.name) != 0);
}

static shoal_status traits_check(const shoal_component_def *def) {
    error_record *record = error_thread_record();
    if ((unsigned)def->storage > SHOAL_STORAGE_RELATION) {
        return error_detail(record, SHOAL_COMPONENT_TRAITS, CALL, "%.100s has the unknown kind %u", def->name,
                            (unsigned)def->storage);
    }
    const char *misplaced = trait_misplaced(def);
    if (misplaced != NULL) {
        return error_detail(record, SHOAL_COMPONENT_TRAITS, CALL, "%.100s is a %s component, which cannot have %s",
                            def->name, component_storage_name(def->storage), misplaced);
    }
    const char *fault = traits_fault(def);
    if (fault != NULL) {
        return error_detail(record, SHOAL_COMPONENT_TRAITS, CALL, "%.100s %s", def->name, fault);
    }
    for (size_t i = 0; i < def->required_count; i++) {
        if (!can_be_required(def->required[i])) {
            return error_detail(record, SHOAL_COMPONENT_TRAITS, CALL, "%.100s cannot require component %zu of its list",
                                def->name, i);
        }
    }
    uint64_t inline_bytes = (uint64_t)def->inline_count * def->size;
    if (inline_bytes > shoal_limits_get().component_bytes / 2) {
        return error_detail(record, SHOAL_COMPONENT_SIZE, CALL, "%.100s keeps %u elements of %zu bytes in the chunk",
                            def->name, (unsigned)def->inline_count, def->size);
    }
    return SHOAL_OK;
}

shoal_status component_check(const shoal_component_def *def) {
    size_t place;
    const char *fault = name_fault(def->name, &place);
    if (fault != NULL) {
        return error_detail(error_thread_record(), SHOAL_COMPONENT_NAME, CALL, "the name %s (byte %zu)", fault, place);
    }
    shoal_status status = size_check(def);
    status = status != SHOAL_OK ? status : traits_check(def);
    status = status != SHOAL_OK ? status : hooks_check(def);
    status = status != SHOAL_OK ? status : default_check(def);
    return status != SHOAL_OK ? status : fields_check(def);
}

/* ---- two definitions ---- */

/* A later definition without a table says nothing, and so contradicts nothing. One that brings the first table comes
   too late: values may have been stored without it. */
static bool tables_same(const shoal_field *a, size_t a_count, const shoal_field *b, size_t b_count) {
    if (b_count == 0) {
        return true;
    }
    bool same = a_count == b_count;
    for (size_t i = 0; i < a_count && same; i++) {
        same = a[i].kind == b[i].kind && a[i].offset == b[i].offset && a[i].size == b[i].size &&
               field_elements(&a[i]) == field_elements(&b[i]) && strcmp(a[i].name, b[i].name) == 0 &&
               tables_same(a[i].fields, a[i].field_count, b[i].fields, b[i].field_count);
    }
    return same;
}

bool component_same_kind(const shoal_component_def *a, const shoal_component_def *b) {
    return a->storage == b->storage && a->toggle == b->toggle && a->cleanup == b->cleanup && a->stable == b->stable &&
           a->inline_count == b->inline_count && (a->exclusive || a->acyclic) == (b->exclusive || b->acyclic) &&
           a->acyclic == b->acyclic && a->split == b->split && a->on_target_destroyed == b->on_target_destroyed;
}

bool component_same_layout(const shoal_component_def *a, const shoal_component_def *b) {
    size_t a_alignment = a->alignment != 0 ? a->alignment : 1;
    size_t b_alignment = b->alignment != 0 ? b->alignment : 1;
    return a->size == b->size && a_alignment == b_alignment && a->version == b->version && component_same_kind(a, b) &&
           tables_same(a->fields, a->field_count, b->fields, b->field_count);
}

/* ---- entity fields ---- */

typedef struct entity_visitor {
    void (*visit)(void *user, shoal_entity *entity);
    void *user;
} entity_visitor;

/* A packed type may have the field at any address; the visitor gets an aligned one then. The value may be constant when
   the visitor only reads, so nothing is written that has not changed. */
static void entity_visit(const entity_visitor *visitor, char *address) {
    if ((uintptr_t)address % _Alignof(shoal_entity) == 0) {
        visitor->visit(visitor->user, (shoal_entity *)(void *)address);
        return;
    }
    shoal_entity aligned;
    memcpy(&aligned, address, sizeof aligned);
    uint64_t before = aligned.bits;
    visitor->visit(visitor->user, &aligned);
    if (aligned.bits != before) {
        memcpy(address, &aligned, sizeof aligned);
    }
}

static void table_visit(const shoal_field *fields, size_t field_count, char *base, const entity_visitor *visitor) {
    for (size_t i = 0; i < field_count; i++) {
        const shoal_field *field = &fields[i];
        char *element = base + field->offset;
        size_t count = field->kind == SHOAL_FIELD_ENTITY || field->field_count != 0 ? field_elements(field) : 0;
        for (size_t k = 0; k < count; k++, element += field->size) {
            if (field->kind == SHOAL_FIELD_ENTITY) {
                entity_visit(visitor, element);
            } else {
                table_visit(field->fields, field->field_count, element, visitor);
            }
        }
    }
}

void component_visit_entities(const component_type *type, void *value, void (*visit)(void *user, shoal_entity *entity),
                              void *user) {
    entity_visitor visitor = {.visit = visit, .user = user};
    table_visit(type->def.fields, type->def.field_count, value, &visitor);
}
