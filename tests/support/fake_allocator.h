/*
 * An allocator for tests. It fails the n-th allocation on demand, fills fresh memory with 0xCD and released memory
 * with 0xDD, keeps a list of what is out, and checks that every release names memory, size and alignment as they
 * were allocated and that nothing was written behind the end.
 *
 * Faults are counted in error_count with the first one in words; nothing here fails a test by itself. The
 * structure belongs to the test; one thread.
 */
#ifndef SHOAL_TESTS_FAKE_ALLOCATOR_H
#define SHOAL_TESTS_FAKE_ALLOCATOR_H

#include <shoal/base.h>

typedef struct fake_block {
    unsigned char *memory; /* NULL: free place in the table */
    size_t byte_size;
    size_t alignment;
} fake_block;

typedef struct fake_allocator {
    size_t allocation_count; /* calls of allocate since the start, also the failed ones */
    size_t release_count;
    size_t live_count;
    size_t live_bytes;
    size_t error_count;
    char first_error[160];

    size_t countdown; /* 1: the next allocation fails; 0: none does */
    bool fail_later;  /* after the failing one, all others fail too */
    size_t failed_count;

    fake_block *blocks; /* open addressing, block_capacity is a power of two */
    size_t block_capacity;
} fake_allocator;

/* What to put into shoal_world_def. */
shoal_allocator fake_allocator_table(fake_allocator *fake);

/* Makes the n-th allocation from now on fail (1 is the next one), and all later ones too if `also_later`. */
void fake_allocator_arm(fake_allocator *fake, size_t n, bool also_later);

/* Stops failing; true when an allocation has failed since fake_allocator_arm(). */
bool fake_allocator_disarm(fake_allocator *fake);

/* Checks that nothing is out and that no fault was seen, and frees the list. */
void fake_allocator_finish(fake_allocator *fake, const char *file, int line);
#define assert_nothing_leaked(fake) fake_allocator_finish((fake), __FILE__, __LINE__)

/* Maps every block anew without touching it, so that huge sparse columns cost what is written. No checks. */
shoal_allocator sparse_allocator_table(void);

#endif
