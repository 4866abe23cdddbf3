/*
 * The allocator of fake_allocator.h. A block has GUARD_BYTES more than was asked for, which hold a pattern until
 * the release. The list of blocks is a hash table with linear probing; releases shift the followers back, so that
 * no place is ever marked deleted.
 */
#define _DEFAULT_SOURCE

#include "fake_allocator.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FRESH_BYTE 0xCD
#define RELEASED_BYTE 0xDD
#define GUARD_BYTE 0xFB
#define GUARD_BYTES 16

static void fake_report(fake_allocator *fake, const char *what, const void *memory, size_t given, size_t expected) {
    fake->error_count++;
    if (fake->error_count == 1) {
        snprintf(fake->first_error, sizeof fake->first_error, "%s at %p: given %zu, expected %zu", what, memory, given,
                 expected);
    }
}

/* ---- the table of blocks ---- */

static size_t fake_home(const fake_allocator *fake, const unsigned char *memory) {
    uint64_t mixed = (uint64_t)(uintptr_t)memory * 0x9E3779B97F4A7C15u;
    return (size_t)(mixed >> 32) & (fake->block_capacity - 1);
}

/* The place of a block, or the free place where it would go. */
static size_t fake_find(const fake_allocator *fake, const unsigned char *memory) {
    size_t place = fake_home(fake, memory);
    while (fake->blocks[place].memory != NULL && fake->blocks[place].memory != memory) {
        place = (place + 1) & (fake->block_capacity - 1);
    }
    return place;
}

static void fake_grow(fake_allocator *fake) {
    fake_block *old_blocks = fake->blocks;
    size_t old_capacity = fake->block_capacity;
    fake->block_capacity = old_capacity != 0 ? old_capacity * 2 : 64;
    fake->blocks = calloc(fake->block_capacity, sizeof *fake->blocks);
    assert_non_null(fake->blocks);
    for (size_t i = 0; i < old_capacity; i++) {
        if (old_blocks[i].memory != NULL) {
            fake->blocks[fake_find(fake, old_blocks[i].memory)] = old_blocks[i];
        }
    }
    free(old_blocks);
}

static void fake_erase(fake_allocator *fake, size_t hole) {
    size_t mask = fake->block_capacity - 1;
    for (size_t next = (hole + 1) & mask; fake->blocks[next].memory != NULL; next = (next + 1) & mask) {
        size_t home = fake_home(fake, fake->blocks[next].memory);
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            fake->blocks[hole] = fake->blocks[next];
            hole = next;
        }
    }
    fake->blocks[hole] = (fake_block){0};
}

/* ---- the two functions ---- */

static bool fake_must_fail(fake_allocator *fake) {
    if (fake->countdown == 0) {
        return false;
    }
    if (fake->countdown > 1) {
        fake->countdown--;
        return false;
    }
    fake->countdown = fake->fail_later ? 1 : 0;
    fake->failed_count++;
    return true;
}

static void *fake_allocate(void *context, size_t byte_size, size_t alignment) {
    fake_allocator *fake = context;
    fake->allocation_count++;
    if (byte_size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        fake_report(fake, "allocation of no bytes or with a bad alignment", NULL, byte_size, alignment);
        return NULL;
    }
    if (fake_must_fail(fake)) {
        return NULL;
    }
    if (fake->live_count * 2 >= fake->block_capacity) {
        fake_grow(fake);
    }
    void *memory = NULL;
    size_t real_alignment = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    if (posix_memalign(&memory, real_alignment, byte_size + GUARD_BYTES) != 0) {
        return NULL;
    }
    memset(memory, FRESH_BYTE, byte_size);
    memset((unsigned char *)memory + byte_size, GUARD_BYTE, GUARD_BYTES);
    fake->blocks[fake_find(fake, memory)] =
        (fake_block){.memory = memory, .byte_size = byte_size, .alignment = alignment};
    fake->live_count++;
    fake->live_bytes += byte_size;
    return memory;
}

static void fake_check_guard(fake_allocator *fake, const fake_block *block) {
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (block->memory[block->byte_size + i] != GUARD_BYTE) {
            fake_report(fake, "write behind the end", block->memory, i, block->byte_size);
            return;
        }
    }
}

static void fake_release(void *context, void *memory, size_t byte_size, size_t alignment) {
    fake_allocator *fake = context;
    fake->release_count++;
    size_t place = fake->block_capacity != 0 ? fake_find(fake, memory) : 0;
    if (fake->block_capacity == 0 || fake->blocks[place].memory == NULL) {
        fake_report(fake, "release of memory that is not out", memory, byte_size, 0);
        return;
    }
    fake_block block = fake->blocks[place];
    if (block.byte_size != byte_size) {
        fake_report(fake, "release with another size", memory, byte_size, block.byte_size);
    }
    if (block.alignment != alignment) {
        fake_report(fake, "release with another alignment", memory, alignment, block.alignment);
    }
    fake_check_guard(fake, &block);
    fake->live_count--;
    fake->live_bytes -= block.byte_size;
    fake_erase(fake, place);
    memset(memory, RELEASED_BYTE, block.byte_size);
    free(memory);
}

shoal_allocator fake_allocator_table(fake_allocator *fake) {
    return (shoal_allocator){.allocate = fake_allocate, .release = fake_release, .context = fake};
}

void fake_allocator_arm(fake_allocator *fake, size_t n, bool also_later) {
    fake->countdown = n;
    fake->fail_later = also_later;
    fake->failed_count = 0;
}

bool fake_allocator_disarm(fake_allocator *fake) {
    fake->countdown = 0;
    return fake->failed_count != 0;
}

void fake_allocator_finish(fake_allocator *fake, const char *file, int line) {
    if (fake->error_count != 0) {
        print_error("the allocator saw %zu faults, the first: %s\n", fake->error_count, fake->first_error);
    }
    if (fake->live_count != 0) {
        print_error("%zu blocks with %zu bytes were never released\n", fake->live_count, fake->live_bytes);
    }
    bool clean = fake->error_count == 0 && fake->live_count == 0;
    free(fake->blocks);
    *fake = (fake_allocator){0};
    if (!clean) {
        _fail(file, line);
    }
}

/* ---- sparse memory ---- */

/* Maps more than asked for and gives the ends back, so that any alignment can be had. */
static void *sparse_allocate(void *context, size_t byte_size, size_t alignment) {
    (void)context;
    size_t page = 4096;
    size_t wanted = (byte_size + page - 1) & ~(page - 1);
    size_t reach = alignment > page ? alignment : 0;
    unsigned char *start =
        mmap(NULL, wanted + reach, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    size_t before = reach != 0 ? (alignment - (uintptr_t)start % alignment) % alignment : 0;
    if (before != 0) {
        munmap(start, before);
    }
    if (reach > before) {
        munmap(start + before + wanted, reach - before);
    }
    return start + before;
}

static void sparse_release(void *context, void *memory, size_t byte_size, size_t alignment) {
    (void)context;
    (void)alignment;
    munmap(memory, (byte_size + 4095) & ~(size_t)4095);
}

shoal_allocator sparse_allocator_table(void) {
    return (shoal_allocator){.allocate = sparse_allocate, .release = sparse_release, .context = NULL};
}
