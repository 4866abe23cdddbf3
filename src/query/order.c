/*
 * Order and groups: runs of rows that a query keeps from view to view.
 *
 *     items    | ordinal 0 | ordinal 1 | ...      every row that matches, in the order of iteration without sorting
 *     keys     | key 0     | key 1     | ...      copies of what they are sorted by
 *     sorted   | ordinal of the first, of the second ...
 *     runs     | match, chunk, first row, count | ...        neighbours in one chunk put together
 *
 * When a view begins, the rows are gone through and their keys compared with the copies as bytes. If all are the same,
 * the order is kept and nobody's compare function is called; if only keys have changed, those rows are sorted and
 * merged with the others; else all are sorted. Sorting is a merge sort: stable, so rows with equal keys keep their
 * order.
 *
 * A query that only groups keeps runs without items; by depth, a run is cut where the depth changes. A stamp over the
 * versions of what the runs follow from says whether they still hold. Pointers to ancestors' values are kept beside the
 * runs under a stamp of their own. Thread rule: world.
 */
#include "query.h"

#include <string.h>

/* ---- what the definition says ---- */

static const shoal_field *field_find(const component_type *type, const char *path, size_t *offset) {
    const shoal_field *fields = type->def.fields;
    size_t field_count = type->def.field_count;
    *offset = 0;
    for (const char *part = path;;) {
        size_t length = strcspn(part, ".");
        const shoal_field *found = NULL;
        for (size_t i = 0; i < field_count && found == NULL; i++) {
            bool same = strncmp(fields[i].name, part, length) == 0 && fields[i].name[length] == '\0';
            found = same ? &fields[i] : NULL;
        }
        if (found == NULL || found->count > 1) {
            return NULL;
        }
        *offset += found->offset;
        if (part[length] == '\0') {
            return found;
        }
        part += length + 1;
        fields = found->fields;
        field_count = found->field_count;
    }
}

static bool field_is_number(const shoal_field *field) {
    return field->kind >= SHOAL_FIELD_BOOL && field->kind <= SHOAL_FIELD_F64;
}

/* True when the query requires the entity's own component. */
static bool is_required(const query_data *query, uint32_t id) {
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        if (term->component.id == id && access_is_required(term->access) && term->traverse == SHOAL_TRAVERSE_SELF) {
            return true;
        }
    }
    return false;
}

static shoal_status order_by_init(query_data *query, const shoal_query_def *def, const char *call) {
    query_order *order = &query->order;
    error_record *error = world_error(query->world);
    const component_type *type = component_type_find(def->order_by.id);
    if (type == NULL || !is_required(query, type->id)) {
        return error_detail(error, SHOAL_TERM_INVALID, call, "the query sorts by %s, which it does not require",
                            type != NULL ? type->def.name : "a null component");
    }
    shoal_storage storage = type->def.storage;
    bool has_value = type->def.size != 0 && (storage == SHOAL_STORAGE_TABLE || storage == SHOAL_STORAGE_SPARSE ||
                                             storage == SHOAL_STORAGE_SHARED);
    if (!has_value || (def->order_field == NULL) == (def->compare == NULL)) {
        return error_detail(error, SHOAL_TERM_INVALID, call,
                            "sorting by %s needs a table, sparse or shared component, and a field or compare",
                            type->def.name);
    }
    if (def->order_field != NULL) {
        order->field = field_find(type, def->order_field, &order->field_offset);
        if (order->field == NULL || !field_is_number(order->field)) {
            return error_detail(error, SHOAL_TERM_INVALID, call, "%s has no single number field \"%.100s\"",
                                type->def.name, def->order_field);
        }
    }
    order->order_by = type;
    order->compare = def->compare;
    order->compare_user = def->compare_user;
    order->descending = def->descending;
    order->key_bytes = order->field != NULL ? sizeof(uint64_t) : type->def.size;
    return SHOAL_OK;
}

static shoal_status group_by_init(query_data *query, const shoal_query_def *def, const char *call) {
    const component_type *type = component_type_find(def->group_by.id);
    bool is_tree = type != NULL && type->def.acyclic;
    bool is_shared = type != NULL && type->def.storage == SHOAL_STORAGE_SHARED && is_required(query, type->id);
    if (!is_tree && !is_shared) {
        return error_detail(
            world_error(query->world), SHOAL_TERM_INVALID, call,
            "the query groups by %s, which is neither an acyclic relation nor a shared component that it "
            "requires",
            type != NULL ? type->def.name : "a null component");
    }
    query->order.group_by = type;
    query->order.groups_descending = def->groups_descending;
    return SHOAL_OK;
}

shoal_status query_order_init(query_data *query, const shoal_query_def *def, const char *call) {
    shoal_status status = SHOAL_OK;
    if (def->order_by.id != 0 || def->order_field != NULL || def->compare != NULL) {
        status = order_by_init(query, def, call);
    }
    if (status == SHOAL_OK && def->group_by.id != 0) {
        status = group_by_init(query, def, call);
    }
    for (size_t i = 0; i < query->term_count; i++) {
        query->order.up_count += query_term_looks_up(&query->terms[i]);
    }
    query->keeps_runs = query->order.order_by != NULL || query->order.group_by != NULL || query->order.up_count != 0;
    return status;
}

void query_order_release(query_data *query) {
    query_order *order = &query->order;
    shoal_memory *memory = &query->world->memory;
    memory_array_release(memory, SHOAL_PURPOSE_QUERY, &order->runs, sizeof(query_run));
    memory_array_release(memory, SHOAL_PURPOSE_QUERY, &order->items, sizeof(query_item));
    memory_array_release(memory, SHOAL_PURPOSE_QUERY, &order->keys, order->key_bytes);
    memory_array_release(memory, SHOAL_PURPOSE_QUERY, &order->sorted, sizeof(uint32_t));
    memory_array_release(memory, SHOAL_PURPOSE_QUERY, &order->ancestors, sizeof(void *));
}

/* ---- stamps ---- */

static uint64_t store_version(const shoal_world *world, const component_type *type) {
    if (type->def.storage == SHOAL_STORAGE_UNIQUE) {
        return world->uniques.version;
    }
    if (type->def.storage == SHOAL_STORAGE_SPARSE) {
        const sparse_set *set = store_sparse(world, type->id);
        return set != NULL ? set->version : 0;
    }
    const relation_store *store = type->def.storage == SHOAL_STORAGE_RELATION ? store_relation(world, type->id) : NULL;
    return store != NULL ? store->version : 0;
}

/* The versions of the stores that terms and groups look at. */
static uint64_t stores_stamp(const query_data *query) {
    const shoal_world *world = query->world;
    uint64_t stamp = query->order.group_by != NULL ? store_version(world, query->order.group_by) : 0;
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        stamp += store_version(world, term->type);
        stamp += term->traverse != SHOAL_TRAVERSE_SELF ? store_version(world, component_type_at(term->along)) : 0;
    }
    return stamp;
}

/* Rises with each change of a row of a matching archetype. */
static uint64_t matches_stamp(const query_data *query) {
    uint64_t stamp = query->match_changes;
    for (size_t i = 0; i < query->match_count; i++) {
        stamp += query_match_at(query, i)->archetype->version;
    }
    return stamp;
}

/* Rises with each change of a row of any archetype. */
static uint64_t rows_stamp(const query_data *query) {
    const shoal_world *world = query->world;
    uint64_t stamp = world->gone_versions;
    for (uint32_t age = 0; age < world->archetype_count; age++) {
        stamp += world->by_age[age]->version + 1;
    }
    return stamp;
}

/* ---- runs ---- */

static query_run *run_at(const query_order *order, size_t i) {
    return (query_run *)order->runs.items + i;
}

/* Adds rows behind the last run, or to it. */
static shoal_status run_add(query_data *query, query_run added) {
    query_order *order = &query->order;
    query_run *last = order->run_count > 0 ? run_at(order, order->run_count - 1) : NULL;
    order->row_count += added.count;
    if (last != NULL && last->match == added.match && last->chunk == added.chunk && last->group == added.group &&
        last->first + last->count == added.first) {
        last->count += added.count;
        return SHOAL_OK;
    }
    shoal_status status = memory_array_reserve(&query->world->memory, SHOAL_PURPOSE_QUERY, &order->runs,
                                               order->run_count + 1, sizeof(query_run));
    if (status == SHOAL_OK) {
        added.start = order->row_count - added.count;
        *run_at(order, order->run_count++) = added;
    }
    return status;
}

/* Where the rows of a walk are. */
static query_run walk_run(const query_data *query, const query_rows *walk) {
    const query_match *match = (const query_match *)(const void *)walk->head.match;
    const shoal_archetype *archetype = match->archetype;
    uint32_t chunk = query->goes_by_list ? 0 : (uint32_t)walk->cursor.chunk - 1;
    while (chunk_base(&archetype->chunks[chunk]) != walk->head.base) {
        chunk++; /* a list does not know */
    }
    return (query_run){.match = (uint32_t)query_match_number(query, walk->head.match),
                       .chunk = chunk,
                       .first = (uint32_t)walk->head.first,
                       .count = (uint32_t)walk->head.count};
}

/* The group of one row. */
static uint64_t group_of(const query_data *query, const query_match *match, shoal_entity entity) {
    const component_type *type = query->order.group_by;
    if (type == NULL) {
        return 0;
    }
    if (type->def.storage == SHOAL_STORAGE_SHARED) {
        return match->archetype->more->shared[archetype_shared_number(match->archetype, type->id)].key;
    }
    const relation_store *store = store_relation(query->world, type->id);
    return store != NULL ? relation_depth(store, entity) : 0;
}

/* The rows from `first` on that have the depth of the first of them. */
static uint32_t same_depth(const relation_store *store, const shoal_entity *entities, uint32_t count, uint32_t depth) {
    uint32_t end = 1;
    while (end < count && relation_depth(store, entities[end]) == depth) {
        end++;
    }
    return end;
}

/* Cuts a run where the group changes. */
static shoal_status runs_add_grouped(query_data *query, query_run all, const shoal_entity *entities) {
    const component_type *type = query->order.group_by;
    const relation_store *store = type != NULL && type->def.acyclic ? store_relation(query->world, type->id) : NULL;
    shoal_status status = SHOAL_OK;
    if (store == NULL) {
        all.group = group_of(query, query_match_at(query, all.match), entities[0]);
        return run_add(query, all);
    }
    for (uint32_t i = 0; i < all.count && status == SHOAL_OK;) {
        query_run run = all;
        run.first = all.first + i;
        run.group = relation_depth(store, entities[i]);
        run.count = same_depth(store, entities + i, all.count - i, (uint32_t)run.group);
        i += run.count;
        status = run_add(query, run);
    }
    return status;
}

/* ---- sorting ---- */

/* What two ordinals are compared by. */
typedef struct order_context {
    const query_data *query;
    int (*compare)(const struct order_context *context, uint32_t a, uint32_t b);
} order_context;

static int compare_groups(const query_order *order, uint64_t a, uint64_t b) {
    int result = a < b ? -1 : a > b;
    return order->groups_descending ? -result : result;
}

static const char *key_at(const query_order *order, uint32_t ordinal) {
    return (const char *)order->keys.items + ordinal * order->key_bytes;
}

static const query_item *item_at(const query_order *order, uint32_t ordinal) {
    return (const query_item *)order->items.items + ordinal;
}

static int compare_items(const order_context *context, uint32_t a, uint32_t b) {
    const query_order *order = &context->query->order;
    int result = compare_groups(order, item_at(order, a)->group, item_at(order, b)->group);
    if (result != 0) {
        return result;
    }
    if (order->field != NULL) {
        uint64_t keys[2];
        memcpy(&keys[0], key_at(order, a), sizeof keys[0]);
        memcpy(&keys[1], key_at(order, b), sizeof keys[1]);
        result = keys[0] < keys[1] ? -1 : keys[0] > keys[1];
    } else {
        result = order->compare(key_at(order, a), key_at(order, b), order->compare_user);
    }
    result = order->descending && result != 0 ? (result < 0 ? 1 : -1) : result;
    return result != 0 ? result : a < b ? -1 : 1;
}

static int compare_runs(const order_context *context, uint32_t a, uint32_t b) {
    const query_order *order = &context->query->order;
    int result = compare_groups(order, run_at(order, a)->group, run_at(order, b)->group);
    return result != 0 ? result : a < b ? -1 : a > b;
}

/* Merges two sorted stretches of `from` into `to`. */
static void merge(const order_context *context, const uint32_t *from, size_t begin, size_t middle, size_t end,
                  uint32_t *to) {
    size_t left = begin, right = middle;
    for (size_t i = begin; i < end; i++) {
        bool takes_left = left < middle && (right >= end || context->compare(context, from[left], from[right]) <= 0);
        to[i] = takes_left ? from[left++] : from[right++];
    }
}

/* Bottom-up merge sort of `count` numbers, with as many behind them as room. A stretch that is in order already is
   merged with one comparison. */
static void merge_sort(const order_context *context, uint32_t *numbers, size_t count, uint32_t *room) {
    uint32_t *from = numbers, *to = room;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            bool in_order = middle == end || context->compare(context, from[middle - 1], from[middle]) <= 0;
            if (in_order) {
                memcpy(&to[begin], &from[begin], (end - begin) * sizeof *to);
            } else {
                merge(context, from, begin, middle, end, to);
            }
        }
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != numbers) {
        memcpy(numbers, from, count * sizeof *numbers);
    }
}

static shoal_status sorted_reserve(query_data *query, size_t count) {
    return memory_array_reserve(&query->world->memory, SHOAL_PURPOSE_QUERY, &query->order.sorted, count * 2 + 1,
                                sizeof(uint32_t));
}

/* ---- grouping without sorting ---- */

/* Puts the runs into the order of their groups; `start` follows. */
static shoal_status runs_sort(query_data *query) {
    query_order *order = &query->order;
    size_t count = order->run_count;
    shoal_status status = sorted_reserve(query, count);
    if (status != SHOAL_OK) {
        return status;
    }
    uint32_t *numbers = order->sorted.items;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (uint32_t)i;
    }
    order_context context = {.query = query, .compare = compare_runs};
    merge_sort(&context, numbers, count, numbers + count);
    query_run *copy =
        memory_allocate(&query->world->memory, SHOAL_PURPOSE_SCRATCH, (count + 1) * sizeof(query_run), 16);
    if (copy == NULL) {
        return memory_failure(&query->world->memory);
    }
    memcpy(copy, order->runs.items, count * sizeof(query_run));
    uint64_t start = 0;
    for (size_t i = 0; i < count; i++) {
        *run_at(order, i) = copy[numbers[i]];
        run_at(order, i)->start = start;
        start += run_at(order, i)->count;
    }
    memory_release(&query->world->memory, SHOAL_PURPOSE_SCRATCH, copy, (count + 1) * sizeof(query_run), 16);
    return SHOAL_OK;
}

static shoal_status refresh_grouped(query_data *query) {
    query_order *order = &query->order;
    uint64_t stamp =
        (query->looks_along ? rows_stamp(query) + query->match_changes : matches_stamp(query)) + stores_stamp(query);
    if (order->is_kept && order->stamp == stamp && !query->sees_bits) {
        return SHOAL_OK;
    }
    order->is_kept = false;
    order->run_count = 0;
    order->row_count = 0;
    query_rows walk = query_rows_natural(query);
    while (query_rows_next(&walk)) {
        shoal_status status = runs_add_grouped(query, walk_run(query, &walk), walk.head.entities);
        if (status != SHOAL_OK) {
            return status;
        }
    }
    shoal_status status = order->group_by != NULL && order->run_count > 1 ? runs_sort(query) : SHOAL_OK;
    order->stamp = stamp;
    order->is_kept = status == SHOAL_OK;
    order->ancestor_stamp = 0;
    return status;
}

/* ---- sorting by a key ---- */

/* A number field as a key that sorts as an unsigned integer: signed ones and floats with their sign turned over; a NaN
   comes behind all numbers. */
static uint64_t number_key(const shoal_field *field, const char *value) {
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits = 0;
    if (field->kind == SHOAL_FIELD_F32 || field->kind == SHOAL_FIELD_F64) {
        float single = 0;
        double number = 0;
        memcpy(field->kind == SHOAL_FIELD_F32 ? (void *)&single : (void *)&number, value, field->size);
        number = field->kind == SHOAL_FIELD_F32 ? (double)single : number;
        if (number != number) {
            return UINT64_MAX;
        }
        number += 0.0; /* -0 and 0 are one */
        memcpy(&bits, &number, sizeof bits);
        return bits & sign ? ~bits : bits | sign;
    }
    bool is_signed = field->kind == SHOAL_FIELD_I8 || field->kind == SHOAL_FIELD_I16 ||
                     field->kind == SHOAL_FIELD_I32 || field->kind == SHOAL_FIELD_I64;
    uint8_t bytes1 = 0;
    uint16_t bytes2 = 0;
    uint32_t bytes4 = 0;
    switch (field->size) {
    case 1:
        memcpy(&bytes1, value, 1);
        bits = is_signed ? (uint64_t)(int64_t)(int8_t)bytes1 : bytes1;
        break;
    case 2:
        memcpy(&bytes2, value, 2);
        bits = is_signed ? (uint64_t)(int64_t)(int16_t)bytes2 : bytes2;
        break;
    case 4:
        memcpy(&bytes4, value, 4);
        bits = is_signed ? (uint64_t)(int64_t)(int32_t)bytes4 : bytes4;
        break;
    default:
        memcpy(&bits, value, 8);
        break;
    }
    return is_signed ? bits ^ sign : bits;
}

/* The value that one row is sorted by. */
static const char *order_value(const query_data *query, const query_run *run, uint32_t row, shoal_entity entity) {
    const component_type *type = query->order.order_by;
    const query_match *match = query_match_at(query, run->match);
    const chunk_ref *ref = &match->archetype->chunks[run->chunk];
    if (type->def.storage == SHOAL_STORAGE_SPARSE) {
        const sparse_set *set = store_sparse(query->world, type->id);
        return sparse_value(set, sparse_number(set, entity));
    }
    return row_value((row_place){.archetype = match->archetype, .chunk = ref->bits, .row = row}, type);
}

/* What has changed since the rows were last gone through. */
typedef struct order_changes {
    bool same_rows;   /* as far as the kept ones go */
    size_t key_count; /* changed keys; their ordinals are marked by a high bit in `sorted`'s second half */
} order_changes;

/* Takes one row: compares it with what is kept at its ordinal, and keeps it. */
static bool item_take(query_data *query, size_t ordinal, const query_item *item, const char *value, size_t kept,
                      order_changes *changes) {
    query_order *order = &query->order;
    char *key = (char *)order->keys.items + ordinal * order->key_bytes;
    query_item *old = (query_item *)order->items.items + ordinal;
    uint64_t number = order->field != NULL ? number_key(order->field, value + order->field_offset) : 0;
    const char *fresh = order->field != NULL ? (const char *)&number : value;
    bool is_kept = ordinal < kept && old->entity.bits == item->entity.bits && old->group == item->group;
    bool same_key = is_kept && memcmp(key, fresh, order->key_bytes) == 0;
    changes->same_rows = changes->same_rows && is_kept;
    if (!same_key) {
        memcpy(key, fresh, order->key_bytes);
    }
    *old = *item;
    return same_key;
}

static shoal_status items_reserve(query_data *query, size_t count) {
    query_order *order = &query->order;
    shoal_memory *memory = &query->world->memory;
    shoal_status status = memory_array_reserve(memory, SHOAL_PURPOSE_QUERY, &order->items, count, sizeof(query_item));
    status = status == SHOAL_OK
                 ? memory_array_reserve(memory, SHOAL_PURPOSE_QUERY, &order->keys, count, order->key_bytes)
                 : status;
    return status == SHOAL_OK ? sorted_reserve(query, count) : status;
}

/* Goes through the rows; ordinals with changed keys are listed behind the sorted ones. */
static shoal_status items_gather(query_data *query, order_changes *changes, size_t *count) {
    query_order *order = &query->order;
    size_t kept = order->is_kept ? order->item_count : 0;
    shoal_status status = items_reserve(query, (size_t)shoal_query_count(&query->head) + 1);
    size_t room = order->sorted.capacity / 2;
    *changes = (order_changes){.same_rows = true};
    *count = 0;
    query_rows walk = query_rows_natural(query);
    while (status == SHOAL_OK && query_rows_next(&walk)) {
        query_run run = walk_run(query, &walk);
        const query_match *match = query_match_at(query, run.match);
        for (uint32_t i = 0; i < run.count; i++) {
            query_item item = {.entity = walk.head.entities[i],
                               .group = group_of(query, match, walk.head.entities[i]),
                               .match = run.match,
                               .chunk = run.chunk,
                               .row = run.first + i};
            const char *value = order_value(query, &run, item.row, item.entity);
            if (!item_take(query, *count, &item, value, kept, changes)) {
                ((uint32_t *)order->sorted.items)[room + changes->key_count++] = (uint32_t)*count;
            }
            ++*count;
        }
    }
    changes->same_rows = changes->same_rows && *count == kept;
    return status;
}

static bool is_listed(const uint32_t *changed, size_t count, uint32_t ordinal) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (changed[middle] < ordinal) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && changed[low] == ordinal;
}

/* Takes the changed ordinals out of the sorted ones, sorts them, and merges the two. Needs room for them: `changed` is
   sorted by ordinal and lies behind the room that merging needs. */
static shoal_status sorted_mend(query_data *query, const uint32_t *changed, size_t changed_count, size_t count) {
    query_order *order = &query->order;
    uint32_t *sorted = order->sorted.items;
    size_t bytes = (count + changed_count) * sizeof(uint32_t);
    uint32_t *work = memory_allocate(&query->world->memory, SHOAL_PURPOSE_SCRATCH, bytes, 16);
    if (work == NULL) {
        return memory_failure(&query->world->memory);
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_listed(changed, changed_count, sorted[i])) {
            work[kept++] = sorted[i];
        }
    }
    memcpy(work + kept, changed, changed_count * sizeof(uint32_t));
    order_context context = {.query = query, .compare = compare_items};
    merge_sort(&context, work + kept, changed_count, work + count);
    merge(&context, work, 0, kept, count, sorted);
    memory_release(&query->world->memory, SHOAL_PURPOSE_SCRATCH, work, bytes, 16);
    return SHOAL_OK;
}

static void sorted_anew(query_data *query, size_t count) {
    uint32_t *sorted = query->order.sorted.items;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (uint32_t)i;
    }
    order_context context = {.query = query, .compare = compare_items};
    merge_sort(&context, sorted, count, sorted + count);
}

/* The runs of the sorted rows. */
static shoal_status runs_of_items(query_data *query) {
    query_order *order = &query->order;
    order->run_count = 0;
    order->row_count = 0;
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < order->item_count && status == SHOAL_OK; i++) {
        const query_item *item = item_at(order, ((const uint32_t *)order->sorted.items)[i]);
        status = run_add(
            query,
            (query_run){
                .match = item->match, .chunk = item->chunk, .first = item->row, .count = 1, .group = item->group});
    }
    return status;
}

static shoal_status refresh_ordered(query_data *query) {
    query_order *order = &query->order;
    order_changes changes;
    size_t count = 0;
    shoal_status status = items_gather(query, &changes, &count);
    uint64_t stamp = matches_stamp(query);
    if (status == SHOAL_OK && changes.same_rows && changes.key_count == 0 && order->is_kept && order->stamp == stamp) {
        return SHOAL_OK;
    }
    if (status == SHOAL_OK && changes.same_rows) {
        const uint32_t *changed = (const uint32_t *)order->sorted.items + order->sorted.capacity / 2;
        status = changes.key_count != 0 ? sorted_mend(query, changed, changes.key_count, count) : SHOAL_OK;
    } else if (status == SHOAL_OK) {
        sorted_anew(query, count);
    }
    order->is_kept = false;
    order->item_count = count;
    status = status == SHOAL_OK ? runs_of_items(query) : status;
    order->stamp = stamp;
    order->is_kept = status == SHOAL_OK;
    order->ancestor_stamp = 0;
    return status;
}

/* ---- ancestors ---- */

/* What an archetype that was met last says about a column of an ancestor. */
typedef struct ancestor_hint {
    const component_type *type;
    const shoal_archetype *archetype;
    uint32_t column; /* ARCHETYPE_NONE: it has none */
} ancestor_hint;

/* The value of the parent when it has the component in a column; NULL leaves the question to the walk up. */
static ALWAYS_INLINE const void *parent_value(const shoal_world *world, shoal_entity parent, ancestor_hint *hint) {
    row_place place = row_of(world, index_find(&world->index, parent));
    if (UNLIKELY(place.archetype != hint->archetype)) {
        uint32_t number = archetype_find(place.archetype, hint->type->id);
        hint->archetype = place.archetype;
        hint->column = number < place.archetype->column_count ? number : ARCHETYPE_NONE;
    }
    return LIKELY(hint->column != ARCHETYPE_NONE)
               ? archetype_value(place.archetype, place.chunk, hint->column, place.row)
               : NULL;
}

/* The pointers of one term for the rows of one run. Most ancestors are parents, and of one archetype. */
static void ancestors_of_run(const query_data *query, const query_term *term, const query_run *run,
                             const void **pointers) {
    const shoal_world *world = query->world;
    const relation_store *store = store_relation(world, term->along);
    const chunk_ref *ref = &query_match_at(query, run->match)->archetype->chunks[run->chunk];
    const shoal_entity *entities = chunk_entities(ref) + run->first;
    ancestor_hint hint = {.type = term->type};
    bool by_column = !term->type->def.toggle || term->state == SHOAL_STATE_EITHER;
    for (uint32_t k = 0; k < run->count; k++) {
        shoal_entity parent = store != NULL ? relation_target(store, entities[k]) : (shoal_entity){0};
        pointers[k] = NULL;
        if (!shoal_entity_is_null(parent)) {
            pointers[k] = by_column ? parent_value(world, parent, &hint) : NULL;
            if (UNLIKELY(pointers[k] == NULL)) {
                bool has = false;
                pointers[k] = query_ancestor_value(world, term, entities[k], &has);
            }
        }
    }
}

/* The pointers of one term, row by row in the order of the runs. */
static void ancestors_fill(query_data *query, const query_term *term, const void **pointers) {
    const query_order *order = &query->order;
    for (size_t i = 0; i < order->run_count; i++) {
        ancestors_of_run(query, term, run_at(order, i), pointers + run_at(order, i)->start);
    }
}

static shoal_status refresh_ancestors(query_data *query) {
    query_order *order = &query->order;
    uint64_t stamp = rows_stamp(query) + stores_stamp(query) + 1;
    if (order->up_count == 0 || (order->ancestor_stamp == stamp && !query->sees_bits)) {
        return SHOAL_OK;
    }
    shoal_status status = memory_array_reserve(&query->world->memory, SHOAL_PURPOSE_QUERY, &order->ancestors,
                                               order->up_count * (size_t)order->row_count + 1, sizeof(void *));
    if (status != SHOAL_OK) {
        return status;
    }
    size_t number = 0;
    for (size_t i = 0; i < query->term_count; i++) {
        if (query_term_looks_up(&query->terms[i])) {
            ancestors_fill(query, &query->terms[i],
                           (const void **)order->ancestors.items + number++ * (size_t)order->row_count);
        }
    }
    order->ancestor_stamp = stamp;
    return SHOAL_OK;
}

shoal_status query_order_refresh(query_data *query) {
    shoal_status status = query->order.order_by != NULL ? refresh_ordered(query) : refresh_grouped(query);
    return status == SHOAL_OK ? refresh_ancestors(query) : status;
}
