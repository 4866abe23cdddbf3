/*
 * Slots: pages, free bits, retirement, reserved ranges. See index.h for the layout and the invariants.
 *
 * Writing order everywhere: make pages (may fail), then change bits and records (cannot).
 */
#include "index.h"

#include <stdio.h>
#include <string.h>

index_record index_empty_page[INDEX_PAGE_SLOTS]; /* zero, never written */

#define PAGE_BYTES (sizeof(index_record) * INDEX_PAGE_SLOTS)
#define PAGE_ALIGNMENT 64
#define GENERATIONS_BYTES (sizeof(uint16_t) * INDEX_PAGE_SLOTS)

void index_init(entity_index *index, shoal_memory *memory, uint32_t world_tag, uint64_t slot_limit) {
    *index = (entity_index){
        .memory = memory,
        .high = (UINT32_C(0x8000) | world_tag) << 16,
        .slot_limit = slot_limit,
    };
}

static uint32_t directory_words(uint32_t page_capacity) {
    return (page_capacity + 63) / 64;
}

static void page_release(entity_index *index, uint32_t page) {
    if (index->pages[page] != index_empty_page) {
        memory_release(index->memory, SHOAL_PURPOSE_INDEX, index->pages[page], PAGE_BYTES, PAGE_ALIGNMENT);
        index->pages[page] = index_empty_page;
    }
}

static void generations_release(entity_index *index, index_page_info *info) {
    if (info->generations != NULL) {
        memory_release(index->memory, SHOAL_PURPOSE_INDEX, info->generations, GENERATIONS_BYTES, PAGE_ALIGNMENT);
        info->generations = NULL;
    }
}

static void directory_release(entity_index *index) {
    size_t capacity = index->page_capacity;
    if (capacity == 0) {
        return;
    }
    memory_release(index->memory, SHOAL_PURPOSE_INDEX, index->pages, capacity * sizeof(index_record *), 16);
    memory_release(index->memory, SHOAL_PURPOSE_INDEX, index->infos, capacity * sizeof(index_page_info *), 16);
    memory_release(index->memory, SHOAL_PURPOSE_INDEX, index->page_free,
                   directory_words((uint32_t)capacity) * sizeof(uint64_t), 16);
}

void index_deinit(entity_index *index) {
    for (uint32_t page = 0; page < index->page_count; page++) {
        page_release(index, page);
        if (index->infos[page] != NULL) {
            generations_release(index, index->infos[page]);
            memory_release(index->memory, SHOAL_PURPOSE_INDEX, index->infos[page], sizeof(index_page_info), 16);
        }
    }
    directory_release(index);
    memory_release(index->memory, SHOAL_PURPOSE_INDEX, index->ranges, index->range_capacity * sizeof(index_range), 16);
}

/* ---- the directory ---- */

static bool range_contains(const entity_index *index, uint32_t slot) {
    for (size_t i = 0; i < index->range_count; i++) {
        if (slot >= index->ranges[i].first && slot < index->ranges[i].end) {
            return true;
        }
    }
    return false;
}

/* True when all slots of a page are reserved: spawn need not make it to find that out. */
static bool page_is_reserved(const entity_index *index, uint32_t page) {
    uint64_t base = (uint64_t)page << INDEX_PAGE_BITS;
    for (size_t i = 0; i < index->range_count; i++) {
        if (index->ranges[i].first <= base && index->ranges[i].end >= base + INDEX_PAGE_SLOTS) {
            return true;
        }
    }
    return false;
}

/* Room for `page_count` directory entries; all new ones are pages never made, with free slots. */
static shoal_status directory_grow(entity_index *index, uint32_t page_count) {
    if (page_count > index->page_capacity) {
        uint32_t capacity = index->page_capacity < 8 ? 8 : index->page_capacity * 2;
        capacity = capacity < page_count ? page_count : capacity;
        size_t words = directory_words(capacity);
        shoal_memory *memory = index->memory;
        index_record **pages = memory_allocate(memory, SHOAL_PURPOSE_INDEX, capacity * sizeof *pages, 16);
        index_page_info **infos = memory_allocate(memory, SHOAL_PURPOSE_INDEX, capacity * sizeof *infos, 16);
        uint64_t *page_free = memory_allocate(memory, SHOAL_PURPOSE_INDEX, words * sizeof *page_free, 16);
        if (pages == NULL || infos == NULL || page_free == NULL) {
            shoal_status failure = memory_failure(memory);
            memory_release(memory, SHOAL_PURPOSE_INDEX, pages, capacity * sizeof *pages, 16);
            memory_release(memory, SHOAL_PURPOSE_INDEX, infos, capacity * sizeof *infos, 16);
            memory_release(memory, SHOAL_PURPOSE_INDEX, page_free, words * sizeof *page_free, 16);
            return failure;
        }
        memset(page_free, 0, words * sizeof *page_free);
        if (index->page_count > 0) {
            memcpy(pages, index->pages, index->page_count * sizeof *pages);
            memcpy(infos, index->infos, index->page_count * sizeof *infos);
            memcpy(page_free, index->page_free, directory_words(index->page_count) * sizeof *page_free);
        }
        directory_release(index);
        index->pages = pages;
        index->infos = infos;
        index->page_free = page_free;
        index->page_capacity = capacity;
    }
    for (uint32_t page = index->page_count; page < page_count; page++) {
        index->pages[page] = index_empty_page;
        index->infos[page] = NULL;
        index->page_free[page / 64] |= (uint64_t)!page_is_reserved(index, page) << (page % 64);
    }
    if (page_count > index->page_count) {
        index->page_count = page_count;
    }
    return SHOAL_OK;
}

static void page_bit_update(entity_index *index, uint32_t page) {
    uint64_t bit = UINT64_C(1) << (page % 64);
    if (index->infos[page]->free_summary != 0) {
        index->page_free[page / 64] |= bit;
    } else {
        index->page_free[page / 64] &= ~bit;
    }
}

/* Sets or clears the free bits of [first, end), slots of pages that have an info. */
static void bits_change(entity_index *index, uint64_t first, uint64_t end, bool free) {
    for (uint64_t slot = first; slot < end; slot++) {
        index_page_info *info = index->infos[slot >> INDEX_PAGE_BITS];
        uint32_t word = (uint32_t)(slot & (INDEX_PAGE_SLOTS - 1)) / 64;
        uint64_t bit = UINT64_C(1) << (slot % 64);
        info->free_words[word] = free ? info->free_words[word] | bit : info->free_words[word] & ~bit;
        uint64_t summary_bit = UINT64_C(1) << word;
        info->free_summary =
            info->free_words[word] != 0 ? info->free_summary | summary_bit : info->free_summary & ~summary_bit;
    }
}

/* The free bits of a page that has just been made: all but the reserved slots and those beyond the limit. */
static void page_bits_init(entity_index *index, uint32_t page) {
    index_page_info *info = index->infos[page];
    uint64_t base = (uint64_t)page << INDEX_PAGE_BITS;
    uint64_t end = base + INDEX_PAGE_SLOTS;
    memset(info->free_words, 0xFF, sizeof info->free_words);
    info->free_summary = (UINT64_C(1) << INDEX_PAGE_WORDS) - 1;
    if (end > index->slot_limit) {
        bits_change(index, index->slot_limit > base ? index->slot_limit : base, end, false);
    }
    for (size_t i = 0; i < index->range_count; i++) {
        uint64_t first = index->ranges[i].first > base ? index->ranges[i].first : base;
        uint64_t last = index->ranges[i].end < end ? index->ranges[i].end : end;
        if (first < last) {
            bits_change(index, first, last, false);
        }
    }
    page_bit_update(index, page);
}

/* Writes the generations that a page's slots had when it was put away into its new records. */
static void page_restore(entity_index *index, uint32_t page) {
    index_page_info *info = index->infos[page];
    for (uint32_t i = 0; i < INDEX_PAGE_SLOTS; i++) {
        index->pages[page][i].place = info->generations != NULL ? info->generations[i] : info->uniform_generation;
    }
    generations_release(index, info);
}

/* Makes the records of a page, and its info if it never had one. */
static shoal_status page_make(entity_index *index, uint32_t page) {
    if (index->pages[page] != index_empty_page) {
        return SHOAL_OK;
    }
    shoal_memory *memory = index->memory;
    index_record *records = memory_allocate_zero(memory, SHOAL_PURPOSE_INDEX, PAGE_BYTES, PAGE_ALIGNMENT);
    if (records == NULL) {
        return memory_failure(memory);
    }
    if (index->infos[page] != NULL) {
        index->pages[page] = records;
        page_restore(index, page);
        return SHOAL_OK;
    }
    index_page_info *info = memory_allocate_zero(memory, SHOAL_PURPOSE_INDEX, sizeof *info, 16);
    if (info == NULL) {
        shoal_status failure = memory_failure(memory);
        memory_release(memory, SHOAL_PURPOSE_INDEX, records, PAGE_BYTES, PAGE_ALIGNMENT);
        return failure;
    }
    index->pages[page] = records;
    index->infos[page] = info;
    page_bits_init(index, page);
    return SHOAL_OK;
}

/* ---- free slots ---- */

/* The lowest page from `from` on that has a free slot; page_count when none has. */
static uint32_t page_with_room(const entity_index *index, uint32_t from) {
    for (uint32_t word = from / 64; word < directory_words(index->page_count); word++) {
        uint64_t bits = index->page_free[word];
        if (word == from / 64) {
            bits &= ~UINT64_C(0) << (from % 64);
        }
        if (bits != 0) {
            return word * 64 + bit_lowest(bits);
        }
    }
    return index->page_count;
}

COLD bool index_seek(entity_index *index) {
    uint32_t page = page_with_room(index, 0);
    if (page >= index->page_count || index->pages[page] == index_empty_page) {
        return false;
    }
    index_page_info *info = index->infos[page];
    uint32_t word = bit_lowest(info->free_summary);
    index->next_word = &info->free_words[word];
    index->next_base = (page << INDEX_PAGE_BITS) + word * 64;
    return true;
}

void index_word_emptied(entity_index *index) {
    uint32_t page = index->next_base >> INDEX_PAGE_BITS;
    index_page_info *info = index->infos[page];
    info->free_summary &= ~(UINT64_C(1) << ((index->next_base & (INDEX_PAGE_SLOTS - 1)) / 64));
    index->next_word = NULL;
    if (info->free_summary != 0) {
        uint32_t word = bit_lowest(info->free_summary);
        index->next_word = &info->free_words[word];
        index->next_base = (page << INDEX_PAGE_BITS) + word * 64;
    } else {
        page_bit_update(index, page);
    }
}

static uint32_t page_limit(const entity_index *index) {
    return (uint32_t)((index->slot_limit + INDEX_PAGE_SLOTS - 1) >> INDEX_PAGE_BITS);
}

static uint64_t page_free_count(const index_page_info *info) {
    uint64_t count = 0;
    for (uint32_t word = 0; word < INDEX_PAGE_WORDS; word++) {
        count += bit_count(info->free_words[word]);
    }
    return count;
}

shoal_status index_prepare(entity_index *index, uint64_t count) {
    if (count > index->slot_limit - index->live_count) {
        return SHOAL_ENTITY_LIMIT;
    }
    if (LIKELY(count <= 1) && LIKELY(index->next_word != NULL)) {
        return SHOAL_OK;
    }
    uint64_t found = 0;
    shoal_status status = SHOAL_OK;
    for (uint32_t page = page_with_room(index, 0); found < count && status == SHOAL_OK;
         page = page_with_room(index, page + 1)) {
        if (page >= page_limit(index)) {
            status = SHOAL_ENTITY_LIMIT;
            break;
        }
        status = page >= index->page_count ? directory_grow(index, page + 1) : SHOAL_OK;
        if (status == SHOAL_OK && page_is_reserved(index, page)) {
            continue; /* its bit in the directory says so from now on */
        }
        status = status == SHOAL_OK ? page_make(index, page) : status;
        found += status == SHOAL_OK ? page_free_count(index->infos[page]) : 0;
    }
    if (index->next_word == NULL && count > 0) {
        (void)index_seek(index);
    }
    return status;
}

/* Sets a slot's free bit and keeps next_word the lowest. */
static void slot_set_free(entity_index *index, uint32_t slot) {
    uint32_t page = slot >> INDEX_PAGE_BITS;
    index_page_info *info = index->infos[page];
    uint32_t word = (slot & (INDEX_PAGE_SLOTS - 1)) / 64;
    bool was_full = info->free_summary == 0;
    info->free_words[word] |= UINT64_C(1) << (slot % 64);
    info->free_summary |= UINT64_C(1) << word;
    if (was_full) {
        page_bit_update(index, page);
    }
    if (index->next_word != NULL && slot < index->next_base) {
        index->next_word = &info->free_words[word];
        index->next_base = slot & ~UINT32_C(63);
    }
}

/* Sets free bits of one word; `bits` is not 0. */
static void word_set_free(entity_index *index, uint32_t word_base, uint64_t bits) {
    slot_set_free(index, word_base + bit_lowest(bits)); /* the summaries, and next_word */
    index->infos[word_base >> INDEX_PAGE_BITS]->free_words[(word_base & (INDEX_PAGE_SLOTS - 1)) / 64] |= bits;
}

/* Gives back the leading entities that share the word of the first; returns how many. */
static size_t word_give(entity_index *index, const shoal_entity *entities, size_t count) {
    uint32_t word_base = shoal_entity_index(entities[0]) & ~UINT32_C(63);
    index_record *records = index_at(index, word_base);
    uint64_t bits = 0;
    size_t given = 0;
    for (; given < count; given++) {
        uint64_t handle = entities[given].bits;
        uint32_t offset = (uint32_t)handle - word_base;
        uint64_t generation = (handle >> 32) & INDEX_GENERATION_MASK;
        if (UNLIKELY(offset >= 64) || UNLIKELY(generation == INDEX_GENERATION_MASK)) {
            break;
        }
        records[offset] = (index_record){.place = generation + 1};
        bits |= UINT64_C(1) << offset;
    }
    index->live_count -= given;
    if (bits != 0) {
        word_set_free(index, word_base, bits);
    }
    return given;
}

void index_give_many(entity_index *index, const shoal_entity *entities, size_t count) {
    for (size_t i = 0; i < count;) {
        size_t given = index->range_count == 0 ? word_give(index, entities + i, count - i) : 0;
        i += given;
        if (given == 0) { /* reserved ranges, or a slot that is used up */
            index_give(index, shoal_entity_index(entities[i++]));
        }
    }
}

COLD void index_give_slow(entity_index *index, uint32_t slot) {
    index_record *record = index_at(index, slot);
    uint64_t generation = record->place & INDEX_GENERATION_MASK;
    if (generation == INDEX_GENERATION_MASK) {
        record->place = INDEX_GENERATION_MASK | (UINT64_C(1) << INDEX_ROW_SHIFT); /* row 1 marks a retired slot */
        index->retired_count++;
        index->last_retired = slot;
        return;
    }
    record->place = generation + 1;
    if (!range_contains(index, slot)) {
        slot_set_free(index, slot);
    }
}

/* Slots of a page that was never made which will be free once it is. */
static uint64_t unmade_free_count(const entity_index *index, uint32_t page) {
    uint64_t base = (uint64_t)page << INDEX_PAGE_BITS;
    uint64_t end = base + INDEX_PAGE_SLOTS < index->slot_limit ? base + INDEX_PAGE_SLOTS : index->slot_limit;
    uint64_t count = end - base;
    for (size_t i = 0; i < index->range_count; i++) {
        uint64_t first = index->ranges[i].first > base ? index->ranges[i].first : base;
        uint64_t last = index->ranges[i].end < end ? index->ranges[i].end : end;
        count -= first < last ? last - first : 0;
    }
    return count;
}

uint64_t index_free_count(const entity_index *index) {
    uint64_t count = 0;
    for (uint32_t page = 0; page < page_limit(index); page++) {
        bool made = page < index->page_count && index->infos[page] != NULL;
        count += made ? page_free_count(index->infos[page]) : unmade_free_count(index, page);
    }
    return count;
}

bool index_will_be_free(const entity_index *index, uint32_t slot) {
    bool used_up = (index_at(index, slot)->place & INDEX_GENERATION_MASK) == INDEX_GENERATION_MASK;
    return !used_up && !range_contains(index, slot);
}

/* ---- chosen slots and ranges ---- */

shoal_status index_prepare_chosen(entity_index *index, shoal_entity chosen) {
    uint32_t slot = shoal_entity_index(chosen);
    if (slot >= index->slot_limit) {
        return SHOAL_ENTITY_LIMIT;
    }
    uint32_t page = slot >> INDEX_PAGE_BITS;
    shoal_status status = directory_grow(index, page + 1);
    status = status == SHOAL_OK ? page_make(index, page) : status;
    if (status != SHOAL_OK) {
        return status;
    }
    const index_record *record = index_at(index, slot);
    if (record->chunk != 0) {
        return SHOAL_SLOT_TAKEN;
    }
    if (index_record_is_retired(record) || (record->place & INDEX_GENERATION_MASK) > shoal_entity_generation(chosen)) {
        return SHOAL_GENERATION_USED;
    }
    return SHOAL_OK;
}

index_record *index_take_chosen(entity_index *index, shoal_entity chosen) {
    uint32_t slot = shoal_entity_index(chosen);
    bits_change(index, slot, (uint64_t)slot + 1, false);
    page_bit_update(index, slot >> INDEX_PAGE_BITS);
    index->next_word = NULL;
    (void)index_seek(index);
    index->live_count++;
    index_record *record = index_at(index, slot);
    record->place = shoal_entity_generation(chosen);
    return record;
}

/* Merges [first, end) into the sorted list of disjoint ranges; there is room for one more. */
static void range_insert(entity_index *index, uint64_t first, uint64_t end) {
    size_t kept = 0;
    for (size_t i = 0; i < index->range_count; i++) {
        index_range range = index->ranges[i];
        if (range.end < first || range.first > end) {
            index->ranges[kept++] = range;
        } else {
            first = range.first < first ? range.first : first;
            end = range.end > end ? range.end : end;
        }
    }
    size_t at = kept;
    while (at > 0 && index->ranges[at - 1].first > first) {
        index->ranges[at] = index->ranges[at - 1];
        at--;
    }
    index->ranges[at] = (index_range){.first = (uint32_t)first, .end = end};
    index->range_count = kept + 1;
}

shoal_status index_reserve_range(entity_index *index, uint32_t first, uint64_t count) {
    if (first >= index->slot_limit || count > index->slot_limit - first) {
        return SHOAL_ENTITY_LIMIT;
    }
    uint64_t end = first + count;
    shoal_entity live;
    if (count == 0) {
        return SHOAL_OK;
    }
    if (index_next_live(index, first, &live) && shoal_entity_index(live) < end) {
        return SHOAL_SLOT_TAKEN;
    }
    memory_array array = {.items = index->ranges, .capacity = index->range_capacity};
    shoal_status status =
        memory_array_reserve(index->memory, SHOAL_PURPOSE_INDEX, &array, index->range_count + 1, sizeof(index_range));
    index->ranges = array.items;
    index->range_capacity = array.capacity;
    if (status != SHOAL_OK) {
        return status;
    }
    range_insert(index, first, end);
    for (uint32_t page = first >> INDEX_PAGE_BITS; page < index->page_count; page++) {
        uint64_t base = (uint64_t)page << INDEX_PAGE_BITS;
        if (base >= end) {
            break;
        }
        if (index->infos[page] == NULL) {
            index->page_free[page / 64] &= ~((uint64_t)page_is_reserved(index, page) << (page % 64));
            continue;
        }
        bits_change(index, first > base ? first : base, end < base + INDEX_PAGE_SLOTS ? end : base + INDEX_PAGE_SLOTS,
                    false);
        page_bit_update(index, page);
    }
    index->next_word = NULL;
    (void)index_seek(index);
    return SHOAL_OK;
}

void index_peek_many(const entity_index *index, size_t count, shoal_entity *entities) {
    size_t done = 0;
    for (uint32_t page = 0; page < index->page_count && done < count; page++) {
        const index_page_info *info = index->infos[page];
        for (uint64_t words = info != NULL ? info->free_summary : 0; words != 0 && done < count; words &= words - 1) {
            uint32_t w = bit_lowest(words);
            for (uint64_t bits = info->free_words[w]; bits != 0 && done < count; bits &= bits - 1) {
                uint32_t slot = (page << INDEX_PAGE_BITS) + w * 64 + bit_lowest(bits);
                entities[done++] =
                    index_handle(index, slot, (uint32_t)(index_at(index, slot)->place & INDEX_GENERATION_MASK));
            }
        }
    }
    SHOAL_ASSERT(done == count);
}

/* ---- walking, trimming, checking ---- */

COLD shoal_status index_why(const entity_index *index, shoal_entity entity) {
    if (shoal_entity_is_null(entity)) {
        return SHOAL_ENTITY_NULL;
    }
    if (shoal_entity_is_placeholder(entity)) {
        return SHOAL_ENTITY_PLACEHOLDER;
    }
    if ((uint32_t)(entity.bits >> 48) != index->high >> 16) {
        return SHOAL_ENTITY_FOREIGN;
    }
    return SHOAL_ENTITY_DEAD;
}

bool index_next_live(const entity_index *index, uint64_t from, shoal_entity *entity) {
    uint64_t slot = from;
    while ((slot >> INDEX_PAGE_BITS) < index->page_count) {
        const index_record *records = index->pages[slot >> INDEX_PAGE_BITS];
        if (records == index_empty_page) {
            slot = ((slot >> INDEX_PAGE_BITS) + 1) << INDEX_PAGE_BITS;
            continue;
        }
        const index_record *record = &records[slot & (INDEX_PAGE_SLOTS - 1)];
        if (record->chunk != 0) {
            *entity = index_handle(index, (uint32_t)slot, (uint32_t)(record->place & INDEX_GENERATION_MASK));
            return true;
        }
        slot++;
    }
    return false;
}

/* Puts one page away if no slot of it is live or retired; its generations are kept in the smallest form. */
static void page_trim(entity_index *index, uint32_t page) {
    const index_record *records = index->pages[page];
    bool uniform = true;
    for (uint32_t i = 0; i < INDEX_PAGE_SLOTS; i++) {
        if (records[i].chunk != 0 || index_record_is_retired(&records[i])) {
            return;
        }
        uniform = uniform && records[i].place == records[0].place;
    }
    index_page_info *info = index->infos[page];
    if (!uniform) {
        info->generations = memory_allocate(index->memory, SHOAL_PURPOSE_INDEX, GENERATIONS_BYTES, PAGE_ALIGNMENT);
        if (info->generations == NULL) {
            return;
        }
        for (uint32_t i = 0; i < INDEX_PAGE_SLOTS; i++) {
            info->generations[i] = (uint16_t)records[i].place;
        }
    }
    info->uniform_generation = (uint16_t)records[0].place;
    page_release(index, page);
}

void index_trim(entity_index *index, bool (*keep_going)(void *user), void *user) {
    for (uint32_t page = 0; page < index->page_count && keep_going(user); page++) {
        if (index->pages[page] != index_empty_page) {
            page_trim(index, page);
        }
    }
    index->next_word = NULL;
    (void)index_seek(index);
}

/* A slot's free bit says exactly: not live, not retired, not reserved, below the limit. */
static bool slot_bit_is_right(const entity_index *index, uint32_t slot) {
    const index_record *record = index_at(index, slot);
    const index_page_info *info = index->infos[slot >> INDEX_PAGE_BITS];
    bool is_free = (info->free_words[(slot & (INDEX_PAGE_SLOTS - 1)) / 64] >> (slot % 64)) & 1u;
    bool should = record->chunk == 0 && !index_record_is_retired(record) && slot < index->slot_limit &&
                  !range_contains(index, slot);
    return is_free == should;
}

static bool page_validate(const entity_index *index, uint32_t page, uint64_t *live, uint64_t *retired) {
    for (uint32_t i = 0; i < INDEX_PAGE_SLOTS; i++) {
        const index_record *record = &index->pages[page][i];
        *live += record->chunk != 0;
        *retired += index->pages[page] != index_empty_page && index_record_is_retired(record);
        if (!slot_bit_is_right(index, (page << INDEX_PAGE_BITS) + i)) {
            return false;
        }
    }
    const index_page_info *info = index->infos[page];
    uint64_t summary = 0;
    for (uint32_t word = 0; word < INDEX_PAGE_WORDS; word++) {
        summary |= (uint64_t)(info->free_words[word] != 0) << word;
    }
    bool page_free = (index->page_free[page / 64] >> (page % 64)) & 1u;
    return summary == info->free_summary && page_free == (summary != 0);
}

bool index_validate(const entity_index *index, char *reason, size_t reason_size) {
    uint64_t live = 0;
    uint64_t retired = 0;
    for (uint32_t page = 0; page < index->page_count; page++) {
        if (index->infos[page] != NULL && !page_validate(index, page, &live, &retired)) {
            (void)snprintf(reason, reason_size, "free bits of index page %u are wrong", page);
            return false;
        }
    }
    if (live != index->live_count || retired != index->retired_count) {
        (void)snprintf(reason, reason_size, "index counts %llu live, %llu retired; records say %llu, %llu",
                       (unsigned long long)index->live_count, (unsigned long long)index->retired_count,
                       (unsigned long long)live, (unsigned long long)retired);
        return false;
    }
    uint32_t first = page_with_room(index, 0);
    if (index->next_word != NULL) {
        const index_page_info *info = first < index->page_count ? index->infos[first] : NULL;
        if (info == NULL || index->next_word != &info->free_words[bit_lowest(info->free_summary)]) {
            (void)snprintf(reason, reason_size, "the next free slot is not the lowest one");
            return false;
        }
    }
    for (uint32_t i = 0; i < INDEX_PAGE_SLOTS; i++) {
        if (index_empty_page[i].chunk != 0 || index_empty_page[i].place != 0) {
            (void)snprintf(reason, reason_size, "the empty index page was written");
            return false;
        }
    }
    return true;
}
