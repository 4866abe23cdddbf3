/*
 * Queries: their terms, creation and questions. See query.h.
 */
#include "query.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "query_text.h"

#define NAME_MAX_BYTES 255
#define NO_KEY UINT64_MAX /* what no component has, whatever a caller makes up */

static const char create_call[] = "shoal_query_create";

/* ---- terms ---- */

static const char *const access_names[] = {"",         "read",           "write", "with",     "without",
                                           "optional", "optional write", "any",   "any write"};

static bool access_gives_data(shoal_access access) {
    return access != SHOAL_ACCESS_WITH && access != SHOAL_ACCESS_WITHOUT;
}

/* An any term may name a component without data, which is there or not; every other access to data needs data. */
static bool access_fits(const shoal_term *term, const component_type *type) {
    return type->def.size != 0 || !access_gives_data(term->access) || term->access == SHOAL_ACCESS_ANY_READ;
}

/* What the kind of a component does not allow, or NULL. */
static const char *kind_fault(const shoal_term *term, const component_type *type) {
    shoal_storage storage = type->def.storage;
    bool is_self = term->traverse == SHOAL_TRAVERSE_SELF;
    if (storage == SHOAL_STORAGE_SHARED && access_writes(term->access)) {
        return "writes a shared value; use shoal_set()";
    }
    if (term->state != SHOAL_STATE_ENABLED && !type->def.toggle) {
        return "names a state of a component without the trait toggle";
    }
    if (!shoal_entity_is_null(term->target) && storage != SHOAL_STORAGE_RELATION) {
        return "names a target of a component that is no relation";
    }
    if (term->value != NULL && (storage != SHOAL_STORAGE_SHARED || !is_self)) {
        return "names a value of a component that is not shared";
    }
    if (term->traverse == SHOAL_TRAVERSE_UP && access_writes(term->access)) {
        return "writes an ancestor's component; looking up is for reading";
    }
    if (term->traverse == SHOAL_TRAVERSE_DOWN && access_gives_data(term->access)) {
        return "looks down for data; use with or without";
    }
    bool is_value = type->def.size == 0 || storage == SHOAL_STORAGE_TABLE || storage == SHOAL_STORAGE_SPARSE ||
                    storage == SHOAL_STORAGE_SHARED || storage == SHOAL_STORAGE_CHUNK;
    if (term->traverse == SHOAL_TRAVERSE_UP && access_gives_data(term->access) && !is_value) {
        return "looks up for a component whose values cannot be pointed to";
    }
    return !is_self && storage == SHOAL_STORAGE_UNIQUE ? "looks along the tree for a unique" : NULL;
}

/* Two terms may name one component when they mean different things by it. */
static bool terms_clash(const shoal_term *a, const shoal_term *b) {
    return a->component.id == b->component.id && a->traverse == b->traverse &&
           (a->traverse == SHOAL_TRAVERSE_SELF || a->along.id == b->along.id) && a->target.bits == b->target.bits &&
           a->value == NULL && b->value == NULL;
}

/* What of a definition is wrong, for a message that shows the place in a text. */
typedef struct query_fault {
    bool at_term, at_order, at_group;
    size_t term;
} query_fault;

static shoal_status term_check(shoal_world *world, const shoal_query_def *def, size_t i) {
    error_record *error = world_error(world);
    const shoal_term *term = &def->terms[i];
    const component_type *type = component_type_find(term->component.id);
    if (type == NULL) {
        return error_detail(
            error, SHOAL_COMPONENT_INVALID, create_call, "term %zu has component id %u%s", i, term->component.id,
            term->component.id == 0 ? "; if its type was refused, shoal_last_error(NULL) says why" : "");
    }
    if (term->access <= SHOAL_ACCESS_NONE || term->access > SHOAL_ACCESS_ANY_WRITE ||
        (unsigned)term->state > SHOAL_STATE_EITHER || (unsigned)term->traverse > SHOAL_TRAVERSE_DOWN) {
        return error_detail(error, SHOAL_TERM_INVALID, create_call, "term %zu (%s) has no access", i, type->def.name);
    }
    if (!access_fits(term, type)) {
        return error_detail(error, SHOAL_TERM_INVALID, create_call,
                            "term %zu asks for \"%s\" data of %s, which is a tag; use with or without", i,
                            access_names[term->access], type->def.name);
    }
    const char *fault = kind_fault(term, type);
    const component_type *along = term->along.id != 0 ? component_type_find(term->along.id) : NULL;
    if (term->along.id != 0 && (along == NULL || !along->def.acyclic)) {
        fault = "looks along something that is no acyclic relation";
    }
    if (fault != NULL) {
        return error_detail(error, SHOAL_TERM_INVALID, create_call, "term %zu (%s) %s", i, type->def.name, fault);
    }
    for (size_t k = 0; k < i; k++) {
        if (terms_clash(&def->terms[k], term)) {
            return error_detail(error, SHOAL_TERM_INVALID, create_call, "terms %zu (%s) and %zu (%s) both name %s", k,
                                access_names[def->terms[k].access], i, access_names[term->access], type->def.name);
        }
    }
    return SHOAL_OK;
}

static shoal_status terms_check(shoal_world *world, const shoal_query_def *def, query_fault *fault) {
    if (def->term_count > shoal_limits_get().query_terms || (def->term_count != 0 && def->terms == NULL)) {
        return error_detail(world_error(world), SHOAL_INVALID_ARGUMENT, create_call, "%zu terms", def->term_count);
    }
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < def->term_count && status == SHOAL_OK; i++) {
        status = term_check(world, def, i);
        *fault = (query_fault){.at_term = status != SHOAL_OK, .term = i};
    }
    return status;
}

/* ---- creation ---- */

/* A name that is being written, cut where it gets too long. */
typedef struct name_text {
    char *text;
    size_t used, size;
} name_text;

PRINTF_LIKE(2, 3)
static void name_add(name_text *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(name->text + name->used, name->size - name->used, format, arguments);
    va_end(arguments);
    size_t room = name->size - name->used - 1;
    name->used += written < 0 ? 0 : (size_t)written < room ? (size_t)written : room;
}

/* One term as the text form has it: "disabled ChildOf(up) Shield". Values and targets are dots. */
static void name_add_term(name_text *name, const shoal_term *term) {
    const shoal_component_def *def = &component_type_at(term->component.id)->def;
    static const char *const states[] = {"", "disabled ", "either "};
    static const char *const ways[] = {"", "up", "down"};
    const char *state = def->toggle ? states[term->state] : "";
    const char *dots = term->value != NULL || !shoal_entity_is_null(term->target) ? "(...)" : "";
    if (term->traverse == SHOAL_TRAVERSE_SELF) {
        name_add(name, "%s%s%s", state, def->name, dots);
        return;
    }
    const component_type *along = component_type_find(term->along.id);
    name_add(name, "%s%s(%s) %s%s", state, along != NULL ? along->def.name : "ChildOf", ways[term->traverse], def->name,
             dots);
}

/* The default name: the terms as the text form has them. */
static void name_from_terms(const shoal_query_def *def, char *text, size_t size) {
    name_text name = {.text = text, .size = size};
    text[0] = '\0';
    for (size_t i = 0; i < def->term_count; i++) {
        const shoal_term *term = &def->terms[i];
        bool is_any = access_is_any(term->access);
        bool goes_on =
            is_any && i > 0 && def->terms[i - 1].access == term->access && def->terms[i - 1].group == term->group;
        bool is_last = i + 1 == def->term_count || def->terms[i + 1].access != term->access ||
                       def->terms[i + 1].group != term->group;
        name_add(&name, "%s", i == 0 ? "" : goes_on ? " | " : ", ");
        if (!goes_on) {
            name_add(&name, "%s%s", access_names[term->access], is_any ? "(" : " ");
        }
        name_add_term(&name, term);
        name_add(&name, "%s", is_any && is_last ? ")" : "");
    }
    if (def->term_count == 0) {
        name_add(&name, "everything");
    }
}

/* The text that a query is made from serves as its name, in one line. */
static void name_from_text(const char *text, char *name, size_t size) {
    (void)snprintf(name, size, "%s", text[0] != '\0' ? text : "everything");
    for (char *at = name; *at != '\0'; at++) {
        *at = (unsigned char)*at < ' ' ? ' ' : *at;
    }
}

/* One block: the struct, the terms, keys and sizes, the name. */
static query_data *block_make(shoal_world *world, const shoal_query_def *def, const char *name) {
    size_t name_bytes = strlen(name) + 1;
    size_t bytes = sizeof(query_data) +
                   def->term_count * (sizeof(query_term) + 2 * sizeof(uint64_t) + sizeof(uint32_t)) + name_bytes;
    query_data *query = memory_allocate_zero(&world->memory, SHOAL_PURPOSE_QUERY, bytes, 16);
    if (query == NULL) {
        return NULL;
    }
    query->world = world;
    query->block_bytes = bytes;
    query->terms = (query_term *)(void *)(query + 1);
    query->read_keys = (uint64_t *)(void *)(query->terms + def->term_count);
    query->write_keys = query->read_keys + def->term_count;
    query->sizes = (uint32_t *)(void *)(query->write_keys + def->term_count);
    char *own_name = (char *)(query->sizes + def->term_count);
    memcpy(own_name, name, name_bytes);
    query->head = (shoal_query){.lock = (shoal_view_lock *)(void *)&world->lock,
                                .name = own_name,
                                .read_keys = query->read_keys,
                                .write_keys = query->write_keys};
    return query;
}

/* Takes over one term; a shared value that it names gets the query as a user. */
static shoal_status term_copy(query_data *query, const shoal_term *term) {
    const component_type *type = component_type_at(term->component.id);
    query_term *copy = &query->terms[query->term_count];
    *copy = (query_term){.component = term->component,
                         .access = term->access,
                         .group = term->group,
                         .state = term->state,
                         .traverse = term->traverse,
                         .target = term->target,
                         .type = type,
                         .along = term->along.id != 0 ? term->along.id : query->world->child_of_id,
                         .shared_number = SHARED_NONE};
    if (term->value != NULL) {
        shoal_status status = store_shared_value(query->world, type, term->value, &copy->shared_number);
        if (status != SHOAL_OK) {
            return status;
        }
        shared_add_users(store_shared(query->world, type->id), copy->shared_number, 1);
    }
    query->term_count++;
    return SHOAL_OK;
}

/* Whether a term's answer may differ between rows of one archetype. */
static bool term_is_row_wise(const query_term *term) {
    bool filters =
        access_is_required(term->access) || term->access == SHOAL_ACCESS_WITHOUT || access_is_any(term->access);
    bool is_unique = term->type->def.storage == SHOAL_STORAGE_UNIQUE && !access_is_any(term->access);
    bool by_bits = term->type->def.toggle && term->state != SHOAL_STATE_EITHER;
    return filters && !is_unique && (term->traverse != SHOAL_TRAVERSE_SELF || !term->type->in_set || by_bits);
}

/* What one term makes of the whole query. */
static void term_sum_up(query_data *query, const query_term *term, bool *may_drive, bool *has_target) {
    const component_type *type = term->type;
    bool is_own = term->traverse == SHOAL_TRAVERSE_SELF;
    bool required = access_is_required(term->access) && is_own;
    query->is_row_wise = query->is_row_wise || term_is_row_wise(term);
    query->sees_bits = query->sees_bits || (type->def.toggle && term->state != SHOAL_STATE_EITHER);
    query->looks_along = query->looks_along || !is_own;
    query->has_gate = query->has_gate || (type->def.storage == SHOAL_STORAGE_UNIQUE && !access_is_any(term->access));
    if (required && type->in_set) {
        query->required |= UINT64_C(1) << (type->id % 64);
        query->needs_archetype = true;
    }
    if (required && !type->in_set && type->def.storage != SHOAL_STORAGE_UNIQUE) {
        *may_drive = true;
        *has_target = *has_target || !shoal_entity_is_null(term->target);
    }
    if (type->id == query->world->prefab_id && is_own) {
        query->seen |= ARCHETYPE_PREFAB;
    }
    if (type->id == query->world->dying_id && is_own) {
        query->seen |= ARCHETYPE_DYING;
    }
}

static void terms_sum_up(query_data *query) {
    bool may_drive = false;
    bool has_target = false;
    size_t data_count = 0;
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        term_sum_up(query, term, &may_drive, &has_target);
        if (query_term_has_column(term)) {
            query->read_keys[data_count] = term->component.id;
            query->write_keys[data_count] = access_writes(term->access) ? term->component.id : NO_KEY;
            query->sizes[data_count++] = term->type->value_size;
        }
    }
    query->head.data_count = data_count;
    size_t column_count = data_count + (query->is_row_wise ? 2 : 0);
    query->head.match_stride = align_up(sizeof(query_match) + column_count * sizeof(uint16_t), _Alignof(query_match));
    query->goes_by_list = may_drive && (has_target || !query->needs_archetype);
    query->head.is_special = query->is_row_wise || query->keeps_runs || query->has_gate;
}

void query_free(query_data *query) {
    shoal_memory *memory = &query->world->memory;
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        if (term->shared_number != SHARED_NONE) {
            shared_table *table = store_shared(query->world, term->component.id);
            shared_drop_users(table, term->shared_number, 1);
            shared_forget_unused(table, term->shared_number);
        }
    }
    query_order_release(query);
    query_rows_release(query);
    query_unwatch(query);
    memory_release(memory, SHOAL_PURPOSE_QUERY, query, query->block_bytes, 16);
}

/* Fills a new query; on failure with the error stored. */
static shoal_status query_fill(query_data *query, const shoal_query_def *def, query_fault *fault) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < def->term_count && status == SHOAL_OK; i++) {
        status = term_copy(query, &def->terms[i]);
    }
    if (status != SHOAL_OK) {
        return world_fail(query->world, status, create_call);
    }
    status = query_order_init(query, def, create_call);
    if (status != SHOAL_OK) {
        bool order_is_right = def->order_by.id == 0 || query->order.order_by != NULL;
        *fault = (query_fault){.at_order = !order_is_right, .at_group = order_is_right};
        return status;
    }
    terms_sum_up(query);
    status = query->head.is_special ? query_rows_reserve(query) : SHOAL_OK;
    status = status == SHOAL_OK ? query_watch(query) : status;
    return status == SHOAL_OK ? SHOAL_OK : world_fail(query->world, status, create_call);
}

static shoal_query *query_make(shoal_world *world, const shoal_query_def *def, query_fault *fault) {
    *fault = (query_fault){0};
    if (terms_check(world, def, fault) != SHOAL_OK) {
        return NULL;
    }
    char name[NAME_MAX_BYTES + 1];
    if (def->name != NULL) {
        (void)snprintf(name, sizeof name, "%s", def->name);
    } else if (def->text != NULL) {
        name_from_text(def->text, name, sizeof name);
    } else {
        name_from_terms(def, name, sizeof name);
    }
    query_data *query = block_make(world, def, name);
    if (query == NULL) {
        world_fail(world, memory_failure(&world->memory), create_call);
        return NULL;
    }
    if (query_fill(query, def, fault) != SHOAL_OK) {
        query_free(query);
        return NULL;
    }
    return &query->head;
}

/* A definition by text: the same with the terms that the text has. */
static shoal_query *query_make_from_text(shoal_world *world, const shoal_query_def *def) {
    if (def->term_count != 0 || def->order_by.id != 0 || def->group_by.id != 0) {
        error_detail(world_error(world), SHOAL_INVALID_ARGUMENT, create_call, "give terms or text, not both");
        return NULL;
    }
    query_text parsed;
    if (query_text_parse(world, def->text, &parsed, create_call) != SHOAL_OK) {
        return NULL;
    }
    shoal_query_def by_terms = *def;
    by_terms.terms = parsed.terms;
    by_terms.term_count = parsed.term_count;
    by_terms.order_by = parsed.order_by;
    by_terms.order_field = parsed.order_field[0] != '\0' ? parsed.order_field : NULL;
    by_terms.descending = parsed.descending;
    by_terms.group_by = parsed.group_by;
    by_terms.groups_descending = parsed.groups_descending;
    query_fault fault;
    shoal_query *query = query_make(world, &by_terms, &fault);
    if (query == NULL && (fault.at_term || fault.at_order || fault.at_group)) {
        size_t place = fault.at_term    ? parsed.places[fault.term]
                       : fault.at_order ? parsed.order_place
                                        : parsed.group_place;
        query_text_blame(world, def->text, place, create_call);
    }
    query_text_release(world, &parsed);
    return query;
}

shoal_query *shoal_query_create(shoal_world *world, const shoal_query_def *def) {
    if (world == NULL || def == NULL) {
        world_fail(world, SHOAL_INVALID_ARGUMENT, create_call);
        return NULL;
    }
    if (world_is_shared(world)) {
        (void)world_fail_shared(world, create_call);
        return NULL;
    }
    query_fault fault; /* without a text, the message says enough */
    return def->text != NULL ? query_make_from_text(world, def) : query_make(world, def, &fault);
}

shoal_status shoal_query_destroy(shoal_query *query) {
    if (query == NULL) {
        return SHOAL_OK;
    }
    shoal_world *world = query_of(query)->world;
    if (world_is_locked(world)) {
        return world_fail_locked(world, "shoal_query_destroy");
    }
    if (query_of(query)->is_of_system) {
        return error_detail(&world->error, SHOAL_INVALID_ARGUMENT, "shoal_query_destroy", "\"%s\" ends with its system",
                            query->name);
    }
    world_remove_watcher(world, &query_of(query)->watcher);
    query_free(query_of(query));
    return SHOAL_OK;
}

/* ---- asking ---- */

const char *shoal_query_name(const shoal_query *query) {
    return query != NULL ? query->name : "";
}

static uint64_t count_bits(uint64_t bits) {
    uint64_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* The rows of a match that pass its filter. */
static uint64_t match_count_rows(const query_data *query, const query_match *match) {
    uint64_t count = 0;
    for (uint32_t c = 0; c < match->archetype->chunk_count; c++) {
        const chunk_ref *ref = &match->archetype->chunks[c];
        for (size_t word = 0; word * 64 < ref->count; word++) {
            count += count_bits(query_match_word(query, match, ref, word));
        }
    }
    return count;
}

uint64_t shoal_query_count(const shoal_query *query) {
    const query_data *data = query_of_const(query);
    uint64_t count = 0;
    if (query == NULL || (data->has_gate && !query_gate_is_open(data))) {
        return 0;
    }
    for (size_t i = 0; i < data->match_count; i++) {
        const query_match *match = query_match_at(data, i);
        bool all = query_match_filter(data, match) == QUERY_FILTER_NONE;
        count += all ? match->archetype->row_count : match_count_rows(data, match);
    }
    return count;
}

size_t shoal_query_archetype_count(const shoal_query *query) {
    return query != NULL ? query_of_const(query)->match_count : 0;
}

bool shoal_query_matches(const shoal_query *query, shoal_entity entity) {
    if (query == NULL) {
        return false;
    }
    const query_data *data = query_of_const(query);
    const index_record *record = index_find(&data->world->index, entity);
    if (record == NULL || (data->has_gate && !query_gate_is_open(data))) {
        return false;
    }
    row_place place = row_of(data->world, record);
    query_verdict verdict = query_judge(data, place.archetype);
    if (verdict != QUERY_ROWS) {
        return verdict == QUERY_YES;
    }
    chunk_ref ref = {.bits = place.chunk, .count = place.row + 1};
    return query_filter_word(data, place.archetype, &ref, place.row / 64, UINT64_C(1) << (place.row % 64)) != 0;
}

/* The first entity in the order of iteration, and whether there is more than one. */
static shoal_status first_of(shoal_query *query, shoal_entity *first, bool *is_single) {
    shoal_view view;
    *is_single = true;
    *first = (shoal_entity){0};
    shoal_status status = shoal_view_begin(&view, query);
    if (shoal_view_next(&view)) {
        *first = view.entities[0];
        *is_single = view.count == 1 && !shoal_view_next(&view);
    }
    shoal_view_end(&view);
    return status;
}

static shoal_entity ask_first(shoal_query *query, bool must_be_single, const char *call) {
    const shoal_entity none = {0};
    if (query == NULL) {
        world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
        return none;
    }
    bool is_single = true;
    shoal_entity first;
    shoal_status status = first_of(query, &first, &is_single);
    if (status != SHOAL_OK) {
        return none;
    }
    status = shoal_entity_is_null(first) ? SHOAL_NOT_FOUND : must_be_single && !is_single ? SHOAL_NOT_SINGLE : SHOAL_OK;
    if (status != SHOAL_OK) {
        error_detail(world_error(query_of(query)->world), status, call, "query \"%s\"", query->name);
        return none;
    }
    return first;
}

shoal_entity shoal_query_first(shoal_query *query) {
    return ask_first(query, false, "shoal_query_first");
}

shoal_entity shoal_query_single(shoal_query *query) {
    return ask_first(query, true, "shoal_query_single");
}
