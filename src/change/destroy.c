/*
 * Destroying: one entity, a list, all of a query; see destroy.h for the plan.
 */
#include "destroy.h"

#include "../query/query.h"
#include "loose.h"

#define AHEAD_COLUMNS 6 /* of wide rows only the first columns are worth fetching */

/* ---- what stays behind ---- */

const shoal_transition *destroy_dying_edge(shoal_world *world, shoal_archetype *source, const char *call) {
    if (source->more->dying_edge != NULL) {
        return source->more->dying_edge;
    }
    size_t bytes = (size_t)source->component_count * sizeof(shoal_component);
    shoal_component *removed = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, bytes + sizeof *removed, 16);
    if (removed == NULL) {
        world_fail(world, memory_failure(&world->memory), call);
        return NULL;
    }
    size_t count = 0;
    for (uint32_t i = 0; i < source->component_count; i++) {
        if (!component_type_at(source->ids[i])->def.cleanup) {
            removed[count++].id = source->ids[i];
        }
    }
    shoal_value dying = {.component = {world->dying_id}};
    transition_keys keys = {
        .add = &dying, .add_count = 1, .remove = removed, .remove_count = count, .may_name_dying = true};
    shoal_transition *edge = transition_find(world, source, &keys, call);
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, removed, bytes + sizeof *removed, 16);
    source->more->dying_edge = edge;
    return edge;
}

/* ---- the plan ---- */

static bool doomed_mark(const shoal_world *world, shoal_entity entity) {
    index_record *record = index_find(&world->index, entity);
    if (record == NULL || (record->place & INDEX_MARK) || (row_of(world, record).archetype->hidden & ARCHETYPE_DYING)) {
        return false;
    }
    record->place |= INDEX_MARK;
    return true;
}

static bool doomed_is_marked(const shoal_world *world, shoal_entity entity) {
    const index_record *record = index_find(&world->index, entity);
    return record != NULL && (record->place & INDEX_MARK);
}

static void doomed_unmark(const shoal_world *world, const destroy_plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        index_find(&world->index, plan->doomed[i])->place &= ~INDEX_MARK;
    }
}

static void plan_release(shoal_world *world, destroy_plan *plan) {
    if (plan->is_scratch) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, plan->doomed, plan->capacity * sizeof(shoal_entity), 16);
    }
    plan->count = 0;
}

/* Appends the sources of one target that are not doomed yet. There is room: each link is counted. */
static void doomed_add_sources(const shoal_world *world, const relation_store *store, shoal_entity target,
                               destroy_plan *plan) {
    const relation_list *list = relation_sources(store, target);
    const shoal_entity *sources = NULL;
    size_t count = 0;
    for (size_t run = 0; list != NULL && relation_list_run(list, run, &sources, &count); run++) {
        for (size_t i = 0; i < count; i++) {
            if (doomed_mark(world, sources[i])) {
                plan->doomed[plan->count++] = sources[i];
            }
        }
    }
}

/* Appends what the doomed take with them, and what these do, to the end. */
static void doomed_cascade(const shoal_world *world, destroy_plan *plan) {
    for (size_t i = 0; i < plan->count && world->cascade_links != 0; i++) {
        if (!index_extra(&world->index, shoal_entity_index(plan->doomed[i]))) {
            continue;
        }
        for (size_t k = 0; k < world->loose_count; k++) {
            const loose_store *loose = (const loose_store *)world->loose.items + k;
            if (loose->relation != NULL && loose->type->def.on_target_destroyed == SHOAL_TARGET_DESTROY) {
                doomed_add_sources(world, loose->relation, plan->doomed[i], plan);
            }
        }
    }
}

/* A source that stays and refuses the end of its target; null when there is none. */
static shoal_entity holder_of(const shoal_world *world, const relation_store *store, shoal_entity target) {
    const relation_list *list = relation_sources(store, target);
    const shoal_entity *sources = NULL;
    size_t count = 0;
    for (size_t run = 0; list != NULL && relation_list_run(list, run, &sources, &count); run++) {
        for (size_t i = 0; i < count; i++) {
            if (!doomed_is_marked(world, sources[i])) {
                return sources[i];
            }
        }
    }
    return (shoal_entity){0};
}

static shoal_status target_held(shoal_world *world, const component_type *type, shoal_entity target,
                                shoal_entity holder, const char *call) {
    char texts[2][SHOAL_ENTITY_TEXT_SIZE];
    (void)shoal_entity_format(target, texts[0], sizeof texts[0]);
    (void)shoal_entity_format(holder, texts[1], sizeof texts[1]);
    return error_detail(world_error(world), SHOAL_TARGET_HELD, call, "entity %s is the target of %s from entity %s",
                        texts[0], type->def.name, texts[1]);
}

static shoal_status refusals_check(shoal_world *world, const destroy_plan *plan, const char *call) {
    for (size_t k = 0; k < world->loose_count; k++) {
        const loose_store *loose = (const loose_store *)world->loose.items + k;
        bool refuses = loose->relation != NULL && loose->type->def.on_target_destroyed == SHOAL_TARGET_REFUSE &&
                       loose->relation->link_count != 0;
        for (size_t i = 0; refuses && i < plan->count; i++) {
            shoal_entity holder = holder_of(world, loose->relation, plan->doomed[i]);
            if (!shoal_entity_is_null(holder)) {
                return target_held(world, loose->type, plan->doomed[i], holder, call);
            }
        }
    }
    return SHOAL_OK;
}

static shoal_archetype *doomed_archetype(const shoal_world *world, shoal_entity entity) {
    return row_of(world, index_find(&world->index, entity)).archetype;
}

/* Room for the rows of the doomed that keep cleanup components. */
static shoal_status dying_promise(shoal_world *world, const destroy_plan *plan, const char *call) {
    shoal_status status = SHOAL_OK;
    for (size_t i = 0; i < plan->count && status == SHOAL_OK; i++) {
        shoal_archetype *archetype = doomed_archetype(world, plan->doomed[i]);
        if (!archetype->has_cleanup) {
            continue;
        }
        const shoal_transition *edge = destroy_dying_edge(world, archetype, call);
        if (edge == NULL) {
            return world_error(world)->status;
        }
        status = archetype_promise(world, edge->target, 1);
        status = status == SHOAL_OK ? SHOAL_OK : world_fail(world, status, call);
    }
    return status;
}

/* ---- what lets go: sources of split relations that stay, whose rows leave the archetypes of the doomed ---- */

static bool type_releases(const component_type *type) {
    return type->def.split && type->def.on_target_destroyed == SHOAL_TARGET_REMOVE;
}

static bool any_releases(const shoal_world *world) {
    for (size_t k = 0; k < world->loose_count; k++) {
        if (type_releases(((const loose_store *)world->loose.items + k)->type)) {
            return true;
        }
    }
    return false;
}

/* True when an entity comes behind number `i` of the doomed, so that it ends before that one. */
static bool ends_before(const destroy_plan *plan, size_t i, shoal_entity entity) {
    size_t at = plan->count;
    while (--at > i && plan->doomed[at].bits != entity.bits) {
    }
    return at > i;
}

/* The edge that the row of a source takes when doomed number `i` ends, as the target of the relation of store `k`: by
   then its other targets may have ended that are doomed as well. NULL with the error stored. */
static const shoal_transition *release_edge(shoal_world *world, const destroy_plan *plan, size_t i, size_t k,
                                            shoal_entity source, const char *call) {
    const loose_store *stores = world->loose.items;
    shoal_archetype *base = doomed_archetype(world, source);
    for (size_t other = 0; other < world->loose_count; other++) {
        if (other == k || !type_releases(stores[other].type)) {
            continue;
        }
        shoal_entity target = relation_target(stores[other].relation, source);
        if (!doomed_is_marked(world, target) ||
            (target.bits == plan->doomed[i].bits ? other > k : !ends_before(plan, i, target))) {
            continue;
        }
        const shoal_transition *edge = loose_split_edge(world, base, stores[other].type, (shoal_entity){0}, call);
        if (edge == NULL) {
            return NULL;
        }
        base = edge->target;
    }
    return loose_split_edge(world, base, stores[k].type, (shoal_entity){0}, call);
}

/* Counts the rows of the sources that doomed number `i` has in store `k`. */
static shoal_status release_count(shoal_world *world, const destroy_plan *plan, size_t i, size_t k, const char *call) {
    const relation_store *store = ((const loose_store *)world->loose.items + k)->relation;
    const relation_list *list = relation_sources(store, plan->doomed[i]);
    const shoal_entity *sources = NULL;
    size_t count = 0;
    for (size_t run = 0; list != NULL && relation_list_run(list, run, &sources, &count); run++) {
        for (size_t s = 0; s < count; s++) {
            if (doomed_is_marked(world, sources[s])) {
                continue;
            }
            const shoal_transition *edge = release_edge(world, plan, i, k, sources[s], call);
            if (edge == NULL) {
                return world_error(world)->status;
            }
            edge->target->pending_rows++;
        }
    }
    return SHOAL_OK;
}

/* Room for the rows of all sources that let go. All are counted before any room is made, since that may move rows, and
   rows that move lose their marks. */
static shoal_status releases_promise(shoal_world *world, const destroy_plan *plan, const char *call) {
    shoal_status status = SHOAL_OK;
    for (size_t k = 0; k < world->loose_count && status == SHOAL_OK; k++) {
        bool releases = type_releases(((const loose_store *)world->loose.items + k)->type);
        for (size_t i = 0; releases && i < plan->count && status == SHOAL_OK; i++) {
            status = release_count(world, plan, i, k, call);
        }
    }
    for (uint32_t age = 0; age < world->archetype_count; age++) {
        shoal_archetype *archetype = world->by_age[age];
        if (status == SHOAL_OK && archetype->pending_rows != 0) {
            status = archetype_promise(world, archetype, archetype->pending_rows);
            status = status == SHOAL_OK ? SHOAL_OK : world_fail(world, status, call);
        }
        archetype->pending_rows = 0;
    }
    return status;
}

/* Marks the links of split relations that the doomed have, since the marks of entities do not last: see
 * releases_promise(). */
static void doomed_mark_links(const shoal_world *world, const destroy_plan *plan) {
    for (size_t k = 0; k < world->loose_count; k++) {
        const loose_store *loose = (const loose_store *)world->loose.items + k;
        bool is_split = loose->type->def.split && loose->relation->link_count != 0;
        for (size_t i = 0; is_split && i < plan->count; i++) {
            relation_link *link = relation_find(loose->relation, plan->doomed[i], (shoal_entity){0});
            if (link != NULL) {
                link->next = 1;
            }
        }
    }
}

/* Ends all promises. */
static void promises_settle(shoal_world *world) {
    for (uint32_t age = 0; age < world->archetype_count; age++) {
        const shoal_archetype *archetype = world->by_age[age];
        if (archetype->reserved_rows != 0 || archetype->spare_count != 0) {
            archetype_settle(world, world->by_age[age]);
        }
    }
}

static bool any_has_cleanup(const shoal_world *world, const destroy_plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        if (doomed_archetype(world, plan->doomed[i])->has_cleanup) {
            return true;
        }
    }
    return false;
}

/* Sorts by depth of ChildOf, so that the commit, which goes backwards, ends children before their parents. What a
   cascade has appended is sorted already; named entities need not be. */
static void doomed_sort(const shoal_world *world, destroy_plan *plan) {
    const relation_store *store = store_relation(world, world->child_of_id);
    size_t gap = 1;
    while (store != NULL && store->link_count != 0 && gap < plan->count / 3) {
        gap = gap * 3 + 1; /* Knuth's gaps for Shell's sort */
    }
    for (; store != NULL && store->link_count != 0 && gap > 0; gap /= 3) {
        for (size_t i = gap; i < plan->count; i++) {
            shoal_entity entity = plan->doomed[i];
            uint32_t depth = relation_depth(store, entity);
            size_t at = i;
            for (; at >= gap && relation_depth(store, plan->doomed[at - gap]) > depth; at -= gap) {
                plan->doomed[at] = plan->doomed[at - gap];
            }
            plan->doomed[at] = entity;
        }
    }
}

/* The list: the world's own, which has room for every cascade, when one entity was named that may go into it. */
static shoal_status plan_list(shoal_world *world, size_t count, destroy_plan *plan) {
    *plan = (destroy_plan){.doomed = plan->one};
    if (count == 1 && world->cascade_links == 0) {
        return SHOAL_OK;
    }
    if (count == 1 && world->doomed.capacity > world->cascade_links) {
        plan->doomed = world->doomed.items;
        return SHOAL_OK;
    }
    plan->capacity = count + (size_t)world->cascade_links;
    plan->doomed = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, plan->capacity * sizeof(shoal_entity), 16);
    plan->is_scratch = plan->doomed != NULL;
    return plan->doomed != NULL ? SHOAL_OK : memory_failure(&world->memory);
}

shoal_status destroy_plan_make(shoal_world *world, const shoal_entity *entities, size_t count, bool is_promised,
                               destroy_plan *plan, const char *call) {
    shoal_status status = plan_list(world, count, plan);
    if (status != SHOAL_OK) {
        return world_fail(world, status, call);
    }
    for (size_t i = 0; i < count; i++) {
        if (doomed_mark(world, entities[i])) {
            plan->doomed[plan->count++] = entities[i];
        }
    }
    size_t named = plan->count;
    doomed_cascade(world, plan);
    if (named > 1) {
        doomed_sort(world, plan);
    }
    status = refusals_check(world, plan, call);
    bool needs_rows = status == SHOAL_OK && !is_promised;
    if (needs_rows && any_has_cleanup(world, plan)) {
        status = dying_promise(world, plan, call);
        plan->promises = true;
    }
    if (needs_rows && status == SHOAL_OK && any_releases(world)) {
        status = releases_promise(world, plan, call);
        plan->promises = true;
    }
    if (status != SHOAL_OK && plan->promises) {
        promises_settle(world);
    }
    if (status != SHOAL_OK) {
        doomed_unmark(world, plan);
        plan_release(world, plan);
    }
    return status;
}

/* ---- the commit ---- */

static void destroy_loose(shoal_world *world, shoal_entity entity) {
    if (index_extra(&world->index, shoal_entity_index(entity))) {
        notify_loose_removed(world, entity);
        loose_end(world, entity);
    }
}

/* The row goes to what stays behind: room has been promised, and the edge is there. */
static void destroy_to_dying(shoal_world *world, shoal_entity entity, index_record *record) {
    row_place place = row_of(world, record);
    const shoal_transition *edge = place.archetype->more->dying_edge;
    SHOAL_ASSERT(edge != NULL);
    notify_edge_removed(world, edge, entity, place);
    destroy_loose(world, entity); /* the rows of its sources may move, and so its own */
    row_move(world, row_of(world, record), edge, entity, record);
}

void destroy_dead(shoal_world *world, shoal_entity entity) {
    index_record *record = index_find(&world->index, entity);
    record->place &= ~INDEX_MARK;
    notify_row_removed(world, entity, row_of(world, record));
    destroy_loose(world, entity);
    row_remove(world, row_of(world, record));
    index_give(&world->index, shoal_entity_index(entity));
}

void destroy_commit(shoal_world *world, destroy_plan *plan) {
    doomed_mark_links(world, plan);
    for (size_t i = plan->count; i-- > 0;) {
        shoal_entity entity = plan->doomed[i];
        index_record *record = index_find(&world->index, entity);
        record->place &= ~INDEX_MARK;
        if (row_of(world, record).archetype->has_cleanup) {
            destroy_to_dying(world, entity, record);
        } else {
            destroy_dead(world, entity);
        }
    }
    if (plan->promises) {
        promises_settle(world);
    }
    plan_release(world, plan);
}

COLD static shoal_status destroy_any(shoal_world *world, const shoal_entity *entities, size_t count, const char *call) {
    destroy_plan plan;
    shoal_status status = destroy_plan_make(world, entities, count, false, &plan, call);
    if (status == SHOAL_OK) {
        destroy_commit(world, &plan);
        for (uint32_t age = 0; UNLIKELY(world->move_rows) && age < world->archetype_count; age++) {
            row_shuffle_chunks(world, world->by_age[age]);
        }
    }
    archetype_sweep_idle(world);
    world_note_retired(world);
    return status;
}

/* ---- one entity ---- */

/* Fetches the lines of a row that is about to be overwritten. They would be waited for one after the other when the
   stores to them retire; fetched here, they come together. */
static ALWAYS_INLINE void fetch_place(row_place place) {
    const shoal_archetype *archetype = place.archetype;
    const uint32_t *offsets = archetype_layout(archetype, place.chunk);
    char *base = (char *)index_chunk_address(place.chunk);
    size_t column_count = archetype->column_count < AHEAD_COLUMNS ? archetype->column_count : AHEAD_COLUMNS;
    PREFETCH_WRITE(base + SHOAL_CHUNK_HEADER_BYTES + place.row * sizeof(shoal_entity));
    for (size_t c = 0; c < column_count; c++) {
        PREFETCH_WRITE(base + offsets[c] + (size_t)place.row * archetype->columns[c].byte_size);
    }
}

static ALWAYS_INLINE void destroy_found(shoal_world *world, shoal_entity entity, row_place place) {
    index_give(&world->index, shoal_entity_index(entity));
    if (row_is_plain(place.archetype)) {
        row_remove_plain(world, place);
    } else {
        row_remove(world, place);
    }
    change_torture(world, place.archetype);
}

shoal_status shoal_destroy(shoal_world *world, shoal_entity entity) {
    static const char call[] = "shoal_destroy";
    if (UNLIKELY(world == NULL)) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    index_fetch_word(&world->index, shoal_entity_index(entity)); /* beside the record's own miss */
    const index_record *record = index_find(&world->index, entity);
    if (UNLIKELY(record == NULL)) {
        return world_fail_entity(world, call, entity);
    }
    row_place place = row_of(world, record);
    if (UNLIKELY(!destroy_is_simple(world, entity, place.archetype))) {
        return destroy_any(world, &entity, 1, call);
    }
    destroy_found(world, entity, place);
    world_note_idle(world);
    world_note_retired(world);
    return SHOAL_OK;
}

/* ---- many ---- */

/* How far ahead of the work lines are fetched: records, and nearer to it the rows that they name. */
#define AHEAD_RECORD 24
#define AHEAD_ROW 12

static ALWAYS_INLINE void fetch_record(const shoal_world *world, shoal_entity entity) {
    uint32_t slot = shoal_entity_index(entity);
    if (LIKELY((slot >> INDEX_PAGE_BITS) < world->index.page_count)) {
        PREFETCH_WRITE(index_at(&world->index, slot));
        index_fetch_word(&world->index, slot);
    }
}

static ALWAYS_INLINE void fetch_row(const shoal_world *world, shoal_entity entity) {
    const index_record *record = index_find(&world->index, entity);
    if (LIKELY(record != NULL)) {
        fetch_place(row_of(world, record));
    }
}

/* All alive, or the first that is not; `*simple` turns false when the end of one is more than that of its row. */
static shoal_status destroy_check(shoal_world *world, const shoal_entity *entities, size_t count, bool *simple,
                                  const char *call) {
    bool may_be_more = world->loose_count != 0 || world->names.count != 0 || world->special_archetypes != 0;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD_RECORD < count) {
            fetch_record(world, entities[i + AHEAD_RECORD]);
        }
        const index_record *record = index_find(&world->index, entities[i]);
        if (UNLIKELY(record == NULL)) {
            return world_fail_entity(world, call, entities[i]);
        }
        if (UNLIKELY(may_be_more) && !destroy_is_simple(world, entities[i], row_of(world, record).archetype)) {
            *simple = false;
        }
    }
    return SHOAL_OK;
}

shoal_status shoal_destroy_many(shoal_world *world, const shoal_entity *entities, size_t count) {
    static const char call[] = "shoal_destroy_many";
    if (world == NULL || (entities == NULL && count != 0)) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    bool simple = true;
    shoal_status status = destroy_check(world, entities, count, &simple, call);
    if (status != SHOAL_OK) {
        return status;
    }
    if (!simple) {
        return destroy_any(world, entities, count, call);
    }
    for (size_t i = 0; i < count; i++) {
        if (LIKELY(i + AHEAD_RECORD < count)) {
            fetch_record(world, entities[i + AHEAD_RECORD]);
        }
        if (LIKELY(i + AHEAD_ROW < count)) {
            fetch_row(world, entities[i + AHEAD_ROW]);
        }
        const index_record *record = index_find(&world->index, entities[i]);
        if (LIKELY(record != NULL)) { /* else it was named twice */
            destroy_found(world, entities[i], row_of(world, record));
        }
    }
    world_note_idle(world);
    world_note_retired(world);
    return SHOAL_OK;
}

/* All that a query matches, one by one. */
static shoal_status destroy_collected(query_data *query, const char *call) {
    shoal_world *world = query->world;
    shoal_entity *entities = NULL;
    size_t count = 0;
    shoal_status status = query_collect(query, &entities, &count);
    if (status != SHOAL_OK) {
        return world_fail(world, status, call);
    }
    status = count != 0 ? destroy_any(world, entities, count, call) : SHOAL_OK;
    memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, entities, count * sizeof(shoal_entity), 16);
    return status;
}

shoal_status shoal_query_destroy_entities(shoal_query *query) {
    static const char call[] = "shoal_query_destroy_entities";
    if (query == NULL) {
        return world_fail(NULL, SHOAL_INVALID_ARGUMENT, call);
    }
    shoal_world *world = query_of(query)->world;
    if (world_is_locked(world)) {
        return world_fail_locked(world, call);
    }
    if (!query_is_whole(query_of(query)) || world->loose_count != 0 || world->names.count != 0 ||
        world->special_archetypes != 0) {
        return destroy_collected(query_of(query), call);
    }
    for (size_t i = 0; i < query_of(query)->match_count; i++) {
        row_remove_all(world, query_match_at(query_of(query), i)->archetype);
    }
    world_note_idle(world);
    world_note_retired(world);
    return SHOAL_OK;
}
