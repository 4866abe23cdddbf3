/*
 * The stream of hash.h: a buffer in front of XXH3 (https://xxhash.com), the 64-bit form without a seed.
 *
 *     | state of XXH3, at a multiple of 64 | used | bytes[] |      one block of scratch memory
 *
 * xxHash comes as a header that is compiled in here, so the library needs no other one to run. Where the build has not
 * found it, no stream can be made and the rest stays as it is. Thread rule: one thread for each stream.
 */
#include "hash.h"

#include <string.h>

#ifdef SHOAL_HAVE_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct stream_block {
    XXH3_state_t state; /* first, since it wants the alignment */
    hash_stream stream;
} stream_block;

static stream_block *block_of(hash_stream *stream) {
    return (stream_block *)(void *)((char *)stream - offsetof(stream_block, stream));
}

/* Neither of these can fail once there is a state. */
static void state_reset(hash_stream *stream) {
    (void)XXH3_64bits_reset(&block_of(stream)->state);
}

static void state_absorb(hash_stream *stream, const void *bytes, size_t byte_size) {
    (void)XXH3_64bits_update(&block_of(stream)->state, bytes, byte_size);
}

static uint64_t state_digest(hash_stream *stream) {
    return XXH3_64bits_digest(&block_of(stream)->state);
}

shoal_status hash_stream_create(shoal_memory *memory, hash_stream **stream) {
    stream_block *block = memory_allocate(memory, SHOAL_PURPOSE_SCRATCH, sizeof *block, _Alignof(stream_block));
    if (block == NULL) {
        return memory_failure(memory);
    }
    memset(&block->state, 0, sizeof block->state);
    *stream = &block->stream;
    return SHOAL_OK;
}

void hash_stream_destroy(shoal_memory *memory, hash_stream *stream) {
    memory_release(memory, SHOAL_PURPOSE_SCRATCH, block_of(stream), sizeof(stream_block), _Alignof(stream_block));
}

#else

shoal_status hash_stream_create(shoal_memory *memory, hash_stream **stream) {
    (void)memory;
    (void)stream;
    return SHOAL_UNSUPPORTED;
}

void hash_stream_destroy(shoal_memory *memory, hash_stream *stream) {
    (void)memory;
    (void)stream;
}

static void state_reset(hash_stream *stream) {
    (void)stream;
}

static void state_absorb(hash_stream *stream, const void *bytes, size_t byte_size) {
    (void)stream;
    (void)bytes;
    (void)byte_size;
}

static uint64_t state_digest(hash_stream *stream) {
    (void)stream;
    return 0;
}

#endif

void hash_stream_start(hash_stream *stream) {
    stream->used = 0;
    state_reset(stream);
}

static void stream_flush(hash_stream *stream) {
    if (stream->used != 0) {
        state_absorb(stream, stream->bytes, stream->used);
        stream->used = 0;
    }
}

uint64_t hash_stream_finish(hash_stream *stream) {
    stream_flush(stream);
    return state_digest(stream);
}

void hash_put_slow(hash_stream *stream, const void *bytes, size_t byte_size) {
    if (byte_size == 0) {
        return;
    }
    stream_flush(stream);
    if (byte_size >= HASH_DIRECT_BYTES) {
        state_absorb(stream, bytes, byte_size);
        return;
    }
    memcpy(stream->bytes, bytes, byte_size);
    stream->used = byte_size;
}

void hash_put_many(hash_stream *stream, const void *bytes, size_t byte_size) {
    if (byte_size < HASH_DIRECT_BYTES) {
        hash_put(stream, bytes, byte_size);
        return;
    }
    stream_flush(stream);
    state_absorb(stream, bytes, byte_size);
}

void hash_put_handles(hash_stream *stream, const shoal_entity *entities, size_t count) {
    for (size_t done = 0; done < count;) {
        if (HASH_STREAM_BYTES - stream->used < sizeof *entities) {
            stream_flush(stream);
        }
        size_t room = (HASH_STREAM_BYTES - stream->used) / sizeof *entities;
        size_t run = count - done < room ? count - done : room;
        char *to = stream->bytes + stream->used;
        for (size_t i = 0; i < run; i++) {
            uint64_t bits = entities[done + i].bits & HASH_HANDLE_MASK;
            memcpy(to + i * sizeof bits, &bits, sizeof bits);
        }
        stream->used += run * sizeof *entities;
        done += run;
    }
}
