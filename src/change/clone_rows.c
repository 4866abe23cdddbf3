/*
 * The rows of copies, and the values that a caller gives for the copied roots; see clone.h.
 *
 *     target    | rows that are there | n1' n1" n1'" ... | n2' n2" n2'" ... |      n1 and n2 have the same archetype
 *
 * Values are written behind the rows that are there, and not counted before the commit. What the caller gave is copied
 * once, as it is stored, before any room is made: it may lie in rows or sparse values that then move. Thread rule:
 * world.
 */
#include "clone.h"

#include "../storage/buffer.h"

/* ---- the caller's values ---- */

static shoal_status given_stage_one(clone_plan *plan, size_t i) {
    clone_given *given = &plan->given[i];
    const void *data = plan->values[i].data;
    given->type = component_type_at(plan->values[i].component.id);
    if (given->type->def.storage == SHOAL_STORAGE_RELATION && data != NULL) {
        given->target = ((const shoal_link *)data)->target;
        data = ((const shoal_link *)data)->data;
    }
    bool is_stored = given->type->def.size != 0 && given->type->def.storage != SHOAL_STORAGE_SHARED;
    return is_stored && data != NULL ? change_stage(plan->world, given->type, data, &given->value, plan->call)
                                     : SHOAL_OK;
}

shoal_status clone_given_stage(clone_plan *plan) {
    if (plan->value_count == 0) {
        return SHOAL_OK;
    }
    shoal_world *world = plan->world;
    shoal_status status = change_validate(world, plan->values, plan->value_count, plan->call);
    if (status != SHOAL_OK) {
        return status;
    }
    plan->given =
        memory_allocate_zero(&world->memory, SHOAL_PURPOSE_SCRATCH, plan->value_count * sizeof(clone_given), 16);
    if (plan->given == NULL) {
        return world_fail(world, memory_failure(&world->memory), plan->call);
    }
    for (size_t i = 0; status == SHOAL_OK && i < plan->value_count; i++) {
        status = given_stage_one(plan, i);
    }
    return status;
}

static void chunk_copies_release(clone_plan *plan, clone_given *given, bool end_values) {
    shoal_memory *memory = &plan->world->memory;
    if (given->chunk_copies == NULL) {
        return;
    }
    if (end_values) {
        component_end(memory, given->type, given->chunk_copies, plan->chunk_runs);
    }
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, given->chunk_copies, plan->chunk_runs * given->type->value_size,
                   given->type->value_alignment);
    given->chunk_copies = NULL;
}

void clone_given_release(clone_plan *plan, bool end_chunk_copies) {
    for (size_t i = 0; plan->given != NULL && i < plan->value_count; i++) {
        clone_given *given = &plan->given[i];
        chunk_copies_release(plan, given, end_chunk_copies);
        if (given->value != NULL) {
            change_unstage(plan->world, given->type, given->value, true);
        }
    }
    if (plan->given != NULL) {
        memory_release(&plan->world->memory, SHOAL_PURPOSE_SCRATCH, plan->given,
                       plan->value_count * sizeof(clone_given), 16);
    }
}

/* ---- rows ---- */

/* Some of the rows of a node's copies: those in one chunk. */
typedef struct clone_run {
    chunk_ref *ref;
    uint32_t first;
    uint32_t count;
    size_t done; /* copies before this run */
} clone_run;

/* The run that follows `run` (or the first one); false at the end. */
static bool run_next(const clone_plan *plan, const clone_node *node, clone_run *run) {
    run->done += run->count;
    if (run->done == plan->count) {
        return false;
    }
    run->first = run->ref == NULL ? node->row : 0;
    run->ref = run->ref == NULL ? &node->target->chunks[node->chunk] : run->ref + 1;
    size_t room = run->ref->capacity - run->first;
    size_t left = plan->count - run->done;
    run->count = (uint32_t)(left < room ? left : room);
    return true;
}

static char *run_values(const clone_node *node, const clone_run *run, uint32_t column) {
    return chunk_base(run->ref) + run->ref->offsets[column] +
           (size_t)run->first * node->target->columns[column].byte_size;
}

/* Where the run of a node begins: at the open row of its target, or behind the node before it. */
static void place_find(const clone_plan *plan, clone_node *node) {
    const shoal_archetype *target = node->target;
    if (node->before == 0) {
        node->chunk = (uint32_t)(target->open - target->chunks);
        node->row = target->open->count;
        return;
    }
    clone_run last = {0};
    for (clone_run run = {0}; run_next(plan, &plan->nodes[node->before - 1], &run);) {
        last = run;
    }
    bool is_full = last.first + last.count == last.ref->capacity;
    node->chunk = (uint32_t)(last.ref - target->chunks) + is_full;
    node->row = is_full ? 0 : last.first + last.count;
}

/* No room is made and no row moves from here on. */
static void places_find(clone_plan *plan) {
    for (size_t i = 0; i < plan->node_count; i++) {
        clone_node *node = &plan->nodes[i];
        node->from = clone_source_place(plan, node);
        place_find(plan, node);
    }
    for (clone_run run = {0}; run_next(plan, plan->nodes, &run);) {
        plan->chunk_runs++;
    }
}

/* The caller's value for a column of the root's copies, or NULL. */
static const void *column_given(const clone_plan *plan, const clone_node *node, uint32_t column) {
    for (size_t i = 0; node == plan->nodes && i < plan->value_count; i++) {
        if (transition_columns(node->edge)[i] == column && plan->given[i].value != NULL) {
            return plan->given[i].value;
        }
    }
    return NULL;
}

/* The source's value for a column of its copies, or NULL. */
static char *column_source(const clone_node *node, uint32_t column) {
    const row_place *from = &node->from;
    uint32_t number = node->edge == NULL ? column : archetype_find(from->archetype, node->target->ids[column]);
    return number != ARCHETYPE_NONE ? archetype_value(from->archetype, from->chunk, number, from->row) : NULL;
}

/* Copies of plain bytes, each time as many as are there. */
static void bytes_repeat(char *values, const void *original, size_t byte_size, size_t count) {
    copy_value(values, original, byte_size);
    for (size_t done = 1; done < count;) {
        size_t more = done < count - done ? done : count - done;
        memcpy(values + done * byte_size, values, more * byte_size);
        done += more;
    }
}

/* The values of one column in one run: copies, or defaults where there is no original. */
static bool run_make(clone_plan *plan, const component_type *type, char *values, const void *original, size_t count) {
    if (original == NULL) {
        return component_make_default(&plan->world->memory, type, values, count);
    }
    if (type->hooked) {
        return component_make_repeated(&plan->world->memory, type, values, original, count);
    }
    bytes_repeat(values, original, type->value_size, count);
    return true;
}

/* Ends one column of a node's copies, up to but without the run that begins with copy `limit`. */
static void column_unmake(clone_plan *plan, const clone_node *node, uint32_t column, size_t limit) {
    const archetype_column *described = &node->target->columns[column];
    for (clone_run run = {0}; described->hooked && run_next(plan, node, &run) && run.done < limit;) {
        component_end(&plan->world->memory, described->type, run_values(node, &run, column), run.count);
    }
}

static bool column_make(clone_plan *plan, const clone_node *node, uint32_t column) {
    const void *original = column_given(plan, node, column);
    original = original != NULL ? original : column_source(node, column);
    for (clone_run run = {0}; run_next(plan, node, &run);) {
        char *values = run_values(node, &run, column);
        if (!run_make(plan, node->target->columns[column].type, values, original, run.count)) {
            column_unmake(plan, node, column, run.done);
            return false;
        }
    }
    return true;
}

static shoal_status making_failed(const clone_plan *plan, const component_type *type) {
    shoal_status status = component_failure(type, &plan->world->memory);
    return world_fail_component(plan->world, status, plan->call, (shoal_entity){0}, (shoal_component){type->id});
}

/* Copies of a given chunk value, one for each chunk that the copied roots come into. */
static shoal_status chunk_copies_make(clone_plan *plan, clone_given *given) {
    shoal_memory *memory = &plan->world->memory;
    const component_type *type = given->type;
    size_t bytes = plan->chunk_runs * type->value_size;
    char *copies = memory_allocate(memory, SHOAL_PURPOSE_SCRATCH, bytes, type->value_alignment);
    if (copies == NULL) {
        return world_fail(plan->world, memory_failure(memory), plan->call);
    }
    if (!component_make_repeated(memory, type, copies, given->value, plan->chunk_runs)) {
        memory_release(memory, SHOAL_PURPOSE_SCRATCH, copies, bytes, type->value_alignment);
        return making_failed(plan, type);
    }
    given->chunk_copies = copies;
    return SHOAL_OK;
}

/* Writes all values of all copies behind the rows that are there. */
shoal_status clone_rows_make(clone_plan *plan) {
    places_find(plan);
    for (size_t i = 0; i < plan->node_count; i++) {
        clone_node *node = &plan->nodes[i];
        for (; node->made < node->target->column_count; node->made++) {
            if (!column_make(plan, node, node->made)) {
                return making_failed(plan, node->target->columns[node->made].type);
            }
        }
    }
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < plan->value_count && status == SHOAL_OK; i++) {
        bool is_chunk = plan->given[i].type->def.storage == SHOAL_STORAGE_CHUNK && plan->given[i].value != NULL;
        status = is_chunk ? chunk_copies_make(plan, &plan->given[i]) : SHOAL_OK;
    }
    return status;
}

void clone_rows_unmake(clone_plan *plan) {
    for (size_t i = 0; i < plan->node_count; i++) {
        const clone_node *node = &plan->nodes[i];
        for (uint32_t column = 0; column < node->made; column++) {
            column_unmake(plan, node, column, plan->count);
        }
    }
}

/* ---- the commit ---- */

/* The enable bits of a run: the source's, and set for what it does not have. */
static void bits_commit(const clone_node *node, const clone_run *run) {
    const shoal_archetype *target = node->target;
    for (uint32_t i = 0; i < target->more->toggle_count; i++) {
        const row_place *from = &node->from;
        uint32_t old = archetype_toggle(from->archetype, target->ids[target->more->toggles[i]]);
        const uint64_t *old_bits = old != ARCHETYPE_NONE ? archetype_bits(from->archetype, from->chunk, old) : NULL;
        bool enabled = old_bits == NULL || ((old_bits[from->row / 64] >> (from->row % 64)) & 1);
        uint64_t *bits = archetype_bits(target, run->ref->bits, i);
        for (uint32_t row = run->first; enabled && row < run->first + run->count; row++) {
            bits[row / 64] |= UINT64_C(1) << (row % 64);
        }
    }
}

/* Puts given chunk values in place of those of the run's chunk. */
static void chunk_values_commit(clone_plan *plan, const clone_node *node, const clone_run *run, size_t number) {
    for (size_t i = 0; node == plan->nodes && i < plan->value_count; i++) {
        const clone_given *given = &plan->given[i];
        if (given->chunk_copies != NULL) {
            uint32_t at = archetype_chunk_number(node->target, given->type->id);
            void *value = archetype_chunk_value(node->target, run->ref->bits, at);
            component_end(&plan->world->memory, given->type, value, 1);
            component_relocate(given->type, value, given->chunk_copies + number * given->type->value_size, 1);
        }
    }
}

/* Places and counts the rows of one node's copies. Nodes with one target come in the order of their runs. */
static void node_commit(clone_plan *plan, size_t number) {
    const clone_node *node = &plan->nodes[number];
    shoal_archetype *target = node->target;
    size_t run_number = 0;
    for (clone_run run = {0}; run_next(plan, node, &run);) {
        shoal_entity *entities = chunk_entities(run.ref);
        SHOAL_ASSERT(run.ref->count == run.first);
        for (uint32_t i = 0; i < run.count; i++) {
            shoal_entity entity = clone_copy_at(plan, run.done + i, number);
            entities[run.first + i] = entity;
            index_place(index_at(&plan->world->index, shoal_entity_index(entity)), entity, run.ref->bits, target->index,
                        run.first + i);
        }
        bits_commit(node, &run);
        chunk_values_commit(plan, node, &run, run_number++);
        target->chunk_count += run.ref->count == 0;
        target->spare_count -= run.ref->count == 0;
        run.ref->count += run.count;
        target->row_count += run.count;
        target->version++;
    }
}

static void slots_take(clone_plan *plan) {
    for (size_t i = 0, total = plan->count * plan->node_count; i < total; i++) {
        index_record *record;
        shoal_entity taken = index_take(&plan->world->index, &record);
        SHOAL_ASSERT(taken.bits == plan->copies[i].bits);
        (void)taken;
    }
}

/* An original while its entity fields are looked at. */
typedef struct clone_patch {
    const clone_plan *plan;
    const clone_node *node;
    uint32_t column;
    const char *original; /* the value; of a buffer, its first element */
} clone_patch;

/* A field of the original leads into the tree: in each copy it leads to the same copy. */
static void patch_field(void *user, shoal_entity *field) {
    const clone_patch *patch = user;
    const clone_plan *plan = patch->plan;
    const archetype_column *column = &patch->node->target->columns[patch->column];
    uint32_t number = clone_node_of(plan, *field);
    size_t offset = (size_t)((const char *)field - patch->original);
    bool is_buffer = column->type->def.storage == SHOAL_STORAGE_BUFFER;
    for (clone_run run = {0}; number != CLONE_OUTSIDE && run_next(plan, patch->node, &run);) {
        char *values = run_values(patch->node, &run, patch->column);
        for (uint32_t i = 0; i < run.count; i++) {
            char *value = values + (size_t)i * column->byte_size;
            char *base = is_buffer ? buffer_items(column->type, value) : value;
            *(shoal_entity *)(void *)(base + offset) = clone_copy_at(plan, run.done + i, number);
        }
    }
}

/* Turns the entity fields of one column that lead into the tree; values that the caller gave stay as they are. */
static void column_patch(const clone_plan *plan, const clone_node *node, uint32_t column) {
    const component_type *type = node->target->columns[column].type;
    char *original = type->has_entities ? column_source(node, column) : NULL;
    if (original == NULL || column_given(plan, node, column) != NULL) {
        return;
    }
    clone_patch patch = {.plan = plan, .node = node, .column = column, .original = original};
    if (type->def.storage != SHOAL_STORAGE_BUFFER) {
        component_visit_entities(type, original, patch_field, &patch);
        return;
    }
    char *items = buffer_items(type, original);
    patch.original = items;
    for (uint32_t i = 0; i < ((const buffer_cell *)(const void *)original)->count; i++) {
        component_visit_entities(type, items + i * type->def.size, patch_field, &patch);
    }
}

void clone_rows_commit(clone_plan *plan) {
    slots_take(plan);
    for (size_t i = 0; i < plan->node_count; i++) {
        node_commit(plan, i);
    }
    for (size_t i = 0; plan->is_tree && i < plan->node_count; i++) {
        for (uint32_t column = 0; column < plan->nodes[i].target->column_count; column++) {
            column_patch(plan, &plan->nodes[i], column);
        }
    }
}
