/*
 * The hash of a world: the call, and the parts of the stream (see hash.h) that lie outside of rows.
 *
 * Free slots decide which handles come next: the lowest free one is taken, at its generation. So they are put as
 * differences from a slot that was never used, with the reserved ranges; how many pages there are, and whether a trim
 * has put some away, does not show. Everything that goes by the type comes in the order of the types' names.
 *
 * The order of the sources of a target can be seen and set, so it counts in both forms; only lists of two or more are
 * put, since the links say the rest. A dense order of a sparse set counts in the form by layout alone.
 *
 * Thread rule: world.
 */
#include "hash.h"

#include "../storage/store.h"

/* What a call works with. */
typedef struct hash_job {
    shoal_world *world;
    shoal_hash_form form;
    hash_stream *stream;
    hash_plans *plans;            /* by handle only */
    const component_type **types; /* type_count; for sorting */
    size_t type_count;
} hash_job;

/* ---- free slots ---- */

/* A slot without an entity; one that was never used leaves no trace. */
static void put_slot(hash_stream *stream, uint32_t slot, uint64_t generation, bool is_retired) {
    if (generation != 0) {
        hash_put_u64(stream, ((uint64_t)slot << 32) | ((uint64_t)is_retired << 16) | generation);
    }
}

/* A page that was put away: no slot is live or retired. */
static void put_page_away(hash_stream *stream, const index_page_info *info, uint32_t first_slot) {
    if (info->generations == NULL && info->uniform_generation == 0) {
        return;
    }
    for (uint32_t i = 0; i < INDEX_PAGE_SLOTS; i++) {
        uint64_t generation = info->generations != NULL ? info->generations[i] : info->uniform_generation;
        put_slot(stream, first_slot + i, generation, false);
    }
}

/* A page with records. Where nothing is reserved or retired, the free bits name all slots without an entity. */
static void put_page(hash_stream *stream, const entity_index *index, uint32_t page) {
    const index_record *records = index->pages[page];
    bool by_bits = index->range_count == 0 && index->retired_count == 0;
    for (uint32_t word = 0; word < INDEX_PAGE_WORDS; word++) {
        uint64_t bits = by_bits ? index->infos[page]->free_words[word] : ~UINT64_C(0);
        for (; bits != 0; bits &= bits - 1) {
            uint32_t at = word * 64 + bit_lowest(bits);
            const index_record *record = &records[at];
            if (record->chunk == 0) {
                put_slot(stream, (page << INDEX_PAGE_BITS) + at, record->place & INDEX_GENERATION_MASK,
                         index_record_is_retired(record));
            }
        }
    }
}

static void put_slots(hash_stream *stream, const entity_index *index) {
    hash_put_u64(stream, HASH_MARK_SLOTS);
    for (uint32_t page = 0; page < index->page_count; page++) {
        if (index->pages[page] != index_empty_page) {
            put_page(stream, index, page);
        } else if (index->infos[page] != NULL) {
            put_page_away(stream, index->infos[page], page << INDEX_PAGE_BITS);
        }
    }
    hash_put_u64(stream, 0);
    hash_put_u64(stream, index->range_count);
    for (size_t i = 0; i < index->range_count; i++) {
        hash_put_u64(stream, index->ranges[i].first);
        hash_put_u64(stream, index->ranges[i].end);
    }
}

/* ---- sparse sets and relations ---- */

/* A walk over the entities of a set: in its dense order, or by slot. */
typedef struct set_walk {
    const sparse_set *set;
    bool by_slot;
    uint64_t next; /* number or slot */
    uint32_t number;
} set_walk;

static bool set_walk_slots(set_walk *walk) {
    const sparse_set *set = walk->set;
    while ((walk->next >> SPARSE_PAGE_BITS) < set->page_count) {
        const uint32_t *places = set->pages[walk->next >> SPARSE_PAGE_BITS];
        if (places == sparse_empty_page) {
            walk->next = ((walk->next >> SPARSE_PAGE_BITS) + 1) << SPARSE_PAGE_BITS;
            continue;
        }
        uint32_t place = places[walk->next++ & (SPARSE_PAGE_SLOTS - 1)];
        if (place != 0) {
            walk->number = place - 1;
            return true;
        }
    }
    return false;
}

static bool set_walk_next(set_walk *walk) {
    if (walk->by_slot) {
        return set_walk_slots(walk);
    }
    walk->number = (uint32_t)walk->next;
    return walk->next++ < walk->set->count;
}

static void put_sparse(const hash_job *job, const sparse_set *set) {
    hash_stream *stream = job->stream;
    hash_way way = hash_way_of(set->type);
    bool by_slot = job->form == SHOAL_HASH_CANONICAL;
    if (!by_slot && !set->stable) {
        hash_put_handles(stream, set->entities, set->count);
        hash_put_values(stream, set->type, way, set->values, set->count);
        return;
    }
    set_walk walk = {.set = set, .by_slot = by_slot};
    while (set_walk_next(&walk)) {
        hash_put_handle(stream, set->entities[walk.number]);
        hash_put_value(stream, set->type, way, sparse_value(set, walk.number));
    }
}

/* The links of each source, in the order in which they were given. */
static void put_links(const hash_job *job, const relation_store *store) {
    hash_stream *stream = job->stream;
    hash_way way = hash_way_of(store->type);
    set_walk walk = {.set = &store->forward, .by_slot = job->form == SHOAL_HASH_CANONICAL};
    while (set_walk_next(&walk)) {
        hash_put_handle(stream, store->forward.entities[walk.number]);
        relation_link *link = relation_link_first(store, walk.number);
        for (; link != NULL; link = relation_link_next(store, link)) {
            hash_put_handle(stream, link->target);
            hash_put_value(stream, store->type, way, relation_link_data(store, link));
        }
        hash_put_u64(stream, 0);
    }
}

static void put_source_list(hash_stream *stream, const relation_list *list) {
    const shoal_entity *entities;
    size_t count;
    hash_put_handle(stream, list->target);
    for (size_t run = 0; relation_list_run(list, run, &entities, &count); run++) {
        hash_put_handles(stream, entities, count);
    }
    hash_put_u64(stream, 0);
}

/* The order of the sources of each target that has several. */
static void put_sources(hash_stream *stream, const relation_store *store) {
    for (uint32_t page = 0; page < store->page_count; page++) {
        relation_list *const *lists = store->pages[page];
        for (uint32_t i = 0; lists != relation_empty_page && i < RELATION_PAGE_SLOTS; i++) {
            if (lists[i] != NULL && lists[i]->count > 1) {
                put_source_list(stream, lists[i]);
            }
        }
    }
    hash_put_u64(stream, 0);
}

/* Stores with nothing in them are left out: which ones there are depends on what was there once. */
static void put_stores(const hash_job *job) {
    const shoal_world *world = job->world;
    hash_stream *stream = job->stream;
    hash_put_u64(stream, HASH_MARK_STORES);
    for (size_t i = 0; i < world->loose_count; i++) {
        job->types[i] = ((const loose_store *)world->loose.items)[i].type;
    }
    hash_sort_types(job->types, world->loose_count);
    for (size_t i = 0; i < world->loose_count; i++) {
        const component_type *type = job->types[i];
        bool is_sparse = type->def.storage == SHOAL_STORAGE_SPARSE;
        const sparse_set *set = is_sparse ? store_sparse(world, type->id) : &store_relation(world, type->id)->forward;
        if (set->count == 0) {
            continue;
        }
        hash_put_u64(stream, type->hash);
        hash_put_u64(stream, set->count);
        if (is_sparse) {
            put_sparse(job, set);
        } else {
            put_links(job, store_relation(world, type->id));
            put_sources(stream, store_relation(world, type->id));
        }
    }
    hash_put_u64(stream, 0);
}

/* ---- names and uniques ---- */

/* By slot. Whose name it is says the rest: the parent is the entity's in ChildOf. */
static void put_names(hash_stream *stream, const name_table *names) {
    hash_put_u64(stream, HASH_MARK_NAMES);
    for (uint32_t page = 0; page < names->page_count; page++) {
        name_entry *const *entries = names->pages[page];
        for (uint32_t i = 0; entries != name_empty_page && i < NAME_PAGE_SLOTS; i++) {
            if (entries[i] != NULL) {
                hash_put_handle(stream, entries[i]->entity);
                hash_put_u64(stream, entries[i]->length);
                hash_put(stream, entries[i]->text, entries[i]->length);
            }
        }
    }
    hash_put_u64(stream, 0);
}

static void put_uniques(const hash_job *job) {
    const unique_table *uniques = &job->world->uniques;
    hash_put_u64(job->stream, HASH_MARK_UNIQUES);
    for (uint32_t i = 0; i < uniques->count; i++) {
        job->types[i] = uniques->entries[i].type;
    }
    hash_sort_types(job->types, uniques->count);
    for (uint32_t i = 0; i < uniques->count; i++) {
        const component_type *type = job->types[i];
        hash_put_u64(job->stream, type->hash);
        hash_put_value(job->stream, type, hash_way_of(type), unique_find(uniques, type->id)->value);
    }
    hash_put_u64(job->stream, 0);
}

/* ---- the call ---- */

/* The longest list of types that is sorted: of an archetype, of the stores, of the uniques. */
static size_t most_types(const shoal_world *world) {
    size_t most = world->loose_count > world->uniques.count ? world->loose_count : world->uniques.count;
    for (uint32_t i = 0; i < world->archetype_count; i++) {
        size_t count = world->by_age[i]->component_count;
        most = count > most ? count : most;
    }
    return most + 1; /* an empty world has none, and no memory of no bytes */
}

static shoal_status job_start(hash_job *job) {
    shoal_memory *memory = &job->world->memory;
    shoal_status status = hash_stream_create(memory, &job->stream);
    if (status != SHOAL_OK) {
        return status;
    }
    job->type_count = most_types(job->world);
    job->types = memory_allocate(memory, SHOAL_PURPOSE_SCRATCH, job->type_count * sizeof *job->types,
                                 _Alignof(const component_type *));
    if (job->types == NULL) {
        return memory_failure(memory);
    }
    return job->form == SHOAL_HASH_CANONICAL ? hash_plans_create(job->world, job->stream, job->types, &job->plans)
                                             : SHOAL_OK;
}

static void job_end(hash_job *job) {
    shoal_memory *memory = &job->world->memory;
    hash_plans_destroy(job->world, job->plans);
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, job->types, job->type_count * sizeof *job->types,
                   _Alignof(const component_type *));
    if (job->stream != NULL) {
        hash_stream_destroy(memory, job->stream);
    }
}

static uint64_t job_run(const hash_job *job) {
    hash_stream *stream = job->stream;
    hash_stream_start(stream);
    hash_put_u64(stream, HASH_MARK_HEAD);
    hash_put_u64(stream, job->form);
    hash_put_u64(stream, job->world->tick);
    put_slots(stream, &job->world->index);
    hash_put_u64(stream, HASH_MARK_ROWS);
    if (job->form == SHOAL_HASH_CANONICAL) {
        hash_put_entities(stream, job->world, job->plans);
    } else {
        hash_put_archetypes(stream, job->world);
    }
    put_stores(job);
    put_names(stream, &job->world->names);
    put_uniques(job);
    return hash_stream_finish(stream);
}

shoal_status shoal_world_hash(shoal_world *world, shoal_hash_form form, uint64_t *hash) {
    static const char call[] = "shoal_world_hash";
    if (world == NULL || hash == NULL || (form != SHOAL_HASH_CANONICAL && form != SHOAL_HASH_LAYOUT)) {
        return world_fail(world, SHOAL_INVALID_ARGUMENT, call);
    }
    if (world->is_half_way || world_is_shared(world)) {
        return world_fail_locked(world, call);
    }
    hash_job job = {.world = world, .form = form};
    shoal_status status = job_start(&job);
    if (status == SHOAL_OK) {
        *hash = job_run(&job);
    }
    job_end(&job);
    return status == SHOAL_OK ? SHOAL_OK : world_fail(world, status, call);
}
