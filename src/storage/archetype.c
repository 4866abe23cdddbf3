/*
 * Archetypes: sets, tables, chunk lists. See archetype.h for the invariants and the growth rule.
 *
 * Making one allocates everything first (tables, the block, the watchers' room) and then links it in, so that a
 * failure leaves nothing behind.
 */
#include "archetype.h"

#include <string.h>

#include "../base/hash.h"
#include "row.h"
#include "world.h"

#define BLOCK_ALIGNMENT 64
#define LAYOUT_STACK_COLUMNS 16
#define BY_SET_SMALLEST 16u

/* ---- sets ---- */

void archetype_sort_ids(uint32_t *ids, size_t count) {
    size_t gap = 1;
    while (gap < count / 3) {
        gap = gap * 3 + 1; /* Knuth's gaps for Shell's sort */
    }
    for (; gap > 0; gap /= 3) {
        for (size_t i = gap; i < count; i++) {
            uint32_t id = ids[i];
            size_t at = i;
            for (; at >= gap && archetype_id_before(id, ids[at - gap]); at -= gap) {
                ids[at] = ids[at - gap];
            }
            ids[at] = id;
        }
    }
}

static uint32_t set_hash(const uint32_t *ids, size_t count) {
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = hash_mix(hash, ids[i]);
    }
    return (uint32_t)hash;
}

static bool set_equal(const shoal_archetype *archetype, const uint32_t *ids, size_t count, uint32_t hash) {
    return archetype->hash == hash && archetype->component_count == count &&
           (count == 0 || memcmp(archetype->ids, ids, count * sizeof *ids) == 0);
}

shoal_archetype *archetype_lookup(const shoal_world *world, const uint32_t *ids, size_t count) {
    if (world->by_set == NULL) {
        return NULL;
    }
    uint32_t hash = set_hash(ids, count);
    for (uint32_t slot = hash & world->by_set_mask;; slot = (slot + 1) & world->by_set_mask) {
        shoal_archetype *found = world->by_set[slot];
        if (found == NULL || set_equal(found, ids, count, hash)) {
            return found;
        }
    }
}

static void by_set_insert(shoal_archetype **table, uint32_t mask, shoal_archetype *added) {
    uint32_t slot = added->hash & mask;
    while (table[slot] != NULL) {
        slot = (slot + 1) & mask;
    }
    table[slot] = added;
}

static size_t by_set_bytes(const shoal_world *world) {
    return world->by_set == NULL ? 0 : ((size_t)world->by_set_mask + 1) * sizeof(shoal_archetype *);
}

/* Keeps the table at most three quarters full with one more archetype. */
static shoal_status by_set_reserve(shoal_world *world) {
    uint32_t size = world->by_set == NULL ? 0 : world->by_set_mask + 1;
    if ((world->archetype_count + 1) * 4 <= size * 3) {
        return SHOAL_OK;
    }
    uint32_t grown = size == 0 ? BY_SET_SMALLEST : size * 2;
    shoal_archetype **table =
        memory_allocate_zero(&world->memory, SHOAL_PURPOSE_ARCHETYPE, grown * sizeof(shoal_archetype *), 16);
    if (table == NULL) {
        return world->memory.failure;
    }
    for (uint32_t i = 0; i < world->archetype_count; i++) {
        by_set_insert(table, grown - 1, world->by_age[i]);
    }
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, world->by_set, by_set_bytes(world), 16);
    world->by_set = table;
    world->by_set_mask = grown - 1;
    return SHOAL_OK;
}

/* Takes an archetype out and moves later members of its run up, so that no look-up meets a gap. */
static void by_set_remove(shoal_world *world, const shoal_archetype *removed) {
    uint32_t mask = world->by_set_mask;
    uint32_t hole = removed->hash & mask;
    while (world->by_set[hole] != removed) {
        hole = (hole + 1) & mask;
    }
    for (uint32_t slot = (hole + 1) & mask; world->by_set[slot] != NULL; slot = (slot + 1) & mask) {
        uint32_t home = world->by_set[slot]->hash & mask;
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            world->by_set[hole] = world->by_set[slot];
            hole = slot;
        }
    }
    world->by_set[hole] = NULL;
}

uint32_t archetype_find_slow(const shoal_archetype *archetype, uint32_t id) {
    uint32_t at = id & archetype->slot_mask;
    while (archetype->slots[at].id != id) {
        if (archetype->slots[at].id == 0) {
            return ARCHETYPE_NONE;
        }
        at = (at + 1) & archetype->slot_mask;
    }
    return archetype->slots[at].number;
}

/* ---- the tables by index and by age ---- */

static shoal_status tables_reserve(shoal_world *world) {
    if (world->archetype_count < world->archetype_capacity) {
        return SHOAL_OK;
    }
    if (world->archetype_count >= INDEX_ARCHETYPE_MAX) {
        return SHOAL_ARCHETYPE_LIMIT;
    }
    uint32_t old = world->archetype_capacity;
    uint32_t capacity = old == 0 ? 8 : old * 2;
    shoal_memory *memory = &world->memory;
    shoal_archetype **by_index =
        memory_allocate_zero(memory, SHOAL_PURPOSE_ARCHETYPE, capacity * sizeof(shoal_archetype *), 16);
    shoal_archetype **by_age =
        memory_allocate(memory, SHOAL_PURPOSE_ARCHETYPE, capacity * sizeof(shoal_archetype *), 16);
    if (by_index == NULL || by_age == NULL) {
        shoal_status failure = memory->failure;
        memory_release(memory, SHOAL_PURPOSE_ARCHETYPE, by_index, capacity * sizeof(shoal_archetype *), 16);
        memory_release(memory, SHOAL_PURPOSE_ARCHETYPE, by_age, capacity * sizeof(shoal_archetype *), 16);
        return failure;
    }
    if (old > 0) {
        memcpy(by_index, world->archetypes, old * sizeof(shoal_archetype *));
        memcpy(by_age, world->by_age, old * sizeof(shoal_archetype *));
    }
    memory_release(memory, SHOAL_PURPOSE_ARCHETYPE, world->archetypes, old * sizeof(shoal_archetype *), 16);
    memory_release(memory, SHOAL_PURPOSE_ARCHETYPE, world->by_age, old * sizeof(shoal_archetype *), 16);
    world->archetypes = by_index;
    world->by_age = by_age;
    world->archetype_capacity = capacity;
    return SHOAL_OK;
}

/* Links a finished archetype into every table; room has been reserved. */
static void tables_insert(shoal_world *world, shoal_archetype *added) {
    uint32_t index = world->archetype_free_hint;
    while (world->archetypes[index] != NULL) {
        index++;
    }
    world->archetype_free_hint = index + 1;
    added->index = index;
    world->archetypes[index] = added;
    world->by_age[world->archetype_count++] = added;
    by_set_insert(world->by_set, world->by_set_mask, added);
}

static void tables_remove(shoal_world *world, const shoal_archetype *removed) {
    by_set_remove(world, removed);
    world->archetypes[removed->index] = NULL;
    if (removed->index < world->archetype_free_hint) {
        world->archetype_free_hint = removed->index;
    }
    uint32_t age = 0;
    while (world->by_age[age] != removed) {
        age++;
    }
    world->archetype_count--;
    memmove(&world->by_age[age], &world->by_age[age + 1], (world->archetype_count - age) * sizeof(shoal_archetype *));
}

/* ---- making one ---- */

/* Allocates the struct with its arrays behind it in one block, and fills in what follows from the set. */
static shoal_archetype *block_make(shoal_world *world, const uint32_t *ids, size_t count) {
    size_t column_count = 0;
    while (column_count < count && component_type_at(ids[column_count])->def.size != 0) {
        column_count++;
    }
    size_t slot_count = (size_t)bit_ceil(count + count / 4 + 1); /* at most four fifths full */
    size_t bytes = sizeof(shoal_archetype) + column_count * sizeof(archetype_column) +
                   slot_count * sizeof(archetype_slot) + count * sizeof(uint32_t);
    shoal_archetype *made = memory_allocate_zero(&world->memory, SHOAL_PURPOSE_ARCHETYPE, bytes, BLOCK_ALIGNMENT);
    if (made == NULL) {
        return NULL;
    }
    archetype_column *columns = (archetype_column *)(void *)(made + 1);
    archetype_slot *slots = (archetype_slot *)(void *)(columns + column_count);
    uint32_t *own_ids = (uint32_t *)(void *)(slots + slot_count);
    for (size_t slot = 0; slot < slot_count; slot++) {
        slots[slot].number = ARCHETYPE_NONE; /* so that the null component is found nowhere */
    }
    for (size_t i = 0; i < count; i++) {
        own_ids[i] = ids[i];
        made->signature |= UINT64_C(1) << (ids[i] % 64);
        size_t slot = ids[i] & (slot_count - 1);
        while (slots[slot].id != 0) {
            slot = (slot + 1) & (slot_count - 1);
        }
        slots[slot] = (archetype_slot){.id = (uint16_t)ids[i], .number = (uint16_t)i};
    }
    for (size_t i = 0; i < column_count; i++) {
        const component_type *type = component_type_at(ids[i]);
        columns[i] = (archetype_column){.type = type, .byte_size = (uint32_t)type->def.size, .hooked = type->hooked};
        made->hooked = made->hooked || type->hooked;
        made->careful = made->careful || type->hooked || type->def.validate != NULL || type->def.default_value != NULL;
    }
    made->columns = columns;
    made->ids = own_ids;
    made->slots = slots;
    made->slot_mask = (uint32_t)slot_count - 1;
    made->component_count = (uint16_t)count;
    made->column_count = (uint16_t)column_count;
    made->chunks = &made->inline_chunk;
    made->chunk_capacity = 1;
    made->block_bytes = (uint32_t)bytes;
    return made;
}

static void block_release(shoal_world *world, shoal_archetype *archetype) {
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, archetype, archetype->block_bytes, BLOCK_ALIGNMENT);
}

static size_t layout_stride(const shoal_archetype *archetype) {
    return (size_t)archetype->column_count + 1;
}

static size_t offsets_bytes(const shoal_archetype *archetype, size_t layout_count) {
    return layout_count * layout_stride(archetype) * sizeof(uint32_t);
}

static void offsets_release(shoal_world *world, shoal_archetype *archetype, uint32_t *offsets, size_t layout_count) {
    if (offsets != archetype->inline_offsets) {
        memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, offsets, offsets_bytes(archetype, layout_count), 4);
    }
}

/* Writes the offsets of the columns in a chunk of that pool, and the capacity behind them. */
static shoal_status layout_write(shoal_world *world, const shoal_archetype *archetype, uint32_t pool,
                                 uint32_t *offsets) {
    size_t column_count = archetype->column_count;
    shoal_layout_column few[LAYOUT_STACK_COLUMNS];
    shoal_layout_column *columns = few;
    if (column_count > LAYOUT_STACK_COLUMNS) {
        columns = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, column_count * sizeof *columns, 16);
        if (columns == NULL) {
            return world->memory.failure;
        }
    }
    for (size_t i = 0; i < column_count; i++) {
        columns[i] = (shoal_layout_column){.size = archetype->columns[i].byte_size,
                                           .alignment = archetype->columns[i].type->def.alignment};
    }
    shoal_layout layout = {0};
    shoal_status status = shoal_layout_compute(pool_chunk_bytes(pool), columns, column_count, &layout);
    for (size_t i = 0; status == SHOAL_OK && i < column_count; i++) {
        offsets[i] = (uint32_t)columns[i].offset;
    }
    offsets[column_count] = (uint32_t)layout.capacity;
    if (columns != few) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, columns, column_count * sizeof *columns, 16);
    }
    return status;
}

/* Points each chunk reference to its layout, after the table has moved. */
static void refs_find_layouts(shoal_archetype *archetype) {
    for (uint32_t i = 0; i < archetype->chunk_count + archetype->spare_count; i++) {
        archetype->chunks[i].offsets = archetype_layout(archetype, archetype->chunks[i].bits);
    }
}

/* Makes the layouts up to that pool's. Sizes come one after the other, so the table has no gaps. */
static shoal_status layout_ensure(shoal_world *world, shoal_archetype *archetype, uint32_t pool) {
    uint32_t wanted = pool - archetype->first_pool + 1;
    if (wanted <= archetype->layout_count) {
        return SHOAL_OK;
    }
    uint32_t *offsets = archetype->inline_offsets;
    if (wanted * layout_stride(archetype) > ARCHETYPE_INLINE_OFFSETS) {
        offsets = memory_allocate(&world->memory, SHOAL_PURPOSE_ARCHETYPE, offsets_bytes(archetype, wanted), 4);
    }
    shoal_status status = offsets == NULL ? world->memory.failure : SHOAL_OK;
    for (uint32_t i = 0; i < wanted && status == SHOAL_OK; i++) {
        status = layout_write(world, archetype, archetype->first_pool + i, offsets + i * layout_stride(archetype));
    }
    if (status != SHOAL_OK) {
        offsets_release(world, archetype, offsets, wanted);
        return status;
    }
    if (archetype->offsets != offsets) {
        offsets_release(world, archetype, archetype->offsets, archetype->layout_count);
    }
    archetype->offsets = offsets;
    archetype->layout_count = (uint8_t)wanted;
    refs_find_layouts(archetype);
    return SHOAL_OK;
}

/* Chooses the chunk sizes: the world's, or larger ones if a row does not fit. Makes the first layout. */
static shoal_status sizes_choose(shoal_world *world, shoal_archetype *archetype) {
    uint64_t row_bytes = SHOAL_ENTITY_BYTES;
    for (size_t i = 0; i < archetype->column_count; i++) {
        row_bytes += archetype->columns[i].byte_size;
    }
    if (row_bytes > pool_chunk_bytes(POOL_COUNT - 1)) {
        return SHOAL_ROW_TOO_LARGE;
    }
    archetype->row_bytes = (uint32_t)row_bytes;
    uint32_t pool = pool_for_bytes(row_bytes);
    pool = pool < world->first_pool ? world->first_pool : pool;
    shoal_status status = SHOAL_ROW_TOO_LARGE;
    for (; pool < POOL_COUNT && status == SHOAL_ROW_TOO_LARGE; pool++) {
        archetype->first_pool = (uint8_t)pool;
        status = layout_ensure(world, archetype, pool);
    }
    archetype->largest_pool = archetype->first_pool > world->largest_pool ? archetype->first_pool : world->largest_pool;
    return status;
}

static shoal_status watchers_prepare(shoal_world *world, const shoal_archetype *archetype) {
    for (archetype_watcher *watcher = world->watchers; watcher != NULL; watcher = watcher->next) {
        shoal_status status = watcher->prepare(watcher, archetype);
        if (status != SHOAL_OK) {
            return status;
        }
    }
    return SHOAL_OK;
}

static shoal_archetype *archetype_make(shoal_world *world, const uint32_t *ids, size_t count, shoal_status *status) {
    *status = tables_reserve(world);
    *status = *status == SHOAL_OK ? by_set_reserve(world) : *status;
    if (*status != SHOAL_OK) {
        return NULL;
    }
    shoal_archetype *made = block_make(world, ids, count);
    if (made == NULL) {
        *status = world->memory.failure;
        return NULL;
    }
    made->hash = set_hash(ids, count);
    *status = sizes_choose(world, made);
    *status = *status == SHOAL_OK ? watchers_prepare(world, made) : *status;
    if (*status != SHOAL_OK) {
        archetype_free(world, made);
        return NULL;
    }
    tables_insert(world, made);
    for (archetype_watcher *watcher = world->watchers; watcher != NULL; watcher = watcher->next) {
        watcher->commit(watcher, made);
    }
    return made;
}

shoal_archetype *archetype_obtain(shoal_world *world, const uint32_t *ids, size_t count, shoal_status *status) {
    shoal_archetype *found = archetype_lookup(world, ids, count);
    *status = SHOAL_OK;
    return found != NULL ? found : archetype_make(world, ids, count, status);
}

/* ---- chunks ---- */

static uint32_t ref_pool(const shoal_archetype *archetype, const chunk_ref *ref) {
    return archetype->first_pool + (uint32_t)(ref->bits & INDEX_CHUNK_LOW_MASK);
}

static void ref_forget(shoal_archetype *archetype, const chunk_ref *ref) {
    archetype->chunk_bytes -= pool_chunk_bytes(ref_pool(archetype, ref));
    archetype->row_capacity -= ref->capacity;
}

/* Keeps a chunk whose rows have been merged into another. */
static void ref_leave(shoal_world *world, shoal_archetype *archetype, const chunk_ref *ref) {
    ref_forget(archetype, ref);
    shoal_chunk *left = (shoal_chunk *)(void *)chunk_base(ref);
    left->next_free = world->left_chunks;
    world->left_chunks = left;
}

void archetype_flush_left(shoal_world *world) {
    while (world->left_chunks != NULL) {
        shoal_chunk *left = world->left_chunks;
        world->left_chunks = left->next_free;
        pool_give(&world->pools, left);
    }
}

static void ref_release(shoal_world *world, shoal_archetype *archetype, const chunk_ref *ref) {
    ref_forget(archetype, ref);
    pool_give(&world->pools, (shoal_chunk *)(void *)chunk_base(ref));
}

void archetype_find_open(shoal_archetype *archetype) {
    chunk_ref *last = archetype->chunk_count > 0 ? &archetype->chunks[archetype->chunk_count - 1] : NULL;
    if (last != NULL && last->count < last->capacity) {
        archetype->open = last;
    } else {
        archetype->open = archetype->spare_count > 0 ? &archetype->chunks[archetype->chunk_count] : NULL;
    }
}

static shoal_status refs_reserve(shoal_world *world, shoal_archetype *archetype, uint32_t needed) {
    if (needed <= archetype->chunk_capacity) {
        return SHOAL_OK;
    }
    uint32_t capacity = archetype->chunk_capacity * 2;
    capacity = capacity < needed ? needed : capacity;
    chunk_ref *chunks = memory_allocate(&world->memory, SHOAL_PURPOSE_ARCHETYPE, capacity * sizeof(chunk_ref), 16);
    if (chunks == NULL) {
        return world->memory.failure;
    }
    memcpy(chunks, archetype->chunks, (archetype->chunk_count + archetype->spare_count) * sizeof(chunk_ref));
    if (archetype->chunks != &archetype->inline_chunk) {
        memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, archetype->chunks,
                       archetype->chunk_capacity * sizeof(chunk_ref), 16);
    }
    archetype->chunks = chunks;
    archetype->chunk_capacity = capacity;
    archetype_find_open(archetype);
    return SHOAL_OK;
}

/* Chunks with hooks are never merged: the value that a caller gives may lie in one, and a moved object is no more. */
static bool chunks_may_merge(const shoal_archetype *archetype) {
    return !archetype->hooked;
}

/* The size of the next chunk: at most a quarter of the bytes in use, or the largest that `missing` rows fill. A chunk
   that may be merged with the last one is no larger than it, so that sizes fall from the first chunk to the last. */
static uint32_t next_pool(const shoal_archetype *archetype, uint64_t missing) {
    uint64_t quarter = archetype->row_count * archetype->row_bytes / 4;
    uint64_t missing_bytes = missing * archetype->row_bytes;
    uint64_t wanted = missing_bytes > quarter ? missing_bytes : quarter;
    uint32_t pool = archetype->first_pool;
    while (pool < archetype->largest_pool && pool_chunk_bytes(pool + 1) <= wanted) {
        pool++;
    }
    uint32_t total = archetype->chunk_count + archetype->spare_count;
    if (missing_bytes <= quarter && total > 0 && chunks_may_merge(archetype)) {
        uint32_t last = ref_pool(archetype, &archetype->chunks[total - 1]);
        bool last_may_merge = pool_chunk_bytes(last + 1) <= ARCHETYPE_MERGE_BYTES;
        pool = last_may_merge && last < pool ? last : pool;
    }
    return pool;
}

/* Puts a new chunk behind the first `kept` and moves the rows of the ones after these into it. */
static void chunk_append(shoal_world *world, shoal_archetype *archetype, uint32_t kept, shoal_chunk *added) {
    uint32_t total = archetype->chunk_count + archetype->spare_count;
    uint32_t ordinal = added->pool - archetype->first_pool;
    const uint32_t *offsets = archetype_layout(archetype, ordinal);
    chunk_ref ref = {
        .bits = (uintptr_t)added | ordinal, .offsets = offsets, .capacity = offsets[archetype->column_count]};
    archetype->chunk_bytes += pool_chunk_bytes(added->pool);
    archetype->row_capacity += ref.capacity;
    for (uint32_t i = kept; i < total; i++) {
        const chunk_ref *from = &archetype->chunks[i];
        row_relocate(world, archetype, from, &ref);
        ref_leave(world, archetype, from);
    }
    archetype->chunks[kept] = ref;
    if (kept < archetype->chunk_count) {
        archetype->chunk_count = kept + (ref.count > 0);
    }
    archetype->spare_count = kept + 1 - archetype->chunk_count;
    archetype_find_open(archetype);
}

static shoal_status chunk_add(shoal_world *world, shoal_archetype *archetype, uint64_t missing) {
    uint32_t pool = next_pool(archetype, missing);
    uint32_t kept = archetype->chunk_count + archetype->spare_count;
    while (chunks_may_merge(archetype) && kept > 0 && ref_pool(archetype, &archetype->chunks[kept - 1]) == pool &&
           pool < archetype->largest_pool && pool_chunk_bytes(pool + 1) <= ARCHETYPE_MERGE_BYTES) {
        pool++;
        kept--;
    }
    shoal_status status = layout_ensure(world, archetype, pool);
    status = status == SHOAL_OK ? refs_reserve(world, archetype, kept + 1) : status;
    if (status != SHOAL_OK) {
        return status;
    }
    shoal_chunk *added = pool_take(&world->pools, pool, archetype);
    if (added == NULL) {
        return world->memory.failure;
    }
    chunk_append(world, archetype, kept, added);
    return SHOAL_OK;
}

shoal_status archetype_reserve(shoal_world *world, shoal_archetype *archetype, uint64_t rows) {
    archetype_flush_left(world);
    while (archetype->row_capacity - archetype->row_count < rows) {
        uint64_t room = archetype->row_capacity - archetype->row_count;
        shoal_status status = chunk_add(world, archetype, rows - room);
        if (status != SHOAL_OK) {
            archetype_settle(world, archetype);
            return status;
        }
    }
    return SHOAL_OK;
}

shoal_status archetype_promise(shoal_world *world, shoal_archetype *archetype, uint64_t rows) {
    uint64_t promised = archetype->reserved_rows + rows;
    shoal_status status = archetype_reserve(world, archetype, promised);
    archetype->reserved_rows = status == SHOAL_OK ? promised : 0;
    return status;
}

void archetype_settle(shoal_world *world, shoal_archetype *archetype) {
    archetype->reserved_rows = 0;
    for (; archetype->spare_count > 0; archetype->spare_count--) {
        ref_release(world, archetype, &archetype->chunks[archetype->chunk_count + archetype->spare_count - 1]);
    }
    archetype_find_open(archetype);
}

void archetype_chunk_emptied(shoal_world *world, shoal_archetype *archetype) {
    archetype->chunk_count--;
    if (archetype->reserved_rows > 0 || archetype->spare_count > 0) {
        archetype->spare_count++;
    } else {
        ref_release(world, archetype, &archetype->chunks[archetype->chunk_count]);
    }
    archetype_find_open(archetype);
}

/* ---- the end of one ---- */

void archetype_free(shoal_world *world, shoal_archetype *archetype) {
    uint32_t total = archetype->chunk_count + archetype->spare_count;
    for (uint32_t i = 0; i < total; i++) {
        ref_release(world, archetype, &archetype->chunks[i]);
    }
    offsets_release(world, archetype, archetype->offsets, archetype->layout_count);
    if (archetype->chunks != &archetype->inline_chunk) {
        memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, archetype->chunks,
                       archetype->chunk_capacity * sizeof(chunk_ref), 16);
    }
    block_release(world, archetype);
}

void archetype_remove(shoal_world *world, shoal_archetype *archetype) {
    SHOAL_ASSERT(archetype->row_count == 0 && archetype != world->root);
    for (archetype_watcher *watcher = world->watchers; watcher != NULL; watcher = watcher->next) {
        watcher->forget(watcher, archetype);
    }
    transition_drop_all(world);
    tables_remove(world, archetype);
    archetype_free(world, archetype);
}
