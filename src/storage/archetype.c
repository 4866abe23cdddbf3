/*
 * Archetypes: sets, chunk lists. See archetype.h for the invariants and the growth rule.
 *
 * Making one allocates everything first (tables, the block, the watchers' room) and then links it in, so that a
 * failure leaves nothing behind.
 */
#include "archetype.h"

#include <string.h>

#include "archetype_table.h"
#include "row.h"
#include "store.h"
#include "world.h"

#define BLOCK_ALIGNMENT 64
#define LAYOUT_STACK_COLUMNS 16

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

uint32_t archetype_toggle(const shoal_archetype *archetype, uint32_t id) {
    uint32_t number = archetype->more->toggle_count != 0 ? archetype_find(archetype, id) : ARCHETYPE_NONE;
    for (uint32_t i = 0; number != ARCHETYPE_NONE && i < archetype->more->toggle_count; i++) {
        if (archetype->more->toggles[i] == number) {
            return i;
        }
    }
    return ARCHETYPE_NONE;
}

uint32_t archetype_chunk_number(const shoal_archetype *archetype, uint32_t id) {
    for (uint32_t i = 0; i < archetype->more->chunk_type_count; i++) {
        if (archetype->more->chunk_types[i]->id == id) {
            return i;
        }
    }
    return ARCHETYPE_NONE;
}

uint32_t archetype_shared_number(const shoal_archetype *archetype, uint32_t id) {
    for (uint32_t i = 0; i < archetype->more->shared_count; i++) {
        if (archetype->more->shared[i].component == id) {
            return i;
        }
    }
    return ARCHETYPE_NONE;
}

/* ---- making one ---- */

/* How many components of a set are of each sort. */
typedef struct set_counts {
    size_t columns, shared, toggles, chunk_types, cleanup;
} set_counts;

static set_counts set_count(archetype_set set) {
    set_counts counts = {0};
    for (size_t i = 0; i < set.count; i++) {
        const component_type *type = component_type_at(set.ids[i]);
        counts.columns += type->has_column;
        counts.toggles += type->def.toggle;
        counts.cleanup += type->def.cleanup;
        counts.shared += type->keyed;
        counts.chunk_types += type->def.storage == SHOAL_STORAGE_CHUNK;
    }
    return counts;
}

/* The open hash table of component numbers. */
static void slots_fill(archetype_slot *slots, size_t slot_count, archetype_set set) {
    for (size_t slot = 0; slot < slot_count; slot++) {
        slots[slot].number = ARCHETYPE_NONE; /* so that the null component is found nowhere */
    }
    for (size_t i = 0; i < set.count; i++) {
        size_t slot = set.ids[i] & (slot_count - 1);
        while (slots[slot].id != 0) {
            slot = (slot + 1) & (slot_count - 1);
        }
        slots[slot] = (archetype_slot){.id = (uint16_t)set.ids[i], .number = (uint16_t)i};
    }
}

/* What one component adds to the flags. */
static void flags_add(shoal_archetype *made, const shoal_world *world, const component_type *type) {
    const shoal_component_def *def = &type->def;
    made->signature |= UINT64_C(1) << (type->id % 64);
    made->hooked = made->hooked || (type->has_column && type->hooked);
    made->has_cleanup = made->has_cleanup || def->cleanup;
    if (!type->in_archetype) {
        return; /* hooks and values of a split relation are its links' */
    }
    made->notifies = made->notifies || type->notifies;
    made->careful = made->careful || type->hooked || type->notifies || def->validate != NULL ||
                    def->default_value != NULL || def->toggle || def->storage == SHOAL_STORAGE_SHARED ||
                    def->storage == SHOAL_STORAGE_CHUNK;
    made->hidden |= type->id == world->prefab_id ? ARCHETYPE_PREFAB : type->id == world->dying_id ? ARCHETYPE_DYING : 0;
}

/* The archetypes without shared values, bits and chunk values have this; it is never written. */
static archetype_more nothing_more;

/* The arrays behind an archetype_more, which lies behind the columns. */
static archetype_more *more_place(archetype_more *more, set_counts counts, void **end) {
    archetype_shared *shared = (archetype_shared *)(void *)(more + 1);
    const component_type **chunk_types = (const component_type **)(void *)(shared + counts.shared);
    uint16_t *toggles = (uint16_t *)(void *)(chunk_types + counts.chunk_types);
    *more = (archetype_more){.shared = shared, .chunk_types = chunk_types, .toggles = toggles};
    *end = toggles + (counts.toggles + 3) / 4 * 4;
    return more;
}

static size_t more_bytes(set_counts counts) {
    bool any = counts.shared + counts.toggles + counts.chunk_types + counts.cleanup != 0;
    return !any ? 0
                : sizeof(archetype_more) + counts.shared * sizeof(archetype_shared) +
                      counts.chunk_types * sizeof(void *) + (counts.toggles + 3) / 4 * 4 * sizeof(uint16_t);
}

/* Takes a component's place in the archetype_more. Its arrays are behind it in the block, so they may be written. */
static void more_add(shoal_archetype *made, const shoal_world *world, const component_type *type, size_t number,
                     const uint64_t *keys) {
    archetype_more *more = made->more;
    if (type->def.toggle) {
        made->first_toggle = more->toggle_count == 0 ? (uint16_t)type->id : made->first_toggle;
        ((uint16_t *)(uintptr_t)more->toggles)[more->toggle_count++] = (uint16_t)number;
    }
    if (type->def.storage == SHOAL_STORAGE_CHUNK) {
        ((const component_type **)(uintptr_t)more->chunk_types)[more->chunk_type_count++] = type;
    }
    if (type->keyed) {
        uint64_t key = keys[more->shared_count];
        const void *value = type->in_archetype ? shared_value(store_shared(world, type->id), (uint32_t)key) : NULL;
        ((archetype_shared *)(uintptr_t)more->shared)[more->shared_count++] =
            (archetype_shared){.key = key, .component = type->id, .value = value};
    }
}

/* Fills the arrays that lie behind the struct: columns, archetype_more with its own, slots, ids. */
static void arrays_fill(shoal_archetype *made, const shoal_world *world, archetype_set set, set_counts counts,
                        size_t slot_count) {
    void *end = made->columns + counts.columns;
    made->more = more_bytes(counts) != 0 ? more_place(end, counts, &end) : &nothing_more;
    archetype_slot *slots = end;
    uint32_t *ids = (uint32_t *)(void *)(slots + slot_count);
    slots_fill(slots, slot_count, set);
    for (size_t i = 0; i < set.count; i++) {
        const component_type *type = component_type_at(set.ids[i]);
        ids[i] = set.ids[i];
        flags_add(made, world, type);
        more_add(made, world, type, i, set.keys);
        if (type->has_column) {
            made->columns[made->column_count++] =
                (archetype_column){.type = type, .byte_size = type->value_size, .hooked = type->hooked};
            made->value_count = (uint16_t)(made->value_count + (type->def.storage != SHOAL_STORAGE_BUFFER));
        }
    }
    made->slots = slots;
    made->ids = ids;
}

/* Slots for that many components: at most four fifths of them are used. */
static size_t slot_count_for(size_t component_count) {
    return (size_t)bit_ceil(component_count + component_count / 4 + 1);
}

/* Bytes of the block that starts with the struct. */
static size_t block_bytes(archetype_set set, set_counts counts) {
    return sizeof(shoal_archetype) + counts.columns * sizeof(archetype_column) + more_bytes(counts) +
           slot_count_for(set.count) * sizeof(archetype_slot) + set.count * sizeof(uint32_t);
}

/* Allocates the struct with its arrays behind it in one block, and fills in what follows from the set. */
static shoal_archetype *block_make(shoal_world *world, archetype_set set) {
    set_counts counts = set_count(set);
    size_t slot_count = slot_count_for(set.count);
    size_t bytes = block_bytes(set, counts);
    shoal_archetype *made = memory_allocate_zero(&world->memory, SHOAL_PURPOSE_ARCHETYPE, bytes, BLOCK_ALIGNMENT);
    if (made == NULL) {
        return NULL;
    }
    arrays_fill(made, world, set, counts, slot_count);
    made->ends_simply = !made->has_cleanup && !made->notifies && !(made->hidden & ARCHETYPE_DYING);
    made->careful = made->careful || (made->hidden & ARCHETYPE_DYING);
    made->slot_mask = (uint32_t)slot_count - 1;
    made->component_count = (uint16_t)set.count;
    made->layout_stride = (uint32_t)(counts.columns + 1 + counts.toggles + counts.chunk_types);
    made->chunks = &made->inline_chunk;
    made->chunk_capacity = 1;
    return made;
}

static void block_release(shoal_world *world, shoal_archetype *archetype) {
    archetype_set set = {.ids = archetype->ids, .count = archetype->component_count};
    size_t bytes = block_bytes(set, set_count(set));
    memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, archetype, bytes, BLOCK_ALIGNMENT);
}

static size_t offsets_bytes(const shoal_archetype *archetype, size_t layout_count) {
    return layout_count * (size_t)archetype->layout_stride * sizeof(uint32_t);
}

static void offsets_release(shoal_world *world, shoal_archetype *archetype, uint32_t *offsets, size_t layout_count) {
    if (offsets != archetype->inline_offsets) {
        memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, offsets, offsets_bytes(archetype, layout_count), 4);
    }
}

/* What the layout function is asked: columns, bits, chunk values. */
static void layout_columns(const shoal_archetype *archetype, shoal_layout_column *columns) {
    for (size_t i = 0; i < archetype->column_count; i++) {
        *columns++ = (shoal_layout_column){.size = archetype->columns[i].byte_size,
                                           .alignment = archetype->columns[i].type->value_alignment};
    }
    for (size_t i = 0; i < archetype->more->toggle_count; i++) {
        *columns++ = (shoal_layout_column){.kind = SHOAL_LAYOUT_BITS};
    }
    for (size_t i = 0; i < archetype->more->chunk_type_count; i++) {
        const shoal_component_def *def = &archetype->more->chunk_types[i]->def;
        *columns++ = (shoal_layout_column){.size = def->size, .alignment = def->alignment, .kind = SHOAL_LAYOUT_SINGLE};
    }
}

/* Writes the offsets in a chunk of that pool, with the capacity behind those of the columns. */
static shoal_status layout_write(shoal_world *world, const shoal_archetype *archetype, uint32_t pool,
                                 uint32_t *offsets) {
    size_t total = (size_t)archetype->layout_stride - 1;
    shoal_layout_column few[LAYOUT_STACK_COLUMNS];
    shoal_layout_column *columns = few;
    if (total > LAYOUT_STACK_COLUMNS) {
        columns = memory_allocate(&world->memory, SHOAL_PURPOSE_SCRATCH, total * sizeof *columns, 16);
        if (columns == NULL) {
            return memory_failure(&world->memory);
        }
    }
    layout_columns(archetype, columns);
    shoal_layout layout = {0};
    shoal_status status = shoal_layout_compute(pool_chunk_bytes(pool), columns, total, &layout);
    for (size_t i = 0; status == SHOAL_OK && i < total; i++) {
        offsets[i < archetype->column_count ? i : i + 1] = (uint32_t)columns[i].offset;
    }
    offsets[archetype->column_count] = (uint32_t)layout.capacity;
    if (columns != few) {
        memory_release(&world->memory, SHOAL_PURPOSE_SCRATCH, columns, total * sizeof *columns, 16);
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
    if (wanted * (size_t)archetype->layout_stride > ARCHETYPE_INLINE_OFFSETS) {
        offsets = memory_allocate(&world->memory, SHOAL_PURPOSE_ARCHETYPE, offsets_bytes(archetype, wanted), 4);
    }
    shoal_status status = offsets == NULL ? memory_failure(&world->memory) : SHOAL_OK;
    for (uint32_t i = 0; i < wanted && status == SHOAL_OK; i++) {
        status =
            layout_write(world, archetype, archetype->first_pool + i, offsets + i * (size_t)archetype->layout_stride);
    }
    if (status != SHOAL_OK) {
        offsets_release(world, archetype, offsets, wanted);
        return status;
    }
    if (archetype->offsets != offsets) {
        offsets_release(world, archetype, archetype->offsets, archetype->layout_count);
    }
    archetype->offsets = offsets;
    archetype->layout_count = wanted & 0x3F; /* at most 16, as an ordinal has four bits */
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

/* Counts an archetype as a user of its shared values, or no more. */
static void shared_use(shoal_world *world, const shoal_archetype *archetype, bool uses) {
    for (uint32_t i = 0; i < archetype->more->shared_count; i++) {
        if (archetype->more->shared[i].value == NULL) {
            continue; /* a target */
        }
        shared_table *table = store_shared(world, archetype->more->shared[i].component);
        uint32_t number = (uint32_t)archetype->more->shared[i].key;
        if (uses) {
            shared_add_users(table, number, 1);
        } else {
            shared_drop_users(table, number, 1);
            shared_forget_unused(table, number);
        }
    }
}

static shoal_archetype *archetype_make(shoal_world *world, archetype_set set, shoal_status *status) {
    *status = archetype_tables_reserve(world);
    if (*status != SHOAL_OK) {
        return NULL;
    }
    shoal_archetype *made = block_make(world, set);
    if (made == NULL) {
        *status = memory_failure(&world->memory);
        return NULL;
    }
    shared_use(world, made, true);
    made->hash = archetype_set_hash(set);
    *status = sizes_choose(world, made);
    world->archetype_changes++; /* before queries move their matches, also if that fails */
    *status = *status == SHOAL_OK ? watchers_prepare(world, made) : *status;
    if (*status != SHOAL_OK) {
        archetype_free(world, made);
        return NULL;
    }
    archetype_tables_insert(world, made);
    for (archetype_watcher *watcher = world->watchers; watcher != NULL; watcher = watcher->next) {
        watcher->commit(watcher, made);
    }
    archetype_note_idle(world, made);
    return made;
}

shoal_archetype *archetype_obtain(shoal_world *world, archetype_set set, shoal_status *status) {
    shoal_archetype *found = archetype_lookup(world, set);
    *status = SHOAL_OK;
    return found != NULL ? found : archetype_make(world, set, status);
}

/* ---- chunks ---- */

static uint32_t ref_pool(const shoal_archetype *archetype, const chunk_ref *ref) {
    return archetype->first_pool + (uint32_t)(ref->bits & INDEX_CHUNK_LOW_MASK);
}

size_t archetype_chunk_bytes(const shoal_archetype *archetype) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < archetype->chunk_count + archetype->spare_count; i++) {
        bytes += pool_chunk_bytes(ref_pool(archetype, &archetype->chunks[i]));
    }
    return bytes;
}

static void ref_forget(shoal_archetype *archetype, const chunk_ref *ref) {
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
    for (uint32_t i = 0; i < archetype->more->chunk_type_count; i++) {
        component_end(&world->memory, archetype->more->chunk_types[i], archetype_chunk_value(archetype, ref->bits, i),
                      1);
    }
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
        return memory_failure(&world->memory);
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

/* Chunks with hooks are never merged: the value that a caller gives may lie in one, and a moved object is no more. Nor
   are those with chunk values, which live as long as their chunk. */
static bool chunks_may_merge(const shoal_archetype *archetype) {
    return !archetype->hooked && archetype->more->chunk_type_count == 0;
}

/* No bit is set, and chunk values are their defaults; false when a hook has failed, and nothing is made then. */
static bool chunk_values_make(shoal_world *world, const shoal_archetype *archetype, uintptr_t bits, size_t capacity) {
    for (uint32_t i = 0; i < archetype->more->toggle_count; i++) {
        memset(archetype_bits(archetype, bits, i), 0, (capacity + 63) / 64 * sizeof(uint64_t));
    }
    for (uint32_t i = 0; i < archetype->more->chunk_type_count; i++) {
        const component_type *type = archetype->more->chunk_types[i];
        if (!component_make_default(&world->memory, type, archetype_chunk_value(archetype, bits, i), 1)) {
            while (i-- > 0) {
                component_end(&world->memory, archetype->more->chunk_types[i],
                              archetype_chunk_value(archetype, bits, i), 1);
            }
            return false;
        }
    }
    return true;
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
        return memory_failure(&world->memory);
    }
    uint32_t ordinal = pool - archetype->first_pool;
    size_t capacity = archetype_layout(archetype, ordinal)[archetype->column_count];
    if (!chunk_values_make(world, archetype, (uintptr_t)added | ordinal, capacity)) {
        pool_give(&world->pools, added);
        return SHOAL_HOOK_FAILED;
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
    archetype_note_idle(world, archetype);
    if (archetype->reserved_rows > 0 || archetype->spare_count > 0) {
        archetype->spare_count++;
    } else {
        ref_release(world, archetype, &archetype->chunks[archetype->chunk_count]);
    }
    archetype_find_open(archetype);
}

/* ---- the end of one ---- */

void archetype_note_idle(shoal_world *world, shoal_archetype *archetype) {
    if (archetype->more->shared_count != 0 && archetype->row_count == 0 && !archetype->is_idle) {
        archetype->is_idle = true;
        archetype->more->next_idle = world->idle_archetypes;
        world->idle_archetypes = archetype;
    }
}

static void archetype_end(shoal_world *world, shoal_archetype *archetype) {
    world->gone_versions += archetype->version + 1;
    archetype_tables_remove(world, archetype);
    archetype_free(world, archetype);
}

/* One alone is found by its address, so that the others need not be looked at. */
static void end_only(shoal_world *world, shoal_archetype *only) {
    uint32_t age = 0;
    while (world->by_age[age] != only) {
        age++;
    }
    world->archetype_count--;
    memmove(&world->by_age[age], &world->by_age[age + 1], (world->archetype_count - age) * sizeof(shoal_archetype *));
    archetype_end(world, only);
}

void archetype_end_marked(shoal_world *world, shoal_archetype *only) {
    world->archetype_changes++;
    for (archetype_watcher *watcher = world->watchers; watcher != NULL; watcher = watcher->next) {
        watcher->forget(watcher, only);
    }
    if (only != NULL) {
        end_only(world, only);
        return;
    }
    uint32_t kept = 0;
    uint32_t count = world->archetype_count;
    for (uint32_t age = 0; age < count; age++) {
        shoal_archetype *archetype = world->by_age[age];
        if (archetype->is_ending) {
            archetype_end(world, archetype);
        } else {
            world->by_age[kept++] = archetype;
        }
    }
    world->archetype_count = kept;
}

void archetype_sweep_idle(shoal_world *world) {
    shoal_archetype *last = NULL;
    size_t count = 0;
    while (world->idle_archetypes != NULL) {
        shoal_archetype *idle = world->idle_archetypes;
        world->idle_archetypes = idle->more->next_idle;
        idle->is_idle = false;
        idle->is_ending = idle->row_count == 0;
        if (idle->is_ending) {
            transition_drop_of(world, idle);
            last = idle;
            count++;
        }
    }
    if (count != 0) {
        archetype_end_marked(world, count == 1 ? last : NULL);
    }
}

void archetype_free(shoal_world *world, shoal_archetype *archetype) {
    uint32_t total = archetype->chunk_count + archetype->spare_count;
    for (uint32_t i = 0; i < total; i++) {
        ref_release(world, archetype, &archetype->chunks[i]);
    }
    shared_use(world, archetype, false);
    offsets_release(world, archetype, archetype->offsets, archetype->layout_count);
    if (archetype->chunks != &archetype->inline_chunk) {
        memory_release(&world->memory, SHOAL_PURPOSE_ARCHETYPE, archetype->chunks,
                       archetype->chunk_capacity * sizeof(chunk_ref), 16);
    }
    block_release(world, archetype);
}
