/*
 * Going through special queries; see query.h for the three ways. A step goes from one chunk with rows that match (of
 * lists and kept runs: from one run) to the next; where only some of a chunk's rows match, query_rows_next() cuts runs
 * out of it, a word of 64 rows at a time, and SHOAL_ROWS takes single rows.
 *
 * A query has room for one walk, and makes more where views of it nest; they are kept until the query ends, so that
 * opening one again needs no memory. Budget: about 40 instructions a chunk beside those of the filter; a chunk without
 * a filter, or with enable bits alone, costs nothing for each row. Thread rule: world.
 */
#include "query.h"

#include <string.h>

static uint64_t low_bits(size_t count) {
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

uint64_t query_match_word(const query_data *query, const query_match *match, const chunk_ref *ref, size_t word) {
    uint64_t candidates = low_bits(ref->count - word * 64);
    unsigned filter = query_match_filter(query, match);
    if (filter == QUERY_FILTER_NONE) {
        return candidates;
    }
    if (filter == QUERY_FILTER_ANY) {
        return query_filter_word(query, match->archetype, ref, word, candidates);
    }
    uint64_t bits = archetype_bits(match->archetype, ref->bits, query_match_toggle(query, match))[word];
    return candidates & (filter == QUERY_FILTER_ENABLED ? bits : ~bits);
}

/* The rows of the walk's chunk from `first` on; a view finds its columns as it does those of a whole chunk. */
static void rows_begin_at(query_rows *rows, size_t first, size_t count) {
    const query_match *match = (const query_match *)(const void *)rows->head.match;
    const uint32_t *sizes = rows->query->sizes;
    rows->head.count = count;
    rows->head.first = first;
    rows->head.entities = chunk_entities(&rows->ref) + first;
    for (size_t i = 0; rows->terms != NULL && i < rows->query->head.data_count; i++) {
        uint16_t column = match->columns[i];
        rows->terms->columns[i] = column != SHOAL_NO_COLUMN ? (uint16_t)i : SHOAL_NO_COLUMN;
        if (column != SHOAL_NO_COLUMN) {
            rows->offsets[i] = rows->ref.offsets[column] + (uint32_t)(first * sizes[i]);
        }
    }
}

/* The walk is at these rows of a chunk, all of which match. */
static void rows_put(query_rows *rows, const query_match *match, const chunk_ref *ref, size_t first, size_t count) {
    rows->ref = *ref;
    rows->word = rows->row_count = 0;
    rows->bits = 0;
    rows->head.base = chunk_base(ref);
    rows->head.match = (const char *)match;
    rows->head.words = NULL;
    rows->head.flip = 0;
    rows->head.is_filtered = false;
    rows_begin_at(rows, first, count);
}

/* ---- by archetypes ---- */

/* A whole chunk, with the words that say which rows match. */
static void rows_put_chunk(query_rows *rows, const query_match *match, const chunk_ref *ref) {
    const query_data *query = rows->query;
    unsigned filter = query_match_filter(query, match);
    rows_put(rows, match, ref, 0, ref->count);
    if (filter != QUERY_FILTER_NONE) {
        rows->head.is_filtered = true;
        rows->row_count = ref->count;
    }
    if (filter == QUERY_FILTER_ENABLED || filter == QUERY_FILTER_DISABLED) {
        rows->head.words = archetype_bits(match->archetype, ref->bits, query_match_toggle(query, match));
        rows->head.flip = filter == QUERY_FILTER_ENABLED ? 0 : ~UINT64_C(0);
    }
}

/* True when some row of a chunk passes the filter of its match. */
static bool chunk_has_any(const query_data *query, const query_match *match, const chunk_ref *ref) {
    for (size_t word = 0; word * 64 < ref->count; word++) {
        if (query_match_word(query, match, ref, word) != 0) {
            return true;
        }
    }
    return false;
}

static bool step_archetypes(query_rows *rows) {
    const query_data *query = rows->query;
    query_cursor *cursor = &rows->cursor;
    for (; cursor->match < query->match_count; cursor->match++, cursor->chunk = 0) {
        const query_match *match = query_match_at(query, cursor->match);
        while (cursor->chunk < match->archetype->chunk_count) {
            const chunk_ref *ref = &match->archetype->chunks[cursor->chunk++];
            if (chunk_has_any(query, match, ref)) {
                rows_put_chunk(rows, match, ref);
                return true;
            }
        }
    }
    return false;
}

/* ---- by a list ---- */

/* A run of the list; false when there is none of that number. */
static bool list_run(const query_data *query, size_t number, const shoal_entity **entities, size_t *count) {
    if (query->driver_list != NULL) {
        return relation_list_run(query->driver_list, number, entities, count);
    }
    if (query->driver == NULL || number > 0) {
        return false;
    }
    *entities = query->driver->entities;
    *count = query->driver->count;
    return true;
}

/* Where one entity of the list is, when it matches. */
static bool list_match(const query_data *query, shoal_entity entity, row_place *place, const query_match **match) {
    *place = row_of(query->world, index_find(&query->world->index, entity));
    if (*match == NULL || (*match)->archetype != place->archetype) {
        *match = NULL;
        for (size_t i = 0; i < query->match_count && *match == NULL; i++) {
            const query_match *listed = query_match_at(query, i);
            *match = listed->archetype == place->archetype ? listed : NULL;
        }
    }
    if (*match == NULL) {
        return false;
    }
    chunk_ref ref = {.bits = place->chunk, .count = place->row + 1};
    uint64_t candidate = UINT64_C(1) << (place->row % 64);
    unsigned filter = query_match_filter(query, *match);
    return filter == QUERY_FILTER_NONE ||
           query_filter_word(query, place->archetype, &ref, place->row / 64, candidate) != 0;
}

/* A run that begins with the row of one entity. */
static void rows_put_first(query_rows *rows, const query_match *match, row_place place) {
    chunk_ref ref = {.bits = place.chunk, .offsets = archetype_layout(place.archetype, place.chunk)};
    rows_put(rows, match, &ref, place.row, 1);
}

/* The entities of the list that match and lie in rows one after the other make one run. */
static bool step_list(query_rows *rows) {
    query_cursor *cursor = &rows->cursor;
    const shoal_entity *entities = NULL;
    size_t count = 0;
    const query_match *match = NULL;
    row_place begin = {0};
    size_t taken = 0;
    for (; list_run(rows->query, cursor->match, &entities, &count); cursor->match++, cursor->row = 0) {
        for (; cursor->row < count; cursor->row++) {
            row_place place;
            const query_match *last = match;
            bool matches = list_match(rows->query, entities[cursor->row], &place, &match);
            bool extends = taken != 0 && matches && place.chunk == begin.chunk && place.row == begin.row + taken;
            if (taken != 0 && !extends) {
                rows->head.count = taken;
                return true;
            }
            if (matches && taken == 0) {
                begin = place;
                rows_put_first(rows, match, place);
            } else if (!matches) {
                match = last != NULL ? last : match;
            }
            taken += matches;
        }
    }
    rows->head.count = taken;
    return taken != 0;
}

/* The set of entities that a required term alone allows, and how many there are. */
static size_t driver_size(const query_data *query, const query_term *term, const sparse_set **set,
                          const relation_list **list) {
    bool is_relation = term->type->def.storage == SHOAL_STORAGE_RELATION;
    const relation_store *store = is_relation ? store_relation(query->world, term->component.id) : NULL;
    *list = store != NULL && !shoal_entity_is_null(term->target) ? relation_sources(store, term->target) : NULL;
    *set = !is_relation                                          ? store_sparse(query->world, term->component.id)
           : store != NULL && shoal_entity_is_null(term->target) ? &store->forward
                                                                 : NULL;
    return *list != NULL ? (*list)->count : *set != NULL ? (*set)->count : 0;
}

void query_choose_driver(query_data *query) {
    size_t smallest = SIZE_MAX;
    for (size_t i = 0; i < query->term_count; i++) {
        const query_term *term = &query->terms[i];
        bool may_drive = access_is_required(term->access) && !term->type->in_set &&
                         term->type->def.storage != SHOAL_STORAGE_UNIQUE && term->traverse == SHOAL_TRAVERSE_SELF;
        const sparse_set *set = NULL;
        const relation_list *list = NULL;
        size_t size = may_drive ? driver_size(query, term, &set, &list) : SIZE_MAX;
        if (may_drive && size < smallest) {
            smallest = size;
            query->driver = set;
            query->driver_list = list;
        }
    }
}

/* ---- kept runs ---- */

static bool step_kept(query_rows *rows) {
    const query_data *query = rows->query;
    if (rows->cursor.match >= query->order.run_count) {
        return false;
    }
    const query_run *run = (const query_run *)query->order.runs.items + rows->cursor.match;
    const query_match *match = query_match_at(query, run->match);
    rows_put(rows, match, &match->archetype->chunks[run->chunk], run->first, run->count);
    rows->head.run = rows->cursor.match++;
    return true;
}

/* ---- all ways ---- */

static bool rows_step(query_rows *rows) {
    if (rows->query->is_shut) {
        return false;
    }
    return rows->goes_by_kept ? step_kept(rows) : rows->query->goes_by_list ? step_list(rows) : step_archetypes(rows);
}

query_rows query_rows_natural(query_data *query) {
    return (query_rows){.query = query};
}

/* The bits of a word of the chunk that the walk is in. */
static uint64_t rows_word(const query_rows *rows, size_t word) {
    const query_match *match = (const query_match *)(const void *)rows->head.match;
    if (rows->head.words == NULL) {
        return query_match_word(rows->query, match, &rows->ref, word) & low_bits(rows->row_count - word * 64);
    }
    return (rows->head.words[word] ^ rows->head.flip) & low_bits(rows->row_count - word * 64);
}

uint64_t shoal_view_rows_word(const shoal_view_rows *rows, size_t word) {
    const query_rows *walk = (const query_rows *)rows;
    return rows_word(walk, word + walk->first_word);
}

/* The next run out of a chunk of which some rows match; false at the chunk's end. */
static bool rows_take_run(query_rows *rows) {
    size_t word_count = (rows->row_count + 63) / 64;
    uint64_t bits = rows->bits;
    size_t word = rows->word; /* the one behind that of `bits` */
    while (bits == 0) {
        if (word == word_count) {
            return false;
        }
        bits = rows_word(rows, word++);
    }
    size_t first = (word - 1) * 64 + SHOAL_LOWEST_BIT(bits);
    bits += bits & (0 - bits); /* carries through the run: it is gone, and the bit behind it is set */
    while (bits == 0 && word < word_count) {
        bits = rows_word(rows, word++) + 1; /* the run goes on through a full word */
    }
    size_t end = bits == 0 ? rows->row_count : (word - 1) * 64 + SHOAL_LOWEST_BIT(bits);
    end = end < rows->row_count ? end : rows->row_count;
    rows->bits = bits & (bits - 1); /* without the carry, which stands where no row matched */
    rows->word = word;
    rows_begin_at(rows, first, end - first);
    return true;
}

void query_rows_place(query_rows *rows, const query_match *match, const chunk_ref *ref, size_t first, size_t end) {
    rows->is_placed = true;
    rows_put(rows, match, ref, first, end - first);
    if (query_match_filter(rows->query, match) != QUERY_FILTER_NONE) {
        rows->row_count = end;
        rows->word = first / 64 + 1;
        rows->bits = rows_word(rows, first / 64) & ~low_bits(first % 64);
    }
}

bool query_rows_run(query_rows *rows) {
    return rows_take_run(rows);
}

void query_rows_place_masked(query_rows *rows, const query_match *match, const chunk_ref *ref, size_t first,
                             size_t end) {
    unsigned filter = query_match_filter(rows->query, match);
    rows->is_placed = true;
    rows_put(rows, match, ref, first, end - first);
    rows->row_count = end;
    rows->first_word = first / 64;
    rows->head.is_filtered = filter != QUERY_FILTER_NONE;
    if (filter == QUERY_FILTER_ENABLED || filter == QUERY_FILTER_DISABLED) {
        rows->head.words =
            archetype_bits(match->archetype, ref->bits, query_match_toggle(rows->query, match)) + first / 64;
        rows->head.flip = filter == QUERY_FILTER_ENABLED ? 0 : ~UINT64_C(0);
    }
}

bool query_rows_next(query_rows *rows) {
    for (;;) {
        if (rows->row_count != 0 && rows_take_run(rows)) {
            return true;
        }
        if (!rows_step(rows)) {
            return false;
        }
        if (!rows->head.is_filtered) {
            return true;
        }
        rows->head.is_filtered = false; /* of the runs that follow */
    }
}

bool shoal_view_rows_next(shoal_view_rows *rows) {
    query_rows *walk = (query_rows *)rows;
    return !walk->is_placed && query_rows_next(walk);
}

bool shoal_view_rows_next_chunk(shoal_view_rows *rows) {
    query_rows *walk = (query_rows *)rows;
    return !walk->is_placed && rows_step(walk);
}

/* ---- opening and closing ---- */

/* What views of a query go by, worked out for the first of them that is open: it stays as it is for the others. */
static shoal_status query_prepare(query_data *query) {
    query->is_shut = query->has_gate && !query_gate_is_open(query);
    if (query->goes_by_list) {
        query->driver = NULL;
        query->driver_list = NULL;
        query_choose_driver(query);
    }
    return query->keeps_runs && !query->is_shut ? query_order_refresh(query) : SHOAL_OK;
}

/* A walk of a view: the walk, its columns as a match, its offsets. */
static size_t rows_bytes(const query_data *query, size_t *terms_at, size_t *offsets_at) {
    size_t count = query->head.data_count;
    *terms_at = align_up(sizeof(query_rows), _Alignof(query_match));
    *offsets_at = align_up(*terms_at + sizeof(query_match) + count * sizeof(uint16_t), _Alignof(uint32_t));
    return *offsets_at + count * sizeof(uint32_t);
}

shoal_status query_rows_reserve(query_data *query) {
    size_t terms_at;
    size_t offsets_at;
    size_t bytes = rows_bytes(query, &terms_at, &offsets_at);
    if (query->spare_rows == NULL) {
        query_rows *made = memory_allocate_zero(&query->world->memory, SHOAL_PURPOSE_QUERY, bytes, 16);
        if (made == NULL) {
            return memory_failure(&query->world->memory);
        }
        made->terms = (query_match *)(void *)((char *)made + terms_at);
        made->offsets = (uint32_t *)(void *)((char *)made + offsets_at);
        made->next_made = query->made_rows;
        query->made_rows = query->spare_rows = made;
    }
    return SHOAL_OK;
}

/* Threads that run systems open walks of one query at once. */
static void query_lock(query_data *query) {
    if (world_is_shared(query->world)) {
        spinlock_lock(&query->guard);
    }
}

static void query_unlock(query_data *query) {
    if (world_is_shared(query->world)) {
        spinlock_unlock(&query->guard);
    }
}

/* A walk out of the spare ones, for the caller to fill. */
static shoal_status rows_take(query_data *data, query_rows **opened) {
    shoal_status status = query_rows_reserve(data);
    if (status == SHOAL_OK && data->open_rows == 0) {
        status = query_prepare(data);
    }
    if (status == SHOAL_OK) {
        *opened = data->spare_rows;
        data->spare_rows = (*opened)->next_spare;
        data->open_rows++;
    }
    return status;
}

shoal_status shoal_view_rows_open(shoal_query *query, shoal_view_rows **rows) {
    query_data *data = query_of(query);
    query_rows *opened = NULL;
    query_lock(data);
    shoal_status status = rows_take(data, &opened);
    query_unlock(data);
    if (status != SHOAL_OK) {
        return world_fail(data->world, status, "shoal_view_begin");
    }
    *opened = (query_rows){.query = data,
                           .goes_by_kept = data->keeps_runs,
                           .next_made = opened->next_made,
                           .terms = opened->terms,
                           .offsets = opened->offsets};
    opened->head.columns = (const char *)opened->terms;
    opened->head.offsets = opened->offsets;
    *rows = &opened->head;
    return SHOAL_OK;
}

void shoal_view_rows_close(shoal_view_rows *rows) {
    query_rows *closed = (query_rows *)rows;
    query_data *query = closed->query;
    if (closed->is_placed) {
        return;
    }
    query_lock(query);
    closed->next_spare = query->spare_rows;
    query->spare_rows = closed;
    query->open_rows--;
    query_unlock(query);
}

void query_rows_release(query_data *query) {
    size_t terms_at;
    size_t offsets_at;
    while (query->made_rows != NULL) {
        query_rows *next = query->made_rows->next_made;
        memory_release(&query->world->memory, SHOAL_PURPOSE_QUERY, query->made_rows,
                       rows_bytes(query, &terms_at, &offsets_at), 16);
        query->made_rows = next;
    }
    query->spare_rows = NULL;
}

shoal_status query_collect(query_data *query, shoal_entity **entities, size_t *count) {
    shoal_world *world = query->world;
    *count = (size_t)shoal_query_count(&query->head);
    *entities = NULL;
    if (*count == 0) {
        return SHOAL_OK;
    }
    shoal_view view; /* begun first: that may need memory, too */
    shoal_status status = shoal_view_begin(&view, &query->head);
    if (status != SHOAL_OK) {
        return status;
    }
    *entities = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, *count * sizeof(shoal_entity), 16);
    if (*entities == NULL) {
        shoal_view_end(&view);
        return memory_failure(&world->memory);
    }
    size_t done = 0;
    while (shoal_view_next(&view)) {
        memcpy(*entities + done, view.entities, view.count * sizeof(shoal_entity));
        done += view.count;
    }
    SHOAL_ASSERT(done == *count);
    return SHOAL_OK;
}
