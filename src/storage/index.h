/*
 * The entity index: from a handle to a row, two loads, and which slots are free.
 *
 *     pages[index >> 11] -> 2,048 records of 16 bytes
 *
 *     record.chunk   address of the chunk, a multiple of 1,024; its low 4 bits are the layout ordinal;
 *                    0 when the slot names no entity
 *     record.place   archetype 63..36 | mark 35 | row 34..16 | generation 15..0
 *
 * Chunk and layout ordinal together give a column's address without a look at the chunk itself, so a random get
 * misses the cache twice: record, data.
 *
 * A page, once made, never moves. Pages that were never made, or that trim put away, all point to one page of zeros
 * that is never written, so that the hot path needs no test for them; what generations a page's slots had when it
 * was put away stays in its page_info.
 *
 * Free slots are bits in three levels: a bit a slot (32 words a page), a bit a word (a word a page), a bit a page.
 * A bit is set when spawn may hand the slot out: free, not reserved, not retired. Invariant "lowest": spawn always
 * takes the lowest such slot, so which handle comes next depends on which slots are free and on nothing else, and
 * live slots stay dense. Slots of pages that were never made are free as a matter of course.
 *
 * Thread rule: reading records is "read"; all else is "world".
 */
#ifndef SHOAL_STORAGE_INDEX_H
#define SHOAL_STORAGE_INDEX_H

#include <shoal/id.h>

#include "../base/assert.h"
#include "../base/compiler.h"
#include "../base/memory.h"

#define INDEX_PAGE_BITS 11
#define INDEX_PAGE_SLOTS 2048u
#define INDEX_PAGE_WORDS 32u
#define INDEX_GENERATION_MASK UINT64_C(0xFFFF)
#define INDEX_ROW_SHIFT 16
#define INDEX_ROW_MASK UINT64_C(0x7FFFF)
#define INDEX_MARK (UINT64_C(1) << 35) /* set only while command buffers are applied; index_place() clears it */
#define INDEX_ARCHETYPE_SHIFT 36
#define INDEX_ARCHETYPE_MAX ((UINT32_C(1) << 28) - 1)
#define INDEX_CHUNK_LOW_MASK ((uintptr_t)15)

typedef struct index_record {
    uintptr_t chunk;
    uint64_t place;
} index_record;

/* What a page needs beside its records. */
typedef struct index_page_info {
    uint64_t free_words[INDEX_PAGE_WORDS];
    uint64_t free_summary;                  /* bit w: free_words[w] is not 0 */
    uint64_t extra_words[INDEX_PAGE_WORDS]; /* a bit a slot: its entity may have something outside of its row */
    uint16_t *generations;                  /* of a page that was put away and whose slots differ; else NULL */
    uint16_t uniform_generation;            /* of a page that was put away and whose slots are all alike */
} index_page_info;

typedef struct index_range {
    uint32_t first;
    uint64_t end;
} index_range;

typedef struct entity_index {
    index_record **pages; /* page_count entries; index_empty_page where there is none */
    uint32_t page_count;
    uint32_t high;       /* bits 48-63 of this world's handles, shifted down to 16-31 */
    uint64_t *next_word; /* the lowest free word, or NULL when it must be searched */
    uint32_t next_base;  /* the slot of that word's bit 0 */
    uint32_t page_capacity;
    index_page_info **infos; /* NULL where a page was never made */
    uint64_t *page_free;     /* bit a page: it has a free slot (set for pages never made, too) */
    uint64_t slot_limit;     /* slots that may ever be used */
    uint64_t live_count;
    uint64_t retired_count;
    index_range *ranges; /* reserved, sorted, disjoint */
    size_t range_count;
    size_t range_capacity;
    shoal_memory *memory;
    uint32_t last_retired; /* slot */
} entity_index;

extern index_record index_empty_page[INDEX_PAGE_SLOTS];

void index_init(entity_index *index, shoal_memory *memory, uint32_t world_tag, uint64_t slot_limit);
void index_deinit(entity_index *index);

/* ---- reading ---- */

/* The record of a live entity of this world, or NULL: one bounds test, one compare, one test for null. */
static ALWAYS_INLINE index_record *index_find(const entity_index *index, shoal_entity entity) {
    uint32_t slot = (uint32_t)entity.bits;
    uint32_t page = slot >> INDEX_PAGE_BITS;
    if (UNLIKELY(page >= index->page_count)) {
        return NULL;
    }
    index_record *record = &index->pages[page][slot & (INDEX_PAGE_SLOTS - 1)];
    uint64_t wanted = index->high | (record->place & INDEX_GENERATION_MASK);
    if (UNLIKELY((entity.bits >> 32) != wanted) || UNLIKELY(record->chunk == 0)) {
        return NULL;
    }
    return record;
}

/* The extra bit of a live entity's slot: whether it may have loose components or be a target. See store.h. */
static ALWAYS_INLINE bool index_extra(const entity_index *index, uint32_t slot) {
    const uint64_t *words = index->infos[slot >> INDEX_PAGE_BITS]->extra_words;
    return (words[(slot & (INDEX_PAGE_SLOTS - 1)) / 64] >> (slot % 64)) & 1;
}

static ALWAYS_INLINE void index_set_extra(const entity_index *index, uint32_t slot) {
    index->infos[slot >> INDEX_PAGE_BITS]->extra_words[(slot & (INDEX_PAGE_SLOTS - 1)) / 64] |= UINT64_C(1)
                                                                                                << (slot % 64);
}

static ALWAYS_INLINE void index_clear_extra(const entity_index *index, uint32_t slot) {
    index->infos[slot >> INDEX_PAGE_BITS]->extra_words[(slot & (INDEX_PAGE_SLOTS - 1)) / 64] &=
        ~(UINT64_C(1) << (slot % 64));
}

/* The record of a slot that is known to have a page. */
static ALWAYS_INLINE index_record *index_at(const entity_index *index, uint32_t slot) {
    return &index->pages[slot >> INDEX_PAGE_BITS][slot & (INDEX_PAGE_SLOTS - 1)];
}

static ALWAYS_INLINE uint32_t index_row(uint64_t place) {
    return (uint32_t)((place >> INDEX_ROW_SHIFT) & INDEX_ROW_MASK);
}

static ALWAYS_INLINE uint32_t index_archetype(uint64_t place) {
    return (uint32_t)(place >> INDEX_ARCHETYPE_SHIFT);
}

static ALWAYS_INLINE uintptr_t index_chunk_address(uintptr_t chunk) {
    return chunk & ~INDEX_CHUNK_LOW_MASK;
}

/* True for a slot whose generations are used up. */
static inline bool index_record_is_retired(const index_record *record) {
    return record->chunk == 0 && index_row(record->place) == 1;
}

/* Why index_find() gave NULL. */
shoal_status index_why(const entity_index *index, shoal_entity entity);

static inline shoal_entity index_handle(const entity_index *index, uint32_t slot, uint32_t generation) {
    return (shoal_entity){((uint64_t)(index->high | generation) << 32) | slot};
}

/* The next live entity after slot `from - 1`; false at the end. */
bool index_next_live(const entity_index *index, uint64_t from, shoal_entity *entity);

/* ---- writing ---- */

/* Where an entity is: sets its record's chunk, archetype and row. The generation comes from the handle, so that the
   record need not be read: its line may be far away, and a store does not wait for it. */
static ALWAYS_INLINE void index_place(index_record *record, shoal_entity entity, uintptr_t chunk, uint32_t archetype,
                                      uint32_t row) {
    record->chunk = chunk;
    record->place = ((uint64_t)archetype << INDEX_ARCHETYPE_SHIFT) | ((uint64_t)row << INDEX_ROW_SHIFT) |
                    ((entity.bits >> 32) & INDEX_GENERATION_MASK);
}

/* Makes the pages of the `count` lowest free slots, so that as many takes cannot fail.
   ENTITY_LIMIT, OUT_OF_MEMORY, MEMORY_LIMIT; no slot changes. */
shoal_status index_prepare(entity_index *index, uint64_t count);

/* Finds the lowest free slot's word when next_word is NULL or used up; true when there is one with a page. */
bool index_seek(entity_index *index);

/* Called when a take has emptied next_word. */
void index_word_emptied(entity_index *index);

/* True when a take cannot fail; otherwise index_prepare(index, 1) must come first. */
static ALWAYS_INLINE bool index_ready(const entity_index *index) {
    return index->next_word != NULL;
}

/* Takes the lowest free slot; index_prepare() has seen to it that there is one. The caller places the record. */
static ALWAYS_INLINE shoal_entity index_take(entity_index *index, index_record **record) {
    if (UNLIKELY(index->next_word == NULL)) {
        bool found = index_seek(index);
        SHOAL_ASSERT(found);
        (void)found;
    }
    uint64_t word = *index->next_word;
    uint32_t slot = index->next_base + bit_lowest(word);
    word &= word - 1;
    *index->next_word = word;
    if (UNLIKELY(word == 0)) {
        index_word_emptied(index);
    }
    index->live_count++;
    *record = index_at(index, slot);
    return index_handle(index, slot, (uint32_t)((*record)->place & INDEX_GENERATION_MASK));
}

/* The handle that index_take() gives next, when index_prepare() has been called. */
static inline shoal_entity index_peek(entity_index *index) {
    if (index->next_word == NULL) {
        (void)index_seek(index);
    }
    uint32_t slot = index->next_base + bit_lowest(*index->next_word);
    return index_handle(index, slot, (uint32_t)(index_at(index, slot)->place & INDEX_GENERATION_MASK));
}

/* The handles that the next `count` takes give, in order; index_prepare() has seen to it that there are as many. */
void index_peek_many(const entity_index *index, size_t count, shoal_entity *entities);

/* Fetches the word that giving this slot back will change; any slot is fine. */
static ALWAYS_INLINE void index_fetch_word(const entity_index *index, uint32_t slot) {
    uint32_t page = slot >> INDEX_PAGE_BITS;
    if (LIKELY(page < index->page_count) && LIKELY(index->infos[page] != NULL)) {
        PREFETCH_WRITE(&index->infos[page]->free_words[(slot & (INDEX_PAGE_SLOTS - 1)) / 64]);
    }
}

/* The rest of giving a slot back, off the common path: a reserved or used-up slot, or a word that had no free slot. */
void index_give_slow(entity_index *index, uint32_t slot);

/* Gives a slot back: the next generation, free unless reserved or used up. */
static ALWAYS_INLINE void index_give(entity_index *index, uint32_t slot) {
    uint32_t page = slot >> INDEX_PAGE_BITS;
    index_record *record = &index->pages[page][slot & (INDEX_PAGE_SLOTS - 1)];
    uint64_t *word = &index->infos[page]->free_words[(slot & (INDEX_PAGE_SLOTS - 1)) / 64];
    uint64_t generation = record->place & INDEX_GENERATION_MASK;
    record->chunk = 0;
    index->live_count--;
    if (UNLIKELY(generation == INDEX_GENERATION_MASK) || UNLIKELY(*word == 0) || UNLIKELY(index->range_count != 0) ||
        UNLIKELY(slot < index->next_base)) {
        index_give_slow(index, slot);
        return;
    }
    record->place = generation + 1;
    *word |= UINT64_C(1) << (slot % 64);
}

/* Gives the slots of many entities back; neighbours in one word of free bits cost one change of it. */
void index_give_many(entity_index *index, const shoal_entity *entities, size_t count);

/* Free slots, those of pages that were never made as well. Costs time in proportion to the slots that may be used. */
uint64_t index_free_count(const entity_index *index);

/* Whether giving this slot back makes it free: not when it is reserved or used up. */
bool index_will_be_free(const entity_index *index, uint32_t slot);

/* Takes a chosen slot at a chosen generation: page made first, then checked, then taken.
   SLOT_TAKEN, GENERATION_USED, ENTITY_LIMIT, OUT_OF_MEMORY, MEMORY_LIMIT. The caller places the record. */
shoal_status index_prepare_chosen(entity_index *index, shoal_entity chosen);
index_record *index_take_chosen(entity_index *index, shoal_entity chosen);

/* Reserves [first, first + count): SLOT_TAKEN, ENTITY_LIMIT, OUT_OF_MEMORY, MEMORY_LIMIT. */
shoal_status index_reserve_range(entity_index *index, uint32_t first, uint64_t count);

/* Puts away pages without a live entity; `keep_going` is asked after each. */
void index_trim(entity_index *index, bool (*keep_going)(void *user), void *user);

/* Every invariant of the free bits and counts; false with a reason. Costs time in proportion to the slots. */
bool index_validate(const entity_index *index, char *reason, size_t reason_size);

/* For tests: sets the generation that a free slot hands out next. The slot's page must exist. */
void index_set_generation(struct shoal_world *world, uint32_t slot, uint32_t generation);

#endif
